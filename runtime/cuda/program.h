/* A module on a GPU: what loading it gives, and what calls go by. */
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
    rt_cuda_launched *kernel;   /* by number */
    void **constant;            /* by the entry's buffer, on the device */
    cu_address constants;       /* the memory of them all */
    cu_address *seen;           /* arguments of the last call, then its work block */
    bool seen_once;
    cu_graph_exec graph;        /* of a call with these arguments */
    /* by the entry's instruction: cg_host_pieces; NULL: there is none */
    bool *is_piece;
    bool *piece_once;           /* and whether it was launched with these arguments */
    cu_graph_exec *piece;       /* and what it launches, once it is captured */
} rt_cuda_program;

/* load.c: PTX is made and loaded, constants are copied. */
cot_status rt_cuda_load(rt_program *p, const rt_plan *plan);
void rt_cuda_unload(rt_program *p);
/* Launches are captured anew. */
void rt_cuda_drop_graphs(const rt_program *p, rt_cuda_program *q);

#endif
