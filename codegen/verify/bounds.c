/* Proof that loads, stores, copies and calls stay within their buffers.
 *
 * A walk over the regions keeps what holds at each place: conditions of branches, the test of a
 * while, the mask of the access itself.  The bounds of loops are facts about their variables
 * (facts.h).  For each access both ends are proved: index >= 0 and index <= elements - 1.
 * Forms are equal to values modulo 2^64; where both ends are proved for the form, the value is
 * in the same range and therefore equal to it.
 *
 * The entry is checked first, since its calls determine the parameters of other kernels: the
 * interval of a parameter contains those of all calls.  Regions nest as deep as schedules nest
 * loops, not as the program does, so that the walk may recurse.
 *
 * Source: the affine relations of P. Cousot and N. Halbwachs, Automatic discovery of linear
 * restraints among variables of a program, POPL 1978, without fixed points, since the loops of
 * a kernel state their bounds. */
#include "codegen/verify/accesses.h"

#include <inttypes.h>

#include "codegen/verify/meet.h"
#include "codegen/verify/prove.h"
#include "codegen/verify/scratch.h"
#include "ir/diag.h"

static void visit_region(cg_bounds_walk *b, const cg_region *r);

static bool
never_runs(cg_bounds_walk *b, const cg_block *x)
{
    const cg_form lo = cg_exact_form(&b->f, x->lo), hi = cg_exact_form(&b->f, x->hi);

    return cg_form_interval(&b->f, &lo).lo >= cg_form_interval(&b->f, &hi).hi;
}

static void
visit_under(cg_bounds_walk *b, const cg_region *r, cg_val cond, bool holds)
{
    const int known = b->known.n;
    const bool infeasible = b->known.infeasible;
    cg_know_that(&b->f, &b->known, cond, holds);
    visit_region(b, r);
    b->known.n = known;
    b->known.infeasible = infeasible;
}

static void
define_carried(cg_bounds_walk *b, const cg_block *x)
{
    for (int j = 0; j < x->n; j++) {
        cg_facts_define(&b->f, x->yield[j].carried);
        b->by_data[x->yield[j].carried] = true;
    }
}

/* If the condition is constant, only one region is walked. */
static void
visit_if(cg_bounds_walk *b, const cg_block *x)
{
    const uint32_t mark = b->written.n;
    int64_t c;

    if (cg_is_const(b->k, x->cond, &c)) {
        visit_under(b, c ? &x->body : &x->other, x->cond, c != 0);
        return;
    }
    visit_under(b, &x->body, x->cond, true);
    const cg_written_side then =
        b->any_followed ? cg_written_other(&b->written, mark) : (cg_written_side){ 0 };
    visit_under(b, &x->other, x->cond, false);
    if (b->any_followed)
        cg_written_join(&b->written, mark, then);
}

/* Is the condition a carried value that is initially true? */
static bool
runs_once(const cg_bounds_walk *b, const cg_block *x)
{
    int64_t c;

    for (int j = 0; j < x->n; j++)
        if (x->yield[j].carried == x->cond)
            return cg_is_const(b->k, x->yield[j].init, &c) && c != 0;
    return false;
}

/* The region that computes the condition runs at least once, the body perhaps never. */
static void
visit_while(cg_bounds_walk *b, const cg_block *x)
{
    const uint32_t before = b->f.n, pending = b->n_pending;
    int64_t c;

    define_carried(b, x);
    const uint32_t mark = b->any_followed ? cg_written_loop(&b->written, x) : 0;
    visit_region(b, &x->other);
    const uint32_t body = b->written.n;
    if (!cg_is_const(b->k, x->cond, &c) || c != 0)
        visit_under(b, &x->body, x->cond, true);
    if (!b->any_followed)
        return;
    if (!runs_once(b, x))
        cg_written_loop_end(&b->written, body, 0, 0);
    cg_written_loop_end(&b->written, mark, before ? before - 1 : 0, 1);
    cg_bounds_refuse_lost(b);
    cg_bounds_end_pending(b, pending);
}

