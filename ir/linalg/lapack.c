/* eigh, svd and eig of more than IR_LA_SMALL rows are LAPACK's, which is loaded when it is
 * first needed.
 *
 * The node is a call of C code (custom_call) without derivative rules: transforms see the op
 * itself.  Where the call is left when kernels are made, the program depends on this machine,
 * so that objects, C source and PTX refuse it.  The evaluator and compiled code call the same
 * library, which is told to use one thread, and have the same bits.  Complex arrays are passed
 * as pairs.
 *
 * LAPACK reads columns where we have rows, so it is given x^T.  For a Hermitian x the vectors
 * are then conjugated; for a general x left and right vectors are exchanged and conjugated.
 * For svd, x^T = conj(v) s u^T, whose factors, read in rows, are those of x.
 *
 * Source: E. Anderson et al., LAPACK Users' Guide, 3rd ed., SIAM 1999: syevd, heevd, gesdd,
 * geev. */
#include "ir/linalg/lapack.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

typedef enum attr { KIND, COMPLEX, FULL, ATTRS } attr;

static const char *const names[] = { "lapack.eigh", "lapack.svd", "lapack.eig" };

/* ---- the library ---- */

typedef void routine(void);

/* The routine of a kind for an element type; NULL: there is none on this machine. */
static routine *
find(ir_la_kind kind, bool complex, bool wide)
{
    static const char *const file[] = { "libopenblas.so.0", "liblapack.so.3", "libopenblas.so",
                                        "liblapack.so" };
    static const char *const stem[] = { "syevd_", "gesdd_", "geev_" };
    char name[16] = { complex ? (wide ? 'z' : 'c') : (wide ? 'd' : 's') };
    routine *f = NULL;

    strcat(name, kind == IR_LA_EIGH && complex ? "heevd_" : stem[kind]);
    for (size_t i = 0; i < sizeof file / sizeof *file && !f; i++) {
        /* stays: a further one only counts */
        void *lib = dlopen(file[i], RTLD_NOW | RTLD_LOCAL);
        void *at = lib ? dlsym(lib, name) : NULL,
             *threads = lib ? dlsym(lib, "openblas_set_num_threads") : NULL;
        memcpy(&f, &at, sizeof f);
        if (at && threads) {
            void (*set)(int);
            memcpy(&set, &threads, sizeof set);
            set(1);
        }
    }
    return f;
}

/* ---- one matrix ---- */

/* A call for matrices of m rows and n columns.  Sizes of elements: of a number, of a real
 * one. */
typedef struct job {
    ir_la_kind kind;
    bool complex, wide;
    int m, n, k, us, vs;            /* k: the smaller size; columns of u, rows of v */
    size_t number, real;
    routine *f;
    void *x, *work, *rwork, *iwork; /* x: a copy, which LAPACK overwrites */
    int lwork, lrwork, liwork;
    void *re, *im, *packed;         /* of real eigenvalues and vectors that are conjugates */
} job;

/* Computes the sizes of the work arrays, as LAPACK's documentation states them, with blocks of
 * 64. */
static void
measure(job *j)
{
    const double m = j->m, n = j->n, k = j->k, most = m > n ? m : n;
    double work = 0, rwork = 0;

    if (j->kind == IR_LA_EIGH) {
        work = j->complex ? 2 * n + n * n + 64 * n : 1 + 6 * n + 2 * n * n + 64 * n;
        rwork = 1 + 5 * n + 2 * n * n;
    } else if (j->kind == IR_LA_SVD) {
        work = 4 * k * k + 8 * k + most + 64 * (m + n);
        rwork = 5 * k * k + 5 * k + 2 * most * k + 2 * k * k + k;
    } else {
        work = 68 * n;
        rwork = 2 * n;
    }
    j->lwork = (int)work, j->lrwork = j->complex ? (int)rwork : 0,
    j->liwork = (int)(8 * most + 3);
}

