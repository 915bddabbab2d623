/* Arrays on a GPU (the driver's double) and DLPack, as another library would use it: its
 * structures are declared here a second time, from its header. */
#include "tests/gpu/with_double.h"

#include "cotrace/device.h"

typedef struct DLTensor {
    void *data;
    struct { int32_t device_type, device_id; } device;
    int32_t ndim;
    struct { uint8_t code, bits; uint16_t lanes; } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} DLTensor;

struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *);
};

struct DLManagedTensorVersioned {
    struct { uint32_t major, minor; } version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *);
    uint64_t flags;
    DLTensor dl_tensor;
};

static int deleted;

static void
delete_versioned(struct DLManagedTensorVersioned *t)
{
    (void)t;
    deleted++;
}

static void
delete_plain(struct DLManagedTensor *t)
{
    (void)t;
    deleted++;
}

static float data[6] = { 1, 2, 3, 4, 5, 6 };
static int64_t shape[2] = { 2, 3 }, strides[2];

/* f32[2,3] of the host at data. */
static struct DLManagedTensorVersioned
tensor(void)
{
    deleted = 0;
    return (struct DLManagedTensorVersioned){ .version = { 1, 0 },
                                              .deleter = delete_versioned,
                                              .dl_tensor = { .data = data,
                                                             .device = { 1, 0 },
                                                             .ndim = 2,
                                                             .dtype = { 2, 32, 1 },
                                                             .shape = shape } };
}

static void
says(const char *want)
{
    ck_assert_msg(strstr(cot_error(ctx), want) != NULL, "the message is: %s\nwants: %s",
                  cot_error(ctx), want);
    cot_error_clear(ctx);
}

/* ---- in ---- */

START_TEST(a_tensor_is_an_array)
{
    struct DLManagedTensorVersioned t = tensor();
    cot_array *a = cot_from_dlpack(ctx, &t);

    ck_assert_msg(a != NULL, "%s", cot_error(ctx));
    ck_assert_ptr_eq(cot_array_data(a), data);
    ck_assert_str_eq(cot_array_device(a), "host");
    ck_assert_int_eq(cot_array_type(a).dims[1], 3);
    ck_assert_int_eq(deleted, 0);
    cot_array_free(a);
    ck_assert_int_eq(deleted, 1);
}
END_TEST

START_TEST(an_unversioned_tensor_is_an_array)
{
    struct DLManagedTensor t = { tensor().dl_tensor, NULL, delete_plain };
    cot_array *a = cot_from_dlpack_unversioned(ctx, &t);

    ck_assert_ptr_eq(cot_array_data(a), data);
    cot_array_free(a);
    ck_assert_int_eq(deleted, 1);
}
END_TEST

/* The transpose of the six, an offset, a negative stride: what is not dense is copied, and its
 * owner told at once. */
START_TEST(strides_are_followed)
{
    static const struct {
        int64_t rows, columns, down, along;
        size_t offset;
        float want[6];
        bool copied;
    } row[] = {
        { 3, 2, 1, 3, 0, { 1, 4, 2, 5, 3, 6 }, true },
        { 2, 2, 3, 1, 4, { 2, 3, 5, 6 }, true },
        { 2, 3, -3, 1, 12, { 4, 5, 6, 1, 2, 3 }, true },
        { 2, 3, 3, 1, 0, { 1, 2, 3, 4, 5, 6 }, false },
        { 1, 3, 77, 1, 12, { 4, 5, 6 }, false },
    };
    struct DLManagedTensorVersioned t = tensor();
    int64_t dims[2] = { row[_i].rows, row[_i].columns };

    strides[0] = row[_i].down;
    strides[1] = row[_i].along;
    t.dl_tensor.shape = dims;
    t.dl_tensor.strides = strides;
    t.dl_tensor.byte_offset = row[_i].offset;
    cot_array *a = cot_from_dlpack(ctx, &t);
    ck_assert_msg(a != NULL, "%s", cot_error(ctx));
    ck_assert_int_eq(deleted, row[_i].copied);
    ck_assert_mem_eq(cot_array_read(a), row[_i].want, cot_array_bytes(a));
    cot_array_free(a);
    ck_assert_int_eq(deleted, 1);
}
END_TEST

