/* Instructions at the beginning of a kernel that compute numbers from the sizes of a call. */
#include "codegen/open/rewrite.h"

cg_val
cg_open_insn(cg_rewriting *r, cg_insn x)
{
    cg_kernel *k = r->k;
    const cg_val v = k->n_insns;

    IR_PUSH(k->arena, k->insn, k->n_insns, k->cap_insns, x);
    IR_PUSH(k->arena, r->before.insn, r->before.n, r->before.cap, v);
    return v;
}

cg_val
cg_open_i64(cg_rewriting *r, int64_t x)
{
    return cg_open_insn(r, (cg_insn){ .op = SC_const, .type = COT_I64, .imm = (uint64_t)x });
}

cg_val
cg_open_op(cg_rewriting *r, ir_sc_op op, cg_val x, cg_val y)
{
    return cg_open_insn(r, (cg_insn){ .op = (uint8_t)op, .type = COT_I64, .in = { x, y } });
}

cg_val
cg_open_scaled(cg_rewriting *r, cg_val x, int64_t factor)
{
    return factor == 1 ? x : cg_open_op(r, SC_mul, x, cg_open_i64(r, factor));
}

/* sum 0: there is none yet. */
cg_val
cg_open_added(cg_rewriting *r, cg_val sum, cg_val x)
{
    return sum ? cg_open_op(r, SC_add, sum, x) : x;
}

cg_val
cg_open_polynomial(cg_rewriting *r, const cg_polynomial *p, cg_val sum)
{
    for (int i = 0; i < p->n; i++) {
        cg_val x = r->size[p->term[i].size[0]];

        for (int k = 1; k < p->term[i].degree; k++)
            x = cg_open_op(r, SC_mul, x, r->size[p->term[i].size[k]]);
        sum = cg_open_added(r, sum, cg_open_scaled(r, x, p->term[i].factor));
    }
    return p->constant || !sum ? cg_open_added(r, sum, cg_open_i64(r, p->constant)) : sum;
}

/* SC_div rounds towards 0, and SC_shr down. */
static cg_val
floor_divided(cg_rewriting *r, cg_val x, const cg_polynomial *p, int64_t divisor)
{
    if ((divisor & (divisor - 1)) == 0)
        return cg_open_op(r, SC_shr, x, cg_open_i64(r, __builtin_ctzll((uint64_t)divisor)));
    const cg_val d = cg_open_i64(r, divisor);

    if (cg_polynomial_may_be_negative(p)) {
        const cg_val rest = cg_open_op(r, SC_rem, x, d);
        x = cg_open_op(r, SC_sub, x, cg_open_op(r, SC_rem, cg_open_op(r, SC_add, rest, d), d));
    }
    return cg_open_op(r, SC_div, x, d);
}

cg_val
cg_open_value(cg_rewriting *r, const cg_size_form *f)
{
    cg_val sum = 0;

    for (uint32_t i = 0; i < r->n_forms; i++)
        if (cg_form_same(r->form[i], f))
            return r->computed[i];
    for (int i = 0; i < f->n; i++) {
        const cg_val of = cg_open_polynomial(r, &f->quotient[i].of, 0);
        const cg_val quotient =
            floor_divided(r, of, &f->quotient[i].of, f->quotient[i].divisor);

        cg_val part = cg_open_scaled(r, quotient, f->quotient[i].factor);
        if (f->quotient[i].times)
            part = cg_open_op(r, SC_mul, part, r->size[f->quotient[i].times - 1]);
        sum = cg_open_added(r, sum, part);
    }
    if (f->whole.n || f->whole.constant || !sum)
        sum = cg_open_polynomial(r, &f->whole, sum);
    IR_PUSH(r->k->arena, r->computed, r->n, r->cap, sum);
    IR_PUSH(r->k->arena, r->form, r->n_forms, r->cap_forms, f);
    return sum;
}

/* The entry loads the sizes; other kernels have them as parameters. */
void
cg_open_find_sizes(cg_rewriting *r, cg_module *m)
{
    cg_kernel *k = r->k;
    uint32_t buffer = 0;

    if (k == m->kernel[0]) {
        buffer = cg_buffer_add(k, "sizes", COT_I64, CG_IN, r->n_sizes);
        k->buffer[buffer].arg = m->n_args++;
        k->buffer[buffer].sizes = true;
    }
    for (int i = 0; i < r->n_sizes; i++)
        r->size[i] = k == m->kernel[0]
                         ? cg_open_insn(r, (cg_insn){ .op = CG_LOAD,
                                                      .type = COT_I64,
                                                      .imm = buffer,
                                                      .in = { cg_open_i64(r, i) } })
                         : cg_open_insn(r, (cg_insn){ .op = CG_PARAM,
                                                      .type = COT_I64,
                                                      .imm = (uint64_t)(k->n_params + i) });
    if (k != m->kernel[0])
        k->n_params += r->n_sizes;
}

void
cg_open_insert(cg_rewriting *r)
{
    cg_region *body = &r->k->body;

    for (uint32_t i = 0; i < body->n; i++)
        IR_PUSH(r->k->arena, r->before.insn, r->before.n, r->before.cap, body->insn[i]);
    r->before.mark = body->mark;
    *body = r->before;
}
