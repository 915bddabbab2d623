/* The double's functions that wait by themselves, as a simple host calls them: on one stream,
 * the default. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/cuda/driver.h"
#include "tests/gpu/double.h"

#pragma GCC visibility push(default)
#define CU_DECLARE(member, symbol, parameters) cu_result member##_ parameters __asm__(symbol);
CU_FUNCTIONS(CU_DECLARE)
#undef CU_DECLARE

cu_result sync_all(void) __asm__("cuCtxSynchronize");
cu_result load_data(cu_module *m, const void *image) __asm__("cuModuleLoadData");
cu_result alloc_sync(cu_address *at, size_t bytes) __asm__("cuMemAlloc_v2");
cu_result free_sync(cu_address at) __asm__("cuMemFree_v2");
cu_result in_sync(cu_address to, const void *from, size_t bytes) __asm__("cuMemcpyHtoD_v2");
cu_result out_sync(void *to, cu_address from, size_t bytes) __asm__("cuMemcpyDtoH_v2");
cu_result move_sync(cu_address to, cu_address from, size_t bytes) __asm__("cuMemcpyDtoD_v2");
cu_result event_new(cu_event *e, unsigned flags) __asm__("cuEventCreate");
cu_result event_record(cu_event e, cu_stream s) __asm__("cuEventRecord");
cu_result event_sync(cu_event e) __asm__("cuEventSynchronize");
cu_result event_between(float *ms, cu_event from, cu_event to) __asm__("cuEventElapsedTime");
cu_result event_free(cu_event e) __asm__("cuEventDestroy_v2");

struct cu_event_ { struct timespec at; };

cu_result
sync_all(void)
{
    return stream_sync_(NULL);
}

cu_result
load_data(cu_module *m, const void *image)
{
    return module_load_(m, image, 0, NULL, NULL);
}

cu_result
alloc_sync(cu_address *at, size_t bytes)
{
    return alloc_(at, bytes, NULL);
}

cu_result
free_sync(cu_address at)
{
    (void)release_(at, NULL);
    return stream_sync_(NULL);
}

cu_result
in_sync(cu_address to, const void *from, size_t bytes)
{
    (void)to_device_(to, from, bytes, NULL);
    return stream_sync_(NULL);
}

cu_result
out_sync(void *to, cu_address from, size_t bytes)
{
    (void)to_host_(to, from, bytes, NULL);
    return stream_sync_(NULL);
}

cu_result
move_sync(cu_address to, cu_address from, size_t bytes)
{
    (void)move_(to, from, bytes, NULL);
    return stream_sync_(NULL);
}

cu_result
event_new(cu_event *e, unsigned flags)
{
    *e = calloc(1, sizeof **e);
    return flags || !*e ? CU_INVALID_VALUE : CU_SUCCESS;
}

/* A record waits, and so knows when all before it was done. */
cu_result
event_record(cu_event e, cu_stream s)
{
    cu_result r = stream_sync_(s);

    clock_gettime(CLOCK_MONOTONIC, &e->at);
    return r;
}

cu_result
event_sync(cu_event e)
{
    (void)e;
    return CU_SUCCESS;
}

cu_result
event_between(float *ms, cu_event from, cu_event to)
{
    *ms = (float)((double)(to->at.tv_sec - from->at.tv_sec) * 1e3 +
                  (double)(to->at.tv_nsec - from->at.tv_nsec) * 1e-6);
    return CU_SUCCESS;
}

cu_result
event_free(cu_event e)
{
    free(e);
    return CU_SUCCESS;
}
