/* `cot --help`, from the table of options. */
#include "tools/cot.h"

enum { WIDTH = 96, HANG = 25 };

/* Words in lines of at most WIDTH columns; the first has `column` columns already. */
static void
print_words(FILE *to, const char *text, int column)
{
    while (*text) {
        const int word = (int)strcspn(text, " ");
        if (column + 1 + word > WIDTH) {
            fprintf(to, "\n%*s", HANG - 1, "");
            column = HANG - 1;
        }
        column += fprintf(to, " %.*s", word, text);
        text += word + strspn(text + word, " ");
    }
    fputc('\n', to);
}

/* "run bench" as "run, bench: " */
static const char *
list_of(char *text, size_t bytes, const char *verbs)
{
    size_t n = 0;

    text[0] = '\0';
    for (; *verbs && n + 3 < bytes; verbs++) {
        if (*verbs == ' ')
            text[n++] = ',';
        text[n++] = *verbs;
    }
    if (n)
        text[n++] = ':';
    text[n] = '\0';
    return text;
}

static void
print_option(FILE *to, const char *name, const char *value, const char *verbs, const char *text)
{
    char list[64], line[512];
    int column = fprintf(to, "  %s%s%s", name, *value ? " " : "", value);

    list_of(list, sizeof list, verbs);
    snprintf(line, sizeof line, "%s%s%s", list, *list ? " " : "", text);
    if (column > HANG - 2) {
        fputc('\n', to);
        column = 0;
    }
    column += fprintf(to, "%*s", HANG - 1 - column, "");
    print_words(to, line, column);
}

bool
cli_usage(FILE *to)
{
    fputs("usage: cot VERB FILE [OPTION...]      FILE is .cot or StableHLO text; - is standard "
          "input\n",
          to);
#define VERB(name, summary, more) fprintf(to, "  %-6s %s\n", #name, summary);
#define OPTION(name, how, field, value, verbs, text)
#define VARIABLE(name, text)
#include "tools/options.def"
#undef VERB
#undef OPTION
    fputs("options\n", to);
#define VERB(name, summary, more)
#define OPTION(name, how, field, value, verbs, text)                                           \
    print_option(to, name, value, verbs, text);
#include "tools/options.def"
#undef VERB
#undef OPTION
#undef VARIABLE
    fputs("exit status: 0 done, 1 a check failed, 2 wrong input or options, 3 a bug of "
          "cotrace,\n"
          "130 cancelled by Ctrl-C\n",
          to);
    return !ferror(to);
}
