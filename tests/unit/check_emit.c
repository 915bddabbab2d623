/* Every scalar instruction at every type, compiled for this machine and for the least x86-64,
 * as scalars and as vectors, gives the bits of the evaluator (all NaNs are one). */
#include <math.h>

#include "codegen/backend.h"
#include "tests/unit/suite.h"

/* Elements: the first SPECIALS are all triples of eight special values. */
enum { N = 1024, SPECIALS = 512, MAX_CASES = 512 };

static ir_arena arena;

/* Instruction op at type t with operands of type from. */
typedef struct op_case {
    ir_sc_op op;
    cot_dtype t, from;
} op_case;

static op_case cases[MAX_CASES];
static int n_cases;
static uint64_t input[COT_DTYPE_COUNT][3][N]; /* bytes of N elements */

static bool
takes(ir_sc_op op, cot_dtype t)
{
    bool f = t == COT_F32 || t == COT_F64, i = ir_is_int(t), half = ir_is_half(t);

    switch (op) {
    case SC_add:
    case SC_sub:
    case SC_mul:
    case SC_neg:
    case SC_div:
    case SC_max:
    case SC_min: return f || i;
    case SC_rem:
    case SC_shl:
    case SC_shr:
    case SC_popcnt:
    case SC_clz: return i;
    case SC_pairs: return t == COT_I32;
    case SC_abs:
    case SC_sqrt:
    case SC_fma:
    case SC_floor:
    case SC_ceil:
    case SC_trunc:
    case SC_rint: return f;
    case SC_and:
    case SC_or:
    case SC_xor:
    case SC_not: return i || t == COT_BOOL;
    case SC_eq:
    case SC_ne:
    case SC_lt:
    case SC_le: return f || i;
    case SC_select: return true;
    default: return half && false;
    }
}

static bool
converts(cot_dtype to, cot_dtype from)
{
    if (ir_is_half(to) || ir_is_half(from))
        return (ir_is_half(to) && from == COT_F32) || (ir_is_half(from) && to == COT_F32);
    return to != from && to != COT_BOOL;
}

static void
list_cases(void)
{
    n_cases = 0;
    for (int op = 0; op < SC_COUNT; op++)
        for (cot_dtype t = COT_BOOL; t < COT_C64; t++) {
            if (takes((ir_sc_op)op, t))
                cases[n_cases++] = (op_case){ (ir_sc_op)op, t, t };
            for (cot_dtype from = COT_BOOL; op == SC_cvt && from < COT_C64; from++)
                if (converts(t, from))
                    cases[n_cases++] = (op_case){ SC_cvt, t, from };
        }
    ck_assert_int_lt(n_cases, MAX_CASES);
}

static uint64_t
random_bits(void)
{
    static uint64_t s = 88172645463325252u;

    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return s;
}

static uint64_t
random_float(cot_dtype t, int i)
{
    static const double special[] = {
        0,         1,          0.5,    1.5,       2.5,       INFINITY, NAN,     0x1p-126,
        0x1p-149,  0x1.8p-130, 3.4e38, 0x1p-1022, 0x1p-1074, 1.7e308,  0x1p23,  0x1.000002p23,
        0x1p52,    1e-3,       65504,  65519,     65520,     0x1p-14,  0x1p-24, 0x1p-25,
        0x1.8p-25, 0x1.ffcp15
    };
    enum { S = sizeof special / sizeof special[0] };
    double d = special[random_bits() % S];
    uint64_t bits = random_bits();
    uint32_t low;

    if (i % 3 == 0 && t == COT_F64)
        memcpy(&bits, &d, 8);
    if (i % 3 == 0 && t == COT_F32) {
        float f = (float)d;
        memcpy(&low, &f, 4);
        bits = low;
    }
    if (i % 3 == 1 && t == COT_F32)
        bits = (bits & 0x807fffffu) | (uint64_t)(110 + random_bits() % 40) << 23;
    if (i % 3 == 1 && t == COT_F64)
        bits = (bits & 0x800fffffffffffffu) | (1000 + random_bits() % 60) << 52;
    if (i % 3 == 0 && random_bits() & 1)
        bits ^= t == COT_F64 ? (uint64_t)1 << 63 : (uint64_t)1 << 31;
    return bits;
}

