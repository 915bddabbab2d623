/* The one way to make a node: infer, check, fold, share; and the end of a graph, where what no
 * output needs is dropped and values are numbered in order.
 *
 * Sharing (common subexpressions): equal op, operands, attributes; ops without sub-functions
 * only.
 * Folding of constants is not optional (docs/numerics.md section 2); sharing can be switched
 * off. */
#include "ir/build.h"

#include <limits.h>

#include "ir/custom.h"
#include "ir/config.h"
#include "ir/limit.h"

void
ir_build_drop(ir_build *b)
{
    if (b->work)
        ir_arena_give(b->work);
    ir_arena_give(b->arena);
}

void
ir_graph_drop(ir_graph *f)
{
    if (f->chain == 0 && !f->ctx->follow)
        ir_arena_give(f->arena);
}

ir_build *
ir_build_new(cot_context *ctx, const char *name)
{
    ir_arena *a = ir_arena_take(ctx), *work = ir_arena_take(ctx);
    ir_build *b = IR_NEW(a, ir_build);
    b->ctx = ctx;
    b->arena = a;
    b->work = work;
    b->name = ir_copy_string(a, name ? name : "f");
    b->cse = !ctx->unfolded && !ir_config_lists(ctx->config.off, "cse");
    b->fold = !ctx->unfolded && !ir_config_lists(ctx->config.off, "fold");
    ir_map_init(&b->shared, work);
    ir_map_init(&b->named, work);
    IR_PUSH(work, b->node, b->n_nodes, b->cap_nodes, (ir_node){ 0 });
    IR_PUSH(work, b->value, b->n_values, b->cap_values, (ir_value){ 0 });
    b->follows = ctx->follow != NULL;
    IR_PUSH(work, b->value_loc, b->n_value_loc, b->cap_value_loc, 0);
    return b;
}

ir_build *
ir_build_like(const ir_graph *f, const char *name)
{
    ir_build *b = ir_build_new(f->ctx, name);
    ir_node *node = IR_NEW_N(b->work, ir_node, f->n_nodes + 1);
    ir_value *value = IR_NEW_N(b->work, ir_value, f->n_values + 1);

    node[0] = b->node[0];
    value[0] = b->value[0];
    b->node = node;
    b->value = value;
    b->cap_nodes = f->n_nodes + 1;
    b->cap_values = f->n_values + 1;
    return b;
}

static ir_ref
new_value(ir_build *b, const ir_type *type, uint32_t node)
{
    IR_PUSH(b->work, b->value, b->n_values, b->cap_values, ((ir_value){ type, node }));
    if (b->follows)
        IR_PUSH(b->work, b->value_loc, b->n_value_loc, b->cap_value_loc, b->loc);
    return b->n_values - 1;
}

/* The input of the name, counted from 1; 0: none has it. */
static uint32_t
input_named(const ir_build *b, const char *name, uint64_t hash)
{
    uint32_t at = 0, id;

    while ((id = ir_map_next(&b->named, hash, &at)))
        if (strcmp(b->in_name[id - 1], name) == 0)
            return id;
    return 0;
}

/* A name no input has yet, for input `at`; "" and NULL stay unnamed. */
static const char *
input_name(ir_build *b, const char *name, uint32_t at)
{
    if (!name || !*name)
        return NULL;
    const char *try = ir_copy_string(b->arena, name);
    uint64_t hash = ir_hash(0, try, strlen(try));
    const uint32_t first = input_named(b, try, hash);
    while (first && input_named(b, try, hash)) {
        try = ir_format(b->arena, "%s_%u", name, ++b->in_again[first - 1]);
        hash = ir_hash(0, try, strlen(try));
    }
    ir_map_add(&b->named, hash, at + 1);
    return try;
}

/* An unnamed input prints as `arg` and its number: where that is another's name, it has one of
 * its own. */
static void
name_hidden_by_names(ir_build *b)
{
    const uint32_t named = b->named.n;

    for (uint32_t i = 0; named > 0 && i < b->n_in; i++) {
        if (b->in_name[i])
            continue;
        const char *shown = ir_format(b->arena, "arg%u", i);
        if (input_named(b, shown, ir_hash(0, shown, strlen(shown))))
            b->in_name[i] = input_name(b, shown, i);
    }
}

ir_ref
ir_input(ir_build *b, const ir_type *type, const char *name)
{
    return ir_input_hidden(b, type, name, (ir_hidden){ IR_SEEN, NULL });
}

