/* NumPy's archives: a zip file whose members NAME.npy are npy files.
 *
 * libzip reads the archive from memory and checks each member's CRC at its end.  The size that
 * a member claims is checked against what the archive's bytes can hold, so that a wrong claim
 * allocates no memory: deflate expands a byte to at most 1032.
 *
 * Source: numpy.lib.npyio.savez; the bound: J. Gailly, M. Adler, zlib's technical details. */
#include "runtime/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "ir/array.h"
#include "ir/context.h"
#include "ir/diag.h"
#include "ir/limit.h"
#include "runtime/npy.h"

#ifdef COT_LIBZIP
#include <zip.h>

enum { LONGEST_MESSAGE = 200, MAX_DEFLATE = 1032, SHORTEST = 22 };

/* After a failed allocation libzip may report a damaged archive, or nothing.  So errno, which
 * was set to 0 before, is tested for what malloc leaves there. */
static bool
is_memory(const zip_error_t *e)
{
    return zip_error_code_zip(e) == ZIP_ER_MEMORY || errno == ENOMEM;
}

/* Records an error of libzip; the message is copied, since libzip frees its own with the
 * handle. */
static cot_status
fail(cot_context *ctx, const char *path, zip_error_t *e, ir_error row)
{
    const bool memory = is_memory(e);
    char text[LONGEST_MESSAGE];

    snprintf(text, sizeof text, "%s", zip_error_strerror(e));
    zip_error_fini(e);
    return memory ? ir_fail(ctx, 0, NULL, ERR_memory) : ir_fail(ctx, 0, NULL, row, path, text);
}

/* A member that is being read. */
typedef struct member {
    cot_context *ctx;
    const char *path, *name;
    zip_file_t *file;
    size_t size;
    cot_array *array; /* moved to the state when it is complete */
} member;

static cot_status
wrong_member(const member *m, const char *why)
{
    return ir_fail(m->ctx, 0, NULL, ERR_file_array, m->path, m->name, why);
}

static cot_status
fail_member(const member *m, zip_error_t *e)
{
    return is_memory(e) ? ir_fail(m->ctx, 0, NULL, ERR_memory)
                        : wrong_member(m, zip_error_strerror(e));
}

static const char *
check_stat(const zip_stat_t *s, size_t archive)
{
    const zip_uint64_t want = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;

    if ((s->valid & want) != want)
        return "lacks its size";
    if (s->comp_size > archive)
        return "claims more bytes than the archive has";
    if (s->comp_method == ZIP_CM_STORE ? s->size != s->comp_size
                                       : s->size / MAX_DEFLATE > s->comp_size)
        return "claims more bytes than it has";
    if (s->comp_method != ZIP_CM_STORE && s->comp_method != ZIP_CM_DEFLATE)
        return "is neither stored nor deflated";
    return NULL;
}

static cot_status
read_some(const member *m, void *to, size_t n)
{
    const zip_int64_t got = zip_fread(m->file, to, n);

    if (got < 0)
        return fail_member(m, zip_file_get_error(m->file));
    return (size_t)got == n ? COT_OK : wrong_member(m, "has another size than it claims");
}

/* Reads to the end of the member, at which libzip compares the CRC. */
static cot_status
read_end(const member *m)
{
    char more;
    const zip_int64_t end = zip_fread(m->file, &more, 1);

    return end == 0  ? COT_OK
           : end > 0 ? wrong_member(m, "has another size than it claims")
                     : fail_member(m, zip_file_get_error(m->file));
}

/* Reads the file up to the end of its header. */
static cot_status
read_header(const member *m, ir_arena *scratch, rt_npy *h)
{
    const size_t n = m->size < RT_NPY_PREFIX ? m->size : RT_NPY_PREFIX;
    char prefix[RT_NPY_PREFIX], *head = prefix;
    size_t data = 0;

    COT_TRY(read_some(m, prefix, n));
    const char *wrong = rt_npy_prefix(prefix, m->size < n ? n : m->size, &data);
    if (!wrong && data < n)
        wrong = "its header is not a dictionary"; /* version 1, and shorter than {} */
    if (!wrong) {
        head = ir_alloc(scratch, data);
        memcpy(head, prefix, n);
        COT_TRY(read_some(m, head + n, data - n));
        wrong = rt_npy_header(h, head, m->size);
    }
    return wrong ? wrong_member(m, ir_format(&m->ctx->arena, "is wrong: %s", wrong)) : COT_OK;
}

/* Elements are read in blocks, so that there is no second copy of them. */
static cot_status
read_member(member *m, ir_arena *scratch)
{
    char *block;
    rt_npy h;

    COT_TRY(read_header(m, scratch, &h));
    COT_TRY(rt_npy_array(m->ctx, &h, &m->array));
    block = ir_alloc(scratch, RT_NPY_BLOCK);
    for (size_t at = 0; at < h.bytes; at += RT_NPY_BLOCK) {
        const size_t n = h.bytes - at < RT_NPY_BLOCK ? h.bytes - at : RT_NPY_BLOCK;

        COT_TRY(ir_check(m->ctx));
        COT_TRY(read_some(m, block, n));
        const char *wrong = rt_npy_elements(&h, at, block, n, m->array->data);
        if (wrong)
            return wrong_member(m, ir_format(&m->ctx->arena, "is wrong: %s", wrong));
    }
    return read_end(m);
}

