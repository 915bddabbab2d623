/* The launch of a grid schedule, and a schedule for kernels that have none.
 *
 * Kernels are lowered with a parallel loop wherever CPU threads would share one.  If that loop
 * is the whole kernel, its iterations become independent threads, which is always correct.
 * Fast schedules are made by lowerings: maps (map_grid.c), rows (rows_grid.c) and products
 * (lower/dot_grid.c). */
#include "codegen/kernel/grid.h"
#include "codegen/tuning.h"

static void
launch_region(const cg_kernel *k, const cg_region *r, cg_launch *l)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const cg_insn *p = &k->insn[r->insn[i]];
        const cg_block *x = p->block;
        int64_t threads = 0;

        l->fails |= p->op == CG_FAIL;
        if (!x)
            continue;
        if (p->op == CG_LOOP && x->kind == CG_GRID)
            l->grid = cg_extent(k, x); /* -1 where sizes are open */
        if (p->op == CG_LOOP && x->kind == CG_WARPS) {
            threads = cg_extent(k, x) * CG_WARP;
            l->shared += x->n * cg_extent(k, x) * 8;
        }
        if (p->op == CG_LOOP && (x->kind == CG_BLOCK || x->kind == CG_LANES))
            threads = (cg_extent(k, x) + CG_WARP - 1) / CG_WARP * CG_WARP;
        if (threads > l->block)
            l->block = (int)threads;
        launch_region(k, &x->body, l);
        launch_region(k, &x->other, l);
    }
}

cg_val
cg_number_of_blocks(cg_build *b, int64_t x, int64_t y, bool both_open)
{
    return both_open ? cg_insn2_kept(b, SC_mul, cg_i64(b, x), cg_i64(b, y)) : cg_i64(b, x * y);
}

/* Bytes of the CG_SHARED buffers before this one. */
static int64_t
shared_before(const cg_kernel *k, uint32_t buffer)
{
    int64_t bytes = 0;

    for (uint32_t i = 0; i < buffer; i++) {
        const cg_buffer *x = &k->buffer[i];

        if (x->space == CG_SHARED)
            bytes += (x->elements * (int64_t)cot_dtype_size(x->type) + 15) / 16 * 16;
    }
    return bytes;
}

cg_launch
cg_launch_of(const cg_kernel *k)
{
    const int64_t buffers = shared_before(k, k->n_buffers);
    cg_launch l = { .grid = 1, .block = CG_WARP };

    launch_region(k, &k->body, &l);
    if (l.shared + buffers > CG_MAX_SHARED)
        l.dynamic = buffers;
    else
        l.shared += buffers;
    return l;
}

int64_t
cg_dynamic_place(const cg_kernel *k, uint32_t buffer)
{
    return cg_launch_of(k).dynamic ? shared_before(k, buffer) : -1;
}

int64_t
cg_block_threads(int64_t n)
{
    return n >= CG_KERNEL_MIN_ITERATIONS_256   ? CG_BLOCK_THREADS
           : n >= CG_KERNEL_MIN_ITERATIONS_128 ? 128
           : n >= CG_KERNEL_MIN_ITERATIONS_64  ? 64
                                               : CG_WARP;
}

void
cg_grid_target(cg_target *t)
{
    *t = (cg_target){ .triple = t->triple ? t->triple : "nvptx64-nvidia-cuda",
                      .cpu = t->cpu ? t->cpu : "sm_80",
                      .features = t->features ? t->features : "",
                      .vector_bits = 32,
                      .registers = 32,
                      .l1 = CG_KERNEL_GRID_L1,
                      .l2 = CG_KERNEL_GRID_L2,
                      .l3 = CG_KERNEL_GRID_L3,
                      .grid = true,
                      .processors = t->processors ? t->processors : CG_KERNEL_GRID_PROCESSORS,
                      .fast = t->fast,
                      .debug = t->debug };
}

const char *
cg_ptx_name(ir_arena *a, const char *fn, const char *kernel)
{
    char *name = ir_format(a, "%s_%s", fn, kernel);

    for (char *c = name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
    return name;
}

static cg_val
add_insn(cg_kernel *k, cg_region *r, cg_insn x)
{
    IR_PUSH(k->arena, k->insn, k->n_insns, k->cap_insns, x);
    cg_val v = k->n_insns - 1;
    if (r)
        IR_PUSH(k->arena, r->insn, r->n, r->cap, v);
    return v;
}

static cg_val
add_i64(cg_kernel *k, cg_region *r, int64_t x)
{
    return add_insn(k, r, (cg_insn){ .op = SC_const, .type = COT_I64, .imm = (uint64_t)x });
}

static cg_val
add_op(cg_kernel *k, cg_region *r, ir_sc_op op, cg_val x, cg_val y)
{
    return add_insn(k, r, (cg_insn){ .op = (uint8_t)op, .type = COT_I64, .in = { x, y } });
}

/* A block loop of n threads around a region; it is not in any list yet. */
static cg_val
add_block_loop(cg_kernel *k, cg_val zero, cg_val n, cg_region body)
{
    cg_block *x = IR_NEW(k->arena, cg_block);
    cg_val v = add_insn(k, NULL, (cg_insn){ .op = CG_LOOP, .block = x });

    *x = (cg_block){ .kind = CG_BLOCK, .lo = zero, .hi = n, .step = 1, .body = body };
    x->var = add_insn(k, NULL, (cg_insn){ .op = CG_VAR, .type = COT_I64, .in = { v } });
    return v;
}

static void
prepend(cg_kernel *k, cg_region *to, const cg_region *first)
{
    cg_region all = { .mark = to->mark };

    for (uint32_t i = 0; i < first->n; i++)
        IR_PUSH(k->arena, all.insn, all.n, all.cap, first->insn[i]);
    for (uint32_t i = 0; i < to->n; i++)
        IR_PUSH(k->arena, all.insn, all.n, all.cap, to->insn[i]);
    *to = all;
}

typedef struct survey {
    int parallel, threads;      /* number of loops, at any depth */
} survey;

static void
survey_region(const cg_kernel *k, const cg_region *r, survey *s)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const cg_block *x = k->insn[r->insn[i]].block;
        if (!x)
            continue;
        if (k->insn[r->insn[i]].op == CG_LOOP) {
            s->parallel += x->kind == CG_PARALLEL;
            s->threads += x->kind >= CG_GRID && x->kind <= CG_LANES;
        }
        survey_region(k, &x->body, s);
        survey_region(k, &x->other, s);
    }
}

