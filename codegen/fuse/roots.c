/* Which values of a graph live in memory: the roots of its kernels.
 *
 * A value is a root if it must live in memory: outputs, results of ops with a lowering of
 * their own and of row reductions, and what would cost more to compute again than to store
 * (an expensive value read from several kernels, repeated by a broadcast, put between zeros,
 * or taken in many parts, each of which is code of its own).  All else is emitted inline by
 * whoever needs it.  A value is stored as well where emitting it inline would be too deep
 * for the stack, or too much code for one kernel. */
#include "codegen/elemental/fold.h"
#include "codegen/fuse/cost.h"
#include "codegen/fuse/fuse.h"
#include "codegen/tuning.h"

enum { LANES_OF_SUM = 32, NO_KERNEL = 0, SEVERAL = -1 };

typedef struct rooting {
    cg_lowering *l;
    const ir_graph *f;
    cg_fusion *fusion;
    bool *is_output;
    int64_t *emitter; /* who emits the value: NO_KERNEL, a key, SEVERAL */
    double *times; /* how often each element is emitted inline         */
    /* emitted inline by a reduction whose loop is inside those of later axes */
    bool *crossed;
    int64_t *cost; /* of emitting an element                    */
    bool *as_it_lies; /* read through nothing but pointwise ops */
    bool *loops;                /* for which a reduction of several elements runs */
    /* the last use of a value, if all so far are slices that are apart */
    const ir_node **slice;
    uint8_t *slices;            /* how many these are                       */
    uint32_t *copies; /* at how many indices a kernel emits it    */
    uint32_t *index;            /* which these are: those of its one user, or its own */
    uint32_t *uses;             /* by operands of nodes                     */
    bool *early;                /* read before its operand is written over  */
    uint32_t *depth; /* of what is emitted inline for it: ops one behind the other */
    uint32_t *size;             /* and how many these are in all, or more   */
    bool *too_much;             /* stored, since that would be too deep, or too many */
    uint32_t *met, counts; /* count_inlined: by node, the last count that met it */
    uint32_t *stack;            /* and what it has still to look at         */
    uint32_t roots[256];        /* found so far, by their space's key       */
} rooting;

int64_t
cg_terms_of(const ir_graph *f, const ir_node *n)
{
    int64_t k = 1;
    for (int i = 0; i < n->at.dot.lhs.n; i++)
        k *= ir_type_at(f, n->in[0])->dims[n->at.dot.lhs.at[i]];
    return k;
}

/* A product of one term for each element is as good as pointwise; so is one of few terms
 * with many rows and few columns (points by a matrix), for which panels would be too much
 * code. */
static bool
is_pointwise(const ir_graph *f, const ir_node *n)
{
    const ir_type *t = ir_type_at(f, n->first);
    const int64_t k = n->op == OP_dot_general ? cg_terms_of(f, n) : 0;
    const int batch = n->at.dot.lhs_batch.n, last = t->rank - 1;
    int64_t size = t->size;
    if (k <= 1 || k > CG_FUSE_FEW_TERMS || !ir_is_float(t->dtype))
        return k == 1;
    for (int i = 0; i < batch; i++)
        size /= t->dims[i] > 0 ? t->dims[i] : 1;
    return size >= CG_FUSE_MIN_FLAT && t->dims[last] <= CG_FUSE_FEW_TERMS &&
           ir_type_at(f, n->in[1])->rank == batch + n->at.dot.rhs.n + 1;
}

bool
cg_has_own_lowering(const cg_lowering *l, const ir_graph *f, const ir_node *n)
{
    return l->rules->node[n->op] && !is_pointwise(f, n);
}

/* How a root is made: the kind of its group, before others join. */
cg_group_kind
cg_root_kind(cg_lowering *l, const ir_graph *f, ir_ref v)
{
    const ir_node *n = ir_def(f, v);
    if (!n)
        return CG_GROUP_MAP;
    return cg_is_row_reduce(f, n)          ? CG_GROUP_ROW
           : cg_is_column_reduce(l, f, n) ? CG_GROUP_COLUMN
                                          : CG_GROUP_MAP;
}

/* The iteration space of a root: for reductions, of the operand. */
const ir_type *
cg_root_space(cg_lowering *l, const ir_graph *f, ir_ref v)
{
    return ir_type_at(f, cg_root_kind(l, f, v) == CG_GROUP_MAP ? v : ir_def(f, v)->in[0]);
}

