/* Scalar instructions: each is one or a few LLVM instructions, on scalars or on vectors.
 *
 * No instruction has a fast-math flag.  A maximum or minimum with a constant is a compare and a
 * select, which x86 has as one instruction. max(x, c) = c > x ? c : x returns a NaN x, and is
 * right for zeros unless c is +0; adding +0 then turns -0 into +0 and changes nothing else. min
 * is the same, with the exception at c = -0. */
#include "codegen/kernel/cost.h"
#include "codegen/llvm/emit.h"

static LLVMValueRef
intrinsic(cg_ll_emit *e, const char *name, int n, LLVMValueRef *in)
{
    LLVMTypeRef t = LLVMTypeOf(in[0]);

    return cg_ll_intrinsic(e->l, e->b, name, 1, &t, n, in);
}

static LLVMValueRef
to_integer(cg_ll_emit *e, LLVMValueRef x, LLVMTypeRef to, bool is_signed)
{
    if (e->l->trapping_math)
        return cg_ll_constrained(e, is_signed ? "fptosi" : "fptoui", to, 1, &x);
    return is_signed ? LLVMBuildFPToSI(e->b, x, to, "") : LLVMBuildFPToUI(e->b, x, to, "");
}

static LLVMValueRef
convert(cg_ll_emit *e, cot_dtype to, cot_dtype from, LLVMValueRef x)
{
    LLVMTypeRef t = cg_ll_type_like(cg_ll_type(e->l, to), x);
    bool is_signed = ir_is_signed(from);

    if (to == from)
        return x;
    if (ir_is_half(from))
        return cg_ll_half_to_f32(e, from, x);
    if (ir_is_half(to))
        return cg_ll_f32_to_half(e, to, x);
    if (to == COT_BOOL) {
        LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x));
        return ir_is_float(from) ? LLVMBuildFCmp(e->b, LLVMRealUNE, x, zero, "")
                                 : LLVMBuildICmp(e->b, LLVMIntNE, x, zero, "");
    }
    if (ir_is_float(from)) {
        if (ir_is_float(to))
            return to == COT_F64 ? LLVMBuildFPExt(e->b, x, t, "") : cg_ll_narrow(e, x, t);
        return to_integer(e, x, t, ir_is_signed(to));
    }
    if (ir_is_float(to))
        return is_signed ? LLVMBuildSIToFP(e->b, x, t, "") : LLVMBuildUIToFP(e->b, x, t, "");
    if (ir_bits(to) < ir_bits(from))
        return LLVMBuildTrunc(e->b, x, t, "");
    if (ir_bits(to) == ir_bits(from))
        return x;
    return is_signed ? LLVMBuildSExt(e->b, x, t, "") : LLVMBuildZExt(e->b, x, t, "");
}

static LLVMValueRef
extreme(cg_ll_emit *e, ir_sc_op op, cot_dtype t, LLVMValueRef *in)
{
    const cg_ll_machine *m = e->l->machine;
    const char *name = op == SC_max ? "llvm.maximum" : "llvm.minimum";

    /* For a scalar on x86, LLVM 19 branches on the sign of an operand, which is unpredictable
     * and cannot be vectorised. */
    if (ir_is_float(t) &&
        (!m->extreme || (t == COT_F64 && m->grid) ||
         (m->x86 && LLVMGetTypeKind(LLVMTypeOf(in[0])) != LLVMVectorTypeKind)))
        return cg_ll_soft_extreme(e, op, t, in);
    if (!ir_is_float(t))
        name = op == SC_max ? (ir_is_signed(t) ? "llvm.smax" : "llvm.umax")
                            : (ir_is_signed(t) ? "llvm.smin" : "llvm.umin");
    return intrinsic(e, name, 2, in);
}

/* The square root of f32 is that of f64, rounded again.  This is exact, since 2 * 24 + 2 <= 53
 * (Figueroa, When is double rounding innocuous?, 1995). */
