/* Functions of one operand in f32 over all 2^32 inputs: the worst and the mean error in units
 * of the last place, and how many results are not the exact value correctly rounded.
 *
 *   ulp [--threads N] [--from A] [--to B] [NAME ...]        only A <= |x| <= B, if given
 *
 * The kernels are the JIT's, whose bits every back end has.  The reference is a function in
 * f64: libmvec's where the machine has it, libm's, or for what neither has the JIT's own, whose
 * errors are below 2^-25 of an f32's ulp.  MPFR decides where the f64 value lies near the
 * middle of two f32, where infinities, NaN or the sign of a zero differ, and on a sample of the
 * inputs, on which the f64 reference itself must be right to 2^-20 ulp, or the program fails.
 * The comparison runs in lanes of its own accumulators, so that the compiler vectorises it
 * without reassociation. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cotrace/cotrace.h"
#include "tests/exact.h"
#include "tests/ulp.h"

enum { STRIP = 1 << 16, CHUNK = 1 << 12, LANES = 16, MAX_THREADS = 64 };
/* One of so many inputs is judged by MPFR as well; odd, so that all mantissas have their
 * turn. */
enum { SAMPLE = 300007 };
#define NEAR 0x1p-22            /* of the middle, in ulp */
#define TRUST 0x1p-20           /* of the f64 reference, in ulp */

/* ---- the functions ---- */

#if defined(__AVX2__) && defined(ULP_MVEC)
typedef double v4 __attribute__((vector_size(32)));
#define MVEC_ALL(M)                                                                            \
    M(exp)                                                                                     \
    M(exp2) M(expm1) M(log) M(log2) M(log1p) M(cbrt) M(sin) M(cos) M(tan) M(asin) M(acos)      \
        M(atan) M(sinh) M(cosh) M(tanh) M(asinh) M(acosh) M(atanh) M(erf) M(erfc)
#define MVEC_DECLARE(f) v4 _ZGVdN4v_##f(v4 x);
MVEC_ALL(MVEC_DECLARE)
#define MVEC_LOOP(f) \
    static void \
    all_##f(int n, const double *x, double *y) \
    { \
        for (int i = 0; i < n; i += 4) { \
            v4 v; \
            memcpy(&v, x + i, sizeof v); \
            v = _ZGVdN4v_##f(v); \
            memcpy(y + i, &v, sizeof v); \
        } \
    }
MVEC_ALL(MVEC_LOOP)
#define MVEC_ROW(f) case OP_##f: return all_##f;
#else
#define MVEC_ALL(M)
#define MVEC_ROW(f)
#endif

typedef void strip_fn(int n, const double *x, double *y);

static void
all_sqrt(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = sqrt(x[i]);
}

static void
all_rsqrt(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = 1 / sqrt(x[i]);
}

static strip_fn *
vector_of(ir_op op)
{
    switch (op) {
    MVEC_ALL(MVEC_ROW)
    case OP_sqrt:
        return all_sqrt;
    case OP_rsqrt:
        return all_rsqrt;
    default:
        return NULL;
    }
}

static double ndtr(double x) { return erfc(-x * 0x1.6a09e667f3bcdp-1) / 2; }

/* libm's function or NULL; MPFR's by its own name or from exact.h, which is asked where |x| <=
 * far only. */
typedef struct row {
    ir_op op;
    ulp_double *d;
    ulp_exact *elementary;
    reference *special;
    double far;
} row;

static const row more[] = {
    { OP_lgamma, lgamma, NULL, lgamma_at, 1e30 },
    { OP_digamma, NULL, NULL, digamma_at, 1e30 },
    { OP_erf_inv, NULL, NULL, erf_inv_at, 1 },
    { OP_erfcx, NULL, NULL, erfcx_at, 1e4 },
    { OP_ndtr, ndtr, NULL, ndtr_at, 1e4 },
    { OP_ndtri, NULL, NULL, ndtri_at, 1 },
    { OP_log_ndtr, NULL, NULL, log_ndtr_at, 1e4 },
    { OP_bessel_i0e, NULL, NULL, i0e_at, 700 },
    { OP_bessel_i1e, NULL, NULL, i1e_at, 700 },
    { OP_bessel_j0, NULL, NULL, j0_at, 1e30 },
    { OP_bessel_j1, NULL, NULL, j1_at, 1e30 },
};
enum { MORE = sizeof more / sizeof *more };

