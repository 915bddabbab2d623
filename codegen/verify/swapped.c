/* The buffers that swaps exchange (kernel.h): alike, apart from each other, of the plan itself,
 * and at most one of them handed over by the caller. */
#include "codegen/verify/swapped.h"

static bool
is_over(const cg_buffer *x, const cg_buffer *y)
{
    const int64_t size = (int64_t)cot_dtype_size(x->type);

    return x->space == CG_WORK && y->space == CG_WORK &&
           x->offset < y->offset + y->elements * size &&
           y->offset < x->offset + x->elements * size;
}

static const char *
check_pair(const cg_buffer *x, const cg_buffer *y)
{
    return x->type != y->type || x->elements != y->elements || x->align != y->align
               ? "swapped buffers of different types, sizes or alignments"
           : x->space != CG_WORK && y->space != CG_WORK ? "two results that are swapped"
           : is_over(x, y)                              ? "swapped buffers that overlap"
                                                        : NULL;
}

/* Buffer x, and those of its group behind it. */
static const char *
check_group(const cg_kernel *k, const cg_swapped *s, uint32_t x, const bool *aliased)
{
    const cg_buffer *at = k->buffer;
    const char *what = NULL;
    int others = 0;

    if ((at[x].space != CG_WORK && at[x].space != CG_OUT) || k->work == x + 1)
        return "swapped buffers that are neither results nor in the work block";
    if (at[x].alias || aliased[x])
        return "a swapped buffer that may overlap another";
    for (uint32_t y = s->next[x]; y != x && !what; y = s->next[y])
        what = ++others < CG_MAX_SWAPPED ? check_pair(&at[x], &at[y])
                                         : "too many buffers that are swapped";
    return what;
}

const char *
cg_check_swapped(const cg_kernel *k, const cg_swapped *s, ir_arena *scratch)
{
    bool *aliased = IR_NEW_N(scratch, bool, k->n_buffers + 1);
    const char *what = NULL;

    for (uint32_t i = 0; i < k->n_buffers; i++)
        if (k->buffer[i].alias && k->buffer[i].alias <= k->n_buffers)
            aliased[k->buffer[i].alias - 1] = true;
    for (uint32_t i = 0; i < k->n_buffers && s->next && !what; i++)
        if (cg_is_swapped(s, i))
            what = check_group(k, s, i, aliased);
    return what;
}
