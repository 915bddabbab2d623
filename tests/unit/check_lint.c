/* cot_lint: known traps are found at their lines, and their guarded forms have none. */
#include <math.h>
#include <stdio.h>

#include "cotrace/cotrace.h"
#include "tests/unit/suite.h"

enum { VALUE, GRAD, GRAD1, SECOND };
enum {
    BAD = COT_LINT_NAN,
    DIGITS = COT_LINT_DIGITS,
    ZERO = COT_LINT_ZERO,
    DIVISION = COT_LINT_DIVISION,
    NARROWED = COT_LINT_NARROWED
};

#define X                           in[0]
#define Y                           in[1]
#define SQUARES(x)                  cot_reduce_sum(cot_square(x))
#define WHERE(p, f, x, safe, other) cot_where(p, f(cot_where(p, x, safe)), other)
#define cot_sin_of_root(x)          cot_sin(cot_sqrt(x))
#define cot_atan_over(x)            cot_div(cot_atan(x), x)
#define cot_sin_over(x)             cot_div(cot_sin(x), x)
#define cot_reciprocal_less_one(x)  cot_sub(cot_div(1, x), 1)

#define TRAP(name, issue, how, kind, op, types, trap, guarded)                                 \
    static void trap_##name(cot_trace *t, const cot_value *in, cot_value *out, void *user)     \
    {                                                                                          \
        (void)t, (void)in, (void)user;                                                         \
        const cot_value y = trap;                                                              \
        out[0] = how == VALUE ? y : cot_reduce_sum(y);                                         \
    }                                                                                          \
    static void guarded_##name(cot_trace *t, const cot_value *in, cot_value *out, void *user)  \
    {                                                                                          \
        (void)t, (void)in, (void)user;                                                         \
        const cot_value y = guarded;                                                           \
        out[0] = how == VALUE ? y : cot_reduce_sum(y);                                         \
    }
#include "tests/unit/lint_traps.def"
#undef TRAP

static const struct trap {
    const char *name, *issue;
    int how, kind, line;
    const char *op;
    cot_body *trap, *guarded;
} traps[] = {
#define TRAP(name, issue, how, kind, op, types, trap, guarded)                                 \
    { #name, issue, how, kind, __LINE__, op, trap_##name, guarded_##name },
#include "tests/unit/lint_traps.def"
#undef TRAP
};
enum { N_TRAPS = sizeof traps / sizeof *traps };

static cot_types
types_of(int row)
{
    int i = 0;
#define UNPACK(...) __VA_ARGS__
#define TRAP(name, issue, how, kind, op, types, trap, guarded)                                 \
    if (row == i++)                                                                            \
        return COT_TYPES(UNPACK types);
#include "tests/unit/lint_traps.def"
#undef TRAP
    return (cot_types){ 0 };
}

static cot_lint_report
lint_of(const struct trap *r, cot_body *body)
{
    const cot_types types = types_of((int)(r - traps));
    cot_fn *f = cot_fn_new(ctx, "f", body, types.n, 1, NULL);
    cot_lint_report report;

    if (r->how == GRAD1)
        f = cot_grad(f, .wrt = COT_LIST(1));
    else if (r->how != VALUE)
        f = cot_grad(f);
    if (r->how == SECOND)
        f = cot_grad(f);
    ck_assert_msg(cot_lint(f, types, NULL, &report) == COT_OK, "%s: %s", r->name,
                  cot_error(ctx));
    return report;
}

static bool
is_kind(int kind, cot_lint_kind found)
{
    return kind == BAD ? found <= COT_LINT_INFINITE : (int)found == kind;
}

/* A row is some lines of the file, up to the next row. */
static bool
is_line_of(const struct trap *r, int line)
{
    return line >= r->line && (r + 1 == traps + N_TRAPS || line < r[1].line);
}

/* Each trap is found, at its line, under the name of its op. */
START_TEST(trapped)
{
    const struct trap *r = &traps[_i];
    const cot_lint_report report = lint_of(r, r->trap);
    bool found = false;

    for (int i = 0; i < report.n; i++) {
        const cot_finding *x = &report.finding[i];
        printf("%s: %s%s%s\n", r->name, x->text, *x->instead ? "\n    instead: " : "",
               x->instead);
        found |= is_kind(r->kind, x->kind) && strcmp(x->op, r->op) == 0 &&
                 is_line_of(r, x->line) && strstr(x->file, "lint_traps.def") != NULL;
    }
    ck_assert_msg(found, "%s (%s): no finding of %s in line %d among %d", r->name, r->issue,
                  r->op, r->line, report.n);
}
END_TEST

/* Its guarded form is not. */
START_TEST(guarded)
{
    const struct trap *r = &traps[_i];
    const cot_lint_report report = lint_of(r, r->guarded);

    ck_assert_msg(report.n == 0, "%s: %s", r->name, report.n ? report.finding[0].text : "");
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(trapped, N_TRAPS),
        EACH(guarded, N_TRAPS),
    };
    return SUITE("lint", cases);
}
