/* Factors and roots of unity (fft.h). */
#include <math.h>

#include "ir/fft.h"

bool
ir_fft_takes(int64_t n)
{
    for (int64_t p = 2; p <= IR_FFT_LARGEST && n > 0; p++)
        while (n % p == 0)
            n /= p;
    return n == 1;
}

/* sin and cos of x + y, |x| <= pi/4 and y below an ulp of x: Taylor's series, the largest term
 * last, so that its rounding is the only one that counts. */
static double
sin_of(double x, double y)
{
    const double z = x * x;
    const double r =
        -1.0 / 6 +
        z * (1.0 / 120 +
             z * (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800 +
                                                         z * (1.0 / 6227020800.0 +
                                                              z * (-1.0 / 1307674368000.0))))));
    return x + (z * x * r + y * (1 - 0.5 * z));
}

static double
cos_of(double x, double y)
{
    const double z = x * x, half = 0.5 * z, w = 1 - half;
    const double r =
        1.0 / 24 +
        z * (-1.0 / 720 + z * (1.0 / 40320 + z * (-1.0 / 3628800 +
                                                  z * (1.0 / 479001600.0 +
                                                       z * (-1.0 / 87178291200.0 +
                                                            z * (1.0 / 20922789888000.0))))));
    return w + ((1 - w - half) + (z * z * r - x * y));
}

/* The angle is (o + t/n) pi/4 with o and t exact; an odd octant is measured from its other
 * end. */
void
ir_fft_root(int64_t j, int64_t n, double *re, double *im)
{
    const double high = 0x1.921fb54442d18p-1, low = 0x1.1a62633145c07p-55; /* pi/4 */
    const int octant = (int)(8 * j / n);
    const int64_t t = 8 * j - octant * n, d = octant & 1 ? n - t : t;
    const double q = (double)d / (double)n, rest = fma(-q, (double)n, (double)d) / (double)n;
    const double x = q * high, y = fma(q, high, -x) + (q * low + rest * high);
    const double c = cos_of(x, y), s = sin_of(x, y);
    const bool swap = ((octant + 1) & 2) != 0;
    const double a = swap ? s : c, b = swap ? c : s;
    *re = octant >= 2 && octant < 6 ? -a : a;
    *im = octant < 4 ? -b : b;
    *re += 0.0, *im += 0.0; /* no zero is negative */
}

static void
roots(ir_arena *a, ir_fft_stage *g, cot_dtype t)
{
    const size_t count = (size_t)(g->radix - 1) * (size_t)g->m;
    const bool wide = t == COT_F64;
    float *fr = wide ? NULL : IR_NEW_N(a, float, count),
          *fi = wide ? NULL : IR_NEW_N(a, float, count);
    double *dr = wide ? IR_NEW_N(a, double, count) : NULL,
           *di = wide ? IR_NEW_N(a, double, count) : NULL;
    for (int64_t k = 1; k < g->radix; k++)
        for (int64_t p = 0; p < g->m; p++) {
            const size_t at = (size_t)((k - 1) * g->m + p);
            double re, im;
            ir_fft_root(p * k, g->m * g->radix, &re, &im);
            if (wide)
                dr[at] = re, di[at] = im;
            else
                fr[at] = (float)re, fi[at] = (float)im;
        }
    g->re = wide ? (const void *)dr : fr;
    g->im = wide ? (const void *)di : fi;
}

/* Radix 8 comes first, since the vector loops of the later stages run along s; the powers of 2
 * that are left become radix 4 and 2. */
static int
factors(int64_t n, int *radix)
{
    int twos = 0, k = 0;
    for (; n % 2 == 0; n /= 2)
        twos++;
    const int fours = twos % 3 == 0 ? 0 : twos % 3 == 2 ? 1 : twos >= 4 ? 2 : 0;
    for (int left = twos - 2 * fours; left >= 3; left -= 3)
        radix[k++] = 8;
    for (int i = 0; i < fours; i++)
        radix[k++] = 4;
    if (twos == 1)
        radix[k++] = 2;
    for (int p = 3; p <= IR_FFT_LARGEST; p += 2)
        for (; n % p == 0; n /= p)
            radix[k++] = p;
    if (k == 0)
        radix[k++] = 1;
    return k;
}

ir_fft *
ir_fft_new(ir_arena *a, int64_t n, cot_dtype t)
{
    ir_fft *f = IR_NEW(a, ir_fft);
    int radix[IR_FFT_STAGES];
    int64_t m = n, s = 1;
    *f = (ir_fft){ .n = n, .stages = factors(n, radix) };
    for (int i = 0; i < f->stages; i++) {
        m /= radix[i];
        f->stage[i] = (ir_fft_stage){ .radix = radix[i], .m = m, .s = s };
        if (m > 1)
            roots(a, &f->stage[i], t);
        s *= radix[i];
    }
    return f;
}
