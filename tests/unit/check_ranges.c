/* What an emitter reports is compared with the kernel: what it may touch, and under what.
 *
 * The kernel has a vector loop of 8 lanes with a limit, and in it, under a condition on rows, a
 * store to y under a mask; a load of every other element of x; two stores side by side. The
 * reports are those of an emitter; `wrong` is that of a mistake, among them the one that stored
 * the rows that a product does not have: lanes under their mask, the condition forgotten. */
#include "codegen/verify/ranges.h"
#include "tests/unit/suite.h"

enum { LANES = 8, SIZE = 512 };

static ir_arena arena;
static cg_build b;
static cg_ranges *r;
static cg_val lane, row, mask, masked, apart, pair[2], even;

static cg_val
number(int64_t i)
{
    return cg_i64(&b, i);
}

static cg_val
less(cg_val i, int64_t n)
{
    return cg_insn2(&b, SC_lt, COT_I64, i, number(n));
}

/* The last instruction is put in last, whatever it gives. */
static cg_val
last(const cg_kernel *k)
{
    return k->n_insns - 1;
}

static void
stores(cg_kernel *k, uint32_t x, uint32_t y, cg_val j, cg_val i)
{
    const cg_val one = cg_const(&b, COT_F32, 0x3f800000), two = cg_imul(&b, i, 2);
    const cg_val c = cg_if_begin(&b, row = less(j, 3));

    mask = less(i, 5);
    cg_store(&b, y, cg_iadd(&b, cg_imul(&b, j, LANES), i), one, mask);
    masked = last(k);
    cg_if_end(&b, c);
    apart = cg_load(&b, x, two, 0);
    cg_store(&b, y, cg_iadd(&b, two, number(128)), apart, 0);
    pair[0] = last(k);
    cg_store(&b, y, cg_iadd(&b, two, number(129)), apart, 0);
    pair[1] = last(k);
    cg_store(&b, y, cg_iadd(&b, two, number(256)), apart, 0);
    even = last(k);
}

static void
setup(void)
{
    suite_begin();
    ir_arena_init(&arena, ctx);
    cg_kernel *k = cg_kernel_new(cg_module_new(ctx, &arena, "test"), "main");
    cg_begin(&b, k);
    const uint32_t x = cg_buffer_add(k, "x", COT_F32, CG_IN, SIZE),
                   y = cg_buffer_add(k, "y", COT_F32, CG_OUT, SIZE);
    cg_val rows = cg_loop_begin(&b, CG_SERIAL, number(0), number(4), 1, 0);
    cg_val lanes = cg_loop_begin(&b, CG_VECTOR, number(0), number(LANES), 1, number(7));
    lane = cg_loop_var(&b, lanes);
    stores(k, x, y, cg_loop_var(&b, rows), lane);
    cg_loop_end(&b, lanes);
    cg_loop_end(&b, rows);
    ck_assert_msg(cg_verify(k->module) == COT_OK, "%s", cot_error(ctx));
    r = cg_ranges_of(k, &arena);
}

static void
teardown(void)
{
    ir_arena_free(&arena);
    suite_end();
}

static const cg_applied *
of(cg_val v)
{
    return cg_apply(r, v, true);
}

static const cg_applied *
both(const cg_applied *x, const cg_applied *y)
{
    return cg_apply_both(r, x, y);
}

static const char *
report(cg_touched x, const cg_applied *by)
{
    x.by = by;
    cg_report(r, &x);
    return cg_ranges_why(r, &(ir_loc){ 0 });
}

/* The access with its lanes as a row, under all that is around it. */
static const char *
whole_row(const cg_applied *by)
{
    return report((cg_touched){ .access = masked, .lanes = LANES, .count = LANES }, by);
}

START_TEST(all_conditions)
{
    ck_assert_ptr_null(whole_row(both(both(of(row), of(mask)), of(lane))));
}
END_TEST

