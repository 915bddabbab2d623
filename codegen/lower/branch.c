/* Calls and branches inside a kernel: an element of a result is emitted inline, through a frame
 * of the sub-function. */
#include "codegen/elemental/element.h"
#include "codegen/lower/rules.h"

/* A frame for f in which input i is operand first + i of node n of frame fr. */
static cg_frame *
inner_frame(cg_lowering *l, cg_frame *fr, const ir_node *n, const ir_graph *f, int first)
{
    cg_frame *in = cg_frame_new(l, f);
    for (int i = 0; i < f->n_in; i++)
        cg_bind_value(l, in, f->in[i],
                      (cg_bind){ .kind = CG_BIND_OUTER, .frame = fr, .ref = n->in[first + i] });
    return in;
}

cg_val
lower_call(cg_lowering *l, cg_frame *fr, const ir_node *n, int result, const cg_ix *at)
{
    const ir_graph *f = n->at->call.body;
    return cg_element(l, inner_frame(l, fr, n, f, 0), f->out[result], at);
}

static cg_val
inline_branches(cg_lowering *l, cg_frame *fr, const ir_node *n, int result, const cg_ix *at,
                cg_val index, int k)
{
    const ir_graph *f = n->at->cond.branches.at[k];
    cot_dtype t = ir_type_at(fr->f, n->in[0])->dtype;
    cg_frame *in = inner_frame(l, fr, n, f, 1);
    if (k == n->at->cond.branches.n - 1)
        return cg_element(l, in, f->out[result], at);
    cg_val here = t == COT_BOOL ? cg_insn1(&l->b, SC_not, t, index)
        : cg_insn2(&l->b, SC_le, t, index, cg_const(&l->b, t, (uint64_t)k));
    cg_val branch = cg_if_begin(&l->b, here);
    cg_val x = cg_element(l, in, f->out[result], at);
    cg_if_else(&l->b, branch);
    cg_val y = inline_branches(l, fr, n, result, at, index, k + 1);
    int i =
        cg_if_yield(&l->b, branch, ir_type_at(fr->f, n->first + (ir_ref)result)->dtype, x, y);
    cg_if_end(&l->b, branch);
    return cg_loop_result(&l->b, branch, i);
}

/* The index of a mapped cond is read at the leading axes of the result's index. */
cg_val
lower_cond(cg_lowering *l, cg_frame *fr, const ir_node *n, int result, const cg_ix *at)
{
    return inline_branches(l, fr, n, result, at, cg_element(l, fr, n->in[0], at), 0);
}
