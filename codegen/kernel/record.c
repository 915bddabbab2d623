/* The record of a lowering: see record.h.  The locations of all steps are one array, in which
 * those of the kernel that is being built are the last ones. */
#include "codegen/kernel/record.h"

#include <stdlib.h>

void
cg_record_begin(cg_record *r, ir_loc loc)
{
    if (!r)
        return;
    r->begun = r->n_locs;
    cg_record_node(r, loc);
}

void
cg_record_node(cg_record *r, ir_loc loc)
{
    if (r && loc && (r->n_locs == r->begun || r->loc[r->n_locs - 1] != loc))
        IR_PUSH(r->arena, r->loc, r->n_locs, r->cap_locs, loc);
}

void
cg_record_insns(cg_record *r, const cg_kernel *k)
{
    for (uint32_t i = 1; r && i < k->n_insns; i++)
        cg_record_node(r, k->insn[i].loc);
}

static int
by_number(const void *x, const void *y)
{
    const ir_loc a = *(const ir_loc *)x, b = *(const ir_loc *)y;

    return (a > b) - (a < b);
}

/* Sorts what follows `begun`, each once. */
static void
settle(cg_record *r)
{
    ir_loc *at = r->loc + r->begun;
    uint32_t n = 0;

    if (r->n_locs == r->begun)
        return;
    qsort(at, r->n_locs - r->begun, sizeof *at, by_number);
    for (uint32_t i = 0; i < r->n_locs - r->begun; i++)
        if (n == 0 || at[n - 1] != at[i])
            at[n++] = at[i];
    r->n_locs = r->begun + n;
}

void
cg_record_end(cg_record *r, const cg_kernel *plan, uint32_t at)
{
    if (!r)
        return;
    settle(r);
    IR_PUSH(r->arena, r->step, r->n_steps, r->cap_steps,
            ((cg_record_step){ plan, plan->n_insns - 1, at, r->begun, r->n_locs - r->begun }));
    r->begun = r->n_locs;
}

void
cg_record_place(cg_record *r, ir_loc loc, int result, const cg_kernel *plan, uint32_t buffer)
{
    if (r && loc)
        IR_PUSH(r->arena, r->value, r->n_values, r->cap_values,
                ((cg_record_value){ loc, result, plan, buffer }));
}

void
cg_record_life(cg_record *r, const cg_kernel *plan, uint32_t buffer, uint32_t first,
               uint32_t last)
{
    if (r)
        IR_PUSH(r->arena, r->span, r->n_spans, r->cap_spans,
                ((cg_record_span){ plan, buffer, first, last }));
}
