/* Reductions, lines and indexing as StableHLO has them: ops with a region. */
#include "frontend/stablehlo/export/export.h"

#include <math.h>

static const ir_type *
scalar(hlo_site *s, cot_dtype t)
{
    return ir_scalar_type(s->w->ctx, t);
}

/* ({ ^bb0(%a: T, ...): */
static void
open_region(hlo_write *w, int n, const char **name, const ir_type *const *type)
{
    fe_hlo_indent(w);
    fe_hlo_put(w, "^bb0(");
    for (int i = 0; i < n; i++) {
        name[i] = fe_hlo_new(w);
        fe_hlo_put(w, "%s%s: %s", i ? ", " : "", name[i], fe_hlo_type_text(w, type[i]));
    }
    fe_hlo_put(w, "):\n");
    w->indent++;
}

static void
close_region(hlo_write *w, const char *result, const ir_type *type)
{
    fe_hlo_returns(w, 1, &result, &type);
    w->indent--;
    fe_hlo_indent(w);
}

/* A region of one op on two numbers; of none, the second number. */
static void
region_of(hlo_write *w, const char *op, const ir_type *t)
{
    const char *name[2];
    const ir_type *const type[2] = { t, t };

    fe_hlo_put(w, "({\n");
    open_region(w, 2, name, type);
    const char *y = op ? fe_hlo_line1(w, t, op, 2, name, type, "%s", "") : name[1];
    close_region(w, y, t);
    fe_hlo_put(w, "})");
}

/* ---- reductions ---- */

static const char *
least(hlo_write *w, const ir_type *t, bool most)
{
    const int bits = ir_bits(t->dtype);

    if (ir_is_float(t->dtype))
        return fe_hlo_number(w, t, (double)(most ? INFINITY : -INFINITY));
    if (ir_is_signed(t->dtype))
        return fe_hlo_number_int(w, t,
                                 most ? (int64_t)(((uint64_t)1 << (bits - 1)) - 1)
                                      : (int64_t)-((uint64_t)1 << (bits - 1)));
    return fe_hlo_number_int(w, t, most ? -1 : 0);
}

/* What the op leaves as it is. */
static const char *
neutral(hlo_write *w, const char *op, const ir_type *t)
{
    op += strlen("stablehlo.");
    switch (op[0] == 'm' ? op[1] : op[0]) {
    case 'u': return fe_hlo_number(w, t, 1);      /* multiply */
    case 'a': /* add, and, maximum */
        if (op[0] == 'm')
            return least(w, t, false);
        return op[1] == 'n' ? fe_hlo_number_int(w, t, -1) : fe_hlo_number(w, t, 0);
    case 'i': return least(w, t, true); /* minimum */
    default: return fe_hlo_number_int(w, t, 0); /* or */
    }
}

bool
fe_hlo_write_reduce(hlo_site *s)
{
    hlo_write *w = s->w;
    const ir_type *t = scalar(s, s->in_type[0]->dtype);
    const char *init = neutral(w, s->name, t);
    int n = 0;

    s->out[0] = fe_hlo_new(w);
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.reduce(%s init: %s) applies %s across dimensions = [",
               s->out[0], s->in[0], init, s->name);
    for (int i = 0; i < COT_MAX_RANK; i++)
        if (s->at->axes.axes & ir_axes_of(i))
            fe_hlo_put(w, "%s%d", n++ ? ", " : "", i);
    fe_hlo_put(w, "]");
    fe_hlo_put_signature(w, 2, (const ir_type *const[]){ s->in_type[0], t }, 1, s->out_type);
    return true;
}

/* A cumulative op is a reduce_window over the whole axis; the padding in front has the neutral
 * element. */
