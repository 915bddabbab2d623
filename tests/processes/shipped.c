/* Objects and C source that several processes share, against one process:
 *
 *   shipped same FIRST STEP    every STEP-th program from FIRST on, as an object and as C
 *                              source, on each number of processes
 *   shipped killed N           a process is killed at some calls, and at N random moments
 *   shipped blocks             sums of more elements than are reduced at a time
 *   shipped rows               spread arguments and results
 *   shipped wrong              files that cannot be made, processes that do not fit together
 *
 * A file is linked with libcotrace_rt.a and nothing else of Cotrace. */
#define _DEFAULT_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "runtime/support/world.h"
#include "tests/laws/laws.h"
#include "tests/processes/programs.h"

enum { MAX_PROCESSES = 16 };
static const int counts[] = { 1, 2, 3, 4, 5, 7, 8, 16 };
#define COUNTS "1-5,7,8,16"

static char folder[] = "/tmp/cot_shipped_XXXXXX";
static spread_result *results; /* by process; behind them that of one process, and of builds */
static int checks, failures;

static void
expect(bool good, const char *what, int64_t groups, int processes, const char *text)
{
    checks++;
    if (good)
        return;
    failures++;
    printf("%s, %d groups, %d processes: %s\n", what, (int)groups, processes, text);
}

static const char *
path(const char *name)
{
    static char at[4][200];
    static int k;

    k = (k + 1) % 4;
    snprintf(at[k], sizeof at[k], "%s/%s", folder, name);
    return at[k];
}

/* ---- a file ---- */

typedef struct shipped {
    const spread_program *p;
    const char *form; /* "o" or "c" */
    const char *library; /* what was linked of it */
    int64_t groups;
    int threads;
    const char *processes;
    int victim, when, microseconds;
} shipped;

/* An entry that takes its pointers as an array: as many as the prototype of the header has
 * behind the communicator and before the pool. */
static bool
write_adapter(void)
{
    static char line[1 << 14];
    bool pool = false;
    int n = 0;
    FILE *in = fopen(path("x.h"), "r"), *out = fopen(path("adapt.c"), "w");

    while (in && fgets(line, sizeof line, in))
        if (strncmp(line, "int shipped(", 12) == 0) {
            for (const char *s = strstr(line, "comm,"); s && (s = strchr(s + 1, ',')); n++)
                ;
            pool = strstr(line, "*pool,") != NULL;
        }
    if (!in || !out || n == 0)
        return false;
    fprintf(out, "#include <stddef.h>\n#include \"x.h\"\n"
                 "int call(const struct cot_comm *c, void *const *a, void *work)\n{\n"
                 "    return shipped(c, ");
    for (int i = 0; i < n - 1 - pool; i++)
        fprintf(out, "a[%d], ", i);
    fprintf(out, "%swork);\n}\nsize_t work_bytes(void)\n{\n    return SHIPPED_WORK_BYTES;\n}\n",
            pool ? "NULL, " : "");
    return (fclose(in) == 0) & (fclose(out) == 0);
}

static const char *
file_of(const shipped *s)
{
    return path(s->form[0] == 'c' ? "x.c" : "x.o");
}

/* In a process of its own: LLVM does not survive a fork. */
static int
build(const cot_comm *comm, void *user)
{
    const shipped *s = user;

    (void)comm;
    return spread_build(s->p, s->groups, s->processes, s->threads, file_of(s), path("x.h"),
                        &results[MAX_PROCESSES + 1]);
}

static int
run_alone(const cot_comm *comm, void *user)
{
    const shipped *s = user;

    (void)comm;
    return spread_run(s->p, s->groups, "jit", 1, NULL, &results[MAX_PROCESSES]);
}

/* Writes the file, and links it with what it may need. */
static bool
make(shipped *s)
{
    static int number;
    static char library[200], line[1000];

    snprintf(library, sizeof library, "%s/x%d.so", folder, number++);
    snprintf(line, sizeof line,
             "cc -std=c11 -O1 -w -shared -fPIC -Wl,-z,defs -o %s %s/adapt.c %s %s", library,
             folder, file_of(s), RT_LIBRARY);
    s->library = library;
    if (cot_shm_run(1, build, s) != 0) {
        expect(false, s->p->name, s->groups, 1, results[MAX_PROCESSES + 1].text);
        return false;
    }
    const bool good = write_adapter() && system(line) == 0;
    expect(good, s->p->name, s->groups, 1, "the file cannot be compiled and linked");
    return good;
}

