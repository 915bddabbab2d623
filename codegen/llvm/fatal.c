/* LLVM's fatal errors as statuses.
 *
 * Where LLVM cannot go on (a combination of features that none of its authors thought of, an
 * instruction it cannot select) it calls a handler and then ends the process.  The handler may
 * not return; it may leave.  So a call that may come to this end runs under a guard, and the
 * handler jumps there.
 *
 * LLVM takes no lock that it would still hold then, but its objects are left as they are,
 * halfway: module, context and machine are abandoned, memory with them.  That is the price of
 * an answer, and is paid only where there was none before.  The guard is found through a
 * thread-local variable, the only one of the library, since LLVM tells a handler nothing but
 * its message. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

#include <llvm-c/ErrorHandling.h>

#include "codegen/llvm/llvm.h"

typedef struct death_handler {
    jmp_buf back;
    char *died;
} death_handler;

static _Thread_local death_handler *current;

static void
leave(const char *reason)
{
    death_handler *g = current;

    if (g == NULL)
        return; /* somebody else's use of LLVM: it ends as it would */
    current = NULL;
    snprintf(g->died, CG_LL_FATAL, "%s", reason && *reason ? reason : "no reason given");
    longjmp(g->back, 1);
}

void
cg_ll_catch_fatal_errors(void)
{
    LLVMInstallFatalErrorHandler(leave);
}

typedef struct thread_body {
    void (*body)(void *arg);
    void *arg;
} thread_body;

static void *
run_body(void *p)
{
    const thread_body *r = p;

    r->body(r->arg);
    return NULL;
}

/* LLVM recurses, and the stack of the caller's thread may be small. */
void
cg_ll_with_stack(void body(void *arg), void *arg)
{
    thread_body r = { body, arg };
    pthread_attr_t a;
    pthread_t thread;
    bool started = false;

    if (pthread_attr_init(&a) == 0) {
        started = pthread_attr_setstacksize(&a, CG_LL_STACK) == 0 &&
                  pthread_create(&thread, &a, run_body, &r) == 0;
        pthread_attr_destroy(&a);
    }
    if (started)
        pthread_join(thread, NULL);
    else
        body(arg);
}

typedef struct emission {
    LLVMTargetMachineRef tm;
    LLVMModuleRef module;
    LLVMCodeGenFileType kind;
    char *died, **message;
    LLVMMemoryBufferRef *out;
    bool bad;
} emission;

/* What runs under the guard allocates nothing of ours: no other jump crosses it. */
static void
emit(void *arg)
{
    emission *e = arg;
    death_handler g = { .died = e->died };

    e->died[0] = '\0';
    if (setjmp(g.back) == 0) {
        current = &g;
        e->bad =
            LLVMTargetMachineEmitToMemoryBuffer(e->tm, e->module, e->kind, e->message, e->out);
    }
    current = NULL;
}

bool
cg_ll_emit_file(LLVMTargetMachineRef tm, LLVMModuleRef module, LLVMCodeGenFileType kind,
                char died[CG_LL_FATAL], char **message, LLVMMemoryBufferRef *out)
{
    emission e = { tm, module, kind, died, message, out, true };

    cg_ll_with_stack(emit, &e);
    return e.bad;
}
