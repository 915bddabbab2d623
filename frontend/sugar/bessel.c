/* Bessel functions of the second kind, Y and K, of order 0 and 1.
 *
 * With t = x^2 / 4: K0 = -(log(x / 2) + c) I0 + sum of H_k t^k / k!^2, c Euler's constant and
 * H_k the harmonic numbers, and likewise K1, up to 1, where all terms have one sign; above,
 * sqrt(x) e^x K is a polynomial in 1 / x on two intervals.  Y up to 8 is 2 / pi log(x) J and a
 * polynomial in x^2; above, sqrt(2 / (pi x)) (P sin(u) + Q cos(u)) with u = x - pi / 4 or x - 3
 * pi / 4, P and Q x polynomials in 1 / x^2.  The polynomials interpolate at Chebyshev's points,
 * computed with 50 digits; each is in t = -1 ... 1 across its interval, and has terms down to
 * 1e-19, so that its derivatives are those of the function too.  All types are computed in f64.
 * Source: M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 1964, chapter 9. */
#include <math.h>

#include "cotrace/special.h"

#include "frontend/trace.h"

static const double i0_series[] = {
    1.0,
    1.0,
    0.25,
    0.027777777777777776,
    0.001736111111111111,
    6.944444444444444e-05,
    1.9290123456790124e-06,
    3.936759889140842e-08,
    6.151187326782565e-10,
    7.594058428126624e-12,
    7.594058428126623e-14,
    6.276081345559193e-16,
};
static const double k0_series[] = {
    0.0,
    1.0,
    0.375,
    0.05092592592592592,
    0.003616898148148148,
    0.0001585648148148148,
    4.72608024691358e-06,
    1.0207455998272325e-07,
    1.6718048413148328e-09,
    2.1483350211950277e-11,
    2.224275605476294e-13,
    1.895299587006153e-15,
};
static const double i1_series[] = {
    1.0,
    0.5,
    0.08333333333333333,
    0.006944444444444444,
    0.00034722222222222224,
    1.1574074074074073e-05,
    2.755731922398589e-07,
    4.920949861426052e-09,
    6.834652585313961e-11,
    7.594058428126623e-13,
    6.903689480115112e-15,
    5.230067787965994e-17,
};
static const double k1_series[] = {
    1.0,
    1.25,
    0.2777777777777778,
    0.027199074074074073,
    0.0015162037037037036,
    5.4783950617283953e-05,
    1.3896762408667172e-06,
    2.613375872835907e-08,
    3.791062453869784e-10,
    4.3726106266713215e-12,
    4.106898277957945e-14,
    3.202416543243305e-16,
};
static const double k0_middle[] = {
    1.1775638711923546,     -0.03642826618458819,    0.0038377210443016137,
    -0.0006085023688749186, 0.0001201605732408493,   -2.7321038098768824e-05,
    6.864750992534564e-06,  -1.8598349863675048e-06, 5.346717325006024e-07,
    -1.613012246301015e-07, 5.065500255096011e-08,   -1.645910737401478e-08,
    5.50754403892024e-09,   -1.890805198087966e-09,  6.637001520817093e-10,
    -2.378106798867803e-10, 8.738716577736681e-11,   -3.2442063351965656e-11,
    1.137655904660299e-11,  -4.313743624465162e-12,  2.442420520417644e-12,
    -9.735787097796506e-13, -7.764299161628999e-14,  3.797430402084162e-14,
    1.453309360836287e-13,  -6.022394342150826e-14,
};
static const double k0_far[] = {
    1.2349563891012865,     -0.017261650748907332,   0.0009853081025051772,
    -9.56016525275967e-05,  1.2627785513660681e-05,  -2.0573582924520758e-06,
    3.914640457258816e-07,  -8.406836461290913e-08,  1.9910724140552336e-08,
    -5.115280285496207e-09, 1.4080748517893695e-09,  -4.1136783403491796e-10,
    1.265702682856464e-10,  -4.078137458851665e-11,  1.3758384617244557e-11,
    -4.799860225240778e-12, 1.6235770380010153e-12,  -5.944176108684221e-13,
    3.3663055584632417e-13, -1.3821971910031872e-13, -1.6940779878239016e-14,
    9.618271137229583e-15,  2.3435934893541027e-14,  -1.0489333516402349e-14,
};
static const double k1_middle[] = {
    1.5076064703310195,      0.13544104592618764,     -0.007761158150165074,
    0.0010179892917736336,   -0.0001824428139966315,  3.9060310427297104e-05,
    -9.415319730455808e-06,  2.4738387348604275e-06,  -6.94510936363844e-07,
    2.0557604458890647e-07,  -6.355708420125603e-08,  2.0381730400103557e-08,
    -6.7439790228273855e-09, 2.2928756241431975e-09,  -7.980218725130621e-10,
    2.8378960443355313e-10,  -1.0354735567139957e-10, 3.820841101200435e-11,
    -1.336118556982894e-11,  5.0413755198337485e-12,  -2.814287883873144e-12,
    1.1172006620224844e-12,  8.19749359465652e-14,    -4.064596380663316e-14,
    -1.6493488745114763e-13, 6.815614310138576e-14,
};
static const double k1_far[] = {
    1.3099834570765034,      0.054775184736515825,    -0.0017328662249536347,
    0.00014094467958343323,  -1.706676429165878e-05,  2.6390863343171944e-06,
    -4.848670283927189e-07,  1.0153298733596134e-07,  -2.359218443148377e-08,
    5.970861064383954e-09,   -1.6237910173058976e-09, 4.696618232276537e-10,
    -1.4329496346408136e-10, 4.583889023222646e-11,   -1.5365505155060784e-11,
    5.3311645291824355e-12,  -1.798134172668841e-12,  6.556884441350371e-13,
    -3.6696131662638234e-13, 1.5011398121126623e-13,  1.757178776626285e-14,
    -1.006967658541925e-14,  -2.523567113690132e-14,  1.1269959896848644e-14,
};
static const double y0_near[] = {
    -0.382250654459425,      -0.8284358903604587,    1.6470964788745466,
    0.14412632369302442,     -1.0775477338215995,    0.6721770783431723,
    -0.2189574709617165,     0.046367047681347105,   -0.0070257410572698254,
    0.0008061586060550243,   -7.279541882784653e-05, 5.321318633837175e-06,
    -3.2185077885022706e-07, 1.6391065111246523e-08, -7.130516940301903e-10,
    2.681836493410209e-11,   -8.81052546459933e-13,  2.550861655159015e-14,
    -6.574806994171116e-16,  1.5111118382094027e-17,
};
static const double y1_near[] = {
    0.07075985882118005,     -0.24337743079193114,    0.023367571720993584,
    0.23507209206669755,     -0.19639839859930425,    0.07854786922242545,
    -0.01962875683309943,    0.003422490739918046,    -0.00044381734351146775,
    4.46743301291431e-05,    -3.6009998744473813e-06, 2.3804929913922317e-07,
    -1.31533223991362e-08,   6.16974257301963e-10,    -2.48876602241918e-11,
    8.728846992741433e-13,   -2.6871218482682002e-14, 7.320632021158841e-16,
    -1.7815800257405252e-17, 3.879779789058402e-19,
};
static const double p0_far[] = {
    0.9994572757882519,      -0.0005363673192130031, 6.137416080160206e-06,
    -2.0527448162485175e-07, 1.2803760643822803e-08, -1.2121175397702294e-09,
    1.5501031623387732e-10,  -2.488587988625271e-11, 4.774194760764083e-12,
    -1.0559200308650716e-12, 2.628292382317484e-13,  -7.433414459491999e-14,
    2.2496505053280836e-14,  -5.022572014377571e-15, 1.538620673334681e-15,
    -1.807298313974895e-15,  7.350444258108295e-16,
};
static const double q0_far[] = {
    -0.12444091103610815,    0.000546651927947511,   -1.1817110661172695e-05,
    5.684971887600464e-07,   -4.534972896712794e-08, 5.146225288518414e-09,
    -7.576283045712257e-10,  1.362650428332602e-10,  -2.8725844755452207e-11,
    6.878291492715701e-12,   -1.83390451148924e-12,  5.567148812645025e-13,
    -1.7832030063752885e-13, 3.7712889190589617e-14, -1.1693242090527497e-14,
    1.7103209627178458e-14,  -7.218360113325748e-15,
};
static const double p1_far[] = {
    1.0009070262780821,      0.0008988049416705562,   -7.959694698491843e-06,
    2.453676622917928e-07,   -1.4708512149671939e-08, 1.3603051022287752e-09,
    -1.7131567136829601e-10, 2.72074146757592e-11,    -5.177636081889529e-12,
    1.1380435620852072e-12,  -2.8186164081776167e-13, 7.935229176547187e-14,
    -2.3929928131111174e-14, 5.3517506442834935e-15,  -1.6372430136130226e-15,
    1.903490042028956e-15,   -7.727101731405413e-16,
};
static const double q1_far[] = {
    0.3742149922195918,      -0.0007697167057643541,  1.4569614809821726e-05,
    -6.633568567198776e-07,  5.136106059369469e-08,   -5.720884249282114e-09,
    8.316027538862404e-10,   -1.4819750517309826e-10, 3.102320803545726e-11,
    -7.38782283172895e-12,   1.961017798635848e-12,   -5.927406301655689e-13,
    1.892408919226445e-13,   -4.014899685310877e-14,  1.243997539293916e-14,
    -1.7984559862793346e-14, 7.57712706269129e-15,
};

