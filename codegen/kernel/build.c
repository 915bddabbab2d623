/* Building kernels: scalar instructions, memory and effects.
 *
 * Instructions whose operands are all constant are folded, and equal ones are shared (scope.c).
 * Arithmetic does not move out of an `if`, which may exist to avoid it; index arithmetic and
 * constants do.  Loads of buffers that nothing writes also move, out of loops that certainly
 * run. */
#include "codegen/kernel/scope.h"

/* -- scalar instructions -- */

cg_val
cg_const(cg_build *b, cot_dtype t, uint64_t bits)
{
    if (ir_bits(t) < 64)
        bits &= ((uint64_t)1 << ir_bits(t)) - 1;
    return cg_scope_share(b, (cg_insn){ .op = SC_const, .type = (uint8_t)t, .imm = bits },
                          CG_OPEN_BRANCH);
}

cg_val
cg_i64(cg_build *b, int64_t x)
{
    return cg_const(b, COT_I64, (uint64_t)x);
}

cg_val
cg_loop_of(cg_build *b, cg_kind kind, int64_t n)
{
    const cg_val hi = cg_i64(b, n), lo = cg_i64(b, 0);

    return cg_loop_begin(b, kind, lo, hi, 1, 0);
}

/* Fold an instruction whose operands are all constant, by the reference evaluator.  Constants
 * are stored as on a little-endian machine, low bits first, which the evaluator reads as an
 * array of one element. */
static cg_val
fold_constants(cg_build *b, const cg_insn *x)
{
    const cg_kernel *k = b->k;
    const void *in[3] = { 0 };
    uint64_t bits[3], out = 0;
    ir_sc_insn i = { .op = x->op, .type = x->type, .imm = x->imm, .table = x->table };
    int n = ir_sc_arity[x->op];

    if (x->op == SC_slow_path || x->op == SC_const || n == 0)
        return 0;
    for (int j = 0; j < n; j++) {
        if (k->insn[x->in[j]].op != SC_const)
            return 0;
        bits[j] = k->insn[x->in[j]].imm;
        in[j] = &bits[j];
    }
    ir_sc_eval(&i, cg_type(k, x->in[0]), 1, &out, in);
    bool compares = x->op == SC_eq || x->op == SC_ne || x->op == SC_lt || x->op == SC_le;
    return cg_const(b, compares ? COT_BOOL : (cot_dtype)x->type, out);
}

/* The value of a constant of f32 or f64. */
static bool
number_of(const cg_kernel *k, cg_val v, double *x)
{
    const cg_insn *i = &k->insn[v];
    const uint32_t low = (uint32_t)i->imm;
    float narrow;

    if (i->op != SC_const || (i->type != COT_F32 && i->type != COT_F64))
        return false;
    if (i->type == COT_F64) {
        memcpy(x, &i->imm, sizeof *x);
        return true;
    }
    memcpy(&narrow, &low, sizeof narrow);
    *x = (double)narrow;
    return true;
}

static bool
is_bits(const cg_kernel *k, cg_val v, uint64_t bits)
{
    return k->insn[v].op == SC_const && k->insn[v].imm == bits;
}

/* Is float v known to be NaN or at least c, as after a clamp?  Constants order as numbers. */
static bool
never_below(const cg_kernel *k, cg_val v, double c, int depth)
{
    const cg_insn *x = &k->insn[v], *p = &k->insn[x->in[0]];
    double least;

    if (number_of(k, v, &least))
        return !(least < c);
    if (x->op != SC_select || depth == 0 || !never_below(k, x->in[1], c, depth - 1))
        return false;
    return (p->op == SC_lt && p->in[0] == x->in[2] && number_of(k, p->in[1], &least) &&
            least >= c) ||
           never_below(k, x->in[2], c, depth - 1);
}