static row
row_at(int i)
{
    if (i >= ULP_ROWS)
        return more[i - ULP_ROWS];
    return (row){ ulp_rows[i].op, ulp_rows[i].d, ulp_rows[i].exact, NULL, INFINITY };
}

/* ---- kernels ---- */

typedef struct kernel {
    cot_kernel *k;
    cot_entry *entry;
    void *work;
} kernel;

static void
fail(const char *what)
{
    fprintf(stderr, "ulp: %s\n", what);
    exit(3);
}

/* type[STRIP] -> type[STRIP], the operand an f32 in both cases. */
static kernel
kernel_of(cot_context *ctx, ir_op op, const char *type)
{
    char text[512];
    const cot_graph *g;
    kernel k = { NULL, NULL, NULL };

    int n = snprintf(text, sizeof text,
                     "fn @f(%%x: %s[%d]) -> %s[%d] {\n  %%0 = %s %%x : %s[%d]\n  ret %%0\n}\n",
                     type, STRIP, type, STRIP, ir_ops[op].name, type, STRIP);
    if (cot_parse(ctx, "ulp", text, (size_t)n, NULL, &g) != COT_OK ||
        cot_compile_graph(g, NULL, &k.k) != COT_OK)
        fail(cot_error(ctx));
    k.entry = cot_kernel_entry(k.k);
    k.work = aligned_alloc(64, (cot_kernel_work_bytes(k.k) + 127) / 64 * 64);
    if (k.entry == NULL || k.work == NULL)
        fail("no kernel or no memory");
    return k;
}

static void
kernel_run(const kernel *k, const void *x, void *y)
{
    if (k->entry((void *[]){ (void *)x, y }, k->work) != 0)
        fail("a kernel failed");
}

static void
kernel_free(kernel *k)
{
    cot_kernel_free(k->k);
    free(k->work);
}

/* ---- one thread's share ---- */

typedef struct sums {
    double worst, at, total;            /* total: of the errors of finite results */
    uint64_t finite, off, asked;        /* off: not correctly rounded; asked: of MPFR */
} sums;

typedef struct share {
    pthread_t thread;
    row row;
    uint32_t least; /* magnitudes tested: `count` bit patterns from `least` on, */
    uint64_t count, from, to; /* each positive, then each negative; this share of them    */
    sums sums;
    float x[STRIP], y[STRIP];
    double wide[STRIP], exact[STRIP];
} share;

/* The error by MPFR, -1 if it cannot say.  *rounded is the exact value as an f32. */
static double
judged(const share *s, double x, double y, float *rounded)
{
    mpfr_t a, r;
    double scale = 0, d = -1;

    if (!(fabs(x) <= s->row.far))
        return -1;
    mpfr_init2(a, 53);
    mpfr_init2(r, BITS);
    mpfr_set_d(a, x, MPFR_RNDN);
    if (s->row.elementary != NULL)
        s->row.elementary(r, a, MPFR_RNDN);
    else
        s->row.special(r, x, y, &scale);
    if (s->row.elementary != NULL || mpfr_regular_p(r)) {
        d = ulp_distance_exact(y, r, false);
        *rounded = mpfr_get_flt(r, MPFR_RNDN);
    }
    mpfr_clear(a);
    mpfr_clear(r);
    return d;
}

static double
bits_to(uint64_t b)
{
    double x;

    memcpy(&x, &b, sizeof x);
    return x;
}

static uint64_t
to_bits(double x)
{
    uint64_t b;

    memcpy(&b, &x, sizeof b);
    return b;
}

/* 1 / ulp of an f32 near r. */
static inline double
per_ulp(double r)
{
    const uint64_t one = (uint64_t)1 << 52, least = (1023 - 126) * one;
    uint64_t e = to_bits(r) & 0x7ff * one;

    return bits_to(2046 * one - (e < least ? least : e) + 23 * one);
}

/* The error of y where the reference is r; infinities of f32 count as 2^128. */
static inline double
error_of(float y, double r)
{
    double v = fabsf(y) == INFINITY ? copysign(0x1p128, y) : (double)y,
           w = fabs(r) > 0x1p128 ? copysign(0x1p128, r) : r;
    double d = fabs(v - w) * per_ulp(w);

    return d == d ? d : 0;
}

/* Whether MPFR must look: the middle of two f32 is near, or the class or the sign of a zero
 * differs. */
