/* The functions of cotrace/image.h, cdist and embedding_bag: values, derivatives, vmap, and
 * what gradients are where a function is not smooth. */
#include "tests/unit/valued.h"

#define VALUED_ROWS "images.def"
#include "tests/unit/valued_rows.h"

/* PyTorch: the gradient of a distance of 0 is 0. */
BODY(zero_2, cot_value x = cot_reshape(in[0], 2, 2);
     out[0] = cot_reduce_sum(cot_cdist(x, x, 2));)
BODY(zero_3, cot_value x = cot_reshape(in[0], 2, 2);
     out[0] = cot_reduce_sum(cot_cdist(x, cot_stop_gradient(x), 3));)
BODY(zero_half, cot_value x = cot_reshape(in[0], 2, 2);
     out[0] = cot_reduce_sum(cot_cdist(x, cot_stop_gradient(x), 0.5));)
BODY(zero_inf, cot_value x = cot_reshape(in[0], 2, 2);
     out[0] = cot_reduce_sum(cot_cdist(x, cot_stop_gradient(x), INFINITY));)
/* The first of equal rows has the gradient of a maximum. */
BODY(first, cot_value w = cot_reshape(in[0], 4, 1);
     out[0] = cot_reduce_sum(cot_embedding_bag(w, cot_reshape(INTS(t, 3, 3, 1, 0), 1, 3),
                                               COT_BAG_MAX));)
BODY(first_offsets, cot_value w = cot_reshape(in[0], 4, 1);
     out[0] = cot_reduce_sum(cot_embedding_bag(w, INTS(t, 4, 3, 1, 0, 2), COT_BAG_MAX,
                                               .offsets = INTS(t, 2, 0, 3)));)
/* A place that is moved to the border has no derivative, one at it neither. */
BODY(border, cot_value g = cot_reshape(in[0], 1, 3, 1);
     cot_value x = cot_reshape(cot_square(cot_iota(t, cot_f64(4), 0)), 1, 1, 4);
     out[0] = cot_reduce_sum(cot_grid_sample(x, g, COT_SAMPLE_LINEAR, .align_corners = 1,
                                             .outside = COT_OUTSIDE_BORDER));)
BODY(mirrored, cot_value g = cot_reshape(in[0], 1, 3, 1);
     cot_value x = cot_reshape(cot_square(cot_iota(t, cot_f64(4), 0)), 1, 1, 4);
     out[0] = cot_reduce_sum(cot_grid_sample(x, g, COT_SAMPLE_LINEAR, .align_corners = 1,
                                             .outside = COT_OUTSIDE_REFLECT));)

START_TEST(gradients)
{
    valued_slope("cdist 2", zero_2, AT(1, 2, 4, 6), 4, AT(-1.2, -1.6, 1.2, 1.6));
    valued_slope("cdist 3", zero_3, AT(1, 1, 1, 2), 4, AT(0, -1, 0, 1));
    valued_slope("cdist 0.5", zero_half, AT(1, 1, 1, 2), 4, AT(0, -1, 0, 1));
    valued_slope("cdist inf", zero_inf, AT(1, 1, 1, 2), 4, AT(0, -1, 0, 1));
    valued_slope("bag max", first, AT(5, 5, 1, 5), 4, AT(0, 0, 0, 1));
    valued_slope("bag max offsets", first_offsets, AT(5, 5, 1, 5), 4, AT(0, 0, 1, 1));
    valued_slope("border", border, AT(-1, 0, 1.5), 3, AT(0, 4.5, 0));
    valued_slope("reflect", mirrored, AT(-1.2, 0, 1.2), 3, AT(-1.5, 4.5, -7.5));
}
END_TEST

/* The sum of <fold(x), y> and <x, unfold(y)>, which are equal: fold is the transpose. */
BODY(adjoint,
     cot_value y = cot_fold(in[0], COT_LIST(4, 5), COT_LIST(2, 3), .strides = COT_LIST(2, 1),
                            .padding = COT_LIST(1, 0, 0, 1), .dilation = COT_LIST(1, 2));
     cot_value x = cot_unfold(in[1], COT_LIST(2, 3), .strides = COT_LIST(2, 1),
                              .padding = COT_LIST(1, 0, 0, 1), .dilation = COT_LIST(1, 2));
     out[0] = cot_sub(cot_reduce_sum(cot_mul(y, in[1])), cot_reduce_sum(cot_mul(x, in[0])));)

