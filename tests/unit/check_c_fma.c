/* fma in C source for processors that have no instruction for it: the bits of the C library's,
 * in f32 and f64, scalars and vectors of each width, under both compilers.
 *
 * Operands are all triples of special values, and random ones around what exact arithmetic in
 * pieces may get wrong: ties and sums a hair from a tie, sums that cancel, results around the
 * subnormals and around the largest number, terms far below others, any bits at all. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "codegen/lower.h"
#include "passes/pass.h"
#include "tests/unit/suite.h"
#include "trial.h"

enum { N = 4099, MAX_ROUNDS = 250 };

/* In f32, in f64, and lanes of f32 beside those of f64. */
static const char *const program[] = {
    "fn @f32(%x: f32[4099], %y: f32[4099], %z: f32[4099]) -> f32[4099] {\n"
    "  %0 = fma %x, %y, %z : f32[4099]\n"
    "  ret %0\n}\n",
    "fn @f64(%x: f64[4099], %y: f64[4099], %z: f64[4099]) -> f64[4099] {\n"
    "  %0 = fma %x, %y, %z : f64[4099]\n"
    "  ret %0\n}\n",
    "fn @both(%x: f32[4099], %y: f32[4099], %z: f32[4099], %w: f64[4099]) -> f64[4099] {\n"
    "  %0 = fma %x, %y, %z            : f32[4099]\n"
    "  %1 = convert %0 {dtype=f64}    : f64[4099]\n"
    "  %2 = fma %w, %w, %1            : f64[4099]\n"
    "  ret %2\n}\n",
};
enum { N_PROGRAMS = sizeof program / sizeof *program };

static const struct {
    const char *compiler;
    int vector_bits, rounds;
} row[] = {
    { "cc -march=x86-64 -O2", 32, MAX_ROUNDS },
    { "cc -march=x86-64 -O2", 128, MAX_ROUNDS },
    { "cc -march=x86-64 -O2 -mavx", 256, 120 },
    { "cc -march=x86-64 -O2", 512, 120 },
    { "cc -march=x86-64 -O0", 128, 120 },
    { "cc -march=x86-64 -O3 -fassociative-math -w", 128, 120 },
    { "clang -march=x86-64 -O2", 32, MAX_ROUNDS },
    { "clang -march=x86-64 -O2", 128, MAX_ROUNDS },
    { "clang -march=x86-64 -O2 -msse4.2", 256, 120 },
    { "clang -march=x86-64 -O2 -fassociative-math -fno-signed-zeros -freciprocal-math", 128,
      120 },
    { "cc -O2 -DCOT_PLAIN", 32, 120 },
    { "cc -march=x86-64 -O2 -DCOT_FMA_BY_INTEGERS", 128, 40 },
};

typedef struct operands {
    float x[N], y[N], z[N];
    double a[N], b[N], c[N];
} operands;

/* -- operands -- */

static const uint64_t special64[] = {
    0, /* and what is around the subnormals, the bounds of the fast path, one, the largest */
    1,
    2,
    0x000fffffffffffff,
    0x0010000000000000,
    0x0010000000000001,
    0x0340000000000000,
    0x03efffffffffffff,
    0x03f0000000000000,
    0x03f0000000000001,
    0x1f7fffffffffffff,
    0x1f80000000000000,
    0x2170000000000001,
    0x3ca0000000000000,
    0x3cb0000000000000,
    0x3fe0000000000000,
    0x3fefffffffffffff,
    0x3ff0000000000000,
    0x3ff0000000000001,
    0x3ff0000002000000,
    0x3ff0000004000001,
    0x3ff5555555555555,
    0x3fffffffffffffff,
    0x4000000000000000,
    0x4340000000000000,
    0x5fe0000000000000,
    0x7fafffffffffffff,
    0x7fb0000000000000,
    0x7fdfffffffffffff,
    0x7fe0000000000000,
    0x7feffffff8000000,
    0x7fefffffffffffff,
    0x7ff0000000000000,
    0x7ff8000000000000,
};
static const uint32_t special32[] = {
    0,          1,          2,          0x007fffff, 0x00800000, 0x00800001, 0x20000000,
    0x1fffffff, 0x33800000, 0x34000000, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001,
    0x3f801000, 0x3faaaaab, 0x3fffffff, 0x40000000, 0x4b800000, 0x5f000000, 0x7e7fffff,
    0x7f000000, 0x7f7fffff, 0x7f800000, 0x7fc00000,
};
enum {
    N64 = 2 * sizeof special64 / sizeof *special64,
    N32 = 2 * sizeof special32 / sizeof *special32
};

