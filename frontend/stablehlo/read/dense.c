/* dense<...> : the elements of a constant.
 *
 * One element stands for all; else lists are nested as the axes are, or the bytes are a string
 * of hexadecimal digits (little endian; of i1 one byte or one bit an element).  The type stands
 * after, so the end is found first: elements have no '>'.  Decimal fractions of up to 15
 * digits with a small exponent are exact in double arithmetic; all others go to strtod.
 * Source: W. D. Clinger, How to read floating point numbers accurately, PLDI 1990. */
#include "frontend/stablehlo/read/tree.h"

#include <stdlib.h>

#include "ir/number.h"
#include "ir/scalar.h"

/* ---- hexadecimal ---- */

static int
digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

static bool
unhex(hlo_span s, uint8_t *to)
{
    int8_t value_of[256];

    for (int i = 0; i < 256; i++)
        value_of[i] = (int8_t)digit((char)i);
    for (size_t i = 0; i < s.n / 2; i++) {
        const int high = value_of[(uint8_t)s.at[2 * i]],
                  low = value_of[(uint8_t)s.at[2 * i + 1]];
        if ((high | low) < 0)
            return false;
        to[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* Eight elements a byte, the first the lowest bit. */
static uint8_t *
spread_bits(ir_arena *a, const uint8_t *bits, int64_t n)
{
    uint8_t *to = ir_alloc(a, (size_t)n);

    for (int64_t i = 0; i < n; i++)
        to[i] = bits[i >> 3] >> (i & 7) & 1;
    return to;
}

/* One byte for all elements, not bits of eight. */
static bool
is_truth(uint8_t byte)
{
    return byte <= 1 || byte == 0xff;
}

/* One byte an element, of which the low bits count. */
static bool
small_blob(hlo_reader *r, const char *at, const hlo_type *type, const uint8_t *bytes, size_t n,
           hlo_attr *out)
{
    const hlo_small *s = type->small;
    uint8_t *to = ir_alloc(r->a, n * cot_dtype_size(s->storage) + 1);

    if (n != (size_t)type->type->size && n != 1)
        return fe_hlo_wants(
            r, at, ir_format(r->a, "%lld bytes, one an element", (long long)type->type->size));
    out->bytes = to;
    out->splat = n == 1 && type->type->size != 1;
    for (size_t i = 0; i < n; i++) {
        const unsigned low = bytes[i] & ((1u << s->bits) - 1), sign = 1u << (s->bits - 1);
        const float x = s->storage == COT_F32 ? fe_hlo_small_decode(s, low) : 0;
        if (s->storage == COT_F32)
            memcpy(to + i * sizeof x, &x, sizeof x);
        else
            to[i] = (uint8_t)(s->storage == COT_I8 ? (low ^ sign) - sign : low);
    }
    return true;
}

/* skipped: digits before the elements */
static bool
blob(hlo_reader *r, const char *at, hlo_span s, size_t skipped, const hlo_type *type,
     hlo_attr *out)
{
    const ir_type *t = type->type;
    const size_t size = cot_dtype_size(t->dtype), all = size * (size_t)t->size;

    if (s.n < 2 + skipped || s.at[0] != '0' || s.at[1] != 'x' || s.n % 2)
        return fe_hlo_wants(r, at, "a string of 0x and pairs of hexadecimal digits");
    s = (hlo_span){ s.at + 2 + skipped, s.n - 2 - skipped };
    const size_t n = s.n / 2;
    uint8_t *bytes = ir_alloc(r->a, n);
    if (!unhex(s, bytes))
        return fe_hlo_wants(r, at, "hexadecimal digits");
    out->bytes = bytes;
    if (type->small)
        return small_blob(r, at, type, bytes, n, out);
    if (t->dtype == COT_BOOL && n != all && n == (size_t)(t->size + 7) / 8 &&
        (n > 1 || !is_truth(*bytes))) {
        out->bytes = spread_bits(r->a, bytes, t->size);
        return true;
    }
    if (n != all && n != size)
        return fe_hlo_wants(
            r, at,
            ir_format(r->a, "%zu bytes, as many as %s has", all, ir_type_str(r->ctx, t)));
    out->splat = n == size && n != all;
    for (size_t i = 0; t->dtype == COT_BOOL && i < n; i++)
        bytes[i] = bytes[i] != 0;
    return true;
}

/* ---- decimal ---- */

static double
decimal(const char *s, const char *end, const char **rest)
{
    static const double power[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    const char *p = s;
    char copy[64];
    uint64_t m = 0;
    int digits = 0, scale = 0, e = 0, sign;
    bool minus = p < end && *p == '-';

    p += minus;
    const char *first = p;
    for (; p < end && *p >= '0' && *p <= '9'; p++, digits += m != 0)
        m = digits < 18 ? 10 * m + (uint64_t)(*p - '0') : m;
    if (p < end && *p == '.')
        for (p++; p < end && *p >= '0' && *p <= '9'; p++, digits += m != 0, scale--)
            m = digits < 18 ? 10 * m + (uint64_t)(*p - '0') : m;
    if (p > first && p < end && (*p == 'e' || *p == 'E')) {
        p++;
        sign = p < end && *p == '-' ? -1 : 1;
        p += p < end && (*p == '-' || *p == '+');
        for (; p < end && *p >= '0' && *p <= '9'; p++)
            e = e < 10000 ? 10 * e + (*p - '0') : e;
        scale += sign * e;
    }
    *rest = p > first ? p : s;
    if (digits <= 15 && scale >= -22 && scale <= 22) {
        const double x = scale < 0 ? (double)m / power[-scale] : (double)m * power[scale];
        return minus ? -x : x;
    }
    const size_t n = (size_t)(p - s);
    if (n >= sizeof copy) {
        *rest = s;
        return 0;
    }
    memcpy(copy, s, n);
    copy[n] = '\0';
    return ir_strtod(copy, NULL);
}

static void
store_float(cot_dtype t, double x, uint8_t *to)
{
    const float f = (float)x;
    const uint16_t h = t == COT_F16    ? cot_f32_to_f16(f)
                       : t == COT_BF16 ? cot_f32_to_bf16(f)
                                       : 0;

    if (t == COT_F64)
        memcpy(to, &x, sizeof x);
    else if (t == COT_F32)
        memcpy(to, &f, sizeof f);
    else
        memcpy(to, &h, sizeof h);
}

/* 0x and the bits, all of them for a float; for an integer a number. */
static bool
hex_element(hlo_reader *r, cot_dtype t, const hlo_small *small, uint8_t *to)
{
    const char *start = r->at;
    const size_t size = cot_dtype_size(t);
    uint64_t x = 0;
    size_t n = 0;

    for (r->at += 2; r->at < r->end && digit(*r->at) >= 0; r->at++, n++)
        x = x << 4 | (uint64_t)digit(*r->at);
    if (small && n > 0 && x >> small->bits == 0 && t == COT_F32) {
        const float y = fe_hlo_small_decode(small, (unsigned)x);
        memcpy(to, &y, sizeof y);
        return true;
    }
    if (n == 0 || small || n > 2 * size || t == COT_BOOL)
        return fe_hlo_wants(
            r, start,
            ir_format(r->a, "the bits of a %s", small ? small->name : cot_dtype_name(t)));
    memcpy(to, &x, size);
    return true;
}

static bool
integer_element(hlo_reader *r, cot_dtype t, const hlo_small *small, uint8_t *to)
{
    const char *start = r->at;
    const int bits = small ? small->bits : ir_bits(t);
    const char *name = small ? small->name : cot_dtype_name(t);
    const bool minus = fe_hlo_try(r, "-");
    const uint64_t limit = minus             ? (uint64_t)1 << (bits - 1)
                           : ir_is_signed(t) ? ((uint64_t)1 << (bits - 1)) - 1
                           : bits == 64      ? UINT64_MAX
                                             : ((uint64_t)1 << bits) - 1;
    uint64_t x = 0;
    const char *first = r->at;

    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        const unsigned d = (unsigned)(*r->at - '0');
        if (d > limit || x > (limit - d) / 10)
            return fe_hlo_wants(r, start, ir_format(r->a, "a number that fits %s", name));
        x = 10 * x + d;
    }
    if (r->at == first || (minus && !ir_is_signed(t) && x != 0))
        return fe_hlo_wants(r, start, ir_format(r->a, "a number that fits %s", name));
    x = minus ? 0 - x : x;
    memcpy(to, &x, cot_dtype_size(t));
    return true;
}

static bool
real_element(hlo_reader *r, cot_dtype t, const hlo_small *small, uint8_t *to)
{
    const char *rest;

    fe_hlo_skip(r);
    if (r->end - r->at > 1 && r->at[0] == '0' && (r->at[1] == 'x' || r->at[1] == 'X'))
        return hex_element(r, t, small, to);
    if (!ir_is_float(t))
        return integer_element(r, t, small, to);
    const double x = decimal(r->at, r->end, &rest);
    if (rest == r->at)
        return fe_hlo_wants(r, r->at, "a number");
    r->at = rest;
    store_float(t, small ? (double)fe_hlo_small_round(small, x) : x, to);
    return true;
}

static bool
element(hlo_reader *r, cot_dtype t, const hlo_small *small, uint8_t *to)
{
    if (t == COT_BOOL) {
        const char *start = r->at;
        const hlo_span s = fe_hlo_word(r);

        *to = fe_hlo_is(s, "true") || fe_hlo_is(s, "1");
        return *to || fe_hlo_is(s, "false") || fe_hlo_is(s, "0") ||
               fe_hlo_wants(r, start, "true or false");
    }
    if (ir_is_complex(t)) {
        const cot_dtype part = cot_dtype_size(t) == 8 ? COT_F32 : COT_F64;
        return fe_hlo_expect(r, "(") && real_element(r, part, NULL, to) &&
               fe_hlo_expect(r, ",") &&
               real_element(r, part, NULL, to + cot_dtype_size(part)) && fe_hlo_expect(r, ")");
    }
    return real_element(r, t, small, to);
}

static bool
nested(hlo_reader *r, const hlo_type *type, int axis, uint8_t **to)
{
    const ir_type *t = type->type;

    if (axis == t->rank) {
        const bool good = element(r, t->dtype, type->small, *to);
        *to += cot_dtype_size(t->dtype);
        return good;
    }
    if (!fe_hlo_expect(r, "["))
        return false;
    for (int64_t i = 0; i < t->dims[axis]; i++)
        if ((i > 0 && !fe_hlo_expect(r, ",")) || !nested(r, type, axis + 1, to))
            return false;
    return fe_hlo_expect(r, "]");
}

/* ---- both ---- */

/* All elements are in the rest of the text: no allocation is larger than it can fill. */
static bool
elements(hlo_reader *r, const hlo_type *type, const char *start, const char *stop,
         hlo_attr *out)
{
    const ir_type *t = type->type;
    const size_t size = cot_dtype_size(t->dtype);

    r->at = start;
    if (fe_hlo_peek(r, ">"))
        return t->size == 0 || fe_hlo_wants(r, r->at, "elements");
    out->splat = !fe_hlo_peek(r, "[");
    if (!out->splat && (uint64_t)t->size > (uint64_t)(stop - start))
        return fe_hlo_wants(
            r, start, ir_format(r->a, "as many elements as %s has", ir_type_str(r->ctx, t)));
    uint8_t *bytes = ir_alloc(r->a, out->splat ? size : size * (size_t)t->size + 1),
            *to = bytes;
    out->bytes = bytes;
    if (!(out->splat ? element(r, t->dtype, type->small, bytes) : nested(r, type, 0, &to)))
        return false;
    return fe_hlo_peek(r, ">") || fe_hlo_wants(r, r->at, "'>'");
}

bool
fe_hlo_dense(hlo_reader *r, hlo_attr *out)
{
    hlo_span s = { NULL, 0 };

    out->kind = HLO_DENSE;
    fe_hlo_skip(r);
    const char *start = r->at, *stop, *back;
    if (fe_hlo_peek(r, "\"") && !fe_hlo_string(r, &s))
        return false;
    stop = memchr(r->at, '>', (size_t)(r->end - r->at));
    if (!stop)
        return fe_hlo_wants(r, start, "dense<...> to end");
    r->at = stop + 1;
    if (!fe_hlo_expect(r, ":") || !(out->type = fe_hlo_type(r)))
        return false;
    if (out->type->kind != HLO_TENSOR || !out->type->type)
        return true; /* the op that uses the constant reports what is wrong with the type */
    back = r->at;
    if (s.at ? !blob(r, start, s, 0, out->type, out)
             : !elements(r, out->type, start, stop, out))
        return false;
    r->at = back;
    return true;
}

/* ---- resources: bytes by name, at the end of the text ---- */

struct hlo_resources {
    ir_map at;
    hlo_span *name, *bytes;
    uint32_t n, cap, m, cap_bytes;
};

/* After `builtin: {`: name: "0x...", ... */
static bool
read_resources(hlo_reader *r, struct hlo_resources *s)
{
    hlo_span name, bytes;

    while (!fe_hlo_peek(r, "}")) {
        if (fe_hlo_peek(r, "\"") ? !fe_hlo_string(r, &name) : (name = fe_hlo_word(r)).n == 0)
            return fe_hlo_wants(r, r->at, "the name of a resource");
        if (!fe_hlo_expect(r, ":") || !fe_hlo_string(r, &bytes))
            return false;
        IR_PUSH(r->a, s->name, s->n, s->cap, name);
        IR_PUSH(r->a, s->bytes, s->m, s->cap_bytes, bytes);
        ir_map_add(&s->at, ir_hash(0, name.at, name.n), s->n);
        if (!fe_hlo_try(r, ","))
            break;
    }
    return fe_hlo_expect(r, "}");
}

/* {-# dialect_resources: { builtin: { ... } }, external_resources: { ... } #-}, found from
 * where the cursor is. */
static bool
find_resources(hlo_reader *r)
{
    const char *s = r->at;
    const char *const back = r->at;
    hlo_span rest;

    r->resources = IR_NEW(r->a, struct hlo_resources);
    ir_map_init(&r->resources->at, r->a);
    while ((s = memchr(s, '{', (size_t)(r->end - s))) &&
           (r->end - s < 3 || s[1] != '-' || s[2] != '#'))
        s++;
    if (!s)
        return true;
    r->at = s + 3;
    while (!fe_hlo_peek(r, "#-}")) {
        const bool dialect = fe_hlo_is(fe_hlo_word(r), "dialect_resources");
        if (!fe_hlo_expect(r, ":") || !fe_hlo_expect(r, "{"))
            return false;
        if (dialect && fe_hlo_try_word(r, "builtin") &&
            (!fe_hlo_expect(r, ":") || !fe_hlo_expect(r, "{") ||
             !read_resources(r, r->resources)))
            return false;
        if (!fe_hlo_balanced(r, '}', &rest))
            return false;
        fe_hlo_try(r, ",");
    }
    r->at = back;
    return true;
}

/* name> : type.  The bytes of the resource are four of its alignment, then the elements. */
bool
fe_hlo_dense_resource(hlo_reader *r, hlo_attr *out)
{
    hlo_span name;
    uint32_t k = 0, id;

    out->kind = HLO_DENSE;
    fe_hlo_skip(r);
    const char *start = r->at;
    if (fe_hlo_peek(r, "\"") ? !fe_hlo_string(r, &name) : (name = fe_hlo_word(r)).n == 0)
        return fe_hlo_wants(r, start, "the name of a resource");
    if (!fe_hlo_expect(r, ">") || !fe_hlo_expect(r, ":") || !(out->type = fe_hlo_type(r)) ||
        (!r->resources && !find_resources(r)))
        return false;
    const struct hlo_resources *s = r->resources;
    while ((id = ir_map_next(&s->at, ir_hash(0, name.at, name.n), &k)) != 0)
        if (s->name[id - 1].n == name.n && memcmp(s->name[id - 1].at, name.at, name.n) == 0)
            break;
    if (id == 0)
        return fe_hlo_wants(r, start,
                            "a resource that the end of the text holds; elements that were "
                            "left out cannot be imported");
    const hlo_span b = s->bytes[id - 1];
    if (out->type->kind != HLO_TENSOR || !out->type->type)
        return true; /* the op that uses the constant reports what is wrong with the type */
    return blob(r, b.at, b, 8, out->type, out);
}