START_TEST(fold_is_the_transpose)
{
    double *x = valued_wave(0, 48), *y = valued_wave(1, 20);

    body_gives("adjoint", adjoint, COT_TYPES(cot_f64(1, 12, 4), cot_f64(1, 2, 4, 5)),
               (const void *const[]){ x, (y = realloc(y, 40 * sizeof *y)) }, cot_f64(), AT(0),
               1e-13);
    free(x);
    free(y);
}
END_TEST

/* Halves are computed in f32 and rounded once. */
BODY(halves, cot_value x = cot_convert(cot_reshape(in[0], 1, 1, 3), COT_BF16);
     out[0] = cot_convert(cot_interpolate(x, COT_SAMPLE_LINEAR, .size = COT_LIST(5)), COT_F64);)
BODY(integers, cot_value x = cot_convert(cot_reshape(in[0], 1, 1, 3), COT_I32);
     out[0] = cot_interpolate(x, COT_SAMPLE_NEAREST, .size = COT_LIST(5));)
BODY(not_a_number, cot_value x = cot_reshape(in[0], 1, 1, 3);
     out[0] = cot_grid_sample(x, cot_full(t, cot_f64(1, 1, 1), NAN), COT_SAMPLE_LINEAR);)
BODY(unread, cot_value x = cot_reshape(in[0], 1, 1, 3);
     out[0] = cot_grid_sample(x, cot_full(t, cot_f64(1, 1, 1), -1.2), COT_SAMPLE_LINEAR);)

START_TEST(types_and_rounding)
{
    const void *const in[] = { AT(1, 2, 256) };

    body_gives("halves", halves, COT_TYPES(cot_f64(3)), in, cot_f64(1, 1, 5),
               AT(1, 1.3984375, 2, 154, 256), 0);
    body_gives("integers", integers, COT_TYPES(cot_f64(3)), in, cot_i32(1, 1, 5),
               AT(1, 1, 2, 2, 256), 0);
    body_gives("NaN", not_a_number, COT_TYPES(cot_f64(3)), in, cot_f64(1, 1, 1), AT(NAN), 0);
    /* what lies outside is not read: an infinity at the border stays out of it */
    body_gives("outside", unread, COT_TYPES(cot_f64(3)),
               (const void *const[]){ AT(2, 1, INFINITY) }, cot_f64(1, 1, 1), AT(0.4), 1e-14);
}
END_TEST

BODY(bad_both,
     out[0] = cot_interpolate(in[0], COT_SAMPLE_LINEAR, .size = COT_LIST(2), .scale = { 2 });)
BODY(bad_none, out[0] = cot_interpolate(in[0], COT_SAMPLE_LINEAR);)
BODY(bad_size, out[0] = cot_interpolate(in[0], COT_SAMPLE_LINEAR, .size = COT_LIST(0));)
BODY(bad_scale, out[0] = cot_interpolate(in[0], COT_SAMPLE_LINEAR, .scale = { 0.1 });)
BODY(bad_corners, out[0] = cot_interpolate(in[0], COT_SAMPLE_NEAREST, .size = COT_LIST(2),
                                           .align_corners = 1);)
BODY(bad_kind, out[0] = cot_interpolate(in[0], (cot_sampling)7, .size = COT_LIST(2));)
BODY(bad_rank, out[0] = cot_interpolate(in[1], COT_SAMPLE_LINEAR, .size = COT_LIST(2));)
BODY(bad_int, out[0] = cot_interpolate(cot_convert(in[0], COT_I32), COT_SAMPLE_LINEAR,
                                       .size = COT_LIST(2));)
