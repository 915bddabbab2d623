/* The slow paths of elementary functions, compiled into the library.
 *
 * Compiled with each kernel, these programs would take longer than the rest of a small one:
 * with sin and cos, the reduction of large angles was half of the time. tools/cot-slow-paths.c
 * prints them as C when the library is built.  This file defines their instructions as
 * ir/scalar.h does: integers wrap, -x flips a bit (a compiler rewrites -fma(x, y, z) as fma(-x,
 * y, -z), whose zeros have the other sign), and nothing is contracted (CMakeLists.txt). fma and
 * roundings are calls where the processor may lack the instructions, so the programs are
 * compiled twice, as in ir/scalar_eval.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/llvm/slow_path.h"

typedef uint8_t slow_bool;
typedef int32_t slow_i32;
typedef int64_t slow_i64;
typedef uint32_t slow_u32;
typedef uint64_t slow_u64;
typedef float slow_f32;
typedef double slow_f64;

#define FN static inline __attribute__((unused))

#define BITWISE(t)                                                                             \
    FN slow_##t and_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return x & y;                                                                          \
    }                                                                                          \
    FN slow_##t or_##t(slow_##t x, slow_##t y)                                                 \
    {                                                                                          \
        return x | y;                                                                          \
    }                                                                                          \
    FN slow_##t xor_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return x ^ y;                                                                          \
    }                                                                                          \
    FN slow_bool eq_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return x == y;                                                                         \
    }                                                                                          \
    FN slow_bool ne_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return x != y;                                                                         \
    }
#define ORDER(t)                                                                               \
    FN slow_bool lt_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return x < y;                                                                          \
    }                                                                                          \
    FN slow_bool le_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return x <= y;                                                                         \
    }
#define WHOLE(t)                                                                               \
    BITWISE(t)                                                                                 \
    ORDER(t)                                                                                   \
    FN slow_##t const_##t(uint64_t bits)                                                       \
    {                                                                                          \
        return (slow_##t)bits;                                                                 \
    }                                                                                          \
    FN slow_##t not_##t(slow_##t x)                                                            \
    {                                                                                          \
        return (slow_##t) ~x;                                                                  \
    }                                                                                          \
    FN slow_##t neg_##t(slow_##t x)                                                            \
    {                                                                                          \
        return (slow_##t)(0 - (uint64_t)x);                                                    \
    }                                                                                          \
    FN slow_##t add_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return (slow_##t)((uint64_t)x + (uint64_t)y);                                          \
    }                                                                                          \
    FN slow_##t sub_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return (slow_##t)((uint64_t)x - (uint64_t)y);                                          \
    }                                                                                          \
    FN slow_##t mul_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return (slow_##t)((uint64_t)x * (uint64_t)y);                                          \
    }                                                                                          \
    FN slow_##t shl_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return (slow_##t)((uint64_t)x << y);                                                   \
    }                                                                                          \
    FN slow_##t shr_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return (slow_##t)(x >> y);                                                             \
    }                                                                                          \
    FN slow_##t max_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return x > y ? x : y;                                                                  \
    }                                                                                          \
    FN slow_##t min_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return x < y ? x : y;                                                                  \
    }
BITWISE(bool)
FN slow_bool
const_bool(uint64_t bits)
{
    return bits != 0;
}
FN slow_bool
not_bool(slow_bool x)
{
    return !x;
}
WHOLE(i32)
WHOLE(i64)
WHOLE(u32)
WHOLE(u64)

#define REAL(t, U, f)                                                                          \
    ORDER(t)                                                                                   \
    FN slow_bool eq_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return x == y;                                                                         \
    }                                                                                          \
    FN slow_bool ne_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return x != y;                                                                         \
    }                                                                                          \
    FN slow_##t bitcast_##t##_##U(slow_##U x)                                                  \
    {                                                                                          \
        slow_##t y;                                                                            \
        memcpy(&y, &x, sizeof y);                                                              \
        return y;                                                                              \
    }                                                                                          \
    FN slow_##U bitcast_##U##_##t(slow_##t x)                                                  \
    {                                                                                          \
        slow_##U y;                                                                            \
        memcpy(&y, &x, sizeof y);                                                              \
        return y;                                                                              \
    }                                                                                          \
    FN slow_##t const_##t(uint64_t bits)                                                       \
    {                                                                                          \
        return bitcast_##t##_##U((slow_##U)bits);                                              \
    }                                                                                          \
    FN slow_##t neg_##t(slow_##t x)                                                            \
    {                                                                                          \
        return bitcast_##t##_##U(bitcast_##U##_##t(x) ^ (slow_##U)1 << (8 * sizeof x - 1));    \
    }                                                                                          \
    FN slow_##t abs_##t(slow_##t x)                                                            \
    {                                                                                          \
        return fabs##f(x);                                                                     \
    }                                                                                          \
    FN slow_##t add_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return x + y;                                                                          \
    }                                                                                          \
    FN slow_##t sub_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return x - y;                                                                          \
    }                                                                                          \
    FN slow_##t mul_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return x * y;                                                                          \
    }                                                                                          \
    FN slow_##t div_##t(slow_##t x, slow_##t y)                                                \
    {                                                                                          \
        return x / y;                                                                          \
    }                                                                                          \
    FN slow_##t sqrt_##t(slow_##t x)                                                           \
    {                                                                                          \
        return sqrt##f(x);                                                                     \
    }                                                                                          \
    FN slow_##t fma_##t(slow_##t x, slow_##t y, slow_##t z)                                    \
    {                                                                                          \
        return fma##f(x, y, z);                                                                \
    }                                                                                          \
    FN slow_##t floor_##t(slow_##t x)                                                          \
    {                                                                                          \
        return floor##f(x);                                                                    \
    }                                                                                          \
    FN slow_##t ceil_##t(slow_##t x)                                                           \
    {                                                                                          \
        return ceil##f(x);                                                                     \
    }                                                                                          \
    FN slow_##t trunc_##t(slow_##t x)                                                          \
    {                                                                                          \
        return trunc##f(x);                                                                    \
    }                                                                                          \
    FN slow_##t rint_##t(slow_##t x)                                                           \
    {                                                                                          \
        return nearbyint##f(x);                                                                \
    }
REAL(f32, u32, f)
REAL(f64, u64, )

#define CVT(to, from)                                                                          \
    FN slow_##to cvt_##to##_##from(slow_##from x)                                              \
    {                                                                                          \
        return (slow_##to)x;                                                                   \
    }
#define CVT_ALL(from)                                                                          \
    CVT(i32, from) CVT(i64, from) CVT(u32, from) CVT(u64, from) CVT(f32, from) CVT(f64, from)
/* bool is a macro, so these pairs are written out */
CVT(i32, bool)
CVT(i64, bool)
CVT(u32, bool)
CVT(u64, bool) CVT(f32, bool) CVT(f64, bool) CVT_ALL(i32) CVT_ALL(i64) CVT_ALL(u32) CVT_ALL(u64)
    CVT_ALL(f32) CVT_ALL(f64)
