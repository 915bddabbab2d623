/* Functions with open sizes by the reference evaluator, which has no kernel: the graph of each
 * size that is called is traced and prepared once, and kept. */
#include "passes/pass.h"
#include "runtime/open/open.h"

static const ir_graph *
known_at(const rt_open *o, const int64_t *size)
{
    const size_t bytes = sizeof *size * (size_t)o->sizes->n;

    for (uint32_t i = 0; i < o->n_prepared; i++)
        if (memcmp(o->prepared[i].size, size, bytes) == 0)
            return o->prepared[i].f;
    return NULL;
}

cot_status
rt_open_graph_at(rt_open *o, const int64_t *size, const ir_graph **out)
{
    rt_open_prepared at = { .f = known_at(o, size) };
    const cot_graph *traced;
    ir_graph *prepared;

    if (!at.f) {
        COT_TRY(o->source.graph(o->source.user, &o->arena, size, &traced));
        COT_TRY(pass_prepare(traced, &prepared));
        at.f = prepared;
        memcpy(at.size, size, sizeof *size * (size_t)o->sizes->n);
        IR_PUSH(&o->arena, o->prepared, o->n_prepared, o->cap_prepared, at);
    }
    *out = at.f;
    return COT_OK;
}