static bool
take(job *j)
{
    const size_t n = (size_t)j->n;

    measure(j);
    j->x = malloc(j->number * (size_t)j->m * n);
    j->work = malloc(j->number * (size_t)j->lwork);
    j->rwork = malloc(j->real * (size_t)j->lrwork + 1);
    j->iwork = malloc(sizeof(int) * (size_t)j->liwork);
    j->re = malloc(j->real * n), j->im = malloc(j->real * n);
    j->packed = malloc(2 * j->number * n * n);
    return j->x && j->work && j->rwork && j->iwork && j->re && j->im && j->packed;
}

static void
drop(job *j)
{
    void *all[] = { j->x, j->work, j->rwork, j->iwork, j->re, j->im, j->packed };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static double
real_at(const job *j, const void *x, size_t i)
{
    return j->wide ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

static void
set_real(const job *j, void *x, size_t i, double value)
{
    if (j->wide)
        ((double *)x)[i] = value;
    else
        ((float *)x)[i] = (float)value;
}

/* w in out[0], vectors in rows in out[1]. */
static int
eigh(job *j, void *const *out)
{
    typedef void real(const char *, const char *, const int *, void *, const int *, void *,
                      void *, const int *, void *, const int *, int *, size_t, size_t);
    typedef void pair(const char *, const char *, const int *, void *, const int *, void *,
                      void *, const int *, void *, const int *, void *, const int *, int *,
                      size_t, size_t);
    int info = 0;

    memcpy(out[1], j->x, j->number * (size_t)j->n * (size_t)j->n);
    if (j->complex)
        ((pair *)j->f)("V", "U", &j->n, out[1], &j->n, out[0], j->work, &j->lwork, j->rwork,
                       &j->lrwork, j->iwork, &j->liwork, &info, 1, 1);
    else
        ((real *)j->f)("V", "U", &j->n, out[1], &j->n, out[0], j->work, &j->lwork, j->iwork,
                       &j->liwork, &info, 1, 1);
    return info;
}

/* u in out[0], s in out[1], v^H in out[2]. */
static int
svd(job *j, void *const *out)
{
    typedef void real(const char *, const int *, const int *, void *, const int *, void *,
                      void *, const int *, void *, const int *, void *, const int *, void *,
                      int *, size_t);
    typedef void pair(const char *, const int *, const int *, void *, const int *, void *,
                      void *, const int *, void *, const int *, void *, const int *, void *,
                      void *, int *, size_t);
    const char *what = j->us > j->k || j->vs > j->k ? "A" : "S";
    int info = 0;

    if (j->complex)
        ((pair *)j->f)(what, &j->n, &j->m, j->x, &j->n, out[1], out[2], &j->n, out[0], &j->us,
                       j->work, &j->lwork, j->rwork, j->iwork, &info, 1);
    else
        ((real *)j->f)(what, &j->n, &j->m, j->x, &j->n, out[1], out[2], &j->n, out[0], &j->us,
                       j->work, &j->lwork, j->iwork, &info, 1);
    return info;
}

/* Vectors of a real matrix, as columns of complex numbers; LAPACK stores the vectors of a
 * conjugate pair as a column of real parts and one of imaginary parts. */
static void
unpack(const job *j, const void *from, void *to)
{
    const size_t n = (size_t)j->n;

    for (size_t c = 0; c < n; c++) {
        const double im = real_at(j, j->im, c);
        const size_t re_at = n * (im < 0 ? c - 1 : c), im_at = re_at + n;
        for (size_t i = 0; i < n; i++) {
            const double part = im == 0 ? 0 : real_at(j, from, im_at + i);
            set_real(j, to, 2 * (c * n + i), real_at(j, from, re_at + i));
            set_real(j, to, 2 * (c * n + i) + 1, im < 0 ? -part : part);
        }
    }
}

/* w in out[0]; the vectors of x^T in rows: left ones in out[1], right ones in out[2]. */
static int
eig(job *j, void *const *out)
{
    typedef void real(const char *, const char *, const int *, void *, const int *, void *,
                      void *, void *, const int *, void *, const int *, void *, const int *,
                      int *, size_t, size_t);
    typedef void pair(const char *, const char *, const int *, void *, const int *, void *,
                      void *, const int *, void *, const int *, void *, const int *, void *,
                      int *, size_t, size_t);
    const size_t n = (size_t)j->n;
    char *right = (char *)j->packed + j->number * n * n;
    int info = 0;

    if (j->complex) {
        ((pair *)j->f)("V", "V", &j->n, j->x, &j->n, out[0], out[1], &j->n, out[2], &j->n,
                       j->work, &j->lwork, j->rwork, &info, 1, 1);
        return info;
    }
    ((real *)j->f)("V", "V", &j->n, j->x, &j->n, j->re, j->im, j->packed, &j->n, right, &j->n,
                   j->work, &j->lwork, &info, 1, 1);
    for (size_t i = 0; i < n && info == 0; i++) {
        set_real(j, out[0], 2 * i, real_at(j, j->re, i));
        set_real(j, out[0], 2 * i + 1, real_at(j, j->im, i));
    }
    if (info == 0) {
        unpack(j, j->packed, out[1]);
        unpack(j, right, out[2]);
    }
    return info;
}

/* ---- the call ---- */

static bool
all_finite(const job *j, const void *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(real_at(j, x, i)))
            return false;
    return true;
}

/* A batch; what has elements that are not finite, or does not converge, becomes NaN. */
static int
run(const ir_custom *c, const ir_attrs *at, void *const *out, const void *const *in)
{
    static int (*const one[])(job *, void *const *) = { eigh, svd, eig };
    const ir_graph *f = at->custom.forward;
    const ir_type *x = ir_type_at(f, f->in[0]);
    const int64_t *a = at->custom.attrs.at;
    const bool wide = x->dtype == COT_F64, complex = a[COMPLEX];
    job j = { .kind = (ir_la_kind)a[KIND],
              .complex = complex,
              .wide = wide,
              .m = (int)x->dims[1],
              .n = (int)x->dims[2] };
    int status = 0;

    (void)c;
    j.k = j.m < j.n ? j.m : j.n;
    j.us = a[FULL] ? j.m : j.k, j.vs = a[FULL] ? j.n : j.k;
    j.real = wide ? 8 : 4, j.number = complex ? 2 * j.real : j.real;
    j.f = find(j.kind, complex, wide);
    if (!j.f || !take(&j))
        status = 1;
    for (int64_t e = 0; e < x->dims[0] && status == 0; e++) {
        void *y[3];
        const size_t parts = (size_t)(x->size / x->dims[0]);
        const void *from = (const char *)in[0] + (size_t)e * parts * j.real;
        for (int k = 0; k < f->n_out; k++)
            y[k] = (char *)out[k] +
                   (size_t)e * (size_t)(ir_type_at(f, f->out[k])->size / x->dims[0]) * j.real;
        memcpy(j.x, from, parts * j.real);
        if (all_finite(&j, from, parts) && one[j.kind](&j, y) == 0)
            continue;
        for (int k = 0; k < f->n_out; k++)
            for (int64_t i = 0; i < ir_type_at(f, f->out[k])->size / x->dims[0]; i++)
                set_real(&j, y[k], (size_t)i, (double)NAN);
    }
    drop(&j);
    return status;
}

static const ir_custom calls[] = {
    { .name = "lapack.eigh", .run = run },
    { .name = "lapack.svd", .run = run },
    { .name = "lapack.eig", .run = run },
};

const ir_custom *
ir_la_lapack_find(const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, name) == 0)
            return &calls[i];
    return NULL;
}

