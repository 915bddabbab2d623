/* Affine forms: a constant plus a sum of integer multiples of atoms.
 *
 * An atom is an integer that the analysis does not decompose: the iteration count of a loop, a
 * parameter, a quotient, a loaded value.  Atoms are numbered in the order of definition, and
 * the terms of a form are sorted by that number, so that adding forms is a merge. */
#ifndef CODEGEN_VERIFY_FORM_H
#define CODEGEN_VERIFY_FORM_H

#include "codegen/kernel/affine.h"
#include "codegen/tuning.h"

typedef struct cg_term {
    uint32_t atom;
    int64_t c;
} cg_term;

/* A form whose terms are stored elsewhere. */
typedef struct cg_form {
    int64_t k;
    int n;
    const cg_term *term;
} cg_form;

/* A form with room for more terms. */
typedef struct cg_sum {
    int64_t k;
    int n;
    cg_term term[CG_VERIFY_FORM_TERMS];
} cg_sum;

cg_form cg_form_of(const cg_sum *s);
cg_form cg_form_const(int64_t k);
cg_form cg_form_keep(ir_arena *a, const cg_sum *s); /* copies the terms to the arena */
/* Adds c f to s.  False: a coefficient overflows or the terms do not fit, and s is
 * undefined. */
bool cg_sum_add(cg_sum *s, int64_t c, const cg_form *f);
bool cg_sum_scale(cg_sum *s, int64_t c);
int64_t cg_sum_coefficient(const cg_form *f, uint32_t atom);
bool cg_form_equal(const cg_form *x, const cg_form *y);
/* Divides s >= 0 by the common divisor of its coefficients and rounds the constant down, which
 * keeps all integer solutions. */
void cg_sum_tighten(cg_sum *s);

#endif
