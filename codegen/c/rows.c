/* Vectors of elements that are not consecutive in memory (c.h): every other element,
 * interleaved rows, squares. */
#include "codegen/c/c.h"

/* The integer type as wide as T, whose vectors select elements in a shuffle. */
static const char *
mask_type(cg_c_text *t, cot_dtype type, int lanes)
{
    static const cot_dtype like[9] = {
        [1] = COT_I8, [2] = COT_I16, [4] = COT_I32, [8] = COT_I64
    };

    if (cg_c_new_name(t, &t->shared, "COT_PICK"))
        ir_buf_str(&t->common, "/* Elements of x, and of y, which are numbered after x's. */\n"
                               "#if COT_HAS(__builtin_shufflevector)\n"
                               "#define COT_PICK(mask, x, y, ...) __builtin_shufflevector(x, "
                               "y, __VA_ARGS__)\n#else\n"
                               "#define COT_PICK(mask, x, y, ...) __builtin_shuffle(x, y, "
                               "(mask){ __VA_ARGS__ })\n#endif\n");
    return cg_c_type(t, like[cot_dtype_size(type)], lanes);
}

/* "COT_PICK(i32x4, x, y, first, ...)": a shuffle of x and y, where element l is number pick(l,
 * lanes, how). */
static const char *
picked(cg_c_text *t, cot_dtype type, int lanes, const char *x, const char *y,
       int pick(int l, int lanes, int how), int how)
{
    const char *s = ir_format(t->arena, "COT_PICK(%s, %s, %s", mask_type(t, type, lanes), x, y);

    for (int l = 0; l < lanes; l++)
        s = ir_format(t->arena, "%s, %d", s, pick(l, lanes, how));
    return ir_format(t->arena, "%s)", s);
}

static int
backwards(int l, int lanes, int how)
{
    (void)how;
    return lanes - 1 - l;
}

const char *
cg_c_reversed(cg_c_text *t, cot_dtype type, int lanes, const char *x)
{
    return picked(t, type, lanes, x, x, backwards, 0);
}

static int
up(int l, int lanes, int by)
{
    return lanes - by + l;
}

const char *
cg_c_moved_up(cg_c_text *t, cot_dtype type, int lanes, int by)
{
    const char *v = cg_c_type(t, type, lanes), *name = ir_format(t->arena, "up_%s_%d", v, by);

    if (cg_c_new_name(t, &t->own, name))
        ir_buf_printf(
            &t->head, "COT_FN %s\n%s(%s before, %s x)\n{\n    return %s;\n}\n", v, name, v, v,
            picked(t, type == COT_BOOL ? COT_I32 : type, lanes, "before", "x", up, by));
    return name;
}

/* Selects from x, and from y, which is loaded so that it ends at the last element that is
 * needed. */
static int
every_other(int l, int lanes, int back)
{
    l = back ? lanes - 1 - l : l;
    return 2 * l < lanes ? 2 * l : 2 * l + 1;
}

const char *
cg_c_load_every_other(cg_c_text *t, cot_dtype type, int lanes, bool back)
{
    const char *v = cg_c_type(t, type, lanes),
               *name = ir_format(t->arena, "load_every_other%s_%s", back ? "_back" : "", v);

    if (cg_c_new_name(t, &t->own, name)) {
        const char *r = picked(t, type, lanes, "x", "y", every_other, back);
        const char *first = back ? ir_format(t->arena, "(p - %d)", 2 * (lanes - 1)) : "p";
        ir_buf_printf(&t->head,
                      "COT_FN %s\n%s(const %s *p)\n{\n    %s x = *(const %s_at *)%s, y = "
                      "*(const %s_at *)(p %c %d);\n"
                      "    return %s;\n}\n",
                      v, name, cg_c_type(t, type, 1), v, v, first, v, back ? '-' : '+',
                      lanes - 1, r);
    }
    return name;
}

static int
of_pairs(int l, int lanes, int second)
{
    (void)lanes;
    return 2 * l + second;
}