ir_ref
ir_input_hidden(ir_build *b, const ir_type *type, const char *name, ir_hidden hidden)
{
    if (!type) {
        if (b->status == COT_OK)
            b->status = b->ctx->status ? b->ctx->status : COT_ERR_INTERNAL;
        return IR_NONE;
    }
    ir_ref v = new_value(b, type, 0);
    name = input_name(b, name, b->n_in_name);
    IR_PUSH(b->work, b->in, b->n_in, b->cap_in, v);
    IR_PUSH(b->arena, b->in_name, b->n_in_name, b->cap_in_name, name);
    IR_PUSH(b->work, b->in_again, b->n_in_again, b->cap_in_again, 0);
    IR_PUSH(b->arena, b->hidden, b->n_hidden, b->cap_hidden, hidden);
    return v;
}

ir_ref
ir_input_like(ir_build *b, const ir_graph *f, ir_ref v, const char *prefix)
{
    ir_hidden hidden = { IR_SEEN, NULL };
    const char *name = NULL;
    b->uncontracted |= f->uncontracted;
    b->guarded |= f->guarded;
    b->contracted |= f->contracted;
    if (v >= 1 && v <= (ir_ref)f->n_in) {       /* inputs are the first values, in order */
        if (f->in_name && f->in_name[v - 1])
            name = ir_format(b->arena, "%s%s", prefix, f->in_name[v - 1]);
        if (!*prefix)
            hidden = f->hidden[v - 1];
    }
    const ir_loc loc = b->loc;
    b->loc = b->follows ? ir_value_loc(f, v) : loc;
    const ir_ref x = ir_input_hidden(b, f->value[v].type, name, hidden);
    b->loc = loc;
    return x;
}

void
ir_output_named(ir_build *b, ir_ref v, const char *name)
{
    if (!v && b->status == COT_OK)
        b->status = b->ctx->status ? b->ctx->status : COT_ERR_INTERNAL;
    IR_PUSH(b->work, b->out, b->n_out, b->cap_out, v);
    IR_PUSH(b->arena, b->out_name, b->n_out_name, b->cap_out_name,
            ir_copy_string(b->arena, name));
}

void
ir_output(ir_build *b, ir_ref v)
{
    ir_output_named(b, v, NULL);
}

void
ir_inout_arg(ir_build *b, int arg, ir_loc loc)
{
    IR_PUSH(b->arena, b->inout, b->n_inout, b->cap_inout, ((ir_inout){ arg, loc }));
}

bool
ir_is_mutable(const ir_build *b, ir_ref v)
{
    const ir_node *n = ir_bdef(b, v);
    while (n && ir_is_alias(n->op))
        n = ir_bdef(b, n->in[0]);
    return n && n->op == OP_clone;
}

const ir_node *
ir_made_by(const ir_build *b, ir_ref v, ir_op op)
{
    const ir_node *n = ir_bdef(b, v);

    if (!n || n->op != op)
        return NULL;
    for (int i = 0; i < n->n_in; i++)
        if (ir_is_mutable(b, n->in[i]))
            return NULL;
    return n;
}

/* Two clones are two values, and what a node reads of one depends on where it stands. */
static bool
depends_on_order(const ir_build *b, ir_op op, int n_in, const ir_ref *in)
{
    bool any = ir_is_mutation(op);
    for (int i = 0; i < n_in && !any; i++)
        any = ir_is_mutable(b, in[i]);
    return any;
}

cot_status
ir_build_fail(ir_build *b, const char *op, ir_error error, ...)
{
    va_list ap;

    if (b->status != COT_OK)
        return b->status;
    va_start(ap, error);
    b->status = ir_fail_v(b->ctx, b->loc, op, error, ap);
    va_end(ap);
    return b->status;
}

static uint64_t
node_hash(ir_op op, int n_in, const ir_ref *in, const ir_attrs *at)
{
    uint64_t h = ir_hash((uint64_t)op, in, sizeof(ir_ref) * (size_t)n_in);
    ir_record r = ir_ops[op].record;
    return r == IR_AT_none ? h : ir_hash_u64(h, ir_attrs_hash(r, at));
}

