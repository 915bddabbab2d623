/* What the suites of GPU kernels share: a context, programs from text, PTX and what it must
 * have. */
#ifndef TESTS_UNIT_GRID_SUITE_H
#define TESTS_UNIT_GRID_SUITE_H

#include "tests/grid.h"
#include "tests/laws/programs.h"
#include "tests/ptxas.h"
#include "traced.h"

static const ir_graph *
parsed(const char *text)
{
    ir_module m;

    ck_assert_msg(ir_parse(ctx, "grid.cot", text, strlen(text), &m) == COT_OK, "%s\n%s",
                  cot_error(ctx), text);
    return m.fn[m.n - 1];
}

/* The PTX of f, which has the (up to four) texts and which ptxas takes, where there is one;
 * NULL without LLVM. */
static const char *
ptx_with(const ir_graph *f, cg_target t, const char *const *texts)
{
    const void *ptx;
    cg_module *m;
    size_t size;

    if (!cg_llvm())
        return NULL;
    ck_assert_msg(grid_lower(f, &t, &m) == COT_OK, "%s", cot_error(ctx));
    const cg_natural fn = { .name = "f", .module = m };
    ck_assert_msg(cg_llvm()->emit(ctx, &t, CG_TO_PTX, 1, &fn, &ctx->arena, &ptx, &size) ==
                      COT_OK,
                  "%s", cot_error(ctx));
    for (int i = 0; i < 4 && texts[i]; i++)
        ck_assert_msg(strstr(ptx, texts[i]) != NULL, "no %s in\n%s", texts[i],
                      (const char *)ptx);
    if (ptxas_path())
        ck_assert(ptxas_takes(t.cpu, ptx, size, 1));
    return ptx;
}

#endif
