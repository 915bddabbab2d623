/* Probes around the statements of plans.
 *
 * A probe is a foreign call of the kernel IR, so that no emitter knows of it, a module that has
 * none is emitted as it always is, and code with probes is neither kept nor shared, as all code
 * that holds addresses of this process.  A plan runs on one thread at a time: what `enter`
 * returns is a value of the plan, and no memory is needed for it. */
#include "codegen/kernel/probe.h"

typedef struct probing {
    cg_module *m;
    cg_kernel *k;
    const cg_probe *probe;
    cg_extern enter, leave; /* without arguments */
} probing;

/* A call of a probe with the counter and, if it is not 0, a value. */
static cg_val
new_call(const probing *p, const cg_extern *of, const void *counter, cg_val entered)
{
    cg_kernel *k = p->k;
    cg_extern *x = IR_NEW(p->m->arena, cg_extern);
    const cg_insn call = { .op = CG_EXTERN,
                           .type = entered ? COT_DTYPE_NONE : COT_I64,
                           .ext = x };

    *x = *of;
    x->n = entered ? 2 : 1;
    x->arg = IR_NEW_N(p->m->arena, cg_extern_arg, 2);
    x->arg[0].address = counter;
    if (entered)
        x->arg[1] = (cg_extern_arg){ .type = COT_I64, .value = entered };
    IR_PUSH(p->m->arena, p->m->ext, p->m->n_ext, p->m->cap_ext, x);
    IR_PUSH(k->arena, k->insn, k->n_insns, k->cap_insns, call);
    return k->n_insns - 1;
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
        const cg_val entered = counter ? new_call(p, &p->enter, counter, 0) : 0;

        if (entered)
            IR_PUSH(p->k->arena, to.insn, to.n, to.cap, entered);
        IR_PUSH(p->k->arena, to.insn, to.n, to.cap, v);
        if (entered)
            IR_PUSH(p->k->arena, to.insn, to.n, to.cap,
                    new_call(p, &p->leave, counter, entered));
        if (x.block && (x.op != CG_LOOP || x.block->kind == CG_SERIAL)) {
            probe_region(p, &x.block->body);
            probe_region(p, &x.block->other);
        }
    }
    *r = to;
}

void
cg_probe_module(cg_module *m, const cg_probe *probe)
{
    probing p = { .m = m,
                  .probe = probe,
                  .enter = { .name = "profile.enter", .address = (void (*)(void))probe->enter },
                  .leave = { .name = "profile.leave",
                             .address = (void (*)(void))probe->leave } };

    for (uint32_t i = 0; i < m->n_kernels; i++) {
        p.k = m->kernel[i];
        if (p.k->plans)
            probe_region(&p, &p.k->body);
    }
}
