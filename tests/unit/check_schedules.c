/* Schedules of products as text: each record prints as it was read, and what is no record, or
 * does not fit the product and the target, is refused with its reason. */
#include "codegen/backend.h"
#include "codegen/lower.h"
#include "codegen/lower/dot_schedule.h"
#include "ir/graph.h"
#include "passes/pass.h"
#include "runtime/compile.h"
#include "tests/unit/suite.h"

static const char *const records[] = {
    "lanes=columns width=8 rows=6 vectors=2 unroll=1",
    "lanes=columns swap=1 width=8 rows=6 vectors=2 unroll=8 left=turned right=once turn=8 "
    "m_block=48 n_block=64 prefetch=1 share=blocks shares=3",
    "lanes=columns width=1 rows=4 vectors=4 unroll=all right=panels m_block=4 n_block=4",
    "lanes=lines width=16 rows=3 results=4 vectors=2 unroll=5 share=rows shares=2",
    "lanes=batch width=8 rows=3 run=9 unroll=all right=once",
    "lanes=sum width=32 share=batch shares=4",
    "lanes=tiles width=4 rows=8 vectors=2",
    "lanes=tensor rows=64 m_block=128 n_block=256 stages=4",
    "lanes=threads",
};

START_TEST(printed)
{
    cg_dot_schedule how;
    ir_buf b;

    ir_buf_init(&b, &ctx->arena);
    const char *text = records[_i];
    ck_assert_ptr_null(cg_dot_schedule_parse(&ctx->arena, text, strlen(text), &how));
    cg_dot_schedule_print(&b, &how);
    ck_assert_str_eq(b.text, text);
}
END_TEST

static const struct {
    const char *text, *wrong;
} malformed[] = {
    { "", "it has no field 'lanes'" },
    { "width=8", "it has no field 'lanes'" },
    { "lanes=rows", "'lanes=rows' has no value of lanes" },
    { "lanes=", "'lanes=' has no value of lanes" },
    { "lanes=sum width", "'width' is no field of a schedule" },
    { "lanes=sum height=1", "'height=1' is no field of a schedule" },
    { "lanes=sum width=1x", "'width=1x' has no value of width" },
    { "lanes=sum width=-1", "'width=-1' has no value of width" },
    { "lanes=sum width=all", "'width=all' has no value of width" },
    { "lanes=sum width=9999999999999999999",
      "'width=9999999999999999999' has no value of width" },
    { "lanes=sum width=1 width=1", "width occurs twice" },
    { "lanes=sum width=0", "width is 0; wants 1 to 64" },
    { "lanes=sum width=65", "width is 65; wants 1 to 64" },
    { "lanes=sum width=1 rows=2", "rows is not used where lanes=sum" },
    { "lanes=columns width=8 rows=0 vectors=1 unroll=1", "rows is 0; wants 1 to 64" },
    { "lanes=sum width=1 share=batch",
      "share and shares want each other, and at least two shares" },
    { "lanes=sum width=1 shares=2",
      "share and shares want each other, and at least two shares" },
};

START_TEST(refused)
{
    cg_dot_schedule how;
    const char *text = malformed[_i].text,
               *wrong = cg_dot_schedule_parse(&ctx->arena, text, strlen(text), &how);

    ck_assert_ptr_nonnull(wrong);
    ck_assert_str_eq(wrong, malformed[_i].wrong);
}
END_TEST

#define PLACE  "lanes=columns width=8 rows=2 vectors=1 unroll=1"
#define PACKED "lanes=columns width=8 rows=2 vectors=1 right=panels m_block=4 n_block=8"
#define DOT    "dot: schedule "

