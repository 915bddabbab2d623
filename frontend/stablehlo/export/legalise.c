/* Legalised forms: an op that StableHLO lacks, as a graph of ops that it has.
 *
 * An op on elements is its scalar program, instruction by instruction.  A fused product and sum
 * becomes one that is rounded more than once: f32 is computed in f64; f64 uses the two halves
 * of the product's error, or leaves the error out where the program computes f32 or is so long
 * that compilers would take minutes.  So results agree to about the accuracy of the op, and not
 * to the last bit.  An op with an expansion is replaced by it, a complex op by ops on its
 * parts. Source of the error of a product: T. J. Dekker, A floating-point technique for
 * extending the available precision, Numerische Mathematik 18, 1971. */
#include "frontend/stablehlo/export/export.h"

#include <math.h>

#include "ir/diag.h"
#include "ir/scalar.h"
#include "passes/pass.h"

/* ---- scalar programs ---- */

/* x in two parts that multiply without error: the upper one has 26 bits. */
static void
halves(ir_build *b, ir_ref x, ir_ref *part)
{
    ir_ref c = ir_mul(b, x, ir_like(b, x, 134217729));

    part[0] = ir_sub(b, c, ir_sub(b, c, x));
    part[1] = ir_sub(b, x, part[0]);
}

static ir_ref
fused(ir_build *b, bool exact, ir_ref x, ir_ref y, ir_ref z)
{
    const cot_dtype t = x ? ir_btype(b, x)->dtype : COT_F64;
    ir_ref a[2], c[2];

    if (t == COT_F64 && !exact)
        return ir_add(b, ir_mul(b, x, y), z);

    if (t != COT_F64) {
        ir_ref converted = ir_convert(b, z, COT_F64);
        ir_ref right = ir_convert(b, y, COT_F64);
        return ir_convert(b, ir_add(b, ir_mul(b, ir_convert(b, x, COT_F64), right), converted),
                          t);
    }
    halves(b, x, a), halves(b, y, c);
    ir_ref p = ir_mul(b, x, y), s = ir_add(b, p, z);
    ir_ref e = ir_sub(b, ir_mul(b, a[0], c[0]), p);
    ir_ref product = ir_mul(b, a[1], c[0]);
    e = ir_add(b, ir_add(b, e, ir_mul(b, a[0], c[1])), product);
    /* x y - p */
    e = ir_add(b, e, ir_mul(b, a[1], c[1]));
    ir_ref v = ir_sub(b, s, p);
    ir_ref difference = ir_sub(b, z, v);
    ir_ref d = ir_add(b, ir_sub(b, p, ir_sub(b, s, v)), difference); /* p + z - s */
    ir_ref r = ir_add(b, s, ir_add(b, d, e));
    return ir_select(b, ir_op1(b, OP_is_finite, r), r, s);
}

static ir_ref
truncated(ir_build *b, ir_ref x)
{
    ir_ref down = ir_op1(b, OP_floor, x);
    ir_ref up = ir_op1(b, OP_ceil, x);
    return ir_select(b, ir_op2(b, OP_lt, x, ir_like(b, x, 0)), up, down);
}

static bool
is_large(const ir_build *b, ir_ref v, cot_dtype t)
{
    double c;

    return ir_is_splat(b, v, &c) && fabs(c) >= (t == COT_F32 ? 0x1p22 : 0x1p51);
}

/* Rounds by adding a large number and subtracting it again.  XLA would fold the two additions,
 * which would then round nothing; a select between them prevents that. */
static ir_ref
rounded(ir_build *b, ir_ref x, ir_ref y)
{
    const ir_ref sum = ir_add(b, x, y);
    const cot_dtype t = sum ? ir_btype(b, sum)->dtype : COT_BOOL;
    const ir_ref moving = t == COT_F32 || t == COT_F64 ? (is_large(b, y, t)   ? x
                                                          : is_large(b, x, t) ? y
                                                                              : IR_NONE)
                                                       : IR_NONE;

    return moving ? ir_select(b, ir_op2(b, OP_ne, moving, moving), moving, sum) : sum;
}

