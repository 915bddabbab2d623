/* LLVM in a child process (cot_options.isolate).
 *
 * LLVM ends the process if an allocation fails, and it may crash or loop on untested input.  A
 * forked child has a copy of the kernel modules in its memory.  It compiles them and writes the
 * object files to a pipe; if it dies, the parent lives.  The parent reads the pipe, and kills
 * the child if the call is cancelled or runs out of time.  The child's standard error is a
 * second pipe, whose last lines become part of the message if the child dies.
 *
 * A child has only the thread that forked, but the locks of all threads.  The C library repairs
 * its own locks; LLVM has locks of the whole process.  So threads that use LLVM hold this
 * file's lock for reading, and a fork waits until none does.  Where a thread of the library's
 * own compiles, the user's forks wait as well (cg_ll_guard_forks).  With limits.bytes the
 * child may allocate that many bytes more than the parent has.  Source: D. Brumley, D. Song,
 * Privtrans, USENIX Security 2004, for the idea of a process that may fail. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codegen/llvm/llvm.h"
#include "codegen/tuning.h"
#include "ir/diag.h"
#include "ir/limit.h"

#ifdef PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP /* readers do not starve the fork */
static pthread_rwlock_t in_use = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#else
static pthread_rwlock_t in_use = PTHREAD_RWLOCK_INITIALIZER;
#endif

void
cg_ll_enter(volatile bool *inside)
{
    pthread_rwlock_rdlock(&in_use);
    *inside = true;
}

void
cg_ll_leave(volatile bool *inside)
{
    if (*inside)
        pthread_rwlock_unlock(&in_use);
    *inside = false;
}

/* -- the forks of others -- */

static atomic_uintptr_t forking; /* the thread that forks in `start`; 0: none */

static bool
is_own_fork(void)
{
    return atomic_load(&forking) == (uintptr_t)pthread_self();
}

static void
before_fork(void)
{
    if (!is_own_fork())
        pthread_rwlock_wrlock(&in_use);
}

static void
after_fork(void)
{
    if (!is_own_fork())
        pthread_rwlock_unlock(&in_use);
}

static void
after_fork_in_child(void)
{
    if (!is_own_fork())
        pthread_rwlock_init(&in_use, NULL);
}

static bool guarded;

static void
guard(void)
{
    guarded = pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
}

bool
cg_ll_guard_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, guard);
    return guarded;
}

/* The header of what the child writes; the message or the objects follow. */
typedef struct answer {
    int32_t status, n;
    uint64_t bytes[CG_MAX_OBJECTS];
} answer;

enum { SAID = 400 };

/* A child process, as its parent sees it. */
typedef struct child {
    pid_t pid;
    int data, errors; /* read ends of its pipes; -1: closed */
    char *text;       /* what was read from data; from malloc, as arenas may be in use */
    size_t n, cap;
    char said[SAID + 1]; /* the last bytes that were read from errors */
    size_t n_said;
    bool ended; /* status is then that of waitpid */
    int status;
} child;

/* ---- in the child ---- */