/* The parallel loop of k, if it is surrounded by plain arithmetic only. */
static cg_val
whole_loop(const cg_kernel *k)
{
    cg_val loop = 0;

    for (uint32_t i = 0; i < k->body.n; i++) {
        const cg_insn *p = &k->insn[k->body.insn[i]];
        bool parallel = p->op == CG_LOOP && p->block->kind == CG_PARALLEL;
        if (parallel ? p->block->n > 0 : p->block || p->op >= CG_STORE)
            return 0;
        loop = parallel ? k->body.insn[i] : loop;
    }
    return loop;
}

/* Let thread t of block b run iteration lo + step (T b + t). */
static void
split_loop(cg_kernel *k, cg_val loop)
{
    cg_block *x = k->insn[loop].block;
    const int64_t n = cg_extent(k, x),
                  T = k->module->n_open ? CG_BLOCK_THREADS : cg_block_threads(n);
    const cg_val i = x->var, lo = x->lo;
    cg_region head = { 0 }, outer = { 0 };

    /* Constants, then the loop; arithmetic after the loop is dropped, since nothing uses it. */
    uint32_t at = 0;
    while (k->body.insn[at] != loop)
        at++;
    k->body.n = at;
    cg_val zero = add_i64(k, &k->body, 0), threads = add_i64(k, &k->body, T),
           all = add_i64(k, &k->body, n);
    cg_val blocks = add_i64(k, &k->body, (n + T - 1) / T), step = add_i64(k, &k->body, x->step);
    IR_PUSH(k->arena, k->body.insn, k->body.n, k->body.cap, loop);

    x->var = add_insn(k, NULL, (cg_insn){ .op = CG_VAR, .type = COT_I64, .in = { loop } });
    cg_val first = add_op(k, &outer, SC_mul, x->var, threads);
    cg_val block = add_block_loop(k, zero, threads, x->body);
    cg_block *inner = k->insn[block].block;
    if (n % T || k->module->n_open)
        inner->limit = add_op(k, &outer, SC_sub, all, first);
    cg_val t = add_op(k, &head, SC_add, first, inner->var);
    if (x->step != 1)
        t = add_op(k, &head, SC_mul, t, step);
    k->insn[i] = (cg_insn){ .op = SC_add, .type = COT_I64, .in = { t, lo } };
    IR_PUSH(k->arena, head.insn, head.n, head.cap, i);
    prepend(k, &inner->body, &head);
    IR_PUSH(k->arena, outer.insn, outer.n, outer.cap, block);
    x->body = outer;
    x->kind = CG_GRID;
    x->lo = zero;
    x->hi = blocks;
    x->step = 1;
}

static void
make_serial(cg_kernel *k)
{
    for (cg_val v = 1; v < k->n_insns; v++)
        if (k->insn[v].op == CG_LOOP && k->insn[v].block->kind == CG_PARALLEL)
            k->insn[v].block->kind = CG_SERIAL;
}

void
cg_grid_schedule(cg_kernel *k)
{
    survey s = { 0 };
    cg_val loop;

    survey_region(k, &k->body, &s);
    if (s.threads)
        return;
    loop = s.parallel == 1 ? whole_loop(k) : 0;
    if (loop && cg_extent(k, k->insn[loop].block) > 0) {
        split_loop(k, loop);
        return;
    }
    make_serial(k);
    cg_region all = k->body;
    k->body = (cg_region){ 0 };
    cg_val zero = add_i64(k, &k->body, 0), one = add_i64(k, &k->body, 1);
    cg_val block = add_block_loop(k, zero, one, all);
    IR_PUSH(k->arena, k->body.insn, k->body.n, k->body.cap, block);
}

void
cg_grid_predicate(cg_kernel *k, uint32_t buffer)
{
    cg_block *x = IR_NEW(k->arena, cg_block);

    *x = (cg_block){ .body = k->body };
    k->body = (cg_region){ 0 };
    cg_val zero = add_i64(k, &k->body, 0);
    const cg_insn word = { .op = CG_LOAD, .type = COT_BOOL, .imm = buffer, .in = { zero } };
    x->cond = add_insn(k, &k->body, word);
    add_insn(k, &k->body, (cg_insn){ .op = CG_IF, .block = x });
}
