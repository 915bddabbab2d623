/* Loads and stores.
 *
 * How the index moves from lane to lane decides: not at all, a scalar; by one, a vector; by
 * minus one, a vector reversed; by two, every other element of two vectors; by another
 * constant, scalars one by one (2, 4 or 8 such stores side by side, as of real and imaginary
 * parts, are interleaved to whole vectors), or, where an unroll loop around moves the index by
 * one, rows of vectors transposed in registers; otherwise a gather or scatter.
 *
 * What must not touch memory is sent elsewhere rather than branched around: a scalar load reads
 * zeros, a scalar store writes to a sink.  Vector accesses under a mask use the machine's
 * masked instructions; where there are none, the limit of a tail is a memcpy through the stack,
 * and any other mask goes lane by lane. */
#include "codegen/llvm/emit.h"

enum { SINK_BYTES = 2048 }; /* 256 lanes of 8 bytes */

typedef struct access {
    cg_touched range;     /* what is reported of it, besides elements and conditions */
    LLVMTypeRef element; /* in memory */
    LLVMValueRef base;
    cot_dtype type;
    unsigned align;
    bool streams;
    unsigned row;       /* bytes that lane 0 of a vector is aligned to, at least */
} access;

/* A condition, and what it applies; v is NULL: always. */
typedef struct truth {
    LLVMValueRef v;
    const cg_applied *by;
} truth;

/* Where an element is, by how much behind that of the access, and what its address applies. */
typedef struct place {
    LLVMValueRef p;
    int64_t first;
    const cg_applied *by;
} place;

static access
access_of(cg_ll_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    cot_dtype t = (cot_dtype)i->type;
    const unsigned size = (unsigned)cot_dtype_size(t);
    const cg_buffer *x = &e->k->buffer[i->imm];
    const int64_t align = x->space == CG_LOCAL ? 64 : x->align,
                  row = cg_multiple_of(e->k, i->in[0]) * size;

    return (access){ .row = (unsigned)(!e->l->machine->grid || align <= size ? size
                                       : row < align                         ? row
                                                                             : align),
                     .range.access = v,
                     .element = cg_ll_storage(e->l, t),
                     .base = cg_ll_buffer(e, (uint32_t)i->imm),
                     .type = t,
                     .align = size,
                     .streams = x->streams && e->l->machine->x86 };
}

LLVMValueRef
cg_ll_buffer(cg_ll_emit *e, uint32_t buffer)
{
    const cg_buffer *x = &e->k->buffer[buffer];

    if (e->buffer[buffer] == NULL) {
        int64_t bytes = x->elements * (int64_t)cot_dtype_size(x->type);
        e->buffer[buffer] = x->space == CG_CONST
                                ? cg_ll_constant_data(e->l, x->data, bytes)
                            : x->space == CG_SHARED ? cg_ll_shared_buffer(e, buffer)
                                : cg_ll_stack(e, cg_ll_storage(e->l, x->type),
                                              x->elements ? x->elements : 1, 64);
    }
    return e->buffer[buffer];
}

static place
address(cg_ll_emit *e, const access *a, LLVMValueRef index, int64_t first)
{
    if (first)
        index = LLVMBuildAdd(e->b, index, cg_ll_index(e, first), "");
    return (place){ LLVMBuildInBoundsGEP2(e->b, a->element, a->base, &index, 1, ""), first,
                    NULL };
}

/* All lanes of a vector, or one of them. */
static access
of_lanes(const access *a, int lane, int lanes)
{
    access x = *a;

    x.range.lane = lane;
    x.range.lanes = lanes;
    return x;
}

/* Every load and store tells what it touches, and under what. */
static void
touch(cg_ll_emit *e, const access *a, const place *at, LLVMTypeRef t, const cg_applied *by)
{
    cg_touched x = a->range;

    x.first = at->first;
    x.count = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1;
    x.by = cg_apply_both(e->ranges, e->under, cg_apply_both(e->ranges, at->by, by));
    cg_report(e->ranges, &x);
}

