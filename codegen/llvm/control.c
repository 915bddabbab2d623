/* if, while and slow paths.
 *
 * A uniform condition becomes a branch.  Where it differs from lane to lane, a region runs if
 * any active lane takes it, under the mask of those lanes, and results are selected lane by
 * lane. */
#include "codegen/llvm/emit.h"
#include "codegen/llvm/slow_path.h"

void
cg_ll_region_under(cg_ll_emit *e, const cg_region *r, cg_val v, bool holds)
{
    const cg_applied *outer = e->under;

    e->under = cg_apply_both(e->ranges, outer, cg_apply(e->ranges, v, holds));
    cg_ll_region(e, r);
    e->under = outer;
}

/* -- if -- */

/* Collect the yielded value v in every copy of `set`: all as scalars, or all as vectors. */
static void
take(cg_ll_emit *e, cg_val v, uint32_t set, LLVMValueRef *out)
{
    for (int c = 0, all = cg_ll_copies(e, set); c < all; c++) {
        cg_ll_seek(e, set, c);
        out[c] = cg_ll_as(e, cg_ll_get(e, v), cg_ll_is_wide(e, set));
    }
}

typedef struct branch {
    /* The block that skips the region; the block in which it ends. */
    LLVMBasicBlockRef skipped, done;
    LLVMValueRef **value; /* for each yield, its copies */
} branch;

static void
take_yields(cg_ll_emit *e, const cg_block *x, bool other, branch *b)
{
    b->value = IR_NEW_N(e->arena, LLVMValueRef *, x->n + 1);
    for (int i = 0; i < x->n; i++) {
        uint32_t set = e->divergence[x->result[i]];
        b->value[i] = IR_NEW_N(e->arena, LLVMValueRef, cg_ll_copies(e, set));
        take(e, other ? x->yield[i].init : x->yield[i].value, set, b->value[i]);
    }
}

static void
define_yields(cg_ll_emit *e, const cg_block *x, const branch *then, const branch *other)
{
    for (int i = 0; i < x->n; i++) {
        uint32_t set = e->divergence[x->result[i]];
        cg_ll_define(e, x->result[i], set);
        for (int c = 0, all = cg_ll_copies(e, set); c < all; c++)
            e->var[x->result[i]].copy[c] =
                (cg_ll_copy){ .v = cg_ll_join(e, then->value[i][c], then->done,
                                              other->value[i][c], other->done),
                              .wide = cg_ll_is_wide(e, set) };
    }
}

/* A condition that is constant needs no branch. */
static void
if_known(cg_ll_emit *e, const cg_block *x, bool taken)
{
    branch b = { 0 };

    cg_ll_region_under(e, taken ? &x->body : &x->other, x->cond, taken);
    take_yields(e, x, !taken, &b);
    define_yields(e, x, &b, &b);
}

static void
if_uniform(cg_ll_emit *e, const cg_block *x)
{
    LLVMBasicBlockRef yes = cg_ll_block(e, "then"), no = cg_ll_block(e, "else"),
                      end = cg_ll_block(e, "end");
    branch then = { 0 }, other = { 0 };

    cg_ll_branch(e, cg_ll_uniform(e, x->cond), yes, no);
    cg_ll_region_under(e, &x->body, x->cond, true);
    take_yields(e, x, false, &then);
    then.done = LLVMGetInsertBlock(e->b);
    cg_ll_goto(e, end, no);
    cg_ll_region_under(e, &x->other, x->cond, false);
    take_yields(e, x, true, &other);
    other.done = LLVMGetInsertBlock(e->b);
    cg_ll_goto(e, end, end);
    define_yields(e, x, &then, &other);
}

/* Select the yields of a branch in the lanes that take it, those of the rest elsewhere. */
static void
select_yields(cg_ll_emit *e, const cg_block *x, LLVMValueRef **taken, LLVMValueRef **rest)
{
    const cg_ll_var *cond = &e->var[x->cond];

    for (int i = 0; i < x->n; i++) {
        const uint32_t set = e->divergence[x->result[i]];
        for (int c = 0, all = cg_ll_copies(e, set); c < all; c++) {
            cg_ll_seek(e, set, c);
            taken[i][c] =
                LLVMBuildSelect(e->b, cg_ll_at(e, cond)->v, taken[i][c], rest[i][c], "");
        }
    }
}

/* Run a region under mask m if any lane is active in it.  The yields are phis: where the region
 * was skipped they are those of `rest`, which are selected in the lanes that do not take it, so
 * that what skips it selects nothing; without `rest` they are zero there, and the caller then
 * selects no lane of them. */
