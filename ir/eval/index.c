/* Indexing at run time.
 *
 * gather and scatter share one picture.  Every index vector names a window of the operand: a
 * start on each axis, from the vector through index_map or, on batch axes, from the vector's
 * own position.  `windows` computes where each window begins, or that it is left out; then
 * gather copies windows and scatter visits the updates one by one, in row-major order, which is
 * the order that defines the result of scatter_add and scatter_mul (docs/numerics.md section
 * 5).
 *
 * A window that would leave the operand is moved inside (clip; and promise, since the reference
 * evaluator does not rely on the promise), or left out as a whole (fill). */
#include <math.h>

#include "ir/eval/eval.h"

/* The start of a box on one axis: moved inside. */
static int64_t
clamped(int64_t start, int64_t most)
{
    return start < 0 ? 0 : start > most ? most : start;
}

/* Where the box at the starts (operands from, ...) begins, in elements. */
static int64_t
box_start(const ir_eval_args *a, int from, const int64_t *sizes)
{
    const ir_type *x = a->in_type[0];
    int64_t step[COT_MAX_RANK], first = 0;

    ir_strides(x, step);
    for (int k = 0; k < x->rank; k++) {
        int64_t start = eval_index(a->in_type[from + k]->dtype, a->in[from + k], 0);

        first += clamped(start, x->dims[k] - sizes[k]) * step[k];
    }
    return first;
}

cot_status
eval_dynamic_slice(const ir_eval_args *a)
{
    const ir_type *x = a->in_type[0], *r = a->out_type[0];
    size_t width = cot_dtype_size(x->dtype);
    int64_t from[COT_MAX_RANK], to[COT_MAX_RANK], first = box_start(a, 1, r->dims);

    if (r->size == 0)
        return COT_OK;
    ir_strides(x, from);
    ir_strides(r, to);
    eval_copy(width, r->rank, r->dims, a->out[0], to,
              (const char *)a->in[0] + (size_t)first * width, from);
    return COT_OK;
}

cot_status
eval_dynamic_update_slice(const ir_eval_args *a)
{
    const ir_type *x = a->in_type[0], *y = a->in_type[1];
    size_t width = cot_dtype_size(x->dtype);
    int64_t from[COT_MAX_RANK], to[COT_MAX_RANK], first = box_start(a, 2, y->dims);

    eval_put(a->out[0], a->in[0], eval_bytes(x));
    if (y->size == 0)
        return COT_OK;
    ir_strides(y, from);
    ir_strides(x, to);
    eval_copy(width, y->rank, y->dims, (char *)a->out[0] + (size_t)first * width, to, a->in[1],
              from);
    return COT_OK;
}

/* What gather and scatter have in common. */
typedef struct indexing {
    const ir_type *x, *y;
    const void *indices;
    /* outer: offset_dims, window_dims */
    ir_ints thin, operand_batch, indices_batch, index_map, outer;
    int mode;
    int64_t size[COT_MAX_RANK];         /* of the window, on each axis of x */
    int64_t count;                      /* of windows */
    int64_t *start;                     /* of each window, in elements of x; -1: left out */
} indexing;

enum { LEFT_OUT = -1 };

static int64_t
window_start(const indexing *g, int64_t window)
{
    int64_t at[COT_MAX_RANK], step[COT_MAX_RANK], first = 0, rest = window;
    int64_t length = g->y->dims[g->y->rank - 1];

    ir_strides(g->x, step);
    for (int k = g->y->rank - 2; k >= 0; k--) {
        at[k] = rest % g->y->dims[k];
        rest /= g->y->dims[k];
    }
    for (int i = 0; i < g->operand_batch.n; i++)
        first += at[g->indices_batch.at[i]] * step[g->operand_batch.at[i]];
    for (int i = 0; i < g->index_map.n; i++) {
        int64_t k = g->index_map.at[i], most = g->x->dims[k] - g->size[k];
        int64_t start = eval_index(g->y->dtype, g->indices, window * length + i);

        if (most < 0 || (g->mode == IR_MODE_FILL && (start < 0 || start > most)))
            return LEFT_OUT;
        first += clamped(start, most) * step[k];
    }
    return first;
}