/* ---- a call of it ---- */

/* The library's entry, and its work block. */
static spread_entry *
entry_of(const shipped *s, size_t *work_bytes)
{
    void *library = dlopen(s->library, RTLD_NOW | RTLD_LOCAL);
    void *entry = library ? dlsym(library, "call") : NULL,
         *size = library ? dlsym(library, "work_bytes") : NULL;
    size_t (*work)(void);
    spread_entry *f;

    if (!entry || !size)
        return NULL;
    memcpy(&f, &entry, sizeof f);
    memcpy(&work, &size, sizeof work);
    *work_bytes = work();
    return f;
}

static int
run_shipped(const cot_comm *comm, void *user)
{
    const shipped *s = user;
    size_t work_bytes;
    spread_entry *f = entry_of(s, &work_bytes);

    return f ? spread_call(s->p, s->groups, f, work_bytes, comm, &results[comm->rank])
             : COT_ERR_IO;
}

static void
compare(shipped *s, int processes)
{
    const spread_result *one = &results[MAX_PROCESSES];
    char what[100];

    memset(results, 0, sizeof *results * MAX_PROCESSES);
    const int status = cot_shm_run(processes, run_shipped, s, .timeout = 30);
    snprintf(what, sizeof what, "%s.%s", s->p->name, s->form);
    for (int k = 0; k < processes; k++)
        expect(status == 0 && results[k].bytes == one->bytes && one->bytes > 0 &&
                   memcmp(results[k].at, one->at, one->bytes) == 0,
               what, s->groups, processes, "other bytes, or a failure");
}

static void
same_program(const spread_program *p, int64_t groups, int threads)
{
    shipped s = {
        .p = p, .groups = groups, .threads = threads, .processes = COUNTS, .form = "o"
    };

    if (cot_shm_run(1, run_alone, &s) != 0) {
        expect(false, p->name, groups, 1, results[MAX_PROCESSES].text);
        return;
    }
    for (int form = 0; form < 2; form++) {
        s.form = form ? "c" : "o";
        if (!make(&s))
            continue;
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            compare(&s, counts[i]);
        unlink(s.library);
    }
}

/* The numbers of groups: fewer than processes, a few, no multiple, more than a block.  The
 * program "totals" sums its arguments, and so its groups have nothing to do. */
static void
same(int first, int step)
{
    static const int64_t groups[] = { 3, 45, 8, 521 };

    for (int i = first; i < spread_program_count; i += step)
        if (strcmp(spread_programs[i].name, "totals") != 0)
            same_program(&spread_programs[i], groups[i % 4], 1 + i % 3 / 2);
}

/* ---- ends ---- */

typedef struct watched {
    const cot_comm *of;
    int calls, when;
} watched;

static int
fatal_exchange(void *user, int partner, const void *send, size_t send_bytes, void *receive,
               size_t receive_bytes)
{
    watched *w = user;

    if (w->calls++ == w->when)
        raise(SIGKILL);
    return w->of->exchange(w->of->user, partner, send, send_bytes, receive, receive_bytes);
}

/* Calls until it ends: with a failure that names the victim, or killed. */
static int
run_until(const cot_comm *comm, void *user)
{
    const shipped *s = user;
    size_t work_bytes;
    spread_entry *f = entry_of(s, &work_bytes);
    watched w = { comm, 0, s->when };
    cot_comm dying = *comm;
    const bool victim = comm->rank == s->victim;
    int status = f ? 0 : COT_ERR_IO;

    if (victim && s->when >= 0) {
        dying.user = &w;
        dying.exchange = fatal_exchange;
        dying.abort = NULL;
    }
    if (victim && s->when < 0)
        setitimer(ITIMER_REAL,
                  &(struct itimerval){ .it_value = { .tv_usec = s->microseconds } }, NULL);
    while (status == 0)
        status = spread_call(s->p, s->groups, f, work_bytes, &dying, &results[comm->rank]);
    const char *why = comm->error(comm->user);
    snprintf(results[comm->rank].text, sizeof results->text, "%s", why ? why : "");
    return status;
}

