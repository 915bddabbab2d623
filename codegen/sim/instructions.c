/* Instructions without regions, on the current lanes: scalars by the evaluator, loads and
 * stores, barriers, failures.
 *
 * Inactive lanes are not computed, since they may divide by zero: the operands of active lanes
 * are packed for one call of the evaluator, and its results are unpacked. */
#include "codegen/sim/sim.h"

bool
cg_sim_is_active(const sim *s, int64_t i)
{
    return !s->at.mask || s->at.mask[i];
}

/* Packs the active elements of x. */
static void
pack(const sim *s, const uint8_t *mask, void *to, const void *x, size_t size)
{
    char *p = to;

    for (int64_t i = 0; i < s->at.n; i++)
        if (mask[i]) {
            memcpy(p, (const char *)x + (size_t)i * size, size);
            p += size;
        }
}

static void
unpack(const sim *s, const uint8_t *mask, void *to, const void *x, size_t size)
{
    const char *p = x;

    for (int64_t i = 0; i < s->at.n; i++)
        if (mask[i]) {
            memcpy((char *)to + (size_t)i * size, p, size);
            p += size;
        }
}

int
cg_sim_count(const sim *s, const uint8_t *mask)
{
    int m = 0;

    for (int64_t i = 0; i < s->at.n; i++)
        m += mask[i] != 0;
    return m;
}

/* A GPU does not trap where a divisor is 0, and the quotient, which is some number, is not
 * used: that of an index of an empty axis. */
static const void *
divisors(sim *s, cg_val v, const void *x)
{
    const cot_dtype t = cg_type(s->k, s->k->insn[v].in[1]);
    const size_t size = cot_dtype_size(t);
    const uint64_t zero = 0, one = 1; /* integers have their low bytes first */
    char *out = cg_sim_scratch(s, v, 2, (size_t)s->at.n * 8);

    for (int64_t i = 0; i < s->at.n; i++) {
        const void *each = (const char *)x + (size_t)i * size;
        memcpy(out + (size_t)i * size, memcmp(each, &zero, size) ? each : &one, size);
    }
    return out;
}

/* Computes active lanes only. */
void
cg_sim_scalar(sim *s, cg_val v)
{
    const cg_insn *p = &s->k->insn[v];
    const ir_sc_insn i = { .op = p->op, .type = p->type, .imm = p->imm, .table = p->table };
    const int arity = ir_sc_arity[p->op];
    const void *in[3] = { 0 }, *packed[3] = { 0 };

    for (int j = 0; j < arity; j++)
        in[j] = cg_sim_operand(s, p->in[j], j);
    if ((p->op == SC_div || p->op == SC_rem) && ir_is_int((cot_dtype)p->type))
        in[1] = divisors(s, v, in[1]);
    void *out = cg_sim_define(s, v, s->at.n);
    if (!s->at.mask) {
        ir_sc_eval(&i, cg_type(s->k, p->in[0]), (int)s->at.n, out, in);
        return;
    }
    const int m = cg_sim_count(s, s->at.mask);
    for (int j = 0; j < arity; j++) {
        packed[j] = cg_sim_scratch(s, v, j, (size_t)s->at.n * 8);
        pack(s, s->at.mask, (void *)(uintptr_t)packed[j], in[j], cg_sim_size_of(s, p->in[j]));
    }
    void *y = cg_sim_scratch(s, v, 3, (size_t)s->at.n * 8);
    if (m > 0)
        ir_sc_eval(&i, cg_type(s->k, p->in[0]), m, y, packed);
    unpack(s, s->at.mask, out, y, cg_sim_size_of(s, v));
}

void
cg_sim_slow_path(sim *s, cg_val v)
{
    const cg_insn *p = &s->k->insn[v];
    const uint8_t *wants = cg_sim_operand(s, p->in[0], 0);
    uint8_t *mask = cg_sim_scratch(s, v, 0, (size_t)s->at.n);
    void *packed[4] = { 0 };
    int m = 0;

    for (int64_t i = 0; i < s->at.n; i++)
        m += mask[i] = wants[i] && cg_sim_is_active(s, i);
    const void *usual = cg_sim_operand(s, p->in[1], 1);
    void *out = cg_sim_define(s, v, s->at.n);
    memcpy(out, usual, (size_t)s->at.n * cg_sim_size_of(s, v));
    if (m == 0)
        return;
    for (int j = 0; j < p->sub->n_in; j++) {
        packed[j] = ir_alloc(s->arena, (size_t)s->at.n * 8 + 8);
        pack(s, mask, packed[j], cg_sim_operand(s, p->args[j], j),
             cg_sim_size_of(s, p->args[j]));
    }
    void *y = cg_sim_scratch(s, v, 1, (size_t)s->at.n * 8);
    ir_sc_run(s->arena, p->sub, m, y, (const void *const *)packed);
    unpack(s, mask, out, y, cg_sim_size_of(s, v));
}

void
cg_sim_combine(sim *s, const cg_yield *y, int64_t n, void *out, const void *a, const void *b)
{
    const ir_sc_insn i = { .op = (uint8_t)y->combine, .type = (uint8_t)y->type };

    (void)s;
    ir_sc_eval(&i, y->type, (int)n, out, (const void *[]){ a, b });
}

bool
cg_sim_memory_insn(sim *s, cg_val v)
{
    const cg_insn *p = &s->k->insn[v];
    const bool load = p->op == CG_LOAD;
    const cg_val when = p->in[load ? 1 : 2];
    const int64_t *index = cg_sim_operand(s, p->in[0], 0);
    const uint8_t *on = when ? cg_sim_operand(s, when, 2) : NULL;
    const size_t size = cot_dtype_size((cot_dtype)p->type);
    char *value =
        load ? cg_sim_define(s, v, s->at.n) : (char *)(uintptr_t)cg_sim_operand(s, p->in[1], 1);

    for (int64_t i = 0; i < s->at.n; i++) {
        if (!cg_sim_is_active(s, i))
            continue;
        if (on && !on[i]) {
            if (load)
                memset(value + (size_t)i * size, 0, size);
            continue;
        }
        char *x = value + (size_t)i * size;
        const uint32_t buffer = (uint32_t)p->imm;
        if (load ? !cg_sim_load(s, buffer, i, index[i], x)
                 : !cg_sim_store(s, buffer, i, index[i], x))
            return false;
        if (load && p->type == COT_BOOL)
            *x = *x != 0;
    }
    return true;
}

bool
cg_sim_barrier(sim *s)
{
    if (s->at.kind == CG_WARPS) {
        for (int64_t w = 0; w < s->at.n; w++)
            s->warp_barriers[w] += cg_sim_is_active(s, w);
        return true;
    }
    if ((s->at.mask && cg_sim_count(s, s->at.mask) < s->at.n) ||
        (s->at.kind == CG_BLOCK && s->at.threads != s->launch.block))
        return cg_sim_wrong(s, "a barrier that not all threads of the block reach");
    s->barriers++;
    return true;
}

bool
cg_sim_fail(sim *s, const cg_insn *p)
{
    const uint8_t *cond = cg_sim_operand(s, p->in[0], 0);

    for (int64_t i = 0; i < s->at.n; i++)
        if (cond[i] && cg_sim_is_active(s, i))
            s->failed = (int32_t)p->imm;
    return s->failed == 0;
}
