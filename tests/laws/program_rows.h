/* The table of programs for laws, of the ops that are not pointwise: rows of text in which `$`
 * stands for the element type. */
#ifndef TESTS_LAWS_PROGRAM_ROWS_H
#define TESTS_LAWS_PROGRAM_ROWS_H

#include "tests/laws/programs.h"

typedef int types;
enum {
    INTS = LAWS_INTS,
    FLOATS = LAWS_FLOATS,
    BOOL = LAWS_BOOL,
    COMPLEX = LAWS_COMPLEX,
    BITS = LAWS_BITS,
    NUMBERS = LAWS_NUMBERS,
    ALL = LAWS_ALL,
    INEXACT = LAWS_INEXACT,
    ANY_NUMBER = LAWS_ANY_NUMBER,
    ANYTHING = LAWS_ANYTHING,
};

typedef struct row {
    const char *op;
    types types;
    /* whole functions, the last is @f; $ is the element type; ~ ^ &: see laws_substitute */
    const char *text;
    double lo, hi;
    bool kinks, blocks;
} row;

/* One function of one node. */
#define F(in, type, body) "fn @f(" in ") -> " type " {\n  " body "\n  ret %0\n}\n"
#define DOT(x, y, r, dims) F("%x: " x ", %y: " y, r, "%0 = dot_general %x, %y {" dims "} : " r)
#define CONV(x, y, r, at) F("%x: " x ", %y: " y, r, "%0 = conv_general %x, %y {" at "} : " r)
#define PUT(op, x, i, z, dims)                                                                 \
    F("%x: " x ", %i: " i ", %z: " z, x, "%0 = " op " %x, %i, %z {" dims "} : " x)
#define TAKE(x, i, r, dims) F("%x: " x ", %i: " i, r, "%0 = gather %x, %i {" dims "} : " r)
#define ROWS "inserted=[0], operand_batch=[], indices_batch=[], index_map=[0]"
#define PUTS(op, t, kinks)                                                                     \
    { op, t, PUT(op, "$[5]", "i32[3,1]", "$[3]", "window_dims=[], " ROWS), 0.5, 2, kinks, 0 }, \
    { op, t, PUT(op, "$[3,4]", "i32[2,1]", "$[2,3]", "window_dims=[1], " ROWS ", mode=fill"),  \
      0.5, 2, kinks, 0 },                                                                      \
    { op, t, PUT(op, "$[4,3]", "i32[5,1]", "$[5,3]",                                           \
                 "window_dims=[1], " ROWS ", mode=promise"), 0.5, 2, kinks, 0 },               \
    { op, t, PUT(op, "$[3,4]", "i64[2,1]", "$[4,2]", "window_dims=[0], " ROWS ", mode=fill"),  \
      0.5, 2, kinks, 0 },                                                                      \
    { op, t, PUT(op, "$[2,5]", "i32[2,3,1]", "$[2,3]",                                         \
                 "window_dims=[], inserted=[1], operand_batch=[0], "                           \
                     "indices_batch=[0], index_map=[1]"), 0.5, 2, kinks, 0 },                  \
    { op, t, PUT(op, "$[4,5]", "u8[2,2]", "$[2,2,3]",                                          \
                 "window_dims=[1,2], inserted=[], operand_batch=[], "                          \
                     "indices_batch=[], index_map=[1,0]"), 0.5, 2, kinks, 0 }
#define REDUCE(op, t, lo, hi)                                                                  \
    { op, t, F("%x: $[7]", "$[]", "%0 = " op " %x {axes=[0]} : $[]"), lo, hi, 0, 0 },          \
    { op, t, F("%x: $[2,3,5]", "$[2]", "%0 = " op " %x {axes=[1,2]} : $[2]"), lo, hi, 0, 0 },  \
    { op, t, F("%x: $[3,2,5]", "$[2,5]", "%0 = " op " %x {axes=[0]} : $[2,5]"),                \
      lo, hi, 0, 0 },                                                                          \
    { op, t, F("%x: $[2,0]", "$[2]", "%0 = " op " %x {axes=[1]} : $[2]"), lo, hi, 0, 0 },      \
    { op, t, F("%x: $[0,3]", "$[0]", "%0 = " op " %x {axes=[1]} : $[0]"), lo, hi, 0, 0 },      \
    { op, t, F("%x: $[1041]", "$[]", "%0 = " op " %x {axes=[0]} : $[]"), lo, hi, 1, 0 }

#define FN_ID "fn @id(%x: $[3]) -> $[3] {\n  ret %x\n}\n"
#define FN_SQUARE "fn @square(%x: $[3]) -> $[3] {\n  %0 = mul %x, %x : $[3]\n  ret %0\n}\n"
#define FN_NOT "fn @not(%x: $[3]) -> $[3] {\n  %0 = not %x : $[3]\n  ret %0\n}\n"
#define FN_FLIP "fn @few(%n: i32[], %c: $[]) -> bool[] {\n  %0 = constant {data=4} : "         \
                "i32[]\n  %1 = lt %n, %0 : bool[]\n"                                           \
    "  ret %1\n}\nfn @flip(%n: i32[], %c: $[]) -> (i32[], $[]) {\n  %0 = constant {data=1} "   \
    ": i32[]\n"                                                                                \
    "  %1 = add %n, %0 : i32[]\n  %2 = not %c : $[]\n  ret %1, %2\n}\n"
#define FN_SIN "fn @sin(%x: $[3]) -> $[3] {\n  %0 = sin %x : $[3]\n  ret %0\n}\n"
#define FN_STEP "fn @step(%k: $[2], %c: $[2], %x: $[2]) -> ($[2], $[2]) {\n  %0 = mul %c, "    \
                "%k : $[2]\n"                                                                  \
    "  %1 = add %0, %x : $[2]\n  %2 = mul %1, %c : $[2]\n  ret %1, %2\n}\n"
