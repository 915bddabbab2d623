/* The same cube, mapped by a rule that is derived from its traced body. */
#include "harness.h"
#include "my_cube.h"

int
main(void)
{
    harness c = harness_begin("my_cube_vmap");
    cot_fn *f = cot_fn_new(c.ctx, "cube", my_cube, 1, 1, (void *)my_cube_new(c.ctx));
    cot_array *x = ARRAY(&c, cot_f64(3), 1, -2, 0.5);

    by_back_ends(&c, "vmap(cube)(x)", cot_vmap(f), ARRAYS(x), EXACT(1, -8, 0.125));
    by_back_ends(&c, "vmap(grad(grad(cube)))(x)", cot_vmap(cot_grad(cot_grad(f))), ARRAYS(x),
                 EXACT(6, -12, 3));
    return harness_end(&c);
}
