/* Helpers of passes: arguments named by an option, begin and end of a pass, sub-functions. */
#include "passes/engine.h"

#include "ir/diag.h"
#include "passes/memo.h"

ir_loc
pass_output_loc(const ir_graph *f, int j)
{
    return ir_value_loc(f, f->out[j]);
}

ir_loc
pass_first_use(const ir_graph *f, ir_ref v)
{
    ir_each_node (n, f)
        for (int i = 0; i < n->n_in; i++)
            if (n->in[i] == v)
                return n->loc;
    return 0;
}

static const char *
text_of(const ir_graph *f, const char *what, int i, const char *const *name)
{
    return name && name[i] && *name[i] ? ir_format(f->arena, "%s %d (%s)", what, i, name[i])
                                       : ir_format(f->arena, "%s %d", what, i);
}

const char *
pass_argument_text(const ir_graph *f, int i)
{
    return text_of(f, "argument", i, f->in_name);
}

const char *
pass_output_text(const ir_graph *f, int j)
{
    return text_of(f, "output", j, f->out_name);
}

static cot_status
add_arg(const ir_graph *f, int k, const char *what, int *arg, int *n)
{
    const int seen = ir_count_seen(f), i = k < 0 ? k + seen : k;
    if (i < 0 || i >= f->n_in || f->hidden[i].kind != IR_SEEN)
        return ir_fail(f->ctx, 0, what, ERR_wrt_range, k, f->name, seen);
    if (!ir_is_floating(f, f->in[i]))
        return ir_fail(f->ctx, 0, what, ERR_wrt_dtype, pass_argument_text(f, i), f->name,
                       ir_type_str(f->ctx, ir_type_at(f, f->in[i])));
    for (int j = 0; j < *n; j++)
        if (arg[j] == i)
            return ir_fail(f->ctx, 0, what, ERR_wrt_twice, pass_argument_text(f, i));
    arg[(*n)++] = i;
    return COT_OK;
}

cot_status
pass_resolve(const ir_graph *f, const pass_wrt *wrt, bool all, const char *what, pass_args *out)
{
    const bool preset = !wrt || wrt->n == PASS_DEFAULT;
    const int limit = preset ? f->n_in : wrt->n;
    int *arg = IR_NEW_N(f->arena, int, limit + 1), n = 0;
    if (!preset && wrt->n == 0)
        return ir_fail(f->ctx, 0, what, ERR_wrt_empty);
    if (!preset)
        for (int i = 0; i < wrt->n; i++)
            COT_TRY(add_arg(f, wrt->arg[i], what, arg, &n));
    else if (!all)
        COT_TRY(add_arg(f, 0, what, arg, &n));
    else
        for (int i = 0; i < f->n_in; i++)
            if (ir_is_floating(f, f->in[i]) && f->hidden[i].kind == IR_SEEN)
                arg[n++] = i;
    if (n == 0)
        return ir_fail(f->ctx, 0, what, ERR_wrt_none, f->name);
    *out = (pass_args){ n, arg };
    return COT_OK;
}

cot_status
pass_check_aux(const ir_graph *f, int aux, const char *what)
{
    if (aux < 0 || aux > f->n_out)
        return ir_fail(f->ctx, 0, what, ERR_aux_range, aux, f->name, f->n_out);
    return COT_OK;
}

ir_build *
pass_begin(const ir_graph *f, const char *what)
{
    ir_build *b = ir_build_like(f, ir_format(f->arena, "%s.%s", f->name, what));
    b->uncontracted = f->uncontracted;
    b->guarded = f->guarded;
    b->contracted = f->contracted;
    return b;
}

cot_status
pass_end(ir_build *b, const char *what, ir_graph **out)
{
    COT_TRY(ir_build_end(b, out));
    return b->ctx->config.verify ? ir_verify(b->ctx, *out, what) : COT_OK;
}

void
pass_inputs(ir_build *b, const ir_graph *f, ir_ref *in)
{
    for (int i = 0; i < f->n_in; i++)
        in[i] = ir_input_like(b, f, f->in[i], "");
}

void
pass_output(ir_build *b, const ir_graph *f, int j, ir_ref v, const char *prefix)
{
    const char *name = f->out_name ? f->out_name[j] : NULL;
    ir_output_named(b, v, name ? ir_format(b->arena, "%s%s", prefix, name) : NULL);
}

cot_status
pass_rewrite_with(const ir_graph *f, const char *what, pass_visit_with *visit, const void *user,
                  ir_graph **out)
{
    ir_build *b = ir_build_like(f, f->name);
    ir_ref *env = IR_NEW_N(b->arena, ir_ref, f->n_values);
    b->uncontracted = f->uncontracted;
    b->guarded = f->guarded;
    b->contracted = f->contracted;
    for (int i = 0; i < f->n_in; i++)
        env[f->in[i]] = ir_input_like(b, f, f->in[i], "");
    for (uint32_t i = 1; i < f->n_nodes && b->status == COT_OK; i++) {
        const ir_node *n = &f->node[i];
        ir_ref *operand = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);
        for (int k = 0; k < n->n_in; k++)
            operand[k] = env[n->in[k]];
        b->loc = n->loc;
        visit(b, f, n, env, operand, env + n->first, user);
    }
    for (int j = 0; j < f->n_out; j++)
        pass_output(b, f, j, env[f->out[j]], "");
    return pass_end(b, what, out);
}

typedef struct plain {
    pass_visit *visit;
} plain;

