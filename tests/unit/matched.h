/* Are two kernels the same but for the numbers of their values, for constants and parameters
 * that stand elsewhere, and for what nobody uses?  Compares the structures themselves, so that
 * a field which no text has is noticed. */
#ifndef TESTS_UNIT_MATCHED_H
#define TESTS_UNIT_MATCHED_H

#include "codegen/kernel/kernel.h"
#include "ir/foreign.h"

typedef struct matching {
    const cg_kernel *x, *y;
    const uint32_t *used_x, *used_y;
    cg_val *to; /* of each value of x: that of y */
} matching;

static bool match_region(matching *m, const cg_region *a, const cg_region *b);

static bool
match_value(const matching *m, cg_val a, cg_val b)
{
    const cg_insn *i = &m->x->insn[a], *j = &m->y->insn[b];

    if (!a || !b)
        return a == b;
    if (i->op == SC_const || i->op == CG_PARAM)
        return i->op == j->op && i->type == j->type && i->imm == j->imm;
    return m->to[a] == b;
}

static bool
match_name(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool
match_data(cot_dtype t, int64_t n, const void *a, const void *b)
{
    return a == b || (a && b && memcmp(a, b, cot_dtype_size(t) * (size_t)n) == 0);
}

static bool
match_buffer(const cg_buffer *a, const cg_buffer *b)
{
    return a->type == b->type && a->space == b->space && a->elements == b->elements &&
           a->offset == b->offset && a->align == b->align && a->streams == b->streams &&
           a->arg == b->arg && a->alias == b->alias &&
           match_data(a->type, a->elements, a->data, b->data);
}

static bool
match_call(const matching *m, const cg_call *a, const cg_call *b)
{
    if (!a || !b)
        return a == b;
    if (a->kernel != b->kernel || a->n_buffers != b->n_buffers || a->n_params != b->n_params ||
        memcmp(a->buffer, b->buffer, (size_t)a->n_buffers * sizeof *a->buffer) != 0)
        return false;
    for (int i = 0; i < a->n_buffers; i++)
        if (!match_value(m, a->offset ? a->offset[i] : 0, b->offset ? b->offset[i] : 0))
            return false;
    for (int i = 0; i < a->n_params; i++)
        if (!match_value(m, a->param[i], b->param[i]))
            return false;
    return true;
}

static bool
match_extern(const matching *m, const cg_extern *a, const cg_extern *b)
{
    if (!a || !b)
        return a == b;
    if (!match_name(a->name, b->name) || !match_name(a->symbol, b->symbol) ||
        !match_name(a->prototype, b->prototype) || a->packed != b->packed || a->n != b->n)
        return false;
    for (int i = 0; i < a->n; i++) {
        const cg_extern_arg *p = &a->arg[i], *q = &b->arg[i];
        if (p->type != q->type || p->buffer != q->buffer || p->writes != q->writes ||
            (p->address == ir_c_stream) != (q->address == ir_c_stream) ||
            !match_value(m, p->value, q->value) || !match_value(m, p->offset, q->offset))
            return false;
    }
    return true;
}

static bool
match_yields(matching *m, const cg_block *a, const cg_block *b, bool inside)
{
    for (int i = 0; i < a->n; i++) {
        const cg_yield *p = &a->yield[i], *q = &b->yield[i];
        const bool branch = a->cond && !p->carried;
        if (p->mode != q->mode || p->type != q->type || !p->carried != !q->carried ||
            (p->mode != CG_CARRY && p->combine != q->combine))
            return false;
        if (inside && !match_value(m, p->value, q->value))
            return false;
        if (!inside && !branch && !match_value(m, p->init, q->init))
            return false;
        if (!inside && p->carried)
            m->to[p->carried] = q->carried;
    }
    return true;
}

/* The values of the other side of a branch are known behind it alone. */
static bool
match_inits(const matching *m, const cg_block *a, const cg_block *b)
{
    for (int i = 0; i < a->n; i++)
        if (!match_value(m, a->yield[i].init, b->yield[i].init))
            return false;
    return true;
}

static bool
match_block(matching *m, cg_op op, const cg_block *a, const cg_block *b)
{
    if (a->kind != b->kind || a->step != b->step || a->n != b->n ||
        !match_value(m, a->lo, b->lo) || !match_value(m, a->hi, b->hi) ||
        !match_value(m, a->limit, b->limit) || !match_yields(m, a, b, false))
        return false;
    m->to[a->var] = b->var;
    if (op == CG_IF && !match_value(m, a->cond, b->cond))
        return false;
    if (op == CG_WHILE &&
        (!match_region(m, &a->other, &b->other) || !match_value(m, a->cond, b->cond)))
        return false;
    if (!match_region(m, &a->body, &b->body) || !match_yields(m, a, b, true))
        return false;
    if (op == CG_IF && (!match_region(m, &a->other, &b->other) || !match_inits(m, a, b)))
        return false;
    for (int i = 0; i < a->n; i++)
        m->to[a->result[i]] = b->result[i];
    return true;
}

static bool
match_insn(matching *m, cg_val v, cg_val w)
{
    const cg_insn *a = &m->x->insn[v], *b = &m->y->insn[w];

    if (a->op != b->op || a->type != b->type || a->imm != b->imm || !a->sub != !b->sub ||
        !a->table != !b->table || !a->block != !b->block)
        return false;
    for (int i = 0; i < 3; i++)
        if (!match_value(m, a->in[i], b->in[i]))
            return false;
    for (int i = 0; i < 4; i++)
        if (!match_value(m, a->args[i], b->args[i]))
            return false;
    if (a->sub && ir_sc_hash(a->sub) != ir_sc_hash(b->sub))
        return false;
    if (a->table && (a->table->n != b->table->n || a->table->type != b->table->type ||
                     !match_data(a->table->type, a->table->n, a->table->data, b->table->data)))
        return false;
    if (!match_call(m, a->call, b->call) || !match_extern(m, a->ext, b->ext) ||
        (a->block && !match_block(m, (cg_op)a->op, a->block, b->block)))
        return false;
    m->to[v] = w;
    return true;
}

/* Constants, parameters, and what has neither users nor an effect. */
static bool
is_skipped(const cg_kernel *k, const uint32_t *used, cg_val v)
{
    const cg_insn *i = &k->insn[v];

    return i->op == SC_const || i->op == CG_PARAM ||
           ((i->op < SC_COUNT || i->op == CG_LOAD) && used[v] == 0);
}

static bool
match_region(matching *m, const cg_region *a, const cg_region *b)
{
    uint32_t i = 0, j = 0;

    for (;;) {
        while (i < a->n && is_skipped(m->x, m->used_x, a->insn[i]))
            i++;
        while (j < b->n && is_skipped(m->y, m->used_y, b->insn[j]))
            j++;
        if (i == a->n || j == b->n)
            return i == a->n && j == b->n;
        if (!match_insn(m, a->insn[i++], b->insn[j++]))
            return false;
    }
}

static inline bool
matches(const cg_kernel *x, const cg_kernel *y, ir_arena *a)
{
    matching m = { .x = x,
                   .y = y,
                   .used_x = cg_count_uses(x, a),
                   .used_y = cg_count_uses(y, a),
                   .to = IR_NEW_N(a, cg_val, x->n_insns) };

    if (strcmp(x->name, y->name) != 0 || !match_name(x->note, y->note) ||
        x->n_buffers != y->n_buffers || x->n_params != y->n_params || x->alone != y->alone ||
        x->plans != y->plans || x->work != y->work ||
        (x->plans && x->work_bytes != y->work_bytes))
        return false;
    for (uint32_t i = 0; i < x->n_buffers; i++)
        if (!match_buffer(&x->buffer[i], &y->buffer[i]))
            return false;
    return match_region(&m, &x->body, &y->body);
}

static inline bool
modules_match(const cg_module *x, const cg_module *y, ir_arena *a)
{
    if (strcmp(x->name, y->name) != 0 || x->n_kernels != y->n_kernels ||
        x->n_args != y->n_args || x->work_bytes != y->work_bytes ||
        x->work_align != y->work_align || x->parallel != y->parallel ||
        x->trapping_math != y->trapping_math || x->n_ext != y->n_ext)
        return false;
    for (uint32_t i = 0; i < x->n_kernels; i++)
        if (!matches(x->kernel[i], y->kernel[i], a))
            return false;
    return true;
}

#endif
