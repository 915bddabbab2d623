/* Files of named arrays: what NumPy and safetensors write is read, what lies is refused, and
 * what is written is read back.  check_file_errors.c has what the system refuses. */
#include "ir/array.h"
#include "ir/context.h"
#include "runtime/file.h"
#include "tests/unit/loaded.h"

static void
has(const cot_state *s, const char *name, cot_dtype dtype, int rank, int64_t first,
    const void *data, size_t bytes)
{
    const cot_array *a = cot_state_find(s, name);

    ck_assert_msg(a != NULL, "nothing is called %s", name);
    ck_assert_msg(a->type.dtype == dtype && a->type.rank == rank, "%s is %s of rank %d", name,
                  cot_dtype_name(a->type.dtype), a->type.rank);
    if (rank)
        ck_assert_int_eq(a->type.dims[0], first);
    ck_assert_uint_eq(a->bytes, bytes);
    ck_assert_msg(bytes == 0 || memcmp(a->data, data, bytes) == 0, "%s has other elements",
                  name);
}
#define HAS(s, name, dtype, rank, first, type, ...)                                            \
    has(s, name, dtype, rank, first, (const type[]){ __VA_ARGS__ },                            \
        sizeof((const type[]){ __VA_ARGS__ }))

static void
has_every_kind(const cot_state *s)
{
    HAS(s, "kinds.b", COT_BOOL, 1, 3, uint8_t, 1, 0, 1);
    HAS(s, "kinds.i1", COT_I8, 1, 3, int8_t, -1, 0, 1);
    HAS(s, "kinds.i2", COT_I16, 1, 3, int16_t, -1, 0, 1);
    HAS(s, "kinds.i4", COT_I32, 1, 3, int32_t, -1, 0, 1);
    HAS(s, "kinds.i8", COT_I64, 1, 3, int64_t, -1, 0, 1);
    HAS(s, "kinds.u1", COT_U8, 1, 3, uint8_t, 0, 1, 2);
    HAS(s, "kinds.u2", COT_U16, 1, 3, uint16_t, 0, 1, 2);
    HAS(s, "kinds.u4", COT_U32, 1, 3, uint32_t, 0, 1, 2);
    HAS(s, "kinds.u8", COT_U64, 1, 3, uint64_t, 0, 1, 2);
    HAS(s, "kinds.f2", COT_F16, 1, 3, uint16_t, 0xbc00, 0, 0x3c00);
    HAS(s, "kinds.f4", COT_F32, 1, 3, float, -1, 0, 1);
    HAS(s, "kinds.f8", COT_F64, 1, 3, double, -1, 0, 1);
    HAS(s, "layer.0.weight", COT_F32, 2, 2, float, 0, 1, 2, 3, 4, 5);
    HAS(s, "scalar", COT_F64, 0, 0, double, 2.5);
    has(s, "empty", COT_F32, 3, 2, NULL, 0);
}

#define RUNS(call) ck_assert_msg((call) == COT_OK, "%s", cot_error(ctx))

START_TEST(what_numpy_writes)
{
    cot_state s;

    if (!HAS_NPZ)
        return;
    RUNS(cot_load(ctx, fixture("stored.npz"), &s));
    ck_assert_int_eq(s.n, 17);
    has_every_kind(&s);
    HAS(&s, "fortran", COT_I32, 2, 2, int32_t, 0, 1, 2, 3, 4, 5);
    HAS(&s, "big", COT_I32, 1, 2, int32_t, 1, 256);
    cot_state_free(&s);
    RUNS(cot_load(ctx, fixture("deflated.npz"), &s));
    ck_assert_uint_eq(cot_array_bytes(cot_state_find(&s, "w")), 50 * 40 * sizeof(float));
    ck_assert(((const float *)cot_array_read(cot_state_find(&s, "w")))[1999] == 1);
    HAS(&s, "n", COT_I64, 1, 1, int64_t, 7);
    cot_state_free(&s);
    RUNS(cot_load(ctx, fixture("nothing.npz"), &s));
    ck_assert_int_eq(s.n, 0);
}
END_TEST

START_TEST(what_safetensors_writes)
{
    cot_state s;

    if (!HAS_SAFETENSORS)
        return;
    RUNS(cot_load(ctx, fixture("kinds.safetensors"), &s));
    ck_assert_int_eq(s.n, 15);
    has_every_kind(&s);
    cot_state_free(&s);
    RUNS(cot_load(ctx, fixture("bf16.safetensors"), &s));
    HAS(&s, "x", COT_BF16, 1, 3, uint16_t, 0x3f80, 0xc000, 0x3f00);
    HAS(&s, "na\xc3\xafve", COT_U8, 0, 0, uint8_t, 9);
    cot_state_free(&s);
}
END_TEST

