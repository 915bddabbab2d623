/* Index expressions: see affine.h for the normal form. */
#include "codegen/kernel/affine.h"

void
cg_ix_begin(cg_ix_table *t, ir_arena *a)
{
    *t = (cg_ix_table){ .arena = a };
    t->traversals = IR_NEW(a, uint32_t);
    ir_map_init(&t->shared, a);
    ir_map_init(&t->atoms, a);
    IR_PUSH(a, t->expr, t->n, t->cap, ((cg_ix_expr){ 0 }));
    IR_PUSH(a, t->atom, t->n_atoms, t->cap_atoms, ((cg_ix_atom){ 0 }));
}

__extension__ typedef __int128 wide;

/* Bounds are clamped to +-2^62, so that their sums do not overflow. */
static int64_t
bounded(wide x)
{
    const wide most = (wide)1 << 62;
    return (int64_t)(x > most ? most : x < -most ? -most : x);
}

static uint64_t
expr_hash(int64_t c, uint32_t n, const cg_ix_term *term)
{
    uint64_t h = ir_hash_u64(ir_hash_u64(7, (uint64_t)c), n);
    for (uint32_t i = 0; i < n; i++)
        h = ir_hash_u64(ir_hash_u64(h, term[i].atom), (uint64_t)term[i].k);
    return h;
}

static bool
expr_is(const cg_ix_expr *e, int64_t c, uint32_t n, const cg_ix_term *term)
{
    if (e->c != c || e->n != n)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (e->term[i].atom != term[i].atom || e->term[i].k != term[i].k)
            return false;
    return true;
}

static cg_ix
intern(cg_ix_table *t, int64_t c, uint32_t n, const cg_ix_term *term)
{
    if (n == 0 && c == 0)
        return 0;
    uint64_t h = expr_hash(c, n, term);
    uint32_t id;
    for (uint32_t at = 0; (id = ir_map_next(&t->shared, h, &at)) != 0;)
        if (expr_is(&t->expr[id], c, n, term))
            return id;
    wide lo = c, hi = c;
    for (uint32_t i = 0; i < n; i++) {
        const cg_ix_atom *a = &t->atom[term[i].atom];
        lo += (wide)term[i].k * (term[i].k > 0 ? a->lo : a->hi);
        hi += (wide)term[i].k * (term[i].k > 0 ? a->hi : a->lo);
    }
    if (n > 0 && lo == hi)      /* a single value: a constant, whatever its atoms */
        return cg_ix_const(t, (int64_t)lo);
    cg_ix_expr e = { .c = c, .lo = bounded(lo), .hi = bounded(hi), .n = n };
    if (n > 0)
        e.term = ir_copy_bytes(t->arena, term, n * sizeof *term);
    ir_map_add(&t->shared, h, t->n);
    IR_PUSH(t->arena, t->expr, t->n, t->cap, e);
    return t->n - 1;
}

cg_ix
cg_ix_const(cg_ix_table *t, int64_t c)
{
    return intern(t, c, 0, NULL);
}

bool
cg_ix_is_const(const cg_ix_table *t, cg_ix x, int64_t *c)
{
    if (t->expr[x].n > 0)
        return false;
    *c = t->expr[x].c;
    return true;
}

static cg_ix
of_atom(cg_ix_table *t, uint32_t atom)
{
    return intern(t, 0, 1, &(cg_ix_term){ atom, 1 });
}

cg_ix
cg_ix_var(cg_ix_table *t, cg_val val, int64_t lo, int64_t hi)
{
    IR_PUSH(t->arena, t->atom, t->n_atoms, t->cap_atoms,
            ((cg_ix_atom){ .kind = CG_IX_VAR, .lo = lo, .hi = hi, .val = val }));
    return of_atom(t, t->n_atoms - 1);
}