/* The number of iterations that every lane executes; 0: it is not known. */
static int64_t
times_of(cg_bounds_walk *b, const cg_block *x)
{
    const cg_form lo = cg_exact_form(&b->f, x->lo), hi = cg_exact_form(&b->f, x->hi);
    const cg_interval from = cg_form_interval(&b->f, &lo), to = cg_form_interval(&b->f, &hi);

    return !x->limit && from.lo == from.hi && to.lo == to.hi && from.lo < to.lo
               ? (to.lo - 1 - from.lo) / x->step + 1
               : 0;
}

static void
define_results(cg_bounds_walk *b, const cg_block *x)
{
    for (int j = 0; j < x->n; j++) {
        cg_facts_define(&b->f, x->result[j]);
        b->by_data[x->result[j]] = true;
    }
}

/* The atom that counts the loop's iterations. */
static uint32_t
count_of(const cg_bounds_walk *b, const cg_block *x)
{
    uint32_t atom = b->f.n - 1;

    while (atom > 0 && b->f.atom[atom].value != x->var)
        atom--;
    return atom;
}

static const char *
not_independent(cg_bounds_walk *b, const cg_block *x, uint32_t buffer)
{
    return ir_format(b->arena,
                     "kernel %s, loop of value %u: iterations that run at the same time are "
                     "not proved to access different elements of %s, buffer %u",
                     b->k->name, x->var, b->k->buffer[buffer].name, buffer);
}

/* Record a loop that may run serially instead. */
static void
leave_unproved(cg_bounds_walk *b, const cg_block *x, const char *why)
{
    const cg_unproved_loop loop = { b->kernel, x->var, why, cg_loc_of(b->k, b->at) };

    IR_PUSH(b->arena, b->r->unproved, b->r->n_unproved, b->r->cap_unproved, loop);
    if (b->r->text)
        ir_buf_printf(b->r->text, "%s\n", why);
}

/* Where indices depend on data, as in a scatter, the order of the loaded indices may keep the
 * iterations of a grid apart.  Such a buffer is counted and accepted. */
static void
count_races(cg_bounds_walk *b, const cg_block *x)
{
    const cg_races_count n = cg_races_end(&b->races);
    cg_conflict meeting;

    b->r->race.proved += n.proved;
    b->r->race.open += n.open;
    b->r->race_by_data += n.by_data;
    if (n.open + (x->kind == CG_GRID ? 0 : n.by_data) == 0)
        return;
    if (cg_find_conflict(b->k, x, b->param[b->kernel], b->f.scratch, &meeting))
        cg_bounds_tell(b, ir_format(b->arena,
                                    "kernel %s, loop of value %u: iterations of %" PRId64
                                    " and %" PRId64 ", which run at the same time, touch "
                                    "element %" PRId64 " of %s, buffer %u",
                                    b->k->name, x->var, meeting.first, meeting.second,
                                    meeting.element, b->k->buffer[meeting.buffer].name,
                                    meeting.buffer));
    else if (x->kind == CG_GRID)
        cg_bounds_tell(b, not_independent(b, x, n.first));
    else
        leave_unproved(b, x, not_independent(b, x, n.first));
}

/* Walks the body, and then records what all iterations have written.  Where threads share the
 * loop, each iteration has its own local memory. */
static void
visit_iterations(cg_bounds_walk *b, const cg_block *x, bool splits_work)
{
    const uint32_t counter = count_of(b, x), pending = b->n_pending;

    if (!b->any_followed) {
        visit_region(b, &x->body);
        return;
    }
    const uint32_t mark = cg_written_loop(&b->written, x);
    if (splits_work)
        cg_written_forget_private(&b->written);
    visit_region(b, &x->body);
    cg_written_loop_end(&b->written, mark, counter, times_of(b, x));
    cg_bounds_refuse_lost(b);
    if (splits_work)
        cg_written_forget_private(&b->written);
    else
        cg_bounds_end_pending(b, pending);
}

