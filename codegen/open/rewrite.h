/* Instructions at the beginning of a kernel that compute numbers from the sizes of a call. */
#ifndef CODEGEN_OPEN_REWRITE_H
#define CODEGEN_OPEN_REWRITE_H

#include "codegen/open/open.h"

typedef struct cg_rewriting {
    cg_kernel *k;
    int n_sizes;
    cg_val *size;               /* values of the sizes */
    cg_region before;           /* instructions that compute numbers */
    cg_val *computed;           /* values of forms met in this kernel, in order */
    const cg_size_form **form;
    uint32_t n, cap, n_forms, cap_forms;
} cg_rewriting;

/* Append an instruction; a constant; a binary operation of i64. */
cg_val cg_open_insn(cg_rewriting *r, cg_insn x);
cg_val cg_open_i64(cg_rewriting *r, int64_t x);
cg_val cg_open_op(cg_rewriting *r, ir_sc_op op, cg_val x, cg_val y);
/* factor * x; sum + x, where a sum of 0 is none. */
cg_val cg_open_scaled(cg_rewriting *r, cg_val x, int64_t factor);
cg_val cg_open_added(cg_rewriting *r, cg_val sum, cg_val x);
/* sum + p */
cg_val cg_open_polynomial(cg_rewriting *r, const cg_polynomial *p, cg_val sum);
cg_val cg_open_value(cg_rewriting *r, const cg_size_form *f);
/* The entry loads the sizes; other kernels have them as parameters. */
void cg_open_find_sizes(cg_rewriting *r, cg_module *m);
/* Put the instructions before those of the kernel. */
void cg_open_insert(cg_rewriting *r);

/* work.c: find the buffers of the work block; make buffers of it of the arguments for
 * constants, before all others; place them, in the entry and in the instance. */
void cg_open_find_parts(cg_open *o, const cg_tokens *t);
void cg_open_find_constants(cg_open *o);
void cg_open_place_work(cg_rewriting *r, const cg_open *o);
void cg_open_place_instance(cg_open *o, const int64_t *size);

/* prologue.c: what the entry does first.  Sizes that contradict the facts, and those of which a
 * number exceeds 63 bits, end the call before anything is written. */
void cg_open_guard(cg_rewriting *r, const cg_open *o);
/* Find the products of sizes of which numbers that the guard compares are made; o->form has
 * n_forms. */
void cg_open_find_terms(cg_open *o, uint32_t n_forms);
/* Compute the constants that are made of sizes, into buffers of the work block. */
void cg_open_constants(cg_rewriting *r, const cg_open *o);

#endif
