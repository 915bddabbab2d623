/* Cotrace: in-place writes to traced values, and views.
 *
 * Any value of a trace can be written: a handle whose value was written, or of which a view was
 * made, stands for memory of its own from then on, and each op reads what it holds at that
 * moment.  A view shows elements of its base; a write to either is seen by both, and by every
 * other view of the base.
 * The ops of trace.h (cot_slice, cot_reshape, ...) give new values, never views.
 *
 * A written argument of a cot_fn is in/out: cot_run leaves the new value in the argument's
 * array, and transforms pass it on as a last result, not differentiated, mapped as the argument
 * is.  The bodies of cond, while, scan, map, fori may write to values of the function around
 * them; what they are given as operands are local copies.  Any other function, and a while's
 * test, may not write to what it captures: an error at the line of the write.  Values made
 * inside a function become mapped when something mapped is written to them; for an argument
 * that vmap does not map this is an error.
 *
 * There are no raw strides (torch's as_strided) and no resizing: a view cannot show one element
 * twice and be written, and it cannot reach outside of its base. */
#ifndef COTRACE_MUTATE_H
#define COTRACE_MUTATE_H

#include "cotrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y (a value or a number) to every element of dst: y broadcasts to dst's shape and converts to
 * its element type, which must hold it.  The arithmetic ones write dst + y, and so on.  The
 * answer is dst.
 * Errors: a y that does not broadcast or fit; a dst from outside of the trace, or in which
 * elements repeat. */
COT_API cot_value cot_assign_(cot_place at, cot_value dst, cot_operand y);
COT_API cot_value cot_add_assign_(cot_place at, cot_value dst, cot_operand y);
COT_API cot_value cot_sub_assign_(cot_place at, cot_value dst, cot_operand y);
COT_API cot_value cot_mul_assign_(cot_place at, cot_value dst, cot_operand y);
COT_API cot_value cot_div_assign_(cot_place at, cot_value dst, cot_operand y);
COT_API cot_value cot_max_assign_(cot_place at, cot_value dst, cot_operand y);
COT_API cot_value cot_min_assign_(cot_place at, cot_value dst, cot_operand y);
/* A value of its own with the elements of x. */
COT_API cot_value cot_clone_(cot_place at, cot_value x);

/* Views of x.  Slice, transpose, reverse, reshape, broadcast, dynamic_slice take what
 * cot_slice, cot_transpose, cot_reverse, cot_reshape, cot_broadcast_to and cot_dynamic_slice
 * take; a dynamic slice stays where its starts are when it is made.  At: slice i of an axis,
 * without the axis.  Diagonal: of the last two axes, as a last axis: elements [k, k + offset],
 * or [k - offset, k] for a negative offset. */
COT_API cot_value cot_view_slice_(cot_place at, cot_value x, const cot_move_options *o,
                                  size_t size);
COT_API cot_value cot_view_transpose_(cot_place at, cot_value x, const cot_move_options *o,
                                      size_t size);
COT_API cot_value cot_view_reverse_(cot_place at, cot_value x, const cot_move_options *o,
                                    size_t size);
COT_API cot_value cot_view_dynamic_slice_(cot_place at, cot_value x, cot_values starts,
                                          cot_list sizes);
COT_API cot_value cot_view_reshape_(cot_place at, cot_value x, cot_list shape);
COT_API cot_value cot_view_broadcast_(cot_place at, cot_value x, cot_list shape);
COT_API cot_value cot_view_at_(cot_place at, cot_value x, int64_t i, int axis);
COT_DEPRECATED_("use cot_view_at(x, i, axis)")
COT_API cot_value cot_view_index_(cot_place at, cot_value x, int axis, int64_t i);
COT_API cot_value cot_view_diagonal_(cot_place at, cot_value x, int64_t offset);

#ifndef __cplusplus
/* Write y, a value or a number, to every element of dst, and return dst; the rules for y and
 * the errors are those of the first comment above. */
#define cot_assign(dst, y) cot_assign_(COT_HERE, dst, COT_OPERAND(y))
/* Write dst + y to dst, element by element, and return dst: what += does in C. y and errors are
 * as of cot_assign. */
#define cot_add_assign(dst, y) cot_add_assign_(COT_HERE, dst, COT_OPERAND(y))
/* Write dst - y to dst, element by element, and return dst: what -= does in C. y and errors are
 * as of cot_assign. */
