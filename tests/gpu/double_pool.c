/* The double's memory pools: who makes one destroys it, and takes nothing from it after. */
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(default)
#include "tests/gpu/double_inside.h"

struct cu_pool_ { cu_pool next; uint64_t keeps; };

static cu_pool pools;

static cu_pool *
find(cu_pool p)
{
    cu_pool *at = &pools;

    while (*at && *at != p)
        at = &(*at)->next;
    return at;
}

cu_result
pool_make_(cu_pool *out, const cu_pool_props *props)
{
    static const unsigned char none[sizeof props->reserved];

    if (props->allocation != CU_POOL_PINNED || props->handles || props->security ||
        props->most || props->usage || memcmp(props->reserved, none, sizeof none) != 0)
        return CU_INVALID_VALUE;
    if (props->place != CU_POOL_ON_DEVICE || props->ordinal < 0)
        return CU_INVALID_DEVICE;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return CU_OUT_OF_MEMORY;
    (*out)->next = pools;
    pools = *out;
    double_counts()->pools++;
    return CU_SUCCESS;
}

cu_result
pool_set_(cu_pool p, cu_pool_attribute what, void *value)
{
    if (!*find(p) || what != CU_POOL_RELEASE_THRESHOLD)
        return CU_INVALID_VALUE;
    memcpy(&p->keeps, value, sizeof p->keeps);
    return CU_SUCCESS;
}

cu_result
pool_free_(cu_pool p)
{
    cu_pool *at = find(p);

    if (!*at)
        return CU_INVALID_VALUE;
    *at = p->next;
    free(p);
    double_counts()->pools--;
    return CU_SUCCESS;
}

void
double_use_pool(cu_pool p)
{
    if (!*find(p))
        double_wrong("memory of a pool that is none");
    else if (p->keeps != UINT64_MAX)
        double_wrong("memory of a pool that gives it up at each wait");
}
