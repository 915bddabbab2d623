/* Every op of one floating operand at all 65,536 patterns of f16 and of bf16: compiled code
 * gives the evaluator's bits.  Which NaN is not promised (its sign and payload are the
 * machine's), that it is one is. */
#include "ir/op.h"
#include "suite.h"
#include "traced.h"

enum { PATTERNS = 65536 };

static uint16_t patterns[PATTERNS], reference[PATTERNS], compiled[PATTERNS];

static bool
is_nan(cot_dtype t, uint16_t x)
{
    return (x & 0x7fff) > (t == COT_F16 ? 0x7c00 : 0x7f80);
}

static void
run(const cot_graph *g, cot_dtype t, const char *backend, uint16_t *to)
{
    const cot_type all = cot_type_new(t, 1, (const int64_t[]){ PATTERNS });
    cot_array *in = cot_array_borrow(ctx, all, patterns),
              *out = cot_array_borrow(ctx, cot_graph_out_type(g, 0), to);
    cot_kernel *k = NULL;

    ck_assert_msg(cot_compile_graph(g, &(cot_compile_options){ .backend = backend }, &k) ==
                      COT_OK,
                  "%s", cot_error(ctx));
    ck_assert_msg(cot_run(k, &out, (const cot_array *const *)&in) == COT_OK, "%s",
                  cot_error(ctx));
    cot_kernel_free(k);
    cot_array_free(in);
    cot_array_free(out);
}

/* The op, from f16 or bf16 to the same type; NULL where it takes none of them. */
static const cot_graph *
op_alone(const char *op, const char *type)
{
    char text[300];
    const cot_graph *g;

    snprintf(text, sizeof text,
             "fn @f(%%x: %s[65536]) -> %s[65536] {\n  %%0 = %s %%x : %s[65536]\n  ret %%0\n}\n",
             type, type, op, type);
    if (cot_parse(ctx, "f.cot", text, strlen(text), NULL, &g) == COT_OK)
        return g;
    cot_error_clear(ctx);
    return NULL;
}

/* _i: twice an op, and which of the types. */
START_TEST(same_bits)
{
    static const char *const names[] = { "f16", "bf16" };
    static const cot_dtype types[] = { COT_F16, COT_BF16 };
    const ir_op_info *op = &ir_ops[_i / 2];
    const cot_dtype t = types[_i % 2];
    const cot_graph *g =
        op->flag == IR_POINTWISE && op->n_in == 1 ? op_alone(op->name, names[_i % 2]) : NULL;

    for (int i = 0; i < PATTERNS; i++)
        patterns[i] = (uint16_t)i;
    if (!g)
        return;
    run(g, t, "eval", reference);
    run(g, t, "jit", compiled);
    for (int i = 0; i < PATTERNS; i++)
        ck_assert_msg(
            reference[i] == compiled[i] || (is_nan(t, reference[i]) && is_nan(t, compiled[i])),
            "%s of %s 0x%04x: 0x%04x by the evaluator, 0x%04x compiled", op->name,
            names[_i % 2], (unsigned)i, (unsigned)reference[i], (unsigned)compiled[i]);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = { EACH(same_bits, 2 * OP_COUNT) };

    return SUITE("halves", cases);
}
