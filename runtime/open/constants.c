/* Constants that are made of sizes become inputs, so that nothing is folded into the program
 * that holds at one size only. */
#include "runtime/open/constants.h"

#include <math.h>

#include "ir/build.h"
#include "passes/engine.h"
#include "runtime/values.h"

enum { MAX_SAMPLES = 16, MAX_FACTOR = 64 };

static double
number_of(const ir_data *d)
{
    return rt_element(d->type->dtype, d->bytes, 0);
}

static bool
is_one_number(const ir_data *d)
{
    return d->splat || d->type->size == 1;
}

static bool
same_number(const ir_data *x, const ir_data *y)
{
    return memcmp(x->bytes, y->bytes, cot_dtype_size(x->type->dtype)) == 0;
}

static double
made_of(const cg_open_constant *c, const int64_t *size)
{
    const double p = (double)cg_polynomial_at(&c->p, size);

    switch (c->kind) {
    case CG_MADE_PLAIN: return c->factor * p;
    case CG_MADE_QUOTIENT: return c->factor / p;
    case CG_MADE_ROOT: return c->factor * sqrt(p);
    default: return c->factor / sqrt(p);
    }
}

void
rt_open_constant_at(const cg_open_constant *c, const int64_t *size, void *out)
{
    rt_set_element(c->dtype, out, 0, made_of(c, size));
}

/* Do the samples have these bits? */
static bool
agrees(const cg_samples *s, const cg_open_constant *c, const ir_data *const *d)
{
    for (int i = 0; i < s->n; i++) {
        uint64_t bits[2] = { 0 };

        rt_open_constant_at(c, s->size + (ptrdiff_t)i * s->sizes, bits);
        if (memcmp(bits, d[i]->bytes, cot_dtype_size(c->dtype)) != 0)
            return false;
    }
    return true;
}

/* What p would be at a sample, for this kind and factor. */
static double
solved(cg_made_of kind, double factor, double x)
{
    const double y = kind == CG_MADE_PLAIN || kind == CG_MADE_ROOT ? x / factor : factor / x;

    return kind == CG_MADE_ROOT || kind == CG_MADE_QUOTIENT_ROOT ? y * y : y;
}

static bool
fit_kind(cg_samples *s, const ir_data *const *d, cg_open_constant *c)
{
    int64_t value[MAX_SAMPLES];

    for (int i = 0; i < s->n; i++) {
        const double p = solved(c->kind, c->factor, number_of(d[i]));

        if (!(p > 0.5 && p < 1e15))
            return false;
        value[i] = llround(p);
    }
    return cg_fit_polynomial(s, value, &c->p) && agrees(s, c, d);
}

/* Rounded constants do not say p exactly: then p is one of the lengths that were met. */
static bool
fit_base(cg_samples *s, const ir_data *const *d, cg_open_constant *c)
{
    for (uint32_t i = 0; i < s->n_bases; i++)
        for (int less = 0; less <= 1; less++) {
            c->p = s->base[i];
            c->p.constant -= less;
            if (agrees(s, c, d))
                return true;
        }
    return false;
}

/* Or the number of elements of a value: what divides by a product of sizes has one of so
 * many. */
static bool
fit_elements(cg_samples *s, const cot_graph *const *f, const ir_data *const *d,
             cg_open_constant *c)
{
    const int64_t *last = NULL;

    for (ir_ref v = 1; v < f[0]->n_values; v++) {
        int64_t value[MAX_SAMPLES];

        for (int i = 0; i < s->n; i++)
            value[i] = v < f[i]->n_values ? ir_type_at(f[i], v)->size : 0;
        if (value[0] == value[1] || (last && memcmp(last, value, sizeof value[0] * s->n) == 0))
            continue;
        last = ir_copy_bytes(s->arena, value, sizeof value);
        if (cg_fit_polynomial(s, value, &c->p) && agrees(s, c, d))
            return true;
    }
    return false;
}

