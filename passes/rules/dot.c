/* dot_general: transpose and vmap (its jvp is that of bilinear ops).
 *
 * Both transposes are products of the cotangent with the other operand, contracted over the
 * other operand's free axes.  The axes are transposed afterwards if neither order of the
 * operands gives the wanted layout. */
#include "passes/rules.h"

/* The axes of a value of this rank that are in neither list, ascending. */
static ir_ints
free_axes(ir_build *b, int rank, ir_ints contracted, ir_ints batch)
{
    int64_t *at = IR_NEW_N(b->arena, int64_t, rank + 1);
    int n = 0;
    for (int i = 0; i < rank; i++)
        if (!ir_ints_has(contracted, i) && !ir_ints_has(batch, i))
            at[n++] = i;
    return (ir_ints){ n, at };
}

/* The list first, first + 1, ... of n numbers. */
static ir_ints
counted(ir_build *b, int64_t first, int n)
{
    int64_t *at = IR_NEW_N(b->arena, int64_t, n + 1);
    for (int i = 0; i < n; i++)
        at[i] = first + i;
    return (ir_ints){ n, at };
}

/* The contracted axes of x, in the order of their partners among the axes of y. */
static ir_ints
partners_in_order(ir_build *b, ir_ints x, ir_ints y, int y_rank)
{
    int64_t *at = IR_NEW_N(b->arena, int64_t, x.n + 1);
    int n = 0;
    for (int64_t axis = 0; axis < y_rank; axis++)
        for (int i = 0; i < y.n; i++)
            if (y.at[i] == axis)
                at[n++] = x.at[i];
    return (ir_ints){ n, at };
}

/* The permutation that moves result axis i to axis order[i], where order is the concatenation
 * of the lists.  Returns true if it is the identity. */
static bool
layout(ir_ints p, ir_ints q, ir_ints r, int64_t *perm)
{
    const ir_ints list[3] = { p, q, r };
    bool identity = true;
    int64_t k = 0;
    for (int l = 0; l < 3; l++)
        for (int i = 0; i < list[l].n; i++, k++) {
            perm[list[l].at[i]] = k;
            identity &= list[l].at[i] == k;
        }
    return identity;
}

/* Axes of an operand: of x, whose cotangent is wanted, and of the other one, y. */
typedef struct dot_axes {
    ir_ints contracted, batch, free;
    int rank;
} dot_axes;

/* The product of ct and y over y's free axes, whose places in ct begin at ct_other.  Its axes
 * are the batch axes, x's free axes, and x's contracted axes in the order of their partners in
 * y; or the last two groups exchanged. */
static ir_ref
cotangent(ir_build *b, ir_ref ct, ir_ref other, const dot_axes *x, const dot_axes *y,
          int64_t ct_other)
{
    int64_t perm[COT_MAX_RANK];
    const ir_ints batch = counted(b, 0, x->batch.n), sum = counted(b, ct_other, y->free.n);
    const ir_ints back = partners_in_order(b, x->contracted, y->contracted, y->rank);
    const bool straight = layout(x->batch, x->free, back, perm);
    if (!straight && layout(x->batch, back, x->free, perm))
        return ir_dot(b, other, ct, y->free, sum, y->batch, batch);
    ir_ref r = ir_dot(b, ct, other, sum, y->free, batch, y->batch);
    layout(x->batch, x->free, back, perm);
    return straight ? r : ir_transpose(b, r, perm);
}

void
transpose_dot(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
              const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    dot_axes s[2] = { { .contracted = n->at->dot.lhs, .batch = n->at->dot.lhs_batch },
                      { .contracted = n->at->dot.rhs, .batch = n->at->dot.rhs_batch } };
    for (int i = 0; i < 2; i++) {
        s[i].rank = ir_type_at(f, n->in[i])->rank;
        s[i].free = free_axes(b, s[i].rank, s[i].contracted, s[i].batch);
    }
    const int64_t lhs_free = s[0].batch.n,
                  rhs_free = lhs_free + s[0].free.n; /* the places in ct of the free axes */
    if (linear[0])
        ct_in[0] = cotangent(b, ct[0], in[1], &s[0], &s[1], rhs_free);
    if (linear[1])
        ct_in[1] = cotangent(b, ct[0], in[0], &s[1], &s[0], lhs_free);
}

static ir_ints
shifted(ir_build *b, ir_ints s, bool mapped, bool batch)
{
    int64_t *at = IR_NEW_N(b->arena, int64_t, s.n + 1);
    int n = 0;
    if (batch)
        at[n++] = 0;
    for (int i = 0; i < s.n; i++)
        at[n++] = s.at[i] + mapped;
    return (ir_ints){ n, at };
}

/* Both mapped: one more batch axis.  One mapped: its axis is one more free axis, the first of
 * its operand, and is moved to the front of the result. */
void
vmap_dot(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
         const bool *mapped, ir_ref *y, bool *out_mapped)
{
    const bool both = mapped[0] && mapped[1];
    const int batch = n->at->dot.lhs_batch.n, rank = ir_type_at(f, n->in[0])->rank;
    (void)size, (void)out_mapped;
    ir_ref r = ir_dot(b, in[0], in[1], shifted(b, n->at->dot.lhs, mapped[0], false),
                      shifted(b, n->at->dot.rhs, mapped[1], false),
                      shifted(b, n->at->dot.lhs_batch, mapped[0], both),
                      shifted(b, n->at->dot.rhs_batch, mapped[1], both));
    const int at = both ? 0 : mapped[0] ? batch : rank - n->at->dot.lhs.n;
    y[0] = ir_move_axis(b, r, at, 0);
}
