/* More rows about custom functions: foreign sort and take with their rules, and what bodies may
 * touch.
 * `ctest -R A33` runs one; values by the reference evaluator, messages whole. */
#define _GNU_SOURCE
#include "tests/unit/customs.h"

/* The message after the file and the line. */
static const char *
message(void)
{
    const char *here = strstr(cot_error(ctx), "check_custom_rows.c:"),
               *shared = strstr(cot_error(ctx), "customs.h:");
    const char *text = shared && (!here || shared < here) ? shared : here;
    return text ? text + strcspn(text, " ") + 1 : cot_error(ctx);
}

static void
fails(cot_fn *f, cot_types types, cot_status status, const char *want)
{
    const cot_graph *g;
    cot_status got = cot_trace_fn(f, types, &g);
    ck_assert_msg(got == status, "%d: %s", got, cot_error(ctx));
    ck_assert_str_eq(message(), want);
    cot_error_clear(ctx);
}

static int
occurrences(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

static int runs;

static int
triple_run(const cot_custom_info *info, const void *const *in, void *const *out)
{
    (void)info;
    runs++;
    for (int i = 0; i < 3; i++)
        ((double *)out[0])[i] = 3 * ((const double *)in[0])[i];
    return 0;
}

/* ---- vmap rules ---- */

static void
sort_0(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = numpy_sort_all(&np, in[0], 0, NULL);
}

static void
sort_1(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = numpy_sort_all(&np, in[0], 1, NULL);
}

static void
sort_last(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = numpy_sort(&np, in[0]);
}

static const double rows_sorted[] = { 1, 2, 3, -1, 0, 5 };

/* The rule is forward with one dimension more: as the loop. */
START_TEST(a31)
{
    traced_gives(cot_vmap(FN(sort_0)), M64, (const void *[]){ s }, cot_f64(2, 3), rows_sorted,
                 0);
    for (int i = 0; i < 2; i++)
        traced_gives(FN(sort_0), V64, (const void *[]){ s + 3 * i }, cot_f64(3),
                     rows_sorted + 3 * i, 0);
}
END_TEST

/* The function is called again, once, with another attribute: the axis moves up for each
 * map. */
START_TEST(a32)
{
    const char *text = strstr(
        printed(cot_vmap(cot_vmap(FN(sort_0))), COT_TYPES(cot_f64(2, 2, 3))), "fn @sort_0");
    ck_assert_ptr_nonnull(text);
    ck_assert_int_eq(occurrences(text, "custom_call"), 1);
    ck_assert_ptr_nonnull(strstr(text, "{name=\"numpy.sort\", attrs=[2], data=[4,3,1]"));
    traced_gives(cot_vmap(cot_vmap(FN(sort_last))), COT_TYPES(cot_f64(1, 2, 3)),
                 (const void *[]){ s }, cot_f64(1, 2, 3), rows_sorted, 0);
}
END_TEST

static void
take_last(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = numpy_take(&np, in[0], in[1], in[2], -1);
}

/* x, index and inverse, each shared by the examples or with one column for each. */
START_TEST(a33)
{
    enum { B = 2, N = 3 };
    static const double x[B][N] = { { 10, 20, 30 }, { 40, 50, 60 } };
    static const int64_t k[B][N] = { { 2, 0, 1 }, { 1, 2, 0 } };
    cot_fn *f = cot_fn_new(ctx, "take", take_last, 3, 1, NULL);
    for (int mask = 0; mask < 8; mask++) {
        double column[N][B], want[B][N];
        int64_t order[N][B], dims[3];
        for (int i = 0; i < N; i++)
            for (int e = 0; e < B; e++) {
                column[i][e] = x[e][i];
                order[i][e] = k[e][i];
                want[e][i] = x[mask & 1 ? e : 0][k[mask & 2 ? e : 0][i]];
            }
        for (int i = 0; i < 3; i++)
            dims[i] = mask >> i & 1 ? 1 : COT_NONE;
        cot_type type[] = { mask & 1 ? cot_f64(N, B) : cot_f64(N),
                            mask & 2 ? cot_i64(N, B) : cot_i64(N),
                            mask & 4 ? cot_i64(N, B) : cot_i64(N) };
        const void *in[] = { mask & 1 ? (const void *)column : x[0],
                             mask & 2 ? (const void *)order : k[0],
                             mask & 4 ? (const void *)order : k[0] };
        traced_gives(cot_vmap(f, .in_dims = { .n = 3, .at = dims }, .size = B),
                     (cot_types){ .n = 3, .at = type }, in, cot_f64(B, N), &want[0][0], 0);
    }
}
END_TEST

/* One result: out_dims has one entry. */
RULE(double_it, out[0] = cot_mul(in[0], 2);)
RULE(double_last, out[0] = cot_transpose(cot_mul(in[0], 2), .perm = COT_LIST(1, 0));
     info->out_dims[0] = 1;)
START_TEST(a34)
{
    const double want[] = { 6, 2, 4, -2, 10, 0 };
    const cot_custom *c =
        cot_custom_new(ctx, "double", .forward = double_it, .vmap = double_last);
    traced_gives(cot_vmap(fn_of(c)), M64, (const void *[]){ s }, cot_f64(2, 3), want, 0);
}
END_TEST

/* jacrev maps the backward only. */
RULE(triple_vjp, out[0] = cot_mul(in[0], 3);)
START_TEST(a35)
{
    const double want[] = { 3, 0, 0, 0, 3, 0, 0, 0, 3 };
    const cot_custom *c =
        cot_custom_new(ctx, "triple", .run = triple_run, .types = same_type, .vjp = triple_vjp);
    traced_gives(cot_jacrev(fn_of(c)), V64, (const void *[]){ xs }, cot_f64(3, 3), want, 0);
    fails(cot_vmap(fn_of(c)), M64, COT_ERR_RULE,
          "in vmap: vmap: triple has no vmap rule; wants .vmap, .generate_vmap (or .sequential "
          "for C code), or a "
          "vmap with .chunk = 1");
}
END_TEST

/* The derived rule of one function meets another that has none. */
static const cot_custom *inner;
RULE(calls_inner,
     out[0] = cot_add(cot_custom_call(inner, COT_LIST(), COT_VALUES(in[0]), NULL), 1);)
START_TEST(a38)
{
    inner = cot_custom_new(ctx, "triple", .run = triple_run, .types = same_type);
    const cot_custom *c =
        cot_custom_new(ctx, "outer", .forward = calls_inner, .generate_vmap = true);
    const double want[] = { 10, 4, 7 };
    traced_gives(fn_of(c), V64, (const void *[]){ s }, cot_f64(3), want, 0);
    fails(cot_vmap(fn_of(c)), M64, COT_ERR_RULE,
          "in vmap: vmap: triple, which outer calls, has no vmap rule; wants .vmap, "
          ".generate_vmap (or .sequential "
          "for C code), or a vmap with .chunk = 1");
}
END_TEST

START_TEST(a40)
{
    traced_gives(cot_vmap(FN(sort_0)), M64, (const void *[]){ s }, cot_f64(2, 3), rows_sorted,
                 0);
    traced_gives(FN(sort_1), M64, (const void *[]){ s }, cot_f64(2, 3), rows_sorted, 0);
    traced_gives(FN(sort_1), M64, (const void *[]){ rows_sorted }, cot_f64(2, 3), rows_sorted,
                 0);
}
END_TEST

START_TEST(a49)
{
    const cot_custom *c = cot_custom_new(ctx, "double", .forward = double_it);
    fails(cot_vmap(fn_of(c)), M64, COT_ERR_RULE,
          "in vmap: vmap: double has no vmap rule; wants .vmap, .generate_vmap (or .sequential "
          "for C code), or a "
          "vmap with .chunk = 1");
    c = cot_custom_new(ctx, "double2", .forward = double_it, .generate_vmap = true);
    traced_gives(cot_vmap(fn_of(c)), M64, (const void *[]){ s }, cot_f64(2, 3),
                 (const double[]){ 6, 2, 4, -2, 10, 0 }, 0);
}
END_TEST

/* ---- one description ---- */

/* Foreign code and a traced body: the same record, the same derivative. */
static void
total(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_reduce_sum(cot_mul(cot_call((cot_fn *)user, in[0]), in[0]));
}
RULE(triple_body, out[0] = cot_mul(in[0], 3);)
START_TEST(a41)
{
    const double want[] = { 6, -12, 3 };
    const cot_custom *c[] = {
        cot_custom_new(ctx, "traced", .forward = triple_body, .vjp = triple_vjp),
        cot_custom_new(ctx, "foreign", .run = triple_run, .types = same_type,
                       .vjp = triple_vjp),
    };
    for (int i = 0; i < 2; i++)
        traced_gives(cot_grad(cot_fn_new(ctx, "h", total, 1, 1, fn_of(c[i]))), V64,
                     (const void *[]){ xs }, cot_f64(3), want, 0);
}
END_TEST

/* Values and the attribute `dim`, kept for the backward along axis 0. */
static void
weigh_columns(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    static const double w[] = { 1, 2, 3, 10, 20, 30 };
    (void)user;
    out[0] = cot_reduce_sum(
        cot_mul(numpy_sort_all(&np, in[0], 0, NULL), cot_constant(t, cot_f64(2, 3), w)));
}
START_TEST(a43)
{
    const double want[] = { 10, 2, 30, 1, 20, 3 };
    traced_gives(cot_grad(FN(weigh_columns)), M64, (const void *[]){ s }, cot_f64(2, 3), want,
                 0);
}
END_TEST

/* Setup names inputs, results and host data from their types; nothing else. */
static void
wrong_setup(cot_setup *k, const cot_custom_info *info)
{
    (void)info;
    cot_save_out(k, 3);
}
START_TEST(a44)
{
    fails(fn_of(cot_custom_new(ctx, "double", .forward = double_it, .setup = wrong_setup)), S64,
          COT_ERR_ARG, "custom_call: double: setup names result 3; has 1");
}
END_TEST

/* What a handle of another trace does in setup: nothing. */
static cot_value handle;
static void
computing_setup(cot_setup *k, const cot_custom_info *info)
{
    (void)k, (void)info;
    handle = cot_mul(handle, 2);
}
static void
keep_handle(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    handle = in[0];
    apply(t, in, out, user);
}
START_TEST(a46)
{
    const cot_custom *c =
        cot_custom_new(ctx, "double", .forward = double_it, .setup = computing_setup);
    fails(cot_fn_new(ctx, "f", keep_handle, 1, 1, (void *)c), S64, COT_ERR_TRACE,
          "mul: operand 0 belongs to a trace around the body of double.setup; wants it passed "
          "as an argument");
}
END_TEST

/* One result, or a list of one: the same value; setup and forward see the same list. */
static void
both_ways(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    cot_value list[1],
        one = cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0]), list);
    out[0] = cot_sub(one, list[0]);
}
START_TEST(a47)
{
    const double x = 3, want = 0;
    const cot_custom *c =
        cot_custom_new(ctx, "double", .forward = double_it, .generate_vmap = true);
    traced_gives(cot_fn_new(ctx, "f", both_ways, 1, 1, (void *)c), S64, (const void *[]){ &x },
                 cot_f64(), &want, 0);
    ck_assert_int_eq(occurrences(printed(cot_fn_new(ctx, "f", both_ways, 1, 1, (void *)c), S64),
                                 "custom_call"),
                     1);
}
END_TEST

