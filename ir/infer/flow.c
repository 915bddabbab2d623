/* Types of ops with sub-functions: the sub-functions' signatures must meet the operands, and
 * each other.  Types are interned, so equal types are equal pointers.
 *
 * The mapped forms of cond and while have a predicate with leading axes B; then every operand
 * and result of the branches, or every carry, has the axes B first. */
#include "ir/infer/infer.h"

enum { MAX_SPREAD_AXIS = 255 };

static const ir_type *
input_type(const ir_graph *f, int i)
{
    return ir_type_at(f, f->in[i]);
}

static const ir_type *
output_type(const ir_graph *f, int i)
{
    return ir_type_at(f, f->out[i]);
}

static int
sub_is(const infer_ctx *c, const ir_graph *f, const char *what, int n_in, int n_out)
{
    if (!f)
        return INFER_FAIL(c, ERR_attr_missing, what);
    if (f->n_in != n_in)
        return INFER_FAIL(c, ERR_sub_count, what, f->n_in, "inputs", n_in);
    if (n_out >= 0 && f->n_out != n_out)
        return INFER_FAIL(c, ERR_sub_count, what, f->n_out, "outputs", n_out);
    return 0;
}

static int
sub_takes(const infer_ctx *c, const ir_graph *f, const char *what, int i, const ir_type *wanted)
{
    if (input_type(f, i) == wanted)
        return 0;
    return INFER_FAIL(c, ERR_sub_type, what, "input", i, infer_str(c, input_type(f, i)),
                      infer_str(c, wanted));
}

static int
sub_gives(const infer_ctx *c, const ir_graph *f, const char *what, int i, const ir_type *wanted)
{
    if (output_type(f, i) == wanted)
        return 0;
    return INFER_FAIL(c, ERR_sub_type, what, "output", i, infer_str(c, output_type(f, i)),
                      infer_str(c, wanted));
}

/* t has the axes of the predicate first. */
static int
mapped_by(const infer_ctx *c, const ir_type *predicate, const char *what, int i,
          const ir_type *t)
{
    bool ok = t->rank >= predicate->rank;

    for (int k = 0; ok && k < predicate->rank; k++)
        ok = t->dims[k] == predicate->dims[k];
    if (ok)
        return 0;
    return INFER_FAIL(c, ERR_mapped_axes, infer_str(c, predicate), what, i, infer_str(c, t));
}

static void
give(const infer_ctx *c, int i, const ir_type *t)
{
    if (i < c->cap)
        c->out[i] = t;
}

int
infer_call(const infer_ctx *c)
{
    const ir_graph *f = c->at->call.body;

    if (c->at->call.remat < 0 || c->at->call.remat >= IR_REMAT_COUNT)
        return INFER_FAIL(c, ERR_attr_wrong, "remat is out of range; wants 0, 1 or 2");
    if (sub_is(c, f, "body", c->n_in, -1) < 0)
        return -1;
    for (int i = 0; i < c->n_in; i++)
        if (sub_takes(c, f, "body", i, c->in[i]) < 0)
            return -1;
    for (int i = 0; i < f->n_out; i++)
        give(c, i, output_type(f, i));
    return f->n_out;
}

/* One branch against the operands, and against the results of the first. */
static int
branch_ok(const infer_ctx *c, const ir_graph *f, int k, const ir_graph *first)
{
    char what[32];

    snprintf(what, sizeof what, "branch %d", k);
    if (sub_is(c, f, what, c->n_in - 1, first->n_out) < 0)
        return -1;
    for (int i = 0; i < f->n_in; i++)
        if (sub_takes(c, f, what, i, c->in[i + 1]) < 0)
            return -1;
    for (int i = 0; i < f->n_out; i++)
        if (sub_gives(c, f, what, i, output_type(first, i)) < 0)
            return -1;
    return 0;
}

int
infer_cond(const infer_ctx *c)
{
    ir_graphs g = c->at->cond.branches;

    if (c->n_in < 1)
        return INFER_FAIL(c, ERR_operand_count, c->n_in, 1);
    if (g.n < 1 || !g.at[0])
        return INFER_FAIL(c, ERR_attr_missing, "branches");
    const ir_type *x = c->in[0];
    if (infer_dtype_is(c, 0, infer_is_bits(x->dtype), "an integer or bool") < 0)
        return -1;
    for (int i = 0; i < g.n; i++)
        if (branch_ok(c, g.at[i], i, g.at[0]) < 0)
            return -1;
    for (int i = 1; i < c->n_in; i++)
        if (mapped_by(c, x, "operand", i, c->in[i]) < 0)
            return -1;
    for (int i = 0; i < g.at[0]->n_out; i++) {
        if (mapped_by(c, x, "output", i, output_type(g.at[0], i)) < 0)
            return -1;
        give(c, i, output_type(g.at[0], i));
    }
    return g.at[0]->n_out;
}

