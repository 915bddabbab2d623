/* Matrix products: declarations that the files of dot.c share. */
#ifndef CODEGEN_LOWER_DOT_INSIDE_H
#define CODEGEN_LOWER_DOT_INSIDE_H

#include "codegen/elemental/strip_mine.h"
#include "codegen/lower/dot.h"
#include "codegen/lower/dot_schedule.h"

enum { KC = 256 }; /* k's of a block of the sum: docs/numerics.md section 4 */

/* A group of axes in which contiguous adjacent axes are merged. */
typedef struct cg_dot_group {
    int n;
    bool open; /* total is an open extent (cg_is_open): nothing depends on its value */
    int64_t total, size[COT_MAX_RANK], lhs[COT_MAX_RANK], rhs[COT_MAX_RANK];
} cg_dot_group;

/* The shape of a product, its schedule, and what follows from both. */
struct cg_dot_shape {
    cg_dot_group b, m, n, k; /* m: free axes of the rows; n: of the columns (how.swap) */
    /* the axes of k, merged as far as the left side stores them contiguously, for which the
     * right side must be packed */
    cg_dot_group left_k;
    int64_t steps; /* number of k's, or of the groups of `ways` of them */
    int64_t nr; /* columns of a tile */
    bool own; /* sums are accumulated in the result's memory */
    bool offset; /* bytes of the left side are 128 larger, and panels have a row for that */
    /* elements of scratch of one share of the batch or of rows, for sums, the right side and
     * the left side */
    int64_t c_size, b_size, a_size;
    /* elements of these for one share inside a block of k; 0: the shares use one part
     * together */
    int64_t c_each, a_each;
    cg_dot_schedule how;
};

typedef struct cg_dot_product {
    cg_lowering *l;
    cg_build *b; /* the builder of l */
    const cg_dot *d;
    cg_dot_shape s;
    cg_val base; /* first element of the outer share's scratch */
    cg_val c_at, b_at, a_at; /* first element of the share in each part of the scratch */
    cg_val left, right; /* offsets of the current element of the batch */
    cg_val batch;
    bool inner; /* the inner form */
} cg_dot_product;

/* dot_shape.c.  The shape of a product; its sides exchanged; what follows from the schedule of
 * s, which is `how`; the elements of scratch memory. */
cg_dot_shape cg_dot_shape_of(const cg_dot *d);
void cg_dot_swap(cg_dot_shape *s);
void cg_dot_settle(cg_dot_shape *s, const cg_dot *d);
/* Exchange the sides if `how` says so, and settle. */
void cg_dot_schedule_by(cg_dot_shape *s, const cg_dot *d, const cg_dot_schedule *how);
/* How many elements of the batch, or rows, a share has. */
int64_t cg_dot_share_size(const cg_dot_shape *s);
/* May panels be packed by register transposes of that side? */
bool cg_dot_may_turn(const cg_dot_shape *s, int64_t side);
/* Can one step multiply so many k's, 2 or 4, exactly modulo 2^32? */
bool cg_dot_takes_ways(const cg_dot *d, int64_t ways);
/* Are the sums accumulated in the result's memory? */
bool cg_dot_is_own(const cg_dot_shape *s, const cg_dot *d);
/* Do the sums of a tile go through memory, also without blocks of k?  Where the epilogue is
 * long, and where lanes are rows of the result, apart in memory: written out for a tile, either
 * is hundreds of instructions. */
bool cg_dot_keeps_tile(const cg_dot_shape *s, const cg_dot *d);

/* dot_choose.c, dot_choose_axes.c.  The schedule of a product.  The latter choose one of a kind
 * if it suits: lanes along the batch, of which the right side may be packed once; along lines;
 * and for a GPU. */
cg_dot_schedule cg_dot_choose(const cg_dot_shape *s, const cg_dot *d, const cg_target *t,
                              int threads, bool inner);
bool cg_dot_choose_batch(cg_dot_shape *s, const cg_dot *d, const cg_target *t);
void cg_dot_choose_once(cg_dot_shape *s, const cg_dot *d, const cg_target *t);
bool cg_dot_choose_lines(cg_dot_shape *s, const cg_dot *d, const cg_target *t);
void cg_dot_choose_grid(cg_dot_shape *s, const cg_dot *d, const cg_target *t, bool inner);
/* dot_legal.c.  Replace the schedule by the one that is given for the current kernel, if there
 * is one; one that does not fit the product and the target is an error of the lowering. */
