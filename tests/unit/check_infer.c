/* Type inference: the type of each family of ops at its edges, and one error for each thing
 * that can be wrong with an operand or an attribute. */
#include <stdio.h>

#include "ir/graph.h"
#include "tests/unit/suite.h"

typedef struct infer_row {
    const char *in;             /* the arguments      */
    const char *node;           /* the op             */
    const char *want;           /* its type, or error */
} infer_row;

static char message[400];

/* Parse a function of one node, declared with the given result types. */
static cot_status
parse(const infer_row *row, const char *type)
{
    char text[2000];
    cot_context *ctx = cot_context_new(NULL);
    volatile cot_status status = COT_ERR_MEMORY;
    ir_module m;

    snprintf(text, sizeof text,
             "fn @id(%%x: f32[3]) -> f32[3] {\n  ret %%x\n}\n"
             "fn @two(%%x: f32[3], %%y: f32[3]) -> (f32[3], f32[3]) {\n  ret %%y, %%x\n}\n"
             "fn @less(%%x: f32[3]) -> bool[3] {\n  %%0 = lt %%x, %%x : bool[3]\n  ret %%0\n}\n"
             "fn @all(%%x: f32[3]) -> bool[] {\n  %%0 = is_finite %%x : bool[3]\n"
             "  %%1 = reduce_and %%0 {axes=[0]} : bool[]\n  ret %%1\n}\n"
             "fn @f(%s) -> %s {\n  %%0 = %s : %s\n  ret %%0\n}\n",
             row->in, type, row->node, type);
    IR_TRY(ctx) {
        status = ir_parse(ctx, "t.cot", text, strlen(text), &m);
    }
    snprintf(message, sizeof message, "%s", cot_error(ctx));
    cot_context_free(ctx);
    return status;
}

static const infer_row good[] = {
    { "%x: i8[2,3]", "neg %x", "i8[2,3]" },
    { "%x: bool[]", "max %x, %x", "bool[]" },
    { "%x: u8[4]", "popcnt %x", "u8[4]" },
    { "%x: f16[0]", "is_finite %x", "bool[0]" },
    { "%x: f64[2]", "convert %x {dtype=bf16}", "bf16[2]" },
    { "%x: f16[2]", "bitcast %x {dtype=i16}", "i16[2]" },
    { "%x: i32[2]", "integer_pow %x {y=3}", "i32[2]" },
    { "%p: bool[2], %x: u8[2]", "select %p, %x, %x", "u8[2]" },
    { "%x: f32[3,1]", "broadcast_in_dim %x {shape=[2,3,4], dims=[1,2]}", "f32[2,3,4]" },
    { "%x: f32[]", "broadcast_in_dim %x {shape=[0,5], dims=[]}", "f32[0,5]" },
    { "%x: f32[2,0]", "reshape %x {shape=[0,7,3]}", "f32[0,7,3]" },
    { "%x: f32[6]", "reshape %x {shape=[3,1,2]}", "f32[3,1,2]" },
    { "%x: f32[2,3,5]", "transpose %x {perm=[2,0,1]}", "f32[5,2,3]" },
    { "%x: f32[9,4]", "slice %x {start=[1,4], limit=[8,4], stride=[3,1]}", "f32[3,0]" },
    { "%x: f32[5], %y: f32[]", "pad %x, %y {low=[-1], high=[2], interior=[1]}", "f32[10]" },
    { "%x: f32[0], %y: f32[]", "pad %x, %y {low=[2], high=[0], interior=[9]}", "f32[2]" },
    { "%x: f32[2,3], %y: f32[2,0]", "concatenate %x, %y, %x {axis=1}", "f32[2,6]" },
    { "%x: f32[2,3]", "reverse %x {axes=[0,1]}", "f32[2,3]" },
    { "", "iota {dtype=u8, shape=[3,300], axis=1}", "u8[3,300]" },
    { "%x: f32[2,3,4]", "reduce_sum %x {axes=[1,2]}", "f32[2]" },
    { "%x: f32[2,3,4]", "reduce_max %x {axes=[0,2]}", "f32[3]" },
    { "%x: bool[2,3]", "reduce_or %x {axes=[0]}", "bool[3]" },
    { "%x: f32[2,3]", "argmax %x {axis=1, dtype=i8}", "i8[2]" },
    { "%x: f32[2,3,4], %y: f32[5,4,2]",
      "dot_general %x, %y {lhs=[2], rhs=[1], lhs_batch=[0], rhs_batch=[2]}", "f32[2,3,5]" },
    { "%x: f32[2], %y: f32[3]",
      "dot_general %x, %y {lhs=[], rhs=[], lhs_batch=[], rhs_batch=[]}", "f32[2,3]" },
    { "%x: f32[5,4], %i: i32[], %j: u8[]", "dynamic_slice %x, %i, %j {sizes=[2,4]}",
      "f32[2,4]" },
    { "%x: f32[5,4], %y: f32[0,4], %i: i32[]", "dynamic_update_slice %x, %y, %i, %i",
      "f32[5,4]" },
    { "%x: f32[7,4], %i: i32[3,1]",
      "gather %x, %i {offset_dims=[1], collapsed=[0], operand_batch=[], indices_batch=[], "
      "index_map=[0], sizes=[1,4]}",
      "f32[3,4]" },
    { "%x: f32[0,7], %i: i32[0,3,1]",
      "gather %x, %i {offset_dims=[], collapsed=[1], operand_batch=[0], indices_batch=[0], "
      "index_map=[1], sizes=[1,1], mode=fill}",
      "f32[0,3]" },
    { "%x: f32[7,4], %i: i32[3,1], %z: f32[4,3]",
      "scatter_add %x, %i, %z {window_dims=[0], inserted=[0], operand_batch=[], "
      "indices_batch=[], "
      "index_map=[0]}",
      "f32[7,4]" },
    { "%x: f32[3]", "call %x {body=@id}", "f32[3]" },
    { "%p: bool[3], %x: f32[3]", "cond %p, %x {branches=[@id, @id]}", "f32[3]" },
    { "%p: i64[], %x: f32[3]", "cond %p, %x {branches=[@id]}", "f32[3]" },
    { "%x: f32[3]", "while %x {cond=@all, body=@id, max=7}", "f32[3]" },
    { "%x: f32[3]", "while %x {cond=@less, body=@id}", "f32[3]" },
    { "%x: f32[4,3]", "scan %x {carries=0, length=4, body=@id}", "f32[4,3]" },
    { "%x: f32[3]", "scan %x {carries=1, length=0, body=@id}", "f32[3]" },
};

