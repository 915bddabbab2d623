/* The inner form of a contraction (dot.c): each row is the reduction of docs/numerics.md
 * section 3. */
#include "codegen/elemental/element.h"
#include "codegen/elemental/fold.h"
#include "codegen/lower/dot_inside.h"
#include "codegen/tuning.h"

/* A row of one side, which is multiplied by the other side. */
typedef struct inner {
    const cg_dot_product *p;
    cg_val row;
} inner;

static cg_val
inner_step(cg_lowering *l, void *user, cg_ix j, cg_val acc)
{
    const inner *x = user;
    const cg_dot_product *p = x->p;
    const cg_dot_shape *s = &p->s;
    cg_build *b = p->b;
    cg_val k = cg_ix_value(&l->ix, b, j), along = offset(b, &s->k, left_of(s, &s->k), k);
    cg_val at = cg_iadd(b, offset(b, &s->m, left_of(s, &s->m), x->row), along);
    cg_val left = load(p, true, at, l->mask);
    cg_val right = load(p, false, offset(b, &s->k, right_of(s, &s->k), k), l->mask);
    return multiply_add(p, left, right, acc);
}

cg_val
cg_dot_inner_sum(const cg_dot_product *p, cg_val row, bool lanes)
{
    cg_lowering *l = p->l;
    const cg_fold how = { SC_add, p->d->type, inner_step };
    const int64_t total = p->s.k.total;
    const bool few = !l->reduce_scope && total <= (lanes ? 2 : CG_LOWER_MAX_SPELLED_SUM);
    inner of = { p, row };
    cg_val sum;
    if (total == 0)
        return cg_const(p->b, p->d->type, 0);
    cg_fold_loops(l, total, 1, &how,
                  few     ? CG_FOLD_UNROLLED
                  : lanes ? CG_FOLD_LANES
                          : CG_FOLD_SERIAL,
                  false, NULL, &of, &sum);
    return sum;
}

void
cg_dot_inner_row(const cg_dot_product *p, cg_val m)
{
    cg_val acc = cg_dot_inner_sum(p, m, p->s.how.width > 1);

    emit_result(p, m, cg_i64(p->b, 0), acc, 0);
}