static void
run_masked(cg_ll_emit *e, const cg_block *x, bool other, const cg_ll_mask *m,
           const branch *rest, branch *b)
{
    const cg_region *r = other ? &x->other : &x->body;
    const cg_ll_mask *outer = e->mask;

    if (r->n == 0) {
        take_yields(e, x, other, b);
        return;
    }
    LLVMBasicBlockRef some = cg_ll_block(e, "some"), end = cg_ll_block(e, "none");
    LLVMValueRef any = cg_ll_any(e, &m->lanes);
    b->skipped = LLVMGetInsertBlock(e->b);
    cg_ll_branch(e, any, some, end);
    e->mask = m;
    cg_ll_region(e, r);
    e->mask = outer;
    take_yields(e, x, other, b);
    if (rest)
        select_yields(e, x, b->value, rest->value);
    b->done = LLVMGetInsertBlock(e->b);
    cg_ll_goto(e, end, end);
    for (int i = 0; i < x->n; i++)
        for (int c = 0, all = cg_ll_copies(e, e->divergence[x->result[i]]); c < all; c++) {
            LLVMValueRef v = b->value[i][c],
                         skipped = rest ? rest->value[i][c] : LLVMConstNull(LLVMTypeOf(v));
            b->value[i][c] = cg_ll_join(e, skipped, b->skipped, v, b->done);
        }
}

static void
if_varying(cg_ll_emit *e, const cg_block *x)
{
    const cg_ll_var *cond = &e->var[x->cond];
    branch then = { 0 }, other = { 0 };

    const cg_applied *yes = cg_apply(e->ranges, x->cond, true),
                     *no = cg_apply(e->ranges, x->cond, false);

    /* a branch without code yields values from outside */
    const bool alone = x->body.n > 0 && x->other.n == 0;
    if (alone)
        take_yields(e, x, true, &other);
    run_masked(e, x, false, cg_ll_mask_and(e, e->mask, cond, false, yes), alone ? &other : NULL,
               &then);
    if (!alone) {
        run_masked(e, x, true, cg_ll_mask_and(e, e->mask, cond, true, no), NULL, &other);
        select_yields(e, x, then.value, other.value);
    }
    for (int i = 0; i < x->n; i++) {
        uint32_t set = e->divergence[x->result[i]];
        cg_ll_define(e, x->result[i], set);
        for (int c = 0, all = cg_ll_copies(e, set); c < all; c++) {
            cg_ll_seek(e, set, c);
            cg_ll_set(e, x->result[i],
                      (cg_ll_copy){ .v = then.value[i][c], .wide = cg_ll_is_wide(e, set) });
        }
    }
}

void
cg_ll_if(cg_ll_emit *e, cg_val v)
{
    const cg_block *x = e->k->insn[v].block;

    LLVMValueRef known = e->var[x->cond].set == 0 ? cg_ll_uniform(e, x->cond) : NULL;

    if (known && LLVMIsAConstantInt(known))
        if_known(e, x, LLVMConstIntGetZExtValue(known) != 0);
    else if (known)
        if_uniform(e, x);
    else
        if_varying(e, x);
}

/* -- while -- */

/* The carried values of a while: the copies of each, in one list. */
typedef struct carries {
    int n;
    LLVMValueRef *phi, *next;
} carries;

static carries
begin_carries(cg_ll_emit *e, const cg_block *x, LLVMBasicBlockRef head)
{
    carries k = { 0 };
    LLVMValueRef *init;
    LLVMBasicBlockRef before;

    for (int i = 0; i < x->n; i++)
        k.n += cg_ll_copies(e, e->divergence[x->yield[i].carried]);
    init = IR_NEW_N(e->arena, LLVMValueRef, k.n + 1);
    k.phi = IR_NEW_N(e->arena, LLVMValueRef, k.n + 1);
    k.next = IR_NEW_N(e->arena, LLVMValueRef, k.n + 1);
    for (int i = 0, n = 0; i < x->n; i++) {
        take(e, x->yield[i].init, e->divergence[x->yield[i].carried], init + n);
        n += cg_ll_copies(e, e->divergence[x->yield[i].carried]);
    }
    before = LLVMGetInsertBlock(e->b);
    cg_ll_goto(e, head, head);
    for (int j = 0; j < k.n; j++) {
        k.phi[j] = cg_ll_phi(e, LLVMTypeOf(init[j]), "", init[j], before);
    }
    for (int i = 0, n = 0; i < x->n; i++) {
        cg_val v = x->yield[i].carried;
        uint32_t set = e->divergence[v];
        cg_ll_define(e, v, set);
        for (int c = 0, all = cg_ll_copies(e, set); c < all; c++, n++)
            e->var[v].copy[c] = (cg_ll_copy){ .v = k.phi[n], .wide = cg_ll_is_wide(e, set) };
    }
    return k;
}

