/* pass_own: scans whose steps are the same on all processes.
 *
 * What a step takes and makes may be own rows: consts and slices as the operands are, results
 * as they come out of the body.  A carry is own rows if a step makes own rows of them: this is
 * tried.  The first trial takes carries as their start is; each next one as the one before it
 * made them, and a carry that comes out in another form than it went in is whole from then on.
 * Any choice is right, since rows and whole values convert into each other. */
#include "passes/own.h"

enum { TRIALS = 4 };

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

static void
try_carries(own_walk *w, own_loop *l)
{
    bool changed = true;

    for (int trial = 0; trial < TRIALS && changed && w->b->status == COT_OK; trial++) {
        ir_graph *made;
        for (int j = 0; j < l->n->n_out; j++)
            l->outs[j] = OWN_EITHER;
        w->b->status =
            pass_own_build(l->n->at->scan.body, w->program, false, l->in, l->outs, &made);
        changed = w->b->status == COT_OK && take_carries(l, trial);
    }
    for (int c = 0; c < l->carries && changed; c++)
        l->in[l->consts + c] = OWN_WHOLE;
}

/* The loop with the forms that were found. */
static void
make_loop(own_walk *w, own_loop *l)
{
    const ir_node *n = l->n;
    ir_ref *in = IR_NEW_N(w->b->arena, ir_ref, n->n_in + 1),
           *y = IR_NEW_N(w->b->arena, ir_ref, n->n_out + 1);
    ir_attrs at = ir_node_attrs(n);

    for (int j = 0; j < n->n_out; j++)
        l->outs[j] = j < l->carries ? l->in[l->consts + j] : OWN_EITHER;
    w->b->status = pass_own_build(n->at->scan.body, w->program, false, l->in, l->outs,
                                  &at.scan.body);
    if (w->b->status != COT_OK)
        return;
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

bool
pass_own_loop(own_walk *w, const ir_node *n)
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
    try_carries(w, &l);
    if (w->b->status == COT_OK)
        make_loop(w, &l);
    return true;
}
