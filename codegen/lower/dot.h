/* Matrix products as loops of the kernel IR: dot.c.
 *
 * A product has four groups of axes: batch (b), free axes of the left side (m) and of the right
 * side (n), and contracted axes (k); any group may be empty.  The axes of a group are row-major
 * in the order given; b, m and n below are the flattened indices of a group.  Operands are
 * strided buffers, in any order of axes; f16 and bf16 are widened by loads.  Each element of
 * the result is passed to `store` once, in a register: the caller converts it, adds its bias,
 * applies its activation and stores it. */
#ifndef CODEGEN_LOWER_DOT_H
#define CODEGEN_LOWER_DOT_H

#include "codegen/elemental/fold.h"

typedef struct cg_dot_axes {
    int n;
    const int64_t *size;
    /* strides in elements; NULL: the operand does not have the group */
    const int64_t *lhs, *rhs;
} cg_dot_axes;

/* The number of elements of a group of axes. */
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
    cot_dtype lhs_type, rhs_type;   /* of the operands in memory; loads widen them to `type` */
    cg_dot_axes b, m, n, k;
    uint32_t lhs, rhs;              /* buffers of the kernel */
    cg_val lhs_offset, rhs_offset;  /* uniform, in elements; 0: none */
    /* acc, of `type`, is the result at (b, m, n).  `when` (BOOL; 0: always) guards every store,
     * and every load of an operand of the epilogue. */
    void (*store)(cg_build *build, void *user, cg_val b, cg_val m, cg_val n, cg_val acc,
                  cg_val when);
    void *user;
    /* 1 + the buffer in which (b, m, n) is stored contiguously, if `store` does nothing else;
     * or 0 */
    uint32_t sum;
    bool expensive; /* `store` emits long code, which should not be copied often */
    /* buffer of `type` with cg_dot_scratch elements, if that is not 0; its content is not used
     * otherwise */
    uint32_t scratch;
    /* GPU: likewise, with the elements of cg_dot_tiles, shared by a block */
    uint32_t tile[2];
} cg_dot;

/* Choose the schedule of the product in the current kernel, or take the one that is given for
 * that kernel (dot_schedule.h), and add it to the text of cg_explain.  The buffers of d may be
 * unset yet, but their types, `sum` and `expensive` must be.  inner: use the inner form, the
 * reduction over k of docs/numerics.md section 3 (elemental/fold.h); else the general form, in
 * blocks of 256 k's. */
typedef struct cg_dot_shape cg_dot_shape;
const cg_dot_shape *cg_dot_plan(cg_lowering *l, const cg_dot *d, bool inner, ir_loc loc);

/* The elements of scratch memory, of `type`, that cg_dot_build needs; often 0. */
int64_t cg_dot_scratch(const cg_dot_shape *s);
/* GPU: the elements of the two shared buffers; false: none are needed. */
bool cg_dot_tiles(const cg_dot_shape *s, int64_t elements[2]);

/* Emit the product at the cursor, which must be at the top level of a kernel.  With several
 * threads the loops may be parallel. */
void cg_dot_build(cg_lowering *l, const cg_dot *d, const cg_dot_shape *s, bool inner);

#endif