/* An empty tensor may have no memory, whatever its offset says. */
START_TEST(nothing_lies_nowhere)
{
    struct DLManagedTensorVersioned t = tensor();
    int64_t dims[2] = { 0, 3 };

    t.dl_tensor.data = NULL;
    t.dl_tensor.shape = dims;
    t.dl_tensor.byte_offset = 2;
    cot_array *a = cot_from_dlpack(ctx, &t);
    ck_assert_msg(a != NULL, "%s", cot_error(ctx));
    ck_assert_uint_eq(cot_array_bytes(a), 0);
    ck_assert_int_eq(deleted, 0);
    cot_array_free(a);
    ck_assert_int_eq(deleted, 1);
}
END_TEST

START_TEST(what_is_not_aligned_is_copied)
{
    char bytes[32];
    struct DLManagedTensorVersioned t = tensor();

    t.dl_tensor.data = bytes + ((uintptr_t)bytes % 4 == 0);
    memcpy(t.dl_tensor.data, data, sizeof data);
    cot_array *a = cot_from_dlpack(ctx, &t);
    ck_assert_mem_eq(cot_array_read(a), data, sizeof data);
    ck_assert_int_eq((int)((uintptr_t)cot_array_data(a) % 4), 0);
    cot_array_free(a);
}
END_TEST

/* Complex numbers are aligned as their parts: at any multiple of those they are not copied. */
START_TEST(complex_numbers_are_aligned_as_their_parts)
{
    static const struct {
        uint8_t bits;
        int part;
    } row[] = { { 64, 4 }, { 128, 8 } };
    static char bytes[128] __attribute__((aligned(64)));
    struct DLManagedTensorVersioned t = tensor();

    t.dl_tensor.dtype.code = 5;
    t.dl_tensor.dtype.bits = row[_i].bits;
    for (int at = row[_i].part; at >= row[_i].part / 2; at -= row[_i].part / 2) {
        deleted = 0;
        t.dl_tensor.data = bytes + at;
        cot_array *a = cot_from_dlpack(ctx, &t);
        ck_assert_msg(a != NULL, "%s", cot_error(ctx));
        ck_assert_int_eq(deleted, at < row[_i].part);
        cot_array_free(a);
    }
}
END_TEST

START_TEST(element_types_travel)
{
    static const struct { cot_dtype t; uint8_t code, bits;
    } row[] = {
        { COT_BOOL, 6, 8 }, { COT_I8, 0, 8 },   { COT_I64, 0, 64 },
        { COT_U16, 1, 16 }, { COT_F16, 2, 16 }, { COT_BF16, 4, 16 },
        { COT_F64, 2, 64 }, { COT_C64, 5, 64 }, { COT_C128, 5, 128 },
    };
    cot_array *a = cot_array_new(ctx, cot_type_new(row[_i].t, 2, (int64_t[]){ 2, 3 })), *b;
    struct DLManagedTensorVersioned *t = cot_to_dlpack(ctx, a);

    ck_assert_int_eq(t->dl_tensor.dtype.code, row[_i].code);
    ck_assert_int_eq(t->dl_tensor.dtype.bits, row[_i].bits);
    ck_assert_int_eq(t->dl_tensor.dtype.lanes, 1);
    ck_assert_int_eq(t->dl_tensor.strides[0], 3);
    cot_array_free(a); /* the tensor keeps it */
    b = cot_from_dlpack(ctx, t);
    ck_assert_int_eq(cot_array_type(b).dtype, row[_i].t);
    cot_array_free(b);
}
END_TEST

START_TEST(scalars_and_empty_tensors)
{
    struct DLManagedTensorVersioned t = tensor();
    int64_t none[2] = { 0, 3 };

    t.dl_tensor.ndim = 0;
    t.dl_tensor.shape = NULL;
    cot_array *a = cot_from_dlpack(ctx, &t);
    ck_assert_int_eq((int)cot_array_bytes(a), 4);
    cot_array_free(a);
    t = tensor();
    t.dl_tensor.shape = none;
    t.dl_tensor.data = NULL;
    a = cot_from_dlpack(ctx, &t);
    ck_assert_int_eq((int)cot_array_bytes(a), 0);
    cot_array_free(a);
    ck_assert_int_eq(deleted, 1);
}
END_TEST

