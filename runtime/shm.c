/* Processes of one machine that share memory: cot_shm_run.
 *
 * The caller forks the processes, which share memory that was mapped before (shm.h), and waits
 * for them.  It notes in that memory how each process ends, and after a failure it kills what
 * does not end in the time that is set. */
#define _DEFAULT_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/shm.h"

/* The status of a process that something else has waited for. */
enum { UNKNOWN = 255 };

static void
run_process(rt_shm *p, cot_shm_body *body, void *user)
{
    const cot_comm comm = rt_shm_comm(p);
    const int status = body(&comm, user);

    fflush(stdout);
    fflush(stderr);
    _exit(status & 255);
}

/* Waits for all. Once one has failed, the others have the timeout to end. */
static int
wait_for_all(const rt_shm *p, pid_t *pid, int *status)
{
    int left = p->size, worst = 0;
    double failed = 0;

    while (left > 0) {
        for (int k = 0; k < p->size; k++) {
            int how = UNKNOWN << 8;
            if (!pid[k] || waitpid(pid[k], &how, WNOHANG) == 0)
                continue;
            pid[k] = 0;
            left--;
            rt_shm_ended(p, k, WIFSIGNALED(how) ? 0 : WEXITSTATUS(how),
                         WIFSIGNALED(how) ? WTERMSIG(how) : 0);
            const int code = WIFSIGNALED(how) ? -WTERMSIG(how) : WEXITSTATUS(how);
            if (status)
                status[k] = code;
            if (code && !worst)
                worst = code < 0 ? 128 - code : code, failed = rt_shm_now();
        }
        for (int k = 0; k < p->size && failed && rt_shm_now() - failed > p->timeout + 1; k++)
            if (pid[k])
                kill(pid[k], SIGKILL);
        if (left > 0)
            nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
    }
    return worst;
}

static int
start_all(rt_shm *p, cot_shm_body *body, void *user, int *status)
{
    pid_t pid[RT_SHM_PROCESSES] = { 0 };
    bool whole = true;

    fflush(stdout);
    fflush(stderr);
    for (int k = 0; k < p->size && whole; k++) {
        pid[k] = fork();
        if (pid[k] == 0) {
            p->rank = k;
            run_process(p, body, user);
        }
        whole = pid[k] > 0;
        if (!whole)
            pid[k] = 0;
    }
    for (int k = 0; k < p->size && !whole; k++)
        if (pid[k] > 0) {
            kill(pid[k], SIGKILL);
            waitpid(pid[k], &(int){ 0 }, 0);
        }
    return whole ? wait_for_all(p, pid, status) : -1;
}

int
cot_shm_run_(int processes, cot_shm_body *body, void *user, const cot_shm_options *options,
             size_t size)
{
    cot_shm_options o = { .timeout = 0 };
    rt_shm p;

    if (options)
        memcpy(&o, options, size < sizeof o ? size : sizeof o);
    if (processes < 1 || processes > RT_SHM_PROCESSES || !body)
        return -1;
    if (!rt_shm_open(&p, processes, &o))
        return -1;
    const int worst = start_all(&p, body, user, o.status);
    rt_shm_close(&p);
    return worst;
}
