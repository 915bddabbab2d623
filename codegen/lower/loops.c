/* Loops in the entry: kernels of the body of a while or scan inside a loop of kernel 0.
 *
 * With a mapped predicate a step is computed for every example, and the active examples take
 * its results. */
#include "codegen/elemental/element.h"
#include "codegen/lower/launches.h"
#include "codegen/lower/predicate.h"
#include "codegen/lower/subgraph.h"

/* Copy the first values of the carries to their places. */
static void
start_carries(cg_lowering *l, const cg_level *v, const ir_node *n, int first, int carries,
              const cg_place *to)
{
    for (int i = 0; i < carries; i++)
        if (!cg_same_place(v->place[n->in[first + i]], to[i]))
            cg_plan_copy(l, to[i], v->place[n->in[first + i]],
                         ir_type_at(v->f, n->in[first + i]));
}

static cg_level *
body_level(cg_lowering *l, const ir_graph *f, int n, const cg_place *in)
{
    cg_level *b = cg_level_new(l, f);
    for (int i = 0; i < n; i++)
        cg_lend(b, f->in[i], in[i]);
    return b;
}

/* Plan the body of a while once.  Carries are written to `to`, for the active examples. */
static void
plan_iteration(cg_lowering *l, const cg_level *v, const ir_node *n, const cg_place *in,
               const cg_place *to, cg_place active)
{
    const int consts = (int)n->at->loop.consts, carries = n->n_in - consts;
    const ir_type *p = ir_type_at(n->at->loop.cond, n->at->loop.cond->out[0]);
    cg_level *b = body_level(l, n->at->loop.body, n->n_in, in);
    const cg_masked own = { .when = active, .type = p, .branch = 1, .branches = 2 };
    cg_ending end = { .chooses = p->rank > 0,
                      .when = active,
                      .p = p,
                      .branch = 1,
                      .branches = 2,
                      .mask = cg_masks_of(l, v, n, &own) };
    for (int i = 0; i < carries; i++)
        if (!cg_is_chosen(&end, i)) {
            cg_mask_parts(l, b, b->f->out[i], b->f->in[consts + i], end.mask[i]);
            cg_aim_carry(l, b, b->f->out[i], b->f->in[consts + i]);
        }
    end.spare = cg_aim_spares(l, b, consts, carries, to, &end);
    cg_plan_graph(l, b);
    cg_end_step(l, b, carries, to, &end);
}

/* Plan iterations whose kernels test whether the loop continues.  The host synchronises after
 * each chunk of iterations; it never does if one chunk is enough, or if the enclosing loop
 * launches this one again. */
static void
plan_iterations(cg_lowering *l, const cg_level *v, const ir_node *n, const cg_place *in,
                const cg_place *to)
{
    cg_build *e = &l->entry;
    const ir_type *p = ir_type_at(n->at->loop.cond, n->at->loop.cond->out[0]);
    const cg_place outer = l->predicate;
    cg_val loop = 0, go = 0;
    cg_iterations t;
    cg_iterations_begin(l, n, p, &t);
    cg_plan_loop_begin(l);
    if (t.syncs) {
        loop = cg_while_begin(e);
        go = cg_while_carry(e, loop, COT_BOOL, cg_const(e, COT_BOOL, 1));
        cg_while_test(e, loop, go);
    }
    cg_val iterations = cg_loop_of(e, CG_SERIAL, t.at_once);
    l->predicate = t.head;
    cg_plan_sub(l, n->at->loop.cond, in, &t.test);
    cg_iterations_next(l, &t);
    l->predicate = t.word;
    plan_iteration(l, v, n, in, to, t.test);
    cg_iterations_end(l, &t);
    l->predicate = outer;
    cg_loop_end(e, iterations);
    cg_plan_touch(l, t.alive.buffer);
    cg_plan_touch(l, t.test.buffer);
    if (t.syncs) {
        cg_while_next(e, loop, go, cg_load(e, t.alive.buffer, cg_i64(e, 0), 0));
        cg_while_end(e, loop);
    }
    cg_plan_loop_end(l);
    cg_iterations_leave(l, &t);
}

