/* Derivatives of functions that many use are made once.
 *
 * Families of two functions at each level, both of which use both of the level before: what is
 * made for each use doubles at each level.  A function of 300 ops that several nodes use: what
 * is made of it may not grow by its size for each.  Counted are the nodes of all functions of
 * the result, each function once, and the bytes that the passes and lowering ask for. */
#include "tests/unit/nests.h"

/* Levels of two functions, f and h: every second level is a cond of both of the level before,
 * the others are such a node. */
static const family pairs[] = {
    { "conds", "cond %p, %x {branches=[F, H]}" },
    { "conds and switches", "cond %i, %x {branches=[F, H, H, F, H]}" },
    { "conds and scans", "scan %x {carries=1, length=2, body=F}" },
    { "conds and whiles", "while %x {cond=@less, body=F}" },
    { "conds and whiles with a bound", "while %x {max=3, cond=@less, body=F}" },
    { "conds and checkpoints", "call %x {remat=1, body=F}" },
    { "conds and calls", "call %x {body=F}" },
};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

/* Derivatives of first order, and compositions.  What a scan keeps is moved when it is mapped,
 * a value at a time, and so by each loop around it: those grow as bytes do.  Bytes have one
 * bound for all: bodies of loops double until what they save is worth a call. */
static const char *const compositions[] = { "jvp",
                                            "grad",
                                            "vmap(in=[0], out=0, size=2)",
                                            "grad | jvp",
                                            "vjp | vjp",
                                            "grad | vmap(in=[0], out=0, size=2)",
                                            "vmap(in=[0], out=0, size=2) | vjp" };
enum { COMPOSITIONS = sizeof compositions / sizeof compositions[0], FIRST_ORDER = 3 };

static void
write_pairs(ir_buf *b, const family *x, int depth)
{
    ir_buf_str(b, leaves);
    for (int i = 1; i <= depth; i++)
        for (int h = 0; h < 2; h++)
            write_level(b, h ? 'h' : 'f', i, i % 2 ? pairs[0].node : x->node);
    ir_buf_printf(b,
                  "fn @top(%%x: f32[4]) -> (f32[]) {\n %%0 = call %%x {body=@f%d} : f32[4]\n"
                  " %%s = reduce_sum %%0 {axes=[0]} : f32[]\n ret %%s\n}\n",
                  depth);
}

START_TEST(derivatives_of_pairs_do_not_double_at_each_level)
{
    const family *x = &pairs[_i % PAIRS];
    const char *pipeline = compositions[_i / PAIRS];
    const double most = _i / PAIRS < FIRST_ORDER ? 2.1 : 4.2;
    size at[3];

    for (int k = 0; k < 3; k++) {
        ir_arena a;
        ir_buf b;
        ir_arena_init(&a, ctx);
        ir_buf_init(&b, &a);
        write_pairs(&b, x, 6 << k);
        at[k] = measured_text(x->name, b.text, pipeline);
        ir_arena_free(&a);
    }
    ck_assert_msg((double)(at[2].nodes - at[1].nodes) <=
                      most * (double)(at[1].nodes - at[0].nodes),
                  "%s of %s: %zu nodes at 24 levels, %zu at 12, %zu at 6", pipeline, x->name,
                  at[2].nodes, at[1].nodes, at[0].nodes);
    ck_assert_msg(at[2].bytes < (size_t)1 << 30, "%s of %s: %zu bytes at 24 levels", pipeline,
                  x->name, at[2].bytes);
}
END_TEST

/* A function of 300 ops that k nodes use, each with a partner of its own that keeps something
 * else: P stands for it, i for the number of the node. */
static const family uses[] = {
    { "branches", "cond %p, %x {branches=[@g, P]}" },
    { "second branches", "cond %p, %x {branches=[P, @g]}" },
    { "branches of switches", "cond %i, %x {branches=[P, @g, @tan, @g]}" },
    { "bodies of scans", "scan %x {carries=1, length=2, body=@g}" },
    { "bodies of whiles", "while %x {cond=@less, body=@g}" },
    { "bodies of whiles with a bound", "while %x {max=3, cond=@less, body=@g}" },
    { "checkpoints", "call %x {remat=1, body=@g}" },
    { "calls", "call %x {body=@g}" },
};
enum { USES = sizeof uses / sizeof uses[0], LARGE = 300, FEW_USES = 4, MANY_USES = 12 };

static void
write_partner(ir_buf *b, int i)
{
    ir_buf_printf(b,
                  "fn @p%d(%%x: f32[4]) -> (f32[4]) {\n %%a0 = reduce_sum %%x {axes=[0]} : "
                  "f32[]\n",
                  i);
    for (int k = 1; k <= i + 1; k++)
        ir_buf_printf(b, " %%a%d = sin %%a%d : f32[]\n", k, k - 1);
    ir_buf_printf(b,
                  " %%0 = broadcast_in_dim %%a%d {shape=[4], dims=[]} : f32[4]\n"
                  " %%1 = mul %%0, %%x : f32[4]\n ret %%1\n}\n",
                  i + 1);
}

