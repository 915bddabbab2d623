/* Rules of call: each is the pass itself on the body. */
#include "passes/rules/flow.h"

static void
call(ir_build *b, ir_graph *body, int n_in, const ir_ref *in, ir_ref *out)
{
    if (b->status == COT_OK)
        ir_add_node(b, OP_call, n_in, in, &(ir_attrs){ .call = { body } }, out);
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
    pass_flow_ok(b, pass_jvp_graph(n->at.call.body, active, varies, &body));
    call(b, body, n_in, x, z);
    for (int j = 0; j < n->n_out; j++)
        y[j] = (dual){ z[j], varies[j] ? z[at++] : IR_NONE };
}

void
transpose_call(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
               const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    bool *has = IR_NEW_N(b->arena, bool, n->n_out);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in + n->n_out);
    ir_ref *z = IR_NEW_N(b->arena, ir_ref, n->n_in);
    ir_graph *body = NULL;
    int n_in = 0, at = 0;

    (void)f;
    for (int i = 0; i < n->n_in; i++)
        if (!linear[i])
            x[n_in++] = in[i];
    for (int j = 0; j < n->n_out; j++) {
        has[j] = ct[j] != IR_NONE;
        if (has[j])
            x[n_in++] = ct[j];
    }
    pass_flow_ok(b, pass_transpose_graph(n->at.call.body, linear, has, &body));
    call(b, body, n_in, x, z);
    for (int i = 0; i < n->n_in; i++)
        if (linear[i])
            ct_in[i] = z[at++];
}

void
vmap_call(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
          const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_graph *body = NULL;

    (void)f;
    for (int j = 0; j < n->n_out; j++)
        out_mapped[j] = false;
    pass_flow_ok(b, pass_vmap_graph(n->at.call.body, size, mapped, out_mapped, &body));
    call(b, body, n->n_in, in, y);
}

void
split_call(pass_splitter *s, ir_build *kb, ir_build *rb, const ir_graph *f, const ir_node *n,
           const bool *known, const ir_ref *kin, const ir_ref *rin, ir_ref *kout, ir_ref *rout)
{
    flow_split h;
    ir_ref *x = IR_NEW_N(kb->arena, ir_ref, n->n_in);
    int n_in = 0, at = 0;

    (void)f;
    if (!pass_flow_split(kb, n->at.call.body, known, NULL, &h))
        return;
    ir_ref *z = IR_NEW_N(kb->arena, ir_ref, h.known->n_out + n->n_out);
    ir_ref *u = IR_NEW_N(rb->arena, ir_ref, h.rest->n_in);
    for (int i = 0; i < n->n_in; i++)
        if (known[i])
            x[n_in++] = kin[i];
    call(kb, h.known, n_in, x, z);
    for (int r = 0; r < h.n_res; r++)
        u[r] = pass_residual(s, z[h.n_known + r]);
    n_in = h.n_res;
    for (int i = 0; i < n->n_in; i++)
        if (!known[i])
            u[n_in++] = rin[i];
    for (int j = 0; j < n->n_out; j++)
        if (h.known_out[j])
            kout[j] = z[at++];
    call(rb, h.rest, n_in, u, z);
    at = 0;
    for (int j = 0; j < n->n_out; j++)
        if (!h.known_out[j])
            rout[j] = z[at++];
}
