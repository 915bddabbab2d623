/* Functions with open sizes, their fixed forms, and operands for them. */
#ifndef TESTS_UNIT_OPEN_PROGRAMS_H
#define TESTS_UNIT_OPEN_PROGRAMS_H

#include "tests/unit/suite.h"

enum { MAX_ARGS = 4 };

static const int64_t sizes[] = { 0,   1,   2,    15,   16,   17,   31,    32,
                                 33,  63,  64,   65,   255,  256,  257,   511,
                                 512, 513, 1023, 1024, 1025, 4097, 65537, 1051681 };
enum { SIZES = sizeof sizes / sizeof *sizes };

#define BODY(name)                                                                             \
    static inline void name(cot_trace *t, const cot_value *in, cot_value *out, void *user)
#define UNUSED (void)t, (void)user

BODY(map)
{
    UNUSED;
    out[0] = cot_add(cot_tanh(cot_mul(in[0], in[1])), in[0]);
}

BODY(mean)
{
    UNUSED;
    out[0] = cot_mean(cot_square(in[0]));
}

BODY(spread)
{
    UNUSED;
    out[0] = cot_std(in[0], .axes = COT_LIST(0));
}

BODY(softmax)
{
    UNUSED;
    out[0] = cot_softmax(in[0], .axes = COT_LIST(1));
}

BODY(columns)
{
    UNUSED;
    out[0] = cot_softmax(in[0], .axes = COT_LIST(0));
}

BODY(loss)
{
    UNUSED;
    cot_value miss = cot_sub(cot_tanh(cot_matmul(in[1], in[0])), in[2]);
    out[0] = cot_mean(cot_square(miss));
}

BODY(forces)
{
    UNUSED;
    cot_value far = cot_sub(cot_expand_dims(in[0], 1), cot_expand_dims(in[0], 0));
    cot_value square = cot_add(cot_reduce_sum(cot_square(far), .axes = COT_LIST(2)), 0.01);
    cot_value pull = cot_div(1, cot_mul(square, cot_sqrt(square)));
    out[0] = cot_reduce_sum(cot_mul(cot_expand_dims(pull, 2), far), .axes = COT_LIST(1));
}

BODY(outer)
{
    UNUSED;
    out[0] = cot_matmul(cot_expand_dims(in[0], 1), cot_expand_dims(in[1], 0));
}

BODY(differences)
{
    UNUSED;
    const cot_value after = cot_slice(in[0], .start = COT_LIST(1));
    const cot_value before = cot_slice(in[0], .limit = COT_LIST(-1));
    out[0] = cot_sub(after, before);
}

BODY(volume)
{
    UNUSED;
    const cot_value plane = cot_mul(cot_expand_dims(in[0], 1), cot_expand_dims(in[1], 0));
    out[0] = cot_reduce_sum(cot_mul(cot_expand_dims(plane, 2), in[2]));
}

BODY(running)
{
    UNUSED;
    out[0] = cot_cumsum(cot_sin(in[0]), 0);
}

BODY(running_loss)
{
    UNUSED;
    out[0] = cot_mean(cot_square(cot_cumsum(in[0], 0)));
}

BODY(running_lines)
{
    UNUSED;
    out[0] = cot_cumprod(cot_add(cot_mul(in[0], 0.01), 1), 0, .reverse = 1);
}

BODY(every_second)
{
    UNUSED;
    out[0] = cot_square(cot_slice(in[0], .start = COT_LIST(0, 1), .stride = COT_LIST(2, 1)));
}

/* An index of a fixed axis is below one of the open axis at some of them. */
BODY(above)
{
    (void)user;
    const int64_t m = cot_size(in[0], 1);
    const cot_value row = cot_iota(t, cot_i32(17, m), 0),
                    column = cot_iota(t, cot_i32(17, m), 1);
    out[0] = cot_select(cot_lt(row, column), cot_square(in[0]), in[0]);
}

/* The sum along an open axis and a fixed one, which lie behind each other. */
BODY(joined)
{
    UNUSED;
    out[0] = cot_reduce_sum(cot_square(in[0]), .axes = COT_LIST(0, 1));
}

BODY(largest)
{
    UNUSED;
    out[0] = cot_top_k(in[0], 5, NULL);
}

/* A loop of an op that is made of others, with constants of the open length. */
BODY(incomplete)
{
    UNUSED;
    out[0] = cot_betainc(2, 3, cot_div(1, cot_add(1, cot_square(in[0]))));
}

/* At n = 2 the constants n and 2 are one. */
BODY(every_other)
{
    (void)user;
    const int64_t n = cot_size(in[0], 0);
    const cot_value at = cot_mul(cot_iota(t, cot_i32(n), 0), 2);
    out[0] = cot_take(in[0], cot_rem(at, (double)n), 0);
}

