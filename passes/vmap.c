/* Adds a batch axis.
 *
 * There is one bit for each value: mapped or not.  Inside, the mapped axis is always the first,
 * so that a rule is a few lines; `in` and `out` are transposes at the border.  In one walk in
 * order, a node without a mapped operand is copied, so that values that are the same for all
 * examples are computed once and not repeated; any other node goes to the rule named in
 * ops.def.  Nothing is inferred from a rank or a size.
 *
 * A collective over the axis by its name (rules/collective.c) always goes to its rule.
 *
 * With `chunk` c, the mapped function is the body of a scan over blocks of c examples, and the
 * remainder is a second, shorter call; c = 1 needs no rules.
 *
 * Wants: pure.  Gives: pure, with a batched op for each op of the function that depends on
 * mapped values.  Source: the batching rules of JAX; R. Frostig et al., Compiling machine
 * learning programs via high-level tracing, SysML 2018. */
#include "passes/engine.h"
#include "passes/memo.h"
#include "passes/rules/flow.h"

typedef struct vmap_walk {
    ir_build *b;
    const ir_graph *f;
    int64_t size;
    ir_ref *at;   /* by value of f: its new value */
    bool *mapped; /* by value of f: is its first axis the mapped one? */
} vmap_walk;

ir_ref
pass_map_operand(ir_build *b, ir_ref x, bool mapped, int64_t size)
{
    return mapped ? x : ir_broadcast_axis(b, x, 0, size);
}

static void
vmap_node(vmap_walk *w, const ir_node *n)
{
    ir_arena *a = w->b->arena;
    ir_ref *in = IR_NEW_N(a, ir_ref, n->n_in), *y = w->at + n->first;
    bool *mapped = IR_NEW_N(a, bool, n->n_in), *out = w->mapped + n->first, any = false;

    for (int i = 0; i < n->n_in; i++) {
        in[i] = w->at[n->in[i]];
        mapped[i] = w->mapped[n->in[i]];
        any |= mapped[i];
    }
    any = any || pass_axis_bound(w->f, n);
    w->b->loc = any ? ir_loc_derive(w->b->ctx, n->loc, "in vmap") : n->loc;
    if (!any) {
        ir_copy_node(w->b, n, in, y);
        return;
    }
    for (int i = 0; i < n->n_out; i++)
        out[i] = true;
    vmap_rules[n->op](w->b, w->f, n, w->size, in, mapped, y, out);
}

/* f on `in`, for all examples, built in place. */
static void
vmap_inline(ir_build *b, const ir_graph *f, int64_t size, const ir_ref *in,
            const bool *in_mapped, ir_ref *out, bool *out_mapped)
{
    vmap_walk w = { b, f, size, IR_NEW_N(b->arena, ir_ref, f->n_values),
                    IR_NEW_N(b->arena, bool, f->n_values) };
    ir_loc loc = b->loc;

    for (int i = 0; i < f->n_in; i++) {
        w.at[f->in[i]] = in[i];
        w.mapped[f->in[i]] = in_mapped[i];
    }
    ir_each_node (n, f)
        vmap_node(&w, n);
    b->loc = loc;
    for (int i = 0; i < f->n_out; i++) {
        out[i] = w.at[f->out[i]];
        out_mapped[i] = w.mapped[f->out[i]];
    }
}

static const char *
mapped_name(ir_build *b, const ir_graph *f)
{
    return ir_format(b->arena, "%s.vmap", f->name ? f->name : "f");
}

static cot_status
mapped_graph(const ir_graph *f, int64_t size, const bool *in_mapped, bool *out_mapped,
             ir_graph **out)
{
    ir_build *b = ir_build_like(f, f->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, f->n_in), *y = IR_NEW_N(b->arena, ir_ref, f->n_out);
    bool *is = IR_NEW_N(b->arena, bool, f->n_out);

    b->name = mapped_name(b, f);
    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);

        if (in_mapped[i])
            t = ir_type_open(f->ctx, t, 0, size);
        b->loc = ir_value_loc(f, f->in[i]);
        in[i] = ir_input(b, t, f->in_name ? f->in_name[i] : NULL);
    }
    vmap_inline(b, f, size, in, in_mapped, y, is);
    for (int i = 0; i < f->n_out; i++) {
        b->loc = pass_output_loc(f, i);
        if (out_mapped[i])
            y[i] = pass_map_operand(b, y[i], is[i], size);
        out_mapped[i] |= is[i];
        ir_output_named(b, y[i], f->out_name ? f->out_name[i] : NULL);
    }
    return ir_build_end(b, out);
}

