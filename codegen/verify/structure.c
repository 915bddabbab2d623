/* Checks the invariants of a kernel: operands dominate their uses, types match, buffers and
 * callees exist, kinds of loops nest as kernel.h says.  A violation is a bug of this library:
 * the message names the kernel and the instruction. */
#include <inttypes.h>

#include "codegen/kernel/grid.h"
#include "codegen/verify/bounds.h"
#include "codegen/verify/coverage.h"
#include "codegen/verify/scratch.h"
#include "codegen/verify/swapped.h"
#include "ir/diag.h"

typedef struct verifier {
    const cg_module *m;
    const cg_kernel *k;
    const uint32_t *divergence;
    uint8_t *seen; /* for each value: it is defined at the current place */
    cg_val at;
    int level; /* the number of SPMD loops around */
    bool in_vector, in_parallel;
    bool limited; /* the vector loop around has a limit */
    bool varies;  /* a condition around varies over lanes */
    int depth;   /* the number of loops around */
    int threads; /* the kind of the thread loop around, or 0 */
    int n_grids;
    cg_swapped swapped;
    bool *unsettled; /* for each result: it was swapped and not settled yet */
    int n_unsettled;
    cot_status status;
} verifier;

static void verify_region(verifier *w, const cg_region *r);

static void
wrong(verifier *w, const char *what)
{
    if (w->status != COT_OK)
        return;
    w->status =
        ir_fail(w->m->ctx, cg_loc_of(w->k, w->at), NULL,
                w->m->read ? ERR_kernel_text : ERR_unproved,
                ir_format(w->m->arena, "kernel %s, value %u: %s", w->k->name, w->at, what));
}

static void
want(verifier *w, bool holds, const char *what)
{
    if (!holds)
        wrong(w, what);
}

static void
want_value(verifier *w, cg_val v, cot_dtype t)
{
    if (v == 0 || v >= w->k->n_insns || !w->seen[v])
        wrong(w, "operand is not defined here");
    else if (t != COT_DTYPE_NONE && cg_type(w->k, v) != t)
        wrong(w, ir_format(w->m->arena, "operand %u is %s; wants %s", v,
                           cot_dtype_name(cg_type(w->k, v)), cot_dtype_name(t)));
}

static void
want_uniform(verifier *w, cg_val v, cot_dtype t)
{
    want_value(w, v, t);
    want(w, w->divergence[v] == 0, "operand varies over lanes; wants a uniform value");
}

static const cg_buffer *
want_buffer(verifier *w, uint64_t buffer)
{
    if (buffer < w->k->n_buffers)
        return &w->k->buffer[buffer];
    wrong(w, "no such buffer");
    return NULL;
}

/* Otherwise a back end has no code for the instruction. */
static void
want_defined(verifier *w, ir_sc_op op, cot_dtype t)
{
    if (!cg_scalar_takes(op, t))
        wrong(w, ir_format(w->m->arena, "%s is not defined for %s", ir_sc_name[op],
                           cot_dtype_name(t)));
}

static void
verify_conversion(verifier *w, const cg_insn *i)
{
    const cot_dtype from = cg_type(w->k, i->in[0]), to = (cot_dtype)i->type;

    want_defined(w, (ir_sc_op)i->op, from);
    want(w, cg_scalar_converts((ir_sc_op)i->op, from, to),
         i->op == SC_bitcast ? "bitcast changes the width"
                             : "a conversion of a half that is not from or to f32");
}

static void
verify_scalar(verifier *w, const cg_insn *i)
{
    cot_dtype t = (cot_dtype)i->type, operand = t;

    if (i->op != SC_const)
        want_defined(w, (ir_sc_op)i->op, t);
    for (int j = 0; j < ir_sc_arity[i->op]; j++) {
        bool any = i->op == SC_cvt || i->op == SC_bitcast;
        bool flag = j == 0 && (i->op == SC_select || i->op == SC_slow_path);
        want_value(w, i->in[j],
                   any                 ? COT_DTYPE_NONE
                   : flag              ? COT_BOOL
                   : i->op == SC_table ? COT_I32
                                       : operand);
    }
    if ((i->op == SC_bitcast || i->op == SC_cvt) && w->status == COT_OK)
        verify_conversion(w, i);
    for (int j = 0; i->op == SC_slow_path && j < i->sub->n_in; j++)
        want_value(w, i->args[j], i->sub->in[j]);
    if (i->op == SC_slow_path)
        want(w, i->sub->type == t, "slow_path: the sub-program has another type");
}

