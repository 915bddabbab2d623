/* Typed memory at run time: owned, or borrowed from the user. */
#ifndef IR_ARRAY_H
#define IR_ARRAY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "cotrace/tensor.h"
#include "ir/type.h"

/* Memory outside of this process's address space, or owned by another library.  The functions
 * are supplied by the runtime, which knows how to read such memory and how to release it. */
typedef struct ir_place {
    /* as DLPack counts them: 1, 0 is this process's memory */
    int device_type, device_id;
    void (*release)(struct ir_place *p, cot_array *a);      /* let go of a->data */
    /* to this process */
    cot_status (*read)(struct ir_place *p, void *to, const void *from, size_t bytes);
    /* from it */
    cot_status (*write)(struct ir_place *p, void *to, const void *from, size_t bytes);
    const char *(*why)(struct ir_place *p);                 /* one of these failed */
    struct rt_gpu *gpu;                 /* in whose stream its memory is used, or NULL */
} ir_place;

struct cot_array {
    cot_type type;              /* type.more is dims, where rank > 8       */
    int64_t *dims;
    int64_t size;               /* elements                                */
    size_t bytes;
    void *data;                 /* dense, row-major; owned: aligned to 64  */
    ir_place *place;            /* NULL: this process's memory, owned or the user's */
    bool owned;
    bool read_only;             /* may be no result */
    /* of an axis of so many rows these are the ones from `first` on that this process holds:
     * dims has their number */
    bool spread;
    int64_t first, all;
    atomic_int holders;         /* the user, and each context whose functions captured it */
    /* as its context's; outlives it */
    void *(*realloc)(void *user, void *old, size_t bytes);
    void *alloc_user;
};

/* A new array: zeroed memory of its own, or the user's if data is not NULL.  NULL if memory is
 * short.  The type has been checked. */
cot_array *ir_array_new(cot_context *ctx, const cot_type *type, void *data);
/* As ir_array_new, of memory that holds nothing defined: it is for results. */
cot_array *ir_array_new_unset(cot_context *ctx, const cot_type *type);
/* Does it have the element type and the dimensions?  Inline, since every call of a kernel asks
 * for each array. */
static inline bool
ir_array_has_type(const cot_array *a, const ir_type *t)
{
    if (a->type.dtype != t->dtype || a->type.rank != t->rank)
        return false;
    for (int i = 0; i < t->rank; i++)
        if (a->dims[i] != t->dims[i])
            return false;
    return true;
}
/* Is its memory this process's? */
static inline bool
ir_array_is_here(const cot_array *a)
{
    return !a->place || a->place->device_type == 1;
}
/* One more holder, who lets go by cot_array_free. */
cot_array *ir_array_hold(const cot_array *a);

#endif
