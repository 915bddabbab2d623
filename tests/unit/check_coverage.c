/* Reductions built by hand: the verifier takes those that have each of their elements once, and
 * refuses the others, among them the inner product that added its last step in every block.
 *
 * A case builds the kernel `main` of x: f32[N] and y: f32[1], in the order of all sums: a tree
 * over blocks of 512, a fold over 32 lanes, a carry over steps, and a last step that only some
 * lanes have. */
#include "codegen/verify/coverage.h"
#include "tests/unit/suite.h"

enum { LANES = 32, BLOCK = 512 };

/* What is wrong with a kernel. */
typedef enum fault {
    RIGHT,
    NO_LAST_STEP,
    LAST_STEP_IN_EVERY_BLOCK,
    STEP_TWICE,
    WRONG_STRIDE,
    ONE_STEP_LESS,
    LANES_NOT_LIMITED
} fault;

static ir_arena arena;
static cg_module *m;
static cg_build b;
static uint32_t x, y, sum;

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

static cg_val
number(int64_t i)
{
    return cg_i64(&b, i);
}

static void
begin(int64_t n)
{
    m = cg_module_new(ctx, &arena, "test");
    cg_kernel *k = cg_kernel_new(m, "main");
    cg_begin(&b, k);
    x = cg_buffer_add(k, "x", COT_F32, CG_IN, 4 * n + BLOCK);
    y = cg_buffer_add(k, "y", COT_F32, CG_OUT, 1);
}

/* Element block + lane + apart step + k, where `when` holds. */
static cg_val
element(cg_val block, cg_val lane, cg_val step, int64_t stride, int64_t k, cg_val when)
{
    const cg_take_term term[3] = { { block, BLOCK }, { lane, 1 }, { step, stride } };
    const cg_take take = { .reduction = sum, .when = when, .k = k, .n = 3, .term = term };

    cg_take_element(&b, take);
    cg_val at = cg_iadd(&b, cg_imul(&b, block, BLOCK), lane);
    return cg_load(&b, x, cg_iadd(&b, cg_iadd(&b, at, cg_imul(&b, step, stride)), number(k)),
                   when);
}

static cg_val
plus(cg_val s, cg_val t)
{
    return cg_insn2(&b, SC_add, COT_F32, s, t);
}

/* `count` steps of 32 elements from the block's first on. */
static cg_val
steps(cg_val block, cg_val lane, cg_val count, fault f)
{
    cg_val loop = cg_loop_begin(&b, CG_SERIAL, number(0), count, 1, 0);
    cg_val t = cg_loop_var(&b, loop),
           acc = cg_loop_carry(&b, loop, COT_F32, cg_neutral(&b, SC_add, COT_F32));
    cg_val next = plus(acc, element(block, lane, t, f == WRONG_STRIDE ? 31 : 32, 0, 0));
    if (f == STEP_TWICE)
        next = plus(next, element(block, lane, t, 32, 0, 0));
    cg_loop_next(&b, loop, acc, next);
    cg_loop_end(&b, loop);
    return cg_loop_result(&b, loop, 0);
}

/* The last step of n elements, which begins at a multiple of 32. */
static cg_val
last_step(cg_val block, cg_val lane, cg_val acc, int64_t n, fault f)
{
    const int64_t from = n - n % LANES;
    const cg_val zero = number(0), last = number(n / BLOCK);

    if (n % LANES == 0 || f == NO_LAST_STEP)
        return acc;
    cg_val when = cg_insn2(&b, SC_lt, COT_I64, lane, number(n % LANES));
    if (f == LANES_NOT_LIMITED)
        when = 0;
    if (f != LAST_STEP_IN_EVERY_BLOCK) {
        cg_val here = cg_insn2(&b, SC_eq, COT_I64, block, last);
        when = when ? cg_insn2(&b, SC_and, COT_BOOL, when, here) : here;
    }
    cg_val e = element(zero, lane, zero, 0, from, when);
    return when ? cg_insn3(&b, SC_select, COT_F32, when, plus(acc, e), acc) : plus(acc, e);
}

static void
build(int64_t n, fault f)
{
    begin(n);
    sum = cg_reduction_new(&b, n, 0, 1);
    const cg_val blocks = number((n + BLOCK - 1) / BLOCK);
    cg_val tree = cg_loop_begin(&b, CG_SERIAL, number(0), blocks, 1, 0);
    const cg_val block = cg_loop_var(&b, tree);
    cg_val left = cg_isub(&b, number(n / LANES - (f == ONE_STEP_LESS)),
                          cg_imul(&b, block, BLOCK / LANES));
    cg_val fold = cg_loop_begin(&b, CG_VECTOR, number(0), number(LANES), 1, 0);
    const cg_val lane = cg_loop_var(&b, fold);
    cg_val acc = steps(block, lane, cg_imin(&b, left, number(BLOCK / LANES)), f);
    acc = last_step(block, lane, acc, n, f);
    cg_loop_reduce(&b, fold, CG_FOLD, SC_add, COT_F32, acc);
    cg_loop_end(&b, fold);
    cg_loop_reduce(&b, tree, CG_TREE, SC_add, COT_F32, cg_loop_result(&b, fold, 0));
    cg_loop_end(&b, tree);
    cg_store(&b, y, number(0), cg_loop_result(&b, tree, 0), 0);
}