static void
find_windows(ir_arena *a, indexing *g)
{
    g->count = 1;
    for (int k = 0; k < g->y->rank - 1; k++)
        g->count *= g->y->dims[k];
    g->start = IR_NEW_N(a, int64_t, g->count);
    for (int64_t i = 0; i < g->count; i++)
        g->start[i] = window_start(g, i);
}

static bool
is_window_axis(const indexing *g, int k)
{
    return !ir_ints_has(g->thin, k) && !ir_ints_has(g->operand_batch, k);
}

/* NaN, the least integer (0 if unsigned), or false. */
static uint64_t
fill_value(cot_dtype t)
{
    union { float f; double d; uint64_t bits; } u = { .bits = 0 };

    switch (t) {
    case COT_F16:  return 0x7e00;
    case COT_BF16: return 0x7fc0;
    case COT_F32:  u.f = NAN; return u.bits;
    case COT_F64:  u.d = NAN; return u.bits;
    default:       return ir_is_signed(t) ? (uint64_t)1 << (ir_bits(t) - 1) : 0;
    }
}

/* The element of the result at which window w of a gather starts. */
static int64_t
window_target(const indexing *g, const ir_type *r, const int64_t *out_step, int64_t w)
{
    int64_t target = 0, axis = g->y->rank - 2;

    for (int k = r->rank - 1; k >= 0; k--)
        if (!ir_ints_has(g->outer, k)) {
            target += w % g->y->dims[axis] * out_step[k];
            w /= g->y->dims[axis--];
        }
    return target;
}

cot_status
eval_gather(const ir_eval_args *a)
{
    const ir_type *x = a->in_type[0], *r = a->out_type[0];
    indexing g = { .x = x,
                   .y = a->in_type[1],
                   .indices = a->in[1],
                   .thin = a->at->gather.collapsed,
                   .operand_batch = a->at->gather.operand_batch,
                   .indices_batch = a->at->gather.indices_batch,
                   .index_map = a->at->gather.index_map,
                   .outer = a->at->gather.offset_dims,
                   .mode = a->at->gather.mode };
    size_t width = cot_dtype_size(x->dtype);
    int64_t step[COT_MAX_RANK], out_step[COT_MAX_RANK];
    int64_t dims[COT_MAX_RANK], from[COT_MAX_RANK], to[COT_MAX_RANK],
        none[COT_MAX_RANK] = { 0 };
    uint64_t fill = fill_value(x->dtype);
    int rank = 0;

    if (r->size == 0)
        return COT_OK;
    memcpy(g.size, a->at->gather.sizes.at, sizeof(int64_t) * (size_t)x->rank);
    find_windows(a->scratch, &g);
    ir_strides(x, step);
    ir_strides(r, out_step);
    for (int k = 0; k < x->rank; k++)
        if (is_window_axis(&g, k)) {
            dims[rank] = g.size[k];
            from[rank] = step[k];
            to[rank] = out_step[g.outer.at[rank]];
            rank++;
        }
    for (int64_t w = 0; w < g.count; w++) {
        const int64_t target = window_target(&g, r, out_step, w);
        char *out = (char *)a->out[0] + (size_t)target * width;
        if (g.start[w] == LEFT_OUT)
            eval_copy(width, rank, dims, out, to, &fill, none);
        else
            eval_copy(width, rank, dims, out, to,
                      (const char *)a->in[0] + (size_t)g.start[w] * width, from);
    }
    return COT_OK;
}

/* The element of x that each update belongs to; -1: none. */
static int64_t *
find_targets(ir_arena *a, const indexing *g, const ir_type *z)
{
    int64_t *target = IR_NEW_N(a, int64_t, z->size), step[COT_MAX_RANK];
    int axis[COT_MAX_RANK], n = 0;      /* the axes of x that the window has */

    ir_strides(g->x, step);
    for (int k = 0; k < g->x->rank; k++)
        if (is_window_axis(g, k))
            axis[n++] = k;
    for (int64_t i = 0; i < z->size; i++) {
        int64_t rest = i, window = 0, scale = 1, offset = 0;
        int m = n;

        for (int k = z->rank - 1; k >= 0; k--) {
            int64_t at = rest % z->dims[k];

            rest /= z->dims[k];
            if (ir_ints_has(g->outer, k)) {
                offset += at * step[axis[--m]];
            } else {
                window += at * scale;
                scale *= z->dims[k];
            }
        }
        target[i] = g->start[window] == LEFT_OUT ? LEFT_OUT : g->start[window] + offset;
    }
    return target;
}

