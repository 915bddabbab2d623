/* Carries of a register-resident loop that stay in memory.
 *
 * The array of a recurrence or of a dynamic program does not fit into registers, but a step
 * reads few of its elements and writes few.  It stays in the memory of the result, which begins
 * as a copy of the first value, or is that value's own memory.
 *
 * An update (dynamic_update_slice, scatter) may change the elements that its window names.
 * Each of these is emitted as an element of the carry's new value at that index, after all
 * updates of the step; two windows that name one element therefore store the same value, and
 * the order of the stores does not matter.  They follow all loads of the step, which read the
 * old value. */
#include "codegen/elemental/element.h"
#include "codegen/fuse/fuse.h"
#include "codegen/lower/index.h"
#include "codegen/lower/register_loop.h"

static ir_ref
updates_of(const ir_node *n)
{
    return n->in[ir_ops[n->op].record == IR_AT_scatter ? 2 : 1];
}

int64_t
cg_updated_elements(cg_lowering *l, const ir_graph *f, ir_ref x, ir_ref c)
{
    int64_t count = 0;

    while (x != c) {
        const ir_node *n = ir_def(f, x);
        if (!n || !ir_is_update(n->op) || cg_part_operand(l, f, n, 0) != 0)
            return -1;
        count += ir_type_at(f, updates_of(n))->size;
        x = n->in[0];
    }
    return count;
}

/* The index of the carry that element `from` of the updates of n has.  *when: the condition
 * under which it is inside (0: always); returns false if it never is. */
static bool
target_of(cg_lowering *l, cg_frame *in, const ir_node *n, const cg_ix *from, cg_ix *to,
          cg_val *when)
{
    const ir_type *z = ir_type_at(in->f, updates_of(n));

    *when = 0;
    if (ir_ops[n->op].record == IR_AT_scatter) {
        const cg_windows w = cg_scatter_windows(in->f, n);
        return cg_window_at(l, in, &w, from, z->rank, to, when);
    }
    cg_box_starts(l, in, n, 2, z->dims, to);
    for (int k = 0; k < z->rank; k++)
        to[k] = cg_ix_add(&l->ix, to[k], from[k]);
    return true;
}

void
cg_emit_updates(cg_register_loop *m, cg_frame *in, int i, cg_late_stores *late)
{
    cg_lowering *l = m->l;
    const ir_graph *f = in->f;
    const ir_ref y = f->out[i], c = f->in[m->consts + i];
    const ir_type *t = ir_type_at(f, y);

    for (ir_ref x = y; x != c; x = ir_def(f, x)->in[0]) {
        const ir_node *n = ir_def(f, x);
        const ir_type *z = ir_type_at(f, updates_of(n));
        for (int64_t k = 0; k < z->size; k++) {
            cg_ix from[COT_MAX_RANK + 1], to[COT_MAX_RANK + 1];
            cg_late_store s = { .buffer = m->buffer[i] };
            cg_ix_split(&l->ix, cg_ix_const(&l->ix, k), z->rank, z->dims, from);
            if (!target_of(l, in, n, from, to, &s.when))
                continue;
            s.at = cg_ix_value(&l->ix, &l->b, cg_ix_flat(&l->ix, t->rank, t->dims, to));
            s.x = cg_element(l, in, y, to);
            IR_PUSH(l->arena, late->store, late->n, late->cap, s);
        }
    }
}

void
cg_emit_late_stores(cg_lowering *l, const cg_late_stores *late)
{
    for (uint32_t i = 0; i < late->n; i++) {
        const cg_late_store *s = &late->store[i];
        cg_store(&l->b, s->buffer, s->at, s->x, s->when);
    }
}
