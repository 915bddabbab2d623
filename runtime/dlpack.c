/* DLPack import and export.
 *
 * The structures are those of DLPack 1.0 (github.com/dmlc/dlpack, include/dlpack/dlpack.h), an
 * ABI with declarations of our own.  An imported tensor becomes an array whose place calls the
 * tensor's deleter; an exported array is referenced by the tensor. */
#include "cotrace/device.h"
#include "ir/diag.h"
#include "runtime/compile.h"
#include "runtime/cuda/gpu.h"

enum { DL_MAJOR = 1, DL_MINOR = 0 };
enum { DL_HOST = 1, DL_CUDA = 2, DL_CUDA_HOST = 3 };
enum { DL_INT, DL_UINT, DL_FLOAT, DL_HANDLE, DL_BFLOAT, DL_COMPLEX, DL_BOOL };
enum { DL_READ_ONLY = 1 };

typedef struct dl_tensor {
    void *data;
    struct { int32_t type, id; } device;
    int32_t rank;
    struct { uint8_t code, bits; uint16_t lanes; } dtype;
    int64_t *shape, *strides; /* in elements; strides NULL: row-major without gaps */
    uint64_t byte_offset;
} dl_tensor;

struct DLManagedTensor {
    dl_tensor tensor;
    void *manager;
    void (*deleter)(struct DLManagedTensor *self);
};

struct DLManagedTensorVersioned {
    struct { uint32_t major, minor; } version;
    void *manager;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    dl_tensor tensor;
};

static const struct { uint8_t code, bits;
} codes[COT_DTYPE_COUNT] = {
    [COT_BOOL] = { DL_BOOL, 8 },      [COT_I8] = { DL_INT, 8 },
    [COT_I16] = { DL_INT, 16 },       [COT_I32] = { DL_INT, 32 },
    [COT_I64] = { DL_INT, 64 },       [COT_U8] = { DL_UINT, 8 },
    [COT_U16] = { DL_UINT, 16 },      [COT_U32] = { DL_UINT, 32 },
    [COT_U64] = { DL_UINT, 64 },      [COT_F16] = { DL_FLOAT, 16 },
    [COT_BF16] = { DL_BFLOAT, 16 },   [COT_F32] = { DL_FLOAT, 32 },
    [COT_F64] = { DL_FLOAT, 64 },     [COT_C64] = { DL_COMPLEX, 64 },
    [COT_C128] = { DL_COMPLEX, 128 },
};

/* ---- import ---- */

/* The place of an array that was imported. */
typedef struct borrowed {
    ir_place place;
    struct DLManagedTensorVersioned *versioned;
    struct DLManagedTensor *plain;
    rt_gpu *g;
} borrowed;

static void
delete_tensor(const borrowed *b)
{
    if (b->versioned && b->versioned->deleter)
        b->versioned->deleter(b->versioned);
    if (b->plain && b->plain->deleter)
        b->plain->deleter(b->plain);
}

/* Pending operations on the memory are completed before its owner gets it back. */
static void
release(ir_place *p, cot_array *a)
{
    borrowed *b = (borrowed *)p;

    if (b->g) {
        rt_gpu_begin(b->g);
        (void)rt_gpu_sync(b->g);
        rt_gpu_end(b->g);
    }
    delete_tensor(b);
    rt_gpu_drop(b->g);
    (void)a->realloc(a->alloc_user, b, 0);
}

static cot_status
read_there(ir_place *p, void *to, const void *from, size_t bytes)
{
    ir_place *g = &((borrowed *)p)->g->place;

    return g->read(g, to, from, bytes);
}

static cot_status
write_there(ir_place *p, void *to, const void *from, size_t bytes)
{
    ir_place *g = &((borrowed *)p)->g->place;

    return g->write(g, to, from, bytes);
}

static const char *
why_there(ir_place *p)
{
    return ((borrowed *)p)->g->said;
}

typedef struct importing {
    struct DLManagedTensorVersioned *versioned;
    struct DLManagedTensor *plain;
    const dl_tensor *t;
    bool read_only;
    cot_array *out;
} importing;

static cot_dtype
dtype_of(const dl_tensor *t)
{
    for (int i = COT_BOOL; i < COT_DTYPE_COUNT; i++)
        if (codes[i].code == t->dtype.code && codes[i].bits == t->dtype.bits &&
            t->dtype.lanes == 1)
            return (cot_dtype)i;
    return COT_DTYPE_NONE;
}

static bool
is_dense(const dl_tensor *t)
{
    int64_t step = 1;

    for (int i = t->rank; t->strides && i-- > 0;) {
        if (t->shape[i] == 0)
            return true;
        if (t->shape[i] != 1 && t->strides[i] != step)
            return false;
        step *= t->shape[i];
    }
    return true;
}

