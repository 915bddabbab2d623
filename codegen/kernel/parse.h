/* The parser of kernel text: declarations that its files share. parse.c reads modules, kernels
 * and buffers; parse_body.c regions with their loops and branches; parse_insn.c all other
 * instructions; parse_value.c names, numbers and operands.
 *
 * As in ir/reader.h, functions return false, 0 or NULL after an error.  The context holds the
 * first error, and nothing is read after it. */
#ifndef CODEGEN_KERNEL_PARSE_H
#define CODEGEN_KERNEL_PARSE_H

#include "codegen/kernel/text.h"
#include "ir/map.h"
#include "ir/reader.h"

/* %number and its value, until its region ends. */
typedef struct cg_parsed_name {
    uint64_t number;
    cg_val v;
    bool visible;
} cg_parsed_name;

/* A call; the kernel may be defined later in the text. */
typedef struct cg_parsed_call {
    cg_val v;
    cg_kernel *from;
    const char *name;
    const char *text;
    int line;
} cg_parsed_call;

typedef struct cg_parser {
    ir_reader r;
    cg_module *m;
    cg_kernel *k;                       /* the kernel that is being read */
    cg_parsed_name *name;               /* its values */
    uint32_t n_name, cap_name;
    /* names by number, constants by bits, buffers by name */
    ir_map number, constant, buffer;
    cg_parsed_call *call;
    uint32_t n_call, cap_call;
    const ir_sc_table **table;
    uint32_t n_table, cap_table;
    int nest;
} cg_parser;

/* parse_value.c */
bool cg_read_keyword(cg_parser *p, const char *word);
/* Read the keyword only if it is on the current line. */
bool cg_read_on_line(cg_parser *p, const char *word);
const char *cg_read_name(cg_parser *p, const char *want);
const char *cg_read_quoted(cg_parser *p);
/* Read an integer from lo to hi. */
bool cg_read_count(cg_parser *p, int64_t lo, int64_t hi, int64_t *x);
bool cg_read_numbers(cg_parser *p, cot_dtype t, int64_t n, const void **data);
cot_dtype cg_read_type(cg_parser *p);
/* Read the name of a buffer; returns 1 + its index. */
uint32_t cg_read_buffer(cg_parser *p);
/* Read a %number that is not defined yet. */
bool cg_read_new(cg_parser *p, uint64_t *number);
void cg_define(cg_parser *p, uint64_t number, cg_val v);
/* Make names from position `first` on invisible. */
void cg_hide(cg_parser *p, uint32_t first);
/* Read an operand of that type.  COT_DTYPE_NONE: of any type; a number is then followed by its
 * type. */
cg_val cg_read_value(cg_parser *p, cot_dtype t);
/* Add an instruction to the kernel, and to the list of region r unless that is NULL. */
cg_val cg_parsed(cg_parser *p, cg_region *r, cg_insn x);

/* parse_insn.c: an instruction after `%number =`; a statement without a result.  Its first word
 * has been read. */
cg_val cg_parse_value_insn(cg_parser *p, cg_region *r, const char *word);
bool cg_parse_effect(cg_parser *p, cg_region *r, const char *word);
/* The scalar instruction of that name; SC_COUNT: there is none. */
ir_sc_op cg_scalar_named(const char *s);
/* parse_body.c: the body of a kernel, up to its `}`. */
bool cg_parse_body(cg_parser *p);

#endif
