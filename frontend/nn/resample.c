/* Resampling of images: interpolate, grid_sample.
 *
 * interpolate goes axis by axis: the positions of the result along one axis are known, so that
 * each of its slices is a weighted sum of one, two or four slices of x.  grid_sample has a
 * position for each pixel: the 2^d elements around it are read by a gather with the channels
 * last, and elements outside of the image count as 0.  Source of both: PyTorch's documentation
 * of torch.nn.functional.interpolate and grid_sample. */
#include <math.h>

#include "cotrace/image.h"

#include "frontend/nn/nn.h"

enum { MAX_SPATIAL = 3 };

static bool
has_pixels(cot_place at, const char *op, cot_value x)
{
    const int spatial = cot_rank(x) - 2;
    bool fits = spatial >= 1 && spatial <= MAX_SPATIAL;

    for (int k = 0; fits && k < spatial; k++)
        fits = cot_size(x, k + 2) >= 1;
    if (!fits)
        fe_wrong(
            at, x, op, ERR_shape_wrong,
            "x is %s; wants examples, channels and one to three spatial axes with elements",
            fe_type_text(x));
    return fits;
}

static bool
is_sampling(cot_place at, const char *op, cot_value x, cot_sampling sampling, cot_sampling last)
{
    if (sampling >= COT_SAMPLE_NEAREST && sampling <= last)
        return true;
    fe_wrong(at, x, op, ERR_attr_wrong, "sampling is %d; wants COT_SAMPLE_NEAREST%s",
             (int)sampling,
             last == COT_SAMPLE_CUBIC ? ", COT_SAMPLE_LINEAR or COT_SAMPLE_CUBIC"
                                      : " or COT_SAMPLE_LINEAR");
    return false;
}

/* ---- interpolate ---- */

/* An axis of x to resize: its size, that of the result, what the user said of their ratio (0:
 * nothing). */
typedef struct resizing {
    cot_trace *t;
    int axis;
    int64_t in, out;
    double scale;
    bool corners;
} resizing;

/* The places of the result's elements along the axis, in x. */
static cot_value
places(cot_place at, const resizing *r)
{
    cot_value i = cot_convert(cot_iota(r->t, cot_i64(r->out), 0), COT_F64);

    if (r->corners)
        return cot_mul(i, r->out > 1 ? (double)(r->in - 1) / (double)(r->out - 1) : 0);
    const double step = r->scale != 0 ? 1 / r->scale : (double)r->in / (double)r->out;
    return cot_sub(cot_mul(cot_add(i, 0.5), step), 0.5);
}

static cot_value
slices(cot_place at, const resizing *r, cot_value x, cot_value index)
{
    cot_value i = cot_clip(index, 0, r->in - 1);

    return cot_take(x, r->in <= INT32_MAX ? cot_convert(i, COT_I32) : i, r->axis);
}

static cot_value
nearest(cot_place at, const resizing *r, cot_value x)
{
    cot_value i = cot_iota(r->t, cot_i64(r->out), 0);

    if (r->scale != 0)
        i = cot_convert(cot_floor(cot_div(cot_convert(i, COT_F64), r->scale)), COT_I64);
    else
        i = cot_div(cot_mul(i, r->in), r->out);
    return slices(at, r, x, i);
}

/* x weight, the weight [out] along the axis. */
static cot_value
weighted(cot_place at, const resizing *r, cot_value x, cot_value weight)
{
    int64_t shape[2 + MAX_SPATIAL] = { r->out, 1, 1, 1, 1 };

    weight = cot_convert(weight, cot_dtype_of(x));
    return cot_mul(x, fe_shaped(at, weight, cot_rank(x) - r->axis, shape));
}

static cot_value
linear(cot_place at, const resizing *r, cot_value x)
{
    cot_value place = cot_max(places(at, r), 0), floor = cot_floor(place);
    cot_value i = cot_convert(floor, COT_I64), far = cot_sub(place, floor);
    cot_value before = weighted(at, r, slices(at, r, x, i), cot_sub(1, far));

    return cot_add(before, weighted(at, r, slices(at, r, x, cot_add(i, 1)), far));
}

/* Keys' kernel at a distance of 0 to 1, and of 1 to 2. */
static cot_value
near_weight(cot_place at, cot_value d, double a)
{
    cot_value slope = cot_sub(cot_mul(d, a + 2), a + 3);
    return cot_add(cot_mul(cot_mul(slope, d), d), 1);
}

static cot_value
far_weight(cot_place at, cot_value d, double a)
{
    cot_value y = cot_mul(cot_sub(d, 5), a);
    y = cot_mul(cot_add(cot_mul(y, d), 8 * a), d);
    return cot_sub(y, 4 * a);
}

