/* Sets of elements whose cotangent matters, in a graph that is being transposed (lanes.c). */
#ifndef PASSES_LANES_H
#define PASSES_LANES_H

#include "passes/engine.h"

/* A set of elements of a value is a number; PASS_LANES_ALL is the set of all elements. */
enum { PASS_LANES_ALL = 0 };

typedef struct lanes_set {
    ir_ref in; /* bool, of the value's shape: is the element in the set? */
    ir_ref p;  /* the predicate of the select, if the set is one of its sides */
    int whole; /* in that case, the set of the select's result */
    bool yes;  /* the side where p holds, or where it does not */
} lanes_set;

typedef struct lanes {
    ir_build *b;
    lanes_set *set;
    uint32_t n, cap;
} lanes;

void pass_lanes_begin(lanes *l, ir_build *b);
/* The set of the elements for which `in` (bool) holds; IR_NONE: all. pass_lanes_in is the
 * inverse. */
int pass_lanes_of(lanes *l, ir_ref in);
ir_ref pass_lanes_in(const lanes *l, int set);
/* The elements of `whole` where p is `yes`. */
int pass_lanes_side(lanes *l, int whole, ir_ref p, bool yes);
/* The union of two sets. */
int pass_lanes_union(lanes *l, int s, int t);
/* For a node n that moves or sums elements: the set of those elements of its operand that
 * contribute to the elements `of` its result.  For other nodes, all elements. */
int pass_lanes_before(lanes *l, const ir_graph *f, const ir_node *n, int of);
/* x for elements of the set, 1 for others. */
ir_ref pass_lanes_guard(lanes *l, int set, ir_ref x);

#endif
