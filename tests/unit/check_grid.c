/* Grid schedules: programs large enough for each of their forms against the reference
 * evaluator, what PTX says of them, and the mistakes that the simulator finds in kernels
 * built by hand. */
#include "grid_suite.h"
#include "runtime/check.h"

/* -- programs ------------------------------------------------------------------------------ */

#define SOFTMAX(n)                                                                  \
    "fn @f(%x: f32[3," n "]) -> f32[3," n "] {\n"                                   \
    "  %0 = reduce_max %x {axes=[1]} : f32[3]\n"                                    \
    "  %1 = broadcast_in_dim %0 {shape=[3," n "], dims=[0]} : f32[3," n "]\n"       \
    "  %2 = sub %x, %1 : f32[3," n "]\n"                                            \
    "  %3 = exp %2 : f32[3," n "]\n"                                                \
    "  %4 = reduce_sum %3 {axes=[1]} : f32[3]\n"                                    \
    "  %5 = broadcast_in_dim %4 {shape=[3," n "], dims=[0]} : f32[3," n "]\n"       \
    "  %6 = div %3, %5 : f32[3," n "]\n"                                            \
    "  ret %6\n}\n"
#define ONE(in, out, line)                                                                     \
    "fn @f(" in ") -> " out " {\n  %0 = " line " : " out "\n  ret %0\n}\n"
#define DOT(x, y, out, dims)                                                                   \
    ONE("%x: " x ", %y: " y, out, "dot_general %x, %y {" dims ", lhs_batch=[], rhs_batch=[]}")
#define PRODUCT(m, k, n)                                                                       \
    DOT("f32[" m "," k "]", "f32[" k "," n "]", "f32[" m "," n "]", "lhs=[1], rhs=[0]")

