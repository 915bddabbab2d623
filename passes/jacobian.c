/* Whole Jacobians: the pushforward or the pullback, mapped over a basis.
 *
 *   jacfwd    the linear half of linearize on each unit tangent of an argument: by columns
 *   jacrev    the backward half of vjp on each unit cotangent of a result: by rows
 *   hessian   jacfwd of jacrev
 *
 * The forward halves are outside of the map and computed once.  The basis is not stored: unit k
 * is iota == k, and the map is over the numbers k, so that `chunk` is vmap's.  Arguments (or
 * results) are done one by one, so that no zero tangents are computed; common parts of their
 * forward halves are shared. */
#include "passes/engine.h"

typedef struct jacobian {
    const ir_graph *f;
    ir_build *b;
    const char *what;
    pass_args args;
    int n_diff;
    int64_t chunk;
    int key; /* jacfwd: the input whose random key differs from column to column; -1: none */
    ir_ref *x; /* arguments */
    ir_ref *block; /* block[j * args.n + i]: output j, arg i */
    ir_ref *aux;
} jacobian;

/* As in torch, the Jacobian of a complex value is an error, which names the value. */
static cot_status
check_real(const ir_graph *f, const char *what, ir_ref v, const char *which)
{
    const ir_type *t = ir_type_at(f, v);

    if (!ir_is_complex(t->dtype))
        return COT_OK;
    return ir_fail(f->ctx, pass_first_use(f, v), what, ERR_jacobian_complex, which, f->name,
                   ir_type_str(f->ctx, t));
}

static cot_status
jacobian_begin(jacobian *s, const ir_graph *f, const pass_wrt *wrt, int aux, int64_t chunk,
               const char *what)
{
    *s =
        (jacobian){ .f = f, .what = what, .chunk = chunk, .n_diff = f->n_out - aux, .key = -1 };
    COT_TRY(pass_resolve(f, wrt, false, what, &s->args));
    COT_TRY(pass_check_aux(f, aux, what));
    if (chunk < 0)
        return ir_fail(f->ctx, 0, what, ERR_pass_option,
                       ir_format(f->arena, "chunk is %lld; wants 1 or more", (long long)chunk));
    for (int i = 0; i < s->args.n; i++)
        COT_TRY(
            check_real(f, what, f->in[s->args.arg[i]], pass_argument_text(f, s->args.arg[i])));
    for (int j = 0; j < s->n_diff; j++)
        COT_TRY(check_real(f, what, f->out[j], pass_output_text(f, j)));
    for (int j = 0; j < s->n_diff; j++)
        if (!ir_is_floating(f, f->out[j]))
            return ir_fail(f->ctx, pass_output_loc(f, j), what, ERR_dtype_wrong,
                           ir_format(f->arena, "%s of %s is %s; wants a floating type",
                                     pass_output_text(f, j), f->name,
                                     ir_type_str(f->ctx, ir_type_at(f, f->out[j]))));
    s->b = pass_begin(f, what);
    s->x = IR_NEW_N(s->b->arena, ir_ref, f->n_in);
    s->block = IR_NEW_N(s->b->arena, ir_ref, s->n_diff * s->args.n);
    s->aux = IR_NEW_N(s->b->arena, ir_ref, aux);
    pass_inputs(s->b, f, s->x);
    return COT_OK;
}

/* Unit vector k of the space of type t. */
static ir_ref
unit(ir_build *b, const ir_type *t, ir_ref k)
{
    ir_ref at = ir_iota(b, COT_I64, 1, &t->size, 0);
    ir_ref is = ir_op2(b, OP_eq, at, ir_broadcast_axis(b, k, 0, t->size));
    return ir_reshape(b, ir_convert(b, is, t->dtype), t->rank, t->dims);
}

/* g(res, unit k) as a graph of (res, k). */
static cot_status
on_unit(const ir_graph *g, const ir_type *t, ir_graph **out)
{
    ir_build *b = ir_build_new(g->ctx, g->name);
    b->loc = ir_value_loc(g, g->in[g->n_in - 1]);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, g->n_in), *y = IR_NEW_N(b->arena, ir_ref, g->n_out);

    for (int i = 0; i < g->n_in - 1; i++)
        in[i] = ir_input_like(b, g, g->in[i], "");
    in[g->n_in - 1] = unit(b, t, ir_input(b, ir_scalar_type(g->ctx, COT_I64), "k"));
    ir_inline_graph(b, g, in, y);
    for (int j = 0; j < g->n_out; j++)
        ir_output(b, y[j]);
    return ir_build_end(b, out);
}

