/* sort and take in C that knows nothing of traces (qsort_r), with the rules that make them
 * members of every transform: the vjp of each calls take, so that any derivative exists; the
 * vmap rule of each calls the function itself along the next axis.
 *
 * numpy_sort and numpy_take are what a program calls: they hide the extra results and find the
 * functions. */
#ifndef NUMPY_SORT_H
#define NUMPY_SORT_H

#include <stdint.h>
#include <stdlib.h>

#include "cotrace/cotrace.h"

typedef struct numpy {
    const cot_custom *sort, *take;
} numpy;

int numpy_sort_f64(double *y, int64_t *order, int64_t *inverse, const double *x, int64_t outer,
                   int64_t n, int64_t inner);
void numpy_take_f64(double *y, const double *x, const int64_t *index, int64_t outer, int64_t n,
                    int64_t inner);

typedef struct row {
    const double *x;
    int64_t step;
} row;

static int
by_value(const void *a, const void *b, void *user)
{
    const row *r = user;
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    const double x = r->x[i * r->step], y = r->x[j * r->step];

    return x != y ? (x > y) - (x < y) : (i > j) - (i < j);
}

int
numpy_sort_f64(double *y, int64_t *order, int64_t *inverse, const double *x, int64_t outer,
               int64_t n, int64_t inner)
{
    int64_t *index = malloc(sizeof *index * (size_t)(n + 1));

    if (!index)
        return 1;
    for (int64_t k = 0; k < outer * inner; k++) {
        const int64_t first = k / inner * n * inner + k % inner;
        row r = { x + first, inner };

        for (int64_t i = 0; i < n; i++)
            index[i] = i;
        qsort_r(index, (size_t)n, sizeof *index, by_value, &r);
        for (int64_t i = 0; i < n; i++) {
            y[first + i * inner] = x[first + index[i] * inner];
            order[first + i * inner] = index[i];
            inverse[first + index[i] * inner] = i;
        }
    }
    free(index);
    return 0;
}

void
numpy_take_f64(double *y, const double *x, const int64_t *index, int64_t outer, int64_t n,
               int64_t inner)
{
    for (int64_t k = 0; k < outer * inner; k++) {
        const int64_t first = k / inner * n * inner + k % inner;

        for (int64_t i = 0; i < n; i++)
            y[first + i * inner] = x[first + index[first + i * inner] * inner];
    }
}

static inline cot_value
numpy_sort_all(const numpy *np, cot_value x, int64_t dim, cot_value *out)
{
    return cot_custom_call(np->sort, COT_LIST(dim), COT_VALUES(x), out);
}

static inline cot_value
numpy_sort(const numpy *np, cot_value x)
{
    return numpy_sort_all(np, x, -1, NULL);
}

/* y[.., i, ..] = x[.., index[.., i, ..], ..] along dim; inverse undoes it. */
static inline cot_value
numpy_take(const numpy *np, cot_value x, cot_value index, cot_value inverse, int64_t dim)
{
    return cot_custom_call(np->take, COT_LIST(dim), COT_VALUES(x, index, inverse), NULL);
}

static void
sort_types(const cot_custom_info *info, const cot_type *in, cot_type *out)
{
    (void)info;
    out[0] = out[1] = out[2] = in[0];
    out[1].dtype = out[2].dtype = COT_I64;
}

static void
take_types(const cot_custom_info *info, const cot_type *in, cot_type *out)
{
    (void)info;
    out[0] = in[0];
}

/* data: the sizes before, of and after the axis. */
static void
keep_sizes(cot_setup *s, const cot_custom_info *info)
{
    const cot_type t = cot_setup_in_type(s, 0);
    const int64_t *size = t.rank > 8 ? t.more : t.dims;
    const int64_t dim = info->attrs[0] < 0 ? info->attrs[0] + t.rank : info->attrs[0];
    int64_t outer = 1, inner = 1;

    for (int k = 0; k < t.rank; k++)
        if (k != dim)
            *(k < dim ? &outer : &inner) *= size[k];
    cot_save_data(s, outer);
    cot_save_data(s, size[dim]);
    cot_save_data(s, inner);
}

static void
sort_setup(cot_setup *s, const cot_custom_info *info)
{
    keep_sizes(s, info);
    cot_save_out(s, 1);
    cot_save_out(s, 2);
}

static void
take_setup(cot_setup *s, const cot_custom_info *info)
{
    keep_sizes(s, info);
    cot_save_in(s, 1);
    cot_save_in(s, 2);
}

/* Both permute; saved are the permutation and its inverse, by which cotangents go back. */
static void
back(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t;
    out[0] = numpy_take(info->user, in[2], in[1], in[0], info->attrs[0]);
}

/* The axis in arrays that have the mapped axis in front: counted from the end it is the same
 * one only as long as nothing else moves, so it is counted from the front. */
static int64_t
next_axis(int64_t dim, cot_value mapped)
{
    return dim < 0 ? dim + cot_rank(mapped) : dim + 1;
}

static void
sort_vmap(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t;
    numpy_sort_all(info->user, in[0], next_axis(info->attrs[0], in[0]), out);
}

static void
take_vmap(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    cot_value x[3];

    (void)t;
    for (int i = 0; i < 3; i++)
        x[i] = cot_move_batch_front(in[i], info->in_dims[i], info->batch_size);
    out[0] = numpy_take(info->user, x[0], x[1], x[2], next_axis(info->attrs[0], x[0]));
}

/* np must outlive the context. */
static inline void
numpy_register(cot_context *ctx, numpy *np)
{
    np->sort = cot_custom_new(
        ctx, "numpy.sort", .n_out = 3, .symbol = (cot_symbol *)numpy_sort_f64,
        .prototype = "status = int numpy_sort_f64(double *out0, int64_t *out1, int64_t *out2, "
                     "const double *in0, int64_t data0, int64_t data1, int64_t data2)",
        .types = sort_types, .setup = sort_setup, .vjp = back, .vmap = sort_vmap, .user = np);
    np->take = cot_custom_new(
        ctx, "numpy.take", .n_in = 3, .symbol = (cot_symbol *)numpy_take_f64,
        .prototype = "void numpy_take_f64(double *out0, const double *in0, const int64_t *in1, "
                     "int64_t data0, int64_t data1, int64_t data2)",
        .types = take_types, .setup = take_setup, .vjp = back, .vmap = take_vmap, .user = np);
}

#endif
