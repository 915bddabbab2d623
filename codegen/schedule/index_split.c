/* Index-set splitting: loops are split where tests of bounds change.
 *
 * A pad or concatenate tests whether the index is inside of an operand.  Along one loop such a
 * test is lo <= k x + c < hi, whose result changes at two places.  Between two such places the
 * result is known, so that a part of the loop has neither tests nor masks and emits only what
 * it needs: the interior of a stencil consists of plain loads, and a concatenate of one copy
 * for each operand (Kennedy and Allen, Optimizing Compilers for Modern Architectures, 2001,
 * section 5: index-set splitting). */
#include "codegen/schedule/index_split.h"

#include <stdlib.h>

static int
by_value(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

static bool
is_axis(const cg_access *w, uint32_t atom, const cg_ix *at, int first, int last)
{
    for (int k = first; k < last; k++) {
        const cg_ix_expr *e = &w->ix.expr[at[k]];
        if (e->n == 1 && e->term[0].atom == atom)
            return true;
    }
    return false;
}

/* The k for which e = k x + c, where x is the variable of the loop over these axes; 0: e has
 * another form.  If it has this form the axes were merged (map_nest.c), and k is the
 * coefficient of the last one. */
static int64_t
step_of(const cg_access *w, cg_ix e, const cg_ix *at, int first, int last)
{
    bool pure;
    for (uint32_t i = 0; i < w->ix.expr[e].n; i++)
        if (!is_axis(w, w->ix.expr[e].term[i].atom, at, first, last))
            return 0;
    int64_t k = cg_ix_coef(&w->ix, e, at[last - 1], &pure);
    return pure ? k : 0;
}

/* The least x with k x + c >= bound for k > 0, and with k x + c < bound for k < 0. */
static int64_t
place_of(int64_t k, int64_t c, int64_t bound)
{
    int64_t a = k > 0 ? bound - c : c - bound, m = k > 0 ? k : -k;
    int64_t q = a / m, r = a % m;
    if (k > 0)
        return q + (r > 0);
    return q + (r >= 0);
}

cg_index_splits
cg_index_splits_of(const cg_access *w, const cg_ix *at, int first, int last, int64_t extent,
                   int most)
{
    int64_t *start = IR_NEW_N(w->arena, int64_t, 2 * w->n_tests + 2);
    int n = 0, kept = 1;
    start[n++] = 0;
    for (uint32_t i = 0; i < w->n_tests; i++) {
        const cg_test *t = &w->test[i];
        int64_t k = step_of(w, t->x, at, first, last), c = w->ix.expr[t->x].c;
        for (int end = 0; k != 0 && end < 2; end++) {
            int64_t x = place_of(k, c, end ? t->hi : t->lo);
            if (x > 0 && x < extent)
                start[n++] = x;
        }
    }
    qsort(start, (size_t)n, sizeof *start, by_value);
    for (int i = 1; i < n; i++)
        if (start[i] != start[kept - 1])
            start[kept++] = start[i];
    if (kept > most)
        kept = 1;
    start[kept] = extent;
    return (cg_index_splits){ kept, start };
}
