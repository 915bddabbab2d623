/* Kernels built by hand, compiled, and compared with plain C: every kind of loop and result, at
 * several vector extents. */
#include <math.h>
#include <stdio.h>

#include "kernel_built.h"
#include "runtime/support/pool.h"

enum { N = 64 };

/* The order of docs/numerics.md section 3. */
static float
sum(const float *x, int n, int stride)
{
    float block[64];
    int blocks = (n + 511) / 512;

    for (int c = 0; c < blocks; c++) {
        float lane[32];
        for (int l = 0; l < 32; l++) {
            lane[l] = -0.0f;
            for (int t = 0; t < 16; t++)
                if (512 * c + 32 * t + l < n)
                    lane[l] += x[(512 * c + 32 * t + l) * stride];
        }
        for (int h = 16; h > 0; h /= 2)
            for (int l = 0; l < h; l++)
                lane[l] += lane[l + h];
        block[c] = lane[0];
    }
    for (int w = 1; w < blocks; w *= 2)
        for (int c = 0; c + w < blocks; c += 2 * w)
            block[c] += block[c + w];
    return n ? block[0] : 0;
}

/* -- pointwise: a main loop and a limited tail -- */

static void
pointwise_step(uint32_t x, uint32_t y, cg_val base, int lanes, cg_val limit)
{
    cg_val l = cg_loop_begin(&b, CG_VECTOR, cg_i64(&b, 0), cg_i64(&b, lanes), 1, limit);
    cg_val at = cg_iadd(&b, base, cg_loop_var(&b, l));
    cg_val v = cg_load(&b, x, at, 0);

    v = cg_insn3(&b, SC_fma, COT_F32, v, v, f32(0.5f));
    cg_store(&b, y, at, cg_insn2(&b, SC_max, COT_F32, v, f32(3.0f)), 0);
    cg_loop_end(&b, l);
}

START_TEST(pointwise_with_tail)
{
    int lanes = lanes_row[_i], n = 1003, full = n / lanes * lanes;
    uint32_t x = buffer("x", COT_F32, CG_IN, n), y = buffer("y", COT_F32, CG_OUT, n);
    cg_val i = loop(CG_SERIAL, 0, full, lanes);

    pointwise_step(x, y, cg_loop_var(&b, i), lanes, 0);
    cg_loop_end(&b, i);
    if (full < n)
        pointwise_step(x, y, cg_i64(&b, full), lanes, cg_i64(&b, n - full));
    run((void *[]){ fx, fz });
    for (int j = 0; j < n; j++)
        fy[j] = fmaxf(fmaf(fx[j], fx[j], 0.5f), 3.0f);
    same(fz, fy, n);
    ck_assert(fz[n] == -777);
}
END_TEST

/* -- sums -- */

/* tree over blocks { fold over 32 lanes { carry over 16 steps } }, lanes as a vector of `lanes`
 * around copies. */
START_TEST(sum_of_row)
{
    int lanes = lanes_row[_i];
    uint32_t x = buffer("x", COT_F32, CG_IN, 8192), y = buffer("y", COT_F32, CG_OUT, 1);
    cg_val blocks = loop(CG_SERIAL, 0, 13, 1), lo = loop(CG_VECTOR, 0, lanes, 1),
           hi = loop(CG_UNROLL, 0, 32, lanes);
    cg_val t = loop(CG_SERIAL, 0, 16, 1), acc = cg_loop_carry(&b, t, COT_F32, f32(-0.0f));
    cg_val at = cg_iadd(&b, cg_imul(&b, cg_loop_var(&b, blocks), 512),
                        cg_imul(&b, cg_loop_var(&b, t), 32));

    at = cg_iadd(&b, at, cg_iadd(&b, cg_loop_var(&b, hi), cg_loop_var(&b, lo)));
    cg_loop_next(&b, t, acc, cg_insn2(&b, SC_add, COT_F32, acc, cg_load(&b, x, at, 0)));
    cg_loop_end(&b, t);
    cg_loop_reduce(&b, hi, CG_FOLD, SC_add, COT_F32, cg_loop_result(&b, t, 0));
    cg_loop_end(&b, hi);
    cg_loop_reduce(&b, lo, CG_FOLD, SC_add, COT_F32, cg_loop_result(&b, hi, 0));
    cg_loop_end(&b, lo);
    cg_loop_reduce(&b, blocks, CG_TREE, SC_add, COT_F32, cg_loop_result(&b, lo, 0));
    cg_loop_end(&b, blocks);
    cg_store(&b, y, cg_i64(&b, 0), cg_loop_result(&b, blocks, 0), 0);
    run((void *[]){ fx, fz });
    fy[0] = sum(fx, 13 * 512, 1);
    same(fz, fy, 1);
}
END_TEST

