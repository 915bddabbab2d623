/* Calls, loops, branches, and custom calls.
 *
 * A call of a private function is a call of its graph.  One that holds expectations (@check...)
 * is copied into its caller instead, so that what they compare can be results of the entry. */
#include "frontend/stablehlo/import/rules.h"

#include "frontend/custom.h"
#include "ir/custom.h"
#include "ir/diag.h"

/* ---- calls ---- */

static bool
is_check(const hlo_op *op)
{
    const hlo_attr *a = fe_hlo_find(op, "call_target_name", "callee");

    if (strncmp(op->name, "check.", 6) == 0)
        return true;
    return strcmp(op->name, "stablehlo.custom_call") == 0 && a && a->text.n > 6 &&
           memcmp(a->text.at, "check.", 6) == 0;
}

static bool has_checks(hlo_import *h, hlo_func *f);

static bool
region_has_checks(hlo_import *h, const hlo_region *r)
{
    for (uint32_t i = 0; i < r->n_ops; i++) {
        const hlo_op *op = r->op[i];
        const hlo_attr *a = fe_hlo_find(op, "callee", NULL);
        hlo_func *f = a && a->kind == HLO_SYMBOL ? fe_hlo_func(h, a->text) : NULL;

        if (is_check(op) || (f && has_checks(h, f)))
            return true;
    }
    return false;
}

static bool
has_checks(hlo_import *h, hlo_func *f)
{
    if (f->checks == 0) {
        f->checks = 2;
        if (f->op->n_regions && region_has_checks(h, f->op->region[0]))
            f->checks = 1;
    }
    return f->checks == 1;
}

static bool
is_open_type(const hlo_type *t)
{
    return t->kind == HLO_TENSOR && t->dtype && !t->type;
}

static bool
region_is_open(const hlo_import *h, const hlo_region *r)
{
    for (int k = 0; k < r->n_args; k++)
        if (is_open_type(h->m->value[r->arg + (uint32_t)k].type))
            return true;
    for (uint32_t i = 0; i < r->n_ops; i++) {
        const hlo_op *op = r->op[i];

        for (int k = 0; k < op->n_out; k++)
            if (is_open_type(h->m->value[op->out + (uint32_t)k].type))
                return true;
        for (int k = 0; k < op->n_regions; k++)
            if (region_is_open(h, op->region[k]))
                return true;
    }
    return false;
}

/* Are sizes open in the body?  Then they may be computed of arguments, which must be known
 * where it is called. */
static bool
is_open(hlo_import *h, hlo_func *f)
{
    if (f->open == 0)
        f->open = f->op->n_regions && region_is_open(h, f->op->region[0]) ? 1 : 2;
    return f->open == 1;
}

/* Where sizes are open, a function of known integers computes sizes, and so its results must be
 * known. */
static bool
computes_sizes(const hlo_emit *e)
{
    bool all = e->h->open && e->n_in > 0;

    for (int i = 0; i < e->n_in && all; i++) {
        const ir_node *n = ir_bdef(e->b, e->in[i]);
        const ir_type *t = ir_btype(e->b, e->in[i]);
        all = n && n->op == OP_constant && !ir_is_inexact(t->dtype) && t->size <= COT_MAX_RANK;
    }
    return all;
}

/* The results of a node are those of the op. */
static void
give(hlo_emit *e, ir_op op, int n_in, const ir_ref *in, const ir_attrs *at, int n_out)
{
    ir_ref *y = IR_NEW_N(e->b->arena, ir_ref, n_out + 1);

    if (n_out != fe_hlo_count_results(e))
        fe_hlo_fail(e, "its regions give %d results; the text says %d", n_out,
                    fe_hlo_count_results(e));
    if (fe_hlo_bad(e))
        return;
    ir_add_node(e->b, op, n_in, in, at, y);
    if (!fe_hlo_bad(e))
        fe_hlo_distribute(e, y);
}

static const ir_type *const *
operand_types(const hlo_emit *e)
{
    const ir_type **type = IR_NEW_N(e->b->arena, const ir_type *, e->n_in + 1);

    for (int i = 0; i < e->n_in; i++)
        type[i] = ir_btype(e->b, e->in[i]);
    return type;
}