static void
visit_plain(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env,
            const ir_ref *in, ir_ref *out, const void *user)
{
    ((const plain *)user)->visit(b, f, n, env, in, out);
}

cot_status
pass_rewrite(const ir_graph *f, const char *what, pass_visit *visit, ir_graph **out)
{
    return pass_rewrite_with(f, what, visit_plain, &(const plain){ visit }, out);
}

/* Entry j of the list of new sub-functions: that of an earlier entry for the same graph,
 * otherwise the result of the pass.  Branches that are one graph stay one graph, so nests of
 * them do not double at each level. */
static cot_status
replace_one(const ir_graphs *s, int j, pass_with *pass, const void *user, ir_graph **list)
{
    const int same = ir_same_branch(s, j);

    if (same >= 0) {
        list[j] = list[same];
        return COT_OK;
    }
    return pass(s->at[j], user, &list[j]);
}

cot_status
pass_replace_subs(ir_build *b, const ir_node *n, pass_with *pass, const void *user,
                  ir_attrs *at)
{
    int fields;
    const ir_field *field = ir_record_fields(ir_ops[n->op].record, &fields);
    *at = ir_node_attrs(n);
    for (int i = 0; i < fields; i++) {
        char *p = (char *)at + field[i].offset;
        if (field[i].kind == IR_F_GRAPH) {
            ir_graph **g = (ir_graph **)p;
            COT_TRY(pass(*g, user, g));
        } else if (field[i].kind == IR_F_GRAPHS) {
            ir_graphs *s = (ir_graphs *)p;
            ir_graph **list = IR_NEW_N(b->arena, ir_graph *, s->n);
            for (int j = 0; j < s->n; j++)
                COT_TRY(replace_one(s, j, pass, user, list));
            s->at = list;
        }
    }
    return COT_OK;
}

typedef struct simple { pass_simple *pass; } simple;

/* Runs the pass once for each sub-function. */
static cot_status
run_simple(ir_graph *f, const void *user, ir_graph **out)
{
    pass_simple *pass = ((const simple *)user)->pass;
    pass_made *m = pass_made_of(f, &(pass_key){ .pass = (pass_any *)pass });

    if (!m->graph)
        COT_TRY(pass(f, &m->graph));
    *out = m->graph;
    return COT_OK;
}

cot_status
pass_rewrite_subs(ir_build *b, const ir_node *n, pass_simple *pass, ir_attrs *at)
{
    return pass_replace_subs(b, n, run_simple, &(const simple){ pass }, at);
}

/* A value whose operands are being made: those before `next` are done. */
typedef struct pending_node {
    const ir_node *n;
    int next;
} pending_node;

/* Without recursion, since the operands of v may be as deep as the program is long. */
ir_ref
pass_make(ir_build *b, const ir_node *node, const ir_value *value, ir_ref v, ir_ref *made)
{
    pending_node *wait = NULL;
    uint32_t n_wait = 0, cap = 0;

    if (!made[v] && value[v].node)
        IR_PUSH(b->arena, wait, n_wait, cap, ((pending_node){ &node[value[v].node], 0 }));
    while (n_wait > 0 && b->status == COT_OK) {
        pending_node *m = &wait[n_wait - 1];
        const ir_ref x = m->next < m->n->n_in ? m->n->in[m->next++] : IR_NONE;

        if (x && !made[x] && value[x].node) {
            IR_PUSH(b->arena, wait, n_wait, cap, ((pending_node){ &node[value[x].node], 0 }));
        } else if (!x) {
            ir_copy_mapped(b, m->n, made);
            n_wait--;
        }
    }
    return made[v];
}

static cot_status
restricted(const ir_graph *f, const bool *keep_in, const bool *keep_out, ir_graph **out)
{
    ir_build *b = ir_build_like(f, f->name);
    ir_ref *map = IR_NEW_N(b->arena, ir_ref, f->n_values);
    bool *live = IR_NEW_N(b->arena, bool, f->n_nodes);
    for (int j = 0; j < f->n_out; j++)
        if (keep_out[j])
            live[f->value[f->out[j]].node] = true;
    for (uint32_t i = f->n_nodes - 1; i > 0; i--) {
        live[i] |= f->effectful && ir_effectful(&f->node[i]);
        for (int k = 0; live[i] && k < f->node[i].n_in; k++)
            live[f->value[f->node[i].in[k]].node] = true;
    }
    for (int i = 0; i < f->n_in; i++)
        if (keep_in[i])
            map[f->in[i]] = ir_input_like(b, f, f->in[i], "");
    ir_each_node (n, f)
        if (live[n - f->node])
            ir_copy_mapped(b, n, map);
    for (int j = 0; j < f->n_out; j++)
        if (keep_out[j])
            pass_output(b, f, j, map[f->out[j]], "");
    return ir_build_end(b, out);
}

static bool
all_of(const bool *flag, int n)
{
    int i = 0;

    while (i < n && flag[i])
        i++;
    return i == n;
}

cot_status
pass_restrict(const ir_graph *f, const bool *keep_in, const bool *keep_out, ir_graph **out)
{
    *out = (ir_graph *)f;
    if (all_of(keep_in, f->n_in) && all_of(keep_out, f->n_out))
        return COT_OK;
    pass_made *m = pass_made_of(
        f, &(pass_key){ .pass = (pass_any *)pass_restrict, .in = keep_in, .out = keep_out });
    if (!m->graph)
        COT_TRY(restricted(f, keep_in, keep_out, &m->graph));
    *out = m->graph;
    return COT_OK;
}
