/* Kernels built by hand, compiled as C source: forms of the kernel language that the C emitter
 * takes and that the lowering of graphs seldom makes. */
#include "codegen/backend.h"
#include "runtime/support/pool.h"
#include "tests/unit/suite.h"

enum { N = 64, MAX_ARGS = 32 };

static ir_arena arena;
static cg_module *m;
static cg_kernel *k;
static cg_build b;
static void *args[MAX_ARGS];
static int32_t in[N], index_of[N], out[8][N];

static void
setup(void)
{
    suite_begin();
    ir_arena_init(&arena, ctx);
    m = cg_module_new(ctx, &arena, "test");
    k = cg_kernel_new(m, "main");
    cg_begin(&b, k);
    for (int i = 0; i < N; i++) {
        in[i] = 3 * i + 1;
        index_of[i] = i * 5 % 8 + i / 8 * 8;
        for (int j = 0; j < 8; j++)
            out[j][i] = -1;
    }
}

static void
teardown(void)
{
    ir_arena_free(&arena);
    suite_end();
}

/* A buffer of the entry, for the data that the caller has. */
static uint32_t
buffer(const char *name, cg_space space, void *data)
{
    const uint32_t i = cg_buffer_add(k, name, COT_I32, space, N);

    args[m->n_args] = data;
    k->buffer[i].arg = m->n_args++;
    return i;
}

static cg_val
loop(cg_kind kind, int64_t lo, int64_t hi, int64_t step)
{
    return cg_loop_begin(&b, kind, cg_i64(&b, lo), cg_i64(&b, hi), step, 0);
}

