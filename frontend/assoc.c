/* Prefixes of an associative operation, with linear work and logarithmic depth.
 *
 * The odd-even recursion: neighbours are combined pairwise, the prefixes of that shorter list are
 * found by the same method, and are the results at odd places; a result at an even place is the
 * odd one before it combined with its own element.  The body is traced once, for one pair of
 * elements, and mapped over the pairs of each level, so that it works on elements as any body
 * does.  For n elements: less than 2 n combinations in 2 log2(n) levels.
 *
 * The order of combination is fixed by n alone: result 2 i + 1 of a level is result i of the
 * level below, result 2 i is combine(result 2 i - 1, element 2 i).  It is part of the result.
 *
 * Source: G. E. Blelloch, Prefix Sums and Their Applications, CMU-CS-90-190, 1990; the recursion
 * is that of R. E. Ladner, M. J. Fischer, Parallel Prefix Computation, JACM 27, 1980. */
#include "cotrace/sugar.h"

#include "frontend/trace.h"
#include "passes/rules.h"

typedef struct prefix {
    cot_body *combine;
    cot_assoc_options o;
    const ir_graph *g; /* the body: two elements, then what it captured */
    int n, n_captured;
    const ir_ref *captured;
} prefix;

static ir_ref
stride(ir_build *b, ir_ref x, int64_t from, int64_t to, int64_t step)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;
    int64_t start[COT_MAX_RANK], limit[COT_MAX_RANK], by[COT_MAX_RANK];

    for (int k = 0; t && k < t->rank; k++) {
        start[k] = k == 0 ? from : 0;
        limit[k] = k == 0 ? to : t->dims[k];
        by[k] = k == 0 ? step : 1;
    }
    return t ? ir_slice(b, x, start, limit, by) : IR_NONE;
}

/* combine(x[i], y[i]) for i below m, elements along axis 0. */
static void
combine(ir_build *b, const prefix *p, int64_t m, const ir_ref *x, const ir_ref *y, ir_ref *z)
{
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

/* even[0], odd[0], even[1], ...: n elements in all. */
static ir_ref
interleave(ir_build *b, ir_ref even, ir_ref odd, int64_t n)
{
    const ir_type *t = odd ? ir_btype(b, odd) : NULL;
    int64_t m = n / 2, dims[COT_MAX_RANK + 1];

    if (!even || !t)
        return IR_NONE;
    ir_ref pair[2] = { stride(b, even, 0, m, 1), odd };
    for (int k = 0; k < 2; k++)
        pair[k] = ir_broadcast_axis(b, pair[k], 1, 1);
    for (int k = 0; k < t->rank; k++)
        dims[k] = k == 0 ? 2 * m : t->dims[k];
    ir_ref y = ir_reshape(b, ir_concatenate(b, 2, pair, 1), t->rank, dims);
    return n % 2 == 0 ? y
                      : ir_concatenate(b, 2, (ir_ref[]){ y, stride(b, even, m, m + 1, 1) }, 0);
}

static void
prefixes(ir_build *b, const prefix *p, int64_t n, const ir_ref *x, ir_ref *y)
{
    ir_ref *l = IR_NEW_N(b->arena, ir_ref, p->n + 1), *r = IR_NEW_N(b->arena, ir_ref, p->n + 1),
           *odd = IR_NEW_N(b->arena, ir_ref, p->n + 1);
    int64_t m = n / 2, rest = (n - 1) / 2;

    memcpy(y, x, sizeof *y * (size_t)p->n);
    if (n < 2)
        return;
    for (int i = 0; i < p->n; i++) {
        l[i] = stride(b, x[i], 0, 2 * m - 1, 2);
        r[i] = stride(b, x[i], 1, 2 * m, 2);
    }
    combine(b, p, m, l, r, y);
    prefixes(b, p, m, y, odd);
    for (int i = 0; i < p->n && rest > 0; i++) {
        l[i] = stride(b, odd[i], 0, rest, 1);
        r[i] = stride(b, x[i], 2, 2 * rest + 1, 2);
    }
    if (rest > 0)
        combine(b, p, rest, l, r, y);
    for (int i = 0; i < p->n && b->status == COT_OK; i++) {
        ir_ref first = stride(b, x[i], 0, 1, 1);
        ir_ref even = rest > 0 ? ir_concatenate(b, 2, (ir_ref[]){ first, y[i] }, 0) : first;
        y[i] = interleave(b, even, odd[i], n);
    }
}

/* The types of one element of each list, all lists of one length. */
static bool
elements(ir_build *b, const prefix *p, ir_ref *x, const ir_type **type, int64_t *n)
{
    for (int i = 0; i < p->n; i++) {
        x[i] = fe_resolve(b->ctx->trace, p->o.xs.at[i], "associative_scan", i);
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
trace_pair(ir_build *b, prefix *p, const ir_type *const *type)
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
    prefix p = *(const prefix *)options;
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
    prefixes(b, &p, n, x, y);
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
    prefix p = { .combine = body };

    fe_options(&p.o, sizeof p.o, options, size);
    p.n = p.o.xs.n;
    cot_context *ctx = p.n > 0 ? p.o.xs.at[0].ctx : NULL;
    for (int i = 0; p.o.out && i < p.n; i++)
        p.o.out[i] = (cot_value){ ctx, 0, 0 };
    return fe_apply_in(ctx, at, "associative_scan", scan, &p);
}
