/* The forms that rows of class_rows.h share: a row itself, and the text of programs. */
#ifndef TESTS_LAWS_CLASS_FORMS_H
#define TESTS_LAWS_CLASS_FORMS_H

#include "tests/laws/classes.h"

/* Axes: n takes all sizes up to `most`, or n and m all pairs of the most telling ones with at
 * most `most` elements.  SMOOTH: the last axis has no prime factor above 13. */
enum { SMOOTH = 4 };
typedef struct row {
    const char *op, *text;
    laws_types types;
    int axes;
    int64_t least, most;
    double lo, hi;
} row;

#define F(in, type, body) "fn @f(" in ") -> " type " {\n  " body "\n  ret %0\n}\n"
#define L "\n  "
enum { LINE = 4129, PLANE = 140000, SMALL = 4200, LARGE = 262657 };

#define UNARY(op, lo, hi)                                                                      \
    {                                                                                          \
        op, F("%x: $[<n>]", "$[<n>]", "%0 = " op " %x : $[<n>]"), LAWS_FLOATS, 1, 0, LINE, lo, \
        hi                                                                                     \
    }
#define REDUCE(op, t, lo, hi)                                                                  \
    { op, F("%x: $[<n>]", "$[]", "%0 = " op " %x {axes=[0]} : $[]"), t, 1, 0, LARGE, lo, hi }, \
    { op, F("%x: $[<n>,<m>]", "$[<n>]", "%0 = " op " %x {axes=[1]} : $[<n>]"), t, 2, 0,        \
      PLANE, lo, hi },                                                                         \
    { op, F("%x: $[<n>,<m>]", "$[<m>]", "%0 = " op " %x {axes=[0]} : $[<m>]"), t, 2, 0,        \
      PLANE, lo, hi },                                                                         \
    { op, F("%x: $[3,<n>,<m>]", "$[3,<m>]", "%0 = " op " %x {axes=[1]} : $[3,<m>]"), t, 2, 0,  \
      PLANE / 3, lo, hi },                                                                     \
    { op, F("%x: $[<n>,3,<m>]", "$[3]", "%1 = transpose %x {perm=[1,0,2]} : $[3,<n>,<m>]" L    \
            "%0 = " op " %1 {axes=[1,2]} : $[3]"), t, 2, 0, PLANE / 3, lo, hi }
#define ARG(op)                                                                                \
    { op, F("%x: $[<n>]", "i32[]", "%0 = " op " %x {axis=0} : i32[]"), LAWS_NUMBERS, 1, 1,     \
      LARGE, -3, 3 },                                                                          \
    { op, F("%x: $[<n>,<m>]", "i32[<n>]", "%0 = " op " %x {axis=1} : i32[<n>]"), LAWS_NUMBERS, \
      2, 1, PLANE, -3, 3 },                                                                    \
    { op, F("%x: $[<n>,<m>]", "i64[<m>]", "%0 = " op " %x {axis=0, dtype=i64} : i64[<m>]"),    \
      LAWS_NUMBERS, 2, 1, PLANE, -3, 3 }
#define CUMULATE(op, t, lo, hi)                                                                \
    { op, F("%x: $[<n>]", "$[<n>]", "%0 = " op " %x {axis=0} : $[<n>]"), t, 1, 0,              \
      LINE, lo, hi },                                                                          \
    { op, F("%x: $[<n>,<m>]", "$[<n>,<m>]", "%0 = " op                                         \
            " %x {axis=1, reverse=true} : $[<n>,<m>]"), t, 2, 0, PLANE, lo, hi },              \
    { op, F("%x: $[<n>,<m>]", "$[<n>,<m>]", "%0 = " op " %x {axis=0} : $[<n>,<m>]"), t, 2, 0,  \
      PLANE, lo, hi }
/* Lines of 39 blocks and a rest, so that the totals of the blocks are chunks and a rest. */
#define CUMULATE_BY_LEVELS(op, how, t)                                                         \
    { op,                                                                                      \
      F("%x: $[39945,<n>]", "$[39945,<n>]", "%0 = " op " %x {axis=0" how "} : $[39945,<n>]"),  \
      t,                                                                                       \
      1,                                                                                       \
      0,                                                                                       \
      40,                                                                                      \
      -3,                                                                                      \
      3 }
#define PUT(op, t)                                                                             \
    { op, F("%x: $[<n>], %i: i32[<m>,1], %z: $[<m>]", "$[<n>]",                                \
            "%0 = " op " %x, %i, %z {window_dims=[], "                                         \
            "inserted=[0], operand_batch=[], indices_batch=[], index_map=[0]} : $[<n>]"), t,   \
            2, 1, PLANE, 0.5, 2 },                                                             \
    { op, F("%x: $[<n>,<m>], %i: i32[5,1], %z: $[5,<m>]", "$[<n>,<m>]",                        \
            "%0 = " op " %x, %i, %z {window_dims=[1], "                                        \
            "inserted=[0], operand_batch=[], indices_batch=[], index_map=[0], mode=fill} : "   \
            "$[<n>,<m>]"), t, 2, 1, PLANE, 0.5, 2 }
