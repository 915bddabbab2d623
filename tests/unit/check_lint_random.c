/* cot_lint on random programs whose results are right: those that are finite and MPFR's at
 * 1,000 points of their ranges, zeros, ones and ends among them.  What is found in them is a
 * false alarm, of which one in twenty is allowed. */
#include <math.h>
#include <mpfr.h>
#include <stdio.h>

#include "cotrace/lint.h"
#include "ir/build.h"
#include "ir/scalar.h"
#include "tests/unit/suite.h"

enum { POINTS = 1000, STEPS = 6, PROGRAMS = 300, MOST = 20000, BITS = 300 };

typedef int mpfr_one(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int mpfr_two(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

static const struct {
    ir_op op;
    mpfr_one *one;
    mpfr_two *two;
} ops[] = {
    /* sums and products are the most frequent */
    { OP_add, NULL, mpfr_add },     { OP_add, NULL, mpfr_add },
    { OP_sub, NULL, mpfr_sub },     { OP_sub, NULL, mpfr_sub },
    { OP_mul, NULL, mpfr_mul },     { OP_mul, NULL, mpfr_mul },
    { OP_div, NULL, mpfr_div },     { OP_max, NULL, mpfr_max },
    { OP_min, NULL, mpfr_min },     { OP_neg, mpfr_neg, NULL },
    { OP_abs, mpfr_abs, NULL },     { OP_exp, mpfr_exp, NULL },
    { OP_log, mpfr_log, NULL },     { OP_log1p, mpfr_log1p, NULL },
    { OP_expm1, mpfr_expm1, NULL }, { OP_sqrt, mpfr_sqrt, NULL },
    { OP_sin, mpfr_sin, NULL },     { OP_cos, mpfr_cos, NULL },
    { OP_atan, mpfr_atan, NULL },   { OP_tanh, mpfr_tanh, NULL },
};
enum { N_OPS = sizeof ops / sizeof *ops };

static const double ranges[][2] = { { -2, 2 },       { 0, 1 },   { 0.125, 8 },
                                    { -1000, 1000 }, { 1, 100 }, { 0, 1000 } };
enum { N_RANGES = sizeof ranges / sizeof *ranges };

/* Numbers 0 and 1 are the arguments, 2 a constant; each step makes the next one. */
typedef struct program {
    int op[STEPS], x[STEPS], y[STEPS], range[2];
    double constant;
} program;

static uint64_t state;

static unsigned
below(unsigned n)
{
    state = ir_hash_u64(state, 0x9e3779b97f4a7c15u) + 1;
    return (unsigned)((state >> 33) % n);
}

static program
random_program(void)
{
    static const double constants[] = { 1, 2, 0.5, -1, 3 };
    program p = { .range = { (int)below(N_RANGES), (int)below(N_RANGES) },
                  .constant = constants[below(5)] };

    for (int i = 0; i < STEPS; i++) {
        p.op[i] = (int)below(N_OPS);
        /* the last one is used more often than not, so that most steps matter */
        p.x[i] = below(3) && i ? 2 + i : (int)below(3 + (unsigned)i);
        p.y[i] = (int)below(3 + (unsigned)i);
    }
    return p;
}

static ir_graph *
graph_of(const program *p, int64_t n)
{
    ir_build *b = ir_build_new(ctx, "f");
    const ir_type *t = ir_type_new(ctx, COT_F32, n > 0, &n);
    ir_ref v[3 + STEPS] = { ir_input(b, t, "x"), ir_input(b, t, "y"),
                            ir_splat(b, t, p->constant) };
    ir_graph *f;

    for (int i = 0; i < STEPS; i++)
        v[3 + i] = ops[p->op[i]].one ? ir_op1(b, ops[p->op[i]].op, v[p->x[i]])
                                     : ir_op2(b, ops[p->op[i]].op, v[p->x[i]], v[p->y[i]]);
    ir_output(b, v[2 + STEPS]);
    ck_assert_int_eq(ir_build_end(b, &f), COT_OK);
    return f;
}

/* Zeros, ones, ends of the range, then numbers drawn from it. */
static float
input(const double range[2], int i, bool first)
{
    const double special[] = { 0, range[0], range[1], 1, -1, 0.5, 2, -2, 1e-3, 3 };
    enum { N = sizeof special / sizeof *special };
    const double x = i < N * N ? special[first ? i / N : i % N]
                               : range[0] + (range[1] - range[0]) * below(1 << 24) / (1 << 24);

    return (float)fmin(fmax(x, range[0]), range[1]);
}

/* Is y finite, and the exact result to 6 bits less than f32 has? */
static bool
is_right(const program *p, float x, float y, float got, mpfr_t v[3 + STEPS], mpfr_t error)
{
    if (!isfinite(got))
        return false;
    mpfr_set_flt(v[0], x, MPFR_RNDN);
    mpfr_set_flt(v[1], y, MPFR_RNDN);
    mpfr_set_d(v[2], p->constant, MPFR_RNDN);
    for (int i = 0; i < STEPS; i++) {
        if (ops[p->op[i]].one)
            ops[p->op[i]].one(v[3 + i], v[p->x[i]], MPFR_RNDN);
        else
            ops[p->op[i]].two(v[3 + i], v[p->x[i]], v[p->y[i]], MPFR_RNDN);
    }
    mpfr_sub_d(error, v[2 + STEPS], (double)got, MPFR_RNDN);
    mpfr_abs(error, error, MPFR_RNDN);
    return mpfr_cmp_d(error, ldexp(fabs((double)got), -18) + 0x1p-126) <= 0;
}

static bool
all_are_right(const program *p)
{
    static float x[POINTS], y[POINTS], out[POINTS];
    const ir_graph *f = graph_of(p, POINTS);
    mpfr_t v[3 + STEPS], error;
    bool right = true;

    for (int i = 0; i < POINTS; i++) {
        x[i] = input(ranges[p->range[0]], i, true);
        y[i] = input(ranges[p->range[1]], i, false);
    }
    ck_assert_int_eq(ir_eval(f, (void *[]){ out }, (const void *[]){ x, y }), COT_OK);
    mpfr_init2(error, BITS);
    for (int i = 0; i < 3 + STEPS; i++)
        mpfr_init2(v[i], BITS);
    for (int i = 0; i < POINTS && right; i++)
        right = is_right(p, x[i], y[i], out[i], v, error);
    for (int i = 0; i < 3 + STEPS; i++)
        mpfr_clear(v[i]);
    mpfr_clear(error);
    return right;
}

START_TEST(false_alarms)
{
    int programs = 0, alarms = 0, drawn = 0;

    state = 26;
    for (; programs < PROGRAMS && drawn < MOST; drawn++) {
        const program p = random_program();
        cot_lint_report report;

        if (!all_are_right(&p))
            continue;
        const cot_lint_range own[2] = {
            { .argument = 0, .least = ranges[p.range[0]][0], .most = ranges[p.range[0]][1] },
            { .argument = 1, .least = ranges[p.range[1]][0], .most = ranges[p.range[1]][1] }
        };
        const cot_lint_options o = { .n_ranges = 2, .ranges = own };
        ck_assert_int_eq(cot_lint_graph(graph_of(&p, 0), &o, &report), COT_OK);
        programs++;
        for (int i = 0; i < report.n; i++)
            /* what is zero everywhere is so */
            if (report.finding[i].kind != COT_LINT_ZERO) {
                printf("program %d: %s\n", drawn, report.finding[i].text);
                alarms++;
                break;
            }
    }
    printf("%d programs of %d drawn are right, of which %d have findings\n", programs, drawn,
           alarms);
    ck_assert_int_eq(programs, PROGRAMS);
    ck_assert_int_le(alarms, PROGRAMS / 20);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = { ONCE(false_alarms) };
    return SUITE("lint_random", cases);
}
