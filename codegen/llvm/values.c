/* Values of the current kernel: copies over unroll loops, lanes of the vector loop, masks. */
#include "codegen/llvm/emit.h"

static bool
is_copied(const cg_ll_emit *e, uint32_t set, int level)
{
    return set >> level & 1 && e->level[level].loop->kind == CG_UNROLL;
}

int
cg_ll_copies(const cg_ll_emit *e, uint32_t set)
{
    int n = 1;

    for (int i = 0; i < e->n_levels; i++)
        if (is_copied(e, set, i))
            n *= (int)e->level[i].extent;
    return n;
}

void
cg_ll_seek(cg_ll_emit *e, uint32_t set, int copy)
{
    for (int i = e->n_levels; i-- > 0;)
        if (is_copied(e, set, i)) {
            e->digit[i] = copy % (int)e->level[i].extent;
            copy /= (int)e->level[i].extent;
        }
}

cg_ll_copy *
cg_ll_at(const cg_ll_emit *e, const cg_ll_var *x)
{
    int at = 0;

    for (int i = 0; i < e->n_levels; i++)
        if (is_copied(e, x->set, i))
            at = at * (int)e->level[i].extent + e->digit[i];
    return &x->copy[at];
}

cg_ll_copy
cg_ll_get(const cg_ll_emit *e, cg_val v)
{
    return *cg_ll_at(e, &e->var[v]);
}

void
cg_ll_define(cg_ll_emit *e, cg_val v, uint32_t set)
{
    e->var[v].set = set;
    e->var[v].copy = IR_NEW_N(e->arena, cg_ll_copy, cg_ll_copies(e, set));
}

void
cg_ll_set(cg_ll_emit *e, cg_val v, cg_ll_copy x)
{
    *cg_ll_at(e, &e->var[v]) = x;
}

LLVMValueRef
cg_ll_uniform(const cg_ll_emit *e, cg_val v)
{
    return e->var[v].copy[0].v;
}

bool
cg_ll_is_wide(const cg_ll_emit *e, uint32_t set)
{
    return e->vector_level >= 0 && (set >> e->vector_level & 1);
}

LLVMTypeRef
cg_ll_wide(const cg_ll_emit *e, LLVMTypeRef t, bool wide)
{
    return wide ? LLVMVectorType(t, (unsigned)e->lanes) : t;
}

LLVMValueRef
cg_ll_index(const cg_ll_emit *e, int64_t x)
{
    return LLVMConstInt(e->l->i64, (uint64_t)x, 1);
}

LLVMValueRef
cg_ll_iota(cg_ll_emit *e, LLVMTypeRef t, int n, int64_t step)
{
    LLVMValueRef *c = IR_NEW_N(e->arena, LLVMValueRef, n);

    for (int i = 0; i < n; i++)
        c[i] = LLVMConstInt(t, (uint64_t)(i * step), 1);
    return LLVMConstVector(c, (unsigned)n);
}

LLVMTypeRef
cg_ll_type_like(LLVMTypeRef element, LLVMValueRef x)
{
    LLVMTypeRef t = LLVMTypeOf(x);

    return LLVMGetTypeKind(t) == LLVMVectorTypeKind
               ? LLVMVectorType(element, LLVMGetVectorSize(t))
               : element;
}

LLVMValueRef
cg_ll_splat(cg_ll_emit *e, LLVMValueRef x, int n)
{
    LLVMTypeRef v = LLVMVectorType(LLVMTypeOf(x), (unsigned)n);

    if (LLVMIsConstant(x)) {
        LLVMValueRef *c = IR_NEW_N(e->arena, LLVMValueRef, n);
        for (int i = 0; i < n; i++)
            c[i] = x;
        return LLVMConstVector(c, (unsigned)n);
    }
    LLVMValueRef one =
        LLVMBuildInsertElement(e->b, LLVMGetPoison(v), x, LLVMConstNull(e->l->i64), "");
    return LLVMBuildShuffleVector(e->b, one, LLVMGetPoison(v),
                                  LLVMConstNull(LLVMVectorType(e->l->i32, (unsigned)n)), "");
}

LLVMValueRef
cg_ll_widen(cg_ll_emit *e, cg_ll_copy x)
{
    if (x.wide)
        return x.v;
    LLVMValueRef v = cg_ll_splat(e, x.v, e->lanes);
    if (x.slope == 0)
        return v;
    return LLVMBuildAdd(e->b, v, cg_ll_iota(e, e->l->i64, e->lanes, x.slope), "");
}

LLVMValueRef
cg_ll_as(cg_ll_emit *e, cg_ll_copy x, bool wide)
{
    return wide ? cg_ll_widen(e, x) : x.v;
}

LLVMValueRef
cg_ll_stack(cg_ll_emit *e, LLVMTypeRef t, int64_t n, int align)
{
    LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b);

    LLVMPositionBuilderAtEnd(e->b, e->allocas);
    LLVMValueRef p = LLVMBuildAlloca(e->b, LLVMArrayType2(t, (uint64_t)n), "");
    LLVMSetAlignment(p, (unsigned)align);
    LLVMPositionBuilderAtEnd(e->b, at);
    return p;
}

LLVMBasicBlockRef
cg_ll_block(cg_ll_emit *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->l->llvm, e->fn, name);
}

void
cg_ll_branch(cg_ll_emit *e, LLVMValueRef cond, LLVMBasicBlockRef yes, LLVMBasicBlockRef no)
{
    LLVMBuildCondBr(e->b, cond, yes, no);
    LLVMPositionBuilderAtEnd(e->b, yes);
}

