/* Rows of the feature list about the program around a trace: when bodies run, what is kept from
 * call to call, what a transformed function can be asked, and host data in the midst of it. */
#include "tests/unit/traced.h"

#include "cotrace/custom.h"

static cot_fn *
fn(const char *name, cot_body *body, int n_in, int n_out)
{
    return cot_fn_new_((cot_place){ "main.c", 1 }, ctx, name, body, n_in, n_out, NULL);
}

BODY(square, out[0] = cot_mul(in[0], in[0]);)
#line 20 "main.c"
BODY(dot, out[0] = cot_dot(in[0], in[1]);)
#line 31 "../tests/unit/check_host_rows.c"
BODY(product, out[0] = cot_mul(in[0], in[1]);)
BODY(total, out[0] = cot_reduce_sum(in[0]);)
BODY(energy, out[0] = cot_reduce_sum(cot_mul(cot_sin(in[0]), in[0]));)
BODY(fields, out[0] = cot_add(in[0], 1); out[1] = cot_mul(in[0], 2); out[2] = cot_neg(in[0]);)

/* ---- calls ---- */

enum { MOST_ARGS = 4 };

/* f on arrays of f64 or f32 by cot_jit; the elements of its only result into out. */
static void
jit(cot_fn *f, int n, cot_array *const *args, double *out)
{
    cot_array *y = NULL;

    ck_assert_msg(cot_jit(f, &y, 1, (const cot_array *const *)args, n) == COT_OK, "%s",
                  cot_error(ctx));
    cot_type t = cot_array_type(y);
    for (int64_t i = 0; i < cot_type_count(&t); i++)
        out[i] = traced_element(t.dtype, cot_array_read(y), i);
    cot_array_free(y);
}

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