START_TEST(a_condition_is_forgotten)
{
    const cg_applied *kept[] = { both(of(mask), of(lane)), both(of(row), of(lane)),
                                 both(of(row), of(mask)), NULL };
    const cg_val lost[] = { row, mask, lane, mask };
    const char *why = whole_row(kept[_i]);
    char want[40];

    snprintf(want, sizeof want, "without the condition %%%u", lost[_i]);
    ck_assert_ptr_nonnull(why);
    ck_assert_msg(strstr(why, want) != NULL, "%s", why);
}
END_TEST

/* The rows of a product that it does not have. */
START_TEST(lanes_without_their_row)
{
    const cg_touched third = {
        .access = masked, .lane = 2, .lanes = 1, .first = 2, .count = 1
    };

    ck_assert_ptr_null(report(third, both(both(of(mask), of(lane)), of(row))));
    ck_assert_ptr_nonnull(report(third, both(of(mask), of(lane))));
}
END_TEST

START_TEST(the_opposite)
{
    const cg_applied *other = cg_apply(r, row, false);

    ck_assert_ptr_nonnull(whole_row(both(both(other, of(mask)), of(lane))));
}
END_TEST

/* Any lane's mask is no mask of a row. */
START_TEST(the_condition_of_another_lane)
{
    const char *why = whole_row(both(both(of(row), of(lane)), cg_apply_any(r, of(mask))));

    ck_assert_ptr_nonnull(why);
    ck_assert_ptr_nonnull(strstr(why, "another lane"));
}
END_TEST

static const struct {
    const char *name;
    bool good;
    int which; /* of `access` */
    cg_touched x;
} touches[] = {
    { "a row", true, 0, { .lanes = 8, .count = 8 } },
    { "half a row", true, 0, { .lanes = 4, .count = 4 } },
    { "a row that is too long", false, 0, { .lanes = 8, .count = 9 } },
    { "a row that begins before", false, 0, { .lanes = 8, .first = -1, .count = 8 } },
    { "a row of one lane", false, 0, { .lanes = 1, .count = 8 } },
    { "lanes that there are not", false, 0, { .lanes = 16, .count = 16 } },
    { "the last lane", true, 0, { .lane = 7, .lanes = 1, .first = 7, .count = 1 } },
    { "another lane's element", false, 0, { .lane = 7, .lanes = 1, .first = 6, .count = 1 } },
    { "two vectors, the last of which ends with the last lane",
      true,
      1,
      { .lanes = 8, .first = 7, .count = 8 } },
    { "two vectors, the last of which is whole",
      false,
      1,
      { .lanes = 8, .first = 8, .count = 8 } },
    { "stores side by side", true, 2, { .adjacent = 2, .lanes = 8, .count = 16 } },
    { "three stores, of which there are two",
      false,
      2,
      { .adjacent = 3, .lanes = 8, .count = 16 } },
    { "what lies between lanes is stored", false, 3, { .lanes = 8, .count = 15 } },
    { "one lane's element", true, 3, { .lane = 3, .lanes = 1, .first = 6, .count = 1 } },
};
enum { TOUCHES = sizeof touches / sizeof *touches };

START_TEST(elements)
{
    /* the store under a mask, the load, the first of the pair, and the store by itself */
    const cg_val access[] = { masked, apart, pair[0], even };
    cg_touched x = touches[_i].x;

    x.access = access[touches[_i].which];
    const char *why = report(x, both(both(of(row), of(mask)), of(lane)));
    ck_assert_msg((why == NULL) == touches[_i].good, "%s: %s", touches[_i].name,
                  why ? why : "is taken");
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(all_conditions),
        EACH(a_condition_is_forgotten, 4),
        ONCE(lanes_without_their_row),
        ONCE(the_opposite),
        ONCE(the_condition_of_another_lane),
        EACH(elements, TOUCHES),
    };

    return SUITE_WITH("ranges", cases, setup, teardown);
}
