/* Work on several processes (run.h), with a communicator that counts what is sent. */
#define _DEFAULT_SOURCE
#include "tests/processes/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/processes/late.h"

report *reports;
int started;
static int failures, checks;
static char folder[] = "/tmp/cot_spread_XXXXXX";

static void
fail(const char *what, int64_t n, int processes, const char *text)
{
    failures++;
    printf("%s, %d, %d processes: %s\n", what, (int)n, processes, text);
}

void
expect(bool good, const char *what, int64_t n, int processes, const char *text)
{
    checks++;
    if (!good)
        fail(what, n, processes, text);
}

static void *
shared_memory(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        exit(2);
    return p;
}

const char *
file_name(const char *name)
{
    static char path[2][200];
    static int k;

    k = !k;
    snprintf(path[k], sizeof path[k], "%s/%s", folder, name);
    return path[k];
}

void
tell(report *r, const cot_array *a)
{
    const size_t n = cot_array_bytes(a);

    if (r->bytes + n > RESULTS)
        exit(2);
    if (n)
        memcpy(r->at + r->bytes, cot_array_read(a), n);
    r->bytes += n;
}

/* A communicator that counts what is sent. */
typedef struct counter {
    const cot_comm *of;
    size_t sent;
} counter;

static int
count_exchange(void *user, int partner, const void *send, size_t send_bytes, void *receive,
               size_t receive_bytes)
{
    counter *c = user;

    c->sent += send_bytes;
    return c->of->exchange(c->of->user, partner, send, send_bytes, receive, receive_bytes);
}

static void
count_abort(void *user)
{
    const counter *c = user;

    c->of->abort(c->of->user);
}

static const char *
count_error(void *user)
{
    const counter *c = user;

    return c->of->error(c->of->user);
}

static int
run_process(const cot_comm *comm, void *user)
{
    const work *w = user;
    report *r = &reports[comm->rank];
    counter c = { comm, 0 };
    const cot_comm counted = { .user = &c,
                               .rank = comm->rank,
                               .size = comm->size,
                               .exchange = count_exchange,
                               .abort = count_abort,
                               .error = count_error };
    static late messages;
    const cot_comm begins = late_comm(&messages, &counted);
    cot_context *ctx = cot_context_new(&(cot_options){ .comm = w->begins ? &begins : &counted,
                                                       .threads = w->threads ? w->threads : 1,
                                                       .cache_dir = "off",
                                                       .verify = 1 });

    r->bytes = r->sent = 0;
    r->status = w->run(ctx, w, r);
    snprintf(r->text, sizeof r->text, "%s", r->status ? cot_error(ctx) : "");
    r->sent = c.sent;
    cot_context_free(ctx);
    return r->status != 0 || !late_ended(&messages);
}

int
start(const work *w, int processes)
{
    memset(reports, 0, sizeof *reports * MAX_PROCESSES);
    started = processes;
    return cot_shm_run(processes, run_process, (void *)(uintptr_t)w, .timeout = 30);
}

void
compare(const work *w, const report *one, int processes)
{
    const int status = start(w, processes);

    for (int k = 0; k < processes; k++)
        expect(status == 0 && reports[k].bytes == one->bytes && one->bytes > 0 &&
                   memcmp(reports[k].at, one->at, one->bytes) == 0,
               w->what, w->blocks, processes,
               reports[k].text[0] ? reports[k].text : "other bytes");
}

void
begin_tests(void)
{
    reports = shared_memory(sizeof *reports * MAX_PROCESSES);
    if (!mkdtemp(folder))
        exit(2);
}

int
end_tests(const char *what)
{
    char remove[100];

    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    if (system(remove) != 0)
        failures++;
    printf("%s: %d checks, %d failures\n", what, checks, failures);
    return failures > 0;
}
