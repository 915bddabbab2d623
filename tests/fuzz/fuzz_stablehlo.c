/* Any text: it imports to a graph that is valid, or it is an error with a message; and nothing
 * else. */
#include <stdint.h>
#include <stdlib.h>

#include "cotrace/stablehlo.h"
#include "frontend/stablehlo/import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cot_context *ctx = cot_context_new(NULL);
    char *text = malloc(size ? size : 1); /* of its size, so that a byte too many is found */
    fe_hlo_checks checks;
    ir_graph *f = NULL;

    for (size_t i = 0; i < size; i++)
        text[i] = (char)data[i];
    const fe_hlo_source source = { "input.mlir", text, 0, size };
    if (fe_hlo_import(ctx, &source, NULL, &(fe_hlo_extra){ .checks = &checks }, &f) == COT_OK) {
        free(text); /* the graph needs it no more */
        if (ir_verify(ctx, f, "import") != COT_OK)
            abort();
    } else {
        free(text);
        if (f || !*cot_error(ctx))
            abort();
    }
    cot_context_free(ctx);
    return 0;
}
