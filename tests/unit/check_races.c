/* Kernels built by hand whose parallel loop stores to y: f32[49]: the verifier proves that
 * iterations are apart, and refuses the kernel where `wrong` asks for a mistake. */
#include "codegen/verify/bounds.h"
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

    cg_buffer_over(k, y, x);
    l = loop(CG_PARALLEL, SIZE, &i);
    cg_store(&b, y, i, cg_load(&b, x, wrong ? cg_isub(&b, number(SIZE - 1), i) : i, 0), 0);
    cg_loop_end(&b, l);
}

/* Three parts of 8 elements, and what all read behind them. */
static void
three_parts(bool wrong)
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

/* The rows of a tile, and of the edge beside it, by digits that are made anew. */
static void
edge(bool wrong)
{
    cg_val i, u, v, l = loop(CG_PARALLEL, 2, &i), w = loop(CG_SERIAL, 4, &u);
    cg_val row = cg_iadd(&b, cg_imul(&b, i, wrong ? 3 : 4), u);
    cg_val at = combine(cg_imod(&b, row, 2), 2, cg_imul(&b, cg_idiv(&b, row, 2), 12));

    cg_store(&b, y, at, one, 0);
    cg_loop_end(&b, w);
    w = loop(CG_SERIAL, 4, &v);
    row = cg_iadd(&b, cg_imul(&b, i, 4), v);
    at = combine(cg_imod(&b, row, 2), 2, cg_imul(&b, cg_idiv(&b, row, 2), 12));
    cg_store(&b, y, cg_iadd(&b, at, number(8)), one, 0);
    cg_loop_end(&b, w);
    cg_loop_end(&b, l);
}

/* Scratch of 8 numbers for each iteration, counted from where a loop around begins. */
static void
scratch_of_blocks(bool wrong)
{
    cg_val i, j, k0, h = loop_between(CG_SERIAL, number(0), number(32), 8, 0, &k0),
                     l = loop(CG_PARALLEL, 4, &i);
    cg_val s = cg_loop_begin(&b, CG_SERIAL, number(0), number(8), 1, 0);

    cg_store(&b, y, combine(i, 8, cg_loop_var(&b, s)), one, 0);
    cg_loop_end(&b, s);
    s = loop_between(CG_SERIAL, k0, cg_iadd(&b, k0, number(wrong ? 9 : 8)), 1, 0, &j);
    cg_load(&b, y, cg_isub(&b, combine(i, 8, j), k0), 0);
    cg_loop_end(&b, s);
    cg_loop_end(&b, l);
    cg_loop_end(&b, h);
}

/* Copies that lie evenly apart. */
static void
columns_of_lines(bool wrong)
{
    cg_val i, l = loop(CG_PARALLEL, wrong ? 4 : 3, &i);

    for (int j = 0; j < 4; j++)
        cg_store(&b, y, cg_iadd(&b, i, number(3 * j)), one, 0);
    cg_loop_end(&b, l);
}

/* What all have is stored by the first of them. */
static void
shared_value(bool wrong)
{
    cg_val i, j, l = loop(CG_PARALLEL, 3, &i), v = loop(CG_VECTOR, 16, &j);
    cg_val first = cg_insn2(&b, SC_eq, COT_I64, combine(i, wrong ? 0 : 16, j), number(0));

    cg_store(&b, y, number(0), one, first);
    cg_loop_end(&b, v);
    cg_loop_end(&b, l);
}

/* -- conditions -- */

static cg_val
less(cg_val i, int64_t n)
{
    return cg_insn2(&b, SC_lt, COT_I64, i, number(n));
}

/* Blocks of two rows of 8, of which the last one of all has one element: whatever iteration
 * reaches it stores the same place. */
static void
tail_of_blocks(bool wrong)
{
    cg_val i, j, l = loop(CG_PARALLEL, 4, &i);
    cg_val lo = cg_imul(&b, i, 2),
           hi = cg_insn2(&b, SC_min, COT_I64, cg_iadd(&b, lo, number(2)), number(7));
    cg_val r = cg_loop_begin(&b, CG_SERIAL, lo, hi, 1, 0);
    cg_val row = cg_loop_var(&b, r), whole = cg_if_begin(&b, less(row, wrong ? 5 : 6));
    cg_val v = loop(CG_VECTOR, 8, &j);

    cg_store(&b, y, combine(row, 8, j), one, 0);
    cg_loop_end(&b, v);
    cg_if_else(&b, whole);
    cg_store(&b, y, number(48), one, 0);
    cg_if_end(&b, whole);
    cg_loop_end(&b, r);
    cg_loop_end(&b, l);
}

/* One iteration in the middle, by the mask of its store. */
static void
one_of_all(bool wrong)
{
    cg_val i, l = loop(CG_PARALLEL, 8, &i);
    cg_val from = cg_insn2(&b, SC_le, COT_I64, number(3), i);

    cg_store(&b, y, number(0), one,
             cg_insn2(&b, SC_and, COT_BOOL, from, less(i, wrong ? 5 : 4)));
    cg_loop_end(&b, l);
}

