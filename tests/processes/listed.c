/* Programs with an axis of groups (programs.h): sums of data of several types, each collective,
 * the gradient of a network over microbatches, the mean gradient of a simulation, and what
 * nests with other maps and loops. */
#include <stdlib.h>
#include <string.h>

#include "tests/processes/programs.h"

#define MAP "vmap(axis=i, size=%lld, over=world, "

static const char totals[] =
    "fn @f(%%a: f32[700], %%b: f16[7], %%c: i32[], %%d: f64[2], %%e: bf16[3], %%g: c64[2])"
    " -> (f32[700], f16[7], i32[], f64[2], bf16[3], c64[2]) {\n"
    "  %%0 = psum %%a {over=\"i\"} : f32[700]\n"
    "  %%1 = psum %%b {over=\"i\"} : f16[7]\n"
    "  %%2 = psum %%c {over=\"i\"} : i32[]\n"
    "  %%3 = psum %%d {over=\"i\"} : f64[2]\n"
    "  %%4 = psum %%e {over=\"i\"} : bf16[3]\n"
    "  %%5 = psum %%g {over=\"i\"} : c64[2]\n"
    "  ret %%0, %%1, %%2, %%3, %%4, %%5\n}\n";

static const char sum[] = "fn @f(%%x: f32[4096]) -> f32[4096] {\n"
                          "  %%0 = mul %%x, %%x : f32[4096]\n"
                          "  %%1 = psum %%0 {over=\"i\"} : f32[4096]\n"
                          "  ret %%1\n}\n";

static const char collectives[] =
    "fn @f(%%x: f32[6]) -> (f32[6], f32[6], f32[6], f32[6], f32[]) {\n"
    "  %%0 = sin %%x : f32[6]\n"
    "  %%1 = pmax %%0 {over=\"i\"} : f32[6]\n"
    "  %%2 = mul %%0, %%1 : f32[6]\n"
    "  %%3 = pmin %%2 {over=\"i\"} : f32[6]\n"
    "  %%4 = all_gather %%0 {over=\"i\", axis=0, size=%1$lld} : f32[%1$lld,6]\n"
    "  %%5 = ppermute %%2 {over=\"i\", pairs=[0,%2$lld]} : f32[6]\n"
    "  %%6 = cos %%4 : f32[%1$lld,6]\n"
    "  %%7 = psum_scatter %%6 {over=\"i\", axis=0, size=%1$lld} : f32[6]\n"
    "  %%8 = axis_index {over=\"i\"} : i32[]\n"
    "  %%9 = convert %%8 {dtype=f32} : f32[]\n"
    "  %%10 = broadcast_in_dim %%9 {shape=[6], dims=[]} : f32[6]\n"
    "  %%11 = mul %%10, %%5 : f32[6]\n"
    "  %%12 = sub %%0, %%3 : f32[6]\n"
    "  %%13 = mul %%6, %%4 : f32[%1$lld,6]\n"
    "  %%14 = reduce_sum %%13 {axes=[0,1]} : f32[]\n"
    "  ret %%11, %%12, %%7, %%1, %%14\n}\n";

/* Rows of the neighbours on both sides, of both again, and one from the other end; what is
 * added of the first moves as a whole. */
static const char halo[] =
    "fn @f(%%u: f32[3,4]) -> (f32[3,4], f32[1,4], f32[]) {\n"
    "  %%0 = slice %%u {start=[2,0], limit=[3,4], stride=[1,1]} : f32[1,4]\n"
    "  %%1 = slice %%u {start=[0,0], limit=[1,4], stride=[1,1]} : f32[1,4]\n"
    "  %%2 = ppermute %%0 {over=\"i\", pairs=[%3$s]} : f32[1,4]\n"
    "  %%3 = ppermute %%1 {over=\"i\", pairs=[%4$s]} : f32[1,4]\n"
    "  %%4 = concatenate %%2, %%u, %%3 {axis=0} : f32[5,4]\n"
    "  %%5 = slice %%4 {start=[0,0], limit=[3,4], stride=[1,1]} : f32[3,4]\n"
    "  %%6 = slice %%4 {start=[2,0], limit=[5,4], stride=[1,1]} : f32[3,4]\n"
    "  %%7 = mul %%5, %%6 : f32[3,4]\n"
    "  %%8 = sub %%u, %%7 : f32[3,4]\n"
    "  %%9 = ppermute %%8 {over=\"i\", pairs=[%3$s]} : f32[3,4]\n"
    "  %%10 = ppermute %%9 {over=\"i\", pairs=[%3$s]} : f32[3,4]\n"
    "  %%11 = ppermute %%2 {over=\"i\", pairs=[0,%2$lld]} : f32[1,4]\n"
    "  %%12 = axis_index {over=\"i\"} : i32[]\n"
    "  %%13 = constant {data=%1$lld} : i32[]\n"
    "  %%14 = add %%12, %%13 : i32[]\n"
    "  %%15 = psum %%14 {over=\"i\"} : i32[]\n"
    "  %%16 = mul %%10, %%8 : f32[3,4]\n"
    "  %%17 = reduce_sum %%16 {axes=[0,1]} : f32[]\n"
    "  %%18 = psum %%17 {over=\"i\"} : f32[]\n"
    "  %%19 = convert %%15 {dtype=f32} : f32[]\n"
    "  %%20 = mul %%18, %%19 : f32[]\n"
    "  ret %%10, %%11, %%20\n}\n";

