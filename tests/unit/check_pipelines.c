/* Pipelines: what their text may say, options, integers and aux, halves, dumps. */
#include <math.h>
#include <stdio.h>

#include "transformed.h"

/* What a user can get wrong, and what is said. */
static const struct {
    const char *pipeline;
    cot_status status;
    const char *says;
} wrong[] = {
    { "jvp(wrt=[4])", COT_ERR_ARG, "wrt names argument 4 of f, which has 3" },
    { "jvp(wrt=[-4])", COT_ERR_ARG, "wrt names argument -4" },
    { "jvp(wrt=[0,-3])", COT_ERR_ARG, "names argument 0 (x) twice" },
    { "jvp(wrt=[2])", COT_ERR_DTYPE, "argument 2 (k) of f is i32" },
    { "grad(aux=3)", COT_ERR_ARG, "aux is 3; f has 2 outputs" },
    { "grad", COT_ERR_ARG, "f has 2 outputs besides aux; wants 1" },
    { "grad(aux=1)", COT_ERR_SHAPE, "output of f is f64[2]; wants a floating scalar" },
    { "gard", COT_ERR_ARG, "no pass is called `gard`; the passes: grad," },
    { "grad(randomness=same)", COT_ERR_ARG,
      "has no option `randomness`; its options: wrt, aux" },
    { "grad(wrt=[0)", COT_ERR_ARG, "wants `,` or `]`" },
    { "grad(wrt=[0]", COT_ERR_ARG, "wants `,` or `)`" },
    { "grad(aux=1, aux=1)", COT_ERR_ARG, "given twice" },
    { "grad(aux=-1)", COT_ERR_ARG, "out of range" },
    { "dce dce", COT_ERR_ARG, "wants `|`" },
    { "dce |", COT_ERR_ARG, "a pass is missing; wants its name, as in `grad | vmap`" },
    { "vmap(randomness=often)", COT_ERR_ARG,
      "found `often`; wants one of error, different, same" },
    { "vmap(size=-1)", COT_ERR_ARG, "wants 0 or more" },
    { "vmap(chunk=0)", COT_ERR_ARG, "wants 1 or more" },
};

START_TEST(errors_say_what_is_wanted)
{
    const ir_graph *f =
        parsed("fn @f(%x: f64[2], %y: f64[2], %k: i32[2]) -> (f64[2], i32[2]) {\n"
               " %0 = mul %x, %y : f64[2]\n ret %0, %k\n}\n");
    ir_graph *g;
    ck_assert_int_eq(pass_pipeline(f, wrong[_i].pipeline, NULL, NULL, &g), wrong[_i].status);
    ck_assert_msg(strstr(cot_error(ctx), wrong[_i].says) != NULL, "%s: %s", wrong[_i].pipeline,
                  cot_error(ctx));
}
END_TEST

/* Options reach the steps as written. */
START_TEST(pipelines_parse)
{
    const pass_step *s;
    int n;
    ck_assert_int_eq(
        pass_parse(ctx, 0,
                   " grad ( wrt = [ 0 , -1 ], aux=1) |vmap(in=[none,0,-2],out=1,size=7,axis=b)",
                   &n, &s),
        COT_OK);
    ck_assert_int_eq(n, 2);
    ck_assert_str_eq(s[0].row->name, "grad");
    ck_assert_int_eq(s[0].options.wrt.n, 2);
    ck_assert_int_eq(s[0].options.wrt.arg[1], -1);
    ck_assert_int_eq(s[0].options.aux, 1);
    ck_assert(!s[1].options.vmap.in.one && s[1].options.vmap.out.one);
    ck_assert(s[1].options.vmap.in.at[0] == PASS_NO_AXIS && s[1].options.vmap.in.at[2] == -2);
    ck_assert_int_eq(s[1].options.vmap.out.at[0], 1);
    ck_assert_int_eq(s[1].options.vmap.size, 7);
    ck_assert_str_eq(s[1].options.vmap.axis_name, "b");
    ck_assert_int_eq(pass_parse(ctx, 0, "  ", &n, &s), COT_OK);
    ck_assert_int_eq(n, 0);
}
END_TEST

