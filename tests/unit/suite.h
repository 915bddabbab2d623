/* What every suite of these tests is made of: a context that each case has anew, and a main
 * that is a table of cases.
 *
 *     const suite_case cases[] = {
 *         EACH(values, 28),               the test `values`, with _i from 0 to 27
 *         ONCE(corners),
 *         { "B117", gradients, 0 },       by another name; 0 is once
 *     };
 *     return SUITE("linalg", cases);
 *
 * CK_RUN_CASE=name runs one case.  Rows of one name that follow each other are one case.  A
 * case has a quarter of an hour: it waits for a busy machine, not for an answer. */
#ifndef TESTS_UNIT_SUITE_H
#define TESTS_UNIT_SUITE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cotrace/base.h"

static cot_context *ctx; /* of the case that runs */

static inline void
suite_begin(void)
{
    ctx = cot_context_new(&(cot_options){ .verify = 1 });
}

static inline void
suite_end(void)
{
    cot_context_free(ctx);
}

typedef struct suite_case {
    const char *name;
    const TTest *test;
    int n; /* how often, with _i from 0; 0: once */
} suite_case;

#define EACH(test, n) { #test, test, n }
#define ONCE(test)    EACH(test, 1)

/* The case of the name: the last one made, if it has that name. */
static inline TCase *
suite_named(Suite *s, const char *name, const char **last, TCase *t, SFun begin, SFun end)
{
    if (*last && strcmp(*last, name) == 0)
        return t;
    *last = name;
    t = tcase_create(name);
    tcase_add_checked_fixture(t, begin, end);
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    return t;
}

static inline int
suite_run(Suite *s)
{
    SRunner *r = srunner_create(s);

    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline int
suite_cases(const char *suite, const suite_case *c, size_t n, SFun begin, SFun end)
{
    Suite *s = suite_create(suite);
    const char *last = NULL;
    TCase *t = NULL;

    for (size_t i = 0; i < n; i++) {
        t = suite_named(s, c[i].name, &last, t, begin, end);
        tcase_add_loop_test(t, c[i].test, 0, c[i].n ? c[i].n : 1);
    }
    return suite_run(s);
}
#define SUITE_WITH(suite, cases, begin, end) \
    suite_cases(suite, cases, sizeof(cases) / sizeof *(cases), begin, end)
#define SUITE(suite, cases) SUITE_WITH(suite, cases, suite_begin, suite_end)

/* A suite of the rows of a table whose first field is the case's name: the test has its row in
 * _i. */
static inline int
suite_rows(const char *suite, const void *table, size_t n, size_t size, const TTest *test,
           SFun begin, SFun end)
{
    Suite *s = suite_create(suite);
    const char *last = NULL;
    TCase *t = NULL;

    for (size_t i = 0; i < n; i++) {
        const char *name = *(const char *const *)((const char *)table + i * size);

        t = suite_named(s, name, &last, t, begin, end);
        tcase_add_loop_test(t, test, (int)i, (int)i + 1);
    }
    return suite_run(s);
}
#define SUITE_ROWS(suite, rows, test, begin, end) \
    suite_rows(suite, rows, sizeof(rows) / sizeof *(rows), sizeof *(rows), test, begin, end)

#endif
