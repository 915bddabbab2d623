/* if, while and rare.
 *
 * A uniform condition is a branch.  One that varies runs a region if any active lane wants it,
 * under the mask of those that do, and selects results lane by lane. */
#include "codegen/llvm/emit.h"

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

/* m and x, or m and not x. */
cg_ll_mask *
cg_ll_mask_and(cg_ll_emit *e, const cg_ll_mask *m, const cg_ll_var *x, bool negate)
{
    cg_ll_mask *r = IR_NEW(e->arena, cg_ll_mask);
    uint32_t set = x->set | (m ? m->lanes.set : 0);
    int all = cg_ll_copies(e, set);

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

/* -- if -- */

/* The value v of a yield in every copy of `set`, all in one form. */
static void
take(cg_ll_emit *e, cg_val v, uint32_t set, LLVMValueRef *out)
{
    for (int c = 0, all = cg_ll_copies(e, set); c < all; c++) {
        cg_ll_seek(e, set, c);
        out[c] = cg_ll_as(e, cg_ll_get(e, v), cg_ll_is_wide(e, set));
    }
}

typedef struct branch {
    LLVMBasicBlockRef skipped, done; /* where the region was left out; where it ended */
    LLVMValueRef **value;            /* of each yield, its copies                     */
} branch;

static void
take_yields(cg_ll_emit *e, const cg_block *x, bool other, branch *b)
{
    b->value = IR_NEW_N(e->arena, LLVMValueRef *, x->n + 1);
    for (int i = 0; i < x->n; i++) {
        uint32_t set = e->vary[x->result[i]];
        b->value[i] = IR_NEW_N(e->arena, LLVMValueRef, cg_ll_copies(e, set));
        take(e, other ? x->yield[i].init : x->yield[i].value, set, b->value[i]);
    }
}

static LLVMValueRef
join(cg_ll_emit *e, LLVMValueRef x, LLVMBasicBlockRef from_x, LLVMValueRef y,
     LLVMBasicBlockRef from_y)
{
    if (x == y)
        return x;
    LLVMValueRef phi = LLVMBuildPhi(e->b, LLVMTypeOf(x), "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){ x, y }, (LLVMBasicBlockRef[]){ from_x, from_y }, 2);
    return phi;
}

static void
define_yields(cg_ll_emit *e, const cg_block *x, const branch *then, const branch *other)
{
    for (int i = 0; i < x->n; i++) {
        uint32_t set = e->vary[x->result[i]];
        cg_ll_define(e, x->result[i], set);
        for (int c = 0, all = cg_ll_copies(e, set); c < all; c++)
            e->var[x->result[i]].copy[c] =
                (cg_ll_copy){ .v = join(e, then->value[i][c], then->done, other->value[i][c],
                                        other->done),
                              .wide = cg_ll_is_wide(e, set) };
    }
}

/* The condition is known: there is but one side. */
static void
if_known(cg_ll_emit *e, const cg_block *x, bool taken)
{
    branch b = { 0 };

    cg_ll_region(e, taken ? &x->body : &x->other);
    take_yields(e, x, !taken, &b);
    define_yields(e, x, &b, &b);
}

static void
if_uniform(cg_ll_emit *e, const cg_block *x)
{
    LLVMBasicBlockRef yes = cg_ll_block(e, "then"), no = cg_ll_block(e, "else"),
                      end = cg_ll_block(e, "end");
    branch then = { 0 }, other = { 0 };

    LLVMBuildCondBr(e->b, cg_ll_uniform(e, x->cond), yes, no);
    LLVMPositionBuilderAtEnd(e->b, yes);
    cg_ll_region(e, &x->body);
    take_yields(e, x, false, &then);
    then.done = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, end);
    LLVMPositionBuilderAtEnd(e->b, no);
    cg_ll_region(e, &x->other);
    take_yields(e, x, true, &other);
    other.done = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, end);
    LLVMPositionBuilderAtEnd(e->b, end);
    define_yields(e, x, &then, &other);
}

/* Run a region under mask m if it has any lane; yields become phis with undefined values where
 * it was left out. */
