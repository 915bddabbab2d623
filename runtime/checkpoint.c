/* Checkpoints: named arrays in one file, whole or not at all, for any number of processes.
 *
 * The file is numbers of 8 bytes, least byte first:
 *
 *   "COTCKPT\n", version, arrays, bytes of the header, bytes of the file, hash of the header
 *   (with 0 in this place); for each array: the bytes of its name, its element type as text,
 *   rank, 1 if it is spread, offset, bytes, hash, sizes, the name, filled up with 0 to 8 bytes;
 *   then the elements of each, row-major, from a multiple of 64 on
 *
 * The hash of an array is the sum of the hashes of its rows, each with its number, so that
 * processes add what they find in their rows: it does not depend on who holds what.  One word
 * that changes changes that sum, since a step of a row's hash is one to one.
 *
 * All of the header is compared with the length of the file and the types before it is
 * believed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/array.h"
#include "ir/context.h"
#include "ir/diag.h"
#include "ir/map.h"
#include "runtime/compile.h"
#include "runtime/file.h"
#include "runtime/together.h"

enum { VERSION = 1, WORD = 8, HEAD = 6 * WORD, ENTRY = 7 * WORD, ALIGN = 64 };
enum {
    AT_VERSION = WORD,
    AT_ARRAYS = 2 * WORD,
    AT_HEADER = 3 * WORD,
    AT_FILE = 4 * WORD,
    AT_HASH = 5 * WORD
};
static const char magic[WORD + 1] = "COTCKPT\n";

/* ---- bytes ---- */

static void
put(uint8_t *to, uint64_t x)
{
    for (int i = 0; i < WORD; i++)
        to[i] = (uint8_t)(x >> (8 * i));
}

static uint64_t
take(const uint8_t *from)
{
    uint64_t x = 0;

    for (int i = 0; i < WORD; i++)
        x |= (uint64_t)from[i] << (8 * i);
    return x;
}

static uint64_t
rounded(uint64_t n, uint64_t to)
{
    return (n + to - 1) / to * to;
}

/* Of a row, whose number is `seed`. */
static uint64_t
hash_bytes(uint64_t seed, const uint8_t *x, size_t n)
{
    uint64_t h = ir_hash_u64(seed + 1, n), word;

    for (size_t i = 0; i < n; i += WORD) {
        word = 0;
        memcpy(&word, x + i, n - i < WORD ? n - i : WORD);
        h = ir_hash_u64(h, word);
    }
    return ir_hash_u64(h, h >> 32);
}

static uint64_t
hash_rows(const cot_array *a)
{
    const cot_rows rows = cot_array_rows(a);
    const size_t row = rows.count ? a->bytes / (size_t)rows.count : 0;
    uint64_t h = 0;

    for (int64_t k = 0; k < rows.count; k++)
        h += hash_bytes((uint64_t)(rows.first + k), (const uint8_t *)a->data + (size_t)k * row,
                        row);
    return h;
}

/* ---- what a file holds ---- */

typedef struct saved {
    const char *name; /* not ended by 0 in a header that is read */
    size_t length;
    cot_type type; /* of the whole; type.more is dims */
    int64_t dims[COT_MAX_RANK];
    bool spread;
    uint64_t offset, bytes, hash;
    cot_array *array;
} saved;

typedef struct content {
    int n;
    saved *at;
    uint64_t header, size; /* bytes */
} content;

static uint64_t
entry_bytes(const saved *e)
{
    return ENTRY + WORD * (uint64_t)e->type.rank + rounded(e->length, WORD);
}

/* The bytes of an array of these sizes; false: more than can be. */
static bool
type_bytes(const saved *e, uint64_t *out)
{
    uint64_t n = cot_dtype_size(e->type.dtype);
    bool none = false;

    for (int i = 0; i < e->type.rank; i++) {
        none |= e->dims[i] == 0;
        if (e->dims[i] < 0 || e->dims[i] > (int64_t)1 << 60)
            return false;
    }
    for (int i = 0; i < e->type.rank && !none; i++)
        if (__builtin_mul_overflow(n, (uint64_t)e->dims[i], &n) || n > (uint64_t)1 << 60)
            return false;
    *out = none ? 0 : n;
    return true;
}

/* Offsets, and the lengths of the header and the file; false: they are no numbers. */
static bool
lay_out(content *c)
{
    c->header = HEAD;
    for (int i = 0; i < c->n; i++)
        c->header += entry_bytes(&c->at[i]);
    c->size = c->header;
    for (int i = 0; i < c->n; i++) {
        saved *e = &c->at[i];
        if (!type_bytes(e, &e->bytes) || c->size > (uint64_t)1 << 61)
            return false;
        e->offset = rounded(c->size, ALIGN);
        c->size = e->offset + e->bytes;
    }
    return true;
}

/* ---- writing ---- */