static void
end_one(shipped *s, int processes)
{
    int status[MAX_PROCESSES] = { 0 };
    char who[60];

    memset(results, 0, sizeof *results * MAX_PROCESSES);
    snprintf(who, sizeof who, "process %d was ended by signal %d", s->victim,
             s->when < 0 ? SIGALRM : SIGKILL);
    cot_shm_run(processes, run_until, s, .timeout = 20, .status = status);
    for (int k = 0; k < processes; k++)
        expect(k == s->victim
                   ? status[k] < 0
                   : status[k] == COT_ERR_FOREIGN && strcmp(results[k].text, who) == 0,
               "killed", s->groups, processes, results[k].text);
}

static void
killed(int moments)
{
    static const char *const names[] = { "network.grad", "halo.vjp", "looped.vjp" };
    uint64_t seed = 7;

    for (int i = 0; i < 3; i++) {
        shipped s = { .p = spread_find(names[i]),
                      .form = i == 1 ? "c" : "o",
                      .groups = 33,
                      .threads = 1,
                      .processes = "4,5" };
        if (!make(&s))
            continue;
        for (s.when = 0; s.when < 40; s.when += 3) {
            s.victim = s.when % 4;
            end_one(&s, 4);
        }
        s.when = -1;
        for (int k = 0; k < moments; k++) {
            s.victim = k % 5;
            s.microseconds = 1 + (int)(laws_uniform(&seed) * 30000);
            end_one(&s, 5);
        }
    }
}

/* ---- long sums ---- */

typedef struct long_sum {
    int64_t rule, groups, by, dtype, m;
    size_t size; /* of an element */
} long_sum;

/* Bytes of an element of a group that make a number: no NaN, of which any may come out. */
static void
make_row(const long_sum *l, int64_t group, int64_t from, int64_t n, char *to)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t x = ((from + i) * 7919 + group * 104729) % 20011;
        const float f = (float)(x - 10000) / 77;
        const uint32_t bits = (uint32_t)x % 0x7a00;
        memcpy(to + (size_t)i * l->size, l->size == 4 ? (const void *)&f : (const void *)&bits,
               l->size);
    }
}

/* All rows that `comm` has of n elements, reduced; NULL: no memory, or a failure. */
static char *
reduce(const long_sum *l, const cot_comm *comm, int64_t from, int64_t n)
{
    const cot_rt_owned own =
        cot_rt_owned_by((cot_rt_own_rule)l->rule, l->groups, comm->size, comm->rank);
    const int64_t room = cot_rt_world_reduce_room(comm->size, comm->rank, l->rule, l->groups,
                                                  l->by, -1, l->dtype, n),
                  rows = l->by == COT_RT_SUM ? own.groups : 1;
    /* of an extreme, that of the own groups */
    int64_t *list = malloc(sizeof *list * (size_t)(l->groups + 1));
    char *x = malloc((size_t)(own.groups * n + 1) * l->size), *y = malloc((size_t)n * l->size),
         *memory = malloc((size_t)room + 1);

    if (!list || !x || !y || !memory)
        return NULL;
    cot_rt_owned_list(l->groups, &own, list);
    for (int64_t k = 0; k < own.groups; k++) {
        char *to = x + (size_t)(k * n) * l->size;
        make_row(l, list[k], from, n, to);
        for (int64_t i = 0; i < n && k >= rows; i++) {
            float *most = (float *)(void *)x + i, other = ((float *)(void *)to)[i];
            *most = other > *most ? other : *most;
        }
    }
    const int status =
        cot_rt_world_reduce(comm, x, y, memory, l->rule, l->groups, l->by, -1, l->dtype, n);
    free(list), free(x), free(memory);
    return status ? NULL : y;
}

