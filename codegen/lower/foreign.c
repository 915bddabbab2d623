/* Calls of C functions, in the entry: operands and results are in memory, and the function gets
 * pointers to them.
 *
 * With a prototype the call is the one that a C compiler would make.  Without one it calls back
 * into this process, with all operands and results in one array; an object file cannot contain
 * such a call.  A result that starts as an operand starts as a copy of it, so that no other
 * value is overwritten. */
#include "codegen/lower/level.h"
#include "ir/custom.h"
#include "ir/diag.h"
#include "ir/foreign.h"

typedef struct foreign {
    cg_level *v;
    const ir_node *n;
    cg_extern *x;
} foreign;

static cg_extern_arg
pointer_to(cg_lowering *l, cg_place p, bool writes)
{
    cg_plan_touch(l, p.buffer);
    return (cg_extern_arg){ .buffer = 1 + p.buffer, .offset = p.offset, .writes = writes };
}

static cg_val
element_of(cg_lowering *l, cg_place p)
{
    cg_plan_touch(l, p.buffer);
    return cg_load(&l->entry, p.buffer, p.offset ? p.offset : cg_i64(&l->entry, 0), 0);
}

static cg_extern_arg
argument(cg_lowering *l, const foreign *q, const ir_c_item *c, const ir_custom *of)
{
    const ir_node *n = q->n;
    if (c->kind == IR_C_USER)
        return (cg_extern_arg){ .address = of ? of->user : NULL };
    if (c->kind == IR_C_STREAM)
        return (cg_extern_arg){ .address = ir_c_stream };
    if (c->kind == IR_C_OUT)
        return pointer_to(l, q->v->place[n->first + (ir_ref)c->index], true);
    if (c->kind == IR_C_IN && c->pointer)
        return pointer_to(l, q->v->place[n->in[c->index]], false);
    return (cg_extern_arg){ .type = c->type,
                            .value = c->kind == IR_C_IN
                                         ? element_of(l, q->v->place[n->in[c->index]])
                                         : cg_const(&l->entry, c->type, ir_c_bits(c, n->at)) };
}

/* A result that the C function updates starts as a copy of the operand. */
static void
copy_in(cg_lowering *l, const foreign *q, const ir_c_function *c)
{
    for (int i = 0; i < c->n; i++)
        if (c->item[i].kind == IR_C_OUT && c->item[i].from >= 0) {
            ir_ref x = q->n->in[c->item[i].from], y = q->n->first + (ir_ref)c->item[i].index;
            cg_plan_copy(l, q->v->place[y], q->v->place[x], ir_type_at(q->v->f, x));
        }
}

static void
by_prototype(cg_lowering *l, const foreign *q, const ir_custom *of)
{
    const ir_c_function *c = ir_c_parse(l->arena, q->n->at->custom.prototype);
    cg_extern *x = q->x;
    copy_in(l, q, c);
    l->plan->now++;
    x->symbol = c->name;
    x->prototype = ir_c_prototype(l->arena, c);
    x->address = of ? of->address : NULL;
    x->n = c->n;
    x->arg = IR_NEW_N(l->arena, cg_extern_arg, c->n + 1);
    for (int i = 0; i < c->n; i++) {
        x->arg[i] = argument(l, q, &c->item[i], of);
        if (c->item[i].kind == IR_C_USER)
            x->symbol = NULL;
    }
    cg_val y = cg_call_extern(&l->entry, x, c->answer.type);
    if (c->answer.kind == IR_C_STATUS)
        cg_fail_if(&l->entry,
                   cg_insn2(&l->entry, SC_ne, COT_I32, y, cg_const(&l->entry, COT_I32, 0)),
                   COT_ERR_FOREIGN);
    if (c->answer.kind == IR_C_OUT) {
        cg_place to = q->v->place[q->n->first + (ir_ref)c->answer.index];
        cg_plan_touch(l, to.buffer);
        cg_store(&l->entry, to.buffer, to.offset ? to.offset : cg_i64(&l->entry, 0), y, 0);
    }
}

static void
by_closure(cg_lowering *l, const foreign *q, const ir_custom *of)
{
    const ir_node *n = q->n;
    cg_extern *x = q->x;
    l->plan->now++;
    x->address = of && of->run ? (void (*)(void))ir_custom_run : NULL;
    x->packed = true;
    x->n = 1 + n->n_in + n->n_out;
    x->arg = IR_NEW_N(l->arena, cg_extern_arg, x->n);
    x->arg[0].address = of ? ir_custom_close(l->ctx, of, n) : NULL;
    for (int i = 0; i < n->n_in; i++)
        x->arg[1 + i] = pointer_to(l, q->v->place[n->in[i]], false);
    for (int i = 0; i < n->n_out; i++)
        x->arg[1 + n->n_in + i] = pointer_to(l, q->v->place[n->first + (ir_ref)i], true);
    cg_val y = cg_call_extern(&l->entry, x, COT_I32);
    cg_fail_if(&l->entry,
               cg_insn2(&l->entry, SC_ne, COT_I32, y, cg_const(&l->entry, COT_I32, 0)),
               COT_ERR_FOREIGN);
}

void
cg_plan_foreign(cg_lowering *l, cg_level *v, const cg_group *g)
{
    const ir_node *n = g->node;
    const ir_custom *of = ir_custom_find(l->ctx, n->at->custom.name);
    foreign q = { v, n, IR_NEW(l->arena, cg_extern) };
    for (int i = 0; i < n->n_out; i++) {
        ir_ref y = n->first + (ir_ref)i;
        if (!v->place[y].set)
            v->place[y] = cg_plan_new(l, "t", ir_type_at(v->f, y));
    }
    q.x->name = n->at->custom.name;
    q.x->loc = n->loc;
    if (n->at->custom.prototype)
        by_prototype(l, &q, of);
    else
        by_closure(l, &q, of);
    IR_PUSH(l->arena, l->m->ext, l->m->n_ext, l->m->cap_ext, q.x);
}
