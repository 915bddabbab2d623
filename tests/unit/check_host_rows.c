/* Rows of the feature list about the program around a trace: when bodies run, what is kept from
 * call to call, what a transformed function can be asked, and host data in the midst of it. */
#include "tests/unit/host_rows.h"

#include "cotrace/custom.h"

BODY(square, out[0] = cot_mul(in[0], in[0]);)
#line 20 "main.c"
BODY(dot, out[0] = cot_dot(in[0], in[1]);)
#line 31 "../tests/unit/check_host_rows.c"
BODY(total, out[0] = cot_reduce_sum(in[0]);)
BODY(energy, out[0] = cot_reduce_sum(cot_mul(cot_sin(in[0]), in[0]));)
BODY(fields, out[0] = cot_add(in[0], 1); out[1] = cot_mul(in[0], 2); out[2] = cot_neg(in[0]);)

/* ---- calls ---- */

enum { MAX_ARGS = 4 };

/* A map of f on the evaluator, which calls C code; run at one argument and one result of
 * f64[3]. */
static cot_kernel *
evaluator(cot_fn *f)
{
    cot_kernel *k;

    ck_assert_msg(cot_compile(f, COT_TYPES(cot_f64(3)),
                              &(cot_compile_options){ .backend = "eval" }, &k) == COT_OK,
                  "%s", cot_error(ctx));
    return k;
}

static void
evaluate(const cot_kernel *k, double *x, double *y)
{
    cot_array *in = cot_array_borrow(ctx, cot_f64(3), x),
              *out = cot_array_borrow(ctx, cot_f64(3), y);

    ck_assert_msg(cot_run(k, &out, (const cot_array *const *)&in) == COT_OK, "%s",
                  cot_error(ctx));
    cot_array_free(in);
    cot_array_free(out);
}

/* ---- A1, A2, A13: making and asking ---- */

static int runs;

static void
counting(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    ++*(int *)user;
    out[0] = cot_reduce_sum(cot_mul(in[0], in[0]));
}

/* A1: made without inputs, traced at the first call, and again for another number of examples;
 * 0, -1, none and nothing at all are four different things. */
START_TEST(made_at_once_traced_when_called)
{
    double y[3];
    cot_array *two = counted(cot_f64(2, 2)), *three = counted(cot_f64(3, 2));
    cot_type m = cot_f64(2, 3);
    int64_t size[3];

    runs = 0;
    cot_fn *f = cot_fn_new(ctx, "f", counting, 1, 1, &runs), *g = cot_vmap(f);
    ck_assert_str_eq(cot_fn_name(g), "vmap(f)");
    ck_assert_str_eq(cot_fn_name(cot_vmap(cot_grad(f), .chunk = 2)), "vmap(grad(f))");
    ck_assert_int_eq(runs, 0);
    jit(g, 1, &two, y);
    ck_assert(y[0] == 5 && y[1] == 25);
    jit(g, 1, &three, y);
    ck_assert(y[2] == 61);
    ck_assert_int_eq(runs, 1); /* the example is the same: only the map is made again */

    cot_fn *id = fn("square", square, 1, 1);
    cot_fn *kinds[] = { cot_vmap(id), cot_vmap(id, .in_dims = COT_ALL(0)),
                        cot_vmap(id, .in_dims = COT_ALL(-1)) };
    for (int k = 0; k < 3; k++) {
        const cot_graph *graph;
        ck_assert_int_eq(cot_trace_fn(kinds[k], (cot_types){ .n = 1, .at = &m }, &graph),
                         COT_OK);
        cot_type t = cot_graph_out_type(graph, 0);
        size[k] = cot_type_size(&t, 0);
    }
    ck_assert(size[0] == 2 && size[1] == 2 && size[2] == 3);
    traced_fails(cot_vmap_((cot_place){ "main.c", 9 }, id,
                           &(cot_vmap_options){ .in_dims = COT_ALL(COT_NONE) },
                           sizeof(cot_vmap_options)),
                 (cot_types){ .n = 1, .at = &m }, COT_ERR_ARG,
                 "main.c:9: vmap(square): in maps no argument; wants at least one, or size");
    cot_array_free(two);
    cot_array_free(three);
}
END_TEST

