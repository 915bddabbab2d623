/* Lifetimes and offsets of the buffers of a plan: see plan.h.
 *
 * The span of steps in which a buffer lives grows with each use.  Offsets are assigned last:
 * larger buffers first, each at the lowest offset at which no buffer that is alive at the same
 * time lies. */
#include "codegen/plan/plan.h"

#include "codegen/elemental/element.h"
#include "codegen/kernel/record.h"

#include <stdlib.h>

enum { ALIGN = 64 };

static cg_lifetime *
span_of(cg_lowering *l, uint32_t buffer)
{
    cg_plan *p = l->plan;
    while (p->n <= buffer)
        IR_PUSH(l->arena, p->span, p->n, p->cap, ((cg_lifetime){ 0 }));
    return &p->span[buffer];
}

void
cg_plan_touch(cg_lowering *l, uint32_t buffer)
{
    cg_plan *p = l->plan;
    cg_lifetime *s = span_of(l, buffer);
    if (p->n_loops && s->last < p->loop[p->n_loops - 1].step)
        IR_PUSH(l->arena, p->used, p->n_used, p->cap_used, buffer);
    if (!s->first)
        s->first = p->now;
    s->last = p->now;
}

void
cg_plan_touch_since(cg_lowering *l, uint32_t buffer, uint32_t since)
{
    cg_plan_touch(l, buffer);
    span_of(l, buffer)->first = since;
}

cg_place
cg_plan_new(cg_lowering *l, const char *name, const ir_type *t)
{
    cg_place p = { .set = true };
    p.buffer = cg_buffer_add(l->entry.k, name, t->dtype, CG_WORK, t->size);
    l->entry.k->buffer[p.buffer].align = ALIGN;
    return p;
}

uint32_t
cg_work_buffer(cg_lowering *l, const char *place, const char *name, cot_dtype t, int64_t n)
{
    const ir_type *type = ir_type_new(l->ctx, t, 1, &n);
    const cg_place p = cg_plan_new(l, place, type);

    return cg_place_buffer(l, &p, type, name, true);
}

void
cg_plan_loop_begin(cg_lowering *l)
{
    l->plan->now++;
    if (l->plan->n_loops == 0) {
        l->plan->nest++;
        l->plan->nest_step = l->plan->now;
    }
    IR_PUSH(l->arena, l->plan->loop, l->plan->n_loops, l->plan->cap_loops,
            ((cg_loop_start){ l->plan->now, l->plan->n_used }));
}

void
cg_plan_loop_end(cg_lowering *l)
{
    cg_plan *p = l->plan;
    const cg_loop_start loop = p->loop[--p->n_loops];
    p->now++;
    for (uint32_t i = loop.used; i < p->n_used; i++) {
        cg_lifetime *s = &p->span[p->used[i]];
        if (s->first <= loop.step)
            s->last = p->now;
    }
    if (p->n_loops == 0)
        p->n_used = 0;
}

typedef struct sized_buffer {
    uint32_t buffer;
    int64_t bytes;
} sized_buffer;

static int
by_size(const void *x, const void *y)
{
    const sized_buffer *a = x, *b = y;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    return a->buffer < b->buffer ? -1 : 1;
}

/* Where sizes are open, only buffers of exactly as many bytes share memory: which of two others
 * is larger may depend on the sizes, as may a hole between them.  Each part of the block has an
 * offset that is the sum of those before it. */
typedef struct part {
    int64_t bytes, offset;
    uint32_t last; /* step of the last buffer in it */
} part;

static int
by_first_step(const void *x, const void *y)
{
    const cg_allocation *const *a = x, *const *b = y;
    return (*a)->span.first<(*b)->span.first ? -1 : (*a)->span.first>(*b)->span.first;
}

static void
assign_apart(ir_arena *scratch, uint32_t n, cg_allocation *x)
{
    const cg_allocation **order = IR_NEW_N(scratch, const cg_allocation *, n + 1);
    part *at = NULL;
    uint32_t n_parts = 0, cap = 0;
    int64_t end = 0;

    for (uint32_t i = 0; i < n; i++)
        order[i] = &x[i];
    qsort(order, n, sizeof *order, by_first_step);
    for (uint32_t i = 0; i < n; i++) {
        cg_allocation *b = x + (order[i] - x);
        uint32_t k = 0;

        while (k < n_parts && (at[k].bytes != b->bytes || at[k].last >= b->span.first))
            k++;
        if (k == n_parts) {
            IR_PUSH(scratch, at, n_parts, cap, ((part){ b->bytes, end, 0 }));
            end += (b->bytes + ALIGN - 1) / ALIGN * ALIGN;
        }
        at[k].last = b->span.last;
        b->offset = at[k].offset;
    }
}

int64_t
cg_plan_assign(cg_lowering *l)
{
    cg_kernel *k = l->entry.k;
    sized_buffer *p = IR_NEW_N(l->scratch, sized_buffer, k->n_buffers + 1);
    cg_allocation *x = IR_NEW_N(l->scratch, cg_allocation, k->n_buffers + 1);
    uint32_t n = 0;
    k->work_bytes = 0;
    for (uint32_t i = 0; i < k->n_buffers; i++) {
        if (k->buffer[i].space != CG_WORK)
            continue;
        int64_t bytes = k->buffer[i].elements * (int64_t)cot_dtype_size(k->buffer[i].type);
        p[n++] =
            (sized_buffer){ i, l->o->n_open ? bytes : (bytes + ALIGN - 1) / ALIGN * ALIGN };
    }
    qsort(p, n, sizeof *p, by_size);
    for (uint32_t i = 0; i < n; i++)
        x[i] = (cg_allocation){ .span = *span_of(l, p[i].buffer), .bytes = p[i].bytes };
    if (l->o->n_open)
        assign_apart(l->scratch, n, x);
    else
        cg_offsets_assign(l->scratch, n, x);
    for (uint32_t i = 0; i < k->n_buffers && i < l->plan->n; i++)
        cg_record_life(l->m->record, k, i, l->plan->span[i].first, l->plan->span[i].last);
    for (uint32_t i = 0; i < n; i++) {
        const int64_t end = x[i].offset + (x[i].bytes + ALIGN - 1) / ALIGN * ALIGN;

        k->buffer[p[i].buffer].offset = x[i].offset;
        if (end > k->work_bytes)
            k->work_bytes = end;
    }
    return k->work_bytes;
}