/* The same as all but those beside it. */
static void
all_but_others(bool wrong)
{
    cg_val i, l = loop(CG_PARALLEL, 8, &i);
    cg_val others = cg_insn2(&b, SC_or, COT_BOOL, less(i, 3),
                             cg_insn2(&b, SC_lt, COT_I64, number(wrong ? 4 : 3), i));
    cg_val branch = cg_if_begin(&b, others);

    cg_if_else(&b, branch);
    cg_store(&b, y, number(0), one, 0);
    cg_if_end(&b, branch);
    cg_loop_end(&b, l);
}

/* The other side of a branch. */
static void
other_side(bool wrong)
{
    cg_val i, j, l = loop(CG_PARALLEL, wrong ? 8 : 7, &i);
    cg_val branch = cg_if_begin(&b, less(i, 6)), v = loop(CG_VECTOR, 8, &j);

    cg_store(&b, y, combine(i, 8, j), one, 0);
    cg_loop_end(&b, v);
    cg_if_else(&b, branch);
    cg_store(&b, y, number(48), one, 0);
    cg_if_end(&b, branch);
    cg_loop_end(&b, l);
}

/* Every fourth one, which is not told by the index alone. */
static void
first_of_four(bool wrong)
{
    cg_val i, l = loop(CG_PARALLEL, 40, &i);

    cg_store(&b, y, cg_idiv(&b, i, 4), one, less(cg_imod(&b, i, 4), wrong ? 2 : 1));
    cg_loop_end(&b, l);
}

/* Half of the iterations read, the wrong way round, what no other half stores. */
static void
halves(bool wrong)
{
    cg_val i, l = loop(CG_PARALLEL, 48, &i);
    cg_val branch = cg_if_begin(&b, less(i, 24));
    cg_val v = cg_load(&b, y, cg_isub(&b, number(wrong ? 24 : 23), i), 0);

    cg_store(&b, y, number(48), v, cg_insn2(&b, SC_eq, COT_I64, i, number(0)));
    cg_if_else(&b, branch);
    cg_store(&b, y, i, one, 0);
    cg_if_end(&b, branch);
    cg_loop_end(&b, l);
}

/* 4, 6, 8 and 10 lanes are active. */
static void
growing_rows(bool wrong)
{
    cg_val i, j, l = loop(CG_PARALLEL, 4, &i);
    cg_val v = loop_between(CG_VECTOR, number(0), number(16), 1,
                            cg_iadd(&b, cg_imul(&b, i, 2), number(wrong ? 5 : 4)), &j);

    cg_store(&b, y, combine(i, 8, j), one, 0);
    cg_loop_end(&b, v);
    cg_loop_end(&b, l);
}

/* Each picks its elements out of all. */
static void
up_to_the_next(bool wrong)
{
    cg_val i, j, l = loop(CG_PARALLEL, 6, &i), s = loop(CG_SERIAL, SIZE, &j);
    cg_val from = cg_imul(&b, i, 8),
           in = cg_insn2(
               &b, SC_and, COT_BOOL, cg_insn2(&b, SC_le, COT_I64, from, j),
               cg_insn2(&b, SC_lt, COT_I64, j, cg_iadd(&b, from, number(wrong ? 9 : 8))));

    cg_store(&b, y, j, one, in);
    cg_loop_end(&b, s);
    cg_loop_end(&b, l);
}

/* A while whose test the first iteration alone passes. */
static void
test_of_a_while(bool wrong)
{
    cg_val i, l = loop(CG_PARALLEL, 4, &i), w = cg_while_begin(&b),
              c = cg_while_carry(&b, w, COT_I64, number(0));

    cg_while_test(&b, w, less(cg_iadd(&b, i, number(0)), wrong ? 2 : 1));
    cg_store(&b, y, number(0), one, 0);
    cg_while_next(&b, w, c, cg_iadd(&b, c, number(1)));
    cg_while_end(&b, w);
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
    { "three parts", three_parts },
    { "a vector that is moved back", moved_back },
    { "copies", copies },
    { "the edge of a tile", edge },
    { "scratch of blocks", scratch_of_blocks },
    { "columns of lines", columns_of_lines },
    { "a value that all share", shared_value },
    { "the tail of blocks", tail_of_blocks },
    { "one of all", one_of_all },
    { "all but others", all_but_others },
    { "the other side", other_side },
    { "the first of four", first_of_four },
    { "halves", halves },
    { "growing rows", growing_rows },
    { "up to the next", up_to_the_next },
    { "the test of a while", test_of_a_while },
};
enum { ROWS = sizeof row / sizeof *row };

START_TEST(iterations_are_independent)
{
    cg_bounds_report r = { 0 };

    verified_is_proved(&row[_i]);
    cg_bounds_of(m, &arena, &r);
    ck_assert_msg(r.race.proved > 0 && r.race_by_data == 0, "%s: nothing is proved",
                  row[_i].name);
}
END_TEST

