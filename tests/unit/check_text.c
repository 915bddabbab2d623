/* Graph text: what prints parses back to the same graph, and what is wrong is refused at its
 * line. */

#include "ir/graph.h"
#include "tests/unit/suite.h"

static ir_graph *
last(const ir_module *m)
{
    return m->n ? m->fn[m->n - 1] : NULL;
}

static const char *const good[] = {
    "fn @f(%x: f32[4], %w: f32[4]) -> f32[4] {\n  %0 = sin %x     : f32[4]\n  %1 = mul %0, %w "
    ": f32[4]\n  ret %1\n}\n",
    "fn @unnamed(%arg0: f64[]) -> (f64[], f64[]) {\n  ret %arg0, %arg0\n}\n",
    "fn @none() -> () {\n  ret\n}\n",
    "fn @named(%x: f32[2]) -> (y: f32[2], f32[2]) {\n  %0 = neg %x : f32[2]\n  ret %0, %x\n}\n",
    "fn @empty(%x: f32[0,3]) -> f32[3] {\n  %0 = reduce_sum %x {axes=[0]} : f32[3]\n  ret "
    "%0\n}\n",
    "fn @consts() -> (f32[3], bool[2], i8[2], u64[], f16[2], f64[2]) {\n"
    "  %0 = constant {data=[1,-0,inf]}             : f32[3]\n"
    "  %1 = constant {data=[true,false]}           : bool[2]\n"
    "  %2 = constant {data=[-128,127]}             : i8[2]\n"
    "  %3 = constant {data=18446744073709551615}   : u64[]\n"
    "  %4 = constant {data=[0.1,65504]}            : f16[2]\n"
    "  %5 = constant {data=[nan,1e-320]}           : f64[2]\n"
    "  ret %0, %1, %2, %3, %4, %5\n}\n",
    "fn @body(%c: i32[], %x: f32[2]) -> (i32[], f32[2]) {\n  %0 = constant {data=1} : i32[]\n"
    "  %1 = add %c, %0        : i32[]\n  ret %1, %x\n}\n"
    "fn @loop(%c: i32[], %xs: f32[5,2]) -> (i32[], f32[5,2]) {\n"
    "  %0, %1 = scan %c, %xs {carries=1, length=5, reverse=true, body=@body} : (i32[], "
    "f32[5,2])\n  ret %0, %1\n}\n",
};
enum { GOOD = sizeof good / sizeof *good };

/* Text, graph, text, graph: the graphs are equal, and so are the texts. */
START_TEST(prints_what_it_parsed)
{
    ir_module m, again;
    ir_buf first, second;
    ck_assert_msg(ir_parse(ctx, "good.cot", good[_i], strlen(good[_i]), &m) == COT_OK, "%s",
                  cot_error(ctx));
    ir_buf_init(&first, &ctx->arena);
    ir_buf_init(&second, &ctx->arena);
    ir_print(&first, last(&m), 0);
    ck_assert_msg(ir_parse(ctx, "again.cot", first.text, first.n, &again) == COT_OK, "%s\n%s",
                  cot_error(ctx), first.text);
    ir_print(&second, last(&again), 0);
    ck_assert_str_eq(first.text, second.text);
    ck_assert(ir_graph_equal(last(&m), last(&again)));
    ck_assert_int_eq(ir_verify(ctx, last(&again), "parse"), COT_OK);
}
END_TEST

START_TEST(keeps_locations)
{
    static const char text[] = "fn @f(%x: f32[]) -> f32[] {\n  %0 = sin %x : f32[] "
                               "loc(\"model.c\":41, \"in grad\")\n  ret %0\n}\n";
    ir_module m;
    ir_buf b;
    ck_assert_int_eq(ir_parse(ctx, "f.cot", text, strlen(text), &m), COT_OK);
    ir_buf_init(&b, &ctx->arena);
    ir_print(&b, last(&m), IR_PRINT_LOCS);
    ck_assert_str_eq(b.text, text);
    ir_buf_init(&b, &ctx->arena);
    ir_loc_print(ctx, last(&m)->node[1].loc, &b);
    ck_assert_str_eq(b.text, "model.c:41, in grad");
}
END_TEST

