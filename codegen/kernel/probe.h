/* Probes: calls of two C functions around the statements of a lowered module's plans, in this
 * process or, by their names, in a file. */
#ifndef CODEGEN_KERNEL_PROBE_H
#define CODEGEN_KERNEL_PROBE_H

#include "codegen/kernel/kernel.h"

/* enter(counter) runs before a statement, and leave(counter, what enter returned) after it,
 * unless the statement ends the call with a status. */
typedef struct cg_probe {
    int64_t (*enter)(const void *counter);
    void (*leave)(const void *counter, int64_t entered);
    /* The counter of a statement, in this process, or in a file a number from 1 on as a
     * pointer; NULL: it has no probe. */
    const void *(*counter)(void *user, const cg_module *m, const cg_insn *x);
    /* In a file: the function PREFIX_enter(number - 1), and PREFIX_leave; else NULL. */
    const char *prefix;
    void *user;
} cg_probe;

/* Puts probes around the calls, copies and foreign calls of all plans. */
void cg_probe_module(cg_module *m, const cg_probe *p);

#endif
