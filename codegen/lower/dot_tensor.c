/* Matrix products by tensor cores (tensor.h), if the target is `fast`: f16 and bf16 with sums
 * in f32, and f32 rounded to tf32.
 *
 * A block computes a tile of 128 x 256 (8 warps), or 128 x 128 or 64 x 64 (4 warps); a warp
 * computes 64 x 64 of it, or 32 x 32, as sums of 16 x 8 in registers.  A wider tile reads fewer
 * bytes from L2, which is slower than the tensor cores: for each k a wide tile reads 3 elements
 * for 256 products, and two of 128 x 128 read 4.  Tiles of both sides, 64 bytes of k deep, are
 * copied to shared memory asynchronously, in three or four stages: while one stage is
 * multiplied, the others are filled, and one barrier for each stage separates readers from
 * writers.
 *
 * A side has the same layout in shared memory as outside: its rows, of 64 bytes, if k is
 * contiguous (`by_rows`), else rows of k.  Chunks of 16 bytes are permuted within a row, by
 * exclusive or with bits of the row's number, so that the eight rows of a fragment, and the
 * eight chunks that adjacent threads copy, are in different banks:
 *
 *   by rows              chunk c of row i is at c ^ (i / 2 mod 4): two rows are 128 bytes
 *   rows of k, 16 bits   c ^ (k mod 8)
 *   rows of k, f32       c ^ 2 (k mod 4): words are read singly, 8 columns of 4 k's at once
 */
#include "codegen/kernel/grid.h"
#include "codegen/lower/dot_inside.h"
#include "codegen/kernel/tensor.h"
#include "codegen/tuning.h"

enum {
    CHUNK_BYTES = 16,
    CHUNKS = 4      /* bytes of a chunk; chunks of a row of k's */
};

typedef struct tensor {
    cg_dot_product *p;
    cg_build *b;
    cot_dtype type;             /* of the operands in memory */
    const cg_dot_schedule *how; /* rows: rows and columns of a warp's part */
    int64_t each;               /* elements of a chunk */
    int64_t depth;              /* k's of a stage */
    cg_val t, lane;
    cg_dot_grid_side x[2];
    uint32_t sums;
    /* numbers of the reductions over k, including the k's beyond the last */
    uint32_t fetched, multiplied;
} tensor;

bool
cg_dot_may_be_tensor(const cg_dot *d, const cg_target *t)
{
    const bool types =
        d->lhs_type == d->rhs_type && (d->lhs_type == COT_F32 || ir_is_half(d->lhs_type));

    return t->grid && t->fast && types && d->type == COT_F32;
}

static cg_val
bits(cg_build *b, ir_sc_op op, cg_val x, cg_val y)
{
    return cg_insn2(b, op, COT_I64, x, y);
}

static int64_t
threads_of(const cg_dot_schedule *h)
{
    return h->m_block / h->rows * (h->n_block / h->rows) * CG_WARP;
}

static int64_t
stage_size(const tensor *g, const cg_dot_grid_side *x)
{
    return x->size * g->depth;
}

/* -- layout of shared memory --------------------------------------------------------------- */

/* The permuted position of `chunk` in a row. */
static cg_val
permuted(const tensor *g, const cg_dot_grid_side *x, cg_val row, cg_val chunk)
{
    cg_build *b = g->b;
    cg_val rotation = x->by_rows           ? cg_imod(b, cg_idiv(b, row, 2), 4)
                      : g->type == COT_F32 ? cg_imul(b, cg_imod(b, row, 4), 2)
                                           : cg_imod(b, row, 8);

    return bits(b, SC_xor, chunk, rotation);
}

static int64_t
row_length(const tensor *g, const cg_dot_grid_side *x)
{
    return x->by_rows ? g->depth : x->size;
}

/* -- filling stages ------------------------------------------------------------------------ */

/* A chunk: the indices of its first element along the free axis and k, and its place in shared
 * memory. */
typedef struct fetched_chunk {
    cg_val free, k, to;
} fetched_chunk;

