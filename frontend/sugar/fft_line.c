/* Fourier transforms of one line of any length, of complex or of real numbers: made of the op
 * fft.
 *
 * A length with a large prime factor goes by L. I. Bluestein's convolution: with w_j = e^(-pi i
 * j^2 / n),
 *   Y[k] = w_k sum_j (x_j w_j) conj(w_(k-j)),
 * which is cyclic in any length m >= 2 n - 1; the transform of conj(w) is a constant.  A prime
 * n that n - 1 has no large prime factor for goes by C. Rader's, of length n - 1 (Proc. IEEE
 * 56, 1968).  Of h + 1 numbers that come from n = 2 h real ones, those of the evens and of the
 * odds, X[k] +- conj(X[h-k]), are the parts of h complex ones, of which the inverse lies in
 * memory as the real ones do. */
#include <math.h>

#include "frontend/sugar/fft.h"
#include "ir/fft.h"

typedef struct complex_parts {
    ir_ref re, im;
} complex_parts;

static complex_parts
parts_of(ir_build *b, ir_ref z)
{
    return (complex_parts){ ir_op1(b, OP_real, z), ir_op1(b, OP_imag, z) };
}

static ir_ref
whole(ir_build *b, complex_parts z)
{
    return ir_op2(b, OP_complex, z.re, z.im);
}

static ir_ref
times(ir_build *b, ir_ref x, double c)
{
    return c == 1 ? x : ir_mul(b, x, ir_like(b, x, c));
}

ir_ref
fe_fft_scaled(ir_build *b, ir_ref z, double c)
{
    if (c == 1 || !z)
        return z;
    if (!ir_is_complex(ir_btype(b, z)->dtype))
        return times(b, z, c);
    complex_parts p = parts_of(b, z);
    return whole(b, (complex_parts){ times(b, p.re, c), times(b, p.im, c) });
}

static int64_t
length(const ir_build *b, ir_ref x)
{
    const ir_type *t = ir_btype(b, x);
    return t->dims[t->rank - 1];
}

/* n numbers along the last axis of what is shaped as x there; re or im of a list of complex
 * ones. */
static ir_ref
along_last(ir_build *b, ir_ref x, int64_t n, const double *z, int part)
{
    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    const cot_dtype T = ir_part_type(t->dtype);
    int64_t dims[COT_MAX_RANK], last = t->rank - 1;
    void *data = ir_alloc(b->arena, (size_t)n * 8 + 1);
    for (int64_t i = 0; i < n; i++)
        if (T == COT_F64)
            ((double *)data)[i] = z[2 * i + part];
        else
            ((float *)data)[i] = (float)z[2 * i + part];
    for (int k = 0; k < t->rank; k++)
        dims[k] = k == last ? n : t->dims[k];
    ir_ref line = ir_constant(b, ir_type_new(b->ctx, T, 1, &n), data);
    return ir_broadcast_in_dim(b, line, t->rank, dims, &last);
}

static ir_ref
complex_along_last(ir_build *b, ir_ref x, int64_t n, const double *z)
{
    ir_ref re = along_last(b, x, n, z, 0);
    return whole(b, (complex_parts){ re, along_last(b, x, n, z, 1) });
}

/* x cut to n elements of an axis, or zeros put after them. */
ir_ref
fe_fft_resized(ir_build *b, ir_ref x, int axis, int64_t n)
{
    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    int64_t none[COT_MAX_RANK] = { 0 }, high[COT_MAX_RANK] = { 0 };
    if (t->dims[axis] >= n)
        return ir_slice_axis(b, x, axis, 0, n);
    high[axis] = n - t->dims[axis];
    return ir_pad(b, x, ir_splat(b, ir_scalar_type(b->ctx, t->dtype), 0), none, high, none);
}

/* ---- a line of any length ---- */

static ir_ref
plain(ir_build *b, ir_ref z, bool inverse)
{
    return z ? ir_node1(b, OP_fft, 1, &z, &(ir_attrs){ .fft = { inverse } }) : IR_NONE;
}

