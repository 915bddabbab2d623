/* Any bytes as an object file: it is linked, or it is refused.  What is linked is not
 * called. */
#include <stdint.h>
#include <stdlib.h>

#include "codegen/llvm/link.h"
#include "ir/context.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Names that begin with a letter after `b` are the process's. */
static const void *
find(void *user, const char *name)
{
    return *name > 'b' ? user : NULL;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cot_context *ctx = cot_context_new(NULL);
    const cg_object object[] = { { data, size }, { data, size } };
    cg_ll_image image;

    IR_TRY (ctx) {
        for (int n = 1; n <= 2; n++) {
            const bool good = cg_ll_link(&ctx->arena, n, object, "f", find, &image, &image);
            if (good != (image.base != NULL))
                abort();
            cg_ll_unlink(&image);
        }
    }
    cot_context_free(ctx);
    return 0;
}
