/* call, cond, scan and while under every transform and their nestings, on the reference
 * evaluator. */
#include "tests/unit/flow_programs.h"
#include "tests/unit/oracle.h"

static ir_graph *
program(int i)
{
    ints = 4;
    centre = 0.3, spread = 0.9;
    return graph_of(programs[i]);
}

START_TEST(B169_B174_B175_maps)
{
    ir_graph *f = program(_i);

    for (int round = 0; round < 3; round++)
        maps(f, 4);
    maps(f, 0);
    maps(piped(f, "vmap(size=2)"), 3);
    maps(piped(f, "vmap(size=3, chunk=2)"), 2);
}
END_TEST

START_TEST(B34_derivatives)
{
    ir_graph *f = program(_i);

    for (int round = 0; round < 4; round++)
        derivative_agrees(f, 1e-6);
    derivative_agrees(piped(f, "vmap(size=3)"), 1e-6);
}
END_TEST

START_TEST(B34_maps_of_derivatives)
{
    ir_graph *f = program(_i);

    maps(piped(f, "jvp"), 3);
    maps(piped(f, "linearize"), 3);
    maps(piped(f, "vjp"), 3);
    maps(piped(f, "vmap(size=2) | vjp"), 2);
}
END_TEST

START_TEST(B34_second_derivatives)
{
    ir_graph *f = program(_i);

    derivative_agrees(piped(f, "vjp"), 1e-5);
    derivative_agrees(piped(f, "jvp"), 1e-5);
    derivative_agrees(piped(f, "vjp | vmap(size=2)"), 1e-5);
    derivative_agrees(piped(f, "vmap(size=2) | vjp"), 1e-5);
}
END_TEST

START_TEST(B34_thirds)
{
    ir_graph *f = program(_i);

    derivative_agrees(piped(f, "vjp | vjp"), 1e-4);
    maps(piped(f, "vjp | vjp"), 2);
}
END_TEST

START_TEST(B179_many_trips)
{
    ir_graph *f = program(5);
    ir_graph *g = piped(f, "vjp");
    values x = values_of(g, g->n_in, g->in);
    static const int64_t trips[] = { 0, 1, 2, 63, 64, 65, 66, 200, 2500, 20000 };

    for (size_t k = 0; k < sizeof trips / sizeof *trips; k++) {
        double w[2] = { 1e-3, -2e-3 }, d[2] = { 1, 1 }, p[2];
        *(int64_t *)x.at[0] = trips[k] - 2;
        for (int e = 0; e < 2; e++) {
            ((double *)x.at[1])[e] = w[e];
            ((double *)x.at[2])[e] = p[e] = 0.1;
            ((double *)x.at[3])[e] = 1;
        }
        values y = evaluated(g, &x);
        for (int64_t i = 0; i < trips[k]; i++)
            for (int e = 0; e < 2; e++) {
                d[e] *= 1 - 2 * p[e] * w[e];
                p[e] -= p[e] * p[e] * w[e];
            }
        same_elements("value", 0, y.type[0], y.at[0], p, 2, 1e-12);
        same_elements("gradient", 2, y.type[2], y.at[2], d, 2, 1e-9);
        release(&y);
    }
    release(&x);
}
END_TEST

/* Every transform of it is finite, and ends, wherever the examples go. */
START_TEST(B172_B173_the_branch_not_taken_is_not_there)
{
    static const char *const pipelines[] = {
        "vmap(size=6)",
        "grad | vmap(size=6)",
        "vmap(size=6) | vjp",
        "vmap(size=6) | jvp",
        "grad | grad | vmap(size=6)",
        "vmap(size=6) | vjp | vjp",
        "vmap(size=6) | vjp | jvp",
        "vmap(size=6) | jvp | vjp",
        "vmap(size=3) | vjp | vmap(in=0, size=2)",
        "vmap(size=6) | jacrev",
        "vmap(size=6) | jacfwd",
        "vmap(size=6, chunk=4)",
    };
    ir_graph *g = piped(graph_of(trap), pipelines[_i]);
    static const double at[6] = { -3.5, 0, 4, 0.25, 1, 9 };
    values x = values_of(g, g->n_in, g->in);

    for (int i = 0; i < x.n; i++)
        for (int64_t e = 0; e < x.type[i]->size; e++)
            ((double *)x.at[i])[e] = i ? 0 : at[e % 6];
    values y = evaluated(g, &x);
    for (int j = 0; j < y.n; j++)
        for (int64_t e = 0; e < y.type[j]->size; e++)
            ck_assert_msg(isfinite(((double *)y.at[j])[e]), "result %d, element %lld", j,
                          (long long)e);
    release(&x), release(&y);
}
END_TEST

