/* Proof that a reduction takes each of its elements exactly once.
 *
 * The lowering of a reduction says where its text takes which element (cg_take_element).  That
 * depends on constants and on the loops between the reduction and the take alone, so that the
 * verifier runs this index arithmetic, and nothing else, and collects the numbers as intervals:
 * at the end they must tile 0 ... n - 1.
 *
 * A loop whose bounds and conditions do not depend on loops around it takes the same elements
 * each time, moved by what the outer loops add to their numbers.  It runs once; its intervals
 * are kept and moved.  So a sum of n elements costs a step for each block of 512, not for each
 * element.
 *
 * The proof is about the places that the lowering names: that the value there is the element of
 * that number is for tests to show. */
#include "codegen/verify/coverage.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ir/diag.h"

enum {
    STEPS_MOST = 1 << 24,       /* of one reduction */
    DEPTH_MOST = 64,            /* of an index's arithmetic */
    KEPT_MOST = 64              /* intervals of a loop */
};

typedef struct interval {
    int64_t lo, hi;             /* lo ... hi - 1 */
} interval;

typedef struct intervals {
    interval *at;
    uint32_t n, cap;
} intervals;

/* A region on the way from the reduction to a take: the root, or a region of `block`. */
typedef struct node {
    cg_val block;
    bool other;                 /* of an if: else */
    const cg_take **take;
    uint32_t n_takes, cap_takes;
    struct node **inner;
    uint32_t n_inner, cap_inner;
    bool asked, kept;           /* kept: `moves` is what the loop takes, less its offset */
    intervals moves;
} node;

typedef struct site {
    cg_val block;               /* that the region or block is in; 0: the kernel's body */
    bool other, there;
} site;

/* Of the variable of a loop that runs, `at` is the time when it got this value; of what was made
 * of such variables, that when it was made, and `from` is the variable of the innermost loop. */
typedef struct known_value {
    int64_t value;
    uint64_t at;
    bool bound;
    uint32_t depth;
    cg_val from;
} known_value;

typedef struct coverage {
    const cg_kernel *k;
    ir_arena *arena;
    site *region;               /* of each mark        */
    site *block;                /* of each instruction */
    node **body, **other;       /* of each instruction: of the reduction `serial` */
    uint32_t *serial, now;
    known_value *known; /* of each value */
    uint64_t clock; /* counts what is bound */
    uint32_t depth; /* of loops that run    */
    cg_val deepest; /* the variable of the innermost loop that was read since */
    int64_t steps;
    intervals taken;
    bool inner, outer; /* has what was read since depended on loops that run, or do not? */
    bool wrong; /* something is taken twice */
    int64_t twice;
    cg_coverage_report *r;
} coverage;

/* -- index arithmetic -- */

static bool
arithmetic(int op, int64_t x, int64_t y, int64_t *out)
{
    switch (op) {
    case SC_add: return !__builtin_add_overflow(x, y, out);
    case SC_sub: return !__builtin_sub_overflow(x, y, out);
    case SC_mul: return !__builtin_mul_overflow(x, y, out);
    case SC_div: return *out = y > 0 ? x / y : 0, y > 0;
    case SC_rem: return *out = y > 0 ? x % y : 0, y > 0;
    case SC_shl: return y >= 0 && y < 62 && !__builtin_mul_overflow(x, (int64_t)1 << y, out);
    case SC_shr: return *out = x >> (y & 63), y >= 0 && y < 64;
    case SC_min: return *out = x < y ? x : y, true;
    case SC_max: return *out = x > y ? x : y, true;
    case SC_lt: return *out = x < y, true;
    case SC_le: return *out = x <= y, true;
    case SC_eq: return *out = x == y, true;
    case SC_ne: return *out = x != y, true;
    case SC_and: return *out = x & y, true;
    case SC_or: return *out = x | y, true;
    default: return false;
    }
}

/* The operands are i64 or truths. */
static bool
is_plain(const coverage *c, const cg_insn *i)
{
    const cot_dtype t = cg_type(c->k, i->in[0]);

    return i->op < SC_COUNT && (t == COT_I64 || t == COT_BOOL);
}

static void
read_variable(coverage *c, cg_val v)
{
    c->outer = true;
    if (c->deepest == 0 || c->known[v].depth > c->known[c->deepest].depth)
        c->deepest = v;
}

/* Loops around the innermost one of v have not moved since: that one would have begun anew. */
static bool
is_fresh(const coverage *c, const known_value *x)
{
    const known_value *from = &c->known[x->from];

    return x->at > 0 && (x->from == 0 || (from->bound && from->at < x->at));
}

