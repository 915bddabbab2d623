/* Which values of a graph are stored in memory: the roots of its kernels.
 *
 * Outputs, results of ops with a lowering of their own, and row reductions must be stored.  A
 * value is also stored if computing it again would cost more than storing it: an expensive
 * value that several kernels read, that a broadcast repeats, between whose elements a pad puts
 * padding, or of which many parts are read, each by code of its own.  Finally a value is stored
 * where emitting it inline would recurse too deep, or make too much code for one kernel.  Every
 * other value is emitted inline by each of its users. */
#include "codegen/elemental/fold.h"
#include "codegen/fuse/cost.h"
#include "codegen/fuse/fuse.h"
#include "codegen/fuse/recompute.h"
#include "codegen/tuning.h"

enum { LANES_OF_SUM = 32, NO_KERNEL = 0, SEVERAL = -1 };

typedef struct rooting {
    cg_lowering *l;
    const ir_graph *f;
    cg_fusion *fusion;
    bool *is_output;
    int64_t *emitter; /* the kernel that emits the value: NO_KERNEL, a key, SEVERAL */
    double *times; /* how often each element is emitted */
    /* emitted inline by a reduction whose loop is inside loops over later axes */
    bool *crossed;
    /* a sum has one loop over the axes of the value from here on, counted from 1; 0: none */
    uint8_t *merged;
    int64_t *cost; /* cost of emitting an element */
    bool *elementwise; /* its element is read at the same index, through pointwise ops only */
    /* emitting it runs the loop of a reduction of several elements */
    bool *loops;
    /* the last use of a value, if all uses so far are disjoint slices */
    const ir_node **slice;
    uint8_t *slices;            /* the number of those slices */
    cg_recompute *again; /* how often code and elements of values are computed again */
    uint32_t *uses;             /* how many operands of nodes it is */
    bool *early;                /* a slice that is read before its operand is overwritten */
    uint32_t *depth; /* the longest chain of ops that are emitted inline for it */
    uint32_t *size;             /* an upper bound of the number of those ops */
    bool *too_much;             /* stored, because depth or size is over its limit */
    bool *together; /* a concatenation of which a barrier is an interleave */
    bool *inlined;              /* by node: it has no kernels or groups of its own */
    bool *crosses;              /* another segment of a long computation needs it */
    uint32_t *met, counts; /* count_inlined: by node, the last count that visited it */
    uint32_t *stack;            /* count_inlined: the nodes to visit, each once */
    uint32_t roots[256];        /* roots found so far, by the key of their iteration space */
} rooting;

int64_t
cg_terms_of(const ir_graph *f, const ir_node *n)
{
    int64_t k = 1;
    for (int i = 0; i < n->at->dot.lhs.n; i++)
        k *= ir_type_at(f, n->in[0])->dims[n->at->dot.lhs.at[i]];
    return k;
}

/* A product with one term for each element is lowered as a pointwise op.  So is one of few
 * terms with many rows and few columns (points by a matrix), for which packed panels would be
 * more code than the product. */
static bool
is_pointwise(const ir_graph *f, const ir_node *n)
{
    const ir_type *t = ir_type_at(f, n->first);
    const int64_t k = n->op == OP_dot_general ? cg_terms_of(f, n) : 0;
    const int batch = n->at->dot.lhs_batch.n, last = t->rank - 1;
    int64_t size = t->size;
    if (k <= 1 || k > CG_FUSE_FEW_TERMS || !ir_is_float(t->dtype))
        return k == 1;
    for (int i = 0; i < batch; i++)
        size /= t->dims[i] > 0 ? t->dims[i] : 1;
    return size >= CG_FUSE_MIN_FLAT && t->dims[last] <= CG_FUSE_FEW_TERMS &&
           ir_type_at(f, n->in[1])->rank == batch + n->at->dot.rhs.n + 1;
}

bool
cg_has_own_lowering(const cg_lowering *l, const ir_graph *f, const ir_node *n)
{
    return l->rules->node[n->op] && !is_pointwise(f, n);
}

