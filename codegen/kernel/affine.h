/* Index expressions: quasi-affine forms in loop variables, with ranges.
 *
 * An expression is c + k_1 a_1 + ... + k_n a_n over atoms: a variable, the quotient of an
 * expression by a constant, or its remainder.  Expressions are interned, so that equal ones
 * have the same number, and are kept in a normal form that undoes what reshapes do.  Since the
 * range of each variable is known, (8 i + j) div 8 is i and (8 i + j) mod 8 is j if 0 <= j < 8,
 * and c (e div c) + e mod c is e.  The address behind a chain of views is therefore the one
 * without the views. */
#ifndef CODEGEN_KERNEL_AFFINE_H
#define CODEGEN_KERNEL_AFFINE_H

#include "codegen/kernel/kernel.h"

/* x / c rounded down, for c > 0. */
static inline int64_t
cg_floor_div(int64_t x, int64_t c)
{
    return x / c - (x % c < 0);
}

/* The greatest common divisor of absolute values; 1 where it is 2^63. */
static inline int64_t
cg_gcd(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a,
             y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;

    while (y) {
        const uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x > INT64_MAX ? 1 : (int64_t)x;
}

typedef uint32_t cg_ix;                 /* an expression; 0 is the constant 0 */

typedef struct cg_ix_term { uint32_t atom; int64_t k; } cg_ix_term;

typedef struct cg_ix_expr {
    /* lo, hi: bounds of the value, which need not be attained */
    int64_t c, lo, hi;
    uint32_t n;
    const cg_ix_term *term;             /* by ascending atom; no k is 0 */
} cg_ix_expr;

typedef enum cg_ix_kind { CG_IX_VAR, CG_IX_DIV, CG_IX_MOD } cg_ix_kind;

typedef struct cg_ix_atom {
    cg_ix_kind kind;
    cg_ix e;                            /* div, mod: the operand */
    int64_t c;
    int64_t lo, hi;
    /* var: the i64 that it stands for; 0: none (analysis only) */
    cg_val val;
    cg_val made; /* div, mod: its value in traversal `visited` */
    uint32_t visited; /* the last traversal that visited it */
} cg_ix_atom;

typedef struct cg_ix_table {
    ir_arena *arena;
    cg_ix_expr *expr;
    uint32_t n, cap;
    cg_ix_atom *atom;
    uint32_t n_atoms, cap_atoms;
    uint32_t *traversals; /* number of traversals so far, each of which visits an atom once */
    ir_map shared, atoms;
} cg_ix_table;

void cg_ix_begin(cg_ix_table *t, ir_arena *a);
cg_ix cg_ix_const(cg_ix_table *t, int64_t c);
cg_ix cg_ix_var(cg_ix_table *t, cg_val val, int64_t lo, int64_t hi);    /* a new atom */
cg_ix cg_ix_add(cg_ix_table *t, cg_ix x, cg_ix y);
cg_ix cg_ix_addc(cg_ix_table *t, cg_ix x, int64_t c);
cg_ix cg_ix_mul(cg_ix_table *t, cg_ix x, int64_t k);
cg_ix cg_ix_div(cg_ix_table *t, cg_ix x, int64_t c);    /* floor, c > 0 */
cg_ix cg_ix_mod(cg_ix_table *t, cg_ix x, int64_t c);
bool cg_ix_is_const(const cg_ix_table *t, cg_ix x, int64_t *c); /* else *c stays */
/* The coefficient of the variable v (an expression that is one atom) in x; *pure is false if a
 * quotient or remainder in x depends on it. */
int64_t cg_ix_coef(const cg_ix_table *t, cg_ix x, cg_ix v, bool *pure);
/* The i64 value of x at the cursor. */
cg_val cg_ix_value(cg_ix_table *t, cg_build *b, cg_ix x);
/* Row-major: the element number of an index, and the index of an element number. */
cg_ix cg_ix_flat(cg_ix_table *t, int rank, const int64_t *dims, const cg_ix *at);
void cg_ix_split(cg_ix_table *t, cg_ix flat, int rank, const int64_t *dims, cg_ix *at);

#endif
