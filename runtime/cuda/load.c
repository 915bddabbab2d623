/* Loads a module on a GPU: its PTX, the functions of its kernels, its constants. */
#include "runtime/cuda/program.h"

#include "ir/diag.h"

const char *
rt_cuda_arch(cot_context *ctx, int ordinal)
{
    const rt_gpu *g = rt_gpu_try(ctx, ordinal);

    return g && g->arch >= 90 ? "sm_90" : "sm_80";
}

int
rt_cuda_processors(cot_context *ctx, int ordinal)
{
    const rt_gpu *g = rt_gpu_try(ctx, ordinal);

    return g ? g->processors : 0;
}

static cot_status
emit(rt_program *p, const rt_plan *plan, const void **bytes, size_t *n)
{
    const cg_natural fn = { .name = plan->name,
                            .module = p->module,
                            .n_in = p->module->n_args };
    const cg_backend *llvm = cg_llvm();

    return llvm->emit(p->ctx, &plan->target, CG_TO_PTX, 1, &fn, &p->arena, bytes, n);
}

/* Dynamic shared memory must be enabled for a function before a launch uses it. */
static cot_status
find_function(rt_program *p, rt_cuda_program *q, const char *fn, const char *kernel,
              rt_cuda_launched *l)
{
    COT_TRY(rt_gpu_check(q->g,
                         q->g->driver.module_function(&l->function, q->module->module,
                                                      cg_ptx_name(&p->arena, fn, kernel)),
                         kernel));
    if (!l->at.dynamic)
        return COT_OK;
    return rt_gpu_check(
        q->g, q->g->driver.function_set(l->function, CU_FUNCTION_DYNAMIC, (int)l->at.dynamic),
        kernel);
}

cot_status
rt_cuda_refuse_grid(rt_gpu *g, const cg_kernel *k, int64_t blocks)
{
    snprintf(g->said, sizeof g->said, "%.200s has %lld blocks; wants at most %d", k->name,
             (long long)blocks, RT_CUDA_MAX_GRID);
    return COT_ERR_TARGET;
}

static cot_status
find_functions(rt_program *p, rt_cuda_program *q, const char *fn)
{
    const cg_module *m = p->module;

    for (uint32_t i = 1; i < m->n_kernels; i++) {
        rt_cuda_launched *l = &q->kernel[i];

        l->at = cg_launch_of(m->kernel[i]);
        for (uint32_t k = 0; k < m->kernel[i]->n_buffers; k++)
            l->n_buffers += m->kernel[i]->buffer[k].space <= CG_OUT;
        if (l->at.grid > RT_CUDA_MAX_GRID)
            return rt_cuda_refuse_grid(q->g, m->kernel[i], l->at.grid);
        COT_TRY(find_function(p, q, fn, m->kernel[i]->name, l));
    }
    return COT_OK;
}

/* The entry's constants are copied to one block of memory, once for all calls. */
static cot_status
upload_constants(rt_program *p, rt_cuda_program *q)
{
    const cg_kernel *k = p->module->kernel[0];
    size_t bytes = 0;

    for (uint32_t i = 0; i < k->n_buffers; i++)
        if (k->buffer[i].space == CG_CONST)
            bytes += ((size_t)k->buffer[i].elements * cot_dtype_size(k->buffer[i].type) + 255) /
                     256 * 256;
    if (!bytes)
        return COT_OK;
    COT_TRY(rt_gpu_alloc(q->g, bytes, &q->constants));
    bytes = 0;
    for (uint32_t i = 0; i < k->n_buffers; i++) {
        const size_t n = (size_t)k->buffer[i].elements * cot_dtype_size(k->buffer[i].type);

        if (k->buffer[i].space != CG_CONST)
            continue;
        q->constant[i] = (void *)(uintptr_t)(q->constants + bytes);
        bytes += (n + 255) / 256 * 256;
        COT_TRY(rt_gpu_check(q->g,
                             q->g->driver.to_device((cu_address)(uintptr_t)q->constant[i],
                                                    k->buffer[i].data, n, q->g->stream),
                             "copying constants"));
    }
    return rt_gpu_sync(q->g);
}

static cot_status
load_on(rt_program *p, rt_cuda_program *q, const char *fn, const void *ptx, size_t n)
{
    COT_TRY(rt_gpu_load(q->g, ptx, n, &q->module));
    COT_TRY(find_functions(p, q, fn));
    if (p->fails && !q->g->status)
        COT_TRY(rt_gpu_alloc(q->g, sizeof(int32_t), &q->g->status));
    return upload_constants(p, q);
}

static void
find_captured_loops(rt_program *p, rt_cuda_program *q)
{
    const uint32_t n = p->module->kernel[0]->n_insns;
    bool *is = IR_NEW_N(&p->arena, bool, n);

    if (!cg_host_captured_loops(p->module, is))
        return;
    q->is_captured = is;
    q->launched_once = IR_NEW_N(&p->arena, bool, n);
    q->loop_graph = IR_NEW_N(&p->arena, cu_graph_exec, n);
}

void
rt_cuda_drop_graphs(const rt_program *p, rt_cuda_program *q)
{
    const uint32_t n = q->is_captured ? p->module->kernel[0]->n_insns : 0;

    if (q->graph)
        (void)q->g->driver.graph_exec_destroy(q->graph);
    q->graph = NULL;
    for (uint32_t v = 0; v < n; v++) {
        if (q->loop_graph[v])
            (void)q->g->driver.graph_exec_destroy(q->loop_graph[v]);
        q->loop_graph[v] = NULL;
        q->launched_once[v] = false;
    }
}

cot_status
rt_cuda_load(rt_program *p, const rt_plan *plan)
{
    rt_cuda_program *q = IR_NEW(&p->arena, rt_cuda_program);
    const void *ptx;
    size_t n;
    cot_status s;
    rt_gpu *g;

    COT_TRY(rt_gpu_of(p->ctx, plan->device, &g));
    q->kernel = IR_NEW_N(&p->arena, rt_cuda_launched, p->module->n_kernels + 1);
    q->constant = IR_NEW_N(&p->arena, void *, p->module->kernel[0]->n_buffers + 1);
    q->seen = IR_NEW_N(&p->arena, cu_address, p->module->n_args + 1 + p->module->n_sizes);
    find_captured_loops(p, q);
    COT_TRY(emit(p, plan, &ptx, &n));
    q->g = rt_gpu_hold(g);
    p->self = q;
    p->place = &g->place;
    rt_gpu_begin(g);
    s = load_on(p, q, plan->name, ptx, n);
    rt_gpu_end(g);
    return s == COT_OK ? COT_OK : rt_gpu_fail(p->ctx, g, s, plan->name);
}

void
rt_cuda_unload(rt_program *p)
{
    rt_cuda_program *q = p->self;

    if (!q)
        return;
    rt_gpu_begin(q->g);
    rt_cuda_drop_graphs(p, q);
    rt_gpu_free(q->g, q->constants);
    rt_gpu_unload(q->g, q->module);
    rt_gpu_end(q->g);
    rt_gpu_drop(q->g);
}
