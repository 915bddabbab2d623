/* Kernels that break one rule about loops, by the message that refuses each: which loop may
 * stand in which, how far an extent may go, what the loop of each kind yields. */
#include "tests/unit/malformed.h"

#include "codegen/kernel/tensor.h"

/* -- loops -- */

static void
step_of(int step)
{
    cg_val l = cg_loop_begin(&b, CG_SERIAL, number(0), number(4), 1, 0);

    end(l);
    k->insn[l].block->step = step;
}

#define IN(outer, inner) ((outer) * 16 + (inner))

/* One kind in another, each of two iterations. */
static void
nested(int kinds)
{
    cg_val l = loop((cg_kind)(kinds / 16), 2), i = loop((cg_kind)(kinds % 16), 2);

    cg_store(&b, y, cg_iadd(&b, var(i), cg_imul(&b, var(l), 2)), number(1), 0);
    end(i);
    end(l);
}

static void
three_deep(int inner)
{
    cg_val l = loop(CG_WARPS, 2), i = loop(CG_LANES, 2), j = loop((cg_kind)inner, 2);

    cg_store(&b, y,
             cg_iadd(&b, var(j), cg_iadd(&b, cg_imul(&b, var(i), 2), cg_imul(&b, var(l), 4))),
             number(1), 0);
    end(j);
    end(i);
    end(l);
}

/* Loops behind one another: what one loop is, the next is not in. */
static void
in_sequence(int kinds)
{
    cg_val l = loop((cg_kind)(kinds / 16), 2);

    cg_store(&b, y, var(l), number(1), 0);
    end(l);
    cg_val i = loop((cg_kind)(kinds % 16), 2);
    cg_store(&b, y, var(i), number(1), 0);
    end(i);
}

static void
limited(int kind)
{
    cg_val l = cg_loop_begin(&b, (cg_kind)kind, number(0), number(4), 1, number(3));

    cg_store(&b, y, var(l), number(1), 0);
    end(l);
}

static void
limit_varies(int varies)
{
    cg_val u = loop(CG_UNROLL, 2), from = varies ? var(u) : read(number(0));
    cg_val l =
        cg_loop_begin(&b, CG_VECTOR, number(0), number(4), 1, cg_iadd(&b, from, number(1)));

    cg_store(&b, y, cg_iadd(&b, var(l), cg_imul(&b, var(u), 4)), number(1), 0);
    end(l);
    end(u);
}

static void
bound_varies(int varies)
{
    cg_val u = loop(CG_UNROLL, 2);
    cg_val l = cg_loop_begin(&b, CG_SERIAL, number(0), varies ? var(u) : number(2), 1, 0);

    cg_store(&b, y, cg_iadd(&b, var(l), cg_imul(&b, var(u), 2)), number(1), 0);
    end(l);
    end(u);
}

static void
until_a_value(int kind)
{
    cg_val l = cg_loop_begin(&b, (cg_kind)kind, number(0),
                             cg_imin(&b, read(number(0)), number(4)), 1, 0);

    cg_store(&b, y, var(l), number(1), 0);
    end(l);
}

static void
extent(cg_kind kind, int n)
{
    cg_val l = loop(kind, n);

    cg_store(&b, y, var(l), number(1), 0);
    end(l);
}

static void
lanes_of_a_vector(int n)
{
    extent(CG_VECTOR, n);
}

static void
copies(int n)
{
    extent(CG_UNROLL, n);
}

static void
threads(int n)
{
    extent(CG_BLOCK, n);
}

static void
warps(int n)
{
    extent(CG_WARPS, n);
}

static void
lanes_of_a_warp(int n)
{
    extent(CG_LANES, n);
}

static void
levels(int n)
{
    cg_val l[40];

    for (int i = 0; i < n; i++)
        l[i] = loop(CG_UNROLL, 1);
    put(number(1));
    while (n)
        end(l[--n]);
}

