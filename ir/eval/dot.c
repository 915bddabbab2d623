/* Products, as docs/numerics.md section 4 defines them.
 *
 * Both operands are copied to a canonical layout, x as [batch, m, k] and y as [batch, n, k] in
 * the compute type, k row-major over the contracted axes in their listed order.  Then each
 * result is one chain: in the inner form by lanes, blocks and tree as a sum; in the general
 * form by blocks of 256, added in order.
 * Which form it is depends on the dimension numbers, never on sizes. */
#include <math.h>

#include "ir/eval/eval.h"

enum { LANES = 32, INNER_BLOCK = 512, GENERAL_BLOCK = 256 };

typedef struct dot_operand {
    const ir_type *t;
    ir_ints contracted, batch;
    int64_t n_batch, n_free, n_k;
    int free;                       /* number of free axes */
} dot_operand;

static dot_operand
side_of(const ir_type *t, ir_ints contracted, ir_ints batch)
{
    dot_operand s = { t, contracted, batch, 1, 1, 1, t->rank - contracted.n - batch.n };

    for (int i = 0; i < batch.n; i++)
        s.n_batch *= t->dims[batch.at[i]];
    for (int i = 0; i < contracted.n; i++)
        s.n_k *= t->dims[contracted.at[i]];
    for (int k = 0; k < t->rank; k++)
        if (!ir_ints_has(contracted, k) && !ir_ints_has(batch, k))
            s.n_free *= t->dims[k];
    return s;
}

/* The operand as [batch, free, contracted]. */
static const void *
canonical(ir_arena *a, const dot_operand *s, const void *x)
{
    size_t width = cot_dtype_size(ir_compute_type(s->t->dtype));
    int64_t dims[COT_MAX_RANK], from[COT_MAX_RANK], to[COT_MAX_RANK], step[COT_MAX_RANK],
        size = 1;
    int rank = 0, axis[COT_MAX_RANK];
    void *p = ir_alloc(a, width * (size_t)s->t->size);

    for (int i = 0; i < s->batch.n; i++)
        axis[rank++] = (int)s->batch.at[i];
    for (int k = 0; k < s->t->rank; k++)
        if (!ir_ints_has(s->contracted, k) && !ir_ints_has(s->batch, k))
            axis[rank++] = k;
    for (int i = 0; i < s->contracted.n; i++)
        axis[rank++] = (int)s->contracted.at[i];
    ir_strides(s->t, step);
    for (int k = rank - 1; k >= 0; k--) {
        dims[k] = s->t->dims[axis[k]];
        from[k] = step[axis[k]];
        to[k] = size;
        size *= dims[k];
    }
    eval_copy(width, rank, dims, p, to, eval_widen(a, s->t, x), from);
    return p;
}

/* The last axes of the operand are its contracted ones, in order. */
static bool
contracts_last(const dot_operand *s)
{
    for (int i = 0; i < s->contracted.n; i++)
        if (s->contracted.at[i] != s->t->rank - s->contracted.n + i)
            return false;
    return true;
}

static bool
is_inner(const dot_operand *x, const dot_operand *y)
{
    if (x->free && y->free)
        return false;
    return (!x->free || contracts_last(x)) && (!y->free || contracts_last(y));
}

/* Section 3 with lane = fma(x, y, lane). */
#define DEFINE_INNER(T, FMA)                                                              \
    static T inner_##T(const T *x, const T *y, int64_t n, T *part)                        \
    {                                                                                     \
        int64_t m = 0;                                                                    \
        if (n == 0)                                                                       \
            return 0;                                                                     \
        for (int64_t at = 0; at < n; at += INNER_BLOCK, m++) {                            \
            T lane[LANES];                                                                \
            for (int l = 0; l < LANES; l++)                                               \
                lane[l] = -(T)0;                                                          \
            for (int64_t i = at; i < n && i < at + INNER_BLOCK; i++)                      \
                lane[i % LANES] = FMA(x[i], y[i], lane[i % LANES]);                       \
            for (int h = LANES / 2; h > 0; h /= 2)                                        \
                for (int l = 0; l < h; l++)                                               \
                    lane[l] += lane[l + h];                                               \
            part[m] = lane[0];                                                            \
        }                                                                                 \
        for (; m > 1; m = (m + 1) / 2)                                                    \
            for (int64_t i = 0; i < m; i += 2)                                            \
                part[i / 2] = i + 1 < m ? part[i] + part[i + 1] : part[i];                \
        return part[0];                                                                   \
    }
