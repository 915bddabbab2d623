/* Functions of kernels, in an LLVM module.
 *
 * Each kernel but the entry is an internal function of its buffers, its parameters and, in
 * modules with parallel loops, the pool: `i32 k(ptr ..., i64 ..., ptr pool)`.  The entry is
 * `i32 f(ptr args, ptr work)`.  The natural entry has the signature of the C header: it stores
 * its pointers in an array and calls the entry. */
#include "codegen/kernel/cost.h"
#include "codegen/llvm/emit.h"
#include "ir/diag.h"

void
cg_ll_buffer_attributes(cg_ll_module *l, LLVMValueRef fn, const cg_kernel *k)
{
    unsigned at = 1;
    for (uint32_t i = 0; i < k->n_buffers; i++) {
        const cg_buffer *x = &k->buffer[i];
        if (x->space > CG_OUT)
            continue;
        if (!cg_is_aliased(x))
            cg_ll_attribute(l, fn, at, "noalias", 0);
        if (x->space == CG_IN)
            cg_ll_attribute(l, fn, at, "readonly", 0);
        cg_ll_attribute(l, fn, at, "nocapture", 0);
        cg_ll_attribute(l, fn, at, "align",
                  (uint64_t)(x->align ? x->align : (int)cot_dtype_size(x->type)));
        at++;
    }
}

static LLVMValueRef
declare_kernel(cg_ll_module *l, const cg_module *m, const cg_kernel *k, const char *entry,
               bool visible)
{
    LLVMTypeRef *in = IR_NEW_N(l->arena, LLVMTypeRef, (int)k->n_buffers + k->n_params + 1);
    unsigned n = 0;

    for (uint32_t i = 0; i < k->n_buffers; i++)
        if (k->buffer[i].space <= CG_OUT)
            in[n++] = l->ptr;
    for (int i = 0; i < k->n_params; i++)
        in[n++] = l->i64;
    if (m->parallel)
        in[n++] = l->ptr;
    LLVMValueRef fn = cg_ll_function(l, ir_format(l->arena, "%s.%s", entry, k->name),
                                     LLVMFunctionType(l->i32, in, n, 0), visible);
    cg_ll_buffer_attributes(l, fn, k);
    /* The stack of x86-64 is aligned to 16 bytes, and an access to a vector that crosses a page
     * takes several times as long as one within a cache line.  LLVM aligns spill slots further
     * only if the function requires it from the start. */
    if (l->machine->x86 && l->machine->vector_bits > 128 && cg_may_spill(k))
        cg_ll_string_attribute(l, fn, "stackrealign", "");
    return fn;
}

/* A function's buffers are its parameters; the last is its work block, if it has one. */
static void
bind_parameters(cg_ll_emit *e)
{
    unsigned at = 0;

    for (uint32_t i = 0; i < e->k->n_buffers; i++) {
        const cg_buffer *x = &e->k->buffer[i];
        if (x->space > CG_OUT)
            continue;
        e->buffer[i] = LLVMGetParam(e->fn, at++);
        LLVMSetValueName2(e->buffer[i], x->name, strlen(x->name));
    }
    for (int i = 0; i < e->k->n_params; i++)
        e->param[i] = LLVMGetParam(e->fn, at++);
    if (e->k->work)
        e->work = e->buffer[e->k->work - 1];
    if (e->m->parallel)
        e->pool = LLVMGetParam(e->fn, at);
}

static void
bind_entry(cg_ll_emit *e)
{
    cg_ll_module *l = e->l;

    e->args = LLVMGetParam(e->fn, 0);
    e->work = LLVMGetParam(e->fn, 1);
    if (!e->m->parallel)
        return;
    LLVMValueRef index = cg_ll_index(e, e->m->n_args);
    LLVMValueRef p = LLVMBuildInBoundsGEP2(e->b, l->ptr, e->args, &index, 1, "");
    e->pool = LLVMBuildLoad2(e->b, l->ptr, p, "pool");
}

LLVMBasicBlockRef
cg_ll_kernel_begin(cg_ll_emit *e)
{
    const cg_kernel *k = e->k;

    e->arena = e->l->arena;
    e->b = e->l->b;
    e->vector_level = -1;
    e->lanes = 1;
    e->divergence = cg_divergence(k, e->arena);
    e->uses = cg_count_uses(k, e->arena);
    e->var = IR_NEW_N(e->arena, cg_ll_var, k->n_insns);
    e->buffer = IR_NEW_N(e->arena, LLVMValueRef, k->n_buffers + 1);
    e->param = IR_NEW_N(e->arena, LLVMValueRef, k->n_params + 1);
    e->fills_tails = cg_fills_tails(k);
    e->ranges = cg_ranges_of(k, e->arena);
    e->allocas = cg_ll_block(e, "");
    LLVMBasicBlockRef body = cg_ll_block(e, "body");
    LLVMPositionBuilderAtEnd(e->b, body);
    return body;
}