/* Booleans are bytes in memory. */
static LLVMValueRef
from_memory(cg_ll_emit *e, const access *a, LLVMValueRef x)
{
    return a->type == COT_BOOL
               ? LLVMBuildICmp(e->b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "")
               : x;
}

static LLVMValueRef
to_memory(cg_ll_emit *e, const access *a, LLVMValueRef x, bool wide)
{
    return a->type == COT_BOOL ? LLVMBuildZExt(e->b, x, cg_ll_wide(e, e->l->i8, wide), "") : x;
}

static LLVMValueRef
plain_load(cg_ll_emit *e, const access *a, LLVMTypeRef t, place p)
{
    LLVMValueRef x = LLVMBuildLoad2(e->b, t, p.p, "");

    touch(e, a, &p, t, NULL);
    LLVMSetAlignment(x, a->align);
    return x;
}

static void
plain_store(cg_ll_emit *e, const access *a, LLVMValueRef x, place p)
{
    touch(e, a, &p, LLVMTypeOf(x), NULL);
    LLVMSetAlignment(LLVMBuildStore(e->b, x, p.p), a->align);
}

/* A whole vector, past the caches if it lies as the machine wants that: a line that is written
 * whole need not be read first. */
static void
stream_store(cg_ll_emit *e, const access *a, LLVMValueRef x, place p)
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

    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, low, cg_ll_index(e, 0), ""), past,
                    plain);
    LLVMPositionBuilderAtEnd(e->b, past);
    LLVMValueRef s = LLVMBuildStore(e->b, x, p.p);
    LLVMSetAlignment(s, (unsigned)align);
    LLVMSetMetadata(s, LLVMGetMDKindIDInContext(e->l->llvm, "nontemporal", 11), one);
    LLVMBuildBr(e->b, end);
    LLVMPositionBuilderAtEnd(e->b, plain);
    plain_store(e, a, x, p);
    LLVMBuildBr(e->b, end);
    LLVMPositionBuilderAtEnd(e->b, end);
    e->streams = true;
}

void
cg_ll_settle(cg_ll_emit *e)
{
    if (e->streams)
        cg_ll_intrinsic(e->l, e->b, "llvm.x86.sse.sfence", 0, NULL, 0, NULL);
}

static LLVMValueRef
reversed(cg_ll_emit *e, LLVMValueRef x)
{
    LLVMValueRef *c = IR_NEW_N(e->arena, LLVMValueRef, e->lanes);

    for (int i = 0; i < e->lanes; i++)
        c[i] = LLVMConstInt(e->l->i32, (uint64_t)(e->lanes - 1 - i), 0);
    return LLVMBuildShuffleVector(e->b, x, LLVMGetPoison(LLVMTypeOf(x)),
                                  LLVMConstVector(c, (unsigned)e->lanes), "");
}

/* -- conditions -- */

/* Under what an access happens, for the copy at the digits. */
typedef struct condition {
    truth scalar;       /* i1                     */
    truth lanes;        /* <W x i1>               */
    LLVMValueRef limit; /* lanes is: lane < limit */
} condition;

static truth
and_of(cg_ll_emit *e, truth x, truth y)
{
    return (truth){ !x.v   ? y.v
                    : !y.v ? x.v
                           : LLVMBuildAnd(e->b, x.v, y.v, ""),
                    cg_apply_both(e->ranges, x.by, y.by) };
}

static truth
any_of(cg_ll_emit *e, truth lanes)
{
    const cg_ll_copy x = { .v = lanes.v, .wide = true };

    return (truth){ cg_ll_any_lane(e, x), cg_apply_any(e->ranges, lanes.by) };
}

static void
add_condition(cg_ll_emit *e, condition *c, cg_ll_copy x, const cg_applied *by, bool wide)
{
    const truth t = { x.v, by };

    if (x.wide && wide) {
        c->lanes = and_of(e, c->lanes, t);
        c->limit = NULL;
    } else
        c->scalar = and_of(e, c->scalar, x.wide ? any_of(e, t) : t);
}

