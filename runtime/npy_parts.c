/* npy files that processes read and write in parts (cotrace/spread.h). */
#include <errno.h>
#include <string.h>

#include "ir/array.h"
#include "ir/diag.h"
#include "runtime/file.h"
#include "runtime/npy.h"
#include "runtime/together.h"

/* The own rows of a file in memory. */
static cot_array *
read_rows(cot_context *ctx, const void *file, size_t size, rt_step *step)
{
    rt_npy h;
    const char *wrong = rt_npy_header(&h, file, size);
    cot_array *a = NULL;

    if (!wrong && h.rank == 0)
        wrong = "it holds a scalar; wants an axis that is spread";
    if (!wrong && h.fortran && h.rank > 1)
        wrong = "its first axis varies fastest; wants one whose rows lie together";
    if (!wrong) {
        cot_type t = { h.dtype, h.rank, { 0 }, h.dims };
        memcpy(t.dims, h.dims, sizeof t.dims);
        a = rt_array_of(ctx, &t, true, step);
    }
    if (a && a->bytes) {
        const char *rows = (const char *)file + h.data + (size_t)a->first * rt_row_bytes(a);
        wrong = rt_npy_elements(&h, 0, rows, a->bytes, a->data);
    }
    if (wrong)
        rt_step_fail(step, COT_ERR_PARSE, wrong, 0);
    return a;
}

cot_status
cot_npy_read_spread(cot_context *ctx, const char *path, cot_array **out)
{
    rt_step step = { COT_OK, "" };
    int64_t dims[COT_MAX_RANK];
    uint64_t same = 0;
    size_t size;

    if (!ctx || !path || !out)
        return ir_fail_null(ctx, "npy_read_spread", path ? "the result" : "the path");
    const void *file = rt_file_map(path, &size);
    *out = NULL;
    if (!file)
        rt_step_fail(&step, COT_ERR_IO, NULL, errno);
    else
        *out = read_rows(ctx, file, size, &step);
    rt_file_unmap(file, size);
    if (*out) {
        const cot_type t = rt_whole_type(*out, dims);
        same = rt_hash_type(size, &t);
    }
    const cot_status status = rt_agree(ctx, path, same, &step);
    if (status != COT_OK) {
        cot_array_free(*out);
        *out = NULL;
    }
    return status;
}

static cot_status
write_spread(cot_context *ctx, const char *path, const cot_array *a)
{
    rt_step step = { COT_OK, "" };
    char header[RT_NPY_HEAD];
    int64_t dims[COT_MAX_RANK];
    const cot_type t = rt_whole_type(a, dims);
    const size_t head = rt_npy_write_header(header, &t), row = rt_row_bytes(a);
    const rt_extent part[2] = { { head + (uint64_t)a->first * row, a->bytes, a->data },
                                { 0, head, header } };
    const uint64_t size = head + (uint64_t)a->all * row;

    return rt_write_parts(ctx, path, size, rt_rank(ctx) == 0 ? 2 : 1, part, &step);
}

cot_status
cot_npy_write(cot_context *ctx, const char *path, const cot_array *a)
{
    return ctx && path && a && a->spread ? write_spread(ctx, path, a)
                                         : rt_npy_write_whole(ctx, path, a);
}
