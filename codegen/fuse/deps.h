/* Which groups of a fusion plan wait for which. */
#ifndef CODEGEN_FUSE_DEPS_H
#define CODEGEN_FUSE_DEPS_H

#include <stdbool.h>

#include "ir/arena.h"

#define CG_NO_GROUP UINT32_MAX

/* A group, or CG_NO_GROUP, waits for another, `on`: an element of two lists. */
typedef struct cg_dep {
    uint32_t group, on;
    uint32_t next_on, next_group; /* of what the group waits for; of what waits for `on` */
} cg_dep;

typedef struct cg_deps_group {
    uint32_t on, group; /* the first of each list; 0: none           */
    uint32_t place; /* in an order where groups follow what they wait for */
    uint32_t met; /* by the search of that number               */
} cg_deps_group;

typedef struct cg_deps {
    ir_arena *arena, *scratch;
    cg_deps_group *of;
    uint32_t n, cap;
    cg_dep *dep; /* from 1 on */
    uint32_t n_deps, cap_deps;
    uint32_t *found, n_found, cap_found, search; /* what a search goes through */
} cg_deps;

void cg_deps_init(cg_deps *d, ir_arena *a, ir_arena *scratch);
/* One more group, which waits for none. */
void cg_deps_push(cg_deps *d);
/* Group g waits for group x, which does not wait for g. */
void cg_deps_add(cg_deps *d, uint32_t g, uint32_t x);
/* Group g waits for none any more. */
void cg_deps_clear(cg_deps *d, uint32_t g);
/* Does g wait for x, perhaps through others?  Where that takes long to find out, it does. */
bool cg_deps_wait(cg_deps *d, uint32_t g, uint32_t x);
/* The same, through at least one other group. */
bool cg_deps_wait_through(cg_deps *d, uint32_t g, uint32_t x);
/* Is the distance of two groups in the order too large to test whether they may be one? */
bool cg_deps_are_far(const cg_deps *d, uint32_t g, uint32_t x);

#endif
