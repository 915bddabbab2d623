/* Rules of cond: all branches are transformed alike, so that their signatures stay equal.
 *
 * A predicate with leading axes (the mapped form) chooses for each example.  Both branches run
 * on all examples, and the op selects results at its boundary; the same holds for cotangents,
 * since the transpose of a mapped cond is a mapped cond.  Values of the branch not taken cannot
 * affect the result, since no sum over the examples happens inside: every operand and result
 * has the leading axes, and an operand that is the same for all is broadcast before the cond,
 * so that its sum is outside.
 *
 * For the same reason a split saves values of branches only if the predicate is a scalar:
 * values inside a mapped branch need not have the examples as their first axis.  The linear
 * half of a mapped cond takes the operands and recomputes its residuals. */
#include "passes/rules/flow.h"

static const ir_graph *
branch(const ir_node *n, int k)
{
    return n->at->cond.branches.at[k];
}

static void
cond(ir_build *b, int n_branches, ir_graph *const *g, int n_in, const ir_ref *in, ir_ref *out)
{
    if (b->status == COT_OK)
        ir_add_node(b, OP_cond, n_in, in, &(ir_attrs){ .cond = { { n_branches, g } } }, out);
}

/* Applies a transform to every branch. is[j], whether output j has a property (a tangent, the
 * mapped axis), is the union over the branches: the transform is repeated until no branch adds
 * to it. */
typedef cot_status each_branch(const void *data, const ir_graph *f, bool *is, ir_graph **out);

static ir_graph **
alike(ir_build *b, const ir_node *n, each_branch *pass, const void *data, bool *is)
{
    int count = n->at->cond.branches.n;
    ir_graph **g = IR_NEW_N(b->arena, ir_graph *, count);
    bool *before = IR_NEW_N(b->arena, bool, n->n_out), again = true;

    while (again && b->status == COT_OK) {
        again = false;
        for (int k = 0; k < count; k++) {
            memcpy(before, is, sizeof *is * (size_t)n->n_out);
            if (!pass_flow_ok(b, pass(data, branch(n, k), is, &g[k])))
                return g;
            again |= k > 0 && memcmp(before, is, sizeof *is * (size_t)n->n_out) != 0;
        }
    }
    return g;
}

static cot_status
jvp_branch(const void *active, const ir_graph *f, bool *is, ir_graph **out)
{
    return pass_jvp_graph(f, active, is, out);
}

void
jvp_cond(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    bool *active = IR_NEW_N(b->arena, bool, n->n_in),
         *varies = IR_NEW_N(b->arena, bool, n->n_out);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, 2 * n->n_in),
           *z = IR_NEW_N(b->arena, ir_ref, 2 * n->n_out);
    int n_in = n->n_in, at = n->n_out;

    (void)f;
    x[0] = in[0].val;
    for (int i = 1; i < n->n_in; i++) {
        x[i] = in[i].val;
        active[i - 1] = in[i].tan != IR_NONE;
        if (in[i].tan)
            x[n_in++] = in[i].tan;
    }
    ir_graph **g = alike(b, n, jvp_branch, active, varies);
    cond(b, n->at->cond.branches.n, g, n_in, x, z);
    for (int j = 0; j < n->n_out; j++)
        y[j] = (dual){ z[j], varies[j] ? z[at++] : IR_NONE };
}

void
transpose_cond(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
               const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    const int count = n->at->cond.branches.n;
    ir_graph **g = IR_NEW_N(b->arena, ir_graph *, count);
    bool *has = IR_NEW_N(b->arena, bool, n->n_out);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in + n->n_out);
    ir_ref *z = IR_NEW_N(b->arena, ir_ref, n->n_in);
    const int n_in = pass_flow_known(n, linear, in, ct, has, x);

    (void)f;
    for (int k = 0; k < count; k++)
        pass_flow_ok(b, pass_transpose_graph(branch(n, k), linear + 1, has, &g[k]));
    cond(b, count, g, n_in, x, z);
    pass_flow_give(n, linear, z, ct_in);
}

/* Does the index choose branch k?  An index out of range chooses the first or the last. */
ir_ref
pass_branch_chosen(ir_build *b, ir_ref index, int k, int count)
{
    if (!index || (ir_btype(b, index)->dtype == COT_BOOL && k == 1))
        return index;
    if (count == 1)
        return ir_splat(b, ir_type_as(b->ctx, ir_btype(b, index), COT_BOOL), 1);
    if (ir_btype(b, index)->dtype == COT_BOOL)
        return k == 0 ? ir_op1(b, OP_not, index) : ir_like(b, index, 0);
    return ir_op2(b,
                  k == 0           ? OP_le
                  : k == count - 1 ? OP_ge
                                   : OP_eq,
                  index, ir_like(b, index, k));
}