void
cg_ll_goto(cg_ll_emit *e, LLVMBasicBlockRef to, LLVMBasicBlockRef next)
{
    LLVMBuildBr(e->b, to);
    LLVMPositionBuilderAtEnd(e->b, next);
}

LLVMValueRef
cg_ll_phi(cg_ll_emit *e, LLVMTypeRef t, const char *name, LLVMValueRef first,
          LLVMBasicBlockRef from)
{
    LLVMValueRef phi = LLVMBuildPhi(e->b, t, name);

    LLVMAddIncoming(phi, &first, &from, 1);
    return phi;
}

LLVMValueRef
cg_ll_join(cg_ll_emit *e, LLVMValueRef x, LLVMBasicBlockRef from_x, LLVMValueRef y,
           LLVMBasicBlockRef from_y)
{
    if (x == y)
        return x;
    LLVMValueRef phi = cg_ll_phi(e, LLVMTypeOf(x), "", x, from_x);
    LLVMAddIncoming(phi, &y, &from_y, 1);
    return phi;
}

/* The levels over which the carried value of y, or else its yielded value, varies. */
uint32_t
cg_ll_yield_set(const cg_ll_emit *e, const cg_yield *y)
{
    return y->carried ? e->divergence[y->carried] : e->divergence[y->value];
}

int
cg_ll_yield_values(cg_ll_emit *e, const cg_block *x, LLVMValueRef *out)
{
    int n = 0;

    for (int i = 0; i < x->n; i++) {
        uint32_t set = cg_ll_yield_set(e, &x->yield[i]);
        for (int c = 0, all = cg_ll_copies(e, set); c < all; c++, n++) {
            cg_ll_seek(e, set, c);
            if (out)
                out[n] = cg_ll_as(e, cg_ll_get(e, x->yield[i].value), cg_ll_is_wide(e, set));
        }
    }
    return n;
}

LLVMValueRef
cg_ll_any_lane(cg_ll_emit *e, cg_ll_copy x)
{
    if (!x.wide)
        return x.v;
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(x.v));
    LLVMTypeRef bits = LLVMIntTypeInContext(e->l->llvm, n);
    LLVMValueRef all = LLVMBuildBitCast(e->b, x.v, bits, "");

    return LLVMBuildICmp(e->b, LLVMIntNE, all, LLVMConstNull(bits), "any");
}

LLVMValueRef
cg_ll_any(cg_ll_emit *e, const cg_ll_var *x)
{
    cg_ll_copy any = { 0 };

    for (int c = 0, all = cg_ll_copies(e, x->set); c < all; c++) {
        cg_ll_copy y = x->copy[c];
        bool wide = any.wide || y.wide;
        if (any.v)
            y.v = LLVMBuildOr(e->b, cg_ll_as(e, any, wide), cg_ll_as(e, y, wide), "");
        any = (cg_ll_copy){ .v = y.v, .wide = wide };
    }
    return cg_ll_any_lane(e, any);
}

/* Returns the mask m and x, or m and not x.  `by` is what the checker is told of x. */
cg_ll_mask *
cg_ll_mask_and(cg_ll_emit *e, const cg_ll_mask *m, const cg_ll_var *x, bool negate,
               const cg_applied *by)
{
    cg_ll_mask *r = IR_NEW(e->arena, cg_ll_mask);
    uint32_t set = x->set | (m ? m->lanes.set : 0);
    int all = cg_ll_copies(e, set);

    r->by = cg_apply_both(e->ranges, m ? m->by : NULL, by);
    r->lanes = (cg_ll_var){ .set = set, .copy = IR_NEW_N(e->arena, cg_ll_copy, all) };
    for (int c = 0; c < all; c++) {
        cg_ll_seek(e, set, c);
        cg_ll_copy y = *cg_ll_at(e, x), z = m ? *cg_ll_at(e, &m->lanes) : (cg_ll_copy){ 0 };
        if (negate)
            y.v = LLVMBuildNot(e->b, y.v, "");
        if (m) {
            bool wide = y.wide || z.wide;
            y.v = LLVMBuildAnd(e->b, cg_ll_as(e, y, wide), cg_ll_as(e, z, wide), "");
            y.wide = wide;
        }
        r->lanes.copy[c] = y;
    }
    return r;
}

/* Under trapping math an operation is emitted so that LLVM preserves its exceptions: LLVM then
 * neither moves it above a branch nor computes it in unused lanes. */
LLVMValueRef
cg_ll_constrained(cg_ll_emit *e, const char *name, LLVMTypeRef to, int n,
                  const LLVMValueRef *in)
{
    static const char rounding[] = "round.tonearest", exceptions[] = "fpexcept.maytrap";
    LLVMTypeRef type[] = { to ? to : LLVMTypeOf(in[0]), LLVMTypeOf(in[0]) };
    LLVMValueRef args[5];

    memcpy(args, in, sizeof *in * (size_t)n);
    if (strncmp(name, "fpto", 4) != 0)
        args[n++] = LLVMMetadataAsValue(
            e->l->llvm, LLVMMDStringInContext2(e->l->llvm, rounding, sizeof rounding - 1));
    args[n++] = LLVMMetadataAsValue(
        e->l->llvm, LLVMMDStringInContext2(e->l->llvm, exceptions, sizeof exceptions - 1));
    return cg_ll_intrinsic(e->l, e->b,
                           ir_format(e->arena, "llvm.experimental.constrained.%s", name),
                           to ? 2 : 1, type, n, args);
}

LLVMValueRef
cg_ll_narrow(cg_ll_emit *e, LLVMValueRef x, LLVMTypeRef to)
{
    return e->l->trapping_math ? cg_ll_constrained(e, "fptrunc", to, 1, &x)
                               : LLVMBuildFPTrunc(e->b, x, to, "");
}