/* The mask for an access that varies over `set`: any of the copies that the access stands for.
 * Of the lanes below a limit the first is always active. */
static void
add_mask(cg_ll_emit *e, condition *c, uint32_t set, bool wide)
{
    const cg_ll_mask *m = e->mask;
    uint32_t more = m ? m->lanes.set & ~set : 0;
    int digit[32];
    cg_ll_copy x = { 0 };

    if (!m)
        return;
    if (m->limit && !wide) {
        c->scalar.by = cg_apply_both(e->ranges, c->scalar.by, cg_apply_any(e->ranges, m->by));
        return;
    }
    memcpy(digit, e->digit, sizeof digit);
    for (int i = 0, n = cg_ll_copies(e, more); i < n; i++) {
        cg_ll_seek(e, more, i);
        cg_ll_copy y = *cg_ll_at(e, &m->lanes);
        bool vector = x.wide || y.wide;
        if (x.v)
            y.v = LLVMBuildOr(e->b, cg_ll_as(e, x, vector), cg_ll_as(e, y, vector), "");
        x = (cg_ll_copy){ .v = y.v, .wide = vector };
    }
    memcpy(e->digit, digit, sizeof digit);
    bool alone = !c->lanes.v;
    add_condition(e, c, x, m->by, wide);
    if (alone && m->limit)
        c->limit = m->limit;
}

/* A conjunction part by part, what is the same in all lanes apart: LLVM 19 loads without a mask
 * those registers of a wider vector in which a mask, of a scalar spread and a constant, is
 * known to be false. */
static void
add_when(cg_ll_emit *e, condition *c, cg_val when, bool wide)
{
    const cg_insn *i = &e->k->insn[when];

    if (i->op == SC_and && i->type == COT_BOOL && wide && cg_ll_get(e, when).wide) {
        add_when(e, c, i->in[0], wide);
        add_when(e, c, i->in[1], wide);
    } else {
        add_condition(e, c, cg_ll_get(e, when), cg_apply(e->ranges, when, true), wide);
    }
}

static condition
condition_of(cg_ll_emit *e, cg_val when, uint32_t set, bool wide)
{
    condition c = { 0 };

    if (when)
        add_when(e, &c, when, wide);
    add_mask(e, &c, set, wide);
    return c;
}

static LLVMValueRef
sink(cg_ll_emit *e)
{
    if (!e->sink)
        e->sink = cg_ll_stack(e, e->l->i8, SINK_BYTES, 64);
    return e->sink;
}

/* Where the condition does not hold, at `other`. */
static place
elsewhere(cg_ll_emit *e, place p, truth when, LLVMValueRef other)
{
    p.p = when.v ? LLVMBuildSelect(e->b, when.v, p.p, other, "") : p.p;
    p.by = cg_apply_both(e->ranges, p.by, when.by);
    return p;
}

/* A thread of a GPU branches. */
static LLVMValueRef
load_or_not(cg_ll_emit *e, const access *a, LLVMTypeRef t, place p, truth when)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b), some = cg_ll_block(e, "load"),
                      end = cg_ll_block(e, "loaded");
    LLVMValueRef none = LLVMConstNull(t);

    LLVMBuildCondBr(e->b, when.v, some, end);
    LLVMPositionBuilderAtEnd(e->b, some);
    p.by = cg_apply_both(e->ranges, p.by, when.by);
    LLVMValueRef x = plain_load(e, a, t, p);
    LLVMBuildBr(e->b, end);
    LLVMPositionBuilderAtEnd(e->b, end);
    LLVMValueRef phi = LLVMBuildPhi(e->b, t, "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){ none, x }, (LLVMBasicBlockRef[]){ before, some }, 2);
    return phi;
}

static LLVMValueRef
load_when(cg_ll_emit *e, const access *a, LLVMTypeRef t, place p, truth when)
{
    if (when.v && e->l->machine->grid)
        return load_or_not(e, a, t, p, when);
    return plain_load(e, a, t, elsewhere(e, p, when, e->l->zeros));
}