static const struct {
    const char *text, *message;
} bad[] = {
    { "", "bad.cot:1: found the end of the text; wants 'fn'" },
    { "fn @f(%x: f32[2) -> f32[2] {", "bad.cot:1: found ')'; wants ']'" },
    { "fn @f(%x: f32[-1]) -> f32[] { ret %x }",
      "bad.cot:1: axis 0 has size -1; sizes are 0 or more" },
    { "fn @f(%x: f33[]) -> f32[] { ret %x }",
      "bad.cot:1: found 'f33[])'; wants an element type; did you mean 'f32'?" },
    { "fn @f(%x: f32[]) -> f32[] {\n  ret %y\n}",
      "bad.cot:2: found '%y'; wants a value defined above" },
    { "fn @f(%x: f32[]) -> f32[] {\n  %0 = sine %x : f32[]\n  ret %0\n}",
      "bad.cot:2: found 'sine'; wants the name of an op; did you mean 'sin'?" },
    { "fn @f(%x: f32[]) -> f32[] {\n  %0 = frobnicate %x : f32[]\n  ret %0\n}",
      "bad.cot:2: found 'frobnicate'; wants the name of an op" },
    { "fn @f(%x: f32[2]) -> f32[] {\n  %0 = reduce_sum %x {axs=[0]} : f32[]\n  ret %0\n}",
      "bad.cot:2: found '=[0]}'; wants an attribute of reduce_sum, not 'axs'; it has axes, "
      "first; did you mean 'axes'?" },
    { "fn @f(%x: f32[2]) -> f32[] {\n  %0 = reduce_sum %x {axes=[0], axes=[0]} : f32[]\n  ret "
      "%0\n}",
      "bad.cot:2: found '=[0]}'; wants 'axes' once" },
    { "fn @f(%x: f32[2]) -> f32[2] {\n  %0 = sin %x {axes=[0]} : f32[2]\n  ret %0\n}",
      "bad.cot:2: found '=[0]}'; wants an attribute of sin, not 'axes'; it has none" },
    { "fn @f(%x: f32[]) -> f32[] {\n  %0 = call %x {body=@g} : f32[]\n  ret %0\n}",
      "bad.cot:2: found '@g}'; wants a function defined above, and none is" },
    { "fn @half(%x: f32[]) -> f32[] {\n  ret %x\n}\nfn @f(%x: f32[]) -> f32[] {\n  %0 = call "
      "%x {body=@hlaf} : f32[]\n  ret %0\n}",
      "bad.cot:5: found '@hlaf}'; wants a function defined above: @half; did you mean "
      "'half'?" },
    { "fn @f(%x: f32[]) -> (f32[], f32[]) {\n  ret %x\n}",
      "bad.cot:2: ret: @f: has 1 value; wants 2" },
    { "fn @f(%x: f32[]) -> f32[] {\n  ret\n}", "bad.cot:2: ret: @f: has 0 values; wants 1" },
    { "fn @f(%x: f32[2]) -> f32[] {\n\n  %0 = sin %x : f32[]\n  ret %0\n}",
      "bad.cot:3: sin: result 0 is declared f32[]; it is f32[2]" },
    { "fn @f(%x: f32[2], %x: f32[]) -> f32[] {\n ret %x\n}",
      "bad.cot:1: found 'f32[])'; wants a new name before this: %x is an argument already" },
    { "fn @f() -> f32[] {\n  %0 = constant {data=[1,2]} : f32[3]\n  ret %0\n}",
      "bad.cot:2: found '}'; wants 3 elements, not 2" },
    { "fn @f() -> i8[] {\n  %0 = constant {data=128} : i8[]\n  ret %0\n}",
      "bad.cot:2: found '128}'; wants a number that fits i8" },
    { "fn @f(%x: f32[2]) -> f32[] {\n  %0 = reduce_sum %x : f32[]\n  ret %0\n}",
      "bad.cot:2: found ':'; wants the attribute axes of reduce_sum" },
    { "fn @f() -> f32[] {\n  constant {data=1} : f32[]\n}",
      "bad.cot:2: constant: node: has 0 names of results; wants 1" },
    { "fn @f() -> f32[] {\n  %0 = constant {data=1}\n  ret %0\n}",
      "bad.cot:3: found 'ret'; wants ':' and the type of the constant" },
    { "fn @f(%x: f32[2]) -> f32[] {\n  %0 = sin %x\n  %1 = sin %0 : f32[]\n  ret %1\n}",
      "bad.cot:3: sin: result 0 is declared f32[]; it is f32[2]" },
    { "fn @f(%x: f32[2], %y: f32[3]) -> f32[] {\n  %0 = add %x, %y\n  ret %0\n}",
      "bad.cot:2: add: operands are f32[2] and f32[3]; wants equal shapes" },
};
enum { BAD = sizeof bad / sizeof *bad };

START_TEST(refuses_at_the_line)
{
    ir_module m;
    ck_assert_int_ne(ir_parse(ctx, "bad.cot", bad[_i].text, strlen(bad[_i].text), &m), COT_OK);
    ck_assert_str_eq(cot_error(ctx), bad[_i].message);
}
END_TEST

/* Every prefix of a good text is refused or parsed, never worse. */
START_TEST(survives_every_prefix)
{
    for (size_t n = 0; n < strlen(good[_i]); n++) {
        ir_module m;
        (void)ir_parse(ctx, "prefix.cot", good[_i], n, &m);
        cot_error_clear(ctx);
    }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(prints_what_it_parsed, GOOD),
        ONCE(keeps_locations),
        EACH(refuses_at_the_line, BAD),
        EACH(survives_every_prefix, GOOD),
    };

    return SUITE("text", cases);
}
