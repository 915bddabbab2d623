/* Rules of while: jvp, vmap, split. while_transpose.c has the transpose.
 *
 * The predicate depends on values only, so tangents are carried along.  Under vmap the
 * predicate is unchanged if no mapped value reaches it.  Otherwise the loop takes the mapped
 * form: everything has the mapped axis, the predicate has a value for each example, and the op
 * keeps the values of examples that are done.  Loops in the body are then masked by the
 * predicate, so that they do not iterate for such examples.
 *
 * Split: the known half is the loop without the unknown values.
 *
 *   without a bound   It also counts its iterations. The rest is a loop over that count, which
 *                     recomputes the known carries along with the unknown ones
 *                     (while_transpose.c runs it backwards).
 *   with a bound N    It is a scan of N steps which saves the state before each step, and the
 *                     flag `active`. The rest is a scan over those. The loop itself follows the
 *                     known scan: it takes no step, or fails because it exceeds its bound. */
#include "passes/rules/flow.h"

static void
while_loop(ir_build *b, int consts, int64_t max, ir_graph *cond, ir_graph *body, int n_in,
           const ir_ref *in, ir_ref *out)
{
    if (b->status == COT_OK)
        ir_add_node(
            b, OP_while, n_in, in,
            &(ir_attrs){ .loop = { .consts = consts, .max = max, .cond = cond, .body = body } },
            out);
}

static const ir_type *
predicate_type(const ir_node *n)
{
    return ir_type_at(n->at->loop.cond, n->at->loop.cond->out[0]);
}

/* The jvp of the body, repeated until the set of carries with tangents is stable. */
static ir_graph *
jvp_body(ir_build *b, const ir_node *n, bool *active, bool *varies)
{
    int k = (int)n->at->loop.consts;
    ir_graph *body = NULL;
    bool again = true;

    while (again) {
        again = false;
        memcpy(varies, active + k, sizeof *varies * (size_t)n->n_out);
        if (!pass_flow_ok(b, pass_jvp_graph(n->at->loop.body, active, varies, &body)))
            return NULL;
        for (int i = 0; i < n->n_out; i++)
            if (varies[i] && !active[k + i])
                active[k + i] = again = true;
    }
    return body;
}

void
jvp_while(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    ir_arena *a = b->arena;
    int k = (int)n->at->loop.consts, n_in = 0, consts, at = n->n_out;
    bool *active = IR_NEW_N(a, bool, n->n_in), *varies = IR_NEW_N(a, bool, n->n_out);
    flow_port *port = IR_NEW_N(a, flow_port, 2 * n->n_in);
    ir_ref *x = IR_NEW_N(a, ir_ref, 2 * n->n_in), *z = IR_NEW_N(a, ir_ref, 2 * n->n_out);

    (void)f;
    for (int i = 0; i < n->n_in; i++)
        active[i] = in[i].tan != IR_NONE;
    ir_graph *body = jvp_body(b, n, active, varies), *cond;
    if (!body)
        return;
    pass_take_duals(b, n, active, in, 0, k, port, x, &n_in);
    consts = n_in;
    pass_take_duals(b, n, active, in, k, n->n_in, port, x, &n_in);
    /* The tangents of the carries follow the carries, as in the outputs of the body. */
    body = pass_flow_permute(b, body, n_in, port, body ? body->n_out : 0, NULL);
    for (int i = 0; i < n_in; i++)
        if (port[i].at >= n->n_in)
            port[i] = (flow_port){ -1, x[i] ? ir_btype(b, x[i]) : NULL };
    cond = pass_flow_permute(b, n->at->loop.cond, n_in, port, 1, NULL);
    while_loop(b, consts, n->at->loop.max, cond, body, n_in, x, z);
    for (int j = 0; j < n->n_out; j++)
        y[j] = (dual){ z[j], varies[j] ? z[at++] : IR_NONE };
}