/* 1, 2, 3, ... of a type. */
static cot_array *
counted(cot_type t)
{
    cot_array *a = cot_array_new(ctx, t);

    for (int64_t i = 0; i < cot_type_count(&t); i++)
        if (t.dtype == COT_F32)
            ((float *)cot_array_data(a))[i] = (float)(i + 1);
        else
            ((double *)cot_array_data(a))[i] = (double)(i + 1);
    return a;
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

static void
text_of(cot_fn *f, cot_types types, const char *stage, traced_text *t)
{
    t->n = 0;
    t->text[0] = '\0';
    ck_assert_msg(cot_dump_fn(f, types, stage, traced_write, t) == COT_OK, "%s",
                  cot_error(ctx));
}

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

/* ---- B195: the cache ---- */

static void
grown(cot_fn *f, cot_array *const *args, int n, int hits, int misses)
{
    double y[64];
    cot_cache before = cot_cache_of(f);

    jit(f, n, args, y);
    cot_cache after = cot_cache_of(f);
    ck_assert_int_eq((int)(after.hits - before.hits), hits);
    ck_assert_int_eq((int)(after.misses - before.misses), misses);
}
#define HIT  1, 0
#define MISS 0, 1

/* As many types as make the table of a function grow several times, whose places collide: each
 * is compiled once. */
START_TEST(many_types_are_found_again)
{
    enum { TYPES = 40 };
    cot_fn *f = fn("product", product, 2, 1);
    cot_array *x[TYPES];

    for (int i = 0; i < TYPES; i++) {
        x[i] = counted(cot_f64(i + 1));
        grown(f, (cot_array *const[]){ x[i], x[i] }, 2, MISS);
    }
    for (int i = 0; i < TYPES; i++) {
        grown(f, (cot_array *const[]){ x[i], x[i] }, 2, HIT);
        cot_array_free(x[i]);
    }
}
END_TEST

/* What decides: shapes (broadcast patterns among them), element types, and how the function was
 * made. */
START_TEST(hits_and_misses)
{
    cot_array *x = counted(cot_f64(3)), *x4 = counted(cot_f64(4)), *one = counted(cot_f64(1)),
              *s = counted(cot_f32(3)), *again = counted(cot_f64(3));
    cot_fn *f = fn("product", product, 2, 1);

    grown(f, (cot_array *const[]){ x, x }, 2, MISS);
    grown(f, (cot_array *const[]){ x, x }, 2, HIT);
    grown(f, (cot_array *const[]){ again, x }, 2, HIT); /* other memory of the type */
    grown(f, (cot_array *const[]){ x4, x4 }, 2, MISS);  /* another shape            */
    grown(f, (cot_array *const[]){ x, one }, 2, MISS);  /* another broadcast        */
    grown(f, (cot_array *const[]){ one, x }, 2, MISS);
    grown(f, (cot_array *const[]){ s, s }, 2, MISS); /* another element type     */
    grown(f, (cot_array *const[]){ x, one }, 2, HIT);
    grown(f, (cot_array *const[]){ x, x }, 2, HIT);
    ck_assert(cot_cache_of(f).hits == 4 && cot_cache_of(f).misses == 5 &&
              cot_cache_of(f).traces == 5);
    ck_assert(cot_cache_of(NULL).hits == 0);
    cot_array_free(x);
    cot_array_free(x4);
    cot_array_free(one);
    cot_array_free(s);
    cot_array_free(again);
}
END_TEST

BODY(two_options, out[0] = cot_add(cot_mul(in[0], in[1]), in[2]);)

/* Static arguments: each number is a function of its own, found again where it is made again;
 * so is one between others, one inside a struct's names, and one that is left out or passed as
 * an array. */
START_TEST(static_arguments)
{
    cot_array *x = counted(cot_f64(3)), *a = counted(cot_f64());
    cot_fn *f = cot_fn_optional(cot_fn_optional(fn("f", two_options, 1, 1), "p{scale}", 1.0),
                                "p{shift}", 0.0);
    static const struct {
        double scale, shift;
        int hits, misses;
    } row[] = {
        { 2, 0, MISS }, { 2, 0, HIT }, { 3, 0, MISS }, { 2, 5, MISS },
        { 3, 0, HIT },  { 2, 5, HIT }, { 2, 6, MISS }, { 2, -0.0, MISS },
    };

    grown(f, &x, 1, MISS); /* both left out */
    grown(f, &x, 1, HIT);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        cot_fn *g = cot_with(f, "p.scale", row[k].scale);
        grown(cot_with(g, "p.shift", row[k].shift), &x, 1, row[k].hits, row[k].misses);
    }
    for (int k = 0; k < 2; k++) { /* an array: any number hits */
        cot_fn *g = cot_taking(cot_with(f, "p.shift", 1.0), "p{scale}");
        *(double *)cot_array_data(a) = k;
        grown(g, (cot_array *const[]){ x, a }, 2, k > 0, k == 0);
    }
    cot_array_free(x);
    cot_array_free(a);
}
END_TEST

/* Transforms made anew at one line, as in a loop, are one function; other options or lines are
 * others. */
START_TEST(transforms_made_again)
{
    cot_array *x = counted(cot_f64(2, 3));
    cot_fn *f = fn("energy", energy, 1, 1), *last = NULL;

    for (int k = 0; k < 4; k++) {
        cot_fn *g = cot_vmap(cot_grad(f), .chunk = k / 2, .out_dims = COT_LIST(k % 2));
        ck_assert_ptr_ne(g, last);
        last = g;
        grown(g, &x, 1, MISS);
    }
    for (int k = 0; k < 4; k++) {
        cot_fn *g = cot_vmap(cot_grad(f), .out_dims = COT_LIST(k % 2));
        grown(g, &x, 1, k > 1, k < 2);
    }
    for (int k = 0; k < 2; k++)
        grown(cot_pipeline(f, "grad | vmap"), &x, 1, k, 1 - k);
    ck_assert_int_eq((int)cot_cache_of(f).traces, 1);
    cot_array_free(x);
}
END_TEST

BODY(draw, out[0] = cot_add(in[0], cot_uniform(t, cot_f64(3)));)

