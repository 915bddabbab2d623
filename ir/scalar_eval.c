/* Scalar programs, interpreted: an instruction is a loop over a strip of elements.
 *
 * There is one small function for each instruction and type, made by the macros below and found
 * through tables, so that the cost of choosing is paid once a strip.  A program runs strip by
 * strip; every value has a strip of its own until its last use, after which the memory serves
 * another, so that the working set stays in the first-level cache.  `slow_path` packs the lanes
 * that take it, runs the sub-program on those alone and scatters the results: a sub-program
 * must still be defined for every input, since codegen runs it for whole vectors.
 *
 * The compiler must not contract a * b + c here (the build says -ffp-contract=off). */
#include "ir/scalar.h"

#include <math.h>

#define STRIP 512

typedef void kernel(int n, void *out, const void *const *in);

/* X(name, C type, unsigned type in which arithmetic wraps without promotion to int) */
#define SIGNED_TYPES(X)                                                                        \
    X(i8, int8_t, uint32_t)                                                                    \
    X(i16, int16_t, uint32_t) X(i32, int32_t, uint32_t) X(i64, int64_t, uint64_t)
#define UNSIGNED_TYPES(X)                                                                      \
    X(u8, uint8_t, uint32_t)                                                                   \
    X(u16, uint16_t, uint32_t) X(u32, uint32_t, uint32_t) X(u64, uint64_t, uint64_t)
#define INT_TYPES(X)    SIGNED_TYPES(X) UNSIGNED_TYPES(X)
#define FLOAT_TYPES(X)  X(f32, float, float) X(f64, double, double)
#define NUMBER_TYPES(X) INT_TYPES(X) FLOAT_TYPES(X)
#define BIT_TYPES(X)    INT_TYPES(X) X(b, uint8_t, uint8_t)

#define KERNEL1(name, C, R, expr)                                                              \
    static void name(int n, void *restrict out, const void *const *in)                         \
    {                                                                                          \
        const C *restrict x = in[0];                                                           \
        R *restrict r = out;                                                                   \
        for (int i = 0; i < n; i++)                                                            \
            r[i] = (R)(expr);                                                                  \
    }
#define KERNEL2(name, C, R, expr)                                                              \
    static void name(int n, void *restrict out, const void *const *in)                         \
    {                                                                                          \
        const C *restrict x = in[0], *restrict y = in[1];                                      \
        R *restrict r = out;                                                                   \
        for (int i = 0; i < n; i++)                                                            \
            r[i] = (R)(expr);                                                                  \
    }
#define KERNEL3(name, C, expr)                                                                 \
    static void name(int n, void *restrict out, const void *const *in)                         \
    {                                                                                          \
        const C *restrict x = in[0], *restrict y = in[1], *restrict z = in[2];                 \
        C *restrict r = out;                                                                   \
        for (int i = 0; i < n; i++)                                                            \
            r[i] = expr;                                                                       \
    }

#define ADD(t, C, U) KERNEL2(add_##t, C, C, (U)x[i] + (U)y[i])
#define SUB(t, C, U) KERNEL2(sub_##t, C, C, (U)x[i] - (U)y[i])
#define MUL(t, C, U) KERNEL2(mul_##t, C, C, (U)x[i] * (U)y[i])
#define DIV(t, C, U) KERNEL2(div_##t, C, C, x[i] / y[i])
#define REM(t, C, U) KERNEL2(rem_##t, C, C, x[i] % y[i])
NUMBER_TYPES(ADD)
NUMBER_TYPES(SUB)
NUMBER_TYPES(MUL)
NUMBER_TYPES(DIV)
INT_TYPES(REM)

#define NEG(t, C, U) KERNEL1(neg_##t, C, C, (U)0 - (U)x[i])
INT_TYPES(NEG)
KERNEL1(neg_f32, float, float, -x[i])
KERNEL1(neg_f64, double, double, -x[i])
KERNEL1(abs_f32, float, float, fabsf(x[i]))
KERNEL1(abs_f64, double, double, fabs(x[i]))
KERNEL1(sqrt_f32, float, float, sqrtf(x[i]))
KERNEL1(sqrt_f64, double, double, sqrt(x[i]))

