/* Interned types: one table per context, found by a hash of element type and sizes. */
#include "ir/type.h"

#include "ir/context.h"
#include "ir/diag.h"

static const struct { const char *name; size_t bytes;
} dtype_row[COT_DTYPE_COUNT] = {
    [COT_DTYPE_NONE] = { "none", 0 }, [COT_BOOL] = { "bool", 1 }, [COT_I8] = { "i8", 1 },
    [COT_I16] = { "i16", 2 },         [COT_I32] = { "i32", 4 },   [COT_I64] = { "i64", 8 },
    [COT_U8] = { "u8", 1 },           [COT_U16] = { "u16", 2 },   [COT_U32] = { "u32", 4 },
    [COT_U64] = { "u64", 8 },         [COT_F16] = { "f16", 2 },   [COT_BF16] = { "bf16", 2 },
    [COT_F32] = { "f32", 4 },         [COT_F64] = { "f64", 8 },   [COT_C64] = { "c64", 8 },
    [COT_C128] = { "c128", 16 },
};

const char *
cot_dtype_name(cot_dtype t)
{
    return (unsigned)t < COT_DTYPE_COUNT ? dtype_row[t].name : "?";
}

size_t
cot_dtype_size(cot_dtype t)
{
    return (unsigned)t < COT_DTYPE_COUNT ? dtype_row[t].bytes : 0;
}

/* The number of elements; -1 with the error recorded. */
static int64_t
count(cot_context *ctx, int rank, const int64_t *dims)
{
    int64_t n = 1;
    bool empty = false, large = false;
    for (int i = 0; i < rank; i++) {
        if (dims[i] < 0) {
            ir_fail(ctx, 0, NULL, ERR_size_negative, i, (long long)dims[i]);
            return -1;
        }
        empty |= dims[i] == 0;
        if (dims[i] && (n > ((int64_t)1 << 48) / dims[i]))
            large = true;
        else if (dims[i])
            n *= dims[i];
    }
    if (large) {                /* of an empty array too: strides must fit */
        ir_fail(ctx, 0, NULL, ERR_size_limit);
        return -1;
    }
    return empty ? 0 : n;
}

const ir_type *
ir_type_new(cot_context *ctx, cot_dtype t, int rank, const int64_t *dims)
{
    if (t <= COT_DTYPE_NONE || t >= COT_DTYPE_COUNT) {
        ir_fail(ctx, 0, NULL, ERR_dtype_unknown, (int)t);
        return NULL;
    }
    if (rank < 0 || rank > COT_MAX_RANK) {
        ir_fail(ctx, 0, NULL, ERR_rank_limit, rank);
        return NULL;
    }
    size_t bytes = sizeof(int64_t) * (size_t)rank;
    uint64_t h = ir_hash((uint64_t)t * 131 + (uint64_t)rank, dims, bytes);
    uint32_t at = 0, id;
    while ((id = ir_map_next(&ctx->types, h, &at))) {
        const ir_type *o = ctx->type[id];
        if (o->dtype == t && o->rank == rank &&
            (rank == 0 || memcmp(o->dims, dims, bytes) == 0))
            return o;
    }
    int64_t n = count(ctx, rank, dims);
    if (n < 0)
        return NULL;
    ir_type *new = IR_NEW(&ctx->arena, ir_type);
    static const int64_t none[1];
    *new = (ir_type){ t, rank, n, rank > 0 ? ir_copy_bytes(&ctx->arena, dims, bytes) : none };
    if (ctx->n_types == 0)
        IR_PUSH(&ctx->arena, ctx->type, ctx->n_types, ctx->cap_types, NULL);
    IR_PUSH(&ctx->arena, ctx->type, ctx->n_types, ctx->cap_types, new);
    ir_map_add(&ctx->types, h, ctx->n_types - 1);
    return new;
}

