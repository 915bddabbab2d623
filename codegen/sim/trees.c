/* Trees of serial loops: for each lane a binary counter of partial results, which combines
 * elements in the order of docs/numerics.md, section 3. */
#include "codegen/sim/sim.h"

void
cg_sim_tree_push(sim *s, const cg_yield *y, sim_counter *c, const char *x)
{
    const size_t size = cot_dtype_size(y->type);

    for (int64_t i = 0; i < s->at.n; i++) {
        char now[8];
        int level = 0;
        if (!cg_sim_is_active(s, i))
            continue;
        memcpy(now, x + (size_t)i * size, size);
        for (; c->n[i] >> level & 1; level++)
            cg_sim_combine(s, y, 1, now, c->slot + (size_t)(i * 64 + level) * 8,
                           memcpy((char[8]){ 0 }, now, size));
        memcpy(c->slot + (size_t)(i * 64 + level) * 8, now, size);
        c->n[i]++;
    }
}

void
cg_sim_tree_take(sim *s, const cg_yield *y, const sim_counter *c, char *out)
{
    const size_t size = cot_dtype_size(y->type);
    const uint64_t neutral = cg_neutral_bits(y->combine, y->type);

    for (int64_t i = 0; i < s->at.n; i++) {
        bool any = false;
        char *x = out + (size_t)i * size;
        memcpy(x, &neutral, size);
        for (int level = 0; level < 63; level++) {
            const char *left = c->slot + (size_t)(i * 64 + level) * 8;
            if (!(c->n[i] >> level & 1))
                continue;
            if (any)
                cg_sim_combine(s, y, 1, x, left, memcpy((char[8]){ 0 }, x, size));
            else
                memcpy(x, left, size);
            any = true;
        }
    }
}

sim_counter *
cg_sim_trees_new(sim *s, const cg_block *x)
{
    sim_counter *c = IR_NEW_N(s->arena, sim_counter, x->n + 1);

    for (int k = 0; k < x->n; k++)
        if (x->yield[k].mode == CG_TREE)
            c[k] = (sim_counter){ IR_NEW_N(s->arena, int64_t, s->at.n),
                                  ir_alloc(s->arena, (size_t)s->at.n * 512) };
    return c;
}
