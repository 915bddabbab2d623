/* docs/coverage.md: what each op does at each element type, found by doing it.
 *
 * coverage write             the page, to stdout coverage check PAGE K N    the lines of ops K,
 * K + N, ... are in the page: 1 if one is not
 *
 * The program of an op at a type (programs.h) runs on the reference evaluator, compiled in
 * this process, from an object file and from C source, and the bits are compared; its jvp,
 * vjp and vmap run on the reference evaluator.  A cell is `yes`, or the reason why there is
 * nothing to do, in the words of whatever refused.  A cell that is neither is a failure.
 * What the derivatives are is for the other laws to judge.  Writes and views run
 * functionalized, collectives under a vmap of three. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "codegen/lower.h"
#include "passes/pass.h"
#include "passes/rules.h"
#include "runtime/check.h"
#include "tests/laws/programs.h"

enum { EVAL, JIT, OBJECT, C, JVP, TRANSPOSE, VMAP, COLUMNS };
enum { MAX_ENTRIES = OP_COUNT * COT_DTYPE_COUNT };

typedef struct entry {
    ir_op op;
    cot_dtype type;
    const char *cell[COLUMNS];
    ir_graph *g; /* what the back ends run; NULL: not taken */
    void **in, **want;
    char name[24];
    cg_natural c;
} entry;

static entry all[MAX_ENTRIES];
static int n_all, failures;
static _Alignas(64) char work[1 << 22];

/* Ops that no program of the laws has: writes, views, collectives. */
static const struct {
    ir_op op;
    const char *text;
} more[] = {
    { OP_clone, "fn @f(%x: $[3]) -> $[3] {\n  %0 = clone %x : $[3]\n  ret %0\n}\n" },
    { OP_assign, "fn @f(%x: $[3], %y: $[3]) -> $[3] {\n  %0 = clone %x : $[3]\n  %1 = assign "
                 "%0, %y : $[3]\n  ret %0\n}\n" },
#define VIEW(op, type, attrs)                                                                  \
    "fn @f(%x: $[2,3]) -> $" type " {\n  %0 = clone %x : $[2,3]\n  %1 = " op " %0 {" attrs     \
    "} : $" type "\n  ret %1\n}\n"
    { OP_view_slice, VIEW("view_slice", "[1,3]", "start=[1,0], limit=[2,3], stride=[1,1]") },
    { OP_view_reshape, VIEW("view_reshape", "[6]", "shape=[6]") },
    { OP_view_transpose, VIEW("view_transpose", "[3,2]", "perm=[1,0]") },
    { OP_view_reverse, VIEW("view_reverse", "[2,3]", "axes=[1]") },
    { OP_view_broadcast, VIEW("view_broadcast", "[4,2,3]", "shape=[4,2,3], dims=[1,2]") },
    { OP_view_dynamic_slice,
      "fn @f(%x: $[5], %i: i32[]) -> $[2] {\n  %0 = clone %x : $[5]\n"
      "  %1 = view_dynamic_slice %0, %i {sizes=[2]} : $[2]\n  ret %1\n}\n" },
#define OVER(op, type, attrs)                                                                  \
    "fn @f(%x: $[3]) -> $" type " {\n  %0 = " op " %x {over=\"i\"" attrs "} : $" type          \
    "\n  ret %0\n}\n"
    { OP_psum, OVER("psum", "[3]", "") },
    { OP_pmax, OVER("pmax", "[3]", "") },
    { OP_pmin, OVER("pmin", "[3]", "") },
    { OP_all_gather, OVER("all_gather", "[3,3]", ", axis=1, size=3") },
    { OP_psum_scatter, OVER("psum_scatter", "[]", ", size=3") },
    { OP_ppermute, OVER("ppermute", "[3]", ", pairs=[0,1,1,2]") },
    { OP_axis_index, "fn @f(%x: $[3]) -> ($[3], i32[]) {\n  %0 = axis_index {over=\"i\"} : "
                     "i32[]\n  ret %x, %0\n}\n" },
};