/* The space as a number: roots with the same key may become one kernel. */
static int64_t
space_key(const rooting *u, ir_ref v)
{
    const ir_type *t = cg_root_space(u->l, u->f, v);
    uint64_t h = ir_hash_u64(5, (uint64_t)t->rank);
    for (int k = 0; k < t->rank; k++)
        h = ir_hash_u64(h, (uint64_t)t->dims[k]);
    return (int64_t)(h >> 2) + 1;
}

/* Who emits what root v needs: roots over its space, but a kernel takes only so many.  Without
 * that, each kernel of a long chain with a result at every step would compute the chain from
 * its start. */
static int64_t
kernel_of(rooting *u, ir_ref v)
{
    const int64_t key = space_key(u, v);
    const uint64_t turn = u->roots[key & 255]++ / CG_FUSE_MAX_GROUP_ROOTS;
    return turn == 0 ? key : (int64_t)(ir_hash_u64((uint64_t)key, turn) >> 2) + 1;
}

/* A broadcast along new last axes: what it repeats does not change in the innermost loops, and
 * is computed outside of them; but on a GPU those are threads, each of which computes it.  Few
 * elements there are no vector, so that another axis is the innermost one: that matters for
 * what has a loop. */
static bool
is_hoisted(const rooting *u, const ir_node *n, const ir_type *x, const ir_type *y)
{
    if (u->l->target.grid && x->rank > 0)
        return false;
    for (int k = 0; k < x->rank; k++)
        if (n->at.broadcast.dims.at[k] != k || x->dims[k] != y->dims[k])
            return false;
    return !u->loops[n->in[0]] || x->rank == 0 || y->size / x->size >= CG_FUSE_MIN_BROADCAST;
}

/* Uses of x that are slices of it, from its end on, each before those seen: no element is
 * emitted inline twice. */
static bool
is_disjoint_slice(rooting *u, const ir_node *n, ir_ref x)
{
    const ir_node *last = u->slice[x];
    bool disjoint = u->emitter[x] == NO_KERNEL;

    if (n->op != OP_slice)
        return false;
    for (int k = 0; last && !disjoint && u->slices[x] < CG_FUSE_MAX_DISJOINT_SLICES &&
                    k < n->at.slice.start.n;
         k++)
        disjoint = n->at.slice.limit.at[k] <= last->at.slice.start.at[k];
    u->slice[x] = disjoint ? n : NULL;
    u->slices[x]++;
    return disjoint;
}

/* A reduction in a map runs innermost: axes after those it reduces are outside of it. */
static bool
crosses(const rooting *u, const ir_node *n)
{
    if (ir_ops[n->op].flag != IR_REDUCE || cg_root_kind(u->l, u->f, n->first) != CG_GROUP_MAP)
        return false;
    ir_axes axes = ir_reduced_axes(n);
    for (int k = 1; k < ir_type_at(u->f, n->in[0])->rank; k++)
        if (!ir_axes_has(axes, k) && (axes & ir_axes_below(k)))
            return true;
    return false;
}

/* What an element of x costs that nobody else has a use for, as far as `left` nodes show. */
static int64_t
own_cost(const rooting *u, ir_ref x, int *left)
{
    const ir_node *n = ir_def(u->f, x);
    int64_t c = n ? cg_op_cost(u->f, n) : 0;

    if (!n || u->uses[x] > 1 || ir_ops[n->op].flag == IR_REDUCE || --*left < 0)
        return 0;
    for (int i = 0; i < n->n_in; i++)
        c += own_cost(u, n->in[i], left);
    return c;
}

/* Expensive elements with others put between them: vectors compute those too, and no split
 * of the loop helps.  Cheap ones are more expensive to store: a max pool's gradient adds up
 * several such arrays. */
static bool
is_spread(const rooting *u, const ir_node *pad)
{
    int left = CG_FUSE_MAX_OWN_NODES;

    for (int k = 0; k < pad->at.pad.interior.n; k++)
        if (pad->at.pad.interior.at[k] > 0)
            return own_cost(u, pad->in[0], &left) > CG_FUSE_COST_SPREAD;
    return false;
}

/* Every part of x that is taken is code of its own for all that x is made from; parts of parts
 * multiply.  What is used in place is there once for each index of its users: halves of a pair,
 * say, each put in its place, are two of what both are made from. */