static void
next_carries(cg_ll_emit *e, const cg_block *x, carries *k, const cg_ll_mask *active)
{
    for (int i = 0, n = 0; i < x->n; i++) {
        uint32_t set = e->divergence[x->yield[i].carried];
        take(e, x->yield[i].value, set, k->next + n);
        for (int c = 0, all = cg_ll_copies(e, set); c < all; c++, n++) {
            if (!active)
                continue;
            cg_ll_seek(e, set, c);
            k->next[n] = LLVMBuildSelect(
                e->b, cg_ll_as(e, *cg_ll_at(e, &active->lanes), cg_ll_is_wide(e, set)),
                k->next[n], k->phi[n], "");
        }
    }
}

static void
while_uniform(cg_ll_emit *e, const cg_block *x)
{
    LLVMBasicBlockRef head = cg_ll_block(e, "while"), body = cg_ll_block(e, "do"),
                      end = cg_ll_block(e, "end"), last;
    carries k = begin_carries(e, x, head);

    cg_ll_region(e, &x->other);
    cg_ll_branch(e, cg_ll_uniform(e, x->cond), body, end);
    cg_ll_check_cancel(e);
    cg_ll_region_under(e, &x->body, x->cond, true);
    next_carries(e, x, &k, NULL);
    last = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, head);
    for (int j = 0; j < k.n; j++)
        LLVMAddIncoming(k.phi[j], &k.next[j], &last, 1);
    LLVMPositionBuilderAtEnd(e->b, end);
}

/* The mask of lanes that take another step, which the loop carries. */
typedef struct active {
    cg_ll_mask mask;
    LLVMValueRef *phi, *first;
    int n;
} active;

/* Before the loop every lane is active that is active around it. */
static active
active_before(cg_ll_emit *e, const cg_block *x, const cg_ll_mask *outer)
{
    const uint32_t set = e->divergence[x->cond] | (outer ? outer->lanes.set : 0);
    const bool wide = cg_ll_is_wide(e, set);
    active a = { .n = cg_ll_copies(e, set) };

    a.phi = IR_NEW_N(e->arena, LLVMValueRef, a.n);
    a.first = IR_NEW_N(e->arena, LLVMValueRef, a.n);
    a.mask.lanes = (cg_ll_var){ .set = set, .copy = IR_NEW_N(e->arena, cg_ll_copy, a.n) };
    a.mask.by = outer ? outer->by : NULL;
    for (int c = 0; c < a.n; c++) {
        cg_ll_seek(e, set, c);
        a.first[c] = outer ? cg_ll_as(e, *cg_ll_at(e, &outer->lanes), wide)
                           : LLVMConstAllOnes(cg_ll_wide(e, e->l->i1, wide));
        a.mask.lanes.copy[c].wide = wide;
    }
    return a;
}

static void
begin_active(cg_ll_emit *e, active *a, LLVMBasicBlockRef before)
{
    for (int c = 0; c < a->n; c++) {
        a->phi[c] = cg_ll_phi(e, LLVMTypeOf(a->first[c]), "active", a->first[c], before);
        a->mask.lanes.copy[c].v = a->phi[c];
    }
}

static void
while_varying(cg_ll_emit *e, const cg_block *x)
{
    const cg_ll_mask *outer = e->mask;
    LLVMBasicBlockRef head = cg_ll_block(e, "while"), body = cg_ll_block(e, "do"),
                      end = cg_ll_block(e, "end");
    active a = active_before(e, x, outer);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b), last;
    carries k = begin_carries(e, x, head);

    begin_active(e, &a, before);
    e->mask = &a.mask;
    cg_ll_region(e, &x->other);
    cg_ll_mask *go =
        cg_ll_mask_and(e, &a.mask, &e->var[x->cond], false, cg_apply(e->ranges, x->cond, true));
    cg_ll_branch(e, cg_ll_any(e, &go->lanes), body, end);
    cg_ll_check_cancel(e);
    e->mask = go;
    cg_ll_region(e, &x->body);
    next_carries(e, x, &k, go);
    last = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, head);
    for (int j = 0; j < k.n; j++)
        LLVMAddIncoming(k.phi[j], &k.next[j], &last, 1);
    for (int c = 0; c < a.n; c++) {
        cg_ll_seek(e, a.mask.lanes.set, c);
        LLVMValueRef next = cg_ll_as(e, *cg_ll_at(e, &go->lanes), a.mask.lanes.copy[c].wide);
        LLVMAddIncoming(a.phi[c], &next, &last, 1);
    }
    LLVMPositionBuilderAtEnd(e->b, end);
    e->mask = outer;
}

