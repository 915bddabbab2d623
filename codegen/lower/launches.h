/* What the GPU decides by itself (predicate.h), and what is left to the host: by the number of
 * launches that are made for nothing where a predicate does not hold. */
#ifndef CODEGEN_LOWER_LAUNCHES_H
#define CODEGEN_LOWER_LAUNCHES_H

#include "codegen/lower/level.h"

/* What a number of launches was found for: a graph, or a scan (by its node). */
typedef struct cg_counted {
    struct cg_counted *next;
    const void *of;
    int mode;
    int64_t n;
    const ir_graph *steps;
} cg_counted;

/* Is cond or while n, of f, planned so?  Where none of its regions needs the host, and few
 * launches make the branches, or an iteration; within a region that is, always. */
bool cg_is_predicated(cg_lowering *l, const ir_graph *f, const ir_node *n);

/* Of a while: may an iteration stop at a loop in it, to go on when it is launched again? */
bool cg_iteration_waits(cg_lowering *l, const ir_node *n);
/* Are all its iterations launched at once?  nested: in a loop whose iterations wait. */
bool cg_has_few_iterations(cg_lowering *l, const ir_node *n, bool nested);
/* Else the iterations between two host synchronisations, or of one that goes on with the loop
 * around. */
int64_t cg_iterations_at_once(cg_lowering *l, const ir_node *n, bool syncs);

/* steps.c: scan n, of f, as a graph with a while in it, if its steps hold loops that the device
 * can decide only so; NULL: it is a loop of the entry.  Inputs: consts, carries, xs, then
 * memory for the ys; outputs: carries, ys, over their inputs. */
const ir_graph *cg_steps(cg_lowering *l, const ir_graph *f, const ir_node *n);
/* For steps.c: are all launches of a step known, or else few enough if it may wait? */
bool cg_steps_wait(cg_lowering *l, const ir_graph *body);
bool cg_may_iterate(cg_lowering *l, const ir_node *n);
/* A place to keep what was found; n is -2 in a new one. */
cg_counted *cg_count_of(cg_lowering *l, const void *of, int mode);

#endif