/* Extremes of several element types, some of zeros of both signs and of NaN. */
static const char extremes[] =
    "fn @f(%%a: f32[5], %%b: f16[3], %%c: i16[2], %%d: f64[], %%e: u8[3], %%g: bool[2])"
    " -> (f32[5], f32[5], f16[3], i16[2], f64[], u8[3], bool[2], bool[2], i16[2], f32[5],"
    " f16[3]) {\n"
    "  %%0 = constant {data=-0.0} : f32[5]\n"
    "  %%1 = mul %%a, %%0 : f32[5]\n"
    "  %%2 = pmax %%1 {over=\"i\"} : f32[5]\n"
    "  %%3 = pmin %%1 {over=\"i\"} : f32[5]\n"
    "  %%4 = pmax %%b {over=\"i\"} : f16[3]\n"
    "  %%5 = pmin %%c {over=\"i\"} : i16[2]\n"
    "  %%6 = pmin %%d {over=\"i\"} : f64[]\n"
    "  %%7 = pmax %%e {over=\"i\"} : u8[3]\n"
    "  %%8 = pmax %%g {over=\"i\"} : bool[2]\n"
    "  %%9 = pmin %%g {over=\"i\"} : bool[2]\n"
    "  %%10 = pmax %%c {over=\"i\"} : i16[2]\n"
    "  %%11 = sqrt %%a : f32[5]\n"
    "  %%12 = pmax %%11 {over=\"i\"} : f32[5]\n"
    "  %%13 = sqrt %%b : f16[3]\n"
    "  %%14 = pmin %%13 {over=\"i\"} : f16[3]\n"
    "  ret %%2, %%3, %%4, %%5, %%6, %%7, %%8, %%9, %%10, %%12, %%14\n}\n";

/* Slices of sums, which are used with rows, as a whole and transposed. */
static const char scattered[] =
    "fn @f(%%x: f32[2,%1$lld]) -> (f32[2], f32[2,%1$lld], f32[]) {\n"
    "  %%0 = sin %%x : f32[2,%1$lld]\n"
    "  %%1 = psum_scatter %%0 {over=\"i\", axis=1, size=%1$lld} : f32[2]\n"
    "  %%2 = exp %%1 : f32[2]\n"
    "  %%3 = psum %%x {over=\"i\"} : f32[2,%1$lld]\n"
    "  %%4 = reduce_sum %%x {axes=[0]} : f32[%1$lld]\n"
    "  %%5 = psum_scatter %%4 {over=\"i\", axis=0, size=%1$lld} : f32[]\n"
    "  %%6 = broadcast_in_dim %%5 {shape=[%1$lld], dims=[]} : f32[%1$lld]\n"
    "  %%7 = psum %%4 {over=\"i\"} : f32[%1$lld]\n"
    "  %%8 = mul %%6, %%7 : f32[%1$lld]\n"
    "  %%9 = reduce_sum %%8 {axes=[0]} : f32[]\n"
    "  ret %%2, %%3, %%9\n}\n";

/* Steps in each of which groups meet: rows of the neighbours, the mean of all, a bound of it,
 * and of what the loop slices and what it does not. */
