/* Rows of the feature list about in-place writes, views and functionalize.
 *
 * Each row is a function of this file that runs bodies by the kernel and by the reference
 * evaluator, or compares a whole message; `ctest -R B59` runs one. */
#include "tests/unit/mutated.h"

#include <stdio.h>

/* ---- bodies ---- */

BODY(plus_in_place, cot_add_assign_(AT(3), in[0], VALUE(in[1]));
     out[0] = cot_reduce_sum(in[0], .axes = COT_LIST(0));)
BODY(copies, cot_assign_(AT(5), in[0], VALUE(in[1])); out[0] = in[0];)
BODY(diag_embed, {
    cot_value y = cot_zeros(t, cot_f64(3, 3));
    cot_assign(cot_view_diagonal(y, 0), in[0]);
    out[0] = y;
})
BODY(diag_embed_new, {
    cot_value y = cot_clone(cot_mul(cot_broadcast_to(in[0], 3, 3), 0));
    cot_assign(cot_view_diagonal(y, 0), in[0]);
    out[0] = y;
})
BODY(viewed, {
    cot_value y = cot_clone(in[0]), v = cot_view_reshape(y, -1);
    cot_add_assign(v, 1);
    out[0] = cot_mul(y, in[0]);
})
BODY(view_then_sum, {
    cot_value y = cot_clone(in[0]), y0 = cot_view_at(y, 0, 0);
    cot_assign(y0, cot_mul(y0, y0));
    out[0] = cot_reduce_sum(y, .axes = COT_LIST(0, 1));
})
BODY(base_then_view, {
    cot_value y = cot_clone(in[0]), y0 = cot_view_at(y, 0, 0);
    cot_assign(y, cot_mul(y, y));
    out[0] = y0;
})
/* transpose, slice, diagonal, write, slice again */
BODY(chain, {
    cot_value y = cot_clone(in[0]), tr = cot_view_transpose(y);
    cot_value part = cot_view_slice(tr, .start = COT_LIST(1, 0), .limit = COT_LIST(3, 2));
    cot_value d = cot_view_diagonal(part, 0);
    cot_mul_assign(d, 10);
    cot_value last = cot_view_slice(d, .start = COT_LIST(1));
    cot_add_assign(last, 1);
    cot_add_assign(cot_view_slice(y, .stride = COT_LIST(1, 2)), 100);
    out[0] = y;
})
BODY(chain_sum, {
    cot_value y;
    chain(t, in, &y, user);
    out[0] = cot_reduce_sum(cot_mul(y, y), .axes = COT_LIST(0, 1));
})
BODY(two_handles, {
    cot_value a = cot_zeros(t, cot_f64(2)), b = cot_zeros(t, cot_f64(2));
    cot_assign(a, in[0]);
    out[0] = cot_add(a, cot_mul(b, 100));
})
BODY(pure, out[0] = cot_mul(cot_reshape(in[0], 4), 2.0);)
BODY(expanded, {
    cot_value v = cot_view_broadcast(cot_clone(in[0]), 3, 2);
    cot_assign_(AT(9), v, cot_operand_int(1));
    out[0] = v;
})
BODY(branch_write, cot_add_assign(in[0], 1); out[0] = in[0];)
BODY(scan_step, {
    cot_value y = cot_clone(in[0]);
    cot_add_assign(cot_view_at(y, 1, 0), in[1]);
    out[0] = y;
})
BODY(scanned, {
    cot_value y[1];
    cot_scan(scan_step, .in = COT_VALUES(in[0]), .xs = COT_VALUES(in[1]), .out = y);
    out[0] = y[0];
})
BODY(calls_inout, {
    cot_value mine = cot_mul(in[0], 2.0), s = cot_call((cot_fn *)user, mine, in[1]);
    out[0] = cot_add(mine, s);
})

/* A body that holds a function, and one that writes to what it does not own. */
typedef struct captor {
    cot_value outer;
} captor;
BODY(writes_outer, {
    cot_add_assign_(AT(21), ((captor *)user)->outer, VALUE(in[0]));
    out[0] = cot_reduce_sum(in[0], .axes = COT_LIST(0));
})
typedef enum how { BY_GRAD, BY_JVP, BY_VMAP } how;
typedef struct outer_write {
    cot_context *ctx;
    how by;
} outer_write;
static void
holds_writer(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const outer_write *w = user;
    captor c = { cot_clone(in[0]) };
    cot_fn *f = cot_fn_new(w->ctx, "g", writes_outer, 1, 1, &c);

    (void)t;
    switch (w->by) {
    case BY_GRAD: out[0] = cot_call(cot_grad(f), in[0]); break;
    case BY_JVP: {
        cot_value y[2];
        cot_call_all(cot_jvp(f), COT_VALUES(in[0], in[0]), y, 2);
        out[0] = y[0];
        break;
    }
    default: out[0] = cot_call(cot_vmap(f), cot_reshape(in[0], 1, 2));
    }
}

