/* Any text: it reads as kernels that are verified and print to a text that reads as the same,
 * or it is an error with a message. */
#include <stdint.h>
#include <stdlib.h>

#include "codegen/kernel/kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_back(cot_context *ctx, const cg_module *m)
{
    cg_module *again;
    ir_buf text, second;

    ir_buf_init(&text, &ctx->arena);
    ir_buf_init(&second, &ctx->arena);
    cg_module_print(&text, m);
    if (cg_module_read(ctx, &ctx->arena, "printed", text.text, text.n, &again) != COT_OK)
        abort();
    cg_module_print(&second, again);
    if (strcmp(text.text, second.text) != 0)
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cot_context *ctx = cot_context_new(NULL);
    cg_module *m;

    IR_TRY(ctx) {
        if (cg_module_read(ctx, &ctx->arena, "input", (const char *)data, size, &m) == COT_OK)
            read_back(ctx, m);
        else if (!*cot_error(ctx))
            abort();
    }
    cot_context_free(ctx);
    return 0;
}