static const char looped[] =
    "fn @step(%%k: f32[], %%c: f32[4], %%u: f32[4], %%x: f32[4]) -> (f32[4], f32[]) {\n"
    "  %%0 = ppermute %%u {over=\"i\", pairs=[%3$s]} : f32[4]\n"
    "  %%1 = ppermute %%u {over=\"i\", pairs=[%4$s]} : f32[4]\n"
    "  %%2 = add %%0, %%1 : f32[4]\n"
    "  %%3 = broadcast_in_dim %%k {shape=[4], dims=[]} : f32[4]\n"
    "  %%4 = mul %%2, %%3 : f32[4]\n"
    "  %%5 = psum %%u {over=\"i\"} : f32[4]\n"
    "  %%6 = tanh %%5 : f32[4]\n"
    "  %%7 = mul %%6, %%c : f32[4]\n"
    "  %%8 = add %%4, %%7 : f32[4]\n"
    "  %%9 = mul %%x, %%8 : f32[4]\n"
    "  %%10 = sin %%9 : f32[4]\n"
    "  %%11 = reduce_sum %%10 {axes=[0]} : f32[]\n"
    "  %%12 = pmax %%11 {over=\"i\"} : f32[]\n"
    "  ret %%10, %%12\n}\n"
    "fn @f(%%k: f32[], %%c: f32[4], %%u: f32[4], %%x: f32[3,4]) -> (f32[4], f32[3]) {\n"
    "  %%0 = constant {data=%1$lld} : f32[]\n"
    "  %%1 = constant {data=%2$lld} : f32[]\n"
    "  %%2 = div %%1, %%0 : f32[]\n"
    "  %%3 = mul %%2, %%k : f32[]\n"
    "  %%4, %%5 = scan %%3, %%c, %%u, %%x {consts=2, carries=1, length=3, body=@step}"
    " : (f32[4], f32[3])\n"
    "  ret %%4, %%5\n}\n";

/* The mean over the groups of the loss of each. */
static const char network[] =
    "fn @f(%%w: f32[4,3], %%v: f32[2,4], %%x: f32[5,3], %%y: f32[5,2]) -> f32[] {\n"
    "  %%0 = dot_general %%x, %%w {lhs=[1], rhs=[1], lhs_batch=[], rhs_batch=[]} : f32[5,4]\n"
    "  %%1 = tanh %%0 : f32[5,4]\n"
    "  %%2 = dot_general %%1, %%v {lhs=[1], rhs=[1], lhs_batch=[], rhs_batch=[]} : f32[5,2]\n"
    "  %%3 = sub %%2, %%y : f32[5,2]\n"
    "  %%4 = mul %%3, %%3 : f32[5,2]\n"
    "  %%5 = reduce_sum %%4 {axes=[0,1]} : f32[]\n"
    "  %%6 = psum %%5 {over=\"i\"} : f32[]\n"
    "  %%7 = constant {data=%1$lld} : f32[]\n"
    "  %%8 = div %%6, %%7 : f32[]\n"
    "  ret %%8\n}\n";

/* What all groups share meets each row of a group: a bias, a scale, a transposed bias. */
static const char biased[] =
    "fn @f(%%w: f32[4,3], %%b: f32[4], %%s: f32[], %%x: f32[5,3]) -> f32[] {\n"
    "  %%0 = dot_general %%x, %%w {lhs=[1], rhs=[1], lhs_batch=[], rhs_batch=[]} : f32[5,4]\n"
    "  %%1 = broadcast_in_dim %%b {shape=[5,4], dims=[1]} : f32[5,4]\n"
    "  %%2 = add %%0, %%1 : f32[5,4]\n"
    "  %%3 = broadcast_in_dim %%s {shape=[5,4], dims=[]} : f32[5,4]\n"
    "  %%4 = mul %%2, %%3 : f32[5,4]\n"
    "  %%5 = tanh %%4 : f32[5,4]\n"
    "  %%6 = transpose %%1 {perm=[1,0]} : f32[4,5]\n"
    "  %%7 = transpose %%5 {perm=[1,0]} : f32[4,5]\n"
    "  %%8 = mul %%6, %%7 : f32[4,5]\n"
    "  %%9 = reduce_sum %%8 {axes=[0,1]} : f32[]\n"
    "  %%10 = psum %%9 {over=\"i\"} : f32[]\n"
    "  ret %%10\n}\n";

/* Two stages with a collective between: the weights are used on both sides of it. */
static const char centred[] = "fn @f(%%w: f32[3], %%x: f32[3]) -> f32[] {\n"
                              "  %%0 = mul %%w, %%x : f32[3]\n"
                              "  %%1 = psum %%0 {over=\"i\"} : f32[3]\n"
                              "  %%2 = sub %%0, %%1 : f32[3]\n"
                              "  %%3 = exp %%w : f32[3]\n"
                              "  %%4 = mul %%2, %%3 : f32[3]\n"
                              "  %%5 = sin %%4 : f32[3]\n"
                              "  %%6 = mul %%5, %%w : f32[3]\n"
                              "  %%7 = reduce_sum %%6 {axes=[0]} : f32[]\n"
                              "  %%8 = psum %%7 {over=\"i\"} : f32[]\n"
                              "  ret %%8\n}\n";

