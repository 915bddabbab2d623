/* The profiles of a context, inside: single runs, and the file. */
#ifndef RUNTIME_EVENTS_H
#define RUNTIME_EVENTS_H

#include <stdio.h>

#include "runtime/profile.h"

enum { RT_EVENTS = 1 << 16 };

typedef struct rt_event {
    const rt_counter *of;
    int64_t from, to; /* on the processor's clock */
    uint64_t thread;
} rt_event;

typedef struct rt_profiles {
    cot_context *ctx;
    FILE *file; /* NULL: there is none, and no event is kept */
    rt_event *event;
    _Atomic int64_t n_events; /* of which the first RT_EVENTS are kept */
    int64_t own; /* ticks that pass between enter and leave alone */
    int64_t began; /* on the processor's clock, and in seconds */
    double began_at;
    rt_profile *first, **last;
} rt_profiles;

/* The context's, made on first use. */
rt_profiles *rt_profiles_of(cot_context *ctx);
/* Puts probes into a module, and makes the rows that they fill. */
rt_profile *rt_profile_module(cot_context *ctx, cg_module *m);
/* A pool, in the arena of the context, that counts what the threads of another one work for the
 * kernel that shares a loop among them. */
cot_parallel *rt_profile_pool(rt_profile *p, cot_parallel *inner, int threads);
/* Seconds of a tick. */
double rt_profiles_scale(const rt_profiles *all);

#endif
