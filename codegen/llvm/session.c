/* A session: what a context keeps of LLVM.
 *
 * The state of the process is in library.c and fatal.c.  Everything else belongs to the
 * context: a list of target machines (target.c), one for each triple, processor and feature
 * list, and the JIT. A target machine is not thread-safe, so the context's lock is held while
 * one is used. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "codegen/llvm/llvm.h"
#include "ir/diag.h"

static const char session_key;

cot_status
cg_ll_fail(cot_context *ctx, const char *format, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return ir_fail(ctx, 0, NULL, ERR_target, text);
}

static void
session_release(void *data)
{
    cg_ll_session *s = data;

    for (cg_ll_machine *m = s->machine; m; m = m->next) {
        for (int i = 0; i < CG_LL_COMPILE_THREADS; i++)
            if (m->like[i])
                LLVMDisposeTargetMachine(m->like[i]->tm);
        if (m->tm)
            LLVMDisposeTargetMachine(m->tm);
    }
    if (s->jit)
        s->jit_release(s->jit);
}

cg_ll_session *
cg_ll_session_of(cot_context *ctx)
{
    cg_ll_session *s = ir_attached_find(ctx, &session_key);

    if (s == NULL) {
        s = IR_NEW(&ctx->arena, cg_ll_session);
        s->ctx = ctx;
        ir_attach(ctx, &session_key, s, session_release);
    }
    return s;
}
