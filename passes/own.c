/* The program of one process of several: what it owns of each spread axis, and what it sends.
 *
 * A value of the prepared graph is the same on all processes, or one of its axes is that of the
 * groups and each process has the rows of those that it owns, in the order of owner.h.
 *
 *   scan, spread     runs over the own groups: its slices are the own rows, its results too
 *   reduction        of own rows over their axis alone: "processes.reduce", of the own rows of
 *                    a sum, or of the extreme of them.  Where only rows of the sum are wanted,
 *                    each process gets its own
 *   slice, concatenate, pad
 *                    of whole rows, as of ppermute: "processes.move" sends those that another
 *                    process needs (own_rows.c)
 *   pointwise, transpose
 *                    of own rows: the own rows of the result
 *   scan around these
 *                    carries own rows where a step makes own rows of them
 *   anything else    takes whole values, which "processes.gather" puts together
 *
 * Arguments and results are whole on every process, or spread: then a process has its rows.
 * Only spread scans differ between processes in what they run; loops and conds around them take
 * the same steps everywhere, since what decides is the same.  Every process reaches the same
 * calls in one order: they are nodes with effects.  The first call compares what the processes
 * run.
 *
 * A program in which rows move between groups, or are of arguments and results, owns runs of
 * groups; any other owns what is wanted, or else that by which its sums send fewer bytes:
 * mostly leaves.
 *
 * Wants: prepared.  Gives: the same function, bit for bit. */
#include "passes/own.h"

static void
own_scan(own_walk *w, const ir_node *n)
{
    const int consts = (int)n->at->scan.consts;
    ir_ref *in = IR_NEW_N(w->b->arena, ir_ref, n->n_in + 1);
    ir_attrs at = ir_node_attrs(n);

    at.scan.length = pass_own_share(w, n->at->scan.length, NULL).groups;
    for (int i = 0; i < n->n_in; i++)
        in[i] = i < consts ? pass_own_whole(w, n->in[i]) : pass_own_rows(w, n->in[i], 0);
    w->b->loc = n->loc;
    ir_add_node(w->b, OP_scan, n->n_in, in, &at, w->rows + n->first);
    for (int i = 0; i < n->n_out; i++)
        w->axis[n->first + (ir_ref)i] = 0;
}

/* Which reductions processes share: those of the collectives. */
static bool
is_shared(const ir_node *n)
{
    const ir_combine by = ir_ops[n->op].by;

    return ir_ops[n->op].flag == IR_REDUCE && ir_ops[n->op].record == IR_AT_axes &&
           by != IR_BY_PROD && by != IR_BY_NONE;
}

/* A sum waits until it is known whether all of it is wanted. */
static void
own_reduce(own_walk *w, const ir_node *n)
{
    const ir_ref v = n->in[0];
    const ir_combine by = ir_ops[n->op].by;
    const int64_t groups = pass_groups_of(w, v);
    ir_ref x = ir_move_axis(w->b, w->rows[v], w->axis[v], 0);

    if (by == IR_BY_SUM) {
        own_sum *s = w->sum[n->first] = IR_NEW(w->b->arena, own_sum);
        *s = (own_sum){ x, groups, ir_type_at(w->f, n->first), NULL };
        return;
    }
    x = ir_reduce(w->b, (ir_op)n->op, x, (ir_axes)1);
    w->whole[n->first] = pass_own_reduce(w, x, groups, by, ir_type_at(w->f, n->first), -1);
}

static bool
is_unread_sum(const own_walk *w, ir_ref v)
{
    return w->sum[v] && !w->whole[v] && !w->rows[v];
}

/* The transpose of a sum that waits; of one that is transposed itself, both. */
static void
own_transposed_sum(own_walk *w, const ir_node *n)
{
    const own_sum *of = w->sum[n->in[0]];
    const ir_ints perm = n->at->perm.perm;
    int64_t *both = IR_NEW_N(w->b->arena, int64_t, perm.n + 1);

    for (int i = 0; i < perm.n; i++)
        both[i] = of->perm ? of->perm[perm.at[i]] : perm.at[i];
    own_sum *s = w->sum[n->first] = IR_NEW(w->b->arena, own_sum);
    *s = (own_sum){ of->rows, of->groups, of->type, both };
}

static void
own_transpose(own_walk *w, const ir_node *n)
{
    const ir_ints perm = n->at->perm.perm;
    const ir_ref v = n->in[0];

    w->rows[n->first] = ir_transpose(w->b, w->rows[v], perm.at);
    for (int i = 0; i < perm.n; i++)
        if (perm.at[i] == w->axis[v])
            w->axis[n->first] = i;
}