/* Products by tiles, on a GPU: with open rows, an open inner length, an open batch, open rows
 * and columns. */
BODY(layer)
{
    UNUSED;
    out[0] = cot_tanh(cot_matmul(in[0], in[1]));
}

BODY(layer_loss)
{
    UNUSED;
    out[0] = cot_mean(cot_square(cot_tanh(cot_matmul(in[1], in[0]))));
}

BODY(of_columns)
{
    UNUSED;
    out[0] = cot_matmul(cot_transpose(in[0]), in[1]);
}

/* An argument's shape; -k is k n, -100 the other size. */
typedef struct shape {
    int rank;
    int64_t dims[4];
} shape;
enum { OTHER = -100 };

typedef struct program {
    const char *name, *sizes;
    cot_body *body;
    bool grad;
    int64_t least;
    int n;
    shape arg[MAX_ARGS];
} program;

static const program programs[] = {
    { "map", "0: [n], 1: [n]", map, false, 0, 2, { { 1, { -1 } }, { 1, { -1 } } } },
    { "rows",
      "0: [n, _], 1: [n, _]",
      map,
      false,
      0,
      2,
      { { 2, { -1, 7 } }, { 2, { -1, 7 } } } },
    { "planes",
      "0: [n, m], 1: [n, m]",
      map,
      false,
      0,
      2,
      { { 2, { -1, OTHER } }, { 2, { -1, OTHER } } } },
    { "mean", "0: [n] where n >= 1", mean, false, 1, 1, { { 1, { -1 } } } },
    { "mean's", "0: [n] where n >= 1", mean, true, 1, 1, { { 1, { -1 } } } },
    { "std", "0: [n] where n >= 2", spread, false, 2, 1, { { 1, { -1 } } } },
    { "softmax", "0: [n, _]", softmax, false, 0, 1, { { 2, { -1, 100 } } } },
    { "columns", "0: [n, _] where n >= 1", columns, false, 1, 1, { { 2, { -1, 5 } } } },
    { "loss",
      "1: [n, _], 2: [n, _] where n >= 1",
      loss,
      false,
      1,
      3,
      { { 2, { 24, 9 } }, { 2, { -1, 24 } }, { 2, { -1, 9 } } } },
    { "loss's",
      "1: [n, _], 2: [n, _] where n >= 1",
      loss,
      true,
      1,
      3,
      { { 2, { 24, 9 } }, { 2, { -1, 24 } }, { 2, { -1, 9 } } } },
    { "forces", "0: [n, _] where n >= 1, n <= 600", forces, false, 1, 1, { { 2, { -1, 3 } } } },
    { "even rows",
      "0: [n, _], 1: [n, _] where n % 2 == 0, n <= 5000",
      map,
      false,
      0,
      2,
      { { 2, { -1, 7 } }, { 2, { -1, 7 } } } },
    { "outer", "0: [n], 1: [m]", outer, false, 0, 2, { { 1, { -1 } }, { 1, { OTHER } } } },
    { "twice", "0: [2*n], 1: [n]", outer, false, 0, 2, { { 1, { -2 } }, { 1, { -1 } } } },
    { "running", "0: [n]", running, false, 0, 1, { { 1, { -1 } } } },
    { "doubled", "0: [2*n]", running, false, 0, 1, { { 1, { -2 } } } },
    { "running's", "0: [n] where n >= 1", running_loss, true, 1, 1, { { 1, { -1 } } } },
    { "running rows", "0: [n, _]", running, false, 0, 1, { { 2, { -1, 5 } } } },
    { "running lines", "0: [n, m]", running_lines, false, 0, 1, { { 2, { -1, OTHER } } } },
    { "every second",
      "0: [n, m] where m >= 1",
      every_second,
      false,
      0,
      1,
      { { 2, { -1, OTHER } } } },
    { "above", "0: [_, n]", above, false, 0, 1, { { 2, { 17, -1 } } } },
    { "planes'", "0: [n, m] where n >= 1, m >= 1", mean, true, 1, 1, { { 2, { -1, OTHER } } } },
    { "joined", "0: [n, _, _] where n <= 600", joined, false, 0, 1, { { 3, { -1, 5, 7 } } } },
    { "joined lines",
      "0: [_, n, _] where n <= 600",
      joined,
      false,
      0,
      1,
      { { 3, { 5, -1, 7 } } } },
    { "largest", "0: [n] where n >= 5", largest, false, 5, 1, { { 1, { -1 } } } },
    { "incomplete", "0: [n]", incomplete, false, 0, 1, { { 1, { -1 } } } },
    { "every other", "0: [n] where n >= 1", every_other, false, 1, 1, { { 1, { -1 } } } },
    { "layer", "0: [n, _]", layer, false, 0, 2, { { 2, { -1, 40 } }, { 2, { 40, 80 } } } },
    { "layer's",
      "1: [n, _] where n >= 1",
      layer_loss,
      true,
      1,
      2,
      { { 2, { 24, 64 } }, { 2, { -1, 24 } } } },
    { "layers",
      "0: [n, _, _], 1: [n, _, _]",
      layer,
      false,
      0,
      2,
      { { 3, { -1, 65, 16 } }, { 3, { -1, 16, 64 } } } },
    { "of columns",
      "0: [n, _], 1: [n, _]",
      of_columns,
      false,
      0,
      2,
      { { 2, { -1, 66 } }, { 2, { -1, 64 } } } },
    { "of few columns",
      "0: [n, _], 1: [n, _]",
      of_columns,
      false,
      0,
      2,
      { { 2, { -1, 3 } }, { 2, { -1, 5 } } } },
    { "rows by a vector",
      "0: [_, n], 1: [n]",
      layer,
      false,
      0,
      2,
      { { 2, { 3, -1 } }, { 1, { -1 } } } },
    { "inner", "0: [n], 1: [n]", layer, false, 0, 2, { { 1, { -1 } }, { 1, { -1 } } } },
    { "rows by columns",
      "0: [n, _], 1: [_, m]",
      layer,
      false,
      0,
      2,
      { { 2, { -1, 16 } }, { 2, { 16, OTHER } } } },
    { "differences", "0: [n] where n >= 1", differences, false, 1, 1, { { 1, { -1 } } } },
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static cot_array *
filled(const shape *s, int64_t n, int64_t other, uint32_t seed)
{
    cot_type t = { .dtype = COT_F32, .rank = s->rank };

    for (int k = 0; k < s->rank; k++)
        t.dims[k] = s->dims[k] == OTHER ? other : s->dims[k] < 0 ? -s->dims[k] * n : s->dims[k];
    cot_array *a = cot_array_new(ctx, t);
    float *x = cot_array_data(a);
    for (size_t i = 0; i < cot_array_bytes(a) / sizeof *x; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)((int)(seed >> 12) % 2001 - 1000) / 577;
    }
    return a;
}

