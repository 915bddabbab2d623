/* The part of the CUDA driver's interface that is used here, with declarations of our own,
 * found by dlopen.
 *
 * Names, signatures and numbers are those of NVIDIA's CUDA Driver API reference manual
 * (docs.nvidia.com, versions 11.4 to 12); they are fixed, as binaries depend on them.  `_v2` is
 * part of a symbol where the name in the manual stands for that version.  No toolkit is needed
 * to build, and only the driver to run. */
#ifndef RUNTIME_CUDA_DRIVER_H
#define RUNTIME_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef int cu_result;           /* CUresult */
typedef int cu_device;           /* CUdevice */
typedef uint64_t cu_address;     /* CUdeviceptr */
typedef int cu_device_attribute; /* enumerations; their members follow */
typedef int cu_pool_attribute;
typedef int cu_function_attribute;
typedef int cu_jit_option;
typedef int cu_capture_mode;
typedef struct cu_context_ *cu_context;
typedef struct cu_module_ *cu_module;
typedef struct cu_function_ *cu_function;
typedef struct cu_stream_ *cu_stream;
typedef struct cu_pool_ *cu_pool;
typedef struct cu_graph_ *cu_graph;
typedef struct cu_graph_exec_ *cu_graph_exec;
typedef struct cu_event_ *cu_event;

/* CUmemPoolProps: fields that are not listed are 0. */
typedef struct cu_pool_props {
    int allocation, handles, place, ordinal;    /* enumerations, the last two CUmemLocation */
    void *security;
    size_t most;
    unsigned short usage;
    unsigned char reserved[54];
} cu_pool_props;

enum {
    CU_SUCCESS = 0,
    CU_INVALID_VALUE = 1,
    CU_OUT_OF_MEMORY = 2,
    CU_NO_DEVICE = 100,
    CU_INVALID_DEVICE = 101,
    CU_INVALID_PTX = 218,
    CU_UNSUPPORTED_PTX_VERSION = 222,
    CU_NOT_FOUND = 500,
    CU_NOT_READY = 600,
    CU_LAUNCH_FAILED = 719,

    CU_ATTRIBUTE_PROCESSORS = 16,
    CU_ATTRIBUTE_MAJOR = 75,
    CU_ATTRIBUTE_MINOR = 76,
    CU_ATTRIBUTE_POOLS = 115,

    CU_POOL_RELEASE_THRESHOLD = 4, /* value: uint64_t bytes */
    CU_POOL_PINNED = 1, /* the only kind of allocation */
    CU_POOL_ON_DEVICE = 1,
    /* value: the bytes of shared memory that a launch may use */
    CU_FUNCTION_DYNAMIC = 8,

    CU_JIT_ERROR_LOG = 5,
    CU_JIT_ERROR_LOG_BYTES = 6,

    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_CAPTURE_THREAD_LOCAL = 1,

    /* The first with flags for graph instantiation; 1000 major + 10 minor. */
    CU_OLDEST_DRIVER = 11040
};

