/* Are two kernels the same program?  Two layers of a net, or two parameters under one rule of
 * an optimiser, lower to kernels that differ only in their names; they are compiled once.  The
 * comparison requires equal numbers of values, which the same lowering produces.  Calls are
 * never equal. */
#include "codegen/kernel/kernel.h"

#include "ir/map.h"

/* Each lowering makes its own tables of numbers (of two Fourier transforms, say), so their
 * contents are compared. */
static bool
same_data(const cg_buffer *a, const cg_buffer *b)
{
    return a->data == b->data ||
           (a->data && b->data &&
            memcmp(a->data, b->data, (size_t)a->elements * cot_dtype_size(a->type)) == 0);
}

static bool
same_buffers(const cg_kernel *x, const cg_kernel *y)
{
    for (uint32_t i = 0; i < x->n_buffers; i++) {
        const cg_buffer *a = &x->buffer[i], *b = &y->buffer[i];
        if (a->type != b->type || a->space != b->space || a->elements != b->elements ||
            a->align != b->align || a->streams != b->streams || a->alias != b->alias ||
            !same_data(a, b))
            return false;
    }
    return true;
}

static bool
same_region(const cg_region *a, const cg_region *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->insn, b->insn, a->n * sizeof *a->insn) == 0);
}

static bool
same_block(const cg_block *a, const cg_block *b)
{
    if (!a || !b)
        return a == b;
    if (!same_region(&a->body, &b->body) || !same_region(&a->other, &b->other) ||
        a->kind != b->kind || a->lo != b->lo || a->hi != b->hi || a->step != b->step ||
        a->limit != b->limit || a->cond != b->cond || a->var != b->var || a->n != b->n)
        return false;
    for (int i = 0; i < a->n; i++) {
        const cg_yield *p = &a->yield[i], *q = &b->yield[i];
        if (p->mode != q->mode || p->combine != q->combine || p->type != q->type ||
            p->init != q->init || p->value != q->value || p->carried != q->carried ||
            a->result[i] != b->result[i])
            return false;
    }
    return true;
}

/* Instructions that call kernels are never equal. */
static bool
same_call(const cg_insn *a, const cg_insn *b)
{
    const cg_call *x = a->call, *y = b->call;

    if (!x || !y)
        return x == y;
    return a->op != CG_CALL && x->n_buffers == y->n_buffers &&
           memcmp(x->buffer, y->buffer, (size_t)x->n_buffers * sizeof *x->buffer) == 0;
}

static bool
same_insn(const cg_insn *a, const cg_insn *b)
{
    return a->op == b->op && a->type == b->type && a->imm == b->imm && a->table == b->table &&
           a->sub == b->sub && memcmp(a->in, b->in, sizeof a->in) == 0 &&
           memcmp(a->args, b->args, sizeof a->args) == 0 && same_call(a, b) && !a->ext &&
           !b->ext && same_block(a->block, b->block);
}

bool
cg_kernel_same(const cg_kernel *x, const cg_kernel *y)
{
    if (x->n_insns != y->n_insns || x->n_buffers != y->n_buffers ||
        x->n_params != y->n_params || !same_buffers(x, y) || !same_region(&x->body, &y->body))
        return false;
    for (uint32_t v = 1; v < x->n_insns; v++)
        if (!same_insn(&x->insn[v], &y->insn[v]))
            return false;
    return true;
}

static void
mark(void *user, cg_val v)
{
    ((bool *)user)[v] = true;
}

void
cg_kernel_clear_unused(cg_kernel *k, ir_arena *scratch)
{
    bool *used = IR_NEW_N(scratch, bool, k->n_insns);

    for (uint32_t v = 1; v < k->n_insns; v++)
        cg_each_operand(&k->insn[v], mark, used);
    for (uint32_t i = 0; i < k->n_reductions; i++) {
        mark(used, k->reduction[i].split);
        mark(used, k->reduction[i].count);
    }
    for (uint32_t i = 0; i < k->n_takes; i++) {
        mark(used, k->take[i].when);
        for (int j = 0; j < k->take[i].n; j++)
            mark(used, k->take[i].term[j].v);
    }
    for (uint32_t v = 1; v < k->n_insns; v++)
        if (k->insn[v].op == SC_const && !used[v])
            k->insn[v].imm = 0;
}

uint64_t
cg_kernel_hash(const cg_kernel *k)
{
    uint64_t h = ir_hash_u64(k->n_insns, k->n_buffers);

    for (uint32_t i = 0; i < k->n_buffers; i++) {
        const cg_buffer *b = &k->buffer[i];
        h = ir_hash_u64(ir_hash_u64(h, (uint64_t)b->elements),
                        (uint64_t)b->space << 8 | b->type);
    }
    for (uint32_t v = 1; v < k->n_insns; v++) {
        const cg_insn *x = &k->insn[v];
        h = ir_hash_u64(ir_hash_u64(h, (uint64_t)x->op << 8 | x->type), x->imm);
        h = ir_hash(h, x->in, sizeof x->in);
    }
    return h;
}