/* Columns: a tree over blocks, a serial fold over lanes in bit-reversed order, one vector of
 * columns. */
START_TEST(sum_of_columns)
{
    int lanes = lanes_row[_i];
    uint32_t x = buffer("x", COT_F32, CG_IN, 8192), y = buffer("y", COT_F32, CG_OUT, lanes);
    int rows = 8192 / lanes > 1024 ? 1024 : 8192 / lanes / 32 * 32;
    int per = rows >= 512 ? 512 : rows;
    cg_val c = loop(CG_VECTOR, 0, lanes, 1), blocks = loop(CG_SERIAL, 0, rows / per, 1),
           l = loop(CG_SERIAL, 0, 32, 1);
    cg_val t = loop(CG_SERIAL, 0, per / 32, 1), acc = cg_loop_carry(&b, t, COT_F32, f32(-0.0f));
    cg_val row = cg_iadd(&b, cg_imul(&b, cg_loop_var(&b, blocks), 512),
                         cg_imul(&b, cg_loop_var(&b, t), 32));

    row = cg_iadd(&b, row, cg_loop_var(&b, l));
    cg_val at = cg_iadd(&b, cg_imul(&b, row, lanes), cg_loop_var(&b, c));
    cg_loop_next(&b, t, acc, cg_insn2(&b, SC_add, COT_F32, acc, cg_load(&b, x, at, 0)));
    cg_loop_end(&b, t);
    cg_loop_reduce(&b, l, CG_FOLD, SC_add, COT_F32, cg_loop_result(&b, t, 0));
    cg_loop_end(&b, l);
    cg_loop_reduce(&b, blocks, CG_TREE, SC_add, COT_F32, cg_loop_result(&b, l, 0));
    cg_loop_end(&b, blocks);
    cg_store(&b, y, cg_loop_var(&b, c), cg_loop_result(&b, blocks, 0), 0);
    cg_loop_end(&b, c);
    run((void *[]){ fx, fz });
    for (int j = 0; j < lanes; j++)
        fy[j] = sum(fx + j, rows, lanes);
    same(fz, fy, lanes);
}
END_TEST

/* A fold of a limited vector: inactive lanes are neutral. */
START_TEST(fold_with_limit)
{
    int lanes = lanes_row[_i], n = lanes - lanes / 3;
    uint32_t x = buffer("x", COT_F32, CG_IN, n), y = buffer("y", COT_F32, CG_OUT, 2);
    cg_val l = cg_loop_begin(&b, CG_VECTOR, cg_i64(&b, 0), cg_i64(&b, lanes), 1, cg_i64(&b, n));
    cg_val v = cg_load(&b, x, cg_loop_var(&b, l), 0);

    cg_loop_reduce(&b, l, CG_FOLD, SC_max, COT_F32, v);
    cg_loop_reduce(&b, l, CG_FOLD, SC_min, COT_F32, v);
    cg_loop_end(&b, l);
    cg_store(&b, y, cg_i64(&b, 0), cg_loop_result(&b, l, 0), 0);
    cg_store(&b, y, cg_i64(&b, 1), cg_loop_result(&b, l, 1), 0);
    run((void *[]){ fx, fz });
    fy[0] = -INFINITY;
    fy[1] = INFINITY;
    for (int j = 0; j < n; j++) {
        fy[0] = fmaxf(fy[0], fx[j]);
        fy[1] = fminf(fy[1], fx[j]);
    }
    same(fz, fy, 2);
}
END_TEST

/* -- a register tile -- */

