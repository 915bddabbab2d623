/* Code that an earlier process kept gives the bits of code that was compiled, and is found
 * without LLVM: programs FIRST, FIRST + STEP, ... of the laws, compiled in one process, linked
 * from the folder in another, which never maps LLVM's library.
 *
 *   law_kept FIRST STEP */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ir/digest.h"
#include "runtime/call.h"
#include "runtime/compile.h"
#include "tests/laws/programs.h"

enum { MAX_PROGRAMS = 1 << 14 };

/* What the processes share, by the programs' numbers. */
typedef struct result {
    uint64_t kept; /* how many compilations were */
    ir_digest bits;
} result;

typedef struct stage {
    bool again;    /* in the second process */
    result *result;
} stage;

static ir_digest
run(const laws_program *p, const cot_kernel *k)
{
    const ir_graph *f = p->f;
    void **args = IR_NEW_N(&f->ctx->arena, void *, f->n_in + f->n_out + 1);
    uint64_t seed = 77 + (uint64_t)p->number;
    void **in = laws_sample(f, &seed, p->lo, p->hi, laws_fill_special),
         **out = laws_values(f->n_out, f->out, f);
    ir_digest_state d;

    rt_arguments(k, in, out, args);
    if (rt_call_kernel(k, args, NULL) != COT_OK)
        laws_fail(p, "kept", cot_error(f->ctx));
    ir_digest_begin(&d);
    for (int i = 0; i < f->n_out; i++)
        ir_digest_add(&d, out[i], laws_bytes(ir_type_at(f, f->out[i])));
    laws_free(f->n_in, in);
    laws_free(f->n_out, out);
    return ir_digest_end(&d);
}

static void
judge(const laws_program *p, const void *user)
{
    const stage *s = user;
    result *before = &s->result[p->number];
    const bool skipped = p->f->n_inout || (s->again && !before->kept);
    cot_kernel *k;

    if (skipped)
        return;
    if (cot_compile_graph(p->f, &(cot_compile_options){ .backend = "jit" }, &k) != COT_OK) {
        laws_fail(p, "kept", cot_error(p->f->ctx));
        return;
    }
    const ir_digest bits = run(p, k);
    const cot_code_cache seen = cot_code_cache_of(p->f->ctx);
    cot_kernel_free(k);
    if (!s->again)
        *before = (result){ seen.kept, bits };
    else if (seen.hits != before->kept || seen.misses)
        laws_fail(p, "kept", "compiles again");
    else if (memcmp(&bits, &before->bits, sizeof bits) != 0)
        laws_fail(p, "kept", "kept code gives other bits");
}

static bool
maps_llvm(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[600];
    bool found = f == NULL;

    while (f && !found && fgets(line, sizeof line, f))
        found = strstr(line, "libLLVM") != NULL;
    if (f)
        fclose(f);
    return found;
}

/* In a process of its own: its failures. */
static int
in_child(const stage *s, int first, int step)
{
    int status = -1;
    const pid_t child = fork();

    if (child == 0) {
        laws_each(first, step, laws_count(), false, judge, s);
        if (s->again && maps_llvm()) {
            printf("the second process has loaded LLVM\n");
            laws_failures++;
        }
        fflush(NULL);
        _exit(laws_failures != 0);
    }
    return waitpid(child, &status, 0) == child ? status : -1;
}

int
main(int argc, char **argv)
{
    const int first = argc == 3 ? atoi(argv[1]) : -1, step = argc == 3 ? atoi(argv[2]) : 0;
    char folder[] = "/tmp/cot-kept-XXXXXX", command[64];
    result *shared = mmap(NULL, MAX_PROGRAMS * sizeof *shared, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t kept = 0;

    if (first < 0 || step < 1 || laws_count() > MAX_PROGRAMS || shared == MAP_FAILED ||
        !mkdtemp(folder) || setenv("COT_CACHE_DIR", folder, 1) != 0)
        return fprintf(stderr, "law_kept FIRST STEP\n"), 2;
    const int bad = in_child(&(stage){ false, shared }, first, step) ||
                    in_child(&(stage){ true, shared }, first, step);
    for (int i = 0; i < MAX_PROGRAMS; i++)
        kept += shared[i].kept;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0)
        return 2;
    printf("%llu compilations were kept\n", (unsigned long long)kept);
    return bad || kept == 0;
}