/* ---- rules ---- */

RULE(clip_vjp, out[0] = cot_clip(in[0], -1, 1);)
static void
squared(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    apply(t, in, out, user);
    out[0] = cot_mul(out[0], out[0]);
}
START_TEST(a51)
{
    const cot_custom *c = cot_custom_new(ctx, "clip", .forward = double_it,
                                         .generate_vmap = true, .vjp = clip_vjp);
    cot_fn *f = fn_of(c), *h = cot_fn_new(ctx, "h", squared, 1, 1, (void *)c);
    const cot_graph *g;
    char want[300];
    cot_fn *each[] = { cot_jacfwd(f), cot_hessian(h), cot_jvp(f), cot_linearize(f) };
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(
            cot_trace_fn(each[i], i < 2 ? S64 : COT_TYPES(cot_f64(), cot_f64()), &g),
            COT_ERR_RULE);
        const char *line = strstr(message(), "clamp at ");
        ck_assert_msg(line != NULL, "%s", cot_error(ctx));
        snprintf(want, sizeof want,
                 "custom_call: clip has no jvp rule, and its vjp rule is not linear in its "
                 "cotangent: %.*s is not; "
                 "wants .jvp",
                 (int)(strstr(line, " is not;") - line), line);
        ck_assert_str_eq(strstr(message(), "custom_call: "), want);
        cot_error_clear(ctx);
    }
    c = cot_custom_new(ctx, "none", .forward = double_it);
    fails(cot_jacrev(fn_of(c)), S64, COT_ERR_RULE,
          "in vjp: custom_call: none has neither a .vjp nor a .jvp rule; wants one to "
          "differentiate it");
    fails(cot_hessian(fn_of(c)), S64, COT_ERR_RULE,
          "in vjp: custom_call: none has neither a .vjp nor a .jvp rule; wants one to "
          "differentiate it");
}
END_TEST

