/* Connectionist temporal classification: the forward variables of the target with blanks
 * between, by a scan over time, in logarithms.
 *
 * alpha_t(s) = log(e^alpha_(t-1)(s) + e^alpha_(t-1)(s-1) + [skip] e^alpha_(t-1)(s-2)) + log
 * p_t(label s); a skip passes over a blank between two labels that differ.  It begins at
 * alpha_(-1) = (0, -big, -big, ...); what cannot be stays at -big, a finite number, so that
 * derivatives are finite; steps past an example's length leave its alphas.
 *
 * Source: A. Graves et al., Connectionist Temporal Classification, ICML 2006. */
#include <math.h>

#include "cotrace/loss.h"

#include "frontend/nn/loss.h"

#define BIG 1e30

typedef struct lattice {
    cot_place at;
    cot_value skip, lengths; /* bool [n, states]; i32 [n] */
    int64_t n, states;
    cot_dtype dtype;
} lattice;

/* [n, states]: the labels, blanks between and around them. */
static cot_value
with_blanks(cot_place at, cot_trace *t, cot_value targets, int64_t n, int64_t s, int blank)
{
    cot_value b = cot_full(t, cot_i32(n, s), blank), last = cot_full(t, cot_i32(n, 1), blank);
    cot_value pairs = cot_reshape(cot_stack(COT_VALUES(b, targets), -1), n, 2 * s);
    return cot_concatenate(COT_VALUES(pairs, last), 1);
}

/* a moved by k states; what comes in is -big. */
static cot_value
moved(const lattice *l, cot_trace *t, cot_value a, int64_t k)
{
    const cot_place at = l->at;
    const int64_t shift = k < l->states ? k : l->states;
    cot_value in =
        cot_full(t, cot_type_new(l->dtype, 2, (const int64_t[]){ l->n, shift }), -BIG);
    return cot_concatenate(
        COT_VALUES(in, cot_index(a, COT_AT(COT_WHOLE, COT_SPAN(0, l->states - shift)))), 1);
}

/* carry: alphas [n, states]; xs: the step's number, log p of the labels. */
static void
advance(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const lattice *l = user;
    const cot_place at = l->at;
    cot_value one = moved(l, t, in[0], 1),
              two = cot_where(l->skip, moved(l, t, in[0], 2), -BIG);
    cot_value m = cot_stop_gradient(cot_max(cot_max(in[0], one), two));
    cot_value sum = cot_add(cot_exp(cot_sub(in[0], m)),
                            cot_add(cot_exp(cot_sub(one, m)), cot_exp(cot_sub(two, m))));
    cot_value next = cot_max(cot_add(cot_add(cot_log(sum), m), in[2]), -BIG);
    out[0] = cot_where(cot_expand_dims(cot_lt(in[1], l->lengths), -1), next, in[0]);
}

/* The loss of each example from the last alphas: a target ends with its last label or the
 * blank after it. */
static cot_value
ended(const lattice *l, cot_value alpha, cot_value length, int zero_infinity)
{
    const cot_place at = l->at;
    cot_value end = cot_mul(length, 2), before = cot_max(cot_sub(end, 1), 0);
    cot_value a = cot_squeeze(cot_take_along(alpha, cot_expand_dims(end, -1), 1), 1);
    cot_value b = cot_squeeze(cot_take_along(alpha, cot_expand_dims(before, -1), 1), 1);
    b = cot_where(cot_gt(length, 0), b, -BIG);
    cot_value loss =
        cot_neg(cot_logsumexp(cot_stack(COT_VALUES(a, b), 0), .axes = COT_LIST(0)));
    return cot_where(cot_lt(loss, BIG / 4), loss, zero_infinity ? 0 : (double)INFINITY);
}

static bool
fits(cot_place at, const cot_value *x)
{
    for (int i = 0; i < 4; i++)
        if (cot_dtype_of(x[i]) == COT_DTYPE_NONE)
            return false;
    bool good =
        cot_rank(x[0]) == 3 && cot_rank(x[1]) == 2 && cot_size(x[1], 0) == cot_size(x[0], 1);
    for (int i = 1; i < 4; i++)
        good = good && ir_is_int(cot_dtype_of(x[i]));
    for (int i = 2; i < 4; i++)
        good = good && cot_rank(x[i]) == 1 && cot_size(x[i], 0) == cot_size(x[1], 0);
    if (!good)
        fe_wrong(at, x[0], "ctc", ERR_shape_wrong,
                 "x is %s, targets are %s, lengths %s and %s; wants x [t, n, c], integers [n, "
                 "s], and lengths [n]",
                 fe_type_text(x[0]), fe_type_text(x[1]), fe_type_text(x[2]),
                 fe_type_text(x[3]));
    return good;
}

cot_value
cot_ctc_(cot_place at, cot_value log_probs, cot_value targets, cot_value input_lengths,
         cot_value target_lengths, const cot_loss_options *options, size_t size)
{
    FE_OPTIONS(cot_loss_options, o, options, size);
    cot_trace *t = fe_open(at, log_probs, "ctc");

    if (!t || !fe_floating(at, "ctc", log_probs) ||
        !fits(at, (const cot_value[]){ log_probs, targets, input_lengths, target_lengths }))
        return log_probs;
    cot_value lp = fe_wide(at, log_probs), length = cot_convert(target_lengths, COT_I32);
    const int64_t steps = cot_size(lp, 0), n = cot_size(lp, 1), s = cot_size(targets, 1),
                  states = 2 * s + 1;
    cot_value label = with_blanks(at, t, cot_convert(targets, COT_I32), n, s, o.blank);
    lattice l = { at, { NULL, 0, 0 }, cot_convert(input_lengths, COT_I32),
                  n,  states,         cot_dtype_of(lp) };
    cot_value before = cot_roll(label, 2, 1), state = cot_iota(t, cot_i32(n, states), 1);
    l.skip = cot_and(cot_and(cot_ne(label, before), cot_ne(label, o.blank)), cot_ge(state, 2));
    cot_value emitted = cot_take_along(lp, cot_broadcast_to(label, steps, n, states), 2);
    cot_value first = cot_where(
        cot_eq(state, 0),
        cot_full(t, cot_type_new(l.dtype, 2, (const int64_t[]){ n, states }), 0), -BIG);
    cot_value last =
        cot_scan(advance, .in = COT_VALUES(first),
                 .xs = COT_VALUES(cot_iota(t, cot_i32(steps), 0), emitted), .user = &l);
    cot_value loss = ended(&l, last, length, o.zero_infinity);
    if (o.reduction == COT_LOSS_MEAN)
        loss = cot_div(loss, cot_convert(cot_max(length, 1), l.dtype));
    return fe_reduced(at, loss, &o, cot_dtype_of(log_probs));
}