/* A2: the function and the pipeline's word are one transform. */
START_TEST(one_transform)
{
    static traced_text x, y;
    cot_types types = COT_TYPES(cot_f64(2, 3), cot_f64(3));
    cot_fn *f = fn("dot", dot, 2, 1);

    text_of(cot_vmap(f, .in_dims = COT_LIST(0, COT_NONE)), types, "graph", &x);
    text_of(cot_pipeline(f, "vmap(in=[0,none])"), types, "graph", &y);
    ck_assert_str_eq(x.text, y.text);
}
END_TEST

/* A13: the arguments' types with an axis at in_dims, the results' with one at out_dims. */
START_TEST(signature)
{
    const cot_graph *g;
    cot_fn *f = cot_vmap(fn("fields", fields, 1, 3), .in_dims = COT_ALL(1),
                         .out_dims = COT_LIST(0, 1, -1));
    static const int64_t want[3][3] = { { 5, 2, 3 }, { 2, 5, 3 }, { 2, 3, 5 } };

    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f32(2, 5, 3)), &g), COT_OK);
    ck_assert(cot_graph_n_in(g) == 1 && cot_graph_n_out(g) == 3);
    ck_assert_int_eq(cot_graph_in_type(g, 0).rank, 3);
    for (int j = 0; j < 3; j++) {
        cot_type t = cot_graph_out_type(g, j);
        ck_assert_int_eq(t.dtype, COT_F32);
        ck_assert_int_eq(t.rank, 3);
        for (int k = 0; k < 3; k++)
            ck_assert_int_eq(cot_type_size(&t, k), want[j][k]);
    }
}
END_TEST

/* A24: nothing is batched that was not asked for, and examples have one shape. */
START_TEST(no_automatic_batches)
{
    const double x[] = { 1, 2, 3, 4, 5, 6 };
    const void *const in[] = { x };
    cot_fn *f = fn("total", total, 1, 1);

    traced_gives(f, COT_TYPES(cot_f64(2, 3)), in, cot_f64(), (const double[]){ 21 }, 0);
    traced_gives(cot_vmap(f), COT_TYPES(cot_f64(2, 3)), in, cot_f64(2),
                 (const double[]){ 6, 15 }, 0);
    traced_fails(cot_vmap_((cot_place){ "main.c", 7 }, fn("dot", dot, 2, 1),
                           &(cot_vmap_options){ .size = 0 }, sizeof(cot_vmap_options)),
                 COT_TYPES(cot_f64(2, 3), cot_f64(2, 4)), COT_ERR_SHAPE,
                 "main.c:20, in vmap: dot_general: contracted sizes differ: x axis 0 has 3, y "
                 "axis 0 has 4");
}
END_TEST

/* ---- A11, A65, A110, B14: host code in bodies ---- */

static uint64_t dice = 1;

static double
roll(void)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(dice >> 40);
}

static void
noisy(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add(in[0], roll());
}

static int
roll_run(const cot_custom_info *info, const void *const *in, void *const *out)
{
    (void)info;
    *(double *)out[0] = *(const double *)in[0] + roll();
    return 0;
}

static void
like_the_argument(const cot_custom_info *info, const cot_type *in, cot_type *out)
{
    (void)info;
    out[0] = in[0];
}

static void
foreign_noise(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0]), NULL);
}

/* A11: the flag (error by default) is not about numbers that the host draws.  A plain call is a
 * constant of the trace, the same for all examples and calls; a foreign function with effects
 * draws whenever it runs. */
