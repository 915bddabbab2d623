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
    const int64_t n = cg_cumulate_blocks(c, c->open ? 1 : level + 1);
    if (c->open) /* with room for a chunk, and for a higher level more than it needs */
        return n + CG_CHUNK;
    return c->in_lanes ? (n + CG_CHUNK - 1) / CG_CHUNK * CG_CHUNK : n;
}

cg_val
cg_cumulate_count(cg_lowering *l, const cg_cumulating *c, int level)
{
    int64_t each = 1;

    while (level-- > 0)
        each *= CG_SCAN_BLOCK;
    /* the quotient of constants is folded unless one of them is open */
    return each == 1
               ? cg_i64(&l->b, c->size)
               : cg_insn2(&l->b, SC_div, COT_I64, cg_i64(&l->b, c->size), cg_i64(&l->b, each));
}

cg_scan_rest
cg_cumulate_rest(cg_lowering *l, const cg_cumulating *c, int level)
{
    cg_build *b = &l->b;
    const cg_val rest = cg_insn2(b, SC_rem, COT_I64, cg_cumulate_count(l, c, level),
                                 cg_i64(b, CG_SCAN_BLOCK)),
                 chunks = cg_idiv(b, rest, CG_CHUNK);
    const cg_ix full = cg_ix_var(&l->ix, cg_cumulate_count(l, c, level + 1), 0, c->size),
                whole = cg_ix_var(&l->ix, chunks, 0, CG_SCAN_BLOCK / CG_CHUNK - 1);
    const cg_ix base = cg_ix_mul(&l->ix, full, CG_SCAN_BLOCK);

    return (cg_scan_rest){ base, cg_ix_add(&l->ix, base, cg_ix_mul(&l->ix, whole, CG_CHUNK)),
                           chunks, cg_imod(b, rest, CG_CHUNK) };
}

void
cg_cumulate_each_block(cg_lowering *l, cg_cumulating *c, cg_kind kind, cg_val lo, cg_val hi,
                       cg_strip_body *body)
{
    const int64_t most = c->open ? c->size : c->length / CG_SCAN_BLOCK;
    cg_val loop = cg_loop_begin(&l->b, kind, lo, hi, 1, 0);
    body(l, c, cg_ix_var(&l->ix, cg_loop_var(&l->b, loop), 0, most - 1));
    cg_loop_end(&l->b, loop);
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
cg_cumulate_element(cg_lowering *l, cg_cumulating *c, cg_ix i, cg_val present)
{
    cg_val x;

    cg_take_at(l, c->element_takes, cg_ix_addc(&l->ix, i, -c->first), present);
    if (c->level > 0) {
        x = cg_load(&l->b, c->total[c->level - 1], cg_cumulate_at(l, c, i), present);
    } else {
        const cg_val old = cg_mask_and(l, present);
        go_to(l, c, i);
        x = cg_convert(l, cg_element(l, c->fr, c->n->in[0], c->at), c->t->dtype, c->how.type);
        l->mask = old;
    }
    return present ? cg_choose(l, c->how.type, present, x,
                               cg_neutral(&l->b, c->how.op, c->how.type))
                   : x;
}

void
cg_cumulate_put(cg_lowering *l, cg_cumulating *c, cg_ix i, cg_val x, cg_val present)
{
    cg_take_at(l, c->result_takes, cg_ix_addc(&l->ix, i, -c->first), present);
    if (c->level > 0) {
        cg_store(&l->b, c->sum[c->level - 1], cg_cumulate_at(l, c, i), x, present);
        return;
    }
    go_to(l, c, i);
    cg_ix flat = cg_ix_flat(&l->ix, c->t->rank, c->t->dims, c->at);
    cg_val value = cg_convert(l, x, c->how.type, c->t->dtype);
    cg_store(&l->b, c->out, cg_ix_value(&l->ix, &l->b, flat), value, present);
}