static void
run_masked(cg_ll_emit *e, const cg_block *x, bool other, const cg_ll_mask *m, branch *b)
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
    LLVMBuildCondBr(e->b, any, some, end);
    LLVMPositionBuilderAtEnd(e->b, some);
    e->mask = m;
    cg_ll_region(e, r);
    e->mask = outer;
    take_yields(e, x, other, b);
    b->done = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, end);
    LLVMPositionBuilderAtEnd(e->b, end);
    for (int i = 0; i < x->n; i++)
        for (int c = 0, all = cg_ll_copies(e, e->vary[x->result[i]]); c < all; c++) {
            LLVMValueRef v = b->value[i][c];
            b->value[i][c] = join(e, LLVMConstNull(LLVMTypeOf(v)), b->skipped, v, b->done);
        }
}

static void
if_varying(cg_ll_emit *e, const cg_block *x)
{
    const cg_ll_var *cond = &e->var[x->cond];
    branch then = { 0 }, other = { 0 };

    run_masked(e, x, false, cg_ll_mask_and(e, e->mask, cond, false), &then);
    run_masked(e, x, true, cg_ll_mask_and(e, e->mask, cond, true), &other);
    for (int i = 0; i < x->n; i++) {
        uint32_t set = e->vary[x->result[i]];
        cg_ll_define(e, x->result[i], set);
        for (int c = 0, all = cg_ll_copies(e, set); c < all; c++) {
            cg_ll_seek(e, set, c);
            LLVMValueRef v = LLVMBuildSelect(e->b, cg_ll_at(e, cond)->v, then.value[i][c],
                                             other.value[i][c], "");
            cg_ll_set(e, x->result[i], (cg_ll_copy){ .v = v, .wide = cg_ll_is_wide(e, set) });
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

/* Carried values of a while, copy by copy in one list. */
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
        k.n += cg_ll_copies(e, e->vary[x->yield[i].carried]);
    init = IR_NEW_N(e->arena, LLVMValueRef, k.n + 1);
    k.phi = IR_NEW_N(e->arena, LLVMValueRef, k.n + 1);
    k.next = IR_NEW_N(e->arena, LLVMValueRef, k.n + 1);
    for (int i = 0, n = 0; i < x->n; i++) {
        take(e, x->yield[i].init, e->vary[x->yield[i].carried], init + n);
        n += cg_ll_copies(e, e->vary[x->yield[i].carried]);
    }
    before = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, head);
    LLVMPositionBuilderAtEnd(e->b, head);
    for (int j = 0; j < k.n; j++) {
        k.phi[j] = LLVMBuildPhi(e->b, LLVMTypeOf(init[j]), "");
        LLVMAddIncoming(k.phi[j], &init[j], &before, 1);
    }
    for (int i = 0, n = 0; i < x->n; i++) {
        cg_val v = x->yield[i].carried;
        uint32_t set = e->vary[v];
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
        uint32_t set = e->vary[x->yield[i].carried];
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
    LLVMBuildCondBr(e->b, cg_ll_uniform(e, x->cond), body, end);
    LLVMPositionBuilderAtEnd(e->b, body);
    cg_ll_region(e, &x->body);
    next_carries(e, x, &k, NULL);
    last = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, head);
    for (int j = 0; j < k.n; j++)
        LLVMAddIncoming(k.phi[j], &k.next[j], &last, 1);
    LLVMPositionBuilderAtEnd(e->b, end);
}

/* The lanes that go on: a mask that is itself carried. */
typedef struct active {
    cg_ll_mask mask;
    LLVMValueRef *phi;
    int n;
} active;

static active
begin_active(cg_ll_emit *e, const cg_block *x, const cg_ll_mask *outer,
             LLVMBasicBlockRef before)
{
    uint32_t set = e->vary[x->cond] | (outer ? outer->lanes.set : 0);
    bool wide = cg_ll_is_wide(e, set);
    active a = { .n = cg_ll_copies(e, set) };

    a.phi = IR_NEW_N(e->arena, LLVMValueRef, a.n);
    a.mask.lanes = (cg_ll_var){ .set = set, .copy = IR_NEW_N(e->arena, cg_ll_copy, a.n) };
    for (int c = 0; c < a.n; c++) {
        LLVMTypeRef t = cg_ll_wide(e, e->l->i1, wide);
        LLVMValueRef all = LLVMConstAllOnes(t);
        a.phi[c] = LLVMBuildPhi(e->b, t, "active");
        cg_ll_seek(e, set, c);
        if (outer && wide == cg_ll_at(e, &outer->lanes)->wide)
            all = cg_ll_at(e, &outer->lanes)->v;
        LLVMAddIncoming(a.phi[c], &all, &before, 1);
        a.mask.lanes.copy[c] = (cg_ll_copy){ .v = a.phi[c], .wide = wide };
    }
    return a;
}

static void
while_varying(cg_ll_emit *e, const cg_block *x)
{
    const cg_ll_mask *outer = e->mask;
    LLVMBasicBlockRef head = cg_ll_block(e, "while"), body = cg_ll_block(e, "do"),
                      end = cg_ll_block(e, "end");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b), last;
    carries k = begin_carries(e, x, head);
    active a = begin_active(e, x, outer, before);

    e->mask = &a.mask;
    cg_ll_region(e, &x->other);
    cg_ll_mask *go = cg_ll_mask_and(e, &a.mask, &e->var[x->cond], false);
    if (outer)
        go = cg_ll_mask_and(e, go, &outer->lanes, false);
    LLVMBuildCondBr(e->b, cg_ll_any(e, &go->lanes), body, end);
    LLVMPositionBuilderAtEnd(e->b, body);
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

    if (e->vary[x->cond] == 0)
        while_uniform(e, x);
    else
        while_varying(e, x);
    for (int i = 0; i < x->n; i++)
        e->var[x->result[i]] = e->var[x->yield[i].carried];
}

