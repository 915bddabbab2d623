/* Which elements of the work block's buffers are written: see written.h.
 *
 * A buffer's ranges are a list that does not change; a log of the lists that were replaced lets
 * the walk go back to where a branch began, and so costs no more than what the branch does. At
 * the end of a loop a range whose stride from iteration to iteration is no more than its length
 * becomes the range of all of them; one of a larger stride becomes blocks, which become blocks
 * of blocks.
 *
 * In a kernel, whose loops and masks data may bound, what is perhaps written is kept so. */
#include "codegen/verify/written.h"

#include "codegen/tuning.h"
#include "codegen/verify/prove.h"

/* `count` blocks, the first elements of which are `stride` from each other. */
typedef struct span_dim {
    int64_t stride, count;
} span_dim;

/* `count` elements, as blocks, and blocks of blocks, n times: those of the largest stride
 * first.  unknown: something more was written, of which it is not known where. */
struct cg_span {
    cg_form first;
    int64_t count;
    bool unknown;
    int n;
    span_dim dim[CG_VERIFY_MAX_SPAN_DIMS];
    const cg_span *next;
};

void
cg_written_begin(cg_written *w, cg_facts *f, cg_known *known)
{
    *w = (cg_written){ .f = f, .known = known, .arena = f->arena, .perhaps = !f->k->plans };
    w->of = IR_NEW_N(f->arena, const cg_span *, f->k->n_buffers + 1);
    w->seen = IR_NEW_N(f->arena, uint32_t, f->k->n_buffers + 1);
}

bool
cg_is_function_result(const cg_kernel *k, uint32_t buffer)
{
    return k->plans && k != k->module->kernel[0] && k->buffer[buffer].space == CG_OUT &&
           k->work != buffer + 1;
}

/* -- buffers by their places -- */

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

/* The first live buffer that begins at the offset or behind. */
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

static void
set(cg_written *w, uint32_t buffer, const cg_span *to)
{
    const cg_span *old = w->of[buffer];

    IR_PUSH(w->arena, w->log, w->n, w->cap, ((cg_written_change){ buffer, old, to }));
    w->of[buffer] = to;
    if (!old && to && is_in_work(w, buffer))
        make_live(w, buffer);
    else if (old && !to && is_in_work(w, buffer))
        make_dead(w, buffer);
}

/* What lies in the same bytes is worth nothing any more.  Live buffers lie apart. */
static void
overwrite(cg_written *w, uint32_t buffer)
{
    const cg_buffer *x = &w->f->k->buffer[buffer];
    uint32_t at = place_of(w, x->offset);

    if (!is_in_work(w, buffer))
        return;
    at -= at > 0;
    while (at < w->n_live && w->f->k->buffer[w->live[at]].offset < end_of(x)) {
        const uint32_t other = w->live[at];
        if (other != buffer && end_of(&w->f->k->buffer[other]) > x->offset)
            set(w, other, NULL);
        else
            at++;
    }
}

/* -- ranges -- */

/* x - y, if that is a constant. */
static bool
difference(const cg_form *x, const cg_form *y, int64_t *d)
{
    cg_sum s = { 0 };

    if (!cg_sum_add(&s, 1, x) || !cg_sum_add(&s, -1, y) || s.n > 0)
        return false;
    *d = s.k;
    return true;
}

static bool
is_range(const cg_span *s)
{
    return s->n == 0 && !s->unknown;
}

static const cg_span *
with(cg_written *w, const cg_span *list, cg_form first, int64_t count)
{
    cg_span *kept = NULL;
    int64_t d;

    for (const cg_span *s = list; s; s = s->next) {
        if (is_range(s) && difference(&s->first, &first, &d) && d <= count && d >= -s->count) {
            const int64_t end = d + s->count > count ? d + s->count : count;
            first = d < 0 ? s->first : first;
            count = end - (d < 0 ? d : 0);
            continue;
        }
        cg_span *copy = IR_NEW(w->arena, cg_span);
        *copy = *s;
        copy->next = kept;
        kept = copy;
    }
    cg_span *all = IR_NEW(w->arena, cg_span);
    *all = (cg_span){ .first = first, .count = count, .next = kept };
    return all;
}

static const cg_span *
with_span(cg_written *w, const cg_span *list, const cg_span *x)
{
    if (is_range(x))
        return with(w, list, x->first, x->count);
    cg_span *copy = IR_NEW(w->arena, cg_span);
    *copy = *x;
    copy->next = list;
    return copy;
}

static bool
has_unknown(const cg_span *list)
{
    while (list && !list->unknown)
        list = list->next;
    return list != NULL;
}

static const cg_span *
with_unknown(cg_written *w, const cg_span *list)
{
    return has_unknown(list) ? list : with_span(w, list, &(cg_span){ .unknown = true });
}

