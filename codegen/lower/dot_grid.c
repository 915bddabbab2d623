/* Matrix products on a GPU, in the bits of the CPU's: NUMERICS.md section 4.
 *
 * Inner form: a warp for each row, or a block where there are few.  General form: tiles of the
 * result, one for a block of threads; for each K_TILE of k the threads load the rows of the one
 * side and the columns of the other into shared memory, and each thread adds products to a
 * small tile in its registers, in order of k.  Small products have a thread for each
 * element. */
#include "codegen/grid.h"
#include "codegen/lower/dot_inside.h"

enum { K_TILE = 16, SIDE = 16, PAD = 4, LANES_OF_TILE = 4, WARPS = 8, WIDE_LEAST = 1 << 20 };

/* -- threads for elements
 * ---------------------------------------------------------------------------------------- */

void
cg_dot_set_batch(product *p, cg_val batch)
{
    cg_build *b = p->b;
    const shape *s = &p->s;
    cg_val lhs = p->d->lhs_offset ? p->d->lhs_offset : cg_i64(b, 0);
    cg_val rhs = p->d->rhs_offset ? p->d->rhs_offset : cg_i64(b, 0);

    p->batch = batch;
    p->left = cg_iadd(b, lhs, offset(b, &s->b, s->b.lhs, batch));
    p->right = cg_iadd(b, rhs, offset(b, &s->b, s->b.rhs, batch));
    if (s->swap) {
        cg_val left = p->left;
        p->left = p->right;
        p->right = left;
    }
}

static void
by_elements(product *p, bool inner)
{
    cg_build *b = p->b;
    const shape *s = &p->s;
    const int64_t n = s->b.total * s->m.total * s->n.total, T = cg_block_threads(n);
    cg_val grid = cg_loop_begin(b, CG_GRID, cg_i64(b, 0), cg_i64(b, (n + T - 1) / T), 1, 0);
    cg_val first = cg_imul(b, cg_loop_var(b, grid), T);
    cg_val block = cg_loop_begin(b, CG_BLOCK, cg_i64(b, 0), cg_i64(b, T), 1,
                                 n % T ? cg_isub(b, cg_i64(b, n), first) : 0);
    cg_val i = cg_iadd(b, first, cg_loop_var(b, block)), column = cg_imod(b, i, s->n.total),
           rest = cg_idiv(b, i, s->n.total);
    cg_val row = cg_imod(b, rest, s->m.total);

    cg_dot_set_batch(p, cg_idiv(b, rest, s->m.total));
    cg_val zero = cg_i64(b, 0), one = cg_i64(b, 1);      /* inner: fewer k's than a block of them */
    give(p, row, column, inner ? cg_dot_inner_sum(p, row, zero, one, CG_SERIAL) : cg_dot_element(p, row, column), 0);
    cg_loop_end(b, block);
    cg_loop_end(b, grid);
}

/* -- inner form ----------------------------------------------------------------------------------------------------- */

static void
inner_rows(product *p)
{
    cg_build *b = p->b;
    const shape *s = &p->s;
    const int64_t rows = s->b.total * s->m.total;
    cg_val grid =
        cg_loop_begin(b, CG_GRID, cg_i64(b, 0), cg_i64(b, (rows + WARPS - 1) / WARPS), 1, 0);
    cg_val first = cg_imul(b, cg_loop_var(b, grid), WARPS);
    cg_val warps = cg_loop_begin(b, CG_WARPS, cg_i64(b, 0), cg_i64(b, WARPS), 1,
                                 rows % WARPS ? cg_isub(b, cg_i64(b, rows), first) : 0);
    cg_val row = cg_iadd(b, first, cg_loop_var(b, warps)), m = cg_imod(b, row, s->m.total),
           blocks = cg_i64(b, 0);

    cg_dot_set_batch(p, cg_idiv(b, row, s->m.total));
    blocks = cg_i64(b, (s->k.total + BLOCK - 1) / BLOCK);
    give(p, m, cg_i64(b, 0), cg_dot_inner_sum(p, m, cg_i64(b, 0), blocks, CG_LANES), 0);
    cg_loop_end(b, warps);
    cg_loop_end(b, grid);
}

/* The warps of a block have runs of a power of two of blocks of the sum: nodes of its tree. */
static void
inner_blocks(product *p)
{
    cg_build *b = p->b;
    const shape *s = &p->s;
    const int64_t rows = s->b.total * s->m.total, blocks = (s->k.total + BLOCK - 1) / BLOCK;
    int64_t run = 1;
    while ((blocks + run - 1) / run > CG_WARP)
        run *= 2;
    cg_val grid = cg_loop_begin(b, CG_GRID, cg_i64(b, 0), cg_i64(b, rows), 1, 0),
           row = cg_loop_var(b, grid);
    cg_val m = cg_imod(b, row, s->m.total);
    cg_dot_set_batch(p, cg_idiv(b, row, s->m.total));
    cg_val warps =
        cg_loop_begin(b, CG_WARPS, cg_i64(b, 0), cg_i64(b, (blocks + run - 1) / run), 1, 0);
    cg_val lo = cg_imul(b, cg_loop_var(b, warps), run),
           hi = cg_imin(b, cg_iadd(b, lo, cg_i64(b, run)), cg_i64(b, blocks));
    cg_loop_reduce(b, warps, CG_TREE, SC_add, p->d->type,
                   cg_dot_inner_sum(p, m, lo, hi, CG_LANES));
    cg_loop_end(b, warps);
    give(p, m, cg_i64(b, 0), cg_loop_result(b, warps, 0), 0);
    cg_loop_end(b, grid);
}

