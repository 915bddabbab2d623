/* Functions of the table of programs with free axes (class_rows.h): the bodies of its loops and
 * branches.  F and L, which write a function and end a line, are class_forms.h's. */
#ifndef TESTS_LAWS_CLASS_FUNCTIONS_H
#define TESTS_LAWS_CLASS_FUNCTIONS_H

#define OWN_STEP(body)                                                                         \
    "fn @step(%p: $[<n>,<m>], %k: i32[]) -> $[<n>,<m>] {\n  " body                             \
    "\n  ret %0\n}\n" F("%x: $[<n>,<m>], %c: i32[2]", "$[<n>,<m>]",                            \
                        "%0 = scan %x, %c {carries=1, length=2, body=@step} : $[<n>,<m>]")

#define FN_STEP "fn @step(%k: $[<m>], %c: $[<m>], %x: $[<m>]) -> ($[<m>], $[<m>]) {\n"         \
    "  %0 = mul %c, %k : $[<m>]\n  %1 = add %0, %x : $[<m>]\n  %2 = mul %1, %c : $[<m>]\n  "   \
    "ret %1, %2\n}\n"
#define FN_COUNT "fn @count(%n: i32[], %c: $[<n>]) -> bool[] {\n  %0 = constant {data=4} : "   \
                 "i32[]\n"                                                                     \
    "  %1 = lt %n, %0 : bool[]\n  ret %1\n}\n"                                                 \
    "fn @grow(%n: i32[], %c: $[<n>]) -> (i32[], $[<n>]) {\n  %0 = constant {data=1} : i32[]\n" \
    "  %1 = add %n, %0 : i32[]\n  %2 = mul %c, %c : $[<n>]\n  ret %1, %2\n}\n"
/* two batch axes: elements step each by itself, and leave a while each at its own time */
#define FN_EACH "fn @each(%k: $[<m>], %c: $[<n>,<m>], %x: $[<n>]) -> ($[<n>,<m>], "            \
                "$[<n>,<m>]) {\n"                                                              \
    "  %0 = broadcast_in_dim %k {shape=[<n>,<m>], dims=[1]} : $[<n>,<m>]\n"                    \
    "  %1 = broadcast_in_dim %x {shape=[<n>,<m>], dims=[0]} : $[<n>,<m>]\n"                    \
    "  %2 = mul %c, %0 : $[<n>,<m>]\n  %3 = add %2, %1 : $[<n>,<m>]\n  ret %3, %2\n}\n"
#define FN_LEAVE "fn @stays(%k: $[<m>], %i: i32[<n>,<m>], %c: $[<n>,<m>]) -> bool[<n>,<m>] "   \
                 "{\n"                                                                         \
    "  %0 = constant {data=4} : i32[<n>,<m>]\n  %1 = lt %i, %0 : bool[<n>,<m>]\n  ret %1\n}\n" \
    "fn @grow(%k: $[<m>], %i: i32[<n>,<m>], %c: $[<n>,<m>]) -> (i32[<n>,<m>], $[<n>,<m>]) {\n" \
    "  %0 = constant {data=1} : i32[<n>,<m>]\n  %1 = add %i, %0 : i32[<n>,<m>]\n"              \
    "  %2 = broadcast_in_dim %k {shape=[<n>,<m>], dims=[1]} : $[<n>,<m>]\n"                    \
    "  %3 = mul %c, %2 : $[<n>,<m>]\n  ret %1, %3\n}\n"
/* carries that a loop exchanges, and one that it makes beside the old one; the last holds its
 * ends */
#define FN_TURN "fn @turn(%c: $[<m>], %d: $[<m>], %x: $[<m>]) -> ($[<m>], $[<m>], $[<m>]) {\n" \
    "  %0 = reverse %c {axes=[0]} : $[<m>]\n  %1 = sub %x, %0 : $[<m>]\n  ret %d, %1, %0\n}\n"
#define FN_BESIDE "fn @beside(%c: $[<m>], %x: $[<m>]) -> $[<m>] {\n"                           \
    "  %0 = reverse %c {axes=[0]} : $[<m>]\n  %1 = sub %x, %0 : $[<m>]\n  ret %1\n}\n"
#define FN_STENCIL "fn @stencil(%c: $[<n>]) -> $[<n>] {\n"                                     \
    "  %1 = slice %c {start=[0], limit=[<n-2>], stride=[1]} : $[<n-2>]\n"                      \
    "  %2 = slice %c {start=[2], limit=[<n>], stride=[1]} : $[<n-2>]\n"                        \
    "  %3 = sub %1, %2 : $[<n-2>]\n  %4 = constant {data=1} : i32[]\n"                         \
    "  %5 = dynamic_update_slice %c, %3, %4 : $[<n>]\n  ret %5\n}\n"