static bool
collective(ir_op op)
{
    return ir_ops[op].flag == IR_COLLECTIVE;
}

/* What a message wants, or its end, as a cell. */
static const char *
reason(cot_context *ctx)
{
    const char *text = cot_error(ctx), *wants = strstr(text, "; wants "),
               *at = wants ? wants + 2 : text;
    for (const char *p; !wants && (p = strstr(at, ": "));)
        at = p + 2;
    char *out = ir_copy_string(&ctx->arena, at);

    for (char *p = out; *p; p++)
        *p = *p == '\n' || *p == '|' ? ' ' : *p;
    cot_error_clear(ctx);
    return out;
}

static bool
parse_more(cot_context *ctx, ir_op op, cot_dtype t, laws_program *p)
{
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        if (more[i].op != op)
            continue;
        ir_buf b;
        ir_module m;
        ir_buf_init(&b, &ctx->arena);
        for (const char *s = more[i].text; *s; s++)
            *s == '$' ? ir_buf_str(&b, cot_dtype_name(t)) : ir_buf_add(&b, s, 1);
        *p = (laws_program){ .op = ir_ops[op].name, .lo = -3, .hi = 3 };
        if (ir_parse(ctx, "coverage.cot", b.text, strlen(b.text), &m) == COT_OK)
            p->f = m.fn[m.n - 1];
        return true;
    }
    return false;
}

/* Without writes; the examples of a collective mapped. */
static cot_status
closed(const ir_graph *f, ir_op op, ir_graph **out)
{
    const int64_t first = 0;
    pass_vmap_options o = { .in = { 1, &first, true },
                            .out = { 1, &first, true },
                            .size = 3,
                            .sized = true,
                            .axis_name = "i" };

    return collective(op) ? pass_vmap(f, &o, out) : pass_functionalize(f, true, out);
}

static const char *
same_bits(const entry *e, void *const *got)
{
    for (int i = 0; i < e->g->n_out; i++)
        if (laws_differ(ir_type_at(e->g, e->g->out[i]), got[i], e->want[i]) >= 0)
            return NULL;
    return "yes";
}

/* ---- transforms, on the reference evaluator ---- */

static const char *
runs(const ir_graph *g, const laws_program *p)
{
    uint64_t seed = 5;
    ir_graph *ready;

    if (pass_prepare(g, &ready) != COT_OK)
        return NULL;
    void **in = laws_sample(ready, &seed, p->lo, p->hi, laws_fill),
         **out = laws_values(ready->n_out, ready->out, ready);
    const bool good = ir_eval(ready, out, (const void *const *)in) == COT_OK;
    laws_free(ready->n_in, in);
    laws_free(ready->n_out, out);
    return good ? "yes" : NULL;
}

typedef cot_status derivative(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out);

static bool
floats(const ir_graph *f, int n, const ir_ref *v)
{
    for (int i = 0; i < n; i++)
        if (ir_is_floating(f, v[i]))
            return true;
    return false;
}

static const char *
derived(const laws_program *p, ir_op op, derivative *d)
{
    ir_graph *f, *g, *h;
    const bool reverse = d == pass_vjp;

    if (!floats(p->f, p->f->n_in, p->f->in) || !floats(p->f, p->f->n_out, p->f->out))
        return "integer";
    if (collective(op) ? d(p->f, NULL, 0, &g) != COT_OK || closed(g, op, &h) != COT_OK
                       : closed(p->f, op, &f) != COT_OK || d(f, NULL, 0, &h) != COT_OK)
        return reason(p->f->ctx);
    const char *good = runs(h, p);
    if (good && jvp_rules[op] == jvp_zero)
        return "zero";
    return good && reverse && transpose_rules[op] == transpose_never ? "not linear" : good;
}

static const char *
mapped(const laws_program *p, const entry *e)
{
    const int64_t first = 0;
    pass_vmap_options o = {
        .in = { 1, &first, true }, .out = { 1, &first, true }, .size = 2, .sized = true
    };
    ir_graph *g;

    return pass_vmap(e->g, &o, &g) == COT_OK ? runs(g, p) : reason(p->f->ctx);
}

