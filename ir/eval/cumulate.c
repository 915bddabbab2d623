/* cumsum, cumprod, cummax, cummin: line by line, in place, in the order of docs/numerics.md
 * section 5.
 *
 * A chunk of 16 is scanned by W. Hillis and G. Steele's method (Data Parallel Algorithms, CACM
 * 1986): for d = 1, 2, 4, 8 each element takes in the one d before it.  The last element of a
 * chunk goes into all of the next, within a block of 1,024; the last ones of the blocks are
 * scanned by the same rule, and each goes into all of the next block. */
#include <math.h>

#include "ir/eval/eval.h"

enum { CHUNK = 16, BLOCK = 1024 };

#define ADD_INT(T, x, y) EVAL_ADD_INT(T, x, y)
#define MUL_INT(T, x, y) EVAL_MUL_INT(T, x, y)
#define ADD_FLOAT(T, x, y) ((x) + (y))
#define MUL_FLOAT(T, x, y) ((x) * (y))

#define DEFINE_SCAN(T, kind)                                                                   \
    static T combine_##T(ir_combine by, T x, T y)                                              \
    {                                                                                          \
        switch (by) {                                                                          \
        case IR_BY_SUM: return ADD_##kind(T, x, y);                                            \
        case IR_BY_PROD: return MUL_##kind(T, x, y);                                           \
        case IR_BY_MAX: return EVAL_MAX_##kind(x, y);                                          \
        default: return EVAL_MIN_##kind(x, y);                                                 \
        }                                                                                      \
    }                                                                                          \
    static void chunk_##T(ir_combine by, T *x, int64_t n, const T *before)                     \
    {                                                                                          \
        for (int64_t d = 1; d < n; d *= 2)                                                     \
            for (int64_t i = n - 1; i >= d; i--)                                               \
                x[i] = combine_##T(by, x[i - d], x[i]);                                        \
        for (int64_t i = 0; before && i < n; i++)                                              \
            x[i] = combine_##T(by, *before, x[i]);                                             \
    }                                                                                          \
    static void scan_##T(ir_combine by, T *x, int64_t n, T *totals)                            \
    {                                                                                          \
        const int64_t full = (n - 1) / BLOCK;                                                  \
        for (int64_t i = 0; i < n; i += CHUNK)                                                 \
            chunk_##T(by, x + i, n - i < CHUNK ? n - i : CHUNK, i % BLOCK ? x + i - 1 : NULL); \
        if (full == 0)                                                                         \
            return;                                                                            \
        for (int64_t b = 0; b < full; b++)                                                     \
            totals[b] = x[b * BLOCK + BLOCK - 1];                                              \
        scan_##T(by, totals, full, totals + full);                                             \
        for (int64_t i = BLOCK; i < n; i++)                                                    \
            x[i] = combine_##T(by, totals[i / BLOCK - 1], x[i]);                               \
    }

#define DEFINE_EACH(D, T, is_float) DEFINE_##is_float(T)
#define DEFINE_0(T) DEFINE_SCAN(T, INT)
#define DEFINE_1(T) DEFINE_SCAN(T, FLOAT)
EVAL_NUMBERS(DEFINE_EACH)

cot_status
eval_cumulate(const ir_eval_args *a)
{
    const ir_type *t = a->in_type[0];
    const int axis = (int)a->at->cumulate.axis;
    const int64_t n = t->dims[axis];
    const void *in = eval_widen(a->scratch, t, a->in[0]);
    void *out = eval_wide(a->scratch, t, a->out[0]);
    int64_t inner = 1;

    for (int k = axis + 1; k < t->rank; k++)
        inner *= t->dims[k];
    void *line = ir_alloc(a->scratch, 8 * (size_t)(n + 1)),
         *totals = ir_alloc(a->scratch, 8 * (size_t)(n / 512 + 2));
    for (int64_t i = 0; n > 0 && i < t->size / n; i++) {
        const int64_t first = i / inner * n * inner + i % inner;
        const int64_t start = a->at->cumulate.reverse ? first + (n - 1) * inner : first;
        const int64_t step = a->at->cumulate.reverse ? -inner : inner;

#define EACH(D, T, is_float)                                                                   \
    case D:                                                                                    \
        for (int64_t k = 0; k < n; k++)                                                        \
            ((T *)line)[k] = ((const T *)in)[start + k * step];                                \
        scan_##T(ir_ops[a->op].by, line, n, totals);                                           \
        for (int64_t k = 0; k < n; k++)                                                        \
            ((T *)out)[start + k * step] = ((T *)line)[k];                                     \
        break;
        switch (ir_compute_type(t->dtype)) {
        EVAL_NUMBERS(EACH)
        default: break;
        }
#undef EACH
    }
    eval_narrow(t, out, a->out[0]);
    return COT_OK;
}