#define SAME(to, from)                                                                         \
    FN slow_##to bitcast_##to##_##from(slow_##from x)                                          \
    {                                                                                          \
        return (slow_##to)x;                                                                   \
    }
        SAME(i32, u32) SAME(u32, i32) SAME(i64, u64) SAME(u64, i64) FN slow_f64
    bitcast_f64_i64(slow_i64 x)
{
    return bitcast_f64_u64((slow_u64)x);
}
FN slow_i64
bitcast_i64_f64(slow_f64 x)
{
    return (slow_i64)bitcast_u64_f64(x);
}
FN slow_f32
bitcast_f32_i32(slow_i32 x)
{
    return bitcast_f32_u32((slow_u32)x);
}
FN slow_i32
bitcast_i32_f32(slow_f32 x)
{
    return (slow_i32)bitcast_u32_f32(x);
}

/* out[l] = program(in[l] ...) where wants[l] is not 0, like the functions that control.c
 * emits. */
#define IN_1(a)    const void *x0
#define IN_2(a, b) const void *x0, const void *x1
#define AT_1(a)    ((const slow_##a *)x0)[l]
#define AT_2(a, b) ((const slow_##a *)x0)[l], ((const slow_##b *)x1)[l]
#define ALL(i, hash, n, t, ...)                                                                \
    SLOW_FN void SLOW_ALL(i)(void *out, const uint8_t *wants, IN_##n(__VA_ARGS__),             \
                             int64_t lanes)                                                    \
    {                                                                                          \
        for (int64_t l = 0; l < lanes; l++)                                                    \
            if (wants[l])                                                                      \
                ((slow_##t *)out)[l] = SLOW_ONE(i)(AT_##n(__VA_ARGS__));                       \
    }

#define SLOW_TABLES
#define SLOW_FN     static
#define SLOW_ONE(i) one_##i
#define SLOW_ALL(i) all_##i
#include "codegen/slow_path.inc"
SLOW_LIST(ALL)
#if defined(__x86_64__)
#undef SLOW_LIST
#undef SLOW_TABLES
#undef SLOW_FN
#undef SLOW_ONE
#undef SLOW_ALL
#define SLOW_FN     __attribute__((target("avx2,fma"))) static
#define SLOW_ONE(i) one_fast_##i
#define SLOW_ALL(i) all_fast_##i
#include "codegen/slow_path.inc"
SLOW_LIST(ALL)
#define ROW(i, hash, ...) { hash, (const void *)all_##i, (const void *)all_fast_##i },
#else
#define ROW(i, hash, ...) { hash, (const void *)all_##i, (const void *)all_##i },
#endif

static const struct row {
    uint64_t hash;
    const void *plain, *fast;
} row[] = { SLOW_LIST(ROW) };
enum { ROWS = sizeof row / sizeof *row };
_Static_assert((int)ROWS <= (int)CG_LL_MAX_SLOW_PATHS, "the JIT has room for fewer names");

#define PREFIX "cot_slow_path_"
#define FAST   "_fast"

static void
write_name(uint64_t hash, bool fast, char name[CG_LL_SLOW_PATH_NAME])
{
    snprintf(name, CG_LL_SLOW_PATH_NAME, PREFIX "%016llx%s", (unsigned long long)hash,
             fast ? FAST : "");
}

bool
cg_ll_slow_path_name(const ir_sc_program *p, bool fast, char name[CG_LL_SLOW_PATH_NAME])
{
    const uint64_t hash = ir_sc_hash(p);

    for (int i = 0; i < ROWS; i++)
        if (row[i].hash == hash) {
            write_name(hash, fast, name);
            return true;
        }
    return false;
}

const void *
cg_ll_slow_path_row(int i, char name[CG_LL_SLOW_PATH_NAME])
{
    const bool fast = i % 2 != 0;

    if (i >= 2 * ROWS)
        return NULL;
    write_name(row[i / 2].hash, fast, name);
    return fast ? row[i / 2].fast : row[i / 2].plain;
}

const void *
cg_ll_slow_path_at(const char *name)
{
    char *end;

    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
        return NULL;
    const uint64_t hash = strtoull(name + strlen(PREFIX), &end, 16);
    const bool fast = strcmp(end, FAST) == 0;
    for (int i = 0; i < ROWS && (fast || *end == '\0'); i++)
        if (row[i].hash == hash)
            return fast ? row[i].fast : row[i].plain;
    return NULL;
}
