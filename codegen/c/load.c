/* The C back end: the system's compiler compiles the file, which is loaded as a library.
 *
 * COT_CC names the compiler, with options if needed ("clang -O1"); the default is cc -O2.
 * -march=native is added unless COT_CC has a -march.  The files are in a temporary directory,
 * which is removed before the code runs. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codegen/c/c.h"
#include "codegen/tuning.h"
#include "ir/config.h"
#include "ir/diag.h"

extern char **environ;

static int
host_bits(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        return 512;
    return __builtin_cpu_supports("avx2") ? 256 : 128;
#else
    return 128;
#endif
}

static cot_status
fill_target(cot_context *ctx, cg_target *t)
{
    if (t->triple || (t->cpu && strcmp(t->cpu, "generic") != 0) ||
        (t->features && *t->features))
        return ir_fail(
            ctx, 0, NULL, ERR_target,
            "a target, cpu or feature is named; C source has none: its compiler is told");
    if (t->vector_bits == 0)
        t->vector_bits = ctx->config.vector_bits ? ctx->config.vector_bits : host_bits();
    if (t->registers == 0)
        t->registers = t->vector_bits == 512 ? 32 : 16;
    if (t->l1 == 0)
        t->l1 = CG_KERNEL_DEFAULT_L1;
    if (t->l2 == 0)
        t->l2 = CG_KERNEL_DEFAULT_L2;
    if (t->l3 == 0)
        t->l3 = CG_KERNEL_DEFAULT_L3;
    return COT_OK;
}

static cot_status
emit(cot_context *ctx, const cg_target *target, cg_output what, int n, const cg_natural *fn,
     ir_arena *arena, const void **bytes, size_t *size)
{
    cg_c_width w = { target && target->vector_bits > 32 ? target->vector_bits / 32 : 1, fn, 0 };

    (void)what;
    return cg_c_write(ctx, 1, &w, n, false, arena, bytes, size);
}

typedef struct files {
    char dir[256], source[320], library[320], messages[320];
} files;

static void
remove_files(const files *f)
{
    unlink(f->source);
    unlink(f->library);
    unlink(f->messages);
    rmdir(f->dir);
}

static bool
write_source(const files *f, const void *bytes, size_t size)
{
    FILE *file = fopen(f->source, "w");
    bool good = file && fwrite(bytes, 1, size, file) == size;

    if (file)
        good &= fclose(file) == 0;
    return good;
}

static bool
open_files(files *f, const char *tmp, const void *bytes, size_t size)
{
    snprintf(f->dir, sizeof f->dir, "%s/cotrace-XXXXXX", tmp);
    if (!mkdtemp(f->dir))
        return false;
    snprintf(f->source, sizeof f->source, "%s/kernel.c", f->dir);
    snprintf(f->library, sizeof f->library, "%s/kernel.so", f->dir);
    snprintf(f->messages, sizeof f->messages, "%s/messages", f->dir);
    if (write_source(f, bytes, size))
        return true;
    remove_files(f);
    return false;
}

/* The compiler's exit status, or -1 where it could not be started. */
static int
compile(const files *f, char *compiler)
{
    char *argv[48];
    posix_spawn_file_actions_t act;
    int n = 0, status = -1;
    pid_t pid;
    const bool asked = strstr(compiler, "-march=") != NULL;
    char *rest; /* strtok_r, since several contexts may compile at the same time */

    for (char *s = strtok_r(compiler, " ", &rest); s && n < 32; s = strtok_r(NULL, " ", &rest))
        argv[n++] = s;
    const char *more[] = { "-march=native", "-std=c11", "-w",       "-shared",
                           "-fPIC",         "-o",       f->library, f->source };
    for (size_t i = asked; i < sizeof more / sizeof *more; i++)
        argv[n++] = (char *)(uintptr_t)more[i];
    argv[n] = NULL;
    if (posix_spawn_file_actions_init(&act) != 0)
        return -1;
    posix_spawn_file_actions_addopen(&act, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&act, 2, f->messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool started = posix_spawnp(&pid, argv[0], &act, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&act);
    if (!started)
        return -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The first line of the compiler's messages. */
static void
first_message(const files *f, char *out, size_t n)
{
    FILE *file = fopen(f->messages, "r");

    *out = '\0';
    if (!file)
        return;
    if (!fgets(out, (int)n, file))
        *out = '\0';
    out[strcspn(out, "\n")] = '\0';
    fclose(file);
}

static void *
find(void *library, const char *name)
{
    return library ? dlsym(library, name) : NULL;
}

static cot_status
compile_and_open(cot_context *ctx, const void *bytes, size_t size, void **library)
{
    const char *named = ir_config_compiler();
    char compiler[512], said[300] = "";
    int status;
    files f;

    snprintf(compiler, sizeof compiler, "%s", named ? named : "cc -O2");
    if (!open_files(&f, ir_config_temporary(), bytes, size))
        return ir_fail_io(ctx, "a temporary file", errno);
    status = compile(&f, compiler);
    if (status > 0)
        first_message(&f, said, sizeof said);
    *library = status == 0 ? dlopen(f.library, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (status == 0 && !*library)
        snprintf(said, sizeof said, "%s", dlerror());
    remove_files(&f);
    if (*library)
        return COT_OK;
    return ir_fail(
        ctx, 0, NULL, ERR_target,
        ir_format(&ctx->arena, "the C compiler '%s' %s%s", named ? named : "cc",
                  status < 0 ? "could not be run; COT_CC names another" : "failed: ", said));
}

/* The function int cot_entry(void *const *args, void *work), which is appended to the file. */
static const char *
packed_entry(ir_arena *a, const cg_module *m)
{
    const char *s = "\nint cot_entry(void *const *args, void *work);\nint\ncot_entry(void "
                    "*const *args, void *work)\n{\n"
                    "    return kernel(";

    for (int i = 0; i < m->n_args; i++)
        s = ir_format(a, "%sargs[%d], ", s, i);
    return ir_format(a, m->parallel ? "%sargs[%d], work);\n}\n" : "%swork);\n}\n", s,
                     m->n_args);
}

static cot_status
load(cot_context *ctx, const cg_target *t, const cg_module *m, cg_code *out)
{
    const cg_natural fn = { .name = "kernel", .module = m, .n_in = m->n_args };
    const cg_c_width w = { t->vector_bits > 32 ? t->vector_bits / 32 : 1, &fn, 0 };
    ir_arena *a = &ctx->arena;
    const void *bytes;
    size_t size;
    ir_buf b;
    union {
        void *p;
        cg_entry *f;
    } entry;

    COT_TRY(cg_c_write(ctx, 1, &w, 1, true, a, &bytes, &size));
    ir_buf_init(&b, a);
    ir_buf_add(&b, bytes, size);
    ir_buf_str(&b, packed_entry(a, m));
    COT_TRY(compile_and_open(ctx, b.text, b.n, &out->handle));
    entry.p = find(out->handle, "cot_entry");
    out->entry = entry.f;
    out->natural = find(out->handle, "kernel");
    out->bytes = size;
    return COT_OK;
}

static void
unload(cg_code *code)
{
    if (code->handle)
        dlclose(code->handle);
}

const cg_backend *
cg_c(void)
{
    static const cg_backend backend = {
        .name = "c", .target = fill_target, .load = load, .unload = unload, .emit = emit
    };

    return &backend;
}
