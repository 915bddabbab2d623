/* Rules of call: each applies the pass to the body.
 *
 * A call with `remat` is split differently: the rest recomputes, behind a barrier, the values
 * of the known half that it needs, from the known operands.  Products are saved if that is
 * asked for, and results of effects always, since an effect happens once.  Source: the
 * checkpoints of JAX (remat). */
#include "passes/engine.h"
#include "passes/rules/flow.h"

/* A call with the same attributes as n. */
static void
call(ir_build *b, const ir_node *n, ir_graph *body, int n_in, const ir_ref *in, ir_ref *out)
{
    const ir_attrs at = { .call = { .remat = n->at->call.remat, .body = body } };
    if (b->status == COT_OK)
        ir_add_node(b, OP_call, n_in, in, &at, out);
}

void
jvp_call(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    bool *active = IR_NEW_N(b->arena, bool, n->n_in),
         *varies = IR_NEW_N(b->arena, bool, n->n_out);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, 2 * n->n_in),
           *z = IR_NEW_N(b->arena, ir_ref, 2 * n->n_out);
    ir_graph *body = NULL;
    int n_in = n->n_in, at = n->n_out;

    (void)f;
    for (int i = 0; i < n->n_in; i++) {
        x[i] = in[i].val;
        active[i] = in[i].tan != IR_NONE;
        if (active[i])
            x[n_in++] = in[i].tan;
    }
    pass_flow_ok(b, pass_jvp_graph(n->at->call.body, active, varies, &body));
    call(b, n, body, n_in, x, z);
    for (int j = 0; j < n->n_out; j++)
        y[j] = (dual){ z[j], varies[j] ? z[at++] : IR_NONE };
}

/* Cotangents that the body returns as zeros become IR_NONE, since they may be multiplied by an
 * infinity. */
static void
drop_zeros(const ir_graph *body, ir_ref *ct)
{
    for (int i = 0; i < body->n_out; i++) {
        const ir_node *n = ir_def(body, body->out[i]);
        double x;

        if (n && n->op == OP_constant && ir_is_floating(body, body->out[i]) &&
            ir_data_number(&n->at->constant.data, &x) && x == 0)
            ct[i] = IR_NONE;
    }
}

void
transpose_call_sets(ir_build *b, const ir_node *n, const bool *linear, const ir_ref *in,
                    const ir_ref *ct, const ir_ref *set, ir_ref *ct_in, ir_ref *set_in)
{
    bool *has = IR_NEW_N(b->arena, bool, n->n_out),
         *has_set = IR_NEW_N(b->arena, bool, n->n_out),
         *gives = IR_NEW_N(b->arena, bool, n->n_in);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in + 2 * n->n_out);
    ir_ref *z = IR_NEW_N(b->arena, ir_ref, 2 * n->n_in);
    ir_graph *body = NULL;
    int n_in = pass_flow_known(n, linear, in, ct, has, x), at = 0;

    for (int j = 0; j < n->n_out; j++) {
        has_set[j] = ct[j] && set[j];
        if (has_set[j])
            x[n_in++] = set[j];
    }
    pass_flow_ok(b, pass_transpose_sets(n->at->call.body, linear, has, has_set, gives, &body));
    call(b, n, body, n_in, x, z);
    if (b->status == COT_OK)
        drop_zeros(body, z);
    pass_flow_give(n, linear, z, ct_in);
    for (int i = 0; i < n->n_in; i++)
        at += linear[i];
    for (int i = 0; i < n->n_in; i++)
        set_in[i] = gives[i] ? z[at++] : IR_NONE;
}

void
transpose_call(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
               const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    ir_ref *set = IR_NEW_N(b->arena, ir_ref, n->n_out + n->n_in);

    (void)f;
    transpose_call_sets(b, n, linear, in, ct, set, ct_in, set + n->n_out);
}

void
vmap_call(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
          const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_graph *body = NULL;

    (void)f;
    for (int j = 0; j < n->n_out; j++)
        out_mapped[j] = false;
    pass_flow_ok(b, pass_vmap_graph(n->at->call.body, size, mapped, out_mapped, &body));
    call(b, n, body, n->n_in, in, y);
}

/* The values of the known half that are saved besides its operands. */
static void
keep_values(const ir_node *n, const ir_graph *known, bool *keep)
{
    ir_each_node (m, known) {
        const bool product =
            ir_ops[m->op].flag == IR_CONTRACT && n->at->call.remat == IR_REMAT_BUT_PRODUCTS;
        for (int j = 0; j < m->n_out; j++)
            keep[m->first + (ir_ref)j] = product || ir_effectful(m);
    }
}

/* The rest of a split that recomputes its residuals: a function of the known operands, the
 * saved values and the unknown operands. */
