/* Rules of scan: a scan becomes a scan.
 *
 *   jvp         which carries have tangents is found by repetition
 *   vmap        likewise which are mapped; xs and ys keep the scanned axis first, and the
 *               mapped axis is second
 *   split       likewise which are known. Values that the known scan saves for the rest are
 *               stacked like ys and read like xs; those that do not change in the loop are
 *               computed once, outside
 *   transpose   the scan runs backwards: cotangents of carries are carried, those of ys are
 *               read, those of xs are stacked, and those of consts are summed in carries
 *
 * Operands are in three groups: consts, carries, xs; so are the inputs of every body that is
 * built here. */
#include "passes/rules/flow.h"

/* The groups: operands 0 ... k-1 are consts, k ... e-1 carries, e ... n-1 xs; c is the number
 * of carries. */
typedef struct groups {
    int k, c, e, n;
} groups;

static groups
groups_of(const ir_node *n)
{
    int k = (int)n->at->scan.consts, c = (int)n->at->scan.carries;
    return (groups){ k, c, k + c, n->n_in };
}

static void
scan(ir_build *b, const ir_node *n, int consts, int carries, bool reverse, ir_graph *body,
     int n_in, const ir_ref *in, ir_ref *out)
{
    if (b->status == COT_OK)
        ir_add_node(b, OP_scan, n_in, in,
                    &(ir_attrs){ .scan = { .consts = consts,
                                           .carries = carries,
                                           .length = n->at->scan.length,
                                           .reverse = reverse,
                                           .body = body,
                                           .spread = n->at->scan.spread && !carries,
                                           .spread_axis = n->at->scan.spread_axis } },
                    out);
}

/* The jvp of the body, repeated until the set of carries with tangents is stable. */
static ir_graph *
jvp_body(ir_build *b, const ir_node *n, bool *active, bool *varies)
{
    groups g = groups_of(n);
    ir_graph *body = NULL;
    bool again = true;

    while (again) {
        again = false;
        memset(varies, 0, sizeof *varies * (size_t)n->n_out);
        memcpy(varies, active + g.k, sizeof *varies * (size_t)g.c);
        if (!pass_flow_ok(b, pass_jvp_graph(n->at->scan.body, active, varies, &body)))
            return NULL;
        for (int i = 0; i < g.c; i++)
            if (varies[i] && !active[g.k + i])
                active[g.k + i] = again = true;
    }
    return body;
}

void
jvp_scan(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    ir_arena *a = b->arena;
    groups g = groups_of(n);
    bool *active = IR_NEW_N(a, bool, g.n), *varies = IR_NEW_N(a, bool, n->n_out);
    flow_port *port = IR_NEW_N(a, flow_port, 2 * g.n);
    ir_ref *x = IR_NEW_N(a, ir_ref, 2 * g.n), *z = IR_NEW_N(a, ir_ref, 2 * n->n_out);
    int *out = IR_NEW_N(a, int, 2 * n->n_out), n_in = 0, n_out = 0, consts, carries;

    (void)f;
    for (int i = 0; i < g.n; i++)
        active[i] = in[i].tan != IR_NONE;
    ir_graph *body = jvp_body(b, n, active, varies);
    if (!body)
        return;
    pass_take_duals(b, n, active, in, 0, g.k, port, x, &n_in);
    consts = n_in;
    pass_take_duals(b, n, active, in, g.k, g.e, port, x, &n_in);
    carries = n_in - consts;
    pass_take_duals(b, n, active, in, g.e, g.n, port, x, &n_in);
    /* For output j: its position, and that of its tangent. */
    int *place = IR_NEW_N(a, int, 2 * n->n_out);
    for (int part = 0; part < 2; part++) {
        int from = part ? g.c : 0, to = part ? n->n_out : g.c, tangent = n->n_out;

        for (int j = from; j < to; j++) {
            place[j] = n_out;
            out[n_out++] = j;
        }
        for (int j = 0; j < to; j++) {
            if (j >= from && varies[j]) {
                place[n->n_out + j] = n_out;
                out[n_out++] = tangent;
            }
            tangent += varies[j];
        }
    }
    body = pass_flow_permute(b, body, n_in, port, n_out, out);
    scan(b, n, consts, carries, n->at->scan.reverse, body, n_in, x, z);
    for (int j = 0; j < n->n_out; j++)
        y[j] = (dual){ z[place[j]], varies[j] ? z[place[n->n_out + j]] : IR_NONE };
}

