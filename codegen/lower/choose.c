/* Selection among examples, by a predicate with leading axes: examples that take a branch get
 * its results, and a mapped loop continues while any example is active. */
#include "codegen/elemental/element.h"
#include "codegen/elemental/strip_mine.h"
#include "codegen/lower/predicate.h"
#include "codegen/lower/subgraph.h"

typedef struct choosing {
    uint32_t to, from, when;
    cot_dtype index;                    /* type of the predicate */
    int64_t inner, branch, branches;    /* elements of an example; which branch, of how many */
    cg_val chosen;
    cg_ix example;
} choosing;

static void
choose_element(cg_lowering *l, void *user, cg_ix i)
{
    choosing *c = user;
    cg_val chosen = c->chosen;
    if (!chosen) {
        cg_val x = cg_load(&l->b, c->when, cg_ix_value(&l->ix, &l->b, i), 0);
        chosen = cg_is_branch(&l->b, x, c->index, c->branch, c->branches);
    }
    cg_ix flat = cg_ix_add(&l->ix, cg_ix_mul(&l->ix, c->example, c->inner), i);
    cg_val at = cg_ix_value(&l->ix, &l->b, flat);
    cg_store(&l->b, c->to, at, cg_load(&l->b, c->from, at, chosen), chosen);
}

static void
choose_example(cg_lowering *l, void *user, cg_ix e)
{
    choosing *c = user;
    cg_val x = cg_load(&l->b, c->when, cg_ix_value(&l->ix, &l->b, e), 0);
    c->chosen = cg_is_branch(&l->b, x, c->index, c->branch, c->branches);
    c->example = e;
    cg_strip_mine(l, CG_SERIAL, c->inner, cg_lanes(l, ir_bits(l->k->buffer[c->to].type)), false,
                  choose_element, c);
}

/* Copy to `to` the examples of `from` whose predicate selects `branch`. */
void
cg_plan_choose(cg_lowering *l, cg_place to, cg_place from, const ir_type *t, cg_place when,
               const ir_type *p, int64_t branch, int64_t branches)
{
    choosing c = { .index = p->dtype, .branch = branch, .branches = branches };
    if (t->size == 0)
        return;
    c.inner = t->size / p->size;
    cg_kernel_begin(l, "choose");
    c.to = cg_place_buffer(l, &to, t, "y", true);
    c.from = cg_place_buffer(l, &from, t, "x", false);
    c.when = cg_place_buffer(l, &when, p, "when", false);
    if (c.inner == 1)
        cg_strip_mine(l, cg_kind_of_all(l), p->size, cg_lanes(l, ir_bits(t->dtype)), false,
                      choose_element, &c);
    else
        cg_strip_mine(l, cg_kind_of_all(l), p->size, 1, true, choose_example, &c);
    cg_kernel_call(l);
}

static void
any_step(cg_lowering *l, void *user, cg_ix i)
{
    const uint32_t *b = user;
    cg_val at = cg_i64(&l->b, 0), x = cg_load(&l->b, b[0], cg_ix_value(&l->ix, &l->b, i), 0);
    cg_store(&l->b, b[1], at, cg_insn2(&l->b, SC_or, COT_BOOL, cg_load(&l->b, b[1], at, 0), x),
             0);
}

/* Is any example active?  A BOOL of the entry. */
cg_val
cg_plan_any(cg_lowering *l, cg_place p, const ir_type *t)
{
    cg_val zero = cg_i64(&l->entry, 0);
    if (t->rank > 0) {
        const ir_type *one = ir_scalar_type(l->ctx, COT_BOOL);
        cg_place any = cg_plan_new(l, "any", one);
        uint32_t b[2];
        cg_kernel_begin(l, "any");
        b[0] = cg_place_buffer(l, &p, t, "x", false);
        b[1] = cg_place_buffer(l, &any, one, "any", true);
        cg_store(&l->b, b[1], cg_i64(&l->b, 0), cg_const(&l->b, COT_BOOL, 0), 0);
        cg_strip_mine(l, CG_SERIAL, t->size, 1, true, any_step, b);
        cg_kernel_call(l);
        p = any;
    }
    cg_plan_touch(l, p.buffer);
    return cg_load(&l->entry, p.buffer, p.offset ? p.offset : zero, 0);
}
