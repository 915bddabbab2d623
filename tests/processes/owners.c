/* Who owns which groups, and that the sums of all processes are those of one (processes.c). */
#include <stdlib.h>
#include <string.h>

#include "ir/op.h"
#include "runtime/support/owner.h"
#include "runtime/support/world.h"
#include "tests/laws/programs.h"
#include "tests/processes/processes.h"

/* All numbers of groups up to SWEPT, and some larger ones, where runs are whole blocks. */
enum { MAX_PROCESSES = 33, ELEMENTS = 5, SWEPT = 1600, MAX_GROUPS = 20000 };

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
            const cot_comm comm = {
                .user = &m, .rank = m.rank, .size = processes, .exchange = post
            };
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

/* Of 2^k processes and one block each has one node of the tree, of as many groups as the
 * others, or one more. */
static void
parts_of_powers(int64_t groups)
{
    for (int processes = 2; processes <= 32 && groups <= 512; processes *= 2)
        for (int rank = 0; rank < processes; rank++) {
            const cot_rt_owned own =
                cot_rt_owned_by(COT_RT_OWN_LEAVES, groups, processes, rank);
            const int64_t parts = cot_rt_owned_parts(groups, &own);
            checks++;
            if (parts != (own.groups > 0) || own.groups < groups / processes ||
                own.groups > (groups + processes - 1) / processes)
                fail("owners", groups, processes, "a process has not one node of its share");
        }
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

void
owners(int first, int step)
{
    static float x[MAX_GROUPS * ELEMENTS];
    uint64_t seed = 5;

    for (int i = 0; i < MAX_GROUPS * ELEMENTS; i++)
        x[i] = (float)(laws_uniform(&seed) - 0.5) * (i % 7 ? 1 : 1000);
    for (int64_t groups = 1 + first; groups <= SWEPT; groups += step)
        owned_by(x, groups, MAX_PROCESSES);
    for (int64_t groups = 1; groups <= 512; groups++)
        parts_of_powers(groups);
    for (int64_t groups = 4095; groups <= MAX_GROUPS; groups += 1361)
        owned_by(x, groups, 6);
}