static LLVMValueRef
root(cg_ll_emit *e, cot_dtype t, LLVMValueRef *in)
{
    const cg_ll_machine *m = e->l->machine;

    if (t == COT_F64 ? m->root64 : m->root32)
        return e->l->trapping_math ? cg_ll_constrained(e, "sqrt", NULL, 1, in)
                                   : intrinsic(e, "llvm.sqrt", 1, in);
    LLVMValueRef x = t == COT_F64 ? in[0] : LLVMBuildFPExt(e->b, in[0], e->l->f64, "");
    LLVMValueRef y = m->root64 ? intrinsic(e, "llvm.sqrt", 1, &x)
                               : cg_ll_builtin(e->l, e->b, "cot.sqrt", 1, &x);
    return t == COT_F64 ? y : cg_ll_narrow(e, y, e->l->f32);
}

static LLVMValueRef
rounded(cg_ll_emit *e, ir_sc_op op, cot_dtype t, LLVMValueRef *in)
{
    if (!e->l->machine->round)
        return cg_ll_soft_round(e, op, t, in[0]);
    return intrinsic(e,
                     op == SC_floor   ? "llvm.floor"
                     : op == SC_ceil  ? "llvm.ceil"
                     : op == SC_trunc ? "llvm.trunc"
                                      : "llvm.roundeven",
                     1, in);
}

static LLVMValueRef
compared(cg_ll_emit *e, ir_sc_op op, cot_dtype t, LLVMValueRef *in)
{
    if (ir_is_float(t))
        return LLVMBuildFCmp(e->b,
                             op == SC_eq   ? LLVMRealOEQ
                             : op == SC_ne ? LLVMRealUNE
                             : op == SC_lt ? LLVMRealOLT
                                           : LLVMRealOLE,
                             in[0], in[1], "");
    LLVMIntPredicate lt = ir_is_signed(t) ? LLVMIntSLT : LLVMIntULT;
    LLVMIntPredicate le = ir_is_signed(t) ? LLVMIntSLE : LLVMIntULE;
    return LLVMBuildICmp(e->b,
                         op == SC_eq   ? LLVMIntEQ
                         : op == SC_ne ? LLVMIntNE
                         : op == SC_lt ? lt
                                       : le,
                         in[0], in[1], "");
}

/* LLVM 19 folds 0 / 0 to 0.  Where lanes of both operands are known to be 0, as those of masked
 * loads are, it then drops the mask of a select between the quotient and 0.  The fence hides a
 * vector divisor from that analysis and emits no instruction.  A constant divisor needs
 * none. */
static LLVMValueRef
quotient(cg_ll_emit *e, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef lane[] = { LLVMConstInt(e->l->i32, 0, 0), LLVMConstInt(e->l->i32, 1, 0),
                            LLVMConstInt(e->l->i32, 0, 0), LLVMConstInt(e->l->i32, 1, 0) };

    if (LLVMTypeOf(y) == LLVMVectorType(e->l->f32, 2) && !e->l->machine->grid) {
        /* A vector of half a register: LLVM would also divide the unused half, which may hold
         * zeros. */
        const LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(y));
        x = LLVMBuildShuffleVector(e->b, x, none, LLVMConstVector(lane, 4), "");
        y = LLVMBuildShuffleVector(e->b, y, none, LLVMConstVector(lane, 4), "");
        x = LLVMBuildFDiv(e->b, intrinsic(e, "llvm.arithmetic.fence", 1, &x),
                          intrinsic(e, "llvm.arithmetic.fence", 1, &y), "");
        return LLVMBuildShuffleVector(e->b, x, LLVMGetPoison(LLVMTypeOf(x)),
                                      LLVMConstVector(lane, 2), "");
    }
    if (LLVMGetTypeKind(LLVMTypeOf(y)) == LLVMVectorTypeKind && !LLVMIsConstant(y))
        y = intrinsic(e, "llvm.arithmetic.fence", 1, &y);
    return LLVMBuildFDiv(e->b, x, y, "");
}

