/* The program of one process of several: what it owns of each spread axis, and what it sends.
 *
 * A value of the prepared graph is the same on all processes, or one of its axes is that of the
 * groups and each process has the rows of those that it owns, in the order of owner.h.  Where
 * spread axes nest, processes are a grid: both axes of a value may be parted, the outer one
 * among the processes of a column, the inner one among those of a row.
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
 *   loop around these
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
own_reduce(own_walk *w, const ir_node *n, pass_among among)
{
    const ir_ref v = n->in[0];
    const ir_combine by = ir_ops[n->op].by;
    const own_form form = pass_own_form(w, v);
    const int axis = form.of[among] - 1;
    const int64_t groups = ir_type_at(w->f, v)->dims[axis];
    const ir_type *t = ir_type_at(w->f, n->first);
    ir_ref x = ir_move_axis(w->b, pass_own_own(w, v), axis, 0);
    own_form rest = pass_own_with(form, among, -1);

    for (int k = 0; k < PASS_AMONGS; k++)
        if (rest.of[k] > 1 + axis)
            rest.of[k]--;
    if (by == IR_BY_SUM) {
        own_sum *s = w->sum[n->first] = IR_NEW(w->b->arena, own_sum);
        *s = (own_sum){ x, among, groups, t, rest, NULL };
        return;
    }
    x = ir_reduce(w->b, (ir_op)n->op, x, (ir_axes)1);
    pass_own_set(
        w, n->first,
        pass_own_reduce(w, x, among, groups, by, pass_own_type(w, t, rest), t->size, -1), rest);
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
    *s = *of;
    s->perm = both;
}

static void
own_transpose(own_walk *w, const ir_node *n)
{
    const ir_ints perm = n->at->perm.perm;
    const own_form form = pass_own_form(w, n->in[0]);

    pass_own_set(w, n->first, ir_transpose(w->b, pass_own_own(w, n->in[0]), perm.at),
                 pass_own_permuted(form, perm));
}

/* Takes an axis that those processes share into *form.  false: they share another one. */
static bool
join(own_form *form, own_form with, pass_among among)
{
    const int axis = with.of[among] - 1;

    if (axis < 0 || form->of[among] == with.of[among])
        return true;
    if (form->of[among])
        return false;
    if (pass_own_among(*form, axis) == PASS_AMONGS)
        *form = pass_own_with(*form, among, axis);
    return true;
}

/* What is parted of any operand of a pointwise node; false: nothing, or they contradict each
 * other. */
static bool
common_form(const own_walk *w, const ir_node *n, own_form *form)
{
    *form = (own_form){ { 0 } };
    for (int i = 0; i < n->n_in; i++) {
        const own_form of = pass_own_form(w, n->in[i]);
        if (!join(form, of, PASS_AMONG_COLUMN) || !join(form, of, PASS_AMONG_ROW))
            return false;
    }
    const bool grid = !pass_own_is_whole(*form);
    for (int i = 0; i < n->n_in && !grid; i++)
        if (!join(form, pass_own_form(w, n->in[i]), PASS_AMONG_ALL))
            return false;
    return !pass_own_is_whole(*form);
}

static void
own_pointwise(own_walk *w, const ir_node *n, own_form form)
{
    ir_ref *in = IR_NEW_N(w->b->arena, ir_ref, n->n_in + 1),
           *y = IR_NEW_N(w->b->arena, ir_ref, n->n_out + 1);

    for (int i = 0; i < n->n_in; i++)
        in[i] = pass_own_as(w, n->in[i], form);
    w->b->loc = n->loc;
    ir_copy_node(w->b, n, in, y);
    for (int i = 0; i < n->n_out; i++)
        pass_own_set(w, n->first + (ir_ref)i, y[i], form);
}

static cot_status own_graph(ir_graph *f, const void *user, ir_graph **out);

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

/* ---- graphs ---- */

static bool
is_same_rank(const own_walk *w, const ir_node *n)
{
    for (int i = 0; i < n->n_in; i++)
        if (ir_type_at(w->f, n->in[i])->rank != ir_type_at(w->f, n->first)->rank)
            return false;
    return true;
}

/* Who shares the groups that a node reduces; PASS_AMONGS: nobody, or it does more. */
static pass_among
reduced_among(const own_walk *w, const ir_node *n)
{
    const ir_ref x = n->in[0];
    const own_form form = pass_own_form(w, x);

    for (int k = 0; k < PASS_AMONGS; k++)
        if (form.of[k] && n->at->axes.axes == ir_axes_of(form.of[k] - 1))
            return ir_type_at(w->f, x)->dims[form.of[k] - 1] > 0 ? (pass_among)k : PASS_AMONGS;
    return PASS_AMONGS;
}