const ir_type *
ir_type_of(cot_context *ctx, const cot_type *t)
{
    if (t->rank > 8 && t->rank <= COT_MAX_RANK && !t->more) {
        ir_fail(ctx, 0, NULL, ERR_usage,
                "a type of more than 8 axes has its sizes at NULL; wants them in .more");
        return NULL;
    }
    return ir_type_new(ctx, t->dtype, t->rank, t->rank > 8 ? t->more : t->dims);
}

cot_type
ir_type_public(const ir_type *t)
{
    cot_type p = { .dtype = t->dtype, .rank = t->rank };
    if (t->rank > 8)
        p.more = t->dims;
    else
        memcpy(p.dims, t->dims, sizeof(int64_t) * (size_t)t->rank);
    return p;
}

const ir_type *
ir_scalar_type(cot_context *ctx, cot_dtype t)
{
    return ir_type_new(ctx, t, 0, (const int64_t[]){ 0 });
}

const ir_type *
ir_type_as(cot_context *ctx, const ir_type *t, cot_dtype dtype)
{
    return t->dtype == dtype ? t : ir_type_new(ctx, dtype, t->rank, t->dims);
}

const ir_type *
ir_type_shaped(cot_context *ctx, const ir_type *t, int rank, const int64_t *dims)
{
    return ir_type_new(ctx, t->dtype, rank, dims);
}

const ir_type *
ir_type_open(cot_context *ctx, const ir_type *t, int k, int64_t n)
{
    int64_t dims[COT_MAX_RANK + 1];
    for (int i = 0; i <= t->rank; i++)
        dims[i] = i < k ? t->dims[i] : i == k ? n : t->dims[i - 1];
    return ir_type_new(ctx, t->dtype, t->rank + 1, dims);
}

const ir_type *
ir_type_close(cot_context *ctx, const ir_type *t, int k)
{
    int64_t dims[COT_MAX_RANK];
    for (int i = 0; i + 1 < t->rank; i++)
        dims[i] = t->dims[i < k ? i : i + 1];
    return ir_type_new(ctx, t->dtype, t->rank - 1, dims);
}

bool
ir_same_shape(const ir_type *a, const ir_type *b)
{
    return a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->dims, b->dims, sizeof(int64_t) * (size_t)a->rank) == 0);
}

void
ir_type_print(ir_buf *b, const ir_type *t)
{
    ir_buf_printf(b, "%s[", cot_dtype_name(t->dtype));
    for (int i = 0; i < t->rank; i++)
        ir_buf_printf(b, i ? ",%lld" : "%lld", (long long)t->dims[i]);
    ir_buf_str(b, "]");
}

const char *
ir_type_str(cot_context *ctx, const ir_type *t)
{
    ir_buf b;
    ir_buf_init(&b, &ctx->message_arena);
    ir_type_print(&b, t);
    return b.text;
}

void
ir_strides(const ir_type *t, int64_t *stride)
{
    int64_t s = 1;
    for (int i = t->rank - 1; i >= 0; i--) {
        stride[i] = s;
        s *= t->dims[i];
    }
}

cot_type
cot_type_new(cot_dtype dtype, int rank, const int64_t *dims)
{
    cot_type t = { .dtype = dtype, .rank = rank };

    for (int k = 0; k < rank && k < 8; k++)
        t.dims[k] = dims ? dims[k] : -1;
    t.more = rank > 8 ? dims : NULL;
    return t;
}

int64_t
cot_type_size(const cot_type *type, int axis)
{
    if (!type)
        return 0;
    const int k = axis < 0 ? axis + type->rank : axis;

    if (k < 0 || k >= type->rank)
        return 0;
    if (type->rank > 8)
        return type->more ? type->more[k] : 0;
    return type->dims[k];
}

int64_t
cot_type_count(const cot_type *type)
{
    int64_t n = 1;

    for (int k = 0; type && k < type->rank; k++)
        n *= cot_type_size(type, k);
    return type ? n : 0;
}
