/* Regions and loops.
 *
 * SPMD loops (unroll, vector) create no blocks: their iterations are copies and lanes of
 * values.  A serial loop becomes a block that branches back at its end, with a phi for each
 * carry and copy.  It has a guard in front if it may run no iteration; a loop of one iteration
 * is only its body. */
#include "codegen/llvm/emit.h"

/* -- SPMD loops -- */

static cg_ll_mask *
limit_mask(cg_ll_emit *e, const cg_block *x)
{
    cg_ll_mask *m = IR_NEW(e->arena, cg_ll_mask);
    LLVMValueRef n = cg_ll_uniform(e, x->limit), all = cg_ll_index(e, e->lanes);
    LLVMValueRef less = LLVMBuildICmp(e->b, LLVMIntSLT, n, all, "");

    n = LLVMBuildSelect(e->b, less, n, all, "limit");
    LLVMValueRef low = cg_ll_splat(e, LLVMBuildTrunc(e->b, n, e->l->i32, ""), e->lanes);
    LLVMValueRef lane = cg_ll_iota(e, e->l->i32, e->lanes, 1);
    m->lanes.set = (uint32_t)1 << e->vector_level;
    m->lanes.copy = IR_NEW(e->arena, cg_ll_copy);
    m->lanes.copy[0] =
        (cg_ll_copy){ .v = LLVMBuildICmp(e->b, LLVMIntSLT, lane, low, "active"), .wide = true };
    m->limit = n;
    m->by = cg_apply(e->ranges, x->var, true);
    return m;
}

static void
define_spmd_var(cg_ll_emit *e, const cg_block *x, int level, int64_t extent)
{
    int64_t lo = 0;

    cg_is_const(e->k, x->lo, &lo);
    cg_ll_define(e, x->var, (uint32_t)1 << level);
    if (x->kind == CG_VECTOR) {
        e->var[x->var].copy[0] =
            (cg_ll_copy){ .v = cg_ll_index(e, lo), .slope = extent > 1 ? x->step : 0 };
        return;
    }
    for (int64_t i = 0; i < extent; i++)
        e->var[x->var].copy[i] = cg_ll_scalar(cg_ll_index(e, lo + i * x->step));
}

static bool
known_index(const cg_ll_emit *e, cg_val v, int64_t *x)
{
    if (cg_is_const(e->k, v, x))
        return true;
    LLVMValueRef y = cg_ll_uniform(e, v);
    if (LLVMIsAConstantInt(y))
        *x = LLVMConstIntGetSExtValue(y);
    return LLVMIsAConstantInt(y) != NULL;
}

/* Returns the number of iterations, -1 if it is not constant.  A bound may be constant here
 * that is not constant in the kernel: the variable of a loop of one iteration is replaced by
 * its lower bound. */
static int64_t
extent_of(const cg_ll_emit *e, const cg_block *x)
{
    int64_t lo, hi;

    if (!known_index(e, x->lo, &lo) || !known_index(e, x->hi, &hi))
        return -1;
    return hi > lo ? (hi - lo + x->step - 1) / x->step : 0;
}

static void
emit_spmd(cg_ll_emit *e, const cg_block *x)
{
    const cg_ll_mask *outer = e->mask, *own = NULL;
    int level = e->n_levels++, lanes = e->lanes, vector_level = e->vector_level;

    e->level[level] = (cg_ll_level){ .loop = x, .extent = extent_of(e, x) };
    if (x->kind == CG_VECTOR) {
        e->vector_level = level;
        e->lanes = (int)e->level[level].extent;
        if (x->limit) {
            own = limit_mask(e, x);
            e->mask = outer ? cg_ll_mask_and(e, outer, &own->lanes, false, own->by) : own;
        }
    }
    define_spmd_var(e, x, level, e->level[level].extent);
    cg_ll_region(e, &x->body);
    for (int i = 0; i < x->n; i++)
        cg_ll_fold_spmd(e, x, i, level, own);
    e->n_levels = level;
    e->lanes = lanes;
    e->vector_level = vector_level;
    e->mask = outer;
}

/* The initial values of carries; NULL for yields of a tree, which have none. */
static void
initial_values(cg_ll_emit *e, const cg_block *x, LLVMValueRef *out)
{
    for (int i = 0, n = 0; i < x->n; i++) {
        uint32_t set = cg_ll_yield_set(e, &x->yield[i]);
        for (int c = 0, all = cg_ll_copies(e, set); c < all; c++, n++) {
            cg_ll_seek(e, set, c);
            out[n] = NULL;
            if (x->yield[i].carried)
                out[n] = cg_ll_as(e, cg_ll_get(e, x->yield[i].init), cg_ll_is_wide(e, set));
        }
    }
}

/* Define carried values, or results, as the values of `in`, in the order of
 * cg_ll_yield_values. */