/* Elements of the table at the places i. */
static ir_ref
looked_up(ir_build *b, const ir_sc_table *table, ir_ref i)
{
    const ir_type *t = i ? ir_btype(b, i) : NULL;
    const int64_t n = table->n, one = 1, zero = 0;

    if (!t)
        return IR_NONE;
    const ir_ref in[2] = { ir_constant(b, ir_type_new(b->ctx, table->type, 1, &n), table->data),
                           ir_broadcast_axis(b, i, t->rank, 1) };
    const ir_attrs at = { .gather = { .collapsed = { 1, &zero },
                                      .index_map = { 1, &zero },
                                      .sizes = { 1, &one },
                                      .mode = IR_MODE_CLIP } };
    return ir_node1(b, OP_gather, 2, in, &at);
}

static ir_ref run(ir_build *b, const ir_type *shape, bool exact, const ir_sc_program *p,
                  const ir_ref *in);

static ir_ref
instruction(ir_build *b, const ir_type *shape, bool exact, const ir_sc_insn *i, const ir_ref *v)
{
    static const ir_op same[SC_COUNT] = {
        [SC_add] = OP_add,         [SC_sub] = OP_sub,     [SC_mul] = OP_mul,
        [SC_div] = OP_div,         [SC_rem] = OP_rem,     [SC_neg] = OP_neg,
        [SC_abs] = OP_abs,         [SC_sqrt] = OP_sqrt,   [SC_max] = OP_max,
        [SC_min] = OP_min,         [SC_floor] = OP_floor, [SC_ceil] = OP_ceil,
        [SC_rint] = OP_round_even, [SC_and] = OP_and,     [SC_or] = OP_or,
        [SC_xor] = OP_xor,         [SC_not] = OP_not,     [SC_shl] = OP_shl,
        [SC_popcnt] = OP_popcnt,   [SC_clz] = OP_clz,     [SC_eq] = OP_eq,
        [SC_ne] = OP_ne,           [SC_lt] = OP_lt,       [SC_le] = OP_le,
        [SC_select] = OP_select,
    };
    const cot_dtype t = (cot_dtype)i->type;
    ir_ref x[4];

    for (int k = 0; k < 3; k++)
        x[k] = k < ir_sc_arity[i->op] ? v[i->in[k]] : IR_NONE;
    switch (i->op) {
    case SC_const: {
        const ir_data d = ir_data_splat(b->arena, ir_type_as(b->ctx, shape, t), &i->imm);
        return ir_node1(b, OP_constant, 0, NULL, &(ir_attrs){ .constant = { d } });
    }
    case SC_add: return rounded(b, x[0], x[1]);
    case SC_fma: return fused(b, exact, x[0], x[1], x[2]);
    case SC_trunc: return truncated(b, x[0]);
    case SC_shr:
        return ir_op2(b, ir_is_signed(t) ? OP_shr_arithmetic : OP_shr_logical, x[0], x[1]);
    case SC_cvt: return x[0] ? ir_convert(b, x[0], t) : IR_NONE;
    case SC_bitcast: return ir_node1(b, OP_bitcast, 1, x, &(ir_attrs){ .dtype = { t } });
    case SC_table: return looked_up(b, i->table, x[0]);
    case SC_slow_path:
        for (int k = 0; k < i->sub->n_in; k++)
            x[k] = v[i->args[k]];
        return ir_select(b, v[i->in[0]], run(b, shape, exact, i->sub, x), v[i->in[1]]);
    default: return ir_node1(b, same[i->op], ir_sc_arity[i->op], x, NULL);
    }
}

static ir_ref
run(ir_build *b, const ir_type *shape, bool exact, const ir_sc_program *p, const ir_ref *in)
{
    ir_ref *v = IR_NEW_N(b->arena, ir_ref, p->n_in + p->n + 1);

    for (int i = 0; i < p->n_in; i++)
        v[i] = in[i];
    for (int i = 0; i < p->n; i++)
        v[p->n_in + i] = instruction(b, shape, exact, &p->insn[i], v);
    return v[p->out];
}

