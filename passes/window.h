/* Windows of arrays and operations on them, as graphs of other ops. */
#ifndef PASSES_WINDOW_H
#define PASSES_WINDOW_H

#include "passes/combine.h"

/* Along one axis: a window has `size` elements, `dilation` apart, and there is one every
 * `stride`.  The operand's elements are `base` apart, with `low` padding before and `high`
 * after them (which may be negative). */
typedef struct pass_window {
    int64_t size, stride, dilation, base, low, high;
} pass_window;

/* Set low and high so that the number of windows is the size of the axis divided by the stride,
 * rounded up. */
void pass_window_same(int64_t size, pass_window *w);
/* The windows along axes 0 ... n-1 of x, padded with the scalar fill.  The elements of windows
 * with more than one element along an axis become new last axes, in order; *more is their
 * number. */
ir_ref pass_windows(ir_build *b, ir_ref x, int n, const pass_window *w, ir_ref fill, int *more);
/* y[i]: the elements of each window of x[i] (w: of every axis), combined in the order of a
 * reduction, and finally with init[i], which is also the padding. */
void pass_reduce_window(ir_build *b, const pass_combiner *c, const pass_window *w,
                        const ir_ref *x, const ir_ref *init, ir_ref *y);
/* An array with the shape of x and value init.  At the element that each window selects, it is
 * combined by `scatter` with the window's element of source. select(a, b) tells whether a, the
 * earlier one, is kept: the first element that no later one replaces is selected.  Padding is
 * never selected. */
ir_ref pass_select_and_scatter(ir_build *b, const pass_combiner *select,
                               const pass_combiner *scatter, const pass_window *w, ir_ref x,
                               ir_ref source, ir_ref init);

/* x [groups, n, spatial, c], padded, for a convolution to o features.  The layout of the result
 * depends on the sizes.  With many groups of few features it is [n, spatial, c, groups], since
 * the vectors of the product then run along the groups.  With few results, or if x is stored
 * features first and has few, the last spatial axis is the last one. */
ir_ref pass_pad_operand(ir_build *b, ir_ref x, int64_t o, ir_ref fill, const int64_t *low,
                        const int64_t *high, const int64_t *interior);

/* The convolution of x [groups, n, spatial, c] with w [groups, window, i, o], padded, spread
 * and dilated as the windows say.  Zeros that `base` puts between elements are not multiplied
 * (polyphase.c), unless a stride has many phases. */
ir_ref pass_conv_windows(ir_build *b, ir_ref x, ir_ref w, const pass_window *window);

/* A convolution: the axes of x that are [n, spatial, c], those of w [window, i, o], and those
 * of the result [n, spatial, o] (y[k]: the meaning of axis k of the result). .size of the
 * windows is that of the kernel. */
typedef struct pass_conv {
    int spatial;
    int64_t x[COT_MAX_RANK], w[COT_MAX_RANK], y[COT_MAX_RANK];
    pass_window window[COT_MAX_RANK];
    bool reversed[COT_MAX_RANK];        /* windows are read from their end */
    int64_t groups, batch_groups;       /* of features, of examples        */
} pass_conv;
ir_ref pass_convolve(ir_build *b, const pass_conv *s, ir_ref x, ir_ref w);

#endif
