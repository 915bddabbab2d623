/* Loops that write an element, a row or a box of a long carry each step, as users write them:
 * no step copies the carry, in the function, forward and reverse mode or mapped, and values and
 * derivatives are right. */
#include "tests/unit/oracle.h"
#include "tests/unit/traced.h"

#include "runtime/check.h"

enum { N = 70, ROWS = 5 };      /* more than a loop in registers takes */

/* ---- programs: f64[N] or f64[N, ROWS] to a scalar ---- */

static cot_value
at(cot_value x, cot_value i)
{
    return cot_index(x, COT_AT(i));
}

static cot_value
put(cot_value x, cot_value i, cot_value y)
{
    return cot_index_set(x, COT_AT(i), y);
}

static cot_value
square_sum(cot_value x)
{
    return cot_reduce_sum(cot_square(x));
}

/* what was: a trace of a chain */
BODY(chain_step, cot_value *x = user;
     out[0] = cot_add(cot_mul(0.5, cot_sin(in[1])), at(*x, in[0]));
     out[1] = put(in[2], in[0], out[0]);)
BODY(chain, cot_value x = in[0], r[2];
     cot_fori(N, chain_step,
              .in = COT_VALUES(at(x, cot_zeros(t, cot_i32())), cot_zeros(t, cot_f64(N))),
              .out = r, .user = &x);
     out[0] = square_sum(r[1]);)

/* u[i] = sin(u[i-1]) u[i]: what is written is not linear in what is read */
BODY(product_step, cot_value i = cot_add(in[0], 1), u = in[1];
     out[0] = put(u, i, cot_mul(cot_sin(at(u, cot_sub(i, 1))), at(u, i)));)
BODY(product, out[0] = square_sum(cot_fori(N - 1, product_step, .in = COT_VALUES(in[0])));)

/* three sweeps of Gauss and Seidel, with a sine */
BODY(seidel_step, cot_value *b = user, i = cot_add(in[0], 1), u = in[1];
     out[0] = put(u, i,
                  cot_mul(.5,
                          cot_sin(cot_add(cot_add(at(u, cot_sub(i, 1)), at(u, cot_add(i, 1))),
                                          at(*b, i)))));)
BODY(seidel_sweep,
     out[0] = cot_fori(N - 2, seidel_step, .in = COT_VALUES(in[1]), .user = user);)
BODY(seidel, cot_value x = in[0];
     out[0] = square_sum(cot_fori(3, seidel_sweep, .in = COT_VALUES(cot_sin(x)), .user = &x));)

/* Thomas: elimination in two tables, substitution in a third */
BODY(eliminate, cot_value *x = user, i = cot_add(in[0], 1), before = cot_sub(i, 1);
     cot_value pivot = cot_sub(4.0, at(in[1], before));
     out[0] = put(in[1], i, cot_div(1.0, pivot));
     out[1] = put(in[2], i, cot_div(cot_sub(at(*x, i), at(in[2], before)), pivot));)
BODY(substitute, cot_value *r = user, i = cot_sub(N - 2, in[0]);
     out[0] = put(in[1], i,
                  cot_sub(at(r[1], i), cot_mul(at(r[0], i), at(in[1], cot_add(i, 1)))));)
BODY(thomas, cot_value x = in[0], r[2], zero = cot_zeros(t, cot_f64(N)),
     first = cot_zeros(t, cot_i32());
     cot_fori(N - 1, eliminate,
              .in = COT_VALUES(put(zero, first, cot_mul(.25, at(x, first))), zero), .out = r,
              .user = &x);
     out[0] = square_sum(cot_fori(N - 1, substitute, .in = COT_VALUES(x), .user = r));)

/* a delay line of N places through which 3 N samples go */
BODY(delay_step, cot_value *x = user, k = cot_rem(in[0], N), old = at(in[1], k);
     cot_value now = cot_add(at(*x, k), cot_mul(0.7, cot_tanh(old)));
     out[0] = put(in[1], k, now);
     out[1] = cot_add(in[2], cot_square(now));)