static void
store_when(cg_ll_emit *e, const access *a, LLVMValueRef x, place p, truth when)
{
    if (!when.v || !e->l->machine->grid) {
        plain_store(e, a, x, elsewhere(e, p, when, when.v ? sink(e) : NULL));
        return;
    }
    LLVMBasicBlockRef some = cg_ll_block(e, "store"), end = cg_ll_block(e, "stored");
    LLVMBuildCondBr(e->b, when.v, some, end);
    LLVMPositionBuilderAtEnd(e->b, some);
    p.by = cg_apply_both(e->ranges, p.by, when.by);
    plain_store(e, a, x, p);
    LLVMBuildBr(e->b, end);
    LLVMPositionBuilderAtEnd(e->b, end);
}

/* -- vectors -- */

static bool
has_masked(const cg_ll_emit *e, const access *a)
{
    return a->align >= 4 ? e->l->machine->masked : e->l->machine->masked_small;
}

static LLVMValueRef
lane_of(cg_ll_emit *e, LLVMValueRef x, int lane)
{
    return LLVMBuildExtractElement(e->b, x, cg_ll_index(e, lane), "");
}

static LLVMValueRef
limit_bytes(cg_ll_emit *e, const access *a, const condition *c)
{
    return LLVMBuildMul(e->b, c->limit, cg_ll_index(e, a->align), "");
}

/* The element of a lane; an index of its own begins there. */
static place
address_of_lane(cg_ll_emit *e, const access *a, cg_ll_copy index, int lane, access *one)
{
    *one = of_lanes(a, index.wide ? 0 : lane, 1);
    one->range.step = index.slope;
    return index.wide ? address(e, a, lane_of(e, index.v, lane), 0)
                      : address(e, a, index.v, index.slope * lane);
}

static truth
truth_of_lane(cg_ll_emit *e, truth mask, int lane)
{
    return (truth){ mask.v ? lane_of(e, mask.v, lane) : NULL, mask.by };
}

static LLVMValueRef
load_by_lane(cg_ll_emit *e, const access *a, cg_ll_copy index, truth mask)
{
    LLVMValueRef v = LLVMGetPoison(cg_ll_wide(e, a->element, true));
    access one;

    for (int l = 0; l < e->lanes; l++) {
        const place at = address_of_lane(e, a, index, l, &one);
        LLVMValueRef x = load_when(e, &one, a->element, at, truth_of_lane(e, mask, l));
        v = LLVMBuildInsertElement(e->b, v, x, cg_ll_index(e, l), "");
    }
    return v;
}

static void
store_by_lane(cg_ll_emit *e, const access *a, cg_ll_copy index, LLVMValueRef x, truth mask)
{
    access one;

    for (int l = 0; l < e->lanes; l++) {
        const place at = address_of_lane(e, a, index, l, &one);
        store_when(e, &one, lane_of(e, x, l), at, truth_of_lane(e, mask, l));
    }
}

static truth
and_scalar(cg_ll_emit *e, const condition *c)
{
    const truth all = { c->scalar.v ? cg_ll_splat(e, c->scalar.v, e->lanes) : NULL,
                        c->scalar.by };

    return and_of(e, c->lanes, all);
}

/* The lanes that the mask has of the row at p. */
static LLVMValueRef
load_masked(cg_ll_emit *e, const access *a, LLVMTypeRef t, place p, truth mask)
{
    LLVMTypeRef types[2] = { t, e->l->ptr };

    touch(e, a, &p, t, mask.by);
    return cg_ll_intrinsic(e->l, e->b, "llvm.masked.load", 2, types, 4,
                           (LLVMValueRef[]){ p.p, LLVMConstInt(e->l->i32, a->align, 0), mask.v,
                                             LLVMConstNull(t) });
}

static void
store_masked(cg_ll_emit *e, const access *a, LLVMValueRef x, place p, truth mask)
{
    LLVMTypeRef types[2] = { LLVMTypeOf(x), e->l->ptr };

    touch(e, a, &p, types[0], mask.by);
    cg_ll_intrinsic(e->l, e->b, "llvm.masked.store", 2, types, 4,
                    (LLVMValueRef[]){ x, p.p, LLVMConstInt(e->l->i32, a->align, 0), mask.v });
}

