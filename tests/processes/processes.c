/* Programs on several processes, judged by the bytes of one:
 *
 *   processes same [FIRST STEP]    programs FIRST, FIRST + STEP, ... at 1, 2, 3, 33 and 520
 *                                  groups, on 1 to 8 processes, by the JIT and
 *                                  the evaluator
 *   processes started [FIRST STEP] the same, by a communicator that begins messages
 *   processes joined FILE [FIRST STEP]
 *                                  the same, started by mpirun, with the communicator of FILE
 *   processes order                what runs while they are on their way
 *   processes owners [FIRST STEP]  who owns which groups, and that the sums of all processes
 *                                  are those of one: 1 + FIRST, 1 + FIRST + STEP, ... to 1,600
 *                                  groups, 1 to 33 processes
 *   processes bytes                what a sum sends
 *   processes killed [MOMENTS]     a process ends, stops or fails at any call, or is killed at
 *                                  so many random moments: the others end and name it
 *   processes chosen               who owns what by cot_options.own, and where it is refused
 *   processes grid                 axes within each other, which a grid of processes shares
 *   processes plain                maps without .over give the same
 *   processes different            one runs another program, or has other keys
 *   processes memory               there is none to share, or one process is short of it
 *
 * Processes write what they have to memory that they share with the one that judges. */
#define _DEFAULT_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "runtime/support/owner.h"
#include "tests/laws/programs.h"
#include "tests/processes/joined.h"
#include "tests/processes/late.h"
#include "tests/processes/processes.h"
#include "tests/processes/programs.h"

int failures, checks;

void *
shared_memory(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        exit(2);
    return p;
}

void
fail(const char *name, int64_t groups, int processes, const char *what)
{
    failures++;
    printf("%s, %d groups, %d processes: %s\n", name, (int)groups, processes, what);
}

/* ---- same ---- */

static const int64_t group_counts[] = { 1, 2, 3, 33, 520 };
static const int process_counts[] = { 2, 3, 4, 5, 6, 7, 8 };
static const char *const backends[] = { "jit", "eval", "c" };
enum { COUNTS = 5, PROCESSES = 7, BACKENDS = 3 };

/* A compiler is slow to start: C runs every third program, at 33 groups on 3 processes. */
static bool
is_run(int processes, int program, int count, int backend)
{
    return backend < 2 || (processes == 3 && program % 3 == 1 && group_counts[count] == 33);
}

/* What all processes of one start run: every program and number of groups. */
typedef struct same_work {
    int first, step;
    bool begins; /* messages, before they are waited for */
    int *most; /* by process: how many were on their way at one time */
    spread_result *result; /* [process][program][count][back end] */
} same_work;

static spread_result *
result_of(const same_work *w, int rank, int program, int count, int backend)
{
    return &w->result[((rank * spread_program_count + program) * COUNTS + count) * BACKENDS +
                      backend];
}

static int
run_all(const cot_comm *comm, void *user)
{
    const same_work *w = user;
    static late messages;
    const cot_comm late = late_comm(&messages, comm);
    int status = 0;

    comm = w->begins ? &late : comm;
    for (int p = w->first; p < spread_program_count; p += w->step)
        for (int k = 0; k < COUNTS; k++)
            for (int b = 0; b < BACKENDS; b++)
                status |= is_run(comm->size, p, k, b) &&
                          spread_run(&spread_programs[p], group_counts[k], backends[b],
                                     1 + p % 2, comm, result_of(w, comm->rank, p, k, b)) != 0;
    w->most[comm->rank] = messages.most;
    return status || !late_ended(&messages);
}

static void
compare(const same_work *w, const same_work *one, int processes)
{
    char what[500];

    for (int rank = 0; rank < processes; rank++)
        for (int p = w->first; p < spread_program_count; p += w->step)
            for (int k = 0; k < COUNTS; k++)
                for (int b = 0; b < BACKENDS; b++) {
                    const spread_result *got = result_of(w, rank, p, k, b),
                                        *want = result_of(one, 0, p, k, 1);
                    if (!is_run(processes, p, k, b))
                        continue;
                    checks++;
                    if (got->bytes == want->bytes && want->bytes > 0 &&
                        memcmp(got->at, want->at, got->bytes) == 0)
                        continue;
                    snprintf(what, sizeof what, "%s, process %d: %s", backends[b], rank,
                             got->text[0] ? got->text : "other bytes");
                    fail(spread_programs[p].name, group_counts[k], processes, what);
                }
}