/* -- tiles ------------------------------------------------------------------------------------------------------------ */

typedef struct tiling {
    product *p;
    int64_t rows, columns;      /* of a thread                            */
    int64_t mt, nt;             /* of a block                             */
    uint32_t left, right;       /* shared: K_TILE rows of mt + PAD, of nt */
    cg_val t, m0, n0;
} tiling;

/* Element (kk, i) of one side of the tile for each of the block's threads in turn: along k
 * where k lies together in memory, else along i. */
static void
load_side(tiling *g, bool left, cg_val k0)
{
    cg_build *b = g->p->b;
    const shape *s = &g->p->s;
    const int64_t side = left ? g->mt : g->nt, width = left ? g->mt + PAD : g->nt;
    const group *free = left ? &s->m : &s->n;
    const int64_t *stride = left ? left_of(s, free) : right_of(s, free);
    const int64_t *k_stride = left ? left_of(s, &s->k) : right_of(s, &s->k);
    const bool along_k = innermost(&s->k, k_stride) == 1 && innermost(free, stride) != 1;
    cg_val turns = cg_loop_begin(b, CG_UNROLL, cg_i64(b, 0),
                                 cg_i64(b, side * K_TILE / CG_BLOCK_THREADS), 1, 0);
    cg_val e = cg_iadd(b, cg_imul(b, cg_loop_var(b, turns), CG_BLOCK_THREADS), g->t);
    cg_val kk = along_k ? cg_imod(b, e, K_TILE) : cg_idiv(b, e, side),
           i = along_k ? cg_idiv(b, e, K_TILE) : cg_imod(b, e, side);
    cg_val k = cg_iadd(b, k0, kk), at = cg_iadd(b, left ? g->m0 : g->n0, i), when = 0;

    if (free->total % side)
        when = less(b, at, cg_i64(b, free->total));
    if (s->k.total % K_TILE)
        when = both(b, when, less(b, k, cg_i64(b, s->k.total)));
    cg_val x = load(g->p, left, cg_iadd(b, offset(b, free, stride, at), offset(b, &s->k, k_stride, k)), when);
    cg_store(b, left ? g->left : g->right, cg_iadd(b, cg_imul(b, kk, width), i), x, 0);
    cg_loop_end(b, turns);
}

/* The products of k0 ... k0 + K_TILE - 1, one after the other.  Absent k's are not even added
 * as zeros: -0 + 0 is +0. */
static cg_val
add_tile(tiling *g, cg_val k0, cg_val row, cg_val column, cg_val acc)
{
    cg_build *b = g->p->b;
    cot_dtype t = g->p->d->type;
    const int64_t total = g->p->s.k.total;
    cg_val steps = cg_i64(b, K_TILE);

    load_side(g, true, k0);
    load_side(g, false, k0);
    cg_barrier(b);
    if (total % K_TILE)
        steps = cg_imin(b, steps, cg_isub(b, cg_i64(b, total), k0));
    cg_val loop = loop_over(b, cg_i64(b, 0), steps, 1), kk = cg_loop_var(b, loop);
    cg_val sum = cg_loop_carry(b, loop, t, acc);
    cg_val x = cg_load(b, g->left, cg_iadd(b, cg_imul(b, kk, g->mt + PAD), row), 0);
    cg_val y = cg_load(b, g->right, cg_iadd(b, cg_imul(b, kk, g->nt), column), 0);
    cg_loop_next(b, loop, sum, multiply_add(g->p, x, y, sum));
    cg_loop_end(b, loop);
    cg_barrier(b);
    return cg_loop_result(b, loop, 0);
}

/* A chain over k in lo ... hi - 1. */
static cg_val
chain(tiling *g, cg_val lo, cg_val hi, cg_val row, cg_val column)
{
    cg_build *b = g->p->b;
    cg_val loop = loop_over(b, lo, hi, K_TILE);
    cg_val acc = cg_loop_carry(b, loop, g->p->d->type, cg_const(b, g->p->d->type, 0));

    cg_loop_next(b, loop, acc, add_tile(g, cg_loop_var(b, loop), row, column, acc));
    cg_loop_end(b, loop);
    return cg_loop_result(b, loop, 0);
}

