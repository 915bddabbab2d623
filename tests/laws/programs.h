/* Programs for laws: every op at every element type it takes, with awkward shapes (scalar,
 * empty, one, prime) and attributes, and samples of operands inside the op's domain.
 *
 * A program is numbered; number i is the same in every process, so that a failure is named by
 * it.
 * Whoever compares two ways to compute (transforms, back ends, widths) runs over these
 * numbers. */
#ifndef TESTS_LAWS_PROGRAMS_H
#define TESTS_LAWS_PROGRAMS_H

#include "ir/build.h"

/* Sets of element types. */
typedef enum laws_types {
    LAWS_INTS = 1, LAWS_FLOATS = 2, LAWS_BOOL = 4, LAWS_COMPLEX = 128,
    LAWS_BITS = LAWS_INTS | LAWS_BOOL, LAWS_NUMBERS = LAWS_INTS | LAWS_FLOATS, LAWS_ALL = 7,
    LAWS_INEXACT = LAWS_FLOATS | LAWS_COMPLEX, LAWS_ANY_NUMBER = LAWS_NUMBERS | LAWS_COMPLEX,
    LAWS_ANYTHING = LAWS_ALL | LAWS_COMPLEX
} laws_types;
bool laws_has(int set, cot_dtype t);
/* The text with the type's name for each $, that of a complex number's part for each ~; the
 * complex type that has room for it for each ^, and its part for each &. */
char *laws_substitute(ir_arena *a, const char *text, const char *type);

typedef struct laws_program {
    int number;
    const char *op;             /* the op it is about                                     */
    const char *text;           /* as .cot, in the context's arena                        */
    const ir_graph *f;
    double lo, hi;              /* floating operands are sampled from here                */
    bool kinks; /* not differentiable, or no derivative by design: skip differences */
    bool blocks; /* a product: mapping may change its form, hence its last bits */
} laws_program;

int laws_count(void);
/* The first program of an op at an element type that is not a scalar's, tried whether the op
 * takes the type or not:
 * where it does not, the context has the error, and p->f is NULL.  False: the op has no
 * program. */
bool laws_try(cot_context *ctx, ir_op op, cot_dtype t, laws_program *out);
/* Program i in the context; false (an error is recorded) if it does not parse: a bug of the
 * table. */
bool laws_make(cot_context *ctx, int i, laws_program *out);

/* Programs first, first + step, ... before end, each in a context of its own, which verifies
 * every graph or not; one that does not parse is a failure. */
typedef void laws_judge(const laws_program *p, const void *user);
void laws_each(int first, int step, int end, bool verify, laws_judge *judge, const void *user);
/* "K/N", part K of N, K from 0, as the first program and the step; false where it is none. */
bool laws_part(const char *text, int *first, int *step);
/* Print that the program breaks the law, and count it in laws_failures; false. */
bool laws_fail(const laws_program *p, const char *law, const char *why);
extern int laws_failures;

/* Does the pointwise op take operands of type t?  The type that `convert` and `bitcast` go to
 * is the caller's. */
bool laws_takes(ir_op op, cot_dtype t);

/* Arrays for the n values of f, in one malloc'd list to be given back with laws_free. */
void **laws_values(int n, const ir_ref *v, const ir_graph *f);
void laws_free(int n, void **arrays);
size_t laws_bytes(const ir_type *t);
/* Arrays for the inputs of f, filled by their names. */
typedef void laws_filler(uint64_t *seed, const ir_type *t, const char *name, double lo,
                         double hi, void *array);
void **laws_sample(const ir_graph *f, uint64_t *seed, double lo, double hi, laws_filler *fill);
/* A sample: floats in [lo, hi], integers in a small range, indices somewhat out of bounds. */
laws_filler laws_fill;
/* The same with NaN, infinities, zeros, subnormals and extremes among it. */
laws_filler laws_fill_special;
double laws_uniform(uint64_t *seed);

/* Real numbers of an array: two for each complex one.  Those below that take or give numbers go
 * by these. */
static inline int64_t
laws_parts(const ir_type *t)
{
    return ir_is_complex(t->dtype) ? 2 * t->size : t->size;
}
/* f as the reference evaluator takes it: arrays of complex numbers as pairs. */
cot_status laws_eval(const ir_graph *f, void *const *out, void *const *in);

/* Number i as a double (of the parts, where t is complex); number i from a double. */
double laws_load(cot_dtype t, const void *array, int64_t i);
void laws_store(cot_dtype t, void *array, int64_t i, double x);
/* The first element in which the arrays differ, -1 if none; all NaNs are equal, -0 is not
 * +0. */
int64_t laws_differ(const ir_type *t, const void *x, const void *y);

#endif