/* The row that begins `from` elements behind the index. */
static LLVMValueRef
load_row(cg_ll_emit *e, const access *a, cg_ll_copy index, int64_t from, const condition *c)
{
    LLVMTypeRef t = cg_ll_wide(e, a->element, true);
    access row = of_lanes(a, 0, e->lanes);

    row.range.step = index.slope;
    if (!c->lanes.v) {
        row.align = a->row;
        return load_when(e, &row, t, address(e, a, index.v, from), c->scalar);
    }
    if (e->l->machine->grid)
        return load_by_lane(e, a, index, and_scalar(e, c));
    const place p = elsewhere(e, address(e, a, index.v, from), c->scalar, e->l->zeros);
    if (has_masked(e, a))
        return load_masked(e, &row, t, p, c->lanes);
    if (c->limit) {
        LLVMValueRef part = cg_ll_stack(e, e->l->i8, SINK_BYTES, 64);
        LLVMBuildStore(e->b, LLVMConstNull(t), part);
        touch(e, &row, &p, t, c->lanes.by);
        cg_ll_move_bytes(e, part, p.p, limit_bytes(e, a, c));
        return LLVMBuildLoad2(e->b, t, part, "");
    }
    return load_by_lane(e, a, index, and_scalar(e, c));
}

static void
store_row(cg_ll_emit *e, const access *a, cg_ll_copy index, int64_t from, LLVMValueRef x,
          const condition *c)
{
    place p = address(e, a, index.v, from);
    access row = of_lanes(a, 0, e->lanes);

    row.range.step = index.slope;
    if (!c->lanes.v && !(a->streams && !c->scalar.v)) {
        row.align = a->row;
        store_when(e, &row, x, p, c->scalar);
        return;
    }
    if (e->l->machine->grid && c->lanes.v) {
        store_by_lane(e, a, index, x, and_scalar(e, c));
        return;
    }
    p = elsewhere(e, p, c->scalar, c->scalar.v ? sink(e) : NULL);
    if (!c->lanes.v)
        stream_store(e, &row, x, p);
    else if (has_masked(e, a))
        store_masked(e, &row, x, p, c->lanes);
    else if (c->limit) {
        LLVMValueRef part = cg_ll_stack(e, e->l->i8, SINK_BYTES, 64);
        LLVMBuildStore(e->b, x, part);
        touch(e, &row, &p, LLVMTypeOf(x), c->lanes.by);
        cg_ll_move_bytes(e, p.p, part, limit_bytes(e, a, c));
    } else
        store_by_lane(e, a, index, x, and_scalar(e, c));
}

/* Elements from, from + step, from + 2 step, ... behind the index: of so many vectors side by
 * side.  The last one ends with the last of them: nothing behind it is touched. */
static LLVMValueRef
load_apart(cg_ll_emit *e, const access *a, LLVMValueRef index, int64_t from, int step,
           truth when)
{
    LLVMTypeRef t = cg_ll_wide(e, a->element, true);
    int *mask = IR_NEW_N(e->arena, int, e->lanes);
    LLVMValueRef x = NULL;

    for (int part = 0; part < step; part++) {
        const int first = part + 1 < step ? part * e->lanes : part * (e->lanes - 1);
        LLVMValueRef y = load_when(e, a, t, address(e, a, index, from + first), when);
        for (int i = 0; i < e->lanes; i++)
            mask[i] =
                i * step / e->lanes == part ? (part ? e->lanes : 0) + i * step - first : i;
        x = part ? cg_ll_picked(e, x, y, mask) : cg_ll_picked(e, y, y, mask);
    }
    return x;
}

/* By how many do lanes lie apart at the most that whole vectors are read for them?  On a GPU
 * they are threads. */
static int
most_apart(const cg_ll_emit *e)
{
    return e->l->machine->grid || e->lanes < 4 ? 2 : 4;
}

