/* Writes what the tables already say: include/cotrace/pointwise.h and pointwise.hpp,
 * docs/ops.md, docs/errors.md and docs/tuning.md.
 *
 *     cot-gen trace HEADER    the header with the part between its marks written anew
 *     cot-gen hpp HEADER      the same for the overloads of C++
 *     cot-gen ops             docs/ops.md
 *     cot-gen errors          docs/errors.md
 *     cot-gen tuning          docs/tuning.md
 *     cot-gen man             docs/cot.1
 *     cot-gen bash|zsh|fish   the completion of a shell, which the build installs
 *
 * Output goes to standard output; but for completions it is checked in, and a test compares.
 * The program includes the tables and nothing else of the project, so that it builds before the
 * library. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cot-gen.h"

typedef struct row {
    const char *name;
    int n_in;
    const char *attrs, *flag;
    const char *infer, *jvp, *transpose, *vmap, *lower, *doc;
} row;

static const row rows[] = {
#define OP(name, n_in, attrs, flag, infer, eval, jvp, transpose, vmap, lower, fold, plan,      \
           facts, doc)                                                                         \
    { #name, n_in, #attrs, #flag, #infer, #jvp, #transpose, #vmap, #lower, doc },
#include "ir/ops.def"
#undef OP
};
#define N_ROWS (sizeof rows / sizeof *rows)

typedef struct field {
    const char *record, *kind, *name, *init;
} field;

static const field fields[] = {
#define RECORD(name)
#define END(name)
#define FIELD(record, kind, name, init) {#record, #kind, #name, #init},
#include "ir/attrs.def"
#undef RECORD
#undef FIELD
#undef END
};
#define N_FIELDS (sizeof fields / sizeof *fields)

typedef struct message {
    const char *name, *status, *format, *doc;
} message;

static const message messages[] = {
#define ERR(name, status, ...)        {#name, #status, ERR_TEXTS(__VA_ARGS__, "", "")},
#define ERR_TEXTS(format, doc, ...) format, doc
#include "ir/errors.def"
#undef ERR_TEXTS
#undef ERR
};
#define N_MESSAGES (sizeof messages / sizeof *messages)

/* Pointwise ops without attributes have a public function of their name and operands; `clamp`
 * has not: its operands are lo, x, hi, and cot_clip(x, low, high), which is written by hand,
 * takes them in the order of all public calls. */
static int
is_plain_pointwise(const row *r)
{
    return strcmp(r->flag, "POINTWISE") == 0 && strcmp(r->attrs, "none") == 0 &&
           strcmp(r->name, "clamp") != 0;
}

/* One operand is a value; of two or three any but one may be a number. */
static void
write_declarations(void)
{
    static const char *const params[] = {
        "",
        "cot_value x",
        "cot_operand x, cot_operand y",
        "cot_operand x, cot_operand y, cot_operand z",
    };

    for (size_t i = 0; i < N_ROWS; i++)
        if (is_plain_pointwise(&rows[i]))
            printf("COT_API cot_value cot_%s_(cot_place at, %s);\n", rows[i].name,
                   params[rows[i].n_in]);
}

/* Words in lines of at most 95 columns; `hang` begins each line but the first, which has
 * `column` columns already.  Returns the columns of the last line. */
static int
write_words(const char *text, const char *hang, int column)
{
    while (*text) {
        const size_t gap = *text == ' ', word = strcspn(text + gap, " ");
        if (gap && column + 1 + (int)word > 95)
            column = printf("\n%s", hang) - 1;
        else if (gap)
            column += printf(" ");
        column += printf("%.*s", (int)word, text + gap);
        text += gap + word;
    }
    return column;
}

/* A comment of lines of at most 96 columns. */
static void
write_comment(const char *doc)
{
    int column = printf("/*");

    while (*doc) {
        size_t word = strcspn(doc, " ");
        if (column + 1 + (int)word > 90) {
            printf("\n *");
            column = 2;
        }
        column += printf(" %.*s", (int)word, doc);
        doc += word + strspn(doc + word, " ");
    }
    printf(". */\n");
}

/* What the rule of inference named in the table takes and gives, for the comments of functions;
 * a second operand has the same type after promotion. */
