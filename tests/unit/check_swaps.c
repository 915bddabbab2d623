/* Values that loops carry in two buffers, which change places: every number of steps up to
 * three, as results of the function and as values of it, against the evaluator; and which steps
 * copy a carry. */
#include "tests/unit/oracle.h"
#include "tests/unit/traced.h"

#include "runtime/check.h"

enum { N = 70, STEPS = 4, MAX_CARRIES = 3 };

static int steps;

/* What reads every element elsewhere than where it writes it. */
static cot_value
reversed(cot_value x)
{
    return cot_sin(cot_reverse(x, .axes = COT_LIST(0)));
}

static cot_value
mixed(cot_value x, cot_value y)
{
    return cot_add(cot_mul(.5, x), reversed(y));
}

/* One step: carries in[1], ... to out[0], ... */

BODY(one, out[0] = reversed(in[1]);)
BODY(two, out[0] = mixed(in[2], in[1]); out[1] = mixed(in[1], in[2]);)
BODY(three, for (int i = 0; i < 3; i++) out[i] = mixed(in[1 + (i + 1) % 3], in[1 + i]);)
/* the new value is made over the one before the last */
BODY(over_last, out[0] = in[2]; out[1] = cot_sub(mixed(in[2], in[2]), in[1]);)
/* and here it cannot be */
BODY(new_last, out[0] = in[2]; out[1] = mixed(in[2], in[1]);)
BODY(rotates, out[0] = in[2]; out[1] = in[3]; out[2] = in[1];)
BODY(rotates_over, out[0] = in[2]; out[1] = in[3]; out[2] = cot_sub(reversed(in[2]), in[1]);)
BODY(rotates_into_new, out[0] = in[2]; out[1] = in[3]; out[2] = mixed(in[2], in[1]);)
BODY(exchanged, out[0] = mixed(in[1], in[2]); out[1] = in[1];)
BODY(same, out[0] = out[1] = mixed(in[1], in[2]);)
BODY(first_twice, out[0] = out[2] = in[1]; out[1] = mixed(in[2], in[3]);)
BODY(stays, out[0] = in[1]; out[1] = mixed(in[1], in[2]);)
BODY(in_place, out[0] = cot_sin(in[1]); out[1] = mixed(in[1], in[2]);)
BODY(takes_constant, cot_value *k = user; out[0] = *k; out[1] = mixed(in[1], in[2]);)

BODY(inner_one, cot_fori(3, one, .in = COT_VALUES(mixed(in[1], in[1])), .out = out);)
BODY(inner_over,
     cot_fori(3, over_last, .in = COT_VALUES(reversed(in[1]), reversed(in[2])), .out = out);)
BODY(inner_new, cot_value r[2];
     cot_fori(3, new_last, .in = COT_VALUES(in[1], cot_sin(in[2])), .out = r);
     out[0] = mixed(r[0], r[1]); out[1] = mixed(in[1], r[1]);)
BODY(inner_twice, cot_value r[1]; cot_fori(3, one, .in = COT_VALUES(in[1]), .out = r);
     cot_fori(2, one, .in = COT_VALUES(cot_sin(r[0])), .out = out);
     out[1] = mixed(in[2], out[0]);)

BODY(left, cot_fori(3, one, .in = COT_VALUES(in[0]), .out = out);)
BODY(right, out[0] = mixed(in[0], in[0]);)
BODY(chooses,
     out[0] = cot_cond(cot_eq(cot_rem(in[0], 2), 0), left, right, .in = COT_VALUES(in[1]));)

static const struct {
    const char *name;
    cot_body *step;
    int carries;
    bool copies; /* a step, where the carries are results */
    bool always; /* and where they are not                */
} loop[] = {
    { "one", one, 1, 0, 0 },
    { "two", two, 2, 0, 0 },
    { "three", three, 3, 0, 0 },
    { "over the last but one", over_last, 2, 1, 0 },
    { "into new memory", new_last, 2, 1, 0 },
    { "rotates", rotates, 3, 0, 0 },
    { "rotates, over the first", rotates_over, 3, 1, 0 },
    { "rotates, into new memory", rotates_into_new, 3, 1, 0 },
    { "exchanged", exchanged, 2, 1, 0 },
    { "the same twice", same, 2, 1, 1 },
    { "an old value twice", first_twice, 3, 1, 1 },
    { "one stays", stays, 2, 0, 0 },
    { "one in place", in_place, 2, 0, 0 },
    { "a constant", takes_constant, 2, 1, 1 },
    { "a loop within", inner_one, 1, 1, 1 },
    { "a loop of two within", inner_over, 2, 1, 1 },
    { "a loop of two, and more", inner_new, 2, 1, 1 },
    { "two loops within", inner_twice, 2, 0, 0 },
    { "a loop in a branch", chooses, 1, 1, 1 },
};
enum { LOOPS = sizeof loop / sizeof *loop };

/* Functions of f64[N], the loop's number in `user`. */

static void
run(cot_trace *t, cot_value x, int i, cot_value *out)
{
    cot_value k = cot_cos(x), in[MAX_CARRIES] = { x, cot_sin(x), cot_cos(reversed(x)) };

    (void)t;
    cot_fori(steps, loop[i].step, .in = { .n = loop[i].carries, .at = in }, .out = out,
             .user = &k);
}

