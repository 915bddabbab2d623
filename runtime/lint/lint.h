/* The search for findings, inside.
 *
 *   points.c  the arguments that are tried, and how they are described
 *   watch.c   one run: which op made the NaN or infinity that a result has
 *   digits.c  one run twice, in f32 and in f64: which op lost the digits
 *   search.c  all points; what of a point is needed for a finding, and the range around it
 *   fixed.c   what shows without a run
 *   advice.c  the op of the source that a finding is about, and another form of it
 */
#ifndef RUNTIME_LINT_LINT_H
#define RUNTIME_LINT_LINT_H

#include "cotrace/lint.h"
#include "ir/graph.h"
#include "runtime/values.h"

/* The graph and the numbers that it is tried with. */
typedef struct lint_argument {
    const ir_type *type;
    const char *name;
    double lo, hi;     /* both are numbers of the type that the argument may have */
    const void *bound; /* memory of a captured array or key, which does not vary; NULL: none */
} lint_argument;

/* How an argument is filled. */
typedef enum lint_how {
    LINT_ANY, /* numbers drawn from the middle of its range                             */
    LINT_ALL, /* each element is x                                                      */
    LINT_ONE, /* element 0 is x, the others are as for ANY                              */
    LINT_NEAR, /* x and a number as for ANY, within the range                            */
    LINT_LIKE, /* the elements of argument `of`, which has the same type                 */
    LINT_SPREAD, /* numbers of all magnitudes                                              */
    LINT_WIDE /* numbers drawn from the whole range                                     */
} lint_how;

typedef struct lint_fill {
    lint_how how;
    double x;
    int of;
} lint_fill;

/* The numbers from lo to hi; above, below: without these themselves. */
typedef struct lint_span {
    double lo, hi;
    bool above, below;
} lint_span;

typedef struct lint_point {
    uint32_t seed;
    lint_fill *fill; /* by argument */
} lint_point;

/* Where something begins: the op, its operands there (reals, three at most) and its result. */
typedef struct lint_origin {
    cot_lint_kind kind;
    const ir_graph *f;
    const ir_node *n;
    int n_in;
    double in[3], out;
    double error; /* DIGITS: of the result, relative to the largest element */
    int result; /* of the graph, which shows it */
} lint_origin;

typedef struct lint_found {
    lint_origin at;
    const ir_node *primal; /* of the source; NULL: the op itself */
    cot_finding finding;
} lint_found;

typedef struct lint_search {
    cot_context *ctx;
    ir_arena *arena; /* of the search */
    ir_arena *run; /* of one run    */
    const ir_graph *source; /* before transforms; may be NULL */
    const ir_graph *f; /* what is searched: pure, without complex numbers and open loops */
    /* f in f32 and in f64, if all its floats are of one of these, and the same with all values
     * as results; or NULL */
    const ir_graph *low, *high, *low_all, *high_all;
    int n_args;
    lint_argument *arg;
    uint32_t n_found, cap_found;
    lint_found *found;
    int points;
    bool limited; /* the search ends when it has cost enough */
    uint64_t work; /* elements that runs have computed so far, and the last run of f */
    uint64_t cost;
} lint_search;

/* points.c.  The points to try, the most likely ones first, at most `most`; returns how
 * many. */
int rt_lint_points(lint_search *s, int most, lint_point **out);
/* The arrays of a point, in the arena of runs. */
void **rt_lint_fill_point(lint_search *s, const lint_point *p);
/* Does the argument have the number x? */
bool rt_lint_has(const lint_argument *a, double x);
/* The numbers that are tried for an argument, ascending. */
int rt_lint_candidates(lint_search *s, int arg, const double **out);
/* What of the point is not ANY, as text: "x is 0 and y is 0"; span: the numbers of the only
 * argument that is not. */
const char *rt_lint_describe(lint_search *s, const lint_point *p, int n, const lint_span *span);

/* watch.c.  Run f at a point; the number of origins of what its results show, one for each
 * result at most, and of integers that are divided by zero.  -1: the run has failed, since a
 * loop does not end or a check does not hold there. */
int rt_lint_run(lint_search *s, const lint_point *p, lint_origin **out);

/* digits.c.  The same for digits that are lost. */
cot_status rt_lint_digits_begin(lint_search *s);
int rt_lint_digits(lint_search *s, const lint_point *p, lint_origin **out);

/* search.c.  "file:line", or the function's name where there is none. */
const char *rt_lint_place(lint_search *s, const cot_finding *x);
cot_status rt_lint_search_points(lint_search *s, int most);
/* Keep what was found, unless there is such a finding at that place. */
void rt_lint_keep(lint_search *s, const lint_origin *at, const lint_point *p, const char *when);
bool rt_lint_is_known(const lint_search *s, const lint_origin *at);

/* fixed.c: zero results, loops without a bound, narrowed numbers; g is the graph as it was
 * given. */
cot_status rt_lint_fixed(lint_search *s, const ir_graph *g);

/* advice.c.  Does the op divide by its second operand? */
bool rt_lint_divides(ir_op op);
/* Is the op made by a derivative's rule? */
bool rt_lint_is_derived(const cot_context *ctx, ir_loc loc);
/* Is it made by the derivative of an op that is flat for large operands?  That loses its digits
 * there, which are those of a vanishing number. */
bool rt_lint_saturates(const lint_search *s, const ir_node *n);
const char *rt_lint_derivation(lint_search *s, ir_loc loc);
/* The node of the source that an origin is about, at the point where it shows; NULL: none is
 * known. */
const ir_node *rt_lint_primal(lint_search *s, const lint_origin *at, const lint_point *p);
/* Another form of it; "" if there is none. */
const char *rt_lint_instead(lint_search *s, const lint_origin *at, const ir_node *primal);

/* Search g; source may be NULL. */
cot_status rt_lint(const ir_graph *source, const ir_graph *g, const cot_lint_options *o,
                   cot_lint_report *out);

#endif