void
cg_plan_while(cg_lowering *l, cg_level *v, const cg_group *g)
{
    const ir_node *n = g->node;
    const ir_graph *cond = n->at->loop.cond;
    const ir_type *p = ir_type_at(cond, cond->out[0]);
    int consts = (int)n->at->loop.consts, carries = n->n_in - consts;
    cg_build *e = &l->entry;
    cg_place *to = cg_place_results(l, v, n), *in = cg_operand_places(l, v, n);
    if (cg_plan_register_loop(l, v, g, to))
        return;
    start_carries(l, v, n, consts, carries, to);
    memcpy(in + consts, to, sizeof *in * (size_t)carries);
    if (p->size == 0)
        return;
    if (cg_is_predicated(l, v->f, n)) {
        plan_iterations(l, v, n, in, to);
        return;
    }
    cg_plan_loop_begin(l);
    cg_val loop = cg_while_begin(e);
    cg_val count = n->at->loop.max > 0 ? cg_while_carry(e, loop, COT_I64, cg_i64(e, 0)) : 0;
    cg_place active = cg_plan_new(l, "active", p);
    cg_plan_sub(l, cond, in, &active);
    cg_val go = cg_plan_any(l, active, p);
    if (count) {
        cg_val over = cg_insn2(e, SC_le, COT_I64, cg_i64(e, n->at->loop.max), count);
        cg_fail_if(e, cg_insn2(e, SC_and, COT_BOOL, go, over), COT_ERR_BOUND);
    }
    cg_while_test(e, loop, go);
    plan_iteration(l, v, n, in, to, active);
    if (count)
        cg_while_next(e, loop, count, cg_iadd(e, count, cg_i64(e, 1)));
    cg_plan_touch(l, active.buffer);
    cg_while_end(e, loop);
    cg_plan_loop_end(l);
    cg_plan_settle(l, carries, to);
}

/* Is y computed by a map of its own, read by nothing, and one result only? */
static bool
is_alone(const cg_level *b, ir_ref y)
{
    int times = 0;
    for (int i = 0; i < b->f->n_out; i++)
        times += b->f->out[i] == y;
    for (uint32_t i = 0; i < b->fusion->n && times == 1 && b->fusion->readers[y] == 0; i++) {
        const cg_group *g = &b->fusion->group[i];
        if (g->n == 1 && g->v[0] == y)
            return g->kind == CG_GROUP_MAP;
    }
    return false;
}

/* Let a collected result be computed directly in its memory, if it can be. */
static void
aim_step(cg_level *b, ir_ref y, cg_place to, const int64_t *stride)
{
    if (b->place[y].set || (stride && !is_alone(b, y)))
        return;
    b->place[y] = to;
    if (stride)
        b->stride[y] = stride + 1;
}

static void
end_collected(cg_lowering *l, cg_level *b, ir_ref y, cg_place to, const int64_t *stride)
{
    if (cg_same_place(b->place[y], to))
        return;
    if (stride)
        cg_plan_put(l, b, y, to, 0, stride + 1);
    else
        cg_plan_copy(l, to, b->place[y], ir_type_at(b->f, y));
}

/* Plan the scan as a while that the GPU decides (steps.c); ys are written to their memory
 * directly. */
static void
plan_steps(cg_lowering *l, const cg_level *v, const ir_node *n, const ir_graph *steps,
           const cg_place *in, const cg_place *to)
{
    const int carries = (int)n->at->scan.carries;
    cg_level *b = body_level(l, steps, n->n_in, in);
    for (int i = carries; i < n->n_out; i++)
        cg_lend(b, steps->in[n->n_in + i - carries], to[i]);
    for (int i = 0; i < carries; i++)
        cg_mask_parts(l, b, steps->out[i], steps->in[n->at->scan.consts + i],
                      v->mask[n->first + (ir_ref)i]);
    l->plan->now++;
    for (int i = 0; i < n->n_out; i++)
        cg_plan_touch(l, to[i].buffer);
    cg_aim_outputs(b, to);
    cg_plan_graph(l, b);
    cg_copy_outputs(l, b, to);
}

