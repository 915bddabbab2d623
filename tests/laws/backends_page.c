/* The table of docs/back-ends.md: every back end of a program, bit for bit against the
 * evaluator (batch.h), over the programs of the laws and programs in files.
 *
 *   law_backends_page --page PAGE [--missing] [--part K/N] [--row ROW ...] [FILE.cot ...]
 *   law_backends_page [--check PAGE] [--files] FIRST STEP [FILE.cot ...]
 *
 * --page makes rows of the table: all, those named, or those that PAGE lacks, the laws' and
 * then the files'.  PAGE is written after each, and keeps its other rows, so that it may be
 * made in pieces and a run be stopped at any time.  --part takes one of N of them, K from 0:
 * N runs side by side, of a part each, share the page.
 * A row with a difference is not in it.
 *
 * Else: programs FIRST, FIRST + STEP, ... of the laws' and then the files'; with --files, of
 * the files' alone.  --check wants of each program taken what the table says of it.  A row that
 * the table does not have yet is no failure.
 *
 * A difference fails.  A file's program is taken through the pipeline that a comment "; run:"
 * in it names, if that makes a program; what is no program by itself (it wants a large
 * constant, or is there to be refused) is left out.  A compiler that is not here is left out,
 * and so is LLVM.  gcc and clang must compile without a warning. */
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "cotrace/cotrace.h"
#include "tests/laws/batch.h"
#include "tests/laws/programs.h"

enum { MAX_ROWS = 1024, MAX_NOTES = 256, NAME = 96 };

/* At a level at which gcc warns of what it finds by following values, too. */
static const char *const compiler[N_BACKENDS] = {
    [BY_GCC] = "gcc -O2", [BY_CLANG] = "clang -O2", [BY_TCC] = "tcc"
};
static const char warnings[] = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror";
static bool here[N_BACKENDS];

static struct row {
    char name[NAME];
    bool wanted, done, whole; /* to be made by this run; it was; made, without a difference */
    int programs, same[N_BACKENDS];
} row[MAX_ROWS];

/* What a back end refuses. */
static struct note {
    char program[NAME], backend[NAME], why[200];
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

/* f through the pipeline of the text's first comment "; run:"; f itself where there is none or
 * it is none of a function's. */
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
    if (cot_trace_fn(cot_pipeline(cot_fn_of_graph(f), run),
                     (cot_types){ .n = f->n_in, .at = type }, &g) == COT_OK)
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
    return end ? ir_format(a, "%.*s", (int)(end - at) - (*at == '/'), at + (*at == '/'))
               : "files";
}

