/* Entries built by hand that read what nobody has written, or what was overwritten: the
 * verifier refuses each, and takes the same entry with the mistake mended.  So with swaps that
 * no back end can do, or whose buffers are not brought back.
 *
 * The entry has x: f32[16] and y: f32[16], and in the work block s and t: f32[16], side by
 * side, and u in the place of s.  It calls `move`, of a: f32[4] and b: f32[4]. */
#include "codegen/verify/bounds.h"
#include "codegen/verify/written.h"
#include "tests/unit/verified.h"

enum { SIZE = 16, PART = 4 };

static uint32_t x, y, s, t, u;

/* A function with the same x, y and s. */
static cg_build g;
static uint32_t gx, gy, gs;

static void
build_move(void)
{
    cg_kernel *move = cg_kernel_new(m, "move");
    cg_build c;

    cg_begin(&c, move);
    const uint32_t a = cg_buffer_add(move, "a", COT_F32, CG_IN, PART),
                   to = cg_buffer_add(move, "b", COT_F32, CG_OUT, PART);
    const cg_val l = cg_loop_begin(&c, CG_SERIAL, cg_i64(&c, 0), cg_i64(&c, PART), 1, 0);
    cg_store(&c, to, cg_loop_var(&c, l), cg_load(&c, a, cg_loop_var(&c, l), 0), 0);
    cg_loop_end(&c, l);
}

static void
build_function(void)
{
    cg_kernel *f = cg_kernel_new(m, "function");

    f->plans = true;
    cg_begin(&g, f);
    gx = cg_buffer_add(f, "x", COT_F32, CG_IN, SIZE);
    gy = cg_buffer_add(f, "y", COT_F32, CG_OUT, SIZE);
    gs = cg_buffer_add(f, "s", COT_F32, CG_WORK, SIZE);
    f->work = cg_buffer_add(f, "room", COT_U8, CG_OUT, SIZE * 4) + 1;
}

static uint32_t
in_work(const char *name, int64_t offset)
{
    const uint32_t buffer = cg_buffer_add(k, name, COT_F32, CG_WORK, SIZE);

    k->buffer[buffer].offset = offset;
    return buffer;
}

static void
setup(void)
{
    verified_begin();
    x = cg_buffer_add(k, "x", COT_F32, CG_IN, SIZE);
    y = cg_buffer_add(k, "y", COT_F32, CG_OUT, SIZE);
    s = in_work("s", 0);
    t = in_work("t", 64);
    u = in_work("u", 0);
    m->work_bytes = 128;
    build_move();
    build_function();
    cg_copy(&g, gy, cg_i64(&g, 0), gx, cg_i64(&g, 0), SIZE * 4);
}

static void
all(uint32_t to, uint32_t from)
{
    cg_copy(&b, to, number(0), from, number(0), SIZE * 4);
}

static void
move(uint32_t to, cg_val at, uint32_t from)
{
    cg_call_kernel(&b, 1, (uint32_t[]){ from, to }, (cg_val[]){ 0, at }, 0, NULL);
}

static void
not_at_all(bool wrong)
{
    if (!wrong)
        all(s, x);
    all(y, s);
}

static void
too_late(bool wrong)
{
    all(wrong ? t : s, x);
    all(y, s);
    all(s, x);
}

/* Parts of 4 that lie 4 apart, or a row that is left out. */
static void
parts(bool wrong)
{
    cg_val i, l = loop(CG_SERIAL, wrong ? 3 : 4, &i);

    move(s, cg_imul(&b, i, PART), x);
    cg_loop_end(&b, l);
    all(y, s);
}

/* Every other part by one loop, the others by another one. */
static void
parts_in_turn(bool wrong)
{
    cg_val i, l = loop(CG_SERIAL, 2, &i), j, m;

    move(s, cg_imul(&b, i, 2 * PART), x);
    cg_loop_end(&b, l);
    m = loop(CG_SERIAL, 2, &j);
    move(s, cg_iadd(&b, cg_imul(&b, j, 2 * PART), number(wrong ? PART - 1 : PART)), x);
    cg_loop_end(&b, m);
    all(y, s);
}

static void
overwritten(bool wrong)
{
    all(s, x);
    all(wrong ? u : t, x);
    all(y, s);
}

/* An iteration overwrites what the next one reads. */
static void
overwritten_in_a_loop(bool wrong)
{
    all(s, x);
    cg_val i, l = loop(CG_SERIAL, 4, &i);

    all(y, s);
    all(wrong ? u : t, x);
    cg_loop_end(&b, l);
}

static cg_val
truth(void)
{
    const uint32_t c = cg_buffer_add(k, "c", COT_BOOL, CG_IN, 1);

    return cg_load(&b, c, number(0), 0);
}

static void
in_one_branch(bool wrong)
{
    const cg_val c = cg_if_begin(&b, truth());

    all(s, x);
    cg_if_else(&b, c);
    if (!wrong)
        all(s, x);
    cg_if_end(&b, c);
    all(y, s);
}

