/* Kernel text in the place of graphs: read, verified, and printed or emitted again. */
#include "codegen/backend.h"
#include "ir/diag.h"
#include "tools/cot.h"

/* The arguments of the entry by name, and how many come before the first that it writes. */
static const char *const *
argument_names(ir_arena *a, const cg_module *m, int *n_in)
{
    const char **name = IR_NEW_N(a, const char *, m->n_args + 1);
    const cg_kernel *k = m->kernel[0];

    *n_in = m->n_args;
    for (int i = 0; i < m->n_args; i++)
        name[i] = ir_format(a, "arg%d", i);
    for (uint32_t i = 0; i < k->n_buffers; i++) {
        const cg_buffer *x = &k->buffer[i];
        if (x->space > CG_OUT || x->arg >= m->n_args)
            continue;
        name[x->arg] = x->name;
        if (x->space == CG_OUT && x->arg < *n_in)
            *n_in = x->arg;
    }
    return name;
}

static cot_status
emit(const cg_module *m, const cg_backend *backend, cg_output what, ir_buf *out)
{
    const cg_target target = { .triple = "x86_64-unknown-linux-gnu", .cpu = "x86-64-v3" };
    cg_natural fn = { .name = m->name, .module = m };
    const void *text;
    size_t n;

    if (!backend)
        return ir_fail(m->ctx, 0, NULL, ERR_target, "this stage needs the back end jit");
    fn.arg_name = argument_names(out->arena, m, &fn.n_in);
    fn.n_out = m->n_args - fn.n_in;
    COT_TRY(backend->emit(m->ctx, &target, what, 1, &fn, out->arena, &text, &n));
    ir_buf_add(out, text, n);
    return COT_OK;
}

cot_status
cli_kernels(cot_context *ctx, const char *name, const char *text, size_t n, const char *stage,
            ir_buf *out)
{
    cg_module *m;

    COT_TRY(cg_module_read(ctx, &ctx->arena, name, text, n, &m));
    if (!stage || strcmp(stage, "kernels") == 0) {
        cg_module_print(out, m);
        return COT_OK;
    }
    if (strcmp(stage, "c") == 0)
        return emit(m, cg_c(), CG_TO_C, out);
    if (strcmp(stage, "llvm") == 0)
        return emit(m, cg_llvm(), CG_TO_LLVM, out);
    return ir_fail(ctx, 0, NULL, ERR_usage,
                   "kernel text has the stages kernels, c and llvm, and no passes");
}
