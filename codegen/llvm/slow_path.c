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
#include <string.h>

#include "codegen/llvm/slow_path.h"

typedef uint8_t rare_bool;
typedef int32_t rare_i32;
typedef int64_t rare_i64;
typedef uint32_t rare_u32;
typedef uint64_t rare_u64;
typedef float rare_f32;
typedef double rare_f64;

#define FN static inline __attribute__((unused))

#define BITWISE(t)                                                                             \
    FN rare_##t and_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return x & y;                                                                          \
    }                                                                                          \
    FN rare_##t or_##t(rare_##t x, rare_##t y)                                                 \
    {                                                                                          \
        return x | y;                                                                          \
    }                                                                                          \
    FN rare_##t xor_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return x ^ y;                                                                          \
    }                                                                                          \
    FN rare_bool eq_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return x == y;                                                                         \
    }                                                                                          \
    FN rare_bool ne_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return x != y;                                                                         \
    }
#define ORDER(t)                                                                               \
    FN rare_bool lt_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return x < y;                                                                          \
    }                                                                                          \
    FN rare_bool le_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return x <= y;                                                                         \
    }
#define WHOLE(t)                                                                               \
    BITWISE(t)                                                                                 \
    ORDER(t)                                                                                   \
    FN rare_##t const_##t(uint64_t bits)                                                       \
    {                                                                                          \
        return (rare_##t)bits;                                                                 \
    }                                                                                          \
    FN rare_##t not_##t(rare_##t x)                                                            \
    {                                                                                          \
        return (rare_##t) ~x;                                                                  \
    }                                                                                          \
    FN rare_##t neg_##t(rare_##t x)                                                            \
    {                                                                                          \
        return (rare_##t)(0 - (uint64_t)x);                                                    \
    }                                                                                          \
    FN rare_##t add_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return (rare_##t)((uint64_t)x + (uint64_t)y);                                          \
    }                                                                                          \
    FN rare_##t sub_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return (rare_##t)((uint64_t)x - (uint64_t)y);                                          \
    }                                                                                          \
    FN rare_##t mul_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return (rare_##t)((uint64_t)x * (uint64_t)y);                                          \
    }                                                                                          \
    FN rare_##t shl_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return (rare_##t)((uint64_t)x << y);                                                   \
    }                                                                                          \
    FN rare_##t shr_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return (rare_##t)(x >> y);                                                             \
    }                                                                                          \
    FN rare_##t max_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return x > y ? x : y;                                                                  \
    }                                                                                          \
    FN rare_##t min_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return x < y ? x : y;                                                                  \
    }
BITWISE(bool)
FN rare_bool
const_bool(uint64_t bits)
{
    return bits != 0;
}
FN rare_bool
not_bool(rare_bool x)
{
    return !x;
}
WHOLE(i32)
WHOLE(i64)
WHOLE(u32)
WHOLE(u64)

#define REAL(t, U, f)                                                                          \
    ORDER(t)                                                                                   \
    FN rare_bool eq_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return x == y;                                                                         \
    }                                                                                          \
    FN rare_bool ne_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return x != y;                                                                         \
    }                                                                                          \
    FN rare_##t bitcast_##t##_##U(rare_##U x)                                                  \
    {                                                                                          \
        rare_##t y;                                                                            \
        memcpy(&y, &x, sizeof y);                                                              \
        return y;                                                                              \
    }                                                                                          \
    FN rare_##U bitcast_##U##_##t(rare_##t x)                                                  \
    {                                                                                          \
        rare_##U y;                                                                            \
        memcpy(&y, &x, sizeof y);                                                              \
        return y;                                                                              \
    }                                                                                          \
    FN rare_##t const_##t(uint64_t bits)                                                       \
    {                                                                                          \
        return bitcast_##t##_##U((rare_##U)bits);                                              \
    }                                                                                          \
    FN rare_##t neg_##t(rare_##t x)                                                            \
    {                                                                                          \
        return bitcast_##t##_##U(bitcast_##U##_##t(x) ^ (rare_##U)1 << (8 * sizeof x - 1));    \
    }                                                                                          \
    FN rare_##t abs_##t(rare_##t x)                                                            \
    {                                                                                          \
        return fabs##f(x);                                                                     \
    }                                                                                          \
    FN rare_##t add_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return x + y;                                                                          \
    }                                                                                          \
    FN rare_##t sub_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return x - y;                                                                          \
    }                                                                                          \
    FN rare_##t mul_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return x * y;                                                                          \
    }                                                                                          \
    FN rare_##t div_##t(rare_##t x, rare_##t y)                                                \
    {                                                                                          \
        return x / y;                                                                          \
    }                                                                                          \
    FN rare_##t sqrt_##t(rare_##t x)                                                           \
    {                                                                                          \
        return sqrt##f(x);                                                                     \
    }                                                                                          \
    FN rare_##t fma_##t(rare_##t x, rare_##t y, rare_##t z)                                    \
    {                                                                                          \
        return fma##f(x, y, z);                                                                \
    }                                                                                          \
    FN rare_##t floor_##t(rare_##t x)                                                          \
    {                                                                                          \
        return floor##f(x);                                                                    \
    }                                                                                          \
    FN rare_##t ceil_##t(rare_##t x)                                                           \
    {                                                                                          \
        return ceil##f(x);                                                                     \
    }                                                                                          \
    FN rare_##t trunc_##t(rare_##t x)                                                          \
    {                                                                                          \
        return trunc##f(x);                                                                    \
    }                                                                                          \
    FN rare_##t rint_##t(rare_##t x)                                                           \
    {                                                                                          \
        return nearbyint##f(x);                                                                \
    }
