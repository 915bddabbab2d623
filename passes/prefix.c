/* Prefixes of an associative operation, with linear work and logarithmic depth.
 *
 * The odd-even recursion: adjacent elements are combined in pairs, and the prefixes of that
 * shorter list, found in the same way, are the results at odd places.  A result at an even
 * place is the result before it combined with its own element.  For n elements these are less
 * than 2 n combinations in 2 log2(n) levels.
 *
 * The order of combination is fixed by n alone: result 2 i + 1 of a level is result i of the
 * level below, and result 2 i is combine(result 2 i - 1, element 2 i).  It is part of the
 * definition of the result.  Sums of the operation are not joined with products outside of it,
 * so that this holds for one element, too.
 *
 * Source: G. E. Blelloch, Prefix Sums and Their Applications, CMU-CS-90-190, 1990; the
 * recursion is that of R. E. Ladner, M. J. Fischer, Parallel Prefix Computation, JACM 27,
 * 1980. */
#include "passes/prefix.h"

typedef struct prefix {
    int n, axis;
    pass_combine_fn *combine;
    const void *user;
} prefix;

static ir_ref
stride(ir_build *b, const prefix *p, ir_ref x, int64_t from, int64_t to, int64_t step)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;
    int64_t start[COT_MAX_RANK], limit[COT_MAX_RANK], by[COT_MAX_RANK];

    for (int k = 0; t && k < t->rank; k++) {
        start[k] = k == p->axis ? from : 0;
        limit[k] = k == p->axis ? to : t->dims[k];
        by[k] = k == p->axis ? step : 1;
    }
    return t ? ir_slice(b, x, start, limit, by) : IR_NONE;
}

/* Interleaves even[0], odd[0], even[1], ... to n elements. */
static ir_ref
interleave(ir_build *b, const prefix *p, ir_ref even, ir_ref odd, int64_t n)
{
    const ir_type *t = odd ? ir_btype(b, odd) : NULL;
    int64_t m = n / 2, dims[COT_MAX_RANK + 1];

    if (!even || !t)
        return IR_NONE;
    ir_ref pair[2] = { stride(b, p, even, 0, m, 1), odd };
    for (int k = 0; k < 2; k++)
        pair[k] = ir_broadcast_axis(b, pair[k], p->axis + 1, 1);
    for (int k = 0; k < t->rank; k++)
        dims[k] = k == p->axis ? 2 * m : t->dims[k];
    ir_ref y = ir_reshape(b, ir_concatenate(b, 2, pair, p->axis + 1), t->rank, dims);
    return n % 2 == 0 ? y
                      : ir_concatenate(b, 2, (ir_ref[]){ y, stride(b, p, even, m, m + 1, 1) },
                                       p->axis);
}

static void
prefixes(ir_build *b, const prefix *p, int64_t n, const ir_ref *x, ir_ref *y)
{
    ir_ref *l = IR_NEW_N(b->arena, ir_ref, p->n + 1), *r = IR_NEW_N(b->arena, ir_ref, p->n + 1),
           *odd = IR_NEW_N(b->arena, ir_ref, p->n + 1);
    int64_t m = n / 2, rest = (n - 1) / 2;

    memcpy(y, x, sizeof *y * (size_t)p->n);
    if (n < 2)
        return;
    for (int i = 0; i < p->n; i++) {
        l[i] = stride(b, p, x[i], 0, 2 * m - 1, 2);
        r[i] = stride(b, p, x[i], 1, 2 * m, 2);
    }
    p->combine(b, p->user, m, l, r, y);
    prefixes(b, p, m, y, odd);
    for (int i = 0; i < p->n && rest > 0; i++) {
        l[i] = stride(b, p, odd[i], 0, rest, 1);
        r[i] = stride(b, p, x[i], 2, 2 * rest + 1, 2);
    }
    if (rest > 0)
        p->combine(b, p->user, rest, l, r, y);
    for (int i = 0; i < p->n && b->status == COT_OK; i++) {
        ir_ref first = stride(b, p, x[i], 0, 1, 1);
        ir_ref even =
            rest > 0 ? ir_concatenate(b, 2, (ir_ref[]){ first, y[i] }, p->axis) : first;
        y[i] = interleave(b, p, even, odd[i], n);
    }
}

void
pass_prefixes(ir_build *b, int n, int axis, const ir_ref *x, ir_ref *y, pass_combine_fn *f,
              const void *user)
{
    const prefix p = { n, axis, f, user };
    const ir_type *t = x[0] ? ir_btype(b, x[0]) : NULL;

    for (int i = 0; i < n; i++)
        y[i] = IR_NONE;
    if (!t || b->status != COT_OK)
        return;
    ir_ref *own = IR_NEW_N(b->arena, ir_ref, n);
    for (int i = 0; i < n; i++)
        own[i] = ir_rounded(b, x[i]);
    prefixes(b, &p, t->dims[axis], own, y);
    for (int i = 0; i < n; i++)
        y[i] = ir_rounded(b, y[i]);
}

static void
forwards(ir_build *b, const void *user, int64_t m, const ir_ref *x, const ir_ref *y, ir_ref *z)
{
    (void)m;
    pass_combine(b, user, x, y, z);
}

/* In a reversed list the operands of a combination are exchanged. */
static void
backwards(ir_build *b, const void *user, int64_t m, const ir_ref *x, const ir_ref *y, ir_ref *z)
{
    (void)m;
    pass_combine(b, user, y, x, z);
}

void
pass_running(ir_build *b, const pass_combiner *c, int axis, bool reverse, const ir_ref *x,
             ir_ref *y)
{
    ir_ref *list = IR_NEW_N(b->arena, ir_ref, c->n + 1);
    const ir_axes along = ir_axes_of(axis);

    for (int i = 0; i < c->n; i++)
        list[i] = reverse && x[i] ? ir_reverse(b, x[i], along) : x[i];
    pass_prefixes(b, c->n, axis, list, y, reverse ? backwards : forwards, c);
    for (int i = 0; i < c->n && reverse; i++)
        y[i] = y[i] ? ir_reverse(b, y[i], along) : IR_NONE;
}
