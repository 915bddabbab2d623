/* NumPy files: what NumPy writes is read, what lies is refused, and what is written is read
 * back. */
#include <stdio.h>
#include <unistd.h>

#include "ir/array.h"
#include "runtime/npy.h"
#include "tests/redzone.h"
#include "tests/unit/suite.h"

/* A file of the given version, dictionary and elements. */
static size_t
make_file(uint8_t *file, int version, const char *dictionary, const void *data, size_t bytes)
{
    size_t at = version == 1 ? 10 : 12, n = strlen(dictionary);

    memcpy(file, "\x93NUMPY", 6);
    file[6] = (uint8_t)version;
    file[7] = 0;
    file[8] = (uint8_t)n;
    file[9] = (uint8_t)(n >> 8);
    if (version > 1)
        file[10] = file[11] = 0;
    memcpy(file + at, dictionary, n);
    memcpy(file + at + n, data, bytes);
    return at + n + bytes;
}

START_TEST(each_version_and_order_is_read)
{
    static const struct {
        int version;
        const char *dictionary;
        uint8_t data[8];
        int32_t want[2];
        int rank;
    } row[] = {
        { 1,
          "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n",
          { 1, 0, 0, 0, 2 },
          { 1, 2 },
          1 },
        { 2,
          "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2), }",
          { 1, 0, 0, 0, 2 },
          { 1, 2 },
          2 },
        { 3,
          "{'shape': (2, 1), 'descr': '>i4', 'fortran_order': True}",
          { 0, 0, 0, 1, 0, 0, 0, 2 },
          { 1, 2 },
          2 },
        { 1,
          "{\"descr\":\"=i4\",\"fortran_order\":False,\"shape\":(2L,)}",
          { 3, 0, 0, 0, 4 },
          { 3, 4 },
          1 },
    };
    uint8_t file[256];
    int32_t got[2];
    rt_npy h;
    size_t n = make_file(file, row[_i].version, row[_i].dictionary, row[_i].data, 8);

    ck_assert_ptr_null(rt_npy_header(&h, file, n));
    ck_assert_int_eq(h.dtype, COT_I32);
    ck_assert_int_eq(h.rank, row[_i].rank);
    ck_assert_ptr_null(rt_npy_elements(&h, 0, (const char *)file + h.data, h.bytes, got));
    ck_assert_mem_eq(got, row[_i].want, sizeof got);
}
END_TEST

/* The sizes of more than eight axes stand outside the type. */
START_TEST(arrays_of_many_axes)
{
    const int rank = 8 + _i;
    char dictionary[128] = "{'descr': '|u1', 'fortran_order': False, 'shape': (";
    uint8_t file[256];
    cot_array *a;
    rt_npy h;

    for (int i = 0; i < rank; i++)
        strcat(dictionary, i == rank - 1 ? "2,), }" : "1, ");
    ck_assert_ptr_null(rt_npy_header(&h, file, make_file(file, 1, dictionary, "\3\4", 2)));
    ck_assert_msg(rt_npy_array(ctx, &h, &a) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(a->type.rank, rank);
    for (int i = 0; i < rank; i++)
        ck_assert_int_eq(a->dims[i], i == rank - 1 ? 2 : 1);
    cot_array_free(a);
}
END_TEST

/* Bools are 0 or 1, and those of this part alone are looked at. */
START_TEST(bools_of_a_part)
{
    static const uint8_t data[4] = { 1, 0, 1, 2 };
    const rt_npy h = { .dtype = COT_BOOL, .rank = 1 };
    uint8_t out[4] = { 9, 9, 9, 9 };

    ck_assert_ptr_null(rt_npy_elements(&h, 0, data, 3, out));
    ck_assert_mem_eq(out, ((const uint8_t[]){ 1, 0, 1, 9 }), 4);
    ck_assert_ptr_nonnull(rt_npy_elements(&h, 0, data, 4, out));
}
END_TEST

START_TEST(fortran_order_becomes_row_major)
{
    static const uint8_t by_columns[6] = { 1, 4, 2, 5, 3, 6 },
                         by_rows[6] = { 1, 2, 3, 4, 5, 6 };
    uint8_t file[256], got[6];
    rt_npy h;
    size_t n = make_file(file, 1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }",
                         by_columns, 6);

    ck_assert_ptr_null(rt_npy_header(&h, file, n));
    ck_assert_ptr_null(rt_npy_elements(&h, 0, (const char *)file + h.data, h.bytes, got));
    ck_assert_mem_eq(got, by_rows, 6);
}
END_TEST

