/* The fuzz target of a reader of arrays with names: any bytes are such a file, or a status with
 * a message.  Whoever includes this says which reader by READ. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_state s = { 0 };
    size_t sum = 0;

    if (READ(ctx, "input", data, size, &s) != COT_OK && !*cot_error(ctx))
        abort();
    for (int i = 0; i < s.n; i++) {
        const unsigned char *x = cot_array_read(s.at[i].array);
        sum += strlen(s.at[i].name);
        for (size_t k = 0; k < cot_array_bytes(s.at[i].array); k++)
            sum += x[k];
    }
    cot_state_free(&s);
    cot_context_free(ctx);
    return sum == SIZE_MAX;
}
