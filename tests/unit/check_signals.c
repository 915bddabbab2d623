/* stft, istft, block_diag and toeplitz: values, derivatives, vmap, mistakes. */
#include "tests/unit/valued.h"

#define VALUED_ROWS "signals.def"
#include "tests/unit/valued_rows.h"

/* A signal comes back from its transform. */
#define HANN AT(0, 0.25, 0.75, 1, 0.75, 0.25)
BODY(there_and_back, cot_value w = cot_add(cot_constant(t, cot_f64(6), HANN), 0.1);
     cot_value y = cot_stft(in[0], 6, .window = w, .hop = 2, .normalised = 1);
     out[0] = cot_sub(cot_istft(y, 6, .window = w, .hop = 2, .normalised = 1, .length = 11),
                      in[0]);)

START_TEST(inverse)
{
    run_valued(&(const valued){ "inverse", there_and_back, 1, { cot_f64(11) }, { NULL },
                                cot_f64(11), (const double[11]){ 0 }, 1e-13, false });
}
END_TEST

/* Matrices of other types: blocks promote, bool and integers have diagonals too. */
BODY(mixed, cot_value x = cot_convert(cot_gt(in[0], 0), COT_I32);
     cot_value y = cot_block_diag(COT_VALUES(x, cot_convert(in[0], COT_F32)));
     out[0] = cot_convert(y, COT_F64);)
BODY(flags, cot_value x = cot_gt(in[0], 0); out[0] = cot_toeplitz(x, cot_not(x));)
BODY(no_row, out[0] = cot_toeplitz(in[0], cot_zeros(t, cot_f64(0)));)

START_TEST(other_types)
{
    const void *const in[] = { AT(1.5, -2) };

    body_gives("mixed", mixed, COT_TYPES(cot_f64(2)), in, cot_f64(2, 4),
               AT(1, 0, 0, 0, 0, 0, 1.5, -2), 0);
    body_gives("flags", flags, COT_TYPES(cot_f64(2)), in, cot_bool(2, 2), AT(1, 1, 0, 1), 0);
    body_gives("no row", no_row, COT_TYPES(cot_f64(2)), in, cot_f64(2, 0), AT(0), 0);
}
END_TEST

BODY(bad_short, out[0] = cot_stft(in[0], 9);)
BODY(bad_hop, out[0] = cot_stft(in[0], 4, .hop = -1);)
BODY(bad_window, out[0] = cot_stft(in[0], 4, .window = in[0]);)
BODY(bad_length, out[0] = cot_stft(in[0], 4, .length = 3);)
BODY(bad_int, out[0] = cot_stft(cot_convert(in[0], COT_I32), 4);)
BODY(bad_real, out[0] = cot_istft(in[1], 4);)
BODY(bad_count, out[0] = cot_istft(cot_complex(in[1], in[1]), 8);)
BODY(bad_block, out[0] = cot_block_diag(COT_VALUES(in[1], cot_reshape(in[1], 1, 3, 3)));)
BODY(bad_blocks, out[0] = cot_block_diag(COT_VALUES());)
BODY(bad_matrix, out[0] = cot_toeplitz(in[0], in[1]);)

START_TEST(mistakes)
{
    static const mistake bad[] = {
        { "short", bad_short, "stft: x is f64[4], a frame has 9 elements; wants" },
        { "hop", bad_hop, "stft: x is f64[4], n is 4; wants .hop of 1 or more" },
        { "length", bad_length, "stft: x is f64[4], a frame has 4 elements; wants" },
        { "int", bad_int, "stft: operand is i32[4]" },
        { "real", bad_real, "istft: x is f64[3,3]; wants complex numbers" },
        { "count", bad_count, "istft: x is c128[3,3]; wants complex numbers, 5 of each frame" },
        { "block", bad_block, "block_diag: operand 1 is f64[1,3,3]; wants two axes or less" },
        { "blocks", bad_blocks, "" },
        { "matrix", bad_matrix, "toeplitz: the column is f64[4], the row f64[3,3]; wants" },
    };
    static const mistake window = { "window", bad_window,
                                    "stft: x is f64[5], n is 4; wants .window with one axis" };

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        valued_mistake(&bad[k], k == 7 ? "" : "check_signals.c:", cot_f64(4), cot_f64(3, 3));
    valued_mistake(&window, "check_signals.c:", cot_f64(5), cot_f64());
}
END_TEST

int
main(void)
{
    const suite_case cases[] = { ROWS, ONCE(inverse), ONCE(other_types), ONCE(mistakes) };

    return SUITE("signals", cases);
}