/* Folds that need no evaluation and change no bit. */
static cg_val
fold_simple(cg_build *b, const cg_insn *x)
{
    const cg_kernel *k = b->k;
    uint64_t ones = x->type == COT_BOOL ? 1 : ~(uint64_t)0;
    double least;
    bool is;

    switch (x->op) {
    case SC_select:
        if (x->in[1] == x->in[2] || is_bits(k, x->in[0], 1))
            return x->in[1];
        return is_bits(k, x->in[0], 0) ? x->in[2] : 0;
    case SC_and:
        if (is_bits(k, x->in[0], 0) || is_bits(k, x->in[1], ones))
            return x->in[0];
        return is_bits(k, x->in[1], 0) || is_bits(k, x->in[0], ones) ? x->in[1] : 0;
    case SC_or:
        if (is_bits(k, x->in[0], ones) || is_bits(k, x->in[1], 0))
            return x->in[0];
        return is_bits(k, x->in[1], ones) || is_bits(k, x->in[0], 0) ? x->in[1] : 0;
    case SC_lt:
        if (number_of(k, x->in[1], &least) && never_below(k, x->in[0], least, 2))
            return cg_const(b, COT_BOOL, 0);
        /* fall through */
    case SC_le:
    case SC_eq:
    case SC_ne:
        return cg_compare(k, (ir_sc_op)x->op, x->in[0], x->in[1], &is)
                   ? cg_const(b, COT_BOOL, is)
                   : 0;
    case SC_cvt:
    case SC_bitcast: return cg_type(k, x->in[0]) == (cot_dtype)x->type ? x->in[0] : 0;
    default: return 0;
    }
}

/* Does an instruction choose by a constant that is an open extent?  What it chooses here it may
 * not choose at another size. */
static bool
chooses_by_open(const cg_build *b, const cg_insn *x)
{
    const bool chooses = x->op == SC_lt || x->op == SC_le || x->op == SC_eq || x->op == SC_ne ||
                         x->op == SC_min || x->op == SC_max || x->op == SC_div ||
                         x->op == SC_rem;
    int64_t c;

    for (int j = 0; j < 2 && chooses; j++)
        if (cg_is_const(b->k, x->in[j], &c) && cg_module_is_open(b->k->module, c))
            return true;
    return false;
}

/* Is an instruction to be kept, though its operands are constants?  Sizes are seldom open. */
__attribute__((cold)) static bool
is_kept(const cg_build *b, const cg_insn *x)
{
    const cg_kernel *k = b->k;

    return x->in[1] && k->insn[x->in[0]].op == SC_const && k->insn[x->in[1]].op == SC_const &&
           chooses_by_open(b, x);
}

static cg_val
scalar(cg_build *b, cg_insn x)
{
    cg_val v = 0;

    if (!b->k->module->n_open || !is_kept(b, &x)) {
        v = fold_simple(b, &x);
        if (v == 0)
            v = fold_constants(b, &x);
    }
    if (v)
        return v;
    /* The branch may exist to avoid a division by zero or an expensive function. */
    bool index = x.type == COT_I64 && x.op != SC_div && x.op != SC_rem;
    return cg_scope_share(b, x,
                          index                         ? CG_OPEN_BRANCH
                          : b->k->module->trapping_math ? CG_OPEN_LOOP
                                                        : CG_OPEN_MAYBE);
}

cg_val
cg_insn1(cg_build *b, ir_sc_op op, cot_dtype t, cg_val x)
{
    return scalar(b, (cg_insn){ .op = (uint8_t)op, .type = (uint8_t)t, .in = { x } });
}

cg_val
cg_cvt(cg_build *b, cot_dtype from, cot_dtype to, cg_val x)
{
    if (from == to)
        return x;
    if ((ir_is_half(from) || ir_is_half(to)) && from != COT_F32 && to != COT_F32)
        x = cg_insn1(b, SC_cvt, COT_F32, x);
    return cg_insn1(b, SC_cvt, to, x);
}

cg_val
cg_insn2(cg_build *b, ir_sc_op op, cot_dtype t, cg_val x, cg_val y)
{
    return scalar(b, (cg_insn){ .op = (uint8_t)op, .type = (uint8_t)t, .in = { x, y } });
}

cg_val
cg_insn3(cg_build *b, ir_sc_op op, cot_dtype t, cg_val x, cg_val y, cg_val z)
{
    return scalar(b, (cg_insn){ .op = (uint8_t)op, .type = (uint8_t)t, .in = { x, y, z } });
}

cg_val
cg_insn2_kept(cg_build *b, ir_sc_op op, cg_val x, cg_val y)
{
    return cg_scope_share(
        b, (cg_insn){ .op = (uint8_t)op, .type = (uint8_t)cg_type(b->k, x), .in = { x, y } },
        CG_OPEN_BRANCH);
}

