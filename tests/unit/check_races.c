/* Kernels built by hand whose parallel loop stores to y: f32[49]: the verifier proves that
 * iterations are apart, and does not where `wrong` asks for a mistake. */
#include "codegen/lower.h"
#include "codegen/verify/bounds.h"
#include "passes/pass.h"
#include "tests/unit/verified.h"

static uint32_t x, y;
static cg_val one;

enum { SIZE = 49 };

static void
setup(void)
{
    verified_begin();
    x = cg_buffer_add(k, "x", COT_F32, CG_IN, SIZE);
    y = cg_buffer_add(k, "y", COT_F32, CG_OUT, SIZE);
    one = cg_const(&b, COT_F32, 0x3f800000);
}

static cg_val
combine(cg_val i, int64_t c, cg_val j)
{
    return cg_iadd(&b, cg_imul(&b, i, c), j);
}

/* -- the kernels -- */

static void
rows(bool wrong)
{
    cg_val i, j, l = loop(CG_PARALLEL, 7, &i), v = loop(CG_SERIAL, 7, &j);

    cg_store(&b, y, combine(i, wrong ? 6 : 7, j), one, 0);
    cg_loop_end(&b, v);
    cg_loop_end(&b, l);
}

static void
columns(bool wrong)
{
    cg_val i, j, row, l = loop(CG_PARALLEL, 4, &i), w = loop(CG_SERIAL, 7, &row),
                      v = loop(CG_VECTOR, 2, &j);
    cg_val column = combine(i, wrong ? 1 : 2, j);

    cg_store(&b, y, combine(row, 7, column), one,
             cg_insn2(&b, SC_lt, COT_I64, column, number(7)));
    cg_loop_end(&b, v);
    cg_loop_end(&b, w);
    cg_loop_end(&b, l);
}

/* Blocks of three rows, the last of which is one. */
static void
ragged_blocks(bool wrong)
{
    cg_val i, j, l = loop(CG_PARALLEL, 3, &i);
    cg_val lo = cg_imul(&b, i, 3),
           hi =
               cg_insn2(&b, SC_min, COT_I64, cg_iadd(&b, lo, number(wrong ? 4 : 3)), number(7));
    cg_val r = cg_loop_begin(&b, CG_SERIAL, lo, hi, 1, 0), v = loop(CG_SERIAL, 7, &j);

    cg_store(&b, y, combine(cg_loop_var(&b, r), 7, j), one, 0);
    cg_loop_end(&b, v);
    cg_loop_end(&b, r);
    cg_loop_end(&b, l);
}

/* A transpose: both digits of the iteration, or one and a half. */
static void
digits(bool wrong)
{
    cg_val i, l = loop(CG_PARALLEL, SIZE, &i);

    cg_store(&b, y, combine(cg_imod(&b, i, 7), 7, cg_idiv(&b, i, wrong ? 14 : 7)), one, 0);
    cg_loop_end(&b, l);
}

/* The digits of an element that is made of the iteration and a lane. */
static void
digits_of_lanes(bool wrong)
{
    cg_val i, j, l = loop(CG_PARALLEL, 2, &i), v = loop(CG_VECTOR, 32, &j);
    cg_val e = combine(i, wrong ? 24 : 32, j);

    cg_store(&b, y, combine(cg_imod(&b, e, 7), 7, cg_idiv(&b, e, 7)), one,
             cg_insn2(&b, SC_lt, COT_I64, e, number(SIZE)));
    cg_loop_end(&b, v);
    cg_loop_end(&b, l);
}

/* All iterations store one value to one place: they race all the same. */
static void
same_place(bool wrong)
{
    const uint32_t own = cg_buffer_add(k, "own", COT_F32, CG_LOCAL, 1);
    cg_val i, l = loop(CG_PARALLEL, SIZE, &i);

    cg_store(&b, wrong ? y : own, number(0), one, 0);
    cg_store(&b, y, i, one, 0);
    cg_loop_end(&b, l);
}

static void
neighbour(bool wrong)
{
    cg_val i, l = loop(CG_PARALLEL, SIZE - 1, &i);

    cg_store(&b, y, i, cg_load(&b, y, cg_iadd(&b, i, number(wrong)), 0), 0);
    cg_loop_end(&b, l);
}

