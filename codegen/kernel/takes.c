/* Declarations of reductions: how many elements there are, and which of them the text of a
 * kernel takes where.  They are a table next to the instructions, used by the verifier alone
 * (verify/coverage.h). */
#include "codegen/kernel/kernel.h"

static uint32_t
mark_of(cg_build *b)
{
    cg_region *r = b->open[b->n_open - 1];

    if (r->mark == 0)
        r->mark = ++b->k->n_marks;
    return r->mark;
}

uint32_t
cg_reduction_new(cg_build *b, int64_t n, cg_val split, int64_t parts)
{
    const cg_reduction x = { mark_of(b), n, split, parts, b->loc, 0 };
    cg_kernel *k = b->k;

    IR_PUSH(k->arena, k->reduction, k->n_reductions, k->cap_reductions, x);
    return k->n_reductions;
}

uint32_t
cg_reduction_counted(cg_build *b, cg_val count)
{
    int64_t n = 0;
    const bool known = cg_is_const(b->k, count, &n);
    const uint32_t number = cg_reduction_new(b, n, 0, 1);

    b->k->reduction[number - 1].count = known ? 0 : count;
    return number;
}

void
cg_take_element(cg_build *b, cg_take x)
{
    cg_kernel *k = b->k;

    x.in = mark_of(b);
    if (x.n > 0)
        x.term = ir_copy_bytes(k->arena, x.term, (size_t)x.n * sizeof *x.term);
    IR_PUSH(k->arena, k->take, k->n_takes, k->cap_takes, x);
}

void
cg_take_value(cg_build *b, uint32_t reduction, cg_val x, cg_val y)
{
    const cg_take_term term[2] = { { x, 1 }, { y, 1 } };

    cg_take_element(b, (cg_take){ .reduction = reduction, .n = y ? 2 : 1, .term = term });
}
