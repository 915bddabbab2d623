/* Distributions that are made of simpler draws: poisson, choice, dirichlet,
 * multivariate_normal.
 *
 * They are written with the public draws.  One that takes several of these derives a key for
 * each from its own, which is the caller's or the next of the generator. */
#include <math.h>

#include "cotrace/random.h"

#include "frontend/sugar/written.h"

static cot_value
key_for(cot_place at, cot_trace *t, const cot_random_options *o)
{
    return fe_given(o->key) ? o->key : cot_next_key_(at, t);
}

static cot_type
shaped_as(cot_value x, cot_dtype dtype)
{
    cot_type t = cot_type_of(x);

    t.dtype = dtype;
    return t;
}

/* What the loop reads: the rates in f64, which of them are large, and of these the constants of
 * the method. */
typedef struct poisson_loop {
    cot_place at;
    cot_type type;
    cot_value key, rate, large, log_rate, a, b, inverse, bound;
} poisson_loop;

/* Carries: trip, done, sum of waiting times, result. */
static void
poisson_goes_on(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_place at = ((const poisson_loop *)user)->at;

    (void)t;
    out[0] = cot_reduce_or(cot_not(in[1]));
}

/* An attempt by transformed rejection: the number, and whether it is accepted. */
static cot_value
attempt(cot_place at, const poisson_loop *p, cot_value u, cot_value v, cot_value *good)
{
    cot_value centred = cot_sub(u, 0.5), us = cot_sub(0.5, cot_abs(centred));
    cot_value slope = cot_add(cot_div(cot_mul(p->a, 2), us), p->b);
    cot_value k = cot_floor(cot_add(cot_add(cot_mul(slope, centred), p->rate), 0.43));
    cot_value easy = cot_and(cot_ge(us, 0.07), cot_le(v, p->bound));
    cot_value never = cot_or(cot_lt(k, 0), cot_and(cot_lt(us, 0.013), cot_gt(v, us)));
    cot_value area = cot_add(cot_div(p->a, cot_mul(us, us)), p->b);
    cot_value left = cot_log(cot_div(cot_mul(v, p->inverse), area));
    cot_value power = cot_sub(cot_mul(k, p->log_rate), p->rate);
    cot_value right = cot_sub(power, cot_lgamma(cot_add(k, 1)));

    *good = cot_or(easy, cot_and(cot_not(never), cot_le(left, right)));
    return k;
}

static void
poisson_step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const poisson_loop *p = user;
    const cot_place at = p->at;
    cot_value trip = in[0], done = in[1], sum = in[2], y = in[3], good;
    cot_value key = cot_fold_in(p->key, trip);
    cot_value u = cot_uniform(t, p->type, .key = cot_fold_in(key, 0));
    cot_value v = cot_uniform(t, p->type, .key = cot_fold_in(key, 1));
    cot_value k = attempt(at, p, u, v, &good);

    sum = cot_sub(sum, cot_log(cot_sub(1, u)));
    cot_value arrived = cot_le(sum, p->rate);
    cot_value next =
        cot_where(p->large, cot_where(good, k, 0), cot_where(arrived, cot_add(y, 1), y));
    out[0] = cot_add(trip, 1);
    out[1] = cot_or(done, cot_select(p->large, good, cot_not(arrived)));
    out[2] = sum;
    out[3] = cot_where(done, y, next);
}

