/* Kernels are proved in every compilation, also where nobody asks for the checks of passes, and
 * a kernel that is refused is called a mistake of the library, with the user's line.
 *
 * A target of three lanes, which there is not, makes lowering write such kernels. */
#include "codegen/lower.h"
#include "codegen/verify/ranges.h"
#include "passes/pass.h"
#include "tests/unit/verified.h"

static void
setup(void)
{
    verified_begin();
    ctx->config.verify = false;
}

static void
want_message(const char *kernel, const char *line)
{
    const char *const part[] = { "a mistake of the library, not of the program "
                                 "(please report it with the dump of the function): ",
                                 kernel, line };

    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        ck_assert_msg(strstr(cot_error(ctx), part[i]) != NULL, "%s: %s", part[i],
                      cot_error(ctx));
}

static ir_graph *
prepared(const char *text)
{
    ir_module parsed;
    ir_graph *f;

    ck_assert_int_eq(ir_parse(ctx, "model.cot", text, strlen(text), &parsed), COT_OK);
    ck_assert_int_eq(pass_prepare(parsed.fn[0], &f), COT_OK);
    return f;
}

static cot_status
lower(int vector_bits)
{
    const ir_graph *f = prepared("fn @f(%x: f32[1000]) -> f32[1000] {\n"
                                 "  %0 = tanh %x : f32[1000]\n"
                                 "  ret %0\n"
                                 "}\n");
    const cg_target target = { .vector_bits = vector_bits,
                               .registers = 16,
                               .l1 = 32 << 10,
                               .l2 = 512 << 10,
                               .l3 = 8 << 20 };
    cg_module *lowered;

    return cg_lower(f, &(cg_lower_options){ .target = &target, .threads = 1, .fuse = true },
                    &arena, &lowered);
}

START_TEST(every_compilation_is_proved)
{
    ck_assert_msg(lower(128) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(lower(96), COT_ERR_INTERNAL);
    want_message("kernel tanh", "model.cot:2");
}
END_TEST

START_TEST(store_beside_its_buffer)
{
    const uint32_t y = cg_buffer_add(k, "y", COT_F32, CG_OUT, 8);

    b.loc = ir_loc_file(ctx, "model.c", 12);
    cg_store(&b, y, number(8), cg_const(&b, COT_F32, 0), 0);
    ck_assert_int_eq(cg_verify(m), COT_ERR_INTERNAL);
    want_message("kernel main", "model.c:12");
}
END_TEST

START_TEST(element_that_is_not_taken)
{
    b.loc = ir_loc_file(ctx, "model.c", 13);
    cg_reduction_new(&b, 1, 0, 1);
    ck_assert_int_eq(cg_verify(m), COT_ERR_INTERNAL);
    want_message("kernel main", "model.c:13");
}
END_TEST

/* What an emitter touches is compared as well. */
START_TEST(emitters_report)
{
    const uint32_t y = cg_buffer_add(k, "y", COT_F32, CG_OUT, 8);
    ir_loc loc = 0;

    b.loc = ir_loc_file(ctx, "model.c", 14);
    cg_store(&b, y, number(7), cg_const(&b, COT_F32, 0), 0);
    cg_ranges *r = cg_ranges_of(k, &arena);
    cg_report(r, &(cg_touched){ .access = k->n_insns - 1, .count = 1 });
    ck_assert_ptr_null(cg_ranges_why(r, &loc));
    cg_report(r, &(cg_touched){ .access = k->n_insns - 1, .count = 2 });
    ck_assert_ptr_nonnull(cg_ranges_why(r, &loc));
    ck_assert_int_eq(loc, b.loc);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(every_compilation_is_proved),
        ONCE(store_beside_its_buffer),
        ONCE(element_that_is_not_taken),
        ONCE(emitters_report),
    };

    return SUITE_WITH("proofs", cases, setup, verified_end);
}
