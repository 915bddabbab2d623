/* Offsets of buffers in a block of memory: the lowest offset that is free while the buffer
 * lives.
 *
 * Steps are the leaves of a binary tree, in which a span of steps is the union of O(log n)
 * nodes (a segment tree: J. L. Bentley, 1977).  Each node has two sets of bytes: `own`, the
 * bytes of buffers whose span has this node in its union, and `below`, the bytes of buffers
 * whose span has this node or a descendant in its union.  A buffer is alive at the same time as
 * the buffers in `below` of its own nodes, and as those in `own` of the ancestors of its first
 * and last step.  Sets are ascending ranges.  Ranges that touch are merged, so that a program
 * of layers has few of them. */
#include "codegen/plan/offsets.h"

#include <stdbool.h>

typedef struct range {
    int64_t lo, hi;
} range;

typedef struct ranges {
    range *at;
    uint32_t n, cap;
} ranges;

typedef struct tree {
    ir_arena *arena;
    uint32_t steps;             /* the leaves are nodes steps, steps + 1, ... */
    ranges *own, *below;        /* of each node; 1 is the root, 2 i and 2 i + 1 are below i */
} tree;

enum { NODES_OF_SPAN = 4 * 32 }; /* the nodes of a span, and the ancestors of its ends */

typedef struct overlap {
    const ranges *set[NODES_OF_SPAN];
    int n;
} overlap;

/* The index of the first range that ends above x; r->n: there is none. */
static uint32_t
first_above(const ranges *r, int64_t x)
{
    uint32_t lo = 0, hi = r->n;

    while (lo < hi) {
        const uint32_t mid = (lo + hi) / 2;
        if (r->at[mid].hi > x)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

/* Add bytes to a set; true if it had them all. */
static bool
add(ir_arena *a, ranges *r, int64_t lo, int64_t hi)
{
    const uint32_t i = first_above(r, lo - 1);
    uint32_t end = i;

    if (i < r->n && r->at[i].lo <= lo && r->at[i].hi >= hi)
        return true;
    for (; end < r->n && r->at[end].lo <= hi; end++) {
        lo = r->at[end].lo < lo ? r->at[end].lo : lo;
        hi = r->at[end].hi > hi ? r->at[end].hi : hi;
    }
    if (end == i) {
        IR_PUSH(a, r->at, r->n, r->cap, (range){ 0 });
        memmove(r->at + i + 1, r->at + i, (r->n - 1 - i) * sizeof *r->at);
    } else {
        memmove(r->at + i + 1, r->at + end, (r->n - end) * sizeof *r->at);
        r->n -= end - i - 1;
    }
    r->at[i] = (range){ lo, hi };
    return false;
}

/* Add buffer x to one node of its span: to `own` of the node, and to `below` of it and its
 * ancestors. */
static void
add_node(tree *t, uint32_t node, const cg_allocation *x)
{
    add(t->arena, &t->own[node], x->offset, x->offset + x->bytes);
    while (node && !add(t->arena, &t->below[node], x->offset, x->offset + x->bytes))
        node /= 2;
}

static void
add_buffer(tree *t, const cg_allocation *x)
{
    uint32_t lo = x->span.first + t->steps, hi = x->span.last + t->steps + 1;

    for (; lo < hi; lo /= 2, hi /= 2) {
        if (lo % 2)
            add_node(t, lo++, x);
        if (hi % 2)
            add_node(t, --hi, x);
    }
}

static void
add_overlap(overlap *m, const ranges *r)
{
    if (r->n)
        m->set[m->n++] = r;
}

/* The sets of bytes of all buffers that live at some step of the span. */
static overlap
overlap_of(const tree *t, cg_lifetime s)
{
    uint32_t lo = s.first + t->steps, hi = s.last + t->steps + 1;
    overlap m = { .n = 0 };

    for (uint32_t node = lo; node; node /= 2)
        add_overlap(&m, &t->own[node]);
    for (uint32_t node = hi - 1; node; node /= 2)
        add_overlap(&m, &t->own[node]);
    for (; lo < hi; lo /= 2, hi /= 2) {
        if (lo % 2)
            add_overlap(&m, &t->below[lo++]);
        if (hi % 2)
            add_overlap(&m, &t->below[--hi]);
    }
    return m;
}

static int64_t
lowest(const tree *t, const cg_allocation *x)
{
    const overlap m = overlap_of(t, x->span);
    int64_t at = 0;

    for (int since = 0, i = 0; since < m.n; i = (i + 1) % m.n) {
        const ranges *r = m.set[i];
        uint32_t k = first_above(r, at);

        since++;
        for (; k < r->n && r->at[k].lo < at + x->bytes; k++) {
            at = r->at[k].hi;
            since = 1;
        }
    }
    return at;
}

void
cg_offsets_assign(ir_arena *scratch, uint32_t n, cg_allocation *x)
{
    const ir_mark mark = ir_arena_mark(scratch);
    tree t = { .arena = scratch, .steps = 1 };

    for (uint32_t i = 0; i < n; i++)
        while (t.steps <= x[i].span.last)
            t.steps *= 2;
    t.own = IR_NEW_N(scratch, ranges, 2 * t.steps);
    t.below = IR_NEW_N(scratch, ranges, 2 * t.steps);
    for (uint32_t i = 0; i < n; i++) {
        if (x[i].bytes == 0)
            continue;
        x[i].offset = lowest(&t, &x[i]);
        add_buffer(&t, &x[i]);
    }
    ir_arena_release(scratch, mark);
}
