/* Kernels that are built in memory of their own, and are then kept or dropped.
 *
 * A kernel is built by appending: its arrays are copied as they grow, and the builder's table
 * of shared instructions is larger than the kernel.  Of the layers of a net all kernels but
 * those of the first one are dropped as well, since they are equal to earlier ones.  A draft is
 * therefore in an arena that is reset for the next one.  A draft that is kept is copied into
 * the arena of the module, each array at its final size. */
#include "codegen/kernel/kernel.h"

static void *
copied(ir_arena *a, const void *items, size_t n, size_t bytes)
{
    return n ? ir_copy_bytes(a, items, n * bytes) : NULL;
}
#define COPY(a, items, n) copied(a, items, n, sizeof *(items))

static void
copy_region(ir_arena *a, cg_region *r)
{
    r->insn = COPY(a, r->insn, r->n);
    r->cap = r->n;
}

static cg_block *
copy_block(ir_arena *a, const cg_block *from)
{
    cg_block *x = ir_copy_bytes(a, from, sizeof *from);

    copy_region(a, &x->body);
    copy_region(a, &x->other);
    x->yield = COPY(a, x->yield, (size_t)x->n);
    x->cap = (uint32_t)x->n;
    x->result = COPY(a, x->result, (size_t)x->n);
    return x;
}

static cg_call *
copy_call(ir_arena *a, const cg_call *from)
{
    cg_call *x = ir_copy_bytes(a, from, sizeof *from);
    const size_t n = (size_t)x->n_buffers;

    x->buffer = COPY(a, x->buffer, n);
    x->offset = x->offset ? COPY(a, x->offset, n) : NULL;
    x->param = COPY(a, x->param, (size_t)x->n_params);
    return x;
}

static void
copy_insns(ir_arena *a, cg_kernel *k)
{
    k->insn = COPY(a, k->insn, k->n_insns);
    k->cap_insns = k->n_insns;
    for (uint32_t v = 1; v < k->n_insns; v++) {
        cg_insn *x = &k->insn[v];
        x->block = x->block ? copy_block(a, x->block) : NULL;
        x->call = x->call ? copy_call(a, x->call) : NULL;
    }
}

static void
copy_buffers(ir_arena *a, cg_kernel *k)
{
    k->buffer = COPY(a, k->buffer, k->n_buffers);
    k->cap_buffers = k->n_buffers;
    for (uint32_t i = 0; i < k->n_buffers; i++)
        k->buffer[i].name = ir_copy_string(a, k->buffer[i].name);
}

static void
copy_takes(ir_arena *a, cg_kernel *k)
{
    k->reduction = COPY(a, k->reduction, k->n_reductions);
    k->cap_reductions = k->n_reductions;
    k->take = COPY(a, k->take, k->n_takes);
    k->cap_takes = k->n_takes;
    for (uint32_t i = 0; i < k->n_takes; i++)
        if (k->take[i].n > 0)
            k->take[i].term = COPY(a, k->take[i].term, (size_t)k->take[i].n);
}

cg_kernel *
cg_kernel_keep(cg_module *m, uint32_t number)
{
    cg_kernel *k = ir_copy_bytes(m->arena, m->kernel[number], sizeof *k);

    k->arena = m->arena;
    k->note = ir_copy_string(m->arena, k->note);
    copy_buffers(m->arena, k);
    copy_insns(m->arena, k);
    copy_region(m->arena, &k->body);
    copy_takes(m->arena, k);
    return m->kernel[number] = k;
}
