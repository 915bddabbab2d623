/* Derivative rules for private functions: a call becomes that of a custom function, whose body
 * is the function. */
#include "frontend/custom.h"
#include "frontend/stablehlo/import/emit.h"
#include "frontend/stablehlo/import/rules.h"

#include "ir/diag.h"

typedef struct ruled {
    cot_fn *forward, *vjp, *jvp;
    int n_in, n_out, n_ct; /* n_ct: floating results */
    int n_dx;              /* floating inputs */
} ruled;

static void
forward(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    const ruled *r = info->user;

    (void)t;
    cot_call_all_((cot_place){ "rule", 0 }, r->forward, (cot_values){ .n = r->n_in, .at = in },
                  out, r->n_out);
}

/* The rule takes the inputs and the results: all are saved. */
static void
setup(cot_setup *s, const cot_custom_info *info)
{
    const ruled *r = info->user;

    for (int i = 0; i < r->n_in; i++)
        cot_save_in(s, i);
    for (int j = 0; j < r->n_out; j++)
        cot_save_out(s, j);
}

static void
vjp(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    const ruled *r = info->user;

    (void)t;
    cot_call_all_((cot_place){ "rule", 0 }, r->vjp,
                  (cot_values){ .n = r->n_in + r->n_out + r->n_ct, .at = in }, out, r->n_dx);
}

static void
jvp(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    const ruled *r = info->user;

    (void)t;
    cot_call_all_((cot_place){ "rule", 0 }, r->jvp,
                  (cot_values){ .n = r->n_in + r->n_out + r->n_dx, .at = in }, out, r->n_ct);
}

static bool
bind_rule(hlo_import *h, const cot_import_rule *rule)
{
    hlo_func *f = fe_hlo_func(h, (hlo_span){ rule->callee, strlen(rule->callee) });
    ir_arena *a = &h->ctx->arena;
    ruled *r = IR_NEW(a, ruled);

    if (!f || f->op->n_regions == 0)
        return fe_hlo_refuse(h->ctx, h->r, h->r->text, rule->callee,
                             "a rule is for a function that the module has not");
    const hlo_type *const *declared;
    const int n = fe_hlo_arguments(h, f->op->region[0], &declared);
    const ir_type **type = IR_NEW_N(h->a, const ir_type *, n + 1);
    for (int i = 0; i < n; i++)
        if (!(type[i] = declared[i]->type))
            return fe_hlo_refuse(h->ctx, h->r, f->op->at, f->name,
                                 "a function with a rule has open sizes");
    ir_graph *g = fe_hlo_function(h, f, n, type, NULL);
    if (!g)
        return false;
    *r = (ruled){ cot_fn_of_graph(g), rule->vjp, rule->jvp, g->n_in, g->n_out, 0, 0 };
    for (int j = 0; j < g->n_out; j++)
        r->n_ct += ir_is_floating(g, g->out[j]);
    for (int i = 0; i < g->n_in; i++)
        r->n_dx += ir_is_floating(g, g->in[i]);
    const cot_custom_options o = { .n_in = g->n_in,
                                   .n_out = g->n_out,
                                   .forward = forward,
                                   .setup = setup,
                                   .vjp = rule->vjp ? vjp : NULL,
                                   .jvp = rule->jvp ? jvp : NULL,
                                   .generate_vmap = true,
                                   .user = r };
    const char *name = ir_format(a, "%s.%s", f->name, "rule");
    for (int i = 1; ir_custom_find(h->ctx, name); i++)
        name = ir_format(a, "%s.%s%d", f->name, "rule", i);
    f->custom =
        fe_custom_new((cot_place){ h->r->path, f->op->line }, h->ctx, name, &o, sizeof o, NULL);
    return f->custom != NULL;
}

bool
fe_hlo_bind_rules(hlo_import *h)
{
    for (int i = 0; i < h->o->n_rules; i++)
        if (!bind_rule(h, &h->o->rules[i]))
            return false;
    return true;
}