static const int64_t sizes[] = { 1, 31, 32, 33, 1024, 1055, 1056, 1057, 1569, 3 * 512 + 31 };
enum { SIZES = sizeof sizes / sizeof *sizes, FIRST = 511, LAST = 545 };

static void
want_proved(int64_t n)
{
    cg_coverage_report r = { 0 };

    build(n, RIGHT);
    ck_assert_msg(cg_verify(m) == COT_OK, "%lld: %s", (long long)n, cot_error(ctx));
    cg_coverage_of(m, &arena, &r);
    ck_assert_int_eq(r.proved, 1);
    ck_assert_int_eq(r.elements, n);
}

static void
want_refused(int64_t n, fault f, const char *what)
{
    build(n, f);
    ck_assert_msg(cg_verify(m) == COT_ERR_INTERNAL, "%lld, fault %d is taken", (long long)n, f);
    ck_assert_msg(strstr(cot_error(ctx), what) != NULL, "%s", cot_error(ctx));
    cot_error_clear(ctx);
}

START_TEST(each_element_once)
{
    want_proved(sizes[_i]);
}
END_TEST

START_TEST(around_a_block)
{
    want_proved(FIRST + _i);
}
END_TEST

/* Its text was, of 513 elements: serial b in 0..2 { n = 16 - 16 b; vector l in 0..32 { serial t
 * in 0..n { element 512 b + l + 32 t }; element 512 + l where l < 1 } }. */
START_TEST(last_step_of_every_block)
{
    want_refused(513, LAST_STEP_IN_EVERY_BLOCK, "element 512 is taken twice");
    want_refused(1055, LAST_STEP_IN_EVERY_BLOCK, "element 1024 is taken twice");
    want_refused(545, LAST_STEP_IN_EVERY_BLOCK, "element 544 is taken twice");
}
END_TEST

START_TEST(faults)
{
    want_refused(513, NO_LAST_STEP, "element 512 is not taken");
    want_refused(31, NO_LAST_STEP, "element 0 is not taken");
    want_refused(1024, STEP_TWICE, "is taken twice");
    want_refused(64, WRONG_STRIDE, "element 31 is taken twice");
    want_refused(1024, ONE_STEP_LESS, "element 992 is not taken");
    want_refused(545, LANES_NOT_LIMITED, "element 545 is taken, but does not exist");
}
END_TEST

/* This text asks in each block whether it is the last.  What takes too many steps is counted,
 * and not refused. */
START_TEST(large)
{
    cg_coverage_report r = { 0 };

    want_proved((1 << 20) + 31);
    want_refused((1 << 20) + 31, NO_LAST_STEP, "element 1048576 is not taken");
    want_proved(1 << 28);
    build((1 << 26) + 31, RIGHT);
    cg_coverage_of(m, &arena, &r);
    ck_assert_int_eq(r.large, 1);
    ck_assert_ptr_null(r.why);
}
END_TEST

/* Blocks take `extent` of 130 rows each, from multiples of `stride` on, of each of 3
 * columns. */
static const char *
of_tiles(int64_t blocks, int64_t stride, int64_t extent)
{
    cg_coverage_report r = { 0 };

    begin(1);
    sum = cg_reduction_new(&b, 3 * 130, 0, 1);
    cg_val grid = cg_loop_begin(&b, CG_SERIAL, number(0), number(3 * blocks), 1, 0);
    const cg_val i = cg_loop_var(&b, grid), column = cg_imod(&b, i, 3),
                 first = cg_imul(&b, cg_idiv(&b, i, 3), stride);
    const cg_take_term term[] = { { column, 130 }, { first, 1 } };

    cg_take_element(
        &b,
        (cg_take){ .reduction = sum, .n = 2, .term = term, .extent = extent, .limit = 130 });
    cg_loop_end(&b, grid);
    cg_coverage_of(m, &arena, &r);
    ck_assert_int_eq(r.proved + r.refuted, 1);
    return r.why ? r.why : "";
}

START_TEST(tiles)
{
    ck_assert_str_eq(of_tiles(3, 64, 64), "");
    ck_assert_str_eq(of_tiles(4, 64, 64), "");
    ck_assert_str_eq(of_tiles(2, 65, 65), "");
    ck_assert_ptr_nonnull(strstr(of_tiles(2, 64, 64), "element 128 is not taken"));
    ck_assert_ptr_nonnull(strstr(of_tiles(3, 64, 63), "element 63 is not taken"));
    ck_assert_ptr_nonnull(strstr(of_tiles(3, 64, 65), "element 64 is taken twice"));
}
END_TEST