static int64_t
convolution_length(int64_t n)
{
    int64_t best = 1;
    while (best < 2 * n - 1)
        best *= 2;
    /* 3, 5, 9, 15 times a power of 2 may be nearer */
    for (int64_t odd = 3; odd <= 15; odd += 2)
        for (int64_t m = odd; m < best && ir_fft_takes(odd); m *= 2)
            if (m >= 2 * n - 1 && m % 8 == 0)
                best = m;
    return best;
}

/* j^2 mod n without overflow, below 2^31 at once. */
static int64_t
squared(int64_t j, int64_t n)
{
    int64_t sum = 0;
    if (j < INT64_C(1) << 31)
        return j * j % n;
    for (int64_t k = j, x = j % n; k; k /= 2, x = 2 * x % n)
        sum = k % 2 ? (sum + x) % n : sum;
    return sum;
}

static ir_ref
by_convolution(ir_build *b, ir_ref z, int64_t n, bool inverse)
{
    const int64_t m = convolution_length(n);
    double *w = IR_NEW_N(b->arena, double, 2 * n), *c = IR_NEW_N(b->arena, double, 2 * m);
    double *transformed = IR_NEW_N(b->arena, double, 2 * m);
    for (int64_t j = 0; j < n; j++) {
        ir_fft_root(squared(j, 2 * n), 2 * n, w + 2 * j, w + 2 * j + 1);
        w[2 * j + 1] *= inverse ? -1 : 1;
        for (int side = 0; side < (j ? 2 : 1); side++) {
            double *to = c + 2 * (side ? m - j : j);
            to[0] = w[2 * j] / (double)m;
            to[1] = -w[2 * j + 1] / (double)m;
        }
    }
    ir_fft_line(b->arena, m, false, c, transformed);
    ir_ref chirp = complex_along_last(b, z, n, w);
    ir_ref x = fe_fft_resized(b, ir_mul(b, z, chirp), ir_btype(b, z)->rank - 1, m);
    ir_ref rest_of_line = complex_along_last(b, x, m, transformed);
    ir_ref y = ir_mul(b, plain(b, x, false), rest_of_line);
    y = plain(b, y, true);
    return y ? ir_mul(b, ir_slice_axis(b, y, ir_btype(b, y)->rank - 1, 0, n), chirp) : IR_NONE;
}

/* x^y mod n, n below 2^31. */
static int64_t
power(int64_t x, int64_t y, int64_t n)
{
    int64_t z = 1;
    for (; y; y /= 2, x = x * x % n)
        z = y % 2 ? z * x % n : z;
    return z;
}

/* The least generator of the units modulo n, if n is a prime below 2^31 and n - 1 has prime
 * factors of at most 13; else 0. */
static int64_t
generator(int64_t n)
{
    static const int primes[] = { 2, 3, 5, 7, 11, 13 };

    if (n >= INT64_C(1) << 31 || n < 5 || !ir_fft_takes(n - 1))
        return 0;
    for (int64_t p = 2; p * p <= n; p++)
        if (n % p == 0)
            return 0;
    for (int64_t g = 2;; g++) {
        bool all = true;
        for (int i = 0; i < 6; i++)
            all &= (n - 1) % primes[i] != 0 || power(g, (n - 1) / primes[i], n) != 1;
        if (all)
            return g;
    }
}

/* The elements of z at the places along the last axis. */
static ir_ref
permuted(ir_build *b, ir_ref z, int64_t n, const int32_t *places)
{
    if (!z)
        return IR_NONE;
    const ir_type *t = ir_btype(b, z);
    const int64_t last = t->rank - 1, shape[2] = { n, 1 };
    int64_t *others = IR_NEW_N(b->arena, int64_t, t->rank),
            *sizes = IR_NEW_N(b->arena, int64_t, t->rank);

    for (int k = 0; k < t->rank; k++) {
        others[k] = k;
        sizes[k] = k < last ? t->dims[k] : 1;
    }
    const ir_attrs at = { .gather = { .offset_dims = { (int)last, others },
                                      .collapsed = { 1, ir_list(b, 1, &last).at },
                                      .index_map = { 1, ir_list(b, 1, &last).at },
                                      .sizes = { t->rank, sizes },
                                      .mode = IR_MODE_PROMISE } };
    const ir_ref in[2] = { z, ir_constant(b, ir_type_new(b->ctx, COT_I32, 2, shape), places) };
    return ir_node1(b, OP_gather, 2, in, &at);
}

