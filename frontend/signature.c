/* The arguments that a transform takes, and the errors in those that it was given.
 *
 * Everything that can be reported at the line of the transform is checked here, before a pass
 * would report lines in the body: the options against the function inside, and the types of
 * arguments, tangents and cotangents against those of the values that they belong to. */
#include "frontend/signature.h"

#include "ir/diag.h"

static const fe_shape shapes[] = {
    { "grad", FE_SAME, true, false, true },
    { "grad_and_value", FE_SAME, true, false, true },
    { "jvp", FE_TANGENTS, true, true, false },
    { "linearize", FE_TANGENTS, true, true, false },
    { "vjp", FE_COTANGENTS, true, true, false },
    { "jacfwd", FE_SAME, true, false, false },
    { "jacrev", FE_SAME, true, false, false },
    { "hessian", FE_SAME, true, false, false },
    { "vmap", FE_MAPPED, false, false, false },
};

const fe_shape *
fe_shape_of(const char *name)
{
    static const fe_shape same = { "", FE_SAME, false, false, false };

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(shapes[i].name, name) == 0)
            return &shapes[i];
    return &same;
}

cot_status
fe_wrong_count(const cot_fn *f, int has, int wants)
{
    return ir_fail(f->ctx, f->loc, f->name, ERR_fn_arguments, has, wants);
}

int
fe_count_floating(int n, const ir_type *const *type)
{
    int count = 0;

    for (int i = 0; i < n; i++)
        count += ir_is_inexact(type[i]->dtype);
    return count;
}

int
fe_count_cotangents(const ir_graph *g, int aux)
{
    int count = 0;

    for (int i = 0; i < g->n_out - aux; i++)
        count += ir_is_floating(g, g->out[i]);
    return count;
}

cot_status
fe_check_results(const cot_fn *f, const fe_shape *s, const ir_graph *g)
{
    const char *name = s->name;
    int aux = f->options.aux, own = g->n_out - g->n_inout;

    if (aux < 0 || aux > own)
        return ir_fail(f->ctx, f->loc, name, ERR_aux_range, aux, g->name, own);
    if (f->options.chunk < 0)
        return ir_fail(f->ctx, f->loc, name, ERR_pass_option,
                       ir_format(&f->ctx->arena, "chunk is %lld; wants 1 or more",
                                 (long long)f->options.chunk));
    if (s->extra == FE_COTANGENTS && fe_count_cotangents(g, aux + g->n_inout) == 0)
        return ir_fail(f->ctx, f->loc, name, ERR_vjp_none, g->name);
    if (!s->scalar)
        return COT_OK;
    if (own - aux != 1)
        return ir_fail(f->ctx, f->loc, name, ERR_grad_count, g->name, own - aux);
    const ir_type *y = ir_type_at(g, g->out[0]);
    if (ir_is_complex(y->dtype))
        return ir_fail(f->ctx, f->loc, name, ERR_grad_complex, g->name, ir_type_str(f->ctx, y));
    if (y->rank != 0 || !ir_is_float(y->dtype))
        return ir_fail(f->ctx, f->loc, name, y->rank != 0 ? ERR_grad_shape : ERR_grad_dtype,
                       g->name, ir_type_str(f->ctx, y));
    return COT_OK;
}

cot_status
fe_explicit_wrt(const cot_fn *f, const fe_shape *s, const ir_graph *g, int n, pass_wrt *wrt)
{
    const pass_wrt *given = &f->options.wrt;
    pass_wrt named;

    if (f->options.wrt_names) {
        pass_named names = { f->ctx, f->loc, s->name, n, g->in_name, 0, NULL };
        names.n_never = fe_optional_names(f, &names.never);
        COT_TRY(pass_named_wrt(&names, f->options.wrt_names, &named));
        given = &named;
    }
    int *arg = IR_NEW_N(&f->ctx->arena, int, n + given->n + 2), count = 0;
    if (given->n == PASS_DEFAULT && s->all) {
        for (int i = 0; i < n; i++)
            if (ir_is_floating(g, g->in[i]))
                arg[count++] = i;
    } else if (given->n == PASS_DEFAULT) {
        arg[count++] = 0;
    } else {
        for (int i = 0; i < given->n; i++)
            arg[count++] = given->arg[i] < 0 ? given->arg[i] + n : given->arg[i];
    }
    for (int i = 0; i < count; i++) {
        if (arg[i] < 0 || arg[i] >= n)
            return ir_fail(f->ctx, f->loc, s->name, ERR_wrt_range,
                           given->n < 0 ? 0 : given->arg[i], g->name, n);
        for (int k = 0; k < i; k++)
            if (arg[k] == arg[i])
                return ir_fail(f->ctx, f->loc, s->name, ERR_wrt_twice,
                               pass_argument_text(g, arg[i]));
        if (!ir_is_floating(g, g->in[arg[i]]))
            return ir_fail(f->ctx, f->loc, s->name, ERR_wrt_dtype,
                           pass_argument_text(g, arg[i]), g->name,
                           ir_type_str(f->ctx, ir_type_at(g, g->in[arg[i]])));
    }
    if (given->n == 0)
        return ir_fail(f->ctx, f->loc, s->name, ERR_wrt_empty);
    if (count == 0)
        return ir_fail(f->ctx, f->loc, s->name, ERR_wrt_none, g->name);
    *wrt = (pass_wrt){ count, arg };
    return COT_OK;
}