/* x lies where y lies. */
static void
in_place(bool wrong)
{
    cg_val i, l;

    k->buffer[y].alias = 1 + x;
    l = loop(CG_PARALLEL, SIZE, &i);
    cg_store(&b, y, i, cg_load(&b, x, wrong ? cg_isub(&b, number(SIZE - 1), i) : i, 0), 0);
    cg_loop_end(&b, l);
}

/* Three pieces of 8 elements, and what all read behind them. */
static void
pieces(bool wrong)
{
    cg_val i, j, l = loop(CG_PARALLEL, 3, &i), v = loop(CG_VECTOR, 8, &j);

    cg_store(&b, y, combine(i, 8, j),
             cg_load(&b, y, cg_iadd(&b, j, number(wrong ? 16 : 24)), 0), 0);
    cg_loop_end(&b, v);
    cg_loop_end(&b, l);
}

/* The last vector is moved back, so that it stays in the buffer: it stores what another has. */
static void
moved_back(bool wrong)
{
    cg_val i, j, l = loop(CG_PARALLEL, 7, &i), v = loop(CG_VECTOR, 8, &j);
    cg_val first = cg_imul(&b, i, 8);

    if (wrong)
        first = cg_insn2(&b, SC_min, COT_I64, first, number(SIZE - 8));
    cg_val e = cg_iadd(&b, first, j);
    cg_store(&b, y, e, one, cg_insn2(&b, SC_lt, COT_I64, e, number(SIZE)));
    cg_loop_end(&b, v);
    cg_loop_end(&b, l);
}

static void
copies(bool wrong)
{
    cg_val i, l = loop(CG_PARALLEL, 7, &i);

    cg_copy(&b, y, cg_imul(&b, i, wrong ? 6 : 7), x, cg_imul(&b, i, 6), 28);
    cg_loop_end(&b, l);
}

static const verified_row row[] = {
    { "rows", rows },
    { "columns", columns },
    { "ragged blocks", ragged_blocks },
    { "digits", digits },
    { "digits of lanes", digits_of_lanes },
    { "one place", same_place },
    { "a neighbour", neighbour },
    { "in place", in_place },
    { "pieces", pieces },
    { "a vector that is moved back", moved_back },
    { "copies", copies },
};
enum { ROWS = sizeof row / sizeof *row };

static cg_bounds_count
races(bool wrong, int i)
{
    cg_bounds_report r = { 0 };

    row[i].build(wrong);
    ck_assert_msg(cg_verify(m) == COT_OK, "%s: %s", row[i].name, cot_error(ctx));
    cg_bounds_of(m, &arena, &r);
    return r.race;
}

START_TEST(iterations_are_apart)
{
    const cg_bounds_count n = races(false, _i);

    ck_assert_msg(n.open == 0 && n.proved > 0, "%s: not proved", row[_i].name);
}
END_TEST

START_TEST(mistake_is_not_proved)
{
    ck_assert_msg(races(true, _i).open > 0, "%s is taken", row[_i].name);
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
};
enum { TEXTS = sizeof text / sizeof *text };

START_TEST(threads_store_apart)
{
    const cg_target target = {
        .vector_bits = 256, .registers = 16, .l1 = 32 << 10, .l2 = 512 << 10, .l3 = 8 << 20
    };
    const cg_lower_options o = { .target = &target, .threads = 2, .fuse = true };
    cg_bounds_report r = { 0 };
    cg_module *lowered;
    ir_module parsed;
    ir_graph *f;

    ck_assert_int_eq(ir_parse(ctx, "test", text[_i], strlen(text[_i]), &parsed), COT_OK);
    ck_assert_int_eq(pass_prepare(parsed.fn[0], &f), COT_OK);
    ck_assert_int_eq(cg_lower(f, &o, &arena, &lowered), COT_OK);
    cg_bounds_of(lowered, &arena, &r);
    ck_assert_int_gt(r.race.proved, 0);
    ck_assert_int_eq(r.race.open, 0);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(iterations_are_apart, ROWS),
        EACH(mistake_is_not_proved, ROWS),
        EACH(threads_store_apart, TEXTS),
    };

    return SUITE_WITH("races", cases, setup, verified_end);
}
