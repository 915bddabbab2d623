/* argmax and argmin of lines that are searched block by block, against the evaluator: sizes
 * about whole blocks, every type, ties within and across blocks, NaN, zeros of both signs,
 * lines of nothing but the neutral element.  What lies beside the line would win. */
#include <math.h>

#include "codegen/tuning.h"
#include "cotrace/cotrace.h"
#include "tests/unit/suite.h"

enum {
    B = CG_LOWER_ARG_BLOCK,
    MARGIN = 64,
    MIN_SIZE = CG_LOWER_ARG_BLOCKS * B,
    LONGEST = MIN_SIZE + 3 * B + 3,
    PATTERNS = 8,
    ONE_LINE = 40 * MIN_SIZE + 77
};

static const int sizes[] = { MIN_SIZE - 1, MIN_SIZE,         MIN_SIZE + 1, MIN_SIZE + B - 1,
                             MIN_SIZE + B, MIN_SIZE + B + 1, LONGEST };
static const cot_dtype types[] = { COT_F16, COT_BF16, COT_F32, COT_F64, COT_I8,  COT_I16,
                                   COT_I32, COT_I64,  COT_U8,  COT_U16, COT_U32, COT_U64 };
enum { SIZES = sizeof sizes / sizeof *sizes, TYPES = sizeof types / sizeof *types };

typedef struct job {
    cot_dtype type;
    bool min;
} job;

/* Of the numbers of f64 in the type, so that they all are written in one way. */
static void
body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const job *j = user;
    cot_value x = cot_convert(in[0], j->type);

    (void)t;
    out[0] = j->min ? cot_argmin(x, .axis = 1) : cot_argmax(x, .axis = 1);
}

/* Pattern p of n elements, for argmax, or turned over. */
static void
fill(double *x, int n, int p, bool min)
{
    for (int i = -MARGIN; i < n + MARGIN; i++)
        x[i] = i < 0 || i >= n ? 120 : 0;
    for (int i = 0; i < n; i++)
        x[i] = p == 0   ? (double)((i % 1009 * 7919 + 13) % 101)
               : p == 1 ? -(double)INFINITY
                        : (double)(i % 3);
    switch (p) {
    case 2: x[n - 1] = 7; break;
    case 3: x[n - B - 1] = x[n - B] = x[n - 1] = 7; break;
    case 4: x[B - 1] = x[B] = 7; break;
    case 5: x[B + 5] = x[2] = NAN, x[B + 4] = INFINITY; break;
    case 6: x[n - 1] = NAN; break;
    case 7:
        for (int i = 0; i < n; i++)
            x[i] = i < B ? -1 : i % 2 ? 0.0 : -0.0;
        break;
    default: break;
    }
    for (int i = -MARGIN; min && i < n + MARGIN; i++)
        x[i] = -x[i];
}

static cot_kernel *
kernel(cot_context *c, job *j, int rows, int n, const char *backend, int bits)
{
    cot_fn *f = cot_fn_new(c, "f", body, 1, 1, j);
    const cot_compile_options o = { .backend = backend,
                                    .vector_bits = bits,
                                    .threads = rows == 1 ? 2 : 1 };
    cot_kernel *k;
    const cot_status s = cot_compile(f, COT_TYPES(cot_f64(rows, n)), &o, &k);

    ck_assert_msg(s == COT_OK || s == COT_ERR_TARGET, "%s", cot_error(c));
    return s == COT_OK ? k : NULL;
}

static void
run(cot_context *c, cot_kernel *k, double *x, int rows, int n, int32_t *place)
{
    cot_array *in = cot_array_borrow(c, cot_f64(rows, n), x),
              *out = cot_array_borrow(c, cot_type_new(COT_I32, 1, &(int64_t){ rows }), place);

    ck_assert_msg(cot_run(k, &out, (const cot_array *[]){ in }) == COT_OK, "%s", cot_error(c));
    cot_array_free(in);
    cot_array_free(out);
}