static cg_ix
part(cg_ix_table *t, cg_ix_kind kind, cg_ix e, int64_t c)
{
    uint64_t h = ir_hash_u64(ir_hash_u64(ir_hash_u64(11, kind), e), (uint64_t)c);
    uint32_t id;
    for (uint32_t at = 0; (id = ir_map_next(&t->atoms, h, &at)) != 0;)
        if (t->atom[id].kind == kind && t->atom[id].e == e && t->atom[id].c == c)
            return of_atom(t, id);
    const cg_ix_expr *x = &t->expr[e];
    cg_ix_atom a = { .kind = kind, .e = e, .c = c };
    a.lo = kind == CG_IX_DIV ? (x->lo < 0 ? -1 : x->lo / c) : 0;
    a.hi = kind == CG_IX_DIV ? (x->hi < 0 ? 0 : x->hi / c) : c - 1;
    ir_map_add(&t->atoms, h, t->n_atoms);
    IR_PUSH(t->arena, t->atom, t->n_atoms, t->cap_atoms, a);
    return of_atom(t, t->n_atoms - 1);
}

static int64_t
coef_of(uint32_t n, const cg_ix_term *term, uint32_t atom)
{
    for (uint32_t i = 0; i < n; i++)
        if (term[i].atom == atom)
            return term[i].k;
    return 0;
}

/* k (e mod c) + k c (e div c) is k e.  Find such a pair among n terms: *r is the position of
 * the remainder, and *q the atom of the quotient. */
static bool
find_pair(cg_ix_table *t, uint32_t n, const cg_ix_term *term, uint32_t *r, uint32_t *q)
{
    for (uint32_t i = 0; i < n; i++) {
        const cg_ix_atom a = t->atom[term[i].atom];
        if (a.kind != CG_IX_MOD)
            continue;
        /* first, because it may reallocate the table */
        const cg_ix made = cg_ix_div(t, a.e, a.c);
        const cg_ix_expr quotient = t->expr[made];
        if (quotient.n != 1 || quotient.c != 0 || quotient.term[0].k != 1)
            continue;
        if (coef_of(n, term, quotient.term[0].atom) == term[i].k * a.c) {
            *r = i;
            *q = quotient.term[0].atom;
            return true;
        }
    }
    return false;
}

static cg_ix
joined(cg_ix_table *t, int64_t c, uint32_t n, const cg_ix_term *term)
{
    uint32_t r, q, m = 0;
    if (!find_pair(t, n, term, &r, &q))
        return intern(t, c, n, term);
    cg_ix_term *rest = IR_NEW_N(t->arena, cg_ix_term, n);
    for (uint32_t i = 0; i < n; i++)
        if (i != r && term[i].atom != q)
            rest[m++] = term[i];
    cg_ix whole = cg_ix_mul(t, t->atom[term[r].atom].e, term[r].k);
    return cg_ix_add(t, intern(t, c, m, rest), whole);
}

cg_ix
cg_ix_add(cg_ix_table *t, cg_ix x, cg_ix y)
{
    if (!x || !y)
        return x ? x : y;
    const cg_ix_expr a = t->expr[x], b = t->expr[y];
    cg_ix_term *term = IR_NEW_N(t->arena, cg_ix_term, a.n + b.n);
    uint32_t n = 0, i = 0, j = 0;
    while (i < a.n || j < b.n) {
        if (j == b.n || (i < a.n && a.term[i].atom < b.term[j].atom)) {
            term[n++] = a.term[i++];
        } else if (i == a.n || b.term[j].atom < a.term[i].atom) {
            term[n++] = b.term[j++];
        } else {
            term[n] = (cg_ix_term){ a.term[i].atom, a.term[i].k + b.term[j].k };
            n += term[n].k != 0;
            i++, j++;
        }
    }
    return joined(t, a.c + b.c, n, term);
}

cg_ix
cg_ix_addc(cg_ix_table *t, cg_ix x, int64_t c)
{
    const cg_ix_expr e = t->expr[x];
    return intern(t, e.c + c, e.n, e.term);
}