/* -- rare -- */

/* The program as a function of one lane, made once: it is large and hardly ever called, and in
 * the form of vectors would take longer to compile than all the rest of a kernel.  For the same
 * reason nothing is optimised in it. */
static LLVMValueRef
outlined(cg_ll_emit *e, const ir_sc_program *p)
{
    cg_ll_module *l = e->l;
    LLVMTypeRef in[4];
    LLVMValueRef args[4];

    for (uint32_t i = 0; i < l->n_shared; i++)
        if (l->shared[i].key == p)
            return l->shared[i].value;
    for (int i = 0; i < p->n_in; i++)
        in[i] = cg_ll_type(l, p->in[i]);
    LLVMTypeRef type = LLVMFunctionType(cg_ll_type(l, p->type), in, (unsigned)p->n_in, 0);
    LLVMValueRef fn =
        cg_ll_function(l, ir_format(e->arena, "rare.%u", l->n_shared), type, false);
    LLVMBasicBlockRef back = LLVMGetInsertBlock(e->b);
    static const char *const kind[] = { "cold", "noinline", "optnone" };

    for (int i = 0; i < 3; i++) {
        unsigned id = LLVMGetEnumAttributeKindForName(kind[i], strlen(kind[i]));
        LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(l->llvm, id, 0));
    }
    IR_PUSH(l->arena, l->shared, l->n_shared, l->cap_shared, ((cg_ll_shared){ p, 0, fn }));
    LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(l->llvm, fn, ""));
    for (int i = 0; i < p->n_in; i++)
        args[i] = LLVMGetParam(fn, (unsigned)i);
    LLVMBuildRet(e->b, cg_ll_program(e, p, args));
    LLVMPositionBuilderAtEnd(e->b, back);
    return fn;
}

static LLVMValueRef
call_rare(cg_ll_emit *e, const ir_sc_program *p, LLVMValueRef *args)
{
    LLVMValueRef fn = outlined(e, p);

    return LLVMBuildCall2(e->b, LLVMGlobalGetValueType(fn), fn, args, (unsigned)p->n_in, "");
}

/* A vector on the stack, lane by lane; booleans as bytes. */
static LLVMValueRef
spill(cg_ll_emit *e, LLVMValueRef x, LLVMTypeRef element)
{
    LLVMValueRef p = cg_ll_stack(e, element, e->lanes, 64);

    if (element == e->l->i8 && LLVMGetElementType(LLVMTypeOf(x)) == e->l->i1)
        x = LLVMBuildZExt(e->b, x, cg_ll_wide(e, element, true), "");
    LLVMBuildStore(e->b, x, p);
    return p;
}

static LLVMValueRef
lane_address(cg_ll_emit *e, LLVMTypeRef element, LLVMValueRef p, LLVMValueRef lane)
{
    return LLVMBuildInBoundsGEP2(e->b, element, p, &lane, 1, "");
}

static LLVMValueRef
reload(cg_ll_emit *e, cot_dtype t, LLVMValueRef p, LLVMValueRef lane)
{
    LLVMTypeRef element = cg_ll_storage(e->l, t);
    LLVMValueRef x = LLVMBuildLoad2(e->b, element, lane_address(e, element, p, lane), "");

    return t == COT_BOOL ? LLVMBuildTrunc(e->b, x, e->l->i1, "") : x;
}