BODY(delay, cot_value x = in[0], r[2];
     cot_fori(3 * N, delay_step,
              .in = COT_VALUES(cot_zeros(t, cot_f64(N)), cot_zeros(t, cot_f64())), .out = r,
              .user = &x);
     out[0] = r[1];)

BODY(histogram_step, cot_value *x = user;
     out[0] = cot_index_add(in[1], COT_AT(cot_rem(cot_mul(in[0], 7), 40)),
                            cot_square(at(*x, in[0])));)
BODY(histogram, cot_value x = in[0];
     out[0] = square_sum(cot_fori(N, histogram_step, .in = COT_VALUES(cot_zeros(t, cot_f64(N))),
                                  .user = &x));)

/* boxes that overlap, read and written */
BODY(box_step, cot_value w = cot_dynamic_slice(in[1], COT_VALUES(in[0]), COT_LIST(8));
     out[0] = cot_dynamic_update_slice(in[1], cot_sin(w), COT_VALUES(in[0]));)
BODY(boxes, out[0] = square_sum(cot_fori(N - 8, box_step, .in = COT_VALUES(in[0])));)

/* what two places held goes to each other's */
BODY(swap_step, cot_value i = in[0], j = cot_rem(cot_mul(i, 7), N), a = at(in[1], i),
     b = at(in[1], j);
     out[0] = put(put(in[1], i, cot_add(b, cot_mul(.1, a))), j, cot_sin(a));)
BODY(swaps, out[0] = square_sum(cot_fori(N, swap_step, .in = COT_VALUES(in[0])));)

/* the same end is read in each step */
BODY(ends_step, cot_value i = cot_add(in[0], 1), u = in[1];
     out[0] = put(u, i, cot_add(cot_mul(.5, cot_index(u, COT_AT(0))), cot_sin(at(u, i))));)
BODY(ends, out[0] = square_sum(cot_fori(N - 1, ends_step, .in = COT_VALUES(in[0])));)

BODY(rows_step, cot_value *x = user, i = cot_add(in[0], 1), before = at(in[1], cot_sub(i, 1));
     out[0] = put(in[1], i, cot_tanh(cot_add(cot_mul(.5, before), at(*x, i))));)
BODY(rows, cot_value x = in[0];
     out[0] = square_sum(cot_fori(N - 1, rows_step,
                                  .in = COT_VALUES(cot_zeros(t, cot_f64(N, ROWS))),
                                  .user = &x));)

/* a table of dynamic programming, cell by cell, with soft minima */
enum { SIDE = 9 };
BODY(cell, cot_value *x = user, i = cot_add(cot_div(in[0], SIDE), 1),
     j = cot_add(cot_rem(in[0], SIDE), 1), d = in[1];
     cot_value up = cot_index(d, COT_AT(cot_sub(i, 1), j)),
     left = cot_index(d, COT_AT(i, cot_sub(j, 1)));
     cot_value least = cot_neg(cot_log(cot_add(cot_exp(cot_neg(up)), cot_exp(cot_neg(left)))));
     out[0] = cot_index_set(d, COT_AT(i, j),
                            cot_add(least,
                                    cot_square(cot_sub(at(*x, i), at(*x, cot_add(j, SIDE))))));)
BODY(table, cot_value x = in[0];
     cot_value d = cot_fori(SIDE * SIDE, cell,
                            .in = COT_VALUES(cot_zeros(t, cot_f64(SIDE + 1, SIDE + 1))),
                            .user = &x);
     out[0] = cot_index(d, COT_AT(SIDE, SIDE));)

/* branches that give the carry back, or write a part of it */
BODY(leave, out[0] = in[0];)
BODY(stir, cot_value u = in[0], i = in[1], x = cot_sin(at(u, i));
     out[0] = put(u, cot_add(i, 1), cot_add(at(u, cot_add(i, 1)), x));)