bool
fe_hlo_write_cumulate(hlo_site *s)
{
    hlo_write *w = s->w;
    const ir_type *t = s->in_type[0], *one = scalar(s, t->dtype);
    const int64_t axis = s->at->cumulate.axis, n = t->dims[axis];

    if (t->size == 0 && !s->alone)
        return fe_hlo_composite_of(s, true);
    if (t->size == 0) {
        s->out[0] = s->in[0];
        return true;
    }
    const char *init = neutral(w, s->name, one);
    s->out[0] = fe_hlo_new(w);
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = \"stablehlo.reduce_window\"(%s, %s) <{padding = dense<[", s->out[0],
               s->in[0], init);
    for (int i = 0; i < t->rank; i++)
        fe_hlo_put(w, "%s[%lld, %lld]", i ? ", " : "",
                   (long long)(i == axis && !s->at->cumulate.reverse ? n - 1 : 0),
                   (long long)(i == axis && s->at->cumulate.reverse ? n - 1 : 0));
    fe_hlo_put(w, "]> : tensor<%dx2xi64>, window_dimensions = array<i64: ", t->rank);
    for (int i = 0; i < t->rank; i++)
        fe_hlo_put(w, "%s%lld", i ? ", " : "", (long long)(i == axis ? n : 1));
    fe_hlo_put(w, ">}> ");
    region_of(w, s->name, one);
    fe_hlo_put_signature(w, 2, (const ir_type *const[]){ t, one }, 1, s->out_type);
    return true;
}

/* ---- places ---- */

static const char *
both(hlo_write *w, const char *op, const ir_type *t, const char *x, const char *y)
{
    return fe_hlo_line1(w, t, op, 2, (const char *const[]){ x, y },
                        (const ir_type *const[]){ t, t }, "%s", "");
}

/* A comparison of scalars in which NaNs are equal to each other; `first`: they are below all,
 * else above. */
static const char *
in_order(hlo_write *w, const char *how, const ir_type *t, const char *x, const char *y,
         bool nan_first)
{
    const ir_type *yes = ir_scalar_type(w->ctx, COT_BOOL);
    const char *less = fe_hlo_compared(w, how, t, x, y);

    if (!ir_is_float(t->dtype))
        return less;
    const char *xn = fe_hlo_compared(w, "NE", t, x, x), *yn = fe_hlo_compared(w, "NE", t, y, y);
    if (strcmp(how, "EQ") == 0)
        return both(w, "stablehlo.or", yes, less, both(w, "stablehlo.and", yes, xn, yn));
    const char *lone =
        fe_hlo_line1(w, yes, "stablehlo.not", 1, nan_first ? &yn : &xn, &yes, "%s", "");
    return both(w, "stablehlo.or", yes, less,
                both(w, "stablehlo.and", yes, lone, nan_first ? xn : yn));
}

/* Reduces pairs of a value and its index: a pair wins if its value is NaN, or greater, or equal
 * with a lower index. */
bool
fe_hlo_write_arg(hlo_site *s)
{
    hlo_write *w = s->w;
    const ir_type *t = s->in_type[0], *place = ir_type_as(w->ctx, t, s->out_type[0]->dtype),
                  *yes = scalar(s, COT_BOOL);
    const ir_type *one = scalar(s, t->dtype), *at = scalar(s, place->dtype);
    const int64_t axis = s->at->arg.axis;
    const char *iota = fe_hlo_new(w), *name[4], *pair[2];

    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.iota dim = %lld : %s\n", iota, (long long)axis,
               fe_hlo_type_text(w, place));
    const char *init = least(w, one, s->name[0] == 'L'), *zero = fe_hlo_number_int(w, at, 0);
    fe_hlo_indent(w);
    fe_hlo_put(
        w, "%s = \"stablehlo.reduce\"(%s, %s, %s, %s) <{dimensions = array<i64: %lld>}> ({\n",
        fe_hlo_results(w, 2, pair), s->in[0], iota, init, zero, (long long)axis);
    open_region(w, 4, name, (const ir_type *const[]){ one, at, one, at });
    const char *wins = in_order(w, s->name, one, name[0], name[2], true),
               *same = in_order(w, "EQ", one, name[0], name[2], true);
    const char *before = fe_hlo_compared(w, "LT", at, name[1], name[3]);
    wins = both(w, "stablehlo.or", yes, wins, both(w, "stablehlo.and", yes, same, before));
    const char *result[2] = { fe_hlo_select2(w, one, wins, name[0], name[2]),
                              fe_hlo_select2(w, at, wins, name[1], name[3]) };
    fe_hlo_returns(w, 2, result, (const ir_type *const[]){ one, at });
    w->indent--;
    fe_hlo_indent(w);
    fe_hlo_put(w, "})");
    const ir_type *out[2] = { ir_type_close(w->ctx, t, (int)axis), s->out_type[0] };
    fe_hlo_put_signature(w, 4, (const ir_type *const[]){ t, place, one, at }, 2, out);
    s->out[0] = pair[1];
    return true;
}