/* Go through the lanes and call the program for those that want it. */
static LLVMValueRef
rare_lanes(cg_ll_emit *e, const cg_insn *i, LLVMValueRef cond, LLVMValueRef otherwise)
{
    LLVMTypeRef element = cg_ll_storage(e->l, (cot_dtype)i->type);
    LLVMBasicBlockRef before, head = cg_ll_block(e, "lane"), call = cg_ll_block(e, "call");
    LLVMBasicBlockRef next = cg_ll_block(e, "next"), after = cg_ll_block(e, "lanes");
    LLVMValueRef in[4], args[4], zero = cg_ll_index(e, 0);
    LLVMValueRef out = spill(e, otherwise, element), wants = spill(e, cond, e->l->i8);

    for (int j = 0; j < i->sub->n_in; j++)
        in[j] = spill(e, cg_ll_widen(e, cg_ll_get(e, i->args[j])),
                      cg_ll_storage(e->l, i->sub->in[j]));
    before = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, head);
    LLVMPositionBuilderAtEnd(e->b, head);
    LLVMValueRef lane = LLVMBuildPhi(e->b, e->l->i64, "lane");
    LLVMAddIncoming(lane, &zero, &before, 1);
    LLVMBuildCondBr(e->b, reload(e, COT_BOOL, wants, lane), call, next);
    LLVMPositionBuilderAtEnd(e->b, call);
    for (int j = 0; j < i->sub->n_in; j++)
        args[j] = reload(e, i->sub->in[j], in[j], lane);
    LLVMValueRef y = call_rare(e, i->sub, args);
    if (i->type == COT_BOOL)
        y = LLVMBuildZExt(e->b, y, e->l->i8, "");
    LLVMBuildStore(e->b, y, lane_address(e, element, out, lane));
    LLVMBuildBr(e->b, next);
    LLVMPositionBuilderAtEnd(e->b, next);
    LLVMValueRef on = LLVMBuildNSWAdd(e->b, lane, cg_ll_index(e, 1), "");
    LLVMAddIncoming(lane, &on, &next, 1);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, on, cg_ll_index(e, e->lanes), ""),
                    head, after);
    LLVMPositionBuilderAtEnd(e->b, after);
    LLVMValueRef all = LLVMBuildLoad2(e->b, cg_ll_wide(e, element, true), out, "");
    return i->type == COT_BOOL ? LLVMBuildTrunc(e->b, all, cg_ll_wide(e, e->l->i1, true), "")
                               : all;
}

static LLVMValueRef
rare_copy(cg_ll_emit *e, const cg_insn *i, LLVMValueRef otherwise, bool wide)
{
    LLVMValueRef args[4], cond = cg_ll_as(e, cg_ll_get(e, i->in[0]), wide);

    if (wide)
        return rare_lanes(e, i, cond, otherwise);
    for (int j = 0; j < i->sub->n_in; j++)
        args[j] = cg_ll_get(e, i->args[j]).v;
    return LLVMBuildSelect(e->b, cond, call_rare(e, i->sub, args), otherwise, "");
}

void
cg_ll_rare(cg_ll_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    uint32_t set = e->vary[v];
    bool wide = cg_ll_is_wide(e, set);
    int all = cg_ll_copies(e, set);
    LLVMValueRef *usual = IR_NEW_N(e->arena, LLVMValueRef, all),
                 *y = IR_NEW_N(e->arena, LLVMValueRef, all);
    LLVMBasicBlockRef some = cg_ll_block(e, "rare"), end = cg_ll_block(e, "usual"), before,
                      last;

    cg_ll_define(e, v, set);
    take(e, i->in[1], set, usual);
    LLVMValueRef any = cg_ll_any(e, &e->var[i->in[0]]);
    before = LLVMGetInsertBlock(e->b);
    LLVMBuildCondBr(e->b, any, some, end);
    LLVMPositionBuilderAtEnd(e->b, some);
    for (int c = 0; c < all; c++) {
        cg_ll_seek(e, set, c);
        y[c] = rare_copy(e, i, usual[c], wide);
    }
    last = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, end);
    LLVMPositionBuilderAtEnd(e->b, end);
    for (int c = 0; c < all; c++)
        e->var[v].copy[c] =
            (cg_ll_copy){ .v = join(e, usual[c], before, y[c], last), .wide = wide };
}
