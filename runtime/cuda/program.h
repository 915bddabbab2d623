/* A module on a GPU: the results of loading it, and the state that calls keep. */
#ifndef RUNTIME_CUDA_PROGRAM_H
#define RUNTIME_CUDA_PROGRAM_H

#include "codegen/kernel/grid.h"
#include "runtime/cuda/gpu.h"
#include "runtime/device.h"

typedef struct rt_cuda_launched {
    cu_function function;
    cg_launch at;
    int n_buffers;              /* in and out */
} rt_cuda_launched;

typedef struct rt_cuda_program {
    rt_gpu *g;
    rt_gpu_module *module;
    rt_cuda_launched *kernel; /* by number */
    void **constant;          /* address on the device of each buffer of the entry */
    cu_address constants;     /* the memory of all constants */
    cu_address *seen; /* the arguments of the last call, its work block, its open sizes */
    bool seen_once;
    cu_graph_exec graph; /* the graph for calls with these arguments */
    /* By instruction of the entry: see cg_host_captured_loops; NULL: there is none. */
    bool *is_captured;
    bool *launched_once; /* was the loop launched with these arguments before? */
    cu_graph_exec *loop_graph; /* the graph of its launches, once captured */
} rt_cuda_program;

enum { RT_CUDA_MAX_GRID = INT32_MAX };

/* load.c: generates and loads PTX, copies constants. */
cot_status rt_cuda_load(rt_program *p, const rt_plan *plan);
void rt_cuda_unload(rt_program *p);
/* More blocks than a launch may have. */
cot_status rt_cuda_refuse_grid(rt_gpu *g, const cg_kernel *k, int64_t blocks);
/* Drops captured graphs, so that launches are captured anew. */
void rt_cuda_drop_graphs(const rt_program *p, rt_cuda_program *q);

#endif