START_TEST(numbers_of_the_host)
{
    double y[3], again[3];
    cot_array *x = cot_array_new(ctx, cot_f64(3));

    cot_fn *f = cot_vmap(fn("noisy", noisy, 1, 1));
    jit(f, 1, &x, y);
    jit(f, 1, &x, again);
    ck_assert(y[0] == y[1] && y[1] == y[2] && y[0] == again[0] && y[0] != 0);

    const cot_custom *c =
        cot_custom_new(ctx, "dice", .run = roll_run, .types = like_the_argument,
                       .sequential = true, .effects = true);
    cot_kernel *k =
        evaluator(cot_vmap(cot_fn_new(ctx, "foreign", foreign_noise, 1, 1, (void *)c)));
    evaluate(k, cot_array_data(x), y);
    evaluate(k, cot_array_data(x), again);
    cot_kernel_free(k);
    ck_assert(y[0] != y[1] && y[1] != y[2] && y[0] != again[0] && y[2] != again[2]);
    cot_array_free(x);
}
END_TEST

static int
count_run(const cot_custom_info *info, const void *const *in, void *const *out)
{
    ++*(int *)info->user;
    *(double *)out[0] = *(const double *)in[0];
    return 0;
}

/* A110, A65, A73: the body runs once for each list of types of one example, whatever is around
 * it, and not at all in a call whose types are known; what shall happen at every call is an op
 * with effects. */
START_TEST(once_for_each_signature)
{
    static const struct {
        bool map, hessian;
    } around[] = { { true, false }, { false, true }, { true, true } };
    double y[18];

    for (int k = 0; k < 3; k++) {
        int n = 0;
        cot_fn *f = cot_fn_new(ctx, "f", counting, 1, 1, &n), *g = f;
        cot_array *x = counted(around[k].map ? cot_f64(2, 3) : cot_f64(3));
        cot_array *z = counted(around[k].map ? cot_f32(2, 3) : cot_f32(3));

        if (around[k].hessian)
            g = cot_hessian(g);
        if (around[k].map)
            g = cot_vmap(g);
        for (int call = 0; call < 11; call++)
            jit(g, 1, &x, y);
        ck_assert_int_eq(n, 1);
        jit(g, 1, &z, y);
        ck_assert_int_eq(n, 2);
        cot_array_free(x);
        cot_array_free(z);
    }

    int ran = 0;
    const cot_custom *c =
        cot_custom_new(ctx, "count", .run = count_run, .types = like_the_argument,
                       .sequential = true, .effects = true, .user = &ran);
    cot_kernel *k = evaluator(cot_vmap(cot_fn_new(ctx, "g", foreign_noise, 1, 1, (void *)c)));
    evaluate(k, (double[]){ 1, 2, 3 }, y);
    ck_assert_int_eq(ran, 3);
    evaluate(k, (double[]){ 1, 2, 3 }, y);
    ck_assert_int_eq(ran, 6);
    cot_kernel_free(k);
}
END_TEST

typedef struct note {
    char text[32];
    int64_t rank;
} note;

static void
takes_notes(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    note *n = user;

    (void)t;
    n->rank = cot_rank(in[0]);
    memcpy(n->text, "seen", 5);
    out[0] = in[0];
}

/* B14: what is no value leaves a body by the user's pointer, mapped or not. */
START_TEST(host_data_passes_by)
{
    note n = { "", -1 };
    const cot_graph *g;
    cot_fn *f = cot_vmap(cot_vmap(cot_fn_new(ctx, "f", takes_notes, 1, 1, &n)));

    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f64(2, 3, 4)), &g), COT_OK);
    ck_assert_str_eq(n.text, "seen");
    ck_assert_int_eq(n.rank, 1);
}
END_TEST

BODY(scaled, out[0] = cot_mul(in[0], in[1]);)

