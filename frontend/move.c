/* Public functions of the ops that move data, and of indexing at run time: options to
 * attributes. */
#include "frontend/trace.h"

#include "ir/diag.h"

/* y converted to the element type of the array that it is written into; an error where that
 * type cannot hold it. */
ir_ref
fe_convert_into(ir_build *b, const char *op, ir_ref y, cot_dtype to)
{
    if (!y)
        return IR_NONE;
    cot_dtype from = ir_btype(b, y)->dtype;
    if (fe_promote(to, from) == to)
        return ir_convert(b, y, to);
    ir_build_fail(b, op, ERR_promote_into, cot_dtype_name(from), cot_dtype_name(to));
    return IR_NONE;
}

/* ---- shapes ---- */

static ir_ref
broadcast_in_dim(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_move_options *o = options;
    const fe_named_list lists[] = { { "shape", o->shape }, { "dims", o->dims } };

    (void)n;
    if (!fe_lists(b, "broadcast_in_dim", 2, lists))
        return IR_NONE;
    ir_attrs a = { .broadcast = { fe_list(&o->shape), fe_list(&o->dims) } };
    return ir_node1(b, OP_broadcast_in_dim, 1, &x[0].ref, &a);
}

cot_value
cot_broadcast_in_dim_(cot_place at, cot_value x, const cot_move_options *o, size_t size)
{
    FE_OPTIONS(cot_move_options, opt, o, size);
    return fe_apply1(at, "broadcast_in_dim", broadcast_in_dim, x, &opt);
}

ir_ref
fe_rule_broadcast_to(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const cot_list *shape = o;

    (void)n;
    if (!fe_lists(b, "broadcast_to", 1, &(fe_named_list){ "shape", *shape }))
        return IR_NONE;
    return fe_broadcast_to(b, "broadcast_to", x[0].ref, shape->n, cot_list_entries(shape));
}

cot_value
cot_broadcast_to_(cot_place at, cot_value x, cot_list shape)
{
    return fe_apply1(at, "broadcast_to", fe_rule_broadcast_to, x, &shape);
}

/* One size may be -1: what is left of the elements. */
ir_ref
fe_rule_reshape(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const cot_list *shape = o;
    int64_t dims[COT_MAX_RANK], known = 1;
    int open = -1;

    (void)n;
    if (!x[0].ref || !fe_lists(b, "reshape", 1, &(fe_named_list){ "shape", *shape }))
        return IR_NONE;
    if (shape->n > COT_MAX_RANK) {
        ir_build_fail(b, "reshape", ERR_rank_limit, shape->n);
        return IR_NONE;
    }
    for (int k = 0; k < shape->n; k++) {
        dims[k] = cot_list_entries(shape)[k];
        if (dims[k] == -1 && open < 0)
            open = k;
        else if (dims[k] < 0 || __builtin_mul_overflow(known, dims[k], &known)) {
            ir_build_fail(b, "reshape", ERR_list_entry, "shape", k, (long long)dims[k],
                          "sizes of 0 or more, and at most one -1");
            return IR_NONE;
        }
    }
    int64_t size = ir_btype(b, x[0].ref)->size;
    if (open >= 0 && (known == 0 || size % known != 0)) {
        ir_build_fail(b, "reshape", ERR_element_count,
                      ir_type_str(b->ctx, ir_btype(b, x[0].ref)), (long long)size,
                      (long long)known);
        return IR_NONE;
    }
    if (open >= 0)
        dims[open] = size / known;
    return ir_reshape(b, x[0].ref, shape->n, dims);
}

cot_value
cot_reshape_(cot_place at, cot_value x, cot_list shape)
{
    return fe_apply1(at, "reshape", fe_rule_reshape, x, &shape);
}

ir_ref
fe_rule_transpose(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_move_options *o = options;
    int64_t perm[COT_MAX_RANK];

    (void)n;
    if (!x[0].ref)
        return IR_NONE;
    int rank = ir_btype(b, x[0].ref)->rank;
    if (!fe_ints(b, "transpose", "perm", o->perm, rank, 0, perm))
        return IR_NONE;
    for (int k = 0; k < rank; k++) {
        int axis = FE_AT(o->perm) ? fe_axis(b, "transpose", perm[k], rank) : rank - 1 - k;
        if (axis < 0)
            return IR_NONE;
        perm[k] = axis;
    }
    return ir_transpose(b, x[0].ref, perm);
}

cot_value
cot_transpose_(cot_place at, cot_value x, const cot_move_options *o, size_t size)
{
    FE_OPTIONS(cot_move_options, opt, o, size);
    return fe_apply1(at, "transpose", fe_rule_transpose, x, &opt);
}

/* ---- parts ---- */

