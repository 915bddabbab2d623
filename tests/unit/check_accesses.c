/* Kernels built by hand that touch what is outside of a buffer: the verifier refuses each, and
 * takes the same kernel with the mistake mended.
 *
 * A case builds the kernel `main` of x: f32[N], i: i32[N] and y: f32[49]; `wrong` asks for the
 * mistake. */
#include "codegen/verify/bounds.h"
#include "tests/unit/verified.h"

static uint32_t x, at, y;

enum { SIZE = 49 };

static void
setup(void)
{
    verified_begin();
    x = cg_buffer_add(k, "x", COT_F32, CG_IN, SIZE);
    at = cg_buffer_add(k, "at", COT_I32, CG_IN, SIZE);
    y = cg_buffer_add(k, "y", COT_F32, CG_OUT, SIZE);
}

static void
copy_element(cg_val i, cg_val when)
{
    cg_store(&b, y, i, cg_load(&b, x, i, when), when);
}

static cg_val
less(cg_val i, int64_t n)
{
    return cg_insn2(&b, SC_lt, COT_I64, i, number(n));
}

/* An integer that is not known. */
static cg_val
loaded(cg_val i)
{
    return cg_cvt(&b, COT_I32, COT_I64, cg_load(&b, at, i, 0));
}

/* -- the kernels --------------------------------------------------------------------------- */

static void
one_too_many(bool wrong)
{
    cg_val i, l = loop_between(CG_SERIAL, number(0), number(SIZE + wrong), 1, 0, &i);

    copy_element(i, 0);
    cg_loop_end(&b, l);
}

static void
one_too_few(bool wrong)
{
    cg_val i, l = loop_between(CG_SERIAL, number(0), number(SIZE), 1, 0, &i);

    copy_element(cg_iadd(&b, i, number(wrong ? -1 : 0)), 0);
    cg_loop_end(&b, l);
}

static void
mask_with_equality(bool wrong)
{
    cg_val i, l = loop_between(CG_SERIAL, number(0), number(64), 1, 0, &i);

    copy_element(i, cg_insn2(&b, wrong ? SC_le : SC_lt, COT_I64, i, number(SIZE)));
    cg_loop_end(&b, l);
}

static void
branch_with_equality(bool wrong)
{
    cg_val i, l = loop_between(CG_SERIAL, number(0), number(64), 1, 0, &i);
    cg_val in = cg_if_begin(&b, cg_insn2(&b, wrong ? SC_le : SC_lt, COT_I64, i, number(SIZE)));

    copy_element(i, 0);
    cg_if_end(&b, in);
    cg_loop_end(&b, l);
}

static void
other_branch(bool wrong)
{
    cg_val i, l = loop_between(CG_SERIAL, number(0), number(64), 1, 0, &i);
    cg_val in = cg_if_begin(&b, cg_insn2(&b, SC_lt, COT_I64, i, number(SIZE)));

    if (!wrong)
        copy_element(i, 0);
    cg_if_else(&b, in);
    if (wrong)
        copy_element(i, 0);
    cg_if_end(&b, in);
    cg_loop_end(&b, l);
}

static void
tail_without_limit(bool wrong)
{
    cg_val i, j, l = loop_between(CG_SERIAL, number(0), number(SIZE), 8, 0, &i);
    cg_val n = cg_insn2(&b, SC_min, COT_I64, number(8), cg_isub(&b, number(SIZE), i));
    cg_val v = loop_between(CG_VECTOR, number(0), number(8), 1, wrong ? 0 : n, &j);

    copy_element(cg_iadd(&b, i, j), 0);
    cg_loop_end(&b, v);
    cg_loop_end(&b, l);
}

static void
wrong_stride(bool wrong)
{
    cg_val i, j, l = loop_between(CG_SERIAL, number(0), number(7), 1, 0, &i);
    cg_val v = loop_between(CG_SERIAL, number(0), number(7), 1, 0, &j);

    copy_element(cg_iadd(&b, cg_imul(&b, i, wrong ? 8 : 7), j), 0);
    cg_loop_end(&b, v);
    cg_loop_end(&b, l);
}

