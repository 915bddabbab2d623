/* An example with a clock in it: the program EXAMPLE, each of whose calls of cot_jit is timed.
 *
 * The source is compiled as it stands, with another name for cot_jit, which calls it as asked
 * and then again and again for HARNESS_TIME seconds.  A line of time per call, as the programs
 * of examples/torch_func print it, goes to bench/torch_func.py: the function's name, the median
 * in microseconds. */
#include <stdlib.h>
#include <time.h>

#include "cotrace/cotrace.h"

enum { SAMPLES = 2000 };

static double
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int
by_size(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

static cot_status
timed_jit(cot_fn *f, cot_array **results, int n_results, const cot_array *const *args,
          int n_args)
{
    static double sample[SAMPLES];
    const char *seconds = getenv("HARNESS_TIME");
    const double length = seconds ? atof(seconds) : 0, begin = now();
    int n = 0;

    COT_TRY(cot_jit(f, results, n_results, args, n_args));
    const double first = now() - begin, end = begin + first + length;
    for (; n < SAMPLES && length > 0 && (n < 5 || now() < end); n++) {
        const double start = now();

        COT_TRY(cot_jit(f, results, n_results, args, n_args));
        sample[n] = now() - start;
    }
    qsort(sample, (size_t)n, sizeof *sample, by_size);
    if (n > 0)
        printf("time\t%s\t%.3f\n", cot_fn_name(f), 1e6 * sample[n / 2]);
    return COT_OK;
}

#define cot_jit timed_jit
int example(void);
#define main example
#include EXAMPLE
#undef main

int
main(void)
{
    return example();
}
