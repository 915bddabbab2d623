/* See suggest.h. */
#include "ir/suggest.h"

#include <stdio.h>
#include <string.h>

static int
least(int x, int y)
{
    return x < y ? x : y;
}

/* The distance of two names of at most IR_SUGGEST_LETTERS letters, by rows of the usual table:
 * row[k % 3] is that of the first k letters of x. */
static int
distance(const char *x, int nx, const char *y, int ny)
{
    int row[3][IR_SUGGEST_LETTERS + 1];

    for (int j = 0; j <= ny; j++)
        row[0][j] = j;
    for (int i = 1; i <= nx; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= ny; j++) {
            now[j] =
                least(least(last[j], now[j - 1]) + 1, last[j - 1] + (x[i - 1] != y[j - 1]));
            if (i > 1 && j > 1 && x[i - 1] == y[j - 2] && x[i - 2] == y[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return row[nx % 3][ny];
}

ir_suggestion
ir_suggest(const char *name)
{
    const int n = (int)strlen(name);

    return (ir_suggestion){ .name = name, .distance = (n < 6 ? 1 : n / 3) + 1 };
}

void
ir_suggest_try(ir_suggestion *s, const char *candidate)
{
    const size_t nx = strlen(s->name), ny = strlen(candidate);

    if (nx > IR_SUGGEST_LETTERS || ny > IR_SUGGEST_LETTERS)
        return;
    const int d = distance(s->name, (int)nx, candidate, (int)ny);
    int begins = 0;
    while (s->name[begins] && s->name[begins] == candidate[begins])
        begins++;
    if ((d < s->distance || (s->best && d == s->distance && begins > s->begins)) &&
        d < (int)ny) {
        s->distance = d;
        s->begins = begins;
        s->best = candidate;
    }
}

const char *
ir_suggest_text(ir_suggestion *s)
{
    if (s->best)
        snprintf(s->text, sizeof s->text, "; did you mean '%s'?", s->best);
    return s->text;
}
