/* Programs of every size that matters: the classes of ops that have a lowering, each with its
 * axes free, at the sizes of tests/sizes.h and at every element type that it takes.
 *
 * Like the programs of the laws they are numbered; number i is the same in every process.
 * Products and convolutions have a sweep of their own. */
#ifndef TESTS_LAWS_CLASSES_H
#define TESTS_LAWS_CLASSES_H

#include "tests/laws/programs.h"

typedef struct class_program {
    laws_program law;           /* its number is that of classes_make                    */
    int row, size;              /* which class; which of its sizes                     */
    cot_dtype type;
    int64_t n, m;               /* the sizes of its free axes; m is 1 where it has one */
} class_program;

int classes_count(void);
/* The op whose class program i is of, and all of *out but the law. */
const char *classes_find(int i, class_program *out);
/* False (an error is recorded) if it does not parse: a bug of the table. */
bool classes_make(cot_context *ctx, int i, class_program *out);
/* Program k of a sample: the classes in turn, sizes and types drawn. */
int classes_sample(uint64_t seed, int k);
/* Row r of the table, of so many, at a type and sizes that need not be the table's; false: the
 * row does not take the type, is not of two sizes, or is not of these. */
int classes_rows(void);
bool classes_axes_are_two(int r);
bool classes_at(cot_context *ctx, int r, cot_dtype t, int64_t n, int64_t m, class_program *out);
/* Operands: indices a little out of bounds now and then, numbers special in one of four
 * programs. */
void **classes_operands(const class_program *p);

#endif
