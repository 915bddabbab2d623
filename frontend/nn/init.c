/* Initial weights: draws scaled by the number of inputs and outputs of a weight, truncated, or
 * made orthogonal. */
#include <math.h>

#include "cotrace/nn.h"

#include "frontend/nn/nn.h"

typedef struct fans {
    double in, out;
} fans;

static fans
fans_of(const cot_type *t)
{
    double window = 1;

    if (t->rank < 2)
        return (fans){ (double)cot_type_count(t), (double)cot_type_count(t) };
    for (int k = 2; k < t->rank; k++)
        window *= (double)cot_type_size(t, k);
    return (fans){ (double)cot_type_size(t, 1) * window, (double)cot_type_size(t, 0) * window };
}

static cot_value
normal(cot_place at, cot_trace *t, cot_type type, double mean, double std, cot_value key)
{
    cot_value y = cot_mul(cot_normal(t, type, .key = key), std);
    return mean == 0 ? y : cot_add(y, mean);
}

static cot_value
uniform(cot_place at, cot_trace *t, cot_type type, double std, cot_value key)
{
    const double bound = std * sqrt(3);
    return cot_uniform(t, type, .low = -bound, .high = bound, .key = key);
}

static double
xavier(const cot_type *t, const cot_init_options *o)
{
    const fans f = fans_of(t);
    return (o->gain == 0 ? 1 : o->gain) * sqrt(2 / fmax(f.in + f.out, 1));
}

static double
kaiming(const cot_type *t, const cot_init_options *o)
{
    const fans f = fans_of(t);
    return sqrt(2 / (1 + o->slope * o->slope) / fmax(o->fan_out ? f.out : f.in, 1));
}

#define INIT(name, ...)                                                                        \
    cot_value cot_##name##_(cot_place at, cot_trace *t, cot_type type,                         \
                            const cot_init_options *options, size_t size)                      \
    {                                                                                          \
        FE_OPTIONS(cot_init_options, o, options, size);                                        \
        return __VA_ARGS__;                                                                    \
    }

INIT(init_normal, normal(at, t, type, o.mean, o.std == 0 ? 1 : o.std, o.key))
INIT(xavier_uniform, uniform(at, t, type, xavier(&type, &o), o.key))
INIT(xavier_normal, normal(at, t, type, 0, xavier(&type, &o), o.key))
INIT(kaiming_uniform, uniform(at, t, type, kaiming(&type, &o), o.key))
INIT(kaiming_normal, normal(at, t, type, 0, kaiming(&type, &o), o.key))

/* sqrt(2) erf_inv(v), v uniform between erf(low / sqrt 2) and erf(high / sqrt 2). */
cot_value
cot_truncated_normal_(cot_place at, cot_trace *t, cot_type type,
                      const cot_init_options *options, size_t size)
{
    FE_OPTIONS(cot_init_options, o, options, size);
    const double std = o.std == 0 ? 1 : o.std, root = 1.41421356237309504880;
    const bool usual = o.low == 0 && o.high == 0;
    const double low = usual ? -2 : (o.low - o.mean) / std;
    const double high = usual ? 2 : (o.high - o.mean) / std;
    cot_type wide = type;

    wide.dtype = ir_compute_type(type.dtype);
    cot_value v =
        cot_uniform(t, wide, .low = erf(low / root), .high = erf(high / root), .key = o.key);
    cot_value x = cot_clip(cot_mul(root, cot_erf_inv(v)), low, high);
    return fe_back(at, cot_add(cot_mul(std, x), o.mean), type.dtype);
}

cot_value
cot_orthogonal_(cot_place at, cot_trace *t, cot_type type, const cot_init_options *options,
                size_t size)
{
    FE_OPTIONS(cot_init_options, o, options, size);
    const cot_dtype wide = ir_compute_type(type.dtype);
    const int64_t rows = type.rank > 0 ? cot_type_size(&type, 0) : 1;
    const int64_t columns = rows > 0 ? cot_type_count(&type) / rows : 0;
    const int64_t tall = rows > columns ? rows : columns,
                  thin = rows > columns ? columns : rows;
    int64_t shape[COT_MAX_RANK];
    cot_value r;

    if (type.rank < 0 || type.rank > COT_MAX_RANK)
        return cot_normal(t, type, .key = o.key);
    for (int k = 0; k < type.rank; k++)
        shape[k] = cot_type_size(&type, k);
    cot_value q = cot_qr(
        cot_normal(t, cot_type_new(wide, 2, (const int64_t[]){ tall, thin }), .key = o.key),
        &r);
    cot_value one = cot_eye(t, wide, thin),
              diagonal = cot_reduce_sum(cot_mul(r, one), .axes = COT_LIST(1));
    q = cot_mul(q,
                cot_mul(o.gain == 0 ? 1 : o.gain,
                        cot_where(cot_lt(diagonal, 0), -1, cot_add(cot_mul(diagonal, 0), 1))));
    q = rows < columns ? cot_transpose(q) : q;
    return fe_back(at, fe_shaped(at, q, type.rank, shape), type.dtype);
}