START_TEST(a_good_node_has_its_type)
{
    cot_status s = parse(&good[_i], good[_i].want);

    ck_assert_msg(s == COT_OK, "%s: %s", good[_i].node, message);
}
END_TEST

static const infer_row bad[] = {
    { "%x: bool[2]", "neg %x", "neg: operand 0 is bool[2]; wants a number" },
    { "%x: i32[2]", "sin %x", "sin: operand 0 is i32[2]; wants a floating type" },
    { "%x: f32[2], %y: f32[3]", "add %x, %y",
      "add: operands are f32[2] and f32[3]; wants equal shapes" },
    { "%x: f32[2], %y: f64[2]", "add %x, %y",
      "add: operands are f32[2] and f64[2]; wants equal element types" },
    { "%x: f32[2]", "add %x", "add: has 1 operands; wants 2" },
    { "%x: f32[2]", "and %x, %x", "and: operand 0 is f32[2]; wants an integer or bool" },
    { "%x: f32[2]", "bitcast %x {dtype=f64}", "an element type as wide as f64" },
    { "%x: i32[2]", "integer_pow %x {y=-1}", "as y is negative" },
    { "%x: f32[2]", "select %x, %x, %x", "select: operand 0 is f32[2]; wants bool" },
    { "%p: bool[3], %x: f32[2]", "select %p, %x, %x", "wants equal shapes" },
    { "%x: f32[2]", "broadcast_in_dim %x {shape=[3], dims=[0]}",
      "axis 0 of f32[2] becomes axis 0 of size 3" },
    { "%x: f32[2,3]", "broadcast_in_dim %x {shape=[3,2], dims=[1,0]}",
      "wants ascending entries" },
    { "%x: f32[2]", "broadcast_in_dim %x {shape=[2], dims=[]}", "dims has 0 entries; wants 1" },
    { "%x: f32[2]", "broadcast_in_dim %x {shape=[2], dims=[-1]}",
      "dims[0] is -1; wants 0 to 0" },
    { "%x: f32[2]", "broadcast_in_dim %x {shape=[2,-1], dims=[0]}", "axis 1 has size -1" },
    { "%x: f32[]", "broadcast_in_dim %x {shape=[99999999,99999999], dims=[]}",
      "more than 2^48 elements" },
    { "%x: f32[0]", "reshape %x {shape=[0,9223372036854775807,3]}", "more than 2^48 elements" },
    { "%x: f32[6]", "reshape %x {shape=[4]}", "has 6 elements, the shape wants 4" },
    { "%x: f32[2,3]", "transpose %x {perm=[0,0]}", "axis 0 is named twice" },
    { "%x: f32[2,3]", "transpose %x {perm=[0]}", "perm has 1 entries; wants 2" },
    { "%x: f32[4]", "slice %x {start=[3], limit=[2], stride=[1]}",
      "start[0] is 3; wants 0 to 2" },
    { "%x: f32[4]", "slice %x {start=[0], limit=[5], stride=[1]}",
      "limit[0] is 5; wants 0 to 4" },
    { "%x: f32[4]", "slice %x {start=[0], limit=[4], stride=[0]}",
      "stride[0] is 0; wants 1 to" },
    { "%x: f32[4], %y: f32[1]", "pad %x, %y {low=[0], high=[0], interior=[0]}",
      "wants a scalar of f32" },
    { "%x: f32[4], %y: f32[]", "pad %x, %y {low=[-3], high=[-2], interior=[0]}",
      "axis 0 has size -1" },
    { "%x: f32[4], %y: f32[]",
      "pad %x, %y {low=[-9223372036854775808], high=[0], interior=[0]}", "low[0] is" },
    { "%x: f32[4], %y: f32[]", "pad %x, %y {low=[0], high=[0], interior=[-1]}",
      "interior[0] is -1" },
    { "%x: f32[4], %y: f32[4,1]", "concatenate %x, %y {axis=0}", "wants equal shapes" },
    { "%x: f32[4]", "concatenate %x {axis=1}", "axis 1 is out of range for f32[4]" },
    { "%x: f32[4]", "concatenate {axis=0}", "has 0 operands" },
    { "%x: f32[4]", "reverse %x {axes=[1]}", "axis 1 is out of range for f32[4]" },
    { "", "iota {dtype=bool, shape=[3], axis=0}", "dtype" },
    { "", "iota {dtype=f32, shape=[3], axis=1}", "axis 1 is out of range for f32[3]" },
    { "%x: f32[2,3,4]", "reduce_sum %x {axes=[0,2]}", "axes are not adjacent" },
    { "%x: f32[2]", "reduce_sum %x {axes=[1]}", "axis 1 is out of range for f32[2]" },
    { "%x: bool[2]", "reduce_max %x {axes=[0]}", "wants a number" },
    { "%x: f32[0]", "argmax %x {axis=0}", "axis 0 of f32[0] is empty" },
    { "%x: f32[200]", "argmax %x {axis=0, dtype=i8}", "too large to count in i8" },
    { "%x: f32[200]", "argmax %x {axis=0, dtype=f32}", "wants an integer type" },
    { "%x: f32[2,3], %y: f32[4,5]",
      "dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]}",
      "dot_general: contracted sizes differ: x axis 1 has 3, y axis 0 has 4" },
    { "%x: f32[2,3], %y: f32[4,5]",
      "dot_general %x, %y {lhs=[1], rhs=[], lhs_batch=[], rhs_batch=[]}",
      "rhs has 0 entries; wants 1" },
    { "%x: f32[2,3], %y: f32[3,2]",
      "dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[1], rhs_batch=[1]}",
      "axis 1 is named twice" },
    { "%x: f32[5], %i: f32[]", "dynamic_slice %x, %i {sizes=[2]}", "wants an integer scalar" },
    { "%x: f32[5], %i: i32[]", "dynamic_slice %x, %i {sizes=[6]}",
      "sizes[0] is 6; wants 0 to 5" },
    { "%x: f32[5], %i: i32[]", "dynamic_slice %x, %i, %i {sizes=[2]}",
      "has 3 operands; wants 2" },
    { "%x: f32[5], %y: f32[6], %i: i32[]", "dynamic_update_slice %x, %y, %i",
      "at most 5 on axis 0" },
    { "%x: f32[7,4], %i: i32[3,2]",
      "gather %x, %i {offset_dims=[1], collapsed=[0], operand_batch=[], indices_batch=[], "
      "index_map=[0], sizes=[1,4]}",
      "index_map has 1 entries; wants 2" },
    { "%x: f32[7,4], %i: i32[3,1]",
      "gather %x, %i {offset_dims=[1], collapsed=[0], operand_batch=[], indices_batch=[], "
      "index_map=[0], sizes=[2,4]}",
      "sizes[0] is 2; wants 1" },
    { "%x: f32[7,4], %i: i32[3,1]",
      "gather %x, %i {offset_dims=[2], collapsed=[0], operand_batch=[], indices_batch=[], "
      "index_map=[0], sizes=[1,4]}",
      "offset_dims[0] is 2; wants 0 to 1" },
    { "%x: f32[7,4], %i: i32[3,1]",
      "gather %x, %i {offset_dims=[1], collapsed=[0], operand_batch=[0], indices_batch=[0], "
      "index_map=[0], sizes=[1,4]}",
      "axis 0 is named twice" },
    { "%x: f32[7,4], %i: f32[3,1]",
      "gather %x, %i {offset_dims=[1], collapsed=[0], operand_batch=[], indices_batch=[], "
      "index_map=[0], sizes=[1,4]}",
      "wants integers" },
    { "%x: f32[7,4], %i: i32[]",
      "gather %x, %i {offset_dims=[1], collapsed=[0], operand_batch=[], indices_batch=[], "
      "index_map=[0], sizes=[1,4]}",
      "index vectors along a last axis" },
    { "%x: f32[7,4], %i: i32[3,1], %z: f32[3,5]",
      "scatter %x, %i, %z {window_dims=[1], inserted=[0], operand_batch=[], indices_batch=[], "
      "index_map=[0]}",
      "window sizes differ: x axis 1 has 4, updates axis 1 has 5" },
    { "%x: f32[7,4], %i: i32[3,1], %z: f32[2,4]",
      "scatter %x, %i, %z {window_dims=[1], inserted=[0], operand_batch=[], indices_batch=[], "
      "index_map=[0]}",
      "index sizes differ: indices axis 0 has 3, updates axis 0 has 2" },
    { "%x: bool[7], %i: i32[3,1], %z: bool[3]",
      "scatter_add %x, %i, %z {window_dims=[], inserted=[0], operand_batch=[], "
      "indices_batch=[], "
      "index_map=[0]}",
      "wants a number" },
    { "%x: f32[4]", "call %x {body=@id}", "body: input 0 is f32[3]; wants f32[4]" },
    { "%x: f32[3]", "call %x {body=@two}", "body: has 2 inputs; wants 1" },
    { "%p: f32[], %x: f32[3]", "cond %p, %x {branches=[@id]}", "wants an integer or bool" },
    { "%p: bool[], %x: f32[3]", "cond %p, %x {branches=[]}", "branches is missing" },
    { "%p: bool[], %x: f32[3]", "cond %p, %x {branches=[@id, @less]}",
      "output 0 is bool[3]; wants f32[3]" },
    { "%p: bool[2], %x: f32[3]", "cond %p, %x {branches=[@id]}",
      "wants the predicate's axes first" },
    { "%x: f32[3]", "while %x {cond=@id, body=@id}", "output 0 is f32[3]; wants bool" },
    { "%x: f32[3]", "while %x {cond=@all, body=@less}", "output 0 is bool[3]; wants f32[3]" },
    { "%x: f32[3]", "while %x {cond=@all, body=@id, max=-1}", "max is -1; wants 0 or more" },
    { "%x: f32[3]", "while %x {cond=@all, body=@id, consts=2}", "consts is 2" },
    { "%x: f32[4,3]", "scan %x {carries=0, length=5, body=@id}",
      "size 5, the length, on axis 0" },
    { "%x: f32[3]", "scan %x {carries=2, length=5, body=@id}", "carries is 2" },
    { "%x: f32[3]", "scan %x {carries=0, consts=-1, length=5, body=@id}", "consts is -1" },
    { "%x: f32[3]", "scan %x {carries=1, length=-5, body=@id}", "length is -5" },
};

START_TEST(a_bad_node_says_what_was_wanted)
{
    cot_status s = parse(&bad[_i], "f32[]");

    ck_assert_msg(s != COT_OK, "%s: accepted", bad[_i].node);
    ck_assert_msg(strstr(message, bad[_i].want) != NULL, "%s: '%s' is not in '%s'",
                  bad[_i].node, bad[_i].want, message);
    ck_assert_msg(strstr(message, "t.cot:") == message, "no place in '%s'", message);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(a_good_node_has_its_type, sizeof good / sizeof *good),
        EACH(a_bad_node_says_what_was_wanted, sizeof bad / sizeof *bad),
    };

    return SUITE("infer", cases);
}
