/* pass_own: what a call begins with.
 *
 * All processes call with the same arguments.  That cannot be compared in whole without reading
 * all of them at each call; but what is short is, and what keys of random numbers look like:
 * scalars, step sizes, counters, seeds.  Their bytes are hashed, and the hash is compared
 * with that of the program. */
#include "passes/own.h"

enum { SHORT = 64, KEYS = 1 << 16 }; /* bytes */

/* Is an argument compared?  A key is a pair of words, and an array of them ends with that. */
static bool
is_compared(const ir_type *t)
{
    const int64_t bytes = t->size * (int64_t)cot_dtype_size(t->dtype);
    const bool keys = ir_is_unsigned(t->dtype) && t->rank > 0 && t->dims[t->rank - 1] == 2;

    return bytes > 0 && bytes <= (keys ? KEYS : SHORT);
}

ir_ref
pass_own_noted(ir_build *b, const char *prototype, int n, const ir_ref *x)
{
    const ir_type *t = ir_type_new(b->ctx, COT_I64, 0, NULL);
    ir_ref y = ir_splat_int(b, t, 0);

    for (int i = 0; i < n && y; i++) {
        const ir_type *of = x[i] ? ir_btype(b, x[i]) : NULL;
        const ir_ref in[] = { x[i], y };
        if (!of || !is_compared(of))
            continue;
        const int64_t bytes = of->size * (int64_t)cot_dtype_size(of->dtype);
        pass_own_calls(b, PASS_WORLD_NOTE, prototype, pass_numbers(b, 1, &bytes), 2, in, 1, &t,
                       &y);
    }
    return y;
}
