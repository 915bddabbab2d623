/* What one loop keeps for another is made again in the other where that takes less memory:
 * rematerialization.
 *
 * A forward loop stacks values for the reverse loop.  residuals.c has chosen them where a
 * derivative was made of a loop.  Of a loop that was found in written-out steps nobody has:
 * each use of a value by a reverse step is a row of an array of its own, such as relu(z),
 * z > 0 and z < 0 of one z.  So sets of stacked values are replaced by one value of fewer bytes
 * from which they are a few cheap ops, and the reverse loop runs these.  It may also read what
 * the forward loop reads, where that takes no memory.  Values are tried from the last one of a
 * step on, each by what is near it, so that the work is linear in the step: a greedy form of
 * the cut of least bytes that A. Griewank, A. Walther, Evaluating Derivatives (2008), and the
 * partitioner of torch.compile look for.
 *
 * Every value is made by the same ops of the same operands, behind contraction: no bit
 * changes.  The evaluator judges by the loops as they were. */
#include "passes/engine.h"
#include "passes/rules/flow.h"

enum {
    DEEPEST = 8,       /* the longest chain of ops that is run again */
    NEAR = 64,         /* values of a step that are looked at for one of them */
    LEAST_BYTES = 4096 /* that a pair of loops saves */
};

/* The loop `of`, and the loop `by` that alone reads some of what it stacks. */
typedef struct remat_pair {
    const ir_graph *f;
    const ir_node *of, *by;
    const ir_graph *body; /* of `of` */
    /* by result of `of`: 1 + the operand of `by` that it is, or 0; `by` alone reads it */
    int *slice;
    bool *moved;
    /* by operand of `of`: the operand of `by` in the same part that is the same value, or -1 */
    int *same;
    /* by value of the body: the bytes of a step that need not be stacked if it is made again;
     * it is stacked for `by`; `by` has it without more memory, or it is stacked for good */
    int64_t *bytes;
    bool *kept, *base;
    int64_t gain;
    ir_ref *in, *array; /* in the new graph: the operands of `of`; by value, what is stacked */
} remat_pair;

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

/* ---- the choice ---- */

typedef struct remat_choice {
    remat_pair *p;
    uint32_t *first, *user; /* by value of the body, its users: user[first[v]] and so on */
    uint32_t *seen; /* by value: the last search that reached it */
} remat_choice;

static bool
is_cheap(const ir_node *n)
{
    return ir_ops[n->op].cost != IR_EXPENSIVE && ir_ops[n->op].flag < IR_FLOW;
}

/* Is x at most so many cheap ops from v and base values?  looks: the values that are looked at
 * before the answer is no. */
static bool
is_made_of(const remat_pair *p, ir_ref x, ir_ref v, int depth, int *looks)
{
    const ir_node *n = ir_def(p->body, x);

    if (x == v || p->base[x])
        return true;
    if (!n || depth == 0 || !is_cheap(n) || --*looks < 0)
        return false;
    for (int i = 0; i < n->n_in; i++)
        if (!is_made_of(p, n->in[i], v, depth - 1, looks))
            return false;
    return true;
}

static bool
can_be_made(const remat_pair *p, ir_ref x, ir_ref v)
{
    int looks = NEAR;
    const ir_node *n = ir_def(p->body, x);

    return x != v && n && is_made_of(p, x, v, DEEPEST, &looks);
}

/* What is kept and made of v, `list`; what is saved if v takes their place. */
static int64_t
find_made(remat_choice *c, ir_ref v, ir_ref *list, int *n)
{
    const remat_pair *p = c->p;
    const ir_graph *g = p->body;
    const ir_type *t = ir_type_at(g, v);
    int64_t gain = p->kept[v] ? 0 : -t->size * (int64_t)cot_dtype_size(t->dtype);
    ir_ref reached[NEAR] = { v };
    int n_reached = 1, looks = 2 * NEAR;

    *n = 0;
    c->seen[v] = v;
    for (int i = 0; i < n_reached; i++)
        for (uint32_t k = c->first[reached[i]]; k < c->first[reached[i] + 1]; k++) {
            const ir_node *user = &g->node[c->user[k]];
            const ir_ref w = user->first;
            if (n_reached == NEAR || --looks < 0)
                return gain;
            if (!is_cheap(user) || user->n_out != 1 || c->seen[w] == v)
                continue;
            c->seen[w] = v;
            reached[n_reached++] = w;
            if (!p->kept[w] || p->base[w] || !can_be_made(p, w, v))
                continue;
            list[(*n)++] = w;
            gain += p->bytes[w];
        }
    return gain;
}

static void
make_again(remat_pair *p, ir_ref w)
{
    p->kept[w] = false;
    p->gain += p->bytes[w];
}

