/* The driver's interface as we declare it (runtime/cuda/driver.h) beside the toolkit's own
 * header, where one is installed:
 * numbers, sizes of handles, symbols with their versions, and each function's parameters,
 * called with our types where nothing runs.  It is built only where cuda.h is found, of version
 * 11.4 or newer. */
#define CU_STREAM_NON_BLOCKING our_stream_non_blocking
#include "runtime/cuda/driver.h"
enum { our_non_blocking = CU_STREAM_NON_BLOCKING };
#undef CU_STREAM_NON_BLOCKING

#include <cuda.h>
#include <stdio.h>
#include <string.h>

/* -- numbers -- */

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)
SAME(CU_SUCCESS, CUDA_SUCCESS);
SAME(CU_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE);
SAME(CU_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME(CU_NO_DEVICE, CUDA_ERROR_NO_DEVICE);
SAME(CU_INVALID_DEVICE, CUDA_ERROR_INVALID_DEVICE);
SAME(CU_INVALID_PTX, CUDA_ERROR_INVALID_PTX);
SAME(CU_UNSUPPORTED_PTX_VERSION, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME(CU_NOT_FOUND, CUDA_ERROR_NOT_FOUND);
SAME(CU_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED);
SAME(CU_ATTRIBUTE_PROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(CU_ATTRIBUTE_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(CU_ATTRIBUTE_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(CU_ATTRIBUTE_POOLS, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
SAME(CU_POOL_RELEASE_THRESHOLD, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
SAME(CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BUFFER);
SAME(CU_JIT_ERROR_LOG_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME(our_non_blocking, CU_STREAM_NON_BLOCKING);
SAME(CU_CAPTURE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);

/* -- handles: passed by value, so what counts is their size -- */

#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #theirs)
SAME_SIZE(cu_result, CUresult);
SAME_SIZE(cu_device, CUdevice);
SAME_SIZE(cu_address, CUdeviceptr);
SAME_SIZE(cu_context, CUcontext);
SAME_SIZE(cu_module, CUmodule);
SAME_SIZE(cu_function, CUfunction);
SAME_SIZE(cu_stream, CUstream);
SAME_SIZE(cu_pool, CUmemoryPool);
SAME_SIZE(cu_graph, CUgraph);
SAME_SIZE(cu_graph_exec, CUgraphExec);
SAME_SIZE(cu_event, CUevent);
SAME_SIZE(int, CUjit_option);
SAME_SIZE(int, CUmemPool_attribute);
SAME_SIZE(int, CUstreamCaptureMode);
SAME_SIZE(uint64_t, cuuint64_t);        /* the value of the pools' threshold */

/* -- functions: X(our member, the manual's name, arguments of the header's types) -- */

#define CALLS(X)                                                                                        \
    X(init, cuInit, (0u))                                                                               \
    X(version, cuDriverGetVersion, ((int *)0))                                                          \
    X(error_name, cuGetErrorName, ((CUresult)0, (const char **)0))                                      \
    X(error_string, cuGetErrorString, ((CUresult)0, (const char **)0))                                  \
    X(device_count, cuDeviceGetCount, ((int *)0))                                                       \
    X(device_get, cuDeviceGet, ((CUdevice *)0, 0))                                                      \
    X(device_name, cuDeviceGetName, ((char *)0, 0, (CUdevice)0))                                        \
    X(device_attribute, cuDeviceGetAttribute, ((int *)0, (CUdevice_attribute)0, (CUdevice)0))           \
    X(context_retain, cuDevicePrimaryCtxRetain, ((CUcontext *)0, (CUdevice)0))                          \
    X(context_release, cuDevicePrimaryCtxRelease, ((CUdevice)0))                                        \
    X(context_push, cuCtxPushCurrent, ((CUcontext)0))                                                   \
    X(context_pop, cuCtxPopCurrent, ((CUcontext *)0))                                                   \
    X(module_load, cuModuleLoadDataEx, ((CUmodule *)0, (const void *)0, 0u, (CUjit_option *)0, (void **)0)) \
    X(module_unload, cuModuleUnload, ((CUmodule)0))                                                     \
    X(module_function, cuModuleGetFunction, ((CUfunction *)0, (CUmodule)0, (const char *)0))            \
    X(stream_create, cuStreamCreate, ((CUstream *)0, 0u))                                               \
    X(stream_destroy, cuStreamDestroy, ((CUstream)0))                                                   \
    X(stream_sync, cuStreamSynchronize, ((CUstream)0))                                                  \
    X(pool_of, cuDeviceGetDefaultMemPool, ((CUmemoryPool *)0, (CUdevice)0))                             \
    X(pool_set, cuMemPoolSetAttribute, ((CUmemoryPool)0, (CUmemPool_attribute)0, (void *)0))            \
    X(alloc, cuMemAllocAsync, ((CUdeviceptr *)0, (size_t)0, (CUstream)0))                               \
    X(release, cuMemFreeAsync, ((CUdeviceptr)0, (CUstream)0))                                           \
    X(to_device, cuMemcpyHtoDAsync, ((CUdeviceptr)0, (const void *)0, (size_t)0, (CUstream)0))          \
    X(to_host, cuMemcpyDtoHAsync, ((void *)0, (CUdeviceptr)0, (size_t)0, (CUstream)0))                  \
    X(move, cuMemcpyDtoDAsync, ((CUdeviceptr)0, (CUdeviceptr)0, (size_t)0, (CUstream)0))                \
    X(pool_trim, cuMemPoolTrimTo, ((CUmemoryPool)0, (size_t)0))                                         \
    X(set_bytes, cuMemsetD8Async, ((CUdeviceptr)0, (unsigned char)0, (size_t)0, (CUstream)0))           \
    X(set_halves, cuMemsetD16Async, ((CUdeviceptr)0, (unsigned short)0, (size_t)0, (CUstream)0))        \
    X(set_words, cuMemsetD32Async, ((CUdeviceptr)0, (unsigned)0, (size_t)0, (CUstream)0))               \
    X(launch, cuLaunchKernel,                                                                           \
      ((CUfunction)0, 1u, 1u, 1u, 1u, 1u, 1u, 0u, (CUstream)0, (void **)0, (void **)0))                 \
    X(capture_begin, cuStreamBeginCapture, ((CUstream)0, (CUstreamCaptureMode)0))                       \
    X(capture_end, cuStreamEndCapture, ((CUstream)0, (CUgraph *)0))                                     \
    X(graph_make, cuGraphInstantiateWithFlags, ((CUgraphExec *)0, (CUgraph)0, 0ull))                    \
    X(graph_launch, cuGraphLaunch, ((CUgraphExec)0, (CUstream)0))                                       \
    X(graph_exec_destroy, cuGraphExecDestroy, ((CUgraphExec)0))                                         \
    X(graph_destroy, cuGraphDestroy, ((CUgraph)0))

/* The header's function takes these arguments, or this does not compile. */
#define CALL(member, name, arguments) SAME_SIZE(int, __typeof__(name arguments));
CALLS(CALL)

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static const struct {
    const char *member, *symbol;
} ours[] = {
#define OUR(member, symbol, parameters) { #member, symbol },
    CU_FUNCTIONS(OUR)
}, theirs[] = {
#define THEIR(member, name, arguments) { #member, TEXT(name) },
    CALLS(THEIR)
};

int
main(void)
{
    const size_t n = sizeof ours / sizeof *ours;
    int wrong = n != sizeof theirs / sizeof *theirs;

    for (size_t i = 0; i < n && !wrong; i++)
        if (strcmp(ours[i].member, theirs[i].member) != 0 ||
            strcmp(ours[i].symbol, theirs[i].symbol) != 0) {
            printf("header: %s is %s; cuda.h has %s for %s\n", ours[i].member, ours[i].symbol,
                   theirs[i].symbol, theirs[i].member);
            wrong = 1;
        }
    printf("header: %zu functions of cuda.h %d: %s\n", n, CUDA_VERSION,
           wrong ? "not ours" : "ours");
    return wrong;
}
