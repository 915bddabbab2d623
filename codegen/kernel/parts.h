/* Long regions of a kernel that plans, partitioned into parts that may be functions.
 *
 * What a compiler does with a function takes longer than linearly in its size, and the entry of
 * a large program is one list of calls.  Little passes from one call to the next, as they hand
 * over memory.  A part is a range of statements whose values nothing behind it uses; what it
 * uses of values before it are its parameters. */
#ifndef CODEGEN_KERNEL_PARTS_H
#define CODEGEN_KERNEL_PARTS_H

#include "codegen/kernel/kernel.h"

/* Statements from ... to - 1 of a region; those between parts stay where they are. */
typedef struct cg_part {
    uint32_t from, to;
} cg_part;

/* What the parts of one kernel have in common. */
typedef struct cg_partition {
    const cg_kernel *k;
    ir_arena *arena;
    uint32_t *statement; /* of each value of the region in hand: 1 + where it is defined */
    uint32_t *uses,
        *met; /* of each value: by all instructions, by those of the region in hand */
    uint32_t *mark, marks; /* of each value, and then of each buffer: the last part it is in */
} cg_partition;

cg_partition *cg_partition_new(const cg_kernel *k, ir_arena *a);
/* Is the region so long that it is partitioned? */
bool cg_is_long(const cg_kernel *k, const cg_region *r);
/* The parts of a region, in order. */
uint32_t cg_partition_region(cg_partition *c, const cg_region *r, cg_part **out);

/* What a part uses, in the order in which it does: values from outside of it, constants among
 * them, and buffers. */
typedef struct cg_part_uses {
    uint32_t n_values, cap_values, n_buffers, cap_buffers;
    cg_val *value;
    uint32_t *buffer;
} cg_part_uses;

cg_part_uses cg_uses_of_part(cg_partition *c, const cg_region *r, cg_part p);

#endif
