/* The part of the CUDA driver that runs a PTX module: libcuda.so.1 (or COT_CUDA_DRIVER) by
 * dlopen, without a header of CUDA.  Functions answer NULL, or text that says what is wrong.
 * Plain C11; part of ptx_manifest.h. */
#ifndef PTX_DRIVER_H
#define PTX_DRIVER_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* As in NVIDIA's CUDA Driver API reference manual: handles are pointers, enumerations int. */
typedef int driver_result, driver_device, driver_attribute;
typedef uint64_t driver_address;
typedef void *driver_context, *driver_module, *driver_function, *driver_stream, *driver_event;

enum { DRIVER_DYNAMIC_SHARED = 8 };     /* bytes that a launch may ask for */

#define DRIVER_FUNCTIONS(X)                                                                    \
    X(cuInit, "cuInit", (unsigned))                                                            \
    X(cuDeviceGet, "cuDeviceGet", (driver_device *, int))                                      \
    X(cuDeviceGetName, "cuDeviceGetName", (char *, int, driver_device))                        \
    X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (driver_context *, driver_device)) \
    X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (driver_device))              \
    X(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (driver_context))                               \
    X(cuCtxSynchronize, "cuCtxSynchronize", (void))                                            \
    X(cuModuleLoadData, "cuModuleLoadData", (driver_module *, const void *))                   \
    X(cuModuleUnload, "cuModuleUnload", (driver_module))                                       \
    X(cuModuleGetFunction, "cuModuleGetFunction",                                              \
      (driver_function *, driver_module, const char *))                                        \
    X(cuFuncSetAttribute, "cuFuncSetAttribute", (driver_function, driver_attribute, int))      \
    X(cuMemAlloc, "cuMemAlloc_v2", (driver_address *, size_t))                                 \
    X(cuMemFree, "cuMemFree_v2", (driver_address))                                             \
    X(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (driver_address, const void *, size_t))                 \
    X(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void *, driver_address, size_t))                       \
    X(cuMemcpyDtoD, "cuMemcpyDtoD_v2", (driver_address, driver_address, size_t))               \
    X(cuLaunchKernel, "cuLaunchKernel",                                                        \
      (driver_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,  \
       driver_stream, void **, void **))                                                       \
    X(cuEventCreate, "cuEventCreate", (driver_event *, unsigned))                              \
    X(cuEventRecord, "cuEventRecord", (driver_event, driver_stream))                           \
    X(cuEventSynchronize, "cuEventSynchronize", (driver_event))                                \
    X(cuEventElapsedTime, "cuEventElapsedTime", (float *, driver_event, driver_event))         \
    X(cuEventDestroy, "cuEventDestroy_v2", (driver_event))                                     \
    X(cuGetErrorString, "cuGetErrorString", (driver_result, const char **))

typedef struct driver {
    void *library;
    driver_device device;
    char name[100];
#define DRIVER_MEMBER(member, symbol, parameters) driver_result(*member) parameters;
    DRIVER_FUNCTIONS(DRIVER_MEMBER)
#undef DRIVER_MEMBER
} driver;

static const char *
driver_check(const driver *d, int r)
{
    const char *text = NULL;

    if (r == 0)
        return NULL;
    return d->cuGetErrorString(r, &text) == 0 && text ? text : "the driver failed";
}

static const char *
driver_find(driver *d)
{
    void *at;

#define DRIVER_FIND(member, symbol, parameters)                                                \
    if (!(at = dlsym(d->library, symbol)))                                                     \
        return "the CUDA driver lacks " symbol;                                                \
    memcpy(&d->member, &at, sizeof at);
    DRIVER_FUNCTIONS(DRIVER_FIND)
#undef DRIVER_FIND
    return NULL;
}

static const char *
driver_open(driver *d)
{
    const char *path = getenv("COT_CUDA_DRIVER"), *why;
    void *context = NULL;

    memset(d, 0, sizeof *d);
    d->library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW);
    if (!d->library)
        return "there is no CUDA driver";
    if ((why = driver_find(d)) || (why = driver_check(d, d->cuInit(0))) ||
        (why = driver_check(d, d->cuDeviceGet(&d->device, 0))) ||
        (why = driver_check(d, d->cuDeviceGetName(d->name, sizeof d->name, d->device))) ||
        (why = driver_check(d, d->cuDevicePrimaryCtxRetain(&context, d->device))) ||
        (why = driver_check(d, d->cuCtxPushCurrent(context))))
        return why;
    return NULL;
}

static void
driver_close(driver *d)
{
    if (d->library)
        dlclose(d->library);
}

#endif