static void
verify_memory(verifier *w, const cg_insn *i)
{
    const cg_buffer *x = want_buffer(w, i->imm);

    if (!x)
        return;
    want_value(w, i->in[0], COT_I64);
    want(w, x->type == (cot_dtype)i->type, "element type is not the buffer's");
    if (i->op == CG_LOAD) {
        if (i->in[1])
            want_value(w, i->in[1], COT_BOOL);
        return;
    }
    want(w, x->space != CG_IN && x->space != CG_CONST, "store to a read-only buffer");
    want_value(w, i->in[1], x->type);
    if (i->in[2])
        want_value(w, i->in[2], COT_BOOL);
}

static void
verify_extern(verifier *w, const cg_extern *x)
{
    want(w, !w->in_parallel && w->level == 0, "a foreign call inside a parallel or SPMD loop");
    for (int j = 0; j < x->n && w->status == COT_OK; j++) {
        const cg_extern_arg *a = &x->arg[j];
        const cg_buffer *to = a->buffer ? want_buffer(w, a->buffer - 1) : NULL;
        if (a->type != COT_DTYPE_NONE)
            want_uniform(w, a->value, a->type);
        if (a->offset)
            want_uniform(w, a->offset, COT_I64);
        if (a->writes && to)
            want(w, to->space != CG_IN && to->space != CG_CONST,
                 "a foreign call writes a read-only buffer");
    }
}

static void
verify_call(verifier *w, const cg_insn *i)
{
    const cg_call *c = i->call;
    int n = 0;

    if (c->kernel < 0 || (uint32_t)c->kernel >= w->m->n_kernels) {
        wrong(w, "call of a kernel that does not exist");
        return;
    }
    const cg_kernel *to = w->m->kernel[c->kernel];
    want(w, w->level == 0, "call inside an SPMD loop");
    want(w, c->n_params == to->n_params, "call with a wrong number of parameters");
    for (uint32_t j = 0; j < to->n_buffers && w->status == COT_OK; j++) {
        if (to->buffer[j].space > CG_OUT)
            continue;
        const cg_buffer *x = n < c->n_buffers ? want_buffer(w, c->buffer[n]) : NULL;
        want(w, x != NULL, "call with too few buffers");
        if (x && to->buffer[j].space == CG_OUT)
            want(w, x->space != CG_IN && x->space != CG_CONST,
                 "call writes a read-only buffer");
        if (x && c->offset[n])
            want_uniform(w, c->offset[n], COT_I64);
        n++;
    }
    want(w, n == c->n_buffers, "call with too many buffers");
    for (int j = 0; j < c->n_params; j++)
        want_uniform(w, c->param[j], COT_I64);
    if (c->grid)
        want_uniform(w, c->grid, COT_I64);
}

static void
verify_yields(verifier *w, const cg_block *x, bool loop)
{
    bool folds = false, trees = false, carries = false;

    for (int i = 0; i < x->n; i++) {
        const cg_yield *y = &x->yield[i];
        want_value(w, y->value, y->type);
        folds |= y->mode == CG_FOLD;
        trees |= y->mode == CG_TREE;
        carries |= y->mode == CG_CARRY;
        if (y->mode == CG_CARRY)
            continue;
        if (cg_scalar_combines(y->combine))
            want_defined(w, y->combine, y->type);
        else
            wrong(w, "results are combined by an instruction other than add, mul, max, min, "
                     "and, or");
    }
    if (!loop)
        return;
    bool spmd = x->kind >= CG_UNROLL;
    bool alone = x->kind >= CG_PARALLEL && x->kind <= CG_LANES;
    const int64_t n = cg_extent(w->k, x);
    const bool fixed = n >= 0;

    want(w, !(spmd && (carries || trees)), "an SPMD loop yields only folds");
    want(w, !(carries && alone), "a parallel, grid or thread loop has no carries");
    want(w, !(x->kind == CG_GRID || x->kind == CG_BLOCK) || x->n == 0,
         "a grid or block loop yields nothing");
    want(w, !(folds && x->kind == CG_WARPS) && !(trees && x->kind == CG_LANES),
         "warps yield trees, lanes folds");
    want(w, !((folds || trees) && carries) && !(folds && trees), "modes of results do not mix");
    want(w, !folds || (fixed && n >= 1 && n <= 64 && (n & (n - 1)) == 0),
         "fold: extent not a power of two <= 64");
    want(w, !(trees && x->kind == CG_PARALLEL) || (fixed && n <= 4096),
         "parallel tree: extent not constant <= 4096");
    want(w, !(folds && x->kind == CG_PARALLEL), "a parallel loop does not fold");
}

