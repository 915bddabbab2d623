/* Fourier transforms against their definition, at every kind of length; derivatives, axes,
 * sizes, norms; the same bits at every width of vectors. */
#include "both.h"
#include "runtime/check.h"

enum { LONGEST = 1300 };

static double x[2 * LONGEST], y[2 * LONGEST], got[ROOM], want[2 * LONGEST];

static void
fill(int n)
{
    for (int i = 0; i < n; i++)
        x[i] = sin(1.7 * i + 0.3) + 0.25 * cos(0.31 * i * i);
}

/* The definition, on 2 n numbers. */
static void
transform(int n, const double *from, int sign, double *to)
{
    const double turn = sign * 2 * acos(-1) / n;
    for (int k = 0; k < n; k++) {
        double re = 0, im = 0;
        for (int j = 0; j < n; j++) {
            const double a = turn * (double)((long)j * k % n), c = cos(a), s = sin(a);
            re += from[2 * j] * c - from[2 * j + 1] * s;
            im += from[2 * j] * s + from[2 * j + 1] * c;
        }
        to[2 * k] = re, to[2 * k + 1] = im;
    }
}

static void
close_to(const char *what, int size, int n, const double *is, const double *wants,
         double tolerance)
{
    double scale = 0;
    for (int i = 0; i < n; i++)
        scale = fmax(scale, fabs(wants[i]));
    for (int i = 0; i < n; i++)
        ck_assert_msg(fabs(is[i] - wants[i]) <= tolerance * scale,
                      "%s of %d: number %d is %.17g, wants %.17g", what, size, i, is[i],
                      wants[i]);
}

BODY(forward, out[0] = cot_fft(in[0]);)
BODY(back, out[0] = cot_ifft(in[0]);)
BODY(real_forward, out[0] = cot_rfft(in[0]);)

/* All radices, products of them, powers of 2, primes that go by convolution, and what is
 * between. */
static const int lengths[] = { 1,   2,   3,   4,   5,   7,   8,   11,   12,  13,
                               15,  16,  17,  19,  26,  32,  36,  49,   64,  97,
                               100, 128, 210, 243, 256, 257, 512, 1000, 1009 };
enum { N_LENGTHS = sizeof lengths / sizeof *lengths };

START_TEST(lines)
{
    for (int i = 0; i < N_LENGTHS; i++) {
        const int n = lengths[i];
        fill(2 * n);
        transform(n, x, -1, want);
        results(fn("fft", forward, 1, 1), COT_TYPES(cot_c128(n)), IN(x), got);
        close_to("fft", n, 2 * n, got, want, 4e-14);
        memcpy(y, got, sizeof(double) * 2 * (size_t)n);
        results(fn("ifft", back, 1, 1), COT_TYPES(cot_c128(n)), IN(y), got);
        close_to("ifft of fft", n, 2 * n, got, x, 4e-14);
    }
}
END_TEST

START_TEST(lines_of_f32)
{
    static float z[2 * LONGEST];
    for (int i = 0; i < N_LENGTHS; i += 3) {
        const int n = lengths[i];
        fill(2 * n);
        for (int k = 0; k < 2 * n; k++)
            x[k] = (double)(z[k] = (float)x[k]);
        transform(n, x, -1, want);
        results(fn("fft", forward, 1, 1), COT_TYPES(cot_c64(n)), IN(z), got);
        close_to("fft", n, 2 * n, got, want, 2e-6);
    }
}
END_TEST

static int length_of_real;

BODY(real_back, out[0] = cot_irfft(in[0], .sizes = COT_LIST(length_of_real));)

START_TEST(real_lines)
{
    static double z[2 * LONGEST];
    for (int i = 0; i < N_LENGTHS; i += 2) {
        const int n = length_of_real = lengths[i];
        fill(n);
        for (int k = 0; k < n; k++)
            z[2 * k] = x[k], z[2 * k + 1] = 0;
        transform(n, z, -1, want);
        results(fn("rfft", real_forward, 1, 1), COT_TYPES(cot_f64(n)), IN(x), got);
        close_to("rfft", n, 2 * (n / 2 + 1), got, want, 4e-14);
        memcpy(y, got, sizeof(double) * 2 * (size_t)(n / 2 + 1));
        y[1] = 7; /* what no real numbers have does not count */
        results(fn("irfft", real_back, 1, 1), COT_TYPES(cot_c128(n / 2 + 1)), IN(y), got);
        close_to("irfft", n, n, got, x, 4e-14);
    }
}
END_TEST

/* ---- axes, sizes, norms ---- */

BODY(columns, out[0] = cot_fft(in[0], .axes = COT_LIST(0));
     out[1] = cot_transpose(cot_fft(cot_transpose(in[0])));)