const char *
cg_c_load_of_pairs(cg_c_text *t, cot_dtype type, int lanes, bool second)
{
    const char *v = cg_c_type(t, type, lanes),
               *name =
                   ir_format(t->arena, "load_%s_of_pairs_%s", second ? "second" : "first", v);

    if (cg_c_new_name(t, &t->own, name)) {
        const char *r = picked(t, type, lanes, "x", "y", of_pairs, second);
        ir_buf_printf(&t->head,
                      "COT_FN %s\n%s(const %s *p)\n{\n    %s x = *(const %s_at *)%s, y = "
                      "*(const %s_at *)(p + %d);\n    return %s;\n}\n",
                      v, name, cg_c_type(t, type, 1), v, v, second ? "(p - 1)" : "p", v,
                      lanes - second, r);
    }
    return name;
}

/* Stores all n vectors after one test of the alignment: with a test for each, clang would move
 * the computation of the second vector between the stores. */
const char *
cg_c_stream(cg_c_text *t, cot_dtype type, int lanes, int n)
{
    const int bytes = lanes * (int)cot_dtype_size(type);
    const char *v = cg_c_type(t, type, lanes), *past = "", *plain = "", *args = "",
               *name = ir_format(t->arena, n == 1 ? "stream_%s" : "stream_%s_%d", v, n);
    const char *width = bytes == 64 ? "512" : bytes == 32 ? "256" : "";

    if (bytes != 16 && bytes != 32 && bytes != 64)
        return n == 1 ? cg_c_store(t, type, lanes, CG_C_DENSE, CG_C_ALWAYS) : NULL;
    if (!cg_c_new_name(t, &t->own, name))
        return name;
    for (int i = 0; i < n; i++) {
        const char *x = n == 1 ? "x" : ir_format(t->arena, "x%d", i),
                   *at = i ? ir_format(t->arena, "(p + %d)", i * lanes) : "p";
        args = ir_format(t->arena, "%s, %s %s", args, v, x);
        past = ir_format(t->arena,
                         "%s        _mm%s_stream_si%d((__m%di *)(void *)%s, (__m%di)%s);\n",
                         past, width, 8 * bytes, 8 * bytes, at, 8 * bytes, x);
        plain = ir_format(t->arena, "%s    *(%s_at *)%s = %s;\n", plain, v, at, x);
    }
    ir_buf_printf(
        &t->head,
        "/* A non-temporal store where p is aligned: a line that is written whole need not "
        "be read. */\n"
        "COT_FN void\n%s(%s *p%s)\n{\n#if defined(COT_SSE2)%s\n"
        "    if (((uintptr_t)p & %d) == 0) {\n%s        return;\n    }\n"
        "#endif\n%s}\n",
        name, cg_c_type(t, type, 1), args,
        bytes == 64   ? " && defined(__AVX512F__)"
        : bytes == 32 ? " && defined(__AVX__)"
                      : "",
        bytes - 1, past, plain);
    return name;
}

static int
low_half(int l, int lanes, int how)
{
    return (l & 1) * lanes + l / 2 + how;
}

/* Interleave rows of the first half with those of the second, then the results in the same way:
 * log2(n) rounds of two shuffles for two rows. */
static void
interleave(cg_c_text *t, ir_buf *b, cot_dtype type, int lanes, int n, const char *store)
{
    const char *v = cg_c_type(t, type, lanes);
    int round = 0;

    for (int run = 1; run < n; run *= 2, round++)
        for (int c = 0, blocks = n / run / 2; c < blocks; c++)
            for (int k = 0; k < run; k++) {
                const char *x = ir_format(t->arena, "x%d_%d", round, c * run + k),
                           *y = ir_format(t->arena, "x%d_%d", round, (c + blocks) * run + k);
                for (int high = 0; high < 2; high++)
                    ir_buf_printf(b, "    const %s x%d_%d = %s;\n", v, round + 1,
                                  c * run * 2 + 2 * k + high,
                                  picked(t, type, lanes, x, y, low_half, high * lanes / 2));
            }
    for (int k = 0; k < n; k++)
        ir_buf_printf(b, "    %s(p + %d, x%d_%d);\n", store, k * lanes, round, k);
}

/* A shuffle within each 16 bytes: groups of elements from x and y alternate, taken from the
 * first half or the second. */
static int
alternating(int l, int lanes, int how)
{
    const int unit = how / 2 & 15, of = how / 32, m = l % of, c = m / unit;

    return l - m + c / 2 * unit + m % unit + (how & 1 ? of / 2 : 0) + (c & 1 ? lanes : 0);
}

