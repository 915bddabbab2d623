/* Functions with open sizes on a GPU: one kernel for all sizes, by the simulator and by the
 * double of the driver, with the bits of the reference evaluator. */
#include "cotrace/device.h"
#include "tests/gpu/with_double.h"
#include "tests/unit/open_programs.h"

static const int64_t lengths[] = { 0,   1,   2,   3,   16,  17,  31,  32,   33,   64,   65,
                                   127, 255, 256, 257, 511, 512, 513, 1023, 1025, 1537, 2049 };
enum { LENGTHS = sizeof lengths / sizeof *lengths, MOST_PAIRS = 40000 };

/* What it gives for the arrays by the kernel for their sizes alone. */
static cot_array *
evaluated(const program *p, cot_fn *f, cot_array *const *arg)
{
    cot_type t[MAX_ARGS];
    const cot_graph *g = NULL;
    cot_kernel *k = NULL;
    cot_array *y;

    for (int i = 0; i < p->n; i++)
        t[i] = cot_array_type(arg[i]);
    ck_assert_int_eq(cot_trace_fn(f, (cot_types){ .n = p->n, .at = t }, &g), COT_OK);
    ck_assert_msg(cot_compile_graph(g, &(cot_compile_options){ .backend = "eval" }, &k) ==
                      COT_OK,
                  "%s", cot_error(ctx));
    y = cot_array_new(ctx, cot_graph_out_type(g, 0));
    ck_assert_int_eq(cot_run(k, &y, (const cot_array *const *)arg), COT_OK);
    cot_kernel_free(k);
    return y;
}

static bool
same(const cot_array *x, const cot_array *y)
{
    const size_t bytes = cot_array_bytes(x);

    return bytes == cot_array_bytes(y) &&
           (bytes == 0 || memcmp(cot_array_read(x), cot_array_read(y), bytes) == 0);
}

/* Numbers of blocks that are no form of the sizes, and a row of several open axes. */
static bool
is_refused(const program *p)
{
    return p->body == every_second || p->body == joined;
}

START_TEST(has_the_bits_by_the_simulator)
{
    const program *p = &programs[_i];
    cot_fn *f = function_of(p), *open = cot_open(f, p->sizes);
    const cot_compile_options sim = { .backend = "sim" };
    cot_type type[MAX_ARGS];
    cot_kernel *k = NULL;

    if (is_refused(p)) {
        ck_assert_int_eq(cot_compile(open, small_types(p, type), &sim, &k), COT_ERR_SHAPE);
        ck_assert_ptr_nonnull(strstr(cot_error(ctx), "has no kernel for all sizes"));
        cot_error_clear(ctx);
        return;
    }
    ck_assert_msg(cot_compile(open, small_types(p, type), &sim, &k) == COT_OK, "%s: %s",
                  p->name, cot_error(ctx));
    for (int i = 0; i < LENGTHS; i++) {
        const int64_t n = lengths[i], other = lengths[(i + 3) % LENGTHS] % 130;
        cot_array *arg[MAX_ARGS];

        if (!has_size(p, n, other) || n * other > MOST_PAIRS ||
            (n > 130 && (p->body == forces || (p->body == layer && p->arg[0].rank == 3))))
            continue;
        for (int j = 0; j < p->n; j++)
            arg[j] = filled(&p->arg[j], n, other, (uint32_t)(7 * i + j));
        gives(k, p, arg, evaluated(p, f, arg), n);
    }
    cot_kernel_free(k);
}
END_TEST

/* -- the CUDA runtime -- */

/* A kernel of rows, in which a row's sum is of a kernel of its own. */
BODY(layers)
{
    UNUSED;
    const cot_value x = cot_tanh(cot_matmul(in[0], in[1]));

    out[0] = cot_sub(x, cot_mean(x, .axes = COT_LIST(0), .keepdims = 1));
}

static cot_kernel *
compiled_layers(void)
{
    cot_fn *f =
        cot_open(cot_fn_new(ctx, "layers", layers, 2, 1, NULL), "0: [n, _] where n >= 1");
    cot_kernel *k = NULL;

    ck_assert_msg(cot_compile(f, COT_TYPES(cot_f32(9, 24), cot_f32(24, 7)),
                              &(cot_compile_options){ .backend = "cuda" }, &k) == COT_OK,
                  "%s", cot_error(ctx));
    return knows(k);
}