static cg_val
tile_sum(tiling *g, cg_val row, cg_val column)
{
    cg_build *b = g->p->b;
    cot_dtype t = g->p->d->type;
    const int64_t total = g->p->s.k.total;

    if (total <= KC)
        return chain(g, cg_i64(b, 0), cg_i64(b, total), row, column);
    cg_val blocks = loop_over(b, cg_i64(b, 0), cg_i64(b, total), KC),
           lo = cg_loop_var(b, blocks);
    cg_val sum = cg_loop_carry(b, blocks, t, cg_neutral(b, SC_add, t));
    cg_val hi = cg_imin(b, cg_iadd(b, lo, cg_i64(b, KC)), cg_i64(b, total));
    cg_loop_next(b, blocks, sum, cg_insn2(b, SC_add, t, sum, chain(g, lo, hi, row, column)));
    cg_loop_end(b, blocks);
    return cg_loop_result(b, blocks, 0);
}

static void
thread_tile(tiling *g)
{
    cg_build *b = g->p->b;
    const shape *s = &g->p->s;
    cg_val loop[3];
    const cg_val ty = cg_idiv(b, g->t, SIDE), tx = cg_imod(b, g->t, SIDE);
    cg_val row = cg_iadd(b, cg_imul(b, ty, g->rows), spmd(b, CG_UNROLL, g->rows, &loop[0]));
    cg_val part = spmd(b, CG_UNROLL, g->columns / LANES_OF_TILE, &loop[1]);
    cg_val first =
        cg_iadd(b, cg_imul(b, part, SIDE * LANES_OF_TILE), cg_imul(b, tx, LANES_OF_TILE));
    cg_val column = cg_iadd(b, first, spmd(b, CG_VECTOR, LANES_OF_TILE, &loop[2]));
    cg_val sum = tile_sum(g, row, column), when = 0;
    const bool even = s->n.total % LANES_OF_TILE == 0;      /* all lanes are inside, or none */

    if (s->m.total % g->mt)
        when = less(b, cg_iadd(b, g->m0, row), cg_i64(b, s->m.total));
    if (s->n.total % g->nt)
        when = both(b, when,
                    less(b, cg_iadd(b, g->n0, even ? first : column), cg_i64(b, s->n.total)));
    give(g->p, cg_iadd(b, g->m0, row), cg_iadd(b, g->n0, column), sum, when);
    for (int i = 2; i >= 0; i--)
        if (loop[i])
            cg_loop_end(b, loop[i]);
}

static int64_t
tile_of_thread(int64_t m, int64_t n, cot_dtype t)
{
    return t == COT_F32 && m * n >= WIDE_LEAST ? 8 : 4;
}

bool
cg_dot_tiles(const cg_target *target, const cg_dot *d, bool inner, int64_t elements[2])
{
    const int64_t m = cg_dot_total(&d->m), n = cg_dot_total(&d->n),
                  side = tile_of_thread(m, n, d->type) * SIDE;

    if (inner || cg_dot_is_tensor(target, d, inner) || m < 4 * SIDE || n < 4 * SIDE ||
        cg_dot_total(&d->k) < K_TILE)
        return false;
    elements[0] = K_TILE * (side + PAD);
    elements[1] = K_TILE * side;
    return true;
}

static void
by_tiles(product *p)
{
    cg_build *b = p->b;
    const shape *s = &p->s;
    const int64_t each = tile_of_thread(s->m.total, s->n.total, p->d->type);
    tiling g = { .p = p, .rows = each, .columns = each, .left = p->d->tile[0], .right = p->d->tile[1] };
    g.mt = g.rows * SIDE;
    g.nt = g.columns * SIDE;
    const int64_t mb = (s->m.total + g.mt - 1) / g.mt, nb = (s->n.total + g.nt - 1) / g.nt;

    cg_val grid = cg_loop_begin(b, CG_GRID, cg_i64(b, 0), cg_i64(b, s->b.total * mb * nb), 1, 0), i = cg_loop_var(b, grid);
    cg_dot_set_batch(p, cg_idiv(b, i, mb * nb));
    g.m0 = cg_imul(b, cg_imod(b, cg_idiv(b, i, nb), mb), g.mt);
    g.n0 = cg_imul(b, cg_imod(b, i, nb), g.nt);
    cg_val block = cg_loop_begin(b, CG_BLOCK, cg_i64(b, 0), cg_i64(b, CG_BLOCK_THREADS), 1, 0);
    g.t = cg_loop_var(b, block);
    thread_tile(&g);
    cg_loop_end(b, block);
    cg_loop_end(b, grid);
}

void
cg_dot_grid(product *p, const cg_target *t, bool inner)
{
    const shape *s = &p->s;
    int64_t elements[2];

    if (cg_dot_is_tensor(t, p->d, inner))
        cg_dot_tensor(p);
    else if (cg_dot_tiles(t, p->d, inner, elements))
        by_tiles(p);
    else if (!inner || s->k.total < LANES)
        by_elements(p, inner);
    else if (s->b.total * s->m.total < 256 && s->k.total > 4 * BLOCK)
        inner_blocks(p);
    else
        inner_rows(p);
}