/* c->header bytes. */
static void
make_header(const content *c, uint8_t *to)
{
    uint8_t *at = to + HEAD;

    memset(to, 0, c->header);
    memcpy(to, magic, WORD);
    put(to + AT_VERSION, VERSION);
    put(to + AT_ARRAYS, (uint64_t)c->n);
    put(to + AT_HEADER, c->header);
    put(to + AT_FILE, c->size);
    for (const saved *e = c->at; e < c->at + c->n; at += entry_bytes(e), e++) {
        const char *dtype = cot_dtype_name(e->type.dtype);
        uint8_t *name = at + ENTRY + WORD * (size_t)e->type.rank;
        put(at, e->length);
        memcpy(at + WORD, dtype, strnlen(dtype, WORD));
        put(at + 2 * WORD, (uint64_t)e->type.rank);
        put(at + 3 * WORD, e->spread);
        put(at + 4 * WORD, e->offset);
        put(at + 5 * WORD, e->bytes);
        put(at + 6 * WORD, e->hash);
        for (int i = 0; i < e->type.rank; i++)
            put(at + ENTRY + WORD * (size_t)i, (uint64_t)e->dims[i]);
        memcpy(name, e->name, e->length);
    }
    put(to + AT_HASH, hash_bytes(0, to, c->header));
}

static void
describe(const cot_state *s, content *c)
{
    const cot_named *named = cot_state_entries(s);

    for (int i = 0; i < s->n; i++) {
        const cot_array *a = named[i].array;
        saved *e = &c->at[i];
        *e = (saved){ .name = named[i].name, .length = strlen(named[i].name), .type = a->type };
        memcpy(e->dims, a->dims, sizeof *e->dims * (size_t)a->type.rank);
        e->type.more = e->dims;
        e->spread = a->spread;
        e->array = named[i].array;
        if (a->spread)
            e->dims[0] = a->all;
    }
}

/* The hash that all processes must agree in: of all but what they hold. */
static uint64_t
hash_content(const content *c)
{
    uint64_t h = (uint64_t)c->n;

    for (const saved *e = c->at; e < c->at + c->n; e++) {
        h = ir_hash_u64(h, hash_bytes(e->spread, (const uint8_t *)e->name, e->length));
        h = ir_hash_u64(h, (uint64_t)e->type.dtype << 8 | (uint64_t)e->type.rank);
        h = ir_hash_u64(
            h, hash_bytes(0, (const uint8_t *)e->dims, sizeof *e->dims * (size_t)e->type.rank));
    }
    return h;
}

/* The hashes of arrays, to which each process adds its rows, and the first whole arrays. */
static bool
add_hashes(cot_context *ctx, content *c, uint64_t *sum)
{
    for (int i = 0; i < c->n; i++)
        sum[i] = c->at[i].spread || rt_rank(ctx) == 0 ? hash_rows(c->at[i].array) : 0;
    if (!rt_add_all(ctx, c->n, sum))
        return false;
    for (int i = 0; i < c->n; i++)
        c->at[i].hash = sum[i];
    return true;
}

/* The parts that this process writes, or reads; how many. */
static int
own_parts(cot_context *ctx, const content *c, bool all, rt_extent *part)
{
    int n = 0;

    for (const saved *e = c->at; e < c->at + c->n; e++) {
        const cot_array *a = e->array;
        const uint64_t row = e->spread && e->dims[0] ? e->bytes / (uint64_t)e->dims[0] : 0;
        if (e->spread || all || rt_rank(ctx) == 0)
            part[n++] = (rt_extent){ e->offset + (uint64_t)a->first * row, a->bytes, a->data };
    }
    return n;
}

/* s may have arrays that cannot be written: the step says so. */
static cot_status
write_content(cot_context *ctx, const char *path, const cot_state *s, content *c, rt_step *step)
{
    uint64_t *sum = malloc(sizeof *sum * (size_t)(s->n + 1));
    rt_extent *part = malloc(sizeof *part * (size_t)(s->n + 1));
    uint8_t *header = NULL;

    if (step->status == COT_OK && c->at) {
        c->n = s->n;
        describe(s, c);
        lay_out(c);
        header = malloc(c->header);
    }
    if (step->status == COT_OK && (!header || !sum || !part))
        rt_step_fail(step, COT_ERR_MEMORY, "out of memory", 0);
    cot_status status = rt_agree(ctx, path, hash_content(c), step);
    if (status == COT_OK && !add_hashes(ctx, c, sum))
        status = rt_agree(ctx, path, 0, step); /* which fails, too, and says why */
    if (status == COT_OK) {
        int n = own_parts(ctx, c, false, part);
        make_header(c, header);
        if (rt_rank(ctx) == 0)
            part[n++] = (rt_extent){ 0, c->header, header };
        status = rt_write_parts(ctx, path, c->size, n, part, step);
    }
    free(sum), free(part), free(header);
    return status;
}

