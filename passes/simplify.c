/* The same function, smaller: a small fixed set of rewrites.
 *
 * Every node is built again, so that the builder folds and shares what earlier passes left.  In
 * addition:
 *
 *   x + (-y) = x - y,  x - (-y) = x + y     the operands stay in order, so that contraction
 *   (-x) (-y) = x y,   (-x) / (-y) = x / y  sees the same products as before
 *   the transpose of a real product that nothing else uses is the product of the exchanged
 *   operands, if the last axis becomes one of the left operand: rows are stored in order
 *   cond on a constant, or with one branch, is that branch; equal branches are one
 *   a carry that no step changes is its initial value, inside and after the loop
 *
 * All are exact in IEEE 754, including NaN and signed zeros. */
#include "passes/engine.h"

static ir_ref
negated(const ir_build *b, ir_ref v)
{
    const ir_node *n = ir_bdef(b, v);
    return n && n->op == OP_neg ? n->in[0] : IR_NONE;
}

static ir_ref
simplify_signs(ir_build *b, const ir_node *n, const ir_ref *in)
{
    ir_ref x = negated(b, in[0]), y = negated(b, in[1]);
    if (n->op == OP_add && y)
        return ir_sub(b, in[0], y);
    if (n->op == OP_sub && y)
        return ir_add(b, in[0], y);
    if (n->op == OP_mul && x && y)
        return ir_mul(b, x, y);
    if (n->op == OP_div && x && y && ir_is_float(ir_btype(b, x)->dtype))
        return ir_div(b, x, y);
    return IR_NONE;
}

/* A product has batch axes, free axes of x, free axes of y.  Exchanging the operands keeps the
 * chain over k of each element and makes the free axes of x the last ones; a transpose of the
 * result does the rest.  This is only right for real products: an element of a complex product
 * is several chains, whose order matters for infinities. */
static ir_ref
simplify_transpose(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env,
                   const uint32_t *uses)
{
    const ir_node *d = ir_def(f, n->in[0]);
    const ir_ints perm = n->at->perm.perm;
    int64_t rest[COT_MAX_RANK];
    if (!d || d->op != OP_dot_general || uses[d->first] != 1 ||
        ir_is_complex(ir_type_at(f, d->first)->dtype))
        return IR_NONE;
    const ir_attrs *at = d->at;
    const int batch = at->dot.lhs_batch.n;
    const int left = ir_type_at(f, d->in[0])->rank - batch - at->dot.lhs.n;
    const int right = perm.n - batch - left;
    if (left == 0 || right == 0 || perm.at[perm.n - 1] != batch + left - 1)
        return IR_NONE;
    for (int i = 0; i < perm.n; i++) {
        const int64_t axis = perm.at[i];
        rest[i] = axis < batch ? axis : axis < batch + left ? axis + right : axis - left;
    }
    b->loc = d->loc;
    const ir_ref y = ir_dot(b, env[d->in[1]], env[d->in[0]], at->dot.rhs, at->dot.lhs,
                            at->dot.rhs_batch, at->dot.lhs_batch);
    b->loc = n->loc;
    return ir_transpose(b, y, rest);
}

static ir_ref
simplified(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env,
           const ir_ref *in, const uint32_t *uses)
{
    if (n->op == OP_transpose)
        return simplify_transpose(b, f, n, env, uses);
    return ir_ops[n->op].flag == IR_POINTWISE && n->n_in == 2 ? simplify_signs(b, n, in)
                                                              : IR_NONE;
}

static bool
are_one_graph(const ir_graphs *g)
{
    for (int k = 1; k < g->n; k++)
        if (g->at[k] != g->at[0])
            return false;
    return true;
}

/* The branch that is taken, if it is known: for a constant predicate, clamped; or if all
 * branches are one graph. */
static int
known_branch(const ir_build *b, const ir_attrs *at, ir_ref predicate)
{
    double p;
    if (are_one_graph(&at->cond.branches))
        return 0;
    if (ir_btype(b, predicate)->rank != 0 || !ir_is_splat(b, predicate, &p))
        return -1;
    return p < 0 ? 0 : p >= at->cond.branches.n ? at->cond.branches.n - 1 : (int)p;
}

/* The distinct branches of g; which[k]: the place of branch k among them. */
static ir_graphs
distinct_branches(ir_build *b, const ir_graphs *g, int *which)
{
    ir_graph **list = IR_NEW_N(b->arena, ir_graph *, g->n);
    ir_map places;
    int n = 0;

    ir_map_init(&places, b->arena);
    for (int k = 0; k < g->n; k++) {
        const uint64_t hash = ir_hash_u64(0, (uint64_t)(uintptr_t)g->at[k]);
        uint32_t at = 0, id;
        while ((id = ir_map_next(&places, hash, &at)) && list[id - 1] != g->at[k])
            ;
        if (!id) {
            list[n++] = g->at[k];
            ir_map_add(&places, hash, id = (uint32_t)n);
        }
        which[k] = (int)id - 1;
    }
    return (ir_graphs){ n, list };
}

/* Branches that are one graph become one, by an index that says so: each branch of a cond is
 * compiled, so that nests of such conds would double at each level.  Returns the index; numbers
 * that its type does not have are never reached. */
