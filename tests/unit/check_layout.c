/* Sums over rows become sums over the axis before: which do, and that no bit changes, in the
 * evaluator and in every back end. */
#include <stdio.h>

#include "passes/pass.h"
#include "tests/unit/bits.h"
#include "tests/unit/traced.h"

/* Functions of rows of m elements, of which one has $ for a reduction; %d is m, up to nine
 * times. */
static const struct form {
    const char *text;
    int copies; /* operands that are read from copies; -1: nothing changes */
} forms[] = {
    /* each of some rows with each of others */
    { "fn @f(%%x: f32[5,%1$d], %%y: f32[19,%1$d]) -> f32[5,19] {\n"
      " %%a = broadcast_in_dim %%x {shape=[5,19,%1$d], dims=[0,2]} : f32[5,19,%1$d]\n"
      " %%b = broadcast_in_dim %%y {shape=[5,19,%1$d], dims=[1,2]} : f32[5,19,%1$d]\n"
      " %%c = sub %%a, %%b : f32[5,19,%1$d]\n"
      " %%e = mul %%c, %%c : f32[5,19,%1$d]\n"
      " %%s = %2$s %%e {axes=[2]} : f32[5,19]\n"
      " ret %%s\n}\n",
      1 },
    /* a batch in front, an axis of 1 that is repeated, a constant, weights of rows, a mask */
    { "fn @f(%%x: f64[3,1,%1$d], %%y: f64[3,7,%1$d], %%w: f64[%1$d], %%p: bool[2,7])"
      " -> (f64[3,2,7], f64[3,2,7]) {\n"
      " %%a = broadcast_in_dim %%x {shape=[3,2,7,%1$d], dims=[0,2,3]} : f64[3,2,7,%1$d]\n"
      " %%b = broadcast_in_dim %%y {shape=[3,2,7,%1$d], dims=[0,2,3]} : f64[3,2,7,%1$d]\n"
      " %%v = broadcast_in_dim %%w {shape=[3,2,7,%1$d], dims=[3]} : f64[3,2,7,%1$d]\n"
      " %%q = broadcast_in_dim %%p {shape=[3,2,7,%1$d], dims=[1,2]} : bool[3,2,7,%1$d]\n"
      " %%h = constant {data=0.5} : f64[3,2,7,%1$d]\n"
      " %%c = fma %%a, %%v, %%b : f64[3,2,7,%1$d]\n"
      " %%e = select %%q, %%c, %%h : f64[3,2,7,%1$d]\n"
      " %%s = %2$s %%e {axes=[3]} : f64[3,2,7]\n"
      " %%t = reduce_sum %%c {axes=[3]} : f64[3,2,7]\n"
      " ret %%s, %%t\n}\n",
      1 },
    /* of another type, and in memory the other way round */
    { "fn @f(%%x: i32[5,%1$d], %%y: i32[%1$d,9]) -> f32[5,9] {\n"
      " %%z = transpose %%y {perm=[1,0]} : i32[9,%1$d]\n"
      " %%a = broadcast_in_dim %%x {shape=[5,9,%1$d], dims=[0,2]} : i32[5,9,%1$d]\n"
      " %%b = broadcast_in_dim %%z {shape=[5,9,%1$d], dims=[1,2]} : i32[5,9,%1$d]\n"
      " %%c = sub %%a, %%b : i32[5,9,%1$d]\n"
      " %%e = convert %%c {dtype=f32} : f32[5,9,%1$d]\n"
      " %%s = %2$s %%e {axes=[2]} : f32[5,9]\n"
      " ret %%s\n}\n",
      0 },
    /* in a loop */
    { "fn @step(%%x: f32[5,%1$d], %%y: f32[17,%1$d]) -> (f32[5,%1$d], f32[5,17]) {\n"
      " %%a = broadcast_in_dim %%x {shape=[5,17,%1$d], dims=[0,2]} : f32[5,17,%1$d]\n"
      " %%b = broadcast_in_dim %%y {shape=[5,17,%1$d], dims=[1,2]} : f32[5,17,%1$d]\n"
      " %%c = mul %%a, %%b : f32[5,17,%1$d]\n"
      " %%s = %2$s %%c {axes=[2]} : f32[5,17]\n"
      " %%z = sin %%x : f32[5,%1$d]\n"
      " ret %%z, %%s\n}\n"
      "fn @f(%%x: f32[5,%1$d], %%y: f32[4,17,%1$d]) -> (f32[5,%1$d], f32[4,5,17]) {\n"
      " %%r, %%s = scan %%x, %%y {carries=1, length=4, body=@step} : (f32[5,%1$d], "
      "f32[4,5,17])\n"
      " ret %%r, %%s\n}\n",
      1 },
    /* what is summed is a result, too */
    { "fn @f(%%x: f32[5,%1$d], %%y: f32[7,%1$d]) -> (f32[5,7], f32[5,7,%1$d]) {\n"
      " %%a = broadcast_in_dim %%x {shape=[5,7,%1$d], dims=[0,2]} : f32[5,7,%1$d]\n"
      " %%b = broadcast_in_dim %%y {shape=[5,7,%1$d], dims=[1,2]} : f32[5,7,%1$d]\n"
      " %%c = sub %%a, %%b : f32[5,7,%1$d]\n"
      " %%s = %2$s %%c {axes=[2]} : f32[5,7]\n"
      " ret %%s, %%c\n}\n",
      -1 },
    /* another sum, over other axes, of a value on the way; an operand that nobody repeats */
    { "fn @f(%%x: f32[5,%1$d], %%y: f32[7,%1$d], %%z: f32[5,7,%1$d])"
      " -> (f32[5,7], f32[5,%1$d], f32[5,7]) {\n"
      " %%a = broadcast_in_dim %%x {shape=[5,7,%1$d], dims=[0,2]} : f32[5,7,%1$d]\n"
      " %%b = broadcast_in_dim %%y {shape=[5,7,%1$d], dims=[1,2]} : f32[5,7,%1$d]\n"
      " %%c = sub %%a, %%b : f32[5,7,%1$d]\n"
      " %%e = mul %%c, %%c : f32[5,7,%1$d]\n"
      " %%s = %2$s %%e {axes=[2]} : f32[5,7]\n"
      " %%t = reduce_sum %%c {axes=[1]} : f32[5,%1$d]\n"
      " %%g = mul %%b, %%z : f32[5,7,%1$d]\n"
      " %%u = %2$s %%g {axes=[2]} : f32[5,7]\n"
      " ret %%s, %%t, %%u\n}\n",
      -1 },
};
static const char *const reductions[] = { "reduce_sum", "reduce_max", "reduce_prod" };
static const int rows[] = { 2, 3, 8, 9, 16, 17, 31, 32, 33 };
enum {
    FORMS = sizeof forms / sizeof *forms,
    REDUCTIONS = sizeof reductions / sizeof *reductions,
    ROWS = sizeof rows / sizeof *rows,
    MAX_ROW = 32
};