/* ptx: what the text of the module must have. */
static const struct {
    const char *text, *ptx[4];
} program[] = {
    { SOFTMAX("100"), { "shfl.sync.bfly.b32", "bar.warp.sync" } },
    { SOFTMAX("1500"), { "shfl.sync.bfly.b32", "bar.sync", "st.shared" } },
    { SOFTMAX("20000"), { "shfl.sync.bfly.b32", "bar.sync" } },
    { ONE("%x: f32[64,64], %y: f32[64,64]", "f32[64,64]", "add %x, %y"),
      { "ld.global.nc.v4.f32", "add.rn.f32", "st.global.v4.f32" } },
    { ONE("%x: f64[3000]", "f64[3000]", "tanh %x"), { "fma.rn.f64" } },
    { ONE("%x: f16[4096]", "f16[4096]", "exp %x"), { "fma.rn.f32" } },
    { ONE("%x: f32[130,70]", "f32[70,130]", "transpose %x {perm=[1,0]}"), { "st.global" } },
    { ONE("%x: f32[96,2,64]", "f32[64,2,96]", "transpose %x {perm=[2,1,0]}"),
      { "ld.global.nc.v4.f32", "st.global.v4.f32" } },
    { ONE("%x: f32[70000]", "f32[]", "reduce_sum %x {axes=[0]}"), { "shfl.sync.bfly.b32" } },
    { ONE("%x: f64[5,2000]", "f64[5]", "reduce_prod %x {axes=[1]}"), { "mul.rn.f64" } },
    { ONE("%x: f32[700,300]", "f32[300]", "reduce_sum %x {axes=[0]}"), { "add.rn.f32" } },
    { ONE("%x: f32[2100,70]", "f32[70]", "reduce_sum %x {axes=[0]}"), { "add.rn.f32" } },
    { ONE("%x: bf16[60,50,33]", "bf16[33]", "reduce_sum %x {axes=[0,1]}"), { "add.rn.f32" } },
    { ONE("%x: i32[3000,5]", "i32[5]", "reduce_max %x {axes=[0]}"), { "max.s32" } },
    { ONE("%x: f64[130000,2]", "f64[2]", "reduce_prod %x {axes=[0]}"), { "mul.rn.f64" } },
    { ONE("%x: f32[4,3000]", "i32[4]", "argmax %x {axis=1}"), { "shfl.sync.bfly.b32" } },
    { ONE("%x: i8[4,3000]", "i8[4]", "reduce_max %x {axes=[1]}"), { "shfl.sync.bfly.b32" } },
    { PRODUCT("70", "33", "66"), { "ld.shared", "bar.sync", "fma.rn.f32" } },
    { PRODUCT("64", "600", "64"), { "ld.shared.v4.f32", "bar.sync", "fma.rn.f32" } },
    { PRODUCT("5", "600", "7"), { "fma.rn.f32" } },
    { PRODUCT("96", "48", "100"), { "cp.async.cg.shared.global", "cp.async.wait_group 0" } },
    { DOT("f32[290,68]", "f32[290,72]", "f32[68,72]", "lhs=[0], rhs=[0]"),
      { "cp.async.cg.shared.global", "fma.rn.f32" } },
    { DOT("f64[64,34]", "f64[34,66]", "f64[64,66]", "lhs=[1], rhs=[0]"),
      { "cp.async.ca.shared.global", "cp.async.cg.shared.global" } },
    { DOT("f16[70,40]", "f16[66,40]", "f16[70,66]", "lhs=[1], rhs=[1]"),
      { "ld.shared.v4.f32" } },
    { ONE("%x: f32[3,64,40], %y: f32[3,40,65]", "f32[3,64,65]",
          "dot_general %x, %y {lhs=[2], rhs=[1], lhs_batch=[0], rhs_batch=[0]}"),
      { "cp.async.ca.shared.global" } },
    { DOT("f32[9,7,64]", "f32[7,80,9]", "f32[64,80]", "lhs=[0,1], rhs=[2,0]"), { "cp.async" } },
    { DOT("f64[65,40]", "f64[80,40]", "f64[65,80]", "lhs=[1], rhs=[1]"),
      { "ld.shared", "fma.rn.f64" } },
    { DOT("i32[64,20]", "i32[20,64]", "i32[64,64]", "lhs=[1], rhs=[0]"), { "ld.shared" } },
    { DOT("bf16[64,20]", "bf16[20,64]", "bf16[64,64]", "lhs=[1], rhs=[0]"),
      { "ld.shared", "fma.rn.f32" } },
    { DOT("f32[9,5000]", "f32[5000]", "f32[9]", "lhs=[1], rhs=[0]"), { "shfl.sync.bfly.b32" } },
    { DOT("f32[300,600]", "f32[600]", "f32[300]", "lhs=[1], rhs=[0]"),
      { "shfl.sync.bfly.b32" } },
    { DOT("f32[70000]", "f32[70000]", "f32[]", "lhs=[0], rhs=[0]"), { "shfl.sync.bfly.b32" } },
    { ONE("%x: f32[3000]", "f32[3000]", "cumsum %x {axis=0}"), { "add.rn.f32" } },
    { ONE("%x: f32[3,5000]", "f32[3,5000]", "cumsum %x {axis=1}"), { "add.rn.f32" } },
    { ONE("%x: f32[4,600]", "i32[4,600]", "argsort %x {axis=1}"), { "st.global" } },
    { ONE("%x: f32[5,1000,2]", "f32[5,1000,2]", "fft %x {inverse=false}"),
      { "bar.sync", "st.shared.f32" } },
    { ONE("%x: f64[3,64,2]", "f64[3,64,2]", "fft %x {inverse=true}"),
      { "bar.sync", "st.shared.f64" } },
    { ONE("%x: f32[2,2,3072,2]", "f32[2,2,3072,2]", "fft %x {inverse=false}"),
      { "bar.sync", "st.shared.f32" } },
    { ONE("%x: f32[2,4096,2]", "f32[2,4096,2]", "fft %x {inverse=true}"), { "st.global.f32" } },
    { ONE("%x: f64[1,3125,2]", "f64[1,3125,2]", "fft %x {inverse=false}"),
      { "st.global.f64" } },
    { ONE("%x: f32[40,48,2]", "f32[40,48,2]", "fft %x {inverse=false}"), { "st.global" } },
    { ONE("%x: f64[130,3]", "i32[130,3]", "argsort %x {axis=0}"), { "bar.sync", "st.shared" } },
    { ONE("%x: bf16[2,700], %y: i64[2,700]", "i32[2,700]", "argsort %x, %y {axis=1}"),
      { "bar.sync", "st.shared" } },
    { ONE("%x: f32[3,2048]", "i32[3,2048]", "argsort %x {axis=1}"), { "bar.sync" } },
    { ONE("%x: f32[5000]", "i32[5000]", "argsort %x {axis=0}"), { "st.global" } },
    { ONE("%x: i8[2,2100,2], %y: f64[2,2100,2]", "i32[2,2100,2]", "argsort %x, %y {axis=1}"),
      { "st.global" } },
    { ONE("%x: f32[2,40000]", "f32[2]", "reduce_sum %x {axes=[1]}"), { "shfl.sync.bfly.b32" } },
    { ONE("%x: bf16[300000]", "bf16[]", "reduce_max %x {axes=[0]}"), { "shfl.sync.bfly.b32" } },
    { ONE("%x: f32[2,2600,3]", "f32[2,2600,3]", "cumsum %x {axis=1, reverse=true}"),
      { "add.rn.f32" } },
    { ONE("%x: f32[10,7,6], %i: i32[300,2], %u: f32[2,300,3]", "f32[10,7,6]",
          "scatter_add %x, %i, %u {window_dims=[0,2], inserted=[0], operand_batch=[], "
          "indices_batch=[], index_map=[0,1]}"),
      { "add.rn.f32" } },
    { ONE("%x: f32[50,8], %i: i32[400,1], %u: f32[400,8]", "f32[50,8]",
          "scatter_add %x, %i, %u {window_dims=[1], inserted=[0], operand_batch=[], "
          "indices_batch=[], index_map=[0]}"),
      { "add.rn.f32" } },
    { ONE("%x: f32[500], %i: i32[4000,1], %u: f32[4000]", "f32[500]",
          "scatter_add %x, %i, %u {window_dims=[], inserted=[0], operand_batch=[], "
          "indices_batch=[], index_map=[0]}"),
      { "add.rn.f32" } },
    { ONE("%x: f32[500], %i: i32[4000,1], %u: f32[4000]", "f32[500]",
          "scatter %x, %i, %u {window_dims=[], inserted=[0], operand_batch=[], "
          "indices_batch=[], index_map=[0]}"),
      { "st.global" } },
};

