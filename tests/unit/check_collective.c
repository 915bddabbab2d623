/* Collectives over a named axis: figures, derivatives against the mapped function's, names
 * and errors. */
#include "both.h"

#include "cotrace/collective.h"

static const double line[4] = { 0.5, -1, 2, 0.25 };
/* Tests that run twice: the axis is not spread over processes, then it is. */
static const char *const overs[] = { NULL, "world" }, *over;

BODY(centre, out[0] = cot_sub(in[0], cot_pmean(in[0], "i"));)
BODY(share, out[0] = cot_psum(in[0], "i"); out[1] = cot_pmax(in[0], "i");
     out[2] = cot_pmin(in[0], "i");)

START_TEST(sums_and_extrema)
{
    over = overs[_i];
    GIVES(cot_vmap(fn("centre", centre, 1, 1), .axis = "i", .over = over),
          COT_TYPES(cot_f64(4)), IN(F64(1, 2, 3, 6)), -2, -1, 0, 3);
    GIVES(cot_vmap(fn("share", share, 1, 3), .axis = "i", .over = over,
                   .out_dims = COT_ALL(COT_NONE)),
          COT_TYPES(cot_f64(4)), IN(F64(1, -2, 3, 6)), 8, 6, -2);
    GIVES(cot_vmap(fn("centre", centre, 1, 1), .in_dims = COT_ALL(1), .out_dims = COT_ALL(1),
                   .axis = "i", .over = over),
          COT_TYPES(cot_f64(2, 2)), IN(F64(1, 3, 5, 9)), -1, 1, -2, 2);
}
END_TEST

BODY(gathered, out[0] = cot_dot(cot_all_gather(in[0], "i"), cot_all_gather(in[1], "i"));)
BODY(columns, out[0] = cot_all_gather(in[0], "i", .axis = -1);)
BODY(scattered, out[0] = cot_psum_scatter(in[0], "i");)
BODY(ring, out[0] = cot_ppermute(in[0], "i", COT_LIST(0, 1, 1, 2, 2, 0));)
BODY(halo, out[0] = cot_ppermute(in[0], "i", COT_LIST(0, 1, 1, 2));)
BODY(swapped, out[0] = cot_ppermute(in[0], "i", COT_LIST(2, 0, 0, 2));)
BODY(numbered, out[0] = cot_mul(in[0], cot_axis_index(t, "i"));
     out[1] = cot_mul(in[0], (double)cot_axis_size(t, "i"));)

START_TEST(stacks_and_moves)
{
    over = overs[_i];
    GIVES(cot_vmap(fn("gathered", gathered, 2, 1), .axis = "i", .over = over,
                   .out_dims = COT_ALL(COT_NONE)),
          COT_TYPES(cot_f64(3), cot_f64(3)), IN(F64(1, 2, 3), F64(4, 5, 6)), 32);
    GIVES(cot_vmap(fn("columns", columns, 1, 1), .axis = "i", .over = over,
                   .out_dims = COT_ALL(COT_NONE)),
          COT_TYPES(cot_f64(2, 3)), IN(F64(1, 2, 3, 4, 5, 6)), 1, 4, 2, 5, 3, 6);
    GIVES(cot_vmap(fn("scattered", scattered, 1, 1), .axis = "i", .over = over),
          COT_TYPES(cot_f64(2, 2)), IN(F64(1, 2, 3, 4)), 4, 6);
    GIVES(cot_vmap(fn("ring", ring, 1, 1), .axis = "i", .over = over), COT_TYPES(cot_f64(3)),
          IN(F64(1, 2, 3)), 3, 1, 2);
    GIVES(cot_vmap(fn("halo", halo, 1, 1), .axis = "i", .over = over), COT_TYPES(cot_f64(3)),
          IN(F64(1, 2, 3)), 0, 1, 2);
    GIVES(cot_vmap(fn("swapped", swapped, 1, 1), .axis = "i", .over = over),
          COT_TYPES(cot_f64(3)), IN(F64(1, 2, 3)), 3, 0, 1);
    GIVES(cot_vmap(fn("numbered", numbered, 1, 2), .axis = "i", .over = over),
          COT_TYPES(cot_f64(3)), IN(F64(5, 6, 7)), 0, 6, 14, 15, 18, 21);
}
END_TEST

