/* Checks one access of a kernel: a load, store, copy, call or tensor instruction.
 *
 * Both ends of the range of elements that it touches are proved to lie in the buffer.  If the
 * buffer's contents are tracked (written.h), a read also needs an earlier write.  In a loop an
 * earlier iteration may have written, which is known only at the end of the loop, so such reads
 * are kept until then.  Each access is also recorded for the proof that parallel iterations do
 * not conflict (races.h). */
#include "codegen/verify/accesses.h"

#include <inttypes.h>

#include "codegen/verify/prove.h"

static void
print_form(ir_buf *t, const cg_bounds_walk *b, const cg_form *x)
{
    for (int i = 0; i < x->n; i++) {
        const cg_atom *a = &b->f.atom[x->term[i].atom];
        ir_buf_printf(t, "%s%" PRId64 " a%u:v%u", i ? " + " : "", x->term[i].c, x->term[i].atom,
                      a->value);
    }
    ir_buf_printf(t, "%s%" PRId64, x->n ? " + " : "", x->k);
}

void
cg_bounds_tell(cg_bounds_walk *b, const char *what)
{
    if (!b->r->why) {
        b->r->why = what;
        b->r->loc = cg_loc_of(b->k, b->at);
    }
    if (b->r->text)
        ir_buf_printf(b->r->text, "%s\n", what);
}

void
cg_bounds_open(cg_bounds_walk *b, const char *what, uint32_t buffer, const cg_form *index,
               int64_t most)
{
    ir_buf t;

    ir_buf_init(&t, b->arena);
    ir_buf_printf(&t, "kernel %s, value %u: %s of %s[", b->k->name, b->at, what,
                  b->k->buffer[buffer].name);
    print_form(&t, b, index);
    ir_buf_printf(&t, "] is not proved to lie in 0..%" PRId64, most);
    cg_bounds_tell(b, t.text);
}

/* Proves 0 <= x <= most. */
static bool
within(cg_bounds_walk *b, const cg_form *x, int64_t most)
{
    cg_sum low = { 0 }, high = { .k = most };

    return cg_sum_add(&low, 1, x) && cg_sum_add(&high, -1, x) &&
           cg_prove_at_length(&b->f, &b->known, &low) &&
           cg_prove_at_length(&b->f, &b->known, &high);
}

static cg_form
form_at(cg_bounds_walk *b, cg_val index)
{
    if (index == 0)
        return cg_form_const(0);
    return b->f.value[index].known ? b->f.value[index].form : cg_exact_form(&b->f, index);
}

/* Tracked are buffers in the work block and a function's results; in a kernel, its local memory
 * and the buffers that it receives uninitialised. */
static bool
is_followed(const cg_bounds_walk *b, uint32_t buffer)
{
    return b->follows[buffer];
}

void
cg_bounds_find_followed(cg_bounds_walk *b)
{
    const bool *unwritten = b->unwritten[b->kernel];
    const cg_swapped swapped = cg_find_swapped(b->k, b->f.arena);

    for (cg_val v = 1; v < b->k->n_insns; v++)
        if (b->k->insn[v].block && b->k->insn[v].block->kind >= CG_GRID &&
            b->k->insn[v].block->kind <= CG_LANES)
            return;
    for (uint32_t j = 0; j < b->k->n_buffers; j++) {
        const cg_space space = b->k->buffer[j].space;
        b->follows[j] = b->k->plans ? space == CG_WORK || cg_is_function_result(b->k, j) ||
                                          cg_is_swapped(&swapped, j)
                                    : space == CG_LOCAL || (unwritten && unwritten[j]);
        b->any_followed |= b->follows[j];
    }
}

void
cg_bounds_begin_swapped(cg_bounds_walk *b)
{
    const cg_form first = cg_form_const(0);

    for (uint32_t j = 0; j < b->k->n_buffers && b->kernel == 0; j++)
        if (b->k->buffer[j].space == CG_OUT && cg_is_swapped(&b->written.swapped, j))
            cg_written_write(&b->written, j, &first, b->k->buffer[j].elements);
}

void
cg_bounds_refuse_lost(cg_bounds_walk *b)
{
    if (b->written.lost == 0)
        return;
    b->r->read.open++;
    cg_bounds_tell(
        b, ir_format(b->arena,
                     "kernel %s: an iteration reads elements of %s, buffer %u, which "
                     "are not proved to be written for the next one",
                     b->k->name, b->k->buffer[b->written.lost - 1].name, b->written.lost - 1));
    b->written.lost = 0;
}