static bool evaluate(coverage *c, cg_val v, int depth, int64_t *out);

static bool
compute(coverage *c, const cg_insn *i, int depth, int64_t *out)
{
    int64_t x, y, z;

    if (!is_plain(c, i) || !evaluate(c, i->in[0], depth + 1, &x))
        return false;
    if (i->op == SC_not)
        return *out = !x, i->type == COT_BOOL;
    if (i->op == SC_popcnt)
        return *out = __builtin_popcountll((uint64_t)x), true;
    if (ir_sc_arity[i->op] < 2 || !evaluate(c, i->in[1], depth + 1, &y))
        return false;
    if (i->op != SC_select)
        return arithmetic(i->op, x, y, out);
    return evaluate(c, i->in[2], depth + 1, &z) && (*out = x ? y : z, true);
}

/* What v is, kept until a loop moves on which it depends. */
static bool
compute_once(coverage *c, cg_val v, int depth, int64_t *out)
{
    const bool inner = c->inner, outer = c->outer;
    const cg_val deepest = c->deepest;

    c->inner = c->outer = false;
    c->deepest = 0;
    const bool known = compute(c, &c->k->insn[v], depth, out);
    if (known && !c->inner)
        c->known[v] = (known_value){ .value = *out, .at = ++c->clock, .from = c->deepest };
    c->inner |= inner;
    c->outer |= outer;
    if (deepest && (c->deepest == 0 || c->known[deepest].depth > c->known[c->deepest].depth))
        c->deepest = deepest;
    return known;
}

/* The value of v where the loops stand now.  Of a loop that does not run the variable is taken
 * for 0, and c->inner says so. */
static bool
evaluate(coverage *c, cg_val v, int depth, int64_t *out)
{
    const known_value *x = &c->known[v];

    if (depth > DEPTH_MOST || c->steps++ > STEPS_MOST)
        return false;
    if (cg_is_const(c->k, v, out))
        return true;
    if (x->bound || is_fresh(c, x)) {
        if (x->bound || x->from)
            read_variable(c, x->bound ? v : x->from);
        return *out = x->value, true;
    }
    if (v && c->k->insn[v].op == CG_VAR) {
        c->inner = true;
        return *out = 0, true;
    }
    return v && compute_once(c, v, depth, out);
}

static void
bind(coverage *c, cg_val v, int64_t x)
{
    c->known[v] = (known_value){ x, ++c->clock, true, c->depth, 0 };
}

static void
unbind(coverage *c, cg_val v)
{
    c->known[v] = (known_value){ 0 };
}

/* The value of v, all of whose loops run. */
static bool
value_of(coverage *c, cg_val v, int64_t *out)
{
    c->inner = false;
    return evaluate(c, v, 0, out) && !c->inner;
}

/* Adds to *sum the part of scale v that loops which run give.  False: there is a part that
 * depends on both kinds of loops, or what is not known. */
static bool
outer_part(coverage *c, cg_val v, int64_t scale, int depth, int64_t *sum)
{
    const cg_insn *i = &c->k->insn[v];
    int64_t x;

    c->inner = c->outer = false;
    if (depth > DEPTH_MOST || !evaluate(c, v, 0, &x))
        return false;
    if (!c->inner)
        return arithmetic(SC_mul, x, scale, &x) && arithmetic(SC_add, *sum, x, sum);
    if (!c->outer)
        return true;
    if (i->op == SC_add || i->op == SC_sub)
        return outer_part(c, i->in[0], scale, depth + 1, sum) &&
               outer_part(c, i->in[1], i->op == SC_add ? scale : -scale, depth + 1, sum);
    return i->op == SC_mul && cg_is_const(c->k, i->in[1], &x) &&
           arithmetic(SC_mul, scale, x, &scale) &&
           outer_part(c, i->in[0], scale, depth + 1, sum);
}

/* -- intervals -- */

static void
add(coverage *c, intervals *to, int64_t lo, int64_t hi)
{
    if (to->n && to->at[to->n - 1].hi == lo)
        to->at[to->n - 1].hi = hi;
    else
        IR_PUSH(c->arena, to->at, to->n, to->cap, ((interval){ lo, hi }));
}

static int
by_lo(const void *x, const void *y)
{
    const int64_t a = ((const interval *)x)->lo, b = ((const interval *)y)->lo;

    return (a > b) - (a < b);
}