#define MAX_NUMBER(x, y) ((x) > (y) ? (x) : (y))
#define MIN_NUMBER(x, y) ((x) < (y) ? (x) : (y))
#define MAX_FLOAT(x, y)                                                                        \
    ((x) != (x)   ? (x)                                                                        \
     : (y) != (y) ? (y)                                                                        \
     : (x) == (y) ? (signbit(x) ? (y) : (x))                                                   \
                  : MAX_NUMBER(x, y))
#define MIN_FLOAT(x, y)                                                                        \
    ((x) != (x)   ? (x)                                                                        \
     : (y) != (y) ? (y)                                                                        \
     : (x) == (y) ? (signbit(x) ? (x) : (y))                                                   \
                  : MIN_NUMBER(x, y))

#define COMBINE(T, expr)                                                                  \
    for (int64_t i = 0; i < n; i++)                                                       \
        if (target[i] != LEFT_OUT) {                                                      \
            T *r = (T *)out + target[i], u = ((const T *)z)[i];                           \
            *r = (T)(expr);                                                               \
        }

static void
combine(ir_combine by, cot_dtype t, int64_t n, const int64_t *target, void *out, const void *z)
{
    switch (t) {
#define INT_CASES(D, T, f)                                                                     \
    case D:                                                                                    \
        switch (by) {                                                                          \
        case IR_BY_SUM: COMBINE(T, EVAL_ADD_INT(T, *r, u)) break;                              \
        case IR_BY_PROD: COMBINE(T, EVAL_MUL_INT(T, *r, u)) break;                             \
        case IR_BY_MIN: COMBINE(T, MIN_NUMBER(*r, u)) break;                                   \
        default: COMBINE(T, MAX_NUMBER(*r, u))                                                 \
        }                                                                                      \
        break;
#define FLOAT_CASES(D, T)                                                                      \
    case D:                                                                                    \
        switch (by) {                                                                          \
        case IR_BY_SUM: COMBINE(T, *r + u) break;                                              \
        case IR_BY_PROD: COMBINE(T, *r *u) break;                                              \
        case IR_BY_MIN: COMBINE(T, MIN_FLOAT(*r, u)) break;                                    \
        default: COMBINE(T, MAX_FLOAT(*r, u))                                                  \
        }                                                                                      \
        break;
        EVAL_INTS(INT_CASES)
        FLOAT_CASES(COT_F32, float)
        FLOAT_CASES(COT_F64, double)
    default: break;
#undef INT_CASES
#undef FLOAT_CASES
    }
}

cot_status
eval_scatter(const ir_eval_args *a)
{
    const ir_type *x = a->in_type[0], *z = a->in_type[2];
    indexing g = { .x = x,
                   .y = a->in_type[1],
                   .indices = a->in[1],
                   .thin = a->at->scatter.inserted,
                   .operand_batch = a->at->scatter.operand_batch,
                   .indices_batch = a->at->scatter.indices_batch,
                   .index_map = a->at->scatter.index_map,
                   .outer = a->at->scatter.window_dims,
                   .mode = a->at->scatter.mode };
    size_t width = cot_dtype_size(x->dtype);
    int windows = 0;

    for (int k = 0; k < x->rank; k++)
        g.size[k] = is_window_axis(&g, k) ? z->dims[g.outer.at[windows++]] : 1;
    find_windows(a->scratch, &g);
    const int64_t *target = find_targets(a->scratch, &g, z);
    if (!ir_ops[a->op].by) {
        eval_put(a->out[0], a->in[0], eval_bytes(x));
        for (int64_t i = 0; i < z->size; i++)
            if (target[i] != LEFT_OUT)
                memcpy((char *)a->out[0] + (size_t)target[i] * width,
                       (const char *)a->in[2] + (size_t)i * width, width);
        return COT_OK;
    }
    cot_dtype t = ir_compute_type(x->dtype);
    void *out = eval_wide(a->scratch, x, a->out[0]);
    eval_put(out, eval_widen(a->scratch, x, a->in[0]), cot_dtype_size(t) * (size_t)x->size);
    combine(ir_ops[a->op].by, t, z->size, target, out, eval_widen(a->scratch, z, a->in[2]));
    eval_narrow(x, out, a->out[0]);
    return COT_OK;
}
