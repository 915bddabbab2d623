/* Splits a function into a known half and the rest.
 *
 * pass_split is partial evaluation: a node whose operands are all known goes to the known half,
 * and any other to the rest, which receives the known values that it needs as residuals.  An op
 * with sub-functions that has operands of both kinds is split by its own rule into one node in
 * each half. residuals.c decides what is saved and what is recomputed. */
#include "passes/engine.h"
#include "passes/memo.h"

struct pass_splitter {
    const ir_graph *f;
    ir_build *kb, *rb;
    ir_ref *kval, *rval; /* by value of f; one of both is set */
    ir_ref *counterpart; /* by value of kb: its value in rb, if it is a residual */
    uint32_t n_counterpart;
    ir_ref *res; /* values of kb that are residuals, in order  */
    uint32_t n_res, cap_res;
};

ir_ref
pass_residual(pass_splitter *s, ir_ref v)
{
    if (!v)
        return IR_NONE;
    if (v >= s->n_counterpart) {
        ir_ref *wider = IR_NEW_N(s->rb->arena, ir_ref, 2 * s->kb->n_values);
        if (s->n_counterpart)
            memcpy(wider, s->counterpart, sizeof(ir_ref) * s->n_counterpart);
        s->counterpart = wider;
        s->n_counterpart = 2 * s->kb->n_values;
    }
    if (!s->counterpart[v]) {
        const ir_loc loc = s->rb->loc;
        s->rb->loc = ir_build_loc(s->kb, v);
        s->counterpart[v] = ir_input(s->rb, ir_btype(s->kb, v), NULL);
        s->rb->loc = loc;
        IR_PUSH(s->rb->arena, s->res, s->n_res, s->cap_res, v);
    }
    return s->counterpart[v];
}

static ir_ref
in_rest(pass_splitter *s, ir_ref v)
{
    return s->rval[v] ? s->rval[v] : pass_residual(s, s->kval[v]);
}

/* A cond with an unknown predicate goes to the rest as a whole. */
static split_rule *
split_rule_of(const pass_splitter *s, const ir_node *n)
{
    return n->op == OP_cond && !s->kval[n->in[0]] ? NULL : split_rules[n->op];
}

static void
split_mixed(pass_splitter *s, const ir_node *n, split_rule *rule)
{
    ir_arena *a = s->kb->arena;
    bool *known = IR_NEW_N(a, bool, n->n_in + 1);
    ir_ref *kin = IR_NEW_N(a, ir_ref, n->n_in + 1), *rin = IR_NEW_N(a, ir_ref, n->n_in + 1);
    for (int i = 0; i < n->n_in; i++) {
        kin[i] = s->kval[n->in[i]];
        rin[i] = s->rval[n->in[i]];
        known[i] = kin[i] != IR_NONE;
    }
    rule(s, s->kb, s->rb, s->f, n, known, kin, rin, s->kval + n->first, s->rval + n->first);
}

static void
split_node(pass_splitter *s, const ir_node *n)
{
    int n_known = 0;
    for (int i = 0; i < n->n_in; i++)
        n_known += s->kval[n->in[i]] != IR_NONE;
    s->kb->loc = s->rb->loc = n->loc;
    split_rule *rule = split_rule_of(s, n);
    if (rule && n_known > 0 && n_known < n->n_in) {
        split_mixed(s, n, rule);
        return;
    }
    const bool known = n_known == n->n_in;
    ir_ref *operand = IR_NEW_N(s->kb->arena, ir_ref, n->n_in + 1);
    for (int i = 0; i < n->n_in; i++)
        operand[i] = known ? s->kval[n->in[i]] : in_rest(s, n->in[i]);
    ir_copy_node(known ? s->kb : s->rb, n, operand, (known ? s->kval : s->rval) + n->first);
}

static void
split_begin(pass_splitter *s, const ir_graph *f, const bool *known)
{
    *s = (pass_splitter){ .f = f, .kb = pass_begin(f, "known"), .rb = pass_begin(f, "rest") };
    s->kval = IR_NEW_N(s->kb->arena, ir_ref, f->n_values);
    s->rval = IR_NEW_N(s->kb->arena, ir_ref, f->n_values);
    for (int i = 0; i < f->n_in; i++) {
        if (known[i])
            s->kval[f->in[i]] = ir_input_like(s->kb, f, f->in[i], "");
        else
            s->rval[f->in[i]] = ir_input_like(s->rb, f, f->in[i], "");
    }
    for (uint32_t i = 1; i < f->n_nodes && !s->kb->status && !s->rb->status; i++)
        split_node(s, &f->node[i]);
}

