/* fft: lines are transformed one after the other, or in parallel by threads, stage by stage
 * (ir/fft.h).  Where there are fewer lines than threads, the threads share each stage of a
 * line.
 *
 * Between stages a line is in scratch memory, with real and imaginary parts in separate arrays;
 * the first stage separates them, and the last interleaves them again.  Lanes run along s; in
 * the first stage, where s is 1, they run along p.  The r results of a butterfly are then
 * adjacent, lane by lane, and the emitter stores them as whole vectors (llvm/memory.c).  A
 * butterfly is straight-line code, which the reference evaluator shares.
 *
 * On a GPU the threads of one block share the butterflies of a stage, with the line in shared
 * memory and a barrier between stages.  For longer lines each stage is a kernel. */
#include "codegen/elemental/strip_mine.h"
#include "codegen/elemental/element.h"
#include "codegen/lower/rules.h"
#include "codegen/fuse/cost.h"
#include "codegen/fuse/fuse.h"
#include "codegen/kernel/grid.h"
#include "codegen/lower/level.h"
#include "ir/fft.h"

#define V         cg_val
#define B_ARGS    cg_build *kb, cot_dtype T,
#define B_CALL    kb, T,
#define ADD(x, y) cg_insn2(kb, SC_add, T, x, y)
#define SUB(x, y) cg_insn2(kb, SC_sub, T, x, y)
#define MUL(x, y) cg_insn2(kb, SC_mul, T, x, y)
#define FMA(x, y, z) cg_insn3(kb, SC_fma, T, x, y, z)
#define NEG(x)    cg_insn1(kb, SC_neg, T, x)
#define NUMBER(c) number(kb, T, c)

static cg_val
number(cg_build *b, cot_dtype T, double c)
{
    union {
        double d;
        uint64_t bits;
    } wide = { c };
    union {
        float f;
        uint32_t bits;
    } narrow = { (float)c };
    return cg_const(b, T, T == COT_F64 ? wide.bits : narrow.bits);
}

#include "ir/butterfly.h"
#include "codegen/tuning.h"

typedef struct transforming {
    const ir_node *n;
    cg_frame *fr;
    const ir_type *t;
    const ir_fft *f;
    cot_dtype T;
    uint32_t out, scratch[4];           /* re and im of the two copies of a line */
    cg_ix at[COT_MAX_RANK + 1];         /* index of the line */
    cg_val base;                        /* first element of its scratch; 0: element 0 */
    int stage;
    cg_ix p;
    bool lanes_along_p, stages_shared;
    uint32_t re, im;                    /* constant buffers of the stage's twiddle factors */
} transforming;

static cg_val
scratch_index(cg_lowering *l, const transforming *c, cg_ix i)
{
    cg_val at = cg_ix_value(&l->ix, &l->b, i);
    return c->base ? cg_iadd(&l->b, c->base, at) : at;
}

/* Load element i of the line.  The inverse transform exchanges re and im when it reads the
 * operand. */
static void
take(cg_lowering *l, transforming *c, cg_ix i, cg_val *z)
{
    if (c->stage > 0) {
        const cg_val at = scratch_index(l, c, i);
        z[0] = cg_load(&l->b, c->scratch[c->stage % 2 * 2], at, 0);
        z[1] = cg_load(&l->b, c->scratch[c->stage % 2 * 2 + 1], at, 0);
        return;
    }
    c->at[c->t->rank - 2] = i;
    for (int part = 0; part < 2; part++) {
        c->at[c->t->rank - 1] = cg_ix_const(&l->ix, part);
        z[c->n->at->fft.inverse ? 1 - part : part] = cg_element(l, c->fr, c->n->in[0], c->at);
    }
}

/* Store the results of a butterfly at elements first, first + step, ...  Adjacent stores follow
 * each other in the text. */