/* v takes the place of what is made of it, if that saves memory. */
static void
try_value(remat_choice *c, ir_ref v)
{
    remat_pair *p = c->p;
    ir_ref list[NEAR];
    int n;
    const int64_t gain = p->base[v] ? 0 : find_made(c, v, list, &n);

    if (gain <= 0)
        return;
    p->gain += gain;
    for (int i = 0; i < n; i++)
        p->kept[list[i]] = false;
    p->kept[v] = p->base[v] = true;
}

static void
list_users(remat_choice *c, ir_arena *a)
{
    const ir_graph *g = c->p->body;
    uint32_t *at = IR_NEW_N(a, uint32_t, g->n_values + 1);

    c->first = IR_NEW_N(a, uint32_t, g->n_values + 1);
    ir_each_node (n, g)
        for (int i = 0; i < n->n_in; i++)
            c->first[n->in[i] + 1]++;
    for (ir_ref v = 0; v < g->n_values; v++)
        c->first[v + 1] += c->first[v];
    memcpy(at, c->first, sizeof *at * g->n_values);
    c->user = IR_NEW_N(a, uint32_t, c->first[g->n_values] + 1);
    ir_each_node (n, g)
        for (int i = 0; i < n->n_in; i++)
            c->user[at[n->in[i]]++] = (uint32_t)(n - g->node);
}

/* First what is made of base values alone; then each value in the place of others; at last, in
 * order, what is made of values that are kept for good. */
static void
choose(remat_pair *p, ir_arena *a)
{
    const ir_ref n = p->body->n_values;
    remat_choice c = { .p = p, .seen = IR_NEW_N(a, uint32_t, n) };

    list_users(&c, a);
    for (ir_ref v = 1; v < n; v++)
        if (p->kept[v] && can_be_made(p, v, IR_NONE))
            make_again(p, v);
    for (ir_ref v = n - 1; v > 0; v--)
        try_value(&c, v);
    for (ir_ref v = 1; v < n; v++) {
        if (!p->kept[v] || p->base[v])
            continue;
        if (can_be_made(p, v, IR_NONE))
            make_again(p, v);
        else
            p->base[v] = true;
    }
    p->gain *= p->of->at->scan.length;
}

/* ---- pairs ---- */

/* The loops of a graph that are in a pair, by node; a loop is in one. */
typedef struct remat_pairs {
    const ir_graph *f;
    ir_arena *a;
    remat_pair **of, **by;
    bool *tried; /* by node: as `of` */
    uint32_t *uses; /* by value of f */
    int *as_const, *as_slice; /* by value of f: 1 + the operand of the `by` that is looked at */
} remat_pairs;

/* Notes operands of `by`, or with `set` false forgets them. */
static void
note_operands(const remat_pairs *w, const ir_node *by, bool set)
{
    for (int k = by->n_in - 1; k >= 0; k--) {
        if (k < (int)by->at->scan.consts)
            w->as_const[by->in[k]] = set ? k + 1 : 0;
        else if (k >= first_slice(by))
            w->as_slice[by->in[k]] = set ? k + 1 : 0;
    }
}

/* What `by` alone reads of what `of` stacks.  false: nothing. */
static bool
find_kept(const remat_pairs *w, remat_pair *p)
{
    const ir_node *of = p->of, *by = p->by;
    uint32_t *read = IR_NEW_N(w->a, uint32_t, of->n_out + 1);
    bool any = false;

    for (int k = first_slice(by); k < by->n_in; k++)
        if (ir_def(p->f, by->in[k]) == of)
            read[by->in[k] - of->first]++;
    for (int j = (int)of->at->scan.carries; j < of->n_out; j++) {
        const ir_ref v = of->first + (ir_ref)j, x = p->body->out[j];
        const ir_type *t = ir_type_at(p->body, x);
        p->slice[j] = w->as_slice[v];
        p->moved[j] = read[j] && read[j] == w->uses[v] && ir_def(p->body, x);
        if (p->moved[j]) {
            any = p->kept[x] = true;
            p->bytes[x] += t->size * (int64_t)cot_dtype_size(t->dtype);
        } else if (read[j]) {
            p->base[x] = true;
        }
    }
    return any;
}

/* What `by` can read without more memory of what `of` reads: arguments of the graph, and what
 * it reads anyway. */
static void
find_same(const remat_pairs *w, const remat_pair *p)
{
    const ir_node *of = p->of;

    for (int i = 0; i < of->n_in; i++) {
        const ir_node *d = ir_def(p->f, of->in[i]);
        const int *as = i < (int)of->at->scan.consts ? w->as_const
                        : i >= first_slice(of)       ? w->as_slice
                                                     : NULL;
        p->same[i] = as ? as[of->in[i]] - 1 : -1;
        p->base[p->body->in[i]] |= as && (p->same[i] >= 0 || !d || d->n_in == 0);
    }
}

