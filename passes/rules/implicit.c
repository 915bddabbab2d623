/* Rules of linear_solve and root: derivatives by the implicit function theorem.
 *
 *   x = A(c)^-1 b          A x' = b' - A'(c; c') x         transposed: b* = A(c)^-T x*
 *   f(c, x) = 0            f_x x' = -f_c c'
 *
 * So a derivative does not differentiate the solver.  It is again a linear_solve, and has
 * derivatives of every order.  The parts, each a function whose first inputs are the consts:
 *
 *   linear_solve   solve(b), matvec(x), and both for the transposed system
 *   root           solve(guess), f(x); with x after the consts: solve(b), matvec(v) of f_x
 *                  at x, and both transposed
 *
 * Source: custom_linear_solve and custom_root of JAX; M. Blondel et al., Efficient and Modular
 * Implicit Differentiation, NeurIPS 2022. */
#include "passes/rules/flow.h"

enum { SOLVE, MATVEC, SOLVE_T, MATVEC_T };
enum { ROOT_SOLVE, ROOT_F, ROOT_LINEAR };

/* The tangents of g(c, x) with respect to c alone; IR_NONE where they are zero. */
static void
by_consts(ir_build *b, const ir_graph *g, int consts, const dual *in, const ir_ref *x,
          ir_ref *r)
{
    ir_arena *a = b->arena;
    bool *active = IR_NEW_N(a, bool, g->n_in + 1), *varies = IR_NEW_N(a, bool, g->n_out + 1);
    ir_ref *arg = IR_NEW_N(a, ir_ref, 2 * g->n_in + 1),
           *y = IR_NEW_N(a, ir_ref, 2 * g->n_out + 1);
    int n = g->n_in, at = g->n_out;
    ir_graph *d;

    for (int i = 0; i < g->n_in; i++)
        arg[i] = i < consts ? in[i].val : x[i - consts];
    for (int i = 0; i < consts; i++) {
        active[i] = in[i].tan != IR_NONE;
        if (active[i])
            arg[n++] = in[i].tan;
    }
    if (!pass_flow_ok(b, pass_jvp_graph(g, active, varies, &d)))
        return;
    ir_inline_graph(b, d, arg, y);
    for (int j = 0; j < g->n_out; j++)
        r[j] = varies[j] ? y[at++] : IR_NONE;
}

/* The linear_solve with these parts and n right-hand sides, which may be zero. */
static void
solve(ir_build *b, int consts, const ir_ref *c, ir_graph *const *part, int n, const ir_ref *rhs,
      ir_ref *y)
{
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, consts + n);
    bool any = false;

    for (int j = 0; j < n; j++)
        any |= rhs[j] != IR_NONE;
    if (!any || b->status != COT_OK)
        return;
    memcpy(in, c, sizeof *in * (size_t)consts);
    for (int j = 0; j < n; j++)
        in[consts + j] =
            rhs[j] ? rhs[j] : pass_zeros_like(b, ir_type_at(part[0], part[0]->out[j]));
    ir_add_node(b, OP_linear_solve, consts + n, in,
                &(ir_attrs){ .implicit = { .consts = consts, .parts = { 4, part } } }, y);
}

static ir_ref *
values(ir_build *b, int n, const dual *in)
{
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n + 1);

    for (int i = 0; i < n; i++)
        x[i] = in[i].val;
    return x;
}

void
jvp_linear_solve(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const int consts = (int)n->at->implicit.consts;
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_out), *r = IR_NEW_N(b->arena, ir_ref, n->n_out),
           *dx = IR_NEW_N(b->arena, ir_ref, n->n_out), *c = values(b, n->n_in, in);

    (void)f;
    ir_copy_node(b, n, c, x);
    if (b->status == COT_OK)
        by_consts(b, n->at->implicit.parts.at[MATVEC], consts, in, x, r);
    for (int j = 0; j < n->n_out && b->status == COT_OK; j++)
        r[j] = tan_sub(b, in[consts + j].tan, r[j]);
    solve(b, consts, c, n->at->implicit.parts.at, n->n_out, r, dx);
    for (int j = 0; j < n->n_out; j++)
        y[j] = (dual){ x[j], dx[j] };
}

void
transpose_linear_solve(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                       const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    const int consts = (int)n->at->implicit.consts;
    ir_graph *const *part = n->at->implicit.parts.at;
    ir_graph **flipped = IR_NEW_N(b->arena, ir_graph *, 4);

    (void)f, (void)linear;
    for (int i = 0; i < 4; i++)
        flipped[i] = part[(i + 2) % 4];
    solve(b, consts, in, flipped, n->n_out, ct, ct_in + consts);
}

void
jvp_root(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const int consts = (int)n->at->implicit.consts;
    ir_graph *const *part = n->at->implicit.parts.at;
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_out), *r = IR_NEW_N(b->arena, ir_ref, n->n_out),
           *dx = IR_NEW_N(b->arena, ir_ref, n->n_out), *c = values(b, n->n_in, in);

    (void)f;
    ir_copy_node(b, n, c, x);
    if (b->status == COT_OK)
        by_consts(b, part[ROOT_F], consts, in, x, r);
    for (int j = 0; j < n->n_out && b->status == COT_OK; j++) {
        r[j] = tan_neg(b, r[j]);
        c[consts + j] = x[j];
    }
    solve(b, consts + n->n_out, c, part + ROOT_LINEAR, n->n_out, r, dx);
    for (int j = 0; j < n->n_out; j++)
        y[j] = (dual){ x[j], dx[j] };
}

/* Every example has its own system; consts that are the same for all stay unmapped. */
void
vmap_implicit(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
              const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_attrs at = ir_node_attrs(n);
    ir_graph **part = IR_NEW_N(b->arena, ir_graph *, at.implicit.parts.n);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);

    (void)f, (void)out_mapped;
    for (int k = 0; k < at.implicit.parts.n; k++) {
        const ir_graph *g = at.implicit.parts.at[k];
        bool *is = IR_NEW_N(b->arena, bool, g->n_in + 1),
             *out = IR_NEW_N(b->arena, bool, g->n_out + 1);
        for (int i = 0; i < g->n_in; i++)
            is[i] = i >= at.implicit.consts || mapped[i];
        for (int j = 0; j < g->n_out; j++)
            out[j] = true;
        if (!pass_flow_ok(b, pass_vmap_graph(g, size, is, out, &part[k])))
            return;
    }
    for (int i = 0; i < n->n_in; i++)
        x[i] = i < at.implicit.consts ? in[i] : pass_map_operand(b, in[i], mapped[i], size);
    at.implicit.parts.at = part;
    ir_add_node(b, (ir_op)n->op, n->n_in, x, &at, y);
}