/* Rows of a tile beyond the last of the matrix: an emitter once left out their condition. */
static void
row_of_product(bool wrong)
{
    cg_val i, u, j, v;
    cg_val rows = loop_between(CG_SERIAL, number(0), number(7), 6, 0, &i);
    cg_val tile = loop_between(CG_UNROLL, number(0), number(6), 1, 0, &u);
    cg_val columns = loop_between(CG_UNROLL, number(0), number(2), 1, 0, &j);
    cg_val lanes = loop_between(CG_VECTOR, number(0), number(2), 1, 0, &v);
    cg_val row = cg_iadd(&b, i, u),
           column = cg_iadd(&b, cg_iadd(&b, cg_imul(&b, j, 2), v), number(4));
    cg_val when = less(column, 7);

    if (!wrong)
        when = cg_insn2(&b, SC_and, COT_BOOL, less(row, 7), when);
    cg_store(&b, y, cg_iadd(&b, cg_imul(&b, row, 7), column), cg_const(&b, COT_F32, 0), when);
    cg_loop_end(&b, lanes);
    cg_loop_end(&b, columns);
    cg_loop_end(&b, tile);
    cg_loop_end(&b, rows);
}

/* The blocks of a packed product: 32 k's at a time, the last one shorter. */
static void
last_block(bool wrong)
{
    cg_val i, j, l = loop_between(CG_SERIAL, number(0), number(SIZE), 32, 0, &i);
    cg_val n = cg_insn2(&b, SC_min, COT_I64, number(32),
                        cg_isub(&b, number(wrong ? SIZE + 1 : SIZE), i));
    cg_val inner = loop_between(CG_SERIAL, i, cg_iadd(&b, i, n), 1, 0, &j);

    copy_element(j, 0);
    cg_loop_end(&b, inner);
    cg_loop_end(&b, l);
}

static void
gathered(bool wrong)
{
    cg_val i, l = loop_between(CG_SERIAL, number(0), number(SIZE), 1, 0, &i);
    cg_val j = loaded(i);

    if (!wrong)
        j = cg_insn2(&b, SC_max, COT_I64, j, number(0));
    j = cg_insn2(&b, SC_min, COT_I64, j, number(SIZE - 1));
    cg_store(&b, y, i, cg_load(&b, x, j, 0), 0);
    cg_loop_end(&b, l);
}

static void
scattered(bool wrong)
{
    cg_val i, l = loop_between(CG_SERIAL, number(0), number(SIZE), 1, 0, &i);
    cg_val j = loaded(i);
    cg_val in =
        cg_insn2(&b, SC_and, COT_BOOL, cg_insn2(&b, SC_le, COT_I64, number(wrong ? -1 : 0), j),
                 less(j, SIZE));

    cg_store(&b, y, j, cg_load(&b, x, i, 0), in);
    cg_loop_end(&b, l);
}

static void
divided(bool wrong)
{
    cg_val i, l = loop_between(CG_SERIAL, number(0), number(7 * SIZE), 1, 0, &i);
    cg_val q = cg_insn2(&b, SC_div, COT_I64, i, number(wrong ? 6 : 7));

    copy_element(q, 0);
    cg_loop_end(&b, l);
}

/* 35 floor(k / 5) + k rem 5 of the first 32 k's is at most 214, and 5 r with r < min(7, ...) at
 * most 30: either bound is one of several loops together, and the sum of both ends a buffer of
 * 245. */
