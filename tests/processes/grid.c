/* `processes grid`: axes of groups within each other, which a grid of processes shares: what
 * rows that move send by the number of columns, how many groups each process runs, and which
 * numbers are refused. */
#include <stdio.h>
#include <string.h>

#include "tests/processes/processes.h"
#include "tests/processes/programs.h"

enum { ROW = 4000, SMALL = 2000 }; /* bytes: of a row that moves, and of all else at most */

/* A row of each of 8 x 8 groups moves to the next one along either axis; what is left of them
 * is a number. */
static const spread_program moves = {
    "moves",
    "fn @f(%%v: f32[1000]) -> f32[] {\n"
    "  %%u = sin %%v : f32[1000]\n"
    "  %%0 = ppermute %%u {over=\"i\", pairs=[%3$s]} : f32[1000]\n"
    "  %%1 = ppermute %%u {over=\"j\", pairs=[0,1,1,2,2,3,3,4,4,5,5,6,6,7]} : f32[1000]\n"
    "  %%2 = mul %%0, %%1 : f32[1000]\n"
    "  %%3 = reduce_sum %%2 {axes=[0]} : f32[]\n"
    "  %%4 = psum %%3 {over=\"j\"} : f32[]\n"
    "  %%5 = psum %%4 {over=\"i\"} : f32[]\n"
    "  ret %%5\n}\n",
    "vmap(axis=j, size=8, out=none, over=world) | "
    "vmap(axis=i, size=%lld, out=none, over=world)",
    0
};

typedef struct grid_work {
    int columns[2]; /* of process 0, of the others */
    size_t *sent;   /* by process */
    spread_result *result;
} grid_work;

static int
run_moves(const cot_comm *comm, void *user)
{
    const grid_work *w = user;
    watched c = { .of = comm };
    const cot_comm counted = watch(&c);

    spread_columns = w->columns[comm->rank > 0];
    const int status = spread_run(&moves, 8, "eval", 1, &counted, &w->result[comm->rank]);
    w->sent[comm->rank] = c.sent;
    return status != 0;
}

/* Each row at the edge of a part leaves its process: 8 for each row of the grid but one, and 8
 * for each column but one. */
static void
judge_bytes(grid_work *w, int processes, int columns, const spread_result *one)
{
    const int rows = processes / columns;
    const size_t least = (size_t)ROW * 8 * (size_t)(rows - 1 + columns - 1);
    size_t all = 0;
    char what[100];

    w->columns[0] = w->columns[1] = columns;
    if (cot_shm_run(processes, run_moves, w))
        fail("moves", 8, processes, w->result[0].text);
    for (int k = 0; k < processes; k++) {
        const spread_result *r = &w->result[k];
        all += w->sent[k];
        checks++;
        if (r->bytes != one->bytes || memcmp(r->at, one->at, one->bytes) != 0)
            fail("moves", 8, processes, "other bytes");
    }
    checks++;
    snprintf(what, sizeof what,
             "%d columns: %zu bytes are sent, wanted %zu and at most %d more", columns, all,
             least, SMALL);
    if (all < least || all > least + SMALL)
        fail("moves", 8, processes, what);
}

static void
refuse(grid_work *w, int first, int others, const char *text)
{
    w->columns[0] = first;
    w->columns[1] = others;
    checks++;
    if (cot_shm_run(4, run_moves, w, .timeout = 20) == 0 || !strstr(w->result[0].text, text))
        fail("moves", 8, 4, w->result[0].text[0] ? w->result[0].text : "is not refused");
}

void
grid(void)
{
    grid_work w = { .sent = shared_memory(sizeof(size_t) * RUN_PROCESSES),
                    .result = shared_memory(sizeof(spread_result) * RUN_PROCESSES) };
    static spread_result one;

    spread_run(&moves, 8, "eval", 1, NULL, &one);
    for (int processes = 2; processes <= 8; processes += 2)
        for (int columns = 2; columns <= processes; columns++)
            if (processes % columns == 0)
                judge_bytes(&w, processes, columns, &one);
    refuse(&w, 3, 3, "columns is 3; wants a number that divides the 4 processes");
    refuse(&w, -1, -1, "columns is -1; wants");
    refuse(&w, 2, 4, "process "); /* as of other programs */
}