/* The results of g, which is linear in its last input, for each unit of t; the unit's number is
 * the first axis. */
static void
over_basis(jacobian *s, const ir_graph *g, const ir_ref *res, const ir_type *t, ir_ref *y)
{
    ir_build *b = s->b;
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, g->n_in);
    bool *mapped = IR_NEW_N(b->arena, bool, g->n_in), *is = IR_NEW_N(b->arena, bool, g->n_out);
    ir_graph *h = NULL;
    int last = g->n_in - 1;

    memcpy(in, res, sizeof *in * (size_t)last);
    if (s->key >= 0) {
        in[s->key] = ir_fold_in(b, in[s->key], ir_iota(b, COT_U64, 1, &t->size, 0));
        mapped[s->key] = true;
    }
    if (t->rank == 0 && s->key < 0) { /* a scalar, which has a single unit, needs no map */
        in[last] = ir_splat(b, t, 1);
        ir_inline_graph(b, g, in, y);
    } else if (b->status == COT_OK && (b->status = on_unit(g, t, &h)) == COT_OK) {
        in[last] = ir_iota(b, COT_I64, 1, &t->size, 0);
        mapped[last] = true;
        pass_vmap_into(b, h, t->size, s->chunk, in, mapped, y, is);
    }
    for (int j = 0; j < g->n_out; j++)
        y[j] = pass_map_operand(b, y[j], is[j], t->size);
}

/* Sets block (j, i), with the shape of output j followed by that of argument i. */
static void
set_block(jacobian *s, int j, int i, ir_ref v)
{
    int64_t dims[2 * COT_MAX_RANK];
    const ir_type *y = ir_type_at(s->f, s->f->out[j]);
    const ir_type *x = ir_type_at(s->f, s->f->in[s->args.arg[i]]);

    memcpy(dims, y->dims, sizeof *dims * (size_t)y->rank);
    memcpy(dims + y->rank, x->dims, sizeof *dims * (size_t)x->rank);
    s->block[j * s->args.n + i] = ir_reshape(s->b, v, y->rank + x->rank, dims);
}

static cot_status
jacobian_end(jacobian *s, ir_graph **out)
{
    for (int k = 0; k < s->n_diff * s->args.n; k++)
        ir_output(s->b, s->block[k]);
    for (int j = s->n_diff; j < s->f->n_out; j++)
        pass_output(s->b, s->f, j, s->aux[j - s->n_diff], "");
    return pass_end(s->b, s->what, out);
}

/* The blocks of argument i as columns; the value and its random draws are computed anew for
 * each column. */
static cot_status
random_columns(jacobian *s, int i)
{
    const pass_wrt one = { 1, &s->args.arg[i] };
    const ir_type *x = ir_type_at(s->f, s->f->in[s->args.arg[i]]);
    int aux = s->f->n_out - s->n_diff, key = s->key;
    ir_graph *jvp;

    s->b->loc = ir_value_loc(s->f, s->f->in[s->args.arg[i]]);
    COT_TRY(pass_jvp(s->f, &one, aux, &jvp));
    ir_ref *y = IR_NEW_N(s->b->arena, ir_ref, jvp->n_out);
    over_basis(s, jvp, s->x, x, y);
    for (int j = 0; j < s->n_diff; j++) {
        int rank = ir_type_at(s->f, s->f->out[j])->rank;
        set_block(s, j, i, ir_move_axis(s->b, y[s->n_diff + j], 0, rank));
    }
    s->key = -1; /* the aux results are those of a call without columns */
    y = IR_NEW_N(s->b->arena, ir_ref, s->f->n_out);
    ir_inline_graph(s->b, s->f, s->x, y);
    memcpy(s->aux, y + s->n_diff, sizeof *y * (size_t)aux);
    s->key = key;
    return s->b->status;
}

/* The blocks of argument i, as columns. */
static cot_status
columns(jacobian *s, int i)
{
    if (s->key >= 0)
        return random_columns(s, i);
    const pass_wrt one = { 1, &s->args.arg[i] };
    const ir_type *x = ir_type_at(s->f, s->f->in[s->args.arg[i]]);
    ir_graph *known, *linear;
    int aux = s->f->n_out - s->n_diff;

    s->b->loc = ir_value_loc(s->f, s->f->in[s->args.arg[i]]);
    COT_TRY(pass_linearize_halves(s->f, &one, aux, &known, &linear));
    ir_ref *y = IR_NEW_N(s->b->arena, ir_ref, known->n_out);
    ir_ref *dy = IR_NEW_N(s->b->arena, ir_ref, linear->n_out);
    ir_inline_graph(s->b, known, s->x, y);
    memcpy(s->aux, y + s->n_diff, sizeof *y * (size_t)aux);
    over_basis(s, linear, y + s->f->n_out, x, dy);
    for (int j = 0; j < s->n_diff; j++) {
        int rank = ir_type_at(s->f, s->f->out[j])->rank;
        set_block(s, j, i, ir_move_axis(s->b, dy[j], 0, rank));
    }
    return s->b->status;
}

