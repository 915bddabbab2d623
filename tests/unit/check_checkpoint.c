/* Checkpoints: the same figures under every transform, and the memory that they are for. */
#include "both.h"

enum { WIDE = 32, LAYERS = 12, STEPS = 200 };
static const double line[4] = { 0.5, -1, 2, 0.25 };

/* A chain of layers; user: how each is called. */
BODY(layer, out[0] = cot_tanh(cot_matmul(in[0], in[1]));)

typedef enum how { PLAIN, NOTHING, PRODUCTS } how;

static cot_fn *
marked(cot_fn *f, how h)
{
    return h == PLAIN ? f
                      : cot_checkpoint(f, .keep = h == PRODUCTS ? COT_KEEP_PRODUCTS
                                                                : COT_KEEP_NOTHING);
}

/* Parts of three layers each, since what is kept ends with a part. */
static void
part(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = in[0];
    for (int i = 0; i < 3; i++)
        out[0] = cot_call((cot_fn *)user, out[0], in[1]);
}

static void
chain(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value x = in[0];

    (void)t;
    for (int i = 0; i < LAYERS / 3; i++)
        x = cot_call((cot_fn *)user, x, in[1]);
    out[0] = cot_reduce_sum(cot_square(x));
}

static cot_fn *
chain_of(how h)
{
    cot_fn *one = fn("layer", layer, 2, 1);
    return cot_fn_new(ctx, "chain", chain, 2, 1,
                      marked(cot_fn_new(ctx, "part", part, 2, 1, one), h));
}

static size_t
work_bytes(cot_fn *f, cot_types types)
{
    cot_kernel *k = NULL;

    ck_assert_msg(cot_compile(f, types, NULL, &k) == COT_OK, "%s", cot_error(ctx));
    size_t n = cot_kernel_work_bytes(k);
    cot_kernel_free(k);
    return n;
}

static void
same(cot_fn *f, cot_fn *g, cot_types types, const void *const *in)
{
    static double a[ROOM], b[ROOM];
    int64_t n = results(f, types, in, a);

    ck_assert_int_eq(results(g, types, in, b), n);
    for (int64_t i = 0; i < n; i++)
        ck_assert_msg(fabs(a[i] - b[i]) <= 1e-12 * fmax(1, fabs(a[i])), "%s: %d: %.17g, %.17g",
                      cot_fn_name(f), (int)i, a[i], b[i]);
}

START_TEST(a_chain_in_less_memory)
{
    static double x[WIDE * WIDE], w[WIDE * WIDE];
    const cot_types types = COT_TYPES(cot_f64(WIDE, WIDE), cot_f64(WIDE, WIDE));
    size_t bytes[3];

    for (int i = 0; i < WIDE * WIDE; i++)
        x[i] = sin(i), w[i] = cos(3 * i) / 8;
    for (how h = PLAIN; h <= PRODUCTS; h++) {
        bytes[h] = work_bytes(cot_grad(chain_of(h)), types);
        same(cot_grad(chain_of(PLAIN)), cot_grad(chain_of(h)), types, IN(x, w));
    }
    if (!COT_PLANS)
        return;
    ck_assert_msg(bytes[NOTHING] * 3 < bytes[PLAIN] * 2, "%zu bytes, %zu without",
                  bytes[NOTHING], bytes[PLAIN]);
    ck_assert_msg(bytes[NOTHING] < bytes[PRODUCTS], "%zu bytes, %zu with products",
                  bytes[NOTHING], bytes[PRODUCTS]);
}
END_TEST

BODY(curve, cot_value s = cot_sin(cot_mul(in[0], in[1]));
     out[0] = cot_reduce_sum(cot_mul(cot_exp(s), cot_square(s)));)
BODY(vector, cot_value s = cot_sin(cot_mul(in[0], in[1]));
     out[0] = cot_mul(cot_exp(s), cot_reverse(s, .axes = COT_LIST(0)));)

static void
twice(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_call(cot_checkpoint(user), cot_sin(in[0]), in[1]);
}