static void
run(int vector_bits, cot_parallel *pool)
{
    cg_target t = { .vector_bits = vector_bits };
    cg_code code = { 0 };

    if (pool)
        args[m->n_args] = pool;
    ck_assert_msg(cg_verify(m) == COT_OK, "%s", cot_error(ctx));
    ck_assert_msg(cg_c()->target(ctx, &t) == COT_OK, "%s", cot_error(ctx));
    ck_assert_msg(cg_c()->load(ctx, &t, m, &code) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(code.entry(args, NULL), 0);
    cg_c()->unload(&code);
}

/* The source of the entry, as the caller of `cot build --c` gets it. */
static const char *
source(int vector_bits)
{
    cg_target t = { .vector_bits = vector_bits };
    const cg_natural fn = { .name = "f", .module = m, .n_in = m->n_args - 1, .n_out = 1 };
    const void *bytes;
    size_t size;

    ck_assert_msg(cg_c()->target(ctx, &t) == COT_OK, "%s", cot_error(ctx));
    ck_assert_msg(cg_c()->emit(ctx, &t, CG_TO_C, 1, &fn, &arena, &bytes, &size) == COT_OK, "%s",
                  cot_error(ctx));
    return ir_format(&arena, "%.*s", (int)size, (const char *)bytes);
}

/* Its functions, behind what the file begins with. */
static const char *
function(const char *text)
{
    const char *const at = strstr(text, "#if COT_LANES ==");

    ck_assert(at != NULL);
    return at;
}

/* The variable of a loop that runs once is a number, and so is what these ops make of it: a
 * loop inside that runs once by such bounds is its body alone. */
static const struct {
    ir_sc_op op;
    int64_t by, want; /* 3 op by */
} bound[] = {
    { SC_add, 4, 7 }, { SC_sub, 1, 2 }, { SC_mul, 5, 15 }, { SC_min, 2, 2 },
    { SC_min, 9, 3 }, { SC_max, 2, 3 }, { SC_max, 9, 9 },
};

START_TEST(loops_that_run_once_are_their_bodies)
{
    enum { ROWS = sizeof bound / sizeof *bound };
    const uint32_t y = buffer("y", CG_OUT, out);
    const cg_val once = loop(CG_SERIAL, 3, 4, 1), i = cg_loop_var(&b, once);

    for (int r = 0; r < ROWS; r++) {
        const cg_val hi = cg_insn2(&b, bound[r].op, COT_I64, i, cg_i64(&b, bound[r].by)),
                     l = cg_loop_begin(&b, CG_SERIAL, cg_i64(&b, 0), hi, bound[r].want, 0);
        cg_store(&b, y, cg_iadd(&b, cg_loop_var(&b, l), cg_i64(&b, r)),
                 cg_insn1(&b, SC_cvt, COT_I32, hi), 0);
        cg_loop_end(&b, l);
    }
    cg_loop_end(&b, once);
    ck_assert_msg(!strstr(function(source(32)), "for ("), "%.2000s", function(source(32)));
    run(32, NULL);
    for (int r = 0; r < ROWS; r++)
        ck_assert_int_eq(out[0][r], bound[r].want);
}
END_TEST

/* What a part reads of the function around it: a parameter, a value that only the instruction
 * before a dead one reads, and a buffer of its own. */
START_TEST(parts_have_what_they_read)
{
    cg_kernel *const part = cg_kernel_new(m, "shifted");
    const uint32_t px = cg_buffer_add(part, "x", COT_I32, CG_IN, N),
                   py = cg_buffer_add(part, "y", COT_I32, CG_OUT, N),
                   pl = cg_buffer_add(part, "own", COT_I32, CG_LOCAL, 1);
    const uint32_t x = buffer("x", CG_IN, in), y = buffer("y", CG_OUT, out);
    cot_parallel *const pool = _i ? cot_rt_pool_new(2) : NULL;
    cg_build p;

    cg_begin(&p, part);
    const cg_val zero = cg_i64(&p, 0), first = cg_load(&p, px, zero, 0),
                 l = cg_loop_begin(&p, CG_PARALLEL, zero, cg_i64(&p, N / 2), 1, 0),
                 i = cg_loop_var(&p, l),
                 at = cg_load(&p, px, cg_iadd(&p, i, cg_param(&p, 0)), 0),
                 sum = cg_insn2(&p, SC_add, COT_I32, at, first);
    cg_insn2(&p, SC_mul, COT_I32, sum, at); /* nobody reads it */
    cg_store(&p, pl, zero, sum, 0);
    cg_store(&p, py, i, cg_load(&p, pl, zero, 0), 0);
    cg_loop_end(&p, l);

    m->parallel = true;
    cg_call_kernel(&b, 1, (uint32_t[]){ x, y }, NULL, 1, (cg_val[]){ cg_i64(&b, 7) });
    const char *const text = function(source(32));
    ck_assert_msg(strstr(text, "    const int64_t p0 = part->p0;\n"), "%.2000s", text);
    run(32, pool);
    for (int j = 0; j < N; j++)
        ck_assert_int_eq(out[0][j], j < N / 2 ? in[j + 7] + in[0] : -1);
    if (pool)
        cot_rt_pool_free(pool);
}
END_TEST

/* Lanes that are stored wherever an index says, all or those that a mask has: an index from
 * memory, and one whose lanes are a number and constants that are not in even steps. */
START_TEST(lanes_are_stored_where_each_belongs)
{
    const uint32_t x = buffer("x", CG_IN, in), to = buffer("to", CG_IN, index_of);
    const cg_val each = loop(CG_SERIAL, 0, N, 8), l = loop(CG_VECTOR, 0, 8, 1),
                 lane = cg_loop_var(&b, l), i = cg_iadd(&b, cg_loop_var(&b, each), lane),
                 v = cg_load(&b, x, i, 0),
                 below = cg_insn2(&b, SC_lt, COT_I32, v, cg_const(&b, COT_I32, 100)),
                 at = cg_insn1(&b, SC_cvt, COT_I64, cg_load(&b, to, i, 0)),
                 from_memory = cg_insn2(&b, SC_max, COT_I64, cg_imin(&b, at, cg_i64(&b, N - 1)),
                                        cg_i64(&b, 0)),
                 constants =
                     cg_iadd(&b, cg_loop_var(&b, each), cg_imod(&b, cg_imul(&b, lane, 5), 8));

    /* narrow lanes: one from memory, and a number and constants that do not begin with 0 */
    const cg_val turned =
                     cg_iadd(&b, cg_loop_var(&b, each),
                             cg_imod(&b, cg_iadd(&b, cg_imul(&b, lane, 5), cg_i64(&b, 3)), 8)),
                 least = cg_imin(&b, from_memory, turned);
    cg_store(&b, buffer("z", CG_OUT, out[4]), i, cg_load(&b, x, least, 0), 0);
    for (int j = 0; j < 4; j++)
        cg_store(&b, buffer("y", CG_OUT, out[j]), j < 2 ? from_memory : constants, v,
                 j % 2 ? below : 0);
    cg_loop_end(&b, l);
    cg_loop_end(&b, each);
    run(128, NULL);
    for (int n = 0; n < N; n++) {
        const int other = n / 8 * 8 + (n % 8 * 5 + 3) % 8;
        ck_assert_int_eq(out[4][n], in[index_of[n] < other ? index_of[n] : other]);
    }
    for (int j = 0; j < 4; j++)
        for (int n = 0; n < N; n++)
            ck_assert_int_eq(out[j][index_of[n]], j % 2 && in[n] >= 100 ? -1 : in[n]);
}
END_TEST

/* -- loops that lanes leave one by one -- */

/* Copies of lanes that do not take the branch around a while leave it alone: its condition
 * reads memory that they do not have.  A lane that is done keeps what it has. */
START_TEST(while_in_a_branch_of_copies)
{
    int32_t place[N] = { 3, 3 };
    const uint32_t x = buffer("x", CG_IN, in), from = buffer("from", CG_IN, place),
                   y = buffer("y", CG_OUT, out);
    const cg_val u = loop(CG_UNROLL, 0, 2, 1), l = loop(CG_VECTOR, 0, 8, 1),
                 lane = cg_loop_var(&b, l), zero = cg_const(&b, COT_I32, 0),
                 at = cg_insn1(&b, SC_cvt, COT_I64, cg_load(&b, from, cg_loop_var(&b, u), 0)),
                 starts = cg_insn2(&b, SC_le, COT_I64, cg_i64(&b, 0), at),
                 ends = cg_insn2(&b, SC_le, COT_I64, at, cg_i64(&b, N - 8)),
                 branch = cg_if_begin(&b, cg_insn2(&b, SC_and, COT_BOOL, starts, ends)),
                 w = cg_while_begin(&b), n = cg_while_carry(&b, w, COT_I32, zero),
                 most = cg_load(&b, x, cg_iadd(&b, at, lane), 0);

    cg_while_test(&b, w, cg_insn2(&b, SC_lt, COT_I32, n, most));
    cg_while_next(&b, w, n, cg_insn2(&b, SC_add, COT_I32, n, cg_const(&b, COT_I32, 1)));
    cg_while_end(&b, w);
    cg_store(&b, y, cg_iadd(&b, cg_imul(&b, cg_loop_var(&b, u), 8), lane),
             cg_loop_result(&b, w, 0), 0);
    cg_if_end(&b, branch);
    cg_loop_end(&b, l);
    cg_loop_end(&b, u);
    for (int i = 0; i < N; i++)
        in[i] = i * 7 % 5;
    place[_i % 2] = _i % 4 < 2 ? INT32_MAX - N : N - 8;
    run(_i < 4 ? 128 : 32, NULL);
    for (int i = 0; i < N; i++) {
        const bool stored = i < 16 && place[i / 8] <= N - 8;
        ck_assert_int_eq(out[0][i], stored ? in[place[i / 8] + i % 8] : -1);
    }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(loops_that_run_once_are_their_bodies),
        EACH(parts_have_what_they_read, 2),
        ONCE(lanes_are_stored_where_each_belongs),
        EACH(while_in_a_branch_of_copies, 8),
    };

    return SUITE_WITH("c_kernels", cases, setup, teardown);
}
