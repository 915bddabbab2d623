/* Lists of ranges of elements (spans.h). */
#include "codegen/verify/spans.h"

#include "codegen/verify/prove.h"

/* *d = x - y, if that is a constant. */
static bool
difference(const cg_form *x, const cg_form *y, int64_t *d)
{
    cg_sum s = { 0 };

    if (!cg_sum_add(&s, 1, x) || !cg_sum_add(&s, -1, y) || s.n > 0)
        return false;
    *d = s.k;
    return true;
}

bool
cg_span_is_range(const cg_span *s)
{
    return s->n == 0 && !s->unknown;
}

/* The others keep their order, so that the ranges of unrolled code, one beside the other in the
 * list, become blocks at the end of a loop. */
const cg_span *
cg_span_with(cg_written *w, const cg_span *list, cg_form first, int64_t count)
{
    cg_span *all = IR_NEW(w->arena, cg_span), *last = all;
    int64_t d;

    for (const cg_span *s = list; s; s = s->next) {
        if (cg_span_is_range(s) && difference(&s->first, &first, &d) && d <= count &&
            d >= -s->count) {
            const int64_t end = d + s->count > count ? d + s->count : count;
            first = d < 0 ? s->first : first;
            count = end - (d < 0 ? d : 0);
            continue;
        }
        cg_span *copy = IR_NEW(w->arena, cg_span);
        *copy = *s;
        last->next = copy;
        last = copy;
    }
    last->next = NULL;
    all->first = first;
    all->count = count;
    return all;
}

/* Adjacent blocks become one. */
static void
join_blocks(cg_span *s)
{
    int n = 0;

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

/* Add a dimension of blocks. */
static void
add_blocks(cg_span *s, int64_t stride, int64_t count)
{
    int at = s->n++;

    for (; at > 0 && s->dim[at - 1].stride < stride; at--)
        s->dim[at] = s->dim[at - 1];
    s->dim[at] = (span_dim){ stride, count };
    join_blocks(s);
}

/* Is each block of a dimension within one of the dimension before it? */
static bool
is_nested(const cg_span *s)
{
    for (int j = 0; j < s->n; j++) {
        const int64_t within =
            j + 1 < s->n ? s->dim[j + 1].stride * s->dim[j + 1].count : s->count;
        if (s->dim[j].stride < within)
            return false;
    }
    return true;
}

/* Drop a dimension of s that x does not have, if they are else equal. */
static bool
drop_other_dim(const cg_span *s, const cg_span *x, cg_span *out, span_dim *dropped)
{
    int at = 0;

    while (at < x->n && s->dim[at].stride == x->dim[at].stride &&
           s->dim[at].count == x->dim[at].count)
        at++;
    *out = *s;
    *dropped = s->dim[at];
    out->n--;
    memmove(out->dim + at, out->dim + at + 1, (size_t)(out->n - at) * sizeof *out->dim);
    return memcmp(out->dim, x->dim, (size_t)x->n * sizeof *x->dim) == 0;
}

/* The union of blocks s and blocks x, which are as far from them as those of a dimension of s
 * are from each other or, if s has as many dimensions, which begin a new one: a loop that is
 * unrolled writes what one that is not does. */
static bool
continues(const cg_span *s, const cg_span *x, cg_span *out)
{
    span_dim d = { 0, 1 };
    int64_t by;

    if (s->unknown || x->unknown || s->count != x->count ||
        !difference(&x->first, &s->first, &by) || by == 0)
        return false;
    if (s->n == x->n + 1) {
        if (!drop_other_dim(s, x, out, &d) || (by != d.stride * d.count && by != -d.stride))
            return false;
    } else {
        d.stride = by < 0 ? -by : by;
        *out = *s;
        if (s->n != x->n || memcmp(s->dim, x->dim, (size_t)x->n * sizeof *x->dim) != 0)
            return false;
    }
    if (by < 0)
        out->first = x->first;
    if (out->n == CG_VERIFY_MAX_SPAN_DIMS)
        return false;
    add_blocks(out, d.stride, d.count + 1);
    return is_nested(out);
}

const cg_span *
cg_span_with_span(cg_written *w, const cg_span *list, const cg_span *x)
{
    if (cg_span_is_range(x))
        return cg_span_with(w, list, x->first, x->count);
    cg_span *copy = IR_NEW(w->arena, cg_span);
    if (list && continues(list, x, copy)) {
        copy->next = list->next;
        return copy;
    }
    *copy = *x;
    copy->next = list;
    return copy;
}

bool
cg_span_has_unknown(const cg_span *list)
{
    while (list && !list->unknown)
        list = list->next;
    return list != NULL;
}

const cg_span *
cg_span_with_unknown(cg_written *w, const cg_span *list)
{
    return cg_span_has_unknown(list)
               ? list
               : cg_span_with_span(w, list, &(cg_span){ .unknown = true });
}

/* How many elements from x + at on are in one block of the span. */
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

/* Is the range covered by ranges of the list, each of which begins where the one before
 * ends? */
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
is_within(cg_written *w, const cg_sum *x, int64_t most)
{
    cg_sum high = { .k = most };
    const cg_form form = cg_form_of(x);

    return (x->n == 0 ? x->k >= 0 : cg_prove(w->f, w->known, x)) &&
           cg_sum_add(&high, -1, &form) &&
           (high.n == 0 ? high.k >= 0 : cg_prove(w->f, w->known, &high));
}

/* Decomposes x - first into a block number for each dimension, each of which is proved to be in
 * range, and a rest that is proved to lie in a block. */
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
        if (!is_within(w, &block, s->dim[j].count - 1))
            return false;
    }
    return is_within(w, &left, s->count - count);
}

