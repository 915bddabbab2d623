/* Kernels built by hand that read, of memory of their own or of memory that is handed over
 * with nothing in it, what they have not written: the verifier refuses each, and takes the same
 * kernel with the mistake mended.
 *
 * `main` calls `kernel`, of x: f32[48], y: f32[48] and s: f32[48], a piece of the work block.
 * The kernel has `own`: f32[48]. */
#include "codegen/verify/bounds.h"
#include "tests/unit/verified.h"

enum { SIZE = 48 };

static uint32_t y, s, own;
static cg_val one;

static void
setup(void)
{
    verified_begin();
    k->plans = true;
    const uint32_t to = cg_buffer_add(k, "y", COT_F32, CG_OUT, SIZE),
                   work = cg_buffer_add(k, "s", COT_F32, CG_WORK, SIZE);
    m->work_bytes = SIZE * 4;
    cg_kernel *called = cg_kernel_new(m, "kernel");
    cg_build entry = b;

    k = called;
    cg_begin(&b, k);
    y = cg_buffer_add(k, "y", COT_F32, CG_OUT, SIZE);
    s = cg_buffer_add(k, "s", COT_F32, CG_OUT, SIZE);
    cg_call_kernel(&entry, 1, (uint32_t[]){ to, work }, (cg_val[]){ 0, 0 }, 0, NULL);
    own = cg_buffer_add(k, "own", COT_F32, CG_LOCAL, SIZE);
    one = cg_const(&b, COT_F32, 0x3f800000);
}

static void
store_all(uint32_t to, int64_t n)
{
    cg_val i, l = loop(CG_SERIAL, n, &i);

    cg_store(&b, to, i, one, 0);
    cg_loop_end(&b, l);
}

static void
load_all(uint32_t from, int64_t n)
{
    cg_val i, l = loop(CG_SERIAL, n, &i);

    cg_store(&b, y, i, cg_load(&b, from, i, 0), 0);
    cg_loop_end(&b, l);
}

/* -- the kernels -- */

static void
one_less(bool wrong)
{
    store_all(own, wrong ? SIZE - 1 : SIZE);
    load_all(own, SIZE);
}

static void
too_late(bool wrong)
{
    if (wrong)
        load_all(own, SIZE);
    store_all(own, SIZE);
    load_all(own, SIZE);
}

/* Vectors, and what is left over. */
static void
tail(bool wrong)
{
    cg_val i, j, l = loop_between(CG_SERIAL, number(0), number(40), 8, 0, &i),
                 v = loop(CG_VECTOR, 8, &j);

    cg_store(&b, own, cg_iadd(&b, i, j), one, 0);
    cg_loop_end(&b, v);
    cg_loop_end(&b, l);
    v = loop(CG_VECTOR, 4, &j);
    cg_store(&b, own, cg_iadd(&b, j, number(wrong ? 39 : 40)), one, 0);
    cg_loop_end(&b, v);
    load_all(own, 44);
}

/* Three rows of four of each eight elements, column by column, and a fifth column. */
static void
rows_with_gaps(bool wrong)
{
    cg_val i, j, l = loop(CG_SERIAL, 4, &i), v = loop(CG_UNROLL, 3, &j);

    cg_store(&b, own, cg_iadd(&b, cg_imul(&b, j, 8), i), one, 0);
    cg_loop_end(&b, v);
    cg_loop_end(&b, l);
    l = loop(CG_SERIAL, 3, &i);
    v = loop(CG_SERIAL, wrong ? 5 : 4, &j);
    cg_store(&b, y, cg_iadd(&b, cg_imul(&b, i, 8), j),
             cg_load(&b, own, cg_iadd(&b, cg_imul(&b, i, 8), j), 0), 0);
    cg_loop_end(&b, v);
    cg_loop_end(&b, l);
}

