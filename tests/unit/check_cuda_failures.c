/* Every way in which the driver of a GPU may refuse, over a double of it: each is a status and
 * a sentence, and the next call works. */
#include "cuda_programs.h"

static void
says(const char *want)
{
    ck_assert_msg(strstr(cot_error(ctx), want) != NULL, "the message is: %s\nwants: %s",
                  cot_error(ctx), want);
    cot_error_clear(ctx);
}

START_TEST(the_driver_is_refused)
{
    static const struct { const char *setting; int64_t value; const char *want;
    } row[] = {
        { "version", 10020, "the CUDA driver is of version 10.2; wants 11.4 or newer" },
        { "devices", 0,
          "the CUDA driver does not start: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device "
          "is detected" },
        { "init", 999,
          "the CUDA driver does not start: error (999): which the driver does not explain" },
        { "arch", 75, "Double 0 is sm_75; wants sm_80 or newer" },
        { "pools", 0, "Double 0 has no memory pools; wants a GPU and a driver that do" },
        { "jit", 1,
          "Double 0: compiling PTX: CUDA_ERROR_INVALID_PTX (218): a PTX JIT compilation "
          "failed; ptxas application ptx "
          "input, line 9; fatal : this is a double" },
    };
    cot_kernel *k;

    set(row[_i].setting, row[_i].value);
    ck_assert_int_eq(
        cot_compile_graph(parsed(scale), &(cot_compile_options){ .backend = "cuda" }, &k),
        COT_ERR_TARGET);
    ck_assert_ptr_null(k);
    says(row[_i].want);
    ck_assert_int_eq(cot_device_count(ctx, "cuda"), _i == 5);
    set("reset", 0); /* it is asked again, and found */
    ck_assert_int_eq(
        cot_compile_graph(parsed(scale), &(cot_compile_options){ .backend = "cuda" }, &k),
        COT_OK);
    cot_kernel_free(k);
}
END_TEST

START_TEST(there_is_no_driver)
{
    cot_context *old = ctx;
    cot_kernel *k;

    ctx = cot_context_new(&(cot_options){ .driver = "/none/libcuda.so.1", .target = "cuda" });
    ck_assert_int_eq(cot_compile_graph(parsed(scale), NULL, &k), COT_ERR_TARGET);
    says("there is no CUDA driver: /none/libcuda.so.1: cannot open shared object file");
    ck_assert_ptr_null(cot_array_new_on(ctx, cot_f32(3), "cuda:1"));
    says("there is no CUDA driver");
    ck_assert_int_eq(cot_device_count(ctx, "cuda"), 0);
    cot_context_free(ctx);
    ctx = old;
}
END_TEST

START_TEST(there_is_no_such_device)
{
    ck_assert_ptr_null(cot_array_new_on(ctx, cot_f32(3), "cuda:3"));
    says("there is no CUDA device 3: the driver has 1");
    ck_assert_ptr_null(cot_array_new_on(ctx, cot_f32(3), "cuda:99"));
    says("there is no CUDA device 99");
    ck_assert_ptr_null(cot_array_new_on(ctx, cot_f32(3), "tpu"));
    says("the device is 'tpu'; wants host, cuda or cuda:1");
}
END_TEST

/* Memory is short for the copies of arguments; with more the same kernel runs. */
START_TEST(memory_of_the_device_is_short)
{
    const cot_graph *g = parsed(layers);
    cot_kernel *k = gpu_compile(g);
    arrays a = made(g, "host", 1);

    for (int64_t bytes = 100; bytes < 20000; bytes += 1500) {
        set("memory", bytes);
        cot_status s = run(k, &a);
        if (s == COT_OK)
            break;
        ck_assert_int_eq(s, COT_ERR_MEMORY);
        says("Double 0: allocating memory: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
    }
    set("memory", 0);
    ck_assert_ptr_null(cot_array_to(ctx, a.in[0], "cuda"));
    says("out of memory");
    set("reset", 0);
    ck_assert_int_eq(run(k, &a), COT_OK);
    agrees(&a, COT_OK);
    let_go(&a);
    cot_kernel_free(k);
}
END_TEST

START_TEST(a_launch_fails)
{
    const cot_graph *g = parsed(layers);
    cot_kernel *k = gpu_compile(g);
    arrays a = made(g, "host", 1);

    set("launch", driver_state().launches + 2);
    ck_assert_int_eq(run(k, &a), COT_ERR_TARGET);
    says("f: Double 0: ");
    let_go(&a);
    cot_kernel_free(k);
}
END_TEST

/* What fails after a call that did not wait is said by who waits. */
START_TEST(a_failure_is_said_by_who_waits)
{
    const cot_graph *g = parsed(scale);
    cot_kernel *k = gpu_compile(g);
    arrays a = made(g, "cuda", 1);

    set("launch", driver_state().launches + 1);
    ck_assert_int_eq(run(k, &a), COT_OK);
    ck_assert_int_eq(cot_device_wait(ctx), COT_ERR_TARGET);
    says("Double 0: waiting for the device: CUDA_ERROR_LAUNCH_FAILED (719): unspecified launch "
         "failure");
    ck_assert_ptr_null(cot_array_to(ctx, a.out[0], "host"));
    says("unspecified launch failure");
    let_go(&a);
    cot_kernel_free(k);
}
END_TEST

START_TEST(a_loop_passes_its_bound)
{
    const cot_graph *g = parsed(with_max("3"));
    cot_kernel *k = gpu_compile(g);
    arrays a = made(g, _i ? "cuda" : "host", 1);

    ck_assert_int_eq(run(k, &a), COT_ERR_BOUND);
    says("test.cot:16: while: still goes on after 3 steps, its max");
    let_go(&a);
    cot_kernel_free(k);
}
END_TEST

/* A kernel of this machine does not take the device's memory. */
START_TEST(an_array_is_elsewhere)
{
    const cot_graph *g = parsed(scale);
    arrays a = made(g, "cuda", 1);
    cot_kernel *k;

    ck_assert_int_eq(cot_compile_graph(g, &(cot_compile_options){ .backend = "eval" }, &k),
                     COT_OK);
    ck_assert_int_eq(run(k, &a), COT_ERR_ARG);
    says("f: argument 0 is on cuda:0; wants an array of this machine: cot_array_to copies");
    let_go(&a);
    cot_kernel_free(k);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "failures", the_driver_is_refused, 6 },
        { "failures", there_is_no_driver, 0 },
        { "failures", there_is_no_such_device, 0 },
        { "failures", memory_of_the_device_is_short, 0 },
        { "failures", a_launch_fails, 0 },
        { "failures", a_failure_is_said_by_who_waits, 0 },
        { "failures", a_loop_passes_its_bound, 2 },
        { "failures", an_array_is_elsewhere, 0 },
    };

    return SUITE_WITH("cuda_failures", cases, begin, end);
}