static inline int
odd(float y, double r)
{
    float n = (float)r;
    double t = r * per_ulp(r), middle = fabs(fabs(t - floor(t)) - 0.5);
    uint32_t a, b;

    memcpy(&a, &y, sizeof a);
    memcpy(&b, &n, sizeof b);
    int classes = ((y != y) != (n != n)) | ((fabsf(y) == INFINITY) != (fabsf(n) == INFINITY));
    return classes | (middle < NEAR) | ((y == 0) & (n == 0) & ((a ^ b) >> 31 != 0));
}

static void
worst_is(sums *a, double d, double x)
{
    if (d > a->worst) {
        a->worst = d;
        a->at = x;
    }
}

/* One input with MPFR's help.  A zero of the other sign than libm's is an infinite error. */
static void
one(share *s, int i)
{
    sums *a = &s->sums;
    float y = s->y[i], rounded = (float)s->exact[i];
    double x = (double)s->x[i], d = error_of(y, s->exact[i]);

    if (odd(y, s->exact[i])) {
        float by;
        double sure = judged(s, x, (double)y, &by);
        a->asked++;
        if (sure >= 0) {
            d = sure;
            rounded = by;
        } else if ((y != y) != (rounded != rounded))
            d = INFINITY;
        if (y == 0 && s->row.d != NULL && s->row.d(x) == 0 &&
            !signbit(y) != !signbit(s->row.d(x)))
            d = INFINITY;
    }
    worst_is(a, d, x);
    a->off += y != rounded && !(y != y && rounded != rounded);
    a->finite += fabsf(y) < INFINITY;
    a->total += fabsf(y) < INFINITY && d < INFINITY ? d : 0;
}

/* A chunk all at once, unless some input of it asks for MPFR. */
static void
chunk(share *s, int from)
{
    double worst[LANES] = { 0 }, total[LANES] = { 0 };
    int64_t finite[LANES] = { 0 }, off[LANES] = { 0 }, strange[LANES] = { 0 };

    for (int i = from; i < from + CHUNK; i += LANES)
        for (int j = 0; j < LANES; j++) {
            float y = s->y[i + j];
            double r = s->exact[i + j], d = error_of(y, r);
            int64_t counts = fabsf(y) < INFINITY, both = (y != y) & (r != r);
            worst[j] = d > worst[j] ? d : worst[j];
            total[j] += counts ? d : 0;
            finite[j] += counts;
            off[j] += (y != (float)r) & !both;
            strange[j] |= odd(y, r);
        }
    double most = 0;
    int64_t any = 0;
    for (int j = 0; j < LANES; j++) {
        most = worst[j] > most ? worst[j] : most;
        any |= strange[j];
    }
    if (any || most > s->sums.worst) {
        for (int i = from; i < from + CHUNK; i++)
            one(s, i);
        return;
    }
    for (int j = 0; j < LANES; j++) {
        s->sums.total += total[j];
        s->sums.finite += (uint64_t)finite[j];
        s->sums.off += (uint64_t)off[j];
    }
}

/* The f64 reference must be what MPFR says: inputs k with k % SAMPLE == 0. */
static void
check_reference(share *s, uint64_t from)
{
    for (uint64_t i = (SAMPLE - from % SAMPLE) % SAMPLE; i < STRIP; i += SAMPLE) {
        float rounded;
        double x = (double)s->x[i], d = judged(s, x, (double)s->y[i], &rounded),
               mine = error_of(s->y[i], s->exact[i]);
        s->sums.asked++;
        if (d >= 0 && d < INFINITY && !(fabs(d - mine) < TRUST * (1 + d))) {
            fprintf(stderr, "ulp: the reference of %s at %a is off: %g ulp, by MPFR %g\n",
                    ir_ops[s->row.op].name, x, mine, d);
            exit(1);
        }
    }
}

static void
fill(share *s, uint64_t from)
{
    for (int i = 0; i < STRIP; i++) {
        uint64_t k = from + (uint64_t)i;
        k = k < s->to ? k
                      : s->to - 1; /* the tail repeats the last: without effect on the worst */
        uint32_t bits = s->least + (uint32_t)(k < s->count ? k : k - s->count) +
                        (k < s->count ? 0 : 0x80000000);
        memcpy(&s->x[i], &bits, sizeof bits);
        s->wide[i] = (double)s->x[i];
    }
}

