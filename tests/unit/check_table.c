/* The table of ops agrees with itself: what one column says of a row, another does not deny. */
#include "ir/op.h"
#include "tests/unit/suite.h"

#include <string.h>

typedef struct columns {
    const char *eval, *transpose, *lower, *plan, *words;
} columns;

static const columns row_of[OP_COUNT] = {
#define OP(name, n_in, attrs, flags, infer, eval, jvp, transpose, vmap, lower, fold, plan,     \
           facts, doc)                                                                         \
    [OP_##name] = { #eval, #transpose, #lower, #plan, #facts },
#include "ir/ops.def"
#undef OP
};

static bool
is_never(const char *rule)
{
    return strcmp(rule, "never") == 0;
}

/* A row that can be lowered in no way is one that a pass removes before. */
START_TEST(what_reaches_kernels_can_be_lowered)
{
    const int op = _i + OP_FIRST;
    const ir_op_info *row = &ir_ops[op];
    const bool gone = row->flag == IR_EXPAND || row->flag == IR_COLLECTIVE || row->writes ||
                      row->alias || row->record == IR_AT_implicit || op == OP_custom_tangent ||
                      strcmp(row_of[op].eval, "parts") == 0;
    const bool lowered = !is_never(row_of[op].lower) || row->kernel != IR_KERNEL_none;

    ck_assert_msg(gone != lowered, "%s: lower is %s, plan is %s", row->name, row_of[op].lower,
                  row_of[op].plan);
}
END_TEST

START_TEST(facts_agree_with_rules)
{
    const int op = _i + OP_FIRST;
    const ir_op_info *row = &ir_ops[op];

    ck_assert_msg(row->linear == IR_LINEAR_JOINTLY || !is_never(row_of[op].transpose),
                  "%s is linear in an operand and has no transpose", row->name);
    ck_assert_msg(!row->view || (row->flag == IR_MOVE && row->n_in == 1), "%s is no view",
                  row->name);
    ck_assert_msg(!row->view || row->cost != IR_EXPENSIVE, "%s is a view that costs",
                  row->name);
    ck_assert_msg(!row->alias || ir_ops[row->alias].record == row->record,
                  "%s and %s have different attributes", row->name, ir_ops[row->alias].name);
    ck_assert_msg(row->flag != IR_REDUCE || row->by != IR_BY_NONE, "%s combines nothing",
                  row->name);
    ck_assert_msg((row->results == IR_OF_BODY) == (row->flag == IR_FLOW),
                  "%s has results of a body", row->name);
    ck_assert_msg(!row->loop || ir_runs_bodies((unsigned)op), "%s loops over nothing",
                  row->name);
}
END_TEST

/* Of the ops of a family each combines in another way: so ir_op_by finds it. */
START_TEST(families_have_one_op_for_each_way)
{
    const int op = _i + OP_FIRST;

    if (ir_ops[op].by != IR_BY_NONE && ir_ops[op].flag != IR_POINTWISE)
        ck_assert_int_eq(ir_op_by((ir_op)op, ir_ops[op].by), op);
    ck_assert_int_eq(ir_op_by((ir_op)op, IR_BY_NONE), OP_none);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(what_reaches_kernels_can_be_lowered, OP_COUNT - OP_FIRST),
        EACH(facts_agree_with_rules, OP_COUNT - OP_FIRST),
        EACH(families_have_one_op_for_each_way, OP_COUNT - OP_FIRST),
    };

    return SUITE("table", cases);
}
