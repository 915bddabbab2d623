/* Writes where they are hard to follow: boxes found at run time, values of an enclosing body
 * written in branches and loops, in/out arguments under second derivatives. */
#include "tests/unit/mutated.h"

BODY(branch_write, cot_add_assign(in[0], 1); out[0] = in[0];)

/* Reversed views, and boxes at starts known at run time, which stay where they were made. */
BODY(run_time_box, {
    cot_value y = cot_clone(in[0]), i = cot_clone(in[1]), back = cot_view_reverse(y);
    cot_value part = cot_view_dynamic_slice(back, COT_VALUES(i), 2);
    cot_assign(i, 0);
    cot_mul_assign(part, 10);
    cot_add_assign(y, 1);
    cot_assign(cot_view_reverse(part), cot_add(part, 100));
    out[0] = y;
})
BODY(box_sum, {
    cot_value y;
    run_time_box(t, in, &y, user);
    out[0] = cot_reduce_sum(cot_mul(y, y));
})
/* The tests' arguments are all f64: the start is converted. */
static void
at_index(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_value x[2] = { in[0], cot_convert(in[1], COT_I32) };

    if (user)
        out[0] = cot_call((cot_fn *)user, x[0], x[1]);
    else
        box_sum(t, x, out, NULL);
}
START_TEST(views)
{
    const data x[2] = { filled(cot_f64(5), 1, 1), filled(cot_f64(), 1, 0) },
               xs[2] = { filled(cot_f64(2, 5), 1, 1), { cot_f64(2), { 0, 7 } } };
    cot_fn *f = new_fn(ctx, run_time_box, 2);

    /* y is 1 .. 5; reversed, the box at 1 shows 4, 3: 40, 30, then 41, 31, then 131, 141 */
    cot_fn *g = cot_fn_new(ctx, "g", at_index, 2, 1, f),
           *s = cot_fn_new(ctx, "s", at_index, 2, 1, NULL);
    both(g, 2, x, (double[]){ 2, 3, 141, 131, 6 });
    both(cot_vmap(g), 2, xs, (double[]){ 2, 3, 4, 151, 141, 171, 161, 9, 10, 11 });
    both(cot_grad(s), 2, x, (double[]){ 4, 6, 2620, 2820, 12 });
}
END_TEST

/* The last results of any transform are the new values of in/out arguments. */
BODY(square_in_place, cot_mul_assign(in[0], in[0]);
     out[0] = cot_reduce_sum(cot_mul(in[0], in[1]), .axes = COT_LIST(0));)
START_TEST(second)
{
    data x[2] = { filled(cot_f64(2), 3, 1), filled(cot_f64(2), 1, 1) };
    cot_fn *f = new_fn(ctx, square_in_place, 2);

    gives(cot_hessian(f), 2, x, (double[]){ 2, 0, 0, 4 }, (double[]){ 9, 16 });
    gives(cot_hessian(f, .wrt = COT_LIST(1)), 2, x, (double[]){ 0, 0, 0, 0 },
          (double[]){ 9, 16 });
    gives(cot_jacrev(f), 2, x, (double[]){ 6, 16 }, (double[]){ 9, 16 });
    gives(cot_jacfwd(f), 2, x, (double[]){ 6, 16 }, (double[]){ 9, 16 });
    data xs[2] = { filled(cot_f64(2, 2), 3, 1), filled(cot_f64(2, 2), 1, 1) };
    gives(cot_vmap(cot_hessian(f)), 2, xs, (double[]){ 2, 0, 0, 4, 6, 0, 0, 8 },
          (double[]){ 9, 16, 25, 36 });
}
END_TEST

/* Bodies that write to what is outside of them: user points to the handles. */
typedef struct around {
    cot_value y, row, total;
} around;
static void
adds_to_row(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const around *o = user;

    (void)t;
    cot_add_assign(o->row, in[0]);
    out[0] = cot_reduce_sum(o->y);
}
static void
adds_nothing(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_reduce_sum(in[0]);
}
BODY(cond_outside, {
    around o = { .y = cot_clone(in[0]) };
    o.row = cot_view_at(o.y, 0, 0);
    cot_value s = cot_cond(cot_gt(cot_reduce_sum(in[0]), 0), adds_to_row, adds_nothing,
                           .in = COT_VALUES(in[1]), .user = &o);
    out[0] = cot_mul(o.y, s);
})

/* y[i] = c; total += sum of y; c doubles. */
static void
history_step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const around *o = user;
    cot_value before = cot_reduce_sum(o->y);

    (void)t;
    cot_assign(cot_view_dynamic_slice(o->y, COT_VALUES(in[0]), 1), in[1]);
    cot_add_assign(o->total, cot_add(cot_reduce_sum(o->y), cot_mul(before, 0)));
    out[0] = cot_mul(in[1], 2);
}
BODY(history, {
    around o = { .y = cot_zeros(t, cot_f64(4)), .total = cot_zeros(t, cot_f64()) };
    cot_value c;
    if (user)
        c = cot_fori(4, history_step, .in = COT_VALUES(in[0]), .user = &o);
    else
        c = cot_fori(cot_convert(cot_mul(cot_add(cot_mul(in[0], 0), 4), 1), COT_I32),
                     history_step, .in = COT_VALUES(in[0]), .user = &o, .max = 6);
    out[0] = cot_concatenate(COT_VALUES(o.y, cot_reshape(o.total, 1), cot_reshape(c, 1)), 0);
})
BODY(history_total, {
    cot_value y;
    history(t, in, &y, user);
    out[0] = cot_reduce_sum(cot_slice(y, .start = COT_LIST(4), .limit = COT_LIST(5)));
})