#define PI    3.14159265358979323846
#define EULER 0.57721566490153286061

typedef struct polynomial {
    const double *c;
    int n;
} polynomial;
#define TERMS(table) ((polynomial){ table, (int)(sizeof(table) / sizeof *(table)) })

static ir_ref
with(ir_build *b, ir_op op, ir_ref x, double k)
{
    return ir_op2(b, op, x, ir_like(b, x, k));
}

static ir_ref
poly(ir_build *b, ir_ref t, polynomial p)
{
    ir_ref y = ir_like(b, t, p.c[p.n - 1]);

    for (int k = p.n - 2; k >= 0; k--)
        y = ir_op3(b, OP_fma, y, t, ir_like(b, t, p.c[k]));
    return y;
}

/* The polynomial of s between low and high. */
static ir_ref
between(ir_build *b, ir_ref s, double low, double high, polynomial p)
{
    ir_ref scaled = with(b, OP_mul, s, 2 / (high - low));

    return poly(b, with(b, OP_sub, scaled, (high + low) / (high - low)), p);
}

/* 1 / x at 0 and NaN below it, which NaN gives too; else y. */
static ir_ref
ends(ir_build *b, ir_ref x, double sign, ir_ref y)
{
    ir_ref zero = with(b, OP_eq, x, 0);
    ir_ref at = with(b, OP_add, ir_select(b, zero, x, ir_like(b, x, 1)), 0);
    ir_ref pole = ir_div(b, ir_like(b, x, sign), at);
    ir_ref other = ir_select(b, zero, pole, ir_like(b, x, (double)NAN));

    return ir_select(b, with(b, OP_gt, x, 0), y, other);
}

