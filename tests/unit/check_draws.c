/* What draws are: the bits of the published generators, and the moments and shape of every
 * distribution. */
#include "tests/unit/draws.h"

enum { MANY = 20000 };

static void
philox_zero(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)in, (void)user;
    out[0] = cot_bits(t, cot_u64(2), .key = in[0]);
}

/* Known answers of Random123: all zeros; and pi, whose counter 0x85a308d3243f6a88 is too far
 * along for an iota, so only the first. */
START_TEST(philox_known_answer)
{
    static const uint64_t zero[2] = { 0, 0 };
    uint64_t y[2];
    cot_array *k = cot_array_copy(ctx, cot_u64(2), zero);

    call(fn(philox_zero, 1, 1), 1, &k, y, sizeof y);
    ck_assert_uint_eq(y[0], 0xe169c58d6627e8d5u);
    same_on_eval(fn(philox_zero, 1, 1), 1, &k, y, sizeof y);
    cot_array_free(k);
}
END_TEST

static const char philox_text[] =
    "fn @f(%k: u64[], %a: u64[], %b: u64[]) -> (u64[], u64[]) {\n"
    "  %0 = philox %k, %a, %b {word=0} : u64[]\n"
    "  %1 = philox %k, %a, %b {word=1} : u64[]\n"
    "  ret %0, %1\n"
    "}\n";

START_TEST(philox_known_answers_of_the_op)
{
    static const uint64_t in[3][3] = {
        { 0, 0, 0 },
        { UINT64_MAX, UINT64_MAX, UINT64_MAX },
        { 0x299f31d0a4093822u, 0x85a308d3243f6a88u, 0x0370734413198a2eu },
    }, want[3][2] = {
        { 0xe169c58d6627e8d5u, 0x9b00dbd8bc57ac4cu },
        { 0x41c83b0e408f276du, 0x6d5451fda20bc7c6u },
        { 0x94fdccebd16cfe09u, 0x24126ea15001e420u },
    };
    const cot_graph *g;
    cot_array *x[3], *y[2] = { NULL, NULL };

    for (int i = 0; i < 3; i++)
        x[i] = cot_array_copy(ctx, cot_u64(), &in[_i][i]);
    ck_assert_int_eq(cot_parse(ctx, "t", philox_text, strlen(philox_text), NULL, &g), COT_OK);
    ck_assert_int_eq(cot_jit(cot_fn_of_graph(g), y, 2, (const cot_array *const *)x, 3), COT_OK);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(*(uint64_t *)cot_array_data(y[i]), want[_i][i]);
        cot_array_free(y[i]);
    }
    for (int i = 0; i < 3; i++)
        cot_array_free(x[i]);
}
END_TEST

static void
jax(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value k = cot_threefry_key(t, 42);
    (void)in, (void)user;
    out[0] = cot_threefry_split(k, 3);
    out[1] = cot_threefry_fold_in(k, 7);
    out[2] = cot_threefry_bits(k, cot_u32(5));
    out[3] = cot_threefry_bits(k, cot_u64(3));
    out[4] = cot_threefry_uniform(k, cot_f32(4));
    out[5] = cot_threefry_normal(k, cot_f32(6));
    out[6] = k;
}

/* JAX 0.10.2: key 42, jax_threefry_partitionable. */
START_TEST(threefry_has_the_numbers_of_jax)
{
    static const uint32_t split[6] = { 1832780943, 270669613,  64467757,
                                       2916123636, 2465931498, 255383827 },
                          fold[2] = { 2547012911, 1371500959 }, key[2] = { 0, 42 },
                          bits[5] = { 2098992034, 2919706841, 2646866425, 2409546199,
                                      1935504149 };
    static const uint64_t wide[3] = { 7871734211187709741u, 276886910877598708u,
                                      10591095138341673235u };
    static const float uni[4] = { 0x1.f470480000000p-2f, 0x1.5c0e600000000p-1f,
                                  0x1.3b87f00000000p-1f, 0x1.1f3d800000000p-1f },
                       nor[6] = { -0.02830461598932743f, 0.4671318531036377f,
                                  0.2957029640674591f,   0.15354591608047485f,
                                  -0.12403281778097153f, 0.21692314743995667f };
    cot_array *y[7] = { NULL };

    if (cot_jit(fn(jax, 0, 7), y, 7, NULL, 0) != COT_OK)
        ck_abort_msg("%s", cot_error(ctx));
    ck_assert_mem_eq(cot_array_data(y[0]), split, sizeof split);
    ck_assert_mem_eq(cot_array_data(y[1]), fold, sizeof fold);
    ck_assert_mem_eq(cot_array_data(y[2]), bits, sizeof bits);
    ck_assert_mem_eq(cot_array_data(y[3]), wide, sizeof wide);
    ck_assert_mem_eq(cot_array_data(y[4]), uni, sizeof uni);
    for (int i = 0; i < 6; i++)
        ck_assert_float_eq_tol(((float *)cot_array_data(y[5]))[i], nor[i], 1e-6f);
    ck_assert_mem_eq(cot_array_data(y[6]), key, sizeof key);
    for (int i = 0; i < 7; i++)
        cot_array_free(y[i]);
}
END_TEST