/* ---- rows ---- */

START_TEST(a66)
{
    const data x = filled(cot_f64(2, 2), 1, 1);

    both(new_fn(ctx, viewed, 1), 1, &x, (double[]){ 2, 6, 12, 20 });
    const data v = filled(cot_f64(2), 1, 1);
    both(new_fn(ctx, two_handles, 1), 1, &v, (double[]){ 1, 2 });
}
END_TEST

START_TEST(a74)
{
    cot_fn *f = cot_vmap(new_fn(ctx, plus_in_place, 2), .in_dims = COT_LIST(COT_NONE, 0));
    const data v = filled(cot_f64(2, 3), 1, 1);

    traced_fails(
        f, COT_TYPES(cot_f64(1), cot_f64(3, 1)), COT_ERR_SHAPE,
        "m.c:3: assign: argument 0 is f64[1] and not mapped, what is written to it is mapped: "
        "f64[1] for each example, f64[3,1] for all; wants the argument mapped too, or a value "
        "made inside");
    both(cot_vmap(new_fn(ctx, diag_embed, 1)), 1, &v,
         (double[]){ 1, 0, 0, 0, 2, 0, 0, 0, 3, 4, 0, 0, 0, 5, 0, 0, 0, 6 });
}
END_TEST

START_TEST(a75)
{
    data x[2] = { filled(cot_f64(3, 1), 10, 10), filled(cot_f64(3, 1), 1, 1) };

    gives(cot_vmap(new_fn(ctx, plus_in_place, 2)), 2, x, (double[]){ 11, 22, 33 },
          (double[]){ 11, 22, 33 });
}
END_TEST

START_TEST(a76)
{
    traced_fails(
        new_fn(ctx, copies, 2), COT_TYPES(cot_f64(1), cot_f64(3)), COT_ERR_SHAPE,
        "m.c:5: assign: the destination is f64[1], what is written is f64[3]; wants a shape "
        "that broadcasts to the destination's");
    traced_fails(new_fn(ctx, copies, 2), COT_TYPES(cot_i32(3), cot_f64(3)), COT_ERR_DTYPE,
                 "m.c:5: assign: operand of f64 does not fit i32; wants a conversion");
}
END_TEST

static const double diagonals[] = { 0, 0, 0, 0, 1, 0, 0, 0, 2, 3, 0, 0, 0, 4, 0, 0, 0, 5 };

START_TEST(a77)
{
    const data v = filled(cot_f64(2, 3), 0, 1);

    both(cot_vmap(new_fn(ctx, diag_embed, 1)), 1, &v, diagonals);
}
END_TEST

START_TEST(a78)
{
    const data v = filled(cot_f64(2, 3), 0, 1);

    both(cot_vmap(new_fn(ctx, diag_embed, 1)), 1, &v, diagonals);
    both(cot_vmap(new_fn(ctx, diag_embed_new, 1)), 1, &v, diagonals);
}
END_TEST

/* That an array does not compile where a value is wanted is tests/api/headers.sh's. */
START_TEST(a79)
{
    data x[2] = { filled(cot_f64(2), 0, 0), filled(cot_f64(2), 3, 1) };

    gives(new_fn(ctx, copies, 2), 2, x, (double[]){ 3, 4 }, (double[]){ 3, 4 });
    traced_fails(
        cot_vmap(new_fn(ctx, copies, 2), .in_dims = COT_LIST(COT_NONE, 0)),
        COT_TYPES(cot_f64(2), cot_f64(5, 2)), COT_ERR_SHAPE,
        "m.c:5: assign: argument 0 is f64[2] and not mapped, what is written to it is mapped: "
        "f64[2] for each example, f64[5,2] for all; wants the argument mapped too, or a value "
        "made inside");
}
END_TEST

