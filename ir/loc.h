/* Where a node comes from.
 *
 * A location is an id into a table of the context: a file and line, or a derivation from
 * another location ("in grad", "in vmap", "in call of f").  It prints as `model.c:41, in grad,
 * in vmap`. */
#ifndef IR_LOC_H
#define IR_LOC_H

#include <stdint.h>

struct cot_context;
struct ir_buf;

typedef uint32_t ir_loc;                /* 0: unknown */

typedef struct ir_loc_entry {
    const char *file;                   /* interned; NULL for a derivation          */
    int line;
    ir_loc from;                        /* derived: the location it comes from      */
    const char *how;                    /* derived: "in grad"; interned             */
} ir_loc_entry;

typedef struct ir_loc_table {
    ir_loc_entry *entry;
    uint32_t n, cap;
    struct ir_map *index;
} ir_loc_table;

ir_loc ir_loc_file(struct cot_context *ctx, const char *file, int line);
ir_loc ir_loc_derive(struct cot_context *ctx, ir_loc from, const char *how);
const ir_loc_entry *ir_loc_at(const struct cot_context *ctx, ir_loc loc);
/* The file and line at the root of a location; NULL and 0 when unknown. */
const char *ir_loc_root(const struct cot_context *ctx, ir_loc loc, int *line);
void ir_loc_print(const struct cot_context *ctx, ir_loc loc, struct ir_buf *b);

#endif
