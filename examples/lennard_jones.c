/* Forces between atoms as the gradient of their energy, and the shape that thirteen of them
 * take.
 *
 * The energy of atoms at x is the sum over pairs of 4 (r^-12 - r^-6), in units of the well's
 * depth and width.  Its gradient is compared with the formula that a textbook derives by hand;
 * then the atoms, which start as an icosahedron whose corners are too far out, follow the
 * forces until they rest.  The energy of that cluster is known: D. Wales, J. Doye, Global
 * Optimization by Basin-Hopping, 1997: -44.326801. */
#include <math.h>

#include "cotrace/cotrace.h"

enum { ATOMS = 13, STEPS = 1000 };

/* r^-6 for each pair, and 1 where an atom meets itself. */
static cot_value
inverse_sixth(cot_trace *t, cot_value x, cot_value *apart, cot_value *square)
{
    *apart = cot_sub(cot_expand_dims(x, 1), cot_expand_dims(x, 0));
    *square = cot_add(cot_reduce_sum(cot_square(*apart), .axes = COT_LIST(2)),
                      cot_eye(t, COT_F64, ATOMS));
    return cot_integer_pow(*square, -3);
}

/* Each pair is met twice; an atom meeting itself adds 1 - 1. */
static void
energy(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value apart, square, s = inverse_sixth(t, in[0], &apart, &square);

    (void)user;
    out[0] = cot_mul(2, cot_reduce_sum(cot_sub(cot_mul(s, s), s)));
}

/* By hand: on atom i, the sum over j of 24 (2 r^-12 - r^-6) / r^2 times the vector from j to
 * i. */
static void
textbook(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value apart, square, s = inverse_sixth(t, in[0], &apart, &square);
    cot_value size = cot_div(cot_mul(24, cot_sub(cot_mul(2, cot_mul(s, s)), s)), square);

    (void)user;
    out[0] = cot_einsum("ij,ijk->ik", COT_VALUES(size, apart));
}

/* x + 0.002 force */
static void
follow(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_sub(in[1], cot_mul(0.002, cot_call(cot_grad(user), in[1])));
}

static void
relax(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_fori(STEPS, follow, .in = COT_VALUES(in[0]), .user = user);
}

/* The centre, then (0, 1, g), (1, g, 0), (g, 0, 1) with all signs: edges of length 2, here of
 * 1.2. */
static void
icosahedron(double x[ATOMS][3])
{
    const double g = (1 + sqrt(5)) / 2;

    for (int k = 0; k < 3; k++)
        x[0][k] = 0;
    for (int i = 0; i < 12; i++) {
        int axis = i / 4;
        x[i + 1][axis] = 0;
        x[i + 1][(axis + 1) % 3] = 0.6 * (i & 1 ? -1 : 1);
        x[i + 1][(axis + 2) % 3] = 0.6 * (i & 2 ? -g : g);
    }
}

static double
greatest(const cot_array *a, const cot_array *b, double sign)
{
    const double *x = cot_array_read(a), *y = b ? cot_array_read(b) : NULL;
    double most = 0;

    for (int i = 0; i < 3 * ATOMS; i++)
        most = fmax(most, fabs(x[i] + (y ? sign * y[i] : 0)));
    return most;
}

static cot_status
look(cot_fn *f, const char *name, const cot_array *x)
{
    cot_array *result[2] = { NULL, NULL }, *force = NULL;
    cot_fn *hand = cot_fn_new(cot_fn_context(f), "textbook", textbook, 1, 1, NULL);

    COT_TRY(cot_jit(cot_grad_and_value(f), result, 2, &x, 1));
    COT_TRY(cot_jit(hand, &force, 1, &x, 1));
    double most = greatest(result[0], NULL, 0), off = greatest(result[0], force, 1);
    printf("%s: energy %.6f, greatest force %.4f, ", name,
           *(const double *)cot_array_read(result[1]), most < 5e-5 ? 0.0 : most);
    printf("by hand within 1e-12: %s\n", off < 1e-12 ? "yes" : "no");
    cot_array_free(result[0]), cot_array_free(result[1]), cot_array_free(force);
    return COT_OK;
}

static cot_status
run(cot_context *ctx)
{
    double start[ATOMS][3];
    cot_fn *f = cot_fn_new(ctx, "energy", energy, 1, 1, NULL);
    cot_array *x = cot_array_borrow(ctx, cot_f64(ATOMS, 3), start), *rest = NULL;

    icosahedron(start);
    COT_TRY(look(f, "start", x));
    COT_TRY(cot_jit(cot_fn_new(ctx, "relax", relax, 1, 1, f), &rest, 1,
                    (const cot_array *[]){ x }, 1));
    COT_TRY(look(f, "rest", rest));
    cot_array_free(x), cot_array_free(rest);
    return COT_OK;
}

int
main(void)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_status status = run(ctx);

    if (status != COT_OK)
        fprintf(stderr, "%s\n", cot_error(ctx));
    cot_context_free(ctx);
    return status != COT_OK;
}