/* Doubled until it passes 100, which the test reads outside; a scan inside a branch. */
static void
below_hundred(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)in;
    out[0] = cot_lt(((const around *)user)->row, 100);
}
static void
doubles(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    cot_mul_assign(((const around *)user)->row, 2);
    out[0] = cot_add(in[0], 1);
}
BODY(until_hundred, {
    around o = { .y = cot_clone(in[0]) };
    cot_value n;
    o.row = cot_view_at(o.y, 1, 0);
    n = cot_while(below_hundred, doubles, .in = COT_VALUES(cot_zeros(t, cot_f64())),
                  .user = &o);
    cot_assign(cot_view_at(o.y, 0, 0), n);
    out[0] = o.y;
})
static void
test_writes(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    cot_add_assign(((const around *)user)->row, 1);
    out[0] = cot_lt(in[0], 3);
}
BODY(writes_in_test, {
    around o = { .row = cot_clone(in[0]) };
    const cot_flow_options w = { .in = COT_VALUES(in[0]), .user = &o };
    out[0] = cot_while_(AT(31), test_writes, doubles, &w, sizeof w);
})
static void
sums_up(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const around *o = user;

    (void)t;
    cot_add_assign(o->y, in[0]);
    out[0] = cot_mul(o->total, in[0]);
}
static void
scans_inside(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_reduce_sum(cot_map(sums_up, .xs = COT_VALUES(in[0]), .user = user));
}
/* The argument itself is written, two bodies down: it is in/out. */
BODY(nested_outside, {
    around o = { .y = in[0], .total = in[0] };
    out[0] = cot_cond(cot_gt(in[0], 0), scans_inside, adds_nothing, .in = COT_VALUES(in[1]),
                      .user = &o);
})
BODY(known_choice, {
    cot_value s = cot_cond(1, branch_write, branch_write, .in = COT_VALUES(in[0]));
    out[0] = cot_sub(s, in[0]);
})
START_TEST(outside_of_bodies)
{
    data x[2] = { filled(cot_f64(2, 2), 1, 1), filled(cot_f64(2), 10, 10) };
    data xs[2] = { filled(cot_f64(2, 2, 2), 4, -1), filled(cot_f64(2, 2), 10, 10) };
    cot_fn *f = new_fn(ctx, cond_outside, 2);

    both(f, 2, x, (double[]){ 440, 880, 120, 160 });
    both(cot_vmap(f), 2, xs,
         (double[]){ 560, 920, 80, 40, 0, -70, -140, -210 });
    for (int known = 0; known < 2; known++) {
        cot_fn *h = cot_fn_new(ctx, "h", history, 1, 1, known ? ctx : NULL),
               *s = cot_fn_new(ctx, "s", history_total, 1, 1, known ? ctx : NULL);
        const data one = filled(cot_f64(), 3, 0), two = filled(cot_f64(2), 3, -1);

        both(h, 1, &one, (double[]){ 3, 6, 12, 24, 78, 48 });
        both(cot_vmap(h), 1, &two, (double[]){ 3, 6, 12, 24, 78, 48, 2, 4, 8, 16, 52, 32 });
        both(cot_grad(s), 1, &one, (double[]){ 26 });
        both(cot_vmap(cot_grad(s)), 1, &two, (double[]){ 26, 26 });
        both(cot_functionalize(cot_jacfwd(h)), 1, &one, (double[]){ 1, 2, 4, 8, 26, 16 });
    }
    const data y = filled(cot_f64(2), 1, 2), ys = filled(cot_f64(2, 2), 1, 2);
    both(new_fn(ctx, until_hundred, 1), 1, &y, (double[]){ 6, 192 });
    both(cot_vmap(new_fn(ctx, until_hundred, 1)), 1, &ys, (double[]){ 6, 192, 4, 112 });
    traced_fails(
        new_fn(ctx, writes_in_test, 1), COT_TYPES(cot_f64()), COT_ERR_TRACE,
        "m.c:31: while: the destination, f64[], was captured from outside of this function; "
        "wants it as an argument, or a value made inside");
    /* 1 + 10 = 11, 11 * 10; 31, 31 * 20 */
    data z[2] = { filled(cot_f64(), 1, 0), filled(cot_f64(2), 10, 10) };
    gives(new_fn(ctx, nested_outside, 2), 2, z, (double[]){ 730 }, (double[]){ 31 });
    data zs[2] = { filled(cot_f64(2), 1, -2), filled(cot_f64(2, 2), 10, 0) };
    gives(cot_vmap(new_fn(ctx, nested_outside, 2)), 2, zs, (double[]){ 320, 20 },
          (double[]){ 21, -1 });
    both(new_fn(ctx, known_choice, 1), 1, &y, (double[]){ 1, 1 });
}
END_TEST

/* What was read before a write is not read again after it, by no fold and no rule. */
BODY(read_before, {
    cot_value y = cot_clone(in[0]), turned = cot_transpose(y), less = cot_neg(y);
    cot_mul_assign(y, 10);
    out[0] = cot_add(cot_window_max(turned, COT_LIST(2, 2)), cot_reduce_max(cot_abs(less)));
})
START_TEST(reads_before)
{
    const data x = filled(cot_f64(2, 4), 1, 1), xs = filled(cot_f64(2, 2, 4), 1, 1);
    cot_fn *f = new_fn(ctx, read_before, 1);

    both(f, 1, &x, (double[]){ 14, 15, 16 });
    both(cot_vmap(f), 1, &xs, (double[]){ 14, 15, 16, 30, 31, 32 });
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(views),
        ONCE(second),
        ONCE(outside_of_bodies),
        ONCE(reads_before),
    };

    return SUITE("writes", cases);
}
