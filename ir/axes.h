/* Sets of axes as bit masks: axis k is bit k. */
#ifndef IR_AXES_H
#define IR_AXES_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t ir_axes;

static inline bool ir_axes_has(ir_axes s, int k) { return s >> k & 1; }
static inline ir_axes ir_axes_of(int k) { return (ir_axes)1 << k; }
static inline int ir_axes_count(ir_axes s) { return __builtin_popcountll(s); }

/* All of the axes 0 ... n-1. */
static inline ir_axes
ir_axes_below(int n)
{
    return n >= 64 ? ~(ir_axes)0 : ((ir_axes)1 << n) - 1;
}

/* Inserting an axis at k moves k and everything after it up by one. */
static inline ir_axes
ir_axes_open(ir_axes s, int k)
{
    ir_axes low = s & ir_axes_below(k);
    return low | (k < 63 ? (s & ~ir_axes_below(k)) << 1 : 0);
}

/* Removing axis k moves everything after it down by one. */
static inline ir_axes
ir_axes_close(ir_axes s, int k)
{
    ir_axes low = s & ir_axes_below(k);
    return low | (k < 63 ? s >> (k + 1) << k : 0);
}

static inline ir_axes ir_axes_shift(ir_axes s, int n) { return n >= 64 ? 0 : s << n; }

#endif
