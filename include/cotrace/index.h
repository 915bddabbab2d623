/* Cotrace: indexing as in NumPy, for reading and for functional updates; segments.
 *
 *     y = cot_index(x, COT_AT(0, COT_SPAN(1, COT_NONE, 2), COT_NEWAXIS, i));
 *     z = cot_index_add(x, COT_AT(i, j), 1.0);
 *
 * are x[0, 1::2, None, i] of NumPy and x.at[i, j].add(1) of JAX.  Everything is made of slice,
 * gather and scatter, and so maps and differentiates as they do, in linear time: the derivative
 * of a read is a scatter_add, which is done in place. */
#ifndef COTRACE_INDEX_H
#define COTRACE_INDEX_H

#include "cotrace/sugar.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One entry of an index, as the functions below make it. */
typedef enum cot_at_kind {
    COT_AT_INT, COT_AT_SPAN, COT_AT_NEWAXIS, COT_AT_ELLIPSIS, COT_AT_VALUE, COT_AT_MASK
} cot_at_kind;
typedef struct cot_at {
    cot_at_kind kind;
    cot_value value;            /* integers, or a mask                                  */
    int64_t start, stop, step;  /* a span; start: an integer, or the bound of a mask    */
} cot_at;
#define COT_HELD_ATS 12
typedef struct cot_ats {
    int n;
    const cot_at *at;
    int n_held COT_OR_ZERO_;
    cot_at held[COT_HELD_ATS] COT_OR_ZERO_;
} cot_ats;

typedef enum cot_update_kind {
    COT_UPDATE_SET, COT_UPDATE_ADD, COT_UPDATE_MUL, COT_UPDATE_MIN, COT_UPDATE_MAX
} cot_update_kind;

typedef struct COT_NAMED_ cot_at_options {
    COT_BEGIN_
    /* integers outside: reads are clamped, updates dropped, but with COT_FILL reads give NaN
     * (0, the least integer) and with COT_PROMISE there are none */
    cot_mode mode;
    /* 1: updates are clamped too */
    int clip;
    /* 1 promises that no two updates meet */
    int unique;
} cot_at_options;

/* The entry of an index that is one integer: that element of its axis, which the result does
 * not have. Negative ones count from the end. */
COT_API cot_at cot_at_int(int64_t i);
/* The entry that is start, start + step, ... before stop, as start:stop:step of NumPy; COT_NONE
 * for what is left out. Macro: COT_SPAN. */
COT_API cot_at cot_at_span(int64_t start, int64_t stop, int64_t step);
/* The entry that is a new axis of size 1 in the result and takes no axis of x, as None of
 * NumPy. Macro: COT_NEWAXIS. */
COT_API cot_at cot_at_newaxis(void);
/* The entry that stands for as many whole axes as the other entries leave, as ... of NumPy; at
 * most one. Macro: COT_ELLIPSIS. */
COT_API cot_at cot_at_ellipsis(void);
/* The entry that is a value: integers of any shape, known at run time, or in an update a mask
 * (bool). COT_AT makes it of a cot_value. */
COT_API cot_at cot_at_value(cot_value v);
/* The entry of the first `bound` elements at which a mask (bool) holds, which stands for as
 * many axes as the mask has. Macro: COT_MASK. */
COT_API cot_at cot_at_mask(cot_value mask, int64_t bound);
/* The entry itself: what COT_AT makes of an entry that is one already, such as COT_SPAN(1, 5)
 * or COT_NEWAXIS. */
COT_API cot_at cot_at_same(cot_at a);
/* The index of the n entries at `at`: up to 12 of them are copied into it, of more it has the
 * pointer, and the caller keeps the memory. */
COT_API cot_ats cot_ats_of(int n, const cot_at *at);

/* x at an index: what cot_index and cot_index_get call. */
COT_API cot_value cot_index_at_(cot_place at, cot_value x, cot_ats index,
                                const cot_at_options *o, size_t size);
/* x with the elements at an index replaced or combined: what cot_index_set and its kin call. */
COT_API cot_value cot_index_update_(cot_place at, cot_update_kind kind, cot_value x,
                                    cot_ats index, cot_operand y, const cot_at_options *o,
                                    size_t size);
COT_API cot_value cot_put_along_(cot_place at, cot_update_kind kind, cot_value x,
                                 cot_value index, cot_operand y, int axis);
/* Elements combined by segment: what cot_segment_sum and its kin call. */
COT_API cot_value cot_segment_(cot_place at, cot_update_kind kind, cot_value x, cot_value ids,
                               int64_t n);

#ifndef __cplusplus
/* Elements start, start + step, ... before stop, each counted from the end where negative;
 * COT_NONE leaves one out; the step, which may be left out, may be negative. */
