/* A cond with more branches than its index has numbers: each number chooses its branch, on
 * every back end, mapped or not. */
#include "codegen/backend.h"
#include "cotrace/cotrace.h"
#include "tests/unit/oracle.h"

static const struct {
    cot_dtype type;
    int branches;
} row[] = { { COT_BOOL, 2 },  { COT_BOOL, 5 },  { COT_I8, 128 }, { COT_I8, 129 },
            { COT_I8, 300 },  { COT_I8, 700 },  { COT_U8, 256 }, { COT_U8, 257 },
            { COT_U8, 700 },  { COT_I16, 300 }, { COT_U16, 300 } };
enum { ROWS = (int)(sizeof row / sizeof *row) };

/* Branch k is the square of x + k + 1/2. */
static const cot_graph *
program(int i, const char *pipeline)
{
    const char *const t = cot_dtype_name(row[i].type);
    const cot_graph *g;
    ir_buf b;

    ir_buf_init(&b, &ctx->arena);
    for (int k = 0; k < row[i].branches; k++)
        ir_buf_printf(&b,
                      "fn @b%d(%%x: f32[]) -> f32[] {\n  %%0 = constant {data=%d.5} : f32[]\n"
                      "  %%1 = add %%x, %%0\n  %%2 = mul %%1, %%1\n  ret %%2\n}\n",
                      k, k);
    ir_buf_printf(&b, "fn @f(%%i: %s[], %%x: f32[]) -> f32[] {\n", t);
    ir_buf_str(&b, "  %0 = cond %i, %x {branches=[");
    for (int k = 0; k < row[i].branches; k++)
        ir_buf_printf(&b, "%s@b%d", k ? "," : "", k);
    ir_buf_str(&b, "]}\n  ret %0\n}\n");
    ck_assert_msg(cot_parse(ctx, "f.cot", b.text, b.n, "f", &g) == COT_OK, "%s",
                  cot_error(ctx));
    return pipeline ? piped((const ir_graph *)g, pipeline) : g;
}

enum { MOST = 256 + 4 };

/* Numbers of the type: all of the small ones, some of the others. */
static int
numbers(cot_dtype t, int64_t *x)
{
    const int64_t least = t == COT_I8 ? -128 : t == COT_I16 ? -32768 : 0,
                  most = t == COT_BOOL  ? 1
                         : t == COT_I8  ? 127
                         : t == COT_U8  ? 255
                         : t == COT_I16 ? 32767
                                        : 65535;
    int n = 0;

    for (int64_t i = 0; i <= most && n < 130; i++)
        x[n++] = i;
    x[n++] = most;
    x[n++] = least;
    x[n++] = most / 2 + 1;
    return n;
}

static void
set_indices(cot_array *a, cot_dtype t, const int64_t *x, int n)
{
    for (int i = 0; i < n; i++)
        memcpy((char *)cot_array_data(a) + (size_t)i * cot_dtype_size(t), &x[i],
               cot_dtype_size(t));
}

static float
at(int i, int64_t x)
{
    const int64_t last = row[i].branches - 1;

    return (float)(x < 0 ? 0 : x > last ? last : x) + 0.5f;
}

/* A C compiler takes long; it gets the least number of branches that is too many. */
static const char *
backend(int i)
{
    const bool c = row[i / 2].branches == 5 || row[i / 2].branches % 128 == 1;

    return i % 2 == 0 ? c ? "c" : "eval" : cg_llvm() ? "jit" : "eval";
}

/* At x = 0 the result is the square of the branch's number, its derivative twice that. */
START_TEST(chooses)
{
    const int i = _i / 2;
    const cot_compile_options o = { .backend = backend(_i) };
    const cot_graph *f[2] = { program(i, NULL), program(i, "grad(wrt=[1])") };
    int64_t x[MOST];
    const int n = numbers(row[i].type, x);

    for (int d = 0; d < 2; d++) {
        cot_array *in[] = { cot_array_new(ctx, cot_graph_in_type(f[d], 0)),
                            cot_array_new(ctx, cot_f32()) },
                  *out = cot_array_new(ctx, cot_f32());
        cot_kernel *k;

        ck_assert_msg(cot_compile_graph(f[d], &o, &k) == COT_OK, "%s", cot_error(ctx));
        *(float *)cot_array_data(in[1]) = 0;
        for (int e = 0; e < n; e++) {
            const float y = at(i, x[e]);

            set_indices(in[0], row[i].type, &x[e], 1);
            ck_assert_int_eq(cot_run(k, &out, (const cot_array *const *)in), COT_OK);
            ck_assert_msg(*(float *)cot_array_data(out) == (d ? 2 * y : y * y),
                          "%s of %d branches at %d: %g", cot_dtype_name(row[i].type),
                          row[i].branches, (int)x[e], *(float *)cot_array_data(out));
        }
        cot_kernel_free(k);
        cot_array_free(in[0]);
        cot_array_free(in[1]);
        cot_array_free(out);
    }
}
END_TEST

START_TEST(chooses_for_examples)
{
    const int i = _i / 2;
    const cot_compile_options o = { .backend = backend(_i) };
    int64_t x[MOST];
    const int n = numbers(row[i].type, x);
    char pipeline[64];
    cot_kernel *k;

    snprintf(pipeline, sizeof pipeline, "vmap(in=[0,none], size=%d)", n);
    const cot_graph *f = program(i, pipeline);
    cot_array *in[] = { cot_array_new(ctx, cot_graph_in_type(f, 0)),
                        cot_array_new(ctx, cot_f32()) },
              *out = cot_array_new(ctx, cot_f32(n));
    ck_assert_msg(cot_compile_graph(f, &o, &k) == COT_OK, "%s", cot_error(ctx));
    *(float *)cot_array_data(in[1]) = 0;
    set_indices(in[0], row[i].type, x, n);
    ck_assert_int_eq(cot_run(k, &out, (const cot_array *const *)in), COT_OK);
    for (int e = 0; e < n; e++) {
        const float y = at(i, x[e]);

        ck_assert_msg(((float *)cot_array_data(out))[e] == y * y, "%s of %d branches at %d: %g",
                      cot_dtype_name(row[i].type), row[i].branches, (int)x[e],
                      ((float *)cot_array_data(out))[e]);
    }
    cot_kernel_free(k);
    cot_array_free(in[0]);
    cot_array_free(in[1]);
    cot_array_free(out);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = { EACH(chooses, 2 * ROWS),
                                 EACH(chooses_for_examples, 2 * ROWS) };

    return SUITE_WITH("branches", cases, suite_begin, suite_end);
}