static void
barrier_in(int kind)
{
    cg_val l = loop((cg_kind)kind, 2);

    cg_barrier(&b);
    end(l);
}

static void
fails(int kind)
{
    cg_val l = kind ? loop((cg_kind)kind, 2) : 0,
           f = cg_load(&b, flags, l ? var(l) : number(0), 0);

    cg_fail_if(&b, kind == CG_SERIAL ? f : flag(), COT_ERR_BOUND);
    if (l)
        end(l);
}

/* A thread loop that fetches one element each to shared memory, of 1, 2, 4 or 8 bytes. */
static void
fetches(int bytes, cg_space to, cot_dtype other)
{
    static const cot_dtype type[] = {
        [1] = COT_U8, [2] = COT_U16, [4] = COT_U32, [8] = COT_U64
    };
    cg_kernel *part = cg_kernel_new(m, "part");
    cg_build p;

    cg_begin(&p, part);
    uint32_t from = cg_buffer_add(part, "from", other ? other : type[bytes], CG_IN, 64),
             shared = cg_buffer_add(part, "shared", type[bytes], to, 64);
    part->buffer[from].align = part->buffer[shared].align = 16;
    cg_val l = cg_loop_begin(&p, CG_BLOCK, cg_i64(&p, 0), cg_i64(&p, 4), 1, 0);
    cg_val at = cg_imul(&p, cg_loop_var(&p, l), 16);
    cg_fetch_some(&p, shared, at, from, at, 0, 1);
    cg_commit(&p);
    cg_arrive(&p, 0);
    cg_loop_end(&p, l);
}

static void
fetches_one(int bytes)
{
    fetches(bytes, CG_SHARED, COT_DTYPE_NONE);
}

static void
fetches_to(int space)
{
    fetches(4, (cg_space)space, COT_DTYPE_NONE);
}

static void
fetches_from(int type)
{
    fetches(4, CG_SHARED, (cot_dtype)type);
}

/* -- what a loop yields -- */

static void
carries(int kind)
{
    cg_val l = loop((cg_kind)kind, 4), c = cg_loop_carry(&b, l, COT_I64, number(0));

    cg_loop_next(&b, l, c, cg_iadd(&b, c, read(var(l))));
    end(l);
    put(cg_loop_result(&b, l, 0));
}

static void
reduces(cg_kind kind, cg_mode mode, int n)
{
    cg_val l = loop(kind, n);

    cg_loop_reduce(&b, l, mode, SC_add, COT_I64, read(var(l)));
    end(l);
    put(cg_loop_result(&b, l, 0));
}

static void
folds(int kind)
{
    reduces((cg_kind)kind, CG_FOLD, 4);
}

static void
trees(int kind)
{
    reduces((cg_kind)kind, CG_TREE, 4);
}

static void
folds_so_many(int n)
{
    reduces(CG_SERIAL, CG_FOLD, n);
}

static void
tree_of_threads(int n)
{
    reduces(CG_PARALLEL, CG_TREE, n);
}

static void
folds_until_a_value(int value)
{
    cg_val hi = value ? cg_imin(&b, read(number(0)), number(4)) : number(4);
    cg_val l = cg_loop_begin(&b, CG_SERIAL, number(0), hi, 1, 0);

    cg_loop_reduce(&b, l, CG_FOLD, SC_add, COT_I64, read(var(l)));
    end(l);
    put(cg_loop_result(&b, l, 0));
}

/* Two results of one serial loop: 0 two trees, 1 a fold and a tree, 2 a carry and a tree, 3
 * a carry and a fold, 4 two folds. */
static void
mixes(int what)
{
    cg_val l = loop(CG_SERIAL, 4), v = read(var(l)), c = 0;

    if (what == 2 || what == 3) {
        c = cg_loop_carry(&b, l, COT_I64, number(0));
        cg_loop_next(&b, l, c, v);
    } else {
        cg_loop_reduce(&b, l, what == 0 ? CG_TREE : CG_FOLD, SC_add, COT_I64, v);
    }
    cg_loop_reduce(&b, l, what >= 3 ? CG_FOLD : CG_TREE, SC_max, COT_I64, v);
    end(l);
    put(cg_loop_result(&b, l, 1));
}

