/* Reverse mode: jvp, then a split, then the transpose of the linear half.
 *
 *   vjp              the known half, then the transpose of the linear half on given cotangents
 *   grad             the same for the cotangent 1 of a scalar
 *   grad_and_value   grad, and the value, which is computed anyway */
#include "passes/engine.h"

#include "ir/diag.h"

typedef struct reverse {
    const ir_graph *f;
    pass_parts parts;
    ir_graph *transposed; /* residuals, cotangents -> cotangents of wrt in ascending order */
} reverse;

static cot_status
reverse_of(const ir_graph *f, const pass_wrt *wrt, bool all, int aux, const char *what,
           const char *how, reverse *r)
{
    r->f = f;
    COT_TRY(pass_parts_of(f, wrt, all, aux, what, how, &r->parts));
    const ir_graph *linear = r->parts.linear;
    bool *tangent = IR_NEW_N(linear->arena, bool, linear->n_in + 1);
    bool *has_ct = IR_NEW_N(linear->arena, bool, linear->n_out + 1);
    for (int i = r->parts.n_res; i < linear->n_in; i++)
        tangent[i] = true;
    for (int j = 0; j < linear->n_out; j++)
        has_ct[j] = true;
    COT_TRY(pass_transpose_graph(linear, tangent, has_ct, &r->transposed));
    return pass_follow_part("transposed", linear, &r->transposed);
}

/* What a graph is made from is of no use once that graph is made. */
static cot_status
reverse_end(reverse *r, ir_build *b, const char *what, ir_graph **out)
{
    COT_TRY(pass_end(b, what, out));
    ir_graph_drop(r->transposed);
    ir_graph_drop(r->parts.linear);
    ir_graph_drop(r->parts.known);
    return COT_OK;
}

/* A function without a floating output has no cotangent. */
static cot_status
check_outputs(const ir_graph *f, int aux)
{
    COT_TRY(pass_check_aux(f, aux, "vjp"));
    for (int j = 0; j < f->n_out - aux; j++)
        if (ir_is_floating(f, f->out[j]))
            return COT_OK;
    return ir_fail(f->ctx, 0, "vjp", ERR_vjp_none, f->name);
}

/* The known half on x: the outputs of f, then residuals. */
static ir_ref *
run_known(ir_build *b, const reverse *r, const ir_ref *x)
{
    ir_ref *y = IR_NEW_N(b->arena, ir_ref, r->parts.known->n_out + 1);
    ir_inline_graph(b, r->parts.known, x, y);
    return y;
}

/* The transposed half, with ct[j] the cotangent of output j of f.  Its results are in ascending
 * order of arguments. */
static ir_ref *
run_transposed(ir_build *b, const reverse *r, const ir_ref *res, const ir_ref *ct)
{
    const pass_parts *p = &r->parts;
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, r->transposed->n_in + 1);
    ir_ref *dx = IR_NEW_N(b->arena, ir_ref, r->transposed->n_out + 1);
    memcpy(in, res, sizeof(ir_ref) * (size_t)p->n_res);
    for (int j = 0; j < p->n_diff; j++)
        if (p->tangent[j] >= 0)
            in[p->n_res + p->tangent[j]] = ct[j];
    ir_inline_graph(b, r->transposed, in, dx);
    return dx;
}

/* Adds one output for each entry of wrt, in that order. */
static void
output_cotangents(ir_build *b, const reverse *r, const ir_ref *dx)
{
    const ir_graph *f = r->f;
    for (int i = 0; i < r->parts.args.n; i++) {
        const char *name = f->in_name ? f->in_name[r->parts.args.arg[i]] : NULL;
        ir_output_named(b, dx[r->parts.rank[i]],
                        f->out_name && name ? ir_format(b->arena, "d%s", name) : NULL);
    }
}

/* Adds an input for the cotangent of each floating output that is not aux; the others get
 * IR_NONE. */
