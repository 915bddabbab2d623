/* Slow paths, which few elements need: every slow path of an op is a function of the
 * library, of the reference evaluator's bits, with the processor's fma and without. */
#include <math.h>

#include "codegen/llvm/slow_path.h"
#include "cotrace/cotrace.h"
#include "ir/context.h"
#include "ir/op.h"
#include "runtime/compile.h"
#include "tests/unit/suite.h"

enum { LANES = 1000, MAX_OPERANDS = 32 };

static const struct {
    const char *name, *infer;
    ir_op op;
    int n_in;
} row[] = {
#define OP(name, n, attrs, flag, infer, ...) { #name, " " #infer " ", OP_##name, n },
#include "ir/ops.def"
#undef OP
};
enum { ROWS = sizeof row / sizeof *row };

typedef void one(void *out, const uint8_t *wants, const void *x, int64_t lanes);
typedef void two(void *out, const uint8_t *wants, const void *x, const void *y, int64_t lanes);

static double
number(int lane, int operand, uint64_t *seed)
{
    static const double special[] = { 0.0,      -0.0,      1,    -1,    0.5,    2,
                                      3,        -2.5,      1e30, -1e30, 1e-310, 0x1p60,
                                      INFINITY, -INFINITY, NAN,  131073 };
    const int n = sizeof special / sizeof *special;

    if (lane < n * n)
        return special[operand ? lane / n : lane % n];
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return ldexp((double)(int64_t)*seed, (int)(*seed >> 33) % 120 - 90);
}

static void
fill(cot_dtype t, int operand, void *out)
{
    uint64_t seed = 1 + (uint64_t)operand;

    for (int l = 0; l < LANES; l++) {
        const double x = number(l, operand, &seed);
        if (t == COT_F32)
            ((float *)out)[l] = (float)x;
        else
            ((double *)out)[l] = x;
    }
}

static bool
is_nan(cot_dtype t, const void *x)
{
    return t == COT_F32 ? *(const float *)x != *(const float *)x
                        : *(const double *)x != *(const double *)x;
}

/* What the JIT defines a program's name as. */
static const void *
function_of(const ir_sc_program *p, bool fast)
{
    char name[CG_LL_SLOW_PATH_NAME], one[CG_LL_SLOW_PATH_NAME];
    const void *at;

    if (!cg_ll_slow_path_name(p, fast, name))
        return NULL;
    for (int i = 0; (at = cg_ll_slow_path_row(i, one)) != NULL; i++)
        if (strcmp(one, name) == 0)
            return at;
    return NULL;
}

/* A few lanes are not wanted: what is there stays. */
static void
same_bits(cot_context *ctx, const char *name, const ir_sc_program *p, bool fast)
{
    static double x[2][LANES], want[LANES], got[LANES];
    uint8_t wants[LANES];
    ir_arena scratch;
    const size_t size = cot_dtype_size(p->type);
    const void *f = function_of(p, fast);

    ck_assert_msg(f != NULL, "%s: the library has no function for a slow path of it", name);
    for (int j = 0; j < p->n_in; j++)
        fill(p->in[j], j, x[j]);
    for (int l = 0; l < LANES; l++)
        wants[l] = l % 7 != 3;
    ir_arena_init(&scratch, ctx);
    ir_sc_run(&scratch, p, LANES, want, (const void *[]){ x[0], x[1] });
    ir_arena_free(&scratch);
    memset(got, 0x5a, sizeof got);
    if (p->n_in == 1)
        ((one *)(uintptr_t)f)(got, wants, x[0], LANES);
    else
        ((two *)(uintptr_t)f)(got, wants, x[0], x[1], LANES);
    for (int l = 0; l < LANES; l++) {
        const char *g = (char *)got + (size_t)l * size, *w = (char *)want + (size_t)l * size;
        if (wants[l])
            ck_assert_msg(memcmp(g, w, size) == 0 || (is_nan(p->type, g) && is_nan(p->type, w)),
                          "%s: operands %g, %g: other bits than the evaluator's", name,
                          p->in[0] == COT_F32 ? ((float *)x[0])[l] : x[0][l], x[1][l]);
        else
            ck_assert_msg(*g == 0x5a, "%s: a lane that was not wanted was written", name);
    }
}