/* The body, with its loops masked by the predicate of the same operands. */
static ir_graph *
masked_body(ir_build *outer, const ir_node *n)
{
    const ir_graph *f = n->at->loop.body, *g = pass_mask_whiles(outer, f);

    if (outer->status != COT_OK)
        return NULL;
    ir_build *b = pass_flow_begin(outer, f->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, g->n_in), *y = IR_NEW_N(b->arena, ir_ref, g->n_out);

    for (int i = 0; i < f->n_in; i++)
        in[i + 1] = ir_input_like(b, f, f->in[i], "");
    ir_inline_graph(b, n->at->loop.cond, in + 1, in);
    ir_inline_graph(b, g, in, y);
    for (int j = 0; j < g->n_out; j++)
        ir_output(b, y[j]);
    return pass_flow_end(outer, b, f);
}

/* The mapped form: everything gets the mapped axis. */
static void
vmap_all(ir_build *b, const ir_node *n, int64_t size, const ir_ref *in, const bool *mapped,
         pass_map_graph *map, ir_ref *y)
{
    bool *all = IR_NEW_N(b->arena, bool, n->n_in + n->n_out + 1);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in);
    const ir_graph *body = n->at->loop.body;
    ir_graph *c = NULL, *g = NULL;

    for (int i = 0; i < n->n_in + n->n_out + 1; i++)
        all[i] = true;
    for (int i = 0; i < n->n_in; i++)
        x[i] = pass_map_operand(b, in[i], mapped[i], size);
    /* A predicate that was already mapped has masked its loops then. */
    if (predicate_type(n)->rank == 0 && body->whiles)
        body = masked_body(b, n);
    if (body && pass_flow_ok(b, map(n->at->loop.cond, size, all, all + n->n_in, &c)) &&
        pass_flow_ok(b, map(body, size, all, all + n->n_in, &g)))
        while_loop(b, (int)n->at->loop.consts, n->at->loop.max, c, g, n->n_in, x, y);
}

void
pass_vmap_while(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size,
                const ir_ref *in, const bool *mapped, pass_map_graph *map, ir_ref *y,
                bool *out_mapped)
{
    int k = (int)n->at->loop.consts;
    bool *is = ir_copy_bytes(b->arena, mapped, sizeof *mapped * (size_t)n->n_in), again = true;
    bool chooses = false;
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in);
    ir_graph *cond = NULL, *body = NULL;

    while (again && predicate_type(n)->rank == 0) {
        again = chooses = false;
        memcpy(out_mapped, is + k, sizeof *is * (size_t)n->n_out);
        if (!pass_flow_ok(b, map(n->at->loop.cond, size, is, &chooses, &cond)))
            return;
        if (chooses)
            break;
        if (!pass_flow_ok(b, map(n->at->loop.body, size, is, out_mapped, &body)))
            return;
        for (int i = 0; i < n->n_out; i++)
            if (out_mapped[i] && !is[k + i])
                is[k + i] = again = true;
    }
    if (chooses && (n->at->loop.cond->effectful || n->at->loop.body->effectful)) {
        /* each example has its own effects only */
        pass_one_by_one(b, f, n, size, in, mapped, y, out_mapped);
        return;
    }
    if (chooses || predicate_type(n)->rank > 0) {
        for (int i = 0; i < n->n_out; i++)
            out_mapped[i] = true;
        vmap_all(b, n, size, in, mapped, map, y);
        return;
    }
    for (int i = 0; i < n->n_in; i++)
        x[i] = is[i] && !mapped[i] ? pass_map_operand(b, in[i], false, size) : in[i];
    while_loop(b, k, n->at->loop.max, cond, body, n->n_in, x, y);
}

void
vmap_while(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
           const bool *mapped, ir_ref *y, bool *out_mapped)
{
    pass_vmap_while(b, f, n, size, in, mapped, pass_vmap_graph, y, out_mapped);
}

/* Splitting. */

typedef struct while_split {
    const ir_node *n;
    int k;               /* consts */
    const bool *given;   /* which operands are known */
    bool *known;         /* inputs of the body that are known in every step */
    const ir_type *lead; /* type of the predicate */
    flow_split h;        /* the split of the body */
    int kk, ks;          /* known consts, known carries */
    flow_port *port;     /* the known consts and carries, in order */
    ir_ref *x;           /* the operands of those */
} while_split;

/* The split of the body, repeated until the set of known carries is stable.  Also false if the
 * predicate depends on unknown values. */
