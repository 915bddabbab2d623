/* Two tiers, and what happens while the second one is compiled: calls are cancelled, kernels
 * and contexts freed, threads call, and the process forks. */
#define _GNU_SOURCE 1
#include <sys/wait.h>

#include "tests/unit/tiered.h"

/* -- cancelled, freed -- */

START_TEST(cancelled_and_cleared)
{
    const bits want = wanted_at(chain, 0);

    for (int i = 0; i < 8; i++) {
        kit k = kit_of(tiered());
        cot_kernel *f = kernel_of(&k, chain, NULL);

        begin(f);
        usleep((useconds_t)(2000 * i));
        cot_cancel(k.ctx);
        ck_assert_int_eq(cot_run(f, k.out, (const cot_array *const *)k.in), COT_ERR_CANCELLED);
        cot_cancel_clear(k.ctx);
        cot_error_clear(k.ctx);
        expect(&k, f, &want);
        ck_assert_msg(cot_tiers_wait(k.ctx) == COT_OK, "%s", cot_error(k.ctx));
        expect(&k, f, &want);
        cot_kernel_free(f);
        kit_free(&k);
    }
}
END_TEST

START_TEST(a_cancelled_wait_is_cancelled)
{
    kit k = kit_of(tiered());
    cot_kernel *f = kernel_of(&k, chain, NULL);

    cot_cancel(k.ctx);
    ck_assert_int_eq(cot_tiers_wait(k.ctx), COT_ERR_CANCELLED);
    ck_assert_int_eq(cot_run_with(f, NULL, k.out, (const cot_array *const *)k.in),
                     COT_ERR_CANCELLED);
    counts(k.ctx, 1, 0, 0);
    cot_kernel_free(f);
    kit_free(&k);
}
END_TEST

/* Code that the thread has compiled looks at the flag of the context whose kernel it is. */
START_TEST(code_of_the_second_tier_is_cancelled)
{
    kit k = kit_of(tiered());
    cot_kernel *f = kernel_of(&k, chain, NULL);
    void *args[5] = { cot_array_data(k.in[0]), cot_array_data(k.in[1]),
                      cot_array_data(k.out[0]), cot_array_data(k.out[1]) };
    void *work = aligned_alloc(64, cot_kernel_work_bytes(f) / 64 * 64 + 64);
    cot_entry *entry = cot_kernel_entry(f);

    ck_assert_int_eq(entry(args, work), COT_OK);
    cot_cancel(k.ctx);
    ck_assert_int_eq(entry(args, work), COT_ERR_CANCELLED);
    cot_cancel_clear(k.ctx);
    ck_assert_int_eq(entry(args, work), COT_OK);
    free(work);
    cot_kernel_free(f);
    kit_free(&k);
}
END_TEST

/* The kernel, or all of the context, ends while the thread is at it, or before or after. */
START_TEST(freed_while_compiling)
{
    for (int i = 0; i < 12; i++) {
        kit k = kit_of(tiered());
        cot_kernel *f[3];

        for (int j = 0; j < 3; j++)
            begin(f[j] = kernel_of(&k, bodies[(i + j) % BODIES], NULL));
        usleep((useconds_t)(1500 * i));
        for (int j = 0; j < 3; j++)
            cot_kernel_free(f[(i + j) % 3]);
        counts(k.ctx, 0, 0, 0);
        kit_free(&k);
    }
}
END_TEST

START_TEST(the_context_ends_while_compiling)
{
    for (int i = 0; i < 12; i++) {
        kit k = kit_of(tiered());

        for (int j = 0; j < BODIES; j++) {
            cot_fn *f = cot_fn_new(k.ctx, "f", bodies[j], 2, 2, NULL);

            for (int n = 0; n <= 100 * i; n++)
                ck_assert_int_eq(cot_jit(f, k.out, 2, (const cot_array *const *)k.in, 2),
                                 COT_OK);
        }
        kit_free(&k);
    }
}
END_TEST

/* -- threads -- */

enum { THREADS = 4 };

typedef struct caller {
    cot_fn *f;
    kit *k;
    const bits *want;
    bool good;
} caller;

