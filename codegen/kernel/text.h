/* Kernel text: what its printer and its parser share.  docs/codegen.md has the grammar.
 *
 * A kernel's buffers print under distinct names, its values by number, and every constant to
 * the last bit, so that a text means one module.  Not in the text are the locations of
 * instructions, estimates of cost, and the explanations of a plan: none of these changes what
 * is computed. */
#ifndef CODEGEN_KERNEL_TEXT_H
#define CODEGEN_KERNEL_TEXT_H

#include "codegen/kernel/kernel.h"

enum {
    CG_TEXT_NEST = 256,         /* loops, branches and whiles within each other    */
    CG_TEXT_CALLS = 64,         /* kernels that call each other                    */
    CG_TEXT_HEX = 64            /* elements from which on data prints as hex digits */
};

/* Of each cg_kind and cg_space. */
extern const char *const cg_kind_name[8], *const cg_space_name[6];
/* A name prints as it is: a letter or _, then what ir_is_word takes, and no word of the
 * grammar that may stand at the place of a name. */
bool cg_is_plain_name(const char *s);
void cg_print_name(ir_buf *b, const char *s);
/* In quotes: \22 is the byte of that number. */
void cg_print_quoted(ir_buf *b, const char *s);
/* A name for each buffer of k, no two the same: x, x.1, x.2. */
const char **cg_distinct_names(const cg_kernel *k, ir_arena *a);
/* The bits of one number of type t. */
void cg_print_number(ir_buf *b, cot_dtype t, uint64_t bits);
/* n numbers: [1, 2, 3], or many as 0x and the digits of each. */
void cg_print_numbers(ir_buf *b, cot_dtype t, const void *data, int64_t n);

/* The slow path of the library whose program has the hash; NULL: there is none. */
const ir_sc_program *cg_find_slow_path(cot_context *ctx, uint64_t hash);

#endif
