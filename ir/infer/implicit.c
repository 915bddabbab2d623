/* Types of linear_solve and root: all parts agree on the consts and on the unknowns. */
#include "ir/infer/infer.h"

/* Part k takes the consts, then `times` the types of the operands after them, and gives
 * those types. */
static int
part_fits(const infer_ctx *c, int k, const char *what, int times)
{
    const ir_graph *g = c->at->implicit.parts.at[k];
    const int consts = (int)c->at->implicit.consts, n = c->n_in - consts;

    if (g->n_in != consts + times * n)
        return INFER_FAIL(c, ERR_sub_count, what, g->n_in, "inputs", consts + times * n);
    if (g->n_out != n)
        return INFER_FAIL(c, ERR_sub_count, what, g->n_out, "outputs", n);
    for (int i = 0; i < g->n_in; i++) {
        const ir_type *t = ir_type_at(g, g->in[i]),
                      *want = c->in[i < consts ? i : consts + (i - consts) % n];
        if (t != want)
            return INFER_FAIL(c, ERR_sub_type, what, "input", i, infer_str(c, t),
                              infer_str(c, want));
    }
    for (int j = 0; j < n; j++) {
        const ir_type *t = ir_type_at(g, g->out[j]), *want = c->in[consts + j];
        if (t != want)
            return INFER_FAIL(c, ERR_sub_type, what, "output", j, infer_str(c, t),
                              infer_str(c, want));
    }
    return 0;
}

/* The unknowns are those of part 0; parts from `first` on also have the solution before the
 * others. */
static int
infer_parts(const infer_ctx *c, int n_parts, int first, const char *const *what)
{
    const int64_t consts = c->at->implicit.consts;

    if (c->at->implicit.parts.n != n_parts)
        return INFER_FAIL(c, ERR_attr_wrong,
                          n_parts == 4 ? "parts are not 4" : "parts are not 6");
    if (consts < 0 || consts >= c->n_in)
        return INFER_FAIL(c, ERR_attr_wrong,
                          "consts is out of range; wants at least one operand after them");
    for (int k = 0; k < n_parts; k++)
        if (part_fits(c, k, what[k], k < first ? 1 : 2) < 0)
            return -1;
    for (int i = 0; i < c->n_in - consts; i++) {
        const bool fits = ir_is_inexact(c->in[consts + i]->dtype);
        if (infer_dtype_is(c, (int)consts + i, fits, "a floating or complex type") < 0)
            return -1;
        if (i < c->cap)
            c->out[i] = c->in[consts + i];
    }
    return c->n_in - (int)consts;
}

int
infer_linear_solve(const infer_ctx *c)
{
    static const char *const what[] = { "solve", "matvec", "transposed solve",
                                        "transposed matvec" };
    return infer_parts(c, 4, 4, what);
}

int
infer_root(const infer_ctx *c)
{
    static const char *const what[] = {
        "solve", "f", "tangent solve", "tangent matvec", "transposed solve", "transposed matvec"
    };
    return infer_parts(c, 6, 2, what);
}
