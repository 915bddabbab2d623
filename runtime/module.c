/* Modules on arrays: calls with replaced state, and the states of several modules stacked. */
#include <string.h>

#include "cotrace/file.h"
#include "frontend/module.h"
#include "frontend/trace.h"
#include "ir/array.h"
#include "ir/diag.h"
#include "ir/type.h"
#include "passes/pass.h"
#include "runtime/file.h"

/* ---- calls with other arrays ---- */

typedef struct module_call {
    cot_module *m;
    const char *op;
    ir_loc loc;
    const cot_state *given;
    int n_given;
    bool untied, strict;
    cot_array **leaf; /* the array that replaces each leaf, or NULL */
    int n_args;
    const cot_array **args;
} module_call;

static cot_status
place_one(module_call *c, const cot_named *x)
{
    cot_module *m = c->m;
    int i = x->name ? fe_module_find(m, x->name) : -1;

    if (i < 0 || m->leaf[i].absent)
        return ir_fail(m->ctx, c->loc, c->op, ERR_state_unknown, m->name,
                       x->name ? x->name : "");
    if (c->leaf[i])
        return ir_fail(m->ctx, c->loc, c->op, ERR_state_twice, x->name);
    if (!x->array)
        return ir_fail(m->ctx, c->loc, c->op, ERR_state_none, x->name, m->name);
    c->leaf[i] = x->array;
    return COT_OK;
}

static bool
same_array(const cot_array *x, const cot_array *y)
{
    const cot_type *s = &x->type, *t = &y->type;

    if (x == y)
        return true;
    if (s->dtype != t->dtype || s->rank != t->rank || x->bytes != y->bytes)
        return false;
    for (int k = 0; k < s->rank; k++)
        if (cot_type_size(s, k) != cot_type_size(t, k))
            return false;
    return x->bytes == 0 || memcmp(x->data, y->data, x->bytes) == 0;
}

/* A leaf with two names that is given under one of them is given under both. */
static cot_status
tie(module_call *c)
{
    cot_module *m = c->m;

    for (int i = 0; i < m->n; i++) {
        int k = m->leaf[i].of;
        if (k == i || !c->leaf[i])
            continue;
        for (int j = 0; j < m->n; j++)
            if (m->leaf[j].of == k && c->leaf[j] && !same_array(c->leaf[i], c->leaf[j]))
                return ir_fail(m->ctx, c->loc, c->op, ERR_state_tied, m->leaf[j].name,
                               m->leaf[i].name);
    }
    for (int i = 0; i < m->n; i++)
        if (c->leaf[i])
            for (int j = 0; j < m->n; j++)
                if (m->leaf[j].of == m->leaf[i].of)
                    c->leaf[j] = c->leaf[i];
    return COT_OK;
}

static cot_status
collect(module_call *c, cot_array *const *inputs, int n_inputs)
{
    cot_module *m = c->m;

    for (int s = 0; s < c->n_given; s++)
        for (int i = 0; i < c->given[s].n; i++)
            COT_TRY(place_one(c, &cot_state_entries(&c->given[s])[i]));
    if (!c->untied)
        COT_TRY(tie(c));
    for (int i = 0; i < m->n; i++) {
        if (!fe_module_takes(m, i, c->untied))
            continue;
        if (!c->leaf[i] && c->strict)
            return ir_fail(m->ctx, c->loc, c->op, ERR_state_missing, m->leaf[i].name, m->name);
        cot_array *own = m->leaf[i].array ? m->leaf[i].array : m->leaf[m->leaf[i].of].array;
        c->args[c->n_args] = c->leaf[i] ? c->leaf[i] : own;
        if (!c->args[c->n_args++])
            return ir_fail(m->ctx, c->loc, c->op, ERR_state_none, m->leaf[i].name, m->name);
    }
    for (int i = 0; i < n_inputs; i++)
        c->args[c->n_args++] = inputs[i];
    return COT_OK;
}

