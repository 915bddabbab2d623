/* Building kernels.
 *
 * The cursor is the end of the innermost open region.  An instruction that has no effect is
 * placed as far out as its operands allow, and an equal one placed before is used again: so
 * invariant code leaves loops while it is built, and back ends need neither hoisting nor global
 * value numbering.  This works because a loop enters the list of its parent when it ends: what
 * is placed in the parent before that comes before the loop.  Arithmetic does not leave an
 * `if`, which may exist to avoid it; index arithmetic and constants do.  Loads of buffers that
 * nobody writes move too, out of loops that surely run.
 *
 * Sums of indices are kept as linear forms, outermost terms first and the constant last: an
 * inner loop adds one term, and the constant ends up in the addressing mode. */
#include "codegen/kernel/kernel.h"

#include <limits.h>
#include <stdlib.h>

#include "ir/map.h"

/* What a region permits: how far out an instruction made inside may go. */
typedef enum opening { OPEN_LOOP, OPEN_MAYBE, OPEN_BRANCH } opening;

typedef struct place {
    uint32_t depth, serial;
} place;

typedef struct cg_scope {
    ir_map map;
    place *at; /* of each value: the region it is in       */
    uint32_t n, cap;
    uint32_t *serial; /* of each open region                      */
    uint8_t *kind;
    uint32_t n_serial, cap_serial, n_kind, cap_kind;
    uint32_t next;
} cg_scope;

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

bool
cg_has_mode(const cg_block *x, cg_mode mode)
{
    for (int i = 0; i < x->n; i++)
        if (x->yield[i].mode == mode)
            return true;
    return false;
}

cot_dtype
cg_type(const cg_kernel *k, cg_val v)
{
    const cg_insn *i = &k->insn[v];

    if (i->op == SC_eq || i->op == SC_ne || i->op == SC_lt || i->op == SC_le)
        return COT_BOOL;
    return (cot_dtype)i->type;
}

ir_loc
cg_loc_of(const cg_kernel *k, cg_val v)
{
    ir_loc loc = k->insn[v].loc ? k->insn[v].loc : k->loc;

    for (uint32_t i = 1; i < k->n_insns && !loc; i++)
        loc = k->insn[i].loc;
    return loc;
}

/* -- regions -- */

static void
open_region(cg_build *b, cg_region *r, opening kind)
{
    cg_scope *s = b->scope;

    IR_PUSH(b->k->arena, b->open, b->n_open, b->cap_open, r);
    IR_PUSH(b->k->arena, s->serial, s->n_serial, s->cap_serial, s->next++);
    IR_PUSH(b->k->arena, s->kind, s->n_kind, s->cap_kind, (uint8_t)kind);
}

static void
close_region(cg_build *b)
{
    b->n_open--;
    b->scope->n_serial--;
    b->scope->n_kind--;
}

void
cg_begin(cg_build *b, cg_kernel *k)
{
    *b = (cg_build){ .k = k, .scope = IR_NEW(k->arena, cg_scope) };
    ir_map_init(&b->scope->map, k->arena);
    IR_PUSH(k->arena, b->scope->at, b->scope->n, b->scope->cap, (place){ 0 });
    open_region(b, &k->body, OPEN_LOOP);
}

static bool
is_reachable(const cg_build *b, cg_val v)
{
    const cg_scope *s = b->scope;

    return s->at[v].depth < s->n_serial && s->serial[s->at[v].depth] == s->at[v].serial;
}

/* A new value that belongs to the open region of that depth, in no list yet. */
static cg_val
new_value(cg_build *b, cg_insn x, uint32_t depth)
{
    cg_scope *s = b->scope;
    cg_kernel *k = b->k;

    x.loc = b->loc;
    IR_PUSH(k->arena, k->insn, k->n_insns, k->cap_insns, x);
    IR_PUSH(k->arena, s->at, s->n, s->cap, ((place){ depth, s->serial[depth] }));
    return k->n_insns - 1;
}

static cg_val
place_at(cg_build *b, cg_insn x, uint32_t depth)
{
    cg_val v = new_value(b, x, depth);
    cg_region *r = b->open[depth];

    IR_PUSH(b->k->arena, r->insn, r->n, r->cap, v);
    return v;
}

static cg_val
place_here(cg_build *b, cg_insn x)
{
    return place_at(b, x, b->n_open - 1);
}

uint32_t
cg_depth(const cg_build *b, cg_val v)
{
    return v ? b->scope->at[v].depth : 0;
}