static const malformed_row row[] = {
    { NULL, step_of, 1 },
    { "step is not positive", step_of, 0 },
    { "step is not positive", step_of, -1 },
#define ALIKE "a parallel loop inside a parallel or SPMD loop"
    { ALIKE, nested, IN(CG_PARALLEL, CG_PARALLEL) },
    { ALIKE, nested, IN(CG_UNROLL, CG_PARALLEL) },
    { ALIKE, nested, IN(CG_VECTOR, CG_PARALLEL) },
    { NULL, nested, IN(CG_SERIAL, CG_PARALLEL) },
    { NULL, nested, IN(CG_PARALLEL, CG_VECTOR) },
    { NULL, nested, IN(CG_UNROLL, CG_VECTOR) },
    { NULL, nested, IN(CG_VECTOR, CG_UNROLL) },
    { "vector loop inside a vector loop", nested, IN(CG_VECTOR, CG_VECTOR) },
    { NULL, in_sequence, IN(CG_PARALLEL, CG_PARALLEL) },
    { NULL, in_sequence, IN(CG_VECTOR, CG_PARALLEL) },
    { NULL, in_sequence, IN(CG_VECTOR, CG_VECTOR) },
    { NULL, limited, CG_VECTOR },
    { NULL, limited, CG_LANES },
    { "limit of a loop that is not a vector loop", limited, CG_SERIAL },
    { "limit of a loop that is not a vector loop", limited, CG_PARALLEL },
    { "limit of a loop that is not a vector loop", limited, CG_UNROLL },
    { "limit of a grid loop", limited, CG_GRID },
    { NULL, limit_varies, 0 },
    { "operand varies over lanes", limit_varies, 1 },
    { NULL, bound_varies, 0 },
    { "operand varies over lanes", bound_varies, 1 },
    { NULL, until_a_value, CG_SERIAL },
    { "SPMD loop without a constant extent", until_a_value, CG_UNROLL },
    { "SPMD loop without a constant extent", until_a_value, CG_VECTOR },
    { "SPMD loop without a constant extent", copies, 0 },
    { NULL, copies, 1 },
    { "SPMD loop without a constant extent", lanes_of_a_vector, 0 },
    { NULL, lanes_of_a_vector, 1 },
    { "vector extent not a power of two <= 256", lanes_of_a_vector, 12 },
    { NULL, lanes_of_a_vector, 256 },
    { "vector extent not a power of two <= 256", lanes_of_a_vector, 512 },
    { NULL, levels, 32 },
    { "SPMD loops nest too deep", levels, 33 },

#define THREADS "a grid or thread loop without a constant extent"
#define OUTER   "a grid loop that is not the only outermost one"
    { THREADS, until_a_value, CG_GRID },
    { THREADS, until_a_value, CG_BLOCK },
    { THREADS, threads, 0 },
    { NULL, threads, 1 },
    { NULL, threads, 1024 },
    { "a thread loop of too many threads", threads, 1025 },
    { NULL, warps, 32 },
    { "a thread loop of too many threads", warps, 33 },
    { NULL, lanes_of_a_warp, 32 },
    { "a thread loop of too many threads", lanes_of_a_warp, 33 },
    { "a grid or thread loop inside a parallel or SPMD loop", nested,
      IN(CG_PARALLEL, CG_BLOCK) },
    { "a grid or thread loop inside a parallel or SPMD loop", nested, IN(CG_UNROLL, CG_GRID) },
    { NULL, nested, IN(CG_GRID, CG_BLOCK) },
    { NULL, nested, IN(CG_GRID, CG_SERIAL) },
    { OUTER, nested, IN(CG_SERIAL, CG_GRID) },
    { OUTER, nested, IN(CG_GRID, CG_GRID) },
    { OUTER, in_sequence, IN(CG_GRID, CG_GRID) },
    { NULL, nested, IN(CG_WARPS, CG_LANES) },
    { "a thread loop inside another", nested, IN(CG_LANES, CG_WARPS) },
    { "a thread loop inside another", nested, IN(CG_BLOCK, CG_LANES) },
    { "a thread loop inside another", nested, IN(CG_BLOCK, CG_BLOCK) },
    { "a thread loop inside another", nested, IN(CG_WARPS, CG_WARPS) },
    { "a thread loop inside another", three_deep, CG_LANES },
    { NULL, three_deep, CG_SERIAL },
    { NULL, in_sequence, IN(CG_BLOCK, CG_BLOCK) },
    { NULL, in_sequence, IN(CG_LANES, CG_WARPS) },
    { NULL, barrier_in, CG_WARPS },
    { "a barrier among lanes", barrier_in, CG_LANES },
    { NULL, fails, 0 },
    { "failure inside a parallel or SPMD loop", fails, CG_PARALLEL },
    { "failure inside a parallel or SPMD loop", fails, CG_UNROLL },

    { "a copy of an unsupported size", fetches_one, 1 },
    { "a copy of an unsupported size", fetches_one, 2 },
    { NULL, fetches_one, 4 },
    { NULL, fetches_one, 8 },
    { "a buffer of the wrong memory space", fetches_to, CG_LOCAL },
    { NULL, fetches_from, COT_U32 },
    { "a copy between different types", fetches_from, COT_F32 },

#define MODES "modes of results do not mix"
    { NULL, carries, CG_SERIAL },
    { "an SPMD loop yields only folds", carries, CG_UNROLL },
    { "an SPMD loop yields only folds", carries, CG_VECTOR },
    { "a parallel, grid or thread loop has no carries", carries, CG_PARALLEL },
    { "a parallel, grid or thread loop has no carries", carries, CG_GRID },
    { "a parallel, grid or thread loop has no carries", carries, CG_LANES },
    { NULL, trees, CG_SERIAL },
    { NULL, trees, CG_PARALLEL },
    { NULL, trees, CG_WARPS },
    { "warps yield trees, lanes folds", trees, CG_LANES },
    { "an SPMD loop yields only folds", trees, CG_UNROLL },
    { "a grid or block loop yields nothing", trees, CG_GRID },
    { "a grid or block loop yields nothing", trees, CG_BLOCK },
    { NULL, folds, CG_SERIAL },
    { NULL, folds, CG_UNROLL },
    { NULL, folds, CG_VECTOR },
    { NULL, folds, CG_LANES },
    { "warps yield trees, lanes folds", folds, CG_WARPS },
    { "a parallel loop does not fold", folds, CG_PARALLEL },
    { NULL, folds_so_many, 1 },
    { NULL, folds_so_many, 64 },
    { "fold: extent not a power of two <= 64", folds_so_many, 0 },
    { "fold: extent not a power of two <= 64", folds_so_many, 12 },
    { "fold: extent not a power of two <= 64", folds_so_many, 128 },
    { NULL, folds_until_a_value, 0 },
    { "fold: extent not a power of two <= 64", folds_until_a_value, 1 },
    { NULL, tree_of_threads, 4096 },
    { "parallel tree: extent not constant <= 4096", tree_of_threads, 4097 },
    { NULL, mixes, 0 },
    { MODES, mixes, 1 },
    { MODES, mixes, 2 },
    { MODES, mixes, 3 },
    { NULL, mixes, 4 },
};
enum { ROWS = sizeof row / sizeof *row };

START_TEST(one_rule)
{
    malformed_check(row, _i);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = { EACH(one_rule, ROWS) };

    return SUITE_WITH("malformed_loops", cases, setup, teardown);
}
