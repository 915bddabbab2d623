/* Elemental emission: the scalar that is an element of a graph value, emitted at the cursor of
 * a kernel.
 *
 * cg_element(l, frame, v, at) returns the element of v at an index (an index expression for
 * each axis).  A pointwise op applies its scalar program to the elements of its operands at the
 * same index; a view changes the index; a value in memory is a load.  Fusion is therefore
 * inline emission, and a rule (the `lower` column of ops.def) is a function from an index to a
 * scalar.  An emitted scalar is memoised until the region that computes it ends.
 *
 * A frame is an instance of a graph: of the function, or of the body of a loop or branch, whose
 * inputs are bound to values of the enclosing frame.
 *
 * l->mask is a BOOL under which loads are emitted: elements outside of a pad's operand, or past
 * the end of a partial block, are emitted but touch no memory. */
#ifndef CODEGEN_ELEMENTAL_ELEMENT_H
#define CODEGEN_ELEMENTAL_ELEMENT_H

#include "codegen/kernel/scope.h"
#include "codegen/lowering.h"

typedef enum cg_bind_kind {
    /* computed by its node, or loaded from its place if it has one */
    CG_BIND_NODE,
    CG_BIND_BUFFER,             /* element base + flat index of a buffer of the kernel */
    /* a value of another frame, with one more leading index if `prefixed` */
    CG_BIND_OUTER,
    CG_BIND_REGISTERS /* scalars in registers, row-major over the axes after n_batch */
} cg_bind_kind;

typedef struct cg_bind {
    cg_bind_kind kind;
    uint32_t buffer;
    cg_val base;                /* first element in the buffer; 0: element 0 */
    /* the buffer holds only the trailing axes, of this many elements (a kept row); 0: all */
    int64_t last_only;
    /* the last `inner` axes come first in it, each of their elements with a plane of so many */
    int inner;
    int64_t plane;
    /* node: of a value in memory, the elements that the kernel reads; 0: all */
    int64_t first, elements;
    cg_frame *frame;
    ir_ref ref;
    bool prefixed;
    cg_ix prefix;
    int n_batch;
    cg_val *registers; /* of a carried array of a register-resident loop */
} cg_bind;

struct cg_frame {
    const ir_graph *f;
    uint32_t id;                /* unique in the kernel */
    struct cg_bound_value *bind; /* values that are not computed by their nodes */
    uint32_t n_bind, cap_bind;
    ir_map bound; /* position in `bind`, by value */
    const cg_place *place;      /* one for each value, or NULL: a frame inside a kernel */
    const uint32_t
        /* for each value: the number of the last frame of the level whose kernel computes it */
        *maker;
    /* the number of this frame; 0: its kernel computes no value with a place */
    uint32_t making;
};

/* Does this frame's kernel compute v, although v has a place?  Then v is emitted inline in
 * it. */
static inline bool
cg_is_made(const cg_frame *fr, ir_ref v)
{
    return fr->making && fr->maker[v] == fr->making;
}

/* A memoised scalar. */
typedef struct cg_memo {
    uint64_t hash;
    uint32_t frame, next, n;
    ir_ref ref;
    cg_val mask, val;
    cg_region_place region; /* in which it was emitted */
    const cg_ix *at;
} cg_memo;

/* The scalar that is element `at` of v. at is NULL if v is a scalar. */
cg_val cg_element(cg_lowering *l, cg_frame *fr, ir_ref v, const cg_ix *at);
/* The indices from axis k on.  A scalar's index is NULL, to which C may add nothing. */
static inline const cg_ix *
cg_trailing(const cg_ix *at, int k)
{
    return k ? at + k : at;
}
/* Apply the rule of the node, even if its result is in memory.  The result is not memoised. */
cg_val cg_element_of_node(cg_lowering *l, cg_frame *fr, const ir_node *n, int result,
                          const cg_ix *at);

/* A frame for f in the current kernel, with every value bound to its node. */
cg_frame *cg_frame_new(cg_lowering *l, const ir_graph *f);
/* The binding of v; bind v.  A kernel binds few of many values, so that bindings are a map. */
const cg_bind *cg_bound(const cg_frame *fr, ir_ref v);
void cg_bind_value(cg_lowering *l, cg_frame *fr, ir_ref v, cg_bind b);

/* Begin a kernel, which becomes the current one. */
void cg_kernel_begin(cg_lowering *l, const char *name);
/* The buffer of the kernel for a place: added at its first use, writable if `out` is set in any
 * use. */
uint32_t cg_place_buffer(cg_lowering *l, const cg_place *p, const ir_type *t, const char *name,
                         bool out);
/* Place p moved by `off` elements (a value of the entry). */
cg_place cg_place_at(cg_lowering *l, cg_place p, cg_val off);
/* The same for elements first, first + 1, ... of the value of type t at a place, which the
 * kernel only reads. */
uint32_t cg_part_buffer(cg_lowering *l, const cg_place *p, cot_dtype t, int64_t first,
                        int64_t elements);
/* Let buffer i of the kernel, which the kernel has not accessed yet, be elements first,
 * first + 1, ... of what it is. */
void cg_narrow_buffer(cg_lowering *l, uint32_t i, int64_t first, int64_t elements);
/* Add a buffer of the kernel's own: memory that lives as long as a call of it, or constants. */
uint32_t cg_local_buffer(cg_lowering *l, const char *name, cot_dtype t, int64_t elements);
uint32_t cg_const_buffer(cg_lowering *l, cot_dtype t, int64_t elements, const void *data);

/* Memoise val as element `at` of v until the innermost open region ends. */
void cg_remember(cg_lowering *l, cg_frame *fr, ir_ref v, const cg_ix *at, cg_val val);

/* Make l->mask, the condition under which loads may touch memory, hold only where `when` does
 * too; returns the old mask, which the caller restores. */
cg_val cg_mask_and(cg_lowering *l, cg_val when);
cg_val cg_and(cg_lowering *l, cg_val x, cg_val y); /* and of two BOOLs; 0 stands for true */
/* lo <= x < hi as a BOOL, or 0 if it always holds; *never is set if it never does. */
cg_val cg_within(cg_lowering *l, cg_ix x, int64_t lo, int64_t hi, bool *never);
/* Select x if cond holds, else y. cond is 0 for true. */
cg_val cg_choose(cg_lowering *l, cot_dtype t, cg_val cond, cg_val x, cg_val y);
/* Does x, an index of type t that is clamped to `branches` branches, select this branch? */
cg_val cg_is_branch(cg_build *b, cg_val x, cot_dtype t, int64_t branch, int64_t branches);
cg_val cg_convert(cg_lowering *l, cg_val x, cot_dtype from, cot_dtype to);
cg_val cg_bits_of(cg_lowering *l, cot_dtype t, const void *element);
/* An index expression for integer x, clamped to [0, most]. */
cg_ix cg_clamped_index(cg_lowering *l, cg_val x, cot_dtype t, int64_t most);

#endif