void cg_dot_given(cg_lowering *l, const cg_dot *d, bool inner, ir_loc loc,
                  cg_dot_schedule *how);

/* Do the columns of a tile go beyond the last one? */
typedef enum cg_dot_edge { CG_DOT_INSIDE, CG_DOT_PERHAPS, CG_DOT_OVER } cg_dot_edge;

typedef struct cg_dot_range {
    cg_val begin, end;
} cg_dot_range;

/* A place in the nest: the ranges of what the levels inside it visit, and a tile.  Columns are
 * what lanes run along: those of the result, the places of a line, or elements of the batch. */
typedef struct cg_dot_at {
    cg_dot_range b, m, n;
    cg_val k0, kc; /* the first of so many k's of a block; k0 0: all of k */
    cg_val m0, n0; /* the first row and column of a tile */
    int64_t columns; /* of a tile */
    cg_dot_edge edge;
    cg_val panel; /* packed: its number */
    /* lanes along lines: the first of so many results of a tile */
    cg_val result;
    int64_t results;
    /* lanes along the batch: the first row of the run, from which rows count, and the number of
     * the block of the batch */
    cg_val run, block;
} cg_dot_at;

/* dot_tile.c.  A register tile: its sums, and what becomes of them. */
void cg_dot_tile_at(const cg_dot_product *p, const cg_dot_at *a);
/* One element of the general form, of operands in place. */
cg_val cg_dot_element(const cg_dot_product *p, cg_val m, cg_val n);
/* dot_pack.c.  The index, in the scratch, of (k, column) of a panel of the block that starts at
 * k0, and of (k, row i) of a strip. */
cg_val cg_dot_panel_index(const cg_dot_product *p, cg_val panel, cg_val k0, cg_val k,
                          cg_val column);
cg_val cg_dot_left_index(const cg_dot_product *p, cg_val strip, cg_val k, cg_val i);
/* Likewise of what is added to the sums of a column over the block (cg_dot_shape.offset). */
cg_val cg_dot_offset_index(const cg_dot_product *p, cg_val panel, cg_val k0, cg_val column);
/* Pack panel number `panel`, which starts at column n0; pack rows m_begin ... m_end of the left
 * side. */
void cg_dot_pack_panel(const cg_dot_product *p, cg_val panel, cg_val n0, cg_val k0, cg_val kc);
void cg_dot_pack_rows(const cg_dot_product *p, cg_val m_begin, cg_val m_end, cg_val k0,
                      cg_val kc);
/* dot_nest.c.  The whole product on a CPU. */
void cg_dot_nest(const cg_dot_product *p);
/* dot_inner.c.  Row m of the inner form. */
void cg_dot_inner_row(const cg_dot_product *p, cg_val m);
/* The sum of a row in the inner form: by lanes, one element after the other, or by the threads
 * of l->reduce_scope. */
cg_val cg_dot_inner_sum(const cg_dot_product *p, cg_val row, bool lanes);
/* dot_shape.c.  Set the offsets of an element of the batch. */
void cg_dot_set_batch(cg_dot_product *p, cg_val batch);
/* The end of the loop over blocks of k.  Where their number is open there is a block, which is
 * empty, even where there are no k's: results are then written, too.  Behind whole blocks there
 * is none, since adding the +0 of an empty one makes a sum of -0 another one. */
static inline cg_val
blocks_end(cg_build *b, int64_t steps, bool open)
{
    const cg_val end = cg_i64(b, steps);

    return open ? cg_insn2_kept(b, SC_max, end, cg_i64(b, 1)) : end;
}

/* dot_chain.c.  The sum over k = 0 ... total - 1 of an element: that of `part`, a chain over lo
 * <= k < hi, or of all such blocks. */
typedef cg_val cg_dot_part(const void *user, cg_val lo, cg_val hi);
cg_val cg_dot_blocks(cg_build *b, cot_dtype t, int64_t total, bool open, cg_dot_part *part,
                     const void *user);

/* The k's of a block as runs along the innermost of the axes g, in which addresses are affine:
 * a run begins at k = `from`, and its k is at `base` + k times the innermost stride.  loop 0:
 * there is one run. */
