/* Branches and loops that the GPU decides by itself.
 *
 * A predicate is a word of the work block.  Kernels of a branch or of a loop body are launched
 * in any case and read the word first: if it is false they end at once and touch nothing
 * (cg_grid_predicate).  A skipped launch has the same effect as no launch, so updates in
 * place, places and lifetimes are planned as if the host decided.  Therefore such a region
 * must consist of kernels: copies are kernels too, and a region with a foreign function is
 * left to the host.
 *
 *   cond     one kernel turns the index into a word for each branch; all branches follow
 *   while    some iterations at a time (launches.h): the test, a kernel that decides whether
 *            the loop continues (and counts iterations if they are bounded), the body; then the
 *            host reads the word
 *
 * A loop of many iterations in the body of another is launched for a few iterations at a time.
 * If it has not ended by then, the outer iteration waits: its other kernels are skipped until
 * the outer loop is launched again, which skips what precedes the inner loop and continues in
 * it.  Of nested loops, the host thus synchronises for the outermost alone, once in several
 * launches of its body, and these launches are the same each time.  The words of such a loop:
 *
 *   alive    the loop has not ended
 *   head     (if its iterations wait) the previous iteration has ended, so the test is due
 *   word     the test held, so the body is due up to the first inner loop.  What follows an
 *            inner loop runs if that was alive and no longer is.  What follows a cond with such
 *            a loop in a branch runs when any branch has ended
 *
 * Skipped kernels touch nothing, so all that runs is in source order, and the plan of memory
 * holds.  Kernels that write words are not skipped: a word of nested loops therefore has
 * memory of its own from before the outermost loop to its end.
 *
 * A word is true only if the word of the enclosing region is, which kernels that write words
 * test themselves. */
#include "codegen/lower/predicate.h"

#include "codegen/elemental/element.h"
#include "codegen/kernel/grid.h"
#include "codegen/lower/launches.h"
#include "codegen/tuning.h"

enum { WARPS = CG_LOWER_PREDICATE_WARPS };

/* -- kernels that write words -------------------------------------------------------------- */

/* Start calling kernels without a predicate; returns the old one, which the caller restores. */
static cg_place
leave_predicate(cg_lowering *l)
{
    const cg_place outer = l->predicate;

    l->predicate = (cg_place){ 0 };
    return outer;
}

/* The word of the enclosing region, in the current kernel; true if there is none. */
static cg_val
predicate_around(cg_lowering *l, cg_place outer)
{
    if (!outer.set)
        return cg_const(&l->b, COT_BOOL, 1);
    cg_val zero = cg_i64(&l->b, 0);
    return cg_load(&l->b, cg_predicate_buffer(l, outer, false), zero, 0);
}

/* Memory for a word, or a count, that kernels without a predicate write. */
static cg_place
new_predicate(cg_lowering *l, const char *name, cot_dtype t)
{
    const cg_place p = cg_plan_new(l, name, ir_scalar_type(l->ctx, t));

    if (l->nest)
        cg_plan_touch_since(l, p.buffer, l->nest->since);
    return p;
}

static cg_val
load_predicate(cg_lowering *l, cg_place word)
{
    cg_val zero = cg_i64(&l->b, 0);
    return cg_load(&l->b, cg_predicate_buffer(l, word, true), zero, 0);
}

static void
store_predicate(cg_lowering *l, cg_place word, cg_val x)
{
    cg_val zero = cg_i64(&l->b, 0);
    cg_store(&l->b, cg_predicate_buffer(l, word, true), zero, x, 0);
}

static cg_val
both(cg_lowering *l, cg_val x, cg_val y)
{
    return cg_insn2(&l->b, SC_and, COT_BOOL, x, y);
}

static cg_val
either(cg_lowering *l, cg_val x, cg_val y)
{
    return cg_insn2(&l->b, SC_or, COT_BOOL, x, y);
}

static cg_val
is_not(cg_lowering *l, cg_val x)
{
    return cg_insn1(&l->b, SC_not, COT_BOOL, x);
}

cg_place *
cg_predicate_branches(cg_lowering *l, cg_place when, const ir_type *index, int branches)
{
    const cg_place outer = leave_predicate(l);
    cg_place *word = IR_NEW_N(l->arena, cg_place, branches + 1);
    cg_val x, around;

    for (int k = 0; k < branches; k++)
        word[k] = new_predicate(l, "branch", COT_BOOL);
    cg_kernel_begin(l, "branch");
    cg_val zero = cg_i64(&l->b, 0);
    x = cg_load(&l->b, cg_place_buffer(l, &when, index, "index", false), zero, 0);
    around = predicate_around(l, outer);
    for (int k = 0; k < branches; k++) {
        cg_val is = cg_is_branch(&l->b, x, index->dtype, k, branches);

        cg_val value = cg_insn2(&l->b, SC_and, COT_BOOL, is, around);
        cg_val zero = cg_i64(&l->b, 0);
        cg_store(&l->b, cg_predicate_buffer(l, word[k], true), zero, value, 0);
    }
    cg_kernel_call(l);
    l->predicate = outer;
    return word;
}