/* Lanes behind the end of a tail compute what lane 0 does: with the zero that they read, a
 * division would raise an exception (FE_DIVBYZERO, FE_INVALID) that no element of the user's
 * does. */
LLVMValueRef
cg_ll_fill_tail(cg_ll_emit *e, uint32_t set, LLVMValueRef x)
{
    const cg_ll_mask *m = e->mask;

    if (!e->fills_tails || e->l->machine->grid || !m || !m->limit || (m->lanes.set & ~set))
        return x;
    LLVMTypeRef lanes = LLVMVectorType(e->l->i32, (unsigned)e->lanes);
    LLVMValueRef first =
        LLVMBuildShuffleVector(e->b, x, LLVMGetPoison(LLVMTypeOf(x)), LLVMConstNull(lanes), "");
    return LLVMBuildSelect(e->b, cg_ll_at(e, &m->lanes)->v, x, first, "");
}

static LLVMValueRef
gather(cg_ll_emit *e, const access *a, LLVMValueRef index, truth mask)
{
    const place own = { 0 };

    touch(e, a, &own, a->element, mask.by);
    return cg_ll_gather(e, a->element, a->base, index, mask.v);
}

static cg_ll_copy
load_copy(cg_ll_emit *e, const access *a, cg_ll_copy index, cg_val when, uint32_t set)
{
    bool wide = index.wide || index.slope != 0;
    bool wide_when = when && cg_ll_get(e, when).wide;
    condition c = condition_of(e, when, set, wide || wide_when);
    access all = of_lanes(a, 0, e->lanes);
    LLVMValueRef x;

    all.range.step = index.slope;

    if (!wide && wide_when) {
        /* One element for all lanes, zero for those without. */
        const truth some = and_of(e, c.scalar, any_of(e, c.lanes));
        x = load_when(e, a, a->element, address(e, a, index.v, 0), some);
        x = cg_ll_splat(e, x, e->lanes);
        x = LLVMBuildSelect(e->b, c.lanes.v, x, LLVMConstNull(LLVMTypeOf(x)), "");
        return (cg_ll_copy){ .v = from_memory(e, a, x), .wide = true };
    }
    if (!wide)
        x = load_when(e, a, a->element, address(e, a, index.v, 0), c.scalar);
    else if (index.slope == 1)
        x = load_row(e, a, index, 0, &c);
    else if (index.slope == -1 && !c.lanes.v)
        x = reversed(e, load_row(e, a, index, 1 - e->lanes, &c));
    else if (!index.wide && index.slope >= 2 && index.slope <= most_apart(e) && !c.lanes.v)
        x = load_apart(e, &all, index.v, 0, (int)index.slope, c.scalar);
    else if (!index.wide && index.slope == -2 && !c.lanes.v)
        x = reversed(e, load_apart(e, &all, index.v, -2 * (e->lanes - 1), 2, c.scalar));
    else if (index.wide && !e->l->machine->grid)
        x = gather(e, a, index.v, and_scalar(e, &c));
    else
        x = load_by_lane(e, a, index, and_scalar(e, &c));
    if (wide)
        x = cg_ll_fill_tail(e, set, x);
    return (cg_ll_copy){ .v = from_memory(e, a, x), .wide = wide };
}

/* -- transposes in registers -- */

/* The unroll level whose copies of the index move by least to most, where the lanes move by a
 * constant, all copies and lanes without a condition; -1 if there is none of the vector's
 * extent. */
static int
transposed_level(cg_ll_emit *e, const cg_insn *i, uint32_t set, cg_val when, int64_t least,
                 int64_t most, int64_t *step)
{
    const cg_ll_var *x = &e->var[i->in[0]];

    if (when || e->mask || e->vector_level < 0 || x->copy[0].wide ||
        (x->copy[0].slope > -2 && x->copy[0].slope < 2))
        return -1;
    for (int l = 0; l < e->n_levels; l++)
        if ((set >> l & 1) && (x->set >> l & 1) && e->level[l].loop->kind == CG_UNROLL &&
            e->level[l].extent == e->lanes && e->lanes <= 32) {
            *step = cg_moves_by(e->k, i->in[0], e->level[l].loop);
            if (*step != 0 && *step >= least && *step <= most)
                return l;
        }
    return -1;
}