void
cg_ll_kernel_end(cg_ll_emit *e, LLVMBasicBlockRef body)
{
    ir_loc loc;
    const char *why = cg_ranges_why(e->ranges, &loc);

    if (why) {
        e->l->errors++;
        e->l->refused = why;
        e->l->refused_at = loc;
    }
    LLVMPositionBuilderAtEnd(e->b, e->allocas);
    LLVMBuildBr(e->b, body);
}

static void
emit_kernel(cg_ll_module *l, const cg_module *m, uint32_t index, const LLVMValueRef *fn,
            const bool *can_fail)
{
    const cg_kernel *k = m->kernel[index];
    cg_ll_emit e = { .l = l,
                     .m = m,
                     .k = k,
                     .fn = fn[index],
                     .kernel_fn = fn,
                     .can_fail = can_fail };

    LLVMBasicBlockRef body = cg_ll_kernel_begin(&e);
    size_t n;
    const char *name = index          ? k->name
                       : l->in_process ? m->name
                                       /* the natural entry has the name of m */
                                       : LLVMGetValueName2(fn[0], &n);
    cg_ll_scope none = cg_ll_debug_enter(l, fn[index], name, cg_loc_of(k, 0));
    if (index)
        bind_parameters(&e);
    else
        bind_entry(&e);
    cg_ll_begin_swapped(&e);
    cg_ll_region(&e, &k->body);
    cg_ll_settle(&e);
    LLVMBuildRet(l->b, LLVMConstNull(l->i32));
    cg_ll_kernel_end(&e, body);
    cg_ll_debug_leave(l, none);
    if (index && cg_ll_is_inlined(l->ctx, l->machine, k))
        cg_ll_attribute(l, fn[index], (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                        "alwaysinline", 0);
}

bool
cg_ll_is_inlined(const cot_context *ctx, const cg_ll_machine *m, const cg_kernel *k)
{
    if (m->grid || ctx->config.perf || k->plans || k->body.n > CG_LLVM_MAX_INLINED)
        return false;
    for (uint32_t i = 0; i < k->body.n; i++)
        if (k->insn[k->body.insn[i]].block)
            return false;
    return true;
}

static bool
region_fails(const cg_ll_module *l, const cg_kernel *k, const cg_region *r,
             const bool *can_fail)
{
    for (uint32_t n = 0; n < r->n; n++) {
        const cg_insn *i = &k->insn[r->insn[n]];
        if (i->op == CG_FAIL || (i->op == CG_CALL && can_fail[i->call->kernel]) ||
            (i->op == CG_WHILE && l->in_process))
            return true;
        if (i->block && (region_fails(l, k, &i->block->body, can_fail) ||
                         region_fails(l, k, &i->block->other, can_fail)))
            return true;
    }
    return false;
}

/* Find the kernels that can return a status.  This is a fixed point, since a kernel may call
 * both earlier and later ones. */
bool *
cg_ll_find_failing(cg_ll_module *l, const cg_module *m)
{
    bool *can = IR_NEW_N(l->arena, bool, m->n_kernels + 1), grew = true;

    while (grew) {
        grew = false;
        for (uint32_t i = 0; i < m->n_kernels; i++)
            if (!can[i] && region_fails(l, m->kernel[i], &m->kernel[i]->body, can))
                can[i] = grew = true;
    }
    return can;
}

LLVMTypeRef
cg_ll_entry_type(const cg_ll_module *l)
{
    return LLVMFunctionType(l->i32, (LLVMTypeRef[]){ l->ptr, l->ptr }, 2, 0);
}

static void
store_at(cg_ll_module *l, LLVMTypeRef type, LLVMValueRef array, int i, LLVMValueRef x)
{
    LLVMValueRef at = LLVMConstInt(l->i64, (uint64_t)i, 0);

    LLVMBuildStore(l->b, x, LLVMBuildInBoundsGEP2(l->b, type, array, &at, 1, ""));
}

/* The array of the sizes, which are the first n parameters; NULL: there are none. */
static LLVMValueRef
sizes_of(cg_ll_module *l, LLVMValueRef fn, int n)
{
    LLVMValueRef sizes =
        n ? LLVMBuildAlloca(l->b, LLVMArrayType2(l->i64, (uint64_t)n), "sizes") : NULL;

    for (int i = 0; i < n; i++)
        store_at(l, l->i64, sizes, i, LLVMGetParam(fn, (unsigned)i));
    return sizes;
}

LLVMValueRef
cg_ll_begin_natural(cg_ll_module *l, const char *name, int n_args, bool parallel,
                    const cg_module *m, LLVMValueRef both[2])
{
    const int n_sizes = m ? m->n_sizes : 0, pointers = n_args + (parallel ? 1 : 0) + 1,
              n = n_sizes + pointers;
    LLVMTypeRef *in = IR_NEW_N(l->arena, LLVMTypeRef, n);

    for (int i = 0; i < n; i++)
        in[i] = i < n_sizes ? l->i64 : l->ptr;
    LLVMValueRef fn =
        cg_ll_function(l, name, LLVMFunctionType(l->i32, in, (unsigned)n, 0), true);
    LLVMPositionBuilderAtEnd(l->b, LLVMAppendBasicBlockInContext(l->llvm, fn, ""));
    if (m)
        cg_ll_debug_enter(l, fn, name, cg_loc_of(m->kernel[0], 0));
    LLVMValueRef args =
        LLVMBuildAlloca(l->b, LLVMArrayType2(l->ptr, (uint64_t)pointers + 1), "args");
    LLVMValueRef sizes = sizes_of(l, fn, n_sizes);
    for (int i = 0; i < n_args; i++)
        store_at(l, l->ptr, args, i, LLVMGetParam(fn, (unsigned)(n_sizes + i)));
    if (sizes)
        store_at(l, l->ptr, args, n_args, sizes);
    if (parallel)
        store_at(l, l->ptr, args, n_args + (sizes ? 1 : 0),
                 LLVMGetParam(fn, (unsigned)(n_sizes + n_args)));
    both[0] = args;
    both[1] = LLVMGetParam(fn, (unsigned)(n - 1));
    return fn;
}

void
cg_ll_natural_of(cg_ll_module *l, LLVMValueRef entry, const char *name, int n_args,
                 bool parallel, const cg_module *m)
{
    LLVMValueRef both[2];

    cg_ll_begin_natural(l, name, n_args, parallel, m, both);
    LLVMBuildRet(l->b, LLVMBuildCall2(l->b, cg_ll_entry_type(l), entry, both, 2, ""));
    cg_ll_debug_leave(l, (cg_ll_scope){ 0 });
}

static void
mark_called(const cg_kernel *k, const cg_region *r, bool *called)
{
    for (uint32_t n = 0; n < r->n; n++) {
        const cg_insn *i = &k->insn[r->insn[n]];
        if (i->op == CG_CALL)
            called[i->call->kernel] = true;
        if (i->block) {
            mark_called(k, &i->block->body, called);
            mark_called(k, &i->block->other, called);
        }
    }
}

cot_status
cg_ll_module_add(cg_ll_module *l, const cg_module *m, const char *entry, bool visible,
                 const char *natural, int n_args)
{
    LLVMValueRef *fn = IR_NEW_N(l->arena, LLVMValueRef, m->n_kernels + 1);
    const bool *can_fail = cg_ll_find_failing(l, m);

    l->trapping_math = m->trapping_math;
    fn[0] = cg_ll_function(l, entry, cg_ll_entry_type(l), visible);
    for (uint32_t i = 1; i < m->n_kernels; i++)
        fn[i] = declare_kernel(l, m, m->kernel[i], entry, false);
    for (uint32_t i = 0; i < m->n_kernels && !cg_ll_cancelled(l); i++)
        emit_kernel(l, m, i, fn, can_fail);
    if (natural)
        cg_ll_natural_of(l, fn[0], natural, n_args, m->parallel, m);
    return COT_OK;
}

void
cg_ll_module_add_some(cg_ll_module *l, const cg_module *m, const char *entry,
                      const bool *can_fail, const int *module_of, int module)
{
    LLVMValueRef *fn = IR_NEW_N(l->arena, LLVMValueRef, m->n_kernels + 1);
    bool *needed = IR_NEW_N(l->arena, bool, m->n_kernels + 1);

    l->trapping_math = m->trapping_math;
    for (uint32_t i = 0; i < m->n_kernels; i++)
        if (module_of[i] == module) {
            needed[i] = true;
            mark_called(m->kernel[i], &m->kernel[i]->body, needed);
        }
    for (uint32_t i = 0; i < m->n_kernels; i++)
        if (needed[i])
            fn[i] = i ? declare_kernel(l, m, m->kernel[i], entry,
                                       !cg_ll_is_inlined(l->ctx, l->machine, m->kernel[i]))
                      : cg_ll_function(l, entry, cg_ll_entry_type(l), true);
    for (uint32_t i = 0; i < m->n_kernels && !cg_ll_cancelled(l); i++)
        if (module_of[i] == module ||
            (i && needed[i] && cg_ll_is_inlined(l->ctx, l->machine, m->kernel[i])))
            emit_kernel(l, m, i, fn, can_fail);
}
