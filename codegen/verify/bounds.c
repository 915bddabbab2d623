/* Proof that loads, stores, copies and calls stay within their buffers.
 *
 * A walk over the regions keeps what holds at each place: conditions of branches, the test of a
 * while, the mask of the access itself. The bounds of loops are facts about their variables
 * (facts.h). For each access both ends are proved: index >= 0 and index <= elements - 1. Forms
 * are right modulo 2^64: where both are proved of the form, the index is that number.
 *
 * The entry comes first, since it makes the parameters of the others: the interval of a
 * parameter joins those of all calls. Regions nest as deep as schedules nest loops, not as the
 * program does, so that the walk may recurse.
 *
 * Source: the affine relations of P. Cousot and N. Halbwachs, Automatic discovery of linear
 * restraints among variables of a program, POPL 1978, without their fixed points: a kernel's
 * loops say their bounds. */
#include "codegen/verify/bounds.h"

#include <inttypes.h>

#include "codegen/verify/prove.h"
#include "codegen/verify/races.h"
#include "codegen/verify/scratch.h"
#include "codegen/verify/written.h"
#include "ir/diag.h"

/* A read of what is not written yet. */
typedef struct pending {
    cg_val at;
    uint32_t buffer;
    cg_form index;
    int64_t count;
    cg_known known;
} pending;

typedef struct bounds {
    const cg_module *m;
    const cg_kernel *k;
    ir_arena *arena; /* of all kernels              */
    cg_facts f;
    cg_known known;
    cg_races races;
    bool *by_data; /* of each value: it depends on what was loaded, or on another iteration */
    cg_written written;
    bool *follows; /* of each buffer: what is read of it is to be written before */
    bool **unwritten; /* of each kernel and buffer: somebody hands it over as it is, or NULL */
    cg_interval **param; /* of each kernel; NULL: nobody has called it yet */
    cg_bounds_report *r;
    uint32_t kernel; /* which it is */
    bool any_followed;
    pending *pending;
    uint32_t n_pending, cap_pending;
    cg_val at;
} bounds;

static void walk(bounds *b, const cg_region *r);

/* -- reports -- */

static void
print_form(ir_buf *t, const bounds *b, const cg_form *x)
{
    for (int i = 0; i < x->n; i++) {
        const cg_atom *a = &b->f.atom[x->term[i].atom];
        ir_buf_printf(t, "%s%" PRId64 " a%u:v%u", i ? " + " : "", x->term[i].c, x->term[i].atom,
                      a->value);
    }
    ir_buf_printf(t, "%s%" PRId64, x->n ? " + " : "", x->k);
}

static void
tell(bounds *b, const char *what)
{
    if (!b->r->why) {
        b->r->why = what;
        b->r->loc = cg_loc_of(b->k, b->at);
    }
    if (b->r->text)
        ir_buf_printf(b->r->text, "%s\n", what);
}

static void
open_access(bounds *b, const char *what, uint32_t buffer, const cg_form *index, int64_t most)
{
    ir_buf t;

    ir_buf_init(&t, b->arena);
    ir_buf_printf(&t, "kernel %s, value %u: %s of %s[", b->k->name, b->at, what,
                  b->k->buffer[buffer].name);
    print_form(&t, b, index);
    ir_buf_printf(&t, "] is not proved to lie in 0..%" PRId64, most);
    tell(b, t.text);
}

/* -- one access -- */

/* 0 <= x <= most. */
static bool
within(bounds *b, const cg_form *x, int64_t most)
{
    cg_sum low = { 0 }, high = { .k = most };

    return cg_sum_add(&low, 1, x) && cg_sum_add(&high, -1, x) &&
           cg_prove(&b->f, &b->known, &low) && cg_prove(&b->f, &b->known, &high);
}

static cg_form
form_at(bounds *b, cg_val index)
{
    if (index == 0)
        return cg_form_const(0);
    return b->f.value[index].known ? b->f.value[index].form : cg_exact_form(&b->f, index);
}

/* -- the work block -- */

/* What is followed: pieces of the work block, and a function's results; memory of a kernel's
 * own, and what it is handed over with nothing in it. */
static bool
is_followed(const bounds *b, uint32_t buffer)
{
    return b->follows[buffer];
}