static int
length_of(const ir_sc_program *p)
{
    int n = p->n;

    for (int i = 0; i < p->n; i++)
        n += p->insn[i].sub ? length_of(p->insn[i].sub) : 0;
    return n;
}

static ir_ref
by_program(ir_build *b, const hlo_site *s, const ir_ref *in)
{
    cot_dtype dtype[4];

    for (int i = 0; i < s->n_in; i++)
        dtype[i] = s->in_type[i]->dtype;
    const ir_sc_program *p =
        ir_sc_of(b->ctx, s->op, s->at, s->n_in, dtype, s->out_type[0]->dtype);
    const bool exact = p && s->out_type[0]->dtype == COT_F64 && length_of(p) <= 200;
    return p ? run(b, s->out_type[0], exact, p, in) : IR_NONE;
}

/* ---- indexing ---- */

/* The index vectors as i64, and whether the window at each is inside: the shape of the indices
 * but for their last axis. */
static ir_ref
inside(ir_build *b, const ir_type *x, ir_ref v, ir_ints map, const int64_t *window,
       int64_t *most)
{
    for (int i = 0; i < map.n; i++)
        most[i] = x->dims[map.at[i]] - window[map.at[i]];
    const ir_type *t = ir_btype(b, v);
    const int64_t n = map.n, last = t->rank - 1;
    ir_ref limit = ir_constant(b, ir_type_new(b->ctx, COT_I64, 1, &n), most);
    limit = ir_broadcast_in_dim(b, limit, t->rank, t->dims, &last);
    ir_ref at_most = ir_op2(b, OP_le, v, limit);
    ir_ref good = ir_op2(b, OP_and, ir_op2(b, OP_ge, v, ir_zeros(b, t)), at_most);
    return ir_reduce(b, OP_reduce_and, good, ir_axes_of(t->rank - 1));
}

/* The value of a window that is out of bounds. */
static ir_ref
filling(ir_build *b, const ir_type *t)
{
    if (ir_is_inexact(t->dtype) && !ir_is_complex(t->dtype))
        return ir_splat(b, t, (double)__builtin_nanf(""));
    if (ir_is_complex(t->dtype)) {
        const ir_type *part = ir_type_as(b->ctx, t, ir_part_type(t->dtype));
        ir_ref nan = ir_splat(b, part, (double)__builtin_nanf(""));
        return ir_op2(b, OP_complex, nan, nan);
    }
    return ir_splat_int(
        b, t, ir_is_signed(t->dtype) ? (int64_t)-((uint64_t)1 << (ir_bits(t->dtype) - 1)) : 0);
}

static ir_ref
gathered(ir_build *b, const hlo_site *s, const ir_ref *in)
{
    ir_attrs at = ir_attrs_of(IR_AT_gather, s->at);
    const ir_type *y = s->out_type[0];
    int64_t dims[COT_MAX_RANK], *most = IR_NEW_N(b->arena, int64_t, at.gather.index_map.n + 1);
    int n = 0;

    at.gather.mode = IR_MODE_CLIP;
    ir_ref z = ir_node1(b, OP_gather, 2, in, &at);
    if (s->at->gather.mode == IR_MODE_PROMISE || !z)
        return z;
    ir_ref good = inside(b, s->in_type[0], ir_convert(b, in[1], COT_I64), at.gather.index_map,
                         at.gather.sizes.at, most);
    for (int i = 0; i < y->rank; i++)
        if (!ir_ints_has(at.gather.offset_dims, i))
            dims[n++] = i;
    ir_ref filled = filling(b, y);
    return ir_select(b, ir_broadcast_in_dim(b, good, y->rank, y->dims, dims), z, filled);
}