static cg_val
source(const tensor *g, const cg_dot_grid_side *x, cg_val free, cg_val k)
{
    cg_build *b = g->b;
    const cg_dot_group *kg = &g->p->s.k;

    cg_val right = offset(b, kg, x->k_stride, k);
    return cg_iadd(b, x->base, cg_iadd(b, offset(b, x->free, x->stride, free), right));
}

/* Are chunks 16 contiguous bytes, aligned to 16 bytes? */
static bool
are_whole(const tensor *g, const cg_dot_grid_side *x, cg_val from)
{
    const cg_dot_group *along = x->by_rows ? &g->p->s.k : x->free;
    const int64_t *stride = x->by_rows ? x->k_stride : x->stride;

    return innermost(along, stride) == 1 && along->n > 0 &&
           (along->n == 1 || along->size[along->n - 1] % g->each == 0) &&
           g->b->k->buffer[x->from].align >= CHUNK_BYTES &&
           cg_multiple_of(g->b->k, from) >= g->each;
}

/* How many elements of a chunk are inside the operand; 0: all. */
static cg_val
count_of(const tensor *g, const cg_dot_grid_side *x, const fetched_chunk *c)
{
    cg_build *b = g->b;
    const int64_t nf = x->free->total, nk = g->p->s.k.total;
    const bool f_over = nf % x->size != 0, k_over = nk % g->depth != 0;
    const bool along = x->by_rows ? k_over : f_over, across = x->by_rows ? f_over : k_over;
    cg_val zero = cg_i64(b, 0), n = cg_i64(b, g->each);

    if (!along && !across)
        return 0;
    if (along) {
        cg_val left =
            x->by_rows ? cg_isub(b, cg_i64(b, nk), c->k) : cg_isub(b, cg_i64(b, nf), c->free);
        n = bits(b, SC_max, zero, bits(b, SC_min, n, left));
    }
    if (across) {
        cg_val there =
            x->by_rows ? less(b, c->free, cg_i64(b, nf)) : less(b, c->k, cg_i64(b, nk));
        n = cg_insn3(b, SC_select, COT_I64, there, n, zero);
    }
    return n;
}

/* Load and store a chunk that is not aligned, element by element, with zeros outside of the
 * operand. */
static void
load_chunk(const tensor *g, const cg_dot_grid_side *x, const fetched_chunk *c)
{
    cg_build *b = g->b;
    const int64_t nf = x->free->total, nk = g->p->s.k.total;
    cg_val loop = cg_loop_of(b, CG_VECTOR, g->each), e = cg_loop_var(b, loop), when = 0;
    cg_val free = x->by_rows ? c->free : cg_iadd(b, c->free, e),
           k = x->by_rows ? cg_iadd(b, c->k, e) : c->k;

    if (nf % x->size)
        when = less(b, free, cg_i64(b, nf));
    if (nk % g->depth)
        when = both(b, when, less(b, k, cg_i64(b, nk)));
    cg_val value = cg_load(b, x->from, source(g, x, free, k), when);
    cg_store(b, x->shared, cg_iadd(b, c->to, e), value, 0);
    cg_loop_end(b, loop);
}

/* Start copying the chunks of a side, divided among the threads. */
static void
fetch_side(const tensor *g, const cg_dot_grid_side *x, cg_val k0, cg_val stage)
{
    cg_build *b = g->b;
    const int64_t chunks = row_length(g, x) / g->each, threads = threads_of(g->how);
    cg_val rounds = cg_loop_of(b, CG_UNROLL, CHUNKS * x->size / threads);
    cg_val number = cg_iadd(b, cg_imul(b, cg_loop_var(b, rounds), threads), g->t);
    cg_val row = cg_idiv(b, number, chunks), at = cg_imod(b, number, chunks),
           first = cg_imul(b, at, g->each);
    cg_val right = cg_imul(b, permuted(g, x, row, at), g->each);
    cg_val to = cg_iadd(b, cg_imul(b, row, row_length(g, x)), right);
    const fetched_chunk c = { .free = cg_iadd(b, x->first, x->by_rows ? row : first),
                              .k = cg_iadd(b, k0, x->by_rows ? first : row),
                              .to = cg_iadd(b, cg_imul(b, stage, stage_size(g, x)), to) };
    cg_val from = source(g, x, c.free, c.k);

    if (are_whole(g, x, from))
        cg_fetch(b, x->shared, c.to, x->from, from, count_of(g, x, &c));
    else
        load_chunk(g, x, &c);
    cg_loop_end(b, rounds);
}

