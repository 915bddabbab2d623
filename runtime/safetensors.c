/* safetensors: the length of a header as u64, the header in JSON, then the elements.
 *
 * The header maps each name to an element type, a shape and two offsets into the elements.  The
 * tensors must fill the elements without gap or overlap: sorted by offset, each begins where
 * the one before ends.  Duplicate names are found by jansson, since names are keys of one
 * object.
 *
 * Source: https://github.com/huggingface/safetensors (Format; safetensors/src/tensor.rs). */
#include "runtime/safetensors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ir/array.h"
#include "ir/context.h"
#include "ir/diag.h"
#include "ir/limit.h"
#include "runtime/file.h"

#ifdef COT_JANSSON
#include <jansson.h>

/* LONGEST_HEADER is the limit of the reference reader. */
enum { LENGTH = 8, LONGEST_HEADER = 100000000 };

static const struct {
    const char *name;
    cot_dtype dtype;
} kinds[] = {
    { "BOOL", COT_BOOL }, { "I8", COT_I8 },   { "I16", COT_I16 },   { "I32", COT_I32 },
    { "I64", COT_I64 },   { "U8", COT_U8 },   { "U16", COT_U16 },   { "U32", COT_U32 },
    { "U64", COT_U64 },   { "F16", COT_F16 }, { "BF16", COT_BF16 }, { "F32", COT_F32 },
    { "F64", COT_F64 },   { "C64", COT_C64 },
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* ---- one tensor ---- */

static const char *
read_shape(rt_tensor *t, const json_t *shape, size_t *bytes)
{
    size_t rank = json_array_size(shape);
    bool none = false;

    if (!json_is_array(shape))
        return "has no shape";
    if (rank > COT_MAX_RANK)
        return "has a rank above 64";
    for (size_t k = 0; k < rank; k++) {
        const json_t *size = json_array_get(shape, k);
        if (!json_is_integer(size) || json_integer_value(size) < 0)
            return "has a size that is not an integer of 0 or more";
        none |= json_integer_value(size) == 0;
    }
    *bytes = none ? 0 : cot_dtype_size(t->dtype);
    for (size_t k = 0; k < rank && !none; k++)
        if (__builtin_mul_overflow(*bytes, (size_t)json_integer_value(json_array_get(shape, k)),
                                   bytes))
            return "has more elements than the file";
    t->shape = shape;
    t->rank = (int)rank;
    return NULL;
}

static const char *
read_tensor(rt_tensor *t, const json_t *entry)
{
    const char *kind = json_string_value(json_object_get(entry, "dtype"));
    const json_t *offsets = json_object_get(entry, "data_offsets");
    const json_t *from = json_array_get(offsets, 0), *to = json_array_get(offsets, 1);
    size_t bytes = 0;

    if (!kind)
        return "has no dtype";
    for (size_t i = 0; i < N_KINDS; i++)
        if (strcmp(kinds[i].name, kind) == 0)
            t->dtype = kinds[i].dtype;
    if (t->dtype == COT_DTYPE_NONE)
        return "has a dtype that is not one of BOOL, I8 to I64, U8 to U64, F16, BF16, F32, "
               "F64, C64";
    const char *wrong = read_shape(t, json_object_get(entry, "shape"), &bytes);
    if (wrong)
        return wrong;
    if (json_array_size(offsets) != 2 || !json_is_integer(from) || !json_is_integer(to) ||
        json_integer_value(from) < 0 || json_integer_value(to) < json_integer_value(from))
        return "has data_offsets that are not two ascending integers";
    t->at = (size_t)json_integer_value(from);
    t->bytes = (size_t)json_integer_value(to) - t->at;
    return t->bytes == bytes ? NULL : "has data_offsets that its dtype and shape do not fill";
}

void
rt_tensor_dims(const rt_tensor *t, int64_t dims[COT_MAX_RANK])
{
    for (int k = 0; k < t->rank; k++)
        dims[k] = json_integer_value(json_array_get(t->shape, (size_t)k));
}

/* ---- all of them ---- */

static bool
wrong_file(rt_safetensors *s, const char *why)
{
    s->name = NULL;
    snprintf(s->why, sizeof s->why, "%s", why);
    return false;
}

static bool
wrong_tensor(rt_safetensors *s, const char *name, const char *why)
{
    wrong_file(s, why);
    s->name = name;
    return false;
}

static int
by_offset(const void *x, const void *y)
{
    const rt_tensor *s = x, *t = y;
    size_t a = s->at == t->at ? s->bytes : s->at, b = s->at == t->at ? t->bytes : t->at;

    return a < b ? -1 : a > b ? 1 : strcmp(s->name, t->name);
}

/* Checks that the tensors fill `size` bytes, and converts their offsets to offsets in the file,
 * whose elements begin at `data`. */
static bool
check_places(rt_safetensors *s, size_t data, size_t size)
{
    size_t end = 0;

    if (s->n)
        qsort(s->at, s->n, sizeof *s->at, by_offset);
    for (size_t i = 0; i < s->n; i++) {
        rt_tensor *t = &s->at[i];
        if (t->at > size || t->bytes > size - t->at)
            return wrong_tensor(s, t->name, "lies behind the end of the file");
        if (t->at < end)
            return wrong_tensor(s, t->name, "overlaps another");
        if (t->at > end)
            return wrong_tensor(s, t->name, "does not begin where another ends");
        end = t->at + t->bytes;
        t->at += data;
    }
    return end == size || wrong_file(s, "it holds more bytes than its tensors");
}

static bool
check_bools(rt_safetensors *s, const uint8_t *file)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; s->at[i].dtype == COT_BOOL && k < s->at[i].bytes; k++)
            if (file[s->at[i].at + k] > 1)
                return wrong_tensor(s, s->at[i].name, "has a bool that is neither 0 nor 1");
    return true;
}

