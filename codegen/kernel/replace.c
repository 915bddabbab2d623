/* Scalar replacement: what an iteration has stored is not loaded by a later one.
 *
 * A recurrence in memory, such as y[i] = f(y[i-1], y[i-2]), waits in each iteration until the
 * store of the one before can be loaded, which takes a processor longer than a sum or a
 * product.  A load of the element that was stored d iterations before is therefore the value
 * itself, which the loop carries (D. Callahan, S. Carr and K. Kennedy, "Improving register
 * allocation for subscripted variables", PLDI 1990).  The first d iterations find what was in
 * memory before the loop: those elements are loaded in front of it.
 *
 * Both indices are the same form in the variable of the loop, but for a constant: the stride
 * divides it into d.  Of several stores the one fewest iterations before is the last that wrote
 * the element.  Elements whose other stores are not of that form, or are conditional, stay in
 * memory. */
#include "codegen/kernel/linear.h"
#include "codegen/kernel/scope.h"

/* What a load reads: element `ix` of its buffer, by the store `distance` iterations before. */
typedef struct match {
    cg_val store;
    int64_t distance;
} match;

typedef struct replacing {
    cg_build *b;
    cg_val loop;
    cg_block *x;
    int64_t lo, trips;
    /* the carried values that were made so far, and what each holds */
    cg_val *carried;
    match *holds;
    uint32_t n, cap_carried, n_holds, cap_holds;
} replacing;

/* The index as a form whose terms are the variable of the loop and values from outside of it;
 * *stride is what it grows by in an iteration. */
static bool
index_form(const replacing *r, cg_val index, cg_linear *l, int64_t *stride)
{
    *l = cg_linear_of(r->b->k, index);
    *stride = 0;
    for (int i = 0; i < l->n; i++) {
        if (l->v[i] != r->x->var && cg_depth(r->b, l->v[i]) >= r->b->n_open - 1)
            return false;
        if (l->v[i] == r->x->var && __builtin_mul_overflow(l->c[i], r->x->step, stride))
            return false;
    }
    return !l->full;
}

typedef struct touching {
    const cg_kernel *k;
    uint32_t buffer;
    bool found;
} touching;

static void
meets(void *user, uint32_t buffer)
{
    touching *s = user;
    const cg_buffer *x = &s->k->buffer[buffer], *y = &s->k->buffer[s->buffer];

    s->found |= buffer == s->buffer || x->alias == s->buffer + 1 || y->alias == buffer + 1;
}

/* May the instruction write the buffer, other than by a store in the loop's own list? */
static bool
writes_otherwise(const cg_kernel *k, cg_val v, uint32_t buffer)
{
    const cg_insn *i = &k->insn[v];
    touching s = { k, buffer, false };

    if (i->op == CG_LOAD || i->op == CG_PREFETCH || (i->op == CG_STORE && i->imm == buffer))
        return false;
    cg_each_buffer(k, v, meets, &s);
    return s.found;
}

/* Compare the store at place `at` with a load of form l at place `before`: it may be a better
 * match.  Returns false if the load has to stay. */
static bool
match_store(const replacing *r, uint32_t at, uint32_t before, const cg_linear *l,
            int64_t stride, match *best)
{
    const cg_val v = r->x->body.insn[at];
    const cg_insn *store = &r->b->k->insn[v];
    cg_linear m;
    int64_t other;

    if (!index_form(r, store->in[0], &m, &other) || other != stride)
        return false;
    cg_linear_add(&m, l, -1);
    if (m.full || m.n > 0)
        return false;
    const int64_t d = m.k / stride;
    if (m.k % stride != 0 || d < 0 || (d == 0 && at > before))
        return true;
    if (d == 0 || store->in[2] != 0)
        return false;
    if (best->store == 0 || d <= best->distance)
        *best = (match){ v, d };
    return true;
}