static void
put(cg_lowering *l, transforming *c, int r, cg_ix first, int64_t step, const cg_val *y)
{
    cg_val at[IR_FFT_LARGEST][2];
    const bool last = c->stage == c->f->stages - 1;
    for (int k = 0; k < r; k++) {
        cg_ix i = cg_ix_addc(&l->ix, first, k * step);
        if (!last) {
            at[k][0] = scratch_index(l, c, i);
            continue;
        }
        c->at[c->t->rank - 2] = i;
        for (int part = 0; part < 2; part++) {
            c->at[c->t->rank - 1] = cg_ix_const(&l->ix, part);
            at[k][part] =
                cg_ix_value(&l->ix, &l->b, cg_ix_flat(&l->ix, c->t->rank, c->t->dims, c->at));
        }
    }
    const int swapped = last && c->n->at->fft.inverse;
    for (int part = 0; part < 2 && !last; part++)
        for (int k = 0; k < r; k++)
            cg_store(&l->b, c->scratch[(c->stage + 1) % 2 * 2 + part], at[k][0],
                     y[2 * k + part], 0);
    for (int k = 0; k < r && last; k++)
        for (int part = 0; part < 2; part++)
            cg_store(&l->b, c->out, at[k][part], y[2 * k + (swapped ? 1 - part : part)], 0);
}

static void
one_butterfly(cg_lowering *l, transforming *c, cg_ix p, cg_ix q)
{
    const ir_fft_stage *g = &c->f->stage[c->stage];
    const int r = g->radix;
    cg_val x[2 * IR_FFT_LARGEST] = { 0 }, y[2 * IR_FFT_LARGEST] = { 0 };
    cg_ix from = cg_ix_add(&l->ix, q, cg_ix_mul(&l->ix, p, g->s));
    for (int j = 0; j < r; j++)
        take(l, c, cg_ix_addc(&l->ix, from, g->s * g->m * j), x + 2 * j);
    butterfly(&l->b, c->T, r, x, y);
    for (int k = 1; k < r && g->m > 1; k++) {
        cg_val at = cg_ix_value(&l->ix, &l->b, cg_ix_addc(&l->ix, p, (k - 1) * g->m));
        cg_val loaded = cg_load(&l->b, c->im, at, 0);
        twiddle(&l->b, c->T, y + 2 * k, cg_load(&l->b, c->re, at, 0), loaded);
    }
    put(l, c, r, cg_ix_add(&l->ix, q, cg_ix_mul(&l->ix, p, g->s * r)), g->s, y);
}

/* Do threads share the loop over p of this stage?  Otherwise it is short, and they share those
 * over s inside of it. */
static bool
shares_p(const cg_lowering *l, const transforming *c)
{
    return c->f->stage[c->stage].m >= (int64_t)l->o->threads * CG_LOWER_FFT_SHARED_GROUPS;
}

static void
along_q(cg_lowering *l, void *user, cg_ix q)
{
    transforming *c = user;
    one_butterfly(l, c, c->p, q);
}

static void
along_p(cg_lowering *l, void *user, cg_ix p)
{
    transforming *c = user;
    const ir_fft_stage *g = &c->f->stage[c->stage];
    int64_t lanes = cg_lanes(l, ir_bits(c->T));
    c->p = p;
    if (c->lanes_along_p) {
        one_butterfly(l, c, p, cg_ix_const(&l->ix, 0));
        return;
    }
    while (lanes > g->s)
        lanes /= 2;
    cg_strip_mine(l, c->stages_shared && !shares_p(l, c) ? CG_PARALLEL : CG_SERIAL, g->s, lanes,
                  true, along_q, c);
}

/* Add the twiddle factors of the stage to the kernel. */
static void
stage_tables(cg_lowering *l, transforming *c)
{
    const ir_fft_stage *g = &c->f->stage[c->stage];
    const int64_t table = (g->radix - 1) * g->m;
    if (g->m <= 1)
        return;
    c->re = cg_const_buffer(l, c->T, table, g->re);
    c->im = cg_const_buffer(l, c->T, table, g->im);
}

static void
one_line(cg_lowering *l, void *user, cg_ix line)
{
    transforming *c = user;
    cg_ix_split(&l->ix, line, c->t->rank - 2, c->t->dims, c->at);
    if (c->base)
        c->base = cg_imul(&l->b, cg_ix_value(&l->ix, &l->b, line), c->f->n);
    for (c->stage = 0; c->stage < c->f->stages; c->stage++) {
        const ir_fft_stage *g = &c->f->stage[c->stage];
        int64_t lanes = cg_lanes(l, ir_bits(c->T));
        c->lanes_along_p = g->s == 1;
        stage_tables(l, c);
        while (lanes > g->m)
            lanes /= 2;
        cg_strip_mine(l, c->stages_shared && shares_p(l, c) ? CG_PARALLEL : CG_SERIAL, g->m,
                      c->lanes_along_p ? lanes : 1, true, along_p, c);
    }
}

