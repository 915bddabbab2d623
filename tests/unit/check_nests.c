/* Derivatives of nests of conds, switches and loops grow no faster than the nest.
 *
 * Each family is a function that holds the one before in a node of control flow, 4, 8, 16 and
 * 32 levels deep.  Counted are the nodes of all functions of its derivative, each function
 * once, and the bytes that the passes and lowering ask for.  From 16 to 32 levels there may be
 * 2.1 times as many more nodes as from 8 to 16.  Bytes may be 4.2 times as many: what an inner
 * branch saves for the way back is a result of each branch around it.  A pass that is repeated
 * at each level asks for 2^16 times as many. */
#include "tests/unit/nests.h"

static const family families[] = {
    { "cond, the first branch", "cond %p, %x {branches=[F, @tan]}" },
    { "cond, the second branch", "cond %p, %x {branches=[@tan, F]}" },
    { "cond beside a constant", "cond %p, %x {branches=[@one, F]}" },
    { "cond of one function", "cond %p, %x {branches=[F, F]}" },
    { "switch", "cond %i, %x {branches=[@tan, F, @one]}" },
    { "scan", "scan %x {carries=1, length=2, body=F}" },
    { "while", "while %x {cond=@less, body=F}" },
    { "while with a bound", "while %x {max=3, cond=@less, body=F}" },
    { "checkpoint", "call %x {remat=1, body=F}" },
};
enum { FAMILIES = sizeof families / sizeof families[0] };

static const char *const pipelines[] = { "jvp", "linearize", "vjp", "grad",
                                         "vmap(in=[0], out=0, size=2)" };
enum { PIPELINES = sizeof pipelines / sizeof pipelines[0] };

static void
write_nest(ir_buf *b, const family *x, int depth)
{
    ir_buf_str(b, leaves);
    for (int i = 1; i <= depth; i++)
        write_level(b, 'f', i, x->node);
    ir_buf_printf(b,
                  "fn @top(%%x: f32[4]) -> (f32[]) {\n %%0 = call %%x {body=@f%d} : f32[4]\n"
                  " %%s = reduce_sum %%0 {axes=[0]} : f32[]\n ret %%s\n}\n",
                  depth);
}

static size
measured(const family *x, const char *pipeline, int depth)
{
    ir_arena a;
    ir_buf b;

    ir_arena_init(&a, ctx);
    ir_buf_init(&b, &a);
    write_nest(&b, x, depth);
    const size s = measured_text(x->name, b.text, pipeline);
    ir_arena_free(&a);
    return s;
}

START_TEST(derivatives_grow_no_faster_than_the_nest)
{
    const family *x = &families[_i % FAMILIES];
    const char *pipeline = pipelines[_i / FAMILIES];
    size at[4];

    for (int k = 0; k < 4; k++)
        at[k] = measured(x, pipeline, 4 << k);
    for (int k = 2; k < 4; k++) {
        const size_t more = at[k].nodes - at[k - 1].nodes,
                     less = at[k - 1].nodes - at[k - 2].nodes;
        ck_assert_msg((double)more <= 2.1 * (double)less,
                      "%s of %s: %zu nodes at %d levels, %zu, %zu", pipeline, x->name,
                      at[k].nodes, 4 << k, at[k - 1].nodes, at[k - 2].nodes);
        ck_assert_msg((double)at[k].bytes <= 4.2 * (double)at[k - 1].bytes,
                      "%s of %s: %zu bytes at %d levels, %zu at half", pipeline, x->name,
                      at[k].bytes, 4 << k, at[k - 1].bytes);
    }
}
END_TEST

/* Each level uses the one before twice. */
static void
write_doubling(ir_buf *b, int depth, bool calls)
{
    ir_buf_str(b, leaves);
    for (int i = 1; i <= depth; i++)
        if (calls)
            ir_buf_printf(b,
                          "fn @f%d(%%x: f32[4]) -> (f32[4]) {\n %%0 = call %%x {body=@f%d} : "
                          "f32[4]\n %%1 = call %%0 {body=@f%d} : f32[4]\n ret %%1\n}\n",
                          i, i - 1, i - 1);
        else
            for (int h = 0; h < 2; h++)
                write_level(b, h ? 'h' : 'f', i, "cond %p, %x {branches=[F, H]}");
    ir_buf_printf(b,
                  "fn @top(%%x: f32[4]) -> (f32[]) {\n %%0 = call %%x {body=@f%d} : f32[4]\n"
                  " %%s = reduce_sum %%0 {axes=[0]} : f32[]\n ret %%s\n}\n",
                  depth);
}

