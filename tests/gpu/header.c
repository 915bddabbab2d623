/* The driver's interface as we declare it (runtime/cuda/driver.h) beside the toolkit's own
 * header, where one is installed: numbers, sizes of handles, symbols with their versions,
 * and the type of each function, parameter by parameter.  It is built only where cuda.h is
 * found, of version 11.4 or newer. */
#define CU_STREAM_NON_BLOCKING our_stream_non_blocking
#define CU_EVENT_DISABLE_TIMING our_event_disable_timing
#include "runtime/cuda/driver.h"
enum { our_non_blocking = CU_STREAM_NON_BLOCKING, our_no_timing = CU_EVENT_DISABLE_TIMING };
#undef CU_STREAM_NON_BLOCKING
#undef CU_EVENT_DISABLE_TIMING

#include <cuda.h>
#include <stdio.h>
#include <string.h>

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)
SAME(CU_SUCCESS, CUDA_SUCCESS);
SAME(CU_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE);
SAME(CU_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME(CU_NO_DEVICE, CUDA_ERROR_NO_DEVICE);
SAME(CU_INVALID_DEVICE, CUDA_ERROR_INVALID_DEVICE);
SAME(CU_INVALID_PTX, CUDA_ERROR_INVALID_PTX);
SAME(CU_UNSUPPORTED_PTX_VERSION, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME(CU_NOT_FOUND, CUDA_ERROR_NOT_FOUND);
SAME(CU_NOT_READY, CUDA_ERROR_NOT_READY);
SAME(CU_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED);
SAME(CU_ATTRIBUTE_PROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(CU_ATTRIBUTE_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(CU_ATTRIBUTE_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(CU_ATTRIBUTE_POOLS, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
SAME(CU_POOL_RELEASE_THRESHOLD, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
SAME(CU_POOL_PINNED, CU_MEM_ALLOCATION_TYPE_PINNED);
SAME(CU_POOL_ON_DEVICE, CU_MEM_LOCATION_TYPE_DEVICE);
SAME(CU_FUNCTION_DYNAMIC, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(0, CU_MEM_HANDLE_TYPE_NONE);
SAME(CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BUFFER);
SAME(CU_JIT_ERROR_LOG_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME(our_non_blocking, CU_STREAM_NON_BLOCKING);
SAME(our_no_timing, CU_EVENT_DISABLE_TIMING);
SAME(CU_CAPTURE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);

/* Handles: passed by value, so what counts is their size. */

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
SAME_SIZE(cu_device_attribute, CUdevice_attribute);
SAME_SIZE(cu_pool_attribute, CUmemPool_attribute);
SAME_SIZE(cu_function_attribute, CUfunction_attribute);
SAME_SIZE(cu_jit_option, CUjit_option);
SAME_SIZE(cu_capture_mode, CUstreamCaptureMode);
SAME_SIZE(uint64_t, cuuint64_t);        /* the value of the pools' threshold */

#define SAME_PLACE(ours, theirs) \
    SAME(offsetof(cu_pool_props, ours), offsetof(CUmemPoolProps, theirs))
SAME_SIZE(cu_pool_props, CUmemPoolProps);
SAME_PLACE(allocation, allocType);
SAME_PLACE(handles, handleTypes);
SAME_PLACE(place, location.type);
SAME_PLACE(ordinal, location.id);
SAME_PLACE(security, win32SecurityAttributes);

/* Functions: X(our member, the manual's name). */

#define FUNCTIONS(X)                                                                           \
    X(init, cuInit)                                                                            \
    X(version, cuDriverGetVersion)                                                             \
    X(error_name, cuGetErrorName)                                                              \
    X(error_string, cuGetErrorString)                                                          \
    X(device_count, cuDeviceGetCount)                                                          \
    X(device_get, cuDeviceGet)                                                                 \
    X(device_name, cuDeviceGetName)                                                            \
    X(device_attribute, cuDeviceGetAttribute)                                                  \
    X(context_retain, cuDevicePrimaryCtxRetain)                                                \
    X(context_release, cuDevicePrimaryCtxRelease)                                              \
    X(context_push, cuCtxPushCurrent)                                                          \
    X(context_pop, cuCtxPopCurrent)                                                            \
    X(module_load, cuModuleLoadDataEx)                                                         \
    X(module_unload, cuModuleUnload)                                                           \
    X(module_function, cuModuleGetFunction)                                                    \
    X(stream_create, cuStreamCreate)                                                           \
    X(stream_destroy, cuStreamDestroy)                                                         \
    X(stream_sync, cuStreamSynchronize)                                                        \
    X(stream_query, cuStreamQuery)                                                             \
    X(event_create, cuEventCreate)                                                             \
    X(event_destroy, cuEventDestroy)                                                           \
    X(event_record, cuEventRecord)                                                             \
    X(stream_wait, cuStreamWaitEvent)                                                          \
    X(function_set, cuFuncSetAttribute)                                                        \
    X(pool_make, cuMemPoolCreate)                                                              \
    X(pool_free, cuMemPoolDestroy)                                                             \
    X(pool_set, cuMemPoolSetAttribute)                                                         \
    X(alloc, cuMemAllocFromPoolAsync)                                                          \
    X(release, cuMemFreeAsync)                                                                 \
    X(to_device, cuMemcpyHtoDAsync)                                                            \
    X(to_host, cuMemcpyDtoHAsync)                                                              \
    X(move, cuMemcpyDtoDAsync)                                                                 \
    X(host_alloc, cuMemAllocHost)                                                              \
    X(host_free, cuMemFreeHost)                                                                \
    X(set_bytes, cuMemsetD8Async)                                                              \
    X(set_halves, cuMemsetD16Async)                                                            \
    X(set_words, cuMemsetD32Async)                                                             \
    X(launch, cuLaunchKernel)                                                                  \
    X(capture_begin, cuStreamBeginCapture)                                                     \
    X(capture_end, cuStreamEndCapture)                                                         \
    X(graph_make, cuGraphInstantiateWithFlags)                                                 \
    X(graph_launch, cuGraphLaunch)                                                             \
    X(graph_exec_destroy, cuGraphExecDestroy)                                                  \
    X(graph_destroy, cuGraphDestroy)

/* Our parameters, with the header's types for ours, are those of the header's function. */
#define cu_result CUresult
#define cu_device CUdevice
#define cu_address CUdeviceptr
#define cu_device_attribute CUdevice_attribute
#define cu_pool_attribute CUmemPool_attribute
#define cu_pool_props CUmemPoolProps
#define cu_function_attribute CUfunction_attribute
#define cu_jit_option CUjit_option
#define cu_capture_mode CUstreamCaptureMode
#define cu_context CUcontext
#define cu_module CUmodule
#define cu_function CUfunction
#define cu_stream CUstream
#define cu_pool CUmemoryPool
#define cu_graph CUgraph
#define cu_event CUevent
#define cu_graph_exec CUgraphExec
#define OURS(member, symbol, parameters) typedef CUresult(*our_##member) parameters;
CU_FUNCTIONS(OURS)
#define ALIKE(member, name)                                                               \
    _Static_assert(__builtin_types_compatible_p(our_##member, __typeof__(&name)), #name);
FUNCTIONS(ALIKE)

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static const struct {
    const char *member, *symbol;
} ours[] = {
#define OUR(member, symbol, parameters) { #member, symbol },
    CU_FUNCTIONS(OUR)
}, theirs[] = {
#define THEIR(member, name) { #member, TEXT(name) },
    FUNCTIONS(THEIR)
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