/* ---- lies ---- */

static const struct {
    const char *header, *why; /* the elements are 8 bytes: 0 1 2 ... 7 */
} lie[] = {
    { "", ": its header is wrong at byte " },
    { "[1]", ": its header is not a JSON object" },
    { "{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}",
      ": its header is wrong at byte " },
    { "{}", ": it holds more bytes than its tensors" },
    { "{\"x\":3}", ": \"x\" has no dtype" },
    { "{\"x\":{\"dtype\":\"F8_E4M3\",\"shape\":[8],\"data_offsets\":[0,8]}}",
      ": \"x\" has a dtype that is not one of BOOL, I8 to I64, U8 to U64, F16, BF16, F32, "
      "F64" },
    { "{\"x\":{\"dtype\":\"F32\",\"data_offsets\":[0,8]}}", ": \"x\" has no shape" },
    { "{\"x\":{\"dtype\":\"F32\",\"shape\":[2,-1],\"data_offsets\":[0,8]}}",
      ": \"x\" has a size that is not an integer of 0 or more" },
    { "{\"x\":{\"dtype\":\"F32\",\"shape\":[2.0],\"data_offsets\":[0,8]}}",
      ": \"x\" has a size that is not an integer of 0 or more" },
    { "{\"x\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,8]}}",
      ": \"x\" has more elements than the file" },
    { "{\"x\":{\"dtype\":\"F32\",\"shape\":[99999999999999999999],\"data_offsets\":[0,8]}}",
      ": its header is wrong at byte " },
    { "{\"x\":{\"dtype\":\"F32\",\"shape\":[2]}}",
      ": \"x\" has data_offsets that are not two ascending integers" },
    { "{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}",
      ": \"x\" has data_offsets that are not two ascending integers" },
    { "{\"x\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}",
      ": \"x\" has data_offsets that its dtype and shape do not fill" },
    { "{\"x\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]}}",
      ": \"x\" lies behind the end of the file" },
    { "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
      "\"y\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}}",
      ": \"y\" lies behind the end of the file" },
    { "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
      ": \"x\" does not begin where another ends" },
    { "{\"x\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]},"
      "\"y\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,8]}}",
      ": \"y\" overlaps another" },
    { "{\"x\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
      "\"x\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,8]}}",
      ": its header is wrong at byte " },
    { "{\"x\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}",
      ": it holds more bytes than its tensors" },
    { "{\"x\":{\"dtype\":\"BOOL\",\"shape\":[8],\"data_offsets\":[0,8]}}",
      ": \"x\" has a bool that is neither 0 nor 1" },
};

static size_t
safetensors(uint8_t *file, const char *header)
{
    size_t n = strlen(header);

    for (int i = 0; i < 8; i++)
        file[i] = (uint8_t)(n >> (8 * i));
    memcpy(file + 8, header, n);
    for (int i = 0; i < 8; i++)
        file[8 + n + (size_t)i] = (uint8_t)i;
    return 16 + n;
}

/* The first byte that is neither 0 nor 1 is refused, 2 as well as 255. */
START_TEST(a_bool_is_0_or_1)
{
    const char *header = "{\"x\":{\"dtype\":\"BOOL\",\"shape\":[8],\"data_offsets\":[0,8]}}";
    static const uint8_t byte[] = { 0, 1, 2, 255 };
    uint8_t file[512];
    cot_state s = { 0 };

    if (!HAS_SAFETENSORS)
        return;
    size_t n = safetensors(file, header);
    for (size_t i = n - 8; i < n; i++)
        file[i] = i % 2;
    file[n - 1] = byte[_i];
    ck_assert_int_eq(rt_safetensors_read(ctx, "f", file, n, &s),
                     _i < 2 ? COT_OK : COT_ERR_PARSE);
    if (_i < 2)
        ck_assert_mem_eq(cot_array_read(s.at[0].array), file + n - 8, 8);
    cot_state_free(&s);
}
END_TEST

START_TEST(a_lie_in_safetensors)
{
    uint8_t file[512];
    char want[300];
    cot_state s = { 0 };

    if (!HAS_SAFETENSORS)
        return;
    size_t n = safetensors(file, lie[_i].header);
    ck_assert_int_eq(rt_safetensors_read(ctx, "f", file, n, &s), COT_ERR_PARSE);
    snprintf(want, sizeof want, "f%s", lie[_i].why);
    ck_assert_msg(strncmp(cot_error(ctx), want, strlen(want)) == 0, "%s: %s", lie[_i].header,
                  cot_error(ctx));
    cot_state_free(&s);
}
END_TEST