static bool
read_entries(rt_safetensors *s)
{
    const char *name;
    json_t *entry;

    if (!json_is_object((json_t *)s->json))
        return wrong_file(s, "its header is not a JSON object");
    s->at = calloc(json_object_size(s->json) + 1, sizeof *s->at);
    s->memory = !s->at;
    if (s->memory)
        return false;
    json_object_foreach(s->json, name, entry)
    {
        rt_tensor *t = &s->at[s->n];
        if (strcmp(name, "__metadata__") == 0)
            continue;
        const char *wrong = read_tensor(t, entry);
        if (wrong)
            return wrong_tensor(s, name, wrong);
        t->name = name;
        s->n++;
    }
    return true;
}

bool
rt_safetensors_open(rt_safetensors *s, const void *file, size_t size)
{
    const uint8_t *p = file;
    uint64_t length = 0;
    json_error_t error;

    memset(s, 0, sizeof *s);
    if (size < LENGTH)
        return wrong_file(s, "it is not a safetensors file");
    for (int i = 0; i < LENGTH; i++)
        length |= (uint64_t)p[i] << (8 * i);
    if (length > LONGEST_HEADER)
        return wrong_file(s, "its header claims more than 100 MB");
    if (length > size - LENGTH)
        return wrong_file(s, "it ends inside its header");
    errno = 0;
    s->json =
        json_loadb((const char *)p + LENGTH, (size_t)length, JSON_REJECT_DUPLICATES, &error);
    if (!s->json) {
        /* jansson may report a syntax error where an allocation failed */
        s->memory = json_error_code(&error) == json_error_out_of_memory || errno == ENOMEM;
        snprintf(s->why, sizeof s->why, "its header is wrong at byte %d: %.100s",
                 error.position, error.text);
        return false;
    }
    return read_entries(s) &&
           check_places(s, LENGTH + (size_t)length, size - LENGTH - (size_t)length) &&
           check_bools(s, p);
}

void
rt_safetensors_close(rt_safetensors *s)
{
    free(s->at);
    json_decref(s->json);
    memset(s, 0, sizeof *s);
}

/* ---- reading ---- */

static cot_status
take_tensors(cot_context *ctx, const rt_safetensors *s, const void *file, cot_state *out)
{
    int64_t dims[COT_MAX_RANK];

    out->at = IR_NEW_N(&ctx->arena, cot_named, s->n + 1);
    for (size_t i = 0; i < s->n; i++) {
        const rt_tensor *t = &s->at[i];
        COT_TRY(ir_check(ctx));
        rt_tensor_dims(t, dims);
        cot_type type = cot_type_new(t->dtype, t->rank, dims);
        const char *name = ir_copy_string(&ctx->arena, t->name);

        if (!ir_type_of(ctx, &type))
            return ctx->status;
        cot_array *a = ir_array_new(ctx, &type, NULL);
        if (!a)
            return ir_fail(ctx, 0, NULL, ERR_memory);
        if (t->bytes)
            memcpy(a->data, (const char *)file + t->at, t->bytes);
        rt_state_add(out, name, a);
    }
    return COT_OK;
}