/* Declare to the verifier that n k's from k0 + first on are taken. */
static void
take(const tensor *g, uint32_t reduction, cg_val k0, int64_t first, int64_t n)
{
    const cg_take_term term = { k0, 1 };

    for (int64_t k = first; k < first + n; k++)
        cg_take_element(g->b,
                        (cg_take){ .reduction = reduction, .k = k, .n = 1, .term = &term });
}

static void
fetch(const tensor *g, cg_val k0, cg_val stage)
{
    take(g, g->fetched, k0, 0, g->depth);
    fetch_side(g, &g->x[0], k0, stage);
    fetch_side(g, &g->x[1], k0, stage);
}

/* -- loading fragments --------------------------------------------------------------------- */

/* Load a fragment by ldmatrix.  Its four matrices are the halves of 16 rows or columns (`half`)
 * by the halves of the k's of an mma (`deep`).  In the left side the halves of rows vary
 * fastest, in the right side the halves of k. */
static void
matrices(const tensor *g, const cg_dot_grid_side *x, cg_val stage, cg_val i, int step)
{
    cg_build *b = g->b;
    cg_val low = cg_imod(b, g->lane, 8), q1 = cg_imod(b, cg_idiv(b, g->lane, 8), 2),
           q2 = cg_idiv(b, g->lane, 16);
    cg_val half = x->left ? q1 : q2, deep = x->left ? q2 : q1, at;

    if (x->by_rows) {
        cg_val place = cg_iadd(b, low, cg_imul(b, half, 8));
        cg_val row = cg_iadd(b, x->warp, cg_iadd(b, cg_imul(b, i, 16), place));
        cg_val quotient = cg_idiv(b, low, 2);
        cg_val chunk = bits(b, SC_xor, cg_iadd(b, deep, cg_i64(b, 2 * step)), quotient);
        cg_val right = cg_imul(b, chunk, g->each);
        at = cg_iadd(b, cg_imul(b, row, g->depth), right);
    } else {
        cg_val place_low = cg_iadd(b, low, cg_imul(b, deep, 8));
        cg_val k = cg_iadd(b, cg_i64(b, 16 * step), place_low);
        cg_val chunk = cg_iadd(b, cg_idiv(b, x->warp, g->each), half);
        cg_val offset_i = cg_imul(b, i, 2);
        chunk = bits(b, SC_xor, bits(b, SC_xor, chunk, low), offset_i);
        cg_val offset_each = cg_imul(b, chunk, g->each);
        at = cg_iadd(b, cg_imul(b, k, x->size), offset_each);
    }
    cg_val place_at = cg_iadd(b, cg_imul(b, stage, stage_size(g, x)), at);
    cg_fragment(b, x->words, cg_imul(b, i, 4), x->shared, place_at, !x->by_rows);
}

/* Load a fragment of f32 stored in rows of k, word by word.  Word r of the left side is row 8
 * (r mod 2) and k 4 (r / 2).  The four words of the right side are two pairs: column 8 (r / 2)
 * and k 4 (r mod 2). */
static void
single_words(const tensor *g, const cg_dot_grid_side *x, cg_val stage, cg_val i, int step)
{
    cg_build *b = g->b;
    cg_val group = cg_idiv(b, g->lane, 4), c = cg_imod(b, g->lane, 4);
    cg_val loop = cg_loop_of(b, CG_UNROLL, 4), r = cg_loop_var(b, loop);
    cg_val low = cg_imod(b, r, 2), high = cg_idiv(b, r, 2);
    cg_val right = cg_imul(b, x->left ? high : low, 4);
    cg_val k = cg_iadd(b, cg_iadd(b, c, cg_i64(b, 8 * step)), right);
    cg_val quotient = cg_idiv(b, group, 4);
    cg_val chunk = cg_iadd(b, cg_idiv(b, x->warp, 4), quotient);
    cg_val other = cg_imul(b, x->left ? low : high, 2);
    cg_val place = cg_iadd(b, cg_imul(b, i, 4), other);
    chunk = bits(b, SC_xor, bits(b, SC_xor, chunk, cg_imul(b, c, 2)), place);
    cg_val remainder = cg_imod(b, group, 4);
    cg_val second = cg_iadd(b, cg_imul(b, chunk, 4), remainder);
    cg_val at = cg_iadd(b, cg_imul(b, k, x->size), second);

    cg_val value =
        cg_load(b, x->shared, cg_iadd(b, cg_imul(b, stage, stage_size(g, x)), at), 0);
    cg_store(b, x->words, cg_iadd(b, cg_imul(b, i, 4), r), value, 0);
    cg_loop_end(b, loop);
}

