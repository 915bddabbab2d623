/* Products by tensor cores (`fast`): every layout, type and edge of tiles in the simulator
 * against sums in double, within what rounding can do; PTX for both architectures; and the
 * mistakes that the simulator finds in kernels built by hand. */
#include <math.h>

#include "codegen/kernel/tensor.h"
#include "grid_suite.h"

/* -- programs ------------------------------------------------------------------------------ */

/* x has k's in axis kx, y in axis ky; of the batch, if any, the first axis. */
static const struct {
    const char *type;
    int batch, m, n, k, kx, ky;
    const char *ptx[4];
    int processors;             /* of the GPU: few want few tiles, and so wide ones */
} product[] = {
    { "bf16", 0, 128, 128, 96, 1, 0, { "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
                                       "ldmatrix.sync.aligned.m8n8.x4.trans",
                                       "cp.async.cg.shared.global", "cp.async.wait_group" },
      0 },
    { "f16", 0, 64, 64, 64, 1, 1, { "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                                    "ldmatrix.sync.aligned.m8n8.x4.shared" }, 0 },
    { "f32", 0, 64, 64, 64, 1, 0, { "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
                                    "cvt.rna.tf32.f32", "cp.async.cg" }, 0 },
    { "f32", 0, 64, 128, 32, 1, 1, { "ldmatrix.sync.aligned.m8n8.x4.shared",
                                     "cvt.rna.tf32.f32" }, 0 },
    { "f32", 0, 64, 64, 48, 0, 0, { "mma.sync.aligned.m16n8k8" }, 0 },
    { "f32", 0, 64, 64, 48, 0, 1, { "mma.sync.aligned.m16n8k8" }, 0 },
    { "bf16", 0, 64, 64, 48, 0, 0, { "ldmatrix.sync.aligned.m8n8.x4.trans", "cp.async.cg" },
      0 },
    { "bf16", 0, 72, 80, 40, 0, 1, { "cp.async.cg" }, 0 },       /* edges of whole pieces   */
    { "bf16", 0, 70, 67, 33, 1, 0, { "mma.sync" }, 0 },          /* nothing is aligned      */
    { "f16", 0, 33, 32, 17, 1, 1, { "mma.sync" }, 0 },
    { "f32", 0, 65, 34, 20, 1, 0, { "mma.sync" }, 0 },
    { "f32", 0, 66, 68, 21, 0, 1, { "mma.sync" }, 0 },
    { "f32", 3, 32, 64, 16, 1, 1, { "mma.sync" }, 0 },           /* of a batch              */
    { "bf16", 2, 40, 48, 64, 1, 0, { "cp.async.cg" }, 0 },
    /* wide tiles */
    { "bf16", 0, 1024, 1024, 32, 1, 0, { "ldmatrix.sync.aligned.m8n8.x4.trans" }, 0 },
    { "bf16", 0, 128, 256, 170, 1, 0, { "ldmatrix.sync.aligned.m8n8.x4.trans",
                                        ".extern .shared .align 16", "cp.async.wait_group 2" },
      1 },
    /* tiles of 128 x 256 */
    { "f16", 0, 140, 260, 170, 0, 1, { "mma.sync", ".extern .shared .align 16" }, 1 },
    { "f32", 0, 134, 264, 100, 1, 0, { "mma.sync", ".extern .shared .align 16" }, 1 },
    { "f32", 2, 128, 300, 70, 0, 1, { "mma.sync", ".extern .shared .align 16" }, 1 },
    { "f32", 0, 1024, 1030, 16, 1, 1, { "mma.sync" }, 0 },
    { "f32", 0, 1030, 1024, 16, 0, 0, { "mma.sync" }, 0 },
};

static const char *
shape(const char *type, int batch, int rows, int columns)
{
    return batch ? ir_format(&ctx->arena, "%s[%d,%d,%d]", type, batch, rows, columns)
                 : ir_format(&ctx->arena, "%s[%d,%d]", type, rows, columns);
}

static const char *
text_of(int i)
{
    const int m = product[i].m, n = product[i].n, k = product[i].k, b = product[i].batch;
    const char *x =
        product[i].kx ? shape(product[i].type, b, m, k) : shape(product[i].type, b, k, m);
    const char *y =
        product[i].ky ? shape(product[i].type, b, n, k) : shape(product[i].type, b, k, n);
    const char *z = shape(product[i].type, b, m, n), *batch = b ? "[0]" : "[]";

    return ir_format(&ctx->arena,
                     "fn @f(%%x: %s, %%y: %s) -> %s {\n"
                     "  %%0 = dot_general %%x, %%y {lhs=[%d], rhs=[%d], lhs_batch=%s, "
                     "rhs_batch=%s} : %s\n  ret %%0\n}\n",
                     x, y, z, product[i].kx + !!b, product[i].ky + !!b, batch, batch, z);
}

static double
element(const ir_type *t, const void *data, int64_t at)
{
    if (t->dtype == COT_F32)
        return ((const float *)data)[at];
    const uint16_t half = ((const uint16_t *)data)[at];
    return (double)(t->dtype == COT_F16 ? cot_f16_to_f32(half) : cot_bf16_to_f32(half));
}

/* |got - exact| is at most, of s = sum |x y|: k 2^-22 for the sum, 2^-10 for two factors
 * rounded to tf32, and half a unit in the last place of the result's type. */
static void
check_element(int i, const ir_type *t, const void *const *data, int64_t b, int64_t row,
              int64_t column)
{
    const int64_t m = product[i].m, n = product[i].n, k = product[i].k;
    double sum = 0, size = 0;

    for (int64_t j = 0; j < k; j++) {
        const double x =
            element(t, data[0], b * m * k + (product[i].kx ? row * k + j : j * m + row));
        const double y =
            element(t, data[1], b * n * k + (product[i].ky ? column * k + j : j * n + column));
        sum += x * y;
        size += fabs(x * y);
    }
    const double last = t->dtype == COT_F16 ? 0x1p-11 : t->dtype == COT_BF16 ? 0x1p-8 : 0x1p-24;
    const double factors = t->dtype == COT_F32 ? 0x1p-10 : 0;
    const double bound =
        size * ((double)k * 0x1p-22 + factors) + last * fabs(sum) * 1.01 + 1e-30;
    const double got = element(t, data[2], (b * m + row) * n + column);
    ck_assert_msg(fabs(got - sum) <= bound,
                  "%s\nelement %lld, %lld, %lld is %g; wants %g within %g", text_of(i),
                  (long long)b, (long long)row, (long long)column, got, sum, bound);
}

START_TEST(product_is_near)
{
    const ir_graph *f = parsed(text_of(_i));
    uint64_t seed = 7 + (uint64_t)_i;
    void **in = laws_sample(f, &seed, -3, 3, laws_fill), **out = laws_values(1, f->out, f);
    const ir_type *t = ir_type_at(f, f->out[0]);
    const int64_t rows = product[_i].m, columns = product[_i].n,
                  batches = product[_i].batch ? product[_i].batch : 1;
    const int64_t step = rows * columns > 1 << 18 ? 37 : 1;

    ck_assert_msg(grid_run_for(f,
                               (cg_target){ .fast = true,
                                            .processors = product[_i].processors }, in,
                               out) == COT_OK, "%s\n%s",
                  cot_error(ctx), text_of(_i));
    for (int64_t e = 0; e < batches * rows * columns; e += step)
        check_element(_i, t, (const void *const[]){ in[0], in[1], out[0] },
                      e / (rows * columns), e / columns % rows, e % columns);
    laws_free(2, in);
    laws_free(1, out);
}
END_TEST

/* Rounding to tf32 leaves infinities and NaNs as they are, whatever bits these have below: all
 * sums of their rows are not finite, and those of the other rows are. */
START_TEST(rounding_keeps_what_is_no_number)
{
    static const uint32_t odd[] = { 0x7fffffff, 0xffffffff, 0x7fc00000, 0x7f800000,
                                    0xff800000 };
    enum { ODD = sizeof odd / sizeof *odd, FIRST = 3, ROW = 2 /* of products */ };
    const int n = product[ROW].n, k = product[ROW].k;
    const ir_graph *f = parsed(text_of(ROW));
    uint64_t seed = 7;
    void **in = laws_sample(f, &seed, 1, 3, laws_fill), **out = laws_values(1, f->out, f);

    for (int i = 0; i < ODD; i++)
        memcpy((float *)in[0] + (FIRST + 5 * i) * k + i, &odd[i], sizeof *odd);
    ck_assert_int_eq(grid_run_for(f, (cg_target){ .fast = true }, in, out), COT_OK);
    for (int i = 0; i < product[ROW].m; i++)
        for (int j = 0; j < n; j++) {
            const double got = ((const float *)out[0])[i * n + j];
            const int at = i >= FIRST && (i - FIRST) % 5 == 0 ? (i - FIRST) / 5 : ODD;
            ck_assert_msg(at < 3      ? isnan(got)
                          : at == 3   ? got == INFINITY
                          : at == 4   ? got == -INFINITY
                                      : isfinite(got),
                          "element %d, %d is %g", i, j, got);
        }
    laws_free(2, in);
    laws_free(1, out);
}
END_TEST

static int
count(const char *text, const char *what)
{
    int n = 0;

    while ((text = strstr(text, what))) {
        text += strlen(what);
        n++;
    }
    return n;
}

/* Both architectures take it, with sums in registers: ptxas would say so of stacks. */
START_TEST(ptx_is_what_it_should_be)
{
    for (int a = 0; a < 2; a++) {
        const char *ptx = ptx_with(parsed(text_of(_i)),
                                   (cg_target){ .cpu = a ? "sm_90" : "sm_80", .fast = true,
                                                .processors = product[_i].processors },
                                   product[_i].ptx);
        ck_assert_msg(!ptx || !strstr(ptx, ".local"), "memory of a thread's own in\n%s", ptx);
        if (!ptx || strcmp(product[_i].type, "f32") != 0)
            continue;
        /* Words of tf32 are rounded as they are fed, each once: of 64 x 64, or 32 x 32, as
         * many words as products, or twice as many. */
        const int words = count(ptx, "cvt.rna.tf32"), products = count(ptx, "mma.sync");
        ck_assert_msg(words == products || words == 2 * products, "%d words for %d products",
                      words, products);
    }
}
END_TEST

/* Without the option, the bits of the reference evaluator: no tensor core. */
START_TEST(only_where_asked_for)
{
    const ir_graph *f = parsed(text_of(2));
    cg_module *m;
    ir_buf text;

    for (int fast = 0; fast < 2; fast++) {
        cg_target t = { .fast = fast };
        ck_assert_int_eq(grid_lower(f, &t, &m), COT_OK);
        ir_buf_init(&text, &ctx->arena);
        cg_module_print(&text, m);
        ck_assert_int_eq(strstr(text.text, "mma tf32 sums[") != NULL, fast);
        ck_assert_int_eq(strstr(text.text, "fetch left[") != NULL, fast);
    }
}
END_TEST

/* -- mistakes ------------------------------------------------------------------------------ */

enum { LEFT_OUT_ARRIVE = 1, LEFT_OUT_BARRIER = 2 };

/* Each of 32 threads sends for 4 words, and reads its neighbour's. */
static void
neighbours(int left_out, const char *why)
{
    cg_module *module = cg_module_new(ctx, &ctx->arena, "test");
    cg_build b;
    int32_t x[128], y[32];

    cg_kernel_new(module, "entry");
    cg_kernel *k = cg_kernel_new(module, "k");
    cg_begin(&b, k);
    const uint32_t from = cg_buffer_add(k, "x", COT_I32, CG_IN, 128),
                   at = cg_buffer_add(k, "s", COT_I32, CG_SHARED, 128);
    const uint32_t to = cg_buffer_add(k, "y", COT_I32, CG_OUT, 32);
    k->buffer[from].align = k->buffer[at].align = 16;
    cg_val block = cg_loop_begin(&b, CG_BLOCK, cg_i64(&b, 0), cg_i64(&b, 32), 1, 0),
           t = cg_loop_var(&b, block);
    cg_val four = cg_imul(&b, t, 4);
    cg_fetch(&b, at, four, from, four, cg_i64(&b, 3));
    cg_commit(&b);
    if (left_out != LEFT_OUT_ARRIVE)
        cg_arrive(&b, 0);
    if (left_out != LEFT_OUT_BARRIER)
        cg_barrier(&b);
    cg_val other = cg_imul(&b, cg_isub(&b, cg_i64(&b, 31), t), 4);
    cg_val sum = cg_insn2(&b, SC_add, COT_I32, cg_load(&b, at, other, 0),
                          cg_load(&b, at, cg_iadd(&b, other, cg_i64(&b, 3)), 0));
    cg_store(&b, to, t, sum, 0);
    cg_loop_end(&b, block);

    for (int i = 0; i < 128; i++)
        x[i] = i;
    ck_assert_msg(cg_verify(module) == COT_OK, "%s", cot_error(ctx));
    const cot_status s = cg_sim_launch(k, -1, (void *[]){ x, y }, NULL, NULL);
    if (why) {
        ck_assert_int_eq(s, COT_ERR_INTERNAL);
        ck_assert_msg(strstr(cot_error(ctx), why) != NULL, "%s", cot_error(ctx));
        cot_error_clear(ctx);
        return;
    }
    ck_assert_msg(s == COT_OK, "%s", cot_error(ctx));
    for (int i = 0; i < 32; i++)
        ck_assert_int_eq(y[i], 4 * (31 - i));       /* the fourth word is beyond the count: 0 */
}

START_TEST(what_has_not_come_is_not_read)
{
    neighbours(0, NULL);
    neighbours(LEFT_OUT_ARRIVE, "reads what is still on its way");
    neighbours(LEFT_OUT_BARRIER, "reads what another thread stored since the last barrier");
}
END_TEST

START_TEST(rows_begin_at_multiples_of_16_bytes)
{
    cg_module *module = cg_module_new(ctx, &ctx->arena, "test");
    cg_build b;

    cg_kernel_new(module, "entry");
    cg_kernel *k = cg_kernel_new(module, "k");
    cg_begin(&b, k);
    const uint32_t from = cg_buffer_add(k, "x", COT_I32, CG_IN, 128),
                   at = cg_buffer_add(k, "s", COT_I32, CG_SHARED, 128);
    k->buffer[from].align = k->buffer[at].align = 16;
    cg_val block = cg_loop_begin(&b, CG_BLOCK, cg_i64(&b, 0), cg_i64(&b, 32), 1, 0),
           t = cg_loop_var(&b, block);
    cg_fetch(&b, at, cg_imul(&b, t, 4), from, cg_imul(&b, t, 2), 0);
    cg_loop_end(&b, block);
    ck_assert_int_eq(cg_verify(module), COT_ERR_INTERNAL);
    ck_assert_ptr_nonnull(
        strstr(cot_error(ctx), "a row that does not begin at a multiple of 16 bytes"));
}
END_TEST

/* What a block stores outside its threads' loops one thread stores for all of them, wherever
 * among a kernel's buffers the memory of each thread is. */
START_TEST(one_thread_stores_for_a_block)
{
    cg_module *module = cg_module_new(ctx, &ctx->arena, "test");
    const cg_natural fn = { .name = "f", .module = module, .n_out = 1 };
    cg_target t = { .cpu = "sm_80" };
    const void *ptx;
    uint32_t y, own;
    size_t size;
    cg_build b;

    if (!cg_llvm())
        return;
    cg_grid_target(&t);
    cg_kernel *entry = cg_kernel_new(module, "entry"), *k = cg_kernel_new(module, "k");
    const uint32_t result = cg_buffer_add(entry, "y", COT_I32, CG_OUT, 8);
    entry->buffer[result].arg = module->n_args++;
    if (_i)
        own = cg_buffer_add(k, "own", COT_I32, CG_LOCAL, 1);
    y = cg_buffer_add(k, "y", COT_I32, CG_OUT, 8);
    if (!_i)
        own = cg_buffer_add(k, "own", COT_I32, CG_LOCAL, 1);
    cg_begin(&b, k);
    const cg_val grid = cg_loop_begin(&b, CG_GRID, cg_i64(&b, 0), cg_i64(&b, 8), 1, 0),
                 i = cg_loop_var(&b, grid);
    cg_store(&b, own, cg_i64(&b, 0), cg_insn1(&b, SC_cvt, COT_I32, i), 0);
    cg_store(&b, y, i, cg_load(&b, own, cg_i64(&b, 0), 0), 0);
    cg_loop_end(&b, grid);
    cg_begin(&b, entry);
    cg_call_kernel(&b, 1, &result, NULL, 0, NULL);
    ck_assert_msg(cg_verify(module) == COT_OK, "%s", cot_error(ctx));
    ck_assert_msg(cg_llvm()->target(ctx, &t) == COT_OK, "%s", cot_error(ctx));
    ck_assert_msg(cg_llvm()->emit(ctx, &t, CG_TO_PTX, 1, &fn, &ctx->arena, &ptx, &size) ==
                      COT_OK,
                  "%s", cot_error(ctx));
    ck_assert_msg(strstr(ptx, "%tid.x") && !strstr(ptx, ".local"), "%s", (const char *)ptx);
}
END_TEST

int
main(void)
{
    const int n = (int)(sizeof product / sizeof *product);
    const suite_case cases[] = {
        { "programs", product_is_near, n },
        { "programs", ptx_is_what_it_should_be, n },
        { "mistakes", rounding_keeps_what_is_no_number, 1 },
        { "mistakes", one_thread_stores_for_a_block, 2 },
        { "mistakes", only_where_asked_for, 1 },
        { "mistakes", what_has_not_come_is_not_read, 1 },
        { "mistakes", rows_begin_at_multiples_of_16_bytes, 1 },
    };

    return SUITE("tensor", cases);
}
