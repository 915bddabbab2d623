/* NumPy's array files, versions 1 to 3.
 *
 * A file is the magic, a version, the length of a header, the header (a Python dictionary of
 * exactly 'descr', 'fortran_order' and 'shape', padded with spaces), then the elements.  The
 * file is not trusted: every length is checked against the number of bytes before it is used,
 * and the elements must fill the rest of the file exactly.
 *
 * Source: NumPy Enhancement Proposal 1, and numpy.lib.format. */
#include "runtime/npy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ir/array.h"
#include "ir/context.h"
#include "ir/diag.h"
#include "ir/limit.h"
#include "runtime/file.h"

static const struct {
    char kind;
    int size;
    cot_dtype dtype;
} npy_kinds[] = {
    { 'b', 1, COT_BOOL }, { 'i', 1, COT_I8 },  { 'i', 2, COT_I16 }, { 'i', 4, COT_I32 },
    { 'i', 8, COT_I64 },  { 'u', 1, COT_U8 },  { 'u', 2, COT_U16 }, { 'u', 4, COT_U32 },
    { 'u', 8, COT_U64 },  { 'f', 2, COT_F16 }, { 'f', 4, COT_F32 }, { 'f', 8, COT_F64 },
    { 'c', 8, COT_C64 },  { 'c', 16, COT_C128 },
};
#define N_KINDS (sizeof npy_kinds / sizeof *npy_kinds)

/* Reading the dictionary: a cursor over [at, end). */
typedef struct text {
    const char *at, *end;
} text;

static void
skip_blanks(text *t)
{
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\n' || *t->at == '\t'))
        t->at++;
}

static bool
take(text *t, const char *word)
{
    size_t n = strlen(word);

    skip_blanks(t);
    if ((size_t)(t->end - t->at) < n || memcmp(t->at, word, n) != 0)
        return false;
    t->at += n;
    return true;
}

/* Reads a quoted word of at most cap - 1 characters. */
static bool
take_quoted(text *t, char *out, size_t cap)
{
    char quote;
    size_t n = 0;

    skip_blanks(t);
    if (t->at == t->end || (*t->at != '\'' && *t->at != '"'))
        return false;
    quote = *t->at++;
    while (t->at < t->end && *t->at != quote && n + 1 < cap)
        out[n++] = *t->at++;
    out[n] = '\0';
    if (t->at == t->end || *t->at != quote)
        return false;
    t->at++;
    return true;
}

static bool
take_size(text *t, int64_t *out)
{
    int64_t x = 0;

    skip_blanks(t);
    if (t->at == t->end || *t->at < '0' || *t->at > '9')
        return false;
    for (; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++)
        if (__builtin_mul_overflow(x, 10, &x) || __builtin_add_overflow(x, *t->at - '0', &x))
            return false;
    if (t->at < t->end && *t->at == 'L') /* a suffix that Python 2 writes */
        t->at++;
    *out = x;
    return true;
}

static const char *
read_descr(rt_npy *h, const char *d)
{
    static const union {
        uint16_t word;
        uint8_t first;
    } order = { 1 };
    const char native = order.first ? '<' : '>';
    char mark = *d;
    int size = 0, digits = 0;

    if (strlen(d) < 3 || !strchr("<>=|", mark))
        return "its descr is not that of a plain element type";
    for (const char *c = d + 2; *c >= '0' && *c <= '9' && digits < 3; c++, digits++)
        size = 10 * size + (*c - '0');
    if (d[2 + digits] != '\0')
        return "its descr is not that of a plain element type";
    for (size_t i = 0; i < N_KINDS; i++) {
        if (npy_kinds[i].kind == d[1] && npy_kinds[i].size == size) {
            h->dtype = npy_kinds[i].dtype;
            h->swap = size > 1 && (mark == '<' || mark == '>') && mark != native;
            return NULL;
        }
    }
    return "its element type is not one of bool, i8 to i64, u8 to u64, f16, f32, f64, c64, "
           "c128";
}

static const char *
read_shape(rt_npy *h, text *t)
{
    bool comma = true;

    if (!take(t, "("))
        return "its shape is not a tuple";
    h->rank = 0;
    while (!take(t, ")")) {
        if (!comma)
            return "its shape is not a tuple of sizes";
        if (h->rank == COT_MAX_RANK)
            return "its rank is above 64";
        if (!take_size(t, &h->dims[h->rank++]))
            return "its shape is not a tuple of sizes";
        comma = take(t, ",");
    }
    return NULL;
}

