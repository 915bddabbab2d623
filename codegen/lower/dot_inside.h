/* Matrix products: declarations that the files of dot.c share. */
#ifndef CODEGEN_LOWER_DOT_INSIDE_H
#define CODEGEN_LOWER_DOT_INSIDE_H

#include "codegen/lower/dot.h"

enum { KC = 256 }; /* k's of a block of the sum: docs/numerics.md section 4 */

/* A group of axes in which contiguous adjacent axes are merged. */
typedef struct cg_dot_group {
    int n;
    int64_t total, size[COT_MAX_RANK], lhs[COT_MAX_RANK], rhs[COT_MAX_RANK];
} cg_dot_group;

typedef struct cg_dot_shape {
    cg_dot_group b, m, n, k;
    /* packed: the axes of k, merged as far as the left side stores them contiguously (the right
     * side is a panel) */
    cg_dot_group left_k;
    bool swap; /* m is the free group of the right side, n of the left */
    bool packed;
    bool pack_left; /* false: tiles read the rows of the left side in place */
    /* in place: the right side comes from memory once.  Blocks of k are the outermost loop, so
     * that the rows of a block stay in the TLB, and each tile prefetches the next one's
     * elements. */
    bool streams;
    /* narrow integers: each step multiplies a pair of k's (SC_pairs) */
    bool pairs;
    int64_t steps;  /* number of k's, or of pairs of k's */
    bool whole;     /* the whole right side is packed, once */
    /* packed rows of the left side have contiguous k's; else rows are interleaved */
    bool by_rows;
    bool transposed; /* rows are interleaved by register transposes */
    bool own;       /* sums are accumulated in the result's memory */
    bool small; /* little work: short code matters more than the last tenth of speed */
    bool fits_l2; /* the result stays in L2 */
    int64_t transpose; /* side of the register transposes that pack panels */
    int64_t across; /* rows that one vector packs: lanes, but less than twice mr */
    int64_t strip; /* rows of a packed strip: mr, rounded up to `across` if transposed */
    int64_t mr, nr, w; /* the tile: mr rows, nr columns, w lanes */
    int64_t mc, nc;
    bool groups; /* lanes run along the batch: dot_batch_vectorised.c */
    bool pack_right;
    bool by_lines; /* lanes run along rows: dot_direct.c */
    int64_t run;    /* groups: how many rows have one stride; by_lines: rows in a line */
    /* by_lines: lines, results, and vectors of a line in a tile */
    int64_t lines, results, columns;
    /* iterations of a parallel loop around the whole product, along the batch or along m */
    int64_t outer_shares;
    bool outer_batch;
    bool single;    /* all rows are one block: a panel is packed just before it is used */
    /* packed: iterations of the inner parallel loops, along n if `single`, else along m */
    int64_t shares;
    /* elements of scratch of one outer share, for sums, the right side and the left side */
    int64_t c_size, b_size, a_size;
    /* elements of these for one share; 0: the shares use one part together */
    int64_t c_each, a_each;
} cg_dot_shape;

typedef struct cg_dot_product {
    cg_val i0;          /* whole: first row of the current block, else 0 */
    cg_lowering *l;
    cg_build *b; /* the builder of l */
    const cg_dot *d;
    cg_dot_shape s;
    cg_val base; /* first element of the outer share's scratch */
    cg_val c_at, b_at, a_at; /* first element of the share in each part of the scratch */
    cg_val left, right; /* offsets of the current element of the batch */
    cg_val batch;
} cg_dot_product;

/* dot_shape.c.  Choose the schedule of a product. */
cg_dot_shape cg_dot_shape_of(const cg_target *t, int threads, const cg_dot *d, bool inner);
/* How many elements of the batch an outer share has. */
int64_t cg_dot_batch_share(const cg_dot_shape *s);
/* May the k's of a tile be unrolled, each with an address of its own? */
bool cg_dot_is_short(const cg_dot_shape *s);

/* dot_tile.c.  Rows m_begin ... m_end of the general form, by tiles that read both operands in
 * place. */
