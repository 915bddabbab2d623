/* Folds, scans and trees, in the orders that kernel.h defines.
 *
 * A serial fold of extent 2^b is b nested loops of two iterations each, the innermost over the
 * highest bit of the lane.  Each loop combines the values of its two iterations.  The partial
 * results are thus values in registers, and the order is that of a fold by halves.
 *
 * A tree is a binary counter: pushing element number c combines it with the partial result of
 * each trailing one bit of c.  At the end the remaining partial results are combined from the
 * lowest level up.  A GPU has no registers that can be indexed, so there each of a few levels
 * has its own slot, and the levels are selected without a loop. */
#include "codegen/llvm/emit.h"
#include "codegen/tuning.h"

static LLVMValueRef
combine(cg_ll_emit *e, const cg_yield *y, LLVMValueRef a, LLVMValueRef b)
{
    return cg_ll_op(e, y->combine, y->type, y->type, (LLVMValueRef[]){ a, b });
}

/* -- SPMD loops -- */

static LLVMValueRef
half_of(cg_ll_emit *e, LLVMValueRef x, int from, int n)
{
    LLVMValueRef c[256];

    for (int i = 0; i < n; i++)
        c[i] = LLVMConstInt(e->l->i32, (uint64_t)(from + i), 0);
    return LLVMBuildShuffleVector(e->b, x, LLVMGetPoison(LLVMTypeOf(x)),
                                  LLVMConstVector(c, (unsigned)n), "");
}

/* Maps the bits of a float to an integer of the same order, with -0 below +0.  The map is its
 * own inverse. */
static LLVMValueRef
key_of(cg_ll_emit *e, LLVMValueRef bits, unsigned width, int lanes)
{
    LLVMTypeRef i = width == 64 ? e->l->i64 : e->l->i32;
    LLVMValueRef top = LLVMConstInt(i, width - 1, 0),
                 rest = LLVMConstInt(i, ((uint64_t)1 << (width - 1)) - 1, 0);
    if (lanes > 1) {
        top = cg_ll_splat(e, top, lanes);
        rest = cg_ll_splat(e, rest, lanes);
    }
    LLVMValueRef sign = LLVMBuildAShr(e->b, bits, top, "");
    return LLVMBuildXor(e->b, bits, LLVMBuildAnd(e->b, sign, rest, ""), "");
}

/* A maximum or minimum of floats takes several instructions on x86, and one of integers takes
 * one.  Such lanes are compared as integers, where a NaN takes precedence over all values. */
static bool
goes_by_keys(const cg_ll_emit *e, ir_sc_op combine, cot_dtype t)
{
    return e->l->machine->x86 && e->lanes >= 4 && (combine == SC_max || combine == SC_min) &&
           (t == COT_F32 || t == COT_F64);
}

/* The lanes of x as integer keys in the order of the numbers. */
static LLVMValueRef
keys_of(cg_ll_emit *e, ir_sc_op combine, cot_dtype t, LLVMValueRef x)
{
    const unsigned width = (unsigned)ir_bits(t);
    const uint64_t high = (uint64_t)1 << (width - 1);
    LLVMTypeRef i = width == 64 ? e->l->i64 : e->l->i32;
    LLVMValueRef nan = LLVMBuildFCmp(e->b, LLVMRealUNO, x, x, "");
    LLVMValueRef key =
        key_of(e, LLVMBuildBitCast(e->b, x, LLVMVectorType(i, (unsigned)e->lanes), ""), width,
               e->lanes);
    LLVMValueRef first = LLVMConstInt(i, combine == SC_max ? high - 1 : high, 0);

    return LLVMBuildSelect(e->b, nan, cg_ll_splat(e, first, e->lanes), key, "");
}

static LLVMValueRef
better_key(cg_ll_emit *e, ir_sc_op combine, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef better =
        LLVMBuildICmp(e->b, combine == SC_max ? LLVMIntSGT : LLVMIntSLT, x, y, "");
    return LLVMBuildSelect(e->b, better, x, y, "");
}

