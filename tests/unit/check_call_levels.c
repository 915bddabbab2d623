/* Functions that call each other in many levels: 2^20 calls of the last one, written in the
 * space of twenty.  The text grows with the levels, and so does the memory in which they run;
 * only a GPU, whose kernels call no others, would need a copy for each call, and refuses. */
#include "codegen/backend.h"
#include "codegen/lower.h"
#include "cotrace/cotrace.h"
#include "passes/pass.h"
#include "tests/unit/suite.h"

enum { LEVELS = 20 };

static ir_arena arena;

static void
setup(void)
{
    suite_begin();
    ir_arena_init(&arena, ctx);
}

static void
teardown(void)
{
    ir_arena_free(&arena);
    suite_end();
}

static void
write_levels(ir_buf *b, int levels)
{
    ir_buf_str(b, "fn @f0(%x: f32[]) -> (f32[]) {\n  %0 = sin %x : f32[]\n  ret %0\n}\n");
    for (int i = 1; i <= levels; i++)
        ir_buf_printf(b,
                      "fn @f%d(%%x: f32[]) -> (f32[]) {\n  %%0 = call %%x {body=@f%d} : f32[]\n"
                      "  %%1 = call %%0 {body=@f%d} : f32[]\n  ret %%1\n}\n",
                      i, i - 1, i - 1);
}

static void
write_loop(ir_buf *b, int levels)
{
    ir_buf_printf(b,
                  "fn @f0(%%x: f32[]) -> (f32[]) {\n  %%0 = sin %%x : f32[]\n  ret %%0\n}\n"
                  "fn @f(%%x: f32[]) -> (f32[]) {\n  %%0 = scan %%x {carries=1, length=%d, "
                  "body=@f0} : f32[]\n  ret %%0\n}\n",
                  1 << levels);
}

static ir_graph *
prepared(void (*write)(ir_buf *b, int levels))
{
    ir_module m;
    ir_graph *f;
    ir_buf b;

    ir_buf_init(&b, &arena);
    write(&b, LEVELS);
    ck_assert_msg(ir_parse(ctx, "levels", b.text, b.n, &m) == COT_OK, "%s", cot_error(ctx));
    ck_assert_msg(pass_prepare(m.fn[m.n - 1], &f) == COT_OK, "%s", cot_error(ctx));
    return f;
}

/* 2^20 sines: each function has twice those of the one before. */
START_TEST(twenty_levels_of_two_calls_run)
{
    float x = 1.5F, y[2];

    for (int k = 0; k < 2 && cg_llvm(); k++) {
        cg_target target = { .vector_bits = 128 };
        const cg_lower_options o = { .target = &target, .threads = 1, .fuse = true };
        cg_module *m;
        cg_code code;

        ck_assert_int_eq(cg_llvm()->target(ctx, &target), COT_OK);
        ck_assert_msg(cg_lower(prepared(k ? write_levels : write_loop), &o, &arena, &m) ==
                      COT_OK, "%s", cot_error(ctx));
        ck_assert_msg(cg_verify(m) == COT_OK, "%s", cot_error(ctx));
        ck_assert_int_eq(cg_llvm()->load(ctx, &target, m, &code), COT_OK);
        ck_assert_int_le(m->work_bytes, 4096);
        _Alignas(64) char work[4096];
        ck_assert_int_eq(code.entry((void *[]){ &x, &y[k] }, work), 0);
        cg_llvm()->unload(&code);
    }
    ck_assert(!cg_llvm() || memcmp(&y[0], &y[1], sizeof *y) == 0);
}
END_TEST

START_TEST(too_many_copies_for_a_gpu_are_refused)
{
    const cg_target target = { .vector_bits = 32, .grid = true };
    const cg_lower_options o = { .target = &target, .threads = 1, .fuse = true };
    cg_module *m;

    ck_assert_int_eq(cg_lower(prepared(write_levels), &o, &arena, &m), COT_ERR_LIMIT);
    ck_assert_msg(strstr(cot_error(ctx), "levels:") && strstr(cot_error(ctx), "unfold to"),
                  "%s", cot_error(ctx));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(twenty_levels_of_two_calls_run),
        ONCE(too_many_copies_for_a_gpu_are_refused),
    };

    return SUITE_WITH("call_levels", cases, setup, teardown);
}
