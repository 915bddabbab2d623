/* Colours of what is printed for a person: the place of a message, its op, how a check ended.
 *
 * They are those of `--color`; without it a stream has them if it is a terminal and NO_COLOR is
 * not set (the convention of that name). */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cot.h"

static const char *const codes[] = {
    [CLI_PLACE] = "1", [CLI_BAD] = "1;31", [CLI_GOOD] = "32", [CLI_SAID] = "36"
};

bool
cli_has_color(const cot_cli *c, FILE *to)
{
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");

    if (c->color && strcmp(c->color, "auto") != 0)
        return strcmp(c->color, "always") == 0;
    return isatty(fileno(to)) && !(no && *no) && !(terminal && strcmp(terminal, "dumb") == 0);
}

void
cli_print(const cot_cli *c, FILE *to, cli_color color, const char *text, size_t n)
{
    if (n && cli_has_color(c, to))
        fprintf(to, "\033[%sm%.*s\033[0m", codes[color], (int)n, text);
    else
        fprintf(to, "%.*s", (int)n, text);
}

/* The length of "file:line:" at the start of a message; 0: it begins otherwise. */
static size_t
place_in(const char *text)
{
    const char *s = strchr(text, ':');

    while (s) {
        const size_t digits = strspn(s + 1, "0123456789");
        if (digits && (s[1 + digits] == ':' || s[1 + digits] == ','))
            return (size_t)(s + 1 - text) + digits;
        if (*s == '\n')
            break;
        s = strpbrk(s + 1, ":\n");
    }
    return 0;
}

void
cli_print_message(const cot_cli *c, FILE *to, const char *text)
{
    const size_t place = place_in(text);
    const char *op = text + place + strcspn(text + place, ":");

    cli_print(c, to, CLI_PLACE, text, place);
    if (place && op[0] == ':' && op[1] == ' ') {
        const size_t length = strcspn(op + 2, ":,\n");
        fprintf(to, "%.*s: ", (int)(op - text - (ptrdiff_t)place), text + place);
        cli_print(c, to, CLI_BAD, op + 2, length);
        fprintf(to, "%s\n", op + 2 + length);
    } else {
        fprintf(to, "%s\n", text + place);
    }
}
