/* Programs of n parts, written as text: what the tests of growth and bench/growth.c have in
 * common.  The last function of the text is the program. */
#ifndef TESTS_UNIT_GROWING_H
#define TESTS_UNIT_GROWING_H

#include "ir/buf.h"

typedef void write_program(ir_buf *b, int n);

write_program grow_chain, grow_waves, grow_scalars, grow_convolutions, grow_stack, grow_steps,
    grow_wide, grow_balanced, grow_mlp, grow_residual, grow_rows, grow_updates, grow_moved,
    grow_same_steps, grow_views, grow_calls, grow_nested_calls, grow_large_calls,
    grow_doubled_calls, grow_conds, grow_nested_conds, grow_branches, grow_inouts, grow_scans,
    grow_stacked;

#endif