static cot_value
cubic(cot_place at, const resizing *r, cot_value x)
{
    const double a = -0.75;
    cot_value place = places(at, r), floor = cot_floor(place), d = cot_sub(place, floor);
    cot_value i = cot_convert(floor, COT_I64), rest = cot_sub(1, d);
    cot_value weight[4] = { far_weight(at, cot_add(d, 1), a), near_weight(at, d, a),
                            near_weight(at, rest, a), far_weight(at, cot_add(rest, 1), a) };
    cot_value y = weighted(at, r, slices(at, r, x, cot_sub(i, 1)), weight[0]);

    for (int k = 1; k < 4; k++) {
        cot_value part = slices(at, r, x, cot_add(i, k - 1));
        y = cot_add(y, weighted(at, r, part, weight[k]));
    }
    return y;
}

/* What the options say of the spatial axes; false: the error is recorded. */
static bool
sizes_of(cot_place at, cot_value x, const cot_interpolate_options *o, resizing *to)
{
    const int spatial = cot_rank(x) - 2;
    const int64_t *size = FE_AT(o->size);
    bool fits = o->size.n ? size && o->size.n == spatial && o->scale[0] == 0 : o->scale[0] > 0;

    for (int k = 0; fits && k < spatial; k++) {
        resizing *r = &to[k];
        *r = (resizing){ fe_open(at, x, "interpolate"), k + 2, cot_size(x, k + 2), 0, 0,
                         o->align_corners != 0 };
        if (o->size.n) {
            r->out = size[k];
        } else {
            r->scale = o->scale[k] != 0 ? o->scale[k] : o->scale[0];
            const double out = floor((double)r->in * r->scale);
            r->out = out >= 1 && out < 0x1p62 ? (int64_t)out : 0;
        }
        fits = r->out >= 1;
    }
    if (!fits)
        fe_wrong(
            at, x, "interpolate", ERR_attr_wrong,
            "x is %s; wants .size with an entry for each spatial axis, or .scale, and sizes "
            "of 1 or more",
            fe_type_text(x));
    return fits;
}

cot_value
cot_interpolate_(cot_place at, cot_value x, cot_sampling sampling,
                 const cot_interpolate_options *o, size_t size)
{
    FE_OPTIONS(cot_interpolate_options, opt, o, size);
    resizing axes[MAX_SPATIAL];
    const char *const op = "interpolate";
    const cot_dtype dtype = cot_dtype_of(x);

    if (!fe_open(at, x, op) || dtype == COT_DTYPE_NONE || !has_pixels(at, op, x) ||
        !is_sampling(at, op, x, sampling, COT_SAMPLE_CUBIC) ||
        (sampling != COT_SAMPLE_NEAREST && !fe_floating(at, op, x)))
        return x;
    if (sampling == COT_SAMPLE_NEAREST && opt.align_corners)
        return fe_wrong(at, x, op, ERR_attr_wrong,
                        ".align_corners is set; wants COT_SAMPLE_LINEAR or COT_SAMPLE_CUBIC");
    if (!sizes_of(at, x, &opt, axes))
        return x;
    cot_value y = sampling == COT_SAMPLE_NEAREST ? x : fe_wide(at, x);
    for (int k = 0; k < cot_rank(x) - 2; k++)
        y = sampling == COT_SAMPLE_NEAREST  ? nearest(at, &axes[k], y)
            : sampling == COT_SAMPLE_LINEAR ? linear(at, &axes[k], y)
                                            : cubic(at, &axes[k], y);
    return fe_back(at, y, dtype);
}

/* ---- grid_sample ---- */

/* c reflected at low and at low + span until it is between them. */
static cot_value
reflected(cot_place at, cot_value c, double low, double span)
{
    cot_value far = cot_sub(c, low);
    far = cot_where(cot_lt(far, 0), cot_neg(far), far);
    cot_value extra = cot_rem(far, span);
    cot_value turns = cot_floor(cot_div(cot_stop_gradient(far), span));
    cot_value odd = cot_ne(cot_rem(turns, 2), 0);
    cot_value back = cot_sub(span, extra);

    return cot_add(cot_where(odd, back, extra), low);
}

/* The places along an axis of n elements, of coordinates from -1 to 1. */
static cot_value
unnormalised(cot_place at, cot_value g, int64_t n, const cot_grid_options *o)
{
    const double size = (double)n, last = size - 1;
    cot_value c = o->align_corners ? cot_mul(cot_add(g, 1), last / 2)
                                   : cot_mul(cot_sub(cot_mul(cot_add(g, 1), size), 1), 0.5);

    if (o->outside == COT_OUTSIDE_ZERO)
        return c;
    if (o->outside == COT_OUTSIDE_REFLECT && (n > 1 || !o->align_corners))
        c = reflected(at, c, o->align_corners ? 0 : -0.5, o->align_corners ? last : size);
    c = cot_where(cot_le(c, 0), 0, c);
    return cot_where(cot_ge(c, last), last, c);
}

/* An axis of the grid: element before, and whether it and the one after it are there. */
typedef struct corner {
    cot_value index[2], valid[2], weight[2];
} corner;

