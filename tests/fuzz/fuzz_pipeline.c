/* Any text: it is a pipeline, whose result is a valid graph, or it is an error with a message.
 * Pipelines of many passes are read, and run no further. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "passes/pass.h"

enum { LONGEST = 3 };

static const char program[] = "fn @f(%x: f32[2,3], %w: f32[3]) -> f32[] {\n"
                              "  %0 = broadcast_in_dim %w {dims=[1], shape=[2,3]} : f32[2,3]\n"
                              "  %1 = mul %x, %0 : f32[2,3]\n"
                              "  %2 = sin %1 : f32[2,3]\n"
                              "  %3 = reduce_sum %2 {axes=[0,1]} : f32[]\n"
                              "  ret %3\n"
                              "}\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static cot_status
run(cot_context *ctx, const char *text, ir_graph **out)
{
    const pass_step *step;
    ir_module m;
    int n;

    if (ir_parse(ctx, "program", program, sizeof program - 1, &m) != COT_OK)
        abort();
    *out = m.fn[0];
    COT_TRY(pass_parse(ctx, 0, text, &n, &step));
    return n > LONGEST ? COT_OK : pass_pipeline(m.fn[0], text, NULL, NULL, out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cot_context *ctx = cot_context_new(NULL);
    char *text = malloc(size + 1); /* of its size, so that a byte too many is found */

    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    IR_TRY(ctx) {
        ir_graph *f;
        if (run(ctx, text, &f) != COT_OK ? !*cot_error(ctx)
                                         : ir_verify(ctx, f, "a pipeline") != COT_OK)
            abort();
    }
    free(text);
    cot_context_free(ctx);
    return 0;
}