/* The kind of the group that root v starts, before other roots join. */
cg_group_kind
cg_root_kind(cg_lowering *l, const ir_graph *f, ir_ref v)
{
    const ir_node *n = ir_def(f, v);
    if (!n)
        return CG_GROUP_MAP;
    return cg_is_row_reduce(l, f, n)      ? CG_GROUP_ROW
           : cg_is_column_reduce(l, f, n) ? CG_GROUP_COLUMN
                                          : CG_GROUP_MAP;
}

/* The iteration space of a root; of a reduction, the shape of the operand. */
const ir_type *
cg_root_space(cg_lowering *l, const ir_graph *f, ir_ref v)
{
    return ir_type_at(f, cg_root_kind(l, f, v) == CG_GROUP_MAP ? v : ir_def(f, v)->in[0]);
}

/* A key of the root's iteration space: roots with the same key may share a kernel. */
static int64_t
space_key(const rooting *u, ir_ref v)
{
    const ir_type *t = cg_root_space(u->l, u->f, v);
    uint64_t h = ir_hash_u64(5, (uint64_t)t->rank);
    for (int k = 0; k < t->rank; k++)
        h = ir_hash_u64(h, (uint64_t)t->dims[k]);
    return (int64_t)(h >> 2) + 1;
}

/* The kernel that emits what root v needs: one for roots over the same space, of which each
 * kernel takes CG_FUSE_MAX_GROUP_ROOTS at most.  Without that limit each kernel of a long chain
 * with a result at every step would compute the chain from its start. */
static int64_t
kernel_of(rooting *u, ir_ref v)
{
    const int64_t key = space_key(u, v);
    const uint32_t segment = u->fusion->segment[u->f->value[v].node];
    const uint64_t kernel =
        u->roots[key & 255]++ / CG_FUSE_MAX_GROUP_ROOTS + ((uint64_t)segment << 32);
    return kernel == 0 ? key : (int64_t)(ir_hash_u64((uint64_t)key, kernel) >> 2) + 1;
}

/* Is the operand of broadcast n computed outside of the innermost loops?  It is if the
 * broadcast adds last axes only, since the operand does not vary along them, unless one loop
 * runs over them and an axis of the operand.  On a GPU the innermost loops are threads, each of
 * which would compute the operand.  If the new axes have few elements, they do not fill a
 * vector, and another axis becomes the innermost; this matters only for operands that contain a
 * loop. */
static bool
is_hoisted(const rooting *u, const ir_node *n, const ir_type *x, const ir_type *y)
{
    const int merged = u->merged[n->first];
    if ((u->l->target.grid && x->rank > 0) || (merged && x->rank >= merged))
        return false;
    for (int k = 0; k < x->rank; k++)
        if (n->at->broadcast.dims.at[k] != k || x->dims[k] != y->dims[k])
            return false;
    return !u->loops[n->in[0]] || x->rank == 0 || y->size / x->size >= CG_FUSE_MIN_BROADCAST;
}

/* Is this use of x a slice that ends before all slices of x seen so far?  Nodes are visited in
 * reverse order, so slices of a split value are seen from its end on.  Disjoint slices emit no
 * element twice. */
static bool
is_disjoint_slice(rooting *u, const ir_node *n, ir_ref x)
{
    const ir_node *last = u->slice[x];
    bool disjoint = u->emitter[x] == NO_KERNEL;

    if (n->op != OP_slice)
        return false;
    for (int k = 0; last && !disjoint && u->slices[x] < CG_FUSE_MAX_DISJOINT_SLICES &&
                    k < n->at->slice.start.n;
         k++)
        disjoint = n->at->slice.limit.at[k] <= last->at->slice.start.at[k];
    u->slice[x] = disjoint ? n : NULL;
    u->slices[x]++;
    return disjoint;
}

/* Does the reduction keep an axis after one that it reduces?  In a map the loop of a reduction
 * is the innermost, and therefore inside the loop over that axis. */
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

/* The cost of an element of x as far as no other value shares it, summed over at most `left`
 * nodes. */
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

