/* The sum of rows that several processes have: processes.sum (world.c).
 *
 * It is what MPI calls an all-reduce, as a reduce-scatter and an all-gather: the elements of
 * the result are cut into P segments, and each process sends to each other the partial sums of
 * its segment.  A partial sum is a maximal node of the tree of ir/owner.h among the leaves of
 * the sender: for 2^k processes and up to 512 groups one, so that (P - 1) / P of the elements
 * leave each process twice, the least volume there is.  The owner of a segment folds the nodes
 * of all processes in their order, which is that of the leaves. */
#include <stdlib.h>

#include "ir/owner.h"
#include "ir/scalar.h"
#include "runtime/world_sum.h"

/* Elements that are folded at a time: a stack of them stays in the first-level cache. */
enum { CHUNK = 1024, MAX_LEVELS = 64, WIDE = 8 };

/* ---- arithmetic ---- */

/* The type that a sum of elements of type t is made in. */
static cot_dtype
wide_type(cot_dtype t)
{
    return t == COT_F16 || t == COT_BF16 ? COT_F32 : t;
}

/* In pieces of a fixed length, which any compiler makes vectors of. */
#define ADD(T)                                                                                 \
    static void add_##T(int64_t n, T *restrict to, const T *restrict from)                     \
    {                                                                                          \
        int64_t i = 0;                                                                         \
        for (; i + 16 <= n; i += 16)                                                           \
            for (int k = 0; k < 16; k++)                                                       \
                to[i + k] = (T)(to[i + k] + from[i + k]);                                      \
        for (; i < n; i++)                                                                     \
            to[i] = (T)(to[i] + from[i]);                                                      \
    }
ADD(float)
ADD(double)
ADD(uint8_t)
ADD(uint16_t)
ADD(uint32_t)
ADD(uint64_t)

/* to += from, element by element; integers wrap. */
static void
add(cot_dtype t, int64_t n, void *to, const void *from)
{
    switch (t) {
    case COT_F32: add_float(n, to, from); break;
    case COT_F64: add_double(n, to, from); break;
    default:
        switch (cot_dtype_size(t)) {
        case 1: add_uint8_t(n, to, from); break;
        case 2: add_uint16_t(n, to, from); break;
        case 4: add_uint32_t(n, to, from); break;
        default: add_uint64_t(n, to, from); break;
        }
    }
}

static void
widen(cot_dtype t, int64_t n, const void *from, void *to)
{
    if (wide_type(t) == t) {
        memcpy(to, from, (size_t)n * cot_dtype_size(t));
        return;
    }
    for (int64_t i = 0; i < n; i++)
        ((float *)to)[i] = t == COT_F16 ? ir_f16_to_f32(((const uint16_t *)from)[i])
                                        : ir_bf16_to_f32(((const uint16_t *)from)[i]);
}

static void
narrow(cot_dtype t, int64_t n, const void *from, void *to)
{
    if (wide_type(t) == t) {
        memcpy(to, from, (size_t)n * cot_dtype_size(t));
        return;
    }
    for (int64_t i = 0; i < n; i++)
        ((uint16_t *)to)[i] = t == COT_F16 ? ir_f32_to_f16(((const float *)from)[i])
                                           : ir_f32_to_bf16(((const float *)from)[i]);
}

/* ---- a stack of nodes ---- */

/* Nodes come in the order of their leaves.  Two neighbours are joined at the height of the node
 * in which they meet, the highest bit in which the numbers of their leaves differ, and before
 * those that meet higher up.  So a node without elements is passed by. */
typedef struct fold_stack {
    cot_dtype t; /* wide */
    int64_t n; /* elements of a node */
    int64_t last;
    int depth;
    int height[MAX_LEVELS]; /* where a node meets the one before it */
    uint64_t at[MAX_LEVELS][CHUNK * WIDE / sizeof(uint64_t)];
} fold_stack;

static void
join(fold_stack *s, int below)
{
    while (s->depth > 1 && s->height[s->depth - 1] < below) {
        add(s->t, s->n, s->at[s->depth - 2], s->at[s->depth - 1]);
        s->depth--;
    }
}

