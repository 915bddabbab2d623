/* Three programs that processes share, and their types: build.c says what they compute. */
#ifndef EXAMPLES_PROCESSES_PROGRAMS_H
#define EXAMPLES_PROCESSES_PROGRAMS_H

#include <cotrace/cotrace.h>

enum { GROUPS = 32, ROWS = 8, D = 4, H = 16 };
enum { BUNDLES = 64, PATHS = 256, DAYS = 12 };
enum { HEAT_STEPS = 20 };

#include "../heat_step.h"

#define OVER(name) .axis = name, .over = "world"

/* (w1, b1, w2, b2, x, y) -> the mean over all groups of the squared error of a group */
static void
loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_value hidden = cot_tanh(cot_linear(in[4], in[0], in[1]));

    (void)t, (void)user;
    out[0] = cot_pmean(cot_mse(cot_linear(hidden, in[2], in[3]), in[5]), "group");
}

/* The same parameters after a step, and the loss before it. */
static void
descend(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value slope[5];

    (void)t;
    cot_call_all(cot_grad_and_value(user, .wrt = COT_LIST(0, 1, 2, 3)),
                 COT_VALUES(in[0], in[1], in[2], in[3], in[4], in[5]), slope, 5);
    for (int i = 0; i < 4; i++)
        out[i] = cot_sub(in[i], cot_mul(0.125, slope[i]));
    out[4] = slope[4];
}

/* (volatility and rate, key) -> the mean over all bundles of what an option on the mean of a
 * share's price pays, for paths whose random numbers come from the key and the bundle */
static void
bundle(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_value key = cot_fold_in(in[1], cot_axis_index(t, "bundle")),
                    z = cot_normal(t, cot_f32(PATHS, DAYS), .key = key),
                    sigma = cot_index(in[0], 0, 0), rate = cot_index(in[0], 1, 0),
                    drift = cot_sub(rate, cot_mul(0.5, cot_square(sigma))),
                    days = cot_add(cot_mul(drift, 1.0 / DAYS),
                                   cot_mul(cot_mul(sigma, 0.28867513), z)),
                    share = cot_exp(cot_cumsum(days, 1)),
                    pays = cot_relu(cot_sub(cot_mean(share, .axes = COT_LIST(1)), 1));

    (void)user;
    out[0] = cot_pmean(cot_mul(cot_exp(cot_neg(rate)), cot_mean(pays)), "bundle");
}

#define TRAIN_TYPES                                                                            \
    COT_TYPES(cot_f32(H, D), cot_f32(H), cot_f32(1, H), cot_f32(1), cot_f32(GROUPS, ROWS, D),  \
              cot_f32(GROUPS, ROWS, 1))
#define HEAT_TYPES  COT_TYPES(cot_f32(BLOCKS, LINES, COLUMNS))
#define PRICE_TYPES COT_TYPES(cot_f32(2), cot_u64(2))

static cot_fn *
train_program(cot_context *ctx)
{
    cot_fn *error = cot_vmap(cot_fn_new(ctx, "loss", loss, 6, 1, NULL), OVER("group"),
                             .in_dims = COT_LIST(COT_NONE, COT_NONE, COT_NONE, COT_NONE, 0, 0),
                             .out_dims = COT_ALL(COT_NONE));

    return cot_fn_named(cot_fn_new(ctx, "train", descend, 6, 5, error), "w1, b1, w2, b2, x, y",
                        "w1_next, b1_next, w2_next, b2_next, loss");
}

/* grid: room for two functions, which are read when the program is traced. */
static cot_fn *
heat_program(cot_context *ctx, cot_fn **grid)
{
    grid[0] = cot_vmap(cot_fn_new(ctx, "step", step, 1, 1, NULL), OVER("block"));
    grid[1] = cot_vmap(cot_fn_new(ctx, "squares", squares, 1, 1, NULL), OVER("block"),
                       .out_dims = COT_ALL(COT_NONE));
    return cot_grad_and_value(
        cot_fn_named(cot_fn_new(ctx, "heat", warmth, 1, 1, grid), "u", "squares"));
}

static cot_fn *
price_program(cot_context *ctx)
{
    return cot_grad_and_value(cot_vmap(
        cot_fn_named(cot_fn_new(ctx, "price", bundle, 2, 1, NULL), "market, key", "price"),
        OVER("bundle"), .size = BUNDLES, .in_dims = COT_ALL(COT_NONE),
        .out_dims = COT_ALL(COT_NONE)));
}

#endif