/* The store whose value the load at place `at` of the list reads. */
static match
match_of(const replacing *r, uint32_t at)
{
    const cg_kernel *k = r->b->k;
    const cg_region *body = &r->x->body;
    const cg_insn *load = &k->insn[body->insn[at]];
    const match none = { 0 };
    match best = none;
    cg_linear l;
    int64_t stride;

    if (load->op != CG_LOAD || load->in[1] != 0 || !index_form(r, load->in[0], &l, &stride) ||
        stride == 0)
        return none;
    for (uint32_t i = 0; i < body->n; i++) {
        const cg_insn *s = &k->insn[body->insn[i]];
        if (writes_otherwise(k, body->insn[i], (uint32_t)load->imm) ||
            (s->op == CG_STORE && s->imm == load->imm &&
             !match_store(r, i, at, &l, stride, &best)))
            return none;
    }
    return best.distance <= CG_KERNEL_MAX_DISTANCE && best.distance <= r->trips ? best : none;
}

/* The element that the store would have written `distance` iterations before the first one, as
 * it is in front of the loop. */
static cg_val
first_value(const replacing *r, match m)
{
    cg_build *b = r->b;
    const cg_insn store = b->k->insn[m.store];
    const cg_linear l = cg_linear_of(b->k, store.in[0]);
    cg_val index = cg_i64(b, l.k);

    for (int i = 0; i < l.n; i++) {
        const cg_val v =
            l.v[i] == r->x->var ? cg_i64(b, r->lo - m.distance * r->x->step) : l.v[i];
        index = cg_iadd(b, index, cg_imul(b, v, l.c[i]));
    }
    return cg_scope_place_around(
        b, (cg_insn){ .op = CG_LOAD, .type = store.type, .imm = store.imm, .in = { index } });
}

/* The value that was stored m.distance iterations before, which is carried; v: the load of it,
 * or 0. */
static cg_val
carried_of(replacing *r, match m, cg_val v)
{
    cg_build *b = r->b;

    for (uint32_t i = 0; v == 0 && i < r->n; i++)
        if (r->holds[i].store == m.store && r->holds[i].distance == m.distance)
            return r->carried[i];
    const cg_insn store = b->k->insn[m.store];
    const cg_val next = m.distance == 1 ? store.in[1]
                                        : carried_of(r, (match){ m.store, m.distance - 1 }, 0),
                 first = first_value(r, m);
    if (v)
        cg_scope_carry(b, r->loop, v, (cot_dtype)store.type, first);
    else
        v = cg_loop_carry(b, r->loop, (cot_dtype)store.type, first);
    cg_loop_next(b, r->loop, v, next);
    IR_PUSH(b->k->arena, r->carried, r->n, r->cap_carried, v);
    IR_PUSH(b->k->arena, r->holds, r->n_holds, r->cap_holds, m);
    return v;
}

static void
forget_loads(cg_region *body, const match *found)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < body->n; i++)
        if (found[i].store == 0)
            body->insn[n++] = body->insn[i];
    body->n = n;
}

/* Find all loads before any is replaced, since an index may be loaded too.  Near ones come
 * first: what was stored long ago has been carried from one to the next. */
void
cg_replace_loads(cg_build *b, cg_val loop)
{
    cg_block *x = b->k->insn[loop].block;
    replacing r = { .b = b, .loop = loop, .x = x };

    r.trips = cg_extent(b->k, x);
    if (r.trips <= 0)
        return;
    cg_is_const(b->k, x->lo, &r.lo);
    match *found = IR_NEW_N(b->k->arena, match, x->body.n + 1);
    for (uint32_t i = 0; i < x->body.n; i++)
        found[i] = match_of(&r, i);
    for (int64_t d = 1; d <= CG_KERNEL_MAX_DISTANCE; d++)
        for (uint32_t i = 0; i < x->body.n; i++)
            if (found[i].store && found[i].distance == d)
                carried_of(&r, found[i], x->body.insn[i]);
    forget_loads(&x->body, found);
}
