/* A row of the tables of linalg_functions.h and sugar_functions.h. */
#ifndef PEERS_FUNCTIONS_H
#define PEERS_FUNCTIONS_H

#include "cotrace/cotrace.h"

typedef void function(cot_trace *t, const cot_value *x, cot_value *y, double k);

typedef struct function_row {
    const char *name;
    function *call;
    int n_in, n_out;            /* arguments, results */
} function_row;

#endif