static remat_pair *
pair_of(const remat_pairs *w, const ir_node *of, const ir_node *by)
{
    const ir_graph *body = of->at->scan.body;
    remat_pair *p = IR_NEW(w->a, remat_pair);

    *p = (remat_pair){ .f = w->f, .of = of, .by = by, .body = body };
    p->slice = IR_NEW_N(w->a, int, of->n_out + 1);
    p->moved = IR_NEW_N(w->a, bool, of->n_out + 1);
    p->same = IR_NEW_N(w->a, int, of->n_in + 1);
    p->bytes = IR_NEW_N(w->a, int64_t, body->n_values);
    p->kept = IR_NEW_N(w->a, bool, body->n_values);
    p->base = IR_NEW_N(w->a, bool, body->n_values);
    if (!find_kept(w, p))
        return NULL;
    find_same(w, p);
    choose(p, w->a);
    return p->gain >= (w->f->ctx->small_passes ? 1 : LEAST_BYTES) ? p : NULL;
}

/* A loop that `by` reads, and that no other one is known to read, which saves memory. */
static void
find_pair(const remat_pairs *w, const ir_node *by)
{
    const uint32_t at = (uint32_t)(by - w->f->node);

    for (int k = first_slice(by); k < by->n_in && !w->by[at]; k++) {
        const ir_node *of = scan_of(w->f, by->in[k]);
        const uint32_t i = of ? (uint32_t)(of - w->f->node) : 0;
        if (!of || w->tried[i] || w->by[i] || of->at->scan.length != by->at->scan.length)
            continue;
        w->tried[i] = true;
        note_operands(w, by, true);
        w->of[i] = w->by[at] = pair_of(w, of, by);
        note_operands(w, by, false);
    }
}

static void
find_pairs(remat_pairs *w)
{
    const ir_graph *f = w->f;

    w->of = IR_NEW_N(w->a, remat_pair *, f->n_nodes);
    w->by = IR_NEW_N(w->a, remat_pair *, f->n_nodes);
    w->tried = IR_NEW_N(w->a, bool, f->n_nodes);
    w->uses = ir_count_uses(f, w->a);
    w->as_const = IR_NEW_N(w->a, int, f->n_values);
    w->as_slice = IR_NEW_N(w->a, int, f->n_values);
    ir_each_node (n, f)
        if (n->n_out && scan_of(f, n->first))
            find_pair(w, n);
}

/* ---- the new loops ---- */

static ir_build *
begin_body(ir_build *outer, const ir_graph *body)
{
    ir_build *b = pass_flow_begin(outer, body->name);

    b->uncontracted = body->uncontracted;
    b->guarded = body->guarded;
    b->contracted = body->contracted;
    return b;
}

/* The loop with this body, and the loops within it. */
static void
end_loop(ir_build *outer, ir_build *b, ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    at->scan.body = pass_flow_end(outer, b, NULL);
    if (!at->scan.body)
        return;
    const cot_status status = pass_rematerialize(at->scan.body, &at->scan.body);
    if (status != COT_OK)
        outer->status = status;
    else
        ir_add_node(outer, OP_scan, n_in, in, at, out);
}

static void
make_of(ir_build *outer, remat_pair *p, const ir_ref *in, ir_ref *out)
{
    const ir_graph *g = p->body;
    const ir_node *of = p->of;
    ir_build *b = begin_body(outer, g);
    ir_ref *made = IR_NEW_N(outer->arena, ir_ref, g->n_values),
           *y = IR_NEW_N(outer->arena, ir_ref, of->n_out + (int)g->n_values);
    ir_attrs at = ir_node_attrs(of);
    int n = 0;

    for (int i = 0; i < of->n_in; i++)
        made[g->in[i]] = ir_input_like(b, g, g->in[i], "");
    for (int j = 0; j < of->n_out; j++)
        if (!p->moved[j])
            ir_output(b, pass_make(b, g->node, g->value, g->out[j], made));
    for (ir_ref v = 1; v < g->n_values; v++)
        if (p->kept[v])
            ir_output(b, pass_make(b, g->node, g->value, v, made));
    end_loop(outer, b, &at, of->n_in, in, y);
    for (int j = 0; j < of->n_out; j++)
        if (!p->moved[j])
            out[j] = y[n++];
    p->in = ir_copy_bytes(outer->arena, in, sizeof *in * (size_t)of->n_in);
    p->array = IR_NEW_N(outer->arena, ir_ref, g->n_values);
    for (ir_ref v = 1; v < g->n_values; v++)
        if (p->kept[v])
            p->array[v] = y[n++];
}

/* The operands of the other loop: each with its number as it was, or -1, and the value of the
 * body of `of` that it is, or IR_NONE. */