static const char *
types_of(const char *infer)
{
    static const struct { const char *infer, *types; } kinds[] = {
        { "number", "It takes every type but bool; the result has that type" },
        { "abs", "It takes every type but bool; the result of complex numbers is real" },
        { "inexact", "It takes floating and complex types; the result has that type" },
        { "floating", "It takes real floating types; the result has that type" },
        { "real", "It takes integers and real floating types; the result has that type" },
        { "ordered", "It takes every type but complex ones; the result has that type" },
        { "order", "It takes every type but complex ones; the result is bool" },
        { "compare", "It takes every type; the result is bool" },
        { "bits", "It takes integers and bool; the result has that type" },
        { "integer", "It takes integers; the result has that type" },
        { "classify", "It takes floating and complex types; the result is bool" },
        { "complex", "It takes f32 and f64; the result is c64 or c128" },
        { "part", "It takes c64 and c128; the result is f32 or f64" },
        { "conj", "It takes c64 and c128; the result has that type" },
        { "same", "It takes every type; the result has that type" },
        { "select", "It takes y and z of every type; the result has that type" },
        { "counter", "It takes u64; the result has that type" },
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(infer, kinds[i].infer) == 0)
            return kinds[i].types;
    fprintf(stderr, "cot-gen: no words for the types of the rule infer_%s\n", infer);
    exit(1);
}

/* What it does, the types, and which errors there are: those of a type that is not taken, and
 * of two operands that do not broadcast. */
static void
write_function_comment(const row *r)
{
    const bool any = strcmp(r->infer, "same") == 0;
    const bool opens = islower((unsigned char)r->doc[0]) && islower((unsigned char)r->doc[1]);
    char text[1024];

    snprintf(text, sizeof text, "%s. %s%s%s", r->doc, types_of(r->infer),
             any ? "" : ". Errors: COT_ERR_DTYPE", r->n_in == 1 ? "" : ", COT_ERR_SHAPE");
    if (opens)
        text[0] = (char)toupper((unsigned char)text[0]);
    write_comment(text);
}

static void
write_macros(void)
{
    static const char *const formal[] = {"", "x", "x, y", "x, y, z"};
    static const char *const actual[] = {
        "",
        "x",
        "COT_OPERAND(x), COT_OPERAND(y)",
        "COT_OPERAND(x), COT_OPERAND(y), COT_OPERAND(z)",
    };

    for (size_t i = 0; i < N_ROWS; i++) {
        const row *r = &rows[i];
        if (!is_plain_pointwise(r))
            continue;
        write_function_comment(r);
        const size_t columns = strlen("#define cot_() cot__(COT_HERE, )") +
                               2 * strlen(r->name) + strlen(formal[r->n_in]) +
                               strlen(actual[r->n_in]);
        printf("#define cot_%s(%s)", r->name, formal[r->n_in]);
        printf(r->n_in == 3 || columns > 96 ? " \\\n    " : " ");
        printf("cot_%s_(COT_HERE, %s)\n", r->name, actual[r->n_in]);
    }
}

static void
write_trace(void)
{
    write_declarations();
    printf("#ifndef __cplusplus\n");
    write_macros();
    printf("#endif\n");
}

/* Names that are operators in C++ end in _. */
static void
write_overloads(void)
{
    static const char *const operators[] = {"not", "and", "or", "xor"};
    static const char *const params[] = {
        "",
        "cot_value x, COT_PLACE_",
        "operand x, operand y",
        "operand x, operand y, operand z",
    };
    static const char *const actual[] = {
        "",
        "COT_AT_, x",
        "x.at, x.x, y.x",
        "x.at, x.x, y.x, z.x",
    };
    char head[256], body[256];

    for (size_t i = 0; i < N_ROWS; i++) {
        const row *r = &rows[i];
        const char *end = "";
        if (!is_plain_pointwise(r))
            continue;
        for (size_t k = 0; k < sizeof operators / sizeof *operators; k++)
            end = strcmp(r->name, operators[k]) == 0 ? "_" : end;
        snprintf(head, sizeof head, "inline value %s%s(%s)", r->name, end, params[r->n_in]);
        snprintf(body, sizeof body, "{ return cot_%s_(%s); }", r->name, actual[r->n_in]);
        printf("%s%c%s\n", head, strlen(head) + 1 + strlen(body) > 96 ? '\n' : ' ', body);
    }
}