REAL(f32, u32, f)
REAL(f64, u64, )

#define CVT(to, from)                                                                          \
    FN rare_##to cvt_##to##_##from(rare_##from x)                                              \
    {                                                                                          \
        return (rare_##to)x;                                                                   \
    }
#define CVT_ALL(from)                                                                          \
    CVT(i32, from) CVT(i64, from) CVT(u32, from) CVT(u64, from) CVT(f32, from) CVT(f64, from)
/* bool is a macro, so these pairs are written out */
CVT(i32, bool)
CVT(i64, bool)
CVT(u32, bool) CVT(u64, bool) CVT(f32, bool) CVT(f64, bool) CVT_ALL(i32) CVT_ALL(i64)
    CVT_ALL(u32) CVT_ALL(u64) CVT_ALL(f32) CVT_ALL(f64)
#define SAME(to, from)                                                                         \
    FN rare_##to bitcast_##to##_##from(rare_##from x)                                          \
    {                                                                                          \
        return (rare_##to)x;                                                                   \
    }
        SAME(i32, u32) SAME(u32, i32) SAME(i64, u64) SAME(u64, i64) FN rare_f64
    bitcast_f64_i64(rare_i64 x)
{
    return bitcast_f64_u64((rare_u64)x);
}
FN rare_i64
bitcast_i64_f64(rare_f64 x)
{
    return (rare_i64)bitcast_u64_f64(x);
}
FN rare_f32
bitcast_f32_i32(rare_i32 x)
{
    return bitcast_f32_u32((rare_u32)x);
}
FN rare_i32
bitcast_i32_f32(rare_f32 x)
{
    return (rare_i32)bitcast_u32_f32(x);
}

/* out[l] = program(in[l] ...) where wants[l] is not 0, like the functions that control.c
 * emits. */
#define IN_1(a)    const void *x0
#define IN_2(a, b) const void *x0, const void *x1
#define AT_1(a)    ((const rare_##a *)x0)[l]
#define AT_2(a, b) ((const rare_##a *)x0)[l], ((const rare_##b *)x1)[l]
#define ALL(i, hash, n, t, ...)                                                                \
    RARE_FN void RARE_ALL(i)(void *out, const uint8_t *wants, IN_##n(__VA_ARGS__),             \
                             int64_t lanes)                                                    \
    {                                                                                          \
        for (int64_t l = 0; l < lanes; l++)                                                    \
            if (wants[l])                                                                      \
                ((rare_##t *)out)[l] = RARE_ONE(i)(AT_##n(__VA_ARGS__));                       \
    }

#define RARE_TABLES
#define RARE_FN     static
#define RARE_ONE(i) one_##i
#define RARE_ALL(i) all_##i
#include "codegen/slow_path.inc"
RARE_LIST(ALL)
#if defined(__x86_64__)
#undef RARE_LIST
#undef RARE_TABLES
#undef RARE_FN
#undef RARE_ONE
#undef RARE_ALL
#define RARE_FN     __attribute__((target("avx2,fma"))) static
#define RARE_ONE(i) one_fast_##i
#define RARE_ALL(i) all_fast_##i
#include "codegen/slow_path.inc"
RARE_LIST(ALL)
#define ROW(i, hash, ...) { hash, (const void *)all_##i, (const void *)all_fast_##i },
#else
#define ROW(i, hash, ...) { hash, (const void *)all_##i, (const void *)all_##i },
#endif

static const struct row {
    uint64_t hash;
    const void *plain, *fast;
} row[] = { RARE_LIST(ROW) };
enum { ROWS = sizeof row / sizeof *row };
_Static_assert((int)ROWS <= (int)CG_LL_MAX_SLOW_PATHS, "the JIT has room for fewer names");

static void
write_name(uint64_t hash, bool fast, char name[CG_LL_SLOW_PATH_NAME])
{
    snprintf(name, CG_LL_SLOW_PATH_NAME, "cot_slow_path_%016llx%s", (unsigned long long)hash,
             fast ? "_fast" : "");
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
