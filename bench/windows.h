/* Workloads of windows and order: windows.c. */
#ifndef BENCH_WINDOWS_H
#define BENCH_WINDOWS_H

#include "bench/workloads.h"

#define WINDOWS(name) cot_fn *make_##name(cot_context *ctx)
WINDOWS(conv);
WINDOWS(conv_grad_x);
WINDOWS(conv_grad_w);
WINDOWS(max_pool_3);
WINDOWS(max_pool_2);
WINDOWS(sort);
WINDOWS(cumsum);
WINDOWS(top_10);
WINDOWS(top_5);
#undef WINDOWS
void args_conv_56(workload_arg *a);
void args_conv_28(workload_arg *a);
void args_pool_112(workload_arg *a);
void args_pool_28(workload_arg *a);
void args_1e4(workload_arg *a);
void args_1e6(workload_arg *a);
void args_1e7(workload_arg *a);
void args_1000x1000(workload_arg *a);

#endif