/* Branch k with the index as an additional first operand: its loops run only where the branch
 * is chosen. */
static ir_graph *
masked_branch(ir_build *outer, const ir_node *n, const ir_type *index, int k)
{
    const ir_graph *f = branch(n, k);
    bool loops = f->whiles;
    ir_graph *g = loops ? pass_mask_whiles(outer, f) : (ir_graph *)f;

    if (outer->status != COT_OK)
        return NULL;
    ir_build *b = pass_flow_begin(outer, f->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, g->n_in), *y = IR_NEW_N(b->arena, ir_ref, g->n_out);
    ir_ref x = ir_input(b, index, NULL);

    if (loops)
        in[0] = pass_branch_chosen(b, x, k, n->at->cond.branches.n);
    for (int i = loops; i < g->n_in; i++)
        in[i] = ir_input_like(b, g, g->in[i], "");
    ir_inline_graph(b, g, in, y);
    for (int j = 0; j < g->n_out; j++)
        ir_output(b, y[j]);
    return pass_flow_end(outer, b, f);
}

/* The mapped form: everything gets the mapped axis. */
static void
vmap_chooses(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
             const bool *mapped, pass_map_graph *map, ir_ref *y)
{
    const ir_type *index = ir_type_at(f, n->in[0]);
    int count = n->at->cond.branches.n, n_in = 0;
    ir_graph **g = IR_NEW_N(b->arena, ir_graph *, count);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);
    bool *all = IR_NEW_N(b->arena, bool, n->n_in + n->n_out + 1), loops = false;

    for (int i = 0; i < n->n_in + n->n_out + 1; i++)
        all[i] = true;
    /* A predicate that was already mapped has masked its loops then. */
    for (int k = 0; k < count && index->rank == 0; k++)
        loops |= branch(n, k)->whiles;
    for (int i = 0; i < n->n_in; i++) {
        x[n_in++] = pass_map_operand(b, in[i], mapped[i], size);
        if (i == 0 && loops)
            x[n_in++] = x[0];
    }
    for (int k = 0; k < count && b->status == COT_OK; k++) {
        const ir_graph *h = loops ? masked_branch(b, n, index, k) : branch(n, k);

        if (h)
            pass_flow_ok(b, map(h, size, all, all + n->n_in + 1, &g[k]));
    }
    cond(b, count, g, n_in, x, y);
}

typedef struct vmap_data {
    int64_t size;
    const bool *mapped;
    pass_map_graph *map;
} vmap_data;

static cot_status
vmap_branch(const void *data, const ir_graph *f, bool *is, ir_graph **out)
{
    const vmap_data *d = data;
    return d->map(f, d->size, d->mapped, is, out);
}

void
pass_vmap_cond(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
               const bool *mapped, pass_map_graph *map, ir_ref *y, bool *out_mapped)
{
    bool effects = false, ranked = ir_type_at(f, n->in[0])->rank > 0;

    for (int k = 0; k < n->at->cond.branches.n; k++)
        effects |= branch(n, k)->effectful;
    /* each example has the effects of the branch that it takes */
    if (mapped[0] && effects && !ranked) {
        pass_one_by_one(b, f, n, size, in, mapped, y, out_mapped);
        return;
    }
    if (mapped[0] || ranked) {
        vmap_chooses(b, f, n, size, in, mapped, map, y);
        return;
    }
    for (int j = 0; j < n->n_out; j++)
        out_mapped[j] = false;
    ir_graph **g = alike(b, n, vmap_branch, &(vmap_data){ size, mapped + 1, map }, out_mapped);
    cond(b, n->at->cond.branches.n, g, n->n_in, in, y);
}

void
vmap_cond(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
          const bool *mapped, ir_ref *y, bool *out_mapped)
{
    pass_vmap_cond(b, f, n, size, in, mapped, pass_vmap_graph, y, out_mapped);
}

/* Splitting.  An output is known only if every branch knows it.  The residuals of the branches
 * share slots by type, and a branch without a residual for a slot returns zeros. */

typedef struct cond_split {
    int count; /* the number of branches */
    flow_split *half;
    bool *unknown_out;
    int n_slot;
    uint32_t n_types, cap_types;
    const ir_type **slot; /* the types of the slots          */
    int **at;             /* at[k][r]: slot of residual r    */
} cond_split;