static void
find_followed(bounds *b)
{
    const bool *unwritten = b->unwritten[b->kernel];

    for (cg_val v = 1; v < b->k->n_insns; v++)
        if (b->k->insn[v].block && b->k->insn[v].block->kind >= CG_GRID &&
            b->k->insn[v].block->kind <= CG_LANES)
            return;
    for (uint32_t j = 0; j < b->k->n_buffers; j++) {
        const cg_space space = b->k->buffer[j].space;
        b->follows[j] = b->k->plans ? space == CG_WORK || cg_is_function_result(b->k, j)
                                    : space == CG_LOCAL || (unwritten && unwritten[j]);
        b->any_followed |= b->follows[j];
    }
}

static void
open_read(bounds *b, uint32_t buffer, const cg_form *x, int64_t count)
{
    const cg_insn *i = &b->k->insn[b->at];
    ir_buf t;

    ir_buf_init(&t, b->arena);
    ir_buf_printf(&t, "kernel %s, value %u: %s reads %" PRId64 " elements of %s[", b->k->name,
                  b->at, i->op == CG_CALL ? b->m->kernel[i->call->kernel]->name : "it", count,
                  b->k->buffer[buffer].name);
    print_form(&t, b, x);
    ir_buf_printf(&t, "], buffer %u, which are not proved to be written before", buffer);
    tell(b, t.text);
}

/* In a loop an iteration before may have written it: that is known where the loop ends. */
static void
reads_own(bounds *b, uint32_t buffer, const cg_form *x, int64_t count, cg_is_written is)
{
    b->r->own.proved += is == CG_WRITTEN;
    b->r->own_perhaps += is == CG_PERHAPS_WRITTEN;
    if (is != CG_NOT_WRITTEN)
        return;
    pending p = { b->at, buffer, *x, count, b->known };
    p.known.cap = (uint32_t)p.known.n;
    p.known.form =
        ir_copy_bytes(b->f.arena, b->known.form, (size_t)b->known.n * sizeof *b->known.form);
    IR_PUSH(b->f.arena, b->pending, b->n_pending, b->cap_pending, p);
}

/* Of the reads since the first one, those that an iteration of the loop writes. */
static void
end_pending(bounds *b, uint32_t first)
{
    uint32_t n = first;

    for (uint32_t i = first; i < b->n_pending; i++) {
        pending *p = &b->pending[i];
        b->written.known = &p->known;
        if (cg_written_has(&b->written, p->buffer, &p->index, p->count) == CG_NOT_WRITTEN)
            b->pending[n++] = *p;
        else
            b->r->own_perhaps++;
    }
    b->written.known = &b->known;
    b->n_pending = n;
}

/* What nothing has written at the end of the kernel. */
static void
refuse_pending(bounds *b)
{
    for (uint32_t i = 0; i < b->n_pending; i++) {
        const pending *p = &b->pending[i];
        b->at = p->at;
        b->r->own.open++;
        open_read(b, p->buffer, &p->index, p->count);
    }
    b->n_pending = 0;
}

static void
reads(bounds *b, uint32_t buffer, cg_val index, int64_t count)
{
    const cg_form x = form_at(b, index);

    if (!is_followed(b, buffer))
        return;
    const cg_is_written is = cg_written_has(&b->written, buffer, &x, count);
    if (!b->k->plans) {
        reads_own(b, buffer, &x, count, is);
        return;
    }
    b->r->read.proved += is == CG_WRITTEN;
    b->r->read.open += is == CG_NOT_WRITTEN;
    b->r->update.open += is == CG_PERHAPS_WRITTEN;
    if (is == CG_NOT_WRITTEN)
        open_read(b, buffer, &x, count);
}

/* What a kernel stores to may hold nothing yet: then the kernel is to write what it reads. */
static void
updates(bounds *b, uint32_t buffer, cg_val index, int64_t count, uint32_t kernel, uint32_t to)
{
    const cg_form x = form_at(b, index);

    if (!is_followed(b, buffer))
        return;
    if (cg_written_has(&b->written, buffer, &x, count) == CG_WRITTEN)
        b->r->update.proved++;
    else
        b->unwritten[kernel][to] = true;
}

static void
writes(bounds *b, uint32_t buffer, cg_val index, int64_t count)
{
    const cg_form x = form_at(b, index);

    if (is_followed(b, buffer))
        cg_written_write(&b->written, buffer, &x, count);
}

/* `count` elements from the index on. */
static void
touch(bounds *b, cg_bounds_count *n, const char *what, uint32_t buffer, cg_val index,
      int64_t count, bool writes)
{
    const cg_form x = form_at(b, index);
    const int64_t most = b->k->buffer[buffer].elements - count;

    if (count > 0)
        cg_races_touch(&b->races, &b->known,
                       (cg_touch){ .buffer = buffer,
                                   .writes = writes,
                                   .by_data = index && b->by_data[index],
                                   .index = x },
                       count);
    if (count <= 0 || within(b, &x, most)) {
        n->proved++;
        return;
    }
    n->open++;
    open_access(b, what, buffer, &x, most);
}

