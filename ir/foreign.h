/* Prototypes of foreign functions: the text that a custom_call holds, read.
 *
 *   prototype  [ ("status" | "outN") "=" ] type name "(" [ parameter { "," parameter } ] ")"
 *   parameter  ["const"] type ["*"] ( "inN" | "outN" [ "=" "inN" ] | "attrN" | "dataN" |
 * "user" | "stream"
 *               | number )
 *
 * The types are C's words; the items say what each parameter is handed.  A pointer is to the
 * elements of an operand or result of one example, dense and row-major; what has no `*` travels
 * by value.  The text is kept as it came, so that objects and C source can declare the function
 * in its author's own words. */
#ifndef IR_FOREIGN_H
#define IR_FOREIGN_H

#include "ir/graph.h"

typedef enum ir_c_kind {
    IR_C_NOTHING,
    IR_C_STATUS,                        /* of the answer: 0, or the call has failed */
    IR_C_IN, IR_C_OUT,
    IR_C_ATTR, IR_C_DATA, IR_C_NUMBER,
    IR_C_USER,
    IR_C_STREAM                         /* of the device that the function runs on */
} ir_c_kind;

typedef struct ir_c_item {
    ir_c_kind kind;
    int index;
    /* out: starts as a copy of this operand; -1: undefined */
    int from;
    bool pointer;
    cot_dtype type;                     /* COT_DTYPE_NONE: void */
    const char *word;                   /* the C type as it was written */
    double number;
} ir_c_item;

typedef struct ir_c_function {
    const char *why;                    /* NULL, or what is wrong with the text */
    const char *name;
    ir_c_item answer;
    int n;
    ir_c_item *item;
} ir_c_function;

/* Stands for the stream among the addresses of a call: it is known when the call is made. */
extern const char ir_c_stream[1];

/* Never NULL. */
const ir_c_function *ir_c_parse(ir_arena *a, const char *text);
/* NULL, or why the function does not fit a call with these counts and element types. */
const char *ir_c_mismatch(ir_arena *a, const ir_c_function *c, const ir_graph *forward,
                          const ir_attrs *at);
/* "int name(const double *, size_t);" */
const char *ir_c_prototype(ir_arena *a, const ir_c_function *c);
/* The value of an attr, data or number item, as bits of its type. */
uint64_t ir_c_bits(const ir_c_item *x, const ir_attrs *at);

#endif
