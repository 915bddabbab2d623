/* Matrix products (dot.h): the inner form as the reduction of NUMERICS.md section 3, the
 * general form as register tiles.
 *
 * A tile is `unroll i MR { unroll v NV { vector l W { for k ... fma } } }`: MR x NV vectors of
 * W lanes are accumulated in registers, each k loading NV vectors of the right side and MR
 * scalars of the left.  Two schedules surround it:
 *
 *   direct   tiles read both operands where they lie: small products, few rows, outer products
 *   packed   the loops of BLIS (Van Zee, van de Geijn, ACM TOMS 41(3), 2015): a block of 256
 *            k's of the right side is copied into panels of NR columns, zero beyond the edge; a
 *            tile sweeps a panel that stays in the first cache against rows of the left side
 *            that stay in the second
 *
 * Both give the numbers of NUMERICS.md section 4: a chain of fma from +0 over each block of 256
 * k's, and the sum of the blocks in order, which starts at -0 (the neutral element).  Which one
 * is chosen never shows. */
#include "codegen/lower/dot.h"

enum { KC = 256, LANES = 32, STEPS = 16, BLOCK = LANES * STEPS };

/* A group of axes with contiguous neighbours joined. */
typedef struct group {
    int n;
    int64_t total, size[COT_MAX_RANK], lhs[COT_MAX_RANK], rhs[COT_MAX_RANK];
} group;

typedef struct shape {
    group b, m, n, k;
    bool swap; /* m is the right side's group, n the left's */
    bool packed, pack_left;
    int64_t mr, nr, w; /* the tile: mr rows, nr = nv * w columns */
    int64_t mc, nc;
    int64_t pieces; /* of a parallel loop, along the batch or along m */
    bool batch_pieces;
    int64_t c_size, b_size, a_size; /* scratch of one piece, in elements */
} shape;

typedef struct product {
    cg_build *b;
    const cg_dot *d;
    shape s;
    cg_val base;        /* scratch of the piece */
    cg_val left, right; /* offsets of the batch element */
    cg_val batch;
} product;

static group
join(const cg_dot_axes *a)
{
    group g = { .total = 1 };
    for (int i = 0; i < a->n; i++) {
        int64_t lhs = a->lhs ? a->lhs[i] : 0, rhs = a->rhs ? a->rhs[i] : 0, size = a->size[i];
        int last = g.n - 1;
        g.total *= size;
        if (size == 1)
            continue;
        if (last >= 0 && g.lhs[last] == lhs * size && g.rhs[last] == rhs * size) {
            g.size[last] *= size;
            g.lhs[last] = lhs;
            g.rhs[last] = rhs;
        } else {
            g.size[g.n] = size;
            g.lhs[g.n] = lhs;
            g.rhs[g.n++] = rhs;
        }
    }
    return g;
}

/* The sum of stride times index over the axes of a group, from the flat number. */
static cg_val
offset(cg_build *b, const group *g, const int64_t *stride, cg_val flat)
{
    cg_val sum = cg_i64(b, 0), rest = flat;
    for (int i = g->n - 1; i >= 0; i--) {
        cg_val at = i ? cg_imod(b, rest, g->size[i]) : rest;
        sum = cg_iadd(b, sum, cg_imul(b, at, stride[i]));
        rest = i ? cg_idiv(b, rest, g->size[i]) : rest;
    }
    return sum;
}

static int64_t
innermost(const group *g, const int64_t *stride)
{
    return g->n ? stride[g->n - 1] : 1;
}

static int64_t
round_up(int64_t x, int64_t to)
{
    return (x + to - 1) / to * to;
}