START_TEST(every_transform_sees_the_same_function)
{
    cot_fn *f = fn("curve", curve, 2, 1), *g = cot_checkpoint(f),
           *k = cot_checkpoint(f, .keep = COT_KEEP_PRODUCTS);
    cot_fn *v = fn("vector", vector, 2, 1), *u = cot_checkpoint(v);
    cot_fn *n = cot_fn_new(ctx, "twice", twice, 2, 1, f), *m = cot_checkpoint(n);
    const cot_types two = COT_TYPES(cot_f64(4), cot_f64(4)),
                    scalar = COT_TYPES(cot_f64(), cot_f64());
    const cot_types four = COT_TYPES(cot_f64(4), cot_f64(4), cot_f64(4), cot_f64(4));
    const double y[4] = { 1, 2, -0.5, 0.75 };

    same(f, g, two, IN(line, y));
    same(cot_grad(f, .wrt = COT_LIST(0, 1)), cot_grad(g, .wrt = COT_LIST(0, 1)), two,
         IN(line, y));
    same(cot_grad(f, .wrt = COT_LIST(1)), cot_grad(k, .wrt = COT_LIST(1)), two, IN(line, y));
    same(cot_hessian(f), cot_hessian(g), two, IN(line, y));
    same(cot_jacrev(v), cot_jacrev(u), two, IN(line, y));
    same(cot_jacfwd(v), cot_jacfwd(u), two, IN(line, y));
    same(cot_jvp(v), cot_jvp(u), four, IN(line, y, y, line));
    same(cot_jacrev(cot_jacrev(v)), cot_jacrev(cot_jacrev(u)), two, IN(line, y));
    same(cot_vmap(cot_grad(f)), cot_vmap(cot_grad(g)), two, IN(line, y));
    same(cot_vmap(cot_hessian(f), .in_dims = COT_LIST(0, COT_NONE)),
         cot_vmap(cot_hessian(g), .in_dims = COT_LIST(0, COT_NONE)),
         COT_TYPES(cot_f64(4), cot_f64()), IN(line, y));
    same(cot_grad(n), cot_grad(m), two, IN(line, y));
    same(cot_hessian(n), cot_hessian(m), two, IN(line, y));
    same(cot_grad(cot_grad(f)), cot_grad(cot_grad(g)), scalar, IN(line, y));
}
END_TEST

/* ---- scans ---- */

BODY(turn, out[0] = cot_sin(cot_add(cot_mul(in[0], 1.1), in[1]));
     out[1] = cot_mul(in[0], in[1]);)

typedef struct scanned {
    int64_t segments;
    int reverse;
} scanned;

static void
run_scan(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const scanned *s = user;
    (void)t;
    cot_scan(turn, .in = COT_VALUES(in[0]), .xs = COT_VALUES(in[1]), .n_out = 1, .out = out,
             .segments = s->segments, .reverse = s->reverse);
}

static void
scan_sum(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y[2];
    run_scan(t, in, y, user);
    out[0] = cot_add(cot_reduce_sum(y[0]), cot_reduce_sum(cot_square(y[1])));
}

START_TEST(segments_change_no_figure)
{
    static const scanned plain[2] = { { 0, 0 }, { 0, 1 } };
    static const scanned segmented[] = {
        { COT_SQRT, 0 }, { COT_SQRT, 1 }, { 3, 0 },   { 3, 1 },
        { 1, 0 },        { 7, 1 },        { 100, 0 }, { 5, 0 },
    };
    const double xs[7] = { 0.5, 1, -1, 0.25, 2, 0, -0.75 };
    const cot_types types = COT_TYPES(cot_f64(), cot_f64(7));

    for (size_t i = 0; i < sizeof segmented / sizeof *segmented; i++) {
        void *p = (void *)&plain[segmented[i].reverse], *c = (void *)&segmented[i];
        cot_fn *f = cot_fn_new(ctx, "plain", scan_sum, 2, 1, p),
               *g = cot_fn_new(ctx, "cut", scan_sum, 2, 1, c);
        same(cot_fn_new(ctx, "plain", run_scan, 2, 2, p),
             cot_fn_new(ctx, "cut", run_scan, 2, 2, c), types, IN(F64(0.3), xs));
        same(cot_grad(f, .wrt = COT_LIST(0, 1)), cot_grad(g, .wrt = COT_LIST(0, 1)), types,
             IN(F64(0.3), xs));
        same(cot_hessian(f, .wrt = COT_LIST(1)), cot_hessian(g, .wrt = COT_LIST(1)), types,
             IN(F64(0.3), xs));
        same(cot_vmap(cot_grad(f), .in_dims = COT_LIST(0, COT_NONE)),
             cot_vmap(cot_grad(g), .in_dims = COT_LIST(0, COT_NONE)),
             COT_TYPES(cot_f64(2), cot_f64(7)), IN(F64(0.3, 1), xs));
    }
}
END_TEST

BODY(stir, out[0] = cot_sin(cot_mul(cot_cos(in[0]), 1.5));)

static void
many(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_reduce_sum(cot_scan(stir, .in = COT_VALUES(in[0]), .length = STEPS,
                                     .segments = *(const int64_t *)user));
}

