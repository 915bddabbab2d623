/* Values of a simulated kernel: an element for each lane, or for several adjacent lanes. */
#include "codegen/sim/sim.h"

bool
cg_sim_wrong(sim *s, const char *what)
{
    if (!s->wrong)
        s->wrong = what;
    return false;
}

int32_t
cg_sim_thread(const sim *s, int64_t i, bool *many)
{
    const sim_lanes *at = &s->at;
    const int64_t j = i / (at->n / at->threads);

    *many = at->kind == CG_GRID || at->kind == CG_WARPS;
    if (at->kind == CG_WARPS)
        return (int32_t)(j * CG_WARP);
    return (int32_t)(at->kind == CG_LANES ? j / at->lanes * CG_WARP + j % at->lanes : j);
}

void *
cg_sim_scratch(sim *s, cg_val v, int slot, size_t bytes)
{
    void **p = &s->scratch[v * SIM_SLOTS + (unsigned)slot];

    if (!*p)
        *p = ir_alloc(s->arena, bytes + 8);
    return *p;
}

void *
cg_sim_define(sim *s, cg_val v, int64_t n)
{
    if (!s->value[v] || s->width[v] < n)
        s->value[v] = ir_alloc(s->arena, (size_t)n * 8 + 8);
    s->width[v] = n;
    return s->value[v];
}

size_t
cg_sim_size_of(const sim *s, cg_val v)
{
    return cot_dtype_size(cg_type(s->k, v));
}

/* Repeats each element of x for `each` adjacent lanes, n in all. */
static void
spread(void *to, const void *x, size_t size, int64_t n, int64_t each)
{
    for (int64_t i = 0; i < n; i++)
        memcpy((char *)to + (size_t)i * size, (const char *)x + (size_t)(i / each) * size,
               size);
}

/* Value v for each current lane, as operand j of an instruction. */
const void *
cg_sim_operand(sim *s, cg_val v, int j)
{
    const int64_t n = s->at.n;

    if (s->k->insn[v].op == SC_const || s->k->insn[v].op == CG_PARAM) {
        memcpy(cg_sim_define(s, v, 1),
               s->k->insn[v].op == CG_PARAM ? (const void *)&s->params[s->k->insn[v].imm]
                                            : &s->k->insn[v].imm,
               8);
    }
    if (s->width[v] == n)
        return s->value[v];
    if (s->operand_cap[j] < n) {
        s->operand[j] = ir_alloc(s->arena, (size_t)n * 8 + 8);
        s->operand_cap[j] = n;
    }
    spread(s->operand[j], s->value[v], cg_sim_size_of(s, v), n, n / s->width[v]);
    return s->operand[j];
}