static void
touch_if(bounds *b, cg_bounds_count *n, const char *what, const cg_insn *i, cg_val when)
{
    const int known = b->known.n;
    const bool never = b->known.never;
    int64_t c;

    if (when && cg_is_const(b->k, when, &c) && c == 0)
        return;
    if (when)
        cg_know_that(&b->f, &b->known, when, true);
    touch(b, n, what, (uint32_t)i->imm, i->in[0], 1, i->op == CG_STORE);
    if (i->op == CG_LOAD)
        reads(b, (uint32_t)i->imm, i->in[0], 1);
    else if (!when)
        writes(b, (uint32_t)i->imm, i->in[0], 1);
    else if (is_followed(b, (uint32_t)i->imm))
        cg_written_perhaps(&b->written, (uint32_t)i->imm);
    b->known.n = known;
    b->known.never = never;
}

static void
copy(bounds *b, const cg_insn *i)
{
    for (int j = 2; j-- > 0;) {
        const uint32_t x = i->call->buffer[j];
        const int64_t size = (int64_t)cot_dtype_size(b->k->buffer[x].type),
                      n = ((int64_t)i->imm + size - 1) / size;
        touch(b, &b->r->copy, "copy", x, i->in[j], n, j == 0);
        if (j == 0)
            writes(b, x, i->in[j], (int64_t)i->imm / size);
        else
            reads(b, x, i->in[j], n);
    }
}

/* What the callee reads first, and then what it writes. */
static void
pass(bounds *b, const cg_call *c, const cg_kernel *to)
{
    for (int written = 0; written < 2; written++)
        for (uint32_t j = 0, n = 0; j < to->n_buffers; j++) {
            const cg_buffer *x = &to->buffer[j];
            if (x->space > CG_OUT)
                continue;
            if (written && x->space == CG_OUT)
                writes(b, c->buffer[n], c->offset[n], x->elements);
            else if (!written && x->space == CG_IN)
                reads(b, c->buffer[n], c->offset[n], x->elements);
            else if (!written)
                updates(b, c->buffer[n], c->offset[n], x->elements, (uint32_t)c->kernel, j);
            n++;
        }
}

static cg_interval
joined(cg_interval x, cg_interval y)
{
    return (cg_interval){ x.lo < y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi };
}

static void
call(bounds *b, const cg_call *c)
{
    const cg_kernel *to = b->m->kernel[c->kernel];
    cg_interval **param = &b->param[c->kernel];
    const bool first = !*param;
    int n = 0;

    for (uint32_t j = 0; j < to->n_buffers; j++)
        if (to->buffer[j].space <= CG_OUT) {
            touch(b, &b->r->call, "call", c->buffer[n], c->offset[n], to->buffer[j].elements,
                  to->buffer[j].space == CG_OUT);
            n++;
        }
    pass(b, c, to);
    if (first)
        *param = IR_NEW_N(b->arena, cg_interval, c->n_params + 1);
    for (int j = 0; j < c->n_params; j++) {
        const cg_form x = cg_exact_form(&b->f, c->param[j]);
        const cg_interval in = cg_form_interval(&b->f, &x);
        (*param)[j] = first ? in : joined((*param)[j], in);
    }
}

static void
extern_call(bounds *b, const cg_extern *x)
{
    for (int j = 0; j < x->n; j++)
        if (x->arg[j].buffer)
            touch(b, &b->r->call, "foreign call", x->arg[j].buffer - 1, x->arg[j].offset,
                  x->arg[j].offset ? 1 : 0, x->arg[j].writes);
    for (int j = 0; j < x->n; j++)
        if (x->arg[j].buffer && x->arg[j].writes)
            writes(b, x->arg[j].buffer - 1, 0, b->k->buffer[x->arg[j].buffer - 1].elements);
}

/* Is there anything that is followed? */
static bool
follows_any(const bounds *b)
{
    return b->any_followed;
}

static int64_t
elements_of_row(const cg_kernel *k, uint32_t buffer)
{
    return 16 / (int64_t)cot_dtype_size(k->buffer[buffer].type);
}

