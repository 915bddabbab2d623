/* Matrix products as loops of the kernel IR: dot.c.
 *
 * A product has four groups of axes: batch (b), free axes of the left side (m) and of the right
 * side (n), contracted axes (k); any group may be empty.  Axes of a group are row-major in the
 * order given; b, m, n below are the flattened numbers of a group.  Operands are strided
 * buffers, in any order of axes; f16 and bf16 widen when loaded.  The result is not stored but
 * handed to `store`, once for each element: the caller converts, adds its bias, applies its
 * activation and stores, in registers. */
#ifndef CODEGEN_LOWER_DOT_H
#define CODEGEN_LOWER_DOT_H

#include "codegen/elemental/fold.h"

typedef struct cg_dot_axes {
    int n;
    const int64_t *size;
    /* strides in elements; NULL where the operand lacks the group */
    const int64_t *lhs, *rhs;
} cg_dot_axes;

/* Elements of a group of axes. */
static inline int64_t
cg_dot_total(const cg_dot_axes *a)
{
    int64_t n = 1;

    for (int i = 0; i < a->n; i++)
        n *= a->size[i];
    return n;
}

typedef struct cg_dot {
    cot_dtype type;                 /* of the accumulator: f32, f64, or an integer type */
    cot_dtype lhs_type, rhs_type;   /* of the operands in memory, which loads widen */
    cg_dot_axes b, m, n, k;
    uint32_t lhs, rhs;              /* buffers of the kernel */
    cg_val lhs_offset, rhs_offset;  /* uniform, in elements; 0: none */
    /* The result at (b, m, n) is acc, of `type`.  `when` (BOOL, or 0 for always) guards every
     * store and every load of an operand of the epilogue. */
    void (*store)(cg_build *build, void *user, cg_val b, cg_val m, cg_val n, cg_val acc,
                  cg_val when);
    void *user;
    /* 1 + the buffer of (b, m, n) itself, dense, if `store` does no more than that; or 0 */
    uint32_t sum;
    bool expensive; /* what `store` emits is long: a few copies are enough */
    /* Buffer of `type` and cg_dot_scratch elements, if that is not 0.  Its content means
     * nothing. */
    uint32_t scratch;
    /* GPU: likewise, of cg_dot_tiles elements, shared by a block */
    uint32_t tile[2];
} cg_dot;

/* Elements of `type` of scratch memory that cg_dot_build wants; often 0. */
int64_t cg_dot_scratch(const cg_target *t, int threads, const cg_dot *d, bool inner);

/* GPU: elements of the two shared buffers; false: none are wanted. */
bool cg_dot_tiles(const cg_target *t, const cg_dot *d, bool inner, int64_t elements[2]);
/* GPU: do tensor cores make it?  They round differently: only where the target is `fast`. */
bool cg_dot_is_tensor(const cg_target *t, const cg_dot *d, bool inner);

/* Emit the product at the cursor, which stands at the top level of a kernel.  With several
 * threads there are parallel loops.  inner: by section 3's reduction over k (reduce.h); else
 * the general form, blocks of 256 k's. */
void cg_dot_build(cg_lowering *l, const cg_dot *d, bool inner);

#endif