cg_ix
cg_ix_mul(cg_ix_table *t, cg_ix x, int64_t k)
{
    if (k == 0)
        return 0;
    const cg_ix_expr e = t->expr[x];
    cg_ix_term *term = IR_NEW_N(t->arena, cg_ix_term, e.n + 1);
    for (uint32_t i = 0; i < e.n; i++)
        term[i] = (cg_ix_term){ e.term[i].atom, e.term[i].k * k };
    return intern(t, e.c * k, e.n, term);
}

/* Split x into c * (*quotient) + rest, where the quotient has the terms whose coefficients c
 * divides.  Returns the rest. */
static cg_ix
split_multiples(cg_ix_table *t, cg_ix x, int64_t c, cg_ix *quotient)
{
    const cg_ix_expr e = t->expr[x];
    cg_ix_term *q = IR_NEW_N(t->arena, cg_ix_term, e.n + 1),
               *r = IR_NEW_N(t->arena, cg_ix_term, e.n + 1);
    uint32_t nq = 0, nr = 0;
    for (uint32_t i = 0; i < e.n; i++) {
        if (e.term[i].k % c == 0)
            q[nq++] = (cg_ix_term){ e.term[i].atom, e.term[i].k / c };
        else
            r[nr++] = e.term[i];
    }
    int64_t whole = cg_floor_div(e.c, c);
    *quotient = intern(t, whole, nq, q);
    return intern(t, e.c - whole * c, nr, r);
}

/* The greatest g that divides c and every coefficient of x. */
static int64_t
common(const cg_ix_table *t, cg_ix x, int64_t c)
{
    int64_t g = c;
    for (uint32_t i = 0; i < t->expr[x].n; i++)
        g = cg_gcd(t->expr[x].term[i].k, g);
    return g;
}

/* floor(x / g), where g divides every coefficient of x. */
static cg_ix
over(cg_ix_table *t, cg_ix x, int64_t g)
{
    const cg_ix_expr e = t->expr[x];
    cg_ix_term *term = IR_NEW_N(t->arena, cg_ix_term, e.n + 1);
    for (uint32_t i = 0; i < e.n; i++)
        term[i] = (cg_ix_term){ e.term[i].atom, e.term[i].k / g };
    return intern(t, cg_floor_div(e.c, g), e.n, term);
}

cg_ix
cg_ix_div(cg_ix_table *t, cg_ix x, int64_t c)
{
    if (c == 1)
        return x;
    cg_ix q, rest = split_multiples(t, x, c, &q);
    const cg_ix_expr r = t->expr[rest];
    if (r.lo >= 0 && r.hi < c)
        return q;
    if (r.lo < 0)               /* otherwise parts of negative numbers would be divided */
        q = 0, rest = x;
    int64_t g = common(t, rest, c);
    if (g > 1)
        return cg_ix_add(t, q, cg_ix_div(t, over(t, rest, g), c / g));
    const cg_ix_expr e = t->expr[rest];
    const cg_ix_atom *a =
        e.n == 1 && e.c == 0 && e.term[0].k == 1 ? &t->atom[e.term[0].atom] : NULL;
    if (a && a->kind == CG_IX_DIV && a->lo >= 0)
        return cg_ix_add(t, q, cg_ix_div(t, a->e, a->c * c));
    return cg_ix_add(t, q, part(t, CG_IX_DIV, rest, c));
}

cg_ix
cg_ix_mod(cg_ix_table *t, cg_ix x, int64_t c)
{
    if (c == 1)
        return 0;
    cg_ix q, rest = split_multiples(t, x, c, &q);
    const cg_ix_expr r = t->expr[rest];
    if (r.lo >= 0 && r.hi < c)
        return rest;
    if (r.lo < 0)
        rest = x;
    int64_t g = common(t, rest, c);
    if (g > 1) {
        int64_t low = t->expr[rest].c - cg_floor_div(t->expr[rest].c, g) * g;
        return cg_ix_addc(t, cg_ix_mul(t, cg_ix_mod(t, over(t, rest, g), c / g), g), low);
    }
    return part(t, CG_IX_MOD, rest, c);
}

