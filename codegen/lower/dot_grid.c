/* Matrix products on a GPU, with the same bits as on a CPU: docs/numerics.md section 4.
 *
 * Inner form: a warp for each row, or a block for each if there are few rows.  General form: a
 * block of threads computes a tile of the result.  For each K_TILE of k the threads load rows
 * of the left side and columns of the right into shared memory, and each thread accumulates a
 * small tile in its registers, in order of k.  Shared memory has two stages: while one is
 * multiplied, the other is filled, and one barrier for each stage separates readers from
 * writers.  Elements that need no conversion are copied asynchronously (tensor.h); others go
 * through registers.  Small products have a thread for each element. */
#include "codegen/kernel/grid.h"
#include "codegen/lower/dot_inside.h"
#include "codegen/kernel/tensor.h"
#include "codegen/tuning.h"

enum {
    K_TILE = CG_LOWER_GRID_K,
    STAGES = CG_LOWER_GRID_STAGES,
    SIDE = CG_LOWER_GRID_SIDE,
    PAD = CG_LOWER_GRID_PAD,
    LANES_OF_TILE = CG_LOWER_GRID_VECTOR,
    ALONE = CG_LOWER_GRID_LARGE_TILE * CG_LOWER_GRID_LARGE_TILE
};

/* -- a thread, a warp or a block for each element ------------------------------------------ */

/* A block computes `each` elements, by a thread or a warp for each (kind), or one by all of its
 * threads (CG_GRID). */
static void
by_elements(const cg_dot_product *p, cg_kind kind, int64_t each)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const int64_t n = s->b.total * s->m.total * s->n.total;
    const uint32_t all = p->l->m->n_open ? cg_reduction_new(b, n, 0, 1) : 0;
    cg_val grid = cg_loop_of(b, CG_GRID, (n + each - 1) / each);
    cg_val i = cg_imul(b, cg_loop_var(b, grid), each), inner = 0;
    cg_val limit = cg_has_rest(p->l, n, each) ? cg_isub(b, cg_i64(b, n), i) : 0;
    cg_dot_product q = *p;

    if (kind != CG_GRID) {
        inner = cg_loop_begin(b, kind, cg_i64(b, 0), cg_i64(b, each), 1, limit);
        i = cg_iadd(b, i, cg_loop_var(b, inner));
    }
    if (all)
        cg_take_value(b, all, i, 0);
    cg_val column = cg_imod(b, i, s->n.total), rest = cg_idiv(b, i, s->n.total);
    cg_val row = cg_imod(b, rest, s->m.total);
    cg_dot_set_batch(&q, cg_idiv(b, rest, s->m.total));
    p->l->reduce_scope = kind == CG_BLOCK ? CG_SERIAL : kind;
    cg_val sum = p->inner ? cg_dot_inner_sum(&q, row, kind != CG_BLOCK)
                          : cg_dot_element(&q, row, column);
    p->l->reduce_scope = CG_SERIAL;
    emit_result(&q, row, column, sum, 0);
    if (inner)
        cg_loop_end(b, inner);
    cg_loop_end(b, grid);
}

/* -- tiles of a block of threads ----------------------------------------------------------- */

void
cg_dot_grid_side_init(const cg_dot_product *p, cg_dot_grid_side *x, bool left, int64_t size)
{
    const cg_dot_shape *s = &p->s;

    *x = (cg_dot_grid_side){ .left = left, .free = left ? &s->m : &s->n, .size = size };
    x->from = left != s->how.swap ? p->d->lhs : p->d->rhs;
    x->stride = left ? left_of(s, x->free) : right_of(s, x->free);
    x->k_stride = left ? left_of(s, &s->k) : right_of(s, &s->k);
}

/* Declare that of each column of tiles a tile takes its rows, and of each row of tiles its
 * columns: each element then has one tile.  `across` numbers the other side's tiles, of which
 * there are n. */
static void
take_side(const cg_dot_product *p, uint32_t reduction, const cg_dot_grid_side *x, cg_val across,
          int64_t n)
{
    const int64_t total = x->free->total;
    const cg_take_term term[] = { { p->batch, n * total }, { across, total }, { x->first, 1 } };

    cg_take_element(
        p->b,
        (cg_take){
            .reduction = reduction, .n = 3, .term = term, .extent = x->size, .limit = total });
}

