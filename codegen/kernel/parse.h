/* The parser of kernel text, inside: parse.c reads modules, kernels and buffers, parse_body.c
 * regions with their loops and branches, parse_insn.c every other instruction, and
 * parse_value.c names, numbers and operands.
 *
 * As in ir/reader.h, functions answer false, 0 or NULL after an error, the first of which the
 * context holds, and nothing is read after it. */
#ifndef CODEGEN_KERNEL_PARSE_H
#define CODEGEN_KERNEL_PARSE_H

#include "codegen/kernel/text.h"
#include "ir/map.h"
#include "ir/reader.h"

/* %number and what it stands for, until its region ends. */
typedef struct cg_parsed_name {
    uint64_t number;
    cg_val v;
    bool visible;
} cg_parsed_name;

/* A call of a kernel that may follow in the text. */
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
    cg_kernel *k;                       /* the one being read                          */
    cg_parsed_name *name;               /* its values                                  */
    uint32_t n_name, cap_name;
    ir_map number, constant, buffer;    /* names by number, constants by bits, buffers */
    cg_parsed_call *call;
    uint32_t n_call, cap_call;
    const ir_sc_table **table;
    uint32_t n_table, cap_table;
    int nest;
} cg_parser;

/* parse_value.c */
bool cg_read_keyword(cg_parser *p, const char *word);
/* The keyword on the line in hand. */
bool cg_read_on_line(cg_parser *p, const char *word);
const char *cg_read_name(cg_parser *p, const char *want);
const char *cg_read_quoted(cg_parser *p);
/* An integer between lo and hi. */
bool cg_read_count(cg_parser *p, int64_t lo, int64_t hi, int64_t *x);
bool cg_read_numbers(cg_parser *p, cot_dtype t, int64_t n, const void **data);
cot_dtype cg_read_type(cg_parser *p);
/* 1 + the buffer. */
uint32_t cg_read_buffer(cg_parser *p);
/* %number, not defined yet. */
bool cg_read_new(cg_parser *p, uint64_t *number);
void cg_define(cg_parser *p, uint64_t number, cg_val v);
/* What was defined from `first` on is visible no more. */
void cg_hide(cg_parser *p, uint32_t first);
/* An operand of that type; COT_DTYPE_NONE: of any, and a number then has its type behind it. */
cg_val cg_read_value(cg_parser *p, cot_dtype t);
/* A new value; it stands in a region's list if there is one. */
cg_val cg_parsed(cg_parser *p, cg_region *r, cg_insn x);

/* parse_insn.c: behind `%number =`; and a statement without a result, whose word was read. */
cg_val cg_parse_value_insn(cg_parser *p, cg_region *r, const char *word);
bool cg_parse_effect(cg_parser *p, cg_region *r, const char *word);
/* By name; SC_COUNT if there is none. */
ir_sc_op cg_scalar_named(const char *s);
/* parse_body.c: the body of a kernel, up to its `}`. */
bool cg_parse_body(cg_parser *p);

#endif
