/* Types of custom functions: those of the forward graph, with an axis for each vmap over
 * them. */
#include "ir/custom.h"
#include "ir/foreign.h"
#include "ir/infer/infer.h"

/* t with the axes of the levels that `all` or the mask of operand i names, the outermost
 * first. */
static const ir_type *
with_levels(const infer_ctx *c, const ir_type *t, int i, bool all)
{
    const ir_ints size = c->at->custom.size;
    for (int l = 0; t && l < size.n; l++)
        if (all || ir_custom_mapped(c->at, l, i))
            t = ir_type_open(c->b->ctx, t, 0, size.at[l]);
    return t;
}

static int
takes(const infer_ctx *c, int k, const ir_type *wanted)
{
    if (!wanted)
        return -1;
    if (c->in[k] == wanted)
        return 0;
    return INFER_FAIL(c, ERR_operand_type, k, infer_str(c, c->in[k]), infer_str(c, wanted));
}

static int
levels_ok(const infer_ctx *c, const ir_graph *f)
{
    const ir_ints size = c->at->custom.size, mapped = c->at->custom.mapped,
                  random = c->at->custom.random;
    if (mapped.n != size.n * f->n_in)
        return INFER_FAIL(c, ERR_list_length, "mapped", mapped.n, size.n * f->n_in);
    if (random.n != 0 && random.n != size.n)
        return INFER_FAIL(c, ERR_list_length, "random", random.n, size.n);
    for (int l = 0; l < random.n; l++)
        if (random.at[l] < 0 || random.at[l] > 2)
            return INFER_FAIL(c, ERR_list_range, "random", l, (long long)random.at[l], 0LL,
                              2LL);
    for (int l = 0; l < size.n; l++)
        if (size.at[l] < 0)
            return INFER_FAIL(c, ERR_list_entry, "size", l, (long long)size.at[l], "0 or more");
    for (int k = 0; k < c->at->custom.save.n; k++)
        if (c->at->custom.save.at[k] < 0 || c->at->custom.save.at[k] >= f->n_in + f->n_out)
            return INFER_FAIL(c, ERR_list_range, "save", k, (long long)c->at->custom.save.at[k],
                              0LL, (long long)f->n_in + f->n_out - 1);
    for (int k = 0; k < c->at->custom.active.n; k++)
        if (c->at->custom.active.at[k] < 0 || c->at->custom.active.at[k] >= f->n_in)
            return INFER_FAIL(c, ERR_list_range, "active", k,
                              (long long)c->at->custom.active.at[k], 0LL,
                              (long long)f->n_in - 1);
    return 0;
}

static int
prototype_ok(const infer_ctx *c, const ir_graph *f)
{
    ir_arena *a = c->b->arena;
    const char *text = c->at->custom.prototype;
    const char *why = text ? ir_c_mismatch(a, ir_c_parse(a, text), f, c->at) : NULL;
    return why ? INFER_FAIL(c, ERR_custom_def, c->at->custom.name, why) : 0;
}

int
infer_custom_call(const infer_ctx *c)
{
    const ir_graph *f = c->at->custom.forward;
    if (!f)
        return INFER_FAIL(c, ERR_attr_missing, "forward");
    if (!c->at->custom.name)
        return INFER_FAIL(c, ERR_attr_missing, "name");
    if (f->n_in != c->n_in)
        return INFER_FAIL(c, ERR_sub_count, "forward", f->n_in, "inputs", c->n_in);
    if (c->at->custom.opaque && f->complex)
        return INFER_FAIL(c, ERR_custom_complex, c->at->custom.name);
    if (levels_ok(c, f) < 0 || prototype_ok(c, f) < 0)
        return -1;
    for (int i = 0; i < c->n_in; i++)
        if (takes(c, i, with_levels(c, ir_type_at(f, f->in[i]), i, false)) < 0)
            return -1;
    for (int j = 0; j < f->n_out; j++) {
        const ir_type *t = with_levels(c, ir_type_at(f, f->out[j]), 0, true);
        if (!t)
            return -1;
        if (j < c->cap)
            c->out[j] = t;
    }
    return f->n_out;
}

int
infer_custom_tangent(const infer_ctx *c)
{
    const ir_graph *f = c->at->custom.forward;
    const ir_node n = { .at = c->at };
    const ir_ints active = c->at->custom.active;
    if (!f || !c->at->custom.name)
        return INFER_FAIL(c, ERR_attr_missing, f ? "name" : "forward");
    if (levels_ok(c, f) < 0)
        return -1;
    if (c->n_in != f->n_in + f->n_out + active.n)
        return INFER_FAIL(c, ERR_operand_count, c->n_in, f->n_in + f->n_out + active.n);
    for (int i = 0; i < f->n_in; i++)
        if (takes(c, i, with_levels(c, ir_type_at(f, f->in[i]), i, false)) < 0)
            return -1;
    for (int j = 0; j < f->n_out; j++)
        if (takes(c, f->n_in + j, with_levels(c, ir_type_at(f, f->out[j]), 0, true)) < 0)
            return -1;
    for (int k = 0; k < active.n; k++)
        if (takes(c, f->n_in + f->n_out + k, c->in[active.at[k]]) < 0)
            return -1;
    int count = 0;
    for (int j = 0; j < f->n_out; j++)
        if (ir_custom_differs(&n, j)) {
            if (count < c->cap)
                c->out[count] = c->in[f->n_in + j];
            count++;
        }
    return count;
}