static bool
split_branches(ir_build *b, const ir_node *n, const bool *known, cond_split *s)
{
    bool again = true;

    s->count = n->at->cond.branches.n;
    s->half = IR_NEW_N(b->arena, flow_split, s->count);
    s->unknown_out = IR_NEW_N(b->arena, bool, n->n_out);
    while (again) {
        again = false;
        for (int k = 0; k < s->count; k++) {
            const int same = ir_same_branch(&n->at->cond.branches, k);
            if (same >= 0)
                s->half[k] = s->half[same];
            else if (!pass_flow_split(b, branch(n, k), known + 1, s->unknown_out, &s->half[k]))
                return false;
            for (int j = 0; j < n->n_out; j++)
                if (!s->half[k].known_out[j] && !s->unknown_out[j])
                    s->unknown_out[j] = again = true;
        }
    }
    return true;
}

static void
assign_slots(ir_build *b, cond_split *s)
{
    s->at = IR_NEW_N(b->arena, int *, s->count);
    for (int k = 0; k < s->count; k++) {
        const flow_split *h = &s->half[k];
        bool *taken = IR_NEW_N(b->arena, bool, s->n_types + (uint32_t)h->n_res);

        s->at[k] = IR_NEW_N(b->arena, int, h->n_res);
        for (int r = 0; r < h->n_res; r++) {
            const ir_type *t = ir_type_at(h->rest, h->rest->in[r]);
            uint32_t i = 0;

            while (i < s->n_types && (taken[i] || s->slot[i] != t))
                i++;
            if (i == s->n_types)
                IR_PUSH(b->arena, s->slot, s->n_types, s->cap_types, t);
            taken[i] = true;
            s->at[k][r] = (int)i;
        }
    }
    s->n_slot = (int)s->n_types;
}

/* Known half k, with its residuals in the slots. */
static ir_graph *
known_branch(ir_build *outer, const cond_split *s, int k)
{
    const flow_split *h = &s->half[k];
    ir_build *b = pass_flow_begin(outer, h->known->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, h->known->n_in);
    ir_ref *y = IR_NEW_N(b->arena, ir_ref, h->known->n_out);
    ir_ref *slot = IR_NEW_N(b->arena, ir_ref, s->n_slot);

    for (int i = 0; i < h->known->n_in; i++)
        in[i] = ir_input_like(b, h->known, h->known->in[i], "");
    pass_flow_run(b, h->known, in, y);
    for (int j = 0; j < h->n_known; j++)
        ir_output(b, y[j]);
    for (int r = 0; r < h->n_res; r++)
        slot[s->at[k][r]] = y[h->n_known + r];
    for (int i = 0; i < s->n_slot; i++)
        ir_output(b, slot[i] ? slot[i] : ir_zeros(b, s->slot[i]));
    return pass_flow_end(outer, b, h->known);
}

/* Rest k: its inputs are the slots, then the unknown inputs. */
static ir_graph *
rest_branch(ir_build *outer, const cond_split *s, int k)
{
    const flow_split *h = &s->half[k];
    ir_build *b = pass_flow_begin(outer, h->rest->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, h->rest->n_in),
           *y = IR_NEW_N(b->arena, ir_ref, h->rest->n_out),
           *slot = IR_NEW_N(b->arena, ir_ref, s->n_slot);

    for (int i = 0; i < s->n_slot; i++)
        slot[i] = ir_input(b, s->slot[i], NULL);
    for (int r = 0; r < h->n_res; r++)
        in[r] = slot[s->at[k][r]];
    for (int i = h->n_res; i < h->rest->n_in; i++)
        in[i] = ir_input_like(b, h->rest, h->rest->in[i], "");
    pass_flow_run(b, h->rest, in, y);
    for (int j = 0; j < h->rest->n_out; j++)
        ir_output(b, y[j]);
    return pass_flow_end(outer, b, h->rest);
}

/* Distributes the results of the known and the rest node to the results of n. */
static void
deal_out(const ir_node *n, const bool *unknown, const ir_ref *k, const ir_ref *r, ir_ref *kout,
         ir_ref *rout)
{
    for (int j = 0, at_k = 0, at_r = 0; j < n->n_out; j++)
        if (unknown[j])
            rout[j] = r[at_r++];
        else
            kout[j] = k[at_k++];
}