/* Rader's: j = g^p, k = g^-q for j, k > 0, and Y[k] = x_0 + sum_p x_(g^p) w^(g^(p-q)), cyclic
 * in n - 1. */
static ir_ref
by_generator(ir_build *b, ir_ref z, int64_t n, int64_t g, bool inverse)
{
    const int64_t m = n - 1, last = ir_btype(b, z)->rank - 1;
    double *w = IR_NEW_N(b->arena, double, 2 * m),
        *transformed = IR_NEW_N(b->arena, double, 2 * m);
    int32_t *from = IR_NEW_N(b->arena, int32_t, m), *to = IR_NEW_N(b->arena, int32_t, m);

    for (int64_t p = 0, j = 1; p < m; p++, j = j * g % n) {
        const int64_t q = p ? m - p : 0; /* j = g^-q */
        double *c = w + 2 * q;
        ir_fft_root(j, n, c, c + 1);
        c[0] /= (double)m;
        c[1] *= (inverse ? -1 : 1) / (double)m;
        from[p] = (int32_t)j - 1;
        to[j - 1] = (int32_t)q;
    }
    ir_fft_line(b->arena, m, false, w, transformed);
    ir_ref zero = ir_slice_axis(b, z, (int)last, 0, 1),
           rest = ir_slice_axis(b, z, (int)last, 1, n);
    ir_ref x = plain(b, permuted(b, rest, m, from), false);
    ir_ref y = x ? plain(b, ir_mul(b, x, complex_along_last(b, x, m, transformed)), true)
        : IR_NONE;
    if (!y)
        return IR_NONE;
    ir_ref all[2] = { ir_add(b, zero, ir_slice_axis(b, x, (int)last, 0, 1)),
                      permuted(b, y, m, to) };
    const ir_type *t = ir_btype(b, y);
    int64_t same[COT_MAX_RANK];
    for (int k = 0; k <= last; k++)
        same[k] = k;
    all[1] = ir_add(b, all[1], ir_broadcast_in_dim(b, zero, t->rank, t->dims, same));
    return ir_concatenate(b, 2, all, (int)last);
}

/* Along the last axis, undivided. */
ir_ref
fe_fft_line(ir_build *b, ir_ref z, bool inverse)
{
    if (!z)
        return IR_NONE;
    const int64_t n = length(b, z);
    if (n < 1 || ir_fft_takes(n))
        return plain(b, z, inverse);
    const int64_t g = generator(n);
    return g ? by_generator(b, z, n, g, inverse) : by_convolution(b, z, n, inverse);
}

/* ---- real numbers ---- */

/* e^(-2 pi i k / n) for k < h */
static double *
roots(ir_build *b, int64_t h, int64_t n)
{
    double *w = IR_NEW_N(b->arena, double, 2 * h + 2);
    for (int64_t k = 0; k < h; k++)
        ir_fft_root(k, n, w + 2 * k, w + 2 * k + 1);
    return w;
}

/* Complex numbers as twice as many real ones: the parts lie side by side as they are. */
static ir_ref
unpaired(ir_build *b, ir_ref z)
{
    const ir_type *t = ir_btype(b, z);
    int64_t dims[COT_MAX_RANK + 1];
    complex_parts p = parts_of(b, z);
    memcpy(dims, t->dims, sizeof *dims * (size_t)t->rank);
    dims[t->rank] = 1;
    const ir_ref one[2] = { ir_reshape(b, p.re, t->rank + 1, dims),
                            ir_reshape(b, p.im, t->rank + 1, dims) };
    ir_ref both = ir_concatenate(b, 2, one, t->rank);
    dims[t->rank - 1] *= 2;
    return ir_reshape(b, both, t->rank, dims);
}

ir_ref
fe_fft_complex(ir_build *b, ir_ref x)
{
    return x ? ir_convert(b, x,
                          ir_is_complex(ir_btype(b, x)->dtype)
                              ? ir_btype(b, x)->dtype
                              : ir_complex_type(ir_btype(b, x)->dtype))
             : IR_NONE;
}

