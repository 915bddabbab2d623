/* The table of programs with free axes: rows of text in which `$` stands for the element type
 * (see programs.h) and an expression of n and m between < and > for its value. */
#ifndef TESTS_LAWS_CLASS_ROWS_H
#define TESTS_LAWS_CLASS_ROWS_H

#include "tests/laws/class_functions.h"
#include "tests/laws/class_products.h"

#define RECUR(by, w, first, steps)                                                             \
    { "scan",                                                                                  \
      FN_RECUR(by, w) F("%y: $[<n>], %x: $[" steps "," w "]", "$[<n>]",                        \
                        "%i = constant {data=" first "} : i32[]" L                             \
                        "%1, %0 = scan %i, %y, %x {consts=0, carries=2, length=" steps         \
                        ", body=@recur} : (i32[], $[<n>])"),                                   \
      LAWS_ANY_NUMBER, 1, 14, LINE, -1, 1 }

#define ABSORB(op, c, lo, hi)                                                                  \
    { op,                                                                                      \
      F("%x: $[<n>], %y: $[<n>]", "$[<n>]",                                                    \
        "%c = constant {data=" c "} : $[<n>]" L "%1 = " op " %x : $[<n>]" L                    \
        "%2 = " op " %y : $[<n>]" L "%3 = add %c, %1 : $[<n>]" L                               \
        "%4 = add %2, %c : $[<n>]" L "%0 = div %3, %4 : $[<n>]"),                              \
      LAWS_FLOATS, 1, 0, LINE, lo, hi }

