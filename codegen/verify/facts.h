/* What is known of the integers of a kernel: an affine form for each, and facts about its
 * atoms.
 *
 * An instruction that is not affine creates an atom.  A loop variable is lo + step t, where t
 * counts earlier iterations. x / c is an atom q with c q <= x <= c q + c - 1. x rem c is an
 * atom between 0 and c - 1 that equals x - c q. min, max and select are atoms with two sides.
 * A form equals its value modulo 2^64, and `exact` says that it is the value.  Facts and atoms
 * are only about exact values, so that no wrapped sum enters a proof. */
#ifndef CODEGEN_VERIFY_FACTS_H
#define CODEGEN_VERIFY_FACTS_H

#include "codegen/kernel/kernel.h"
#include "codegen/verify/form.h"

/* lo and hi are inclusive; the smallest and the largest i64 mean that there is no bound. */
typedef struct cg_interval {
    int64_t lo, hi;
} cg_interval;

typedef enum cg_split {
    CG_WHOLE,
    CG_QUOTIENT,        /* floor(side[0] / side[1]) */
    CG_REMAINDER,       /* side[0] - side[1] floor(side[0] / side[1]), by its facts */
    CG_TRUNC_QUOTIENT,  /* the quotient rounded toward zero, ... */
    CG_TRUNC_REMAINDER, /* ... and its remainder; as above where side[0] >= 0 */
    CG_MIN_OF,
    CG_MAX_OF, /* of both sides */
    CG_CHOICE, /* side[0] if `cond` holds, otherwise side[1] */
    CG_SUM     /* the sum of other atoms, by its facts */
} cg_split;

typedef struct cg_atom {
    cg_interval in;
    cg_val value;     /* the value that it is, or belongs to */
    int64_t multiple; /* a divisor of the atom; 1: none is known */
    bool derived;     /* its facts are about other atoms too: a quotient, a minimum, ... */
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

/* The atom that is the number of one bits of a value. */
typedef struct cg_ones {
    cg_val of;
    uint32_t atom;
} cg_ones;

typedef struct cg_facts {
    const cg_kernel *k;
    ir_arena *arena;
    ir_arena *scratch; /* for the current proof */
    bool proving;
    const cg_interval *param; /* for each parameter; NULL: nothing is known */
    cg_value *value; /* for each instruction */
    cg_interval *content; /* for each constant buffer of integers; lo > hi: not computed yet */
    cg_atom *atom;
    uint32_t n, cap;
    cg_ones ones[CG_VERIFY_ONES_SEEN]; /* a cache, by value number */
    uint32_t *quotient;                /* the atoms that are quotients */
    uint32_t n_quotients, cap_quotients;
    uint64_t proofs, steps; /* so far */
    /* Forms that the current proof tried without success (prove.c), by hash. */
    uint64_t tried[CG_VERIFY_MAX_TRIED];
} cg_facts;

/* The forms that are >= 0 at the place of a proof. infeasible: they cannot all be, so that the
 * place is never reached. */
typedef struct cg_known {
    int n;
    uint32_t cap;
    /* The condition that was added last may add forms, and their consequences, up to this
     * number. */
    int end;
    bool infeasible;
    bool broad; /* bounds are tried even if they seem useless, but with fewer methods */
    cg_form *form;
} cg_known;

void cg_facts_begin(cg_facts *f, const cg_kernel *k, const cg_interval *param, ir_arena *arena,
                    ir_arena *scratch);
/* Define the form of v.  Its operands are defined, since the regions are walked in order. */
void cg_facts_define(cg_facts *f, cg_val v);
/* A form equal to the value itself, not only modulo 2^64: that of v, or a new atom. */
cg_form cg_exact_form(cg_facts *f, cg_val v);
/* Replace the condition s >= 0 by one with the smallest constant that has the same integer
 * solutions, as far as divisors of coefficients and atoms show. */
void cg_tighten(const cg_facts *f, cg_sum *s);
cg_interval cg_form_interval(const cg_facts *f, const cg_form *x);
/* extremes.c: a tighter interval, from facts and known forms (known may be NULL), which relate
 * atoms. */
cg_interval cg_tight_interval(const cg_facts *f, const cg_known *known, const cg_form *x);
/* As cg_tight_interval, also from forms that bound an atom by later ones; costs several times
 * as much. */
cg_interval cg_tightest_interval(const cg_facts *f, const cg_known *known, const cg_form *x);

#endif
