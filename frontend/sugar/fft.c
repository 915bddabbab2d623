/* Fourier transforms along several axes, of any size, by lines (fft_line.c); frequencies. */
#include <math.h>

#include "frontend/sugar/fft.h"
#include "ir/diag.h"

typedef struct fourier {
    const char *title;
    bool inverse, all;  /* all: axes, where none are given */
    cot_fft_options o;
} fourier;

typedef struct plan {
    int n, axis[COT_MAX_RANK];
    int64_t size[COT_MAX_RANK];     /* -1: as it is */
    double count;                   /* of numbers that are transformed together */
} plan;

static bool
find_axes(ir_build *b, const fourier *f, const ir_type *t, plan *p)
{
    const cot_list axes = f->o.axes, sizes = f->o.sizes;
    ir_axes seen = 0;

    *p = (plan){ .n = FE_AT(axes) ? axes.n
                      : f->all    ? (FE_AT(sizes) ? sizes.n : t->rank)
                                  : 1,
                 .count = 1 };
    if (!fe_lists(b, f->title, 2, (fe_named_list[]){ { "axes", axes }, { "sizes", sizes } }))
        return false;
    if (p->n > COT_MAX_RANK || (FE_AT(sizes) && sizes.n != p->n && !sizes.one)) {
        ir_build_fail(b, f->title, ERR_list_length, "sizes", sizes.n, p->n);
        return false;
    }
    for (int i = 0; i < p->n; i++) {
        p->axis[i] = fe_axis(b, f->title,
                             FE_AT(axes) ? FE_AT(axes)[axes.one ? 0 : i] : i - p->n, t->rank);
        if (p->axis[i] < 0)
            return false;
        if (ir_axes_has(seen, p->axis[i])) {
            ir_build_fail(b, f->title, ERR_axis_repeated, (long long)p->axis[i]);
            return false;
        }
        seen |= ir_axes_of(p->axis[i]);
        p->size[i] = FE_AT(sizes) ? FE_AT(sizes)[sizes.one ? 0 : i] : -1;
        if (FE_AT(sizes) && p->size[i] < 1) {
            ir_build_fail(b, f->title, ERR_list_entry, "sizes", i, (long long)p->size[i],
                          "1 or more");
            return false;
        }
    }
    return true;
}

static bool
has_elements(ir_build *b, const fourier *f, const ir_type *t, int axis)
{
    if (t->dims[axis] > 0)
        return true;
    ir_build_fail(b, f->title, ERR_axis_empty, (long long)axis, ir_type_str(b->ctx, t));
    return false;
}

static double
factor(const fourier *f, double count)
{
    const bool divided =
        f->inverse ? f->o.norm == COT_FFT_BACKWARD : f->o.norm == COT_FFT_FORWARD;
    return f->o.norm == COT_FFT_ORTHO ? 1 / sqrt(count) : divided ? 1 / count : 1;
}

/* A line function on an axis, which goes to the end and back. */
static ir_ref
along(ir_build *b, ir_ref x, int axis, const fourier *f)
{
    if (!x)
        return IR_NONE;
    const int last = ir_btype(b, x)->rank - 1;
    ir_ref y = fe_fft_line(b, ir_move_axis(b, x, axis, last), f->inverse);
    return y ? ir_move_axis(b, y, last, axis) : IR_NONE;
}

/* x, floating or complex, in f32 or wider. */
static ir_ref
ready(ir_build *b, const fourier *f, ir_ref x, bool real, bool complex)
{
    const cot_dtype t = ir_btype(b, x)->dtype;
    if ((real && ir_is_float(t)) || (complex && ir_is_complex(t)))
        return fe_widen(b, x);
    ir_build_fail(b, f->title, ERR_dtype_not, ir_type_str(b->ctx, ir_btype(b, x)),
                  !complex ? "a real floating type"
                  : real   ? "a floating or complex type"
                           : "a complex type");
    return IR_NONE;
}

static ir_ref
fft(ir_build *b, const fe_arg *in, int n, const void *options)
{
    const fourier *f = options;
    ir_ref x = ready(b, f, in[0].ref, true, true);
    plan p;

    (void)n;
    if (!x || !find_axes(b, f, ir_btype(b, x), &p))
        return IR_NONE;
    x = fe_fft_complex(b, x);
    for (int i = p.n - 1; i >= 0 && x; i--) {
        if (!has_elements(b, f, ir_btype(b, x), p.axis[i]))
            return IR_NONE;
        x = p.size[i] < 0 ? x : fe_fft_resized(b, x, p.axis[i], p.size[i]);
        p.count *= x ? (double)ir_btype(b, x)->dims[p.axis[i]] : 1;
        x = along(b, x, p.axis[i], f);
    }
    return fe_fft_scaled(b, x, factor(f, p.count));
}