/* A stable sort of the keys and of places along the axis: the names of the places. */
static const char *
sorted(hlo_site *s, int64_t axis, const ir_type *place, const char *how, bool nan_first)
{
    hlo_write *w = s->w;
    const int n = s->n_in + 1;
    const char **in = IR_NEW_N(w->a, const char *, n), **out = IR_NEW_N(w->a, const char *, n);
    const char **name = IR_NEW_N(w->a, const char *, 2 * n), *less = NULL,
               *iota = fe_hlo_new(w);
    const ir_type **type = IR_NEW_N(w->a, const ir_type *, n),
                  **element = IR_NEW_N(w->a, const ir_type *, 2 * n);
    const ir_type *yes = scalar(s, COT_BOOL);

    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.iota dim = %lld : %s\n", iota, (long long)axis,
               fe_hlo_type_text(w, place));
    for (int i = 0; i < n; i++) {
        in[i] = i < s->n_in ? s->in[i] : iota;
        type[i] = i < s->n_in ? s->in_type[i] : place;
        element[2 * i] = element[2 * i + 1] = scalar(s, type[i]->dtype);
    }
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = \"stablehlo.sort\"(", fe_hlo_results(w, n, out));
    fe_hlo_put_names(w, n, in);
    fe_hlo_put(w, ") <{dimension = %lld : i64, is_stable = true}> ({\n", (long long)axis);
    open_region(w, 2 * n, name, element);
    for (int i = s->n_in; i-- > 0;) {
        const ir_type *t = element[2 * i];
        const char *x = name[2 * i], *y = name[2 * i + 1],
                   *here = in_order(w, how, t, x, y, nan_first);
        less = !less ? here
                     : both(w, "stablehlo.or", yes, here,
                            both(w, "stablehlo.and", yes, in_order(w, "EQ", t, x, y, nan_first),
                                 less));
    }
    close_region(w, less, yes);
    fe_hlo_put(w, "})");
    fe_hlo_put_signature(w, n, type, n, type);
    return out[n - 1];
}

bool
fe_hlo_write_argsort(hlo_site *s)
{
    s->out[0] = sorted(s, s->at->arg.axis, s->out_type[0], "LT", false);
    return true;
}

bool
fe_hlo_write_top_k(hlo_site *s)
{
    hlo_write *w = s->w;
    const ir_type *t = s->in_type[0], *place = ir_type_as(w->ctx, t, s->out_type[0]->dtype);
    const char *x = sorted(s, s->at->top.axis, place, "GT", true), *y = fe_hlo_new(w);

    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.slice %s [", y, x);
    for (int i = 0; i < t->rank; i++)
        fe_hlo_put(w, "%s0:%lld", i ? ", " : "", (long long)s->out_type[0]->dims[i]);
    fe_hlo_put(w, "]");
    fe_hlo_put_signature(w, 1, &place, 1, s->out_type);
    s->out[0] = y;
    return true;
}

/* ---- indexing ---- */

static void
put_list(hlo_write *w, const char *name, ir_ints at)
{
    fe_hlo_put_list(w, name, at);
    fe_hlo_put(w, ", ");
}

/* Where a window leaves the array, StableHLO's gather moves it inside. */
bool
fe_hlo_write_gather(hlo_site *s)
{
    hlo_write *w = s->w;

    if (s->at->gather.mode != IR_MODE_CLIP)
        return fe_hlo_composite_of(s, false);
    s->out[0] = fe_hlo_new(w);
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = \"stablehlo.gather\"(%s, %s) <{dimension_numbers = #stablehlo.gather<",
               s->out[0], s->in[0], s->in[1]);
    put_list(w, "offset_dims", s->at->gather.offset_dims);
    put_list(w, "collapsed_slice_dims", s->at->gather.collapsed);
    put_list(w, "operand_batching_dims", s->at->gather.operand_batch);
    put_list(w, "start_indices_batching_dims", s->at->gather.indices_batch);
    put_list(w, "start_index_map", s->at->gather.index_map);
    fe_hlo_put(w, "index_vector_dim = %d>, slice_sizes = array<i64%s", s->in_type[1]->rank - 1,
               s->at->gather.sizes.n ? ": " : "");
    fe_hlo_put_ints(w, s->at->gather.sizes.n, s->at->gather.sizes.at);
    fe_hlo_put(w, ">}>");
    fe_hlo_put_signature(w, 2, s->in_type, 1, s->out_type);
    return true;
}