int
infer_while(const infer_ctx *c)
{
    const ir_graph *cond = c->at->loop.cond, *body = c->at->loop.body;
    int64_t consts = c->at->loop.consts;

    if (consts < 0 || consts > c->n_in)
        return INFER_FAIL(c, ERR_attr_value, "consts", (long long)consts,
                          "at most the number of operands");
    if (c->at->loop.max < 0)
        return INFER_FAIL(c, ERR_attr_value, "max", (long long)c->at->loop.max, "0 or more");
    int n = (int)consts, carries = c->n_in - n;
    if (sub_is(c, cond, "cond", c->n_in, 1) < 0 ||
        sub_is(c, body, "body", c->n_in, carries) < 0)
        return -1;
    const ir_type *p = output_type(cond, 0);
    if (p->dtype != COT_BOOL)
        return INFER_FAIL(c, ERR_sub_type, "cond", "output", 0, infer_str(c, p), "bool");
    for (int i = 0; i < c->n_in; i++)
        if (sub_takes(c, cond, "cond", i, c->in[i]) < 0 ||
            sub_takes(c, body, "body", i, c->in[i]) < 0)
            return -1;
    for (int i = 0; i < carries; i++) {
        if (sub_gives(c, body, "body", i, c->in[n + i]) < 0 ||
            mapped_by(c, p, "carry", i, c->in[n + i]) < 0)
            return -1;
        give(c, i, c->in[n + i]);
    }
    return carries;
}

/* Operand i of a scan, sliced on its first axis, is what the body takes. */
static int
scan_slice_ok(const infer_ctx *c, const ir_graph *body, int i)
{
    const ir_type *x = c->in[i];

    if (x->rank < 1 || x->dims[0] != c->at->scan.length)
        return INFER_FAIL(c, ERR_operand_type, i, infer_str(c, x),
                          ir_format(c->b->arena, "size %lld, the length, on axis 0",
                                    (long long)c->at->scan.length));
    return sub_takes(c, body, "body", i, ir_type_close(c->b->ctx, x, 0));
}

int
infer_scan(const infer_ctx *c)
{
    const ir_graph *body = c->at->scan.body;
    int64_t consts = c->at->scan.consts, carries = c->at->scan.carries;

    if (consts < 0 || consts > c->n_in)
        return INFER_FAIL(c, ERR_attr_value, "consts", (long long)consts,
                          "at most the number of operands");
    if (carries < 0 || carries > c->n_in - consts)
        return INFER_FAIL(c, ERR_attr_value, "carries", (long long)carries,
                          "at most the number of operands after consts");
    if (c->at->scan.length < 0)
        return INFER_FAIL(c, ERR_attr_value, "length", (long long)c->at->scan.length,
                          "0 or more");
    if (c->at->scan.spread_axis < 0 || c->at->scan.spread_axis > MAX_SPREAD_AXIS)
        return INFER_FAIL(c, ERR_attr_value, "spread_axis", (long long)c->at->scan.spread_axis,
                          "0 to 255");
    if (c->at->scan.spread && carries)
        return INFER_FAIL(c, ERR_attr_value, "carries", (long long)carries,
                          "0 where the scan is spread");
    if (sub_is(c, body, "body", c->n_in, -1) < 0)
        return -1;
    int fixed = (int)(consts + carries);
    if (body->n_out < carries)
        return INFER_FAIL(c, ERR_sub_count, "body", body->n_out, "outputs", (int)carries);
    for (int i = 0; i < c->n_in; i++)
        if ((i < fixed ? sub_takes(c, body, "body", i, c->in[i]) : scan_slice_ok(c, body, i)) <
            0)
            return -1;
    for (int i = 0; i < body->n_out; i++) {
        const ir_type *t = output_type(body, i);

        if (i < carries && sub_gives(c, body, "body", i, c->in[consts + i]) < 0)
            return -1;
        if (i >= carries && t->rank == COT_MAX_RANK)
            return INFER_FAIL(c, ERR_rank_limit, t->rank + 1);
        if (i >= carries) {
            int64_t dims[COT_MAX_RANK] = { c->at->scan.length };

            memcpy(dims + 1, t->dims, sizeof *dims * (size_t)t->rank);
            t = infer_shaped(c, t, t->rank + 1, dims);
            if (!t)
                return -1;
        }
        give(c, i, t);
    }
    return body->n_out;
}