/* The outermost region for x: inside all of its operands, and not out of a region of a kind
 * above `most`. */
static uint32_t
outermost(const cg_build *b, const cg_insn *x, opening most)
{
    uint32_t d = 0;

    for (int i = 0; i < 3; i++)
        if (cg_depth(b, x->in[i]) > d)
            d = cg_depth(b, x->in[i]);
    for (int i = 0; i < 4; i++)
        if (cg_depth(b, x->args[i]) > d)
            d = cg_depth(b, x->args[i]);
    for (uint32_t i = b->n_open; i-- > d + 1;)
        if (b->scope->kind[i] > most)
            return i;
    return d;
}

static uint64_t
hash_insn(const cg_insn *x)
{
    uint64_t h = ir_hash_u64(x->op, x->type);

    for (int i = 0; i < 3; i++)
        h = ir_hash_u64(h, x->in[i]);
    for (int i = 0; i < 4; i++)
        h = ir_hash_u64(h, x->args[i]);
    h = ir_hash_u64(h, x->imm);
    h = ir_hash_u64(h, (uintptr_t)x->table);
    return ir_hash_u64(h, (uintptr_t)x->sub);
}

static bool
same_insn(const cg_insn *x, const cg_insn *y)
{
    return x->op == y->op && x->type == y->type && x->imm == y->imm && x->table == y->table &&
           x->sub == y->sub && memcmp(x->in, y->in, sizeof x->in) == 0 &&
           memcmp(x->args, y->args, sizeof x->args) == 0;
}

/* The shared instance of an instruction without effect. */
static cg_val
share(cg_build *b, cg_insn x, opening most)
{
    uint64_t h = hash_insn(&x);

    for (uint32_t at = 0, v; (v = ir_map_next(&b->scope->map, h, &at)) != 0;)
        if (is_reachable(b, v) && same_insn(&b->k->insn[v], &x))
            return v;
    cg_val v = place_at(b, x, outermost(b, &x, most));
    ir_map_add(&b->scope->map, h, v);
    return v;
}

/* -- scalar instructions -- */

cg_val
cg_const(cg_build *b, cot_dtype t, uint64_t bits)
{
    if (ir_bits(t) < 64)
        bits &= ((uint64_t)1 << ir_bits(t)) - 1;
    return share(b, (cg_insn){ .op = SC_const, .type = (uint8_t)t, .imm = bits }, OPEN_BRANCH);
}

cg_val
cg_i64(cg_build *b, int64_t x)
{
    return cg_const(b, COT_I64, (uint64_t)x);
}

bool
cg_is_const(const cg_kernel *k, cg_val v, int64_t *x)
{
    const cg_insn *i = &k->insn[v];

    if (i->op != SC_const || v == 0)
        return false;
    int drop = 64 - (i->type == COT_BOOL ? 64 : ir_bits((cot_dtype)i->type));
    if (x)
        *x = ir_is_signed((cot_dtype)i->type) ? (int64_t)(i->imm << drop) >> drop
                                              : (int64_t)i->imm;
    return true;
}

/* Fold by the evaluator when all operands are constants.  Constants are held as on a
 * little-endian machine, low bits first, which is how the evaluator reads an array of one
 * element. */
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

static bool
is_bits(const cg_kernel *k, cg_val v, uint64_t bits)
{
    return k->insn[v].op == SC_const && k->insn[v].imm == bits;
}

/* Folds that keep every bit and need no evaluation. */
static cg_val
fold_simple(cg_build *b, const cg_insn *x)
{
    const cg_kernel *k = b->k;
    uint64_t ones = x->type == COT_BOOL ? 1 : ~(uint64_t)0;

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
    case SC_cvt:
    case SC_bitcast: return cg_type(k, x->in[0]) == (cot_dtype)x->type ? x->in[0] : 0;
    default: return 0;
    }
}