/* The text must show which threads execute the loop: see grid.h. */
static void
verify_thread_loop(verifier *w, const cg_block *x)
{
    const int64_t n = cg_extent(w->k, x);

    want(w, n > 0 || (n == 0 && x->kind == CG_GRID && w->m->n_open),
         "a grid or thread loop without a constant extent");
    want(w, !w->in_parallel && w->level == 0,
         "a grid or thread loop inside a parallel or SPMD loop");
    if (x->kind == CG_GRID) {
        want(w, w->depth == 0 && w->n_grids++ == 0,
             "a grid loop that is not the only outermost one");
        want(w, x->limit == 0, "limit of a grid loop");
        return;
    }
    want(w, !w->threads || (x->kind == CG_LANES && w->threads == CG_WARPS),
         "a thread loop inside another");
    want(w,
         n <= (x->kind == CG_LANES   ? 32
               : x->kind == CG_WARPS ? 32
                                     : 1024),
         "a thread loop of too many threads");
    if (x->limit)
        want_value(w, x->limit, COT_I64);
}

static void
verify_loop_kind(verifier *w, const cg_block *x)
{
    want_uniform(w, x->lo, COT_I64);
    want_uniform(w, x->hi, COT_I64);
    want(w, x->step >= 1, "step is not positive");
    if (w->status != COT_OK) /* the extent is a division by the step */
        return;
    if (x->kind >= CG_GRID && x->kind <= CG_LANES) {
        verify_thread_loop(w, x);
        return;
    }
    want(w, x->kind != CG_PARALLEL || (!w->in_parallel && w->level == 0),
         "a parallel loop inside a parallel or SPMD loop");
    if (x->kind < CG_UNROLL) {
        want(w, x->limit == 0, "limit of a loop that is not a vector loop");
        return;
    }
    const int64_t n = cg_extent(w->k, x);
    want(w, n > 0, "SPMD loop without a constant extent");
    want(w, w->level < 32, "SPMD loops nest too deep");
    if (x->kind == CG_UNROLL) {
        want(w, x->limit == 0, "limit of a loop that is not a vector loop");
        return;
    }
    want(w, (n & (n - 1)) == 0 && n <= CG_MAX_VECTOR,
         "vector extent not a power of two <= 256");
    want(w, !w->in_vector, "vector loop inside a vector loop");
    if (x->limit)
        want_uniform(w, x->limit, COT_I64);
}

static void
define_carries(verifier *w, const cg_block *x)
{
    for (int i = 0; i < x->n; i++)
        if (x->yield[i].carried) {
            want_value(w, x->yield[i].init, x->yield[i].type);
            w->seen[x->yield[i].carried] = 1;
        }
}

/* What a region defines is not visible after it, nor are its block's variable and carries. */
static void
leave(verifier *w, const cg_block *of, const cg_region *r)
{
    if (r == &of->body) {
        w->seen[of->var] = 0;
        for (int i = 0; i < of->n; i++)
            w->seen[of->yield[i].carried] = 0;
    }
    for (uint32_t i = 0; i < r->n; i++) {
        const cg_block *x = w->k->insn[r->insn[i]].block;
        w->seen[r->insn[i]] = 0;
        for (int j = 0; x && j < x->n; j++)
            w->seen[x->result[j]] = 0;
    }
}

static void
verify_loop(verifier *w, const cg_block *x)
{
    verifier outer = *w;

    verify_loop_kind(w, x);
    define_carries(w, x);
    w->seen[x->var] = 1;
    w->level += x->kind >= CG_UNROLL;
    w->in_vector |= x->kind == CG_VECTOR;
    w->limited = x->kind == CG_VECTOR ? x->limit != 0 : w->limited;
    w->in_parallel |= x->kind == CG_PARALLEL;
    w->threads = x->kind >= CG_BLOCK && x->kind <= CG_LANES ? (int)x->kind : w->threads;
    w->depth++;
    if (w->status != COT_OK)
        return;
    verify_region(w, &x->body);
    verify_yields(w, x, true);
    w->level = outer.level;
    w->in_vector = outer.in_vector;
    w->limited = outer.limited;
    w->in_parallel = outer.in_parallel;
    w->threads = outer.threads;
    w->depth = outer.depth;
    leave(w, x, &x->body);
}

static void
verify_if(verifier *w, const cg_block *x)
{
    const bool varies = w->varies;

    want_value(w, x->cond, COT_BOOL);
    w->varies |= w->status == COT_OK && w->divergence[x->cond] != 0;
    verify_region(w, &x->body);
    verify_yields(w, x, false);
    leave(w, x, &x->body);
    verify_region(w, &x->other);
    w->varies = varies;
    for (int i = 0; i < x->n; i++)
        want_value(w, x->yield[i].init, x->yield[i].type);
    leave(w, x, &x->other);
}