static bool
same_predicate(cg_place x, cg_place y)
{
    return x.buffer == y.buffer;
}

cg_place
cg_predicate_join(cg_lowering *l, int n, const cg_place *word, const cg_place *end)
{
    const cg_place outer = l->predicate;
    bool waits = false;
    cg_place join;
    cg_val any = 0;

    for (int k = 0; k < n; k++)
        waits |= !same_predicate(word[k], end[k]);
    if (!waits)
        return outer;
    join = new_predicate(l, "join", COT_BOOL);
    leave_predicate(l);
    cg_kernel_begin(l, "join");
    for (int k = 0; k < n; k++) {
        cg_val zero = cg_i64(&l->b, 0);
        cg_val x = cg_load(&l->b, cg_predicate_buffer(l, end[k], false), zero, 0);

        any = any ? either(l, any, x) : x;
    }
    store_predicate(l, join, any);
    cg_kernel_call(l);
    l->predicate = outer;
    return join;
}

/* -- iterations ---------------------------------------------------------------------------- */

static uint32_t
count_buffer(cg_lowering *l, const cg_iterations *t)
{
    return cg_place_buffer(l, &t->count, ir_scalar_type(l->ctx, COT_I64), "iterations", true);
}

/* Set the words before the first iteration.  A loop that resumes does so in each launch; unless
 * the launch begins the loop, its words keep their values. */
static void
begin_predicates(cg_lowering *l, const cg_iterations *t, cg_place outer)
{
    cg_val begins = predicate_around(l, outer), alive = begins, head = begins;

    if (t->resumes) {
        cg_val zero = cg_i64(&l->b, 0);
        cg_val old = cg_load(&l->b, cg_predicate_buffer(l, t->outer->fresh, false), zero, 0);

        cg_val right = is_not(l, old);
        old = both(l, load_predicate(l, t->alive), right);
        alive = either(l, begins, old);
        store_predicate(l, t->was, alive);
        if (t->waits)
            head = either(l, begins, both(l, old, load_predicate(l, t->head)));
    }
    store_predicate(l, t->alive, alive);
    if (t->waits)
        store_predicate(l, t->head, head);
    if (t->waits && t->syncs)
        store_predicate(l, t->nest.fresh, cg_const(&l->b, COT_BOOL, 1));
    if (t->max > 0) {
        const uint32_t count = count_buffer(l, t);
        cg_val zero = cg_i64(&l->b, 0), first = zero;

        if (t->resumes)
            first = cg_insn3(&l->b, SC_select, COT_I64, begins, zero,
                             cg_load(&l->b, count, zero, 0));
        cg_store(&l->b, count, zero, first, 0);
    }
}

void
cg_iterations_begin(cg_lowering *l, const ir_node *n, const ir_type *p, cg_iterations *t)
{
    const cg_place outer = leave_predicate(l);
    const bool waits = cg_iteration_waits(l, n);
    const bool few = cg_has_few_iterations(l, n, l->nest != NULL);

    *t = (cg_iterations){ .max = n->at->loop.max, .p = p, .outer = l->nest };
    t->syncs = !few && !l->nest;
    t->resumes = !few && l->nest;
    t->waits = waits;
    t->at_once = few ? t->max + 1 : cg_iterations_at_once(l, n, t->syncs);
    if (t->waits && t->syncs) {
        t->nest.since = ++l->plan->now;
        t->nest.fresh = cg_plan_new(l, "fresh", ir_scalar_type(l->ctx, COT_BOOL));
        l->nest = &t->nest;
    }
    t->alive = t->head = t->word = new_predicate(l, "active", COT_BOOL);
    if (t->waits) {
        t->head = new_predicate(l, "head", COT_BOOL);
        t->word = new_predicate(l, "word", COT_BOOL);
    }
    if (t->resumes)
        t->was = new_predicate(l, "was", COT_BOOL);
    if (t->max > 0)
        t->count = new_predicate(l, "iterations", COT_I64);
    t->test = cg_plan_new(l, "test", p);
    cg_kernel_begin(l, "begin");
    begin_predicates(l, t, outer);
    cg_kernel_call(l);
    l->predicate = outer;
}