static corner
corner_of(cot_place at, cot_value c, int64_t n, bool nearest)
{
    cot_value floor = nearest ? cot_round_even(c) : cot_floor(c), far = cot_sub(c, floor);
    cot_value held = cot_clip(floor, -2, (double)n);
    cot_value i = cot_convert(held, n < INT32_MAX ? COT_I32 : COT_I64);
    corner y = { .weight = { cot_sub(1, far), far } };

    for (int k = 0; k < 2; k++) {
        y.index[k] = k == 0 ? i : cot_add(i, 1);
        y.valid[k] = cot_and(cot_ge(y.index[k], 0), cot_lt(y.index[k], n));
    }
    return y;
}

/* The elements at one corner: image [n, spatial, c], [n, out, c]. */
static cot_value
elements(cot_place at, cot_value image, int d, const corner *corners, int which)
{
    cot_value first = corners[0].index[0], valid = corners[0].valid[which & 1];
    int64_t shape[1 + MAX_SPATIAL] = { cot_size(image, 0), 1, 1, 1 };
    cot_at index[1 + MAX_SPATIAL];
    cot_trace *t = fe_open(at, image, "grid_sample");
    cot_value example = cot_iota(t, cot_i32(shape[0]), 0);

    index[0] = cot_at_value(fe_shaped(at, example, cot_rank(first), shape));
    for (int k = 0; k < d; k++) {
        const int side = (which >> k) & 1;
        index[k + 1] =
            cot_at_value(cot_clip(corners[k].index[side], 0, cot_size(image, k + 1) - 1));
        valid = k ? cot_and(valid, corners[k].valid[side]) : valid;
    }
    cot_value y = cot_index_at_(at, image, cot_ats_of(d + 1, index), NULL, 0);
    return cot_where(cot_expand_dims(valid, -1), y, 0);
}

static bool
grid_fits(cot_place at, cot_value x, cot_value grid)
{
    const int d = cot_rank(x) - 2;
    const bool fits = cot_rank(grid) == d + 2 && cot_size(grid, 0) == cot_size(x, 0) &&
                      cot_size(grid, d + 1) == d;

    if (!fits)
        fe_wrong(at, x, "grid_sample", ERR_shape_wrong,
                 "x is %s, grid is %s; wants a grid of x's examples, %d spatial axes and %d "
                 "coordinates",
                 fe_type_text(x), fe_type_text(grid), d, d);
    return fits;
}

/* Coordinate k of the grid counts axes from the last. */
static cot_value
coordinate(cot_place at, cot_value grid, int k)
{
    return cot_index_(at, grid, k, -1);
}

static cot_value
sampled(cot_place at, cot_value image, cot_value grid, bool nearest, const cot_grid_options *o)
{
    const int d = cot_rank(image) - 2;
    corner corners[MAX_SPATIAL];
    cot_value sum = COT_UNSET;

    for (int k = 0; k < d; k++) {
        const int64_t n = cot_size(image, k + 1);
        cot_value c = unnormalised(at, coordinate(at, grid, d - 1 - k), n, o);
        corners[k] = corner_of(at, c, n, nearest);
    }
    for (int which = 0; which < (nearest ? 1 : 1 << d); which++) {
        cot_value y = elements(at, image, d, corners, which);
        for (int k = 0; !nearest && k < d; k++)
            y = cot_mul(y, cot_expand_dims(corners[k].weight[(which >> k) & 1], -1));
        sum = which ? cot_add(sum, y) : y;
    }
    return sum;
}

cot_value
cot_grid_sample_(cot_place at, cot_value x, cot_value grid, cot_sampling sampling,
                 const cot_grid_options *o, size_t size)
{
    FE_OPTIONS(cot_grid_options, opt, o, size);
    const char *const op = "grid_sample";
    const cot_dtype dtype = cot_dtype_of(x);
    const int rank = cot_rank(x);

    if (!fe_open(at, x, op) || dtype == COT_DTYPE_NONE || !has_pixels(at, op, x) ||
        !is_sampling(at, op, x, sampling, COT_SAMPLE_LINEAR) || !fe_floating(at, op, x))
        return x;
    if (cot_dtype_of(grid) == COT_DTYPE_NONE || !fe_floating(at, op, grid))
        return grid;
    if (opt.outside < COT_OUTSIDE_ZERO || opt.outside > COT_OUTSIDE_REFLECT)
        return fe_wrong(at, x, op, ERR_attr_wrong, ".outside is %d; wants one of cot_outside",
                        (int)opt.outside);
    if (!grid_fits(at, x, grid))
        return x;
    cot_value image = cot_moveaxis_(at, fe_wide(at, x), 1, rank - 1);
    cot_value y = sampled(at, image, fe_wide(at, grid), sampling == COT_SAMPLE_NEAREST, &opt);
    return fe_back(at, cot_moveaxis_(at, y, rank - 1, 1), dtype);
}
