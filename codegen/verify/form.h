/* Affine forms: a constant and a sum of integer multiples of atoms.
 *
 * An atom is an integer that the analysis does not take apart: the count of a loop's
 * iterations, a parameter, a quotient, what a load gives.  Atoms are numbered in the order of
 * definition, and a form's terms are sorted by that number, so that sums are merges. */
#ifndef CODEGEN_VERIFY_FORM_H
#define CODEGEN_VERIFY_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "codegen/tuning.h"
#include "ir/arena.h"

typedef struct cg_term {
    uint32_t atom;
    int64_t c;
} cg_term;

/* A form of any number of terms, which lie elsewhere. */
typedef struct cg_form {
    int64_t k;
    int n;
    const cg_term *term;
} cg_form;

/* A form under construction. */
typedef struct cg_sum {
    int64_t k;
    int n;
    cg_term term[CG_VERIFY_FORM_TERMS];
} cg_sum;

cg_form cg_form_of(const cg_sum *s);
cg_form cg_form_const(int64_t k);
cg_form cg_form_keep(ir_arena *a, const cg_sum *s);             /* with terms in the arena */
/* s + c f. False: a coefficient leaves the range of i64, or the terms do not fit; s is lost. */
bool cg_sum_add(cg_sum *s, int64_t c, const cg_form *f);
bool cg_sum_scale(cg_sum *s, int64_t c);
int64_t cg_sum_coefficient(const cg_form *f, uint32_t atom);
bool cg_form_equal(const cg_form *x, const cg_form *y);
/* s >= 0 divided by the common divisor of its coefficients, its constant rounded down: no
 * integer solution is lost. */
void cg_sum_tighten(cg_sum *s);

int64_t cg_gcd(int64_t a, int64_t b); /* of absolute values */
int64_t cg_floor_div(int64_t x, int64_t c); /* c > 0              */

#endif