/* x where the condition holds, else k, at which the formula that is not chosen is finite. */
static ir_ref
only(ir_build *b, ir_ref condition, ir_ref x, double k)
{
    return ir_select(b, condition, x, ir_like(b, x, k));
}

/* ---- K ---- */

static ir_ref
k_near(ir_build *b, ir_ref x, int n)
{
    ir_ref t = with(b, OP_mul, ir_mul(b, x, x), 0.25);
    ir_ref log = ir_op1(b, OP_log, with(b, OP_mul, x, 0.5));

    log = with(b, OP_add, log, EULER);
    if (n == 0) {
        ir_ref product = ir_mul(b, log, poly(b, t, TERMS(i0_series)));
        return ir_sub(b, poly(b, t, TERMS(k0_series)), product);
    }
    ir_ref half = with(b, OP_mul, x, 0.5);
    ir_ref product = ir_mul(b, log, poly(b, t, TERMS(i1_series)));
    ir_ref rest = with(b, OP_mul, poly(b, t, TERMS(k1_series)), 0.5);
    ir_ref sum = ir_mul(b, half, ir_sub(b, product, rest));
    return ir_add(b, ir_div(b, ir_like(b, x, 1), x), sum);
}

static ir_ref
k_far(ir_build *b, ir_ref x, int n)
{
    ir_ref s = ir_div(b, ir_like(b, x, 1), x);
    ir_ref middle = between(b, s, 0.25, 1, n ? TERMS(k1_middle) : TERMS(k0_middle));
    ir_ref far = between(b, s, 0, 0.25, n ? TERMS(k1_far) : TERMS(k0_far));
    ir_ref y = ir_select(b, with(b, OP_lt, x, 4), middle, far);
    ir_ref scale = ir_mul(b, ir_op1(b, OP_rsqrt, x), ir_op1(b, OP_exp, ir_neg(b, x)));

    return ir_mul(b, y, scale);
}