static ir_ref *
cotangent_inputs(ir_build *b, const reverse *r)
{
    const ir_graph *f = r->f;
    ir_ref *ct = IR_NEW_N(b->arena, ir_ref, f->n_out + 1);
    for (int j = 0; j < r->parts.n_diff; j++) {
        b->loc = pass_output_loc(f, j);
        if (ir_is_floating(f, f->out[j]))
            ct[j] = ir_input(b, ir_type_at(f, f->out[j]), "ct");
    }
    return ct;
}

cot_status
pass_vjp(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out)
{
    reverse r;
    COT_TRY(check_outputs(f, aux));
    COT_TRY(reverse_of(f, wrt, true, aux, "vjp", "in vjp", &r));
    ir_build *b = pass_begin(f, "vjp");
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, f->n_in + 1);
    pass_inputs(b, f, x);
    const ir_ref *ct = cotangent_inputs(b, &r), *y = run_known(b, &r, x);
    const ir_ref *dx = run_transposed(b, &r, y + f->n_out, ct);
    for (int j = 0; j < r.parts.n_diff; j++)
        pass_output(b, f, j, y[j], "");
    output_cotangents(b, &r, dx);
    for (int j = r.parts.n_diff; j < f->n_out; j++)
        pass_output(b, f, j, y[j], "");
    return reverse_end(&r, b, "vjp", out);
}

/* fwd: x -> outputs of f, residuals;  bwd: residuals, cotangents -> cotangents. */
cot_status
pass_vjp_halves(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **fwd, ir_graph **bwd)
{
    reverse r;
    COT_TRY(check_outputs(f, aux));
    COT_TRY(reverse_of(f, wrt, true, aux, "vjp", "in vjp", &r));
    ir_build *b = pass_begin(f, "bwd");
    ir_ref *res = IR_NEW_N(b->arena, ir_ref, r.parts.n_res + 1);
    for (int i = 0; i < r.parts.n_res; i++)
        res[i] = ir_input_like(b, r.parts.linear, r.parts.linear->in[i], "");
    const ir_ref *ct = cotangent_inputs(b, &r);
    output_cotangents(b, &r, run_transposed(b, &r, res, ct));
    *fwd = r.parts.known;
    return pass_end(b, "vjp", bwd);
}

static cot_status
check_scalar(const ir_graph *f, int aux, const char *what)
{
    COT_TRY(pass_check_aux(f, aux, what));
    if (f->n_out - aux != 1)
        return ir_fail(f->ctx, 0, what, ERR_grad_count, f->name, f->n_out - aux);
    const ir_type *t = ir_type_at(f, f->out[0]);
    if (ir_is_complex(t->dtype))
        return ir_fail(f->ctx, pass_output_loc(f, 0), what, ERR_grad_complex, f->name,
                       ir_type_str(f->ctx, t));
    if (t->rank != 0 || !ir_is_float(t->dtype))
        return ir_fail(f->ctx, pass_output_loc(f, 0), what,
                       t->rank != 0 ? ERR_grad_shape : ERR_grad_dtype, f->name,
                       ir_type_str(f->ctx, t));
    return COT_OK;
}

static cot_status
grad(const ir_graph *f, const pass_wrt *wrt, int aux, const char *what, const char *how,
     bool value, ir_graph **out)
{
    reverse r;
    COT_TRY(check_scalar(f, aux, what));
    COT_TRY(reverse_of(f, wrt, false, aux, what, how, &r));
    ir_build *b = pass_begin(f, what);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, f->n_in + 1);
    pass_inputs(b, f, x);
    const ir_ref *y = run_known(b, &r, x);
    b->loc = pass_output_loc(f, 0);
    const ir_ref one = ir_splat(b, ir_type_at(f, f->out[0]), 1);
    output_cotangents(b, &r, run_transposed(b, &r, y + f->n_out, &one));
    for (int j = value ? 0 : 1; j < f->n_out; j++)
        pass_output(b, f, j, y[j], "");
    return reverse_end(&r, b, what, out);
}

cot_status
pass_grad(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out)
{
    return grad(f, wrt, aux, "grad", "in grad", false, out);
}

cot_status
pass_grad_and_value(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out)
{
    return grad(f, wrt, aux, "grad_and_value", "in grad_and_value", true, out);
}
