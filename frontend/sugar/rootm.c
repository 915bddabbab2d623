/* The square root and the logarithm of a matrix.
 *
 * The root is the limit of the product form of Denman and Beavers' iteration: M and X begin as
 * the matrix, M becomes (2 I + m^2 M + M^-1 / m^2) / 4 and X becomes m X (I + M^-1 / m^2) / 2,
 * until M is I and X the root; m scales the determinant of M to 1 until M is near I.  The
 * logarithm takes roots until the matrix is near I, of which log(I + E) is an integral over E
 * (I + s E)^-1 by Gauss's rule, and doubles as often.  The steps have a fixed number, so that
 * reverse mode goes through them; once converged they change nothing but the last bits, and
 * the derivative converges as the value does.
 * Source: S. Cheng, N. Higham, C. Kenney, A. Laub, Approximating the Logarithm of a Matrix to
 * Specified Accuracy, SIAM J. Matrix Anal. Appl. 22 (2001). */
#include <math.h>

#include "cotrace/linalg.h"

#include "frontend/sugar/written.h"

enum { STEPS = 20, ROOTS = 12, NODES = 8 };

/* [...] as [..., 1, 1]. */
static cot_value
over(cot_place at, cot_value x)
{
    return cot_expand_dims(cot_expand_dims(x, -1), -1);
}

static cot_value
unit(cot_place at, cot_value x)
{
    return cot_eye_(at, fe_open(at, x, "sqrtm"), cot_dtype_of(x), cot_size(x, -1));
}

/* How far x is from I: the Frobenius norm, [...]. */
static cot_value
away(cot_place at, cot_value x)
{
    return cot_matrix_norm(cot_stop_gradient(cot_sub(x, unit(at, x))), COT_NORM_FRO);
}

/* Carries: M, X. */
static void
step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_place at = *(const cot_place *)user;
    cot_value m = in[1], x = in[2], eye = unit(at, m), size;

    (void)t;
    cot_slogdet(cot_stop_gradient(m), &size);
    size = cot_exp(cot_div(size, -2.0 * (double)cot_size(m, -1)));
    size = cot_where(cot_gt(away(at, m), 0.01), size, 1);
    cot_value scale = over(at, cot_convert(size, cot_dtype_of(m)));
    cot_value square = cot_mul(scale, scale), back = cot_div(cot_inv(m), square);
    cot_value sum = cot_add(cot_mul(m, square), back);

    out[0] = cot_mul(cot_add(cot_mul(eye, 2), sum), 0.25);
    out[1] = cot_mul(cot_matmul(x, cot_add(eye, back)), cot_mul(scale, 0.5));
}

/* The root of x, NaN where the iteration does not converge. */
static cot_value
root(cot_place at, cot_trace *t, cot_value x)
{
    cot_value out[2];
    const double near = cot_dtype_of(x) == COT_F32 || cot_dtype_of(x) == COT_C64 ? 1e-3 : 1e-8;

    cot_fori(STEPS, step, .in = COT_VALUES(x, x), .out = out, .user = &at, .t = t);
    return cot_where(over(at, cot_lt(away(at, out[0]), near)), out[1], NAN);
}

static bool
is_square(cot_place at, const char *op, cot_value x)
{
    const cot_dtype t = cot_dtype_of(x);

    if (t == COT_DTYPE_NONE || (!ir_is_complex(t) && !fe_floating(at, op, x)))
        return false;
    if (cot_rank(x) >= 2 && cot_size(x, -1) == cot_size(x, -2))
        return true;
    fe_wrong(at, x, op, ERR_shape_wrong, "x is %s; wants square matrices", fe_type_text(x));
    return false;
}

cot_value
cot_sqrtm_(cot_place at, cot_value x)
{
    cot_trace *t = fe_open(at, x, "sqrtm");

    if (!t || !is_square(at, "sqrtm", x) || cot_count(x) == 0)
        return x;
    return fe_back(at, root(at, t, fe_wide(at, x)), cot_dtype_of(x));
}

/* Nodes from 0 to 1 and weights of Gauss's rule: the zeros of Legendre's polynomial by Newton's
 * method. */
static void
gauss(double *node, double *weight)
{
    for (int i = 0; i < NODES; i++) {
        double x = cos(3.14159265358979323846 * (i + 0.75) / (NODES + 0.5)), slope = 1;
        for (int k = 0; k < 8; k++) {
            double p = 1, before = 0;
            for (int j = 0; j < NODES; j++) {
                const double next = ((2 * j + 1) * x * p - j * before) / (j + 1);
                before = p, p = next;
            }
            slope = NODES * (x * p - before) / (x * x - 1);
            x -= p / slope;
        }
        node[i] = (1 + x) / 2;
        weight[i] = 1 / ((1 - x * x) * slope * slope);
    }
}

/* Carries: the matrix, how many roots were taken. */
static void
take_root(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_place at = *(const cot_place *)user;
    cot_value near = cot_le(away(at, in[1]), 0.25);
    cot_value safe = cot_where(over(at, near), unit(at, in[1]), in[1]);

    out[0] = cot_where(over(at, near), in[1], root(at, t, safe));
    out[1] = cot_add(in[2], cot_where(near, 0, cot_ones(t, cot_type_of(in[2]))));
}

cot_value
cot_logm_(cot_place at, cot_value x)
{
    cot_trace *t = fe_open(at, x, "logm");
    double node[NODES], weight[NODES];
    cot_value out[2];

    if (!t || !is_square(at, "logm", x) || cot_count(x) == 0)
        return x;
    cot_value wide = fe_wide(at, x), none = cot_mul(away(at, wide), 0);
    cot_fori(ROOTS, take_root, .in = COT_VALUES(wide, none), .out = out, .user = &at, .t = t);
    cot_value eye = unit(at, wide), e = cot_sub(out[0], eye), sum = COT_UNSET;
    gauss(node, weight);
    for (int k = 0; k < NODES; k++) {
        cot_value part = cot_solve(cot_add(eye, cot_mul(e, node[k])), e);
        part = cot_mul(part, weight[k]);
        sum = k ? cot_add(sum, part) : part;
    }
    cot_value doubled = cot_convert(cot_exp2(out[1]), cot_dtype_of(wide));
    cot_value near = over(at, cot_le(away(at, out[0]), 0.25));
    return fe_back(at, cot_where(near, cot_mul(sum, over(at, doubled)), NAN), cot_dtype_of(x));
}
