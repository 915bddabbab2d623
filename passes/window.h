/* Windows of arrays, and what is made of them, as graphs of other ops. */
#ifndef PASSES_WINDOW_H
#define PASSES_WINDOW_H

#include "passes/combine.h"

/* Of one axis: how many elements, `dilation` apart, a window has; one every `stride`; the
 * operand's elements
 * `base` apart, with `low` before them and `high` after (which may be negative). */
typedef struct pass_window {
    int64_t size, stride, dilation, base, low, high;
} pass_window;

/* low and high such that the windows along an axis of that size are its size divided by the
 * stride, rounded up. */
void pass_window_same(int64_t size, pass_window *w);
/* The windows along axes 0 ... n-1 of x, padded with the scalar fill; the elements of those
 * that have more than one go along new last axes, in order: their number in *more. */
ir_ref pass_windows(ir_build *b, ir_ref x, int n, const pass_window *w, ir_ref fill, int *more);
/* y[i]: the elements of each window of x[i] (w: of every axis), combined in the order of a
 * reduction, and last with init[i], which is also what it is padded with. */
void pass_reduce_window(ir_build *b, const pass_combiner *c, const pass_window *w,
                        const ir_ref *x, const ir_ref *init, ir_ref *y);
/* The scalar init in the shape of x, and at the element that each window selects, `scatter` of
 * what is there and the window's element of source.  select(a, b) says whether a, the earlier
 * one, is kept: the first that no later one displaces.  Padding is never selected. */
ir_ref pass_select_and_scatter(ir_build *b, const pass_combiner *select,
                               const pass_combiner *scatter, const pass_window *w, ir_ref x,
                               ir_ref source, ir_ref init);

/* x [groups, n, spatial, c], padded, for a convolution to o features.  Where there are many
 * groups of few features, it is padded as [n, spatial, c, groups], since the vectors of a
 * product run along the groups then; where there are few results, or x lies features first
 * and has few, with the last spatial axis last. */
ir_ref pass_pad_operand(ir_build *b, ir_ref x, int64_t o, ir_ref fill, const int64_t *low,
                        const int64_t *high, const int64_t *interior);

/* x [groups, n, spatial, c] with w [groups, window, i, o], padded, spread and dilated as the
 * windows say.  What `base` puts between elements is not multiplied (polyphase.c), unless a
 * stride has many phases. */
ir_ref pass_conv_windows(ir_build *b, ir_ref x, ir_ref w, const pass_window *window);

/* A convolution: which axes of x are [n, spatial, c], of w [window, i, o], and of the result
 * [n, spatial, o] (y[k]: what axis k of the result is); .size of the windows is the
 * kernel's. */
typedef struct pass_conv {
    int spatial;
    int64_t x[COT_MAX_RANK], w[COT_MAX_RANK], y[COT_MAX_RANK];
    pass_window window[COT_MAX_RANK];
    bool reversed[COT_MAX_RANK];        /* windows are read from their end */
    int64_t groups, batch_groups;       /* of features, of examples        */
} pass_conv;
ir_ref pass_convolve(ir_build *b, const pass_conv *s, ir_ref x, ir_ref w);

#endif