/* ---- the node ---- */

/* Complex numbers as pairs on a last axis, and back. */
static ir_ref
as_pairs(ir_build *b, ir_ref x)
{
    ir_ref part[2] = { ir_op1(b, OP_real, x), ir_op1(b, OP_imag, x) };

    for (int p = 0; p < 2; p++)
        part[p] = part[p] ? ir_broadcast_axis(b, part[p], ir_btype(b, x)->rank, 1) : IR_NONE;
    return ir_concatenate(b, 2, part, x ? ir_btype(b, x)->rank : 0);
}

static ir_ref
from_pairs(ir_build *b, ir_ref y)
{
    ir_ref part[2] = { IR_NONE, IR_NONE };

    for (int p = 0; y && p < 2; p++) {
        const ir_type *t = ir_btype(b, y);
        part[p] =
            ir_reshape(b, ir_slice_axis(b, y, t->rank - 1, p, p + 1), t->rank - 1, t->dims);
    }
    return ir_op2(b, OP_complex, part[0], part[1]);
}

typedef struct result {
    bool complex;
    int rank;
    int64_t dims[4];
} result;

/* [batch, rows, cols], or cols 0: [batch, rows]. */
static result
shape(bool complex, int64_t batch, int64_t rows, int64_t cols)
{
    return (result){ complex, cols ? 3 : 2, { batch, rows, cols } };
}

