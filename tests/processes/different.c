/* `processes different`: one of the processes runs another program, or has other keys. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/processes/processes.h"
#include "tests/processes/programs.h"

static int
run_different(const cot_comm *comm, void *user)
{
    spread_result *result = user;

    return spread_run(spread_find(comm->rank == 2 ? "network.grad" : "network"), 8, "jit", 1,
                      comm, &result[comm->rank]) != 0;
}

static int
run_draws(const cot_comm *comm, void *user)
{
    spread_result *result = user;

    return spread_run(spread_find("draws"), 8, "jit", 1, comm, &result[comm->rank]) != 0;
}

/* Of the arguments of draws the first, 96 bytes of f32, is not compared, and the keys are. */
static void
different_argument(spread_result *result, int argument)
{
    const bool compared = argument > 0;
    int status[3];

    spread_differs = 2;
    spread_differing = argument;
    cot_shm_run(3, run_draws, result, .timeout = 20, .status = status);
    spread_differs = -1;
    for (int rank = 0; rank < 3; rank++) {
        checks++;
        if (status[rank] != compared || (compared && !strstr(result[rank].text, "process ")))
            fail("draws", 8, 3, result[rank].text);
    }
    checks++;
    if (compared &&
        !strstr(result[0].text, "process 2 has another value than process 0 for a key") &&
        !strstr(result[1].text, "process 2 has another value than process 1 for a key"))
        fail("draws", 8, 3, result[0].text);
}

void
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
    for (int argument = 0; argument < 3; argument++)
        different_argument(result, argument);
}