/* Inside a loop lo < hi holds, and in active lanes the limit is at least one. */
static void
visit_loop(cg_bounds_walk *b, const cg_block *x)
{
    const cg_form lo = cg_exact_form(&b->f, x->lo), hi = cg_exact_form(&b->f, x->hi);
    const int known = b->known.n;
    const bool infeasible = b->known.infeasible,
               splits_work = x->kind == CG_PARALLEL || x->kind == CG_GRID;
    cg_sum s = { .k = -1 };

    define_carried(b, x);
    cg_facts_define(&b->f, x->var);
    b->by_data[x->var] = b->by_data[x->lo] || b->by_data[x->hi];
    if (never_runs(b, x))
        return;
    if (splits_work)
        cg_races_begin(&b->races, &b->f, count_of(b, x));
    if (cg_sum_add(&s, 1, &hi) && cg_sum_add(&s, -1, &lo))
        cg_know(&b->f, &b->known, &s);
    if (x->limit) {
        const cg_form limit = cg_exact_form(&b->f, x->limit);
        cg_sum t = { .k = -1 };
        if (cg_sum_add(&t, 1, &limit))
            cg_know(&b->f, &b->known, &t);
    }
    visit_iterations(b, x, splits_work);
    if (splits_work)
        count_races(b, x);
    b->known.n = known;
    b->known.infeasible = infeasible;
}

/* Does the value depend on data?  The and of two variables counts as data too, as for the pairs
 * of a step of a sorting network: the proof does not know that the distance is a power of
 * two. */
static bool
depends_on_data(const cg_bounds_walk *b, const cg_insn *i)
{
    int64_t c;
    bool data = i->op == CG_LOAD || i->op == CG_EXTERN ||
                (i->op == SC_and && i->type == COT_I64 && !cg_is_const(b->k, i->in[0], &c) &&
                 !cg_is_const(b->k, i->in[1], &c));

    for (int j = 0; j < 3 && !data; j++)
        data = i->in[j] && b->by_data[i->in[j]];
    return data;
}

static void
visit_insn(cg_bounds_walk *b, cg_val v)
{
    const cg_insn *i = &b->k->insn[v];

    b->at = v;
    switch (i->op) {
    case CG_LOAD: cg_bounds_access(b, &b->r->load, "load", i, i->in[1]); break;
    case CG_STORE: cg_bounds_access(b, &b->r->store, "store", i, i->in[2]); break;
    case CG_COPY: cg_bounds_copy(b, i); break;
    case CG_SWAP: cg_written_swap(&b->written, i->call->buffer[0], i->call->buffer[1]); break;
    case CG_SETTLE: cg_written_settle(&b->written, (uint32_t)i->imm); break;
    case CG_CALL: cg_bounds_call(b, i->call); break;
    case CG_EXTERN: cg_bounds_extern(b, i->ext); break;
    case CG_FETCH:
    case CG_FRAGMENT:
    case CG_MMA: cg_bounds_tensor(b, i); break;
    case CG_LOOP: visit_loop(b, i->block); break;
    case CG_IF: visit_if(b, i->block); break;
    case CG_WHILE: visit_while(b, i->block); break;
    default: break;
    }
    if (i->block) {
        define_results(b, i->block);
    } else {
        cg_facts_define(&b->f, v);
        b->by_data[v] = depends_on_data(b, i);
    }
}

static void
visit_region(cg_bounds_walk *b, const cg_region *r)
{
    for (uint32_t n = 0; n < r->n; n++)
        visit_insn(b, r->insn[n]);
}

/* Check that each buffer of the work block lies inside it. */
static void
places(cg_bounds_walk *b)
{
    const int64_t room = b->k->work                ? b->k->buffer[b->k->work - 1].elements
                         : b->k == b->m->kernel[0] ? b->m->work_bytes
                                                   : 0;

    for (uint32_t j = 0; j < b->k->n_buffers; j++) {
        const cg_buffer *x = &b->k->buffer[j];
        const int64_t bytes = x->elements * (int64_t)cot_dtype_size(x->type);
        const cg_form at = cg_form_const(x->offset);
        if (x->space != CG_WORK)
            continue;
        if (x->offset >= 0 && x->offset + bytes <= room) {
            b->r->place.proved++;
        } else {
            b->r->place.open++;
            cg_bounds_open(b, "place in the work block", j, &at, room - bytes);
        }
    }
}

