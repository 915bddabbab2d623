/* Linear algebra: StableHLO's two ops, and the calls of LAPACK that JAX makes on CPU.
 *
 * The layouts of a call say how its matrices lie in memory; as values they are matrices, so nothing is left to
 * honour here.  The status that LAPACK gives is 0. */
#include "frontend/stablehlo/rules.h"

#include "ir/diag.h"

static ir_ref
flipped(ir_build *b, ir_ref x)
{
    const int rank = x ? ir_btype(b, x)->rank : 0;

    return rank < 2 ? x : ir_move_axis(b, x, rank - 2, rank - 1);
}

/* x = L L^T of its lower triangle; of the upper one x = U^T U. */
static ir_ref
cholesky(hlo_emit *e, ir_ref x, bool lower)
{
    ir_ref y = ir_op1(e->b, OP_cholesky, lower ? x : flipped(e->b, x));

    return lower ? y : flipped(e->b, y);
}

void
fe_hlo_cholesky(hlo_emit *e)
{
    e->out[0] = cholesky(e, e->in[0], fe_hlo_flag(e, "lower", false));
}

void
fe_hlo_triangular_solve(hlo_emit *e)
{
    const hlo_span how = fe_hlo_enum(e, "transpose_a", NULL);
    const bool conjugate = fe_hlo_is(how, "ADJOINT") && cot_dtype_name(fe_hlo_in_type(e, 0)->dtype)[0] == 'c';
    ir_attrs at = { .triangle = { .right = !fe_hlo_flag(e, "left_side", true),
                                  .upper = !fe_hlo_flag(e, "lower", true),
                                  .transposed = fe_hlo_is(how, "TRANSPOSE") || fe_hlo_is(how, "ADJOINT"),
                                  .unit = fe_hlo_flag(e, "unit_diagonal", false) } };
    ir_ref a = conjugate ? fe_hlo_op(e, "conj", 1, e->in) : e->in[0];

    if (a)
        e->out[0] = ir_node1(e->b, OP_triangular_solve, 2, (const ir_ref[]){ a, e->in[1] }, &at);
}

/* ---- LAPACK ---- */

/* A letter among the options of the call: 'L' of uplo = 76 : ui8. */
static int
option(const hlo_emit *e, const char *name, int absent)
{
    const hlo_attr *a = fe_hlo_find(e->op, "mhlo.backend_config", NULL);

    a = a ? a : fe_hlo_find(e->op, "backend_config", NULL);
    for (int i = 0; a && a->kind == HLO_DICT && i < a->n; i++)
        if (strcmp(a->named[i].name, name) == 0 && a->named[i].value.kind == HLO_INT)
            return (int)a->named[i].value.i;
    return absent;
}

/* The results from i on that are a status: no failure. */
static void
succeed(hlo_emit *e, int i)
{
    for (; i < e->n_out; i++) {
        const ir_type *t = fe_hlo_out_type(e, i);
        if (t)
            e->out[i] = ir_splat_int(e->b, t, 0);
    }
}

static void
potrf(hlo_emit *e)
{
    const ir_type *t = fe_hlo_in_type(e, 0);

    e->out[0] = t->rank < 2 ? IR_NONE : cholesky(e, e->in[0], option(e, "uplo", 'L') == 'L');
    succeed(e, 1);
}

static void
trsm(hlo_emit *e)
{
    const int trans = option(e, "trans_x", 'N');
    const bool complex = cot_dtype_name(fe_hlo_in_type(e, 0)->dtype)[0] == 'c';
    ir_attrs at = { .triangle = { .right = option(e, "side", 'L') == 'R', .upper = option(e, "uplo", 'L') == 'U',
                                  .transposed = trans != 'N', .unit = option(e, "diag", 'N') == 'U' } };
    ir_ref a = trans == 'C' && complex ? fe_hlo_op(e, "conj", 1, e->in) : e->in[0];

    if (a)
        e->out[0] = ir_node1(e->b, OP_triangular_solve, 2, (const ir_ref[]){ a, e->in[1] }, &at);
}

bool
fe_hlo_lapack(hlo_emit *e, hlo_span name)
{
    static const struct {
        const char *name; /* behind "lapack_" and the letter of the type */
        void (*rule)(hlo_emit *);
        int n_in, n_out;
    } row[] = { { "potrf_ffi", potrf, 1, 2 }, { "trsm_ffi", trsm, 2, 1 } };

    if (name.n < 9 || memcmp(name.at, "lapack_", 7) != 0)
        return false;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (fe_hlo_is((hlo_span){ name.at + 8, name.n - 8 }, row[i].name) && e->n_in == row[i].n_in &&
            e->n_out == row[i].n_out) {
            row[i].rule(e);
            return true;
        }
    return false;
}