/* Integers have no slot; a slot that is not filled is an error. */
RULE(take_nothing, (void)out;)
static void
take_only(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] =
        cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0], in[1]), NULL);
}
RULE(scale_by, out[0] = cot_mul(in[0], cot_convert(in[1], COT_F64)); out[1] = in[1];)
static void
save_1(cot_setup *k, const cot_custom_info *info)
{
    (void)info;
    cot_save_in(k, 1);
}
RULE(scale_by_vjp, out[0] = cot_mul(in[1], cot_convert(in[0], COT_F64));)
START_TEST(a53)
{
    const double x = 2, want = 7;
    const int64_t k = 7;
    const cot_custom *c =
        cot_custom_new(ctx, "scale", .n_in = 2, .n_out = 2, .forward = scale_by,
                       .setup = save_1, .vjp = scale_by_vjp);
    traced_gives(cot_grad(cot_fn_new(ctx, "f", take_only, 2, 1, (void *)c)),
                 COT_TYPES(cot_f64(), cot_i64()), (const void *[]){ &x, &k }, cot_f64(), &want,
                 0);
    c = cot_custom_new(ctx, "nothing", .n_in = 2, .n_out = 2, .forward = scale_by,
                       .vjp = take_nothing);
    fails(cot_grad(cot_fn_new(ctx, "f", take_only, 2, 1, (void *)c)),
          COT_TYPES(cot_f64(), cot_i64()), COT_ERR_ARG,
          "custom_call: vjp of nothing: result 0 was not set; wants a value, or COT_ZERO");
}
END_TEST

