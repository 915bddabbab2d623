/* Modules that several threads compile: the results are those of one thread, bit for bit, from
 * any number of contexts at once, and kernels stay whole when others go. */
#define _GNU_SOURCE 1 /* sched_getaffinity */
#include <pthread.h>
#include <sched.h>

#include "codegen/llvm/llvm.h"
#include "traced.h"

enum { N = 24, SIZE = N * N };

/* Some hundred kernels: more than one thread's share. */
BODY(factors, {
    cot_value r, q = cot_qr(in[0], &r);
    out[0] = cot_reduce_sum(cot_sin(cot_mul(cot_inv(in[0]), cot_add(q, r))));
})

static void
fill(double *x)
{
    for (int i = 0; i < SIZE; i++)
        x[i] = (i * 37 % 101) / 50.0 - 1 + (i % (N + 1) == 0 ? 4 : 0);
}

static cot_kernel *
compiled(cot_context *c, const char *backend)
{
    cot_type t = cot_f64(N, N);
    cot_fn *g = cot_grad(cot_fn_new(c, "factors", factors, 1, 1, NULL));
    cot_kernel *k;

    ck_assert_msg(cot_compile(g, (cot_types){ .n = 1, .at = &t },
                              &(cot_compile_options){ .backend = backend }, &k) == COT_OK,
                  "%s", cot_error(c));
    return k;
}

static void
run(cot_context *c, const cot_kernel *k, double *out)
{
    double in[SIZE];
    cot_type t = cot_f64(N, N);

    fill(in);
    cot_array *x = cot_array_copy(c, t, in), *y = cot_array_new(c, t);
    ck_assert_int_eq(cot_run(k, &y, (const cot_array *[]){ x }), COT_OK);
    memcpy(out, cot_array_data(y), sizeof(double) * SIZE);
    cot_array_free(x);
    cot_array_free(y);
}

static void
evaluated(double *out)
{
    cot_kernel *k = compiled(ctx, "eval");

    run(ctx, k, out);
    cot_kernel_free(k);
}

static cot_context *
with_threads(int n)
{
    return cot_context_new(&(cot_options){ .compile_threads = n, .verify = 1 });
}

/* Three kernels of one context, the middle one of which goes first. */
START_TEST(any_number_of_threads)
{
    static const int threads[] = { 1, 2, 3, 4, 99, 0 };
    double want[SIZE], got[SIZE];
    cot_context *c = with_threads(threads[_i]);
    cot_kernel *k[3];

    evaluated(want);
    for (int i = 0; i < 3; i++)
        k[i] = compiled(c, "jit");
    cot_kernel_free(k[1]);
    for (int i = 0; i < 3; i += 2) {
        run(c, k[i], got);
        ck_assert_mem_eq(got, want, sizeof got);
        cot_kernel_free(k[i]);
    }
    cot_context_free(c);
}
END_TEST

/* A child process that compiles by as many threads as there may be hands back all their
 * objects. */
START_TEST(threads_of_a_child)
{
    double want[SIZE], got[SIZE];
    cot_context *c = cot_context_new(
        &(cot_options){ .compile_threads = CG_LL_COMPILE_THREADS, .isolate = true });
    cot_kernel *k = compiled(c, "jit");

    evaluated(want);
    run(c, k, got);
    ck_assert_mem_eq(got, want, sizeof got);
    cot_kernel_free(k);
    cot_context_free(c);
}
END_TEST

static void *
on_its_own(void *out)
{
    cot_context *c = with_threads(2);
    cot_kernel *k = compiled(c, "jit");

    run(c, k, out);
    cot_kernel_free(k);
    cot_context_free(c);
    return NULL;
}

START_TEST(contexts_at_once)
{
    double want[SIZE], got[3][SIZE];
    pthread_t thread[3];

    evaluated(want);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, on_its_own, got[i]), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 3; i++)
        ck_assert_mem_eq(got[i], want, sizeof want);
}
END_TEST

/* A thread has a machine of its own, made once; one that is given up is made anew, and the
 * others stay. */
START_TEST(machines_of_threads_are_made_once)
{
    const cg_ll_machine *own[CG_LL_COMPILE_THREADS], *m;
    cg_target t = { .cpu = "x86-64" };

    ck_assert_msg(cg_ll_target(ctx, &t) == COT_OK, "%s", cot_error(ctx));
    m = cg_ll_machine_of(ctx, &t);
    ck_assert_ptr_eq(m, cg_ll_machine_of(ctx, &t));
    own[0] = m;
    for (int i = 1; i < CG_LL_COMPILE_THREADS; i++) {
        own[i] = cg_ll_machine_like(ctx, m, i);
        ck_assert_ptr_nonnull(own[i]);
        for (int j = 0; j < i; j++)
            ck_assert_ptr_ne(own[i], own[j]);
    }
    cg_ll_forget_machine(ctx, own[2]);
    for (int i = 1; i < CG_LL_COMPILE_THREADS; i++)
        ck_assert_int_eq(cg_ll_machine_like(ctx, m, i) == own[i], i != 2);
    LLVMDisposeTargetMachine(own[2]->tm);
}
END_TEST

/* Two threads on one processor would make two modules and gain nothing. */
START_TEST(threads_are_as_many_as_processors_that_may_be_used)
{
    cpu_set_t all, one;
    int first = 0;

    CPU_ZERO(&one);
    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_SET(first, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    cot_context *few = with_threads(0), *said = with_threads(3);
    ck_assert_int_eq(cg_ll_threads_of(few), 1);
    ck_assert_int_eq(cg_ll_threads_of(said), 3);
    cot_context_free(few);
    cot_context_free(said);
    ck_assert_int_eq(sched_setaffinity(0, sizeof all, &all), 0);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(machines_of_threads_are_made_once),
        EACH(any_number_of_threads, 6),
        ONCE(threads_of_a_child),
        ONCE(contexts_at_once),
        ONCE(threads_are_as_many_as_processors_that_may_be_used),
    };
    return SUITE("parallel_compile", cases);
}
