/* Compiling and calling: caches, threads, work blocks, and what is refused. */
#include <pthread.h>

#include "cotrace/cotrace.h"
#include "ir/context.h"
#include "runtime/compile.h"
#include "tests/unit/suite.h"

static void
twice_plus(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    (void)user;
    out[0] = cot_add(cot_mul(in[0], 2), in[1]);
}

static cot_fn *
new_fn(cot_context *ctx)
{
    return cot_fn_new_((cot_place){ "main.c", 7 }, ctx, "twice_plus", twice_plus, 2, 1, NULL);
}

static void
fill(cot_array *a, float from)
{
    float *x = cot_array_data(a);

    for (size_t i = 0; i < cot_array_bytes(a) / sizeof *x; i++)
        x[i] = from + (float)i;
}

/* ---- cot_jit ---- */

typedef struct caller {
    cot_fn *f;
    int n;
    bool good;
} caller;

/* Each size many times, from many threads at once. */
static void *
call_often(void *arg)
{
    caller *c = arg;
    cot_context *ctx = cot_fn_context(c->f);

    c->good = true;
    for (int run = 0; run < 200; run++) {
        int n = 1 + (run + c->n) % 5;
        float x[5], y[5], z[5] = { 0 };
        cot_array *in[2], *out;

        for (int i = 0; i < n; i++) {
            x[i] = (float)(i + run);
            y[i] = (float)(i - c->n);
        }
        pthread_mutex_lock(&ctx->lock); /* making arrays is not what is tested */
        in[0] = cot_array_borrow(ctx, cot_f32(n), x);
        in[1] = cot_array_borrow(ctx, cot_f32(n), y);
        out = cot_array_borrow(ctx, cot_f32(n), z);
        pthread_mutex_unlock(&ctx->lock);
        c->good &= cot_jit(c->f, &out, 1, (const cot_array *const *)in, 2) == COT_OK;
        for (int i = 0; i < n; i++)
            c->good &= z[i] == 2 * x[i] + y[i];
        cot_array_free(in[0]);
        cot_array_free(in[1]);
        cot_array_free(out);
    }
    return NULL;
}

