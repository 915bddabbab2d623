/* Estimates of the cost of a kernel and of a module, for emitters and reports. */
#include "codegen/kernel/cost.h"

#include <math.h>

#include "codegen/kernel/kernel.h"
#include "codegen/tuning.h"

bool
cg_may_spill(const cg_kernel *k)
{
    int n = 0;

    for (uint32_t i = 0; i < k->n_insns; i++) {
        const cg_insn *x = &k->insn[i];
        n +=
            x->op < SC_COUNT && x->op != SC_const && (x->type == COT_F32 || x->type == COT_F64);
    }
    return n > CG_KERNEL_MAX_NUMBERS;
}

bool
cg_fills_tails(const cg_kernel *k)
{
    bool may = k->module->trapping_math;

    for (uint32_t i = 0; i < k->n_insns; i++)
        may |= k->insn[i].op == SC_slow_path ||
               (k->insn[i].op == SC_div && ir_is_float((cot_dtype)k->insn[i].type));
    return may;
}

bool
cg_is_made_of_index(const cg_kernel *k, const cg_insn *i)
{
    return k->module->trapping_math && (i->op == SC_cvt || i->op == SC_bitcast) &&
           cg_type(k, i->in[0]) == COT_I64;
}

int64_t
cg_kernel_bytes(const cg_kernel *k)
{
    int64_t bytes = 0;

    for (uint32_t i = 0; i < k->n_buffers; i++)
        if (k->buffer[i].space <= CG_OUT)
            bytes += k->buffer[i].elements * (int64_t)cot_dtype_size(k->buffer[i].type);
    return bytes;
}

typedef struct sum {
    double flops, bytes;
    /* by kernel: the cost of kernels that call others, as far as it is known */
    const struct sum **called;
} sum;

static void add_region(sum *c, const cg_kernel *k, const cg_region *r, double times);

/* How often the body of a loop runs; 1 if that is only known at run time. */
static double
trips(const cg_kernel *k, const cg_block *b)
{
    int64_t lo, hi;

    if (!cg_is_const(k, b->lo, &lo) || !cg_is_const(k, b->hi, &hi))
        return 1;
    return hi > lo ? ceil((double)(hi - lo) / (double)b->step) : 0;
}

/* The cost of a kernel that calls others: its own, and that of all it calls. */
static const sum *
plan_cost(const sum *c, const cg_kernel *k, int number)
{
    sum *x;

    if (c->called[number])
        return c->called[number];
    x = IR_NEW(k->module->arena, sum);
    *x = (sum){ (double)k->flops, 0, c->called };
    add_region(x, k, &k->body, 1);
    return c->called[number] = x;
}

static void
add_call(sum *c, const cg_kernel *callee, int number, double times)
{
    if (callee->plans) {
        const sum *x = plan_cost(c, callee, number);
        c->flops += times * x->flops;
        c->bytes += times * x->bytes;
    } else {
        c->flops += times * (double)callee->flops;
        c->bytes += times * (double)cg_kernel_bytes(callee);
    }
}

static void
add_insn(sum *c, const cg_kernel *k, const cg_insn *n, double times)
{
    sum then = { 0, 0, c->called }, other = { 0, 0, c->called };

    switch (n->op) {
    case CG_CALL:
        add_call(c, k->module->kernel[n->call->kernel], n->call->kernel, times);
        return;
    case CG_COPY:
        c->bytes += times * 2 * (double)n->imm;
        return;
    case CG_LOOP:
        add_region(c, k, &n->block->body, times * trips(k, n->block));
        return;
    case CG_WHILE:
        add_region(c, k, &n->block->body, times);
        add_region(c, k, &n->block->other, times);
        return;
    case CG_IF:
        add_region(&then, k, &n->block->body, times);
        add_region(&other, k, &n->block->other, times);
        c->flops += fmax(then.flops, other.flops);
        c->bytes += fmax(then.bytes, other.bytes);
        return;
    default:
        return;
    }
}

static void
add_region(sum *c, const cg_kernel *k, const cg_region *r, double times)
{
    for (uint32_t i = 0; i < r->n; i++)
        add_insn(c, k, &k->insn[r->insn[i]], times);
}

void
cg_module_cost(const cg_module *m, int64_t *flops, int64_t *bytes)
{
    sum c = { .called = IR_NEW_N(m->arena, const sum *, m->n_kernels + 1) };
    const sum *all = plan_cost(&c, m->kernel[0], 0);

    *flops = (int64_t)fmin(all->flops, 0x1p62);
    *bytes = (int64_t)fmin(all->bytes, 0x1p62);
}

static int64_t
region_weight(const cg_kernel *k, const cg_region *r)
{
    int64_t sum = 0;

    for (uint32_t n = 0; n < r->n; n++) {
        const cg_block *b = k->insn[r->insn[n]].block;
        sum++;
        if (!b)
            continue;
        const int64_t copies =
            b->kind == CG_UNROLL && cg_extent(k, b) >= 0 ? cg_extent(k, b) : 1;
        sum += copies * (region_weight(k, &b->body) + region_weight(k, &b->other));
    }
    return sum;
}

int64_t
cg_kernel_weight(const cg_kernel *k)
{
    return region_weight(k, &k->body);
}
