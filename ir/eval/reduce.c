/* Reductions.  The operand is seen as [outer, n, inner], the n elements of each result in
 * row-major order.
 *
 * Sum and product follow docs/numerics.md section 3 to the letter: element i = 512 b + 32 t + l
 * belongs to lane l of block b; a lane combines its elements in order of t, a block folds its
 * lanes by halves, blocks combine in a binary tree aligned at powers of two.  Absent elements
 * are the neutral element, -0 or 1, which is exact.  Maximum, minimum, and, or are associative,
 * so they go in order of memory. */
#include <math.h>

#include "ir/eval/eval.h"

enum { LANES = 32, BLOCK = 512 };

#define FOLD_BLOCK(T, OP, x, step, count, neutral, result)                                \
    do {                                                                                  \
        T lane[LANES];                                                                    \
        for (int l = 0; l < LANES; l++)                                                   \
            lane[l] = (neutral);                                                          \
        for (int64_t i = 0; i < (count); i++)                                             \
            lane[i % LANES] = OP(T, lane[i % LANES], (x)[i * (step)]);                    \
        for (int h = LANES / 2; h > 0; h /= 2)                                            \
            for (int l = 0; l < h; l++)                                                   \
                lane[l] = OP(T, lane[l], lane[l + h]);                                    \
        (result) = lane[0];                                                               \
    } while (0)

/* One result from n elements x[0], x[step], ...; part has room for the blocks. */
#define DEFINE_ORDERED(name, T, OP, neutral)                                                   \
    static T name(const T *x, int64_t n, int64_t step, T *part)                                \
    {                                                                                          \
        int64_t m = 0;                                                                         \
        for (int64_t at = 0; at < n; at += BLOCK, m++)                                         \
            FOLD_BLOCK(T, OP, x + at * step, step, n - at < BLOCK ? n - at : BLOCK, neutral,   \
                       part[m]);                                                               \
        for (; m > 1; m = (m + 1) / 2)                                                         \
            for (int64_t i = 0; i < m; i += 2)                                                 \
                part[i / 2] = i + 1 < m ? OP(T, part[i], part[i + 1]) : part[i];               \
        return part[0];                                                                        \
    }

