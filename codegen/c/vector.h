/* What functions on vectors are written with: the types that go with a vector's, choices by
 * lane, and the names of x86's instructions. */
#ifndef CODEGEN_C_VECTOR_H
#define CODEGEN_C_VECTOR_H

#include "codegen/c/c.h"

typedef struct cg_c_forms {
    const char *type, *s, *u, *mask; /* T, integers of its width, BOOL */
} cg_c_forms;

/* forms.c */
bool cg_c_is_real(cot_dtype t);
/* The signed integers of T's width. */
cot_dtype cg_c_signed_like(cot_dtype t);
cg_c_forms cg_c_forms_of(cg_c_text *t, cot_dtype type, int lanes);
/* m, a BOOL, in integers of T's width; a comparison of T's as a BOOL. */
const char *cg_c_widened(cg_c_text *t, cot_dtype type, const cg_c_forms *f, const char *m);
const char *cg_c_narrowed(cg_c_text *t, cot_dtype type, const cg_c_forms *f, const char *c);
/* The bits of x where m holds, else those of y. */
const char *cg_c_choose(cg_c_text *t, const cg_c_forms *f, const char *m, const char *x,
                        const char *y);

/* fma.c: fma of x, y, z of whole vectors where x86 has no instruction for it. */
const char *cg_c_vector_fma(cg_c_text *t, const cg_c_forms *f, cot_dtype type, int lanes);

/* x86.c: the condition under which x86 has a type's instructions for so many bytes; NULL:
 * never. */
const char *cg_c_x86_has(int bytes, const char *least);
/* "_mm256_max_ps", and its arguments' type. */
const char *cg_c_x86_name(cg_c_text *t, const char *name, int bytes, cot_dtype type);
const char *cg_c_x86_type(cg_c_text *t, int bytes, cot_dtype type);
/* "ps", "epi64": a type in the names of x86's functions; and a blend of 64 bytes by a mask. */
const char *cg_c_x86_suffix(cot_dtype type);
const char *cg_c_x86_blended(cg_c_text *t, const cg_c_forms *f, cot_dtype type,
                             const char *mask);

#endif
