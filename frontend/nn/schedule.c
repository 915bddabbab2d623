/* Rates as functions of the step, clipping of gradients, and the direction of L-BFGS. */
#include <math.h>

#include "cotrace/optim.h"

#include "frontend/nn/nn.h"

static cot_value
sum_of_squares(cot_place at, cot_values xs)
{
    cot_value sum = { NULL, 0, 0 };

    for (int i = 0; i < xs.n; i++) {
        cot_value one = cot_reduce_sum(cot_square(fe_wide(at, FE_AT(xs)[i])));
        sum = i == 0 ? one : cot_add(sum, one);
    }
    return sum;
}

cot_value
cot_global_norm_(cot_place at, cot_values xs)
{
    fe_readable(&xs);
    return cot_sqrt(sum_of_squares(at, xs));
}

/* x min(1, most / norm); no division where the norm is 0. */
cot_value
cot_clip_by_norm_(cot_place at, cot_values xs, double most, cot_value *out)
{
    fe_readable(&xs);
    if (xs.n > 0 && !fe_present(at, FE_AT(xs)[0], "clip_by_norm", out, "the room for results"))
        return FE_AT(xs)[0];
    cot_value norm = cot_global_norm_(at, xs);
    cot_value scale = cot_div(most, cot_max(norm, most));

    for (int i = 0; i < xs.n; i++) {
        cot_value x = fe_wide(at, FE_AT(xs)[i]);
        out[i] = fe_back(at, cot_mul(x, cot_convert(scale, cot_dtype_of(x))),
                         cot_dtype_of(FE_AT(xs)[i]));
    }
    return norm;
}

void
cot_clip_by_value_(cot_place at, cot_values xs, double most, cot_value *out)
{
    fe_readable(&xs);
    if (xs.n > 0 && !fe_present(at, FE_AT(xs)[0], "clip_by_value", out, "the room for results"))
        return;
    for (int i = 0; i < xs.n; i++)
        out[i] = cot_clip(FE_AT(xs)[i], -most, most);
}

/* From `from` to `to` by half a cosine, p from 0 to 1. */
static cot_value
half_cosine(cot_place at, double from, double to, cot_value p)
{
    return cot_add(to, cot_mul(0.5 * (from - to),
                               cot_add(1, cot_cos(cot_mul(3.14159265358979323846, p)))));
}

static cot_value
part(cot_place at, cot_value step, double from, double steps)
{
    return cot_clip(cot_div(cot_sub(step, from), fmax(steps, 1e-30)), 0, 1);
}

/* The one-cycle schedule: the rate rises over the first part of the steps and falls over the
 * rest.  L. Smith, N. Topin, Super-Convergence, 2018; as in PyTorch the peak is at step warmup
 * - 1, the end at the last step. */
static cot_value
one_cycle(cot_place at, cot_value step, double rate, double steps, const cot_rate_options *o)
{
    const double first = rate / (o->first_div == 0 ? 25 : o->first_div);
    const double last = first / (o->last_div == 0 ? 1e4 : o->last_div);
    const double peak = (o->warmup == 0 ? 0.3 * steps : o->warmup) - 1;
    cot_value up = half_cosine(at, first, rate, part(at, step, 0, peak));
    cot_value down = half_cosine(at, rate, last, part(at, step, peak, steps - 1 - peak));
    return cot_where(cot_lt(step, peak), up, down);
}

static cot_value
rate_at(cot_place at, cot_rate_kind kind, cot_value s, double rate, double steps,
        const cot_rate_options *o)
{
    const double gamma = o->gamma != 0 ? o->gamma : kind == COT_RATE_STEP ? 0.1 : 0.99;

    switch (kind) {
    case COT_RATE_STEP:
        return cot_mul(rate, cot_exp(cot_mul(log(gamma), cot_floor(cot_div(s, steps)))));
    case COT_RATE_EXPONENTIAL: return cot_mul(rate, cot_exp(cot_mul(log(gamma), s)));
    case COT_RATE_COSINE: return half_cosine(at, rate, o->last, part(at, s, 0, steps));
    case COT_RATE_LINEAR: return cot_add(rate, cot_mul(o->last - rate, part(at, s, 0, steps)));
    case COT_RATE_ONE_CYCLE: return one_cycle(at, s, rate, steps, o);
    case COT_RATE_CONSTANT: break;
    }
    return cot_add(cot_mul(s, 0), rate);
}

