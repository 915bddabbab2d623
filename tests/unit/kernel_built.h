/* For suites that build kernels by hand: one module with one kernel, made anew for each case,
 * its buffers, and a run of it by the JIT. */
#ifndef TESTS_UNIT_KERNEL_BUILT_H
#define TESTS_UNIT_KERNEL_BUILT_H

#include "codegen/backend.h"
#include "tests/unit/suite.h"

static ir_arena arena;
static cg_module *m;
static cg_kernel *k;
static cg_build b;
static const int lanes_row[] = { 1, 4, 8, 16, 32 };
static float fx[8192], fy[8192], fz[8192];

static inline void
setup(void)
{
    suite_begin();
    ir_arena_init(&arena, ctx);
    m = cg_module_new(ctx, &arena, "test");
    k = cg_kernel_new(m, "main");
    cg_begin(&b, k);
    for (int i = 0; i < 8192; i++) {
        fx[i] = (float)((i * 7919 % 1009) - 500) / 37.0f;
        fy[i] = (float)((i * 104729 % 2003) - 1000) / 91.0f;
        fz[i] = -777;
    }
}

static inline void
teardown(void)
{
    ir_arena_free(&arena);
    suite_end();
}

static inline uint32_t
buffer(const char *name, cot_dtype t, cg_space space, int64_t n)
{
    uint32_t i = cg_buffer_add(k, name, t, space, n);

    if (space <= CG_OUT)
        k->buffer[i].arg = m->n_args++;
    return i;
}

static inline void
run(void *const *args)
{
    cg_target t = { 0 };
    cg_code code = { 0 };

    ck_assert_msg(cg_verify(m) == COT_OK, "%s", cot_error(ctx));
    ck_assert_msg(cg_llvm()->target(ctx, &t) == COT_OK, "%s", cot_error(ctx));
    ck_assert_msg(cg_llvm()->load(ctx, &t, m, &code) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(code.entry(args, NULL), 0);
    cg_llvm()->unload(&code);
}

static inline cg_val
f32(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, 4);
    return cg_const(&b, COT_F32, bits);
}

static inline cg_val
loop(cg_kind kind, int64_t lo, int64_t hi, int64_t step)
{
    return cg_loop_begin(&b, kind, cg_i64(&b, lo), cg_i64(&b, hi), step, 0);
}

static inline void
same(const float *got, const float *want, int n)
{
    for (int i = 0; i < n; i++)
        ck_assert_msg(memcmp(&got[i], &want[i], 4) == 0, "element %d is %a; wants %a", i,
                      got[i], want[i]);
}

#endif