static bool
write_all(int fd, const void *bytes, size_t n)
{
    const char *p = bytes;

    while (n > 0) {
        const ssize_t done = write(fd, p, n);
        if (done < 0 && errno != EINTR)
            return false;
        p += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

/* Limit this process to `more` bytes of data beyond its current size. */
static void
limit_memory(uint64_t more)
{
    unsigned long long size, resident, shared, text, library, data;
    FILE *file = fopen("/proc/self/statm", "r");
    struct rlimit l;

    if (file &&
        fscanf(file, "%llu %llu %llu %llu %llu %llu", &size, &resident, &shared, &text,
               &library, &data) == 6 &&
        getrlimit(RLIMIT_DATA, &l) == 0) {
        const uint64_t most = data * (uint64_t)sysconf(_SC_PAGESIZE) + more;

        l.rlim_cur =
            l.rlim_cur == RLIM_INFINITY || most < l.rlim_cur ? (rlim_t)most : l.rlim_cur;
        setrlimit(RLIMIT_DATA, &l);
    }
    if (file)
        fclose(file);
}

static _Noreturn void
work(cot_context *ctx, cg_ll_job *job, void *arg, const int *n, LLVMMemoryBufferRef *object,
     int to)
{
    volatile cot_status status = COT_ERR_MEMORY;
    answer a = { 0 };
    const char *message;
    bool good;

    ctx->progress.call = NULL; /* the parent reports */
    if (ctx->limits.bytes)
        limit_memory(ctx->limits.bytes);
    IR_TRY (ctx) {
        status = job(ctx, arg);
    }
    message = status == COT_OK ? "" : cot_error(ctx);
    a.status = status;
    a.n = status == COT_OK ? *n : 1;
    a.bytes[0] = strlen(message);
    for (int i = 0; status == COT_OK && i < a.n; i++)
        a.bytes[i] = LLVMGetBufferSize(object[i]);
    good = write_all(to, &a, sizeof a);
    if (status != COT_OK)
        good = good && write_all(to, message, (size_t)a.bytes[0]);
    for (int i = 0; status == COT_OK && i < a.n; i++)
        good = good && write_all(to, LLVMGetBufferStart(object[i]), (size_t)a.bytes[i]);
    _exit(good ? 0 : 1);
}

/* ---- in the parent ---- */

static void
close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static cot_status
start(cot_context *ctx, child *c, cg_ll_job *job, void *arg, const int *n,
      LLVMMemoryBufferRef *object)
{
    int data[2] = { -1, -1 }, errors[2] = { -1, -1 }, why;
    pid_t pid = -1;

    pthread_rwlock_wrlock(&in_use); /* also: no other thread's child inherits these pipes */
    atomic_store(&forking, (uintptr_t)pthread_self());
    if (pipe2(data, O_CLOEXEC) == 0 && pipe2(errors, O_CLOEXEC) == 0)
        pid = fork();
    if (pid == 0) {
        /* The thread that holds it is not in this process. */
        pthread_rwlock_init(&in_use, NULL);
        dup2(errors[1], STDERR_FILENO);
        work(ctx, job, arg, n, object, data[1]);
    }
    why = errno;
    atomic_store(&forking, 0);
    close_one(&data[1]);
    close_one(&errors[1]);
    pthread_rwlock_unlock(&in_use);
    if (pid < 0) {
        close_one(&data[0]);
        close_one(&errors[0]);
    }
    *c = (child){ .pid = pid, .data = data[0], .errors = errors[0] };
    return pid > 0 ? COT_OK : ir_fail_io(ctx, "the process that compiles", why);
}

/* Read from the child's standard error and keep its last bytes.  False: end of file. */
static bool
take_errors(child *c)
{
    char block[SAID];
    const ssize_t n = read(c->errors, block, sizeof block);

    if (n < 0)
        return errno == EINTR;
    if (c->n_said + (size_t)n > SAID) {
        const size_t drop = c->n_said + (size_t)n - SAID;

        memmove(c->said, c->said + drop, c->n_said - drop);
        c->n_said -= drop;
    }
    memcpy(c->said + c->n_said, block, (size_t)n);
    c->n_said += (size_t)n;
    return n > 0;
}

/* Read from the child's answer.  False: end of file, or out of memory. */
static bool
take_data(child *c, bool *short_of_memory)
{
    ssize_t n;

    if (c->n == c->cap) {
        const size_t cap = c->cap ? 2 * c->cap : 1 << 16;
        char *text = realloc(c->text, cap);
        if (!text) {
            *short_of_memory = true;
            return false;
        }
        c->text = text;
        c->cap = cap;
    }
    n = read(c->data, c->text + c->n, c->cap - c->n);
    c->n += n > 0 ? (size_t)n : 0;
    return n > 0 || (n < 0 && errno == EINTR);
}

/* Has the child ended? waitpid succeeds once, so its answer is kept. */
static bool
has_ended(child *c)
{
    if (!c->ended) {
        const pid_t got = waitpid(c->pid, &c->status, WNOHANG);
        c->ended =
            /* Another waitpid of the process took the status. */
            got == c->pid || (got < 0 && errno != EINTR);
    }
    return c->ended;
}

/* Read until the child has written everything, or the call is to end.  A signal handler may
 * cancel the call, which interrupts poll, or another thread may, which is noticed after poll's
 * timeout.  The loop also stops if the child has ended, since a process that the user forks may
 * hold the pipes open. */
static cot_status
listen_to(cot_context *ctx, child *c)
{
    bool short_of_memory = false;

    while (c->data >= 0 || c->errors >= 0) {
        struct pollfd p[2] = { { .fd = c->data, .events = POLLIN },
                               { .fd = c->errors, .events = POLLIN } };

        COT_TRY(ir_check(ctx));
        const bool ended = has_ended(c);
        if (poll(p, 2, ended ? 0 : CG_LLVM_POLL_MS) <= 0) {
            if (ended)
                break;
            continue;
        }
        if (p[0].revents && !take_data(c, &short_of_memory))
            close_one(&c->data);
        if (p[1].revents && !take_errors(c))
            close_one(&c->errors);
    }
    return short_of_memory ? ir_fail(ctx, 0, NULL, ERR_memory) : COT_OK;
}

/* Report how the child ended without an answer. */
static cot_status
died(cot_context *ctx, child *c)
{
    const int status = c->status;
    char how[64] = "ended without an answer";

    while (c->n_said > 0 && c->said[c->n_said - 1] == '\n')
        c->n_said--;
    c->said[c->n_said] = '\0';
    if (strstr(c->said, "bad_alloc") || strstr(c->said, "out of memory"))
        return ir_fail(ctx, 0, NULL, ERR_isolate_memory);
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        snprintf(how, sizeof how, "ended with status %d", WEXITSTATUS(status));
    return ir_fail(ctx, 0, NULL, ERR_isolate_died, how, c->n_said ? ": " : "", c->said);
}

/* Record the child's error in the parent; its message already names the location. */
static cot_status
repeat(cot_context *ctx, cot_status status, const char *text, size_t n)
{
    if (ctx->status == COT_OK) {
        char *message = ir_alloc(&ctx->message_arena, n + 1);

        memcpy(message, text, n);
        ctx->message = message;
        ctx->status = status;
    }
    return status;
}

/* Read the header of the answer.  False: the answer is not complete. */
static bool
read_answer(const child *c, answer *a)
{
    size_t left = c->n;

    if (left < sizeof *a)
        return false;
    memcpy(a, c->text, sizeof *a);
    left -= sizeof *a;
    if (a->n < 1 || a->n > CG_MAX_OBJECTS)
        return false;
    for (int i = 0; i < a->n; i++) {
        if (a->bytes[i] > left)
            return false;
        left -= (size_t)a->bytes[i];
    }
    return left == 0;
}

static cot_status
unpack(cot_context *ctx, child *c, int *n, LLVMMemoryBufferRef *object)
{
    const char *at = c->text + sizeof(answer);
    answer a;

    if (!read_answer(c, &a))
        return died(ctx, c);
    if (a.status != COT_OK)
        return repeat(ctx, (cot_status)a.status, at, (size_t)a.bytes[0]);
    for (int i = 0; i < a.n; at += a.bytes[i], i++)
        object[i] = LLVMCreateMemoryBufferWithMemoryRangeCopy(at, (size_t)a.bytes[i], "object");
    *n = a.n;
    return COT_OK;
}

static void
wait_for(child *c, bool end)
{
    if (end && !c->ended)
        kill(c->pid, SIGKILL);
    while (!c->ended && waitpid(c->pid, &c->status, 0) < 0)
        c->ended = errno != EINTR;
}

static cot_status
in_child(cot_context *ctx, cg_ll_job *job, void *arg, int *n, LLVMMemoryBufferRef *object)
{
    volatile cot_status status = COT_ERR_MEMORY;
    volatile bool heard = false;
    child c;

    ir_stage(ctx, "compile", NULL, 0);
    COT_TRY(ir_check(ctx));
    COT_TRY(start(ctx, &c, job, arg, n, object));
    IR_TRY (ctx) {
        status = listen_to(ctx, &c);
        heard = true;
    }
    close_one(&c.data);
    close_one(&c.errors);
    wait_for(&c, !heard || status != COT_OK);
    if (heard && status == COT_OK) {
        status = COT_ERR_MEMORY;
        heard = false;
        IR_TRY (ctx) {
            status = unpack(ctx, &c, n, object);
            heard = true;
        }
    }
    free(c.text);
    if (!heard)
        ir_out_of_memory(ctx);
    return status;
}

cot_status
cg_ll_run(cot_context *ctx, cg_ll_job *job, void *arg, int *n, LLVMMemoryBufferRef *object,
          volatile bool *inside)
{
    if (ctx->config.isolate)
        return in_child(ctx, job, arg, n, object);
    cg_ll_enter(inside);
    const cot_status s = job(ctx, arg);
    cg_ll_leave(inside);
    return s;
}
