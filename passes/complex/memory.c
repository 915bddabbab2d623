/* Complex numbers in memory: the parts are a last axis of size 2. */
#include "passes/complex/pair.h"

static ir_ref
part_of_memory(ir_build *b, ir_ref x, int part, int rank, const int64_t *dims)
{
    const int last = ir_btype(b, x)->rank - 1;
    return ir_reshape(b, ir_slice_axis(b, x, last, part, part + 1), rank, dims);
}

pass_pair
pass_pair_of_memory(ir_build *b, ir_ref x, int rank, const int64_t *dims)
{
    if (!x)
        return (pass_pair){ IR_NONE, IR_NONE };
    ir_ref re = part_of_memory(b, x, 0, rank, dims);
    return (pass_pair){ re, part_of_memory(b, x, 1, rank, dims) };
}

ir_ref
pass_pair_in_memory(ir_build *b, pass_pair z, int rank, const int64_t *dims)
{
    int64_t one[COT_MAX_RANK + 1] = { z.re ? ir_btype(b, z.re)->size : 0, 1 };
    const int axes = rank < COT_MAX_RANK ? rank + 1 : 2;
    if (!z.re || !z.im)
        return IR_NONE;
    for (int k = 0; k < rank && axes == rank + 1; k++)
        one[k] = dims[k];
    one[axes - 1] = 1;
    const ir_ref part[2] = { ir_reshape(b, z.re, axes, one), ir_reshape(b, z.im, axes, one) };
    return ir_concatenate(b, 2, part, axes - 1);
}
