/* One compilation up to what is handed to an emitter, for counting instructions:
 *
 *     perf_lower NAME PARTS [PIPELINE]
 *
 * NAME is a program of tests/unit/growing.h.  The target is fixed, so that neither the
 * processor nor a library of LLVM matters.  All that is counted is in compiled(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/lower.h"
#include "cotrace/cotrace.h"
#include "passes/pass.h"
#include "tests/unit/growing.h"

static const struct {
    const char *name;
    write_program *write;
} programs[] = { { "waves", grow_waves },     { "products", grow_mlp },
                 { "stack", grow_stack },     { "convolutions", grow_convolutions },
                 { "scalars", grow_scalars }, { "steps", grow_steps },
                 { "rows", grow_rows },       { "updates", grow_updates },
                 { "conds", grow_conds } };
enum { PROGRAMS = sizeof programs / sizeof *programs };

__attribute__((noinline)) cot_status compiled(cot_context *c, const ir_buf *b,
                                              const char *pipeline, ir_arena *a);

cot_status
compiled(cot_context *c, const ir_buf *b, const char *pipeline, ir_arena *a)
{
    cg_target target = { .vector_bits = 256 };
    cg_lower_options o = { .target = &target, .threads = 1, .fuse = true };
    cg_module *lowered;
    ir_module m;
    ir_graph *f;
    cot_status s = ir_parse(c, "perf", b->text, b->n, &m);

    f = s == COT_OK ? m.fn[m.n - 1] : NULL;
    if (s == COT_OK && *pipeline)
        s = pass_pipeline(f, pipeline, NULL, NULL, &f);
    s = s == COT_OK ? pass_prepare(f, &f) : s;
    return s == COT_OK ? cg_lower(f, &o, a, &lowered) : s;
}

int
main(int argc, char **argv)
{
    cot_context *c = cot_context_new(NULL);
    cot_status s = COT_ERR_ARG;
    ir_arena a, text;
    ir_buf b;

    ir_arena_init(&a, c);
    ir_arena_init(&text, c);
    ir_buf_init(&b, &text);
    for (int i = 0; argc > 2 && i < PROGRAMS; i++)
        if (strcmp(programs[i].name, argv[1]) == 0) {
            programs[i].write(&b, atoi(argv[2]));
            s = compiled(c, &b, argc > 3 ? argv[3] : "", &a);
        }
    if (s != COT_OK)
        fprintf(stderr, "perf_lower: %s\n", cot_error(c));
    ir_arena_free(&text);
    ir_arena_free(&a);
    cot_context_free(c);
    return s != COT_OK;
}