START_TEST(a101)
{
    cot_fn *f = new_fn(ctx, viewed, 1);
    const data x = filled(cot_f64(2, 2), 1, 1);
    const char *text = printed(cot_functionalize(f), COT_TYPES(cot_f64(2, 2)));

    ck_assert_ptr_null(strstr(text, "assign"));
    ck_assert_ptr_null(strstr(text, "clone"));
    both(cot_functionalize(f), 1, &x, (double[]){ 2, 6, 12, 20 });
}
END_TEST

START_TEST(b57)
{
    cot_fn *f = new_fn(ctx, view_then_sum, 1);
    const data x = filled(cot_f64(2, 2), 1, 1);

    both(f, 1, &x, (double[]){ 1 + 4 + 3 + 4 });
    both(cot_grad(f), 1, &x, (double[]){ 2, 4, 1, 1 });
}
END_TEST

START_TEST(b58)
{
    const data x = filled(cot_f64(2, 2), 1, 1);

    both(new_fn(ctx, base_then_view, 1), 1, &x, (double[]){ 1, 4 });
}
END_TEST

/* x[i][j]; part is x.T[1:3, 0:2], its diagonal x[0][1], x[1][2]. */
START_TEST(b59)
{
    const data x = filled(cot_f64(2, 3), 1, 1), xs = filled(cot_f64(2, 2, 3), 1, 1);
    cot_fn *f = new_fn(ctx, chain, 1), *s = new_fn(ctx, chain_sum, 1);

    both(f, 1, &x, (double[]){ 101, 20, 103, 104, 5, 161 });
    both(s, 1, &x,
         (double[]){ 101 * 101 + 20 * 20 + 103 * 103 + 104 * 104 + 5 * 5 + 161 * 161 });
    both(cot_vmap(cot_grad(s)), 1, &xs,
         (double[]){ 202, 400, 206, 208, 10, 3220, 214, 1600, 218, 220, 22, 4420 });
    const data vj[2] = { xs, filled(cot_f64(2, 2, 3), 1, 0) };
    cot_fn *pull = cot_vmap(cot_vjp(f));
    both(pull, 2, vj,
         (double[]){ 101, 20, 103, 104, 5, 161, 107, 80, 109, 110, 11, 221 });
}
END_TEST

START_TEST(b60)
{
    static const how each[] = { BY_GRAD, BY_JVP, BY_VMAP };
    static const char *const name[] = { "grad", "jvp", "vmap" };

    for (int i = 0; i < 3; i++) {
        outer_write w = { ctx, each[i] };
        char want[256];
        snprintf(want, sizeof want,
                 "m.c:21, in %s, in f: add_assign: the destination, f64[2], was captured from "
                 "outside of this function; wants it as an argument, or a value made inside",
                 name[i]);
        traced_fails(cot_fn_new(ctx, "f", holds_writer, 1, 1, &w), COT_TYPES(cot_f64(2)),
                     COT_ERR_TRACE, want);
    }
}
END_TEST

START_TEST(b61)
{
    data x[2] = { filled(cot_f64(1, 3), 10, 10), filled(cot_f64(3, 1), 1, 1) };
    gives(cot_vmap(new_fn(ctx, plus_in_place, 2), .in_dims = COT_LIST(1, 0)), 2, x,
          (double[]){ 11, 22, 33 }, (double[]){ 11, 22, 33 });
    /* axes of results are those of the function's own, by number or by name */
    cot_fn *named = cot_fn_named(new_fn(ctx, plus_in_place, 2), "x, y", "sum");
    gives(cot_vmap(named, .in_dims = COT_NAMES("x:1, y:0"), .out_dims = COT_NAMES("sum:0")), 2,
          x, (double[]){ 11, 22, 33 }, (double[]){ 11, 22, 33 });
    const cot_vmap_options two = { .out_dims = COT_LIST(0, 0) };
    traced_fails(
        cot_vmap_(AT(6), named, &two, sizeof two), COT_TYPES(cot_f64(3, 1), cot_f64(3, 1)),
        COT_ERR_ARG,
        "m.c:6: vmap(f): out is [0,0] for the results (sum: f64[]); wants one entry for each");
    /* a caller's own values: the call writes them */
    data y[2] = { filled(cot_f64(2), 1, 1), filled(cot_f64(2), 10, 10) };
    both(cot_fn_new(ctx, "g", calls_inout, 2, 1, new_fn(ctx, plus_in_place, 2)), 2, y,
         (double[]){ 12 + 36, 24 + 36 });
}
END_TEST

/* Destination and source mapped by the inner, the outer vmap, both: a destination that lacks a
 * level of its source is refused. */
