// Spellings of the last version in C++: each compiles, warns, and gives what its successor
// gives.
#ifndef SPELLINGS_WARN
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
#include <cstdio>
#include <string>

#include "cotrace/cotrace.hpp"

#define BODY(name, body)                                                                       \
    static void name(cot_trace *, const cot_value *in, cot_value *out, void *)                 \
    {                                                                                          \
        out[0] = body;                                                                         \
    }

BODY(clip, cot::clip(in[0], -1, 2))
BODY(clamp, cot::clamp(-1, in[0], 2)) // old: use cot::clip(x, low, high)
BODY(view_at, cot::view_at(in[0], 1, 0))
BODY(view_index, cot::view_index(in[0], 0, 1)) // old: use cot::view_at(x, i, axis)
BODY(sliding, cot::sliding_windows(in[0], 2, 1))
BODY(windows, cot::windows(in[0], 1, 2)) // old: use cot::sliding_windows(

static void
append(void *user, const char *s, size_t bytes)
{
    static_cast<std::string *>(user)->append(s, bytes);
}

static std::string
traced(cot_context *ctx, cot_body *body)
{
    const cot::types types = {cot::type(COT_F32, {4, 9})};
    const cot_graph *g;
    std::string to;

    if (cot_trace_fn(cot::fn(ctx, "f", body, 1, 1), types.x, &g) != COT_OK ||
        cot_dump_graph(g, append, &to) != COT_OK)
        std::fprintf(stderr, "%s\n", cot_error(ctx));
    return to;
}

static bool
modules_agree()
{
    cot_array *y = nullptr;
    const cot_status now = cot::module_call(nullptr, &y, 1, {{"w", y}}, {});
    const cot_status then = cot::functional_call( // old: use cot::module_call(m, results
        nullptr, {{"w", y}}, {}, &y, 1);
    return now == then;
}

int
main()
{
    cot_context *ctx = cot_context_new(nullptr);
    const bool ok = traced(ctx, clip) == traced(ctx, clamp) &&
                    traced(ctx, view_at) == traced(ctx, view_index) &&
                    traced(ctx, sliding) == traced(ctx, windows) && modules_agree() &&
                    !traced(ctx, clip).empty();

    if (!ok)
        std::fprintf(stderr, "an old spelling gives another graph\n");
    cot_context_free(ctx);
    return ok ? 0 : 1;
}