cg_dot_block
cg_dot_block_begin(cg_dot_product *p, cg_dot_grid_side x[2], int64_t run, int64_t threads)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const int64_t rows = (s->m.total + x[0].size - 1) / x[0].size,
                  columns = (s->n.total + x[1].size - 1) / x[1].size;
    const bool declared = p->l->m->n_open > 0;
    const uint32_t by_rows = declared
                                 ? cg_reduction_new(b, s->b.total * columns * s->m.total, 0, 1)
                                 : 0,
                   by_columns =
                       declared ? cg_reduction_new(b, s->b.total * rows * s->n.total, 0, 1) : 0;
    const bool both = s->m.open && s->n.open; /* rows * columns is no form of the sizes */
    const cg_val blocks = cg_number_of_blocks(b, s->b.total * rows, columns, both);
    cg_dot_block r;

    run = cg_has_rest(p->l, rows, run) ? 1 : run;
    r.grid = cg_loop_begin(b, CG_GRID, cg_i64(b, 0), blocks, 1, 0);
    cg_val i = cg_loop_var(b, r.grid);
    cg_dot_set_batch(p, both ? cg_idiv(b, cg_idiv(b, i, columns), rows)
                             : cg_idiv(b, i, rows * columns));
    cg_val row = cg_imod(b, cg_idiv(b, i, run * columns), rows / run);
    row = cg_iadd(b, cg_imul(b, row, run), cg_imod(b, i, run));
    x[0].first = cg_imul(b, row, x[0].size);
    const cg_val column = cg_imod(b, cg_idiv(b, i, run), columns);
    x[1].first = cg_imul(b, column, x[1].size);
    if (declared) {
        take_side(p, by_rows, &x[0], column, columns);
        take_side(p, by_columns, &x[1], row, rows);
    }
    x[0].base = p->left;
    x[1].base = p->right;
    r.block = cg_loop_of(b, CG_BLOCK, threads);
    r.thread = cg_loop_var(b, r.block);
    return r;
}

void
cg_dot_block_emit(const cg_dot_product *p, const cg_dot_grid_side x[2], cg_val row,
                  cg_val first, cg_val lane, int64_t lanes, cg_val sum)
{
    cg_build *b = p->b;
    const int64_t rows = p->s.m.total, columns = p->s.n.total;
    cg_val m = cg_iadd(b, x[0].first, row), n0 = cg_iadd(b, x[1].first, first),
           n = cg_iadd(b, n0, lane), when = 0;

    if (!cg_is_multiple(p->l, rows, x[0].size))
        when = less(b, m, cg_i64(b, rows));
    /* all lanes are inside, or none, if the columns are whole vectors */
    if (!cg_is_multiple(p->l, columns, x[1].size))
        when = both(b, when,
                    less(b, cg_is_multiple(p->l, columns, lanes) ? n0 : n, cg_i64(b, columns)));
    emit_result(p, m, n, sum, when);
}

void
cg_dot_block_end(const cg_dot_product *p, const cg_dot_block *r)
{
    cg_loop_end(p->b, r->block);
    cg_loop_end(p->b, r->grid);
}

typedef struct tiling {
    cg_dot_product *p;
    cg_dot_grid_side x[2];
    cg_val t; /* the thread */
    uint32_t reduction; /* number of the reduction over k, declared to the verifier */
} tiling;

/* How many elements along the free axis one asynchronous copy takes: 16 bytes if alignment and
 * strides allow, one element if not; 0 if elements need conversion or have less than 4
 * bytes. */
static int64_t
unit_of(const cg_dot_product *p, const cg_dot_grid_side *x)
{
    const cg_kernel *k = p->b->k;
    const cot_dtype stored = k->buffer[x->from].type;
    const int64_t bytes = (int64_t)cot_dtype_size(stored), whole = 16 / bytes;
    bool even = innermost(x->free, x->stride) == 1 && x->free->n > 0 &&
                k->buffer[x->from].align >= 16 && cg_multiple_of(k, x->base) >= whole;

    if (stored != p->d->type || bytes < 4)
        return 0;
    for (int i = 0; i < x->free->n; i++)
        even &=
            cg_is_multiple(p->l, i == x->free->n - 1 ? x->free->size[i] : x->stride[i], whole);
    for (int i = 0; i < p->s.k.n; i++)
        even &= cg_is_multiple(p->l, x->k_stride[i], whole);
    return even ? whole : 1;
}