/* The shuffle that joins one half of x and the same half of y. */
static int
halves(int l, int lanes, int second)
{
    return (l < lanes / 2 ? l : l + lanes / 2) + (second ? lanes / 2 : 0);
}

/* Transposes as many rows as lanes, of 32 bytes: each step is one instruction of AVX, most of
 * which stay within 16 bytes. */
static void
transpose_avx(cg_c_text *t, ir_buf *b, cot_dtype type, int lanes, const char *store)
{
    const char *v = cg_c_type(t, type, lanes);
    const int of = 16 / (int)cot_dtype_size(type);
    int round = 0;

    for (int unit = 1; unit < of; unit *= 2, round++)
        for (int k = 0; k < lanes; k++) {
            const int group = k - k % (2 * unit), i = k % (2 * unit) / 2;
            const char *x = ir_format(t->arena, "x%d_%d", round, group + i),
                       *y = ir_format(t->arena, "x%d_%d", round, group + i + unit);
            ir_buf_printf(
                b, "    const %s x%d_%d = %s;\n", v, round + 1, k,
                picked(t, type, lanes, x, y, alternating, of * 32 + unit * 2 + (k & 1)));
        }
    for (int k = 0; k < lanes; k++) {
        const char *x = ir_format(t->arena, "x%d_%d", round, k % (lanes / 2)),
                   *y = ir_format(t->arena, "x%d_%d", round, k % (lanes / 2) + lanes / 2);
        ir_buf_printf(b, "    %s(p + %d, %s);\n", store, k * lanes,
                      picked(t, type, lanes, x, y, halves, k >= lanes / 2));
    }
}

const char *
cg_c_store_rows(cg_c_text *t, cot_dtype type, int lanes, int n, bool stream)
{
    const char *v = cg_c_type(t, type, lanes),
               *name = ir_format(t->arena, "%s_%d_rows_%s", stream ? "stream" : "store", n, v);
    ir_buf b;

    if (!cg_c_new_name(t, &t->own, name))
        return name;
    ir_buf_init(&b, t->arena);
    ir_buf_printf(&b, "/* Element l of row c to p[%d l + c]. */\nCOT_FN void\n%s(%s *p", n,
                  name, cg_c_type(t, type, 1));
    for (int k = 0; k < n; k++)
        ir_buf_printf(&b, ", %s x0_%d", v, k);
    ir_buf_str(&b, ")\n{\n");
    const char *store = stream ? cg_c_stream(t, type, lanes, 1)
                               : cg_c_store(t, type, lanes, CG_C_DENSE, CG_C_ALWAYS);
    if (n == lanes && lanes * (int)cot_dtype_size(type) == 32 && cot_dtype_size(type) >= 4)
        transpose_avx(t, &b, type, lanes, store);
    else
        interleave(t, &b, type, lanes, n, store);
    ir_buf_str(&b, "}\n");
    ir_buf_str(&t->head, b.text);
    return name;
}

static int
exchange(int l, int lanes, int how)
{
    const int h = how / 2, high = how & 1;

    return l & h ? lanes + l - (high ? 0 : h) : l + (high ? h : 0);
}

/* Exchange, for all bits h, the columns that differ in bit h between rows i and i + h (J.
 * Eklundh, 1972). */
const char *
cg_c_transpose(cg_c_text *t, cot_dtype type, int lanes)
{
    const char *v = cg_c_type(t, type, lanes), *name = ir_format(t->arena, "transpose_%s", v);
    ir_buf b;

    if (!cg_c_new_name(t, &t->own, name))
        return name;
    ir_buf_init(&b, t->arena);
    ir_buf_printf(&b, "COT_FN void\n%s(%s *r)\n{\n    %s x, y;\n", name, v, v);
    for (int h = lanes / 2; h > 0; h /= 2)
        for (int i = 0; i < lanes; i++)
            if (!(i & h))
                ir_buf_printf(&b,
                              "    x = r[%d], y = r[%d];\n    r[%d] = %s;\n    r[%d] = %s;\n",
                              i, i + h, i, picked(t, type, lanes, "x", "y", exchange, 2 * h),
                              i + h, picked(t, type, lanes, "x", "y", exchange, 2 * h + 1));
    ir_buf_str(&b, "}\n");
    ir_buf_str(&t->head, b.text);
    return name;
}