static int
rewrite(const char *path, void (*write)(void))
{
    FILE *f = fopen(path, "r");
    char line[512];
    int inside = 0, seen = 0;

    if (!f) {
        fprintf(stderr, "cot-gen: %s: cannot be read\n", path);
        return 2;
    }
    while (fgets(line, sizeof line, f)) {
        if (strstr(line, "/* end generated */"))
            inside = 0;
        if (!inside)
            fputs(line, stdout);
        if (strstr(line, "/* begin generated */")) {
            inside = seen = 1;
            write();
        }
    }
    fclose(f);
    if (!seen)
        fprintf(stderr, "cot-gen: %s: has no line /* begin generated */\n", path);
    return seen ? 0 : 2;
}

static void
write_attributes(const char *record)
{
    int column = write_words("- attributes:", "", 0), n = 0;
    char text[96];

    for (size_t i = 0; i < N_FIELDS; i++) {
        const field *a = &fields[i];
        const bool required = strcmp(a->init, "REQUIRED") == 0;
        if (strcmp(a->record, record) != 0)
            continue;
        snprintf(text, sizeof text, "%s `%s` (%s%s%s)", n++ ? "," : "", a->name, a->kind,
                 required ? "" : ", default ", required ? "" : a->init);
        column = write_words(text, "  ", column);
    }
    printf(n ? ".\n" : " none.\n");
}

static int
write_ops(void)
{
    printf("# Ops\n\n");
    write_words(
        "Written by `cot-gen` from `ir/ops.def` and `ir/attrs.def`; do not edit. Operands "
        "are called x, y, z in order. `zero`: the derivative vanishes everywhere; "
        "`never`: the case cannot arise.\n",
        "", 0);
    for (size_t i = 0; i < N_ROWS; i++) {
        const row *r = &rows[i];
        char rules[256];
        printf("\n## %s\n\n", r->name);
        write_words(r->doc, "", 0);
        printf(".\n\n");
        if (r->n_in < 0)
            printf("- operands: any number\n");
        else
            printf("- operands: %d\n", r->n_in);
        write_attributes(r->attrs);
        snprintf(rules, sizeof rules,
                 "- rules: infer `%s`, jvp `%s`, transpose `%s`, vmap `%s`, lower `%s`",
                 r->infer, r->jvp, r->transpose, r->vmap, r->lower);
        write_words(rules, "  ", 0);
        printf("\n");
    }
    return 0;
}

/* Every message has its line of cause and remedy. */
static int
write_errors(void)
{
    printf("# Errors\n\n");
    write_words(
        "Written by `cot-gen` from `ir/errors.def`; do not edit. A message begins with the "
        "line of the user's call and the op or function at fault; `%s` and `%d` stand for "
        "what was found. The status is what the failing call returns; `cot_error` gives "
        "the text. The first error is kept until `cot_error_clear`.",
        "", 0);
    printf("\n\n| status | message | cause and remedy |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < N_MESSAGES; i++) {
        const message *m = &messages[i];
        if (!m->doc[0]) {
            fprintf(stderr, "cot-gen: %s has no line of cause and remedy in ir/errors.def\n",
                    m->name);
            return 1;
        }
        printf("| `%s` | `%s` | %s |\n", m->status, m->format, m->doc);
    }
    return 0;
}

static int
write_tuning(void)
{
    printf("# Tuning\n\nWritten by `cot-gen` from `codegen/tuning.def`; do not edit.  None of "
           "these numbers changes a\nresult's bits: they choose between schedules of the same "
           "computation, or bound a search.\n\n"
           "| name | value | unit | reason | measured by |\n| --- | --- | --- | --- | --- |\n");
#define TUNE(name, value, unit, reason, measured)                                              \
    printf("| `%s` | %lld | %s | %s | %s |\n", #name, (long long)(value), unit, reason,        \
           measured);
#include "codegen/tuning.def"
#undef TUNE
    return 0;
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*write)(void);
    } pages[] = { { "ops", write_ops },  { "errors", write_errors }, { "tuning", write_tuning },
                  { "man", write_man },  { "bash", write_bash },     { "zsh", write_zsh },
                  { "fish", write_fish } };

    if (argc == 3 && strcmp(argv[1], "trace") == 0)
        return rewrite(argv[2], write_trace);
    if (argc == 3 && strcmp(argv[1], "hpp") == 0)
        return rewrite(argv[2], write_overloads);
    for (size_t i = 0; argc == 2 && i < sizeof pages / sizeof *pages; i++)
        if (strcmp(argv[1], pages[i].name) == 0)
            return pages[i].write();
    fprintf(stderr, "usage: cot-gen trace HEADER | cot-gen hpp HEADER | cot-gen ops | "
                    "errors | tuning | man | bash | zsh | fish\n");
    return 2;
}