static cot_status
fail_usage(cot_context *ctx, cot_place at, const char *op, const char *text)
{
    volatile cot_status status = COT_ERR_MEMORY;

    IR_TRY(ctx) {
        status = ir_fail(ctx, ir_loc_file(ctx, at.file, at.line), op, ERR_usage, text);
    }
    return status;
}

cot_status
cot_module_call_(cot_place at, cot_module *m, cot_array **results, int n_results,
                 const cot_state *given, int n_given, cot_array *const *inputs, int n_inputs,
                 const cot_functional_options *options, size_t size)
{
    volatile cot_status status = COT_ERR_MEMORY;
    module_call c = { .m = m, .op = "module_call", .given = given, .n_given = n_given };
    FE_OPTIONS(cot_functional_options, o, options, size);

    if (!m || (n_given > 0 && !given) || (n_inputs > 0 && !inputs))
        return ir_fail_null(m ? m->ctx : NULL, c.op, "a list of arrays");
    c.untied = o.untied != 0;
    c.strict = o.strict != 0;
    IR_TRY(m->ctx) {
        c.loc = ir_loc_file(m->ctx, at.file, at.line);
        c.leaf = IR_NEW_N(&m->ctx->arena, cot_array *, m->n + 1);
        c.args = IR_NEW_N(&m->ctx->arena, const cot_array *, m->n + n_inputs + 1);
        status = collect(&c, inputs, n_inputs);
    }
    if (status != COT_OK)
        return status;
    if (o.fn && cot_fn_context(o.fn) != m->ctx)
        return fail_usage(m->ctx, at, c.op, "fn is a function of another context");
    cot_fn *f = o.fn ? o.fn : c.untied ? cot_module_fn_untied(m) : cot_module_fn(m);
    return f ? cot_jit(f, results, n_results, c.args, c.n_args) : COT_ERR_MEMORY;
}

cot_status
cot_functional_call_(cot_place at, cot_module *m, const cot_state *given, int n_given,
                     cot_array *const *inputs, int n_inputs, cot_array **results, int n_results,
                     const cot_functional_options *options, size_t size)
{
    return cot_module_call_(at, m, results, n_results, given, n_given, inputs, n_inputs,
                            options, size);
}

/* ---- arrays with names ---- */

static cot_status
name_arrays(const cot_module *m, const char *text, cot_array *const *arrays, int n,
            cot_state *out)
{
    const char **name = IR_NEW_N(&m->ctx->arena, const char *, m->n + 1);
    pass_named names = { m->ctx, m->loc, m->name, m->n, name, 0, NULL };
    pass_wrt which;

    for (int i = 0; i < m->n; i++)
        name[i] = fe_module_takes(m, i, false) ? m->leaf[i].name : NULL;
    COT_TRY(pass_named_wrt(&names, text, &which));
    if (which.n != n)
        return ir_fail(m->ctx, m->loc, m->name, ERR_fn_names, n, "results", which.n);
    out->at = IR_NEW_N(&m->ctx->arena, cot_named, n + 1);
    for (int i = 0; i < n; i++)
        rt_state_add(out, name[which.arg[i]], arrays[i]);
    return COT_OK;
}

cot_status
cot_module_named(const cot_module *m, cot_list paths, cot_array *const *arrays, int n,
                 cot_state *out)
{
    volatile cot_status status = COT_ERR_MEMORY;

    if (!m || !out)
        return ir_fail_null(m ? m->ctx : NULL, "module_named", "the result");
    *out = (cot_state){ .n = 0 };
    IR_TRY(m->ctx) {
        status = paths.one != COT_BY_NAME || !arrays
                     ? ir_fail(m->ctx, 0, "module_named", ERR_usage,
                               arrays ? "the paths are no list of names; wants COT_NAMES"
                                      : "the arrays are NULL; wants those of a gradient")
                     : name_arrays(m, paths.names ? paths.names : "", arrays, n, out);
    }
    return status;
}

