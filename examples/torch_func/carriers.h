/* The programs of this folder: one function, three back ends, one answer.
 *
 * carry() runs a function on given arrays by the evaluator, by the JIT, and from an object
 * file that is written to a temporary folder, linked with the system's compiler and loaded. 
 * All three must give the same bits, the JIT with vectors of any width and with one thread or
 * two; then the figures are printed once and compared with those that are expected. A program
 * is a main() between carriers_begin and carriers_end:
 *
 *     back ends c = carriers_begin("batched_dot");
 *     cot_array *x = ARRAY(&c, cot_f32(2, 2), 1, 2, 3, 4);
 *
 *     carry(&c, "vmap(dot)(x, x)", cot_vmap(dot), ARRAYS(x, x), EXACT(5, 25));
 *     return carriers_end(&c);
 *
 * Only the public headers are used, so the programs are also examples of their use. */
#ifndef CARRIERS_H
#define CARRIERS_H

#include <math.h>
#include <string.h>

#include "cotrace/cotrace.h"

enum { CARRIERS_ARRAYS = 256, CARRIERS_RESULTS = 32 };

typedef struct carriers {
    cot_context *ctx;
    const char *name;
    int failed;      /* checks that failed so far: the exit status                          */
    int skip_object; /* set it around what no object file can hold                          */
    int draws;       /* set it around what takes the generator's key: carry() seeds it with */
    uint64_t seed; /* this before each back end, and hands an object the key { seed, 0 }   */
    int no_compiler; /* there is none: said once                                            */
    double seconds;  /* of CARRIERS_TIME: to time each function for; 0: not at all          */
    cot_array *owned[CARRIERS_ARRAYS]; /* inputs, and results of the latest carry()         */
    int n_owned;
    cot_array *result[CARRIERS_RESULTS]; /* of the latest carry(): from the JIT             */
    int n_results;
} carriers;

/* The figures of all results in order, row-major.  relative: how far a figure may be off, as
 * a part of what is expected; 0 asks for the number itself.  Signs of zeros are not compared,
 * and NAN stands for any NaN. */
typedef struct figures {
    int n;
    double relative;
    const double *at;
} figures;

typedef struct carried {
    int n;
    cot_array *const *at;
} carried;

#define CARRIERS_DOUBLES_(...) ((const double[]){ 0, __VA_ARGS__ })
#define CARRIERS_COUNT_(...)                                                                \
    ((int)(sizeof CARRIERS_DOUBLES_(__VA_ARGS__) / sizeof(double)) - 1)
#define NEAR(relative, ...)                                                                    \
    ((figures){ CARRIERS_COUNT_(__VA_ARGS__), relative, CARRIERS_DOUBLES_(__VA_ARGS__) + 1 })
#define EXACT(...) NEAR(0.0, __VA_ARGS__)
/* No figures: the bits of the back ends are compared with each other only. */
#define ANY ((figures){ -1, 0.0, NULL })

#define CARRIERS_ARRAYS_(...) ((cot_array *const[]){ NULL, __VA_ARGS__ })
#define ARRAYS(...)                                                                            \
    ((carried){ (int)(sizeof CARRIERS_ARRAYS_(__VA_ARGS__) / sizeof(cot_array *)) - 1,         \
                CARRIERS_ARRAYS_(__VA_ARGS__) + 1 })

/* An array of any element type from numbers; freed by carriers_end. */
#define ARRAY(c, type, ...) carriers_array(c, type, CARRIERS_DOUBLES_(__VA_ARGS__) + 1)
cot_array *carriers_array(carriers *c, cot_type type, const double *elements);

carriers carriers_begin(const char *name);
/* The exit status: 0 if every check held.  Frees the context and the arrays. */
int carriers_end(carriers *c);

/* Run f three ways, compare, print.  c->result then holds the results until the next carry().
 * */
void carry(carriers *c, const char *title, cot_fn *f, carried in, figures want);
/* With CARRIERS_TIME=SECONDS in the environment, as bench/torch_func.py runs the programs: the
 * median time of a call through cot_jit, in microseconds.  carry() does this too, and makes no
 * object files then. */
void carriers_time(carriers *c, const char *title, cot_fn *f, carried in);
/* f on these arrays must fail with this status and a message that contains text; the message is
 * printed.  The record is cleared. */
void refused(carriers *c, const char *title, cot_fn *f, carried in, cot_status status,
             const char *text);
/* Result i of the latest carry(), for use as an input: kept until carriers_end. */
cot_array *carriers_keep(carriers *c, int i);
/* A check of the program's own: `what` is printed with its outcome. */
void holds(carriers *c, const char *what, int yes);
/* Element i of an array as a number. */
double carriers_element(const cot_array *a, int64_t i);

#endif