static int64_t
within(int64_t at, int64_t size)
{
    at = at < 0 ? at + size : at;
    return at < 0 ? 0 : at > size ? size : at;
}

ir_ref
fe_rule_slice(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_move_options *o = options;
    int64_t start[COT_MAX_RANK], limit[COT_MAX_RANK], stride[COT_MAX_RANK];

    (void)n;
    if (!x[0].ref)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x[0].ref);
    if (!fe_ints(b, "slice", "start", o->start, t->rank, 0, start) ||
        !fe_ints(b, "slice", "limit", o->limit, t->rank, INT64_MAX, limit) ||
        !fe_ints(b, "slice", "stride", o->stride, t->rank, 1, stride))
        return IR_NONE;
    for (int k = 0; k < t->rank; k++) {
        start[k] = within(start[k], t->dims[k]);
        limit[k] = within(limit[k], t->dims[k]);
        limit[k] = limit[k] < start[k] ? start[k] : limit[k];
    }
    return ir_slice(b, x[0].ref, start, limit, stride);
}

cot_value
cot_slice_(cot_place at, cot_value x, const cot_move_options *o, size_t size)
{
    FE_OPTIONS(cot_move_options, opt, o, size);
    return fe_apply1(at, "slice", fe_rule_slice, x, &opt);
}

static ir_ref
pad(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_move_options *o = options;
    int64_t low[COT_MAX_RANK], high[COT_MAX_RANK], interior[COT_MAX_RANK];

    (void)n;
    if (!x[0].ref)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x[0].ref);
    if (!fe_ints(b, "pad", "low", o->low, t->rank, 0, low) ||
        !fe_ints(b, "pad", "high", o->high, t->rank, 0, high) ||
        !fe_ints(b, "pad", "interior", o->interior, t->rank, 0, interior))
        return IR_NONE;
    ir_ref value = x[1].kind == COT_IS_VALUE
                       ? fe_convert_into(b, "pad", x[1].ref, t->dtype)
                       : fe_number(b, "pad", &x[1], ir_scalar_type(b->ctx, t->dtype));
    return ir_pad(b, x[0].ref, value, low, high, interior);
}

cot_value
cot_pad_(cot_place at, cot_value x, cot_operand value, const cot_move_options *o, size_t size)
{
    FE_OPTIONS(cot_move_options, opt, o, size);
    return fe_apply(at, "pad", pad, 2, (const cot_operand[]){ cot_operand_value(x), value },
                    &opt);
}

ir_ref
fe_rule_reverse(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_move_options *o = options;
    int rank = x[0].ref ? ir_btype(b, x[0].ref)->rank : 0;
    ir_axes axes;

    (void)n;
    if (!fe_axes(b, "reverse", o->axes, rank, ir_axes_below(rank), &axes))
        return IR_NONE;
    return ir_reverse(b, x[0].ref, axes);
}

cot_value
cot_reverse_(cot_place at, cot_value x, const cot_move_options *o, size_t size)
{
    FE_OPTIONS(cot_move_options, opt, o, size);
    return fe_apply1(at, "reverse", fe_rule_reverse, x, &opt);
}

/* Parts promote to one element type; their shapes must agree off the axis. */
static ir_ref
concatenate(ir_build *b, const fe_arg *x, int n, const void *o)
{
    ir_ref *part = IR_NEW_N(b->arena, ir_ref, n + 1);
    cot_dtype to = n > 0 && x[0].ref ? ir_btype(b, x[0].ref)->dtype : COT_DTYPE_NONE;
    int axis = n > 0 && x[0].ref
                   ? fe_axis(b, "concatenate", *(const int *)o, ir_btype(b, x[0].ref)->rank)
                   : -1;

    if (axis < 0)
        return IR_NONE;
    for (int i = 0; i < n; i++) {
        if (!x[i].ref)
            return IR_NONE;
        cot_dtype t = ir_btype(b, x[i].ref)->dtype, both = fe_promote(to, t);
        if (both == COT_DTYPE_NONE) {
            ir_build_fail(b, "concatenate", ERR_promote, cot_dtype_name(to), cot_dtype_name(t));
            return IR_NONE;
        }
        to = both;
    }
    for (int i = 0; i < n; i++)
        part[i] = ir_convert(b, x[i].ref, to);
    return ir_concatenate(b, n, part, axis);
}

cot_value
cot_concatenate_(cot_place at, cot_values xs, int axis)
{
    fe_readable(&xs);
    return fe_apply_values(at, "concatenate", concatenate, xs, &axis);
}

/* ---- indexing at run time ---- */