static void
call_custom(hlo_emit *e, const cot_custom *c, ir_ints attrs)
{
    const int n = fe_hlo_count_results(e);
    cot_value *in = IR_NEW_N(e->b->arena, cot_value, e->n_in + 1),
              *out = IR_NEW_N(e->b->arena, cot_value, n + 1);
    ir_ref *y = IR_NEW_N(e->b->arena, ir_ref, n + 1);
    int n_in, n_out;

    fe_custom_counts(c, &n_in, &n_out);
    if (n_in != e->n_in || n_out != n) {
        fe_hlo_fail(e,
                    "has %d operands and %d results; the function registered under the name "
                    "has %d and %d",
                    e->n_in, n, n_in, n_out);
        return;
    }
    for (int i = 0; i < e->n_in; i++)
        in[i] = fe_hlo_handle(e, e->in[i]);
    cot_custom_call_(fe_hlo_place(e), c, (cot_list){ .n = attrs.n, .at = attrs.at },
                     (cot_values){ .n = e->n_in, .at = in }, out);
    for (int i = 0; i < n; i++)
        y[i] = fe_hlo_ref(e, out[i]);
    fe_hlo_distribute(e, y);
}

void
fe_hlo_call_named(hlo_emit *e, const char *attribute)
{
    const hlo_attr *a = fe_hlo_find(e->op, attribute, NULL);
    hlo_func *f = a && a->kind == HLO_SYMBOL ? fe_hlo_func(e->h, a->text) : NULL;

    if (!fe_hlo_spread_operands(e))
        return;
    if (!f) {
        fe_hlo_fail(e, "there is no function @%.*s", a ? (int)a->text.n : 0,
                    a && a->text.n ? a->text.at : "");
        return;
    }
    if (f->custom) {
        call_custom(e, f->custom, (ir_ints){ 0, NULL });
        return;
    }
    if ((e->h->checks && e->main && has_checks(e->h, f)) || is_open(e->h, f) ||
        computes_sizes(e)) {
        fe_hlo_inline(e, f);
        return;
    }
    const ir_type *const *type = operand_types(e);
    ir_graph *g = fe_hlo_function(e->h, f, e->n_in, type, e->op->at);
    if (!g)
        e->b->status = e->h->ctx->status;
    else
        give(e, OP_call, e->n_in, e->in,
             &(ir_attrs){ .call = { fe_hlo_int_or(e, "cotrace.remat", 0), g } }, g->n_out);
}

void
fe_hlo_call_(hlo_emit *e)
{
    fe_hlo_call_named(e, "callee");
}

/* ---- loops and branches ---- */

static const ir_ref *
with_captures(hlo_emit *e, const hlo_captures *c, int first, int before)
{
    ir_ref *in = IR_NEW_N(e->b->arena, ir_ref, c->n + e->n_in + before + 1);
    int n = before;

    if (c->n)
        memcpy(in + n, c->ref, sizeof *in * (size_t)c->n);
    n += c->n;
    if (e->n_in > first)
        memcpy(in + n, e->in + first, sizeof *in * (size_t)(e->n_in - first));
    return in;
}

void
fe_hlo_loop(hlo_emit *e)
{
    if (e->op->n_regions != 2) {
        fe_hlo_fail(e, "has %d regions; wants 2", e->op->n_regions);
        return;
    }
    if (!fe_hlo_spread_operands(e))
        return;
    const ir_type *const *type = operand_types(e);
    ir_ref *y = IR_NEW_N(e->b->arena, ir_ref, e->n_in + 1);
    const hlo_captures c = fe_hlo_captures(e, 2, e->op->region);
    ir_attrs at = { .loop = { .consts = c.n } };
    at.loop.cond = fe_hlo_region(e, e->op->region[0], &c, "while", e->n_in, type);
    at.loop.body =
        at.loop.cond ? fe_hlo_region(e, e->op->region[1], &c, "do", e->n_in, type) : NULL;
    if (!at.loop.body)
        return;
    const ir_ref *in = with_captures(e, &c, 0, 0);
    if (fe_hlo_count_results(e) != e->n_in || !fe_hlo_counted(e, &at, in, y))
        give(e, OP_while, c.n + e->n_in, in, &at, at.loop.body->n_out);
    else if (!fe_hlo_bad(e))
        fe_hlo_distribute(e, y);
}

/* The number of the branch.  Of `if`, the first region is that of true; of `case`, the last one
 * serves all numbers that name none. */
static ir_ref
branch_number(hlo_emit *e, int n)
{
    const ir_type *t = fe_hlo_in_type(e, 0);

    if (t->rank != 0 || ir_is_float(t->dtype)) {
        fe_hlo_fail(e, "the index is %s; wants an integer scalar", ir_type_str(e->b->ctx, t));
        return IR_NONE;
    }
    if (t->dtype == COT_BOOL || ir_is_unsigned(t->dtype))
        return e->in[0];
    ir_ref then = ir_splat_int(e->b, t, n - 1);
    return ir_select(e->b, ir_op2(e->b, OP_lt, e->in[0], ir_splat_int(e->b, t, 0)), then,
                     e->in[0]);
}

