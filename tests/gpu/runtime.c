/* Runs a bundle's programs by the library itself (runtime/cuda) on a GPU: arrays of the host
 * and of the device, launches and graphs, two contexts at once.
 *
 *   runtime [FOLDER]
 *
 * There is no LLVM where this runs: what makes PTX here gives that of the bundle, by the name
 * of the function.  Lowering is the library's, and is what it was when the bundle was packed.
 * The programs of the sweeps (swept.h) are drawn here again and judged by the reference
 * evaluator.  Exit status 1 where a program fails or a bit differs; 2 where there is no GPU. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/backend.h"
#include "cotrace/cotrace.h"
#include "cotrace/device.h"
#include "ir/diag.h"
#include "ir/graph.h"
#include "runtime/check.h"
#include "runtime/cuda/gpu.h"
#include "tests/gpu/swept.h"

enum { ROUNDS = 3 };

static const char *folder;

static char *
read_file(const char *name, const char *ending, size_t *n)
{
    char path[1200];
    FILE *f;
    char *text = NULL;
    long size = -1;

    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    f = fopen(path, "rb");
    if (f && fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0)
        text = malloc((size_t)size + 1);
    if (text) {
        rewind(f);
        *n = fread(text, 1, (size_t)size, f);
        text[*n] = '\0';
    }
    if (f)
        fclose(f);
    return text;
}

/* ---- PTX ---- */

static cot_status
emit_packed(cot_context *ctx, const cg_target *t, cg_output what, int n, const cg_natural *fn,
            ir_arena *arena, const void **bytes, size_t *size)
{
    char *text = n == 1 && what == CG_TO_PTX ? read_file(fn->name, ".ptx", size) : NULL;

    (void)t;
    if (!text)
        return ir_fail(ctx, 0, fn->name, ERR_internal, "the bundle has no PTX of that name");
    *bytes = ir_copy_bytes(arena, text, *size + 1);
    free(text);
    return COT_OK;
}

/* In place of codegen/llvm. */
const cg_backend *
cg_llvm(void)
{
    static const cg_backend packed = { .name = "packed", .emit = emit_packed };

    return &packed;
}

/* ---- programs ---- */

typedef struct program {
    cot_context *ctx;
    const cot_graph *g;
    cot_kernel *k;
    const char *data, *end;     /* of the samples */
} program;

static const char *
open_program(program *p, const char *name)
{
    size_t n = 0;
    char *text = read_file(name, ".cot", &n);
    cot_status s;

    p->ctx = cot_context_new(NULL);
    if (!text || !p->ctx)
        return "its text cannot be read";
    s = cot_parse(p->ctx, name, text, n, NULL, &p->g);
    free(text);
    if (s == COT_OK)
        s = cot_compile_graph(
            p->g, &(cot_compile_options){ .backend = "cuda", .cpu = "sm_80", .name = name },
            &p->k);
    return s == COT_OK ? NULL : cot_error(p->ctx);
}

static void
close_program(program *p)
{
    cot_kernel_free(p->k);
    if (p->ctx)
        cot_context_free(p->ctx);
}

/* The first number that differs, or -1; all NaNs are one. */
static int64_t
differs(const cot_array *want, const cot_array *got)
{
    const ir_type t = { .dtype = cot_array_type(want).dtype };
    const cot_dtype part = ir_part_type(t.dtype);
    const size_t width = cot_dtype_size(part), n = cot_array_bytes(want) / width;
    const char *x = cot_array_read(want), *y = cot_array_read(got);
    const uint64_t exponent = part == COT_F16    ? 0x7c00
                              : part == COT_BF16 ? 0x7f80
                              : part == COT_F32  ? 0x7f800000
                                                 : 0x7ff0000000000000;

    for (size_t i = 0; i < n; i++, x += width, y += width) {
        uint64_t a = 0, b = 0, sign = (uint64_t)1 << (8 * width - 1);

        if (memcmp(x, y, width) == 0)
            continue;
        memcpy(&a, x, width);
        memcpy(&b, y, width);
        if (!ir_is_float(part) || (a & ~sign) <= exponent || (b & ~sign) <= exponent)
            return (int64_t)i;
    }
    return -1;
}