START_TEST(jit_serves_many_threads)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_fn *f = new_fn(ctx);
    pthread_t thread[4];
    caller c[4];

    for (int i = 0; i < 4; i++) {
        c[i] = (caller){ f, i, false };
        ck_assert_int_eq(pthread_create(&thread[i], NULL, call_often, &c[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        ck_assert(c[i].good);
    }
    cot_context_free(ctx);
}
END_TEST

START_TEST(jit_makes_results_that_are_missing)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_array *x = cot_array_new(ctx, cot_f32(3)), *y = cot_array_new(ctx, cot_f32(3)),
              *z = NULL;

    fill(x, 1);
    fill(y, 10);
    ck_assert_int_eq(cot_jit(new_fn(ctx), &z, 1, (const cot_array *[]){ x, y }, 2), COT_OK);
    ck_assert_float_eq(((float *)cot_array_data(z))[2], 18);
    cot_array_free(x);
    cot_array_free(y);
    cot_array_free(z);
    cot_context_free(ctx);
}
END_TEST

/* ---- cot_run ---- */

typedef struct kit {
    cot_context *ctx;
    cot_kernel *k;
    cot_array *x, *y, *z;
} kit;

static kit
new_kit(const char *backend)
{
    kit t = { .ctx = cot_context_new(NULL) };

    ck_assert_msg(cot_compile(new_fn(t.ctx), COT_TYPES(cot_f32(4), cot_f32(4)),
                              &(cot_compile_options){ .backend = backend }, &t.k) == COT_OK,
                  "%s", cot_error(t.ctx));
    t.x = cot_array_new(t.ctx, cot_f32(4));
    t.y = cot_array_new(t.ctx, cot_f32(4));
    t.z = cot_array_new(t.ctx, cot_f32(4));
    return t;
}

static void
free_kit(kit *t)
{
    cot_kernel_free(t->k);
    cot_array_free(t->x);
    cot_array_free(t->y);
    cot_array_free(t->z);
    cot_context_free(t->ctx);
}

START_TEST(back_ends_agree)
{
    static const char *const name[] = { NULL, "eval" };
    kit t = new_kit(name[_i]);

    fill(t.x, 1);
    fill(t.y, -3);
    ck_assert_int_eq(cot_run(t.k, &t.z, (const cot_array *[]){ t.x, t.y }), COT_OK);
    for (int i = 0; i < 4; i++)
        ck_assert_float_eq(((float *)cot_array_data(t.z))[i], (float)(2 * (1 + i) + i - 3));
    free_kit(&t);
}
END_TEST

/* Memory of a result that an argument has too, in whole or in part. */
START_TEST(overlap_is_refused)
{
    float memory[10] = { 0 };
    kit t = new_kit(NULL);
    cot_array *near = cot_array_borrow(t.ctx, cot_f32(4), memory),
              *far = cot_array_borrow(t.ctx, cot_f32(4), memory + 4);
    cot_array *across = cot_array_borrow(t.ctx, cot_f32(4), memory + 2);

    ck_assert_int_eq(cot_run(t.k, &far, (const cot_array *[]){ near, near }), COT_OK);
    ck_assert_int_eq(cot_run(t.k, &near, (const cot_array *[]){ near, far }), COT_ERR_ARG);
    ck_assert_ptr_nonnull(strstr(cot_error(t.ctx), "overlap"));
    cot_error_clear(t.ctx);
    ck_assert_int_eq(cot_run(t.k, &across, (const cot_array *[]){ far, t.x }), COT_ERR_ARG);
    cot_array_free(near);
    cot_array_free(far);
    cot_array_free(across);
    free_kit(&t);
}
END_TEST

START_TEST(arrays_that_do_not_fit_are_refused)
{
    kit t = new_kit(NULL);
    cot_array *small = cot_array_new(t.ctx, cot_f32(3)),
              *wide = cot_array_new(t.ctx, cot_f64(4));

    ck_assert_int_eq(cot_run(t.k, &t.z, (const cot_array *[]){ t.x, small }), COT_ERR_SHAPE);
    ck_assert_str_eq(cot_error(t.ctx),
                     "main.c:7: twice_plus: argument 1 is f32[3]; wants f32[4]");
    cot_error_clear(t.ctx);
    ck_assert_int_eq(cot_run(t.k, &wide, (const cot_array *[]){ t.x, t.y }), COT_ERR_DTYPE);
    ck_assert_str_eq(cot_error(t.ctx),
                     "main.c:7: twice_plus: result 0 is f64[4]; wants f32[4]");
    cot_error_clear(t.ctx);
    ck_assert_int_eq(cot_run(t.k, &t.z, (const cot_array *[]){ NULL, t.y }), COT_ERR_ARG);
    cot_array_free(small);
    cot_array_free(wide);
    free_kit(&t);
}
END_TEST

START_TEST(the_plain_entry_is_a_function)
{
    kit t = new_kit(NULL);
    cot_entry *entry = cot_kernel_entry(t.k);
    float x[4] = { 1, 2, 3, 4 }, y[4] = { 5, 5, 5, 5 }, z[4];

    if (entry) { /* not when evaluated */
        void *work = aligned_alloc(64, cot_kernel_work_bytes(t.k) / 64 * 64 + 64);

        ck_assert_int_eq(entry((void *[]){ x, y, z, NULL }, work), 0);
        ck_assert_float_eq(z[3], 13);
        free(work);
    }
    free_kit(&t);
}
END_TEST

static const char counting[] =
    "fn @less(%i: i32[], %n: i32[]) -> bool[] {\n  %0 = lt %i, %n : bool[]\n  ret %0\n}\n"
    "fn @next(%i: i32[], %n: i32[]) -> (i32[], i32[]) {\n  %0 = constant {data=1} : i32[]\n  "
    "%1 = add %i, %0 : i32[]\n  ret %1, %n\n}\n"
    "fn @count(%n: i32[]) -> i32[] {\n  %0 = constant {data=0} : i32[]\n"
    "  %1, %2 = while %0, %n {max=10, cond=@less, body=@next} : (i32[], i32[])\n  ret %1\n}\n";

/* A loop that passes its bound answers a status, never a wrong number. */
/* Results above any cache are stored past it, wherever they lie. */
START_TEST(large_results_are_written_whole)
{
    enum { N = (8 << 20) + 37 };
    cot_context *ctx = cot_context_new(NULL);
    float *memory = malloc(sizeof(float) * (2 * (size_t)N + 16));
    for (int threads = 1; threads <= 2; threads++)
        for (int off = 0; off < 3; off++) {
            float *x = memory, *z = memory + N + 16 - N % 16 + off;
            cot_kernel *k;
            ck_assert_int_eq(cot_compile(new_fn(ctx), COT_TYPES(cot_f32(N), cot_f32()),
                                         &(cot_compile_options){ .threads = threads }, &k),
                             COT_OK);
            cot_array *in[2] = { cot_array_borrow(ctx, cot_f32(N), x),
                                 cot_array_new(ctx, cot_f32()) };
            cot_array *out = cot_array_borrow(ctx, cot_f32(N), z);
            fill(in[0], 0);
            fill(in[1], 3);
            ck_assert_int_eq(cot_run(k, &out, (const cot_array *const *)in), COT_OK);
            int wrong = 0;
            for (int i = 0; i < N; i++)
                wrong += z[i] != 2 * (float)i + 3;
            ck_assert_int_eq(wrong, 0);
            cot_array_free(in[0]);
            cot_array_free(in[1]);
            cot_array_free(out);
            cot_kernel_free(k);
        }
    free(memory);
    cot_context_free(ctx);
}
END_TEST

START_TEST(bounds_are_kept)
{
    static const char *const name[] = { NULL, "eval" };
    cot_context *ctx = cot_context_new(NULL);
    cot_array *n = cot_array_new(ctx, cot_i32()), *out = cot_array_new(ctx, cot_i32());
    const cot_graph *g;
    cot_kernel *k;

    ck_assert_msg(cot_parse(ctx, "counting", counting, strlen(counting), NULL, &g) == COT_OK,
                  "%s", cot_error(ctx));
    ck_assert_msg(cot_compile_graph(g, &(cot_compile_options){ .backend = name[_i] }, &k) ==
                      COT_OK,
                  "%s", cot_error(ctx));
    *(int32_t *)cot_array_data(n) = 10;
    ck_assert_msg(cot_run(k, &out, (const cot_array *[]){ n }) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(*(int32_t *)cot_array_data(out), 10);
    *(int32_t *)cot_array_data(n) = 11;
    ck_assert_int_eq(cot_run(k, &out, (const cot_array *[]){ n }), COT_ERR_BOUND);
    cot_kernel_free(k);
    cot_array_free(n);
    cot_array_free(out);
    cot_context_free(ctx);
}
END_TEST

START_TEST(options_that_are_wrong_are_told)
{
    static const struct {
        cot_compile_options o;
        cot_status status;
        const char *want;
    } wrong[] = {
        { { .backend = "fpga" }, COT_ERR_TARGET, "wants jit, c, eval, cuda or sim" },
        { { .threads = -1 }, COT_ERR_ARG, "wants 1 to 1024" },
        { { .vector_bits = 100 }, COT_ERR_ARG, "wants 32, 128, 256 or 512" },
    };
    cot_context *ctx = cot_context_new(NULL);
    cot_kernel *k;

    ck_assert_int_eq(
        cot_compile(new_fn(ctx), COT_TYPES(cot_f32(4), cot_f32(4)), &wrong[_i].o, &k),
        wrong[_i].status);
    ck_assert_ptr_null(k);
    ck_assert_msg(strstr(cot_error(ctx), wrong[_i].want), "%s", cot_error(ctx));
    cot_context_free(ctx);
}
END_TEST

/* ---- dumps ---- */

static void
append(void *user, const char *text, size_t n)
{
    char *to = user;
    size_t have = strlen(to);

    if (have + n < 65536) {
        memcpy(to + have, text, n);
        to[have + n] = '\0';
    }
}

START_TEST(every_stage_dumps)
{
    static const struct {
        const char *stage, *want;
        bool llvm;
    } row[] = {
        { "trace", "fn @twice_plus", false },
        { "graph", "fn @twice_plus", false },
        { "simplify", "fma", false },
        { "kernels", "kernel", true },
        { "plan", "", true },
        { "llvm", "define", true },
        { "asm", "ret", true },
    };
    cot_context *ctx = cot_context_new(NULL);
    char *text = calloc(1, 65536);
    cot_status status;

    if (!row[_i].llvm || cg_llvm()) {
        status = cot_dump_fn(new_fn(ctx), COT_TYPES(cot_f32(4), cot_f32(4)), row[_i].stage,
                             append, text);
        ck_assert_msg(status == COT_OK, "%s", cot_error(ctx));
        ck_assert_msg(strstr(text, row[_i].want), "%s", text);
    }
    ck_assert_int_eq(
        cot_dump_fn(new_fn(ctx), COT_TYPES(cot_f32(4), cot_f32(4)), "soup", append, text),
        COT_ERR_ARG);
    free(text);
    cot_context_free(ctx);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(jit_serves_many_threads),
        ONCE(jit_makes_results_that_are_missing),
        EACH(back_ends_agree, 2),
        ONCE(overlap_is_refused),
        ONCE(arrays_that_do_not_fit_are_refused),
        ONCE(the_plain_entry_is_a_function),
        ONCE(large_results_are_written_whole),
        EACH(bounds_are_kept, 2),
        EACH(options_that_are_wrong_are_told, 3),
        EACH(every_stage_dumps, 7),
    };

    return SUITE("run", cases);
}