static void
split_once(pass_splitter *sp, ir_build *kb, ir_build *rb, const ir_node *n, const bool *known,
           const ir_ref *kin, const ir_ref *rin, cond_split *s, ir_ref *kout, ir_ref *rout)
{
    ir_graph **g = IR_NEW_N(kb->arena, ir_graph *, s->count);
    ir_graph **h = IR_NEW_N(rb->arena, ir_graph *, s->count);
    int n_in = 0, n_rest = 0;

    assign_slots(kb, s);
    ir_ref *x = IR_NEW_N(kb->arena, ir_ref, n->n_in);
    ir_ref *z = IR_NEW_N(kb->arena, ir_ref, n->n_out + s->n_slot);
    ir_ref *u = IR_NEW_N(rb->arena, ir_ref, n->n_in + s->n_slot + 1);
    ir_ref *v = IR_NEW_N(rb->arena, ir_ref, n->n_out);
    for (int k = 0; k < s->count; k++) {
        const int same = ir_same_branch(&n->at->cond.branches, k);
        g[k] = same >= 0 ? g[same] : known_branch(kb, s, k);
        h[k] = same >= 0 ? h[same] : rest_branch(rb, s, k);
    }
    for (int i = 0; i < n->n_in; i++)
        if (known[i])
            x[n_in++] = kin[i];
    cond(kb, s->count, g, n_in, x, z);
    u[n_rest++] = pass_residual(sp, kin[0]);
    for (int i = 0; i < s->n_slot; i++)
        u[n_rest++] = pass_residual(sp, z[s->half[0].n_known + i]);
    for (int i = 1; i < n->n_in; i++)
        if (!known[i])
            u[n_rest++] = rin[i];
    cond(rb, s->count, h, n_rest, u, v);
    deal_out(n, s->unknown_out, z, v, kout, rout);
}

/* Known half k without residuals; below: known half and rest joined, on all operands. */
static ir_graph *
values_branch(ir_build *outer, const flow_split *h)
{
    flow_port *port = IR_NEW_N(outer->arena, flow_port, h->known->n_in);

    for (int i = 0; i < h->known->n_in; i++)
        port[i] = (flow_port){ i, NULL };
    return pass_flow_permute(outer, h->known, h->known->n_in, port, h->n_known, NULL);
}

static ir_graph *
joined_branch(ir_build *outer, const flow_split *h)
{
    ir_build *b = pass_flow_begin(outer, h->rest->name);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, h->known->n_in);
    ir_ref *y = IR_NEW_N(b->arena, ir_ref, h->known->n_out + h->rest->n_in);
    ir_ref *z = IR_NEW_N(b->arena, ir_ref, h->rest->n_out);

    for (int i = 0; i < h->known->n_in; i++)
        x[i] = ir_input_like(b, h->known, h->known->in[i], "");
    ir_inline_graph(b, h->known, x, y);
    for (int i = h->n_res; i < h->rest->n_in; i++)
        y[h->n_known + i] = ir_input_like(b, h->rest, h->rest->in[i], "");
    ir_inline_graph(b, h->rest, y + h->n_known, z);
    for (int j = 0; j < h->rest->n_out; j++)
        ir_output(b, z[j]);
    return pass_flow_end(outer, b, h->rest);
}

static void
split_mapped(pass_splitter *sp, ir_build *kb, ir_build *rb, const ir_node *n, const bool *known,
             const ir_ref *kin, const ir_ref *rin, cond_split *s, ir_ref *kout, ir_ref *rout)
{
    ir_graph **g = IR_NEW_N(kb->arena, ir_graph *, s->count);
    ir_graph **h = IR_NEW_N(rb->arena, ir_graph *, s->count);
    ir_ref *x = IR_NEW_N(kb->arena, ir_ref, n->n_in),
           *z = IR_NEW_N(kb->arena, ir_ref, n->n_out);
    ir_ref *u = IR_NEW_N(rb->arena, ir_ref, n->n_in),
           *v = IR_NEW_N(rb->arena, ir_ref, n->n_out);
    int n_in = 0, n_rest;

    for (int k = 0; k < s->count; k++) {
        const int same = ir_same_branch(&n->at->cond.branches, k);
        g[k] = same >= 0 ? g[same] : values_branch(kb, &s->half[k]);
        h[k] = same >= 0 ? h[same] : joined_branch(rb, &s->half[k]);
    }
    for (int i = 0; i < n->n_in; i++)
        if (known[i])
            x[n_in++] = kin[i];
    if (s->half[0].n_known > 0)
        cond(kb, s->count, g, n_in, x, z);
    for (n_rest = 0; n_rest < n_in; n_rest++)
        u[n_rest] = pass_residual(sp, x[n_rest]);
    for (int i = 1; i < n->n_in; i++)
        if (!known[i])
            u[n_rest++] = rin[i];
    cond(rb, s->count, h, n_rest, u, v);
    deal_out(n, s->unknown_out, z, v, kout, rout);
}

void
split_cond(pass_splitter *sp, ir_build *kb, ir_build *rb, const ir_graph *f, const ir_node *n,
           const bool *known, const ir_ref *kin, const ir_ref *rin, ir_ref *kout, ir_ref *rout)
{
    cond_split s = { 0 };

    if (!split_branches(kb, n, known, &s))
        return;
    if (ir_type_at(f, n->in[0])->rank > 0)
        split_mapped(sp, kb, rb, n, known, kin, rin, &s, kout, rout);
    else
        split_once(sp, kb, rb, n, known, kin, rin, &s, kout, rout);
}