/* Larger of integers; maximum of floats: NaN wins, and zeros combine their signs by and
 * (or). */
#define MAX(t, C, U) KERNEL2(max_##t, C, C, x[i] > y[i] ? x[i] : y[i])
#define MIN(t, C, U) KERNEL2(min_##t, C, C, x[i] < y[i] ? x[i] : y[i])
INT_TYPES(MAX)
INT_TYPES(MIN)
#define MAX_FLOAT(t, C, U)                                                                     \
    KERNEL2(max_##t, C, C,                                                                     \
            x[i] != x[i]   ? x[i]                                                              \
            : y[i] != y[i] ? y[i]                                                              \
            : x[i] == y[i] ? (signbit(x[i]) ? y[i] : x[i])                                     \
            : x[i] > y[i]  ? x[i]                                                              \
                           : y[i])
#define MIN_FLOAT(t, C, U)                                                                     \
    KERNEL2(min_##t, C, C,                                                                     \
            x[i] != x[i]   ? x[i]                                                              \
            : y[i] != y[i] ? y[i]                                                              \
            : x[i] == y[i] ? (signbit(x[i]) ? x[i] : y[i])                                     \
            : x[i] < y[i]  ? x[i]                                                              \
                           : y[i])
FLOAT_TYPES(MAX_FLOAT)
FLOAT_TYPES(MIN_FLOAT)

#define AND(t, C, U) KERNEL2(and_##t, C, C, x[i] & y[i])
#define OR(t, C, U)  KERNEL2(or_##t, C, C, x[i] | y[i])
#define XOR(t, C, U) KERNEL2(xor_##t, C, C, x[i] ^ y[i])
#define NOT(t, C, U) KERNEL1(not_##t, C, C, ~x[i])
BIT_TYPES(AND)
BIT_TYPES(OR)
BIT_TYPES(XOR)
INT_TYPES(NOT)
KERNEL1(not_b, uint8_t, uint8_t, x[i] ^ 1)

#define SHL(t, C, U) KERNEL2(shl_##t, C, C, (U)x[i] << y[i])
#define SHR(t, C, U) KERNEL2(shr_##t, C, C, x[i] >> y[i])
INT_TYPES(SHL)
INT_TYPES(SHR)

