/* Which conditionals and loops the GPU decides by itself (predicate.c), and which the host
 * decides: that depends on how many launches would be skipped when a predicate is false. */
#ifndef CODEGEN_LOWER_LAUNCHES_H
#define CODEGEN_LOWER_LAUNCHES_H

#include "codegen/lower/level.h"

/* Cached facts about a graph, or about a scan (by its node): its number of launches, or the
 * graph of its steps. */
typedef struct cg_counted {
    struct cg_counted *next;
    const void *of;
    int mode;
    int64_t n;
    const ir_graph *steps;
} cg_counted;

/* Does the GPU decide cond or while n of f?  It does if none of its regions needs the host, and
 * its branches, or an iteration, have few launches.  Inside a region that the GPU decides it
 * always does. */
bool cg_is_predicated(cg_lowering *l, const ir_graph *f, const ir_node *n);

/* May an iteration of while n wait for a loop inside it, and continue when it is launched
 * again? */
bool cg_iteration_waits(cg_lowering *l, const ir_node *n);
/* Are all iterations of while n launched at once? nested: it is inside a loop whose iterations
 * wait. */
bool cg_has_few_iterations(cg_lowering *l, const ir_node *n, bool nested);
/* Otherwise: how many iterations are launched between two host synchronisations (syncs), or in
 * each iteration of the enclosing loop. */
int64_t cg_iterations_at_once(cg_lowering *l, const ir_node *n, bool syncs);

/* steps.c.  If the steps of scan n contain loops that the GPU can only decide in a while: the
 * scan as a graph with a while.  NULL: it is a loop of the entry.  The inputs of the graph are
 * consts, carries, xs, then memory for the ys; its outputs are carries and ys, in the memory of
 * these inputs. */
const ir_graph *cg_steps(cg_lowering *l, const ir_graph *f, const ir_node *n);
/* For steps.c: can the GPU run this body only if its iterations may wait? */
bool cg_steps_wait(cg_lowering *l, const ir_graph *body);
/* Has an iteration of while n few enough launches for the GPU to decide the loop? */
bool cg_may_iterate(cg_lowering *l, const ir_node *n);
/* The cached record of a graph or node; n is -2 in a new one. */
cg_counted *cg_count_of(cg_lowering *l, const void *of, int mode);

#endif