/* Does the pad put padding between expensive elements?  Vectors would compute them for the
 * lanes of the padding too, which index-set splitting cannot avoid.  Cheap elements are not
 * stored, since storing costs more: the gradient of a max pool adds several such arrays. */
static bool
is_spread(const rooting *u, const ir_node *pad)
{
    int left = CG_FUSE_MAX_OWN_NODES;

    for (int k = 0; k < pad->at->pad.interior.n; k++)
        if (pad->at->pad.interior.at[k] > 0)
            return own_cost(u, pad->in[0], &left) > CG_FUSE_COST_SPREAD;
    return false;
}

/* A sum over several adjacent axes has one loop for them, and so have the elements that it
 * reads. */
static void
note_merged(rooting *u, const ir_node *n, ir_ref x)
{
    int outer, inner, from = u->fusion->root[n->first] ? 0 : u->merged[n->first];

    if (cg_row_axes(u->l, u->f, n, &outer, &inner))
        from = ir_type_at(u->f, x)->rank - inner - outer > 1 ? outer + 1 : 0;
    else if (ir_ops[n->op].flag != IR_POINTWISE)
        from = 0;
    if (from && (!u->merged[x] || from < u->merged[x]))
        u->merged[x] = (uint8_t)from;
}

/* Record that n, which `kernel` emits `times` for each element, emits operand x inline. */
static void
note_use(rooting *u, const ir_node *n, ir_ref x, int64_t kernel, double times)
{
    const ir_type *tx = ir_type_at(u->f, x), *ty = ir_type_at(u->f, n->first);
    bool inside = !u->fusion->root[n->first] && u->crossed[n->first];
    const int64_t terms = is_pointwise(u->f, n) ? cg_terms_of(u->f, n) : 1;
    double ratio = 1;
    u->crossed[x] |= inside || crosses(u, n);
    note_merged(u, n, x);
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
    bool emitted = !is_disjoint_slice(u, n, x) && u->emitter[x] != NO_KERNEL;
    u->emitter[x] = u->emitter[x] != NO_KERNEL && u->emitter[x] != kernel ? SEVERAL
                    : !emitted || (u->emitter[x] == kernel && !moves)     ? kernel
                                                                          : SEVERAL;
    if (times * ratio > u->times[x])
        u->times[x] = times * ratio;
    cg_recompute_use(u->again, n, x, moves || (ir_ops[n->op].flag == IR_INDEX && x == n->in[0]),
                     ratio);
}

static bool
is_transposed(const ir_graph *f, ir_ref barrier)
{
    const ir_node *n = ir_def(f, ir_def(f, barrier)->in[0]);
    return n && n->op == OP_transpose;
}

/* Is the code of v, in all copies, too much for one kernel? */
static bool
is_copied_often(const rooting *u, ir_ref v)
{
    const uint32_t copies = u->again->copies[v];

    return copies > CG_FUSE_MAX_COPIES && copies * u->cost[v] > CG_FUSE_MAX_COPIED;
}

/* Does each operand of v have a kernel of its own? */
static bool
has_parts(const rooting *u, ir_ref v)
{
    return !u->together[v] && cg_has_many_parts(u->l, u->f, v);
}

static bool
must_be_root(const rooting *u, const ir_node *n, ir_ref v)
{
    if (u->is_output[v] || u->early[v] || u->fusion->part[v] || has_parts(u, v) ||
        u->fusion->contiguous[v] || u->too_much[v] || cg_has_own_lowering(u->l, u->f, n) ||
        cg_root_kind(u->l, u->f, v) != CG_GROUP_MAP)
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
        /* overlapping windows would test the bounds of each element repeatedly */
        return true;
    bool repeated = u->emitter[v] == SEVERAL || u->times[v] > 1.01 || is_copied_often(u, v) ||
                    cg_is_recomputed(u->again, v);
    return repeated && u->cost[v] > CG_FUSE_COST_SHARE;
}

/* Must operand i of a node with a lowering of its own be in memory?  Other operands are emitted
 * inline. */