/* X(member, symbol, parameters) */
#define CU_FUNCTIONS(X)                                                                        \
    X(init, "cuInit", (unsigned flags))                                                        \
    X(version, "cuDriverGetVersion", (int *version))                                           \
    X(error_name, "cuGetErrorName", (cu_result error, const char **name))                      \
    X(error_string, "cuGetErrorString", (cu_result error, const char **text))                  \
    X(device_count, "cuDeviceGetCount", (int *count))                                          \
    X(device_get, "cuDeviceGet", (cu_device * device, int ordinal))                            \
    X(device_name, "cuDeviceGetName", (char *name, int bytes, cu_device device))               \
    X(device_attribute, "cuDeviceGetAttribute",                                                \
      (int *value, cu_device_attribute attribute, cu_device device))                           \
    X(context_retain, "cuDevicePrimaryCtxRetain", (cu_context * context, cu_device device))    \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (cu_device device))                     \
    X(context_push, "cuCtxPushCurrent_v2", (cu_context context))                               \
    X(context_pop, "cuCtxPopCurrent_v2", (cu_context * context))                               \
    X(module_load, "cuModuleLoadDataEx",                                                       \
      (cu_module * module, const void *image, unsigned n, cu_jit_option *options,              \
       void **values))                                                                         \
    X(module_unload, "cuModuleUnload", (cu_module module))                                     \
    X(module_function, "cuModuleGetFunction",                                                  \
      (cu_function * function, cu_module module, const char *name))                            \
    X(stream_create, "cuStreamCreate", (cu_stream * stream, unsigned flags))                   \
    X(stream_destroy, "cuStreamDestroy_v2", (cu_stream stream))                                \
    X(stream_sync, "cuStreamSynchronize", (cu_stream stream))                                  \
    X(stream_query, "cuStreamQuery", (cu_stream stream))                                       \
    X(event_create, "cuEventCreate", (cu_event * event, unsigned flags))                       \
    X(event_destroy, "cuEventDestroy_v2", (cu_event event))                                    \
    X(event_record, "cuEventRecord", (cu_event event, cu_stream stream))                       \
    X(stream_wait, "cuStreamWaitEvent", (cu_stream stream, cu_event event, unsigned flags))    \
    X(function_set, "cuFuncSetAttribute",                                                      \
      (cu_function function, cu_function_attribute attribute, int value))                      \
    X(pool_make, "cuMemPoolCreate", (cu_pool * pool, const cu_pool_props *props))              \
    X(pool_free, "cuMemPoolDestroy", (cu_pool pool))                                           \
    X(pool_set, "cuMemPoolSetAttribute",                                                       \
      (cu_pool pool, cu_pool_attribute attribute, void *value))                                \
    X(alloc, "cuMemAllocFromPoolAsync",                                                        \
      (cu_address * address, size_t bytes, cu_pool pool, cu_stream stream))                    \
    X(release, "cuMemFreeAsync", (cu_address address, cu_stream stream))                       \
    X(to_device, "cuMemcpyHtoDAsync_v2",                                                       \
      (cu_address to, const void *from, size_t bytes, cu_stream stream))                       \
    X(to_host, "cuMemcpyDtoHAsync_v2",                                                         \
      (void *to, cu_address from, size_t bytes, cu_stream stream))                             \
    X(move, "cuMemcpyDtoDAsync_v2",                                                            \
      (cu_address to, cu_address from, size_t bytes, cu_stream stream))                        \
    X(host_alloc, "cuMemAllocHost_v2", (void **at, size_t bytes))                              \
    X(host_free, "cuMemFreeHost", (void *at))                                                  \
    X(set_bytes, "cuMemsetD8Async",                                                            \
      (cu_address at, unsigned char value, size_t bytes, cu_stream stream))                    \
    X(set_halves, "cuMemsetD16Async",                                                          \
      (cu_address at, unsigned short value, size_t n, cu_stream stream))                       \
    X(set_words, "cuMemsetD32Async",                                                           \
      (cu_address at, unsigned value, size_t n, cu_stream stream))                             \
    X(launch, "cuLaunchKernel",                                                                \
      (cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                \
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,                  \
       cu_stream stream, void **parameters, void **extra))                                     \
    X(capture_begin, "cuStreamBeginCapture_v2", (cu_stream stream, cu_capture_mode mode))      \
    X(capture_end, "cuStreamEndCapture", (cu_stream stream, cu_graph * graph))                 \
    X(graph_make, "cuGraphInstantiateWithFlags",                                               \
      (cu_graph_exec * exec, cu_graph graph, unsigned long long flags))                        \
    X(graph_launch, "cuGraphLaunch", (cu_graph_exec exec, cu_stream stream))                   \
    X(graph_exec_destroy, "cuGraphExecDestroy", (cu_graph_exec exec))                          \
    X(graph_destroy, "cuGraphDestroy", (cu_graph graph))

typedef struct rt_driver {
    void *library;
#define CU_MEMBER(member, symbol, parameters) cu_result (*member) parameters;
    CU_FUNCTIONS(CU_MEMBER)
#undef CU_MEMBER
} rt_driver;

/* Open the library (NULL: libcuda.so.1) and initialise it.  Returns NULL, or in `why` the
 * reason that it cannot be used.  It must be closed in any case. */
const char *rt_driver_open(rt_driver *d, const char *path, char *why, size_t n);
void rt_driver_close(rt_driver *d);
/* "CUDA_ERROR_OUT_OF_MEMORY: out of memory" */
void rt_driver_error(const rt_driver *d, cu_result r, char *out, size_t n);

#endif