static bool
fit(cg_samples *s, const cot_graph *const *f, const ir_data *const *d, cg_open_constant *c)
{
    const double sign = number_of(d[0]) < 0 ? -1 : 1;

    for (int factor = 1; factor <= MAX_FACTOR; factor *= 2)
        for (int kind = CG_MADE_PLAIN; kind <= CG_MADE_QUOTIENT_ROOT; kind++) {
            c->kind = (cg_made_of)kind;
            c->factor = sign * factor;
            if (fit_kind(s, d, c) || fit_base(s, d, c))
                return true;
        }
    for (int factor = 1; factor <= MAX_FACTOR; factor *= 2)
        for (int kind = CG_MADE_PLAIN; kind <= CG_MADE_QUOTIENT_ROOT; kind++) {
            c->kind = (cg_made_of)kind;
            c->factor = sign * factor;
            if (fit_elements(s, f, d, c))
                return true;
        }
    return false;
}

static const ir_data *
data_of(const cot_graph *f, uint32_t node)
{
    return &f->node[node].at->constant.data;
}

const char *
rt_open_find_constants(cg_samples *s, const cot_graph *const *f, rt_open_constants *out,
                       uint32_t *node)
{
    out->n = out->n_nodes = 0;
    for (uint32_t k = 1; k < f[0]->n_nodes; k++) {
        const ir_data *d[MAX_SAMPLES];
        bool varies = false, is_table = false;

        *node = k;
        for (int i = 0; i < s->n; i++) {
            if (f[i]->n_nodes != f[0]->n_nodes || f[i]->node[k].op != f[0]->node[k].op)
                return NULL;    /* the comparison of the graphs says so */
            if (ir_ops[f[0]->node[k].op].record != IR_AT_constant)
                break;
            d[i] = data_of(f[i], k);
            is_table |= !is_one_number(d[i]);
            varies |= !is_table && !same_number(d[0], d[i]);
        }
        if (!varies || is_table)
            continue;
        cg_open_constant c = { .dtype = d[0]->type->dtype };
        if (ir_is_complex(c.dtype) || !fit(s, f, d, &c))
            return "a constant depends on it in no known way";
        IR_PUSH(s->arena, out->at, out->n, out->cap, c);
        IR_PUSH(s->arena, out->node, out->n_nodes, out->cap_nodes, k);
    }
    return NULL;
}

bool
rt_open_has_constants(const rt_open_constants *c, const cot_graph *f, const int64_t *size)
{
    for (uint32_t i = 0; i < c->n; i++) {
        uint64_t bits[2] = { 0 };

        if (c->node[i] >= f->n_nodes || ir_ops[f->node[c->node[i]].op].record != IR_AT_constant)
            return false;
        rt_open_constant_at(&c->at[i], size, bits);
        if (memcmp(bits, data_of(f, c->node[i])->bytes, cot_dtype_size(c->at[i].dtype)) != 0)
            return false;
    }
    return true;
}

static void
visit(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env, const ir_ref *in,
      ir_ref *out, const void *user)
{
    const rt_open_constants *c = user;

    (void)env;
    for (uint32_t i = 0; i < c->n; i++) {
        if (n != &f->node[c->node[i]])
            continue;
        const ir_type *t = ir_type_at(f, n->first);
        const ir_ref x = ir_input_hidden(b, ir_scalar_type(b->ctx, t->dtype), NULL,
                                         (ir_hidden){ IR_HIDDEN_ARRAY, NULL });
        out[0] = t->rank ? ir_broadcast_scalar(b, x, t) : x;
        return;
    }
    ir_copy_node(b, n, in, out);
}

cot_status
rt_open_without_constants(const cot_graph *f, const rt_open_constants *c, const cot_graph **out)
{
    ir_graph *made;

    *out = f;
    if (c->n == 0)
        return COT_OK;
    COT_TRY(pass_rewrite_with(f, "open", visit, c, &made));
    *out = made;
    return COT_OK;
}
