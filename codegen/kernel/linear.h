/* Linear forms of index arithmetic, and the ranges that follow from the bounds of loops.  They
 * are read from a kernel; index.c builds indices from them. */
#ifndef CODEGEN_KERNEL_LINEAR_H
#define CODEGEN_KERNEL_LINEAR_H

#include "codegen/kernel/affine.h"
#include "codegen/tuning.h"

/* A sum of terms and a constant.  Values share operands, so there may be too many paths to
 * follow all of them. */
typedef struct cg_linear {
    int n;
    cg_val v[CG_KERNEL_MAX_LINEAR_TERMS];
    int64_t c[CG_KERNEL_MAX_LINEAR_TERMS];
    int64_t k;
    int parts; /* sums and products visited so far */
    bool full; /* there are more terms than fit, and the form is invalid */
} cg_linear;

/* The depth of a recursion over the operands of a value, and how many more values it may
 * visit.  tiny: open extents are 1, instead of what they are in the sample. */
typedef struct cg_descent {
    int depth;
    int *left;
    bool tiny;
} cg_descent;

static inline cg_descent
cg_descent_below(cg_descent at)
{
    return (cg_descent){ at.depth + 1, at.left, at.tiny };
}

static inline bool
cg_descent_ends(cg_descent at)
{
    return at.depth > CG_KERNEL_MAX_INDEX_DEPTH || --*at.left < 0;
}

cg_linear cg_linear_of(const cg_kernel *k, cg_val v);
/* Add term c v to l. */
void cg_linear_term(cg_linear *l, cg_val v, int64_t c);
/* *l += c * *m */
void cg_linear_add(cg_linear *l, const cg_linear *m, int64_t c);
/* The range of l, if those of its terms are known. */
bool cg_linear_range(const cg_kernel *k, const cg_linear *l, int64_t *lo, int64_t *hi,
                     cg_descent at);
/* The linear form of an integer v of fewer than 64 bits that is made of index arithmetic and
 * cannot wrap around; false: it is unknown. */
bool cg_linear_widen(const cg_kernel *k, cg_val v, cg_linear *l, cg_descent at);

#endif