/* How many elements from x + at on are in one of its blocks. */
static int64_t
run_from(const cg_span *s, const cg_form *x, int64_t at)
{
    int64_t d;

    if (s->unknown || !difference(x, &s->first, &d) || d + at < 0)
        return 0;
    d += at;
    for (int j = 0; j < s->n; j++) {
        const int64_t block = d / s->dim[j].stride, last = s->dim[j].count - 1;
        d -= (block < last ? block : last) * s->dim[j].stride;
    }
    return d < s->count ? s->count - d : 0;
}

/* Range by range, each of which begins where one before ends. */
static bool
covers(const cg_span *list, const cg_form *first, int64_t count)
{
    int64_t at = 0;

    for (int left = CG_VERIFY_MAX_SPAN_BLOCKS; at < count && left > 0; left--) {
        int64_t most = 0;
        for (const cg_span *s = list; s; s = s->next) {
            const int64_t run = run_from(s, first, at);
            most = run > most ? run : most;
        }
        if (most == 0)
            return false;
        at += most;
    }
    return at >= count;
}

static bool
lies_in(cg_written *w, const cg_sum *x, int64_t most)
{
    cg_sum high = { .k = most };
    const cg_form form = cg_form_of(x);

    return (x->n == 0 ? x->k >= 0 : cg_prove(w->f, w->known, x)) &&
           cg_sum_add(&high, -1, &form) &&
           (high.n == 0 ? high.k >= 0 : cg_prove(w->f, w->known, &high));
}

/* x - first is a number for each dimension, each proved to be one of its blocks', and what is
 * left lies in a block. */
static bool
is_in_blocks(cg_written *w, const cg_span *s, const cg_form *x, int64_t count)
{
    cg_sum left = { 0 };

    if (!cg_sum_add(&left, 1, x) || !cg_sum_add(&left, -1, &s->first))
        return false;
    for (int j = 0; j < s->n; j++) {
        const int64_t stride = s->dim[j].stride;
        const cg_sum all = left;
        cg_sum block = { .k = cg_floor_div(all.k, stride) };
        left = (cg_sum){ .k = all.k - stride * block.k };
        for (int i = 0; i < all.n; i++) {
            cg_sum *to = all.term[i].c % stride == 0 ? &block : &left;
            to->term[to->n] = all.term[i];
            to->term[to->n++].c /= to == &block ? stride : 1;
        }
        if (!lies_in(w, &block, s->dim[j].count - 1))
            return false;
    }
    return lies_in(w, &left, s->count - count);
}

static bool
contains(cg_written *w, const cg_span *list, const cg_form *first, int64_t count)
{
    if (covers(list, first, count))
        return true;
    for (const cg_span *s = list; s; s = s->next)
        if (!s->unknown && is_in_blocks(w, s, first, count))
            return true;
    return false;
}

void
cg_written_write(cg_written *w, uint32_t buffer, const cg_form *first, int64_t count)
{
    overwrite(w, buffer);
    if (count > 0)
        set(w, buffer, with(w, w->of[buffer], *first, count));
}

void
cg_written_perhaps(cg_written *w, uint32_t buffer)
{
    overwrite(w, buffer);
    if (w->perhaps && !has_unknown(w->of[buffer]))
        set(w, buffer, with_unknown(w, w->of[buffer]));
}

void
cg_written_forget_private(cg_written *w)
{
    for (uint32_t j = 0; j < w->f->k->n_buffers; j++)
        if (w->f->k->buffer[j].space == CG_LOCAL && w->of[j])
            set(w, j, NULL);
}

/* Are there several ranges?  A read across two of them lies in neither, though both were
 * written: whole blocks and the last one, say. */
static bool
has_parts(const cg_span *list)
{
    int n = 0;

    for (const cg_span *s = list; s; s = s->next)
        n += is_range(s);
    return n > 1;
}

cg_is_written
cg_written_has(cg_written *w, uint32_t buffer, const cg_form *first, int64_t count)
{
    if (w->known->never || count <= 0 || contains(w, w->of[buffer], first, count))
        return CG_WRITTEN;
    if (has_unknown(w->of[buffer]) || (w->perhaps && has_parts(w->of[buffer])))
        return CG_PERHAPS_WRITTEN;
    return CG_NOT_WRITTEN;
}

/* -- loops and branches -- */

static void
overwrite_in_place(cg_written *w, uint32_t buffer)
{
    if (is_in_work(w, buffer))
        overwrite(w, buffer);
}

static void
overwrite_by_call(cg_written *w, const cg_call *c)
{
    const cg_kernel *to = w->f->k->module->kernel[c->kernel];

    for (uint32_t j = 0, n = 0; j < to->n_buffers; j++)
        if (to->buffer[j].space <= CG_OUT) {
            if (to->buffer[j].space == CG_OUT)
                overwrite_in_place(w, c->buffer[n]);
            n++;
        }
}

