/* A step of a 2-D heat equation on a grid of blocks of rows, for heat.c and processes/build.c,
 * which say how many steps are differentiated (HEAT_STEPS). */
#include <stdbool.h>
#include <stdint.h>

#include <cotrace/cotrace.h>

enum { BLOCKS = 24, LINES = 4, COLUMNS = 96 };

/* The row of the neighbour above, or below; zeros beyond the grid. */
static cot_value
neighbour(cot_value row, bool above)
{
    int64_t pairs[2 * (BLOCKS - 1)];

    for (int i = 0; i < BLOCKS - 1; i++) {
        pairs[2 * i] = above ? i : i + 1;
        pairs[2 * i + 1] = above ? i + 1 : i;
    }
    return cot_ppermute(row, "block", ((cot_list){ .n = 2 * (BLOCKS - 1), .at = pairs }));
}

/* A step of a block: each cell takes an eighth of its difference from each neighbour. */
static void
step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_value u = in[0], top = cot_slice(u, .limit = COT_LIST(1, COLUMNS)),
                    bottom = cot_slice(u, .start = COT_LIST(LINES - 1, 0));
    const cot_value tall = cot_concatenate(
                        COT_VALUES(neighbour(bottom, true), u, neighbour(top, false)), 0),
                    wide = cot_pad(u, 0, .low = COT_LIST(0, 1), .high = COT_LIST(0, 1));
    const cot_value above = cot_slice(tall, .limit = COT_LIST(LINES, COLUMNS)),
                    below = cot_slice(tall, .start = COT_LIST(2, 0)),
                    left = cot_slice(wide, .limit = COT_LIST(LINES, COLUMNS)),
                    right = cot_slice(wide, .start = COT_LIST(0, 2));

    (void)t, (void)user;
    out[0] = cot_add(cot_mul(u, 0.5),
                     cot_mul(cot_add(cot_add(above, below), cot_add(left, right)), 0.125));
}

/* The sum of squares, of all blocks. */
static void
squares(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_psum(cot_reduce_sum(cot_mul(in[0], in[0])), "block");
}

static void
one_step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_call(((cot_fn **)user)[0], in[0]);
}

/* u -> the sum of squares of the temperatures after HEAT_STEPS steps.  user: the step and
 * squares, mapped over the blocks */
static void
warmth(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_call(((cot_fn **)user)[1], cot_scan(one_step, .in = COT_VALUES(in[0]),
                                                     .length = HEAT_STEPS, .user = user));
}