/* LLVM 19 for x86 takes halves that are vectors of their own for a fold of fewer lanes, and
 * returns the sum of some of them where it knows an instruction for what is summed: psadbw for
 * |x - y| of u8, vpdpbusd for x y of u8 and i8.  Of integers the order does not matter. */
static LLVMValueRef
fold_integers(cg_ll_emit *e, ir_sc_op combine, bool is_signed, LLVMValueRef x)
{
    const char *name =
        combine == SC_add   ? "llvm.vector.reduce.add"
        : combine == SC_mul ? "llvm.vector.reduce.mul"
        : combine == SC_and ? "llvm.vector.reduce.and"
        : combine == SC_or  ? "llvm.vector.reduce.or"
        : combine == SC_xor ? "llvm.vector.reduce.xor"
        : combine == SC_max
            ? (is_signed ? "llvm.vector.reduce.smax" : "llvm.vector.reduce.umax")
            : (is_signed ? "llvm.vector.reduce.smin" : "llvm.vector.reduce.umin");
    LLVMTypeRef t = LLVMTypeOf(x);

    return cg_ll_intrinsic(e->l, e->b, name, 1, &t, 1, &x);
}

static LLVMValueRef
fold_by_keys(cg_ll_emit *e, const cg_yield *y, LLVMValueRef x)
{
    const unsigned width = (unsigned)ir_bits(y->type);
    LLVMValueRef key = keys_of(e, y->combine, y->type, x);

    key = key_of(e, fold_integers(e, (ir_sc_op)y->combine, true, key), width, 1);
    return LLVMBuildBitCast(e->b, key, width == 64 ? e->l->f64 : e->l->f32, "");
}

static LLVMValueRef
fold_lanes(cg_ll_emit *e, const cg_yield *y, LLVMValueRef x, const cg_ll_mask *limit)
{
    if (limit) {
        LLVMValueRef neutral = cg_ll_bits(e->l, y->type, cg_neutral_bits(y->combine, y->type));
        x = LLVMBuildSelect(e->b, limit->lanes.copy[0].v, x, cg_ll_splat(e, neutral, e->lanes),
                            "");
    }
    if (goes_by_keys(e, y->combine, y->type))
        return fold_by_keys(e, y, x);
    if (!ir_is_float(y->type))
        return fold_integers(e, (ir_sc_op)y->combine, ir_is_signed(y->type), x);
    for (int h = e->lanes / 2; h > 0; h /= 2)
        x = combine(e, y, half_of(e, x, 0, h), half_of(e, x, h, h));
    return LLVMBuildExtractElement(e->b, x, cg_ll_index(e, 0), "");
}

static LLVMValueRef
fold_copies(cg_ll_emit *e, const cg_yield *y, int level, bool wide)
{
    LLVMValueRef x[64];
    int n = (int)e->level[level].extent;

    for (int i = 0; i < n; i++) {
        e->digit[level] = i;
        x[i] = cg_ll_as(e, cg_ll_get(e, y->value), wide);
    }
    for (int h = n / 2; h > 0; h /= 2)
        for (int i = 0; i < h; i++)
            x[i] = combine(e, y, x[i], x[i + h]);
    return x[0];
}

void
cg_ll_fold_spmd(cg_ll_emit *e, const cg_block *x, int i, int level, const cg_ll_mask *limit)
{
    const cg_yield *y = &x->yield[i];
    uint32_t set = e->divergence[x->result[i]];
    bool wide = cg_ll_is_wide(e, set);

    cg_ll_define(e, x->result[i], set);
    for (int c = 0, all = cg_ll_copies(e, set); c < all; c++) {
        LLVMValueRef r;
        cg_ll_seek(e, set, c);
        if (x->kind == CG_VECTOR)
            r = fold_lanes(e, y, cg_ll_widen(e, cg_ll_get(e, y->value)), limit);
        else
            r = fold_copies(e, y, level, wide);
        cg_ll_seek(e, set, c);
        cg_ll_set(e, x->result[i], (cg_ll_copy){ .v = r, .wide = wide });
    }
}