void
pass_vmap_scan(ir_build *b, const ir_node *n, int64_t size, const ir_ref *in,
               const bool *mapped, pass_map_graph *map, ir_ref *y, bool *out_mapped)
{
    groups g = groups_of(n);
    bool *is = IR_NEW_N(b->arena, bool, g.n), again = true;
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, g.n);
    ir_graph *body = NULL;

    memcpy(is, mapped, sizeof *is * (size_t)g.n);
    while (again) {
        again = false;
        memset(out_mapped, 0, sizeof *out_mapped * (size_t)n->n_out);
        memcpy(out_mapped, is + g.k, sizeof *is * (size_t)g.c);
        if (!pass_flow_ok(b, map(n->at->scan.body, size, is, out_mapped, &body)))
            return;
        for (int i = 0; i < g.c; i++)
            if (out_mapped[i] && !is[g.k + i])
                is[g.k + i] = again = true;
    }
    for (int i = 0; i < g.n; i++) {
        x[i] = in[i];
        if (is[i] && !mapped[i])
            x[i] = pass_map_operand(b, in[i], false, size);
        if (i >= g.e && mapped[i])
            x[i] = ir_move_axis(b, in[i], 0, 1);
    }
    scan(b, n, g.k, g.c, n->at->scan.reverse, body, g.n, x, y);
    for (int j = g.c; j < n->n_out; j++)
        if (out_mapped[j])
            y[j] = ir_move_axis(b, y[j], 1, 0);
}

void
vmap_scan(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
          const bool *mapped, ir_ref *y, bool *out_mapped)
{
    (void)f;
    pass_vmap_scan(b, n, size, in, mapped, pass_vmap_graph, y, out_mapped);
}

/* The split of the body, repeated until the set of known carries is stable; it is returned in
 * `known`. */
static bool
split_body(ir_build *b, const ir_node *n, bool *known, flow_split *h)
{
    groups g = groups_of(n);
    bool *unknown = IR_NEW_N(b->arena, bool, n->n_out), again = true;

    while (again) {
        again = false;
        for (int i = 0; i < g.c; i++)
            unknown[i] = !known[g.k + i];
        if (!pass_flow_split(b, n->at->scan.body, known, unknown, h))
            return false;
        for (int i = 0; i < g.c; i++)
            if (known[g.k + i] && !h->known_out[i]) {
                known[g.k + i] = false;
                again = true;
            }
    }
    return true;
}

/* How a residual is passed to the rest. */
typedef enum saved_as { SAVED_STACKED, SAVED_ONCE, SAVED_OPERAND } saved_as;

/* The operands of the known scan, by input of the known body, and how its residuals are passed
 * on. */
typedef struct known_scan {
    int n_in, consts, carries;
    ir_ref *x;
    saved_as *how; /* of each residual */
    ir_ref *value; /* the stacked values, or the value that is computed once */
} known_scan;

static void
known_operands(const ir_node *n, const bool *known, const ir_ref *kin, known_scan *s)
{
    groups g = groups_of(n);

    for (int i = 0; i < g.n; i++)
        if (known[i]) {
            s->consts += i < g.k;
            s->carries += i >= g.k && i < g.e;
            s->x[s->n_in++] = kin[i];
        }
}

/* A residual that is an element of xs is not copied; one that depends only on consts is
 * computed here. */
static void
classify(ir_build *kb, const flow_split *h, known_scan *s)
{
    const ir_graph *f = h->known;
    bool *moves = IR_NEW_N(kb->arena, bool, f->n_in),
         *varies = IR_NEW_N(kb->arena, bool, f->n_out);

    for (int i = s->consts; i < f->n_in; i++)
        moves[i] = true;
    pass_depends(kb->arena, f, moves, varies);
    for (int r = 0; r < h->n_res; r++) {
        int j = h->n_known + r;

        if (!varies[j]) {
            s->how[r] = SAVED_ONCE;
            pass_copy_needed(kb, f, s->x, 1, &j, &s->value[r]);
        }
        for (int i = s->consts + s->carries; i < f->n_in; i++)
            if (f->out[j] == f->in[i]) {
                s->how[r] = SAVED_OPERAND;
                s->value[r] = s->x[i];
            }
    }
}

