/* A 2-D heat equation on blocks of rows, for tests that run it on several processes, by the
 * public headers alone.  A block is a group of the axis "block"; a step takes the rows on both
 * sides of it from its neighbours. */
#ifndef TESTS_PROCESSES_HEAT_H
#define TESTS_PROCESSES_HEAT_H

#include <stdlib.h>

#include "cotrace/cotrace.h"

enum { HEAT_ROWS = 3, HEAT_COLUMNS = 6, HEAT_STEPS = 4 };

/* A row of the neighbour above, or below; zeros at the ends. */
static inline cot_value
heat_neighbour(cot_trace *t, cot_value row, bool above)
{
    const int64_t n = cot_axis_size(t, "block");
    int64_t *pairs = malloc(sizeof *pairs * (size_t)(2 * n + 2));
    cot_list list = { .n = (int)(n > 0 ? 2 * (n - 1) : 0), .at = pairs };

    for (int64_t i = 0; pairs && i + 1 < n; i++) {
        pairs[2 * i] = above ? i : i + 1;
        pairs[2 * i + 1] = above ? i + 1 : i;
    }
    row = cot_ppermute(row, "block", list.n ? list : COT_LIST());
    free(pairs);
    return row;
}

/* u + k (sum of the four neighbours - 4 u), for u and k of a block, [rows, columns]. */
static inline void
heat_step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_value u = in[0], k = in[1];
    const cot_value first = cot_slice(u, .limit = COT_LIST(1, HEAT_COLUMNS)),
                    last = cot_slice(u, .start = COT_LIST(HEAT_ROWS - 1, 0));
    const cot_value rows = cot_concatenate(
        COT_VALUES(heat_neighbour(t, last, true), u, heat_neighbour(t, first, false)), 0);
    const cot_value wide = cot_pad(u, 0, .low = COT_LIST(0, 1), .high = COT_LIST(0, 1));
    const cot_value up = cot_slice(rows, .limit = COT_LIST(HEAT_ROWS, HEAT_COLUMNS)),
                    down = cot_slice(rows, .start = COT_LIST(2, 0)),
                    left = cot_slice(wide, .limit = COT_LIST(HEAT_ROWS, HEAT_COLUMNS)),
                    right = cot_slice(wide, .start = COT_LIST(0, 2));

    (void)user;
    out[0] = cot_add(u, cot_mul(k, cot_sub(cot_add(cot_add(up, down), cot_add(left, right)),
                                           cot_mul(u, 4))));
}

/* The squared distance from what is wanted, of all blocks. */
static inline void
heat_miss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_value d = cot_sub(in[0], in[1]);

    (void)t, (void)user;
    out[0] = cot_psum(cot_reduce_sum(cot_mul(d, d)), "block");
}

typedef struct heat {
    cot_fn *step, *miss; /* of u and k; of u and what is wanted */
    /* of all three: the steps are traced one by one, or are a scan */
    cot_fn *loss, *gradient, *loop, *loop_gradient;
} heat;

/* The distance after some steps. */
static inline void
heat_loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const heat *h = user;
    cot_value u = in[0];

    (void)t;
    for (int i = 0; i < HEAT_STEPS; i++)
        u = cot_call(h->step, u, in[1]);
    out[0] = cot_call(h->miss, u, in[2]);
}

typedef struct heat_around {
    const heat *h;
    cot_value k;
} heat_around;

static inline void
heat_advance(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const heat_around *a = user;

    (void)t;
    out[0] = cot_call(a->h->step, in[0], a->k);
    out[1] = cot_call(a->h->miss, in[0], a->k);
}

/* The same, and the mean distance on the way, of a scan. */
static inline void
heat_loop(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    heat_around a = { user, in[1] };
    cot_value y[2];

    (void)t;
    cot_scan(heat_advance, .in = COT_VALUES(in[0]), .length = HEAT_STEPS, .user = &a, .out = y,
             .n_out = 1);
    out[0] = cot_add(cot_call(a.h->miss, y[0], in[2]), cot_mean(y[1]));
}

/* *h lives as long as its functions are traced. */
static inline void
heat_make(cot_context *ctx, heat *h)
{
    h->step = cot_vmap(cot_fn_new(ctx, "step", heat_step, 2, 1, NULL), .axis = "block",
                       .over = "world");
    h->miss = cot_vmap(cot_fn_new(ctx, "miss", heat_miss, 2, 1, NULL), .axis = "block",
                       .over = "world", .out_dims = COT_LIST(COT_NONE));
    h->loss = cot_fn_new(ctx, "loss", heat_loss, 3, 1, h);
    h->loop = cot_fn_new(ctx, "loop", heat_loop, 3, 1, h);
    h->loop_gradient = cot_grad_and_value(h->loop, .wrt = COT_LIST(0, 1));
    h->gradient = cot_grad_and_value(h->loss, .wrt = COT_LIST(0, 1));
}

static inline cot_type
heat_type(int64_t blocks)
{
    return cot_f32(blocks, HEAT_ROWS, HEAT_COLUMNS);
}

/* The value of element i of a field. */
static inline float
heat_value(int64_t i, int field)
{
    return field == 1 ? (float)(1 + i * 7 % 5) / 32 : (float)(i * 37 % 101 - 50) / 31;
}

/* The rows of a field that a process has, or, if !spread, all. */
static inline cot_array *
heat_field(cot_context *ctx, int64_t blocks, int field, bool spread)
{
    cot_array *a = spread ? cot_array_spread(ctx, heat_type(blocks))
                          : cot_array_new(ctx, heat_type(blocks));
    const int64_t each = HEAT_ROWS * HEAT_COLUMNS, first = cot_array_rows(a).first * each;
    float *x = cot_array_data(a);

    for (int64_t i = 0; a && i < cot_array_rows(a).count * each; i++)
        x[i] = heat_value(first + i, field);
    return a;
}

#endif
