/* A bar on the terminal while a call takes long (cot_options.progress). */
#include <stdio.h>
#include <unistd.h>

#include "tools/cot.h"

enum { BAR = 30, LINE = 160 };

static bool shown; /* a bar stands in the last line of the terminal */

/* "compile main [=======>            ] 120 of 340, 2.1 s" */
static void
show(void *user, const cot_progress *at)
{
    char bar[BAR + 1] = "", line[LINE];

    (void)user;
    if (!at->stage) {
        cli_hide_progress();
        return;
    }
    for (int i = 0; at->total && i < BAR; i++) {
        const uint64_t filled = at->done * BAR / at->total;
        bar[i] = (uint64_t)i < filled ? '=' : (uint64_t)i == filled ? '>' : ' ';
    }
    if (at->total)
        snprintf(line, sizeof line, "%s %s [%s] %llu of %llu, %.1f s", at->stage,
                 at->function ? at->function : "", bar, (unsigned long long)at->done,
                 (unsigned long long)at->total, at->seconds);
    else
        snprintf(line, sizeof line, "%s %s, %llu nodes, %.1f s", at->stage,
                 at->function ? at->function : "", (unsigned long long)at->done, at->seconds);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    shown = true;
}

void
cli_hide_progress(void)
{
    if (shown)
        fputs("\r\033[K", stderr);
    shown = false;
}

void
cli_show_progress(cot_options *o)
{
    if (isatty(STDERR_FILENO))
        o->progress = show;
}