/* By each process itself, with what one computes, which it is not told. */
static int
run_joined(const cot_comm *comm, void *user)
{
    const same_work *w = user;
    static spread_result one, got;
    int status = 0;

    for (int p = w->first; p < spread_program_count; p += w->step)
        for (int k = 0; k < COUNTS; k++) {
            const spread_program *of = &spread_programs[p];
            status |= spread_run(of, group_counts[k], "eval", 1, NULL, &one);
            for (int b = 0; b < BACKENDS; b++) {
                if (!is_run(comm->size, p, k, b))
                    continue;
                checks++;
                status |= spread_run(of, group_counts[k], backends[b], 1 + p % 2, comm, &got);
                if (one.bytes != got.bytes || memcmp(one.at, got.at, one.bytes) != 0)
                    fail(of->name, group_counts[k], comm->size,
                         got.text[0] ? got.text : "other bytes");
            }
        }
    return status || failures;
}

static void
same(int first, int step, bool begins)
{
    const size_t each =
        sizeof(spread_result) * (size_t)(spread_program_count * COUNTS * BACKENDS);
    int *most = shared_memory(sizeof *most * RUN_PROCESSES);
    same_work one = { first, step, false, most, shared_memory(each) },
              w = { first, step, begins, most, shared_memory(each * 8) };

    if (cot_shm_run(1, run_all, &one))
        fail("all", 0, 1, "a run failed");
    compare(&one, &one, 1);
    for (int k = 0; k < PROCESSES; k++) {
        if (cot_shm_run(process_counts[k], run_all, &w))
            fail("all", 0, process_counts[k], "a process failed");
        compare(&w, &one, process_counts[k]);
        if (begins && most[0] < 2)
            fail("all", 0, process_counts[k], "no two messages at one time");
    }
}

/* ---- communicators around that of a process ---- */

static int
watch_exchange(void *user, int partner, const void *send, size_t send_bytes, void *receive,
               size_t receive_bytes)
{
    watched *w = user;

    if (w->act && w->calls++ == w->when && !w->act())
        return 1;
    w->sent += send_bytes;
    w->messages++;
    return w->of->exchange(w->of->user, partner, send, send_bytes, receive, receive_bytes);
}

static void
watch_abort(void *user)
{
    watched *w = user;

    w->of->abort(w->of->user);
}

static const char *
watch_error(void *user)
{
    const watched *w = user;

    return w->of->error(w->of->user);
}

cot_comm
watch(watched *w)
{
    return (cot_comm){ .user = w,
                       .rank = w->of->rank,
                       .size = w->of->size,
                       .exchange = watch_exchange,
                       .abort = watch_abort,
                       .error = watch_error };
}

/* ---- bytes ---- */

/* A program, and the elements of each of its sums. */
typedef struct bytes_work {
    const char *program, *own;
    int64_t groups;
    int64_t elements[4];
    size_t *sent, *messages;
    spread_result *result;
} bytes_work;

static int
count_bytes(const cot_comm *comm, void *user)
{
    const bytes_work *b = user;
    watched w = { .of = comm };
    const cot_comm counted = watch(&w);
    spread_own = b->own;
    const int status = spread_run(spread_find(b->program), b->groups, "jit", 1, &counted,
                                  &b->result[comm->rank]);

    b->sent[comm->rank] = w.sent;
    b->messages[comm->rank] = w.messages;
    return status != 0;
}

/* Nodes of a process that are not whole halves of a larger one: what the least volume is
 * multiplied by. */
static size_t
parts_of(cot_rt_own_rule rule, int64_t groups, int processes, int rank)
{
    const cot_rt_owned own = cot_rt_owned_by(rule, groups, processes, rank);

    return (size_t)cot_rt_owned_parts(groups, &own);
}

/* The rule that is wanted, or else that of fewer parts. */
static cot_rt_own_rule
rule_of(const bytes_work *b, int processes)
{
    size_t n[2] = { 0, 0 };

    if (b->own)
        return strcmp(b->own, "runs") == 0 ? COT_RT_OWN_RUNS : COT_RT_OWN_LEAVES;
    for (int rank = 0; rank < processes; rank++)
        for (int rule = 0; rule < 2; rule++)
            n[rule] += parts_of((cot_rt_own_rule)rule, b->groups, processes, rank);
    return n[COT_RT_OWN_RUNS] < n[COT_RT_OWN_LEAVES] ? COT_RT_OWN_RUNS : COT_RT_OWN_LEAVES;
}