/* Paths of a random walk from a seed for each group, and the mean of their payoffs. */
static const char simulation[] =
    "fn @path(%%drift: f32[], %%at: f32[16], %%z: f32[16]) -> (f32[16], f32[16]) {\n"
    "  %%0 = broadcast_in_dim %%drift {shape=[16], dims=[]} : f32[16]\n"
    "  %%1 = mul %%z, %%0 : f32[16]\n"
    "  %%2 = add %%at, %%1 : f32[16]\n"
    "  %%3 = exp %%2 : f32[16]\n"
    "  ret %%2, %%3\n}\n"
    "fn @f(%%drift: f32[], %%seed: f32[8,16]) -> f32[] {\n"
    "  %%0 = constant {data=0} : f32[16]\n"
    "  %%1, %%2 = scan %%drift, %%0, %%seed {consts=1, carries=1, length=8, body=@path}"
    " : (f32[16], f32[8,16])\n"
    "  %%3 = reduce_sum %%2 {axes=[0,1]} : f32[]\n"
    "  %%4 = psum %%3 {over=\"i\"} : f32[]\n"
    "  ret %%4\n}\n";

/* Draws of a generator that groups share, and of a key of each. */
static const char draws[] = "fn @f(%%x: f32[3], %%key: u64[2], %%keys: u64[2]) -> f32[3] {\n"
                            "  %%0 = axis_index {over=\"i\"} : i32[]\n"
                            "  %%1 = convert %%0 {dtype=u64} : u64[]\n"
                            "  %%2 = broadcast_in_dim %%1 {shape=[2], dims=[]} : u64[2]\n"
                            "  %%3 = philox %%key, %%2, %%keys {word=0} : u64[2]\n"
                            "  %%4 = constant {data=40} : u64[2]\n"
                            "  %%9 = shr_logical %%3, %%4 : u64[2]\n"
                            "  %%5 = convert %%9 {dtype=f32} : f32[2]\n"
                            "  %%6 = reduce_sum %%5 {axes=[0]} : f32[]\n"
                            "  %%7 = broadcast_in_dim %%6 {shape=[3], dims=[]} : f32[3]\n"
                            "  %%8 = mul %%7, %%x : f32[3]\n"
                            "  %%10 = psum %%8 {over=\"i\"} : f32[3]\n"
                            "  ret %%10\n}\n";

/* Steps of gradient descent around the groups: the scan is spread within a loop. */
static const char descent[] =
    "fn @each(%%w: f32[3], %%x: f32[4,3]) -> f32[3] {\n"
    "  %%0 = dot_general %%x, %%w {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[4]\n"
    "  %%1 = tanh %%0 : f32[4]\n"
    "  %%2 = dot_general %%1, %%x {lhs=[0], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[3]\n"
    "  ret %%2\n}\n"
    "fn @step(%%x: f32[%1$lld,4,3], %%w: f32[3]) -> f32[3] {\n"
    "  %%0 = scan %%w, %%x {consts=1, carries=0, length=%1$lld, body=@each, spread=true}"
    " : f32[%1$lld,3]\n"
    "  %%1 = reduce_sum %%0 {axes=[0]} : f32[3]\n"
    "  %%2 = constant {data=0.001} : f32[3]\n"
    "  %%3 = mul %%1, %%2 : f32[3]\n"
    "  %%4 = sub %%w, %%3 : f32[3]\n"
    "  ret %%4\n}\n"
    "fn @f(%%x: f32[%1$lld,4,3], %%w: f32[3]) -> f32[3] {\n"
    "  %%0 = scan %%x, %%w {consts=1, carries=1, length=5, body=@step} : f32[3]\n"
    "  ret %%0\n}\n";

/* Groups in groups: sums, shifts and extremes over each axis, of values of both, of one and of
 * none, from the inner one to the outer one and back. */
