/* Fatal errors of LLVM become statuses.
 *
 * Where LLVM cannot go on (an unforeseen combination of features, an instruction that it cannot
 * select) it calls a handler and then ends the process.  The handler may not return, but it may
 * jump.  So a call that may fail this way runs after a setjmp, to which the handler jumps.
 *
 * LLVM holds no lock at that point, but its objects may be in an inconsistent state: module,
 * context and machine are abandoned, and their memory leaks.  That is better than the end of
 * the process, and happens only instead of it.  The jmp_buf is found through a thread-local
 * variable, the only one of the library, since LLVM passes nothing but its message to the
 * handler. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

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
        return; /* another user of LLVM in this process: the process ends */
    current = NULL;
    snprintf(g->died, CG_LL_FATAL, "%s", reason && *reason ? reason : "no reason given");
    longjmp(g->back, 1);
}

static void
catch_fatal_errors(void)
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

/* LLVM recurses, and the stack of the caller's thread may be too small for it. */
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

/* The code between setjmp and longjmp allocates nothing from an arena, so that no other longjmp
 * crosses this frame. */
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
    static pthread_once_t caught = PTHREAD_ONCE_INIT;
    emission e = { tm, module, kind, died, message, out, true };

    pthread_once(&caught, catch_fatal_errors);
    cg_ll_with_stack(emit, &e);
    return e.bad;
}
