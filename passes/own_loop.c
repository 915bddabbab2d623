/* pass_own: loops.
 *
 * The steps of a spread scan are groups, of which a process runs its own.  Where spread axes
 * nest, processes are a grid: those of a column share the groups of the outermost axis, and
 * those of a row the groups of the next one.  Either scan may be within the other.
 *
 * The steps of any other scan, of one that no processes are left to share, and of a while are
 * the same on all processes.  What a step takes and makes may be own rows: consts and slices as
 * the operands are, results as they come out of the body. */
#include "passes/own.h"

/* The most groups of an axis of f. */
static int64_t
most_groups(const ir_graph *f, int64_t axis)
{
    const ir_graph *const *all;
    int64_t most = 0;

    for (uint32_t i = 0, n = ir_all_graphs(f, true, &all, f->arena); i < n; i++)
        ir_each_node (node, all[i])
            if (ir_is_spread(node) && node->at->scan.spread_axis == axis &&
                node->at->scan.length > most)
                most = node->at->scan.length;
    return most;
}

static int64_t
parts_of(int64_t n, int64_t by)
{
    return (n + by - 1) / by;
}

int
pass_own_columns(const ir_graph *f, const pass_world *world)
{
    const int64_t axes = pass_spread_axes(f);
    int64_t least = INT64_MAX;
    int best = 1;

    if (axes < 2)
        return 1;
    if (world->columns > 0 && world->size % world->columns == 0)
        return world->columns;
    if (world->spread_in || world->spread_out)
        return 1;
    const int64_t outer = most_groups(f, axes - 1), inner = most_groups(f, axes - 2);
    for (int columns = 1; columns <= world->size; columns++) {
        if (world->size % columns)
            continue;
        const int64_t groups =
            parts_of(outer, world->size / columns) * parts_of(inner, columns);
        if (groups >= least)
            continue;
        best = columns;
        least = groups;
    }
    return best;
}

/* A carry is own rows if a step makes own rows of them: this is tried.  The first trial takes
 * carries as their start is; each next one as the one before it made them, and a carry that
 * comes out in another form than it went in is whole from then on.  Any choice is right, since
 * rows and whole values convert into each other.  Trials of loops within each other multiply,
 * so that only the outer levels have them; further in, carries are whole. */
enum { TRIALS = 4, TRIED_LEVELS = 3 };

typedef struct own_loop {
    const ir_node *n;
    ir_graph *body, *cond; /* cond: of a while */
    int consts, carries;
    own_form *in, *outs; /* of the body */
    bool *settled;       /* by carry: it stays whole */
} own_loop;

static const own_form whole = { { 0 } };

static own_loop
loop_of(const own_walk *w, const ir_node *n)
{
    ir_arena *a = w->b->arena;
    const ir_loop of = ir_loop_of(n);

    return (own_loop){ .n = n,
                       .body = of.body,
                       .cond = of.cond,
                       .consts = of.consts,
                       .carries = of.carries,
                       .in = IR_NEW_N(a, own_form, n->n_in + 1),
                       .outs = IR_NEW_N(a, own_form, n->n_out + 1),
                       .settled = IR_NEW_N(a, bool, n->n_out + 1) };
}

/* A step takes one element of the first axis of these operands. */
static bool
is_slice(const own_loop *l, int i)
{
    return i >= l->consts + l->carries;
}

/* The forms of the operands in the body; is any of them parted? */
static bool
take_operands(const own_walk *w, own_loop *l)
{
    bool any = false;

    for (int i = 0; i < l->n->n_in; i++) {
        l->in[i] = pass_own_shifted(pass_own_form(w, l->n->in[i]), is_slice(l, i) ? -1 : 0);
        any |= !pass_own_is_whole(l->in[i]);
    }
    return any;
}

/* Takes the forms of the carries from what a trial made; has it changed any? */
static bool
take_carries(own_loop *l, int trial)
{
    bool changed = false;

    for (int c = 0; c < l->carries; c++) {
        own_form *in = &l->in[l->consts + c], want = l->outs[c];
        if (l->settled[c] ||
            (!pass_own_same(want, *in) && (trial > 0 || !pass_own_is_whole(*in))))
            want = whole;
        l->settled[c] |= pass_own_is_whole(want) && trial > 0;
        changed |= !pass_own_same(want, *in);
        *in = want;
    }
    return changed;
}

/* The body, with its results in the forms of l->outs. */
static ir_graph *
make_body(own_walk *w, own_loop *l)
{
    ir_graph *body = NULL;

    if (w->b->status == COT_OK)
        w->b->status = w->program->graph(l->body, w->program, false, l->in, l->outs, &body);
    return body;
}

static void
ask_outs(own_loop *l, int from)
{
    for (int j = from; j < l->n->n_out; j++)
        l->outs[j] = OWN_EITHER;
}

/* Finds forms of the carries.  The body of the last trial, where its carries come out as they
 * go in; else NULL. */
static ir_graph *
try_carries(own_walk *w, own_loop *l)
{
    const int trials = w->program->level > TRIED_LEVELS ? 0 : TRIALS;
    ir_graph *body = NULL;
    bool changed = true;

    for (int trial = 0; trial < trials && changed && w->b->status == COT_OK; trial++) {
        ask_outs(l, 0);
        body = make_body(w, l);
        changed = w->b->status == COT_OK && take_carries(l, trial);
    }
    for (int c = 0; c < l->carries; c++) {
        if (changed)
            l->in[l->consts + c] = whole;
        if (!pass_own_same(l->outs[c], l->in[l->consts + c]))
            body = NULL;
    }
    return changed ? NULL : body;
}