static const ir_node *
find_shared(ir_build *b, uint64_t hash, ir_op op, int n_in, const ir_ref *in,
            const ir_attrs *at)
{
    uint32_t cursor = 0, id;
    while ((id = ir_map_next(&b->shared, hash, &cursor))) {
        const ir_node *n = &b->node[id];
        if (n->op == op && n->n_in == n_in &&
            (n_in == 0 || memcmp(n->in, in, sizeof(ir_ref) * (size_t)n_in) == 0) &&
            ir_attrs_equal(ir_ops[op].record, n->at, at))
            return n;
    }
    return NULL;
}

static bool
operands_ready(ir_build *b, ir_op op, int n_in, const ir_ref *in)
{
    if (b->status != COT_OK)
        return false;
    if (ir_tick(b->ctx)) {
        const ir_here outer = b->ctx->here;
        b->ctx->here = (ir_here){ b->loc, ir_ops[op].name };
        b->status = ir_check(b->ctx);
        b->ctx->here = outer;
    }
    if (b->status != COT_OK)
        return false;
    if (ir_ops[op].n_in >= 0 && ir_ops[op].n_in != n_in) {
        ir_build_fail(b, ir_ops[op].name, ERR_operand_count, n_in, ir_ops[op].n_in);
        return false;
    }
    for (int i = 0; i < n_in; i++)
        if (!in[i]) {
            if (b->ctx->status == COT_OK)
                ir_build_fail(b, ir_ops[op].name, ERR_internal,
                              ir_format(b->arena, "operand %d was never made", i));
            else
                b->status = b->ctx->status;
            return false;
        }
    return true;
}

/* Is a node with sub-functions within the limit of their depth? */
static bool
nests_within(ir_build *b, ir_op op, const ir_attrs *at)
{
    const int nest = ir_nest(&(ir_node){ .op = (uint16_t)op, .at = at }, false, b->arena);

    if (nest > IR_MAX_NEST)
        ir_build_fail(b, ir_ops[op].name, ERR_nest, nest, IR_MAX_NEST);
    return nest <= IR_MAX_NEST;
}

/* v, which is there already, also stands for the node that was asked for. */
static void
note_merged(ir_build *b, ir_ref v)
{
    ir_loc *at = b->value[v].node ? &b->node[b->value[v].node].loc : &b->value_loc[v];

    *at = ir_loc_join(b->ctx, *at, b->loc);
}

static int
add_typed(ir_build *b, ir_op op, int n_in, const ir_ref *in, const ir_attrs *at, int n_out,
          const ir_type *const *type, bool ordered, ir_ref *out)
{
    bool share = !ordered && ir_ops[op].flag != IR_FLOW && (b->cse || op == OP_constant) &&
                 !ir_effectful(&(ir_node){ .op = (uint16_t)op, .at = at });
    uint64_t hash = share ? node_hash(op, n_in, in, at) : 0;
    const ir_node *old = share ? find_shared(b, hash, op, n_in, in, at) : NULL;
    if (old) {
        for (int i = 0; i < n_out; i++)
            out[i] = old->first + (ir_ref)i;
        if (b->follows)
            note_merged(b, old->first);
        return n_out;
    }
    ir_node n = {
        .op = (uint16_t)op,
        .n_in = n_in,
        .n_out = n_out,
        .loc = b->loc,
        .first = b->n_values,
        .in = ir_copy_bytes(b->arena, in, sizeof(ir_ref) * (size_t)n_in),
        .at = ir_attrs_keep(b->arena, ir_ops[op].record, at),
    };
    IR_PUSH(b->work, b->node, b->n_nodes, b->cap_nodes, n);
    for (int i = 0; i < n_out; i++)
        out[i] = new_value(b, type[i], b->n_nodes - 1);
    if (share)
        ir_map_add(&b->shared, hash, b->n_nodes - 1);
    return n_out;
}

int
ir_max_results(ir_op op, const ir_attrs *at)
{
    const int results = ir_ops[op].results;

    if (op == OP_custom_tangent)
        return ir_custom_tangents(at);
    if (results == IR_OF_BODY) {
        const ir_graph *body = ir_attrs_body(ir_ops[op].record, at);
        return body ? body->n_out : 0;
    }
    return results ? results : 1;
}

/* The number of branches that an index of this type can choose. */
static int
most_branches(cot_dtype index)
{
    switch (index) {
    case COT_BOOL: return 2;
    case COT_I8: return INT8_MAX + 1;
    case COT_U8: return UINT8_MAX + 1;
    case COT_I16: return INT16_MAX + 1;
    case COT_U16: return UINT16_MAX + 1;
    default: return INT_MAX;
    }
}