static bool
is_in_one(cg_written *w, const cg_span *list, const cg_form *first, int64_t count)
{
    for (const cg_span *s = list; s; s = s->next)
        if (!s->unknown && is_in_blocks(w, s, first, count))
            return true;
    return false;
}

/* The union of blocks s and blocks x of the same dimensions, if each block of one begins where
 * one of the other ends: two loops write the vectors of rows and the elements behind these. */
static bool
is_beside(const cg_span *s, const cg_span *x, cg_span *out)
{
    int64_t by;

    if (s->unknown || x->unknown || s->n != x->n ||
        memcmp(s->dim, x->dim, (size_t)x->n * sizeof *x->dim) != 0 ||
        !difference(&x->first, &s->first, &by) || (by != s->count && by != -x->count))
        return false;
    *out = *s;
    out->count += x->count;
    if (by < 0)
        out->first = x->first;
    join_blocks(out);
    return is_nested(out);
}

/* Make x the union of itself and one of n spans, which is removed. */
static bool
takes_one(cg_span *x, cg_span *span, int *n)
{
    cg_span both;

    for (int beside = 1; beside >= 0; beside--)
        for (int k = 0; k < *n; k++)
            if (beside ? is_beside(&span[k], x, &both)
                       : continues(&span[k], x, &both) || continues(x, &span[k], &both)) {
                *x = both;
                span[k] = span[--*n];
                return true;
            }
    return false;
}

/* The same of the first spans of the list, joined to as few as a loop without unrolled
 * iterations, or without elements behind its vectors, would have written. */
static bool
is_in_joined(cg_written *w, const cg_span *list, const cg_form *first, int64_t count)
{
    cg_span span[CG_VERIFY_MAX_SPANS];
    int n = 0;

    for (int left = CG_VERIFY_MAX_SPANS; list && left > 0; list = list->next, left--) {
        cg_span x = *list;
        while (takes_one(&x, span, &n))
            ;
        span[n++] = x;
    }
    for (int k = 0; k < n; k++)
        span[k].next = k + 1 < n ? &span[k + 1] : NULL;
    return is_in_one(w, span, first, count);
}

bool
cg_span_contains(cg_written *w, const cg_span *list, const cg_form *first, int64_t count)
{
    return covers(list, first, count) || is_in_one(w, list, first, count) ||
           (list && list->next && is_in_joined(w, list, first, count));
}

/* Does the list have several ranges?  A read that spans two of them is in neither, though both
 * were written, as with whole blocks and a last partial one. */
bool
cg_span_has_parts(const cg_span *list)
{
    int n = 0;

    for (const cg_span *s = list; s; s = s->next)
        n += cg_span_is_range(s);
    return n > 1;
}

/* Extend s to what all iterations write; false: that is not a span. */
bool
cg_span_of_all_iterations(cg_written *w, cg_span *s, uint32_t counter, int64_t times)
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