static bool
split_body(ir_build *b, while_split *s)
{
    const ir_node *n = s->n;
    bool *unknown = IR_NEW_N(b->arena, bool, n->n_in), sees = false, again = true;

    while (again) {
        again = false;
        for (int i = 0; i < n->n_out; i++)
            unknown[i] = !s->known[s->k + i];
        if (!pass_flow_split(b, n->at->loop.body, s->known, unknown, &s->h))
            return false;
        for (int i = 0; i < n->n_out; i++)
            if (s->known[s->k + i] && !s->h.known_out[i]) {
                s->known[s->k + i] = false;
                again = true;
            }
    }
    for (int i = 0; i < n->n_in; i++)
        unknown[i] = !s->known[i];
    pass_depends(b->arena, n->at->loop.cond, unknown, &sees);
    return !sees;
}

static void
known_operands(ir_build *kb, while_split *s, const ir_ref *kin)
{
    int at = 0;

    s->port = IR_NEW_N(kb->arena, flow_port, s->n->n_in);
    s->x = IR_NEW_N(kb->arena, ir_ref, s->n->n_in);
    for (int i = 0; i < s->n->n_in; i++)
        if (s->known[i]) {
            s->kk += i < s->k;
            s->ks += i >= s->k;
            s->port[at] = (flow_port){ i, NULL };
            s->x[at++] = kin[i];
        }
}

/* Inputs of a graph: the known consts, a value of type `extra`, the known carries. in[]: by
 * input of the body. */
static ir_ref
known_inputs(ir_build *b, const while_split *s, const ir_type *extra, ir_ref *in)
{
    const ir_graph *f = s->n->at->loop.body;
    ir_ref e = IR_NONE;

    for (int i = 0; i <= s->kk + s->ks; i++) {
        if (i == s->kk && extra)
            e = ir_input(b, extra, NULL);
        if (i < s->kk + s->ks)
            in[s->port[i].at] = ir_input_like(b, f, f->in[s->port[i].at], "");
    }
    return e;
}

/* The known carries after one step. */
static void
known_step(ir_build *b, const while_split *s, const ir_ref *in, ir_ref *y)
{
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, s->kk + s->ks);
    int *which = IR_NEW_N(b->arena, int, s->ks);

    for (int i = 0; i < s->kk + s->ks; i++)
        x[i] = in[s->port[i].at];
    for (int i = 0; i < s->ks; i++)
        which[i] = i;
    pass_copy_needed(b, s->h.known, x, s->ks, which, y);
}

static ir_ref
known_cond(ir_build *b, const while_split *s, const ir_ref *in)
{
    int first = 0;
    ir_ref p = IR_NONE;

    pass_copy_needed(b, s->n->at->loop.cond, in, 1, &first, &p);
    return p;
}

static const ir_type *
counter_type(const while_split *s)
{
    return ir_type_as(s->h.known->ctx, s->lead, COT_I64);
}

/* The known step as a graph; still: a graph that returns its carries unchanged. */
static ir_graph *
step_graph(ir_build *outer, const while_split *s, bool still)
{
    ir_build *b = pass_flow_begin(outer, s->n->at->loop.body->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, s->n->n_in), *y = IR_NEW_N(b->arena, ir_ref, s->ks);

    known_inputs(b, s, NULL, in);
    if (!still)
        known_step(b, s, in, y);
    for (int i = 0; i < s->ks; i++)
        ir_output(b, still ? in[s->port[s->kk + i].at] : y[i]);
    return pass_flow_end(outer, b, s->n->at->loop.body);
}

/* The known loop with one more carry, which comes first.  It counts iterations from 0; or if
 * `once`, it is a flag that the first iteration sets, and which keeps the loop running until it
 * exceeds its bound.  In the latter case no step is computed, since its results are not used;
 * barriers make the results depend on the loop, so that it is not removed. */