static void
fragments(const tensor *g, const cg_dot_grid_side *x, cg_val stage, int step)
{
    cg_build *b = g->b;
    cg_val loop = cg_loop_of(b, CG_UNROLL, g->how->rows / 16);

    if (g->type == COT_F32 && !x->by_rows)
        single_words(g, x, stage, cg_loop_var(b, loop), step);
    else
        matrices(g, x, stage, cg_loop_var(b, loop), step);
    cg_loop_end(b, loop);
}

/* -- multiplying --------------------------------------------------------------------------- */

/* The number of the first of the 16 x 8 sums in row i and column j of a warp. */
static cg_val
sum_of(const tensor *g, cg_val i, cg_val j)
{
    return cg_imul(g->b, cg_iadd(g->b, cg_imul(g->b, i, g->how->rows / 8), j), 4);
}

static void
multiply(const tensor *g, cg_val k0, cg_val stage)
{
    const int64_t part = g->how->rows;
    cg_build *b = g->b;

    for (int step = 0; step < CHUNKS / 2; step++) {
        take(g, g->multiplied, k0, 2 * step * g->each, 2 * g->each);
        fragments(g, &g->x[0], stage, step);
        fragments(g, &g->x[1], stage, step);
        cg_val rows = cg_loop_of(b, CG_UNROLL, part / 16), i = cg_loop_var(b, rows);
        cg_val columns = cg_loop_of(b, CG_UNROLL, part / 8), j = cg_loop_var(b, columns);
        cg_mma(b, g->type, (uint32_t[]){ g->sums, g->x[0].words, g->x[1].words },
               (cg_val[]){ sum_of(g, i, j), cg_imul(b, i, 4), cg_imul(b, j, 2) });
        cg_loop_end(b, columns);
        cg_loop_end(b, rows);
    }
}

static void
begin_sums(const tensor *g)
{
    cg_build *b = g->b;
    const int64_t n = g->how->rows * g->how->rows / CG_WARP;
    cg_val loop = cg_loop_of(b, CG_UNROLL, n);

    cg_store(b, g->sums, cg_loop_var(b, loop), cg_const(b, COT_F32, 0), 0);
    cg_loop_end(b, loop);
}

static cg_val
next_stage(const tensor *g, cg_val stage)
{
    cg_build *b = g->b;
    cg_val last = cg_insn2(b, SC_eq, COT_I64, stage, cg_i64(b, g->how->stages - 1));

    cg_val place = cg_iadd(b, stage, cg_i64(b, 1));
    return cg_insn3(b, SC_select, COT_I64, last, cg_i64(b, 0), place);
}

/* The pipeline over k.  A stage is multiplied when all but the latest groups of copies have
 * arrived.  The stage that is filled next is the previous one, which all threads have read by
 * the barrier. */