BODY(choice_step, out[0] = cot_cond(cot_ne(cot_rem(in[0], 3), 1), stir, leave,
                                    .in = COT_VALUES(in[1], in[0]));)
BODY(choice, out[0] = square_sum(cot_fori(N - 1, choice_step, .in = COT_VALUES(in[0])));)

/* a branch in a branch, a loop in another; two tables, of which each branch writes one */
BODY(sweep_step, cot_value *i = user, j = cot_add(cot_rem(cot_add(*i, in[0]), N - 1), 1);
     out[0] = put(in[1], j,
                  cot_mul(0.7, cot_add(at(in[1], j), cot_sin(at(in[1], cot_sub(j, 1))))));)
BODY(sweep, cot_value i = in[2]; out[1] = in[1];
     out[0] = cot_fori(5, sweep_step, .in = COT_VALUES(in[0]), .user = &i);)
BODY(to_other, out[0] = in[0]; out[1] = put(in[1], in[2], cot_sin(at(in[0], in[2])));)
BODY(to_first, out[1] = in[1]; out[0] = put(in[0], in[2], cot_mul(.5, at(in[1], in[2])));)
BODY(either, cot_cond(cot_eq(cot_rem(in[2], 4), 2), to_other, to_first,
                      .in = COT_VALUES(in[0], in[1], in[2]), .out = out, .n_out = 2);)
BODY(nested_step, cot_cond(cot_eq(cot_rem(in[0], 3), 0), sweep, either,
                           .in = COT_VALUES(in[1], in[2], in[0]), .out = out, .n_out = 2);)
BODY(nested, cot_value r[2];
     cot_fori(N, nested_step, .in = COT_VALUES(in[0], cot_sin(in[0])), .out = r);
     out[0] = cot_add(square_sum(r[0]), square_sum(r[1]));)

/* neighbours that are out of order change places */
BODY(exchange, cot_value u = in[0], i = in[1], j = cot_add(i, 1), a = at(u, i), b = at(u, j);
     out[0] = put(put(u, i, b), j, a);)
BODY(bubble_step, cot_value u = in[1], i = in[0];
     out[0] = cot_cond(cot_gt(at(u, i), at(u, cot_add(i, 1))), exchange, leave,
                       .in = COT_VALUES(u, i));)
BODY(bubble, cot_value w = cot_iota(t, cot_f64(N), 0);
     cot_value u = cot_fori(N - 1, bubble_step, .in = COT_VALUES(in[0]));
     out[0] = square_sum(cot_add(u, cot_mul(.01, w)));)

/* the tables change places in a branch; all of what was written is read, last element first */
BODY(turn, cot_value u = put(in[0], in[2], at(in[1], in[2]));
     out[0] = cot_sin(cot_reverse(u, .axes = COT_LIST(0))); out[1] = in[1];)
BODY(swap_tables, out[0] = in[1]; out[1] = cot_add(in[0], in[1]);)
BODY(turns_step, cot_cond(cot_eq(cot_rem(in[0], 3), 0), turn, swap_tables,
                          .in = COT_VALUES(in[1], in[2], in[0]), .out = out, .n_out = 2);)
BODY(turns, cot_value r[2];
     cot_fori(8, turns_step, .in = COT_VALUES(in[0], cot_cos(in[0])), .out = r);
     out[0] = cot_add(square_sum(r[0]), cot_mul(1e-3, square_sum(r[1])));)
BODY(reversed_step, cot_value u = put(in[1], in[0], cot_mul(2.0, at(in[1], in[0])));
     out[0] = cot_sin(cot_reverse(u, .axes = COT_LIST(0)));)
BODY(reversed, out[0] = square_sum(cot_fori(5, reversed_step, .in = COT_VALUES(in[0])));)

