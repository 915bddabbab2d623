/* What one loop keeps for another is made again in the other where that takes less memory:
 * rematerialization.
 *
 * A forward loop stacks values for the reverse loop.  residuals.c has chosen them where a
 * derivative was made of a loop.  Of a loop that was found in written-out steps nobody has:
 * each use of a value by a reverse step is a row of an array of its own, such as relu(z),
 * z > 0 and z < 0 of one z.  So sets of stacked values are replaced by one value of fewer bytes
 * from which they are a few cheap ops, and the reverse loop runs these.  It may also read what
 * the forward loop reads, which takes no memory.  The best replacement is taken until there is
 * none: a greedy form of the cut of least bytes that A. Griewank, A. Walther, Evaluating
 * Derivatives (2008), and the partitioner of torch.compile look for.
 *
 * Every value is made by the same ops of the same operands, behind contraction: no bit
 * changes.  The evaluator judges by the loops as they were. */
#include "passes/engine.h"
#include "passes/rules/flow.h"

enum {
    DEEPEST = 8,    /* the longest chain of ops that is run again */
    MOST_TRIED = 64, /* values of a body */
    LEAST_BYTES = 4096 /* that a pair of loops saves */
};

/* The loop `of`, and the loop `by` that alone reads some of what it stacks. */
typedef struct remat_pair {
    const ir_graph *f;
    ir_arena *a;
    const ir_node *of, *by;
    const ir_graph *body; /* of `of` */
    bool *moved;          /* by result of `of`: only the other loop reads it */
    int64_t *dropped;     /* by value of the body: the bytes of those, for each step */
    bool *base;  /* by value of the body: the other loop has it for nothing, or it is kept */
    bool *kept;  /* by value of the body: stacked for the other loop */
    int *depth;  /* by value of the body: ops from base values; -1: it is not made of them */
    ir_ref *array; /* by value of the body: what is stacked of it, in the new graph */
    int64_t gain;
} remat_pair;

static int64_t
bytes_of(const ir_graph *f, ir_ref v)
{
    const ir_type *t = ir_type_at(f, v);

    return t->size * (int64_t)cot_dtype_size(t->dtype);
}

static const ir_node *
scan_of(const ir_graph *f, ir_ref v)
{
    const ir_node *n = ir_def(f, v);

    return n && ir_ops[n->op].record == IR_AT_scan && !n->at->scan.body->effectful ? n : NULL;
}

static int
first_slice(const ir_node *n)
{
    return (int)(n->at->scan.consts + n->at->scan.carries);
}

/* Which operand of the loop is a slice of array v; -1: none. */
static int
slice_of(const ir_node *n, ir_ref v)
{
    for (int i = first_slice(n); i < n->n_in; i++)
        if (n->in[i] == v)
            return i;
    return -1;
}

/* ---- the choice ---- */

/* Which values of the body can be made in the other loop, with `also` among what it has. */
static void
find_depths(remat_pair *p, ir_ref also)
{
    const ir_graph *g = p->body;

    for (ir_ref v = 1; v < g->n_values; v++)
        p->depth[v] = p->base[v] || v == also ? 0 : -1;
    ir_each_node (n, g) {
        int deepest = 0;

        for (int i = 0; i < n->n_in && deepest >= 0; i++) {
            const int d = p->depth[n->in[i]];
            deepest = d < 0 ? -1 : d > deepest ? d : deepest;
        }
        const bool cheap = ir_ops[n->op].cost != IR_EXPENSIVE && ir_ops[n->op].flag < IR_FLOW;
        for (int j = 0; j < n->n_out && cheap && deepest >= 0; j++)
            if (p->depth[n->first + (ir_ref)j] < 0 && deepest < DEEPEST)
                p->depth[n->first + (ir_ref)j] = deepest + 1;
    }
}

/* The bytes of what need not be kept if v is; the cost of v, unless it is kept already. */
static int64_t
gain_of(remat_pair *p, ir_ref v)
{
    int64_t gain = v && !p->kept[v] ? -bytes_of(p->body, v) : 0;

    find_depths(p, v);
    for (ir_ref w = 1; w < p->body->n_values; w++)
        if (p->kept[w] && w != v && !p->base[w] && p->depth[w] >= 0)
            gain += p->dropped[w];
    return gain;
}

