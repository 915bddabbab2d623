/* Accesses of one element, of a row, and of elements at a constant stride.
 *
 * An access that must not touch memory is redirected rather than branched around: a scalar load
 * reads from a block of zeros, a scalar store writes to a sink on the stack.  Vector accesses
 * under a mask use the machine's masked instructions.  Where there are none, an access that is
 * masked only by the limit of a tail is a memcpy through the stack, and any other is done lane
 * by lane. */
#include "codegen/llvm/access.h"

enum { SINK_BYTES = 2048 }; /* 256 lanes of 8 bytes */

cg_ll_access
cg_ll_access_of(cg_ll_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    cot_dtype t = (cot_dtype)i->type;
    const unsigned size = (unsigned)cot_dtype_size(t);
    const cg_buffer *x = &e->k->buffer[i->imm];
    const int64_t align = x->space == CG_LOCAL ? 64 : x->align,
                  row = cg_multiple_of(e->k, i->in[0]) * size;

    return (cg_ll_access){ .row = (unsigned)(!e->l->machine->grid || align <= size ? size
                                             : row < align                         ? row
                                                                                   : align),
                           .range.access = v,
                           .element = cg_ll_storage(e->l, t),
                           .base = cg_ll_buffer(e, (uint32_t)i->imm),
                           .type = t,
                           .align = size,
                           .streams = x->streams && e->l->machine->x86 };
}

cg_ll_place
cg_ll_element_at(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef index, int64_t first)
{
    if (first)
        index = LLVMBuildAdd(e->b, index, cg_ll_index(e, first), "");
    return (cg_ll_place){ LLVMBuildInBoundsGEP2(e->b, a->element, a->base, &index, 1, ""),
                          first, NULL };
}

cg_ll_access
cg_ll_access_lanes(const cg_ll_access *a, int lane, int lanes)
{
    cg_ll_access x = *a;

    x.range.lane = lane;
    x.range.lanes = lanes;
    return x;
}

/* Report an access to the checker, with the conditions under which it happens. */
static void
touch(cg_ll_emit *e, const cg_ll_access *a, const cg_ll_place *at, LLVMTypeRef t,
      const cg_applied *by)
{
    cg_touched x = a->range;

    x.first = at->first;
    x.count = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1;
    x.by = cg_apply_both(e->ranges, e->under, cg_apply_both(e->ranges, at->by, by));
    cg_report(e->ranges, &x);
}

LLVMValueRef
cg_ll_from_memory(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef x)
{
    return a->type == COT_BOOL
               ? LLVMBuildICmp(e->b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "")
               : x;
}

LLVMValueRef
cg_ll_to_memory(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef x, bool wide)
{
    return a->type == COT_BOOL ? LLVMBuildZExt(e->b, x, cg_ll_wide(e, e->l->i8, wide), "") : x;
}

LLVMValueRef
cg_ll_plain_load(cg_ll_emit *e, const cg_ll_access *a, LLVMTypeRef t, cg_ll_place p)
{
    LLVMValueRef x = LLVMBuildLoad2(e->b, t, p.p, "");

    touch(e, a, &p, t, NULL);
    LLVMSetAlignment(x, a->align);
    return x;
}

void
cg_ll_plain_store(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef x, cg_ll_place p)
{
    touch(e, a, &p, LLVMTypeOf(x), NULL);
    LLVMSetAlignment(LLVMBuildStore(e->b, x, p.p), a->align);
}

/* If the address is aligned for a non-temporal store, use one: a cache line that is written
 * whole then need not be read first. */
