/* Parallel loops and calls of kernels.
 *
 * The body of a parallel loop becomes a function of a context and a range of iterations, which
 * cot_parallel runs.  The context is an array of 8-byte words on the caller's stack: the
 * status, then the buffers, the arrays of partial results, and the values from outside of the
 * loop.  An iteration that yields to a tree stores its element in such an array, and the
 * elements are combined after the loop.  The result therefore does not depend on which thread
 * ran an iteration. */
#include "codegen/llvm/emit.h"

typedef struct outline {
    const cg_block *x;
    cg_val *capture; /* values from outside of the loop */
    uint32_t n, cap;
    LLVMValueRef *partial; /* for each yield, the array of its elements */
    LLVMValueRef context;
    int words;
} outline;

/* -- returning early, and calls -- */

void
cg_ll_leave_if(cg_ll_emit *e, LLVMValueRef cond, LLVMValueRef status)
{
    LLVMBasicBlockRef leave = cg_ll_block(e, "leave"), on = cg_ll_block(e, "on");

    cg_ll_branch(e, cond, leave, on);
    if (e->status) {
        /* Several threads may fail at once; any of their statuses may be returned. */
        LLVMValueRef s = LLVMBuildStore(e->b, status, e->status);
        LLVMSetOrdering(s, LLVMAtomicOrderingMonotonic);
        LLVMSetAlignment(s, 4);
        LLVMBuildRetVoid(e->b);
    } else
        LLVMBuildRet(e->b, status);
    LLVMPositionBuilderAtEnd(e->b, on);
}

void
cg_ll_leave_with(cg_ll_emit *e, LLVMValueRef status)
{
    cg_ll_leave_if(e, LLVMBuildICmp(e->b, LLVMIntNE, status, LLVMConstNull(e->l->i32), ""),
                   status);
}

void
cg_ll_check_cancel(cg_ll_emit *e)
{
    if (!e->l->in_process)
        return;
    LLVMValueRef at = LLVMGetNamedGlobal(e->l->module, CG_LL_CANCELLED);
    if (!at)
        at = LLVMAddGlobal(e->l->module, e->l->i32, CG_LL_CANCELLED);
    LLVMValueRef flag = LLVMBuildLoad2(e->b, e->l->i32, at, "cancelled");
    LLVMSetOrdering(flag, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(flag, 4);
    LLVMSetVolatile(flag, 1);
    cg_ll_leave_if(e, LLVMBuildICmp(e->b, LLVMIntNE, flag, LLVMConstNull(e->l->i32), ""),
                   LLVMConstInt(e->l->i32, COT_ERR_CANCELLED, 0));
}

void
cg_ll_call(cg_ll_emit *e, cg_val v)
{
    const cg_call *c = e->k->insn[v].call;
    LLVMValueRef fn = e->kernel_fn[c->kernel];
    LLVMValueRef *args = IR_NEW_N(e->arena, LLVMValueRef, c->n_buffers + c->n_params + 1);
    unsigned n = 0;

    if (e->k->plans)
        cg_ll_check_cancel(e);
    for (int i = 0; i < c->n_buffers; i++) {
        LLVMValueRef p = cg_ll_buffer(e, c->buffer[i]);
        if (c->offset[i]) {
            LLVMValueRef at = cg_ll_uniform(e, c->offset[i]);
            p = LLVMBuildInBoundsGEP2(
                e->b, cg_ll_storage(e->l, e->k->buffer[c->buffer[i]].type), p, &at, 1, "");
        }
        args[n++] = p;
    }
    for (int i = 0; i < c->n_params; i++)
        args[n++] = cg_ll_uniform(e, c->param[i]);
    if (e->m->parallel)
        args[n++] = e->pool ? e->pool : LLVMConstNull(e->l->ptr);
    LLVMValueRef status = LLVMBuildCall2(e->b, LLVMGlobalGetValueType(fn), fn, args, n, "");
    if (e->can_fail[c->kernel])
        cg_ll_leave_with(e, status);
}

/* -- values from outside of the body -- */

typedef struct capturing {
    cg_ll_emit *e;
    outline *o;
} capturing;

static void
capture(void *user, cg_val v)
{
    const capturing *c = user;
    cg_ll_emit *e = c->e;
    outline *o = c->o;

    if (e->var[v].copy == NULL || LLVMIsConstant(e->var[v].copy[0].v))
        return;
    for (uint32_t i = 0; i < o->n; i++)
        if (o->capture[i] == v)
            return;
    IR_PUSH(e->arena, o->capture, o->n, o->cap, v);
}

static LLVMValueRef
word(cg_ll_emit *e, LLVMValueRef context, int at)
{
    LLVMValueRef i = cg_ll_index(e, at);

    return LLVMBuildInBoundsGEP2(e->b, e->l->i64, context, &i, 1, "");
}

static bool
is_passed(const cg_ll_emit *e, uint32_t buffer)
{
    return e->k->buffer[buffer].space != CG_LOCAL && e->k->buffer[buffer].space != CG_CONST;
}

/* Write the context (in the caller), or read it (in the body, which then has its own copies of
 * the values, and of the addresses that buffers have there). */
static void
pass_context(cg_ll_emit *e, outline *o, bool write, LLVMValueRef context)
{
    int at = 1;

    for (uint32_t i = 0; i < e->k->n_buffers; i++)
        if (is_passed(e, i)) {
            LLVMValueRef p = word(e, context, at++);
            if (write)
                LLVMBuildStore(e->b, cg_ll_buffer(e, i), p);
            else
                e->buffer[i] = LLVMBuildLoad2(e->b, e->l->ptr, p, "");
        }
    for (int i = 0; i < o->x->n; i++) {
        LLVMValueRef p = word(e, context, at++);
        if (write)
            LLVMBuildStore(e->b, o->partial[i], p);
        else
            o->partial[i] = LLVMBuildLoad2(e->b, e->l->ptr, p, "");
    }
    for (uint32_t i = 0; i < o->n; i++) {
        LLVMValueRef p = word(e, context, at++), v = e->var[o->capture[i]].copy[0].v;
        if (write)
            LLVMBuildStore(e->b, v, p);
        else {
            cg_ll_define(e, o->capture[i], 0);
            e->var[o->capture[i]].copy[0] =
                cg_ll_scalar(LLVMBuildLoad2(e->b, LLVMTypeOf(v), p, ""));
        }
    }
    o->words = at;
}

/* -- the body -- */

static void
store_partials(cg_ll_emit *e, const outline *o, LLVMValueRef i)
{
    for (int j = 0; j < o->x->n; j++) {
        const cg_yield *y = &o->x->yield[j];
        LLVMTypeRef t = cg_ll_type(e->l, y->type);
        LLVMBuildStore(e->b, cg_ll_uniform(e, y->value),
                       LLVMBuildInBoundsGEP2(e->b, t, o->partial[j], &i, 1, ""));
    }
}

/* A loop over lo <= i < hi. */
typedef struct counted {
    LLVMBasicBlockRef head, end;
    LLVMValueRef i, hi;
} counted;

static counted
counted_begin(cg_ll_emit *e, const char *name, const char *end, LLVMValueRef lo,
              LLVMValueRef hi)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b);
    counted w = { .head = cg_ll_block(e, name), .hi = hi };

    w.end = cg_ll_block(e, end);
    cg_ll_branch(e, LLVMBuildICmp(e->b, LLVMIntSLT, lo, hi, ""), w.head, w.end);
    w.i = cg_ll_phi(e, e->l->i64, "", lo, before);
    return w;
}

