/* The text of fma for scalars and vectors (c.h): the instruction where the target has one,
 * otherwise exact arithmetic that vectorises.
 *
 * In f32 the product is exact in f64.  If the sum there has a 1 among its last 28 bits, it is
 * neither an f32 nor half way between two, so rounding it to f32 is correct.  Any other sum is
 * rounded to odd by the error of the addition (Knuth's two-sum), and then to f32, which is
 * correct since 53 >= 2 * 24 + 2 (S. Boldo, G. Melquiond, IEEE TC 57, 2008).
 *
 * In f64 the product is h + l (T. Dekker's, of halves of 26 bits) and h + z is s + t, both
 * exactly; then s + (t + l), the inner sum rounded to odd, is rounded once.  This is correct,
 * as t is 0 unless s is at least half of h, so that the last bit of the inner sum is far below
 * the last of s.  It holds where |x y| and the result are neither tiny nor huge.  For others,
 * and for NaN, infinities and zeros, significands are integers of 128 bits, and the bits that
 * are shifted out set one sticky bit.  Integers are used for all inputs where f64 has no
 * instructions, and where exceptions may be trapped, since an intermediate product may
 * overflow.
 *
 * On x86 these functions use vectors of 128 bits, and wider vectors are several of them:
 * processors with wider registers have the instruction, except the few with AVX alone.  The
 * functions are not inlined, since a call is short compared to them, and text with many fma's
 * would become dozens of times as long. */
#include "codegen/c/vector.h"

/* The conditions for each method; then the method by integers. */
static const char integers[] =
    "#if defined(COT_TRAPPING) || defined(__SOFTFP__) || defined(__mips_soft_float) || "
    "defined(_SOFT_FLOAT) || \\\n"
    "    (defined(__arm__) && !(defined(__ARM_FP) && (__ARM_FP & 8))) || \\\n"
    "    (defined(__riscv) && !(defined(__riscv_flen) && __riscv_flen >= 64))\n"
    "#define COT_FMA_BY_INTEGERS 1\n#endif\n"
    "#if !defined(COT_FMA64)\n"
    "/* A significand of 128 bits and its exponent. */\n"
    "typedef struct cot_wide {\n    uint64_t hi, lo;\n    int e;\n} cot_wide;\n"
    "COT_COLD cot_wide\nshift_wide(cot_wide x, int n)\n{\n"
    "    x.e += n;\n"
    "    for (; n < 0; n++) {\n"
    "        x.hi = x.hi << 1 | x.lo >> 63;\n        x.lo <<= 1;\n    }\n"
    "    for (; n >= 64; n -= 64) {\n"
    "        x.lo = x.hi | (x.lo != 0);\n        x.hi = 0;\n    }\n"
    "    if (n > 0) {\n"
    "        x.lo = x.hi << (64 - n) | x.lo >> n | (x.lo << (64 - n) != 0);\n"
    "        x.hi >>= n;\n    }\n"
    "    return x;\n}\n"
    "COT_COLD uint64_t\npart_f64(uint64_t bits, int *e)\n{\n"
    "    uint64_t m = bits & 0xfffffffffffffu;\n"
    "    *e = (int)(bits >> 52 & 0x7ff);\n"
    "    if (*e)\n        return m | (uint64_t)1 << 52;\n"
    "    for (*e = 1; !(m >> 52); --*e)\n        m <<= 1;\n"
    "    return m;\n}\n"
    "/* Round to nearest even; bit 125 or 126 of x is its highest, or a lower one. */\n"
    "COT_COLD double\nround_wide(cot_wide x, uint64_t sign)\n{\n"
    "    uint64_t q, rest;\n"
    "    if (x.hi == 0 && x.lo == 0)\n        return 0;\n"
    "    while (!(x.hi >> 62))\n        x = shift_wide(x, -1);\n"
    "    /* the value is x.hi.lo 2^e with bit 126 set */\n"
    "    if (x.e + 126 < -1022)\n"
    "        x = shift_wide(x, -1022 - 126 - x.e > 200 ? 200 : -1022 - 126 - x.e);\n"
    "    q = x.hi >> 10;\n"
    "    rest = x.hi << 54 | (x.lo >> 10) | ((x.lo & 0x3ff) != 0);\n"
    "    if (rest > (uint64_t)1 << 63 || (rest == (uint64_t)1 << 63 && (q & 1)))\n        "
    "q++;\n"
    "    if (x.e + 126 > 1023)\n        return from_bits_f64(sign | (uint64_t)0x7ff << 52);\n"
    "    if (x.hi >> 62)\n        q += (uint64_t)(x.e + 126 + 1022) << 52;\n"
    "    return from_bits_f64(sign | q);\n}\n"
    "COT_COLD double\nfma_by_integers(double x, double y, double z)\n{\n"
    "    uint64_t bx = bits_f64(x), by = bits_f64(y), bz = bits_f64(z), m, n, low, mid, sign, "
    "other;\n"
    "    int ex, ey, ez;\n"
    "    cot_wide p, q, t;\n"
    "    if (x == 0 || y == 0 || x - x != 0 || y - y != 0)\n        return x * y + z;\n"
    "    if (z - z != 0)\n        return z;\n"
    "    if (z == 0)\n        return x * y;\n"
    "    m = part_f64(bx, &ex);\n    n = part_f64(by, &ey);\n"
    "    low = (m & 0xffffffffu) * (n & 0xffffffffu);\n"
    "    mid = (m >> 32) * (n & 0xffffffffu) + (low >> 32);\n"
    "    p.hi = (m >> 32) * (n >> 32) + (mid >> 32);\n"
    "    mid = (m & 0xffffffffu) * (n >> 32) + (mid & 0xffffffffu);\n"
    "    p.hi += mid >> 32;\n"
    "    p.lo = mid << 32 | (low & 0xffffffffu);\n"
    "    p.e = ex + ey - 2150;\n"
    "    while (!(p.hi >> 61))\n        p = shift_wide(p, -1);\n"
    "    q.hi = part_f64(bz, &ez) << 9;\n    q.lo = 0;\n    q.e = ez - 1075 - 73;\n"
    "    sign = (bx ^ by) & (uint64_t)1 << 63;\n    other = bz & (uint64_t)1 << 63;\n"
    "    if (q.e > p.e || (q.e == p.e && (q.hi > p.hi || (q.hi == p.hi && q.lo > p.lo)))) {\n"
    "        t = p;\n        p = q;\n        q = t;\n"
    "        m = sign;\n        sign = other;\n        other = m;\n    }\n"
    "    q = shift_wide(q, p.e - q.e > 200 ? 200 : p.e - q.e);\n"
    "    if (sign == other) {\n"
    "        p.lo += q.lo;\n        p.hi += q.hi + (p.lo < q.lo);\n"
    "    } else {\n"
    "        p.hi -= q.hi + (p.lo < q.lo);\n        p.lo -= q.lo;\n    }\n"
    "    return round_wide(p, sign);\n}\n"
    "#endif\n";

