/* The double's functions that wait by themselves, as a simple host calls them: on one stream,
 * the default. */
#pragma GCC visibility push(default)
#include "tests/gpu/double_inside.h"

cu_result sync_all(void) __asm__("cuCtxSynchronize");
cu_result load_data(cu_module *m, const void *image) __asm__("cuModuleLoadData");
cu_result alloc_sync(cu_address *at, size_t bytes) __asm__("cuMemAlloc_v2");
cu_result free_sync(cu_address at) __asm__("cuMemFree_v2");
cu_result in_sync(cu_address to, const void *from, size_t bytes) __asm__("cuMemcpyHtoD_v2");
cu_result out_sync(void *to, cu_address from, size_t bytes) __asm__("cuMemcpyDtoH_v2");
cu_result move_sync(cu_address to, cu_address from, size_t bytes) __asm__("cuMemcpyDtoD_v2");

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
    return alloc_(at, bytes, NULL, NULL);
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
