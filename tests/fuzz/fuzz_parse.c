/* Any text: it parses to graphs that are valid and print to what parses to them again, or it is
 * an error with a message. */
#include <stdint.h>
#include <stdlib.h>

#include "ir/graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_back(cot_context *ctx, const ir_graph *f)
{
    ir_module again;
    ir_buf text;

    if (ir_verify(ctx, f, "parsing") != COT_OK)
        abort();
    ir_buf_init(&text, &ctx->arena);
    ir_print(&text, f, 0);
    if (ir_parse(ctx, "printed", text.text, text.n, &again) != COT_OK ||
        !ir_graph_equal(again.fn[again.n - 1], f))
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cot_context *ctx = cot_context_new(NULL);
    ir_module m;

    IR_TRY(ctx) {
        if (ir_parse(ctx, "input", (const char *)data, size, &m) == COT_OK)
            read_back(ctx, m.fn[m.n - 1]);
        else if (!*cot_error(ctx))
            abort();
    }
    cot_context_free(ctx);
    return 0;
}
