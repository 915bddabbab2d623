/* Ops as StableHLO has them: on elements, and of shapes. */
#include "frontend/stablehlo/export/export.h"

/* ---- elements ---- */

bool
fe_hlo_write_simple(hlo_site *s)
{
    s->out[0] =
        fe_hlo_line1(s->w, s->out_type[0], s->name, s->n_in, s->in, s->in_type, "%s", "");
    return true;
}

/* chlo writes "T, T -> T". */
bool
fe_hlo_write_arrow(hlo_site *s)
{
    hlo_write *w = s->w;
    const bool one = strncmp(s->name, "chlo.", 5) != 0;

    s->out[0] = fe_hlo_new(w);
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = %s ", s->out[0], s->name);
    fe_hlo_put_names(w, s->n_in, s->in);
    fe_hlo_put(w, " : ");
    fe_hlo_put_types(w, s->n_in, s->in_type);
    if (!one)
        fe_hlo_put(w, " -> %s", fe_hlo_type_text(w, s->out_type[0]));
    fe_hlo_put(w, "\n");
    return true;
}

/* What is complex loses no part in StableHLO. */
bool
fe_hlo_write_convert(hlo_site *s)
{
    if (ir_is_complex(s->in_type[0]->dtype) && !ir_is_complex(s->out_type[0]->dtype))
        return fe_hlo_composite_of(s, false);
    s->out[0] =
        fe_hlo_line1(s->w, s->out_type[0], "stablehlo.convert", 1, s->in, s->in_type, "%s", "");
    return true;
}

bool
fe_hlo_write_reduce_precision(hlo_site *s)
{
    hlo_write *w = s->w;

    s->out[0] = fe_hlo_new(w);
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.reduce_precision %s, format = e%lldm%lld : %s\n", s->out[0],
               s->in[0], (long long)s->at->precision.exponent_bits,
               (long long)s->at->precision.mantissa_bits, fe_hlo_type_text(w, s->in_type[0]));
    return true;
}

bool
fe_hlo_write_compare(hlo_site *s)
{
    s->out[0] = fe_hlo_compared(s->w, s->name, s->in_type[0], s->in[0], s->in[1]);
    return true;
}

bool
fe_hlo_write_select(hlo_site *s)
{
    s->out[0] = fe_hlo_select2(s->w, s->out_type[0], s->in[0], s->in[1], s->in[2]);
    return true;
}

/* ---- shapes ---- */

/* op operands, word = [at]... : types */
static bool
listed(hlo_site *s, const char *op, const char *word, int n, const int64_t *at)
{
    hlo_write *w = s->w;

    s->out[0] = fe_hlo_new(w);
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.%s ", s->out[0], op);
    fe_hlo_put_names(w, s->n_in, s->in);
    fe_hlo_put(w, ", %s = [", word);
    fe_hlo_put_ints(w, n, at);
    fe_hlo_put(w, "]");
    fe_hlo_put_signature(w, s->n_in, s->in_type, 1, s->out_type);
    return true;
}

bool
fe_hlo_write_broadcast(hlo_site *s)
{
    return listed(s, "broadcast_in_dim", "dims", s->at->broadcast.dims.n,
                  s->at->broadcast.dims.at);
}

bool
fe_hlo_write_transpose(hlo_site *s)
{
    return listed(s, "transpose", "dims", s->at->perm.perm.n, s->at->perm.perm.at);
}

bool
fe_hlo_write_dynamic_slice(hlo_site *s)
{
    for (int i = 2; i < s->n_in; i++)
        if (s->in_type[i] != s->in_type[1])
            return fe_hlo_composite_of(s, false);
    return listed(s, "dynamic_slice", "sizes", s->at->sizes.sizes.n, s->at->sizes.sizes.at);
}

bool
fe_hlo_write_dynamic_update_slice(hlo_site *s)
{
    for (int i = 3; i < s->n_in; i++)
        if (s->in_type[i] != s->in_type[2])
            return fe_hlo_composite_of(s, false);
    s->out[0] = fe_hlo_line1(s->w, s->out_type[0], "stablehlo.dynamic_update_slice", s->n_in,
                             s->in, s->in_type, "%s", "");
    return true;
}

