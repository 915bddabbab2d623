/* Folding: each identity on an example, and, as important, the look-alikes that must stay
 * because they change a NaN, an infinity or the sign of a zero. */
#include <stdio.h>

#include "ir/graph.h"
#include "tests/unit/suite.h"

typedef struct fold_row {
    const char *in, *type;      /* arguments, result type */
    const char *nodes, *ret;    /* what is written        */
    const char *folded;         /* what is left: nodes and ret; NULL: nothing changes */
} fold_row;

static const ir_graph *
parse(cot_context *ctx, const fold_row *row, const char *body)
{
    char text[1000];
    ir_module m = { 0 };
    volatile cot_status status = COT_ERR_MEMORY;

    snprintf(text, sizeof text, "fn @f(%s) -> %s {\n%s\n}\n", row->in, row->type, body);
    IR_TRY(ctx) {
        status = ir_parse(ctx, "t.cot", text, strlen(text), &m);
    }
    ck_assert_msg(status == COT_OK, "%s\n%s", cot_error(ctx), text);
    return m.fn[0];
}

#define C0 "%c = constant {data=0} : f32[2] "
#define CN "%c = constant {data=-0.0} : f32[2] "
#define C1 "%c = constant {data=1} : f32[2] "
#define I0 "%c = constant {data=0} : i32[2] "
#define I1 "%c = constant {data=1} : i32[2] "
#define X "%x: f32[2]"
#define XI "%x: i32[2]"

