/* The laws of StableHLO text over modules in files: `law_modules [--write FOLDER] FILE...`.
 *
 * A file may hold several modules, a module several functions without arguments (as `cot run`
 * has them).  What each imports as, its reverse mode and its map over two examples are
 * exported: import of that is the same graph.  What import refuses, and what has no
 * counterpart, has a message with its line; they are counted.
 *
 *   --write FOLDER    nothing is checked: N.mlir and N.bin, as law_stablehlo writes them for
 *                     tests/stablehlo_jax.py
 *
 * A line for each failure and each that is refused, then the numbers; the exit status is 1 if
 * one fails. */
#include <stdio.h>
#include <stdlib.h>

#include "cotrace/stablehlo.h"
#include "frontend/stablehlo/import/import.h"
#include "passes/pass.h"
#include "tests/laws/exported.h"

typedef struct numbers {
    int same, failed, refused, unwritten;
} numbers;

static numbers count;
static const char *folder;

static char *
contents(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t cap = 0, got;

    *n = 0;
    if (!file)
        return NULL;
    do {
        if (*n == cap)
            text = realloc(text, (cap = cap ? 2 * cap : 1 << 16) + 1);
        *n += got = fread(text + *n, 1, cap - *n, file);
    } while (got > 0);
    fclose(file);
    text[*n] = '\0';
    return text;
}

static void
report(const fe_hlo_source *s, const char *what, const char *why)
{
    count.failed++;
    printf("%s, %s: %s\n", s->path, what, why);
    fflush(stdout);
}

/* f built anew, so that it is folded as a graph that is read. */
static ir_graph *
anew(const ir_graph *f)
{
    ir_build *b = ir_build_new(f->ctx, f->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, f->n_in + 1),
           *out = IR_NEW_N(b->arena, ir_ref, f->n_out + 1);
    ir_graph *g = NULL;

    for (int i = 0; i < f->n_in; i++)
        in[i] = ir_input_like(b, f, f->in[i], f->in_name[i]);
    ir_inline_graph(b, f, in, out);
    for (int i = 0; i < f->n_out; i++)
        ir_output(b, out[i]);
    return ir_build_end(b, &g) == COT_OK ? g : NULL;
}

/* The first line of g's text that is not f's. */
static const char *
difference(const ir_graph *f, const ir_graph *g)
{
    const char *a = exported_printed(f), *b = exported_printed(g);
    size_t from = 0;

    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        from = a[i] == '\n' ? i + 1 : from;
    return ir_format(&f->ctx->arena, "%.*s\n    came back as\n%.*s",
                     (int)strcspn(a + from, "\n"), a + from, (int)strcspn(b + from, "\n"),
                     b + from);
}

static void
check(const fe_hlo_source *s, const char *what, const ir_graph *f)
{
    exported_text t = { NULL, 0 };
    const ir_graph *g;

    if (folder) {
        count.same++;
        exported_files(f, ir_format(&f->ctx->arena, "%s/%d", folder, count.same),
                       (uint64_t)count.same, -1.5, 1.5);
    } else if (cot_export_stablehlo(f, exported_keep, &t) != COT_OK) {
        count.unwritten += f->ctx->status == COT_ERR_TARGET;
        if (f->ctx->status != COT_ERR_TARGET)
            report(s, what, cot_error(f->ctx));
    } else if (!(g = exported_import(f->ctx, &t))) {
        report(s, what, cot_error(f->ctx));
    } else if (!exported_same(f, g)) {
        report(s, what, difference(f, g));
    } else {
        count.same++;
    }
    cot_error_clear(f->ctx);
    free(t.at);
}

/* What a pipeline makes of f, if it is for such functions. */
static void
check_made(const fe_hlo_source *s, const ir_graph *f, const char *pipeline)
{
    ir_graph *r;

    if (pass_pipeline(f, pipeline, NULL, NULL, &r) == COT_OK && (r = anew(r)) != NULL)
        check(s, pipeline, r);
    cot_error_clear(f->ctx);
}

static void
check_all(const fe_hlo_source *s, const char *entry, const ir_graph *f)
{
    bool open = false;

    check(s, entry ? entry : "main", f);
    for (int i = 0; i < f->n_in; i++)
        open |= ir_is_floating(f, f->in[i]);
    if (open)
        check_made(s, f, "vjp");
    if (f->n_in)
        check_made(s, f, "vmap(in=0, out=0, size=2)");
}

/* The entry, or each of the functions that `several` is to name. */
static void
read_module(const fe_hlo_source *s, const char *entry, fe_hlo_names *several)
{
    cot_context *ctx = cot_context_new(NULL);
    const cot_import_options o = { .entry = entry };
    ir_graph *f = NULL;

    IR_TRY (ctx) {
        if (fe_hlo_import(ctx, s, &o, &(fe_hlo_extra){ .several = several }, &f) == COT_OK && f)
            check_all(s, entry, f);
        for (int i = 0; !f && several && ctx->status == COT_OK && i < several->n; i++)
            read_module(s, several->at[i], NULL);
    }
    if (ctx->status != COT_OK && strncmp(cot_error(ctx), s->path, strlen(s->path)) == 0) {
        count.refused++;
        printf("refused: %s\n", cot_error(ctx));
    } else if (ctx->status != COT_OK) {
        report(s, entry ? entry : "main", cot_error(ctx));
    }
    cot_context_free(ctx);
}

static void
read_file(const char *path)
{
    size_t n, end;
    char *text = contents(path, &n);

    if (!text) {
        printf("%s: cannot be read\n", path);
        count.failed++;
        return;
    }
    for (size_t from = 0; from < n; from = end) {
        fe_hlo_names several = { 0, NULL };
        end = fe_hlo_module_end(text, from, n);
        read_module(&(fe_hlo_source){ path, text, from, end }, NULL, &several);
    }
    free(text);
}

int
main(int argc, char **argv)
{
    int first = 1;

    if (argc > 2 && strcmp(argv[1], "--write") == 0) {
        folder = argv[2];
        first = 3;
    }
    for (int i = first; i < argc; i++)
        read_file(argv[i]);
    printf("%d the same, %d refused by import, %d without a counterpart, %d failed\n",
           count.same, count.refused, count.unwritten, count.failed);
    return count.failed > 0;
}