START_TEST(register_tile)
{
    int lanes = lanes_row[_i], rows = 6, cols = 2 * lanes, depth = 50;
    uint32_t a = buffer("a", COT_F32, CG_IN, rows * depth),
             w = buffer("w", COT_F32, CG_IN, depth * cols);
    uint32_t y = buffer("y", COT_F32, CG_OUT, rows * cols);
    cg_val i = loop(CG_UNROLL, 0, rows, 1), j = loop(CG_UNROLL, 0, 2, 1),
           l = loop(CG_VECTOR, 0, lanes, 1);
    cg_val t = loop(CG_SERIAL, 0, depth, 1), acc = cg_loop_carry(&b, t, COT_F32, f32(0));
    cg_val col = cg_iadd(&b, cg_imul(&b, cg_loop_var(&b, j), lanes), cg_loop_var(&b, l));
    cg_val p = cg_load(
        &b, a, cg_iadd(&b, cg_imul(&b, cg_loop_var(&b, i), depth), cg_loop_var(&b, t)), 0);
    cg_val q = cg_load(&b, w, cg_iadd(&b, cg_imul(&b, cg_loop_var(&b, t), cols), col), 0);

    cg_loop_next(&b, t, acc, cg_insn3(&b, SC_fma, COT_F32, p, q, acc));
    cg_loop_end(&b, t);
    cg_store(&b, y, cg_iadd(&b, cg_imul(&b, cg_loop_var(&b, i), cols), col),
             cg_loop_result(&b, t, 0), 0);
    cg_loop_end(&b, l);
    cg_loop_end(&b, j);
    cg_loop_end(&b, i);
    run((void *[]){ fx, fx + 512, fz });
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            fy[r * cols + c] = 0;
            for (int d = 0; d < depth; d++)
                fy[r * cols + c] =
                    fmaf(fx[r * depth + d], fx[512 + d * cols + c], fy[r * cols + c]);
        }
    same(fz, fy, rows * cols);
}
END_TEST

/* -- strided, reversed, gathered -- */

START_TEST(transposed)
{
    int lanes = lanes_row[_i];
    uint32_t x = buffer("x", COT_F32, CG_IN, 8192), y = buffer("y", COT_F32, CG_OUT, 8192);
    cg_val u = loop(CG_UNROLL, 0, lanes, 1), l = loop(CG_VECTOR, 0, lanes, 1);
    cg_val from = cg_iadd(&b, cg_imul(&b, cg_loop_var(&b, l), 33), cg_loop_var(&b, u));
    cg_val to = cg_iadd(&b, cg_imul(&b, cg_loop_var(&b, u), 40), cg_loop_var(&b, l));
    cg_val v = cg_load(&b, x, from, 0);

    cg_store(&b, y, to, v, 0);
    cg_store(&b, y, cg_iadd(&b, from, cg_i64(&b, 2048)),
             cg_insn1(&b, SC_neg, COT_F32, cg_load(&b, x, to, 0)), 0);
    cg_loop_end(&b, l);
    cg_loop_end(&b, u);
    run((void *[]){ fx, fz });
    for (int r = 0; r < lanes; r++)
        for (int c = 0; c < lanes; c++) {
            ck_assert(fz[r * 40 + c] == fx[c * 33 + r]);
            ck_assert(fz[2048 + c * 33 + r] == -fx[r * 40 + c]);
        }
}
END_TEST

START_TEST(reversed_and_gathered)
{
    int lanes = lanes_row[_i], n = 3 * lanes;
    uint32_t x = buffer("x", COT_F32, CG_IN, 4 * n), at = buffer("at", COT_I32, CG_IN, n);
    uint32_t y = buffer("y", COT_F32, CG_OUT, n);
    int32_t index[128];
    cg_val i = loop(CG_SERIAL, 0, n, lanes), l = loop(CG_VECTOR, 0, lanes, 1);
    cg_val e = cg_iadd(&b, cg_loop_var(&b, i), cg_loop_var(&b, l));
    cg_val g = cg_insn1(&b, SC_cvt, COT_I64, cg_load(&b, at, e, 0));
    g = cg_insn2(&b, SC_max, COT_I64, g, cg_i64(&b, 0));
    g = cg_imin(&b, g, cg_i64(&b, 4 * n - 1));
    cg_val v =
        cg_insn2(&b, SC_add, COT_F32, cg_load(&b, x, cg_isub(&b, cg_i64(&b, n - 1), e), 0),
                 cg_load(&b, x, cg_imul(&b, e, 3), 0));

    cg_store(&b, y, e, cg_insn2(&b, SC_sub, COT_F32, v, cg_load(&b, x, g, 0)), 0);
    cg_loop_end(&b, l);
    cg_loop_end(&b, i);
    for (int j = 0; j < n; j++)
        index[j] = j * 31 % n;
    run((void *[]){ fx, index, fz });
    for (int j = 0; j < n; j++)
        fy[j] = fx[n - 1 - j] + fx[3 * j] - fx[index[j]];
    same(fz, fy, n);
}
END_TEST