/* ---- a run: arguments in, results out, compared ---- */

typedef struct arrays {
    int n_in, n_out, n_inout;
    cot_array **in, **out, **want;      /* want: results, then new values of in/out arguments */
} arrays;

static cot_array *
from_sample(program *p, const cot_type t)
{
    cot_array *a = cot_array_new(p->ctx, t);

    if (a && cot_array_bytes(a))
        memcpy(cot_array_data(a), p->data, cot_array_bytes(a));
    p->data += a ? cot_array_bytes(a) : 0;
    return a;
}

static arrays
read_sample(program *p)
{
    arrays a = { .n_in = p->g->n_in, .n_inout = p->g->n_inout };

    a.n_out = p->g->n_out - a.n_inout;
    a.in = calloc((size_t)a.n_in + 1, sizeof *a.in);
    a.out = calloc((size_t)a.n_out + 1, sizeof *a.out);
    a.want = calloc((size_t)p->g->n_out + 1, sizeof *a.want);
    for (int i = 0; i < a.n_in; i++)
        a.in[i] = from_sample(p, cot_graph_in_type(p->g, i));
    for (int i = 0; i < p->g->n_out; i++) {
        const ir_type *t = ir_type_at(p->g, p->g->out[i]);

        a.want[i] = from_sample(p, cot_type_new(t->dtype, t->rank, t->dims));
    }
    return a;
}

static void
free_list(cot_array **x, int n)
{
    for (int i = 0; i < n; i++)
        cot_array_free(x[i]);
    free(x);
}

static const char *
compare(const program *p, const arrays *a, cot_array *const *in, cot_array *const *out)
{
    static char text[200];

    for (int i = 0; i < p->g->n_out; i++) {
        const cot_array *x = i < a->n_out ? out[i] : in[p->g->inout[i - a->n_out].arg];
        cot_array *here = cot_array_to(p->ctx, x, "host");
        const int64_t at = here ? differs(a->want[i], here) : 0;

        cot_array_free(here);
        if (!here)
            return cot_error(p->ctx);
        if (at >= 0) {
            snprintf(text, sizeof text, "bits differ: result %d, number %lld", i,
                     (long long)at);
            return text;
        }
    }
    return NULL;
}

static cot_array *
copy_of(const program *p, const cot_array *a, const char *device)
{
    return cot_array_to(p->ctx, a, device);
}

/* ROUNDS times on the same arrays: launches, then a graph, then the graph again. */
static const char *
run_on(const program *p, const arrays *a, const char *device)
{
    cot_array **in = calloc((size_t)a->n_in + 1, sizeof *in),
              **out = calloc((size_t)a->n_out + 1, sizeof *out);
    const char *why = NULL;

    for (int i = 0; i < a->n_in; i++)
        in[i] = copy_of(p, a->in[i], device);
    for (int i = 0; i < a->n_out; i++)
        out[i] = cot_array_new_on(p->ctx, cot_array_type(a->want[i]), device);
    for (int round = 0; round < ROUNDS && !why; round++) {
        for (int i = 0; i < a->n_inout && !why; i++)
            if (cot_array_assign(p->ctx, in[p->g->inout[i].arg], a->in[p->g->inout[i].arg]) !=
                COT_OK)
                why = cot_error(p->ctx);
        if (!why && cot_run(p->k, out, (const cot_array *const *)in) != COT_OK)
            why = cot_error(p->ctx);
        if (!why)
            why = compare(p, a, in, out);
    }
    free_list(in, a->n_in);
    free_list(out, a->n_out);
    return why;
}

static const char *
run_samples(program *p)
{
    const char *why = NULL;

    while (!why && p->data < p->end) {
        arrays a = read_sample(p);

        why = run_on(p, &a, "host");
        if (!why)
            why = run_on(p, &a, "cuda");
        free_list(a.in, a.n_in);
        free_list(a.out, a.n_out);
        free_list(a.want, p->g->n_out);
    }
    return why;
}