/* The body with the forms of carries that were found. */
static ir_graph *
own_body(own_walk *w, own_loop *l)
{
    ir_graph *body = try_carries(w, l);

    if (body)
        return body;
    memcpy(l->outs, l->in + l->consts, sizeof *l->outs * (size_t)l->carries);
    ask_outs(l, l->carries);
    return make_body(w, l);
}

/* What has the steps, themselves parted or whole, as an axis before those of each. */
static own_form
stacked(own_form each, own_form steps)
{
    own_form all = pass_own_shifted(each, 1);

    for (int k = 0; k < PASS_AMONGS; k++)
        all.of[k] = steps.of[k] ? steps.of[k] : all.of[k];
    return all;
}

/* The predicate of a while, in the form of its body. */
static ir_graph *
own_predicate(own_walk *w, const own_loop *l)
{
    ir_graph *cond = NULL;

    if (w->b->status == COT_OK)
        w->b->status = w->program->graph(l->cond, w->program, false, l->in, NULL, &cond);
    return cond;
}

/* The node, for a scan of so many steps, with the forms that were found. */
static void
make_loop(own_walk *w, const own_loop *l, ir_graph *body, int64_t length, own_form steps)
{
    const ir_node *n = l->n;
    ir_ref *in = IR_NEW_N(w->b->arena, ir_ref, n->n_in + 1),
           *y = IR_NEW_N(w->b->arena, ir_ref, n->n_out + 1);
    ir_attrs at = ir_node_attrs(n);

    if (l->cond) {
        at.loop.body = body;
        at.loop.cond = own_predicate(w, l);
    } else {
        at.scan.body = body;
        at.scan.length = length;
    }
    for (int i = 0; i < n->n_in; i++)
        in[i] = pass_own_as(w, n->in[i], is_slice(l, i) ? stacked(l->in[i], steps) : l->in[i]);
    w->b->loc = n->loc;
    if (w->b->status == COT_OK)
        ir_add_node(w->b, (ir_op)n->op, n->n_in, in, &at, y);
    for (int j = 0; j < n->n_out; j++)
        pass_own_set(w, n->first + (ir_ref)j, y[j],
                     j >= l->carries ? stacked(l->outs[j], steps) : l->outs[j]);
}

static bool
own_same_steps(own_walk *w, const ir_node *n)
{
    own_loop l = loop_of(w, n);
    const bool by_example = l.cond && ir_type_at(l.cond, l.cond->out[0])->rank > 0;

    if (by_example || (!take_operands(w, &l) && !pass_has_groups(l.body) &&
                       !(l.cond && pass_has_groups(l.cond))))
        return false;
    w->program->level++;
    ir_graph *body = own_body(w, &l);
    if (w->b->status == COT_OK)
        make_loop(w, &l, body, l.cond ? 0 : n->at->scan.length, whole);
    w->program->level--;
    return true;
}

/* Who shares the steps of a spread scan: all; or of a grid, a column those of the outer axis
 * and a row those of the next one.  PASS_AMONGS: nobody does, or they share a scan around
 * it. */
static pass_among
steps_among(const own_program *p, const ir_node *n)
{
    const int64_t within = p->axes - 1 - n->at->scan.spread_axis;
    const pass_among among = p->columns == 1 ? PASS_AMONG_ALL
                             : within == 0   ? PASS_AMONG_COLUMN
                             : within == 1   ? PASS_AMONG_ROW
                                             : PASS_AMONGS;

    return p->within & (1u << among | 1u << PASS_AMONG_ALL) ? PASS_AMONGS : among;
}

/* The forms of the operands in a step.  Processes that have other steps share nothing within,
 * since they would meet at different times.  Is anything parted? */
static bool
take_shared(const own_walk *w, own_loop *l, pass_among among)
{
    bool any = false;

    take_operands(w, l);
    for (int i = 0; i < l->n->n_in; i++) {
        for (int k = 0; k < PASS_AMONGS; k++)
            if (among == PASS_AMONG_ALL || k == PASS_AMONG_ALL || k == (int)among)
                l->in[i].of[k] = 0;
        any |= !pass_own_is_whole(l->in[i]);
    }
    return any;
}

static void
own_other_steps(own_walk *w, const ir_node *n, pass_among among)
{
    own_program *p = w->program;
    const unsigned within = p->within;
    own_loop l = loop_of(w, n);
    ir_graph *body = l.body;
    const bool inside = take_shared(w, &l, among);

    if (inside || (p->columns > 1 && pass_has_groups(body))) {
        p->within |= 1u << among;
        ask_outs(&l, 0);
        body = make_body(w, &l);
        p->within = within;
    }
    if (w->b->status == COT_OK)
        make_loop(w, &l, body, pass_own_share(w, among, n->at->scan.length, NULL).groups,
                  pass_own_with(whole, among, 0));
}

bool
pass_own_loop(own_walk *w, const ir_node *n)
{
    if (ir_is_spread(n) && !n->at->scan.body->effectful) {
        const pass_among among = steps_among(w->program, n);
        if (among < PASS_AMONGS) {
            own_other_steps(w, n, among);
            return true;
        }
    }
    return own_same_steps(w, n);
}
