/* What texts are made of besides words: integers, types, numbers of any element type. */
#include <errno.h>
#include <stdlib.h>

#include "ir/diag.h"
#include "ir/number.h"
#include "ir/reader.h"
#include "ir/scalar.h"
#include "ir/sized.h"
#include "ir/suggest.h"

/* A prefix 0x means base 16; a leading zero has no meaning. */
static int
base_of(const char *s)
{
    s += *s == '-';
    return s[0] == '0' && (s[1] == 'x' || s[1] == 'X') ? 16 : 10;
}

bool
ir_read_integer(ir_reader *p, int64_t *x)
{
    ir_read_skip(p);
    if (p->sizes && !ir_read_is_plain(p))
        return ir_read_expression(p, x);
    const char *start = p->at;
    const char *s = ir_read_word(p, "an integer");
    char *rest;
    if (!s)
        return false;
    errno = 0;
    *x = strtoll(s, &rest, base_of(s));
    if (errno || *rest) {
        p->at = start;
        return ir_read_wants(p, "an integer");
    }
    return true;
}

bool
ir_read_ints(ir_reader *p, ir_ints *out)
{
    int64_t *list = NULL, x = 0;
    uint32_t n = 0, cap = 0;
    if (!ir_read_expect(p, "["))
        return false;
    if (!ir_read_try(p, "]"))
        do {
            if (!ir_read_integer(p, &x))
                return false;
            IR_PUSH(p->a, list, n, cap, x);
        } while (ir_read_try(p, ",") || (!ir_read_expect(p, "]") && false) ||
                 (p->at[-1] != ']' && !p->failed));
    *out = (ir_ints){ (int)n, list };
    return !p->failed;
}

cot_dtype
ir_read_dtype(ir_reader *p)
{
    ir_read_skip(p);
    const char *start = p->at, *s = ir_read_word(p, "an element type");
    for (int t = COT_BOOL; s && t < COT_DTYPE_COUNT; t++)
        if (strcmp(s, cot_dtype_name((cot_dtype)t)) == 0)
            return (cot_dtype)t;
    ir_suggestion near = ir_suggest(s ? s : "");
    for (int t = COT_BOOL; s && t < COT_DTYPE_COUNT; t++)
        ir_suggest_try(&near, cot_dtype_name((cot_dtype)t));
    p->at = start;
    ir_read_wants(p, ir_format(p->a, "an element type%s", ir_suggest_text(&near)));
    return COT_DTYPE_NONE;
}

static const ir_type *
negative_length(ir_reader *p, int axis, int64_t is)
{
    ir_fail(p->ctx, ir_loc_file(p->ctx, p->file, p->line), NULL, ERR_parse,
            ir_format(p->a, "axis %d has size %lld%s", axis, (long long)is,
                      ir_sizes_text(p->sizes, p->a)),
            "0 or more, for which a fact such as 'where n >= 1' may help");
    p->failed = true;
    return NULL;
}

const ir_type *
ir_read_type(ir_reader *p)
{
    ir_ints dims;
    cot_dtype t = ir_read_dtype(p);
    if (!t || !ir_read_ints(p, &dims))
        return NULL;
    if (dims.n > COT_MAX_RANK) {
        ir_read_wants(p, "at most 64 axes");
        return NULL;
    }
    for (int k = 0; p->sizes && k < dims.n; k++)
        if (dims.at[k] < 0)
            return negative_length(p, k, dims.at[k]);
    p->ctx->here = (ir_here){ ir_loc_file(p->ctx, p->file, p->line), NULL };
    const ir_type *made = ir_type_new(p->ctx, t, dims.n, dims.at);
    p->ctx->here = (ir_here){ 0, NULL };
    p->failed |= made == NULL;
    return made;
}

static void
store_float(cot_dtype t, const char *s, char **rest, void *out)
{
    if (t == COT_F64)
        *(double *)out = ir_strtod(s, rest);
    else if (t == COT_F32)
        *(float *)out = ir_strtof(s, rest);
    else
        *(uint16_t *)out = t == COT_F16 ? cot_f32_to_f16(ir_strtof(s, rest))
                                        : cot_f32_to_bf16(ir_strtof(s, rest));
}

