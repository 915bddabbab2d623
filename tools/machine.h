/* What this machine can do at most: the roofs of a roofline plot. */
#ifndef TOOLS_MACHINE_H
#define TOOLS_MACHINE_H

#include <stdint.h>

enum { MACHINE_LEVELS = 5 }; /* of memory at most: L1 to L4, and memory */

/* Each figure is that of one thread, and of as many as were asked for, together. */
typedef struct machine_level {
    char name[16];   /* "L1", "L2", ..., "memory" */
    int64_t bytes;   /* of the cache; of memory 0 */
    double speed[2]; /* bytes a second */
} machine_level;

typedef struct machine {
    int threads;
    double flops[2]; /* f32 operations a second; 0: not known */
    int n_levels;
    machine_level level[MACHINE_LEVELS]; /* the nearest first, the last is memory */
} machine;

/* Takes a second or less.  No level is known where memory is short. */
void machine_measure(machine *m, int threads);
/* The nearest level that holds so many bytes; NULL: none was measured. */
const machine_level *machine_level_of(const machine *m, int64_t bytes);

#endif