cot_value
cot_rate_(cot_place at, cot_rate_kind kind, cot_value step, double rate, double steps,
          const cot_rate_options *options, size_t size)
{
    FE_OPTIONS(cot_rate_options, o, options, size);
    cot_value s = cot_dtype_of(step) == COT_F64 ? step : cot_convert(step, COT_F32);

    if (kind == COT_RATE_ONE_CYCLE || o.warmup == 0)
        return rate_at(at, kind, s, rate, steps, &o);
    cot_value y = rate_at(at, kind, cot_sub(s, o.warmup), rate, steps - o.warmup, &o);
    return cot_where(cot_lt(s, o.warmup), cot_mul(rate / o.warmup, s), y);
}

static cot_value
dot(cot_place at, cot_value x, cot_value y)
{
    return cot_reduce_sum(cot_mul(x, y));
}

static bool
history_fits(cot_place at, cot_value g, cot_value s, cot_value y, cot_value count)
{
    if (cot_dtype_of(g) == COT_DTYPE_NONE || cot_dtype_of(s) == COT_DTYPE_NONE ||
        cot_dtype_of(y) == COT_DTYPE_NONE || cot_dtype_of(count) == COT_DTYPE_NONE)
        return false;
    if (cot_rank(g) == 1 && cot_rank(s) == 2 && cot_rank(y) == 2 &&
        cot_size(s, 1) == cot_size(g, 0) && cot_size(y, 1) == cot_size(g, 0) &&
        cot_size(s, 0) == cot_size(y, 0) && cot_rank(count) == 0)
        return true;
    fe_wrong(
        at, g, "lbfgs", ERR_shape_wrong,
        "g is %s, s is %s, y is %s, count is %s; wants g [n], s and y [m, n], and a scalar",
        fe_type_text(g), fe_type_text(s), fe_type_text(y), fe_type_text(count));
    return false;
}

typedef struct history {
    cot_value s, y, count, gamma;
    int m;
} history;

/* 1 / (s . y) of pair i, or 0 where the pair is absent, which leaves q and r unchanged. */
static cot_value
inverse(cot_place at, const history *h, int i)
{
    cot_value sy = dot(at, cot_index(h->s, i, 0), cot_index(h->y, i, 0));
    cot_value good = cot_and(cot_gt(sy, 0), cot_ge(h->count, h->m - i));
    return cot_where(good, cot_div(1, cot_where(good, sy, 1)), 0);
}

/* H q by pairs 0 ... i: the first loop on the way in, the second on the way out. */
static cot_value
two_loops(cot_place at, const history *h, cot_value q, int i)
{
    if (i < 0)
        return cot_mul(h->gamma, q);
    cot_value s = cot_index(h->s, i, 0), y = cot_index(h->y, i, 0), rho = inverse(at, h, i);
    cot_value alpha = cot_mul(rho, dot(at, s, q));
    cot_value r = two_loops(at, h, cot_sub(q, cot_mul(alpha, y)), i - 1);
    return cot_add(r, cot_mul(s, cot_sub(alpha, cot_mul(rho, dot(at, y, r)))));
}

cot_value
cot_lbfgs_direction_(cot_place at, cot_value g, cot_value s, cot_value y, cot_value count)
{
    if (!fe_floating(at, "lbfgs", g) || !history_fits(at, g, s, y, count))
        return g;
    history h = { fe_wide(at, s), fe_wide(at, y), count, { NULL, 0, 0 }, (int)cot_size(s, 0) };
    cot_value q = fe_wide(at, g);
    if (h.m == 0)
        return cot_neg(g);
    /* The newest pair scales the first guess of H: s . y / y . y. */
    cot_value last = cot_index(h.y, h.m - 1, 0), rho = inverse(at, &h, h.m - 1),
              some = cot_gt(rho, 0);
    h.gamma =
        cot_where(some, cot_div(1, cot_where(some, cot_mul(rho, dot(at, last, last)), 1)), 1);
    return fe_back(at, cot_neg(two_loops(at, &h, q, h.m - 1)), cot_dtype_of(g));
}

void
cot_lbfgs_push_(cot_place at, cot_value s, cot_value y, cot_value count, cot_value ds,
                cot_value dy, cot_value *out)
{
    const int64_t m = cot_rank(s) == 2 ? cot_size(s, 0) : 0;
    const cot_value old[2] = { s, y }, new[2] = { ds, dy };

    if (!fe_present(at, s, "lbfgs_push", out, "the room for results"))
        return;
    out[0] = s, out[1] = y, out[2] = count;
    if (!history_fits(at, ds, s, y, count) || !history_fits(at, dy, s, y, count))
        return;
    for (int i = 0; i < 2; i++)
        out[i] = cot_concatenate(COT_VALUES(cot_index(old[i], COT_AT(COT_SPAN(1, COT_NONE))),
                                            cot_expand_dims(new[i], 0)),
                                 0);
    out[2] = cot_min(cot_add(count, 1), m);
}