/* (re, im), or a real number. */
static bool
read_complex(ir_reader *p, cot_dtype part, char *out)
{
    const size_t size = cot_dtype_size(part);
    memset(out, 0, 2 * size);
    if (!ir_read_try(p, "("))
        return ir_read_element(p, part, out);
    return ir_read_element(p, part, out) && ir_read_expect(p, ",") &&
           ir_read_element(p, part, out + size) && ir_read_expect(p, ")");
}

/* An integer that is to fit type t, of which `s` has the bits. */
static bool
fits(cot_dtype t, int64_t x)
{
    const int bits = 8 * (int)cot_dtype_size(t);

    if (!ir_is_signed(t))
        return x >= 0 && (bits == 64 || x >> bits == 0);
    return bits == 64 || (x >= -((int64_t)1 << (bits - 1)) && x < (int64_t)1 << (bits - 1));
}

/* A number that is made of sizes, rounded once. */
static bool
read_made(ir_reader *p, cot_dtype t, void *out)
{
    int64_t i;
    double x;

    if (!ir_is_float(t)) {
        if (!ir_read_expression(p, &i))
            return false;
        memcpy(out, &i, cot_dtype_size(t));
        return fits(t, i) ||
               ir_read_wants(p, ir_format(p->a, "a number that fits %s before this%s",
                                          cot_dtype_name(t), ir_sizes_text(p->sizes, p->a)));
    }
    if (!ir_read_real(p, &x))
        return false;
    if (t == COT_F64)
        *(double *)out = x;
    else if (t == COT_F32)
        *(float *)out = (float)x;
    else
        *(uint16_t *)out = t == COT_F16 ? cot_f32_to_f16((float)x) : cot_f32_to_bf16((float)x);
    return true;
}

/* Decimal; for floats also nan, inf, and 0x with the bits. */
static bool
read_plain(ir_reader *p, cot_dtype t, void *out)
{
    ir_read_skip(p);
    const char *start = p->at;
    if (p->at < p->end && *p->at == '+')
        p->at++;
    const char *s = ir_read_word(p, "a number");
    if (!s)
        return false;
    if (p->at < p->end && *p->at == '+' && (p->at[-1] == 'e' || p->at[-1] == 'E')) {
        p->at++;
        const char *more = ir_read_word(p, "an exponent");
        s = more ? ir_format(p->a, "%s%s", s, more) : s;
    }
    char *rest = NULL;
    size_t bytes = cot_dtype_size(t);
    errno = 0;
    if (t == COT_BOOL) {
        bool yes = strcmp(s, "true") == 0;
        *(uint8_t *)out = yes;
        rest = yes || strcmp(s, "false") == 0 ? "" : "?";
    } else if (!ir_is_float(t) || (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))) {
        unsigned long long x = s[0] == '-' ? (unsigned long long)strtoll(s, &rest, base_of(s))
                                           : strtoull(s, &rest, base_of(s));
        int64_t low = ir_is_signed(t) ? INT64_MIN >> (64 - 8 * bytes) : 0;
        uint64_t high = ir_is_signed(t) ? (uint64_t)1 << (8 * bytes - 1)
                        : bytes == 8    ? UINT64_MAX
                                        : (1ull << 8 * bytes);
        if (s[0] == '-' ? (int64_t)x < low : bytes == 8 && !ir_is_signed(t) ? false : x >= high)
            errno = ERANGE;
        memcpy(out, &x, bytes);
        if (errno == 0 && *rest == '\0')
            return true;
        p->at = start;
        return ir_read_wants(p, ir_format(p->a, "a number that fits %s", cot_dtype_name(t)));
    } else {
        store_float(t, s, &rest, out);
    }
    if (*rest) {
        p->at = start;
        return ir_read_wants(p, "a number");
    }
    return true;
}

/* One number of a constant; a pair for complex types. */
bool
ir_read_element(ir_reader *p, cot_dtype t, void *out)
{
    if (ir_is_complex(t))
        return read_complex(p, ir_part_type(t), out);
    return p->sizes && t != COT_BOOL && !ir_read_is_plain(p) ? read_made(p, t, out)
                                                             : read_plain(p, t, out);
}