/* ---- what bodies may touch ---- */

/* Five bodies, one of which uses a value of the function around the call. */
enum { FORWARD, SETUP, VJP, JVP, VMAP, BODIES };
static const char *const body_name[] = { "forward", "setup", "vjp", "jvp", "vmap" };
static int toucher;

static cot_value
touch(int body, cot_value x)
{
    return body == toucher ? cot_mul(x, handle) : x;
}
RULE(t_forward, out[0] = touch(FORWARD, cot_mul(in[0], 2));)
RULE(t_vjp, out[0] = touch(VJP, cot_mul(in[0], 2));)
RULE(t_jvp, out[0] = touch(JVP, cot_mul(in[2], 2));)
RULE(t_vmap, out[0] = touch(VMAP, cot_mul(in[0], 2));)
static void
t_setup(cot_setup *k, const cot_custom_info *info)
{
    (void)k, (void)info;
    if (toucher == SETUP)
        handle = cot_mul(handle, handle);
}

/* The transform that asks for the body, within one that captures: a handle that is mapped, or
 * has a cotangent, or a tangent. */
static cot_fn *within;
static void
calls_within(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    handle = in[0];
    if (toucher == JVP) {
        cot_value y[2];
        cot_call_all(within, COT_VALUES(in[0], in[0]), y, 2);
        out[0] = y[1];
    } else
        out[0] = cot_call(within, toucher == VMAP ? cot_broadcast_to(in[0], 3) : in[0]);
    if (toucher == VMAP)
        out[0] = cot_reduce_sum(out[0]);
}
START_TEST(a59)
{
    for (toucher = 0; toucher < BODIES; toucher++)
        for (int kind = 0; kind < 3; kind++) {
            static const char *const kind_name[] = { "vmap", "grad", "jvp" };
            char name[32], want[256];
            snprintf(name, sizeof name, "c%d%d", toucher, kind);
            const cot_custom *c =
                cot_custom_new(ctx, name, .forward = t_forward, .setup = t_setup, .vjp = t_vjp,
                               .jvp = t_jvp, .vmap = t_vmap);
            cot_fn *f = fn_of(c);
            within = toucher == VJP    ? cot_grad(f)
                     : toucher == JVP  ? cot_jvp(f)
                     : toucher == VMAP ? cot_vmap(f)
                                       : f;
            cot_fn *g = cot_fn_new(ctx, "g", calls_within, 1, 1, NULL);
            g = kind == 0 ? cot_vmap(g) : kind == 1 ? cot_grad(g) : cot_jvp(g);
            snprintf(want, sizeof want,
                     "in g, in %s: mul: operand %d belongs to a trace around the body of "
                     "%s.%s; wants it passed as an argument",
                     kind_name[kind], toucher != SETUP, name, body_name[toucher]);
            fails(g,
                  kind == 0   ? V64
                  : kind == 1 ? S64
                              : COT_TYPES(cot_f64(), cot_f64()),
                  COT_ERR_TRACE, want);
        }
}
END_TEST