static int
check_subs(cot_context *ctx, const char *name, const ir_sc_program *p)
{
    int n = 0;

    for (int k = 0; k < p->n; k++)
        if (p->insn[k].op == SC_slow_path) {
            n += 1 + check_subs(ctx, name, p->insn[k].sub);
            same_bits(ctx, name, p->insn[k].sub, false);
#if defined(__x86_64__)
            if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#endif
                same_bits(ctx, name, p->insn[k].sub, true);
        }
    return n;
}

START_TEST(every_slow_path_is_a_function_of_the_library)
{
    static const cot_dtype types[2][3] = { { COT_F32, COT_F32, COT_F32 },
                                           { COT_F64, COT_F64, COT_F64 } };
    cot_context *ctx = cot_context_new(NULL);
    volatile int n = 0;

    IR_TRY (ctx) {
        for (int i = 0; i < ROWS; i++)
            for (int w = 0; w < 2 && strstr(" floating inexact number real ", row[i].infer);
                 w++) {
                const ir_sc_program *p = ir_sc_of(ctx, row[i].op, &(ir_attrs){ 0 }, row[i].n_in,
                                                  types[w], types[w][0]);
                if (p)
                    n += check_subs(ctx, row[i].name, p);
            }
    }
    ck_assert_int_ge(n, 14); /* of sin, cos, tan, pow, rem, lgamma and zeta */
    cot_context_free(ctx);
}
END_TEST

/* Another constant, operand or sub-program is another program. */
START_TEST(hashes_tell_programs_apart)
{
    cot_context *ctx = cot_context_new(NULL);
    const cot_dtype f = COT_F64, two_of[2] = { COT_F64, COT_F64 };
    uint64_t hash[4] = { 0 };

    IR_TRY (ctx) {
        ir_sc_build b;
        for (int i = 0; i < 3; i++) {
            ir_sc_begin(&b, &ctx->arena, 2, two_of);
            ir_sc c = ir_sc_f64(&b, i == 1 ? 2 : 1);
            hash[i] = ir_sc_hash(ir_sc_end(&b, ir_sc_add_insn(&b, SC_sub, f, i == 2, c, 0)));
        }
        hash[3] = ir_sc_hash(ir_sc_of(ctx, OP_sin, NULL, 1, &f, f));
        ck_assert(ir_sc_hash(ir_sc_of(ctx, OP_sin, NULL, 1, &f, f)) == hash[3]);
        ck_assert(ir_sc_hash(ir_sc_of(ctx, OP_cos, NULL, 1, &f, f)) != hash[3]);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            ck_assert(hash[i] != hash[j]);
    cot_context_free(ctx);
}
END_TEST

static void
waves(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    (void)user;
    out[0] = cot_sin(in[0]);
    out[1] = cot_cos(in[0]);
}

/* Large angles come out right, and a kernel of sin and cos brings no reduction of them: with
 * them its object has 10 kB. */
START_TEST(kernels_call_the_library)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_fn *f = cot_fn_new(ctx, "waves", waves, 1, 2, NULL);
    cot_kernel *k, *reference;
    double x[6] = { 1e300, 1, -1e30, NAN, INFINITY, 0x1p31 }, y[2][6], z[2][6];

    ck_assert_msg(cot_compile(f, COT_TYPES(cot_f64(6)), NULL, &k) == COT_OK, "%s",
                  cot_error(ctx));
    ck_assert_int_eq(cot_compile(f, COT_TYPES(cot_f64(6)),
                                 &(cot_compile_options){ .backend = "eval" }, &reference),
                     COT_OK);
    cot_array *a = cot_array_borrow(ctx, cot_f64(6), x);
    cot_array *r[2][2];
    for (int i = 0; i < 2; i++) {
        r[0][i] = cot_array_borrow(ctx, cot_f64(6), y[i]);
        r[1][i] = cot_array_borrow(ctx, cot_f64(6), z[i]);
    }
    ck_assert_int_eq(cot_run(k, r[0], (const cot_array *[]){ a }), COT_OK);
    ck_assert_int_eq(cot_run(reference, r[1], (const cot_array *[]){ a }), COT_OK);
    ck_assert_mem_eq(y, z, sizeof y);
    ck_assert_uint_lt(k->code.bytes, 7000);
    for (int i = 0; i < 2; i++) {
        cot_array_free(r[0][i]);
        cot_array_free(r[1][i]);
    }
    cot_array_free(a);
    cot_kernel_free(k);
    cot_kernel_free(reference);
    cot_context_free(ctx);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(every_slow_path_is_a_function_of_the_library),
        ONCE(hashes_tell_programs_apart),
        ONCE(kernels_call_the_library),
    };

    return SUITE("slow_path", cases);
}
