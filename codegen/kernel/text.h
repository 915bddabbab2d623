/* Kernel text: declarations that its printer and parser share. docs/codegen.md has the grammar.
 *
 * Buffers of a kernel are printed under distinct names, values by number, and constants to the
 * last bit, so that a text denotes one module.  The text omits locations of instructions,
 * estimates of cost, and explanations of the plan, since none of these changes the result. */
#ifndef CODEGEN_KERNEL_TEXT_H
#define CODEGEN_KERNEL_TEXT_H

#include "codegen/kernel/kernel.h"

enum {
    CG_TEXT_NEST = 256,         /* the deepest nesting of loops, branches and whiles */
    CG_TEXT_CALLS = 64,         /* the deepest nesting of calls */
    CG_TEXT_HEX = 64            /* data of at least this many elements are printed as
                                 * hexadecimal digits */
};

/* The syntax of an instruction of memory, lanes or tensor cores, by which it is printed and
 * read: its first word, then words and signs, and parts %xN, where N is a number and x is
 *
 *   b, e   buffer N, or its element at operand N; where there is one buffer, it is `imm`
 *   i, c   operand N, which is an i64; a BOOL
 *   v, t   operand N, of the instruction's type; that type
 *   m, o   the type, as tensor cores name it; the scalar instruction that combines lanes
 *   n, s   a number, or operand N instead of it; a status
 *
 * In brackets is what is printed if its operand is not 0, or where it has none, if `imm` is
 * not.  It is on the line of the instruction; in braces, it need not be.  NULL: it has none. */
const char *cg_syntax_of(int op);
/* The instruction whose syntax begins with this word, or 0; the buffers of a syntax. */
int cg_syntax_named(const char *word);
int cg_syntax_buffers(const char *syntax);
/* Of each cg_kind and cg_space. */
extern const char *const cg_kind_name[8], *const cg_space_name[6];
/* Is s printed without quotes?  It is if it starts with a letter or _, continues with
 * characters that ir_is_word accepts, and is no word of the grammar that can be at the place of
 * a name. */
bool cg_is_plain_name(const char *s);
void cg_print_name(ir_buf *b, const char *s);
/* Print s in quotes; \22 is the byte of that hexadecimal number. */
void cg_print_quoted(ir_buf *b, const char *s);
/* Distinct names for the buffers of k: x, x.1, x.2. */
const char **cg_distinct_names(const cg_kernel *k, ir_arena *a);
/* Print the number of type t with these bits. */
void cg_print_number(ir_buf *b, cot_dtype t, uint64_t bits);
/* Print n numbers: as [1, 2, 3], or, if there are many, as 0x and the digits of each. */
void cg_print_numbers(ir_buf *b, cot_dtype t, const void *data, int64_t n);

/* The slow path of the library with that hash; NULL: there is none. */
const ir_sc_program *cg_find_slow_path(cot_context *ctx, uint64_t hash);

#endif