static void
compare(const ir_graph *f, const char *text, int processors)
{
    const cot_compile_options reference = { .backend = "eval" };
    uint64_t seed = 99;
    void **in = laws_sample(f, &seed, -3, 3, laws_fill);
    void **got = laws_values(f->n_out, f->out, f), **want;

    ck_assert_msg(rt_run_graph(f, &reference, in, &want) == COT_OK, "%s", cot_error(ctx));
    ck_assert_msg(grid_run_for(f, (cg_target){ .processors = processors }, in, got) == COT_OK,
                  "%s\n%s", cot_error(ctx), text);
    for (int i = 0; i < f->n_out; i++)
        ck_assert_msg(laws_differ(ir_type_at(f, f->out[i]), want[i], got[i]) < 0,
                      "differs at %lld:\n%s",
                      (long long)laws_differ(ir_type_at(f, f->out[i]), want[i], got[i]), text);
    laws_free(f->n_in, in);
    laws_free(f->n_out, got);
}

START_TEST(schedule_gives_the_bits_of_the_evaluator)
{
    compare(parsed(program[_i].text), program[_i].text, 0);
}
END_TEST

/* Large tiles, which there are where every processor has one; a block of them has its registers
 * for itself. */
static const struct {
    const char *text, *ptx[4];
    int processors;
} tiles[] = {
    { PRODUCT("250", "21", "382"), { "cp.async.ca.shared.global", "fma.rn.f32" }, 6 },
    { PRODUCT("250", "300", "252"), { "cp.async.cg.shared.global", ".minnctapersm 1" }, 4 },
    { PRODUCT("256", "512", "128"), { "cp.async.ca.shared.global", ".minnctapersm 1" }, 2 },
};