/* One function, maps of two sizes: each sees its own. */
START_TEST(sizes_are_not_mixed_up)
{
    cot_fn *f = fn("numbered", numbered, 1, 2);
    GIVES(cot_vmap(f, .axis = "i"), COT_TYPES(cot_f64(1)), IN(F64(5)), 0, 5);
    GIVES(cot_vmap(f, .axis = "i"), COT_TYPES(cot_f64(2)), IN(F64(5, 1)), 0, 1, 10, 2);
}
END_TEST

/* Each example's loss uses all x; `outer` sums the losses. */
BODY(coupled, cot_value s = cot_psum(cot_sin(in[0]), "i");
     cot_value m = cot_pmax(cot_square(in[0]), "i");
     cot_value g = cot_all_gather(cot_exp(in[0]), "i");
     cot_value p = cot_ppermute(in[0], "i", COT_LIST(0, 1, 1, 3, 3, 2));
     cot_value w = cot_mul(in[0],
                           cot_add(cot_mul(s, m), cot_mul(p, cot_reduce_sum(cot_mul(g, g)))));
     out[0] = cot_add(w, cot_mul(in[0], cot_psum_scatter(cot_mul(g, in[0]), "i")));)

static void
total(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_reduce_sum(cot_call(cot_vmap(user, .axis = "i", .over = over), in[0]));
}

/* The gradient of the map is the map of the gradient: forward, reverse, and again. */
START_TEST(gradients_commute)
{
    over = overs[_i];
    cot_fn *f = fn("coupled", coupled, 1, 1), *sum = cot_fn_new(ctx, "total", total, 1, 1, f);
    const cot_types one = COT_TYPES(cot_f64(4)), two = COT_TYPES(cot_f64(4), cot_f64(4));
    double want[ROOM], got[ROOM], up[4], down[4];

    ck_assert_int_eq(results(cot_grad(sum), one, IN(line), want), 4);
    ck_assert_int_eq(
        results(cot_vmap(cot_grad(f), .axis = "i", .over = over), one, IN(line), got), 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_msg(fabs(got[i] - want[i]) < 1e-12 * (1 + fabs(want[i])), "%d: %g, %g", i,
                      got[i], want[i]);
        memcpy(up, line, sizeof up);
        memcpy(down, line, sizeof down);
        up[i] += 1e-6, down[i] -= 1e-6;
        double a[ROOM], b[ROOM];
        results(sum, one, IN(up), a);
        results(sum, one, IN(down), b);
        ck_assert_msg(fabs((a[0] - b[0]) / 2e-6 - want[i]) < 1e-6 * (1 + fabs(want[i])),
                      "%d: %g, %g", i, (a[0] - b[0]) / 2e-6, want[i]);
    }
    const double dx[4] = { 1, -0.5, 0.25, 2 };
    ck_assert_int_eq(
        results(cot_jvp(cot_vmap(f, .axis = "i", .over = over)), two, IN(line, dx), want), 8);
    ck_assert_int_eq(
        results(cot_vmap(cot_jvp(f), .axis = "i", .over = over), two, IN(line, dx), got), 8);
    for (int i = 0; i < 8; i++)
        ck_assert(fabs(got[i] - want[i]) < 1e-12 * (1 + fabs(want[i])));
    ck_assert_int_eq(results(cot_jvp(cot_grad(sum)), two, IN(line, dx), want), 8);
    ck_assert_int_eq(results(cot_vmap(cot_jvp(cot_grad(f)), .axis = "i", .over = over), two,
                             IN(line, dx), got),
                     8);
    for (int i = 0; i < 8; i++)
        ck_assert(fabs(got[i] - want[i]) < 1e-11 * (1 + fabs(want[i])));
    ck_assert_int_eq(results(cot_hessian(sum), one, IN(line), got), 16);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            ck_assert(fabs(got[4 * i + k] - got[4 * k + i]) <
                      1e-10 * (1 + fabs(got[4 * i + k])));
}
END_TEST

