/* Ops that the project defines by graphs of smaller ops, from their definitions: see raw.h.
 * A matrix is n by m in row-major order, in numbers of double precision. */
#include <math.h>
#include <stdlib.h>

#include "tests/raw/raw.h"

enum { MAX_SIZE = 64 };
typedef struct matrix {
    int64_t n, m;
    raw_number at[MAX_SIZE][MAX_SIZE];
} matrix;

static bool
fits(const ir_type *t)
{
    return t->rank >= 2 && t->dims[t->rank - 1] <= MAX_SIZE && t->dims[t->rank - 2] <= MAX_SIZE;
}

/* Matrix `which` of a batch. */
static void
get(const ir_type *t, const void *array, int64_t which, matrix *x)
{
    x->n = t->dims[t->rank - 2];
    x->m = t->dims[t->rank - 1];
    for (int64_t i = 0; i < x->n; i++)
        for (int64_t j = 0; j < x->m; j++)
            x->at[i][j] = raw_load(t, array, (which * x->n + i) * x->m + j);
}

static void
put(const ir_type *t, void *array, int64_t which, const matrix *x)
{
    for (int64_t i = 0; i < x->n; i++)
        for (int64_t j = 0; j < x->m; j++)
            raw_store(t, array, (which * x->n + i) * x->m + j, x->at[i][j]);
}

/* L from the top left to the bottom right, by x[i][j] = sum of L[i][k] conj(L[j][k]). */
static void
cholesky(matrix *x)
{
    for (int64_t j = 0; j < x->n; j++)
        for (int64_t i = 0; i < x->n; i++) {
            raw_number s = x->at[i][j];
            for (int64_t k = 0; k < j; k++)
                s -= x->at[i][k] * conj(x->at[j][k]);
            x->at[i][j] = i < j ? 0 : i == j ? sqrt(creal(s)) : s / x->at[j][j];
        }
}

/* Rows are exchanged so that the first largest element is on the diagonal; the number of
 * exchanges. */
static int
eliminate(matrix *x, int64_t *pivot, int64_t *order)
{
    const int64_t steps = x->n < x->m ? x->n : x->m;
    int exchanges = 0;

    for (int64_t i = 0; i < x->n; i++)
        order[i] = i;
    for (int64_t k = 0; k < steps; k++) {
        int64_t p = k;
        for (int64_t i = k + 1; i < x->n; i++)
            if (cabs(x->at[i][k]) > cabs(x->at[p][k]))
                p = i;
        pivot[k] = p;
        exchanges += p != k;
        for (int64_t j = 0; j < x->m; j++) {
            const raw_number z = x->at[k][j];
            x->at[k][j] = x->at[p][j];
            x->at[p][j] = z;
        }
        const int64_t o = order[k];
        order[k] = order[p];
        order[p] = o;
        for (int64_t i = k + 1; i < x->n; i++) {
            x->at[i][k] /= x->at[k][k];
            for (int64_t j = k + 1; j < x->m; j++)
                x->at[i][j] -= x->at[i][k] * x->at[k][j];
        }
    }
    return exchanges;
}

static raw_number
determinant(matrix *x)
{
    int64_t pivot[MAX_SIZE], order[MAX_SIZE];
    raw_number z = eliminate(x, pivot, order) % 2 ? -1 : 1;

    for (int64_t i = 0; i < x->n; i++)
        z *= x->at[i][i];
    return z;
}

/* Gauss and Jordan, the largest element of a column as its pivot. */
static void
inverse(matrix *x, matrix *y)
{
    y->n = y->m = x->n;
    for (int64_t i = 0; i < x->n; i++)
        for (int64_t j = 0; j < x->n; j++)
            y->at[i][j] = i == j;
    for (int64_t k = 0; k < x->n; k++) {
        int64_t p = k;
        for (int64_t i = k + 1; i < x->n; i++)
            if (cabs(x->at[i][k]) > cabs(x->at[p][k]))
                p = i;
        const raw_number d = x->at[p][k];
        for (int64_t j = 0; j < x->n; j++) {
            const raw_number u = x->at[p][j], v = y->at[p][j];
            x->at[p][j] = x->at[k][j], y->at[p][j] = y->at[k][j];
            x->at[k][j] = u / d, y->at[k][j] = v / d;
        }
        for (int64_t i = 0; i < x->n; i++) {
            const raw_number c = i == k ? 0 : x->at[i][k];
            for (int64_t j = 0; j < x->n; j++)
                x->at[i][j] -= c * x->at[k][j], y->at[i][j] -= c * y->at[k][j];
        }
    }
}