static size_t
bytes_of_sum(const bytes_work *b, int processes, int rank, size_t elements)
{
    const size_t nodes = parts_of(rule_of(b, processes), b->groups, processes, rank);
    size_t bytes = 0;

    for (int p = 0; p < processes; p++) {
        const size_t from = elements * (size_t)p / (size_t)processes,
                     to = elements * (size_t)(p + 1) / (size_t)processes;
        bytes +=
            p == rank ? (size_t)(processes - 1) * (to - from) * 4 : nodes * (to - from) * 4;
    }
    return bytes;
}

/* What a process sends, and the least that a sum of so many elements takes; with the comparison
 * of programs. */
static size_t
wanted_bytes(const bytes_work *b, int processes, int rank, size_t *least)
{
    const size_t others = (size_t)(processes - 1);
    size_t bytes = 16 * others;

    *least = bytes;
    for (int k = 0; k < 4; k++) {
        const size_t n = (size_t)b->elements[k];
        bytes += bytes_of_sum(b, processes, rank, n);
        *least += 8 * n * others / (size_t)processes;
    }
    return bytes;
}

/* Messages to each other process: the comparison of programs; then those of all sums together,
 * the parts and the result, or of two processes with a part each the parts alone. */
static size_t
wanted_messages(const bytes_work *b, int processes)
{
    int64_t elements = 0;

    for (int k = 0; k < 4; k++)
        elements += b->elements[k];
    bool direct = processes == 2 && elements * 4 <= 10240;
    for (int rank = 0; rank < processes && direct; rank++)
        direct = parts_of(rule_of(b, processes), b->groups, processes, rank) == 1;
    return (size_t)(processes - 1) * (direct ? 2 : 3);
}

static void
bytes_sent(bytes_work *b, int processes)
{
    char what[150];
    const size_t messages = wanted_messages(b, processes);

    if (cot_shm_run(processes, count_bytes, b))
        fail(b->program, b->groups, processes, b->result[0].text);
    for (int rank = 0; rank < processes; rank++) {
        size_t least;
        const size_t want = wanted_bytes(b, processes, rank, &least);
        const bool power = (processes & (processes - 1)) == 0 && b->groups <= 512 && !b->own &&
                           b->elements[0] % processes == 0 && b->elements[1] == 0;
        checks++;
        if (b->sent[rank] == want && (!power || want == least) && b->messages[rank] == messages)
            continue;
        snprintf(what, sizeof what,
                 "process %d sends %zu bytes in %zu messages, wanted %zu, least %zu, in %zu",
                 rank, b->sent[rank], b->messages[rank], want, least, messages);
        fail(b->program, b->groups, processes, what);
    }
}

/* Each process sends the partial sums of the segments of the others, and its segment of the
 * result to each: of 2^k processes, 2 (P - 1) / P of the bytes of the result.  No rows are sent
 * for a sum over them. */
static void
bytes(void)
{
    static const int64_t counts[] = { 32, 64, 512, 700, 1025 };
    static const int of[] = { 2, 3, 4, 7, 8 };
    bytes_work all[] = { { .program = "sum", .elements = { SUM_ELEMENTS } },
                         { .program = "biased.grad", .elements = { 12, 4, 1 } },
                         { .program = "biased.grad", .own = "lanes", .elements = { 12, 4, 1 } },
                         { .program = "sum", .own = "runs", .elements = { SUM_ELEMENTS } } };

    for (int p = 0; p < 4; p++) {
        all[p].sent = shared_memory(sizeof(size_t) * 8);
        all[p].messages = shared_memory(sizeof(size_t) * 8);
        all[p].result = shared_memory(sizeof(spread_result) * 8);
        for (int k = p < 2 ? 0 : 3; k < 5; k++)
            for (int i = 0; i < 5; i++) {
                all[p].groups = counts[k];
                bytes_sent(&all[p], of[i]);
            }
    }
}

/* ---- killed ---- */

static bool
die(void)
{
    return raise(SIGKILL) == 0;
}

static bool
stop(void)
{
    return raise(SIGSTOP) == 0;
}

static bool
leave(void)
{
    _exit(7);
}

static bool
give_up(void)
{
    return false;
}

typedef struct killed_work {
    int victim, when, microseconds;
    bool (*act)(void);
    const char *backend, *program;
    spread_result *result;
} killed_work;

static void
on_alarm(int signal)
{
    (void)signal;
    raise(SIGKILL);
}