void
cg_ll_while(cg_ll_emit *e, cg_val v)
{
    const cg_block *x = e->k->insn[v].block;

    if (e->divergence[x->cond] == 0)
        while_uniform(e, x);
    else
        while_varying(e, x);
    for (int i = 0; i < x->n; i++)
        e->var[x->result[i]] = e->var[x->yield[i].carried];
}

/* -- slow paths -- */

/* A slow path as a function, emitted once: slow_path.N(out, wants, in ..., lanes) computes
 *
 *     out[l] = program(in[l] ...)    where the byte wants[l] is not 0
 *
 * The program is large and hardly ever called, and as vector code it would take longer to
 * compile than the rest of the kernel.  So the function is scalar and not optimised, and
 * contains the loop over lanes, which leaves a few stores and a call at each use. */
typedef struct slow_path {
    const ir_sc_program *program;
    LLVMValueRef fn;
} slow_path;

static LLVMTypeRef
slow_path_type(const cg_ll_module *l, const ir_sc_program *p)
{
    LLVMTypeRef in[7];
    int n = 0;

    for (int i = 0; i < p->n_in + 2; i++)
        in[n++] = l->ptr;
    in[n++] = l->i64;
    return LLVMFunctionType(l->none, in, (unsigned)n, 0);
}

static LLVMValueRef
declare_slow_path(cg_ll_emit *e, const ir_sc_program *p)
{
    static const char *const kind[] = { "cold", "noinline", "optnone" };
    cg_ll_module *l = e->l;
    LLVMValueRef fn = cg_ll_function(l, ir_format(e->arena, "slow_path.%u", l->n_shared),
                                     slow_path_type(l, p), false);

    for (int i = 0; i < 3; i++) {
        unsigned id = LLVMGetEnumAttributeKindForName(kind[i], strlen(kind[i]));
        LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(l->llvm, id, 0));
    }
    return fn;
}

static LLVMValueRef
lane_address(cg_ll_emit *e, const slow_path *r, int param, cot_dtype t, LLVMValueRef lane)
{
    return LLVMBuildInBoundsGEP2(e->b, cg_ll_storage(e->l, t),
                                 LLVMGetParam(r->fn, (unsigned)param), &lane, 1, "");
}

static LLVMValueRef
load_lane(cg_ll_emit *e, const slow_path *r, int param, cot_dtype t, LLVMValueRef lane)
{
    LLVMValueRef x = LLVMBuildLoad2(e->b, cg_ll_storage(e->l, t),
                                    lane_address(e, r, param, t, lane), "");

    return t == COT_BOOL ? LLVMBuildTrunc(e->b, x, e->l->i1, "") : x;
}

static void
run_lane(cg_ll_emit *e, const slow_path *r, LLVMValueRef lane)
{
    const ir_sc_program *p = r->program;
    LLVMValueRef args[4];

    for (int i = 0; i < p->n_in; i++)
        args[i] = load_lane(e, r, i + 2, p->in[i], lane);
    LLVMValueRef y = cg_ll_program(e, p, args);
    if (p->type == COT_BOOL)
        y = LLVMBuildZExt(e->b, y, e->l->i8, "");
    LLVMBuildStore(e->b, y, lane_address(e, r, 0, p->type, lane));
}

static LLVMBasicBlockRef
block_of(cg_ll_emit *e, const slow_path *r, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->l->llvm, r->fn, name);
}

static void
run_lanes(cg_ll_emit *e, const slow_path *r)
{
    LLVMBasicBlockRef before = block_of(e, r, ""), head = block_of(e, r, "lane"),
                      call = block_of(e, r, "call"), next = block_of(e, r, "next"),
                      after = block_of(e, r, "after");
    LLVMValueRef zero = cg_ll_index(e, 0), n = LLVMGetLastParam(r->fn);

    LLVMPositionBuilderAtEnd(e->b, before);
    cg_ll_goto(e, head, head);
    LLVMValueRef lane = cg_ll_phi(e, e->l->i64, "lane", zero, before);
    cg_ll_branch(e, load_lane(e, r, 1, COT_BOOL, lane), call, next);
    run_lane(e, r, lane);
    cg_ll_goto(e, next, next);
    LLVMValueRef on = LLVMBuildNSWAdd(e->b, lane, cg_ll_index(e, 1), "");
    LLVMAddIncoming(lane, &on, &next, 1);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, on, n, ""), head, after);
    LLVMPositionBuilderAtEnd(e->b, after);
    LLVMBuildRetVoid(e->b);
}

