/* Parts of long regions (parts.h).
 *
 * A part ends at the first place behind CG_KERNEL_PART_STATEMENTS that no value crosses.  Where
 * there is none within twice as many, it ends before the value that is used too far behind its
 * definition.  That value stays outside, and the next part begins after it. */
#include "codegen/kernel/parts.h"

#include "codegen/tuning.h"

enum { PART = CG_KERNEL_PART_STATEMENTS };

static void
count(void *user, cg_val v)
{
    const cg_partition *c = user;

    c->uses[v]++;
}

cg_partition *
cg_partition_new(const cg_kernel *k, ir_arena *a)
{
    cg_partition *c = IR_NEW(a, cg_partition);

    c->k = k;
    c->arena = a;
    c->statement = IR_NEW_N(a, uint32_t, k->n_insns);
    c->uses = IR_NEW_N(a, uint32_t, k->n_insns);
    c->met = IR_NEW_N(a, uint32_t, k->n_insns);
    c->mark = IR_NEW_N(a, uint32_t, k->n_insns + k->n_buffers);
    for (cg_val v = 1; v < k->n_insns; v++)
        if (k->insn[v].op < CG_VAR || k->insn[v].op > CG_RESULT) /* these name their block */
            cg_each_operand(&k->insn[v], count, c);
    return c;
}

/* The arguments of a call are instructions too. */
static uint32_t
length_of(const cg_kernel *k, cg_val v)
{
    const cg_insn *x = &k->insn[v];

    return 1 + (x->call ? (uint32_t)x->call->n_buffers / CG_KERNEL_PART_BUFFERS : 0);
}

/* The end of the statements from `from` on that are as long as `length` together. */
static uint32_t
end_within(const cg_kernel *k, const cg_region *r, uint32_t from, uint32_t length)
{
    for (uint32_t sum = 0; from < r->n && sum < length; from++)
        sum += length_of(k, r->insn[from]);
    return from;
}

bool
cg_is_long(const cg_kernel *k, const cg_region *r)
{
    return k->plans && end_within(k, r, 0, 2 * PART) < r->n;
}

/* -- where values end -- */

typedef struct ends {
    cg_partition *c;
    uint32_t now, *last; /* of each statement: the last one that uses what it defines */
} ends;

static void
define(void *user, cg_val v)
{
    const ends *e = user;

    e->c->statement[v] = e->now + 1;
    e->c->met[v] = 0;
}

/* What is used outside of the region, as what a loop yields, ends nowhere in it. */
static void
forget(void *user, cg_val v)
{
    const ends *e = user;

    if (e->c->met[v] != e->c->uses[v])
        e->last[e->now] = UINT32_MAX;
    e->c->statement[v] = 0;
}

static void
use(void *user, cg_val v)
{
    const ends *e = user;
    const uint32_t at = e->c->statement[v];

    if (at)
        e->last[at - 1] = e->now;
    e->c->met[v]++;
}

/* Constants are no definitions: each part has its own. */
static void
each_definition(const cg_kernel *k, const cg_region *r, ends *e, cg_visit *visit)
{
    for (e->now = 0; e->now < r->n; e->now++)
        if (!cg_is_const(k, r->insn[e->now], NULL))
            cg_each_definition(k, r->insn[e->now], visit, e);
}

/* The end of the part that begins at `from`: from itself, if there is none, and then *next is
 * where another may begin; else that is the end. */
static uint32_t
end_of(const cg_kernel *k, const cg_region *r, const uint32_t *last, uint32_t from,
       uint32_t *next)
{
    const uint32_t most = end_within(k, r, from, 2 * PART);
    uint32_t least = end_within(k, r, from, PART), closed = from, crossed = from;

    for (uint32_t i = from; i < least; i++) {
        closed = crossed <= i ? i : closed;
        if (last[i] >= most) {
            *next = closed > from ? closed : i + 1;
            return closed;
        }
        crossed = last[i] >= crossed ? last[i] + 1 : crossed;
        least = crossed > least ? crossed : least;
    }
    return *next = least;
}

/* Does an instruction concern the kernel as a whole: where a buffer lies, or that there is
 * nothing to do? */
static bool
is_of_entry(const cg_insn *x)
{
    return x->op == CG_PLACE || (x->op == CG_FAIL && x->imm == COT_OK);
}

uint32_t
cg_partition_region(cg_partition *c, const cg_region *r, cg_part **out)
{
    ends e = { .c = c, .last = IR_NEW_N(c->arena, uint32_t, r->n) };
    uint32_t n = 0, cap = 0;

    *out = NULL;
    each_definition(c->k, r, &e, define);
    for (e.now = 0; e.now < r->n; e.now++)
        cg_each_use(c->k, r->insn[e.now], use, &e);
    each_definition(c->k, r, &e, forget);
    for (e.now = 0; e.now < r->n; e.now++)
        if (is_of_entry(&c->k->insn[r->insn[e.now]]))
            e.last[e.now] = UINT32_MAX;
    for (uint32_t from = 0, to, next; from < r->n; from = next) {
        to = end_of(c->k, r, e.last, from, &next);
        if (to > from)
            IR_PUSH(c->arena, *out, n, cap, ((cg_part){ from, to }));
    }
    return n;
}

/* -- what a part uses -- */

typedef struct gathering {
    cg_partition *c;
    cg_part_uses *uses;
} gathering;

static void
mark_own(void *user, cg_val v)
{
    const gathering *g = user;

    g->c->mark[v] = g->c->marks;
}

static void
gather_value(void *user, cg_val v)
{
    const gathering *g = user;

    if (g->c->mark[v] != g->c->marks)
        IR_PUSH(g->c->arena, g->uses->value, g->uses->n_values, g->uses->cap_values, v);
    g->c->mark[v] = g->c->marks;
}

static void
gather_buffer(void *user, uint32_t buffer)
{
    const gathering *g = user;
    uint32_t *mark = &g->c->mark[g->c->k->n_insns + buffer];

    if (*mark != g->c->marks)
        IR_PUSH(g->c->arena, g->uses->buffer, g->uses->n_buffers, g->uses->cap_buffers, buffer);
    *mark = g->c->marks;
}

cg_part_uses
cg_uses_of_part(cg_partition *c, const cg_region *r, cg_part p)
{
    cg_part_uses uses = { 0 };
    gathering g = { c, &uses };

    c->marks++;
    for (uint32_t i = p.from; i < p.to; i++)
        cg_each_definition(c->k, r->insn[i], mark_own, &g);
    for (uint32_t i = p.from; i < p.to; i++) {
        cg_each_use(c->k, r->insn[i], gather_value, &g);
        cg_each_buffer(c->k, r->insn[i], gather_buffer, &g);
    }
    return uses;
}
