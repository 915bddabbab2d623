/* Three programs that many processes share, in one object:
 *
 *   train       one step of gradient descent of a network, on a batch of groups of examples
 *   heat        a 2-D heat equation through 20 steps, and the gradient of its last state
 *   price       the price of an option by simulation, and how it depends on what is uncertain
 *
 *   build OBJECT HEADER
 *
 * The object serves 1 to 8 and 16 processes, and has the same bits on each.  main.c, which has
 * the header alone, runs it on processes of one machine or on those of MPI. */
#include <stdio.h>

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
train(cot_trace *t, const cot_value *in, cot_value *out, void *user)
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

int
main(int argc, char **argv)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_fn *error = cot_vmap(cot_fn_new(ctx, "loss", loss, 6, 1, NULL), OVER("group"),
                             .in_dims = COT_LIST(COT_NONE, COT_NONE, COT_NONE, COT_NONE, 0, 0),
                             .out_dims = COT_ALL(COT_NONE));
    cot_fn *grid[2] = { cot_vmap(cot_fn_new(ctx, "step", step, 1, 1, NULL), OVER("block")),
                        cot_vmap(cot_fn_new(ctx, "squares", squares, 1, 1, NULL), OVER("block"),
                                 .out_dims = COT_ALL(COT_NONE)) };
    cot_fn *paths = cot_vmap(
        cot_fn_named(cot_fn_new(ctx, "price", bundle, 2, 1, NULL), "market, key", "price"),
        OVER("bundle"), .size = BUNDLES, .in_dims = COT_ALL(COT_NONE),
        .out_dims = COT_ALL(COT_NONE));
    const cot_export all[] = {
        { cot_fn_named(cot_fn_new(ctx, "train", train, 6, 5, error), "w1, b1, w2, b2, x, y",
                       "w1_next, b1_next, w2_next, b2_next, loss"),
          COT_TYPES(cot_f32(H, D), cot_f32(H), cot_f32(1, H), cot_f32(1),
                    cot_f32(GROUPS, ROWS, D), cot_f32(GROUPS, ROWS, 1)),
          "train" },
        { cot_grad_and_value(
              cot_fn_named(cot_fn_new(ctx, "heat", warmth, 1, 1, grid), "u", "squares")),
          COT_TYPES(cot_f32(BLOCKS, LINES, COLUMNS)), "heat" },
        { cot_grad_and_value(paths), COT_TYPES(cot_f32(2), cot_u64(2)), "price" },
    };
    const cot_status s =
        argc == 3
            ? cot_build_object(ctx, all, 3, &(cot_compile_options){ .processes = "1-8,16" },
                               argv[1], argv[2])
            : COT_ERR_ARG;

    if (s != COT_OK)
        fprintf(stderr, "%s\n", argc == 3 ? cot_error(ctx) : "usage: build OBJECT HEADER");
    cot_context_free(ctx);
    return s != COT_OK;
}
