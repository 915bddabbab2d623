/* Views as lenses: how a view reads its base, and what the base is after a write to the
 * view. */
#ifndef PASSES_LENS_H
#define PASSES_LENS_H

#include "passes/pass.h"

/* Returns the elements that the view n shows. in: the operands of n, the first of which is the
 * current contents of its base. keep: by the view op itself, otherwise by the op that
 * copies. */
ir_ref pass_lens_get(ir_build *b, const ir_node *n, const ir_ref *in, bool keep);
/* Returns the base after y is written to the view n. */
ir_ref pass_lens_put(ir_build *b, const ir_node *n, const ir_ref *in, ir_ref y);

#endif