static void
two_sums(bool wrong)
{
    const uint32_t z = cg_buffer_add(k, "z", COT_F32, CG_OUT, 245);
    cg_val block, r, i, half, j;
    cg_val blocks = loop_between(CG_SERIAL, number(0), number(2), 1, 0, &block);
    cg_val first = cg_imul(&b, block, 6),
           end = cg_insn2(&b, SC_min, COT_I64, cg_iadd(&b, first, number(6)), number(7));
    cg_val rows = loop_between(CG_SERIAL, first, end, 1, 0, &r),
           tiles = loop_between(CG_SERIAL, number(0), number(3), 1, 0, &i),
           halves = loop_between(CG_UNROLL, number(0), number(2), 1, 0, &half),
           lanes = loop_between(CG_VECTOR, number(0), number(8), 1, 0, &j);
    cg_val at_k = cg_iadd(&b, cg_iadd(&b, cg_imul(&b, i, 16), cg_imul(&b, half, 8)), j),
           digits = cg_iadd(&b, cg_imul(&b, cg_idiv(&b, at_k, 5), 35), cg_imod(&b, at_k, 5));

    cg_store(&b, z, cg_iadd(&b, cg_imul(&b, r, 5), digits), cg_const(&b, COT_F32, 0),
             less(i, wrong ? 3 : 2));
    cg_loop_end(&b, lanes);
    cg_loop_end(&b, halves);
    cg_loop_end(&b, tiles);
    cg_loop_end(&b, rows);
    cg_loop_end(&b, blocks);
}

static void
copied(bool wrong)
{
    cg_copy(&b, y, number(9), x, number(0), 4 * (wrong ? 41 : 40));
}

/* Rows of a batch, each by a call: the offset of the last and its elements end the buffer. */
static void
called(bool wrong)
{
    cg_kernel *row = cg_kernel_new(m, "row");
    const uint32_t out = cg_buffer_add(row, "y", COT_F32, CG_OUT, 7);
    cg_build inner;
    cg_val i;

    cg_begin(&inner, row);
    cg_store(&inner, out, cg_i64(&inner, 6), cg_const(&inner, COT_F32, 0), 0);
    cg_val l = loop_between(CG_SERIAL, number(0), number(7), 1, 0, &i);
    const cg_val offset = cg_imul(&b, i, wrong ? 8 : 7);
    cg_call_kernel(&b, 1, &y, &offset, 0, NULL);
    cg_loop_end(&b, l);
}

static void
parameter(bool wrong)
{
    cg_kernel *row = cg_kernel_new(m, "row");
    const uint32_t out = cg_buffer_add(row, "y", COT_F32, CG_OUT, SIZE);
    cg_build inner;
    cg_val i;

    cg_begin(&inner, row);
    cg_store(&inner, out, cg_param(&inner, 0), cg_const(&inner, COT_F32, 0), 0);
    cg_val l = loop_between(CG_SERIAL, number(0), number(7), 1, 0, &i);
    const cg_val params[1] = { cg_imul(&b, i, wrong ? 9 : 8) };
    cg_call_kernel(&b, 1, &y, NULL, 1, params);
    cg_loop_end(&b, l);
}

/* A while that goes down to 0: what is carried stays above. */
static void
falling(bool wrong)
{
    cg_val w = cg_while_begin(&b), i = cg_while_carry(&b, w, COT_I64, number(SIZE));

    cg_while_test(&b, w, cg_insn2(&b, SC_lt, COT_I64, number(wrong ? -1 : 0), i));
    cg_val before = cg_isub(&b, i, number(1));
    copy_element(before, 0);
    cg_while_next(&b, w, i, before);
    cg_while_end(&b, w);
}

/* 48 loops of two iterations: the index has more terms than a form. */
static void
nested(bool wrong)
{
    const uint32_t z = cg_buffer_add(k, "z", COT_F32, CG_IN, (int64_t)1 << 48);
    cg_val l[48], i, at_i = number(wrong);

    for (int j = 0; j < 48; j++) {
        l[j] = loop_between(CG_SERIAL, number(0), number(2), 1, 0, &i);
        at_i = cg_iadd(&b, cg_imul(&b, i, (int64_t)1 << j), at_i);
    }
    cg_store(&b, y, number(0), cg_load(&b, z, at_i, 0), 0);
    for (int j = 48; j-- > 0;)
        cg_loop_end(&b, l[j]);
}