/* The kernel for all sizes, and the arrays of a call. */
static void
call_layers(const cot_kernel *k, int64_t n, const char *device, int times)
{
    static const program p = { "layers", "", layers, false, 1, 2, { { 0 } } };
    const shape rows = { 2, { -1, 24 } }, weights = { 2, { 24, 7 } };
    cot_array *here[] = { filled(&rows, n, 1, (uint32_t)n), filled(&weights, 1, 1, 5) };
    cot_array *want = evaluated(&p, cot_fn_new(ctx, "layers", layers, 2, 1, NULL), here);
    cot_array *arg[] = { cot_array_to(ctx, here[0], device),
                         cot_array_to(ctx, here[1], device) },
              *y = cot_array_new_on(ctx, cot_f32(n, 7), device);

    for (int i = 0; i < times; i++) {
        ck_assert_msg(cot_run(k, &y, (const cot_array *const *)arg) == COT_OK, "%s",
                      cot_error(ctx));
        cot_array *got = cot_array_to(ctx, y, "host");

        ck_assert_msg(same(got, want), "differs at %d, call %d", (int)n, i);
        cot_array_free(got);
    }
    for (int i = 0; i < 2; i++) {
        cot_array_free(arg[i]);
        cot_array_free(here[i]);
    }
    cot_array_free(want);
    cot_array_free(y);
}

/* The launches of a call whose addresses and sizes are those of the call before are captured;
 * memory that was let go of has the same address at another size. */
START_TEST(is_launched_for_each_size)
{
    static const int16_t sizes_in_turn[] = { 5, 300, 1, 600, 299, 300, 5 };
    static const char *const device[] = { "host", "cuda" };
    cot_kernel *k = compiled_layers();

    set("capture", 1);
    ck_assert(k->program->straight);
    for (size_t i = 0; i < sizeof sizes_in_turn / sizeof *sizes_in_turn; i++)
        call_layers(k, sizes_in_turn[i], device[_i], 1 + i % 2 * 3);
    ck_assert_int_gt(driver_state().launches, 0);
    cot_kernel_free(k);
}
END_TEST

START_TEST(refuses_lengths_that_disagree)
{
    cot_kernel *k = compiled_layers();
    const shape rows = { 2, { -1, 24 } }, weights = { 2, { 24, 7 } };
    cot_array *x = filled(&rows, 8, 1, 1), *w = filled(&weights, 1, 1, 1),
              *y = cot_array_new(ctx, cot_f32(7, 7));
    const cot_array *const arg[] = { x, w };

    ck_assert_int_eq(cot_run(k, &y, arg), COT_ERR_SHAPE);
    cot_error_clear(ctx);
    cot_array_free(x);
    cot_array_free(y);
    cot_array_free(w);
    cot_kernel_free(k);
}
END_TEST

/* Tensor cores' products have no bits that a trial could compare. */
START_TEST(refuses_tensor_cores)
{
    cot_fn *f = cot_open(cot_fn_new(ctx, "layer", layer, 2, 1, NULL), "0: [n, _]");
    const cot_compile_options fast = { .backend = "cuda", .fast = true };
    cot_kernel *k = NULL;

    ck_assert_int_eq(cot_compile(f, COT_TYPES(cot_f32(128, 64), cot_f32(64, 128)), &fast, &k),
                     COT_ERR_SHAPE);
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "tensor cores"));
    cot_error_clear(ctx);
}
END_TEST

/* cot_jit where the context's target is a GPU: one compilation, results where the arguments
 * are. */
START_TEST(is_compiled_once)
{
    cot_context *old = ctx;
    cot_fn *f;

    ctx = new_context("cuda");
    on_launch(NULL, NULL); /* nothing is computed: where it would be counts */
    f = cot_open(cot_fn_new(ctx, "map", map, 2, 1, NULL), "0: [n], 1: [n]");
    for (int64_t n = 0; n < 40; n++) {
        const shape line = { 1, { -1 } };
        cot_array *x = filled(&line, n, 0, 1), *there = cot_array_to(ctx, x, "cuda"), *y = NULL;
        const cot_array *arg[] = { there, there };
        const cot_status is = cot_jit(f, &y, 1, arg, 2);

        ck_assert_msg(is == COT_OK, "%s", cot_error(ctx));
        ck_assert_str_eq(cot_array_device(y), "cuda:0");
        cot_array_free(x);
        cot_array_free(there);
        cot_array_free(y);
    }
    ck_assert_int_eq(cot_cache_of(f).misses, 1);
    cot_context_free(ctx);
    ctx = old;
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(has_the_bits_by_the_simulator, PROGRAMS),
        EACH(is_launched_for_each_size, 2),
        ONCE(refuses_lengths_that_disagree),
        ONCE(refuses_tensor_cores),
        ONCE(is_compiled_once),
    };

    return SUITE_WITH("open_device", cases, begin, end);
}
