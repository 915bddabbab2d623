/* Elements of arrays: generated from a seed, printed, compared. */
#ifndef RUNTIME_VALUES_H
#define RUNTIME_VALUES_H

#include "ir/buf.h"
#include "ir/type.h"

/* The bytes of an array of the type. */
static inline size_t
rt_bytes(const ir_type *t)
{
    return (size_t)t->size * cot_dtype_size(t->dtype);
}

/* The number of real numbers in it: two for each complex one.  Functions of single numbers use
 * these, with type ir_part_type(t->dtype). */
static inline int64_t
rt_parts(const ir_type *t)
{
    return ir_is_complex(t->dtype) ? 2 * t->size : t->size;
}

/* Element i as double (exact up to 53 bits), and back (rounded, saturated). */
double rt_element(cot_dtype t, const void *data, int64_t i);
void rt_set_element(cot_dtype t, void *data, int64_t i, double x);

/* The same of an array of the type: its real number i, 0 or 1 of bool. */
double rt_number(const ir_type *t, const void *data, int64_t i);
/* The first NaN among its real numbers; -1: it has none. */
int64_t rt_find_nan(const ir_type *t, const void *data);

/* Fill with elements from a seed: floats in [-2, 2), integers in [0, 4), bools. */
void rt_random_fill(const ir_type *t, uint64_t seed, void *out);

/* [[1, 2], [3, 4]]: nested lists of the shortest decimals that read back.  Long rows are
 * abbreviated unless whole is set. */
void rt_print_elements(ir_buf *b, const ir_type *t, const void *data, bool whole);

/* The first element at which x and y differ in their bits (all NaNs count as equal); -1:
 * none. */
int64_t rt_first_difference(const ir_type *t, const void *x, const void *y);

#endif
