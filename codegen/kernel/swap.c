/* The buffers of a plan that swaps permute, as groups: buffers that swaps connect, directly or
 * through others. */
#include "codegen/kernel/kernel.h"

/* Merge the groups of x and y.  The smaller group takes the number of the larger one, so that
 * the number of a buffer changes only a logarithmic number of times. */
static void
join(cg_swapped *s, uint32_t *size, uint32_t x, uint32_t y)
{
    if (s->group[x] == s->group[y])
        return;
    if (size[s->group[x]] < size[s->group[y]]) {
        const uint32_t t = x;
        x = y;
        y = t;
    }
    const uint32_t to = s->group[x], next = s->next[x];
    size[to] += size[s->group[y]];
    for (uint32_t z = y; s->group[z] != to; z = s->next[z])
        s->group[z] = to;
    s->next[x] = s->next[y];
    s->next[y] = next;
}

cg_swapped
cg_find_swapped(const cg_kernel *k, ir_arena *a)
{
    cg_swapped s = { 0 };
    uint32_t *size = NULL;

    for (cg_val v = 1; v < k->n_insns; v++) {
        const cg_insn *i = &k->insn[v];
        if (i->op != CG_SWAP || i->call->buffer[0] >= k->n_buffers ||
            i->call->buffer[1] >= k->n_buffers)
            continue;
        if (!s.next) {
            s.next = IR_NEW_N(a, uint32_t, k->n_buffers);
            s.group = IR_NEW_N(a, uint32_t, k->n_buffers);
            size = IR_NEW_N(a, uint32_t, k->n_buffers);
            for (uint32_t j = 0; j < k->n_buffers; j++) {
                s.next[j] = s.group[j] = j;
                size[j] = 1;
            }
        }
        join(&s, size, i->call->buffer[0], i->call->buffer[1]);
    }
    return s;
}

bool
cg_is_swapped(const cg_swapped *s, uint32_t buffer)
{
    return s->next && s->next[buffer] != buffer;
}