/* Arguments and results of the table in docs: integers have no tangent, aux comes last. */
START_TEST(integers_and_aux)
{
    const ir_graph *f =
        parsed("fn @f(%x: f64[], %k: i32[], %w: f64[]) -> (f64[], i32[], f64[]) {\n"
               " %0 = mul %x, %w : f64[]\n %1 = sin %w : f64[]\n ret %0, %k, %1\n}\n");
    static const struct {
        const char *pipeline;
        int in, out;
    } row[] = {
        { "jvp", 5, 5 },
        { "jvp(aux=1)", 5, 4 },
        { "jvp(wrt=[-1], aux=2)", 4, 4 },
        { "vjp", 5, 5 },
        { "vjp(wrt=[2],aux=1)", 4, 4 },
        { "grad(aux=2)", 3, 3 },
        { "grad_and_value(wrt=[0,2],aux=2)", 3, 5 },
        { "linearize", 5, 5 },
        { "linearize(wrt=[0])", 4, 5 },
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const ir_graph *g = after(f, row[i].pipeline);
        ck_assert_msg(g->n_in == row[i].in && g->n_out == row[i].out, "%s\n%s", row[i].pipeline,
                      printed(g));
    }
}
END_TEST

/* The halves: what the first saves, the second takes, and together they are vjp. */
START_TEST(halves_fit)
{
    const ir_graph *f =
        parsed("fn @f(%x: f64[3], %y: f64[]) -> f64[3] {\n"
               " %0 = broadcast_in_dim %y {shape=[3], dims=[]} : f64[3]\n"
               " %1 = sin %x : f64[3]\n %2 = mul %1, %0 : f64[3]\n ret %2\n}\n");
    ir_graph *fwd, *bwd;
    ck_assert_int_eq(pass_vjp_halves(f, NULL, 0, &fwd, &bwd), COT_OK);
    ck_assert_int_eq(fwd->n_out - f->n_out, bwd->n_in - 1);
    vals *x = random_vals(2, f, f->in, 1, -1, 1), *ct = random_vals(1, f, f->out, 2, -1, 1);
    vals *y = run(fwd, x), *res = calloc(1, sizeof *res);
    for (int i = f->n_out; i < y->n; i++) {
        memcpy(res->v[res->n], y->v[i], sizeof y->v[i]);
        res->size[res->n++] = y->size[i];
        ck_assert_msg(y->size[i] != 3 || ir_type_at(fwd, fwd->out[i])->rank == 1,
                      "saved twice");
    }
    vals *in = joined(res, ct), *dx = run(bwd, in), *both = joined(x, ct),
         *want = run(after(f, "vjp"), both);
    for (int i = 0; i < 2; i++)
        ck_assert_mem_eq(dx->v[i], want->v[1 + i], sizeof(double) * (size_t)dx->size[i]);
    free(x), free(ct), free(y), free(res), free(in), free(dx), free(both), free(want);
}
END_TEST

/* Dumps are numbered files named after the function and the stage, and they parse. */
START_TEST(dumps_parse_back)
{
    char dir[] = "/tmp/cot_dump_XXXXXX", path[64];
    ck_assert_ptr_nonnull(mkdtemp(dir));
    cot_context *c = cot_context_new(
        &(cot_options){ .dump = "grad,dce,jvp", .dump_dir = dir, .dump_fn = "f" });
    const char *text = "fn @f(%x: f64[]) -> f64[] {\n %0 = mul %x, %x : f64[]\n ret %0\n}\n";
    ir_module m;
    ir_graph *g;
    ck_assert_int_eq(ir_parse(c, "test", text, strlen(text), &m), COT_OK);
    ck_assert_int_eq(pass_pipeline(m.fn[0], "grad | simplify | dce", NULL, NULL, &g), COT_OK);
    static const char *const file[] = { "f.00.grad.cot", "f.01.dce.cot" };
    for (int i = 0; i < 2; i++) {
        char buffer[1024];
        snprintf(path, sizeof path, "%s/%s", dir, file[i]);
        FILE *in = fopen(path, "r");
        ck_assert_msg(in != NULL, "%s is missing", path);
        const size_t n = fread(buffer, 1, sizeof buffer - 1, in);
        buffer[n] = '\0';
        fclose(in);
        remove(path);
        if (i == 1)
            ck_assert_str_eq(buffer, "; dce: unchanged\n");
        else
            ck_assert_msg(ir_parse(c, path, buffer, n, &m) == COT_OK, "%s", cot_error(c));
    }
    remove(dir);
    cot_context_free(c);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(errors_say_what_is_wanted, sizeof wrong / sizeof wrong[0]),
        ONCE(pipelines_parse),
        ONCE(integers_and_aux),
        ONCE(halves_fit),
        ONCE(dumps_parse_back),
    };

    return SUITE("pipelines", cases);
}
