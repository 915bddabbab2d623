/* sqrtm and logm: values, derivatives, vmap, mistakes. */
#include "tests/unit/valued.h"

#define VALUED_ROWS "roots.def"
#include "tests/unit/valued_rows.h"

BODY(inverse, cot_value x = cot_convert(in[0], COT_F32);
     cot_value y = cot_sqrtm(x), z = cot_expm(cot_logm(x));
     cot_value far = cot_max(cot_abs(cot_sub(cot_matmul(y, y), x)), cot_abs(cot_sub(z, x)));
     out[0] = cot_convert(cot_reduce_max(far), COT_F64);)
BODY(empty, out[0] = cot_logm(cot_zeros(t, cot_f64(0, 0)));)

START_TEST(other_types)
{
    body_gives("inverse", inverse, COT_TYPES(cot_f64(2, 2)),
               (const void *const[]){ AT(3, 1, -1, 2) }, cot_f64(), AT(0), 4e-6);
    body_gives("empty", empty, COT_TYPES(), NULL, cot_f64(0, 0), AT(0), 0);
}
END_TEST

BODY(bad_shape, out[0] = cot_sqrtm(in[0]);)
BODY(bad_int, out[0] = cot_logm(cot_convert(in[1], COT_I32));)

START_TEST(mistakes)
{
    static const mistake bad[] = {
        { "shape", bad_shape, "sqrtm: x is f64[2,3]; wants square matrices" },
        { "int", bad_int, "logm: operand is i32[2,2]" },
    };

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        valued_mistake(&bad[k], "check_rootm.c:", cot_f64(2, 3), cot_f64(2, 2));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = { ROWS, ONCE(other_types), ONCE(mistakes) };

    return SUITE("rootm", cases);
}