/* Sorts what was added from `first` on, and joins neighbours.  What overlaps is wrong. */
static void
tidy(coverage *c, intervals *x, uint32_t first)
{
    uint32_t n = first;

    if (x->n - first < 2)
        return;
    qsort(x->at + first, x->n - first, sizeof *x->at, by_lo);
    for (uint32_t i = first + 1; i < x->n; i++) {
        if (x->at[i].lo < x->at[n].hi && !c->wrong) {
            c->wrong = true;
            c->twice = x->at[i].lo;
        }
        if (x->at[i].lo <= x->at[n].hi)
            x->at[n].hi = x->at[i].hi > x->at[n].hi ? x->at[i].hi : x->at[n].hi;
        else
            x->at[++n] = x->at[i];
    }
    x->n = n + 1;
}

/* -- loops that take the same elements each time -- */

/* What v is does not depend on loops that run. */
static bool
stays(coverage *c, cg_val v)
{
    int64_t x;

    c->outer = false;
    return v == 0 || (evaluate(c, v, 0, &x) && !c->outer);
}

static bool
text_stays(coverage *c, const node *x)
{
    const cg_insn *i = &c->k->insn[x->block];
    bool same = i->op == CG_LOOP ? stays(c, i->block->lo) && stays(c, i->block->hi) &&
                                       stays(c, i->block->limit)
                                 : stays(c, i->block->cond);

    for (uint32_t j = 0; j < x->n_takes && same; j++)
        same = stays(c, x->take[j]->when);
    for (uint32_t j = 0; j < x->n_inner && same; j++)
        same = text_stays(c, x->inner[j]);
    return same;
}

/* What the loops that run add to the numbers of all that x takes, if it is the same for all.
 * *any: there is one to compare with. */
static bool
offset_of(coverage *c, const node *x, bool *any, int64_t *offset)
{
    for (uint32_t j = 0; j < x->n_takes; j++) {
        const cg_take *t = x->take[j];
        int64_t sum = 0;
        bool known = t->n >= 0;
        for (int i = 0; i < t->n && known; i++)
            known = outer_part(c, t->term[i].v, t->term[i].c, 0, &sum);
        if (!known || (*any && sum != *offset))
            return false;
        *any = true;
        *offset = sum;
    }
    for (uint32_t j = 0; j < x->n_inner; j++)
        if (!offset_of(c, x->inner[j], any, offset))
            return false;
    return true;
}

/* -- running -- */

static bool run(coverage *c, const node *x);

static bool
run_take(coverage *c, const cg_take *t)
{
    int64_t e = t->k, there = 1, x;

    if (t->when && !value_of(c, t->when, &there))
        return false;
    if (!there)
        return true;
    for (int i = 0; i < t->n; i++)
        if (!value_of(c, t->term[i].v, &x) || !arithmetic(SC_mul, x, t->term[i].c, &x) ||
            !arithmetic(SC_add, e, x, &e))
            return false;
    if (t->n >= 0 && e < INT64_MAX)
        add(c, &c->taken, e, e + 1);
    return t->n >= 0 && e < INT64_MAX;
}

static bool
run_iterations(coverage *c, const node *x, const cg_block *b)
{
    int64_t lo, hi, limit = INT64_MAX;

    if (!value_of(c, b->lo, &lo) || !value_of(c, b->hi, &hi) || b->step < 1 ||
        (b->limit && !value_of(c, b->limit, &limit)))
        return false;
    bool known = true;
    c->depth++;
    for (int64_t i = lo, n = 0; i < hi && n < limit && known; n++) {
        bind(c, b->var, i);
        known =
            c->steps++ <= STEPS_MOST && run(c, x) && !__builtin_add_overflow(i, b->step, &i);
    }
    unbind(c, b->var);
    c->depth--;
    return known;
}

/* Not the first time, where the loop takes the same elements as before, moved. */
static bool
run_loop(coverage *c, node *x, const cg_block *b)
{
    intervals whole = { 0 };
    int64_t offset = 0;
    bool any = false;

    const bool moves = (x->kept || !x->asked) && offset_of(c, x, &any, &offset);
    if (moves && x->kept) {
        for (uint32_t i = 0; i < x->moves.n; i++)
            add(c, &c->taken, x->moves.at[i].lo + offset, x->moves.at[i].hi + offset);
        return true;
    }
    const bool keep = moves && !x->asked && text_stays(c, x);
    const intervals before = c->taken;
    x->asked = true;
    c->taken = whole;
    const bool known = run_iterations(c, x, b);
    whole = c->taken;
    c->taken = before;
    tidy(c, &whole, 0);
    for (uint32_t i = 0; i < whole.n; i++)
        add(c, &c->taken, whole.at[i].lo, whole.at[i].hi);
    if (known && keep && whole.n <= KEPT_MOST) {
        for (uint32_t i = 0; i < whole.n; i++)
            add(c, &x->moves, whole.at[i].lo - offset, whole.at[i].hi - offset);
        x->kept = true;
    }
    return known;
}