/* psum transposes to psum: 1 of each of 4 results. */
BODY(square_sum, out[0] = cot_psum(cot_square(in[0]), "i");)

START_TEST(psum_is_its_own_transpose)
{
    over = overs[_i];
    GIVES(cot_vmap(cot_grad(fn("square_sum", square_sum, 1, 1)), .axis = "i", .over = over),
          COT_TYPES(cot_f64(4)), IN(F64(1, 2, 3, 4)), 8, 16, 24, 32);
}
END_TEST

BODY(both_axes, out[0] = cot_psum(cot_psum(in[0], "j"), "i"); out[1] = cot_psum(in[0], "i");
     out[2] = cot_psum(in[0], "j");
     out[3] = cot_add(cot_mul(cot_axis_index(t, "i"), 10), cot_axis_index(t, "j"));)
BODY(inner, out[0] = cot_psum(in[0], "i");)

START_TEST(axes_nest_and_shadow)
{
    cot_fn *f = cot_vmap(cot_vmap(fn("both_axes", both_axes, 1, 4), .axis = "j"), .axis = "i");
    GIVES(f, COT_TYPES(cot_f64(2, 3)), IN(F64(1, 2, 3, 4, 5, 6)), 21, 21, 21, 21, 21, 21, 5, 7,
          9, 5, 7, 9, 6, 6, 6, 15, 15, 15, 0, 1, 2, 10, 11, 12);
    GIVES(cot_vmap(cot_vmap(fn("inner", inner, 1, 1), .axis = "i"), .axis = "i"),
          COT_TYPES(cot_f64(2, 2)), IN(F64(1, 2, 3, 4)), 3, 3, 7, 7);
}
END_TEST

/* Newton's square roots, all examples until the worst is good; a branch; a scan. */
BODY(not_all_done,
     out[0] = cot_gt(cot_pmax(cot_abs(cot_sub(cot_square(in[0]), in[1])), "i"), 1e-9);)
BODY(newton, out[0] = cot_mul(0.5, cot_add(in[0], cot_div(in[1], in[0]))); out[1] = in[1];
     out[2] = cot_add(in[2], 1.0);)
BODY(roots, cot_value y[3];
     cot_while(not_all_done, newton,
               .in = COT_VALUES(cot_add(cot_mul(in[0], 0.0), 1.0), in[0], cot_mul(in[0], 0.0)),
               .out = y);
     out[0] = y[0]; out[1] = y[2];)
BODY(above, out[0] = cot_psum(in[0], "i");)
BODY(below, out[0] = cot_neg(in[0]);)
BODY(branch, out[0] = cot_cond(cot_gt(in[0], 1.5), above, below, .in = COT_VALUES(in[0]));)
BODY(leak, out[0] = cot_add(in[0], cot_mul(0.5, cot_sub(cot_pmean(in[0], "i"), in[0])));)
BODY(mixed, out[0] = cot_scan(leak, .in = COT_VALUES(in[0]), .length = 2);)

START_TEST(inside_control_flow)
{
    double got[ROOM];
    ck_assert_int_eq(results(cot_vmap(fn("roots", roots, 1, 2), .axis = "i"),
                             COT_TYPES(cot_f64(3)), IN(F64(1, 4, 100)), got),
                     6);
    ck_assert(fabs(got[0] - 1) < 1e-9 && fabs(got[1] - 2) < 1e-9 && fabs(got[2] - 10) < 1e-9);
    ck_assert(got[3] == got[4] && got[4] == got[5]);
    GIVES(cot_vmap(fn("branch", branch, 1, 1), .axis = "i"), COT_TYPES(cot_f64(3)),
          IN(F64(1, 2, 3)), -1, 6, 6);
    GIVES(cot_vmap(fn("mixed", mixed, 1, 1), .axis = "i"), COT_TYPES(cot_f64(2)), IN(F64(0, 8)),
          3, 5);
    GIVES(cot_vmap(cot_grad(fn("mixed", mixed, 1, 1)), .axis = "i"), COT_TYPES(cot_f64(2)),
          IN(F64(0, 8)), 1, 1);
}
END_TEST