static void
strip(share *s, uint64_t from, const kernel *narrow, const kernel *wide)
{
    strip_fn *vector = vector_of(s->row.op);

    fill(s, from);
    kernel_run(narrow, s->x, s->y);
    if (vector != NULL)
        vector(STRIP, s->wide, s->exact);
    else if (s->row.d != NULL)
        for (int i = 0; i < STRIP; i++)
            s->exact[i] = s->row.d(s->wide[i]);
    else
        kernel_run(wide, s->wide, s->exact);
    check_reference(s, from);
    for (int i = 0; i < STRIP; i += CHUNK) {
        if (from + (uint64_t)i + CHUNK <= s->to)
            chunk(s, i);
        else
            for (int j = i; j < i + CHUNK && from + (uint64_t)j < s->to; j++)
                one(s, j);
    }
}

static void *
work(void *argument)
{
    share *s = argument;
    cot_context *ctx = cot_context_new(NULL);
    kernel narrow = kernel_of(ctx, s->row.op, "f32"), wide = kernel_of(ctx, s->row.op, "f64");

    for (uint64_t from = s->from; from < s->to; from += STRIP)
        strip(s, from, &narrow, &wide);
    kernel_free(&narrow);
    kernel_free(&wide);
    cot_context_free(ctx);
    mpfr_free_cache();
    return NULL;
}

/* ---- all of them ---- */

static uint32_t
bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void
print(ir_op op, const sums *a, uint64_t all, double seconds)
{
    printf("%-11s %8.4f  %-16a %8.4f %11llu %8.4f%% %8llu %5.0f\n", ir_ops[op].name, a->worst,
           a->at, a->finite ? a->total / (double)a->finite : 0, (unsigned long long)a->off,
           100 * (double)a->off / (double)all, (unsigned long long)a->asked, seconds);
    fflush(stdout);
}

static void
measure(row r, int threads, uint32_t least, uint32_t most)
{
    struct timespec begin, end;
    const uint64_t count = (uint64_t)most - least + 1, each = 2 * count / (uint64_t)threads;
    share *part = calloc((size_t)threads, sizeof *part);
    sums all = { 0 };

    if (part == NULL)
        fail("no memory");
    timespec_get(&begin, TIME_UTC);
    for (int i = 0; i < threads; i++) {
        part[i].row = r;
        part[i].least = least;
        part[i].count = count;
        part[i].from = each * (uint64_t)i;
        part[i].to = i + 1 == threads ? 2 * count : each * (uint64_t)(i + 1);
        if (pthread_create(&part[i].thread, NULL, work, &part[i]) != 0)
            fail("no thread could be made");
    }
    for (int i = 0; i < threads; i++) {
        const sums *a = &part[i].sums;
        pthread_join(part[i].thread, NULL);
        worst_is(&all, a->worst, a->at);
        all.total += a->total;
        all.finite += a->finite;
        all.off += a->off;
        all.asked += a->asked;
    }
    timespec_get(&end, TIME_UTC);
    print(r.op, &all, 2 * count, difftime(end.tv_sec, begin.tv_sec));
    free(part);
}

static bool
wanted(const char *name, char **names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return n == 0;
}

int
main(int argc, char **argv)
{
    int threads = 2, named = 0;
    uint32_t least = 0, most = 0x7fffffff;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            threads = atoi(argv[++i]);
            threads = threads < 1 ? 1 : threads > MAX_THREADS ? MAX_THREADS : threads;
        } else if (strcmp(argv[i], "--from") == 0 && i + 1 < argc)
            least = bits_of(strtof(argv[++i], NULL)) & 0x7fffffff;
        else if (strcmp(argv[i], "--to") == 0 && i + 1 < argc)
            most = bits_of(strtof(argv[++i], NULL)) & 0x7fffffff;
        else
            argv[1 + named++] = argv[i];
    }
    if (most < least) {
        fprintf(stderr, "ulp: --from is above --to\n");
        return 2;
    }
    printf("%-11s %8s  %-16s %8s %11s %9s %8s %5s\n", "f32", "ulp", "at", "mean", "not nearest",
           "share", "MPFR", "s");
    for (int i = 0; i < ULP_ROWS + MORE; i++)
        if (wanted(ir_ops[row_at(i).op].name, argv + 1, named))
            measure(row_at(i), threads, least, most);
    return 0;
}