/* B7: a number is no array with an axis. */
START_TEST(axis_of_a_number)
{
    cot_fn *f =
        cot_fn_optional(cot_fn_named(fn("scaled", scaled, 1, 1), "x", "y"), "scale", 4.0);
    cot_vmap_options o = { .in_dims = COT_DIMS("x: 0, scale: 0") };

    traced_fails(cot_vmap_((cot_place){ "main.c", 7 }, f, &o, sizeof o), COT_TYPES(cot_f64(3)),
                 COT_ERR_ARG,
                 "main.c:7: vmap: \"scale\" is an optional argument; those are never mapped, "
                 "nor differentiated by");
    cot_vmap_options two = { .in_dims = COT_LIST(0, 0) };
    traced_fails(cot_vmap_((cot_place){ "main.c", 8 }, f, &two, sizeof two),
                 COT_TYPES(cot_f64(3)), COT_ERR_ARG,
                 "main.c:8: vmap(scaled): in is [0,0] for the arguments (x: f64[3]); wants one "
                 "entry for each");
}
END_TEST

/* ---- B23, B24: trees of results ---- */

static cot_fn *
with_tree(void)
{
    return cot_fn_named(fn("fields", fields, 1, 3), "x", "pos, rest{vel, force}");
}

static void
result_names(cot_fn *f, cot_types types, const char *const *want)
{
    static traced_text t;
    char all[200] = "", wants[200] = "";
    const cot_graph *g;
    const char *at;

    text_of(f, types, "graph", &t);
    for (at = strstr(t.text, "ret "); at && *at && *at != '\n'; at++)
        strncat(all, at, 1);
    ck_assert_int_eq(cot_trace_fn(f, types, &g), COT_OK);
    for (int j = 0; j < cot_graph_n_out(g); j++) {
        ck_assert_str_eq(g->out_name[j], want[j]);
        strcat(wants, want[j]);
    }
}

START_TEST(results_keep_their_tree)
{
    cot_types types = COT_TYPES(cot_f64(2, 3)), four = COT_TYPES(cot_f64(4, 2, 3));
    static const char *const want[] = { "pos", "rest.vel", "rest.force" };

    result_names(cot_vmap(with_tree()), types, want);
    result_names(cot_vmap(cot_vmap(with_tree()), .out_dims = COT_ALL(-1)), four, want);
    result_names(cot_vmap(with_tree(), .chunk = 1), types, want);
    result_names(cot_functionalize(cot_vmap(with_tree())), types, want);
}
END_TEST

static void
out_axes(cot_list out_dims, int pos, int vel, int force)
{
    const int at[] = { pos, vel, force };
    const cot_graph *g;
    cot_fn *f = cot_vmap(with_tree(), .out_dims = out_dims);

    ck_assert_msg(cot_trace_fn(f, COT_TYPES(cot_f64(7, 3)), &g) == COT_OK, "%s",
                  cot_error(ctx));
    for (int j = 0; j < 3; j++) {
        cot_type t = cot_graph_out_type(g, j);
        ck_assert_int_eq(cot_type_size(&t, at[j]), 7);
    }
}

START_TEST(axes_of_results_by_inner_names)
{
    out_axes(COT_ALL(1), 1, 1, 1);
    out_axes(COT_DIMS("pos: 0, rest: 1"), 0, 1, 1);
    out_axes(COT_DIMS("pos: 0, rest: {vel: 0, force: 1}"), 0, 0, 1);
    out_axes(COT_DIMS("rest: -1, pos: 0, rest.vel: 0"), 0, 0, 1);
}
END_TEST

/* ---- B32: compiled inside, compiled outside ---- */

static void
calls_kernel(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_call(cot_fn_of_graph(cot_kernel_graph(user)), in[0]);
}