/* The known scan: known carries, known ys, stacked residuals. */
static void
build_known(ir_build *kb, const ir_node *n, const flow_split *h, known_scan *s, ir_ref *z)
{
    flow_port *port = IR_NEW_N(kb->arena, flow_port, s->n_in);
    int *out = IR_NEW_N(kb->arena, int, h->n_known + h->n_res), n_out = 0;

    for (int i = 0; i < s->n_in; i++)
        port[i] = (flow_port){ i, NULL };
    for (int j = 0; j < h->n_known; j++)
        out[n_out++] = j;
    for (int r = 0; r < h->n_res; r++)
        if (s->how[r] == SAVED_STACKED)
            out[n_out++] = h->n_known + r;
    if (n_out == 0)
        return;
    ir_graph *body = pass_flow_permute(kb, h->known, s->n_in, port, n_out, out);
    scan(kb, n, s->consts, s->carries, n->at->scan.reverse, body, s->n_in, s->x, z);
    n_out = h->n_known;
    for (int r = 0; r < h->n_res; r++)
        if (s->how[r] == SAVED_STACKED)
            s->value[r] = z[n_out++];
}

/* The rest: its unknown operands; residuals that do not change are consts of it, and the others
 * xs. */
static void
build_rest(pass_splitter *sp, ir_build *rb, const ir_node *n, const bool *given,
           const bool *known, const flow_split *h, const known_scan *s, const ir_ref *kin,
           const ir_ref *rin, ir_ref *z)
{
    groups g = groups_of(n);
    flow_port *port = IR_NEW_N(rb->arena, flow_port, h->rest->n_in);
    ir_ref *u = IR_NEW_N(rb->arena, ir_ref, h->rest->n_in);
    int count[3] = { 0 }, at = 0, input = h->n_res;

    for (int part = 0; part < 3; part++) {
        int from = part == 0   ? 0
                   : part == 1 ? g.k
                               : g.e,
            to = part == 0   ? g.k
                 : part == 1 ? g.e
                             : g.n;

        for (int r = 0; r < h->n_res; r++)
            if (part == (s->how[r] == SAVED_ONCE ? 0 : 2)) {
                u[at] = pass_residual(sp, s->value[r]);
                port[at++] = (flow_port){ r, NULL };
            }
        for (int i = from; i < to; i++)
            if (!known[i]) {
                u[at] = given[i] ? pass_residual(sp, kin[i]) : rin[i];
                port[at++] = (flow_port){ input++, NULL };
            }
        count[part] = at;
    }
    ir_graph *body = pass_flow_permute(rb, h->rest, at, port, h->rest->n_out, NULL);
    scan(rb, n, count[0], count[1] - count[0], n->at->scan.reverse, body, at, u, z);
}

void
split_scan(pass_splitter *sp, ir_build *kb, ir_build *rb, const ir_graph *f, const ir_node *n,
           const bool *given, const ir_ref *kin, const ir_ref *rin, ir_ref *kout, ir_ref *rout)
{
    ir_arena *a = kb->arena;
    bool *known = ir_copy_bytes(a, given, sizeof *given * (size_t)n->n_in);
    known_scan s = { .x = IR_NEW_N(a, ir_ref, n->n_in) };
    flow_split h;

    (void)f;
    if (!split_body(kb, n, known, &h))
        return;
    ir_ref *z = IR_NEW_N(a, ir_ref, h.n_known + h.n_res), *v = IR_NEW_N(a, ir_ref, n->n_out);
    s.how = IR_NEW_N(a, saved_as, h.n_res);
    s.value = IR_NEW_N(a, ir_ref, h.n_res);
    known_operands(n, known, kin, &s);
    classify(kb, &h, &s);
    build_known(kb, n, &h, &s, z);
    build_rest(sp, rb, n, given, known, &h, &s, kin, rin, v);
    for (int j = 0, at_k = 0, at_r = 0; j < n->n_out; j++)
        if (h.known_out[j])
            kout[j] = z[at_k++];
        else
            rout[j] = v[at_r++];
}

/* Finds the linear carries: those that depend on linear inputs, even if their initial value
 * does not. */
static bool
linear_carries(ir_build *b, const ir_node *n, bool *linear)
{
    groups g = groups_of(n);
    bool *out = IR_NEW_N(b->arena, bool, n->n_out), again = true;

    while (again) {
        again = false;
        pass_depends(b->arena, n->at->scan.body, linear, out);
        for (int i = 0; i < g.c; i++)
            if (out[i] && !linear[g.k + i])
                linear[g.k + i] = again = true;
    }
    for (int i = 0; i < g.c; i++)
        if (!linear[g.k + i]) {
            ir_build_fail(b, "scan", ERR_no_rule, "transpose", "a carry is not linear");
            return false;
        }
    return true;
}