/* After an error the tensor is the caller's. */
START_TEST(a_tensor_is_refused)
{
    static const char *const want[] = {
        "the DLPack tensor is of version 2.1; wants 1",
        "the DLPack tensor is on a device of kind 8; wants the host's (1, 3) or CUDA's (2)",
        "the DLPack tensor has elements of code 2, 8 bits, 1 lanes; wants a type of ours",
        "the DLPack tensor has elements of code 2, 32 bits, 4 lanes; wants a type of ours",
        "the DLPack tensor has 65 axes; wants at most 64",
        "the DLPack tensor of a GPU is not dense, or not aligned; wants a contiguous one",
        "there is no CUDA device 5: the driver has 1",
    };
    struct DLManagedTensorVersioned t = tensor();

    strides[0] = 1;
    strides[1] = 2;
    switch (_i) {
    case 0: t.version.major = 2; t.version.minor = 1; break;
    case 1: t.dl_tensor.device.device_type = 8; break;
    case 2: t.dl_tensor.dtype.bits = 8; break;
    case 3: t.dl_tensor.dtype.lanes = 4; break;
    case 4: t.dl_tensor.ndim = 65; break;
    case 5: t.dl_tensor.device.device_type = 2; t.dl_tensor.strides = strides; break;
    default: t.dl_tensor.device.device_type = 2; t.dl_tensor.device.device_id = 5; break;
    }
    ck_assert_ptr_null(cot_from_dlpack(ctx, &t));
    says(want[_i]);
    ck_assert_int_eq(deleted, 0);
}
END_TEST

static void
twice(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    (void)user;
    out[0] = cot_add(in[0], in[0]);
}

START_TEST(what_is_read_only_is_not_written)
{
    struct DLManagedTensorVersioned t = tensor();
    cot_fn *f = cot_fn_new(ctx, "twice", twice, 1, 1, NULL);
    cot_kernel *k;

    t.flags = 1;
    cot_array *a = cot_from_dlpack(ctx, &t), *b = cot_array_new(ctx, cot_f32(2, 3));
    ck_assert_int_eq(cot_compile(f, COT_TYPES(cot_f32(2, 3)), NULL, &k), COT_OK);
    ck_assert_int_eq(cot_run(k, &b, (const cot_array *[]){ a }), COT_OK);
    ck_assert(((const float *)cot_array_read(b))[5] == 12);
    ck_assert_int_eq(cot_run(k, &a, (const cot_array *[]){ b }), COT_ERR_ARG);
    says("an array that is written is read-only; wants one that can be written");
    ck_assert_int_eq(cot_array_assign(ctx, a, b), COT_ERR_ARG);
    says("the array is read-only");
    struct DLManagedTensorVersioned *out = cot_to_dlpack(ctx, a);
    ck_assert_uint_eq(out->flags, 1);
    out->deleter(out);
    cot_array_free(a);
    cot_array_free(b);
    cot_kernel_free(k);
}
END_TEST

/* ---- the device ---- */

START_TEST(arrays_are_copied_there_and_back)
{
    cot_array *a = cot_array_copy(ctx, cot_f32(2, 3), data),
              *zero = cot_array_new_on(ctx, cot_f32(2, 3), "cuda");
    cot_array *there = cot_array_to(ctx, a, "cuda"),
              *again = cot_array_to(ctx, there, "cuda:0");
    cot_array *back = cot_array_to(ctx, again, "host"),
              *nothing = cot_array_to(ctx, zero, "host");

    ck_assert_int_eq(cot_device_count(ctx, "cuda"), 1);
    ck_assert_int_eq(cot_device_count(ctx, "abacus"), 0);
    ck_assert_str_eq(cot_array_device(back), "host");
    ck_assert_mem_eq(cot_array_read(back), data, sizeof data);
    for (int i = 0; i < 6; i++)
        ck_assert(((const float *)cot_array_read(nothing))[i] == 0);
    ck_assert_int_eq(cot_array_assign(ctx, zero, a), COT_OK);
    ck_assert_int_eq(cot_array_assign(ctx, nothing, zero), COT_OK);
    ck_assert_mem_eq(cot_array_read(nothing), data, sizeof data);
    cot_array *const all[] = { a, zero, there, again, back, nothing };
    for (int i = 0; i < 6; i++)
        cot_array_free(all[i]);
}
END_TEST

