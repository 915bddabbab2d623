/* The discrete Fourier transform of r numbers and the multiplication by a twiddle factor, in
 * the arithmetic that the includer defines:
 *
 *   V                      the type of a number
 *   B_ARGS, B_CALL         the arguments that every function takes, and passes on
 *   ADD(x, y) SUB(x, y) MUL(x, y) FMA(x, y, z) NEG(x) NUMBER(c)
 *
 * The evaluator includes the file with floats and doubles, codegen with values of a kernel: one
 * text gives both one order of operations.  r = 2, 4 and 8 are written out.  An odd r pairs
 * inputs j and r - j, which needs a quarter of the multiplications of the (r - 1)^2 complex
 * products. */

static void
butterfly_4(B_ARGS V *x, V *y)
{
    const V a = ADD(x[0], x[4]), b = ADD(x[1], x[5]), c = SUB(x[0], x[4]), d = SUB(x[1], x[5]);
    const V e = ADD(x[2], x[6]), f = ADD(x[3], x[7]), g = SUB(x[2], x[6]), h = SUB(x[3], x[7]);
    y[0] = ADD(a, e), y[1] = ADD(b, f);
    y[2] = ADD(c, h), y[3] = SUB(d, g);
    y[4] = SUB(a, e), y[5] = SUB(b, f);
    y[6] = SUB(c, h), y[7] = ADD(d, g);
}

/* The transforms of the even and of the odd numbers; the odd ones are multiplied by the eighth
 * roots of unity: by -i without a product, by the others with one product for each part. */
static void
butterfly_8(B_ARGS V *x, V *y)
{
    const V half = NUMBER(0.70710678118654752440), minus = NEG(half);
    V even[8], odd[8], a[8], b[8];
    for (int j = 0; j < 4; j++) {
        even[2 * j] = x[4 * j], even[2 * j + 1] = x[4 * j + 1];
        odd[2 * j] = x[4 * j + 2], odd[2 * j + 1] = x[4 * j + 3];
    }
    butterfly_4(B_CALL even, a);
    butterfly_4(B_CALL odd, b);
    const V sum1 = ADD(b[2], b[3]), dif1 = SUB(b[3], b[2]), dif3 = SUB(b[7], b[6]),
            sum3 = ADD(b[6], b[7]);
    y[0] = ADD(a[0], b[0]), y[1] = ADD(a[1], b[1]);
    y[8] = SUB(a[0], b[0]), y[9] = SUB(a[1], b[1]);
    y[2] = FMA(half, sum1, a[2]), y[3] = FMA(half, dif1, a[3]);
    y[10] = FMA(minus, sum1, a[2]), y[11] = FMA(minus, dif1, a[3]);
    y[4] = ADD(a[4], b[5]), y[5] = SUB(a[5], b[4]);
    y[12] = SUB(a[4], b[5]), y[13] = ADD(a[5], b[4]);
    y[6] = FMA(half, dif3, a[6]), y[7] = FMA(minus, sum3, a[7]);
    y[14] = FMA(minus, dif3, a[6]), y[15] = FMA(half, sum3, a[7]);
}

static void
butterfly_odd(B_ARGS int r, V *x, V *y)
{
    V s[14], d[14];
    const int h = (r - 1) / 2;
    y[0] = x[0], y[1] = x[1];
    for (int j = 1; j <= h; j++)
        for (int part = 0; part < 2; part++) {
            s[2 * j - 2 + part] = ADD(x[2 * j + part], x[2 * (r - j) + part]);
            d[2 * j - 2 + part] = SUB(x[2 * j + part], x[2 * (r - j) + part]);
            y[part] = ADD(y[part], s[2 * j - 2 + part]);
        }
    for (int k = 1; k <= h; k++) {
        V a[2] = { x[0], x[1] }, t[2] = { x[0], x[1] };
        for (int j = 1; j <= h; j++)
            for (int part = 0; part < 2; part++) {
                double c, i;
                ir_fft_root(j * k % r, r, &c, &i);
                a[part] = FMA(NUMBER(c), s[2 * j - 2 + part], a[part]);
                t[part] = j == 1 ? MUL(NUMBER(-i), d[part])
                                 : FMA(NUMBER(-i), d[2 * j - 2 + part], t[part]);
            }
        y[2 * k] = ADD(a[0], t[1]), y[2 * k + 1] = SUB(a[1], t[0]);
        y[2 * (r - k)] = SUB(a[0], t[1]), y[2 * (r - k) + 1] = ADD(a[1], t[0]);
    }
}

/* x, y: r complex numbers, real and imaginary parts alternating. */
static void
butterfly(B_ARGS int r, V *x, V *y)
{
    if (r == 1) {
        y[0] = x[0], y[1] = x[1];
    } else if (r == 2) {
        y[0] = ADD(x[0], x[2]), y[1] = ADD(x[1], x[3]);
        y[2] = SUB(x[0], x[2]), y[3] = SUB(x[1], x[3]);
    } else if (r == 4) {
        butterfly_4(B_CALL x, y);
    } else if (r == 8) {
        butterfly_8(B_CALL x, y);
    } else {
        butterfly_odd(B_CALL r, x, y);
    }
}

/* z (c + i s), in place. */
static void
twiddle(B_ARGS V *z, V c, V s)
{
    const V re = FMA(NEG(z[1]), s, MUL(z[0], c)), im = FMA(z[1], c, MUL(z[0], s));
    z[0] = re, z[1] = im;
}
