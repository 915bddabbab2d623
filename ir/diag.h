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
/* Records the error that argument `what` of a public function is NULL: COT_ERR_ARG.  ctx may be
 * NULL, and then the error is only returned.  The function may be called where no recovery
 * point is set. */
cot_status ir_fail_null(cot_context *ctx, const char *op, const char *what);
/* Records the system's reason why a file could not be read or written: COT_ERR_MEMORY for
 * ENOMEM, else COT_ERR_IO. */
cot_status ir_fail_io(cot_context *ctx, const char *path, int error);
cot_status ir_fail_v(cot_context *ctx, ir_loc loc, const char *op, ir_error error, va_list ap);

#endif
