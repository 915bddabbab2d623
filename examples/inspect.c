/* Looking inside: f, vmap(f) and grad(vmap(f)) as graphs, and the kernels they become. */
#include "cotrace/cotrace.h"

/* x [n] -> sum(x sin x) */
static void
f(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_reduce_sum(cot_mul(in[0], cot_sin(in[0])));
}

/* A scalar of the mapped f, so that it has a gradient. */
static void
total(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_reduce_sum(cot_call(user, in[0]));
}

static cot_status
show(cot_fn *g, cot_types types, const char *stage, const char *title)
{
    printf("; ---- %s: %s ----\n", title, stage);
    return cot_dump_fn(g, types, stage, cot_write_file, stdout);
}

static cot_status
run(cot_context *ctx)
{
    cot_fn *one = cot_fn_named(cot_fn_new(ctx, "f", f, 1, 1, NULL), "x", "y");
    cot_fn *many = cot_vmap(one);
    cot_fn *slope =
        cot_grad(cot_fn_named(cot_fn_new(ctx, "total", total, 1, 1, many), "x", "y"));
    cot_types x = COT_TYPES(cot_f32(5)), xs = COT_TYPES(cot_f32(3, 5));

    COT_TRY(show(one, x, "graph", "f"));
    COT_TRY(show(many, xs, "graph", "vmap(f)"));
    COT_TRY(show(slope, xs, "graph", "grad(vmap(f))"));
    COT_TRY(show(slope, xs, "simplify", "grad(vmap(f))"));
    COT_TRY(show(slope, xs, "kernels", "grad(vmap(f))"));
    return COT_OK;
}

int
main(void)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_status status = run(ctx);

    if (status != COT_OK)
        fprintf(stderr, "%s\n", cot_error(ctx));
    cot_context_free(ctx);
    return status != COT_OK;
}
