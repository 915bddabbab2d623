/* Spellings of the last version that still work.
 *
 * Each row is one function in the spelling of this version and in the old one: both give the
 * same graph.  tests/api/spellings.sh compiles this file without the first pragma and expects
 * the compiler's warning, with the new spelling, on each line that is marked `old`. */
#ifndef SPELLINGS_WARN
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cotrace/cotrace.h"

#define BODY(name, body)                                                                       \
    static void name(cot_trace *t, const cot_value *in, cot_value *out, void *user)            \
    {                                                                                          \
        (void)t, (void)user;                                                                   \
        body;                                                                                  \
    }

BODY(clip, out[0] = cot_clip(in[0], -1, 2))
BODY(clamp, out[0] = cot_clamp(-1, in[0], 2)) /* old: use cot_clip(x, low, high) */
BODY(view_at, out[0] = cot_view_at(in[0], 1, 0))
BODY(view_index, out[0] = cot_view_index(in[0], 0, 1)) /* old: use cot_view_at(x, i, axis) */
BODY(sliding, out[0] = cot_sliding_windows(in[0], 2, 1, .stride = 2, .dilation = 3))
BODY(windows, out[0] = cot_windows(in[0], 1, 2, 2, 3)) /* old: use cot_sliding_windows( */
BODY(sliding_plain, out[0] = cot_sliding_windows(in[0], 2, 1))
BODY(windows_plain, out[0] = cot_windows(in[0], 1, 2, 1, 1)) /* old: use cot_sliding_windows( */

static const struct {
    const char *name;
    cot_body *now, *old;
} rows[] = {
    { "clamp", clip, clamp },
    { "view_index", view_at, view_index },
    { "windows", sliding, windows },
    { "windows, plain", sliding_plain, windows_plain },
};

typedef struct text {
    char at[4096];
    size_t n;
} text;

static void
append(void *user, const char *s, size_t bytes)
{
    text *to = user;

    if (bytes >= sizeof to->at - to->n)
        bytes = sizeof to->at - to->n - 1;
    memcpy(to->at + to->n, s, bytes);
    to->at[to->n += bytes] = '\0';
}

static text
traced(cot_context *ctx, cot_body *body)
{
    cot_fn *f = cot_fn_new(ctx, "f", body, 1, 1, NULL);
    const cot_graph *g;
    text to = { .n = 0 };

    if (cot_trace_fn(f, COT_TYPES(cot_f32(4, 9)), &g) != COT_OK ||
        cot_dump_graph(g, append, &to) != COT_OK) {
        fprintf(stderr, "%s\n", cot_error(ctx));
        exit(1);
    }
    return to;
}

static void
scaled(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_mul(in[0], in[1]);
}

/* A call on arrays: 2 times 3, whose operands stood in another order. */
static bool
modules_agree(cot_context *ctx)
{
    double two = 2, three = 3;
    cot_array *w = cot_array_borrow(ctx, cot_f64(), &two);
    cot_array *x = cot_array_borrow(ctx, cot_f64(), &three), *y[2] = { NULL, NULL };
    cot_module *m = cot_module_new(ctx, .name = "scaled", .body = scaled, .params = "w",
                                   .inputs = "x", .results = "y");
    bool ok = cot_module_set(m, "w", w) == COT_OK &&
              cot_module_call(m, &y[0], 1, NULL, 0, &x, 1) == COT_OK;

    if (!ok)
        return false;
    ok = cot_functional_call(m, NULL, 0, &x, 1, &y[1], 1) == 0; /* old: use cot_module_call( */
    for (int i = 0; ok && i < 2; i++)
        ok = *(const double *)cot_array_read(y[i]) == 6;
    cot_array_free(w), cot_array_free(x), cot_array_free(y[0]), cot_array_free(y[1]);
    return ok;
}

int
main(void)
{
    cot_context *ctx = cot_context_new(NULL);
    int failed = !modules_agree(ctx);

    if (failed)
        fprintf(stderr, "functional_call: %s\n", cot_error(ctx));

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const text now = traced(ctx, rows[i].now), old = traced(ctx, rows[i].old);
        if (strcmp(now.at, old.at) != 0) {
            fprintf(stderr, "%s: the graphs differ:\n%s%s", rows[i].name, now.at, old.at);
            failed = 1;
        }
    }
    cot_context_free(ctx);
    return failed;
}