START_TEST(mistake_is_refused)
{
    verified_is_refused(&row[_i], "which run at the same time, touch element");
}
END_TEST

/* What meets is not taken for what is unproved. */
START_TEST(mistake_does_not_run_serially)
{
    row[_i].build(true);
    ck_assert_int_eq(cg_verify_or_serial(m), COT_ERR_INTERNAL);
    ck_assert_int_eq(m->n_serial, 0);
}
END_TEST

/* -- what is right and not proved runs serially -- */

/* All elements once, by a multiple modulo 7. */
static void
multiples(bool wrong)
{
    cg_val i, l = loop(CG_PARALLEL, 7, &i);

    cg_store(&b, y, cg_imod(&b, cg_imul(&b, i, 3), wrong ? 6 : 7), one, 0);
    cg_loop_end(&b, l);
}

/* Of one loop of two. */
static void
one_of_two(bool wrong)
{
    cg_val i, l = loop(CG_PARALLEL, 7, &i);

    cg_store(&b, y, i, one, 0);
    cg_loop_end(&b, l);
    multiples(wrong);
}

/* Elements in the order of what is loaded, which may meet. */
static void
by_data(bool wrong)
{
    const uint32_t at = cg_buffer_add(k, "at", COT_I64, CG_IN, SIZE);
    cg_val i, l = loop(CG_PARALLEL, SIZE, &i), to = cg_load(&b, at, i, 0);

    cg_store(&b, y, wrong ? number(0) : to, one,
             cg_insn2(&b, SC_and, COT_BOOL, cg_insn2(&b, SC_le, COT_I64, number(0), to),
                      cg_insn2(&b, SC_lt, COT_I64, to, number(SIZE))));
    cg_loop_end(&b, l);
}

/* A sum of a tree is one, however its loop runs. */
static void
tree(bool wrong)
{
    cg_val i, l = loop(CG_PARALLEL, 7, &i);
    const cg_val at = cg_imod(&b, cg_imul(&b, i, 3), wrong ? 6 : 7);

    cg_store(&b, y, at, one, 0);
    cg_loop_reduce(&b, l, CG_TREE, SC_add, COT_F32, one);
    cg_loop_end(&b, l);
    cg_store(&b, y, number(8), cg_loop_result(&b, l, 0), 0);
}

static const verified_row unproved[] = {
    { "multiples", multiples },
    { "one of two", one_of_two },
    { "by data", by_data },
    { "a tree", tree },
};
enum { UNPROVED = sizeof unproved / sizeof *unproved };

static int
count_kind(cg_kind kind)
{
    int n = 0;

    for (cg_val v = 1; v < k->n_insns; v++)
        n += k->insn[v].op == CG_LOOP && k->insn[v].block->kind == kind;
    return n;
}

START_TEST(unproved_runs_serially)
{
    unproved[_i].build(false);
    m->parallel = true;
    const int loops = count_kind(CG_PARALLEL);
    ck_assert_msg(cg_verify_or_serial(m) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(count_kind(CG_SERIAL), 1);
    ck_assert_int_eq(count_kind(CG_PARALLEL), loops - 1);
    ck_assert_int_eq(m->n_serial, 1);
    ck_assert_int_eq(m->parallel, loops > 1);
    ck_assert_ptr_nonnull(m->why);
    ck_assert_msg(
        strstr(m->why,
               "not proved to access different elements of y, buffer 1: runs serially\n"),
        "%s", m->why);
    ck_assert_msg(cg_verify(m) == COT_OK, "%s", cot_error(ctx));
}
END_TEST

START_TEST(unproved_is_refused_where_asked)
{
    unproved[_i].build(false);
    ck_assert_int_eq(cg_verify(m), COT_ERR_INTERNAL);
    ck_assert_ptr_nonnull(
        strstr(cot_error(ctx), "not proved to access different elements of y"));
    ctx->config.verify = 2;
    ck_assert_int_eq(cg_verify_or_serial(m), COT_ERR_INTERNAL);
    ck_assert_int_eq(count_kind(CG_SERIAL), 0);
}
END_TEST

/* Those that meet at once, and those whose condition only data knows. */
START_TEST(unproved_with_a_mistake)
{
    unproved[_i].build(true);
    const bool known = unproved[_i].build != by_data;
    ck_assert_int_eq(cg_verify_or_serial(m), known ? COT_ERR_INTERNAL : COT_OK);
    ck_assert_int_eq(m->n_serial, !known);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(iterations_are_independent, ROWS),
        EACH(mistake_is_refused, ROWS),
        EACH(mistake_does_not_run_serially, ROWS),
        EACH(unproved_runs_serially, UNPROVED),
        EACH(unproved_is_refused_where_asked, UNPROVED),
        EACH(unproved_with_a_mistake, UNPROVED),
    };

    return SUITE_WITH("races", cases, setup, verified_end);
}
