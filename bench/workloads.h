/* The bench's workloads: a traced function with its transform, types and inputs, the
 * hand-written peer, and what it must move and compute.  bench/peers.py runs the same ones in
 * JAX and PyTorch. */
#ifndef BENCH_WORKLOADS_H
#define BENCH_WORKLOADS_H

#include "bench/hand.h"
#include "cotrace/cotrace.h"

enum { WORKLOAD_MAX_ARGS = 10 };

typedef struct workload_arg {
    cot_type type;
    double low, high;           /* uniform; low == high: that number */
    int normal;                 /* 1: normal with deviation high     */
} workload_arg;

typedef struct workload {
    const char *name;
    cot_fn *(*make)(cot_context *ctx);
    void (*args)(workload_arg *a);
    int n_args;
    hand_fn *hand;              /* NULL where there is none */
    double bytes, flops;        /* least traffic; multiply-adds count 2 */
    int blas_n;                 /* matmul: the size OpenBLAS runs beside it */
} workload;

typedef struct workload_list {
    const workload *at;
    int n;
    const char *section; /* of docs/benchmarks.md */
    const char *hand;    /* what runs beside it, where there is no blas_n */
} workload_list;

extern const workload_list plain_workloads, window_workloads, indexing_workloads,
    fourier_workloads, layer_workloads, adbench_workloads;

#endif