/* Of f32[20,300] by f32[300,40], for vectors of 256 bits and two threads; NULL: it fits. */
static const struct {
    const char *text, *wrong;
} given[] = {
    { DOT PLACE, NULL },
    { "; a comment\n\n " DOT PLACE " ; and one\n", NULL },
    { DOT PACKED " unroll=4", NULL },
    { DOT "lanes=columns width=8 rows=64 vectors=4 unroll=1", NULL },
    { PLACE, "line 1 is no 'KERNEL: schedule FIELD=VALUE ...'" },
    { DOT PLACE "\ndot schedule", "line 2 is no 'KERNEL: schedule FIELD=VALUE ...'" },
    { "dot.2: schedule " PLACE, "line 1: no contraction is lowered as a kernel 'dot.2'" },
    { DOT "lanes=columns width=8 rows=64 vectors=5 unroll=1",
      "dot: the tile has more than 256 vectors of sums" },
    { DOT "lanes=columns width=16 rows=2 vectors=1 unroll=1",
      "dot: width wants a power of two, at most the lanes of a vector of the target" },
    { DOT "lanes=columns width=3 rows=2 vectors=1 unroll=1",
      "dot: width wants a power of two, at most the lanes of a vector of the target" },
    { DOT PACKED " unroll=8",
      "dot: unroll wants to divide the k's of a stride, and of a block" },
    { DOT PACKED " unroll=0",
      "dot: unroll wants to divide the k's of a stride, and of a block" },
    { DOT PACKED " unroll=all", "dot: unroll=all wants at most 256 k's" },
    { DOT PACKED " unroll=1 left=strips ways=2",
      "dot: ways=2 wants left=strips and i8, u8 or i16 as i32, ways=4 i8 and "
      "i8 or u8" },
    { DOT "lanes=columns width=8 rows=2 vectors=1 unroll=1 right=panels m_block=5 n_block=8",
      "dot: m_block wants a multiple of rows, at most all of them" },
    { DOT "lanes=columns width=8 rows=2 vectors=1 unroll=1 right=panels m_block=4 n_block=48",
      "dot: n_block wants a multiple of a tile's columns, at most all of them" },
    { DOT PACKED " unroll=1 turn=4",
      "dot: turn wants a power of two up to width, and columns that are contiguous" },
    { DOT PLACE " share=columns shares=2",
      "dot: threads share the batch, and rows, or columns with stream=1" },
    { DOT PLACE " share=rows shares=21", "dot: there are more shares than iterations" },
    { DOT "lanes=sum width=1",
      "dot: these lanes are not of this form of a product and this target" },
    { DOT "lanes=threads",
      "dot: these lanes are not of this form of a product and this target" },
    { DOT "lanes=batch width=8 rows=1 run=20 unroll=1",
      "dot: lanes=batch wants one axis of the batch, and k's" },
};

START_TEST(fitted)
{
    static const char text[] = "fn @f(%x: f32[20,300], %y: f32[300,40]) -> f32[20,40] {\n"
                               "  %0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], "
                               "rhs_batch=[]} : f32[20,40]\n"
                               "  ret %0\n"
                               "}\n";
    const cg_target target = {
        .vector_bits = 256, .registers = 16, .l1 = 32 << 10, .l2 = 512 << 10, .l3 = 8 << 20
    };
    const cg_lower_options o = {
        .target = &target, .threads = 2, .fuse = true, .schedules = given[_i].text
    };
    cg_module *m;
    ir_module read;
    ir_graph *f;

    ck_assert_int_eq(ir_parse(ctx, "product", text, strlen(text), &read), COT_OK);
    ck_assert_int_eq(pass_prepare(read.fn[0], &f), COT_OK);
    const cot_status status = cg_lower(f, &o, &ctx->arena, &m);
    ck_assert_int_eq(status, given[_i].wrong ? COT_ERR_TARGET : COT_OK);
    if (given[_i].wrong)
        ck_assert_ptr_nonnull(strstr(cot_error(ctx), given[_i].wrong));
}
END_TEST

