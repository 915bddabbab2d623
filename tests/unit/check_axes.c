/* Sets of axes: inserting and removing an axis. */
#include "ir/axes.h"
#include "tests/unit/suite.h"

/* Inserting an axis at k moves k and everything after it up by one. */
START_TEST(open_shifts_later_axes_only)
{
    static const struct { ir_axes in; int k; ir_axes want; } row[] = {
        { 0x0, 0, 0x0 },    /* nothing to move      */
        { 0x5, 0, 0xa },    /* {0,2} at 0 -> {1,3}  */
        { 0x5, 1, 0x9 },    /* {0,2} at 1 -> {0,3}  */
        { 0x5, 3, 0x5 },    /* {0,2} at 3: the same */
        { (ir_axes)1 << 62, 0, (ir_axes)1 << 63 },
    };
    ck_assert_uint_eq(ir_axes_open(row[_i].in, row[_i].k), row[_i].want);
    ck_assert_uint_eq(ir_axes_close(row[_i].want, row[_i].k), row[_i].in);
}
END_TEST

START_TEST(below_is_all_of_the_first)
{
    ck_assert_uint_eq(ir_axes_below(0), 0);
    ck_assert_uint_eq(ir_axes_below(3), 7);
    ck_assert_uint_eq(ir_axes_below(64), ~(ir_axes)0);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(open_shifts_later_axes_only, 5),
        ONCE(below_is_all_of_the_first),
    };

    return SUITE("axes", cases);
}
