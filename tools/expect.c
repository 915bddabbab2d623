/* Text tests: input and whole expected output in one file.
 *
 *   ; run: PIPELINE                  a section begins; the functions follow, or a module of
 *                                    StableHLO or of kernels, which has stages alone.  The last
 *                                    element may be a stage: verify, dot,
 *                                    simplified, kernels, plan, llvm, asm, eval, run
 *   ; expect:                        everything after it, up to the next section, is the output
 *   ; contains: TEXT                 instead of expect: lines that occur in the output, in
 * this order
 *   ; lacks: TEXT                    and lines that do not
 *   ... ; error: TEXT                the run fails at this line with a message that has TEXT
 * in it;
 *                                    on a line of its own: it fails, wherever
 *
 * Comments and blank lines at the end of a section belong to the next one.  --bless writes what
 * follows `; expect:` anew. */
#include "codegen/kernel/kernel.h"
#include "frontend/stablehlo/import/import.h"
#include "ir/diag.h"
#include "passes/pass.h"
#include "tools/cot.h"

typedef struct section {
    const char *begin, *end; /* from its run line to the next section's comments   */
    const char *expect;      /* where the expected output begins, or NULL          */
    const char *pipeline;
    int line;         /* of the run line, from 1                            */
    const char *code; /* after the run line                                 */
} section;

typedef struct tester {
    cot_cli *c;
    const char *path, *name;
    ir_arena *a;
    int failed, done;
    ir_buf blessed;
} tester;

static const char *
line_end(const char *p, const char *end)
{
    const char *stop = memchr(p, '\n', (size_t)(end - p));

    return stop ? stop + 1 : end;
}

/* Does the line begin with the mark?  Where its argument begins. */
static const char *
marked(const char *line, const char *end, const char *mark)
{
    size_t n = strlen(mark);

    return (size_t)(end - line) >= n && memcmp(line, mark, n) == 0 ? line + n : NULL;
}

/* The argument of a mark, without blanks around it. */
static const char *
argument(ir_arena *a, const char *from, const char *end)
{
    while (from < end && *from == ' ')
        from++;
    while (end > from && (end[-1] == '\n' || end[-1] == ' ' || end[-1] == '\r'))
        end--;
    return ir_format(a, "%.*s", (int)(end - from), from);
}

/* The end of [begin, end) without the comments and blank lines at its end. */
static const char *
trimmed(const char *begin, const char *end)
{
    while (end > begin) {
        const char *line = end - 1;

        while (line > begin && line[-1] != '\n')
            line--;
        if (*line != ';' && *line != '\n' && *line != '\r')
            break;
        end = line;
    }
    return end;
}

static void
report(tester *t, const section *s, const char *what)
{
    fprintf(stderr, "%s:%d: %s\n", t->path, s->line, what);
    t->failed++;
}

/* ---- running ---- */

/* Split "a | b | stage" into the passes and the stage. */
static const char *
split_stage(ir_arena *a, const char *pipeline, const char **stage)
{
    const char *bar = strrchr(pipeline, '|'), *last = bar ? bar + 1 : pipeline;

    while (*last == ' ')
        last++;
    if (!cli_is_stage(last, strcspn(last, "( "))) {
        *stage = NULL;
        return pipeline;
    }
    *stage = last;
    return bar ? ir_format(a, "%.*s", (int)(bar - pipeline), pipeline) : "";
}

/* The section as a text whose line numbers are the file's. */
static const char *
numbered(tester *t, const section *s, size_t *n)
{
    const char *stop = s->expect ? s->expect : s->end;
    ir_buf b;

    ir_buf_init(&b, t->a);
    for (int i = 1; i <= s->line; i++)
        ir_buf_str(&b, "\n");
    /* StableHLO has no such comments */
    for (const char *p = s->code; p < stop; p = line_end(p, stop)) {
        const char *end = line_end(p, stop), *mark = p, *last = end[-1] == '\n' ? end - 1 : end;

        while (mark < end && !marked(mark, end, "; error:"))
            mark++;
        if (*p != ';')
            ir_buf_add(&b, p, (size_t)((mark < end ? mark : last) - p));
        ir_buf_str(&b, "\n");
    }
    *n = b.n;
    return b.text;
}

