/* Loads and stores.
 *
 * The stride of the index from lane to lane selects the instructions. 0: a scalar. 1: a vector.
 * -1: a reversed vector. 2: every other element of two vectors.  Another constant: where an
 * unroll loop around moves the index by one, rows of vectors that are transposed in registers;
 * where 2, 4 or 8 stores are adjacent, as of real and imaginary parts, interleaved vectors;
 * otherwise scalars, lane by lane.  No constant: a gather or scatter. */
#include "codegen/llvm/access.h"
#include "codegen/tuning.h"

/* The largest stride for which a load takes whole vectors and selects elements.  On a GPU lanes
 * are threads. */
static int
max_stride(const cg_ll_emit *e)
{
    if (e->l->machine->grid || e->lanes < 4)
        return CG_LLVM_MAX_STRIDE_NARROW;
    return e->lanes < 16 || e->l->machine->vector_bits < 512 ? CG_LLVM_MAX_STRIDE
                                                              : CG_LLVM_MAX_STRIDE_WIDE;
}

/* In lanes past the end of a tail a masked load gives 0, and a division by it would raise an
 * exception (FE_DIVBYZERO, FE_INVALID) that no element of the user's does.  So those lanes
 * compute the same as lane 0. */
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

static cg_ll_copy
load_copy(cg_ll_emit *e, const cg_ll_access *a, cg_ll_copy index, cg_val when, uint32_t set)
{
    bool wide = index.wide || index.slope != 0;
    bool wide_when = when && cg_ll_get(e, when).wide;
    cg_ll_condition c = cg_ll_condition_of(e, when, set, wide || wide_when);
    cg_ll_access all = cg_ll_access_lanes(a, 0, e->lanes);
    LLVMValueRef x;

    all.range.step = index.slope;

    if (!wide && wide_when) {
        /* All lanes load the same element; lanes without the condition get 0. */
        const cg_ll_truth some = cg_ll_truth_and(e, c.scalar, cg_ll_truth_any(e, c.lanes));
        x = cg_ll_load_when(e, a, a->element, cg_ll_element_at(e, a, index.v, 0), some);
        x = cg_ll_splat(e, x, e->lanes);
        x = LLVMBuildSelect(e->b, c.lanes.v, x, LLVMConstNull(LLVMTypeOf(x)), "");
        return (cg_ll_copy){ .v = cg_ll_from_memory(e, a, x), .wide = true };
    }
    if (!wide)
        x = cg_ll_load_when(e, a, a->element, cg_ll_element_at(e, a, index.v, 0), c.scalar);
    else if (index.slope == 1)
        x = cg_ll_load_row(e, a, index, 0, &c);
    else if (index.slope == -1 && !c.lanes.v)
        x = cg_ll_reversed(e, cg_ll_load_row(e, a, index, 1 - e->lanes, &c));
    else if (!index.wide && index.slope >= 2 && index.slope <= max_stride(e) && !c.lanes.v)
        x = cg_ll_load_strided(e, &all, index.v, 0, (int)index.slope, c.scalar);
    else if (!index.wide && index.slope == -2 && !c.lanes.v)
        x = cg_ll_reversed(
            e, cg_ll_load_strided(e, &all, index.v, -2 * (e->lanes - 1), 2, c.scalar));
    else if (index.wide && !e->l->machine->grid)
        x = cg_ll_load_gather(e, a, index.v, cg_ll_condition_lanes(e, &c));
    else
        x = cg_ll_load_by_lane(e, a, index, cg_ll_condition_lanes(e, &c));
    if (wide)
        x = cg_ll_fill_tail(e, set, x);
    return (cg_ll_copy){ .v = cg_ll_from_memory(e, a, x), .wide = wide };
}

/* Find an unroll level over which the index has a stride between least and most, and whose
 * extent is the number of lanes, so that its copies form a square tile.  The stride from lane
 * to lane must be constant, and no copy or lane may have a condition.  Returns -1 if there is
 * none. */
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
            e->level[l].extent == e->lanes && e->lanes <= CG_LLVM_MAX_TRANSPOSED) {
            *step = cg_stride_over(e->k, i->in[0], e->level[l].loop);
            if (*step != 0 && *step >= least && *step <= most)
                return l;
        }
    return -1;
}

/* The alignment of rows of adjacent copies, whose starts are `stride` elements apart. */
static unsigned
row_alignment(const cg_ll_emit *e, const cg_insn *i, int level, int64_t stride,
              const cg_ll_access *a)
{
    const int known = e->k->buffer[i->imm].align;
    const int64_t row =
        cg_multiple_of_rows(e->k, i->in[0], e->level[level].loop, stride) * a->align;

    return known <= (int)a->align ? a->align : row < known ? (unsigned)row : (unsigned)known;
}

/* With a step of -1 a row begins at the address of its last copy, and the copies are
 * reversed. */