/* Where a window leaves the array, StableHLO's scatter leaves it out. */
bool
fe_hlo_write_scatter(hlo_site *s)
{
    hlo_write *w = s->w;

    if (s->at->scatter.mode != IR_MODE_FILL)
        return fe_hlo_composite_of(s, false);
    s->out[0] = fe_hlo_new(w);
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = \"stablehlo.scatter\"(", s->out[0]);
    fe_hlo_put_names(w, 3, s->in);
    fe_hlo_put(w, ") <{scatter_dimension_numbers = #stablehlo.scatter<");
    put_list(w, "update_window_dims", s->at->scatter.window_dims);
    put_list(w, "inserted_window_dims", s->at->scatter.inserted);
    put_list(w, "input_batching_dims", s->at->scatter.operand_batch);
    put_list(w, "scatter_indices_batching_dims", s->at->scatter.indices_batch);
    put_list(w, "scatter_dims_to_operand_dims", s->at->scatter.index_map);
    fe_hlo_put(w, "index_vector_dim = %d>, unique_indices = %s}> ", s->in_type[1]->rank - 1,
               s->at->scatter.unique ? "true" : "false");
    region_of(w, s->name, scalar(s, s->in_type[0]->dtype));
    fe_hlo_put_signature(w, 3, s->in_type, 1, s->out_type);
    return true;
}

/* y[.., i, .., k] = x[.., i stride + k dilation, ..], by a gather. */
bool
fe_hlo_write_windows(hlo_site *s)
{
    hlo_write *w = s->w;
    const ir_type *x = s->in_type[0], *y = s->out_type[0];
    const int64_t axis = s->at->windows.axis, grid[2] = { y->dims[axis], s->at->windows.size },
                  three[3] = { grid[0], grid[1], 1 };
    const ir_type *at = ir_type_new(w->ctx, COT_I64, 2, grid),
                  *vectors = ir_type_new(w->ctx, COT_I64, 3, three);
    const char *part[2];
    int64_t offset[COT_MAX_RANK];
    int n = 0;

    for (int k = 0; k < 2; k++) {
        const char *iota = fe_hlo_new(w);
        fe_hlo_indent(w);
        fe_hlo_put(w, "%s = stablehlo.iota dim = %d : %s\n", iota, k, fe_hlo_type_text(w, at));
        part[k] =
            both(w, "stablehlo.multiply", at, iota,
                 fe_hlo_number_int(w, at, k ? s->at->windows.dilation : s->at->windows.stride));
    }
    const char *place =
        fe_hlo_as(w, vectors, at, both(w, "stablehlo.add", at, part[0], part[1]));
    for (int i = 0; i < y->rank - 1; i++)
        if (i != axis)
            offset[n++] = i;
    s->out[0] = fe_hlo_new(w);
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = \"stablehlo.gather\"(%s, %s) <{dimension_numbers = #stablehlo.gather<",
               s->out[0], s->in[0], place);
    put_list(w, "offset_dims", (ir_ints){ n, offset });
    fe_hlo_put(w,
               "collapsed_slice_dims = [%lld], start_index_map = [%lld], index_vector_dim = "
               "2>, slice_sizes = array<i64: ",
               (long long)axis, (long long)axis);
    for (int i = 0; i < x->rank; i++)
        fe_hlo_put(w, "%s%lld", i ? ", " : "", (long long)(i == axis ? 1 : x->dims[i]));
    fe_hlo_put(w, ">}>");
    fe_hlo_put_signature(w, 2, (const ir_type *const[]){ x, vectors }, 1, s->out_type);
    return true;
}
