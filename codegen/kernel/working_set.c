/* How much memory a plan goes through before it comes back to the same data. */
#include "codegen/kernel/cost.h"

typedef struct going_through {
    const cg_module *m;
    const cg_kernel *plan;
    int64_t *bytes;       /* touched of each buffer of the plan */
    uint32_t *touched, n; /* the buffers of which some are */
    cg_working_set *visit;
    void *user;
} going_through;

static int64_t
size_of(const cg_buffer *b)
{
    return b->elements * (int64_t)cot_dtype_size(b->type);
}

/* Several parts of a buffer are at most all of it. */
static void
touch(going_through *t, uint32_t buffer, int64_t bytes)
{
    const int64_t all = size_of(&t->plan->buffer[buffer]), before = t->bytes[buffer];

    if (bytes > 0 && before == 0)
        t->touched[t->n++] = buffer;
    t->bytes[buffer] = bytes < all - before ? before + bytes : all;
}

/* The bytes of argument i that a call or copy touches, at most. */
static int64_t
bytes_of_argument(const going_through *t, const cg_insn *x, int i)
{
    if (x->op == CG_COPY)
        return x->imm ? (int64_t)x->imm : INT64_MAX;
    const cg_kernel *k = t->m->kernel[x->call->kernel];
    for (uint32_t b = 0; b < k->n_buffers; b++)
        if (k->buffer[b].space <= CG_OUT && i-- == 0)
            return size_of(&k->buffer[b]);
    return INT64_MAX;
}

/* in_loop: a loop around the statement may advance along what it passes a part of. */
static void
touch_region(going_through *t, const cg_region *r, bool in_loop)
{
    for (uint32_t n = 0; n < r->n; n++) {
        const cg_insn *x = &t->plan->insn[r->insn[n]];

        for (int i = 0; x->call && i < x->call->n_buffers; i++)
            touch(t, x->call->buffer[i], in_loop ? INT64_MAX : bytes_of_argument(t, x, i));
        for (int i = 0; x->ext && i < x->ext->n; i++)
            if (x->ext->arg[i].buffer)
                touch(t, x->ext->arg[i].buffer - 1, INT64_MAX);
        if (x->block) {
            const bool loops = in_loop || x->op != CG_IF;

            touch_region(t, &x->block->body, loops);
            touch_region(t, &x->block->other, loops);
        }
    }
}

static int64_t
bytes_of_regions(going_through *t, const cg_region *r, const cg_region *other)
{
    int64_t bytes = 0;

    t->n = 0;
    touch_region(t, r, false);
    if (other)
        touch_region(t, other, false);
    for (uint32_t i = 0; i < t->n; i++) {
        bytes += t->bytes[t->touched[i]];
        t->bytes[t->touched[i]] = 0;
    }
    return bytes;
}

/* bytes: what the innermost loop around the region touches. */
static void
visit_region(going_through *t, const cg_region *r, int64_t bytes)
{
    for (uint32_t n = 0; n < r->n; n++) {
        const cg_insn *x = &t->plan->insn[r->insn[n]];

        if (x->op == CG_CALL || x->op == CG_COPY || x->op == CG_EXTERN)
            t->visit(t->user, x, bytes);
        if (!x->block)
            continue;
        const int64_t inner =
            x->op == CG_IF ? bytes : bytes_of_regions(t, &x->block->body, &x->block->other);
        visit_region(t, &x->block->body, inner);
        visit_region(t, &x->block->other, inner);
    }
}

void
cg_each_working_set(const cg_module *m, ir_arena *a, cg_working_set *visit, void *user)
{
    for (uint32_t i = 0; i < m->n_kernels; i++) {
        const cg_kernel *k = m->kernel[i];
        going_through t = { .m = m, .plan = k, .visit = visit, .user = user };

        if (!k->plans)
            continue;
        t.bytes = IR_NEW_N(a, int64_t, k->n_buffers + 1);
        t.touched = IR_NEW_N(a, uint32_t, k->n_buffers + 1);
        visit_region(&t, &k->body, bytes_of_regions(&t, &k->body, NULL));
    }
}