bool
fe_hlo_write_reverse(hlo_site *s)
{
    hlo_write *w = s->w;
    int n = 0;

    s->out[0] = fe_hlo_new(w);
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.reverse %s, dims = [", s->out[0], s->in[0]);
    for (int i = 0; i < COT_MAX_RANK; i++)
        if (s->at->axes.axes & ir_axes_of(i))
            fe_hlo_put(w, "%s%d", n++ ? ", " : "", i);
    fe_hlo_put(w, "] : %s\n", fe_hlo_type_text(w, s->in_type[0]));
    return true;
}

bool
fe_hlo_write_slice(hlo_site *s)
{
    hlo_write *w = s->w;
    const ir_ints start = s->at->slice.start, limit = s->at->slice.limit,
                  stride = s->at->slice.stride;

    s->out[0] = fe_hlo_new(w);
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.slice %s [", s->out[0], s->in[0]);
    for (int i = 0; i < start.n; i++) {
        fe_hlo_put(w, "%s%lld:%lld", i ? ", " : "", (long long)start.at[i],
                   (long long)limit.at[i]);
        if (stride.at[i] != 1)
            fe_hlo_put(w, ":%lld", (long long)stride.at[i]);
    }
    fe_hlo_put(w, "]");
    fe_hlo_put_signature(w, 1, s->in_type, 1, s->out_type);
    return true;
}

bool
fe_hlo_write_pad(hlo_site *s)
{
    hlo_write *w = s->w;
    const struct {
        const char *name;
        ir_ints at;
    } list[] = { { "low", s->at->pad.low },
                 { "high", s->at->pad.high },
                 { "interior", s->at->pad.interior } };

    s->out[0] = fe_hlo_new(w);
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.pad ", s->out[0]);
    fe_hlo_put_names(w, 2, s->in);
    for (int i = 0; i < 3; i++) {
        fe_hlo_put(w, ", %s = [", list[i].name);
        fe_hlo_put_ints(w, list[i].at.n, list[i].at.at);
        fe_hlo_put(w, "]");
    }
    fe_hlo_put_signature(w, 2, s->in_type, 1, s->out_type);
    return true;
}

bool
fe_hlo_write_concatenate(hlo_site *s)
{
    s->out[0] = fe_hlo_line1(s->w, s->out_type[0], "stablehlo.concatenate", s->n_in, s->in,
                             s->in_type, ", dim = %lld", (long long)s->at->axis.axis);
    return true;
}

bool
fe_hlo_write_iota(hlo_site *s)
{
    hlo_write *w = s->w;
    const ir_type *t = s->out_type[0],
                  *as = t->dtype == COT_BOOL ? ir_type_as(w->ctx, t, COT_I32) : t;

    s->out[0] = fe_hlo_new(w);
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.iota dim = %lld : %s\n", s->out[0],
               (long long)s->at->iota.axis, fe_hlo_type_text(w, as));
    s->out[0] = fe_hlo_cast(w, t, as, s->out[0]);
    return true;
}

bool
fe_hlo_write_constant(hlo_site *s)
{
    hlo_write *w = s->w;
    const ir_data *d = &s->at->constant.data;

    s->out[0] = fe_hlo_new(w);
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.constant ", s->out[0]);
    fe_hlo_put_data(w, d->type, d->bytes, d->splat);
    fe_hlo_put(w, "\n");
    return true;
}

/* ---- products ---- */

bool
fe_hlo_write_dot_general(hlo_site *s)
{
    hlo_write *w = s->w;
    const ir_ints list[] = { s->at->dot.lhs_batch, s->at->dot.rhs_batch, s->at->dot.lhs,
                             s->at->dot.rhs };

    s->out[0] = fe_hlo_new(w);
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.dot_general %s, %s", s->out[0], s->in[0], s->in[1]);
    for (int i = 0; i < 4; i += 2) {
        if (i == 0 && list[0].n == 0)
            continue;
        fe_hlo_put(w, i ? ", contracting_dims = [" : ", batching_dims = [");
        fe_hlo_put_ints(w, list[i].n, list[i].at);
        fe_hlo_put(w, "] x [");
        fe_hlo_put_ints(w, list[i + 1].n, list[i + 1].at);
        fe_hlo_put(w, "]");
    }
    fe_hlo_put_signature(w, 2, s->in_type, 1, s->out_type);
    return true;
}

static const ir_type *
shaped(hlo_site *s, const ir_type *like, int rank, const int64_t *dims)
{
    return ir_type_shaped(s->w->ctx, like, rank, dims);
}

static const char *
transposed(hlo_site *s, const ir_type *to, const ir_type *from, const char *x,
           const int64_t *perm)
{
    hlo_write *w = s->w;
    const char *y = fe_hlo_new(w);

    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.transpose %s, dims = [", y, x);
    fe_hlo_put_ints(w, to->rank, perm);
    fe_hlo_put(w, "]");
    fe_hlo_put_signature(w, 1, &from, 1, &to);
    return y;
}

/* x with its groups, axis 0, moved to stand before the axis that was `before`, joined with
 * it. */
static const char *
groups_into(hlo_site *s, const ir_type *t, const char *x, int before, const ir_type **joined)
{
    int64_t perm[COT_MAX_RANK], dims[COT_MAX_RANK];
    int n = 0;

    for (int i = 1; i < t->rank; i++) {
        if (i == before)
            perm[n++] = 0;
        perm[n++] = i;
    }
    for (int i = 0; i < n; i++)
        dims[i] = t->dims[perm[i]];
    const ir_type *moved = shaped(s, t, n, dims);
    const int k = before - 1; /* the groups, in the moved type */
    dims[k] *= dims[k + 1];
    memmove(dims + k + 1, dims + k + 2, sizeof *dims * (size_t)(n - k - 2));
    *joined = shaped(s, t, n - 1, dims);
    return fe_hlo_as(s->w, *joined, moved, transposed(s, moved, t, x, perm));
}

/* The groups of both operands become parts of their features, and those of the result the first
 * axis again. */
bool
fe_hlo_write_conv_general(hlo_site *s)
{
    hlo_write *w = s->w;
    const ir_type *x = s->in_type[0], *y = s->in_type[1], *z = s->out_type[0], *in[2], *out;
    const int rank = x->rank - 1, n = rank - 2;
    const int64_t groups = x->dims[0];
    int64_t dims[COT_MAX_RANK], perm[COT_MAX_RANK];
    const char *a = groups_into(s, x, s->in[0], x->rank - 1, &in[0]),
               *b = groups_into(s, y, s->in[1], y->rank - 1, &in[1]);

    dims[0] = z->dims[1];
    for (int i = 0; i < n; i++)
        dims[1 + i] = z->dims[2 + i];
    dims[rank - 1] = groups * z->dims[z->rank - 1];
    out = shaped(s, z, rank, dims);
    const char *c = fe_hlo_new(w);
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.convolution(%s, %s) dim_numbers = [b", c, a, b);
    for (int i = 0; i < n; i++)
        fe_hlo_put(w, ", %d", i);
    fe_hlo_put(w, ", f]x[");
    for (int i = 0; i < n; i++)
        fe_hlo_put(w, "%d, ", i);
    fe_hlo_put(w, "i, o]->[b");
    for (int i = 0; i < n; i++)
        fe_hlo_put(w, ", %d", i);
    fe_hlo_put(w, ", f], window = {");
    if (n) {
        fe_hlo_put_list(w, "stride", s->at->conv.strides);
        fe_hlo_put_list(w, ", rhs_dilate", s->at->conv.dilation);
    }
    fe_hlo_put(w, "} {batch_group_count = 1 : i64, feature_group_count = %lld : i64}",
               (long long)groups);
    fe_hlo_put_signature(w, 2, in, 1, &out);
    dims[rank - 1] = groups;
    dims[rank] = z->dims[z->rank - 1];
    const ir_type *parted = shaped(s, z, rank + 1, dims);
    perm[0] = rank - 1;
    for (int i = 0; i < rank - 1; i++)
        perm[1 + i] = i;
    perm[rank] = rank;
    s->out[0] = transposed(s, z, parted, fe_hlo_as(w, parted, out, c), perm);
    return true;
}
