/* An allocator that counts, for tests of how memory grows. */
#ifndef TESTS_UNIT_METER_H
#define TESTS_UNIT_METER_H

#include <stdlib.h>

/* What is alive, what was alive at the most, and what was asked for in all, which stands for
 * the work. */
typedef struct meter {
    size_t live, most, all;
} meter;

/* For cot_options.alloc.  The size of a piece lies before it. */
static inline void *
metered(void *user, void *old, size_t bytes)
{
    meter *m = user;
    size_t *p = old ? (size_t *)old - 2 : NULL;

    m->live -= p ? p[0] : 0;
    if (bytes == 0) {
        free(p);
        return NULL;
    }
    if ((p = realloc(p, bytes + 2 * sizeof *p)) == NULL)
        return NULL;
    p[0] = bytes;
    m->live += bytes;
    m->all += bytes;
    m->most = m->live > m->most ? m->live : m->most;
    return p + 2;
}

#endif