/* ---- in this process ---- */

static const char *
compiled(const entry *e, const char *backend)
{
    void **got;

    if (rt_run_graph(e->g, &(cot_compile_options){ .backend = backend }, e->in, &got) != COT_OK)
        return reason(e->g->ctx);
    return same_bits(e, got);
}

/* Does a node of the op read or give a value of the type? */
static bool
touches(const ir_graph *f, ir_op op, cot_dtype t)
{
    bool does = false;

    ir_each_node(n, f) {
        for (int i = 0; i < n->n_in && n->op == op; i++)
            does |= ir_type_at(f, n->in[i])->dtype == t;
        for (int i = 0; i < n->n_out && n->op == op; i++)
            does |= ir_type_at(f, n->first + (ir_ref)i)->dtype == t;
    }
    return does;
}

static void
fill_entry(cot_context *ctx, entry *e)
{
    laws_program p = { 0 };
    uint64_t seed = 3;
    const bool custom = e->op == OP_custom_call || e->op == OP_custom_tangent;

    for (int k = 0; k < COLUMNS && custom; k++)
        e->cell[k] = "as its body";
    if (custom || (!parse_more(ctx, e->op, e->type, &p) && !laws_try(ctx, e->op, e->type, &p)))
        return;
    if (!p.f) {
        for (int k = 0; k < COLUMNS; k++)
            e->cell[k] = "not taken";
        e->cell[EVAL] = ir_format(&ctx->arena, "not taken: %s", reason(ctx));
        return;
    }
    if (!touches(p.f, e->op, e->type)) {
        for (int k = 0; k < COLUMNS; k++)
            e->cell[k] = "not taken";
        e->cell[EVAL] = "not taken: wants another type";
        return;
    }
    if (closed(p.f, e->op, &e->g) != COT_OK) {
        printf("coverage: %s: %s\n", e->name, cot_error(ctx));
        cot_error_clear(ctx);
        e->g = NULL;
        return;
    }
    e->in = laws_sample(e->g, &seed, p.lo, p.hi, laws_fill);
    if (rt_run_graph(e->g, &(cot_compile_options){ .backend = "eval" }, e->in, &e->want) ==
        COT_OK)
        e->cell[EVAL] = "yes";
    else
        e->cell[EVAL] = reason(ctx);
    e->cell[JIT] = compiled(e, "jit");
    e->cell[JVP] = derived(&p, e->op, pass_jvp);
    e->cell[TRANSPOSE] = derived(&p, e->op, pass_vjp);
    e->cell[VMAP] = mapped(&p, e);
}

/* ---- from files ---- */

static char folder[] = "/tmp/cotrace-XXXXXX";

static FILE *
open_file(const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "w");
}

static void *
link_library(const char *command)
{
    char text[256], path[64];

    snprintf(text, sizeof text, "cd %s && %s", folder, command);
    snprintf(path, sizeof path, "%s/all.so", folder);
    void *library = system(text) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    remove(path);
    return library;
}

/* Every entry that `e->name`_entry in the library carries. */
static void
call_all(void *library, int column)
{
    for (int i = 0; i < n_all && library; i++) {
        entry *e = &all[i];
        char symbol[40];
        union {
            void *p;
            cot_entry *f;
        } u;

        if (!e->g || e->cell[column])
            continue;
        snprintf(symbol, sizeof symbol, "%s_entry", e->name);
        u.p = dlsym(library, symbol);
        void **out = laws_values(e->g->n_out, e->g->out, e->g);
        void *args[64];
        for (int k = 0; k < e->g->n_in + e->g->n_out; k++)
            args[k] = k < e->g->n_in ? e->in[k] : out[k - e->g->n_in];
        if (u.p && u.f(args, work) == 0)
            e->cell[column] = same_bits(e, out);
        laws_free(e->g->n_out, out);
    }
    if (library)
        dlclose(library);
}