/* Column by column, rows by fours, of which each third one lies aside; then all of them. */
static void
rows_by_fours(int64_t columns, int64_t aside)
{
    cg_val i, column, l = loop(CG_SERIAL, columns, &column), v = loop(CG_SERIAL, 4, &i);

    for (int64_t j = 0; j < 4; j++) {
        const cg_val row = cg_iadd(&b, cg_imul(&b, i, 12), number(3 * j));
        cg_store(&b, own, cg_iadd(&b, cg_iadd(&b, row, number(j == 2 ? aside : 0)), column),
                 one, 0);
    }
    cg_loop_end(&b, v);
    v = loop(CG_SERIAL, 16, &i);
    const cg_val at = cg_iadd(&b, cg_imul(&b, i, 3), column);
    cg_store(&b, y, at, cg_load(&b, own, at, 0), 0);
    cg_loop_end(&b, v);
    cg_loop_end(&b, l);
}

static void
a_row_twice(bool wrong)
{
    rows_by_fours(3, wrong ? -3 : 0);
}

static void
a_row_aside(bool wrong)
{
    rows_by_fours(2, wrong ? 1 : 0);
}

/* Each iteration reads what the one before has written; the first needs a beginning. */
static void
chain(bool wrong)
{
    cg_val i, l;

    if (!wrong)
        cg_store(&b, own, number(0), one, 0);
    l = loop(CG_SERIAL, SIZE - 1, &i);
    cg_store(&b, own, cg_iadd(&b, i, number(1)), cg_load(&b, own, i, 0), 0);
    cg_loop_end(&b, l);
}

/* A panel is packed for each of the blocks, of which it has room for one. */
static void
panel(bool wrong)
{
    cg_val i, l = loop(CG_SERIAL, 3, &i);

    store_all(own, wrong ? 15 : 16);
    load_all(own, 16);
    cg_loop_end(&b, l);
}

/* Each thread has memory of its own. */
static void
of_a_thread(bool wrong)
{
    cg_val i, l;

    if (wrong)
        store_all(own, 16);
    l = loop(CG_PARALLEL, 3, &i);
    if (!wrong)
        store_all(own, 16);
    cg_store(&b, y, i, cg_load(&b, own, number(0), 0), 0);
    cg_loop_end(&b, l);
}

/* Partial sums in the work block, of which nobody has written the first ones. */
static void
handed_over(bool wrong)
{
    cg_val i, l;

    if (!wrong)
        store_all(s, SIZE);
    l = loop(CG_SERIAL, SIZE, &i);
    cg_store(&b, y, i, cg_load(&b, s, i, 0), 0);
    cg_loop_end(&b, l);
}

static void
one_side(bool wrong)
{
    const uint32_t n = cg_buffer_add(k, "n", COT_I64, CG_CONST, 1);
    static const int64_t zero = 0;

    k->buffer[n].data = &zero;
    const cg_val c =
        cg_if_begin(&b, cg_insn2(&b, SC_lt, COT_I64, cg_load(&b, n, number(0), 0), number(1)));

    store_all(own, SIZE);
    cg_if_else(&b, c);
    store_all(own, SIZE);
    cg_if_end(&b, c);
    load_all(wrong ? s : own, SIZE);
}

static const verified_row row[] = {
    { "one less", one_less },       { "too late", too_late },
    { "the tail", tail },           { "rows with gaps", rows_with_gaps },
    { "a chain", chain },           { "a panel", panel },
    { "of a thread", of_a_thread }, { "handed over", handed_over },
    { "another buffer", one_side }, { "a row twice", a_row_twice },
    { "a row aside", a_row_aside },
};
enum { ROWS = sizeof row / sizeof *row };

START_TEST(mended_is_taken)
{
    verified_is_proved(&row[_i]);
}
END_TEST

START_TEST(mistake_is_refused)
{
    verified_is_refused(&row[_i], "not proved to be written before");
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(mended_is_taken, ROWS),
        EACH(mistake_is_refused, ROWS),
    };

    return SUITE_WITH("unwritten", cases, setup, verified_end);
}
