/* Memory of the simulator.  For each element that threads share it records the last store and
 * the last reads, with the number of barriers passed by then.  So a program that is right here
 * only because the simulator runs threads in lockstep is reported. */
#include "codegen/sim/sim.h"

static sim_memory
local_memory(sim *s, const cg_buffer *b)
{
    const int64_t copies = b->space == CG_LOCAL ? s->launch.block : 1;
    sim_memory m = { .elements = b->elements,
                     .size = cot_dtype_size(b->type),
                     .own = b->space == CG_LOCAL };

    m.data = ir_alloc(s->arena, (size_t)(b->elements * copies + 1) * m.size);
    memset(m.data, 0xa5, (size_t)(b->elements * copies) * m.size);
    return m;
}

static sim_shadow *
new_shadow(sim *s, int64_t n)
{
    sim_shadow *x = IR_NEW_N(s->arena, sim_shadow, n + 1);

    for (int64_t i = 0; i < n; i++)
        x[i] = (sim_shadow){ .owner = SIM_NONE,
                             .wrote.thread = SIM_NONE,
                             .read.thread = SIM_NONE };
    return x;
}

/* Two buffers for the same memory share a shadow. */
static sim_shadow *
shadow_of(sim *s, uint32_t buffer)
{
    const cg_kernel *k = s->k;

    for (uint32_t i = 0; i < buffer; i++)
        if (s->memory[i].shadow && s->memory[i].data == s->memory[buffer].data)
            return s->memory[i].shadow;
    for (uint32_t i = 0; i < k->n_buffers; i++)
        if (k->buffer[i].space == CG_OUT && s->memory[i].data == s->memory[buffer].data)
            return new_shadow(s, s->memory[buffer].elements);
    return NULL;
}

void
cg_sim_memory_new(sim *s, void *const *buffers)
{
    const cg_kernel *k = s->k;
    uint32_t at = 0;

    s->memory = IR_NEW_N(s->arena, sim_memory, k->n_buffers + 1);
    for (uint32_t i = 0; i < k->n_buffers; i++) {
        const cg_buffer *b = &k->buffer[i];
        if (b->space == CG_LOCAL || b->space == CG_SHARED) {
            s->memory[i] = local_memory(s, b);
            if (b->space == CG_SHARED)
                s->memory[i].shadow = new_shadow(s, b->elements);
            continue;
        }
        s->memory[i] = (sim_memory){ .elements = b->elements, .size = cot_dtype_size(b->type) };
        s->memory[i].data = b->space == CG_CONST ? (char *)(uintptr_t)b->data : buffers[at++];
    }
    for (uint32_t i = 0; i < k->n_buffers; i++)
        if (k->buffer[i].space <= CG_OUT)
            s->memory[i].shadow = shadow_of(s, i);
}

/* Each block gets new shared memory. */
void
cg_sim_memory_block(sim *s)
{
    for (uint32_t i = 0; i < s->k->n_buffers; i++) {
        sim_memory *m = &s->memory[i];
        if (s->k->buffer[i].space != CG_SHARED)
            continue;
        memset(m->data, 0xa5, (size_t)m->elements * m->size);
        for (int64_t j = 0; j < m->elements; j++)
            m->shadow[j] = (sim_shadow){ .owner = SIM_NONE,
                                         .wrote.thread = SIM_NONE,
                                         .read.thread = SIM_NONE };
    }
}

/* Did the access happen before a barrier that both threads have passed since? */
static bool
is_past(const sim *s, const sim_touch *t, int32_t thread, bool many)
{
    const int32_t warp = thread / CG_WARP;

    if (t->thread == SIM_NONE || t->block < s->barriers || (t->thread == thread && !many))
        return true;
    if (t->thread == SIM_SEVERAL || t->thread / CG_WARP != warp ||
        (many && s->at.kind != CG_WARPS))
        return false;
    return t->warp < s->warp_barriers[warp];
}

static sim_touch
touch(const sim *s, int32_t thread)
{
    return (sim_touch){ thread, s->barriers, s->warp_barriers[thread / CG_WARP] };
}