/* One more entry "name: type" of a list. */
static void
list_type(ir_buf *b, const ir_graph *g, ir_ref v, const char *name, const char *what)
{
    ir_buf_printf(b, "%s%s%s%s%s", b->n > 0 ? ", " : "", what, name ? name : "",
                  name && *name ? ": " : "", ir_type_str(g->ctx, ir_type_at(g, v)));
}

/* The error for too few or too many tangents or cotangents: it prints what was given and what
 * is wanted, by name where there are names. */
cot_status
fe_wrong_directions(cot_fn *f, const fe_shape *s, int k, int n, const ir_type *const *type,
                    const ir_graph *g)
{
    pass_wrt wrt;
    ir_buf has, wants;

    COT_TRY(fe_explicit_wrt(f, s, g, k, &wrt));
    ir_buf_init(&has, &f->ctx->arena);
    ir_buf_init(&wants, &f->ctx->arena);
    for (int i = 0; i < n; i++)
        ir_buf_printf(&has, "%s%s", i ? ", " : "", ir_type_str(f->ctx, type[i]));
    for (int i = 0; i < k; i++)
        list_type(&wants, g, g->in[i], g->in_name ? g->in_name[i] : NULL, "");
    for (int i = 0; s->extra == FE_TANGENTS && i < wrt.n; i++)
        list_type(&wants, g, g->in[wrt.arg[i]], g->in_name ? g->in_name[wrt.arg[i]] : NULL,
                  "tangent ");
    for (int j = 0; s->extra == FE_COTANGENTS && j < g->n_out - g->n_inout - f->options.aux;
         j++)
        if (ir_is_floating(g, g->out[j]))
            list_type(&wants, g, g->out[j], g->out_name ? g->out_name[j] : NULL, "cotangent ");
    return ir_fail(f->ctx, f->loc, f->name, ERR_fn_structure, has.text, wants.text);
}

/* A tangent or cotangent must have the type of the argument or result that it belongs to. */
static cot_status
check_direction(const cot_fn *f, int i, const ir_type *has, const char *what, const char *of,
                const char *name, const ir_type *wants)
{
    if (has == wants)
        return COT_OK;
    return ir_fail(f->ctx, f->loc, f->name,
                   has->dtype == wants->dtype ? ERR_direction_shape : ERR_direction_dtype, i,
                   what, of, name, ir_type_str(f->ctx, has), ir_type_str(f->ctx, wants));
}

cot_status
fe_check_directions(const cot_fn *f, const fe_shape *s, const ir_graph *g, int n,
                    const pass_wrt *wrt, const fe_special *special)
{
    int at = n;

    for (int i = 0; s->extra == FE_TANGENTS && i < wrt->n && at < special->n_types; i++, at++)
        COT_TRY(check_direction(f, at, special->type[at], "tangent",
                                pass_argument_text(g, wrt->arg[i]), g->name,
                                ir_type_at(g, g->in[wrt->arg[i]])));
    if (s->extra != FE_COTANGENTS)
        return COT_OK;
    for (int j = 0; j < g->n_out - g->n_inout - f->options.aux && at < special->n_types; j++)
        if (ir_is_floating(g, g->out[j])) {
            COT_TRY(check_direction(f, at, special->type[at], "cotangent",
                                    pass_output_text(g, j), g->name, ir_type_at(g, g->out[j])));
            at++;
        }
    return COT_OK;
}

cot_status
fe_check_types(const cot_fn *f, const ir_graph *g, int n, const ir_type *const *type,
               int n_captured)
{
    if (g->n_in - n_captured != n)
        return fe_wrong_count(f, n, g->n_in - n_captured);
    for (int i = 0; i < n; i++)
        if (ir_type_at(g, g->in[i]) != type[i])
            return ir_fail(f->ctx, f->loc, f->name, ERR_fn_type, i,
                           ir_type_str(f->ctx, type[i]),
                           ir_type_str(f->ctx, ir_type_at(g, g->in[i])));
    return COT_OK;
}
