/* A parser of text, and a node whose result types are not read yet. */
#ifndef IR_PARSE_H
#define IR_PARSE_H

#include "ir/build.h"
#include "ir/sized.h"

typedef struct ir_parser {
    ir_reader r;
    ir_build *b;                        /* the function being read */
    ir_arena *names;                    /* of what follows; r.a is for one node */
    const char **name;                  /* its values by name */
    ir_ref *ref;
    uint32_t n_name, cap_name, n_ref, cap_ref;
    ir_map index;
    ir_graph **fn;
    uint32_t n_fn, cap_fn;
    const ir_sized_text *text; /* where it has sizes, which are these; else NULL */
    const int64_t *size;
    ir_sizes sizes;
} ir_parser;

typedef struct ir_node_text {
    ir_op op;
    ir_attrs at;
    ir_ref *in;
    uint32_t n_in, cap_in;
    const char **out;
    uint32_t n_out, cap_out;
    const char *data_at; /* where the data of a constant begins */
    int data_line;
} ir_node_text;

/* parse_attrs.c: {name=..., ...}, the attributes of n->op; false after an error. */
bool ir_parse_attributes(ir_parser *p, ir_node_text *n);

#endif