#define PAIRS_OF_5 "[0,1,1,2,2,3,3,4]"
static const char grid[] =
    "fn @f(%%w: f32[3], %%u: f32[4], %%x: f32[4,3]) -> (f32[], f32[4], f32[4], f32[4],"
    " f32[5,4], f32[]) {\n"
    "  %%0 = dot_general %%x, %%w {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[4]\n"
    "  %%1 = tanh %%0 : f32[4]\n"
    "  %%2 = mul %%1, %%u : f32[4]\n"
    "  %%3 = psum %%2 {over=\"j\"} : f32[4]\n"
    "  %%4 = sub %%2, %%3 : f32[4]\n"
    "  %%5 = ppermute %%4 {over=\"i\", pairs=[%3$s]} : f32[4]\n"
    "  %%6 = ppermute %%4 {over=\"j\", pairs=" PAIRS_OF_5 "} : f32[4]\n"
    "  %%7 = mul %%5, %%6 : f32[4]\n"
    "  %%8 = add %%7, %%2 : f32[4]\n"
    "  %%9 = psum %%8 {over=\"i\"} : f32[4]\n"
    "  %%10 = sin %%9 : f32[4]\n"
    "  %%11 = pmax %%10 {over=\"j\"} : f32[4]\n"
    "  %%12 = mul %%11, %%4 : f32[4]\n"
    "  %%13 = axis_index {over=\"j\"} : i32[]\n"
    "  %%14 = axis_index {over=\"i\"} : i32[]\n"
    "  %%15 = add %%13, %%14 : i32[]\n"
    "  %%16 = convert %%15 {dtype=f32} : f32[]\n"
    "  %%17 = broadcast_in_dim %%16 {shape=[4], dims=[]} : f32[4]\n"
    "  %%18 = mul %%17, %%12 : f32[4]\n"
    "  %%19 = reduce_sum %%18 {axes=[0]} : f32[]\n"
    "  %%20 = psum %%19 {over=\"i\"} : f32[]\n"
    "  %%21 = psum %%20 {over=\"j\"} : f32[]\n"
    "  %%22 = all_gather %%10 {over=\"j\", axis=0, size=5} : f32[5,4]\n"
    "  %%23 = cos %%22 : f32[5,4]\n"
    "  %%24 = psum_scatter %%23 {over=\"j\", axis=0, size=5} : f32[4]\n"
    "  %%25 = mul %%24, %%18 : f32[4]\n"
    "  %%26 = psum %%25 {over=\"j\"} : f32[4]\n"
    "  %%27 = psum %%26 {over=\"i\"} : f32[4]\n"
    "  %%28 = reduce_sum %%27 {axes=[0]} : f32[]\n"
    "  ret %%21, %%18, %%10, %%3, %%22, %%28\n}\n";

/* Weights of all groups, of each outer and of each inner one; the mean of a loss. */
static const char layers[] =
    "fn @f(%%w: f32[3,3], %%a: f32[3], %%b: f32[3], %%x: f32[4,3]) -> f32[] {\n"
    "  %%0 = dot_general %%x, %%w {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[4,3]\n"
    "  %%1 = broadcast_in_dim %%a {shape=[4,3], dims=[1]} : f32[4,3]\n"
    "  %%2 = add %%0, %%1 : f32[4,3]\n"
    "  %%3 = tanh %%2 : f32[4,3]\n"
    "  %%4 = psum %%3 {over=\"j\"} : f32[4,3]\n"
    "  %%5 = broadcast_in_dim %%b {shape=[4,3], dims=[1]} : f32[4,3]\n"
    "  %%6 = mul %%4, %%5 : f32[4,3]\n"
    "  %%7 = sin %%6 : f32[4,3]\n"
    "  %%8 = psum %%7 {over=\"i\"} : f32[4,3]\n"
    "  %%9 = mul %%8, %%3 : f32[4,3]\n"
    "  %%10 = reduce_sum %%9 {axes=[0,1]} : f32[]\n"
    "  %%11 = psum %%10 {over=\"j\"} : f32[]\n"
    "  %%12 = psum %%11 {over=\"i\"} : f32[]\n"
    "  %%13 = constant {data=%1$lld} : f32[]\n"
    "  %%14 = div %%12, %%13 : f32[]\n"
    "  ret %%14\n}\n";

/* Steps of a plate of blocks that read a row or a column of each neighbour, and the most of
 * all; a loop around what is mapped. */