static LLVMValueRef
arithmetic(cg_ll_emit *e, ir_sc_op op, LLVMValueRef *in)
{
    if (e->l->trapping_math)
        return cg_ll_constrained(e,
                           op == SC_add   ? "fadd"
                           : op == SC_sub ? "fsub"
                           : op == SC_mul ? "fmul"
                           : op == SC_div ? "fdiv"
                                          : "fma",
                           NULL, ir_sc_arity[op], in);
    switch (op) {
    case SC_add: return LLVMBuildFAdd(e->b, in[0], in[1], "");
    case SC_sub: return LLVMBuildFSub(e->b, in[0], in[1], "");
    case SC_mul: return LLVMBuildFMul(e->b, in[0], in[1], "");
    case SC_div: return quotient(e, in[0], in[1]);
    default: return intrinsic(e, "llvm.fma", 3, in);
    }
}

static LLVMValueRef
divided(cg_ll_emit *e, ir_sc_op op, cot_dtype t, LLVMValueRef *in)
{
    if (op == SC_rem)
        return ir_is_signed(t) ? LLVMBuildSRem(e->b, in[0], in[1], "")
                               : LLVMBuildURem(e->b, in[0], in[1], "");
    if (ir_is_float(t))
        return arithmetic(e, SC_div, in);
    return ir_is_signed(t) ? LLVMBuildSDiv(e->b, in[0], in[1], "")
                           : LLVMBuildUDiv(e->b, in[0], in[1], "");
}

/* A byte of each lane, extended. */
static LLVMValueRef
byte_of(cg_ll_emit *e, LLVMValueRef x, int k, bool is_signed)
{
    const LLVMTypeRef t = LLVMTypeOf(x);
    const bool wide = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    LLVMValueRef up = LLVMConstInt(e->l->i32, (unsigned)(24 - 8 * k), 0),
                 down = LLVMConstInt(e->l->i32, 24, 0);

    if (wide) {
        up = cg_ll_splat(e, up, (int)LLVMGetVectorSize(t));
        down = cg_ll_splat(e, down, (int)LLVMGetVectorSize(t));
    }
    x = LLVMBuildShl(e->b, x, up, "");
    return is_signed ? LLVMBuildAShr(e->b, x, down, "") : LLVMBuildLShr(e->b, x, down, "");
}

/* vpdpbusd, where x86 has it: of AVX-512 and of AVX it has one name in LLVM. */
static LLVMValueRef
quads(cg_ll_emit *e, LLVMValueRef *in)
{
    const LLVMTypeRef t = LLVMTypeOf(in[0]);
    const int lanes = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? (int)LLVMGetVectorSize(t) : 1;
    const char *name = lanes == 4    ? "llvm.x86.avx512.vpdpbusd.128"
                       : lanes == 8  ? "llvm.x86.avx512.vpdpbusd.256"
                       : lanes == 16 ? "llvm.x86.avx512.vpdpbusd.512"
                                     : NULL;
    LLVMValueRef sum = in[2];

    if (name && 32 * lanes <= e->l->machine->dot_bits)
        return cg_ll_intrinsic(e->l, e->b, name, 0, NULL, 3,
                               (LLVMValueRef[]){ in[2], in[0], in[1] });
    for (int k = 0; k < 4; k++)
        sum = LLVMBuildAdd(
            e->b, sum,
            LLVMBuildMul(e->b, byte_of(e, in[0], k, false), byte_of(e, in[1], k, true), ""),
            "");
    return sum;
}

static LLVMValueRef
count_bits(cg_ll_emit *e, ir_sc_op op, LLVMValueRef x)
{
    if (op == SC_popcnt)
        return intrinsic(e, "llvm.ctpop", 1, &x);
    return intrinsic(e, "llvm.ctlz", 2, (LLVMValueRef[]){ x, LLVMConstNull(e->l->i1) });
}

