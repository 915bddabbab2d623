/* Whiles and branches in kernels built by hand: by lane, by copy, in each other, and masks of
 * bytes. */
#include <stdio.h>

#include "kernel_built.h"

/* Collatz steps by lane: a while whose lanes stop at different times, an if inside. */
START_TEST(while_by_lane)
{
    int lanes = lanes_row[_i], n = 2 * lanes + lanes / 2;
    int32_t in[128], out[128] = { 0 };
    uint32_t x = buffer("x", COT_I32, CG_IN, n), y = buffer("y", COT_I32, CG_OUT, n);
    cg_val i = loop(CG_SERIAL, 0, n, lanes);
    cg_val left = cg_isub(&b, cg_i64(&b, n), cg_loop_var(&b, i));
    cg_val l = cg_loop_begin(&b, CG_VECTOR, cg_i64(&b, 0), cg_i64(&b, lanes), 1, left);
    cg_val at = cg_iadd(&b, cg_loop_var(&b, i), cg_loop_var(&b, l)),
           one = cg_const(&b, COT_I32, 1);
    cg_val start = cg_load(&b, x, at, 0), w = cg_while_begin(&b);
    cg_val v = cg_while_carry(&b, w, COT_I32, start),
           steps = cg_while_carry(&b, w, COT_I32, cg_const(&b, COT_I32, 0));

    cg_while_test(&b, w, cg_insn2(&b, SC_lt, COT_I32, one, v));
    cg_val odd = cg_insn2(&b, SC_eq, COT_I32, cg_insn2(&b, SC_and, COT_I32, v, one), one),
           c = cg_if_begin(&b, odd);
    cg_val up = cg_insn2(&b, SC_add, COT_I32,
                         cg_insn2(&b, SC_mul, COT_I32, v, cg_const(&b, COT_I32, 3)), one);
    cg_if_else(&b, c);
    cg_val down = cg_insn2(&b, SC_shr, COT_I32, v, one);
    cg_if_end(&b, c);
    cg_if_yield(&b, c, COT_I32, up, down);
    cg_while_next(&b, w, v, cg_loop_result(&b, c, 0));
    cg_while_next(&b, w, steps, cg_insn2(&b, SC_add, COT_I32, steps, one));
    cg_while_end(&b, w);
    cg_store(&b, y, at, cg_loop_result(&b, w, 1), 0);
    cg_loop_end(&b, l);
    cg_loop_end(&b, i);
    for (int j = 0; j < n; j++)
        in[j] = j * 5 + 1;
    out[n] = -1;
    run((void *[]){ in, out });
    for (int j = 0; j < n; j++) {
        int count = 0;
        for (int z = in[j]; z > 1; count++)
            z = z & 1 ? 3 * z + 1 : z >> 1;
        ck_assert_int_eq(out[j], count);
    }
    ck_assert_int_eq(out[n], -1);
}
END_TEST

/* A while by lanes in a branch that copies take, not lanes: its condition reads nothing where
 * the copy does not take the branch. */
START_TEST(while_in_a_branch_of_copies)
{
    uint32_t x = buffer("x", COT_I64, CG_IN, 16), place = buffer("place", COT_I64, CG_IN, 2),
             y = buffer("y", COT_I64, CG_OUT, 16);
    cg_val u = loop(CG_UNROLL, 0, 2, 1), l = loop(CG_VECTOR, 0, 8, 1), zero = cg_i64(&b, 0);
    cg_val at = cg_load(&b, place, cg_loop_var(&b, u), 0);
    cg_val in =
        cg_if_begin(&b, cg_insn2(&b, SC_and, COT_BOOL, cg_insn2(&b, SC_le, COT_I64, zero, at),
                                 cg_insn2(&b, SC_le, COT_I64, at, cg_i64(&b, 8))));
    cg_val w = cg_while_begin(&b), n = cg_while_carry(&b, w, COT_I64, zero);
    cg_val most = cg_load(&b, x, cg_iadd(&b, at, cg_loop_var(&b, l)), 0);
    cg_while_test(&b, w, cg_insn2(&b, SC_lt, COT_I64, n, most));
    cg_while_next(&b, w, n, cg_iadd(&b, n, cg_i64(&b, 1)));
    cg_while_end(&b, w);
    cg_val to = cg_iadd(&b, cg_imul(&b, cg_loop_var(&b, u), 8), cg_loop_var(&b, l));
    cg_store(&b, y, to, cg_loop_result(&b, w, 0), 0);
    cg_if_end(&b, in);
    cg_loop_end(&b, l);
    cg_loop_end(&b, u);

    int64_t in_x[16], in_place[2] = { 3, 3 }, out[16];
    in_place[_i % 2] = _i < 2 ? (int64_t)1 << 44 : 8;
    for (int i = 0; i < 16; i++) {
        in_x[i] = i * 7 % 5;
        out[i] = -1;
    }
    run((void *[]){ in_x, in_place, out });
    for (int i = 0; i < 16; i++) {
        const int64_t from = in_place[i / 8];
        ck_assert_int_eq(out[i], from <= 8 ? in_x[from + i % 8] : -1);
    }
}
END_TEST

