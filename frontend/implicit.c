/* Linear systems and roots with solvers given by the user.
 *
 * A system is a graph of the solution x where it has one (the derivative of f at x), the
 * unknowns and what the user's body captured.  A solver is traced with a function that calls
 * the system; the transposed system comes from reverse mode.  All parts then share their
 * captures as consts of one node, whose rules (passes/rules/implicit.c) do not differentiate
 * the solver. */
#include "cotrace/implicit.h"

#include "frontend/fn.h"
#include "frontend/sub.h"
#include "ir/diag.h"
#include "passes/engine.h"
#include "passes/rules/flow.h"

typedef struct implicit {
    const char *op;
    cot_body *body;
    cot_solver *solve;
    cot_solve_options o;
    cot_place at;
} implicit;

/* Of n_x values, n unknowns, then captured values: `captured` as handles of the trace
 * around. */
typedef struct system {
    fe_sub sub;
    int n_x, n;
    const cot_value *captured;
} system_;

/* What a traced solver needs: in are x, then the right-hand sides. */
typedef struct solver_input {
    cot_context *ctx;
    const system_ *a;
    const implicit *f;
    cot_solver *solve;
    const cot_value *x;
} solver_input;

/* ---- the function A that a solver calls ---- */

typedef struct placing {
    const solver_input *h;
    const cot_value *v;
    cot_value *out;
} placing;

static ir_ref
place(ir_build *b, const fe_arg *none, int zero, const void *options)
{
    const placing *p = options;
    const system_ *a = p->h->a;
    const ir_graph *g = a->sub.g;
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, g->n_in + 1),
           *y = IR_NEW_N(b->arena, ir_ref, g->n_out + 1);
    cot_trace *t = b->ctx->trace;

    (void)none, (void)zero;
    for (int i = 0; i < g->n_in; i++) {
        cot_value v = i < a->n_x          ? p->h->x[i]
                      : i < a->n_x + a->n ? p->v[i - a->n_x]
                                          : a->captured[i - a->n_x - a->n];
        in[i] = fe_resolve(t, v, p->h->f->op, i);
        if (!in[i])
            return IR_NONE;
    }
    ir_inline_graph(b, g, in, y);
    for (int j = 0; j < g->n_out; j++)
        p->out[j] = fe_handle(t, b->status == COT_OK ? y[j] : IR_NONE);
    return b->status == COT_OK ? y[0] : IR_NONE;
}

static void
call_system(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const solver_input *h = user;

    (void)t;
    fe_apply_in(h->ctx, h->f->at, h->f->op, place, &(const placing){ h, in, out });
}

static void
run_solver(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    solver_input *h = user;

    h->x = in;
    cot_fn *a = cot_fn_new_(h->f->at, h->ctx, "matvec", call_system, h->a->n, h->a->n, h);
    h->solve(t, a, in + h->a->n_x, out, h->f->o.user);
}

/* The solver on a system, as a sub-function of x and the right-hand sides. */
static bool
trace_solver(ir_build *b, const implicit *f, const system_ *a, cot_solver *solve,
             const ir_type *const *type, fe_shared *consts, fe_sub *s)
{
    solver_input *h = IR_NEW(&b->ctx->arena, solver_input);
    const ir_type **all = IR_NEW_N(b->arena, const ir_type *, a->n_x + a->n + 1);

    *h = (solver_input){ b->ctx, a, f, solve, NULL };
    for (int i = 0; i < a->n_x + a->n; i++)
        all[i] = type[i % a->n];
    return fe_trace_sub(b, ir_format(b->arena, "%s.%s.solve", b->name, f->op), run_solver, h,
                        a->n_x + a->n, all, a->n, consts, s);
}

/* ---- systems ---- */

static const cot_value *
handles(ir_build *b, const fe_sub *s)
{
    cot_value *v = IR_NEW_N(b->arena, cot_value, s->n_captured + 1);

    for (int i = 0; i < s->n_captured; i++)
        v[i] = fe_handle(b->ctx->trace, s->captured[i]);
    return v;
}

/* The user's body, pure. */
static bool
trace_body(ir_build *b, const implicit *f, int n, const ir_type *const *type, fe_shared *consts,
           system_ *a)
{
    if (!fe_trace_sub(b, ir_format(b->arena, "%s.%s", b->name, f->op), f->body, f->o.user, n,
                      type, n, consts, &a->sub) ||
        !pass_flow_ok(b, pass_functionalize(a->sub.g, true, &a->sub.g)))
        return false;
    a->n = n;
    a->captured = handles(b, &a->sub);
    return true;
}

