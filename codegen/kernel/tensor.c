/* Building the instructions of tensor.h. */
#include "codegen/kernel/tensor.h"

static cg_call *
buffers(cg_build *b, int n, const uint32_t *buffer)
{
    cg_call *c = IR_NEW(b->k->arena, cg_call);

    c->n_buffers = n;
    c->buffer = IR_NEW_N(b->k->arena, uint32_t, n);
    memcpy(c->buffer, buffer, (size_t)n * sizeof *buffer);
    return c;
}

void
cg_fetch(cg_build *b, uint32_t to, cg_val to_at, uint32_t from, cg_val from_at, cg_val count)
{
    cg_effect(b, (cg_insn){ .op = CG_FETCH,
                            .in = { to_at, from_at, count },
                            .call = buffers(b, 2, (uint32_t[]){ to, from }) });
}

void
cg_fetch_some(cg_build *b, uint32_t to, cg_val to_at, uint32_t from, cg_val from_at,
              cg_val count, int64_t elements)
{
    const size_t bytes = (size_t)elements * cot_dtype_size(b->k->buffer[to].type);

    cg_effect(b, (cg_insn){ .op = CG_FETCH,
                            .imm = bytes == 16 ? 0 : (uint64_t)elements,
                            .in = { to_at, from_at, count },
                            .call = buffers(b, 2, (uint32_t[]){ to, from }) });
}

void
cg_commit(cg_build *b)
{
    cg_effect(b, (cg_insn){ .op = CG_COMMIT });
}

void
cg_arrive(cg_build *b, int but)
{
    cg_effect(b, (cg_insn){ .op = CG_ARRIVE, .imm = (uint64_t)but });
}

void
cg_fragment(cg_build *b, uint32_t to, cg_val to_at, uint32_t from, cg_val row, bool columns)
{
    cg_effect(b, (cg_insn){ .op = CG_FRAGMENT,
                            .imm = columns,
                            .in = { to_at, row },
                            .call = buffers(b, 2, (uint32_t[]){ to, from }) });
}

void
cg_mma(cg_build *b, cot_dtype type, const uint32_t buffer[3], const cg_val at[3])
{
    cg_effect(b, (cg_insn){ .op = CG_MMA,
                            .type = (uint8_t)type,
                            .in = { at[0], at[1], at[2] },
                            .call = buffers(b, 3, buffer) });
}
