/* Kernels that break one rule of the kernel IR, by the message that refuses each, beside the
 * nearest kernels that keep it: where a value may be seen, what its type is, which loop may
 * stand in which, how far an extent may go. */
#include <stdio.h>

#include "codegen/kernel/kernel.h"
#include "codegen/kernel/tensor.h"
#include "tests/unit/suite.h"

enum { N = 4096 };

static ir_arena arena;
static cg_module *m;
static cg_kernel *k;
static cg_build b;
static uint32_t x, y, flags; /* i64 that are read, i64 that are written, bool that are read */

static void
setup(void)
{
    suite_begin();
    ir_arena_init(&arena, ctx);
    m = cg_module_new(ctx, &arena, "test");
    k = cg_kernel_new(m, "main");
    cg_begin(&b, k);
    x = cg_buffer_add(k, "x", COT_I64, CG_IN, N);
    y = cg_buffer_add(k, "y", COT_I64, CG_OUT, N);
    flags = cg_buffer_add(k, "flags", COT_BOOL, CG_IN, N);
}

static void
teardown(void)
{
    ir_arena_free(&arena);
    suite_end();
}

static cg_val
number(int64_t i)
{
    return cg_i64(&b, i);
}

static cg_val
loop(cg_kind kind, int64_t n)
{
    return cg_loop_begin(&b, kind, number(0), number(n), 1, 0);
}

static cg_val
var(cg_val l)
{
    return cg_loop_var(&b, l);
}

static void
end(cg_val l)
{
    cg_loop_end(&b, l);
}

static cg_val
read(cg_val i)
{
    return cg_load(&b, x, i, 0);
}

static void
put(cg_val v)
{
    cg_store(&b, y, number(0), v, 0);
}

static cg_val
flag(void)
{
    return cg_load(&b, flags, number(0), 0);
}

static cg_insn *
last(cg_op op)
{
    for (uint32_t v = k->n_insns; v-- > 1;)
        if (k->insn[v].op == op)
            return &k->insn[v];
    ck_abort_msg("no such instruction");
}

/* -- where a value is seen -- */

static void
before_it_is(int n)
{
    put(read(number(n)));
    last(CG_STORE)->in[1] = k->n_insns;
}

/* What of a loop is seen behind it: 0 a value, 1 the variable, 2 a carried value, 3 its
 * result. */
static void
behind_its_loop(int what)
{
    cg_val l = loop(CG_SERIAL, 4), c = cg_loop_carry(&b, l, COT_I64, number(0));
    cg_val v = read(var(l));

    cg_loop_next(&b, l, c, v);
    end(l);
    put(what == 0 ? v : what == 1 ? var(l) : what == 2 ? c : cg_loop_result(&b, l, 0));
}

/* The result of a loop in a loop, behind both. */
static void
behind_the_outer_loop(int outside)
{
    cg_val l = loop(CG_SERIAL, 4), i = loop(CG_SERIAL, 4);
    cg_val c = cg_loop_carry(&b, i, COT_I64, number(0));

    cg_loop_next(&b, i, c, read(cg_iadd(&b, var(l), var(i))));
    end(i);
    if (outside)
        end(l);
    put(cg_loop_result(&b, i, 0));
    if (!outside)
        end(l);
}

/* What a branch defines: 0 in the other branch, 1 behind both, 2 what the other one defines
 * behind both. */
static void
out_of_its_branch(int where)
{
    cg_val branch = cg_if_begin(&b, flag()), then = read(number(1));

    put(then);
    cg_if_else(&b, branch);
    cg_val other = read(number(2));
    put(where == 0 ? then : other);
    cg_if_end(&b, branch);
    if (where)
        put(where == 1 ? then : where == 2 ? other : number(3));
}

/* A while's values: 0 of the condition in the body, 1 of the body behind it, 2 carried,
 * behind it, 3 its result, 4 carried, in the body. */