static bool
is_barrier(const ir_graph *f, const ir_node *n)
{
    (void)f;
    return n->op == OP_barrier;
}

static bool
sums_rows(const ir_graph *f, const ir_node *n)
{
    return ir_ops[n->op].flag == IR_REDUCE &&
           ir_axes_has(ir_reduced_axes(n), ir_type_at(f, n->in[0])->rank - 1);
}

/* The nodes of f, and of the loops in it, of which it holds. */
static int
count(const ir_graph *f, bool (*holds)(const ir_graph *, const ir_node *))
{
    const ir_graph *const *all;
    int sum = 0;

    for (uint32_t i = 0, n = ir_all_graphs(f, false, &all, f->arena); i < n; i++)
        ir_each_node (x, all[i])
            sum += holds(all[i], x);
    return sum;
}

START_TEST(sums_change_and_bits_do_not)
{
    static const char *const pass[] = { "layout", NULL };
    const struct form *form = &forms[_i / ROWS];
    const int m = rows[_i % ROWS];

    ctx->small_passes = true;
    for (int k = 0; k < REDUCTIONS; k++) {
        const char *op = reductions[k];
        ir_graph *f, *g;
        char text[4000];

        snprintf(text, sizeof text, form->text, m, op);
        bits_keep(ctx, text, "", pass, &f, &g);
        const bool changes = form->copies >= 0 && m <= MAX_ROW;
        ck_assert_int_eq(count(g, is_barrier), changes ? form->copies : 0);
        ck_assert_int_eq(count(g, sums_rows), changes ? 0 : count(f, sums_rows));
    }
}
END_TEST

/* Their maps. */
START_TEST(maps_keep_bits)
{
    static const char *const pass[] = { "layout", NULL };
    ir_graph *f, *g;
    char text[4000];

    ctx->small_passes = true;
    for (int k = 0; k < ROWS; k += 2) {
        snprintf(text, sizeof text, forms[_i].text, rows[k], "reduce_sum");
        bits_keep(ctx, text, "vmap(in=0, out=0, size=3)", pass, &f, &g);
        if (!strstr(text, "i32"))
            bits_keep(ctx, text, "vjp", pass, &f, &g);
    }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(sums_change_and_bits_do_not, FORMS * ROWS),
        EACH(maps_keep_bits, FORMS),
    };

    return SUITE("layout", cases);
}