/* x86 has one instruction for vectors of this operation. */
static LLVMValueRef
pairs(cg_ll_emit *e, LLVMValueRef *in)
{
    const cg_ll_machine *m = e->l->machine;
    LLVMTypeRef t = LLVMTypeOf(in[0]);
    const bool wide = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    const unsigned lanes = wide ? LLVMGetVectorSize(t) : 1;
    const char *name = lanes == 4 && m->x86    ? "llvm.x86.sse2.pmadd.wd"
                       : lanes == 8 && m->avx2 ? "llvm.x86.avx2.pmadd.wd"
                       : lanes == 16 && m->x86 && m->masked_small
                           ? "llvm.x86.avx512.pmaddw.d.512"
                           : NULL;
    LLVMValueRef c = LLVMConstInt(e->l->i32, 16, 0), x[2], low[2], high[2];

    c = wide ? cg_ll_splat(e, c, (int)lanes) : c;
    for (int i = 0; i < 2; i++) {
        if (name) {
            x[i] = LLVMBuildBitCast(
                e->b, in[i], LLVMVectorType(LLVMInt16TypeInContext(e->l->llvm), 2 * lanes), "");
            continue;
        }
        low[i] = LLVMBuildAShr(e->b, LLVMBuildShl(e->b, in[i], c, ""), c, "");
        high[i] = LLVMBuildAShr(e->b, in[i], c, "");
    }
    if (name)
        return cg_ll_intrinsic(e->l, e->b, name, 0, NULL, 2, x);
    return LLVMBuildAdd(e->b, LLVMBuildMul(e->b, low[0], low[1], ""),
                        LLVMBuildMul(e->b, high[0], high[1], ""), "");
}

LLVMValueRef
cg_ll_op(cg_ll_emit *e, ir_sc_op op, cot_dtype t, cot_dtype from, LLVMValueRef *in)
{
    LLVMBuilderRef b = e->b;
    bool f = ir_is_float(t);

    switch (op) {
    case SC_add: return f ? arithmetic(e, op, in) : LLVMBuildAdd(b, in[0], in[1], "");
    case SC_sub: return f ? arithmetic(e, op, in) : LLVMBuildSub(b, in[0], in[1], "");
    case SC_mul: return f ? arithmetic(e, op, in) : LLVMBuildMul(b, in[0], in[1], "");
    case SC_div:
    case SC_rem: return divided(e, op, t, in);
    case SC_neg: return f ? LLVMBuildFNeg(b, in[0], "") : LLVMBuildNeg(b, in[0], "");
    case SC_abs: return intrinsic(e, "llvm.fabs", 1, in);
    case SC_sqrt:
        return root(e, t, in);
    case SC_fma:
        if (t == COT_F32 ? e->l->machine->fma32 : e->l->machine->fma64)
            return arithmetic(e, op, in);
        return t == COT_F32 ? cg_ll_soft_fma32(e, in) : cg_ll_soft_fma64(e, in);
    case SC_max:
    case SC_min: return extreme(e, op, t, in);
    case SC_floor:
    case SC_ceil:
    case SC_trunc:
    case SC_rint: return rounded(e, op, t, in);
    case SC_and: return LLVMBuildAnd(b, in[0], in[1], "");
    case SC_or: return LLVMBuildOr(b, in[0], in[1], "");
    case SC_xor: return LLVMBuildXor(b, in[0], in[1], "");
    case SC_not: return LLVMBuildNot(b, in[0], "");
    case SC_shl: return LLVMBuildShl(b, in[0], in[1], "");
    case SC_shr:
        return ir_is_signed(t) ? LLVMBuildAShr(b, in[0], in[1], "")
                               : LLVMBuildLShr(b, in[0], in[1], "");
    case SC_popcnt:
    case SC_clz: return count_bits(e, op, in[0]);
    case SC_pairs: return pairs(e, in);
    case SC_quads: return quads(e, in);
    case SC_eq:
    case SC_ne:
    case SC_lt:
    case SC_le: return compared(e, op, t, in);
    case SC_select: return LLVMBuildSelect(b, in[0], in[1], in[2], "");
    case SC_cvt: return convert(e, t, from, in[0]);
    case SC_bitcast:
        return LLVMBuildBitCast(b, in[0], cg_ll_type_like(cg_ll_type(e->l, t), in[0]), "");
    default: return NULL;
    }
}