cot_value
cot_poisson_(cot_place at, cot_trace *t, cot_value rate, const cot_random_options *o,
             size_t size)
{
    FE_OPTIONS(cot_random_options, opt, o, size);
    const cot_dtype dtype = cot_dtype_of(rate);

    if (!fe_open(at, rate, "poisson") || dtype == COT_DTYPE_NONE ||
        !fe_floating(at, "poisson", rate))
        return rate;
    poisson_loop p = { .at = at,
                       .type = shaped_as(rate, COT_F64),
                       .key = key_for(at, t, &opt) };
    p.rate = cot_convert(cot_stop_gradient(rate), COT_F64);
    p.large = cot_ge(p.rate, 10);
    p.log_rate = cot_log(p.rate);
    p.b = cot_add(cot_mul(cot_sqrt(p.rate), 2.53), 0.931);
    p.a = cot_sub(cot_mul(p.b, 0.02483), 0.059);
    p.inverse = cot_add(cot_div(1.1328, cot_sub(p.b, 3.4)), 1.1239);
    p.bound = cot_sub(0.9277, cot_div(3.6224, cot_sub(p.b, 2)));
    cot_value zero = cot_mul(p.rate, 0);
    cot_value done = cot_or(cot_not(cot_gt(p.rate, 0)), cot_eq(p.rate, INFINITY));
    cot_value fixed = cot_where(cot_lt(p.rate, 0), NAN, p.rate);
    cot_value out[4];
    cot_while(poisson_goes_on, poisson_step,
              .in = COT_VALUES(cot_full(t, cot_type_new(COT_I32, 0, NULL), 0), done,
                               cot_where(done, 0, zero), cot_where(done, fixed, 0)),
              .out = out, .user = &p, .t = t);
    return fe_back(at, out[3], dtype);
}

/* n places with the probabilities p, with replacement: where uniform numbers fall among the
 * sums of p. */
static cot_value
with_probabilities(cot_place at, cot_trace *t, cot_value p, cot_type shape, cot_value key)
{
    cot_value sums = cot_cumsum(p, 0), total = cot_index_(at, sums, -1, 0);

    shape.dtype = cot_dtype_of(p);
    cot_value u = cot_mul(cot_uniform(t, shape, .key = key), total);
    return cot_clip(cot_searchsorted(sums, u, .right = 1), 0, cot_size(p, 0) - 1);
}

/* Without replacement: the places of the largest of log p plus Gumbel noise, or of a
 * permutation. */
static cot_value
distinct(cot_place at, cot_trace *t, cot_value p, int64_t n, int64_t count, cot_value key)
{
    cot_value places;

    if (!fe_given(p))
        return cot_slice(cot_permutation(t, n, .key = key), .limit = COT_LIST(count));
    cot_value noise = cot_gumbel(t, cot_type_new(cot_dtype_of(p), 1, &n), .key = key);
    cot_top_k(cot_add(cot_log(p), noise), count, &places);
    return places;
}

static const char *
choice_complaint(cot_value x, cot_list shape, const cot_choice_options *o, int64_t n,
                 int64_t *count)
{
    *count = 1;
    if (shape.n < 0 || shape.n > 8 || (shape.n > 0 && !FE_AT(shape)))
        return "wants at most 8 sizes";
    for (int k = 0; k < shape.n; k++)
        if (FE_AT(shape)[k] < 0 || __builtin_mul_overflow(*count, FE_AT(shape)[k], count))
            return "wants sizes of 0 or more";
    if (cot_rank(x) < 1)
        return "wants an axis";
    if (n < 1 || n > INT32_MAX)
        return "wants an element or more along the axis, below 2^31";
    if (fe_given(o->p) && (cot_rank(o->p) != 1 || cot_size_((cot_place){ 0 }, o->p, 0) != n))
        return "wants .p with a probability for each element along the axis";
    if (o->distinct && *count > n)
        return "wants no more elements than there are along the axis, as .distinct is set";
    return NULL;
}

cot_value
cot_choice_(cot_place at, cot_trace *t, cot_value x, cot_list shape,
            const cot_choice_options *o, size_t size)
{
    FE_OPTIONS(cot_choice_options, opt, o, size);
    const cot_random_options random = { .key = opt.key };
    int64_t count;

    if (!fe_open(at, x, "choice") || cot_dtype_of(x) == COT_DTYPE_NONE)
        return x;
    if (fe_given(opt.p) &&
        (cot_dtype_of(opt.p) == COT_DTYPE_NONE || !fe_floating(at, "choice", opt.p)))
        return opt.p;
    const int64_t n = cot_rank(x) > 0 ? cot_size(x, opt.axis) : 1;
    const char *why = choice_complaint(x, shape, &opt, n, &count);
    if (why)
        return fe_wrong(at, x, "choice", ERR_attr_wrong, "x is %s; %s", fe_type_text(x), why);
    cot_value key = key_for(at, t, &random), i;
    const cot_type drawn = cot_type_new(COT_I32, shape.n, FE_AT(shape));
    cot_value p = fe_given(opt.p) ? cot_stop_gradient(fe_wide(at, opt.p)) : opt.p;
    if (opt.distinct)
        i = fe_shaped(at, distinct(at, t, p, n, count, key), shape.n, FE_AT(shape));
    else if (fe_given(p))
        i = with_probabilities(at, t, p, drawn, key);
    else
        i = cot_randint(t, drawn, 0, n, .key = key);
    return cot_take(x, i, opt.axis);
}

