/* Kernels as PTX: the loops of grid.h, by LLVM's NVPTX target.
 *
 * A thread loop creates no loop: its variable is the thread's number, and its body is a branch
 * for the participating threads.  A fold over lanes is five butterfly shuffles: since the
 * operations commute, every lane gets the bits that a fold by halves gives, and absent lanes
 * hold the neutral element, which is exact.  A tree over warps goes through shared memory.
 * Code outside of thread loops is executed by every thread, but its stores only by the first
 * thread of the block or of the warp.
 *
 * No library is used: arithmetic is IEEE's (.rn, no fused products except fma, no flush to
 * zero), and elementary functions are the programs of ir/math.  The emitter uses generic
 * pointers, and LLVM infers their memory. */
#include "codegen/kernel/grid.h"
#include "codegen/llvm/emit.h"

enum { GLOBAL = 1, KERNEL_CALL = 71 };

static void
barrier(cg_ll_emit *e)
{
    LLVMValueRef all = LLVMConstAllOnes(e->l->i32);

    if (e->thread_kind == CG_WARPS)
        cg_ll_intrinsic(e->l, e->b, "llvm.nvvm.bar.warp.sync", 0, NULL, 1, &all);
    else
        cg_ll_intrinsic(e->l, e->b, "llvm.nvvm.barrier0", 0, NULL, 0, NULL);
}

void
cg_ll_barrier(cg_ll_emit *e)
{
    barrier(e);
}

/* -- folds --------------------------------------------------------------------------------- */

/* The word of the lane whose number differs in the bit `bit`. */
static LLVMValueRef
shuffle_word(cg_ll_emit *e, LLVMValueRef x, int bit)
{
    return cg_ll_intrinsic(e->l, e->b, "llvm.nvvm.shfl.sync.bfly.i32", 0, NULL, 4,
                           (LLVMValueRef[]){ LLVMConstAllOnes(e->l->i32), x,
                                             LLVMConstInt(e->l->i32, (uint64_t)bit, 0),
                                             LLVMConstInt(e->l->i32, CG_WARP - 1, 0) });
}

static LLVMValueRef
shuffle(cg_ll_emit *e, cot_dtype t, LLVMValueRef x, int bit)
{
    LLVMTypeRef own = LLVMTypeOf(x), word = e->l->i32;
    LLVMBuilderRef b = e->b;
    const int bits = t == COT_BOOL ? 1 : ir_bits(t);

    if (bits == 64) {
        LLVMValueRef whole = LLVMBuildBitCast(b, x, e->l->i64, ""), shift = cg_ll_index(e, 32);
        LLVMValueRef low = shuffle_word(e, LLVMBuildTrunc(b, whole, word, ""), bit);
        LLVMValueRef high = shuffle_word(
            e, LLVMBuildTrunc(b, LLVMBuildLShr(b, whole, shift, ""), word, ""), bit);
        high = LLVMBuildShl(b, LLVMBuildZExt(b, high, e->l->i64, ""), shift, "");
        return LLVMBuildBitCast(
            b, LLVMBuildOr(b, high, LLVMBuildZExt(b, low, e->l->i64, ""), ""), own, "");
    }
    if (bits == 32)
        return LLVMBuildBitCast(b, shuffle_word(e, LLVMBuildBitCast(b, x, word, ""), bit), own,
                                "");
    return LLVMBuildTrunc(b, shuffle_word(e, LLVMBuildZExt(b, x, word, ""), bit), own, "");
}

static LLVMValueRef
combine(cg_ll_emit *e, const cg_yield *y, LLVMValueRef a, LLVMValueRef b)
{
    return cg_ll_op(e, y->combine, y->type, y->type, (LLVMValueRef[]){ a, b });
}

static LLVMValueRef
fold_lanes(cg_ll_emit *e, const cg_yield *y, LLVMValueRef x)
{
    for (int h = CG_WARP / 2; h > 0; h /= 2)
        x = combine(e, y, x, shuffle(e, y->type, x, h));
    return x;
}