/* Every beginning of a good file is refused, and none is read past its end. */
START_TEST(files_cut_short)
{
    static const char *const names[] = { "bf16.safetensors", "stored.npz", "deflated.npz" };
    size_t size;
    const void *file = rt_file_map(fixture(names[_i]), &size);

    ck_assert_ptr_nonnull(file);
    if (_i ? !HAS_NPZ : !HAS_SAFETENSORS)
        return;
    for (size_t n = 0; n < size; n++) {
        cot_state s = { 0 };
        uint8_t *copy = malloc(n + 1);

        ck_assert_ptr_nonnull(copy);
        memcpy(copy, file, n);
        cot_status status = (_i ? rt_npz_read : rt_safetensors_read)(ctx, "cut", copy, n, &s);
        ck_assert_msg(status == COT_ERR_PARSE, "%zu bytes: %s", n, cot_error(ctx));
        cot_error_clear(ctx);
        cot_state_free(&s);
        free(copy);
    }
    rt_file_unmap(file, size);
}
END_TEST

/* One byte after another is wrong: a status and a message, or arrays like any others; never a
 * crash. */
START_TEST(damaged_archives)
{
    size_t size;
    const void *file = rt_file_map(fixture("deflated.npz"), &size);
    uint8_t *copy = malloc(size);

    ck_assert(file && copy);
    if (!HAS_NPZ)
        return;
    for (size_t i = 0; i < size; i++) {
        cot_state s = { 0 };

        memcpy(copy, file, size);
        copy[i] ^= 0x55;
        if (rt_npz_read(ctx, "damaged", copy, size, &s) != COT_OK)
            ck_assert_int_eq(strncmp(cot_error(ctx), "damaged: ", 9), 0);
        cot_error_clear(ctx);
        cot_state_free(&s);
    }
    free(copy);
    rt_file_unmap(file, size);
}
END_TEST

/* A member of 2.7 GB in an archive of 420 bytes is refused before memory is asked for. */
START_TEST(lying_archive)
{
    cot_state s;

    if (!HAS_NPZ)
        return;
    ck_assert_int_eq(cot_load(ctx, fixture("../../fuzz/corpus/npz/liar.npz"), &s),
                     COT_ERR_PARSE);
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "claims more bytes than the archive has"));
    cot_error_clear(ctx);
}
END_TEST

/* ---- out, and in again ---- */

static cot_array *made[COT_DTYPE_COUNT + 2];

/* An array of each element type below the limit, a scalar and an empty one. */
static cot_state
every_type(cot_named *at, int limit)
{
    cot_state s = { .at = at };

    for (int t = 1; t < limit; t++) {
        cot_array *a = made[s.n] =
            cot_array_new(ctx, cot_type_new((cot_dtype)t, 2, (const int64_t[]){ 3, 5 }));
        for (size_t i = 0; i < a->bytes; i++)
            ((uint8_t *)a->data)[i] = t == COT_BOOL ? i & 1 : (uint8_t)(3 * i + 1);
        at[s.n++] = (cot_named){ cot_dtype_name((cot_dtype)t), a };
    }
    made[s.n] = cot_array_copy(ctx, cot_f64(), (const double[]){ -0.5 });
    at[s.n] = (cot_named){ "a \"name\" \\ \xe2\x82\xac", made[s.n] };
    s.n++;
    made[s.n] = cot_array_new(ctx, cot_f32(0, 4));
    at[s.n] = (cot_named){ "none", made[s.n] };
    s.n++;
    return s;
}

static const char *const endings[] = { "all.npz", "all.safetensors" };

START_TEST(saved_and_loaded)
{
    cot_named at[COT_DTYPE_COUNT + 2];
    cot_state s, again;

    if (_i ? !HAS_SAFETENSORS : !HAS_NPZ)
        return;
    const int limit = _i ? COT_C128 : COT_DTYPE_COUNT; /* safetensors has no c128 */
    s = every_type(at, limit);
    for (int twice = 0; twice < 2; twice++)
        RUNS(cot_save(ctx, fresh(endings[_i]), &s));
    RUNS(cot_load(ctx, fresh(endings[_i]), &again));
    ck_assert_int_eq(again.n, s.n);
    for (int i = 0; i < s.n; i++) {
        cot_dtype t = at[i].array->type.dtype;
        has(&again, at[i].name, _i == 0 && t == COT_BF16 ? COT_U16 : t, at[i].array->type.rank,
            at[i].array->type.dims[0], at[i].array->data, at[i].array->bytes);
    }
    cot_state_free(&again);
    s.n = 0;
    RUNS(cot_save(ctx, fresh(endings[_i]), &s));
    RUNS(cot_load(ctx, fresh(endings[_i]), &again));
    ck_assert_int_eq(again.n, 0);
    for (int i = 0; i < limit + 1; i++)
        cot_array_free(made[i]);
}
END_TEST

