/* The CUDA runtime over a double of the driver, which runs kernels by the simulator: results
 * bit for bit, and what is asked of the driver. */
#include "cuda_programs.h"

#include <math.h>
#include <pthread.h>

#include "runtime/check.h"

static const struct { const char *text; bool straight; } program[] = {
    { scale, true }, { layers, true }, { loops, false },
};

static const cot_graph *
graph_of(int i)
{
    return parsed(program[i].text == loops ? with_max("100") : program[i].text);
}

START_TEST(arrays_of_the_host)
{
    const cot_graph *g = graph_of(_i);
    cot_kernel *k = gpu_compile(g);
    arrays a = made(g, "host", 1);

    ck_assert_int_eq(k->program->straight, program[_i].straight);
    ck_assert_msg(run(k, &a) == COT_OK, "%s", cot_error(ctx));
    agrees(&a, COT_OK);
    let_go(&a);
    cot_kernel_free(k);
}
END_TEST

START_TEST(arrays_of_the_device)
{
    const cot_graph *g = graph_of(_i);
    cot_kernel *k = gpu_compile(g);
    arrays a = made(g, "cuda", 1);
    const double_state before = driver_state();

    ck_assert_msg(run(k, &a) == COT_OK, "%s", cot_error(ctx));
    if (program[_i].straight && !k->program->fails) {
        ck_assert_msg(driver_state().syncs == before.syncs,
                      "a call that nobody waits for has waited");
        ck_assert_int_eq(driver_state().launches, before.launches);
        ck_assert_int_gt(driver_state().waiting, 0);
    }
    ck_assert_int_eq(driver_state().copies_in, before.copies_in);
    agrees(&a, COT_OK);
    ck_assert_int_eq(driver_state().waiting, 0);
    let_go(&a);
    cot_kernel_free(k);
}
END_TEST

/* More parameters than plain PTX takes: 4352 bytes. */
START_TEST(a_kernel_has_many_arguments)
{
    enum { N = 600 };
    static char text[N * 60];
    const cot_array *in[N];
    cot_array *x = cot_array_new(ctx, cot_f32(4)), *y = cot_array_new(ctx, cot_f32(4));
    char *to = text + sprintf(text, "fn @f(");
    cot_kernel *k;

    for (int i = 0; i < N; i++)
        to += sprintf(to, "%s%%a%d: f32[4]", i ? ", " : "", i);
    to += sprintf(to, ") -> f32[4] {\n  %%0 = add %%a0, %%a1 : f32[4]\n");
    for (int i = 2; i < N; i++)
        to += sprintf(to, "  %%%d = add %%%d, %%a%d : f32[4]\n", i - 1, i - 2, i);
    sprintf(to, "  ret %%%d\n}\n", N - 2);
    k = gpu_compile(parsed(text));
    for (int i = 0; i < N; i++)
        in[i] = x;
    for (int i = 0; i < 4; i++)
        ((float *)cot_array_data(x))[i] = (float)i;
    ck_assert_msg(cot_run(k, &y, in) == COT_OK, "%s", cot_error(ctx));
    for (int i = 0; i < 4; i++)
        ck_assert_float_eq(((const float *)cot_array_read(y))[i], (float)(N * i));
    cot_array_free(x);
    cot_array_free(y);
    cot_kernel_free(k);
}
END_TEST

/* A launch asks for more shared memory than is static, and the runtime has allowed it.  Sums by
 * the simulator are in order of k whatever the tile is: of this GPU of one processor, a wide
 * one. */