typedef struct checking {
    const char *path;
    const cot_state *s;
} checking;

static cot_status
check(cot_context *ctx, void *arg)
{
    const checking *c = arg;

    return rt_check_names(ctx, c->path, c->s);
}

cot_status
cot_checkpoint_write(cot_context *ctx, const char *path, const cot_state *s)
{
    checking names = { path, s };
    rt_step step = { COT_OK, "" };
    content c = { 0 };

    if (!ctx || !path || !s)
        return ir_fail_null(ctx, "checkpoint_write", path ? "the state" : "the path");
    cot_status status = rt_guard(ctx, check, &names);
    for (int i = 0; i < s->n && status == COT_OK; i++)
        if (!cot_state_entries(s)[i].array->spread)
            status = rt_want_here(ctx, cot_state_entries(s)[i].array);
    if (status != COT_OK)
        rt_step_fail(&step, status, cot_error(ctx), 0);
    c.at = malloc(sizeof *c.at * (size_t)(s->n + 1));
    status = write_content(ctx, path, s, &c, &step);
    free(c.at);
    return status;
}

/* ---- reading ---- */

/* What is wrong with an entry at byte `at` of a header, or NULL. */
static const char *
read_entry(const uint8_t *header, uint64_t bytes, uint64_t at, saved *e)
{
    char dtype[WORD + 1] = "";

    if (at > bytes || bytes - at < ENTRY)
        return "its header ends inside an array";
    const uint64_t length = take(header + at), rank = take(header + at + 2 * WORD),
                   left = bytes - at - ENTRY;
    if (rank > COT_MAX_RANK || length > left || left < WORD * rank + rounded(length, WORD))
        return "its header ends inside an array";
    *e = (saved){ .length = (size_t)length };
    memcpy(dtype, header + at + WORD, WORD);
    for (int t = COT_DTYPE_NONE + 1; t < COT_DTYPE_COUNT; t++)
        if (strcmp(cot_dtype_name((cot_dtype)t), dtype) == 0)
            e->type.dtype = (cot_dtype)t;
    e->type.rank = (int)rank;
    e->type.more = e->dims;
    e->spread = take(header + at + 3 * WORD) != 0;
    e->offset = take(header + at + 4 * WORD);
    e->bytes = take(header + at + 5 * WORD);
    e->hash = take(header + at + 6 * WORD);
    for (int i = 0; i < e->type.rank; i++)
        e->dims[i] = (int64_t)take(header + at + ENTRY + WORD * (uint64_t)i);
    memcpy(e->type.dims, e->dims, sizeof e->type.dims);
    e->name = (const char *)header + at + ENTRY + WORD * rank;
    if (e->type.dtype == COT_DTYPE_NONE)
        return "an array has an element type that is not here";
    if (length == 0 || memchr(e->name, 0, e->length))
        return "an array has no name";
    return e->spread && rank == 0 ? "a scalar is spread" : NULL;
}

/* The header is that of a file of `size` bytes. */
static const char *
read_entries(uint8_t *header, uint64_t bytes, uint64_t size, content *c)
{
    const uint64_t hash = take(header + AT_HASH);
    uint64_t at = HEAD;

    put(header + AT_HASH, 0);
    if (hash_bytes(0, header, bytes) != hash)
        return "its header is damaged: its hash differs";
    for (int i = 0; i < c->n; i++) {
        const char *wrong = read_entry(header, bytes, at, &c->at[i]);
        if (wrong)
            return wrong;
        at += entry_bytes(&c->at[i]);
    }
    content laid = { c->n, malloc(sizeof *laid.at * (size_t)(c->n + 1)), 0, 0 };
    bool good = laid.at != NULL;
    if (good) {
        memcpy(laid.at, c->at, sizeof *laid.at * (size_t)c->n);
        for (int i = 0; i < c->n; i++)
            laid.at[i].type.more = laid.at[i].dims;
        good = lay_out(&laid) && laid.header == bytes && laid.size == size;
        for (int i = 0; i < c->n && good; i++)
            good = laid.at[i].offset == c->at[i].offset && laid.at[i].bytes == c->at[i].bytes;
    }
    free(laid.at);
    c->header = bytes;
    c->size = size;
    return good ? NULL : "its header does not fit its data";
}

