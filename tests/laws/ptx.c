/* PTX of the programs of the laws: does ptxas take it?
 *
 *   ptx FIRST STEP         programs FIRST, FIRST + STEP, ..., many to a file, for sm_80 and
 *                          sm_90 in turn
 *   ptx spills FIRST STEP  the same for both, optimised: which kernels keep registers in memory
 *   ptx print N            the PTX of program N
 *
 * Where ptxas is not installed, the PTX is made and looked at: an entry for each kernel. */
#include "tests/grid.h"
#include "tests/laws/programs.h"
#include "tests/ptxas.h"

enum { BATCH = 40 };

static int failures, programs;
static bool spills;
static ptxas_made made;

static void
report(const char *text, const char *why)
{
    failures++;
    printf("ptx: %s\n%s", why, text);
    fflush(stdout);
}

/* The programs of a file; how many there are. */
static int
lower_batch(cot_context *ctx, cg_target *t, int *next, int step, cg_natural *fn,
            const char **text)
{
    int n = 0;

    for (; n < BATCH && *next < laws_count(); *next += step) {
        cg_module *m;
        laws_program p;
        if (!laws_make(ctx, *next, &p) || grid_lower(p.f, t, &m) != COT_OK) {
            report(p.text ? p.text : "", cot_error(ctx));
            cot_error_clear(ctx);
            continue;
        }
        text[n] = p.text;
        fn[n++] = (cg_natural){ .name = ir_format(&ctx->arena, "p%d", *next), .module = m };
    }
    return n;
}

static bool
assembles(cot_context *ctx, const cg_target *t, int n, const cg_natural *fn)
{
    const void *ptx = NULL;
    size_t size = 0;

    if (cg_llvm()->emit(ctx, t, CG_TO_PTX, n, fn, &ctx->arena, &ptx, &size) != COT_OK) {
        printf("ptx: %s\n", cot_error(ctx));
        cot_error_clear(ctx);
        return false;
    }
    for (int i = 0; i < n; i++)
        for (uint32_t k = 1; k < fn[i].module->n_kernels; k++)
            if (!strstr(ptx,
                        cg_ptx_name(&ctx->arena, fn[i].name, fn[i].module->kernel[k]->name)))
                return false;
    if (!ptxas_path())
        return true;
    if (!spills)
        return ptxas_takes(t->cpu, ptx, size, 1);
    return ptxas_makes("sm_80", ptx, size, 3, &made) &&
           ptxas_makes("sm_90", ptx, size, 3, &made);
}

static void
check_batch(cot_context *ctx, int *next, int step, int file)
{
    cg_natural fn[BATCH];
    const char *text[BATCH];
    cg_target t = { .cpu = file % 2 && !spills ? "sm_90" : "sm_80" };

    cg_grid_target(&t);
    const int n = lower_batch(ctx, &t, next, step, fn, text);
    programs += n;
    if (n == 0 || assembles(ctx, &t, n, fn))
        return;
    for (int i = 0; i < n; i++)
        if (!assembles(ctx, &t, 1, &fn[i]))
            report(text[i], ir_format(&ctx->arena, "%s: not taken", fn[i].name));
}

static int
print_one(int number)
{
    cot_context *ctx = cot_context_new(NULL);
    cg_target t = { 0 };
    cg_natural fn[BATCH];
    const char *text[BATCH];
    const void *ptx = "";
    size_t size;

    cg_grid_target(&t);
    lower_batch(ctx, &t, &number, laws_count(), fn, text);
    if (cg_llvm()->emit(ctx, &t, CG_TO_PTX, 1, fn, &ctx->arena, &ptx, &size) != COT_OK)
        ptx = cot_error(ctx);
    puts(ptx);
    cot_context_free(ctx);
    return 0;
}

int
main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "print") == 0)
        return print_one(atoi(argv[2]));
    if (argc > 1 && strcmp(argv[1], "spills") == 0) {
        spills = true;
        argc--;
        argv++;
    }
    int next = argc > 1 ? atoi(argv[1]) : 0, step = argc > 2 ? atoi(argv[2]) : laws_count();

    if (!ptxas_path())
        printf("ptx: ptxas is not installed: its check is skipped\n");
    for (int file = 0; next < laws_count(); file++) {
        cot_context *ctx = cot_context_new(NULL);
        IR_TRY (ctx) {
            check_batch(ctx, &next, step, file);
        }
        cot_context_free(ctx);
    }
    if (spills)
        printf("ptx: %d functions, %d spill; the largest stack is %ld bytes\n", made.functions,
               made.spill, made.stack);
    printf("ptx: %d programs, %d failures\n", programs, failures);
    return failures > 0;
}
