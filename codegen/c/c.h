/* The C emitter, inside: kernels as C11 with vector extensions.
 *
 * Every instruction becomes a call of a small static inline function (`fma_f32x8`), made
 * when it is first needed (ops.c); the structure around them is emit.c's.  As in the LLVM
 * emitter a value has a copy for each iteration of the unroll loops it varies over, and lanes
 * where it varies over the vector loop.  A BOOL with lanes is a vector of i32, 0 or -1.  An
 * i64 with lanes also has the scalar of lane 0 (name with a z), for addresses that move
 * evenly; what is not used, the compiler drops. */
#ifndef CODEGEN_C_C_H
#define CODEGEN_C_C_H

#include "codegen/backend.h"

typedef struct cg_c_text {
    cot_context *ctx;
    ir_arena *arena;
    ir_buf head; /* typedefs and helpers, in the order of need */
    ir_buf body; /* kernels and entries                        */
    ir_map made; /* names of what head has                     */
    const char **name;
    uint32_t n, cap;
    cot_status status;
} cg_c_text;

/* The C type of a value with lanes ("f32x8"), made if it is new. */
const char *cg_c_type(cg_c_text *t, cot_dtype type, int lanes);
/* The name of the function for an instruction whose result has the given lanes; made if it is
 * new. */
const char *cg_c_op(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from, int lanes);
const char *cg_c_splat(cg_c_text *t, cot_dtype type, int lanes);
/* out = fold of the lanes by halves; any lane of a BOOL. */
const char *cg_c_fold(cg_c_text *t, ir_sc_op op, cot_dtype type, int lanes);
const char *cg_c_any(cg_c_text *t, int lanes);
const char *cg_c_table(cg_c_text *t, const ir_sc_table *table, int lanes);
/* load (when: with a mask), at a slope from lane to lane (1: dense); store likewise. */
const char *cg_c_load(cg_c_text *t, cot_dtype type, int lanes, bool dense, bool when);
const char *cg_c_store(cg_c_text *t, cot_dtype type, int lanes, bool dense, bool when);
void cg_c_constant(ir_buf *b, cot_dtype type, uint64_t bits);
bool cg_c_made(cg_c_text *t, const char *name); /* marks it made; was it? */

/* emit.c: a kernel as a static function. */
void cg_c_kernel(cg_c_text *t, const cg_module *m, const cg_kernel *k, const char *prefix);

#endif