/* The bytes are those of one process that reduces a few elements at a time. */
static int
run_long(const cot_comm *comm, void *user)
{
    enum { FEW = 4999 };
    const cot_comm one = { .size = 1 };
    const long_sum *l = user;
    char *all = reduce(l, comm, 0, l->m);
    int status = !all;

    for (int64_t from = 0; from < l->m && !status; from += FEW) {
        const int64_t n = l->m - from < FEW ? l->m - from : FEW;
        char *some = reduce(l, &one, from, n);
        status = !some || memcmp(all + (size_t)from * l->size, some, (size_t)n * l->size) != 0;
        free(some);
    }
    free(all);
    return status;
}

static void
blocks(void)
{
    static const long_sum row[] = {
        { COT_RT_OWN_LEAVES, 4, COT_RT_SUM, COT_F32, 300001, 4 },
        { COT_RT_OWN_LEAVES, 7, COT_RT_SUM, COT_F16, 262144, 2 },
        { COT_RT_OWN_RUNS, 9, COT_RT_SUM, COT_F32, 200003, 4 },
        { COT_RT_OWN_LEAVES, 5, COT_RT_MAX, COT_F32, 270001, 4 },
        { COT_RT_OWN_LEAVES, 2, COT_RT_SUM, COT_F32, 2560, 4 },
        { COT_RT_OWN_LEAVES, 2, COT_RT_SUM, COT_F32, 2561, 4 },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int n = 2; n < 5; n++)
            expect(cot_shm_run(n, run_long, (void *)(uintptr_t)&row[i], .timeout = 30) == 0,
                   "blocks", row[i].groups, n, "other bytes, or a failure");
}

/* ---- what does not fit ---- */

/* Files that are refused, and what is said. */
static void
refused(void)
{
    static const struct {
        const char *program, *processes, *says;
    } row[] = {
        { "totals", "", "processes is ''; wants numbers from 1 to 1024, as in 1-4,8" },
        { "totals", "0", "processes is '0'" },
        { "totals", "4-2", "processes is '4-2'" },
        { "totals", "2,", "processes is '2,'" },
        { "totals", "1025", "processes is '1025'" },
        { "totals", "2;3", "processes is '2;3'" },
        { "alone", "2", "has no axis that is spread over processes" },
    };
    static const spread_program alone = {
        "alone",
        "fn @f(%%x: f32[%1$lld]) -> f32[%1$lld] {\n  %%0 = sin %%x : f32[%1$lld]\n"
        "  ret %%0\n}\n",
        "", 0
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const bool is_alone = strcmp(row[i].program, "alone") == 0;
        shipped s = { .p = is_alone ? &alone : spread_find(row[i].program),
                      .form = i % 2 ? "c" : "o",
                      .groups = 5,
                      .processes = row[i].processes };
        const int status = cot_shm_run(1, build, &s);
        const char *said = results[MAX_PROCESSES + 1].text;
        expect(status == COT_ERR_ARG && strstr(said, row[i].says), row[i].processes, 5, 1,
               said);
    }
}

/* What the processes of a run end with. */
static void
end_all_with(shipped *s, int processes, int want)
{
    int status[MAX_PROCESSES] = { 0 };

    cot_shm_run(processes, run_shipped, s, .timeout = 20, .status = status);
    for (int k = 0; k < processes; k++)
        expect(status[k] == want, s->p->name, s->groups, processes, "another status");
}

/* Process 2 runs another program. */
static int
run_different(const cot_comm *comm, void *user)
{
    shipped *both = user;

    return run_shipped(comm, &both[comm->rank == 2]);
}

static void
expect_in_header(const char *line)
{
    static char text[1 << 16];
    FILE *in = fopen(path("x.h"), "r");
    const size_t n = in ? fread(text, 1, sizeof text - 1, in) : 0;

    text[n] = '\0';
    expect(in && fclose(in) == 0 && strstr(text, line), "header", 8, 2, line);
}