/* The natural signature behind an array of pointers. */
static void
write_adapters(void)
{
    FILE *f = open_file("adapt.c");

    if (!f)
        return;
    fputs("#include \"all.h\"\n", f);
    for (int i = 0; i < n_all; i++) {
        const entry *e = &all[i];
        if (!e->g || e->cell[OBJECT])
            continue;
        fprintf(f,
                "int %s_entry(void *const *a, void *w);\nint %s_entry(void *const *a, void *w) "
                "{ return %s(",
                e->name, e->name, e->name);
        for (int k = 0; k < e->g->n_in + e->g->n_out; k++)
            fprintf(f, "a[%d], ", k);
        fputs("w); }\n", f);
    }
    fclose(f);
}

static void
run_objects(cot_context *ctx)
{
    cot_export *x = calloc(MAX_ENTRIES, sizeof *x);
    char object[64], header[64];
    int n = 0;

    snprintf(object, sizeof object, "%s/all.o", folder);
    snprintf(header, sizeof header, "%s/all.h", folder);
    for (int i = 0; i < n_all; i++) {
        entry *e = &all[i];
        if (!e->g)
            continue;
        cot_type *types = ir_alloc(&ctx->arena, sizeof *types * (size_t)(e->g->n_in + 1));
        for (int k = 0; k < e->g->n_in; k++)
            types[k] = ir_type_public(ir_type_at(e->g, e->g->in[k]));
        x[n] = (cot_export){ cot_fn_of_graph(e->g), { .n = e->g->n_in, .at = types }, e->name };
        /* What an object refuses it refuses alone, too. */
        if (e->cell[JIT] && strcmp(e->cell[JIT], "yes") == 0)
            n++;
        else if (cot_build_object(ctx, &x[n], 1, NULL, object, NULL) != COT_OK)
            e->cell[OBJECT] = reason(ctx);
    }
    if (cot_build_object(ctx, x, n, NULL, object, header) == COT_OK) {
        write_adapters();
        call_all(link_library("cc -shared -fPIC adapt.c all.o -o all.so -lm"), OBJECT);
    } else {
        printf("coverage: %s\n", cot_error(ctx));
    }
    free(x);
}

static void
run_c(cot_context *ctx)
{
    static cg_natural fn[MAX_ENTRIES];
    const cg_target target = {
        .vector_bits = 128, .registers = 16, .l1 = 32 << 10, .l2 = 512 << 10, .l3 = 8 << 20
    };
    const cg_lower_options o = { .target = &target, .threads = 1, .fuse = true };
    const void *bytes;
    size_t size;
    int n = 0;

    for (int i = 0; i < n_all; i++) {
        entry *e = &all[i];
        ir_graph *g;
        cg_module *m;
        if (!e->g)
            continue;
        if (pass_prepare(e->g, &g) != COT_OK || cg_lower(g, &o, &ctx->arena, &m) != COT_OK) {
            e->cell[C] = reason(ctx);
            continue;
        }
        fn[n] =
            (cg_natural){ .name = e->name, .module = m, .n_in = g->n_in, .n_out = g->n_out };
        if (cg_c()->emit(ctx, &target, CG_TO_C, 1, &fn[n], &ctx->arena, &bytes, &size) ==
            COT_OK)
            n++;
        else
            e->cell[C] = reason(ctx);
    }
    FILE *f = open_file("all.c");
    if (!f || cg_c()->emit(ctx, NULL, CG_TO_C, n, fn, &ctx->arena, &bytes, &size) != COT_OK)
        return;
    fwrite(bytes, 1, size, f);
    for (int i = 0; i < n; i++) {
        fprintf(f,
                "int %s_entry(void *const *a, void *w);\nint %s_entry(void *const *a, void *w) "
                "{ return %s(",
                fn[i].name, fn[i].name, fn[i].name);
        for (int k = 0; k < fn[i].n_in + fn[i].n_out; k++)
            fprintf(f, "a[%d], ", k);
        fprintf(f, "w); }\n");
    }
    fclose(f);
    call_all(link_library("cc -std=c11 -O0 -Wno-psabi -shared -fPIC all.c -o all.so -lm"), C);
}

/* ---- the page ---- */