/* -0, or numbers whose products are rounded to 0, or to -0 where a positive one is multiplied
 * by a negative one. */
static inline cot_array *
nearly_zero(const shape *s, int64_t n, int64_t other, int which)
{
    cot_array *a = filled(s, n, other, 0);
    float *x = cot_array_data(a);

    for (size_t i = 0; i < cot_array_bytes(a) / sizeof *x; i++)
        x[i] = which % 3 == 0 ? 1e-30f : which % 3 == 1 ? -1e-30f : -0.0f;
    return a;
}

static cot_fn *
function_of(const program *p)
{
    cot_fn *f = cot_fn_new(ctx, "f", p->body, p->n, 1, NULL);

    return p->grad ? cot_grad(f) : f;
}

/* Types of its arguments at a small size, in t. */
static inline cot_types
small_types(const program *p, cot_type t[MAX_ARGS])
{
    for (int i = 0; i < p->n; i++) {
        cot_array *a = filled(&p->arg[i], p->least > 2 ? p->least : 2, 2, 1);
        t[i] = cot_array_type(a);
        cot_array_free(a);
    }
    return (cot_types){ .n = p->n, .at = t };
}

/* Runs k on the arrays, wants these elements, and frees all of them. */
static inline void
gives(const cot_kernel *k, const program *p, cot_array **arg, cot_array *want, int64_t n)
{
    cot_array *x = cot_array_new(ctx, cot_array_type(want));
    const size_t bytes = cot_array_bytes(x);

    ck_assert_msg(cot_run(k, &x, (const cot_array *const *)arg) == COT_OK, "%s at %d: %s",
                  p->name, (int)n, cot_error(ctx));
    ck_assert_msg(bytes == 0 || memcmp(cot_array_read(x), cot_array_read(want), bytes) == 0,
                  "%s differs at %d", p->name, (int)n);
    cot_array_free(x);
    cot_array_free(want);
    for (int j = 0; j < p->n; j++)
        cot_array_free(arg[j]);
}

/* Are n and the other one sizes of the program, and is n none whose square is too large to wait
 * for? */
static inline bool
has_size(const program *p, int64_t n, int64_t other)
{
    return n >= p->least &&
           (other > 0 || (p->body != every_second && !strstr(p->sizes, "m >= 1"))) &&
           (n <= 65537 || (p->body == running && p->arg[0].rank == 1)) &&
           (n <= 600 || (p->body != forces && p->body != outer && p->body != joined)) &&
           (!strstr(p->sizes, "n % 2") || (n % 2 == 0 && n <= 5000));
}

#endif
