/* Collectives have no value by themselves: a vmap with their axis replaces them. */
#include "ir/diag.h"
#include "ir/eval/eval.h"

cot_status
eval_collective(const ir_eval_args *a)
{
    const char *over = a->at->over.over;
    return ir_fail(a->ctx, a->loc, ir_ops[a->op].name, ERR_axis_unbound, over, over);
}