static ir_ref
rfft(ir_build *b, const fe_arg *in, int n, const void *options)
{
    const fourier *f = options;
    ir_ref x = ready(b, f, in[0].ref, true, false);
    plan p;

    (void)n;
    if (!x || !find_axes(b, f, ir_btype(b, x), &p) || p.n == 0)
        return fe_fft_complex(b, x);
    for (int i = p.n - 1; i >= 0 && x; i--) {
        const int axis = p.axis[i], last = ir_btype(b, x)->rank - 1;
        if (!has_elements(b, f, ir_btype(b, x), axis))
            return IR_NONE;
        x = p.size[i] < 0 ? x : fe_fft_resized(b, x, axis, p.size[i]);
        p.count *= x ? (double)ir_btype(b, x)->dims[axis] : 1;
        if (i < p.n - 1)
            x = along(b, x, axis, f);
        else if ((x = x ? fe_fft_real(b, ir_move_axis(b, x, axis, last)) : IR_NONE))
            x = ir_move_axis(b, x, last, axis);
    }
    return fe_fft_scaled(b, x, factor(f, p.count));
}

static ir_ref
irfft(ir_build *b, const fe_arg *in, int n, const void *options)
{
    const fourier *f = options;
    ir_ref x = ready(b, f, in[0].ref, false, true);
    plan p;

    (void)n;
    if (!x || !find_axes(b, f, ir_btype(b, x), &p) || p.n == 0)
        return IR_NONE;
    for (int i = 0; i < p.n && x; i++) {
        const int axis = p.axis[i], last = ir_btype(b, x)->rank - 1;
        if (!has_elements(b, f, ir_btype(b, x), axis))
            return IR_NONE;
        const bool halved = i == p.n - 1;
        const int64_t own = ir_btype(b, x)->dims[axis], m = p.size[i] >= 0 ? p.size[i]
                                                            : halved       ? 2 * (own - 1)
                                                                           : own;
        if (m < 1) {
            ir_build_fail(b, f->title, ERR_list_entry, "sizes", i, (long long)m, "1 or more");
            return IR_NONE;
        }
        x = fe_fft_resized(b, x, axis, halved ? m / 2 + 1 : m);
        p.count *= (double)m;
        if (!halved)
            x = along(b, x, axis, f);
        else if ((x = x ? fe_fft_real_back(b, ir_move_axis(b, x, axis, last), m) : IR_NONE))
            x = ir_move_axis(b, x, last, axis);
    }
    return fe_fft_scaled(b, x, factor(f, p.count));
}

static ir_ref
shift(ir_build *b, const fe_arg *in, int n, const void *options)
{
    const fourier *f = options;
    ir_ref x = in[0].ref;
    plan p;

    (void)n;
    if (!x || !find_axes(b, f, ir_btype(b, x), &p))
        return IR_NONE;
    for (int i = 0; i < p.n && x; i++) {
        const int64_t size = ir_btype(b, x)->dims[p.axis[i]],
                      from = f->inverse ? size / 2 : (size + 1) / 2;
        const ir_ref part[2] = { ir_slice_axis(b, x, p.axis[i], from, size),
                                 ir_slice_axis(b, x, p.axis[i], 0, from) };
        x = ir_concatenate(b, 2, part, p.axis[i]);
    }
    return x;
}

#define FE_FOURIER(name, rule, back, every)                                                    \
    cot_value cot_##name##_(cot_place at, cot_value x, const cot_fft_options *o, size_t size)  \
    {                                                                                          \
        fourier f = { .title = #name, .inverse = back, .all = every };                         \
        fe_options(&f.o, sizeof f.o, o, size);                                                 \
        return fe_apply1(at, #name, rule, x, &f);                                              \
    }
FE_FOURIER(fft, fft, false, false)
FE_FOURIER(ifft, fft, true, false)
FE_FOURIER(rfft, rfft, false, false)
FE_FOURIER(irfft, irfft, true, false)
FE_FOURIER(fftn, fft, false, true)
FE_FOURIER(ifftn, fft, true, true)
FE_FOURIER(rfftn, rfft, false, true)
FE_FOURIER(irfftn, irfft, true, true)
FE_FOURIER(fftshift, shift, false, true)
FE_FOURIER(ifftshift, shift, true, true)

typedef struct frequencies {
    const char *title;
    cot_dtype dtype;
    int64_t n;
    double d;
    bool real;
} frequencies;

static ir_ref
frequency(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const frequencies *f = options;
    const int64_t count = f->real ? f->n / 2 + 1 : f->n;

    (void)x, (void)n;
    if (f->n < 1 || !ir_is_float(f->dtype)) {
        ir_build_fail(b, f->title, ERR_usage,
                      f->n < 1
                          ? ir_format(b->arena, "n is %lld; wants 1 or more", (long long)f->n)
                          : ir_format(b->arena, "dtype is %s; wants a floating type",
                                      cot_dtype_name(f->dtype)));
        return IR_NONE;
    }
    double *at = IR_NEW_N(b->arena, double, count);
    for (int64_t i = 0; i < count; i++)
        at[i] = (double)(f->real || i < (f->n + 1) / 2 ? i : i - f->n) / ((double)f->n * f->d);
    return ir_convert(b, ir_constant(b, ir_type_new(b->ctx, COT_F64, 1, &count), at), f->dtype);
}

cot_value
cot_fftfreq_(cot_place at, cot_trace *t, cot_dtype dtype, int64_t n, double d)
{
    return fe_apply0(at, t, "fftfreq", frequency,
                     &(frequencies){ "fftfreq", dtype, n, d, false });
}

cot_value
cot_rfftfreq_(cot_place at, cot_trace *t, cot_dtype dtype, int64_t n, double d)
{
    return fe_apply0(at, t, "rfftfreq", frequency,
                     &(frequencies){ "rfftfreq", dtype, n, d, true });
}