void cg_dot_in_place(const cg_dot_product *p, cg_val m_begin, cg_val m_end);
/* The same rows of the inner form. */
void cg_dot_inner_form(const cg_dot_product *p, cg_val m_begin, cg_val m_end, bool vector);
/* One element of the general form. */
cg_val cg_dot_element(const cg_dot_product *p, cg_val m, cg_val n);
/* The sum of a row in the inner form: by lanes, one element after the other, or by the threads
 * of l->reduce_scope. */
cg_val cg_dot_inner_sum(const cg_dot_product *p, cg_val row, bool lanes);
/* Set the offsets of an element of the batch. */
void cg_dot_set_batch(cg_dot_product *p, cg_val batch);
/* dot_grid.c.  The whole product on a GPU. */
void cg_dot_grid(cg_dot_product *p, const cg_target *t, bool inner);
/* dot_tensor.c.  The whole product by tensor cores. */
void cg_dot_tensor(const cg_target *t, cg_dot_product *p);

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
    return s->swap ? g->rhs : g->lhs;
}
static inline const int64_t *
right_of(const cg_dot_shape *s, const cg_dot_group *g)
{
    return s->swap ? g->lhs : g->rhs;
}

static inline cg_val
load(const cg_dot_product *p, bool left, cg_val at, cg_val when)
{
    cg_build *b = p->b;
    bool lhs = left != p->s.swap;
    uint32_t buffer = lhs ? p->d->lhs : p->d->rhs;
    cot_dtype stored = b->k->buffer[buffer].type;
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
    if (p->s.pairs)
        return cg_insn2(p->b, SC_add, t, acc, cg_insn2(p->b, SC_pairs, t, x, y));
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
    if (p->s.swap)
        p->d->store(p->b, p->d->user, p->batch, n, m, acc, when);
    else
        p->d->store(p->b, p->d->user, p->batch, m, n, acc, when);
}

/* The SPMD loops of a tile: rows, vectors of columns, lanes.  A loop of extent 1 is omitted. */
typedef struct cg_dot_tile {
    cg_val loop[3];
    cg_val i, column;
} cg_dot_tile;

static inline cg_val
spmd(cg_build *b, cg_kind kind, int64_t extent, cg_val *loop)
{
    *loop = extent > 1 ? cg_loop_begin(b, kind, cg_i64(b, 0), cg_i64(b, extent), 1, 0) : 0;
    return *loop ? cg_loop_var(b, *loop) : cg_i64(b, 0);
}

static inline cg_dot_tile
tile_begin(const cg_dot_product *p, int64_t rows, int64_t columns)
{
    cg_dot_tile t;
    cg_build *b = p->b;
    int64_t w = p->s.w;
    t.i = spmd(b, CG_UNROLL, rows, &t.loop[0]);
    t.column = cg_imul(b, spmd(b, CG_UNROLL, (columns + w - 1) / w, &t.loop[1]), w);
    t.column = cg_iadd(b, t.column, spmd(b, CG_VECTOR, w, &t.loop[2]));
    return t;
}

static inline void
tile_end(const cg_dot_product *p, const cg_dot_tile *t)
{
    for (int i = 2; i >= 0; i--)
        if (t->loop[i])
            cg_loop_end(p->b, t->loop[i]);
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

/* Add acc, the sum of the block of k that starts at k0, to the sum of the blocks before it,
 * which is kept in element `at` of a buffer. */
static inline cg_val
add_before(const cg_dot_product *p, cg_val k0, uint32_t buffer, cg_val at, cg_val acc,
           cg_val when)
{
    cg_build *b = p->b;
    cot_dtype t = p->d->type;
    cg_val later = cg_if_begin(b, less(b, cg_i64(b, 0), k0));
    cg_val sum = cg_insn2(b, SC_add, t, cg_load(b, buffer, at, when), acc);
    cg_if_else(b, later);
    cg_if_yield(b, later, t, sum, acc);
    cg_if_end(b, later);
    return cg_loop_result(b, later, 0);
}

/* The index at which the sum of row m0 + i and column n0 + column is kept: if there are several
 * blocks of k, among the sums of the whole result; else among those of the tile. */
static inline cg_val
kept_index(const cg_dot_product *p, cg_val m0, cg_val i, cg_val n0, cg_val column)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val row = i, at = column;
    int64_t width = s->nr;
    if ((s->packed || s->streams) && s->steps > KC) {
        row = cg_iadd(b, p->i0 ? cg_isub(b, m0, p->i0) : m0, i);
        at = cg_iadd(b, n0, column);
        width = round_up(s->n.total, s->nr);
    }
    return scratch_at(p, 0, cg_iadd(b, p->c_at, cg_iadd(b, cg_imul(b, row, width), at)));
}