static bool
note_read(sim *s, sim_shadow *x, int32_t thread, bool many)
{
    if (x->owner != SIM_NONE && x->owner != s->block)
        return cg_sim_wrong(s, "reads what another block stores");
    if (x->pending)
        return cg_sim_wrong(s, "reads what is still on its way");
    if (x->owner == s->block && !is_past(s, &x->wrote, thread, many))
        return cg_sim_wrong(s, "reads what another thread stored since the last barrier");
    const bool first =
        x->read.thread == SIM_NONE || x->read.block < s->barriers || x->read.thread == thread;
    x->read = touch(s, thread);
    if (!first || many)
        x->read.thread = SIM_SEVERAL;
    return true;
}

static bool
note_write(sim *s, sim_shadow *x, int32_t thread, bool same)
{
    if (!same && x->owner != SIM_NONE && x->owner != s->block)
        return cg_sim_wrong(s, "stores over what another block stores");
    if (x->pending)
        return cg_sim_wrong(s, "stores over what is still on its way");
    if (!same && x->owner == s->block && !is_past(s, &x->wrote, thread, false))
        return cg_sim_wrong(s, "stores over what another thread stored since the last barrier");
    if (!same && !is_past(s, &x->read, thread, false))
        return cg_sim_wrong(s, "stores over what another thread read since the last barrier");
    if (same && x->owner == s->block && !is_past(s, &x->wrote, thread, false))
        /* of two equal stores the first one counts: others must wait for it */
        return true;
    x->owner = s->block;
    x->wrote = touch(s, thread);
    return true;
}

static char *
element(sim *s, sim_memory *m, int32_t thread, int64_t index)
{
    if (index < 0 || index >= m->elements) {
        cg_sim_wrong(s, ir_format(s->arena, "index %lld is out of bounds of %lld elements",
                                  (long long)index, (long long)m->elements));
        return NULL;
    }
    return m->data + (size_t)(index + (m->own ? thread * m->elements : 0)) * m->size;
}

bool
cg_sim_load(sim *s, uint32_t buffer, int64_t lane, int64_t index, void *to)
{
    sim_memory *m = &s->memory[buffer];
    bool many;
    const int32_t thread = cg_sim_thread(s, lane, &many);
    const char *p = element(s, m, thread, index);

    if (!p || (m->shadow && !note_read(s, &m->shadow[index], thread, many)))
        return false;
    memcpy(to, p, m->size);
    return true;
}

bool
cg_sim_store(sim *s, uint32_t buffer, int64_t lane, int64_t index, const void *from)
{
    sim_memory *m = &s->memory[buffer];
    bool many;
    const int32_t thread = cg_sim_thread(s, lane, &many);
    char *p = element(s, m, thread, index);

    if (!p ||
        (m->shadow && !note_write(s, &m->shadow[index], thread, memcmp(p, from, m->size) == 0)))
        return false;
    memcpy(p, from, m->size);
    if (!m->own || !many)
        return true;
    /* Each has its own memory. */
    const int n = s->at.kind == CG_WARPS ? CG_WARP : s->launch.block;
    for (int i = 1; i < n && thread + i < s->launch.block; i++)
        memcpy(element(s, m, thread + i, index), from, m->size);
    return true;
}

bool
cg_sim_is_sent(const sim *s, uint32_t buffer, int64_t lane, int64_t index, const void *x)
{
    const sim_memory *m = &s->memory[buffer];
    bool many;
    const int32_t thread = cg_sim_thread(s, lane, &many);

    if (index < 0 || index >= m->elements)
        return false;
    return m->shadow[index].pending == 1 + s->groups &&
           m->shadow[index].wrote.thread == thread &&
           memcmp(m->data + (size_t)index * m->size, x, m->size) == 0;
}

void
cg_sim_send(sim *s, uint32_t buffer, int64_t index)
{
    s->memory[buffer].shadow[index].pending = 1 + s->groups;
}

/* The element counts as stored now by the thread that started the copy, so others still need a
 * barrier. */
void
cg_sim_land(sim *s, int32_t groups)
{
    for (uint32_t i = 0; i < s->k->n_buffers; i++) {
        const sim_memory *m = &s->memory[i];
        for (int64_t j = 0; s->k->buffer[i].space == CG_SHARED && j < m->elements; j++) {
            sim_shadow *x = &m->shadow[j];
            if (x->pending == 0 || x->pending > groups)
                continue;
            x->pending = 0;
            x->wrote = touch(s, x->wrote.thread);
        }
    }
}
