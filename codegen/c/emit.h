/* The C emitter of one kernel: its state, and what instructions and loops share. */
#ifndef CODEGEN_C_EMIT_H
#define CODEGEN_C_EMIT_H

#include "codegen/c/c.h"
#include "codegen/verify/ranges.h"

enum { CG_C_LEVELS = 32 };

typedef struct cg_c_level {
    const cg_block *loop;
    int64_t extent;
    int copies, lanes; /* extent = copies * lanes: an unroll loop has lanes 1 */
} cg_c_level;

/* The lanes that are active: BOOLs stem_0, stem_1, ... of what varies over set. */
typedef struct cg_c_mask {
    uint32_t set;
    const char *stem;
    const char *limit; /* nothing masks but the limit of a vector loop: an i64; or NULL */
    const cg_applied *by; /* the conditions that it is made of */
} cg_c_mask;

/* What is known of an index or a truth while the text is made: it is a scalar, the value's
 * variable, if `based`, plus a constant for each copy and lane (`at`) or slope times the
 * lane. */
typedef struct cg_c_known {
    int64_t *at; /* for each copy and lane; or NULL */
    int64_t slope;
    bool based;
} cg_c_known;

/* How the lanes of a value differ: not known but by constants, known altogether, or
 * otherwise. */
typedef enum cg_c_form { CG_C_WIDE, CG_C_BASED, CG_C_FIXED } cg_c_form;

/* The one instruction, or 0 for a yield, that uses a value in its own region, and its place
 * there. */
typedef struct cg_c_use_at {
    uint32_t at;
    cg_val by;
} cg_c_use_at;

typedef struct cg_c_emit {
    cg_c_text *t;
    const cg_natural *fn;
    const cg_module *m;
    const cg_kernel *k;
    const char *const *kernel_name; /* of each kernel                    */
    const cg_call **first_call;     /* likewise, of the entry; NULL: none    */
    const char **result_name;       /* of each buffer of the entry that a kernel makes */
    const bool *can_fail;           /* likewise                          */
    bool *done; /* likewise: it is written           */
    const char **buffer;            /* the name of each buffer           */
    cg_swapped swapped;
    const char **own; /* of each buffer that is settled: the name of its own address */
    ir_buf *b;
    const uint32_t *divergence, *uses;
    cg_c_known *known;
    /* of each value, for each copy: the text in place of a variable, or NULL */
    const char ***inlined;
    cg_c_use_at *use;
    uint32_t *place, *next_effect; /* of instructions, in their region */
    uint32_t *picks; /* of comparisons: the selects of their region that make them anew */
    bool *adjacent; /* of stores: the next or the last one is that of the element beside */
    int8_t *pair; /* of loads: 1 where another one is of the element behind, -1: before */
    uint8_t *form; /* cg_c_form of what varies over the vector loop around */
    bool *narrow;  /* it, or what it compares or converts, is made of i32 for i64 */
    cg_c_level level[CG_C_LEVELS];
    int n_levels, vector_level, indent, serial;
    const cg_c_mask *mask; /* or NULL: all lanes are active */
    cg_ranges *ranges;
    const cg_applied *under; /* the conditions of the branches around */
    const bool *wants_pool; /* of each kernel: it, or one it calls, has a parallel loop */
    ir_buf *parts;          /* bodies of the kernel's parallel loops, as functions     */
    int number;             /* of the kernel                                           */
    bool fills_tails; /* see cg_fills_tails */
    bool many_constants;    /* it has more of lanes than there are registers */
    bool part;              /* in such a body: it leaves by part->status               */
    bool streams; /* it has stored past the caches */
    int made;     /* values of several copies since the last one that was settled */
    bool settles; /* the value in hand is to be: its variables are not constant   */
} cg_c_emit;