cot_value
cot_dirichlet_(cot_place at, cot_trace *t, cot_value alpha, const cot_random_options *o,
               size_t size)
{
    FE_OPTIONS(cot_random_options, opt, o, size);
    const char *const op = "dirichlet";
    const cot_dtype dtype = cot_dtype_of(alpha);

    if (!fe_open(at, alpha, op) || dtype == COT_DTYPE_NONE || !fe_floating(at, op, alpha))
        return alpha;
    if (cot_rank(alpha) < 1)
        return fe_wrong(at, alpha, op, ERR_shape_wrong, "alpha is %s; wants an axis",
                        fe_type_text(alpha));
    cot_value key = key_for(at, t, &opt), wide = fe_wide(at, alpha);
    const cot_type type = shaped_as(wide, cot_dtype_of(wide));
    cot_value u = cot_sub(1, cot_uniform(t, type, .key = cot_fold_in(key, 0)));
    cot_value gamma = cot_gamma(t, cot_add(wide, 1), .key = cot_fold_in(key, 1));
    cot_value log_gamma = cot_add(cot_log(gamma), cot_div(cot_log(u), wide));

    return fe_back(at, cot_softmax(log_gamma), dtype);
}

/* The shape that mean [..., k] and the rows of the matrices [..., k, k] have together; false if
 * there is none. */
static bool
broadcast_shape(cot_value mean, cot_value cov, int64_t *shape, int *rank)
{
    const cot_type m = cot_type_of(mean), c = cot_type_of(cov);

    if (m.rank < 1 || c.rank < 2 || m.rank > COT_MAX_RANK / 2 || c.rank > COT_MAX_RANK / 2 ||
        cot_type_size(&c, -1) != cot_type_size(&m, -1) ||
        cot_type_size(&c, -2) != cot_type_size(&m, -1))
        return false;
    *rank = m.rank > c.rank - 1 ? m.rank : c.rank - 1;
    for (int k = 1; k <= *rank; k++) {
        const int64_t a = k <= m.rank ? cot_type_size(&m, -k) : 1,
                      b = k == 1       ? a
                          : k < c.rank ? cot_type_size(&c, -k - 1)
                                       : 1;
        if (a != b && a != 1 && b != 1)
            return false;
        shape[*rank - k] = a == 1 ? b : a;
    }
    return true;
}

cot_value
cot_multivariate_normal_(cot_place at, cot_trace *t, cot_value mean, cot_value cov,
                         const cot_random_options *o, size_t size)
{
    FE_OPTIONS(cot_random_options, opt, o, size);
    const char *const op = "multivariate_normal";
    int64_t shape[COT_MAX_RANK];
    int rank;

    if (!fe_open(at, mean, op) || cot_dtype_of(mean) == COT_DTYPE_NONE ||
        !fe_floating(at, op, mean))
        return mean;
    if (cot_dtype_of(cov) == COT_DTYPE_NONE || !fe_floating(at, op, cov))
        return cov;
    if (!broadcast_shape(mean, cov, shape, &rank))
        return fe_wrong(at, mean, op, ERR_shape_wrong,
                        "mean is %s, cov is %s; wants [..., k] and [..., k, k]",
                        fe_type_text(mean), fe_type_text(cov));
    const cot_dtype dtype = fe_promote(cot_dtype_of(mean), cot_dtype_of(cov));
    const cot_dtype wide = ir_is_half(dtype) ? COT_F32 : dtype;
    cot_value factor = cot_cholesky(cot_convert(cov, wide));
    cot_value z = cot_normal(t, cot_type_new(wide, rank, shape), .key = opt.key);
    cot_value far = cot_einsum("...ij,...j->...i", COT_VALUES(factor, z));

    return fe_back(at, cot_add(cot_convert(mean, wide), far), dtype);
}