static const fold_row rows[] = {
    { X, "f32[2]", CN "%0 = add %x, %c : f32[2]", "ret %0", "ret %x" },
    { X, "f32[2]", CN "%0 = add %c, %x : f32[2]", "ret %0", "ret %x" },
    { X, "f32[2]", C0 "%0 = add %x, %c : f32[2]", "ret %0", NULL },
    { X, "f32[2]", C0 "%0 = sub %x, %c : f32[2]", "ret %0", "ret %x" },
    { X, "f32[2]", CN "%0 = sub %x, %c : f32[2]", "ret %0", NULL },
    { X, "f32[2]", CN "%0 = sub %c, %x : f32[2]", "ret %0", "%0 = neg %x : f32[2] ret %0" },
    { X, "f32[2]", C0 "%0 = sub %c, %x : f32[2]", "ret %0", NULL },
    { X, "f32[2]", C1 "%0 = mul %x, %c : f32[2]", "ret %0", "ret %x" },
    { X, "f32[2]", C0 "%0 = mul %x, %c : f32[2]", "ret %0", NULL },
    { X, "f32[2]", C1 "%0 = div %x, %c : f32[2]", "ret %0", "ret %x" },
    { X, "f32[2]", C0 "%0 = div %c, %x : f32[2]", "ret %0", NULL },
    { X, "f32[2]", "%0 = sub %x, %x : f32[2]", "ret %0", NULL },
    { X, "f32[2]", "%0 = neg %x : f32[2] %1 = neg %0 : f32[2]", "ret %1", "ret %x" },
    { X, "f32[2]", "%0 = neg %x : f32[2] %1 = abs %0 : f32[2]", "ret %1",
      "%0 = abs %x : f32[2] ret %0" },
    { X, "f32[2]", "%0 = floor %x : f32[2] %1 = floor %0 : f32[2]", "ret %1",
      "%0 = floor %x : f32[2] ret %0" },
    { X, "f32[2]", "%0 = max %x, %x : f32[2]", "ret %0", "ret %x" },
    { XI, "i32[2]", I0 "%0 = add %c, %x : i32[2]", "ret %0", "ret %x" },
    { XI, "i32[2]", I0 "%0 = mul %x, %c : i32[2]", "ret %0", I0 "ret %c" },
    { XI, "i32[2]", I0 "%0 = sub %c, %x : i32[2]", "ret %0", "%0 = neg %x : i32[2] ret %0" },
    { XI, "i32[2]", "%c = constant {data=-1} : i32[2] %0 = and %x, %c : i32[2]", "ret %0",
      "ret %x" },
    { XI, "i32[2]", I1 "%0 = and %x, %c : i32[2]", "ret %0", NULL },
    { XI, "i32[2]", I0 "%0 = shl %x, %c : i32[2]", "ret %0", "ret %x" },
    { "%x: bool[2]", "bool[2]", "%c = constant {data=true} : bool[2] %0 = or %x, %c : bool[2]",
      "ret %0", "%c = constant {data=true} : bool[2] ret %c" },
    { "%x: bool[2]", "bool[2]", "%0 = not %x : bool[2] %1 = not %0 : bool[2]", "ret %1",
      "ret %x" },
    { "%p: bool[2], " X, "f32[2]", "%0 = select %p, %x, %x : f32[2]", "ret %0", "ret %x" },
    { X ", %y: f32[2]", "f32[2]",
      "%c = constant {data=false} : bool[2] %0 = select %c, %x, %y : f32[2]", "ret %0",
      "ret %y" },
    { "%p: bool[2], " X ", %y: f32[2]", "f32[2]",
      "%0 = not %p : bool[2] %1 = select %0, %x, %y : f32[2]", "ret %1",
      "%0 = select %p, %y, %x : f32[2] ret %0" },
    { X, "f32[2]", "%0 = integer_pow %x {y=1} : f32[2]", "ret %0", "ret %x" },
    { X, "f32[2]", "%0 = convert %x {dtype=f32} : f32[2]", "ret %0", "ret %x" },
    { X, "f32[2]", "%0 = convert %x {dtype=f64} : f64[2] %1 = convert %0 {dtype=f32} : f32[2]",
      "ret %1", "ret %x" },
    { X, "f32[2]", "%0 = convert %x {dtype=f16} : f16[2] %1 = convert %0 {dtype=f32} : f32[2]",
      "ret %1", NULL },
    { XI, "i32[2]", "%0 = convert %x {dtype=f32} : f32[2] %1 = convert %0 {dtype=i32} : i32[2]",
      "ret %1", NULL },
    { XI, "i32[2]", "%0 = convert %x {dtype=f64} : f64[2] %1 = convert %0 {dtype=i32} : i32[2]",
      "ret %1", "ret %x" },
    { XI, "i32[2]", "%0 = convert %x {dtype=u64} : u64[2] %1 = convert %0 {dtype=i32} : i32[2]",
      "ret %1", NULL },
    { X, "i32[2]", "%0 = bitcast %x {dtype=u32} : u32[2] %1 = bitcast %0 {dtype=i32} : i32[2]",
      "ret %1", "%0 = bitcast %x {dtype=i32} : i32[2] ret %0" },
    { X, "f32[3,2,4]",
      "%0 = broadcast_in_dim %x {shape=[3,2], dims=[1]} : f32[3,2] "
      "%1 = broadcast_in_dim %0 {shape=[3,2,4], dims=[0,1]} : f32[3,2,4]",
      "ret %1", "%0 = broadcast_in_dim %x {shape=[3,2,4], dims=[1]} : f32[3,2,4] ret %0" },
    { X, "f32[2]",
      "%0 = reshape %x {shape=[1,2]} : f32[1,2] %1 = reshape %0 {shape=[2]} : f32[2]", "ret %1",
      "ret %x" },
    { "%x: f32[2,3,4]", "f32[2,3,4]",
      "%0 = transpose %x {perm=[1,2,0]} : f32[3,4,2] %1 = transpose %0 {perm=[2,0,1]} : "
      "f32[2,3,4]",
      "ret %1", "ret %x" },
    { "%x: f32[9]", "f32[2]",
      "%0 = slice %x {start=[1], limit=[9], stride=[2]} : f32[4] "
      "%1 = slice %0 {start=[1], limit=[4], stride=[2]} : f32[2]",
      "ret %1", "%0 = slice %x {start=[3], limit=[8], stride=[4]} : f32[2] ret %0" },
    { X ", %y: f32[]", "f32[2]", "%0 = pad %x, %y {low=[0], high=[0], interior=[0]} : f32[2]",
      "ret %0", "ret %x" },
    { X, "f32[2]", "%0 = concatenate %x {axis=0} : f32[2]", "ret %0", "ret %x" },
    { X ", %y: f32[0]", "f32[4]", "%0 = concatenate %x, %y, %x {axis=0} : f32[4]", "ret %0",
      "%0 = concatenate %x, %x {axis=0} : f32[4] ret %0" },
    { "%x: f32[2,3]", "f32[2,3]",
      "%0 = reverse %x {axes=[0]} : f32[2,3] %1 = reverse %0 {axes=[0,1]} : f32[2,3]", "ret %1",
      "%0 = reverse %x {axes=[1]} : f32[2,3] ret %0" },
    { X, "f32[2]", "%0 = reverse %x {axes=[]} : f32[2]", "ret %0", "ret %x" },
    { X, "f32[2]", "%0 = reduce_sum %x {axes=[]} : f32[2]", "ret %0", "ret %x" },
    { "%x: f32[2,1]", "f32[2]", "%0 = reduce_prod %x {axes=[1]} : f32[2]", "ret %0",
      "%0 = reshape %x {shape=[2]} : f32[2] ret %0" },
    { X ", %i: i32[]", "f32[2]", "%0 = dynamic_slice %x, %i {sizes=[2]} : f32[2]", "ret %0",
      "ret %x" },
    { X ", %y: f32[2], %i: i32[]", "f32[2]", "%0 = dynamic_update_slice %x, %y, %i : f32[2]",
      "ret %0", "ret %y" },
    /* constants */
    { X, "f32[2]", C1 "%0 = add %c, %c : f32[2] %1 = div %x, %0 : f32[2]", "ret %1",
      "%c = constant {data=2} : f32[2] %1 = div %x, %c : f32[2] ret %1" },
    { "", "f32[1000,1000]",
      "%c = constant {data=3} : f32[1000,1000] %0 = mul %c, %c : f32[1000,1000]", "ret %0",
      "%c = constant {data=9} : f32[1000,1000] ret %c" },
    { "", "f32[1000,1000]",
      "%c = constant {data=3} : f32[] %0 = broadcast_in_dim %c {shape=[1000,1000], dims=[]} : "
      "f32[1000,1000]",
      "ret %0", "%c = constant {data=3} : f32[1000,1000] ret %c" },
    { "", "f32[]",
      "%c = constant {data=[1,2,3]} : f32[3] %0 = reduce_sum %c {axes=[0]} : f32[]", "ret %0",
      "%c = constant {data=[6]} : f32[] ret %c" },
    { "", "f32[3]", "%c = constant {data=[1,2,3]} : f32[3] %0 = reverse %c {axes=[0]} : f32[3]",
      "ret %0", "%c = constant {data=[3,2,1]} : f32[3] ret %c" },
    { "", "bf16[2]",
      "%c = constant {data=[1.00390625,3]} : f32[2] %0 = convert %c {dtype=bf16} : bf16[2]",
      "ret %0", "%c = constant {data=[1,3]} : bf16[2] ret %c" },
};

static int
count_nodes(const char *body)
{
    int n = 0;

    for (; *body; body++)
        n += *body == '=' && body[-1] == ' ';
    return n;
}

START_TEST(folds_to_what_is_left)
{
    const fold_row *row = &rows[_i];
    char body[800];
    cot_context *ctx = cot_context_new(NULL);

    snprintf(body, sizeof body, "%s %s", row->nodes, row->ret);
    const ir_graph *f = parse(ctx, row, body);
    const ir_graph *want = parse(ctx, row, row->folded ? row->folded : body);
    int left = count_nodes(row->folded ? row->folded : body);
    ck_assert_msg(ir_graph_equal(f, want), "%s", body);
    ck_assert_msg((int)f->n_nodes - 1 == left, "%s: %d nodes are left, not %d", body,
                  (int)f->n_nodes - 1, left);
    cot_context_free(ctx);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(folds_to_what_is_left, sizeof rows / sizeof *rows),
    };

    return SUITE("fold", cases);
}
