/* The C emitter of one kernel: its state, and what instructions and loops share. */
#ifndef CODEGEN_C_EMIT_H
#define CODEGEN_C_EMIT_H

#include "codegen/c/c.h"

enum { CG_C_LEVELS = 32 };

typedef struct cg_c_level {
    const cg_block *loop;
    int64_t extent;
} cg_c_level;

typedef struct cg_c_emit {
    cg_c_text *t;
    const cg_module *m;
    const cg_kernel *k;
    const char *prefix;
    ir_buf *b;
    const uint32_t *vary, *uses;
    cg_c_level level[CG_C_LEVELS];
    int n_levels, vector_level, indent;
    const char *mask; /* BOOL lanes that are active; NULL: all */
} cg_c_emit;

/* Text in the arena; a line of the kernel; the first failure. */
const char *cg_c_say(cg_c_emit *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cg_c_line(cg_c_emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cg_c_refuse(cg_c_emit *e, const char *what);

/* Lanes and copies of what varies over a set of levels. */
int cg_c_lanes(const cg_c_emit *e, uint32_t set);
int cg_c_copies(const cg_c_emit *e, uint32_t set);
/* The copy of a value that varies over `of` for copy c of one that varies over `set`. */
int cg_c_copy_for(const cg_c_emit *e, uint32_t set, int c, uint32_t of);
/* The variable of a copy. */
const char *cg_c_value(cg_c_emit *e, cg_val v, int copy);
/* v as it stands for copy c of a value that varies over set: with its lanes, splat if it has
 * none; and the scalar of lane 0 of an index. */
const char *cg_c_use(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes);
const char *cg_c_use_first(cg_c_emit *e, cg_val v, uint32_t set, int c);
bool cg_c_has_first(const cg_c_emit *e, cg_val v);
void cg_c_declare(cg_c_emit *e, cg_val v, cot_dtype type);
/* to = from, for all copies. */
void cg_c_assign(cg_c_emit *e, cg_val to, cg_val from, const char *suffix);
void cg_c_region(cg_c_emit *e, const cg_region *r);

/* control.c */
void cg_c_serial(cg_c_emit *e, const cg_block *x);
void cg_c_spmd(cg_c_emit *e, const cg_block *x);
void cg_c_if(cg_c_emit *e, const cg_block *x);
void cg_c_while(cg_c_emit *e, const cg_block *x);

#endif
