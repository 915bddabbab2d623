/* An interpreter of the entry.
 *
 * Every value has a 64-bit word in the frame, with its bits in the low end, which is how the
 * evaluator reads an array of one element.  So a scalar instruction is executed by the
 * evaluator.  The nesting of regions is that of the source, which bounds the recursion. */
#include "codegen/host/host.h"

#include "ir/diag.h"

typedef struct host {
    const cg_module *m;
    const cg_kernel *k;
    const cg_device *d;
    void *const *args;
    char *work;
    uint64_t *value; /* by instruction number */
    int64_t *placed; /* by buffer: where CG_PLACE said that it begins */
} host;

/* What CG_FAIL with COT_OK ends a run with. */
enum { LEFT = -1 };

static cot_status run_region(const host *h, const cg_region *r);

/* ---- memory ---- */

static char *
base_of(const host *h, uint32_t buffer)
{
    const cg_buffer *b = &h->k->buffer[buffer];

    if (b->space == CG_WORK)
        return h->work + (b->placed ? h->placed[buffer] : b->offset);
    if (b->space != CG_CONST)
        return h->args[b->arg];
    return h->d->constant ? h->d->constant[buffer] : (void *)(uintptr_t)b->data;
}

static int64_t
bytes_at(const host *h, uint32_t buffer, cg_val offset)
{
    return offset
               ? (int64_t)h->value[offset] * (int64_t)cot_dtype_size(h->k->buffer[buffer].type)
               : 0;
}

static void *
address(const host *h, uint32_t buffer, cg_val offset)
{
    return base_of(h, buffer) + bytes_at(h, buffer, offset);
}

static size_t
bytes_from(const host *h, uint32_t buffer, cg_val offset)
{
    const cg_buffer *b = &h->k->buffer[buffer];
    const int64_t all = b->elements * (int64_t)cot_dtype_size(b->type),
                  from = bytes_at(h, buffer, offset);

    return from < all ? (size_t)(all - from) : 0;
}

/* ---- instructions ---- */

static void
run_scalar(const host *h, cg_val v, const cg_insn *x)
{
    const ir_sc_insn i = { .op = x->op, .type = x->type, .imm = x->imm, .table = x->table };
    const void *in[3] = { 0 };
    uint64_t out = 0;

    for (int j = 0; j < ir_sc_arity[x->op]; j++)
        in[j] = &h->value[x->in[j]];
    ir_sc_eval(&i, ir_sc_arity[x->op] ? cg_type(h->k, x->in[0]) : (cot_dtype)x->type, 1, &out,
               in);
    h->value[v] = out;
}

static cot_status
run_load(const host *h, cg_val v, const cg_insn *x)
{
    h->value[v] = 0;
    if (x->in[1] && !h->value[x->in[1]])
        return COT_OK;
    if (h->k->buffer[x->imm].sizes) {
        memcpy(&h->value[v], address(h, (uint32_t)x->imm, x->in[0]), sizeof(int64_t));
        return COT_OK;
    }
    return h->d->read(h->d->self, address(h, (uint32_t)x->imm, x->in[0]),
                      cot_dtype_size((cot_dtype)x->type), &h->value[v]);
}

static cot_status
run_store(const host *h, const cg_insn *x)
{
    if (x->in[2] && !h->value[x->in[2]])
        return COT_OK;
    return h->d->write(h->d->self, address(h, (uint32_t)x->imm, x->in[0]),
                       cot_dtype_size(h->k->buffer[x->imm].type), &h->value[x->in[1]]);
}

/* Was cot_cancel called? */
static cot_status
check_cancel(const host *h)
{
    return atomic_load_explicit(&h->m->ctx->cancelled, memory_order_relaxed) ? COT_ERR_CANCELLED
                                                                             : COT_OK;
}