/* as many steps as the values ask for, each of an inner loop that ends by itself; each example
 * has its own number */
BODY(is_low, out[0] = cot_and(cot_lt(in[0], N - 1), cot_lt(in[1], 9));)
BODY(is_below, cot_value *x = user;
     out[0] = cot_and(cot_lt(in[0], 3), cot_lt(at(in[1], in[0]), at(*x, in[0])));)
BODY(raise_one, cot_value u = in[1]; out[0] = cot_add(in[0], 1);
     out[1] = put(u, in[0],
                  cot_add(at(u, in[0]), cot_square(cot_sin(at(u, cot_add(in[0], 1))))));)
BODY(fill_step, cot_value k = cot_add(in[0], 1), u = in[2], r[2];
     cot_value now = cot_add(cot_mul(.5, cot_sin(at(u, in[0]))), cot_square(at(u, k)));
     cot_while(is_below, raise_one, .in = COT_VALUES(cot_zeros(t, cot_i32()), put(u, k, now)),
               .out = r, .user = user);
     out[0] = k; out[1] = cot_add(in[1], cot_add(cot_square(now), .5)); out[2] = r[1];)
BODY(filling, cot_value r[3], x = in[0];
     cot_while(is_low, fill_step,
               .in = COT_VALUES(cot_zeros(t, cot_i32()), cot_zeros(t, cot_f64()), cot_sin(x)),
               .out = r, .user = &x);
     out[0] = cot_add(square_sum(r[2]), r[1]);)

/* whether a step may copy: never, never but where reverse mode goes back to a state, always */
enum { NEVER, REWOUND, ALWAYS };

static const struct {
    const char *name;
    cot_body *body;
    bool rows;
    int copies;
} program[] = {
    { "chain", chain, false, NEVER },
    { "product", product, false, NEVER },
    { "seidel", seidel, false, NEVER },
    { "thomas", thomas, false, NEVER },
    { "delay", delay, false, NEVER },
    { "boxes", boxes, false, NEVER },
    { "histogram", histogram, false, NEVER },
    { "swaps", swaps, false, NEVER },
    { "rows", rows, true, NEVER },
    { "table", table, false, NEVER },
    { "ends", ends, false, NEVER },
    { "choice", choice, false, NEVER },
    { "nested", nested, false, NEVER },
    { "bubble", bubble, false, NEVER },
    { "turns", turns, false, ALWAYS },
    { "reversed", reversed, false, ALWAYS },
    { "filling", filling, false, REWOUND },
};
#define PROGRAMS ((int)(sizeof program / sizeof *program))

/* ---- what holds of each ---- */

static cot_type
argument(int i)
{
    return program[i].rows ? cot_f64(N, ROWS) : cot_f64(N);
}

static cot_fn *
function(int i)
{
    return cot_fn_new(ctx, program[i].name, program[i].body, 1, 1, NULL);
}

/* Copies of a whole table, in the loops of what f compiles to. */
static int
copies(cot_fn *f, cot_types types)
{
    static traced_text plan;
    int n = 0;

    plan = (traced_text){ .n = 0 };
    ck_assert_msg(cot_dump_fn(f, types, "kernels", traced_write, &plan) == COT_OK, "%s",
                  cot_error(ctx));
    for (const char *p = plan.text; (p = strstr(p, "    copy ")); p++)
        n += atoi(p + strlen("    copy ")) >= 8 * N;
    return n;
}