/* The results of a function must be written when it returns, since its caller relies on
 * that. */
static void
results(cg_bounds_walk *b)
{
    const cg_form first = cg_form_const(0);

    for (uint32_t j = 0; j < b->k->n_buffers; j++) {
        if (!cg_is_function_result(b->k, j))
            continue;
        const cg_is_written is =
            cg_written_has(&b->written, j, &first, b->k->buffer[j].elements);
        b->r->read.proved += is == CG_WRITTEN;
        b->r->read.open += is == CG_NOT_WRITTEN;
        b->r->update.open += is == CG_PERHAPS_WRITTEN;
        if (is == CG_NOT_WRITTEN)
            cg_bounds_tell(
                b, ir_format(b->arena,
                             "kernel %s: result %s is not proved to be written before the end",
                             b->k->name, b->k->buffer[j].name));
    }
}

static cot_status
visit_kernels(const cg_module *m, cg_scratch *s, void *user)
{
    cg_bounds_walk *b = user;

    b->param = IR_NEW_N(&s->module, cg_interval *, m->n_kernels + 1);
    b->unwritten = IR_NEW_N(&s->module, bool *, m->n_kernels + 1);
    for (uint32_t i = 0; i < m->n_kernels; i++)
        b->unwritten[i] = IR_NEW_N(&s->module, bool, m->kernel[i]->n_buffers + 1);
    for (uint32_t i = 0; i < m->n_kernels; i++) {
        b->k = m->kernel[i];
        b->known = (cg_known){ 0 };
        cg_facts_begin(&b->f, b->k, b->param[i], &s->kernel, &s->proof);
        b->races = (cg_races){ 0 };
        b->by_data = IR_NEW_N(&s->kernel, bool, b->k->n_insns);
        b->kernel = i;
        b->any_followed = b->k->plans;
        b->pending = NULL;
        b->n_pending = b->cap_pending = 0;
        b->follows = IR_NEW_N(&s->kernel, bool, b->k->n_buffers + 1);
        cg_bounds_find_followed(b);
        if (b->any_followed)
            cg_written_begin(&b->written, &b->f, &b->known);
        places(b);
        if (b->k->plans)
            cg_bounds_begin_swapped(b);
        visit_region(b, &b->k->body);
        results(b);
        cg_bounds_refuse_pending(b);
        ir_arena_reset(&s->kernel);
    }
    return COT_OK;
}

void
cg_bounds_of(const cg_module *m, ir_arena *arena, cg_bounds_report *r)
{
    cg_bounds_walk *b = IR_NEW(arena, cg_bounds_walk);

    b->m = m;
    b->arena = arena;
    b->r = r;
    cg_with_scratch(m, visit_kernels, b);
}

/* The change is reported like other decisions of the compiler (cg_explain). */
static void
run_serially(cg_module *m, const cg_bounds_report *r)
{
    ir_buf why;

    ir_buf_init(&why, m->arena);
    ir_buf_str(&why, m->why ? m->why : "");
    for (uint32_t i = 0; i < r->n_unproved; i++) {
        const cg_unproved_loop *x = &r->unproved[i];
        const cg_kernel *k = m->kernel[x->kernel];
        k->insn[k->insn[x->var].in[0]].block->kind = CG_SERIAL;
        ir_buf_printf(&why, "%s: runs serially\n", x->why);
    }
    m->n_serial = r->n_unproved;
    m->why = why.text;
}

static cot_status
verify(const cg_module *m, cg_scratch *s, void *user)
{
    cg_bounds_report r = { 0 };
    cg_module *serial = user;

    cg_bounds_of(m, &s->module, &r);
    if (!r.why && r.n_unproved > 0 && !serial) {
        r.why = r.unproved[0].why;
        r.loc = r.unproved[0].loc;
    }
    if (r.why)
        return ir_fail(m->ctx, r.loc, NULL, m->read ? ERR_kernel_text : ERR_unproved, r.why);
    if (r.n_unproved > 0)
        run_serially(serial, &r);
    return COT_OK;
}

cot_status
cg_verify_bounds(const cg_module *m, cg_module *serial)
{
    return cg_with_scratch(m, verify, serial);
}
