/* linearize = jvp, then a split with the tangents unknown (split.c).  A tangent enters a jvp
 * graph only linearly, so the unknown half is a linear function of the tangents, which
 * pass_check_linear checks.
 *
 * Source: A. Radul et al., You Only Linearize Once, POPL 2023. */
#include "passes/engine.h"

/* How many of the arguments are smaller than args->arg[i]. */
static int
rank_among(const pass_args *args, int i)
{
    int below = 0;
    for (int k = 0; k < args->n; k++)
        below += args->arg[k] < args->arg[i];
    return below;
}

/* Removes from `known` the outputs for tangents that do not depend on the tangents: they are
 * zero. */
static cot_status
without_known_tangents(pass_parts *p, const ir_graph *f, int n_tangents)
{
    if (n_tangents == 0)
        return COT_OK;
    bool *in = IR_NEW_N(p->known->arena, bool, p->known->n_in + 1);
    bool *out = IR_NEW_N(p->known->arena, bool, p->known->n_out + 1);
    for (int i = 0; i < p->known->n_in; i++)
        in[i] = true;
    for (int j = 0; j < p->known->n_out; j++)
        out[j] = j < f->n_out || j >= f->n_out + n_tangents;
    return pass_restrict(p->known, in, out, &p->known);
}

cot_status
pass_parts_of(const ir_graph *f, const pass_wrt *wrt, bool all, int aux, const char *what,
              const char *how, pass_parts *p)
{
    COT_TRY(pass_resolve(f, wrt, all, what, &p->args));
    COT_TRY(pass_check_aux(f, aux, what));
    ir_graph *hoisted;
    COT_TRY(pass_hoist(f, &hoisted));
    COT_TRY(pass_while_to_scan_for_reverse(hoisted, &f));
    ir_arena *a = f->arena;
    ir_graph *jvp;
    bool *active = IR_NEW_N(a, bool, f->n_in + 1), *has = IR_NEW_N(a, bool, f->n_out + 1);
    for (int i = 0; i < p->args.n; i++)
        active[p->args.arg[i]] = true;
    p->n_diff = f->n_out - aux;
    COT_TRY(pass_jvp_outputs(f, active, p->n_diff, has, how, &jvp));
    COT_TRY((strcmp(what, "linearize") == 0 ? pass_custom_forward : pass_custom_reverse)(jvp,
                                                                                         &jvp));
    COT_TRY(pass_follow_part("jvp", f, &jvp));
    bool *known = IR_NEW_N(a, bool, jvp->n_in + 1),
         *known_out = IR_NEW_N(a, bool, jvp->n_out + 1);
    for (int i = 0; i < f->n_in; i++)
        known[i] = true;
    COT_TRY(pass_split(jvp, known, known_out, &p->n_res, &p->known, &p->linear));
    /* the known half keeps complex ops, so that it can be differentiated again */
    COT_TRY(pass_complex(p->linear, &p->linear));
    int in_jvp = f->n_out, in_linear = 0;
    p->tangent = IR_NEW_N(a, int, f->n_out + 1);
    for (int j = 0; j < f->n_out; j++)
        p->tangent[j] = has[j] && !known_out[in_jvp++] ? in_linear++ : -1;
    COT_TRY(without_known_tangents(p, f, in_jvp - f->n_out - in_linear));
    p->rank = IR_NEW_N(a, int, p->args.n + 1);
    for (int i = 0; i < p->args.n; i++)
        p->rank[i] = rank_among(&p->args, i);
    bool *linear = IR_NEW_N(a, bool, p->linear->n_in + 1);
    for (int i = p->n_res; i < p->linear->n_in; i++)
        linear[i] = true;
    ir_graph_drop(jvp);
    COT_TRY(pass_follow_part("known", NULL, &p->known));
    COT_TRY(pass_follow_part("linear", NULL, &p->linear));
    return pass_check_linear(p->linear, linear);
}

/* Adds tangent inputs in the order of wrt; in[] has them in ascending order, for the linear
 * half. */
static void
tangent_inputs(ir_build *b, const ir_graph *f, const pass_parts *p, ir_ref *in)
{
    for (int i = 0; i < p->args.n; i++)
        in[p->rank[i]] = ir_input_like(b, f, f->in[p->args.arg[i]], "d");
}

/* Adds a tangent output for each floating output that is not aux: zeros where the tangent is
 * zero. */
static void
tangent_outputs(ir_build *b, const ir_graph *f, const pass_parts *p, const ir_ref *tangent)
{
    for (int j = 0; j < p->n_diff; j++) {
        b->loc = pass_output_loc(f, j);
        if (ir_is_floating(f, f->out[j]))
            pass_output(b, f, j,
                        p->tangent[j] >= 0 ? tangent[p->tangent[j]]
                                           : pass_zeros_like(b, ir_type_at(f, f->out[j])),
                        "d");
    }
}

/* As in jvp, but the known half comes first and the linear half after it. */
cot_status
pass_linearize(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out)
{
    pass_parts p;
    COT_TRY(pass_parts_of(f, wrt, true, aux, "linearize", "in linearize", &p));
    ir_build *b = pass_begin(f, "linearize");
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, f->n_in + 1),
           *y = IR_NEW_N(b->arena, ir_ref, p.known->n_out + 1);
    ir_ref *lin = IR_NEW_N(b->arena, ir_ref, p.linear->n_in + 1);
    ir_ref *dy = IR_NEW_N(b->arena, ir_ref, p.linear->n_out + 1);
    pass_inputs(b, f, in);
    tangent_inputs(b, f, &p, lin + p.n_res);
    ir_inline_graph(b, p.known, in, y);
    memcpy(lin, y + f->n_out, sizeof(ir_ref) * (size_t)p.n_res);
    ir_inline_graph(b, p.linear, lin, dy);
    for (int j = 0; j < p.n_diff; j++)
        pass_output(b, f, j, y[j], "");
    tangent_outputs(b, f, &p, dy);
    for (int j = p.n_diff; j < f->n_out; j++)
        pass_output(b, f, j, y[j], "");
    return pass_end(b, "linearize", out);
}

/* known: x -> outputs of f, residuals;  linear: residuals, tangents -> tangents. */
cot_status
pass_linearize_halves(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **known,
                      ir_graph **linear)
{
    pass_parts p;
    COT_TRY(pass_parts_of(f, wrt, true, aux, "linearize", "in linearize", &p));
    ir_build *b = pass_begin(f, "linear");
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, p.linear->n_in + 1);
    ir_ref *dy = IR_NEW_N(b->arena, ir_ref, p.linear->n_out + 1);
    for (int i = 0; i < p.n_res; i++)
        in[i] = ir_input_like(b, p.linear, p.linear->in[i], "");
    tangent_inputs(b, f, &p, in + p.n_res);
    ir_inline_graph(b, p.linear, in, dy);
    tangent_outputs(b, f, &p, dy);
    *known = p.known;
    return pass_end(b, "linearize", linear);
}
