/* The exponential integral Ei(x), the principal value of the integral of e^t / t to x.
 *
 * From -1 to 8 it is c + log|x| + the sum of x^k / (k k!), c Euler's constant; outside, e^x / x
 * times a polynomial in 1 / |x| on two intervals each, which interpolates at Chebyshev's points
 * and has terms down to 1e-19, computed with 50 digits, in t = -1 ... 1 across the interval.
 * All types are computed in f64.  Source: M. Abramowitz, I. Stegun, Handbook of Mathematical
 * Functions, 1964, chapter 5. */
#include <math.h>

#include "cotrace/special.h"

#include "frontend/trace.h"

static const double near[] = {
    1.0,
    0.25,
    0.05555555555555555,
    0.010416666666666666,
    0.0016666666666666668,
    0.0002314814814814815,
    2.834467120181406e-05,
    3.1001984126984127e-06,
    3.0619243582206544e-07,
    2.755731922398589e-08,
    2.27746439867652e-09,
    1.7397297489890083e-10,
    1.2353110643708935e-11,
    8.193389712664089e-13,
    5.0981091545465446e-14,
    2.9871733327421158e-15,
    1.6537983849091297e-16,
    8.677337204770125e-18,
    4.326650129802279e-19,
    2.0551588116560825e-20,
    9.32044812542441e-22,
    4.0439960874775335e-23,
    1.6818131176655147e-24,
    6.715573212900493e-26,
    2.5787801137537893e-27,
    9.53690870471076e-29,
    3.401366616220572e-30,
    1.1713890132392279e-31,
    3.8999872022233505e-33,
    1.2566625429386353e-34,
    3.922984005011348e-36,
    1.1876221108921073e-37,
    3.489798672961197e-39,
    9.962228045650476e-41,
    2.7650265596091116e-42,
    7.467278517462879e-44,
    1.9636378862575867e-45,
    5.031482118527058e-47,
    1.257043527311165e-48,
    3.0640435978209645e-50,
    7.291002017420499e-52,
    1.6946206503074855e-53,
    3.849327599400454e-55,
    8.549642911891504e-57,
    1.8577001882628452e-58,
    3.9506856555684327e-60,
    8.22686917863956e-62,
};
static const double middle[] = {
    1.0901408684282592,      0.0744915848545747,     0.014328599292810856,
    0.004462862437180681,    -6.540052502001014e-05, -0.0016245825030260929,
    -0.0003969656399095666,  0.0006062864820079307,  7.016907687023488e-05,
    -0.0002585787358590047,  6.961758718343613e-05,  7.212745724135625e-05,
    -6.709714732250256e-05,  1.056136169153648e-05,  2.0813778305922676e-05,
    -1.8914257016723448e-05, 5.265464453083416e-06,  3.98968320078997e-06,
    -5.452929716862625e-06,  2.5036543533118997e-06, 2.426323448529334e-07,
    -6.442110624962424e-07,  3.568221460758163e-07,  -8.949673504334248e-07,
    8.092941516011502e-07,   4.281260063038104e-07,  -8.498844228519192e-07,
    9.12478523638541e-08,    3.1749237073374614e-07, -1.0297159135709479e-07,
    -4.452939720407751e-08,  2.011589821591273e-08,
};
static const double far[] = {
    1.0128248443226306,      0.013162701487828776,   0.0003515851200925018,
    1.4493677093364027e-05,  8.207668845211098e-07,  5.994808546417705e-08,
    5.430579014548206e-09,   5.943262600893625e-10,  7.714461500782713e-11,
    1.1720546497255549e-11,  2.0636440096522524e-12, 4.184782426423929e-13,
    9.974741444246375e-14,   2.721064054246342e-14,  5.064395429420146e-15,
    1.1214832456318747e-15,  3.3540695240858697e-15, 2.0480916381369103e-15,
    -3.0226149054991014e-16, -3.650785271771848e-16,
};
static const double below_middle[] = {
    0.683980760479085,       -0.10700998634737247,    0.024557244273138712,
    -0.006733165717172639,   0.0020553278214061202,   -0.000675225262321301,
    0.00023418548407296287,  -8.471118133580192e-05,  3.169699377368289e-05,
    -1.2196700348566895e-05, 4.8052910436581185e-06,  -1.931929991480678e-06,
    7.905547414134768e-07,   -3.287029744198604e-07,  1.3852059479118638e-07,
    -5.873089667077765e-08,  2.5324320759437612e-08,  -1.1719691580232628e-08,
    5.177339554797496e-09,   -1.4209691163368103e-09, 6.147540696184136e-10,
    -1.0438149946298203e-09, 4.862593572571157e-10,   2.140508979763797e-10,
    -1.0288591030146332e-10, -9.76764899235385e-11,   4.606462573617643e-11,
};
static const double below_far[] = {
    0.8982371140279944,      -0.08413402625195045,    0.013618587371730917,
    -0.0029245277761978123,  0.0007530386318985098,   -0.0002207091276191427,
    7.138004537862058e-05,   -2.4960881216526648e-05, 9.304978058974904e-06,
    -3.659743572382362e-06,  1.5069543242002111e-06,  -6.455996174193813e-07,
    2.857613968792324e-07,   -1.3063708216549225e-07, 6.358999420863935e-08,
    -3.094348678512924e-08,  1.0021708574383424e-08,  -4.487354042766684e-09,
    1.129970722817677e-08,   -6.662720412911672e-09,  -7.302695472460751e-09,
    4.637507385555784e-09,   6.4322693232563235e-09,  -3.979642323742271e-09,
    -2.6199686648009557e-09, 1.6308528410150272e-09,  6.103138723787741e-10,
    -3.7578909472321415e-10,
};