/* Rows of 16 bytes, and words of a thread's own. */
static void
tensor(bounds *b, const cg_insn *i)
{
    const cg_call *c = i->call;
    cg_bounds_count *n = &b->r->tensor;

    if (i->op == CG_FETCH) {
        for (int j = 0; j < 2; j++)
            if (j == 0 || !i->in[2])
                touch(b, n, "fetch", c->buffer[j], i->in[j],
                      i->imm ? (int64_t)i->imm : elements_of_row(b->k, c->buffer[j]), j == 0);
    } else if (i->op == CG_FRAGMENT) {
        touch(b, n, "fragment", c->buffer[0], i->in[0], 4, true);
        touch(b, n, "fragment", c->buffer[1], i->in[1], elements_of_row(b->k, c->buffer[1]),
              false);
    } else {
        for (int j = 0; j < 3; j++)
            touch(b, n, "mma", c->buffer[j], i->in[j], j == 2 ? 2 : 4, j == 2);
    }
}

/* -- regions -- */

static bool
never_runs(bounds *b, const cg_block *x)
{
    const cg_form lo = cg_exact_form(&b->f, x->lo), hi = cg_exact_form(&b->f, x->hi);

    return cg_form_interval(&b->f, &lo).lo >= cg_form_interval(&b->f, &hi).hi;
}

static void
walk_under(bounds *b, const cg_region *r, cg_val cond, bool holds)
{
    const int known = b->known.n;
    const bool never = b->known.never;
    cg_know_that(&b->f, &b->known, cond, holds);
    walk(b, r);
    b->known.n = known;
    b->known.never = never;
}

static void
define_carried(bounds *b, const cg_block *x)
{
    for (int j = 0; j < x->n; j++) {
        cg_facts_define(&b->f, x->yield[j].carried);
        b->by_data[x->yield[j].carried] = true;
    }
}

/* A condition that is known has one side. */
static void
walk_if(bounds *b, const cg_block *x)
{
    const uint32_t mark = b->written.n;
    int64_t c;

    if (cg_is_const(b->k, x->cond, &c)) {
        walk_under(b, c ? &x->body : &x->other, x->cond, c != 0);
        return;
    }
    walk_under(b, &x->body, x->cond, true);
    const cg_written_side then =
        follows_any(b) ? cg_written_other(&b->written, mark) : (cg_written_side){ 0 };
    walk_under(b, &x->other, x->cond, false);
    if (follows_any(b))
        cg_written_join(&b->written, mark, then);
}

/* Is the condition a carried value that is true at first? */
static bool
runs_once(const bounds *b, const cg_block *x)
{
    int64_t c;

    for (int j = 0; j < x->n; j++)
        if (x->yield[j].carried == x->cond)
            return cg_is_const(b->k, x->yield[j].init, &c) && c != 0;
    return false;
}

/* What the condition needs is done once in any case, the body perhaps never. */
static void
walk_while(bounds *b, const cg_block *x)
{
    const uint32_t before = b->f.n, pending = b->n_pending;
    int64_t c;

    define_carried(b, x);
    const uint32_t mark = follows_any(b) ? cg_written_loop(&b->written, x) : 0;
    walk(b, &x->other);
    const uint32_t body = b->written.n;
    if (!cg_is_const(b->k, x->cond, &c) || c != 0)
        walk_under(b, &x->body, x->cond, true);
    if (!follows_any(b))
        return;
    if (!runs_once(b, x))
        cg_written_loop_end(&b->written, body, 0, 0);
    cg_written_loop_end(&b->written, mark, before ? before - 1 : 0, 1);
    end_pending(b, pending);
}

/* How often the loop runs, which all lanes do; 0: that is not known. */
static int64_t
times_of(bounds *b, const cg_block *x)
{
    const cg_form lo = cg_exact_form(&b->f, x->lo), hi = cg_exact_form(&b->f, x->hi);
    const cg_interval from = cg_form_interval(&b->f, &lo), to = cg_form_interval(&b->f, &hi);

    return !x->limit && from.lo == from.hi && to.lo == to.hi && from.lo < to.lo
               ? (to.lo - 1 - from.lo) / x->step + 1
               : 0;
}

static void
define_results(bounds *b, const cg_block *x)
{
    for (int j = 0; j < x->n; j++) {
        cg_facts_define(&b->f, x->result[j]);
        b->by_data[x->result[j]] = true;
    }
}

/* The atom that counts the loop's iterations. */
static uint32_t
count_of(const bounds *b, const cg_block *x)
{
    uint32_t atom = b->f.n - 1;

    while (atom > 0 && b->f.atom[atom].value != x->var)
        atom--;
    return atom;
}

