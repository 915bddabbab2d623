/* Functions that many use. */
#include "codegen/backend.h"
#include "cotrace/cotrace.h"
#include "ir/buf.h"
#include "passes/pass.h"
#include "tests/unit/suite.h"

/* A switch of 300 branches, three functions in turn but for every seventh branch, by an index
 * of each type: `simplify` leaves three, and changes no result for any index. */
static const struct index_type {
    const char *name;
    cot_dtype dtype;
    int64_t least, most;
} index_types[] = {
    { "i8", COT_I8, INT8_MIN, INT8_MAX },     { "u8", COT_U8, 0, UINT8_MAX },
    { "i16", COT_I16, INT16_MIN, INT16_MAX }, { "u16", COT_U16, 0, UINT16_MAX },
    { "i32", COT_I32, INT32_MIN, INT32_MAX }, { "u32", COT_U32, 0, UINT32_MAX },
    { "i64", COT_I64, INT64_MIN, INT64_MAX },
};
enum { INDEX_TYPES = sizeof index_types / sizeof index_types[0], BRANCHES = 300 };

static ir_graph *
switch_of(const struct index_type *t, ir_arena *a)
{
    ir_module parsed;
    ir_buf b;

    ir_buf_init(&b, a);
    for (int k = 0; k < 3; k++)
        ir_buf_printf(&b,
                      "fn @b%d(%%x: f32[]) -> (f32[]) {\n %%c = constant {data=%d} : f32[]\n"
                      " %%0 = add %%x, %%c : f32[]\n ret %%0\n}\n",
                      k, k);
    ir_buf_printf(&b,
                  "fn @f(%%i: %s[], %%x: f32[]) -> (f32[]) {\n %%0 = cond %%i, %%x {branches=[",
                  t->name);
    for (int k = 0; k < BRANCHES; k++)
        ir_buf_printf(&b, "%s@b%d", k ? ", " : "", k % 7 ? k % 3 : 2);
    ir_buf_str(&b, "]} : f32[]\n ret %0\n}\n");
    ck_assert_msg(ir_parse(ctx, "switch", b.text, b.n, &parsed) == COT_OK, "%s",
                  cot_error(ctx));
    return parsed.fn[parsed.n - 1];
}

/* The indices at which something may change, as numbers of type t. */
static const int64_t indices[] = { INT64_MIN, -1,  0,   1,   2,   6,   7,   8,        126,
                                   127,       128, 254, 255, 256, 298, 299, INT64_MAX };
enum { INDICES = sizeof indices / sizeof indices[0] };

static int64_t
index_at(const struct index_type *t, int k)
{
    return indices[k] < t->least ? t->least : indices[k] > t->most ? t->most : indices[k];
}

static float
chosen_sum(float x, int64_t i)
{
    i = i < 0 ? 0 : i < BRANCHES ? i : BRANCHES - 1;
    return x + (float)(i % 7 ? i % 3 : 2);
}

START_TEST(equal_branches_are_one)
{
    const struct index_type *t = &index_types[_i / 2];
    const size_t bytes = cot_dtype_size(t->dtype);
    const int each = _i % 2 ? INDICES : 1; /* how many a call takes */
    const char *map = each > 1 ? "vmap(in=[0,none], out=0, size=17)" : "";
    float x = 10, before[INDICES], after[INDICES];
    ir_graph *raw, *f;
    ir_arena a;

    ir_arena_init(&a, ctx);
    ck_assert_int_eq(pass_pipeline(switch_of(t, &a), map, NULL, NULL, &raw), COT_OK);
    ck_assert_int_eq(pass_run(pass_find("simplify"), raw, NULL, &f), COT_OK);
    ck_assert_int_eq(f->node[f->n_nodes - 1].at->cond.branches.n, 3);
    for (int k = 0; k < INDICES; k += each) {
        char index[INDICES * sizeof(int64_t)];
        for (int j = 0; j < each; j++)
            memcpy(index + (size_t)j * bytes, &(int64_t){ index_at(t, k + j) }, bytes);
        const void *const in[] = { index, &x };
        ck_assert_int_eq(ir_eval(raw, (void *[]){ before }, in), COT_OK);
        ck_assert_int_eq(ir_eval(f, (void *[]){ after }, in), COT_OK);
        for (int j = 0; j < each; j++) {
            ck_assert_float_eq(before[j], chosen_sum(x, index_at(t, k + j)));
            ck_assert_float_eq(after[j], before[j]);
        }
    }
    ir_arena_free(&a);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(equal_branches_are_one, 2 * INDEX_TYPES),
    };
    return SUITE("shared", cases);
}
