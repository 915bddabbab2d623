/* Views as lenses: how a view reads its base, and what the base is after a write to the
 * view. */
#ifndef PASSES_LENS_H
#define PASSES_LENS_H

#include "passes/pass.h"

/* in: the operands of the view n, the first of them what its base holds at the moment. */
/* The elements that n shows; keep: by the view itself, else by its copying twin. */
ir_ref pass_lens_get(ir_build *b, const ir_node *n, const ir_ref *in, bool keep);
/* The base with y where n looks at it. */
ir_ref pass_lens_put(ir_build *b, const ir_node *n, const ir_ref *in, ir_ref y);

#endif
