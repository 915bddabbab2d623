/* Cotrace: reductions, windows and sorts by a traced body.
 *
 * Each is made of other ops, so that every transform and back end takes it.  A body works on
 * one element of each list, as scalars, and may use values of the trace around it. */
#ifndef COTRACE_COMBINE_H
#define COTRACE_COMBINE_H

#include "cotrace/index.h"
#include "cotrace/window.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct COT_NAMED_ cot_combine_options {
    COT_BEGIN_
    /* lists of elements, all of one shape */
    cot_values xs;
    /* scalars of their types (sort_by: none) */
    cot_values inits;
    /* reduce: which; absent: all */
    cot_list axes;
    /* sort_by */
    int axis;
    /* the results; NULL: only the first, returned */
    cot_value *out;
    /* handed to the body */
    void *user;
    /* reduce_window: sizes, one for each axis */
    cot_list window;
    /* as in cotrace/window.h */
    cot_list strides, padding, dilation, base_dilation;
    int same;
    /* scatter_by: one for each list */
    cot_values updates;
    /* scatter_by: where, as for cot_index */
    cot_ats index;
    /* scatter_by: 1: indices outside are clamped, not dropped */
    int clip;
} cot_combine_options;

#define COT_COMBINE_(...) &(const cot_combine_options){__VA_ARGS__}, sizeof(cot_combine_options)
COT_API cot_value cot_reduce_(cot_place at, cot_body *combine, const cot_combine_options *o,
                              size_t size);
COT_API cot_value cot_reduce_window_(cot_place at, cot_body *combine,
                                     const cot_combine_options *o, size_t size);
COT_API cot_value cot_sort_by_(cot_place at, cot_body *before, const cot_combine_options *o,
                               size_t size);
COT_API cot_value cot_scatter_by_(cot_place at, cot_body *combine, const cot_combine_options *o,
                                  size_t size);
COT_API cot_value cot_select_and_scatter_(cot_place at, cot_body *select, cot_body *scatter,
                                          cot_value x, cot_value source, cot_value init,
                                          const cot_combine_options *o, size_t size);

#ifndef __cplusplus
/* Lists combined along axes.
 *
 *   combine  (a0, ..., am, b0, ..., bm) -> (c0, ..., cm), scalars; types of c are those of a
 *   .xs      m + 1 values Ti[shape]
 *   .inits   m + 1 scalars Ti[], combined last; the result over an empty axis
 *   returns  the first result; all go to .out, of the shape without the axes
 *
 * combine should be associative; elements keep their order.  The brackets are a binary tree
 * aligned at powers of two: (((e0 e1) (e2 e3)) e4).  A body of one op (add, mul, max, min, and,
 * or) is that reduction, in its order.
 *
 * Errors   COT_ERR_SHAPE  shapes differ, or the body gives other types; COT_ERR_ARG  counts
 *                         differ, an axis is wrong */
#define cot_reduce(...) COT_REDUCE_BY_(__VA_ARGS__, .end_ = 0)
#define COT_REDUCE_BY_(combine, ...) cot_reduce_(COT_HERE, combine, COT_COMBINE_(__VA_ARGS__))
/* The same for each window of the lists: .window has a size for every axis; .strides, .padding,
 * .dilation and .base_dilation have entries for every axis too.  Padding is made of the
 * inits. */
#define cot_reduce_window(...) COT_REDUCE_WINDOW_(__VA_ARGS__, .end_ = 0)
#define COT_REDUCE_WINDOW_(combine, ...)                                                       \
    cot_reduce_window_(COT_HERE, combine, COT_COMBINE_(__VA_ARGS__))
/* Lists sorted along .axis by a body: (a0, ..., am, b0, ..., bm) -> bool, whether a comes
 * before b.
 *
 *   .xs      m + 1 values Ti[shape]
 *   returns  the first list, sorted; all go to .out
 *
 * Stable.  A body that compares keys (lt or gt of the same function of a and of b, or several
 * such in turn: or(lt, and(eq, next))) sorts by radix as cot_sort does; any other is asked n
 * log2(n)^2 / 2 times.  It must be a strict weak order: else the result is some arrangement. */
#define cot_sort_by(...) COT_SORT_BY_(__VA_ARGS__, .end_ = 0)
#define COT_SORT_BY_(before, ...) cot_sort_by_(COT_HERE, before, COT_COMBINE_(__VA_ARGS__))
/* Lists with elements at an index combined with updates, one after the other: x.at[index] of
 * JAX, by any body.
 *
 *   combine  (a0, ..., am, b0, ..., bm) -> (c0, ..., cm), scalars: what is there and its
 *            update, to what will be; types of c are those of a
 *   .xs      m + 1 values Ti[shape]
 *   .index   COT_AT(...), as for cot_index: integers that are outside are dropped, or with
 *            .clip = 1 clamped
 *   .updates m + 1 values that convert to Ti and broadcast to the shape of cot_index(x, .index)
 *   returns  the first result; all go to .out, of the types of .xs
 *
 * An element that several updates meet takes them in their row-major order, the first first.  A
 * body of one op (add, mul, max, min; or, and of bool), or that gives its second argument, is
 * that scatter; of any other the updates are the trips of a scan, which is linear in time and
 * works in place.
 *
 * Errors   COT_ERR_SHAPE  shapes differ, or the body gives other types; those of cot_index;
 * COT_ERR_ARG  counts differ */
#define cot_scatter_by(...) COT_SCATTER_BY_(__VA_ARGS__, .end_ = 0)
#define COT_SCATTER_BY_(combine, ...)                                                          \
    cot_scatter_by_(COT_HERE, combine, COT_COMBINE_(__VA_ARGS__))
/* The scalar init in the shape of x; at the element that each window of x selects, `scatter` of
 * what is there and the window's element of source.
 *
 *   select   (a, b) -> bool, whether a, the earlier of two elements, is kept: with a >= b the
 *            first of the largest
 *   scatter  (a, b) -> c: what is there and the update, as for cot_scatter_by (NULL: add)
 *   source   of the shape of the windows
 *
 * With init 0 and add it is the gradient of max pooling in which the first of equal elements
 * has it all.  Padding is never selected. */
#define cot_select_and_scatter(...) COT_SELECT_AND_SCATTER_(__VA_ARGS__, .end_ = 0)
#define COT_SELECT_AND_SCATTER_(select, scatter, x, source, init, ...)                         \
    cot_select_and_scatter_(COT_HERE, select, scatter, x, source, init,                        \
                            COT_COMBINE_(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif
#endif