#define ADD_FLOAT(T, x, y) ((x) + (y))
#define MUL_FLOAT(T, x, y) ((x) * (y))
#define DEFINE_INT(D, T, f)                                                               \
    DEFINE_ORDERED(sum_##T, T, EVAL_ADD_INT, 0)                                           \
    DEFINE_ORDERED(prod_##T, T, EVAL_MUL_INT, 1)
EVAL_INTS(DEFINE_INT)
DEFINE_ORDERED(sum_float, float, ADD_FLOAT, -0.0f)
DEFINE_ORDERED(prod_float, float, MUL_FLOAT, 1.0f)
DEFINE_ORDERED(sum_double, double, ADD_FLOAT, -0.0)
DEFINE_ORDERED(prod_double, double, MUL_FLOAT, 1.0)

typedef struct axis_split {
    int64_t outer, n, inner;
} axis_split;

/* The reduced axes are adjacent. */
static axis_split
split_at(const ir_type *x, ir_axes axes)
{
    axis_split s = { 1, 1, 1 };

    for (int k = 0; k < x->rank; k++)
        if (ir_axes_has(axes, k))
            s.n *= x->dims[k];
        else if (axes & ir_axes_below(k))
            s.inner *= x->dims[k];
        else
            s.outer *= x->dims[k];
    return s;
}

static void
ordered(const ir_eval_args *a, cot_dtype t, const void *in, void *out)
{
    axis_split s = split_at(a->in_type[0], a->at->axes.axes);
    void *part = ir_alloc(a->scratch, 8 * (size_t)(s.n / BLOCK + 2));
    bool sum = ir_ops[a->op].by == IR_BY_SUM;

#define EACH(D, T, f)                                                                     \
    case D:                                                                               \
        for (int64_t o = 0; o < s.outer; o++)                                             \
            for (int64_t i = 0; i < s.inner; i++) {                                       \
                const T *x = (const T *)in + o * s.n * s.inner + i;                       \
                ((T *)out)[o * s.inner + i] =                                             \
                    s.n == 0 ? (T)(sum ? 0 : 1) :                                         \
                    sum ? sum_##T(x, s.n, s.inner, part) : prod_##T(x, s.n, s.inner, part); \
            }                                                                             \
        break;
    switch (t) {
    EVAL_NUMBERS(EACH)
    default: break;
    }
#undef EACH
}

/* Any set of axes, any order: every element is combined into its result. */
typedef struct reduction_strides {
    /* step of the result; 0 on reduced axes */
    int64_t dims[COT_MAX_RANK], step[COT_MAX_RANK];
    int rank;
} reduction_strides;

static reduction_strides
strides_of(const ir_eval_args *a)
{
    const ir_type *x = a->in_type[0];
    reduction_strides w = { .rank = x->rank };
    int64_t step = 1;

    for (int k = x->rank - 1; k >= 0; k--) {
        w.dims[k] = x->dims[k];
        w.step[k] = 0;
        if (!ir_axes_has(a->at->axes.axes, k)) {
            w.step[k] = step;
            step *= x->dims[k];
        }
    }
    return w;
}

/* The result that element i of the operand belongs to. */
static int64_t
result_of(const reduction_strides *w, int64_t i)
{
    int64_t r = 0;

    for (int k = w->rank - 1; k >= 0; k--) {
        r += i % w->dims[k] * w->step[k];
        i /= w->dims[k];
    }
    return r;
}

#define MIN_INT(T) ((T)-1 < (T)1 ? (T)((uint64_t)1 << (8 * sizeof(T) - 1)) : (T)0)
#define MAX_INT(T) ((T)~MIN_INT(T))

#define COMBINE_INTO(T, neutral, expr)                                                    \
    for (int64_t i = 0; i < a->out_type[0]->size; i++)                                    \
        ((T *)out)[i] = (neutral);                                                        \
    for (int64_t i = 0; i < a->in_type[0]->size; i++) {                                   \
        T x = ((const T *)in)[i], *r = (T *)out + result_of(&w, i);                       \
        *r = (T)(expr);                                                                   \
    }

static void
unordered(const ir_eval_args *a, cot_dtype t, const void *in, void *out)
{
    reduction_strides w = strides_of(a);

#define INT_CASES(D, T, f)                                                                     \
    case D:                                                                                    \
        switch (ir_ops[a->op].by) {                                                            \
        case IR_BY_MAX: COMBINE_INTO(T, MIN_INT(T), EVAL_MAX_INT(*r, x)) break;              \
        case IR_BY_MIN: COMBINE_INTO(T, MAX_INT(T), EVAL_MIN_INT(*r, x)) break;               \
        case IR_BY_AND: COMBINE_INTO(T, (T) - 1, *r & x) break;                                \
        default: COMBINE_INTO(T, 0, *r | x)                                                    \
        }                                                                                      \
        break;
#define FLOAT_CASES(D, T)                                                                      \
    case D:                                                                                    \
        if (ir_ops[a->op].by == IR_BY_MAX) {                                                   \
            COMBINE_INTO(T, (T) - INFINITY, EVAL_MAX_FLOAT(*r, x))                             \
        } else {                                                                               \
            COMBINE_INTO(T, (T)INFINITY, EVAL_MIN_FLOAT(*r, x))                                \
        }                                                                                      \
        break;
    switch (t) {
    EVAL_INTS(INT_CASES)
    FLOAT_CASES(COT_F32, float)
    FLOAT_CASES(COT_F64, double)
    default:                    /* bool: and, or */
        if (ir_ops[a->op].by == IR_BY_AND) {
            COMBINE_INTO(uint8_t, 1, *r & x)
        } else {
            COMBINE_INTO(uint8_t, 0, *r | x)
        }
    }
#undef INT_CASES
#undef FLOAT_CASES
}

cot_status
eval_reduce(const ir_eval_args *a)
{
    cot_dtype t = ir_compute_type(a->in_type[0]->dtype);
    const void *in = eval_widen(a->scratch, a->in_type[0], a->in[0]);
    void *out = eval_wide(a->scratch, a->out_type[0], a->out[0]);

    if (ir_is_ordered(a->op))
        ordered(a, t, in, out);
    else
        unordered(a, t, in, out);
    eval_narrow(a->out_type[0], out, a->out[0]);
    return COT_OK;
}

/* The index of the first NaN, else of the first of the largest (smallest); -0 equals +0. */
#define DEFINE_ARG(D, T, f)                                                               \
    static int64_t arg_##T(const T *x, int64_t n, int64_t step, bool max)                 \
    {                                                                                     \
        int64_t best = 0;                                                                 \
        for (int64_t i = 0; i < n; i++) {                                                 \
            T y = x[i * step], z = x[best * step];                                        \
            if (y != y)                                                                   \
                return i;                                                                 \
            if (max ? y > z : y < z)                                                      \
                best = i;                                                                 \
        }                                                                                 \
        return best;                                                                      \
    }
EVAL_NUMBERS(DEFINE_ARG)

cot_status
eval_arg(const ir_eval_args *a)
{
    const ir_type *t = a->in_type[0], *r = a->out_type[0];
    const void *in = eval_widen(a->scratch, t, a->in[0]);
    axis_split s = split_at(t, ir_axes_of((int)a->at->arg.axis));
    size_t width = cot_dtype_size(r->dtype);

    for (int64_t o = 0; o < s.outer; o++)
        for (int64_t i = 0; i < s.inner; i++) {
            int64_t at = o * s.n * s.inner + i, found = 0;

#define EACH(D, T, f)                                                                          \
    case D:                                                                                    \
        found = arg_##T((const T *)in + at, s.n, s.inner, ir_ops[a->op].by == IR_BY_MAX);      \
        break;
            switch (ir_compute_type(t->dtype)) {
            EVAL_NUMBERS(EACH)
            default: break;
            }
#undef EACH
            memcpy((char *)a->out[0] + (size_t)(o * s.inner + i) * width, &found, width);
        }
    return COT_OK;
}