/* The sum over the blocks of k up to the one that starts at k0, of which acc is the sum of the
 * last. */
static inline cg_val
sum_so_far(const cg_dot_product *p, cg_val k0, uint32_t buffer, cg_val at, cg_val acc,
           cg_val when)
{
    return p->s.steps > KC ? add_before(p, k0, buffer, at, acc, when) : acc;
}

/* own: the index in the result's memory. */
static inline cg_val
own_index(const cg_dot_product *p, cg_val m, cg_val n)
{
    cg_build *b = p->b;
    cg_val row = cg_iadd(b, cg_imul(b, p->batch, p->s.m.total), m);
    return cg_iadd(b, cg_imul(b, row, p->s.n.total), n);
}

/* own: add the sum of a block of k to the result in its own memory. */
static inline void
add_to_own(const cg_dot_product *p, cg_val m, cg_val n, cg_val k0, cg_val acc, cg_val when)
{
    cg_val at = own_index(p, m, n);
    cg_store(p->b, p->d->sum - 1, at, sum_so_far(p, k0, p->d->sum - 1, at, acc, when), when);
}

/* The number of k's in the block that starts at k0. */
static inline cg_val
block_size(const cg_dot_product *p, cg_val k0)
{
    cg_build *b = p->b;
    int64_t total = p->s.steps;
    cg_val most = cg_i64(b, KC);
    return total % KC ? cg_imin(b, most, cg_isub(b, cg_i64(b, total), k0)) : most;
}

/* A loop of `count` iterations, which threads share if the product has shares. */
static inline cg_val
shared_loop(const cg_dot_product *p, cg_val count)
{
    cg_build *b = p->b;
    return cg_loop_begin(b, p->s.shares > 1 ? CG_PARALLEL : CG_SERIAL, cg_i64(b, 0), count, 1,
                         0);
}

/* The loop in which threads share the first `total` columns, and an iteration's columns. */
typedef struct column_share {
    cg_val loop, from, to; /* loop: 0 where there is one share */
} column_share;

static inline column_share
column_share_begin(const cg_dot_product *p, int64_t total)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    column_share r = { 0, cg_i64(b, 0), cg_i64(b, total) };

    if (s->shares <= 1)
        return r;
    const int64_t columns = round_up((total + s->shares - 1) / s->shares, s->nr);
    r.loop = shared_loop(p, cg_i64(b, s->shares));
    r.from = cg_imul(b, cg_loop_var(b, r.loop), columns);
    r.to = cg_imin(b, cg_iadd(b, r.from, cg_i64(b, columns)), r.to);
    return r;
}

/* Pass the kept sums of a tile to the epilogue, row by row. */
void cg_dot_emit_rows(const cg_dot_product *p, cg_val n0, cg_val m0, cg_val m_end,
                      int64_t columns, bool columns_over);
/* dot_packed.c.  All rows, from packed operands. */
void cg_dot_packed(cg_dot_product *p);

/* dot_batch_vectorised.c.  Should lanes run along the batch?  Then the tile is chosen. */
bool cg_dot_choose_groups(cg_dot_shape *s, const cg_target *t, int64_t bytes);
/* Find the scratch memory for so many elements of the batch; emit elements from ... to - 1. */
void cg_dot_size_groups(cg_dot_shape *s, const cg_target *t, int64_t bytes, int64_t batch);
void cg_dot_batch_vectorised(const cg_dot_product *p, cg_val from, cg_val to);

/* dot_direct.c.  Should lanes run along the rows?  Then the tile is chosen. */
bool cg_dot_choose_lines(cg_dot_shape *s, const cg_dot *d, const cg_target *t, int64_t bytes);
/* Emit rows m_begin ... m_end. */
void cg_dot_direct(const cg_dot_product *p, cg_val m_begin, cg_val m_end);

#endif