static void
sweep(tensor *g)
{
    cg_build *b = g->b;
    const int64_t nk = g->p->s.k.total, stages = g->how->stages,
                  ahead = (stages - 1) * g->depth, all = round_up(nk, g->depth);

    g->fetched = cg_reduction_new(b, all, 0, 1);
    g->multiplied = cg_reduction_new(b, all, 0, 1);

    begin_sums(g);
    for (int s = 0; s < stages - 1; s++) {
        if (s * g->depth < nk)
            fetch(g, cg_i64(b, s * g->depth), cg_i64(b, s));
        cg_commit(b);
    }
    cg_val loop = loop_over(b, cg_i64(b, 0), cg_i64(b, nk), g->depth),
           k0 = cg_loop_var(b, loop);
    cg_val now = cg_loop_carry(b, loop, COT_I64, cg_i64(b, 0)),
           then = cg_loop_carry(b, loop, COT_I64, cg_i64(b, stages - 1));
    cg_arrive(b, (int)stages - 2);
    cg_barrier(b);
    cg_val k2 = cg_iadd(b, k0, cg_i64(b, ahead)),
           more = cg_if_begin(b, less(b, k2, cg_i64(b, nk)));
    fetch(g, k2, then);
    cg_if_else(b, more);
    cg_if_end(b, more);
    cg_commit(b);
    multiply(g, k0, now);
    cg_loop_next(b, loop, now, next_stage(g, now));
    cg_loop_next(b, loop, then, next_stage(g, then));
    cg_loop_end(b, loop);
    cg_arrive(b, 0);
}

/* -- results ------------------------------------------------------------------------------- */

static void
emit_sums(const tensor *g)
{
    cg_build *b = g->b;
    cg_val loop[4];
    cg_val i = spmd(b, CG_UNROLL, g->how->rows / 16, &loop[0]),
           j = spmd(b, CG_UNROLL, g->how->rows / 8, &loop[1]);
    cg_val h = spmd(b, CG_UNROLL, 2, &loop[2]);
    cg_val right = cg_imul(b, h, 8);
    cg_val place = cg_iadd(b, cg_imul(b, i, 16), right);
    cg_val row = cg_iadd(b, cg_iadd(b, g->x[0].warp, cg_idiv(b, g->lane, 4)), place);
    cg_val other = cg_imul(b, cg_imod(b, g->lane, 4), 2);
    cg_val first = cg_iadd(b, cg_iadd(b, g->x[1].warp, cg_imul(b, j, 8)), other);
    cg_val e = spmd(b, CG_VECTOR, 2, &loop[3]);
    cg_val second = cg_iadd(b, cg_imul(b, h, 2), e);
    cg_val sum = cg_load(b, g->sums, cg_iadd(b, sum_of(g, i, j), second), 0);

    cg_dot_block_emit(g->p, g->x, row, first, e, 2, sum);
    for (int l = 3; l >= 0; l--)
        cg_loop_end(b, loop[l]);
}

/* -- the whole product --------------------------------------------------------------------- */

static void
make_side(tensor *g, bool left)
{
    cg_kernel *k = g->b->k;
    cg_dot_grid_side *x = &g->x[!left];

    cg_dot_grid_side_init(g->p, x, left, left ? g->how->m_block : g->how->n_block);
    x->by_rows = innermost(&g->p->s.k, x->k_stride) == 1;
    x->shared = cg_buffer_add(k, left ? "left" : "right", g->type, CG_SHARED,
                              g->how->stages * stage_size(g, x));
    k->buffer[x->shared].align = CHUNK_BYTES;
    x->words =
        cg_buffer_add(k, left ? "rows" : "columns", g->type == COT_F32 ? COT_F32 : COT_U32,
                      CG_LOCAL, g->how->rows / 4);
}

void
cg_dot_tensor(cg_dot_product *p)
{
    cg_build *b = p->b;
    tensor g = { .p = p, .b = b, .type = p->d->lhs_type, .how = &p->s.how };
    const int64_t part = g.how->rows, across = g.how->n_block / part;

    g.each = CHUNK_BYTES / (int64_t)cot_dtype_size(g.type);
    g.depth = CHUNKS * g.each;

    make_side(&g, true);
    make_side(&g, false);
    g.sums = cg_buffer_add(b->k, "sums", COT_F32, CG_LOCAL, part * part / CG_WARP);
    const cg_dot_block block =
        cg_dot_block_begin(p, g.x, CG_LOWER_TENSOR_TILE_ROWS, threads_of(g.how));
    g.t = block.thread;
    g.lane = cg_imod(b, g.t, CG_WARP);
    g.x[0].warp = cg_imul(b, cg_idiv(b, g.t, across * CG_WARP), part);
    g.x[1].warp = cg_imul(b, cg_imod(b, cg_idiv(b, g.t, CG_WARP), across), part);
    sweep(&g);
    emit_sums(&g);
    cg_dot_block_end(p, &block);
}