START_TEST(b62)
{
    cot_fn *f = new_fn(ctx, copies, 2), *inner = cot_vmap(f, .in_dims = COT_LIST(COT_NONE, 0));
    data x[2] = { filled(cot_f64(2, 2, 1), 0, 0), filled(cot_f64(2, 2, 1), 1, 1) };
    data y[2] = { filled(cot_f64(2, 1), 0, 0), filled(cot_f64(2, 1), 1, 1) };

    gives(cot_vmap(cot_vmap(f)), 2, x, (double[]){ 1, 2, 3, 4 }, (double[]){ 1, 2, 3, 4 });
    gives(cot_vmap(cot_vmap(f, .in_dims = COT_LIST(0, COT_NONE)),
                   .in_dims = COT_LIST(COT_NONE, COT_NONE),
                   .size = 1, .out_dims = COT_LIST(COT_NONE)),
          2, (data[]){ y[0], filled(cot_f64(1), 7, 0) }, (double[]){ 7, 7 },
          (double[]){ 7, 7 });
    traced_fails(cot_vmap(inner), COT_TYPES(cot_f64(2, 1), cot_f64(2, 2, 1)), COT_ERR_SHAPE,
                 "m.c:5, in vmap: assign: argument 0 is f64[1] and not mapped, what is "
                 "written to it is mapped: "
                 "f64[1] for each example, f64[2,1] for all; wants the argument mapped too, "
                 "or a value "
                 "made inside");
    traced_fails(cot_vmap(cot_vmap(f), .in_dims = COT_LIST(COT_NONE, 0)),
                 COT_TYPES(cot_f64(2, 1), cot_f64(2, 2, 1)), COT_ERR_SHAPE,
                 "m.c:5: assign: argument 0 is f64[2,1] and not mapped, what is written to it "
                 "is mapped: "
                 "f64[2,1] for each example, f64[2,2,1] for all; wants the argument mapped "
                 "too, or a "
                 "value made inside");
}
END_TEST

/* Base and view with tangents, the base alone, the view alone. */
BODY(dual_views, {
    cot_value y = cot_clone(in[0]);
    cot_assign(cot_view_at(y, 0, 0), in[1]);
    out[0] = cot_mul(y, y);
})
START_TEST(b63)
{
    cot_fn *f = new_fn(ctx, dual_views, 2);
    const data x = filled(cot_f64(2, 2), 1, 1), y = filled(cot_f64(2), 5, 1),
               dx = filled(cot_f64(2, 2), 1, 0), dy = filled(cot_f64(2), 1, 0);
    static const int wrt[3][2] = { { 0, 1 }, { 0, -1 }, { 1, -1 } };
    static const double want[3][4] = { { 10, 12, 6, 8 }, { 0, 0, 6, 8 }, { 10, 12, 0, 0 } };

    for (int i = 0; i < 3; i++) {
        cot_fn *d = i == 0   ? cot_jvp(f)
                    : i == 1 ? cot_jvp(f, .wrt = COT_LIST(0))
                             : cot_jvp(f, .wrt = COT_LIST(1));
        const data in[4] = { x, y, wrt[i][0] == 0 ? dx : dy, dy };
        cot_array *arg[4], *out[2] = { NULL };
        const int n = i == 0 ? 4 : 3;

        for (int k = 0; k < n; k++)
            arg[k] = array_of(ctx, &in[k]);
        ck_assert_int_eq(cot_jit(d, out, 2, (const cot_array *const *)arg, n), COT_OK);
        same("primal", out[0], (double[]){ 25, 36, 9, 16 });
        same("tangent", out[1], want[i]);
        for (int k = 0; k < n; k++)
            cot_array_free(arg[k]);
        cot_array_free(out[0]);
        cot_array_free(out[1]);
    }
}
END_TEST

/* as_strided does not exist; what overlaps can be read, and not written. */
#define REPEATS                                                                                \
    ": assign: the destination is an expanded view, in which elements repeat; wants a clone "  \
    "of it"

START_TEST(b64)
{
    traced_fails(new_fn(ctx, expanded, 1), COT_TYPES(cot_f64(2)), COT_ERR_ARG, "m.c:9" REPEATS);
    traced_fails(cot_vmap(new_fn(ctx, expanded, 1)), COT_TYPES(cot_f64(4, 2)), COT_ERR_ARG,
                 "m.c:9, in vmap" REPEATS);
}
END_TEST