/* Where data decides, as in a scatter, the order of what is loaded is to keep iterations apart:
 * that is counted and let pass. */
static void
count_races(bounds *b, const cg_block *x)
{
    const cg_races_count n = cg_races_end(&b->races);

    b->r->race.proved += n.proved;
    b->r->race.open += n.open;
    b->r->race_by_data += n.by_data;
    if (n.open)
        tell(b,
             ir_format(b->arena,
                       "kernel %s, loop of value %u: iterations that run at the same time are "
                       "not proved to be apart in %s, buffer %u",
                       b->k->name, x->var, b->k->buffer[n.first].name, n.first));
}

/* What is written once it is done; local memory is an iteration's own where threads share the
 * loop. */
static void
walk_iterations(bounds *b, const cg_block *x, bool splits_work)
{
    const uint32_t counter = count_of(b, x), pending = b->n_pending;

    if (!follows_any(b)) {
        walk(b, &x->body);
        return;
    }
    const uint32_t mark = cg_written_loop(&b->written, x);
    if (splits_work)
        cg_written_forget_private(&b->written);
    walk(b, &x->body);
    cg_written_loop_end(&b->written, mark, counter, times_of(b, x));
    if (splits_work)
        cg_written_forget_private(&b->written);
    else
        end_pending(b, pending);
}

/* Within a loop lo is less than hi, and the limit, in active lanes, at least one. */
static void
walk_loop(bounds *b, const cg_block *x)
{
    const cg_form lo = cg_exact_form(&b->f, x->lo), hi = cg_exact_form(&b->f, x->hi);
    const int known = b->known.n;
    const bool never = b->known.never,
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
    walk_iterations(b, x, splits_work);
    if (splits_work)
        count_races(b, x);
    b->known.n = known;
    b->known.never = never;
}

/* So does what has bits of an integer picked by another one, as the pairs of a step of a
 * sorting network: that a distance is a power of two is not known here. */
static bool
depends_on_data(const bounds *b, const cg_insn *i)
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
walk_insn(bounds *b, cg_val v)
{
    const cg_insn *i = &b->k->insn[v];

    b->at = v;
    switch (i->op) {
    case CG_LOAD: touch_if(b, &b->r->load, "load", i, i->in[1]); break;
    case CG_STORE: touch_if(b, &b->r->store, "store", i, i->in[2]); break;
    case CG_COPY: copy(b, i); break;
    case CG_CALL: call(b, i->call); break;
    case CG_EXTERN: extern_call(b, i->ext); break;
    case CG_FETCH:
    case CG_FRAGMENT:
    case CG_MMA: tensor(b, i); break;
    case CG_LOOP: walk_loop(b, i->block); break;
    case CG_IF: walk_if(b, i->block); break;
    case CG_WHILE: walk_while(b, i->block); break;
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
walk(bounds *b, const cg_region *r)
{
    for (uint32_t n = 0; n < r->n; n++)
        walk_insn(b, r->insn[n]);
}

/* -- modules -- */

/* The work block has room for each of the buffers in it. */
static void
places(bounds *b)
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
            open_access(b, "place in the work block", j, &at, room - bytes);
        }
    }
}

/* Whoever calls a function takes its results for written. */
static void
results(bounds *b)
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
            tell(b, ir_format(b->arena,
                              "kernel %s: result %s is not proved to be written before the end",
                              b->k->name, b->k->buffer[j].name));
    }
}

static cot_status
walk_kernels(const cg_module *m, cg_scratch *s, void *user)
{
    bounds *b = user;

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
        find_followed(b);
        if (follows_any(b))
            cg_written_begin(&b->written, &b->f, &b->known);
        places(b);
        walk(b, &b->k->body);
        results(b);
        refuse_pending(b);
        ir_arena_reset(&s->kernel);
    }
    return COT_OK;
}

void
cg_bounds_of(const cg_module *m, ir_arena *arena, cg_bounds_report *r)
{
    bounds *b = IR_NEW(arena, bounds);

    b->m = m;
    b->arena = arena;
    b->r = r;
    cg_with_scratch(m, walk_kernels, b);
}

static cot_status
verify(const cg_module *m, cg_scratch *s, void *user)
{
    cg_bounds_report r = { 0 };

    (void)user;
    cg_bounds_of(m, &s->module, &r);
    return r.why ? ir_fail(m->ctx, r.loc, NULL, ERR_unproved, r.why) : COT_OK;
}

cot_status
cg_verify_bounds(const cg_module *m)
{
    return cg_with_scratch(m, verify, NULL);
}
