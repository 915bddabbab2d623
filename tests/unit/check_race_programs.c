/* Whole programs whose loops are shared by threads: the verifier proves of what lowering makes
 * of them that iterations are apart, and where the accesses are too many to compare, the loop
 * runs serially.  check_races.c has single loops, built by hand. */
#include "codegen/lower.h"
#include "codegen/verify/bounds.h"
#include "passes/pass.h"
#include "tests/unit/suite.h"

static ir_arena arena;

static void
setup(void)
{
    suite_begin();
    ir_arena_init(&arena, ctx);
}

static void
teardown(void)
{
    ir_arena_free(&arena);
    suite_end();
}

static cg_module *
lowered_of(const char *source, int vector_bits)
{
    const cg_target target = { .vector_bits = vector_bits,
                               .registers = 16,
                               .l1 = 32 << 10,
                               .l2 = 512 << 10,
                               .l3 = 8 << 20 };
    const cg_lower_options o = { .target = &target, .threads = 4, .fuse = true };
    cg_module *lowered;
    ir_module parsed;
    ir_graph *f;

    ck_assert_int_eq(ir_parse(ctx, "test", source, strlen(source), &parsed), COT_OK);
    ck_assert_int_eq(pass_prepare(parsed.fn[0], &f), COT_OK);
    return cg_lower(f, &o, &arena, &lowered) == COT_OK ? lowered : NULL;
}

/* y[i] is the sum of x[i] ... x[i + n - 1], in SUMS sums that run beside each other, so that no
 * place has few enough values to cut the computation into kernels: more accesses than the proof
 * compares. */
static const char *
window_of(int n)
{
    enum { SUMS = 12 };
    ir_buf t;
    int sum[SUMS], made = 0;

    ir_buf_init(&t, &arena);
    ir_buf_printf(&t, "fn @f(%%x: f32[%d]) -> f32[65537] {\n", 65536 + n);
    for (int i = 0; i < n + SUMS - 1; i++) {
        const int k = i % SUMS, term = i < n ? made++ : sum[(i - n) + 1];
        if (i < n)
            ir_buf_printf(
                &t, "  %%%d = slice %%x {start=[%d], limit=[%d], stride=[1]} : f32[65537]\n",
                term, i, i + 65537);
        const int to = i < n ? k : 0;
        if (i >= SUMS)
            ir_buf_printf(&t, "  %%%d = add %%%d, %%%d : f32[65537]\n", made, sum[to], term);
        sum[to] = i >= SUMS ? made++ : term;
    }
    ir_buf_printf(&t, "  ret %%%d\n}\n", sum[0]);
    return t.text;
}

START_TEST(program_of_many_accesses)
{
    const char *source = window_of(4200);
    const cg_module *x = lowered_of(source, 128);

    ck_assert_msg(x != NULL, "%s", cot_error(ctx));
    ck_assert_int_eq(x->n_serial, 1);
    ck_assert(!x->parallel);
    ck_assert_ptr_nonnull(strstr(x->why, "runs serially"));
    ctx->config.verify = 2;
    ck_assert_ptr_null(lowered_of(source, 128));
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "not proved to access different elements"));
}
END_TEST

/* What does not fill a vector, or a square, of a loop that threads share. */
static const char *const text[] = {
    "fn @f(%x: f32[65537]) -> f32[65537] {\n"
    "  %0 = tanh %x : f32[65537]\n"
    "  ret %0\n"
    "}\n",
    "fn @f(%x: f32[1027,1025]) -> f32[1025,1027] {\n"
    "  %0 = transpose %x {perm=[1,0]} : f32[1025,1027]\n"
    "  ret %0\n"
    "}\n",
    "fn @f(%x: f32[40003,17]) -> f32[40003,17] {\n"
    "  %0 = reduce_max %x {axes=[1]} : f32[40003]\n"
    "  %1 = broadcast_in_dim %0 {shape=[40003,17], dims=[0]} : f32[40003,17]\n"
    "  %2 = sub %x, %1 : f32[40003,17]\n"
    "  %3 = exp %2 : f32[40003,17]\n"
    "  %4 = reduce_sum %3 {axes=[1]} : f32[40003]\n"
    "  %5 = broadcast_in_dim %4 {shape=[40003,17], dims=[0]} : f32[40003,17]\n"
    "  %6 = div %3, %5 : f32[40003,17]\n"
    "  ret %6\n"
    "}\n",
    /* one iteration alone reaches the last block, which is not whole */
    "fn @f(%x: f32[300000]) -> (f32[300000], f32[]) {\n"
    "  %0 = exp %x : f32[300000]\n"
    "  %1 = reduce_sum %0 {axes=[0]} : f32[]\n"
    "  ret %0, %1\n"
    "}\n",
    /* and its elements are digits of rows and columns */
    "fn @f(%x: f32[300,500]) -> (f32[300,500], f32[]) {\n"
    "  %0 = exp %x : f32[300,500]\n"
    "  %1 = reduce_sum %0 {axes=[0,1]} : f32[]\n"
    "  ret %0, %1\n"
    "}\n",
    /* sums of whole blocks and of the last one are two ranges, which one loop reads */
    "fn @f(%x: f32[41120,3]) -> f32[41120,3] {\n"
    "  %0 = cumsum %x {axis=0} : f32[41120,3]\n"
    "  ret %0\n"
    "}\n",
    "fn @f(%x: i32[3,41290]) -> i32[3,41290] {\n"
    "  %0 = cumprod %x {axis=1, reverse=true} : i32[3,41290]\n"
    "  ret %0\n"
    "}\n",
    /* runs of the blocks of one line, whose totals and results are shared */
    "fn @f(%x: f64[1100000]) -> f64[1100000] {\n"
    "  %0 = cumsum %x {axis=0} : f64[1100000]\n"
    "  ret %0\n"
    "}\n",
};
enum { TEXTS = sizeof text / sizeof *text };

static const int bits[] = { 32, 256 };
enum { WIDTHS = sizeof bits / sizeof *bits };

START_TEST(threads_store_independently)
{
    const cg_module *lowered = lowered_of(text[_i / WIDTHS], bits[_i % WIDTHS]);
    cg_bounds_report r = { 0 };

    ck_assert_msg(lowered != NULL, "%s", cot_error(ctx));
    cg_bounds_of(lowered, &arena, &r);
    ck_assert_int_gt(r.race.proved, 0);
    ck_assert_int_eq(r.race.open, 0);
    ck_assert_int_eq(lowered->n_serial, 0);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(program_of_many_accesses),
        EACH(threads_store_independently, TEXTS * WIDTHS),
    };

    return SUITE_WITH("race_programs", cases, setup, teardown);
}