cot_status
pass_vmap_graph(const ir_graph *f, int64_t size, const bool *in_mapped, bool *out_mapped,
                ir_graph **out)
{
    pass_made *m = pass_made_of(f, &(pass_key){ .pass = (pass_any *)pass_vmap_graph,
                                                .in = in_mapped,
                                                .out = out_mapped,
                                                .size = size,
                                                .option = f->ctx->randomness });

    if (!m->graph) {
        memcpy(m->out, out_mapped, sizeof *out_mapped * (size_t)f->n_out);
        COT_TRY(mapped_graph(f, size, in_mapped, m->out, &m->graph));
        pass_made_wanted(f, m);
    }
    memcpy(out_mapped, m->out, sizeof *out_mapped * (size_t)f->n_out);
    *out = m->graph;
    return COT_OK;
}

/* The border: options are checked against the function, and axes are counted from the front. */

static cot_status
vmap_wrong(cot_context *ctx, const pass_vmap_options *o, ir_error error, const char *text)
{
    return ir_fail(ctx, o->loc, o->who ? o->who : "vmap", error, text);
}

/* Entry i of dims. */
static int64_t
dims_entry(const pass_dims *d, int i)
{
    return d->one ? d->at[0] : d->n > 0 ? d->at[i] : 0;
}

/* "argument 1 (layer.weight)". */
static const char *
thing(ir_arena *a, const char *what, int i, const char *const *name)
{
    return name && name[i] ? ir_format(a, "%s %d (%s)", what, i, name[i])
                           : ir_format(a, "%s %d", what, i);
}

/* Axes and types side by side: "in is [0,none] for the arguments (f32[3], w: f32[3])". */
static const char *
dims_and_types(cot_context *ctx, ir_arena *a, const char *what, const pass_dims *d, int n,
               const ir_type *const *type, const char *const *name, const char *things)
{
    ir_buf t;

    ir_buf_init(&t, a);
    ir_buf_printf(&t, "%s is [", what);
    for (int i = 0; i < d->n; i++) {
        ir_buf_str(&t, i ? "," : "");
        if (d->at[i] == PASS_NO_AXIS)
            ir_buf_str(&t, "none");
        else
            ir_buf_printf(&t, "%lld", (long long)d->at[i]);
    }
    ir_buf_printf(&t, "] for the %s (", things);
    for (int i = 0; i < n; i++)
        ir_buf_printf(&t, "%s%s%s%s", i ? ", " : "", name && name[i] ? name[i] : "",
                      name && name[i] ? ": " : "", ir_type_str(ctx, type[i]));
    ir_buf_str(&t, "); wants one entry for each");
    return t.text;
}

static cot_status
dims_fit(cot_context *ctx, ir_arena *a, const pass_vmap_options *o, const char *what,
         const pass_dims *d, int n, const ir_type *const *type, const char *const *name,
         const char *things)
{
    if (d->one || d->n <= 0 || d->n == n)
        return COT_OK;
    return vmap_wrong(ctx, o, ERR_attr_wrong,
                      dims_and_types(ctx, a, what, d, n, type, name, things));
}

/* axis, counted from the front, in a type of `rank` axes including the mapped one; -1: out of
 * range. */
static int
axis_of(int64_t axis, int rank)
{
    axis += axis < 0 ? rank : 0;
    return axis < 0 || axis >= rank ? -1 : (int)axis;
}

static cot_status
axis_wrong(cot_context *ctx, ir_arena *a, const pass_vmap_options *o, const char *what,
           int64_t axis, int rank)
{
    if (rank == 0)
        return vmap_wrong(ctx, o, ERR_shape_wrong,
                          ir_format(a, "%s has rank 0, so that it has no axis %lld; wants none",
                                    what, (long long)axis));
    return vmap_wrong(ctx, o, ERR_shape_wrong,
                      ir_format(a,
                                "axis %lld of %s is out of range; wants %d to %d for rank %d",
                                (long long)axis, what, -rank, rank - 1, rank));
}