/* -- scans of lanes -- */

/* x shifted up by d lanes; the first d lanes are those of `first`. */
static LLVMValueRef
moved_up(cg_ll_emit *e, LLVMValueRef x, LLVMValueRef first, int d)
{
    int *mask = IR_NEW_N(e->arena, int, e->lanes);

    for (int l = 0; l < e->lanes; l++)
        mask[l] = l < d ? e->lanes + l : l - d;
    return cg_ll_picked(e, x, first, mask);
}

/* Lanes before the first are the neutral element, which changes no bit; a key is combined with
 * itself instead. */
static LLVMValueRef
scan_copy(cg_ll_emit *e, ir_sc_op combine, cot_dtype t, LLVMValueRef x)
{
    if (goes_by_keys(e, combine, t)) {
        LLVMTypeRef as = LLVMTypeOf(x);
        LLVMValueRef key = keys_of(e, combine, t, x);
        for (int d = 1; d < e->lanes; d *= 2)
            key = better_key(e, combine, moved_up(e, key, key, d), key);
        key = key_of(e, key, (unsigned)ir_bits(t), e->lanes);
        return LLVMBuildBitCast(e->b, key, as, "");
    }
    LLVMValueRef none =
        cg_ll_splat(e, cg_ll_bits(e->l, t, cg_neutral_bits(combine, t)), e->lanes);
    for (int d = 1; d < e->lanes; d *= 2)
        x = cg_ll_op(e, combine, t, t, (LLVMValueRef[]){ moved_up(e, x, none, d), x });
    return x;
}

void
cg_ll_across_lanes(cg_ll_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    const uint32_t set = e->divergence[v];
    const LLVMValueRef last = cg_ll_index(e, e->lanes - 1);

    cg_ll_define(e, v, set);
    for (int c = 0, all = cg_ll_copies(e, set); c < all; c++) {
        cg_ll_seek(e, set, c);
        LLVMValueRef x = cg_ll_widen(e, cg_ll_get(e, i->in[0]));
        cg_ll_set(e, v,
                  i->op == CG_SCAN ? (cg_ll_copy){ .v = scan_copy(e, (ir_sc_op)i->imm,
                                                                  (cot_dtype)i->type, x),
                                                   .wide = true }
                                   : cg_ll_scalar(LLVMBuildExtractElement(e->b, x, last, "")));
    }
}

/* -- flat lists of what a loop yields -- */

static const cg_yield **
yield_of_each(cg_ll_emit *e, const cg_block *x, int n)
{
    const cg_yield **y = IR_NEW_N(e->arena, const cg_yield *, n + 1);

    for (int i = 0, at = 0; i < x->n; i++)
        for (int c = 0, all = cg_ll_copies(e, e->divergence[x->yield[i].value]); c < all; c++)
            y[at++] = &x->yield[i];
    return y;
}

static void
define_results(cg_ll_emit *e, const cg_block *x, LLVMValueRef *v)
{
    for (int i = 0, at = 0; i < x->n; i++) {
        uint32_t set = e->divergence[x->yield[i].value];
        cg_ll_define(e, x->result[i], set);
        for (int c = 0, all = cg_ll_copies(e, set); c < all; c++)
            e->var[x->result[i]].copy[c] =
                (cg_ll_copy){ .v = v[at++], .wide = cg_ll_is_wide(e, set) };
    }
}

/* -- serial folds -- */

typedef struct serial_fold {
    const cg_block *x;
    const cg_yield **yield;
    int n, bits;
} serial_fold;