/* The triangle that is read, the other one 0, as the matrix that multiplies. */
static void
triangle(const ir_node *n, matrix *x)
{
    for (int64_t i = 0; i < x->n; i++)
        for (int64_t j = 0; j < x->n; j++)
            x->at[i][j] = i == j && n->at->triangle.unit ? 1
                          : n->at->triangle.upper        ? (j < i ? 0 : x->at[i][j])
                          : j > i                        ? 0
                                                         : x->at[i][j];
    for (int64_t i = 0; i < x->n && n->at->triangle.transposed; i++)
        for (int64_t j = 0; j < i; j++) {
            const raw_number z = x->at[i][j];
            x->at[i][j] = x->at[j][i];
            x->at[j][i] = z;
        }
}

static void
multiply(const matrix *x, const matrix *y, matrix *z)
{
    z->n = x->n;
    z->m = y->m;
    for (int64_t i = 0; i < x->n; i++)
        for (int64_t j = 0; j < y->m; j++) {
            z->at[i][j] = 0;
            for (int64_t k = 0; k < x->m; k++)
                z->at[i][j] += x->at[i][k] * y->at[k][j];
        }
}

static void
solve(const raw_node *a, int64_t which, matrix *x, matrix *y, matrix *z)
{
    const ir_type *t = ir_type_at(a->f, a->n->in[1]);

    triangle(a->n, x);
    inverse(x, y);
    get(t, a->in[1], which, x);
    if (a->n->at->triangle.right)
        multiply(x, y, z);
    else
        multiply(y, x, z);
    put(t, a->out[0], which, z);
}

static void
factor(const raw_node *a, int64_t which, matrix *x)
{
    const ir_type *p = ir_type_at(a->f, a->n->first + 1),
                  *o = ir_type_at(a->f, a->n->first + 2);
    const int64_t steps = x->n < x->m ? x->n : x->m;
    int64_t pivot[MAX_SIZE], order[MAX_SIZE];

    eliminate(x, pivot, order);
    put(ir_type_at(a->f, a->n->first), a->out[0], which, x);
    for (int64_t i = 0; i < steps; i++)
        raw_store(p, a->out[1], which * steps + i, (double)pivot[i]);
    for (int64_t i = 0; i < x->n; i++)
        raw_store(o, a->out[2], which * x->n + i, (double)order[i]);
}

static bool
one(const raw_node *a, int64_t which, matrix *x, matrix *y, matrix *z)
{
    const ir_type *t = ir_type_at(a->f, a->n->first);
    raw_number d;

    switch (a->n->op) {
    case OP_cholesky: cholesky(x), put(t, a->out[0], which, x); return true;
    case OP_lu: factor(a, which, x); return true;
    case OP_inverse: inverse(x, y), put(t, a->out[0], which, y); return true;
    case OP_det: raw_store(t, a->out[0], which, determinant(x)); return true;
    case OP_slogdet:
        d = determinant(x);
        raw_store(t, a->out[0], which, d == 0 ? 0 : d / cabs(d));
        raw_store(ir_type_at(a->f, a->n->first + 1), a->out[1], which, log(cabs(d)));
        return true;
    case OP_triangular_solve: solve(a, which, x, y, z); return true;
    default: return false;
    }
}

bool
raw_linalg(const raw_node *a)
{
    const ir_type *t = ir_type_at(a->f, a->n->in[0]);
    matrix *x = malloc(3 * sizeof *x);
    bool good = fits(t) && fits(ir_type_at(a->f, a->n->in[a->n->op == OP_triangular_solve]));

    for (int64_t k = 0;
         good && t->size && k < t->size / (t->dims[t->rank - 1] * t->dims[t->rank - 2]); k++) {
        get(t, a->in[0], k, x);
        good = one(a, k, x, x + 1, x + 2);
    }
    free(x);
    return good && t->size;
}