void
cg_ll_stream_store(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef x, cg_ll_place p)
{
    int bytes = e->lanes * (int)a->align, most = e->l->machine->vector_bits / 8;
    int align = bytes < most ? bytes : most;
    LLVMBasicBlockRef past = cg_ll_block(e, "stream"), plain = cg_ll_block(e, "plain"),
                      end = cg_ll_block(e, "end");
    LLVMValueRef low = LLVMBuildAnd(e->b, LLVMBuildPtrToInt(e->b, p.p, e->l->i64, ""),
                                    cg_ll_index(e, align - 1), "");
    LLVMValueRef one = LLVMMetadataAsValue(
        e->l->llvm,
        LLVMMDNodeInContext2(
            e->l->llvm,
            (LLVMMetadataRef[]){ LLVMValueAsMetadata(LLVMConstInt(e->l->i32, 1, 0)) }, 1));

    cg_ll_branch(e, LLVMBuildICmp(e->b, LLVMIntEQ, low, cg_ll_index(e, 0), ""), past, plain);
    LLVMValueRef s = LLVMBuildStore(e->b, x, p.p);
    LLVMSetAlignment(s, (unsigned)align);
    LLVMSetMetadata(s, LLVMGetMDKindIDInContext(e->l->llvm, "nontemporal", 11), one);
    cg_ll_goto(e, end, plain);
    cg_ll_plain_store(e, a, x, p);
    cg_ll_goto(e, end, end);
    e->streams = true;
}

void
cg_ll_settle(cg_ll_emit *e)
{
    if (e->streams)
        cg_ll_intrinsic(e->l, e->b, "llvm.x86.sse.sfence", 0, NULL, 0, NULL);
}

LLVMValueRef
cg_ll_reversed(cg_ll_emit *e, LLVMValueRef x)
{
    LLVMValueRef *c = IR_NEW_N(e->arena, LLVMValueRef, e->lanes);

    for (int i = 0; i < e->lanes; i++)
        c[i] = LLVMConstInt(e->l->i32, (uint64_t)(e->lanes - 1 - i), 0);
    return LLVMBuildShuffleVector(e->b, x, LLVMGetPoison(LLVMTypeOf(x)),
                                  LLVMConstVector(c, (unsigned)e->lanes), "");
}

static LLVMValueRef
sink(cg_ll_emit *e)
{
    if (!e->sink)
        e->sink = cg_ll_stack(e, e->l->i8, SINK_BYTES, 64);
    return e->sink;
}

/* Returns the place p, with its address replaced by `other` where the condition is false. */
static cg_ll_place
redirect(cg_ll_emit *e, cg_ll_place p, cg_ll_truth when, LLVMValueRef other)
{
    p.p = when.v ? LLVMBuildSelect(e->b, when.v, p.p, other, "") : p.p;
    p.by = cg_apply_both(e->ranges, p.by, when.by);
    return p;
}

/* On a GPU a conditional load is a branch. */
static LLVMValueRef
load_or_not(cg_ll_emit *e, const cg_ll_access *a, LLVMTypeRef t, cg_ll_place p,
            cg_ll_truth when)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b), some = cg_ll_block(e, "load"),
                      end = cg_ll_block(e, "loaded");
    LLVMValueRef none = LLVMConstNull(t);

    cg_ll_branch(e, when.v, some, end);
    p.by = cg_apply_both(e->ranges, p.by, when.by);
    LLVMValueRef x = cg_ll_plain_load(e, a, t, p);
    cg_ll_goto(e, end, end);
    return cg_ll_join(e, none, before, x, some);
}

LLVMValueRef
cg_ll_load_when(cg_ll_emit *e, const cg_ll_access *a, LLVMTypeRef t, cg_ll_place p,
                cg_ll_truth when)
{
    if (when.v && e->l->machine->grid)
        return load_or_not(e, a, t, p, when);
    return cg_ll_plain_load(e, a, t, redirect(e, p, when, e->l->zeros));
}

void
cg_ll_store_when(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef x, cg_ll_place p,
                 cg_ll_truth when)
{
    if (!when.v || !e->l->machine->grid) {
        cg_ll_plain_store(e, a, x, redirect(e, p, when, when.v ? sink(e) : NULL));
        return;
    }
    LLVMBasicBlockRef some = cg_ll_block(e, "store"), end = cg_ll_block(e, "stored");
    cg_ll_branch(e, when.v, some, end);
    p.by = cg_apply_both(e->ranges, p.by, when.by);
    cg_ll_plain_store(e, a, x, p);
    cg_ll_goto(e, end, end);
}

