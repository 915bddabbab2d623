/* Any text where the frontend takes one: the names of a tree and its parts, those of arguments
 * and results, an einsum's specification, a convolution's.  Either it means something, or it is
 * an error with a message.  The first byte says which. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cotrace/cotrace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add(in[0], in[1]);
}

static void
einsum(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_einsum(user, COT_VALUES(in[0], in[1]));
}

static void
conv(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_conv(in[0], in[1], .spec = user);
}

static cot_status
trace(cot_fn *f)
{
    const cot_graph *g;

    return cot_trace_fn(f, COT_TYPES(cot_f32(3, 2, 3, 3), cot_f32(3, 2, 3, 3)), &g);
}

/* A tree of the text, and its leaves by a text that follows a newline. */
static cot_status
tree(cot_context *ctx, char *text)
{
    char *second = strchr(text, '\n');
    int n;

    if (second)
        *second++ = '\0';
    cot_tree *t = cot_tree_new(ctx, text, 0);
    if (t && second) {
        (void)cot_tree_find(t, second, &n);
        (void)cot_tree_list(t, second);
    }
    return cot_error_status(ctx);
}

static cot_status
take(cot_context *ctx, int which, char *text)
{
    cot_fn *f = cot_fn_new(ctx, "f", body, 2, 1, NULL);

    switch (which) {
    case 0: return tree(ctx, text);
    case 1: return trace(cot_fn_named(f, text, NULL));
    case 2: return trace(cot_fn_named(f, NULL, text));
    case 3:
        return trace(cot_vmap(cot_fn_named(f, "a{b, c}", NULL), .in_dims = COT_NAMES(text)));
    case 4: return trace(cot_jacfwd(cot_fn_named(f, "x, y", NULL), .wrt = COT_NAMES(text)));
    case 5: return trace(cot_fn_new(ctx, "einsum", einsum, 2, 1, text));
    default: return trace(cot_fn_new(ctx, "conv", conv, 2, 1, text));
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    cot_context *ctx = cot_context_new(&(cot_options){ .verify = 1 });
    char *text = malloc(size); /* of its size, so that a byte too many is found */

    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    if (take(ctx, (data[0] - '0') % 7, text) != COT_OK && !*cot_error(ctx))
        abort();
    cot_context_free(ctx);
    free(text);
    return 0;
}
