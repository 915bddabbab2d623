/* Programs on several processes over the doubles of NCCL and of the driver, judged by the bytes
 * of one:
 *
 *   nccl_processes same [FIRST STEP]  programs FIRST, FIRST + STEP, ... on 2, 3 and 4 processes
 *   nccl_processes wrong              no library, no driver, one that lacks functions
 *   nccl_processes ended              a process ends, and a message fails
 *
 * Processes meet over shared memory, which carries nothing once they have met. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cotrace/nccl.h"
#include "tests/processes/programs.h"

enum { MAX_PROCESSES = 4 };

static int failures, checks;

/* What a process has to say. */
typedef struct said {
    int opened, met; /* exchanges over what they met by, once they have met */
    char text[400];
    spread_result result;
} said;
static said *all;

static void
expect(bool good, const char *what, int processes, const char *text)
{
    checks++;
    if (good)
        return;
    failures++;
    printf("%s, %d processes: %s\n", what, processes, text);
}

typedef struct nccl_work {
    const spread_program *program;
    const char *library, *driver;
    int wrong; /* the process that has these; the others have the doubles; below 0: all */
    int leaves; /* the process that ends early; below 0: none */
} nccl_work;

static const cot_comm *inner;
static int exchanges;

static int
counted(void *user, int partner, const void *send, size_t send_bytes, void *receive,
        size_t receive_bytes)
{
    exchanges++;
    return inner->exchange(user, partner, send, send_bytes, receive, receive_bytes);
}

static int
run(const cot_comm *shm, void *user)
{
    const nccl_work *w = user;
    said *s = &all[shm->rank];
    const bool right = w->wrong >= 0 && w->wrong != shm->rank;
    cot_comm meet = *shm, comm;
    int status = 1;

    inner = shm;
    meet.exchange = counted;
    s->opened = cot_nccl_open(&meet, &comm, .timeout = 3,
                              .library = right || !w->library ? NCCL_DOUBLE_PATH : w->library,
                              .driver = right || !w->driver ? CUDA_DOUBLE : w->driver) == 0;
    snprintf(s->text, sizeof s->text, "%s", s->opened ? "" : comm.error(comm.user));
    exchanges = 0;
    if (s->opened && w->leaves != shm->rank) {
        status = spread_run(w->program, 33, "eval", 1, &comm, &s->result);
        snprintf(s->text, sizeof s->text, "%s", s->result.text);
    }
    s->met = exchanges;
    cot_nccl_close(&comm);
    return status != 0;
}

static void
start(const nccl_work *w, int processes)
{
    int status[MAX_PROCESSES];

    memset(all, 0, sizeof *all * MAX_PROCESSES);
    cot_shm_run(processes, run, (void *)(uintptr_t)w, .timeout = 20, .status = status);
}

static void
same(int first, int step)
{
    static spread_result one;

    for (int p = first; p < spread_program_count; p += step) {
        const nccl_work w = { .program = &spread_programs[p], .wrong = -1, .leaves = -1 };
        expect(spread_run(w.program, 33, "eval", 1, NULL, &one) == 0 && one.bytes > 0,
               w.program->name, 1, one.text);
        for (int processes = 2; processes <= MAX_PROCESSES; processes++) {
            start(&w, processes);
            for (int k = 0; k < processes; k++)
                expect(all[k].opened && all[k].met == 0 && all[k].result.bytes == one.bytes &&
                           memcmp(all[k].result.at, one.at, one.bytes) == 0,
                       w.program->name, processes, all[k].text[0] ? all[k].text : "bytes");
        }
    }
}

/* None opens, and each says why. */
static void
refused(const char *library, const char *driver, int wrong, const char *text)
{
    const nccl_work w = { spread_find("sum"), library, driver, wrong, -1 };

    start(&w, 3);
    for (int k = 0; k < 3; k++)
        expect(!all[k].opened && strstr(all[k].text, text), "refused", 3, all[k].text);
}

static void
wrong(void)
{
    refused("/none/libnccl.so", NULL, 1, "there is no NCCL: /none/libnccl.so");
    expect(strncmp(all[0].text, "process 1: ", 11) == 0, "refused", 3, all[0].text);
    refused(CUDA_DOUBLE, NULL, 0, "NCCL lacks ncclGetVersion; wants version 2.14 or newer");
    refused(NULL, "/none/libcuda.so", 2, "there is no CUDA driver: /none/libcuda.so");
    refused("/none/libnccl.so", NULL, -1, "there is no NCCL");
}

static void
ended(void)
{
    nccl_work w = { .program = spread_find("network.grad"), .wrong = -1, .leaves = 1 };

    start(&w, 3);
    for (int k = 0; k < 3; k++)
        expect(all[k].opened &&
                   (k == 1 || strstr(all[k].text, "process 1 did not answer within 3 s") ||
                    strstr(all[k].text, "did not answer within 3 s")),
               "ended", 3, all[k].text);
    w.leaves = -1;
    setenv("NCCL_DOUBLE", "fail=3", 1);
    start(&w, 3);
    for (int k = 0; k < 3; k++)
        expect(all[k].opened && (strstr(all[k].text, "NCCL fails at a message: unhandled") ||
                                 strstr(all[k].text, "did not answer within 3 s")),
               "fails", 3, all[k].text);
    unsetenv("NCCL_DOUBLE");
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    all = mmap(NULL, sizeof *all * MAX_PROCESSES, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return 2;
    if (strcmp(what, "same") == 0)
        same(argc > 2 ? atoi(argv[2]) : 0, argc > 3 ? atoi(argv[3]) : 1);
    else if (strcmp(what, "wrong") == 0)
        wrong();
    else if (strcmp(what, "ended") == 0)
        ended();
    else
        return 2;
    printf("%s: %d checks, %d failures\n", what, checks, failures);
    return failures > 0;
}
