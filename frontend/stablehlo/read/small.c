/* The formats of elements of 2, 4, 6 and 8 bits, and the value of one such element: integers of
 * 2 and 4 bits, floats of 4 to 8.
 *
 * Source: OCP 8-bit floating point specification, 2023; OCP microscaling formats, 2023;
 * ml_dtypes. */
#include "frontend/stablehlo/read/tree.h"

#include <math.h>

static const hlo_small formats[] = {
    { "i2", COT_I8, 2, 0, 0, 0 },
    { "i4", COT_I8, 4, 0, 0, 0 },
    { "si2", COT_I8, 2, 0, 0, 0 },
    { "si4", COT_I8, 4, 0, 0, 0 },
    { "ui2", COT_U8, 2, 0, 0, 0 },
    { "ui4", COT_U8, 4, 0, 0, 0 },
    { "f8E5M2", COT_F32, 8, 2, 15, HLO_IEEE },
    { "f8E4M3", COT_F32, 8, 3, 7, HLO_IEEE },
    { "f8E3M4", COT_F32, 8, 4, 3, HLO_IEEE },
    { "f8E4M3FN", COT_F32, 8, 3, 7, HLO_ONE_NAN },
    { "f8E5M2FNUZ", COT_F32, 8, 2, 16, HLO_NO_ZERO },
    { "f8E4M3FNUZ", COT_F32, 8, 3, 8, HLO_NO_ZERO },
    { "f8E4M3B11FNUZ", COT_F32, 8, 3, 11, HLO_NO_ZERO },
    { "f8E8M0FNU", COT_F32, 8, 0, 127, HLO_EXPONENT },
    { "f6E2M3FN", COT_F32, 6, 3, 1, HLO_FINITE },
    { "f6E3M2FN", COT_F32, 6, 2, 3, HLO_FINITE },
    { "f4E2M1FN", COT_F32, 4, 1, 1, HLO_FINITE },
};

const hlo_small *
fe_hlo_small(hlo_span name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (fe_hlo_is(name, formats[i].name))
            return &formats[i];
    return NULL;
}

/* The greatest number: all exponents but those of infinities, all digits but that of NaN. */
double
fe_hlo_small_greatest(const hlo_small *s)
{
    const int top = (1 << (s->bits - 1 - s->digits)) - 1 - s->bias;
    const double ulp = ldexp(1, -s->digits);

    return s->kind == HLO_IEEE ? ldexp(2 - ulp, top - 1)
                               : ldexp(s->kind == HLO_ONE_NAN ? 2 - 2 * ulp : 2 - ulp, top);
}

float
fe_hlo_small_decode(const hlo_small *s, unsigned bits)
{
    if (s->kind == HLO_EXPONENT)
        return bits == 255 ? NAN : ldexpf(1, (int)bits - s->bias);
    const int width = s->bits - 1 - s->digits;
    const unsigned sign = bits >> (s->bits - 1) & 1,
                   e = bits >> s->digits & ((1u << width) - 1);
    const unsigned m = bits & ((1u << s->digits) - 1), all = (1u << width) - 1;

    if ((s->kind == HLO_NO_ZERO && sign && e == 0 && m == 0) ||
        (s->kind == HLO_ONE_NAN && e == all && m == (1u << s->digits) - 1) ||
        (s->kind == HLO_IEEE && e == all && m != 0))
        return NAN;
    const double x = s->kind == HLO_IEEE && e == all ? (double)INFINITY
                     : e == 0                        ? ldexp(m, 1 - s->bias - s->digits)
                              : ldexp((1u << s->digits) + m, (int)e - s->bias - s->digits);
    return (float)(sign ? -x : x);
}

/* The nearest power of 2, of two the greater; what is not above 0 has none. */
static float
nearest_power(double x)
{
    int e;

    if (!(x > 0) || isinf(x))
        return NAN;
    const double part = frexp(x, &e);
    e -= part < 0.75;
    return e > 127 ? NAN : ldexpf(1, e < -127 ? -127 : e);
}

float
fe_hlo_small_round(const hlo_small *s, double x)
{
    int e;

    if (s->kind == HLO_EXPONENT)
        return nearest_power(x);
    const double a = s->kind == HLO_FINITE && isnan(x) ? 0 : fabs(x);

    frexp(a, &e);
    e = e - 1 < 1 - s->bias ? 1 - s->bias : e - 1;
    double y = isfinite(a) ? ldexp(rint(ldexp(a, s->digits - e)), e - s->digits) : a;
    if (y > fe_hlo_small_greatest(s))
        y = s->kind == HLO_IEEE     ? (double)INFINITY
            : s->kind == HLO_FINITE ? fe_hlo_small_greatest(s)
                                    : (double)NAN;
    y = signbit(x) && !isnan(x) && !(s->kind == HLO_NO_ZERO && y == 0) ? -y : y;
    return (float)y;
}