static void
out_of_its_while(int where)
{
    cg_val w = cg_while_begin(&b), c = cg_while_carry(&b, w, COT_I64, number(0));
    cg_val asked = read(cg_insn2(&b, SC_and, COT_I64, c, number(3))),
           on = cg_insn2(&b, SC_lt, COT_I64, asked, number(5));

    cg_while_test(&b, w, on);
    cg_val v = cg_iadd(&b, read(number(3)), c);
    put(where == 0 ? asked : where == 4 ? c : v);
    cg_while_next(&b, w, c, v);
    cg_while_end(&b, w);
    if (where >= 1 && where <= 3)
        put(where == 1 ? v : where == 2 ? c : cg_loop_result(&b, w, 0));
}

/* -- types -- */

static void
of_another_type(int what)
{
    cg_val v = read(number(0)), f = flag();

    if (what == 0)
        put(cg_insn2(&b, SC_add, COT_F64, v, v));
    else if (what == 1)
        put(f);
    else if (what == 2)
        cg_load(&b, x, f, 0);
    else if (what == 3)
        cg_store(&b, y, number(0), v, v);
    else if (what == 4)
        put(cg_insn3(&b, SC_select, COT_I64, v, v, number(1)));
    else
        cg_store(&b, y, number(0), cg_insn3(&b, SC_select, COT_I64, f, v, v), f);
}

static void
masked_by(int number_for_flag)
{
    put(cg_load(&b, x, number(1), number_for_flag ? read(number(2)) : flag()));
}

static void
bits_of(int narrow)
{
    uint32_t z = cg_buffer_add(k, "z", narrow ? COT_F32 : COT_F64, CG_OUT, 1);

    cg_store(&b, z, number(0),
             cg_insn1(&b, SC_bitcast, narrow ? COT_F32 : COT_F64, read(number(0))), 0);
}

static void
half_of(int directly)
{
    uint32_t z = cg_buffer_add(k, "z", COT_F16, CG_OUT, 1);
    cg_val v = read(number(0));

    if (!directly)
        v = cg_insn1(&b, SC_cvt, COT_F32, v);
    cg_store(&b, z, number(0), cg_insn1(&b, SC_cvt, COT_F16, v), 0);
}

/* An element of t, op of itself as every operand, which is stored. */
#define OF(op, t) (int)((op) << 8 | (t))
static void
scalar_of(int what)
{
    const ir_sc_op op = (ir_sc_op)(what >> 8);
    const cot_dtype t = (cot_dtype)(what & 255);
    const uint32_t from = cg_buffer_add(k, "from", t, CG_IN, 1),
                   z = cg_buffer_add(k, "z", t, CG_OUT, 1);
    const cg_val v = cg_load(&b, from, number(0), 0), w = cg_load(&b, from, number(0), flag());

    switch (ir_sc_arity[op]) {
    case 1: cg_store(&b, z, number(0), cg_insn1(&b, op, t, v), 0); break;
    case 2: cg_store(&b, z, number(0), cg_insn2(&b, op, t, v, w), 0); break;
    default: cg_store(&b, z, number(0), cg_insn3(&b, op, t, v, w, v), 0);
    }
}

static void
converted_from(int t)
{
    const uint32_t from = cg_buffer_add(k, "from", (cot_dtype)t, CG_IN, 1),
                   z = cg_buffer_add(k, "z", COT_F32, CG_OUT, 1);

    cg_store(&b, z, number(0), cg_insn1(&b, SC_cvt, COT_F32, cg_load(&b, from, number(0), 0)),
             0);
}

/* A loop that combines numbers of type t so. */
static void
combined_by(int what)
{
    const cot_dtype t = (cot_dtype)(what & 255);
    const uint32_t from = cg_buffer_add(k, "from", t, CG_IN, 8),
                   z = cg_buffer_add(k, "z", t, CG_OUT, 1);
    const cg_val l = loop(CG_VECTOR, 8), v = cg_load(&b, from, var(l), 0);
    const int i = cg_loop_reduce(&b, l, CG_FOLD, (ir_sc_op)(what >> 8), t, v);

    end(l);
    cg_store(&b, z, number(0), cg_loop_result(&b, l, i), 0);
}