static bool
from_file(cot_context *ctx, const char *path, int number, batch_program *p)
{
    static const int lanes[] = { 1, 4, 8, 16 };
    char *text = read_file(path);
    const char *slash = strrchr(path, '/');
    ir_module m;

    *p = (batch_program){
        .lo = -3, .hi = 3, .seed = 9000 + (uint64_t)number, .lanes = lanes[number % 4]
    };
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
from_laws(cot_context *ctx, int number, batch_program *p)
{
    static const int lanes[] = { 1, 4, 8, 16 };
    laws_program law;

    if (!laws_make(ctx, number, &law)) {
        failures++;
        return false;
    }
    *p = (batch_program){ .row = law.op,
                          .text = law.text,
                          .f = law.f,
                          .lo = law.lo,
                          .hi = law.hi,
                          .special = true,
                          .seed = 4000 + (uint64_t)number,
                          .lanes = lanes[number % 4] };
    p->name = ir_format(&ctx->arena, "%s (program %d of the laws)", law.op, number);
    return true;
}

/* -- batches -- */

static void
record(const batch_program *p)
{
    struct row *r = row_of(p->row);

    r->programs++;
    programs++;
    for (int k = 0; k < N_BACKENDS; k++) {
        r->same[k] += p->answer[k] == BATCH_SAME;
        if (p->answer[k] != BATCH_REFUSED || !here[k] || n_notes == MAX_NOTES)
            continue;
        snprintf(note[n_notes].program, NAME, "%s", p->name);
        snprintf(note[n_notes].backend, NAME, "%s", batch_backend_names[k]);
        snprintf(note[n_notes++].why, sizeof note->why, "%s", p->why[k]);
    }
}

static void
run_backends(batch *b)
{
    const char *files;

    if (here[BY_JIT]) {
        batch_jit(b);
        batch_object(b);
    }
    files = batch_write_c(b);
    for (int k = BY_GCC; k <= BY_CLANG && *files; k++)
        if (here[k])
            batch_c(b, (batch_backend)k,
                    ir_format(&b->ctx->arena,
                              "%s -march=native -std=c11 %s -shared -fPIC -o x%d.so%s",
                              compiler[k], warnings, k, files),
                    ir_format(&b->ctx->arena, "x%d.so", k));
    if (!here[BY_TCC])
        return;
    files = batch_write_plain(b);
    if (*files)
        batch_c(b, BY_TCC,
                ir_format(&b->ctx->arena, "%s -shared -o xt.so%s", compiler[BY_TCC], files),
                "xt.so");
}

/* The programs of these numbers, MAX_BATCH of them at most. */
static void
run_batch(int n, const int *number, char **file)
{
    batch *b = calloc(1, sizeof *b);
    cot_context *ctx = cot_context_new(NULL);
    const int laws = laws_count();

    batch_begin(b, ctx);
    IR_TRY (ctx) {
        for (int k = 0; k < n; k++) {
            const int i = number[k];
            batch_program p;
            if (i < laws ? from_laws(ctx, i, &p) : from_file(ctx, file[i - laws], i, &p))
                batch_add(b, &p);
        }
        run_backends(b);
    }
    for (int k = 0; k < b->n; k++)
        record(&b->p[k]);
    failures += b->failures;
    batch_end(b);
    cot_context_free(ctx);
    free(b);
}

/* Those of the numbers from first to end, step by step, that are of row r; of any row if r is
 * NULL. */
static void
run_programs(int first, int step, int end, const struct row *r, struct row *const *row_at,
             char **file)
{
    int number[MAX_BATCH], n = 0;

    for (int i = first; i < end; i += step) {
        if (!r || row_at[i] == r)
            number[n++] = i;
        if (n == MAX_BATCH) {
            run_batch(n, number, file);
            n = 0;
        }
    }
    if (n)
        run_batch(n, number, file);
}

/* -- the page -- */

static const char *const about =
    "# Back ends\n\n"
    "Made by `docs/back-ends.sh`: every program of the tests (the laws, op by op; the goldens; "
    "the text tests; what the\n"
    "examples compile) through every back end that can run it. A number is how many gave the "
    "evaluator's bits. The laws'\n"
    "programs run on operands with NaN, infinities, zeros and subnormals among them; C source "
    "is written for vectors of\n"
    "1, 4, 8 and 16 floats in turn and compiled with `-O2 -Wall -Wextra -Wpedantic "
    "-Wconversion -Wshadow -Werror`; tcc takes\n"
    "that for one float, plain C11. A difference fails `docs/back-ends.sh`, and of a sample "
    "the "
    "tests `laws.backends.page` and\n"
    "`laws.backends.files`, which also want of each program what is said here.\n\n";
static const char *const empty = "\nNo program by itself in:", *const unmade =
                                                                   "\nNot made yet:";

/* A line of names, if there are any: of the rows that are not made, or are without a
 * program. */
static void
print_names(FILE *out, const char *words, bool whole)
{
    int n = 0;

    for (int i = 0; i < n_rows; i++)
        if (row[i].whole == whole && (!whole || row[i].programs == 0))
            fprintf(out, "%s `%s`", n++ ? "," : words, row[i].name);
    fputs(n ? ".\n" : "", out);
}

static void
print_page(FILE *out)
{
    fprintf(out, "%s| programs of | number", about);
    for (int k = 0; k < N_BACKENDS; k++)
        fprintf(out, " | %s", batch_backend_names[k]);
    fputs(" |\n|---|---|", out);
    for (int k = 0; k < N_BACKENDS; k++)
        fputs("---|", out);
    fputs("\n", out);
    int all = 0;
    for (int i = 0; i < n_rows; i++) {
        if (row[i].programs == 0)
            continue;
        all += row[i].programs;
        fprintf(out, "| %s | %d", row[i].name, row[i].programs);
        for (int k = 0; k < N_BACKENDS; k++)
            fprintf(out, row[i].same[k] < 0 ? " | -" : " | %d", row[i].same[k]);
        fputs(" |\n", out);
    }
    fprintf(out, "\nIn all %d programs.\n", all);
    print_names(out, empty, true);
    print_names(out, unmade, false);
    fprintf(out, "\n## Refused\n\n%s", n_notes ? "" : "None.\n");
    for (int i = 0; i < n_notes; i++)
        fprintf(out, "- %s: %s: %s\n", note[i].program, note[i].backend, note[i].why);
}

/* The row's line and the names below the table. */
static bool
read_row(const char *page, struct row *r)
{
    char line[NAME + 8];
    const char *at;

    snprintf(line, sizeof line, "\n| %s |", r->name);
    if ((at = strstr(page, line)) != NULL) {
        at += strlen(line);
        r->programs = atoi(at);
        for (int k = 0; k < N_BACKENDS; k++) {
            at += strcspn(at, "|\n");
            if (strncmp(at, "| ", 2) != 0) {
                r->programs = 0; /* a page of fewer back ends */
                return false;
            }
            at += 2;
            r->same[k] = *at == '-' ? -1 : atoi(at);
        }
        return true;
    }
    snprintf(line, sizeof line, "`%s`", r->name);
    return (at = strstr(page, empty)) != NULL && strstr(at, line) &&
           strstr(at, line) < at + 1 + strcspn(at + 1, "\n");
}

/* Does a program that is named so belong to the row? */
static bool
is_of(const char *program, const struct row *r)
{
    const size_t n = strlen(r->name);

    return strncmp(program, r->name, n) == 0 && (program[n] == '/' || program[n] == ' ');
}

/* Is the note of a row that this run has made? */
static bool
is_ours(const struct note *n)
{
    for (int i = 0; i < n_rows; i++)
        if (row[i].done && is_of(n->program, &row[i]))
            return true;
    return false;
}

/* Rows and notes of all that this run has not made are what the page says of them. */
static void
read_others(const char *page)
{
    int kept = 0;

    for (int i = 0; i < n_rows; i++)
        if (!row[i].done)
            row[i].whole = page && read_row(page, &row[i]);
    for (int i = 0; i < n_notes; i++)
        if (is_ours(&note[i]))
            note[kept++] = note[i];
    n_notes = kept;
    for (const char *at = page ? strstr(page, "\n- ") : NULL; at && n_notes < MAX_NOTES;
         at = strstr(at + 3, "\n- ")) {
        struct note *n = &note[n_notes];
        n_notes += sscanf(at + 3, "%95[^:]: %95[^:]: %199[^\n]", n->program, n->backend,
                          n->why) == 3 &&
                   !is_ours(n);
    }
}

/* Whole or not at all, should the run end here; one run at a time. */
static void
write_page(const char *path)
{
    char folder[512], other[512];
    snprintf(other, sizeof other, "%s.new", path);
    snprintf(folder, sizeof folder, "%s", path);
    const int lock = open(dirname(folder), O_RDONLY | O_DIRECTORY);
    FILE *out;

    if (lock < 0 || flock(lock, LOCK_EX) != 0)
        fprintf(stderr, "law_backends_page: %s is not locked\n", path);
    char *page = read_file(path);
    read_others(page);
    free(page);
    out = fopen(other, "w");
    if (out)
        print_page(out);
    if (!out || fclose(out) != 0 || rename(other, path) != 0) {
        fprintf(stderr, "law_backends_page: %s cannot be written\n", path);
        exit(2);
    }
    close(lock);
}

static void
make_row(struct row *r, int end, struct row *const *row_at, char **file)
{
    const time_t start = time(NULL);
    const int failed = failures;

    r->programs = 0;
    for (int k = 0; k < N_BACKENDS; k++)
        r->same[k] = here[k] ? 0 : -1;
    read_others(NULL);
    run_programs(0, 1, end, r, row_at, file);
    r->done = true;
    r->whole = failures == failed;
    if (!r->whole)
        r->programs = 0;
    fprintf(stderr, "law_backends_page: %s: %d programs, %d s\n", r->name, r->programs,
            (int)(time(NULL) - start));
}

/* The row of each number, in the order of the page. */
static struct row **
find_rows(int n_files, char **file)
{
    const int laws = laws_count();
    struct row **at = calloc((size_t)(laws + n_files + 1), sizeof *at);

    for (int i = 0; at && i < laws + n_files; i++) {
        cot_context *ctx = cot_context_new(NULL);
        laws_program law = { .op = "laws" };
        IR_TRY (ctx)
            at[i] = row_of(i >= laws                 ? last_folders(&ctx->arena, file[i - laws])
                           : laws_make(ctx, i, &law) ? law.op
                                                     : "laws");
        cot_context_free(ctx);
    }
    return at;
}

/* Rows made and merged: those of `want`, those that the page lacks, or, where neither is asked
 * for, all; of these each whose place is `part`, modulo `parts`. */
static void
make_page(const char *path, int n_want, const char *const *want, bool missing, int part,
          int parts, int n_files, char **file)
{
    struct row **row_at = find_rows(n_files, file);
    const int known = n_rows;
    char *page = read_file(path);

    for (int i = 0; i < n_rows; i++) {
        row[i].whole = page && read_row(page, &row[i]);
        row[i].wanted = missing ? !row[i].whole : n_want == 0;
    }
    for (int i = 0; i < n_want; i++)
        row_of(want[i])->wanted = true;
    if (n_rows > known) {
        fprintf(stderr, "law_backends_page: %s is no row\n", row[known].name);
        exit(2);
    }
    for (int i = 0; i < n_rows; i++)
        if (row[i].wanted && i % parts == part) {
            make_row(&row[i], laws_count() + n_files, row_at, file);
            write_page(path);
        }
    free(page);
    free(row_at);
}

/* -- the page believed -- */

/* Does a line say what the back end refuses of what begins with these words? */
static bool
is_noted(const char *page, const char *words, const char *backend)
{
    char by[NAME + 8];

    snprintf(by, sizeof by, ": %.80s: ", backend);
    for (const char *at = strstr(page, "\n- "); at; at = strstr(at + 3, "\n- "))
        if (strncmp(at + 3, words, strlen(words)) == 0 &&
            strstr(at, by) < at + 1 + strcspn(at + 1, "\n") && strstr(at, by))
            return true;
    return false;
}

/* In the row of each program taken every back end here gives the bits of all but what it
 * refuses, and what was refused just now is said to be. */
static void
check_page(const char *path)
{
    char *page = read_file(path);

    for (int i = 0; page && i < n_rows; i++) {
        struct row said = row[i];
        if (!read_row(page, &said))
            continue;
        for (int k = 0; k < N_BACKENDS; k++)
            if (here[k] && said.same[k] < said.programs &&
                !is_noted(page, row[i].name, batch_backend_names[k])) {
                fprintf(stderr,
                        "law_backends_page: %s: %s: the page says that %d of %d have the bits, "
                        "and not "
                        "why\n",
                        row[i].name, batch_backend_names[k], said.same[k], said.programs);
                failures++;
            }
    }
    for (int i = 0; page && i < n_notes; i++)
        if (!is_noted(page, note[i].program, note[i].backend)) {
            fprintf(stderr,
                    "law_backends_page: %s: %s refuses it, and the page does not say so: %s\n",
                    note[i].program, note[i].backend, note[i].why);
            failures++;
        }
    failures += !page;
    free(page);
}

int
main(int argc, char **argv)
{
    const char *check = NULL, *page = NULL, *want[MAX_ROWS];
    bool missing = false;
    int at = 1, first = 0, n_want = 0, part = 0, parts = 1;

    for (; at < argc && argv[at][0] == '-'; at++)
        if (strcmp(argv[at], "--missing") == 0)
            missing = true;
        else if (strcmp(argv[at], "--files") == 0)
            first = laws_count();
        else if (at + 1 == argc)
            return 2;
        else if (strcmp(argv[at], "--page") == 0)
            page = argv[++at];
        else if (strcmp(argv[at], "--check") == 0)
            check = argv[++at];
        else if (strcmp(argv[at], "--part") == 0) {
            if (sscanf(argv[++at], "%d/%d", &part, &parts) != 2 || part < 0 || part >= parts)
                return 2;
        } else if (strcmp(argv[at], "--row") == 0 && n_want < MAX_ROWS)
            want[n_want++] = argv[++at];
        else
            return 2;
    if (!page && at + 2 > argc)
        return 2;
    here[BY_JIT] = here[BY_OBJECT] = cg_llvm() != NULL;
    here[BY_GCC] = batch_has(compiler[BY_GCC]);
    here[BY_CLANG] = batch_has(compiler[BY_CLANG]);
    here[BY_TCC] = batch_has(compiler[BY_TCC]);
    if (page)
        make_page(page, n_want, want, missing, part, parts, argc - at, argv + at);
    else
        run_programs(first + atoi(argv[at]), atoi(argv[at + 1]), laws_count() + argc - at - 2,
                     NULL, NULL, argv + at + 2);
    if (check)
        check_page(check);
    fprintf(stderr, "law_backends_page: %d programs, %d failures\n", programs, failures);
    return failures > 0;
}