static void
verify_while(verifier *w, const cg_block *x)
{
    const bool varies = w->varies;

    define_carries(w, x);
    w->depth++;
    w->varies |= x->cond < w->k->n_insns && w->divergence[x->cond] != 0;
    verify_region(w, &x->other);
    want_value(w, x->cond, COT_BOOL);
    leave(w, x, &x->other);
    verify_region(w, &x->body);
    verify_yields(w, x, false);
    w->varies = varies;
    w->depth--;
    leave(w, x, &x->body);
}

/* All threads of the block execute these instructions, each on its own 16 bytes. */
static void
verify_tensor(verifier *w, const cg_insn *i)
{
    const cg_call *c = i->call;
    const int n = i->op == CG_MMA ? 3 : i->op == CG_COMMIT || i->op == CG_ARRIVE ? 0 : 2;
    const cg_space space[] = { i->op == CG_FETCH ? CG_SHARED : CG_LOCAL,
                               i->op == CG_FRAGMENT ? CG_SHARED : CG_LOCAL, CG_LOCAL };

    want(w,
         w->threads == CG_BLOCK && (!w->in_vector || (i->op != CG_MMA && i->op != CG_FRAGMENT)),
         "an instruction for all threads of a block, outside of a block loop");
    for (int j = 0; j < n && w->status == COT_OK; j++) {
        const cg_buffer *x = want_buffer(w, c->buffer[j]);
        const bool row = (i->op == CG_FETCH && !i->imm) || (i->op == CG_FRAGMENT && j == 1);
        want_value(w, i->in[j], COT_I64);
        want(w, x && (i->op == CG_FETCH && j == 1 ? x->space <= CG_OUT : x->space == space[j]),
             "a buffer of the wrong memory space");
        if (row && w->status == COT_OK)
            want(w,
                 x->align >= 16 &&
                     cg_multiple_of(w->k, i->in[j]) * (int64_t)cot_dtype_size(x->type) >= 16,
                 "a row that does not begin at a multiple of 16 bytes");
    }
    if (i->op != CG_FETCH || w->status != COT_OK)
        return;
    const size_t size = cot_dtype_size(w->k->buffer[c->buffer[0]].type);
    want(w, !i->imm || (i->imm == 1 && (size == 4 || size == 8)),
         "a copy of an unsupported size");
    want(w, w->k->buffer[c->buffer[1]].type == w->k->buffer[c->buffer[0]].type,
         "a copy between different types");
    if (i->in[2])
        want_value(w, i->in[2], COT_I64);
}

/* Swaps are allowed only in entries and functions.  Results that are swapped must be settled
 * later. */
static void
verify_swap(verifier *w, const cg_insn *i)
{
    const cg_buffer *x = want_buffer(w, i->call->buffer[0]),
                    *y = want_buffer(w, i->call->buffer[1]);

    want(w, w->k->plans && w->level == 0 && !w->in_parallel,
         "a swap outside of an entry or function");
    for (uint32_t j = i->call->buffer[0], first = j; x && y;) {
        const cg_buffer *z = &w->k->buffer[j];
        if (z->space == CG_OUT && !w->unsettled[j]) {
            w->unsettled[j] = true;
            w->n_unsettled++;
        }
        if ((j = w->swapped.next[j]) == first)
            break;
    }
}

/* A settle comes after all loops, since the parity of the number of swaps is not known. */
static void
verify_settle(verifier *w, const cg_insn *i)
{
    if (!want_buffer(w, i->imm))
        return;
    want(w, cg_is_swapped(&w->swapped, (uint32_t)i->imm),
         "a settle of a buffer that is never swapped");
    want(w, w->depth == 0, "a settle inside a loop");
    if (w->unsettled[i->imm])
        w->n_unsettled--;
    w->unsettled[i->imm] = false;
}

static void
verify_lanes(verifier *w, const cg_insn *i)
{
    want_value(w, i->in[0], (cot_dtype)i->type);
    want(w, w->in_vector && !w->varies,
         "a scan or the last lane outside of a vector loop, or inside divergent control");
    if (i->op == CG_LAST)
        want(w, !w->limited, "the last lane of a vector loop with a limit");
    else if (!cg_scalar_combines((ir_sc_op)i->imm))
        wrong(w, "a scan by an instruction that does not combine");
    else
        want_defined(w, (ir_sc_op)i->imm, (cot_dtype)i->type);
}

