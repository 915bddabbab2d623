/* Programs on devices, and the simplest device: the simulator, which uses memory of this
 * process. */
#include "runtime/device.h"

#include "codegen/kernel/grid.h"
#include "ir/diag.h"
#include "runtime/call.h"
#include "runtime/open/open.h"

rt_program *
rt_program_new(cot_context *ctx, const rt_machine *machine)
{
    rt_program *p = ir_realloc(ctx, NULL, sizeof *p);

    *p = (rt_program){ .ctx = ctx, .machine = machine };
    ir_arena_init(&p->arena, ctx);
    return p;
}

/* Foreign functions of a device with streams: by address on the host, or on the device. */
static cot_status
check_externs(const cg_module *m)
{
    for (uint32_t i = 0; i < m->n_ext; i++)
        if (!m->ext[i]->address)
            return ir_fail(m->ctx, m->ext[i]->loc, "custom_call", ERR_custom_missing,
                           m->ext[i]->name, "run");
    return COT_OK;
}

cot_status
rt_program_load(rt_program *p, const rt_plan *plan, cg_module *m)
{
    p->module = m;
    COT_TRY(cg_host_check(m));
    COT_TRY(p->machine->streams ? check_externs(m) : cg_check_externs(m, NULL));
    for (uint32_t i = 1; i < m->n_kernels; i++)
        p->fails |= cg_launch_of(m->kernel[i]).fails;
    p->straight = cg_host_is_straight(m);
    p->frames.bytes = cg_host_bytes(m);
    return p->machine->load(p, plan);
}

void
rt_program_free(rt_program *p)
{
    if (!p)
        return;
    p->machine->unload(p);
    rt_blocks_free(&p->frames);
    ir_arena_free(&p->arena);
    ir_free(p->ctx, p);
}

cot_status
rt_foreign_run(const cg_extern *x, const cg_handed *h, cot_dtype type, uint64_t *answer)
{
    rt_arg arg[x->n + 1];
    void *packed[x->n + 1];

    for (int i = 0; i < x->n; i++) {
        const bool scalar = x->arg[i].type != COT_DTYPE_NONE;

        arg[i] = (rt_arg){ .by_value = scalar, .dtype = x->arg[i].type,
                           .at = scalar ? (void *)(uintptr_t)&h[i].bits : h[i].at };
        if (i > 0)
            packed[i - 1] = h[i].at;
    }
    if (x->packed)
        arg[1] = (rt_arg){ .at = packed };
    return rt_call_any(x->address, x->packed ? 2 : x->n, arg, type, answer) ? COT_OK
                                                                            : COT_ERR_FOREIGN;
}

static cot_status
sim_launch(void *self, int kernel, int64_t blocks, void *const *buffers, const int64_t *params)
{
    const rt_program *p = self;
    int32_t status = 0;

    COT_TRY(cg_sim_launch(p->module->kernel[kernel], blocks, buffers, params, &status));
    return (cot_status)status;
}

static cot_status
sim_copy(void *self, void *to, const void *from, size_t bytes)
{
    (void)self;
    memmove(to, from, bytes);
    return COT_OK;
}

static cot_status
sim_read(void *self, const void *at, size_t bytes, void *to)
{
    return sim_copy(self, to, at, bytes);
}

static cot_status
sim_write(void *self, void *at, size_t bytes, const void *from)
{
    return sim_copy(self, at, from, bytes);
}

static cot_status
sim_call(void *self, const cg_extern *x, const cg_handed *handed, cot_dtype type,
         uint64_t *answer)
{
    (void)self;
    return rt_foreign_run(x, handed, type, answer);
}

static cot_status
sim_load(rt_program *p, const rt_plan *plan)
{
    (void)p;
    (void)plan;
    return COT_OK;
}

typedef struct sim_run_of {
    rt_program *p;
    const cot_kernel *k;
    void *const *args;
    void *work;
} sim_run_of;

/* Under the context's lock, like the reference evaluator, since the simulator reports errors in
 * the context. */
static cot_status
sim_body(cot_context *ctx, void *arg)
{
    const sim_run_of *c = arg;
    const cg_device d = { .self = c->p,
                          .launch = sim_launch,
                          .copy = sim_copy,
                          .read = sim_read,
                          .write = sim_write,
                          .call = sim_call };
    void *frame = rt_block_take(&c->p->frames);
    volatile cot_status s = COT_ERR_MEMORY;

    if (!frame)
        return ir_fail(ctx, c->k->loc, c->k->graph->name, ERR_memory);
    if (c->k->open)
        cg_open_set_buffers(&c->k->open->general, c->args[c->k->n_in + c->k->n_out]);
    IR_TRY(ctx) {
        s = cg_host_run(c->p->module, &d, c->args, c->work, frame);
    }
    rt_block_give(&c->p->frames, frame);
    return s;
}

static cot_status
sim_run(rt_program *p, const cot_kernel *k, const rt_device_call *call)
{
    sim_run_of c = { p, k, call->args, call->work };
    void *block = NULL;
    cot_status s;

    if (!c.work && k->blocks) {
        c.work = block = rt_block_take(k->blocks);
        if (!block)
            return rt_run_fail(k, ERR_memory, "");
    }
    s = rt_guard(k->ctx, sim_body, &c);
    if (block)
        rt_block_give(k->blocks, block);
    return s == COT_ERR_BOUND || s == COT_ERR_FOREIGN || s == COT_ERR_CANCELLED
               ? rt_entry_failed(k, s)
               : s;
}

static void
sim_unload(rt_program *p)
{
    (void)p;
}

const rt_machine *
rt_sim(void)
{
    static const rt_machine machine = { sim_load, sim_run, sim_unload, false };

    return &machine;
}