static LLVMTypeRef
type_of_each(cg_ll_emit *e, const cg_yield *y)
{
    return cg_ll_wide(e, cg_ll_type(e->l, y->type), cg_ll_is_wide(e, e->divergence[y->value]));
}

/* A placeholder for the value of the first iteration while it runs: the result of combining
 * with it is not used.  Under trapping math it is the neutral element, since a product of 0 and
 * an infinity would raise an exception. */
static LLVMValueRef
placeholder(cg_ll_emit *e, const cg_yield *y, LLVMTypeRef t)
{
    if (!e->l->trapping_math)
        return LLVMConstNull(t);
    LLVMValueRef x = cg_ll_bits(e->l, y->type, cg_neutral_bits(y->combine, y->type));
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? cg_ll_splat(e, x, e->lanes) : x;
}

static void
fold_rounds(cg_ll_emit *e, const serial_fold *f, int bit, LLVMValueRef lane, LLVMValueRef *out)
{
    if (bit == f->bits) {
        LLVMValueRef step = cg_ll_index(e, f->x->step);
        LLVMValueRef i = LLVMBuildAdd(e->b, cg_ll_uniform(e, f->x->lo),
                                      LLVMBuildMul(e->b, lane, step, ""), "");
        cg_ll_define(e, f->x->var, 0);
        e->var[f->x->var].copy[0] = cg_ll_scalar(i);
        cg_ll_region(e, &f->x->body);
        cg_ll_yield_values(e, f->x, out);
        return;
    }
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b), head = cg_ll_block(e, "half"), last;
    LLVMBasicBlockRef after = cg_ll_block(e, "halves");
    LLVMValueRef *first = IR_NEW_N(e->arena, LLVMValueRef, f->n + 1);

    cg_ll_goto(e, head, head);
    LLVMValueRef second = LLVMBuildPhi(e->b, e->l->i1, "second"), no = LLVMConstNull(e->l->i1);
    LLVMValueRef yes = LLVMConstAllOnes(e->l->i1);
    LLVMAddIncoming(second, &no, &before, 1);
    for (int j = 0; j < f->n; j++) {
        LLVMTypeRef t = type_of_each(e, f->yield[j]);
        LLVMValueRef none = placeholder(e, f->yield[j], t);
        first[j] = cg_ll_phi(e, t, "", none, before);
    }
    LLVMValueRef own =
        LLVMBuildSelect(e->b, second, cg_ll_index(e, (int64_t)1 << bit), cg_ll_index(e, 0), "");
    fold_rounds(e, f, bit + 1, LLVMBuildAdd(e->b, lane, own, ""), out);
    for (int j = 0; j < f->n; j++)
        out[j] = LLVMBuildSelect(e->b, second, combine(e, f->yield[j], first[j], out[j]),
                                 out[j], "");
    last = LLVMGetInsertBlock(e->b);
    LLVMAddIncoming(second, &yes, &last, 1);
    for (int j = 0; j < f->n; j++)
        LLVMAddIncoming(first[j], &out[j], &last, 1);
    cg_ll_branch(e, second, after, head);
}

void
cg_ll_fold_serial(cg_ll_emit *e, const cg_block *x)
{
    serial_fold f = { .x = x, .n = cg_ll_yield_values(e, x, NULL) };
    LLVMValueRef *out = IR_NEW_N(e->arena, LLVMValueRef, f.n + 1);

    while ((int64_t)1 << f.bits < cg_extent(e->k, x))
        f.bits++;
    f.yield = yield_of_each(e, x, f.n);
    fold_rounds(e, &f, 0, cg_ll_index(e, 0), out);
    define_results(e, x, out);
}

/* -- trees -- */