/* One of eight by three bits of i: operands 0, 1 and 2 meet in every way. */
static uint64_t
special_float(cot_dtype t, int i, int operand)
{
    static const double row[8] = { 0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0x1p-149 };
    const double d = row[i >> 3 * operand & 7];
    const float f = (float)d;
    uint64_t bits = 0;

    memcpy(&bits, t == COT_F64 ? (const void *)&d : (const void *)&f, t == COT_F64 ? 8 : 4);
    return bits;
}

static void
fill_inputs(void)
{
    for (cot_dtype t = COT_BOOL; t < COT_C64; t++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < N; i++) {
                uint64_t x = !ir_is_float(t) || ir_is_half(t) ? random_bits()
                             : i < SPECIALS                   ? special_float(t, i, j)
                                                              : random_float(t, i);
                x = t == COT_BOOL ? x & 1 : i % 5 == 0 && ir_is_int(t) ? x & 3 : x;
                memcpy((char *)input[t][j] + (size_t)i * cot_dtype_size(t), &x,
                       cot_dtype_size(t));
            }
}

/* Operands within the domain: shifts below the width, divisors not 0 and not -1, floats that
 * fit. */
static cg_val
operand(cg_build *b, const op_case *c, int j, cg_val x)
{
    cot_dtype t = c->t;

    if (j == 1 && (c->op == SC_shl || c->op == SC_shr))
        return cg_insn2(b, SC_and, t, x, cg_const(b, t, (uint64_t)ir_bits(t) - 1));
    if (j == 1 && ir_is_int(t) && (c->op == SC_div || c->op == SC_rem)) {
        x = cg_insn2(b, SC_and, t, x, cg_const(b, t, ((uint64_t)1 << (ir_bits(t) - 1)) - 1));
        return cg_insn2(b, SC_or, t, x, cg_const(b, t, 1));
    }
    if (c->op == SC_cvt && ir_is_float(c->from) && ir_is_int(t)) {
        cot_dtype f = c->from;
        double most = ldexp(1, ir_bits(t) - 1 - (ir_is_signed(t) ? 1 : 0)) * 1.5,
               least = ir_is_signed(t) ? -most : 0;
        float most32 = (float)most, least32 = (float)least;
        uint64_t hi = 0, lo = 0;
        memcpy(&hi, f == COT_F64 ? (void *)&most : (void *)&most32, f == COT_F64 ? 8 : 4);
        memcpy(&lo, f == COT_F64 ? (void *)&least : (void *)&least32, f == COT_F64 ? 8 : 4);
        x = cg_insn3(b, SC_select, f, cg_insn2(b, SC_lt, f, x, cg_const(b, f, hi)), x,
                     cg_const(b, f, hi));
        return cg_insn3(b, SC_select, f, cg_insn2(b, SC_lt, f, cg_const(b, f, lo), x), x,
                        cg_const(b, f, lo));
    }
    return x;
}

static cot_dtype
type_of_operand(const op_case *c, int j)
{
    return c->op == SC_select && j == 0 ? COT_BOOL : c->from;
}

static cot_dtype
type_of_result(const op_case *c)
{
    return c->op == SC_eq || c->op == SC_ne || c->op == SC_lt || c->op == SC_le ? COT_BOOL
                                                                                : c->t;
}

/* A kernel for each case: inputs 3 i ... 3 i + 2, the clipped operands and the result come out.
 */
