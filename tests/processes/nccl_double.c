/* A double of NCCL, loaded in its place: the functions of runtime/cuda/nccl.h over the memory
 * of the driver's double.
 *
 * From each process to each other goes a named pipe in a folder whose name is the id.  Like the
 * real one that does not block, it only notes what is asked for, and goes on when it is asked
 * for its state.  NCCL_DOUBLE="fail=N" lets the N-th group fail. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/cuda/nccl.h"

#define DECLARE(member, symbol, result, parameters) result member##_ parameters __asm__(symbol);
NCCL_FUNCTIONS(DECLARE)
#undef DECLARE

enum { MOST = 16, SYSTEM_ERROR = 2, INVALID_USAGE = 5 };

/* A transfer that is not done: nothing is left where n is 0. */
typedef struct transfer {
    char *at;
    size_t n;
    int file;
} transfer;

struct nccl_comm_ {
    char folder[64];
    int rank, size, groups;
    bool met;
    int out[MOST], in[MOST]; /* pipes, by peer */
    transfer sends, receives;
};

static bool in_group;

nccl_result
version_(int *version)
{
    *version = 21805;
    return NCCL_SUCCESS;
}

const char *
text_(nccl_result r)
{
    return r == SYSTEM_ERROR ? "unhandled system error" : "invalid usage";
}

nccl_result
new_id_(nccl_id *id)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    snprintf(id->byte, sizeof id->byte, "/tmp/nccl_double_%d_%ld", (int)getpid(), t.tv_nsec);
    return NCCL_SUCCESS;
}

static int
open_pipe(const nccl_comm c, int from, int to)
{
    char path[100];

    snprintf(path, sizeof path, "%s/%d.%d", c->folder, from, to);
    if (mkfifo(path, 0600) && errno != EEXIST)
        return -1;
    return open(path, O_RDWR | O_NONBLOCK);
}

/* Notes that this process is at a point of its life; has every one been there? */
static bool
note(nccl_comm c, const char *point, bool new)
{
    char path[100];

    snprintf(path, sizeof path, "%s/%s.%d", c->folder, point, c->rank);
    const int file = new ? open(path, O_CREAT | O_WRONLY, 0600) : -1;
    if (file >= 0)
        close(file);
    for (int k = 0; k < c->size; k++) {
        snprintf(path, sizeof path, "%s/%s.%d", c->folder, point, k);
        if (access(path, F_OK))
            return false;
    }
    return true;
}

nccl_result
open_(nccl_comm *comm, int n, nccl_id id, int rank, nccl_config *config)
{
    nccl_comm c = *comm = calloc(1, sizeof *c);

    if (config->magic != NCCL_MAGIC || config->size < sizeof *config || config->blocking ||
        n > MOST || rank < 0 || rank >= n)
        return INVALID_USAGE;
    memcpy(c->folder, id.byte, sizeof c->folder - 1);
    if (mkdir(c->folder, 0700) && errno != EEXIST)
        return SYSTEM_ERROR;
    c->rank = rank;
    c->size = n;
    for (int k = 0; k < n; k++) {
        c->out[k] = open_pipe(c, rank, k);
        c->in[k] = open_pipe(c, k, rank);
        if (c->out[k] < 0 || c->in[k] < 0)
            return SYSTEM_ERROR;
    }
    note(c, "here", true);
    return NCCL_IN_PROGRESS;
}

/* Are all there? */
static bool
have_met(nccl_comm c)
{
    c->met = c->met || note(c, "here", false);
    return c->met;
}

/* Goes on with a transfer; false: it fails. */
static bool
go_on(transfer *t, bool sends)
{
    if (!t->n)
        return true;
    const ssize_t n = sends ? write(t->file, t->at, t->n) : read(t->file, t->at, t->n);
    if (n < 0)
        return errno == EAGAIN;
    t->at += n;
    t->n -= (size_t)n;
    return true;
}

nccl_result
state_(nccl_comm c, nccl_result *state)
{
    const char *s = getenv("NCCL_DOUBLE");

    *state = have_met(c) ? NCCL_SUCCESS : NCCL_IN_PROGRESS;
    if (s && strncmp(s, "fail=", 5) == 0 && c->groups == atoi(s + 5))
        *state = SYSTEM_ERROR;
    else if (!go_on(&c->sends, true) || !go_on(&c->receives, false))
        *state = SYSTEM_ERROR;
    else if (c->sends.n || c->receives.n)
        *state = NCCL_IN_PROGRESS;
    return NCCL_SUCCESS;
}

/* The last to leave removes the folder. */
nccl_result
abort_(nccl_comm c)
{
    char command[100];

    for (int k = 0; k < c->size; k++) {
        close(c->out[k]);
        close(c->in[k]);
    }
    snprintf(command, sizeof command, "rm -rf %s", c->folder);
    if (note(c, "gone", true) && system(command))
        return SYSTEM_ERROR;
    free(c);
    return NCCL_SUCCESS;
}

nccl_result
begin_(void)
{
    in_group = true;
    return NCCL_SUCCESS;
}

nccl_result
end_(void)
{
    in_group = false;
    return NCCL_IN_PROGRESS;
}

static nccl_result
ask(nccl_comm c, transfer *t, char *at, size_t n, int type, int file)
{
    if (!in_group || t->n || type != NCCL_BYTES || !have_met(c))
        return INVALID_USAGE;
    *t = (transfer){ at, n, file };
    return NCCL_IN_PROGRESS;
}

nccl_result
send_(const void *from, size_t n, int type, int peer, nccl_comm c, cu_stream stream)
{
    (void)stream;
    c->groups++;
    return ask(c, &c->sends, (char *)(uintptr_t)from, n, type, c->out[peer]);
}

nccl_result
receive_(void *to, size_t n, int type, int peer, nccl_comm c, cu_stream stream)
{
    (void)stream;
    return ask(c, &c->receives, to, n, type, c->in[peer]);
}