/* The operands of a cond, whose index has a type that holds the number of each branch: who
 * compares both does so in that type. */
static const ir_ref *
with_wide_index(ir_build *b, int n_in, const ir_ref *in, const ir_attrs *at)
{
    if (n_in < 1 || at->cond.branches.n <= most_branches(ir_btype(b, in[0])->dtype))
        return in;
    ir_ref *x = IR_NEW_N(b->work, ir_ref, n_in);
    memcpy(x, in, sizeof *x * (size_t)n_in);
    x[0] = ir_node1(b, OP_convert, 1, in, &(ir_attrs){ .dtype = { COT_I32 } });
    return x;
}

int
ir_add_node(ir_build *b, ir_op op, int n_in, const ir_ref *in, const ir_attrs *at, ir_ref *out)
{
    static const ir_attrs no_attrs;
    at = at ? at : &no_attrs;
    int cap = ir_max_results(op, at);
    for (int i = 0; i < cap; i++)
        out[i] = IR_NONE;
    if (!operands_ready(b, op, n_in, in))
        return cap;
    if (ir_ops[op].record == IR_AT_cond)
        in = with_wide_index(b, n_in, in, at);
    const ir_type *few[8], **type = few, *few_in[8], **in_type = few_in;
    if (cap > 8)
        type = IR_NEW_N(b->work, const ir_type *, cap);
    if (n_in > 8)
        in_type = IR_NEW_N(b->work, const ir_type *, n_in);
    for (int i = 0; i < n_in; i++)
        in_type[i] = b->value[in[i]].type;
    const ir_here outer = b->ctx->here;
    b->ctx->here = (ir_here){ b->loc, ir_ops[op].name };
    int n_out = ir_infer(b, op, n_in, in_type, at, type, cap);
    b->ctx->here = outer;
    if (n_out < 0) {
        if (b->status == COT_OK)
            b->status = b->ctx->status ? b->ctx->status : COT_ERR_INTERNAL;
        return cap;
    }
    if (!nests_within(b, op, at))
        return cap;
    const bool ordered = depends_on_order(b, op, n_in, in);
    if (op == OP_assign && !ir_is_mutable(b, in[0])) {
        ir_build_fail(b, "assign", ERR_assign_target);
        return cap;
    }
    if (op == OP_constant && ir_is_contracted(b))
        at = ir_constant_attrs(b->arena, at);
    if (n_out == 1 && !ordered && op != OP_constant && ir_folds(b, n_in, in, type[0])) {
        ir_ref same = ir_fold(b, op, n_in, in, at, type[0]);
        if (same) {
            out[0] = same;
            if (b->follows)
                note_merged(b, same);
            return 1;
        }
    }
    return add_typed(b, op, n_in, in, at, n_out, type, ordered, out);
}

ir_ref
ir_node1(ir_build *b, ir_op op, int n_in, const ir_ref *in, const ir_attrs *at)
{
    ir_ref out = IR_NONE;
    ir_add_node(b, op, n_in, in, at, &out);
    return out;
}

/* Mark the nodes that outputs, writes and effects need. */
static bool *
needed(const ir_build *b)
{
    bool *live = IR_NEW_N(b->work, bool, b->n_nodes);
    for (uint32_t i = 1; i < b->n_nodes; i++)
        live[i] = b->node[i].op == OP_assign;
    for (uint32_t i = 0; i < b->n_out; i++)
        live[b->value[b->out[i]].node] = true;
    for (uint32_t i = b->n_nodes - 1; i > 0; i--) {
        live[i] |= ir_effectful(&b->node[i]);
        for (int k = 0; live[i] && k < b->node[i].n_in; k++)
            live[b->value[b->node[i].in[k]].node] = true;
    }
    live[0] = false;
    return live;
}

static uint64_t
graph_hash(const ir_graph *f)
{
    uint64_t h = ir_hash_u64((uint64_t)f->n_in,
                             (uint64_t)f->n_out * 4 + f->guarded * 2 + f->uncontracted);
    for (uint32_t v = 1; v < f->n_values; v++) {
        const ir_type *t = f->value[v].type;
        h = ir_hash(h + (uint64_t)t->dtype, t->dims, sizeof(int64_t) * (size_t)t->rank);
    }
    ir_each_node(n, f)
        h = ir_hash_u64(h, node_hash((ir_op)n->op, n->n_in, n->in, n->at));
    return ir_hash(h, f->out, sizeof(ir_ref) * (size_t)f->n_out);
}

