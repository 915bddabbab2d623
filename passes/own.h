/* pass_own: what its files share.  own.c has the walk, own_loop.c the loops, own_value.c the
 * forms of values, own_rows.c the rows that move, own_order.c the order of messages,
 * own_begin.c what a call begins with, own_examples.c what each example does in its own way. */
#ifndef PASSES_OWN_H
#define PASSES_OWN_H

#include "passes/engine.h"

/* The axes of which a process has its own rows: 1 + the axis, by which processes share it; 0:
 * none.  No two are one axis, and what all share is alone. */
typedef struct own_form {
    uint8_t of[PASS_AMONGS];
} own_form;
/* Of a result, while it is not known: whatever it becomes. */
#define OWN_EITHER ((own_form){ { UINT8_MAX } })

/* What the graphs of a program have in common. */
typedef struct own_program own_program;
struct own_program {
    const pass_world *world;
    /* f as this process runs it; if it is the whole program, with `begin` as its first call.
     * in, outs: by argument and result; NULL: all are whole.  OWN_EITHER of a result becomes
     * what it is */
    cot_status (*graph)(const ir_graph *f, own_program *program, bool first, const own_form *in,
                        own_form *outs, ir_graph **out);
    pass_own_rule rule;
    int columns; /* of the grid of processes */
    int64_t axes; /* that nest */
    bool moves; /* do rows move between groups? */
    double sent[2]; /* by rule: the bytes of all parts of all sums */
    int64_t counted; /* groups of a sum, which so many processes share, */
    int sharing;
    int64_t parts[2]; /* and its parts by each rule */
    int level; /* of loops around what is being built, but for those of groups */
    /* Which processes share a scan around what is being built: a bit for each pass_among.  They
     * take different numbers of steps, and so do not communicate within. */
    unsigned within;
};

/* A sum of own rows that no node has read yet, transposed. */
typedef struct own_sum {
    ir_ref rows; /* in the new graph: the groups are its first axis */
    pass_among among;
    int64_t groups;
    const ir_type *type; /* of the sum */
    own_form form; /* of the sum, before it is transposed */
    const int64_t *perm; /* NULL: none */
} own_sum;

/* A value made of rows of another one and zeros. */
typedef struct own_picked {
    ir_ref base; /* in the old graph, of which there are own rows; IR_NONE: all are zeros */
    pass_among among;
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
    own_form *form; /* by value of f: of what, where there are own rows */
    own_sum **sum;       /* by value of f: what it is the sum of, or NULL */
    own_picked **picked; /* by value of f: which rows it is made of, or NULL */
} own_walk;

/* The rest is in own_value.c, but for what names its file. */

/* How many processes share; the number of pass_world.owners. */
int pass_own_sharing(const own_program *p, pass_among among);
int64_t pass_own_owners(const own_program *p, pass_among among);
/* What the process owns of so many groups; list, unless NULL, gets their numbers. */
pass_owned pass_own_share(const own_walk *w, pass_among among, int64_t groups, int64_t *list);
/* A call of C code that makes a value of type t of x. */
ir_ref pass_own_call(own_walk *w, const char *name, ir_ref x, const ir_type *t, ir_ints attrs);
/* The same, of several values, by a prototype or NULL: the results have the types t. */
void pass_own_calls(ir_build *b, const char *name, const char *prototype, ir_ints attrs,
                    int n_in, const ir_ref *in, int n_out, const ir_type *const *t,
                    ir_ref *out);
/* Rows of a sum or an extreme, whose groups are the first axis, reduced to t: all of it, or
 * with parted >= 0 the own rows along its first axis, of so many.  all: elements of the result
 * where nothing of it is parted. */
ir_ref pass_own_reduce(own_walk *w, ir_ref x, pass_among among, int64_t groups, ir_combine by,
                       const ir_type *t, int64_t all, int64_t parted);
/* The bytes of a row along the first axis. */
int64_t pass_row_bytes(const ir_type *t);
ir_ints pass_numbers(ir_build *b, int n, const int64_t *x);
/* t with another number of rows on an axis; what a process has of a value of type t. */
const ir_type *pass_with_rows(ir_build *b, const ir_type *t, int axis, int64_t n);
const ir_type *pass_own_type(const own_walk *w, const ir_type *t, own_form form);

bool pass_own_is_whole(own_form form);
bool pass_own_same(own_form x, own_form y);
/* With an axis by which it is parted, or none below 0; with every axis so many further, without
 * those that fall below 0; of the transposed value. */
own_form pass_own_with(own_form form, pass_among among, int axis);
own_form pass_own_shifted(own_form form, int by);
own_form pass_own_permuted(own_form form, ir_ints perm);
/* Who shares an axis; PASS_AMONGS: nobody does. */
pass_among pass_own_among(own_form form, int axis);

/* Of value v of f: the form in which it is there, or will be if nothing else is asked for; the
 * value in it, in another one, and whole; has it own rows alone? */
own_form pass_own_form(const own_walk *w, ir_ref v);
ir_ref pass_own_own(own_walk *w, ir_ref v);
ir_ref pass_own_as(own_walk *w, ir_ref v, own_form form);
ir_ref pass_own_whole(own_walk *w, ir_ref v);
bool pass_is_parted(const own_walk *w, ir_ref v);
/* Is it a sum that is not made yet? */
bool pass_own_is_unread(const own_walk *w, ir_ref v);
/* Value v of f is y, which has a form. */
void pass_own_set(own_walk *w, ir_ref v, ir_ref y, own_form form);

/* own_loop.c: columns of the grid of processes for f.  A loop, if processes share its steps or
 * what these take or make; else false. */
int pass_own_columns(const ir_graph *f, const pass_world *world);
bool pass_own_loop(own_walk *w, const ir_node *n);

/* own_examples.c: f without loops and conds that each example goes through in its own way, and
 * in which groups meet. */
cot_status pass_own_examples(const ir_graph *f, ir_graph **out);

/* own_begin.c: a hash, i64[], of those of n arguments that are compared between processes;
 * IR_NONE is left out.  prototype: of the call that reads one, or NULL. */
ir_ref pass_own_noted(ir_build *b, const char *prototype, int n, const ir_ref *x);

/* own_order.c: f with its messages begun as soon as they can be. */
cot_status pass_own_order(const ir_graph *f, const pass_world *world, ir_graph **out);

/* own_rows.c: does n pick whole rows of one value?  Then its result is noted, or made. */
bool pass_own_pick(own_walk *w, const ir_node *n);

#endif