/* A captured array is no argument either; nor is a draw where the forward has none, whose call
 * has no key. */
static cot_array *weights;
static bool draws;
RULE(hidden_body, out[0] = in[0]; if (draws) cot_next_key(t);
     else out[0] = cot_mul(in[0], cot_capture(t, weights, "w"));)
START_TEST(a59_hidden)
{
    weights = cot_array_copy(ctx, cot_f64(), &(const double){ 3 });
    fails(fn_of(cot_custom_new(ctx, "f0", .forward = hidden_body)), S64, COT_ERR_TRACE,
          "custom_call: forward of f0 captures an array; wants it passed as an argument");
    for (int i = 0; i < 2; i++) {
        draws = i > 0;
        fails(cot_grad(fn_of(cot_custom_new(ctx, draws ? "g1" : "g0", .forward = double_it,
                                            .vjp = hidden_body))),
              S64, COT_ERR_TRACE,
              draws ? "in grad: custom_call: vjp of g1 draws from the generator; wants a key "
                      "passed as an argument"
                    : "in grad: custom_call: vjp of g0 captures an array; wants it passed as "
                      "an argument");
    }
    cot_array_free(weights);
}
END_TEST

/* A struct of values, handed over as the flat list that it is. */
struct affine {
    cot_value weight, bias;
};
RULE(affine_forward, const struct affine *p = COT_STRUCT(struct affine, in);
     out[0] = cot_add(cot_mul(p->weight, in[2]), p->bias);)
RULE(affine_vjp, out[0] = cot_mul(in[1], in[0]); out[1] = in[1]; out[2] = COT_ZERO;)
static void
save_2(cot_setup *k, const cot_custom_info *info)
{
    (void)info;
    cot_save_in(k, 2);
}
static void
affine(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const struct affine *p = COT_STRUCT(struct affine, in);
    (void)t;
    out[0] = cot_custom_call((const cot_custom *)user, COT_LIST(),
                             COT_VALUES(p->weight, p->bias, in[2]), NULL);
}
START_TEST(a60)
{
    const double w = 2, b = 3, x = 5;
    double dw, db;
    const cot_graph *g;
    const cot_custom *c = cot_custom_new(ctx, "affine", .n_in = 3, .forward = affine_forward,
                                         .setup = save_2, .vjp = affine_vjp);
    cot_fn *f =
        cot_fn_named(cot_fn_new(ctx, "f", affine, 3, 1, (void *)c), "p{weight, bias}, x", NULL);
    ck_assert_msg(cot_trace_fn(cot_grad(f, .wrt = COT_LIST(0, 1)),
                               COT_TYPES(cot_f64(), cot_f64(), cot_f64()), &g) == COT_OK,
                  "%s", cot_error(ctx));
    ck_assert_int_eq(ir_eval(g, (void *[]){ &dw, &db }, (const void *[]){ &w, &b, &x }),
                     COT_OK);
    ck_assert(dw == 5 && db == 1);
}
END_TEST

