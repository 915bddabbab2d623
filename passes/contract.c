/* Contracts products and sums to fma: the last pass that can change a bit (docs/numerics.md
 * section 2).
 *
 * For each add or sub of f32 or f64: if the second operand is a product a*b, the result is
 * fma(+-a, b, first); otherwise, if the first operand is, fma(a, b, +-second).  A product is a
 * mul below neg and views (broadcast, reshape, transpose, slice).  The views are applied to
 * both factors instead, which costs nothing, since a view only changes indices.  A product with
 * other uses is contracted as well and also computed for them. */
#include "passes/engine.h"

/* The mul that v is a view of, or v itself; *neg is flipped for each neg in between.  NULL: v
 * is not a product. */
static const ir_node *
product_of(const ir_graph *f, ir_ref v, bool *neg)
{
    const ir_node *n = ir_def(f, v);

    for (; n && ir_shows_product(n->op); n = ir_def(f, n->in[0]))
        *neg ^= n->op == OP_neg;
    return n && n->op == OP_mul ? n : NULL;
}

/* A factor x of `product`, with the views applied that are between the product and v. */
static ir_ref
seen_through(ir_build *b, const ir_graph *f, ir_ref v, const ir_node *product, ir_ref x)
{
    uint32_t n_views = 0, cap = 0;
    const ir_node **view = NULL;

    for (const ir_node *n = ir_def(f, v); n != product; n = ir_def(f, n->in[0]))
        if (n->op != OP_neg)
            IR_PUSH(b->arena, view, n_views, cap, n);
    while (n_views-- > 0)
        x = ir_node1(b, (ir_op)view[n_views]->op, 1, &x, view[n_views]->at);
    return x;
}

/* +-v + other as an fma, if v is a product; otherwise IR_NONE. */
static ir_ref
fused(ir_build *b, const ir_graph *f, const ir_ref *env, ir_ref v, bool neg, ir_ref other,
      bool neg_other)
{
    const ir_node *product = product_of(f, v, &neg);
    if (!product)
        return IR_NONE;
    ir_ref x = seen_through(b, f, v, product, env[product->in[0]]);
    ir_ref y = seen_through(b, f, v, product, env[product->in[1]]);
    ir_ref negative = neg_other ? ir_neg(b, other) : other;
    return ir_op3(b, OP_fma, neg ? ir_neg(b, x) : x, y, negative);
}

static ir_ref
contract_sum(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env,
             const ir_ref *in)
{
    const cot_dtype t = ir_type_at(f, n->first)->dtype;
    const bool sub = n->op == OP_sub;
    if ((n->op != OP_add && !sub) || (t != COT_F32 && t != COT_F64))
        return IR_NONE;
    ir_ref y = fused(b, f, env, n->in[1], sub, in[0], false);
    return y ? y : fused(b, f, env, n->in[0], false, in[1], sub);
}

static void
contract_node(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env,
              const ir_ref *in, ir_ref *out)
{
    ir_attrs at;
    if (ir_ops[n->op].flag == IR_FLOW) {
        cot_status status = pass_rewrite_subs(b, n, pass_contract, &at);
        if (status != COT_OK)
            b->status = status;
        ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
        return;
    }
    ir_ref y = contract_sum(b, f, n, env, in);
    if (y)
        out[0] = y;
    else
        ir_copy_node(b, n, in, out);
}

/* The same as what no pass contracts again: the builder and simplify are now free to do what
 * they do not do before (ir/fold.c). */
static void
contract_node_last(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env,
                   const ir_ref *in, ir_ref *out)
{
    b->contracted = true;
    if (ir_ops[n->op].flag != IR_FLOW) {
        contract_node(b, f, n, env, in, out);
        return;
    }
    cot_status status = pass_simplify_flow(b, n, pass_contract_last, in, out);
    if (status != COT_OK)
        b->status = status;
}

cot_status
pass_contract(const ir_graph *f, ir_graph **out)
{
    if (f->uncontracted) {
        *out = (ir_graph *)f;
        return COT_OK;
    }
    return pass_rewrite(f, "contract", contract_node, out);
}

cot_status
pass_contract_last(const ir_graph *f, ir_graph **out)
{
    if (f->uncontracted) {
        *out = (ir_graph *)f;
        return COT_OK;
    }
    return pass_rewrite(f, "contract", contract_node_last, out);
}

static void
copy_node(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env,
          const ir_ref *in, ir_ref *out)
{
    (void)f, (void)env;
    b->uncontracted = true;
    ir_copy_node(b, n, in, out);
}

cot_status
pass_uncontract(const ir_graph *f, ir_graph **out)
{
    return pass_rewrite(f, "uncontract", copy_node, out);
}
