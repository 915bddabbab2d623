/* Memory with red zones: what a kernel writes, or reads, beside its buffers is seen.
 *
 * Every buffer lies between two zones of a pattern, which are compared after the call: that
 * finds writes, however far beside the buffer up to REDZONE_BYTES.  For reads, which leave no
 * trace, the buffer lies against a page that nobody may touch, at its end or at its beginning,
 * and the processor stops the program. */
#ifndef TESTS_REDZONE_H
#define TESTS_REDZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { REDZONE_BYTES = 4096 };

typedef enum redzone_kind {
    REDZONE_BOTH,   /* a zone on either side                                        */
    REDZONE_END,    /* a page behind the last byte, but for what the alignment wants */
    REDZONE_BEGIN,  /* a page before the first byte                                 */
} redzone_kind;

typedef struct redzone {
    unsigned char *map;     /* all of it */
    size_t mapped;
    unsigned char *lo, *hi; /* what may be touched */
    unsigned char *data;
    size_t n;
} redzone;

/* Not zero, not a number that programs like to store, and another one in each of 251 places. */
static inline unsigned char
redzone_pattern(const redzone *z, const unsigned char *at)
{
    return (unsigned char)((unsigned)((size_t)(at - z->lo) * 37 % 251) ^ 0xa5);
}

static inline void
redzone_paint(redzone *z)
{
    for (unsigned char *p = z->lo; p < z->hi; p++)
        if (p < z->data || p >= z->data + z->n)
            *p = redzone_pattern(z, p);
}

/* n bytes, which are not set, at a multiple of `align`, a power of two up to a page's size. */
static inline void *
redzone_new(redzone *z, size_t n, size_t align, redzone_kind kind)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE),
                 inner = (n + align + 2 * REDZONE_BYTES + page - 1) / page * page;

    z->mapped = inner + 2 * page;
    z->map = mmap(NULL, z->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (z->map == MAP_FAILED || mprotect(z->map, page, PROT_NONE) != 0 ||
        mprotect(z->map + page + inner, page, PROT_NONE) != 0)
        abort();
    z->n = n;
    z->lo = z->map + page;
    z->hi = z->lo + inner;
    z->data = kind == REDZONE_BEGIN ? z->lo
              : kind == REDZONE_END ? z->lo + (inner - n) / align * align
                                    : z->lo + (REDZONE_BYTES + align - 1) / align * align;
    redzone_paint(z);
    return z->data;
}

/* Are all bytes beside the buffer as they were?  If not, *at is the offset of the first of them
 * from the buffer's beginning: below 0, or at least its size. */
static inline bool
redzone_good(const redzone *z, ptrdiff_t *at)
{
    for (const unsigned char *p = z->lo; p < z->hi; p++) {
        if (p == z->data && z->n)
            p += z->n;
        if (p < z->hi && *p != redzone_pattern(z, p)) {
            *at = p - z->data;
            return false;
        }
    }
    return true;
}

static inline void
redzone_free(redzone *z)
{
    if (z->map)
        munmap(z->map, z->mapped);
    *z = (redzone){ 0 };
}

#endif