/* Open handles and incomplete arrays are freed here, also if memory runs out below. */
static cot_status
take_member(member *m, zip_t *zip, zip_uint64_t i, cot_state *out, int cap)
{
    volatile cot_status status = COT_ERR_MEMORY;
    ir_arena scratch;

    if (out->n == cap)
        return ir_fail(m->ctx, 0, NULL, ERR_file, m->path, "the archive changed");
    m->file = zip_fopen_index(zip, i, 0);
    if (!m->file)
        return fail_member(m, zip_get_error(zip));
    ir_arena_init(&scratch, m->ctx);
    IR_TRY(m->ctx) {
        status = read_member(m, &scratch);
    }
    ir_arena_free(&scratch);
    zip_fclose(m->file);
    if (status == COT_OK)
        rt_state_add(out, m->name, m->array);
    else
        cot_array_free(m->array);
    return status;
}

static cot_status
read_archive(cot_context *ctx, const char *path, zip_t *zip, size_t size, cot_state *out)
{
    int n = (int)zip_get_num_entries(zip, 0);
    zip_stat_t s;

    out->at = IR_NEW_N(&ctx->arena, cot_named, n + 1);
    for (int i = 0; i < n; i++) {
        const char *name = zip_get_name(zip, (zip_uint64_t)i, 0);
        size_t length = name ? strlen(name) : 0;
        member m = { .ctx = ctx, .path = path, .name = name ? name : "" };

        COT_TRY(ir_check(ctx));
        if (length < 4 || strcmp(name + length - 4, ".npy") != 0)
            return wrong_member(&m, "is not called NAME.npy");
        m.name = ir_format(&ctx->arena, "%.*s", (int)length - 4, name);
        if (zip_stat_index(zip, (zip_uint64_t)i, 0, &s) != 0)
            return fail_member(&m, zip_get_error(zip));
        const char *wrong = check_stat(&s, size);
        if (wrong)
            return wrong_member(&m, wrong);
        m.size = (size_t)s.size;
        COT_TRY(take_member(&m, zip, (zip_uint64_t)i, out, n));
    }
    return COT_OK;
}

cot_status
rt_npz_read(cot_context *ctx, const char *path, const void *file, size_t size, cot_state *out)
{
    volatile cot_status status = COT_ERR_MEMORY;
    zip_error_t e;

    if (size < SHORTEST) /* libzip accepts an empty file as an empty archive */
        return ir_fail(ctx, 0, NULL, ERR_file, path, "it is not an npz file");
    errno = 0;
    zip_error_init(&e);
    zip_source_t *source = zip_source_buffer_create(file, size, 0, &e);
    zip_t *zip = source ? zip_open_from_source(source, ZIP_RDONLY, &e) : NULL;
    if (!zip) {
        zip_source_free(source);
        return fail(ctx, path, &e, ERR_file);
    }
    IR_TRY(ctx) {
        status = read_archive(ctx, path, zip, size, out);
    }
    zip_discard(zip);
    zip_error_fini(&e);
    return status;
}

/* Members are stored uncompressed, as by numpy.savez, and with the earliest date, so that equal
 * arrays give equal files. */
static bool
add(zip_t *zip, const cot_array *a, const char *name, char header[RT_NPY_HEAD])
{
    zip_buffer_fragment_t part[] = {
        { (zip_uint8_t *)header, rt_npy_write_header(header, &a->type) }, { a->data, a->bytes }
    };
    zip_source_t *source = zip_source_buffer_fragment(zip, part, a->bytes ? 2 : 1, 0);
    zip_int64_t i = source ? zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8) : -1;

    if (i < 0) {
        zip_source_free(source);
        return false;
    }
    return zip_set_file_compression(zip, (zip_uint64_t)i, ZIP_CM_STORE, 0) == 0 &&
           zip_file_set_dostime(zip, (zip_uint64_t)i, 0, 0x21, 0) == 0;
}

cot_status
rt_npz_write(cot_context *ctx, const char *path, const cot_state *s)
{
    static const char empty[SHORTEST] = "PK\5\6";
    const cot_named *at = cot_state_entries(s);
    const char **name = IR_NEW_N(&ctx->arena, const char *, s->n + 1);
    char(*header)[RT_NPY_HEAD] = ir_alloc(&ctx->arena, sizeof *header * (size_t)(s->n + 1));
    bool good = true;
    struct stat there;
    zip_error_t e;
    int code;

    /* for a directory libzip reports no error */
    if (stat(path, &there) == 0 && S_ISDIR(there.st_mode))
        return ir_fail_io(ctx, path, EISDIR);
    if (s->n == 0) /* libzip writes no file for an empty archive */
        return rt_file_save(ctx, path, empty, sizeof empty);
    for (int i = 0; i < s->n; i++)
        name[i] = ir_format(&ctx->arena, "%s.npy", at[i].name);
    errno = 0;
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (!zip) {
        zip_error_init_with_code(&e, code);
        return fail(ctx, path, &e, ERR_io);
    }
    for (int i = 0; i < s->n && good; i++)
        good = add(zip, at[i].array, name[i], header[i]);
    if (good && zip_close(zip) == 0)
        return COT_OK;
    zip_error_init(&e);
    zip_error_set(&e, zip_error_code_zip(zip_get_error(zip)),
                  zip_error_code_system(zip_get_error(zip)));
    zip_discard(zip);
    return fail(ctx, path, &e, ERR_io);
}

#else

cot_status
rt_npz_read(cot_context *ctx, const char *path, const void *file, size_t size, cot_state *out)
{
    (void)file, (void)size, (void)out;
    return ir_fail(ctx, 0, NULL, ERR_target,
                   ir_format(&ctx->arena, "%s: npz files want a build with libzip", path));
}

cot_status
rt_npz_write(cot_context *ctx, const char *path, const cot_state *s)
{
    return rt_npz_read(ctx, path, NULL, 0, (cot_state *)s);
}

#endif
