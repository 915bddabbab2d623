/* Proof that a reduction takes each of its elements exactly once.
 *
 * The lowering of a reduction declares at which place of the kernel it takes which element
 * (cg_take_element).  The element's number depends only on constants and on the loops between
 * the reduction and the take.  So the verifier executes this index arithmetic, and nothing
 * else, and collects the numbers as intervals: at the end they must tile 0 ... n - 1.
 *
 * A loop whose bounds and conditions do not depend on the loops around it takes the same
 * elements each time, shifted by what the outer loops add to their numbers.  It is executed
 * once, and its intervals are kept and shifted.  A sum of n elements therefore costs a step for
 * each block of 512, not for each element.
 *
 * The proof is about the numbers that the lowering declares.  That the value taken is the
 * element of that number is left to tests. */
#include "codegen/verify/coverage.h"

#include <inttypes.h>
#include <stdlib.h>

#include "codegen/tuning.h"
#include "codegen/verify/numbers.h"
#include "codegen/verify/scratch.h"
#include "ir/diag.h"

typedef struct interval {
    int64_t lo, hi; /* the elements lo ... hi - 1 */
} interval;

typedef struct intervals {
    interval *at;
    uint32_t n, cap;
} intervals;

/* A region between the reduction and a take: the root, or a region of `block`. */
typedef struct node {
    cg_val block;
    bool other; /* of an if: its else region */
    const cg_take **take;
    uint32_t n_takes, cap_takes;
    struct node **inner;
    uint32_t n_inner, cap_inner;
    bool asked, kept; /* kept: `moves` is what the loop takes, minus its offset */
    intervals moves;
} node;

typedef struct site {
    cg_val block; /* the block that contains the region or block; 0: the kernel's body */
    bool other, there;
} site;

typedef struct coverage {
    const cg_kernel *k;
    ir_arena *arena;      /* lives as long as the kernel */
    ir_arena *lasting;    /* lives as long as the report */
    site *region;         /* for each mark */
    site *block;          /* for each instruction */
    node **body, **other; /* for each instruction: its nodes for reduction number `serial` */
    uint32_t *serial, now;
    cg_numbers n;
    intervals taken;
    bool wrong; /* an element is taken twice */
    int64_t twice;
    cg_coverage_report *r;
} coverage;

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

/* Sorts the intervals from `first` on and joins adjacent ones.  Intervals that overlap are a
 * mistake. */
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

/* -- loops that take the same elements in each run -- */

static bool
is_invariant(coverage *c, const node *x)
{
    const cg_insn *i = &c->k->insn[x->block];
    bool same = i->op == CG_LOOP ? cg_number_is_invariant(&c->n, i->block->lo) &&
                                       cg_number_is_invariant(&c->n, i->block->hi) &&
                                       cg_number_is_invariant(&c->n, i->block->limit)
                                 : cg_number_is_invariant(&c->n, i->block->cond);

    for (uint32_t j = 0; j < x->n_takes && same; j++)
        same = x->take[j]->extent == 0 && cg_number_is_invariant(&c->n, x->take[j]->when);
    for (uint32_t j = 0; j < x->n_inner && same; j++)
        same = is_invariant(c, x->inner[j]);
    return same;
}

/* The sum that running loops add to the numbers of all elements that x takes, if it is the same
 * for all.  *any: an earlier take has set *offset. */
