/* Calls, branches, loops and linear algebra as StableHLO has them.
 *
 * A sub-function becomes a private function that regions call.  So the composite of a loop can
 * name it too, and no text is written twice. */
#include "frontend/stablehlo/export/export.h"

#include "ir/diag.h"

static void
call_graph(hlo_write *w, const ir_graph *g, const char *const *in, const char **out)
{
    const ir_type **type = IR_NEW_N(w->a, const ir_type *, g->n_in + g->n_out + 1);

    for (int i = 0; i < g->n_in; i++)
        type[i] = ir_type_at(g, g->in[i]);
    for (int i = 0; i < g->n_out; i++)
        type[g->n_in + i] = ir_type_at(g, g->out[i]);
    fe_hlo_calls(w, fe_hlo_function_of(w, g), g->n_in, in, type, g->n_out, type + g->n_in, out,
                 0);
}

bool
fe_hlo_write_call(hlo_site *s)
{
    fe_hlo_calls(s->w, fe_hlo_function_of(s->w, s->at->call.body), s->n_in, s->in, s->in_type,
                 s->n_out, s->out_type, s->out, s->at->call.remat);
    return true;
}

/* The solver is called: nothing differentiates what was exported. */
bool
fe_hlo_write_solver(hlo_site *s)
{
    call_graph(s->w, s->at->implicit.parts.at[0], s->in, s->out);
    return true;
}

bool
fe_hlo_write_custom_call(hlo_site *s)
{
    return s->at->custom.opaque || s->at->custom.effects ? fe_hlo_no_counterpart(s)
                                                         : fe_hlo_composite_of(s, false);
}

/* ---- branches ---- */

/* The number of the branch as i32, within those there are. */
static const char *
branch_number(hlo_site *s, const ir_type *t)
{
    hlo_write *w = s->w;
    const ir_type *from = s->in_type[0];
    const char *x = s->in[0];

    if (from->dtype == COT_BOOL)
        return fe_hlo_cast(w, t, from, x);
    const char *most = fe_hlo_number_int(w, from, s->at->cond.branches.n - 1),
               *least = fe_hlo_number_int(w, from, 0);
    x = fe_hlo_line1(w, from, "stablehlo.clamp", 3, (const char *const[]){ least, x, most },
                     (const ir_type *const[]){ from, from, from }, "%s", "");
    return fe_hlo_cast(w, t, from, x);
}

/* p ? x : y for x, y whose first axes are those of p. */
static const char *
chosen(hlo_write *w, const ir_type *p_type, const char *p, const ir_type *t, const char *x,
       const char *y)
{
    const ir_type *wide = ir_type_as(w->ctx, t, COT_BOOL);
    int64_t dims[COT_MAX_RANK];

    for (int i = 0; i < p_type->rank; i++)
        dims[i] = i;
    return fe_hlo_select2(w, t, fe_hlo_spread_text(w, wide, p_type, p, p_type->rank, dims), x,
                          y);
}

/* All branches on all examples; each example keeps the results of its own. */
static void
mapped_branches(hlo_site *s, const ir_type *t, const char *number)
{
    hlo_write *w = s->w;
    const ir_graphs g = s->at->cond.branches;
    const char **out = IR_NEW_N(w->a, const char *, s->n_out + 1);
    const ir_type *p_type = ir_type_as(w->ctx, t, COT_BOOL);

    for (int k = g.n - 1; k >= 0; k--) {
        call_graph(w, g.at[k], s->in + 1, k == g.n - 1 ? s->out : out);
        const char *p = k == g.n - 1
                            ? NULL
                            : fe_hlo_compared(w, "EQ", t, number, fe_hlo_number_int(w, t, k));
        for (int i = 0; p && i < s->n_out; i++)
            s->out[i] = chosen(w, p_type, p, s->out_type[i], out[i], s->out[i]);
    }
}

