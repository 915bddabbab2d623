/* Checkpoints of several processes:
 *
 *   checkpoint files          written by one number of processes, read by another; damaged
 *                             files, full disks
 *   checkpoint ended [TIMES]  a process is killed while all write, so many times: the file is
 *                             that of before or the new one, and whole */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/processes/run.h"

/* Arrays of several types, whole and spread, of values that depend on `version`. */
enum { N_ARRAYS = 5 };

static const char *const array_names[N_ARRAYS] = { "u", "step", "empty", "flags",
                                                   "w\303\244rme" };

static void
make_state(cot_context *ctx, int version, cot_named *at)
{
    const cot_type types[N_ARRAYS] = { cot_f32(50, 3), cot_i64(), cot_f64(0, 4), cot_bool(7),
                                       cot_u16(13) };

    for (int i = 0; i < N_ARRAYS; i++) {
        cot_array *a =
            i % 2 == 0 ? cot_array_spread(ctx, types[i]) : cot_array_new(ctx, types[i]);
        const cot_rows rows = cot_array_rows(a);
        const size_t n = cot_array_bytes(a), row = rows.count ? n / (size_t)rows.count : 0;
        unsigned char *x = cot_array_data(a);
        for (size_t k = 0; k < n; k++)
            x[k] = (unsigned char)(((size_t)rows.first * row + k) * 7 +
                                   (size_t)(version * 13 + i));
        for (size_t k = 0; k < n && i == 3; k++)
            x[k] &= 1;
        at[i] = (cot_named){ array_names[i], a };
    }
}

/* What a file holds is all of one version: which one, or below 0. */
static int
version_of(cot_context *ctx, const cot_state *s, int versions)
{
    for (int v = 0; v < versions && s->n == N_ARRAYS; v++) {
        cot_named at[N_ARRAYS];
        bool same = true;
        make_state(ctx, v, at);
        for (int i = 0; i < N_ARRAYS; i++) {
            const cot_named *got = &s->at[i];
            same &= strcmp(got->name, at[i].name) == 0 &&
                    cot_array_is_spread(got->array) == cot_array_is_spread(at[i].array) &&
                    cot_array_bytes(got->array) == cot_array_bytes(at[i].array) &&
                    memcmp(cot_array_read(got->array), cot_array_read(at[i].array),
                           cot_array_bytes(at[i].array)) == 0;
            cot_array_free(at[i].array);
        }
        if (same)
            return v;
    }
    return -1;
}

static cot_status
write_version(cot_context *ctx, const char *path, int version)
{
    cot_named at[N_ARRAYS];

    make_state(ctx, version, at);
    const cot_status status =
        cot_checkpoint_write(ctx, path, &(cot_state){ .n = N_ARRAYS, .at = at });
    for (int i = 0; i < N_ARRAYS; i++)
        cot_array_free(at[i].array);
    return status;
}

static int
run_write(cot_context *ctx, const work *w, report *r)
{
    (void)r;
    return write_version(ctx, file_name("state"), (int)w->blocks);
}

static int
run_read(cot_context *ctx, const work *w, report *r)
{
    cot_state s;

    (void)r;
    COT_TRY(cot_checkpoint_read(ctx, file_name("state"), &s));
    const int version = version_of(ctx, &s, (int)w->blocks + 1);
    cot_state_free(&s);
    return version == w->blocks ? COT_OK : COT_ERR_INTERNAL;
}

/* Every process answers the status with a text that has the words. */
static void
all_say(const work *w, int processes, int status, const char *words, const char *more)
{
    start(w, processes);
    for (int k = 0; k < processes; k++)
        expect(reports[k].status == status && strstr(reports[k].text, words) &&
                   strstr(reports[k].text, more),
               w->what, w->blocks, processes, reports[k].text);
}

static size_t
file_size(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 ? (size_t)s.st_size : 0;
}

/* Changes a byte of the file, or its length. */
static void
damage(const char *path, size_t at, long long length)
{
    const int file = open(path, O_RDWR);
    unsigned char x = 0;

    if (file < 0 || pread(file, &x, 1, (off_t)at) != 1)
        exit(2);
    x ^= 0x10;
    if (length < 0 ? pwrite(file, &x, 1, (off_t)at) != 1 : ftruncate(file, (off_t)length) != 0)
        exit(2);
    close(file);
}

/* Each byte of the header, and some of the data. */
static void
damaged(int processes)
{
    const char *path = file_name("state");
    work w = { .what = "write", .run = run_write, .blocks = 1 },
         read = { .what = "damaged", .run = run_read, .blocks = 1 };

    expect(start(&w, 2) == 0, w.what, 1, 2, reports[0].text);
    const size_t size = file_size(path);
    for (size_t at = 0; at < size; at += at < 600 ? 7 : 31) {
        damage(path, at, -1);
        start(&read, processes);
        /* What lies between two arrays is of no use. */
        const bool found = reports[0].status != 0;
        for (int k = 0; k < processes; k++)
            expect(reports[k].status == (found ? COT_ERR_PARSE : 0) &&
                       (!found || strstr(reports[k].text, path)),
                   "damaged", (int64_t)at, processes, reports[k].text);
        expect(found || at > 400, "damaged", (int64_t)at, processes, "nobody has seen it");
        damage(path, at, -1);
    }
    all_say(&read, processes, 0, "", "");
    damage(path, 0, (long long)size - 1);
    all_say(&read, processes, COT_ERR_PARSE, path, "it has not the length that it says");
    damage(path, 0, 10);
    all_say(&read, processes, COT_ERR_PARSE, path, "it is no checkpoint");
    unlink(path);
    all_say(&read, processes, COT_ERR_IO, path, "No such file");
}