static void
overwrite_region(cg_written *w, const cg_region *r)
{
    for (uint32_t n = 0; n < r->n; n++) {
        const cg_insn *i = &w->f->k->insn[r->insn[n]];
        if (i->op == CG_STORE)
            overwrite_in_place(w, (uint32_t)i->imm);
        else if (i->op == CG_COPY)
            overwrite_in_place(w, i->call->buffer[0]);
        else if (i->op == CG_CALL)
            overwrite_by_call(w, i->call);
        for (int j = 0; i->op == CG_EXTERN && j < i->ext->n; j++)
            if (i->ext->arg[j].buffer && i->ext->arg[j].writes)
                overwrite_in_place(w, i->ext->arg[j].buffer - 1);
        if (i->block) {
            overwrite_region(w, &i->block->body);
            overwrite_region(w, &i->block->other);
        }
    }
}

/* An iteration may find what the one before has overwritten. */
uint32_t
cg_written_loop(cg_written *w, const cg_block *x)
{
    overwrite_region(w, &x->other);
    overwrite_region(w, &x->body);
    return w->n;
}

/* Adjacent blocks are one. */
static void
add_blocks(cg_span *s, int64_t stride, int64_t count)
{
    int at = s->n++, n = 0;

    for (; at > 0 && s->dim[at - 1].stride < stride; at--)
        s->dim[at] = s->dim[at - 1];
    s->dim[at] = (span_dim){ stride, count };
    for (int j = s->n; j-- > 0 && s->dim[j].stride <= s->count; s->n--)
        s->count += s->dim[j].stride * (s->dim[j].count - 1);
    for (int j = 0; j < s->n; j++) {
        const span_dim next = s->dim[j];
        if (n > 0 && s->dim[n - 1].stride == next.stride * next.count)
            s->dim[n - 1] = (span_dim){ next.stride, s->dim[n - 1].count * next.count };
        else
            s->dim[n++] = next;
    }
    s->n = n;
}

/* The range of all iterations; false: there is none. */
static bool
all_iterations(cg_written *w, cg_span *s, uint32_t counter, int64_t times)
{
    const int64_t c = cg_sum_coefficient(&s->first, counter), step = c < 0 ? -c : c;
    const cg_sum one = { .n = 1, .term = { { counter, 1 } } };
    const cg_form t = cg_form_of(&one);
    cg_sum first = { 0 };
    int64_t more;

    for (int i = 0; i < s->first.n; i++)
        if (s->first.term[i].atom > counter)
            return false;
    if (c == 0 || times == 1)
        return true;
    if (s->n == CG_VERIFY_MAX_SPAN_DIMS || __builtin_mul_overflow(step, times - 1, &more) ||
        !cg_sum_add(&first, 1, &s->first) || !cg_sum_add(&first, -c, &t))
        return false;
    first.k -= c < 0 ? more : 0;
    s->first = cg_form_keep(w->arena, &first);
    add_blocks(s, step, times);
    return true;
}

/* The first time in this walk over the log? */
static bool
is_new(cg_written *w, uint32_t buffer)
{
    if (w->seen[buffer] == w->serial)
        return false;
    w->seen[buffer] = w->serial;
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
        if (!is_new(w, buffer))
            continue;
        if (times == 0) {
            set(w, buffer, w->perhaps ? with_unknown(w, w->log[i].old) : w->log[i].old);
            continue;
        }
        for (const cg_span *s = w->of[buffer]; s; s = s->next) {
            cg_span all = *s;
            list = all_iterations(w, &all, counter, times) ? with_span(w, list, &all)
                                                           : with_unknown(w, list);
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

/* What both have. */
static const cg_span *
common(cg_written *w, const cg_span *x, const cg_span *y)
{
    const bool unknown = has_unknown(x) || has_unknown(y) || (w->perhaps && x != y);
    const cg_span *both = unknown ? with_unknown(w, NULL) : NULL;

    for (const cg_span *s = x; s; s = s->next)
        if (is_range(s) && contains(w, y, &s->first, s->count))
            both = with(w, both, s->first, s->count);
    for (const cg_span *s = y; s; s = s->next)
        if (is_range(s) && contains(w, x, &s->first, s->count))
            both = with(w, both, s->first, s->count);
    return both;
}

/* A buffer that one branch has not changed is there as it was before both. */
void
cg_written_join(cg_written *w, uint32_t mark, cg_written_side then)
{
    const uint32_t end = w->n;

    w->serial++;
    for (uint32_t i = then.n; i-- > 0;) {
        const cg_written_change *x = &then.change[i];
        if (is_new(w, x->buffer))
            set(w, x->buffer, common(w, x->now, w->of[x->buffer]));
    }
    for (uint32_t i = mark; i < end; i++) {
        const cg_written_change x = w->log[i];
        if (is_new(w, x.buffer))
            set(w, x.buffer, common(w, x.old, w->of[x.buffer]));
    }
}