void
fe_hlo_branch(hlo_emit *e)
{
    const int n = e->op->n_regions;
    const bool both = strcmp(e->op->name + strlen(e->op->name) - 2, "if") == 0;
    ir_graph **branch = IR_NEW_N(e->b->arena, ir_graph *, n + 1);

    if (n < 1 || (both && (n != 2 || fe_hlo_in_type(e, 0)->dtype != COT_BOOL))) {
        fe_hlo_fail(e, "has %d regions; wants one for each branch", n);
        return;
    }
    const hlo_captures c = fe_hlo_captures(e, n, e->op->region);
    for (int i = 0; i < n; i++) {
        const int to = both ? 1 - i : i;
        branch[to] = fe_hlo_region(e, e->op->region[i], &c, ir_format(e->b->arena, "case%d", i),
                                   0, NULL);
        if (!branch[to])
            return;
    }
    ir_ref *in = (ir_ref *)with_captures(e, &c, 1, 1);
    in[0] = branch_number(e, n);
    if (in[0])
        give(e, OP_cond, 1 + c.n, in, &(ir_attrs){ .cond = { { n, branch } } },
             branch[0]->n_out);
}

/* Runs what the op starts at once. */
void
fe_hlo_async_start(hlo_emit *e)
{
    if (e->op->n_regions != 1) {
        fe_hlo_fail(e, "has %d regions; wants 1", e->op->n_regions);
        return;
    }
    if (!fe_hlo_spread_operands(e))
        return;
    const hlo_captures c = fe_hlo_captures(e, 1, e->op->region);
    ir_graph *g = fe_hlo_region(e, e->op->region[0], &c, "async", e->n_in, operand_types(e));
    if (g)
        give(e, OP_call, g->n_in, with_captures(e, &c, 0, 0), &(ir_attrs){ .call = { 0, g } },
             g->n_out);
}

/* ---- expectations ---- */

static ir_ref
constant_wanted(hlo_emit *e)
{
    const hlo_attr *a = fe_hlo_find(e->op, "value", NULL);

    if (!a || a->kind != HLO_DENSE || !a->type->type) {
        fe_hlo_fail(e, "has no value to compare with");
        return IR_NONE;
    }
    const ir_type *t = a->type->type;
    ir_data d = a->splat ? ir_data_splat(e->b->arena, t, a->bytes)
                         : ir_data_new(e->b->arena, t, a->bytes ? a->bytes : "");
    return ir_node1(e->b, OP_constant, 0, NULL, &(ir_attrs){ .constant = { d } });
}

static void
expect(hlo_emit *e, const char *how)
{
    const ir_ref wanted = e->n_in > 1 ? e->in[1] : constant_wanted(e);
    const hlo_attr *tolerance = fe_hlo_find(e->op, "tolerance", NULL);
    fe_hlo_checks *s = e->h->checks;
    fe_hlo_check c = { .found = (int)e->in[0], .wanted = (int)wanted, .loc = e->b->loc };

    if (fe_hlo_bad(e) || !s)
        return;
    if (!e->main) {
        fe_hlo_fail(e, "expectations inside a loop or a branch are not supported");
        return;
    }
    if (ir_btype(e->b, e->in[0]) != ir_btype(e->b, wanted)) {
        fe_hlo_fail(e, "compares %s with %s", ir_type_str(e->b->ctx, ir_btype(e->b, e->in[0])),
                    ir_type_str(e->b->ctx, ir_btype(e->b, wanted)));
        return;
    }
    c.kind = strcmp(how, "close") == 0       ? FE_HLO_CLOSE
             : strcmp(how, "almost_eq") == 0 ? FE_HLO_ALMOST
                                             : FE_HLO_EQ;
    c.least = (uint64_t)fe_hlo_int_or(e, "min_ulp_difference", 0);
    c.most = (uint64_t)fe_hlo_int_or(e, "max_ulp_difference", 3);
    c.tolerance = tolerance && tolerance->kind == HLO_REAL ? tolerance->x : 0.001;
    IR_PUSH(e->h->a, s->at, s->n, s->cap, c);
}

void
fe_hlo_check_(hlo_emit *e)
{
    expect(e, e->row->op);
}

/* ---- custom calls ---- */

static bool
starts_with(hlo_span s, const char *prefix)
{
    return s.n >= strlen(prefix) && memcmp(s.at, prefix, strlen(prefix)) == 0;
}

static bool
is_identity(hlo_span name)
{
    static const char *const names[] = {
        "Sharding",         "SPMDFullToShardShape",      "SPMDShardToFullShape",
        "LayoutConstraint", "annotate_device_placement", "xla.sdy.FuncResultSharding",
        "mhlo.sharding"
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fe_hlo_is(name, names[i]))
            return true;
    return false;
}

