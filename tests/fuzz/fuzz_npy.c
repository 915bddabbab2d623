/* Any bytes: a header that is believed describes exactly the bytes that are there. */
#include <stdint.h>
#include <stdlib.h>

#include "runtime/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rt_npy h;
    void *out;

    if (rt_npy_header(&h, data, size))
        return 0;
    if (h.data + h.bytes != size)
        abort();
    out = malloc(h.bytes + 1);
    for (size_t at = 0; out && at < h.bytes; at += 16)
        rt_npy_elements(&h, at, data + h.data + at, h.bytes - at < 16 ? h.bytes - at : 16, out);
    free(out);
    return 0;
}