static bool
offset_of(coverage *c, const node *x, bool *any, int64_t *offset)
{
    for (uint32_t j = 0; j < x->n_takes; j++) {
        const cg_take *t = x->take[j];
        int64_t sum = 0;
        bool known = t->n >= 0;
        for (int i = 0; i < t->n && known; i++)
            known = cg_number_outer(&c->n, t->term[i].v, t->term[i].c, 0, &sum);
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

/* -- execution -- */

static bool run(coverage *c, const node *x);

static bool
run_take(coverage *c, const cg_take *t)
{
    int64_t e = t->k, there = 1, x = 0, n = 1, end;

    if (t->when && !cg_number_of(&c->n, t->when, &there))
        return false;
    if (!there)
        return true;
    for (int i = 0; i < t->n; i++)
        if (!cg_number_of(&c->n, t->term[i].v, &x) ||
            __builtin_mul_overflow(x, t->term[i].c, &x) || __builtin_add_overflow(e, x, &e))
            return false;
    if (t->extent)
        n = x > t->limit - t->extent ? t->limit - x : t->extent;
    if (t->n < 0 || __builtin_add_overflow(e, n, &end))
        return false;
    if (n > 0)
        add(c, &c->taken, e, end);
    return true;
}

/* Does each iteration take n elements without a condition, at numbers that are n larger than in
 * the iteration before? */
static bool
advances_evenly(const coverage *c, const node *x)
{
    if (x->n_inner > 0 || x->block == 0)
        return false;
    for (uint32_t j = 0; j < x->n_takes; j++) {
        const cg_take *t = x->take[j];
        int64_t by = 0, one;
        for (int i = 0; i < t->n; i++)
            if (!cg_affine(c->k, t->term[i].v, x->block, &one) ||
                __builtin_mul_overflow(one, t->term[i].c, &one) ||
                __builtin_add_overflow(by, one, &by))
                return false;
        if (t->when || t->extent || t->n < 0 || by != x->n_takes)
            return false;
    }
    return true;
}

/* Takes the elements of all iterations at once, if those of the first are adjacent. */
static bool
run_at_once(coverage *c, const node *x, const cg_block *b, int64_t lo, int64_t iterations)
{
    const intervals before = c->taken;
    int64_t all;

    if (!advances_evenly(c, x) || __builtin_mul_overflow(iterations, (int64_t)x->n_takes, &all))
        return false;
    c->taken = (intervals){ 0 };
    c->n.depth++;
    cg_number_bind(&c->n, b->var, lo);
    const bool known = run(c, x);
    cg_number_unbind(&c->n, b->var);
    c->n.depth--;
    const interval *first = c->taken.at;
    const bool row = known && c->taken.n == 1 && first->hi - first->lo == x->n_takes &&
                     first->lo <= INT64_MAX - all;
    c->taken = before;
    if (row)
        add(c, &c->taken, first->lo, first->lo + all);
    return row;
}

static bool
run_iterations(coverage *c, const node *x, const cg_block *b)
{
    int64_t lo, hi, limit = INT64_MAX;

    if (!cg_number_of(&c->n, b->lo, &lo) || !cg_number_of(&c->n, b->hi, &hi) || b->step < 1 ||
        (b->limit && !cg_number_of(&c->n, b->limit, &limit)))
        return false;
    if (lo < hi && lo >= 0 && limit > 0) {
        const int64_t n = (hi - 1 - lo) / b->step + 1;
        if (n > 1 && run_at_once(c, x, b, lo, n < limit ? n : limit))
            return true;
    }
    bool known = true;
    c->n.depth++;
    for (int64_t i = lo, n = 0; i < hi && n < limit && known; n++) {
        cg_number_bind(&c->n, b->var, i);
        known = c->n.steps++ <= CG_VERIFY_MAX_RUN_STEPS && run(c, x) &&
                !__builtin_add_overflow(i, b->step, &i);
    }
    cg_number_unbind(&c->n, b->var);
    c->n.depth--;
    return known;
}

/* Executes a loop, or repeats the elements of its last run, shifted. */
static bool
run_loop(coverage *c, node *x, const cg_block *b)
{
    intervals whole = { 0 };
    int64_t offset = 0;
    bool any = false;

    const bool moves = (x->kept || !x->asked) && offset_of(c, x, &any, &offset);
    if (moves && x->kept) {
        c->n.steps += x->moves.n;
        for (uint32_t i = 0; i < x->moves.n; i++)
            add(c, &c->taken, x->moves.at[i].lo + offset, x->moves.at[i].hi + offset);
        return true;
    }
    const bool keep = moves && !x->asked && is_invariant(c, x);
    const intervals before = c->taken;
    x->asked = true;
    c->taken = whole;
    const bool known = run_iterations(c, x, b);
    whole = c->taken;
    c->taken = before;
    tidy(c, &whole, 0);
    for (uint32_t i = 0; i < whole.n; i++)
        add(c, &c->taken, whole.at[i].lo, whole.at[i].hi);
    if (known && keep && whole.n <= CG_VERIFY_MAX_INTERVALS) {
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
    if (i->op != CG_IF || !cg_number_of(&c->n, i->block->cond, &cond))
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

/* -- the tree of regions between a reduction and its takes -- */

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

/* The node of a site inside the root's region; NULL: the root does not contain it. */
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
report(coverage *c, const cg_reduction *d, int64_t n, const char *what)
{
    cg_coverage_report *r = c->r;
    const char *why = ir_format(
        c->lasting, "kernel %s, a reduction of %" PRId64 " elements: %s", c->k->name, n, what);

    if (!r->why) {
        r->why = why;
        r->loc = d->loc ? d->loc : cg_loc_of(c->k, 0);
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
        form = "element %" PRId64 " is taken, but does not exist";
    }
    return form ? ir_format(c->arena, form, at) : NULL;
}

/* Execute each part of a reduction that is split into several. */
static bool
run_parts(coverage *c, const cg_reduction *d, node *root)
{
    int64_t only;
    bool known = true;

    if (d->split && c->k->insn[d->split].op == CG_VAR)
        return run_iterations(c, root, c->k->insn[c->k->insn[d->split].in[0]].block);
    if (d->split == 0 || cg_is_const(c->k, d->split, &only))
        return (d->split == 0 || (only == 0 && d->parts == 1)) && run(c, root);
    c->n.depth++;
    for (int64_t i = 0; i < d->parts && known; i++) {
        cg_number_bind(&c->n, d->split, i);
        known = run(c, root);
    }
    cg_number_unbind(&c->n, d->split);
    c->n.depth--;
    return known;
}

static void
judge(coverage *c, const cg_reduction *d, node *root, bool complete)
{
    c->n.steps = 0;
    c->wrong = false;
    c->taken = (intervals){ 0 };
    int64_t n = d->n;
    const bool known = complete && (d->count == 0 || cg_number_of(&c->n, d->count, &n)) &&
                       run_parts(c, d, root);
    tidy(c, &c->taken, 0);
    const char *what = known || c->wrong ? mistake(c, n) : NULL;
    if (known && !what) {
        c->r->proved++;
        c->r->elements += n;
    } else if (what) {
        c->r->refuted++;
        report(c, d, n, what);
    } else if (c->n.steps > CG_VERIFY_MAX_RUN_STEPS) {
        c->r->large++;
    } else {
        c->r->open++;
        report(c, d, n, "not every element is proved to be taken once");
    }
}

/* Sorts takes by reduction: those of number i + 1 are first[i] ... first[i + 1] - 1.  A take of
 * no reduction is reported. */
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
            report(c, &(cg_reduction){ 0 }, 0, "an element is taken by no reduction");
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

static void
judge_kernel(const cg_kernel *k, ir_arena *own, ir_arena *lasting, cg_coverage_report *r)
{
    coverage *c = IR_NEW(own, coverage);

    *c = (coverage){ .k = k, .arena = own, .lasting = lasting, .r = r };
    c->region = IR_NEW_N(own, site, k->n_marks + 1);
    c->block = IR_NEW_N(own, site, k->n_insns);
    c->body = IR_NEW_N(own, node *, k->n_insns);
    c->other = IR_NEW_N(own, node *, k->n_insns);
    c->serial = IR_NEW_N(own, uint32_t, k->n_insns);
    cg_numbers_begin(&c->n, k, own);
    find_sites(c, &k->body, 0, false);
    judge_all(c);
}

/* The result of a check, and the arena for its text. */
typedef struct asked {
    ir_arena *lasting;
    cg_coverage_report *r;
} asked;

static cot_status
judge_kernels(const cg_module *m, cg_scratch *s, void *user)
{
    const asked *x = user;

    for (uint32_t i = 0; i < m->n_kernels; i++) {
        const cg_kernel *k = m->kernel[i];
        if (k->n_reductions == 0 && k->n_takes == 0)
            continue;
        judge_kernel(k, &s->kernel, x->lasting, x->r);
        ir_arena_reset(&s->kernel);
    }
    return COT_OK;
}

void
cg_coverage_of(const cg_module *m, ir_arena *arena, cg_coverage_report *r)
{
    cg_with_scratch(m, judge_kernels, &(asked){ arena, r });
}

static cot_status
verify(const cg_module *m, cg_scratch *s, void *user)
{
    cg_coverage_report r = { 0 };

    (void)user;
    cg_coverage_of(m, &s->module, &r);
    if (!r.why)
        return COT_OK;
    return ir_fail(m->ctx, r.loc, NULL, m->read ? ERR_kernel_text : ERR_unproved, r.why);
}

cot_status
cg_verify_coverage(const cg_module *m)
{
    return cg_with_scratch(m, verify, NULL);
}