/* carries that stay in memory: clamped at the end, partly outside, and overlapping */
#define FN_FILTER "fn @filter(%i: i32[], %y: $[<n>], %x: $[1]) -> (i32[], $[<n>]) {\n"         \
    "  %0 = constant {data=1} : i32[]\n  %1 = constant {data=2} : i32[]\n"                     \
    "  %2 = sub %i, %0 : i32[]\n  %3 = sub %i, %1 : i32[]\n"                                   \
    "  %4 = dynamic_slice %y, %2 {sizes=[1]} : $[1]\n"                                         \
    "  %5 = dynamic_slice %y, %3 {sizes=[1]} : $[1]\n"                                         \
    "  %6 = mul %4, %x : $[1]\n  %7 = add %6, %5 : $[1]\n"                                     \
    "  %8 = dynamic_update_slice %y, %7, %i : $[<n>]\n  %9 = add %i, %0 : i32[]\n"             \
    "  ret %9, %8\n}\n"
#define FN_COUNTS "fn @counts(%z: $[], %y: $[<n>], %k: i32[1], %j: i32[]) -> $[<n>] {\n"       \
    "  %0 = dynamic_slice %y, %j {sizes=[1]} : $[1]\n"                                         \
    "  %1 = scatter_add %y, %k, %z {window_dims=[], inserted=[0], operand_batch=[], "          \
    "indices_batch=[], index_map=[0], mode=fill} : $[<n>]\n"                                   \
    "  %2 = dynamic_slice %1, %j {sizes=[1]} : $[1]\n  %3 = sub %2, %0 : $[1]\n"               \
    "  %4 = dynamic_update_slice %1, %3, %j : $[<n>]\n  ret %4\n}\n"
#define FN_OVERLAP "fn @more(%i: i32[], %y: $[<n>]) -> bool[] {\n"                             \
    "  %0 = constant {data=<n>} : i32[]\n  %1 = lt %i, %0 : bool[]\n  ret %1\n}\n"             \
    "fn @next(%i: i32[], %y: $[<n>]) -> (i32[], $[<n>]) {\n"                                   \
    "  %0 = constant {data=2} : i32[]\n  %1 = add %i, %0 : i32[]\n"                            \
    "  %2 = dynamic_slice %y, %i {sizes=[3]} : $[3]\n  %3 = mul %2, %2 : $[3]\n"               \
    "  %4 = dynamic_update_slice %y, %3, %1 : $[<n>]\n  ret %1, %4\n}\n"
/* A recurrence through memory: a step of w elements at %i reads those of one and of three steps
 * before, its own, and those of the next, which is `by` elements on. */
#define FN_RECUR(by, w) "fn @recur(%i: i32[], %y: $[<n>], %x: $[" w "]) -> (i32[], $[<n>]) {"  \
    "\n  %a = constant {data=" by "} : i32[]\n  %1 = sub %i, %a : i32[]\n"                    \
    "  %2 = sub %1, %a : i32[]\n  %3 = sub %2, %a : i32[]\n  %4 = add %i, %a : i32[]\n"       \
    "  %5 = dynamic_slice %y, %1 {sizes=[" w "]} : $[" w "]\n"                                 \
    "  %6 = dynamic_slice %y, %3 {sizes=[" w "]} : $[" w "]\n"                                 \
    "  %7 = dynamic_slice %y, %i {sizes=[" w "]} : $[" w "]\n"                                 \
    "  %8 = dynamic_slice %y, %4 {sizes=[" w "]} : $[" w "]\n"                                 \
    "  %9 = sub %5, %6 : $[" w "]\n  %10 = sub %7, %8 : $[" w "]\n"                            \
    "  %11 = add %9, %10 : $[" w "]\n  %12 = mul %11, %x : $[" w "]\n"                         \
    "  %13 = dynamic_update_slice %y, %12, %i : $[<n>]\n  ret %4, %13\n}\n"
#define FN_TWO "fn @id(%x: $[<n>]) -> $[<n>] {\n  ret %x\n}\n"                                 \
    "fn @square(%x: $[<n>]) -> $[<n>] {\n  %0 = mul %x, %x : $[<n>]\n  ret %0\n}\n"
/* A step that reads none before it, of kernels with values between them. */
#define FN_ALONE                                                                               \
    "fn @alone(%k: $[<n>], %x: $[<n>]) -> ($[<n>], $[]) {\n"                                   \
    "  %0 = cumsum %x {axis=0} : $[<n>]\n  %1 = add %0, %k : $[<n>]\n"                         \
    "  %2 = reduce_sum %1 {axes=[0]} : $[]\n  %3 = reverse %1 {axes=[0]} : $[<n>]\n"           \
    "  %4 = cumsum %3 {axis=0} : $[<n>]\n  ret %4, %2\n}\n"
/* Steps of which each calls such a function for each row, and reads the rows before it in
 * another order, so that the rows are in two buffers that are exchanged. */
#define FN_ROUND                                                                               \
    FN_ALONE "fn @round(%k: $[<n>], %c: $[<m>,<n>]) -> $[<m>,<n>] {\n"                         \
             "  %0, %1 = scan %k, %c {consts=1, carries=0, length=<m>, body=@alone} : "        \
             "($[<m>,<n>], $[<m>])\n"                                                          \
             "  %2 = reverse %c {axes=[0]} : $[<m>,<n>]\n  %3 = sub %2, %0 : $[<m>,<n>]\n"     \
             "  ret %3\n}\n"

#endif