/* The tree over the results of the warps; every thread gets its value. */
static LLVMValueRef
tree_of_warps(cg_ll_emit *e, const cg_yield *y, LLVMValueRef x, int64_t n)
{
    LLVMTypeRef t = cg_ll_storage(e->l, y->type);
    LLVMValueRef at = cg_ll_shared_array(e, t, n, 16), part[CG_WARP];
    LLVMBasicBlockRef put = cg_ll_block(e, "put"), on = cg_ll_block(e, "on");
    LLVMValueRef warp = LLVMBuildLShr(e->b, cg_ll_thread(e), cg_ll_index(e, 5), "");
    LLVMValueRef first = LLVMBuildICmp(e->b, LLVMIntEQ, cg_ll_lane(e), cg_ll_index(e, 0), "");
    LLVMValueRef here = LLVMBuildICmp(e->b, LLVMIntSLT, warp, cg_ll_index(e, n), "");

    if (y->type == COT_BOOL)
        x = LLVMBuildZExt(e->b, x, t, "");
    cg_ll_branch(e, LLVMBuildAnd(e->b, first, here, ""), put, on);
    LLVMBuildStore(e->b, x, LLVMBuildInBoundsGEP2(e->b, t, at, &warp, 1, ""));
    cg_ll_goto(e, on, on);
    barrier(e);
    for (int64_t i = 0; i < n; i++) {
        LLVMValueRef k = cg_ll_index(e, i);
        part[i] = LLVMBuildLoad2(e->b, t, LLVMBuildInBoundsGEP2(e->b, t, at, &k, 1, ""), "");
        if (y->type == COT_BOOL)
            part[i] = LLVMBuildTrunc(e->b, part[i], e->l->i1, "");
    }
    barrier(e);
    for (int64_t s = 1; s < n; s *= 2)
        for (int64_t i = 0; i + s < n; i += 2 * s)
            part[i] = combine(e, y, part[i], part[i + s]);
    return part[0];
}

/* -- loops --------------------------------------------------------------------------------- */

static int64_t
constant(const cg_ll_emit *e, cg_val v)
{
    int64_t x = 0;

    cg_is_const(e->k, v, &x);
    return x;
}

/* The condition under which this thread participates; NULL: always. */
static LLVMValueRef
takes_part(cg_ll_emit *e, const cg_block *x, LLVMValueRef number, int64_t extent,
           int64_t there_are)
{
    LLVMValueRef on = NULL;

    if (extent < there_are)
        on = LLVMBuildICmp(e->b, LLVMIntSLT, number, cg_ll_index(e, extent), "");
    if (!x->limit)
        return on;
    LLVMValueRef below =
        LLVMBuildICmp(e->b, LLVMIntSLT, number, cg_ll_uniform(e, x->limit), "");
    return on ? LLVMBuildAnd(e->b, on, below, "") : below;
}

static void
define_var(cg_ll_emit *e, const cg_block *x, LLVMValueRef number)
{
    LLVMValueRef i = LLVMBuildMul(e->b, number, cg_ll_index(e, x->step), "");

    cg_ll_define(e, x->var, 0);
    e->var[x->var].copy[0] =
        cg_ll_scalar(LLVMBuildAdd(e->b, i, cg_ll_index(e, constant(e, x->lo)), ""));
}

/* The yields of the body.  Where a thread does not participate, they are the neutral
 * element. */
static void
take_yields(cg_ll_emit *e, const cg_block *x, LLVMValueRef *out)
{
    for (int i = 0; i < x->n; i++)
        out[i] = cg_ll_uniform(e, x->yield[i].value);
}

static void
run_body(cg_ll_emit *e, const cg_block *x, LLVMValueRef on, LLVMValueRef *out)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b), body, end, last;

    if (!on) {
        cg_ll_region(e, &x->body);
        take_yields(e, x, out);
        return;
    }
    body = cg_ll_block(e, "some");
    end = cg_ll_block(e, "all");
    cg_ll_branch(e, on, body, end);
    cg_ll_region_under(e, &x->body, x->limit ? x->var : 0, true);
    take_yields(e, x, out);
    last = LLVMGetInsertBlock(e->b);
    cg_ll_goto(e, end, end);
    for (int i = 0; i < x->n; i++) {
        const cg_yield *y = &x->yield[i];
        LLVMValueRef neutral = cg_ll_bits(e->l, y->type, cg_neutral_bits(y->combine, y->type));
        LLVMValueRef phi = LLVMBuildPhi(e->b, LLVMTypeOf(neutral), "");
        LLVMAddIncoming(phi, (LLVMValueRef[]){ neutral, out[i] },
                        (LLVMBasicBlockRef[]){ before, last }, 2);
        out[i] = phi;
    }
}

void
cg_ll_thread_loop(cg_ll_emit *e, cg_val v)
{
    const cg_block *x = e->k->insn[v].block;
    const int64_t extent = cg_extent(e->k, x);
    const cg_kind outer = e->thread_kind;
    LLVMValueRef *out = IR_NEW_N(e->arena, LLVMValueRef, x->n + 1), number, on = NULL;

    if (x->kind == CG_GRID) {
        define_var(e, x, cg_ll_special_register(e, "llvm.nvvm.read.ptx.sreg.ctaid.x"));
        cg_ll_region(e, &x->body);
        return;
    }
    number = x->kind == CG_LANES ? cg_ll_lane(e) : cg_ll_thread(e);
    if (x->kind == CG_WARPS)
        number = LLVMBuildLShr(e->b, number, cg_ll_index(e, 5), "warp");
    on = takes_part(e, x, number, extent,
                    x->kind == CG_LANES   ? CG_WARP
                    : x->kind == CG_WARPS ? e->threads / CG_WARP
                                          : e->threads);
    define_var(e, x, number);
    e->thread_kind = x->kind;
    run_body(e, x, on, out);
    e->thread_kind = outer;
    for (int i = 0; i < x->n; i++) {
        const cg_yield *y = &x->yield[i];
        cg_ll_define(e, x->result[i], 0);
        out[i] = x->kind == CG_LANES ? fold_lanes(e, y, out[i])
                                     : tree_of_warps(e, y, out[i], extent);
        e->var[x->result[i]].copy[0] = cg_ll_scalar(out[i]);
    }
}

