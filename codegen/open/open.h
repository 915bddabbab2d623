/* One module of kernels for all sizes, from modules for some.
 *
 * A function is lowered at several sizes.  Where the modules differ in nothing but numbers,
 * and each number is a form of the sizes (form.h), they are instances of one module whose
 * numbers are computed when it is called: their least general generalisation, in the sense
 * of G. Plotkin (A note on inductive generalization, Machine Intelligence 5, 1970).  That
 * module is proved by its instances: at sizes where blocks are empty, whole, or exceeded by
 * one element, each is verified as the kernels for one size are (docs/sizes.md). */
#ifndef CODEGEN_OPEN_OPEN_H
#define CODEGEN_OPEN_OPEN_H

#include "codegen/open/form.h"
#include "codegen/open/walk.h"

/* What is known of a size: least <= n <= most, and `multiple` divides it. */
typedef struct cg_open_fact {
    int64_t least, most, multiple;
} cg_open_fact;

typedef enum cg_made_of {
    CG_MADE_PLAIN,              /* factor * p            */
    CG_MADE_QUOTIENT,           /* factor / p            */
    CG_MADE_ROOT,               /* factor * sqrt(p)      */
    CG_MADE_QUOTIENT_ROOT       /* factor / sqrt(p)      */
} cg_made_of;

/* A constant that is made of sizes, computed in f64 and rounded once. */
typedef struct cg_open_constant {
    cot_dtype dtype;
    cg_made_of kind;
    double factor;
    cg_polynomial p;
} cg_open_constant;

/* What the entry takes: facts of the sizes; constants, for which the samples have arguments
 * from first_constant on. */
typedef struct cg_open_entry {
    const cg_open_fact *fact;
    int first_constant;
    uint32_t n_constants;
    const cg_open_constant *constant;
} cg_open_entry;

/* A part of the work block: it begins where the one before it ends, at a multiple of 64. */
typedef struct cg_open_part {
    cg_size_form elements;
    int64_t element_bytes;
    int64_t offset;             /* in the sample */
    uint32_t alike; /* how many have its size, where it is the first of them; else 0 */
} cg_open_part;

/* The blocks of a kernel for a GPU where their number is open: the product of these. */
typedef struct cg_open_blocks {
    const cg_size_form *factor[2];
    int n;                      /* 0: it is a constant */
} cg_open_blocks;

typedef struct cg_open {
    cot_context *ctx;
    ir_arena *arena;
    int n_sizes;
    cg_module *module;          /* the general module: takes sizes behind its last argument */
    cg_open_entry entry;
    uint32_t *constant_in; /* of each constant, 1 + its buffer; 0: it is not used */
    cg_size_term *term; /* what may be too large: prologue.c */
    uint32_t n_terms, cap_terms;
    cg_open_part *part;         /* of its work block */
    uint32_t n_parts, cap_parts;
    cg_module *instance;        /* a module for one size, whose numbers are set */
    cg_tokens of_instance, of_module;
    cg_size_form *form;         /* of each number */
    cg_size_form **result;      /* the numbers of elements of the entry's results */
    uint32_t n_results, cap_results;
    uint32_t *part_of;          /* of each buffer of the entry: 1 + its part; 0: none */
    cg_open_blocks *blocks; /* GPU: of each kernel */
} cg_open;

/* Why modules are not instances of one. */
typedef struct cg_open_conflict {
    const char *why;
    ir_loc loc;
    int first, second;          /* samples that differ; -1: none */
} cg_open_conflict;

/* Generalise modules that were lowered at these samples, of which there are more than a form
 * has terms.  The first two modules are changed.  False, and why, where there is no general
 * module. */
bool cg_generalise(const cg_samples *samples, cg_module *const *sample,
                   const cg_open_entry *entry, cg_open *out, cg_open_conflict *why);

/* Bytes of the work block at these sizes. */
int64_t cg_open_work_bytes(const cg_open *o, const int64_t *size);

/* Are all numbers of a call at these sizes, which fit the facts, below 2^63? */
bool cg_open_has_room(const cg_open *o, const int64_t *size);

/* Have all results no element at these sizes?  The general module then does nothing. */
bool cg_open_is_empty(const cg_open *o, const int64_t *size);

/* Give the buffers of the general module the numbers of elements that they have at these sizes,
 * by which the simulator knows what lies outside. */
void cg_open_set_buffers(cg_open *o, const int64_t *size);

/* Set the numbers of out->instance to those at these sizes, and verify it. */
cot_status cg_open_verify(cg_open *o, const int64_t *size);

#endif