static int64_t
scratch_bytes(const transforming *c)
{
    return 4 * c->f->n * (int64_t)cot_dtype_size(c->T);
}

/* Threads that share a line read in each stage what others have stored, which takes longer than
 * the butterflies of a line that fits the cache of one. */
static bool
shares_stages(const cg_lowering *l, const transforming *c, int64_t lines, int64_t flops)
{
    return lines < l->o->threads && cg_is_shared(l, flops, cg_lanes(l, ir_bits(c->T)), 0) &&
           (l->o->share_all || scratch_bytes(c) >= CG_LOWER_MIN_FFT_SHARED);
}

static void
make_scratch(cg_lowering *l, transforming *c, int64_t lines)
{
    const int64_t n = c->f->n, bytes = scratch_bytes(c);
    static const char *const name[] = { "re", "im", "re", "im" };
    const int64_t most = l->target.grid ? CG_LOWER_MAX_FFT_LOCAL / 16 : CG_LOWER_MAX_FFT_LOCAL;
    c->base = bytes > most && lines > 1 ? cg_i64(&l->b, 0) : 0;
    for (int i = 0; i < 4; i++) {
        if (bytes <= most && !c->stages_shared) {
            c->scratch[i] = cg_local_buffer(l, name[i], c->T, n);
            continue;
        }
        c->scratch[i] = cg_work_buffer(l, name[i], name[i], c->T, lines * n);
    }
}

/* -- on a GPU ------------------------------------------------------------------------------ */

/* Emit butterfly i of the stage. */
static void
butterfly_at(cg_lowering *l, transforming *c, cg_ix i)
{
    const ir_fft_stage *g = &c->f->stage[c->stage];
    const int64_t dims[2] = { g->m, g->s };
    cg_ix at[2];
    cg_ix_split(&l->ix, i, 2, dims, at);
    one_butterfly(l, c, at[0], at[1]);
}

static int64_t
butterflies(const transforming *c)
{
    return c->f->n / c->f->stage[c->stage].radix;
}

/* Bytes of a line in scratch memory: one copy, or two. */
static int64_t
bytes_between(const transforming *c)
{
    const int copies = c->f->stages > 2 ? 2 : c->f->stages - 1;
    return 2 * copies * c->f->n * (int64_t)cot_dtype_size(c->T);
}

/* The part of a stage that thread t computes: butterflies t, t + threads, ... */
static void
stage_of_thread(cg_lowering *l, transforming *c, cg_val t, int64_t threads)
{
    const int64_t n = butterflies(c);
    stage_tables(l, c);
    cg_val i, loop = cg_thread_loop(&l->b, t, threads, n, &i);
    butterfly_at(l, c, cg_ix_var(&l->ix, i, 0, n - 1));
    cg_loop_end(&l->b, loop);
}

/* A block for each line, which is in shared memory between stages. */
static void
lines_in_blocks(cg_lowering *l, cg_level *v, transforming *c, int64_t lines)
{
    cg_build *b = &l->b;
    int64_t threads = CG_WARP;
    c->fr = cg_node_kernel(l, v, c->n);
    c->out = cg_place_buffer(l, &v->place[c->n->first], c->t, "y", true);
    for (int i = 0; i < 4; i++)
        if (i >= 2 ? c->f->stages > 1 : c->f->stages > 2) {
            c->scratch[i] = cg_local_buffer(l, i % 2 ? "im" : "re", c->T, c->f->n);
            l->k->buffer[c->scratch[i]].space = CG_SHARED;
        }
    while (threads < CG_LOWER_FFT_THREADS && threads * CG_LOWER_FFT_ELEMENTS < c->f->n)
        threads *= 2;
    cg_val grid = cg_loop_of(b, CG_GRID, lines);
    cg_ix line = cg_ix_var(&l->ix, cg_loop_var(b, grid), 0, lines - 1);
    cg_ix_split(&l->ix, line, c->t->rank - 2, c->t->dims, c->at);
    cg_val block = cg_loop_of(b, CG_BLOCK, threads);
    for (c->stage = 0; c->stage < c->f->stages; c->stage++) {
        if (c->stage > 0)
            cg_barrier(b);
        stage_of_thread(l, c, cg_loop_var(b, block), threads);
    }
    cg_loop_end(b, block);
    cg_loop_end(b, grid);
}

