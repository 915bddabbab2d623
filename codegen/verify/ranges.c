/* Checks the accesses that emitters report (ranges.h).
 *
 * Conditions are compared as sets of literals: a conjunction contributes its operands, and a
 * negation the opposite of its operand.  The conditions that an access requires are read from
 * the kernel's regions alone. */
#include "codegen/verify/ranges.h"

#include <inttypes.h>

#include "ir/context.h"

typedef struct literal {
    cg_val v;
    bool holds;
} literal;

struct cg_ranges {
    const cg_kernel *k;
    ir_arena *arena;
    const uint32_t *divergence;
    /* For each instruction: the block that contains it; holds: in its body. */
    literal *around;
    /* For each value: the last report that applied its negation [0], or the value itself
     * [1]. */
    uint32_t *applied[2];
    uint32_t report;
    literal *left; /* literals that may be conjunctions */
    uint32_t n, cap;
    const cg_applied **node;
    uint32_t n_nodes, cap_nodes;
    const char *why; /* the first refused report, and its line of the program */
    ir_loc loc;
};

static void
find_blocks(cg_ranges *r)
{
    for (uint32_t b = 1; b < r->k->n_insns; b++) {
        const cg_block *x = r->k->insn[b].block;
        for (uint32_t i = 0; x && i < x->body.n; i++)
            r->around[x->body.insn[i]] = (literal){ b, true };
        for (uint32_t i = 0; x && i < x->other.n; i++)
            r->around[x->other.insn[i]] = (literal){ b, false };
    }
}

cg_ranges *
cg_ranges_of(const cg_kernel *k, ir_arena *arena)
{
    cg_ranges *r = IR_NEW(arena, cg_ranges);

    r->k = k;
    r->arena = arena;
    r->divergence = cg_divergence(k, arena);
    r->around = IR_NEW_N(arena, literal, k->n_insns);
    for (int j = 0; j < 2; j++)
        r->applied[j] = IR_NEW_N(arena, uint32_t, k->n_insns);
    find_blocks(r);
    return r;
}

const char *
cg_ranges_why(const cg_ranges *r, ir_loc *loc)
{
    *loc = r->loc;
    return r->why;
}

/* -- conditions -- */

const cg_applied *
cg_apply(cg_ranges *r, cg_val v, bool holds)
{
    if (!v)
        return NULL;
    cg_applied *x = IR_NEW(r->arena, cg_applied);

    *x = (cg_applied){ .v = v, .holds = holds };
    return x;
}

const cg_applied *
cg_apply_both(cg_ranges *r, const cg_applied *x, const cg_applied *y)
{
    if (!x || !y || x == y)
        return x ? x : y;
    cg_applied *both = IR_NEW(r->arena, cg_applied);

    *both = (cg_applied){ .part = { x, y } };
    return both;
}

const cg_applied *
cg_apply_any(cg_ranges *r, const cg_applied *x)
{
    if (!x)
        return NULL;
    cg_applied *any = IR_NEW(r->arena, cg_applied);

    *any = (cg_applied){ .any = true, .part = { x, NULL } };
    return any;
}

/* The next literal that is not a conjunction; false: none is left. */
static bool
next_literal(cg_ranges *r, literal *out)
{
    while (r->n > 0) {
        const literal x = r->left[--r->n];
        const cg_insn *i = &r->k->insn[x.v];
        if (i->op == SC_not) {
            r->left[r->n++] = (literal){ i->in[0], !x.holds };
        } else if (i->type == COT_BOOL && i->op == (x.holds ? SC_and : SC_or)) {
            for (int j = 0; j < 2; j++)
                IR_PUSH(r->arena, r->left, r->n, r->cap, ((literal){ i->in[j], x.holds }));
        } else {
            *out = x;
            return true;
        }
    }
    return false;
}

static void
put(cg_ranges *r, cg_val v, bool holds)
{
    r->n = 0;
    IR_PUSH(r->arena, r->left, r->n, r->cap, ((literal){ v, holds }));
}

/* Marks all literals that are applied.  Returns whether some condition is only known for any
 * lane. */
static bool
mark(cg_ranges *r, const cg_applied *by)
{
    bool any = false;
    literal x;

    r->report++;
    r->n_nodes = 0;
    if (by)
        IR_PUSH(r->arena, r->node, r->n_nodes, r->cap_nodes, by);
    while (r->n_nodes > 0) {
        const cg_applied *a = r->node[--r->n_nodes];
        any |= a->any;
        for (int j = 0; j < 2; j++)
            if (a->part[j])
                IR_PUSH(r->arena, r->node, r->n_nodes, r->cap_nodes, a->part[j]);
        if (!a->v)
            continue;
        put(r, a->v, a->holds);
        while (next_literal(r, &x))
            r->applied[x.holds][x.v] = r->report;
    }
    return any;
}

/* A literal of the condition that is not applied; 0: all are. */
static cg_val
missing(cg_ranges *r, cg_val v, bool holds)
{
    int64_t c;
    literal x;

    put(r, v, holds);
    while (next_literal(r, &x))
        if (r->applied[x.holds][x.v] != r->report &&
            !(cg_is_const(r->k, x.v, &c) && (c != 0) == x.holds))
            return x.v;
    return 0;
}

