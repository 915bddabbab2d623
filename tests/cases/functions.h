/* The functions that a case.json describes. */
#ifndef TESTS_CASES_FUNCTIONS_H
#define TESTS_CASES_FUNCTIONS_H

#include <jansson.h>

#include "cotrace/cotrace.h"

typedef struct run_case {
    const char *folder, *name; /* the folder of the case */
    cot_context *ctx;
    const json_t *about;       /* case.json */
    char why[512];             /* the first thing that went wrong; empty: nothing */
    int n_bodies;
    void *bodies[64];          /* freed with the case */
} run_case;

/* Note what went wrong, unless something did before; always NULL. */
void *case_wrong(run_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The function that the case runs, all transforms applied; NULL with the reason noted. */
cot_fn *case_function(run_case *c);

#endif