/* Store a status for the host and end this thread. */
void
cg_ll_fail_thread(cg_ll_emit *e, LLVMValueRef cond, LLVMValueRef status)
{
    LLVMBasicBlockRef leave = cg_ll_block(e, "leave"), on = cg_ll_block(e, "on");

    cg_ll_branch(e, cond, leave, on);
    LLVMBuildStore(e->b, status, e->status);
    LLVMBuildRetVoid(e->b);
    LLVMPositionBuilderAtEnd(e->b, on);
}

/* -- kernels ------------------------------------------------------------------------------- */

static void
annotate(cg_ll_module *l, LLVMValueRef fn, const char *key, int value)
{
    LLVMMetadataRef part[3] = { LLVMValueAsMetadata(fn),
                                LLVMMDStringInContext2(l->llvm, key, strlen(key)),
                                LLVMValueAsMetadata(LLVMConstInt(l->i32, (uint64_t)value, 0)) };

    LLVMAddNamedMetadataOperand(
        l->module, "nvvm.annotations",
        LLVMMetadataAsValue(l->llvm, LLVMMDNodeInContext2(l->llvm, part, 3)));
}

static LLVMValueRef
declare_kernel(cg_ll_module *l, const cg_kernel *k, const char *name, const cg_launch *launch)
{
    LLVMTypeRef *in = IR_NEW_N(l->arena, LLVMTypeRef, (int)k->n_buffers + k->n_params + 2);
    LLVMTypeRef global = LLVMPointerTypeInContext(l->llvm, GLOBAL);
    unsigned n = 0;

    for (uint32_t i = 0; i < k->n_buffers; i++)
        if (k->buffer[i].space <= CG_OUT)
            in[n++] = global;
    for (int i = 0; i < k->n_params; i++)
        in[n++] = l->i64;
    if (launch->fails)
        in[n++] = global;
    LLVMValueRef fn = cg_ll_function(l, name, LLVMFunctionType(l->none, in, n, 0), true);
    LLVMSetFunctionCallConv(fn, KERNEL_CALL);
    cg_ll_buffer_attributes(l, fn, k);
    annotate(l, fn, "kernel", 1);
    annotate(l, fn, "maxntidx", launch->block);
    if (k->alone)
        annotate(l, fn, "minctasm", 1);
    return fn;
}

int64_t
cg_ll_ptx_parameters(const cg_kernel *k)
{
    int64_t n = k->n_params + cg_launch_of(k).fails;

    for (uint32_t i = 0; i < k->n_buffers; i++)
        n += k->buffer[i].space <= CG_OUT;
    return 8 * n;
}

static void
bind_arguments(cg_ll_emit *e, bool fails)
{
    unsigned at = 0;

    for (uint32_t i = 0; i < e->k->n_buffers; i++)
        if (e->k->buffer[i].space <= CG_OUT)
            e->buffer[i] = LLVMBuildAddrSpaceCast(e->b, LLVMGetParam(e->fn, at++), e->l->ptr,
                                                  e->k->buffer[i].name);
    for (int i = 0; i < e->k->n_params; i++)
        e->param[i] = LLVMGetParam(e->fn, at++);
    if (fails)
        e->status = LLVMBuildAddrSpaceCast(e->b, LLVMGetParam(e->fn, at), e->l->ptr, "status");
}

cot_status
cg_ll_ptx_add(cg_ll_module *l, const cg_module *m, const char *name)
{
    for (uint32_t i = 1; i < m->n_kernels; i++) {
        const cg_kernel *k = m->kernel[i];
        const cg_launch launch = cg_launch_of(k);
        cg_ll_emit e = {
            .l = l, .m = m, .k = k, .thread_kind = CG_GRID, .threads = launch.block
        };
        LLVMBasicBlockRef body;

        e.fn = declare_kernel(l, k, cg_ptx_name(l->arena, name, k->name), &launch);
        body = cg_ll_kernel_begin(&e);
        cg_ll_scope none = cg_ll_debug_enter(l, e.fn, k->name, k->loc);
        bind_arguments(&e, launch.fails);
        cg_ll_region(&e, &k->body);
        LLVMBuildRetVoid(l->b);
        cg_ll_kernel_end(&e, body);
        cg_ll_debug_leave(l, none);
    }
    return COT_OK;
}
