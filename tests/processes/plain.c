/* `processes plain`: what groups compute is what the examples of a map without `.over` do.
 * Gradients are left out, whose sums have another order there, and products of a matrix that
 * all groups share. */
#include <stdio.h>
#include <string.h>

#include "tests/processes/processes.h"
#include "tests/processes/programs.h"

static const char *const forward[] = {
    "totals",    "sum",        "network",     "network.jvp",  "collectives",
    "halo",      "halo.jvp",   "looped",      "looped.inner", "extremes",
    "scattered", "draws",      "settled",     "settled.jvp",  "settled.inner",
    "active",    "active.jvp", "active.grid", "plate",
};

/* The pipeline without its spread axes. */
static spread_program
without_over(const spread_program *p, char *to)
{
    static const char over[] = "over=world, ";
    spread_program q = *p;
    size_t n = 0;

    for (const char *s = p->pipeline; *s;) {
        const bool is = strncmp(s, over, sizeof over - 1) == 0;
        if (!is)
            to[n++] = *s;
        s += is ? sizeof over - 1 : 1;
    }
    to[n] = '\0';
    q.pipeline = to;
    return q;
}

void
plain(void)
{
    static const int64_t groups[] = { 1, 2, 5, 33 };
    static spread_result over, without;
    char pipeline[1000];

    for (size_t i = 0; i < sizeof forward / sizeof *forward; i++)
        for (int k = 0; k < 4; k++) {
            const spread_program *p = spread_find(forward[i]), q = without_over(p, pipeline);
            int status = spread_run(p, groups[k], "eval", 1, NULL, &over);
            checks++;
            if (status == 0)
                status = spread_run(&q, groups[k], "eval", 1, NULL, &without);
            if (status || over.bytes != without.bytes ||
                memcmp(over.at, without.at, over.bytes) != 0)
                fail(p->name, groups[k], 1, status ? without.text : "other bytes");
        }
}