#define POOL(op, t)                                                                            \
    { "windows", F("%x: $[<n>,<m>]", "$[<n>,<m-2>]",                                           \
                   "%1 = windows %x {axis=1, size=3} : $[<n>,<m-2>,3]" L                       \
                   "%0 = " op " %1 {axes=[2]} : $[<n>,<m-2>]"), t, 2, 3, PLANE, -3, 3 },       \
    { "windows", F("%x: $[<n>,<m>]", "$[<n-3/2+1>,<m>]",                                       \
                   "%1 = windows %x {axis=0, size=3, stride=2} : $[<n-3/2+1>,<m>,3]" L         \
                   "%0 = " op " %1 {axes=[2]} : $[<n-3/2+1>,<m>]"), t, 2, 3, PLANE, -3, 3 }

/* %e is 1 on the diagonal of n by n and 0 elsewhere; %a is x x^T + 4, %t is x + 4 of it. */
#define EYE "%p = iota {dtype=i32, shape=[<n>,<n>], axis=0} : i32[<n>,<n>]" L                  \
    "%q = iota {dtype=i32, shape=[<n>,<n>], axis=1} : i32[<n>,<n>]" L                          \
    "%d = eq %p, %q : bool[<n>,<n>]" L "%e = convert %d {dtype=$} : $[<n>,<n>]" L             \
    "%g = constant {data=4} : $[<n>,<n>]" L "%c = mul %e, %g : $[<n>,<n>]" L
#define SPD EYE "%s = dot_general %x, %x {lhs=[1], rhs=[1], lhs_batch=[], rhs_batch=[]} : "    \
                "$[<n>,<n>]" L                                                                 \
    "%a = add %s, %c : $[<n>,<n>]" L
#define APART EYE "%t = add %x, %c : $[<n>,<n>]" L
#define MATRIX(op, t, results, body) { op, F("%x: $[<n>,<n>]", results, body), t, 1, 1,        \
                                       14, -0.5, 0.5 }

/* %<k>7 is %<x> as an array of shape `whole`, with the sums and the differences of its two
 * parts of shape `part`. */
#define STEP(x, k, whole, part)                                                                \
    "%" k "1 = reshape %" x " {shape=" whole "} : $" whole L "%" k "2 = slice %" k             \
    "1 {start=[0,0,0,0], limit=" part ", stride=[1,1,1,1]} : $" part L "%" k "4 = slice %" k   \
    "1 {start=[0,0,1,0], limit=" whole ", stride=[1,1,1,1]} : $" part L "%" k "5 = add %" k    \
    "2, %" k "4 : $" part L "%" k "6 = sub %" k "2, %" k "4 : $" part L "%" k                  \
    "7 = concatenate %" k "5, %" k "6 {axis=2} : $" whole L
#define BOTH                                                                                   \
    "%1 = tanh %x : $[<n>,<m>]" L "%2 = mul %1, %y : $[<n>,<m>]" L                             \
    "%3 = add %2, %1 : $[<n>,<m>]" L "%4 = sub %2, %x : $[<n>,<m>]" L
/* Parts of a concatenation of many: some are linked, one is a constant, one a view. */
#define MANY                                                                                   \
    "%1 = mul %x, %y : $[<n>,<m>]" L "%2 = add %1, %x : $[<n>,<m>]" L                          \
    "%3 = sub %2, %y : $[<n>,<m>]" L "%4 = sub %x, %y : $[<n>,<m>]" L                          \
    "%5 = constant {data=2} : $[<n>,<m>]" L "%7 = reverse %y {axes=[0]} : $[<n>,<m>]" L
#define STACKED(k, x) "%" k " = reshape %" x " {shape=[1,<n>,<m>]} : $[1,<n>,<m>]" L
/* %<k>5 is %<x>, rows of three, times itself rotated by one. */
#define ROTATE(x, k)                                                                           \
    "%" k "1 = slice %" x " {start=[0,0], limit=[<n>,1], stride=[1,1]} : $[<n>,1]" L "%" k     \
    "2 = slice %" x " {start=[0,1], limit=[<n>,3], stride=[1,1]} : $[<n>,2]" L "%" k           \
    "4 = concatenate %" k "2, %" k "1 {axis=1} : $[<n>,3]" L "%" k "5 = mul %" k "4, %" x      \
    " : $[<n>,3]" L

/* %<k>2 is the product of %y and part k of the stack %x. */
#define PART(k, end)                                                                           \
    "%" k "0 = slice %x {start=[" k ",0,0], limit=[" end ",<n>,5], stride=[1,1,1]} : "         \
    "$[1,<n>,5]" L "%" k "1 = reshape %" k "0 {shape=[<n>,5]} : $[<n>,5]" L "%" k              \
    "2 = dot_general %y, %" k "1 {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : "            \
    "$[<m>,5]" L