static void
note_copies(rooting *u, const ir_node *n, ir_ref x, bool moves)
{
    const bool first = u->fusion->root[n->first] || !u->copies[n->first];
    const uint32_t by = first ? 1 : u->copies[n->first], had = u->copies[x],
                   index = moves ? n->first : first ? 0 : u->index[n->first];
    const bool same = had > 0 && !moves && u->index[x] == index;
    const uint32_t all = !same ? had + by : had > by ? had : by;

    u->index[x] = had == 0 || same ? index : ~x; /* ~x: of x alone */
    u->copies[x] = all < CG_FUSE_MAX_COPIED ? all : CG_FUSE_MAX_COPIED;
}

/* Operand x of n is emitted inline by n, which `kernel` emits `times` for each element. */
static void
note_use(rooting *u, const ir_node *n, ir_ref x, int64_t kernel, double times)
{
    const ir_type *tx = ir_type_at(u->f, x), *ty = ir_type_at(u->f, n->first);
    bool inside = !u->fusion->root[n->first] && u->crossed[n->first];
    const int64_t terms = is_pointwise(u->f, n) ? cg_terms_of(u->f, n) : 1;
    double ratio = 1;
    u->crossed[x] |= inside || crosses(u, n);
    if (n->op == OP_broadcast_in_dim && tx->size > 0 && (inside || !is_hoisted(u, n, tx, ty)))
        ratio = (double)ty->size / (double)tx->size;
    else if ((ir_ops[n->op].flag == IR_INDEX || n->op == OP_dot_general ||
              n->op == OP_windows) &&
             tx->size > 0 && ty->size * terms > tx->size)
        ratio = (double)ty->size * (double)terms / (double)tx->size;
    else if (n->op == OP_pad && tx->size > 0 && is_spread(u, n))
        ratio = (double)ty->size / (double)tx->size;
    bool moves =
        ir_ops[n->op].flag == IR_MOVE && n->op != OP_reshape && n->op != OP_broadcast_in_dim;
    bool again = !is_disjoint_slice(u, n, x) && u->emitter[x] != NO_KERNEL;
    u->emitter[x] = u->emitter[x] != NO_KERNEL && u->emitter[x] != kernel ? SEVERAL
                    : !again || (u->emitter[x] == kernel && !moves)       ? kernel
                                                                          : SEVERAL;
    if (times * ratio > u->times[x])
        u->times[x] = times * ratio;
    note_copies(u, n, x, moves || (ir_ops[n->op].flag == IR_INDEX && x == n->in[0]));
}

static bool
is_transposed(const ir_graph *f, ir_ref barrier)
{
    const ir_node *n = ir_def(f, ir_def(f, barrier)->in[0]);
    return n && n->op == OP_transpose;
}

/* Would v be too much code, in all its copies? */
static bool
is_copied_often(const rooting *u, ir_ref v)
{
    return u->copies[v] > CG_FUSE_MAX_COPIES && u->copies[v] * u->cost[v] > CG_FUSE_MAX_COPIED;
}

static bool
must_be_root(const rooting *u, const ir_node *n, ir_ref v)
{
    if (u->is_output[v] || u->early[v] || u->fusion->flat[v] || u->too_much[v] ||
        cg_has_own_lowering(u->l, u->f, n) || cg_root_kind(u->l, u->f, v) != CG_GROUP_MAP)
        return true;
    if (n->n_in == 0 && ir_ops[n->op].cost == IR_FREE)
        return false;
    if (!u->l->o->fuse)
        return true;
    if (u->cost[v] > CG_FUSE_MAX_CHAIN && u->emitter[v] == SEVERAL)
        return true;
    if (n->op == OP_barrier &&
        ((u->cost[v] > CG_FUSE_COST_SHARE && cg_interleave_of(u->f, v)) ||
         is_transposed(u->f, v)))
        /* One element of an interleaved value would compute all of them, so it is stored; so
         * is a transpose behind a barrier, whose layout the user asked for. */
        return true;
    if (n->op == OP_pad && u->times[v] >= CG_FUSE_PAD_REPEATS)
        /* windows over it would test each element's place again and again */
        return true;
    bool repeated = u->emitter[v] == SEVERAL || u->times[v] > 1.01 || is_copied_often(u, v);
    return repeated && u->cost[v] > CG_FUSE_COST_SHARE;
}

/* Operand i of a node with a lowering of its own must be in memory; the others are emitted
 * inline. */