static const char scalars[] =
    "#if !(defined(COT_FMA32) && defined(COT_FMA64))\n"
    "COT_FN double\nmagnitude_f64(double x)\n{\n"
    "    return from_bits_f64(bits_f64(x) & UINT64_C(0x7fffffffffffffff));\n}\n"
    "/* s, whose error is e, rounded to odd: to the neighbour on e's side if s is even. */\n"
    "COT_FN double\nto_odd_f64(double s, double e)\n{\n"
    "    uint64_t b = bits_f64(s), c = bits_f64(e), n = (uint64_t)(magnitude_f64(e) > 0);\n"
    "    return from_bits_f64((b - ((b ^ c) >> 63 & n)) | n);\n}\n#endif\n"
    "#if defined(COT_FMA32)\n"
    "COT_FN float\nfma_f32(float x, float y, float z)\n{\n    return __builtin_fmaf(x, y, "
    "z);\n}\n"
    "#else\n"
    "COT_CALLED float\nfma_f32(float x, float y, float z)\n{\n"
    "    double p = (double)x * (double)y, s = p + (double)z, t = s - p;\n"
    "    if (bits_f64(s) & 0xfffffff)\n        return (float)s;\n"
    "    return (float)to_odd_f64(s, (p - (s - t)) + ((double)z - t));\n}\n"
    "#endif\n"
    "#if defined(COT_FMA64)\n"
    "COT_FN double\nfma_f64(double x, double y, double z)\n{\n    return __builtin_fma(x, y, "
    "z);\n}\n"
    "#elif defined(COT_FMA_BY_INTEGERS)\n"
    "COT_FN double\nfma_f64(double x, double y, double z)\n{\n"
    "    return fma_by_integers(x, y, z);\n}\n"
    "#else\n"
    "/* The upper 26 bits, rounded. */\n"
    "COT_FN double\nupper_f64(double x)\n{\n"
    "    return from_bits_f64((bits_f64(x) + 0x4000000u) & ~UINT64_C(0x7ffffff));\n}\n"
    "COT_CALLED double\nfma_f64(double x, double y, double z)\n{\n"
    "    double h = x * y, xh = upper_f64(x), yh = upper_f64(y), xl = x - xh, yl = y - yh;\n"
    "    double l = (((xh * yh - h) + xh * yl) + xl * yh) + xl * yl;\n"
    "    double s = h + z, u = s - h, t = (h - (s - u)) + (z - u);\n"
    "    double a = t + l, v = a - t, e = (t - (a - v)) + (l - v);\n"
    "    double r = s + to_odd_f64(a, e);\n"
    "    h = magnitude_f64(h);\n"
    "    return h > 0x1p-960 && h + magnitude_f64(r) < 0x1p1020 ? r : fma_by_integers(x, y, "
    "z);\n}\n"
    "#endif\n";

