/* NCCL's interface as we declare it (runtime/cuda/nccl.h) beside its own header, where one is
 * installed: numbers, sizes, and the beginning of its options. */
#include "runtime/cuda/nccl.h"

#include <nccl.h>

#define SAME(ours, theirs) _Static_assert((long)(ours) == (long)(theirs), #theirs)
SAME(NCCL_SUCCESS, ncclSuccess);
SAME(NCCL_IN_PROGRESS, ncclInProgress);
SAME(NCCL_BYTES, ncclInt8);
SAME(sizeof(nccl_id), sizeof(ncclUniqueId));
SAME(sizeof(nccl_result), sizeof(ncclResult_t));
SAME(offsetof(nccl_config, size), offsetof(ncclConfig_t, size));
SAME(offsetof(nccl_config, magic), offsetof(ncclConfig_t, magic));
SAME(offsetof(nccl_config, version), offsetof(ncclConfig_t, version));
SAME(offsetof(nccl_config, blocking), offsetof(ncclConfig_t, blocking));
SAME(NCCL_OLDEST, NCCL_VERSION(2, 14, 0));

int
main(void)
{
    static const ncclConfig_t theirs = NCCL_CONFIG_INITIALIZER;

    /* Each function has as many parameters as ours. */
    (void)sizeof(ncclCommInitRankConfig(NULL, 1, (ncclUniqueId){ { 0 } }, 0, NULL));
    (void)sizeof(ncclSend(NULL, 1, ncclInt8, 0, NULL, NULL));
    (void)sizeof(ncclRecv(NULL, 1, ncclInt8, 0, NULL, NULL));
    (void)sizeof(ncclCommGetAsyncError(NULL, NULL));
    (void)sizeof(ncclCommAbort(NULL));
    (void)sizeof(ncclGetUniqueId(NULL));
    return theirs.magic != NCCL_MAGIC;
}