static cot_status
run_call(const host *h, const cg_insn *x)
{
    const cg_call *c = x->call;
    void *buffer[c->n_buffers + 1];
    int64_t param[c->n_params + 1];

    COT_TRY(check_cancel(h));
    for (int i = 0; i < c->n_buffers; i++)
        buffer[i] = address(h, c->buffer[i], c->offset[i]);
    for (int i = 0; i < c->n_params; i++)
        param[i] = (int64_t)h->value[c->param[i]];
    const int64_t blocks = c->grid ? (int64_t)h->value[c->grid] : -1;
    return h->d->launch(h->d->self, c->kernel, blocks, buffer, param);
}

static cot_status
run_extern(const host *h, cg_val v, const cg_insn *x)
{
    const cg_extern *e = x->ext;
    cg_handed handed[e->n + 1];

    for (int i = 0; i < e->n; i++) {
        const cg_extern_arg *a = &e->arg[i];

        handed[i] = (cg_handed){ .at = (void *)(uintptr_t)a->address, .writes = a->writes };
        if (a->type != COT_DTYPE_NONE)
            handed[i].bits = h->value[a->value];
        else if (a->buffer) {
            handed[i].at = address(h, a->buffer - 1, a->offset);
            handed[i].bytes = bytes_from(h, a->buffer - 1, a->offset);
        }
    }
    h->value[v] = 0;
    return h->d->call(h->d->self, e, handed, (cot_dtype)x->type, &h->value[v]);
}

static cot_status
run_copy(const host *h, const cg_insn *x, uint32_t to, uint32_t from)
{
    return h->d->copy(h->d->self, address(h, to, x->in[0]), address(h, from, x->in[1]),
                      x->in[2] ? (size_t)h->value[x->in[2]] : (size_t)x->imm);
}

static cot_status
run_fail(const host *h, const cg_insn *x)
{
    if (!h->value[x->in[0]])
        return COT_OK;
    return x->imm == COT_OK ? (cot_status)LEFT : (cot_status)x->imm;
}

/* ---- control ---- */

/* Carries and results are assigned at once, since a new value may be the old value of
 * another. */
static void
move_values(const host *h, const cg_block *b, bool to_results, bool from_first)
{
    uint64_t next[b->n + 1];

    for (int i = 0; i < b->n; i++) {
        const cg_yield *y = &b->yield[i];

        next[i] = h->value[from_first                 ? y->init
                           : to_results && y->carried ? y->carried
                                                      : y->value];
    }
    for (int i = 0; i < b->n; i++)
        h->value[to_results ? b->result[i] : b->yield[i].carried] = next[i];
}

static cot_status
run_loop(const host *h, const cg_block *b)
{
    const int64_t lo = (int64_t)h->value[b->lo], hi = (int64_t)h->value[b->hi];

    move_values(h, b, false, true);
    for (int64_t i = lo; i < hi; i += b->step) {
        h->value[b->var] = (uint64_t)i;
        COT_TRY(check_cancel(h));
        COT_TRY(run_region(h, &b->body));
        move_values(h, b, false, false);
    }
    move_values(h, b, true, false);
    return COT_OK;
}

static cot_status
run_while(const host *h, const cg_block *b)
{
    move_values(h, b, false, true);
    for (;;) {
        COT_TRY(check_cancel(h));
        COT_TRY(run_region(h, &b->other));
        if (!h->value[b->cond])
            break;
        COT_TRY(run_region(h, &b->body));
        move_values(h, b, false, false);
    }
    move_values(h, b, true, false);
    return COT_OK;
}

/* The yields of an `if`: those of then, or those of else, which are stored in `init`. */
static cot_status
run_if(const host *h, const cg_block *b)
{
    const bool then = h->value[b->cond] != 0;

    COT_TRY(run_region(h, then ? &b->body : &b->other));
    move_values(h, b, true, !then);
    return COT_OK;
}

typedef struct captured_loop {
    const host *h;
    const cg_block *loop;
} captured_loop;