/* What a pipeline makes of so many levels, and its status. */
static cot_status
double_levels(cot_context *c, const char *pipeline, int depth, bool calls)
{
    cot_status status;
    ir_module parsed;
    ir_graph *f;
    ir_arena a;
    ir_buf b;

    ir_arena_init(&a, c);
    ir_buf_init(&b, &a);
    write_doubling(&b, depth, calls);
    ck_assert_int_eq(ir_parse(c, "nests", b.text, b.n, &parsed), COT_OK);
    f = parsed.fn[parsed.n - 1];
    status = pass_pipeline(f, pipeline, NULL, NULL, &f);
    if (status == COT_OK)
        status = pass_prepare(f, &f);
    ir_arena_free(&a);
    return status;
}

/* Whatever is asked for, a few megabytes are enough to say no. */
START_TEST(what_doubles_at_each_level_is_refused)
{
    static const struct {
        const char *pipeline;
        bool calls;
    } row[] = {
        { "", false },
        { "grad", false },
        { "jvp", false },
        { "inline", false },
        { "checkpoint | grad", false },
        { "grad", true },
        { "vjp", true },
        { "inline", true },
        { "hessian", true },
        { "checkpoint | grad", true },
    };
    meter m = { 0 };
    cot_context *c = cot_context_new(&(cot_options){ .alloc = metered, .alloc_user = &m });

    ck_assert_int_eq(double_levels(c, row[_i].pipeline, 60, row[_i].calls), COT_ERR_LIMIT);
    ck_assert_msg(strstr(cot_error(c), "functions that are used several times unfold to ") &&
                      strstr(cot_error(c), "nests:"),
                  "%s", cot_error(c));
    ck_assert_uint_lt(m.most, 256 << 20);
    cot_context_free(c);
}
END_TEST

/* Functions that stay are no copies, whether they are called or branches of conds.  Conds leave
 * them fewer levels. */
START_TEST(functions_that_double_at_each_level_stay)
{
    static const char *const pipeline[] = { "", "jvp", "vmap(in=0, out=0, size=3)",
                                            "simplify | dce" };
    const bool calls = _i % 2;
    meter m = { 0 };
    cot_context *c = cot_context_new(&(cot_options){ .alloc = metered, .alloc_user = &m });

    ck_assert_msg(double_levels(c, pipeline[_i / 2], calls ? 60 : 40, calls) == COT_OK, "%s",
                  cot_error(c));
    ck_assert_uint_lt(m.most, 64 << 20);
    cot_context_free(c);
}
END_TEST

/* Functions that stay do not nest deeper than what is below them allows. */
START_TEST(calls_around_a_deep_nest_are_few)
{
    enum { CALLERS = 12 };
    const int depth = IR_MAX_NEST - _i;
    ir_module parsed;
    ir_graph *f;
    ir_arena a;
    ir_buf b;

    ir_arena_init(&a, ctx);
    ir_buf_init(&b, &a);
    write_nest(&b, &families[0], depth);
    for (int i = 0; i < CALLERS; i++) {
        ir_buf_printf(&b,
                      "fn @g%d(%%x: f32[4]) -> (f32[4]) {\n %%0 = call %%x {body=@%c%d} : "
                      "f32[4]\n %%1 = call %%0 {body=@%c%d} : f32[4]\n",
                      i, i ? 'g' : 'f', i ? i - 1 : depth, i ? 'g' : 'f', i ? i - 1 : depth);
        for (int k = 2; k < 600; k++)
            ir_buf_printf(&b, " %%%d = sin %%%d : f32[4]\n", k, k - 1);
        ir_buf_str(&b, " ret %599\n}\n");
    }
    ck_assert_int_eq(ir_parse(ctx, "nests", b.text, b.n, &parsed), COT_OK);
    const cot_status status = pass_prepare(parsed.fn[parsed.n - 1], &f);
    /* 64 levels of conds leave none for the functions that call each other twice */
    ck_assert_msg(status == (_i < 3 ? COT_ERR_LIMIT : COT_OK), "%s", cot_error(ctx));
    if (status == COT_OK)
        ck_assert_int_le(f->chain, IR_MAX_NEST);
    ir_arena_free(&a);
}
END_TEST

