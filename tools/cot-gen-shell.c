/* The man page of `cot`, and the completions of bash, zsh and fish, from tools/options.def. */
#include "tools/cot-gen.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct verb {
    const char *name, *summary, *more;
} verb;
typedef struct option {
    const char *name, *how, *value, *verbs, *text;
} option;
typedef struct variable {
    const char *name, *text;
} variable;

#define OPTION(name, how, field, value, verbs, text)
#define VARIABLE(name, text)
#define VERB(name, summary, more) { #name, summary, more },
static const verb verbs[] = {
#include "tools/options.def"
};
#undef VERB
#undef OPTION
#define VERB(name, summary, more)
#define OPTION(name, how, field, value, verbs, text) { name, #how, value, verbs, text },
static const option options[] = {
#include "tools/options.def"
};
#undef OPTION
#undef VARIABLE
#define OPTION(name, how, field, value, verbs, text)
#define VARIABLE(name, text) { name, text },
static const variable variables[] = {
#include "tools/options.def"
};
#undef VERB
#undef OPTION
#undef VARIABLE
enum {
    N_VERBS = sizeof verbs / sizeof *verbs,
    N_OPTIONS = sizeof options / sizeof *options,
    N_VARIABLES = sizeof variables / sizeof *variables
};

static bool
takes(const option *o, const char *name)
{
    return !*o->verbs || strstr(o->verbs, name) != NULL;
}

/* Is the value one of some words, as jit|c|eval? */
static bool
is_choice(const option *o)
{
    return islower((unsigned char)o->value[0]) && !strchr(o->value, '[');
}

static bool
is_file(const option *o)
{
    return strstr(o->value, "FILE") || strstr(o->value, "OUT.") ||
           strcmp(o->value, "PATH") == 0;
}

/* Text of the man page: hyphens and backslashes as they are, no line that begins with a dot. */
static void
write_roff(const char *text)
{
    for (const char *s = text; *s; s++) {
        if (*s == '\\')
            fputs("\\e", stdout);
        else if (*s == '-')
            fputs("\\-", stdout);
        else if (*s == '\'')
            fputs("\\(aq", stdout);
        else
            putchar(*s);
    }
}

static void
write_synopsis(const verb *v)
{
    printf(".B cot %s\n.I FILE\n", v->name);
    for (int i = 0; i < N_OPTIONS; i++) {
        const option *o = &options[i];
        if (!*o->verbs || !takes(o, v->name))
            continue;
        fputs(".RB [ ", stdout);
        write_roff(o->name);
        if (*o->value) {
            fputs(" \" \\fI", stdout);
            write_roff(o->value);
            fputs("\\fR]\"\n", stdout);
        } else {
            fputs(" ]\n", stdout);
        }
    }
    fputs("[options of all verbs]\n", stdout);
}

static void
write_options(void)
{
    for (int i = 0; i < N_OPTIONS; i++) {
        const option *o = &options[i];
        fputs(".TP\n.B ", stdout);
        write_roff(o->name);
        if (*o->value) {
            fputs(" \\fI", stdout);
            write_roff(o->value);
            fputs("\\fR", stdout);
        }
        putchar('\n');
        if (*o->verbs) {
            fputs("of ", stdout);
            write_roff(o->verbs);
            fputs(": ", stdout);
        }
        write_roff(o->text);
        fputs(".\n", stdout);
    }
}

int
write_man(void)
{
    fputs(".\\\" Written by cot-gen from tools/options.def; do not edit.\n"
          ".TH COT 1 \"\" \"Cotrace 0.1.0\" \"User Commands\"\n.SH NAME\n"
          "cot \\- transform, run, build, check, time and examine tensor programs\n"
          ".SH SYNOPSIS\n",
          stdout);
    for (int i = 0; i < N_VERBS; i++) {
        write_synopsis(&verbs[i]);
        fputs(i + 1 < N_VERBS ? ".br\n" : "", stdout);
    }
    fputs(".SH DESCRIPTION\n.I FILE\nis .cot or StableHLO text;\n.B \\-\nis standard input. A "
          "verb other than\n.B opt\ntakes the only function that no other uses, or the one "
          "named\n.BR main .\n",
          stdout);
    for (int i = 0; i < N_VERBS; i++) {
        printf(".TP\n.B %s\n", verbs[i].name);
        write_roff(verbs[i].summary);
        fputs(".\n", stdout);
        write_roff(verbs[i].more);
        putchar('\n');
    }
    fputs(".SH OPTIONS\n", stdout);
    write_options();
    fputs(".SH PIPELINE\nPasses separated by\n.BR | ,\nread left to right, each with options:\n"
          ".B \\(aqgrad(wrt=[0]) | vmap(in=[none,0,0], out=0)\\(aq.\n"
          "Passes: grad, grad_and_value, jvp, linearize, vjp, jacfwd, jacrev, hessian, vmap, "
          "functionalize,\nsimplify, dce, inline, expand, complex, count, unroll, contract, "
          "uncontract. Negative axes and\nargument numbers count from the end.\n"
          ".SH ENVIRONMENT\n",
          stdout);
    for (int i = 0; i < N_VARIABLES; i++) {
        printf(".TP\n.B %s\n", variables[i].name);
        write_roff(variables[i].text);
        fputs(".\n", stdout);
    }
    fputs(".SH EXIT STATUS\n0 done; 1 a check or expectation failed, or lint found something; "
          "2 the input or the options are\nwrong, and the message says where; 3 a bug of "
          "cotrace; "
          "130 cancelled by Ctrl\\-C, which a second one\nturns into the end of the process.\n"
          ".SH EXAMPLES\n.nf\n"
          "cot opt model.cot \\-p \\(aqgrad(wrt=[0,1]) | vmap(in=[none,none,0])\\(aq "
          "\\-\\-after\\-each\n"
          "cot run model.cot \\-\\-in w.npy x.npy \\-\\-out y\n"
          "cot build model.cot \\-p grad \\-o model.o \\-\\-header model.h \\-\\-cpu "
          "x86\\-64\\-v3\n"
          "cot lint model.cot \\-p grad \\-\\-range \\(aqx: [0, 1]\\(aq \\-\\-fix\n"
          ".fi\n",
          stdout);
    return 0;
}