/* What the section holds: .cot text, or a module of StableHLO. */
static cot_status
read_section(tester *t, const char *text, size_t n, ir_module *roots)
{
    ir_module all;

    if (!fe_hlo_is_mlir(NULL, text, n)) {
        COT_TRY(ir_parse(t->c->ctx, t->name, text, n, &all));
        return cli_roots(t->c->ctx, &all, NULL, roots);
    }
    *roots = (ir_module){ 1, IR_NEW_N(t->a, ir_graph *, 1) };
    return fe_hlo_import(t->c->ctx, &(fe_hlo_source){ t->name, text, 0, n }, NULL, NULL,
                         &roots->fn[0]);
}

/* For all sizes. */
static cot_status
print_open(tester *t, const ir_graph *f, const char *passes, ir_buf *out)
{
    t->c->pipeline = passes;
    const cot_status status = cli_open_print(t->c, f, out);
    t->c->pipeline = NULL;
    return status;
}

static cot_status
run_section(tester *t, const section *s, ir_buf *out)
{
    const char *stage, *passes = split_stage(t->a, s->pipeline, &stage), *text;
    ir_module roots;
    size_t n;

    text = numbered(t, s, &n);
    if (cg_is_module_text(text, n))
        return cli_kernels(t->c->ctx, t->name, text, n, s->pipeline, out);
    COT_TRY(read_section(t, text, n, &roots));
    for (int i = 0; i < roots.n; i++) {
        ir_graph *f;

        if (i)
            ir_buf_str(out, "\n");
        if (roots.fn[i]->sized && !stage) {
            COT_TRY(print_open(t, roots.fn[i], passes, out));
            continue;
        }
        COT_TRY(pass_pipeline(roots.fn[i], passes, NULL, NULL, &f));
        if (stage)
            COT_TRY(cli_stage(f, stage, out));
        else
            ir_print(out, f, 0);
    }
    return COT_OK;
}

/* ---- judging ---- */

/* `; error:` in the section: what is wanted, and on which line (0: any).  NULL if there is
 * none. */
static const char *
wanted_error(tester *t, const section *s, int *at)
{
    int line = s->line;

    for (const char *p = s->begin; p < s->end; p = line_end(p, s->end), line++) {
        const char *end = line_end(p, s->end);

        for (const char *q = p; q + 8 <= end; q++) {
            if (memcmp(q, "; error:", 8) == 0) {
                *at = q == p ? 0 : line;
                return argument(t->a, q + 8, end);
            }
        }
    }
    return NULL;
}

static void
judge_error(tester *t, const section *s, cot_status status, const char *want, int line)
{
    const char *message = cot_error(t->c->ctx);
    const char *place = ir_format(t->a, "%s:%d", t->name, line);

    if (status == COT_OK)
        report(t, s, ir_format(t->a, "no error; wants: %s", want));
    else if (!strstr(message, want) || (line && !strstr(message, place)))
        report(t, s,
               ir_format(t->a, "the error is: %s\nwants, at %s: %s", message,
                         line ? place : "any line", want));
}

/* `; contains:` and `; lacks:`; false if the section has none. */
static bool
judge_lines(tester *t, const section *s, const char *output)
{
    const char *at = output;
    bool any = false;

    for (const char *p = s->begin; p < s->end; p = line_end(p, s->end)) {
        const char *end = line_end(p, s->end), *arg;

        if ((arg = marked(p, end, "; contains:"))) {
            const char *want = argument(t->a, arg, end), *hit = strstr(at, want);

            any = true;
            if (!hit) {
                report(t, s,
                       ir_format(t->a, "the output lacks (after what came before): %s\n%s",
                                 want, output));
                return true;
            }
            at = hit + strlen(want);
        } else if ((arg = marked(p, end, "; lacks:"))) {
            const char *want = argument(t->a, arg, end);

            any = true;
            if (strstr(output, want))
                report(t, s, ir_format(t->a, "the output has: %s\n%s", want, output));
        }
    }
    return any;
}