bool
fe_hlo_write_cond(hlo_site *s)
{
    hlo_write *w = s->w;
    const ir_graphs g = s->at->cond.branches;
    const ir_type *t = ir_type_as(w->ctx, s->in_type[0], COT_I32);
    const char *number = branch_number(s, t),
               **out = IR_NEW_N(w->a, const char *, s->n_out + 1);

    if (t->rank > 0) {
        mapped_branches(s, t, number);
        return true;
    }
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = \"stablehlo.case\"(%s) (", fe_hlo_results(w, s->n_out, s->out), number);
    for (int k = 0; k < g.n; k++) {
        fe_hlo_put(w, k ? ", {\n" : "{\n");
        w->indent++;
        call_graph(w, g.at[k], s->in + 1, out);
        fe_hlo_returns(w, s->n_out, out, s->out_type);
        w->indent--;
        fe_hlo_indent(w);
        fe_hlo_put(w, "}");
    }
    fe_hlo_put(w, ")");
    fe_hlo_put_signature(w, 1, &t, s->n_out, s->out_type);
    return true;
}

/* ---- loops ---- */

/* "%r:n = stablehlo.while(%a = %x, ...) : T, ..." and the opening of its condition; the names
 * of the carries. */
static const char **
open_loop(hlo_write *w, int n, const char *const *start, const ir_type *const *type,
          const char **result)
{
    const char **carry = IR_NEW_N(w->a, const char *, n + 1);

    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.while(", fe_hlo_results(w, n, result));
    for (int i = 0; i < n; i++) {
        carry[i] = fe_hlo_new(w);
        fe_hlo_put(w, "%s%s = %s", i ? ", " : "", carry[i], start[i]);
    }
    fe_hlo_put(w, ") : ");
    fe_hlo_put_types(w, n, type);
    fe_hlo_put(w, "\n");
    fe_hlo_indent(w);
    fe_hlo_put(w, "cond {\n");
    w->indent++;
    return carry;
}

static void
between(hlo_write *w, const char *goes_on)
{
    const ir_type *yes = ir_scalar_type(w->ctx, COT_BOOL);

    fe_hlo_returns(w, 1, &goes_on, &yes);
    w->indent--;
    fe_hlo_indent(w);
    fe_hlo_put(w, "} do {\n");
    w->indent++;
}

static void
close_loop(hlo_write *w, int n, const char *const *next, const ir_type *const *type)
{
    fe_hlo_returns(w, n, next, type);
    w->indent--;
    fe_hlo_indent(w);
    fe_hlo_put(w, "}\n");
}

static const char *
any(hlo_write *w, const ir_type *t, const char *p)
{
    const ir_type *yes = ir_scalar_type(w->ctx, COT_BOOL);
    const char *no = fe_hlo_number_int(w, yes, 0), *y = fe_hlo_new(w);

    fe_hlo_indent(w);
    fe_hlo_put(w,
               "%s = stablehlo.reduce(%s init: %s) applies stablehlo.or across dimensions = [",
               y, p, no);
    for (int i = 0; i < t->rank; i++)
        fe_hlo_put(w, "%s%d", i ? ", " : "", i);
    fe_hlo_put(w, "]");
    fe_hlo_put_signature(w, 2, (const ir_type *const[]){ t, yes }, 1, &yes);
    return y;
}

/* A mapped one goes on until no example does, and those that are done stay. */
bool
fe_hlo_write_while(hlo_site *s)
{
    hlo_write *w = s->w;
    const int consts = (int)s->at->loop.consts, n = s->n_out;
    const ir_graph *cond = s->at->loop.cond;
    const ir_type *p_type = ir_type_at(cond, cond->out[0]);
    const char **in = IR_NEW_N(w->a, const char *, s->n_in + 1),
               **next = IR_NEW_N(w->a, const char *, n + 1), *p;
    const char **carry = open_loop(w, n, s->in + consts, s->out_type, s->out);

    for (int i = 0; i < s->n_in; i++)
        in[i] = i < consts ? s->in[i] : carry[i - consts];
    call_graph(w, cond, in, &p);
    between(w, p_type->rank > 0 ? any(w, p_type, p) : p);
    call_graph(w, s->at->loop.body, in, next);
    if (p_type->rank > 0) {
        call_graph(w, cond, in, &p);
        for (int i = 0; i < n; i++)
            next[i] = chosen(w, p_type, p, s->out_type[i], next[i], carry[i]);
    }
    close_loop(w, n, next, s->out_type);
    return true;
}

/* Slice `at` of axis 0, or x put there into `of`. */
static const char *
row(hlo_write *w, const ir_type *of, const char *x, const ir_type *at_type, const char *at,
    const char *zero, const char *of_name)
{
    const ir_type *inner = ir_type_close(w->ctx, of, 0),
                  *one = ir_type_open(w->ctx, inner, 0, 1);
    const char **in = IR_NEW_N(w->a, const char *, of->rank + 2);
    const ir_type **type = IR_NEW_N(w->a, const ir_type *, of->rank + 2);
    int n = 0;

    in[n] = of_name ? of_name : x;
    type[n++] = of;
    if (of_name) {
        in[n] = fe_hlo_as(w, one, inner, x);
        type[n++] = one;
    }
    for (int i = 0; i < of->rank; i++) {
        in[n] = i ? zero : at;
        type[n++] = at_type;
    }
    if (of_name)
        return fe_hlo_line1(w, of, "stablehlo.dynamic_update_slice", n, in, type, "%s", "");
    const char *y = fe_hlo_new(w);
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.dynamic_slice ", y);
    fe_hlo_put_names(w, n, in);
    fe_hlo_put(w, ", sizes = [");
    fe_hlo_put_ints(w, one->rank, one->dims);
    fe_hlo_put(w, "]");
    fe_hlo_put_signature(w, n, type, 1, &one);
    return fe_hlo_as(w, inner, one, y);
}

/* A loop over a counter, the carries, and the ys that are filled row by row. */
bool
fe_hlo_write_scan(hlo_site *s)
{
    hlo_write *w = s->w;
    const int consts = (int)s->at->scan.consts, carries = (int)s->at->scan.carries,
              n = s->n_out + 1;
    const ir_type *count = ir_scalar_type(w->ctx, COT_I32),
                  **type = IR_NEW_N(w->a, const ir_type *, n + 1);
    const char **start = IR_NEW_N(w->a, const char *, n + 1),
               **result = IR_NEW_N(w->a, const char *, n + 1);
    const char **in = IR_NEW_N(w->a, const char *, s->n_in + 1),
               **out = IR_NEW_N(w->a, const char *, n + 1);

    for (int i = 0; i < s->n_out; i++) {
        type[1 + i] = s->out_type[i];
        start[1 + i] = i < carries ? s->in[consts + i] : fe_hlo_number(w, s->out_type[i], 0);
        s->out[i] = start[1 + i];
    }
    if (s->at->scan.length == 0)
        return true;
    type[0] = count;
    const char *zero = start[0] = fe_hlo_number_int(w, count, 0),
               *one = fe_hlo_number_int(w, count, 1);
    const char *length = fe_hlo_number_int(w, count, s->at->scan.length);
    const char **carry = open_loop(w, n, start, type, result);
    between(w, fe_hlo_compared(w, "LT", count, carry[0], length));
    const ir_type *const two[2] = { count, count };
    const char *at = carry[0],
               *next = fe_hlo_line1(w, count, "stablehlo.add", 2,
                                    (const char *const[]){ at, one }, two, "%s", "");
    if (s->at->scan.reverse)
        at = fe_hlo_line1(w, count, "stablehlo.subtract", 2,
                          (const char *const[]){ length, next }, two, "%s", "");
    for (int i = 0; i < s->n_in; i++)
        in[i] = i < consts             ? s->in[i]
                : i < consts + carries ? carry[1 + i - consts]
                                       : row(w, s->in_type[i], s->in[i], count, at, zero, NULL);
    call_graph(w, s->at->scan.body, in, out + 1);
    for (int i = carries; i < s->n_out; i++)
        out[1 + i] = row(w, s->out_type[i], out[1 + i], count, at, zero, carry[1 + i]);
    out[0] = next;
    close_loop(w, n, out, type);
    for (int i = 0; i < s->n_out; i++)
        s->out[i] = result[1 + i];
    return true;
}

/* ---- linear algebra and Fourier ---- */

/* StableHLO leaves the upper triangle open: it is 0 here. */
bool
fe_hlo_write_cholesky(hlo_site *s)
{
    hlo_write *w = s->w;
    const ir_type *t = s->in_type[0], *place = ir_type_as(w->ctx, t, COT_I32);
    const char *y = fe_hlo_new(w), *at[2];

    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.cholesky %s, lower = true : %s\n", y, s->in[0],
               fe_hlo_type_text(w, t));
    for (int k = 0; k < 2; k++) {
        at[k] = fe_hlo_new(w);
        fe_hlo_indent(w);
        fe_hlo_put(w, "%s = stablehlo.iota dim = %d : %s\n", at[k], t->rank - 2 + k,
                   fe_hlo_type_text(w, place));
    }
    s->out[0] = fe_hlo_select2(w, t, fe_hlo_compared(w, "GE", place, at[0], at[1]), y,
                               fe_hlo_number(w, t, 0));
    return true;
}

