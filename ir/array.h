/* Typed memory at run time: owned, or borrowed from the user. */
#ifndef IR_ARRAY_H
#define IR_ARRAY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "cotrace/tensor.h"

struct cot_array {
    cot_type type;              /* type.more is dims, where rank > 8       */
    int64_t *dims;
    int64_t size;               /* elements                                */
    size_t bytes;
    void *data;                 /* dense, row-major; owned: aligned to 64  */
    bool owned;
    atomic_int holders;         /* the user, and each context whose functions captured it */
    void *(*realloc)(void *user, void *old, size_t bytes);      /* as its context's; outlives it */
    void *alloc_user;
};

/* A new array: zeroed memory of its own, or the user's if data is not NULL.  NULL if memory is
 * short.  The type has been checked. */
cot_array *ir_array_new(cot_context *ctx, const cot_type *type, void *data);
/* One more holder, who lets go by cot_array_free. */
cot_array *ir_array_hold(const cot_array *a);

#endif