cot_status
rt_safetensors_read(cot_context *ctx, const char *path, const void *file, size_t size,
                    cot_state *out)
{
    volatile cot_status status = COT_ERR_MEMORY;
    rt_safetensors s;
    bool good = rt_safetensors_open(&s, file, size);

    IR_TRY(ctx) {
        status = good       ? take_tensors(ctx, &s, file, out)
                 : s.memory ? ir_fail(ctx, 0, NULL, ERR_memory)
                 : s.name   ? ir_fail(ctx, 0, NULL, ERR_file_array, path, s.name, s.why)
                            : ir_fail(ctx, 0, NULL, ERR_file, path, s.why);
    }
    rt_safetensors_close(&s);
    return status;
}

/* ---- writing ---- */

/* Sorts by the width of elements, the widest first, so that each tensor is aligned. */
static int
in_order(const cot_state *s, const cot_named **order)
{
    const cot_named *at = cot_state_entries(s);
    int n = 0;

    for (size_t size = 8; size > 0; size /= 2)
        for (int i = 0; i < s->n; i++)
            if (cot_dtype_size(at[i].array->type.dtype) == size)
                order[n++] = &at[i];
    return n;
}

static json_t *
entry_of(const cot_array *a, size_t at)
{
    const char *kind = "";
    json_t *shape = json_array();
    bool good = shape != NULL;

    for (size_t i = 0; i < N_KINDS; i++)
        if (kinds[i].dtype == a->type.dtype)
            kind = kinds[i].name;
    for (int k = 0; k < a->type.rank && good; k++)
        good = json_array_append_new(shape, json_integer(cot_type_size(&a->type, k))) == 0;
    if (!good) {
        json_decref(shape);
        return NULL;
    }
    return json_pack("{s:s, s:o, s:[I,I]}", "dtype", kind, "shape", shape, "data_offsets",
                     (json_int_t)at, (json_int_t)(at + a->bytes));
}

/* The header as text, which the caller frees; NULL: out of memory. */
static char *
make_header(int n, const cot_named *const *order)
{
    errno = 0;
    json_t *json = json_object();
    size_t at = 0;
    bool good = json != NULL;

    for (int i = 0; i < n && good; i++) {
        const cot_array *a = order[i]->array;
        good = json_object_set_new(json, order[i]->name, entry_of(a, at)) == 0;
        at += a->bytes;
    }
    char *text = good ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    if (text && errno == ENOMEM) { /* jansson omits members for which memory is missing */
        free(text);
        text = NULL;
    }
    return text;
}

/* Writes the file under another name first, so that concurrent readers see the old file until
 * the new one is complete. */
static int
write_temporary(const char *path, const char *temporary, size_t n, const rt_part *part)
{
    int why = rt_file_write(temporary, n, part);

    if (!why && rename(temporary, path) != 0) {
        why = errno;
        remove(temporary);
    }
    return why;
}

cot_status
rt_safetensors_write(cot_context *ctx, const char *path, const cot_state *s)
{
    const cot_named **order = IR_NEW_N(&ctx->arena, const cot_named *, s->n + 1);
    rt_part *part = IR_NEW_N(&ctx->arena, rt_part, s->n + 3);
    const char *temporary = ir_format(&ctx->arena, "%s.part", path);
    const int n = in_order(s, order);
    char *header = make_header(n, order);

    if (!header)
        return ir_fail(ctx, 0, NULL, ERR_memory);
    const size_t length = strlen(header), padded = (length + 7) / 8 * 8;
    uint8_t head[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        head[i] = (uint8_t)((uint64_t)padded >> (8 * i));
    part[0] = (rt_part){ head, LENGTH };
    part[1] = (rt_part){ header, length };
    part[2] = (rt_part){ "       ", padded - length };
    for (int i = 0; i < n; i++)
        part[3 + i] = (rt_part){ order[i]->array->data, order[i]->array->bytes };
    const int why = write_temporary(path, temporary, 3 + (size_t)n, part);
    free(header);
    return why ? ir_fail_io(ctx, path, why) : COT_OK;
}

#else

cot_status
rt_safetensors_read(cot_context *ctx, const char *path, const void *file, size_t size,
                    cot_state *out)
{
    (void)file, (void)size, (void)out;
    return ir_fail(
        ctx, 0, NULL, ERR_target,
        ir_format(&ctx->arena, "%s: safetensors files want a build with jansson", path));
}

cot_status
rt_safetensors_write(cot_context *ctx, const char *path, const cot_state *s)
{
    return rt_safetensors_read(ctx, path, NULL, 0, (cot_state *)s);
}

#endif