START_TEST(tiles_that_go_round)
{
    cg_target t = { .cpu = _i % 2 ? "sm_90" : "sm_80", .processors = tiles[_i].processors };
    const char *ptx = ptx_with(parsed(tiles[_i].text), t, tiles[_i].ptx);

    compare(parsed(tiles[_i].text), tiles[_i].text, tiles[_i].processors);
    t = (cg_target){ .processors = 2 * tiles[_i].processors };
    if (ptx)
        ck_assert_str_ne(
            ptx, ptx_with(parsed(tiles[_i].text), t, (const char *const[4]){ "fma.rn.f32" }));
}
END_TEST

/* No declaration of a function that is not there: what is emitted needs no library. */
START_TEST(ptx_is_what_it_should_be)
{
    const char *ptx =
        ptx_with(parsed(program[_i].text), (cg_target){ .cpu = _i % 2 ? "sm_90" : "sm_80" },
                 program[_i].ptx);

    if (!ptx)
        return;
    ck_assert_ptr_null(strstr(ptx, ".extern"));
    ck_assert_ptr_null(strstr(ptx, ".ftz"));
    ck_assert_ptr_null(strstr(ptx, ".approx"));
}
END_TEST

/* -- mistakes ------------------------------------------------------------------------------ */

static cg_kernel *k;
static cg_build b;
static cg_module *module;

static uint32_t
begin(cg_space space)
{
    module = cg_module_new(ctx, &ctx->arena, "test");
    cg_kernel_new(module, "entry");
    k = cg_kernel_new(module, "k");
    cg_begin(&b, k);
    return cg_buffer_add(k, "x", COT_I64, space, 64);
}

static cg_val
threads(cg_kind kind, int64_t n)
{
    return cg_loop_begin(&b, kind, cg_i64(&b, 0), cg_i64(&b, n), 1, 0);
}

/* The kernel, launched, fails with a message that ends so. */
static void
launch_fails(const char *why)
{
    int64_t x[64] = { 0 };

    ck_assert_int_eq(cg_sim_launch(k, -1, (void *[]){ x, x }, NULL, NULL), COT_ERR_INTERNAL);
    ck_assert_msg(strstr(cot_error(ctx), why) != NULL, "%s", cot_error(ctx));
}

/* The verifier takes it: only the simulator knows. */
static void
is_wrong(const char *why)
{
    ck_assert_msg(cg_verify(module) == COT_OK, "%s", cot_error(ctx));
    launch_fails(why);
}

/* Each thread stores its element of shared memory and reads its neighbour's. */
static void
neighbours(bool barrier)
{
    const uint32_t x = begin(CG_SHARED), y = cg_buffer_add(k, "y", COT_I64, CG_OUT, 64);
    cg_val block = threads(CG_BLOCK, 64), t = cg_loop_var(&b, block);

    cg_store(&b, x, t, t, 0);
    if (barrier)
        cg_barrier(&b);
    cg_store(&b, y, t, cg_load(&b, x, cg_isub(&b, cg_i64(&b, 63), t), 0), 0);
    cg_loop_end(&b, block);
}

START_TEST(race_is_found)
{
    int64_t y[64];

    neighbours(false);
    is_wrong("reads what another thread stored since the last barrier");
    cot_error_clear(ctx);
    neighbours(true);
    ck_assert_int_eq(cg_sim_launch(k, -1, (void *[]){ y }, NULL, NULL), COT_OK);
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(y[i], 63 - i);
    ck_assert_int_eq(cg_launch_of(k).block, 64);
    ck_assert_int_eq(cg_launch_of(k).shared, 512);
}
END_TEST