static void *
call_until_compiled(void *arg)
{
    caller *c = arg;
    cot_context *own = c->k->ctx;
    float x[SIZE], y;

    pthread_mutex_lock(&own->lock); /* making arrays is not what is tested */
    cot_array *out[2] = { cot_array_borrow(own, cot_f32(SIZE), x),
                          cot_array_borrow(own, cot_f32(), &y) };
    pthread_mutex_unlock(&own->lock);
    c->good = true;
    do {
        c->good &= cot_jit(c->f, out, 2, (const cot_array *const *)c->k->in, 2) == COT_OK &&
                   memcmp(x, c->want->x, sizeof x) == 0 &&
                   memcmp(&y, &c->want->y, sizeof y) == 0;
    } while (c->good && cot_tiers_of(c->k->ctx).evaluated);
    cot_array_free(out[0]);
    cot_array_free(out[1]);
    return NULL;
}

/* Two contexts, whose functions are called by threads while their code comes. */
START_TEST(many_threads_call)
{
    const bits want = wanted_at(chain, 0);
    kit k[2] = { kit_of(tiered()), kit_of(tiered()) };
    pthread_t thread[THREADS];
    caller c[THREADS];
    cot_fn *f[2];

    for (int i = 0; i < 2; i++)
        f[i] = cot_fn_new(k[i].ctx, "f", chain, 2, 2, NULL);
    for (int i = 0; i < THREADS; i++) {
        c[i] = (caller){ f[i % 2], &k[i % 2], &want, false };
        ck_assert_int_eq(pthread_create(&thread[i], NULL, call_until_compiled, &c[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        ck_assert(c[i].good);
    }
    for (int i = 0; i < 2; i++) {
        counts(k[i].ctx, 0, 1, 0);
        kit_free(&k[i]);
    }
}
END_TEST

/* Many functions, by one thread. */
START_TEST(many_kernels_wait_their_turn)
{
    enum { KERNELS = 24 };
    kit k = kit_of(tiered());
    cot_kernel *f[KERNELS];

    for (int i = 0; i < KERNELS; i++)
        begin(f[i] = kernel_of(&k, bodies[i % BODIES], NULL));
    ck_assert_int_eq(cot_tiers_wait(k.ctx), COT_OK);
    counts(k.ctx, 0, KERNELS, 0);
    for (int i = 0; i < KERNELS; i++)
        cot_kernel_free(f[i]);
    kit_free(&k);
}
END_TEST

/* -- forks -- */

/* In the child: what the parent's thread was at is done here, and what it had done works. */
static bool
works(kit *k, cot_kernel *f, const bits *want)
{
    bits a, b, c;
    cot_kernel *g;
    const bool good = runs(k, f, &a) && cot_tiers_wait(k->ctx) == COT_OK && runs(k, f, &b) &&
                      cot_tiers_of(k->ctx).compiled == 1;

    g = kernel_of(k, halved, NULL);
    const bool more = runs(k, g, &c) && rt_tier_wait(g) == COT_OK && runs(k, g, &c);
    cot_kernel_free(f);
    cot_kernel_free(g);
    kit_free(k);
    return good && more && memcmp(&a, want, sizeof a) == 0 && memcmp(&b, want, sizeof b) == 0;
}

static bool
ends(kit *k, cot_kernel *f, const bits *want)
{
    (void)want;
    cot_kernel_free(f);
    kit_free(k);
    return true;
}

static bool (*const in_child[])(kit *, cot_kernel *, const bits *) = { works, ends };

START_TEST(forked_while_compiling)
{
    const bits want = wanted_at(chain, 0);

    if (!may_fork())
        return;
    for (int i = 0; i < 16; i++) {
        kit k = kit_of(tiered());
        cot_kernel *f = kernel_of(&k, chain, NULL);
        int status = -1;

        if (i > 0)
            begin(f);
        usleep((useconds_t)(1500 * i));
        const pid_t child = fork();
        if (child == 0) {
            alarm(600); /* a child that waits for ever is ended */
            _exit(in_child[_i](&k, f, &want) ? 0 : 1);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d: status %x", i,
                      (unsigned)status);
        ck_assert_int_eq(cot_tiers_wait(k.ctx), COT_OK);
        expect(&k, f, &want);
        cot_kernel_free(f);
        kit_free(&k);
    }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(cancelled_and_cleared),
        ONCE(a_cancelled_wait_is_cancelled),
        ONCE(code_of_the_second_tier_is_cancelled),
        ONCE(freed_while_compiling),
        ONCE(the_context_ends_while_compiling),
        ONCE(many_threads_call),
        ONCE(many_kernels_wait_their_turn),
        EACH(forked_while_compiling, 2),
    };

    return SUITE("tiers_meanwhile", cases);
}