cg_ll_tree
cg_ll_tree_begin(cg_ll_emit *e, const cg_block *x, int64_t extent)
{
    cg_ll_tree t = { .loop = x, .levels = 1, .n = cg_ll_yield_values(e, x, NULL) };
    const cg_yield **y = yield_of_each(e, x, t.n);

    while (t.levels < 62 && (extent < 0 || extent >> t.levels))
        t.levels++;
    t.per_level = e->l->machine->grid && t.levels <= CG_LLVM_MAX_TREE_REGISTERS;
    t.slots = IR_NEW_N(e->arena, LLVMValueRef, t.n * t.levels + 1);
    for (int j = 0; j < t.n; j++)
        for (int i = 0; i < (t.per_level ? t.levels : 1); i++)
            t.slots[j * t.levels + i] = cg_ll_stack(
                e, type_of_each(e, y[j]), t.per_level ? 1 : t.levels, t.per_level ? 16 : 64);
    return t;
}

static LLVMValueRef
bit_of(cg_ll_emit *e, LLVMValueRef count, int level)
{
    LLVMValueRef x = LLVMBuildLShr(e->b, count, cg_ll_index(e, level), "");

    return LLVMBuildTrunc(e->b, x, e->l->i1, "");
}

/* x is combined with the partial results of the trailing one bits of count, and is stored at
 * the level of the first zero bit. */
static void
push_per_level(cg_ll_emit *e, const cg_ll_tree *t, LLVMValueRef count, const cg_yield *y, int j,
               LLVMValueRef x)
{
    LLVMBuilderRef b = e->b;
    LLVMValueRef up = LLVMConstAllOnes(e->l->i1);

    for (int i = 0; i < t->levels; i++) {
        LLVMValueRef at = t->slots[j * t->levels + i], odd = bit_of(e, count, i);
        LLVMValueRef old = LLVMBuildLoad2(b, LLVMTypeOf(x), at, "");
        LLVMValueRef stays = LLVMBuildAnd(b, up, LLVMBuildNot(b, odd, ""), "");

        LLVMBuildStore(b, LLVMBuildSelect(b, stays, x, old, ""), at);
        up = LLVMBuildAnd(b, up, odd, "");
        x = LLVMBuildSelect(b, up, combine(e, y, old, x), x, "");
    }
}

static LLVMValueRef
end_per_level(cg_ll_emit *e, const cg_ll_tree *t, LLVMValueRef count, const cg_yield *y, int j,
              LLVMValueRef x)
{
    for (int i = 0; i < t->levels; i++) {
        LLVMValueRef old = LLVMBuildLoad2(e->b, LLVMTypeOf(x), t->slots[j * t->levels + i], "");

        x = LLVMBuildSelect(e->b, bit_of(e, count, i), combine(e, y, old, x), x, "");
    }
    return x;
}

static LLVMValueRef
slot(cg_ll_emit *e, LLVMValueRef slots, LLVMTypeRef t, LLVMValueRef level)
{
    return LLVMBuildInBoundsGEP2(e->b, t, slots, &level, 1, "");
}

/* A loop over the levels: its phis are the remaining bits of the counter, the level, the
 * values. */
typedef struct level_loop {
    LLVMBasicBlockRef before, head, body, after;
    LLVMValueRef bits, level, *x;
} level_loop;

static level_loop
levels_begin(cg_ll_emit *e, int n, LLVMValueRef bits, LLVMValueRef level, const LLVMValueRef *x)
{
    level_loop w = { .before = LLVMGetInsertBlock(e->b),
                     .head = cg_ll_block(e, "carry"),
                     .body = cg_ll_block(e, "level"),
                     .after = cg_ll_block(e, "carried") };

    w.x = IR_NEW_N(e->arena, LLVMValueRef, n + 1);
    cg_ll_goto(e, w.head, w.head);
    w.bits = cg_ll_phi(e, e->l->i64, "", bits, w.before);
    w.level = cg_ll_phi(e, e->l->i64, "", level, w.before);
    for (int j = 0; j < n; j++)
        w.x[j] = cg_ll_phi(e, LLVMTypeOf(x[j]), "", x[j], w.before);
    return w;
}