/* How a side is loaded. */
static void
choose_load(const cg_dot_product *p, cg_dot_grid_side *x)
{
    x->shared = p->d->tile[!x->left];
    x->stage = K_TILE * (x->size + PAD);
    x->along_k = innermost(&p->s.k, x->k_stride) == 1 && innermost(x->free, x->stride) != 1;
    x->unit = unit_of(p, x);
    if (!x->unit)
        x->held = cg_buffer_add(p->b->k, "held", p->d->type, CG_LOCAL,
                                x->size * K_TILE / CG_BLOCK_THREADS);
}

/* The element, or the first one of a unit, that a thread loads in one round: its indices, its
 * offset in memory (without the base) and in the stage. */
typedef struct staged {
    cg_val free, k, from, to;
} staged;

static staged
staged_of(const tiling *g, const cg_dot_grid_side *x, cg_val round, cg_val k0)
{
    cg_build *b = g->p->b;
    const int64_t unit = x->unit ? x->unit : 1, n = x->size / unit;
    cg_val e = cg_iadd(b, cg_imul(b, round, CG_BLOCK_THREADS), g->t);
    cg_val kk = x->along_k ? cg_imod(b, e, K_TILE) : cg_idiv(b, e, n),
           i = x->along_k ? cg_idiv(b, e, K_TILE) : cg_imul(b, cg_imod(b, e, n), unit);
    staged c = { .free = cg_iadd(b, x->first, i), .k = cg_iadd(b, k0, kk) };

    cg_val right = offset(b, &g->p->s.k, x->k_stride, c.k);
    c.from = cg_iadd(b, offset(b, x->free, x->stride, c.free), right);
    c.to = cg_iadd(b, cg_imul(b, kk, x->size + PAD), i);
    return c;
}

/* Is the element inside the operand?  0: always.  A unit is either completely inside or
 * completely outside. */
static cg_val
is_inside(const tiling *g, const cg_dot_grid_side *x, const staged *c)
{
    cg_build *b = g->p->b;
    const int64_t k = g->p->s.k.total;
    cg_val when = cg_is_multiple(g->p->l, x->free->total, x->size)
                      ? 0
                      : less(b, c->free, cg_i64(b, x->free->total));

    return cg_is_multiple(g->p->l, k, K_TILE) ? when
                                              : both(b, when, less(b, c->k, cg_i64(b, k)));
}

static int64_t
rounds_of(const cg_dot_grid_side *x)
{
    return x->size * K_TILE / (x->unit ? x->unit : 1) / CG_BLOCK_THREADS;
}

/* Start loading the tile at k0 into a stage; elements that need conversion are loaded into
 * registers. */
static void
start_load(const tiling *g, const cg_dot_grid_side *x, cg_val k0, cg_val stage)
{
    cg_build *b = g->p->b;
    cg_val rounds = cg_loop_of(b, CG_UNROLL, rounds_of(x));
    const staged c = staged_of(g, x, cg_loop_var(b, rounds), k0);
    const cg_val when = is_inside(g, x, &c);

    if (x->unit) {
        cg_val n =
            when ? cg_insn3(b, SC_select, COT_I64, when, cg_i64(b, x->unit), cg_i64(b, 0)) : 0;
        cg_val from_at = cg_iadd(b, x->base, c.from);
        cg_fetch_some(b, x->shared, cg_iadd(b, cg_imul(b, stage, x->stage), c.to), x->from,
                      from_at, n, x->unit);
    } else {
        cg_store(b, x->held, cg_loop_var(b, rounds), load(g->p, x->left, c.from, when), 0);
    }
    cg_loop_end(b, rounds);
}

/* Store elements that were loaded into registers in the stage. */
static void
store_loaded(const tiling *g, const cg_dot_grid_side *x, cg_val stage)
{
    cg_build *b = g->p->b;

    if (x->unit)
        return;
    cg_val rounds = cg_loop_of(b, CG_UNROLL, rounds_of(x));
    const staged c = staged_of(g, x, cg_loop_var(b, rounds), cg_i64(b, 0));
    cg_val value = cg_load(b, x->held, cg_loop_var(b, rounds), 0);
    cg_store(b, x->shared, cg_iadd(b, cg_imul(b, stage, x->stage), c.to), value, 0);
    cg_loop_end(b, rounds);
}

