/* The ranks of cot_shm_run as threads of one process, which the thread sanitizer sees:
 *
 *   rank_threads messages           messages of all lengths between all, and barriers
 *   rank_threads same [FIRST STEP]  programs FIRST, FIRST + STEP, ... by the evaluator and the
 *                                   JIT at 33 groups on 2, 3 and 4 ranks have the bytes of one
 *   rank_threads ended              a rank gives up or ends: the others end and name it */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/shm.h"
#include "tests/processes/programs.h"

enum { MAX_RANKS = 8, LONGEST = 3000 };

static int failures, checks;

static void
expect(bool good, const char *what, int ranks, const char *text)
{
    checks++;
    if (good)
        return;
    failures++;
    printf("%s, %d ranks: %s\n", what, ranks, text);
}

typedef struct thread_rank {
    pthread_t thread;
    rt_shm shm;
    cot_shm_body *body;
    void *user;
    int status;
} thread_rank;

static void *
run_rank(void *arg)
{
    thread_rank *r = arg;
    const cot_comm comm = rt_shm_comm(&r->shm);

    r->status = r->body(&comm, r->user);
    rt_shm_ended(&r->shm, r->shm.rank, r->status, 0);
    return NULL;
}

/* What cot_shm_run does, of threads. */
static void
run_threads(int ranks, size_t buffer_bytes, cot_shm_body *body, void *user, int *status)
{
    rt_shm shm;
    thread_rank each[MAX_RANKS];

    if (!rt_shm_open(&shm, ranks,
                     &(cot_shm_options){ .timeout = 60, .buffer_bytes = buffer_bytes }))
        exit(2);
    shm.parent = getppid();
    for (int k = 0; k < ranks; k++) {
        each[k] = (thread_rank){ .shm = shm, .body = body, .user = user };
        each[k].shm.rank = k;
        if (pthread_create(&each[k].thread, NULL, run_rank, &each[k]))
            exit(2);
    }
    for (int k = 0; k < ranks; k++) {
        pthread_join(each[k].thread, NULL);
        status[k] = each[k].status;
    }
    rt_shm_close(&shm);
}

/* A message of a step, from one to another. */
static size_t
fill(unsigned char *x, int step, int from, int to)
{
    uint32_t h = (uint32_t)(step * 64 + from * 8 + to) * 2654435761u;
    const size_t n = h % 5 ? (h >> 8) % LONGEST : 0;

    for (size_t i = 0; i < n; i++) {
        h = h * 1664525u + 1013904223u;
        x[i] = (unsigned char)(h >> 16);
    }
    return n;
}

static int
send_all(const cot_comm *c, void *user)
{
    unsigned char out[LONGEST], in[LONGEST], want[LONGEST];
    int wrong = 0;

    (void)user;
    for (int step = 0; step < 20; step++) {
        for (int k = 0; k < c->size; k++) {
            const int p = (k - c->rank + c->size) % c->size;
            const size_t sends = fill(out, step, c->rank, p),
                         receives = fill(want, step, p, c->rank);
            if (p == c->rank)
                continue;
            if (c->exchange(c->user, p, out, sends, in, receives))
                return 1;
            wrong |= receives && memcmp(in, want, receives) != 0;
        }
        if (step % 3 == 0 && c->barrier(c->user))
            return 2;
    }
    return wrong ? 3 : 0;
}

static void
messages(void)
{
    static const size_t buffers[] = { 1, 200, 5000 };
    char text[40];

    for (int ranks = 1; ranks <= 5; ranks++)
        for (int b = 0; b < 3; b++) {
            int status[MAX_RANKS];
            run_threads(ranks, buffers[b], send_all, NULL, status);
            for (int k = 0; k < ranks; k++) {
                snprintf(text, sizeof text, "rank %d ends with %d", k, status[k]);
                expect(status[k] == 0, "messages", ranks, text);
            }
        }
}

static const char *const backends[] = { "eval", "jit" };

typedef struct same_work {
    const spread_program *program;
    const char *backend;
    spread_result *result; /* by rank */
} same_work;

static int
run_program(const cot_comm *c, void *user)
{
    const same_work *w = user;

    return spread_run(w->program, 33, w->backend, 1, c, &w->result[c->rank]) != 0;
}

static void
compare(const same_work *w, int ranks, const spread_result *one)
{
    int status[MAX_RANKS];

    memset(w->result, 0, sizeof *w->result * (size_t)ranks);
    run_threads(ranks, 0, run_program, (void *)(uintptr_t)w, status);
    for (int k = 0; k < ranks; k++)
        expect(status[k] == 0 && !w->result[k].text[0] && w->result[k].bytes == one->bytes &&
                   memcmp(w->result[k].at, one->at, one->bytes) == 0,
               w->program->name, ranks,
               w->result[k].text[0] ? w->result[k].text : "other bytes");
}

static void
same(int first, int step)
{
    spread_result *one = calloc(1, sizeof *one);
    same_work w = { .result = calloc(MAX_RANKS, sizeof *w.result) };

    if (!one || !w.result)
        exit(2);
    for (int p = first; p < spread_program_count; p += step) {
        w.program = &spread_programs[p];
        expect(spread_run(w.program, 33, "eval", 1, NULL, one) == 0 && one->bytes > 0,
               w.program->name, 1, one->text);
        for (int b = 0; b < 2; b++)
            for (int ranks = 2; ranks <= 4; ranks++) {
                w.backend = backends[b];
                compare(&w, ranks, one);
            }
    }
    free(one), free(w.result);
}

typedef struct ended_work {
    int victim, step;
    bool gives_up;
    char text[MAX_RANKS][128]; /* the error of each, by rank */
} ended_work;

/* Messages until one fails. */
static int
send_until(const cot_comm *c, void *user)
{
    ended_work *w = user;
    char out[100] = { 0 }, in[100];

    for (int step = 0;; step++)
        for (int k = 0; k < c->size; k++) {
            const int p = (k - c->rank + c->size) % c->size;
            if (c->rank == w->victim && step == w->step && k == 1) {
                if (w->gives_up)
                    c->abort(c->user);
                return 7;
            }
            if (p != c->rank && c->exchange(c->user, p, out, sizeof out, in, sizeof in)) {
                snprintf(w->text[c->rank], sizeof w->text[0], "%s", c->error(c->user));
                return 1;
            }
        }
}

static void
ended(void)
{
    for (int i = 0; i < 40; i++) {
        int status[MAX_RANKS];
        const int ranks = 2 + i % 4;
        ended_work w = { .victim = i % ranks, .step = i % 7, .gives_up = i / 4 % 2 };
        char want[80];
        snprintf(want, sizeof want,
                 w.gives_up ? "process %d gave up after a failure of its own"
                            : "process %d has ended, with status 7",
                 w.victim);
        run_threads(ranks, 64, send_until, &w, status);
        for (int k = 0; k < ranks; k++)
            expect(k == w.victim ? status[k] == 7
                                 : status[k] == 1 && strcmp(w.text[k], want) == 0,
                   "ended", ranks, w.text[k]);
    }
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (strcmp(what, "messages") == 0)
        messages();
    else if (strcmp(what, "same") == 0)
        same(argc > 2 ? atoi(argv[2]) : 0, argc > 3 ? atoi(argv[3]) : 1);
    else if (strcmp(what, "ended") == 0)
        ended();
    else
        return 2;
    printf("%s: %d checks, %d failures\n", what, checks, failures);
    return failures > 0;
}