#define cot_sub_assign(dst, y) cot_sub_assign_(COT_HERE, dst, COT_OPERAND(y))
/* Write dst times y to dst, element by element, and return dst: what *= does in C. y and errors
 * are as of cot_assign. */
#define cot_mul_assign(dst, y) cot_mul_assign_(COT_HERE, dst, COT_OPERAND(y))
/* Write dst / y to dst, as cot_div divides (integers toward zero), and return dst. y and errors
 * are as of cot_assign. */
#define cot_div_assign(dst, y) cot_div_assign_(COT_HERE, dst, COT_OPERAND(y))
/* Write the maximum of dst and y, NaN if either is, to dst, element by element, and return dst.
 * y and errors are as of cot_assign. */
#define cot_max_assign(dst, y) cot_max_assign_(COT_HERE, dst, COT_OPERAND(y))
/* Write the minimum of dst and y, NaN if either is, to dst, element by element, and return dst.
 * y and errors are as of cot_assign. */
#define cot_min_assign(dst, y) cot_min_assign_(COT_HERE, dst, COT_OPERAND(y))
/* A value of its own with the elements of x: writes to one are not seen by the other. */
#define cot_clone(x) cot_clone_(COT_HERE, x)
/* A view of the elements that cot_slice reads with the same options and errors: a write to it
 * writes those elements of x. */
#define cot_view_slice(...) COT_VIEW_SLICE_(__VA_ARGS__, .end_ = 0)
#define COT_VIEW_SLICE_(x, ...) cot_view_slice_(COT_HERE, x, COT_MOVE_(__VA_ARGS__))
/* A view of x with its axes in another order, .perm as of cot_transpose (absent: reversed),
 * with the errors of that. */
#define cot_view_transpose(...) COT_VIEW_TRANSPOSE_(__VA_ARGS__, .end_ = 0)
#define COT_VIEW_TRANSPOSE_(x, ...) cot_view_transpose_(COT_HERE, x, COT_MOVE_(__VA_ARGS__))
/* A view of x with the elements in reversed order along .axes (absent: all), with the errors of
 * cot_reverse. */
#define cot_view_reverse(...) COT_VIEW_REVERSE_(__VA_ARGS__, .end_ = 0)
#define COT_VIEW_REVERSE_(x, ...) cot_view_reverse_(COT_HERE, x, COT_MOVE_(__VA_ARGS__))
/* The box of those sizes at the starts, as they are now: cot_view_dynamic_slice(x,
 * COT_VALUES(i, j), 1, 4), as a view. */
#define cot_view_dynamic_slice(x, starts, ...)                                                 \
    cot_view_dynamic_slice_(COT_HERE, x, starts, COT_LIST(__VA_ARGS__))
/* A view of x, or of a view of it, in another shape with as many elements in row-major order:
 * cot_view_reshape(x, 2, -1), with the errors of cot_reshape. */
#define cot_view_reshape(...) COT_VIEW_RESHAPE_(__VA_ARGS__, )
#define COT_VIEW_RESHAPE_(x, ...) cot_view_reshape_(COT_HERE, x, COT_LIST(__VA_ARGS__))
/* A view of x repeated to a shape, with the errors of cot_broadcast_to. Where elements repeat a
 * write to it is COT_ERR_ARG. */
#define cot_view_broadcast(x, ...) cot_view_broadcast_(COT_HERE, x, COT_LIST(__VA_ARGS__))
/* Slice i of an axis, without the axis, as a view; negative i and axis count from the end.
 * Errors: COT_ERR_ARG, there is no such slice. */
#define cot_view_at(x, i, axis)    cot_view_at_(COT_HERE, x, i, axis)
/* Deprecated, gone in the next version: write cot_view_at(x, i, axis), which takes the numbers
 * in another order and is else the same. */
#define cot_view_index(x, axis, i) cot_view_index_(COT_HERE, x, axis, i)
/* The diagonal of the last two axes, as a last axis: elements [k, k + offset], or [k -
 * offset, k] for a negative offset. */
#define cot_view_diagonal(x, offset) cot_view_diagonal_(COT_HERE, x, offset)
#endif

#ifdef __cplusplus
}
#endif

#endif