/* 60 loops of one iteration around one of SIZE. */
static void
nested_once(bool wrong)
{
    cg_val l[60], i, at_i = number(0);

    for (int j = 0; j < 60; j++) {
        l[j] = loop_between(CG_SERIAL, number(0), number(1), 1, 0, &i);
        at_i = cg_iadd(&b, cg_imul(&b, i, SIZE), at_i);
    }
    cg_val v = loop_between(CG_SERIAL, number(0), number(SIZE), 1, 0, &i);
    copy_element(cg_iadd(&b, at_i, cg_iadd(&b, i, number(wrong))), 0);
    cg_loop_end(&b, v);
    for (int j = 60; j-- > 0;)
        cg_loop_end(&b, l[j]);
}

/* A mask of 200 parts, of which the first put in is the one that bounds the index. */
static void
long_mask(bool wrong)
{
    cg_val i, l = loop_between(CG_SERIAL, number(0), number(1000), 1, 0, &i),
              mask = less(i, SIZE + wrong);

    for (int j = 0; j < 199; j++)
        mask = cg_insn2(&b, SC_and, COT_BOOL, mask,
                        cg_insn2(&b, SC_ne, COT_I64, loaded(number(j % SIZE)), number(j)));
    copy_element(i, mask);
    cg_loop_end(&b, l);
}

/* The last of 200 conditions around an access is the one that bounds the index. */
static void
deep_mask(bool wrong)
{
    cg_val i, l = loop_between(CG_SERIAL, number(0), number(1000), 1, 0, &i), c[200];

    for (int j = 0; j < 200; j++)
        c[j] = cg_if_begin(&b, less(i, 400 - j));
    copy_element(i, less(i, SIZE + wrong));
    for (int j = 200; j-- > 0;)
        cg_if_end(&b, c[j]);
    cg_loop_end(&b, l);
}

static void
placed(bool wrong)
{
    const uint32_t t = cg_buffer_add(k, "t", COT_F32, CG_WORK, 16);

    m->work_bytes = wrong ? 127 : 128;
    k->buffer[t].offset = 64;
}

static const verified_row row[] = {
    { "one too many", one_too_many },
    { "one too few", one_too_few },
    { "a mask with le for lt", mask_with_equality },
    { "a branch with le for lt", branch_with_equality },
    { "the other branch", other_branch },
    { "a tail without a limit", tail_without_limit },
    { "a wrong stride", wrong_stride },
    { "a row of a product's tile", row_of_product },
    { "the last block", last_block },
    { "a gather without a clamp", gathered },
    { "a scatter with a wrong mask", scattered },
    { "a wrong divisor", divided },
    { "a sum of two sums", two_sums },
    { "a copy that is too long", copied },
    { "a call beyond the buffer", called },
    { "a parameter beyond the buffer", parameter },
    { "a while that goes too far", falling },
    { "a place beyond the work block", placed },
    { "a nest of loops", nested },
    { "a nest of loops of one iteration", nested_once },
    { "a mask of many parts", long_mask },
    { "a mask in many branches", deep_mask },
};
enum { ROWS = sizeof row / sizeof *row };

START_TEST(mended_is_proved)
{
    verified_is_proved(&row[_i]);
}
END_TEST

START_TEST(mistake_is_refused)
{
    verified_is_refused(&row[_i], "is not proved");
}
END_TEST

/* The message names the kernel, the value, the buffer and the index. */
START_TEST(message_names_the_access)
{
    wrong_stride(true);
    ck_assert_int_eq(cg_verify(m), COT_ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "kernel main, value"));
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "of x["));
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "in 0..48"));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(mended_is_proved, ROWS),
        EACH(mistake_is_refused, ROWS),
        ONCE(message_names_the_access),
    };

    return SUITE_WITH("accesses", cases, setup, verified_end);
}
