/* Products of every kind at the sizes that matter (sized.h). */
#include "tests/laws/sized.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sizes.h"

enum {
    WORK = 1 << 21,         /* multiplications of a program at the most */
    ELEMENTS = 1 << 20,     /* of an array                              */
    RANK = 6,
};

/* The arguments in memory, by turns, and where they are multiplied. */
static const struct {
    const char *stored[2], *computed;
} types[] = {
    { { "f32", "f32" }, "f32" },    { { "f64", "f64" }, "f64" }, { { "f16", "f16" }, "f16" },
    { { "bf16", "bf16" }, "bf16" }, { { "i8", "i8" }, "i32" },   { { "i16", "i16" }, "i32" },
    { { "i32", "i32" }, "i32" },    { { "c64", "c64" }, "c64" }, { { "f16", "f16" }, "f32" },
    { { "i8", "i8" }, "f32" },      { { "u8", "i8" }, "i32" },   { { "i8", "u8" }, "i32" },
};
enum { TYPES = sizeof types / sizeof *types };

/* -- text -- */

typedef struct maker {
    ir_arena *a;
    int type, args, nodes;
    ir_buf head, body, ret, results;
} maker;

typedef struct value {
    const char *name;
    int rank;
    int64_t dims[RANK];
} value;

static const char *
list(maker *m, int n, const int64_t *x)
{
    const char *s = "[";

    for (int i = 0; i < n; i++)
        s = ir_format(m->a, "%s%s%lld", s, i ? "," : "", (long long)x[i]);
    return ir_format(m->a, "%s]", s);
}

/* %n = ..., of the type in which products are, or of another. */
static value
node(maker *m, const char *dtype, int rank, const int64_t *dims, const char *format, ...)
{
    value v = { ir_format(m->a, "%%%d", m->nodes++), rank, { 0 } };
    char text[512];
    va_list args;

    memcpy(v.dims, dims, sizeof *dims * (size_t)rank);
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ir_buf_printf(&m->body, "  %s = %s : %s%s\n", v.name, text,
                  dtype ? dtype : types[m->type].computed, list(m, rank, dims));
    return v;
}

/* An argument, converted to the type that is computed in. */
static value
argument(maker *m, int rank, const int64_t *dims)
{
    const char *stored = types[m->type].stored[m->args % 2],
               *computed = types[m->type].computed;
    value v = { ir_format(m->a, "%%x%d", m->args), rank, { 0 } };

    memcpy(v.dims, dims, sizeof *dims * (size_t)rank);
    ir_buf_printf(&m->head, "%s%s: %s%s", m->args++ ? ", " : "", v.name, stored,
                  list(m, rank, dims));
    return strcmp(stored, computed) == 0
               ? v
               : node(m, NULL, rank, dims, "convert %s {dtype=%s}", v.name, computed);
}

static void
result(maker *m, value v)
{
    ir_buf_printf(&m->ret, "%s%s", m->ret.n ? ", " : "", v.name);
    ir_buf_printf(&m->results, "%s%s%s", m->results.n ? ", " : "", types[m->type].computed,
                  list(m, v.rank, v.dims));
}

/* -- sizes -- */

/* The axes of a row, each a size: b, m, n, k, l and two for attributes. */
enum { AXES = 5, ATTRIBUTE = 5, TYPE = 7 };
static const char letters[] = "bmnkl";

typedef struct sizes {
    int64_t of[AXES], attribute[2];
} sizes;

static int64_t
size_of(const sizes *z, char letter)
{
    return z->of[strchr(letters, letter) - letters];
}

/* Axes without elements count as one: without k's, too, a product has m by n results. */
static int64_t
product_of(const sizes *z, const char *of)
{
    int64_t n = 1;

    for (const char *c = letters; *c; c++)
        n *= strchr(of, *c) && size_of(z, *c) ? size_of(z, *c) : 1;
    return n;
}

/* Axis after axis is cut until the product of those in `of` is small enough; the first one
 * differs from row to row, so that every pair of axes has its sizes in some rows. */
static void
fusion(sizes *z, const char *of, int64_t most, int64_t row)
{
    for (int i = 0; i < AXES && product_of(z, of) > most; i++) {
        const int at = (int)((row + i) % AXES);
        if (!strchr(of, letters[at]) || z->of[at] == 0)
            continue;
        const int64_t rest = product_of(z, of) / z->of[at];
        z->of[at] =
            sizes_at_most(sizes_that_matter, SIZES_MATTER, rest < most ? most / rest : 1);
    }
}

