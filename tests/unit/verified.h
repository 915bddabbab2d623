/* Kernels built by hand, each with a mistake and without: the verifier takes the one and
 * refuses the other. */
#ifndef TESTS_UNIT_VERIFIED_H
#define TESTS_UNIT_VERIFIED_H

#include "codegen/kernel/kernel.h"
#include "tests/unit/suite.h"

/* A module with the kernel `main`, and its end. */
static ir_arena arena;
static cg_module *m;
static cg_kernel *k;
static cg_build b;

typedef struct verified_row {
    const char *name;
    void (*build)(bool wrong);
} verified_row;

static inline void
verified_begin(void)
{
    suite_begin();
    ir_arena_init(&arena, ctx);
    m = cg_module_new(ctx, &arena, "test");
    k = cg_kernel_new(m, "main");
    cg_begin(&b, k);
}

static inline void
verified_end(void)
{
    ir_arena_free(&arena);
    suite_end();
}

static inline cg_val
number(int64_t i)
{
    return cg_i64(&b, i);
}

static inline cg_val
loop_between(cg_kind kind, cg_val lo, cg_val hi, int64_t step, cg_val limit, cg_val *i)
{
    const cg_val l = cg_loop_begin(&b, kind, lo, hi, step, limit);

    *i = cg_loop_var(&b, l);
    return l;
}

static inline cg_val
loop(cg_kind kind, int64_t n, cg_val *i)
{
    return loop_between(kind, number(0), number(n), 1, 0, i);
}

static inline void
verified_is_proved(const verified_row *row)
{
    row->build(false);
    ck_assert_msg(cg_verify(m) == COT_OK, "%s: %s", row->name, cot_error(ctx));
}

static inline void
verified_is_refused(const verified_row *row, const char *message)
{
    row->build(true);
    ck_assert_msg(cg_verify(m) == COT_ERR_INTERNAL, "%s is taken", row->name);
    ck_assert_msg(strstr(cot_error(ctx), message) != NULL, "%s: %s", row->name, cot_error(ctx));
}

#endif