/* Values and gradients of the trap, example by example. */
START_TEST(B172_values_and_gradients)
{
    mapped_agrees(graph_of(trap), 1, 5);
    mapped_agrees(piped(graph_of(trap), "vjp"), 3, 5);
}
END_TEST

/* The inner loop must not spin for an example that the outer one is done with. */
START_TEST(D4_inner_loop_ends_with_the_outer)
{
    ir_graph *f = graph_of(
        "fn @c(%m: i64[], %j: i64[]) -> bool[] {\n  %0 = ne %j, %m : bool[]\n  ret %0\n}\n"
        "fn @s(%m: i64[], %j: i64[]) -> i64[] {\n  %1 = constant {data=1} : i64[]\n"
        "  %0 = add %j, %1 : i64[]\n  ret %0\n}\n"
        "fn @d(%n: i64[], %i: i64[], %x: f64[]) -> bool[] {\n  %0 = lt %i, %n : bool[]\n  ret "
        "%0\n}\n"
        "fn @t(%n: i64[], %i: i64[], %x: f64[]) -> (i64[], f64[]) {\n"
        "  %1 = constant {data=1} : i64[]\n"
        "  %z = constant {data=0} : i64[]\n"
        "  %2 = sub %n, %i : i64[]\n" /* 0 when this example is done: then j != m would never
                                         end */
        "  %3 = sub %2, %1 : i64[]\n"
        "  %4 = while %3, %z {consts=1, cond=@c, body=@s} : i64[]\n"
        "  %5 = convert %4 {dtype=f64} : f64[]\n"
        "  %6 = mul %5, %x : f64[]\n"
        "  %7 = add %6, %x : f64[]\n"
        "  %0 = add %i, %1 : i64[]\n"
        "  ret %0, %7\n}\n"
        "fn @f(%n: i64[], %x: f64[]) -> f64[] {\n"
        "  %i = constant {data=0} : i64[]\n"
        "  %0, %1 = while %n, %i, %x {consts=1, cond=@d, body=@t} : i64[], f64[]\n"
        "  ret %1\n}\n");

    ints = 4;
    maps(f, 4);
    maps(piped(f, "vjp"), 4);
    derivative_agrees(piped(f, "vmap(size=4)"), 1e-7);
    maps(piped(f, "vmap(size=3)"), 2);
}
END_TEST

/* A gradient is refused, not wrong, where the loop passes its bound; also if nobody asks for
 * the value. */
START_TEST(A_bound_that_is_passed)
{
    static const char *const pipelines[] = {
        "", "vjp", "jvp", "vmap(size=3)", "vmap(size=3) | vjp", "jacrev(wrt=[1])"
    };
    ir_graph *f = program(6), *g = piped(f, pipelines[_i]);

    for (int64_t trips = 6; trips <= 8; trips++) {
        values x = values_of(g, g->n_in, g->in), y = values_of(g, g->n_out, g->out);
        fill(&x);
        for (int64_t e = 0; e < x.type[0]->size; e++)
            ((int64_t *)x.at[0])[e] = e == x.type[0]->size - 1 ? trips - 2 : 0;
        cot_status status = ir_eval(g, y.at, (const void *const *)x.at);
        ck_assert_msg(status == (trips > 7 ? COT_ERR_BOUND : COT_OK), "%lld trips: %s",
                      (long long)trips, cot_status_name(status));
        cot_error_clear(ctx);
        release(&x), release(&y);
    }
}
END_TEST

/* What depends on consts alone is saved once. */
START_TEST(B181_invariant_residuals_are_hoisted)
{
    ir_graph *g = piped(program(3), "vjp");
    int scans = 0;

    ir_each_node (n, g)
        if (n->op == OP_scan) {
            scans++;
            for (int i = (int)n->at->scan.carries; i < n->n_out; i++)
                ck_assert_int_ge(ir_type_at(g, n->first + (ir_ref)i)->dims[0], 5);
        }
    ck_assert_int_eq(scans, 2);
}
END_TEST