/* -- parallel loops, calls, failure -- */

START_TEST(parallel_tree)
{
    cg_kernel *part = cg_kernel_new(m, "part");
    cg_build pb;
    uint32_t px = cg_buffer_add(part, "x", COT_F32, CG_IN, 32),
             py = cg_buffer_add(part, "y", COT_F32, CG_OUT, 1);
    cot_parallel *pool = _i ? cot_rt_pool_new(2) : NULL;

    cg_begin(&pb, part);
    cg_val l = cg_loop_begin(&pb, CG_VECTOR, cg_i64(&pb, 0), cg_i64(&pb, 32), 1, 0);
    cg_loop_reduce(&pb, l, CG_FOLD, SC_add, COT_F32,
                   cg_load(&pb, px, cg_iadd(&pb, cg_param(&pb, 0), cg_loop_var(&pb, l)), 0));
    cg_loop_end(&pb, l);
    cg_store(&pb, py, cg_i64(&pb, 0), cg_loop_result(&pb, l, 0), 0);

    uint32_t x = buffer("x", COT_F32, CG_IN, 8192), y = buffer("y", COT_F32, CG_OUT, 1);
    uint32_t s = buffer("s", COT_F32, CG_LOCAL, 1);
    m->parallel = true;
    cg_val p = loop(CG_PARALLEL, 0, 250, 1), at = cg_imul(&b, cg_loop_var(&b, p), 32);
    cg_call_kernel(&b, 1, (uint32_t[]){ x, s }, (cg_val[]){ at, 0 }, 1,
                   (cg_val[]){ cg_i64(&b, 0) });
    cg_loop_reduce(&b, p, CG_TREE, SC_add, COT_F32, cg_load(&b, s, cg_i64(&b, 0), 0));
    cg_loop_end(&b, p);
    cg_store(&b, y, cg_i64(&b, 0), cg_loop_result(&b, p, 0), 0);
    run((void *[]){ fx, fz, pool });
    float part_sum[256];
    for (int c = 0; c < 250; c++)
        part_sum[c] = sum(fx + 32 * c, 32, 1);
    for (int w = 1; w < 250; w *= 2)
        for (int c = 0; c + w < 250; c += 2 * w)
            part_sum[c] += part_sum[c + w];
    same(fz, part_sum, 1);
    if (pool)
        cot_rt_pool_free(pool);
}
END_TEST

START_TEST(failure_is_a_status)
{
    uint32_t x = buffer("x", COT_I32, CG_IN, 1), y = buffer("y", COT_I32, CG_OUT, 1);
    cg_val v = cg_load(&b, x, cg_i64(&b, 0), 0);
    cg_target t = { 0 };
    cg_code code;
    int32_t in = 3, out = 0;

    cg_fail_if(&b, cg_insn2(&b, SC_lt, COT_I32, v, cg_const(&b, COT_I32, 2)), COT_ERR_BOUND);
    cg_store(&b, y, cg_i64(&b, 0), v, 0);
    ck_assert_int_eq(cg_llvm()->target(ctx, &t), COT_OK);
    ck_assert_int_eq(cg_llvm()->load(ctx, &t, m, &code), COT_OK);
    ck_assert_int_eq(code.entry((void *[]){ &in, &out }, NULL), COT_OK);
    ck_assert_int_eq(out, 3);
    in = 1;
    cg_code natural;
    ck_assert_int_eq(cg_llvm()->natural(ctx, &t, code.entry, 2, false, &natural), COT_OK);
    ck_assert_int_eq(
        ((int (*)(const int32_t *, int32_t *, void *))natural.natural)(&in, &out, NULL),
        COT_ERR_BOUND);
    cg_llvm()->unload(&natural);
    ck_assert_int_eq(out, 3);
    cg_llvm()->unload(&code);
}
END_TEST