cot_array *
cot_state_find(const cot_state *s, const char *name)
{
    const cot_named *at = cot_state_entries(s);

    for (int i = 0; s && name && i < s->n; i++)
        if (at[i].name && strcmp(at[i].name, name) == 0)
            return at[i].array;
    return NULL;
}

void
cot_state_free(cot_state *s)
{
    const cot_named *at = cot_state_entries(s);

    for (int i = 0; s && i < s->n; i++)
        cot_array_free(at[i].array);
    if (s)
        s->n = 0;
}

/* ---- the state of a module ---- */

cot_status
cot_module_state(const cot_module *m, cot_state *out)
{
    volatile cot_status status = COT_ERR_MEMORY;

    if (!m || !out)
        return ir_fail_null(m ? m->ctx : NULL, "module_state", "the result");
    *out = (cot_state){ .n = 0 };
    IR_TRY(m->ctx) {
        out->at = IR_NEW_N(&m->ctx->arena, cot_named, m->n + 1);
        for (int i = 0; i < m->n; i++)
            if (fe_module_takes(m, i, false) && m->leaf[i].array)
                rt_state_add(out, m->leaf[i].name, m->leaf[i].array);
        status = COT_OK;
    }
    return status;
}

/* Checks the array given for each leaf; the module is unchanged until all are right. */
static cot_status
check_state(module_call *c, bool partial)
{
    cot_module *m = c->m;

    for (int i = 0; i < c->given->n; i++)
        COT_TRY(place_one(c, &cot_state_entries(c->given)[i]));
    COT_TRY(tie(c));
    for (int i = 0; i < m->n; i++) {
        const cot_array *own = m->leaf[i].array;
        if (!fe_module_takes(m, i, false))
            continue;
        if (!c->leaf[i] && !partial)
            return ir_fail(m->ctx, c->loc, c->op, ERR_state_missing, m->leaf[i].name, m->name);
        const ir_type *found = c->leaf[i] ? ir_type_of(m->ctx, &c->leaf[i]->type) : NULL;
        const ir_type *want = own ? ir_type_of(m->ctx, &own->type) : found;
        if (found && found != want)
            return ir_fail(m->ctx, c->loc, c->op, ERR_state_type, m->leaf[i].name,
                           ir_type_str(m->ctx, found), ir_type_str(m->ctx, want));
    }
    return COT_OK;
}

cot_status
cot_module_set_state(cot_module *m, const cot_state *s, int partial)
{
    volatile cot_status status = COT_ERR_MEMORY;
    module_call c = { .m = m, .op = "module_set_state", .given = s, .n_given = 1 };

    if (!m || !s)
        return ir_fail_null(m ? m->ctx : NULL, "module_set_state", "the state");
    IR_TRY(m->ctx) {
        c.loc = m->loc;
        c.leaf = IR_NEW_N(&m->ctx->arena, cot_array *, m->n + 1);
        status = check_state(&c, partial != 0);
        for (int i = 0; i < m->n && status == COT_OK; i++)
            if (c.leaf[i] && fe_module_takes(m, i, false))
                m->leaf[i].array = c.leaf[i];
    }
    return status;
}

/* ---- stack_module_state ---- */

static const char stack_op[] = "stack_module_state";

static cot_status
same_kind(cot_context *ctx, ir_loc loc, cot_module *const *m, int k)
{
    if (m[k]->body != m[0]->body || m[k]->n != m[0]->n || m[k]->n_params != m[0]->n_params ||
        strcmp(m[k]->name, m[0]->name) != 0)
        return ir_fail(ctx, loc, stack_op, ERR_stack_kind, k, m[k]->name, m[0]->name);
    if (m[k]->training != m[0]->training)
        return ir_fail(ctx, loc, stack_op, ERR_stack_mode, k,
                       m[k]->training ? "in training mode" : "in evaluation mode",
                       m[0]->training ? "in training mode" : "in evaluation mode");
    return COT_OK;
}