/* Two lines one after the other: pattern p, and the one that follows. */
static void
judge(job j, int n, const char *backend, int bits)
{
    static double room[2 * LONGEST + 4 * MARGIN], one[LONGEST + 2 * MARGIN];
    cot_context *c = cot_context_new(NULL);
    cot_kernel *want = kernel(c, &j, 2, n, "eval", 0),
               *got = kernel(c, &j, 2, n, backend, bits);

    for (int p = 0; got && p < PATTERNS; p++) {
        int32_t a[2], b[4] = { -7, -7, -7, -7 };
        for (int line = 1; line >= 0; line--) {
            fill(one + MARGIN, n, (p + line) % PATTERNS, j.min);
            memcpy(room + line * n, one, sizeof *one * (size_t)(n + MARGIN));
            if (line)
                memcpy(room + MARGIN + 2 * n, one + MARGIN + n, sizeof *one * MARGIN);
        }
        fill(one + MARGIN, n, (p + 1) % PATTERNS, j.min);
        memcpy(room + MARGIN + n, one + MARGIN, sizeof *one * (size_t)(n + MARGIN));
        run(c, want, room + MARGIN, 2, n, a);
        run(c, got, room + MARGIN, 2, n, b + 1);
        ck_assert_msg(a[0] == b[1] && a[1] == b[2] && b[0] == -7 && b[3] == -7,
                      "%s of %s, %d elements, pattern %d, %s, %d bits: %d, %d; wants %d, %d",
                      j.min ? "argmin" : "argmax", cot_dtype_name(j.type), n, p, backend, bits,
                      (int)b[1], (int)b[2], (int)a[0], (int)a[1]);
    }
    cot_kernel_free(want);
    if (got)
        cot_kernel_free(got);
    cot_context_free(c);
}

START_TEST(blocks_find_the_first_of_the_best)
{
    static const int bits[] = { 0, 128, 256, 512 };

    for (int i = 0; i < SIZES; i++)
        for (int min = 0; min < 2; min++)
            for (int w = i % 2; w < 4; w += 2)
                judge((job){ types[_i], min }, sizes[i], "jit", bits[w]);
}
END_TEST

/* One line, whose blocks threads share. */
START_TEST(threads_find_the_first_of_the_best)
{
    static double x[ONE_LINE + 2 * MARGIN];
    cot_context *c = cot_context_new(NULL);
    job j = { types[_i / 2], _i % 2 };
    cot_kernel *want = kernel(c, &j, 1, ONE_LINE, "eval", 0),
               *got = kernel(c, &j, 1, ONE_LINE, "jit", 0);

    for (int p = 0; got && p < PATTERNS; p++) {
        int32_t a[1], b[3] = { -7, -7, -7 };
        fill(x + MARGIN, ONE_LINE, p, j.min);
        run(c, want, x + MARGIN, 1, ONE_LINE, a);
        run(c, got, x + MARGIN, 1, ONE_LINE, b + 1);
        ck_assert_msg(a[0] == b[1] && b[0] == -7 && b[2] == -7,
                      "%s of %s, pattern %d: %d; wants %d", j.min ? "argmin" : "argmax",
                      cot_dtype_name(j.type), p, (int)b[1], (int)a[0]);
    }
    cot_kernel_free(want);
    if (got)
        cot_kernel_free(got);
    cot_context_free(c);
}
END_TEST

START_TEST(c_source_likewise)
{
    judge((job){ COT_F32, false }, MIN_SIZE + 1, "c", 0);
    judge((job){ COT_I16, true }, MIN_SIZE + B - 1, "c", 0);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "blocks", blocks_find_the_first_of_the_best, TYPES },
        { "threads", threads_find_the_first_of_the_best, 2 * TYPES },
        { "c", c_source_likewise, 0 },
    };

    return SUITE("arg", cases);
}