static const char plate[] =
    "fn @step(%%k: f32[], %%u: f32[3,2], %%x: f32[]) -> (f32[3,2], f32[]) {\n"
    "  %%0 = slice %%u {start=[2,0], limit=[3,2], stride=[1,1]} : f32[1,2]\n"
    "  %%1 = slice %%u {start=[0,0], limit=[1,2], stride=[1,1]} : f32[1,2]\n"
    "  %%2 = slice %%u {start=[0,1], limit=[3,2], stride=[1,1]} : f32[3,1]\n"
    "  %%3 = slice %%u {start=[0,0], limit=[3,1], stride=[1,1]} : f32[3,1]\n"
    "  %%4 = ppermute %%0 {over=\"i\", pairs=[%4$s]} : f32[1,2]\n"
    "  %%5 = ppermute %%1 {over=\"i\", pairs=[%3$s]} : f32[1,2]\n"
    "  %%6 = ppermute %%2 {over=\"j\", pairs=[0,1,1,2,2,3,3,4]} : f32[3,1]\n"
    "  %%7 = ppermute %%3 {over=\"j\", pairs=[1,0,2,1,3,2,4,3]} : f32[3,1]\n"
    "  %%8 = concatenate %%4, %%u, %%5 {axis=0} : f32[5,2]\n"
    "  %%9 = concatenate %%6, %%u, %%7 {axis=1} : f32[3,4]\n"
    "  %%10 = slice %%8 {start=[0,0], limit=[3,2], stride=[1,1]} : f32[3,2]\n"
    "  %%11 = slice %%8 {start=[2,0], limit=[5,2], stride=[1,1]} : f32[3,2]\n"
    "  %%12 = slice %%9 {start=[0,0], limit=[3,2], stride=[1,1]} : f32[3,2]\n"
    "  %%13 = slice %%9 {start=[0,2], limit=[3,4], stride=[1,1]} : f32[3,2]\n"
    "  %%14 = add %%10, %%11 : f32[3,2]\n"
    "  %%15 = mul %%12, %%13 : f32[3,2]\n"
    "  %%16 = add %%14, %%15 : f32[3,2]\n"
    "  %%17 = add %%k, %%x : f32[]\n"
    "  %%18 = broadcast_in_dim %%17 {shape=[3,2], dims=[]} : f32[3,2]\n"
    "  %%19 = mul %%16, %%18 : f32[3,2]\n"
    "  %%20 = sin %%19 : f32[3,2]\n"
    "  %%21 = reduce_max %%20 {axes=[0,1]} : f32[]\n"
    "  %%22 = pmax %%21 {over=\"i\"} : f32[]\n"
    "  %%23 = pmax %%22 {over=\"j\"} : f32[]\n"
    "  ret %%20, %%23\n}\n"
    "fn @f(%%k: f32[], %%u: f32[3,2], %%x: f32[3]) -> (f32[3,2], f32[3]) {\n"
    "  %%0, %%1 = scan %%k, %%u, %%x {consts=1, carries=1, length=3, body=@step}"
    " : (f32[3,2], f32[3])\n"
    "  ret %%0, %%1\n}\n";

/* Descent until all groups together are done, and halos on the way. */
static const char settled[] =
    "fn @holds(%%w: f32[3], %%r: f32[], %%x: f32[3], %%k: i32[]) -> bool[] {\n"
    "  %%0 = constant {data=0.01} : f32[]\n"
    "  %%1 = gt %%r, %%0 : bool[]\n"
    "  %%2 = constant {data=9} : i32[]\n"
    "  %%3 = lt %%k, %%2 : bool[]\n"
    "  %%4 = and %%1, %%3 : bool[]\n"
    "  ret %%4\n}\n"
    "fn @step(%%w: f32[3], %%r: f32[], %%x: f32[3], %%k: i32[])"
    " -> (f32[], f32[3], i32[]) {\n"
    "  %%0 = ppermute %%x {over=\"i\", pairs=[%3$s]} : f32[3]\n"
    "  %%1 = mul %%0, %%w : f32[3]\n"
    "  %%2 = add %%x, %%1 : f32[3]\n"
    "  %%3 = constant {data=0.5} : f32[3]\n"
    "  %%4 = mul %%2, %%3 : f32[3]\n"
    "  %%5 = tanh %%4 : f32[3]\n"
    "  %%6 = mul %%5, %%5 : f32[3]\n"
    "  %%7 = reduce_sum %%6 {axes=[0]} : f32[]\n"
    "  %%8 = psum %%7 {over=\"i\"} : f32[]\n"
    "  %%9 = constant {data=1} : i32[]\n"
    "  %%10 = add %%k, %%9 : i32[]\n"
    "  ret %%8, %%5, %%10\n}\n"
    "fn @f(%%w: f32[3], %%x: f32[3]) -> (f32[3], f32[], i32[]) {\n"
    "  %%0 = constant {data=1} : f32[]\n"
    "  %%1 = constant {data=0} : i32[]\n"
    "  %%2, %%3, %%4 = while %%w, %%0, %%x, %%1 {consts=1, cond=@holds, body=@step}"
    " : (f32[], f32[3], i32[])\n"
    "  ret %%3, %%2, %%4\n}\n";