/* Layers that read parts of one stack, and write parts of one result. */
#define LAYERS_OF_ONE_STACK                                                                    \
    { "slice",                                                                                 \
      F("%x: $[3,<n>,5], %y: $[<m>,<n>], %z: $[<3*m>,5]", "$[<3*m>,5]",                        \
        PART("1", "2")                                                                         \
            PART("2", "3") "%a = constant {data=<m>} : i32[]" L                                \
                           "%b = constant {data=<2*m>} : i32[]" L                              \
                           "%c = constant {data=0} : i32[]" L                                  \
                           "%3 = dynamic_update_slice %z, %12, %a, %c : $[<3*m>,5]" L          \
                           "%0 = dynamic_update_slice %3, %22, %b, %c : $[<3*m>,5]"),          \
      LAWS_NUMBERS,                                                                            \
      2,                                                                                       \
      1,                                                                                       \
      PLANE / 5,                                                                               \
      -2,                                                                                      \
      2 }

/* Sums over rows of narrow integers, for which processors have instructions. */
#define NARROW_SUM(x, y, of, t)                                                                \
    { "reduce_sum",                                                                            \
      F("%x: " x "[<n>,<m>], %y: " y "[<m>]", "i32[<n>]",                                      \
        "%1 = convert %x {dtype=i32} : i32[<n>,<m>]" L                                         \
        "%2 = convert %y {dtype=i32} : i32[<m>]" L                                             \
        "%3 = broadcast_in_dim %2 {shape=[<n>,<m>], dims=[1]} : i32[<n>,<m>]" L of             \
        " : i32[<n>,<m>]" L "%0 = reduce_sum %5 {axes=[1]} : i32[<n>]"),                       \
      t,                                                                                       \
      2,                                                                                       \
      0,                                                                                       \
      PLANE,                                                                                   \
      -120,                                                                                    \
      120 }
#define OF_DISTANCES "%4 = sub %1, %3 : i32[<n>,<m>]" L "%5 = abs %4"

/* Arrays of 45 by n by m, whose last two axes are short: what is computed in them from %1 and
 * %2, which are broadcast along one of these axes each. */
#define SHORT      "$[45,<n>,<m>]"
#define SHORT_TYPE "{shape=[45,<n>,<m>], dims=[0,"
#define ACROSS(x, y)                                                                           \
    "%1 = broadcast_in_dim %" x " " SHORT_TYPE "1]} : " SHORT L "%2 = broadcast_in_dim %" y    \
    " " SHORT_TYPE "2]} : " SHORT L
#define SHORT_ROWS(op, t, of, to, ...)                                                         \
    { op,  F("%x: $[45,<n>], %y: $[45,<m>], " of, to, ACROSS("x", "y") __VA_ARGS__),           \
      t,   2,                                                                                  \
      0,   3000,                                                                               \
      0.5, 3 }

/* Arrays of k by n by m, a broadcast to one, and what is computed in them.  Points x and y of m
 * coordinates each: weights by the distances, which all coordinates of a pair share, sum the
 * differences over x, and in REACH over y as well; and probabilities along the middle axis. */
#define THREE(k, m) "$[" k ",<n>," m "]"
#define OVER(k, m, dims) "{shape=[" k ",<n>," m "], dims=" dims "} : " THREE(k, m) L
#define PAIRS(k)                                                                               \
    "%1 = broadcast_in_dim %x " OVER(k, "<m>", "[1,2]")                                        \
    "%2 = broadcast_in_dim %y " OVER(k, "<m>", "[0,2]")                                        \
    "%3 = sub %1, %2 : " THREE(k, "<m>") L "%4 = mul %3, %3 : " THREE(k, "<m>") L              \
    "%5 = reduce_sum %4 {axes=[2]} : $[" k ",<n>]" L "%6 = neg %5 : $[" k ",<n>]" L            \
    "%7 = exp %6 : $[" k ",<n>]" L "%8 = broadcast_in_dim %7 " OVER(k, "<m>", "[0,1]")         \
    "%9 = mul %3, %8 : " THREE(k, "<m>") L
#define REACH                                                                                  \
    "fn @f(%x: $[<n>,<m>], %y: $[70,<m>]) -> ($[70,<m>], $[<n>,<m>]) {\n  " PAIRS("70")        \
    "%10 = reduce_sum %9 {axes=[1]} : $[70,<m>]" L                                             \
    "%11 = reduce_sum %9 {axes=[0]} : $[<n>,<m>]" L                                            \
    "%12 = add %11, %x : $[<n>,<m>]" L "ret %10, %12\n}\n"
#define SOFTMAX(k, m)                                                                          \
    "%1 = reduce_max %x {axes=[1]} : $[" k "," m "]" L                                         \
    "%2 = broadcast_in_dim %1 " OVER(k, m, "[0,2]") "%3 = sub %x, %2 : " THREE(k, m) L         \
    "%4 = exp %3 : " THREE(k, m) L "%5 = reduce_sum %4 {axes=[1]} : $[" k "," m "]" L          \
    "%6 = broadcast_in_dim %5 " OVER(k, m, "[0,2]") "%0 = div %4, %6 : " THREE(k, m)

#endif