static void
known_loop(ir_build *kb, const while_split *s, bool once, int64_t max, ir_ref extra,
           const ir_ref *start, ir_ref *z)
{
    const ir_type *t = once ? s->lead : counter_type(s);
    int n_in = s->n->n_in, total = s->kk + s->ks + 1;
    ir_build *b = pass_flow_begin(kb, s->n->at->loop.cond->name);
    ir_ref *in = IR_NEW_N(kb->arena, ir_ref, n_in), *y = IR_NEW_N(kb->arena, ir_ref, s->ks);
    ir_ref *x = IR_NEW_N(kb->arena, ir_ref, total), e = known_inputs(b, s, t, in);
    ir_ref p = known_cond(b, s, in);

    ir_output(b, once ? ir_op2(b, OP_or, p, e) : p);
    ir_graph *cond = pass_flow_end(kb, b, s->n->at->loop.cond), *body;
    b = pass_flow_begin(kb, s->n->at->loop.body->name);
    e = known_inputs(b, s, t, in);
    if (!once)
        known_step(b, s, in, y);
    for (int i = 0; once && i < s->ks; i++)
        y[i] = ir_op1(b, OP_barrier, in[s->port[s->kk + i].at]);
    ir_output(b, once ? ir_splat(b, t, 1) : ir_add(b, e, ir_like(b, e, 1)));
    for (int i = 0; i < s->ks; i++)
        ir_output(b, y[i]);
    body = pass_flow_end(kb, b, s->n->at->loop.body);
    for (int i = 0; i < total; i++)
        x[i] = i < s->kk ? s->x[i] : i == s->kk ? extra : start[i - s->kk - 1];
    while_loop(kb, s->kk, max, cond, body, total, x, z);
}

/* Without a bound, the rest is the whole loop over the count, which is the first const and the
 * first carry. */
static ir_graph *
counted_body(ir_build *outer, const while_split *s)
{
    const ir_graph *f = s->n->at->loop.body;
    ir_build *b = pass_flow_begin(outer, f->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, f->n_in), *y = IR_NEW_N(b->arena, ir_ref, f->n_out);
    ir_ref i0;

    ir_input(b, counter_type(s), "trips");
    for (int i = 0; i < s->k; i++)
        in[i] = ir_input_like(b, f, f->in[i], "");
    i0 = ir_input(b, counter_type(s), "i");
    for (int i = s->k; i < f->n_in; i++)
        in[i] = ir_input_like(b, f, f->in[i], "");
    ir_inline_graph(b, f, in, y);
    ir_output(b, ir_add(b, i0, ir_like(b, i0, 1)));
    for (int j = 0; j < f->n_out; j++)
        ir_output(b, y[j]);
    return pass_flow_end(outer, b, f);
}

static ir_graph *
counted_cond(ir_build *outer, const while_split *s)
{
    const ir_graph *f = s->n->at->loop.body;
    ir_build *b = pass_flow_begin(outer, s->n->at->loop.cond->name);
    ir_ref trips = ir_input(b, counter_type(s), "trips"), i0 = IR_NONE;

    for (int i = 0; i <= f->n_in; i++) {
        if (i == s->k)
            i0 = ir_input(b, counter_type(s), "i");
        if (i < f->n_in)
            ir_input_like(b, f, f->in[i], "");
    }
    ir_output(b, ir_op2(b, OP_lt, i0, trips));
    return pass_flow_end(outer, b, s->n->at->loop.cond);
}

static void
split_counting(pass_splitter *sp, ir_build *kb, ir_build *rb, while_split *s, const ir_ref *kin,
               const ir_ref *rin, ir_ref *kout, ir_ref *rout)
{
    const ir_node *n = s->n;
    ir_ref *z = IR_NEW_N(kb->arena, ir_ref, s->ks + 1),
           *u = IR_NEW_N(rb->arena, ir_ref, n->n_in + 2);
    ir_ref *v = IR_NEW_N(rb->arena, ir_ref, n->n_out + 1);

    known_loop(kb, s, false, n->at->loop.max, ir_splat_int(kb, counter_type(s), 0),
               s->x + s->kk, z);
    u[0] = pass_residual(sp, z[0]);
    for (int i = 0; i < n->n_in; i++)
        u[i + 1 + (i >= s->k)] = s->given[i] ? pass_residual(sp, kin[i]) : rin[i];
    u[s->k + 1] = ir_splat_int(rb, counter_type(s), 0);
    ir_graph *body = counted_body(rb, s);
    while_loop(rb, s->k + 1, 0, counted_cond(rb, s), body, n->n_in + 2, u, v);
    for (int j = 0, at = 1; j < n->n_out; j++)
        if (s->known[s->k + j])
            kout[j] = z[at++];
        else
            rout[j] = v[j + 1];
}