static const struct {
    const char *dictionary, *why;
} lie[] = {
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "fewer elements" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "more bytes" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }",
      "more elements" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
      "tuple of sizes" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", "tuple of sizes" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, }", "tuple of sizes" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (2 2), }", "tuple of sizes" },
    { "{'descr': '<c32', 'fortran_order': False, 'shape': (1,), }", "element type" },
    { "{'descr': '<f16', 'fortran_order': False, 'shape': (1,), }", "element type" },
    { "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "plain element type" },
    { "{'descr': '', 'fortran_order': False, 'shape': (2,), }", "plain element type" },
    { "{'descr': '<', 'fortran_order': False, 'shape': (2,), }", "plain element type" },
    { "{'descr': '<f', 'fortran_order': False, 'shape': (2,), }", "plain element type" },
    { "{'descr': 'f4', 'fortran_order': False, 'shape': (2,), }", "plain element type" },
    { "{'descr': '<ff', 'fortran_order': False, 'shape': (2,), }", "plain element type" },
    { "{'descr': '<f4 ', 'fortran_order': False, 'shape': (2,), }", "plain element type" },
    { "{'descr': '<f0004', 'fortran_order': False, 'shape': (2,), }", "plain element type" },
    { "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }",
      "plain element type" },
    { "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,), }", "neither True nor False" },
    { "{'descr': '<f4', 'shape': (2,), }", "lacks one" },
    { "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "twice" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } x", "goes on" },
    { "{'descr': '|b1', 'fortran_order': False, 'shape': (8,), }", "neither 0 nor 1" },
    { "", "not a dictionary" },
};

START_TEST(a_lie_is_refused)
{
    static const uint8_t data[8] = { 0, 1, 2, 3 };
    uint8_t file[256];
    rt_npy h;
    size_t n = make_file(file, 1, lie[_i].dictionary, data, 8);
    const char *wrong = rt_npy_header(&h, file, n);

    if (!wrong)
        wrong = rt_npy_elements(&h, 0, file + h.data, h.bytes, (uint8_t[8]){ 0 });
    ck_assert_ptr_nonnull(wrong);
    ck_assert_msg(strstr(wrong, lie[_i].why), "%s: %s", lie[_i].dictionary, wrong);
}
END_TEST

/* Every beginning of a good file is refused, and none is read past its end. */
START_TEST(a_file_cut_short_is_refused)
{
    uint8_t file[256];
    float data[2] = { 1, 2 };
    rt_npy h;
    size_t n = make_file(file, 2, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
                         data, 8);

    for (size_t length = 0; length < n; length++) {
        redzone z; /* nothing may be read behind its end */
        uint8_t *copy = redzone_new(&z, length, 1, REDZONE_END);

        memcpy(copy, file, length);
        ck_assert_ptr_nonnull(rt_npy_header(&h, copy, length));
        redzone_free(&z);
    }
    ck_assert_ptr_null(rt_npy_header(&h, file, n));
}
END_TEST

/* A header that ends early is refused, whatever follows it; where the file ends with it,
 * nothing is read behind that. */
