/* A graph whose values have places, and what plans its kernels. */
#ifndef CODEGEN_LOWER_LEVEL_H
#define CODEGEN_LOWER_LEVEL_H

#include "codegen/fuse/fuse.h"
#include "codegen/plan/plan.h"

/* A value as a part of a larger one: its first element, and how far apart elements are along
 * each of its axes. */
typedef struct cg_concat_part {
    ir_ref v;
    int64_t offset;
    const int64_t *stride;
    bool placed;                /* it is made where it belongs */
} cg_concat_part;
typedef struct cg_concat {
    uint32_t n, cap;
    cg_concat_part *piece;
} cg_concat;

/* Of examples, those that a predicate with leading axes sends to a branch: only theirs is
 * written.  In a loop within a branch both must. */
typedef struct cg_masked {
    cg_place when;
    const ir_type *type; /* of the predicate */
    int64_t branch, branches;
    const struct cg_masked *outer;
} cg_masked;

/* A graph whose values have places: the function, or the body of a loop or a branch. */
struct cg_level {
    const ir_graph *f;
    const cg_fusion *fusion;
    cg_place *place;            /* for each value; set for inputs, and where results must go */
    bool *borrowed;             /* the place belongs to someone else: not to be written over */
    const cg_concat **concat; /* for each value: its pieces, if some are made in it */
    /* for each value: of its axes at its place, if it is not dense */
    const int64_t **stride;
    const cg_masked *
        *mask; /* for each value: for which examples its parts are written; NULL: all */
    uint32_t *maker; /* for each value: the last frame whose kernel makes it      */
    uint32_t *slice, *next_slice; /* lists of dynamic slices, by value and by node (update.c) */
    uint32_t at;                /* the group being planned, by its place in the order        */
};

cg_level *cg_level_new(cg_lowering *l, const ir_graph *f);
/* Emit the calls that compute f: inputs' places are set; outputs' places may be. */
void cg_plan_graph(cg_lowering *l, cg_level *v);
/* A frame over a level, in the kernel in hand. */
cg_frame *cg_level_frame(cg_lowering *l, const cg_level *v, const cg_group *g);
/* Put value x in memory, if it is not there. */
void cg_plan_value(cg_lowering *l, cg_level *v, ir_ref x);
/* May value x be computed where input c is?  Nobody reads c after x's kernel, which itself
 * reads c only at the element it writes. */
bool cg_may_overwrite(cg_lowering *l, const cg_level *v, ir_ref x, ir_ref c);
/* How many operands of n are x? */
int cg_times_among_operands(const ir_node *n, ir_ref x);
/* The input of v whose memory a place is, or may be; IR_NONE if there is none. */
ir_ref cg_input_at(const cg_lowering *l, const cg_level *v, cg_place p);

/* concat_elision.c: what group i of the order puts together is made there, as far as it can
 * be; false if none of it. */
bool cg_elide_concat(cg_lowering *l, cg_level *v, uint32_t i);
/* The rest of it. */
void cg_plan_concat(cg_lowering *l, cg_level *v, ir_ref y);
/* x, computed or copied, to elements of `to`. */
void cg_plan_put(cg_lowering *l, cg_level *v, ir_ref x, cg_place to, int64_t offset,
                 const int64_t *stride);

/* f on operands that are in memory, results to `to`. */
typedef void cg_plan_body(cg_lowering *l, const ir_graph *f, const cg_place *in,
                          const cg_place *to);
/* The same by a function that is compiled once (called.c); sub: what plans it. */
void cg_plan_called(cg_lowering *l, const ir_graph *f, cg_plan_body *sub, const cg_place *in,
                    const cg_place *to);

/* Nodes with a lowering of their own. */
/* dynamic_update_slice, scatter */
cg_node_rule cg_plan_update;
cg_node_rule cg_plan_argsort;
cg_node_rule cg_plan_fft;
cg_node_rule cg_plan_cumulate;
cg_node_rule cg_plan_dot;
cg_node_rule cg_plan_call;
cg_node_rule cg_plan_cond;
cg_node_rule cg_plan_while;
cg_node_rule cg_plan_foreign;
cg_node_rule cg_plan_scan;

/* A while or scan in registers, in one kernel; false if its state or body is too large for
 * that. */
bool cg_plan_register_loop(cg_lowering *l, cg_level *v, const cg_group *g, const cg_place *to);
/* Are they of n, of f, small enough for that?  (Where results take the place of operands,
 * cg_plan_register_loop may refuse even so.) */
bool cg_fits_registers(cg_lowering *l, const ir_graph *f, const ir_node *n);

#endif