static void
other_elements(int wrong)
{
    put(read(number(0)));
    if (wrong)
        k->buffer[y].type = COT_F64;
}

/* -- buffers -- */

static void
read_only(int space)
{
    static const int64_t data[1];
    uint32_t z = cg_buffer_add(k, "z", COT_I64, (cg_space)space, 1);

    k->buffer[z].data = data;
    cg_store(&b, z, number(0), read(number(0)), 0);
}

static void
no_buffer(int beyond)
{
    put(number(1));
    last(CG_STORE)->imm = k->n_buffers - 1 + (uint32_t)beyond;
    k->buffer[k->n_buffers - 1] = k->buffer[y];
}

static void
no_parameter(int beyond)
{
    cg_kernel *part = cg_kernel_new(m, "part");
    cg_build p;

    cg_begin(&p, part);
    uint32_t z = cg_buffer_add(part, "z", COT_I64, CG_OUT, 1);
    cg_store(&p, z, cg_i64(&p, 0), cg_param(&p, 1), 0);
    part->n_params = 2 - beyond;
}

static void
in_the_wrong_kernel(int what)
{
    cg_kernel *part = what == 0 ? cg_kernel_new(m, "part") : k;

    cg_buffer_add(part, "z", COT_I64, what == 0 ? CG_WORK : CG_SHARED, 1);
}

static void
alias(int beyond)
{
    k->buffer[y].alias = k->n_buffers + (uint32_t)beyond;
}

/* -- calls -- */

static cg_kernel *
callee(void)
{
    cg_kernel *part = cg_kernel_new(m, "part");
    cg_build p;

    cg_begin(&p, part);
    uint32_t from = cg_buffer_add(part, "from", COT_I64, CG_IN, 1),
             to = cg_buffer_add(part, "to", COT_I64, CG_OUT, 1);
    cg_store(&p, to, cg_i64(&p, 0), cg_load(&p, from, cg_i64(&p, 0), 0), 0);
    return part;
}

static void
called(int wrong)
{
    callee();
    cg_val l = wrong == 6 || wrong == 7 ? loop(CG_VECTOR, 4) : 0;
    cg_call_kernel(&b, 1, (uint32_t[]){ x, wrong == 5 ? x : y },
                   (cg_val[]){ wrong == 7 ? var(l) : 0, 0 }, 0, NULL);
    if (l)
        end(l);
    cg_call *c = last(CG_CALL)->call;
    if (wrong == 1)
        c->kernel = -1;
    else if (wrong == 2)
        c->kernel = 2;
    else if (wrong == 3)
        c->n_buffers = 1;
    else if (wrong == 4)
        m->kernel[1]->n_params = 1;
    else if (wrong == 8) {
        c->n_buffers = 3;
        c->buffer =
            (uint32_t *)ir_copy_bytes(&arena, (uint32_t[]){ x, y, y }, sizeof(uint32_t[3]));
    }
}

static void
copied_at(int varying)
{
    cg_val l = varying ? loop(CG_UNROLL, 2) : 0;

    cg_copy(&b, y, varying == 1 ? var(l) : number(0), x, varying == 2 ? var(l) : number(0), 8);
    if (l)
        end(l);
}

/* -- loops -- */

static void
step_of(int step)
{
    cg_val l = cg_loop_begin(&b, CG_SERIAL, number(0), number(4), 1, 0);

    end(l);
    k->insn[l].block->step = step;
}

#define IN(outer, inner) ((outer) * 16 + (inner))

/* One kind in another, each of two iterations. */
static void
nested(int kinds)
{
    cg_val l = loop((cg_kind)(kinds / 16), 2), i = loop((cg_kind)(kinds % 16), 2);

    cg_store(&b, y, cg_iadd(&b, var(i), cg_imul(&b, var(l), 2)), number(1), 0);
    end(i);
    end(l);
}