static void
fails(cot_fn *f, cot_type type, const char *want)
{
    traced_fails(f, COT_TYPES(type), COT_ERR_ARG, want);
}

static void
at_line(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_psum_((cot_place){ "m.c", 7 }, in[0], "i");
}

static void
in_custom(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    cot_custom_call(user, COT_LIST(0), COT_VALUES(in[0]), out);
}

static void
sum_inside(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t, (void)info;
    out[0] = cot_psum_((cot_place){ "m.c", 9 }, in[0], "i");
}

START_TEST(errors_name_the_line)
{
#define UNBOUND "psum: no vmap around names its axis \"i\"; wants one with .axis = \"i\""
    cot_fn *f = fn("at_line", at_line, 1, 1);

    fails(f, cot_f64(), "m.c:7: " UNBOUND);
    fails(cot_grad(f), cot_f64(), "m.c:7, in grad: " UNBOUND);
    fails(cot_vmap(f, .axis = "j"), cot_f64(3), "m.c:7, in vmap: " UNBOUND);
    fails(cot_vmap(f), cot_f64(3), "m.c:7, in vmap: " UNBOUND);
    fails(
        cot_vmap(fn("at_line", at_line, 1, 1), .axis = "i", .chunk = 2), cot_f64(5),
        "m.c:7: psum: needs all 5 examples of axis \"i\" at once; chunk is 2; wants no chunk");
}
END_TEST

/* An axis is spread over all processes that there are, and has no chunks. */
START_TEST(spread_over_the_world)
{
    cot_fn *f = fn("centre", centre, 1, 1);

    fails(cot_vmap_((cot_place){ "m.c", 5 }, f,
                    &(const cot_vmap_options){ .axis = "i", .over = "moon" },
                    sizeof(cot_vmap_options)),
          cot_f64(3), "m.c:5: vmap(centre): over is `moon`; wants world");
    fails(cot_vmap_((cot_place){ "m.c", 6 }, f,
                    &(const cot_vmap_options){ .axis = "i", .over = "world", .chunk = 1 },
                    sizeof(cot_vmap_options)),
          cot_f64(3), "m.c:6: vmap(centre): has chunk and over; wants one of them");
}
END_TEST

/* A chunk that holds all examples is no obstacle; nor is one on a map whose axis nobody
 * uses. */
START_TEST(a_chunk_that_holds_all)
{
    GIVES(cot_vmap(fn("centre", centre, 1, 1), .axis = "i", .chunk = 4), COT_TYPES(cot_f64(4)),
          IN(F64(1, 2, 3, 6)), -2, -1, 0, 3);
    GIVES(cot_vmap(cot_vmap(fn("centre", centre, 1, 1), .axis = "i"), .axis = "j", .chunk = 1),
          COT_TYPES(cot_f64(2, 2)), IN(F64(1, 3, 5, 9)), -1, 1, -2, 2);
}
END_TEST

START_TEST(a_custom_function_sees_no_axis)
{
    const cot_custom *c =
        cot_custom_new(ctx, "inside", .forward = sum_inside, .generate_vmap = 1);
    fails(cot_vmap(cot_fn_new(ctx, "in_custom", in_custom, 1, 1, (void *)c), .axis = "i"),
          cot_f64(3), "m.c:9, in vmap: " UNBOUND);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "sums", sums_and_extrema, 2 },
        { "moves", stacks_and_moves, 2 },
        { "sizes", sizes_are_not_mixed_up, 1 },
        { "gradients", gradients_commute, 2 },
        { "transpose", psum_is_its_own_transpose, 2 },
        { "axes", axes_nest_and_shadow, 1 },
        { "flow", inside_control_flow, 1 },
        { "errors", errors_name_the_line, 1 },
        { "world", spread_over_the_world, 1 },
        { "chunk", a_chunk_that_holds_all, 1 },
        { "custom", a_custom_function_sees_no_axis, 1 },
    };

    return SUITE("collective", cases);
}