/* -- indices -- */

/* i = 16 q + l with l in [0, 16): i / 64 = q / 4 and i mod 64 = 16 (q mod 4) + l, still even in
 * l. */
START_TEST(division_keeps_lanes_even)
{
    cg_val q = loop(CG_SERIAL, 0, 100, 1), l = loop(CG_VECTOR, 0, 16, 1);
    cg_val i = cg_iadd(&b, cg_imul(&b, cg_loop_var(&b, q), 16), cg_loop_var(&b, l));
    int64_t c;

    ck_assert(cg_affine(k, cg_idiv(&b, i, 64), l, &c) && c == 0);
    ck_assert(cg_affine(k, cg_imod(&b, i, 64), l, &c) && c == 1);
    ck_assert_uint_eq(cg_idiv(&b, i, 16), cg_loop_var(&b, q));
    ck_assert_uint_eq(cg_imod(&b, i, 16), cg_loop_var(&b, l));
    ck_assert_uint_eq(cg_imin(&b, cg_loop_var(&b, l), cg_i64(&b, 15)), cg_loop_var(&b, l));
    ck_assert_uint_eq(cg_isub(&b, i, cg_loop_var(&b, l)), cg_imul(&b, cg_loop_var(&b, q), 16));
}
END_TEST

/* What an index can be: of loops, of short integers that are read, of each operation on
 * them. */
START_TEST(ranges_of_indices)
{
    uint32_t x = buffer("x", COT_U8, CG_IN, 16), y = buffer("y", COT_I16, CG_IN, 16),
             z = buffer("z", COT_I32, CG_IN, 16), w = buffer("w", COT_U32, CG_IN, 16);
    cg_val i = cg_loop_var(&b, loop(CG_SERIAL, 0, 16, 1)),
           j = cg_loop_var(&b, loop(CG_SERIAL, 3, 20, 4));
    cg_val u = cg_cvt(&b, COT_U8, COT_I64, cg_load(&b, x, i, 0)),
           s = cg_cvt(&b, COT_I16, COT_I64, cg_load(&b, y, i, 0));
#define OP(op, x, c) cg_insn2(&b, SC_##op, COT_I64, x, cg_i64(&b, c))
    const struct {
        cg_val v;
        int64_t lo, hi;
    } row[] = {
        { i, 0, 15 },
        { j, 3, 19 },
        { u, 0, 255 },
        { s, -32768, 32767 },
        { cg_cvt(&b, COT_I32, COT_I64, cg_load(&b, z, i, 0)), INT32_MIN, INT32_MAX },
        { cg_cvt(&b, COT_U32, COT_I64, cg_load(&b, w, i, 0)), 0, UINT32_MAX },
        { OP(min, u, 5), 0, 5 },
        { OP(min, s, 5), -32768, 5 },
        { OP(max, u, 5), 5, 255 },
        { OP(max, s, -5), -5, 32767 },
        { cg_insn2(&b, SC_min, COT_I64, u, j), 0, 19 },
        { cg_insn2(&b, SC_max, COT_I64, u, j), 3, 255 },
        { OP(div, u, 16), 0, 15 },
        { OP(div, s, 100), -327, 327 },
        { OP(shr, s, 4), -2048, 2047 },
        { OP(and, u, 15), 0, 15 },
        { OP(and, s, 15), 0, 15 },
        { OP(and, i, 63), 0, 15 },
        { OP(rem, u, 10), 0, 9 },
        { OP(rem, s, 10), -9, 9 },
        { OP(rem, i, 100), 0, 15 },
        { cg_iadd(&b, u, cg_imul(&b, i, 3)), 0, 300 },
        { cg_iadd(&b, cg_isub(&b, i, cg_imul(&b, u, 2)), cg_i64(&b, 7)), -503, 22 },
    };

    for (int r = 0; r < (int)(sizeof row / sizeof *row); r++) {
        int64_t lo, hi;
        ck_assert_msg(cg_range(k, row[r].v, &lo, &hi), "row %d has no range", r);
        ck_assert_msg(lo == row[r].lo && hi == row[r].hi, "row %d: %lld..%lld", r,
                      (long long)lo, (long long)hi);
    }
    int64_t lo, hi;
    cg_val n = cg_load(&b, buffer("n", COT_I64, CG_IN, 16), i, 0);
    ck_assert(!cg_range(k, n, &lo, &hi));
    cg_val sum = u; /* of more terms than one form has, of which some have no range then */
    for (int c = 1; c < 40; c++) {
        sum = cg_iadd(&b, sum,
                      cg_cvt(&b, COT_U8, COT_I64, cg_load(&b, x, cg_i64(&b, c % 16), 0)));
        cg_val at = cg_load(&b, w, cg_i64(&b, c % 16), 0);
        sum = cg_iadd(&b, sum, cg_imul(&b, cg_cvt(&b, COT_U32, COT_I64, at), 1 + c));
        ck_assert(!cg_range(k, sum, &lo, &hi) || (lo == 0 && hi > 255 * c));
    }
    for (int c = 0; c < 200000; c++) /* however long the chain is, few of it are looked at */
        n = c % 2 ? OP(rem, n, 1000) : OP(and, n, 511);
    ck_assert(cg_range(k, n, &lo, &hi) && lo == 0 && hi == 511);
}
END_TEST

