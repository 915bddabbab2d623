/* Values and gradients of two JAX programs, from C99 that needs neither Python nor Cotrace:
 * only the two object files.
 *
 *   main         prints values and norms of gradients; fails where they are not what JAX
 *                computed (jax_values.h)
 *   main time    microseconds per call, too */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jax_values.h"
#include "kalman.h"
#include "transformer.h"

enum { N = 16, D = 32, H = 64, STEPS = 50, CALLS = 2000 };

static float wq[D * D], wk[D * D], wv[D * D], wo[D * D], w1[D * H], w2[H * D], gain1[D],
    gain2[D], x[N * D], y[N * D];
static float dwq[D * D], dwk[D * D], dwv[D * D], dwo[D * D], dw1[D * H], dw2[H * D], dgain1[D],
    dgain2[D], loss;
static double log_q[4], log_r[2], observed[2 * STEPS], dlog_q[4], dlog_r[2], likelihood;

/* offset + scale sin(phase + 0.7 i), as lower.py has it */
static void
waves(float *to, int n, int phase, double scale, double offset)
{
    for (int i = 0; i < n; i++)
        to[i] = (float)(offset + (double)(float)(scale * sin(phase + 0.7 * i)));
}

static void
wide_waves(double *to, int n, int phase, double scale, double offset)
{
    for (int i = 0; i < n; i++)
        to[i] = offset + scale * sin(phase + 0.7 * i);
}

static double
norm(const float *v, int n)
{
    double s = 0;

    for (int i = 0; i < n; i++)
        s += (double)v[i] * (double)v[i];
    return sqrt(s);
}

static double
wide_norm(const double *v, int n)
{
    double s = 0;

    for (int i = 0; i < n; i++)
        s += v[i] * v[i];
    return sqrt(s);
}

static int failed;

static void
check(const char *what, double found, double wanted, double tolerance)
{
    printf("%-12s %.4f\n", what, found);
    if (!(fabs(found - wanted) <= tolerance * (1 + fabs(wanted)))) {
        printf("    JAX has %.6f\n", wanted);
        failed = 1;
    }
}

static int
transformer(void *work)
{
    return transformer_step(wq, wk, wv, wo, w1, w2, gain1, gain2, x, y, dwq, dwk, dwv, dwo, dw1,
                            dw2, dgain1, dgain2, &loss, work);
}

static int
kalman(void *work)
{
    return kalman_step(log_q, log_r, observed, dlog_q, dlog_r, &likelihood, work);
}

static void
measure(const char *what, int (*call)(void *), void *work)
{
    const clock_t start = clock();

    for (int i = 0; i < CALLS; i++)
        call(work);
    printf("%-12s %.1f us\n", what, 1e6 * (double)(clock() - start) / CLOCKS_PER_SEC / CALLS);
}

int
main(int argc, char **argv)
{
    const size_t bytes = TRANSFORMER_STEP_WORK_BYTES > KALMAN_STEP_WORK_BYTES
                             ? TRANSFORMER_STEP_WORK_BYTES
                             : KALMAN_STEP_WORK_BYTES;
    char *memory = malloc(bytes + 64), *work = memory + (64 - (size_t)memory % 64);

    if (!memory)
        return 1;
    waves(wq, D * D, 0, 0.2, 0), waves(wk, D * D, 1, 0.2, 0), waves(wv, D * D, 2, 0.2, 0),
        waves(wo, D * D, 3, 0.2, 0);
    waves(w1, D * H, 4, 0.2, 0), waves(w2, H * D, 5, 0.2, 0), waves(gain1, D, 6, 0.1, 1),
        waves(gain2, D, 7, 0.1, 1);
    waves(x, N * D, 8, 1, 0), waves(y, N * D, 9, 1, 0);
    wide_waves(log_q, 4, 1, 0.5, -3), wide_waves(log_r, 2, 2, 0.5, -1),
        wide_waves(observed, 2 * STEPS, 3, 1, 0);

    if (transformer(work) != 0 || kalman(work) != 0)
        return 1;
    check("loss", (double)loss, jax_transformer[0], 1e-4);
    check("|d wq|", norm(dwq, D * D), jax_transformer[1], 1e-4);
    check("|d wv|", norm(dwv, D * D), jax_transformer[3], 1e-4);
    check("|d w1|", norm(dw1, D * H), jax_transformer[5], 1e-4);
    check("|d gain2|", norm(dgain2, D), jax_transformer[8], 1e-4);
    check("likelihood", likelihood, jax_kalman[0], 1e-9);
    check("|d log_q|", wide_norm(dlog_q, 4), jax_kalman[1], 1e-9);
    check("|d log_r|", wide_norm(dlog_r, 2), jax_kalman[2], 1e-9);
    if (argc > 1 && strcmp(argv[1], "time") == 0) {
        measure("transformer", transformer, work);
        measure("kalman", kalman, work);
    }
    free(memory);
    return failed;
}
