/* The table of docs/carriers.md: every carrier of a program, bit for bit against the evaluator (carry.h), over the
 * programs of the laws and programs in files.
 *
 *   law_carriers [--page | --check PAGE] [--files] FIRST STEP [FILE.cot ...]
 *
 * Takes programs FIRST, FIRST + STEP, ... of the laws' and then the files'; with --files, of the files' alone.  A
 * difference fails.  --page prints the table; --check wants of each program taken what the table says of it.  A row
 * that the table does not have yet is no failure.
 *
 * A file's program is taken through the pipeline that a comment "; run:" in it names, if that makes a program; what
 * is no program by itself (it wants a large constant, or is there to be refused) is left out.  A compiler that is
 * not here is left out, and so is LLVM. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cotrace/cotrace.h"
#include "tests/laws/carry.h"
#include "tests/laws/programs.h"

enum { MAX_ROWS = 1024, MAX_NOTES = 256, NAME = 96 };

static const char *const compiler[CARRIERS] = { [CARRY_GCC] = "gcc -O1", [CARRY_CLANG] = "clang -O1" };
static bool here[CARRIERS];

static struct row {
    char name[NAME];
    int programs, same[CARRIERS];
} row[MAX_ROWS];

/* What a carrier refuses. */
static struct note {
    char program[NAME], carrier[NAME], why[200];
} note[MAX_NOTES];

static int n_rows, n_notes, failures, programs;

static struct row *
row_of(const char *name)
{
    for (int i = 0; i < n_rows; i++)
        if (strcmp(row[i].name, name) == 0)
            return &row[i];
    if (n_rows == MAX_ROWS)
        exit(2);
    snprintf(row[n_rows].name, NAME, "%s", name);
    return &row[n_rows++];
}

/* -- programs -- */