/* The node whose first leaf is q, to be filled. */
static void *
push(fold_stack *s, int64_t q)
{
    int height = 0;

    for (int64_t differ = s->depth ? s->last ^ q : 0; differ > 1; differ >>= 1)
        height++;
    join(s, height);
    s->last = q;
    s->height[s->depth] = height;
    return s->at[s->depth++];
}

static const void *
folded(fold_stack *s)
{
    join(s, MAX_LEVELS);
    s->depth = 0;
    return s->at[0];
}

/* ---- sums ---- */

int
rt_world_partner(const cot_comm *c, int round)
{
    return (round - c->rank + c->size) % c->size;
}

int
rt_world_exchange(const cot_comm *c, int partner, const void *send, size_t n_send,
                  void *receive, size_t n_receive)
{
    if (n_send == 0 && n_receive == 0)
        return 0;
    return c->exchange(c->user, partner, send, n_send, receive, n_receive);
}

/* What a process has of a sum. */
typedef struct share {
    ir_owned own;
    int64_t nodes; /* maximal nodes among its leaves */
    int64_t from, length; /* the segment of the result that it folds */
    char *part; /* its nodes for the segment of this process: [nodes, length], wide */
} share;

typedef struct world_sum {
    const cot_comm *comm;
    cot_dtype t, wide;
    int64_t groups, m; /* m: elements of a row */
    fold_stack *stack;
    share *of, *own; /* by process; that of this one */
    char *nodes; /* of this process: [nodes, m], wide */
    char *packed; /* what is sent */
} world_sum;

static int64_t
least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

/* Elements `from` on of a node, whose rows begin at `x`; the next rows. */
static const char *
fold_node(world_sum *s, int64_t q, int level, const char *x, int64_t from, int64_t n)
{
    const size_t size = cot_dtype_size(s->t);
    uint64_t more[CHUNK * WIDE / sizeof(uint64_t)];
    int64_t first;

    s->stack->n = n;
    for (int64_t leaf = q; leaf < q + ((int64_t)1 << level); leaf++) {
        const int64_t rows = ir_leaf_size(s->groups, leaf, &first);
        void *to = rows ? push(s->stack, leaf) : NULL;
        for (int64_t r = 0; r < rows; r++, x += (size_t)s->m * size) {
            const void *row = x + (size_t)from * size;
            if (r == 0 || s->wide != s->t)
                widen(s->t, n, row, r ? (void *)more : to);
            if (r)
                add(s->wide, n, to, s->wide == s->t ? row : more);
        }
    }
    return x;
}

/* The nodes of this process, of its rows x. */
static void
fold_rows(world_sum *s, const char *x)
{
    const ir_owned *own = &s->own->own;
    const size_t wide = cot_dtype_size(s->wide);

    for (int64_t from = 0; from < s->m; from += CHUNK) {
        const int64_t n = least(CHUNK, s->m - from);
        const char *row = x;
        char *to = s->nodes;
        int64_t q = own->from;
        int level;
        for (; ir_owned_node(s->groups, own, &q, &level); q += (int64_t)1 << level) {
            row = fold_node(s, q, level, row, from, n);
            memcpy(to + (size_t)from * wide, folded(s->stack), (size_t)n * wide);
            to += (size_t)s->m * wide;
        }
    }
}

/* The part of the own nodes that is a process's segment, one after the other. */
static void
pack_segment(const world_sum *s, const share *p, char *to)
{
    const size_t wide = cot_dtype_size(s->wide), row = (size_t)s->m * wide,
                 part = (size_t)p->length * wide;

    for (int64_t k = 0; k < s->own->nodes; k++)
        memcpy(to + (size_t)k * part, s->nodes + (size_t)k * row + (size_t)p->from * wide,
               part);
}

/* Elements `from` on of the own segment, of the nodes of all processes for it. */
static const void *
fold_parts(world_sum *s, int64_t from, int64_t n)
{
    const size_t wide = cot_dtype_size(s->wide);

    s->stack->n = n;
    for (const share *p = s->of; p < s->of + s->comm->size; p++) {
        const char *node = p->part + (size_t)from * wide;
        int64_t q = p->own.from;
        int level;
        for (; ir_owned_node(s->groups, &p->own, &q, &level); q += (int64_t)1 << level) {
            memcpy(push(s->stack, q), node, (size_t)n * wide);
            node += (size_t)s->own->length * wide;
        }
    }
    return folded(s->stack);
}

