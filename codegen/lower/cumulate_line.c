/* The elements and results of a line of a cumulative op (cumulate.h): those of the operand and
 * of the op or, on higher levels, the totals of blocks and their scans. */
#include "codegen/lower/cumulate.h"

#include "codegen/elemental/element.h"

cg_val
cg_cumulate_combine(cg_lowering *l, const cg_cumulating *c, cg_val x, cg_val y)
{
    return cg_insn2(&l->b, c->how.op, c->how.type, x, y);
}

static void
go_to(cg_lowering *l, cg_cumulating *c, cg_ix i)
{
    c->at[c->axis] = c->n->at->cumulate.reverse
                         ? cg_ix_addc(&l->ix, cg_ix_mul(&l->ix, i, -1), c->size - 1)
                         : i;
}

cg_val
cg_cumulate_at(cg_lowering *l, const cg_cumulating *c, cg_ix i)
{
    return cg_iadd(&l->b, cg_ix_value(&l->ix, &l->b, cg_ix_mul(&l->ix, i, c->width)),
                   c->column);
}

int64_t
cg_cumulate_blocks(const cg_cumulating *c, int level)
{
    int64_t n = c->size;
    while (level-- > 0)
        n /= CG_SCAN_BLOCK;
    return n;
}

int64_t
cg_cumulate_rows(const cg_cumulating *c, int level)
{
    const int64_t n = cg_cumulate_blocks(c, level + 1);
    return c->in_lanes ? (n + CG_CHUNK - 1) / CG_CHUNK * CG_CHUNK : n;
}

void
cg_cumulate_declare(cg_lowering *l, cg_cumulating *c, int64_t first, int64_t n, cg_val split,
                    int64_t parts)
{
    c->first = first;
    c->element_takes = cg_reduction_new(&l->b, n, split, parts);
}

void
cg_cumulate_declare_results(cg_lowering *l, cg_cumulating *c, int64_t first, int64_t n,
                            cg_val split, int64_t parts)
{
    cg_cumulate_declare(l, c, first, n, split, parts);
    c->result_takes = cg_reduction_new(&l->b, n, split, parts);
}

cg_val
cg_cumulate_element(cg_lowering *l, cg_cumulating *c, cg_ix i)
{
    cg_take_at(l, c->element_takes, cg_ix_addc(&l->ix, i, -c->first), 0);
    if (c->level > 0)
        return cg_load(&l->b, c->total[c->level - 1], cg_cumulate_at(l, c, i), 0);
    go_to(l, c, i);
    return cg_convert(l, cg_element(l, c->fr, c->n->in[0], c->at), c->t->dtype, c->how.type);
}

void
cg_cumulate_put(cg_lowering *l, cg_cumulating *c, cg_ix i, cg_val x)
{
    cg_take_at(l, c->result_takes, cg_ix_addc(&l->ix, i, -c->first), 0);
    if (c->level > 0) {
        cg_store(&l->b, c->sum[c->level - 1], cg_cumulate_at(l, c, i), x, 0);
        return;
    }
    go_to(l, c, i);
    cg_ix flat = cg_ix_flat(&l->ix, c->t->rank, c->t->dims, c->at);
    cg_val value = cg_convert(l, x, c->how.type, c->t->dtype);
    cg_store(&l->b, c->out, cg_ix_value(&l->ix, &l->b, flat), value, 0);
}