START_TEST(b65)
{
    cot_fn *f = new_fn(ctx, viewed, 1);
    const cot_types types = COT_TYPES(cot_f64(2, 2));

    ck_assert_str_eq(printed(cot_functionalize(f), types),
                     "fn @f(%arg0: f64[2,2]) -> f64[2,2] {\n"
                     "  %0 = constant {data=1}              : f64[4]\n"
                     "  %1 = view_reshape %arg0 {shape=[4]} : f64[4]\n"
                     "  %2 = add %1, %0                     : f64[4]\n"
                     "  %3 = reshape %2 {shape=[2,2]}       : f64[2,2]\n"
                     "  %4 = mul %3, %arg0                  : f64[2,2]\n"
                     "  ret %4\n}\n");
    ck_assert_str_eq(
        printed(cot_functionalize(f, .remove = COT_REMOVE_MUTATIONS_AND_VIEWS), types),
        "fn @f(%arg0: f64[2,2]) -> f64[2,2] {\n"
        "  %0 = constant {data=1}         : f64[4]\n"
        "  %1 = reshape %arg0 {shape=[4]} : f64[4]\n"
        "  %2 = add %1, %0                : f64[4]\n"
        "  %3 = reshape %2 {shape=[2,2]}  : f64[2,2]\n"
        "  %4 = mul %3, %arg0             : f64[2,2]\n"
        "  ret %4\n}\n");
}
END_TEST

START_TEST(b66)
{
    const cot_functionalize_options o = { .remove = (cot_remove)7 };

    traced_fails(cot_functionalize_(AT(4), new_fn(ctx, viewed, 1), &o, sizeof o),
                 COT_TYPES(cot_f64(2, 2)), COT_ERR_ARG,
                 "m.c:4: functionalize: remove is 7; wants COT_REMOVE_MUTATIONS or "
                 "COT_REMOVE_MUTATIONS_AND_VIEWS");
}
END_TEST

START_TEST(b67)
{
    ck_assert_str_eq(printed(cot_functionalize(new_fn(ctx, plus_in_place, 2)),
                             COT_TYPES(cot_f64(3), cot_f64(3))),
                     "fn @f(%arg0: inout f64[3], %arg1: f64[3]) -> (f64[], f64[3]) {\n"
                     "  %0 = add %arg0, %arg1         : f64[3]\n"
                     "  %1 = reduce_sum %0 {axes=[0]} : f64[]\n"
                     "  ret %1, %0\n}\n");
}
END_TEST

/* Overlapping memory: refused, whoever is written. */
START_TEST(b68)
{
    double memory[6] = { 1, 2, 3, 4, 5, 6 };
    cot_array *x = cot_array_borrow(ctx, cot_f64(3), memory),
              *y = cot_array_borrow(ctx, cot_f64(3), memory + 1), *out[1] = { NULL };

    ck_assert_int_eq(cot_jit(new_fn(ctx, plus_in_place, 2), out, 1,
                             (const cot_array *const[]){ x, y }, 2),
                     COT_ERR_ARG);
    ck_assert_str_eq(
        cot_error(ctx),
        "main.c:7: f: an in/out argument overlaps another argument; wants memory of "
        "its own");
    ck_assert(memory[0] == 1 && memory[3] == 4);
    cot_error_clear(ctx);
    cot_array_free(out[0]);
    cot_array_free(x);
    cot_array_free(y);
}
END_TEST

/* A result that is the written argument is memory of its own. */
START_TEST(b69)
{
    double memory[4] = { 1, 2, 3, 4 };
    cot_array *x = cot_array_borrow(ctx, cot_f64(2), memory),
              *y = cot_array_borrow(ctx, cot_f64(2), memory + 2), *out[1] = { x };

    ck_assert_int_eq(cot_jit(new_fn(ctx, copies, 2), out, 1, (const cot_array *const[]){ x, y },
                             2),
                     COT_ERR_ARG);
    ck_assert_str_eq(
        cot_error(ctx),
        "main.c:7: f: a result overlaps an argument or another result; wants memory of "
        "its own");
    cot_error_clear(ctx);
    out[0] = NULL;
    ck_assert_int_eq(
        cot_jit(new_fn(ctx, copies, 2), out, 1, (const cot_array *const[]){ x, y }, 2), COT_OK);
    ck_assert(memory[0] == 3 && memory[1] == 4);
    memory[0] = 9;
    same("result", out[0], (double[]){ 3, 4 });
    cot_array_free(out[0]);
    cot_array_free(x);
    cot_array_free(y);
}
END_TEST