#define COT_SPAN(...) COT_SPAN_(__VA_ARGS__, 1, )
#define COT_SPAN_(start, stop, step, ...) cot_at_span(start, stop, step)
/* Every element; a new axis of size 1; as many whole axes as are missing. */
#define COT_WHOLE cot_at_span(COT_NONE, COT_NONE, 1)
#define COT_NEWAXIS cot_at_newaxis()
#define COT_ELLIPSIS cot_at_ellipsis()
/* The entry of the first `bound` elements, in row-major order, at which mask (bool, of the
 * shape of the axes that it stands for) holds. bound is a number of C, 1 or more. */
#define COT_MASK(mask, bound) cot_at_mask(mask, bound)

/* COT_AT(i, COT_SPAN(1, 5), v): 1 to 12 entries: integers, spans and the like, values (integers
 * of any shape; in an update that needs no bound a bool, the mask itself). */
#define COT_AT_(x)                                                                             \
    _Generic((x),                                                                              \
        cot_at: cot_at_same,                                                                   \
        cot_value: cot_at_value,                                                               \
        _Bool: cot_at_int,                                                                     \
        char: cot_at_int,                                                                      \
        signed char: cot_at_int,                                                               \
        unsigned char: cot_at_int,                                                             \
        short: cot_at_int,                                                                     \
        unsigned short: cot_at_int,                                                            \
        int: cot_at_int,                                                                       \
        unsigned: cot_at_int,                                                                  \
        long: cot_at_int,                                                                      \
        unsigned long: cot_at_int,                                                             \
        long long: cot_at_int,                                                                 \
        unsigned long long: cot_at_int)(x)
#define COT_AT_1_(a, ...) COT_AT_(a)
#define COT_AT_2_(a, ...) COT_AT_(a), COT_AT_1_(__VA_ARGS__, )
#define COT_AT_3_(a, ...) COT_AT_(a), COT_AT_2_(__VA_ARGS__, )
#define COT_AT_4_(a, ...) COT_AT_(a), COT_AT_3_(__VA_ARGS__, )
#define COT_AT_5_(a, ...) COT_AT_(a), COT_AT_4_(__VA_ARGS__, )
#define COT_AT_6_(a, ...) COT_AT_(a), COT_AT_5_(__VA_ARGS__, )
#define COT_AT_7_(a, ...) COT_AT_(a), COT_AT_6_(__VA_ARGS__, )
#define COT_AT_8_(a, ...) COT_AT_(a), COT_AT_7_(__VA_ARGS__, )
#define COT_AT_9_(a, ...) COT_AT_(a), COT_AT_8_(__VA_ARGS__, )
#define COT_AT_10_(a, ...) COT_AT_(a), COT_AT_9_(__VA_ARGS__, )
#define COT_AT_11_(a, ...) COT_AT_(a), COT_AT_10_(__VA_ARGS__, )
#define COT_AT_12_(a, ...) COT_AT_(a), COT_AT_11_(__VA_ARGS__, )
#define COT_AT_PICK_(a, b, c, d, e, f, g, h, i, j, k, l, m, ...) m
#define COT_AT_EACH_(...)                                                                      \
    COT_AT_PICK_(__VA_ARGS__, COT_AT_12_, COT_AT_11_, COT_AT_10_, COT_AT_9_, COT_AT_8_,        \
                 COT_AT_7_, COT_AT_6_, COT_AT_5_, COT_AT_4_, COT_AT_3_, COT_AT_2_,             \
                 COT_AT_1_, )(__VA_ARGS__, )
#define COT_AT_COUNT_(...) COT_AT_PICK_(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, )
/* An index, the list of 1 to 12 entries: integers, COT_SPAN and the like, and values of
 * integers: COT_AT(0, COT_SPAN(1, 5), v). */
#define COT_AT(...) \
    cot_ats_of(COT_AT_COUNT_(__VA_ARGS__), (const cot_at[]){COT_AT_EACH_(__VA_ARGS__)})

/* cot_index(x, COT_AT(...)): x[...] of NumPy; cot_index(x, i, axis): slice i of an axis.
 *
 *   returns  the axes of x in order, less those of integers, with new ones; values broadcast
 *            with each other (and with integers, where a value has a rank) to one shape, whose
 *            axes stand where the first of them stood, or first if a span or a new axis parts
 *            them
 *
 * An integer value of rank 0 counts as an integer.  With COT_MASK(m, bound), which stands for
 * the axes of m, the result has `bound` in their place; elements beyond the count are 0, and
 * dropped by updates.
 * cot_index_get names the options.
 *
 * Errors   COT_ERR_SHAPE  too many entries; a mask that does not fit, or has no bound
 *          COT_ERR_ARG    an integer is outside; a span has step 0
 *          COT_ERR_DTYPE  an entry is a value that is neither integers nor bool
 * Source   NumPy's reference, "Indexing on ndarrays". */
#define COT_INDEX_PICK_(a, b, c, d, ...) d
#define cot_index(...) \
    COT_INDEX_PICK_(__VA_ARGS__, COT_INDEX_AXIS_, COT_INDEX_GET_, , )(__VA_ARGS__)