/* The victim ends at a call, or after a time. */
static int
run_until(const cot_comm *comm, void *user)
{
    char byte = 0;
    const killed_work *k = user;
    const bool victim = comm->rank == k->victim;
    watched w = { .of = comm, .when = k->when, .act = victim ? k->act : NULL };
    const cot_comm watching = watch(&w);
    int status = 0;

    if (victim && k->microseconds) {
        struct sigaction action = { .sa_handler = on_alarm };
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL,
                  &(struct itimerval){ .it_value = { .tv_usec = k->microseconds } }, NULL);
    }
    while (status == 0)
        status = spread_run(spread_find(k->program), 33, k->backend, 1, &watching,
                            &k->result[comm->rank]);
    /* What has failed sends nothing more: others would take it for what they wait for. */
    if (comm->exchange(comm->user, (comm->rank + 1) % comm->size, &byte, 1, &byte, 0) == 0)
        return 2;
    return 1;
}

/* Every other process has ended by itself, with a text that names the victim and its end. */
static void
judge_killed(const killed_work *k, const int *status, int processes, int victim_status,
             const char *word)
{
    char what[600], who[32];

    snprintf(who, sizeof who, "process %d ", k->victim);
    for (int rank = 0; rank < processes; rank++) {
        const char *text = k->result[rank].text;
        checks++;
        if (rank == k->victim ? status[rank] == victim_status
                              : status[rank] == 1 && strstr(text, who) && strstr(text, word))
            continue;
        snprintf(what, sizeof what, "process %d of those beside %d ends with %d: %s", rank,
                 k->victim, status[rank], text);
        fail("killed", 33, processes, what);
    }
}

static void
kill_one(killed_work *k, int processes, double timeout, int victim_status, const char *word)
{
    int status[RUN_PROCESSES] = { 0 };

    memset(k->result, 0, sizeof *k->result * 8);
    if (cot_shm_run(processes, run_until, k, .timeout = timeout, .status = status) == 0)
        fail("killed", 33, processes, "nothing failed");
    judge_killed(k, status, processes, victim_status, word);
}

/* moments: how many times a process is killed at a random time. */
static void
killed(int moments)
{
    killed_work k = { .backend = "eval",
                      .program = "network.grad",
                      .result = shared_memory(sizeof(spread_result) * 8) };
    static const char *const programs[] = { "network.grad", "halo.vjp", "grid.vjp" };
    uint64_t seed = 3;

    for (int when = 0; when < 40; when += 3) {
        k.program = programs[when % 9 / 3];
        k.when = when;
        k.victim = when % 4;
        k.act = die;
        kill_one(&k, 4, 20, -SIGKILL, "was ended by signal 9");
        k.act = leave;
        kill_one(&k, 3 + k.victim / 3, 20, 7, "has ended, with status 7");
    }
    k.backend = "jit";
    for (int when = 1; when < 20; when += 6) {
        k.when = when;
        k.victim = when % 4;
        k.act = give_up;
        kill_one(&k, 4, 20, 1, "gave up after a failure of its own");
        checks++;
        if (!strstr(k.result[k.victim].text, "has a communicator that failed"))
            fail("killed", 33, 4, k.result[k.victim].text);
    }
    k.backend = "eval";
    k.act = stop;
    k.when = 5;
    k.victim = 1;
    kill_one(&k, 3, 5, -SIGKILL, "did not answer within 5 s");
    k.act = NULL;
    for (int i = 0; i < moments; i++) {
        k.backend = i % 2 ? "jit" : "eval";
        k.program = programs[i / 2 % 3];
        k.victim = i % 5;
        k.microseconds = 1 + (int)(laws_uniform(&seed) * 60000);
        kill_one(&k, 5, 20, -SIGKILL, "was ended by signal 9");
    }
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const bool joined = strcmp(what, "joined") == 0 && argc > 2;
    const char *module = joined ? argv[2] : NULL;

    argc -= joined;
    argv += joined;
    const int first = argc > 2 ? atoi(argv[2]) : 0, step = argc > 3 ? atoi(argv[3]) : 1;

    const struct {
        const char *name;
        void (*run)(void);
    } whole[] = { { "order", order },         { "bytes", bytes }, { "chosen", chosen },
                  { "grid", grid },           { "plain", plain }, { "memory", memory },
                  { "different", different }, { NULL, NULL } };
    int k = 0;

    while (whole[k].name && strcmp(what, whole[k].name) != 0)
        k++;
    if (whole[k].name)
        whole[k].run();
    else if (strcmp(what, "same") == 0 || strcmp(what, "started") == 0)
        same(first, step, what[1] == 't');
    else if (joined)
        failures +=
            joined_run(module, run_joined, &(same_work){ .first = first, .step = step }) != 0;
    else if (strcmp(what, "owners") == 0)
        owners(first, step);
    else if (strcmp(what, "killed") == 0)
        killed(argc > 2 ? first : 200);
    else
        return 2;
    printf("%s: %d checks, %d failures\n", what, checks, failures);
    return failures > 0;
}
