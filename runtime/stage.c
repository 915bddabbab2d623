/* Any stage of a function, graph or kernel as text. */
#include <errno.h>

#include "frontend/fn.h"
#include "ir/config.h"
#include "ir/diag.h"
#include "runtime/compile.h"
#include "runtime/open/open.h"

static const char stage_names[] = "trace, graph, simplify, kernels, plan, llvm, asm, c or ptx";

/* The names of arguments and results; "arg0" and "out0" if they have none. */
static const char *const *
names_of(ir_arena *a, const ir_graph *f)
{
    const char **name = IR_NEW_N(a, const char *, f->n_in + f->n_out + 1);

    for (int i = 0; i < f->n_in; i++)
        name[i] = f->in_name[i] ? f->in_name[i] : ir_format(a, "arg%d", i);
    for (int i = 0; i < f->n_out; i++)
        name[f->n_in + i] =
            f->out_name && f->out_name[i] ? f->out_name[i] : ir_format(a, "out%d", i);
    return name;
}

static cot_status
emit_text(const ir_graph *f, const rt_plan *p, cg_output what, const cg_module *m, ir_buf *out)
{
    const cg_natural fn = { .name = p->name,
                            .module = m,
                            .n_in = f->n_in,
                            .n_out = f->n_out - f->n_inout,
                            .arg_name = names_of(out->arena, f) };
    const cg_backend *backend = what == CG_TO_C     ? cg_c()
                                : what == CG_TO_PTX ? cg_llvm()
                                                    : p->backend;
    const void *text;
    size_t n;

    if (p->target.grid != (what == CG_TO_PTX))
        return ir_fail(f->ctx, 0, NULL, ERR_target,
                       what == CG_TO_PTX ? "this stage needs the back end cuda or sim"
                                         : "kernels of a GPU have no such stage; wants ptx");
    if (!backend || (what != CG_TO_C && backend == cg_c()))
        return ir_fail(f->ctx, 0, NULL, ERR_target, "this stage needs the back end jit");
    COT_TRY(backend->emit(f->ctx, &p->target, what, 1, &fn, out->arena, &text, &n));
    ir_buf_add(out, text, n);
    return COT_OK;
}

cot_status
rt_stage_code(const ir_graph *f, const rt_plan *p, const char *stage, const cg_module *m,
              ir_buf *out)
{
    const cg_output what = stage[0] == 'l'   ? CG_TO_LLVM
                           : stage[0] == 'a' ? CG_TO_ASM
                           : stage[0] == 'p' ? CG_TO_PTX
                                             : CG_TO_C;

    return emit_text(f, p, what, m, out);
}

cot_status
rt_stage(const ir_graph *f, const rt_plan *p, const char *stage, ir_buf *out)
{
    rt_lowered low;

    if (strcmp(stage, "graph") == 0) {
        ir_graph *whole;

        COT_TRY(pass_custom_with_rules(f, &whole));
        ir_print(out, whole, 0);
        return COT_OK;
    }
    if (strcmp(stage, "simplify") == 0) {
        ir_graph *prepared;

        COT_TRY(pass_prepare(f, &prepared));
        ir_print(out, prepared, 0);
        return COT_OK;
    }
    if (strcmp(stage, "kernels") != 0 && strcmp(stage, "plan") != 0 &&
        strcmp(stage, "llvm") != 0 && strcmp(stage, "asm") != 0 && strcmp(stage, "c") != 0 &&
        strcmp(stage, "ptx") != 0)
        return ir_fail(
            f->ctx, 0, NULL, ERR_usage,
            ir_format(out->arena, "the stage is '%s'; wants %s", stage, stage_names));
    COT_TRY(rt_lower(f, p, out->arena, &low));
    if (strcmp(stage, "kernels") == 0)
        cg_module_print(out, low.module);
    else if (strcmp(stage, "plan") == 0)
        cg_explain(out, low.module);
    else
        return rt_stage_code(f, p, stage, low.module, out);
    return COT_OK;
}

typedef struct dump_call {
    const ir_graph *graph;
    cot_fn *fn;
    cot_types types;
    const rt_plan *plan;
    const char *stage;
    cot_write *write;
    void *user;
} dump_call;

static cot_status
dump_body(cot_context *ctx, void *arg)
{
    dump_call *c = arg;
    const ir_graph *f = c->graph;
    cot_status status;
    ir_buf b;
    rt_plan p;

    if (!c->stage || !c->write)
        return ir_fail(ctx, 0, NULL, ERR_usage,
                       "the stage or the function that writes is NULL; wants both");
    ir_buf_init(&b, &ctx->arena); /* memory of the stages lives as long as their graphs */
    if (!f && strcmp(c->stage, "trace") == 0) {
        const ir_type **type = IR_NEW_N(&ctx->arena, const ir_type *, c->types.n + 1);
        ir_graph *inner;

        for (int i = 0; i < c->types.n; i++)
            if (!(type[i] = ir_type_of(ctx, &cot_types_entries(&c->types)[i])))
                return ctx->status;
        COT_TRY(fe_innermost(c->fn, c->types.n, type, &inner));
        ir_print(&b, inner, 0);
    } else if (!f && c->fn->open && strcmp(c->stage, "graph") == 0) {
        const rt_open_source *source;
        rt_sizes *sizes;

        COT_TRY(rt_open_source_of(c->fn, c->types, &ctx->arena, &source, &sizes));
        COT_TRY(rt_open_print(ctx, source, sizes, 0, &b));
    } else {
        if (!f)
            COT_TRY(cot_trace_fn(c->fn, c->types, &f));
        if (!c->plan) {
            COT_TRY(rt_plan_new(ctx, NULL, f->name, &p));
            c->plan = &p;
        }
        status = rt_stage(f, c->plan, c->stage, &b);
        if (status != COT_OK)
            return status;
    }
    c->write(c->user, b.n ? b.text : "", b.n);
    return COT_OK;
}

cot_status
cot_dump_fn(cot_fn *f, cot_types types, const char *stage, cot_write *write, void *user)
{
    dump_call c = { .fn = f, .types = types, .stage = stage, .write = write, .user = user };

    return rt_guard(cot_fn_context(f), dump_body, &c);
}

cot_status
cot_dump_kernel(const cot_kernel *k, const char *stage, cot_write *write, void *user)
{
    if (!k)
        return COT_ERR_ARG;
    dump_call c = {
        .graph = k->graph, .plan = &k->plan, .stage = stage, .write = write, .user = user
    };

    return rt_guard(k->ctx, dump_body, &c);
}
