/* call, cond, scan and while under every transform and their nestings, on the twin. */
#include "tests/unit/oracle.h"

/* Programs whose derivatives exist where the oracle looks. */
static const char *const programs[] = {
    /* 0: call */
    "fn @g(%x: f64[3], %w: f64[3]) -> (f64[3], f64[]) {\n"
    "  %0 = mul %x, %w : f64[3]\n"
    "  %1 = mul %0, %x : f64[3]\n"
    "  %2 = reduce_sum %1 {axes=[0]} : f64[]\n"
    "  ret %0, %2\n}\n"
    "fn @f(%x: f64[3], %w: f64[3]) -> (f64[3], f64[]) {\n"
    "  %0, %1 = call %x, %w {body=@g} : f64[3], f64[]\n"
    "  %2, %3 = call %0, %x {body=@g} : f64[3], f64[]\n"
    "  ret %2, %3\n}\n",
    /* 1: cond of three, with an output that varies in one branch only, and an integer one */
    "fn @a(%x: f64[3], %w: f64[]) -> (f64[3], f64[], i64[]) {\n"
    "  %0 = mul %x, %x : f64[3]\n"
    "  %1 = mul %0, %x : f64[3]\n"
    "  %2 = mul %w, %w : f64[]\n"
    "  %3 = constant {data=4} : i64[]\n"
    "  ret %1, %2, %3\n}\n"
    "fn @b(%x: f64[3], %w: f64[]) -> (f64[3], f64[], i64[]) {\n"
    "  %c = constant {data=2} : f64[]\n"
    "  %0 = broadcast_in_dim %w {shape=[3], dims=[]} : f64[3]\n"
    "  %1 = mul %0, %x : f64[3]\n"
    "  %3 = constant {data=5} : i64[]\n"
    "  ret %1, %c, %3\n}\n"
    "fn @c(%x: f64[3], %w: f64[]) -> (f64[3], f64[], i64[]) {\n"
    "  %0 = reduce_sum %x {axes=[0]} : f64[]\n"
    "  %1 = mul %0, %w : f64[]\n"
    "  %3 = constant {data=6} : i64[]\n"
    "  ret %x, %1, %3\n}\n"
    "fn @f(%i: i32[], %x: f64[3], %w: f64[]) -> (f64[3], f64[], i64[]) {\n"
    "  %0, %1, %2 = cond %i, %x, %w {branches=[@a, @b, @c]} : f64[3], f64[], i64[]\n"
    "  %3 = mul %0, %x : f64[3]\n"
    "  ret %3, %1, %2\n}\n",
    /* 2: a predicate that the values decide */
    "fn @a(%x: f64[]) -> f64[] {\n  %0 = mul %x, %x : f64[]\n  ret %0\n}\n"
    "fn @b(%x: f64[]) -> f64[] {\n  %0 = integer_pow %x {y=-2} : f64[]\n  ret %0\n}\n"
    "fn @f(%x: f64[], %y: f64[]) -> f64[] {\n"
    "  %p = lt %x, %y : bool[]\n"
    "  %0 = mul %x, %y : f64[]\n"
    "  %1 = cond %p, %0 {branches=[@a, @b]} : f64[]\n"
    "  ret %1\n}\n",
    /* 3: scan with consts, two carries (one of them not varying), xs and ys; reversed */
    "fn @s(%w: f64[2], %i: i64[], %c: f64[2], %x: f64[2], %k: f64[]) -> (i64[], f64[2], f64[], "
    "f64[2]) {\n"
    "  %1 = constant {data=1} : i64[]\n"
    "  %n = add %i, %1 : i64[]\n"
    "  %0 = mul %c, %w : f64[2]\n"
    "  %2 = mul %x, %x : f64[2]\n"
    "  %3 = add %0, %2 : f64[2]\n"
    "  %4 = mul %3, %c : f64[2]\n"
    "  %h = mul %w, %w : f64[2]\n"
    "  %5 = mul %h, %4 : f64[2]\n"
    "  %6 = reduce_sum %5 {axes=[0]} : f64[]\n"
    "  %7 = mul %6, %k : f64[]\n"
    "  ret %n, %3, %7, %4\n}\n"
    "fn @f(%w: f64[2], %c: f64[2], %xs: f64[5,2], %ks: f64[5]) -> (i64[], f64[2], f64[5], "
    "f64[5,2]) {\n"
    "  %i = constant {data=0} : i64[]\n"
    "  %0, %1, %2, %3 = scan %w, %i, %c, %xs, %ks {consts=1, carries=2, length=5, "
    "reverse=true, body=@s} "
    ": i64[], f64[2], f64[5], f64[5,2]\n"
    "  ret %0, %1, %2, %3\n}\n",
    /* 4: scan whose second carry varies only through the first */
    "fn @s(%a: f64[], %b: f64[], %x: f64[]) -> (f64[], f64[]) {\n"
    "  %0 = mul %a, %x : f64[]\n"
    "  %1 = mul %a, %b : f64[]\n"
    "  %2 = add %1, %x : f64[]\n"
    "  ret %0, %2\n}\n"
    "fn @f(%a: f64[], %xs: f64[4]) -> (f64[], f64[]) {\n"
    "  %c = constant {data=0.5} : f64[]\n"
    "  %0, %1 = scan %a, %c, %xs {carries=2, length=4, body=@s} : f64[], f64[]\n"
    "  ret %0, %1\n}\n",
    /* 5: while with a counter and a limit that may differ for each example */
    "fn @c(%n: i64[], %w: f64[2], %i: i64[], %x: f64[2]) -> bool[] {\n"
    "  %0 = lt %i, %n : bool[]\n  ret %0\n}\n"
    "fn @s(%n: i64[], %w: f64[2], %i: i64[], %x: f64[2]) -> (i64[], f64[2]) {\n"
    "  %1 = constant {data=1} : i64[]\n"
    "  %0 = add %i, %1 : i64[]\n"
    "  %2 = mul %x, %x : f64[2]\n"
    "  %3 = mul %2, %w : f64[2]\n"
    "  %4 = sub %x, %3 : f64[2]\n"
    "  ret %0, %4\n}\n"
    "fn @f(%n: i64[], %w: f64[2], %x: f64[2]) -> f64[2] {\n"
    "  %i = constant {data=-2} : i64[]\n"
    "  %0, %1 = while %n, %w, %i, %x {consts=2, cond=@c, body=@s} : i64[], f64[2]\n"
    "  ret %1\n}\n",
    /* 6: the same with a bound */
    "fn @c(%n: i64[], %w: f64[2], %i: i64[], %x: f64[2]) -> bool[] {\n"
    "  %0 = lt %i, %n : bool[]\n  ret %0\n}\n"
    "fn @s(%n: i64[], %w: f64[2], %i: i64[], %x: f64[2]) -> (i64[], f64[2]) {\n"
    "  %1 = constant {data=1} : i64[]\n"
    "  %0 = add %i, %1 : i64[]\n"
    "  %2 = mul %x, %x : f64[2]\n"
    "  %3 = mul %2, %w : f64[2]\n"
    "  %4 = sub %x, %3 : f64[2]\n"
    "  ret %0, %4\n}\n"
    "fn @f(%n: i64[], %w: f64[2], %x: f64[2]) -> f64[2] {\n"
    "  %i = constant {data=-2} : i64[]\n"
    "  %0, %1 = while %n, %w, %i, %x {consts=2, max=7, cond=@c, body=@s} : i64[], f64[2]\n"
    "  ret %1\n}\n",
    /* 7: while until a value is small: each example its own number of trips */
    "fn @c(%w: f64[], %x: f64[], %y: f64[]) -> bool[] {\n"
    "  %e = constant {data=0.05} : f64[]\n"
    "  %0 = mul %x, %x : f64[]\n"
    "  %1 = gt %0, %e : bool[]\n  ret %1\n}\n"
    "fn @s(%w: f64[], %x: f64[], %y: f64[]) -> (f64[], f64[]) {\n"
    "  %h = constant {data=0.7} : f64[]\n"
    "  %0 = mul %x, %h : f64[]\n"
    "  %1 = mul %0, %w : f64[]\n"
    "  %2 = mul %1, %y : f64[]\n"
    "  %3 = add %y, %2 : f64[]\n"
    "  ret %0, %3\n}\n"
    "fn @f(%w: f64[], %x: f64[]) -> (f64[], f64[]) {\n"
    "  %0, %1 = while %w, %x, %w {consts=1, cond=@c, body=@s} : f64[], f64[]\n"
    "  ret %0, %1\n}\n",
    /* 8: the same with a bound */
    "fn @c(%w: f64[], %x: f64[], %y: f64[]) -> bool[] {\n"
    "  %e = constant {data=0.05} : f64[]\n"
    "  %0 = mul %x, %x : f64[]\n"
    "  %1 = gt %0, %e : bool[]\n  ret %1\n}\n"
    "fn @s(%w: f64[], %x: f64[], %y: f64[]) -> (f64[], f64[]) {\n"
    "  %h = constant {data=0.7} : f64[]\n"
    "  %0 = mul %x, %h : f64[]\n"
    "  %1 = mul %0, %w : f64[]\n"
    "  %2 = mul %1, %y : f64[]\n"
    "  %3 = add %y, %2 : f64[]\n"
    "  ret %0, %3\n}\n"
    "fn @f(%w: f64[], %x: f64[]) -> (f64[], f64[]) {\n"
    "  %0, %1 = while %w, %x, %w {consts=1, max=30, cond=@c, body=@s} : f64[], f64[]\n"
    "  ret %0, %1\n}\n",
    /* 9: a while in a scan, and a cond in the while */
    "fn @t(%x: f64[], %w: f64[]) -> f64[] {\n  %0 = mul %x, %w : f64[]\n  ret %0\n}\n"
    "fn @e(%x: f64[], %w: f64[]) -> f64[] {\n  %0 = mul %x, %x : f64[]\n  %1 = sub %0, %w : "
    "f64[]\n"
    "  ret %1\n}\n"
    "fn @c(%n: i64[], %w: f64[], %i: i64[], %x: f64[]) -> bool[] {\n"
    "  %0 = lt %i, %n : bool[]\n  ret %0\n}\n"
    "fn @s(%n: i64[], %w: f64[], %i: i64[], %x: f64[]) -> (i64[], f64[]) {\n"
    "  %1 = constant {data=1} : i64[]\n"
    "  %0 = add %i, %1 : i64[]\n"
    "  %p = gt %x, %w : bool[]\n"
    "  %2 = cond %p, %x, %w {branches=[@t, @e]} : f64[]\n"
    "  ret %0, %2\n}\n"
    "fn @b(%w: f64[], %x: f64[], %n: i64[]) -> (f64[], f64[]) {\n"
    "  %i = constant {data=0} : i64[]\n"
    "  %0, %1 = while %n, %w, %i, %x {consts=2, cond=@c, body=@s} : i64[], f64[]\n"
    "  %2 = add %1, %w : f64[]\n"
    "  ret %2, %1\n}\n"
    "fn @f(%w: f64[], %x: f64[], %ns: i64[3]) -> (f64[], f64[3]) {\n"
    "  %0, %1 = scan %w, %x, %ns {consts=1, carries=1, length=3, body=@b} : f64[], f64[3]\n"
    "  ret %0, %1\n}\n",
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

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

/* 1/x and a loop that ends for its own examples only, in the branch that is not taken at 0. */
static const char trap[] =
    "fn @c(%x: f64[], %y: f64[]) -> bool[] {\n"
    "  %0 = ne %y, %x : bool[]\n  ret %0\n}\n"
    "fn @s(%x: f64[], %y: f64[]) -> f64[] {\n"
    "  %1 = constant {data=1} : f64[]\n"
    "  %0 = add %y, %1 : f64[]\n  ret %0\n}\n"
    "fn @a(%x: f64[]) -> f64[] {\n  %0 = add %x, %x : f64[]\n  ret %0\n}\n"
    "fn @b(%x: f64[]) -> f64[] {\n"
    "  %z = constant {data=0} : f64[]\n"
    "  %0 = while %x, %z {consts=1, cond=@c, body=@s} : f64[]\n"
    "  %1 = integer_pow %x {y=-1} : f64[]\n"
    "  %2 = sqrt %x : f64[]\n"
    "  %3 = mul %1, %2 : f64[]\n"
    "  %4 = add %3, %0 : f64[]\n"
    "  ret %4\n}\n"
    "fn @f(%x: f64[]) -> f64[] {\n"
    "  %o = constant {data=1} : f64[]\n"
    "  %p = ge %x, %o : bool[]\n"
    "  %0 = cond %p, %x {branches=[@a, @b]} : f64[]\n"
    "  ret %0\n}\n";

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
            for (int i = (int)n->at.scan.carries; i < n->n_out; i++)
                ck_assert_int_ge(ir_type_at(g, n->first + (ir_ref)i)->dims[0], 5);
        }
    ck_assert_int_eq(scans, 2);
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
    Suite *s = suite_create("flow");
    TCase *t = tcase_create("flow");

    tcase_add_checked_fixture(t, oracle_setup, oracle_teardown);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, B169_B174_B175_maps, 0, PROGRAMS);
    tcase_add_loop_test(t, B34_derivatives, 0, PROGRAMS);
    tcase_add_loop_test(t, B34_maps_of_derivatives, 0, PROGRAMS);
    tcase_add_loop_test(t, B34_second_derivatives, 0, PROGRAMS);
    tcase_add_loop_test(t, B34_thirds, 0, PROGRAMS);
    tcase_add_loop_test(t, Jacobians, 0, PROGRAMS);
    tcase_add_test(t, B179_many_trips);
    tcase_add_loop_test(t, B172_B173_the_branch_not_taken_is_not_there, 0, 12);
    tcase_add_test(t, B172_values_and_gradients);
    tcase_add_test(t, D4_inner_loop_ends_with_the_outer);
    tcase_add_loop_test(t, A_bound_that_is_passed, 0, 6);
    tcase_add_test(t, B181_invariant_residuals_are_hoisted);
    tcase_add_test(t, B171_unmapped_predicate_stays);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
