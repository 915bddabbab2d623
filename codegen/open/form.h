/* Numbers that depend on sizes which are known when a kernel is called. */
#ifndef CODEGEN_OPEN_FORM_H
#define CODEGEN_OPEN_FORM_H

#include "ir/arena.h"
#include "ir/buf.h"

enum {
    CG_MAX_SIZES = 8,    /* named sizes of one function */
    CG_MAX_DEGREE = 3,   /* sizes that a term multiplies */
    CG_MAX_TERMS = 3,    /* terms of a polynomial, besides its constant */
    CG_MAX_QUOTIENTS = 2
};

/* factor times the product of `degree` sizes, each given by its number. */
typedef struct cg_size_term {
    int64_t factor;
    int degree;
    uint8_t size[CG_MAX_DEGREE];
} cg_size_term;

typedef struct cg_polynomial {
    int64_t constant;
    int n;
    cg_size_term term[CG_MAX_TERMS];
} cg_polynomial;

/* A polynomial of the sizes plus multiples of rounded down quotients of others, as the number
 * of whole vectors of a row is one. */
typedef struct cg_size_form {
    cg_polynomial whole;
    int n;
    struct {
        int64_t factor, divisor;
        int times;              /* 0: nothing; else 1 + the size that it is multiplied by */
        cg_polynomial of;
    } quotient[CG_MAX_QUOTIENTS];
} cg_size_form;

int64_t cg_term_at(const cg_size_term *t, const int64_t *size);
int64_t cg_polynomial_at(const cg_polynomial *p, const int64_t *size);
/* A multiple of a quotient: number i of f. */
int64_t cg_quotient_at(const cg_size_form *f, int i, const int64_t *size);
int64_t cg_form_at(const cg_size_form *f, const int64_t *size);
bool cg_polynomial_may_be_negative(const cg_polynomial *p);
/* Is a form known not to fall when a size rises? */
bool cg_form_rises(const cg_size_form *f);
bool cg_form_is_constant(const cg_size_form *f);
bool cg_polynomial_same(const cg_polynomial *x, const cg_polynomial *y);
bool cg_form_same(const cg_size_form *x, const cg_size_form *y);
/* "4*n + 64*(3*n/16)", in C, with the names of the sizes. */
void cg_form_print(ir_buf *b, const cg_size_form *f, const char *const *name);
/* The same as text of a graph has it, docs/ir.md: "4*n+64*(3*n/16)". */
void cg_form_write(ir_buf *b, const cg_size_form *f, const char *const *name);

/* fit.c: forms from their values at sample sizes.  The polynomials whose quotients are tried,
 * as those of the numbers of elements, are collected in `base`. */
typedef struct cg_samples {
    ir_arena *arena;
    int n, sizes;               /* samples; sizes of each */
    const int64_t *size;        /* size k of sample i: size[i * sizes + k] */
    cg_polynomial *base;
    uint32_t n_bases, cap_bases;
    int64_t *divisor;           /* besides those that all kernels have */
    uint32_t n_divisors, cap_divisors;
    cg_size_form *length; /* lengths that are quotients: tried before others */
    uint32_t n_lengths, cap_lengths;
} cg_samples;

/* The polynomial, or the form, with these values, one for each sample; false: none is known. */
bool cg_fit_polynomial(cg_samples *s, const int64_t *value, cg_polynomial *out);
bool cg_fit_form(cg_samples *s, const int64_t *value, cg_size_form *out);
void cg_add_base(cg_samples *s, const cg_polynomial *p);
/* Try quotients by d, which the kernels of all samples hold: a block whose size follows from
 * that of a cache. */
void cg_add_divisor(cg_samples *s, int64_t d);
/* Try the quotient of f, the length of an axis, first: where no sample is a multiple of the
 * divisor, one that is rounded up looks like one that is rounded down, and one more. */
void cg_add_length(cg_samples *s, const cg_size_form *f);

#endif
