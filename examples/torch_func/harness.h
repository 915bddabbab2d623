/* The programs of this folder: one function, three back ends, one answer.
 *
 * by_back_ends() runs a function on given arrays by the evaluator, by the JIT, and from an
 * object file that is written to a temporary folder, linked with the system's compiler and
 * loaded.  All three must give the same bits, the JIT with vectors of any width and with one
 * thread or two; then the figures are printed once and compared with those that are expected.
 * A program is a main() between harness_begin and harness_end:
 *
 *     harness c = harness_begin("batched_dot");
 *     cot_array *x = ARRAY(&c, cot_f32(2, 2), 1, 2, 3, 4);
 *
 *     by_back_ends(&c, "vmap(dot)(x, x)", cot_vmap(dot), ARRAYS(x, x), EXACT(5, 25));
 *     return harness_end(&c);
 *
 * Only the public headers are used, so the programs are also examples of their use. */
#ifndef HARNESS_H
#define HARNESS_H

#include <math.h>
#include <string.h>

#include "cotrace/cotrace.h"

enum { HARNESS_ARRAYS = 256, HARNESS_RESULTS = 32 };

typedef struct harness {
    cot_context *ctx;
    const char *name;
    int failed;      /* checks that failed so far: the exit status */
    int skip_object; /* a program sets it around what no object file can hold */
    /* A program sets it around what takes the generator's key: by_back_ends() then seeds it
     * with `seed` before each back end, and hands an object the key { seed, 0 }. */
    int draws;
    uint64_t seed;
    int no_compiler; /* there is none: said once */
    double seconds; /* of HARNESS_TIME: to time each function for; 0: not at all */
    /* Inputs, and results of the latest by_back_ends(). */
    cot_array *owned[HARNESS_ARRAYS];
    int n_owned;
    /* Of the latest by_back_ends(), from the JIT. */
    cot_array *result[HARNESS_RESULTS];
    int n_results;
} harness;

/* The figures of all results in order, row-major.  relative: how far a figure may be off, as
 * a part of what is expected; 0 asks for the number itself.  Signs of zeros are not compared,
 * and NAN stands for any NaN. */
typedef struct figures {
    int n;
    double relative;
    const double *at;
} figures;

typedef struct inputs {
    int n;
    cot_array *const *at;
} inputs;

#define HARNESS_DOUBLES_(...) ((const double[]){ 0, __VA_ARGS__ })
#define HARNESS_COUNT_(...)   ((int)(sizeof HARNESS_DOUBLES_(__VA_ARGS__) / sizeof(double)) - 1)
#define NEAR(relative, ...)                                                                    \
    ((figures){ HARNESS_COUNT_(__VA_ARGS__), relative, HARNESS_DOUBLES_(__VA_ARGS__) + 1 })
#define EXACT(...) NEAR(0.0, __VA_ARGS__)
/* No figures: the bits of the back ends are compared with each other only. */
#define ANY ((figures){ -1, 0.0, NULL })

#define HARNESS_ARRAYS_(...) ((cot_array *const[]){ NULL, __VA_ARGS__ })
#define ARRAYS(...)                                                                            \
    ((inputs){ (int)(sizeof HARNESS_ARRAYS_(__VA_ARGS__) / sizeof(cot_array *)) - 1,           \
               HARNESS_ARRAYS_(__VA_ARGS__) + 1 })

/* An array of any element type from numbers; freed by harness_end. */
#define ARRAY(c, type, ...) harness_array(c, type, HARNESS_DOUBLES_(__VA_ARGS__) + 1)
cot_array *harness_array(harness *c, cot_type type, const double *elements);

harness harness_begin(const char *name);
/* The exit status: 0 if every check held.  Frees the context and the arrays. */
int harness_end(harness *c);

/* Run f three ways, compare, print.  c->result then holds the results until the
 * next by_back_ends(). */
void by_back_ends(harness *c, const char *title, cot_fn *f, inputs in, figures want);
/* With HARNESS_TIME=SECONDS in the environment, as bench/torch_func.py runs the programs: the
 * median time of a call through cot_jit, in microseconds.  by_back_ends() does this, too, and
 * makes no object files then. */
void harness_time(harness *c, const char *title, cot_fn *f, inputs in);
/* f on these arrays must fail with this status and a message that contains text; the message is
 * printed.  The record is cleared. */
void refused(harness *c, const char *title, cot_fn *f, inputs in, cot_status status,
             const char *text);
/* Result i of the latest by_back_ends(), for use as an input: kept until harness_end. */
cot_array *harness_keep(harness *c, int i);
/* A check of the program's own: `what` is printed with its outcome. */
void holds(harness *c, const char *what, int yes);
/* Element i of an array as a number. */
double harness_element(const cot_array *a, int64_t i);

#endif
