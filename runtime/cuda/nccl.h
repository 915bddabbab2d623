/* The part of NCCL's interface that is used here, with declarations of our own, found by
 * dlopen.
 *
 * Names, signatures and numbers are those of NVIDIA's NCCL documentation, versions 2.14 to
 * 2.28; binaries depend on them.  No header of NCCL is needed to build. */
#ifndef RUNTIME_CUDA_NCCL_H
#define RUNTIME_CUDA_NCCL_H

#include <stddef.h>

#include "runtime/cuda/driver.h"

typedef int nccl_result; /* ncclResult_t */
typedef struct nccl_comm_ *nccl_comm;
typedef struct nccl_id {
    char byte[128];
} nccl_id;

/* ncclConfig_t as 2.14 has it, which later versions fill up by `size` and `version`. */
typedef struct nccl_config {
    size_t size;
    unsigned magic, version;
    int blocking;
} nccl_config;

enum {
    NCCL_SUCCESS = 0,
    NCCL_IN_PROGRESS = 7,
    NCCL_BYTES = 0, /* ncclInt8 */
    NCCL_OLDEST = 21400, /* 10000 major + 100 minor + patch */
};
#define NCCL_MAGIC 0xcafebeefu

/* X(member, symbol, result, parameters) */
#define NCCL_FUNCTIONS(X)                                                                      \
    X(version, "ncclGetVersion", nccl_result, (int *version))                                  \
    X(new_id, "ncclGetUniqueId", nccl_result, (nccl_id * id))                                  \
    X(open, "ncclCommInitRankConfig", nccl_result,                                             \
      (nccl_comm * comm, int n, nccl_id id, int rank, nccl_config *config))                    \
    X(state, "ncclCommGetAsyncError", nccl_result, (nccl_comm comm, nccl_result * state))      \
    X(abort, "ncclCommAbort", nccl_result, (nccl_comm comm))                                   \
    X(begin, "ncclGroupStart", nccl_result, (void))                                            \
    X(end, "ncclGroupEnd", nccl_result, (void))                                                \
    X(send, "ncclSend", nccl_result,                                                           \
      (const void *from, size_t n, int type, int peer, nccl_comm comm, cu_stream stream))      \
    X(receive, "ncclRecv", nccl_result,                                                        \
      (void *to, size_t n, int type, int peer, nccl_comm comm, cu_stream stream))              \
    X(text, "ncclGetErrorString", const char *, (nccl_result result))

typedef struct rt_nccl {
    void *library;
#define NCCL_MEMBER(member, symbol, result, parameters) result(*member) parameters;
    NCCL_FUNCTIONS(NCCL_MEMBER)
#undef NCCL_MEMBER
} rt_nccl;

#endif
