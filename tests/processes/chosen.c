/* `processes chosen`: who owns what by cot_options.own. */
#include <stdio.h>
#include <string.h>

#include "runtime/support/owner.h"
#include "tests/processes/processes.h"
#include "tests/processes/programs.h"

typedef struct chosen_work {
    const char *program, *own[2]; /* of process 0, of the others */
    spread_result *result;
} chosen_work;

static int
run_chosen(const cot_comm *comm, void *user)
{
    const chosen_work *w = user;

    spread_own = w->own[comm->rank > 0];
    return spread_run(spread_find(w->program), 33, "eval", 1, comm, &w->result[comm->rank]) !=
           0;
}

/* What is refused says so; without a text all have the bytes of one process. */
static void
choose(chosen_work *w, int processes, const spread_result *one, const char *text)
{
    memset(w->result, 0, sizeof *w->result * RUN_PROCESSES);
    if ((cot_shm_run(processes, run_chosen, w, .timeout = 20) == 0) != (text == NULL))
        fail(w->program, 33, processes, w->result[0].text);
    for (int k = 0; k < processes; k++) {
        const spread_result *r = &w->result[k];
        checks++;
        if (text ? !strstr(r->text, text)
                 : r->bytes != one->bytes || memcmp(r->at, one->at, one->bytes) != 0)
            fail(w->program, 33, processes, r->text[0] ? r->text : "other bytes");
    }
}

void
chosen(void)
{
    static const char *const programs[] = { "biased.hvp", "collectives", "descent" };
    static spread_result one;
    chosen_work w = { .result = shared_memory(sizeof(spread_result) * RUN_PROCESSES) };

    for (int p = 0; p < 3; p++)
        for (int runs = p == 1; runs < 2; runs++) {
            w.program = programs[p];
            w.own[0] = w.own[1] = runs ? "runs" : "lanes";
            spread_run(spread_find(w.program), 33, "eval", 1, NULL, &one);
            for (int processes = 2; processes < 6; processes++)
                choose(&w, processes, &one, NULL);
        }
    w.program = "halo";
    w.own[0] = w.own[1] = "lanes";
    choose(&w, 3, &one, "own is lanes, and rows move between groups; wants runs");
    w.own[0] = w.own[1] = "rows";
    choose(&w, 3, &one, "own is 'rows'; wants lanes or runs");
    w.program = "descent";
    w.own[0] = NULL;
    w.own[1] = "runs";
    choose(&w, 3, &one, "process "); /* as of other programs */
}