START_TEST(a_header_cut_short_is_refused)
{
    static const char dictionary[] =
        "{'descr': '<f4', \"fortran_order\": False, 'shape': (2,), }";
    static const char *const behind[] = { "", "''", "'':", "4', }", "}" };

    for (size_t length = 0; length + 1 < sizeof dictionary; length++) {
        const char *first = NULL;
        for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
            char part[sizeof dictionary];
            uint8_t file[128];
            redzone z;
            rt_npy h;

            snprintf(part, sizeof part, "%.*s", (int)length, dictionary);
            const size_t n = make_file(file, 2, part, behind[i], strlen(behind[i]));
            uint8_t *copy = redzone_new(&z, n, 1, REDZONE_END);
            memcpy(copy, file, n);
            const char *wrong = rt_npy_header(&h, copy, n);
            ck_assert_ptr_nonnull(wrong);
            first = i ? first : wrong;
            ck_assert_msg(strcmp(wrong, first) == 0, "%s|%s: %s; alone it is %s", part,
                          behind[i], wrong, first);
            redzone_free(&z);
        }
    }
}
END_TEST

START_TEST(written_files_read_back)
{
    static const cot_type row[] = {
        { .dtype = COT_F32, .rank = 2, .dims = { 2, 3 } },
        { .dtype = COT_BOOL, .rank = 1, .dims = { 5 } },
        { .dtype = COT_I64, .rank = 0 },
        { .dtype = COT_F64, .rank = 3, .dims = { 2, 0, 3 } },
        { .dtype = COT_U8, .rank = 1, .dims = { 7 } },
        { .dtype = COT_BF16, .rank = 1, .dims = { 3 } },
        { .dtype = COT_I8, .rank = 1, .dims = { 3 } },
        { .dtype = COT_I16, .rank = 1, .dims = { 3 } },
        { .dtype = COT_I32, .rank = 1, .dims = { 3 } },
        { .dtype = COT_U16, .rank = 1, .dims = { 3 } },
        { .dtype = COT_U32, .rank = 1, .dims = { 3 } },
        { .dtype = COT_U64, .rank = 1, .dims = { 3 } },
        { .dtype = COT_F16, .rank = 1, .dims = { 3 } },
        { .dtype = COT_C64, .rank = 1, .dims = { 3 } },
        { .dtype = COT_C128, .rank = 1, .dims = { 3 } },
    };
    char path[] = "/tmp/check_npy_XXXXXX";
    cot_context *ctx = cot_context_new(NULL);
    cot_array *a = cot_array_new(ctx, row[_i]), *b;
    int fd = mkstemp(path);

    ck_assert_int_ge(fd, 0);
    close(fd);
    for (size_t i = 0; i < a->bytes; i++)
        ((uint8_t *)a->data)[i] =
            row[_i].dtype == COT_BOOL ? (uint8_t)(i & 1) : (uint8_t)(3 * i + 1);
    ck_assert_int_eq(cot_npy_write(ctx, path, a), COT_OK);
    ck_assert_int_eq(cot_npy_read(ctx, path, &b), COT_OK);
    ck_assert_int_eq(b->type.dtype, row[_i].dtype == COT_BF16 ? COT_U16 : row[_i].dtype);
    ck_assert_int_eq(b->type.rank, row[_i].rank);
    for (int k = 0; k < row[_i].rank; k++)
        ck_assert_int_eq(b->type.dims[k], row[_i].dims[k]);
    ck_assert_uint_eq(b->bytes, a->bytes);
    ck_assert(memcmp(a->data, b->data, a->bytes) == 0);
    unlink(path);
    cot_array_free(a);
    cot_array_free(b);
    cot_context_free(ctx);
}
END_TEST

START_TEST(a_missing_file_is_an_io_error)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_array *a;

    ck_assert_int_eq(cot_npy_read(ctx, "/nowhere/at/all.npy", &a), COT_ERR_IO);
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "/nowhere/at/all.npy"));
    cot_context_free(ctx);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(each_version_and_order_is_read, 4),
        EACH(arrays_of_many_axes, 4),
        ONCE(bools_of_a_part),
        ONCE(fortran_order_becomes_row_major),
        EACH(a_lie_is_refused, sizeof lie / sizeof *lie),
        ONCE(a_file_cut_short_is_refused),
        ONCE(a_header_cut_short_is_refused),
        EACH(written_files_read_back, 15),
        ONCE(a_missing_file_is_an_io_error),
    };

    return SUITE("npy", cases);
}