START_TEST(shared_memory_is_asked_for)
{
    const cot_graph *g =
        parsed("fn @f(%x: bf16[130,170], %y: bf16[170,264]) -> bf16[130,264] {\n"
               "  %0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : "
               "bf16[130,264]\n"
               "  ret %0\n}\n");
    cot_kernel *k = NULL, *sim = NULL;
    cot_array *x = cot_array_new(ctx, cot_bf16(130, 170)),
              *y = cot_array_new(ctx, cot_bf16(170, 264)),
              *got = cot_array_new(ctx, cot_bf16(130, 264)),
              *want = cot_array_new(ctx, cot_bf16(130, 264));
    const cot_array *const in[] = { x, y };

    for (int i = 0; i < 130 * 170; i++)
        ((uint16_t *)cot_array_data(x))[i] = (uint16_t)(0x3f00 + i % 97);
    for (int i = 0; i < 170 * 264; i++)
        ((uint16_t *)cot_array_data(y))[i] = (uint16_t)(0x3e80 + i % 89);
    ck_assert_msg(cot_compile_graph(g, &(cot_compile_options){ .backend = "cuda", .fast = 1 },
                                    &k) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(cg_launch_of(k->program->module->kernel[1]).dynamic, 96 << 10);
    ck_assert_int_eq(cot_compile_graph(g, &(cot_compile_options){ .backend = "sim", .fast = 1 },
                                       &sim), COT_OK);
    ck_assert_msg(cot_run(knows(k), &got, in) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(cot_run(sim, &want, in), COT_OK);
    ck_assert_mem_eq(cot_array_read(got), cot_array_read(want), 2 * 130 * 264);
    cot_kernel_free(k);
    cot_kernel_free(sim);
    cot_array_free(x);
    cot_array_free(y);
    cot_array_free(got);
    cot_array_free(want);
}
END_TEST

/* A pool of the context's own: the device's default one, which is the process's, is not
 * touched, and others get the memory that a context kept when its last array goes. */
START_TEST(the_pool_goes_last)
{
    const int64_t before = driver_state().pools;
    cot_context *other = new_context(NULL);
    cot_array *a = cot_array_new_on(other, cot_f32(100), "cuda");

    ck_assert_msg(a != NULL, "%s", cot_error(other));
    ck_assert_int_eq(driver_state().pools, before + 1);
    cot_context_free(other);
    ck_assert_int_eq(driver_state().pools, before + 1);
    cot_array_free(a);          /* the last to hold the gpu */
    ck_assert_int_eq(driver_state().pools, before);
}
END_TEST

/* The same addresses again: one graph, and the same bits. */
START_TEST(a_graph_replays_the_launches)
{
    const cot_graph *g = parsed(layers);
    cot_kernel *k = gpu_compile(g);
    arrays a = made(g, "cuda", 1), b = made(g, "cuda", 1);

    set("capture", _i);
    for (int n = 0; n < 4; n++) {
        ck_assert_int_eq(run(k, &a), COT_OK);
        agrees(&a, COT_OK);
    }
    ck_assert_int_eq(driver_state().graphs, _i);
    memset(cot_array_data(b.out[0]), 0,
           cot_array_bytes(b.out[0])); /* the double's memory is this process's */
    ck_assert_int_eq(run(k, &b), COT_OK);
    agrees(&b, COT_OK);
    ck_assert_int_eq(driver_state().graphs, 0);
    let_go(&a);
    let_go(&b);
    cot_kernel_free(k);
}
END_TEST

START_TEST(a_module_is_compiled_once)
{
    const cot_graph *g = parsed(scale);
    cot_kernel *k = gpu_compile(g), *same = gpu_compile(g),
               *other = gpu_compile(parsed(layers));

    ck_assert_int_eq(driver_state().modules, 2);
    cot_kernel_free(k);
    cot_kernel_free(same);
    ck_assert_int_eq(driver_state().modules, 2);
    cot_kernel_free(other);
    ck_assert_int_le(driver_state().modules, 2);
}
END_TEST

/* An in/out argument has its new value, here and there. */
START_TEST(an_argument_is_updated)
{
    const cot_graph *g =
        parsed("fn @f(%x: inout f32[40], %y: f32[40]) -> (f32[40], f32[40]) {\n"
               "  %0 = mul %x, %y : f32[40]\n"
               "  %1 = add %x, %y : f32[40]\n"
               "  ret %0, %1\n}\n");
    cot_kernel *k = gpu_compile(g);
    float x[40], y[40], z[40];

    for (int n = 0; n < 40; n++) {
        x[n] = (float)n;
        y[n] = (float)(2 * n + 1);
    }
    cot_array *in[2] = { cot_array_copy(ctx, cot_f32(40), x),
                         cot_array_copy(ctx, cot_f32(40), y) };
    cot_array *out = cot_array_borrow(ctx, cot_f32(40), z),
              *there = cot_array_to(ctx, in[0], "cuda");

    for (int i = 0; i < 2; i++) {
        const cot_array *args[] = { i ? there : in[0], in[1] };

        ck_assert_msg(cot_run(k, &out, args) == COT_OK, "%s", cot_error(ctx));
        cot_array *now = cot_array_to(ctx, args[0], "host");
        for (int n = 0; n < 40; n++) {
            ck_assert(z[n] == x[n] * y[n]);
            ck_assert(((const float *)cot_array_read(now))[n] == x[n] + y[n]);
        }
        cot_array_free(now);
    }
    cot_array_free(in[0]);
    cot_array_free(in[1]);
    cot_array_free(out);
    cot_array_free(there);
    cot_kernel_free(k);
}
END_TEST

/* A result that lies in a donated argument. */
START_TEST(an_argument_is_donated)
{
    cot_kernel *k;
    cot_array *x[2], *out;

    ck_assert_int_eq(
        cot_compile_graph(parsed(scale),
                          &(cot_compile_options){ .backend = "cuda", .donated = COT_LIST(0) },
                          &k),
        COT_OK);
    knows(k);
    for (int i = 0; i < 2; i++) {
        float data[40];

        for (int n = 0; n < 40; n++)
            data[n] = (float)(n + i);
        x[i] = cot_array_copy(ctx, cot_f32(40), data);
    }
    out = x[0];
    ck_assert_msg(cot_run(k, &out, (const cot_array *const *)x) == COT_OK, "%s",
                  cot_error(ctx));
    for (int n = 0; n < 40; n++)
        ck_assert(((const float *)cot_array_read(out))[n] == (float)(n * (n + 1) + n + 1));
    cot_array_free(x[0]);
    cot_array_free(x[1]);
    cot_kernel_free(k);
}
END_TEST

static void
twice(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    (void)user;
    out[0] = cot_add(in[0], in[0]);
}

/* cot_jit makes results where the arguments are. */
START_TEST(jit_answers_where_it_is_asked)
{
    cot_context *old = ctx;
    float data[64];

    ctx = new_context("cuda:sm_80");
    cot_fn *f = cot_fn_new(ctx, "twice", twice, 1, 1, NULL);
    for (int i = 0; i < 64; i++)
        data[i] = (float)i;
    cot_array *x = cot_array_copy(ctx, cot_f32(64), data),
              *there = cot_array_to(ctx, x, "cuda:0"), *y = NULL, *z = NULL;
    ck_assert_str_eq(cot_array_device(there), "cuda:0");
    on_launch(NULL, NULL); /* nothing is computed: only where it would be counts */
    ck_assert_msg(cot_jit(f, &y, 1, (const cot_array *[]){ x }, 1) == COT_OK, "%s",
                  cot_error(ctx));
    ck_assert_str_eq(cot_array_device(y), "host");
    ck_assert_int_eq(cot_jit(f, &z, 1, (const cot_array *[]){ there }, 1), COT_OK);
    ck_assert_str_eq(cot_array_device(z), "cuda:0");
    ck_assert_int_eq(cot_device_wait(ctx), COT_OK);
    cot_array_free(x);
    cot_array_free(y);
    cot_array_free(z);
    cot_context_free(ctx);
    ctx = old;
    cot_array_free(there); /* it outlives its context */
}
END_TEST

/* The choice by size: a few elements stay here, a long computation goes. */
START_TEST(auto_chooses_by_size)
{
    cot_context *old = ctx;
    cot_kernel *small, *large;

    ctx = new_context("auto");
    ck_assert_int_eq(cot_compile_graph(parsed(scale), NULL, &small), COT_OK);
    ck_assert_ptr_null(small->program);
    const cot_graph *g = parsed("fn @s(%x: f32[4000000]) -> (f32[4000000]) {\n"
                                "  %0 = sin %x : f32[4000000]\n"
                                "  %1 = exp %0 : f32[4000000]\n"
                                "  %2 = tanh %1 : f32[4000000]\n"
                                "  %3 = cos %2 : f32[4000000]\n"
                                "  ret %3\n}\n"
                                "fn @f(%x: f32[4000000]) -> f32[4000000] {\n"
                                "  %0 = call %x {body=@s} : f32[4000000]\n"
                                "  %1 = call %0 {body=@s} : f32[4000000]\n"
                                "  %2 = call %1 {body=@s} : f32[4000000]\n"
                                "  ret %2\n}\n");
    ck_assert_msg(cot_compile_graph(g, NULL, &large) == COT_OK, "%s", cot_error(ctx));
    ck_assert_ptr_nonnull(large->program);
    cot_kernel_free(small);
    cot_kernel_free(large);
    cot_context_free(ctx);
    ctx = cot_context_new(
        &(cot_options){ .verify = 1, .driver = "/none/libcuda.so.1", .target = "auto" });
    g = parsed(scale);
    ck_assert_int_eq(cot_compile_graph(g, NULL, &small), COT_OK);
    ck_assert_ptr_null(small->program);
    cot_kernel_free(small);
    cot_context_free(ctx);
    ctx = old;
}
END_TEST

static void
append(void *user, const char *text, size_t bytes)
{
    char *to = user;

    (void)snprintf(to + strlen(to), 20000 - strlen(to), "%.*s", (int)bytes, text);
}

/* What it weighs: launches, what the bus carries, arithmetic and memory.  A sum of short
 * vectors is read here before a launch is done; one of longer vectors is not, since the bus
 * is faster than this memory; a product has few bytes for its arithmetic. */
START_TEST(auto_weighs_the_bus_and_the_arithmetic)
{
    static const struct {
        const char *text;
        bool there;
    } row[] = {
        { "fn @f(%x: f32[40000], %y: f32[40000]) -> f32[40000] {\n"
          "  %0 = add %x, %y : f32[40000]\n  ret %0\n}\n",
          false },
        { "fn @f(%x: f32[80000], %y: f32[80000]) -> f32[80000] {\n"
          "  %0 = add %x, %y : f32[80000]\n  ret %0\n}\n",
          true },
        { "fn @f(%x: f32[128,128], %y: f32[128,128]) -> f32[128,128] {\n"
          "  %0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : "
          "f32[128,128]\n"
          "  ret %0\n}\n",
          true },
        { "fn @f(%x: f32[16,16], %y: f32[16,16]) -> f32[16,16] {\n"
          "  %0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : "
          "f32[16,16]\n"
          "  ret %0\n}\n",
          false },
    };
    cot_context *old = ctx;
    cot_kernel *k;

    ctx = new_context("auto");
    ck_assert_msg(cot_compile_graph(parsed(row[_i].text), NULL, &k) == COT_OK, "%s",
                  cot_error(ctx));
    ck_assert_int_eq(k->program != NULL, row[_i].there);
    cot_kernel_free(k);
    cot_context_free(ctx);
    ctx = old;
}
END_TEST

/* Without a name for it, kernels are for the GPU that is there: with the instructions that
 * it has, and those of the newest that is known where it is newer. */
START_TEST(kernels_are_for_the_gpu_that_is_there)
{
    static const struct {
        int arch;
        const char *target;
    } row[] = {
        { 80, ".target sm_80" },
        { 89, ".target sm_80" },
        { 90, ".target sm_90" },
        { 100, ".target sm_90" },
    };
    static char text[20000];
    cot_kernel *k;

    set("arch", row[_i].arch);
    ck_assert_msg(cot_compile_graph(parsed(scale), &(cot_compile_options){ .backend = "cuda" },
                                    &k) == COT_OK,
                  "%s", cot_error(ctx));
    *text = '\0';
    ck_assert_msg(cot_dump_kernel(k, "ptx", append, text) == COT_OK, "%s", cot_error(ctx));
    ck_assert_msg(strstr(text, row[_i].target) != NULL, "%s", text);
    cot_kernel_free(k);
}
END_TEST

/* Two contexts, each with a stream of its own: each sees what the other made of an array,
 * though nobody waits. */
START_TEST(contexts_share_an_array)
{
    cot_context *first = ctx, *second = new_context(NULL);
    const cot_graph *g = parsed(scale);
    cot_kernel *k = gpu_compile(g), *k2;
    arrays a = made(g, "cuda", 1), b = { 0 };
    float want[40];

    ctx = second;
    const cot_graph *g2 = parsed(scale);
    k2 = gpu_compile(g2);
    b = made(g2, "cuda", 1);
    ck_assert_ptr_ne(k->program->place, k2->program->place);
    memcpy(want, cot_array_data(a.in[0]),
           sizeof want); /* the double's memory is this process's */
    const double_state before = driver_state();
    /* x y + y here; of that with y there; of that with y here, into what the first was read
     * from */
    for (int i = 0; i < 3; i++) {
        cot_array *x = i == 0 ? a.in[0] : i == 1 ? a.out[0] : b.out[0];
        cot_array *y = i == 1 ? b.in[1] : a.in[1], *z = i == 0   ? a.out[0]
                                                        : i == 1 ? b.out[0]
                                                                 : a.in[0];

        ck_assert_int_eq(cot_run(i == 1 ? k2 : k, &z, (const cot_array *[]){ x, y }), COT_OK);
    }
    ck_assert_int_eq(driver_state().syncs, before.syncs);
    cot_array *here = cot_array_to(first, a.in[0], "host"),
              *y = cot_array_to(first, a.in[1], "host");
    for (int n = 0; n < 40; n++) {
        const float yn = ((const float *)cot_array_read(y))[n];

        for (int i = 0; i < 3; i++)
            want[n] = fmaf(want[n], yn, yn);
        ck_assert(((const float *)cot_array_read(here))[n] == want[n]);
    }
    cot_array_free(here);
    cot_array_free(y);
    /* what one lets go of the other has read before */
    ck_assert_int_eq(cot_run(k2, &b.out[0], (const cot_array *[]){ a.in[0], a.in[1] }), COT_OK);
    let_go(&a);
    let_go(&b);
    ck_assert_int_eq(cot_device_wait(first), COT_OK);
    ck_assert_int_eq(cot_device_wait(second), COT_OK);
    cot_kernel_free(k);
    cot_kernel_free(k2);
    cot_context_free(second);
    ctx = first;
}
END_TEST

typedef struct caller { const cot_kernel *k; arrays a; cot_status status; } caller;

static void *
call_often(void *arg)
{
    caller *c = arg;

    for (int i = 0; i < 5 && c->status == COT_OK; i++)
        c->status = run(c->k, &c->a);
    return NULL;
}

/* Calls from threads do not mix in the stream, though they share a work block. */
START_TEST(threads_call_at_once)
{
    const cot_graph *g = parsed(layers);
    cot_kernel *k = gpu_compile(g);
    pthread_t thread[3];
    caller c[3];

    for (int i = 0; i < 3; i++) {
        c[i] = (caller){ k, made(g, i ? "host" : "cuda", 1), COT_OK };
        ck_assert_int_eq(pthread_create(&thread[i], NULL, call_often, &c[i]), 0);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(c[i].status, COT_OK);
        agrees(&c[i].a, COT_OK);
        let_go(&c[i].a);
    }
    cot_kernel_free(k);
}
END_TEST

/* What can be looked at: the kernels, the plan, the PTX. */
START_TEST(a_kernel_is_printed)
{
    static char text[20000];
    cot_kernel *k = gpu_compile(parsed(scale)), *here;

    *text = '\0';
    ck_assert_msg(cot_dump_kernel(k, "ptx", append, text) == COT_OK, "%s", cot_error(ctx));
    ck_assert(strstr(text, ".visible .entry f_") != NULL);
    *text = '\0';
    ck_assert_int_eq(cot_dump_kernel(k, "kernels", append, text), COT_OK);
    ck_assert(strstr(text, "grid ") != NULL);
    ck_assert_int_eq(cot_dump_kernel(k, "asm", append, text), COT_ERR_TARGET);
    ck_assert_str_eq(cot_error(ctx), "kernels of a GPU have no such stage; wants ptx");
    cot_error_clear(ctx);
    ck_assert_int_eq(
        cot_compile_graph(parsed(scale), &(cot_compile_options){ .backend = "jit" }, &here),
        COT_OK);
    ck_assert_int_eq(cot_dump_kernel(here, "ptx", append, text), COT_ERR_TARGET);
    ck_assert_str_eq(cot_error(ctx), "this stage needs the back end cuda or sim");
    cot_error_clear(ctx);
    ck_assert_ptr_null(cot_kernel_entry(k));
    cot_kernel_free(here);
    cot_kernel_free(k);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "results", arrays_of_the_host, 3 },
        { "results", arrays_of_the_device, 3 },
        { "results", a_graph_replays_the_launches, 2 },
        { "results", a_kernel_has_many_arguments, 0 },
        { "results", the_pool_goes_last, 0 },
        { "results", shared_memory_is_asked_for, 0 },
        { "results", a_module_is_compiled_once, 0 },
        { "results", an_argument_is_updated, 0 },
        { "results", an_argument_is_donated, 0 },
        { "results", jit_answers_where_it_is_asked, 0 },
        { "results", auto_chooses_by_size, 0 },
        { "results", auto_weighs_the_bus_and_the_arithmetic, 4 },
        { "results", kernels_are_for_the_gpu_that_is_there, 4 },
        { "results", contexts_share_an_array, 0 },
        { "results", threads_call_at_once, 0 },
        { "results", a_kernel_is_printed, 0 },
    };

    return SUITE_WITH("cuda", cases, begin, end);
}