static void
build_case(cg_module *m, const op_case *c, int lanes, int *n_args)
{
    cg_kernel *k = cg_kernel_new(m, "case");
    cg_build b;
    cg_val at, x[3] = { 0 };
    uint32_t in[3] = { 0 }, seen[3] = { 0 }, out;
    int n = ir_sc_arity[c->op];

    for (int j = 0; j < n; j++) {
        in[j] = cg_buffer_add(k, "x", type_of_operand(c, j), CG_IN, N);
        seen[j] = cg_buffer_add(k, "seen", type_of_operand(c, j), CG_OUT, N);
    }
    out = cg_buffer_add(k, "y", type_of_result(c), CG_OUT, N);
    cg_begin(&b, k);
    cg_val i = cg_loop_begin(&b, CG_SERIAL, cg_i64(&b, 0), cg_i64(&b, N), lanes, 0);
    cg_val l = cg_loop_begin(&b, CG_VECTOR, cg_i64(&b, 0), cg_i64(&b, lanes), 1, 0);
    at = cg_iadd(&b, cg_loop_var(&b, i), cg_loop_var(&b, l));
    for (int j = 0; j < n; j++) {
        x[j] = operand(&b, c, j, cg_load(&b, in[j], at, 0));
        cg_store(&b, seen[j], at, x[j], 0);
    }
    cg_store(&b, out, at,
             n == 1   ? cg_insn1(&b, c->op, c->t, x[0])
             : n == 2 ? cg_insn2(&b, c->op, c->t, x[0], x[1])
                      : cg_insn3(&b, c->op, c->t, x[0], x[1], x[2]),
             0);
    cg_loop_end(&b, l);
    cg_loop_end(&b, i);

    cg_kernel *main = m->kernel[0];
    uint32_t pass[7];
    int p = 0;
    for (int j = 0; j < 2 * n + 1; j++) {
        const cg_buffer *x = &k->buffer[j];
        pass[p++] = cg_buffer_add(main, x->name, x->type, x->space, N);
        main->buffer[main->n_buffers - 1].arg = (*n_args)++;
    }
    cg_begin(&b, main);
    cg_call_kernel(&b, (int)m->n_kernels - 1, pass, NULL, 0, NULL);
}

static bool
agree(cot_dtype t, const void *a, const void *b, int i)
{
    size_t size = cot_dtype_size(t);
    const char *x = (const char *)a + (size_t)i * size, *y = (const char *)b + (size_t)i * size;

    if (memcmp(x, y, size) == 0)
        return true;
    if (t == COT_F32)
        return isnan(*(const float *)x) && isnan(*(const float *)y);
    if (t == COT_F64)
        return isnan(*(const double *)x) && isnan(*(const double *)y);
    uint16_t h = *(const uint16_t *)x, g = *(const uint16_t *)y,
             inf = t == COT_F16 ? 0x7c00 : 0x7f80;
    return ir_is_half(t) && (h & 0x7fff) > inf && (g & 0x7fff) > inf;
}

static void
check_case(const op_case *c, void **args)
{
    int n = ir_sc_arity[c->op];
    ir_sc_insn insn = { .op = (uint8_t)c->op, .type = (uint8_t)c->t };
    uint64_t want[N];
    const void *in[3];

    for (int j = 0; j < n; j++)
        in[j] = args[2 * j + 1];
    ir_sc_eval(&insn, type_of_operand(c, n > 1 ? 1 : 0), N, want, in);
    for (int i = 0; i < N; i++)
        ck_assert_msg(agree(type_of_result(c), args[2 * n], want, i),
                      "%s %s from %s, element %d: %llx", ir_sc_name[c->op],
                      cot_dtype_name(c->t), cot_dtype_name(c->from), i,
                      (unsigned long long)((uint32_t *)args[1])[i]);
}