#define FN_COUNT "fn @count(%k: $[], %n: i32[], %c: $[]) -> bool[] {\n  %0 = constant "        \
                 "{data=4} : i32[]\n"                                                          \
    "  %1 = lt %n, %0 : bool[]\n  ret %1\n}\n"                                                 \
    "fn @grow(%k: $[], %n: i32[], %c: $[]) -> (i32[], $[]) {\n  %0 = constant {data=1} : "     \
    "i32[]\n"                                                                                  \
    "  %1 = add %n, %0 : i32[]\n  %2 = mul %c, %k : $[]\n  %3 = mul %2, %c : $[]\n  ret %1, "  \
    "%3\n}\n"
#define FN_EACH "fn @less(%n: i32[3], %c: $[3]) -> bool[3] {\n  %0 = constant {data=3} : "     \
                "i32[3]\n"                                                                     \
    "  %1 = lt %n, %0 : bool[3]\n  ret %1\n}\n"                                                \
    "fn @next(%n: i32[3], %c: $[3]) -> (i32[3], $[3]) {\n  %0 = constant {data=1} : i32[3]\n"  \
    "  %1 = add %n, %0 : i32[3]\n  %2 = mul %c, %c : $[3]\n  ret %1, %2\n}\n"
#define FN_SOLVE "fn @back(%a: $[3], %b: $[3]) -> $[3] {\n  %0 = div %b, %a : $[3]\n  ret "    \
                 "%0\n}\n"                                                                     \
    "fn @line(%a: $[3], %x: $[3]) -> $[3] {\n  %0 = mul %a, %x : $[3]\n  ret %0\n}\n"
#define FN_ROOT "fn @solve(%c: $[3], %x: $[3]) -> $[3] {\n  %0 = sqrt %c : $[3]\n  ret "       \
                "%0\n}\n"                                                                      \
    "fn @miss(%c: $[3], %x: $[3]) -> $[3] {\n  %0 = mul %x, %x : $[3]\n  %1 = sub %0, %c : "   \
    "$[3]\n"                                                                                   \
    "  ret %1\n}\n"                                                                            \
    "fn @back(%c: $[3], %x: $[3], %b: $[3]) -> $[3] {\n  %0 = add %x, %x : $[3]\n"             \
    "  %1 = div %b, %0 : $[3]\n  ret %1\n}\n"                                                  \
    "fn @line(%c: $[3], %x: $[3], %v: $[3]) -> $[3] {\n  %0 = add %x, %x : $[3]\n"             \
    "  %1 = mul %0, %v : $[3]\n  ret %1\n}\n"

/* %a is x x^T + 4, %t is x + 4: matrices that every factorisation takes. */
#define FOUR3 "  %c = constant {data=[4,0,0,0,4,0,0,0,4]} : $[3,3]\n"
#define SPD3 "%s = dot_general %x, %x {lhs=[1], rhs=[1], lhs_batch=[], rhs_batch=[]} : "       \
             "$[3,3]\n" FOUR3                                                                  \
    "  %a = add %s, %c : $[3,3]\n"
#define TALL "  %c = constant {data=[4,0,0,4,0,0]} : $[3,2]\n  %t = add %x, %c : $[3,2]\n"
#define WIDE "  %c = constant {data=[4,0,0,0,4,0]} : $[2,3]\n  %t = add %x, %c : $[2,3]\n"
#define APART "  %c = constant {data=[9,0,0,0,4,0,0,0,1]} : $[3,3]\n  %t = add %x, %c : "      \
              "$[3,3]\n"
#define PAIR3 "  %c = constant {data=[0,-2,0,3,0,0,0,0,9]} : $[3,3]\n  %t = add %x, %c : "     \
              "$[3,3]\n"
#define DIAGONAL3 FOUR3 "  %t = add %x, %c : $[3,3]\n"
#define FACTORS "  %s = stop_gradient %t : $[3,3]\n  %1, %2, %3 = lu %s : ($[3,3], i32[3], "   \
                "i32[3])\n"

