/* Passes run once: what a row wants is made where it is missing and nowhere else, and what it
 * gives is checked.  Counted in the lines of COT_TIME, one for each pass. */
#include <unistd.h>

#include "passes/pass.h"
#include "tests/unit/traced.h"

/* The names of the passes that ran, in order. */
static void
passes_that_ran(const char *text, char *names, size_t bytes)
{
    size_t n = 0;

    names[0] = '\0';
    for (const char *s = strstr(text, "time: "); s; s = strstr(s + 1, "time: ")) {
        char name[64];

        if (sscanf(s, "time: %63s", name) == 1)
            n += (size_t)snprintf(names + n, bytes - n, "%s%s", n ? " " : "", name);
    }
}

typedef struct job {
    const char *text, *pipeline,
        *want; /* want: of the pipeline and what comes before kernels */
} job;

static const job *running;

static void
prepare(void)
{
    cot_context *timed = cot_context_new(&(cot_options){ .time = 1 });
    ir_module m = { 0 };
    ir_graph *f;

    ck_assert_int_eq(ir_parse(timed, "once", running->text, strlen(running->text), &m), COT_OK);
    ck_assert_int_eq(pass_pipeline(m.fn[m.n - 1], running->pipeline, NULL, NULL, &f), COT_OK);
    ck_assert_int_eq(pass_prepare(f, &f), COT_OK);
    cot_context_free(timed);
}

/* What `make` writes to stderr. */
static void
captured(void make(void), char *text, size_t bytes)
{
    FILE *file = tmpfile();
    const int own = dup(fileno(stderr));

    ck_assert_ptr_nonnull(file);
    fflush(stderr);
    dup2(fileno(file), fileno(stderr));
    make();
    fflush(stderr);
    dup2(own, fileno(stderr));
    close(own);
    rewind(file);
    text[fread(text, 1, bytes - 1, file)] = '\0';
    fclose(file);
}

#define SUM                                                                                    \
    "fn @f(%x: f32[3], %y: f32[3]) -> f32[3] {\n  %0 = add %x, %y : f32[3]\n  ret %0\n}\n"
#define WRITES                                                                                 \
    "fn @f(%x: f32[3]) -> f32[] {\n  %0 = clone %x : f32[3]\n  %1 = sin %x : f32[3]\n"         \
    "  %2 = assign %0, %1 : f32[3]\n  %3 = reduce_sum %0 {axes=[0]} : f32[]\n  ret %3\n}\n"
#define FACTORS                                                                                \
    "fn @f(%x: f32[3,3]) -> f32[3,3] {\n  %0 = cholesky %x : f32[3,3]\n  ret %0\n}\n"
#define BEFORE_KERNELS "inline simplify hoist dce contract"

static const job jobs[] = {
    { SUM, "", BEFORE_KERNELS },
    { SUM, "vmap(size=4)", "vmap " BEFORE_KERNELS },
    { WRITES, "", "functionalize " BEFORE_KERNELS },
    { WRITES, "grad | vmap(size=4)", "functionalize grad vmap " BEFORE_KERNELS },
    { WRITES, "functionalize(remove=mutations_and_views) | grad",
      "functionalize grad " BEFORE_KERNELS },
    { FACTORS, "", "expand " BEFORE_KERNELS },
};

START_TEST(each_pass_once)
{
    static char text[1 << 14], names[1 << 12];

    running = &jobs[_i];
    captured(prepare, text, sizeof text);
    passes_that_ran(text, names, sizeof names);
    ck_assert_str_eq(names, jobs[_i].want);
}
END_TEST

static cot_status
as_it_is(const ir_graph *f, const pass_options *o, ir_graph **out)
{
    (void)o;
    *out = (ir_graph *)f;
    return COT_OK;
}

/* A row that gives what its pass does not is a defect, and says so. */
START_TEST(what_a_row_gives_is_checked)
{
    static const pass_row lies = { .name = "lies", .run = as_it_is, .gives = PASS_EXPANDED };
    ir_module m = { 0 };
    ir_graph *f;

    ck_assert_int_eq(ir_parse(ctx, "once", FACTORS, strlen(FACTORS), &m), COT_OK);
    ck_assert_int_eq(pass_run(&lies, m.fn[0], NULL, &f), COT_ERR_INTERNAL);
    ck_assert_str_eq(cot_error(ctx),
                     "lies: internal error: the graph after the pass is not expanded");
}
END_TEST

/* What no pass gives must be there. */
START_TEST(what_a_row_wants_is_checked)
{
    static const pass_row wants = { .name = "wants", .run = as_it_is, .wants = PASS_REAL };
    static const char text[] =
        "fn @f(%x: c64[3]) -> c64[3] {\n  %0 = neg %x : c64[3]\n  ret %0\n}\n";
    ir_module m = { 0 };
    ir_graph *f;

    ck_assert_int_eq(ir_parse(ctx, "once", text, sizeof text - 1, &m), COT_OK);
    ck_assert_int_eq(pass_run(&wants, m.fn[0], NULL, &f), COT_ERR_INTERNAL);
    ck_assert_str_eq(cot_error(ctx),
                     "wants: internal error: the graph before the pass is not real");
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(each_pass_once, sizeof jobs / sizeof *jobs),
        ONCE(what_a_row_gives_is_checked),
        ONCE(what_a_row_wants_is_checked),
    };

    return SUITE("once", cases);
}