#define COT_INDEX_AXIS_(x, i, axis) cot_index_(COT_HERE, x, i, axis)
#define COT_INDEX_GET_(x, at) cot_index_get(x, at)
#define COT_ATS_(...) &(const cot_at_options){__VA_ARGS__}, sizeof(cot_at_options)
/* cot_index(x, COT_AT(...)) with options for values of integers that lie outside: they are
 * clamped, with .mode = COT_FILL they read NaN (of integers the least, of bool 0), and
 * COT_PROMISE says that there are none. */
#define cot_index_get(...) COT_INDEX_READ_(__VA_ARGS__, .end_ = 0)
#define COT_INDEX_READ_(x, at, ...) cot_index_at_(COT_HERE, x, at, COT_ATS_(__VA_ARGS__))
#define COT_INDEX_WRITE_(kind, x, at, y, ...) \
    cot_index_update_(COT_HERE, kind, x, at, COT_OPERAND(y), COT_ATS_(__VA_ARGS__))
/* x with the elements at an index replaced by y: x.at[...].set(y) of JAX. y, a value or a
 * number that fits x's type (else COT_ERR_DTYPE), broadcasts to the shape of the read; of
 * several updates of one element the last counts. Updates that a value places outside are
 * dropped, or with .clip = 1 clamped. A mask needs no bound if y broadcasts to x without the
 * axes of the mask. */
#define cot_index_set(...) COT_INDEX_WRITE_(COT_UPDATE_SET, __VA_ARGS__, .end_ = 0)
/* x with y added to the elements at an index; of one element all updates are added. */
#define cot_index_add(...) COT_INDEX_WRITE_(COT_UPDATE_ADD, __VA_ARGS__, .end_ = 0)
/* x with the elements at an index multiplied by y, by all updates where several meet in one
 * element. Operands and options are those of cot_index_set. */
#define cot_index_mul(...) COT_INDEX_WRITE_(COT_UPDATE_MUL, __VA_ARGS__, .end_ = 0)
/* x with each element at an index replaced by its minimum with y; NaN if either is. Operands
 * and options are those of cot_index_set. */
#define cot_index_min(...) COT_INDEX_WRITE_(COT_UPDATE_MIN, __VA_ARGS__, .end_ = 0)
/* x with each element at an index replaced by its maximum with y; NaN if either is. Operands
 * and options are those of cot_index_set. */
#define cot_index_max(...) COT_INDEX_WRITE_(COT_UPDATE_MAX, __VA_ARGS__, .end_ = 0)
/* The first `bound` elements of x where mask (of x's leading axes) holds, zeros after them. */
#define cot_masked_select(x, mask, bound) cot_index(x, COT_AT(COT_MASK(mask, bound)))

/* x with x[i][index[i][j]] = y[i][j] for the last axis, and likewise for others: index has
 * x's rank, y broadcasts to it.  Indices count from the end where negative; those outside are
 * dropped. */
#define cot_put_along(x, index, y, axis) \
    cot_put_along_(COT_HERE, COT_UPDATE_SET, x, index, COT_OPERAND(y), axis)
/* x with y added to the elements that cot_put_along would replace; where several meet in one
 * element all are added. Operands are those of cot_put_along. */
#define cot_add_along(x, index, y, axis) \
    cot_put_along_(COT_HERE, COT_UPDATE_ADD, x, index, COT_OPERAND(y), axis)

/* The sum by segment: element j of the result adds the x[i, ...] with ids[i] = j, in order;
 * ids, sorted or not, are integers of x's leading axes; those outside 0 ... n-1 are dropped.
 *
 *   x        T[d0, ..., dr-1, rest], ids integer[d0, ..., dr-1]
 *   returns  T[n, rest]; an empty segment is 0
 *
 * Errors   COT_ERR_SHAPE  ids are not integers of x's leading axes, or n is below 0
 *          COT_ERR_DTYPE  x is bool (of the maximum and minimum: or complex) */
#define cot_segment_sum(x, ids, n) cot_segment_(COT_HERE, COT_UPDATE_ADD, x, ids, n)
/* The product by segment, T[n, rest]; an empty segment is 1. Operands, order and errors are
 * those of cot_segment_sum. */
#define cot_segment_prod(x, ids, n) cot_segment_(COT_HERE, COT_UPDATE_MUL, x, ids, n)
/* The maximum by segment, T[n, rest], of real numbers, NaN if an element is; an empty segment
 * is the least value of the type, -inf of floats. Equal maxima share the derivative. Operands
 * and errors are those of cot_segment_sum. */
#define cot_segment_max(x, ids, n) cot_segment_(COT_HERE, COT_UPDATE_MAX, x, ids, n)
/* The minimum by segment, T[n, rest], of real numbers, NaN if an element is; an empty segment
 * is the largest value of the type, inf of floats. Equal minima share the derivative. Operands
 * and errors are those of cot_segment_sum. */
#define cot_segment_min(x, ids, n) cot_segment_(COT_HERE, COT_UPDATE_MIN, x, ids, n)
#endif

#ifdef __cplusplus
}
#endif
#endif
