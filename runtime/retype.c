/* A graph with floats of another type, node by node. */
#include "runtime/retype.h"

#include "ir/build.h"
#include "ir/diag.h"
#include "passes/engine.h"
#include "runtime/values.h"

static cot_dtype
retyped(cot_dtype t, cot_dtype to)
{
    if (to == COT_DTYPE_NONE || !ir_is_inexact(t))
        return t;
    return ir_is_complex(t) ? ir_complex_type(to) : to;
}

/* n numbers of type t as type `to`, of which a complex one has two. */
static void *
converted(ir_arena *a, cot_dtype t, cot_dtype to, const void *from, int64_t n)
{
    const cot_dtype part = ir_part_type(t), other = ir_part_type(to);
    const int64_t parts = ir_is_complex(t) ? 2 * n : n;
    void *x = ir_alloc(a, cot_dtype_size(other) * (size_t)(parts + 1));

    for (int64_t i = 0; i < parts; i++)
        rt_set_element(other, x, i, rt_element(part, from, i));
    return x;
}

static ir_ref
retype_constant(ir_build *b, const ir_data *d, cot_dtype to)
{
    const cot_dtype from = d->type->dtype;
    const ir_type *t = ir_type_as(b->ctx, d->type, retyped(from, to));
    ir_attrs at = { .constant = { *d } };

    if (t == d->type)
        return ir_node1(b, OP_constant, 0, NULL, &at);
    const void *x = converted(b->arena, from, t->dtype, d->bytes, d->splat ? 1 : t->size);
    if (!d->splat)
        return ir_constant(b, t, x);
    at.constant.data = ir_data_splat(b->arena, t, x);
    return ir_node1(b, OP_constant, 0, NULL, &at);
}

/* A bitcast of a float uses the bits that it has in f: it is rounded to that type first. */
static ir_ref
retype_bitcast(ir_build *b, const ir_graph *f, const ir_node *n, ir_ref x, cot_dtype to)
{
    ir_ref own = ir_convert(b, x, ir_type_at(f, n->in[0])->dtype);

    return ir_convert(b, ir_node1(b, OP_bitcast, 1, &own, n->at),
                      retyped(n->at->dtype.dtype, to));
}

static cot_status
retype_body(ir_graph *f, const void *to, ir_graph **out)
{
    return rt_retype(f, *(const cot_dtype *)to, false, out);
}

/* The attributes of n with the other types. */
static bool
retype_attrs(ir_build *b, const ir_node *n, cot_dtype to, ir_attrs *at)
{
    int fields;
    const ir_field *field = ir_record_fields(ir_ops[n->op].record, &fields);

    *at = ir_node_attrs(n);
    if (ir_runs_bodies(n->op))
        return pass_replace_subs(b, n, retype_body, &to, at) == COT_OK;
    for (int i = 0; i < fields; i++)
        if (field[i].kind == IR_F_DTYPE) {
            cot_dtype *t = (cot_dtype *)((char *)at + field[i].offset);
            *t = retyped(*t, to);
        }
    return true;
}

static cot_status
retype_node(ir_build *b, const ir_graph *f, const ir_node *n, cot_dtype to, ir_ref *env)
{
    ir_ref *in = IR_NEW_N(b->work, ir_ref, n->n_in + 1);
    ir_attrs at;

    for (int i = 0; i < n->n_in; i++)
        in[i] = env[n->in[i]];
    b->loc = n->loc;
    if (n->op == OP_constant)
        env[n->first] = retype_constant(b, &n->at->constant.data, to);
    else if (n->op == OP_convert &&
             retyped(n->at->dtype.dtype, to) == ir_btype(b, in[0])->dtype)
        env[n->first] = in[0];
    else if (n->op == OP_bitcast)
        env[n->first] = retype_bitcast(b, f, n, in[0], to);
    else if (retype_attrs(b, n, to, &at))
        ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, env + n->first);
    else
        return ir_fail(f->ctx, n->loc, ir_ops[n->op].name, ERR_usage,
                       ir_format(b->arena, "cannot be taken to %s", cot_dtype_name(to)));
    return b->status;
}

cot_status
rt_retype(const ir_graph *f, cot_dtype to, bool all, ir_graph **out)
{
    ir_build *b = ir_build_new(f->ctx, f->name);
    ir_ref *env = IR_NEW_N(b->work, ir_ref, f->n_values);

    b->cse &= !all;
    b->fold &= !all;
    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);

        env[f->in[i]] =
            ir_input(b, ir_type_as(f->ctx, t, retyped(t->dtype, to)), f->in_name[i]);
    }
    ir_each_node (n, f)
        if (b->status == COT_OK)
            b->status = retype_node(b, f, n, to, env);
    for (int i = 0; i < f->n_out; i++)
        ir_output(b, env[f->out[i]]);
    for (ir_ref v = 1; all && v < f->n_values; v++)
        ir_output(b, env[v]);
    return ir_build_end(b, out);
}

void **
rt_retype_inputs(const ir_graph *f, const ir_graph *g, void *const *in)
{
    void **out = IR_NEW_N(&f->ctx->arena, void *, f->n_in + 1);

    for (int i = 0; i < f->n_in; i++) {
        const ir_type *from = ir_type_at(f, f->in[i]), *to = ir_type_at(g, g->in[i]);

        out[i] = from == to
                     ? in[i]
                     : converted(&f->ctx->arena, from->dtype, to->dtype, in[i], from->size);
    }
    return out;
}