START_TEST(types_must_agree)
{
    cot_array *a = cot_array_new(ctx, cot_f32(2, 3)),
              *b = cot_array_new_on(ctx, cot_f32(3, 2), "cuda"),
              *c = cot_array_new(ctx, cot_i32(2, 3));

    ck_assert_int_eq(cot_array_assign(ctx, a, b), COT_ERR_SHAPE);
    says("what is copied is f32[3,2]; wants f32[2,3]");
    ck_assert_int_eq(cot_array_assign(ctx, a, c), COT_ERR_DTYPE);
    says("what is copied is i32; wants f32");
    cot_array_free(a);
    cot_array_free(b);
    cot_array_free(c);
}
END_TEST

/* Out and in again: the same memory, counted. */
START_TEST(tensors_of_the_device)
{
    cot_array *a = cot_array_copy(ctx, cot_f32(2, 3), data),
              *there = cot_array_to(ctx, a, "cuda");
    struct DLManagedTensorVersioned *t = cot_to_dlpack(ctx, there);

    ck_assert_int_eq(t->dl_tensor.device.device_type, 2);
    ck_assert_ptr_eq(t->dl_tensor.data, cot_array_read(there));
    cot_array *b = cot_from_dlpack(ctx, t);
    cot_array_free(there);
    ck_assert_str_eq(cot_array_device(b), "cuda:0");
    cot_array *back = cot_array_to(ctx, b, "host");
    ck_assert_mem_eq(cot_array_read(back), data, sizeof data);
    cot_array_free(b);
    cot_array_free(back);
    struct DLManagedTensor *plain = cot_to_dlpack_unversioned(ctx, a);
    cot_array_free(a);
    plain->deleter(plain);
}
END_TEST

/* What a kernel takes from another library lies where it likes: what is not aligned to 16 is
 * copied. */
/* Rows of one address whose number differs: launches that were captured for some are not
 * replayed for others. */
START_TEST(sizes_differ_at_one_address)
{
    static const int16_t rows[] = { 5, 5, 5, 5, 9, 9, 9, 5, 9, 1 };
    static const char text[] =
        "format 2\n"
        "fn @f(%x: f32[n,24], %w: f32[24,7]) -> f32[7] where n >= 1, n <= 300 {\n"
        "  %0 = dot_general %x, %w {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[n,7]\n"
        "  %1 = reduce_sum %0 {axes=[0]} : f32[7]\n"
        "  ret %1\n}\n";
    cot_fn *f = cot_fn_of_graph(parsed(text));
    const cot_types types = COT_TYPES(cot_f32(2, 24), cot_f32(24, 7));
    cot_kernel *k = NULL, *here = NULL;
    cot_array *all = cot_array_new(ctx, cot_f32(9, 24)),
              *w = cot_array_new(ctx, cot_f32(24, 7));

    for (int i = 0; i < 9 * 24; i++)
        ((float *)cot_array_data(all))[i] = (float)(i % 31 - 15) / 7;
    for (int i = 0; i < 24 * 7; i++)
        ((float *)cot_array_data(w))[i] = (float)(i % 17 - 8) / 5;
    cot_array *there = cot_array_to(ctx, all, "cuda"), *weights = cot_array_to(ctx, w, "cuda"),
              *y = cot_array_new_on(ctx, cot_f32(7), "cuda"),
              *want = cot_array_new(ctx, cot_f32(7));
    struct DLManagedTensorVersioned *owner = cot_to_dlpack(ctx, there);
    ck_assert_msg(cot_compile(f, types, &(cot_compile_options){ .backend = "cuda" }, &k) ==
                      COT_OK,
                  "%s", cot_error(ctx));
    knows(k);
    ck_assert_int_eq(cot_compile(f, types, NULL, &here), COT_OK);
    ck_assert(k->program->straight && k->program->module->n_kernels > 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct DLManagedTensorVersioned t = tensor();
        int64_t dims[] = { rows[i], 24 };

        t.dl_tensor.device.device_type = 2;
        t.dl_tensor.data = owner->dl_tensor.data;
        t.dl_tensor.shape = dims;
        cot_array *x = cot_from_dlpack(ctx, &t),
                  *same = cot_array_borrow(ctx, cot_f32(rows[i], 24), cot_array_data(all));
        ck_assert_msg(cot_run(k, &y, (const cot_array *[]){ x, weights }) == COT_OK, "%s",
                      cot_error(ctx));
        ck_assert_int_eq(cot_run(here, &want, (const cot_array *[]){ same, w }), COT_OK);
        cot_array *got = cot_array_to(ctx, y, "host");
        ck_assert_msg(memcmp(cot_array_read(got), cot_array_read(want), 28) == 0,
                      "differs for %d rows, call %d", rows[i], (int)i);
        cot_array_free(got);
        cot_array_free(x);
        cot_array_free(same);
    }
    owner->deleter(owner);
    cot_array_free(all);
    cot_array_free(w);
    cot_array_free(there);
    cot_array_free(weights);
    cot_array_free(y);
    cot_array_free(want);
    cot_kernel_free(k);
    cot_kernel_free(here);
}
END_TEST

