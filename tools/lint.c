/* cot lint: arguments for which a function, or its derivative, goes wrong. */
#include "cotrace/lint.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "ir/diag.h"
#include "ir/number.h"
#include "runtime/lint/lint.h"
#include "tools/cot.h"

static const char *
skip_space(const char *s)
{
    return s + strspn(s, " \t");
}

/* A number, or inf and -inf. */
static bool
read_number(const char **s, double *x)
{
    char *end;

    *s = skip_space(*s);
    *x = ir_strtod(*s, &end);
    if (end == *s)
        return false;
    *s = skip_space(end);
    return !isnan(*x);
}

/* The argument that is named there, or whose number is. */
static int
argument_named(const ir_graph *f, const char *name, size_t n)
{
    char *end;
    const long number = strtol(name, &end, 10);

    for (int i = 0; i < f->n_in; i++)
        if (f->in_name[i] && strlen(f->in_name[i]) == n && strncmp(f->in_name[i], name, n) == 0)
            return i;
    return end == name + n && n > 0 && number >= 0 && number < f->n_in ? (int)number : -1;
}

static const char *
names_of_arguments(const cot_cli *c, const ir_graph *f)
{
    const char *list = f->n_in ? "" : "none";

    for (int i = 0; i < f->n_in; i++)
        list = f->in_name[i]
                   ? ir_format(&c->ctx->arena, "%s%s%s", list, i ? ", " : "", f->in_name[i])
                   : ir_format(&c->ctx->arena, "%s%s%d", list, i ? ", " : "", i);
    return list;
}

/* NAME: [LEAST, MOST], with round brackets where an end is left out. */
static bool
read_range(const cot_cli *c, const ir_graph *f, const char *text, cot_lint_range *out)
{
    const char *s = skip_space(text);
    const size_t n = strcspn(s, ": \t");

    *out = (cot_lint_range){ .argument = argument_named(f, s, n) };
    if (out->argument < 0) {
        cli_wrong(c, "--range '%s': the function has no argument '%.*s'; it has %s", text,
                  (int)n, s, names_of_arguments(c, f));
        return false;
    }
    s = skip_space(s + n);
    s = *s == ':' ? skip_space(s + 1) : "";
    out->above = *s == '(';
    if ((*s == '[' || *s == '(') && read_number((s++, &s), &out->least) && *s == ',' &&
        read_number((s++, &s), &out->most) && (*s == ']' || *s == ')')) {
        out->below = *s == ')';
        return true;
    }
    cli_wrong(c, "--range is '%s'; wants NAME: [LEAST, MOST], or ( and ) without the ends",
              text);
    return false;
}

static bool
read_ranges(const cot_cli *c, const ir_graph *f, cot_lint_range *out)
{
    for (int i = 0; i < c->n_ranges; i++)
        if (!read_range(c, f, c->ranges[i], &out[i]))
            return false;
    return true;
}

/* The line of a file, as compilers show it; not where the file cannot be read. */
static void
print_source(const cot_finding *x)
{
    FILE *file = x->file ? fopen(x->file, "r") : NULL;
    char line[256];
    int at = 1;

    while (file && fgets(line, sizeof line, file)) {
        if (at == x->line) {
            const char *s = skip_space(line);
            printf("    %.*s\n", (int)strcspn(s, "\n"), s);
            break;
        }
        at += strchr(line, '\n') != NULL;
    }
    if (file)
        fclose(file);
}

static void
print_instead(const cot_cli *c, const char *form)
{
    printf("    instead: ");
    cli_print(c, stdout, CLI_SAID, form, strlen(form));
    putchar('\n');
}

int
cli_lint(cot_cli *c)
{
    cot_lint_range *range = IR_NEW_N(&c->ctx->arena, cot_lint_range, c->n_ranges + 1);
    const cot_lint_options o = { .n_ranges = c->n_ranges, .ranges = range };
    cot_lint_report report;
    ir_graph *source, *f;

    if (cli_source(c, &source) != COT_OK)
        return cli_failed(c);
    if (!source)
        return EXIT_DONE;
    if (cli_transform(c, source, &f) != COT_OK)
        return cli_failed(c);
    if (!read_ranges(c, f, range))
        return EXIT_USER;
    if (rt_lint(source, f, &o, &report) != COT_OK)
        return cli_failed(c);
    cli_hide_progress();
    for (int i = 0; i < report.n; i++) {
        cli_print_message(c, stdout, report.finding[i].text);
        print_source(&report.finding[i]);
        if (c->fix && *report.finding[i].instead)
            print_instead(c, report.finding[i].instead);
    }
    printf("%s: %d found at %d points\n", f->name, report.n, report.points);
    return report.n ? EXIT_CHECK : EXIT_DONE;
}
