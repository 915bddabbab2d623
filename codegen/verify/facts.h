/* What is known of the integers of a kernel: an affine form for each, and facts on its atoms.
 *
 * An instruction that is not affine makes an atom.  A loop's variable is lo + step t with the
 * count t of iterations done before; x / c is an atom q with c q <= x <= c q + c - 1, and x
 * rem c is one between 0 and c - 1 that equals x - c q; min, max and select are atoms with two
 * sides.  A form is equal to its value modulo 2^64, and `exact` says that it is the value.
 * Facts and atoms are about exact values alone, so that no wrapped sum enters a proof. */
#ifndef CODEGEN_VERIFY_FACTS_H
#define CODEGEN_VERIFY_FACTS_H

#include "codegen/kernel/kernel.h"
#include "codegen/verify/form.h"

/* All integers, where lo or hi is the least or the largest i64: nothing is known that way. */
typedef struct cg_interval {
    int64_t lo, hi;
} cg_interval;

typedef enum cg_split {
    CG_WHOLE,
    CG_QUOTIENT,                /* floor(side[0] / side[1])                                 */
    CG_REST,                    /* side[0] - side[1] floor(side[0] / side[1]), by its facts */
    CG_CUT_QUOTIENT,            /* the same and ...                                         */
    CG_CUT_REST,                /* ... its rest, where side[0] >= 0                         */
    CG_MIN_OF,
    CG_MAX_OF,                  /* of the two sides                                         */
    CG_CHOICE,                  /* the first side if `cond` holds, else the other           */
    CG_SUM                      /* of other atoms, by its facts                             */
} cg_split;

typedef struct cg_atom {
    cg_interval in;
    cg_val value;               /* that it is, or belongs to                     */
    int64_t multiple;           /* that it is of; 1 where nothing is known       */
    bool derived; /* its facts say something about other atoms: a quotient, a minimum, ... */
    int n_facts;
    cg_form fact[2]; /* each is >= 0                                  */
    cg_split split;
    cg_form side[2];
    cg_val cond;
} cg_atom;

typedef struct cg_value {
    cg_form form;
    bool known, exact;
} cg_value;

/* The atom that counts the ones of a value. */
typedef struct cg_ones {
    cg_val of;
    uint32_t atom;
} cg_ones;

typedef struct cg_facts {
    const cg_kernel *k;
    ir_arena *arena;
    ir_arena *scratch; /* for one proof                                 */
    bool proving;
    const cg_interval *param; /* of each parameter, or NULL: nothing is known  */
    cg_value *value; /* of each instruction                           */
    cg_interval *content; /* of each constant buffer of integers; lo > hi: not asked for yet */
    cg_atom *atom;
    uint32_t n, cap;
    cg_ones ones[CG_VERIFY_ONES_SEEN]; /* by number                                     */
    uint32_t *quotient; /* the atoms that are quotients                  */
    uint32_t n_quotients, cap_quotients;
    uint64_t proofs, steps; /* done so far */
    /* prove.c's: forms that this proof tried in vain, by their hash */
    uint64_t tried[CG_VERIFY_MAX_TRIED];
} cg_facts;

/* What holds where the proof is asked for: forms that are >= 0.  never: they cannot all be, so
 * that nothing runs there. */
typedef struct cg_known {
    int n;
    uint32_t cap;
    int end; /* of the forms that the condition put in last may add, with what follows of it */
    bool never;
    bool every; /* bounds are tried that seem to lead nowhere, too, but fewer ways */
    cg_form *form;
} cg_known;

void cg_facts_begin(cg_facts *f, const cg_kernel *k, const cg_interval *param, ir_arena *arena,
                    ir_arena *scratch);
/* The form of v, whose operands are defined: whoever walks the regions asks in their order. */
void cg_facts_define(cg_facts *f, cg_val v);
/* The value, not only modulo 2^64: the form of v, or an atom for it. */
cg_form cg_exact_form(cg_facts *f, cg_val v);
/* The same condition s >= 0 with the least constant for which it has the same solutions, as far
 * as divisors of coefficients and atoms tell. */
void cg_tighten(const cg_facts *f, cg_sum *s);
cg_interval cg_form_interval(const cg_facts *f, const cg_form *x);
/* extremes.c: the same by facts and by what is known (NULL: nothing), each of which relates
 * atoms. */
cg_interval cg_tight_interval(const cg_facts *f, const cg_known *known, const cg_form *x);

#endif
