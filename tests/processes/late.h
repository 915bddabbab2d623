/* A communicator that begins messages, around one that does not (late.c). */
#ifndef TESTS_PROCESSES_LATE_H
#define TESTS_PROCESSES_LATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cotrace/comm.h"

enum { LATE_MESSAGES = 256 };

typedef struct late_message {
    int partner;
    int64_t number;
    const void *send;
    void *receive, *copy; /* of what is sent */
    size_t sends, receives;
    bool passed; /* to the other communicator */
} late_message;

typedef struct late {
    const cot_comm *of;
    int n, most; /* messages that are not waited for; how many there were at one time */
    int64_t next; /* number */
    bool changed; /* what is sent has changed while it was on its way */
    late_message message[LATE_MESSAGES];
} late;

cot_comm late_comm(late *w, const cot_comm *of);
/* Has all been waited for, and has nothing changed? */
bool late_ended(const late *w);

#endif