/* A step of the known scan: the carries; then, as they were before the step, the carries again
 * and `active`. */
static ir_graph *
bounded_step(ir_build *outer, const while_split *s)
{
    ir_build *b = pass_flow_begin(outer, s->n->at->loop.body->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, s->n->n_in), *y = IR_NEW_N(b->arena, ir_ref, s->ks);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, s->kk + s->ks), active;

    known_inputs(b, s, NULL, in);
    for (int i = 0; i < s->kk + s->ks; i++)
        x[i] = in[s->port[i].at];
    active = known_cond(b, s, in);
    ir_graph *step = step_graph(b, s, true);
    pass_flow_choose(b, active, step, step_graph(b, s, false), s->kk + s->ks, x, y);
    for (int i = 0; i < s->ks; i++)
        ir_output(b, y[i]);
    for (int i = 0; i < s->ks; i++)
        ir_output(b, x[s->kk + i]);
    ir_output(b, active);
    return pass_flow_end(outer, b, s->n->at->loop.body);
}

/* The operands of one step of the rest: known consts, unknown consts, unknown carries, known
 * carries, each in the order of the body's inputs.  Returns which of these four groups input i
 * belongs to. */
static int
rest_part(const while_split *s, int i)
{
    return i < s->k ? (s->known[i] ? 0 : 1) : s->known[i] ? 3 : 2;
}

/* What a step does to the unknown carries. */
typedef enum rest_step { STEPS, STAYS, STAYS_APART } rest_step;

/* The unknown carries after a step, computed with the known ones; STAYS: unchanged;
 * STAYS_APART: behind barriers. */
static ir_graph *
rest_graph(ir_build *outer, const while_split *s, rest_step how)
{
    const ir_graph *f = s->n->at->loop.body;
    ir_build *b = pass_flow_begin(outer, f->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, f->n_in), *y = IR_NEW_N(b->arena, ir_ref, f->n_out);
    int *which = IR_NEW_N(b->arena, int, f->n_out), n_out = 0;

    for (int part = 0; part < 4; part++)
        for (int i = 0; i < f->n_in; i++)
            if (rest_part(s, i) == part)
                in[i] = ir_input_like(b, f, f->in[i], "");
    for (int j = 0; j < f->n_out; j++)
        if (!s->known[s->k + j])
            which[n_out++] = j;
    if (how == STEPS) {
        ir_ref *x = IR_NEW_N(b->arena, ir_ref, f->n_in);
        ir_ref *z = IR_NEW_N(b->arena, ir_ref, s->h.known->n_out + s->h.rest->n_in);
        int at = s->h.n_known + s->h.n_res;

        for (int i = 0; i < s->kk + s->ks; i++)
            x[i] = in[s->port[i].at];
        ir_inline_graph(b, s->h.known, x, z);
        for (int i = 0; i < f->n_in; i++)
            if (!s->known[i])
                z[at++] = in[i];
        ir_inline_graph(b, s->h.rest, z + s->h.n_known, y);
    }
    for (int j = 0; j < n_out; j++)
        ir_output(b, how == STEPS   ? y[j]
                     : how == STAYS ? in[s->k + which[j]]
                                    : ir_op1(b, OP_barrier, in[s->k + which[j]]));
    return pass_flow_end(outer, b, f);
}

/* A step of the rest's scan: its operands are those of rest_part, then `active`; it returns the
 * unknown carries. */
static ir_graph *
bounded_rest(ir_build *outer, const while_split *s)
{
    const ir_graph *f = s->n->at->loop.body;
    ir_build *b = pass_flow_begin(outer, f->name);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, f->n_in), *y = IR_NEW_N(b->arena, ir_ref, f->n_out),
           active;
    int at = 0, n_out = s->n->n_out - s->ks;

    for (int part = 0; part < 4; part++)
        for (int i = 0; i < f->n_in; i++)
            if (rest_part(s, i) == part)
                x[at++] = ir_input_like(b, f, f->in[i], "");
    active = ir_input(b, s->lead, "active");
    ir_graph *stays = rest_graph(b, s, STAYS), *steps = rest_graph(b, s, STEPS);
    if (stays == steps) /* nothing else depends on `active`, and so on the loop's bound */
        stays = rest_graph(b, s, STAYS_APART);
    pass_flow_choose(b, active, stays, steps, at, x, y);
    for (int j = 0; j < n_out; j++)
        ir_output(b, y[j]);
    return pass_flow_end(outer, b, f);
}