static void
define_all(cg_ll_emit *e, const cg_block *x, bool results, LLVMValueRef *in)
{
    for (int i = 0, n = 0; i < x->n; i++) {
        uint32_t set = cg_ll_yield_set(e, &x->yield[i]);
        cg_val v = results ? x->result[i] : x->yield[i].carried;
        int all = cg_ll_copies(e, set);

        if (v && (x->yield[i].carried || results)) {
            cg_ll_define(e, v, set);
            for (int c = 0; c < all; c++)
                e->var[v].copy[c] =
                    (cg_ll_copy){ .v = in[n + c], .wide = cg_ll_is_wide(e, set) };
        }
        n += all;
    }
}

static void
emit_once(cg_ll_emit *e, const cg_block *x, LLVMValueRef *init, int n)
{
    LLVMValueRef *last = IR_NEW_N(e->arena, LLVMValueRef, n + 1);

    cg_ll_define(e, x->var, 0);
    e->var[x->var].copy[0] = cg_ll_scalar(cg_ll_uniform(e, x->lo));
    define_all(e, x, false, init);
    cg_ll_region(e, &x->body);
    cg_ll_yield_values(e, x, last);
    define_all(e, x, true, last);
}

static void
emit_never(cg_ll_emit *e, const cg_block *x, LLVMValueRef *init)
{
    for (int i = 0, n = 0; i < x->n; i++) {
        const cg_yield *y = &x->yield[i];
        uint32_t set = cg_ll_yield_set(e, y);
        for (int c = 0, all = cg_ll_copies(e, set); c < all; c++, n++)
            if (!y->carried) {
                LLVMValueRef z =
                    cg_ll_bits(e->l, y->type, cg_neutral_bits(y->combine, y->type));
                init[n] = cg_ll_as(e, cg_ll_scalar(z), cg_ll_is_wide(e, set));
            }
    }
    define_all(e, x, true, init);
}

/* A loop that is being emitted. */
typedef struct open_loop {
    LLVMBasicBlockRef before, head, after;
    LLVMValueRef lo, hi, i, count; /* i and count are phis */
    LLVMValueRef *init, *phi, *next;
    int n;
    bool may_be_empty, counts;
} open_loop;

static void
loop_head(cg_ll_emit *e, const cg_block *x, open_loop *r)
{
    r->before = LLVMGetInsertBlock(e->b);
    r->head = cg_ll_block(e, "loop");
    r->after = cg_ll_block(e, "after");
    if (r->may_be_empty)
        cg_ll_branch(e, LLVMBuildICmp(e->b, LLVMIntSLT, r->lo, r->hi, ""), r->head, r->after);
    else
        cg_ll_goto(e, r->head, r->head);
    r->i = cg_ll_phi(e, e->l->i64, "i", r->lo, r->before);
    if (r->counts)
        r->count = cg_ll_phi(e, e->l->i64, "count", cg_ll_index(e, 0), r->before);
    for (int j = 0; j < r->n; j++)
        if (r->init[j])
            r->phi[j] = cg_ll_phi(e, LLVMTypeOf(r->init[j]), "", r->init[j], r->before);
    cg_ll_define(e, x->var, 0);
    e->var[x->var].copy[0] = cg_ll_scalar(r->i);
}

/* Close the loop.  Leaves the results in r->next and the number of iterations in r->count. */
static void
loop_tail(cg_ll_emit *e, const cg_block *x, open_loop *r)
{
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->b);
    LLVMValueRef next = LLVMBuildNSWAdd(e->b, r->i, cg_ll_index(e, x->step), "");

    LLVMAddIncoming(r->i, &next, &last, 1);
    LLVMValueRef counted =
        r->counts ? LLVMBuildNSWAdd(e->b, r->count, cg_ll_index(e, 1), "") : NULL;
    if (r->counts)
        LLVMAddIncoming(r->count, &counted, &last, 1);
    for (int j = 0; j < r->n; j++)
        if (r->phi[j])
            LLVMAddIncoming(r->phi[j], &r->next[j], &last, 1);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, next, r->hi, ""), r->head, r->after);
    LLVMPositionBuilderAtEnd(e->b, r->after);
    r->count = counted;
    if (!r->may_be_empty)
        return;
    for (int j = 0; j < r->n; j++)
        if (r->phi[j]) {
            LLVMValueRef y = cg_ll_phi(e, LLVMTypeOf(r->next[j]), "", r->init[j], r->before);
            LLVMAddIncoming(y, &r->next[j], &last, 1);
            r->next[j] = y;
        }
    if (r->counts) {
        r->count = cg_ll_phi(e, e->l->i64, "", cg_ll_index(e, 0), r->before);
        LLVMAddIncoming(r->count, &counted, &last, 1);
    }
}