/* The method with x86's vectors of 128 bits. fma_x86_f32 converts the upper two lanes to f64
 * like the lower two. */
static const char x86[] =
    "#if defined(COT_SSE2) && !(defined(COT_FMA32) && defined(COT_FMA64))\n"
    "COT_FN __m128d\nto_odd_x86(__m128d s, __m128d e)\n{\n"
    "    __m128d n = _mm_cmplt_pd(_mm_setzero_pd(), _mm_andnot_pd(_mm_set1_pd(-0.0), e));\n"
    "    __m128i c = _mm_castpd_si128(_mm_and_pd(_mm_xor_pd(s, e), n));\n"
    "    c = _mm_sub_epi64(_mm_castpd_si128(s), _mm_srli_epi64(c, 63));\n"
    "    return _mm_castsi128_pd(_mm_or_si128(c, _mm_srli_epi64(_mm_castpd_si128(n), 63)));\n}"
    "\n#endif\n"
    "#if defined(COT_SSE2) && !defined(COT_FMA32)\n"
    "COT_FN __m128d\nsum_to_odd_x86(__m128d p, __m128d w, __m128d s)\n{\n"
    "    __m128d t = _mm_sub_pd(s, p);\n"
    "    return to_odd_x86(s, _mm_add_pd(_mm_sub_pd(p, _mm_sub_pd(s, t)), _mm_sub_pd(w, "
    "t)));\n}\n"
    "COT_CALLED __m128\nfma_x86_f32(__m128 x, __m128 y, __m128 z)\n{\n"
    "    __m128 x1 = _mm_movehl_ps(x, x), y1 = _mm_movehl_ps(y, y), z1 = _mm_movehl_ps(z, z);\n"
    "    __m128d p = _mm_mul_pd(_mm_cvtps_pd(x), _mm_cvtps_pd(y)), w = _mm_cvtps_pd(z);\n"
    "    __m128d q = _mm_mul_pd(_mm_cvtps_pd(x1), _mm_cvtps_pd(y1)), v = _mm_cvtps_pd(z1);\n"
    "    __m128d s = _mm_add_pd(p, w), t = _mm_add_pd(q, v);\n"
    "    __m128i m = _mm_castps_si128(_mm_shuffle_ps(_mm_castpd_ps(s), _mm_castpd_ps(t), "
    "0x88));\n"
    "    m = _mm_cmpeq_epi32(_mm_slli_epi32(m, 4), _mm_setzero_si128());\n"
    "    if (_mm_movemask_epi8(m) != 0) {\n"
    "        s = sum_to_odd_x86(p, w, s);\n        t = sum_to_odd_x86(q, v, t);\n    }\n"
    "    return _mm_movelh_ps(_mm_cvtpd_ps(s), _mm_cvtpd_ps(t));\n}\n"
    "#endif\n"
    "#if defined(COT_SSE2) && !defined(COT_FMA64) && !defined(COT_FMA_BY_INTEGERS)\n"
    "COT_COLD __m128d\nfma_x86_rest(__m128d x, __m128d y, __m128d z)\n{\n"
    "    __m128d zero = _mm_or_pd(_mm_cmpeq_pd(x, _mm_setzero_pd()), _mm_cmpeq_pd(y, "
    "_mm_setzero_pd()));\n"
    "    __m128d a = _mm_unpackhi_pd(x, x), b = _mm_unpackhi_pd(y, y), c = _mm_unpackhi_pd(z, "
    "z);\n"
    "    if (_mm_movemask_pd(zero) == 3)\n"
    "        return _mm_add_pd(_mm_mul_pd(x, y), z);\n"
    "    return _mm_set_pd(fma_f64(_mm_cvtsd_f64(a), _mm_cvtsd_f64(b), _mm_cvtsd_f64(c)),\n"
    "                      fma_f64(_mm_cvtsd_f64(x), _mm_cvtsd_f64(y), "
    "_mm_cvtsd_f64(z)));\n}\n"
    "COT_FN __m128d\nupper_x86(__m128d x)\n{\n"
    "    __m128i b = _mm_add_epi64(_mm_castpd_si128(x), _mm_set_epi32(0, 0x4000000, 0, "
    "0x4000000));\n"
    "    return _mm_castsi128_pd(_mm_and_si128(b, _mm_set_epi32(-1, -0x8000000, -1, "
    "-0x8000000)));\n}\n"
    "COT_CALLED __m128d\nfma_x86_f64(__m128d x, __m128d y, __m128d z)\n{\n"
    "    __m128d h = _mm_mul_pd(x, y), xh = upper_x86(x), yh = upper_x86(y);\n"
    "    __m128d xl = _mm_sub_pd(x, xh), yl = _mm_sub_pd(y, yh);\n"
    "    __m128d l = _mm_add_pd(_mm_sub_pd(_mm_mul_pd(xh, yh), h), _mm_mul_pd(xh, yl));\n"
    "    __m128d s = _mm_add_pd(h, z), u = _mm_sub_pd(s, h);\n"
    "    __m128d t = _mm_add_pd(_mm_sub_pd(h, _mm_sub_pd(s, u)), _mm_sub_pd(z, u)), a, e, r;\n"
    "    l = _mm_add_pd(_mm_add_pd(l, _mm_mul_pd(xl, yh)), _mm_mul_pd(xl, yl));\n"
    "    a = _mm_add_pd(t, l);\n    u = _mm_sub_pd(a, t);\n"
    "    e = _mm_add_pd(_mm_sub_pd(t, _mm_sub_pd(a, u)), _mm_sub_pd(l, u));\n"
    "    r = _mm_add_pd(s, to_odd_x86(a, e));\n"
    "    h = _mm_andnot_pd(_mm_set1_pd(-0.0), h);\n"
    "    u = _mm_add_pd(h, _mm_andnot_pd(_mm_set1_pd(-0.0), r));\n"
    "    u = _mm_and_pd(_mm_cmplt_pd(u, _mm_set1_pd(0x1p1020)), "
    "_mm_cmplt_pd(_mm_set1_pd(0x1p-960), h));\n"
    "    return _mm_movemask_pd(u) == 3 ? r : fma_x86_rest(x, y, z);\n}\n"
    "#endif\n";