/* f with only output j of the differentiated ones, and all aux outputs. */
static cot_status
one_output(const jacobian *s, int j, const ir_graph **out)
{
    bool *in = IR_NEW_N(s->b->arena, bool, s->f->n_in),
         *keep = IR_NEW_N(s->b->arena, bool, s->f->n_out);
    ir_graph *g = NULL;

    *out = s->f;
    if (s->n_diff == 1)
        return COT_OK;
    for (int i = 0; i < s->f->n_in; i++)
        in[i] = true;
    for (int k = 0; k < s->f->n_out; k++)
        keep[k] = k == j || k >= s->n_diff;
    COT_TRY(pass_restrict(s->f, in, keep, &g));
    *out = g;
    return COT_OK;
}

/* The blocks of output j, as rows. */
static cot_status
rows(jacobian *s, int j)
{
    const pass_wrt wrt = { s->args.n, s->args.arg };
    int aux = s->f->n_out - s->n_diff;
    const ir_graph *f;
    ir_graph *fwd, *bwd;

    s->b->loc = pass_output_loc(s->f, j);
    COT_TRY(one_output(s, j, &f));
    COT_TRY(pass_vjp_halves(f, &wrt, aux, &fwd, &bwd));
    ir_ref *y = IR_NEW_N(s->b->arena, ir_ref, fwd->n_out),
           *dx = IR_NEW_N(s->b->arena, ir_ref, bwd->n_out);
    ir_inline_graph(s->b, fwd, s->x, y);
    memcpy(s->aux, y + 1, sizeof *y * (size_t)aux);
    over_basis(s, bwd, y + f->n_out, ir_type_at(f, f->out[0]), dx);
    for (int i = 0; i < s->args.n; i++)
        set_block(s, j, i, dx[i]);
    return s->b->status;
}

/* Without a differentiated result, only the aux results are computed. */
static void
aux_alone(jacobian *s)
{
    if (s->n_diff == 0)
        ir_inline_graph(s->b, s->f, s->x, s->aux);
}

/* The input of f that is the random generator's key, or -1. */
static int
generator(const ir_graph *f)
{
    for (int i = 0; i < f->n_in; i++)
        if (f->hidden[i].kind == IR_HIDDEN_KEY)
            return i;
    return -1;
}

cot_status
pass_jacfwd(const ir_graph *f, const pass_wrt *wrt, int aux, int64_t chunk, int randomness,
            ir_graph **out)
{
    const int key = generator(f);
    jacobian s;

    if (key >= 0 && randomness == PASS_RANDOM_ERROR)
        return ir_fail(f->ctx, pass_first_use(f, f->in[key]), "jacfwd", ERR_random_mode);
    COT_TRY(jacobian_begin(&s, f, wrt, aux, chunk, "jacfwd"));
    s.key = randomness == PASS_RANDOM_DIFFERENT ? key : -1;
    aux_alone(&s);
    cot_status status = COT_OK;
    const int around = f->ctx->randomness;
    f->ctx->randomness = randomness;
    for (int i = 0; i < s.args.n && s.n_diff > 0 && status == COT_OK; i++)
        status = columns(&s, i);
    f->ctx->randomness = around;
    return status == COT_OK ? jacobian_end(&s, out) : status;
}

cot_status
pass_jacrev(const ir_graph *f, const pass_wrt *wrt, int aux, int64_t chunk, ir_graph **out)
{
    jacobian s;

    COT_TRY(jacobian_begin(&s, f, wrt, aux, chunk, "jacrev"));
    aux_alone(&s);
    for (int j = 0; j < s.n_diff; j++)
        COT_TRY(rows(&s, j));
    return jacobian_end(&s, out);
}

cot_status
pass_hessian(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out)
{
    ir_graph *first;

    COT_TRY(pass_jacrev(f, wrt, aux, 0, &first));
    COT_TRY(pass_follow_part("jacrev", f, &first));
    return pass_jacfwd(first, wrt, aux, 0, PASS_RANDOM_SAME, out);
}