START_TEST(compiled_and_mapped)
{
    double one[3], y[6], z[6];
    cot_kernel *k;
    cot_array *x = counted(cot_f64(2, 3)), *row = counted(cot_f64(3));
    cot_fn *f = cot_grad(fn("energy", energy, 1, 1));

    ck_assert_int_eq(cot_compile(f, COT_TYPES(cot_f64(3)), NULL, &k), COT_OK);
    jit(cot_vmap(cot_fn_new(ctx, "calls", calls_kernel, 1, 1, k)), 1, &x,
        y);                     /* vmap of compiled */
    jit(cot_vmap(f), 1, &x, z); /* compiled vmap    */
    ck_assert_mem_eq(y, z, sizeof y);
    jit(f, 1, &row, one);
    ck_assert_mem_eq(y, one, sizeof one);
    cot_kernel_free(k);
    cot_array_free(x);
    cot_array_free(row);
}
END_TEST

/* ---- A108: what a mapped body captures ---- */

static void
model(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_relu(cot_dot(in[0], *(const cot_value *)user));
}

/* weights [5], examples [3, 5]: the sum over examples, by a map whose body captures the
 * weights. */
static void
batch_loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value weights = in[0];
    cot_fn *f = cot_fn_new(cot_trace_context(t), "model", model, 1, 1, &weights);

    (void)user;
    out[0] = cot_reduce_sum(cot_call(cot_vmap(f), in[1]));
}

static void
slope_of_capture(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    cot_value weights = in[0];
    out[0] = cot_call(
        cot_grad(cot_fn_new(cot_trace_context(t), "model", model, 1, 1, &weights)), in[1]);
}

/* The weights are repeated for no example, and their cotangents summed over the batch in one
 * reduction. */
START_TEST(captured_weights)
{
    const double w[] = { 1, -1, .5, 2, -.25 };
    const double e[] = { 1, 2, 3, 4, 5, -1, 0, 1, -2, 2, .5, -.5, 1, 0, 4 };
    const void *const in[] = { w, e };
    cot_types types = COT_TYPES(cot_f64(5), cot_f64(3, 5));
    cot_fn *f = cot_fn_new(ctx, "loss", batch_loss, 2, 1, NULL), *both[] = { f, cot_grad(f) };

    traced_gives(f, types, in, cot_f64(), (const double[]){ 7.75 }, 0);
    traced_gives(both[1], types, in, cot_f64(5), (const double[]){ 1.5, 1.5, 4, 4, 9 }, 0);
    for (int k = 0; k < 2; k++) {
        const cot_graph *g;
        int sums = 0;
        ck_assert_int_eq(cot_trace_fn(cot_pipeline(both[k], "inline"), types, &g), COT_OK);
        ir_each_node (n, g) {
            const ir_type *x = n->n_in ? ir_type_at(g, n->in[0]) : NULL;
            ck_assert(n->op != OP_broadcast_in_dim || x->size != 5);
            sums += (n->op == OP_dot_general || n->op == OP_reduce_sum) &&
                    ir_type_at(g, n->first)->size == 5;
        }
        ck_assert_int_eq(sums, k);
    }
    /* the other way around, each example has its own: here the slope in the example, which is
     * the weights */
    cot_fn *slope = cot_vmap(cot_fn_new(ctx, "slope", slope_of_capture, 2, 1, NULL),
                             .in_dims = COT_LIST(COT_NONE, 0));
    traced_gives(slope, types, in, cot_f64(3, 5),
                 (const double[]){ 1, -1, .5, 2, -.25, 0, 0, 0, 0, 0, 1, -1, .5, 2, -.25 }, 0);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "A1", made_at_once_traced_when_called, 1 },
        { "A2", one_transform, 1 },
        { "A11", numbers_of_the_host, 1 },
        { "A13", signature, 1 },
        { "A24", no_automatic_batches, 1 },
        { "A65", once_for_each_signature, 1 },
        { "A73", once_for_each_signature, 1 },
        { "A110", once_for_each_signature, 1 },
        { "B7", axis_of_a_number, 1 },
        { "B14", host_data_passes_by, 1 },
        { "B23", results_keep_their_tree, 1 },
        { "B24", axes_of_results_by_inner_names, 1 },
        { "B32", compiled_and_mapped, 1 },
        { "A108", captured_weights, 1 },
    };

    return SUITE("host_rows", cases);
}