typedef struct cg_dot_runs {
    cg_val loop, lo, hi, from, base;
} cg_dot_runs;
/* The base of the run that begins at `from`, by these strides. */
cg_val cg_dot_base(cg_build *b, const cg_dot_group *g, const int64_t *stride, cg_val from);
/* constant: give a run constant bounds where it has them.  A compiler that sees how many steps
 * a loop has unrolls it, which spills the sums of a tile: only for runs that are unrolled here,
 * so that nothing is left of them. */
cg_dot_runs cg_dot_runs_begin(cg_build *b, const cg_dot_group *g, const int64_t *stride,
                              cg_val lo, cg_val hi, bool constant);

/* A chain over lo <= k < hi.  Each step adds the product of k, which is in run r, to acc. */
typedef struct cg_dot_chain {
    cot_dtype type;
    const cg_dot_group *runs; /* NULL: one run, and steps need no base */
    const int64_t *stride;
    cg_val lo, hi;
    int64_t unroll; /* k's of an iteration, which divide each run; or CG_DOT_ALL */
    uint32_t reduction; /* as declared to the verifier */
    cg_val k0; /* its number of k = 0; 0: the same */
    cg_val (*step)(const void *user, const cg_dot_runs *r, cg_val k, cg_val acc);
    const void *user;
} cg_dot_chain;
cg_val cg_dot_chain_sum(cg_build *b, const cg_dot_chain *c);
/* dot_grid.c.  The whole product on a GPU, without tensor cores. */
void cg_dot_grid(cg_dot_product *p);

/* One side of a tile that a block of threads computes. */
typedef struct cg_dot_grid_side {
    const cg_dot_group *free;
    const int64_t *stride, *k_stride;
    int64_t size; /* rows or columns of the tile */
    uint32_t from, shared; /* buffers */
    cg_val first, base; /* its first row or column; offset of the element of the batch */
    bool left;
    /* without tensor cores: elements of a stage, and of one asynchronous copy, or 0 where the
     * side goes through the registers `held` of a thread between load and store; do adjacent
     * threads load adjacent k's? */
    int64_t stage, unit;
    uint32_t held;
    bool along_k;
    /* tensor cores: the words of a warp's fragments, the first row or column of its part; are
     * k's contiguous? */
    uint32_t words;
    cg_val warp;
    bool by_rows;
} cg_dot_grid_side;
void cg_dot_grid_side_init(const cg_dot_product *p, cg_dot_grid_side *x, bool left,
                           int64_t size);

/* The loops over the tiles of all elements of the batch, and over the threads of a block, which
 * set p's element and where the sides begin.  Blocks that run at the same time share rows of
 * one side and columns of the other: `run` rows of tiles at a time, where that divides them. */
typedef struct cg_dot_block {
    cg_val grid, block, thread;
} cg_dot_block;
cg_dot_block cg_dot_block_begin(cg_dot_product *p, cg_dot_grid_side x[2], int64_t run,
                                int64_t threads);
void cg_dot_block_end(const cg_dot_product *p, const cg_dot_block *r);
/* Emit the sum of a row and column (first + lane) of a tile, if it is inside. */
void cg_dot_block_emit(const cg_dot_product *p, const cg_dot_grid_side x[2], cg_val row,
                       cg_val first, cg_val lane, int64_t lanes, cg_val sum);
/* dot_tensor.c.  The whole product by tensor cores; may they compute it?  They round
 * differently, so only if the target is `fast`. */
void cg_dot_tensor(cg_dot_product *p);
bool cg_dot_may_be_tensor(const cg_dot *d, const cg_target *t);

/* The sum of stride times index over the axes of a group, from the flattened index. */
static inline cg_val
offset(cg_build *b, const cg_dot_group *g, const int64_t *stride, cg_val flat)
{
    cg_val sum = cg_i64(b, 0), rest = flat;
    for (int i = g->n - 1; i >= 0; i--) {
        cg_val at = i ? cg_imod(b, rest, g->size[i]) : rest;
        sum = cg_iadd(b, sum, cg_imul(b, at, stride[i]));
        rest = i ? cg_idiv(b, rest, g->size[i]) : rest;
    }
    return sum;
}

static inline int64_t
innermost(const cg_dot_group *g, const int64_t *stride)
{
    return g->n ? stride[g->n - 1] : 1;
}

static inline int64_t
round_up(int64_t x, int64_t to)
{
    return (x + to - 1) / to * to;
}