static void
three_deep(int inner)
{
    cg_val l = loop(CG_WARPS, 2), i = loop(CG_LANES, 2), j = loop((cg_kind)inner, 2);

    cg_store(&b, y,
             cg_iadd(&b, var(j), cg_iadd(&b, cg_imul(&b, var(i), 2), cg_imul(&b, var(l), 4))),
             number(1), 0);
    end(j);
    end(i);
    end(l);
}

/* Loops behind one another: what one loop is, the next is not in. */
static void
beside(int kinds)
{
    cg_val l = loop((cg_kind)(kinds / 16), 2);

    cg_store(&b, y, var(l), number(1), 0);
    end(l);
    cg_val i = loop((cg_kind)(kinds % 16), 2);
    cg_store(&b, y, var(i), number(1), 0);
    end(i);
}

static void
limited(int kind)
{
    cg_val l = cg_loop_begin(&b, (cg_kind)kind, number(0), number(4), 1, number(3));

    cg_store(&b, y, var(l), number(1), 0);
    end(l);
}

static void
limit_varies(int varies)
{
    cg_val u = loop(CG_UNROLL, 2), from = varies ? var(u) : read(number(0));
    cg_val l =
        cg_loop_begin(&b, CG_VECTOR, number(0), number(4), 1, cg_iadd(&b, from, number(1)));

    cg_store(&b, y, cg_iadd(&b, var(l), cg_imul(&b, var(u), 4)), number(1), 0);
    end(l);
    end(u);
}

static void
bound_varies(int varies)
{
    cg_val u = loop(CG_UNROLL, 2);
    cg_val l = cg_loop_begin(&b, CG_SERIAL, number(0), varies ? var(u) : number(2), 1, 0);

    cg_store(&b, y, cg_iadd(&b, var(l), cg_imul(&b, var(u), 2)), number(1), 0);
    end(l);
    end(u);
}

static void
until_a_value(int kind)
{
    cg_val l = cg_loop_begin(&b, (cg_kind)kind, number(0),
                             cg_imin(&b, read(number(0)), number(4)), 1, 0);

    cg_store(&b, y, var(l), number(1), 0);
    end(l);
}

static void
extent(cg_kind kind, int n)
{
    cg_val l = loop(kind, n);

    cg_store(&b, y, var(l), number(1), 0);
    end(l);
}

static void
lanes_of_a_vector(int n)
{
    extent(CG_VECTOR, n);
}

static void
copies(int n)
{
    extent(CG_UNROLL, n);
}

static void
threads(int n)
{
    extent(CG_BLOCK, n);
}

static void
warps(int n)
{
    extent(CG_WARPS, n);
}

static void
lanes_of_a_warp(int n)
{
    extent(CG_LANES, n);
}

static void
levels(int n)
{
    cg_val l[40];

    for (int i = 0; i < n; i++)
        l[i] = loop(CG_UNROLL, 1);
    put(number(1));
    while (n)
        end(l[--n]);
}

static void
barrier_in(int kind)
{
    cg_val l = loop((cg_kind)kind, 2);

    cg_barrier(&b);
    end(l);
}

static void
fails(int kind)
{
    cg_val l = kind ? loop((cg_kind)kind, 2) : 0,
           f = cg_load(&b, flags, l ? var(l) : number(0), 0);

    cg_fail_if(&b, kind == CG_SERIAL ? f : flag(), COT_ERR_BOUND);
    if (l)
        end(l);
}

/* A thread loop that fetches one element each to shared memory, of 1, 2, 4 or 8 bytes. */
static void
fetches(int bytes, cg_space to, cot_dtype other)
{
    static const cot_dtype type[] = {
        [1] = COT_U8, [2] = COT_U16, [4] = COT_U32, [8] = COT_U64
    };
    cg_kernel *part = cg_kernel_new(m, "part");
    cg_build p;

    cg_begin(&p, part);
    uint32_t from = cg_buffer_add(part, "from", other ? other : type[bytes], CG_IN, 64),
             shared = cg_buffer_add(part, "shared", type[bytes], to, 64);
    part->buffer[from].align = part->buffer[shared].align = 16;
    cg_val l = cg_loop_begin(&p, CG_BLOCK, cg_i64(&p, 0), cg_i64(&p, 4), 1, 0);
    cg_val at = cg_imul(&p, cg_loop_var(&p, l), 16);
    cg_fetch_some(&p, shared, at, from, at, 0, 1);
    cg_commit(&p);
    cg_arrive(&p, 0);
    cg_loop_end(&p, l);
}