/* The file of one process has no more room: the others say who, and the old file stays. */
static int
run_full(cot_context *ctx, const work *w, report *r)
{
    if (r == &reports[w->victim]) {
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 700, 700 }))
            return COT_ERR_INTERNAL;
    }
    const int status = write_version(ctx, file_name("state"), (int)w->blocks);
    return status;
}

static void
full(int victim)
{
    work w = { .what = "write", .run = run_write, .blocks = 2 },
         read = { .what = "read", .run = run_read, .blocks = 2 };
    char who[40];

    expect(start(&w, 4) == 0, w.what, 2, 4, reports[0].text);
    w = (work){ .what = "full", .run = run_full, .blocks = 3, .victim = victim };
    start(&w, 4);
    snprintf(who, sizeof who, "process %d: ", victim);
    for (int k = 0; k < 4; k++)
        expect(reports[k].status == COT_ERR_IO && strstr(reports[k].text, file_name("state")) &&
                   strstr(reports[k].text, "File too large") &&
                   (k == victim || strstr(reports[k].text, who)),
               "full", victim, 4, reports[k].text);
    expect(start(&read, 3) == 0, "full: read", 2, 3, reports[0].text);
}

static int
run_other(cot_context *ctx, const work *w, report *r)
{
    cot_named at[N_ARRAYS];

    make_state(ctx, 0, at);
    at[1].name = r == &reports[1] ? "other" : at[1].name;
    if (w->blocks)
        at[1].name = at[0].name;
    return cot_checkpoint_write(ctx, file_name("state"),
                                &(cot_state){ .n = N_ARRAYS, .at = at });
}

static void
files(void)
{
    static const int of[] = { 1, 2, 3, 4, 5, 7, 8, 16 };

    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 8; k++) {
            const work w = { .what = "write", .run = run_write, .blocks = i },
                       read = { .what = "read", .run = run_read, .blocks = i };
            if (k == 0)
                expect(start(&w, of[i]) == 0, w.what, i, of[i], reports[0].text);
            expect(start(&read, of[k]) == 0, read.what, of[i], of[k], reports[0].text);
        }
    damaged(1);
    damaged(3);
    for (int victim = 0; victim < 4; victim++)
        full(victim);
    const work other = { .what = "other", .run = run_other },
               twice = { .what = "twice", .run = run_other, .blocks = 1 };
    all_say(&other, 3, COT_ERR_FOREIGN, "calls with other types, names or bytes", "state");
    all_say(&twice, 3, COT_ERR_ARG, "state", "has the name of another");
}

/* ---- ended ---- */

static void
on_alarm(int signal)
{
    (void)signal;
    raise(SIGKILL);
}

/* Versions one after the other, until a process is killed. */
static int
run_until(cot_context *ctx, const work *w, report *r)
{
    int status = 0;

    if (r == &reports[w->victim]) {
        timer_t timer;
        struct sigaction action = { .sa_handler = on_alarm };
        sigaction(SIGALRM, &action, NULL);
        if (timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0)
            timer_settime(
                timer, 0,
                &(struct itimerspec){ .it_value = { .tv_nsec = 1000L * w->microseconds } },
                NULL);
    }
    for (int k = 0; status == 0; k++) {
        status = write_version(ctx, file_name("state"), k % 4);
        r->sent = (size_t)k;
    }
    return status;
}

static int
run_read_any(cot_context *ctx, const work *w, report *r)
{
    cot_state s;

    (void)w, (void)r;
    COT_TRY(cot_checkpoint_read(ctx, file_name("state"), &s));
    const int version = version_of(ctx, &s, 4);
    cot_state_free(&s);
    return version >= 0 ? COT_OK : COT_ERR_INTERNAL;
}

/* Whatever the moment, the file is whole, and the next write goes through. */
static void
ended(int times)
{
    uint32_t seed = 1;
    work w = { .what = "write", .run = run_write };
    const work read = { .what = "ended", .run = run_read_any };

    expect(start(&w, 2) == 0, w.what, 0, 2, reports[0].text);
    for (int i = 0; i < times; i++) {
        seed = seed * 1664525 + 1013904223;
        w = (work){ .what = "ended",
                    .run = run_until,
                    .victim = i % 3,
                    .microseconds = 500 + (int)(seed >> 16) % 20000 };
        expect(start(&w, 3) != 0, w.what, i, 3, "nothing was killed");
        for (int k = 0; k < 3; k++)
            expect(k == w.victim || (reports[k].status == COT_ERR_FOREIGN &&
                                     strstr(reports[k].text, "was ended by signal 9")),
                   "ended", i, 3, reports[k].text);
        expect(start(&read, 1 + i % 4) == 0, "ended: read", i, 1 + i % 4, reports[0].text);
    }
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    begin_tests();
    if (strcmp(what, "files") == 0)
        files();
    else if (strcmp(what, "ended") == 0)
        ended(argc > 2 ? atoi(argv[2]) : 200);
    else
        return 2;
    return end_tests(what);
}