/* What rows of neighbouring copies are aligned to, `apart` elements from each other. */
static unsigned
row_alignment(const cg_ll_emit *e, const cg_insn *i, int level, int64_t apart, const access *a)
{
    const int known = e->k->buffer[i->imm].align;
    const int64_t row =
        cg_multiple_of_rows(e->k, i->in[0], e->level[level].loop, apart) * a->align;

    return known <= (int)a->align ? a->align : row < known ? (unsigned)row : (unsigned)known;
}

/* A step of -1: each row is read from its other end on, and the copies are in the other
 * order. */
static void
load_transposed(cg_ll_emit *e, cg_val v, const access *a, int level, int64_t step)
{
    const cg_insn *i = &e->k->insn[v];
    uint32_t set = e->divergence[v], others = set & ~((uint32_t)1 << level);
    LLVMTypeRef t = cg_ll_wide(e, a->element, true);
    LLVMValueRef row[32];
    access aligned = *a;

    for (int c = 0, all = cg_ll_copies(e, others); c < all; c++) {
        cg_ll_seek(e, others, c);
        e->digit[level] = 0;
        cg_ll_copy first = cg_ll_get(e, i->in[0]);
        if (e->l->machine->grid && step == 1)
            aligned.align = row_alignment(e, i, level, first.slope, a);
        for (int l = 0; l < e->lanes; l++) {
            const int64_t from = first.slope * l - (step < 0 ? e->lanes - 1 : 0);
            access one = of_lanes(&aligned, l, 1);
            one.range.copies = e->level[level].loop;
            row[l] = step != 2 ? plain_load(e, &one, t, address(e, a, first.v, from))
                               : load_apart(e, &one, first.v, from, 2, (truth){ 0 });
        }
        cg_ll_transpose_square(e, row, e->lanes);
        for (int l = 0; l < e->lanes; l++) {
            e->digit[level] = step < 0 ? e->lanes - 1 - l : l;
            cg_ll_set(e, v, (cg_ll_copy){ .v = from_memory(e, a, row[l]), .wide = true });
        }
    }
}

static void
store_transposed(cg_ll_emit *e, cg_val v, const access *a, uint32_t set, int level)
{
    const cg_insn *i = &e->k->insn[v];
    uint32_t others = set & ~((uint32_t)1 << level);
    LLVMValueRef row[32];

    for (int c = 0, all = cg_ll_copies(e, others); c < all; c++) {
        cg_ll_seek(e, others, c);
        for (int l = 0; l < e->lanes; l++) {
            e->digit[level] = l;
            row[l] = to_memory(e, a, cg_ll_widen(e, cg_ll_get(e, i->in[1])), true);
        }
        cg_ll_transpose_square(e, row, e->lanes);
        e->digit[level] = 0;
        cg_ll_copy first = cg_ll_get(e, i->in[0]);
        for (int l = 0; l < e->lanes; l++) {
            access one = of_lanes(a, l, 1);
            one.range.copies = e->level[level].loop;
            plain_store(e, &one, row[l], address(e, a, first.v, first.slope * l));
        }
    }
}

/* -- instructions -- */

void
cg_ll_load_insn(cg_ll_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    access a = access_of(e, v);
    uint32_t set = e->divergence[v];
    int64_t step = 1;
    int level = transposed_level(e, i, set, i->in[1], -1, 2, &step);

    cg_ll_define(e, v, set);
    if (level >= 0) {
        load_transposed(e, v, &a, level, step);
        return;
    }
    for (int c = 0, all = cg_ll_copies(e, set); c < all; c++) {
        cg_ll_seek(e, set, c);
        cg_ll_set(e, v, load_copy(e, &a, cg_ll_get(e, i->in[0]), i->in[1], set));
    }
}

