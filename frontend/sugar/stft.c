/* Short-time Fourier transforms: frames of a signal, each times a window, transformed; and the
 * signal again, as the sum of the frames where they overlap, divided by that of the squared
 * windows.  Source: D. Griffin, J. Lim, Signal Estimation from Modified Short-Time Fourier
 * Transform, 1984. */
#include "cotrace/fft.h"

#include "frontend/sugar/written.h"

/* How a signal is framed: n numbers a frame, one frame each `hop`, the window in f32 or
 * wider. */
typedef struct framing {
    const char *op;
    int64_t n, hop;
    cot_value window;
    cot_stft_options o;
} framing;

static const char *
framing_complaint(const cot_stft_options *o, int64_t n)
{
    if (n < 1 || n > INT32_MAX)
        return "wants frames of 1 element or more";
    if (o->hop < 0 || o->hop > INT32_MAX)
        return "wants .hop of 1 or more";
    if (o->length < 0 || o->length > INT32_MAX)
        return "wants .length of 1 or more";
    if (fe_given(o->window) &&
        (cot_rank(o->window) != 1 || cot_count(o->window) < 1 || cot_count(o->window) > n))
        return "wants .window with one axis, of at most as many elements as a frame";
    return NULL;
}

/* The options of a call on x, whose parts have the type t; false: the error is recorded. */
static bool
read_framing(cot_place at, framing *c, cot_value x, int64_t n, cot_dtype t)
{
    cot_value w = c->o.window;
    const char *why = framing_complaint(&c->o, n);

    if (why) {
        fe_wrong(at, x, c->op, ERR_attr_wrong, "x is %s, n is %lld; %s", fe_type_text(x),
                 (long long)n, why);
        return false;
    }
    if (fe_given(w) && (cot_dtype_of(w) == COT_DTYPE_NONE || !fe_floating(at, c->op, w)))
        return false;
    c->n = n;
    c->hop = c->o.hop ? c->o.hop : n / 4 > 0 ? n / 4 : 1;
    if (!fe_given(w))
        w = cot_full_(at, fe_open(at, x, c->op), cot_type_new(t, 1, &n), cot_operand_int(1));
    const int64_t before = (n - cot_size(w, 0)) / 2, after = n - cot_size(w, 0) - before;
    c->window = cot_pad(cot_convert(w, t), 0, .low = COT_LIST(before), .high = COT_LIST(after));
    return true;
}

/* n / 2 elements on both sides, reflected at the first and the last. */
static cot_value
reflected(cot_place at, cot_value x, int64_t by)
{
    const int last = cot_rank(x) - 1;
    const int64_t n = cot_size(x, last);
    int64_t start[COT_MAX_RANK] = { 0 }, limit[COT_MAX_RANK];
    cot_value part[2];

    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < last; k++)
            limit[k] = cot_size(x, k);
        start[last] = side ? n - 1 - by : 1;
        limit[last] = start[last] + by;
        part[side] = cot_slice(x, .start = { .n = last + 1, .at = start },
                               .limit = { .n = last + 1, .at = limit });
        part[side] = cot_reverse(part[side], .axes = COT_LIST(last));
    }
    return by ? cot_concatenate(COT_VALUES(part[0], x, part[1]), last) : x;
}

cot_value
cot_stft_(cot_place at, cot_value x, int64_t n, const cot_stft_options *o, size_t size)
{
    framing c = { .op = "stft" };
    const cot_dtype given = cot_dtype_of(x);

    fe_options(&c.o, sizeof c.o, o, size);
    if (!fe_open(at, x, c.op) || given == COT_DTYPE_NONE)
        return x;
    const bool complex = ir_is_complex(given);
    if (!complex && !fe_floating(at, c.op, x))
        return x;
    const int last = cot_rank(x) - 1;
    x = fe_wide(at, x);
    if (!read_framing(at, &c, x, n, ir_part_type(cot_dtype_of(x))))
        return x;
    const int64_t length = last < 0 ? 0 : cot_size(x, last), by = c.o.uncentred ? 0 : n / 2;
    if (last < 0 || last >= COT_MAX_RANK - 1 || length + 2 * by < n || (by && length <= by) ||
        c.o.length)
        return fe_wrong(at, x, c.op, ERR_shape_wrong,
                        "x is %s, a frame has %lld elements; wants more than half of a frame, "
                        "or a frame with .uncentred, and no .length",
                        fe_type_text(x), (long long)n);
    cot_value frames = cot_sliding_windows(reflected(at, x, by), n, last, .stride = c.hop);
    frames = cot_mul(frames, c.window);
    const cot_fft_norm norm = c.o.normalised ? COT_FFT_ORTHO : COT_FFT_BACKWARD;
    cot_value y = complex || c.o.twosided ? cot_fft(frames, .norm = norm)
                                          : cot_rfft(frames, .norm = norm);
    return cot_moveaxis_(at, y, last + 1, last);
}

