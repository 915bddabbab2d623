/* Loop rerolling: what reroll.c, reroll_find.c and reroll_match.c share.
 *
 * The nodes of a graph that have operands, in order, are a sequence; constants and other nodes
 * without operands have no place in it, and can be made anew anywhere. */
#ifndef PASSES_REROLL_H
#define PASSES_REROLL_H

#include "passes/engine.h"

enum {
    REROLL_NOWHERE = UINT32_MAX,
    REROLL_MAX_LAG = 8, /* steps back */
    /* of a loop, that do more than move elements: fewer are compiled in less time than a loop
     * may lose in its runs */
    REROLL_MIN_NODES = 2048
};

typedef struct reroll_sequence {
    const ir_graph *f;
    ir_arena *a;
    uint32_t n;
    const uint32_t *node; /* by place in the sequence: the number of the node */
    uint32_t *place;      /* by node: its place, or REROLL_NOWHERE */
    uint64_t *kind;       /* by place: equal for nodes that may be one in several steps */
    uint32_t *work; /* by place: how many nodes before it do more than move elements */
    bool eager;           /* loops of any length: for tests */
} reroll_sequence;

/* Places that repeat: `count` from `first` on, each of the kind of what is `period` further. */
typedef struct reroll_run {
    uint32_t first, period, count;
} reroll_run;
static inline uint32_t
reroll_steps(const reroll_run *r)
{
    return r->count / r->period;
}

/* What the body of a loop takes from the outside. */
typedef enum reroll_from {
    REROLL_STEP,   /* nothing: the operand is made in the same step */
    REROLL_CARRY,  /* a value of the step before */
    REROLL_SAME,   /* the same value in all steps */
    REROLL_NUMBER, /* an integer that grows by as much in each step: a carry, too */
    REROLL_ROW     /* row t of an array, in step t */
} reroll_from;

typedef struct reroll_operand {
    reroll_from from;
    uint32_t at; /* of STEP: the value of the step; else the carry, value or row */
} reroll_operand;

/* A carry is what value `of` of the step was in the step before, or what another carry,
 * `behind`, was. */
typedef struct reroll_carry {
    ir_ref start;
    uint32_t of;
    int behind; /* -1: the value itself */
} reroll_carry;

/* start + step * t, as a scalar of the type. */
typedef struct reroll_number {
    const ir_type *type;
    int64_t start, step;
} reroll_number;

/* The rows 0, 1, ... of constants, or row start + step * t of what another loop makes, or of an
 * array. */
typedef enum reroll_rows { REROLL_CONSTANTS, REROLL_OF_LOOP, REROLL_OF_ARRAY } reroll_rows;
typedef struct reroll_row {
    reroll_rows kind;
    const ir_type *type;  /* of a row */
    const ir_ref *value;  /* of constants: one for each step */
    ir_ref array;         /* of an array */
    uint32_t loop, of;    /* of a loop: its number, and the value of its steps */
    int64_t start, step;
    int number; /* the row is read at this number, by the step; -1: the scan hands it out */
} reroll_row;

/* An op whose attributes name a place that moves from step to step: a slice, or a pad. */
typedef struct reroll_moving {
    int row;                 /* the slice is this row of its operand; -1: it is not */
    const uint32_t *number;  /* else by axis: the number that is the first index there */
} reroll_moving;

typedef struct reroll_loop {
    reroll_run run;
    uint32_t n_values;         /* results of the nodes of a step */
    const uint32_t *value;     /* by node of the step: the first of its results among these */
    const uint32_t *in;        /* by node of the step: the first of its operands */
    reroll_operand *operand;
    reroll_moving **moving;    /* by node of the step; NULL: it is the same in all steps */
    reroll_row *row;
    reroll_carry *carry;
    reroll_number *number;
    ir_ref *same;
    uint32_t n_row, cap_row, n_carry, cap_carry, n_number, cap_number, n_same, cap_same;
    /* by value of the step, and by how many steps it is made before the last one: one more than
     * the carry that holds it at the end, or 0 */
    uint32_t *end;
    /* by value of the step: is the one of the last step used behind the loop, and that of
     * another? */
    bool *last, *all;
} reroll_loop;

/* The runs that are worth a loop, apart from each other, in order. */
uint32_t pass_reroll_find(const reroll_sequence *s, reroll_run **out);
bool pass_reroll_is_worth_it(const reroll_sequence *s, const reroll_run *r);

/* The loop of a run, perhaps of fewer steps; false: there is none.  loop_of, by place: one more
 * than the loop that is already there, or 0. */
bool pass_reroll_match(const reroll_sequence *s, const reroll_run *r, const uint32_t *loop_of,
                       const reroll_loop *loops, reroll_loop *out);

/* What a loop gives. */
typedef struct reroll_results {
    ir_ref *at; /* the results of the scan */
    int *last; /* by value of the step: the result that it is at the end; -1: none */
    ir_ref *all; /* by value of the step: its rows, if they are used */
    uint32_t *end, *rows; /* values of the step: of carries that no step reads; of rows */
    int n_end, n_rows;
    bool reverse; /* row 0 is that of the last step */
} reroll_results;

typedef struct rerolling {
    reroll_sequence s;
    ir_build *b;
    ir_ref *env; /* by value of the graph: what it is in the new one, if it is made */
    reroll_loop *loop;
    uint32_t n_loops;
    uint32_t *loop_of; /* by place: one more than its loop; 0: none */
    reroll_results *of; /* by loop, once it is made */
} rerolling;

/* What stands for value v of the graph, which is made if it is not yet. */
ir_ref pass_reroll_value_of(rerolling *w, ir_ref v);
/* Make the scan of a loop. */
void pass_reroll_make(rerolling *w, uint32_t loop);

/* The place of what defines v; REROLL_NOWHERE: an input, or a constant. */
static inline uint32_t
reroll_place(const reroll_sequence *s, ir_ref v)
{
    const uint32_t n = s->f->value[v].node;

    return n ? s->place[n] : REROLL_NOWHERE;
}

static inline const ir_node *
reroll_node(const reroll_sequence *s, uint32_t place)
{
    return &s->f->node[s->node[place]];
}

/* The step and the value of it that v is, which is made within the loop. */
static inline uint32_t
reroll_value(const reroll_sequence *s, const reroll_loop *l, ir_ref v, uint32_t *step)
{
    const uint32_t k = reroll_place(s, v) - l->run.first;

    *step = k / l->run.period;
    return l->value[k % l->run.period] + (v - ir_def(s->f, v)->first);
}

/* One more than the carry that holds a value of a step when the loop ends; 0: none. */
static inline uint32_t
reroll_end(const reroll_loop *l, uint32_t value, uint32_t step)
{
    const uint32_t back = reroll_steps(&l->run) - 1 - step;

    return back < REROLL_MAX_LAG ? l->end[value * REROLL_MAX_LAG + back] : 0;
}

#endif