void
cg_c_add_fma(cg_c_text *t)
{
    ir_buf_str(&t->common, integers);
    ir_buf_str(&t->common, scalars);
    ir_buf_str(&t->common, x86);
}

const char *
cg_c_vector_fma(cg_c_text *t, const cg_c_forms *f, cot_dtype type, int lanes)
{
    const int bytes = lanes * (int)cot_dtype_size(type);
    const char *n = cot_dtype_name(type), *m = cg_c_x86_type(t, 16, type);

    if (bytes == 16)
        return ir_format(t->arena, "return (%s)fma_x86_%s((%s)x, (%s)y, (%s)z);", f->type, n, m,
                         m, m);
    if (bytes < 16)
        return ir_format(
            t->arena,
            "__m128 r = fma_x86_f32(_mm_set_ps(0, 0, x[1], x[0]), _mm_set_ps(0, 0, y[1], "
            "y[0]),\n"
            "                           _mm_set_ps(0, 0, z[1], z[0]));\n"
            "    return (%s){ _mm_cvtss_f32(r), _mm_cvtss_f32(_mm_shuffle_ps(r, r, 1)) };",
            f->type);
    return ir_format(t->arena,
                     "union { %s v; %s m[%d]; } a = { x }, b = { y }, c = { z };\n"
                     "    for (int i = 0; i < %d; i++)\n"
                     "        a.m[i] = fma_x86_%s(a.m[i], b.m[i], c.m[i]);\n"
                     "    return a.v;",
                     f->type, m, bytes / 16, bytes / 16, n);
}