START_TEST(sqrt_n_segments_keep_sqrt_n_states)
{
    static const int64_t none = 0, root = COT_SQRT;
    const cot_types types = COT_TYPES(cot_f64(64));
    size_t all =
        work_bytes(cot_grad(cot_fn_new(ctx, "many", many, 1, 1, (void *)&none)), types);
    size_t some =
        work_bytes(cot_grad(cot_fn_new(ctx, "many", many, 1, 1, (void *)&root)), types);
    const size_t state = 64 * sizeof(double);

    if (!COT_PLANS)
        return;
    ck_assert_msg(all >= STEPS * state, "%zu bytes", all);
    ck_assert_msg(some <= 6 * 14 * state, "%zu bytes, %zu without", some, all);
}
END_TEST

/* ---- while: what reverse mode keeps, policy by policy ---- */

enum { LANES = 64 };

typedef struct policy { int64_t max, trips; bool linear; } policy;

BODY(goes_on, out[0] = cot_lt(in[1], in[0]);)
BODY(stir_and_count, out[0] = in[0]; out[1] = cot_add(in[1], 1);
     out[2] = cot_sin(cot_mul(in[2], 1.5));)
BODY(add_and_count, out[0] = in[0]; out[1] = cot_add(in[1], 1);
     out[2] = cot_add(in[2], cot_mul(in[3], 0.5)); out[3] = in[3];)

/* in[0]: f64[LANES]; in[1]: the trips. */
static void
trips(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const policy *p = user;
    cot_value i = cot_full(t, cot_i64(), 0),
              n = p->trips ? cot_full(t, cot_i64(), p->trips) : in[1], y[4];

    if (p->linear)
        cot_while(goes_on, add_and_count, .max = p->max,
                  .in = COT_VALUES(n, i, cot_mul(in[0], 0.0), in[0]), .out = y);
    else
        cot_while(goes_on, stir_and_count, .max = p->max, .in = COT_VALUES(n, i, in[0]),
                  .out = y);
    out[0] = cot_reduce_sum(y[2]);
}

static size_t
trip_bytes(policy p)
{
    return work_bytes(cot_grad(cot_fn_new(ctx, "trips", trips, 2, 1, &p)),
                      COT_TYPES(cot_f64(LANES), cot_i64()));
}

START_TEST(while_keeps_what_its_policy_says)
{
    const size_t state = LANES * sizeof(double);

    if (!COT_PLANS)
        return;
    /* a bound: each state up to it */
    size_t few = trip_bytes((policy){ .max = 100 }),
           many_ = trip_bytes((policy){ .max = 1000 });
    ck_assert_msg(few >= 100 * state && many_ >= 1000 * state, "%zu, %zu", few, many_);
    ck_assert_msg(few <= 110 * state && many_ <= 1010 * state, "%zu, %zu", few, many_);
    /* trips that can be counted now: a scan, each state */
    size_t counted = trip_bytes((policy){ .trips = 300 });
    ck_assert_msg(counted >= 300 * state && counted <= 310 * state, "%zu", counted);
    /* neither: 64 checkpoints, however many trips */
    size_t open = trip_bytes((policy){ 0 });
    ck_assert_msg(open >= 64 * state && open <= 80 * state, "%zu", open);
    /* a sum: nothing */
    size_t sum = trip_bytes((policy){ .linear = true }),
           bounded = trip_bytes((policy){ .max = 1000, .linear = true });
    ck_assert_msg(sum <= 8 * state, "%zu", sum);
    ck_assert_msg(bounded <= 16 * state, "%zu", bounded);
}
END_TEST

START_TEST(keep_is_checked)
{
    cot_fn *f = cot_checkpoint_((cot_place){ "m.c", 5 }, fn("curve", curve, 2, 1),
                                &(const cot_checkpoint_options){ .keep = (cot_keep)7 },
                                sizeof(cot_checkpoint_options));
    const cot_graph *g;

    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f64(4), cot_f64(4)), &g), COT_ERR_ARG);
    ck_assert_str_eq(
        cot_error(ctx),
        "m.c:5: checkpoint: keep is 7; wants COT_KEEP_NOTHING or COT_KEEP_PRODUCTS");
    cot_error_clear(ctx);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "chain", a_chain_in_less_memory, 1 },
        { "transforms", every_transform_sees_the_same_function, 1 },
        { "segments", segments_change_no_figure, 1 },
        { "sqrt", sqrt_n_segments_keep_sqrt_n_states, 1 },
        { "while", while_keeps_what_its_policy_says, 1 },
        { "keep", keep_is_checked, 1 },
    };

    return SUITE("checkpoint", cases);
}