static void
open_read(cg_bounds_walk *b, uint32_t buffer, const cg_form *x, int64_t count)
{
    const cg_insn *i = &b->k->insn[b->at];
    ir_buf t;

    ir_buf_init(&t, b->arena);
    ir_buf_printf(&t, "kernel %s, value %u: %s reads %" PRId64 " elements of %s[", b->k->name,
                  b->at, i->op == CG_CALL ? b->m->kernel[i->call->kernel]->name : "it", count,
                  b->k->buffer[buffer].name);
    print_form(&t, b, x);
    ir_buf_printf(&t, "], buffer %u, which are not proved to be written before", buffer);
    cg_bounds_tell(b, t.text);
}

/* In a loop, an earlier iteration may have written the elements, so the read stays pending. */
static void
reads_own(cg_bounds_walk *b, uint32_t buffer, const cg_form *x, int64_t count, cg_is_written is)
{
    b->r->own.proved += is == CG_WRITTEN;
    b->r->own_perhaps += is == CG_PERHAPS_WRITTEN;
    if (is != CG_NOT_WRITTEN)
        return;
    cg_pending_read p = { b->at, buffer, *x, count, b->known };
    p.known.cap = (uint32_t)p.known.n;
    p.known.form =
        ir_copy_bytes(b->f.arena, b->known.form, (size_t)b->known.n * sizeof *b->known.form);
    IR_PUSH(b->f.arena, b->pending, b->n_pending, b->cap_pending, p);
}

/* At the end of a loop, drop the pending reads from `first` on that an iteration writes. */
void
cg_bounds_end_pending(cg_bounds_walk *b, uint32_t first)
{
    uint32_t n = first;

    for (uint32_t i = first; i < b->n_pending; i++) {
        cg_pending_read *p = &b->pending[i];
        b->written.known = &p->known;
        if (cg_written_has(&b->written, p->buffer, &p->index, p->count) == CG_NOT_WRITTEN)
            b->pending[n++] = *p;
        else
            b->r->own_perhaps++;
    }
    b->written.known = &b->known;
    b->n_pending = n;
}

/* At the end of the kernel, report the reads whose elements nothing writes. */
void
cg_bounds_refuse_pending(cg_bounds_walk *b)
{
    for (uint32_t i = 0; i < b->n_pending; i++) {
        const cg_pending_read *p = &b->pending[i];
        b->at = p->at;
        b->r->own.open++;
        open_read(b, p->buffer, &p->index, p->count);
    }
    b->n_pending = 0;
}

static void
reads(cg_bounds_walk *b, uint32_t buffer, cg_val index, int64_t count)
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

/* The elements that a kernel stores to may be uninitialised.  If it is not proved that they
 * were written, the kernel itself has to write what it reads of them. */
static void
updates(cg_bounds_walk *b, uint32_t buffer, cg_val index, int64_t count, uint32_t kernel,
        uint32_t to)
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
writes(cg_bounds_walk *b, uint32_t buffer, cg_val index, int64_t count)
{
    const cg_form x = form_at(b, index);

    if (is_followed(b, buffer))
        cg_written_write(&b->written, buffer, &x, count);
}

/* Check an access of `count` elements from the index on. */
static void
touch(cg_bounds_walk *b, cg_bounds_count *n, const char *what, uint32_t buffer, cg_val index,
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
    cg_bounds_open(b, what, buffer, &x, most);
}

void
cg_bounds_access(cg_bounds_walk *b, cg_bounds_count *n, const char *what, const cg_insn *i,
                 cg_val when)
{
    const int known = b->known.n;
    const bool infeasible = b->known.infeasible;
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
    b->known.infeasible = infeasible;
}

void
cg_bounds_copy(cg_bounds_walk *b, const cg_insn *i)
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

/* The callee's reads are checked before its writes are recorded. */
static void
pass(cg_bounds_walk *b, const cg_call *c, const cg_kernel *to)
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

void
cg_bounds_call(cg_bounds_walk *b, const cg_call *c)
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

void
cg_bounds_extern(cg_bounds_walk *b, const cg_extern *x)
{
    for (int j = 0; j < x->n; j++) {
        const uint32_t buffer = x->arg[j].buffer - 1;
        if (x->arg[j].buffer) /* of a buffer without elements the function reads nothing */
            touch(b, &b->r->call, "foreign call", buffer, x->arg[j].offset,
                  x->arg[j].offset && b->k->buffer[buffer].elements > 0, x->arg[j].writes);
    }
    for (int j = 0; j < x->n; j++)
        if (x->arg[j].buffer && x->arg[j].writes)
            writes(b, x->arg[j].buffer - 1, 0, b->k->buffer[x->arg[j].buffer - 1].elements);
}

static int64_t
elements_of_row(const cg_kernel *k, uint32_t buffer)
{
    return 16 / (int64_t)cot_dtype_size(k->buffer[buffer].type);
}

/* Tensor instructions touch rows of 16 bytes in shared memory, and words of the thread's own
 * memory. */
void
cg_bounds_tensor(cg_bounds_walk *b, const cg_insn *i)
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