/* Copies the elements of a host tensor to row-major order. */
static void
gather(const dl_tensor *t, const char *from, size_t bytes, char *to, int64_t n)
{
    int64_t at[COT_MAX_RANK] = { 0 };

    for (int64_t k = 0; k < n; k++) {
        int64_t offset = 0;

        for (int i = 0; i < t->rank; i++)
            offset += at[i] * t->strides[i];
        memcpy(to + (size_t)k * bytes, from + offset * (int64_t)bytes, bytes);
        for (int i = t->rank; i-- > 0 && ++at[i] == t->shape[i];)
            at[i] = 0;
    }
}

/* An aligned row-major copy of a host tensor. */
static cot_status
copy_in(cot_context *ctx, const importing *m, const cot_type *type, const char *data,
        cot_array **out)
{
    cot_array *a = *out = ir_array_new(ctx, type, NULL);
    const borrowed b = { .versioned = m->versioned, .plain = m->plain };

    if (!a)
        return ir_fail(ctx, 0, NULL, ERR_memory);
    if (m->t->strides)
        gather(m->t, data, cot_dtype_size(type->dtype), a->data, a->size);
    else if (a->bytes)
        memcpy(a->data, data, a->bytes);
    delete_tensor(&b);
    return COT_OK;
}

static cot_status
borrow(cot_context *ctx, const importing *m, const cot_type *type, char *data, cot_array **out)
{
    static char nothing[64];
    const bool here = m->t->device.type != DL_CUDA;
    borrowed *b;
    rt_gpu *g = NULL;

    if (!here)
        COT_TRY(rt_gpu_of(ctx, m->t->device.id, &g));
    b = ir_realloc(ctx, NULL, sizeof *b);
    *out = ir_array_new(ctx, type, data ? data : nothing);
    if (!*out) {
        ir_free(ctx, b);
        return ir_fail(ctx, 0, NULL, ERR_memory);
    }
    *b = (borrowed){ .place = { .device_type = here ? DL_HOST : DL_CUDA,
                                .device_id = here ? 0 : m->t->device.id,
                                .release = release,
                                .read = read_there,
                                .write = write_there,
                                .why = why_there,
                                .gpu = g },
                     .versioned = m->versioned,
                     .plain = m->plain,
                     .g = g ? rt_gpu_hold(g) : NULL };
    (*out)->place = &b->place;
    (*out)->read_only = m->read_only;
    return COT_OK;
}

static cot_status
refuse(cot_context *ctx, const char *found)
{
    return ir_fail(ctx, 0, NULL, ERR_usage,
                   ir_format(&ctx->message_arena, "the DLPack tensor %s", found));
}

static cot_status
import(cot_context *ctx, void *arg)
{
    importing *m = arg;
    const dl_tensor *t = m->t;
    const cot_dtype dtype = dtype_of(t);
    const size_t align = dtype == COT_C128 || dtype == COT_C64 ? cot_dtype_size(dtype) / 2
                                                               : cot_dtype_size(dtype);
    char *data = (char *)t->data + (t->data ? t->byte_offset : 0);
    cot_type type;

    if (m->versioned && m->versioned->version.major != DL_MAJOR)
        return refuse(ctx, ir_format(&ctx->message_arena, "is of version %u.%u; wants 1",
                                     m->versioned->version.major, m->versioned->version.minor));
    if (t->device.type != DL_HOST && t->device.type != DL_CUDA &&
        t->device.type != DL_CUDA_HOST)
        return refuse(
            ctx, ir_format(&ctx->message_arena,
                           "is on a device of kind %d; wants the host's (1, 3) or CUDA's (2)",
                           t->device.type));
    if (t->rank < 0 || t->rank > COT_MAX_RANK)
        return refuse(ctx, ir_format(&ctx->message_arena, "has %d axes; wants at most %d",
                                     t->rank, COT_MAX_RANK));
    if (dtype == COT_DTYPE_NONE)
        return ir_fail(ctx, 0, NULL, ERR_dtype_wrong,
                       ir_format(&ctx->message_arena,
                                 "the DLPack tensor has elements of code %d, %d bits, %d "
                                 "lanes; wants a type of ours",
                                 t->dtype.code, t->dtype.bits, t->dtype.lanes));
    type = cot_type_new(dtype, t->rank, t->shape);
    if (!ir_type_of(ctx, &type))
        return ctx->status;
    if (is_dense(t) && (uintptr_t)data % align == 0)
        return borrow(ctx, m, &type, data, &m->out);
    if (t->device.type == DL_CUDA)
        return refuse(ctx, "of a GPU is not dense, or not aligned; wants a contiguous one");
    return copy_in(ctx, m, &type, data, &m->out);
}