static void
fold_segment(world_sum *s, char *out)
{
    for (int64_t from = 0; from < s->own->length; from += CHUNK) {
        const int64_t n = least(CHUNK, s->own->length - from);
        narrow(s->t, n, fold_parts(s, from, n),
               out + (size_t)(s->own->from + from) * cot_dtype_size(s->t));
    }
}

/* Partial sums go to the owners of segments. */
static int
scatter(world_sum *s)
{
    const size_t wide = cot_dtype_size(s->wide);

    pack_segment(s, s->own, s->own->part);
    for (int round = 0; round < s->comm->size; round++) {
        const share *p = &s->of[rt_world_partner(s->comm, round)];
        if (p == s->own)
            continue;
        pack_segment(s, p, s->packed);
        if (rt_world_exchange(s->comm, (int)(p - s->of), s->packed,
                              (size_t)(s->own->nodes * p->length) * wide, p->part,
                              (size_t)(p->nodes * s->own->length) * wide))
            return RT_WORLD_FAILED;
    }
    return 0;
}

/* Segments go to all. */
static int
gather(world_sum *s, char *out)
{
    const size_t size = cot_dtype_size(s->t);

    for (int round = 0; round < s->comm->size; round++) {
        const share *p = &s->of[rt_world_partner(s->comm, round)];
        if (p != s->own &&
            rt_world_exchange(s->comm, (int)(p - s->of), out + (size_t)s->own->from * size,
                              (size_t)s->own->length * size, out + (size_t)p->from * size,
                              (size_t)p->length * size))
            return RT_WORLD_FAILED;
    }
    return 0;
}

/* What each process has; the nodes of all. */
static int64_t
find_shares(world_sum *s)
{
    const int size = s->comm->size;
    int64_t all = 0;

    for (int p = 0; p < size; p++) {
        const int64_t from = s->m * p / size;
        const ir_owned own = ir_owned_by(s->groups, size, p);
        s->of[p] = (share){ own, ir_owned_nodes(s->groups, &own), from,
                            s->m * (p + 1) / size - from, NULL };
        all += s->of[p].nodes;
    }
    s->own = &s->of[s->comm->rank];
    return all;
}

static int
sum_rows(world_sum *s, const char *x, char *out)
{
    const size_t wide = cot_dtype_size(s->wide);
    const int64_t all = find_shares(s);
    char *parts = malloc((size_t)(all * s->own->length) * wide + 1), *at = parts;
    int status = RT_WORLD_MEMORY;

    s->stack = malloc(sizeof *s->stack);
    s->nodes = malloc((size_t)(s->own->nodes * s->m) * wide + 1);
    s->packed = malloc((size_t)(s->own->nodes * (s->m / s->comm->size + 1)) * wide + 1);
    if (s->stack && s->nodes && s->packed && parts) {
        *s->stack = (fold_stack){ .t = s->wide };
        for (share *p = s->of; p < s->of + s->comm->size; p++) {
            p->part = at;
            at += (size_t)(p->nodes * s->own->length) * wide;
        }
        fold_rows(s, x);
        status = scatter(s);
        if (!status) {
            fold_segment(s, out);
            status = gather(s, out);
        }
    }
    free(s->stack), free(s->nodes), free(s->packed), free(parts);
    return status;
}

int
rt_world_sum(const cot_comm *comm, cot_dtype t, int64_t groups, int64_t m, const void *rows,
             void *out)
{
    world_sum s = { .comm = comm, .t = t, .wide = wide_type(t), .groups = groups, .m = m };

    if (groups == 0) {
        memset(out, 0, (size_t)m * cot_dtype_size(t));
        return 0;
    }
    s.of = malloc(sizeof *s.of * (size_t)comm->size);
    const int status = s.of ? sum_rows(&s, rows, out) : RT_WORLD_MEMORY;
    free(s.of);
    return status;
}
