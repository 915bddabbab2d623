/* Three derivatives of a cube with a rule: 3 x^2, 6 x, 6. */
#include "harness.h"
#include "my_cube.h"

int
main(void)
{
    harness c = harness_begin("my_cube_gg");
    cot_fn *f = cot_fn_new(c.ctx, "cube", my_cube, 1, 1, (void *)my_cube_new(c.ctx));
    cot_array *x = ARRAY(&c, cot_f64(), 1.5), *dx = ARRAY(&c, cot_f64(), 1);

    by_back_ends(&c, "cube(x)", f, ARRAYS(x), EXACT(3.375));
    by_back_ends(&c, "grad(cube)(x)", cot_grad(f), ARRAYS(x), EXACT(6.75));
    by_back_ends(&c, "grad(grad(cube))(x)", cot_grad(cot_grad(f)), ARRAYS(x), EXACT(9));
    by_back_ends(&c, "grad(grad(grad(cube)))(x)", cot_grad(cot_grad(cot_grad(f))), ARRAYS(x),
                 EXACT(6));
    by_back_ends(&c, "jvp(cube)(x, 1)", cot_jvp(f), ARRAYS(x, dx), EXACT(3.375, 6.75));
    return harness_end(&c);
}