static void
own_node(own_walk *w, const ir_node *n)
{
    const ir_ref x = n->n_in > 0 ? n->in[0] : IR_NONE;
    const pass_among among = x && is_shared(n) ? reduced_among(w, n) : PASS_AMONGS;
    own_form form;

    w->b->loc = n->loc;
    if (ir_ops[n->op].loop && pass_own_loop(w, n))
        return;
    if (among < PASS_AMONGS)
        own_reduce(w, n, among);
    else if (x && pass_own_is_unread(w, x) && ir_ops[n->op].record == IR_AT_perm)
        own_transposed_sum(w, n);
    else if (x && pass_is_parted(w, x) && ir_ops[n->op].record == IR_AT_perm)
        own_transpose(w, n);
    else if (ir_ops[n->op].flag == IR_POINTWISE && is_same_rank(w, n) &&
             common_form(w, n, &form))
        own_pointwise(w, n, form);
    else if (!pass_own_pick(w, n))
        copy_whole(w, n);
}

static void
own_inputs(own_walk *w, const own_form *form)
{
    const ir_graph *f = w->f;

    for (int i = 0; i < f->n_in; i++) {
        const ir_ref v = f->in[i];
        if (!form || pass_own_is_whole(form[i])) {
            w->whole[v] = ir_input_like(w->b, f, v, "");
            continue;
        }
        const ir_type *t = pass_own_type(w, ir_type_at(f, v), form[i]);
        pass_own_set(w, v, t ? ir_input(w->b, t, f->in_name[i]) : IR_NONE, form[i]);
    }
}

static void
own_outputs(own_walk *w, own_form *form)
{
    for (int j = 0; j < w->f->n_out; j++) {
        const ir_ref v = w->f->out[j];
        if (form && pass_own_same(form[j], OWN_EITHER))
            form[j] = pass_own_form(w, v);
        pass_output(w->b, w->f, j,
                    form && !pass_own_is_whole(form[j]) ? pass_own_as(w, v, form[j])
                                                        : pass_own_whole(w, v),
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
build_graph(const ir_graph *f, own_program *program, bool first, const own_form *in,
            own_form *outs, ir_graph **out)
{
    own_walk w = { .program = program, .b = ir_build_like(f, f->name), .f = f };
    const pass_world *world = program->world;
    ir_arena *a = w.b->arena;

    w.b->uncontracted = f->uncontracted;
    w.b->guarded = f->guarded;
    w.b->contracted = f->contracted;
    w.whole = IR_NEW_N(a, ir_ref, f->n_values);
    w.rows = IR_NEW_N(a, ir_ref, f->n_values);
    w.form = IR_NEW_N(a, own_form, f->n_values);
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

/* The whole program, by a rule. */
static cot_status
build_by(const ir_graph *f, own_program *program, pass_own_rule rule, ir_graph **out)
{
    const pass_world *world = program->world;
    const own_form whole = { { 0 } }, rows = pass_own_with(whole, PASS_AMONG_ALL, 0);
    own_form *in = IR_NEW_N(f->arena, own_form, f->n_in + 1),
             *outs = IR_NEW_N(f->arena, own_form, f->n_out + 1);

    *program = (own_program){ .world = world,
                              .graph = build_graph,
                              .rule = rule,
                              .columns = program->columns,
                              .axes = program->axes };
    for (int i = 0; i < f->n_in; i++)
        in[i] = world->spread_in && world->spread_in[i] ? rows : whole;
    for (int j = 0; j < f->n_out; j++)
        outs[j] = world->spread_out && world->spread_out[j] ? rows : whole;
    return build_graph(f, program, true, in, outs, out);
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
    ir_graph *each;
    COT_TRY(pass_own_examples(f, &each));
    if (spread && lanes)
        return refuse_lanes(f, "arrays are spread");
    program.columns = pass_own_columns(each, world);
    program.axes = pass_spread_axes(each);
    COT_TRY(build_by(
        each, &program,
        spread || world->wanted == 1 + PASS_OWN_RUNS ? PASS_OWN_RUNS : PASS_OWN_LEAVES, out));
    const bool cheaper =
        !world->wanted && program.sent[PASS_OWN_RUNS] < program.sent[PASS_OWN_LEAVES];
    if (program.moves && lanes)
        return refuse_lanes(f, "rows move between groups");
    if ((program.moves || cheaper) && program.rule != PASS_OWN_RUNS)
        COT_TRY(build_by(each, &program, PASS_OWN_RUNS, out));
    COT_TRY(pass_own_order(*out, world, out));
    (*out)->n_inout = f->n_inout;
    (*out)->inout =
        ir_copy_bytes((*out)->arena, f->inout, sizeof *f->inout * (size_t)f->n_inout);
    return COT_OK;
}
