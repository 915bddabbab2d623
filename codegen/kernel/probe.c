/* Probes around the statements of plans.
 *
 * A probe is a foreign call of the kernel IR, so that no emitter knows of it, a module that
 * has none is emitted as it always is, and code with probes is neither kept nor shared, as
 * all code that holds addresses of this process.  The probes of a file are functions of who
 * links it.  A plan runs on one thread at a time: what `enter` returns is a value of the
 * plan, and no memory is needed for it. */
#include "codegen/kernel/probe.h"

typedef struct probing {
    cg_module *m;
    cg_kernel *k;
    const cg_probe *probe;
    cg_extern enter, leave; /* without arguments */
} probing;

static cg_val
new_insn(const probing *p, cg_insn x)
{
    cg_kernel *k = p->k;

    IR_PUSH(k->arena, k->insn, k->n_insns, k->cap_insns, x);
    return k->n_insns - 1;
}

/* A call of a probe with the counter and, if it is not 0, a value.  `number`: a constant, the
 * counter of a file. */
static cg_val
new_call(const probing *p, const cg_extern *of, const void *counter, cg_val number,
         cg_val entered)
{
    cg_extern *x = IR_NEW(p->m->arena, cg_extern);
    const cg_insn call = { .op = CG_EXTERN,
                           .type = entered ? COT_DTYPE_NONE : COT_I64,
                           .ext = x };

    *x = *of;
    x->n = entered ? 2 : 1;
    x->arg = IR_NEW_N(p->m->arena, cg_extern_arg, 2);
    if (number)
        x->arg[0] = (cg_extern_arg){ .type = COT_I64, .value = number };
    else
        x->arg[0].address = counter;
    if (entered)
        x->arg[1] = (cg_extern_arg){ .type = COT_I64, .value = entered };
    IR_PUSH(p->m->arena, p->m->ext, p->m->n_ext, p->m->cap_ext, x);
    return new_insn(p, call);
}

static void
append(const probing *p, cg_region *to, cg_val v)
{
    if (v)
        IR_PUSH(p->k->arena, to->insn, to->n, to->cap, v);
}

static cg_val
new_number(const probing *p, const void *counter)
{
    return new_insn(
        p,
        (cg_insn){ .op = SC_const, .type = COT_I64, .imm = (uint64_t)(uintptr_t)counter - 1 });
}

/* Statements within loops of another kind have none: iterations may run at the same time. */
static void
probe_region(const probing *p, cg_region *r)
{
    cg_region to = { .mark = r->mark };

    for (uint32_t i = 0; i < r->n; i++) {
        const cg_val v = r->insn[i];
        const cg_insn x = p->k->insn[v];
        const void *counter = x.op == CG_CALL || x.op == CG_COPY || x.op == CG_EXTERN
                                  ? p->probe->counter(p->probe->user, p->m, &x)
                                  : NULL;
        const cg_val number = counter && p->probe->prefix ? new_number(p, counter) : 0,
                     entered = counter ? new_call(p, &p->enter, counter, number, 0) : 0;

        append(p, &to, number);
        append(p, &to, entered);
        append(p, &to, v);
        append(p, &to, entered ? new_call(p, &p->leave, counter, number, entered) : 0);
        if (x.block && (x.op != CG_LOOP || x.block->kind == CG_SERIAL)) {
            probe_region(p, &x.block->body);
            probe_region(p, &x.block->other);
        }
    }
    *r = to;
}

static void
name_probes(probing *p)
{
    ir_arena *a = p->m->arena;
    const char *prefix = p->probe->prefix;

    p->enter.symbol = ir_format(a, "%s_enter", prefix);
    p->enter.prototype = ir_format(a, "int64_t %s_enter(int64_t row);", prefix);
    p->leave.symbol = ir_format(a, "%s_leave", prefix);
    p->leave.prototype = ir_format(a, "void %s_leave(int64_t row, int64_t entered);", prefix);
}

void
cg_probe_module(cg_module *m, const cg_probe *probe)
{
    probing p = { .m = m,
                  .probe = probe,
                  .enter = { .name = "profile.enter", .address = (void (*)(void))probe->enter },
                  .leave = { .name = "profile.leave",
                             .address = (void (*)(void))probe->leave } };

    if (probe->prefix)
        name_probes(&p);
    for (uint32_t i = 0; i < m->n_kernels; i++) {
        p.k = m->kernel[i];
        if (p.k->plans)
            probe_region(&p, &p.k->body);
    }
}