static const row rows[] = {
    { "broadcast_in_dim", ANYTHING,
      F("%x: $[]", "$[3]", "%0 = broadcast_in_dim %x {shape=[3], dims=[]} : $[3]"),
      -3, 3, 0, 0 },
    { "broadcast_in_dim", ANYTHING,
      F("%x: $[3,1]", "$[2,3,5]",
        "%0 = broadcast_in_dim %x {shape=[2,3,5], dims=[1,2]} : $[2,3,5]"), -3, 3, 0, 0 },
    { "broadcast_in_dim", ANYTHING,
      F("%x: $[1]", "$[0,1]", "%0 = broadcast_in_dim %x {shape=[0,1], dims=[1]} : $[0,1]"),
      -3, 3, 0, 0 },
    { "reshape", ANYTHING,
      F("%x: $[2,3]", "$[3,1,2]", "%0 = reshape %x {shape=[3,1,2]} : $[3,1,2]"), -3, 3, 0, 0 },
    { "reshape", ANYTHING, F("%x: $[1,1]", "$[]", "%0 = reshape %x {shape=[]} : $[]"),
      -3, 3, 0, 0 },
    { "transpose", ANYTHING,
      F("%x: $[2,3,5]", "$[5,2,3]", "%0 = transpose %x {perm=[2,0,1]} : $[5,2,3]"),
      -3, 3, 0, 0 },
    { "transpose", ANYTHING,
      F("%x: $[7,3]", "$[3,7]", "%0 = transpose %x {perm=[1,0]} : $[3,7]"), -3, 3, 0, 0 },
    { "slice", ANYTHING,
      F("%x: $[7]", "$[2]", "%0 = slice %x {start=[1], limit=[6], stride=[3]} : $[2]"),
      -3, 3, 0, 0 },
    { "slice", ANYTHING,
      F("%x: $[3,5]", "$[2,5]",
        "%0 = slice %x {start=[1,0], limit=[3,5], stride=[1,1]} : $[2,5]"), -3, 3, 0, 0 },
    { "slice", ANYTHING,
      F("%x: $[3]", "$[0]", "%0 = slice %x {start=[2], limit=[2], stride=[1]} : $[0]"),
      -3, 3, 0, 0 },
    { "pad", ANYTHING, F("%x: $[3,2], %y: $[]", "$[8,3]",
                         "%0 = pad %x, %y {low=[1,0], high=[2,1], interior=[1,0]} : $[8,3]"),
      -3, 3, 0, 0 },
    { "pad", ANYTHING, F("%x: $[5], %y: $[]", "$[4]",
                         "%0 = pad %x, %y {low=[-1], high=[-4], interior=[1]} : $[4]"),
      -3, 3, 0, 0 },
    { "pad", ANYTHING, F("%x: $[0], %y: $[]", "$[3]",
                         "%0 = pad %x, %y {low=[1], high=[2], interior=[0]} : $[3]"),
      -3, 3, 0, 0 },
    { "concatenate", ANYTHING, F("%x: $[2,3], %y: $[2,1], %z: $[2,3]", "$[2,7]",
                                 "%0 = concatenate %x, %y, %z {axis=1} : $[2,7]"),
      -3, 3, 0, 0 },
    { "concatenate", ANYTHING,
      F("%x: $[2], %y: $[5]", "$[7]", "%0 = concatenate %x, %y {axis=0} : $[7]"), -3, 3, 0, 0 },
    { "windows", ANYTHING,
      F("%x: $[7]", "$[3,3]", "%0 = windows %x {axis=0, size=3, stride=2} : $[3,3]"),
      -3, 3, 0, 0 },
    { "windows", ANYTHING,
      F("%x: $[2,8,3]", "$[2,2,3,3]",
        "%0 = windows %x {axis=1, size=3, stride=3, dilation=2} : $[2,2,3,3]"), -3, 3, 0, 0 },
    { "windows", ANYTHING,
      F("%x: $[2,3]", "$[2,0,4]", "%0 = windows %x {axis=1, size=4} : $[2,0,4]"), -3, 3, 0, 0 },
    { "windows", NUMBERS,
      F("%x: $[2,9]", "$[2,7]",
        "%1 = windows %x {axis=1, size=3} : $[2,7,3]\n  %0 = reduce_max %1 {axes=[2]} : "
        "$[2,7]"), -3, 3, 0, 0 },
    { "reverse", ANYTHING, F("%x: $[7]", "$[7]", "%0 = reverse %x {axes=[0]} : $[7]"),
      -3, 3, 0, 0 },
    { "reverse", ANYTHING,
      F("%x: $[2,3,5]", "$[2,3,5]", "%0 = reverse %x {axes=[0,2]} : $[2,3,5]"), -3, 3, 0, 0 },
    { "reverse", ANYTHING,
      F("%x: $[35,33]", "$[33,35]",
        "%t = transpose %x {perm=[1,0]} : $[33,35]\n  %0 = reverse %t {axes=[0,1]} : $[33,35]"),
      -3, 3, 0, 0 },
    { "iota", ANY_NUMBER,
      F("%x: $[2,3]", "$[2,3]",
        "%1 = iota {dtype=$, shape=[2,3], axis=1} : $[2,3]\n  %0 = add %x, %1 : $[2,3]"),
      -3, 3, 0, 0 },
    { "constant", ANY_NUMBER,
      F("%x: $[3]", "$[3]", "%1 = constant {data=[1,2,3]} : $[3]\n  %0 = mul %x, %1 : $[3]"),
      -3, 3, 0, 0 },
    REDUCE("reduce_sum", ANY_NUMBER, -3, 3),
    REDUCE("reduce_prod", ANY_NUMBER, 0.9, 1.1),
    { "constant", BOOL, F("%x: $[3]", "$[6]",
                          "%1 = constant {data=[true,false,true]} : $[3]\n  %0 = concatenate "
                          "%x, %1 {axis=0} : $[6]"), -3, 3, 0, 0 },
    REDUCE("reduce_max", NUMBERS, -3, 3),
    REDUCE("reduce_min", NUMBERS, -3, 3),
    REDUCE("reduce_and", BITS, 0, 1),
    REDUCE("reduce_or", BITS, 0, 1),
    { "reduce_max", NUMBERS,
      F("%x: $[2,3,5]", "$[3]", "%0 = reduce_max %x {axes=[0,2]} : $[3]"), -3, 3, 0, 0 },
    { "argmax", NUMBERS, F("%x: $[7]", "i32[]", "%0 = argmax %x {axis=0} : i32[]"),
      -3, 3, 0, 0 },
    { "argmax", NUMBERS,
      F("%x: $[2,3,5]", "i64[2,5]", "%0 = argmax %x {axis=1, dtype=i64} : i64[2,5]"),
      -3, 3, 0, 0 },
    { "argmin", NUMBERS, F("%x: $[3,5]", "i8[3]", "%0 = argmin %x {axis=1, dtype=i8} : i8[3]"),
      -3, 3, 0, 0 },
    { "argsort", ALL, F("%x: $[7]", "i32[7]", "%0 = argsort %x {axis=0} : i32[7]"),
      -3, 3, 0, 0 },
    { "argsort", ALL, F("%x: $[3,70,2]", "i64[3,70,2]",
                        "%0 = argsort %x {axis=1, dtype=i64} : i64[3,70,2]"), -3, 3, 0, 0 },
    { "argsort", ALL, F("%x: $[2,5], %y: bool[2,5], %z: $[2,5]", "i8[2,5]",
                        "%0 = argsort %y, %x, %z {axis=1, dtype=i8} : i8[2,5]"), -3, 3, 0, 0 },
    { "argsort", ALL, F("%y: bool[90], %x: $[90]", "u8[90]",
                        "%0 = argsort %y, %x {axis=0, dtype=u8} : u8[90]"), -3, 3, 0, 0 },
    { "top_k", ALL, F("%x: $[7]", "i32[3]", "%0 = top_k %x {axis=0, k=3} : i32[3]"),
      -3, 3, 0, 0 },
    { "top_k", ALL, F("%x: $[3,150,2]", "i64[3,5,2]",
                      "%0 = top_k %x {axis=1, k=5, dtype=i64} : i64[3,5,2]"), -3, 3, 0, 0 },
    { "top_k", ALL, F("%x: $[2,90]", "u8[2,70]",
                      "%0 = top_k %x {axis=1, k=70, dtype=u8} : u8[2,70]"), -3, 3, 0, 0 },
    { "top_k", ALL, F("%x: $[2,700]", "i32[2,70]", "%0 = top_k %x {axis=1, k=70} : i32[2,70]"),
      -3, 3, 0, 0 },
    { "argsort", FLOATS,
      F("%x: $[3,5]", "$[3,5]",
        "%1 = argsort %x {axis=1} : i32[3,5]\n  %2 = reshape %1 {shape=[3,5,1]} : i32[3,5,1]\n"
      "  %0 = gather %x, %2 {offset_dims=[], collapsed=[1], operand_batch=[0], "
      "indices_batch=[0], index_map=[1], sizes=[1,1], mode=promise} : $[3,5]"), -3, 3, 0, 0 },
    { "cumsum", ANY_NUMBER, F("%x: $[7]", "$[7]", "%0 = cumsum %x {axis=0} : $[7]"),
      -3, 3, 0, 0 },
    { "cumsum", ANY_NUMBER,
      F("%x: $[2,19,3]", "$[2,19,3]", "%0 = cumsum %x {axis=1, reverse=true} : $[2,19,3]"),
      -3, 3, 0, 0 },
    { "cumsum", ANY_NUMBER, F("%x: $[2,0]", "$[2,0]", "%0 = cumsum %x {axis=1} : $[2,0]"),
      -3, 3, 0, 0 },
    { "cumprod", ANY_NUMBER, F("%x: $[7]", "$[7]", "%0 = cumprod %x {axis=0} : $[7]"),
      0.9, 1.1, 0, 0 },
    { "cumprod", ANY_NUMBER,
      F("%x: $[2,19,3]", "$[2,19,3]", "%0 = cumprod %x {axis=1, reverse=true} : $[2,19,3]"),
      0.9, 1.1, 0, 0 },
    { "cumprod", ANY_NUMBER, F("%x: $[2,0]", "$[2,0]", "%0 = cumprod %x {axis=1} : $[2,0]"),
      0.9, 1.1, 0, 0 },
    { "cummax", NUMBERS, F("%x: $[7]", "$[7]", "%0 = cummax %x {axis=0} : $[7]"), -3, 3, 0, 0 },
    { "cummax", NUMBERS,
      F("%x: $[2,19,3]", "$[2,19,3]", "%0 = cummax %x {axis=1, reverse=true} : $[2,19,3]"),
      -3, 3, 0, 0 },
    { "cummax", NUMBERS, F("%x: $[2,0]", "$[2,0]", "%0 = cummax %x {axis=1} : $[2,0]"),
      -3, 3, 0, 0 },
    { "cummin", NUMBERS, F("%x: $[7]", "$[7]", "%0 = cummin %x {axis=0} : $[7]"), -3, 3, 0, 0 },
    { "cummin", NUMBERS,
      F("%x: $[2,19,3]", "$[2,19,3]", "%0 = cummin %x {axis=1, reverse=true} : $[2,19,3]"),
      -3, 3, 0, 0 },
    { "cummin", NUMBERS, F("%x: $[2,0]", "$[2,0]", "%0 = cummin %x {axis=1} : $[2,0]"),
      -3, 3, 0, 0 },
    { "cumsum", ANY_NUMBER,
      F("%x: $[3,1100]", "$[3,1100]", "%0 = cumsum %x {axis=1} : $[3,1100]"), -3, 3, 1, 0 },
    { "cumprod", ANY_NUMBER,
      F("%x: $[3,1100]", "$[3,1100]", "%0 = cumprod %x {axis=1} : $[3,1100]"), 0.998,
      1.002, 1, 0 },
    { "dot_general", ANY_NUMBER,
      DOT("$[7]", "$[7]", "$[]", "lhs=[0], rhs=[0], lhs_batch=[], rhs_batch=[]"), -3, 3, 0, 1 },
    { "dot_general", ANY_NUMBER,
      DOT("$[3,5]", "$[5]", "$[3]", "lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]"),
      -3, 3, 0, 1 },
    { "dot_general", ANY_NUMBER,
      DOT("$[5]", "$[5,3]", "$[3]", "lhs=[0], rhs=[0], lhs_batch=[], rhs_batch=[]"),
      -3, 3, 0, 1 },
    { "dot_general", ANY_NUMBER,
      DOT("$[3,5]", "$[5,2]", "$[3,2]", "lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]"),
      -3, 3, 0, 1 },
    { "dot_general", ANY_NUMBER, DOT("$[2,3,5]", "$[5,2,7]", "$[2,3,7]",
                                     "lhs=[2], rhs=[0], lhs_batch=[0], rhs_batch=[1]"),
      -3, 3, 0, 1 },
    { "dot_general", ANY_NUMBER, DOT("$[2,3,5]", "$[5,7,3]", "$[2,7]",
                                     "lhs=[1,2], rhs=[2,0], lhs_batch=[], rhs_batch=[]"),
      -3, 3, 0, 1 },
    { "dot_general", ANY_NUMBER,
      DOT("$[2]", "$[3]", "$[2,3]", "lhs=[], rhs=[], lhs_batch=[], rhs_batch=[]"),
      -3, 3, 0, 1 },
    { "dot_general", ANY_NUMBER,
      DOT("$[3]", "$[3]", "$[3]", "lhs=[], rhs=[], lhs_batch=[0], rhs_batch=[0]"),
      -3, 3, 0, 1 },
    { "dot_general", ANY_NUMBER,
      DOT("$[2,0]", "$[0,3]", "$[2,3]", "lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]"),
      -3, 3, 0, 1 },
    { "dot_general", ANY_NUMBER, DOT("$[1,600]", "$[600,2]", "$[1,2]",
                                     "lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]"),
      -1, 1, 0, 1 },
    { "dot_general", ANY_NUMBER,
      DOT("$[2,600]", "$[600]", "$[2]", "lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]"),
      -1, 1, 0, 1 },
    { "dot_general", ANY_NUMBER, F("%x: $[5,3], %y: $[5,2]", "$[2,3]",
                                   "%1 = dot_general %x, %y {lhs=[0], rhs=[0], lhs_batch=[], "
                                   "rhs_batch=[]} : $[3,2]\n"
      "  %0 = transpose %1 {perm=[1,0]} : $[2,3]"), -3, 3, 0, 1 },
    { "dot_general", ANY_NUMBER, F("%x: $[2,3,5], %y: $[5,2,7]", "$[7,2,3]",
                                   "%1 = dot_general %x, %y {lhs=[2], rhs=[0], lhs_batch=[0], "
                                   "rhs_batch=[1]} : $[2,3,7]\n"
      "  %0 = transpose %1 {perm=[2,0,1]} : $[7,2,3]"), -3, 3, 0, 1 },
    { "dynamic_slice", ANYTHING,
      F("%x: $[7], %i: i32[]", "$[3]", "%0 = dynamic_slice %x, %i {sizes=[3]} : $[3]"),
      -3, 3, 0, 0 },
    { "dynamic_slice", ANYTHING, F("%x: $[3,5], %i: i64[], %j: u8[]", "$[1,2]",
                                   "%0 = dynamic_slice %x, %i, %j {sizes=[1,2]} : $[1,2]"),
      -3, 3, 0, 0 },
    { "dynamic_update_slice", ANYTHING, F("%x: $[7], %y: $[3], %i: i32[]", "$[7]",
                                          "%0 = dynamic_update_slice %x, %y, %i : $[7]"),
      -3, 3, 0, 0 },
    { "dynamic_update_slice", ANYTHING, F("%x: $[3,5], %y: $[1,2], %i: i32[], %j: i32[]",
                                          "$[3,5]", "%0 = dynamic_update_slice %x, %y, %i, %j "
                                                    ": $[3,5]"), -3, 3, 0, 0 },
    { "gather", ANYTHING,
      TAKE("$[5]", "i32[3,1]", "$[3]",
           "offset_dims=[], collapsed=[0], operand_batch=[], indices_batch=[], index_map=[0], "
           "sizes=[1]"), -3, 3, 0, 0 },
    { "gather", ANYTHING,
      TAKE("$[3,4]", "i32[2,1]", "$[2,3]",
           "offset_dims=[1], collapsed=[0], operand_batch=[], indices_batch=[], "
           "index_map=[0], sizes=[1,3], mode=fill"), -3, 3, 1, 0 },
    { "gather", ANYTHING,
      TAKE("$[3,4]", "i64[2,1]", "$[4,2]",
           "offset_dims=[0], collapsed=[0], operand_batch=[], indices_batch=[], "
           "index_map=[0], sizes=[1,4]"), -3, 3, 0, 0 },
    { "gather", ANYTHING, TAKE("$[2,5]", "i32[2,3,1]", "$[2,3]",
                               "offset_dims=[], collapsed=[1], operand_batch=[0], "
                               "indices_batch=[0], index_map=[1], sizes=[1,1]"), -3, 3, 0, 0 },
    { "gather", ANYTHING, TAKE("$[4,5]", "u8[2,2]", "$[2,2,3]",
                               "offset_dims=[1,2], collapsed=[], operand_batch=[], "
                               "indices_batch=[], index_map=[1,0], sizes=[2,3]"), -3, 3, 0, 0 },
    PUTS("scatter", ANYTHING, 0),
    PUTS("scatter_add", ANY_NUMBER, 0),
    { "conv_general", NUMBERS, CONV("$[1,2,5,3]", "$[1,3,3,2]", "$[1,2,3,2]",
                                    "strides=[1], dilation=[1]"), -3, 3, 0, 1 },
    { "conv_general", NUMBERS, CONV("$[2,1,7,6,2]", "$[2,3,2,2,3]", "$[2,1,2,4,3]",
                                    "strides=[2,1], dilation=[2,2]"), -3, 3, 0, 1 },
    { "conv_general", NUMBERS, CONV("$[1,2,3]", "$[1,3,2]", "$[1,2,2]",
                                    "strides=[], dilation=[]"), -3, 3, 0, 1 },
    { "conv_general", NUMBERS, CONV("$[1,2,3,2]", "$[1,4,2,3]", "$[1,2,0,3]",
                                    "strides=[1], dilation=[1]"), -3, 3, 0, 1 },
    { "conv_general", NUMBERS, CONV("$[1,1,9,40]", "$[1,7,40,3]", "$[1,1,2,3]",
                                    "strides=[2], dilation=[1]"), -1, 1, 0, 1 },
    { "gather", ALL, TAKE("$[4,3]", "i32[5,1]", "$[5,3]",
                          "offset_dims=[1], collapsed=[0], operand_batch=[], "
                          "indices_batch=[], index_map=[0], sizes=[1,3], mode=promise"),
      -3, 3, 0, 0 },
    PUTS("scatter_mul", ANY_NUMBER, 0),
    PUTS("scatter_min", NUMBERS, 0),
    PUTS("scatter_max", NUMBERS, 0),
    { "cholesky", INEXACT, F("%x: $[3,3]", "$[3,3]", SPD3 "  %0 = cholesky %a : $[3,3]"),
      -1, 1, 0, 1 },
    { "cholesky", INEXACT, F("%x: $[2,0,0]", "$[2,0,0]", "%0 = cholesky %x : $[2,0,0]"),
      -1, 1, 0, 1 },
    { "triangular_solve", INEXACT, F("%x: $[3,3], %y: $[3,2]", "$[3,2]",
                                     DIAGONAL3 "  %0 = triangular_solve %t, %y : $[3,2]"),
      -1, 1, 0, 1 },
    { "triangular_solve", INEXACT, F("%x: $[3,3], %y: $[2,3]", "$[2,3]",
                                     DIAGONAL3 "  %0 = triangular_solve %t, %y {right=true, "
                                               "upper=true} : $[2,3]"), -1, 1, 0, 1 },
    { "triangular_solve", INEXACT, F("%x: $[3,3], %y: $[3,2]", "$[3,2]",
                                     DIAGONAL3 "  %0 = triangular_solve %t, %y "
                                               "{transposed=true, unit=true} : $[3,2]"),
      -1, 1, 0, 1 },
    { "lu", INEXACT, F("%x: $[3,3]", "$[3,3]",
                       DIAGONAL3 "  %0, %1, %2 = lu %t : ($[3,3], i32[3], i32[3])"),
      -1, 1, 0, 1 },
    { "lu", INEXACT, F("%x: $[3,2]", "$[3,2]",
                       TALL "  %0, %1, %2 = lu %t : ($[3,2], i32[2], i32[3])"), -1, 1, 0, 1 },
    { "lu", INEXACT, F("%x: $[2,3]", "$[2,3]",
                       WIDE "  %0, %1, %2 = lu %t : ($[2,3], i32[2], i32[2])"), -1, 1, 0, 1 },
    { "lu", INEXACT, F("%x: $[2,0,3]", "i32[2,0]",
                       "%1, %0, %2 = lu %x : ($[2,0,3], i32[2,0], i32[2,0])"), -1, 1, 0, 1 },
    { "full_lu", INEXACT,
      F("%x: $[3,3]", "$[3,3]",
        APART "  %0, %1, %2, %3 = full_lu %t : ($[3,3], i32[3], i32[3], i32[])"), -1, 1, 0, 1 },
    { "full_lu", INEXACT,
      F("%x: $[0,3,3]", "i32[0,3]",
        "%1, %2, %0, %3 = full_lu %x : ($[0,3,3], i32[0,3], i32[0,3], i32[0])"), -1, 1, 0, 1 },
    { "inverse", INEXACT,
      F("%x: $[3,3]", "$[3,3]", DIAGONAL3 FACTORS "  %0 = inverse %t, %1, %2, %3 : $[3,3]"),
      -1, 1, 0, 1 },
    { "det", INEXACT, F("%x: $[3,3]", "$[]",
                        DIAGONAL3 FACTORS "  %0 = det %t, %1, %2, %3 : $[]"), -1, 1, 0, 1 },
    { "slogdet", INEXACT,
      F("%x: $[3,3]", "$[]",
        DIAGONAL3 FACTORS "  %0, %4 = slogdet %t, %1, %2, %3 : ($[], ~[])"), -1, 1, 0, 1 },
    { "slogdet", INEXACT,
      F("%x: $[3,3]", "~[]",
        DIAGONAL3 FACTORS "  %4, %0 = slogdet %t, %1, %2, %3 : ($[], ~[])"), -1, 1, 0, 1 },
    { "adjugate", INEXACT,
      F("%x: $[3,3]", "$[3,3]", DIAGONAL3 FACTORS "  %0 = adjugate %t, %1, %2, %3 : $[3,3]"),
      -1, 1, 0, 1 },
    { "adjugate", INEXACT,
      F("%x: $[3]", "$[3,3]", "  %r = broadcast_in_dim %x {shape=[3,3], dims=[0]} : $[3,3]\n"
      "  %c = constant {data=[0,1,3,0,1,3,0,1,3]} : $[3,3]\n  %t = add %r, %c : $[3,3]\n"
        FACTORS "  %0 = adjugate %t, %1, %2, %3 : $[3,3]"), -1, 1, 0, 1 },
    { "qr", INEXACT, F("%x: $[3,3]", "$[3,3]", DIAGONAL3 "  %0, %1 = qr %t : ($[3,3], $[3,3])"),
      -1, 1, 0, 1 },
    { "qr", INEXACT, F("%x: $[3,2]", "$[2,2]", TALL "  %1, %0 = qr %t : ($[3,2], $[2,2])"),
      -1, 1, 0, 1 },
    { "qr", INEXACT, F("%x: $[3,2]", "$[3,3]",
                       TALL "  %0, %1 = qr %t {full=true} : ($[3,3], $[3,2])"), -1, 1, 0, 1 },
    { "qr", INEXACT, F("%x: $[2,3]", "$[2,3]", WIDE "  %1, %0 = qr %t : ($[2,2], $[2,3])"),
      -1, 1, 0, 1 },
    { "qr", INEXACT, F("%x: $[3,0]", "$[3,3]", "%0, %1 = qr %x {full=true} : ($[3,3], $[3,0])"),
      -1, 1, 0, 1 },
    { "eigh", FLOATS, F("%x: $[3,3]", "$[3,3]", APART "  %1, %0 = eigh %t : (~[3], $[3,3])"),
      -0.5, 0.5, 0, 1 },
    /* phases of complex vectors are not determined: sizes only */
    { "eigh", COMPLEX, F("%x: $[3,3]", "~[3,3]",
                         APART "  %1, %2 = eigh %t : (~[3], $[3,3])\n  %0 = abs %2 : ~[3,3]"),
      -0.5, 0.5, 0, 1 },
    { "eigh", INEXACT, F("%x: $[3,3]", "~[3]", APART "  %0, %1 = eigh %t : (~[3], $[3,3])"),
      -0.5, 0.5, 0, 1 },
    { "eigh", INEXACT, F("%x: $[0,3,3]", "~[0,3]", "%0, %1 = eigh %x : (~[0,3], $[0,3,3])"),
      -0.5, 0.5, 0, 1 },
    /* nor is the order of eigenvalues, which roundings decide: sums over them */
    { "eig", INEXACT, F("%x: $[3,3]", "&[]",
                        APART "  %1, %2, %3 = eig %t : (^[3], ^[3,3], ^[3,3])\n"
      "  %a = abs %1 : &[3]\n  %s = mul %a, %a : &[3]\n  %0 = reduce_sum %s {axes=[0]} : &[]"),
      -0.5, 0.5, 0, 1 },
    { "eig", INEXACT, F("%x: $[3,3]", "&[3]",
                        APART "  %1, %2, %3 = eig %t : (^[3], ^[3,3], ^[3,3])\n  %a = abs %2 "
                              ": &[3,3]\n"
      "  %0 = reduce_sum %a {axes=[1]} : &[3]"), -0.5, 0.5, 0, 1 },
    { "eig", INEXACT, F("%x: $[3,3]", "&[3]", PAIR3
      "  %1, %2, %3 = eig %t : (^[3], ^[3,3], ^[3,3])\n  %a = abs %3 : &[3,3]\n"
      "  %0 = reduce_sum %a {axes=[1]} : &[3]"), -0.5, 0.5, 0, 1 },
    { "eig", INEXACT, F("%x: $[0,3,3]", "^[0,3]",
                        "%0, %1, %2 = eig %x : (^[0,3], ^[0,3,3], ^[0,3,3])"),
      -0.5, 0.5, 0, 1 },
    { "svd", FLOATS, F("%x: $[3,3]", "$[3,3]",
                       APART "  %0, %1, %2 = svd %t {full=true} : ($[3,3], ~[3], $[3,3])"),
      -0.5, 0.5, 0, 1 },
    { "svd", COMPLEX, F("%x: $[3,3]", "~[3,3]",
                        APART "  %1, %2, %3 = svd %t {full=true} : ($[3,3], ~[3], $[3,3])\n  "
                              "%0 = abs %1 : ~[3,3]"), -0.5, 0.5, 0, 1 },
    { "svd", COMPLEX, F("%x: $[2,3]", "$[2,3]",
                        WIDE "  %1, %2, %3 = svd %t : ($[2,2], ~[2], $[2,3])\n"
      "  %0 = dot_general %1, %3 {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : $[2,3]"),
      -0.5, 0.5, 0, 1 },
    { "svd", FLOATS, F("%x: $[3,2]", "$[3,2]",
                       "  %c = constant {data=[1,0,0,4,0,0]} : $[3,2]\n  %t = add %x, %c : "
                       "$[3,2]\n"
      "  %0, %1, %2 = svd %t : ($[3,2], ~[2], $[2,2])"), -0.5, 0.5, 0, 1 },
    { "svd", FLOATS, F("%x: $[2,3]", "$[2,3]",
                       "  %c = constant {data=[1,0,0,0,4,0]} : $[2,3]\n  %t = add %x, %c : "
                       "$[2,3]\n"
      "  %1, %2, %0 = svd %t : ($[2,2], ~[2], $[2,3])"), -0.5, 0.5, 0, 1 },
    { "svd", INEXACT, F("%x: $[0,3]", "$[3,3]",
                        "%2, %1, %0 = svd %x {full=true} : ($[0,0], ~[0], $[3,3])"),
      -0.5, 0.5, 1, 1 },
    { "pinv", INEXACT, F("%x: $[3,2]", "$[2,3]", TALL "  %0 = pinv %t : $[2,3]"), -1, 1, 0, 1 },
    { "pinv", INEXACT, F("%x: $[2,3]", "$[3,2]", WIDE "  %0 = pinv %t : $[3,2]"), -1, 1, 0, 1 },
    { "pinv", INEXACT, F("%x: $[0,3]", "$[3,0]", "%0 = pinv %x : $[3,0]"), -1, 1, 0, 1 },
    { "call", ANY_NUMBER, FN_SQUARE F("%x: $[3]", "$[3]", "%0 = call %x {body=@square} : $[3]"),
      -3, 3, 0, 0 },
    { "cond", ANY_NUMBER, FN_ID FN_SQUARE F("%p: i32[], %x: $[3]", "$[3]",
                                            "%0 = cond %p, %x {branches=[@id, @square]} : "
                                            "$[3]"), -3, 3, 0, 0 },
    { "call", BOOL, FN_NOT F("%x: $[3]", "$[3]", "%0 = call %x {body=@not} : $[3]"),
      0, 1, 0, 0 },
    { "cond", BOOL, FN_ID FN_NOT F("%p: i32[], %x: $[3]", "$[3]",
                                   "%0 = cond %p, %x {branches=[@id, @not]} : $[3]"),
      0, 1, 0, 0 },
    { "while", BOOL, FN_FLIP F("%n: i32[], %c: $[]", "$[]",
                               "%1, %0 = while %n, %c {max=8, cond=@few, body=@flip} : "
                               "(i32[], $[])"), 0, 1, 0, 0 },
    { "scan", BOOL, FN_NOT F("%x: $[7,3]", "$[7,3]",
                             "%0 = scan %x {carries=0, length=7, body=@not} : $[7,3]"),
      0, 1, 0, 0 },
    { "cond", FLOATS, FN_ID FN_SQUARE FN_SIN F("%p: i32[3], %x: $[3]", "$[3]",
                                               "%0 = cond %p, %x {branches=[@id, @square, "
                                               "@sin]} : $[3]"), -3, 3, 0, 0 },
    { "cond", ANY_NUMBER, FN_ID FN_SQUARE F("%p: bool[3], %x: $[3]", "$[3]",
                                            "%0 = cond %p, %x {branches=[@id, @square]} : "
                                            "$[3]"), -3, 3, 0, 0 },
    { "while", ANY_NUMBER, FN_COUNT F("%k: $[], %n: i32[], %c: $[]", "$[]",
                                      "%1, %0 = while %k, %n, %c {consts=1, max=8, "
                                      "cond=@count, body=@grow} : (i32[], $[])"),
      0.5, 1.2, 0, 0 },
    { "while", ANY_NUMBER, FN_COUNT F("%k: $[], %n: i32[], %c: $[]", "$[]",
                                      "%1, %0 = while %k, %n, %c {consts=1, cond=@count, "
                                      "body=@grow} : (i32[], $[])"), 0.5, 1.2, 0, 0 },
    { "while", ANY_NUMBER, FN_EACH F("%n: i32[3], %c: $[3]", "$[3]",
                                     "%1, %0 = while %n, %c {cond=@less, body=@next} : "
                                     "(i32[3], $[3])"), 0.5, 1.2, 0, 0 },
    { "linear_solve", FLOATS, FN_SOLVE F("%a: $[3], %b: $[3]", "$[3]",
                                         "%0 = linear_solve %a, %b {consts=1, "
                                         "parts=[@back,@line,@back,@line]} : $[3]"),
      0.5, 2, 0, 0 },
    { "root", FLOATS, FN_ROOT F("%c: $[3], %x: $[3]", "$[3]",
                                "%0 = root %c, %x {consts=1, "
                                "parts=[@solve,@miss,@back,@line,@back,@line]} : $[3]"),
      0.5, 2, 0, 0 },
    { "scan", ANY_NUMBER, FN_STEP F("%k: $[2], %c: $[2], %x: $[5,2]", "$[2]",
                                    "%0, %1 = scan %k, %c, %x {consts=1, carries=1, length=5, "
                                    "body=@step} : ($[2], $[5,2])"), -1, 1, 0, 0 },
    { "scan", ANY_NUMBER, FN_STEP F("%k: $[2], %c: $[2], %x: $[5,2]", "$[5,2]",
                                    "%1, %0 = scan %k, %c, %x {consts=1, carries=1, length=5, "
                                    "reverse=true, body=@step} : ($[2], $[5,2])"),
      -1, 1, 0, 0 },
    { "scan", ANY_NUMBER,
      FN_SQUARE F("%x: $[7,3]", "$[7,3]",
                  "%0 = scan %x {carries=0, length=7, body=@square} : $[7,3]"), -1, 1, 0, 0 },
    { "scan", ANY_NUMBER, FN_STEP F("%k: $[2], %c: $[2], %x: $[0,2]", "$[2]",
                                    "%0, %1 = scan %k, %c, %x {consts=1, carries=1, length=0, "
                                    "body=@step} : ($[2], $[0,2])"), -1, 1, 0, 0 },
    { "fft", COMPLEX, F("%x: $[3,12]", "$[3,12]", "%0 = fft %x : $[3,12]"), -3, 3, 0, 0 },
    { "fft", COMPLEX, F("%x: $[70]", "$[70]", "%0 = fft %x {inverse=true} : $[70]"),
      -3, 3, 0, 0 },
    { "complex", FLOATS,
      F("%x: $[5], %y: $[5]", "$[5]",
        "%1 = convert %x {dtype=f64} : f64[5]\n  %2 = convert %y {dtype=f64} : f64[5]\n"
      "  %3 = complex %1, %2 : c128[5]\n  %4 = exp %3 : c128[5]\n  %5 = imag %4 : f64[5]\n  "
      "%0 = convert %5 {dtype=$} : $[5]"), -2, 2, 0, 0 },
    { "polygamma", FLOATS,
      F("%x: $[7]", "$[7]", "%k = constant {data=2} : $[7]\n  %0 = polygamma %k, %x : $[7]"),
      0.5, 4, 0, 0 },
    { "polygamma", FLOATS,
      F("%x: $[]", "$[]", "%k = constant {data=0} : $[]\n  %0 = polygamma %k, %x : $[]"),
      0.5, 4, 0, 0 },
    { "betainc", FLOATS,
      F("%x: $[7]", "$[7]",
        "%a = constant {data=[0.5,1,2,3,4,30,0.25]} : $[7]\n  %b = constant "
        "{data=[1,0.5,2,3,40,3,0.25]} : $[7]\n"
      "  %0 = betainc %a, %b, %x : $[7]"), 0.1, 0.9, 0, 0 },
    { "igamma", FLOATS, F("%x: $[3]", "$[3]",
                          "%a = constant {data=[0.5,2,30]} : $[3]\n  %0 = igamma %a, %x : "
                          "$[3]"), 0.5, 4, 0, 0 },
    { "igammac", FLOATS,
      F("%x: $[3]", "$[3]",
        "%a = constant {data=[0.5,2,30]} : $[3]\n  %0 = igammac %a, %x : $[3]"), 0.5, 4, 0, 0 },
    { "gamma_sample", FLOATS,
      F("%x: $[3]", "$[3]",
        "%a = constant {data=[0.5,2,30]} : $[3]\n  %0 = gamma_sample %a, %x : $[3]"),
      0.5, 4, 1, 0 },
    { "igamma_grad_a", FLOATS,
      F("%x: $[3]", "$[3]",
        "%a = constant {data=[0.5,2,30]} : $[3]\n  %0 = igamma_grad_a %a, %x : $[3]"),
      0.5, 4, 0, 0 },
    { "random_gamma_grad", FLOATS,
      F("%x: $[3]", "$[3]",
        "%a = constant {data=[0.5,2,30]} : $[3]\n  %0 = random_gamma_grad %a, %x : $[3]"),
      0.5, 4, 0, 0 },
    { "zeta", FLOATS, F("%x: $[3]", "$[3]",
                        "%s = constant {data=[1.5,2,3]} : $[3]\n  %0 = zeta %s, %x : $[3]"),
      0.5, 4, 0, 0 },
    /* of u64 alone: one program each */
    { "philox", BOOL, F("%k: u64[], %a: u64[3], %b: u64[3]", "u64[3]",
                        "%1 = broadcast_in_dim %k {shape=[3], dims=[]} : u64[3]\n  %0 = "
                        "philox %1, %a, %b {word=1} : u64[3]"), 0, 1, 0, 0 },
    { "threefry", BOOL, F("%k: u64[2,3], %a: u64[2,3]", "u64[2,3]",
                          "%0 = threefry %k, %a : u64[2,3]"), 0, 1, 0, 0 },
    /* nor are the signs of columns of z, or their phases: sizes only */
    { "schur", FLOATS, F("%x: $[3,3]", "$[3,3]",
                         APART "  %1, %2 = schur %t : ($[3,3], $[3,3])\n  %0 = mul %1, %1 : "
                               "$[3,3]"), -0.5, 0.5, 0, 1 },
    { "schur", FLOATS, F("%x: $[3,3]", "$[3,3]",
                         PAIR3 "  %1, %2 = schur %t : ($[3,3], $[3,3])\n  %0 = mul %1, %1 : "
                               "$[3,3]"), -0.5, 0.5, 0, 1 },
    { "schur", FLOATS, F("%x: $[3,3]", "$[3,3]",
                         PAIR3 "  %1, %2 = schur %t : ($[3,3], $[3,3])\n  %0 = mul %2, %2 : "
                               "$[3,3]"), -0.5, 0.5, 0, 1 },
    { "schur", COMPLEX, F("%x: $[3,3]", "~[3,3]",
                          APART "  %1, %2 = schur %t : ($[3,3], $[3,3])\n  %a = abs %1 : "
                                "~[3,3]\n  %0 = mul %a, %a : ~[3,3]"), -0.5, 0.5, 0, 1 },
    { "schur", COMPLEX, F("%x: $[3,3]", "~[3,3]",
                          PAIR3 "  %1, %2 = schur %t : ($[3,3], $[3,3])\n  %0 = abs %2 : "
                                "~[3,3]"), -0.5, 0.5, 0, 1 },
    { "schur", INEXACT, F("%x: $[0,3,3]", "$[0,3,3]",
                          "%0, %1 = schur %x : ($[0,3,3], $[0,3,3])"), -0.5, 0.5, 0, 1 },
};

#endif
