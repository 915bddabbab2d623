/* Reads kernel text into a module and verifies it: this is the only way to make a module from
 * text. */
#include "codegen/kernel/kernel.h"

cot_status
cg_module_read(cot_context *ctx, ir_arena *a, const char *file, const char *text, size_t bytes,
               cg_module **out)
{
    cg_module *m;

    *out = NULL;
    COT_TRY(cg_module_parse(ctx, a, file, text, bytes, &m));
    COT_TRY(cg_verify_or_serial(m));
    *out = m;
    return COT_OK;
}