/* A number that comes from memory is not known. */
START_TEST(number_from_memory)
{
    begin(1);
    sum = cg_reduction_new(&b, 1, 0, 1);
    const uint32_t at = cg_buffer_add(b.k, "at", COT_I64, CG_IN, 1);
    const cg_val i = cg_load(&b, at, number(0), 0);
    const cg_take_term term[1] = { { i, 1 } };

    cg_take_element(&b, (cg_take){ .reduction = sum, .n = 1, .term = term });
    ck_assert_int_eq(cg_verify(m), COT_ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "not every element is proved"));
}
END_TEST

START_TEST(no_reduction)
{
    begin(1);
    cg_take_element(&b, (cg_take){ .reduction = 0 });
    ck_assert_int_eq(cg_verify(m), COT_ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "by no reduction"));
}
END_TEST

/* Parts that each run makes alone: together they have each element once. */
static void
build_parts(int64_t n, int64_t parts)
{
    begin(n);
    const cg_val zero = number(0);
    cg_val grid = cg_loop_begin(&b, CG_SERIAL, zero, number(6), 1, 0);
    const cg_val part = cg_imod(&b, cg_loop_var(&b, grid), 3);
    cg_val outer = cg_loop_begin(&b, CG_SERIAL, zero, number(1), 1, 0);

    sum = cg_reduction_new(&b, n, part, parts);
    cg_val loop = cg_loop_begin(&b, CG_SERIAL, zero, number(BLOCK), 1, 0);
    cg_val e = element(part, cg_loop_var(&b, loop), zero, 0, 0, 0);
    cg_loop_reduce(&b, loop, CG_TREE, SC_add, COT_F32, e);
    cg_loop_end(&b, loop);
    cg_store(&b, y, zero, cg_loop_result(&b, loop, 0), 0);
    cg_loop_end(&b, outer);
    cg_loop_end(&b, grid);
}

START_TEST(parts)
{
    cg_coverage_report r = { 0 };

    build_parts(3 * BLOCK, 3);
    cg_coverage_of(m, &arena, &r);
    ck_assert_int_eq(r.proved, 1);
    build_parts(3 * BLOCK, 2);
    cg_coverage_of(m, &arena, &r);
    ck_assert_int_eq(r.refuted, 1);
    ck_assert_ptr_nonnull(strstr(r.why, "element 1024 is not taken"));
}
END_TEST

/* A chain over blocks of 256 k's within a tile: the reduction is split by the loop over
 * blocks. */
static void
build_blocks(int64_t n, int64_t until)
{
    begin(n);
    const cg_val zero = number(0), all = number(n);
    cg_val blocks = cg_loop_begin(&b, CG_SERIAL, zero, number(until), 256, 0);
    const cg_val k0 = cg_loop_var(&b, blocks),
                 end = cg_imin(&b, cg_iadd(&b, k0, number(256)), all);
    cg_val rows = cg_loop_begin(&b, CG_UNROLL, zero, number(4), 1, 0);

    sum = cg_reduction_new(&b, n, k0, 1);
    cg_val chain = cg_loop_begin(&b, CG_SERIAL, k0, end, 1, 0);
    const cg_val k = cg_loop_var(&b, chain);
    cg_val acc = cg_loop_carry(&b, chain, COT_F32, cg_const(&b, COT_F32, 0));
    cg_take_value(&b, sum, k, 0);
    cg_loop_next(&b, chain, acc, plus(acc, cg_load(&b, x, k, 0)));
    cg_loop_end(&b, chain);
    cg_store(&b, y, zero, cg_loop_result(&b, chain, 0), 0);
    cg_loop_end(&b, rows);
    cg_loop_end(&b, blocks);
}

START_TEST(blocks_of_a_tile)
{
    const int64_t n[] = { 1, 255, 256, 257, 512, 1000 };

    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        cg_coverage_report r = { 0 };
        build_blocks(n[i], n[i]);
        cg_coverage_of(m, &arena, &r);
        ck_assert_int_eq(r.proved, 1);
    }
    cg_coverage_report r = { 0 };
    build_blocks(1000, 768);
    cg_coverage_of(m, &arena, &r);
    ck_assert_int_eq(r.refuted, 1);
    ck_assert_ptr_nonnull(strstr(r.why, "element 768 is not taken"));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(each_element_once, SIZES),
        EACH(around_a_block, LAST - FIRST + 1),
        ONCE(last_step_of_every_block),
        ONCE(faults),
        ONCE(large),
        ONCE(tiles),
        ONCE(number_from_memory),
        ONCE(no_reduction),
        ONCE(parts),
        ONCE(blocks_of_a_tile),
    };

    return SUITE_WITH("coverage", cases, setup, teardown);
}