static cot_status
options_fit(cot_context *ctx, ir_arena *a, const pass_vmap_options *o, int n_in,
            const ir_type *const *in)
{
    if (o->randomness < PASS_RANDOM_ERROR || o->randomness > PASS_RANDOM_SAME)
        return vmap_wrong(
            ctx, o, ERR_attr_wrong,
            ir_format(a, "randomness is %d; wants error, different or same", o->randomness));
    if (pass_over_wrong(a, o))
        return vmap_wrong(ctx, o, ERR_attr_wrong, pass_over_wrong(a, o));
    return dims_fit(ctx, a, o, "in", &o->in, n_in, in, o->in_name, "arguments");
}

static const ir_type **
types_of(const ir_graph *f, ir_arena *a, int n, const ir_ref *v)
{
    const ir_type **type = IR_NEW_N(a, const ir_type *, n + 1);

    for (int i = 0; i < n; i++)
        type[i] = ir_type_at(f, v[i]);
    return type;
}

/* The mapped size of every argument, for a message. */
static const char *
sizes_text(ir_arena *a, int n, const bool *mapped, const int64_t *size, const char *const *name)
{
    ir_buf t;
    const char *comma = "";

    ir_buf_init(&t, a);
    for (int i = 0; i < n; i++) {
        if (!mapped[i])
            continue;
        ir_buf_printf(&t, "%s%lld (%s)", comma, (long long)size[i],
                      thing(a, "argument", i, name));
        comma = ", ";
    }
    return t.text;
}

static cot_status
one_size(cot_context *ctx, ir_arena *a, int n, const bool *mapped,
         const int64_t *size, pass_vmap_options *o)
{
    bool set = o->size > 0 || o->sized;
    int64_t want = o->size;

    for (int i = 0; i < n; i++) {
        if (!mapped[i])
            continue;
        if (set && size[i] != want)
            return vmap_wrong(
                ctx, o, ERR_shape_wrong,
                ir_format(a, "mapped axes have sizes %s%s; wants one size",
                          sizes_text(a, n, mapped, size, o->in_name),
                          o->size > 0 ? ir_format(a, ", and size is %lld", (long long)o->size)
                                      : ""));
        want = size[i];
        set = true;
    }
    if (!set)
        return vmap_wrong(ctx, o, ERR_attr_wrong,
                          n == 0 ? "the function has no arguments; wants at least one, or size"
                                 : "in maps no argument; wants at least one, or size");
    o->size = want;
    o->sized = true;
    return COT_OK;
}

cot_status
pass_vmap_example(cot_context *ctx, ir_loc loc, int n_in, const ir_type *const *in,
                  pass_vmap_options *o, const ir_type **example)
{
    ir_arena *a = &ctx->arena;
    bool *mapped = IR_NEW_N(a, bool, n_in);
    int64_t *size = IR_NEW_N(a, int64_t, n_in);

    o->loc = loc ? loc : o->loc;
    COT_TRY(options_fit(ctx, a, o, n_in, in));
    for (int i = 0; i < n_in; i++) {
        int64_t axis = dims_entry(&o->in, i);
        int k;

        example[i] = in[i];
        if (axis == PASS_NO_AXIS)
            continue;
        k = axis_of(axis, in[i]->rank);
        if (k < 0)
            return axis_wrong(ctx, a, o, thing(a, "argument", i, o->in_name), axis,
                              in[i]->rank);
        mapped[i] = true;
        size[i] = in[i]->dims[k];
        example[i] = ir_type_close(ctx, in[i], k);
    }
    return one_size(ctx, a, n_in, mapped, size, o);
}

typedef struct vmap_border {
    int *in, *out; /* the position of the mapped axis; -1: not mapped */
    ir_ref *x;     /* arguments, with the mapped axis first */
    bool *mapped;
} vmap_border;

/* A hidden input is the same for all examples, except for the generator's key if each example
 * draws its own numbers: then example i has the key folded with i.  Everything else follows, as
 * the key is mapped.  Chunks slice the keys, so that they do not change any number. */