START_TEST(no_step_copies_a_carry)
{
    cot_fn *f = function(_i);
    const cot_type one = argument(_i), ct = cot_f64();
    if (!COT_PLANS || program[_i].copies == ALWAYS)
        return;
    const cot_type four = program[_i].rows ? cot_f64(4, N, ROWS) : cot_f64(4, N);

    ck_assert_int_eq(copies(f, (cot_types){ .n = 1, .at = &one }), 0);
    ck_assert_int_eq(copies(cot_jvp(f), (cot_types){ .n = 2, .at = (cot_type[]){ one, one } }),
                     0);
    ck_assert_int_eq(copies(cot_vmap(f), (cot_types){ .n = 1, .at = &four }), 0);
    if (program[_i].copies == REWOUND)
        return;
    ck_assert_int_eq(
        copies(cot_vjp(f), (cot_types){ .n = 2, .at = (const cot_type[]){ one, ct } }), 0);
    ck_assert_int_eq(copies(cot_vmap(cot_grad(f)), (cot_types){ .n = 1, .at = &four }), 0);
}
END_TEST

START_TEST(derivatives_are_right)
{
    const cot_type one = argument(_i);
    const cot_graph *f;

    ck_assert_msg(cot_trace_fn(function(_i), (cot_types){ .n = 1, .at = &one }, &f) == COT_OK,
                  "%s", cot_error(ctx));
    spread = 0.9;
    derivative_agrees(f, 1e-6);
    derivative_agrees(piped(f, "vmap(size=2)"), 1e-6);
}
END_TEST

START_TEST(back_ends_agree)
{
    static const char *const pipeline[] = { "grad", "vmap(size=3) | vjp" };
    const cot_type one = argument(_i);
    const cot_graph *f;

    ck_assert_msg(cot_trace_fn(function(_i), (cot_types){ .n = 1, .at = &one }, &f) == COT_OK,
                  "%s", cot_error(ctx));
    for (int k = 0; k < 2; k++) {
        ir_graph *g = piped(f, pipeline[k]);
        values x = values_of(g, g->n_in, g->in);
        rt_verdict v = { .good = false };

        fill(&x);
        ck_assert_msg(rt_check_backends(g, x.at, &v) == COT_OK, "%s", cot_error(ctx));
        ck_assert_msg(v.good, "%s: %s", g->name, v.why.text);
        release(&x);
    }
}
END_TEST

/* ---- a loop that counts by itself ---- */

enum { LONG = 3000 };           /* all carries of all steps: more than reverse mode stacks */

BODY(goes_on, out[0] = cot_lt(in[0], LONG - 1);)
BODY(wave_step, cot_value i = cot_add(in[0], 1), u = in[1];
     out[0] = i;
     out[1] = put(u, i, cot_sin(cot_add(at(u, cot_sub(i, 1)), at(u, i))));)
BODY(wave, cot_value r[2];
     cot_while(goes_on, wave_step, .in = COT_VALUES(cot_zeros(t, cot_i32()), in[0]), .out = r);
     out[0] = square_sum(r[1]);)
BODY(drift_step, out[0] = cot_add(in[0], 1); out[1] = cot_sin(in[1]);)
BODY(drift, cot_value r[2];
     cot_while(goes_on, drift_step, .in = COT_VALUES(cot_zeros(t, cot_i32()), in[0]), .out = r);
     out[0] = square_sum(r[1]);)

static bool
stacks(cot_body *body)
{
    static traced_text graph;
    cot_fn *f = cot_grad(cot_fn_new(ctx, "f", body, 1, 1, NULL));

    graph = (traced_text){ .n = 0 };
    ck_assert_msg(cot_dump_fn(f, COT_TYPES(cot_f64(LONG)), "graph", traced_write, &graph) ==
                      COT_OK,
                  "%s", cot_error(ctx));
    return strstr(graph.text, " while ") == NULL;
}

START_TEST(what_a_step_saves_decides)
{
    ck_assert(stacks(wave));
    ck_assert(!stacks(drift));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "copies", no_step_copies_a_carry, PROGRAMS },
        { "derivatives", derivatives_are_right, PROGRAMS },
        { "backends", back_ends_agree, PROGRAMS },
        { "stacked", what_a_step_saves_decides, 1 },
    };

    return SUITE_WITH("carries", cases, oracle_setup, suite_end);
}