typedef struct remat_operands {
    int n;
    ir_ref *in, *is;
    int *own;
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
needed(const remat_pair *p, ir_arena *a)
{
    const ir_graph *g = p->body;
    bool *need = IR_NEW_N(a, bool, g->n_values);

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

/* Slice k of the other loop is this value of the body, which is stacked for it alone, or
 * IR_NONE. */
static ir_ref
moved_value(const remat_pair *p, int k)
{
    const ir_ref v = p->by->in[k];

    return k >= first_slice(p->by) && ir_def(p->f, v) == p->of && p->moved[v - p->of->first]
               ? p->body->out[v - p->of->first]
               : IR_NONE;
}

/* By operand of the other loop, the value of the body that it is besides: what both loops read,
 * and what is stacked for others too. */
static ir_ref *
shared_values(const remat_pair *p, ir_arena *a)
{
    ir_ref *is = IR_NEW_N(a, ir_ref, p->by->n_in + 1);

    for (int j = 0; j < p->of->n_out; j++)
        if (p->slice[j] && !p->moved[j])
            is[p->slice[j] - 1] = p->body->out[j];
    for (int i = 0; i < p->of->n_in; i++)
        if (p->same[i] >= 0 && !is[p->same[i]])
            is[p->same[i]] = p->body->in[i];
    return is;
}

/* Operands of the loop `of`, from `first` to `end`, that the other one does not have. */
static void
add_missing(const remat_pair *p, const bool *need, const ir_ref *is, int first, int end,
            remat_operands *o)
{
    for (int i = first; i < end; i++) {
        const ir_ref x = p->body->in[i];
        if (need[x] && !p->kept[x] && (p->same[i] < 0 || is[p->same[i]] != x))
            add_operand(o, p->in[i], x, -1);
    }
}

/* Consts, carries, slices; the number of consts. */
static int
operands_of(const remat_pair *p, const ir_ref *in, ir_arena *a, remat_operands *o)
{
    const ir_node *of = p->of, *by = p->by;
    const int most = of->n_in + by->n_in + (int)p->body->n_values;
    const bool *need = needed(p, a);
    const ir_ref *is = shared_values(p, a);

    *o = (remat_operands){ .in = IR_NEW_N(a, ir_ref, most),
                           .is = IR_NEW_N(a, ir_ref, most),
                           .own = IR_NEW_N(a, int, most) };
    add_missing(p, need, is, 0, (int)of->at->scan.consts, o);
    const int added = o->n;
    for (int k = 0; k < by->n_in; k++)
        if (!moved_value(p, k))
            add_operand(o, in[k], is[k], k);
    add_missing(p, need, is, first_slice(of), of->n_in, o);
    for (ir_ref v = 1; v < p->body->n_values; v++)
        if (p->kept[v])
            add_operand(o, p->array[v], v, -1);
    return (int)by->at->scan.consts + added;
}

static void
make_by(ir_build *outer, const remat_pair *p, const ir_ref *in, ir_ref *out)
{
    const ir_graph *g = p->by->at->scan.body;
    ir_build *b = begin_body(outer, g);
    ir_ref *made = IR_NEW_N(outer->arena, ir_ref, p->body->n_values),
           *env = IR_NEW_N(outer->arena, ir_ref, g->n_values);
    ir_attrs at = ir_node_attrs(p->by);
    remat_operands o;

    at.scan.consts = operands_of(p, in, outer->arena, &o);
    for (int i = 0; i < o.n; i++) {
        const bool own = o.own[i] >= 0;
        const ir_ref x = own ? ir_input_like(b, g, g->in[o.own[i]], "")
                             : ir_input_like(b, p->body, o.is[i], "");
        if (own)
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
    end_loop(outer, b, &at, o.n, o.in, out);
}

static void
visit(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env, const ir_ref *in,
      ir_ref *out, const void *pairs)
{
    const remat_pairs *w = pairs;
    const uint32_t i = (uint32_t)(n - f->node);
    ir_attrs at;

    (void)env;
    if (w->of[i]) {
        make_of(b, w->of[i], in, out);
    } else if (w->by[i]) {
        make_by(b, w->by[i], in, out);
    } else if (ir_ops[n->op].flag == IR_FLOW && ir_ops[n->op].record != IR_AT_custom) {
        const cot_status status = pass_rewrite_subs(b, n, pass_rematerialize, &at);
        if (status != COT_OK)
            b->status = status;
        else
            ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
    } else {
        ir_copy_node(b, n, in, out);
    }
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
    remat_pairs w = { .f = f, .a = f->arena };

    *out = (ir_graph *)f;
    if (!f->loops)
        return COT_OK;
    find_pairs(&w);
    return pass_rewrite_with(f, "rematerialize", visit, &w, out);
}
