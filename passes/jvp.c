/* Forward-mode differentiation: the only mode with hand-written rules.
 *
 * Rewrites y = f(x) into (y, dy) with dy = Df(x) dx.  In one walk in order, each node of f is
 * copied, then the rule named in ops.def adds its tangents.
 *
 * A tangent that is zero for every x is not built: it is IR_NONE, and a node whose operands all
 * have IR_NONE is only copied.  So values that do not depend on the chosen inputs cost nothing.
 *
 * Wants: pure (functionalize first).  Gives: pure; outputs are the values, then the tangents.
 * Source: A. Griewank, A. Walther, Evaluating Derivatives, 2nd ed., SIAM 2008, chapter 3. */
#include "passes/engine.h"
#include "passes/memo.h"

#include "ir/diag.h"

typedef struct jvp_walk {
    ir_build *b;
    const ir_graph *f;
    const char *how;
    dual *env;   /* by value of f */
    dual *in;    /* operands of the current node */
    ir_ref *ref; /* their values, and its results */
} jvp_walk;

static jvp_walk
jvp_begin(const ir_graph *f, const char *how)
{
    int widest = 1;
    ir_each_node (n, f) {
        widest = n->n_in > widest ? n->n_in : widest;
        widest = n->n_out > widest ? n->n_out : widest;
    }
    jvp_walk w = { .b = pass_begin(f, "jvp"), .f = f, .how = how };
    w.env = IR_NEW_N(w.b->arena, dual, f->n_values);
    w.in = IR_NEW_N(w.b->arena, dual, widest);
    w.ref = IR_NEW_N(w.b->arena, ir_ref, 2 * widest);
    for (int i = 0; i < f->n_in; i++)
        w.env[f->in[i]].val = ir_input_like(w.b, f, f->in[i], "");
    return w;
}

static void
copy_values(jvp_walk *w, const ir_node *n, dual *y)
{
    ir_ref *result = w->ref + n->n_in;
    for (int i = 0; i < n->n_in; i++)
        w->ref[i] = w->in[i].val;
    ir_copy_node(w->b, n, w->ref, result);
    for (int i = 0; i < n->n_out; i++)
        y[i] = (dual){ result[i], IR_NONE };
}

/* Copy node n, and add the tangents of its results if any operand has one.  Rules of ops with
 * sub-functions make values and tangents in one node. */
static void
jvp_node(jvp_walk *w, const ir_node *n)
{
    dual *y = w->env + n->first;
    bool varies = false;
    for (int i = 0; i < n->n_in; i++) {
        w->in[i] = w->env[n->in[i]];
        varies |= w->in[i].tan != IR_NONE;
    }
    w->b->loc = n->loc;
    if (!varies || ir_ops[n->op].flag != IR_FLOW)
        copy_values(w, n, y);
    if (!varies || w->b->status != COT_OK)
        return;
    w->b->loc = ir_loc_derive(w->b->ctx, n->loc, w->how);
    jvp_rules[n->op](w->b, w->f, n, w->in, y);
}

static void
jvp_nodes(jvp_walk *w)
{
    const ir_graph *f = w->f;
    for (uint32_t i = 1; i < f->n_nodes && w->b->status == COT_OK; i++)
        jvp_node(w, &f->node[i]);
    w->b->loc = 0;
}

static void
add_tangent_input(jvp_walk *w, ir_ref v)
{
    w->env[v].tan = ir_input_like(w->b, w->f, v, "d");
}

static ir_ref
tangent_or_zeros(jvp_walk *w, ir_ref v)
{
    return w->env[v].tan ? w->env[v].tan : pass_zeros_like(w->b, ir_type_at(w->f, v));
}

cot_status
pass_jvp_outputs(const ir_graph *f, const bool *active, int n_diff, bool *out_active,
                 const char *how, ir_graph **out)
{
    jvp_walk w = jvp_begin(f, how);
    for (int i = 0; i < f->n_in; i++)
        if (active[i] && ir_is_floating(f, f->in[i]))
            add_tangent_input(&w, f->in[i]);
    jvp_nodes(&w);
    for (int j = 0; j < f->n_out; j++)
        pass_output(w.b, f, j, w.env[f->out[j]].val, "");
    for (int j = 0; j < f->n_out; j++) {
        const bool has = w.env[f->out[j]].tan != IR_NONE && j < n_diff;
        out_active[j] = (has || out_active[j]) && ir_is_floating(f, f->out[j]);
        if (!out_active[j])
            continue;
        w.b->loc = pass_output_loc(f, j);
        pass_output(w.b, f, j, tangent_or_zeros(&w, f->out[j]), "d");
    }
    return pass_end(w.b, "jvp", out);
}

cot_status
pass_jvp_graph(const ir_graph *f, const bool *active, bool *out_active, ir_graph **out)
{
    pass_made *m = pass_made_of(
        f, &(pass_key){ .pass = (pass_any *)pass_jvp_graph, .in = active, .out = out_active });

    if (!m->graph) {
        memcpy(m->out, out_active, sizeof *out_active * (size_t)f->n_out);
        COT_TRY(pass_jvp_outputs(f, active, f->n_out, m->out, "in jvp", &m->graph));
        pass_made_wanted(f, m);
    }
    memcpy(out_active, m->out, sizeof *out_active * (size_t)f->n_out);
    *out = m->graph;
    return COT_OK;
}

/* Inputs: primals, then a tangent for each entry of wrt.  Outputs: values, then tangents, then
 * the aux outputs. */
cot_status
pass_jvp(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out)
{
    pass_args args;
    COT_TRY(pass_resolve(f, wrt, true, "jvp", &args));
    COT_TRY(pass_check_aux(f, aux, "jvp"));
    jvp_walk w = jvp_begin(f, "in jvp");
    const int n = f->n_out - aux;
    for (int i = 0; i < args.n; i++)
        add_tangent_input(&w, f->in[args.arg[i]]);
    jvp_nodes(&w);
    for (int j = 0; j < n; j++)
        pass_output(w.b, f, j, w.env[f->out[j]].val, "");
    for (int j = 0; j < n; j++) {
        w.b->loc = pass_output_loc(f, j);
        if (ir_is_floating(f, f->out[j]))
            pass_output(w.b, f, j, tangent_or_zeros(&w, f->out[j]), "d");
    }
    for (int j = n; j < f->n_out; j++)
        pass_output(w.b, f, j, w.env[f->out[j]].val, "");
    COT_TRY(pass_end(w.b, "jvp", out));
    return pass_custom_forward(*out, out);
}

cot_status
pass_check_strict(const ir_graph *f, const pass_wrt *wrt, int aux, ir_loc loc)
{
    pass_args args;
    ir_graph *g;

    COT_TRY(pass_resolve(f, wrt, true, "jvp", &args));
    COT_TRY(pass_check_aux(f, aux, "jvp"));
    bool *active = IR_NEW_N(f->arena, bool, f->n_in + 1);
    bool *varies = IR_NEW_N(f->arena, bool, f->n_out + 1);
    for (int i = 0; i < args.n; i++)
        active[args.arg[i]] = true;
    COT_TRY(pass_jvp_outputs(f, active, f->n_out - aux, varies, "in jvp", &g));
    for (int j = 0; j < f->n_out - aux; j++)
        if (ir_is_floating(f, f->out[j]) && !varies[j])
            return ir_fail(f->ctx, loc ? loc : pass_output_loc(f, j), "jvp", ERR_strict,
                           pass_output_text(f, j), f->name);
    return COT_OK;
}