/* The message is in the context's memory, which close_program gives back. */
static const char *
kept(const char *why)
{
    static char text[400];

    snprintf(text, sizeof text, "%s", why ? why : "");
    return why ? text : NULL;
}

static const char *
run_program(const char *name)
{
    program p = { 0 };
    size_t n = 0;
    char *file = read_file(name, ".data", &n);
    const char *why = file ? open_program(&p, name) : "its samples cannot be read";

    p.data = file;
    p.end = file + n;
    why = kept(why ? why : run_samples(&p));
    close_program(&p);
    free(file);
    return why;
}

/* ---- programs of the sweeps ---- */

/* The operands and what the reference evaluator makes of them, one behind the other. */
static const char *
draw_sample(program *p, const char *name)
{
    const ir_graph *f = p->g;
    laws_program law;
    void **in, **want;
    size_t size = 0;
    char *at;

    if (!swept_make(p->ctx, name, &law))
        return cot_error(p->ctx);
    in = swept_operands(p->ctx, name, &law);
    if (rt_run_graph(f, &(cot_compile_options){ .backend = "eval" }, in, &want) != COT_OK)
        return laws_free(f->n_in, in), cot_error(p->ctx);
    for (int i = 0; i < f->n_in + f->n_out; i++)
        size += laws_bytes(ir_type_at(f, i < f->n_in ? f->in[i] : f->out[i - f->n_in]));
    p->data = at = ir_alloc(&p->ctx->arena, size + 1);
    p->end = at + size;
    for (int i = 0; i < f->n_in + f->n_out; i++) {
        const bool is_in = i < f->n_in;
        const size_t bytes = laws_bytes(ir_type_at(f, is_in ? f->in[i] : f->out[i - f->n_in]));

        memcpy(at, is_in ? in[i] : want[i - f->n_in], bytes);
        at += bytes;
    }
    laws_free(f->n_in, in);
    return NULL;
}

static const char *
run_swept(const char *name)
{
    program p = { 0 };
    const char *why = open_program(&p, name);

    IR_TRY (p.ctx) {
        if (!why)
            why = draw_sample(&p, name);
    }
    if (!why && !p.data)
        why = cot_error(p.ctx);
    why = kept(why ? why : run_samples(&p));
    close_program(&p);
    return why;
}

/* ---- all of them ---- */

/* A context that stays, so that others come to the same device and leave it. */
static cot_context *
open_device(void)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_array *a = ctx ? cot_array_new_on(ctx, cot_f32(1000), "cuda") : NULL;

    if (!a)
        fprintf(stderr, "runtime: %s\n", ctx ? cot_error(ctx) : "memory is short");
    else
        cot_array_free(a);
    if (a)
        return ctx;
    if (ctx)
        cot_context_free(ctx);
    return NULL;
}

/* The programs of a list by `run`: how many fail, or -1 where there is no list. */
static int
run_list(const char *name, const char *title, const char *(*run)(const char *name))
{
    char line[300], program_name[100];
    int good = 0, bad = 0;
    size_t size = 0;
    char *list = read_file(name, ".txt", &size);

    if (!list)
        return -1;
    for (char *at = list; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        if (sscanf(line, "%99s", program_name) != 1)
            continue;
        const char *why = run(program_name);
        if (why)
            printf("%s: %s\n", line, why);
        good += !why;
        bad += why != NULL;
        fflush(stdout);
    }
    printf("%s: %d pass, %d differ or fail\n", title, good, bad);
    free(list);
    return bad;
}

int
main(int n, char **arg)
{
    cot_context *stays;

    if (n > 1 && strcmp(arg[1], "--help") == 0) {
        printf("usage: runtime [FOLDER]\n");
        return 0;
    }
    folder = n > 1 ? arg[1] : ".";
    if (!(stays = open_device()))
        return 2;
    const int bad = run_list("programs", "runtime", run_program),
              swept = run_list("swept", "sweep", run_swept);
    cot_context_free(stays);
    return bad < 0 || swept < 0 ? 2 : bad + swept > 0;
}
