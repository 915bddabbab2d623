/* Attention: scaled dot products, several heads, causal, masked, with rotary position
 * embedding.
 *
 * Scores and weights are f32 where operands are f16 or bf16.  A masked score becomes the least
 * finite number, not -inf, so that a query whose keys are all masked gets the mean of all
 * values and no NaN.  Sources: A. Vaswani et al., Attention Is All You Need, 2017; J. Su et
 * al., RoFormer, 2021. */
#include <float.h>
#include <math.h>

#include "cotrace/nn.h"

#include "frontend/nn/nn.h"

static double
least(cot_value x)
{
    return cot_dtype_of(x) == COT_F64 ? -DBL_MAX : (double)-FLT_MAX;
}

/* [l, s]: key j is not after query i. */
static cot_value
causal_mask(cot_place at, cot_trace *t, int64_t l, int64_t s)
{
    return cot_ge(cot_iota(t, cot_i32(l, s), 0), cot_iota(t, cot_i32(l, s), 1));
}

static cot_value
masked(cot_place at, cot_trace *t, cot_value score, const cot_attention_options *o)
{
    if (fe_given(o->mask))
        score = cot_dtype_of(o->mask) == COT_BOOL ? cot_where(o->mask, score, least(score))
                                                  : cot_add(score, fe_wide(at, o->mask));
    if (o->causal)
        score = cot_where(causal_mask(at, t, cot_size(score, -2), cot_size(score, -1)), score,
                          least(score));
    return score;
}

static bool
attention_fits(cot_place at, cot_value q, cot_value k, cot_value v)
{
    if (cot_dtype_of(q) == COT_DTYPE_NONE || cot_dtype_of(k) == COT_DTYPE_NONE ||
        cot_dtype_of(v) == COT_DTYPE_NONE)
        return false;
    if (cot_rank(q) >= 2 && cot_rank(k) >= 2 && cot_rank(v) >= 2 &&
        cot_size(q, -1) == cot_size(k, -1) && cot_size(k, -2) == cot_size(v, -2))
        return true;
    fe_wrong(at, q, "attention", ERR_shape_wrong,
             "q is %s, k is %s, v is %s; wants q [..., l, e], k [..., s, e] and v [..., s, f]",
             fe_type_text(q), fe_type_text(k), fe_type_text(v));
    return false;
}

cot_value
cot_attention_(cot_place at, cot_value q, cot_value k, cot_value v,
               const cot_attention_options *options, size_t size)
{
    FE_OPTIONS(cot_attention_options, o, options, size);
    cot_trace *t = fe_open(at, q, "attention");

    if (!t || !fe_floating(at, "attention", q) || !attention_fits(at, q, k, v))
        return q;
    const double scale = o.scale != 0 ? o.scale : 1 / sqrt((double)cot_size(q, -1));
    cot_value score =
        cot_mul(scale, fe_wide(at, cot_einsum("...le,...se->...ls", COT_VALUES(q, k))));
    cot_value w = cot_softmax(masked(at, t, score, &o));
    if (o.dropout > 0)
        w = cot_dropout(w, o.dropout, .key = o.key);
    return cot_einsum("...ls,...sf->...lf", COT_VALUES(fe_back(at, w, cot_dtype_of(v)), v));
}

/* [..., l, heads d] to [..., heads, l, d], and back. */
static cot_value
split_heads(cot_place at, cot_value x, int64_t heads)
{
    const int rank = cot_rank(x);
    int64_t shape[COT_MAX_RANK], perm[COT_MAX_RANK];

    for (int k = 0; k < rank; k++)
        shape[k] = perm[k] = cot_size(x, k);
    shape[rank - 1] = heads;
    shape[rank] = cot_size(x, -1) / heads;
    for (int k = 0; k <= rank; k++)
        perm[k] = k == rank - 2 ? rank - 1 : k == rank - 1 ? rank - 2 : k;
    return cot_transpose(fe_shaped(at, x, rank + 1, shape), .perm = { rank + 1, 0, perm });
}

static cot_value
join_heads(cot_place at, cot_value x)
{
    const int rank = cot_rank(x);
    int64_t shape[COT_MAX_RANK], perm[COT_MAX_RANK];

    for (int k = 0; k < rank; k++)
        perm[k] = k == rank - 3 ? rank - 2 : k == rank - 2 ? rank - 3 : k;
    x = cot_transpose(x, .perm = { rank, 0, perm });
    for (int k = 0; k < rank - 1; k++)
        shape[k] = cot_size(x, k);
    shape[rank - 2] = cot_size(x, -2) * cot_size(x, -1);
    return fe_shaped(at, x, rank - 1, shape);
}

static bool
same(cot_value x, cot_value y)
{
    return x.id == y.id && x.trace == y.trace && x.ctx == y.ctx;
}