static void
load_transposed(cg_ll_emit *e, cg_val v, const cg_ll_access *a, int level, int64_t step)
{
    const cg_insn *i = &e->k->insn[v];
    uint32_t set = e->divergence[v], others = set & ~((uint32_t)1 << level);
    LLVMTypeRef t = cg_ll_wide(e, a->element, true);
    LLVMValueRef row[CG_LLVM_MAX_TRANSPOSED];
    cg_ll_access aligned = *a;

    for (int c = 0, all = cg_ll_copies(e, others); c < all; c++) {
        cg_ll_seek(e, others, c);
        e->digit[level] = 0;
        cg_ll_copy first = cg_ll_get(e, i->in[0]);
        if (e->l->machine->grid && step == 1)
            aligned.align = row_alignment(e, i, level, first.slope, a);
        for (int l = 0; l < e->lanes; l++) {
            const int64_t from = first.slope * l - (step < 0 ? e->lanes - 1 : 0);
            cg_ll_access one = cg_ll_access_lanes(&aligned, l, 1);
            one.range.copies = e->level[level].loop;
            row[l] = step != 2
                         ? cg_ll_plain_load(e, &one, t, cg_ll_element_at(e, a, first.v, from))
                         : cg_ll_load_strided(e, &one, first.v, from, 2, (cg_ll_truth){ 0 });
        }
        cg_ll_transpose_registers(e, row, e->lanes);
        for (int l = 0; l < e->lanes; l++) {
            e->digit[level] = step < 0 ? e->lanes - 1 - l : l;
            cg_ll_set(e, v, (cg_ll_copy){ .v = cg_ll_from_memory(e, a, row[l]), .wide = true });
        }
    }
}

static void
store_transposed(cg_ll_emit *e, cg_val v, const cg_ll_access *a, uint32_t set, int level)
{
    const cg_insn *i = &e->k->insn[v];
    uint32_t others = set & ~((uint32_t)1 << level);
    LLVMValueRef row[CG_LLVM_MAX_TRANSPOSED];

    for (int c = 0, all = cg_ll_copies(e, others); c < all; c++) {
        cg_ll_seek(e, others, c);
        for (int l = 0; l < e->lanes; l++) {
            e->digit[level] = l;
            row[l] = cg_ll_to_memory(e, a, cg_ll_widen(e, cg_ll_get(e, i->in[1])), true);
        }
        cg_ll_transpose_registers(e, row, e->lanes);
        e->digit[level] = 0;
        cg_ll_copy first = cg_ll_get(e, i->in[0]);
        for (int l = 0; l < e->lanes; l++) {
            cg_ll_access one = cg_ll_access_lanes(a, l, 1);
            one.range.copies = e->level[level].loop;
            cg_ll_plain_store(e, &one, row[l],
                              cg_ll_element_at(e, a, first.v, first.slope * l));
        }
    }
}

void
cg_ll_load_insn(cg_ll_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    cg_ll_access a = cg_ll_access_of(e, v);
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
store_copy(cg_ll_emit *e, const cg_ll_access *a, const cg_insn *i, uint32_t set)
{
    cg_ll_copy index = cg_ll_get(e, i->in[0]), value = cg_ll_get(e, i->in[1]);
    bool wide_value = value.wide || value.slope != 0;
    bool wide = index.wide || index.slope != 0 || wide_value;
    cg_ll_condition c = cg_ll_condition_of(e, i->in[2], set, wide);
    if (e->k->buffer[i->imm].space != CG_LOCAL)
        c.scalar = cg_ll_truth_and(e, c.scalar, (cg_ll_truth){ .v = cg_ll_first_thread(e) });
    LLVMValueRef x = cg_ll_to_memory(e, a, cg_ll_as(e, value, wide), wide);

    if (!wide)
        cg_ll_store_when(e, a, x, cg_ll_element_at(e, a, index.v, 0), c.scalar);
    else if (!index.wide && index.slope == 1)
        cg_ll_store_row(e, a, index, 0, x, &c);
    else if (!index.wide && index.slope == -1 && !c.lanes.v)
        cg_ll_store_row(e, a, index, 1 - e->lanes, cg_ll_reversed(e, x), &c);
    else
        cg_ll_store_by_lane(e, a, index, x, cg_ll_condition_lanes(e, &c));
}

/* How many of the stores from v[0] on write elements n i, n i + 1, ..., n i + n - 1 in lane i,
 * so that they can be n stores of whole vectors. 0: none. */
static int
adjacent_stores(cg_ll_emit *e, const cg_val *v, uint32_t left, uint32_t *set)
{
    const cg_insn *first = &e->k->insn[v[0]];

    for (uint32_t n = CG_LLVM_MAX_INTERLEAVED; n > 1; n--) {
        bool good = n <= left;
        *set = first->op == CG_STORE ? e->var[first->in[0]].set : 0;
        for (uint32_t k = 0; k < n && good; k++) {
            good = !e->mask && cg_are_adjacent(e->k, v[0], v[k], k);
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
        first->op == CG_STORE && e->vector_level >= 0 ? adjacent_stores(e, v, left, &set) : 0;
    LLVMValueRef row[CG_LLVM_MAX_INTERLEAVED];

    if (n == 0)
        return 0;
    cg_ll_access a = cg_ll_access_of(e, v[0]);
    a.range.step = a.range.adjacent = n;
    a.range.lanes = e->lanes;
    for (int c = 0, copies = cg_ll_copies(e, set); c < copies; c++) {
        cg_ll_seek(e, set, c);
        cg_ll_copy index = cg_ll_get(e, first->in[0]);
        for (int k = 0; k < n; k++)
            row[k] = cg_ll_to_memory(
                e, &a, cg_ll_as(e, cg_ll_get(e, e->k->insn[v[k]].in[1]), true), true);
        cg_ll_interleave(e, row, n);
        for (int k = 0; k < n; k++) {
            const cg_ll_place p = cg_ll_element_at(e, &a, index.v, k * e->lanes);
            if (a.streams)
                cg_ll_stream_store(e, &a, row[k], p);
            else
                cg_ll_plain_store(e, &a, row[k], p);
        }
    }
    return (uint32_t)n;
}

void
cg_ll_store_insn(cg_ll_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    cg_ll_access a = cg_ll_access_of(e, v);
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