static char *
read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    size_t n = file && text ? fread(text, 1, (1 << 20) - 1, file) : 0;
    char *expect = text ? strstr(text, "; expect:") : NULL;

    if (file)
        fclose(file);
    if (expect)
        *expect = '\0';
    if (n == 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* f through the pipeline of the text's first comment "; run:"; f itself where there is none or it is none of a
 * function's. */
static const ir_graph *
transformed(cot_context *ctx, const ir_graph *f, const char *text)
{
    const char *run = strstr(text, "; run: ");
    const cot_graph *g;
    cot_type *type = IR_NEW_N(&ctx->arena, cot_type, f->n_in + 1);

    if (!run)
        return f;
    run = ir_format(&ctx->arena, "%.*s", (int)strcspn(run + 7, "\n"), run + 7);
    for (int i = 0; i < f->n_in; i++)
        type[i] = cot_graph_in_type(f, i);
    if (cot_trace_fn(cot_pipeline(cot_fn_of_graph(f), run), (cot_types){ f->n_in, type }, &g) == COT_OK)
        return g;
    cot_error_clear(ctx);
    return f;
}

/* "text/vmap" of "tests/text/vmap/dot.cot". */
static const char *
last_folders(ir_arena *a, const char *path)
{
    const char *end = strrchr(path, '/'), *at = end;

    for (int n = 0; at && at > path; at--)
        if (at < end && *at == '/' && ++n == 2)
            break;
    return end ? ir_format(a, "%.*s", (int)(end - at) - (*at == '/'), at + (*at == '/')) : "files";
}

static bool
from_file(cot_context *ctx, const char *path, int number, carry_program *p)
{
    static const int lanes[] = { 1, 4, 8, 16 };
    char *text = read_file(path);
    const char *slash = strrchr(path, '/');
    ir_module m;

    *p = (carry_program){ .lo = -3, .hi = 3, .seed = 9000 + (uint64_t)number, .lanes = lanes[number % 4] };
    if (!text)
        return false;
    p->text = ir_copy_string(&ctx->arena, text);
    p->row = last_folders(&ctx->arena, path);
    p->name = ir_format(&ctx->arena, "%s/%s", p->row, slash ? slash + 1 : path);
    free(text);
    if (ir_parse(ctx, p->name, p->text, strlen(p->text), &m) != COT_OK || m.n == 0) {
        cot_error_clear(ctx);
        return false;
    }
    p->f = transformed(ctx, m.fn[m.n - 1], p->text);
    return true;
}

static bool
from_laws(cot_context *ctx, int number, carry_program *p)
{
    static const int lanes[] = { 1, 4, 8, 16 };
    laws_program law;

    if (!laws_make(ctx, number, &law)) {
        failures++;
        return false;
    }
    *p = (carry_program){ .row = law.op, .text = law.text, .f = law.f, .lo = law.lo, .hi = law.hi, .special = true,
                          .seed = 4000 + (uint64_t)number, .lanes = lanes[number % 4] };
    p->name = ir_format(&ctx->arena, "%s (program %d of the laws)", law.op, number);
    return true;
}

/* -- batches -- */

static void
record(const carry_program *p)
{
    struct row *r = row_of(p->row);

    r->programs++;
    programs++;
    for (int k = 0; k < CARRIERS; k++) {
        r->same[k] += p->answer[k] == CARRY_SAME;
        if (p->answer[k] != CARRY_REFUSED || !here[k] || n_notes == MAX_NOTES)
            continue;
        snprintf(note[n_notes].program, NAME, "%s", p->name);
        snprintf(note[n_notes].carrier, NAME, "%s", carry_name[k]);
        snprintf(note[n_notes++].why, sizeof note->why, "%s", p->why[k]);
    }
}

static void
run_carriers(carry_batch *b)
{
    const char *files;

    if (here[CARRY_JIT]) {
        carry_jit(b);
        carry_object(b);
    }
    files = carry_write_c(b);
    for (int k = CARRY_GCC; k <= CARRY_CLANG && *files; k++)
        if (here[k])
            carry_c(b, (carry_by)k,
                    ir_format(&b->ctx->arena, "%s -march=native -std=c11 -w -Wno-psabi -shared -fPIC -o x%d.so%s",
                              compiler[k], k, files),
                    ir_format(&b->ctx->arena, "x%d.so", k));
}

/* The number after the last program that it took. */
static int
run_batch(int first, int step, int n_files, char **file)
{
    carry_batch *b = calloc(1, sizeof *b);
    cot_context *ctx = cot_context_new(NULL);
    const int laws = laws_count();
    volatile int i = first;

    carry_begin(b, ctx);
    IR_TRY(ctx) {
        for (; i < laws + n_files && b->n < CARRY_BATCH; i += step) {
            carry_program p;
            if (i < laws ? from_laws(ctx, i, &p) : from_file(ctx, file[i - laws], i, &p))
                carry_add(b, &p);
        }
        run_carriers(b);
    }
    for (int k = 0; k < b->n; k++)
        record(&b->p[k]);
    failures += b->failures;
    carry_end(b);
    cot_context_free(ctx);
    free(b);
    return i;
}

/* -- the page -- */

static void
print_page(int step)
{
    const char *which = step == 1 ? "every program" : "a sample (one in %d) of every program";

    printf("# Carriers\n\nMade by `docs/carriers.sh BUILD %d`: ", step);
    printf(which, step);
    printf(" of the tests (the laws, op by op; the goldens; the text tests; what the\n"
           "examples compile) through everything that can carry it. A number is how many gave the evaluator's bits. The\n"
           "laws' programs run on operands with NaN, infinities, zeros and subnormals among them; C source is written for\n"
           "vectors of 1, 4, 8 and 16 floats in turn. A difference fails `docs/carriers.sh`, and of a sample the tests\n"
           "`laws.carriers` and `carriers.files`, which also want of each program what is said here.\n\n"
           "| programs of | number");
    for (int k = 0; k < CARRIERS; k++)
        printf(" | %s", carry_name[k]);
    printf(" |\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < n_rows; i++) {
        printf("| %s | %d", row[i].name, row[i].programs);
        for (int k = 0; k < CARRIERS; k++)
            printf(here[k] ? " | %d" : " | -", row[i].same[k]);
        printf(" |\n");
    }
    printf("\n## Refused\n\n%s", n_notes ? "" : "None.\n");
    for (int i = 0; i < n_notes; i++)
        printf("- %s: %s: %s\n", note[i].program, note[i].carrier, note[i].why);
}

/* Does a line say what the carrier refuses of what begins with these words? */
static bool
is_noted(const char *page, const char *words, const char *carrier)
{
    char by[NAME + 8];

    snprintf(by, sizeof by, ": %.80s: ", carrier);
    for (const char *at = strstr(page, "\n- "); at; at = strstr(at + 3, "\n- "))
        if (strncmp(at + 3, words, strlen(words)) == 0 &&
            strstr(at, by) < at + 1 + strcspn(at + 1, "\n") && strstr(at, by))
            return true;
    return false;
}

/* In the row of each program taken every carrier here gives the bits of all but what it refuses, and what was refused
 * just now is said to be. */
static void
check_page(const char *path)
{
    char *page = read_file(path), line[NAME + 8];
    int said[CARRIERS + 1];

    for (int i = 0; page && i < n_rows; i++) {
        snprintf(line, sizeof line, "\n| %.90s |", row[i].name);
        const char *at = strstr(page, line);
        if (!at || sscanf(at + strlen(line), "%d | %d | %d | %d | %d |", &said[CARRIERS], &said[0], &said[1], &said[2],
                          &said[3]) != CARRIERS + 1)
            continue;
        for (int k = 0; k < CARRIERS; k++)
            if (here[k] && said[k] < said[CARRIERS] && !is_noted(page, row[i].name, carry_name[k])) {
                fprintf(stderr, "carriers: %s: %s: the page says that %d of %d have the bits, and not why\n", row[i].name,
                        carry_name[k], said[k], said[CARRIERS]);
                failures++;
            }
    }
    for (int i = 0; page && i < n_notes; i++)
        if (!is_noted(page, note[i].program, note[i].carrier)) {
            fprintf(stderr, "carriers: %s: %s refuses it, and the page does not say so: %s\n", note[i].program,
                    note[i].carrier, note[i].why);
            failures++;
        }
    failures += !page;
    free(page);
}

int
main(int argc, char **argv)
{
    const char *check = NULL;
    bool page = false;
    int at = 1, next = 0;

    for (; at < argc && argv[at][0] == '-'; at++)
        if (strcmp(argv[at], "--page") == 0)
            page = true;
        else if (strcmp(argv[at], "--files") == 0)
            next = laws_count();
        else if (strcmp(argv[at], "--check") == 0 && at + 1 < argc)
            check = argv[++at];
        else
            return 2;
    if (at + 2 > argc)
        return 2;
    next += atoi(argv[at]);
    const int step = atoi(argv[at + 1]), n_files = argc - at - 2;
    here[CARRY_JIT] = here[CARRY_OBJECT] = cg_llvm() != NULL;
    here[CARRY_GCC] = carry_has(compiler[CARRY_GCC]);
    here[CARRY_CLANG] = carry_has(compiler[CARRY_CLANG]);
    while (next < laws_count() + n_files)
        next = run_batch(next, step, n_files, argv + at + 2);
    if (page)
        print_page(step);
    if (check)
        check_page(check);
    fprintf(stderr, "carriers: %d programs, %d failures\n", programs, failures);
    return failures > 0;
}