/* The bytes of an argument, every value among them. */
static cot_array *
bytes_of(cot_type type, uint32_t seed)
{
    cot_array *a = cot_array_new(ctx, type);
    uint8_t *x = cot_array_data(a);

    for (size_t i = 0; i < cot_array_bytes(a); i++)
        x[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
    return a;
}

enum { ROWS = 5, COLUMNS = 19 };

/* What the product is by this record, or by the reference evaluator. */
static cot_array *
product_of(const cot_graph *f, const cot_compile_options *o, const char *record,
           const cot_array *const *in)
{
    cot_array *out = cot_array_new(ctx, cot_i32(ROWS, COLUMNS));
    cot_kernel *k;
    const cot_status s =
        record ? rt_compile_scheduled(f, o, record, &k) : cot_compile_graph(f, o, &k);

    ck_assert_msg(s == COT_OK, "%s: %s", record ? record : "", cot_error(ctx));
    ck_assert_int_eq(cot_run(k, &out, in), COT_OK);
    cot_kernel_free(k);
    return out;
}

/* Steps of two and of four k's, by every back end and width, whole and not. */
START_TEST(steps_of_bytes)
{
    static const char *const types[][2] = { { "i8", "i8" }, { "u8", "i8" }, { "i8", "u8" } };
    static const int ks[] = { 7, 1029 }, bits[] = { 32, 128, 256, 512 };
    const char *const *t = types[_i % 3];
    const int k = ks[_i / 3 % 2], width = bits[_i / 6] / 32;
    const char *text = ir_format(
        &ctx->arena,
        "fn @f(%%x: %s[%d,%d], %%y: %s[%d,%d]) -> i32[%d,%d] {\n"
        "  %%0 = convert %%x {dtype=i32}\n  %%1 = convert %%y {dtype=i32}\n"
        "  %%2 = dot_general %%0, %%1 {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]}\n"
        "  ret %%2\n}\n",
        t[0], ROWS, k, t[1], k, COLUMNS, ROWS, COLUMNS);
    ir_module read;

    ck_assert_int_eq(ir_parse(ctx, "product", text, strlen(text), &read), COT_OK);
    const cot_graph *f = read.fn[0];
    cot_array *in[] = { bytes_of(cot_graph_in_type(f, 0), 1),
                        bytes_of(cot_graph_in_type(f, 1), 2) };
    const cot_array *const *const given_in = (const cot_array *const *)in;
    cot_array *want =
        product_of(f, &(cot_compile_options){ .backend = "eval" }, NULL, given_in);

    /* C source by four k's only, of panels that are packed once where several blocks are */
    for (int way = cg_llvm() ? 0 : 4; way < 5; way++) {
        const int ways = way % 2 == 0 ? 4 : 2;
        const bool once = way > 1 && k > 256 * ways;
        const char *record = ir_format(&ctx->arena,
                                       "dot: schedule lanes=columns width=%d rows=2 vectors=1 "
                                       "unroll=1 left=strips right=%s "
                                       "ways=%d m_block=2 n_block=%d",
                                       width, once ? "once" : "panels", ways,
                                       (COLUMNS + width - 1) / width * width);
        const cot_compile_options o = { .backend = way == 4 ? "c" : "jit",
                                        .vector_bits = bits[_i / 6] };
        cot_array *out = product_of(f, &o, record, given_in);
        ck_assert_msg(memcmp(cot_array_data(out), cot_array_data(want), cot_array_bytes(out)) ==
                          0,
                      "%s by %s, k %d, %s: %s", t[0], t[1], k, o.backend, record);
        cot_array_free(out);
    }
    cot_array_free(want);
    cot_array_free(in[0]);
    cot_array_free(in[1]);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(printed, sizeof records / sizeof *records),
        EACH(refused, sizeof malformed / sizeof *malformed),
        EACH(fitted, sizeof given / sizeof *given),
        EACH(steps_of_bytes, 3 * 2 * 4),
    };

    return SUITE("schedules", cases);
}