DEFINE_INNER(float, fmaf)
DEFINE_INNER(double, fma)

/* Blocks of 256, each a chain from +0, added in order. */
#define DEFINE_GENERAL(T, FMA)                                                            \
    static T general_##T(const T *x, const T *y, int64_t n, T *part)                      \
    {                                                                                     \
        T sum = 0;                                                                        \
        (void)part;                                                                       \
        for (int64_t at = 0; at < n; at += GENERAL_BLOCK) {                               \
            T p = 0;                                                                      \
            for (int64_t i = at; i < n && i < at + GENERAL_BLOCK; i++)                    \
                p = FMA(x[i], y[i], p);                                                   \
            sum = at == 0 ? p : sum + p;                                                  \
        }                                                                                 \
        return sum;                                                                       \
    }
DEFINE_GENERAL(float, fmaf)
DEFINE_GENERAL(double, fma)

#define DEFINE_INT(D, T, f)                                                               \
    static T general_##T(const T *x, const T *y, int64_t n, T *part)                      \
    {                                                                                     \
        T sum = 0;                                                                        \
        (void)part;                                                                       \
        for (int64_t i = 0; i < n; i++)                                                   \
            sum = EVAL_ADD_INT(T, sum, EVAL_MUL_INT(T, x[i], y[i]));                      \
        return sum;                                                                       \
    }
EVAL_INTS(DEFINE_INT)

#define EACH_RESULT(T, dot)                                                               \
    for (int64_t b = 0; b < x->n_batch; b++)                                              \
        for (int64_t i = 0; i < x->n_free; i++)                                           \
            for (int64_t j = 0; j < y->n_free; j++)                                       \
                *((T *)out + (b * x->n_free + i) * y->n_free + j) =                       \
                    dot((const T *)p + (b * x->n_free + i) * k,                           \
                        (const T *)q + (b * y->n_free + j) * k, k, part);

static void
products(cot_dtype t, const dot_operand *x, const dot_operand *y, const void *p, const void *q,
         void *part, void *out)
{
    int64_t k = x->n_k;
    bool inner = is_inner(x, y);

    switch (t) {
#define INT_CASE(D, T, f) case D: EACH_RESULT(T, general_##T) break;
    EVAL_INTS(INT_CASE)
#undef INT_CASE
    case COT_F32:
        if (inner) {
            EACH_RESULT(float, inner_float)
        } else {
            EACH_RESULT(float, general_float)
        }
        break;
    default:
        if (inner) {
            EACH_RESULT(double, inner_double)
        } else {
            EACH_RESULT(double, general_double)
        }
    }
}

void
eval_products(cot_dtype t, int64_t rows, int64_t columns, int64_t k, const void *p,
              const void *q, void *out)
{
    const dot_operand x = { .n_batch = 1, .n_free = rows, .n_k = k, .free = 1 },
                      y = { .n_batch = 1, .n_free = columns, .n_k = k, .free = 1 };

    products(t, &x, &y, p, q, NULL, out);
}

cot_status
eval_dot(const ir_eval_args *a)
{
    dot_operand x = side_of(a->in_type[0], a->at->dot.lhs, a->at->dot.lhs_batch);
    dot_operand y = side_of(a->in_type[1], a->at->dot.rhs, a->at->dot.rhs_batch);
    const void *p = canonical(a->scratch, &x, a->in[0]),
               *q = canonical(a->scratch, &y, a->in[1]);
    void *out = eval_wide(a->scratch, a->out_type[0], a->out[0]);
    void *part = ir_alloc(a->scratch, 8 * (size_t)(x.n_k / INNER_BLOCK + 2));

    products(ir_compute_type(a->in_type[0]->dtype), &x, &y, p, q, part, out);
    eval_narrow(a->out_type[0], out, a->out[0]);
    return COT_OK;
}
