/* pass_own: what its files share.  own.c has the walk, own_value.c the forms of values,
 * own_rows.c the rows that move, own_order.c the order of messages, own_begin.c what a call
 * begins with. */
#ifndef PASSES_OWN_H
#define PASSES_OWN_H

#include "passes/engine.h"

/* What the graphs of a program have in common. */
typedef struct own_program {
    const pass_world *world;
    pass_own_rule rule;
    bool moves; /* do rows move between groups? */
    double sent[2]; /* by rule: the bytes of all parts of all sums */
    int64_t counted, parts[2]; /* groups of a sum, and its parts by each rule */
    int level;  /* of loops around what is being built, but for those of groups */
} own_program;

/* A sum of own rows that no node has read yet, transposed. */
typedef struct own_sum {
    ir_ref rows; /* in the new graph: the groups are its first axis */
    int64_t groups;
    const ir_type *type; /* of the sum */
    const int64_t *perm; /* NULL: none */
} own_sum;

/* A value made of rows of another one and zeros. */
typedef struct own_picked {
    ir_ref base; /* in the old graph, of which there are own rows; IR_NONE: all are zeros */
    int axis;
    int64_t n, total; /* runs, and the rows of all */
    int64_t *run;     /* pairs: the first row, or below 0 zeros; how many */
} own_picked;

typedef struct own_walk {
    own_program *program;
    ir_build *b;
    const ir_graph *f;
    ir_ref *whole;       /* by value of f: the whole value, or IR_NONE */
    ir_ref *rows;        /* by value of f: the own rows, or IR_NONE */
    int *axis;           /* by value of f: that of the groups, where there are own rows */
    own_sum **sum;       /* by value of f: what it is the sum of, or NULL */
    own_picked **picked; /* by value of f: which rows it is made of, or NULL */
} own_walk;

/* What the process owns of so many groups; list, unless NULL, gets their numbers. */
pass_owned pass_own_share(const own_walk *w, int64_t groups, int64_t *list);
/* A call of C code that makes a value of type t of x. */
ir_ref pass_own_call(own_walk *w, const char *name, ir_ref x, const ir_type *t, ir_ints attrs);
/* The same, of several values, by a prototype or NULL: the results have the types t. */
void pass_own_calls(ir_build *b, const char *name, const char *prototype, ir_ints attrs,
                    int n_in, const ir_ref *in, int n_out, const ir_type *const *t,
                    ir_ref *out);
/* Rows of a sum or an extreme, whose groups are the first axis, reduced to t: all of it, or
 * with parted >= 0 the own rows along its first axis, of so many. */
ir_ref pass_own_reduce(own_walk *w, ir_ref x, int64_t groups, ir_combine by, const ir_type *t,
                       int64_t parted);
/* The bytes of a row along the first axis. */
int64_t pass_row_bytes(const ir_type *t);
ir_ints pass_numbers(ir_build *b, int n, const int64_t *x);
/* The size of the axis of which value v of f has own rows. */
int64_t pass_groups_of(const own_walk *w, ir_ref v);
/* t with another number of rows on an axis. */
const ir_type *pass_with_rows(ir_build *b, const ir_type *t, int axis, int64_t n);
/* Value v of f, whole; its own rows along an axis; has it own rows alone? */
ir_ref pass_own_whole(own_walk *w, ir_ref v);
ir_ref pass_own_rows(own_walk *w, ir_ref v, int axis);
bool pass_is_parted(const own_walk *w, ir_ref v);

/* own_begin.c: a hash, i64[], of those of n arguments that are compared between processes;
 * IR_NONE is left out.  prototype: of the call that reads one, or NULL. */
ir_ref pass_own_noted(ir_build *b, const char *prototype, int n, const ir_ref *x);

/* own_order.c: f with its messages begun as soon as they can be. */
cot_status pass_own_order(const ir_graph *f, const pass_world *world, ir_graph **out);

/* Does n pick whole rows of one value?  Then its result is noted, or made. */
bool pass_own_pick(own_walk *w, const ir_node *n);

#endif