START_TEST(a_kernel_takes_any_address)
{
    const cot_graph *g =
        parsed("fn @f(%x: f32[37]) -> f32[37] {\n  %0 = mul %x, %x : f32[37]\n  ret %0\n}\n");
    cot_kernel *k = gpu_compile(g);
    cot_array *all = cot_array_new_on(ctx, cot_f32(80), "cuda");
    struct DLManagedTensorVersioned *owner = cot_to_dlpack(ctx, all), t[2];
    int64_t n = 37;
    float x[80], y[37];
    cot_array *a[2];

    for (int i = 0; i < 80; i++)
        x[i] = (float)i;
    cot_array *here = cot_array_borrow(ctx, cot_f32(80), x);
    ck_assert_int_eq(cot_array_assign(ctx, all, here), COT_OK);
    for (int i = 0; i < 2; i++) {
        t[i] = tensor();
        t[i].dl_tensor.device.device_type = 2;
        t[i].dl_tensor.data = owner->dl_tensor.data;
        t[i].dl_tensor.byte_offset = i ? 40 * 4 + 4 : 4;
        t[i].dl_tensor.ndim = 1;
        t[i].dl_tensor.shape = &n;
        a[i] = cot_from_dlpack(ctx, &t[i]);
        ck_assert_msg(a[i] != NULL, "%s", cot_error(ctx));
    }
    ck_assert_msg(cot_run(k, &a[1], (const cot_array *[]){ a[0] }) == COT_OK, "%s",
                  cot_error(ctx));
    cot_array *back = cot_array_borrow(ctx, cot_f32(37), y);
    ck_assert_int_eq(cot_array_assign(ctx, back, a[1]), COT_OK);
    for (int i = 0; i < 37; i++)
        ck_assert(y[i] == (float)((i + 1) * (i + 1)));
    cot_array_free(a[0]);
    cot_array_free(a[1]);
    ck_assert_int_eq(deleted, 2);
    owner->deleter(owner);
    cot_array_free(all);
    cot_array_free(here);
    cot_array_free(back);
    cot_kernel_free(k);
}
END_TEST

/* Files are written from this machine's memory. */
START_TEST(files_want_arrays_of_the_host)
{
    cot_array *a = cot_array_new_on(ctx, cot_f32(3), "cuda");
    cot_named named = { "x", a };
    cot_state s = { .n = 1, .at = &named };

    ck_assert_int_eq(cot_npy_write(ctx, "/tmp/cotrace-none.npy", a), COT_ERR_ARG);
    says("the array is on cuda:0; wants one of this machine: cot_array_to copies");
    ck_assert_int_eq(cot_save(ctx, "/tmp/cotrace-none.npz", &s), COT_ERR_ARG);
    says("the array is on cuda:0");
    cot_array_free(a);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "dlpack", a_tensor_is_an_array, 0 },
        { "dlpack", an_unversioned_tensor_is_an_array, 0 },
        { "dlpack", strides_are_followed, 5 },
        { "dlpack", nothing_lies_nowhere, 0 },
        { "dlpack", complex_numbers_are_aligned_as_their_parts, 2 },
        { "dlpack", what_is_not_aligned_is_copied, 0 },
        { "dlpack", element_types_travel, 9 },
        { "dlpack", scalars_and_empty_tensors, 0 },
        { "dlpack", a_tensor_is_refused, 7 },
        { "dlpack", what_is_read_only_is_not_written, 0 },
        { "arrays", arrays_are_copied_there_and_back, 0 },
        { "arrays", types_must_agree, 0 },
        { "arrays", tensors_of_the_device, 0 },
        { "arrays", a_kernel_takes_any_address, 0 },
        { "arrays", sizes_differ_at_one_address, 0 },
        { "arrays", files_want_arrays_of_the_host, 0 },
    };

    return SUITE_WITH("device", cases, begin, end);
}