/* A loop that may not run, and one that does. */
static void
in_a_loop(bool wrong)
{
    const uint32_t n = cg_buffer_add(k, "n", COT_I64, CG_IN, 1);
    const cg_val hi = wrong ? cg_load(&b, n, number(0), 0) : number(3);
    const cg_val l = cg_loop_begin(&b, CG_SERIAL, number(0), hi, 1, 0);

    all(s, x);
    cg_loop_end(&b, l);
    all(y, s);
}

static void
in_a_while(bool wrong)
{
    const cg_val w = cg_while_begin(&b);

    if (!wrong)
        all(s, x);
    cg_while_test(&b, w, truth());
    if (wrong)
        all(s, x);
    cg_while_end(&b, w);
    all(y, s);
}

/* The element of an iteration, before it is written or after. */
static void
in_turn(bool wrong)
{
    cg_val i, l = loop(CG_SERIAL, 4, &i), at = cg_imul(&b, i, PART);
    const uint32_t part[2] = { s, x };
    const cg_val from[2] = { at, 0 };

    for (int j = 0; j < 2; j++)
        cg_call_kernel(&b, 1, (uint32_t[]){ part[j ^ !wrong], j == wrong ? s : y },
                       (cg_val[]){ from[j ^ !wrong], at }, 0, NULL);
    cg_loop_end(&b, l);
}

/* Half a result, of a function like the other. */
static void
result_of_function(bool wrong)
{
    build_function();
    cg_copy(&g, gy, cg_i64(&g, 0), gx, cg_i64(&g, 0), SIZE * (wrong ? 2 : 4));
}

static void
work_of_function(bool wrong)
{
    if (!wrong)
        cg_copy(&g, gs, cg_i64(&g, 0), gx, cg_i64(&g, 0), SIZE * 4);
    cg_copy(&g, gy, cg_i64(&g, 0), gs, cg_i64(&g, 0), SIZE * 4);
}

/* What is in its way when the function has run. */
static void
in_the_work_of_a_call(bool wrong)
{
    const uint32_t room = cg_buffer_add(k, "room", COT_U8, CG_WORK, SIZE * 4);

    k->buffer[room].offset = wrong ? 0 : 64;
    all(s, x);
    cg_call_kernel(&b, 2, (uint32_t[]){ x, y, room }, (cg_val[]){ 0, 0, 0 }, 0, NULL);
    all(y, s);
}

/* -- buffers that are swapped -- */

static void
swapped(bool wrong)
{
    all(s, x);
    cg_swap(&b, s, t);
    all(y, wrong ? s : t);
}

static void
lost_by_settling(bool wrong)
{
    all(s, x);
    cg_swap(&b, s, t);
    cg_settle(&b, wrong ? s : t);
    all(y, t);
}

/* Where it is not known which of both lies there. */
static void
overwritten_while_away(bool wrong)
{
    cg_val i, l = loop(CG_SERIAL, 3, &i);

    all(s, x);
    cg_swap(&b, s, t);
    cg_loop_end(&b, l);
    all(wrong ? u : y, x);
    all(y, t);
}

/* Settled, it is not in the way. */
static void
overwritten_when_settled(bool wrong)
{
    cg_val i, l = loop(CG_SERIAL, 3, &i);

    all(s, x);
    cg_swap(&b, s, t);
    cg_loop_end(&b, l);
    if (!wrong)
        cg_settle(&b, t);
    all(u, x);
    all(y, t);
}

static void
settled_in_one_branch(bool wrong)
{
    all(s, x);
    cg_swap(&b, s, t);
    const cg_val c = cg_if_begin(&b, truth());

    cg_settle(&b, t);
    cg_if_else(&b, c);
    if (!wrong)
        cg_settle(&b, t);
    cg_if_end(&b, c);
    all(u, x);
    all(y, t);
}

static const verified_row row[] = {
    { "not at all", not_at_all },
    { "too late", too_late },
    { "parts", parts },
    { "parts in turn", parts_in_turn },
    { "overwritten", overwritten },
    { "overwritten in a loop", overwritten_in_a_loop },
    { "in one branch", in_one_branch },
    { "in a loop that may not run", in_a_loop },
    { "in a while that may not run", in_a_while },
    { "in the same iteration", in_turn },
    { "a function's result", result_of_function },
    { "a function's work", work_of_function },
    { "in the way of a call", in_the_work_of_a_call },
    { "swapped", swapped },
    { "lost by settling", lost_by_settling },
    { "overwritten while away", overwritten_while_away },
    { "overwritten when settled", overwritten_when_settled },
    { "settled in one branch", settled_in_one_branch },
};
enum { ROWS = sizeof row / sizeof *row };

static void
lost_by_an_iteration(bool wrong)
{
    all(s, x);
    if (!wrong)
        all(t, x);
    cg_val i, l = loop(CG_SERIAL, 3, &i);

    all(y, s);
    cg_swap(&b, s, t);
    cg_loop_end(&b, l);
}

