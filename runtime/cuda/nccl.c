/* A communicator over NCCL (cotrace/nccl.h).
 *
 * An exchange is a send and a receive in one group, through two buffers of the GPU, a piece
 * after the other.  The communicator of NCCL does not block, so that each wait has an end: one
 * whose partner is gone is aborted. */
#define _DEFAULT_SOURCE
#include "runtime/cuda/nccl.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cotrace/nccl.h"
#include "runtime/compile.h"
#include "runtime/cuda/gpu.h"
#include "runtime/shm.h"

enum { PIECE = 4 << 20, SPINS = 100 };

typedef struct nccl {
    const cot_comm *meet;
    int rank, size;
    double timeout;
    rt_nccl f;
    cot_context *ctx; /* which has the GPU */
    rt_gpu *gpu;
    cu_address out, in;
    nccl_comm comm;
    bool failed;
    char text[400];
} nccl;

static int
fail(nccl *n, const char *format, ...)
{
    va_list args;

    if (!n->text[0]) {
        va_start(args, format);
        vsnprintf(n->text, sizeof n->text, format, args);
        va_end(args);
    }
    n->failed = true;
    return 1;
}

/* What NCCL has in work ends. */
static void
drop(nccl *n)
{
    if (n->comm)
        n->f.abort(n->comm);
    n->comm = NULL;
}

static int
check(nccl *n, nccl_result r, const char *doing)
{
    return r == NCCL_SUCCESS || r == NCCL_IN_PROGRESS
               ? 0
               : fail(n, "NCCL fails at %s: %s", doing, n->f.text(r));
}

/* Waits until what was asked of NCCL is in the stream, and is done there; partner below 0: all
 * are waited for. */
static int
wait(nccl *n, int partner)
{
    const double start = rt_shm_now();
    nccl_result state;

    for (int looks = 1;; looks++) {
        if (check(n, n->f.state(n->comm, &state), "a wait") || check(n, state, "a message"))
            return 1;
        const cu_result r =
            state == NCCL_SUCCESS ? n->gpu->driver.stream_query(n->gpu->stream) : CU_NOT_READY;
        if (r == CU_SUCCESS)
            return 0;
        if (r != CU_NOT_READY) {
            rt_gpu_check(n->gpu, r, "a message");
            return fail(n, "%s", n->gpu->said);
        }
        if (looks % SPINS)
            continue;
        if (rt_shm_now() - start > n->timeout)
            return partner < 0
                       ? fail(n, "NCCL did not connect all within %g s", n->timeout)
                       : fail(n, "process %d did not answer within %g s", partner, n->timeout);
        sched_yield();
    }
}

static int
on_gpu(nccl *n, cu_result r, const char *doing)
{
    return rt_gpu_check(n->gpu, r, doing) == COT_OK ? 0 : fail(n, "%s", n->gpu->said);
}

/* A piece each way.  The host's copies wait for nobody else. */
static int
exchange_piece(nccl *n, int partner, const void *send, size_t sends, void *receive,
               size_t receives)
{
    const rt_driver *d = &n->gpu->driver;
    cu_stream s = n->gpu->stream;

    if (sends && (on_gpu(n, d->to_device(n->out, send, sends, s), "a copy to it") ||
                  on_gpu(n, d->stream_sync(s), "a copy to it")))
        return 1;
    if (check(n, n->f.begin(), "a group") ||
        (sends && check(n,
                        n->f.send((const void *)(uintptr_t)n->out, sends, NCCL_BYTES, partner,
                                  n->comm, s),
                        "a send")) ||
        (receives && check(n,
                           n->f.receive((void *)(uintptr_t)n->in, receives, NCCL_BYTES, partner,
                                        n->comm, s),
                           "a receive")) ||
        check(n, n->f.end(), "a group") || wait(n, partner))
        return 1;
    return receives && (on_gpu(n, d->to_host(receive, n->in, receives, s), "a copy from it") ||
                        on_gpu(n, d->stream_sync(s), "a copy from it"));
}

static int
exchange(void *user, int partner, const void *send, size_t send_bytes, void *receive,
         size_t receive_bytes)
{
    nccl *n = user;
    int status = n->failed;

    for (size_t at = 0; !status && (at < send_bytes || at < receive_bytes); at += PIECE) {
        const size_t out = at < send_bytes ? send_bytes - at : 0,
                     in = at < receive_bytes ? receive_bytes - at : 0;
        rt_gpu_begin(n->gpu);
        status = exchange_piece(n, partner, out ? (const char *)send + at : NULL,
                                out < PIECE ? out : PIECE, in ? (char *)receive + at : NULL,
                                in < PIECE ? in : PIECE);
        if (status)
            drop(n);
        rt_gpu_end(n->gpu);
    }
    return status;
}

/* Each process meets each other once. */
static int
barrier(void *user)
{
    nccl *n = user;
    char byte = 0, other;

    for (int round = 0; round < n->size; round++) {
        const int p = (round - n->rank + n->size) % n->size;
        if (p != n->rank && exchange(n, p, &byte, 1, &other, 1))
            return 1;
    }
    return n->failed;
}

/* The others wait for the time that is set: NCCL does not tell them. */
static void
give_up(void *user)
{
    nccl *n = user;

    fail(n, "process %d gave up after a failure of its own", n->rank);
    if (n->comm) {
        rt_gpu_begin(n->gpu);
        drop(n);
        rt_gpu_end(n->gpu);
    }
}

