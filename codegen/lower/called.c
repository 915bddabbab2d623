/* A sub-function that is not inlined (passes/calls.h) is planned and compiled once.
 *
 * It becomes a kernel that calls kernels, as the entry does.  Operands and results are its
 * buffers, and values between its kernels are parts of a work block, which it gets as one more
 * buffer.  The caller reserves room for that block in its own work block while the call runs.
 * Equal kernels of all plans are shared.  Operands are only read, and results overlap none of
 * them, so that one plan serves every call.
 *
 * A GPU's kernels cannot call kernels: there the plan of the callee becomes a part of the
 * caller's. */
#include "codegen/kernel/record.h"
#include "codegen/lower/level.h"
#include "ir/diag.h"

typedef struct cg_called {
    const ir_graph *f;
    int kernel;
} cg_called;

static const char *
port_name(cg_lowering *l, const char *const *names, int i, const char *prefix)
{
    return names && names[i] ? names[i] : ir_format(l->arena, "%s%d", prefix, i);
}

static cg_place *
add_ports(cg_lowering *l, const ir_graph *f, int n, const ir_ref *v, const char *const *names,
          bool out)
{
    cg_place *p = IR_NEW_N(l->arena, cg_place, n + 1);

    for (int i = 0; i < n; i++) {
        const ir_type *t = ir_type_at(f, v[i]);
        const char *name = port_name(l, names, i, out ? "out" : "in");
        p[i].set = true;
        p[i].buffer = cg_buffer_add(l->entry.k, name, t->dtype, out ? CG_OUT : CG_IN, t->size);
    }
    return p;
}

static void
add_work(cg_lowering *l, cg_kernel *k)
{
    cg_plan_join_spans(l);
    if (cg_plan_assign(l) == 0)
        return;
    k->work = cg_buffer_add(k, "room", COT_U8, CG_OUT, k->work_bytes) + 1;
    k->buffer[k->work - 1].align = l->m->work_align;
}

/* Plan f as a kernel with a level of its own; returns the number of the kernel. */
static int
plan_function(cg_lowering *l, const ir_graph *f, cg_plan_body *sub)
{
    const cg_build outer = l->entry;
    cg_plan *around = l->plan;
    const int number = (int)l->m->n_kernels;
    cg_kernel *k = cg_kernel_new(l->m, f->name ? f->name : "function");

    k->plans = true;
    k->loc = l->loc;
    k->note = "a function that is called";
    l->plan = IR_NEW(l->arena, cg_plan);
    cg_begin(&l->entry, k);
    const cg_place *in = add_ports(l, f, f->n_in, f->in, f->in_name, false),
                   *to = add_ports(l, f, f->n_out, f->out, f->out_name, true);
    sub(l, f, in, to);
    add_work(l, k);
    l->entry = outer;
    l->plan = around;
    return number;
}

int
cg_plan_function(cg_lowering *l, const ir_graph *f, cg_plan_body *sub)
{
    const uint64_t hash = ir_hash_u64(0, (uint64_t)(uintptr_t)f);
    uint32_t at = 0, id;

    while ((id = ir_map_next(&l->called_of, hash, &at)))
        if (l->called[id - 1].f == f)
            return l->called[id - 1].kernel;
    const int kernel = plan_function(l, f, sub);
    IR_PUSH(l->arena, l->called, l->n_called, l->cap_called, ((cg_called){ f, kernel }));
    ir_map_add(&l->called_of, hash, l->n_called);
    return kernel;
}

/* Plan a call inline.  Nested calls may be exponentially many, so the nodes are limited. */
static void
plan_inline(cg_lowering *l, const ir_graph *f, cg_plan_body *sub, const cg_place *in,
            const cg_place *to)
{
    l->unfolded += f->n_nodes;
    if (l->unfolded > IR_MAX_UNFOLDED)
        l->status =
            ir_fail(l->ctx, l->loc, "call", ERR_unfolds, (unsigned long long)l->unfolded,
                    (unsigned long long)IR_MAX_UNFOLDED);
    else
        sub(l, f, in, to);
}

void
cg_call_function(cg_lowering *l, int kernel, int n, const cg_place *port, cg_place room)
{
    const bool works = l->m->kernel[kernel]->work != 0;
    uint32_t *buffer = IR_NEW_N(l->arena, uint32_t, n + 1);
    cg_val *offset = IR_NEW_N(l->arena, cg_val, n + 1);

    for (int i = 0; i < n + works; i++) {
        const cg_place p = i < n ? port[i] : room;
        buffer[i] = p.buffer;
        offset[i] = p.offset;
    }
    l->plan->now++;
    for (int i = 0; i < n + works; i++)
        cg_plan_touch(l, buffer[i]);
    cg_record_begin(l->m->record, l->loc);
    cg_call_kernel(&l->entry, kernel, buffer, offset, 0, NULL);
    cg_record_end(l->m->record, l->entry.k, l->plan->now);
}

void
cg_plan_called(cg_lowering *l, const ir_graph *f, cg_plan_body *sub, const cg_place *in,
               const cg_place *to)
{
    if (l->target.grid) {
        plan_inline(l, f, sub, in, to);
        return;
    }
    const int kernel = cg_plan_function(l, f, sub);
    const cg_kernel *k = l->m->kernel[kernel];
    cg_place *port = IR_NEW_N(l->arena, cg_place, f->n_in + f->n_out + 1), room = { 0 };

    if (l->status != COT_OK)
        return;
    memcpy(port, in, sizeof *port * (size_t)f->n_in);
    memcpy(port + f->n_in, to, sizeof *port * (size_t)f->n_out);
    if (k->work)
        room = cg_plan_new(l, "room", ir_type_new(l->ctx, COT_U8, 1, &k->work_bytes));
    cg_call_function(l, kernel, f->n_in + f->n_out, port, room);
}
