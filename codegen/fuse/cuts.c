/* Where long elementwise computations are cut into kernels.
 *
 * LLVM takes longer than linearly for one kernel, kernels that are equal are compiled once, and
 * a processor overlaps no elements of which each takes more instructions than it looks ahead.
 * Values of as many elements that are emitted inline in each other, directly or through others,
 * are one computation.  A long one is cut into segments of CG_FUSE_CUT to twice as many
 * instructions: what a segment needs of those before it is stored, and so is what a kernel of
 * another kind needs, as sums have several copies of their operand's code.
 *
 * A segment ends where the fewest values cross, and, of such places, where a hash of the ops
 * before the place is least.  The hash depends on the near surroundings alone, so that the
 * steps of an unrolled loop are all cut at the same place and their kernels are equal.  Files
 * are cut into blocks in this way, so that equal parts of them are found wherever they are
 * (A. Muthitacharoen, B. Chen, D. Mazieres, A Low-bandwidth Network File System, SOSP 2001). */
#include "codegen/fuse/cost.h"
#include "codegen/fuse/fuse.h"
#include "codegen/tuning.h"

enum { NEAR = 8 }; /* the rounds of the hash: how many ops before a place count */

typedef struct cutting {
    cg_lowering *l;
    const ir_graph *f;
    const bool *inlined;        /* by node: it is emitted inline in its users */
    uint32_t *joined;           /* by node: another one of its computation, or itself */
    uint32_t *next, *last; /* by node: the next of its computation; of the first: the last */
    int64_t *weight; /* by node: cost of it and, by first node, of the computation */
    uint64_t *hash; /* by node; NULL until a computation is cut */
    uint32_t *place; /* by node: its place in the list */
    uint32_t *segment, segments; /* by node; the number of all segments */
    uint32_t *list, n; /* the nodes of a computation, in order */
    int64_t *before; /* by place: cost of what is before it */
    int32_t *crossing; /* by place: the values that cross the end of it */
} cutting;

static uint32_t
first_of(cutting *c, uint32_t i)
{
    while (c->joined[i] != i)
        i = c->joined[i] = c->joined[c->joined[i]];
    return i;
}

/* The node that defines operand x of n, if both belong to one computation; else 0. */
static uint32_t
neighbour(const cutting *c, const ir_node *n, ir_ref x)
{
    const uint32_t def = c->f->value[x].node;

    return def && c->f->node[def].n_in > 0 && c->inlined[def] && c->inlined[n - c->f->node] &&
                   ir_type_at(c->f, x)->size == ir_type_at(c->f, n->first)->size
               ? def
               : 0;
}

static void
join(cutting *c, uint32_t i, uint32_t k)
{
    i = first_of(c, i), k = first_of(c, k);
    c->joined[i > k ? i : k] = i > k ? k : i;
}

/* Lists of the nodes of each computation, and its cost. */
static void
find_computations(cutting *c)
{
    ir_each_node (n, c->f) {
        const uint32_t i = (uint32_t)(n - c->f->node);
        c->joined[i] = i;
        for (int k = 0; k < n->n_in; k++)
            if (neighbour(c, n, n->in[k]))
                join(c, i, neighbour(c, n, n->in[k]));
    }
    ir_each_node (n, c->f) {
        const uint32_t i = (uint32_t)(n - c->f->node), first = first_of(c, i);
        c->next[c->last[first]] = i == first ? 0 : i;
        c->last[first] = i;
        c->weight[i] = c->inlined[i] ? cg_op_cost(c->f, n) : 0;
    }
}

static void
hash_surroundings(cutting *c)
{
    uint64_t *was = IR_NEW_N(c->l->scratch, uint64_t, c->f->n_nodes);

    c->hash = IR_NEW_N(c->l->scratch, uint64_t, c->f->n_nodes);
    for (int round = 0; round <= NEAR; round++) {
        ir_each_node (n, c->f) {
            uint64_t h = ir_hash_u64(n->op, (uint64_t)n->n_in);
            for (int k = 0; round && k < n->n_in; k++)
                h = ir_hash_u64(h, was[c->f->value[n->in[k]].node]);
            c->hash[n - c->f->node] = h;
        }
        memcpy(was, c->hash, sizeof *was * c->f->n_nodes);
    }
}

