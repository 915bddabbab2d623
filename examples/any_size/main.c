/* Calls the object that build.c writes, with sizes that it learns when it runs.  Nothing of
 * Cotrace is included or linked. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "any_size.h"

static void
fail(const char *what, int status)
{
    fprintf(stderr, "%s: status %d\n", what, status);
    exit(1);
}

static void *
room(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);

    if (!p)
        fail("malloc", 0);
    return p;
}

/* Memory for a call's intermediate values: how much is a function of the sizes. */
static void *
work_of(int64_t bytes)
{
    void *p = aligned_alloc(FALL_WORK_ALIGN, (size_t)(bytes + 64) / 64 * 64);

    if (!p)
        fail("aligned_alloc", 0);
    return p;
}

/* n particles on a spiral, at rest, fall towards each other for 40 steps. */
static void
simulate(int64_t n)
{
    double *x = room(FALL_X_BYTES(n)), *v = room(FALL_V_BYTES(n)), *to = room(FALL_X_BYTES(n)),
           *fast = room(FALL_V_BYTES(n)), dt = 0.05 / (double)n, size = 0;
    void *work = work_of(fall_work_bytes(n));

    for (int64_t i = 0; i < n; i++) {
        const double turn = 0.4 * (double)i, out = 1 + (double)i / (double)n;

        x[3 * i] = out * cos(turn);
        x[3 * i + 1] = out * sin(turn);
        x[3 * i + 2] = (double)(i % 5) / 5;
        v[3 * i] = v[3 * i + 1] = v[3 * i + 2] = 0;
    }
    for (int step = 0; step < 40; step++) {
        double *const old = x, *const slow = v;
        const int status = fall(n, x, v, &dt, to, fast, work);

        if (status)
            fail("fall", status);
        x = to, v = fast, to = old, fast = slow;
    }
    for (int64_t i = 0; i < 3 * n; i++)
        size += x[i] * x[i];
    printf("%4d particles: a root mean square distance of %.6f\n", (int)n,
           sqrt(size / (double)n));
    free(x), free(v), free(to), free(fast), free(work);
}

static unsigned seed = 1;

static float
random_number(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 8388608.0f - 1;
}

/* Points of a square; the class is whether they are above a curve.  The last batch of a pass is
 * a smaller one. */
static void
train(int64_t points, int64_t batch)
{
    float w[2][2 * 16], v[2][16 * 2], *x = room(LEARN_X_BYTES(batch)),
                                      *y = room(LEARN_Y_BYTES(batch)), rate = 0.5f, loss = 0;
    void *work = work_of(learn_work_bytes(batch));
    int now = 0;

    seed = 1;
    for (int i = 0; i < 32; i++)
        w[0][i] = 2 * random_number(), v[0][i] = random_number();
    for (int pass = 0; pass < 60; pass++)
        for (int64_t at = 0; at < points; at += batch, now = !now) {
            const int64_t n = points - at < batch ? points - at : batch;

            for (int64_t i = 0; i < n; i++) {
                x[2 * i] = random_number();
                x[2 * i + 1] = random_number();
                y[2 * i] = x[2 * i + 1] > (float)sin(3 * x[2 * i]);
                y[2 * i + 1] = 1 - y[2 * i];
            }
            const int status =
                learn(n, w[now], v[now], x, y, &rate, w[!now], v[!now], &loss, work);
            if (status)
                fail("learn", status);
        }
    printf("%d points in batches of %d: a loss of %.4f\n", (int)points, (int)batch, loss);
    free(x), free(y), free(work);
}

int
main(void)
{
    simulate(2);
    simulate(17);
    simulate(300);
    train(1000, 1000);
    train(1000, 64);
    train(1000, 7);
    return 0;
}
