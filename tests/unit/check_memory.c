/* Every allocation of a small compile fails in turn: each time an honest status, and nothing
 * leaks. */

#include "cotrace/cotrace.h"
#include "tests/unit/suite.h"

typedef struct meter {
    long calls, fail_at, live;
} meter;

static void *
metered(void *user, void *old, size_t bytes)
{
    meter *m = user;
    void *p;

    if (bytes == 0) {
        m->live -= old != NULL;
        free(old);
        return NULL;
    }
    if (++m->calls == m->fail_at)
        return NULL;
    p = realloc(old, bytes);
    m->live += p && !old;
    return p;
}

static void
body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    (void)user;
    out[0] = cot_reduce_sum(cot_mul(cot_sin(in[0]), in[1]), .axes = COT_LIST(0));
}

/* The whole of it: a gradient, mapped, compiled, run.  cot_status of the first call that
 * fails. */
static cot_status
compile_and_run(cot_context *ctx, const char *backend, bool *ran)
{
    cot_fn *f = cot_vmap(cot_grad(cot_fn_new(ctx, "f", body, 2, 1, NULL)),
                         .in_dims = COT_LIST(0, COT_NONE));
    cot_compile_options o = { .backend = backend };
    cot_array *x = NULL, *w = NULL, *dx = NULL;
    cot_kernel *k = NULL;
    cot_status status =
        f ? cot_compile(f, COT_TYPES(cot_f32(2, 5), cot_f32(5)), &o, &k) : COT_ERR_MEMORY;

    if (status == COT_OK) {
        x = cot_array_new(ctx, cot_f32(2, 5));
        w = cot_array_new(ctx, cot_f32(5));
        dx = cot_array_new(ctx, cot_f32(2, 5));
        status = x && w && dx ? cot_run(k, &dx, (const cot_array *[]){ x, w }) : COT_ERR_MEMORY;
        *ran = status == COT_OK;
    }
    cot_kernel_free(k);
    cot_array_free(x);
    cot_array_free(w);
    cot_array_free(dx);
    return status;
}

static void
fail_each(const char *backend)
{
    bool ran = false;

    for (long at = 1; !ran; at++) {
        meter m = { 0, at, 0 };
        const cot_options o = { .alloc = metered, .alloc_user = &m };
        cot_context *ctx = cot_context_new(&o);
        cot_status status;

        ck_assert_int_lt(at, 20000);
        if (ctx) {
            status = compile_and_run(ctx, backend, &ran);
            ck_assert_msg(ran || status == COT_ERR_MEMORY, "allocation %ld: %s: %s", at,
                          cot_status_name(status), cot_error(ctx));
            cot_context_free(ctx);
        }
        ck_assert_msg(m.live == 0, "allocation %ld: %ld blocks are left", at, m.live);
        if (ran)
            ck_assert_int_ge(at, m.calls);
    }
}

START_TEST(evaluated)
{
    fail_each("eval");
}
END_TEST

START_TEST(compiled)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_fn *f = cot_fn_new(ctx, "f", body, 2, 1, NULL);
    cot_kernel *k = NULL;
    cot_status status = cot_compile(f, COT_TYPES(cot_f32(5), cot_f32(5)),
                                    &(cot_compile_options){ .backend = "jit" }, &k);

    cot_kernel_free(k);
    cot_context_free(ctx);
    if (status != COT_ERR_TARGET) /* built without LLVM */
        fail_each("jit");
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(evaluated),
        ONCE(compiled),
    };

    return SUITE("memory", cases);
}
