/* Statements of the entry: calls of kernels, and copies.  On a GPU both may be predicated by a
 * word of device memory (lower/predicate.h). */
#include "codegen/elemental/element.h"
#include "codegen/elemental/strip_mine.h"
#include "codegen/kernel/grid.h"
#include "codegen/kernel/record.h"
#include "codegen/plan/plan.h"

uint32_t
cg_predicate_buffer(cg_lowering *l, cg_place word, bool out)
{
    return cg_place_buffer(l, &word, ir_scalar_type(l->ctx, COT_BOOL), "active", out);
}

static void
predicate_kernel(cg_lowering *l)
{
    cg_grid_predicate(l->k, cg_predicate_buffer(l, l->predicate, false));
}

typedef struct copying { uint32_t to, from; } copying;

static void
copy_element(cg_lowering *l, void *user, cg_ix i)
{
    const copying *c = user;
    const cg_val at = cg_ix_value(&l->ix, &l->b, i);

    cg_store(&l->b, c->to, at, cg_load(&l->b, c->from, at, 0), 0);
}

static void
predicated_copy(cg_lowering *l, cg_place to, cg_place from, const ir_type *t)
{
    copying c;

    if (t->size == 0)
        return;
    cg_kernel_begin(l, "copy");
    c.to = cg_place_buffer(l, &to, t, "y", true);
    c.from = cg_place_buffer(l, &from, t, "x", false);
    cg_strip_mine(l, cg_kind_of_all(l), t->size, cg_lanes(l, ir_bits(t->dtype)), false,
                  copy_element, &c);
    cg_kernel_call(l);
}

/* Keep the current kernel, unless an earlier one has the same text, which is then compiled
 * once.  Returns the number of the one or the other, which is the current kernel from here
 * on. */
static int
shared_kernel(cg_lowering *l)
{
    cg_module *m = l->m;
    const uint64_t h = cg_kernel_hash(l->k);
    uint32_t number = m->n_kernels - 1;
    while (m->kernel[number] != l->k)
        number--;
    for (uint32_t at = 0, i; (i = ir_map_next(&l->kernels, h, &at)) != 0;)
        if (number + 1 == m->n_kernels && cg_kernel_same(m->kernel[i], l->k)) {
            l->why->n = l->why_before; /* what is said of the earlier one holds of this */
            ir_buf_printf(l->why, "%s: same kernel as %s\n", l->k->name, m->kernel[i]->name);
            cg_kernel_drop(m);
            l->k = m->kernel[i];
            return (int)i;
        }
    ir_map_add(&l->kernels, h, number);
    l->k = cg_kernel_keep(m, number);
    return (int)number;
}

void
cg_kernel_call(cg_lowering *l)
{
    cg_kernel_call_with(l, 0, NULL);
}

void
cg_kernel_call_with(cg_lowering *l, int n_params, const cg_val *params)
{
    if (l->target.grid) {
        cg_grid_schedule(l->k);
        l->k->alone |= !l->m->n_open && cg_launch_of(l->k).grid <= l->target.processors;
    }
    if (l->predicate.set)
        predicate_kernel(l);
    uint32_t n = l->k->n_buffers, *buffer = IR_NEW_N(l->scratch, uint32_t, n + 1);
    cg_val *offset = IR_NEW_N(l->scratch, cg_val, n + 1);
    uint32_t m = 0;
    l->plan->now++;
    for (uint32_t i = 0; i < n; i++) {
        if (!l->arg[i])
            continue;
        buffer[m] = l->arg[i] - 1;
        offset[m++] = l->arg_offset[i];
        cg_plan_touch(l, l->arg[i] - 1);
    }
    cg_record_insns(l->m->record, l->k);
    cg_call_kernel(&l->entry, shared_kernel(l), buffer, offset, n_params, params);
    cg_record_end(l->m->record, l->entry.k, l->plan->now);
}

void
cg_plan_copy(cg_lowering *l, cg_place to, cg_place from, const ir_type *t)
{
    int64_t bytes = t->size * (int64_t)cot_dtype_size(t->dtype);
    if (l->predicate.set) {
        predicated_copy(l, to, from, t);
        return;
    }
    l->plan->now++;
    cg_plan_touch(l, to.buffer);
    cg_plan_touch(l, from.buffer);
    cg_val zero = cg_i64(&l->entry, 0);
    if (bytes == 0)
        return;
    cg_record_begin(l->m->record, l->loc);
    cg_copy(&l->entry, to.buffer, to.offset ? to.offset : zero, from.buffer,
            from.offset ? from.offset : zero, bytes);
    cg_record_end(l->m->record, l->entry.k, l->plan->now);
}

bool
cg_may_share(const cg_lowering *l, cg_place x, cg_place y)
{
    const cg_buffer *at = l->entry.k->buffer;
    return x.set && y.set && (x.buffer == y.buffer || at[x.buffer].alias == y.buffer + 1
                              || at[y.buffer].alias == x.buffer + 1);
}