/* Emit a slow path that is inline (ir_sc_branch): its sub-program inside a branch. */
static cg_val
inline_unlikely(cg_build *b, const cg_insn *x)
{
    int64_t known;

    if (cg_is_const(b->k, x->in[0], &known))
        return known ? cg_inline(b, x->sub, x->args) : x->in[1];
    cg_val branch = cg_if_begin(b, x->in[0]), then = cg_inline(b, x->sub, x->args);

    cg_if_else(b, branch);
    int i = cg_if_yield(b, branch, (cot_dtype)x->type, then, x->in[1]);
    cg_if_end(b, branch);
    return cg_loop_result(b, branch, i);
}

cg_val
cg_inline(cg_build *b, const ir_sc_program *p, const cg_val *in)
{
    cg_val *v = IR_NEW_N(b->k->arena, cg_val, p->n_in + p->n);

    for (int i = 0; i < p->n_in; i++)
        v[i] = in[i];
    for (int i = 0; i < p->n; i++) {
        const ir_sc_insn *s = &p->insn[i];
        cg_insn x = {
            .op = s->op, .type = s->type, .imm = s->imm, .table = s->table, .sub = s->sub
        };

        for (int j = 0; j < ir_sc_arity[s->op]; j++)
            x.in[j] = v[s->in[j]];
        for (int j = 0; s->op == SC_slow_path && j < s->sub->n_in; j++)
            x.args[j] = v[s->args[j]];
        v[p->n_in + i] = s->op == SC_const ? cg_const(b, (cot_dtype)s->type, s->imm)
                         : s->op == SC_slow_path && s->imm ? inline_unlikely(b, &x)
                                                           : scalar(b, x);
    }
    return v[p->out];
}

uint64_t
cg_neutral_bits(ir_sc_op combine, cot_dtype t)
{
    uint64_t high = (uint64_t)1 << (ir_bits(t) - 1);
    bool f32 = t == COT_F32, f64 = t == COT_F64;

    switch (combine) {
    case SC_add: return f32 || f64 ? high : 0;
    case SC_mul: return f64 ? 0x3ff0000000000000u : f32 ? 0x3f800000u : 1;
    case SC_max:
        return f64 ? 0xfff0000000000000u : f32 ? 0xff800000u : ir_is_signed(t) ? high : 0;
    case SC_min:
        return f64               ? 0x7ff0000000000000u
               : f32             ? 0x7f800000u
               : ir_is_signed(t) ? high - 1
                                 : high + high - 1;
    case SC_and: return high + high - 1;
    default: return 0;
    }
}

cg_val
cg_neutral(cg_build *b, ir_sc_op combine, cot_dtype t)
{
    return cg_const(b, t, cg_neutral_bits(combine, t));
}

/* -- memory and effects -- */

uint32_t
cg_buffer_add(cg_kernel *k, const char *name, cot_dtype type, cg_space space, int64_t elements)
{
    cg_buffer x = { .name = ir_copy_string(k->arena, name),
                    .type = type,
                    .space = space,
                    .elements = elements };

    IR_PUSH(k->arena, k->buffer, k->n_buffers, k->cap_buffers, x);
    return k->n_buffers - 1;
}

void
cg_buffer_over(cg_kernel *k, uint32_t b, uint32_t x)
{
    k->buffer[b].alias = x + 1;
    k->buffer[x].aliased = true;
}

cg_val
cg_param(cg_build *b, int index)
{
    if (index >= b->k->n_params)
        b->k->n_params = index + 1;
    return cg_scope_share(b,
                          (cg_insn){ .op = CG_PARAM, .type = COT_I64, .imm = (uint64_t)index },
                          CG_OPEN_BRANCH);
}

/* Does nothing write the buffer while the kernel runs? */
static bool
is_frozen(const cg_kernel *k, uint32_t buffer)
{
    const cg_buffer *x = &k->buffer[buffer];

    return (x->space == CG_IN || x->space == CG_CONST) && !cg_is_aliased(x);
}

cg_val
cg_load(cg_build *b, uint32_t buffer, cg_val index, cg_val when)
{
    cg_insn x = { .op = CG_LOAD,
                  .type = (uint8_t)b->k->buffer[buffer].type,
                  .imm = buffer,
                  .in = { index, when } };

    return is_frozen(b->k, buffer) ? cg_scope_share(b, x, CG_OPEN_LOOP) : cg_scope_place(b, x);
}