BODY(bad_grid, out[0] = cot_grid_sample(in[0], in[0], COT_SAMPLE_LINEAR);)
BODY(bad_cubic, out[0] = cot_grid_sample(in[0], in[0], COT_SAMPLE_CUBIC);)
BODY(bad_shuffle, out[0] = cot_pixel_shuffle(in[0], 2);)
BODY(bad_unshuffle, out[0] = cot_pixel_unshuffle(in[0], 3);)
BODY(bad_unfold, out[0] = cot_unfold(in[0], COT_LIST(2, 2));)
BODY(bad_reach, out[0] = cot_unfold(in[0], COT_LIST(3), .dilation = COT_LIST(2));)
BODY(bad_option, out[0] = cot_unfold(in[0], COT_LIST(2), .groups = 2);)
BODY(bad_stride, out[0] = cot_unfold(in[0], COT_LIST(2), .strides = COT_LIST(0));)
BODY(bad_fold, out[0] = cot_fold(in[0], COT_LIST(4), COT_LIST(2));)
BODY(bad_cdist, out[0] = cot_cdist(in[0], in[1], 2);)
BODY(bad_p, out[0] = cot_cdist(in[0], in[0], -1);)
BODY(bad_bag, out[0] = cot_embedding_bag(in[1], in[1], COT_BAG_SUM);)
BODY(bad_offsets, out[0] = cot_embedding_bag(in[1], INTS(t, 2, 0, 1), COT_BAG_SUM);)
BODY(bad_weights, out[0] = cot_embedding_bag(in[1], cot_reshape(INTS(t, 2, 0, 1), 1, 2),
                                             COT_BAG_MAX, .weights = in[1]);)

START_TEST(mistakes)
{
    static const mistake bad[] = {
        { "both", bad_both, "interpolate: x is f64[1,2,4]; wants .size with an entry" },
        { "none", bad_none, "interpolate: x is f64[1,2,4]; wants .size with an entry" },
        { "size", bad_size, "interpolate: x is f64[1,2,4]; wants .size with an entry" },
        { "scale", bad_scale, "interpolate: x is f64[1,2,4]; wants .size with an entry" },
        { "corners", bad_corners, "interpolate: .align_corners is set; wants" },
        { "kind", bad_kind, "interpolate: sampling is 7; wants" },
        { "rank", bad_rank, "interpolate: x is f64[5,3]; wants examples" },
        { "int", bad_int, "interpolate: operand is i32[1,2,4]" },
        { "grid", bad_grid, "grid_sample: x is f64[1,2,4], grid is f64[1,2,4]; wants" },
        { "cubic", bad_cubic, "grid_sample: sampling is 2; wants" },
        { "shuffle", bad_shuffle, "pixel_shuffle: x is f64[1,2,4]; wants channels" },
        { "unshuffle", bad_unshuffle, "pixel_unshuffle: x is f64[1,2,4]; wants spatial" },
        { "unfold", bad_unfold, "unfold: x is f64[1,2,4], window has 2 entries; wants" },
        { "reach", bad_reach,
          "unfold: spatial axis 0 has 4 elements, the window reaches over 5" },
        { "option", bad_option, "unfold: has other options; wants .strides" },
        { "stride", bad_stride, "unfold: .strides has 1 entries; wants 1, each 1 or more" },
        { "fold", bad_fold, "fold: x is f64[1,2,4]; wants 3 columns" },
        { "cdist", bad_cdist, "cdist: x is f64[1,2,4], y is f64[5,3]; wants rows" },
        { "p", bad_p, "cdist: p is -1; wants 0 or more" },
        { "bag", bad_bag, "embedding_bag: weight is f64[5,3], index is f64[5,3]; wants" },
        { "offsets", bad_offsets, "index is i32[2]; wants .offsets with an index of one axis" },
        { "weights", bad_weights, "index is i32[1,2]; wants COT_BAG_SUM with .weights" },
    };

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        valued_mistake(&bad[k], "check_image.c:", cot_f64(1, 2, 4), cot_f64(5, 3));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ROWS,
        ONCE(gradients),
        ONCE(fold_is_the_transpose),
        ONCE(types_and_rounding),
        ONCE(mistakes),
    };

    return SUITE("image", cases);
}