static ir_ref
border_hidden(ir_build *b, const ir_graph *f, const pass_vmap_options *o, int i, bool *mapped)
{
    ir_ref x = ir_input_like(b, f, f->in[i], "");

    if (f->hidden[i].kind != IR_HIDDEN_KEY || o->randomness == PASS_RANDOM_SAME)
        return x;
    if (o->randomness == PASS_RANDOM_ERROR) {
        b->status = ir_fail(f->ctx, pass_first_use(f, f->in[i]), "vmap", ERR_random_mode);
        return IR_NONE;
    }
    *mapped = true;
    return ir_fold_in(b, x, ir_iota(b, COT_U64, 1, &o->size, 0));
}

/* The arguments of the new function. */
static void
border_in(ir_build *b, const ir_graph *f, const pass_vmap_options *o, vmap_border *e)
{
    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);
        const char *name = f->in_name ? f->in_name[i] : NULL;
        const bool hidden = f->hidden[i].kind != IR_SEEN;
        const int64_t axis = hidden ? PASS_NO_AXIS : dims_entry(&o->in, i);
        b->loc = ir_value_loc(f, f->in[i]);
        e->in[i] = axis == PASS_NO_AXIS ? -1 : axis_of(axis, t->rank + 1);
        if (hidden) {
            e->x[i] = border_hidden(b, f, o, i, &e->mapped[i]);
        } else if (axis == PASS_NO_AXIS) {
            e->x[i] = ir_input(b, t, name);
        } else if (e->in[i] < 0) {
            b->status =
                axis_wrong(f->ctx, b->arena, o, thing(b->arena, "argument", i, o->in_name),
                           axis, t->rank + 1);
        } else {
            e->mapped[i] = true;
            e->x[i] = ir_input(b, ir_type_open(f->ctx, t, e->in[i], o->size), name);
            e->x[i] = ir_move_axis(b, e->x[i], e->in[i], 0);
        }
        if (b->status != COT_OK)
            return;
    }
}

/* Adds result i of the new function. */
static void
border_out(ir_build *b, const ir_graph *f, const pass_vmap_options *o, int i, ir_ref y,
           bool mapped)
{
    int64_t axis = dims_entry(&o->out, i);
    int rank = ir_type_at(f, f->out[i])->rank + 1,
        k = axis == PASS_NO_AXIS ? 0 : axis_of(axis, rank);

    if (k < 0) {
        b->status = axis_wrong(f->ctx, b->arena, o, thing(b->arena, "result", i, f->out_name),
                               axis, rank);
        return;
    }
    if (axis == PASS_NO_AXIS && mapped && i >= f->n_out - f->n_inout) {
        const ir_inout *x = &f->inout[i - (f->n_out - f->n_inout)];
        const ir_type *t = ir_type_at(f, f->in[x->arg]);
        b->status = ir_fail(f->ctx, x->loc ? x->loc : b->loc, "assign", ERR_assign_unmapped,
                            x->arg, ir_type_str(f->ctx, t), ir_type_str(f->ctx, t),
                            ir_type_str(f->ctx, ir_btype(b, y)));
        return;
    }
    if (axis == PASS_NO_AXIS && mapped) {
        b->status = vmap_wrong(f->ctx, o, ERR_attr_wrong,
                               ir_format(b->arena,
                                         "%s depends on mapped arguments, and out is none; "
                                         "wants an axis",
                                         thing(b->arena, "result", i, f->out_name)));
        return;
    }
    if (axis != PASS_NO_AXIS)
        y = mapped ? ir_move_axis(b, y, 0, k) : ir_broadcast_axis(b, y, k, o->size);
    ir_output_named(b, y, f->out_name ? f->out_name[i] : NULL);
}

/* Chunks: a scan over whole blocks, then the remainder. */

static ir_ref
rows(ir_build *b, ir_ref x, int64_t from, int64_t to)
{
    return ir_slice_axis(b, x, 0, from, to);
}

/* The first axis of x in blocks of c: [n c, ...] becomes [n, c, ...], and back if c is 0. */
static ir_ref
blocked(ir_build *b, ir_ref x, int64_t n, int64_t c)
{
    int64_t dims[COT_MAX_RANK + 1];
    const ir_type *t = x ? ir_btype(b, x) : NULL;
    int k = 0;

    if (!x)
        return IR_NONE;
    dims[k++] = c ? n : t->dims[0] * t->dims[1];
    if (c)
        dims[k++] = c;
    for (int i = c ? 1 : 2; i < t->rank; i++)
        dims[k++] = t->dims[i];
    return ir_reshape(b, x, k, dims);
}

