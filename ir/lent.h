/* Arenas that a context lends: to builders, whose graphs keep them, and for a while. */
#ifndef IR_LENT_H
#define IR_LENT_H

#include "ir/context.h"

/* An arena of the context, until it is given back or kept. */
ir_arena *ir_arena_take(cot_context *ctx);
/* It is empty again, and taken again later. */
void ir_arena_give(ir_arena *a);
/* It lives as long as the context, unless it is given back. */
void ir_arena_keep(ir_arena *a);
/* Gives back what was taken in the public call at hand and neither given back nor kept: what a
 * call leaves that fails. */
void ir_arena_recall(cot_context *ctx);
/* Frees the arenas that were given back; called when the context ends. */
void ir_arena_free_lendable(cot_context *ctx);

#endif
