/* Files of named arrays: the format by the ending of a path, and helpers of all formats.
 *
 * A file is mapped as a whole and read from memory, so that a reader is a function of bytes,
 * which can be fuzzed.  Memory and handles of other libraries are held outside of IR_TRY, in
 * the functions that open them. */
#include "runtime/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ir/array.h"
#include "ir/context.h"
#include "ir/diag.h"

typedef struct file_format {
    const char *ending;
    cot_status (*read)(cot_context *, const char *, const void *, size_t, cot_state *);
    cot_status (*write)(cot_context *, const char *, const cot_state *);
} file_format;

static const file_format formats[] = {
    { ".npz", rt_npz_read, rt_npz_write },
    { ".safetensors", rt_safetensors_read, rt_safetensors_write },
};

static const file_format *
format_of(const char *path)
{
    size_t n = strlen(path);

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t m = strlen(formats[i].ending);
        if (n >= m && strcmp(path + n - m, formats[i].ending) == 0)
            return &formats[i];
    }
    return NULL;
}

static int
by_name(const void *x, const void *y)
{
    return strcmp((*(const cot_named *const *)x)->name, (*(const cot_named *const *)y)->name);
}

/* An array with the same name as another one; NULL if there is none.  Sorts the names. */
static const cot_named *
name_twice(cot_context *ctx, const cot_state *s)
{
    const cot_named **order = IR_NEW_N(&ctx->arena, const cot_named *, s->n + 1);
    const cot_named *at = cot_state_entries(s);

    for (int i = 0; i < s->n; i++)
        order[i] = &at[i];
    qsort(order, (size_t)s->n, sizeof *order, by_name);
    for (int i = 1; i < s->n; i++)
        if (strcmp(order[i - 1]->name, order[i]->name) == 0)
            return order[i];
    return NULL;
}

/* Is s UTF-8 as defined in Unicode 15, section 3.9, table 3-7? */
static bool
is_utf8(const char *s)
{
    const uint8_t *p = (const uint8_t *)s;

    while (*p) {
        int more = *p < 0x80   ? 0
                   : *p < 0xc2 ? -1
                   : *p < 0xe0 ? 1
                   : *p < 0xf0 ? 2
                   : *p < 0xf5 ? 3
                               : -1;
        uint8_t low = *p == 0xe0 ? 0xa0 : *p == 0xf0 ? 0x90 : 0x80;
        uint8_t high = *p == 0xed ? 0x9f : *p == 0xf4 ? 0x8f : 0xbf;

        if (more < 0)
            return false;
        p++;
        for (; more > 0; more--, p++, low = 0x80, high = 0xbf)
            if (*p < low || *p > high)
                return false;
    }
    return true;
}

cot_status
rt_check_names(cot_context *ctx, const char *path, const cot_state *s)
{
    const cot_named *at = cot_state_entries(s);

    for (int i = 0; i < s->n; i++) {
        const char *name = at[i].name;
        const char *wrong = !name            ? "has no name"
                            : !*name         ? "has an empty name"
                            : !is_utf8(name) ? "has a name that is not UTF-8"
                            : !at[i].array   ? "is NULL"
                                             : NULL;
        if (wrong)
            return ir_fail(ctx, 0, NULL, ERR_file_name, path, i, wrong);
    }
    const cot_named *twice = name_twice(ctx, s);
    return twice ? ir_fail(ctx, 0, NULL, ERR_file_name, path, (int)(twice - at),
                           "has the name of another")
                 : COT_OK;
}

static cot_status
load(cot_context *ctx, const char *path, const void *file, size_t size, cot_state *out)
{
    const file_format *f = format_of(path);

    COT_TRY(f->read(ctx, path, file, size, out));
    const cot_named *twice = name_twice(ctx, out);
    return twice ? ir_fail(ctx, 0, NULL, ERR_file_array, path, twice->name, "is there twice")
                 : COT_OK;
}

cot_status
cot_load(cot_context *ctx, const char *path, cot_state *out)
{
    volatile cot_status status = COT_ERR_MEMORY;
    size_t size = 0;

    if (!ctx || !path || !out)
        return ir_fail_null(ctx, "load", path ? "the result" : "the path");
    const void *file = format_of(path) ? rt_file_map(path, &size) : NULL;
    int error = errno;

    *out = (cot_state){ .n = 0 };
    IR_TRY(ctx) {
        status = file              ? load(ctx, path, file, size, out)
                 : format_of(path) ? ir_fail_io(ctx, path, error)
                                   : ir_fail(ctx, 0, NULL, ERR_file_ending, path);
    }
    rt_file_unmap(file, size);
    if (status != COT_OK)
        cot_state_free(out);
    return status;
}

cot_status
cot_save(cot_context *ctx, const char *path, const cot_state *s)
{
    volatile cot_status status = COT_ERR_MEMORY;

    if (!ctx || !path || !s)
        return ir_fail_null(ctx, "save", path ? "the state" : "the path");
    const file_format *f = format_of(path);

    for (int i = 0; i < s->n; i++)
        COT_TRY(rt_want_here(ctx, cot_state_entries(s)[i].array));
    IR_TRY(ctx) {
        const cot_status checked =
            f ? rt_check_names(ctx, path, s) : ir_fail(ctx, 0, NULL, ERR_file_ending, path);
        status = checked == COT_OK ? f->write(ctx, path, s) : checked;
    }
    return status;
}