/* n blocks of c examples: a scan whose body is f mapped over c, or f itself if c is 1. */
static void
vmap_blocks(ir_build *b, const ir_graph *f, int64_t n, int64_t c, const ir_ref *x,
            const bool *mapped, ir_ref *y, bool *out_mapped)
{
    int consts = 0, at = 0;
    flow_port *port = IR_NEW_N(b->arena, flow_port, f->n_in);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, f->n_in);
    ir_graph *body = NULL;

    for (int i = 0; i < f->n_in; i++)
        if (!mapped[i]) {
            in[at] = x[i];
            port[at++] = (flow_port){ i, NULL };
        }
    consts = at;
    for (int i = 0; i < f->n_in; i++)
        if (mapped[i]) {
            ir_ref part = rows(b, x[i], 0, n * c);

            in[at] = c == 1 ? part : blocked(b, part, n, c);
            port[at++] = (flow_port){ i, NULL };
        }
    if (c == 1) {
        pass_depends(b->arena, f, mapped, out_mapped);
        body = (ir_graph *)f;
    } else if (!pass_flow_ok(b, pass_vmap_graph(f, c, mapped, out_mapped, &body))) {
        return;
    }
    body = pass_flow_permute(b, body, f->n_in, port, body->n_out, NULL);
    ir_attrs at_scan = { .scan = {
                             .consts = consts, .carries = 0, .length = n, .body = body } };
    ir_add_node(b, OP_scan, f->n_in, in, &at_scan, y);
    for (int i = 0; i < f->n_out; i++) {
        if (!out_mapped[i])
            y[i] = y[i] ? ir_reshape(b, rows(b, y[i], 0, 1), ir_btype(b, y[i])->rank - 1,
                                     ir_btype(b, y[i])->dims + 1)
                        : IR_NONE;
        else if (c != 1)
            y[i] = blocked(b, y[i], n, 0);
    }
}

/* One map of all examples, whose sums and products are joined as those of a scan are: only with
 * each other. */
static void
vmap_rounded(ir_build *b, const ir_graph *f, int64_t size, const ir_ref *x, const bool *mapped,
             ir_ref *y, bool *out_mapped)
{
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, f->n_in + 1);

    for (int i = 0; i < f->n_in; i++)
        in[i] = ir_rounded(b, x[i]);
    vmap_inline(b, f, size, in, mapped, y, out_mapped);
    for (int i = 0; i < f->n_out; i++)
        y[i] = ir_rounded(b, y[i]);
}

static void
vmap_chunked(ir_build *b, const ir_graph *f, int64_t size, int64_t c, const ir_ref *x,
             const bool *mapped, ir_ref *y, bool *out_mapped)
{
    const int64_t done = size / c * c, rest = size - done;
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, f->n_in),
           *tail = IR_NEW_N(b->arena, ir_ref, f->n_out);
    bool *is = IR_NEW_N(b->arena, bool, f->n_out);

    vmap_blocks(b, f, size / c, c, x, mapped, y, out_mapped);
    if (rest == 0 || b->status != COT_OK)
        return;
    for (int i = 0; i < f->n_in; i++)
        in[i] = mapped[i] ? rows(b, x[i], done, size) : x[i];
    vmap_rounded(b, f, rest, in, mapped, tail, is);
    for (int i = 0; i < f->n_out; i++)
        if (out_mapped[i])
            y[i] = ir_concatenate(
                b, 2, (ir_ref[]){ y[i], pass_map_operand(b, tail[i], is[i], rest) }, 0);
}

void
pass_vmap_into(ir_build *b, const ir_graph *f, int64_t size, int64_t chunk, const ir_ref *x,
               const bool *mapped, ir_ref *y, bool *out_mapped)
{
    bool any = false;

    for (int i = 0; i < f->n_in; i++)
        any |= mapped[i];
    if (any && chunk > 0 && size > 0 && (chunk < size || chunk == 1))
        vmap_chunked(b, f, size, chunk, x, mapped, y, out_mapped);
    else if (chunk > 0)
        vmap_rounded(b, f, size, x, mapped, y, out_mapped);
    else
        vmap_inline(b, f, size, x, mapped, y, out_mapped);
}