static bool
run_block(coverage *c, node *x)
{
    const cg_insn *i = &c->k->insn[x->block];
    int64_t cond;

    if (i->op == CG_LOOP)
        return run_loop(c, x, i->block);
    if (i->op != CG_IF || !value_of(c, i->block->cond, &cond))
        return false;
    return (cond != 0) == x->other || run(c, x);
}

static bool
run(coverage *c, const node *x)
{
    for (uint32_t j = 0; j < x->n_takes; j++)
        if (!run_take(c, x->take[j]))
            return false;
    for (uint32_t j = 0; j < x->n_inner; j++)
        if (!run_block(c, x->inner[j]))
            return false;
    return true;
}

/* -- the tree of regions from a reduction to its takes -- */

static void
find_sites(coverage *c, const cg_region *r, cg_val block, bool other)
{
    if (r->mark)
        c->region[r->mark] = (site){ block, other, true };
    for (uint32_t n = 0; n < r->n; n++) {
        const cg_block *x = c->k->insn[r->insn[n]].block;
        if (!x)
            continue;
        c->block[r->insn[n]] = (site){ block, other, true };
        find_sites(c, &x->body, r->insn[n], false);
        find_sites(c, &x->other, r->insn[n], true);
    }
}

static bool
same_site(site x, site y)
{
    return x.block == y.block && x.other == y.other;
}

/* The node of a site within the root's region; NULL: the root is not around it. */
static node *
node_at(coverage *c, node *root, site top, site s)
{
    node *below = NULL, *found = NULL;

    for (; !same_site(s, top); s = c->block[s.block]) {
        node **x = s.other ? &c->other[s.block] : &c->body[s.block];
        if (s.block == 0)
            return NULL;
        if (c->serial[s.block] != c->now) {
            c->serial[s.block] = c->now;
            c->body[s.block] = c->other[s.block] = NULL;
        }
        const bool old = *x != NULL;
        if (!old) {
            *x = IR_NEW(c->arena, node);
            (*x)->block = s.block;
            (*x)->other = s.other;
        }
        found = found ? found : *x;
        if (below)
            IR_PUSH(c->arena, (*x)->inner, (*x)->n_inner, (*x)->cap_inner, below);
        if (old)
            return found;
        below = *x;
    }
    if (below)
        IR_PUSH(c->arena, root->inner, root->n_inner, root->cap_inner, below);
    return found ? found : root;
}

/* -- reductions -- */

static void
report(coverage *c, const cg_reduction *d, const char *what)
{
    cg_coverage_report *r = c->r;
    const char *why = ir_format(c->arena, "kernel %s, a reduction of %" PRId64 " elements: %s",
                                c->k->name, d->n, what);

    if (!r->why) {
        r->why = why;
        r->first = c->k;
    }
    if (r->text)
        ir_buf_printf(r->text, "%s\n", why);
}

static const char *
mistake(coverage *c, int64_t n)
{
    const intervals *x = &c->taken;
    const char *form = NULL;
    int64_t at = 0;

    if (n == 0 && x->n == 0)
        return NULL;
    if (c->wrong) {
        at = c->twice;
        form = "element %" PRId64 " is taken twice";
    } else if (x->n == 0 || x->at[0].lo > 0 || (x->at[0].lo == 0 && x->at[0].hi < n)) {
        at = x->n && x->at[0].lo == 0 ? x->at[0].hi : 0;
        form = "element %" PRId64 " is not taken";
    } else if (x->at[0].lo < 0 || x->at[0].hi > n) {
        at = x->at[0].lo < 0 ? x->at[0].lo : n;
        form = "element %" PRId64 " is taken, which it has not";
    }
    return form ? ir_format(c->arena, form, at) : NULL;
}