/* Frames [..., t, n], each `hop` after the one before, added up: [..., n + hop (t - 1)]. */
static cot_value
overlapped(cot_place at, const framing *c, cot_value frames)
{
    const int rank = cot_rank(frames);
    const int64_t count = cot_size(frames, -2);
    cot_trace *t = fe_open(at, frames, c->op);
    cot_value i = cot_iota(t, cot_i32(count, c->n), 0),
              j = cot_iota(t, cot_i32(count, c->n), 1);
    cot_value x = cot_moveaxis_(at, cot_moveaxis_(at, frames, rank - 2, 0), rank - 1, 1);
    cot_value y = cot_segment_(at, COT_UPDATE_ADD, x, cot_add(cot_mul(i, c->hop), j),
                               c->n + c->hop * (count - 1));

    return cot_moveaxis_(at, y, 0, rank - 2);
}

/* Elements from `start` on of the last axis, `length` of them (0: without the last `start`),
 * zeros after the end. */
static cot_value
trimmed(cot_place at, cot_value x, int64_t start, int64_t length)
{
    const int last = cot_rank(x) - 1;
    const int64_t n = cot_size(x, last), wanted = length ? length : n - 2 * start;
    int64_t low[COT_MAX_RANK] = { 0 }, high[COT_MAX_RANK] = { 0 };

    low[last] = -start;
    high[last] = start + wanted - n;
    return cot_pad(x, 0, .low = { .n = last + 1, .at = low },
                   .high = { .n = last + 1, .at = high });
}

cot_value
cot_istft_(cot_place at, cot_value x, int64_t n, const cot_stft_options *o, size_t size)
{
    framing c = { .op = "istft" };
    const cot_dtype dtype = cot_dtype_of(x);

    fe_options(&c.o, sizeof c.o, o, size);
    if (!fe_open(at, x, c.op) || dtype == COT_DTYPE_NONE)
        return x;
    const int rank = cot_rank(x);
    const int64_t numbers = c.o.twosided ? n : n / 2 + 1;
    if (!ir_is_complex(dtype) || rank < 2 || cot_size(x, -2) != numbers || cot_size(x, -1) < 1)
        return fe_wrong(
            at, x, c.op, ERR_shape_wrong,
            "x is %s; wants complex numbers, %lld of each frame, and a frame or more",
            fe_type_text(x), (long long)numbers);
    if (!read_framing(at, &c, x, n, ir_part_type(dtype)))
        return x;
    const int64_t start = c.o.uncentred ? 0 : n / 2, frames = cot_size(x, -1);
    if (frames > INT32_MAX || n + c.hop * (frames - 1) > INT32_MAX ||
        (!c.o.length && n + c.hop * (frames - 1) <= 2 * start))
        return fe_wrong(at, x, c.op, ERR_shape_wrong,
                        "x is %s, which leaves no element; wants more frames", fe_type_text(x));
    cot_value y = cot_moveaxis_(at, x, rank - 1, rank - 2);
    const cot_fft_norm norm = c.o.normalised ? COT_FFT_ORTHO : COT_FFT_BACKWARD;
    y = c.o.twosided ? cot_real(cot_ifft(y, .norm = norm))
                     : cot_irfft(y, .sizes = COT_LIST(n), .norm = norm);
    cot_value square = cot_mul(c.window, c.window);
    square = cot_broadcast_to(square, frames, n);
    y = trimmed(at, overlapped(at, &c, cot_mul(y, c.window)), start, c.o.length);
    square = trimmed(at, overlapped(at, &c, square), start, c.o.length);
    const int64_t covered = n + c.hop * (frames - 1) - start;
    if (c.o.length > covered) {     /* beyond the last frame are zeros, not 0 / 0 */
        cot_value k = cot_iota(fe_open(at, x, c.op), cot_i32(c.o.length), 0);
        square = cot_where(cot_lt(k, covered), square, 1);
    }
    return cot_div(y, square);
}
