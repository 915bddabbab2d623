/* Rows of the feature list about what is kept and printed: kernels in a function's cache, and
 * dumps of every transform that parse back. */
#include "tests/unit/host_rows.h"

BODY(square, out[0] = cot_mul(in[0], in[0]);)
BODY(product, out[0] = cot_mul(in[0], in[1]);)
BODY(energy, out[0] = cot_reduce_sum(cot_mul(cot_sin(in[0]), in[0]));)

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
        { "B195", hits_and_misses, 1 },
        { "B195", many_types_are_found_again, 1 },
        { "B195", static_arguments, 1 },
        { "B195", transforms_made_again, 1 },
        { "B195", draws_are_not_frozen, 1 },
        { "B196", every_transform_prints_and_parses, 1 },
    };

    return SUITE("kept_rows", cases);
}