START_TEST(axes_other_than_the_last)
{
    fill(2 * 12 * 5);
    ck_assert_int_eq(results(fn("f", columns, 1, 2), COT_TYPES(cot_c128(12, 5)), IN(x), got),
                     240);
    ck_assert_mem_eq(got, got + 120, 120 * sizeof *got);
}
END_TEST

BODY(nd, out[0] = cot_fftn(in[0]); out[1] = cot_fft(cot_fft(in[0]), .axes = COT_LIST(0));
     out[2] = cot_ifftn(cot_fftn(in[0])); out[3] = cot_irfftn(cot_rfftn(cot_real(in[0])));
     out[4] = cot_real(in[0]);)

START_TEST(several_axes_one_after_the_other)
{
    fill(48);
    ck_assert_int_eq(results(fn("f", nd, 1, 5), COT_TYPES(cot_c128(4, 6)), IN(x), got),
                     3 * 48 + 48);
    ck_assert_mem_eq(got, got + 48, 48 * sizeof *got);
    close_to("ifftn of fftn", 24, 48, got + 96, x, 1e-14);
    close_to("irfftn of rfftn", 24, 24, got + 144, got + 168, 1e-14);
}
END_TEST

BODY(cut_and_padded, out[0] = cot_fft(in[0], .sizes = COT_LIST(2));
     out[1] = cot_fft(in[0], .sizes = COT_LIST(4));
     out[2] = cot_rfft(cot_real(in[0]), .sizes = COT_LIST(4));)

START_TEST(sizes)
{
    GIVES(fn("f", cut_and_padded, 1, 3), COT_TYPES(cot_c128(3)), IN(F64(1, 0, 2, 0, 4, 0)), 3,
          0, -1, 0, 7, 0, -3, -2, 3, 0, -3, 2, 7, 0, -3, -2, 3, 0);
}
END_TEST

BODY(normed, out[0] = cot_fft(in[0], .norm = COT_FFT_ORTHO);
     out[1] = cot_ifft(in[0], .norm = COT_FFT_ORTHO);
     out[2] = cot_fft(in[0], .norm = COT_FFT_FORWARD);
     out[3] = cot_ifft(in[0], .norm = COT_FFT_FORWARD);)

START_TEST(norms)
{
    GIVES(fn("f", normed, 1, 4), COT_TYPES(cot_c128(4)), IN(F64(1, 0, 0, 0, 0, 0, 3, 0)), 2, 0,
          0.5, 1.5, -1, 0, 0.5, -1.5, 2, 0, 0.5, -1.5, -1, 0, 0.5, 1.5, 1, 0, 0.25, 0.75, -0.5,
          0, 0.25, -0.75, 4, 0, 1, -3, -2, 0, 1, 3);
}
END_TEST

BODY(shifts, out[0] = cot_fftshift(in[0]); out[1] = cot_ifftshift(in[0]);
     out[2] = cot_fftfreq(t, COT_F64, 5, 0.1); out[3] = cot_fftfreq(t, COT_F64, 4, 1);
     out[4] = cot_rfftfreq(t, COT_F64, 5, 1);)

START_TEST(shifts_and_frequencies)
{
    GIVES(fn("f", shifts, 1, 5), COT_TYPES(cot_f64(5)), IN(F64(0, 1, 2, 3, 4)), 3, 4, 0, 1, 2,
          2, 3, 4, 0, 1, 0, 2, 4, -4, -2, 0, 0.25, -0.5, -0.25, 0, 0.2, 0.4);
}
END_TEST

/* ---- transforms ---- */

BODY(power, cot_value z = cot_fft(in[0]);
     out[0] = cot_reduce_sum(cot_real(cot_mul(z, cot_conj(z))));)

/* sum |F x|^2 is n sum |x|^2 (Parseval), whose gradient is 2 n x; of the real part alone
 * likewise. */
START_TEST(gradients)
{
    for (int i = 0; i < N_LENGTHS; i += 4) {
        const int n = lengths[i];
        fill(2 * n);
        for (int k = 0; k < 2 * n; k++)
            want[k] = 2 * n * x[k];
        results(cot_grad(fn("power", power, 1, 1)), COT_TYPES(cot_c128(n)), IN(x), got);
        close_to("gradient", n, 2 * n, got, want, 1e-12);
    }
}
END_TEST

BODY(real_power,
     cot_value z = cot_irfft(cot_mul(cot_rfft(in[0]), 2), .sizes = COT_LIST(length_of_real));
     out[0] = cot_reduce_sum(cot_mul(z, in[0]));)