/* q, k and v by their thirds of the weights: one product where they are one value. */
static void
projected(cot_place at, const cot_value *x, const cot_attention_weights *w, cot_value *y)
{
    cot_value weight[3], bias[3] = { { NULL, 0, 0 }, { NULL, 0, 0 }, { NULL, 0, 0 } };

    if (same(x[0], x[1]) && same(x[0], x[2])) {
        cot_split(cot_linear(x[0], w->in_weight, w->in_bias), 3, -1, y);
        return;
    }
    cot_split(w->in_weight, 3, 0, weight);
    if (fe_given(w->in_bias))
        cot_split(w->in_bias, 3, 0, bias);
    for (int i = 0; i < 3; i++)
        y[i] = cot_linear(x[i], weight[i], bias[i]);
}

cot_value
cot_multi_head_attention_(cot_place at, cot_value q, cot_value k, cot_value v,
                          const cot_attention_weights *w, int64_t heads,
                          const cot_attention_options *options, size_t size)
{
    FE_OPTIONS(cot_attention_options, o, options, size);
    const cot_value x[3] = { q, k, v };
    cot_value y[3];

    if (!fe_present(at, q, "multi_head_attention", w, "the weights"))
        return q;
    if (cot_dtype_of(q) == COT_DTYPE_NONE || cot_dtype_of(w->in_weight) == COT_DTYPE_NONE)
        return q;
    if (cot_rank(q) < 2 || cot_rank(w->in_weight) != 2 || heads < 1 ||
        cot_size(w->in_weight, 0) != 3 * cot_size(q, -1) || cot_size(q, -1) % heads)
        return fe_wrong(at, q, "multi_head_attention", ERR_shape_wrong,
                        "q is %s, in_weight is %s, %lld heads; wants q [..., l, e], in_weight "
                        "[3 e, e], and heads that divide e",
                        fe_type_text(q), fe_type_text(w->in_weight), (long long)heads);
    projected(at, x, w, y);
    for (int i = 0; i < 3; i++)
        y[i] = split_heads(at, y[i], heads);
    for (int i = 0; i < 2 && o.rotary; i++)
        y[i] = cot_rotary(y[i], .base = o.rotary_base);
    cot_value z = join_heads(at, cot_attention_(at, y[0], y[1], y[2], &o, sizeof o));
    return fe_given(w->out_weight) ? cot_linear(z, w->out_weight, w->out_bias) : z;
}

/* [l, d / 2]: position times base^(-2 i / d). */
static cot_value
angles(cot_place at, cot_trace *t, cot_value position, int64_t l, int64_t half, double base,
       cot_dtype dtype)
{
    cot_value p = fe_given(position) ? cot_convert(position, dtype)
                                     : cot_iota(t, cot_type_new(dtype, 1, &l), 0);
    cot_value i = cot_iota(t, cot_type_new(dtype, 1, &half), 0);
    cot_value f = cot_exp(cot_mul(i, -log(base == 0 ? 10000 : base) / (double)half));
    return cot_mul(cot_expand_dims(p, -1), f);
}

cot_value
cot_rotary_(cot_place at, cot_value x, const cot_rotary_options *options, size_t size)
{
    FE_OPTIONS(cot_rotary_options, o, options, size);
    cot_trace *t = fe_open(at, x, "rotary");

    if (!t || cot_dtype_of(x) == COT_DTYPE_NONE || !fe_floating(at, "rotary", x))
        return x;
    if (cot_rank(x) < 2 || cot_size(x, -1) % 2)
        return fe_wrong(at, x, "rotary", ERR_shape_wrong,
                        "x is %s; wants x [..., l, d] with an even d", fe_type_text(x));
    cot_value w = fe_wide(at, x), part[2];
    const int64_t half = cot_size(x, -1) / 2;
    cot_value a = angles(at, t, o.position, cot_size(x, -2), half, o.base, cot_dtype_of(w));
    cot_value c = cot_cos(a), s = cot_sin(a);
    if (o.interleaved) {
        part[0] = cot_index(w, COT_AT(COT_ELLIPSIS, COT_SPAN(0, COT_NONE, 2)));
        part[1] = cot_index(w, COT_AT(COT_ELLIPSIS, COT_SPAN(1, COT_NONE, 2)));
    } else {
        cot_split(w, 2, -1, part);
    }
    cot_value y[2] = { cot_sub(cot_mul(part[0], c), cot_mul(part[1], s)),
                       cot_add(cot_mul(part[1], c), cot_mul(part[0], s)) };
    int64_t shape[COT_MAX_RANK];
    for (int k = 0; k < cot_rank(x); k++)
        shape[k] = cot_size(x, k);
    cot_value z = o.interleaved
                      ? fe_shaped(at, cot_stack(COT_VALUES(y[0], y[1]), -1), cot_rank(x), shape)
                      : cot_concatenate(COT_VALUES(y[0], y[1]), -1);
    return fe_back(at, z, cot_dtype_of(x));
}

cot_value
cot_sinusoids_(cot_place at, cot_trace *t, cot_dtype dtype, int64_t l, int64_t d)
{
    const cot_value none = { NULL, 0, 0 };
    cot_value a = angles(at, t, none, l, d / 2, 10000, dtype);
    return cot_reshape(cot_stack(COT_VALUES(cot_sin(a), cot_cos(a)), -1), l, d / 2 * 2);
}