/* Values near those that are kept, against the order of the ops. */
static int
candidates(const remat_pair *p, ir_ref *out)
{
    const ir_graph *g = p->body;
    int *far = IR_NEW_N(p->a, int, g->n_values);
    int n = 0;

    for (ir_ref v = 1; v < g->n_values; v++)
        far[v] = p->kept[v] ? 1 : 0;
    for (ir_ref v = g->n_values - 1; v > 0 && n < MOST_TRIED; v--) {
        const ir_node *d = ir_def(g, v);
        if (!far[v])
            continue;
        if (!p->base[v])
            out[n++] = v;
        if (!d || far[v] > DEEPEST || ir_ops[d->op].cost == IR_EXPENSIVE)
            continue;
        for (int i = 0; i < d->n_in; i++)
            if (!far[d->in[i]] || far[d->in[i]] > far[v] + 1)
                far[d->in[i]] = far[v] + 1;
    }
    return n;
}

/* Keep v, and nothing that is made of it. */
static void
keep(remat_pair *p, ir_ref v)
{
    find_depths(p, v);
    for (ir_ref w = 1; w < p->body->n_values; w++)
        if (p->kept[w] && w != v && !p->base[w] && p->depth[w] >= 0)
            p->kept[w] = false;
    if (v)
        p->kept[v] = p->base[v] = true;
}

static void
choose(remat_pair *p)
{
    ir_ref list[MOST_TRIED];
    int64_t best;

    do {
        const int n = candidates(p, list);
        ir_ref at = IR_NONE;
        best = gain_of(p, IR_NONE);
        for (int i = 0; i < n; i++) {
            const int64_t gain = gain_of(p, list[i]);
            if (gain <= best)
                continue;
            best = gain;
            at = list[i];
        }
        if (best > 0)
            keep(p, at);
        p->gain += best > 0 ? best * p->of->at->scan.length : 0;
    } while (best > 0);
}

/* ---- pairs ---- */

/* Can the other loop read operand i of the loop `of`, without more memory?  It is an argument
 * of the graph, or the other loop has it in the same part of its operands. */
static bool
is_there(const remat_pair *p, int i)
{
    const ir_node *of = p->of, *by = p->by;
    const bool slice = i >= first_slice(of);
    const int first = slice ? first_slice(by) : 0,
              end = slice ? by->n_in : (int)by->at->scan.consts;
    bool has = !ir_def(p->f, of->in[i]) || ir_def(p->f, of->in[i])->n_in == 0;

    for (int k = first; k < end; k++)
        has |= by->in[k] == of->in[i];
    return has && (slice || i < (int)of->at->scan.consts);
}

/* What `by` alone reads of what `of` stacks; uses: by value of f.  false: nothing. */
static bool
find_kept(remat_pair *p, const uint32_t *uses)
{
    const ir_node *of = p->of, *by = p->by;
    bool any = false;

    for (int j = (int)of->at->scan.carries; j < of->n_out; j++) {
        const ir_ref v = of->first + (ir_ref)j, w = p->body->out[j];
        uint32_t read = 0;

        for (int i = first_slice(by); i < by->n_in; i++)
            read += by->in[i] == v;
        if (!read)
            continue;
        if (read < uses[v] || !ir_def(p->body, w)) {
            p->base[w] = true;
            continue;
        }
        p->moved[j] = p->kept[w] = any = true;
        p->dropped[w] += bytes_of(p->body, w);
    }
    for (int i = 0; i < of->n_in; i++)
        p->base[p->body->in[i]] |= is_there(p, i);
    return any;
}

static remat_pair *
pair_of(const ir_graph *f, ir_arena *a, const uint32_t *uses, const ir_node *of,
        const ir_node *by)
{
    const ir_graph *body = of->at->scan.body;
    remat_pair *p = IR_NEW(a, remat_pair);

    *p = (remat_pair){ .f = f, .a = a, .of = of, .by = by, .body = body };
    p->moved = IR_NEW_N(a, bool, of->n_out + 1);
    p->dropped = IR_NEW_N(a, int64_t, body->n_values);
    p->base = IR_NEW_N(a, bool, body->n_values);
    p->kept = IR_NEW_N(a, bool, body->n_values);
    p->depth = IR_NEW_N(a, int, body->n_values);
    if (!find_kept(p, uses))
        return NULL;
    choose(p);
    return p->gain >= (f->ctx->rerolls_all ? 1 : LEAST_BYTES) ? p : NULL;
}