/* Each group goes on until its own sum is large; all meet in each step while any goes on.  Then
 * some take the branch in which groups meet, and all the one that all choose. */
static const char active[] =
    "fn @holds(%%k: f32[], %%x: f32[3]) -> bool[] {\n"
    "  %%0 = reduce_sum %%x {axes=[0]} : f32[]\n"
    "  %%1 = lt %%0, %%k : bool[]\n"
    "  ret %%1\n}\n"
    "fn @step(%%k: f32[], %%x: f32[3]) -> f32[3] {\n"
    "  %%0 = pmax %%x {over=\"i\"} : f32[3]\n"
    "  %%1 = psum %%x {over=\"i\"} : f32[3]\n"
    "  %%2 = mul %%1, %%1 : f32[3]\n"
    "  %%3 = abs %%x : f32[3]\n"
    "  %%4 = add %%x, %%3 : f32[3]\n"
    "  %%5 = constant {data=1} : f32[3]\n"
    "  %%6 = add %%2, %%5 : f32[3]\n"
    "  %%7 = div %%0, %%6 : f32[3]\n"
    "  %%8 = add %%4, %%7 : f32[3]\n"
    "  %%9 = constant {data=0.25} : f32[3]\n"
    "  %%10 = add %%8, %%9 : f32[3]\n"
    "  ret %%10\n}\n"
    "fn @meet(%%x: f32[3], %%w: f32[3]) -> f32[3] {\n"
    "  %%0 = mul %%x, %%w : f32[3]\n"
    "  %%1 = psum %%0 {over=\"i\"} : f32[3]\n"
    "  %%2 = ppermute %%1 {over=\"i\", pairs=[0,%2$lld]} : f32[3]\n"
    "  %%3 = sin %%2 : f32[3]\n"
    "  %%4 = add %%3, %%x : f32[3]\n"
    "  ret %%4\n}\n"
    "fn @pass(%%x: f32[3], %%w: f32[3]) -> f32[3] {\n"
    "  %%0 = exp %%w : f32[3]\n"
    "  ret %%0\n}\n"
    "fn @f(%%k: f32[], %%w: f32[3], %%x: f32[3]) -> (f32[3], f32[3], f32[3]) {\n"
    "  %%0 = while %%k, %%x {consts=1, max=20, cond=@holds, body=@step} : f32[3]\n"
    "  %%1 = reduce_sum %%x {axes=[0]} : f32[]\n"
    "  %%2 = constant {data=0} : f32[]\n"
    "  %%3 = gt %%1, %%2 : bool[]\n"
    "  %%4 = cond %%3, %%0, %%w {branches=[@pass,@meet]} : f32[3]\n"
    "  %%5 = psum %%1 {over=\"i\"} : f32[]\n"
    "  %%6 = gt %%5, %%2 : bool[]\n"
    "  %%7 = cond %%6, %%x, %%w {branches=[@meet,@pass]} : f32[3]\n"
    "  ret %%0, %%4, %%7\n}\n";

/* Maps of the inner axis, then of the outer one. */
#define INNER "vmap(axis=j, size=5, over=world, "
#define GRID                                                                                   \
    INNER "in=[none,0,0], out=[none,0,0,none,none,none]) | " MAP                               \
          "in=[none,0,0], out=[none,0,none,0,none,none])"
#define OF_OUTER                                                                               \
    INNER "in=[none,none,0], out=[none,0,0,none,none,none]) | " MAP                            \
          "in=[none,0,0], out=[none,1,none,0,none,none])"
