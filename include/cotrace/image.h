/* Cotrace: images, and arrays like them: resizing, sampling at given places, patches.
 *
 * x is [n, c, spatial]: examples, channels, one to three spatial axes.  All functions are
 * compositions of ops in linear time, so that they map and differentiate as these do.  f16 and
 * bf16 are computed in f32 and rounded once.  Names and values are those of PyTorch's
 * torch.nn.functional. */
#ifndef COTRACE_IMAGE_H
#define COTRACE_IMAGE_H

#include "cotrace/window.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a value between elements is made of: the element that is nearest; the two around it
 * along each axis; four of them by the cubic convolution with a = -0.75. */
typedef enum cot_sampling {
    COT_SAMPLE_NEAREST,
    COT_SAMPLE_LINEAR,
    COT_SAMPLE_CUBIC
} cot_sampling;

/* What lies outside: 0; the element at the border; the image reflected at its borders. */
typedef enum cot_outside {
    COT_OUTSIDE_ZERO,
    COT_OUTSIDE_BORDER,
    COT_OUTSIDE_REFLECT
} cot_outside;

typedef struct COT_NAMED_ cot_interpolate_options {
    COT_BEGIN_
    /* the spatial sizes of the result; absent: floor(size .scale) */
    cot_list size;
    /* of each spatial axis; one that is 0 is as the first */
    double scale[3];
    /* 1: the centres of the first and the last elements are kept, else the borders */
    int align_corners;
} cot_interpolate_options;

typedef struct COT_NAMED_ cot_grid_options {
    COT_BEGIN_
    cot_outside outside;
    /* 1: -1 and 1 are the centres of the first and the last elements, else the borders */
    int align_corners;
} cot_grid_options;

COT_API cot_value cot_interpolate_(cot_place at, cot_value x, cot_sampling sampling,
                                   const cot_interpolate_options *o, size_t size);
COT_API cot_value cot_grid_sample_(cot_place at, cot_value x, cot_value grid,
                                   cot_sampling sampling, const cot_grid_options *o,
                                   size_t size);
COT_API cot_value cot_pixel_shuffle_(cot_place at, cot_value x, int64_t r);
COT_API cot_value cot_pixel_unshuffle_(cot_place at, cot_value x, int64_t r);
COT_API cot_value cot_unfold_(cot_place at, cot_value x, cot_list window,
                              const cot_window_options *o, size_t size);
COT_API cot_value cot_fold_(cot_place at, cot_value x, cot_list shape, cot_list window,
                            const cot_window_options *o, size_t size);

#ifndef __cplusplus
/* x resized to .size or by .scale: T[n, c, size].  Element i lies at (i + 1/2) in / out - 1/2
 * of x, at i (in - 1) / (out - 1) with .align_corners, in / out being 1 / .scale where that is
 * given; the nearest one is floor(i in / out), exactly.  Elements beyond a border are the one
 * at it.  The nearest takes any element type, the others floating ones.
 *
 * Errors   COT_ERR_SHAPE  x is not of 3 to 5 axes, or has a spatial size of 0
 *          COT_ERR_ARG    neither .size nor .scale, both, or a size below 1; .align_corners
 *                         with COT_SAMPLE_NEAREST
 * Source   R. Keys, Cubic Convolution Interpolation for Digital Image Processing, 1981. */
#define cot_interpolate(...) COT_INTERPOLATE_(__VA_ARGS__, .end_ = 0)
#define COT_INTERPOLATE_(x, sampling, ...)                                                     \
    cot_interpolate_(COT_HERE, x, sampling, &(const cot_interpolate_options){ __VA_ARGS__ },   \
                     sizeof(cot_interpolate_options))
/* x [n, c, h, w] at the places grid [n, oh, ow, 2]: T[n, c, oh, ow]; or x [n, c, d, h, w] at
 * grid [n, od, oh, ow, 3]; likewise of one spatial axis.  A place is (x, y, z), x along the
 * last axis, from -1 to 1 across the image.  The result is linear in x; its derivative in the
 * grid is that of the interpolation, 0 of COT_SAMPLE_NEAREST and where a place is moved to the
 * border.  Of halves the nearest takes the even one.  A place that is NaN gives NaN, of the
 * nearest an element of the image.
 *
 * Errors   COT_ERR_SHAPE  the grid does not fit x, or x has a spatial size of 0
 *          COT_ERR_ARG    COT_SAMPLE_CUBIC */
#define cot_grid_sample(...) COT_GRID_SAMPLE_(__VA_ARGS__, .end_ = 0)
#define COT_GRID_SAMPLE_(x, grid, sampling, ...)                                               \
    cot_grid_sample_(COT_HERE, x, grid, sampling, &(const cot_grid_options){ __VA_ARGS__ },    \
                     sizeof(cot_grid_options))
/* T[..., c r^2, h, w] to T[..., c, h r, w r]: channel c r^2 + i r + j is pixel (i, j) of each
 * square of r by r. Errors: COT_ERR_SHAPE, r^2 does not divide the channels. */
#define cot_pixel_shuffle(x, r)   cot_pixel_shuffle_(COT_HERE, x, r)
/* The inverse: T[..., c, h r, w r] to T[..., c r^2, h, w]. Errors: COT_ERR_SHAPE, r does not
 * divide both sizes. */
#define cot_pixel_unshuffle(x, r) cot_pixel_unshuffle_(COT_HERE, x, r)
/* The windows of x [n, c, spatial] as columns (im2col): T[n, c times the window's elements,
 * positions].  window has an entry for each spatial axis; .strides, .padding (with zeros; two
 * entries an axis) and .dilation are as of cot_conv, other options are errors.
 *
 * Errors   COT_ERR_SHAPE  window has no entry for each spatial axis, or is larger than the axis
 *          COT_ERR_ARG    a list has another length, or an entry is wrong */
#define cot_unfold(...)             COT_UNFOLD_(__VA_ARGS__, .end_ = 0)
#define COT_UNFOLD_(x, window, ...) cot_unfold_(COT_HERE, x, window, COT_WINDOW_(__VA_ARGS__))
/* The transpose of cot_unfold (col2im): columns, of windows of an image [n, c, shape], added up
 * where they overlap.  x [n, c times the window's elements, positions] gives T[n, c, shape].
 *
 * Errors   COT_ERR_SHAPE  x is not what cot_unfold makes of that shape */
#define cot_fold(...) COT_FOLD_(__VA_ARGS__, .end_ = 0)
#define COT_FOLD_(x, shape, window, ...)                                                       \
    cot_fold_(COT_HERE, x, shape, window, COT_WINDOW_(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif
#endif