/* The function that a level calls twice gets its axis once. */
START_TEST(an_axis_is_bound_once)
{
    meter m = { 0 };
    cot_context *c = cot_context_new(&(cot_options){ .alloc = metered, .alloc_user = &m });
    ir_module parsed;
    ir_graph *f;
    ir_arena a;
    ir_buf b;

    ir_arena_init(&a, c);
    ir_buf_init(&b, &a);
    ir_buf_str(&b, "fn @f0(%x: f32[4]) -> (f32[4]) {\n %0 = psum %x {over=\"i\"} : f32[4]\n"
                   " ret %0\n}\n");
    for (int i = 1; i <= 16; i++)
        ir_buf_printf(&b,
                      "fn @f%d(%%x: f32[4]) -> (f32[4]) {\n %%0 = call %%x {body=@f%d} : "
                      "f32[4]\n"
                      " %%1 = call %%0 {body=@f%d} : f32[4]\n ret %%1\n}\n",
                      i, i - 1, i - 1);
    ck_assert_int_eq(ir_parse(c, "nests", b.text, b.n, &parsed), COT_OK);
    f = parsed.fn[parsed.n - 1];
    ck_assert_msg(pass_pipeline(f, "vmap(size=3, axis=i)", NULL, NULL, &f) == COT_OK, "%s",
                  cot_error(c));
    ck_assert_uint_lt(m.most, 16 << 20);
    ir_arena_free(&a);
    cot_context_free(c);
}
END_TEST

START_TEST(the_message_names_what_unfolds_to_most)
{
    ir_module parsed;
    ir_graph *f;
    ir_arena a;
    ir_buf b;

    ir_arena_init(&a, ctx);
    ir_buf_init(&b, &a);
    write_doubling(&b, 20, true);
    ck_assert_int_eq(ir_parse(ctx, "nests", b.text, b.n, &parsed), COT_OK);
    ck_assert_int_eq(pass_run(pass_find("inline"), parsed.fn[parsed.n - 1], NULL, &f),
                     COT_ERR_LIMIT);
    ck_assert_str_eq(cot_error(ctx), "nests:124: call: functions that are used several times "
                                     "unfold to 3145728 ops; at most 263184");
    ir_arena_free(&a);
}
END_TEST

/* Two families of functions, one of which is the other by other names. */
static void
write_twice(ir_buf *b, int depth, bool doubles)
{
    for (int k = 0; k < 2; k++) {
        ir_buf_printf(
            b, "fn @%c0(%%x: f32[4]) -> (f32[4]) {\n %%0 = sin %%x : f32[4]\n ret %%0\n}\n",
            "fg"[k]);
        for (int i = 1; i <= depth; i++)
            ir_buf_printf(
                b,
                "fn @%c%d(%%x: f32[4]) -> (f32[4]) {\n %%0 = call %%x {body=@%c%d} : f32[4]\n"
                " %%1 = %s %%0%s : f32[4]\n ret %%1\n}\n",
                "fg"[k], i, "fg"[k], i - 1, doubles ? "call" : "cos",
                doubles ? ir_format(b->arena, " {body=@%c%d}", "fg"[k], i - 1) : "");
    }
}

START_TEST(functions_are_compared_once)
{
    const int depth = _i ? 60 : 20000;
    ir_module parsed;
    ir_arena a;
    ir_buf b;

    ir_arena_init(&a, ctx);
    ir_buf_init(&b, &a);
    write_twice(&b, depth, _i);
    ck_assert_msg(ir_parse(ctx, "nests", b.text, b.n, &parsed) == COT_OK, "%s", cot_error(ctx));
    ck_assert(ir_graph_equal(parsed.fn[depth], parsed.fn[2 * depth + 1]));
    ck_assert(!ir_graph_equal(parsed.fn[depth - 1], parsed.fn[2 * depth + 1]));
    ir_arena_free(&a);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(derivatives_grow_no_faster_than_the_nest, FAMILIES * PIPELINES),
        EACH(what_doubles_at_each_level_is_refused, 10),
        EACH(functions_that_double_at_each_level_stay, 8),
        EACH(calls_around_a_deep_nest_are_few, 20),
        ONCE(an_axis_is_bound_once),
        ONCE(the_message_names_what_unfolds_to_most),
        EACH(functions_are_compared_once, 2),
    };
    return SUITE("nests", cases);
}