/* Finds the carries with a cotangent: those that an output with a cotangent depends on. */
static void
carries_with_ct(ir_build *b, const ir_node *n, bool *has)
{
    groups g = groups_of(n);
    const ir_graph *body = n->at->scan.body;
    bool *in = IR_NEW_N(b->arena, bool, g.n), *out = IR_NEW_N(b->arena, bool, n->n_out),
         again = true;

    while (again) {
        again = false;
        for (int i = 0; i < g.c; i++) {
            bool reaches = false;

            if (has[i])
                continue;
            in[g.k + i] = true;
            pass_depends(b->arena, body, in, out);
            in[g.k + i] = false;
            for (int j = 0; j < n->n_out; j++)
                reaches |= out[j] && has[j];
            if (reaches)
                has[i] = again = true;
        }
    }
}

/* The body of the transposed scan: t, with the cotangents of consts accumulated. */
static ir_graph *
backward_body(ir_build *outer, const ir_node *n, const ir_graph *t, const bool *linear,
              const bool *has)
{
    groups g = groups_of(n);
    const ir_graph *f = n->at->scan.body;
    ir_build *b = pass_flow_begin(outer, t->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, t->n_in), *y = IR_NEW_N(b->arena, ir_ref, t->n_out);
    ir_ref *sum = IR_NEW_N(b->arena, ir_ref, g.k);
    int first_ct = 0, at = 0, at_ct;

    for (int i = 0; i < g.n; i++)
        first_ct += !linear[i];
    at_ct = first_ct;
    for (int i = 0; i < g.k; i++)
        if (!linear[i])
            in[at++] = ir_input_like(b, f, f->in[i], "");
    for (int i = 0; i < g.c; i++)
        if (has[i])
            in[at_ct++] = ir_input_like(b, f, f->in[g.k + i], "ct_");
    for (int i = 0; i < g.k; i++)
        if (linear[i])
            sum[i] = ir_input_like(b, f, f->in[i], "sum_");
    for (int i = g.e; i < g.n; i++)
        if (!linear[i])
            in[at++] = ir_input_like(b, f, f->in[i], "");
    for (int j = g.c; j < n->n_out; j++)
        if (has[j])
            in[at_ct++] = ir_input(b, ir_type_at(f, f->out[j]), "ct");
    ir_inline_graph(b, t, in, y);
    at = 0;
    for (int i = 0; i < g.k; i++)
        if (linear[i])
            sum[i] = pass_accumulate(b, sum[i], y[at++]);
    for (int i = 0; i < g.c; i++, at++)
        if (has[i])
            ir_output(b, y[at]);
    for (int i = 0; i < g.k; i++)
        if (linear[i])
            ir_output(b, sum[i]);
    for (int i = g.e; i < g.n; i++)
        if (linear[i])
            ir_output(b, y[at++]);
    return pass_flow_end(outer, b, t);
}

void
transpose_scan(ir_build *b, const ir_graph *f, const ir_node *n, const bool *given,
               const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    groups g = groups_of(n);
    bool *linear = ir_copy_bytes(b->arena, given, sizeof *given * (size_t)g.n);
    bool *has = IR_NEW_N(b->arena, bool, n->n_out);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, g.n + g.k + n->n_out);
    ir_ref *z = IR_NEW_N(b->arena, ir_ref, g.n + n->n_out);
    int n_in = 0, consts, carries, at = 0;
    ir_graph *t = NULL;

    for (int j = 0; j < n->n_out; j++)
        has[j] = ct[j] != IR_NONE;
    if (!linear_carries(b, n, linear))
        return;
    carries_with_ct(b, n, has);
    if (!pass_flow_ok(b, pass_transpose_body(n->at->scan.body, linear, has, &t)))
        return;
    t = backward_body(b, n, t, linear, has);
    for (int i = 0; i < g.k; i++)
        if (!linear[i])
            x[n_in++] = in[i];
    consts = n_in;
    for (int i = 0; i < g.c; i++)
        if (has[i])
            x[n_in++] = ct[i] ? ct[i] : ir_zeros(b, ir_type_at(f, n->in[g.k + i]));
    for (int i = 0; i < g.k; i++)
        if (linear[i])
            x[n_in++] = ir_zeros(b, ir_type_at(f, n->in[i]));
    carries = n_in - consts;
    for (int i = g.e; i < g.n; i++)
        if (!linear[i])
            x[n_in++] = in[i];
    for (int j = g.c; j < n->n_out; j++)
        if (has[j])
            x[n_in++] = ct[j];
    scan(b, n, consts, carries, !n->at->scan.reverse, t, n_in, x, z);
    for (int i = 0; i < g.c; i++)
        if (has[i])
            ct_in[g.k + i] = z[at++];
    for (int i = 0; i < g.n; i++)
        if (linear[i] && (i < g.k || i >= g.e))
            ct_in[i] = z[at++];
}