/* Shapes are static: a view of another number of elements is the only way to ask for a
 * resize. */
START_TEST(b70)
{
    traced_fails(
        new_fn(ctx, copies, 2), COT_TYPES(cot_f64(2), cot_f64(2, 2)), COT_ERR_SHAPE,
        "m.c:5: assign: the destination is f64[2], what is written is f64[2,2]; wants a shape "
        "that broadcasts to the destination's");
}
END_TEST

static const char *
simplified(cot_fn *f, cot_types types)
{
    const cot_graph *g;
    ir_graph *s;

    ck_assert_msg(cot_trace_fn(f, types, &g) == COT_OK, "%s", cot_error(cot_fn_context(f)));
    ck_assert_int_eq(pass_prepare(g, &s), COT_OK);
    s->name = "f";
    return text_of(s);
}

START_TEST(b71)
{
    const cot_types one = COT_TYPES(cot_f64(2, 3)), many = COT_TYPES(cot_f64(2, 2, 3)),
                    two = COT_TYPES(cot_f64(2, 3), cot_f64(2, 3));
    cot_fn *f = new_fn(ctx, chain_sum, 1);

    ck_assert_str_eq(simplified(cot_vmap(cot_functionalize(f)), many),
                     simplified(cot_functionalize(cot_vmap(f)), many));
    ck_assert_str_eq(simplified(cot_grad(cot_functionalize(f)), one),
                     simplified(cot_functionalize(cot_grad(f)), one));
    ck_assert_str_eq(simplified(cot_jvp(cot_functionalize(f)), two),
                     simplified(cot_functionalize(cot_jvp(f)), two));
    ck_assert_str_eq(simplified(cot_hessian(cot_functionalize(f)), one),
                     simplified(cot_functionalize(cot_hessian(f)), one));
}
END_TEST

/* Bodies of control flow have writes of their own. */
BODY(cond_writes, {
    out[0] = cot_cond(cot_gt(cot_reduce_sum(in[0], .axes = COT_LIST(0)), 0), branch_write,
                      branch_write, .in = COT_VALUES(in[0]));
})
START_TEST(flow)
{
    const data x[2] = { filled(cot_f64(3), 1, 1), filled(cot_f64(4), 1, 1) },
               xs[2] = { filled(cot_f64(2, 3), 1, 1), filled(cot_f64(2, 4), 1, 1) };

    both(new_fn(ctx, scanned, 2), 2, x, (double[]){ 1, 12, 3 });
    both(cot_vmap(new_fn(ctx, scanned, 2)), 2, xs, (double[]){ 1, 12, 3, 4, 31, 6 });
    both(new_fn(ctx, cond_writes, 1), 1, x, (double[]){ 2, 3, 4 });
}
END_TEST

START_TEST(b73)
{
    traced_fails(cot_functionalize(new_fn(ctx, expanded, 1)), COT_TYPES(cot_f64(2)),
                 COT_ERR_ARG, "m.c:9, in functionalize" REPEATS);
}
END_TEST

START_TEST(b74)
{
    const cot_graph *g, *h;
    cot_fn *f = new_fn(ctx, pure, 1);
    const cot_types types = COT_TYPES(cot_f64(2, 2));

    ck_assert_int_eq(cot_trace_fn(f, types, &g), COT_OK);
    ck_assert_int_eq(cot_trace_fn(cot_functionalize(f), types, &h), COT_OK);
    ck_assert(ir_graph_equal(g, h));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "A66", a66, 1 },
        { "A74", a74, 1 },
        { "A75", a75, 1 },
        { "A76", a76, 1 },
        { "A77", a77, 1 },
        { "A78", a78, 1 },
        { "A79", a79, 1 },
        { "A101", a101, 1 },
        { "B57", b57, 1 },
        { "B58", b58, 1 },
        { "B59", b59, 1 },
        { "B60", b60, 1 },
        { "B61", a75, 1 },
        { "B61", b61, 1 },
        { "B62", b62, 1 },
        { "B63", b63, 1 },
        { "B64", b64, 1 },
        { "B65", b65, 1 },
        { "B66", b66, 1 },
        { "B67", b67, 1 },
        { "B68", b68, 1 },
        { "B69", b69, 1 },
        { "B70", b70, 1 },
        { "B71", b71, 1 },
        { "flow", flow, 1 },
        { "B73", b73, 1 },
        { "B74", b74, 1 },
    };

    return SUITE("mutate", cases);
}