static void
fetches_one(int bytes)
{
    fetches(bytes, CG_SHARED, COT_DTYPE_NONE);
}

static void
fetches_to(int space)
{
    fetches(4, (cg_space)space, COT_DTYPE_NONE);
}

static void
fetches_from(int type)
{
    fetches(4, CG_SHARED, (cot_dtype)type);
}

/* -- what a loop yields -- */

static void
carries(int kind)
{
    cg_val l = loop((cg_kind)kind, 4), c = cg_loop_carry(&b, l, COT_I64, number(0));

    cg_loop_next(&b, l, c, cg_iadd(&b, c, read(var(l))));
    end(l);
    put(cg_loop_result(&b, l, 0));
}

static void
reduces(cg_kind kind, cg_mode mode, int n)
{
    cg_val l = loop(kind, n);

    cg_loop_reduce(&b, l, mode, SC_add, COT_I64, read(var(l)));
    end(l);
    put(cg_loop_result(&b, l, 0));
}

static void
folds(int kind)
{
    reduces((cg_kind)kind, CG_FOLD, 4);
}

static void
trees(int kind)
{
    reduces((cg_kind)kind, CG_TREE, 4);
}

static void
folds_so_many(int n)
{
    reduces(CG_SERIAL, CG_FOLD, n);
}

static void
tree_of_threads(int n)
{
    reduces(CG_PARALLEL, CG_TREE, n);
}

static void
folds_until_a_value(int value)
{
    cg_val hi = value ? cg_imin(&b, read(number(0)), number(4)) : number(4);
    cg_val l = cg_loop_begin(&b, CG_SERIAL, number(0), hi, 1, 0);

    cg_loop_reduce(&b, l, CG_FOLD, SC_add, COT_I64, read(var(l)));
    end(l);
    put(cg_loop_result(&b, l, 0));
}

/* Two results of one serial loop: 0 two trees, 1 a fold and a tree, 2 a carry and a tree, 3
 * a carry and a fold, 4 two folds. */
static void
mixes(int what)
{
    cg_val l = loop(CG_SERIAL, 4), v = read(var(l)), c = 0;

    if (what == 2 || what == 3) {
        c = cg_loop_carry(&b, l, COT_I64, number(0));
        cg_loop_next(&b, l, c, v);
    } else {
        cg_loop_reduce(&b, l, what == 0 ? CG_TREE : CG_FOLD, SC_add, COT_I64, v);
    }
    cg_loop_reduce(&b, l, what >= 3 ? CG_FOLD : CG_TREE, SC_max, COT_I64, v);
    end(l);
    put(cg_loop_result(&b, l, 1));
}