static bool
alike(const entry *a, const entry *b)
{
    for (int k = 0; k < COLUMNS; k++)
        if (strcmp(a->cell[k] ? a->cell[k] : "", b->cell[k] ? b->cell[k] : "") != 0)
            return false;
    return a->op == b->op;
}

/* One line for the types of an op that have the same cells. */
static char *
line_of(cot_context *ctx, int first, bool *done)
{
    ir_buf b;

    ir_buf_init(&b, &ctx->arena);
    ir_buf_printf(&b, "| `%s` |", ir_ops[all[first].op].name);
    for (int i = first; i < n_all && all[i].op == all[first].op; i++)
        if (!done[i] && alike(&all[i], &all[first])) {
            done[i] = true;
            ir_buf_printf(&b, " %s", cot_dtype_name(all[i].type));
        }
    ir_buf_str(&b, " |");
    for (int k = 0; k < COLUMNS; k++) {
        if (!all[first].cell[k]) {
            failures++;
            printf("coverage: %s has an empty cell, column %d\n", all[first].name, k);
        }
        ir_buf_printf(&b, " %s |", all[first].cell[k] ? all[first].cell[k] : "");
    }
    return b.text;
}

static char *
read_page(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 22);

    if (f && text)
        text[fread(text, 1, (1 << 22) - 1, f)] = '\0';
    if (f)
        fclose(f);
    return text;
}

static void
report(cot_context *ctx, const char *page)
{
    static bool done[MAX_ENTRIES];
    char *text = page ? read_page(page) : NULL;

    for (int i = 0; i < n_all; i++) {
        if (done[i])
            continue;
        const char *line = line_of(ctx, i, done);
        if (!page) {
            puts(line);
        } else if (!text || !strstr(text, line)) {
            failures++;
            printf("coverage: %s lacks the line, which ./dev docs writes:\n%s\n", page, line);
        }
    }
    free(text);
}

static void
run_ops(cot_context *ctx, int from, int step)
{
    for (int op = OP_FIRST + from; op < OP_COUNT; op += step)
        for (int t = COT_BOOL; t < COT_DTYPE_COUNT && n_all < MAX_ENTRIES; t++) {
            entry *e = &all[n_all];
            *e = (entry){ .op = (ir_op)op, .type = (cot_dtype)t };
            snprintf(e->name, sizeof e->name, "p%d_%s", op, cot_dtype_name((cot_dtype)t));
            fill_entry(ctx, e);
            n_all++;
        }
    run_objects(ctx);
    run_c(ctx);
}

static const char head[] =
    "# Coverage\n\n"
    "What each op does at each element type. The test `coverage` finds it by doing it: it runs "
    "a small program of the\n"
    "op on the reference evaluator, compiled in process, from an object file and from C "
    "source, which must give the\n"
    "same bits, and its derivatives and its map on the evaluator. Written by `./dev docs`.\n\n"
    "A cell is *yes* or says why there is nothing to do: *integer*, nothing to differentiate; "
    "*zero*, the derivative is\n"
    "zero everywhere; *not linear*, reverse mode runs, on the linear ops of the derivative; "
    "*as its body*, a custom\n"
    "function does what its body does; or what the message says.\n\n"
    "| op | types | eval | jit | object | c | jvp | transpose | vmap |\n"
    "|---|---|---|---|---|---|---|---|---|";

int
main(int argc, char **argv)
{
    const bool check = argc == 5 && strcmp(argv[1], "check") == 0;
    cot_context *ctx = cot_context_new(NULL);

    if (!check && (argc != 2 || strcmp(argv[1], "write") != 0)) {
        printf("usage: coverage write | coverage check PAGE K N\n");
        return 2;
    }
    if (!mkdtemp(folder))
        return 2;
    IR_TRY(ctx) {
        run_ops(ctx, check ? atoi(argv[3]) : 0, check ? atoi(argv[4]) : 1);
        if (!check)
            puts(head);
        report(ctx, check ? argv[2] : NULL);
    }
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0)
        failures++;
    cot_context_free(ctx);
    return failures > 0;
}
