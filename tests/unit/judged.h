/* For suites that judge functions of the table by MPFR: numbers drawn, and an op run on
 * them. */
#ifndef TESTS_UNIT_JUDGED_H
#define TESTS_UNIT_JUDGED_H

#include "ir/context.h"
#include "ir/scalar.h"
#include "tests/ulp.h"
#include "tests/unit/suite.h"

static ir_arena arena;
static uint64_t state = 88172645463325252u;

static inline void
judged_begin(void)
{
    suite_begin();
    ir_arena_init(&arena, ctx);
}

static inline void
judged_end(void)
{
    ir_arena_free(&arena);
    suite_end();
    mpfr_free_cache();
}

static inline uint64_t
draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static inline double
uniform(double lo, double hi)
{
    return lo + (hi - lo) * (double)(draw() >> 11) * 0x1p-53;
}

enum { MANY = 70000 }; /* samples at the most */
static double x[MANY], y[MANY], x2[MANY];

/* op on n values held as doubles. */
static inline void
run(ir_op op, bool wide, int operands, int n)
{
    cot_dtype in[2] = { wide ? COT_F64 : COT_F32, wide ? COT_F64 : COT_F32 };
    const ir_sc_program *p = ir_sc_of(ctx, op, NULL, operands, in, in[0]);
    static float s[MANY], s2[MANY], t[MANY];

    ck_assert_ptr_nonnull(p);
    if (wide) {
        ir_sc_run(&arena, p, n, y, (const void *[]){ x, x2 });
        return;
    }
    for (int i = 0; i < n; i++) {
        s[i] = (float)x[i];
        s2[i] = (float)x2[i];
    }
    ir_sc_run(&arena, p, n, t, (const void *[]){ s, s2 });
    for (int i = 0; i < n; i++)
        y[i] = t[i];
}

#endif
