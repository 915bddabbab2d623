/* Pointwise ops: transpose of those that are linear in an operand, and vmap.
 *
 * A cotangent is multiplied by the other operands, which are known.  Under vmap the op stays
 * the same, since elements do not move. */
#include "passes/rules.h"

void
transpose_never(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f, (void)linear, (void)in, (void)ct, (void)ct_in;
    ir_build_fail(b, ir_ops[n->op].name, ERR_no_rule, "transpose",
                  "it is not linear in its operands");
}

void
transpose_neg(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
              const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f, (void)n, (void)linear, (void)in;
    ct_in[0] = tan_neg(b, ct[0]);
}

void
transpose_barrier(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                  const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)b, (void)f, (void)n, (void)linear, (void)in;
    ct_in[0] = ct[0];
}

void
transpose_add(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
              const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)b, (void)f, (void)n, (void)in;
    for (int i = 0; i < 2; i++)
        ct_in[i] = linear[i] ? ct[0] : IR_NONE;
}

void
transpose_sub(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
              const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f, (void)n, (void)in;
    ct_in[0] = linear[0] ? ct[0] : IR_NONE;
    ct_in[1] = linear[1] ? tan_neg(b, ct[0]) : IR_NONE;
}

void
transpose_mul(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
              const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f, (void)n;
    for (int i = 0; i < 2; i++)
        ct_in[i] = linear[i] ? tan_mul(b, ct[0], in[1 - i]) : IR_NONE;
}

void
transpose_div(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
              const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f, (void)n, (void)linear;
    ct_in[0] = tan_div(b, ct[0], in[1]);
}

void
transpose_convert(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                  const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)linear, (void)in;
    ct_in[0] = ir_convert(b, ct[0], ir_type_at(f, n->in[0])->dtype);
}

/* The pairing Re(conj(ct) y) is the sum of the products of the parts. */
void
transpose_complex(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                  const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f, (void)n, (void)in;
    ct_in[0] = linear[0] && ct[0] ? ir_op1(b, OP_real, ct[0]) : IR_NONE;
    ct_in[1] = linear[1] && ct[0] ? ir_op1(b, OP_imag, ct[0]) : IR_NONE;
}

void
transpose_conj(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
               const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f, (void)n, (void)linear, (void)in;
    ct_in[0] = ct[0] ? ir_op1(b, OP_conj, ct[0]) : IR_NONE;
}

void
transpose_real(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
               const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f, (void)n, (void)linear, (void)in;
    ct_in[0] = ct[0] ? ir_op2(b, OP_complex, ct[0], ir_like(b, ct[0], 0)) : IR_NONE;
}

void
transpose_imag(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
               const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f, (void)n, (void)linear, (void)in;
    ct_in[0] = ct[0] ? ir_op2(b, OP_complex, ir_like(b, ct[0], 0), ct[0]) : IR_NONE;
}

void
transpose_fma(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
              const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f, (void)n;
    for (int i = 0; i < 2; i++)
        ct_in[i] = linear[i] ? tan_mul(b, ct[0], in[1 - i]) : IR_NONE;
    ct_in[2] = linear[2] ? ct[0] : IR_NONE;
}

void
transpose_select(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                 const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f, (void)n;
    ct_in[1] = linear[1] ? tan_select(b, in[0], ct[0], IR_NONE) : IR_NONE;
    ct_in[2] = linear[2] ? tan_select(b, in[0], IR_NONE, ct[0]) : IR_NONE;
}

void
vmap_never(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
           const bool *mapped, ir_ref *y, bool *out_mapped)
{
    (void)f, (void)size, (void)in, (void)mapped, (void)y, (void)out_mapped;
    ir_build_fail(b, ir_ops[n->op].name, ERR_no_rule, "vmap",
                  "it has no operand that could be mapped");
}

/* The same op; operands that are not mapped are broadcast along the first axis. */
void
vmap_pointwise(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
               const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_ref operand[4];
    (void)f, (void)out_mapped;
    for (int i = 0; i < n->n_in; i++)
        operand[i] = pass_map_operand(b, in[i], mapped[i], size);
    y[0] = ir_node1(b, (ir_op)n->op, n->n_in, operand, n->at);
}