static void
levels_end(cg_ll_emit *e, level_loop *w, int n, LLVMValueRef *next)
{
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->b);
    LLVMValueRef one = cg_ll_index(e, 1), bits = LLVMBuildLShr(e->b, w->bits, one, "");
    LLVMValueRef level = LLVMBuildAdd(e->b, w->level, one, "");

    LLVMAddIncoming(w->bits, &bits, &last, 1);
    LLVMAddIncoming(w->level, &level, &last, 1);
    for (int j = 0; j < n; j++)
        LLVMAddIncoming(w->x[j], &next[j], &last, 1);
    cg_ll_goto(e, w->head, w->after);
}

void
cg_ll_tree_push(cg_ll_emit *e, cg_ll_tree *t, LLVMValueRef count, const LLVMValueRef *x)
{
    const cg_yield **y = yield_of_each(e, t->loop, t->n);
    LLVMValueRef *next = IR_NEW_N(e->arena, LLVMValueRef, t->n + 1);

    for (int j = 0; t->per_level && j < t->n; j++)
        push_per_level(e, t, count, y[j], j, x[j]);
    if (t->per_level)
        return;
    level_loop w = levels_begin(e, t->n, count, cg_ll_index(e, 0), x);
    LLVMValueRef odd = LLVMBuildTrunc(e->b, w.bits, e->l->i1, "");

    cg_ll_branch(e, odd, w.body, w.after);
    for (int j = 0; j < t->n; j++) {
        LLVMTypeRef type = LLVMTypeOf(x[j]);
        LLVMValueRef left =
            LLVMBuildLoad2(e->b, type, slot(e, t->slots[j * t->levels], type, w.level), "");
        next[j] = combine(e, y[j], left, w.x[j]);
    }
    levels_end(e, &w, t->n, next);
    for (int j = 0; j < t->n; j++)
        LLVMBuildStore(e->b, w.x[j],
                       slot(e, t->slots[j * t->levels], LLVMTypeOf(x[j]), w.level));
}

void
cg_ll_tree_end(cg_ll_emit *e, cg_ll_tree *t, LLVMValueRef count)
{
    const cg_yield **y = yield_of_each(e, t->loop, t->n);
    LLVMValueRef *x = IR_NEW_N(e->arena, LLVMValueRef, t->n + 1);

    for (int j = 0; j < t->n; j++) {
        LLVMValueRef z =
            cg_ll_bits(e->l, y[j]->type, cg_neutral_bits(y[j]->combine, y[j]->type));
        x[j] = cg_ll_as(e, cg_ll_scalar(z), cg_ll_is_wide(e, e->divergence[y[j]->value]));
        if (t->per_level)
            x[j] = end_per_level(e, t, count, y[j], j, x[j]);
    }
    if (t->per_level) {
        define_results(e, t->loop, x);
        return;
    }
    level_loop w = levels_begin(e, t->n, count, cg_ll_index(e, 0), x);
    LLVMValueRef *next = IR_NEW_N(e->arena, LLVMValueRef, t->n + 1);
    cg_ll_branch(e, LLVMBuildICmp(e->b, LLVMIntNE, w.bits, cg_ll_index(e, 0), ""), w.body,
                 w.after);
    LLVMValueRef odd = LLVMBuildTrunc(e->b, w.bits, e->l->i1, "");
    for (int j = 0; j < t->n; j++) {
        LLVMTypeRef type = LLVMTypeOf(x[j]);
        LLVMValueRef left =
            LLVMBuildLoad2(e->b, type, slot(e, t->slots[j * t->levels], type, w.level), "");
        next[j] = LLVMBuildSelect(e->b, odd, combine(e, y[j], left, w.x[j]), w.x[j], "");
    }
    levels_end(e, &w, t->n, next);
    define_results(e, t->loop, w.x);
}