static bool
wants_memory(const ir_node *n, int i)
{
    ir_op_flag flag = ir_ops[n->op].flag;
    return ir_ops[n->op].kernel != IR_KERNEL_argsort && (flag != IR_INDEX || i == 0);
}

/* Is result v of n read as it lies, through nothing but pointwise ops?  That of operands is
 * known. */
static bool
lies_flat(const rooting *u, const ir_node *n, ir_ref v)
{
    if (ir_type_at(u->f, v)->size == 1 || n->op == OP_constant ||
        cg_has_own_lowering(u->l, u->f, n) || cg_root_kind(u->l, u->f, v) != CG_GROUP_MAP)
        return true;
    if (n->op == OP_broadcast_in_dim)
        return ir_type_at(u->f, n->in[0])->size == 1;
    bool flat = ir_ops[n->op].flag == IR_POINTWISE;
    for (int i = 0; i < n->n_in && flat; i++)
        flat = u->as_it_lies[n->in[i]];
    return flat;
}

/* A sum along several axes at once takes them as one, by vectors of LANES_OF_SUM.  Where
 * what is summed does not lie so, as a row that a bias is added to, and rows are no whole
 * number of vectors, each lane would be read by itself: it is stored first. */
static void
want_flat(rooting *u, const ir_node *n)
{
    if (u->l->target.grid || !cg_is_row_reduce(u->f, n))
        return;
    const ir_type *x = ir_type_at(u->f, n->in[0]);
    const int rank = x->rank;
    if (rank < 2 || x->size < CG_FUSE_MIN_FLAT || x->dims[rank - 1] % LANES_OF_SUM == 0 ||
        !ir_axes_has(ir_reduced_axes(n), rank - 2) || x->dims[rank - 2] == 1)
        return;
    if (!u->as_it_lies[n->in[0]])
        u->fusion->flat[n->in[0]] = true;
}

/* How many ops are emitted inline for n, each counted once; more than
 * CG_FUSE_MAX_INLINE_SIZE: too many. */
static uint32_t
count_inlined(rooting *u, const ir_node *n)
{
    uint32_t top = 0, count = 1;

    u->counts++;
    u->stack[top++] = (uint32_t)(n - u->f->node);
    while (top > 0) {
        const ir_node *x = &u->f->node[u->stack[--top]];
        for (int i = 0; i < x->n_in; i++) {
            const uint32_t def = u->f->value[x->in[i]].node;
            if (u->depth[x->in[i]] == 0 || u->met[def] == u->counts)
                continue;
            if (++count > CG_FUSE_MAX_INLINE_SIZE)
                return count;
            u->met[def] = u->counts;
            u->stack[top++] = def;
        }
    }
    return count;
}

/* An emission goes down through all that is not in memory, so that its depth is bounded
 * here, and with it the stack that lowering takes; and so is the size of a kernel, which
 * LLVM's time grows with faster than linearly. */
static void
bound_inlined(rooting *u, const ir_node *n)
{
    const uint32_t own = ir_ops[n->op].flag == IR_POINTWISE ? 1 : CG_FUSE_MOVE_DEPTH;
    uint32_t depth = own, size = 1;

    for (int i = 0; i < n->n_in; i++) {
        const ir_ref x = n->in[i];
        depth = u->depth[x] + own > depth ? u->depth[x] + own : depth;
        size += u->size[x];
    }
    if (size > CG_FUSE_MAX_INLINE_SIZE)
        size = count_inlined(u, n);
    u->too_much[n->first] = depth > CG_FUSE_MAX_INLINE_DEPTH || size > CG_FUSE_MAX_INLINE_SIZE;
    u->depth[n->first] = u->too_much[n->first] ? 0 : depth;
    u->size[n->first] = u->too_much[n->first] ? 0 : size;
}

static int64_t
cost_of_inline(const rooting *u, const ir_node *n, bool *loops)
{
    const int64_t size = ir_type_at(u->f, n->first)->size;
    const int64_t terms = ir_ops[n->op].flag == IR_REDUCE && size > 0
                              ? ir_type_at(u->f, n->in[0])->size / size
                              : 1;
    int64_t c = u->l->target.grid ? cg_op_cost_grid(u->f, n) : cg_op_cost(u->f, n);

    *loops = terms >= CG_FUSE_PAD_REPEATS;
    for (int i = 0; i < n->n_in; i++) {
        c += u->cost[n->in[i]];
        *loops |= u->loops[n->in[i]];
    }
    return c * terms;
}

