/* C functions called through libffi: any number of arguments, every scalar type by value. */

#include "runtime/call.h"
#include "tests/unit/suite.h"

static int
no_arguments(void)
{
    return 42;
}

static int
one_argument(double *x)
{
    *x *= 2;
    return 0;
}

#define P10(p) p##0, p##1, p##2, p##3, p##4, p##5, p##6, p##7, p##8, p##9
#define D10(p)                                                                                 \
    int *p##0, int *p##1, int *p##2, int *p##3, int *p##4, int *p##5, int *p##6, int *p##7,    \
        int *p##8, int *p##9
#define D100(p)                                                                                \
    D10(p##0), D10(p##1), D10(p##2), D10(p##3), D10(p##4), D10(p##5), D10(p##6), D10(p##7),    \
        D10(p##8), D10(p##9)
#define P100(p)                                                                                \
    P10(p##0), P10(p##1), P10(p##2), P10(p##3), P10(p##4), P10(p##5), P10(p##6), P10(p##7),    \
        P10(p##8), P10(p##9)

/* The sum of i times the number at argument i. */
static int
two_hundred(D100(a), D100(b))
{
    int *const all[200] = { P100(a), P100(b) };
    int sum = 0;

    for (int i = 0; i < 200; i++)
        sum += i * *all[i];
    return sum;
}

static int
scalars(uint8_t b, int8_t i8, int16_t i16, int32_t i32, int64_t i64, uint8_t u8, uint16_t u16,
        uint32_t u32, uint64_t u64, uint16_t f16, uint16_t bf16, float f32, double f64,
        int *out)
{
    *out = 1;
    return b == 1 && i8 == -8 && i16 == -16 && i32 == -32 && i64 == -64 && u8 == 200 &&
           u16 == 60000 && u32 == 4000000000u && u64 == 18000000000000000000u &&
           f16 == 0x3c00 && bf16 == 0x3f80 && f32 == 0.5f && f64 == -0.25;
}

static int
call(void (*fn)(void), int n, const rt_arg *args)
{
    cot_context *ctx = cot_context_new(NULL);
    int answer = -1;

    ck_assert_int_eq(rt_call_c(ctx, fn, n, args, &answer), COT_OK);
    cot_context_free(ctx);
    return answer;
}

START_TEST(none_one_and_two_hundred_arguments)
{
    double x = 1.5;
    int number[200], sum = 0;
    rt_arg args[200] = { { .at = &x } };

    ck_assert_int_eq(call((void (*)(void))no_arguments, 0, NULL), 42);
    ck_assert_int_eq(call((void (*)(void))one_argument, 1, args), 0);
    ck_assert_double_eq(x, 3);
    for (int i = 0; i < 200; i++) {
        number[i] = 7 * i % 31;
        sum += i * number[i];
        args[i] = (rt_arg){ .at = &number[i] };
    }
    ck_assert_int_eq(call((void (*)(void))two_hundred, 200, args), sum);
}
END_TEST

START_TEST(every_scalar_type_by_value)
{
    uint8_t b = 1, u8 = 200;
    int8_t i8 = -8;
    int16_t i16 = -16;
    int32_t i32 = -32;
    int64_t i64 = -64;
    uint16_t u16 = 60000, f16 = 0x3c00, bf16 = 0x3f80;
    uint32_t u32 = 4000000000u;
    uint64_t u64 = 18000000000000000000u;
    float f32 = 0.5f;
    double f64 = -0.25;
    int out = 0;
    const rt_arg args[] = {
        { true, COT_BOOL, &b },    { true, COT_I8, &i8 },
        { true, COT_I16, &i16 },   { true, COT_I32, &i32 },
        { true, COT_I64, &i64 },   { true, COT_U8, &u8 },
        { true, COT_U16, &u16 },   { true, COT_U32, &u32 },
        { true, COT_U64, &u64 },   { true, COT_F16, &f16 },
        { true, COT_BF16, &bf16 }, { true, COT_F32, &f32 },
        { true, COT_F64, &f64 },   { .at = &out },
    };

    ck_assert_int_eq(call((void (*)(void))scalars, 14, args), 1);
    ck_assert_int_eq(out, 1);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(none_one_and_two_hundred_arguments),
        ONCE(every_scalar_type_by_value),
    };

    return SUITE("call", cases);
}