/* Add the product of the kk-th k of a stage to acc. */
static cg_val
add_step(const tiling *g, cg_val kk, cg_val rows, cg_val columns, cg_val acc)
{
    cg_build *b = g->p->b;
    const cg_dot_grid_side *l = &g->x[0], *r = &g->x[1];
    cg_val x = cg_load(b, l->shared, cg_iadd(b, cg_imul(b, kk, l->size + PAD), rows), 0);
    cg_val y = cg_load(b, r->shared, cg_iadd(b, cg_imul(b, kk, r->size + PAD), columns), 0);

    return multiply_add(g->p, x, y, acc);
}

/* Add the products of the first `steps` k's of a stage in order; a whole stage is unrolled. */
static cg_val
add_steps(const tiling *g, cg_val k0, cg_val stage, int64_t steps, cg_val row, cg_val column,
          cg_val acc)
{
    cg_build *b = g->p->b;
    cg_val rows = cg_iadd(b, cg_imul(b, stage, g->x[0].stage), row),
           columns = cg_iadd(b, cg_imul(b, stage, g->x[1].stage), column);

    for (int64_t kk = 0; steps == K_TILE && kk < steps; kk++) {
        cg_take_value(b, g->reduction, k0, cg_i64(b, kk));
        acc = add_step(g, cg_i64(b, kk), rows, columns, acc);
    }
    if (steps == K_TILE)
        return acc;
    cg_val loop = loop_over(b, cg_i64(b, 0), cg_i64(b, steps), 1);
    cg_val sum = cg_loop_carry(b, loop, g->p->d->type, acc);
    cg_take_value(b, g->reduction, k0, cg_loop_var(b, loop));
    cg_loop_next(b, loop, sum, add_step(g, cg_loop_var(b, loop), rows, columns, sum));
    cg_loop_end(b, loop);
    return cg_loop_result(b, loop, 0);
}

/* Add the products of k0 ... k0 + K_TILE - 1. k's beyond the last are not added even as zeros,
 * since -0 + 0 is +0; only the last tile has any. */
static cg_val
multiply_stage(const tiling *g, cg_val k0, cg_val stage, cg_val row, cg_val column, cg_val acc)
{
    cg_build *b = g->p->b;
    const int64_t total = g->p->s.k.total;

    if (cg_is_multiple(g->p->l, total, K_TILE))
        return add_steps(g, k0, stage, K_TILE, row, column, acc);
    cg_val whole = cg_if_begin(b, less(b, k0, cg_i64(b, total - total % K_TILE)));
    cg_val x = add_steps(g, k0, stage, K_TILE, row, column, acc);
    cg_if_else(b, whole);
    cg_val y = add_steps(g, k0, stage, total % K_TILE, row, column, acc);
    int at = cg_if_yield(b, whole, g->p->d->type, x, y);
    cg_if_end(b, whole);
    return cg_loop_result(b, whole, at);
}

static void
start_loads(const tiling *g, cg_val k0, cg_val stage)
{
    start_load(g, &g->x[0], k0, stage);
    start_load(g, &g->x[1], k0, stage);
    cg_commit(g->p->b);
}

static void
store_both(const tiling *g, cg_val stage)
{
    store_loaded(g, &g->x[0], stage);
    store_loaded(g, &g->x[1], stage);
}

/* One step of the pipeline: when this stage is loaded, and all threads have read the other one,
 * loading into the other one starts, and this one is multiplied. */
static cg_val
add_tile(const tiling *g, cg_val k0, cg_val row, cg_val column, cg_val acc)
{
    cg_build *b = g->p->b;
    cg_val stage = cg_imod(b, cg_idiv(b, k0, K_TILE), STAGES),
           other = cg_isub(b, cg_i64(b, 1), stage), next = cg_iadd(b, k0, cg_i64(b, K_TILE));
    cg_val more = less(b, next, cg_i64(b, g->p->s.k.total));

    cg_arrive(b, 0);
    cg_barrier(b);
    cg_val branch = cg_if_begin(b, more);
    start_loads(g, next, other);
    cg_if_else(b, branch);
    cg_if_end(b, branch);
    acc = multiply_stage(g, k0, stage, row, column, acc);
    if (g->x[0].unit && g->x[1].unit)
        return acc;
    branch = cg_if_begin(b, more);
    store_both(g, other);
    cg_if_else(b, branch);
    cg_if_end(b, branch);
    return acc;
}