/* All parts of a reduction that is split: each is a run of the text. */
static bool
run_parts(coverage *c, const cg_reduction *d, node *root)
{
    int64_t only;
    bool known = true;

    if (d->split == 0 || cg_is_const(c->k, d->split, &only))
        return (d->split == 0 || (only == 0 && d->parts == 1)) && run(c, root);
    c->depth++;
    for (int64_t i = 0; i < d->parts && known; i++) {
        bind(c, d->split, i);
        known = run(c, root);
    }
    unbind(c, d->split);
    c->depth--;
    return known;
}

static void
judge(coverage *c, const cg_reduction *d, node *root, bool complete)
{
    c->steps = 0;
    c->wrong = false;
    c->taken = (intervals){ 0 };
    const bool known = complete && run_parts(c, d, root);
    tidy(c, &c->taken, 0);
    const char *what = known || c->wrong ? mistake(c, d->n) : NULL;
    if (known && !what) {
        c->r->proved++;
        c->r->elements += d->n;
    } else if (what) {
        c->r->refuted++;
        report(c, d, what);
    } else if (c->steps > STEPS_MOST) {
        c->r->large++;
    } else {
        c->r->open++;
        report(c, d, "it is not proved that each is taken once");
    }
}

/* Takes by their reductions: those of number i + 1 are first[i] ... first[i + 1] - 1.  One that
 * names no reduction is open. */
static const cg_take **
sort_takes(coverage *c, uint32_t *first)
{
    const cg_kernel *k = c->k;
    const cg_take **sorted = IR_NEW_N(c->arena, const cg_take *, k->n_takes + 1);

    for (uint32_t i = 0; i < k->n_takes; i++) {
        const uint32_t number = k->take[i].reduction;
        if (number > 0 && number <= k->n_reductions) {
            first[number + 1]++;
        } else {
            c->r->open++;
            report(c, &(cg_reduction){ 0 }, "an element is taken for no reduction");
        }
    }
    for (uint32_t i = 2; i < k->n_reductions + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < k->n_takes; i++) {
        const uint32_t number = k->take[i].reduction;
        if (number > 0 && number <= k->n_reductions)
            sorted[first[number]++] = &k->take[i];
    }
    return sorted;
}

static void
judge_takes(coverage *c, const cg_reduction *d, const cg_take **take, uint32_t n)
{
    const site top = c->region[d->in];
    node root = { 0 };
    bool complete = true;

    c->now++;
    for (uint32_t j = 0; j < n; j++) {
        const site s = c->region[take[j]->in];
        node *x = s.there && top.there ? node_at(c, &root, top, s) : NULL;
        complete &= x != NULL;
        if (x)
            IR_PUSH(c->arena, x->take, x->n_takes, x->cap_takes, take[j]);
    }
    judge(c, d, &root, complete);
}

static void
judge_all(coverage *c)
{
    const cg_kernel *k = c->k;
    uint32_t *first = IR_NEW_N(c->arena, uint32_t, k->n_reductions + 2);
    const cg_take **take = sort_takes(c, first);

    for (uint32_t i = 0; i < k->n_reductions; i++)
        judge_takes(c, &k->reduction[i], take + first[i], first[i + 1] - first[i]);
}

void
cg_coverage_of(const cg_module *m, ir_arena *arena, cg_coverage_report *r)
{
    for (uint32_t i = 0; i < m->n_kernels; i++) {
        const cg_kernel *k = m->kernel[i];
        coverage *c = IR_NEW(arena, coverage);
        if (k->n_reductions == 0 && k->n_takes == 0)
            continue;
        *c = (coverage){ .k = k, .arena = arena, .r = r };
        c->region = IR_NEW_N(arena, site, k->n_marks + 1);
        c->block = IR_NEW_N(arena, site, k->n_insns);
        c->body = IR_NEW_N(arena, node *, k->n_insns);
        c->other = IR_NEW_N(arena, node *, k->n_insns);
        c->serial = IR_NEW_N(arena, uint32_t, k->n_insns);
        c->known = IR_NEW_N(arena, known_value, k->n_insns);
        find_sites(c, &k->body, 0, false);
        judge_all(c);
    }
}

cot_status
cg_verify_coverage(const cg_module *m)
{
    cg_coverage_report r = { 0 };
    ir_arena arena;
    cot_status s = COT_OK;

    ir_arena_init(&arena, m->ctx);
    cg_coverage_of(m, &arena, &r);
    if (r.why)
        s = ir_fail(m->ctx, r.first->loc, NULL, ERR_internal, ir_format(m->arena, "%s", r.why));
    ir_arena_free(&arena);
    return s;
}