/* The kernels; says: what refuses it, or NULL. */
static const struct row {
    const char *says;
    void (*build)(int with);
    int with;
} row[] = {
#define UNSEEN "operand is not defined here"
    { UNSEEN, before_it_is, 0 },
    { UNSEEN, behind_its_loop, 0 },
    { UNSEEN, behind_its_loop, 1 },
    { UNSEEN, behind_its_loop, 2 },
    { NULL, behind_its_loop, 3 },
    { NULL, behind_the_outer_loop, 0 },
    { UNSEEN, behind_the_outer_loop, 1 },
    { UNSEEN, out_of_its_branch, 0 },
    { UNSEEN, out_of_its_branch, 1 },
    { UNSEEN, out_of_its_branch, 2 },
    { NULL, out_of_its_branch, 3 },
    { UNSEEN, out_of_its_while, 0 },
    { UNSEEN, out_of_its_while, 1 },
    { UNSEEN, out_of_its_while, 2 },
    { NULL, out_of_its_while, 3 },
    { NULL, out_of_its_while, 4 },
    { "is i64; wants f64", of_another_type, 0 },
    { "is bool; wants i64", of_another_type, 1 },
    { "is bool; wants i64", of_another_type, 2 },
    { "is i64; wants bool", of_another_type, 3 },
    { "is i64; wants bool", of_another_type, 4 },
    { NULL, of_another_type, 5 },
    { NULL, masked_by, 0 },
    { "is i64; wants bool", masked_by, 1 },
    { NULL, bits_of, 0 },
    { "bitcast changes the width", bits_of, 1 },
    { NULL, half_of, 0 },
    { "a conversion of a half that is not from or to f32", half_of, 1 },
    { NULL, scalar_of, OF(SC_add, COT_F32) },
    { "add is not defined for f16", scalar_of, OF(SC_add, COT_F16) },
    { "add is not defined for bool", scalar_of, OF(SC_add, COT_BOOL) },
    { "add is not defined for c64", scalar_of, OF(SC_add, COT_C64) },
    { NULL, scalar_of, OF(SC_rem, COT_U8) },
    { "rem is not defined for f32", scalar_of, OF(SC_rem, COT_F32) },
    { NULL, scalar_of, OF(SC_sqrt, COT_F64) },
    { "sqrt is not defined for i32", scalar_of, OF(SC_sqrt, COT_I32) },
    { "abs is not defined for i32", scalar_of, OF(SC_abs, COT_I32) },
    { "fma is not defined for i64", scalar_of, OF(SC_fma, COT_I64) },
    { "fma is not defined for bf16", scalar_of, OF(SC_fma, COT_BF16) },
    { "neg is not defined for bool", scalar_of, OF(SC_neg, COT_BOOL) },
    { NULL, scalar_of, OF(SC_xor, COT_BOOL) },
    { "xor is not defined for f64", scalar_of, OF(SC_xor, COT_F64) },
    { "shl is not defined for bool", scalar_of, OF(SC_shl, COT_BOOL) },
    { NULL, scalar_of, OF(SC_pairs, COT_I32) },
    { "pairs is not defined for i64", scalar_of, OF(SC_pairs, COT_I64) },
    { NULL, converted_from, COT_BF16 },
    { "cvt is not defined for c64", converted_from, COT_C64 },
    { NULL, combined_by, OF(SC_or, COT_BOOL) },
    { "or is not defined for f32", combined_by, OF(SC_or, COT_F32) },
    { "max is not defined for bool", combined_by, OF(SC_max, COT_BOOL) },
    { "results are combined by an instruction other than", combined_by, OF(SC_sub, COT_I64) },
    { NULL, other_elements, 0 },
    { "element type is not the buffer's", other_elements, 1 },
    { "store to a read-only buffer", read_only, CG_IN },
    { "store to a read-only buffer", read_only, CG_CONST },
    { NULL, read_only, CG_OUT },
    { NULL, read_only, CG_LOCAL },
    { "no such buffer", no_buffer, 1 },
    { NULL, no_parameter, 0 },
    { "no such parameter", no_parameter, 1 },
    { "a work buffer outside of an entry or function", in_the_wrong_kernel, 0 },
    { "shared buffer in the entry", in_the_wrong_kernel, 1 },
    { NULL, alias, 0 },
    { "alias of a buffer that does not exist", alias, 1 },

    { NULL, called, 0 },
    { "call of a kernel that does not exist", called, 1 },
    { "call of a kernel that does not exist", called, 2 },
    { "call with too few buffers", called, 3 },
    { "call with a wrong number of parameters", called, 4 },
    { "call writes a read-only buffer", called, 5 },
    { "call inside an SPMD loop", called, 6 },
    { "call inside an SPMD loop", called, 7 },
    { "call with too many buffers", called, 8 },
    { NULL, copied_at, 0 },
    { "operand varies over lanes", copied_at, 1 },
    { "operand varies over lanes", copied_at, 2 },

    { NULL, step_of, 1 },
    { "step is not positive", step_of, 0 },
    { "step is not positive", step_of, -1 },
#define ALIKE "a parallel loop inside a parallel or SPMD loop"
    { ALIKE, nested, IN(CG_PARALLEL, CG_PARALLEL) },
    { ALIKE, nested, IN(CG_UNROLL, CG_PARALLEL) },
    { ALIKE, nested, IN(CG_VECTOR, CG_PARALLEL) },
    { NULL, nested, IN(CG_SERIAL, CG_PARALLEL) },
    { NULL, nested, IN(CG_PARALLEL, CG_VECTOR) },
    { NULL, nested, IN(CG_UNROLL, CG_VECTOR) },
    { NULL, nested, IN(CG_VECTOR, CG_UNROLL) },
    { "vector loop inside a vector loop", nested, IN(CG_VECTOR, CG_VECTOR) },
    { NULL, beside, IN(CG_PARALLEL, CG_PARALLEL) },
    { NULL, beside, IN(CG_VECTOR, CG_PARALLEL) },
    { NULL, beside, IN(CG_VECTOR, CG_VECTOR) },
    { NULL, limited, CG_VECTOR },
    { NULL, limited, CG_LANES },
    { "limit of a loop that is not a vector loop", limited, CG_SERIAL },
    { "limit of a loop that is not a vector loop", limited, CG_PARALLEL },
    { "limit of a loop that is not a vector loop", limited, CG_UNROLL },
    { "limit of a grid loop", limited, CG_GRID },
    { NULL, limit_varies, 0 },
    { "operand varies over lanes", limit_varies, 1 },
    { NULL, bound_varies, 0 },
    { "operand varies over lanes", bound_varies, 1 },
    { NULL, until_a_value, CG_SERIAL },
    { "SPMD loop without a constant extent", until_a_value, CG_UNROLL },
    { "SPMD loop without a constant extent", until_a_value, CG_VECTOR },
    { "SPMD loop without a constant extent", copies, 0 },
    { NULL, copies, 1 },
    { "SPMD loop without a constant extent", lanes_of_a_vector, 0 },
    { NULL, lanes_of_a_vector, 1 },
    { "vector extent not a power of two <= 256", lanes_of_a_vector, 12 },
    { NULL, lanes_of_a_vector, 256 },
    { "vector extent not a power of two <= 256", lanes_of_a_vector, 512 },
    { NULL, levels, 32 },
    { "SPMD loops nest too deep", levels, 33 },

#define THREADS "a grid or thread loop without a constant extent"
#define OUTER   "a grid loop that is not the only outermost one"
    { THREADS, until_a_value, CG_GRID },
    { THREADS, until_a_value, CG_BLOCK },
    { THREADS, threads, 0 },
    { NULL, threads, 1 },
    { NULL, threads, 1024 },
    { "a thread loop of too many threads", threads, 1025 },
    { NULL, warps, 32 },
    { "a thread loop of too many threads", warps, 33 },
    { NULL, lanes_of_a_warp, 32 },
    { "a thread loop of too many threads", lanes_of_a_warp, 33 },
    { "a grid or thread loop inside a parallel or SPMD loop", nested,
      IN(CG_PARALLEL, CG_BLOCK) },
    { "a grid or thread loop inside a parallel or SPMD loop", nested, IN(CG_UNROLL, CG_GRID) },
    { NULL, nested, IN(CG_GRID, CG_BLOCK) },
    { NULL, nested, IN(CG_GRID, CG_SERIAL) },
    { OUTER, nested, IN(CG_SERIAL, CG_GRID) },
    { OUTER, nested, IN(CG_GRID, CG_GRID) },
    { OUTER, beside, IN(CG_GRID, CG_GRID) },
    { NULL, nested, IN(CG_WARPS, CG_LANES) },
    { "a thread loop inside another", nested, IN(CG_LANES, CG_WARPS) },
    { "a thread loop inside another", nested, IN(CG_BLOCK, CG_LANES) },
    { "a thread loop inside another", nested, IN(CG_BLOCK, CG_BLOCK) },
    { "a thread loop inside another", nested, IN(CG_WARPS, CG_WARPS) },
    { "a thread loop inside another", three_deep, CG_LANES },
    { NULL, three_deep, CG_SERIAL },
    { NULL, beside, IN(CG_BLOCK, CG_BLOCK) },
    { NULL, beside, IN(CG_LANES, CG_WARPS) },
    { NULL, barrier_in, CG_WARPS },
    { "a barrier among lanes", barrier_in, CG_LANES },
    { NULL, fails, 0 },
    { "failure inside a parallel or SPMD loop", fails, CG_PARALLEL },
    { "failure inside a parallel or SPMD loop", fails, CG_UNROLL },

    { "a copy of an unsupported size", fetches_one, 1 },
    { "a copy of an unsupported size", fetches_one, 2 },
    { NULL, fetches_one, 4 },
    { NULL, fetches_one, 8 },
    { "a buffer of the wrong memory space", fetches_to, CG_LOCAL },
    { NULL, fetches_from, COT_U32 },
    { "a copy between different types", fetches_from, COT_F32 },

#define MODES "modes of results do not mix"
    { NULL, carries, CG_SERIAL },
    { "an SPMD loop yields only folds", carries, CG_UNROLL },
    { "an SPMD loop yields only folds", carries, CG_VECTOR },
    { "a parallel, grid or thread loop has no carries", carries, CG_PARALLEL },
    { "a parallel, grid or thread loop has no carries", carries, CG_GRID },
    { "a parallel, grid or thread loop has no carries", carries, CG_LANES },
    { NULL, trees, CG_SERIAL },
    { NULL, trees, CG_PARALLEL },
    { NULL, trees, CG_WARPS },
    { "warps yield trees, lanes folds", trees, CG_LANES },
    { "an SPMD loop yields only folds", trees, CG_UNROLL },
    { "a grid or block loop yields nothing", trees, CG_GRID },
    { "a grid or block loop yields nothing", trees, CG_BLOCK },
    { NULL, folds, CG_SERIAL },
    { NULL, folds, CG_UNROLL },
    { NULL, folds, CG_VECTOR },
    { NULL, folds, CG_LANES },
    { "warps yield trees, lanes folds", folds, CG_WARPS },
    { "a parallel loop does not fold", folds, CG_PARALLEL },
    { NULL, folds_so_many, 1 },
    { NULL, folds_so_many, 64 },
    { "fold: extent not a power of two <= 64", folds_so_many, 0 },
    { "fold: extent not a power of two <= 64", folds_so_many, 12 },
    { "fold: extent not a power of two <= 64", folds_so_many, 128 },
    { NULL, folds_until_a_value, 0 },
    { "fold: extent not a power of two <= 64", folds_until_a_value, 1 },
    { NULL, tree_of_threads, 4096 },
    { "parallel tree: extent not constant <= 4096", tree_of_threads, 4097 },
    { NULL, mixes, 0 },
    { MODES, mixes, 1 },
    { MODES, mixes, 2 },
    { MODES, mixes, 3 },
    { NULL, mixes, 4 },
};
enum { ROWS = sizeof row / sizeof *row };

START_TEST(one_rule)
{
    const struct row *r = &row[_i];

    r->build(r->with);
    const cot_status status = cg_verify(m);
    ck_assert_msg((status == COT_OK) == (r->says == NULL), "row %d, %s: %s", _i,
                  r->says ? r->says : "well formed", status ? cot_error(ctx) : "it is taken");
    if (r->says) {
        ck_assert_int_eq(status, COT_ERR_INTERNAL);
        ck_assert_msg(strstr(cot_error(ctx), r->says) != NULL, "row %d: %s; wants: %s", _i,
                      cot_error(ctx), r->says);
    }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = { EACH(one_rule, ROWS) };

    return SUITE_WITH("malformed", cases, setup, teardown);
}