/* The axis that the parted operands of a pointwise node share; -1: there is none. */
static int
shared_axis(const own_walk *w, const ir_node *n)
{
    int axis = -1;

    for (int i = 0; i < n->n_in; i++) {
        if (!pass_is_parted(w, n->in[i]))
            continue;
        if (axis >= 0 && axis != w->axis[n->in[i]])
            return -1;
        axis = w->axis[n->in[i]];
    }
    return axis;
}

static void
own_pointwise(own_walk *w, const ir_node *n, int axis)
{
    ir_ref *in = IR_NEW_N(w->b->arena, ir_ref, n->n_in + 1);

    for (int i = 0; i < n->n_in; i++)
        in[i] = pass_own_rows(w, n->in[i], axis);
    w->b->loc = n->loc;
    ir_copy_node(w->b, n, in, w->rows + n->first);
    for (int i = 0; i < n->n_out; i++)
        w->axis[n->first + (ir_ref)i] = axis;
}

static cot_status own_graph(ir_graph *f, const void *user, ir_graph **out);
/* f as this process runs it; if it is the whole program, with `begin` as its first call.  in,
 * outs: by argument and result, the axis of which it has own rows, or OWN_WHOLE; NULL: all are
 * whole.  OWN_EITHER of a result becomes what it is. */
enum { OWN_WHOLE = -1, OWN_EITHER = -2 };
static cot_status build_graph(const ir_graph *f, own_program *program, bool first,
                              const int *in, int *outs, ir_graph **out);

/* A node on whole values, the same on all processes; what is within it may have groups. */
static void
copy_whole(own_walk *w, const ir_node *n)
{
    ir_ref *in = IR_NEW_N(w->b->arena, ir_ref, n->n_in + 1);
    ir_attrs at;

    for (int i = 0; i < n->n_in; i++)
        in[i] = pass_own_whole(w, n->in[i]);
    w->b->loc = n->loc;
    if (ir_ops[n->op].flag != IR_FLOW) {
        ir_copy_node(w->b, n, in, w->whole + n->first);
        return;
    }
    const cot_status status = pass_replace_subs(w->b, n, own_graph, &w->program, &at);
    if (status != COT_OK)
        w->b->status = status;
    else
        ir_add_node(w->b, (ir_op)n->op, n->n_in, in, &at, w->whole + n->first);
}

/* ---- scans whose steps are the same on all processes ---- */

/* What a step takes and makes may be own rows: consts and slices as the operands are, results
 * as they come out of the body.  A carry is own rows if a step makes own rows of them: this is
 * tried.  The first trial takes carries as their start is; each next one as the one before it
 * made them, and a carry that comes out in another form than it went in is whole from then on.
 * Any choice is right, since rows and whole values convert into each other.  Trials of loops
 * within each other multiply, so that only the outer levels have them; further in, carries are
 * whole. */
enum { TRIALS = 4, TRIED_LEVELS = 3 };

typedef struct own_loop {
    const ir_node *n;
    int consts, carries;
    int *in, *outs; /* of the body: axes, or OWN_WHOLE */
    bool *settled;  /* by carry: it stays whole */
} own_loop;

/* The forms of the operands in the body; is any of them parted? */
static bool
take_operands(const own_walk *w, own_loop *l)
{
    bool any = false;

    for (int i = 0; i < l->n->n_in; i++) {
        const ir_ref v = l->n->in[i];
        /* A step takes one element of the first axis of what it slices. */
        const int axis = w->axis[v] - (i >= l->consts + l->carries);
        const bool parted = pass_is_parted(w, v) && axis >= 0;
        l->in[i] = parted ? axis : OWN_WHOLE;
        any |= parted;
    }
    return any;
}

/* Takes the forms of the carries from what a trial made; has it changed any? */
static bool
take_carries(own_loop *l, int trial)
{
    bool changed = false;

    for (int c = 0; c < l->carries; c++) {
        int *in = &l->in[l->consts + c];
        int want = l->outs[c];
        if (l->settled[c] || (want != *in && (trial > 0 || *in != OWN_WHOLE)))
            want = OWN_WHOLE;
        l->settled[c] |= want == OWN_WHOLE && trial > 0;
        changed |= want != *in;
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
        w->b->status =
            build_graph(l->n->at->scan.body, w->program, false, l->in, l->outs, &body);
    return body;
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
        for (int j = 0; j < l->n->n_out; j++)
            l->outs[j] = OWN_EITHER;
        body = make_body(w, l);
        changed = w->b->status == COT_OK && take_carries(l, trial);
    }
    for (int c = 0; c < l->carries; c++) {
        if (changed)
            l->in[l->consts + c] = OWN_WHOLE;
        if (l->outs[c] != l->in[l->consts + c])
            body = NULL;
    }
    return changed ? NULL : body;
}