static inline int64_t
at_most(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

/* Rows and columns of a tile; where lanes run along lines, rows of all its lines. */
static inline int64_t
tile_rows(const cg_dot_shape *s)
{
    return s->how.lanes == CG_DOT_SUM     ? 1
           : s->how.lanes == CG_DOT_LINES ? s->how.rows * s->m.size[s->m.n - 1]
                                          : s->how.rows;
}

static inline int64_t
tile_columns(const cg_dot_shape *s)
{
    return s->how.width * (s->how.lanes == CG_DOT_BATCH ? s->n.total : s->how.vectors);
}

/* How many rows one vector packs: its lanes, but less than twice the rows of a tile. */
static inline int64_t
lanes_across(const cg_dot_shape *s)
{
    return at_most(s->how.width, cg_pow2_from(s->how.rows));
}

/* Rows of a packed strip. */
static inline int64_t
strip_rows(const cg_dot_shape *s)
{
    return s->how.left == CG_DOT_TURNED ? round_up(s->how.rows, lanes_across(s)) : s->how.rows;
}

static inline bool
is_packed(const cg_dot_shape *s)
{
    return s->how.lanes == CG_DOT_COLUMNS && s->how.right != CG_DOT_IN_PLACE;
}

/* Are all rows one block?  A panel is then packed just before it is used. */
static inline bool
is_single(const cg_dot_shape *s)
{
    return s->how.m_block >= s->m.total;
}

/* The stride of packed rows.  It is not a power of two, so that rows do not all map to one set
 * of the cache. */
static inline int64_t
row_width(const cg_dot_shape *s)
{
    return at_most(KC, s->k.total) + 16;
}

/* The strides of the tile's left operand (rows) and right operand (columns). */
static inline const int64_t *
left_of(const cg_dot_shape *s, const cg_dot_group *g)
{
    return s->how.swap ? g->rhs : g->lhs;
}
/* The rows of a panel of a block of k. */
static inline int64_t
panel_rows(const cg_dot_shape *s)
{
    return at_most(KC, s->steps) + (s->offset ? 1 : 0);
}

static inline const int64_t *
right_of(const cg_dot_shape *s, const cg_dot_group *g)
{
    return s->how.swap ? g->lhs : g->rhs;
}

/* The k's that a packed tile reads of its rows with one stride. */
static inline int64_t
k_run(const cg_dot_shape *s)
{
    return s->how.left != CG_DOT_IN_PLACE || s->left_k.n <= 1 ? s->steps
                                                              : s->left_k.size[s->left_k.n - 1];
}

/* The element type of a side in memory. */
static inline cot_dtype
stored_type(const cg_dot_product *p, bool left)
{
    return left != p->s.how.swap ? p->d->lhs_type : p->d->rhs_type;
}

static inline cg_val
load(const cg_dot_product *p, bool left, cg_val at, cg_val when)
{
    cg_build *b = p->b;
    bool lhs = left != p->s.how.swap;
    uint32_t buffer = lhs ? p->d->lhs : p->d->rhs;
    cot_dtype stored = stored_type(p, left);
    cg_val x = cg_load(b, buffer, cg_iadd(b, left ? p->left : p->right, at), when);
    x = cg_cvt(b, stored, p->d->type, x);
    if (!when || !b->k->module->trapping_math || !ir_is_float(p->d->type))
        return x;
    /* A masked load yields a value that is multiplied by elements of the other side, which may
     * be infinite, and 0 times infinity raises `invalid`.  The least normal number times any
     * value raises neither that nor overflow. */
    const uint64_t least = p->d->type == COT_F64 ? (uint64_t)1 << 52 : (uint64_t)1 << 23;
    return cg_insn3(b, SC_select, p->d->type, when, x, cg_const(b, p->d->type, least));
}

static inline cg_val
multiply_add(const cg_dot_product *p, cg_val x, cg_val y, cg_val acc)
{
    cot_dtype t = p->d->type;
    if (ir_is_float(t))
        return cg_insn3(p->b, SC_fma, t, x, y, acc);
    if (p->s.how.ways == 2)
        return cg_insn2(p->b, SC_add, t, acc, cg_insn2(p->b, SC_pairs, t, x, y));
    if (p->s.how.ways == 4) {
        const bool turned = stored_type(p, false) == COT_U8;
        return cg_insn3(p->b, SC_quads, t, turned ? y : x, turned ? x : y, acc);
    }
    return cg_insn2(p->b, SC_add, t, cg_insn2(p->b, SC_mul, t, x, y), acc);
}

static inline cg_val
less(cg_build *b, cg_val x, cg_val y)
{
    return cg_insn2(b, SC_lt, COT_I64, x, y);
}

static inline cg_val
both(cg_build *b, cg_val x, cg_val y)
{
    return !x ? y : !y ? x : cg_insn2(b, SC_and, COT_BOOL, x, y);
}

static inline void
emit_result(const cg_dot_product *p, cg_val m, cg_val n, cg_val acc, cg_val when)
{
    if (p->s.how.swap)
        p->d->store(p->b, p->d->user, p->batch, n, m, acc, when);
    else
        p->d->store(p->b, p->d->user, p->batch, m, n, acc, when);
}

/* The SPMD loops of a tile: rows, results, vectors, lanes.  A loop of extent 1 is omitted. */
typedef struct cg_dot_tile {
    cg_val loop[4];
    cg_val i, f, v, lane, column; /* column: v times the width, plus lane */
} cg_dot_tile;

static inline cg_val
spmd(cg_build *b, cg_kind kind, int64_t extent, cg_val *loop)
{
    *loop = extent > 1 ? cg_loop_of(b, kind, extent) : 0;
    return *loop ? cg_loop_var(b, *loop) : cg_i64(b, 0);
}

static inline cg_dot_tile
tile_begin(const cg_dot_product *p, int64_t rows, int64_t results, int64_t columns)
{
    cg_dot_tile t;
    cg_build *b = p->b;
    const int64_t w = p->s.how.width;

    t.i = spmd(b, CG_UNROLL, rows, &t.loop[0]);
    t.f = spmd(b, CG_UNROLL, results, &t.loop[1]);
    t.v = spmd(b, CG_UNROLL, (columns + w - 1) / w, &t.loop[2]);
    t.lane = spmd(b, CG_VECTOR, w, &t.loop[3]);
    t.column = cg_iadd(b, cg_imul(b, t.v, w), t.lane);
    return t;
}

static inline void
tile_end(const cg_dot_product *p, const cg_dot_tile *t)
{
    for (int i = 3; i >= 0; i--)
        if (t->loop[i])
            cg_loop_end(p->b, t->loop[i]);
}

/* The size of what lanes run along, and how much of it a tile has. */
static inline int64_t
lane_axis(const cg_dot_shape *s)
{
    return s->how.lanes == CG_DOT_BATCH   ? s->b.total
           : s->how.lanes == CG_DOT_LINES ? s->m.size[s->m.n - 1]
                                          : s->n.total;
}
static inline int64_t
lane_step(const cg_dot_shape *s)
{
    return s->how.lanes == CG_DOT_BATCH ? s->how.width : s->nr;
}

/* May tiles of packed operands, or of lanes along the batch, go beyond the last column? */
static inline cg_dot_edge
edge_of(const cg_dot_shape *s)
{
    const int64_t n = lane_axis(s), step = lane_step(s);

    const bool open = s->how.lanes == CG_DOT_BATCH   ? s->b.open
                      : s->how.lanes == CG_DOT_LINES ? s->m.open
                                                     : s->n.open;

    return n % step == 0 && !open                     ? CG_DOT_INSIDE
           : n < step || s->how.lanes == CG_DOT_BATCH ? CG_DOT_OVER
                                                      : CG_DOT_PERHAPS;
}

/* The column of an element of a tile that starts at n0 along the lanes, and its place there.
 * Lanes along the batch: the columns are vectors, and p becomes the product of the element. */
static inline cg_val
column_at(cg_dot_product *p, cg_val n0, const cg_dot_tile *t, cg_val *lane)
{
    const bool batch = p->s.how.lanes == CG_DOT_BATCH;

    *lane = cg_iadd(p->b, n0, batch ? t->lane : t->column);
    if (batch)
        cg_dot_set_batch(p, *lane);
    return batch ? t->v : *lane;
}

static inline cg_val
loop_over(cg_build *b, cg_val lo, cg_val hi, int64_t step)
{
    return cg_loop_begin(b, CG_SERIAL, lo, hi, step, 0);
}

static inline cg_val
scratch_at(const cg_dot_product *p, int64_t from, cg_val at)
{
    return cg_iadd(p->b, p->base, cg_iadd(p->b, at, cg_i64(p->b, from)));
}

#endif
