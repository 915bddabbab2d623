/* Cotrace: a search for what goes wrong: arguments at which a function or its derivative is
 * NaN, is infinite, or has lost its digits, although they are ordinary numbers.
 *
 * The function is run by the reference evaluator at points that are likely to show it: zeros,
 * the ends of ranges, numbers that stand in the function, equal arguments, large and small
 * ones.  What is found was seen: each finding has a place, and arguments for which it happens,
 * from which the range around is found by bisection.  What is not found may still exist. */
#ifndef COTRACE_LINT_H
#define COTRACE_LINT_H

#include "cotrace/compile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cot_lint_kind {
    COT_LINT_NAN = 1, /* a result is NaN                                                    */
    COT_LINT_INFINITE, /* a result is infinite                                               */
    /* a result has fewer than 7 of the 24 bits of f32, since an op has lost them, as by
     * cancellation, compared with the same function in f64; f64 functions are run in f32 */
    COT_LINT_DIGITS,
    COT_LINT_ZERO, /* a result of a derivative is zero whatever the arguments are        */
    COT_LINT_DIVISION, /* an integer is divided by zero, and a result depends on it          */
    COT_LINT_LOOP, /* a while has no bound: nothing ends it in an object (flow.h)        */
    COT_LINT_NARROWED /* an f64 becomes a narrower float and f64 again                      */
} cot_lint_kind;

/* The numbers that an argument has: least to most, where `above` and `below` leave out the ends
 * themselves.  Elements of an argument without a range are taken to be in [-1000, 1000], and an
 * infinite end counts as the one there; of integers both are rounded into the type. */
typedef struct cot_lint_range {
    int argument; /* counted from 0 */
    double least, most;
    bool above, below;
} cot_lint_range;

/* Zero is the default of each. */
typedef struct cot_lint_options {
    int n_ranges;
    const cot_lint_range *ranges;
    int points; /* at most so many are tried; 0: as many as cost some seconds, 4,000 at most */
} cot_lint_options;

/* What was found, once for each place.  Texts belong to the context. */
typedef struct cot_finding {
    cot_lint_kind kind;
    const char *file; /* of the line where the op stands that it comes from; NULL: unknown */
    int line;
    const char *op; /* the op of that line; of a derivative, the one whose rule it is */
    const char *derived; /* the transforms that made the op: "in grad, in vmap"; "": none  */
    int result; /* counted from 0; -1: none in particular                         */
    const char *when; /* the arguments for which it happens: "x = 0"; "": all           */
    const char *instead; /* how it may be written; "": there is no general way             */
    const char *text; /* all of it but `instead`, in one line                           */
} cot_finding;

typedef struct cot_lint_report {
    int n;
    const cot_finding *finding; /* in the order of lines; belongs to the context */
    int points; /* how many were tried                           */
} cot_lint_report;

/* Search f, with all its transforms, for argument types.  options may be NULL.  Captured arrays
 * and the random generator have the values of now; nothing is printed, but foreign functions
 * are called.
 *
 * Errors   COT_ERR_ARG  a range names no argument, or is empty; those of cot_trace_fn */
COT_API cot_status cot_lint(cot_fn *f, cot_types types, const cot_lint_options *options,
                            cot_lint_report *report);
/* The same of a graph, whose lines stand for those of the function. */
COT_API cot_status cot_lint_graph(const cot_graph *g, const cot_lint_options *options,
                                  cot_lint_report *report);

/* Compare the derivatives of f at arguments with differences of it, and jvp with vjp.  With
 * custom and foreign functions it judges the rules that were given for them, in their own
 * types; without, in f64.  An op whose derivative is defined where the function has none, as at
 * a kink, differs there.
 *
 * Errors   COT_ERR_RULE  they differ; the message says where and by how much
 *          COT_ERR_ARG   f takes another number of arguments; those of cot_trace_fn and of the
 *                        run */
COT_API cot_status cot_check_derivatives(cot_fn *f, const cot_array *const *args, int n_args);

#ifdef __cplusplus
}
#endif
#endif
