/* An index, read once into the form that reads and updates use. */
#ifndef FRONTEND_SUGAR_AT_H
#define FRONTEND_SUGAR_AT_H

#include "cotrace/index.h"
#include "frontend/sub.h"

enum { FE_AT_NEW = -1, FE_AT_ARRAYS = -2 }; /* in out, beside axes of x */

typedef struct fe_at_selection {
    const char *op;
    const ir_type *t; /* of x */
    int64_t start[COT_MAX_RANK], limit[COT_MAX_RANK], stride[COT_MAX_RANK], size[COT_MAX_RANK];
    ir_axes reversed, taken;    /* taken: by an integer */
    ir_ref array[COT_MAX_RANK]; /* by axis; IR_NONE: none */
    int n_array;
    bool dropped; /* some of them lie outside on purpose: beyond the count of a mask */
    ir_ref valid; /* what does not; IR_NONE: all */
    int rank;     /* of the arrays, together */
    int64_t shape[COT_MAX_RANK];
    int n_out, out[3 * COT_MAX_RANK];
    bool separated, closed; /* arrays with something between; after the first run of them */
    int arrays_at;      /* where in out, or -1 */
    ir_ref mask;        /* an update by a mask alone: where, and its first axis */
    int mask_axis;
} fe_at_selection;

typedef struct fe_at_call {
    cot_value x;
    cot_operand y;
    cot_ats at;
    cot_at_options o;
    cot_update_kind kind;
    bool update;
    const pass_combiner *by; /* the combiner of a traced body; NULL: `kind` says how */
} fe_at_call;

/* The selection that an index makes of a value of type t; false after an error. */
bool fe_at_select(ir_build *b, const fe_at_call *c, const ir_type *t, fe_at_selection *s);

#endif