/* The input that vjp has saved is the one that jvp reads, each of its own example. */
RULE(square, out[0] = cot_mul(in[0], in[0]);)
RULE(square_vjp, out[0] = cot_mul(in[1], cot_mul(in[0], 2));)
RULE(square_jvp, out[0] = cot_mul(in[2], cot_mul(in[0], 2));)
static void
one_tangent(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y[2];
    (void)t;
    cot_call_all(cot_jvp((cot_fn *)user), COT_VALUES(in[0], cot_ones(t, cot_f64())), y, 2);
    out[0] = y[1];
}
START_TEST(a61)
{
    const double want[] = { 2, -4, 1 };
    cot_fn *f =
        fn_of(cot_custom_new(ctx, "square", .forward = square, .setup = save_x,
                             .vjp = square_vjp, .jvp = square_jvp, .generate_vmap = true));
    traced_gives(cot_vmap(cot_grad(f)), V64, (const void *[]){ xs }, cot_f64(3), want, 0);
    traced_gives(cot_vmap(cot_fn_new(ctx, "d", one_tangent, 1, 1, f)), V64,
                 (const void *[]){ xs }, cot_f64(3), want, 0);
}
END_TEST

/* The wrapper has one result of three, and the default -1. */
START_TEST(a62)
{
    const double columns[] = { -1, 1, 0, 3, 5, 2 };
    traced_gives(cot_vmap(FN(sort_last)), M64, (const void *[]){ s }, cot_f64(2, 3),
                 rows_sorted, 0);
    traced_gives(cot_vmap(FN(sort_last), .in_dims = COT_ALL(1), .out_dims = COT_ALL(1)), M64,
                 (const void *[]){ s }, cot_f64(2, 3), columns, 0);
}
END_TEST

/* A handle put aside by forward is of no use to backward. */
RULE(hang, handle = in[0]; out[0] = cot_mul(in[0], 2);)
RULE(unhang, out[0] = cot_mul(in[0], handle);)
START_TEST(a63)
{
    cot_fn *f = cot_grad(fn_of(cot_custom_new(ctx, "hang", .forward = hang, .vjp = unhang)));
    const cot_graph *g;
    char want[300];
    ck_assert_int_eq(cot_trace_fn(f, S64, &g), COT_ERR_TRACE);
    const char *made = strstr(message(), "made at "), *end = made ? strchr(made, ',') : NULL;
    ck_assert_msg(end != NULL, "%s", cot_error(ctx));
    snprintf(want, sizeof want,
             "mul: operand 1, %.*s, has escaped from the trace of hang.forward; wants a value "
             "of this trace or of one "
             "around it: results of a body leave it through out",
             (int)(end - made), made);
    ck_assert_str_eq(message(), want);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "A31", a31, 1 },
        { "A32", a32, 1 },
        { "A33", a33, 1 },
        { "A34", a34, 1 },
        { "A35", a35, 1 },
        { "A38", a38, 1 },
        { "A40", a40, 1 },
        { "A41", a41, 1 },
        { "A43", a43, 1 },
        { "A44", a44, 1 },
        { "A46", a46, 1 },
        { "A47", a47, 1 },
        { "A49", a49, 1 },
        { "A51", a51, 1 },
        { "A53", a53, 1 },
        { "A59", a59, 1 },
        { "A59", a59_hidden, 1 },
        { "A60", a60, 1 },
        { "A61", a61, 1 },
        { "A62", a62, 1 },
        { "A63", a63, 1 },
    };

    return SUITE_WITH("custom_rows", cases, begin, suite_end);
}
