/* Dependences between the groups of a fusion plan. */
#ifndef CODEGEN_FUSE_DEPS_H
#define CODEGEN_FUSE_DEPS_H

#include <stdbool.h>

#include "ir/arena.h"

#define CG_NO_GROUP UINT32_MAX

/* `group` waits for `on`.  The record is an element of two lists.  `group` is CG_NO_GROUP in a
 * dependence that was removed. */
typedef struct cg_dep {
    uint32_t group, on;
    /* next in the list of what the group waits for; next in the list of groups that wait for
     * `on` */
    uint32_t next_on, next_group;
} cg_dep;

typedef struct cg_deps_group {
    /* heads of the lists of what it waits for, and of what waits for it; 0: empty */
    uint32_t on, group;
    uint32_t position; /* its position in a topological order */
    uint32_t visited; /* number of the last search that visited it */
} cg_deps_group;

typedef struct cg_deps {
    ir_arena *arena, *scratch;
    cg_deps_group *of;
    uint32_t n, cap;
    cg_dep *dep; /* index 0 is unused */
    uint32_t n_deps, cap_deps;
    /* groups that the current search has found, and its number */
    uint32_t *found, n_found, cap_found, search;
} cg_deps;

void cg_deps_init(cg_deps *d, ir_arena *a, ir_arena *scratch);
/* Add a group without dependences. */
void cg_deps_push(cg_deps *d);
/* Let group g wait for group x. x must not wait for g. */
void cg_deps_add(cg_deps *d, uint32_t g, uint32_t x);
/* Remove all dependences of group g on others. */
void cg_deps_clear(cg_deps *d, uint32_t g);
/* Does g wait for x, directly or through other groups?  The search looks at a bounded number of
 * dependences and then answers true, which only prevents a fusion. */
bool cg_deps_wait(cg_deps *d, uint32_t g, uint32_t x);
/* The same, through at least one other group. */
bool cg_deps_wait_through(cg_deps *d, uint32_t g, uint32_t x);
/* Are the two groups so far apart in the order that the searches for merging them would take
 * too long? */
bool cg_deps_are_far(const cg_deps *d, uint32_t g, uint32_t x);

#endif