/* Real numbers as half as many complex ones, of which they are the parts, transformed: the
 * parts. */
static complex_parts
paired(ir_build *b, ir_ref x)
{
    const ir_type *t = ir_btype(b, x);
    const int axis = t->rank - 1;
    int64_t dims[COT_MAX_RANK + 1];
    ir_ref part[2];

    memcpy(dims, t->dims, sizeof *dims * (size_t)t->rank);
    dims[axis] /= 2;
    dims[axis + 1] = 2;
    ir_ref z = ir_reshape(b, x, t->rank + 1, dims);
    const bool whole_line = ir_fft_takes(dims[axis]);
    if (whole_line)             /* in memory they are complex numbers already */
        z = plain(b, z, false);
    for (int i = 0; i < 2 && z; i++)
        part[i] = ir_reshape(b, ir_slice_axis(b, z, axis + 1, i, i + 1), t->rank, dims);
    if (!z || whole_line)
        return z ? (complex_parts){ part[0], part[1] } : (complex_parts){ IR_NONE, IR_NONE };
    return parts_of(b, fe_fft_line(b, whole(b, (complex_parts){ part[0], part[1] }), false));
}

/* 0 ... h of what has period h. */
static ir_ref
closed(ir_build *b, ir_ref x, int axis)
{
    return ir_concatenate(b, 2, (ir_ref[]){ x, ir_slice_axis(b, x, axis, 0, 1) }, axis);
}

/* Of n = 2 h real numbers, with Z the transform of the evens plus i times the odds: those of
 * the evens and of the odds are (Z[k] + conj(Z[h-k])) / 2 and (Z[k] - conj(Z[h-k])) / 2i, which
 * a root of unity joins. */
static ir_ref
real_line_even(ir_build *b, ir_ref x)
{
    const int axis = ir_btype(b, x)->rank - 1;
    const int64_t n = length(b, x), h = n / 2;
    const ir_axes along = ir_axes_of(axis);
    double *w = roots(b, h + 1, n);
    complex_parts z = paired(b, x);

    if (!z.re || !z.im)
        return IR_NONE;
    z = (complex_parts){ closed(b, z.re, axis), closed(b, z.im, axis) };
    for (int64_t i = 0; i < 2 * h + 2; i++)
        w[i] /= 2;
    ir_ref mre = ir_reverse(b, z.re, along), mim = ir_reverse(b, z.im, along);
    ir_ref c = along_last(b, z.re, h + 1, w, 0), s = along_last(b, z.re, h + 1, w, 1);
    ir_ref even_re = times(b, ir_add(b, z.re, mre), 0.5),
           even_im = times(b, ir_sub(b, z.im, mim), 0.5);
    ir_ref odd_re = ir_add(b, z.im, mim), odd_im = ir_sub(b, mre, z.re);
    ir_ref product = ir_mul(b, s, odd_im);
    ir_ref turned_re = ir_sub(b, ir_mul(b, c, odd_re), product);
    ir_ref right = ir_mul(b, s, odd_re);
    ir_ref turned_im = ir_add(b, ir_mul(b, c, odd_im), right);
    return whole(
        b, (complex_parts){ ir_add(b, even_re, turned_re), ir_add(b, even_im, turned_im) });
}

/* Of real numbers number 0, and number n/2 of an even n, are real: what rounding leaves of the
 * imaginary part is 0. */
static ir_ref
exactly_real(ir_build *b, ir_ref y, int64_t n)
{
    complex_parts p = y ? parts_of(b, y) : (complex_parts){ IR_NONE, IR_NONE };
    if (!p.re || !p.im)
        return IR_NONE;
    const ir_type *t = ir_btype(b, p.im);
    ir_ref k = ir_iota(b, COT_I64, t->rank, t->dims, t->rank - 1),
           real = ir_op2(b, OP_eq, k, ir_like(b, k, 0));
    if (n % 2 == 0)
        real = ir_op2(b, OP_or, real, ir_op2(b, OP_eq, k, ir_like(b, k, (double)(n / 2))));
    p.im = ir_select(b, real, ir_like(b, p.im, 0), p.im);
    return whole(b, p);
}