/* The values that cross each place and are used again within a segment's length. */
static void
count_crossing(cutting *c)
{
    for (uint32_t i = 0; i <= c->n; i++)
        c->crossing[i] = 0;
    for (uint32_t i = 0; i < c->n; i++)
        c->last[c->list[i]] = i;
    for (uint32_t i = 0; i < c->n; i++) {
        const ir_node *n = &c->f->node[c->list[i]];
        for (int k = 0; k < n->n_in; k++) {
            const uint32_t def = neighbour(c, n, n->in[k]);
            if (def && c->before[i] - c->before[c->place[def]] <= 2 * CG_FUSE_CUT)
                c->last[def] = i;
        }
    }
    for (uint32_t i = 0; i < c->n; i++) {
        c->crossing[i]++;
        c->crossing[c->last[c->list[i]]]--;
    }
    for (uint32_t i = 1; i < c->n; i++)
        c->crossing[i] += c->crossing[i - 1];
}

/* Is a segment that ends with place i better than one that ends with place k? */
static bool
is_better(const cutting *c, uint32_t i, uint32_t k)
{
    if (c->crossing[i] != c->crossing[k])
        return c->crossing[i] < c->crossing[k];
    return c->hash[c->list[i]] < c->hash[c->list[k]];
}

/* The last place of the segment that begins at `from`; n - 1 if the rest is one segment. */
static uint32_t
end_of_segment(const cutting *c, uint32_t from)
{
    uint32_t best = c->n;

    if (c->before[c->n] - c->before[from] <= 2 * CG_FUSE_CUT)
        return c->n - 1;
    for (uint32_t i = from; i < c->n; i++) {
        const int64_t cost = c->before[i + 1] - c->before[from];
        if (cost > 2 * CG_FUSE_CUT && best < c->n)
            break;
        if (cost >= CG_FUSE_CUT && (best == c->n || is_better(c, i, best)))
            best = i;
    }
    return best;
}

static void
cut_computation(cutting *c, uint32_t first)
{
    c->n = 0;
    for (uint32_t i = first; i; i = c->next[i]) {
        c->place[i] = c->n;
        c->before[c->n + 1] = c->before[c->n] + c->weight[i];
        c->list[c->n++] = i;
    }
    if (c->before[c->n] <= CG_FUSE_CUT_WHOLE * CG_FUSE_CUT)
        return;
    if (!c->hash)
        hash_surroundings(c);
    count_crossing(c);
    c->segments++;
    for (uint32_t from = 0, end; from < c->n; from = end + 1) {
        end = end_of_segment(c, from);
        for (uint32_t i = from; i <= end; i++)
            c->segment[c->list[i]] = c->segments;
        c->segments += c->crossing[end] <= CG_FUSE_CUT_VALUES;
    }
}

void
cg_find_cuts(cg_lowering *l, const ir_graph *f, const bool *inlined, uint32_t *segment,
             bool *crosses)
{
    const ir_mark mark = ir_arena_mark(l->scratch);
    ir_arena *a = l->scratch;
    cutting c = { .l = l, .f = f, .inlined = inlined, .segment = segment };

    c.joined = IR_NEW_N(a, uint32_t, f->n_nodes);
    c.next = IR_NEW_N(a, uint32_t, f->n_nodes);
    c.last = IR_NEW_N(a, uint32_t, f->n_nodes);
    c.place = IR_NEW_N(a, uint32_t, f->n_nodes);
    c.list = IR_NEW_N(a, uint32_t, f->n_nodes);
    c.weight = IR_NEW_N(a, int64_t, f->n_nodes);
    c.before = IR_NEW_N(a, int64_t, f->n_nodes + 1);
    c.crossing = IR_NEW_N(a, int32_t, f->n_nodes + 1);
    find_computations(&c);
    ir_each_node (n, f)
        if (c.joined[n - f->node] == (uint32_t)(n - f->node))
            cut_computation(&c, (uint32_t)(n - f->node));
    ir_each_node (n, f)
        for (int k = 0; k < n->n_in; k++) {
            const uint32_t def = f->value[n->in[k]].node;
            crosses[n->in[k]] |= segment[def] && segment[def] != segment[n - f->node] &&
                                 (neighbour(&c, n, n->in[k]) || !inlined[n - f->node]);
        }
    ir_arena_release(l->scratch, mark);
}
