/* Prefixes of an associative operation by a traced body: see passes/prefix.h.
 *
 * The body is traced once, for one pair of elements, and mapped over the pairs of each level,
 * so that it works on elements as any body does. */
#include "cotrace/sugar.h"

#include "frontend/trace.h"
#include "passes/prefix.h"
#include "passes/rules.h"

typedef struct assoc_call {
    cot_body *combine;
    cot_assoc_options o;
    const ir_graph *g; /* the body: two elements, then what it captured */
    int n, n_captured;
    const ir_ref *captured;
} assoc_call;

/* combine(x[i], y[i]) for i below m, elements along axis 0. */
static void
combine(ir_build *b, const void *user, int64_t m, const ir_ref *x, const ir_ref *y, ir_ref *z)
{
    const assoc_call *p = user;
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, p->g->n_in + 1);
    bool *mapped = IR_NEW_N(b->arena, bool, p->g->n_in + 1),
         *is = IR_NEW_N(b->arena, bool, p->n + 1);

    for (int i = 0; i < p->n; i++) {
        in[i] = x[i];
        in[p->n + i] = y[i];
        mapped[i] = mapped[p->n + i] = true;
    }
    for (int i = 0; i < p->n_captured; i++)
        in[2 * p->n + i] = p->captured[i];
    pass_vmap_into(b, p->g, m, 0, in, mapped, z, is);
    for (int i = 0; b->status == COT_OK && i < p->n; i++)
        z[i] = pass_map_operand(b, z[i], is[i], m);
}

/* The types of one element of each list, all lists of one length. */
static bool
elements(ir_build *b, const assoc_call *p, ir_ref *x, const ir_type **type, int64_t *n)
{
    for (int i = 0; i < p->n; i++) {
        x[i] = fe_resolve(b->ctx->trace, FE_AT(p->o.xs)[i], "associative_scan", i);
        const ir_type *t = x[i] ? ir_btype(b, x[i]) : NULL;
        if (!t)
            return false;
        *n = i == 0 && t->rank > 0 ? t->dims[0] : *n;
        if (t->rank < 1 || t->dims[0] != *n) {
            ir_build_fail(b, "associative_scan", ERR_flow_slices, i, ir_type_str(b->ctx, t),
                          (long long)*n);
            return false;
        }
        type[i] = type[p->n + i] = ir_type_close(b->ctx, t, 0);
    }
    return true;
}

/* The body on two elements gives an element again. */
static bool
trace_pair(ir_build *b, assoc_call *p, const ir_type *const *type)
{
    fe_source s = { .name = ir_format(b->arena, "%s.combine", b->name), .body = p->combine,
                    .user = p->o.user, .loc = b->loc, .n_in = 2 * p->n, .n_out = p->n,
                    .type = type };
    ir_graph *g = NULL;
    cot_trace *t;
    cot_status status = fe_trace_run(b->ctx, &s, &g, &t);

    if (status != COT_OK) {
        b->status = status;
        return false;
    }
    p->g = g;
    p->n_captured = (int)t->n_captured;
    p->captured = t->captured;
    for (int i = 0; i < p->n; i++)
        if (ir_type_at(g, g->out[i]) != type[i]) {
            ir_build_fail(b, "associative_scan", ERR_sub_type, "combine", "output", i,
                          ir_type_str(b->ctx, ir_type_at(g, g->out[i])),
                          ir_type_str(b->ctx, type[i]));
            return false;
        }
    return true;
}

static ir_ref
scan(ir_build *b, const fe_arg *a, int n_args, const void *options)
{
    assoc_call p = *(const assoc_call *)options;
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, p.n + 1), *y = IR_NEW_N(b->arena, ir_ref, p.n + 1);
    const ir_type **type = IR_NEW_N(b->arena, const ir_type *, 2 * p.n + 1);
    int64_t n = 0;

    (void)a, (void)n_args;
    if (p.n < 1 || !p.combine) {
        ir_build_fail(b, "associative_scan", ERR_usage,
                      p.combine ? "has no .xs; wants at least one" : "a body is NULL");
        return IR_NONE;
    }
    if (!elements(b, &p, x, type, &n) || !trace_pair(b, &p, type))
        return IR_NONE;
    for (int i = 0; i < p.n && p.o.reverse; i++)
        x[i] = ir_reverse(b, x[i], 1);
    pass_prefixes(b, p.n, 0, x, y, combine, &p);
    for (int i = 0; i < p.n && p.o.reverse; i++)
        y[i] = y[i] ? ir_reverse(b, y[i], 1) : IR_NONE;
    for (int i = 0; p.o.out && i < p.n; i++)
        p.o.out[i] = fe_handle(b->ctx->trace, b->status == COT_OK ? y[i] : IR_NONE);
    return b->status == COT_OK ? y[0] : IR_NONE;
}

cot_value
cot_associative_scan_(cot_place at, cot_body *body, const cot_assoc_options *options,
                      size_t size)
{
    assoc_call p = { .combine = body };

    fe_options(&p.o, sizeof p.o, options, size);
    fe_readable(&p.o.xs);
    p.n = p.o.xs.n;
    cot_context *ctx = p.n > 0 ? FE_AT(p.o.xs)[0].ctx : NULL;
    for (int i = 0; p.o.out && i < p.n; i++)
        p.o.out[i] = (cot_value){ ctx, 0, 0 };
    return fe_apply_in(ctx, at, "associative_scan", scan, &p);
}
