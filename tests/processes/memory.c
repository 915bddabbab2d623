/* `processes memory`: what is shared cannot be had, and a process that is short of memory. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/processes/processes.h"
#include "tests/processes/programs.h"

enum { MB = 1 << 20 };

/* No more than so many bytes beside those that this process has. */
static void
leave(size_t bytes)
{
    FILE *in = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    if (!in || fscanf(in, "%lu", &pages) != 1)
        exit(3);
    fclose(in);
    const rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + bytes;
    if (setrlimit(RLIMIT_AS, &(struct rlimit){ most, most }))
        exit(3);
}

static int
run_nothing(const cot_comm *comm, void *user)
{
    (void)comm, (void)user;
    return 5;
}

/* Messages of 16 processes to each other want 256 MB: the call fails, and nothing has run. */
static void
cannot_share(void)
{
    int status = 0;
    const pid_t child = fork();

    if (child == 0) {
        leave(64 * MB);
        _exit(cot_shm_run(16, run_nothing, NULL, .buffer_bytes = MB) == -1 ? 0 : 1);
    }
    waitpid(child, &status, 0);
    checks++;
    if (status)
        fail("memory", 0, 16, "processes are made of memory that is not there");
}

static size_t left; /* to process 1 when it calls */

static void
be_short(const cot_comm *comm)
{
    if (comm->rank == 1)
        leave(left);
}

typedef struct shortage {
    int status[3];
    spread_result result[3];
} shortage;

static int
run_short(const cot_comm *comm, void *user)
{
    shortage *s = user;

    spread_before = be_short;
    s->status[comm->rank] =
        spread_run(spread_find("network.grad"), 2000, "eval", 1, comm, &s->result[comm->rank]);
    return s->status[comm->rank] != 0;
}

/* Wherever in a call process 1 runs out of memory, it says so, and the others name it. */
static void
one_is_short(void)
{
    shortage *s = shared_memory(sizeof *s);
    int failed = 0, ended = 1;

    for (left = 0; ended; left += 64 << 10) {
        memset(s->status, 0, sizeof s->status);
        ended = cot_shm_run(3, run_short, s, .timeout = 20);
        failed += ended != 0;
        for (int rank = 0; rank < 3 && ended; rank++) {
            const bool good = rank == 1 ? s->status[rank] == COT_ERR_MEMORY
                                        : s->status[rank] == COT_ERR_FOREIGN &&
                                              strstr(s->result[rank].text, "process 1");
            checks++;
            if (!good)
                fail("memory", 2000, 3, s->result[rank].text);
        }
    }
    checks++;
    if (failed < 3)
        fail("memory", 2000, 3, "no process was short of it");
}

void
memory(void)
{
    cannot_share();
    one_is_short();
}