static pass_wrt
first(ir_build *b, int n)
{
    int *arg = IR_NEW_N(b->arena, int, n + 1);

    for (int i = 0; i < n; i++)
        arg[i] = i;
    return (pass_wrt){ n, arg };
}

/* From (x, captured, v) -> (values, results) to (x, v, captured) -> results. */
static bool
derived(ir_build *b, const system_ *a, const ir_graph *d, system_ *out)
{
    const int n = a->n, k = a->sub.n_captured;
    flow_port *port = IR_NEW_N(b->arena, flow_port, 2 * n + k + 1);
    int *result = IR_NEW_N(b->arena, int, n + 1);

    for (int i = 0; i < n; i++) {
        port[i] = (flow_port){ i, NULL };
        port[n + i] = (flow_port){ n + k + i, NULL };
        result[i] = n + i;
    }
    for (int i = 0; i < k; i++)
        port[2 * n + i] = (flow_port){ n + i, NULL };
    *out = *a;
    out->n_x = n;
    out->sub.n_own = 2 * n;
    out->sub.g = pass_flow_permute(b, d, 2 * n + k, port, n, result);
    return out->sub.g != NULL;
}

/* The transpose of a linear system: its pullback, which is the same at every x. */
static bool
transposed(ir_build *b, const system_ *a, system_ *out)
{
    const pass_wrt wrt = first(b, a->n);
    system_ at_x;
    ir_graph *d;

    if (!pass_flow_ok(b, pass_vjp(a->sub.g, &wrt, 0, &d)) || !derived(b, a, d, &at_x))
        return false;
    ir_build *r = pass_flow_begin(b, a->sub.g->name);
    const ir_graph *g = at_x.sub.g;
    ir_ref *in = IR_NEW_N(r->arena, ir_ref, g->n_in + 1),
           *y = IR_NEW_N(r->arena, ir_ref, g->n_out + 1);
    for (int i = 0; i < g->n_in; i++)
        in[i] = i < a->n ? pass_zeros_like(r, ir_type_at(g, g->in[i]))
                         : ir_input(r, ir_type_at(g, g->in[i]), NULL);
    ir_inline_graph(r, g, in, y);
    for (int j = 0; j < g->n_out; j++)
        ir_output(r, y[j]);
    *out = *a;
    out->sub.g = pass_flow_end(b, r, g);
    return out->sub.g != NULL;
}

static bool
is_linear(ir_build *b, const system_ *a)
{
    bool *linear = IR_NEW_N(b->arena, bool, a->sub.g->n_in + 1);
    const ir_node *n;

    for (int i = 0; i < a->n; i++)
        linear[i] = true;
    n = pass_find_nonlinear(a->sub.g, linear);
    if (n) {
        b->loc = n->loc;
        ir_build_fail(b, "linear_solve", ERR_solve_linear, ir_ops[n->op].name);
    }
    return !n;
}

/* ---- the nodes ---- */

static bool
operands(ir_build *b, const implicit *f, ir_ref *in, const ir_type **type)
{
    if (f->o.b.n < 1 || !f->body || !f->solve) {
        ir_build_fail(b, f->op, ERR_usage, f->o.b.n < 1 ? "has no .b" : "a body is NULL");
        return false;
    }
    for (int i = 0; i < f->o.b.n; i++) {
        in[i] = fe_resolve(b->ctx->trace, FE_AT(f->o.b)[i], f->op, i);
        if (!in[i])
            return false;
        type[i] = ir_btype(b, in[i]);
        if (!ir_is_inexact(type[i]->dtype)) {
            ir_build_fail(b, f->op, ERR_operand_dtype, i, ir_type_str(b->ctx, type[i]),
                          "a floating or complex type");
            return false;
        }
    }
    return true;
}

static ir_ref
finish(ir_build *b, const implicit *f, ir_op op, const fe_shared *consts, const ir_ref *in,
       int parts, ir_graph *const *part)
{
    const int n = f->o.b.n;
    ir_ref *y = IR_NEW_N(b->arena, ir_ref, n);
    ir_attrs at = { .implicit = { .consts = consts->n, .parts = { parts, part } } };

    if (b->status != COT_OK)
        return IR_NONE;
    ir_add_node(b, op, (int)consts->n + n, fe_with_consts(b, consts, n, in), &at, y);
    for (int i = 0; f->o.out && i < n; i++)
        f->o.out[i] = fe_handle(b->ctx->trace, b->status == COT_OK ? y[i] : IR_NONE);
    return b->status == COT_OK ? y[0] : IR_NONE;
}