/* The element of a tile that a lane of a thread computes. */
typedef struct grid_element {
    const tiling *g;
    cg_val row, column;
} grid_element;

/* The chain over k in lo ... hi - 1. */
static cg_val
chain(const void *user, cg_val lo, cg_val hi)
{
    const grid_element *e = user;
    const cot_dtype t = e->g->p->d->type;
    cg_build *b = e->g->p->b;
    cg_val loop = loop_over(b, lo, hi, K_TILE);
    cg_val acc = cg_loop_carry(b, loop, t, cg_const(b, t, 0));

    cg_loop_next(b, loop, acc, add_tile(e->g, cg_loop_var(b, loop), e->row, e->column, acc));
    cg_loop_end(b, loop);
    return cg_loop_result(b, loop, 0);
}

static cg_val
tile_sum(tiling *g, cg_val row, cg_val column)
{
    cg_build *b = g->p->b;
    const grid_element e = { g, row, column };
    const int64_t total = g->p->s.k.total;

    g->reduction = cg_reduction_new(b, total, 0, 1);
    start_loads(g, cg_i64(b, 0), cg_i64(b, 0));
    store_both(g, cg_i64(b, 0));
    return cg_dot_blocks(b, g->p->d->type, total, g->p->s.k.open, chain, &e);
}

static void
thread_tile(tiling *g)
{
    cg_build *b = g->p->b;
    const cg_dot_shape *s = &g->p->s;
    cg_val loop[3];
    const cg_val ty = cg_idiv(b, g->t, SIDE), tx = cg_imod(b, g->t, SIDE);
    cg_val right = spmd(b, CG_UNROLL, s->how.rows, &loop[0]);
    cg_val row = cg_iadd(b, cg_imul(b, ty, s->how.rows), right);
    cg_val part = spmd(b, CG_UNROLL, s->how.vectors, &loop[1]);
    cg_val offset_tx = cg_imul(b, tx, LANES_OF_TILE);
    cg_val first = cg_iadd(b, cg_imul(b, part, SIDE * LANES_OF_TILE), offset_tx);
    cg_val lane = spmd(b, CG_VECTOR, LANES_OF_TILE, &loop[2]);
    cg_val sum = tile_sum(g, row, cg_iadd(b, first, lane));

    cg_dot_block_emit(g->p, g->x, row, first, lane, LANES_OF_TILE, sum);
    for (int i = 2; i >= 0; i--)
        if (loop[i])
            cg_loop_end(b, loop[i]);
}

bool
cg_dot_tiles(const cg_dot_shape *s, int64_t elements[2])
{
    elements[0] = STAGES * K_TILE * (s->how.rows * SIDE + PAD);
    elements[1] = STAGES * K_TILE * (s->nr * SIDE + PAD);
    return s->how.lanes == CG_DOT_TILES;
}

static void
by_tiles(cg_dot_product *p)
{
    const cg_dot_shape *s = &p->s;
    tiling g = { .p = p };

    cg_dot_grid_side_init(p, &g.x[0], true, s->how.rows * SIDE);
    cg_dot_grid_side_init(p, &g.x[1], false, s->nr * SIDE);
    /* a thread then holds two tiles of sums: 128 registers */
    p->b->k->alone = s->how.rows * s->nr >= ALONE && s->k.total > KC;
    const cg_dot_block block = cg_dot_block_begin(p, g.x, 1, CG_BLOCK_THREADS);
    g.t = block.thread;
    choose_load(p, &g.x[0]);
    choose_load(p, &g.x[1]);
    thread_tile(&g);
    cg_dot_block_end(p, &block);
}

void
cg_dot_grid(cg_dot_product *p)
{
    switch (p->s.how.lanes) {
    case CG_DOT_TILES: by_tiles(p); return;
    case CG_DOT_BLOCKS: by_elements(p, CG_GRID, 1); return;
    case CG_DOT_WARPS: by_elements(p, CG_WARPS, CG_LOWER_GRID_ROW_WARPS); return;
    default:
        by_elements(p, CG_BLOCK,
                    cg_threads_of(p->l, p->s.b.total * p->s.m.total * p->s.n.total));
    }
}
