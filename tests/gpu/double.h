/* A double of the CUDA driver: what tests may set and ask.
 *
 * The library defines the functions of runtime/cuda/driver.h over the host's memory, under the
 * driver's names.  It is loaded in place of libcuda.so.1, by cot_options.driver or
 * COT_CUDA_DRIVER; the same file opened by a test is the same library, whose own functions are
 * these. */
#ifndef TESTS_GPU_DOUBLE_H
#define TESTS_GPU_DOUBLE_H

#include <stdint.h>

/* Run a kernel: parameters as for cuLaunchKernel.  0, or the error that the launch ends
 * with. */
typedef int double_hook(void *user, const char *name, unsigned grid, unsigned block,
                        unsigned shared, void **parameters);

/* Settings, also from the environment, COT_DOUBLE="devices=0,version=10020":
 *
 *   devices   how many there are (1)           version   of the driver (12040)
 *   arch      80, 90 (80)                      pools     has memory pools (1)
 *   memory    bytes of the device (2^40)       launch    the number of the launch that fails,
 *             from 1; 0: none
 *   jit       1: no PTX compiles (0)           capture   0: nothing can be captured (1)
 *   init      cuInit's answer (0)              */
typedef void double_set_fn(const char *name, int64_t value);
typedef void double_hook_fn(double_hook *hook, void *user);

/* Counts since the last double_set("reset", 0), which also restores the settings. */
typedef struct double_state {
    int64_t live, live_bytes;           /* allocations that nobody freed */
    int64_t contexts, streams, modules, graphs, host, events;       /* likewise */
    int64_t launches, copies_in, copies_out, moves, syncs;      /* done */
    int64_t pools;                      /* that nobody destroyed */
    int64_t waiting;                    /* asked for and not yet done */
    /* memory touched that is not allocated, things freed twice: defects */
    int64_t wrong;
    char said[200];                     /* the first of them */
} double_state;
typedef void double_state_fn(double_state *out);

double_set_fn double_set;
double_hook_fn double_on_launch;
double_state_fn double_read;

#endif
