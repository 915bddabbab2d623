/* Scalar programs: what a pointwise op computes for one element, as straight-line code.
 *
 * A program is a list of typed instructions over numbered values, in order of definition.  The
 * evaluator interprets it over strips of elements; codegen translates it instruction by
 * instruction.  Since both run the same program, and each instruction is defined to the last
 * bit below, a pointwise op has the same bits on every back end.
 *
 * Types of values are cot_dtype.  BOOL is a truth value.  f16 and bf16 are storage: only CVT to
 * and from f32, BITCAST to and from u16, and SELECT take them.  The numbering: inputs are
 * values 0 ... n_in-1;
 * instruction k defines value n_in + k. */
#ifndef IR_SCALAR_H
#define IR_SCALAR_H

#include "cotrace/half.h"
#include "ir/type.h"

/* SC(name, operands, doc).  T is the instruction's type, that of its result, unless said. */
#define SC_OPS(SC)                                                                             \
    SC(const, 0, "the bits in imm, of type T")                                                 \
    SC(add, 2, "x + y: IEEE for floats, modulo 2^n for integers")                              \
    SC(sub, 2, "x - y, likewise")                                                              \
    SC(mul, 2, "x * y, likewise")                                                              \
    SC(div, 2, "x / y: IEEE for floats; integers toward zero, y != 0 and no overflow")         \
    SC(rem, 2, "x - y trunc(x/y), integers only; y != 0 and no overflow")                      \
    SC(neg, 1, "-x: flips the sign bit of floats; modulo 2^n for integers")                    \
    SC(abs, 1, "|x|, floats only: clears the sign bit")                                        \
    SC(sqrt, 1, "IEEE square root")                                                            \
    SC(fma, 3, "x * y + z rounded once, f32 and f64")                                          \
    SC(max, 2, "IEEE 754-2019 maximum for floats (NaN wins, -0 < +0); larger for integers")    \
    SC(min, 2, "IEEE 754-2019 minimum for floats (NaN wins, -0 < +0); smaller for integers")   \
    SC(floor, 1, "IEEE roundToIntegral toward -inf, floats")                                   \
    SC(ceil, 1, "IEEE roundToIntegral toward +inf, floats")                                    \
    SC(trunc, 1, "IEEE roundToIntegral toward zero, floats")                                   \
    SC(rint, 1, "IEEE roundToIntegral ties to even, floats")                                   \
    SC(and, 2, "bits of x and y; integers and bool")                                           \
    SC(or, 2, "bits of x or y; integers and bool")                                             \
    SC(xor, 2, "bits of x xor y; integers and bool")                                           \
    SC(not, 1, "complement; integers and bool")                                                \
    SC(shl, 2, "x << y, 0 <= y < bits of T")                                                   \
    SC(shr, 2, "x >> y, 0 <= y < bits of T: arithmetic for signed, logical for unsigned T")    \
    SC(popcnt, 1, "number of one bits, integers")                                              \
    SC(clz, 1, "number of leading zero bits, integers; the width for 0")                       \
    SC(pairs, 2, "of the signed halves of x and y: low * low + high * high modulo 2^32; i32")  \
    SC(eq, 2, "x == y as BOOL; T is the operands' type in comparisons")                        \
    SC(ne, 2, "x != y as BOOL: true if either is NaN")                                         \
    SC(lt, 2, "x < y as BOOL: false if either is NaN")                                         \
    SC(le, 2, "x <= y as BOOL: false if either is NaN")                                        \
    SC(select, 3, "x ? y : z, x BOOL; T is the type of y and z")                               \
    SC(cvt, 1,                                                                                 \
       "to T: int to int wraps or extends by the operand's signedness; BOOL is 0 or 1; int "   \
       "to float and float to float round to nearest even; float to int truncates and the "    \
       "value must fit")                                                                       \
    SC(bitcast, 1, "the same bits as T, of equal width")                                       \
    SC(table, 1, "element x (i32, within bounds) of the constant table; T is its type")        \
    SC(slow_path, 2,                                                                           \
       "x ? sub(args) : y, x BOOL; the sub-program is meant to be skipped when no lane wants " \
       "it")                                                                                   \
    SC(quads, 3,                                                                               \
       "z + the sum of the products of the four unsigned bytes of x and signed "               \
       "bytes of y, modulo 2^32; i32")