/* Does the test hold for any example?  A block searches, and all its threads get the answer. */
static cg_val
any_example(cg_lowering *l, uint32_t test, int64_t n)
{
    cg_build *b = &l->b;
    const int64_t at_once = WARPS * CG_WARP;
    cg_val zero = cg_i64(b, 0), size = cg_i64(b, n);
    cg_val warps = cg_loop_begin(b, CG_WARPS, zero, cg_i64(b, WARPS), 1, 0);
    cg_val lanes = cg_loop_begin(b, CG_LANES, zero, cg_i64(b, CG_WARP), 1, 0);
    cg_val first =
        cg_iadd(b, cg_imul(b, cg_loop_var(b, warps), CG_WARP), cg_loop_var(b, lanes));
    cg_val steps =
        cg_loop_begin(b, CG_SERIAL, zero, cg_i64(b, (n + at_once - 1) / at_once), 1, 0);
    cg_val any = cg_loop_carry(b, steps, COT_BOOL, cg_const(b, COT_BOOL, 0));
    cg_val i = cg_iadd(b, cg_imul(b, cg_loop_var(b, steps), at_once), first);
    cg_val x = cg_load(b, test, i, cg_insn2(b, SC_lt, COT_I64, i, size));

    cg_loop_next(b, steps, any, cg_insn2(b, SC_or, COT_BOOL, any, x));
    cg_loop_end(b, steps);
    cg_loop_reduce(b, lanes, CG_FOLD, SC_or, COT_BOOL, cg_loop_result(b, steps, 0));
    cg_loop_end(b, lanes);
    cg_loop_reduce(b, warps, CG_TREE, SC_or, COT_BOOL, cg_loop_result(b, lanes, 0));
    cg_loop_end(b, warps);
    return cg_loop_result(b, warps, 0);
}

/* Decide, in one thread, whether the loop continues.  A loop that exceeds its number of
 * iterations ends with an error. */
static void
take_iteration(cg_lowering *l, const cg_iterations *t, cg_val any)
{
    cg_build *b = &l->b;
    cg_val zero = cg_i64(b, 0), due = load_predicate(l, t->head), go = both(l, any, due),
           on = go;

    if (t->max > 0) {
        const uint32_t count = count_buffer(l, t);
        cg_val iterations = cg_load(b, count, zero, 0);
        cg_val over = cg_insn2(b, SC_le, COT_I64, cg_i64(b, t->max), iterations);
        cg_val one = cg_insn3(b, SC_select, COT_I64, due, cg_i64(b, 1), zero);

        cg_store(b, count, zero, cg_iadd(b, iterations, one), 0);
        on = both(l, go, is_not(l, over));
        go = both(l, go, over);
    }
    store_predicate(l, t->word, on);
    if (t->waits)
        store_predicate(l, t->alive,
                        cg_insn3(b, SC_select, COT_BOOL, due, on, load_predicate(l, t->alive)));
    if (t->max > 0)
        cg_fail_if(b, go, COT_ERR_BOUND);
}

void
cg_iterations_next(cg_lowering *l, const cg_iterations *t)
{
    const cg_place outer = leave_predicate(l);
    cg_build *b = &l->b;
    uint32_t test;

    cg_kernel_begin(l, "iteration");
    test = cg_place_buffer(l, &t->test, t->p, "test", false);
    if (t->p->size == 1) {
        take_iteration(l, t, cg_load(b, test, cg_i64(b, 0), 0));
    } else {
        cg_val any = any_example(l, test, t->p->size);
        cg_val one = cg_loop_of(b, CG_BLOCK, 1);

        take_iteration(l, t, any);
        cg_loop_end(b, one);
    }
    cg_kernel_call(l);
    l->predicate = outer;
}

void
cg_iterations_end(cg_lowering *l, const cg_iterations *t)
{
    const cg_place last = l->predicate;

    if (!t->waits)
        return;
    leave_predicate(l);
    cg_kernel_begin(l, "next");
    cg_val zero = cg_i64(&l->b, 0);
    store_predicate(l, t->head, cg_load(&l->b, cg_predicate_buffer(l, last, false), zero, 0));
    if (t->syncs)
        store_predicate(l, t->nest.fresh, cg_const(&l->b, COT_BOOL, 0));
    cg_kernel_call(l);
    l->predicate = last;
}

void
cg_iterations_leave(cg_lowering *l, const cg_iterations *t)
{
    cg_place over;

    l->nest = t->outer;
    if (!t->resumes)
        return;
    over = new_predicate(l, "over", COT_BOOL);
    leave_predicate(l);
    cg_kernel_begin(l, "over");
    cg_val right = is_not(l, load_predicate(l, t->alive));
    store_predicate(l, over, both(l, load_predicate(l, t->was), right));
    cg_kernel_call(l);
    l->predicate = over;
}