static bool
has_masked(const cg_ll_emit *e, const cg_ll_access *a)
{
    return a->align >= 4 ? e->l->machine->masked : e->l->machine->masked_small;
}

static LLVMValueRef
lane_of(cg_ll_emit *e, LLVMValueRef x, int lane)
{
    return LLVMBuildExtractElement(e->b, x, cg_ll_index(e, lane), "");
}

static LLVMValueRef
limit_bytes(cg_ll_emit *e, const cg_ll_access *a, const cg_ll_condition *c)
{
    return LLVMBuildMul(e->b, c->limit, cg_ll_index(e, a->align), "");
}

/* The address of one lane's element.  A vector of indices has no slope, so each lane is
 * reported as an access of its own. */
static cg_ll_place
address_of_lane(cg_ll_emit *e, const cg_ll_access *a, cg_ll_copy index, int lane,
                cg_ll_access *one)
{
    *one = cg_ll_access_lanes(a, index.wide ? 0 : lane, 1);
    one->range.step = index.slope;
    return index.wide ? cg_ll_element_at(e, a, lane_of(e, index.v, lane), 0)
                      : cg_ll_element_at(e, a, index.v, index.slope * lane);
}

static cg_ll_truth
truth_of_lane(cg_ll_emit *e, cg_ll_truth mask, int lane)
{
    return (cg_ll_truth){ mask.v ? lane_of(e, mask.v, lane) : NULL, mask.by };
}

LLVMValueRef
cg_ll_load_by_lane(cg_ll_emit *e, const cg_ll_access *a, cg_ll_copy index, cg_ll_truth mask)
{
    LLVMValueRef v = LLVMGetPoison(cg_ll_wide(e, a->element, true));
    cg_ll_access one;

    for (int l = 0; l < e->lanes; l++) {
        const cg_ll_place at = address_of_lane(e, a, index, l, &one);
        LLVMValueRef x = cg_ll_load_when(e, &one, a->element, at, truth_of_lane(e, mask, l));
        v = LLVMBuildInsertElement(e->b, v, x, cg_ll_index(e, l), "");
    }
    return v;
}

void
cg_ll_store_by_lane(cg_ll_emit *e, const cg_ll_access *a, cg_ll_copy index, LLVMValueRef x,
                    cg_ll_truth mask)
{
    cg_ll_access one;

    for (int l = 0; l < e->lanes; l++) {
        const cg_ll_place at = address_of_lane(e, a, index, l, &one);
        cg_ll_store_when(e, &one, lane_of(e, x, l), at, truth_of_lane(e, mask, l));
    }
}

/* Loads the active lanes of the row at p; the others are zero. */
static LLVMValueRef
load_masked(cg_ll_emit *e, const cg_ll_access *a, LLVMTypeRef t, cg_ll_place p,
            cg_ll_truth mask)
{
    LLVMTypeRef types[2] = { t, e->l->ptr };

    touch(e, a, &p, t, mask.by);
    return cg_ll_intrinsic(e->l, e->b, "llvm.masked.load", 2, types, 4,
                           (LLVMValueRef[]){ p.p, LLVMConstInt(e->l->i32, a->align, 0), mask.v,
                                             LLVMConstNull(t) });
}

static void
store_masked(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef x, cg_ll_place p,
             cg_ll_truth mask)
{
    LLVMTypeRef types[2] = { LLVMTypeOf(x), e->l->ptr };

    touch(e, a, &p, types[0], mask.by);
    cg_ll_intrinsic(e->l, e->b, "llvm.masked.store", 2, types, 4,
                    (LLVMValueRef[]){ x, p.p, LLVMConstInt(e->l->i32, a->align, 0), mask.v });
}

