/* Lanes: where the cotangent of a value counts, in a graph that is transposed (lanes.c). */
#ifndef PASSES_LANES_H
#define PASSES_LANES_H

#include "passes/engine.h"

/* Sets of the elements of a value, by number; PASS_LANES_ALL is every element. */
enum { PASS_LANES_ALL = 0 };

typedef struct lanes_set {
    ir_ref in;          /* bool, of the value's shape: true for an element of the set */
    ir_ref p;           /* the select's predicate, if the set is a side of one        */
    int whole;          /* and the set that this is a side of                         */
    bool yes;           /* where p holds, or where it does not                        */
} lanes_set;

typedef struct lanes {
    ir_build *b;
    lanes_set *set;
    uint32_t n, cap;
} lanes;

void pass_lanes_begin(lanes *l, ir_build *b);
/* The set of the elements where a value of bool holds, and the value; IR_NONE: all of them. */
int pass_lanes_of(lanes *l, ir_ref in);
ir_ref pass_lanes_in(const lanes *l, int set);
/* The elements of `whole` where p is `yes`. */
int pass_lanes_side(lanes *l, int whole, ir_ref p, bool yes);
/* The elements of either set. */
int pass_lanes_union(lanes *l, int s, int t);
/* Those of the operand of n, a node of f that moves or sums elements, that reach the elements
 * `of` its result; every element where n is another op. */
int pass_lanes_before(lanes *l, const ir_graph *f, const ir_node *n, int of);
/* x on the set, 1 elsewhere. */
ir_ref pass_lanes_guard(lanes *l, int set, ir_ref x);

#endif