/* ---- the new loops ---- */

typedef struct remat_walk {
    const ir_graph *f;
    ir_build *b;
    ir_ref *env;
    remat_pair **of, **by; /* by node: its pair */
} remat_walk;

static ir_build *
begin_body(const remat_walk *w, const ir_graph *body)
{
    ir_build *b = pass_flow_begin(w->b, body->name);

    b->uncontracted = body->uncontracted;
    b->guarded = body->guarded;
    b->contracted = body->contracted;
    return b;
}

/* The loop with this body, and the loops within it. */
static void
end_loop(remat_walk *w, const ir_node *n, ir_build *b, ir_attrs *at, int n_in,
         const ir_ref *in, ir_ref *out)
{
    at->scan.body = pass_flow_end(w->b, b, NULL);
    if (!at->scan.body)
        return;
    const cot_status status = pass_rematerialize(at->scan.body, &at->scan.body);
    if (status != COT_OK) {
        w->b->status = status;
        return;
    }
    w->b->loc = n->loc;
    ir_add_node(w->b, OP_scan, n_in, in, at, out);
}

static void
make_of(remat_walk *w, remat_pair *p)
{
    const ir_graph *g = p->body;
    const ir_node *of = p->of;
    ir_build *b = begin_body(w, g);
    ir_ref *made = IR_NEW_N(p->a, ir_ref, g->n_values),
           *in = IR_NEW_N(p->a, ir_ref, of->n_in + 1),
           *y = IR_NEW_N(p->a, ir_ref, of->n_out + (int)g->n_values);
    ir_attrs at = ir_node_attrs(of);
    int n = 0;

    for (int i = 0; i < of->n_in; i++) {
        in[i] = w->env[of->in[i]];
        made[g->in[i]] = ir_input_like(b, g, g->in[i], "");
    }
    for (int j = 0; j < of->n_out; j++)
        if (!p->moved[j])
            ir_output(b, pass_make(b, g->node, g->value, g->out[j], made));
    for (ir_ref v = 1; v < g->n_values; v++)
        if (p->kept[v])
            ir_output(b, pass_make(b, g->node, g->value, v, made));
    end_loop(w, of, b, &at, of->n_in, in, y);
    for (int j = 0; j < of->n_out; j++)
        if (!p->moved[j])
            w->env[of->first + (ir_ref)j] = y[n++];
    p->array = IR_NEW_N(p->a, ir_ref, g->n_values);
    for (ir_ref v = 1; v < g->n_values; v++)
        if (p->kept[v])
            p->array[v] = y[n++];
}

/* The operands of the other loop, and by operand the value of the body of `of` that it is
 * besides its own input: IR_NONE, none. */
typedef struct remat_operands {
    int n;
    ir_ref *in, *is; /* operand; value */
    int *own;        /* the number that it has in the loop as it was, or -1 */
} remat_operands;

static void
add_operand(remat_operands *o, ir_ref in, ir_ref is, int own)
{
    o->in[o->n] = in;
    o->is[o->n] = is;
    o->own[o->n++] = own;
}

/* Which values of the body the other loop begins with. */
static bool *
needed(const remat_pair *p)
{
    const ir_graph *g = p->body;
    bool *need = IR_NEW_N(p->a, bool, g->n_values);

    for (int j = 0; j < p->of->n_out; j++)
        if (p->moved[j])
            need[g->out[j]] = true;
    for (ir_ref v = g->n_values - 1; v > 0; v--) {
        const ir_node *d = ir_def(g, v);
        if (!need[v] || p->base[v] || p->kept[v] || !d)
            continue;
        for (int i = 0; i < d->n_in; i++)
            need[d->in[i]] = true;
        need[v] = false;
    }
    return need;
}

/* Operand i of the loop `of` is an operand of the other one, in its part from `first` to `end`:
 * which value of the body it is then is noted.  false: it is none. */
static bool
has_operand(const remat_pair *p, int first, int end, int i, ir_ref *is)
{
    for (int k = first; k < end; k++)
        if (p->by->in[k] == p->of->in[i] && !is[k]) {
            is[k] = p->body->in[i];
            return true;
        }
    return false;
}

