/* For suites of kernels that break one rule of the kernel IR: a kernel `main` with buffers to
 * read and to write, the instructions of which the kernels are built, and the test, which is a
 * row: what refuses the kernel, or that it is taken.  Beside each kernel that breaks a rule
 * stands the nearest one that keeps it. */
#ifndef TESTS_UNIT_MALFORMED_H
#define TESTS_UNIT_MALFORMED_H

#include "codegen/kernel/kernel.h"
#include "tests/unit/suite.h"

enum { N = 4096 };

static ir_arena arena;
static cg_module *m;
static cg_kernel *k;
static cg_build b;
static uint32_t x, y, flags; /* i64 that are read, i64 that are written, bool that are read */

static inline void
setup(void)
{
    suite_begin();
    ir_arena_init(&arena, ctx);
    m = cg_module_new(ctx, &arena, "test");
    k = cg_kernel_new(m, "main");
    cg_begin(&b, k);
    x = cg_buffer_add(k, "x", COT_I64, CG_IN, N);
    y = cg_buffer_add(k, "y", COT_I64, CG_OUT, N);
    flags = cg_buffer_add(k, "flags", COT_BOOL, CG_IN, N);
}

static inline void
teardown(void)
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
loop(cg_kind kind, int64_t n)
{
    return cg_loop_begin(&b, kind, number(0), number(n), 1, 0);
}

static inline cg_val
var(cg_val l)
{
    return cg_loop_var(&b, l);
}

static inline void
end(cg_val l)
{
    cg_loop_end(&b, l);
}

static inline cg_val
read(cg_val i)
{
    return cg_load(&b, x, i, 0);
}

static inline void
put(cg_val v)
{
    cg_store(&b, y, number(0), v, 0);
}

static inline cg_val
flag(void)
{
    return cg_load(&b, flags, number(0), 0);
}

static inline cg_insn *
last(cg_op op)
{
    for (uint32_t v = k->n_insns; v-- > 1;)
        if (k->insn[v].op == op)
            return &k->insn[v];
    ck_abort_msg("no such instruction");
}

/* A kernel; says: what refuses it, or NULL. */
typedef struct malformed_row {
    const char *says;
    void (*build)(int with);
    int with;
} malformed_row;

static inline void
malformed_check(const malformed_row *row, int i)
{
    const malformed_row *r = &row[i];

    r->build(r->with);
    const cot_status status = cg_verify(m);
    ck_assert_msg((status == COT_OK) == (r->says == NULL), "row %d, %s: %s", i,
                  r->says ? r->says : "well formed", status ? cot_error(ctx) : "it is taken");
    if (r->says) {
        ck_assert_int_eq(status, COT_ERR_INTERNAL);
        ck_assert_msg(strstr(cot_error(ctx), r->says) != NULL, "row %d: %s; wants: %s", i,
                      cot_error(ctx), r->says);
    }
}

#endif
