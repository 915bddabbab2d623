/* cot build: object files, archives, C source, assembly, LLVM IR, a header, JSON.
 *
 * What goes into the file: with --export each function that is named so, with its own
 * pipeline; with --entry that one; else the file's @main, or every function that no other one
 * uses. */
#include "runtime/build.h"
#include "tools/cot.h"

#include <stdlib.h>

#include "ir/diag.h"

/* "0,2": numbers of arguments. */
static bool
read_donated(cot_cli *c, cot_list *out)
{
    int64_t *at = IR_NEW_N(&c->ctx->arena, int64_t, strlen(c->donated) + 1);
    const char *s = c->donated;
    char *end;

    *out = (cot_list){ .n = 0, .at = at };
    for (;; s = end + 1) {
        at[out->n++] = strtoll(s, &end, 10);
        if (end == s || (*end && *end != ','))
            return false;
        if (!*end)
            return true;
    }
}

/* The word in [from, to), without the spaces around it. */
static const char *
trimmed(cot_cli *c, const char *from, const char *to)
{
    while (from < to && *from == ' ')
        from++;
    while (to > from && to[-1] == ' ')
        to--;
    return ir_format(&c->ctx->arena, "%.*s", (int)(to - from), from);
}

/* The function with the pipeline, for all sizes if it has some. */
static cot_status
read_function(cot_cli *c, ir_graph *f, rt_export *out)
{
    if (cli_is_open(c, f))
        return cli_open_export(c, f, out);
    COT_TRY(cli_at_sizes(c, f, &f));
    COT_TRY(cli_transform(c, f, &f));
    out->graph = f;
    return COT_OK;
}

/* "NAME = ENTRY | PIPELINE": an = behind the first | belongs to a pass. */
static cot_status
read_export(cot_cli *c, const ir_module *all, const char *text, rt_export *out)
{
    const char *const pipeline = c->pipeline, *bar = strchr(text, '|'),
                      *end = bar ? bar : text + strlen(text);
    const char *equals = memchr(text, '=', (size_t)(end - text));
    const char *entry = trimmed(c, equals ? equals + 1 : text, end);
    cot_status status;
    ir_module one;

    *out = (rt_export){ .name = equals ? trimmed(c, text, equals) : NULL };
    if (!*entry)
        return ir_fail(
            c->ctx, 0, NULL, ERR_usage,
            ir_format(&c->ctx->arena, "--export is '%s'; wants [NAME=]ENTRY[|PIPELINE]", text));
    COT_TRY(cli_roots(c->ctx, all, entry, &one));
    if (bar)
        c->pipeline =
            pipeline ? ir_format(&c->ctx->arena, "%s | %s", bar + 1, pipeline) : bar + 1;
    status = read_function(c, one.fn[0], out);
    c->pipeline = pipeline;
    return status;
}

static cot_status
read_exports(cot_cli *c, int *n, rt_export **out)
{
    ir_module all;

    *out = IR_NEW_N(&c->ctx->arena, rt_export, c->n_exports);
    COT_TRY(cli_functions(c, c->files[0], &all));
    for (*n = 0; *n < c->n_exports; ++*n)
        COT_TRY(read_export(c, &all, c->exports[*n], &(*out)[*n]));
    return COT_OK;
}

/* With --open: the only function, or --entry. */
static cot_status
read_open(cot_cli *c, int *n, rt_export **out)
{
    *out = IR_NEW_N(&c->ctx->arena, rt_export, 1);
    *n = 1;
    return cli_open(c, *out);
}

/* Without --export: @main alone, or all roots. */
static cot_status
read_roots(cot_cli *c, int *n, rt_export **out)
{
    ir_module roots;

    COT_TRY(cli_load(c, c->files[0], &roots));
    for (int i = 0; i < roots.n; i++)
        if (strcmp(roots.fn[i]->name, "main") == 0)
            roots = (ir_module){ 1, roots.fn + i };
    *out = IR_NEW_N(&c->ctx->arena, rt_export, roots.n);
    for (*n = 0; *n < roots.n; ++*n) {
        (*out)[*n] = (rt_export){ .name = roots.n == 1 ? c->name : NULL };
        COT_TRY(read_function(c, roots.fn[*n], &(*out)[*n]));
    }
    return COT_OK;
}

/* Is the file that is read to be written as well? */
static bool
overwrites(const cot_cli *c)
{
    const char *const out[] = { c->out, c->header, c->manifest };

    for (int i = 0; i < 3; i++)
        if (rt_is_same_file(out[i], c->files[0]))
            return true;
    return false;
}

/* Is there an output called "-"?  It would be a file of that name. */
static bool
to_standard_output(const cot_cli *c)
{
    const char *const out[] = { c->out, c->header, c->manifest };

    for (int i = 0; i < 3; i++)
        if (out[i] && strcmp(out[i], "-") == 0)
            return true;
    return false;
}

int
cli_build(cot_cli *c)
{
    cot_compile_options o = { .target = c->target,
                              .cpu = c->cpu,
                              .features = c->features,
                              .threads = c->threads,
                              .debug = c->debug,
                              .fast = c->fast,
                              .trapping_math = c->trapping_math,
                              .profile = c->profile,
                              .manifest = c->manifest,
                              .at = c->at,
                              .processes = c->counts };
    rt_export *e;
    int n = 0;

    if (!c->out)
        return cli_wrong(c, "no output is named; wants -o OUT.{o,a,c,s,ll,ptx,mlir}");
    if (to_standard_output(c))
        return cli_wrong(c, "an output is '-'; wants the name of a file");
    if (overwrites(c))
        return cli_wrong(c, "%s is to be read, and to be written", c->files[0]);
    if (c->donated && !read_donated(c, &o.donated))
        return cli_wrong(c, "--donated is '%s'; wants numbers of arguments, as in 0,2",
                         c->donated);
    if (c->n_exports && c->name)
        return cli_wrong(c, "--name names the only function; wants NAME=ENTRY in --export");
    if (c->n_exports && c->open)
        return cli_wrong(c, "--open is of the only function; --export names others");
    if ((c->n_exports ? read_exports : c->open ? read_open : read_roots)(c, &n, &e) != COT_OK)
        return cli_failed(c);
    if (c->name && n > 1)
        return cli_wrong(c, "--name names the only function; %s has %d", c->files[0], n);
    if (!c->donated && !c->pipeline && c->given_away.n > 0)
        o.donated = (cot_list){ .n = c->given_away.n, .at = c->given_away.at };
    return rt_build(c->ctx, n, e, &o, c->out, c->header) == COT_OK ? EXIT_DONE : cli_failed(c);
}