static void
emit_serial(cg_ll_emit *e, const cg_block *x)
{
    int n = cg_ll_yield_values(e, x, NULL);
    int64_t extent = extent_of(e, x);
    open_loop r = { .n = n, .may_be_empty = extent < 0 };

    r.init = IR_NEW_N(e->arena, LLVMValueRef, n + 1);
    r.phi = IR_NEW_N(e->arena, LLVMValueRef, n + 1);
    r.next = IR_NEW_N(e->arena, LLVMValueRef, n + 1);
    initial_values(e, x, r.init);
    if (extent == 0) {
        emit_never(e, x, r.init);
        return;
    }
    if (extent == 1) {
        emit_once(e, x, r.init, n);
        return;
    }
    cg_ll_tree tree = { 0 };
    r.lo = cg_ll_uniform(e, x->lo);
    r.hi = cg_ll_uniform(e, x->hi);
    r.counts = cg_has_mode(x, CG_TREE);
    if (r.counts)
        tree = cg_ll_tree_begin(e, x, extent);
    loop_head(e, x, &r);
    define_all(e, x, false, r.phi);
    if (e->k->plans)
        cg_ll_check_cancel(e);
    cg_ll_region(e, &x->body);
    cg_ll_yield_values(e, x, r.next);
    if (r.counts)
        cg_ll_tree_push(e, &tree, r.count, r.next);
    loop_tail(e, x, &r);
    if (r.counts)
        cg_ll_tree_end(e, &tree, extent > 0 ? cg_ll_index(e, extent) : r.count);
    else
        define_all(e, x, true, r.next);
}

/* -- instructions -- */

static void
emit_loop(cg_ll_emit *e, cg_val v)
{
    const cg_block *x = e->k->insn[v].block;

    if (x->kind >= CG_UNROLL)
        emit_spmd(e, x);
    else if (x->kind >= CG_GRID)
        cg_ll_thread_loop(e, v);
    else if (x->kind == CG_PARALLEL)
        cg_ll_parallel(e, v);
    else if (cg_has_mode(x, CG_FOLD))
        cg_ll_fold_serial(e, x);
    else
        emit_serial(e, x);
}

static void
emit_const(cg_ll_emit *e, cg_val v, LLVMValueRef x)
{
    cg_ll_define(e, v, 0);
    e->var[v].copy[0] = cg_ll_scalar(x);
}

static void
emit_insn(cg_ll_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];

    if (e->uses[v] == 0 && i->op < CG_STORE)
        return;
    cg_ll_debug_at(e->l, i->loc);
    switch (i->op) {
    case SC_const: emit_const(e, v, cg_ll_bits(e->l, (cot_dtype)i->type, i->imm)); break;
    case CG_PARAM: emit_const(e, v, e->param[i->imm]); break;
    case SC_slow_path: cg_ll_slow_path(e, v); break;
    case CG_LOAD: cg_ll_load_insn(e, v); break;
    case CG_SCAN:
    case CG_LAST: cg_ll_across_lanes(e, v); break;
    case CG_STORE: cg_ll_store_insn(e, v); break;
    case CG_LOOP: emit_loop(e, v); break;
    case CG_IF: cg_ll_if(e, v); break;
    case CG_WHILE: cg_ll_while(e, v); break;
    case CG_CALL: cg_ll_call(e, v); break;
    case CG_EXTERN: cg_ll_extern(e, v); break;
    case CG_COPY: cg_ll_copy_insn(e, v); break;
    case CG_PREFETCH: cg_ll_prefetch(e, i); break;
    case CG_SWAP: cg_ll_swap(e, i); break;
    case CG_SETTLE: cg_ll_settle_buffer(e, i); break;
    case CG_PLACE: cg_ll_place_buffer(e, i); break;
    case CG_BARRIER: cg_ll_barrier(e); break;
    case CG_FETCH:
    case CG_COMMIT:
    case CG_ARRIVE:
    case CG_FRAGMENT:
    case CG_MMA: cg_ll_tensor(e, v); break;
    case CG_FAIL:
        if (e->l->machine->grid) {
            cg_ll_fail_thread(e, cg_ll_uniform(e, i->in[0]),
                              LLVMConstInt(e->l->i32, i->imm, 0));
            break;
        }
        cg_ll_leave_if(e, cg_ll_uniform(e, i->in[0]), LLVMConstInt(e->l->i32, i->imm, 0));
        break;
    default: cg_ll_scalar_insn(e, v);
    }
}

static void
emit_statements(cg_ll_emit *e, const cg_val *insn, uint32_t n)
{
    for (uint32_t i = 0, stored; i < n; i += stored ? stored : 1)
        if ((stored = cg_ll_store_rows(e, insn + i, n - i)) == 0)
            emit_insn(e, insn[i]);
}

static void
emit_parts(cg_ll_emit *e, const cg_region *r)
{
    cg_part *part;
    uint32_t done = 0;

    if (!e->partition)
        e->partition = cg_partition_new(e->k, e->arena);
    for (uint32_t i = 0, n = cg_partition_region(e->partition, r, &part); i < n; i++) {
        emit_statements(e, r->insn + done, part[i].from - done);
        LLVMValueRef status = cg_ll_call_part(e, r, part[i], emit_statements);
        cg_ll_leave_with(e, status);
        done = part[i].to;
    }
    emit_statements(e, r->insn + done, r->n - done);
}

void
cg_ll_region(cg_ll_emit *e, const cg_region *r)
{
    if (cg_is_long(e->k, r) && !e->n_levels && !e->mask && !e->status)
        emit_parts(e, r);
    else
        emit_statements(e, r->insn, r->n);
}