typedef enum ir_sc_op {
#define SC(name, n, doc) SC_##name,
    SC_OPS(SC)
#undef SC
    SC_COUNT
} ir_sc_op;

typedef uint16_t ir_sc;                 /* a value of a program */

typedef struct ir_sc_table {            /* static const data */
    cot_dtype type;
    int n;
    const void *data;
} ir_sc_table;

typedef struct ir_sc_insn {
    uint8_t op;
    /* cot_dtype T: of the result; comparisons: of the operands */
    uint8_t type;
    ir_sc in[3];
    /* const: the bits; slow_path: 1 if it is a branch (ir_sc_branch) */
    uint64_t imm;
    /* table */
    const ir_sc_table *table;
    /* slow_path */
    const struct ir_sc_program *sub;
    /* slow_path: inputs of sub */
    ir_sc args[4];
} ir_sc_insn;

typedef struct ir_sc_program {
    int n_in;
    cot_dtype in[4];
    int n;
    const ir_sc_insn *insn;
    ir_sc out;
    cot_dtype type;                     /* of the result */
} ir_sc_program;

extern const char *const ir_sc_name[SC_COUNT];
extern const uint8_t ir_sc_arity[SC_COUNT];

/* The type of a value of p. */
cot_dtype ir_sc_type(const ir_sc_program *p, ir_sc v);

/* Building.  Equal instructions are shared, constants are folded (by ir_sc_eval1). */
typedef struct ir_sc_build {
    ir_arena *arena;
    int n_in;
    cot_dtype in[4];
    ir_sc_insn *insn;
    uint32_t n, cap;
} ir_sc_build;

void ir_sc_begin(ir_sc_build *b, ir_arena *a, int n_in, const cot_dtype *in);
const ir_sc_program *ir_sc_end(ir_sc_build *b, ir_sc out);
cot_dtype ir_sc_type_in(const ir_sc_build *b, ir_sc v);
/* T: the type of the result (of the operands in comparisons). */
ir_sc ir_sc_add_insn(ir_sc_build *b, ir_sc_op op, cot_dtype T, ir_sc x, ir_sc y, ir_sc z);
ir_sc ir_sc_const_bits(ir_sc_build *b, cot_dtype T, uint64_t bits);
ir_sc ir_sc_f32(ir_sc_build *b, float x);
ir_sc ir_sc_f64(ir_sc_build *b, double x);
ir_sc ir_sc_int(ir_sc_build *b, cot_dtype T, int64_t x);
ir_sc ir_sc_number(ir_sc_build *b, cot_dtype T, double x);        /* x, exactly, as T */
ir_sc ir_sc_lookup(ir_sc_build *b, const ir_sc_table *t, ir_sc index);
/* cond ? sub(args) : otherwise, where cond holds for few elements: sub is a function outside of
 * the loop, which is called for those lanes alone. */
ir_sc ir_sc_slow_path(ir_sc_build *b, ir_sc cond, const ir_sc_program *sub, int n,
                      const ir_sc *args, ir_sc otherwise);
/* The same where cond may hold for many elements of some arrays: the code of sub is inline, in
 * a branch that is taken if cond holds in any lane. */
ir_sc ir_sc_branch(ir_sc_build *b, ir_sc cond, const ir_sc_program *sub, int n,
                   const ir_sc *args, ir_sc otherwise);
/* Copy program p into b with the given inputs; the value of its result. */
ir_sc ir_sc_inline(ir_sc_build *b, const ir_sc_program *p, const ir_sc *in);

/* One instruction over n elements.  Operands and result are dense arrays of their types; BOOL
 * is one byte, 0 or 1. */
void ir_sc_eval(const ir_sc_insn *i, cot_dtype operand, int n, void *out,
                const void *const *in);
/* A whole program over n elements; scratch comes from the arena. */
void ir_sc_run(ir_arena *scratch, const ir_sc_program *p, int n, void *out,
               const void *const *in);
void ir_sc_print(ir_buf *b, const ir_sc_program *p);
/* Of all that a program computes: programs with equal hashes have the same bits. */
uint64_t ir_sc_hash(const ir_sc_program *p);

/* The program of a pointwise op (a row of ops.def with the flag POINTWISE) for operands of the
 * given element types; NULL if the op does not take them.  Cached in the context. */
struct ir_attrs;
const ir_sc_program *ir_sc_of(struct cot_context *ctx, int op, const struct ir_attrs *at,
                              int n_in, const cot_dtype *in, cot_dtype out);

#endif