/* A while of copies of lanes goes on as long as any lane of any copy does. */
START_TEST(while_by_copy)
{
    int lanes = lanes_row[_i], n = 3 * lanes;
    int32_t in[128], out[128];
    uint32_t x = buffer("x", COT_I32, CG_IN, n), y = buffer("y", COT_I32, CG_OUT, n);
    cg_val u = loop(CG_UNROLL, 0, 3, 1), l = loop(CG_VECTOR, 0, lanes, 1);
    cg_val at = cg_iadd(&b, cg_imul(&b, cg_loop_var(&b, u), lanes), cg_loop_var(&b, l));
    cg_val start = cg_load(&b, x, at, 0), one = cg_const(&b, COT_I32, 1),
           w = cg_while_begin(&b);
    cg_val v = cg_while_carry(&b, w, COT_I32, start),
           steps = cg_while_carry(&b, w, COT_I32, cg_const(&b, COT_I32, 0));

    cg_while_test(&b, w, cg_insn2(&b, SC_lt, COT_I32, one, v));
    cg_while_next(&b, w, v, cg_insn2(&b, SC_sub, COT_I32, v, one));
    cg_while_next(&b, w, steps, cg_insn2(&b, SC_add, COT_I32, steps, one));
    cg_while_end(&b, w);
    cg_store(&b, y, at, cg_loop_result(&b, w, 1), 0);
    cg_loop_end(&b, l);
    cg_loop_end(&b, u);
    for (int j = 0; j < n; j++)
        in[j] = 1 + (j * 7 + 3) % 11 * (j / lanes + 1);
    run((void *[]){ in, out });
    for (int j = 0; j < n; j++)
        ck_assert_int_eq(out[j], in[j] - 1);
}
END_TEST

/* Stores under a mask touch only their lanes; bytes and halves too. */
START_TEST(masked_bytes)
{
    int lanes = lanes_row[_i], n = lanes + 1;
    uint8_t in[64], out[64];
    uint32_t x = buffer("x", COT_U8, CG_IN, n), y = buffer("y", COT_U8, CG_OUT, n);
    cg_val i = loop(CG_SERIAL, 0, n, lanes);
    cg_val left = cg_isub(&b, cg_i64(&b, n), cg_loop_var(&b, i));
    cg_val l = cg_loop_begin(&b, CG_VECTOR, cg_i64(&b, 0), cg_i64(&b, lanes), 1, left);
    cg_val at = cg_iadd(&b, cg_loop_var(&b, i), cg_loop_var(&b, l)), v = cg_load(&b, x, at, 0);
    cg_val big = cg_insn2(&b, SC_lt, COT_U8, cg_const(&b, COT_U8, 100), v);

    cg_store(&b, y, at, cg_insn2(&b, SC_add, COT_U8, v, cg_const(&b, COT_U8, 1)), big);
    cg_loop_end(&b, l);
    cg_loop_end(&b, i);
    for (int j = 0; j < 64; j++) {
        in[j] = (uint8_t)(j * 37);
        out[j] = 5;
    }
    run((void *[]){ in, out });
    for (int j = 0; j < 64; j++)
        ck_assert_int_eq(out[j], j < n && in[j] > 100 ? (uint8_t)(in[j] + 1) : 5);
}
END_TEST

/* Branches in branches, by lane, in a loop with a limit: each lane stores in the branches that
 * it takes and in no other, those behind the limit in none. */
START_TEST(branches_by_lane)
{
    int lanes = lanes_row[_i], n = 3 * lanes + (lanes + 1) / 2;
    int32_t in[128], out[4][128];
    uint32_t x = buffer("x", COT_I32, CG_IN, 128), y[4];
    static const char *const name[] = { "then.then", "then.else", "else.then", "else.else" };

    for (int j = 0; j < 4; j++)
        y[j] = buffer(name[j], COT_I32, CG_OUT, 128);
    cg_val i = loop(CG_SERIAL, 0, 4 * lanes, lanes);
    cg_val left = cg_isub(&b, cg_i64(&b, n), cg_loop_var(&b, i));
    cg_val l = cg_loop_begin(&b, CG_VECTOR, cg_i64(&b, 0), cg_i64(&b, lanes), 1, left);
    cg_val at = cg_iadd(&b, cg_loop_var(&b, i), cg_loop_var(&b, l)), v = cg_load(&b, x, at, 0);
    cg_val big = cg_insn2(&b, SC_lt, COT_I32, cg_const(&b, COT_I32, 40), v),
           outer = cg_if_begin(&b, big);

    for (int j = 0; j < 2; j++) {
        cg_val odd = cg_insn2(&b, SC_and, COT_I32, v, cg_const(&b, COT_I32, 1));
        cg_val inner =
            cg_if_begin(&b, cg_insn2(&b, SC_eq, COT_I32, odd, cg_const(&b, COT_I32, 1)));
        cg_store(&b, y[2 * j], at, v, 0);
        cg_if_else(&b, inner);
        cg_store(&b, y[2 * j + 1], at, v, 0);
        cg_if_end(&b, inner);
        if (j == 0)
            cg_if_else(&b, outer);
    }
    cg_if_end(&b, outer);
    cg_loop_end(&b, l);
    cg_loop_end(&b, i);
    for (int j = 0; j < 128; j++) {
        in[j] = j * 37 % 83;
        for (int c = 0; c < 4; c++)
            out[c][j] = -1;
    }
    run((void *[]){ in, out[0], out[1], out[2], out[3] });
    for (int j = 0; j < 128; j++)
        for (int c = 0; c < 4; c++)
            ck_assert_int_eq(out[c][j],
                             j < n && c == (in[j] > 40 ? 0 : 2) + !(in[j] & 1) ? in[j] : -1);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(while_by_lane, 5),
        EACH(while_by_copy, 5),
        EACH(while_in_a_branch_of_copies, 4),
        EACH(masked_bytes, 5),
        EACH(branches_by_lane, 5),
    };

    return SUITE_WITH("kernel_flow", cases, setup, teardown);
}
