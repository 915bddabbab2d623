/* What functions on vectors are composed of: related types, selection by lane, and the names of
 * x86's intrinsics. */
#ifndef CODEGEN_C_VECTOR_H
#define CODEGEN_C_VECTOR_H

#include "codegen/c/c.h"

typedef struct cg_c_forms {
    /* The vector type T; signed and unsigned integers of its width; BOOL. */
    const char *type, *s, *u, *mask;
} cg_c_forms;

/* forms.c */
bool cg_c_is_real(cot_dtype t);
/* The signed integer type as wide as T. */
cot_dtype cg_c_signed_like(cot_dtype t);
cg_c_forms cg_c_forms_of(cg_c_text *t, cot_dtype type, int lanes);
/* widened: the BOOL m as a vector of integers as wide as T. narrowed: a comparison of T as a
 * BOOL. */
const char *cg_c_widened(cg_c_text *t, cot_dtype type, const cg_c_forms *f, const char *m);
const char *cg_c_narrowed(cg_c_text *t, cot_dtype type, const cg_c_forms *f, const char *c);
/* The bits of x where m holds, else those of y. */
const char *cg_c_choose(cg_c_text *t, const cg_c_forms *f, const char *m, const char *x,
                        const char *y);

/* fma.c: fma of whole vectors x, y, z where x86 has no instruction for it. */
const char *cg_c_vector_fma(cg_c_text *t, const cg_c_forms *f, cot_dtype type, int lanes);

/* x86.c: the preprocessor condition under which x86 has instructions for this many bytes of the
 * type; NULL: never. */
const char *cg_c_x86_has(int bytes, const char *least);
/* The name of an intrinsic, "_mm256_max_ps", and the type of its arguments. */
const char *cg_c_x86_name(cg_c_text *t, const char *name, int bytes, cot_dtype type);
const char *cg_c_x86_type(cg_c_text *t, int bytes, cot_dtype type);
/* The suffix "ps" or "epi64" of a type in the names of intrinsics; a blend of 64 bytes by a
 * mask. */
const char *cg_c_x86_suffix(cot_dtype type);
const char *cg_c_x86_blended(cg_c_text *t, const cg_c_forms *f, cot_dtype type,
                             const char *mask);

#endif
