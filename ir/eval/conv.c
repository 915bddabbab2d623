/* Convolutions, as docs/numerics.md section 4 defines them: each result is a general dot
 * product over the window, row-major, then over features.  Each window is copied in that order
 * and multiplied with the kernel, which is transposed to [o, window c]. */
#include "ir/eval/eval.h"

typedef struct convolving {
    const ir_type *x, *w, *y;
    const ir_attrs *at;
    int spatial;
    size_t width;
    int64_t k, o;               /* elements of a window, results of each */
} convolving;

static int64_t
count(const ir_type *t, int from, int to)
{
    int64_t n = 1;

    for (int i = from; i < to; i++)
        n *= t->dims[i];
    return n;
}

/* The window at a position (row-major) of the example that begins at x. */
static void
window(const convolving *s, int64_t position, const char *x, char *to)
{
    int64_t dims[COT_MAX_RANK], from[COT_MAX_RANK], step[COT_MAX_RANK], all[COT_MAX_RANK],
        start = 0, size = 1;

    ir_strides(s->x, all);
    for (int i = s->spatial - 1; i >= 0; i--) {
        const int64_t n = s->y->dims[2 + i];

        start += position % n * s->at->conv.strides.at[i] * all[2 + i];
        position /= n;
    }
    for (int i = s->spatial; i >= 0; i--) {
        const bool features = i == s->spatial;

        dims[i] = features ? s->x->dims[s->x->rank - 1] : s->w->dims[1 + i];
        from[i] = features ? 1 : s->at->conv.dilation.at[i] * all[2 + i];
        step[i] = size;
        size *= dims[i];
    }
    eval_copy(s->width, s->spatial + 1, dims, to, step, x + (size_t)start * s->width, from);
}

cot_status
eval_conv(const ir_eval_args *a)
{
    const ir_type *x = a->in_type[0], *w = a->in_type[1], *y = a->out_type[0];
    const cot_dtype t = ir_compute_type(x->dtype);
    convolving s = { x,
                     w,
                     y,
                     a->at,
                     x->rank - 3,
                     cot_dtype_size(t),
                     count(w, 1, w->rank - 1),
                     w->dims[w->rank - 1] };
    const int64_t places = count(y, 2, y->rank - 1), each = count(x, 2, x->rank);
    const int64_t transposed[2] = { s.o, s.k }, to[2] = { s.k, 1 }, from[2] = { 1, s.o };
    const char *in = eval_widen(a->scratch, x, a->in[0]),
               *kernel = eval_widen(a->scratch, w, a->in[1]);
    char *q = ir_alloc(a->scratch, s.width * (size_t)(s.k * s.o)),
         *p = ir_alloc(a->scratch, s.width * (size_t)s.k);
    char *out = eval_wide(a->scratch, y, a->out[0]);

    for (int64_t g = 0; g < x->dims[0] && y->size > 0; g++) {
        eval_copy(s.width, 2, transposed, q, to, kernel + (size_t)(g * s.k * s.o) * s.width,
                  from);
        for (int64_t i = 0; i < x->dims[1] * places; i++) {
            const int64_t example = g * x->dims[1] + i / places;

            window(&s, i % places, in + (size_t)(example * each) * s.width, p);
            eval_products(t, 1, s.o, s.k, p, q,
                          out + (size_t)((g * x->dims[1] * places + i) * s.o) * s.width);
        }
    }
    eval_narrow(y, out, a->out[0]);
    return COT_OK;
}