/* Text in the arena; a line of the kernel; the first failure. */
const char *cg_c_say(cg_c_emit *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cg_c_line(cg_c_emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cg_c_refuse(cg_c_emit *e, const char *what);
void cg_c_leave_with(cg_c_emit *e, const char *status);

/* Lanes and copies of what varies over a set of levels; the copy of what varies over `of` for
 * copy c of what varies over `set`. */
int cg_c_lanes(const cg_c_emit *e, uint32_t set);
int cg_c_copies(const cg_c_emit *e, uint32_t set);
int cg_c_copy_for(const cg_c_emit *e, uint32_t set, int c, uint32_t of);
/* The variable of a copy, or the constant that it is. */
const char *cg_c_value(cg_c_emit *e, cg_val v, int copy);
/* v as it stands for copy c of a value that varies over set: with `lanes`. */
const char *cg_c_use(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes);
void cg_c_declare(cg_c_emit *e, cg_val v, cot_dtype type);
/* to = from, for all copies; with its declaration. */
void cg_c_assign(cg_c_emit *e, cg_val to, cg_val from);
void cg_c_define(cg_c_emit *e, cg_val to, cg_val from, cot_dtype type);
/* to is another name of from, which does not change any more: no line. */
void cg_c_alias(cg_c_emit *e, cg_val to, cg_val from);
/* around: the block whose region it is, or NULL. */
void cg_c_region(cg_c_emit *e, const cg_region *r, const cg_block *around);
/* A constant i64, or the variable of a loop that runs once, or made of such. */
bool cg_c_constant_of(const cg_c_emit *e, cg_val v, int64_t *x);
/* "INT64_C(3)". */
const char *cg_c_int(cg_c_emit *e, int64_t x);

/* inline.c: a copy of v is x: a line, or the text in place of its variable. */
void cg_c_bind(cg_c_emit *e, cg_val v, int copy, cot_dtype type, int lanes, const char *x);
void cg_c_note_uses(cg_c_emit *e, const cg_region *r, const cg_block *around);

/* choice.c: the text of a select that does without its BOOL, or NULL; in: the operands.  Of a
 * comparison: do such alone, of its own region, want it?  They make it themselves. */
const char *cg_c_choice(cg_c_emit *e, const cg_insn *i, uint32_t set, int c, int lanes,
                        const char *const *in);
/* A comparison of numbers without a sign, whose bits are those of integers that have none
 * either: x86 compares no others in one instruction.  Or NULL. */
const char *cg_c_signed_compare(cg_c_emit *e, const cg_insn *i, int lanes,
                                const char *const *in);
void cg_c_count_picks(cg_c_emit *e, const cg_region *r);
bool cg_c_is_only_picked_by(const cg_c_emit *e, cg_val v);

/* mask.c: the mask for copy c of what varies over set, as lanes or one truth; NULL: none. */
const char *cg_c_mask_for(cg_c_emit *e, const cg_c_mask *m, uint32_t set, int c, int lanes);
/* m, and the limit of a vector loop. */
const cg_c_mask *cg_c_mask_limit(cg_c_emit *e, const cg_c_mask *m, const cg_block *loop);
/* A mask with a name, whose copies have no value yet; the name of a copy. */
cg_c_mask *cg_c_mask_new(cg_c_emit *e, uint32_t set);
const char *cg_c_mask_copy(cg_c_emit *e, const cg_c_mask *m, int copy);
/* m, and the condition or its opposite; whether any lane and copy is active. */
const cg_c_mask *cg_c_mask_and(cg_c_emit *e, const cg_c_mask *m, cg_val cond, bool negate);
const char *cg_c_mask_any(cg_c_emit *e, const cg_c_mask *m);

/* index.c: is v made of constants, or a scalar and constants?  Then it is known afterwards, and
 * its line written. */
bool cg_c_index_insn(cg_c_emit *e, cg_val v);
/* Find the forms of a region in a vector loop of the level. */
void cg_c_find_forms(cg_c_emit *e, const cg_region *r, int level);
/* "v3 + 8": the element for a lane of an index that is known. */
const char *cg_c_at_lane(cg_c_emit *e, cg_val v, uint32_t set, int c, int lane);
/* Lanes 0 to n - 1 of it are this far apart; false if they are not even, or it is not known. */
bool cg_c_is_even(const cg_c_emit *e, cg_val v, uint32_t set, int c, int n, int64_t *step);

/* narrow.c: find, after the forms, what is made of i32; but not what the block yields. */
void cg_c_find_narrow(cg_c_emit *e, const cg_region *r, int level);
void cg_c_keep_wide(cg_c_emit *e, const cg_block *x);
/* An i64 whose range is within 32 bits, as it stands for copy c of what varies over set: lanes
 * of i32. */
const char *cg_c_use_narrow(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes);
/* Of lanes by a constant above 0, which compilers know how to multiply by. */
const char *cg_c_narrow_division(cg_c_emit *e, const cg_insn *i, const char *const *in);

/* parallel.c; loop.c: the tree over arrays q<number>_0, ... of n elements. */
void cg_c_parallel(cg_c_emit *e, const cg_block *x);
const bool *cg_c_find_pools(cg_c_text *t, const cg_module *m);
void cg_c_join_parts(cg_c_emit *e, const cg_block *x, int number, const char *n);
/* function.c: may the buffer be the same memory as another? */
bool cg_c_is_aliased(const cg_kernel *k, uint32_t buffer);

/* Under what copy c of an access happens: no lane, the first `lanes` of them, or as text
 * says. */
typedef struct cg_c_condition {
    cg_c_when when;
    int lanes; /* that may be active */
    bool known; /* they are */
    const char *text; /* a mask, a truth, or a number of lanes; NULL: always */
    const char *gate; /* one truth for all lanes besides; or NULL */
    const cg_applied *by, *gate_by; /* what the text applies, and the gate */
} cg_c_condition;

/* condition.c */
cg_c_condition cg_c_condition_of(cg_c_emit *e, cg_val when, uint32_t set, int c, int lanes);
/* Declares the variable that says which lanes are active; its number, by which the test of a
 * lane names it.  NULL: the lane is active. */
int cg_c_declare_test(cg_c_emit *e, const cg_c_condition *w, int lanes);
const char *cg_c_lane_test(cg_c_emit *e, const cg_c_condition *w, int number, int lane);
/* Reports what is touched of the access v, under the condition and the branches around: x; the
 * element that each lane has by itself; elements of so many lanes by that shape. */
void cg_c_touch(cg_c_emit *e, cg_val v, const cg_c_condition *w, cg_touched x);
void cg_c_touch_own(cg_c_emit *e, cg_val v, const cg_c_condition *w);
void cg_c_touch_shape(cg_c_emit *e, cg_val v, const cg_c_condition *w, cg_c_shape shape,
                      int64_t step, int lanes);

/* access.c: loads and stores; x, which i makes of an index, whose lanes behind the end of a
 * tail are its lane 0. */
const char *cg_c_fill_index(cg_c_emit *e, const cg_insn *i, cot_dtype type, const char *x,
                            uint32_t set, int c, int lanes);
void cg_c_load_insn(cg_c_emit *e, cg_val v);
void cg_c_store_insn(cg_c_emit *e, cg_val v);
/* Of `left` instructions of a region, the first few as one store of rows; how many, or 0. */
uint32_t cg_c_store_adjacent(cg_c_emit *e, const cg_val *v, uint32_t left);

/* control.c */
void cg_c_if(cg_c_emit *e, const cg_block *x);
/* In this process: leave if cot_cancel was called.  The entry asks before each call and at each
 * step of its loops, every kernel at each step of a while, which nothing else bounds. */
void cg_c_check_cancel(cg_c_emit *e);
void cg_c_while(cg_c_emit *e, const cg_block *x);
/* loop.c */
void cg_c_serial(cg_c_emit *e, const cg_block *x);
void cg_c_spmd(cg_c_emit *e, const cg_block *x);

#endif
