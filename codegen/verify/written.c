/* Which elements of the work block's buffers are written (written.h).
 *
 * The ranges of a buffer are an immutable list.  A log of replaced lists lets the walk return
 * to the state before a branch, at a cost proportional to what the branch does.
 *
 * Swapped buffers are tracked by their contents.  Between the first swap and the settle, the
 * contents of each buffer may be at the address of any of its group.  So a write to one may go
 * to the bytes of all of them, and a write to another buffer that overlaps one of them
 * invalidates all.
 *
 * In a kernel, loops and masks may depend on data, so elements that are perhaps written are
 * kept as such. */
#include "codegen/verify/written.h"

#include "codegen/verify/spans.h"

void
cg_written_begin(cg_written *w, cg_facts *f, cg_known *known)
{
    *w = (cg_written){ .f = f, .known = known, .arena = f->arena, .perhaps = !f->k->plans };
    w->of = IR_NEW_N(f->arena, const cg_span *, 2 * f->k->n_buffers + 1);
    w->seen = IR_NEW_N(f->arena, uint32_t, 2 * f->k->n_buffers + 1);
    w->swapped = cg_find_swapped(f->k, f->arena);
}

bool
cg_is_function_result(const cg_kernel *k, uint32_t buffer)
{
    return k->plans && k != k->module->kernel[0] && k->buffer[buffer].space == CG_OUT &&
           k->work != buffer + 1;
}

/* -- buffers by their offsets -- */

static bool
is_in_work(const cg_written *w, uint32_t buffer)
{
    return w->f->k->buffer[buffer].space == CG_WORK;
}

static int64_t
end_of(const cg_buffer *x)
{
    return x->offset + x->elements * (int64_t)cot_dtype_size(x->type);
}

