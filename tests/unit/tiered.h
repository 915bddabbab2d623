/* What the suites of two tiers share: programs, contexts with tiers, what a kernel gives. */
#ifndef TESTS_UNIT_TIERED_H
#define TESTS_UNIT_TIERED_H

#include <pthread.h>

#include "ir/context.h"
#include "runtime/tier.h"
#include "tests/unit/stored.h"

enum { SIZE = 24 };

/* -- programs -- */

/* Some thirty ops, which LLVM compiles for ten milliseconds. */
static inline void
chain(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value v = in[0];

    (void)t, (void)user;
    for (int i = 0; i < 10; i++)
        v = cot_add(cot_mul(cot_sin(v), in[1]), cot_tanh(v));
    out[0] = v;
    out[1] = cot_reduce_sum(v, .axes = COT_LIST(0));
}

static inline void
drawn(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)user;
    out[0] = cot_add(cot_uniform(t, cot_f32(SIZE)), in[0]);
    out[1] = cot_reduce_sum(cot_mul(out[0], in[1]), .axes = COT_LIST(0));
}

static inline void
stepped(cot_trace *t, const cot_value *carry, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_sin(cot_add(carry[0], carry[1]));
    out[1] = carry[1];
}

static inline void
scanned(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value end[2];

    (void)t, (void)user;
    cot_scan(stepped, .in = COT_VALUES(in[0], in[1]), .length = 5, .out = end);
    out[0] = end[0];
    out[1] = cot_reduce_max(end[0], .axes = COT_LIST(0));
}

static inline void
halved(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_sin(cot_mul(in[0], in[1]));
    out[1] = cot_reduce_sum(out[0], .axes = COT_LIST(0));
}

static cot_body *const bodies[] = { chain, drawn, scanned };
enum { BODIES = sizeof bodies / sizeof *bodies };

typedef struct kit {
    cot_context *ctx;
    cot_array *in[2], *out[2];
} kit;

static inline kit
kit_of(cot_context *c)
{
    kit k = { .ctx = c };

    ck_assert_ptr_nonnull(c);
    for (int i = 0; i < 2; i++) {
        k.in[i] = cot_array_new(c, cot_f32(SIZE));
        for (int j = 0; j < SIZE; j++)
            ((float *)cot_array_data(k.in[i]))[j] = (float)(j - 7 * i) / 3;
    }
    k.out[0] = cot_array_new(c, cot_f32(SIZE));
    k.out[1] = cot_array_new(c, cot_f32());
    return k;
}

static inline void
kit_free(kit *k)
{
    for (int i = 0; i < 2; i++) {
        cot_array_free(k->in[i]);
        cot_array_free(k->out[i]);
    }
    cot_context_free(k->ctx);
}

static inline cot_context *
tiered(void)
{
    return cot_context_new(&(cot_options){ .tiered = 1, .cache_dir = "off" });
}

static inline cot_kernel *
kernel_of(kit *k, cot_body *body, const char *backend)
{
    cot_type type[2] = { cot_f32(SIZE), cot_f32(SIZE) };
    cot_fn *f = cot_fn_new(k->ctx, "f", body, 2, 2, NULL);
    cot_kernel *out;

    ck_assert_msg(cot_compile(f, (cot_types){ .n = 2, .at = type },
                              &(cot_compile_options){ .backend = backend }, &out) == COT_OK,
                  "%s", cot_error(k->ctx));
    return out;
}

typedef struct bits {
    float x[SIZE], y;
} bits;

static inline bool
runs(kit *k, const cot_kernel *f, bits *b)
{
    if (cot_run(f, k->out, (const cot_array *const *)k->in) != COT_OK)
        return false;
    memcpy(b->x, cot_array_data(k->out[0]), sizeof b->x);
    memcpy(&b->y, cot_array_data(k->out[1]), sizeof b->y);
    return true;
}

/* The bits of the n-th call in a context that compiles at once. */
static inline bits
wanted_at(cot_body *body, int n)
{
    kit k = kit_of(cot_context_new(&(cot_options){ .tiered = -1, .cache_dir = "off" }));
    cot_kernel *f = kernel_of(&k, body, NULL);
    bits b;

    ck_assert_ptr_null(f->tier);
    for (int i = 0; i <= n; i++)
        ck_assert(runs(&k, f, &b));
    cot_kernel_free(f);
    kit_free(&k);
    return b;
}

static inline void
expect(kit *k, const cot_kernel *f, const bits *want)
{
    bits got;

    ck_assert_msg(runs(k, f, &got), "%s", cot_error(k->ctx));
    ck_assert_mem_eq(&got, want, sizeof got);
}

static inline void
counts(cot_context *c, uint64_t evaluated, uint64_t compiled, uint64_t failed)
{
    const cot_tiers n = cot_tiers_of(c);

    ck_assert_uint_eq(n.evaluated, evaluated);
    ck_assert_uint_eq(n.compiled, compiled);
    ck_assert_uint_eq(n.failed, failed);
}

/* Begin the compilation, and do not wait for it. */
static inline void
begin(const cot_kernel *f)
{
    pthread_mutex_lock(&f->ctx->lock);
    rt_tier_ran(f, 1e9);
    pthread_mutex_unlock(&f->ctx->lock);
}

/* The thread sanitizer starts no threads in the child of a process that has some, and the
 * address sanitizer does not hold its allocator's locks over a fork: check_pool.c. */
static inline bool
may_fork(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    puts("skipped: this sanitizer does not follow a forked child");
    return false;
#else
    return true;
#endif
}

#endif
