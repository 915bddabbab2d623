/* From a prepared graph to a module of kernels. */
#include "codegen/lower.h"

#include "codegen/plan.h"

static const char *
arg_name(ir_arena *a, const char *const *names, int i, const char *prefix)
{
    return names && names[i] ? names[i] : ir_format(a, "%s%d", prefix, i);
}

static void
place_inputs(cg_lowering *l, cg_level *v)
{
    const ir_graph *f = v->f;
    cg_kernel *k = l->entry.k;
    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);
        bool donated = l->o->donated && l->o->donated[i];
        uint32_t b = cg_buffer_add(k, arg_name(l->arena, f->in_name, i, "in"), t->dtype,
                                   donated ? CG_OUT : CG_IN, t->size);
        k->buffer[b].arg = i;
        v->place[f->in[i]] = (cg_place){ .set = true, .buffer = b };
        v->borrowed[f->in[i]] = !donated;
    }
}

/* The first output that is a value is where the value is computed; the others, and outputs that are
 * inputs, are copies. */
static cg_place *
place_outputs(cg_lowering *l, cg_level *v)
{
    const ir_graph *f = v->f;
    cg_place *to = IR_NEW_N(l->arena, cg_place, f->n_out + 1);
    for (int i = 0; i < f->n_out; i++) {
        const ir_type *t = ir_type_at(f, f->out[i]);
        uint32_t b = cg_buffer_add(l->entry.k, arg_name(l->arena, f->out_name, i, "out"), t->dtype, CG_OUT,
                                   t->size);
        l->entry.k->buffer[b].arg = f->n_in + i;
        to[i] = (cg_place){ .set = true, .buffer = b };
        if (!v->place[f->out[i]].set)
            v->place[f->out[i]] = to[i];
    }
    return to;
}

static void
copy_outputs(cg_lowering *l, cg_level *v, const cg_place *to)
{
    for (int i = 0; i < v->f->n_out; i++) {
        ir_ref x = v->f->out[i];
        if (v->place[x].buffer != to[i].buffer)
            cg_plan_copy(l, to[i], v->place[x], ir_type_at(v->f, x));
    }
}

cot_status
cg_lower(const ir_graph *f, const cg_lower_options *o, ir_arena *arena, cg_module **out)
{
    cg_lowering *l = IR_NEW(arena, cg_lowering);
    ir_buf why;
    ir_buf_init(&why, arena);
    l->ctx = f->ctx;
    l->arena = arena;
    l->o = o;
    l->target = o->target ? *o->target : (cg_target){ 0 };
    if (!l->target.vector_bits)
        l->target.vector_bits = 128;
    l->why = &why;
    l->plan = IR_NEW(arena, cg_plan);
    l->m = cg_module_new(f->ctx, arena, f->name ? f->name : "f");
    cg_kernel *entry = cg_kernel_new(l->m, f->name ? f->name : "f");
    cg_begin(&l->entry, entry);
    l->m->n_args = f->n_in + f->n_out;
    cg_level *v = cg_level_new(l, f);
    place_inputs(l, v);
    cg_place *to = place_outputs(l, v);
    cg_plan_graph(l, v);
    copy_outputs(l, v, to);
    cg_plan_assign(l);
    for (uint32_t i = 1; i < l->m->n_kernels; i++) {
        entry->flops += l->m->kernel[i]->flops;
        entry->bytes += l->m->kernel[i]->bytes;
    }
    l->m->why = why.text;
    *out = l->m;
    return l->status == COT_OK && f->ctx->config.verify ? cg_verify(l->m) : l->status;
}

void
cg_explain(ir_buf *b, const cg_module *m)
{
    ir_buf_printf(b, "%s: %u kernels, %lld bytes of work\n%s", m->name, m->n_kernels - 1, (long long)m->work_bytes,
                  m->why ? m->why : "");
}