static void
counted_end(cg_ll_emit *e, const counted *w)
{
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->b);
    LLVMValueRef next = LLVMBuildNSWAdd(e->b, w->i, cg_ll_index(e, 1), "");

    LLVMAddIncoming(w->i, &next, &last, 1);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, next, w->hi, ""), w->head, w->end);
    LLVMPositionBuilderAtEnd(e->b, w->end);
}

static void
emit_range(cg_ll_emit *e, const outline *o, LLVMValueRef lo, LLVMValueRef hi)
{
    const cg_block *x = o->x;
    const counted w = counted_begin(e, "part", "end", lo, hi);

    LLVMValueRef at = LLVMBuildMul(e->b, w.i, cg_ll_index(e, x->step), "");
    cg_ll_define(e, x->var, 0);
    e->var[x->var].copy[0] = cg_ll_scalar(LLVMBuildAdd(e->b, at, cg_ll_uniform(e, x->lo), ""));
    cg_ll_region(e, &x->body);
    store_partials(e, o, w.i);
    counted_end(e, &w);
    cg_ll_settle(e);
    LLVMBuildRetVoid(e->b);
}

static LLVMValueRef
emit_outlined(cg_ll_emit *outer, outline *o)
{
    cg_ll_emit inner = *outer, *e = &inner;
    cg_ll_module *l = e->l;
    LLVMTypeRef type =
        LLVMFunctionType(l->none, (LLVMTypeRef[]){ l->ptr, l->i64, l->i64 }, 3, 0);
    LLVMBasicBlockRef back = LLVMGetInsertBlock(e->b);
    cg_ll_var *saved = IR_NEW_N(e->arena, cg_ll_var, o->n + 1);
    LLVMValueRef *partial = o->partial;

    e->fn = cg_ll_function(l, ir_format(e->arena, "%s.part.%d", e->k->name, l->serial++), type,
                           false);
    e->allocas = cg_ll_block(e, "");
    LLVMBasicBlockRef body = cg_ll_block(e, "body");
    e->buffer = IR_NEW_N(e->arena, LLVMValueRef, e->k->n_buffers + 1);
    e->address = NULL; /* no buffer is exchanged in the body */
    e->sink = e->pool = e->args = e->work = NULL;
    e->streams = false;
    o->partial = IR_NEW_N(e->arena, LLVMValueRef, o->x->n + 1);
    for (uint32_t i = 0; i < o->n; i++)
        saved[i] = e->var[o->capture[i]];
    LLVMPositionBuilderAtEnd(e->b, body);
    cg_ll_scope around = cg_ll_debug_enter(l, e->fn, e->k->name, e->k->insn[o->x->var].loc);
    e->status = LLVMGetParam(e->fn, 0);
    pass_context(e, o, false, e->status);
    emit_range(e, o, LLVMGetParam(e->fn, 1), LLVMGetParam(e->fn, 2));
    LLVMPositionBuilderAtEnd(e->b, e->allocas);
    LLVMBuildBr(e->b, body);
    cg_ll_debug_leave(l, around);
    for (uint32_t i = 0; i < o->n; i++)
        e->var[o->capture[i]] = saved[i];
    o->partial = partial;
    LLVMPositionBuilderAtEnd(e->b, back);
    return e->fn;
}