static LLVMValueRef
look_up_lanes(cg_ll_emit *e, LLVMTypeRef t, LLVMValueRef base, LLVMValueRef index)
{
    const unsigned n = LLVMGetVectorSize(LLVMTypeOf(index));
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(t, n));

    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef k = cg_ll_index(e, i),
                     at = LLVMBuildSExt(e->b, LLVMBuildExtractElement(e->b, index, k, ""),
                                        e->l->i64, "");
        LLVMValueRef x =
            LLVMBuildLoad2(e->b, t, LLVMBuildInBoundsGEP2(e->b, t, base, &at, 1, ""), "");
        v = LLVMBuildInsertElement(e->b, v, x, k, "");
    }
    return v;
}

static LLVMValueRef
looked_up(cg_ll_emit *e, const ir_sc_table *table, LLVMValueRef index)
{
    LLVMTypeRef t = cg_ll_type(e->l, table->type);
    int64_t bytes = (int64_t)cot_dtype_size(table->type) * table->n;
    LLVMValueRef base = cg_ll_constant_data(e->l, table->data, bytes);

    if (LLVMGetTypeKind(LLVMTypeOf(index)) == LLVMVectorTypeKind && e->l->machine->grid)
        return look_up_lanes(e, t, base, index);
    if (LLVMGetTypeKind(LLVMTypeOf(index)) == LLVMVectorTypeKind)
        return cg_ll_gather(e, t, base, index, NULL);
    LLVMValueRef at = LLVMBuildSExt(e->b, index, e->l->i64, "");
    return LLVMBuildLoad2(e->b, t, LLVMBuildInBoundsGEP2(e->b, t, base, &at, 1, ""), "");
}

/* Emit a whole program on values of one width, for an outlined function.  A slow path inside it
 * is computed and selected. */
LLVMValueRef
cg_ll_program(cg_ll_emit *e, const ir_sc_program *p, const LLVMValueRef *in)
{
    LLVMValueRef *v = IR_NEW_N(e->arena, LLVMValueRef, p->n_in + p->n);
    LLVMTypeRef wide = LLVMTypeOf(in[0]);
    int lanes = LLVMGetTypeKind(wide) == LLVMVectorTypeKind ? (int)LLVMGetVectorSize(wide) : 0;

    memcpy(v, in, sizeof *v * (size_t)p->n_in);
    for (int i = 0; i < p->n; i++) {
        const ir_sc_insn *s = &p->insn[i];
        LLVMValueRef x[4] = { 0 }, *y = &v[p->n_in + i];

        for (int j = 0; j < ir_sc_arity[s->op]; j++)
            x[j] = v[s->in[j]];
        if (s->op == SC_const) {
            *y = cg_ll_bits(e->l, (cot_dtype)s->type, s->imm);
            *y = lanes ? cg_ll_splat(e, *y, lanes) : *y;
        } else if (s->op == SC_table)
            *y = looked_up(e, s->table, x[0]);
        else if (s->op == SC_slow_path) {
            LLVMValueRef args[4] = { 0 };
            for (int j = 0; j < s->sub->n_in; j++)
                args[j] = v[s->args[j]];
            *y = LLVMBuildSelect(e->b, x[0], cg_ll_program(e, s->sub, args), x[1], "");
        } else
            *y = cg_ll_op(e, (ir_sc_op)s->op, (cot_dtype)s->type, ir_sc_type(p, s->in[0]), x);
    }
    return v[p->out];
}

/* -- instructions of a kernel -- */

/* The sum, difference or multiple of values with a constant stride from lane to lane has a
 * constant stride as well. */