static void
check_all(const char *cpu, int lanes)
{
    cg_module *m = cg_module_new(ctx, &arena, "all");
    cg_target t = { .cpu = cpu };
    cg_code code;
    int n_args = 0, at = 0;

    cg_kernel_new(m, "main");
    for (int i = 0; i < n_cases; i++)
        build_case(m, &cases[i], lanes, &n_args);
    void **args = IR_NEW_N(&arena, void *, n_args);
    m->n_args = n_args;
    for (int i = 0; i < n_cases; i++) {
        int n = ir_sc_arity[cases[i].op];
        for (int j = 0; j < n; j++) {
            args[at++] = input[type_of_operand(&cases[i], j)][j];
            args[at++] = ir_alloc(&arena, N * 8);
        }
        args[at++] = ir_alloc(&arena, N * 8);
    }
    ck_assert_msg(cg_verify(m) == COT_OK, "%s", cot_error(ctx));
    ck_assert_msg(cg_llvm()->target(ctx, &t) == COT_OK, "%s", cot_error(ctx));
    ck_assert_msg(cg_llvm()->load(ctx, &t, m, &code) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(code.entry(args, NULL), 0);
    at = 0;
    for (int i = 0; i < n_cases; i++) {
        check_case(&cases[i], args + at);
        at += 2 * ir_sc_arity[cases[i].op] + 1;
    }
    cg_llvm()->unload(&code);
}

static const struct {
    const char *cpu;
    int lanes;
} row[] = {
    { NULL, 1 },
    { NULL, 16 },
    { "x86-64", 4 },
};

START_TEST(every_instruction)
{
    ctx = cot_context_new(&(cot_options){ .verify = -1 });
    ir_arena_init(&arena, ctx);
    fill_inputs();
    list_cases();
    check_all(row[_i].cpu, row[_i].lanes);
    ir_arena_free(&arena);
    cot_context_free(ctx);
}
END_TEST

/* fma where there is none, at its hard cases: products and sums around the subnormals,
 * cancellation. */
static double
near_power(int e)
{
    uint64_t r = random_bits(), keep = r & 7 ? ~(uint64_t)0 : ~(uint64_t)0 << (r >> 8 & 51);
    double f = 1 + (double)((random_bits() & keep) >> 12) * 0x1p-52;

    return ldexp(r & 8 ? f : -f, e);
}

START_TEST(soft_fma)
{
    double *x = (double *)input[COT_F64][0], *y = (double *)input[COT_F64][1],
           *z = (double *)input[COT_F64][2];
    double out[N];
    void *args[] = { x, input[COT_I64][0], y, input[COT_I64][1], z, input[COT_I64][2], out };
    op_case c = { SC_fma, COT_F64, COT_F64 };
    cg_target t = { .cpu = "x86-64" };
    cg_code code;
    int n_args = 0;

    ctx = cot_context_new(NULL);
    ir_arena_init(&arena, ctx);
    cg_module *m = cg_module_new(ctx, &arena, "fma");
    cg_kernel_new(m, "main");
    build_case(m, &c, 1, &n_args);
    ck_assert_int_eq(cg_llvm()->target(ctx, &t), COT_OK);
    ck_assert_int_eq(cg_llvm()->load(ctx, &t, m, &code), COT_OK);
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < N; i++) {
            int e = (int)(random_bits() % 1200) - 600, sum = (int)(random_bits() % 130) - 1120;
            if (i & 1)
                sum = (int)(random_bits() % 2400) - 1200;
            x[i] = near_power(e);
            y[i] = near_power(sum - e < -1074 ? -1074 : sum - e > 1023 ? 1023 : sum - e);
            z[i] = i % 3 ? near_power(sum + (int)(random_bits() % 130) - 65) : -(x[i] * y[i]);
        }
        ck_assert_int_eq(code.entry(args, NULL), 0);
        for (int i = 0; i < N; i++) {
            double want = fma(x[i], y[i], z[i]);
            ck_assert_msg(memcmp(&out[i], &want, 8) == 0 || want != want,
                          "fma(%a, %a, %a) is %a; wants %a", x[i], y[i], z[i], out[i], want);
        }
    }
    cg_llvm()->unload(&code);
    ir_arena_free(&arena);
    cot_context_free(ctx);
}
END_TEST

/* What schedules are chosen by. */
START_TEST(registers_of_processors)
{
    static const struct {
        const char *cpu, *triple;
        int vector_bits, registers;
    } processor[] = {
        { "x86-64", "x86_64-linux-gnu", 128, 16 },
        { "x86-64-v2", "x86_64-linux-gnu", 128, 16 },
        { "x86-64-v3", "x86_64-linux-gnu", 256, 16 },
        { "x86-64-v4", "x86_64-linux-gnu", 512, 32 },
        { NULL, "aarch64-linux-gnu", 128, 32 },
        { NULL, "riscv64-linux-gnu", 128, 32 },
        { NULL, "wasm32", 128, 16 },
    };

    ctx = cot_context_new(NULL);
    for (size_t i = 0; i < sizeof processor / sizeof *processor; i++) {
        cg_target t = { .triple = processor[i].triple, .cpu = processor[i].cpu };
        ck_assert_msg(cg_llvm()->target(ctx, &t) == COT_OK, "%s", cot_error(ctx));
        ck_assert_msg(t.vector_bits == processor[i].vector_bits &&
                          t.registers == processor[i].registers,
                      "%s %s: %d registers of %d bits", processor[i].triple,
                      processor[i].cpu ? processor[i].cpu : "", t.registers, t.vector_bits);
    }
    cot_context_free(ctx);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(every_instruction, sizeof row / sizeof row[0]),
        ONCE(soft_fma),
        ONCE(registers_of_processors),
    };

    return SUITE_WITH("emit", cases, NULL, NULL);
}