/* The numbers 0 ... n/2 of the transform of n real ones. */
ir_ref
fe_fft_real(ir_build *b, ir_ref x)
{
    if (!x)
        return IR_NONE;
    if (length(b, x) % 2 == 0 && ir_btype(b, x)->rank < COT_MAX_RANK)
        return real_line_even(b, x);
    const int64_t n = length(b, x);
    ir_ref y = fe_fft_line(b, fe_fft_complex(b, x), false);
    return y ? exactly_real(b, ir_slice_axis(b, y, ir_btype(b, y)->rank - 1, 0, n / 2 + 1), n)
             : IR_NONE;
}

/* Without the imaginary parts that no transform of real numbers has: of the first, and the last
 * of an even n. */
static ir_ref
of_real(ir_build *b, ir_ref z, bool even)
{
    const int axis = ir_btype(b, z)->rank - 1;
    const int64_t m = length(b, z);
    complex_parts p = parts_of(b, z);
    ir_ref zero = ir_slice_axis(b, p.im, axis, 0, 1);
    if (!zero)
        return IR_NONE;
    zero = ir_like(b, zero, 0);
    ir_ref inner = ir_slice_axis(b, p.im, axis, 1, even ? m - 1 : m);
    p.im = ir_concatenate(b, even ? 3 : 2, (ir_ref[]){ zero, inner, zero }, axis);
    return whole(b, p);
}

static ir_ref
real_back_even(ir_build *b, ir_ref y, int64_t n)
{
    const int axis = ir_btype(b, y)->rank - 1;
    const int64_t h = n / 2;
    const double *w = roots(b, h, n);
    complex_parts x = parts_of(b, of_real(b, y, true));
    if (!x.re || !x.im)
        return IR_NONE;
    ir_ref re = ir_slice_axis(b, x.re, axis, 0, h), im = ir_slice_axis(b, x.im, axis, 0, h);
    const ir_axes along = ir_axes_of(axis);
    ir_ref mre = ir_reverse(b, ir_slice_axis(b, x.re, axis, 1, h + 1), along);
    ir_ref mim = ir_reverse(b, ir_slice_axis(b, x.im, axis, 1, h + 1), along);
    ir_ref c = along_last(b, y, h, w, 0), s = along_last(b, y, h, w, 1);
    ir_ref even_re = ir_add(b, re, mre), even_im = ir_sub(b, im, mim);
    ir_ref dif_re = ir_sub(b, re, mre), dif_im = ir_add(b, im, mim);
    /* times e^(2 pi i k / n), of which w has the conjugate; then times i */
    ir_ref product = ir_mul(b, s, dif_im);
    ir_ref odd_re = ir_add(b, ir_mul(b, c, dif_re), product);
    ir_ref right = ir_mul(b, s, dif_re);
    ir_ref odd_im = ir_sub(b, ir_mul(b, c, dif_im), right);
    ir_ref z =
        whole(b, (complex_parts){ ir_sub(b, even_re, odd_im), ir_add(b, even_im, odd_re) });
    z = fe_fft_line(b, z, true);
    return z ? unpaired(b, z) : IR_NONE;
}

/* n real numbers from the first n/2 + 1 of their transform, undivided. */
ir_ref
fe_fft_real_back(ir_build *b, ir_ref y, int64_t n)
{
    if (!y)
        return IR_NONE;
    const int axis = ir_btype(b, y)->rank - 1;
    if (n % 2 == 0 && ir_btype(b, y)->rank < COT_MAX_RANK)
        return real_back_even(b, y, n);
    ir_ref z = of_real(b, y, n % 2 == 0);
    ir_ref rest = z ? ir_slice_axis(b, z, axis, 1, n / 2 + n % 2) : IR_NONE;
    rest = rest ? ir_op1(b, OP_conj, ir_reverse(b, rest, ir_axes_of(axis))) : IR_NONE;
    ir_ref x = fe_fft_line(b, ir_concatenate(b, 2, (ir_ref[]){ z, rest }, axis), true);
    return x ? ir_op1(b, OP_real, x) : IR_NONE;
}
