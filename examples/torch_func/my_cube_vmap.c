/* The same cube, mapped by a rule that is derived from its traced body. */
#include "carriers.h"
#include "my_cube.h"

int
main(void)
{
    carriers c = carriers_begin("my_cube_vmap");
    cot_fn *f = cot_fn_new(c.ctx, "cube", my_cube, 1, 1, (void *)my_cube_new(c.ctx));
    cot_array *x = ARRAY(&c, cot_f64(3), 1, -2, 0.5);

    carry(&c, "vmap(cube)(x)", cot_vmap(f), ARRAYS(x), EXACT(1, -8, 0.125));
    carry(&c, "vmap(grad(grad(cube)))(x)", cot_vmap(cot_grad(cot_grad(f))), ARRAYS(x),
          EXACT(6, -12, 3));
    return carriers_end(&c);
}
