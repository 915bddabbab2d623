/* The plans' memory: each buffer, the steps in which it lives, its place in the work block, and
 * the values that it holds. */
#include "codegen/kernel/text.h"
#include "runtime/explore/explore.h"

/* The values of one buffer as a list: by buffer its last one, by value the one before. */
typedef struct held {
    uint32_t *last, *before;
    const cg_record_span **span; /* by buffer */
} held;

static held
find_held(const rt_exploring *x, const cg_kernel *plan)
{
    const cg_record *r = &x->record;
    held h = { IR_NEW_N(x->arena, uint32_t, plan->n_buffers + 1),
               IR_NEW_N(x->arena, uint32_t, r->n_values + 1),
               IR_NEW_N(x->arena, const cg_record_span *, plan->n_buffers + 1) };

    for (uint32_t i = 0; i < r->n_values; i++) {
        const cg_record_value *v = &r->value[i];

        if (v->plan != plan)
            continue;
        h.before[i + 1] = h.last[v->buffer];
        h.last[v->buffer] = i + 1;
    }
    for (uint32_t i = 0; i < r->n_spans; i++)
        if (r->span[i].plan == plan)
            h.span[r->span[i].buffer] = &r->span[i];
    return h;
}

static void
write_values(const rt_exploring *x, ir_buf *b, const held *h, uint32_t buffer)
{
    bool first = true;

    ir_buf_str(b, ",\"values\":[");
    for (uint32_t i = h->last[buffer]; i; i = h->before[i]) {
        const cg_record_value *v = &x->record.value[i - 1];
        const uint32_t number = rt_explore_number(x, v->loc);

        if (!number)
            continue;
        rt_json_next(b, &first);
        ir_buf_printf(b, v->result ? "[%u,%d]" : "%u", number, v->result);
    }
    ir_buf_str(b, "]");
}

static void
write_buffer(const rt_exploring *x, ir_buf *b, const held *h, const cg_kernel *plan, uint32_t i,
             const char *name)
{
    const cg_buffer *y = &plan->buffer[i];
    bool first = true;

    ir_buf_str(b, "{");
    rt_json_text(b, &first, "name", name);
    rt_json_text(b, &first, "type", cot_dtype_name(y->type));
    rt_json_text(b, &first, "space", cg_space_name[y->space]);
    rt_json_number(b, &first, "bytes", (double)y->elements * (double)cot_dtype_size(y->type));
    if (y->space == CG_WORK)
        rt_json_number(b, &first, "offset", (double)y->offset);
    if (h->span[i] && h->span[i]->first) {
        rt_json_number(b, &first, "first", h->span[i]->first);
        rt_json_number(b, &first, "last", h->span[i]->last);
    }
    write_values(x, b, h, i);
    ir_buf_str(b, "}\n");
}

static void
write_plan(const rt_exploring *x, ir_buf *b, const cg_kernel *plan, uint32_t number)
{
    const char **name = cg_distinct_names(plan, x->arena);
    const held h = find_held(x, plan);
    bool first = true, inner = true;

    ir_buf_str(b, "{");
    rt_json_number(b, &first, "kernel", number);
    rt_json_number(b, &first, "work", (double)plan->work_bytes);
    rt_json_name(b, &first, "buffers");
    ir_buf_str(b, "[");
    for (uint32_t i = 0; i < plan->n_buffers; i++) {
        rt_json_next(b, &inner);
        write_buffer(x, b, &h, plan, i, name[i]);
    }
    ir_buf_str(b, "]}\n");
}

void
rt_explore_work(const rt_exploring *x, ir_buf *b)
{
    const cg_module *m = x->low.module;
    bool first = true;

    ir_buf_str(b, "\"plans\":[");
    for (uint32_t i = 0; m && i < m->n_kernels; i++) {
        if (i > 0 && !m->kernel[i]->plans)
            continue;
        rt_json_next(b, &first);
        write_plan(x, b, m->kernel[i], i);
    }
    ir_buf_str(b, "]");
}
