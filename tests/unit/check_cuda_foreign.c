/* C functions in programs for a GPU, over a double of the driver: those of the host, those that
 * get a stream, and what PTX cannot hold (row A112). */
#include "tests/gpu/arrays.h"

#include <math.h>

static void
says(const char *want)
{
    ck_assert_msg(strstr(cot_error(ctx), want) != NULL, "the message is: %s\nwants: %s",
                  cot_error(ctx), want);
    cot_error_clear(ctx);
}

static int foreign_calls;

static void
foreign_reverse(float *x, int64_t n)
{
    foreign_calls++;
    for (int64_t i = 0; i < n / 2; i++) {
        float t = x[i];

        x[i] = x[n - 1 - i];
        x[n - 1 - i] = t;
    }
}

static int
foreign_refuses(const float *x, float *y)
{
    *y = *x;
    return *x > 0 ? 3 : 0;
}

static void
like_first(const cot_custom_info *info, const cot_type *in, cot_type *out)
{
    (void)info;
    out[0] = in[0];
}

static void
keep_count(cot_setup *s, const cot_custom_info *info)
{
    cot_type t = cot_setup_in_type(s, 0);

    (void)info;
    cot_save_data(s, cot_type_count(&t));
}

/* In the midst of kernels, whose memory it reads and writes. */
static void
around_foreign(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    cot_value y = cot_custom_call((const cot_custom *)user, COT_LIST(),
                                  COT_VALUES(cot_mul(in[0], 2)), NULL);
    out[0] = cot_add(y, in[0]);
}

START_TEST(a_function_of_the_host_is_called)
{
    const cot_custom *c =
        cot_custom_new(ctx, "lib.reverse", .symbol = (cot_symbol *)foreign_reverse,
                       .prototype = "void foreign_reverse(float *out0 = in0, int64_t data0)",
                       .types = like_first, .setup = keep_count);
    cot_fn *f = cot_fn_new(ctx, "f", around_foreign, 1, 1, (void *)(uintptr_t)c);
    const cot_graph *g;

    ck_assert_msg(cot_trace_fn(f, COT_TYPES(cot_f32(50)), &g) == COT_OK, "%s", cot_error(ctx));
    cot_kernel *k = gpu_compile(g), *sim;
    arrays a = made(g, _i ? "cuda" : "host", 1);
    foreign_calls = 0;
    ck_assert_msg(run(k, &a) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(foreign_calls, 1);
    agrees(&a, COT_OK);
    ck_assert_int_eq(cot_compile_graph(g, &(cot_compile_options){ .backend = "sim" }, &sim),
                     COT_OK);
    arrays b = made(g, "host", 1);
    ck_assert_int_eq(run(sim, &b), COT_OK);
    agrees(&b, COT_OK);
    let_go(&a);
    let_go(&b);
    cot_kernel_free(k);
    cot_kernel_free(sim);
}
END_TEST

START_TEST(a_function_of_the_host_fails)
{
    const cot_custom *c = cot_custom_new(
        ctx, "lib.refuse", .symbol = (cot_symbol *)foreign_refuses,
        .prototype = "status = int foreign_refuses(const float *in0, float *out0)",
        .types = like_first);
    cot_fn *f = cot_fn_new(ctx, "f", around_foreign, 1, 1, (void *)(uintptr_t)c);
    const cot_graph *g;

    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f32()), &g), COT_OK);
    cot_kernel *k = gpu_compile(g);
    arrays a = made(g, "host", 1);
    *(float *)cot_array_data(a.in[0]) = 1;
    ck_assert_int_eq(run(k, &a), COT_ERR_FOREIGN);
    says("f: lib.refuse failed: its C code answered a status that is not 0");
    *(float *)cot_array_data(a.in[0]) = -1;
    ck_assert_int_eq(run(k, &a), COT_OK);
    agrees(&a, COT_OK);
    let_go(&a);
    cot_kernel_free(k);
}
END_TEST

/* A function that runs on the device: it puts its work into the stream, and does not wait. */
static int (*copy_on_device)(uint64_t to, uint64_t from, size_t bytes, void *stream);