/* What draws is compiled once, and draws at each call. */
START_TEST(draws_are_not_frozen)
{
    double y[3], z[3];
    cot_array *x = cot_array_new(ctx, cot_f64(3));
    cot_fn *f = fn("draw", draw, 1, 1);

    jit(f, 1, &x, y);
    jit(f, 1, &x, z);
    ck_assert(y[0] != z[0] && y[1] != z[1]);
    ck_assert(cot_cache_of(f).hits == 1 && cot_cache_of(f).misses == 1);
    cot_array_free(x);
}
END_TEST

/* ---- B196: dumps ---- */

static void
round_trip(cot_fn *f, cot_types types)
{
    static traced_text once, twice;
    const cot_graph *g;

    text_of(f, types, "graph", &once);
    ck_assert_msg(cot_parse(ctx, "dump", once.text, once.n, NULL, &g) == COT_OK, "%s\n%s",
                  cot_error(ctx), once.text);
    twice.n = 0;
    ck_assert_int_eq(cot_dump_graph(g, traced_write, &twice), COT_OK);
    ck_assert_str_eq(once.text, twice.text);
}

static void
ends_soon(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_lt(in[0], 100);
}
BODY(doubles, out[0] = cot_mul(in[0], 2);)
BODY(steps, cot_value s = cot_reduce_sum(cot_mul(in[0], in[0]));
     out[0] = cot_cond(cot_gt(s, 1), square, doubles, .in = COT_VALUES(s));)
BODY(until, out[0] = cot_while(ends_soon, doubles, .in = COT_VALUES(cot_reduce_sum(in[0])),
                               .max = 64);)

START_TEST(every_transform_prints_and_parses)
{
    static const char *const pipeline[] = {
        "",
        "vmap",
        "grad",
        "grad_and_value",
        "jvp",
        "vjp",
        "linearize",
        "jacfwd",
        "jacrev",
        "hessian",
        "functionalize",
        "vmap | jacrev",
        "jacrev | vmap",
        "grad | vmap | simplify",
        "hessian | vmap(chunk=2)",
        "vjp | vmap | jvp",
    };
    cot_body *const body[] = { energy, steps, until };
    static const char *const name[] = { "energy", "steps", "until" };

    for (int k = 0; k < 3; k++)
        for (size_t p = 0; p < sizeof pipeline / sizeof *pipeline; p++) {
            cot_fn *f = cot_pipeline(fn(name[k], body[k], 1, 1), pipeline[p]);
            cot_type x = cot_f64(4, 3), one = cot_f64(3), y = cot_f64(4), scalar = cot_f64();
            bool maps = strstr(pipeline[p], "vmap"),
                 inner = strncmp(pipeline[p], "vmap |", 6) == 0;
            cot_type in[4] = { maps ? x : one };
            int n = 1;

            if (inner)
                continue; /* results are vectors: below, by jacrev alone */
            if (strstr(pipeline[p], "jvp") == pipeline[p] ||
                strncmp(pipeline[p], "linearize", 9) == 0)
                in[n++] = maps ? x : one;
            if (strncmp(pipeline[p], "vjp", 3) == 0)
                in[n++] = maps ? y : scalar;
            if (strstr(pipeline[p], "| jvp"))
                in[n++] = x, in[n++] = y;
            round_trip(f, (cot_types){ .n = n, .at = in });
        }
    round_trip(cot_pipeline(fn("energy", energy, 1, 1), "vmap | jacrev"),
               COT_TYPES(cot_f64(4, 3)));
    round_trip(cot_pipeline(fn("steps", steps, 1, 1), "vmap | jacrev"),
               COT_TYPES(cot_f64(4, 3)));
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
        { "B195", hits_and_misses, 1 },
        { "B195", many_types_are_found_again, 1 },
        { "B195", static_arguments, 1 },
        { "B195", transforms_made_again, 1 },
        { "B195", draws_are_not_frozen, 1 },
        { "B196", every_transform_prints_and_parses, 1 },
    };

    return SUITE("host_rows", cases);
}
