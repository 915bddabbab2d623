/* Under feenableexcept a kernel raises what its elements raise: lanes behind the end of a row
 * divide as an element of it does. */
#define _GNU_SOURCE 1
#include <fenv.h>

#include "cotrace/cotrace.h"
#include "tests/unit/suite.h"

enum { LONGEST = 70, TRAPS = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW };

/* One for each number, of x above 0. */
static cot_value
quotient(cot_value x, int which)
{
    switch (which) {
    case 0: return cot_div(1.0, x);
    case 1: return cot_div(x, cot_log(cot_add(x, 1.0)));
    case 2: return cot_rsqrt(x);
    case 3: return cot_div(1.0, cot_reverse(x, .axes = COT_LIST(0)));
    case 4: return cot_div(x, cot_sub(cot_mul(x, 3.0), x));
    default: return cot_tanh(cot_div(1.0, x));
    }
}
enum { QUOTIENTS = 6 };

static void
body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = quotient(in[0], *(const int *)user);
}

static const struct {
    const char *backend;
    cot_dtype dtype;
    int bits;
} row[] = {
    { "jit", COT_F32, 0 }, { "jit", COT_F64, 0 },  { "jit", COT_F32, 128 },
    { "jit", COT_F64, 256 }, { "jit", COT_F16, 0 }, { "c", COT_F32, 0 },
    { "c", COT_F64, 0 },
};

static void
put(cot_array *a, cot_dtype t, int i, double x)
{
    void *p = cot_array_data(a);

    if (t == COT_F64)
        ((double *)p)[i] = x;
    else if (t == COT_F32)
        ((float *)p)[i] = (float)x;
    else
        ((uint16_t *)p)[i] = 0x3c00; /* 1 */
}

static void
run(int i, int which, int n)
{
    cot_context *c = cot_context_new(NULL);
    const cot_type t = cot_type_new(row[i].dtype, 1, &(int64_t){ n });
    cot_array *x = cot_array_new(c, t), *y;
    cot_kernel *k;
    const cot_status s = cot_compile(
        cot_fn_new(c, "f", body, 1, 1, &which), COT_TYPES(t),
        &(cot_compile_options){ .backend = row[i].backend, .vector_bits = row[i].bits }, &k);

    if (s == COT_ERR_TARGET) { /* built without it */
        cot_array_free(x);
        cot_context_free(c);
        return;
    }
    ck_assert_msg(s == COT_OK, "%s", cot_error(c));
    for (int j = 0; j < n; j++)
        put(x, row[i].dtype, j, 1 + j);
    y = cot_array_new(c, cot_graph_out_type(cot_kernel_graph(k), 0));
    feclearexcept(FE_ALL_EXCEPT);
    const cot_status done = cot_run(k, &y, (const cot_array *[]){ x });
    const int raised = fetestexcept(TRAPS);
    ck_assert_int_eq(done, COT_OK);
    ck_assert_msg(
        raised == 0, "%s, %d bits, quotient %d, length %d: raises %s%s%s", row[i].backend,
        row[i].bits, which, n, raised & FE_DIVBYZERO ? "divbyzero " : "",
        raised & FE_INVALID ? "invalid " : "", raised & FE_OVERFLOW ? "overflow" : "");
    cot_array_free(y);
    cot_kernel_free(k);
    cot_array_free(x);
    cot_context_free(c);
}

START_TEST(lanes_that_are_not_there_raise_nothing)
{
    static const int sizes[] = { 3, 2, 7, 13, 1, 33, LONGEST };
    const bool c = strcmp(row[_i].backend, "c") == 0; /* which takes a second for each */

    for (int which = 0; which < QUOTIENTS; which += c ? 3 : 1)
        for (size_t i = 0; i < (c ? 2 : sizeof sizes / sizeof *sizes); i++)
            run(_i, which, sizes[i]);
}
END_TEST

static void
sum_of_inverses(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_reduce_sum(cot_div(1.0, in[0]));
}

/* With the context's option, cot_jit's kernels as well: the last block of a reduction is what
 * raises without it. */
START_TEST(contexts_have_the_option)
{
    for (int n = 1; n < LONGEST; n++) {
        cot_context *c = cot_context_new(&(cot_options){ .trapping_math = 1 });
        cot_array *x = cot_array_new(c, cot_f32(n)), *y = NULL;
        for (int i = 0; i < n; i++)
            put(x, COT_F32, i, 1 + i);
        cot_fn *f = cot_fn_new(c, "f", sum_of_inverses, 1, 1, NULL);
        ck_assert_int_eq(cot_jit(f, &y, 1, (const cot_array *[]){ x }, 1), COT_OK);
        feclearexcept(FE_ALL_EXCEPT);
        feenableexcept(TRAPS);
        const cot_status s = cot_jit(f, &y, 1, (const cot_array *[]){ x }, 1);
        fedisableexcept(TRAPS);
        ck_assert_int_eq(s, COT_OK);
        cot_array_free(x);
        cot_array_free(y);
        cot_context_free(c);
    }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(lanes_that_are_not_there_raise_nothing, sizeof row / sizeof *row),
        ONCE(contexts_have_the_option),
    };

    return SUITE("traps", cases);
}