static const char *
error_text(void *user)
{
    const nccl *n = user;

    return n->failed ? n->text : NULL;
}

/* ---- opening ---- */

static const struct {
    const char *symbol;
    size_t offset;
} table[] = {
#define NCCL_ROW(member, symbol, result, parameters) { symbol, offsetof(rt_nccl, member) },
    NCCL_FUNCTIONS(NCCL_ROW)
#undef NCCL_ROW
};

/* It has threads of its own, so it is never unmapped. */
static int
load(nccl *n, const char *path)
{
    int version = 0;

    n->f.library = dlopen(path ? path : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!n->f.library)
        return fail(n, "there is no NCCL: %s", dlerror());
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        void *at = dlsym(n->f.library, table[i].symbol);
        if (!at)
            return fail(n, "NCCL lacks %s; wants version 2.14 or newer", table[i].symbol);
        memcpy((char *)&n->f + table[i].offset, &at, sizeof at);
    }
    if (n->f.version(&version) || version < NCCL_OLDEST)
        return fail(n, "NCCL is of version %d.%d; wants 2.14 or newer", version / 10000,
                    version / 100 % 100);
    return 0;
}

typedef struct wanted_gpu {
    int device;
    rt_gpu *out;
} wanted_gpu;

static cot_status
take_gpu(cot_context *ctx, void *arg)
{
    wanted_gpu *w = arg;

    return rt_gpu_of(ctx, w->device, &w->out);
}

static int
open_gpu(nccl *n, const cot_nccl_options *o)
{
    wanted_gpu w = { .device = o->device };

    n->ctx = cot_context_new(&(cot_options){ .driver = o->driver, .cache_dir = "off" });
    if (!n->ctx || rt_guard(n->ctx, take_gpu, &w) != COT_OK)
        return fail(n, "%s", n->ctx ? cot_error(n->ctx) : "out of memory");
    n->gpu = w.out;
    rt_gpu_begin(n->gpu);
    if (rt_gpu_alloc(n->gpu, PIECE, &n->out) || rt_gpu_alloc(n->gpu, PIECE, &n->in))
        fail(n, "%s", n->gpu->said);
    rt_gpu_end(n->gpu);
    return n->failed;
}

/* What each has to say before they connect. */
typedef struct greeting {
    int failed;
    char text[sizeof(((nccl *)0)->text)];
    nccl_id id; /* of process 0 */
} greeting;

/* Can all of them open?  The id of process 0, or the failure of the first that has one. */
static int
agree(nccl *n, nccl_id *id)
{
    greeting own = { .failed = n->failed, .id = *id }, their;
    int first = n->failed ? n->rank : n->size;

    memcpy(own.text, n->text, sizeof own.text);
    for (int round = 0; round < n->size; round++) {
        const int p = (round - n->rank + n->size) % n->size;
        if (p == n->rank)
            continue;
        if (n->meet->exchange(n->meet->user, p, &own, sizeof own, &their, sizeof their)) {
            const char *why = n->meet->error ? n->meet->error(n->meet->user) : NULL;
            return fail(n, "%s", why ? why : "the communicator to meet over failed");
        }
        if (p == 0)
            *id = their.id;
        if (their.failed && p < first) {
            first = p;
            their.text[sizeof their.text - 1] = '\0';
            snprintf(n->text, sizeof n->text, "process %d: %.370s", p, their.text);
            n->failed = true;
        }
    }
    return n->failed;
}

static void
connect_all(nccl *n, const nccl_id *id)
{
    nccl_config config = { sizeof config, NCCL_MAGIC, NCCL_OLDEST, 0 };

    rt_gpu_begin(n->gpu);
    if (check(n, n->f.open(&n->comm, n->size, *id, n->rank, &config), "the start") ||
        wait(n, -1))
        drop(n);
    rt_gpu_end(n->gpu);
}

int
cot_nccl_open_(const cot_comm *meet, cot_comm *comm, const cot_nccl_options *options,
               size_t size)
{
    cot_nccl_options o = { .device = 0 };
    nccl *n = calloc(1, sizeof *n);
    nccl_id id = { { 0 } };

    if (!meet || !meet->exchange || !comm) {
        free(n);
        return 1;
    }
    if (options)
        memcpy(&o, options, size < sizeof o ? size : sizeof o);
    *comm = (cot_comm){ .rank = meet->rank, .size = meet->size };
    if (!n)
        return 1;
    *comm = (cot_comm){ .user = n,
                        .rank = meet->rank,
                        .size = meet->size,
                        .exchange = exchange,
                        .barrier = barrier,
                        .abort = give_up,
                        .error = error_text };
    n->meet = meet;
    n->rank = meet->rank;
    n->size = meet->size;
    n->timeout = o.timeout > 0 ? o.timeout : 60;
    if (load(n, o.library) == 0 && open_gpu(n, &o) == 0 && n->rank == 0)
        check(n, n->f.new_id(&id), "an id");
    if (agree(n, &id) == 0 && n->size > 1)
        connect_all(n, &id);
    return n->failed;
}

void
cot_nccl_close(cot_comm *comm)
{
    nccl *n = comm ? comm->user : NULL;

    if (!n)
        return;
    if (n->gpu) {
        rt_gpu_begin(n->gpu);
        drop(n);
        rt_gpu_free(n->gpu, n->out);
        rt_gpu_free(n->gpu, n->in);
        rt_gpu_end(n->gpu);
    }
    cot_context_free(n->ctx);
    free(n);
    *comm = (cot_comm){ .size = 0 };
}