/* The values that operands of the other loop are, of what `of` stacks for others too. */
static void
note_stacked(const remat_pair *p, ir_ref *is)
{
    for (int j = (int)p->of->at->scan.carries; j < p->of->n_out; j++) {
        const int k = slice_of(p->by, p->of->first + (ir_ref)j);
        if (k >= 0 && !p->moved[j])
            is[k] = p->body->out[j];
    }
}

/* Operands of the loop `of`, from `first` to `end`, that the other one does not have. */
static void
add_missing(const remat_walk *w, const remat_pair *p, const bool *need, int first, int end,
            int by_first, int by_end, ir_ref *is, remat_operands *o)
{
    for (int i = first; i < end; i++)
        if (need[p->body->in[i]] && !p->kept[p->body->in[i]] &&
            !has_operand(p, by_first, by_end, i, is))
            add_operand(o, w->env[p->of->in[i]], p->body->in[i], -1);
}

static bool
is_moved_slice(const remat_pair *p, int k)
{
    const ir_ref v = p->by->in[k];

    return ir_def(p->f, v) == p->of && p->moved[v - p->of->first];
}

/* Consts, carries, slices; the number of consts. */
static int
operands_of(const remat_walk *w, const remat_pair *p, remat_operands *o)
{
    const ir_node *of = p->of, *by = p->by;
    const int consts = (int)by->at->scan.consts, slices = first_slice(by),
              most = of->n_in + by->n_in + (int)p->body->n_values;
    const bool *need = needed(p);
    ir_ref *is = IR_NEW_N(p->a, ir_ref, by->n_in + 1);
    remat_operands more = { .n = 0 };

    *o = (remat_operands){ .in = IR_NEW_N(p->a, ir_ref, most),
                           .is = IR_NEW_N(p->a, ir_ref, most),
                           .own = IR_NEW_N(p->a, int, most) };
    more = (remat_operands){ .in = IR_NEW_N(p->a, ir_ref, most),
                             .is = IR_NEW_N(p->a, ir_ref, most),
                             .own = IR_NEW_N(p->a, int, most) };
    note_stacked(p, is);
    add_missing(w, p, need, first_slice(of), of->n_in, slices, by->n_in, is, &more);
    for (ir_ref v = 1; v < p->body->n_values; v++)
        if (p->kept[v])
            add_operand(&more, p->array[v], v, -1);
    remat_operands first = *o;
    add_missing(w, p, need, 0, (int)of->at->scan.consts, 0, consts, is, &first);
    const int added = first.n;
    o->n = added;
    for (int k = 0; k < by->n_in; k++)
        if (k < slices || !is_moved_slice(p, k))
            add_operand(o, w->env[by->in[k]], is[k], k);
    for (int k = 0; k < more.n; k++)
        add_operand(o, more.in[k], more.is[k], more.own[k]);
    return consts + added;
}

/* Input k of the other loop is this value of the body of `of`, or IR_NONE. */
static ir_ref
moved_value(const remat_pair *p, int k)
{
    return k >= first_slice(p->by) && is_moved_slice(p, k)
               ? p->body->out[p->by->in[k] - p->of->first]
               : IR_NONE;
}

static void
make_by(remat_walk *w, const remat_pair *p)
{
    const ir_graph *g = p->by->at->scan.body;
    ir_build *b = begin_body(w, g);
    ir_ref *made = IR_NEW_N(p->a, ir_ref, p->body->n_values),
           *env = IR_NEW_N(p->a, ir_ref, g->n_values);
    ir_attrs at = ir_node_attrs(p->by);
    remat_operands o;

    at.scan.consts = operands_of(w, p, &o);
    for (int i = 0; i < o.n; i++) {
        const ir_ref x = o.own[i] >= 0 ? ir_input_like(b, g, g->in[o.own[i]], "")
                                       : ir_input_like(b, p->body, o.is[i], "");
        if (o.own[i] >= 0)
            env[g->in[o.own[i]]] = x;
        if (o.is[i])
            made[o.is[i]] = x;
    }
    for (int k = 0; k < p->by->n_in; k++)
        if (moved_value(p, k))
            env[g->in[k]] =
                pass_make(b, p->body->node, p->body->value, moved_value(p, k), made);
    ir_each_node (n, g)
        ir_copy_mapped(b, n, env);
    for (int j = 0; j < g->n_out; j++)
        ir_output(b, env[g->out[j]]);
    end_loop(w, p->by, b, &at, o.n, o.in, w->env + p->by->first);
}

