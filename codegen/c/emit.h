/* The C emitter of one kernel: its state, and what instructions and loops share. */
#ifndef CODEGEN_C_EMIT_H
#define CODEGEN_C_EMIT_H

#include "codegen/c/c.h"
#include "codegen/verify/ranges.h"

enum { CG_C_LEVELS = 32 };

typedef struct cg_c_level {
    const cg_block *loop;
    int64_t extent;
    int copies, lanes; /* extent = copies * lanes; an unroll loop has lanes = 1 */
} cg_c_level;

/* A mask of active lanes: the BOOLs stem_0, stem_1, ..., one for each copy over `set`. */
typedef struct cg_c_mask {
    uint32_t set;
    const char *stem;
    /* An i64: the mask is only this limit of a vector loop; otherwise NULL. */
    const char *limit;
    const cg_applied *by; /* the conditions that the mask consists of */
} cg_c_mask;

/* What is known of an index or condition while text is written: it is the value's scalar
 * variable, if `based`, plus a constant for each copy and lane (`at`), or plus slope times the
 * lane. */
typedef struct cg_c_known {
    int64_t *at; /* for each copy and lane; NULL: slope applies */
    int64_t slope;
    bool based;
} cg_c_known;

/* How a value differs from lane to lane: arbitrarily, by constants from a scalar variable, or
 * as constants. */
typedef enum cg_c_form { CG_C_WIDE, CG_C_BASED, CG_C_FIXED } cg_c_form;

/* The only user of a value in its own region, and the user's position there: an instruction, or
 * 0 for a yield. */
typedef struct cg_c_use_at {
    uint32_t at;
    cg_val by;
} cg_c_use_at;

typedef struct cg_c_emit {
    cg_c_text *t;
    const cg_natural *fn;
    bool inner; /* the function is called by another one alone */
    const char *const *fixed; /* the functions for some sizes */
    const cg_module *m;
    const cg_kernel *k;
    const char *const *kernel_name; /* for each kernel */
    const cg_call **first_call; /* for each kernel: its first call in the entry; NULL: none */
    /* For each buffer of the entry: its name, after the op that computes it. */
    const char **result_name;
    const bool *can_fail; /* for each kernel: it may return a status */
    bool *done;           /* for each kernel: its function has been written */
    const char **buffer;  /* for each buffer: its name in the text */
    cg_swapped swapped;
    const char **own; /* for each buffer with a `settle`: the name of its original address */
    ir_buf *b;
    const uint32_t *divergence, *uses;
    cg_c_known *known;
    /* For each value and copy: the text that replaces its variable, or NULL. */
    const char ***inlined;
    cg_c_use_at *use;
    uint32_t *place, *next_effect; /* of instructions: the position in their region */
    /* Of comparisons: how many selects of their region evaluate the comparison themselves. */
    uint32_t *picks;
    bool *adjacent; /* of stores: the next or the previous store writes the adjacent element */
    /* Of loads: 1 where another load reads the next element, -1: the previous element. */
    int8_t *pair;
    uint8_t *form; /* cg_c_form of values that vary over the enclosing vector loop */
    /* An i64 value is computed as i32, or the operands of a comparison or conversion are. */
    bool *narrow;
    cg_c_level level[CG_C_LEVELS];
    int n_levels, vector_level, indent, serial;
    const cg_c_mask *mask; /* or NULL: all lanes are active */
    cg_ranges *ranges;
    const cg_applied *under; /* the conditions of the enclosing branches */
    /* For each kernel: it, or a kernel that it calls, has a parallel loop. */
    const bool *wants_pool;
    ir_buf *parts;       /* functions for the bodies of the kernel's parallel loops */
    int number;          /* index of the kernel in the module */
    bool fills_tails;    /* see cg_fills_tails */
    bool many_constants; /* it uses more constant vectors than there are registers */
    /* The text is the body of a parallel loop, which returns early by part->status. */
    bool part;
    bool uses_pool; /* the kernel's text has its pool */
    bool streams; /* it contains non-temporal stores */
    /* Values of several copies since the last one that was fixed in place (COT_SETTLED). */
    int made;
    /* The current value is to be fixed in place, so its variables are not const. */
    bool settles;
    const char *marks; /* stands in front of each line (marks.c); or NULL */
} cg_c_emit;