static void
butterfly_of_all(cg_lowering *l, void *user, cg_ix i)
{
    transforming *c = user;
    cg_ix line = cg_ix_div(&l->ix, i, butterflies(c));
    cg_ix_split(&l->ix, line, c->t->rank - 2, c->t->dims, c->at);
    c->base = cg_imul(&l->b, cg_ix_value(&l->ix, &l->b, line), c->f->n);
    butterfly_at(l, c, cg_ix_mod(&l->ix, i, butterflies(c)));
}

/* A kernel for each stage, with a thread for each butterfly of all lines. */
static void
stage_kernels(cg_lowering *l, cg_level *v, transforming *c, int64_t lines, int64_t flops)
{
    const ir_type *t = ir_type_new(l->ctx, c->T, 1, (const int64_t[]){ lines * c->f->n });
    cg_place between[4] = { 0 };
    for (int i = 0; i < 4; i++)
        between[i] = cg_plan_new(l, i % 2 ? "im" : "re", t);
    for (c->stage = 0; c->stage < c->f->stages; c->stage++) {
        const int from = c->stage % 2 * 2, to = 2 - from;
        c->fr = cg_node_kernel(l, v, c->n);
        l->k->flops = lines * flops / c->f->stages;
        for (int part = 0; part < 2; part++) {
            if (c->stage > 0)
                c->scratch[from + part] =
                    cg_place_buffer(l, &between[from + part], t, "x", false);
            if (c->stage < c->f->stages - 1)
                c->scratch[to + part] = cg_place_buffer(l, &between[to + part], t, "y", true);
        }
        if (c->stage == c->f->stages - 1)
            c->out = cg_place_buffer(l, &v->place[c->n->first], c->t, "y", true);
        stage_tables(l, c);
        cg_strip_mine(l, CG_PARALLEL, lines * butterflies(c), 1, true, butterfly_of_all, c);
        cg_kernel_call(l);
    }
}

static bool
plan_for_grid(cg_lowering *l, cg_level *v, transforming *c, int64_t lines, int64_t flops)
{
    if (!l->target.grid || c->f->n <= CG_LOWER_MAX_FFT_ALONE)
        return false;
    const bool fits = bytes_between(c) <= CG_MAX_SHARED;
    if (fits) {
        lines_in_blocks(l, v, c, lines);
        l->k->flops = lines * flops;
        cg_kernel_call(l);
    } else
        stage_kernels(l, v, c, lines, flops);
    ir_buf_printf(l->why, "%s: %lld lines of %lld, %d stages, %s\n", l->k->name,
                  (long long)lines, (long long)c->f->n, c->f->stages,
                  fits ? "a block each" : "a kernel each");
    return true;
}

void
cg_plan_fft(cg_lowering *l, cg_level *v, const cg_group *g)
{
    const ir_node *n = g->node;
    const ir_type *t = ir_type_at(v->f, n->first);
    transforming c = { .n = n, .t = t, .T = t->dtype };
    if (!v->place[n->first].set)
        v->place[n->first] = cg_plan_new(l, "t", t);
    if (t->size == 0)
        return;
    c.f = ir_fft_new(l->arena, t->dims[t->rank - 2], t->dtype);
    const int64_t lines = t->size / (2 * c.f->n);
    const int64_t flops = c.f->n * 5 * (64 - __builtin_clzll((unsigned long long)c.f->n));
    if (plan_for_grid(l, v, &c, lines, flops))
        return;
    const int64_t lanes = cg_lanes(l, ir_bits(c.T));
    c.stages_shared = shares_stages(l, &c, lines, flops);
    const bool many = lines > 1 && !c.stages_shared && cg_is_shared(l, lines * flops, lanes, 0);
    c.fr = cg_node_kernel(l, v, n);
    l->k->flops = lines * flops;
    c.out = cg_place_buffer(l, &v->place[n->first], t, "y", true);
    make_scratch(l, &c, many ? lines : 1);
    ir_buf_printf(l->why, "%s: %lld lines of %lld, %d stages%s\n", l->k->name, (long long)lines,
                  (long long)c.f->n, c.f->stages,
                  many              ? ", parallel"
                  : c.stages_shared ? ", each parallel"
                                    : "");
    cg_strip_mine(l, many ? CG_PARALLEL : CG_SERIAL, lines, 1, true, one_line, &c);
    cg_kernel_call(l);
}
