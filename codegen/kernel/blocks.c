/* Building loops, branches and whiles.
 *
 * The regions of a block are open between its begin and its end, and the block is appended to
 * the list of the enclosing region when it ends.  Its results are declared in between; for each
 * result there is an instruction. */
#include "codegen/kernel/scope.h"

static int
add_yield(cg_build *b, cg_block *x, cg_yield y)
{
    uint32_t n = (uint32_t)x->n, cap = x->cap;

    IR_PUSH(b->k->arena, x->yield, n, cap, y);
    x->cap = cap;
    return x->n++;
}

/* Make the instructions for the results of a block, in the region that contains it. */
static void
make_results(cg_build *b, cg_val block)
{
    cg_block *x = b->k->insn[block].block;

    x->result = IR_NEW_N(b->k->arena, cg_val, x->n + 1);
    for (int i = 0; i < x->n; i++)
        x->result[i] = cg_scope_value(b,
                                      (cg_insn){ .op = CG_RESULT,
                                                 .type = (uint8_t)x->yield[i].type,
                                                 .imm = (uint64_t)i,
                                                 .in = { block } },
                                      cg_depth(b, block));
}

static void
append(cg_build *b, cg_val v)
{
    cg_region *r = b->open[b->n_open - 1];

    IR_PUSH(b->k->arena, r->insn, r->n, r->cap, v);
}

static cg_val
new_block(cg_build *b, cg_op op)
{
    cg_insn x = { .op = (uint8_t)op, .block = IR_NEW(b->k->arena, cg_block) };

    return cg_scope_value(b, x, b->n_open - 1);
}

/* Loads may move out of a loop that certainly runs. */
static cg_opening
kind_of_loop(const cg_kernel *k, const cg_block *x)
{
    return cg_extent(k, x) > 0 ? CG_OPEN_LOOP : CG_OPEN_MAYBE;
}

cg_val
cg_loop_begin(cg_build *b, cg_kind kind, cg_val lo, cg_val hi, int64_t step, cg_val limit)
{
    cg_val v = new_block(b, CG_LOOP);
    cg_block *x = b->k->insn[v].block;

    x->kind = kind;
    x->lo = lo;
    x->hi = hi;
    x->step = step;
    x->limit = limit;
    cg_scope_open(b, &x->body, kind_of_loop(b->k, x));
    x->var = cg_scope_value(b, (cg_insn){ .op = CG_VAR, .type = COT_I64, .in = { v } },
                            b->n_open - 1);
    return v;
}

cg_val
cg_loop_var(const cg_build *b, cg_val loop)
{
    return b->k->insn[loop].block->var;
}

void
cg_scope_carry(cg_build *b, cg_val loop, cg_val v, cot_dtype t, cg_val init)
{
    cg_block *x = b->k->insn[loop].block;

    b->k->insn[v] = (cg_insn){ .op = CG_CARRIED,
                               .type = (uint8_t)t,
                               .imm = (uint64_t)x->n,
                               .in = { loop },
                               .loc = b->k->insn[v].loc };
    add_yield(b, x, (cg_yield){ .mode = CG_CARRY, .type = t, .init = init, .carried = v });
}

static cg_val
add_carry(cg_build *b, cg_val loop, cot_dtype t, cg_val init)
{
    cg_val v = cg_scope_value(b, (cg_insn){ 0 }, cg_depth(b, loop) + 1);

    cg_scope_carry(b, loop, v, t, init);
    return v;
}

static void
set_next(cg_build *b, cg_val loop, cg_val carried, cg_val value)
{
    b->k->insn[loop].block->yield[b->k->insn[carried].imm].value = value;
}

cg_val
cg_loop_carry(cg_build *b, cg_val loop, cot_dtype t, cg_val init)
{
    return add_carry(b, loop, t, init);
}

void
cg_loop_next(cg_build *b, cg_val loop, cg_val carried, cg_val value)
{
    set_next(b, loop, carried, value);
}

int
cg_loop_reduce(cg_build *b, cg_val loop, cg_mode mode, ir_sc_op combine, cot_dtype t,
               cg_val value)
{
    return add_yield(b, b->k->insn[loop].block,
                     (cg_yield){ .mode = mode, .combine = combine, .type = t, .value = value });
}

void
cg_loop_end(cg_build *b, cg_val loop)
{
    cg_scope_close(b);
    append(b, loop);
    make_results(b, loop);
}

cg_val
cg_loop_result(cg_build *b, cg_val loop, int i)
{
    return b->k->insn[loop].block->result[i];
}

cg_val
cg_if_begin(cg_build *b, cg_val cond)
{
    cg_val v = new_block(b, CG_IF);

    b->k->insn[v].block->cond = cond;
    cg_scope_open(b, &b->k->insn[v].block->body, CG_OPEN_BRANCH);
    return v;
}

void
cg_if_else(cg_build *b, cg_val branch)
{
    cg_scope_close(b);
    cg_scope_open(b, &b->k->insn[branch].block->other, CG_OPEN_BRANCH);
}

int
cg_if_yield(cg_build *b, cg_val branch, cot_dtype t, cg_val then, cg_val otherwise)
{
    cg_block *x = b->k->insn[branch].block;
    int i = add_yield(
        b, x, (cg_yield){ .mode = CG_CARRY, .type = t, .value = then, .init = otherwise });
    cg_val *result = IR_NEW_N(b->k->arena, cg_val, x->n);

    for (int j = 0; j < i; j++)
        result[j] = x->result[j];
    result[i] = cg_scope_value(
        b,
        (cg_insn){ .op = CG_RESULT, .type = (uint8_t)t, .imm = (uint64_t)i, .in = { branch } },
        cg_depth(b, branch));
    x->result = result;
    return i;
}

void
cg_if_end(cg_build *b, cg_val branch)
{
    cg_scope_close(b);
    append(b, branch);
}

cg_val
cg_while_begin(cg_build *b)
{
    cg_val v = new_block(b, CG_WHILE);

    cg_scope_open(b, &b->k->insn[v].block->other, CG_OPEN_MAYBE);
    return v;
}

cg_val
cg_while_carry(cg_build *b, cg_val loop, cot_dtype t, cg_val init)
{
    return add_carry(b, loop, t, init);
}

/* Carried values are visible in both regions of a while, so they are moved from the first to
 * the second. */
void
cg_while_test(cg_build *b, cg_val loop, cg_val cond)
{
    cg_block *x = b->k->insn[loop].block;

    x->cond = cond;
    cg_scope_close(b);
    cg_scope_open(b, &x->body, CG_OPEN_MAYBE);
    for (int i = 0; i < x->n; i++)
        b->scope->at[x->yield[i].carried] = cg_scope_now(b);
}

void
cg_while_next(cg_build *b, cg_val loop, cg_val carried, cg_val value)
{
    set_next(b, loop, carried, value);
}

void
cg_while_end(cg_build *b, cg_val loop)
{
    cg_scope_close(b);
    append(b, loop);
    make_results(b, loop);
}