static const char *
read_dictionary(rt_npy *h, text *t)
{
    bool descr = false, order = false, shape = false;
    char key[16], value[16];
    const char *wrong = NULL;

    if (!take(t, "{"))
        return "its header is not a dictionary";
    while (!wrong && !take(t, "}")) {
        if (!take_quoted(t, key, sizeof key) || !take(t, ":"))
            return "its header is not a dictionary of descr, fortran_order and shape";
        if (strcmp(key, "descr") == 0 && !descr) {
            descr = true;
            if (!take_quoted(t, value, sizeof value))
                return "its descr is not that of a plain element type";
            wrong = read_descr(h, value);
        } else if (strcmp(key, "fortran_order") == 0 && !order) {
            order = true;
            h->fortran = take(t, "True");
            if (!h->fortran && !take(t, "False"))
                return "its fortran_order is neither True nor False";
        } else if (strcmp(key, "shape") == 0 && !shape) {
            shape = true;
            wrong = read_shape(h, t);
        } else {
            return "its header has a key other than descr, fortran_order and shape, or one "
                   "twice";
        }
        if (!wrong && !take(t, ",") && (skip_blanks(t), t->at == t->end || *t->at != '}'))
            return "its header is not a dictionary";
    }
    if (wrong)
        return wrong;
    skip_blanks(t);
    if (!descr || !order || !shape)
        return "its header lacks one of descr, fortran_order and shape";
    return t->at == t->end ? NULL : "its header goes on after the dictionary";
}

const char *
rt_npy_prefix(const void *file, size_t size, size_t *data)
{
    const uint8_t *p = file;
    size_t at, length;

    if (size < 10 || memcmp(p, "\x93NUMPY", 6) != 0)
        return "it is not an npy file";
    if (p[6] < 1 || p[6] > 3)
        return "its version is not 1, 2 or 3";
    if (p[6] > 1 && size < RT_NPY_PREFIX)
        return "it ends inside its header";
    at = p[6] == 1 ? 10 : 12;
    length = p[6] == 1
                 ? (size_t)p[8] | (size_t)p[9] << 8
                 : (size_t)p[8] | (size_t)p[9] << 8 | (size_t)p[10] << 16 | (size_t)p[11] << 24;
    if (length > size - at)
        return "it ends inside its header";
    *data = at + length;
    return NULL;
}

const char *
rt_npy_header(rt_npy *h, const void *file, size_t size)
{
    const char *p = file, *wrong;
    bool none = false;
    size_t count;
    text t;

    memset(h, 0, sizeof *h);
    wrong = rt_npy_prefix(file, size, &h->data);
    if (wrong)
        return wrong;
    t = (text){ p + (p[6] == 1 ? 10 : 12), p + h->data };
    wrong = read_dictionary(h, &t);
    if (wrong)
        return wrong;
    for (int i = 0; i < h->rank; i++)
        none |= h->dims[i] == 0;
    count = none ? 0 : cot_dtype_size(h->dtype);
    for (int i = 0; i < h->rank && !none; i++)
        if (__builtin_mul_overflow(count, (size_t)h->dims[i], &count))
            return "its shape has more elements than the file holds";
    h->bytes = count;
    if (size - h->data < h->bytes)
        return "it holds fewer elements than its shape says";
    if (size - h->data > h->bytes)
        return "it holds more bytes than its shape says";
    return NULL;
}

static void
copy_element(char *to, const char *from, size_t n, bool swap)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[swap ? n - 1 - i : i];
}

/* The position of the file's element i in row-major order, if its first axis varies fastest. */
static size_t
place_of(const rt_npy *h, size_t i)
{
    size_t at = 0, index[COT_MAX_RANK];

    for (int k = 0; k < h->rank; k++) {
        index[k] = i % (size_t)h->dims[k];
        i /= (size_t)h->dims[k];
    }
    for (int k = 0; k < h->rank; k++)
        at = at * (size_t)h->dims[k] + index[k];
    return at;
}

const char *
rt_npy_elements(const rt_npy *h, size_t first, const void *from, size_t bytes, void *out)
{
    const size_t size = cot_dtype_size(h->dtype), part = cot_dtype_size(ir_part_type(h->dtype));
    const bool moves = h->fortran && h->rank > 1;
    const uint8_t *p = from;

    if (h->dtype == COT_BOOL)
        for (size_t i = 0; i < bytes; i++)
            if (p[i] > 1)
                return "a bool in it is neither 0 nor 1";
    if (!h->swap && !moves) {
        if (bytes)
            memcpy((char *)out + first, from, bytes);
        return NULL;
    }
    for (size_t i = 0; i < bytes; i += size) {
        char *to = (char *)out + (moves ? place_of(h, (first + i) / size) * size : first + i);

        for (size_t k = 0; k < size; k += part)
            copy_element(to + k, (const char *)from + i + k, part, h->swap);
    }
    return NULL;
}