static void
not_settled(bool wrong)
{
    cg_val i, l = loop(CG_SERIAL, 3, &i);

    all(s, x);
    cg_swap(&b, y, s);
    cg_loop_end(&b, l);
    if (!wrong)
        cg_settle(&b, y);
}

static void
settled_in_the_loop(bool wrong)
{
    cg_val i, l = loop(CG_SERIAL, 3, &i);

    all(s, x);
    cg_swap(&b, s, t);
    if (wrong)
        cg_settle(&b, s);
    cg_loop_end(&b, l);
    if (!wrong)
        cg_settle(&b, s);
}

static void
settled_where_others_settle(bool wrong)
{
    all(s, x);
    cg_swap(&b, y, s);
    const cg_val c = wrong ? cg_if_begin(&b, truth()) : 0;

    cg_settle(&b, y);
    if (wrong)
        cg_if_end(&b, c);
}

static void
over_each_other(bool wrong)
{
    cg_swap(&b, s, wrong ? u : t);
}

static void
of_unlike_types(bool wrong)
{
    const uint32_t v = cg_buffer_add(k, "v", wrong ? COT_I32 : COT_F32, CG_WORK, SIZE);

    k->buffer[v].offset = 64;
    cg_swap(&b, s, v);
}

static void
of_unlike_sizes(bool wrong)
{
    const uint32_t v = cg_buffer_add(k, "v", COT_F32, CG_WORK, wrong ? SIZE - 1 : SIZE);

    k->buffer[v].offset = 64;
    cg_swap(&b, s, v);
}

static void
of_unlike_alignment(bool wrong)
{
    k->buffer[t].align = 64;
    k->buffer[s].align = wrong ? 0 : 64;
    cg_swap(&b, s, t);
}

static void
two_results(bool wrong)
{
    const uint32_t z = cg_buffer_add(k, "z", COT_F32, CG_OUT, SIZE);

    cg_swap(&b, y, s);
    if (wrong)
        cg_swap(&b, z, s);
    cg_settle(&b, y);
    if (wrong)
        cg_settle(&b, z);
}

static void
an_operand(bool wrong)
{
    cg_swap(&b, s, wrong ? x : t);
}

static void
under_another_name(bool wrong)
{
    const uint32_t z = cg_buffer_add(k, "z", COT_F32, CG_OUT, SIZE);

    if (wrong)
        cg_buffer_over(k, z, y);
    cg_swap(&b, y, s);
    cg_settle(&b, y);
}

static void
never_swapped(bool wrong)
{
    cg_swap(&b, s, t);
    cg_settle(&b, wrong ? y : s);
}

static void
too_many(bool wrong)
{
    const int n = CG_MAX_SWAPPED + wrong;

    m->work_bytes = n * SIZE * 4;
    for (int i = 2; i < n; i++)
        cg_swap(&b, s, in_work("v", i * SIZE * 4));
    cg_swap(&b, s, t);
}

static const struct {
    verified_row row;
    const char *message;
} swap[] = {
    { { "lost by an iteration", lost_by_an_iteration },
      "not proved to be written for the next one" },
    { { "not settled", not_settled }, "is swapped and not settled" },
    { { "settled in the loop", settled_in_the_loop }, "a settle inside a loop" },
    { { "settled elsewhere", settled_where_others_settle }, "is swapped and not settled" },
    { { "over each other", over_each_other }, "swapped buffers that overlap" },
    { { "of unlike types", of_unlike_types }, "of different types, sizes or alignments" },
    { { "of unlike sizes", of_unlike_sizes }, "of different types, sizes or alignments" },
    { { "of unlike alignment", of_unlike_alignment },
      "of different types, sizes or alignments" },
    { { "two results", two_results }, "two results that are swapped" },
    { { "an operand", an_operand }, "neither results nor in the work block" },
    { { "under another name", under_another_name }, "may overlap another" },
    { { "never swapped", never_swapped }, "a settle of a buffer that is never swapped" },
    { { "too many", too_many }, "too many buffers" },
};
enum { SWAPS = sizeof swap / sizeof *swap };

START_TEST(mended_is_proved)
{
    verified_is_proved(&row[_i]);
}
END_TEST

START_TEST(mistake_is_refused)
{
    verified_is_refused(&row[_i], "not proved to be written before");
}
END_TEST

START_TEST(mended_swap_is_proved)
{
    verified_is_proved(&swap[_i].row);
}
END_TEST

START_TEST(mistaken_swap_is_refused)
{
    verified_is_refused(&swap[_i].row, swap[_i].message);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(mended_is_proved, ROWS),
        EACH(mistake_is_refused, ROWS),
        EACH(mended_swap_is_proved, SWAPS),
        EACH(mistaken_swap_is_refused, SWAPS),
    };

    return SUITE_WITH("written", cases, setup, verified_end);
}
