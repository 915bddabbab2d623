/* Programs on several processes, judged by the bytes of one:
 *
 *   processes same [FIRST STEP]    programs FIRST, FIRST + STEP, ... at 1, 2, 3, 33 and 520
 *                                  groups, on 1, 2, 3, 4, 5, 7 and 8 processes, by the JIT and
 *                                  the evaluator
 *   processes owners [FIRST STEP]  who owns which groups, and that the sums of all processes
 *                                  are those of one: 1 + FIRST, 1 + FIRST + STEP, ... to 1,600
 *                                  groups, 1 to 33 processes
 *   processes bytes                what a sum sends
 *   processes killed [MOMENTS]     a process ends, stops or fails at any call, or is killed at
 *                                  so many random moments: the others end and name it
 *   processes different            one of the processes runs another program
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
#include "runtime/support/world.h"
#include "tests/laws/programs.h"
#include "tests/processes/programs.h"

enum { MAX_PROCESSES = 33 };

static int failures, checks;

static void *
shared_memory(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        exit(2);
    return p;
}

static void
fail(const char *name, int64_t groups, int processes, const char *what)
{
    failures++;
    printf("%s, %d groups, %d processes: %s\n", name, (int)groups, processes, what);
}

/* ---- same ---- */

static const int64_t group_counts[] = { 1, 2, 3, 33, 520 };
static const int process_counts[] = { 2, 3, 4, 5, 7, 8 };
static const char *const backends[] = { "jit", "eval", "c" };
enum { COUNTS = 5, PROCESSES = 6, BACKENDS = 3 };

/* A compiler is slow to start: C runs every third program, at 33 groups on 3 processes. */
static bool
is_run(int processes, int program, int count, int backend)
{
    return backend < 2 || (processes == 3 && program % 3 == 1 && group_counts[count] == 33);
}