#define EULER        0.57721566490153286061
#define TERMS(table) table, (int)(sizeof(table) / sizeof *(table))

static ir_ref
with(ir_build *b, ir_op op, ir_ref x, double k)
{
    return ir_op2(b, op, x, ir_like(b, x, k));
}

static ir_ref
poly(ir_build *b, ir_ref t, const double *c, int n)
{
    ir_ref y = ir_like(b, t, c[n - 1]);

    for (int k = n - 2; k >= 0; k--)
        y = ir_op3(b, OP_fma, y, t, ir_like(b, t, c[k]));
    return y;
}

static ir_ref
between(ir_build *b, ir_ref s, double low, double high, const double *c, int n)
{
    ir_ref scaled = with(b, OP_mul, s, 2 / (high - low));

    return poly(b, with(b, OP_sub, scaled, (high + low) / (high - low)), c, n);
}

/* |x| has the derivative 1 at 0, and so the logarithm an infinite one. */
static ir_ref
inside(ir_build *b, ir_ref x)
{
    ir_ref size = ir_select(b, with(b, OP_lt, x, 0), ir_neg(b, x), x);
    ir_ref sum = ir_mul(b, x, poly(b, x, TERMS(near)));

    return ir_add(b, with(b, OP_add, ir_op1(b, OP_log, size), EULER), sum);
}

/* e^(x / 2) twice: Ei is finite up to 716, e^x only up to 709.  Reverse mode multiplies the
 * cotangent of the factor 1 / x by e^x; as 4096 / x it has room for that, with the same
 * bits. */
static ir_ref
above(ir_build *b, ir_ref x)
{
    ir_ref s = ir_div(b, ir_like(b, x, 1), x), scaled = ir_div(b, ir_like(b, x, 4096), x);
    ir_ref root = ir_op1(b, OP_exp, with(b, OP_mul, x, 0.5));
    ir_ref y = ir_select(b, with(b, OP_le, x, 40), between(b, s, 0.025, 0.125, TERMS(middle)),
                         between(b, s, 0, 0.025, TERMS(far)));

    ir_ref part = ir_mul(b, with(b, OP_mul, root, 0x1p-12), scaled);

    return ir_mul(b, root, ir_mul(b, y, part));
}

/* Of -x, above 1. */
static ir_ref
below(ir_build *b, ir_ref x)
{
    ir_ref s = ir_div(b, ir_like(b, x, 1), x);
    ir_ref y = ir_select(b, with(b, OP_le, x, 4), between(b, s, 0.25, 1, TERMS(below_middle)),
                         between(b, s, 0, 0.25, TERMS(below_far)));

    return ir_neg(b, ir_mul(b, y, ir_mul(b, ir_op1(b, OP_exp, ir_neg(b, x)), s)));
}

/* What overflows with all its derivatives, as Ei does where x is beyond 717. */
static ir_ref
infinite(ir_build *b, ir_ref beyond, ir_ref x)
{
    return ir_op1(b, OP_exp, ir_select(b, beyond, x, ir_like(b, x, 0)));
}

static ir_ref
expi(ir_build *b, const fe_arg *in, int n, const void *o)
{
    const ir_type *t = ir_btype(b, in[0].ref);

    (void)n, (void)o;
    if (!fe_is_float(b, "expi", t))
        return IR_NONE;
    ir_ref x = ir_convert(b, in[0].ref, COT_F64), one = ir_like(b, x, 1);
    ir_ref large = with(b, OP_gt, x, 8), low = with(b, OP_lt, x, -1);
    ir_ref beyond = with(b, OP_gt, x, 717);
    ir_ref finite = ir_op2(b, OP_and, large, ir_op1(b, OP_not, beyond));
    ir_ref outside = ir_op2(b, OP_or, large, low);
    ir_ref high = above(b, ir_select(b, finite, x, ir_like(b, x, 16)));
    ir_ref under = below(b, ir_select(b, low, ir_neg(b, x), ir_like(b, x, 2)));
    ir_ref y = ir_select(b, low, under, inside(b, ir_select(b, outside, one, x)));

    y = ir_select(b, large, ir_select(b, beyond, infinite(b, beyond, x), high), y);
    return ir_convert(b, y, t->dtype);
}

cot_value
cot_expi_(cot_place at, cot_value x)
{
    return fe_apply1(at, "expi", expi, x, NULL);
}