static cot_status
run_captured(void *arg)
{
    const captured_loop *p = arg;

    return run_loop(p->h, p->loop);
}

static cot_status
run_loop_or_capture(const host *h, cg_val v)
{
    captured_loop p = { h, h->k->insn[v].block };

    if (h->d->capture && h->d->is_captured[v])
        return h->d->capture(h->d->self, v, run_captured, &p);
    return run_loop(h, p.loop);
}

static cot_status
run_insn(const host *h, cg_val v)
{
    const cg_insn *x = &h->k->insn[v];

    switch (x->op) {
    case SC_const: h->value[v] = x->imm; return COT_OK;
    case CG_LOAD: return run_load(h, v, x);
    case CG_STORE: return run_store(h, x);
    case CG_LOOP: return run_loop_or_capture(h, v);
    case CG_WHILE: return run_while(h, x->block);
    case CG_IF: return run_if(h, x->block);
    case CG_CALL: return run_call(h, x);
    case CG_EXTERN: return run_extern(h, v, x);
    case CG_COPY: return run_copy(h, x, x->call->buffer[0], x->call->buffer[1]);
    case CG_FAIL: return run_fail(h, x);
    case CG_PLACE: h->placed[x->imm] = (int64_t)h->value[x->in[0]]; return COT_OK;
    default: run_scalar(h, v, x); return COT_OK;
    }
}

static cot_status
run_region(const host *h, const cg_region *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        COT_TRY(run_insn(h, r->insn[i]));
    return COT_OK;
}

size_t
cg_host_bytes(const cg_module *m)
{
    return sizeof(uint64_t) * (m->kernel[0]->n_insns + 1 + m->kernel[0]->n_buffers);
}

cot_status
cg_host_run(const cg_module *m, const cg_device *d, void *const *args, void *work, void *frame)
{
    const cg_kernel *k = m->kernel[0];
    uint64_t *value = frame;
    const host h = { m, k, d, args, work, value, (int64_t *)value + k->n_insns + 1 };
    const cot_status s = run_region(&h, &k->body);

    return s == (cot_status)LEFT ? COT_OK : s;
}

/* ---- properties of an entry ---- */

typedef bool visit(const cg_kernel *k, cg_val v);

/* The first instruction that `is` accepts; 0: none. */
static cg_val
first_insn(const cg_kernel *k, const cg_region *r, visit *is)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const cg_block *b = k->insn[r->insn[i]].block;
        cg_val found = is(k, r->insn[i]) ? r->insn[i] : 0;

        if (!found && b)
            found = first_insn(k, &b->body, is);
        if (!found && b)
            found = first_insn(k, &b->other, is);
        if (found)
            return found;
    }
    return 0;
}

/* Open sizes are no data: a record of launches is one for these sizes. */
static bool
depends_on_data(const cg_kernel *k, cg_val v)
{
    const cg_insn *x = &k->insn[v];

    return (x->op == CG_LOAD && !k->buffer[x->imm].sizes) || x->op == CG_STORE ||
           x->op == CG_EXTERN || x->op == CG_FAIL;
}

/* In an entry that reads nothing else, what it stores and whether it fails depends on sizes
 * alone. */
static bool
is_crooked(const cg_kernel *k, cg_val v)
{
    const uint8_t op = k->insn[v].op;

    return depends_on_data(k, v) && !(k->module->n_sizes && (op == CG_FAIL || op == CG_STORE));
}

bool
cg_host_is_straight(const cg_module *m)
{
    return !first_insn(m->kernel[0], &m->kernel[0]->body, is_crooked);
}

/* Marks values that do not change during a run: those that the entry's outermost region
 * computes from constants, and thus neither from memory nor from loops. */