/* Collected results are alive during every step, whichever kernel of the body writes them. */
static void
touch_collected(cg_lowering *l, const ir_node *n, const cg_place *to)
{
    for (int i = (int)n->at->scan.carries; i < n->n_out; i++)
        cg_plan_touch(l, to[i].buffer);
}

/* The places of one iteration of the loop: in[] becomes the step's part of each operand that is
 * scanned; the result is its part of each result that is collected. */
static cg_place *
step_places(cg_lowering *l, const cg_level *v, const ir_node *n, cg_val loop, cg_place *in,
            const cg_place *to)
{
    const ir_graph *f = n->at->scan.body;
    const int carries = (int)n->at->scan.carries;
    const int64_t *const *stride = (const int64_t *const *)v->stride + n->first;
    cg_build *e = &l->entry;
    cg_place *ys = IR_NEW_N(l->arena, cg_place, n->n_out + 1);
    cg_val t = cg_loop_var(e, loop);

    if (n->at->scan.reverse)
        t = cg_isub(e, cg_i64(e, n->at->scan.length - 1), t);
    for (int i = (int)n->at->scan.consts + carries; i < n->n_in; i++)
        in[i] = cg_place_at(l, in[i], cg_imul(e, t, ir_type_at(f, f->in[i])->size));
    for (int i = carries; i < n->n_out; i++)
        ys[i] = cg_place_at(
            l, to[i], cg_imul(e, t, stride[i] ? stride[i][0] : ir_type_at(f, f->out[i])->size));
    return ys;
}

/* The kernels of one iteration: carries are computed where they lie, as far as that is allowed,
 * and collected results in the memory of their step. */
static void
plan_scan_step(cg_lowering *l, const cg_level *v, const ir_node *n, const cg_place *in,
               const cg_place *to, const cg_place *ys)
{
    const ir_graph *f = n->at->scan.body;
    const int consts = (int)n->at->scan.consts, carries = (int)n->at->scan.carries;
    const int64_t *const *stride = (const int64_t *const *)v->stride + n->first;
    cg_level *b = body_level(l, f, n->n_in, in);
    cg_ending end = { .mask = cg_masks_of(
                          l, v, n, &(cg_masked){ .type = ir_scalar_type(l->ctx, COT_BOOL) }) };

    for (int i = 0; i < carries; i++) {
        cg_mask_parts(l, b, b->f->out[i], b->f->in[consts + i], end.mask[i]);
        cg_aim_carry(l, b, b->f->out[i], b->f->in[consts + i]);
    }
    for (int i = carries; i < n->n_out; i++)
        aim_step(b, f->out[i], ys[i], stride[i]);
    end.spare = cg_aim_spares(l, b, consts, carries, to, &end);
    cg_plan_graph(l, b);
    for (int i = carries; i < n->n_out; i++)
        end_collected(l, b, f->out[i], ys[i], stride[i]);
    cg_end_step(l, b, carries, to, &end);
}

void
cg_plan_scan(cg_lowering *l, cg_level *v, const cg_group *g)
{
    const ir_node *n = g->node;
    const int consts = (int)n->at->scan.consts, carries = (int)n->at->scan.carries;
    cg_build *e = &l->entry;
    cg_place *to = cg_place_results(l, v, n), *in = cg_operand_places(l, v, n);
    const ir_graph *steps;

    if (cg_plan_register_loop(l, v, g, to) || cg_plan_shared_scan(l, v, n, in, to))
        return;
    if ((steps = cg_steps(l, v->f, n)) != NULL) {
        plan_steps(l, v, n, steps, in, to);
        return;
    }
    start_carries(l, v, n, consts, carries, to);
    memcpy(in + consts, to, sizeof *in * (size_t)carries);
    if (n->at->scan.length == 0)
        return;
    touch_collected(l, n, to);
    cg_plan_loop_begin(l);
    touch_collected(l, n, to); /* through all steps, from the first on */
    cg_val loop = cg_loop_of(e, CG_SERIAL, n->at->scan.length);
    const cg_place *ys = step_places(l, v, n, loop, in, to);
    plan_scan_step(l, v, n, in, to, ys);
    cg_loop_end(e, loop);
    cg_plan_loop_end(l);
    cg_plan_settle(l, carries, to);
}
