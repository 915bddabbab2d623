/* What the suites of control flow share: a mapped function against a loop over its examples,
 * and measures of its graph. */
#ifndef TESTS_UNIT_CONTROL_H
#define TESTS_UNIT_CONTROL_H

#include <float.h>
#include <stdio.h>

#include "both.h"

/* vmap of f over the arguments in mask, three examples each, against f example by example.  All
 * arguments are scalars: f64, or i64 with ints. */
static inline void
agrees_with_loop(cot_fn *f, int n_in, unsigned mask, unsigned ints, const double *x)
{
    static double got[ROOM], one[ROOM], data[MAX_ARRAYS][3];
    cot_type type[MAX_ARRAYS], example[MAX_ARRAYS];
    int64_t dims[MAX_ARRAYS];
    const void *in[MAX_ARRAYS];

    for (int i = 0; i < n_in; i++) {
        dims[i] = mask >> i & 1 ? 0 : COT_NONE;
        example[i] = ints >> i & 1 ? cot_i64() : cot_f64();
        type[i] = !(mask >> i & 1) ? example[i] : ints >> i & 1 ? cot_i64(3) : cot_f64(3);
        for (int e = 0; e < 3; e++)
            if (ints >> i & 1)
                ((int64_t *)data[i])[e] = (int64_t)x[3 * i + e];
            else
                data[i][e] = x[3 * i + e];
        in[i] = data[i];
    }
    cot_fn *v = cot_vmap(f, .in_dims = (cot_list){ .n = n_in, .at = dims });
    int64_t n = results(v, (cot_types){ .n = n_in, .at = type }, in, got);
    for (int e = 0; e < 3; e++) {
        for (int i = 0; i < n_in; i++)
            in[i] = data[i] + (mask >> i & 1 ? e : 0);
        int64_t m = results(f, (cot_types){ .n = n_in, .at = example }, in, one);
        ck_assert_int_eq(n, 3 * m);
        for (int64_t k = 0; k < m; k++)
            ck_assert_msg(fabs(got[3 * k + e] - one[k]) <= 1e-13 * fmax(1, fabs(one[k])),
                          "%s, mask %u: example %d: %.17g, alone %.17g", cot_fn_name(f), mask,
                          e, got[3 * k + e], one[k]);
    }
}

static inline int
count_op(const ir_graph *g, ir_op op)
{
    ir_arena *a = g->arena;
    int n = 0;

    ir_each_node (node, g) {
        ir_graph *const *sub;
        n += node->op == op;
        int subs = ir_subgraphs(node, &sub, a);
        for (int i = 0; i < subs; i++)
            n += count_op(sub[i], op);
    }
    return n;
}

static inline const ir_graph *
graph(cot_fn *f, cot_types types)
{
    const cot_graph *g;

    ck_assert_msg(cot_trace_fn(f, types, &g) == COT_OK, "%s", cot_error(ctx));
    return g;
}

static inline size_t
work_bytes(cot_fn *f, cot_types types)
{
    cot_kernel *k;

    ck_assert_msg(cot_compile(f, types, NULL, &k) == COT_OK, "%s", cot_error(ctx));
    size_t bytes = cot_kernel_work_bytes(k);
    cot_kernel_free(k);
    return bytes;
}

/* A value of the enclosing trace, which a body captures through its user pointer. */
typedef struct seen {
    cot_value w;
} seen;

#endif