static const row rows[] = {
    /* elements: alone, repeated along either axis, turned, through types, on a mask */
    { "mul",
      F("%x: $[<n>], %y: $[<n>]", "$[<n>]",
        "%1 = mul %x, %y : $[<n>]" L "%2 = sub %1, %x : $[<n>]" L "%0 = mul %2, %2 : $[<n>]"),
      LAWS_ANY_NUMBER, 1, 0, LARGE, -3, 3 },
    { "add",
      F("%x: $[<n>,<m>], %y: $[<m>], %z: $[<n>]", "$[<n>,<m>]",
        "%1 = broadcast_in_dim %y {shape=[<n>,<m>], dims=[1]} : $[<n>,<m>]" L
        "%2 = broadcast_in_dim %z {shape=[<n>,<m>], dims=[0]} : $[<n>,<m>]" L
        "%3 = mul %x, %1 : $[<n>,<m>]" L "%0 = add %3, %2 : $[<n>,<m>]"),
      LAWS_ANY_NUMBER, 2, 0, PLANE, -3, 3 },
    { "sub",
      F("%x: $[<n>,<m>], %y: $[<m>,<n>]", "$[<n>,<m>]",
        "%1 = transpose %y {perm=[1,0]} : $[<n>,<m>]" L "%0 = sub %x, %1 : $[<n>,<m>]"),
      LAWS_ANY_NUMBER, 2, 0, PLANE, -3, 3 },
    { "sub",
      F("%x: $[<m>], %y: $[<n>]", "$[<n>,<m>]",
        "%1 = broadcast_in_dim %x {shape=[<n>,<m>], dims=[1]} : $[<n>,<m>]" L
        "%2 = broadcast_in_dim %y {shape=[<n>,<m>], dims=[0]} : $[<n>,<m>]" L
        "%0 = sub %1, %2 : $[<n>,<m>]"),
      LAWS_ANY_NUMBER, 2, 0, PLANE, -3, 3 },
    SHORT_ROWS("mul", LAWS_ANY_NUMBER, "%z: " SHORT, SHORT,
               "%3 = mul %1, %2 : " SHORT L "%4 = sub %3, %z : " SHORT L
               "%0 = mul %4, %1 : " SHORT),
    SHORT_ROWS("div", LAWS_INEXACT, "%z: $[<m>,45,<n>]", SHORT,
               "%3 = transpose %z {perm=[1,2,0]} : " SHORT L
               "%4 = reverse %3 {axes=[1,2]} : " SHORT L "%5 = div %4, %2 : " SHORT L
               "%0 = add %5, %1 : " SHORT),
    SHORT_ROWS("select", LAWS_NUMBERS, "%z: " SHORT, SHORT,
               "%3 = lt %1, %2 : bool[45,<n>,<m>]" L "%4 = mul %z, %1 : " SHORT L
               "%0 = select %3, %4, %z : " SHORT),
    SHORT_ROWS("concatenate", LAWS_ANY_NUMBER, "%z: $[45,<n>,2]", "$[45,<n>,<m+2>]",
               "%3 = mul %1, %2 : " SHORT L
               "%4 = concatenate %z, %3 {axis=2} : $[45,<n>,<m+2>]" L
               "%0 = mul %4, %4 : $[45,<n>,<m+2>]"),
    SHORT_ROWS("concatenate", LAWS_ANY_NUMBER, "%z: $[45,1,<m>]", "$[45,<n+1>,<m>]",
               "%3 = sub %1, %2 : " SHORT L
               "%4 = concatenate %3, %z {axis=1} : $[45,<n+1>,<m>]" L
               "%0 = reverse %4 {axes=[2]} : $[45,<n+1>,<m>]"),
    SHORT_ROWS("reduce_max", LAWS_NUMBERS, "%z: $[45,3]", SHORT,
               "%3 = mul %1, %2 : " SHORT L
               "%4 = broadcast_in_dim %3 {shape=[45,<n>,<m>,3], dims=[0,1,2]} : "
               "$[45,<n>,<m>,3]" L
               "%5 = broadcast_in_dim %z {shape=[45,<n>,<m>,3], dims=[0,3]} : "
               "$[45,<n>,<m>,3]" L "%6 = sub %4, %5 : $[45,<n>,<m>,3]" L
               "%0 = reduce_max %6 {axes=[3]} : " SHORT),
    SHORT_ROWS("iota", LAWS_ANY_NUMBER, "%z: " SHORT, SHORT,
               "%3 = iota {dtype=i32, shape=[45,<n>,<m>], axis=1} : i32[45,<n>,<m>]" L
               "%4 = iota {dtype=i32, shape=[45,<n>,<m>], axis=2} : i32[45,<n>,<m>]" L
               "%5 = lt %3, %4 : bool[45,<n>,<m>]" L "%6 = mul %1, %2 : " SHORT L
               "%0 = select %5, %6, %z : " SHORT),
    { "select",
      F("%x: $[<n>], %y: $[<n>]", "$[<n>]",
        "%1 = lt %x, %y : bool[<n>]" L "%2 = max %x, %y : $[<n>]" L
        "%0 = select %1, %2, %x : $[<n>]"),
      LAWS_ALL, 1, 0, LINE, -3, 3 },
    { "convert",
      F("%x: $[<n>]", "i8[<n>]",
        "%1 = convert %x {dtype=f32} : f32[<n>]" L "%2 = convert %1 {dtype=i16} : i16[<n>]" L
        "%0 = convert %2 {dtype=i8} : i8[<n>]"),
      LAWS_ALL, 1, 0, LINE, -3, 3 },
    { "convert", F("%x: $[<n>]", "f64[<n>]", "%0 = convert %x {dtype=f64} : f64[<n>]"),
      LAWS_ALL, 1, 0, LINE, -3, 3 },
    { "convert", F("%x: u8[<n>]", "$[<n>]", "%0 = convert %x {dtype=$} : $[<n>]"), LAWS_ALL, 1,
      0, LINE, -3, 3 },
    { "exp", F("%x: $[<n>]", "$[<n>]", "%0 = exp %x : $[<n>]"), LAWS_INEXACT, 1, 0, LINE, -3,
      3 },
    /* results that are subnormal, beside some that are not */
    UNARY("exp", -106, -84),
    UNARY("exp2", -153, -122),
    UNARY("logistic", -110, 110),
    { "div", F("%x: $[<n>], %y: $[<n>]", "$[<n>]", "%0 = div %x, %y : $[<n>]"), LAWS_ANY_NUMBER,
      1, 0, LINE, 0.5, 3 },
    { "sin", F("%x: $[<n>]", "$[<n>]", "%0 = sin %x : $[<n>]"), LAWS_FLOATS, 1, 0, SMALL, -9,
      9 },
    { "abs", F("%x: $[<n>]", "~[<n>]", "%0 = abs %x : ~[<n>]"), LAWS_COMPLEX, 1, 0, LINE, -3,
      3 },
    { "xor",
      F("%x: $[<n>], %y: $[<n>]", "$[<n>]",
        "%1 = xor %x, %y : $[<n>]" L "%0 = not %1 : $[<n>]"),
      LAWS_BITS, 1, 0, LINE, 0, 1 },
    { "shl",
      F("%x: $[<n>], %y: $[<n>]", "$[<n>]",
        "%1 = shl %x, %y : $[<n>]" L "%2 = shr_arithmetic %1, %y : $[<n>]" L
        "%0 = popcnt %2 : $[<n>]"),
      LAWS_INTS, 1, 0, LINE, 0, 1 },
    { "lgamma", F("%x: $[<n>]", "$[<n>]", "%0 = lgamma %x : $[<n>]"), LAWS_FLOATS, 1, 0, 33,
      0.3, 4 },
    { "erf_inv", F("%x: $[<n>]", "$[<n>]", "%0 = erf_inv %x : $[<n>]"), LAWS_FLOATS, 1, 0, 33,
      -0.9, 0.9 },
    { "betainc",
      F("%x: $[<n>]", "$[<n>]",
        "%a = constant {data=2} : $[<n>]" L "%0 = betainc %a, %a, %x : $[<n>]"),
      LAWS_FLOATS, 1, 0, 33, 0.1, 0.9 },
    { "philox",
      F("%k: u64[], %x: u64[<n>], %b: u64[<n>]", "u64[<n>]",
        "%1 = broadcast_in_dim %k {shape=[<n>], dims=[]} : u64[<n>]" L
        "%0 = philox %1, %x, %b {word=1} : u64[<n>]"),
      LAWS_BOOL, 1, 0, LINE, 0, 1 },
    { "threefry",
      F("%k: u64[<n>], %x: u64[<n>]", "u64[<n>]", "%0 = threefry %k, %x : u64[<n>]"), LAWS_BOOL,
      1, 0, LINE, 0, 1 },
    /* reductions, alone and with what is computed around them */
    REDUCE("reduce_sum", LAWS_ANY_NUMBER, -3, 3),
    REDUCE("reduce_prod", LAWS_ANY_NUMBER, 0.99, 1.01),
    REDUCE("reduce_max", LAWS_NUMBERS, -3, 3),
    REDUCE("reduce_min", LAWS_NUMBERS, -3, 3),
    REDUCE("reduce_and", LAWS_BITS, 0, 1),
    REDUCE("reduce_or", LAWS_BITS, 0, 1),
    { "reduce_sum",
      F("%x: $[<n>,<m>]", "$[<n>,<m>]",
        "%1 = reduce_max %x {axes=[1]} : $[<n>]" L
        "%2 = broadcast_in_dim %1 {shape=[<n>,<m>], dims=[0]} : $[<n>,<m>]" L
        "%3 = sub %x, %2 : $[<n>,<m>]" L "%4 = exp %3 : $[<n>,<m>]" L
        "%5 = reduce_sum %4 {axes=[1]} : $[<n>]" L
        "%6 = broadcast_in_dim %5 {shape=[<n>,<m>], dims=[0]} : $[<n>,<m>]" L
        "%0 = div %4, %6 : $[<n>,<m>]"),
      LAWS_FLOATS, 2, 1, PLANE, -3, 3 },
    { "reduce_sum",
      F("%x: $[<n>,<m>], %y: $[<m>]", "$[<n>]",
        "%1 = broadcast_in_dim %y {shape=[<n>,<m>], dims=[1]} : $[<n>,<m>]" L
        "%2 = sub %x, %1 : $[<n>,<m>]" L "%3 = mul %2, %2 : $[<n>,<m>]" L
        "%0 = reduce_sum %3 {axes=[1]} : $[<n>]"),
      LAWS_ANY_NUMBER, 2, 0, PLANE, -3, 3 },
    /* what several passes over a row, long or short, want again; what a sum over two axes as
     * one reads along the first alone; what two loops over columns want */
    { "reduce_sum",
      F("%x: $[<n>], %y: $[<n>]", "$[<n>]",
        "%1 = sqrt %y : $[<n>]" L "%2 = div %x, %1 : $[<n>]" L "%3 = mul %2, %2 : $[<n>]" L
        "%4 = reduce_sum %3 {axes=[0]} : $[]" L
        "%5 = broadcast_in_dim %4 {shape=[<n>], dims=[]} : $[<n>]" L
        "%6 = div %2, %5 : $[<n>]" L "%7 = abs %6 : $[<n>]" L
        "%8 = reduce_sum %7 {axes=[0]} : $[]" L
        "%9 = broadcast_in_dim %8 {shape=[<n>], dims=[]} : $[<n>]" L
        "%0 = mul %6, %9 : $[<n>]"),
      LAWS_FLOATS, 1, 1, LARGE, 0.5, 3 },
    { "reduce_sum",
      F("%x: $[<n>,<m>], %y: $[<n>]", "$[]",
        "%1 = exp %y : $[<n>]" L
        "%2 = broadcast_in_dim %1 {shape=[<n>,<m>], dims=[0]} : $[<n>,<m>]" L
        "%3 = mul %x, %2 : $[<n>,<m>]" L "%0 = reduce_sum %3 {axes=[0,1]} : $[]"),
      LAWS_FLOATS, 2, 0, PLANE, -3, 3 },
    { "reduce_max",
      F("%x: $[<n>,<m>], %y: $[<m>]", "$[<m>]",
        "%1 = broadcast_in_dim %y {shape=[<n>,<m>], dims=[1]} : $[<n>,<m>]" L
        "%2 = div %x, %1 : $[<n>,<m>]" L "%3 = mul %2, %x : $[<n>,<m>]" L
        "%4 = reduce_max %3 {axes=[0]} : $[<m>]" L
        "%5 = broadcast_in_dim %4 {shape=[<n>,<m>], dims=[1]} : $[<n>,<m>]" L
        "%6 = sub %3, %5 : $[<n>,<m>]" L "%7 = reduce_sum %6 {axes=[0]} : $[<m>]" L
        "%0 = add %7, %4 : $[<m>]"),
      LAWS_FLOATS, 2, 1, PLANE, 0.5, 3 },
    ARG("argmax"),
    ARG("argmin"),
    CUMULATE("cumsum", LAWS_ANY_NUMBER, -3, 3),
    CUMULATE("cumprod", LAWS_ANY_NUMBER, 0.99, 1.01),
    CUMULATE("cummax", LAWS_NUMBERS, -3, 3),
    CUMULATE("cummin", LAWS_NUMBERS, -3, 3),
    POOL("reduce_sum", LAWS_ANY_NUMBER),
    POOL("reduce_max", LAWS_NUMBERS),
    { "windows",
      F("%x: $[<n>,<m>]", "$[<n>,<m-4>,3]",
        "%0 = windows %x {axis=1, size=3, dilation=2} : $[<n>,<m-4>,3]"),
      LAWS_ANYTHING, 2, 5, PLANE, -3, 3 },
    /* order */
    { "argsort", F("%x: $[<n>]", "i32[<n>]", "%0 = argsort %x {axis=0} : i32[<n>]"), LAWS_ALL,
      1, 0, LINE, -3, 3 },
    { "argsort", F("%x: $[<n>,<m>]", "i32[<n>,<m>]", "%0 = argsort %x {axis=1} : i32[<n>,<m>]"),
      LAWS_ALL, 2, 0, 40000, -3, 3 },
    { "argsort",
      F("%x: $[<n>,<m>], %y: bool[<n>,<m>]", "i32[<n>,<m>]",
        "%0 = argsort %y, %x {axis=0} : i32[<n>,<m>]"),
      LAWS_ALL, 2, 0, 20000, -3, 3 },
    { "argsort",
      F("%x: $[<n>,<m>]", "$[<n>,<m>]",
        "%1 = argsort %x {axis=1} : i32[<n>,<m>]" L
        "%2 = reshape %1 {shape=[<n>,<m>,1]} : i32[<n>,<m>,1]" L
        "%0 = gather %x, %2 {offset_dims=[], collapsed=[1], operand_batch=[0], "
        "indices_batch=[0], index_map=[1], "
        "sizes=[1,1], mode=promise} : $[<n>,<m>]"),
      LAWS_ALL, 2, 1, 20000, -3, 3 },
    { "top_k", F("%x: $[<n>]", "i32[3]", "%0 = top_k %x {axis=0, k=3} : i32[3]"), LAWS_ALL, 1,
      3, LINE, -3, 3 },
    { "top_k",
      F("%x: $[<n>,<m>]", "i32[<n>,<m/2>]", "%0 = top_k %x {axis=1, k=<m/2>} : i32[<n>,<m/2>]"),
      LAWS_ALL, 2, 2, 20000, -3, 3 },
    { "top_k", F("%x: $[<n>,<m>]", "i32[5,<m>]", "%0 = top_k %x {axis=0, k=5} : i32[5,<m>]"),
      LAWS_ALL, 2, 5, 20000, -3, 3 },
    /* places known at run time */
    { "gather",
      F("%x: $[<n>], %i: i32[<m>,1]", "$[<m>]",
        "%0 = gather %x, %i {offset_dims=[], collapsed=[0], operand_batch=[], "
        "indices_batch=[], index_map=[0], sizes=[1]} : $[<m>]"),
      LAWS_ANYTHING, 2, 1, PLANE, -3, 3 },
    { "gather",
      F("%x: $[<n>,<m>], %i: i64[6,1]", "$[6,<m>]",
        "%0 = gather %x, %i {offset_dims=[1], collapsed=[0], operand_batch=[], "
        "indices_batch=[], index_map=[0], sizes=[1,<m>], mode=fill} : $[6,<m>]"),
      LAWS_ANYTHING, 2, 1, PLANE, -3, 3 },
    { "gather",
      F("%x: $[5,<n>], %i: u8[<m>,1]", "$[5,<m>]",
        "%0 = gather %x, %i {offset_dims=[0], collapsed=[1], operand_batch=[], "
        "indices_batch=[], index_map=[1], sizes=[5,1]} : $[5,<m>]"),
      LAWS_ANYTHING, 2, 1, PLANE / 5, -3, 3 },
    PUT("scatter", LAWS_ANYTHING),
    PUT("scatter_add", LAWS_ANY_NUMBER),
    PUT("scatter_mul", LAWS_ANY_NUMBER),
    PUT("scatter_max", LAWS_NUMBERS),
    PUT("scatter_min", LAWS_NUMBERS),
    { "dynamic_slice",
      F("%x: $[<n>,<m>], %i: i32[], %j: i64[]", "$[<n/2>,<m-1>]",
        "%0 = dynamic_slice %x, %i, %j {sizes=[<n/2>,<m-1>]} : "
        "$[<n/2>,<m-1>]"),
      LAWS_ANYTHING, 2, 1, PLANE, -3, 3 },
    { "dynamic_update_slice",
      F("%x: $[<n>,<m>], %y: $[<n-1>,<m/2>], %i: i32[], %j: i32[]", "$[<n>,<m>]",
        "%0 = dynamic_update_slice %x, %y, %i, %j : $[<n>,<m>]"),
      LAWS_ANYTHING, 2, 1, PLANE, -3, 3 },
    /* elements moved */
    { "transpose",
      F("%x: $[<n>,<m>]", "$[<m>,<n>]", "%0 = transpose %x {perm=[1,0]} : $[<m>,<n>]"),
      LAWS_ANYTHING, 2, 0, PLANE, -3, 3 },
    { "transpose",
      F("%x: $[3,<n>,<m>]", "$[<m>,3,<n>]", "%0 = transpose %x {perm=[2,0,1]} : $[<m>,3,<n>]"),
      LAWS_ANYTHING, 2, 0, PLANE / 3, -3, 3 },
    { "transpose",
      F("%x: $[<n>,<m>,2]", "$[<m>,<n>,2]", "%0 = transpose %x {perm=[1,0,2]} : $[<m>,<n>,2]"),
      LAWS_ANYTHING, 2, 0, PLANE / 2, -3, 3 },
    { "reshape",
      F("%x: $[<n>,<m>]", "$[<n*m>]",
        "%1 = transpose %x {perm=[1,0]} : $[<m>,<n>]" L
        "%0 = reshape %1 {shape=[<n*m>]} : $[<n*m>]"),
      LAWS_ANYTHING, 2, 0, PLANE, -3, 3 },
    { "slice",
      F("%x: $[<n>,<m>]", "$[<n-1/2+1>,<m-1>]",
        "%0 = slice %x {start=[0,1], limit=[<n>,<m>], stride=[2,1]} : "
        "$[<n-1/2+1>,<m-1>]"),
      LAWS_ANYTHING, 2, 1, PLANE, -3, 3 },
    { "slice",
      F("%x: $[<n>,<m>]", "$[<n-1>,<m-1/3+1>]",
        "%0 = slice %x {start=[1,0], limit=[<n>,<m>], stride=[1,3]} : "
        "$[<n-1>,<m-1/3+1>]"),
      LAWS_ANYTHING, 2, 1, PLANE, -3, 3 },
    { "pad",
      F("%x: $[<n>,<m>], %y: $[]", "$[<n+3>,<2*m>]",
        "%0 = pad %x, %y {low=[1,0], high=[2,1], interior=[0,1]} : $[<n+3>,<2*m>]"),
      LAWS_ANYTHING, 2, 1, PLANE / 2, -3, 3 },
    { "pad",
      F("%x: $[<n>,<m>], %y: $[]", "$[<n-1>,<m+7>]",
        "%0 = pad %x, %y {low=[-1,3], high=[0,4], interior=[0,0]} : $[<n-1>,<m+7>]"),
      LAWS_ANYTHING, 2, 1, PLANE / 2, -3, 3 },
    { "concatenate",
      F("%x: $[<n>,<m>], %y: $[<n>,3], %z: $[<n>,<m>]", "$[<n>,<2*m+3>]",
        "%0 = concatenate %x, %y, %z {axis=1} : $[<n>,<2*m+3>]"),
      LAWS_ANYTHING, 2, 0, PLANE / 2, -3, 3 },
    { "concatenate",
      F("%x: $[<n>], %y: $[<m>]", "$[<n+m>]", "%0 = concatenate %x, %y {axis=0} : $[<n+m>]"),
      LAWS_ANYTHING, 2, 0, PLANE, -3, 3 },
    { "reverse", F("%x: $[<n>,<m>]", "$[<n>,<m>]", "%0 = reverse %x {axes=[1]} : $[<n>,<m>]"),
      LAWS_ANYTHING, 2, 0, PLANE, -3, 3 },
    { "reverse",
      F("%x: $[<n>,<m>]", "$[<m>,<n>]",
        "%1 = transpose %x {perm=[1,0]} : $[<m>,<n>]" L
        "%0 = reverse %1 {axes=[0,1]} : $[<m>,<n>]"),
      LAWS_ANYTHING, 2, 0, PLANE, -3, 3 },
    { "broadcast_in_dim",
      F("%x: $[<m>]", "$[<n>,<m>]",
        "%0 = broadcast_in_dim %x {shape=[<n>,<m>], dims=[1]} : $[<n>,<m>]"),
      LAWS_ANYTHING, 2, 0, PLANE, -3, 3 },
    { "broadcast_in_dim",
      F("%x: $[<n>,1]", "$[<n>,<m>,3]",
        "%0 = broadcast_in_dim %x {shape=[<n>,<m>,3], dims=[0,1]} : $[<n>,<m>,3]"),
      LAWS_ANYTHING, 2, 0, PLANE / 3, -3, 3 },
    { "iota",
      F("%x: $[<n>,<m>]", "$[<n>,<m>]",
        "%1 = iota {dtype=$, shape=[<n>,<m>], axis=1} : $[<n>,<m>]" L
        "%0 = add %x, %1 : $[<n>,<m>]"),
      LAWS_ANY_NUMBER, 2, 0, PLANE, -3, 3 },
    { "fft", F("%x: $[<n>]", "$[<n>]", "%0 = fft %x : $[<n>]"), LAWS_COMPLEX, 1 | SMOOTH, 1,
      LINE, -3, 3 },
    { "fft", F("%x: $[<n>,<m>]", "$[<n>,<m>]", "%0 = fft %x {inverse=true} : $[<n>,<m>]"),
      LAWS_COMPLEX, 2 | SMOOTH, 1, 20000, -3, 3 },
    /* linear algebra: bodies of loops over parts of matrices */
    MATRIX("cholesky", LAWS_INEXACT, "$[<n>,<n>]", SPD "%0 = cholesky %a : $[<n>,<n>]"),
    MATRIX("triangular_solve", LAWS_INEXACT, "$[<n>,<n>]",
           APART "%0 = triangular_solve %t, %x : $[<n>,<n>]"),
    MATRIX("triangular_solve", LAWS_INEXACT, "$[<n>,<n>]",
           APART "%0 = triangular_solve %t, %x {right=true, upper=true} : $[<n>,<n>]"),
    MATRIX("lu", LAWS_INEXACT, "$[<n>,<n>]",
           "%0, %1, %2 = lu %x : ($[<n>,<n>], i32[<n>], i32[<n>])"),
    MATRIX("det", LAWS_INEXACT, "$[]",
           APART "%1, %2, %3 = lu %t : ($[<n>,<n>], i32[<n>], i32[<n>])" L
                 "%0 = det %t, %1, %2, %3 : $[]"),
    MATRIX("inverse", LAWS_INEXACT, "$[<n>,<n>]",
           APART "%1, %2, %3 = lu %t : ($[<n>,<n>], i32[<n>], i32[<n>])" L
                 "%0 = inverse %t, %1, %2, %3 : $[<n>,<n>]"),
    MATRIX("qr", LAWS_INEXACT, "$[<n>,<n>]", "%0, %1 = qr %x : ($[<n>,<n>], $[<n>,<n>])"),
    { "qr", F("%x: $[<n>,3]", "$[3,3]", "%1, %0 = qr %x : ($[<n>,3], $[3,3])"), LAWS_INEXACT, 1,
      3, 33, -1, 1 },
    MATRIX("eigh", LAWS_FLOATS, "$[<n>]", SPD "%0, %1 = eigh %a : ($[<n>], $[<n>,<n>])"),
    MATRIX("svd", LAWS_FLOATS, "$[<n>]",
           APART "%1, %0, %2 = svd %t : ($[<n>,<n>], $[<n>], $[<n>,<n>])"),
    /* batches: blocks of matrices are steps that threads may share */
    { "eigh",
      F("%x: $[330,<n>,<n>]", "$[330,<n>,<n>]",
        "%1, %0 = eigh %x : ($[330,<n>], $[330,<n>,<n>])"),
      LAWS_FLOATS, 1, 1, 9, -1, 1 },
    { "svd",
      F("%x: $[330,<n>,<n>]", "$[330,<n>,<n>]",
        "%0, %1, %2 = svd %x : ($[330,<n>,<n>], $[330,<n>], $[330,<n>,<n>])"),
      LAWS_FLOATS, 1, 1, 9, -1, 1 },
    /* sub-functions */
    { "scan",
      FN_STEP F("%k: $[<m>], %c: $[<m>], %x: $[<n>,<m>]", "$[<n>,<m>]",
                "%1, %0 = scan %k, %c, %x {consts=1, carries=1, length=<n>, "
                "body=@step} : ($[<m>], $[<n>,<m>])"),
      LAWS_ANY_NUMBER, 2, 0, 40000, -1, 1 },
    { "scan",
      FN_STEP F("%k: $[<m>], %c: $[<m>], %x: $[<n>,<m>]", "$[<m>]",
                "%0, %1 = scan %k, %c, %x {consts=1, carries=1, length=<n>, "
                "reverse=true, body=@step} : ($[<m>], $[<n>,<m>])"),
      LAWS_ANY_NUMBER, 2, 0, 40000, -1, 1 },
    { "while",
      FN_COUNT F("%n: i32[], %c: $[<n>]", "$[<n>]",
                 "%1, %0 = while %n, %c {max=8, cond=@count, body=@grow} : (i32[], "
                 "$[<n>])"),
      LAWS_ANY_NUMBER, 1, 0, LINE, 0.5, 1.2 },
    { "cond",
      FN_TWO F("%p: i32[], %x: $[<n>]", "$[<n>]",
               "%0 = cond %p, %x {branches=[@id, @square]} : $[<n>]"),
      LAWS_ANY_NUMBER, 1, 0, LINE, -3, 3 },
    { "cond",
      FN_TWO F("%p: i32[<n>], %x: $[<n>]", "$[<n>]",
               "%0 = cond %p, %x {branches=[@id, @square]} : $[<n>]"),
      LAWS_ANY_NUMBER, 1, 0, LINE, -3, 3 },
    { "scan",
      FN_EACH F("%k: $[<m>], %c: $[<n>,<m>], %x: $[3,<n>]", "$[<n>,<m>]",
                "%0, %1 = scan %k, %c, %x {consts=1, carries=1, length=3, body=@each} "
                ": ($[<n>,<m>], $[3,<n>,<m>])"),
      LAWS_ANY_NUMBER, 2, 0, 40000, -1, 1 },
    { "scan",
      FN_EACH F("%k: $[<m>], %c: $[<n>,<m>], %x: $[3,<n>]", "$[3,<n>,<m>]",
                "%1, %0 = scan %k, %c, %x {consts=1, carries=1, length=3, "
                "reverse=true, body=@each} : ($[<n>,<m>], $[3,<n>,<m>])"),
      LAWS_ANY_NUMBER, 2, 0, 40000, -1, 1 },
    { "while",
      FN_LEAVE F("%k: $[<m>], %i: i32[<n>,<m>], %c: $[<n>,<m>]", "$[<n>,<m>]",
                 "%1, %0 = while %k, %i, %c {consts=1, cond=@stays, body=@grow} : "
                 "(i32[<n>,<m>], $[<n>,<m>])"),
      LAWS_ANY_NUMBER, 2, 0, 40000, -1, 2 },
    { "scan",
      FN_TURN F("%c: $[<m>], %d: $[<m>], %x: $[<n>,<m>]", "$[<m>]",
                "%1, %2, %3 = scan %c, %d, %x {consts=0, carries=2, length=<n>, "
                "body=@turn} : ($[<m>], $[<m>], $[<n>,<m>])" L "%0 = sub %1, %2 : $[<m>]"),
      LAWS_ANY_NUMBER, 2, 0, 40000, -1, 1 },
    { "scan",
      FN_BESIDE F("%c: $[<m>], %x: $[<n>,<m>]", "$[<m>]",
                  "%0 = scan %c, %x {consts=0, carries=1, length=<n>, "
                  "body=@beside} : $[<m>]"),
      LAWS_ANY_NUMBER, 2, 0, 40000, -1, 1 },
    { "scan",
      FN_STENCIL F("%c: $[<n>]", "$[<n>]",
                   "%0 = scan %c {consts=0, carries=1, length=3, body=@stencil} "
                   ": $[<n>]"),
      LAWS_ANY_NUMBER, 1, 2, LINE, -1, 1 },
    { "scan",
      FN_FILTER F("%y: $[<n>], %x: $[<n>,1]", "$[<n>]",
                  "%i = constant {data=2} : i32[]" L
                  "%1, %0 = scan %i, %y, %x {consts=0, carries=2, length=<n>, "
                  "body=@filter} : (i32[], $[<n>])"),
      LAWS_ANY_NUMBER, 1, 3, LINE, -1, 1 },
    { "scan",
      FN_COUNTS F("%z: $[], %y: $[<n>], %k: i32[<m>,1], %j: i32[<m>]", "$[<n>]",
                  "%0 = scan %z, %y, %k, %j {consts=1, carries=1, length=<m>, "
                  "body=@counts} : $[<n>]"),
      LAWS_ANY_NUMBER, 2, 1, 40000, -1, 1 },
    { "while",
      FN_OVERLAP F("%y: $[<n>]", "$[<n>]",
                   "%i = constant {data=0} : i32[]" L
                   "%1, %0 = while %i, %y {cond=@more, body=@next} : (i32[], $[<n>])"),
      LAWS_ANY_NUMBER, 1, 3, LINE, -1, 1 },
    { "scan",
      FN_TWO F("%x: $[<m>,<n>]", "$[<n>,<m>]",
               "%1 = scan %x {carries=0, length=<m>, body=@square} : $[<m>,<n>]" L
               "%0 = transpose %1 {perm=[1,0]} : $[<n>,<m>]"),
      LAWS_ANY_NUMBER, 2, 1, 40000, -2, 2 },
    { "scan",
      FN_ALONE F("%k: $[<n>], %x: $[<m>,<n>]", "$[<m>,<n>]",
                 "%0, %1 = scan %k, %x {consts=1, carries=0, length=<m>, body=@alone} "
                 ": ($[<m>,<n>], $[<m>])"),
      LAWS_ANY_NUMBER, 2, 1, 40000, -2, 2 },
    { "scan",
      FN_ALONE F("%k: $[<n>], %x: $[<m>,<n>]", "$[<m>]",
                 "%1, %0 = scan %k, %x {consts=1, carries=0, length=<m>, reverse=true, "
                 "body=@alone} : ($[<m>,<n>], $[<m>])"),
      LAWS_ANY_NUMBER, 2, 1, 40000, -2, 2 },
    { "scan",
      FN_ROUND F("%k: $[<n>], %c: $[<m>,<n>]", "$[<m>,<n>]",
                 "%0 = scan %k, %c {consts=1, carries=1, length=3, body=@round} : $[<m>,<n>]"),
      LAWS_ANY_NUMBER, 2, 1, 40000, -2, 2 },
    /* over most of an array, at a place that is known */
    { "dynamic_update_slice",
      F("%x: $[<n>,<m>], %y: $[<n-1>,<m-2>]", "$[<n>,<m>]",
        "%a = constant {data=1} : i32[]" L
        "%0 = dynamic_update_slice %x, %y, %a, %a : $[<n>,<m>]"),
      LAWS_ANYTHING, 2, 3, PLANE, -3, 3 },
    /* at a constant place along one axis, and a given one along the other */
    { "dynamic_update_slice",
      F("%x: $[<n>,<m>], %y: $[<n-1>,<m-2>], %j: i32[]", "$[<n>,<m>]",
        "%a = constant {data=1} : i32[]" L
        "%0 = dynamic_update_slice %x, %y, %a, %j : $[<n>,<m>]"),
      LAWS_ANYTHING, 2, 3, PLANE, -3, 3 },
    { "dynamic_update_slice",
      F("%x: $[<n>,<m>], %y: $[<n-2>,<m-1>], %i: i32[]", "$[<n>,<m>]",
        "%a = constant {data=1} : i32[]" L
        "%0 = dynamic_update_slice %x, %y, %i, %a : $[<n>,<m>]"),
      LAWS_ANYTHING, 2, 3, PLANE, -3, 3 },
    { "scatter_add",
      F("%x: $[<n>,<m>], %y: $[<n-1>,<m-1>]", "$[<n>,<m>]",
        "%a = constant {data=1} : i32[2]" L
        "%0 = scatter_add %x, %a, %y {window_dims=[0,1], inserted=[], "
        "operand_batch=[], indices_batch=[], "
        "index_map=[0,1], mode=fill} : $[<n>,<m>]"),
      LAWS_ANY_NUMBER, 2, 2, PLANE, -3, 3 },
    /* few elements behind an axis that is reduced */
    { "reduce_sum", F("%x: $[<n>,4]", "$[4]", "%0 = reduce_sum %x {axes=[0]} : $[4]"),
      LAWS_ANY_NUMBER, 1, 0, LARGE, -3, 3 },
    { "reduce_max", F("%x: $[2,<n>,4]", "$[2,4]", "%0 = reduce_max %x {axes=[1]} : $[2,4]"),
      LAWS_NUMBERS, 1, 1, LINE, -3, 3 },
    { "reduce_sum",
      F("%x: $[<n>,<m>], %y: $[5,<m>]", "$[5,<m>]",
        PAIRS("5") "%10 = reduce_sum %9 {axes=[1]} : $[5,<m>]" L "%0 = mul %10, %y : $[5,<m>]"),
      LAWS_FLOATS, 2, 1, PLANE / 5, -1, 1 },
    { "reduce_sum", REACH, LAWS_FLOATS, 2, 1, PLANE / 70, -1, 1 },
    { "reduce_sum", F("%x: $[3,<n>,<m>]", "$[3,<n>,<m>]", SOFTMAX("3", "<m>")), LAWS_FLOATS, 2,
      1, PLANE / 3, -3, 3 },
    { "reduce_sum", F("%x: $[7,<n>,4]", "$[7,<n>,4]", SOFTMAX("7", "4")), LAWS_FLOATS, 1, 1,
      LINE, -3, 3 },
    /* short rows, of one axis and of two, whose elements share */
    { "mul",
      F("%x: $[<n>,<m>], %y: $[<n>,<m>]", "$[<n>,<m>,<m>]",
        "%1 = broadcast_in_dim %x {shape=[<n>,<m>,<m>], dims=[0,1]} : $[<n>,<m>,<m>]" L
        "%2 = broadcast_in_dim %y {shape=[<n>,<m>,<m>], dims=[0,2]} : $[<n>,<m>,<m>]" L
        "%3 = reduce_sum %x {axes=[1]} : $[<n>]" L "%4 = exp %3 : $[<n>]" L
        "%5 = broadcast_in_dim %4 {shape=[<n>,<m>,<m>], dims=[0]} : $[<n>,<m>,<m>]" L
        "%6 = mul %1, %2 : $[<n>,<m>,<m>]" L "%0 = mul %6, %5 : $[<n>,<m>,<m>]"),
      LAWS_FLOATS, 2, 0, SMALL, -1, 1 },
    { "concatenate",
      F("%x: $[<n>,<m>], %z: $[<n>]", "$[<n>,<2*m+1>]",
        "%1 = reshape %z {shape=[<n>,1]} : $[<n>,1]" L "%2 = mul %x, %x : $[<n>,<m>]" L
        "%3 = concatenate %2, %1, %x {axis=1} : $[<n>,<2*m+1>]" L
        "%4 = broadcast_in_dim %z {shape=[<n>,<2*m+1>], dims=[0]} : "
        "$[<n>,<2*m+1>]" L "%0 = mul %3, %4 : $[<n>,<2*m+1>]"),
      LAWS_ANY_NUMBER, 2, 0, PLANE / 2, -3, 3 },
    /* two columns of six */
    { "slice",
      F("%x: $[<n>,6]", "$[<n>,1]",
        "%1 = slice %x {start=[0,0], limit=[<n>,1], stride=[1,1]} : $[<n>,1]" L
        "%2 = slice %x {start=[0,5], limit=[<n>,6], stride=[1,1]} : $[<n>,1]" L
        "%0 = mul %1, %2 : $[<n>,1]"),
      LAWS_ANY_NUMBER, 1, 0, LINE, -3, 3 },
    /* steps of a network: each adds and subtracts pairs, which are neighbours, then two and 2 n
     * elements apart */
    { "reshape",
      F("%x: $[<m>,<4*n>]", "$[<m>,<4*n>]",
        STEP("x", "1", "[<m>,<2*n>,2,1]", "[<m>,<2*n>,1,1]")
            STEP("17", "2", "[<m>,<n>,2,2]", "[<m>,<n>,1,2]")
                STEP("27", "3", "[<m>,1,2,<2*n>]",
                     "[<m>,1,1,<2*n>]") "%0 = reshape %37 {shape=[<m>,<4*n>]} : $[<m>,<4*n>]"),
      LAWS_ANY_NUMBER, 2, 0, PLANE / 4, -3, 3 },
    /* what both operands of a concatenation share */
    { "concatenate",
      F("%x: $[<n>,<m>], %y: $[<n>,<m>]", "$[<2*n>,<m>]",
        BOTH "%0 = concatenate %3, %4 {axis=0} : $[<2*n>,<m>]"),
      LAWS_FLOATS, 2, 0, PLANE / 2, -2, 2 },
    { "concatenate",
      F("%x: $[<n>,<m>], %y: $[<n>,<m>]", "$[<n>,<2*m>]",
        BOTH "%0 = concatenate %3, %4 {axis=1} : $[<n>,<2*m>]"),
      LAWS_FLOATS, 2, 0, PLANE / 2, -2, 2 },
    /* many operands, each computed in its part */
    { "concatenate",
      F("%x: $[<n>,<m>], %y: $[<n>,<m>]", "$[<9*n+1>,<m>]",
        MANY "%6 = slice %x {start=[0,0], limit=[1,<m>], stride=[1,1]} : $[1,<m>]" L
             "%0 = concatenate %1, %2, %x, %3, %1, %5, %4, %y, %6, %7 {axis=0} : "
             "$[<9*n+1>,<m>]"),
      LAWS_ANY_NUMBER, 2, 1, PLANE / 9, -3, 3 },
    { "concatenate",
      F("%x: $[<n>,<m>], %y: $[<n>,<m>]", "$[<n>,<9*m+1>]",
        MANY "%6 = slice %x {start=[0,0], limit=[<n>,1], stride=[1,1]} : $[<n>,1]" L
             "%0 = concatenate %1, %2, %x, %3, %1, %5, %4, %y, %6, %7 {axis=1} : "
             "$[<n>,<9*m+1>]"),
      LAWS_ANY_NUMBER, 2, 1, PLANE / 9, -3, 3 },
    { "concatenate",
      F("%x: $[<n>,<m>], %y: $[<n>,<m>]", "$[<9*n>,<m>]",
        MANY "%8 = concatenate %2, %x, %3, %1, %5, %4, %y, %7, %4 {axis=0} : $[<9*n>,<m>]" L
             "%9 = reduce_sum %8 {axes=[0]} : $[<m>]" L
             "%10 = broadcast_in_dim %9 {shape=[<9*n>,<m>], dims=[1]} : $[<9*n>,<m>]" L
             "%0 = mul %8, %10 : $[<9*n>,<m>]"),
      LAWS_FLOATS, 2, 1, PLANE / 9, -2, 2 },
    { "concatenate",
      F("%x: $[<n>,<m>], %y: $[<n>,<m>]", "$[9,<n>,<m>]",
        MANY STACKED("11", "1") STACKED("12", "2") STACKED("13", "3") STACKED("14", "4")
            STACKED("15", "5") STACKED("17", "7") STACKED(
                "18",
                "x") "%0 = concatenate %11, %12, %13, %14, %15, %17, %18, %11, %17 {axis=0} : "
                     "$[9,<n>,<m>]"),
      LAWS_ANY_NUMBER, 2, 1, PLANE / 9, -3, 3 },
    /* short rows that are rotated twice */
    { "concatenate",
      F("%x: $[<n>,3]", "$[<n>,3]",
        "%1 = sin %x : $[<n>,3]" L ROTATE("1", "2")
            ROTATE("25", "3") "%0 = add %35, %x : $[<n>,3]"),
      LAWS_FLOATS, 1, 0, LINE, -2, 2 },
    /* digits of 2 and 3 in another order, one of them a concatenation */
    { "reshape",
      F("%x: $[<n>,<6*m>], %y: $[<n>,<6*m>]", "$[<n>,<6*m>]",
        "%1 = reshape %x {shape=[<n>,<m>,2,3]} : $[<n>,<m>,2,3]" L
        "%2 = slice %1 {start=[0,0,0,0], limit=[<n>,<m>,1,3], stride=[1,1,1,1]} : "
        "$[<n>,<m>,1,3]" L
        "%3 = slice %1 {start=[0,0,1,0], limit=[<n>,<m>,2,3], stride=[1,1,1,1]} : "
        "$[<n>,<m>,1,3]" L "%4 = mul %2, %3 : $[<n>,<m>,1,3]" L
        "%5 = sub %3, %2 : $[<n>,<m>,1,3]" L
        "%6 = concatenate %4, %5 {axis=2} : $[<n>,<m>,2,3]" L
        "%7 = transpose %6 {perm=[0,1,3,2]} : $[<n>,<m>,3,2]" L
        "%8 = reshape %7 {shape=[<n>,<6*m>]} : $[<n>,<6*m>]" L
        "%0 = add %8, %y : $[<n>,<6*m>]"),
      LAWS_ANY_NUMBER, 2, 0, PLANE / 6, -3, 3 },
    /* updates that are the value which they update, in the memory of a carry */
    { "scatter_add",
      OWN_STEP("%1 = constant {data=<n>} : i32[<n>,1]" L "%2 = constant {data=2} : i32[<n>,1]" L
               "%3 = iota {dtype=i32, shape=[<n>,1], axis=0} : i32[<n>,1]" L
               "%4 = mul %3, %2 : i32[<n>,1]" L "%5 = rem %4, %1 : i32[<n>,1]" L
               "%0 = scatter_add %p, %5, %p {window_dims=[1], inserted=[0], "
               "operand_batch=[], indices_batch=[], index_map=[0], mode=fill} : "
               "$[<n>,<m>]"),
      LAWS_NUMBERS, 2, 1, PLANE, -2, 2 },
    { "dynamic_update_slice",
      OWN_STEP("%1 = slice %p {start=[1,0], limit=[<n>,<m>], stride=[1,1]} : $[<n-1>,<m>]" L
               "%2 = reverse %1 {axes=[0]} : $[<n-1>,<m>]" L "%3 = constant {data=0} : i32[]" L
               "%4 = dynamic_update_slice %p, %p, %k, %3 : $[<n>,<m>]" L
               "%0 = dynamic_update_slice %4, %2, %k, %3 : $[<n>,<m>]"),
      LAWS_ANYTHING, 2, 1, PLANE, -2, 2 },
    /* what earlier steps stored: one element, windows that overlap, from the end, windows side
     * by side, every second and third step; fewer steps than one reads back */
    RECUR("1", "1", "3", "<n-4>"),
    RECUR("1", "2", "3", "<n-5>"),
    RECUR("-1", "3", "<n-6>", "<n-6>"),
    RECUR("2", "2", "6", "<n-8/2>"),
    RECUR("2", "3", "6", "<n-9/2>"),
    RECUR("3", "3", "9", "<n-12/3>"),
    RECUR("1", "1", "5", "2"),
    /* sums that absorb small exponentials, and two that show all of them */
    ABSORB("exp", "1", -120, 120),
    ABSORB("exp", "1.3e-29", -110, -60),
    ABSORB("exp", "1.1e-289", -760, -640),
    ABSORB("exp", "1e-33", -110, -60),
    ABSORB("exp", "1e-300", -760, -640),
    ABSORB("exp2", "-1", -160, 160),
    ABSORB("exp2", "1.3e-29", -155, -90),
    ABSORB("exp2", "-1.1e-289", -1090, -940),
    ABSORB("logistic", "-1", -120, 120),
    ABSORB("logistic", "1.1e-289", -760, -640),
    LAYERS_OF_ONE_STACK,
    PRODUCT_ROWS,
    CUMULATE_BY_LEVELS("cumsum", "", LAWS_ANY_NUMBER),
    CUMULATE_BY_LEVELS("cummax", ", reverse=true", LAWS_NUMBERS),
    NARROW_SUM("$", "$", OF_DISTANCES, LAWS_INTS),
    NARROW_SUM("u8", "i8", "%5 = mul %1, %3", LAWS_BOOL),
    NARROW_SUM("i8", "u8", "%5 = mul %1, %3", LAWS_BOOL),
};
enum { ROWS = sizeof rows / sizeof *rows };

#endif