static int
results(ir_la_kind kind, bool complex, bool full, const int64_t *d, result *r)
{
    const int64_t m = d[1], n = d[2], k = m < n ? m : n;

    if (kind == IR_LA_EIGH) {
        r[0] = shape(false, d[0], n, 0), r[1] = shape(complex, d[0], n, n);
        return 2;
    }
    r[0] = kind == IR_LA_SVD ? shape(complex, d[0], m, full ? m : k) : shape(true, d[0], n, 0);
    r[1] = kind == IR_LA_SVD ? shape(false, d[0], k, 0) : shape(true, d[0], n, n);
    r[2] = kind == IR_LA_SVD ? shape(complex, d[0], full ? n : k, n) : shape(true, d[0], n, n);
    return 3;
}

/* Its types, and nothing else. */
static ir_graph *
types(ir_build *b, const ir_type *x, int n, result *r)
{
    ir_build *s = ir_build_new(b->ctx, "lapack.types");
    ir_graph *g = NULL;

    ir_input(s, x, NULL);
    for (int i = 0; i < n; i++) {
        if (r[i].complex)
            r[i].dims[r[i].rank++] = 2;
        ir_output(s, ir_zeros(s, ir_type_new(b->ctx, x->dtype, r[i].rank, r[i].dims)));
    }
    cot_status status = ir_build_end(s, &g);
    b->status = b->status == COT_OK ? status : b->status;
    return g;
}

void
ir_la_lapack(ir_build *b, ir_la_kind kind, bool full, ir_ref x, ir_ref *y)
{
    const bool complex = ir_la_is_complex(b, x);
    const int64_t attrs[ATTRS] = { kind, complex, full };
    ir_ref in = complex ? as_pairs(b, x) : x;
    result r[3];

    y[0] = y[1] = y[2] = IR_NONE;
    if (!in)
        return;
    if (!find(kind, complex, ir_btype(b, in)->dtype == COT_F64)) {
        ir_build_fail(b, names[kind] + 7, ERR_lapack_missing,
                      ir_type_str(b->ctx, ir_btype(b, x)));
        return;
    }
    const int n = results(kind, complex, full, ir_btype(b, x)->dims, r);
    ir_graph *g = types(b, ir_btype(b, in), n, r);
    if (!g)
        return;
    ir_attrs at = { .custom = { .name = ir_intern(b->ctx, names[kind]),
                                .attrs = { ATTRS, attrs },
                                .opaque = 1,
                                .forward = g } };
    ir_add_node(b, OP_custom_call, 1, &in, &at, y);
    for (int i = 0; i < n; i++)
        y[i] = r[i].complex ? from_pairs(b, y[i]) : y[i];
}