cot_status
rt_npy_array(cot_context *ctx, const rt_npy *h, cot_array **out)
{
    cot_type type = { h->dtype, h->rank, { 0 }, h->dims };

    for (int i = 0; i < h->rank && i < 8; i++)
        type.dims[i] = h->dims[i];
    if (!ir_type_of(ctx, &type))
        return ctx->status;
    *out = ir_array_new(ctx, &type, NULL);
    return *out ? COT_OK : ir_fail(ctx, 0, NULL, ERR_memory);
}

static cot_status
read_npy(cot_context *ctx, const char *path, const void *file, size_t size, cot_array **out)
{
    rt_npy h;
    const char *wrong = rt_npy_header(&h, file, size);

    COT_TRY(ir_check(ctx));
    if (!wrong)
        COT_TRY(rt_npy_array(ctx, &h, out));
    for (size_t at = 0; !wrong && at < h.bytes; at += RT_NPY_BLOCK) {
        COT_TRY(ir_check(ctx));
        wrong = rt_npy_elements(&h, at, (const char *)file + h.data + at,
                                h.bytes - at < RT_NPY_BLOCK ? h.bytes - at : RT_NPY_BLOCK,
                                (*out)->data);
    }
    return wrong ? ir_fail(ctx, 0, NULL, ERR_file, path, wrong) : COT_OK;
}

cot_status
cot_npy_read(cot_context *ctx, const char *path, cot_array **out)
{
    volatile cot_status status = COT_ERR_MEMORY;
    size_t size;

    if (!ctx || !path || !out)
        return ir_fail_null(ctx, "npy_read", path ? "the result" : "the path");
    const void *file = rt_file_map(path, &size);
    const int error = errno;

    *out = NULL;
    IR_TRY(ctx) {
        status = file ? read_npy(ctx, path, file, size, out)
                      : ir_fail_io(ctx, path, error);
    }
    rt_file_unmap(file, size);
    if (status != COT_OK) {
        cot_array_free(*out);
        *out = NULL;
    }
    return status;
}

/* The header of version 1, padded so that the elements begin at a multiple of 64 bytes.  Its
 * length is bounded: 64 axes of at most 20 digits each. */
size_t
rt_npy_write_header(char out[RT_NPY_HEAD], const cot_type *type)
{
    const int64_t *dims = type->rank > 8 ? type->more : type->dims;
    cot_dtype dtype = type->dtype == COT_BF16 ? COT_U16 : type->dtype;
    const size_t cap = RT_NPY_HEAD;
    char kind = 'b';
    size_t n = 10, end;

    for (size_t i = 0; i < N_KINDS; i++)
        if (npy_kinds[i].dtype == dtype)
            kind = npy_kinds[i].kind;
    n += (size_t)snprintf(out + n, cap - n,
                          "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (",
                          cot_dtype_size(dtype) == 1 ? '|' : '<', kind, cot_dtype_size(dtype));
    for (int i = 0; i < type->rank; i++)
        n += (size_t)snprintf(out + n, cap - n, "%lld%s", (long long)dims[i],
                              type->rank == 1      ? ","
                              : i + 1 < type->rank ? ", "
                                                   : "");
    n += (size_t)snprintf(out + n, cap - n, "), }");
    end = (n + 1 + 63) / 64 * 64;
    memset(out + n, ' ', end - n);
    out[end - 1] = '\n';
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)((end - 10) & 0xff);
    out[9] = (char)((end - 10) >> 8);
    return end;
}

cot_status
rt_npy_write_whole(cot_context *ctx, const char *path, const cot_array *a)
{
    volatile cot_status status = COT_OK;
    char header[RT_NPY_HEAD];

    if (!ctx)
        return COT_ERR_ARG;
    if (!path || !a) {
        IR_TRY (ctx) {
            status =
                ir_fail(ctx, 0, NULL, ERR_usage, "the path or the array is NULL; wants both");
        }
        IR_CAUGHT(ctx)
        {
            status = COT_ERR_MEMORY;
        }
        return status;
    }
    COT_TRY(rt_want_here(ctx, a));
    const size_t head = rt_npy_write_header(header, &a->type);
    const int why =
        rt_file_write(path, 2, (rt_part[]){ { header, head }, { a->data, a->bytes } });
    if (!why)
        return COT_OK;
    status = COT_ERR_MEMORY;
    IR_TRY(ctx) {
        status = ir_fail_io(ctx, path, why);
    }
    return status;
}