static bool
sloped(cg_ll_emit *e, const cg_insn *i, const cg_ll_copy *in, cg_ll_copy *out)
{
    int64_t c;

    if (i->type != COT_I64 || in[0].wide || in[1].wide ||
        (in[0].slope == 0 && in[1].slope == 0))
        return false;
    if (i->op == SC_add || i->op == SC_sub) {
        out->slope = i->op == SC_add ? in[0].slope + in[1].slope : in[0].slope - in[1].slope;
        out->v = i->op == SC_add ? LLVMBuildAdd(e->b, in[0].v, in[1].v, "")
                                 : LLVMBuildSub(e->b, in[0].v, in[1].v, "");
        return true;
    }
    if (i->op == SC_mul && cg_is_const(e->k, i->in[1], &c)) {
        out->slope = in[0].slope * c;
        out->v = LLVMBuildMul(e->b, in[0].v, in[1].v, "");
        return true;
    }
    return false;
}

static bool
is_constant_extreme(const cg_ll_emit *e, const cg_insn *i, int at)
{
    const cg_insn *c = &e->k->insn[i->in[at]];
    uint64_t sign = i->type == COT_F64 ? (uint64_t)1 << 63 : (uint64_t)1 << 31;
    uint64_t inf = i->type == COT_F64 ? (uint64_t)0x7ff << 52 : (uint64_t)0xff << 23;

    if (c->op != SC_const || (i->type != COT_F32 && i->type != COT_F64) ||
        (c->imm & (sign - 1)) > inf)
        return false;
    return i->op == SC_max || (i->op == SC_min && c->imm != sign);
}

static LLVMValueRef
constant_extreme(cg_ll_emit *e, const cg_insn *i, LLVMValueRef c, bool zero, LLVMValueRef x)
{
    LLVMValueRef better =
        LLVMBuildFCmp(e->b, i->op == SC_max ? LLVMRealOGT : LLVMRealOLT, c, x, "");
    LLVMValueRef y = LLVMBuildSelect(e->b, better, c, x, "");

    return i->op == SC_max && zero ? LLVMBuildFAdd(e->b, y, LLVMConstNull(LLVMTypeOf(y)), "")
                                   : y;
}

static cg_ll_copy
emit_copy(cg_ll_emit *e, const cg_insn *i, const cg_ll_copy *in, int n)
{
    cg_ll_copy out = { 0 };
    LLVMValueRef x[3] = { 0 };

    if (n == 2 && sloped(e, i, in, &out))
        return out;
    for (int j = 0; j < n; j++)
        out.wide |= in[j].wide || in[j].slope != 0;
    for (int j = 0; j < n; j++)
        x[j] = cg_ll_as(e, in[j], out.wide);
    if (i->op == SC_table)
        out.v = looked_up(e, i->table, x[0]);
    else if (n == 2 && is_constant_extreme(e, i, 1))
        out.v = constant_extreme(e, i, x[1], e->k->insn[i->in[1]].imm == 0, x[0]);
    else if (n == 2 && is_constant_extreme(e, i, 0))
        out.v = constant_extreme(e, i, x[0], e->k->insn[i->in[0]].imm == 0, x[1]);
    else
        out.v = cg_ll_op(e, (ir_sc_op)i->op, (cot_dtype)i->type, cg_type(e->k, i->in[0]), x);
    return out;
}

void
cg_ll_scalar_insn(cg_ll_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    uint32_t set = e->divergence[v];
    int n = ir_sc_arity[i->op];

    cg_ll_define(e, v, set);
    for (int c = 0, all = cg_ll_copies(e, set); c < all; c++) {
        cg_ll_copy in[3] = { 0 };
        cg_ll_seek(e, set, c);
        for (int j = 0; j < n; j++)
            in[j] = cg_ll_get(e, i->in[j]);
        cg_ll_copy out = emit_copy(e, i, in, n);
        if (out.wide && cg_is_made_of_index(e->k, i))
            out.v = cg_ll_fill_tail(e, set, out.v);
        cg_ll_set(e, v, out);
    }
}