/* The known scan, followed by the loop itself, which fails if it has not ended. z: the carries
 * at the end; state: each known carry before each step; active: for each step. */
static void
bounded_known(ir_build *kb, while_split *s, ir_ref *z, ir_ref *state, ir_ref *active)
{
    int64_t max = s->n->at->loop.max;
    ir_ref *y = IR_NEW_N(kb->arena, ir_ref, 2 * s->ks + 1),
           *w = IR_NEW_N(kb->arena, ir_ref, s->ks + 1);
    ir_graph *step = bounded_step(kb, s);

    if (kb->status != COT_OK)
        return;
    ir_add_node(
        kb, OP_scan, s->kk + s->ks, s->x,
        &(ir_attrs){
            .scan = { .consts = s->kk, .carries = s->ks, .length = max, .body = step } },
        y);
    known_loop(kb, s, true, max, ir_splat_int(kb, s->lead, 0), y, w);
    memcpy(z, w + 1, sizeof *z * (size_t)s->ks);
    memcpy(state, y + s->ks, sizeof *state * (size_t)s->ks);
    /* The flag is false here.  The saved values depend on it, so that the check is kept where
     * only the gradient is used. */
    *active = ir_op2(kb, OP_or, y[2 * s->ks], ir_broadcast_axis(kb, w[0], 0, max));
}

static void
split_bounded(pass_splitter *sp, ir_build *kb, ir_build *rb, while_split *s, const ir_ref *kin,
              const ir_ref *rin, ir_ref *kout, ir_ref *rout)
{
    const ir_node *n = s->n;
    ir_ref *z = IR_NEW_N(kb->arena, ir_ref, s->ks), *state = IR_NEW_N(kb->arena, ir_ref, s->ks);
    ir_ref *u = IR_NEW_N(rb->arena, ir_ref, n->n_in + 1),
           *v = IR_NEW_N(rb->arena, ir_ref, n->n_out);
    ir_ref active = IR_NONE;
    int at = 0, unknown = n->n_out - s->ks;

    bounded_known(kb, s, z, state, &active);
    for (int part = 0, t = 0; part < 4; part++)
        for (int i = 0; i < n->n_in; i++)
            if (rest_part(s, i) == part)
                u[at++] = part == 3     ? pass_residual(sp, state[t++])
                          : s->given[i] ? pass_residual(sp, kin[i])
                                        : rin[i];
    u[at++] = pass_residual(sp, active);
    ir_graph *body = bounded_rest(rb, s);
    if (rb->status == COT_OK)
        ir_add_node(rb, OP_scan, at, u,
                    &(ir_attrs){ .scan = { .consts = s->k,
                                           .carries = unknown,
                                           .length = n->at->loop.max,
                                           .body = body } },
                    v);
    for (int j = 0, at_k = 0, at_r = 0; j < n->n_out; j++)
        if (s->known[s->k + j])
            kout[j] = z[at_k++];
        else
            rout[j] = v[at_r++];
}

void
split_while(pass_splitter *sp, ir_build *kb, ir_build *rb, const ir_graph *f, const ir_node *n,
            const bool *given, const ir_ref *kin, const ir_ref *rin, ir_ref *kout, ir_ref *rout)
{
    while_split s = { .n = n,
                      .k = (int)n->at->loop.consts,
                      .given = given,
                      .lead = predicate_type(n),
                      .known =
                          ir_copy_bytes(kb->arena, given, sizeof *given * (size_t)n->n_in) };

    (void)f;
    if (!split_body(kb, &s)) {
        ir_ref *x = IR_NEW_N(rb->arena, ir_ref, n->n_in);

        for (int i = 0; i < n->n_in; i++)
            x[i] = given[i] ? pass_residual(sp, kin[i]) : rin[i];
        ir_copy_node(rb, n, x, rout);
        return;
    }
    known_operands(kb, &s, kin);
    if (n->at->loop.max > 0)
        split_bounded(sp, kb, rb, &s, kin, rin, kout, rout);
    else
        split_counting(sp, kb, rb, &s, kin, rin, kout, rout);
}
