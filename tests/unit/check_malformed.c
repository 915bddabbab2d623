/* Kernels that break one rule about values, by the message that refuses each: where a value may
 * be seen, what its type is, which buffers an access or a call may name.
 * check_malformed_loops.c has the rules about loops. */
#include "tests/unit/malformed.h"

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

static const malformed_row row[] = {
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
};
enum { ROWS = sizeof row / sizeof *row };

START_TEST(one_rule)
{
    malformed_check(row, _i);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = { EACH(one_rule, ROWS) };

    return SUITE_WITH("malformed", cases, setup, teardown);
}