LLVMValueRef
cg_ll_load_row(cg_ll_emit *e, const cg_ll_access *a, cg_ll_copy index, int64_t from,
               const cg_ll_condition *c)
{
    LLVMTypeRef t = cg_ll_wide(e, a->element, true);
    cg_ll_access row = cg_ll_access_lanes(a, 0, e->lanes);

    row.range.step = index.slope;
    if (!c->lanes.v) {
        row.align = a->row;
        return cg_ll_load_when(e, &row, t, cg_ll_element_at(e, a, index.v, from), c->scalar);
    }
    if (e->l->machine->grid)
        return cg_ll_load_by_lane(e, a, index, cg_ll_condition_lanes(e, c));
    const cg_ll_place p =
        redirect(e, cg_ll_element_at(e, a, index.v, from), c->scalar, e->l->zeros);
    if (has_masked(e, a))
        return load_masked(e, &row, t, p, c->lanes);
    if (c->limit) {
        LLVMValueRef part = cg_ll_stack(e, e->l->i8, SINK_BYTES, 64);
        LLVMBuildStore(e->b, LLVMConstNull(t), part);
        touch(e, &row, &p, t, c->lanes.by);
        cg_ll_move_bytes(e, part, p.p, limit_bytes(e, a, c));
        return LLVMBuildLoad2(e->b, t, part, "");
    }
    return cg_ll_load_by_lane(e, a, index, cg_ll_condition_lanes(e, c));
}

void
cg_ll_store_row(cg_ll_emit *e, const cg_ll_access *a, cg_ll_copy index, int64_t from,
                LLVMValueRef x, const cg_ll_condition *c)
{
    cg_ll_place p = cg_ll_element_at(e, a, index.v, from);
    cg_ll_access row = cg_ll_access_lanes(a, 0, e->lanes);

    row.range.step = index.slope;
    if (!c->lanes.v && !(a->streams && !c->scalar.v)) {
        row.align = a->row;
        cg_ll_store_when(e, &row, x, p, c->scalar);
        return;
    }
    if (e->l->machine->grid && c->lanes.v) {
        cg_ll_store_by_lane(e, a, index, x, cg_ll_condition_lanes(e, c));
        return;
    }
    p = redirect(e, p, c->scalar, c->scalar.v ? sink(e) : NULL);
    if (!c->lanes.v)
        cg_ll_stream_store(e, &row, x, p);
    else if (has_masked(e, a))
        store_masked(e, &row, x, p, c->lanes);
    else if (c->limit) {
        LLVMValueRef part = cg_ll_stack(e, e->l->i8, SINK_BYTES, 64);
        LLVMBuildStore(e->b, x, part);
        touch(e, &row, &p, LLVMTypeOf(x), c->lanes.by);
        cg_ll_move_bytes(e, p.p, part, limit_bytes(e, a, c));
    } else
        cg_ll_store_by_lane(e, a, index, x, cg_ll_condition_lanes(e, c));
}

/* Loads `step` adjacent vectors and selects every step-th element.  The last vector ends at the
 * last element that is needed, so that nothing past it is touched. */
LLVMValueRef
cg_ll_load_strided(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef index, int64_t from,
                   int step, cg_ll_truth when)
{
    LLVMTypeRef t = cg_ll_wide(e, a->element, true);
    int *mask = IR_NEW_N(e->arena, int, e->lanes);
    LLVMValueRef x = NULL;

    for (int part = 0; part < step; part++) {
        const int first = part + 1 < step ? part * e->lanes : part * (e->lanes - 1);
        LLVMValueRef y =
            cg_ll_load_when(e, a, t, cg_ll_element_at(e, a, index, from + first), when);
        for (int i = 0; i < e->lanes; i++)
            mask[i] =
                i * step / e->lanes == part ? (part ? e->lanes : 0) + i * step - first : i;
        x = part ? cg_ll_picked(e, x, y, mask) : cg_ll_picked(e, y, y, mask);
    }
    return x;
}

LLVMValueRef
cg_ll_load_gather(cg_ll_emit *e, const cg_ll_access *a, LLVMValueRef index, cg_ll_truth mask)
{
    const cg_ll_place own = { 0 };

    touch(e, a, &own, a->element, mask.by);
    return cg_ll_gather(e, a->element, a->base, index, mask.v);
}