/* Scatter with windows moved inside, which is also the result of a broken promise. */
static ir_ref
scattered(ir_build *b, const hlo_site *s, const ir_ref *in)
{
    ir_attrs at = ir_attrs_of(IR_AT_scatter, s->at);
    const ir_type *x = s->in_type[0], *z = s->in_type[2];
    const ir_ints map = at.scatter.index_map;
    int64_t window[COT_MAX_RANK], *most = IR_NEW_N(b->arena, int64_t, map.n + 1), last,
                                  n = map.n;
    int k = 0;

    at.scatter.mode = IR_MODE_FILL;
    for (int i = 0; i < x->rank; i++)
        window[i] =
            ir_ints_has(at.scatter.inserted, i) || ir_ints_has(at.scatter.operand_batch, i)
                ? 1
                : z->dims[at.scatter.window_dims.at[k++]];
    for (int i = 0; i < map.n; i++)
        most[i] = x->dims[map.at[i]] - window[map.at[i]];
    ir_ref v = ir_convert(b, in[1], COT_I64);
    const ir_type *t = ir_btype(b, v);
    last = t->rank - 1;
    ir_ref limit = ir_broadcast_in_dim(
        b, ir_constant(b, ir_type_new(b->ctx, COT_I64, 1, &n), most), t->rank, t->dims, &last);
    const ir_ref moved[3] = { in[0], ir_op3(b, OP_clamp, ir_zeros(b, t), v, limit), in[2] };
    return ir_node1(b, s->op, 3, moved, &at);
}

/* Starts of one type. */
static ir_ref
boxed(ir_build *b, const hlo_site *s, const ir_ref *in)
{
    const int first = s->op == OP_dynamic_slice ? 1 : 2;
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, s->n_in);

    for (int i = 0; i < s->n_in; i++)
        x[i] = i < first ? in[i] : ir_convert(b, in[i], COT_I64);
    return ir_node1(b, s->op, s->n_in, x, s->at);
}

/* ---- the graph ---- */

static bool
is_split(const hlo_site *s)
{
    bool split = false;

    for (int i = 0; i < s->n_in; i++)
        split |= ir_is_complex(s->in_type[i]->dtype);
    for (int i = 0; i < s->n_out; i++)
        split |= ir_is_complex(s->out_type[i]->dtype);
    return split && ir_ops[s->op].flag != IR_EXPAND;
}

/* The op alone, for the passes that make others of it. */
static cot_status
by_pass(const hlo_site *s, ir_graph *g, ir_graph **out)
{
    if (s->op == OP_custom_call)
        return pass_inline_all(g, out);
    return ir_ops[s->op].flag == IR_EXPAND ? pass_expand(g, out) : pass_complex(g, out);
}

ir_graph *
fe_hlo_stand_in(hlo_site *s)
{
    const bool elements = ir_ops[s->op].flag == IR_POINTWISE && !is_split(s);
    const bool rewritten =
        is_split(s) || s->op == OP_custom_call || ir_ops[s->op].flag == IR_EXPAND;
    ir_build *b =
        ir_build_new(s->w->ctx, ir_format(&s->w->ctx->arena, "cotrace.%s", ir_ops[s->op].name));
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, s->n_in + 1),
           *out = IR_NEW_N(b->arena, ir_ref, s->n_out + 1);
    ir_graph *g;

    b->loc = s->loc;
    for (int i = 0; i < s->n_in; i++)
        in[i] = ir_input(b, s->in_type[i], NULL);
    if (s->op == OP_gather)
        out[0] = gathered(b, s, in);
    else if (s->op == OP_dynamic_slice || s->op == OP_dynamic_update_slice)
        out[0] = boxed(b, s, in);
    else if (s->op >= OP_scatter && s->op <= OP_scatter_max &&
             s->at->scatter.mode != IR_MODE_FILL)
        out[0] = scattered(b, s, in);
    else if (elements)
        out[0] = by_program(b, s, in);
    else if (rewritten)
        ir_add_node(b, s->op, s->n_in, in, s->at, out);
    for (int i = 0; i < s->n_out; i++)
        ir_output(b, out[i]);
    if (s->n_out > 0 && !out[0] && b->status == COT_OK) {
        fe_hlo_no_counterpart(s);
        return NULL;
    }
    if (ir_build_end(b, &g) != COT_OK ||
        (rewritten && !elements && by_pass(s, g, &g) != COT_OK))
        return NULL;
    return g;
}