static uint32_t
count(const ir_build *b, const bool *live, uint32_t *values)
{
    uint32_t nodes = 1;

    *values = 1 + b->n_in;
    for (uint32_t i = 1; i < b->n_nodes; i++)
        if (live[i]) {
            nodes++;
            *values += (uint32_t)b->node[i].n_out;
        }
    return nodes;
}

/* Copy what is live into f, inputs first, values renumbered in order. */
static void
compact(ir_build *b, ir_graph *f, const bool *live)
{
    ir_ref *map = IR_NEW_N(b->work, ir_ref, b->n_values);
    uint32_t all;
    ir_node *node = IR_NEW_N(b->arena, ir_node, count(b, live, &all));
    ir_value *value = IR_NEW_N(b->arena, ir_value, all);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, b->n_in),
           *out = IR_NEW_N(b->arena, ir_ref, b->n_out);
    uint32_t values = 1, nodes = 1;
    for (uint32_t i = 0; i < b->n_in; i++) {
        map[b->in[i]] = in[i] = values;
        value[values++] = b->value[b->in[i]];
    }
    for (uint32_t i = 1; i < b->n_nodes; i++) {
        if (!live[i])
            continue;
        ir_node n = b->node[i];
        ir_ref *operand = (ir_ref *)n.in;
        for (int k = 0; k < n.n_in; k++)
            operand[k] = map[operand[k]];
        for (int k = 0; k < n.n_out; k++) {
            map[n.first + (ir_ref)k] = values + (ir_ref)k;
            value[values + (ir_ref)k] = (ir_value){ b->value[n.first + (ir_ref)k].type, nodes };
        }
        n.first = values;
        values += (uint32_t)n.n_out;
        node[nodes++] = n;
    }
    for (uint32_t i = 0; i < b->n_out; i++)
        out[i] = map[b->out[i]];
    f->n_nodes = nodes, f->n_values = values;
    f->node = node, f->value = value, f->in = in, f->out = out;
}

static bool
any_name(const char *const *name, uint32_t n)
{
    bool any = false;
    for (uint32_t i = 0; i < n; i++)
        any |= name[i] != NULL;
    return any;
}

/* A select through which derivatives go; what has none is not guarded. */
static bool
has_select(const ir_graph *f)
{
    ir_each_node (n, f)
        if (n->op == OP_select && ir_is_inexact(ir_type_at(f, n->first)->dtype))
            return true;
    return false;
}

static void
end_work(ir_build *b)
{
    ir_arena_give(b->work);
    b->work = NULL;
    b->node = NULL;
    b->value = NULL;
    b->in = b->out = NULL;
}

static const ir_loc *
input_locs(const ir_build *b)
{
    ir_loc *at = b->follows ? IR_NEW_N(b->arena, ir_loc, b->n_in + 1) : NULL;

    for (uint32_t i = 0; at && i < b->n_in; i++)
        at[i] = b->value_loc[b->in[i]];
    return at;
}

cot_status
ir_build_end(ir_build *b, ir_graph **out)
{
    *out = NULL;
    if (b->status != COT_OK)
        return b->status;
    COT_TRY(ir_check(b->ctx));
    name_hidden_by_names(b);
    ir_graph *f = IR_NEW(b->arena, ir_graph);
    f->ctx = b->ctx;
    f->arena = b->arena;
    f->name = b->name;
    f->n_in = (int)b->n_in;
    f->n_out = (int)b->n_out;
    f->in_name = b->in_name ? b->in_name : IR_NEW_N(b->arena, const char *, 1);
    f->hidden = b->hidden ? b->hidden : IR_NEW_N(b->arena, ir_hidden, 1);
    f->in_loc = input_locs(b);
    f->out_name = any_name(b->out_name, b->n_out) ? b->out_name : NULL;
    compact(b, f, needed(b));
    f->n_inout = (int)b->n_inout;
    f->inout = b->inout;
    f->uncontracted = b->uncontracted;
    f->contracted = b->contracted;
    ir_mark_kinds(f);
    f->guarded |= b->guarded && has_select(f);
    f->hash = graph_hash(f);
    ir_each_node(n, f)
        f->effectful |= ir_effectful(n);
    ir_arena_keep(b->arena);
    if (b->kept)
        ir_arena_keep(b->work);
    else
        end_work(b);
    *out = f;
    return COT_OK;
}