static int
leading_zeros(uint64_t x, int bits)
{
    return x == 0 ? bits : __builtin_clzll(x) - (64 - bits);
}
#define MASKED(C, x)    ((uint64_t)(x) & (UINT64_MAX >> (64 - 8 * sizeof(C))))
#define POPCNT(t, C, U) KERNEL1(popcnt_##t, C, C, __builtin_popcountll(MASKED(C, x[i])))
#define CLZ(t, C, U)                                                                           \
    KERNEL1(clz_##t, C, C, leading_zeros(MASKED(C, x[i]), 8 * (int)sizeof(C)))
INT_TYPES(POPCNT)
INT_TYPES(CLZ)

KERNEL2(pairs_i32, int32_t, int32_t,
        (uint32_t)((int16_t)x[i] * (int16_t)y[i]) + (uint32_t)((x[i] >> 16) * (y[i] >> 16)))

#define BYTES(k) ((uint32_t)((uint8_t)(x[i] >> k) * (int8_t)(y[i] >> k)))
KERNEL3(quads_i32, int32_t,
        (int32_t)((uint32_t)z[i] + BYTES(0) + BYTES(8) + BYTES(16) + BYTES(24)))

#define EQ(t, C, U)      KERNEL2(eq_##t, C, uint8_t, x[i] == y[i])
#define NE(t, C, U)      KERNEL2(ne_##t, C, uint8_t, x[i] != y[i])
#define LT(t, C, U)      KERNEL2(lt_##t, C, uint8_t, x[i] < y[i])
#define LE(t, C, U)      KERNEL2(le_##t, C, uint8_t, x[i] <= y[i])
#define COMPARE_TYPES(X) NUMBER_TYPES(X) X(b, uint8_t, uint8_t)
COMPARE_TYPES(EQ)
COMPARE_TYPES(NE)
COMPARE_TYPES(LT)
COMPARE_TYPES(LE)

/* Without these instructions the processor needs library calls, which give the same bits; both
 * variants exist. */
#define CALLED(V, s)                                                                           \
    V KERNEL3(fma_f32##s, float, fmaf(x[i], y[i], z[i]))                                       \
        V KERNEL3(fma_f64##s, double, fma(x[i], y[i], z[i])) V KERNEL1(floor_f32##s, float,    \
                                                                       float, floorf(x[i]))    \
            V KERNEL1(floor_f64##s, double, double, floor(x[i]))                               \
                V KERNEL1(ceil_f32##s, float, float, ceilf(x[i]))                              \
                    V KERNEL1(ceil_f64##s, double, double, ceil(x[i]))                         \
                        V KERNEL1(trunc_f32##s, float, float, truncf(x[i]))                    \
                            V KERNEL1(trunc_f64##s, double, double, trunc(x[i]))               \
                                V KERNEL1(rint_f32##s, float, float, nearbyintf(x[i]))         \
                                    V KERNEL1(rint_f64##s, double, double, nearbyint(x[i]))
CALLED(, _call)
#if defined(__x86_64__)
CALLED(__attribute__((target("avx2,fma"))), _fast)
static bool
has_fast(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
CALLED(, _fast)
static bool
has_fast(void)
{
    return true;
}
#endif

/* select moves storage of any width. */
#define SELECT(bits)                                                                           \
    static void select_##bits(int n, void *restrict out, const void *const *in)                \
    {                                                                                          \
        const uint8_t *restrict c = in[0];                                                     \
        const uint##bits##_t *restrict x = in[1], *restrict y = in[2];                         \
        uint##bits##_t *restrict r = out;                                                      \
        for (int i = 0; i < n; i++)                                                            \
            r[i] = c[i] ? x[i] : y[i];                                                         \
    }
SELECT(8)
SELECT(16)
SELECT(32)
SELECT(64)

/* Conversions: from any to any number, a table of both types. */
#define CVT(t, C, from, F) KERNEL1(cvt_##t##_##from, F, C, x[i])
#define CVT_FROM(from, F)                                                                      \
    CVT(i8, int8_t, from, F)                                                                   \
    CVT(i16, int16_t, from, F) CVT(i32, int32_t, from, F) CVT(i64, int64_t, from, F)           \
        CVT(u8, uint8_t, from, F) CVT(u16, uint16_t, from, F) CVT(u32, uint32_t, from, F)      \
            CVT(u64, uint64_t, from, F) CVT(f32, float, from, F) CVT(f64, double, from, F)
CVT_FROM(b, uint8_t)
#define CVT_ALL(from, F, U) CVT_FROM(from, F)
NUMBER_TYPES(CVT_ALL)
KERNEL1(cvt_f16_f32, float, uint16_t, cot_f32_to_f16(x[i]))
KERNEL1(cvt_bf16_f32, float, uint16_t, cot_f32_to_bf16(x[i]))
KERNEL1(cvt_f32_f16, uint16_t, float, cot_f16_to_f32(x[i]))
KERNEL1(cvt_f32_bf16, uint16_t, float, cot_bf16_to_f32(x[i]))

#define CVT_ROW(from)                                                                          \
    { [COT_I8] = cvt_i8_##from,   [COT_I16] = cvt_i16_##from, [COT_I32] = cvt_i32_##from,      \
      [COT_I64] = cvt_i64_##from, [COT_U8] = cvt_u8_##from,   [COT_U16] = cvt_u16_##from,      \
      [COT_U32] = cvt_u32_##from, [COT_U64] = cvt_u64_##from, [COT_F32] = cvt_f32_##from,      \
      [COT_F64] = cvt_f64_##from }
static kernel *const cvt_kernel[COT_DTYPE_COUNT][COT_DTYPE_COUNT] = {
    [COT_BOOL] = CVT_ROW(b),
    [COT_I8] = CVT_ROW(i8),
    [COT_I16] = CVT_ROW(i16),
    [COT_I32] = CVT_ROW(i32),
    [COT_I64] = CVT_ROW(i64),
    [COT_U8] = CVT_ROW(u8),
    [COT_U16] = CVT_ROW(u16),
    [COT_U32] = CVT_ROW(u32),
    [COT_U64] = CVT_ROW(u64),
    [COT_F16] = { [COT_F32] = cvt_f32_f16 },
    [COT_BF16] = { [COT_F32] = cvt_f32_bf16 },
    [COT_F32] = { [COT_I8] = cvt_i8_f32,
                  [COT_I16] = cvt_i16_f32,
                  [COT_I32] = cvt_i32_f32,
                  [COT_I64] = cvt_i64_f32,
                  [COT_U8] = cvt_u8_f32,
                  [COT_U16] = cvt_u16_f32,
                  [COT_U32] = cvt_u32_f32,
                  [COT_U64] = cvt_u64_f32,
                  [COT_F16] = cvt_f16_f32,
                  [COT_BF16] = cvt_bf16_f32,
                  [COT_F32] = cvt_f32_f32,
                  [COT_F64] = cvt_f64_f32 },
    [COT_F64] = CVT_ROW(f64),
};

#define INT_COLUMNS(op)                                                                        \
    [COT_I8] = op##_i8, [COT_I16] = op##_i16, [COT_I32] = op##_i32, [COT_I64] = op##_i64,      \
    [COT_U8] = op##_u8, [COT_U16] = op##_u16, [COT_U32] = op##_u32, [COT_U64] = op##_u64
#define BIT_COLUMNS(op)    INT_COLUMNS(op), [COT_BOOL] = op##_b
#define FLOAT_COLUMNS(op)  [COT_F32] = op##_f32, [COT_F64] = op##_f64
#define NUMBER_COLUMNS(op) INT_COLUMNS(op), FLOAT_COLUMNS(op)

static kernel *const op_kernel[SC_COUNT][COT_DTYPE_COUNT] = {
    [SC_add] = { NUMBER_COLUMNS(add) },
    [SC_sub] = { NUMBER_COLUMNS(sub) },
    [SC_mul] = { NUMBER_COLUMNS(mul) },
    [SC_div] = { NUMBER_COLUMNS(div) },
    [SC_rem] = { INT_COLUMNS(rem) },
    [SC_neg] = { NUMBER_COLUMNS(neg) },
    [SC_abs] = { FLOAT_COLUMNS(abs) },
    [SC_sqrt] = { FLOAT_COLUMNS(sqrt) },
    [SC_max] = { NUMBER_COLUMNS(max) },
    [SC_min] = { NUMBER_COLUMNS(min) },
    [SC_and] = { BIT_COLUMNS(and) },
    [SC_or] = { BIT_COLUMNS(or) },
    [SC_xor] = { BIT_COLUMNS(xor) },
    [SC_not] = { BIT_COLUMNS(not) },
    [SC_shl] = { INT_COLUMNS(shl) },
    [SC_shr] = { INT_COLUMNS(shr) },
    [SC_popcnt] = { INT_COLUMNS(popcnt) },
    [SC_clz] = { INT_COLUMNS(clz) },
    [SC_pairs] = { [COT_I32] = pairs_i32 },
    [SC_quads] = { [COT_I32] = quads_i32 },
    [SC_eq] = { NUMBER_COLUMNS(eq), [COT_BOOL] = eq_b },
    [SC_ne] = { NUMBER_COLUMNS(ne), [COT_BOOL] = ne_b },
    [SC_lt] = { NUMBER_COLUMNS(lt), [COT_BOOL] = lt_b },
    [SC_le] = { NUMBER_COLUMNS(le), [COT_BOOL] = le_b },
};

/* [with the instructions or without][op][f64 or f32] */
#define CALLED_ROW(op, s) [SC_##op] = { op##_f32##s, op##_f64##s }
#define CALLED_TABLE(s)                                                                        \
    { CALLED_ROW(fma, s), CALLED_ROW(floor, s), CALLED_ROW(ceil, s), CALLED_ROW(trunc, s),     \
      CALLED_ROW(rint, s) }
static kernel *const called_kernel[2][SC_COUNT][2] = { CALLED_TABLE(_call),
                                                       CALLED_TABLE(_fast) };

static void
eval_const(const ir_sc_insn *i, int n, void *out)
{
    size_t size = cot_dtype_size((cot_dtype)i->type);

    for (int k = 0; k < n; k++)
        memcpy((char *)out + (size_t)k * size, &i->imm,
               size); /* little-endian, as all our targets */
}

static void
eval_table(const ir_sc_insn *i, int n, void *out, const int32_t *index)
{
    size_t size = cot_dtype_size((cot_dtype)i->type);

    for (int k = 0; k < n; k++)
        memcpy((char *)out + (size_t)k * size,
               (const char *)i->table->data + (size_t)index[k] * size, size);
}

static kernel *
find_kernel(const ir_sc_insn *i, cot_dtype operand)
{
    static kernel *const select_kernel[9] = {
        [1] = select_8, [2] = select_16, [4] = select_32, [8] = select_64
    };

    switch (i->op) {
    case SC_fma:
    case SC_floor:
    case SC_ceil:
    case SC_trunc:
    case SC_rint: return called_kernel[has_fast()][i->op][i->type == COT_F64];
    case SC_cvt: return cvt_kernel[operand][i->type];
    case SC_select: return select_kernel[cot_dtype_size((cot_dtype)i->type)];
    default: return op_kernel[i->op][i->type];
    }
}

void
ir_sc_eval(const ir_sc_insn *i, cot_dtype operand, int n, void *out, const void *const *in)
{
    switch (i->op) {
    case SC_const: eval_const(i, n, out); return;
    case SC_table: eval_table(i, n, out, in[0]); return;
    case SC_bitcast: memcpy(out, in[0], (size_t)n * cot_dtype_size((cot_dtype)i->type)); return;
    default: find_kernel(i, operand)(n, out, in);
    }
}

/* A program being run: the strip of each value, and the frames of the sub-programs met so
 * far. */
typedef struct frame {
    const ir_sc_program *p;
    int strip;          /* elements of a strip: STRIP, or all if there are fewer */
    void **at;          /* of each value */
    struct frame **sub; /* of each slow path */
} frame;

static void
mark_uses(const ir_sc_program *p, int *last)
{
    for (int v = 0; v < p->n_in + p->n; v++)
        last[v] = -1;
    for (int k = 0; k < p->n; k++) {
        const ir_sc_insn *i = &p->insn[k];
        for (int j = 0; j < ir_sc_arity[i->op]; j++)
            last[i->in[j]] = k;
        if (i->op == SC_slow_path)
            for (int j = 0; j < i->sub->n_in; j++)
                last[i->args[j]] = k;
    }
    last[p->out] = p->n;
}

/* The strips of values that no instruction reads any more. */
typedef struct spare_strips {
    int *last; /* by value: the instruction that reads it last, -1: none */
    void **at;
    int n;
} spare_strips;

/* Instruction k has run: operand v gives its strip back if this was its last use. */
static void
give_operand(const frame *f, spare_strips *s, int k, int v)
{
    if (v < f->p->n_in || s->last[v] != k || f->p->insn[v - f->p->n_in].op == SC_const)
        return;
    s->last[v] = -1;
    s->at[s->n++] = f->at[v];
}

static void
give_operands(const frame *f, spare_strips *s, int k)
{
    const ir_sc_insn *i = &f->p->insn[k];

    for (int j = 0; j < ir_sc_arity[i->op]; j++)
        give_operand(f, s, k, i->in[j]);
    if (i->op == SC_slow_path)
        for (int j = 0; j < i->sub->n_in; j++)
            give_operand(f, s, k, i->args[j]);
}

/* Strips for the values; constants keep theirs, filled once. */
static frame *
frame_new(ir_arena *a, const ir_sc_program *p, int strip)
{
    frame *f = IR_NEW(a, frame);
    spare_strips s = { IR_NEW_N(a, int, p->n_in + p->n + 1), IR_NEW_N(a, void *, p->n + 1), 0 };

    *f = (frame){ .p = p, .strip = strip };
    f->at = IR_NEW_N(a, void *, p->n_in + p->n + 1);
    f->sub = IR_NEW_N(a, frame *, p->n + 1);
    mark_uses(p, s.last);
    for (int k = 0; k < p->n; k++) {
        const ir_sc_insn *i = &p->insn[k];
        void **to = &f->at[p->n_in + k];

        *to = i->op != SC_const && s.n > 0 ? s.at[--s.n] : ir_alloc(a, (size_t)strip * 8);
        if (i->op == SC_const) {
            eval_const(i, strip, *to);
            continue;
        }
        give_operands(f, &s, k);
        if (s.last[p->n_in + k] < 0)
            s.at[s.n++] = *to;
    }
    return f;
}

static void run_strip(ir_arena *a, frame *f, int n);

#define PACK(C)                                                                                \
    for (int j = 0; j < m; j++)                                                                \
        ((C *)to)[j] = ((const C *)from)[lane[j]];
#define UNPACK(C)                                                                              \
    for (int j = 0; j < m; j++)                                                                \
        ((C *)to)[lane[j]] = ((const C *)from)[j];

static void
pack(size_t size, int m, const int16_t *lane, void *to, const void *from)
{
    switch (size) {
    case 1: PACK(uint8_t) break;
    case 2: PACK(uint16_t) break;
    case 4: PACK(uint32_t) break;
    default: PACK(uint64_t)
    }
}

static void
unpack(size_t size, int m, const int16_t *lane, void *to, const void *from)
{
    switch (size) {
    case 1: UNPACK(uint8_t) break;
    case 2: UNPACK(uint16_t) break;
    case 4: UNPACK(uint32_t) break;
    default: UNPACK(uint64_t)
    }
}

static void
run_slow_path(ir_arena *a, frame *f, int k, int n)
{
    const ir_sc_insn *i = &f->p->insn[k];
    void *out = f->at[f->p->n_in + k];
    const uint8_t *want = f->at[i->in[0]];
    size_t size = cot_dtype_size((cot_dtype)i->type);
    int16_t lane[STRIP];
    int m = 0;

    memcpy(out, f->at[i->in[1]], (size_t)n * size);
    for (int j = 0; j < n; j++)
        if (want[j])
            lane[m++] = (int16_t)j;
    if (m == 0)
        return;
    frame *g = f->sub[k];
    if (g == NULL) {
        g = f->sub[k] = frame_new(a, i->sub, f->strip);
        for (int j = 0; j < i->sub->n_in; j++)
            g->at[j] = ir_alloc(a, (size_t)f->strip * 8);
    }
    for (int j = 0; j < i->sub->n_in; j++)
        pack(cot_dtype_size(i->sub->in[j]), m, lane, g->at[j], f->at[i->args[j]]);
    run_strip(a, g, m);
    unpack(size, m, lane, out, g->at[i->sub->out]);
}

static void
run_strip(ir_arena *a, frame *f, int n)
{
    const ir_sc_program *p = f->p;

    for (int k = 0; k < p->n; k++) {
        const ir_sc_insn *i = &p->insn[k];
        const void *in[3];
        if (i->op == SC_const)
            continue;
        if (i->op == SC_slow_path) {
            run_slow_path(a, f, k, n);
            continue;
        }
        for (int j = 0; j < ir_sc_arity[i->op]; j++)
            in[j] = f->at[i->in[j]];
        ir_sc_eval(i, ir_sc_type(p, i->in[0]), n, f->at[p->n_in + k], in);
    }
}

void
ir_sc_run(ir_arena *scratch, const ir_sc_program *p, int n, void *out, const void *const *in)
{
    frame *f = frame_new(scratch, p, n < STRIP ? n : STRIP);
    size_t size = cot_dtype_size(p->type);

    for (int at = 0; at < n; at += STRIP) {
        int m = n - at < STRIP ? n - at : STRIP;
        for (int j = 0; j < p->n_in; j++)
            f->at[j] = (char *)(uintptr_t)in[j] + (size_t)at * cot_dtype_size(p->in[j]);
        run_strip(scratch, f, m);
        memcpy((char *)out + (size_t)at * size, f->at[p->out], (size_t)m * size);
    }
}
