/* C source as freestanding code: it compiles without a warning, needs no symbol but memmove,
 * memcpy and memset, and gives the evaluator's bits.
 *
 *   freestanding LANES FIRST STEP COMPILER [OPTION ...]
 *
 * Programs FIRST, FIRST + STEP, ... of the laws go into one file of all widths, of which
 * COT_LANES takes one.  cc links it with -nostdlib, and what it leaves undefined is an error.
 * LANES 0: whatever the compiler's target says.  A compiler without vectors of gcc's takes
 * plain C11 out of the same file.  An OPTION may be the compiler's runtime, an archive. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/laws/batch.h"
#include "tests/laws/programs.h"

static const char library[] =
    "#include <stddef.h>\n"
    "void *memcpy(void *restrict to, const void *restrict from, size_t n);\n"
    "void *memmove(void *to, const void *from, size_t n);\n"
    "void *memset(void *to, int x, size_t n);\n"
    "void *memcpy(void *restrict to, const void *restrict from, size_t n) { return memmove(to, "
    "from, n); }\n"
    "void *memmove(void *to, const void *from, size_t n)\n{\n"
    "    unsigned char *p = to;\n    const unsigned char *q = from;\n"
    "    if (p < q)\n        for (size_t i = 0; i < n; i++)\n            p[i] = q[i];\n"
    "    else\n        for (size_t i = n; i-- > 0;)\n            p[i] = q[i];\n    return "
    "to;\n}\n"
    "void *memset(void *to, int x, size_t n)\n{\n"
    "    for (size_t i = 0; i < n; i++)\n        ((unsigned char *)to)[i] = (unsigned "
    "char)x;\n    return to;\n}\n";

static const char warnings[] =
    "-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror";

/* The command that compiles the batch's file with warnings and the library without loops turned
 * into calls.  An option that ends in ".a" is the compiler's own runtime, for the linker. */
static const char *
command(batch *b, const char *files, int lanes, int n, char **compiler)
{
    const char *cc = compiler[0], *runtime = "",
               *choice = lanes ? ir_format(&b->ctx->arena, "-DCOT_LANES=%d", lanes) : "";

    for (int i = 1; i < n; i++) {
        const size_t length = strlen(compiler[i]);
        if (length > 2 && strcmp(compiler[i] + length - 2, ".a") == 0)
            runtime = compiler[i];
        else
            cc = ir_format(&b->ctx->arena, "%s %s", cc, compiler[i]);
    }
    return ir_format(
        &b->ctx->arena,
        "cc -ffreestanding -fno-builtin -fPIC -O1 -c library.c -o library.o && "
        "%s -ffreestanding %s %s -fPIC -c%s -o x.o && "
        "cc -nostdlib -shared -Wl,-z,defs,-z,noexecstack -o x.so x.o library.o %s",
        cc, warnings, choice, files, runtime);
}

static bool
write_library(const batch *b)
{
    char path[128];
    snprintf(path, sizeof path, "%s/library.c", b->folder);
    FILE *file = fopen(path, "w");
    return file && fputs(library, file) >= 0 && fclose(file) == 0;
}

int
main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    const int lanes = atoi(argv[1]), first = atoi(argv[2]), step = atoi(argv[3]);
    batch *b = calloc(1, sizeof *b);
    cot_context *ctx = cot_context_new(NULL);
    int n = 0, failures;

    if (!batch_has(argv[4])) {
        printf("skipped: %s is not here\n", argv[4]);
        return 77;
    }
    batch_begin(b, ctx);
    IR_TRY(ctx) {
        for (int i = first; i < laws_count() && b->n < MAX_BATCH; i += step) {
            laws_program p;
            if (laws_make(ctx, i, &p))
                batch_add(b, &(batch_program){ .name = p.op,
                                               .text = p.text,
                                               .f = p.f,
                                               .lo = p.lo,
                                               .hi = p.hi,
                                               .special = true,
                                               .seed = 4000 + (uint64_t)i });
        }
        if (write_library(b))
            batch_c(b, BY_GCC, command(b, batch_write_c(b), lanes, argc - 4, argv + 4), "x.so");
    }
    for (int i = 0; i < b->n; i++)
        n += b->p[i].answer[BY_GCC] == BATCH_SAME;
    failures = b->failures;
    printf("freestanding: %d of %d programs, %d failures\n", n, b->n, failures);
    batch_end(b);
    cot_context_free(ctx);
    free(b);
    return failures > 0 || n == 0;
}