static ir_ref
dynamic_slice(ir_build *b, const fe_arg *x, int n, const void *o)
{
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, n);
    ir_attrs a = { .sizes = { fe_list(o) } };

    if (!fe_lists(b, "dynamic_slice", 1, &(fe_named_list){ "sizes", *(const cot_list *)o }))
        return IR_NONE;
    for (int i = 0; i < n; i++)
        in[i] = x[i].ref;
    return ir_node1(b, OP_dynamic_slice, n, in, &a);
}

static ir_ref
dynamic_update_slice(ir_build *b, const fe_arg *x, int n, const void *o)
{
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, n);

    (void)o;
    if (!x[0].ref)
        return IR_NONE;
    for (int i = 0; i < n; i++)
        in[i] = x[i].ref;
    in[1] = fe_convert_into(b, "dynamic_update_slice", in[1], ir_btype(b, in[0])->dtype);
    return ir_node1(b, OP_dynamic_update_slice, n, in, NULL);
}

/* At most a value, an update and one start an axis. */
#define MAX_STARTS (COT_MAX_RANK + 2)

static int
gather_operands(cot_operand *all, int n, cot_values starts)
{
    int k = starts.n < COT_MAX_RANK ? starts.n : COT_MAX_RANK;

    for (int i = 0; i < k; i++)
        all[n + i] = cot_operand_value(FE_AT(starts)[i]);
    return n + k;
}

cot_value
cot_dynamic_slice_(cot_place at, cot_value x, cot_values starts, cot_list sizes)
{
    fe_readable(&starts);
    cot_operand all[MAX_STARTS] = { cot_operand_value(x) };
    return fe_apply(at, "dynamic_slice", dynamic_slice, gather_operands(all, 1, starts), all,
                    &sizes);
}

cot_value
cot_dynamic_update_slice_(cot_place at, cot_value x, cot_value y, cot_values starts)
{
    fe_readable(&starts);
    cot_operand all[MAX_STARTS] = { cot_operand_value(x), cot_operand_value(y) };
    return fe_apply(at, "dynamic_update_slice", dynamic_update_slice,
                    gather_operands(all, 2, starts), all, NULL);
}

static bool
index_lists(ir_build *b, const char *op, const cot_index_options *o)
{
    const fe_named_list lists[] = {
        { "offset_dims", o->offset_dims },     { "collapsed", o->collapsed },
        { "operand_batch", o->operand_batch }, { "indices_batch", o->indices_batch },
        { "index_map", o->index_map },         { "sizes", o->sizes },
    };

    return fe_lists(b, op, 6, lists);
}

static ir_ref
gather(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_index_options *o = options;
    ir_ref in[2] = { x[0].ref, x[1].ref };
    ir_attrs a = { .gather = { fe_list(&o->offset_dims), fe_list(&o->collapsed),
                               fe_list(&o->operand_batch), fe_list(&o->indices_batch),
                               fe_list(&o->index_map), fe_list(&o->sizes), (int)o->mode } };

    (void)n;
    return index_lists(b, "gather", o) ? ir_node1(b, OP_gather, 2, in, &a) : IR_NONE;
}

cot_value
cot_gather_(cot_place at, cot_value x, cot_value indices, const cot_index_options *o,
            size_t size)
{
    FE_OPTIONS(cot_index_options, opt, o, size);
    return fe_apply2(at, "gather", gather, x, indices, &opt);
}

typedef struct scatter_call {
    cot_scatter_kind kind;
    cot_index_options o;
} scatter_call;

static ir_ref
scatter(ir_build *b, const fe_arg *x, int n, const void *options)
{
    static const ir_op op[] = { OP_scatter, OP_scatter_add, OP_scatter_mul, OP_scatter_min,
                                OP_scatter_max };
    const scatter_call *c = options;
    const cot_index_options *o = &c->o;

    (void)n;
    if (!x[0].ref || !index_lists(b, ir_ops[op[c->kind]].name, o))
        return IR_NONE;
    ir_ref in[3] = { x[0].ref, x[1].ref,
                     fe_convert_into(b, "scatter", x[2].ref, ir_btype(b, x[0].ref)->dtype) };
    ir_attrs a = { .scatter = { fe_list(&o->offset_dims), fe_list(&o->collapsed),
                                fe_list(&o->operand_batch), fe_list(&o->indices_batch),
                                fe_list(&o->index_map), (int)o->mode, o->unique != 0 } };
    return ir_node1(b, op[c->kind], 3, in, &a);
}

cot_value
cot_scatter_(cot_place at, cot_scatter_kind kind, cot_value x, cot_value indices,
             cot_value updates, const cot_index_options *o, size_t size)
{
    scatter_call c = { .kind = kind };
    cot_operand in[3] = { cot_operand_value(x), cot_operand_value(indices),
                          cot_operand_value(updates) };

    fe_options(&c.o, sizeof c.o, o, size);
    return fe_apply(at, "scatter", scatter, 3, in, &c);
}
