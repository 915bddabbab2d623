/* Finds what repeats in a sequence of nodes.
 *
 * In a program that a loop of the user's wrote out, nodes of the same kind follow each other
 * at one distance, the period. Each window of a few kinds is looked up: how far is the same
 * window before it? Distances that are frequent are periods to be tried; where nodes are of
 * the kind of what is a period further, over several periods, there is a run. All of it is
 * linear in the sequence. Runs in sequences are treated in D. Gusfield, Algorithms on Strings,
 * Trees, and Sequences, 1997; loops are found again in binary code by R. Rocha et al., Loop
 * rolling for code size reduction, CGO 2022. */
#include <stdlib.h>

#include "passes/reroll.h"

enum {
    WINDOW = 6,
    PERIODS = 16,   /* that are tried */
    MIN_STEPS = 8   /* of a loop; fewer save little */
};

bool
pass_reroll_is_worth_it(const reroll_sequence *s, const reroll_run *r)
{
    const uint32_t steps = reroll_steps(r), end = r->first + steps * r->period,
                   work = s->work[end] - s->work[r->first];

    return s->eager ? steps >= 3 : steps >= MIN_STEPS && work >= REROLL_MIN_NODES;
}

static uint64_t
window_at(const reroll_sequence *s, uint32_t end, uint32_t width)
{
    uint64_t h = 0;

    for (uint32_t i = end - width; i < end; i++)
        h = ir_hash_u64(h, s->kind[i]);
    return h;
}

/* count[d]: how many windows are the same as one d places before, and as none between. */
static void
count_distances(const reroll_sequence *s, uint32_t *count)
{
    const uint32_t width = s->eager ? 1 : WINDOW;
    uint32_t *latest = IR_NEW_N(s->a, uint32_t, s->n + 1), windows = 0;
    ir_map seen;

    ir_map_init(&seen, s->a);
    for (uint32_t end = width; end <= s->n; end++) {
        const uint64_t h = window_at(s, end, width);
        uint32_t at = 0, id = ir_map_next(&seen, h, &at);

        if (id)
            count[end - latest[id]]++;
        else
            ir_map_add(&seen, h, id = ++windows);
        latest[id] = end;
    }
}

typedef struct runs {
    reroll_run *at;
    uint32_t n, cap;
} runs;

/* The run of a period that begins at the earliest place from `from` on, among those that no run
 * has taken; false: there is none. */
static bool
next_run(const reroll_sequence *s, const bool *taken, uint32_t period, uint32_t from,
         reroll_run *r)
{
    for (uint32_t i = from; i + period < s->n;) {
        uint32_t end = i;
        while (end + period < s->n && !taken[end] && !taken[end + period] &&
               s->kind[end] == s->kind[end + period])
            end++;
        *r = (reroll_run){ i, period, end - i + period };
        if (pass_reroll_is_worth_it(s, r))
            return true;
        i = end + 1;
    }
    return false;
}

/* The nodes that loops of a period would save. */
static uint64_t
saved_by(const reroll_sequence *s, const bool *taken, uint32_t period)
{
    uint64_t sum = 0;
    uint32_t from = 0;

    for (reroll_run r; next_run(s, taken, period, from, &r); from = r.first + r.count)
        sum += r.count - period;
    return sum;
}

/* The least period of a run: a divisor of the one by which it was found. */
static uint32_t
least_period(const reroll_sequence *s, const reroll_run *r)
{
    for (uint32_t p = 1; p <= r->period / 2; p++) {
        uint32_t i = r->first;
        if (r->period % p)
            continue;
        while (i + p < r->first + r->count && s->kind[i] == s->kind[i + p])
            i++;
        if (i + p == r->first + r->count)
            return p;
    }
    return r->period;
}

static void
take_runs(const reroll_sequence *s, bool *taken, uint32_t period, runs *out)
{
    uint32_t from = 0;

    for (reroll_run r; next_run(s, taken, period, from, &r); from = r.first + r.count) {
        memset(taken + r.first, true, r.count);
        r.period = least_period(s, &r);
        IR_PUSH(s->a, out->at, out->n, out->cap, r);
    }
}

/* The most frequent distances, the most frequent first. */
static int
frequent(const uint32_t *count, uint32_t n, uint32_t *period)
{
    int k = 0;

    for (uint32_t d = 1; d < n; d++) {
        int i;
        if (!count[d] || (k == PERIODS && count[period[k - 1]] >= count[d]))
            continue;
        k += k < PERIODS;
        for (i = k - 1; i > 0 && count[period[i - 1]] < count[d]; i--)
            period[i] = period[i - 1];
        period[i] = d;
    }
    return k;
}

static int
by_place(const void *x, const void *y)
{
    const reroll_run *r = x, *q = y;

    return (r->first > q->first) - (r->first < q->first);
}

uint32_t
pass_reroll_find(const reroll_sequence *s, reroll_run **out)
{
    bool *taken = IR_NEW_N(s->a, bool, s->n + 1);
    uint32_t *count = IR_NEW_N(s->a, uint32_t, s->n + 1), period[PERIODS];
    runs found = { 0 };

    count_distances(s, count);
    for (int left = frequent(count, s->n, period); left > 0;) {
        uint64_t most = 0;
        int best = -1;
        for (int i = 0; i < left; i++) {
            const uint64_t saved = saved_by(s, taken, period[i]);
            if (saved > most)
                most = saved, best = i;
        }
        if (best < 0)
            break;
        take_runs(s, taken, period[best], &found);
        period[best] = period[--left];
    }
    if (found.n > 1)
        qsort(found.at, found.n, sizeof *found.at, by_place);
    *out = found.at;
    return found.n;
}