/* Does x contain the atom, perhaps inside quotients?  An atom that this traversal visited
 * before does not contain it, or the traversal would have ended. */
static bool
mentions(const cg_ix_table *t, cg_ix x, uint32_t atom)
{
    const cg_ix_expr *e = &t->expr[x];
    for (uint32_t i = 0; i < e->n; i++) {
        cg_ix_atom *a = &t->atom[e->term[i].atom];
        const bool visited = a->visited == *t->traversals;
        a->visited = *t->traversals;
        if (e->term[i].atom == atom ||
            (!visited && a->kind != CG_IX_VAR && mentions(t, a->e, atom)))
            return true;
    }
    return false;
}

int64_t
cg_ix_coef(const cg_ix_table *t, cg_ix x, cg_ix v, bool *pure)
{
    const cg_ix_expr *e = &t->expr[x];
    int64_t k = 0;
    *pure = true;
    if (t->expr[v].n != 1)      /* an axis of size 1 */
        return 0;
    uint32_t atom = t->expr[v].term[0].atom;
    ++*t->traversals;
    for (uint32_t i = 0; i < e->n; i++) {
        const cg_ix_atom *a = &t->atom[e->term[i].atom];
        if (e->term[i].atom == atom)
            k = e->term[i].k;
        else if (a->kind != CG_IX_VAR && mentions(t, a->e, atom))
            *pure = false;
    }
    return k;
}

static cg_val value_of(cg_ix_table *t, cg_build *b, cg_ix x);

static cg_val
atom_value(cg_ix_table *t, cg_build *b, uint32_t i)
{
    const cg_ix_atom a = t->atom[i];
    if (a.kind == CG_IX_VAR)
        return a.val;
    if (a.visited == *t->traversals)
        return a.made;
    const cg_val e = value_of(t, b, a.e),
                 made = a.kind == CG_IX_DIV ? cg_idiv(b, e, a.c) : cg_imod(b, e, a.c);
    t->atom[i].visited = *t->traversals;
    t->atom[i].made = made;
    return made;
}

static cg_val
value_of(cg_ix_table *t, cg_build *b, cg_ix x)
{
    const cg_ix_expr e = t->expr[x];
    cg_val sum = 0;
    for (uint32_t i = 0; i < e.n; i++) {
        const cg_val v = cg_imul(b, atom_value(t, b, e.term[i].atom), e.term[i].k);
        sum = sum ? cg_iadd(b, sum, v) : v;
    }
    if (!sum)
        return cg_i64(b, e.c);
    return e.c ? cg_iadd(b, sum, cg_i64(b, e.c)) : sum;
}

cg_val
cg_ix_value(cg_ix_table *t, cg_build *b, cg_ix x)
{
    ++*t->traversals;
    return value_of(t, b, x);
}

cg_ix
cg_ix_flat(cg_ix_table *t, int rank, const int64_t *dims, const cg_ix *at)
{
    cg_ix flat = 0;
    int64_t stride = 1;
    for (int k = rank - 1; k >= 0; k--) {
        flat = cg_ix_add(t, flat, cg_ix_mul(t, at[k], stride));
        stride *= dims[k];
    }
    return flat;
}

void
cg_ix_split(cg_ix_table *t, cg_ix flat, int rank, const int64_t *dims, cg_ix *at)
{
    for (int k = rank - 1; k >= 0; k--) {
        at[k] = dims[k] > 0 ? cg_ix_mod(t, flat, dims[k]) : 0;
        if (k > 0 && dims[k] > 0)
            flat = cg_ix_div(t, flat, dims[k]);
    }
}