static void
fails(cot_status got, cot_status want, const char *message)
{
    char text[500];

    snprintf(text, sizeof text, message, path);
    ck_assert_int_eq(got, want);
    ck_assert_str_eq(cot_error(ctx), text);
    cot_error_clear(ctx);
}

/* Names at both sides of each border of UTF-8: overlong forms, surrogates, what is beyond
 * Unicode. */
START_TEST(names_are_utf8)
{
    static const struct {
        const char *name;
        bool good;
    } row[] = {
        { "\x7f", true },
        { "\x80", false },
        { "\xc1\xbf", false },
        { "\xc2\x80", true },
        { "\xc2\x7f", false },
        { "\xc2\xc0", false },
        { "\xdf\xbf", true },
        { "\xe0\x9f\xbf", false },
        { "\xe0\xa0\x80", true },
        { "\xe1\x80\x80", true },
        { "\xe1\x80", false },
        { "\xec\xbf\xbf", true },
        { "\xed\x9f\xbf", true },
        { "\xed\xa0\x80", false },
        { "\xee\x80\x80", true },
        { "\xef\xbf\xbf", true },
        { "\xf0\x8f\xbf\xbf", false },
        { "\xf0\x90\x80\x80", true },
        { "\xf1\x80\x80\x80", true },
        { "\xf4\x8f\xbf\xbf", true },
        { "\xf4\x90\x80\x80", false },
        { "\xf5\x80\x80\x80", false },
        { "\xff", false },
    };
    cot_array *a = cot_array_new(ctx, cot_f32(2));

    if (!HAS_NPZ) {
        cot_array_free(a);
        return;
    }
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        cot_state s = COT_STATE({ row[i].name, a });
        ck_assert_msg((cot_save(ctx, fresh("utf8.npz"), &s) == COT_OK) == row[i].good, "row %d",
                      (int)i);
        cot_error_clear(ctx);
    }
    unlink(fresh("utf8.npz"));
    cot_array_free(a);
}
END_TEST

START_TEST(what_is_not_saved)
{
    cot_array *a = cot_array_new(ctx, cot_f32(2));
    cot_state s, unnamed = COT_STATE({ NULL, a }), empty = COT_STATE({ "", a }),
                 none = COT_STATE({ "x", NULL }),
                 twice = COT_STATE({ "y", a }, { "x", a }, { "y", a }),
                 latin = COT_STATE({ "na\xefve", a }), good = COT_STATE({ "x", a });

    fails(cot_save(ctx, fresh("x.pt"), &good), COT_ERR_ARG,
          "\"%s\" ends in neither .npz nor .safetensors");
    fails(cot_load(ctx, fresh("x.pt"), &s), COT_ERR_ARG,
          "\"%s\" ends in neither .npz nor .safetensors");
    fails(cot_load(ctx, fresh("x.npz"), &s), COT_ERR_IO, "%s: No such file or directory");
    fails(cot_save(ctx, fresh("x.npz"), &unnamed), COT_ERR_ARG,
          "%s: array 0 has no name; wants names in UTF-8, distinct and not empty");
    fails(cot_save(ctx, fresh("x.npz"), &empty), COT_ERR_ARG,
          "%s: array 0 has an empty name; wants names in UTF-8, distinct and not empty");
    fails(cot_save(ctx, fresh("x.npz"), &none), COT_ERR_ARG,
          "%s: array 0 is NULL; wants names in UTF-8, distinct and not empty");
    fails(cot_save(ctx, fresh("x.npz"), &latin), COT_ERR_ARG,
          "%s: array 0 has a name that is not UTF-8; wants names in UTF-8, distinct and not "
          "empty");
    ck_assert_int_eq(cot_save(ctx, fresh("x.npz"), &twice), COT_ERR_ARG);
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "has the name of another"));
    cot_error_clear(ctx);
    if (HAS_SAFETENSORS)
        fails(cot_save(ctx, fresh("no/folder.safetensors"), &good), COT_ERR_IO,
              "%s: No such file or directory");
    cot_array_free(a);
}
END_TEST