static ir_ref
merge_branches(ir_build *b, ir_attrs *at, ir_ref index)
{
    int *which = IR_NEW_N(b->arena, int, at->cond.branches.n);
    const ir_graphs all = at->cond.branches, g = distinct_branches(b, &all, which);
    const cot_dtype t = ir_btype(b, index)->dtype;
    const int bits = (int)cot_dtype_size(t) * 8 - ir_is_signed(t);

    if (g.n == all.n || t == COT_BOOL)
        return index;
    ir_ref merged = ir_like(b, index, which[0]);
    for (int k = 1; k < all.n && (int64_t)k >> (bits < 32 ? bits : 32) == 0; k++)
        if (which[k] != which[k - 1])
            merged = ir_select(b, ir_op2(b, OP_ge, index, ir_like(b, index, k)),
                               ir_like(b, index, which[k]), merged);
    at->cond.branches = g;
    return merged;
}

static void
simplify_cond(ir_build *b, const ir_node *n, ir_attrs *at, const ir_ref *in, ir_ref *out)
{
    const int branch = known_branch(b, at, in[0]);
    ir_ref *operand = ir_copy_bytes(b->arena, in, sizeof *in * (size_t)n->n_in);

    if (branch >= 0) {
        ir_inline_graph(b, at->cond.branches.at[branch], in + 1, out);
        return;
    }
    operand[0] = merge_branches(b, at, in[0]);
    ir_add_node(b, (ir_op)n->op, n->n_in, operand, at, out);
}

/* Does a loop body return carry i unchanged? */
static bool
is_invariant(const ir_graph *body, int consts, int i)
{
    return body->out[i] == body->in[consts + i];
}

/* The body with its inputs reordered, where order[k] is the old position of input k, and
 * without the outputs j with drop[j]. */
static cot_status
reordered(const ir_graph *body, const int *order, const bool *drop, ir_graph **out)
{
    ir_build *b = ir_build_new(body->ctx, body->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, body->n_in + 1);
    ir_ref *y = IR_NEW_N(b->arena, ir_ref, body->n_out + 1);
    for (int k = 0; k < body->n_in; k++)
        in[order[k]] = ir_input_like(b, body, body->in[order[k]], "");
    ir_inline_graph(b, body, in, y);
    for (int j = 0; j < body->n_out; j++)
        if (!drop || !drop[j])
            pass_output(b, body, j, y[j], "");
    return pass_end(b, "simplify", out);
}

/* Invariant carries become consts; out[i] of such a carry is its initial value, rounded:
 * whether a carry is invariant may depend on sizes. */
static cot_status
simplify_loop(ir_build *b, const ir_node *n, ir_attrs *at, const ir_ref *in, ir_ref *out)
{
    const ir_loop loop = ir_loop_of(&(ir_node){ .op = n->op, .n_in = n->n_in, .at = at });
    const bool scan = !loop.cond;
    const int consts = loop.consts, carries = loop.carries;
    ir_graph *body = loop.body;
    int *order = IR_NEW_N(b->arena, int, n->n_in + 1), k = 0;
    bool *drop = IR_NEW_N(b->arena, bool, n->n_out + 1);
    ir_ref *operand = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);
    ir_ref *result = IR_NEW_N(b->arena, ir_ref, n->n_out + 1);
    int moved = 0;
    for (int i = 0; i < consts; i++)
        order[k++] = i;
    for (int i = 0; i < carries; i++)
        if ((drop[i] = is_invariant(body, consts, i)))
            order[k++] = consts + i, moved++;
    for (int i = 0; i < carries; i++)
        if (!drop[i])
            order[k++] = consts + i;
    while (k < n->n_in)
        order[k] = k, k++;
    for (int i = 0; i < n->n_in; i++)
        operand[i] = in[order[i]];
    if (moved && scan) {
        COT_TRY(reordered(body, order, drop, &at->scan.body));
        at->scan.consts += moved, at->scan.carries -= moved;
    } else if (moved) {
        COT_TRY(reordered(body, order, drop, &at->loop.body));
        COT_TRY(reordered(at->loop.cond, order, NULL, &at->loop.cond));
        at->loop.consts += moved;
    }
    ir_add_node(b, (ir_op)n->op, n->n_in, operand, at, result);
    for (int j = 0, r = 0; j < n->n_out; j++)
        out[j] = drop[j] ? ir_rounded(b, in[consts + j]) : result[r++];
    return COT_OK;
}

cot_status
pass_simplify_flow(ir_build *b, const ir_node *n, pass_simple *subs, const ir_ref *in,
                   ir_ref *out)
{
    ir_attrs at;
    COT_TRY(pass_rewrite_subs(b, n, subs, &at));
    if (ir_ops[n->op].loop)
        return simplify_loop(b, n, &at, in, out);
    if (n->op == OP_cond)
        simplify_cond(b, n, &at, in, out);
    else
        ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
    return COT_OK;
}

static void
simplify_node(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env,
              const ir_ref *in, ir_ref *out, const void *uses)
{
    if (ir_ops[n->op].flag == IR_FLOW) {
        cot_status status = pass_simplify_flow(b, n, pass_simplify, in, out);
        if (status != COT_OK)
            b->status = status;
        return;
    }
    ir_ref y = simplified(b, f, n, env, in, uses);
    if (y)
        out[0] = y;
    else
        ir_copy_node(b, n, in, out);
}

cot_status
pass_simplify(const ir_graph *f, ir_graph **out)
{
    const uint32_t *uses = ir_count_uses(f, f->arena);
    return pass_rewrite_with(f, "simplify", simplify_node, uses, out);
}