BODY(results, run(t, in[0], *(int *)user, out);)
BODY(values_of_it, cot_value r[MAX_CARRIES]; run(t, in[0], *(int *)user, r); out[0] = r[0];
     for (int i = 0; i < loop[*(int *)user].carries; i++) out[0] = mixed(out[0], r[i]);)
/* What the first loop made lives on while the second one runs. */
BODY(in_turn, cot_value r[MAX_CARRIES], q[MAX_CARRIES]; run(t, in[0], *(int *)user, r);
     run(t, reversed(r[0]), *(int *)user, q); out[0] = mixed(r[0], q[0]); out[1] = q[0];)
/* What three carries were settled in, another loop goes on with. */
BODY(goes_on_with_three, cot_value k = cot_cos(in[0]), r[MAX_CARRIES], q[MAX_CARRIES];
     cot_fori(steps, three, .in = COT_VALUES(in[0], cot_sin(in[0]), k), .out = r);
     cot_fori(steps, loop[*(int *)user].step,
              .in = { .n = loop[*(int *)user].carries, .at = r }, .out = q, .user = &k);
     out[0] = q[0];
     for (int i = 1; i < loop[*(int *)user].carries; i++) out[0] = mixed(out[0], q[i]);)
BODY(goes_on, out[0] = cot_lt(in[0], steps);)
BODY(counts, cot_value r[MAX_CARRIES]; two(t, in, r, NULL); out[0] = cot_add(in[0], 1);
     out[1] = r[0]; out[2] = r[1];)
BODY(whiles, cot_value r[3];
     cot_while(goes_on, counts,
               .in = COT_VALUES(cot_zeros(t, cot_i32()), in[0], cot_sin(in[0])), .out = r);
     out[0] = r[1]; out[1] = r[2];)
/* each example has its own number of steps */
BODY(is_small, out[0] = cot_lt(in[0], cot_reduce_sum(cot_square(in[1])));)
BODY(grows, out[0] = cot_add(in[0], 3.0); out[1] = mixed(in[1], in[1]); out[2] = in[1];)
BODY(ends_by_itself, cot_value r[3];
     cot_while(is_small, grows,
               .in = COT_VALUES(cot_zeros(t, cot_f64()), cot_mul(3.0, in[0]), cot_sin(in[0])),
               .out = r);
     out[0] = r[1]; out[1] = r[2];)

static cot_graph const *
graph(cot_body *body, int n_out, int *i)
{
    const cot_type one_type = cot_f64(N);
    const cot_graph *f;

    ck_assert_msg(cot_trace_fn(cot_fn_new(ctx, "f", body, 1, n_out, i),
                               (cot_types){ .n = 1, .at = &one_type }, &f) == COT_OK,
                  "%s", cot_error(ctx));
    return f;
}

static void
agrees(const ir_graph *f, const char *name)
{
    values x = values_of(f, f->n_in, f->in);
    rt_verdict v = { .good = false };

    fill(&x);
    ck_assert_msg(rt_check_backends(f, x.at, &v) == COT_OK, "%s: %s", name, cot_error(ctx));
    ck_assert_msg(v.good, "%s, %d steps: %s", name, steps, v.why.text);
    release(&x);
}

START_TEST(back_ends_agree)
{
    for (steps = 0; steps < STEPS; steps++) {
        agrees(graph(results, loop[_i].carries, &_i), loop[_i].name);
        agrees(graph(values_of_it, 1, &_i), loop[_i].name);
        agrees(graph(in_turn, 2, &_i), loop[_i].name);
        agrees(graph(goes_on_with_three, 1, &_i), loop[_i].name);
    }
    steps = 3;
    agrees(piped(graph(results, loop[_i].carries, &_i), "vmap(size=3)"), loop[_i].name);
    agrees(piped(graph(values_of_it, 1, &_i), "vjp"), loop[_i].name);
}
END_TEST

START_TEST(whiles_agree)
{
    for (steps = 0; steps < STEPS; steps++)
        agrees(graph(whiles, 2, NULL), "while");
    agrees(graph(ends_by_itself, 2, NULL), "while of data");
    agrees(piped(graph(ends_by_itself, 2, NULL), "vmap(size=3)"), "mapped while");
}
END_TEST

/* Copies of a carry in the loops of what f compiles to. */
static int
copies(cot_body *body, int n_out, int *i)
{
    static traced_text plan;
    int n = 0;

    plan = (traced_text){ .n = 0 };
    ck_assert_msg(cot_dump_fn(cot_fn_new(ctx, "f", body, 1, n_out, i), COT_TYPES(cot_f64(N)),
                              "kernels", traced_write, &plan) == COT_OK,
                  "%s", cot_error(ctx));
    for (const char *p = plan.text; (p = strstr(p, "    copy ")); p++)
        n += atoi(p + strlen("    copy ")) >= 8 * N;
    return n;
}

START_TEST(no_step_copies_a_carry)
{
    if (!COT_PLANS)
        return;
    steps = 5;
    const int from_results = copies(results, loop[_i].carries, &_i),
              of_values = copies(values_of_it, 1, &_i);
    ck_assert_msg((from_results > 0) == loop[_i].copies, "%s: %d copies", loop[_i].name,
                  from_results);
    ck_assert_msg((of_values > 0) == loop[_i].always, "%s, no result: %d copies", loop[_i].name,
                  of_values);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "backends", back_ends_agree, LOOPS },
        { "copies", no_step_copies_a_carry, LOOPS },
        { "whiles", whiles_agree, 1 },
    };

    return SUITE_WITH("swaps", cases, oracle_setup, suite_end);
}