static void
find_costs(rooting *u)
{
    ir_each_node(n, u->f) {
        bool loops = false;
        int64_t c = 0;

        if (n->n_out > 0 && !cg_has_own_lowering(u->l, u->f, n) &&
            cg_root_kind(u->l, u->f, n->first) == CG_GROUP_MAP) {
            c = cost_of_inline(u, n, &loops);
            bound_inlined(u, n);
            if (u->too_much[n->first])
                c = loops = 0;
        }
        for (ir_ref v = n->first; v < n->first + (ir_ref)n->n_out; v++) {
            u->loops[v] = loops;
            u->cost[v] = c > CG_FUSE_MAX_EMITTED_COST ? CG_FUSE_MAX_EMITTED_COST : c;
            u->as_it_lies[v] = lies_flat(u, n, v);
        }
    }
}

/* Costs forward, then uses backward: a value is decided when all who emit it are known. */
static void
find_roots(rooting *u)
{
    const ir_graph *f = u->f;
    find_costs(u);
    for (const ir_node *n = f->node + f->n_nodes - 1; n > f->node; n--) {
        int64_t kernel = NO_KERNEL;
        double times = 1;
        bool own = cg_has_own_lowering(u->l, u->f, n), used = f->effectful && ir_effectful(n);
        for (int i = 0; i < n->n_out; i++) {
            ir_ref v = n->first + (ir_ref)i;
            used |= u->is_output[v] || u->emitter[v] != NO_KERNEL;
        }
        if (!used)
            continue;
        want_flat(u, n);
        for (int i = 0; i < n->n_out; i++) {
            ir_ref v = n->first + (ir_ref)i;
            u->fusion->root[v] = must_be_root(u, n, v);
            kernel = u->fusion->root[v] ? kernel_of(u, v) : u->emitter[v];
            times = u->fusion->root[v] ? 1 : u->times[v];
        }
        for (int i = 0; i < n->n_in; i++) {
            ir_ref x = n->in[i];
            if (own && ir_ops[n->op].flag == IR_CONTRACT)
                x = cg_dot_operand(f, n, i, NULL, NULL);
            note_use(u, n, x, own ? SEVERAL : kernel, times);
            if (own && wants_memory(n, i) && ir_def(f, x))
                u->is_output[x] = true;         /* as good as an output */
        }
    }
}

void
cg_find_roots(cg_lowering *l, const ir_graph *f, cg_fusion *fusion)
{
    ir_arena *a = l->arena;
    rooting u = { .l = l, .f = f, .fusion = fusion };

    u.is_output = IR_NEW_N(a, bool, f->n_values);
    u.emitter = IR_NEW_N(a, int64_t, f->n_values);
    u.times = IR_NEW_N(a, double, f->n_values);
    u.crossed = IR_NEW_N(a, bool, f->n_values);
    u.cost = IR_NEW_N(a, int64_t, f->n_values);
    u.loops = IR_NEW_N(a, bool, f->n_values);
    u.as_it_lies = IR_NEW_N(a, bool, f->n_values);
    for (int i = 0; i < f->n_in; i++)
        u.as_it_lies[f->in[i]] = true;
    u.slice = IR_NEW_N(a, const ir_node *, f->n_values);
    u.slices = IR_NEW_N(a, uint8_t, f->n_values);
    u.copies = IR_NEW_N(a, uint32_t, f->n_values);
    u.index = IR_NEW_N(a, uint32_t, f->n_values);
    u.uses = IR_NEW_N(a, uint32_t, f->n_values);
    u.depth = IR_NEW_N(a, uint32_t, f->n_values);
    u.size = IR_NEW_N(a, uint32_t, f->n_values);
    u.too_much = IR_NEW_N(a, bool, f->n_values);
    u.met = IR_NEW_N(a, uint32_t, f->n_nodes);
    u.stack = IR_NEW_N(a, uint32_t, CG_FUSE_MAX_INLINE_SIZE);
    fusion->flat = IR_NEW_N(a, bool, f->n_values);
    ir_each_node(n, f)
        for (int i = 0; i < n->n_in; i++)
            u.uses[n->in[i]]++;
    for (int i = 0; i < f->n_out; i++)
        u.is_output[f->out[i]] = true;
    u.early = cg_early_reads(l, f);
    find_roots(&u);
}