static cg_val
scalar(cg_build *b, cg_insn x)
{
    cg_val v = fold_simple(b, &x);

    if (v == 0)
        v = fold_constants(b, &x);
    if (v)
        return v;
    /* A branch may be there to avoid a division by zero or a costly function. */
    bool index = x.type == COT_I64 && x.op != SC_div && x.op != SC_rem;
    return share(b, x,
                 index                         ? OPEN_BRANCH
                 : b->k->module->trapping_math ? OPEN_LOOP
                                               : OPEN_MAYBE);
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

/* A branch around a sub-program: a slow path that is but seldom so. */
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

cg_val
cg_param(cg_build *b, int index)
{
    if (index >= b->k->n_params)
        b->k->n_params = index + 1;
    return share(b, (cg_insn){ .op = CG_PARAM, .type = COT_I64, .imm = (uint64_t)index },
                 OPEN_BRANCH);
}

/* Nobody writes the buffer while the kernel runs. */
static bool
is_frozen(const cg_kernel *k, uint32_t buffer)
{
    const cg_buffer *x = &k->buffer[buffer];

    if (x->space != CG_IN && x->space != CG_CONST)
        return false;
    for (uint32_t i = 0; i < k->n_buffers; i++)
        if (k->buffer[i].alias == buffer + 1)
            return false;
    return x->alias == 0;
}

cg_val
cg_load(cg_build *b, uint32_t buffer, cg_val index, cg_val when)
{
    cg_insn x = { .op = CG_LOAD,
                  .type = (uint8_t)b->k->buffer[buffer].type,
                  .imm = buffer,
                  .in = { index, when } };

    return is_frozen(b->k, buffer) ? share(b, x, OPEN_LOOP) : place_here(b, x);
}

void
cg_store(cg_build *b, uint32_t buffer, cg_val index, cg_val value, cg_val when)
{
    place_here(b, (cg_insn){ .op = CG_STORE,
                             .type = (uint8_t)b->k->buffer[buffer].type,
                             .imm = buffer,
                             .in = { index, value, when } });
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
    place_here(b, (cg_insn){ .op = CG_COPY,
                             .type = COT_DTYPE_NONE,
                             .imm = (uint64_t)bytes,
                             .in = { to_offset, from_offset },
                             .call = c });
}

void
cg_barrier(cg_build *b)
{
    place_here(b, (cg_insn){ .op = CG_BARRIER, .type = COT_DTYPE_NONE });
}

void
cg_effect(cg_build *b, cg_insn x)
{
    place_here(b, x);
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
    place_here(b, (cg_insn){ .op = CG_FAIL, .imm = (uint64_t)status, .in = { cond } });
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
    place_here(b, (cg_insn){ .op = CG_CALL, .imm = (uint64_t)kernel, .call = c });
}

cg_val
cg_call_extern(cg_build *b, const cg_extern *x, cot_dtype type)
{
    return place_here(b, (cg_insn){ .op = CG_EXTERN, .type = (uint8_t)type, .ext = x });
}

/* -- control -- */

static int
add_yield(cg_build *b, cg_block *x, cg_yield y)
{
    uint32_t n = (uint32_t)x->n, cap = x->cap;

    IR_PUSH(b->k->arena, x->yield, n, cap, y);
    x->cap = cap;
    return x->n++;
}

/* The instructions that stand for the results, where the block itself stands. */
static void
make_results(cg_build *b, cg_val block)
{
    cg_block *x = b->k->insn[block].block;

    x->result = IR_NEW_N(b->k->arena, cg_val, x->n + 1);
    for (int i = 0; i < x->n; i++)
        x->result[i] = new_value(b,
                                 (cg_insn){ .op = CG_RESULT,
                                            .type = (uint8_t)x->yield[i].type,
                                            .imm = (uint64_t)i,
                                            .in = { block } },
                                 cg_depth(b, block));
}

static void
append(cg_build *b, cg_val v)
{
    cg_region *r = b->open[b->n_open - 1];

    IR_PUSH(b->k->arena, r->insn, r->n, r->cap, v);
}

static cg_val
new_block(cg_build *b, cg_op op)
{
    cg_insn x = { .op = (uint8_t)op, .block = IR_NEW(b->k->arena, cg_block) };

    return new_value(b, x, b->n_open - 1);
}

/* A loop that surely runs lets loads out. */
static opening
kind_of_loop(const cg_kernel *k, const cg_block *x)
{
    int64_t lo, hi;

    return cg_is_const(k, x->lo, &lo) && cg_is_const(k, x->hi, &hi) && lo < hi ? OPEN_LOOP
                                                                               : OPEN_MAYBE;
}

cg_val
cg_loop_begin(cg_build *b, cg_kind kind, cg_val lo, cg_val hi, int64_t step, cg_val limit)
{
    cg_val v = new_block(b, CG_LOOP);
    cg_block *x = b->k->insn[v].block;

    x->kind = kind;
    x->lo = lo;
    x->hi = hi;
    x->step = step;
    x->limit = limit;
    open_region(b, &x->body, kind_of_loop(b->k, x));
    x->var =
        new_value(b, (cg_insn){ .op = CG_VAR, .type = COT_I64, .in = { v } }, b->n_open - 1);
    return v;
}

cg_val
cg_loop_var(const cg_build *b, cg_val loop)
{
    return b->k->insn[loop].block->var;
}

static cg_val
add_carry(cg_build *b, cg_val loop, cot_dtype t, cg_val init)
{
    cg_block *x = b->k->insn[loop].block;
    cg_val v = new_value(
        b,
        (cg_insn){
            .op = CG_CARRIED, .type = (uint8_t)t, .imm = (uint64_t)x->n, .in = { loop } },
        cg_depth(b, loop) + 1);

    add_yield(b, x, (cg_yield){ .mode = CG_CARRY, .type = t, .init = init, .carried = v });
    return v;
}

static void
set_next(cg_build *b, cg_val loop, cg_val carried, cg_val value)
{
    b->k->insn[loop].block->yield[b->k->insn[carried].imm].value = value;
}

cg_val
cg_loop_carry(cg_build *b, cg_val loop, cot_dtype t, cg_val init)
{
    return add_carry(b, loop, t, init);
}

void
cg_loop_next(cg_build *b, cg_val loop, cg_val carried, cg_val value)
{
    set_next(b, loop, carried, value);
}

int
cg_loop_reduce(cg_build *b, cg_val loop, cg_mode mode, ir_sc_op combine, cot_dtype t,
               cg_val value)
{
    return add_yield(b, b->k->insn[loop].block,
                     (cg_yield){ .mode = mode, .combine = combine, .type = t, .value = value });
}

void
cg_loop_end(cg_build *b, cg_val loop)
{
    close_region(b);
    append(b, loop);
    make_results(b, loop);
}

cg_val
cg_loop_result(cg_build *b, cg_val loop, int i)
{
    return b->k->insn[loop].block->result[i];
}

cg_val
cg_if_begin(cg_build *b, cg_val cond)
{
    cg_val v = new_block(b, CG_IF);

    b->k->insn[v].block->cond = cond;
    open_region(b, &b->k->insn[v].block->body, OPEN_BRANCH);
    return v;
}

void
cg_if_else(cg_build *b, cg_val branch)
{
    close_region(b);
    open_region(b, &b->k->insn[branch].block->other, OPEN_BRANCH);
}

int
cg_if_yield(cg_build *b, cg_val branch, cot_dtype t, cg_val then, cg_val otherwise)
{
    cg_block *x = b->k->insn[branch].block;
    int i = add_yield(
        b, x, (cg_yield){ .mode = CG_CARRY, .type = t, .value = then, .init = otherwise });
    cg_val *result = IR_NEW_N(b->k->arena, cg_val, x->n);

    for (int j = 0; j < i; j++)
        result[j] = x->result[j];
    result[i] = new_value(
        b,
        (cg_insn){ .op = CG_RESULT, .type = (uint8_t)t, .imm = (uint64_t)i, .in = { branch } },
        cg_depth(b, branch));
    x->result = result;
    return i;
}

void
cg_if_end(cg_build *b, cg_val branch)
{
    close_region(b);
    append(b, branch);
}

cg_val
cg_while_begin(cg_build *b)
{
    cg_val v = new_block(b, CG_WHILE);

    open_region(b, &b->k->insn[v].block->other, OPEN_MAYBE);
    return v;
}

cg_val
cg_while_carry(cg_build *b, cg_val loop, cot_dtype t, cg_val init)
{
    return add_carry(b, loop, t, init);
}

/* Carried values belong to both regions of a while: the second takes over the number of the
 * first. */
void
cg_while_test(cg_build *b, cg_val loop, cg_val cond)
{
    cg_block *x = b->k->insn[loop].block;

    x->cond = cond;
    close_region(b);
    open_region(b, &x->body, OPEN_MAYBE);
    for (int i = 0; i < x->n; i++)
        b->scope->at[x->yield[i].carried] =
            (place){ b->n_open - 1, b->scope->serial[b->n_open - 1] };
}

void
cg_while_next(cg_build *b, cg_val loop, cg_val carried, cg_val value)
{
    set_next(b, loop, carried, value);
}

void
cg_while_end(cg_build *b, cg_val loop)
{
    close_region(b);
    append(b, loop);
    make_results(b, loop);
}