/* Fails unless leaf i of module k has the type of that of module 0. */
static cot_status
same_leaf(cot_context *ctx, ir_loc loc, cot_module *const *m, int k, int i)
{
    const fe_leaf *x = &m[k]->leaf[i], *y = &m[0]->leaf[i];

    if (strcmp(x->name, y->name) != 0 || x->of != y->of || x->absent != y->absent)
        return ir_fail(ctx, loc, stack_op, ERR_stack_leaf, k, x->name, y->name);
    if (x->absent || x->of != i)
        return COT_OK;
    if (!x->array)
        return ir_fail(ctx, loc, stack_op, ERR_state_none, x->name, m[k]->name);
    if (x->frozen != y->frozen)
        return ir_fail(ctx, loc, stack_op, ERR_stack_frozen, x->name, x->frozen ? k : 0,
                       x->frozen ? 0 : k);
    const ir_type *tx = ir_type_of(ctx, &x->array->type),
                  *ty = y->array ? ir_type_of(ctx, &y->array->type) : tx;
    if (tx != ty)
        return ir_fail(ctx, loc, stack_op, ERR_stack_type, x->name, ir_type_str(ctx, tx), k,
                       ir_type_str(ctx, ty));
    return y->array ? rt_want_here(ctx, y->array) : COT_OK;
}

static cot_array *
stack_leaf(cot_context *ctx, cot_module *const *m, int n, int i)
{
    const ir_type *t = ir_type_open(ctx, ir_type_of(ctx, &m[0]->leaf[i].array->type), 0, n);
    cot_type type = ir_type_public(t);
    cot_array *a = ir_array_new(ctx, &type, NULL);

    for (int k = 0; a && k < n; k++) {
        const cot_array *x = m[k]->leaf[i].array;
        if (x->bytes > 0)
            memcpy((char *)a->data + (size_t)k * x->bytes, x->data, x->bytes);
    }
    return a;
}

static cot_status
stack(cot_context *ctx, ir_loc loc, cot_module *const *m, int n, cot_state *params,
      cot_state *buffers)
{
    for (int k = 0; k < n; k++) {
        COT_TRY(same_kind(ctx, loc, m, k));
        for (int i = 0; i < m[0]->n; i++)
            COT_TRY(same_leaf(ctx, loc, m, k, i));
    }
    params->at = IR_NEW_N(&ctx->arena, cot_named, m[0]->n_params + 1);
    buffers->at = IR_NEW_N(&ctx->arena, cot_named, m[0]->n - m[0]->n_params + 1);
    for (int i = 0; i < m[0]->n; i++) {
        cot_state *s = i < m[0]->n_params ? params : buffers;
        if (!fe_module_takes(m[0], i, false))
            continue;
        cot_array *a = stack_leaf(ctx, m, n, i);
        if (!a)
            return ir_fail(ctx, loc, stack_op, ERR_memory);
        rt_state_add(s, m[0]->leaf[i].name, a);
    }
    return COT_OK;
}

cot_status
cot_stack_module_state_(cot_place at, cot_context *ctx, cot_module *const *modules, int n,
                        cot_state *params, cot_state *buffers)
{
    volatile cot_status status = COT_ERR_MEMORY;

    if (!ctx || !modules || !params || !buffers)
        return ir_fail_null(ctx, stack_op, modules ? "a result" : "the list of modules");
    *params = *buffers = (cot_state){ .n = 0 };
    for (int i = 0; i < n; i++)
        if (!modules[i])
            return ir_fail_null(ctx, stack_op, "a module");
    for (int i = 0; i < n; i++)
        if (modules[i]->ctx != ctx)
            return fail_usage(ctx, at, stack_op, "a module is of another context");
    IR_TRY(ctx) {
        status =
            n < 1 ? ir_fail(ctx, ir_loc_file(ctx, at.file, at.line), stack_op, ERR_stack_none)
                  : stack(ctx, ir_loc_file(ctx, at.file, at.line), modules, n, params, buffers);
    }
    if (status != COT_OK) {
        cot_state_free(params);
        cot_state_free(buffers);
    }
    return status;
}