static ir_graph *
recomputing(ir_build *outer, const flow_split *h, const bool *keep, int n_unknown)
{
    ir_build *b = pass_flow_begin(outer, h->rest->name);
    const ir_graph *k = h->known;
    ir_ref *at = IR_NEW_N(b->arena, ir_ref, k->n_values),
           *x = IR_NEW_N(b->arena, ir_ref, h->rest->n_in + 1),
           *y = IR_NEW_N(b->arena, ir_ref, h->rest->n_out + 1);

    for (int i = 0; i < k->n_in; i++)
        at[k->in[i]] = ir_input(b, ir_type_at(k, k->in[i]), NULL);
    for (ir_ref v = 1; v < k->n_values; v++)
        if (keep[v])
            at[v] = ir_input(b, ir_type_at(k, v), NULL);
    for (int i = 0; i < n_unknown; i++)
        x[h->n_res + i] = ir_input(b, ir_type_at(h->rest, h->rest->in[h->n_res + i]), NULL);
    for (ir_ref v = 1; v < k->n_values; v++)
        if (at[v])
            at[v] = ir_op1(b, OP_barrier, at[v]);
    ir_each_node (m, k)
        if (!ir_effectful(m) && !keep[m->first])
            ir_copy_mapped(b, m, at);
    for (int r = 0; r < h->n_res; r++)
        x[r] = at[k->out[h->n_known + r]];
    ir_inline_graph(b, h->rest, x, y);
    for (int j = 0; j < h->rest->n_out; j++)
        ir_output(b, y[j]);
    return pass_flow_end(outer, b, h->rest);
}

/* The known half with the saved values instead of residuals. */
static ir_graph *
keeping(ir_build *outer, const flow_split *h, const bool *keep)
{
    ir_build *b = pass_flow_begin(outer, h->known->name);
    const ir_graph *k = h->known;
    ir_ref *at = IR_NEW_N(b->arena, ir_ref, k->n_values);

    for (int i = 0; i < k->n_in; i++)
        at[k->in[i]] = ir_input(b, ir_type_at(k, k->in[i]), NULL);
    ir_each_node (m, k)
        ir_copy_mapped(b, m, at);
    for (int j = 0; j < h->n_known; j++)
        ir_output(b, at[k->out[j]]);
    for (ir_ref v = 1; v < k->n_values; v++)
        if (keep[v])
            ir_output(b, at[v]);
    return pass_flow_end(outer, b, h->known);
}

/* Replaces the residuals of a split by the known operands and the saved values, as far as the
 * rest reads them. */
static void
forget_residuals(ir_build *outer, const ir_node *n, flow_split *h, int n_unknown, bool *reads)
{
    bool *keep = IR_NEW_N(outer->arena, bool, h->known->n_values);
    ir_graph *known, *rest;

    keep_values(n, h->known, keep);
    rest = recomputing(outer, h, keep, n_unknown);
    known = keeping(outer, h, keep);
    if (!rest || !known)
        return;
    const uint32_t *uses = ir_count_uses(rest, outer->arena);
    bool *all = IR_NEW_N(outer->arena, bool, rest->n_in + rest->n_out);
    const int n_known = rest->n_in - n_unknown, own = h->known->n_in;
    bool *out = IR_NEW_N(outer->arena, bool, known->n_out + 1);
    for (int i = 0; i < rest->n_in + rest->n_out; i++)
        all[i] = i >= n_known || uses[rest->in[i]] > 0;
    for (int j = 0; j < known->n_out; j++)
        out[j] = j < h->n_known || all[own + j - h->n_known];
    memcpy(reads, all, sizeof *reads * (size_t)own);
    h->n_res = 0;
    for (int i = 0; i < n_known; i++)
        h->n_res += all[i];
    pass_flow_ok(outer, pass_restrict(rest, all, all + rest->n_in, &h->rest));
    for (int i = 0; i < known->n_in; i++)
        all[i] = true;
    pass_flow_ok(outer, pass_restrict(known, all, out, &h->known));
}

void
split_call(pass_splitter *s, ir_build *kb, ir_build *rb, const ir_graph *f, const ir_node *n,
           const bool *known, const ir_ref *kin, const ir_ref *rin, ir_ref *kout, ir_ref *rout)
{
    flow_split h;
    ir_ref *x = IR_NEW_N(kb->arena, ir_ref, n->n_in);
    int n_in = 0, at = 0;

    (void)f;
    if (!pass_flow_split(kb, n->at->call.body, known, NULL, &h))
        return;
    const int n_unknown = h.rest->n_in - h.n_res;
    bool *reads = IR_NEW_N(kb->arena, bool, n->n_in + 1);
    if (n->at->call.remat)
        forget_residuals(kb, n, &h, n_unknown, reads);
    ir_ref *z = IR_NEW_N(kb->arena, ir_ref, h.known->n_out + n->n_out);
    ir_ref *u = IR_NEW_N(rb->arena, ir_ref, h.rest->n_in);
    for (int i = 0; i < n->n_in; i++)
        if (known[i])
            x[n_in++] = kin[i];
    if (h.known->n_out > 0)
        call(kb, n, h.known, n_in, x, z);
    if (kb->status != COT_OK)
        return;
    int r = 0;
    for (int i = 0; i < n_in; i++)
        if (reads[i])
            u[r++] = pass_residual(s, x[i]);
    for (int i = h.n_known; i < h.known->n_out; i++)
        u[r++] = pass_residual(s, z[i]);
    n_in = r;
    for (int i = 0; i < n->n_in; i++)
        if (!known[i])
            u[n_in++] = rin[i];
    for (int j = 0; j < n->n_out; j++)
        if (h.known_out[j])
            kout[j] = z[at++];
    call(rb, n, h.rest, n_in, u, z);
    at = 0;
    for (int j = 0; j < n->n_out; j++)
        if (!h.known_out[j])
            rout[j] = z[at++];
}