/* part[0 ... 3]: the solver, the system, both transposed. */
static bool
linear_parts(ir_build *b, const implicit *f, cot_solver *solve, const system_ *a,
             const system_ *at, const ir_type *const *type, fe_shared *consts, fe_sub *part)
{
    cot_solver *back = f->o.transpose ? f->o.transpose : solve;

    if (!trace_solver(b, f, a, solve, type, consts, &part[0]))
        return false;
    part[1] = a->sub;
    part[2] = part[0];
    part[3] = at->sub;
    return f->o.symmetric || trace_solver(b, f, at, back, type, consts, &part[2]);
}

static ir_graph *const *
rewired(ir_build *b, int n, const fe_sub *part, fe_shared *consts)
{
    ir_graph **g = IR_NEW_N(b->arena, ir_graph *, n);

    for (int i = 0; i < n; i++)
        g[i] = fe_rewire(b, &part[i], consts);
    return g;
}

static ir_ref
linear_solve(ir_build *b, const fe_arg *none, int zero, const void *options)
{
    const implicit *f = options;
    const int n = f->o.b.n;
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, n + 1);
    const ir_type **type = IR_NEW_N(b->arena, const ir_type *, n + 1);
    fe_shared consts = { NULL, 0, 0 };
    system_ a = { .n = n }, at;
    fe_sub part[4];

    (void)none, (void)zero;
    if (!operands(b, f, in, type) || !trace_body(b, f, n, type, &consts, &a) ||
        !is_linear(b, &a))
        return IR_NONE;
    at = a;
    if ((!f->o.symmetric && !transposed(b, &a, &at)) ||
        !linear_parts(b, f, f->solve, &a, &at, type, &consts, part))
        return IR_NONE;
    return finish(b, f, OP_linear_solve, &consts, in, 4, rewired(b, 4, part, &consts));
}

static ir_ref
root(ir_build *b, const fe_arg *none, int zero, const void *options)
{
    const implicit *f = options;
    const int n = f->o.b.n;
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, n + 1);
    const ir_type **type = IR_NEW_N(b->arena, const ir_type *, n + 1);
    fe_shared consts = { NULL, 0, 0 };
    system_ a = { .n = n }, d, dt;
    const pass_wrt wrt = first(b, n);
    ir_graph *forward, *back;
    fe_sub part[6];

    (void)none, (void)zero;
    if (!f->o.tangent) {
        ir_build_fail(b, f->op, ERR_usage, "has no .tangent; wants a solver of linear systems");
        return IR_NONE;
    }
    if (!operands(b, f, in, type) || !trace_body(b, f, n, type, &consts, &a) ||
        !trace_solver(b, f, &a, f->solve, type, &consts, &part[0]) ||
        !pass_flow_ok(b, pass_jvp(a.sub.g, &wrt, 0, &forward)) || !derived(b, &a, forward, &d))
        return IR_NONE;
    part[1] = a.sub;
    dt = d;
    if (!f->o.symmetric &&
        (!pass_flow_ok(b, pass_vjp(a.sub.g, &wrt, 0, &back)) || !derived(b, &a, back, &dt)))
        return IR_NONE;
    if (!linear_parts(b, f, f->o.tangent, &d, &dt, type, &consts, part + 2))
        return IR_NONE;
    return finish(b, f, OP_root, &consts, in, 6, rewired(b, 6, part, &consts));
}

static cot_value
run(cot_place at, const char *op, fe_rule *rule, cot_body *body, cot_solver *solve,
    const cot_solve_options *o, size_t size)
{
    implicit f = { .op = op, .body = body, .solve = solve, .at = at };

    fe_options(&f.o, sizeof f.o, o, size);
    fe_readable(&f.o.b);
    cot_context *ctx = f.o.b.n > 0 ? FE_AT(f.o.b)[0].ctx : NULL;
    for (int i = 0; f.o.out && i < f.o.b.n; i++)
        f.o.out[i] = (cot_value){ ctx, 0, 0 };
    return fe_apply_in(ctx, at, op, rule, &f);
}

cot_value
cot_custom_linear_solve_(cot_place at, cot_body *matvec, cot_solver *solve,
                         const cot_solve_options *o, size_t size)
{
    return run(at, "linear_solve", linear_solve, matvec, solve, o, size);
}

cot_value
cot_custom_root_(cot_place at, cot_body *f, cot_solver *solve, const cot_solve_options *o,
                 size_t size)
{
    return run(at, "root", root, f, solve, o, size);
}