/* The derivative of a gamma draw by its shape. */

static void
gamma_of(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)user;
    out[0] = cot_gamma(t, in[0], .key = cot_key(t, 7));
}

static void
gamma_total(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)user;
    cot_value y = cot_gamma(t, cot_broadcast_to(in[0], 4000), .key = cot_key(t, 7));
    out[0] = cot_mean(y);
}

/* P(a, x) by its series. */
static double
gamma_cdf(double a, double x)
{
    double term = exp(a * log(x) - x - lgamma(a + 1)), sum = 0;

    for (int n = 1; n < 500; n++) {
        sum += term;
        term *= x / (a + n);
    }
    return sum;
}

/* The quantile of each draw stays as alpha moves; the mean of the derivatives is that of the
 * mean, 1. */
START_TEST(gamma_moves_with_its_shape)
{
    enum { N = 6 };
    static const double alpha[N] = { 0.2, 0.9, 1, 2.5, 30, 400 }, one[N] = { 1, 1, 1, 1, 1, 1 };
    const double h = 1e-6;
    double y[N], dy[N], slope, two = 2;
    cot_array *x[2] = { cot_array_copy(ctx, cot_f64(N), alpha),
                        cot_array_copy(ctx, cot_f64(N), one) },
              *out[2] = { NULL };
    cot_array *a = cot_array_copy(ctx, cot_f64(), &two);

    ck_assert_msg(
        cot_jit(cot_jvp(fn(gamma_of, 1, 1)), out, 2, (const cot_array *const *)x, 2) == COT_OK,
        "%s", cot_error(ctx));
    memcpy(y, cot_array_data(out[0]), sizeof y);
    memcpy(dy, cot_array_data(out[1]), sizeof dy);
    for (int i = 0; i < N; i++) {
        double s = h * alpha[i], off = gamma_cdf(alpha[i] + s, y[i] + s * dy[i]) -
                                       gamma_cdf(alpha[i] - s, y[i] - s * dy[i]);
        double moved = gamma_cdf(alpha[i] + s, y[i]) - gamma_cdf(alpha[i] - s, y[i]);
        ck_assert_msg(dy[i] > 0 && fabs(off) < 1e-5 * fabs(moved) + 1e-12,
                      "alpha %g, draw %g: derivative %g", alpha[i], y[i], dy[i]);
    }
    call(cot_grad(fn(gamma_total, 1, 1)), 1, &a, &slope, sizeof slope);
    ck_assert_double_eq_tol(slope, 1, 0.05);
    for (int i = 0; i < 2; i++) {
        cot_array_free(x[i]);
        cot_array_free(out[i]);
    }
    cot_array_free(a);
}
END_TEST

static void
sample(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value key = cot_key(t, 2024);
    cot_type many = cot_f64(MANY);
    (void)in;
    switch (*(int *)user) {
    case 0: out[0] = cot_uniform(t, many, .key = key); break;
    case 1: out[0] = cot_normal(t, many, .key = key); break;
    case 2: out[0] = cot_exponential(t, many, .key = key); break;
    case 3: out[0] = cot_gamma(t, cot_full(t, many, 3.0), .key = key); break;
    case 4: out[0] = cot_gamma(t, cot_full(t, many, 0.5), .key = key); break;
    case 5: out[0] = cot_uniform(t, many, .key = key, .low = -2, .high = 4); break;
    case 6: out[0] = cot_convert(cot_normal(t, cot_f32(MANY), .key = key), COT_F64); break;
    default: out[0] = cot_convert(cot_bernoulli(t, cot_bool(MANY), 0.3, .key = key), COT_F64);
    }
}

