/* The limits of one core: operations a second by chains of fused multiply-adds, and bytes a
 * second by loops over as much data as half of each cache holds.
 *
 * The speed of a level is the greater of two: that of a sum, which reads, and that of
 * a += s * b, which reads two numbers and writes one (McCalpin's triad, without the fill of a
 * third array).  Both run with the widest vectors of the processor. */
#include "tools/machine.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/limit.h"

enum { CHAINS = 12, SUMS = 8 };

/* Statements for each chain: compilers keep an array in registers if no index is a variable. */
#define FOUR(of, x, i, ...)                                                                    \
    of(x, i, __VA_ARGS__) of(x, i + 1, __VA_ARGS__) of(x, i + 2, __VA_ARGS__)                  \
        of(x, i + 3, __VA_ARGS__)
#define ADD_STORED(x, i, from, type) x[i] += ((const type *)(from))[i];
#define UPDATE(x, i, from, type)     ((type *)(x))[i] += 0.5f * ((const type *)(from))[i];

/* Loops over vectors of so many bytes, for processors that have `isa`: n times a fused
 * multiply-add in each of some independent chains, where there is an instruction for it; the
 * sum of n numbers; and the triad.  Each leaves a number that depends on all of its work. */
#define LOOPS(name, isa, wide, fma)                                                            \
    typedef float name##_vector __attribute__((vector_size(wide)));                            \
    typedef float name##_stored __attribute__((vector_size(wide), aligned(4), may_alias));     \
    isa static float name##_chains(int64_t n)                                                  \
    {                                                                                          \
        name##_vector x[CHAINS] = { 0 }, y = { 0 };                                            \
        for (int64_t k = 0; k < n; k++) {                                                      \
            FOUR(fma, x, 0, y) FOUR(fma, x, 4, y) FOUR(fma, x, 8, y)                           \
        }                                                                                      \
        return (x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7] + x[8] + x[9] + x[10] +  \
                x[11])[0];                                                                     \
    }                                                                                          \
    isa static float name##_sum(const float *a, int64_t n)                                     \
    {                                                                                          \
        const int64_t step = SUMS * wide / 4;                                                  \
        name##_vector x[SUMS] = { 0 };                                                         \
        for (int64_t k = 0; k + step <= n; k += step) {                                        \
            FOUR(ADD_STORED, x, 0, a + k, name##_stored)                                       \
            FOUR(ADD_STORED, x, 4, a + k, name##_stored)                                       \
        }                                                                                      \
        return (x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7])[0];                     \
    }                                                                                          \
    isa static void name##_triad(float *a, const float *b, int64_t n)                          \
    {                                                                                          \
        for (int64_t k = 0; k + wide <= n; k += wide) {                                        \
            FOUR(UPDATE, a + k, 0, b + k, name##_stored)                                       \
        }                                                                                      \
    }

#if defined(__x86_64__)
#define FMA_X86(x, i, y) __asm__("vfmadd213ps %1, %1, %0" : "+v"(x[i]) : "v"(y));
LOOPS(avx512, __attribute__((target("avx512f"), noinline)), 64, FMA_X86)
LOOPS(avx2, __attribute__((target("avx2,fma"), noinline)), 32, FMA_X86)
#endif
#define NO_FMA(x, i, y) x[i] += y;
LOOPS(plain, __attribute__((noinline)), 16, NO_FMA)

/* The loops of this processor. */
typedef struct loops {
    int flops; /* of a step of the chains; 0: that is not known */
    float (*chains)(int64_t n);
    float (*sum)(const float *a, int64_t n);
    void (*triad)(float *a, const float *b, int64_t n);
} loops;

static loops
loops_of_processor(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return (loops){ 2 * 16 * CHAINS, avx512_chains, avx512_sum, avx512_triad };
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (loops){ 2 * 8 * CHAINS, avx2_chains, avx2_sum, avx2_triad };
#endif
    return (loops){ 0, plain_chains, plain_sum, plain_triad };
}

static _Thread_local volatile float kept; /* so that no loop is left out */

static double
peak_speed(const loops *l, float *a, int64_t n)
{
    double best = 0;

    (void)a;
    for (int run = 0; run < 5 && l->flops; run++) {
        const double start = ir_now();

        kept = l->chains(n);
        best = fmax(best, (double)l->flops * (double)n / (ir_now() - start));
    }
    return best;
}

/* Over n numbers, half of them of each array; each sample takes a millisecond or more. */
static double
speed_over(const loops *l, float *a, int64_t n)
{
    const double bytes = 4.0 * (double)n;
    double best = 0;
    int64_t times = 1;

    for (int run = 0; run < 8; run++) {
        double start = ir_now();

        for (int64_t i = 0; i < times; i++)
            kept = l->sum(a, n);
        const double reading = ir_now() - start;
        start = ir_now();
        for (int64_t i = 0; i < times; i++)
            l->triad(a, a + n / 2, n / 2);
        const double updating = ir_now() - start;
        if (fmin(reading, updating) < 1e-3) {
            times *= 2;
            run = -1;
        } else
            best = fmax(best, (double)times * bytes * fmax(1 / reading, 1.5 / updating));
    }
    return best;
}

/* What Linux says of cache `index` of the first processor: a word of at most 15 bytes. */
static bool
read_cache(int index, const char *what, char word[16])
{
    char path[80];

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, what);
    FILE *f = fopen(path, "r");
    const bool found = f && fscanf(f, "%15s", word) == 1;
    if (f)
        fclose(f);
    return found;
}

/* The bytes of the data cache of this level, 0: there is none.  Where they are not known, those
 * of a usual processor. */
static int64_t
cache_bytes(int level)
{
    static const int64_t usual[] = { 32 << 10, 1 << 20, 16 << 20, 0 };
    char is[16], type[16], size[16];
    int i = 0;

    for (; read_cache(i, "level", is); i++)
        if (atoi(is) == level && read_cache(i, "type", type) &&
            strcmp(type, "Instruction") != 0 && read_cache(i, "size", size))
            return (int64_t)atoi(size) << 10;
    return i ? 0 : usual[level - 1];
}

/* Arrays larger than the last cache, but not by much where that is large. */
static int64_t
beyond(int64_t last_cache)
{
    const int64_t least = 64 << 20, most = 512 << 20, wanted = 3 * last_cache;

    return wanted < least ? least : wanted > most ? most : wanted;
}

/* A measurement in one of several threads. */
typedef double measuring(const loops *l, float *a, int64_t n);
typedef struct share {
    const loops *l;
    measuring *of;
    float *a;
    int64_t n;
    double result;
} share;

static void *
measure_share(void *user)
{
    share *s = user;

    s->result = s->of(s->l, s->a, s->n);
    return NULL;
}

enum { MOST_THREADS = 64 };

/* Of one thread, and the sum of all.  n: numbers for each thread. */
static void
measure(const loops *l, measuring *of, float *a, int64_t n, int threads, double result[2])
{
    pthread_t thread[MOST_THREADS];
    share s[MOST_THREADS];
    bool started[MOST_THREADS] = { false };

    result[0] = result[1] = of(l, a, n);
    if (threads < 2)
        return;
    for (int i = 0; i < threads; i++) {
        s[i] = (share){ l, of, a ? a + i * n : NULL, n, 0 };
        started[i] = i && pthread_create(&thread[i], NULL, measure_share, &s[i]) == 0;
    }
    measure_share(&s[0]);
    result[1] = s[0].result;
    for (int i = 1; i < threads; i++)
        if (started[i]) {
            pthread_join(thread[i], NULL);
            result[1] += s[i].result;
        }
}

/* The levels that there are, without their speeds; the bytes of the last cache. */
static int64_t
find_levels(machine *m)
{
    int64_t last = 0;

    for (int i = 1; i < MACHINE_LEVELS; i++) {
        const int64_t bytes = cache_bytes(i);

        if (bytes <= last)
            break;
        snprintf(m->level[m->n_levels].name, sizeof m->level[0].name, "L%d", i);
        m->level[m->n_levels++].bytes = last = bytes;
    }
    strcpy(m->level[m->n_levels++].name, "memory");
    return last;
}

/* Caches from the third level on are taken to be shared by all threads. */
void
machine_measure(machine *m, int threads)
{
    const loops l = loops_of_processor();

    memset(m, 0, sizeof *m);
    m->threads = threads < 1 ? 1 : threads < MOST_THREADS ? threads : MOST_THREADS;
    const int64_t most = beyond(find_levels(m));
    float *a = malloc((size_t)most);
    measure(&l, peak_speed, NULL, 1 << 19, m->threads, m->flops);
    if (!a) {
        m->n_levels = 0;
        return;
    }
    memset(a, 0, (size_t)most);
    for (int i = 0; i < m->n_levels; i++) {
        const int64_t bytes = m->level[i].bytes ? m->level[i].bytes / 2 : most,
                      own = i < 2 ? bytes : bytes / m->threads;

        measure(&l, speed_over, a, own / 4 / 256 * 256, m->threads, m->level[i].speed);
    }
    free(a);
}

const machine_level *
machine_level_of(const machine *m, int64_t bytes)
{
    for (int i = 0; i < m->n_levels; i++)
        if (!m->level[i].bytes || bytes <= m->level[i].bytes)
            return &m->level[i];
    return NULL;
}