static bool
wants_memory(const ir_node *n, int i)
{
    ir_op_flag flag = ir_ops[n->op].flag;
    return ir_ops[n->op].kernel != IR_KERNEL_argsort && (flag != IR_INDEX || i == 0);
}

/* Is result v of n computed from elements at the same index alone, through pointwise ops?  The
 * operands are decided before. */
static bool
is_elementwise(const rooting *u, const ir_node *n, ir_ref v)
{
    if (ir_type_at(u->f, v)->size == 1 || n->op == OP_constant ||
        cg_has_own_lowering(u->l, u->f, n) || cg_root_kind(u->l, u->f, v) != CG_GROUP_MAP)
        return true;
    if (n->op == OP_broadcast_in_dim)
        return ir_type_at(u->f, n->in[0])->size == 1;
    bool elementwise = ir_ops[n->op].flag == IR_POINTWISE;
    for (int i = 0; i < n->n_in && elementwise; i++)
        elementwise = u->elementwise[n->in[i]];
    return elementwise;
}

/* A sum over several adjacent axes treats them as one axis, in vectors of LANES_OF_SUM.  If its
 * operand is not elementwise in memory (a bias is broadcast along rows, say) and the rows are
 * not a multiple of the lanes, each lane would be loaded by itself.  Such an operand is stored
 * first. */
static void
require_contiguous(rooting *u, const ir_node *n)
{
    int outer, inner;
    if (u->l->target.grid || !cg_row_axes(u->l, u->f, n, &outer, &inner))
        return;
    const ir_type *x = ir_type_at(u->f, n->in[0]);
    const int last = x->rank - inner - 1;
    if (last <= outer || x->size < CG_FUSE_MIN_FLAT || x->dims[last] % LANES_OF_SUM == 0 ||
        x->dims[last - 1] == 1)
        return;
    if (!u->elementwise[n->in[0]])
        u->fusion->contiguous[n->in[0]] = true;
}

/* Count the ops that are emitted inline for n, each once.  Counting stops above
 * CG_FUSE_MAX_INLINE_SIZE. */
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

/* Store n where its emission would be too deep or too large.  Emission recurses through all
 * values that are not in memory, so this bounds the stack that lowering takes.  It also bounds
 * the size of a kernel, in which LLVM's time grows faster than linearly. */
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
    /* on a CPU a division is seldom worth a kernel that stores it */
    int64_t c = u->l->target.grid ? cg_op_cost_again(u->f, n) : cg_op_cost(u->f, n);

    *loops = terms >= CG_FUSE_PAD_REPEATS;
    for (int i = 0; i < n->n_in; i++) {
        c += u->cost[n->in[i]];
        *loops |= u->loops[n->in[i]];
    }
    return c * terms;
}

static void
find_inlined(rooting *u)
{
    ir_each_node (n, u->f)
        u->inlined[n - u->f->node] = n->n_out > 0 && !cg_has_own_lowering(u->l, u->f, n) &&
                                     cg_root_kind(u->l, u->f, n->first) == CG_GROUP_MAP;
    if (u->l->o->fuse && !u->l->target.grid)
        cg_find_cuts(u->l, u->f, u->inlined, u->fusion->segment, u->crosses);
}

static void
find_costs(rooting *u)
{
    ir_each_node (n, u->f) {
        bool loops = false;
        int64_t c = 0;

        if (u->inlined[n - u->f->node]) {
            c = cost_of_inline(u, n, &loops);
            bound_inlined(u, n);
            if (u->crosses[n->first] && c > CG_FUSE_COST_SHARE)
                u->too_much[n->first] = true, u->depth[n->first] = u->size[n->first] = 0;
            if (u->too_much[n->first])
                c = loops = 0;
        }
        for (ir_ref v = n->first; v < n->first + (ir_ref)n->n_out; v++) {
            u->loops[v] = loops;
            u->cost[v] = c > CG_FUSE_MAX_EMITTED_COST ? CG_FUSE_MAX_EMITTED_COST : c;
            u->elementwise[v] = is_elementwise(u, n, v);
        }
    }
}