/* Reads the header, which is the caller's to free, with c->at. */
static uint8_t *
read_header(const char *path, content *c, rt_step *step)
{
    uint8_t head[HEAD] = { 0 };
    const uint64_t size = rt_file_size(path, step);
    const char *wrong = NULL;

    if (step->status != COT_OK)
        return NULL;
    if (size < HEAD)
        wrong = "it is no checkpoint";
    else
        rt_read_parts(path, 1, &(rt_extent){ 0, HEAD, head }, step);
    const uint64_t bytes = take(head + AT_HEADER), n = take(head + AT_ARRAYS);
    if (!wrong && step->status == COT_OK)
        wrong = memcmp(head, magic, WORD) != 0       ? "it is no checkpoint"
                : take(head + AT_VERSION) != VERSION ? "it is a checkpoint of another version"
                : take(head + AT_FILE) != size       ? "it has not the length that it says"
                : bytes < HEAD || bytes > size || n > (bytes - HEAD) / ENTRY || n > 1 << 24
                    ? "its header is damaged"
                    : NULL;
    if (wrong)
        rt_step_fail(step, COT_ERR_PARSE, wrong, 0);
    if (step->status != COT_OK)
        return NULL;
    uint8_t *header = malloc(bytes);
    c->n = (int)n;
    c->at = malloc(sizeof *c->at * (size_t)(n + 1));
    if (!header || !c->at) {
        rt_step_fail(step, COT_ERR_MEMORY, "out of memory", 0);
        return header;
    }
    rt_read_parts(path, 1, &(rt_extent){ 0, bytes, header }, step);
    wrong = step->status == COT_OK ? read_entries(header, bytes, size, c) : NULL;
    if (wrong)
        rt_step_fail(step, COT_ERR_PARSE, wrong, 0);
    return header;
}

typedef struct listing {
    const content *c;
    cot_state *out;
} listing;

/* The list, with the names. */
static cot_status
make_list(cot_context *ctx, void *arg)
{
    listing *f = arg;

    f->out->at = IR_NEW_N(&ctx->arena, cot_named, f->c->n + 1);
    for (int i = 0; i < f->c->n; i++) {
        const saved *e = &f->c->at[i];
        f->out->at[i] =
            (cot_named){ ir_format(&ctx->arena, "%.*s", (int)e->length, e->name), NULL };
    }
    f->out->n = f->c->n;
    return COT_OK;
}

static void
make_arrays(cot_context *ctx, content *c, cot_state *out, rt_step *step)
{
    listing f = { c, out };

    if (rt_guard(ctx, make_list, &f) != COT_OK)
        rt_step_fail(step, COT_ERR_MEMORY, "out of memory", 0);
    for (int i = 0; i < c->n && step->status == COT_OK; i++)
        c->at[i].array = out->at[i].array =
            rt_array_of(ctx, &c->at[i].type, c->at[i].spread, step);
}

/* The hashes of what was read; each process has the same whole arrays. */
static cot_status
compare_hashes(cot_context *ctx, const char *path, const content *c, uint64_t *sum,
               rt_step *step)
{
    for (int i = 0; i < c->n; i++)
        sum[i] = c->at[i].spread ? hash_rows(c->at[i].array) : 0;
    if (rt_add_all(ctx, c->n, sum))
        for (int i = 0; i < c->n; i++) {
            const saved *e = &c->at[i];
            char text[100];
            snprintf(text, sizeof text, "the array \"%.*s\" is damaged: its hash differs",
                     (int)(e->length < 40 ? e->length : 40), e->name);
            if ((e->spread ? sum[i] : hash_rows(e->array)) != e->hash)
                rt_step_fail(step, COT_ERR_PARSE, text, 0);
        }
    return rt_agree(ctx, path, 0, step);
}

static cot_status
read_content(cot_context *ctx, const char *path, content *c, cot_state *out, rt_step *step)
{
    rt_extent *part = malloc(sizeof *part * (size_t)(c->n + 1));
    uint64_t *sum = malloc(sizeof *sum * (size_t)(c->n + 1));

    if (!part || !sum)
        rt_step_fail(step, COT_ERR_MEMORY, "out of memory", 0);
    if (step->status == COT_OK)
        make_arrays(ctx, c, out, step);
    if (step->status == COT_OK)
        rt_read_parts(path, own_parts(ctx, c, true, part), part, step);
    cot_status status = rt_agree(ctx, path, 0, step);
    if (status == COT_OK)
        status = compare_hashes(ctx, path, c, sum, step);
    free(part), free(sum);
    return status;
}

cot_status
cot_checkpoint_read(cot_context *ctx, const char *path, cot_state *out)
{
    rt_step step = { COT_OK, "" };
    content c = { 0 };

    if (!ctx || !path || !out)
        return ir_fail_null(ctx, "checkpoint_read", path ? "the result" : "the path");
    *out = (cot_state){ .n = 0 };
    uint8_t *header = read_header(path, &c, &step);
    cot_status status =
        rt_agree(ctx, path,
                 header && step.status == COT_OK ? hash_bytes(0, header, c.header) : 0, &step);
    if (status == COT_OK)
        status = read_content(ctx, path, &c, out, &step);
    if (status != COT_OK)
        cot_state_free(out);
    free(header), free(c.at);
    return status;
}
