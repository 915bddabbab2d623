/* Levels: graphs whose values have places, and the functions that plan their kernels. */
#ifndef CODEGEN_LOWER_LEVEL_H
#define CODEGEN_LOWER_LEVEL_H

#include "codegen/fuse/fuse.h"
#include "codegen/plan/plan.h"

/* A value as a part of a larger one: its first element, and the stride of each of its axes. */
typedef struct cg_concat_part {
    ir_ref v;
    int64_t offset;
    const int64_t *stride;
    bool placed;                /* it is computed in the memory of the larger value */
} cg_concat_part;
typedef struct cg_concat {
    uint32_t n, cap;
    cg_concat_part *part;
} cg_concat;

/* Only the examples whose predicate (a value with leading axes) selects a branch are written.
 * For a loop inside a branch, the predicates of both must select the example. */
typedef struct cg_masked {
    cg_place when;
    const ir_type *type; /* of the predicate */
    int64_t branch, branches;
    const struct cg_masked *outer;
} cg_masked;

/* A graph whose values have places: the function, or the body of a loop or branch. */
struct cg_level {
    const ir_graph *f;
    const cg_fusion *fusion;
    /* by value; set for inputs, and for values that must be in given memory */
    cg_place *place;
    /* by value: the place belongs to an enclosing level and must not be overwritten */
    bool *borrowed;
    /* by value: its parts, if some of them are computed in its memory */
    const cg_concat **concat;
    /* by value: the strides of its axes in its place, if it is not dense */
    const int64_t **stride;
    const cg_masked *
        *mask; /* by value: the examples for which its parts are written; NULL: all */
    uint32_t *maker; /* by value: the number of the last frame whose kernel computes it */
    uint32_t *slice, *next_slice; /* lists of dynamic slices, by value and by node (update.c) */
    ir_map inputs; /* numbers of inputs, from 1 on, by the buffers that they may be in */
    uint32_t at;                /* position in the order of the group that is being planned */
};

cg_level *cg_level_new(cg_lowering *l, const ir_graph *f);
/* Plan the calls that compute f.  The places of inputs are set; those of outputs may be. */
void cg_plan_graph(cg_lowering *l, cg_level *v);
/* A frame over a level for the current kernel, which computes group g. */
cg_frame *cg_level_frame(cg_lowering *l, const cg_level *v, const cg_group *g);
/* Begin a kernel of node n, which has a lowering of its own; returns its frame. */
cg_frame *cg_node_kernel(cg_lowering *l, const cg_level *v, const ir_node *n);
/* windows.c.  Let the frame of group g's kernel bind the part of each value that it reads. */
void cg_bind_windows(cg_lowering *l, const cg_level *v, const cg_group *g, cg_frame *fr);
/* May x be in the memory of a result of g? */
bool cg_is_in_a_result(const cg_lowering *l, const cg_level *v, const cg_group *g, ir_ref x);
/* Compute value x into memory, unless it is there. */
void cg_plan_value(cg_lowering *l, cg_level *v, ir_ref x);
/* May value x be computed in the memory of input c?  It may if nothing reads c after the kernel
 * of x, and that kernel reads c only at the element that it writes. */
bool cg_may_overwrite(cg_lowering *l, const cg_level *v, ir_ref x, ir_ref c);
/* How many operands of n are x? */
int cg_times_among_operands(const ir_node *n, ir_ref x);
/* The input of v whose memory a place is, or may be; IR_NONE: there is none.  The inputs are
 * indexed first, when their places are known. */
void cg_index_inputs(cg_lowering *l, cg_level *v);
ir_ref cg_input_at(const cg_lowering *l, const cg_level *v, cg_place p);

/* concat_elision.c.  Let parts of the value that the group at position i of the order
 * concatenates be computed in its memory; false if none can be. */
bool cg_elide_concat(cg_lowering *l, cg_level *v, uint32_t i);
/* Copy the other parts of y. */
void cg_plan_concat(cg_lowering *l, cg_level *v, ir_ref y);
/* Compute or copy x to `to`, from that element on, with these strides. */
void cg_plan_put(cg_lowering *l, cg_level *v, ir_ref x, cg_place to, int64_t offset,
                 const int64_t *stride);

/* Plan f on operands in memory, with results in `to`. */
typedef void cg_plan_body(cg_lowering *l, const ir_graph *f, const cg_place *in,
                          const cg_place *to);
/* The same by a function that is compiled once (called.c), which `sub` plans. */
void cg_plan_called(cg_lowering *l, const ir_graph *f, cg_plan_body *sub, const cg_place *in,
                    const cg_place *to);

/* The number of that function's kernel; a call of it, with n operands and results, in room of
 * cg_kernel.work_bytes. */
int cg_plan_function(cg_lowering *l, const ir_graph *f, cg_plan_body *sub);
void cg_call_function(cg_lowering *l, int kernel, int n, const cg_place *port, cg_place room);

/* The rules of nodes with a lowering of their own.  cg_plan_update lowers dynamic_update_slice
 * and scatter, cg_plan_argsort also top_k. */
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

/* Plan a while or scan as one kernel with its state in registers; false if its state or body is
 * too large for that. */
bool cg_plan_register_loop(cg_lowering *l, cg_level *v, const cg_group *g, const cg_place *to);
/* Are state and body of loop n of f small enough for registers? cg_plan_register_loop may
 * refuse even so, if results use the memory of operands. */
bool cg_fits_registers(cg_lowering *l, const ir_graph *f, const ir_node *n);

#endif