/* f for one example, with collectives over this axis marked. */
static cot_status
name_axis(const ir_graph *f, const pass_vmap_options *o, const ir_graph **out)
{
    const bool parts = o->chunk == 1 || (o->chunk > 0 && o->chunk < o->size);
    const ir_node *n =
        o->axis_name && parts && o->size > 0 ? pass_axis_find(f, o->axis_name) : NULL;

    if (n)
        return ir_fail(f->ctx, n->loc, ir_ops[n->op].name, ERR_axis_chunk, (long long)o->size,
                       o->axis_name, (long long)o->chunk);
    return pass_axis_bind(f, o->axis_name, out);
}

/* Does the list cover every input, including hidden ones, to which it gives no axis? */
static bool
names_hidden(const ir_graph *f, const pass_dims *d)
{
    for (int i = 0; i < f->n_in && !d->one && d->n == f->n_in; i++)
        if (f->hidden[i].kind != IR_SEEN && d->at[i] != PASS_NO_AXIS)
            return false;
    return d->n == f->n_in;
}

/* The axes of vmap's results: a result for an in/out argument has the axis of its argument. */
static pass_dims
inout_dims(const ir_graph *f, const pass_vmap_options *o)
{
    const int own = f->n_out - f->n_inout;
    int64_t *at = IR_NEW_N(f->arena, int64_t, f->n_out + 1);
    for (int j = 0; j < own; j++)
        at[j] = o->out.one ? o->out.at[0] : o->out.n > 0 ? o->out.at[j] : 0;
    for (int k = 0; k < f->n_inout; k++)
        at[own + k] = o->in.one ? o->in.at[0] : o->in.n > 0 ? o->in.at[f->inout[k].arg] : 0;
    return (pass_dims){ f->n_out, at, false };
}

cot_status
pass_vmap(const ir_graph *f, const pass_vmap_options *o, ir_graph **out)
{
    const ir_graph *named = f;
    static const pass_vmap_options none;
    ir_build *b = ir_build_like(f, f->name);
    ir_arena *a = b->arena;
    vmap_border e = { IR_NEW_N(a, int, f->n_in), NULL, IR_NEW_N(a, ir_ref, f->n_in),
                      IR_NEW_N(a, bool, f->n_in) };
    ir_ref *y = IR_NEW_N(a, ir_ref, f->n_out);
    bool *is = IR_NEW_N(a, bool, f->n_out);

    *out = NULL;
    o = o ? o : &none;
    b->name = mapped_name(b, f);
    const int n = names_hidden(f, &o->in) ? f->n_in : ir_count_seen(f);
    COT_TRY(options_fit(f->ctx, a, o, n, types_of(f, a, n, f->in)));
    COT_TRY(dims_fit(f->ctx, a, o, "out", &o->out, f->n_out - f->n_inout,
                     types_of(f, a, f->n_out - f->n_inout, f->out), f->out_name, "results"));
    pass_vmap_options all = *o;
    if (f->n_inout > 0)
        all.out = inout_dims(f, o);
    o = &all;
    COT_TRY(name_axis(f, o, &named));
    border_in(b, f, o, &e); /* axes that are wrong come before a size that is not there */
    if (b->status == COT_OK && o->size <= 0 && (o->size < 0 || !o->sized))
        return vmap_wrong(f->ctx, o, ERR_attr_wrong,
                          "no size is given; wants that of the mapped axis: vmap(size=8)");
    const int around = f->ctx->randomness;
    f->ctx->randomness = o->randomness;
    if (b->status == COT_OK && o->over) {
        f->ctx->spread_axis = (int)pass_spread_axes(f);
        pass_vmap_groups(b, named, o->size, e.x, e.mapped, y, is);
    } else if (b->status == COT_OK)
        pass_vmap_into(b, named, o->size, o->chunk, e.x, e.mapped, y, is);
    f->ctx->randomness = around;
    for (int i = 0; b->status == COT_OK && i < f->n_out; i++) {
        b->loc = pass_output_loc(f, i);
        border_out(b, f, o, i, y[i], is[i]);
    }
    return ir_build_end(b, out);
}
