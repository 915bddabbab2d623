/* How many kernels a region launches.
 *
 * A skipped launch takes a microsecond or two.  A host synchronisation takes some ten, during
 * which the GPU is idle.  So the device decides a cond whose branches have few launches.  In a
 * loop the host synchronises once in several iterations, so an iteration may have more
 * launches; the more it has, the fewer iterations lie between two synchronisations.
 *
 * The number of iterations of an inner loop is not known.  If the region is an iteration of a
 * loop, that iteration may wait for the inner loop (predicate.c): the inner loop then counts
 * for what is launched at a time. */
#include "codegen/lower/launches.h"

#include "codegen/lower/predicate.h"
#include "codegen/tuning.h"

/* What may be done about an inner loop whose number of iterations is not known. */
typedef enum waiting {
    NOTHING,
    WAITS, /* the enclosing iteration is launched again */
    SYNCHRONISES /* the host asks the device whether to continue */
} waiting;

static int64_t
add(int64_t x, int64_t y)
{
    return x < 0 || y < 0 || x + y > CG_LOWER_MAX_ITERATION_LAUNCHES ? -1 : x + y;
}

static int64_t
times(int64_t n, int64_t x)
{
    return x < 0 || (x > 0 && n > CG_LOWER_MAX_ITERATION_LAUNCHES / x) ? -1 : n * x;
}

static int64_t
within_limit(int64_t most, int64_t x)
{
    return x > most ? -1 : x;
}

static int64_t launches(cg_lowering *l, const ir_graph *f, waiting w);

static int64_t
launches_of_cond(cg_lowering *l, const ir_graph *f, const ir_node *n, waiting w)
{
    const ir_graphs branch = n->at->cond.branches;
    const bool mapped = ir_type_at(f, n->in[0])->rank > 0;
    int64_t all = 1;

    for (int k = 0; k < branch.n; k++)
        all = add(all, add(launches(l, branch.at[k], w), mapped ? n->n_out : 0));
    return mapped ? all : within_limit(CG_LOWER_MAX_LAUNCHES, all);
}

/* The launches of an iteration of a while: the condition, the predicate, and the body, which
 * may wait for loops inside it. */
static int64_t
launches_of_iteration(cg_lowering *l, const ir_node *n)
{
    int64_t launched = launches(l, n->at->loop.body, WAITS);
    return add(add(launches(l, n->at->loop.cond, NOTHING), 1), launched);
}

bool
cg_iteration_waits(cg_lowering *l, const ir_node *n)
{
    return launches(l, n->at->loop.body, NOTHING) < 0;
}

bool
cg_has_few_iterations(cg_lowering *l, const ir_node *n, bool nested)
{
    const int64_t max = n->at->loop.max, iteration = launches_of_iteration(l, n);

    if (max <= 0 || max >= CG_LOWER_LAUNCHED_ITERATIONS || iteration < 0 ||
        iteration > CG_LOWER_MAX_LAUNCHES || cg_iteration_waits(l, n))
        return false;
    return !nested || (max + 1) * iteration <= CG_LOWER_MAX_LAUNCHES;
}

int64_t
cg_iterations_at_once(cg_lowering *l, const ir_node *n, bool syncs)
{
    const int64_t iteration = launches_of_iteration(l, n),
                  most = syncs ? CG_LOWER_LAUNCHED_ITERATIONS : CG_LOWER_RESUMED_ITERATIONS;
    const int64_t n_iterations = iteration > 0 ? most * CG_LOWER_MAX_LAUNCHES / iteration : 1;

    if (!syncs && cg_iteration_waits(l, n))
        return 1;
    return n_iterations < 1 ? 1 : n_iterations > most ? most : n_iterations;
}

static int64_t
launches_of_while(cg_lowering *l, const ir_node *n, waiting w)
{
    const int64_t iteration = launches_of_iteration(l, n);

    if (cg_has_few_iterations(l, n, true))
        return times(n->at->loop.max + 1, iteration);
    return w == NOTHING
               ? -1
               : add(2, times(cg_iterations_at_once(l, n, w == SYNCHRONISES), iteration));
}

static int64_t
launches_of_scan(cg_lowering *l, const ir_graph *f, const ir_node *n, waiting w)
{
    const ir_graph *steps = cg_steps(l, f, n);

    return steps ? launches(l, steps, w)
                 : times(n->at->scan.length, launches(l, n->at->scan.body, NOTHING));
}

static int64_t
launches_of_node(cg_lowering *l, const ir_graph *f, const ir_node *n, waiting w)
{
    switch (n->op) {
    case OP_call: return launches(l, n->at->call.body, w);
    case OP_cond: return launches_of_cond(l, f, n, w);
    case OP_while: return cg_fits_registers(l, f, n) ? 1 : launches_of_while(l, n, w);
    case OP_scan: return cg_fits_registers(l, f, n) ? 1 : launches_of_scan(l, f, n, w);
    case OP_custom_call: return -1;
    default: return ir_ops[n->op].flag == IR_LINE ? 4 : 2;
    }
}

cg_counted *
cg_count_of(cg_lowering *l, const void *of, int mode)
{
    cg_counted *c = l->counted;

    while (c && (c->of != of || c->mode != mode))
        c = c->next;
    if (c)
        return c;
    c = IR_NEW(l->arena, cg_counted);
    *c = (cg_counted){ .next = l->counted, .of = of, .mode = mode, .n = -2 };
    l->counted = c;
    return c;
}

/* About how many kernels compute f; -1: too many, or f needs the host. */
static int64_t
launches(cg_lowering *l, const ir_graph *f, waiting w)
{
    cg_counted *known = cg_count_of(l, f, (int)w);

    if (known->n >= -1)
        return known->n;
    const cg_fusion *fusion = cg_fuse(l, f);
    int64_t all = f->n_out;     /* copies of results to their places */

    for (uint32_t i = 0; i < fusion->n; i++) {
        const cg_group *g = &fusion->group[i];

        all = add(all, g->kind == CG_GROUP_NODE ? launches_of_node(l, f, g->node, w) : 1);
    }
    known->n = all;
    return all;
}

bool
cg_is_predicated(cg_lowering *l, const ir_graph *f, const ir_node *n)
{
    if (!l->target.grid || l->predicate.set)
        return l->target.grid;
    return n->op == OP_cond ? launches_of_cond(l, f, n, SYNCHRONISES) >= 0
                            : cg_may_iterate(l, n);
}

bool
cg_may_iterate(cg_lowering *l, const ir_node *n)
{
    return launches_of_iteration(l, n) >= 0;
}

bool
cg_steps_wait(cg_lowering *l, const ir_graph *body)
{
    return launches(l, body, NOTHING) < 0 && launches(l, body, WAITS) >= 0;
}