static ir_ref
k_of(ir_build *b, ir_ref x, int n)
{
    ir_ref above = with(b, OP_gt, x, 1), positive = with(b, OP_gt, x, 0);
    ir_ref inside = ir_op2(b, OP_and, positive, ir_op1(b, OP_not, above));
    ir_ref near = k_near(b, only(b, inside, x, 1), n);

    return ends(b, x, 1, ir_select(b, above, k_far(b, only(b, above, x, 2), n), near));
}

/* ---- Y ---- */

static ir_ref
y_near(ir_build *b, ir_ref x, int n)
{
    ir_ref z = ir_mul(b, x, x), log = with(b, OP_mul, ir_op1(b, OP_log, x), 2 / PI);
    ir_ref rest = between(b, z, 0, 64, n ? TERMS(y1_near) : TERMS(y0_near));
    ir_ref product = ir_mul(b, log, ir_op1(b, n ? OP_bessel_j1 : OP_bessel_j0, x));

    if (n == 0)
        return ir_add(b, product, rest);
    ir_ref pole = ir_div(b, ir_like(b, x, 2 / PI), x);
    return ir_sub(b, ir_add(b, product, ir_mul(b, x, rest)), pole);
}

static ir_ref
y_far(ir_build *b, ir_ref x, int n)
{
    ir_ref s = ir_div(b, ir_like(b, x, 1), x), u = ir_mul(b, s, s);
    ir_ref p = between(b, u, 0, 1.0 / 64, n ? TERMS(p1_far) : TERMS(p0_far));
    ir_ref q = ir_mul(b, s, between(b, u, 0, 1.0 / 64, n ? TERMS(q1_far) : TERMS(q0_far)));
    ir_ref sine = ir_op1(b, OP_sin, x), cosine = ir_op1(b, OP_cos, x);
    ir_ref sum = ir_add(b, sine, cosine), difference = ir_sub(b, sine, cosine);
    ir_ref left = ir_mul(b, p, n ? ir_neg(b, sum) : difference);
    ir_ref right = ir_mul(b, q, n ? difference : sum);
    ir_ref size = with(b, OP_mul, ir_op1(b, OP_rsqrt, x), 0.56418958354775628695);

    return ir_mul(b, size, ir_add(b, left, right));
}

static ir_ref
y_of(ir_build *b, ir_ref x, int n)
{
    ir_ref above = with(b, OP_gt, x, 8), positive = with(b, OP_gt, x, 0);
    ir_ref inside = ir_op2(b, OP_and, positive, ir_op1(b, OP_not, above));
    ir_ref infinite = with(b, OP_eq, x, (double)INFINITY);
    ir_ref finite = ir_op2(b, OP_and, above, ir_op1(b, OP_not, infinite));
    ir_ref far = y_far(b, only(b, finite, x, 16), n);

    far = ir_select(b, infinite, ir_like(b, x, 0), far);
    return ends(b, x, -1, ir_select(b, above, far, y_near(b, only(b, inside, x, 1), n)));
}

/* ---- public functions ---- */

typedef struct bessel_kind {
    const char *op;
    ir_ref (*f)(ir_build *b, ir_ref x, int n);
    int n;
} bessel_kind;

static ir_ref
apply(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const bessel_kind *k = o;
    const ir_type *t = ir_btype(b, x[0].ref);

    (void)n;
    if (!fe_is_float(b, k->op, t))
        return IR_NONE;
    return ir_convert(b, k->f(b, ir_convert(b, x[0].ref, COT_F64), k->n), t->dtype);
}

#define FE_BESSEL(name, f, n)                                                                  \
    cot_value cot_##name##_(cot_place at, cot_value x)                                         \
    {                                                                                          \
        return fe_apply1(at, #name, apply, x, &(const bessel_kind){ #name, f, n });            \
    }
FE_BESSEL(bessel_k0, k_of, 0)
FE_BESSEL(bessel_k1, k_of, 1)
FE_BESSEL(bessel_y0, y_of, 0)
FE_BESSEL(bessel_y1, y_of, 1)