/* Branches that are one graph are one in both halves of a derivative, or each level of conds
 * would double them: with one index for all, and with one for each element. */
START_TEST(one_branch_stays_one)
{
    static const char *const branches[] = { "@s, @s, @e", "@e, @s, @s" };
    char text[600];
    ir_module m;
    ir_graph *g;
    int conds = 0;

    snprintf(text, sizeof text,
             "fn @e(%%x: f32[4]) -> f32[4] {\n  %%0 = exp %%x : f32[4]\n  ret %%0\n}\n"
             "fn @s(%%x: f32[4]) -> f32[4] {\n  %%0 = sin %%x : f32[4]\n  ret %%0\n}\n"
             "fn @f(%%k: i32[%s], %%x: f32[4]) -> f32[4] {\n"
             "  %%0 = cond %%k, %%x {branches=[%s]} : f32[4]\n  ret %%0\n}\n",
             _i % 2 ? "4" : "", branches[_i / 2]);
    ck_assert_msg(ir_parse(ctx, "test", text, strlen(text), &m) == COT_OK, "%s",
                  cot_error(ctx));
    ck_assert_msg(pass_pipeline(m.fn[m.n - 1], "linearize(wrt=[1])", NULL, NULL, &g) == COT_OK,
                  "%s", cot_error(ctx));
    ir_each_node (n, g)
        if (n->op == OP_cond) {
            ir_graph *const *b = n->at->cond.branches.at;

            conds++;
            ck_assert_ptr_eq(b[1], b[_i / 2 ? 2 : 0]);
        }
    ck_assert_int_eq(conds, 2);
}
END_TEST

START_TEST(B171_unmapped_predicate_stays)
{
    ir_graph *g = piped(program(1), "vmap(in=[none,0,0], size=3)");
    int conds = 0;

    ir_each_node (n, g) {
        conds += n->op == OP_cond && ir_type_at(g, n->in[0])->rank == 0;
        ck_assert(n->op != OP_select);
    }
    ck_assert_int_eq(conds, 1);
}
END_TEST

START_TEST(Jacobians)
{
    ir_graph *f = program(_i);
    int n = 0, arg[8];
    char a[80], b[80], c[80], list[40] = "";

    for (int i = 0; i < f->n_in; i++)
        if (ir_is_floating(f, f->in[i]))
            arg[n++] = i;
    for (int i = 0; i < n; i++)
        snprintf(list + strlen(list), 8, "%s%d", i ? "," : "", arg[i]);
    int aux = 0;
    for (int j = 0; j < f->n_out; j++)
        if (!ir_is_floating(f, f->out[j]))
            aux++;
    if (aux > 0)
        return;
    snprintf(a, sizeof a, "jacfwd(wrt=[%s])", list);
    snprintf(b, sizeof b, "jacrev(wrt=[%s])", list);
    snprintf(c, sizeof c, "jacrev(wrt=[%s], chunk=2)", list);
    ir_graph *g = piped(f, a), *h = piped(f, b), *k = piped(f, c);
    values x = values_of(g, g->n_in, g->in);
    fill(&x);
    values y = evaluated(g, &x), z = evaluated(h, &x), w = evaluated(k, &x);
    for (int j = 0; j < g->n_out; j++) {
        same_elements("jacrev", j, y.type[j], z.at[j], y.at[j], y.type[j]->size, 1e-9);
        same_elements("chunk", j, y.type[j], w.at[j], z.at[j], y.type[j]->size, 0);
    }
    release(&x), release(&y), release(&z), release(&w);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(B169_B174_B175_maps, PROGRAMS),
        EACH(B34_derivatives, PROGRAMS),
        EACH(B34_maps_of_derivatives, PROGRAMS),
        EACH(B34_second_derivatives, PROGRAMS),
        EACH(B34_thirds, PROGRAMS),
        EACH(Jacobians, PROGRAMS),
        ONCE(B179_many_trips),
        EACH(B172_B173_the_branch_not_taken_is_not_there, 12),
        ONCE(B172_values_and_gradients),
        ONCE(D4_inner_loop_ends_with_the_outer),
        EACH(A_bound_that_is_passed, 6),
        ONCE(B181_invariant_residuals_are_hoisted),
        EACH(one_branch_stays_one, 4),
        ONCE(B171_unmapped_predicate_stays),
    };

    return SUITE_WITH("flow", cases, oracle_setup, suite_end);
}