/* The body with the forms of carries that were found. */
static ir_graph *
own_body(own_walk *w, own_loop *l)
{
    ir_graph *body = try_carries(w, l);

    for (int j = 0; j < l->n->n_out && !body; j++)
        l->outs[j] = j < l->carries ? l->in[l->consts + j] : OWN_EITHER;
    return body ? body : make_body(w, l);
}

/* The loop with the forms that were found. */
static void
make_loop(own_walk *w, own_loop *l, ir_graph *body)
{
    const ir_node *n = l->n;
    ir_ref *in = IR_NEW_N(w->b->arena, ir_ref, n->n_in + 1),
           *y = IR_NEW_N(w->b->arena, ir_ref, n->n_out + 1);
    ir_attrs at = ir_node_attrs(n);

    at.scan.body = body;
    for (int i = 0; i < n->n_in; i++)
        in[i] = l->in[i] == OWN_WHOLE
                    ? pass_own_whole(w, n->in[i])
                    : pass_own_rows(w, n->in[i], l->in[i] + (i >= l->consts + l->carries));
    w->b->loc = n->loc;
    ir_add_node(w->b, (ir_op)n->op, n->n_in, in, &at, y);
    for (int j = 0; j < n->n_out; j++) {
        const ir_ref v = n->first + (ir_ref)j;
        if (l->outs[j] == OWN_WHOLE) {
            w->whole[v] = y[j];
            continue;
        }
        w->rows[v] = y[j];
        w->axis[v] = l->outs[j] + (j >= l->carries);
    }
}

static bool
own_scan_loop(own_walk *w, const ir_node *n)
{
    ir_arena *a = w->b->arena;
    own_loop l = { .n = n,
                   .consts = (int)n->at->scan.consts,
                   .carries = (int)n->at->scan.carries,
                   .in = IR_NEW_N(a, int, n->n_in + 1),
                   .outs = IR_NEW_N(a, int, n->n_out + 1),
                   .settled = IR_NEW_N(a, bool, n->n_out + 1) };

    if (!take_operands(w, &l) && !pass_has_groups(n->at->scan.body))
        return false;
    w->program->level++;
    ir_graph *body = own_body(w, &l);
    w->program->level--;
    if (w->b->status == COT_OK)
        make_loop(w, &l, body);
    return true;
}

/* ---- graphs ---- */

static bool
is_same_rank(const own_walk *w, const ir_node *n)
{
    for (int i = 0; i < n->n_in; i++)
        if (ir_type_at(w->f, n->in[i])->rank != ir_type_at(w->f, n->first)->rank)
            return false;
    return true;
}

static void
own_node(own_walk *w, const ir_node *n)
{
    const ir_ref x = n->n_in > 0 ? n->in[0] : IR_NONE;
    const bool parted = x && pass_is_parted(w, x);
    const int axis =
        ir_ops[n->op].flag == IR_POINTWISE && is_same_rank(w, n) ? shared_axis(w, n) : -1;

    w->b->loc = n->loc;
    if (ir_is_spread(n) && !n->at->scan.body->effectful)
        own_scan(w, n);
    else if (ir_ops[n->op].record == IR_AT_scan && own_scan_loop(w, n))
        return;
    else if (parted && is_shared(n) && pass_groups_of(w, x) > 0 &&
             n->at->axes.axes == ir_axes_of(w->axis[x]))
        own_reduce(w, n);
    else if (parted && ir_ops[n->op].record == IR_AT_perm)
        own_transpose(w, n);
    else if (x && is_unread_sum(w, x) && ir_ops[n->op].record == IR_AT_perm)
        own_transposed_sum(w, n);
    else if (axis >= 0)
        own_pointwise(w, n, axis);
    else if (!pass_own_pick(w, n))
        copy_whole(w, n);
}

static void
own_inputs(own_walk *w, const int *axis)
{
    const ir_graph *f = w->f;

    for (int i = 0; i < f->n_in; i++) {
        const ir_ref v = f->in[i];
        const ir_type *t = ir_type_at(f, v);
        if (!axis || axis[i] < 0) {
            w->whole[v] = ir_input_like(w->b, f, v, "");
            continue;
        }
        t = pass_with_rows(w->b, t, axis[i], pass_own_share(w, t->dims[axis[i]], NULL).groups);
        w->rows[v] = t ? ir_input(w->b, t, f->in_name[i]) : IR_NONE;
        w->axis[v] = axis[i];
    }
}

static void
own_outputs(own_walk *w, int *axis)
{
    for (int j = 0; j < w->f->n_out; j++) {
        const ir_ref v = w->f->out[j];
        if (axis && axis[j] == OWN_EITHER)
            axis[j] = pass_is_parted(w, v) ? w->axis[v] : OWN_WHOLE;
        pass_output(w->b, w->f, j,
                    axis && axis[j] >= 0 ? pass_own_rows(w, v, axis[j]) : pass_own_whole(w, v),
                    "");
    }
}

