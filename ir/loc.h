/* Where a node comes from.
 *
 * A location is an id into a table of the context: a file and line, or a derivation from
 * another location ("in grad", "in vmap", "in call of f").  It prints as `model.c:41, in grad,
 * in vmap`.
 *
 * While values are followed through passes (ir/follow.h) there are two more kinds, which print
 * as the location that they come from: a mark, which names one node of one graph, and a join,
 * which a node has that stands for nodes of several locations. */
#ifndef IR_LOC_H
#define IR_LOC_H

#include <stdbool.h>
#include <stdint.h>

struct cot_context;
struct ir_buf;

typedef uint32_t ir_loc;                /* 0: unknown */

typedef struct ir_loc_entry {
    const char *file;                   /* interned; NULL for a derivation          */
    int line;
    ir_loc from;                        /* derived: the location it comes from      */
    const char *how;                    /* derived: "in grad"; interned             */
    uint32_t mark; /* a mark: its number; else 0               */
    ir_loc also, more; /* a join: one more location, and the join of the others or 0 */
} ir_loc_entry;

typedef struct ir_loc_table {
    ir_loc_entry *entry;
    uint32_t n, cap;
    struct ir_map *index;
} ir_loc_table;

ir_loc ir_loc_file(struct cot_context *ctx, const char *file, int line);
ir_loc ir_loc_derive(struct cot_context *ctx, ir_loc from, const char *how);
/* A new location, which differs from every other one: that of the node numbered `mark`, which
 * came from `from` (0: from nowhere). */
ir_loc ir_loc_mark(struct cot_context *ctx, ir_loc from, uint32_t mark);
/* The location of a node that stands for one at `loc` and for one at `also`; it prints as loc
 * does. */
ir_loc ir_loc_join(struct cot_context *ctx, ir_loc loc, ir_loc also);
/* The location without marks and joins, which a node has that nobody follows. */
ir_loc ir_loc_plain(struct cot_context *ctx, ir_loc loc);
/* Does a mark lie on the way to the root? */
bool ir_loc_is_marked(const struct cot_context *ctx, ir_loc loc);
/* Calls visit for each mark that loc comes from, without the marks behind those; a mark may be
 * visited several times. */
typedef void ir_loc_visit(void *user, uint32_t mark);
void ir_loc_each_mark(const struct cot_context *ctx, ir_loc loc, ir_loc_visit *visit,
                      void *user);
const ir_loc_entry *ir_loc_at(const struct cot_context *ctx, ir_loc loc);
/* The file and line at the root of a location; NULL and 0 when unknown. */
const char *ir_loc_root(const struct cot_context *ctx, ir_loc loc, int *line);
void ir_loc_print(const struct cot_context *ctx, ir_loc loc, struct ir_buf *b);

#endif