static void
assert_shape(hlo_emit *e)
{
    ir_ref v = e->n_in > 0 ? e->in[0] : IR_NONE;
    const hlo_attr *text = fe_hlo_find(e->op, "error_message", NULL);
    double x;

    if (!v || !ir_is_splat(e->b, v, &x))
        fe_hlo_fail(e, "the assertion is not known at import");
    else if (x == 0)
        fe_hlo_fail(e, "%.*s", text ? (int)text->text.n : 30,
                    text && text->text.n ? text->text.at : "an assertion on shapes is broken");
}

/* Operands that are the sizes of results are none of the function. */
static void
drop_shapes(hlo_emit *e)
{
    ir_ref *in = IR_NEW_N(e->b->arena, ir_ref, e->n_in + 1);
    ir_ints shape;
    int n = 0;

    if (!fe_hlo_find(e->op, "indices_of_shape_operands", NULL) ||
        !fe_hlo_ints(e, "indices_of_shape_operands", NULL, 0, 0, &shape))
        return;
    for (int k = 0; k < shape.n; k++)
        if (shape.at[k] < 0 || shape.at[k] >= e->n_in) {
            fe_hlo_fail(e, "indices_of_shape_operands names operand %lld of %d",
                        (long long)shape.at[k], e->n_in);
            return;
        }
    e->given = e->in;
    e->shaped = shape;
    for (int i = 0; i < e->n_in; i++) {
        bool own = true;
        for (int k = 0; k < shape.n; k++)
            own &= shape.at[k] != i;
        if (own)
            in[n++] = e->in[i];
    }
    e->in = in;
    e->n_in = n;
}

/* chlo ops travel as custom calls, too: @mhlo.erf. */
static bool
as_chlo(hlo_emit *e, hlo_span name)
{
    const hlo_row *row;

    if (!starts_with(name, "mhlo.") && !starts_with(name, "chlo."))
        return false;
    row = fe_hlo_row(e->h, ir_format(e->h->a, "chlo.%.*s", (int)name.n - 5, name.at + 5));
    if (!row || (row->n_in >= 0 && row->n_in != e->n_in))
        return false;
    e->row = row;
    row->rule(e);
    return true;
}

/* Import a call of a name that StableHLO, JAX or XLA gives a meaning; false: it has none. */
static bool
call_known(hlo_emit *e, hlo_span name, const char *text)
{
    if (starts_with(name, "check.expect_")) {
        if (e->n_in != 2)
            fe_hlo_fail(e, "@%s has %d operands; wants 2", text, e->n_in);
        else
            expect(e, text + strlen("check.expect_"));
    } else if (is_identity(name) && e->n_in == 1 && e->n_out == 1) {
        e->out[0] = e->in[0];
    } else if (fe_hlo_is(name, "shape_assertion")) {
        assert_shape(e);
    } else if (fe_hlo_is(name, "ApproxTopK") && e->n_in > 0) {
        fe_hlo_approx_top_k(e);
    } else if (fe_hlo_is(name, "stablehlo.dynamic_reduce_window")) {
        fe_hlo_dynamic_reduce_window(e);
    } else if (fe_hlo_is(name, "stablehlo.dynamic_rng_bit_generator") && e->n_in == 2) {
        /* the second operand is the sizes of what is drawn */
        static const int64_t last[] = { 1, 1 };
        e->given = e->in;
        e->shaped = (ir_ints){ 2, last };
        e->n_in = 1;
        fe_hlo_rng_bit_generator(e);
    } else if (fe_hlo_is(name, "stablehlo.dynamic_top_k") && e->n_in == 2) {
        fe_hlo_top_k(e);
    } else if (fe_hlo_is(name, "cpu_csr_sparse_dense_ffi") && e->n_in == 4) {
        fe_hlo_csr(e);
    } else {
        return as_chlo(e, name) || fe_hlo_lapack(e, name) || fe_hlo_older_lapack(e, name);
    }
    return true;
}

void
fe_hlo_custom_call(hlo_emit *e)
{
    const hlo_attr *a = fe_hlo_find(e->op, "call_target_name", "callee");
    const hlo_span name = a ? a->text : (hlo_span){ NULL, 0 };
    const char *text = fe_hlo_text(e->h->a, name);

    if (strstr(text, "python") && strstr(text, "callback")) {
        fe_hlo_fail(e,
                    "@%s calls back into Python, of which the text has nothing; wants a "
                    "program lowered without debug prints and callbacks",
                    text);
        return;
    }
    if (!fe_hlo_spread_operands(e))
        return;
    drop_shapes(e);
    if (fe_hlo_bad(e))
        return;
    if (call_known(e, name, text))
        return;
    const ir_custom *c = ir_custom_find(e->h->ctx, text);
    if (c && c->def)
        call_custom(e, c->def, (ir_ints){ 0, NULL });
    else
        fe_hlo_fail(e, "no custom function @%s is registered", text);
}