/* -- products -- */

typedef enum tail { PLAIN, RELU, TANH, ROW_SUMS, COLUMN_SUMS, TRANSPOSED, SLICED } tail;

typedef struct kind {
    const char *name, *x, *y; /* y NULL: a convolution */
    tail tail;
} kind;

static const kind kinds[] = {
    { "inner", "k", "k", PLAIN },
    { "inner of two axes", "kl", "kl", PLAIN },
    { "matrix by vector", "mk", "k", PLAIN },
    { "transposed matrix by vector", "km", "k", PLAIN },
    { "matrices by vector", "mnk", "k", PLAIN },
    { "matrix of two axes by matrix", "mkl", "kl", PLAIN },
    { "vector by matrix", "k", "kn", PLAIN },
    { "vector by transposed matrix", "k", "nk", PLAIN },
    { "batch of inner", "bk", "bk", PLAIN },
    { "batch of matrix by vector", "bmk", "bk", PLAIN },
    { "nn", "mk", "kn", PLAIN },
    { "nt", "mk", "nk", PLAIN },
    { "tn", "km", "kn", PLAIN },
    { "tt", "km", "nk", PLAIN },
    { "batch nn", "bmk", "bkn", PLAIN },
    { "batch nt", "bmk", "bnk", PLAIN },
    { "batch tn", "bkm", "bkn", PLAIN },
    { "batch last", "mkb", "knb", PLAIN },
    { "batch between", "mbk", "kbn", PLAIN },
    { "two axes", "mkl", "kln", PLAIN },
    { "two axes transposed", "kml", "nlk", PLAIN },
    { "outer", "m", "n", PLAIN },
    { "bias and relu", "mk", "kn", RELU },
    { "bias and relu of a batch", "bmk", "bnk", RELU },
    { "bias and tanh", "mk", "kn", TANH },
    { "tanh of matrix by vector", "mk", "k", TANH },
    { "row sums", "mk", "kn", ROW_SUMS },
    { "column sums", "mk", "kn", COLUMN_SUMS },
    { "transposed result", "mk", "nk", TRANSPOSED },
    { "sliced operands", "mk", "kn", SLICED },
    { "sliced matrix by vector", "mk", "k", SLICED },
    { "conv1d", NULL, NULL, PLAIN },
    { "conv2d", NULL, NULL, RELU },
    { "conv2d of channels first", NULL, NULL, TRANSPOSED },
    { "conv2d of groups", NULL, NULL, SLICED },
    { "batch last on the left", "mkb", "bkn", PLAIN },
    { "batch last on the right", "bmk", "knb", PLAIN },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* An operand with the axes of `spec`: the whole array, or every other element from the second
 * on of a larger one. */
static value
operand(maker *m, const sizes *z, const char *spec, tail how)
{
    int64_t dims[RANK], all[RANK], start[RANK], limit[RANK], stride[RANK];
    const int rank = (int)strlen(spec);

    for (int i = 0; i < rank; i++) {
        dims[i] = size_of(z, spec[i]);
        stride[i] = i == rank - 1 ? 2 : 1;
        start[i] = 1;
        limit[i] = start[i] + (dims[i] ? (dims[i] - 1) * stride[i] + 1 : 0);
        all[i] = limit[i] + 1;
    }
    if (how != SLICED)
        return argument(m, rank, dims);
    const value x = argument(m, rank, all);
    return node(m, NULL, rank, dims, "slice %s {start=%s, limit=%s, stride=%s}", x.name,
                list(m, rank, start), list(m, rank, limit), list(m, rank, stride));
}

/* The places in `x` of its letters that are in y, and in the result or not. */
static const char *
places(maker *m, const char *of, const char *x, const char *y, bool batch)
{
    int64_t at[RANK];
    int n = 0;

    for (const char *c = x; *c; c++)
        if (strchr(y, *c) && (*c == 'b') == batch)
            at[n++] = strchr(of, *c) - of;
    return list(m, n, at);
}

static value
product(maker *m, const sizes *z, const kind *k)
{
    const value x = operand(m, z, k->x, k->tail), y = operand(m, z, k->y, k->tail);
    int64_t dims[RANK];
    int rank = 0;

    if (strchr(k->x, 'b'))
        dims[rank++] = size_of(z, 'b');
    for (const char *c = k->x; *c; c++)
        if (!strchr(k->y, *c))
            dims[rank++] = size_of(z, *c);
    for (const char *c = k->y; *c; c++)
        if (!strchr(k->x, *c))
            dims[rank++] = size_of(z, *c);
    return node(m, NULL, rank, dims,
                "dot_general %s, %s {lhs=%s, rhs=%s, lhs_batch=%s, rhs_batch=%s}", x.name,
                y.name, places(m, k->x, k->x, k->y, false), places(m, k->y, k->x, k->y, false),
                places(m, k->x, k->x, k->y, true), places(m, k->y, k->x, k->y, true));
}

static bool
is_complex(const maker *m)
{
    return *types[m->type].computed == 'c';
}

static bool
is_integer(const maker *m)
{
    return *types[m->type].computed == 'i';
}

static value
biased(maker *m, value y)
{
    const value b = argument(m, 1, &y.dims[y.rank - 1]);
    const int64_t last = y.rank - 1;
    const value wide = node(m, NULL, y.rank, y.dims, "broadcast_in_dim %s {shape=%s, dims=%s}",
                            b.name, list(m, y.rank, y.dims), list(m, 1, &last));

    return node(m, NULL, y.rank, y.dims, "add %s, %s", y.name, wide.name);
}

/* max(y, 0), or tanh; of complex numbers and integers what there is of that. */
static value
activated(maker *m, value y, tail how)
{
    if (is_complex(m) || (is_integer(m) && how == TANH))
        return node(m, NULL, y.rank, y.dims, "neg %s", y.name);
    if (how == TANH)
        return node(m, NULL, y.rank, y.dims, "tanh %s", y.name);
    const value zero = node(m, NULL, y.rank, y.dims, "constant {data=0}");
    return node(m, NULL, y.rank, y.dims, "max %s, %s", y.name, zero.name);
}

static void
finish(maker *m, value y, tail how)
{
    int64_t axis = how == ROW_SUMS ? 1 : 0, transposed[2] = { y.dims[1], y.dims[0] };

    if (how == RELU || how == TANH)
        y = activated(m, y.rank ? biased(m, y) : y, how);
    if (how == TRANSPOSED)
        y = node(m, NULL, 2, transposed, "transpose %s {perm=[1,0]}", y.name);
    if (how == ROW_SUMS || how == COLUMN_SUMS)
        result(m, node(m, NULL, 1, &y.dims[1 - axis], "reduce_sum %s {axes=[%lld]}", y.name,
                       (long long)axis));
    result(m, y);
}

/* -- convolutions -- */

/* Results of a window along an axis of n elements. */
static int64_t
positions(int64_t n, int64_t window, int64_t stride, int64_t dilation)
{
    const int64_t reach = (window - 1) * dilation + 1;

    return n < reach ? 0 : (n - reach) / stride + 1;
}

/* x [groups, batch, spatial, c], y [groups, window, c, o].  m is a line, n are the features of
 * the result, k those of the operand; l is the other spatial axis. */
typedef struct conv {
    int spatial;
    int64_t b, g, c, o, window, stride, dilation, size[2], out[2];
} conv;

static conv
conv_of(const kind *k, const sizes *z, int64_t row)
{
    static const int64_t windows[] = { 1, 2, 3, 5, 7 };
    const int64_t of = z->attribute[0];
    const bool groups = k->tail == SLICED, two = k->name[4] == '2';
    conv v = { .spatial = two ? 2 : 1,
               .window = windows[of % 5],
               .stride = 1 + of / 5 % 3,
               .dilation = 1 + of / 15 % 2 };
    sizes s = *z;

    s.of[4] = two ? sizes_at_most(sizes_that_matter, SIZES_MATTER, 2 + s.of[4] % 32) : 1;
    s.of[0] = groups ? s.of[0] : sizes_at_most(sizes_that_matter, SIZES_MATTER, s.of[0] % 10);
    if (groups) /* few features, a multiple of them or alone */
        s.of[2] = sizes_at_most(sizes_that_matter, SIZES_MATTER, s.of[2] % 9),
        s.of[3] = sizes_at_most(sizes_that_matter, SIZES_MATTER, s.of[3] % 9);
    fusion(&s, "bmnkl", WORK / (two ? v.window * v.window : v.window), row);
    v.g = groups ? s.of[0] : 1;
    v.b = groups ? 1 + row % 3 : s.of[0];
    v.c = s.of[3];
    v.o = s.of[2];
    v.size[two] = s.of[1];
    v.size[!two] = two ? s.of[4] : s.of[1];
    for (int i = 0; i < v.spatial; i++)
        v.out[i] = positions(v.size[i], v.window, v.stride, v.dilation);
    return v;
}

static value
convolution(maker *m, const conv *v, const char *x, const char *w)
{
    const int64_t stride[2] = { v->stride, v->stride },
                  dilation[2] = { v->dilation, v->dilation };
    int64_t dims[RANK] = { v->g, v->b };

    for (int i = 0; i < v->spatial; i++)
        dims[2 + i] = v->out[i];
    dims[2 + v->spatial] = v->o;
    return node(m, NULL, 3 + v->spatial, dims, "conv_general %s, %s {strides=%s, dilation=%s}",
                x, w, list(m, v->spatial, stride), list(m, v->spatial, dilation));
}

static void
conv_plain(maker *m, const conv *v, tail how)
{
    int64_t x[RANK] = { v->g, v->b, v->size[0], v->size[1] },
            w[RANK] = { v->g, v->window, v->window };

    x[2 + v->spatial] = w[1 + v->spatial] = v->c;
    w[2 + v->spatial] = v->o;
    const value vx = argument(m, 3 + v->spatial, x), vw = argument(m, 3 + v->spatial, w);
    finish(m, convolution(m, v, vx.name, vw.name), how);
}

/* x [b, c, height, width], w [o, c, window], the result [b, o, ...]. */
static void
conv_channels_first(maker *m, const conv *v)
{
    const int64_t x[] = { 1, v->b, v->c, v->size[0], v->size[1] },
                  w[] = { 1, v->o, v->c, v->window, v->window },
                  xt[] = { 1, v->b, v->size[0], v->size[1], v->c },
                  wt[] = { 1, v->window, v->window, v->c, v->o },
                  out[] = { 1, v->b, v->o, v->out[0], v->out[1] };
    const value vx = argument(m, 5, x), vw = argument(m, 5, w);
    const value tx = node(m, NULL, 5, xt, "transpose %s {perm=[0,1,3,4,2]}", vx.name),
                tw = node(m, NULL, 5, wt, "transpose %s {perm=[0,3,4,2,1]}", vw.name);
    const value y = convolution(m, v, tx.name, tw.name);

    result(m, node(m, NULL, 5, out, "transpose %s {perm=[0,1,4,2,3]}", y.name));
}

/* x [b, height, width, g c], the result [b, ..., g o]. */
static void
conv_groups(maker *m, const conv *v)
{
    const int64_t x[] = { v->b, v->size[0], v->size[1], v->g, v->c },
                  xt[] = { v->g, v->b, v->size[0], v->size[1], v->c },
                  w[] = { v->g, v->window, v->window, v->c, v->o },
                  out[] = { v->b, v->out[0], v->out[1], v->g, v->o };
    const value vx = argument(m, 5, x), vw = argument(m, 5, w);
    const value tx = node(m, NULL, 5, xt, "transpose %s {perm=[3,0,1,2,4]}", vx.name);
    const value y = convolution(m, v, tx.name, vw.name);

    result(m, node(m, NULL, 5, out, "transpose %s {perm=[1,2,3,0,4]}", y.name));
}

static void
convolve(maker *m, const sizes *z, const kind *k, int64_t row)
{
    const conv v = conv_of(k, z, row);

    if (k->tail == TRANSPOSED)
        conv_channels_first(m, &v);
    else if (k->tail == SLICED)
        conv_groups(m, &v);
    else
        conv_plain(m, &v, k->tail);
}

/* -- few rows by a large right side -- */

/* Products of at most a tile or two of rows, whose right side is larger than the second cache:
 * it is read in place.  Kinds by their number above; rows around those of the tiles; k around
 * its blocks; columns as many as pass LARGE bytes, and a few more, which leave a tail. */
enum { LARGE = 9 << 18 };
static const int streamed_kinds[] = { 6, 10, 12, 14, 22, 24, 27, 28 };
static const int64_t streamed_rows[] = { 1,  2,  3,  4,  5,  7,  8,  12, 13,
                                         14, 15, 16, 17, 24, 25, 27, 28, 29 },
                     streamed_steps[] = { 64, 255, 256, 257, 511, 513, 600 },
                     streamed_more[] = { 1, 5, 16, 17, 48 };
enum {
    STREAMED_KINDS = sizeof streamed_kinds / sizeof *streamed_kinds,
    STREAMED_ROWS = sizeof streamed_rows / sizeof *streamed_rows,
    STREAMED_STEPS = sizeof streamed_steps / sizeof *streamed_steps,
    STREAMED_MORE = sizeof streamed_more / sizeof *streamed_more,
    STREAMED = STREAMED_KINDS * TYPES * STREAMED_ROWS * STREAMED_STEPS,
};

static int64_t
stored_bytes(int type)
{
    const char *name = types[type].stored[0];
    const int64_t bits = atoll(name + strcspn(name, "0123456789"));

    return bits / 8;
}

static void
streamed(maker *m, const kind *k, int64_t row)
{
    sizes z = { .of = { 2, streamed_rows[row % STREAMED_ROWS] } };

    z.of[3] = streamed_steps[row / STREAMED_ROWS % STREAMED_STEPS];
    z.of[2] = LARGE / (z.of[3] * stored_bytes(m->type)) + streamed_more[row % STREAMED_MORE];
    finish(m, product(m, &z, k), k->tail);
}

/* -- programs -- */

static const int64_t few_rows = (int64_t)KINDS * TYPES;

int64_t
sized_streamed(void)
{
    return few_rows * sizes_rows(SIZES_FEW) + KINDS * sizes_rows(SIZES_MATTER);
}

int64_t
sized_kind(const char *name, int64_t *step)
{
    int64_t i = 0;

    while (i < KINDS && strcmp(kinds[i].name, name) != 0)
        i++;
    *step = KINDS;
    return i < KINDS ? i : -1;
}

int64_t
sized_count(void)
{
    return sized_streamed() + STREAMED;
}

static sizes
sizes_of(const int64_t *table, int64_t n, int64_t row)
{
    sizes z;

    for (int i = 0; i < AXES; i++)
        z.of[i] = sizes_row(table, n, row, i);
    for (int i = 0; i < 2; i++)
        z.attribute[i] = sizes_level(n, row, ATTRIBUTE + i);
    return z;
}

static void
body(maker *m, sizes *z, const kind *k, int64_t row)
{
    if (!k->y) {
        convolve(m, z, k, row);
        return;
    }
    fusion(z, ir_format(m->a, "%s%s", k->x, k->y), WORK, row);
    fusion(z, k->x, ELEMENTS, row);
    fusion(z, k->y, ELEMENTS, row);
    finish(m, product(m, z, k), k->tail);
}

/* Number i of those of the tables; the kind. */
static const kind *
of_tables(maker *m, int64_t number)
{
    const int64_t few = few_rows * sizes_rows(SIZES_FEW),
                  i = number < few ? number : number - few;
    const kind *k = &kinds[i % KINDS];
    const int64_t row = number < few ? i / few_rows : i / KINDS;
    sizes z = number < few ? sizes_of(sizes_few, SIZES_FEW, row)
                           : sizes_of(sizes_that_matter, SIZES_MATTER, row);

    m->type =
        (int)(number < few ? i / KINDS % TYPES : sizes_level(SIZES_MATTER, row, TYPE) % TYPES);
    body(m, &z, k, row);
    return k;
}

static const kind *
of_streamed(maker *m, int64_t i)
{
    const kind *k = &kinds[streamed_kinds[i % STREAMED_KINDS]];

    m->type = (int)(i / STREAMED_KINDS % TYPES);
    streamed(m, k, i / STREAMED_KINDS / TYPES);
    return k;
}

sized
sized_make(ir_arena *a, int64_t number)
{
    maker m = { .a = a };

    ir_buf_init(&m.head, a);
    ir_buf_init(&m.body, a);
    ir_buf_init(&m.ret, a);
    ir_buf_init(&m.results, a);
    const kind *k = number < sized_streamed() ? of_tables(&m, number)
                                              : of_streamed(&m, number - sized_streamed());
    return (sized){ number, k->name,
                    ir_format(a, "fn @f(%s) -> (%s) {\n%s  ret %s\n}\n", m.head.text,
                              m.results.text, m.body.n ? m.body.text : "", m.ret.text),
                    types[m.type].stored[0] };
}