/* Programs with spread arguments and results, on the one number of processes of their file. */
static void
rows(void)
{
    static const struct {
        const char *program;
        unsigned args, results;
    } all[] = { { "halo", 1, 3 },
                { "halo", 0, 1 },
                { "network.grad", 12, 0 },
                { "looped.vjp", 12, 0x31 },
                { "scattered", 1, 5 } };
    static const char *const of[] = { "2", "4" };

    for (int k = 0; k < 5; k++)
        for (int form = 0; form < 4; form++) {
            shipped s = { .p = spread_find(all[k].program),
                          .groups = 8 + form / 2 * 32,
                          .threads = 1 + form % 2,
                          .processes = of[form / 2],
                          .form = form % 2 ? "c" : "o" };
            spread_args = all[k].args;
            spread_results = all[k].results;
            if (cot_shm_run(1, run_alone, &s) == 0 && make(&s)) {
                compare(&s, atoi(s.processes));
                end_all_with(&s, 1, COT_ERR_FOREIGN);
                if (k == 0 && form < 2)
                    expect_in_header("#define SHIPPED_U_SIZE 48\n");
                unlink(s.library);
            }
        }
    spread_args = spread_results = 1;
    shipped s = {
        .p = spread_find("halo"), .groups = 8, .threads = 1, .processes = "2,4", .form = "o"
    };
    expect(cot_shm_run(1, build, &s) != 0 &&
               strstr(results[MAX_PROCESSES + 1].text, "not all of 4 processes have the rows"),
           "rows", 8, 4, results[MAX_PROCESSES + 1].text);
    s.processes = "3";
    expect(cot_shm_run(1, build, &s) != 0 &&
               strstr(results[MAX_PROCESSES + 1].text, "not all of 3 processes have the rows"),
           "rows", 8, 3, results[MAX_PROCESSES + 1].text);
    spread_args = spread_results = 0;
}

/* Process 2 calls with another key: the status is that of another program. */
static void
different_keys(void)
{
    shipped s = {
        .p = spread_find("draws"), .form = "o", .groups = 8, .threads = 1, .processes = "3"
    };

    if (!make(&s))
        return;
    spread_differs = 2;
    for (spread_differing = 0; spread_differing < 3; spread_differing++)
        end_all_with(&s, 3, spread_differing ? COT_ERR_FOREIGN : 0);
    spread_differs = -1;
    unlink(s.library);
}

static void
wrong(void)
{
    shipped both[2] = { { .p = spread_find("network"),
                          .form = "o",
                          .groups = 8,
                          .threads = 1,
                          .processes = "3" } };
    int status[3];
    char first[200];

    refused();
    both[1] = both[0];
    both[1].p = spread_find("network.grad");
    if (!make(&both[0]))
        return;
    snprintf(first, sizeof first, "%s", both[0].library);
    both[0].library = first;
    end_all_with(&both[0], 3, 0);
    end_all_with(&both[0], 1, 0);
    end_all_with(&both[0], 2, COT_ERR_FOREIGN);
    end_all_with(&both[0], 4, COT_ERR_FOREIGN);
    if (!make(&both[1]))
        return;
    cot_shm_run(3, run_different, both, .timeout = 20, .status = status);
    for (int k = 0; k < 3; k++)
        expect(status[k] == COT_ERR_FOREIGN, "different", 8, 3, "another status");
    different_keys();
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const int first = argc > 2 ? atoi(argv[2]) : 0, step = argc > 3 ? atoi(argv[3]) : 1;
    char line[100];

    results = mmap(NULL, sizeof *results * (MAX_PROCESSES + 2), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (results == MAP_FAILED || !mkdtemp(folder))
        return 2;
    if (strcmp(what, "same") == 0)
        same(first, step);
    else if (strcmp(what, "killed") == 0)
        killed(argc > 2 ? first : 60);
    else if (strcmp(what, "rows") == 0)
        rows();
    else if (strcmp(what, "blocks") == 0)
        blocks();
    else if (strcmp(what, "wrong") == 0)
        wrong();
    snprintf(line, sizeof line, "rm -rf %s", folder);
    if (system(line) != 0 || checks == 0)
        failures++;
    printf("%s: %d checks, %d failures\n", what, checks, failures);
    return failures > 0;
}