static double
from64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

static float
from32(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static double
special_f64(int64_t i)
{
    return from64(special64[i / 2 % (N64 / 2)] | (uint64_t)(i & 1) << 63);
}

static float
special_f32(int64_t i)
{
    return from32(special32[i / 2 % (N32 / 2)] | (uint32_t)(i & 1) << 31);
}

/* A number of that exponent, often of few digits. */
static double
near_power(uint64_t *state, int e)
{
    uint64_t r = draw(state), keep = r & 3 ? ~(uint64_t)0 : ~(uint64_t)0 << (r >> 8 & 63);
    double f = 1 + (double)(draw(state) >> 12 & keep) * 0x1p-52;

    return ldexp(r & 4 ? f : -f, e);
}

/* The bits of a neighbour, some steps away. */
static double
beside(uint64_t *state, double x)
{
    uint64_t bits, r = draw(state);
    memcpy(&bits, &x, 8);
    return from64(bits + (r & 7) - 3);
}

static int
between(uint64_t *state, int lo, int hi)
{
    return lo + (int)(draw(state) % (uint64_t)(hi - lo + 1));
}

/* x, y, z for a result around 2^sum, of p digits and lowest exponent `least`. */
static void
hard_case(uint64_t *state, int kind, int p, int least, int most, double *x, double *y,
          double *z)
{
    const int half = most / 2, e = between(state, -half, half),
              sum = kind & 8    ? between(state, least - 4, least + p + 4)
                    : kind & 16 ? between(state, most - 3, most + 1)
                                : between(state, least, most);
    *x = near_power(state, e);
    *y = near_power(state, sum - e < least ? least : sum - e > most ? most : sum - e);
    switch (kind & 7) {
    case 0: *z = beside(state, -(*x * *y)); break;
    case 1: *z = -(*x * *y); break;
    case 2: /* the product is half a digit of z, or a hair from it */
        *x = ldexp(1 + between(state, -1, 1) * ldexp(1, -p), e),
        *z = near_power(state, sum + p);
        *y = ldexp(between(state, 0, 1) ? 1 : -1, sum - e);
        break;
    case 3: /* z is half a digit of the product, or far below that */
        *z = ldexp(between(state, 0, 1) ? 1 : -1, sum - p - between(state, 0, 1) * p);
        break;
    case 4: *z = 0; break;
    case 5: *z = near_power(state, sum + between(state, -2 * p - 4, 2 * p + 4)); break;
    case 6: *z = near_power(state, least + between(state, 0, 60)); break;
    default: *z = near_power(state, sum + between(state, -2, 2)); break;
    }
}

static void
draw_operands(uint64_t *state, operands *o, int round)
{
    for (int64_t i = 0; i < N; i++) {
        const int64_t at = (int64_t)round * N + i;
        const int kind = (int)(draw(state) & 31);
        double x, y, z;
        if (at < (int64_t)N64 * N64 * N64)
            o->a[i] = special_f64(at), o->b[i] = special_f64(at / N64),
            o->c[i] = special_f64(at / N64 / N64);
        else if (kind == 31)
            o->a[i] = from64(draw(state)), o->b[i] = from64(draw(state)),
            o->c[i] = from64(draw(state));
        else
            hard_case(state, kind, 53, -1074, 1023, &o->a[i], &o->b[i], &o->c[i]);
        hard_case(state, kind, 24, -149, 127, &x, &y, &z);
        o->x[i] = (float)x, o->y[i] = (float)y, o->z[i] = (float)z;
        if (at < (int64_t)N32 * N32 * N32)
            o->x[i] = special_f32(at), o->y[i] = special_f32(at / N32),
            o->z[i] = special_f32(at / N32 / N32);
        else if (kind == 31)
            o->x[i] = from32((uint32_t)draw(state)), o->y[i] = from32((uint32_t)draw(state)),
            o->z[i] = from32((uint32_t)draw(state));
    }
}

/* -- the library -- */

static bool
can_run(const char *compiler)
{
    char command[256];
    snprintf(command, sizeof command,
             "echo 'int x;' | %s -x c -c - -o /dev/null >/dev/null 2>&1", compiler);
    return system(command) == 0;
}

/* The programs as one file of that width; a function for each that takes packed arguments. */
static void
write_source(const char *path, int vector_bits)
{
    cg_target target = { .vector_bits = vector_bits, .registers = 16 };
    const cg_lower_options options = { .target = &target, .threads = 1, .fuse = true };
    cg_natural fn[N_PROGRAMS];
    const void *bytes;
    size_t size;
    ir_arena a;

    ir_arena_init(&a, ctx);
    for (int i = 0; i < N_PROGRAMS; i++) {
        ir_module m;
        ir_graph *g;
        ck_assert_msg(ir_parse(ctx, "fma", program[i], strlen(program[i]), &m) == COT_OK, "%s",
                      cot_error(ctx));
        ck_assert_int_eq(pass_prepare(m.fn[0], &g), COT_OK);
        cg_module *lowered;
        ck_assert_int_eq(cg_lower(g, &options, &a, &lowered), COT_OK);
        fn[i] = (cg_natural){ .name = ir_format(&a, "g%d", i),
                              .module = lowered,
                              .n_in = g->n_in,
                              .n_out = g->n_out };
    }
    ck_assert_msg(cg_c()->emit(ctx, &target, CG_TO_C, N_PROGRAMS, fn, &a, &bytes, &size) ==
                      COT_OK,
                  "%s", cot_error(ctx));
    FILE *f = fopen(path, "w");
    ck_assert(f != NULL);
    fwrite(bytes, 1, size, f);
    fclose(f);
    ir_arena_free(&a);
}

static void *
compiled(const char *compiler, int vector_bits)
{
    char folder[] = "/tmp/cotrace-XXXXXX", source[64], object[64], command[512];

    ck_assert(mkdtemp(folder) != NULL);
    snprintf(source, sizeof source, "%s/fma.c", folder);
    snprintf(object, sizeof object, "%s/fma.so", folder);
    write_source(source, vector_bits);
    snprintf(command, sizeof command,
             "%s -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -shared -fPIC "
             "%s -o %s",
             compiler, source, object);
    ck_assert_msg(system(command) == 0, "%s", command);
    void *const library = dlopen(object, RTLD_NOW);
    ck_assert_msg(library != NULL, "%s", dlerror());
    remove(source), remove(object), rmdir(folder);
    return library;
}

typedef int fn32(const float *, const float *, const float *, float *, void *);
typedef int fn64(const double *, const double *, const double *, double *, void *);
typedef int fn_both(const float *, const float *, const float *, const double *, double *,
                    void *);

typedef union function {
    void *p;
    fn32 *f32;
    fn64 *f64;
    fn_both *both;
} function;

static function
found(void *library, const char *name)
{
    const function f = { dlsym(library, name) };

    ck_assert_msg(f.p != NULL, "%s", name);
    return f;
}

/* Without a call of the test library for each of millions. */
static void
compare(const char *compiler, const double *x, const double *y, const double *z,
        const double *got)
{
    for (int i = 0; i < N; i++) {
        const double want = fma(x[i], y[i], z[i]);
        if (memcmp(&got[i], &want, 8) != 0 && (got[i] == got[i] || want == want))
            ck_abort_msg("%s: fma(%a, %a, %a) is %a; wants %a", compiler, x[i], y[i], z[i],
                         got[i], want);
    }
}

static void
compare_f32(const char *compiler, const operands *o, const float *got)
{
    for (int i = 0; i < N; i++) {
        const float want = fmaf(o->x[i], o->y[i], o->z[i]);
        if (memcmp(&got[i], &want, 4) != 0 && (got[i] == got[i] || want == want))
            ck_abort_msg("%s: fmaf(%a, %a, %a) is %a; wants %a", compiler, (double)o->x[i],
                         (double)o->y[i], (double)o->z[i], (double)got[i], (double)want);
    }
}

START_TEST(fma_of_pieces)
{
    static operands o;
    static float r[N];
    static double s[N], widened[N];
    uint64_t state = 22;

    if (!can_run(row[_i].compiler)) {
        printf("skipped: %s is not here\n", row[_i].compiler);
        return;
    }
    void *const library = compiled(row[_i].compiler, row[_i].vector_bits);
    const function f32 = found(library, "g0"), f64 = found(library, "g1"),
                   both = found(library, "g2");
    for (int round = 0; round < row[_i].rounds; round++) {
        draw_operands(&state, &o, round);
        f32.f32(o.x, o.y, o.z, r, NULL);
        compare_f32(row[_i].compiler, &o, r);
        both.both(o.x, o.y, o.z, o.a, s, NULL);
        for (int i = 0; i < N; i++)
            widened[i] = (double)r[i];
        compare(row[_i].compiler, o.a, o.a, widened, s);
        f64.f64(o.a, o.b, o.c, s, NULL);
        compare(row[_i].compiler, o.a, o.b, o.c, s);
    }
    dlclose(library);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(fma_of_pieces, sizeof row / sizeof *row),
    };

    return SUITE_WITH("c_fma", cases, suite_begin, suite_end);
}