cot_array *
cot_from_dlpack(cot_context *ctx, struct DLManagedTensorVersioned *tensor)
{
    if (!tensor) {
        ir_fail_null(ctx, "from_dlpack", "the tensor");
        return NULL;
    }
    importing m = { tensor, NULL, &tensor->tensor, (tensor->flags & DL_READ_ONLY) != 0, NULL };

    return rt_guard(ctx, import, &m) == COT_OK ? m.out : NULL;
}

cot_array *
cot_from_dlpack_unversioned(cot_context *ctx, struct DLManagedTensor *tensor)
{
    if (!tensor) {
        ir_fail_null(ctx, "from_dlpack", "the tensor");
        return NULL;
    }
    importing m = { NULL, tensor, &tensor->tensor, false, NULL };

    return rt_guard(ctx, import, &m) == COT_OK ? m.out : NULL;
}

/* ---- export ---- */

typedef struct dlpack_tensor {
    union {
        struct DLManagedTensorVersioned versioned;
        struct DLManagedTensor plain;
    } out;
    cot_array *a;
    int64_t strides[];
} dlpack_tensor;

static void
take_back(dlpack_tensor *l)
{
    cot_array *a = l->a;
    void *(*alloc)(void *, void *, size_t) = a->realloc;
    void *user = a->alloc_user;

    cot_array_free(a);
    (void)alloc(user, l, 0);
}

static void
delete_versioned(struct DLManagedTensorVersioned *self)
{
    take_back(self->manager);
}

static void
delete_plain(struct DLManagedTensor *self)
{
    take_back(self->manager);
}

/* Completes operations that the consumer's stream is not ordered after. */
static cot_status
settle(cot_context *ctx, void *arg)
{
    const cot_array *a = arg;
    rt_gpu *g;
    cot_status s;

    if (ir_array_is_here(a))
        return COT_OK;
    g = a->place->gpu;
    rt_gpu_begin(g);
    s = rt_gpu_sync(g);
    rt_gpu_end(g);
    return s == COT_OK ? COT_OK : rt_gpu_fail(ctx, g, s, NULL);
}

static dlpack_tensor *
lend(cot_context *ctx, const cot_array *a)
{
    if (!a) {
        ir_fail_null(ctx, "to_dlpack", "the array");
        return NULL;
    }
    const size_t rank = (size_t)a->type.rank;
    dlpack_tensor *l;

    if (rt_guard(ctx, settle, (void *)(uintptr_t)a) != COT_OK)
        return NULL;
    l = a->realloc(a->alloc_user, NULL, sizeof *l + rank * sizeof *l->strides);
    if (!l)
        return NULL;
    memset(l, 0, sizeof *l);
    for (size_t i = rank; i-- > 0;)
        l->strides[i] = i + 1 == rank ? 1 : l->strides[i + 1] * a->dims[i + 1];
    l->a = ir_array_hold(a);
    return l;
}

static dl_tensor
tensor_of(dlpack_tensor *l)
{
    const cot_array *a = l->a;
    dl_tensor t = {
        .data = a->data, .rank = a->type.rank, .shape = a->dims, .strides = l->strides
    };

    t.device.type = ir_array_is_here(a) ? DL_HOST : a->place->device_type;
    t.device.id = ir_array_is_here(a) ? 0 : a->place->device_id;
    t.dtype.code = codes[a->type.dtype].code;
    t.dtype.bits = codes[a->type.dtype].bits;
    t.dtype.lanes = 1;
    return t;
}

struct DLManagedTensorVersioned *
cot_to_dlpack(cot_context *ctx, const cot_array *a)
{
    dlpack_tensor *l = lend(ctx, a);

    if (!l)
        return NULL;
    l->out.versioned =
        (struct DLManagedTensorVersioned){ .version = { DL_MAJOR, DL_MINOR },
                                           .manager = l,
                                           .deleter = delete_versioned,
                                           .flags = a->read_only ? DL_READ_ONLY : 0,
                                           .tensor = tensor_of(l) };
    return &l->out.versioned;
}

struct DLManagedTensor *
cot_to_dlpack_unversioned(cot_context *ctx, const cot_array *a)
{
    dlpack_tensor *l = lend(ctx, a);

    if (!l)
        return NULL;
    l->out.plain = (struct DLManagedTensor){ .tensor = tensor_of(l),
                                             .manager = l,
                                             .deleter = delete_plain };
    return &l->out.plain;
}