/* The words of a list by `from`, each followed by a space. */
static void
write_each(const char *list, char from)
{
    for (const char *s = list; *s; s++)
        putchar(*s == from ? ' ' : *s);
}

int
write_bash(void)
{
    fputs("# bash completion of cot, written by cot-gen from tools/options.def\n_cot()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local options=\n    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W \"",
          stdout);
    for (int i = 0; i < N_VERBS; i++)
        printf("%s ", verbs[i].name);
    fputs("--help --version\" -- \"$word\"))\n        return\n    fi\n    case $before in\n",
          stdout);
    for (int i = 0; i < N_OPTIONS; i++)
        if (is_choice(&options[i])) {
            printf("    %s) COMPREPLY=($(compgen -W \"", options[i].name);
            write_each(options[i].value, '|');
            fputs("\" -- \"$word\")); return ;;\n", stdout);
        }
    fputs("    esac\n    case ${COMP_WORDS[1]} in\n", stdout);
    for (int i = 0; i < N_VERBS; i++) {
        printf("    %s) options=\"", verbs[i].name);
        for (int k = 0; k < N_OPTIONS; k++)
            if (takes(&options[k], verbs[i].name))
                printf("%s ", options[k].name);
        fputs("\" ;;\n", stdout);
    }
    fputs("    esac\n    case $word in\n"
          "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
          "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n    esac\n}\n"
          "complete -o filenames -F _cot cot\n",
          stdout);
    return 0;
}

/* A text within single quotes, in which these characters are special for _arguments. */
static void
write_quoted(const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr(special, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void
write_zsh_option(const option *o)
{
    printf("            '%s[", o->name);
    write_quoted(o->text, "[]:\\");
    putchar(']');
    if (*o->value) {
        fputs(":", stdout);
        write_quoted(o->value, "[]:\\");
        fputs(":", stdout);
    }
    if (is_choice(o)) {
        putchar('(');
        write_each(o->value, '|');
        putchar(')');
    } else if (is_file(o)) {
        fputs("_files", stdout);
    }
    fputs("' \\\n", stdout);
}

int
write_zsh(void)
{
    fputs("#compdef cot\n# written by cot-gen from tools/options.def\n_cot_verb()\n{\n"
          "    case $words[1] in\n",
          stdout);
    for (int i = 0; i < N_VERBS; i++) {
        printf("    %s)\n        _arguments \\\n", verbs[i].name);
        for (int k = 0; k < N_OPTIONS; k++)
            if (takes(&options[k], verbs[i].name))
                write_zsh_option(&options[k]);
        fputs("            '*:file:_files' ;;\n", stdout);
    }
    fputs("    esac\n}\n_arguments '1:verb:((", stdout);
    for (int i = 0; i < N_VERBS; i++) {
        printf("%s%s\\:\"", i ? " " : "", verbs[i].name);
        write_quoted(verbs[i].summary, ":\\\"");
        putchar('"');
    }
    fputs("))' '*::argument:_cot_verb'\n", stdout);
    return 0;
}

int
write_fish(void)
{
    fputs("# fish completion of cot, written by cot-gen from tools/options.def\n", stdout);
    for (int i = 0; i < N_VERBS; i++) {
        printf("complete -c cot -f -n __fish_use_subcommand -a %s -d '", verbs[i].name);
        write_quoted(verbs[i].summary, "");
        fputs("'\n", stdout);
    }
    for (int i = 0; i < N_OPTIONS; i++) {
        const option *o = &options[i];
        const bool lengthy = o->name[1] == '-';
        fputs("complete -c cot", stdout);
        if (*o->verbs)
            printf(" -n '__fish_seen_subcommand_from %s'", o->verbs);
        printf(" -%c %s", lengthy ? 'l' : 's', o->name + 1 + lengthy);
        if (is_choice(o)) {
            fputs(" -x -a '", stdout);
            write_each(o->value, '|');
            putchar('\'');
        } else if (*o->value) {
            fputs(is_file(o) ? " -r" : " -x", stdout);
        }
        fputs(" -d '", stdout);
        write_quoted(o->text, "");
        fputs("'\n", stdout);
    }
    return 0;
}