void
cg_store(cg_build *b, uint32_t buffer, cg_val index, cg_val value, cg_val when)
{
    cg_scope_place(b, (cg_insn){ .op = CG_STORE,
                                 .type = (uint8_t)b->k->buffer[buffer].type,
                                 .imm = buffer,
                                 .in = { index, value, when } });
}

cg_val
cg_scan_lanes(cg_build *b, ir_sc_op combine, cg_val x)
{
    return cg_scope_place(
        b, (cg_insn){
               .op = CG_SCAN, .type = (uint8_t)cg_type(b->k, x), .imm = combine, .in = { x } });
}

cg_val
cg_last_lane(cg_build *b, cg_val x)
{
    return cg_scope_place(
        b, (cg_insn){ .op = CG_LAST, .type = (uint8_t)cg_type(b->k, x), .in = { x } });
}

void
cg_copy(cg_build *b, uint32_t to, cg_val to_offset, uint32_t from, cg_val from_offset,
        int64_t bytes)
{
    cg_call *c = IR_NEW(b->k->arena, cg_call);

    c->n_buffers = 2;
    c->buffer = IR_NEW_N(b->k->arena, uint32_t, 2);
    c->buffer[0] = to;
    c->buffer[1] = from;
    cg_scope_place(b, (cg_insn){ .op = CG_COPY,
                                 .type = COT_DTYPE_NONE,
                                 .imm = (uint64_t)bytes,
                                 .in = { to_offset, from_offset },
                                 .call = c });
}

void
cg_barrier(cg_build *b)
{
    cg_scope_place(b, (cg_insn){ .op = CG_BARRIER, .type = COT_DTYPE_NONE });
}

void
cg_swap(cg_build *b, uint32_t x, uint32_t y)
{
    cg_call *c = IR_NEW(b->k->arena, cg_call);

    c->n_buffers = 2;
    c->buffer = IR_NEW_N(b->k->arena, uint32_t, 2);
    c->buffer[0] = x;
    c->buffer[1] = y;
    cg_scope_place(b, (cg_insn){ .op = CG_SWAP, .type = COT_DTYPE_NONE, .call = c });
}

void
cg_settle(cg_build *b, uint32_t buffer)
{
    cg_scope_place(b, (cg_insn){ .op = CG_SETTLE, .type = COT_DTYPE_NONE, .imm = buffer });
}

void
cg_effect(cg_build *b, cg_insn x)
{
    cg_scope_place(b, x);
}

void
cg_prefetch(cg_build *b, uint32_t buffer, cg_val index)
{
    cg_effect(
        b,
        (cg_insn){ .op = CG_PREFETCH, .type = COT_DTYPE_NONE, .imm = buffer, .in = { index } });
}

void
cg_fail_if(cg_build *b, cg_val cond, cot_status status)
{
    cg_scope_place(b, (cg_insn){ .op = CG_FAIL, .imm = (uint64_t)status, .in = { cond } });
}

void
cg_call_kernel(cg_build *b, int kernel, const uint32_t *buffers, const cg_val *offsets,
               int n_params, const cg_val *params)
{
    ir_arena *a = b->k->arena;
    const cg_module *m = b->k->module;
    cg_call *c = IR_NEW(a, cg_call);
    size_t n = 0;

    for (uint32_t i = 0; i < m->kernel[kernel]->n_buffers; i++)
        n += m->kernel[kernel]->buffer[i].space <= CG_OUT;
    c->kernel = kernel;
    c->n_buffers = (int)n;
    c->n_params = n_params;
    c->buffer = ir_copy_bytes(a, buffers, n * sizeof *buffers);
    c->offset =
        offsets ? ir_copy_bytes(a, offsets, n * sizeof *offsets) : IR_NEW_N(a, cg_val, n + 1);
    c->param = n_params ? ir_copy_bytes(a, params, (size_t)n_params * sizeof *params) : NULL;
    cg_scope_place(b, (cg_insn){ .op = CG_CALL, .imm = (uint64_t)kernel, .call = c });
}

cg_val
cg_call_extern(cg_build *b, const cg_extern *x, cot_dtype type)
{
    return cg_scope_place(b, (cg_insn){ .op = CG_EXTERN, .type = (uint8_t)type, .ext = x });
}
