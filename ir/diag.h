/* Errors with source locations.  Every message is a row of errors.def. */
#ifndef IR_DIAG_H
#define IR_DIAG_H

#include <stdarg.h>

#include "cotrace/base.h"
#include "ir/loc.h"

typedef enum ir_error {
#define ERR(name, ...) ERR_##name,
#include "ir/errors.def"
#undef ERR
    ERR_COUNT
} ir_error;

/* Record an error, if none is recorded yet: "where: op: text".  op may be NULL.  The arguments
 * after op fill the row's format.  Returns the row's status, also when another error was
 * first. */
cot_status ir_fail(cot_context *ctx, ir_loc loc, const char *op, ir_error error, ...);
cot_status ir_fail_v(cot_context *ctx, ir_loc loc, const char *op, ir_error error, va_list ap);

#endif