/* What all processes of one start run: every program and number of groups. */
typedef struct same_work {
    int first, step;
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
    int status = 0;

    for (int p = w->first; p < spread_program_count; p += w->step)
        for (int k = 0; k < COUNTS; k++)
            for (int b = 0; b < BACKENDS; b++)
                status |= is_run(comm->size, p, k, b) &&
                          spread_run(&spread_programs[p], group_counts[k], backends[b],
                                     1 + p % 2, comm, result_of(w, comm->rank, p, k, b)) != 0;
    return status;
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

static void
same(int first, int step)
{
    const size_t each =
        sizeof(spread_result) * (size_t)(spread_program_count * COUNTS * BACKENDS);
    same_work one = { first, step, shared_memory(each) },
              w = { first, step, shared_memory(each * 8) };

    if (cot_shm_run(1, run_all, &one))
        fail("all", 0, 1, "a run failed");
    compare(&one, &one, 1);
    for (int k = 0; k < PROCESSES; k++) {
        if (cot_shm_run(process_counts[k], run_all, &w))
            fail("all", 0, process_counts[k], "a process failed");
        compare(&w, &one, process_counts[k]);
    }
}

/* ---- owners ---- */

/* All numbers of groups up to SWEPT, and some larger ones, where runs are whole blocks. */
enum { ELEMENTS = 5, SWEPT = 1600, MAX_GROUPS = 20000 };

/* A communicator of processes that run one after the other: what one sends is kept, and what it
 * receives is what its partner has sent when it ran before.  After three runs of all, the sums
 * of rows, then the segments of the result have arrived. */
typedef struct mail {
    float box[MAX_PROCESSES * MAX_PROCESSES * 2 * (SWEPT * 3 + 2)]; /* [from][to][2][room] */
    int at[MAX_PROCESSES];
    int rank, processes;
    size_t room; /* of a message, in elements */
} mail;

static float *
box_of(mail *m, int from, int to, int k)
{
    return m->box + (size_t)((from * m->processes + to) * 2 + k) * m->room;
}

static int
post(void *user, int partner, const void *send, size_t send_bytes, void *receive,
     size_t receive_bytes)
{
    mail *m = user;
    const int k = m->at[partner]++ % 2;

    if (send_bytes > m->room * sizeof *m->box || receive_bytes > m->room * sizeof *m->box)
        return 1;
    memcpy(box_of(m, m->rank, partner, k), send, send_bytes);
    memcpy(receive, box_of(m, partner, m->rank, k), receive_bytes);
    return 0;
}

/* Section 3 of docs/numerics.md, word by word. */
static float
sum_of_contract(const float *x, int64_t n, int64_t stride)
{
    float block[MAX_GROUPS / 512 + 1];
    int64_t blocks = 0;

    for (int64_t b = 0; b < n; b += 512) {
        float lane[32];
        for (int l = 0; l < 32; l++)
            lane[l] = -0.0f;
        for (int64_t i = b; i < n && i < b + 512; i++)
            lane[i % 32] += x[i * stride];
        for (int h = 16; h > 0; h /= 2)
            for (int l = 0; l < h; l++)
                lane[l] += lane[l + h];
        block[blocks++] = lane[0];
    }
    for (; blocks > 1; blocks = (blocks + 1) / 2)
        for (int64_t i = 0; i < blocks; i += 2)
            block[i / 2] = i + 1 < blocks ? block[i] + block[i + 1] : block[i];
    return block[0];
}

/* Each group has one owner, which cot_spread_owner names where they own leaves. */
static bool
is_partition(cot_rt_own_rule rule, int64_t groups, int processes)
{
    static int64_t list[MAX_GROUPS];
    static char seen[MAX_GROUPS];
    const bool runs = rule == COT_RT_OWN_RUNS;
    int64_t last = 0;

    memset(seen, 0, sizeof seen);
    for (int rank = 0; rank < processes; rank++) {
        const cot_rt_owned own = cot_rt_owned_by(rule, groups, processes, rank);
        if (own.groups && (runs ? own.first : own.from) < last)
            return false;
        last = own.groups ? (runs ? own.first + own.groups : own.to) : last;
        cot_rt_owned_list(groups, &own, list);
        for (int64_t k = 0; k < own.groups; k++)
            if (list[k] < 0 || list[k] >= groups || seen[list[k]]++ ||
                (!runs && cot_spread_owner(groups, processes, list[k]) != rank))
                return false;
    }
    return !memchr(seen, 0, (size_t)groups);
}

/* The sum of all, in no more room than the function asks for. */
static bool
reduce(const cot_comm *c, cot_rt_own_rule rule, int64_t groups, const float *rows, float *out)
{
    const int64_t bytes = cot_rt_world_reduce_room(c->size, c->rank, rule, groups, IR_BY_SUM,
                                                   -1, COT_F32, ELEMENTS);
    void *room = malloc((size_t)bytes);
    const bool good = room && cot_rt_world_reduce(c, rows, out, room, rule, groups, IR_BY_SUM,
                                                  -1, COT_F32, ELEMENTS) == 0;

    free(room);
    return good;
}

/* The sums of all processes, of rows that each has in the order of its groups. */
static bool
sums_as_one(cot_rt_own_rule rule, const float *x, int64_t groups, int processes)
{
    static mail m;
    static float rows[MAX_GROUPS * ELEMENTS];
    static int64_t list[MAX_GROUPS];
    float out[ELEMENTS];
    bool same = true;

    m.processes = processes;
    m.room = (size_t)groups * 3 + 2;
    for (int pass = 0; pass < 3; pass++)
        for (m.rank = 0; m.rank < processes; m.rank++) {
            const cot_comm comm = { &m, m.rank, processes, post, NULL, NULL, NULL };
            const cot_rt_owned own = cot_rt_owned_by(rule, groups, processes, m.rank);
            cot_rt_owned_list(groups, &own, list);
            for (int64_t k = 0; k < own.groups; k++)
                memcpy(rows + k * ELEMENTS, x + list[k] * ELEMENTS, sizeof out);
            memset(m.at, 0, sizeof m.at);
            if (!reduce(&comm, rule, groups, rows, out))
                return false;
            for (int e = 0; e < ELEMENTS && pass == 2; e++) {
                const float want = sum_of_contract(x + e, groups, ELEMENTS);
                same &= memcmp(&out[e], &want, sizeof want) == 0;
            }
        }
    return same;
}

static void
owned_by(const float *x, int64_t groups, int most)
{
    for (int k = 0; k < 2 * most; k++) {
        const int processes = k / 2 + 1;
        const cot_rt_own_rule rule = k % 2 ? COT_RT_OWN_RUNS : COT_RT_OWN_LEAVES;
        checks++;
        if (!is_partition(rule, groups, processes))
            fail("owners", groups, processes, "a group has not one owner");
        if (!sums_as_one(rule, x, groups, processes))
            fail("owners", groups, processes, "the sum has other bits");
    }
}

static void
owners(int first, int step)
{
    static float x[MAX_GROUPS * ELEMENTS];
    uint64_t seed = 5;

    for (int i = 0; i < MAX_GROUPS * ELEMENTS; i++)
        x[i] = (float)(laws_uniform(&seed) - 0.5) * (i % 7 ? 1 : 1000);
    for (int64_t groups = 1 + first; groups <= SWEPT; groups += step)
        owned_by(x, groups, MAX_PROCESSES);
    for (int64_t groups = 4095; groups <= MAX_GROUPS; groups += 1361)
        owned_by(x, groups, 6);
}

/* ---- communicators around that of a process ---- */

/* Counts what is sent, and does something at the call `when`. */
typedef struct watched {
    const cot_comm *of;
    size_t sent, *sent_by; /* by process, shared; NULL: nobody asks */
    int calls, when;
    bool (*act)(void); /* false: the call fails */
} watched;

static int
watch_exchange(void *user, int partner, const void *send, size_t send_bytes, void *receive,
               size_t receive_bytes)
{
    watched *w = user;

    if (w->act && w->calls++ == w->when && !w->act())
        return 1;
    w->sent += send_bytes;
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

static cot_comm
watch(watched *w)
{
    return (cot_comm){ w,    w->of->rank, w->of->size, watch_exchange,
                       NULL, watch_abort, watch_error };
}

/* ---- bytes ---- */

typedef struct bytes_work {
    int64_t groups;
    size_t *sent;
    spread_result *result;
} bytes_work;

static int
count_bytes(const cot_comm *comm, void *user)
{
    const bytes_work *b = user;
    watched w = { .of = comm };
    const cot_comm counted = watch(&w);
    const int status =
        spread_run(spread_find("sum"), b->groups, "jit", 1, &counted, &b->result[comm->rank]);

    b->sent[comm->rank] = w.sent;
    return status != 0;
}

/* Nodes of a process that are not whole halves of a larger one: what the least volume is
 * multiplied by. */
static size_t
wanted_bytes(int64_t groups, int processes, int rank, size_t elements)
{
    const cot_rt_owned own = cot_rt_owned_by(COT_RT_OWN_LEAVES, groups, processes, rank);
    const size_t nodes = (size_t)cot_rt_owned_parts(groups, &own);
    size_t bytes = 8 * (size_t)(processes - 1); /* the comparison of programs */

    for (int p = 0; p < processes; p++) {
        const size_t from = elements * (size_t)p / (size_t)processes,
                     to = elements * (size_t)(p + 1) / (size_t)processes;
        bytes +=
            p == rank ? (size_t)(processes - 1) * (to - from) * 4 : nodes * (to - from) * 4;
    }
    return bytes;
}

/* Each process sends the partial sums of the segments of the others, and its segment of the
 * result to each: of 2^k processes, 2 (P - 1) / P of the bytes of the result. */
static void
bytes(void)
{
    static const int64_t counts[] = { 32, 64, 512, 700 };
    static const int of[] = { 2, 3, 4, 7, 8 };
    bytes_work b = { 0, shared_memory(sizeof(size_t) * 8),
                     shared_memory(sizeof(spread_result) * 8) };
    char what[100];

    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 5; i++) {
            b.groups = counts[k];
            if (cot_shm_run(of[i], count_bytes, &b))
                fail("sum", counts[k], of[i], b.result[0].text);
            for (int rank = 0; rank < of[i]; rank++) {
                const size_t want = wanted_bytes(counts[k], of[i], rank, SUM_ELEMENTS),
                             least = 8 * SUM_ELEMENTS * (size_t)(of[i] - 1) / (size_t)of[i] +
                                     8 * (size_t)(of[i] - 1);
                const bool power = (of[i] & (of[i] - 1)) == 0 && counts[k] <= 512;
                checks++;
                if (b.sent[rank] == want && (!power || want == least))
                    continue;
                snprintf(what, sizeof what, "process %d sends %zu bytes, wanted %zu, least %zu",
                         rank, b.sent[rank], want, least);
                fail("sum", counts[k], of[i], what);
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
    int status[MAX_PROCESSES] = { 0 };

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
    uint64_t seed = 3;

    for (int when = 0; when < 40; when += 3) {
        k.program = when % 2 ? "halo.vjp" : "network.grad";
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
        k.program = i % 4 < 2 ? "halo.vjp" : "network.grad";
        k.victim = i % 5;
        k.microseconds = 1 + (int)(laws_uniform(&seed) * 60000);
        kill_one(&k, 5, 20, -SIGKILL, "was ended by signal 9");
    }
}

/* ---- other programs ---- */

static int
run_different(const cot_comm *comm, void *user)
{
    spread_result *result = user;

    return spread_run(spread_find(comm->rank == 2 ? "network.grad" : "network"), 8, "jit", 1,
                      comm, &result[comm->rank]) != 0;
}

static void
different(void)
{
    spread_result *result = shared_memory(sizeof *result * 3);
    int status[3];
    const cot_comm wrong = { .rank = 3, .size = 3 };

    checks++;
    if (spread_run(spread_find("sum"), 8, "eval", 1, &wrong, result) != COT_ERR_ARG ||
        !strstr(result->text, "comm has rank 3 of 3 and no exchange"))
        fail("wrong", 8, 3, result->text);
    if (cot_shm_run(3, run_different, result, .timeout = 20, .status = status) == 0)
        fail("different", 8, 3, "nothing failed");
    for (int rank = 0; rank < 3; rank++) {
        checks++;
        if (status[rank] != 1 || !strstr(result[rank].text, "process "))
            fail("different", 8, 3, result[rank].text);
    }
    checks++;
    if (!strstr(result[0].text, "runs another program") &&
        !strstr(result[1].text, "runs another program"))
        fail("different", 8, 3, result[0].text);
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const int first = argc > 2 ? atoi(argv[2]) : 0, step = argc > 3 ? atoi(argv[3]) : 1;

    if (strcmp(what, "same") == 0)
        same(first, step);
    else if (strcmp(what, "owners") == 0)
        owners(first, step);
    else if (strcmp(what, "bytes") == 0)
        bytes();
    else if (strcmp(what, "killed") == 0)
        killed(argc > 2 ? first : 200);
    else if (strcmp(what, "different") == 0)
        different();
    else
        return 2;
    printf("%s: %d checks, %d failures\n", what, checks, failures);
    return failures > 0;
}
