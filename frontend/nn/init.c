/* First weights: draws scaled by how many inputs and outputs a weight joins. */
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