/* Two members of one name: made of an archive whose names have equal lengths. */
START_TEST(a_name_twice_in_an_archive)
{
    size_t size;
    const void *file = rt_file_map(fixture("positions.npz"), &size);
    uint8_t *copy = malloc(size);
    FILE *out = fopen(fresh("twice.npz"), "wb");
    cot_state s;

    ck_assert(file && copy && out);
    memcpy(copy, file, size);
    for (size_t i = 0; i + 5 < size; i++)
        if (memcmp(copy + i, "arr_1", 5) == 0)
            copy[i + 4] = '0';
    ck_assert_uint_eq(fwrite(copy, 1, size, out), size);
    fclose(out);
    free(copy);
    rt_file_unmap(file, size);
    if (HAS_NPZ)
        fails(cot_load(ctx, fresh("twice.npz"), &s), COT_ERR_PARSE,
              "%s: \"arr_0\" is there twice");
}
END_TEST

/* ---- modules ---- */

static void
linear(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_linear(in[2], in[0], in[1]);
}

START_TEST(modules_to_files_and_back)
{
    cot_module *m[2];
    cot_array *w = cot_array_copy(ctx, cot_f32(1, 2), (const float[]){ 2, 3 }),
              *b = cot_array_copy(ctx, cot_f32(1), (const float[]){ 1 }),
              *x = cot_array_copy(ctx, cot_f32(2), (const float[]){ 1, 10 }), *y = NULL;
    cot_state s, partial = COT_STATE({ "bias", b }),
                 wide = COT_STATE({ "weight", x }, { "bias", b }),
                 unknown = COT_STATE({ "scale", b });

    if (_i ? !HAS_SAFETENSORS : !HAS_NPZ)
        return;
    for (int i = 0; i < 2; i++)
        m[i] = cot_module_new_((cot_place){ "main.c", 3 }, ctx,
                               &(cot_module_spec){ .name = "Linear",
                                                   .body = linear,
                                                   .params = "weight, bias",
                                                   .inputs = "x",
                                                   .results = "y" },
                               sizeof(cot_module_spec));
    RUNS(cot_module_set(m[0], "weight", w));
    RUNS(cot_module_set(m[0], "bias", b));
    RUNS(cot_module_state(m[0], &s));
    RUNS(cot_save(ctx, fresh(endings[_i]), &s));
    RUNS(cot_load(ctx, fresh(endings[_i]), &s));
    RUNS(cot_module_set_state(m[1], &s, 0));
    RUNS(cot_module_call(m[1], &y, 1, NULL, 0, &x, 1));
    ck_assert(*(const float *)cot_array_read(y) == 33);
    ck_assert_ptr_eq(cot_module_array(m[1], "weight"), cot_state_find(&s, "weight"));
    RUNS(cot_module_set_state(m[1], &partial, 1));
    fails(cot_module_set_state(m[1], &partial, 0), COT_ERR_ARG,
          "main.c:3: module_set_state: \"weight\" is not given; wants every parameter and "
          "buffer of Linear");
    fails(cot_module_set_state(m[1], &unknown, 1), COT_ERR_ARG,
          "main.c:3: module_set_state: Linear has no parameter or buffer called \"scale\"");
    fails(cot_module_set_state(m[1], &wide, 0), COT_ERR_SHAPE,
          "main.c:3: module_set_state: \"weight\" is f32[2]; wants f32[1,2], as the module has "
          "it");
    cot_state_free(&s);
    cot_array_free(w), cot_array_free(b), cot_array_free(x), cot_array_free(y);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(what_numpy_writes),
        ONCE(what_safetensors_writes),
        EACH(a_bool_is_0_or_1, 4),
        EACH(a_lie_in_safetensors, sizeof lie / sizeof *lie),
        EACH(files_cut_short, 3),
        ONCE(damaged_archives),
        ONCE(lying_archive),
        EACH(saved_and_loaded, 2),
        ONCE(names_are_utf8),
        ONCE(what_is_not_saved),
        ONCE(a_name_twice_in_an_archive),
        EACH(modules_to_files_and_back, 2),
    };

    if (!mkdtemp(place))
        return EXIT_FAILURE;
    const int status = SUITE("files", cases);
    for (int i = 0; i < 2; i++)
        unlink(fresh(endings[i]));
    unlink(fresh("twice.npz"));
    rmdir(place);
    return status;
}
