/* The padded operand of a convolution, and the order of its axes in memory. */
#include "passes/window.h"

#include "passes/pass.h"

enum {
    /* With at least MIN_GROUPS groups, of fewer features than MAX_GROUP, the groups are the
     * last axis.  Otherwise, with fewer results than MAX_GROUP, the spatial axis is the last
     * one if it has at least MIN_LINE elements. */
    MIN_GROUPS = 4,
    MAX_GROUP = 16,
    MIN_LINE = 12
};

/* The order of axes in which a padded operand is stored. */
static void
operand_order(ir_build *b, ir_ref x, int64_t o, const int64_t *low, const int64_t *high,
              int64_t *perm)
{
    const ir_type *t = ir_btype(b, x);
    const ir_node *n = ir_bdef(b, x);
    const int rank = t->rank, last = rank - 1;
    const int64_t c = t->dims[last];
    const bool by_groups = t->dims[0] >= MIN_GROUPS && c < MAX_GROUP;
    const bool is_transposed =
        n && n->op == OP_transpose && n->at->perm.perm.at[last - 1] == last && c < MAX_GROUP;

    for (int i = 0; i < rank; i++)
        perm[i] = by_groups ? (i + 1) % rank : i;
    if (!by_groups && rank > 3 && c > 1 &&
        t->dims[last - 1] + low[last - 1] + high[last - 1] >= MIN_LINE &&
        (o < MAX_GROUP || is_transposed)) {
        perm[last - 1] = last;
        perm[last] = last - 1;
    }
}

/* x, padded.  A short last axis without padding is merged with the one before, so that adjacent
 * elements are moved together. */
static ir_ref
pad_rows(ir_build *b, ir_ref x, ir_ref fill, int64_t *low, int64_t *high, int64_t *interior)
{
    const ir_type *t = ir_btype(b, x);
    const int last = t->rank - 1;
    const int64_t c = t->dims[last];
    int64_t dims[COT_MAX_RANK];

    if (c < 1 || c >= MAX_GROUP || low[last] || high[last] || interior[last] ||
        interior[last - 1] || (low[last - 1] == 0 && high[last - 1] == 0))
        return ir_pad(b, x, fill, low, high, interior);
    memcpy(dims, t->dims, sizeof *dims * (size_t)t->rank);
    dims[last - 1] *= c;
    x = ir_reshape(b, x, last, dims);
    for (int i = 0; i < last; i++)
        dims[i] =
            t->dims[i] + low[i] + high[i] + (t->dims[i] > 0 ? t->dims[i] - 1 : 0) * interior[i];
    low[last - 1] *= c;
    high[last - 1] *= c;
    x = x ? ir_pad(b, x, fill, low, high, interior) : IR_NONE;
    return x ? ir_reshape(b, x, last + 1, dims) : IR_NONE;
}

ir_ref
pass_pad_operand(ir_build *b, ir_ref x, int64_t o, ir_ref fill, const int64_t *low,
                 const int64_t *high, const int64_t *interior)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;
    int64_t perm[COT_MAX_RANK], back[COT_MAX_RANK], to[3][COT_MAX_RANK];

    if (!t)
        return IR_NONE;
    operand_order(b, x, o, low, high, perm);
    for (int i = 0; i < t->rank; i++) {
        back[perm[i]] = i;
        to[0][i] = low[perm[i]];
        to[1][i] = high[perm[i]];
        to[2][i] = interior[perm[i]];
    }
    x = ir_transpose(b, x, perm);
    x = x ? pad_rows(b, x, fill, to[0], to[1], to[2]) : IR_NONE;
    return x ? ir_transpose(b, x, back) : IR_NONE;
}