static int64_t
at_most(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static int64_t
power_of_two_from(int64_t x)
{
    int64_t p = 1;
    while (p < x)
        p *= 2;
    return p;
}

bool
cg_dot_is_inner(int lhs_free, int rhs_free, bool lhs_k_last, bool rhs_k_last)
{
    if (lhs_free && rhs_free)
        return false;
    return lhs_free ? lhs_k_last : rhs_free ? rhs_k_last : true;
}

/* Shapes --------------------------------------------------------------------------------------- */

/* Rows of a tile: as many as registers allow, fewer where that leaves no row over of a few
 * tiles. */
static int64_t
tile_rows(int64_t m, int64_t most)
{
    if (m <= most)
        return m > 0 ? m : 1;
    if (m >= 16 * most)
        return most;
    for (int64_t rows = most; rows >= most - most / 3; rows--)
        if (m % rows == 0)
            return rows;
    return most;
}

static void
choose_tile(shape *s, const cg_target *t, int64_t bytes)
{
    int64_t lanes = t->vector_bits / (8 * bytes), rows = t->registers >= 32 ? 14 : 6,
            columns = 2;
    if (lanes < 1)
        lanes = 1;
    if (lanes == 1)
        rows = 4, columns = 4;
    s->w = at_most(lanes, power_of_two_from(s->n.total));
    if (s->m.total == 1)
        columns = t->registers >= 32 ? 16 : 8;
    else if (s->m.total <= 3)
        columns = 4;
    s->nr = s->w * at_most(columns, (s->n.total + s->w - 1) / s->w);
    s->mr = s->m.total <= rows / 2 ? s->m.total : tile_rows(s->m.total, rows);
}

static void
swap_sides(shape *s)
{
    group m = s->m;
    s->m = s->n;
    s->n = m;
    s->swap = true;
}

/* The strides of the tile's left (rows) and right (columns) operand. */
static const int64_t *
left_of(const shape *s, const group *g)
{
    return s->swap ? g->rhs : g->lhs;
}
static const int64_t *
right_of(const shape *s, const group *g)
{
    return s->swap ? g->lhs : g->rhs;
}

/* Packing pays where the panel is used by several tiles and would not stay in the first cache,
 * or where the columns do not lie together. */
static bool
wants_packing(const shape *s, const cg_target *t, int64_t bytes)
{
    int64_t work = s->m.total * s->n.total * s->k.total;
    if (s->w > 1 && innermost(&s->n, right_of(s, &s->n)) != 1)
        return work > 2048;
    return s->m.total > 2 * s->mr && s->k.total * s->n.total * bytes > t->l1 / 2;
}

static void
choose_blocks(shape *s, const cg_target *t, int64_t bytes)
{
    int64_t kc = at_most(KC, s->k.total), rows = t->l2 / 3 / (KC * bytes),
            columns = t->l3 / 4 / (KC * bytes);
    int64_t blocks;
    rows = rows < s->mr ? s->mr : rows;
    columns = columns < 8 * s->nr ? 8 * s->nr : columns;
    blocks = (s->m.total + rows - 1) / rows;
    s->mc = round_up((s->m.total + blocks - 1) / blocks, s->mr);
    s->nc = at_most(round_up(columns, s->nr), round_up(s->n.total, s->nr));
    /* Rows read where they lie meet in one set of the cache when they are a power of two
     * apart. */
    s->pack_left = s->n.total > 2 * s->nr;
    s->c_size = s->k.total > KC ? round_up(s->m.total, s->mr) * round_up(s->n.total, s->nr)
                                : round_up(s->mr * s->nr, 16);
    s->b_size = round_up(kc * s->nc, 16);
    s->a_size = s->pack_left ? round_up(kc * s->mc, 16) : 0;
}

static shape
shape_of(const cg_target *t, int threads, const cg_dot *d)
{
    shape s = {
        .b = join(&d->b), .m = join(&d->m), .n = join(&d->n), .k = join(&d->k), .pieces = 1
    };
    int64_t bytes = (int64_t)cot_dtype_size(d->type), lanes = t->vector_bits / (8 * bytes);
    if (s.n.total < lanes && s.m.total > s.n.total)
        swap_sides(&s);
    choose_tile(&s, t, bytes);
    s.packed = wants_packing(&s, t, bytes);
    if (s.packed)
        choose_blocks(&s, t, bytes);
    else if (d->dear)
        s.c_size = round_up(s.mr * s.nr, 16);
    if (threads > 1 &&
        2.0 * (double)s.b.total * (double)s.m.total * (double)s.n.total * (double)s.k.total >
            4e5) {
        s.batch_pieces = s.b.total >= threads;
        if (s.batch_pieces || s.m.total >= 2 * threads * s.mr)
            s.pieces = threads;
    }
    return s;
}

int64_t
cg_dot_scratch(const cg_target *t, int threads, const cg_dot *d)
{
    shape s = shape_of(t, threads, d);
    return s.pieces * (s.c_size + s.b_size + s.a_size);
}

/* Elements ------------------------------------------------------------------------------------- */

static cg_val
load(const product *p, bool left, cg_val at, cg_val when)
{
    cg_build *b = p->b;
    bool lhs = left != p->s.swap;
    uint32_t buffer = lhs ? p->d->lhs : p->d->rhs;
    cot_dtype stored = b->k->buffer[buffer].type;
    cg_val x = cg_load(b, buffer, cg_iadd(b, left ? p->left : p->right, at), when);
    return stored == p->d->type ? x : cg_insn1(b, SC_cvt, p->d->type, x);
}

static cg_val
multiply_add(const product *p, cg_val x, cg_val y, cg_val acc)
{
    cot_dtype t = p->d->type;
    if (ir_is_float(t))
        return cg_insn3(p->b, SC_fma, t, x, y, acc);
    return cg_insn2(p->b, SC_add, t, cg_insn2(p->b, SC_mul, t, x, y), acc);
}

static cg_val
less(cg_build *b, cg_val x, cg_val y)
{
    return cg_insn2(b, SC_lt, COT_I64, x, y);
}

static cg_val
both(cg_build *b, cg_val x, cg_val y)
{
    return !x ? y : !y ? x : cg_insn2(b, SC_and, COT_BOOL, x, y);
}

static void
give(const product *p, cg_val m, cg_val n, cg_val acc, cg_val when)
{
    if (p->s.swap)
        p->d->store(p->b, p->d->user, p->batch, n, m, acc, when);
    else
        p->d->store(p->b, p->d->user, p->batch, m, n, acc, when);
}

/* The SPMD loops of a tile: rows, vectors of columns, lanes.  A loop of extent 1 is left
 * out. */
typedef struct tile {
    cg_val loop[3];
    cg_val i, column;
} tile;

static cg_val
spmd(cg_build *b, cg_kind kind, int64_t extent, cg_val *loop)
{
    *loop = extent > 1 ? cg_loop_begin(b, kind, cg_i64(b, 0), cg_i64(b, extent), 1, 0) : 0;
    return *loop ? cg_loop_var(b, *loop) : cg_i64(b, 0);
}

static tile
tile_begin(const product *p, int64_t rows, int64_t columns)
{
    tile t;
    cg_build *b = p->b;
    int64_t w = p->s.w;
    t.i = spmd(b, CG_UNROLL, rows, &t.loop[0]);
    t.column = cg_imul(b, spmd(b, CG_UNROLL, (columns + w - 1) / w, &t.loop[1]), w);
    t.column = cg_iadd(b, t.column, spmd(b, CG_VECTOR, w, &t.loop[2]));
    return t;
}

static void
tile_end(const product *p, const tile *t)
{
    for (int i = 2; i >= 0; i--)
        if (t->loop[i])
            cg_loop_end(p->b, t->loop[i]);
}

static cg_val
loop_over(cg_build *b, cg_val lo, cg_val hi, int64_t step)
{
    return cg_loop_begin(b, CG_SERIAL, lo, hi, step, 0);
}

static cg_val
scratch_at(const product *p, int64_t from, cg_val at)
{
    return cg_iadd(p->b, p->base, cg_iadd(p->b, at, cg_i64(p->b, from)));
}

/* Where the sum of row m0 + i and column n0 + column is kept: until the last block of k among
 * those of the whole result; if there is but one block, for the time of a tile. */
static cg_val
kept_index(const product *p, cg_val m0, cg_val i, cg_val n0, cg_val column)
{
    cg_build *b = p->b;
    const shape *s = &p->s;
    cg_val row = i, at = column;
    int64_t width = s->nr;
    if (s->packed && s->k.total > KC) {
        row = cg_iadd(b, m0, i);
        at = cg_iadd(b, n0, column);
        width = round_up(s->n.total, s->nr);
    }
    return scratch_at(p, 0, cg_iadd(b, cg_imul(b, row, width), at));
}

/* The sums of a tile, kept in memory, are handed on row by row: they are in the first cache.
 * The epilogue is compiled for the vectors of one row, or for one vector if it is long. */
static void
give_rows(const product *p, cg_val n0, cg_val m0, cg_val m_end, int64_t columns, bool columns_over)
{
    cg_build *b = p->b;
    const shape *s = &p->s;
    cg_val end = cg_iadd(b, m0, cg_i64(b, s->mr)), first = cg_i64(b, 0), vectors = 0;
    if (s->m.total % s->mr)
        end = cg_imin(b, end, m_end);
    cg_val rows = loop_over(b, m0, end, 1), m = cg_loop_var(b, rows);
    if (p->d->dear) {
        vectors = loop_over(b, first, cg_i64(b, columns), s->w);
        first = cg_loop_var(b, vectors);
    }
    tile r = tile_begin(p, 1, p->d->dear ? s->w : columns);
    cg_val column = cg_iadd(b, first, r.column), n = cg_iadd(b, n0, column);
    cg_val when = columns_over ? less(b, n, cg_i64(b, s->n.total)) : 0;
    cg_val kept = kept_index(p, m0, cg_isub(b, m, m0), n0, column);
    give(p, m, n, cg_load(b, p->d->scratch, kept, 0), when);
    tile_end(p, &r);
    if (vectors)
        cg_loop_end(b, vectors);
    cg_loop_end(b, rows);
}

/* Direct --------------------------------------------------------------------------------------- */

/* The element of a tile at row m and column n: blocks of 256 k's, summed in order.  right_when
 * guards loads beyond the last column. */
static cg_val
direct_element(const product *p, cg_val m, cg_val n, cg_val right_when)
{
    cg_build *b = p->b;
    const shape *s = &p->s;
    cot_dtype t = p->d->type;
    int64_t total = s->k.total;
    cg_val blocks = 0, sum = 0, lo = cg_i64(b, 0), hi = cg_i64(b, total);
    if (total > KC) {
        blocks = loop_over(b, cg_i64(b, 0), cg_i64(b, total), KC);
        sum = cg_loop_carry(b, blocks, t, cg_neutral(b, SC_add, t));
        lo = cg_loop_var(b, blocks);
        hi = cg_imin(b, cg_iadd(b, lo, cg_i64(b, KC)), cg_i64(b, total));
    }
    cg_val chain = loop_over(b, lo, hi, 1), acc = cg_loop_carry(b, chain, t, cg_const(b, t, 0));
    cg_val k = cg_loop_var(b, chain);
    cg_val x = load(p, true,
                    cg_iadd(b, offset(b, &s->m, left_of(s, &s->m), m),
                            offset(b, &s->k, left_of(s, &s->k), k)),
                    0);
    cg_val y = load(p, false,
                    cg_iadd(b, offset(b, &s->n, right_of(s, &s->n), n),
                            offset(b, &s->k, right_of(s, &s->k), k)),
                    right_when);
    cg_loop_next(b, chain, acc, multiply_add(p, x, y, acc));
    cg_loop_end(b, chain);
    acc = cg_loop_result(b, chain, 0);
    if (!blocks)
        return acc;
    cg_loop_next(b, blocks, sum, cg_insn2(b, SC_add, t, sum, acc));
    cg_loop_end(b, blocks);
    return cg_loop_result(b, blocks, 0);
}

/* Tiles of rows m0 ... and columns n0 ...; the last columns, fewer than a tile, are masked. */
static void
direct_tile(const product *p, cg_val m0, cg_val n0, int64_t columns, bool columns_over,
            cg_val m_end)
{
    cg_build *b = p->b;
    const shape *s = &p->s;
    bool rows_over = s->m.total % s->mr != 0;
    tile t = tile_begin(p, s->mr, columns);
    cg_val m = cg_iadd(b, m0, t.i), n = cg_iadd(b, n0, t.column);
    cg_val in_row = rows_over ? less(b, m, m_end) : 0,
           in_column = columns_over ? less(b, n, cg_i64(b, s->n.total)) : 0;
    cg_val row = rows_over ? cg_imin(b, m, cg_i64(b, s->m.total - 1)) : m;
    cg_val sum = direct_element(p, row, n, in_column);
    if (p->d->dear)
        cg_store(b, p->d->scratch, kept_index(p, m0, t.i, n0, t.column), sum, 0);
    else
        give(p, m, n, sum, both(b, in_row, in_column));
    tile_end(p, &t);
    if (p->d->dear)
        give_rows(p, n0, m0, m_end, columns, columns_over);
}

static void
direct(const product *p, cg_val m_begin, cg_val m_end)
{
    cg_build *b = p->b;
    const shape *s = &p->s;
    int64_t whole = s->n.total / s->nr * s->nr, left_over = s->n.total - whole;
    cg_val rows = loop_over(b, m_begin, m_end, s->mr), m0 = cg_loop_var(b, rows);
    if (whole) {
        cg_val columns = loop_over(b, cg_i64(b, 0), cg_i64(b, whole), s->nr);
        direct_tile(p, m0, cg_loop_var(b, columns), s->nr, false, m_end);
        cg_loop_end(b, columns);
    }
    if (left_over)
        direct_tile(p, m0, cg_i64(b, whole), left_over, left_over % s->w != 0, m_end);
    cg_loop_end(b, rows);
}

/* Packed --------------------------------------------------------------------------------------- */

/* Panels of nr columns: element (k, c) of panel j at (j KC + k) nr + c. */
static cg_val
panel_index(const product *p, cg_val panel, cg_val k, cg_val column)
{
    cg_build *b = p->b;
    cg_val row = cg_iadd(b, cg_imul(b, panel, at_most(KC, p->s.k.total)), k);
    return scratch_at(p, p->s.c_size, cg_iadd(b, cg_imul(b, row, p->s.nr), column));
}

static void
pack_element(const product *p, cg_val panel, cg_val n0, cg_val k0, cg_val k, cg_val column)
{
    cg_build *b = p->b;
    const shape *s = &p->s;
    cg_val n = cg_iadd(b, n0, column), global = cg_iadd(b, k0, k);
    cg_val when = s->n.total % s->nr ? less(b, n, cg_i64(b, s->n.total)) : 0;
    cg_val at = cg_iadd(b, offset(b, &s->n, right_of(s, &s->n), n),
                        offset(b, &s->k, right_of(s, &s->k), global));
    cg_store(b, p->d->scratch, panel_index(p, panel, k, column), load(p, false, at, when), 0);
}

/* Where rows of the panel do not lie together but its columns do, squares of w x w are turned
 * in registers. */
static void
pack_panel(const product *p, cg_val panel, cg_val n0, cg_val k0, cg_val kc)
{
    cg_build *b = p->b;
    const shape *s = &p->s;
    bool turned = s->w > 1 && innermost(&s->n, right_of(s, &s->n)) != 1 &&
                  innermost(&s->k, right_of(s, &s->k)) == 1 && s->k.total % KC % s->w == 0;
    cg_val loop = loop_over(b, cg_i64(b, 0), kc, turned ? s->w : 1), k = cg_loop_var(b, loop);
    if (turned) {
        cg_val vectors = loop_over(b, cg_i64(b, 0), cg_i64(b, s->nr), s->w), unrolled, lanes;
        cg_val inner = spmd(b, CG_UNROLL, s->w, &unrolled),
               lane = spmd(b, CG_VECTOR, s->w, &lanes);
        pack_element(p, panel, n0, k0, cg_iadd(b, k, inner),
                     cg_iadd(b, cg_loop_var(b, vectors), lane));
        cg_loop_end(b, lanes);
        cg_loop_end(b, unrolled);
        cg_loop_end(b, vectors);
    } else {
        tile t = tile_begin(p, 1, s->nr);
        pack_element(p, panel, n0, k0, k, t.column);
        tile_end(p, &t);
    }
    cg_loop_end(b, loop);
}

static cg_val
left_index(const product *p, cg_val strip, cg_val k, cg_val i)
{
    cg_build *b = p->b;
    cg_val row = cg_iadd(b, cg_imul(b, strip, at_most(KC, p->s.k.total)), k);
    return scratch_at(p, p->s.c_size + p->s.b_size, cg_iadd(b, cg_imul(b, row, p->s.mr), i));
}

static cg_val
left_element(const product *p, cg_val m, cg_val k)
{
    cg_build *b = p->b;
    const shape *s = &p->s;
    cg_val row = s->m.total % s->mr ? cg_imin(b, m, cg_i64(b, s->m.total - 1)) : m;
    return load(p, true,
                cg_iadd(b, offset(b, &s->m, left_of(s, &s->m), row),
                        offset(b, &s->k, left_of(s, &s->k), k)),
                0);
}

static void
pack_rows(const product *p, cg_val m_begin, cg_val m_end, cg_val k0, cg_val kc)
{
    cg_build *b = p->b;
    cg_val strips = loop_over(b, m_begin, m_end, p->s.mr), m0 = cg_loop_var(b, strips);
    cg_val strip = cg_idiv(b, cg_isub(b, m0, m_begin), p->s.mr);
    cg_val loop = loop_over(b, cg_i64(b, 0), kc, 1), k = cg_loop_var(b, loop), rows;
    cg_val i = spmd(b, CG_UNROLL, p->s.mr, &rows);
    cg_store(b, p->d->scratch, left_index(p, strip, k, i),
             left_element(p, cg_iadd(b, m0, i), cg_iadd(b, k0, k)), 0);
    if (rows)
        cg_loop_end(b, rows);
    cg_loop_end(b, loop);
    cg_loop_end(b, strips);
}

/* The sum of a block is added to that of the blocks before. */
static cg_val
add_before(const product *p, cg_val k0, cg_val kept, cg_val acc)
{
    cg_build *b = p->b;
    cot_dtype t = p->d->type;
    if (p->s.k.total <= KC)
        return acc;
    cg_val later = cg_if_begin(b, less(b, cg_i64(b, 0), k0));
    cg_val sum = cg_insn2(b, SC_add, t, cg_load(b, p->d->scratch, kept, 0), acc);
    cg_if_else(b, later);
    cg_if_yield(b, later, t, sum, acc);
    cg_if_end(b, later);
    return cg_loop_result(b, later, 0);
}

/* Rows m0 ... and the columns of one panel over one block of k. */
static void
sum_tile(const product *p, cg_val panel, cg_val n0, cg_val m0, cg_val m_begin, cg_val k0, cg_val kc)
{
    cg_build *b = p->b;
    const shape *s = &p->s;
    tile r = tile_begin(p, s->mr, s->nr);
    cg_val chain = loop_over(b, cg_i64(b, 0), kc, 1),
           acc = cg_loop_carry(b, chain, p->d->type, cg_const(b, p->d->type, 0));
    cg_val k = cg_loop_var(b, chain), strip = cg_idiv(b, cg_isub(b, m0, m_begin), s->mr);
    cg_val x = s->pack_left ? cg_load(b, p->d->scratch, left_index(p, strip, k, r.i), 0)
                            : left_element(p, cg_iadd(b, m0, r.i), cg_iadd(b, k0, k));
    cg_val y = cg_load(b, p->d->scratch, panel_index(p, panel, k, r.column), 0);
    cg_loop_next(b, chain, acc, multiply_add(p, x, y, acc));
    cg_loop_end(b, chain);
    cg_val kept = kept_index(p, m0, r.i, n0, r.column);
    cg_store(b, p->d->scratch, kept, add_before(p, k0, kept, cg_loop_result(b, chain, 0)), 0);
    tile_end(p, &r);
}

static void
give_tile(const product *p, cg_val n0, cg_val m0, cg_val m_end)
{
    cg_build *b = p->b;
    int64_t n = p->s.n.total, whole = n / p->s.nr * p->s.nr;
    if (whole == 0 || whole == n) {
        give_rows(p, n0, m0, m_end, p->s.nr, whole == 0);
        return;
    }
    cg_val choice = cg_if_begin(b, less(b, n0, cg_i64(b, whole)));
    give_rows(p, n0, m0, m_end, p->s.nr, false);
    cg_if_else(b, choice);
    give_rows(p, n0, m0, m_end, p->s.nr, true);
    cg_if_end(b, choice);
}

static void
packed_tile(const product *p, cg_val panel, cg_val n0, cg_val m0, cg_val m_begin, cg_val m_end,
            cg_val k0, cg_val kc)
{
    cg_build *b = p->b;
    sum_tile(p, panel, n0, m0, m_begin, k0, kc);
    if (p->s.k.total <= KC) {
        give_tile(p, n0, m0, m_end);
        return;
    }
    cg_val last = cg_if_begin(b, less(b, cg_i64(b, p->s.k.total - KC - 1), k0));
    give_tile(p, n0, m0, m_end);
    cg_if_end(b, last);
}

static void
packed(const product *p, cg_val m_begin, cg_val m_end)
{
    cg_build *b = p->b;
    const shape *s = &p->s;
    int64_t total = s->k.total;
    cg_val zero = cg_i64(b, 0), all = cg_i64(b, s->n.total);
    cg_val columns = loop_over(b, zero, all, s->nc), j0 = cg_loop_var(b, columns);
    cg_val j_end = cg_imin(b, cg_iadd(b, j0, cg_i64(b, s->nc)), all);
    cg_val blocks = loop_over(b, zero, cg_i64(b, total), KC), k0 = cg_loop_var(b, blocks);
    cg_val kc = total % KC || total < KC
                    ? cg_imin(b, cg_i64(b, KC), cg_isub(b, cg_i64(b, total), k0))
                    : cg_i64(b, KC);

    cg_val pack = loop_over(b, j0, j_end, s->nr), n0 = cg_loop_var(b, pack);
    pack_panel(p, cg_idiv(b, cg_isub(b, n0, j0), s->nr), n0, k0, kc);
    cg_loop_end(b, pack);

    cg_val rows = loop_over(b, m_begin, m_end, s->mc), i0 = cg_loop_var(b, rows);
    cg_val i_end = cg_imin(b, cg_iadd(b, i0, cg_i64(b, s->mc)), m_end);
    if (s->pack_left)
        pack_rows(p, i0, i_end, k0, kc);
    cg_val panels = loop_over(b, j0, j_end, s->nr), c0 = cg_loop_var(b, panels);
    cg_val strips = loop_over(b, i0, i_end, s->mr);
    packed_tile(p, cg_idiv(b, cg_isub(b, c0, j0), s->nr), c0, cg_loop_var(b, strips), i0, i_end,
                k0, kc);
    cg_loop_end(b, strips);
    cg_loop_end(b, panels);
    cg_loop_end(b, rows);
    cg_loop_end(b, blocks);
    cg_loop_end(b, columns);
}

/* Inner form ----------------------------------------------------------------------------------- */

/* One step of the lanes: elements k of both sides, guarded where there may be none. */
static cg_val
inner_step(const product *p, cg_val free, cg_val k, cg_val acc, cg_val when)
{
    cg_build *b = p->b;
    const shape *s = &p->s;
    cg_val x = load(p, true,
                    cg_iadd(b, offset(b, &s->m, left_of(s, &s->m), free),
                            offset(b, &s->k, left_of(s, &s->k), k)),
                    when);
    cg_val y = load(p, false, offset(b, &s->k, right_of(s, &s->k), k), when);
    cg_val next = multiply_add(p, x, y, acc);
    return when ? cg_insn3(b, SC_select, p->d->type, when, next, acc) : next;
}

/* A block of up to 512 elements from k0 on: 32 lanes, up to 16 steps, folded by halves. */
static cg_val
inner_block(const product *p, cg_val free, cg_val k0, cg_val steps, bool vector)
{
    cg_build *b = p->b;
    cot_dtype t = p->d->type;
    int64_t over = p->s.k.total % LANES;
    cg_val lanes =
        cg_loop_begin(b, vector ? CG_VECTOR : CG_SERIAL, cg_i64(b, 0), cg_i64(b, LANES), 1, 0);
    cg_val lane = cg_loop_var(b, lanes), loop = loop_over(b, cg_i64(b, 0), steps, 1);
    cg_val acc = cg_loop_carry(b, loop, t, cg_neutral(b, SC_add, t));
    cg_val k = cg_iadd(b, k0, cg_iadd(b, cg_imul(b, cg_loop_var(b, loop), LANES), lane));
    cg_loop_next(b, loop, acc, inner_step(p, free, k, acc, 0));
    cg_loop_end(b, loop);
    acc = cg_loop_result(b, loop, 0);
    if (over) {
        cg_val whole = cg_i64(b, p->s.k.total - over),
               here = cg_iadd(b, k0, cg_imul(b, steps, LANES));
        cg_val tail = cg_if_begin(b, cg_insn2(b, SC_eq, COT_I64, here, whole));
        cg_val last =
            inner_step(p, free, cg_iadd(b, whole, lane), acc, less(b, lane, cg_i64(b, over)));
        cg_if_else(b, tail);
        cg_if_yield(b, tail, t, last, acc);
        cg_if_end(b, tail);
        acc = cg_loop_result(b, tail, 0);
    }
    cg_loop_reduce(b, lanes, CG_FOLD, SC_add, t, acc);
    cg_loop_end(b, lanes);
    return cg_loop_result(b, lanes, 0);
}

static void
inner_form(const product *p, cg_val m_begin, cg_val m_end, bool vector)
{
    cg_build *b = p->b;
    cot_dtype t = p->d->type;
    int64_t total = p->s.k.total;
    cg_val rows = loop_over(b, m_begin, m_end, 1), m = cg_loop_var(b, rows), sum;
    if (total == 0) {
        sum = cg_const(b, t, 0);
    } else if (total <= BLOCK) {
        sum = inner_block(p, m, cg_i64(b, 0), cg_i64(b, total / LANES), vector);
    } else {
        cg_val blocks = loop_over(b, cg_i64(b, 0), cg_i64(b, (total + BLOCK - 1) / BLOCK), 1);
        cg_val block = cg_loop_var(b, blocks),
               left = cg_isub(b, cg_i64(b, total / LANES), cg_imul(b, block, STEPS));
        cg_val steps = total % BLOCK ? cg_imin(b, cg_i64(b, STEPS), left) : cg_i64(b, STEPS);
        cg_val one = inner_block(p, m, cg_imul(b, block, BLOCK), steps, vector);
        cg_loop_reduce(b, blocks, CG_TREE, SC_add, t, one);
        cg_loop_end(b, blocks);
        sum = cg_loop_result(b, blocks, 0);
    }
    give(p, m, cg_i64(b, 0), sum, 0);
    cg_loop_end(b, rows);
}

/* The whole ------------------------------------------------------------------------------------ */

static void
one_batch(product *p, cg_val batch, cg_val m_begin, cg_val m_end, bool inner, bool vector)
{
    cg_build *b = p->b;
    const shape *s = &p->s;
    cg_val lhs = p->d->lhs_offset ? p->d->lhs_offset : cg_i64(b, 0),
           rhs = p->d->rhs_offset ? p->d->rhs_offset : cg_i64(b, 0);
    lhs = cg_iadd(b, lhs, offset(b, &s->b, s->b.lhs, batch));
    rhs = cg_iadd(b, rhs, offset(b, &s->b, s->b.rhs, batch));
    p->batch = batch;
    p->left = s->swap ? rhs : lhs;
    p->right = s->swap ? lhs : rhs;
    if (inner)
        inner_form(p, m_begin, m_end, vector);
    else if (s->packed)
        packed(p, m_begin, m_end);
    else
        direct(p, m_begin, m_end);
}

static void
batches(product *p, cg_val from, cg_val to, cg_val m_begin, cg_val m_end, bool inner,
        bool vector)
{
    cg_val loop = loop_over(p->b, from, to, 1);
    one_batch(p, cg_loop_var(p->b, loop), m_begin, m_end, inner, vector);
    cg_loop_end(p->b, loop);
}

/* The inner form has free axes on one side at most: they are the rows. */
static void
orient_inner(shape *s, int threads)
{
    if (s->m.total == 1) {
        group m = s->m;
        s->m = s->n;
        s->n = m;
        s->swap = !s->swap;
    }
    s->mr = 1;
    s->c_size = s->b_size = s->a_size = 0;
    s->batch_pieces = s->b.total >= threads;
    s->pieces =
        threads > 1 &&
                2.0 * (double)s->b.total * (double)s->m.total * (double)s->k.total > 4e5 &&
                (s->batch_pieces || s->m.total >= 2 * threads)
            ? threads
            : 1;
}

void
cg_dot_build(cg_build *b, const cg_target *t, int threads, const cg_dot *d, bool inner)
{
    product p = { .b = b, .d = d, .s = shape_of(t, threads, d) };
    shape *s = &p.s;
    if (inner)
        orient_inner(s, threads);
    cg_val zero = cg_i64(b, 0), rows = cg_i64(b, s->m.total), count = cg_i64(b, s->b.total);
    bool vector = t->vector_bits > 32;
    if (!s->b.total || !s->m.total || !s->n.total)
        return;
    p.base = zero;
    if (s->pieces == 1) {
        batches(&p, zero, count, zero, rows, inner, vector);
        return;
    }
    int64_t all = s->batch_pieces ? s->b.total : s->m.total;
    int64_t share = round_up((all + s->pieces - 1) / s->pieces, s->batch_pieces ? 1 : s->mr);
    cg_val loop = cg_loop_begin(b, CG_PARALLEL, zero, cg_i64(b, s->pieces), 1, 0),
           piece = cg_loop_var(b, loop);
    cg_val from = cg_imul(b, piece, share),
           to = cg_imin(b, cg_iadd(b, from, cg_i64(b, share)), cg_i64(b, all));
    p.base = cg_imul(b, piece, s->c_size + s->b_size + s->a_size);
    if (s->batch_pieces)
        batches(&p, from, to, zero, rows, inner, vector);
    else
        batches(&p, zero, count, from, to, inner, vector);
    cg_loop_end(b, loop);
}