static void
write_uses(ir_buf *b, const family *x, int n)
{
    ir_buf_str(b, leaves);
    ir_buf_str(b, "fn @g(%v0: f32[4]) -> (f32[4]) {\n");
    for (int k = 1; k <= LARGE; k++)
        ir_buf_printf(b, " %%v%d = %s %%v%d : f32[4]\n", k, k % 2 ? "sin" : "cos", k - 1);
    ir_buf_printf(b, " ret %%v%d\n}\n", LARGE);
    for (int i = 0; i < n; i++)
        write_partner(b, i);
    ir_buf_str(b, "fn @top(%x0: f32[4]) -> (f32[]) {\n");
    for (int i = 0; i < n; i++) {
        ir_buf_printf(b,
                      " %%p%d = call %%x%d {body=@less} : bool[]\n"
                      " %%i%d = convert %%p%d {dtype=i32} : i32[]\n %%x%d = ",
                      i, i, i, i, i + 1);
        for (const char *c = x->node; *c; c++)
            if (*c == 'P')
                ir_buf_printf(b, "@p%d", i);
            else if (*c == '%')
                ir_buf_printf(b, "%%%c%d", *++c, i);
            else
                ir_buf_printf(b, "%c", *c);
        ir_buf_str(b, " : f32[4]\n");
    }
    ir_buf_printf(b, " %%s = reduce_sum %%x%d {axes=[0]} : f32[]\n ret %%s\n}\n", n);
}

START_TEST(a_function_that_many_use_is_transformed_once)
{
    const family *x = &uses[_i % USES];
    const char *pipeline = compositions[_i / USES];
    size_t nodes[2];

    for (int k = 0; k < 2; k++) {
        ir_arena a;
        ir_buf b;
        ir_arena_init(&a, ctx);
        ir_buf_init(&b, &a);
        write_uses(&b, x, k ? MANY_USES : FEW_USES);
        nodes[k] = measured_text(x->name, b.text, pipeline).nodes;
        ir_arena_free(&a);
    }
    ck_assert_msg(nodes[1] - nodes[0] < (MANY_USES - FEW_USES) * LARGE,
                  "%s of %s: %zu nodes for %d uses, %zu for %d", pipeline, x->name, nodes[1],
                  MANY_USES, nodes[0], FEW_USES);
}
END_TEST

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

/* The instructions of all kernels but the entry, for a concatenation of n functions of
 * slices. */
static uint32_t
concatenated(int n, const char *shape, int axis)
{
    cg_target target = { .vector_bits = 256 };
    const cg_lower_options o = { .target = &target, .threads = 1, .fuse = true };
    uint32_t insns = 0;
    ir_module parsed;
    cg_module *m;
    ir_graph *f;
    ir_arena a;
    ir_buf b;

    ir_arena_init(&a, ctx);
    ir_buf_init(&b, &a);
    ir_buf_printf(&b, "fn @f(%%x: f32[%d,40]) -> (f32[%d,%d]) {\n", n, axis ? 1 : n,
                  axis ? 40 * n : 40);
    for (int i = 0; i < n; i++)
        ir_buf_printf(&b,
                      " %%s%d = slice %%x {start=[%d,0], limit=[%d,40], stride=[1,1]} : %s\n"
                      " %%t%d = sin %%s%d : %s\n",
                      i, n - 1 - i, n - i, shape, i, i, shape);
    ir_buf_str(&b, " %0 = concatenate ");
    for (int i = 0; i < n; i++)
        ir_buf_printf(&b, "%s%%t%d", i ? ", " : "", i);
    ir_buf_printf(&b, " {axis=%d} : f32[%d,%d]\n ret %%0\n}\n", axis, axis ? 1 : n,
                  axis ? 40 * n : 40);
    ck_assert_msg(ir_parse(ctx, "parts", b.text, b.n, &parsed) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(pass_prepare(parsed.fn[0], &f), COT_OK);
    ck_assert_int_eq(cg_lower(f, &o, &a, &m), COT_OK);
    for (uint32_t k = 1; k < m->n_kernels; k++)
        insns += m->kernel[k]->n_insns;
    ir_arena_free(&a);
    return insns;
}

START_TEST(parts_of_a_concatenation_share_a_kernel)
{
    ck_assert_uint_eq(concatenated(16, "f32[1,40]", _i), concatenated(64, "f32[1,40]", _i));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(derivatives_of_pairs_do_not_double_at_each_level, PAIRS * COMPOSITIONS),
        EACH(a_function_that_many_use_is_transformed_once, USES * COMPOSITIONS),
        EACH(equal_branches_are_one, 2 * INDEX_TYPES),
        EACH(parts_of_a_concatenation_share_a_kernel, 2),
    };
    return SUITE("shared", cases);
}