/* -- the caller -- */

static LLVMValueRef
count_of(cg_ll_emit *e, const cg_block *x)
{
    LLVMValueRef span =
        LLVMBuildSub(e->b, cg_ll_uniform(e, x->hi), cg_ll_uniform(e, x->lo), "");

    span = LLVMBuildAdd(e->b, span, cg_ll_index(e, x->step - 1), "");
    span = LLVMBuildSDiv(e->b, span, cg_ll_index(e, x->step), "");
    return cg_ll_intrinsic(e->l, e->b, "llvm.smax", 1, &e->l->i64, 2,
                           (LLVMValueRef[]){ span, cg_ll_index(e, 0) });
}

static void
run(cg_ll_emit *e, LLVMValueRef body, LLVMValueRef context, LLVMValueRef n)
{
    cg_ll_module *l = e->l;
    LLVMValueRef direct[3] = { context, cg_ll_index(e, 0), n };

    if (e->pool == NULL) {
        LLVMBuildCall2(e->b, LLVMGlobalGetValueType(body), body, direct, 3, "");
        return;
    }
    LLVMBasicBlockRef one = cg_ll_block(e, "one"), many = cg_ll_block(e, "many"),
                      end = cg_ll_block(e, "end");
    cg_ll_branch(e, LLVMBuildICmp(e->b, LLVMIntEQ, e->pool, LLVMConstNull(l->ptr), ""), one,
                 many);
    LLVMBuildCall2(e->b, LLVMGlobalGetValueType(body), body, direct, 3, "");
    cg_ll_goto(e, end, many);
    LLVMTypeRef type = LLVMFunctionType(
        l->none, (LLVMTypeRef[]){ l->ptr, l->ptr, l->ptr, l->i64, l->i64 }, 5, 0);
    LLVMValueRef run_all = LLVMBuildLoad2(e->b, l->ptr, e->pool, "run");
    LLVMBuildCall2(e->b, type, run_all,
                   (LLVMValueRef[]){ e->pool, body, context, n, cg_ll_index(e, 1) }, 5, "");
    cg_ll_goto(e, end, end);
}

/* Combine the elements that the iterations stored, by a tree in a serial loop. */
static void
combine_partials(cg_ll_emit *e, const outline *o, LLVMValueRef n, int64_t extent)
{
    const cg_block *x = o->x;
    LLVMValueRef *v = IR_NEW_N(e->arena, LLVMValueRef, x->n + 1);
    cg_ll_tree tree = cg_ll_tree_begin(e, x, extent);
    const counted w = counted_begin(e, "join", "joined", cg_ll_index(e, 0), n);

    for (int j = 0; j < x->n; j++) {
        LLVMTypeRef t = cg_ll_type(e->l, x->yield[j].type);
        v[j] = LLVMBuildLoad2(
            e->b, t, LLVMBuildInBoundsGEP2(e->b, t, o->partial[j], (LLVMValueRef *)&w.i, 1, ""),
            "");
    }
    cg_ll_tree_push(e, &tree, w.i, v);
    counted_end(e, &w);
    cg_ll_tree_end(e, &tree, n);
}

void
cg_ll_parallel(cg_ll_emit *e, cg_val v)
{
    const cg_block *x = e->k->insn[v].block;
    outline o = { .x = x, .partial = IR_NEW_N(e->arena, LLVMValueRef, x->n + 1) };
    capturing c = { e, &o };
    const int64_t extent = cg_extent(e->k, x);

    capture(&c, x->lo);
    for (int i = 0; i < x->n; i++)
        capture(&c, x->yield[i].value);
    for (uint32_t i = 0; i < x->body.n; i++)
        cg_each_use(e->k, x->body.insn[i], capture, &c);
    for (int i = 0; i < x->n; i++)
        o.partial[i] =
            cg_ll_stack(e, cg_ll_type(e->l, x->yield[i].type), extent > 0 ? extent : 1, 64);
    o.context = cg_ll_stack(e, e->l->i64, (int64_t)(1 + e->k->n_buffers + o.n) + x->n, 16);
    LLVMBuildStore(e->b, LLVMConstNull(e->l->i64), o.context);
    pass_context(e, &o, true, o.context);
    LLVMValueRef body = emit_outlined(e, &o), n = count_of(e, x);
    run(e, body, o.context, n);
    LLVMValueRef status = LLVMBuildLoad2(e->b, e->l->i32, o.context, "");
    cg_ll_leave_with(e, status);
    if (x->n)
        combine_partials(e, &o, n, extent);
}