/* The value that operand x of a concatenation shows: what computes it can do so there. */
static ir_ref
stored_part(const ir_graph *f, ir_ref x)
{
    for (const ir_node *n; (n = ir_def(f, x)) && n->n_in <= 1 && ir_ops[n->op].cost == IR_FREE;)
        if (n->n_in == 0)
            return IR_NONE; /* a constant */
        else
            x = n->in[0];
    return x;
}

/* Find the costs in order, then the uses in reverse: when a value is decided, all its users are
 * known. */
static void
find_roots(rooting *u)
{
    const ir_graph *f = u->f;
    find_inlined(u);
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
        require_contiguous(u, n);
        const ir_node *together = n->n_out == 1 ? cg_interleave_of(f, n->first) : NULL;
        if (together && together != n)
            u->together[together->first] = true;
        const bool parts = n->n_out == 1 && has_parts(u, n->first);
        for (int i = 0; i < n->n_out; i++) {
            ir_ref v = n->first + (ir_ref)i;
            u->fusion->root[v] = must_be_root(u, n, v);
            if (u->fusion->root[v])
                cg_recompute_root(u->again, v, cg_root_space(u->l, f, v));
            kernel = u->fusion->root[v] ? kernel_of(u, v) : u->emitter[v];
            times = u->fusion->root[v] ? 1 : u->times[v];
        }
        for (int i = 0; i < n->n_in; i++) {
            ir_ref x = n->in[i];
            if (own && ir_ops[n->op].flag == IR_CONTRACT)
                x = cg_dot_operand(f, n, i, NULL, NULL);
            note_use(u, n, x, own ? SEVERAL : kernel, times);
            if (own && wants_memory(n, i) && ir_def(f, x))
                u->is_output[x] = true; /* stored like an output */
            if (parts)
                u->fusion->part[stored_part(f, x)] = true;
        }
    }
}

void
cg_find_roots(cg_lowering *l, const ir_graph *f, cg_fusion *fusion)
{
    ir_arena *a = l->tables;
    rooting u = { .l = l, .f = f, .fusion = fusion };

    u.is_output = IR_NEW_N(a, bool, f->n_values);
    u.emitter = IR_NEW_N(a, int64_t, f->n_values);
    u.times = IR_NEW_N(a, double, f->n_values);
    u.crossed = IR_NEW_N(a, bool, f->n_values);
    u.merged = IR_NEW_N(a, uint8_t, f->n_values);
    u.cost = IR_NEW_N(a, int64_t, f->n_values);
    u.loops = IR_NEW_N(a, bool, f->n_values);
    u.elementwise = IR_NEW_N(a, bool, f->n_values);
    for (int i = 0; i < f->n_in; i++)
        u.elementwise[f->in[i]] = true;
    u.slice = IR_NEW_N(a, const ir_node *, f->n_values);
    u.slices = IR_NEW_N(a, uint8_t, f->n_values);
    u.again = cg_recompute_begin(l, f);
    u.uses = IR_NEW_N(a, uint32_t, f->n_values);
    u.depth = IR_NEW_N(a, uint32_t, f->n_values);
    u.size = IR_NEW_N(a, uint32_t, f->n_values);
    u.too_much = IR_NEW_N(a, bool, f->n_values);
    u.together = IR_NEW_N(a, bool, f->n_values);
    u.inlined = IR_NEW_N(a, bool, f->n_nodes);
    u.crosses = IR_NEW_N(a, bool, f->n_values);
    fusion->segment = IR_NEW_N(l->arena, uint32_t, f->n_nodes);
    u.met = IR_NEW_N(a, uint32_t, f->n_nodes);
    u.stack = IR_NEW_N(a, uint32_t, f->n_nodes);
    fusion->part = IR_NEW_N(l->arena, bool, f->n_values);
    fusion->contiguous = IR_NEW_N(l->arena, bool, f->n_values);
    ir_each_node (n, f)
        for (int i = 0; i < n->n_in; i++)
            u.uses[n->in[i]]++;
    for (int i = 0; i < f->n_out; i++)
        u.is_output[f->out[i]] = true;
    u.early = cg_early_reads(l, f);
    find_roots(&u);
}
