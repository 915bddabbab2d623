/* Typed memory at run time.
 *
 * An array is one block: the record, its sizes, then (if it owns them) its elements, aligned to
 * a cache line.  It remembers the allocator of its context, and so may outlive it.  A context
 * whose functions captured an array holds it too: the last holder to let go frees it. */
#include "ir/array.h"

#include <string.h>

#include "ir/context.h"
#include "ir/diag.h"

#define LINE 64

static cot_array *
make_array(cot_context *ctx, const cot_type *type, void *data, bool zeroed)
{
    const int64_t *dims = type->rank > 8 ? type->more : type->dims;
    const size_t head = sizeof(cot_array) + sizeof(int64_t) * (size_t)type->rank;
    int64_t size = 1;
    size_t bytes;
    cot_array *a;

    for (int i = 0; i < type->rank; i++)
        size *= dims[i];
    bytes = (size_t)size * cot_dtype_size(type->dtype);
    a = ctx->realloc(ctx->alloc_user, NULL, data ? head : head + LINE + bytes);
    if (!a)
        return NULL;
    *a = (cot_array){ .type = *type,
                      .dims = (int64_t *)(a + 1),
                      .size = size,
                      .bytes = bytes,
                      .data = data,
                      .owned = !data,
                      .holders = 1,
                      .realloc = ctx->realloc,
                      .alloc_user = ctx->alloc_user };
    memcpy(a->dims, dims, sizeof(int64_t) * (size_t)type->rank);
    if (type->rank > 8)
        a->type.more = a->dims;
    else
        a->type.more = NULL;
    if (!data) {
        a->data = (void *)(((uintptr_t)a + head + LINE - 1) / LINE * LINE);
        if (zeroed)
            memset(a->data, 0, bytes);
    }
    return a;
}

cot_array *
ir_array_new(cot_context *ctx, const cot_type *type, void *data)
{
    return make_array(ctx, type, data, true);
}

cot_array *
ir_array_new_unset(cot_context *ctx, const cot_type *type)
{
    return make_array(ctx, type, NULL, false);
}

/* The array of a type from outside, which may be wrong. */
static cot_array *
new_checked(cot_context *ctx, const cot_type *type, void *data)
{
    cot_array *volatile a = NULL;

    if (!ctx)
        return NULL;
    IR_TRY(ctx) {
        if (ir_type_of(ctx, type)) {
            a = ir_array_new(ctx, type, data);
            if (!a)
                ir_fail(ctx, 0, NULL, ERR_memory_for, ir_type_str(ctx, ir_type_of(ctx, type)),
                        (unsigned long long)ir_type_of(ctx, type)->size *
                            cot_dtype_size(type->dtype));
        }
    }
    return a;
}

cot_array *
cot_array_new(cot_context *ctx, cot_type type)
{
    return new_checked(ctx, &type, NULL);
}

/* Can the caller's memory be the memory of an array?  An empty array may be at NULL. */
static bool
is_memory(cot_context *ctx, const cot_array *a, const void *data, bool used_in_place)
{
    const size_t size = cot_dtype_size(a->type.dtype),
                 unit = ir_is_complex(a->type.dtype) ? size / 2 : size;
    volatile bool ok = true;

    IR_TRY (ctx) {
        if (!data && a->bytes > 0)
            ok = ir_fail(ctx, 0, NULL, ERR_array_null,
                         ir_type_str(ctx, ir_type_of(ctx, &a->type))) == COT_OK;
        else if (used_in_place && (uintptr_t)data % unit != 0)
            ok = ir_fail(ctx, 0, NULL, ERR_array_align,
                         ir_type_str(ctx, ir_type_of(ctx, &a->type)),
                         (unsigned)((uintptr_t)data % unit), (unsigned)unit) == COT_OK;
    }
    IR_CAUGHT(ctx)
    {
        ok = false;
    }
    return ok;
}

cot_array *
cot_array_copy(cot_context *ctx, cot_type type, const void *data)
{
    cot_array *a = new_checked(ctx, &type, NULL);

    if (a && !is_memory(ctx, a, data, false)) {
        cot_array_free(a);
        return NULL;
    }
    if (a && a->bytes)
        memcpy(a->data, data, a->bytes);
    return a;
}

cot_array *
cot_array_borrow(cot_context *ctx, cot_type type, void *data)
{
    static char nothing[LINE];

    cot_array *a = new_checked(ctx, &type, data ? data : nothing);

    if (!a || is_memory(ctx, a, data, true))
        return a;
    cot_array_free(a);
    return NULL;
}

void
cot_array_free(cot_array *a)
{
    if (!a || atomic_fetch_sub(&a->holders, 1) != 1)
        return;
    if (a->place)
        a->place->release(a->place, a);
    (void)a->realloc(a->alloc_user, a, 0);
}

cot_array *
ir_array_hold(const cot_array *a)
{
    cot_array *held = (cot_array *)a;

    atomic_fetch_add(&held->holders, 1);
    return held;
}

cot_type
cot_array_type(const cot_array *a)
{
    return a ? a->type : (cot_type){ .dtype = COT_DTYPE_NONE };
}

void *
cot_array_data(cot_array *a)
{
    return a ? a->data : NULL;
}

const void *
cot_array_read(const cot_array *a)
{
    return a ? a->data : NULL;
}

size_t
cot_array_bytes(const cot_array *a)
{
    return a ? a->bytes : 0;
}
