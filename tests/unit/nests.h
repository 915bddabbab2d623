/* Nests of conds, switches, loops and calls as text, and the size of what is made of them. */
#ifndef TESTS_UNIT_NESTS_H
#define TESTS_UNIT_NESTS_H

#include "codegen/backend.h"
#include "codegen/lower.h"
#include "cotrace/cotrace.h"
#include "passes/pass.h"
#include "tests/unit/meter.h"
#include "tests/unit/suite.h"

static const char leaves[] =
    "fn @less(%x: f32[4]) -> (bool[]) {\n %s = reduce_sum %x {axes=[0]} : f32[]\n"
    " %k = constant {data=9} : f32[]\n %0 = lt %s, %k : bool[]\n ret %0\n}\n"
    "fn @one(%x: f32[4]) -> (f32[4]) {\n %0 = constant {data=1} : f32[4]\n ret %0\n}\n"
    "fn @tan(%x: f32[4]) -> (f32[4]) {\n %0 = tan %x : f32[4]\n ret %0\n}\n"
    "fn @f0(%x: f32[4]) -> (f32[4]) {\n %0 = sin %x : f32[4]\n ret %0\n}\n"
    "fn @h0(%x: f32[4]) -> (f32[4]) {\n %0 = cos %x : f32[4]\n ret %0\n}\n";

/* A level: F stands for the function of the level before; H, for its other function. */
typedef struct family {
    const char *name, *node;
} family;

static inline void
write_level(ir_buf *b, char name, int i, const char *node)
{
    const char other = name == 'f' ? 'h' : 'f';

    ir_buf_printf(b,
                  "fn @%c%d(%%x: f32[4]) -> (f32[4]) {\n %%p = call %%x {body=@less} : bool[]\n"
                  " %%i = convert %%p {dtype=i32} : i32[]\n %%0 = ",
                  name, i);
    for (const char *c = node; *c; c++)
        if (*c == 'F' || *c == 'H')
            ir_buf_printf(b, "@%c%d", *c == 'F' ? name : other, i - 1);
        else
            ir_buf_printf(b, "%c", *c);
    ir_buf_str(b, " : f32[4]\n %1 = mul %0, %x : f32[4]\n ret %1\n}\n");
}

typedef struct size {
    size_t nodes, bytes;
} size;

static inline size_t
count_nodes(cot_context *c, const ir_graph *f)
{
    const ir_graph *const *all;
    size_t nodes = 0;
    ir_arena a;

    ir_arena_init(&a, c);
    for (uint32_t i = 0, n = ir_all_graphs(f, true, &all, &a); i < n; i++)
        nodes += all[i]->n_nodes - 1;
    ir_arena_free(&a);
    return nodes;
}

/* What a pipeline makes of the last function of a text, and the bytes that this and lowering
 * ask for. */
static inline size
measured_text(const char *name, const char *text, const char *pipeline)
{
    meter m = { 0 };
    cot_context *c = cot_context_new(&(cot_options){ .alloc = metered, .alloc_user = &m });
    cg_target target = { .vector_bits = 256 };
    cg_lower_options o = { .target = &target, .threads = 1, .fuse = true };
    cg_module *lowered;
    ir_module parsed;
    ir_graph *f = NULL;
    ir_arena a;
    size s;

    ir_arena_init(&a, c);
    ck_assert_msg(ir_parse(c, "nests", text, strlen(text), &parsed) == COT_OK, "%s",
                  cot_error(c));
    m.all = 0;
    ck_assert_msg(pass_pipeline(parsed.fn[parsed.n - 1], pipeline, NULL, NULL, &f) == COT_OK,
                  "%s of %s: %s", pipeline, name, cot_error(c));
    s.nodes = count_nodes(c, f);
    ck_assert_msg(pass_prepare(f, &f) == COT_OK, "%s: %s", name, cot_error(c));
    ck_assert_msg(cg_lower(f, &o, &a, &lowered) == COT_OK, "%s: %s", name, cot_error(c));
    s.bytes = m.all;
    ir_arena_free(&a);
    cot_context_free(c);
    return s;
}

#endif