/* The final rest: it takes the saved residuals first, recomputes the others from them, and
 * contains `draft`, whose inputs are the unknown inputs and then all residuals. */
static cot_status
finish_rest(pass_splitter *s, const ir_graph *draft, const bool *saved, int *n_res,
            ir_graph **rest)
{
    const int n_unknown = draft->n_in - (int)s->n_res;
    const uint32_t *uses = ir_count_uses(draft, s->kb->arena);
    ir_build *b = pass_begin(s->f, "rest");
    ir_ref *made = IR_NEW_N(b->arena, ir_ref, s->kb->n_values);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, draft->n_in + 1);
    ir_ref *out = IR_NEW_N(b->arena, ir_ref, draft->n_out + 1);
    *n_res = 0;
    for (uint32_t v = 1; v < s->kb->n_values; v++) {
        if (!saved[v])
            continue;
        b->loc = ir_build_loc(s->kb, v);
        made[v] = ir_input(b, ir_btype(s->kb, v), NULL);
        ir_output(s->kb, v);
        ++*n_res;
    }
    for (int i = 0; i < n_unknown; i++)
        in[i] = ir_input_like(b, draft, draft->in[i], "");
    for (uint32_t i = 0; i < s->n_res; i++)
        if (uses[draft->in[n_unknown + (int)i]])
            in[n_unknown + (int)i] = pass_make(b, s->kb->node, s->kb->value, s->res[i], made);
    ir_inline_graph(b, draft, in, out);
    for (int j = 0; j < draft->n_out; j++)
        pass_output(b, draft, j, out[j], "");
    return pass_end(b, "split", rest);
}

static cot_status
split(const ir_graph *f, const bool *known, bool *known_out, int *n_res, ir_graph **known_half,
      ir_graph **rest)
{
    pass_splitter s;
    ir_graph *draft;
    split_begin(&s, f, known);
    if (s.kb->status != COT_OK)
        return s.kb->status;
    for (int j = 0; j < f->n_out; j++) {
        known_out[j] = s.kval[f->out[j]] != IR_NONE;
        pass_output(known_out[j] ? s.kb : s.rb, f, j,
                    (known_out[j] ? s.kval : s.rval)[f->out[j]], "");
    }
    /* Residuals are created among the other inputs and are moved to the end. */
    ir_build *rb = s.rb;
    uint32_t n = 0;
    for (int i = 0; i < f->n_in; i++)
        if (!known[i])
            rb->in[n++] = s.rval[f->in[i]];
    for (uint32_t i = 0; i < s.n_res; i++)
        rb->in[n++] = s.counterpart[s.res[i]];
    COT_TRY(ir_build_end(rb, &draft));
    bool *saved = IR_NEW_N(s.kb->arena, bool, s.kb->n_values);
    const uint32_t *uses = ir_count_uses(draft, s.kb->arena);
    for (uint32_t i = 0; i < s.n_res; i++)
        saved[s.res[i]] = uses[draft->in[n - s.n_res + i]] > 0;
    pass_choose_residuals(s.kb, saved);
    COT_TRY(finish_rest(&s, draft, saved, n_res, rest));
    ir_graph_drop(draft);
    return pass_end(s.kb, "split", known_half);
}

cot_status
pass_split(const ir_graph *f, const bool *known, bool *known_out, int *n_res,
           ir_graph **known_half, ir_graph **rest)
{
    pass_made *m = pass_made_of(f, &(pass_key){ .pass = (pass_any *)pass_split, .in = known });

    if (!m->graph)
        COT_TRY(split(f, known, m->out, &m->n, &m->graph, &m->second));
    memcpy(known_out, m->out, sizeof *known_out * (size_t)f->n_out);
    *n_res = m->n;
    *known_half = m->graph;
    *rest = m->second;
    return COT_OK;
}