/* A vector loop in a parallel one is limited by what was read outside both. */
START_TEST(limit_from_outside)
{
    uint32_t n = buffer("n", COT_I64, CG_IN, 1), x = buffer("x", COT_F32, CG_IN, 256),
             y = buffer("y", COT_F32, CG_OUT, 256);
    cot_parallel *pool = _i ? cot_rt_pool_new(2) : NULL;
    const int64_t limit = 5;

    m->parallel = true;
    cg_val some =
        cg_insn2(&b, SC_max, COT_I64,
                 cg_imin(&b, cg_load(&b, n, cg_i64(&b, 0), 0), cg_i64(&b, 8)), cg_i64(&b, 1));
    cg_val p = loop(CG_PARALLEL, 0, 32, 1);
    cg_val l = cg_loop_begin(&b, CG_VECTOR, cg_i64(&b, 0), cg_i64(&b, 8), 1, some);
    cg_val at = cg_iadd(&b, cg_imul(&b, cg_loop_var(&b, p), 8), cg_loop_var(&b, l));

    cg_store(&b, y, at, cg_load(&b, x, at, 0), 0);
    cg_loop_end(&b, l);
    cg_loop_end(&b, p);
    run((void *[]){ (void *)&limit, fx, fz, pool });
    for (int j = 0; j < 256; j++)
        ck_assert_msg(fz[j] == (j % 8 < limit ? fx[j] : -777), "element %d", j);
    if (pool)
        cot_rt_pool_free(pool);
}
END_TEST

/* A parallel loop of no iterations does nothing, with threads and without. */
START_TEST(parallel_of_none)
{
    uint32_t n = buffer("n", COT_I64, CG_IN, 1), y = buffer("y", COT_F32, CG_OUT, 8);
    cot_parallel *pool = _i % 2 ? cot_rt_pool_new(2) : NULL;
    const int64_t many = _i / 2;

    m->parallel = true;
    cg_val hi = cg_insn2(&b, SC_and, COT_I64, cg_load(&b, n, cg_i64(&b, 0), 0), cg_i64(&b, 7));
    cg_val p = cg_loop_begin(&b, CG_PARALLEL, cg_i64(&b, 0), hi, 1, 0);

    cg_store(&b, y, cg_loop_var(&b, p), f32(1.0f), 0);
    cg_loop_end(&b, p);
    run((void *[]){ (void *)&many, fz, pool });
    for (int j = 0; j < 8; j++)
        ck_assert_msg(fz[j] == (j < many ? 1 : -777), "element %d is %g", j, fz[j]);
    if (pool)
        cot_rt_pool_free(pool);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(pointwise_with_tail, 5),
        EACH(sum_of_row, 5),
        EACH(sum_of_columns, 5),
        EACH(fold_with_limit, 5),
        EACH(register_tile, 5),
        EACH(transposed, 5),
        EACH(reversed_and_gathered, 5),
        EACH(parallel_tree, 2),
        ONCE(failure_is_a_status),
        ONCE(division_keeps_lanes_even),
        ONCE(ranges_of_indices),
        EACH(limit_from_outside, 2),
        EACH(parallel_of_none, 6),
    };

    return SUITE_WITH("kernel", cases, setup, teardown);
}
