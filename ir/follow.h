/* Following values through passes: which nodes of a graph made which nodes of the next one.
 *
 * Passes keep the locations of what they copy, and give what they add the location of the node
 * that it is added for.  So if each node of a graph has a location of its own, a mark, then the
 * marks on the way to the root of a later node's location are the nodes that it came from.
 *
 * While cot_context.follow is set, each stage of the passes (pass_follow) gives its graph to
 * `stage`, which may put a marked copy in its place; the builder keeps both locations where it
 * makes two nodes one, and inputs have locations, too.  Nothing else depends on it: graphs and
 * kernels are the same as without. */
#ifndef IR_FOLLOW_H
#define IR_FOLLOW_H

#include "ir/graph.h"

typedef struct ir_follow {
    /* *g was made from `from`, or NULL; part: by one of the steps of a pass, whose result is
     * a later stage */
    cot_status (*stage)(void *user, const char *name, bool part, const ir_graph *from,
                        ir_graph **g);
    void *user;
    /* Results of passes (passes/memo.c) while this follows: those of a graph and of its copies
     * are one list, and no later walk finds them. */
    ir_map lists;
    struct ir_follow_list {
        const ir_graph *original;
        struct pass_made *made;
    } *list;
    uint32_t n_lists, cap_lists;
} ir_follow;

/* Begins to follow: the results of passes are kept in the arena. */
void ir_follow_begin(ir_follow *follow, cot_context *ctx, ir_arena *arena);
/* The list of results for f and its copies. */
struct pass_made **ir_follow_made(ir_follow *follow, const ir_graph *f);

/* A copy of f, with its sub-functions except those of custom functions, in which each input and
 * each node has a mark: the numbers from *next on, graph by graph, inputs first; *next becomes
 * the first number that is free.  all: the graphs of the copy, f's first, in the order of the
 * marks; returns their number. */
uint32_t ir_follow_mark(const ir_graph *f, uint32_t *next, ir_graph *const **all);

#endif
