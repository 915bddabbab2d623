/* A session: what a context keeps of LLVM.
 *
 * LLVM's registry of targets and its handler of fatal errors are globals, which are set once
 * per process: the names and assemblers of all targets at first, and the code generator of a
 * target on first use (initialising all would take a millisecond).  Everything else belongs to
 * the context: a list of target machines (target.c), one for each triple, processor and feature
 * list, and the JIT. A target machine is not thread-safe, so the context's lock is held while
 * one is used. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <llvm-c/Target.h>

#include "codegen/llvm/llvm.h"
#include "ir/diag.h"

static pthread_once_t started = PTHREAD_ONCE_INIT;
static const char session_key;

static void
start(void)
{
    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllAsmParsers();
    cg_ll_catch_fatal_errors();
}

#define LLVM_TARGET(T) \
    static void start_##T(void) \
    { \
        LLVMInitialize##T##Target(); \
        LLVMInitialize##T##TargetMC(); \
        LLVMInitialize##T##AsmPrinter(); \
    }
#include <llvm/Config/Targets.def>

void
cg_ll_start_target(const char *name)
{
#define LLVM_TARGET(T) { #T, start_##T, PTHREAD_ONCE_INIT },
    static struct {
        const char *name;
        void (*start)(void);
        pthread_once_t once;
    } target[] = {
#include <llvm/Config/Targets.def>
    };

    for (size_t i = 0; i < sizeof target / sizeof *target; i++)
        if (strcmp(target[i].name, name) == 0)
            pthread_once(&target[i].once, target[i].start);
}

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
        pthread_once(&started, start);
    }
    return s;
}