/* The first live buffer whose offset is this one or larger. */
static uint32_t
place_of(const cg_written *w, int64_t offset)
{
    uint32_t lo = 0, hi = w->n_live;

    while (lo < hi) {
        const uint32_t mid = (lo + hi) / 2;
        if (w->f->k->buffer[w->live[mid]].offset < offset)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void
make_live(cg_written *w, uint32_t buffer)
{
    const uint32_t at = place_of(w, w->f->k->buffer[buffer].offset);

    IR_PUSH(w->arena, w->live, w->n_live, w->cap_live, buffer);
    memmove(w->live + at + 1, w->live + at, (w->n_live - 1 - at) * sizeof *w->live);
    w->live[at] = buffer;
}

static void
make_dead(cg_written *w, uint32_t buffer)
{
    uint32_t at = place_of(w, w->f->k->buffer[buffer].offset);

    while (at < w->n_live && w->live[at] != buffer)
        at++;
    if (at == w->n_live)
        return;
    w->n_live--;
    memmove(w->live + at, w->live + at + 1, (w->n_live - at) * sizeof *w->live);
}

/* Whether buffers of a group may be at each other's addresses is recorded, and undone with
 * branches, as the state of an additional buffer, which then has something written.  There is
 * one for each group. */
static uint32_t
state_of(const cg_written *w, uint32_t buffer)
{
    return w->f->k->n_buffers + w->swapped.group[buffer];
}

static bool
is_state(const cg_written *w, uint32_t buffer)
{
    return buffer >= w->f->k->n_buffers;
}

static bool
is_exchanged(const cg_written *w, uint32_t buffer)
{
    return cg_is_swapped(&w->swapped, buffer) && w->of[state_of(w, buffer)] != NULL;
}

static uint32_t
next_of_group(const cg_written *w, uint32_t buffer)
{
    return w->swapped.next ? w->swapped.next[buffer] : buffer;
}

static void
change_live(cg_written *w, uint32_t buffer, bool live)
{
    if (!is_in_work(w, buffer))
        return;
    if (live)
        make_live(w, buffer);
    else
        make_dead(w, buffer);
}

/* Is anything written in another buffer of the group? */
static bool
has_other(const cg_written *w, uint32_t buffer)
{
    for (uint32_t x = next_of_group(w, buffer); x != buffer; x = next_of_group(w, x))
        if (w->of[x])
            return true;
    return false;
}

/* Change the liveness of those buffers of the group in which nothing is written. */
static void
change_empty(cg_written *w, uint32_t buffer, bool live)
{
    uint32_t x = buffer;

    do {
        if (!w->of[x])
            change_live(w, x, live);
        x = next_of_group(w, x);
    } while (x != buffer);
}

/* In a group whose buffers are exchanged, what is written may be in the bytes of any of them,
 * so all of them are live. */
static void
set(cg_written *w, uint32_t buffer, const cg_span *to)
{
    const cg_span *old = w->of[buffer];

    IR_PUSH(w->arena, w->log, w->n, w->cap, ((cg_written_change){ buffer, old, to }));
    w->of[buffer] = to;
    if ((old != NULL) == (to != NULL))
        return;
    if (is_state(w, buffer)) {
        const uint32_t first = buffer - w->f->k->n_buffers;
        if (w->of[first] || has_other(w, first))
            change_empty(w, first, to != NULL);
    } else if (!is_exchanged(w, buffer)) {
        change_live(w, buffer, to != NULL);
    } else if (!has_other(w, buffer)) {
        w->of[buffer] = NULL;
        change_empty(w, buffer, to != NULL);
        w->of[buffer] = to;
    }
}

static void
set_exchanged(cg_written *w, uint32_t buffer, bool exchanged)
{
    static const cg_span is_exchanged_now = { .unknown = true };
    const uint32_t state = state_of(w, buffer);

    if ((w->of[state] != NULL) != exchanged)
        set(w, state, exchanged ? &is_exchanged_now : NULL);
}

static bool
is_of_group(const cg_written *w, uint32_t x, uint32_t y)
{
    return x == y || (w->swapped.group && w->swapped.group[x] == w->swapped.group[y]);
}

/* Forget what is in the bytes of the buffer: its contents, or those of any buffer of its group.
 * Returns whether there was anything. */
static bool
forget_bytes(cg_written *w, uint32_t buffer)
{
    const uint32_t before = w->n;
    uint32_t x = buffer;

    do {
        if (w->of[x])
            set(w, x, NULL);
        x = next_of_group(w, x);
    } while (x != buffer && is_exchanged(w, buffer));
    return w->n > before;
}

/* Invalidate what overlaps the bytes of `buffer`, except the group of `writer`. */
static void
overwrite_bytes(cg_written *w, uint32_t buffer, uint32_t writer)
{
    const cg_buffer *x = &w->f->k->buffer[buffer];
    uint32_t at = place_of(w, x->offset);

    at -= at > 0;
    while (at < w->n_live && w->f->k->buffer[w->live[at]].offset < end_of(x)) {
        const uint32_t other = w->live[at];
        if (is_of_group(w, other, writer) || end_of(&w->f->k->buffer[other]) <= x->offset ||
            !forget_bytes(w, other)) {
            at++;
            continue;
        }
        at = place_of(w, x->offset);
        at -= at > 0;
    }
}

/* Invalidate what overlaps the bytes of the buffer.  Live buffers of different groups do not
 * overlap. */
static void
overwrite(cg_written *w, uint32_t buffer)
{
    uint32_t x = buffer;

    do {
        if (is_in_work(w, x))
            overwrite_bytes(w, x, buffer);
        x = next_of_group(w, x);
    } while (x != buffer && is_exchanged(w, buffer));
}

void
cg_written_write(cg_written *w, uint32_t buffer, const cg_form *first, int64_t count)
{
    overwrite(w, buffer);
    if (count > 0)
        set(w, buffer, cg_span_with(w, w->of[buffer], *first, count));
}

void
cg_written_perhaps(cg_written *w, uint32_t buffer)
{
    overwrite(w, buffer);
    if (w->perhaps && !cg_span_has_unknown(w->of[buffer]))
        set(w, buffer, cg_span_with_unknown(w, w->of[buffer]));
}

void
cg_written_swap(cg_written *w, uint32_t x, uint32_t y)
{
    const cg_span *of_x = w->of[x], *of_y = w->of[y];

    set(w, x, of_y);
    set(w, y, of_x);
    set_exchanged(w, x, true);
}

void
cg_written_settle(cg_written *w, uint32_t buffer)
{
    overwrite(w, buffer);
    for (uint32_t x = next_of_group(w, buffer); x != buffer; x = next_of_group(w, x))
        if (w->of[x])
            set(w, x, NULL);
    set_exchanged(w, buffer, false);
}

void
cg_written_forget_private(cg_written *w)
{
    for (uint32_t j = 0; j < w->f->k->n_buffers; j++)
        if (w->f->k->buffer[j].space == CG_LOCAL && w->of[j])
            set(w, j, NULL);
}

cg_is_written
cg_written_has(cg_written *w, uint32_t buffer, const cg_form *first, int64_t count)
{
    if (w->known->infeasible || count <= 0 || cg_span_contains(w, w->of[buffer], first, count))
        return CG_WRITTEN;
    if (cg_span_has_unknown(w->of[buffer]) || (w->perhaps && cg_span_has_parts(w->of[buffer])))
        return CG_PERHAPS_WRITTEN;
    return CG_NOT_WRITTEN;
}

/* -- loops and branches -- */

static void
overwrite_by_call(cg_written *w, const cg_call *c)
{
    const cg_kernel *to = w->f->k->module->kernel[c->kernel];

    for (uint32_t j = 0, n = 0; j < to->n_buffers; j++)
        if (to->buffer[j].space <= CG_OUT) {
            if (to->buffer[j].space == CG_OUT)
                overwrite(w, c->buffer[n]);
            n++;
        }
}

static void
overwrite_region(cg_written *w, const cg_region *r)
{
    for (uint32_t n = 0; n < r->n; n++) {
        const cg_insn *i = &w->f->k->insn[r->insn[n]];
        if (i->op == CG_STORE)
            overwrite(w, (uint32_t)i->imm);
        else if (i->op == CG_COPY)
            overwrite(w, i->call->buffer[0]);
        else if (i->op == CG_CALL)
            overwrite_by_call(w, i->call);
        for (int j = 0; i->op == CG_EXTERN && j < i->ext->n; j++)
            if (i->ext->arg[j].buffer && i->ext->arg[j].writes)
                overwrite(w, i->ext->arg[j].buffer - 1);
        if (i->block) {
            overwrite_region(w, &i->block->body);
            overwrite_region(w, &i->block->other);
        }
    }
}

static void
swap_region(cg_written *w, const cg_region *r)
{
    for (uint32_t n = 0; n < r->n; n++) {
        const cg_insn *i = &w->f->k->insn[r->insn[n]];
        if (i->op == CG_SWAP)
            set_exchanged(w, i->call->buffer[0], true);
        if (i->block) {
            swap_region(w, &i->block->body);
            swap_region(w, &i->block->other);
        }
    }
}

/* An iteration may follow one that has overwritten these buffers, and may find buffers
 * exchanged. */
uint32_t
cg_written_loop(cg_written *w, const cg_block *x)
{
    if (w->swapped.next) {
        swap_region(w, &x->other);
        swap_region(w, &x->body);
    }
    overwrite_region(w, &x->other);
    overwrite_region(w, &x->body);
    return w->n;
}

/* Is this the first entry for the buffer in this walk over the log? */
static bool
is_new(cg_written *w, uint32_t buffer)
{
    if (w->seen[buffer] == w->serial)
        return false;
    w->seen[buffer] = w->serial;
    return true;
}

/* Do the ranges that an iteration found written remain written for the next iteration, or
 * perhaps? */
static bool
keeps(cg_written *w, const cg_span *before, const cg_span *now)
{
    for (const cg_span *s = before; s && !cg_span_has_unknown(now); s = s->next)
        if (cg_span_is_range(s) && !cg_span_contains(w, now, &s->first, s->count))
            return false;
    return true;
}

void
cg_written_loop_end(cg_written *w, uint32_t mark, uint32_t counter, int64_t times)
{
    const uint32_t end = w->n;

    w->serial++;
    for (uint32_t i = mark; i < end; i++) {
        const uint32_t buffer = w->log[i].buffer;
        const cg_span *list = NULL;
        if (!is_new(w, buffer) || is_state(w, buffer))
            continue;
        if (cg_is_swapped(&w->swapped, buffer) && !keeps(w, w->log[i].old, w->of[buffer]))
            w->lost = buffer + 1;
        if (times == 0) {
            set(w, buffer, w->perhaps ? cg_span_with_unknown(w, w->log[i].old) : w->log[i].old);
            continue;
        }
        for (const cg_span *s = w->of[buffer]; s; s = s->next) {
            cg_span all = *s;
            list = cg_span_of_all_iterations(w, &all, counter, times)
                       ? cg_span_with_span(w, list, &all)
                       : cg_span_with_unknown(w, list);
        }
        set(w, buffer, list);
    }
}

cg_written_side
cg_written_other(cg_written *w, uint32_t mark)
{
    const uint32_t n = w->n - mark;
    cg_written_change *x = IR_NEW_N(w->arena, cg_written_change, n + 1);

    if (n > 0)
        memcpy(x, w->log + mark, n * sizeof *x);
    for (uint32_t i = w->n; i-- > mark;)
        set(w, w->log[i].buffer, w->log[i].old);
    w->n = mark;
    return (cg_written_side){ n, x };
}

/* The ranges that both lists contain. */
static const cg_span *
common(cg_written *w, const cg_span *x, const cg_span *y)
{
    const bool unknown =
        cg_span_has_unknown(x) || cg_span_has_unknown(y) || (w->perhaps && x != y);
    const cg_span *both = unknown ? cg_span_with_unknown(w, NULL) : NULL;

    for (const cg_span *s = x; s; s = s->next)
        if (cg_span_is_range(s) && cg_span_contains(w, y, &s->first, s->count))
            both = cg_span_with(w, both, s->first, s->count);
    for (const cg_span *s = y; s; s = s->next)
        if (cg_span_is_range(s) && cg_span_contains(w, x, &s->first, s->count))
            both = cg_span_with(w, both, s->first, s->count);
    return both;
}

/* The state after either branch: exchanged, if it is after one of them. */
static const cg_span *
after_both(cg_written *w, uint32_t buffer, const cg_span *x, const cg_span *y)
{
    if (is_state(w, buffer))
        return x ? x : y;
    return common(w, x, y);
}

/* A buffer that one branch has not changed is then as it was before both. */
void
cg_written_join(cg_written *w, uint32_t mark, cg_written_side then)
{
    const uint32_t end = w->n;

    w->serial++;
    for (uint32_t i = then.n; i-- > 0;) {
        const cg_written_change *x = &then.change[i];
        if (is_new(w, x->buffer))
            set(w, x->buffer, after_both(w, x->buffer, x->now, w->of[x->buffer]));
    }
    for (uint32_t i = mark; i < end; i++) {
        const cg_written_change x = w->log[i];
        if (is_new(w, x.buffer))
            set(w, x.buffer, after_both(w, x.buffer, x.old, w->of[x.buffer]));
    }
}