/* Show the first line that differs, and the whole output. */
static void
judge_output(tester *t, const section *s, const char *got)
{
    const char *want = s->expect ? line_end(s->expect, s->end) : s->end,
               *want_end = trimmed(want, s->end);
    const char *got_end = trimmed(got, got + strlen(got));
    int line = 0;

    if (!s->expect) {
        report(t, s,
               "the section has neither expect, contains nor error; --bless adds the first");
        return;
    }
    if (want_end - want == got_end - got && memcmp(want, got, (size_t)(got_end - got)) == 0)
        return;
    while (want < want_end && got < got_end) {
        const char *w = line_end(want, want_end), *g = line_end(got, got_end);

        if (w - want != g - got || memcmp(want, got, (size_t)(g - got)) != 0)
            break;
        want = w;
        got = g;
        line++;
    }
    report(t, s,
           ir_format(t->a, "the output differs from its line %d on\n  want: %.*s  got:  %.*s",
                     line + 1, (int)(line_end(want, want_end) - want), want,
                     (int)(line_end(got, got_end) - got), got));
}

/* The section with its expected output written anew. */
static void
bless(tester *t, const section *s, const char *output)
{
    const char *keep = s->expect ? s->expect : trimmed(s->begin, s->end);
    const char *rest = s->expect ? trimmed(line_end(s->expect, s->end), s->end) : keep;

    ir_buf_add(&t->blessed, s->begin, (size_t)(keep - s->begin));
    ir_buf_str(&t->blessed, "; expect:\n");
    ir_buf_add(&t->blessed, output,
               (size_t)(trimmed(output, output + strlen(output)) - output));
    ir_buf_add(&t->blessed, rest, (size_t)(s->end - rest));
}

static void
test_section(tester *t, const section *s)
{
    cot_context *ctx = t->c->ctx;
    int line = 0;
    const char *want = wanted_error(t, s, &line), *output;
    cot_status status;
    ir_buf out;

    ir_buf_init(&out, t->a);
    cot_error_clear(ctx);
    status = run_section(t, s, &out);
    output = out.n ? out.text : "";
    if (want)
        judge_error(t, s, status, want, line);
    else if (status != COT_OK)
        report(t, s, cot_error(ctx));
    else if (!judge_lines(t, s, output) && !t->c->bless)
        judge_output(t, s, output);
    if (t->c->bless && !want && status == COT_OK && !judge_lines(t, s, output))
        bless(t, s, output);
    else
        ir_buf_add(&t->blessed, s->begin, (size_t)(s->end - s->begin));
    cot_error_clear(ctx);
    t->done++;
}

/* The section that is open ends before `next`; comments before a run line are the next
 * one's. */
static void
end_section(tester *t, section *s, const char *text, const char *next, bool last)
{
    if (!s->begin) {
        ir_buf_add(&t->blessed, text, (size_t)(next - text));
        return;
    }
    s->end = last ? next : trimmed(s->begin, next);
    test_section(t, s);
    ir_buf_add(&t->blessed, s->end, (size_t)(next - s->end));
}

/* Cut the file into sections and test each. */
static void
test_file(tester *t, const char *text, const char *end)
{
    section s = { 0 };
    int line = 1;

    for (const char *p = text, *stop; p < end; p = stop, line++) {
        const char *arg;

        stop = line_end(p, end);
        arg = marked(p, stop, "; run:");
        if (arg) {
            end_section(t, &s, text, p, false);
            s = (section){
                .begin = p, .pipeline = argument(t->a, arg, stop), .line = line, .code = stop
            };
        } else if (s.begin && !s.expect && marked(p, stop, "; expect:")) {
            s.expect = p;
        }
    }
    end_section(t, &s, text, end, true);
}

int
cli_expect(cot_cli *c, const char *path)
{
    const char *slash = strrchr(path, '/'), *text;
    tester t = { .c = c, .path = path, .name = slash ? slash + 1 : path, .a = &c->ctx->arena };
    size_t n;

    text = cli_read(c, path, &n);
    if (!text)
        return cli_failed(c);
    ir_buf_init(&t.blessed, t.a);
    test_file(&t, text, text + n);
    if (t.done == 0)
        return cli_wrong(c, "%s has no `; run:` line", path);
    if (c->bless && (t.blessed.n != n || memcmp(t.blessed.text, text, n) != 0) &&
        !cli_write(c, path, t.blessed.text, t.blessed.n))
        return cli_failed(c);
    return t.failed ? EXIT_CHECK : EXIT_DONE;
}