static void
verify_insn(verifier *w, cg_val v)
{
    const cg_insn *i = &w->k->insn[v];

    w->at = v;
    switch (i->op) {
    case CG_PARAM: want(w, i->imm < (uint64_t)w->k->n_params, "no such parameter"); break;
    case CG_LOAD:
    case CG_STORE: verify_memory(w, i); break;
    case CG_SCAN:
    case CG_LAST: verify_lanes(w, i); break;
    case CG_LOOP: verify_loop(w, i->block); break;
    case CG_IF: verify_if(w, i->block); break;
    case CG_WHILE: verify_while(w, i->block); break;
    case CG_CALL: verify_call(w, i); break;
    case CG_EXTERN: verify_extern(w, i->ext); break;
    case CG_COPY:
        want_buffer(w, i->call->buffer[0]);
        want_buffer(w, i->call->buffer[1]);
        want_uniform(w, i->in[0], COT_I64);
        want_uniform(w, i->in[1], COT_I64);
        break;
    case CG_PREFETCH:
        want_buffer(w, i->imm);
        want_uniform(w, i->in[0], COT_I64);
        break;
    case CG_PLACE:
        want_buffer(w, i->imm);
        want_uniform(w, i->in[0], COT_I64);
        break;
    case CG_SWAP: verify_swap(w, i); break;
    case CG_SETTLE: verify_settle(w, i); break;
    case CG_BARRIER: want(w, w->threads != CG_LANES, "a barrier among lanes"); break;
    case CG_FETCH:
    case CG_COMMIT:
    case CG_ARRIVE:
    case CG_FRAGMENT:
    case CG_MMA: verify_tensor(w, i); break;
    case CG_FAIL:
        want_uniform(w, i->in[0], COT_BOOL);
        want(w, !w->in_parallel && w->level == 0, "failure inside a parallel or SPMD loop");
        break;
    default:
        if (i->op < SC_COUNT)
            verify_scalar(w, i);
        else
            wrong(w, "a variable, carried value or result in a list of instructions");
    }
}

static void
verify_region(verifier *w, const cg_region *r)
{
    const int unsettled = w->n_unsettled;

    for (uint32_t i = 0; i < r->n && w->status == COT_OK; i++) {
        const cg_block *x = w->k->insn[r->insn[i]].block;
        verify_insn(w, r->insn[i]);
        w->seen[r->insn[i]] = 1;
        for (int j = 0; x && j < x->n; j++)
            w->seen[x->result[j]] = 1;
    }
    want(w, w->depth > 0 || w->n_unsettled == unsettled,
         "a result is swapped and not settled afterwards");
}

static cot_status
verify_kernel(const cg_module *m, const cg_kernel *k, ir_arena *scratch)
{
    verifier w = { .m = m, .k = k };

    w.swapped = cg_find_swapped(k, scratch);
    w.unsettled = IR_NEW_N(scratch, bool, k->n_buffers + 1);
    w.divergence = cg_divergence(k, scratch);
    w.seen = IR_NEW_N(scratch, uint8_t, k->n_insns);
    for (uint32_t i = 0; i < k->n_buffers; i++) {
        want(&w, k->buffer[i].space != CG_WORK || k->plans,
             "a work buffer outside of an entry or function");
        want(&w, k->buffer[i].space != CG_SHARED || k != m->kernel[0],
             "shared buffer in the entry");
        want(&w, k->buffer[i].space != CG_SHARED || cg_launch_of(k).dynamic <= CG_MAX_DYNAMIC,
             "more shared memory than a block may have");
        want(&w, k->buffer[i].alias <= k->n_buffers, "alias of a buffer that does not exist");
    }
    const char *what = cg_check_swapped(k, &w.swapped, scratch);
    if (what)
        wrong(&w, what);
    verify_region(&w, &k->body);
    return w.status;
}

static cot_status
verify_kernels(const cg_module *m, cg_scratch *s, void *user)
{
    (void)user;
    for (uint32_t i = 0; i < m->n_kernels; i++) {
        COT_TRY(verify_kernel(m, m->kernel[i], &s->kernel));
        ir_arena_reset(&s->kernel);
    }
    return COT_OK;
}

static cot_status
verify_all(const cg_module *m, cg_module *serial)
{
    COT_TRY(cg_with_scratch(m, verify_kernels, NULL));
    COT_TRY(cg_verify_bounds(m, serial));
    return cg_verify_coverage(m);
}

cot_status
cg_verify(const cg_module *m)
{
    return verify_all(m, NULL);
}

cot_status
cg_verify_or_serial(cg_module *m)
{
    COT_TRY(verify_all(m, m->ctx->config.verify >= 2 ? NULL : m));
    m->parallel = m->parallel && (m->n_serial == 0 || cg_any_parallel(m));
    return COT_OK;
}