START_TEST(gradients_of_real_lines)
{
    for (int n = 1; n < 20; n += 4) {
        length_of_real = n;
        fill(n);
        for (int k = 0; k < n; k++)
            want[k] = 4 * x[k];
        results(cot_grad(fn("power", real_power, 1, 1)), COT_TYPES(cot_f64(n)), IN(x), got);
        close_to("gradient", n, n, got, want, 1e-13);
    }
}
END_TEST

START_TEST(mapped)
{
    static double each[ROOM];
    fill(2 * 6 * 20);
    results(cot_vmap(fn("fft", forward, 1, 1)), COT_TYPES(cot_c128(6, 20)), IN(x), got);
    for (int e = 0; e < 6; e++) {
        results(fn("fft", forward, 1, 1), COT_TYPES(cot_c128(20)), IN(x + 40 * e), each);
        ck_assert_mem_eq(each, got + 40 * e, 40 * sizeof *got);
    }
}
END_TEST

/* ---- back ends ---- */

START_TEST(every_width)
{
    static const struct { int lines, n; const char *type;
    } rows[] = {
        { 3, 8, "c64" },   { 2, 16, "c64" },    { 2, 64, "c128" }, { 5, 12, "c64" },
        { 2, 30, "c64" },  { 1, 1024, "c64" },  { 3, 77, "c64" },  { 2, 250, "c128" },
        { 40, 13, "c64" }, { 7, 4096, "c128" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        const cot_graph *g;
        rt_verdict v;
        const long count = 2l * rows[i].lines * rows[i].n;
        snprintf(text, sizeof text,
                 "fn @f(%%z: %s[%d,%d]) -> %s[%d,%d] {\n  %%0 = fft %%z {inverse=%s} : "
                 "%s[%d,%d]\n  ret %%0\n}\n",
                 rows[i].type, rows[i].lines, rows[i].n, rows[i].type, rows[i].lines, rows[i].n,
                 i % 2 ? "true" : "false", rows[i].type, rows[i].lines, rows[i].n);
        ck_assert_msg(cot_parse(ctx, "t.cot", text, strlen(text), NULL, &g) == COT_OK, "%s",
                      cot_error(ctx));
        const bool wide = strcmp(rows[i].type, "c128") == 0;
        void *z = malloc((size_t)count * 8);
        for (long k = 0; k < count; k++)
            if (wide)
                ((double *)z)[k] = sin(0.37 * (double)k);
            else
                ((float *)z)[k] = (float)sin(0.37 * (double)k);
        ck_assert_msg(rt_check_backends(g, &z, &v) == COT_OK, "%s", cot_error(ctx));
        ck_assert_msg(v.good, "%s", v.why.text);
        free(z);
    }
}
END_TEST

/* ---- refusals ---- */

BODY(of_integers, out[0] = cot_fft(in[0]);)
BODY(no_axis, out[0] = cot_fft(in[0], .axes = COT_LIST(2));)
BODY(twice, out[0] = cot_fftn(in[0], .axes = COT_LIST(0, -2));)
BODY(real_of_complex, out[0] = cot_rfft(in[0]);)

static void
fails(cot_body *body, cot_type type, const char *text)
{
    const cot_graph *g;
    ck_assert_int_ne(cot_trace_fn(fn("f", body, 1, 1), (cot_types){ .n = 1, .at = &type }, &g),
                     COT_OK);
    ck_assert_msg(strstr(cot_error(ctx), text), "'%s' is not in '%s'", text, cot_error(ctx));
    cot_error_clear(ctx);
}

START_TEST(refusals)
{
    fails(of_integers, cot_i32(4), "fft: operand is i32[4]; wants a floating or complex type");
    fails(real_of_complex, cot_c64(4), "rfft: operand is c64[4]; wants a real floating type");
    fails(no_axis, cot_c64(4, 4), "fft: axis 2 is out of range");
    fails(twice, cot_c64(4, 4), "fftn: axis 0 is named twice");
    fails(forward, cot_c64(4, 0), "fft: axis 1 of c64[4,0] is empty");
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(lines),
        { "lines", lines_of_f32, 0 },
        { "lines", real_lines, 0 },
        { "axes", axes_other_than_the_last, 0 },
        { "axes", several_axes_one_after_the_other, 0 },
        { "axes", sizes, 0 },
        { "axes", norms, 0 },
        { "axes", shifts_and_frequencies, 0 },
        { "transforms", gradients, 0 },
        { "transforms", gradients_of_real_lines, 0 },
        { "transforms", mapped, 0 },
        { "backends", every_width, 0 },
        ONCE(refusals),
    };

    return SUITE("fft", cases);
}
