/* Elemental emission: the scalar that an element of a graph value is, at the cursor of a
 * kernel.
 *
 * cg_element(l, frame, v, at) answers the element of v at an index (index expressions, one an
 * axis).  A pointwise op inlines its scalar program on what its operands give at the same
 * index; a view changes the index; a value that lives in memory is a load.  So fusion is
 * nothing but emission inline, and a rule (ops.def `lower` column) is a function from an index
 * to a scalar.  What was emitted is remembered until the region in which it was computed ends.
 *
 * A frame is one instance of a graph: the function itself, or the body of a loop or branch,
 * whose inputs are bound to what the enclosing frame has.
 *
 * l->mask is a BOOL that guards the loads being made: elements outside of a pad's operand or
 * past the end of a partial block are emitted inline, but touch no memory. */
#ifndef CODEGEN_ELEMENTAL_ELEMENT_H
#define CODEGEN_ELEMENTAL_ELEMENT_H

#include "codegen/lowering.h"

typedef enum cg_bind_kind {
    CG_BIND_NODE,               /* by its node, or from its place if it has one     */
    CG_BIND_BUFFER,             /* element number at + flat of a buffer of the kernel */
    /* a value of another frame, with one more leading index if `prefixed` */
    CG_BIND_OUTER,
    CG_BIND_STATE /* scalars in registers, row-major over the axes after n_batch */
} cg_bind_kind;

typedef struct cg_bind {
    cg_bind_kind kind;
    uint32_t buffer;
    cg_val base;                /* where in the buffer; 0: at its beginning */
    /* buffer holds this many trailing axes only (a row scratch); 0: all */
    int64_t last_only;
    cg_frame *frame;
    ir_ref ref;
    bool prefixed;
    cg_ix prefix;
    int n_batch;
    cg_val *state;
} cg_bind;

struct cg_frame {
    const ir_graph *f;
    uint32_t id;                /* unique in the kernel */
    struct cg_bound_value *bind; /* values that are not bound to their nodes */
    uint32_t n_bind, cap_bind;
    ir_map bound; /* where they are in `bind`, by value */
    const cg_place *place;      /* one for each value, or NULL: a frame inside a kernel */
    const uint32_t
        *maker; /* for each value: the last frame of the level whose kernel makes it */
    uint32_t making; /* this frame's number among those; 0: its kernel makes none */
};

/* Does the frame's kernel make v, which has a place, so that it is emitted inline in it? */
static inline bool
cg_is_made(const cg_frame *fr, ir_ref v)
{
    return fr->making && fr->maker[v] == fr->making;
}

/* Something emitted inline. */
typedef struct cg_memo {
    uint64_t hash;
    uint32_t frame, next, n;
    ir_ref ref;
    cg_val mask, val;
    const cg_ix *at;
} cg_memo;

/* at: NULL of a scalar. */
cg_val cg_element(cg_lowering *l, cg_frame *fr, ir_ref v, const cg_ix *at);
/* The indices from axis k on; a scalar has none, and C adds nothing to NULL. */
static inline const cg_ix *
cg_trailing(const cg_ix *at, int k)
{
    return k ? at + k : at;
}
/* What the rule of the node makes of it, though its result may be in memory; not remembered. */
cg_val cg_element_of_node(cg_lowering *l, cg_frame *fr, const ir_node *n, int result,
                          const cg_ix *at);

/* A frame for f in the kernel in hand, every value bound to its node. */
cg_frame *cg_frame_new(cg_lowering *l, const ir_graph *f);
/* How v is bound; bind it.  A kernel binds few values of many, so that a frame is a map. */
const cg_bind *cg_bound(const cg_frame *fr, ir_ref v);
void cg_bind_value(cg_lowering *l, cg_frame *fr, ir_ref v, cg_bind b);

/* Begin a kernel, which is then the one in hand. */
void cg_kernel_begin(cg_lowering *l, const char *name);
/* The buffer of the kernel for a place: added at first use, and made writable by `out`. */
uint32_t cg_place_buffer(cg_lowering *l, const cg_place *p, const ir_type *t, const char *name,
                         bool out);
uint32_t cg_local_buffer(cg_lowering *l, const char *name, cot_dtype t, int64_t elements);
uint32_t cg_const_buffer(cg_lowering *l, cot_dtype t, int64_t elements, const void *data);

/* Regions, with the memory of what was emitted. */
uint32_t cg_scope_begin(cg_lowering *l);
void cg_scope_end(cg_lowering *l, uint32_t mark);
/* A value known otherwise: emissions of v at this index answer it until the region ends. */
void cg_remember(cg_lowering *l, cg_frame *fr, ir_ref v, const cg_ix *at, cg_val val);

/* Masks.  cg_mask_and returns the old mask, to be put back. */
cg_val cg_mask_and(cg_lowering *l, cg_val when);
cg_val cg_and(cg_lowering *l, cg_val x, cg_val y); /* of two BOOLs, 0 standing for true */
/* lo <= x < hi as BOOL: 0 if always; *never if it never is. */
cg_val cg_within(cg_lowering *l, cg_ix x, int64_t lo, int64_t hi, bool *never);
/* cond ? x() : y, with constants resolved. */
cg_val cg_choose(cg_lowering *l, cot_dtype t, cg_val cond, cg_val x, cg_val y);
/* Does index x, of type t, chosen among `branches`, say this branch? */
cg_val cg_is_branch(cg_build *b, cg_val x, cot_dtype t, int64_t branch, int64_t branches);
cg_val cg_convert(cg_lowering *l, cg_val x, cot_dtype from, cot_dtype to);
cg_val cg_bits_of(cg_lowering *l, cot_dtype t, const void *element);
/* An index read from an integer: clamped to [0, most]. */
cg_ix cg_clamped_index(cg_lowering *l, cg_val x, cot_dtype t, int64_t most);

#endif