static void
copy(remat_walk *w, const ir_node *n)
{
    ir_ref *in = IR_NEW_N(w->b->arena, ir_ref, n->n_in + 1);
    ir_attrs at;

    if (ir_ops[n->op].flag != IR_FLOW || ir_ops[n->op].record == IR_AT_custom) {
        ir_copy_mapped(w->b, n, w->env);
        return;
    }
    for (int k = 0; k < n->n_in; k++)
        in[k] = w->env[n->in[k]];
    w->b->loc = n->loc;
    const cot_status status = pass_rewrite_subs(w->b, n, pass_rematerialize, &at);
    if (status != COT_OK)
        w->b->status = status;
    else
        ir_add_node(w->b, (ir_op)n->op, n->n_in, in, &at, w->env + n->first);
}

/* The pairs of the graph; a loop is in one. */
static void
find_pairs(remat_walk *w, ir_arena *a)
{
    const ir_graph *f = w->f;
    uint32_t *uses = IR_NEW_N(a, uint32_t, f->n_values);

    w->of = IR_NEW_N(a, remat_pair *, f->n_nodes);
    w->by = IR_NEW_N(a, remat_pair *, f->n_nodes);
    ir_each_node (n, f)
        for (int i = 0; i < n->n_in; i++)
            uses[n->in[i]]++;
    for (int j = 0; j < f->n_out; j++)
        uses[f->out[j]]++;
    ir_each_node (n, f) {
        const ir_node *by = n->n_out ? scan_of(f, n->first) : NULL;
        for (int i = by ? first_slice(by) : 0; by && i < by->n_in; i++) {
            const ir_node *of = scan_of(f, by->in[i]);
            const uint32_t at = of ? (uint32_t)(of - f->node) : 0;
            if (!of || w->of[at] || w->by[at] || w->of[by - f->node] || w->by[by - f->node] ||
                of->at->scan.length != by->at->scan.length)
                continue;
            w->of[at] = w->by[by - f->node] = pair_of(f, a, uses, of, by);
        }
    }
}

static cot_status
rewrite(const ir_graph *f, ir_graph **out)
{
    remat_walk w = { .f = f, .b = ir_build_like(f, f->name) };

    w.b->uncontracted = f->uncontracted;
    w.b->guarded = f->guarded;
    w.b->contracted = f->contracted;
    w.env = IR_NEW_N(w.b->arena, ir_ref, f->n_values);
    find_pairs(&w, w.b->work);
    for (int i = 0; i < f->n_in; i++)
        w.env[f->in[i]] = ir_input_like(w.b, f, f->in[i], "");
    for (uint32_t i = 1; i < f->n_nodes && w.b->status == COT_OK; i++) {
        if (w.of[i])
            make_of(&w, w.of[i]);
        else if (w.by[i])
            make_by(&w, w.by[i]);
        else
            copy(&w, &f->node[i]);
    }
    for (int j = 0; j < f->n_out && w.b->status == COT_OK; j++)
        pass_output(w.b, f, j, w.env[f->out[j]], "");
    return pass_end(w.b, "rematerialize", out);
}

/* Reads a scan what another one stacks? */
static bool
has_pair(const ir_graph *f)
{
    ir_each_node (n, f) {
        const ir_node *by = n->n_out ? scan_of(f, n->first) : NULL;
        for (int i = by ? first_slice(by) : 0; by && i < by->n_in; i++)
            if (scan_of(f, by->in[i]))
                return true;
    }
    return false;
}

bool
pass_rematerializes(const ir_graph *f)
{
    const ir_graph *const *all;
    bool any = false;

    for (uint32_t i = 0, n = f->loops ? ir_all_graphs(f, false, &all, f->arena) : 0;
         i < n && !any; i++)
        any = has_pair(all[i]);
    return any;
}

cot_status
pass_rematerialize(const ir_graph *f, ir_graph **out)
{
    *out = (ir_graph *)f;
    return f->loops ? rewrite(f, out) : COT_OK;
}