/* The same for all conditions around the access. */
static cg_val
missing_around(cg_ranges *r, cg_val access)
{
    const cg_insn *i = &r->k->insn[access];
    const cg_val when = i->op == CG_STORE ? i->in[2] : i->in[1];
    cg_val none = when ? missing(r, when, true) : 0;

    for (literal at = r->around[access]; at.v && !none; at = r->around[at.v]) {
        const cg_block *x = r->k->insn[at.v].block;
        const int op = r->k->insn[at.v].op;
        if (op == CG_IF || (op == CG_WHILE && at.holds))
            none = missing(r, x->cond, at.holds);
        else if (op == CG_LOOP && x->limit)
            none = missing(r, x->var, true);
    }
    return none;
}

/* -- elements -- */

typedef struct hull {
    int64_t lo, hi, n; /* n: the largest number of elements that are touched in the range */
} hull;

static void
extend(hull *h, int64_t step, int64_t first, int64_t n)
{
    const int64_t a = step * first, b = step * (first + n - 1);

    h->lo += a < b ? a : b;
    h->hi += a < b ? b : a;
    h->n *= n;
}

/* The vector loop around the access, and its level among the SPMD loops around; NULL: there is
 * none. */
static const cg_block *
vector_around(const cg_ranges *r, cg_val access, int *level)
{
    const cg_block *found = NULL;

    *level = -1;
    for (cg_val at = r->around[access].v; at; at = r->around[at].v) {
        const cg_block *x = r->k->insn[at].block;
        if (r->k->insn[at].op != CG_LOOP || x->kind < CG_UNROLL)
            continue;
        *level += found != NULL;
        if (x->kind == CG_VECTOR) {
            found = x;
            *level = 0;
        }
    }
    return found;
}

/* Does the region contain an access of the same kind `step` elements further? */
static bool
has_adjacent_access(const cg_ranges *r, cg_val access, int64_t step)
{
    const literal in = r->around[access];
    const cg_block *x = r->k->insn[in.v].block;
    const cg_region *region = !x ? &r->k->body : in.holds ? &x->body : &x->other;

    for (uint32_t i = 0; i < region->n; i++)
        if (cg_are_adjacent(r->k, access, region->insn[i], step))
            return true;
    return false;
}

/* The stride from lane to lane.  An emitter may know it where the kernel's text does not show
 * it, as for quotients of lanes. */
static int64_t
step_of(const cg_ranges *r, const cg_touched *x, const cg_block *vector, uint32_t lanes)
{
    const cg_val index = r->k->insn[x->access].in[0];
    const int64_t step = cg_stride_over(r->k, index, vector);

    return step == 0 && (r->divergence[index] & lanes) ? x->step : step;
}

/* A load may also read elements between those of the access; a store must not write them. */
static bool
is_inside(const cg_ranges *r, const cg_touched *x, const cg_block *vector, uint32_t lanes)
{
    const cg_insn *i = &r->k->insn[x->access];
    hull h = { 0, 0, 1 };

    if (x->lane < 0 || x->lanes < 0 || (vector && x->lane + x->lanes > cg_extent(r->k, vector)))
        return false;
    if (vector && (x->lane || x->lanes > 1))
        extend(&h, step_of(r, x, vector, lanes), x->lane, x->lanes ? x->lanes : 1);
    if (x->copies)
        extend(&h, cg_stride_over(r->k, i->in[0], x->copies), 0, cg_extent(r->k, x->copies));
    if (x->adjacent > 1)
        extend(&h, 1, 0, x->adjacent);
    else if (x->adjacent < 0)
        extend(&h, -1, 0, -x->adjacent);
    for (int n = 1; n < x->adjacent || n < -x->adjacent; n++)
        if (!has_adjacent_access(r, x->access, x->adjacent < 0 ? -n : n))
            return false;
    return x->first >= h.lo && x->count - 1 <= h.hi - x->first &&
           (i->op == CG_LOAD || x->count == 1 || h.hi - h.lo < h.n);
}

static void
refuse(cg_ranges *r, const cg_touched *x, const char *what)
{
    const cg_insn *i = &r->k->insn[x->access];

    r->loc = cg_loc_of(r->k, x->access);
    r->why = ir_format(r->arena,
                       "kernel %s, value %u: the emitted code touches elements %" PRId64
                       "..%" PRId64 " from the first of %s[%%%u], %s",
                       r->k->name, x->access, x->first, x->first + x->count - 1,
                       r->k->buffer[i->imm].name, i->in[0], what);
}

void
cg_report(cg_ranges *r, const cg_touched *x)
{
    int level;

    if (r->why)
        return;
    const cg_block *vector = vector_around(r, x->access, &level);
    const bool any = mark(r, x->by);
    const cg_val none = missing_around(r, x->access);
    /* with one lane there is no other */
    const uint32_t lanes = vector && cg_extent(r->k, vector) > 1 ? (uint32_t)1 << level : 0;

    if (none)
        refuse(r, x, ir_format(r->arena, "without the condition %%%u", none));
    else if (any && (r->divergence[r->k->insn[x->access].in[0]] & lanes))
        refuse(r, x, "under the condition of another lane");
    else if (!is_inside(r, x, vector, lanes))
        refuse(r, x, "which the kernel does not access there");
}