#define LAYERS  INNER "in=[none,none,0,0], out=none) | " MAP "in=[none,0,none,0], out=none)"
#define PLATE   INNER "in=[none,0,none], out=[0,none]) | " MAP "in=[none,0,none], out=[0,none])"
#define WEIGHTS "in=[none,none,0,0], out=none)"
const spread_program spread_programs[] = {
    { "totals", totals, MAP "out=none)", 0 },
    { "sum", sum, MAP "out=none)", 0 },
    { "network", network, MAP WEIGHTS, 0 },
    { "network.grad", network, MAP WEIGHTS " | grad(wrt=[0,1])", 0 },
    { "network.jvp", network, MAP WEIGHTS " | jvp", 0 },
    { "network.hvp", network, MAP WEIGHTS " | grad(wrt=[0]) | jvp(wrt=[0])", 0 },
    { "network.mapped", network,
      MAP WEIGHTS " | grad(wrt=[1]) | vmap(size=3, in=[0,none,1,none])", 0 },
    { "network.inner", network,
      "grad(wrt=[0]) | vmap(axis=j, size=2, in=[none,none,0,0]) | " MAP "in=[none,none,0,0])",
      0 },
    { "biased.grad", biased, MAP "in=[none,none,none,0], out=none) | grad(wrt=[0,1,2])", 0 },
    { "biased.hvp", biased,
      MAP "in=[none,none,none,0], out=none) | grad(wrt=[1,2]) | jvp(wrt=[1,2])", 0 },
    { "biased.hessian", biased, MAP "in=[none,none,none,0], out=none) | hessian(wrt=[1])", 0 },
    { "simulation.grad", simulation, MAP "in=[none,0], out=none) | grad", 0 },
    { "collectives", collectives, MAP "out=[0,1,0,none,0])", 0 },
    { "collectives.vjp", collectives, MAP "out=[0,1,0,none,0]) | vjp", 0 },
    { "collectives.jvp", collectives, MAP "out=[0,1,0,none,0]) | jvp", 0 },
    { "halo", halo, MAP "out=[0,0,none])", 0 },
    { "halo.vjp", halo, MAP "out=[0,0,none]) | vjp", 0 },
    { "halo.jvp", halo, MAP "out=[0,0,none]) | jvp", 0 },
    { "looped", looped, MAP "in=[none,0,0,none], out=[0,none])", 0 },
    { "looped.vjp", looped, MAP "in=[none,none,0,0], out=[0,none]) | vjp", 0 },
    { "looped.inner", looped,
      "jvp | " MAP "in=[none,0,0,0,none,0,none,none], out=[0,none,0,none])", 0 },
    { "extremes", extremes, MAP "out=none)", 0 },
    { "scattered", scattered, MAP "out=[0,none,0])", 0 },
    { "scattered.vjp", scattered, MAP "out=[0,none,0]) | vjp", 0 },
    { "centred.vjp", centred, MAP "in=[none,0], out=none) | vjp", 0 },
    { "centred.hessian", centred, MAP "in=[none,0], out=none) | hessian", 0 },
    { "descent", descent, "", 0 },
    { "draws", draws, MAP "in=[0,none,0], out=none)", 0 },
    { "settled", settled, MAP "in=[none,0], out=[0,none,none])", 0 },
    { "settled.jvp", settled, MAP "in=[none,0], out=[0,none,none]) | jvp", 0 },
    { "settled.inner", settled, "vmap(size=2, in=[none,0]) | " MAP "in=[none,0])", 0 },
    { "settled.grid", settled,
      INNER "in=[none,0], out=0) | " MAP "in=[none,0], out=[0,none,none])", 2 },
    { "active", active, MAP "in=[none,none,0])", 0 },
    { "active.vjp", active, MAP "in=[none,none,0]) | vjp", 0 },
    { "active.jvp", active, MAP "in=[none,0,0]) | jvp", 0 },
    { "active.grid", active, INNER "in=[none,none,0]) | " MAP "in=[none,none,0])", 2 },
    { "grid", grid, GRID, 2 },
    { "grid.of.outer", grid, OF_OUTER, 4 },
    { "grid.vjp", grid, GRID " | vjp", 2 },
    { "grid.jvp", grid, GRID " | jvp", 3 },
    { "grid.chosen", grid, GRID " | vjp", 0 },
    { "layers.grad", layers, LAYERS " | grad(wrt=[0,1,2])", 2 },
    { "layers.hvp", layers, LAYERS " | grad(wrt=[0,1,2]) | jvp(wrt=[1,2])", 4 },
    { "layers.mapped", layers, LAYERS " | grad(wrt=[0,1]) | vmap(size=2, in=[0,none,none,1])",
      2 },
    { "layers.inner", layers,
      "grad(wrt=[0]) | vmap(size=2, in=[none,0,none,0]) | " INNER "in=[none,0,none,0]) | " MAP
      "in=[none,none,0,0])",
      2 },
    { "plate", plate, PLATE, 2 },
    { "plate.vjp", plate, PLATE " | vjp", 4 },
    { "plate.alone", plate, PLATE " | vjp", 1 },
};
const int spread_program_count = sizeof spread_programs / sizeof *spread_programs;

const spread_program *
spread_find(const char *name)
{
    for (int i = 0; i < spread_program_count; i++)
        if (strcmp(spread_programs[i].name, name) == 0)
            return &spread_programs[i];
    exit(2);
}