bool
fe_hlo_write_triangular_solve(hlo_site *s)
{
    hlo_write *w = s->w;

    s->out[0] = fe_hlo_new(w);
    fe_hlo_indent(w);
    fe_hlo_put(w,
               "%s = \"stablehlo.triangular_solve\"(%s, %s) <{left_side = %s, lower = %s, "
               "transpose_a = #stablehlo<transpose %s>, "
               "unit_diagonal = %s}>",
               s->out[0], s->in[0], s->in[1], s->at->triangle.right ? "false" : "true",
               s->at->triangle.upper ? "false" : "true",
               s->at->triangle.transposed ? "TRANSPOSE" : "NO_TRANSPOSE",
               s->at->triangle.unit ? "true" : "false");
    fe_hlo_put_signature(w, 2, s->in_type, 1, s->out_type);
    return true;
}

/* Real or imaginary part k of x, whose last axis is the parts. */
static const char *
part_of(hlo_site *s, const ir_type *to, const char *x, int k)
{
    hlo_write *w = s->w;
    const ir_type *t = s->in_type[0], *one = ir_type_open(w->ctx, to, to->rank, 1);
    const char *y = fe_hlo_new(w);

    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.slice %s [", y, x);
    for (int i = 0; i + 1 < t->rank; i++)
        fe_hlo_put(w, "0:%lld, ", (long long)t->dims[i]);
    fe_hlo_put(w, "%d:%d]", k, k + 1);
    fe_hlo_put_signature(w, 1, &t, 1, &one);
    return fe_hlo_as(w, to, one, y);
}

/* Of pairs of parts, the transform of the complex numbers; StableHLO divides the inverse by the
 * length. */
bool
fe_hlo_write_fft(hlo_site *s)
{
    hlo_write *w = s->w;
    const bool pairs = !ir_is_complex(s->in_type[0]->dtype);
    const ir_type *part =
        pairs ? ir_type_close(w->ctx, s->in_type[0], s->in_type[0]->rank - 1) : NULL;
    const ir_type *t =
        pairs ? ir_type_as(w->ctx, part, ir_complex_type(part->dtype)) : s->in_type[0];
    const long long n = (long long)t->dims[t->rank - 1];
    const char *x = s->in[0], *half[2];

    if (pairs) {
        for (int k = 0; k < 2; k++)
            half[k] = part_of(s, part, x, k);
        x = fe_hlo_line1(w, t, "stablehlo.complex", 2, half,
                         (const ir_type *const[]){ part, part }, "%s", "");
    }
    x = fe_hlo_line1(w, t, "stablehlo.fft", 1, &x, &t, ", type = %s, length = [%lld]",
                     s->at->fft.inverse ? "IFFT" : "FFT", n);
    if (s->at->fft.inverse)
        x = fe_hlo_line1(w, t, "stablehlo.multiply", 2,
                         (const char *const[]){ x, fe_hlo_number(w, t, (double)n) },
                         (const ir_type *const[]){ t, t }, "%s", "");
    s->out[0] = x;
    if (!pairs)
        return true;
    const ir_type *one = ir_type_open(w->ctx, part, part->rank, 1);
    for (int k = 0; k < 2; k++)
        half[k] = fe_hlo_as(w, one, part,
                            fe_hlo_line1(w, part, k ? "stablehlo.imag" : "stablehlo.real", 1,
                                         &x, &t, "%s", ""));
    s->out[0] = fe_hlo_line1(w, s->out_type[0], "stablehlo.concatenate", 2, half,
                             (const ir_type *const[]){ one, one }, ", dim = %d", part->rank);
    return true;
}