/* Formats text in the arena; writes a line of the kernel; records the first failure. */
const char *cg_c_format(cg_c_emit *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cg_c_line(cg_c_emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cg_c_refuse(cg_c_emit *e, const char *what);
/* marks.c: what stands in front of the lines of v. */
const char *cg_c_marks(const cg_c_emit *e, cg_val v);
void cg_c_leave_with(cg_c_emit *e, const char *status);

/* The lanes and copies of a value that varies over a set of levels. cg_c_copy_for: copy c of a
 * value that varies over `set` uses this copy of a value that varies over `of`. */
int cg_c_lanes(const cg_c_emit *e, uint32_t set);
int cg_c_copies(const cg_c_emit *e, uint32_t set);
int cg_c_copy_for(const cg_c_emit *e, uint32_t set, int c, uint32_t of);
/* The copy over `inner` that is copy c over `set` and has number u at level `own`. */
int cg_c_copy_at(const cg_c_emit *e, uint32_t inner, uint32_t set, int c, int own, int u);
/* The name of a copy's variable, or the text that replaces it. */
const char *cg_c_value(cg_c_emit *e, cg_val v, int copy);
/* v as an operand of copy c of a value that varies over set, with `lanes` lanes. */
const char *cg_c_use(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes);
void cg_c_declare(cg_c_emit *e, cg_val v, cot_dtype type);
/* Write to = from for all copies; cg_c_define also declares the variables. */
void cg_c_assign(cg_c_emit *e, cg_val to, cg_val from);
void cg_c_define(cg_c_emit *e, cg_val to, cg_val from, cot_dtype type);
/* Make `to` another name of `from`, whose variables are not assigned again.  Writes no line. */
void cg_c_alias(cg_c_emit *e, cg_val to, cg_val from);
/* Write a region. around: the block that the region belongs to, or NULL. */
void cg_c_region(cg_c_emit *e, const cg_region *r, const cg_block *around);
/* Is v a constant i64, or computed from constants and variables of loops that run once? */
bool cg_c_constant_of(const cg_c_emit *e, cg_val v, int64_t *x);
/* "INT64_C(3)". */
const char *cg_c_int(cg_c_emit *e, int64_t x);

/* inline.c: give copy `copy` of v the text x: as a line that declares a variable, or as text
 * that replaces the variable. */
void cg_c_bind(cg_c_emit *e, cg_val v, int copy, cot_dtype type, int lanes, const char *x);
void cg_c_note_uses(cg_c_emit *e, const cg_region *r, const cg_block *around);

/* choice.c: the text of a select that does not need its condition as a BOOL, or NULL; in: the
 * operands. is_only_picked_by: is a comparison used only by such selects of its own region,
 * which evaluate it themselves? */
const char *cg_c_choice(cg_c_emit *e, const cg_insn *i, uint32_t set, int c, int lanes,
                        const char *const *in);
/* A comparison of unsigned numbers whose top bits are 0, as a comparison of signed integers:
 * x86 compares only those in one instruction.  NULL: not applicable. */
const char *cg_c_signed_compare(cg_c_emit *e, const cg_insn *i, int lanes,
                                const char *const *in);
void cg_c_count_picks(cg_c_emit *e, const cg_region *r);
bool cg_c_is_only_picked_by(const cg_c_emit *e, cg_val v);

/* mask.c: the mask for copy c of a value that varies over set, as a vector or as one scalar
 * condition; NULL: every lane is active. */
const char *cg_c_mask_for(cg_c_emit *e, const cg_c_mask *m, uint32_t set, int c, int lanes);
/* The mask m and the limit of a vector loop. */
const cg_c_mask *cg_c_mask_limit(cg_c_emit *e, const cg_c_mask *m, const cg_block *loop);
/* Declares a mask with a new name, whose copies are not assigned yet. cg_c_mask_copy: the name
 * of a copy. */
cg_c_mask *cg_c_mask_new(cg_c_emit *e, uint32_t set);
const char *cg_c_mask_copy(cg_c_emit *e, const cg_c_mask *m, int copy);
/* The mask m and the condition, or its negation. cg_c_mask_any: whether any lane of any copy is
 * active. */
const cg_c_mask *cg_c_mask_and(cg_c_emit *e, const cg_c_mask *m, cg_val cond, bool negate);
const char *cg_c_mask_any(cg_c_emit *e, const cg_c_mask *m);

/* index.c: if v consists of constants, or of a scalar and constants, write its line and record
 * them in e->known. */
bool cg_c_index_insn(cg_c_emit *e, cg_val v);
/* Find the forms (cg_c_form) of values of a region inside the vector loop of this level. */
void cg_c_find_forms(cg_c_emit *e, const cg_region *r, int level);
/* "v3 + 8": the index in one lane, of a value in e->known. */
const char *cg_c_at_lane(cg_c_emit *e, cg_val v, uint32_t set, int c, int lane);
/* Do lanes 0 to n - 1 of v have a constant stride?  Then *step is that stride. */
bool cg_c_is_even(const cg_c_emit *e, cg_val v, uint32_t set, int c, int n, int64_t *step);

/* narrow.c, called after the forms are found: find the values that are computed as i32.  Values
 * that a block yields stay i64. */
void cg_c_find_narrow(cg_c_emit *e, const cg_region *r, int level);
void cg_c_keep_wide(cg_c_emit *e, const cg_block *x);
/* v, an i64 whose range fits into 32 bits, as an operand of copy c of a value that varies over
 * set: a vector of i32. */
const char *cg_c_use_narrow(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes);
/* Division of a vector of i32 by a positive constant, which compilers turn into a
 * multiplication. */
const char *cg_c_narrow_division(cg_c_emit *e, const cg_insn *i, const char *const *in);

/* parallel.c. cg_c_join_parts (loop.c): the tree over arrays q<number>_0, ... of n elements. */
void cg_c_parallel(cg_c_emit *e, const cg_block *x);
const bool *cg_c_find_pools(cg_c_text *t, const cg_module *m);
void cg_c_join_parts(cg_c_emit *e, const cg_block *x, int number, const char *n);

/* The condition of copy c of an access: never, for the first `lanes` lanes, or as the text
 * says. */
typedef struct cg_c_condition {
    cg_c_when when;
    int lanes; /* the number of lanes that may be active */
    bool known; /* exactly the first `lanes` lanes are active */
    const char *text; /* a mask, a scalar condition, or a number of lanes; NULL: always */
    const char *gate; /* a further scalar condition for all lanes; or NULL */
    const cg_applied *by, *gate_by; /* what the checker is told of the text, and of the gate */
} cg_c_condition;

/* condition.c */
cg_c_condition cg_c_condition_of(cg_c_emit *e, cg_val when, uint32_t set, int c, int lanes);
/* Declares a variable that holds the active lanes, and returns its number. cg_c_lane_test: the
 * text that tests one lane of it; NULL: the lane is active. */
int cg_c_declare_test(cg_c_emit *e, const cg_c_condition *w, int lanes);
const char *cg_c_lane_test(cg_c_emit *e, const cg_c_condition *w, int number, int lane);
/* Report an access to the checker with its condition and the enclosing branches. touch: as x
 * says; touch_own: one element for each lane; touch_shape: elements of a vector of that
 * shape. */
void cg_c_touch(cg_c_emit *e, cg_val v, const cg_c_condition *w, cg_touched x);
void cg_c_touch_own(cg_c_emit *e, cg_val v, const cg_c_condition *w);
void cg_c_touch_shape(cg_c_emit *e, cg_val v, const cg_c_condition *w, cg_c_shape shape,
                      int64_t step, int lanes);

/* access.c: loads and stores. cg_c_fill_index: x is computed from an index by instruction i;
 * lanes past the end of a tail are replaced by lane 0. */
const char *cg_c_fill_index(cg_c_emit *e, const cg_insn *i, cot_dtype type, const char *x,
                            uint32_t set, int c, int lanes);
void cg_c_load_insn(cg_c_emit *e, cg_val v);
void cg_c_store_insn(cg_c_emit *e, cg_val v);
/* Write the first few of `left` instructions as one store of interleaved rows.  Returns how
 * many, or 0. */
uint32_t cg_c_store_adjacent(cg_c_emit *e, const cg_val *v, uint32_t left);

/* across.c: what lanes have together. */
void cg_c_scan_lanes(cg_c_emit *e, cg_val v);
void cg_c_last_lane(cg_c_emit *e, cg_val v);

/* control.c */
void cg_c_if(cg_c_emit *e, const cg_block *x);
/* In code of this process: return if cot_cancel was called.  The entry checks before each call
 * and in each step of its loops.  Every kernel checks in each step of a while loop, which may
 * run without bound. */
void cg_c_check_cancel(cg_c_emit *e);
void cg_c_while(cg_c_emit *e, const cg_block *x);
/* loop.c */
void cg_c_serial(cg_c_emit *e, const cg_block *x);
void cg_c_spmd(cg_c_emit *e, const cg_block *x);

#endif