static void
store_copy(cg_ll_emit *e, const access *a, const cg_insn *i, uint32_t set)
{
    cg_ll_copy index = cg_ll_get(e, i->in[0]), value = cg_ll_get(e, i->in[1]);
    bool wide_value = value.wide || value.slope != 0;
    bool wide = index.wide || index.slope != 0 || wide_value;
    condition c = condition_of(e, i->in[2], set, wide);
    if (e->k->buffer[i->imm].space != CG_LOCAL)
        c.scalar = and_of(e, c.scalar, (truth){ .v = cg_ll_first_thread(e) });
    LLVMValueRef x = to_memory(e, a, cg_ll_as(e, value, wide), wide);

    if (!wide)
        store_when(e, a, x, address(e, a, index.v, 0), c.scalar);
    else if (!index.wide && index.slope == 1)
        store_row(e, a, index, 0, x, &c);
    else if (!index.wide && index.slope == -1 && !c.lanes.v)
        store_row(e, a, index, 1 - e->lanes, reversed(e, x), &c);
    else
        store_by_lane(e, a, index, x, and_scalar(e, &c));
}

/* How many of the stores that begin here, of elements n i, n i + 1, ..., n i + n - 1 in lanes,
 * are as good as n stores of whole vectors. */
static int
stores_together(cg_ll_emit *e, const cg_val *v, uint32_t left, uint32_t *set)
{
    const cg_insn *first = &e->k->insn[v[0]];

    for (uint32_t n = CG_LL_MAX_ROWS; n > 1; n--) {
        bool good = n <= left;
        *set = first->op == CG_STORE ? e->var[first->in[0]].set : 0;
        for (uint32_t k = 0; k < n && good; k++) {
            good = !e->mask && cg_side_by_side(e->k, v[0], v[k], k);
            *set |= good ? e->var[e->k->insn[v[k]].in[1]].set : 0;
        }
        for (int c = 0, copies = good ? cg_ll_copies(e, *set) : 0; c < copies && good; c++) {
            cg_ll_seek(e, *set, c);
            cg_ll_copy index = cg_ll_get(e, first->in[0]);
            good = !index.wide && index.slope == (int64_t)n;
        }
        if (good)
            return (int)n;
    }
    return 0;
}

uint32_t
cg_ll_store_rows(cg_ll_emit *e, const cg_val *v, uint32_t left)
{
    uint32_t set;
    const cg_insn *first = &e->k->insn[v[0]];
    const int n =
        first->op == CG_STORE && e->vector_level >= 0 ? stores_together(e, v, left, &set) : 0;
    LLVMValueRef row[CG_LL_MAX_ROWS];

    if (n == 0)
        return 0;
    access a = access_of(e, v[0]);
    a.range.step = a.range.side_by_side = n;
    a.range.lanes = e->lanes;
    for (int c = 0, copies = cg_ll_copies(e, set); c < copies; c++) {
        cg_ll_seek(e, set, c);
        cg_ll_copy index = cg_ll_get(e, first->in[0]);
        for (int k = 0; k < n; k++)
            row[k] =
                to_memory(e, &a, cg_ll_as(e, cg_ll_get(e, e->k->insn[v[k]].in[1]), true), true);
        cg_ll_interleave(e, row, n);
        for (int k = 0; k < n; k++) {
            const place p = address(e, &a, index.v, k * e->lanes);
            if (a.streams)
                stream_store(e, &a, row[k], p);
            else
                plain_store(e, &a, row[k], p);
        }
    }
    return (uint32_t)n;
}

void
cg_ll_store_insn(cg_ll_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    access a = access_of(e, v);
    uint32_t set =
        e->var[i->in[0]].set | e->var[i->in[1]].set | (i->in[2] ? e->var[i->in[2]].set : 0);
    int64_t step = 1;
    int level = transposed_level(e, i, set, i->in[2], 1, 1, &step);

    if (level >= 0) {
        store_transposed(e, v, &a, set, level);
        return;
    }
    for (int c = 0, all = cg_ll_copies(e, set); c < all; c++) {
        cg_ll_seek(e, set, c);
        store_copy(e, &a, i, set);
    }
}
