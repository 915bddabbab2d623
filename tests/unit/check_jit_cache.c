/* The kernels that cot_jit keeps: found again, freed by cot_jit_clear, and bounded by
 * cot_options.cache_bytes, where those go that were called longest ago. */
#include <pthread.h>

#include "cotrace/cotrace.h"
#include "runtime/compile.h"
#include "tests/unit/suite.h"

enum { MOST = 64, THREADS = 4, ROUNDS = 50 };

static void
body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add(in[0], cot_reduce_sum(in[0]));
}

static cot_context *
bounded(uint64_t bytes)
{
    cot_context *c = cot_context_new(&(cot_options){ .cache_bytes = bytes });

    ck_assert_ptr_nonnull(c);
    return c;
}

/* f on 1, 2, ... n: element i becomes i + 1 + n (n + 1) / 2. */
static void
call(cot_context *c, cot_fn *f, int n)
{
    float x[MOST];

    for (int i = 0; i < n; i++)
        x[i] = (float)(i + 1);
    cot_array *in = cot_array_copy(c, cot_f32(n), x), *out = NULL;
    ck_assert_msg(cot_jit(f, &out, 1, (const cot_array *[]){ in }, 1) == COT_OK, "%s",
                  cot_error(c));
    const float *y = cot_array_read(out);
    for (int i = 0; i < n; i++)
        ck_assert_float_eq(y[i], (float)(i + 1 + n * (n + 1) / 2));
    cot_array_free(in);
    cot_array_free(out);
}

static cot_fn *
function(cot_context *c, const char *name)
{
    return cot_fn_new(c, name, body, 1, 1, NULL);
}

static uint64_t
misses(const cot_fn *f)
{
    return cot_cache_of(f).misses;
}

START_TEST(cleared_and_compiled_again)
{
    cot_context *c = bounded(_i ? 1 << 20 : 0);
    cot_fn *f = function(c, "f"), *g = function(c, "g");

    cot_jit_clear(NULL);
    cot_jit_clear(f);
    for (int round = 1; round <= 3; round++) {
        for (int n = 1; n <= 20; n++)
            call(c, f, n);
        call(c, g, 3);
        call(c, f, 7);
        ck_assert_uint_eq(misses(f), 20 * (uint64_t)round);
        ck_assert_uint_eq(misses(g), 1);
        cot_jit_clear(f);
    }
    cot_context_free(c);
}
END_TEST

/* What a kernel of f on n numbers counts for. */
static uint64_t
bytes_of(int n)
{
    cot_context *c = bounded(0);
    cot_kernel *k;

    ck_assert_int_eq(cot_compile(function(c, "f"), COT_TYPES(cot_f32(n)), NULL, &k), COT_OK);
    const uint64_t bytes = sizeof *k + k->code.bytes + k->work_bytes;
    cot_kernel_free(k);
    cot_context_free(c);
    return bytes;
}

START_TEST(the_oldest_goes)
{
    const uint64_t a = bytes_of(5), b = bytes_of(21), d = bytes_of(40);
    cot_context *c = bounded(a + (b > d ? b : d));
    cot_fn *f = function(c, "f");

    call(c, f, 5);
    call(c, f, 21);
    call(c, f, 5);
    ck_assert_uint_eq(misses(f), 2);
    call(c, f, 40); /* that of 21 goes */
    call(c, f, 5);
    call(c, f, 40);
    ck_assert_uint_eq(misses(f), 3);
    call(c, f, 21);
    ck_assert_uint_eq(misses(f), 4);
    cot_context_free(c);
}
END_TEST

/* The kernel that was just compiled stays, though it has more than the bound, of whichever
 * function. */
START_TEST(one_is_always_kept)
{
    cot_context *c = bounded(1);
    cot_fn *f = function(c, "f"), *g = function(c, "g");

    for (int round = 1; round <= 3; round++) {
        call(c, f, 9);
        call(c, f, 9);
        call(c, g, 9);
        call(c, g, 9);
        ck_assert_uint_eq(misses(f), (uint64_t)round);
        ck_assert_uint_eq(misses(g), (uint64_t)round);
    }
    cot_context_free(c);
}
END_TEST

/* As many are kept as fit: with sizes in turn, each goes before it is asked for again. */
START_TEST(many_sizes)
{
    cot_context *c = bounded(20 * bytes_of(4));
    cot_fn *f = function(c, "f");

    for (int round = 0; round < 2; round++)
        for (int n = 1; n <= MOST; n++)
            call(c, f, n);
    ck_assert_uint_eq(misses(f), 2 * MOST);
    cot_context_free(c);
}
END_TEST

enum { SIZES = 8 };
typedef struct job {
    cot_fn *f;
    cot_array *const *in; /* of 1 ... SIZES elements */
    int first, wrong;
} job;

static void *
many_calls(void *p)
{
    job *j = p;

    for (int i = 0; i < ROUNDS; i++) {
        const int n = 1 + (j->first + i) % SIZES;
        cot_array *out = NULL;
        const cot_status s = cot_jit(j->f, &out, 1, (const cot_array *[]){ j->in[n - 1] }, 1);

        j->wrong += s != COT_OK ||
                    ((const float *)cot_array_read(out))[0] != (float)(1 + n * (n + 1) / 2);
        cot_array_free(out);
    }
    return NULL;
}

START_TEST(threads)
{
    cot_context *c = bounded(_i ? 3 * bytes_of(4) : 0);
    cot_fn *f = function(c, "f");
    float x[SIZES] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    cot_array *in[SIZES];
    pthread_t thread[THREADS];
    job j[THREADS];

    for (int i = 0; i < SIZES; i++)
        in[i] = cot_array_borrow(c, cot_f32(i + 1), x);
    for (int i = 0; i < THREADS; i++) {
        j[i] = (job){ f, in, 2 * i, 0 };
        ck_assert_int_eq(pthread_create(&thread[i], NULL, many_calls, &j[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        ck_assert_int_eq(j[i].wrong, 0);
    }
    for (int i = 0; i < SIZES; i++)
        cot_array_free(in[i]);
    cot_context_free(c);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(cleared_and_compiled_again, 2),
        ONCE(the_oldest_goes),
        ONCE(one_is_always_kept),
        ONCE(many_sizes),
        EACH(threads, 2), /* without a bound, with one */
    };

    return SUITE("kernels that cot_jit keeps", cases);
}