static double cdf_uniform(double x) { return x; }
static double cdf_normal(double x) { return 0.5 * erfc(-x / sqrt(2)); }
static double cdf_exponential(double x) { return 1 - exp(-x); }
static double cdf_gamma3(double x) { return 1 - exp(-x) * (1 + x + x * x / 2); }
static double cdf_gamma_half(double x) { return erf(sqrt(x)); }
static double cdf_wide(double x) { return (x + 2) / 6; }

static int
ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* sqrt(n) D is above 1.95 with probability 0.001; the seed is fixed. */
START_TEST(distributions)
{
    static const struct {
        double (*cdf)(double);
        double mean, var;
    } row[] = { { cdf_uniform, 0.5, 1.0 / 12 }, { cdf_normal, 0, 1 }, { cdf_exponential, 1, 1 },
                { cdf_gamma3, 3, 3 }, { cdf_gamma_half, 0.5, 0.5 }, { cdf_wide, 1, 3 },
                { cdf_normal, 0, 1 }, { NULL, 0.3, 0.21 } };
    static double x[MANY];
    double mean = 0, var = 0, worst = 0;
    int which = _i;

    call(cot_fn_new(ctx, "f", sample, 0, 1, &which), 0, NULL, x, sizeof x);
    for (int i = 0; i < MANY; i++)
        mean += x[i] / MANY;
    for (int i = 0; i < MANY; i++)
        var += (x[i] - mean) * (x[i] - mean) / MANY;
    ck_assert_double_eq_tol(mean, row[_i].mean, 4 * sqrt(row[_i].var / MANY));
    ck_assert_double_eq_tol(var, row[_i].var, 0.06 * row[_i].var);
    qsort(x, MANY, sizeof *x, ascending);
    for (int i = 0; row[_i].cdf && i < MANY; i++)
        worst = fmax(worst, fmax(fabs(row[_i].cdf(x[i]) - (double)i / MANY),
                                 fabs(row[_i].cdf(x[i]) - (double)(i + 1) / MANY)));
    ck_assert_double_lt(worst * sqrt(MANY), 1.95);
}
END_TEST

static void
discrete(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    static const float logits[3] = { 0, 0.6931472f, 1.3862944f }; /* 1 : 2 : 4 */
    cot_value l = cot_constant(t, cot_f32(3), logits);
    (void)in, (void)user;
    out[0] = cot_permutation(t, 50);
    out[1] = cot_randint(t, cot_i32(7000), -3, 4);
    out[2] = cot_categorical(cot_broadcast_to(l, 7000, 3));
}

START_TEST(integers)
{
    cot_array *y[3] = { NULL };
    int seen[50] = { 0 }, count[7] = { 0 }, class[3] = { 0 };

    if (cot_jit(fn(discrete, 0, 3), y, 3, NULL, 0) != COT_OK)
        ck_abort_msg("%s", cot_error(ctx));
    const int32_t *p = cot_array_data(y[0]), *r = cot_array_data(y[1]),
                  *c = cot_array_data(y[2]);
    for (int i = 0; i < 50; i++)
        seen[p[i]]++;
    for (int i = 0; i < 50; i++)
        ck_assert_int_eq(seen[i], 1);
    for (int i = 0; i < 7000; i++) {
        ck_assert(r[i] >= -3 && r[i] <= 3);
        count[r[i] + 3]++;
        class[c[i]]++;
    }
    for (int i = 0; i < 7; i++)
        ck_assert_int_lt(abs(count[i] - 1000), 120);
    for (int i = 0; i < 3; i++)
        ck_assert_int_lt(abs(class[i] - (1000 << i)), 160);
    for (int i = 0; i < 3; i++)
        cot_array_free(y[i]);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "bits", philox_known_answer, 1 },
        { "bits", philox_known_answers_of_the_op, 3 },
        { "bits", threefry_has_the_numbers_of_jax, 1 },
        { "distributions", gamma_moves_with_its_shape, 1 },
        EACH(distributions, 8),
        { "distributions", integers, 1 },
    };

    return SUITE("draws", cases);
}
