/* Three programs that many processes share, in one object:
 *
 *   train       one step of gradient descent of a network, on a batch of groups of examples
 *   heat        a 2-D heat equation through 20 steps, and the gradient of its last state
 *   price       the price of an option by simulation, and how it depends on what is uncertain
 *
 *   build OBJECT HEADER [THREADS]
 *
 * The object serves 1 to 8 and 16 processes, and has the same bits on each.  main.c, which has
 * the header alone, runs it on processes of one machine or on those of MPI. */
#include <stdio.h>
#include <stdlib.h>

#include "programs.h"

int
main(int argc, char **argv)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_fn *grid[2];
    const cot_export all[] = {
        { train_program(ctx), TRAIN_TYPES, "train" },
        { heat_program(ctx, grid), HEAT_TYPES, "heat" },
        { price_program(ctx), PRICE_TYPES, "price" },
    };
    const cot_compile_options options = { .processes = "1-8,16",
                                          .threads = argc > 3 ? atoi(argv[3]) : 1 };
    const cot_status s =
        argc < 3 ? COT_ERR_ARG : cot_build_object(ctx, all, 3, &options, argv[1], argv[2]);

    if (s != COT_OK)
        fprintf(stderr, "%s\n",
                argc < 3 ? "usage: build OBJECT HEADER [THREADS]" : cot_error(ctx));
    cot_context_free(ctx);
    return s != COT_OK;
}
