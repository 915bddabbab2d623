/* Strip mining: loops over elements, one by one, by vectors, or by the threads of a GPU.
 *
 * The elements that do not fill a vector are computed by a last vector that is moved back to
 * end with the loop, if elements may be computed twice and no threads share the loop; otherwise
 * by a narrower vector. */
#include "codegen/elemental/strip_mine.h"

#include "codegen/elemental/element.h"
#include "codegen/kernel/grid.h"

int64_t
cg_pow2_from(int64_t n)
{
    int64_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

/* limit: 0: all lanes are active. */
static void
one_vector(cg_lowering *l, cg_val start, int64_t n, int64_t lanes, cg_val limit,
           cg_strip_body *body, void *user)
{
    cg_val loop =
        cg_loop_begin(&l->b, CG_VECTOR, cg_i64(&l->b, 0), cg_i64(&l->b, lanes), 1, limit);
    cg_val i = cg_iadd(&l->b, start, cg_loop_var(&l->b, loop));
    l->vector = true;
    body(l, user, cg_ix_var(&l->ix, i, 0, n - 1));
    l->vector = false;
    cg_loop_end(&l->b, loop);
}

/* Whole vectors, then a loop that runs once, with a limit, or not at all. */
void
cg_strip_mine_open(cg_lowering *l, cg_kind kind, int64_t n, int64_t lanes, cg_strip_body *body,
                   void *user)
{
    cg_build *b = &l->b;
    const int64_t whole = n / lanes * lanes;

    for (int rest = 0; rest < (lanes > 1 ? 2 : 1); rest++) {
        cg_val loop = cg_loop_begin(b, rest ? CG_SERIAL : kind, cg_i64(b, rest ? whole : 0),
                                    cg_i64(b, rest ? n : whole), lanes, 0);
        cg_val start = cg_loop_var(b, loop);
        if (lanes == 1)
            body(l, user, cg_ix_var(&l->ix, start, 0, n - 1));
        else
            one_vector(l, start, n, lanes, rest ? cg_isub(b, cg_i64(b, n), start) : 0, body,
                       user);
        cg_loop_end(b, loop);
    }
}

static cg_val
limit_of(cg_lowering *l, int64_t n, int64_t lanes)
{
    return n < lanes ? cg_i64(&l->b, n) : 0;
}

void
cg_strip_mine(cg_lowering *l, cg_kind kind, int64_t n, int64_t lanes, bool idempotent,
              cg_strip_body *body, void *user)
{
    if (n <= 0)
        return;
    if (lanes > 1 && n <= lanes) {
        one_vector(l, cg_i64(&l->b, 0), n, cg_pow2_from(n), limit_of(l, n, cg_pow2_from(n)),
                   body, user);
        return;
    }
    if (cg_is_open(l, n)) {
        cg_strip_mine_open(l, kind, n, lanes, body, user);
        return;
    }
    /* two threads never store to one element, even the same value */
    const bool moves_back = idempotent && kind != CG_PARALLEL;
    int64_t whole = moves_back || lanes == 1 ? n : n / lanes * lanes;
    cg_val loop = cg_loop_begin(&l->b, kind, cg_i64(&l->b, 0), cg_i64(&l->b, whole), lanes, 0);
    cg_val start = cg_loop_var(&l->b, loop);
    if (whole % lanes)
        start = cg_imin(&l->b, start, cg_i64(&l->b, n - lanes));
    if (lanes == 1)
        body(l, user, cg_ix_var(&l->ix, start, 0, n - 1));
    else
        one_vector(l, start, n, lanes, 0, body, user);
    cg_loop_end(&l->b, loop);
    if (whole < n)
        one_vector(l, cg_i64(&l->b, whole), n, cg_pow2_from(n - whole),
                   limit_of(l, n - whole, cg_pow2_from(n - whole)), body, user);
}

int64_t
cg_threads_of(const cg_lowering *l, int64_t n)
{
    return l->m->n_open ? CG_BLOCK_THREADS : cg_block_threads(n);
}

cg_val
cg_threads_begin(cg_lowering *l, int64_t n, cg_val *i)
{
    cg_build *b = &l->b;
    const int64_t T = cg_threads_of(l, n);
    /* where sizes are open, that each element has a thread is proved at each probe */
    const uint32_t all = l->m->n_open ? cg_reduction_new(b, n, 0, 1) : 0;
    cg_val grid = cg_loop_of(b, CG_GRID, (n + T - 1) / T);
    cg_val first = cg_imul(b, cg_loop_var(b, grid), T),
           limit = cg_has_rest(l, n, T) ? cg_isub(b, cg_i64(b, n), first) : 0;
    l->threads = cg_loop_begin(b, CG_BLOCK, cg_i64(b, 0), cg_i64(b, T), 1, limit);
    *i = cg_iadd(b, first, cg_loop_var(b, l->threads));
    if (all)
        cg_take_value(b, all, *i, 0);
    return grid;
}

void
cg_threads_end(cg_lowering *l, cg_val grid)
{
    cg_loop_end(&l->b, l->threads);
    cg_loop_end(&l->b, grid);
}

cg_val
cg_thread_loop(cg_build *b, cg_val t, int64_t threads, int64_t n, cg_val *i)
{
    cg_val rounds = cg_i64(b, n / threads);

    if (n % threads)
        rounds = cg_idiv(b, cg_isub(b, cg_i64(b, n + threads - 1), t), threads);
    cg_val loop = cg_loop_begin(b, CG_SERIAL, cg_i64(b, 0), rounds, 1, 0);
    *i = cg_iadd(b, cg_imul(b, cg_loop_var(b, loop), threads), t);
    return loop;
}
