/* Two functions whose sizes are known when a program runs, in one object:
 *
 *   fall        one step of n particles that attract each other
 *   learn       one step of gradient descent of a classifier, on a batch of n examples
 *
 *   build OBJECT HEADER
 *
 * main.c, which has the header alone, calls both with several n. */
#include <stdio.h>

#include <cotrace/cotrace.h>

enum { INPUTS = 2, HIDDEN = 16, CLASSES = 2 };

/* (x, v, dt) -> (x, v), by the symplectic Euler method; the attraction is softened, so that a
 * particle and itself are no pole. */
static void
fall(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_value apart = cot_sub(cot_expand_dims(in[0], 0), cot_expand_dims(in[0], 1)),
                    square =
                        cot_add(cot_reduce_sum(cot_square(apart), .axes = COT_LIST(2)), 0.01),
                    pull = cot_div(1, cot_mul(square, cot_sqrt(square))),
                    force = cot_reduce_sum(cot_mul(cot_expand_dims(pull, 2), apart),
                                           .axes = COT_LIST(1));

    (void)t, (void)user;
    out[1] = cot_add(in[1], cot_mul(in[2], force));
    out[0] = cot_add(in[0], cot_mul(in[2], out[1]));
}

/* (w, v, x, y), y one-hot: the mean of the cross entropies. */
static void
loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_value hidden = cot_tanh(cot_matmul(in[2], in[0])),
                    score = cot_matmul(hidden, in[1]);

    (void)t, (void)user;
    out[0] = cot_neg(cot_mean(cot_reduce_sum(
        cot_mul(in[3], cot_log_softmax(score, .axes = COT_LIST(1))), .axes = COT_LIST(1))));
}

/* (w, v, x, y, rate) -> (w, v, loss) */
static void
learn(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value slope[3];

    (void)t;
    cot_call_all(cot_grad_and_value(user, .wrt = COT_LIST(0, 1)),
                 COT_VALUES(in[0], in[1], in[2], in[3]), slope, 3);
    for (int i = 0; i < 2; i++)
        out[i] = cot_sub(in[i], cot_mul(in[4], slope[i]));
    out[2] = slope[2];
}

int
main(int argc, char **argv)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_fn *error = cot_fn_new(ctx, "loss", loss, 4, 1, NULL);
    /* the types say which lengths are fixed; those that are open may be any here */
    const cot_export both[] = {
        { cot_open(cot_fn_named(cot_fn_new(ctx, "fall", fall, 3, 2, NULL), "x, v, dt",
                                "x_next, v_next"),
                   "x: [n, _], v: [n, _] where n >= 1, n <= 100000"),
          COT_TYPES(cot_f64(8, 3), cot_f64(8, 3), cot_f64()), NULL },
        { cot_open(cot_fn_named(cot_fn_new(ctx, "learn", learn, 5, 3, error),
                                "w, v, x, y, rate", "w_next, v_next, loss"),
                   "x: [n, _], y: [n, _] where n >= 1, n <= 4096"),
          COT_TYPES(cot_f32(INPUTS, HIDDEN), cot_f32(HIDDEN, CLASSES), cot_f32(8, INPUTS),
                    cot_f32(8, CLASSES), cot_f32()),
          NULL },
    };
    const cot_status s =
        argc == 3 ? cot_build_object(ctx, both, 2, NULL, argv[1], argv[2]) : COT_ERR_ARG;

    if (s != COT_OK)
        fprintf(stderr, "%s\n", argc == 3 ? cot_error(ctx) : "usage: build OBJECT HEADER");
    cot_context_free(ctx);
    return s != COT_OK;
}