START_TEST(block_does_not_read_what_another_stores)
{
    const uint32_t x = begin(CG_OUT);
    cg_val grid = threads(CG_GRID, 2), g = cg_loop_var(&b, grid), block = threads(CG_BLOCK, 32),
           t = cg_loop_var(&b, block);

    cg_store(&b, x, cg_iadd(&b, t, cg_imul(&b, g, 32)), t, 0);
    cg_store(&b, x, cg_iadd(&b, t, cg_imul(&b, g, 32)), cg_load(&b, x, t, 0), 0);
    cg_loop_end(&b, block);
    cg_loop_end(&b, grid);
    ck_assert_int_eq(cg_verify(module), COT_ERR_INTERNAL);
    ck_assert_msg(strstr(cot_error(ctx), "which run at the same time, touch element 0 of x") !=
                      NULL,
                  "%s", cot_error(ctx));
    cot_error_clear(ctx);
    launch_fails("reads what another block stores");
}
END_TEST

START_TEST(different_stores_are_found)
{
    const uint32_t x = begin(CG_OUT);
    cg_val block = threads(CG_BLOCK, 32);

    cg_store(&b, x, cg_i64(&b, 0), cg_loop_var(&b, block), 0);
    cg_loop_end(&b, block);
    is_wrong("stores over what another thread stored since the last barrier");
}
END_TEST

START_TEST(store_over_what_is_still_read_is_found)
{
    const uint32_t x = begin(CG_OUT);
    cg_val block = threads(CG_BLOCK, 32), t = cg_loop_var(&b, block);
    cg_val y = cg_load(&b, x, cg_isub(&b, cg_i64(&b, 31), t), 0);

    cg_store(&b, x, t, cg_iadd(&b, y, cg_i64(&b, 1)), 0);
    cg_loop_end(&b, block);
    is_wrong("stores over what another thread read since the last barrier");
}
END_TEST

START_TEST(barrier_that_some_miss_is_found)
{
    begin(CG_OUT);
    cg_val block = threads(CG_BLOCK, 64);
    cg_val some =
        cg_if_begin(&b, cg_insn2(&b, SC_lt, COT_I64, cg_loop_var(&b, block), cg_i64(&b, 40)));

    cg_barrier(&b);
    cg_if_else(&b, some);
    cg_if_end(&b, some);
    cg_loop_end(&b, block);
    is_wrong("a barrier that not all threads of the block reach");
}
END_TEST

START_TEST(index_out_of_bounds_is_found)
{
    const uint32_t x = begin(CG_OUT);
    cg_val block = threads(CG_BLOCK, 96), t = cg_loop_var(&b, block);

    cg_store(&b, x, t, t, 0);
    cg_loop_end(&b, block);
    ck_assert_int_eq(cg_verify(module), COT_ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "is not proved to lie in 0..63"));
    cot_error_clear(ctx);
    launch_fails("index 64 is out of bounds of 64 elements");
}
END_TEST

START_TEST(thread_loops_do_not_nest)
{
    begin(CG_OUT);
    cg_val outer = threads(CG_BLOCK, 32), inner = threads(CG_BLOCK, 32);

    cg_loop_end(&b, inner);
    cg_loop_end(&b, outer);
    ck_assert_int_eq(cg_verify(module), COT_ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "a thread loop inside another"));
}
END_TEST

int
main(void)
{
    const int n = (int)(sizeof program / sizeof *program);
    const suite_case cases[] = {
        { "programs", schedule_gives_the_bits_of_the_evaluator, n },
        { "tiles", tiles_that_go_round, sizeof tiles / sizeof *tiles },
        { "programs", ptx_is_what_it_should_be, n },
        { "mistakes", race_is_found, 1 },
        { "mistakes", block_does_not_read_what_another_stores, 1 },
        { "mistakes", different_stores_are_found, 1 },
        { "mistakes", store_over_what_is_still_read_is_found, 1 },
        { "mistakes", barrier_that_some_miss_is_found, 1 },
        { "mistakes", index_out_of_bounds_is_found, 1 },
        { "mistakes", thread_loops_do_not_nest, 1 },
    };

    return SUITE("grid", cases);
}