/* The comparison of programs, and of what is whole on each process. */
static void
own_begin(own_walk *w)
{
    const ir_type *t = ir_type_new(w->b->ctx, COT_U8, 0, NULL);
    const int64_t hash = (int64_t)w->program->world->hash;
    ir_ref *x = IR_NEW_N(w->b->arena, ir_ref, w->f->n_in + 1);

    for (int i = 0; i < w->f->n_in; i++)
        x[i] = w->whole[w->f->in[i]];
    pass_own_call(w, PASS_WORLD_BEGIN, pass_own_noted(w->b, NULL, w->f->n_in, x), t,
                  pass_numbers(w->b, 1, &hash));
}

static cot_status
build_graph(const ir_graph *f, own_program *program, bool first, const int *in, int *outs,
            ir_graph **out)
{
    own_walk w = { .program = program, .b = ir_build_like(f, f->name), .f = f };
    const pass_world *world = program->world;
    ir_arena *a = w.b->arena;

    w.b->uncontracted = f->uncontracted;
    w.b->guarded = f->guarded;
    w.b->contracted = f->contracted;
    w.whole = IR_NEW_N(a, ir_ref, f->n_values);
    w.rows = IR_NEW_N(a, ir_ref, f->n_values);
    w.axis = IR_NEW_N(a, int, f->n_values);
    w.sum = IR_NEW_N(a, own_sum *, f->n_values);
    w.picked = IR_NEW_N(a, own_picked *, f->n_values);
    own_inputs(&w, in);
    if (first && !world->any)
        own_begin(&w);
    for (uint32_t i = 1; i < f->n_nodes && w.b->status == COT_OK; i++)
        own_node(&w, &f->node[i]);
    own_outputs(&w, outs);
    return pass_end(w.b, "own", out);
}

static cot_status
own_graph(ir_graph *f, const void *user, ir_graph **out)
{
    *out = f;
    return pass_has_groups(f)
               ? build_graph(f, *(own_program *const *)user, false, NULL, NULL, out)
               : COT_OK;
}

/* The whole program. */
static cot_status
build(const ir_graph *f, own_program *program, ir_graph **out)
{
    const pass_world *world = program->world;
    int *in = IR_NEW_N(f->arena, int, f->n_in + 1),
        *outs = IR_NEW_N(f->arena, int, f->n_out + 1);

    for (int i = 0; i < f->n_in; i++)
        in[i] = world->spread_in && world->spread_in[i] ? 0 : OWN_WHOLE;
    for (int j = 0; j < f->n_out; j++)
        outs[j] = world->spread_out && world->spread_out[j] ? 0 : OWN_WHOLE;
    return build_graph(f, program, true, in, outs, out);
}

/* The program by a rule. */
static cot_status
build_by(const ir_graph *f, own_program *program, pass_own_rule rule, ir_graph **out)
{
    *program = (own_program){ .world = program->world, .rule = rule };
    return build(f, program, out);
}

static cot_status
refuse_lanes(const ir_graph *f, const char *what)
{
    return ir_fail(f->ctx, 0, f->name, ERR_usage,
                   ir_format(&f->ctx->arena, "own is lanes, and %s; wants runs", what));
}

cot_status
pass_own(const ir_graph *f, const pass_world *world, ir_graph **out)
{
    own_program program = { .world = world };
    const bool spread = world->spread_in || world->spread_out;
    const bool lanes = world->wanted == 1 + PASS_OWN_LEAVES;

    *out = (ir_graph *)f;
    if (world->size < 2 || (!spread && !pass_has_groups(f)))
        return COT_OK;
    if (spread && lanes)
        return refuse_lanes(f, "arrays are spread");
    COT_TRY(build_by(
        f, &program,
        spread || world->wanted == 1 + PASS_OWN_RUNS ? PASS_OWN_RUNS : PASS_OWN_LEAVES, out));
    const bool cheaper =
        !world->wanted && program.sent[PASS_OWN_RUNS] < program.sent[PASS_OWN_LEAVES];
    if (program.moves && lanes)
        return refuse_lanes(f, "rows move between groups");
    if ((program.moves || cheaper) && program.rule != PASS_OWN_RUNS)
        COT_TRY(build_by(f, &program, PASS_OWN_RUNS, out));
    COT_TRY(pass_own_order(*out, world, out));
    (*out)->n_inout = f->n_inout;
    (*out)->inout =
        ir_copy_bytes((*out)->arena, f->inout, sizeof *f->inout * (size_t)f->n_inout);
    return COT_OK;
}
