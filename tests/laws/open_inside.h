/* What the parts of law_open share: a program with open axes, run here or elsewhere. */
#ifndef TESTS_LAWS_OPEN_INSIDE_H
#define TESTS_LAWS_OPEN_INSIDE_H

#include "cotrace/cotrace.h"
#include "ir/array.h"
#include "runtime/open/open.h"
#include "tests/laws/classes.h"
#include "tests/laws/machine.h"

enum { OPEN_VALUES = 16 };

/* Which axes are open: both, or one of them. */
typedef enum open_which { BOTH, N_ALONE, M_ALONE } open_which;

typedef struct open_program {
    cot_context *ctx;
    int row;
    cot_dtype type;
    open_which open;
    cot_kernel *kernel; /* of this process */
    rt_open *opened; /* of a file */
} open_program;

/* Report a difference at the sizes of c. */
void open_wrong(const open_program *p, const class_program *c, const char *why);

/* open_there.c: lower a program for a machine; add a call of it at the sizes of c; make its
 * file and all calls, which compares them with the kernels for their sizes. */
cot_status open_there_lower(open_program *p, const machine *to, const rt_open_source *source,
                            rt_sizes *sizes);
void open_there_add(const open_program *p, const class_program *c, const int64_t *size);
void open_there_run(open_program *p);

/* Calls that were made there; those at which an emulator failed itself. */
extern int open_there_calls, open_there_left_out;

#endif