static void
mark_fixed(const cg_kernel *k, const cg_region *r, bool *fixed)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const cg_insn *x = &k->insn[r->insn[i]];
        bool keeps = !x->block && !depends_on_data(k, r->insn[i]);

        for (int j = 0; j < 3; j++)
            keeps &= fixed[x->in[j]];
        fixed[r->insn[i]] = keeps;
    }
}

static bool keeps_to(const cg_kernel *k, const cg_region *r, bool *fixed);

static bool
block_keeps_to(const cg_kernel *k, const cg_block *b, bool *fixed)
{
    if (!fixed[b->lo] || !fixed[b->hi] || b->n > 0)
        return false;
    fixed[b->var] = true;
    return keeps_to(k, &b->body, fixed);
}

/* Does the region use only fixed values, and values that it computes from them? */
static bool
keeps_to(const cg_kernel *k, const cg_region *r, bool *fixed)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const cg_insn *x = &k->insn[r->insn[i]];
        bool keeps = !depends_on_data(k, r->insn[i]);

        if (x->block)
            keeps &= x->op == CG_LOOP && block_keeps_to(k, x->block, fixed);
        for (int j = 0; j < 3 && !x->block; j++)
            keeps &= fixed[x->in[j]];
        for (int j = 0; x->op == CG_CALL && j < x->call->n_buffers; j++)
            keeps &= fixed[x->call->offset[j]];
        for (int j = 0; x->op == CG_CALL && j < x->call->n_params; j++)
            keeps &= fixed[x->call->param[j]];
        if (!keeps)
            return false;
        fixed[r->insn[i]] = !x->block;
    }
    return true;
}

static bool
find_captured(const cg_kernel *k, const cg_region *r, bool in_while, const bool *fixed,
              bool *is)
{
    bool any = false;

    for (uint32_t i = 0; i < r->n; i++) {
        const cg_val v = r->insn[i];
        const cg_block *b = k->insn[v].block;

        if (!b)
            continue;
        if (k->insn[v].op == CG_LOOP && in_while) {
            bool *here = ir_copy_bytes(k->arena, fixed, k->n_insns * sizeof *fixed);

            is[v] = block_keeps_to(k, b, here);
        }
        any |= is[v];
        if (is[v])
            continue;
        any |= find_captured(k, &b->body, in_while || k->insn[v].op == CG_WHILE, fixed, is);
        any |= find_captured(k, &b->other, in_while || k->insn[v].op == CG_WHILE, fixed, is);
    }
    return any;
}

bool
cg_host_captured_loops(const cg_module *m, bool *is)
{
    const cg_kernel *k = m->kernel[0];
    bool *fixed = IR_NEW_N(k->arena, bool, k->n_insns);

    for (cg_val v = 0; v < k->n_insns; v++)
        fixed[v] = v == 0 || k->insn[v].op == SC_const;
    mark_fixed(k, &k->body, fixed);
    return find_captured(k, &k->body, false, fixed, is);
}

static bool
is_strange(const cg_kernel *k, cg_val v)
{
    const cg_insn *x = &k->insn[v];

    if (x->op == CG_LOOP && (x->block->kind != CG_SERIAL || cg_has_mode(x->block, CG_FOLD) ||
                             cg_has_mode(x->block, CG_TREE)))
        return true;
    if ((x->op == CG_LOAD || x->op == CG_STORE) && k->buffer[x->imm].space == CG_LOCAL)
        return true;
    return x->op == SC_slow_path || x->op == CG_PARAM || x->op == CG_VAR ||
           (x->op > CG_COPY && x->op != CG_PLACE);
}

cot_status
cg_host_check(const cg_module *m)
{
    const cg_kernel *k = m->kernel[0];
    const cg_val v = first_insn(k, &k->body, is_strange);

    if (!v)
        return COT_OK;
    return ir_fail(m->ctx, k->loc, k->name, ERR_internal,
                   ir_format(&m->ctx->message_arena,
                             "the entry holds instruction %u, which no host has",
                             (unsigned)k->insn[v].op));
}