static void
foreign_rotate(const float *x, float *y, uint64_t n, void *stream)
{
    ck_assert_ptr_nonnull(stream);
    foreign_calls++;
    (void)copy_on_device((uintptr_t)y, (uintptr_t)(x + 1), 4 * (n - 1), stream);
    (void)copy_on_device((uintptr_t)(y + n - 1), (uintptr_t)x, 4, stream);
}

START_TEST(a_function_of_the_device_is_called)
{
    union {
        void *at;
        int (*f)(uint64_t, uint64_t, size_t, void *);
    } u = { dlsym(library, "cuMemcpyDtoDAsync_v2") };
    const cot_custom *c = cot_custom_new(
        ctx, "lib.rotate", .symbol = (cot_symbol *)foreign_rotate,
        .prototype =
            "void foreign_rotate(const float *in0, float *out0, size_t data0, void *stream)",
        .types = like_first, .setup = keep_count);
    cot_fn *f = cot_fn_new(ctx, "f", around_foreign, 1, 1, (void *)(uintptr_t)c);
    const cot_graph *g;
    static const char *const other[] = { "jit", "sim" };

    copy_on_device = u.f;
    ck_assert_msg(cot_trace_fn(f, COT_TYPES(cot_f32(50)), &g) == COT_OK, "%s", cot_error(ctx));
    cot_kernel *k = gpu_compile(g), *none;
    arrays a = made(g, "cuda", 1);
    const double_state before = driver_state();
    foreign_calls = 0;
    ck_assert_msg(run(k, &a) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(foreign_calls, 1);
    ck_assert_int_eq(driver_state().syncs, before.syncs);
    cot_array *x = cot_array_to(ctx, a.in[0], "host"), *y = cot_array_to(ctx, a.out[0], "host");
    const float *in = cot_array_read(x), *out = cot_array_read(y);
    for (int i = 0; i < 50; i++)
        ck_assert(out[i] == in[(i + 1) % 50] * 2 + in[i]);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(
            cot_compile_graph(g, &(cot_compile_options){ .backend = other[i] }, &none),
            COT_ERR_TARGET);
        ck_assert(strstr(cot_error(ctx), "check_cuda_foreign.c:") != NULL);
        says("lib.rotate runs on a GPU: its prototype takes the stream; wants the back end "
             "cuda");
    }
    cot_array_free(x);
    cot_array_free(y);
    let_go(&a);
    cot_kernel_free(k);
}
END_TEST

/* PTX alone holds no C code: one error, when it is built, with the line. */
START_TEST(ptx_holds_no_function_of_the_host)
{
    const cot_custom *c = cot_custom_new(
        ctx, "lib.refuse", .symbol = (cot_symbol *)foreign_refuses,
        .prototype = "status = int foreign_refuses(const float *in0, float *out0)",
        .types = like_first);
    cot_export e = { cot_fn_new(ctx, "f", around_foreign, 1, 1, (void *)(uintptr_t)c),
                     COT_TYPES(cot_f32()), NULL };

    ck_assert_int_eq(cot_build_object(ctx, &e, 1, NULL, "/tmp/cotrace-none.ptx", NULL),
                     COT_ERR_TARGET);
    ck_assert(strstr(cot_error(ctx), "check_cuda_foreign.c:") != NULL);
    says("lib.refuse is C code of the host, which PTX alone cannot hold; wants a run in this "
         "process, or another back end");
    ck_assert_int_eq(
        cot_build_object(ctx, &e, 1, NULL, "/tmp/cotrace-none.ptx", "/tmp/cotrace-none.h"),
        COT_ERR_ARG);
    says("PTX has no C header");
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "A112", a_function_of_the_host_is_called, 2 },
        { "A112", a_function_of_the_host_fails, 0 },
        { "A112", a_function_of_the_device_is_called, 0 },
        { "A112", ptx_holds_no_function_of_the_host, 0 },
    };

    return SUITE_WITH("cuda_foreign", cases, begin, end);
}