/* Code of this process calls the copy in the library, if there is one. */
static LLVMValueRef
outlined(cg_ll_emit *e, const ir_sc_program *p)
{
    cg_ll_module *l = e->l;
    LLVMBasicBlockRef back = LLVMGetInsertBlock(e->b);
    char name[CG_LL_SLOW_PATH_NAME];

    if (l->in_process && cg_ll_slow_path_name(p, l->machine->avx2 && l->machine->fma64, name)) {
        LLVMValueRef fn = LLVMGetNamedFunction(l->module, name);
        return fn ? fn : LLVMAddFunction(l->module, name, slow_path_type(l, p));
    }
    for (uint32_t i = 0; i < l->n_shared; i++)
        if (l->shared[i].key == p)
            return l->shared[i].value;
    slow_path r = { .program = p, .fn = declare_slow_path(e, p) };
    IR_PUSH(l->arena, l->shared, l->n_shared, l->cap_shared, ((cg_ll_shared){ p, 0, r.fn }));
    cg_ll_scope outer = cg_ll_debug_enter(l, NULL, NULL, 0);
    run_lanes(e, &r);
    cg_ll_debug_leave(l, outer);
    LLVMPositionBuilderAtEnd(e->b, back);
    return r.fn;
}

/* Store a value to the stack, with one element for each lane; booleans become bytes. */
static LLVMValueRef
spill(cg_ll_emit *e, cot_dtype t, LLVMValueRef x, bool wide)
{
    LLVMTypeRef element = cg_ll_storage(e->l, t);
    LLVMValueRef p = cg_ll_stack(e, element, wide ? e->lanes : 1, 64);

    if (t == COT_BOOL)
        x = LLVMBuildZExt(e->b, x, cg_ll_wide(e, element, wide), "");
    LLVMBuildStore(e->b, x, p);
    return p;
}

static LLVMValueRef
slow_path_copy(cg_ll_emit *e, const cg_insn *i, LLVMValueRef otherwise, bool wide)
{
    const ir_sc_program *p = i->sub;
    cot_dtype t = (cot_dtype)i->type;
    LLVMValueRef fn = outlined(e, p), args[7];
    unsigned n = 0;

    args[n++] = spill(e, t, otherwise, wide);
    args[n++] = spill(e, COT_BOOL, cg_ll_as(e, cg_ll_get(e, i->in[0]), wide), wide);
    for (int j = 0; j < p->n_in; j++)
        args[n++] = spill(e, p->in[j], cg_ll_as(e, cg_ll_get(e, i->args[j]), wide), wide);
    args[n++] = cg_ll_index(e, wide ? e->lanes : 1);
    LLVMBuildCall2(e->b, slow_path_type(e->l, p), fn, args, n, "");
    LLVMValueRef y =
        LLVMBuildLoad2(e->b, cg_ll_wide(e, cg_ll_storage(e->l, t), wide), args[0], "");
    return t == COT_BOOL ? LLVMBuildTrunc(e->b, y, cg_ll_wide(e, e->l->i1, wide), "") : y;
}

void
cg_ll_slow_path(cg_ll_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    uint32_t set = e->divergence[v];
    bool wide = cg_ll_is_wide(e, set);
    int all = cg_ll_copies(e, set);
    LLVMValueRef *usual = IR_NEW_N(e->arena, LLVMValueRef, all),
                 *y = IR_NEW_N(e->arena, LLVMValueRef, all);
    LLVMBasicBlockRef some = cg_ll_block(e, "slow_path"), end = cg_ll_block(e, "usual"), before,
                      last;

    cg_ll_define(e, v, set);
    take(e, i->in[1], set, usual);
    LLVMValueRef any = cg_ll_any(e, &e->var[i->in[0]]);
    before = LLVMGetInsertBlock(e->b);
    cg_ll_branch(e, any, some, end);
    for (int c = 0; c < all; c++) {
        cg_ll_seek(e, set, c);
        y[c] = slow_path_copy(e, i, usual[c], wide);
    }
    last = LLVMGetInsertBlock(e->b);
    cg_ll_goto(e, end, end);
    for (int c = 0; c < all; c++)
        e->var[v].copy[c] =
            (cg_ll_copy){ .v = cg_ll_join(e, usual[c], before, y[c], last), .wide = wide };
}
