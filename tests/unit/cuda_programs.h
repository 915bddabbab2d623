/* Programs that the suites of the CUDA runtime run. */
#ifndef TESTS_UNIT_CUDA_PROGRAMS_H
#define TESTS_UNIT_CUDA_PROGRAMS_H

#include "tests/gpu/arrays.h"

static const char scale[] = "fn @f(%x: f32[40], %y: f32[40]) -> f32[40] {\n"
                            "  %0 = mul %x, %y : f32[40]\n"
                            "  %1 = add %0, %y : f32[40]\n"
                            "  ret %1\n}\n";

/* Several kernels, a work block, and no control flow of the host. */
static const char layers[] =
    "fn @f(%x: f32[6,40], %w: f32[40,40]) -> (f32[6,40], f32[6]) {\n"
    "  %0 = dot_general %x, %w {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[6,40]\n"
    "  %1 = tanh %0 : f32[6,40]\n"
    "  %2 = dot_general %1, %w {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[6,40]\n"
    "  %3 = reduce_sum %2 {axes=[1]} : f32[6]\n"
    "  ret %2, %3\n}\n";

/* The host reads the predicate: the state is too large for a thread. */
static const char loops[] =
    "fn @c(%y: f32[3000], %i: i64[], %p: bool[]) -> bool[] {\n  ret %p\n}\n"
    "fn @b(%y: f32[3000], %i: i64[], %p: bool[]) -> (f32[3000], i64[], bool[]) {\n"
    "  %0 = add %y, %y : f32[3000]\n"
    "  %1 = constant {data=1} : i64[]\n"
    "  %2 = add %i, %1 : i64[]\n"
    "  %3 = reduce_max %0 {axes=[0]} : f32[]\n"
    "  %4 = constant {data=1000} : f32[]\n"
    "  %5 = lt %3, %4 : bool[]\n"
    "  ret %0, %2, %5\n}\n"
    "fn @f(%x: f32[3000]) -> (f32[3000], i64[]) {\n"
    "  %i = constant {data=0} : i64[]\n"
    "  %p = constant {data=true} : bool[]\n"
    "  %0, %1, %2 = while %x, %i, %p {max=MAX, cond=@c, body=@b} : f32[3000], i64[], bool[]\n"
    "  ret %0, %1\n}\n";

static inline const char *
with_max(const char *max)
{
    static char text[2000];
    const char *at = strstr(loops, "MAX");

    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - loops), loops, max, at + 3);
    return text;
}

#endif
