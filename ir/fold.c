/* Folding: a value that equals op(in) bit for bit, made without the op.
 *
 * First the constants: an op whose operands are all constant is evaluated by the twin, so that
 * folding cannot disagree with running.  Results stay small: at most SMALL elements, or one
 * repeated (a pointwise op of splats is a splat, a moved splat is a splat).  Then the
 * identities, which hold for NaN, infinities and signed zeros: x + -0 = x, but x + 0 is not x
 * (it turns -0 into +0), and x * 0 is 0 for integers only.  Complex constants are only moved:
 * what is computed of them folds when a pass has split them into pairs.  No rule swaps
 * operands, and all of them always run: the bits of a graph do not depend on who built it
 * (docs/numerics.md section 2). */
#include <math.h>

#include "ir/build.h"
#include "ir/eval/eval.h"

enum { SMALL = 64, MOST_READ = 4096 };

typedef struct fold_ctx {
    ir_build *b;
    ir_op op;
    int n_in;
    const ir_ref *in;
    const ir_attrs *at;
    const ir_type *type; /* of the result */
} fold_ctx;

static const ir_data *
constant_of(const ir_build *b, ir_ref v)
{
    const ir_node *n = ir_bdef(b, v);

    return n && n->op == OP_constant ? &n->at.constant.data : NULL;
}

/* The node that defines v, if its op is `op`. */
static const ir_node *
made_by(const ir_build *b, ir_ref v, ir_op op)
{
    const ir_node *n = ir_bdef(b, v);

    return n && n->op == op ? n : NULL;
}

static ir_ref
add_constant(ir_build *b, ir_data data)
{
    return ir_node1(b, OP_constant, 0, NULL, &(ir_attrs){ .constant = { data } });
}

/* ---- constants ---- */

static void
release_arena(void *data)
{
    ir_arena_free(data);
}

/* The arena of evaluations, one for each context; empty between two of them. */
static ir_arena *
fold_arena(cot_context *ctx)
{
    static const char key;
    ir_arena *a = ir_attached_find(ctx, &key);

    if (!a) {
        a = IR_NEW(&ctx->arena, ir_arena);
        ir_arena_init(a, ctx);
        ir_attach(ctx, &key, a, release_arena);
    }
    return a;
}

static const void *
all_elements(ir_arena *a, const ir_data *d)
{
    size_t element = cot_dtype_size(d->type->dtype);
    char *p;

    if (!d->splat)
        return d->bytes;
    p = ir_alloc(a, element * (size_t)d->type->size);
    for (int64_t i = 0; i < d->type->size; i++)
        memcpy(p + (size_t)i * element, d->bytes, element);
    return p;
}

/* Evaluate the op; one: on scalars, as all operands are splats and the op is pointwise. */
static ir_ref
evaluate(const fold_ctx *c, bool one)
{
    cot_context *ctx = c->b->ctx;
    ir_arena *a = fold_arena(ctx);
    const ir_type **type = IR_NEW_N(a, const ir_type *, c->n_in);
    const void **in = IR_NEW_N(a, const void *, c->n_in);
    const ir_type *out_type = one ? ir_scalar_type(ctx, c->type->dtype) : c->type;
    void *out = ir_alloc(a, cot_dtype_size(c->type->dtype) * (size_t)out_type->size);
    ir_data data;

    for (int i = 0; i < c->n_in; i++) {
        const ir_data *d = constant_of(c->b, c->in[i]);

        type[i] = one ? ir_scalar_type(ctx, d->type->dtype) : d->type;
        in[i] = one ? d->bytes : all_elements(a, d);
    }
    cot_status status = ir_eval_node(&(ir_eval_args){ .ctx = ctx,
                                                      .scratch = a,
                                                      .loc = c->b->loc,
                                                      .op = c->op,
                                                      .at = c->at,
                                                      .n_in = c->n_in,
                                                      .n_out = 1,
                                                      .in_type = type,
                                                      .out_type = &out_type,
                                                      .in = in,
                                                      .out = &out });
    if (status == COT_OK)
        data = one ? ir_data_splat(c->b->arena, c->type, out)
                   : ir_data_new(c->b->arena, c->type, out);
    ir_arena_free(a);
    return status == COT_OK ? add_constant(c->b, data) : IR_NONE;
}

static ir_ref
fold_constants(const fold_ctx *c)
{
    bool splats = true, complex = ir_is_complex(c->type->dtype);
    int64_t read = 0;

    if (c->n_in == 0 || ir_ops[c->op].flag >= IR_FLOW)
        return IR_NONE;
    for (int i = 0; i < c->n_in; i++) {
        const ir_data *d = constant_of(c->b, c->in[i]);

        if (!d)
            return IR_NONE;
        splats &= d->splat;
        complex |= ir_is_complex(d->type->dtype);
        read += d->type->size < MOST_READ ? d->type->size : MOST_READ + 1;
    }
    if (splats && ir_is_view(c->op))
        return add_constant(
            c->b, ir_data_splat(c->b->arena, c->type, constant_of(c->b, c->in[0])->bytes));
    if (complex)
        return IR_NONE;
    if (splats && ir_ops[c->op].flag == IR_POINTWISE)
        return evaluate(c, true);
    if (c->type->size <= SMALL && read <= MOST_READ)
        return evaluate(c, false);
    return IR_NONE;
}

/* ---- identities with a constant operand, as a table ---- */

typedef enum fold_types {
    FLOATS = 1,
    INTS = 2,
    BOOLS = 4,
    BITS = INTS | BOOLS,
    NUMBERS = FLOATS | INTS
} fold_types;
typedef enum fold_value { NEG_ZERO, ZERO, ONE, ONES } fold_value;
typedef enum fold_result { OTHER, CONSTANT, NEGATED } fold_result;

static const struct {
    ir_op op;
    int side; /* which operand is the constant */
    fold_types types;
    fold_value value;
    fold_result result; /* the other operand, the constant, or minus the other */
} identity[] = {
    { OP_add, 0, FLOATS, NEG_ZERO, OTHER },
    { OP_add, 1, FLOATS, NEG_ZERO, OTHER },
    { OP_add, 0, INTS, ZERO, OTHER },
    { OP_add, 1, INTS, ZERO, OTHER },
    { OP_sub, 1, NUMBERS, ZERO, OTHER },
    { OP_sub, 0, FLOATS, NEG_ZERO, NEGATED },
    { OP_sub, 0, INTS, ZERO, NEGATED },
    { OP_mul, 0, NUMBERS, ONE, OTHER },
    { OP_mul, 1, NUMBERS, ONE, OTHER },
    { OP_mul, 0, INTS, ZERO, CONSTANT },
    { OP_mul, 1, INTS, ZERO, CONSTANT },
    { OP_div, 1, NUMBERS, ONE, OTHER },
    { OP_and, 0, BITS, ONES, OTHER },
    { OP_and, 1, BITS, ONES, OTHER },
    { OP_and, 0, BITS, ZERO, CONSTANT },
    { OP_and, 1, BITS, ZERO, CONSTANT },
    { OP_or, 0, BITS, ZERO, OTHER },
    { OP_or, 1, BITS, ZERO, OTHER },
    { OP_or, 0, BITS, ONES, CONSTANT },
    { OP_or, 1, BITS, ONES, CONSTANT },
    { OP_xor, 0, BITS, ZERO, OTHER },
    { OP_xor, 1, BITS, ZERO, OTHER },
    { OP_shl, 1, INTS, ZERO, OTHER },
    { OP_shr_logical, 1, INTS, ZERO, OTHER },
    { OP_shr_arithmetic, 1, INTS, ZERO, OTHER },
};

static bool
is_all_ones(const ir_data *d)
{
    static const unsigned char ones[8] = { 255, 255, 255, 255, 255, 255, 255, 255 };

    if (d->type->dtype == COT_BOOL)
        return *(const uint8_t *)d->bytes == 1;
    return memcmp(d->bytes, ones, d->n) == 0;
}

static bool
has_value(const ir_build *b, ir_ref v, fold_value value)
{
    double x;

    if (!ir_is_splat(b, v, &x))
        return false;
    switch (value) {
    case NEG_ZERO: return x == 0 && signbit(x);
    case ZERO: return x == 0 && !signbit(x);
    case ONE: return x == 1;
    case ONES: return is_all_ones(constant_of(b, v));
    }
    return false;
}

static fold_types
types_of(cot_dtype t)
{
    return ir_is_complex(t) ? 0 : ir_is_float(t) ? FLOATS : t == COT_BOOL ? BOOLS : INTS;
}

static ir_ref
fold_identity(const fold_ctx *c)
{
    for (size_t i = 0; i < sizeof identity / sizeof *identity; i++) {
        if (identity[i].op != c->op || !(identity[i].types & types_of(c->type->dtype)) ||
            !has_value(c->b, c->in[identity[i].side], identity[i].value))
            continue;
        ir_ref constant = c->in[identity[i].side], other = c->in[1 - identity[i].side];
        switch (identity[i].result) {
        case OTHER: return other;
        case CONSTANT: return constant;
        case NEGATED: return ir_neg(c->b, other);
        }
    }
    return IR_NONE;
}

/* ---- identities of structure: a rule for each op that has any ---- */

typedef ir_ref fold_rule(const fold_ctx *c);

/* op(op(x)) = x */
static ir_ref
fold_twice(const fold_ctx *c)
{
    const ir_node *n = made_by(c->b, c->in[0], c->op);

    return n ? n->in[0] : IR_NONE;
}

/* op(op(x)) = op(x) */
static ir_ref
fold_again(const fold_ctx *c)
{
    return made_by(c->b, c->in[0], c->op) ? c->in[0] : IR_NONE;
}

static ir_ref
fold_sign(const fold_ctx *c)
{
    return ir_is_complex(c->type->dtype) ? IR_NONE : fold_again(c);
}

/* Two small constants, or two splats, as one of a complex type. */
static ir_ref
join_constants(const fold_ctx *c)
{
    const ir_data *re = constant_of(c->b, c->in[0]), *im = constant_of(c->b, c->in[1]);
    const size_t size = cot_dtype_size(c->type->dtype) / 2;
    char both[SMALL * 16];

    if (!re || !im || (c->type->size > SMALL && !(re->splat && im->splat)))
        return IR_NONE;
    const int64_t n = re->splat && im->splat ? 1 : c->type->size;
    for (int64_t i = 0; i < n; i++) {
        memcpy(both + (size_t)i * 2 * size,
               (const char *)re->bytes + (re->splat ? 0 : (size_t)i * size), size);
        memcpy(both + ((size_t)i * 2 + 1) * size,
               (const char *)im->bytes + (im->splat ? 0 : (size_t)i * size), size);
    }
    return add_constant(c->b, re->splat && im->splat ? ir_data_splat(c->b->arena, c->type, both)
                                                     : ir_data_new(c->b->arena, c->type, both));
}

/* A part of a small complex constant. */
static ir_ref
part_of_constant(const fold_ctx *c)
{
    const ir_data *z = constant_of(c->b, c->in[0]);
    const size_t size = cot_dtype_size(c->type->dtype);
    char part[SMALL * 8];

    if (!z || (c->type->size > SMALL && !z->splat))
        return IR_NONE;
    for (int64_t i = 0; i < (z->splat ? 1 : c->type->size); i++)
        memcpy(part + (size_t)i * size,
               (const char *)z->bytes + ((size_t)i * 2 + (c->op == OP_imag)) * size, size);
    return add_constant(c->b, z->splat ? ir_data_splat(c->b->arena, c->type, part)
                                       : ir_data_new(c->b->arena, c->type, part));
}

/* complex(real(z), imag(z)) = z */
static ir_ref
fold_complex(const fold_ctx *c)
{
    const ir_node *re = made_by(c->b, c->in[0], OP_real),
                  *im = made_by(c->b, c->in[1], OP_imag);

    return re && im && re->in[0] == im->in[0] ? re->in[0] : join_constants(c);
}

static ir_ref
fold_part(const fold_ctx *c)
{
    const ir_node *n = made_by(c->b, c->in[0], OP_complex);

    return n ? n->in[c->op == OP_imag] : part_of_constant(c);
}

static ir_ref
fold_abs(const fold_ctx *c)
{
    const ir_node *n = made_by(c->b, c->in[0], OP_neg);

    return n ? ir_op1(c->b, OP_abs, n->in[0]) : fold_again(c);
}

/* op(x, x) = x */
static ir_ref
fold_both(const fold_ctx *c)
{
    return c->in[0] == c->in[1] ? c->in[0] : IR_NONE;
}

static ir_ref
fold_select(const fold_ctx *c)
{
    double p;

    if (c->in[1] == c->in[2])
        return c->in[1];
    if (ir_is_splat(c->b, c->in[0], &p))
        return p != 0 ? c->in[1] : c->in[2];
    const ir_node *n = made_by(c->b, c->in[0], OP_not);
    return n ? ir_select(c->b, n->in[0], c->in[2], c->in[1]) : IR_NONE;
}

static ir_ref
fold_integer_pow(const fold_ctx *c)
{
    return c->at->ipow.y == 1 ? c->in[0] : IR_NONE;
}

/* The significant bits of a number type, its sign apart. */
static int
precision(cot_dtype t)
{
    switch (t) {
    case COT_F16: return 11;
    case COT_BF16: return 8;
    case COT_F32: return 24;
    case COT_F64: return 53;
    default: return ir_bits(t) - (ir_is_signed(t) ? 1 : 0);
    }
}

/* The same among complex types, and a real type in a complex one. */
static bool holds(cot_dtype u, cot_dtype t);
static bool
holds_complex(cot_dtype u, cot_dtype t)
{
    return ir_is_complex(u) && holds(ir_part_type(u), ir_part_type(t));
}

/* Does every value of t have its own value in u, from which a conversion to t brings it
 * back? */
static bool
holds(cot_dtype u, cot_dtype t)
{
    if (t == u || t == COT_BOOL)
        return true;
    if (ir_is_complex(u) || ir_is_complex(t))
        return holds_complex(u, t);
    if (u == COT_BOOL || (ir_is_float(t) && !ir_is_float(u)))
        return false;
    if (ir_is_float(t))
        return u == COT_F64 || (u == COT_F32 && t != COT_F64);
    if (ir_is_float(u)) /* the range of f16 ends at 65504, above any 11-bit integer */
        return precision(u) >= precision(t);
    return (ir_is_signed(u) || !ir_is_signed(t)) && precision(u) >= precision(t);
}

static ir_ref
fold_convert(const fold_ctx *c)
{
    const ir_node *n = made_by(c->b, c->in[0], OP_convert);

    if (ir_btype(c->b, c->in[0]) == c->type)
        return c->in[0];
    if (n && ir_btype(c->b, n->in[0]) == c->type &&
        holds(ir_btype(c->b, c->in[0])->dtype, c->type->dtype))
        return n->in[0];
    return IR_NONE;
}

static ir_ref
fold_bitcast(const fold_ctx *c)
{
    const ir_node *n = made_by(c->b, c->in[0], OP_bitcast);

    if (ir_btype(c->b, c->in[0]) == c->type)
        return c->in[0];
    return n ? ir_node1(c->b, OP_bitcast, 1, n->in, c->at) : IR_NONE;
}

static ir_ref
fold_broadcast(const fold_ctx *c)
{
    const ir_node *n = made_by(c->b, c->in[0], OP_broadcast_in_dim);
    int64_t dims[COT_MAX_RANK];

    if (ir_btype(c->b, c->in[0]) == c->type)
        return c->in[0]; /* dims ascend, so they are 0, 1, ... */
    if (!n)
        return IR_NONE;
    for (int i = 0; i < n->at.broadcast.dims.n; i++)
        dims[i] = c->at->broadcast.dims.at[n->at.broadcast.dims.at[i]];
    return ir_broadcast_in_dim(c->b, n->in[0], c->type->rank, c->type->dims, dims);
}

static ir_ref
fold_reshape(const fold_ctx *c)
{
    const ir_node *n = made_by(c->b, c->in[0], OP_reshape);

    if (ir_btype(c->b, c->in[0]) == c->type)
        return c->in[0];
    return n ? ir_reshape(c->b, n->in[0], c->type->rank, c->type->dims) : IR_NONE;
}

static ir_ref
fold_transpose(const fold_ctx *c)
{
    const ir_node *n = made_by(c->b, c->in[0], OP_transpose);
    int64_t perm[COT_MAX_RANK];
    bool same = true;

    for (int i = 0; i < c->type->rank; i++)
        same &= c->at->perm.perm.at[i] == i;
    if (same)
        return c->in[0];
    if (!n)
        return IR_NONE;
    for (int i = 0; i < c->type->rank; i++)
        perm[i] = n->at.perm.perm.at[c->at->perm.perm.at[i]];
    return ir_transpose(c->b, n->in[0], perm);
}

/* A slice that keeps every size of its operand keeps every element. */
static ir_ref
fold_slice(const fold_ctx *c)
{
    const ir_node *n = made_by(c->b, c->in[0], OP_slice);
    int64_t start[COT_MAX_RANK], limit[COT_MAX_RANK], stride[COT_MAX_RANK];

    if (ir_btype(c->b, c->in[0]) == c->type)
        return c->in[0];
    if (!n || c->type->size == 0)
        return IR_NONE;
    for (int i = 0; i < c->type->rank; i++) {
        int64_t step = n->at.slice.stride.at[i];

        stride[i] = c->type->dims[i] > 1 ? step * c->at->slice.stride.at[i] : 1;
        start[i] = n->at.slice.start.at[i] + step * c->at->slice.start.at[i];
        limit[i] = start[i] + (c->type->dims[i] - 1) * stride[i] + 1;
    }
    return ir_slice(c->b, n->in[0], start, limit, stride);
}

static ir_ref
fold_pad(const fold_ctx *c)
{
    const ir_type *x = ir_btype(c->b, c->in[0]);

    for (int i = 0; i < x->rank; i++)
        if (c->at->pad.low.at[i] || c->at->pad.high.at[i] ||
            (c->at->pad.interior.at[i] && x->dims[i] > 1))
            return IR_NONE;
    return c->in[0];
}

/* Slices of one value that lie side by side along the axis are one slice of it. */
static ir_ref
fold_neighbours(const fold_ctx *c, int axis)
{
    const ir_node *first = made_by(c->b, c->in[0], OP_slice), *n = first;
    int64_t limit[COT_MAX_RANK];

    for (int i = 1; n && i < c->n_in; i++) {
        const ir_node *next = made_by(c->b, c->in[i], OP_slice);
        if (!next || next->in[0] != first->in[0])
            return IR_NONE;
        for (int k = 0; k < c->type->rank; k++)
            if (n->at.slice.stride.at[k] != next->at.slice.stride.at[k] ||
                next->at.slice.start.at[k] !=
                    (k == axis ? n->at.slice.limit.at[k] : n->at.slice.start.at[k]) ||
                (k == axis && n->at.slice.stride.at[k] != 1))
                return IR_NONE;
        n = next;
    }
    if (!n)
        return IR_NONE;
    for (int k = 0; k < c->type->rank; k++)
        limit[k] = n->at.slice.limit.at[k];
    return ir_slice(c->b, first->in[0], first->at.slice.start.at, limit,
                    first->at.slice.stride.at);
}

/* Empty operands add nothing; one operand is itself. */
static ir_ref
fold_concatenate(const fold_ctx *c)
{
    int axis = (int)c->at->axis.axis, n = 0;
    ir_ref *kept = IR_NEW_N(c->b->arena, ir_ref, c->n_in);

    for (int i = 0; i < c->n_in; i++)
        if (ir_btype(c->b, c->in[i])->dims[axis] > 0)
            kept[n++] = c->in[i];
    if (n == 0)
        return c->in[0];
    if (n == 1)
        return kept[0];
    return n < c->n_in ? ir_concatenate(c->b, n, kept, axis) : fold_neighbours(c, axis);
}

static ir_ref
fold_reverse(const fold_ctx *c)
{
    const ir_node *n = made_by(c->b, c->in[0], OP_reverse);
    ir_axes axes = 0;

    for (int k = 0; k < c->type->rank; k++)
        if (ir_axes_has(c->at->axes.axes, k) && c->type->dims[k] > 1)
            axes |= ir_axes_of(k);
    if (axes == 0)
        return c->in[0];
    if (n)
        return ir_reverse(c->b, n->in[0], axes ^ n->at.axes.axes);
    return axes != c->at->axes.axes ? ir_reverse(c->b, c->in[0], axes) : IR_NONE;
}

/* Over axes of size 1 every reduction is the one element; over no axes it is the operand. */
static ir_ref
fold_reduce(const fold_ctx *c)
{
    const ir_type *x = ir_btype(c->b, c->in[0]);

    for (int k = 0; k < x->rank; k++)
        if (ir_axes_has(c->at->axes.axes, k) && x->dims[k] != 1)
            return IR_NONE;
    return ir_reshape(c->b, c->in[0], c->type->rank, c->type->dims);
}

/* Starts are clamped, so a box as large as x is all of x. */
static ir_ref
fold_dynamic_slice(const fold_ctx *c)
{
    return ir_btype(c->b, c->in[0]) == c->type ? c->in[0] : IR_NONE;
}

static ir_ref
fold_dynamic_update_slice(const fold_ctx *c)
{
    const ir_type *y = ir_btype(c->b, c->in[1]);

    return y == c->type ? c->in[1] : y->size == 0 ? c->in[0] : IR_NONE;
}

static ir_ref
fold_scatter(const fold_ctx *c)
{
    return ir_btype(c->b, c->in[2])->size == 0 ? c->in[0] : IR_NONE;
}

#define fold_none NULL
static fold_rule *const structure[OP_COUNT] = {
#define OP(name, n_in, attrs, flags, infer, eval, jvp, transpose, vmap, lower, fold, ...)      \
    [OP_##name] = fold_##fold,
#include "ir/ops.def"
#undef OP
};

ir_ref
ir_fold(ir_build *b, ir_op op, int n_in, const ir_ref *in, const ir_attrs *at,
        const ir_type *type)
{
    fold_ctx c = { .b = b, .op = op, .n_in = n_in, .in = in, .at = at, .type = type };
    ir_ref v = fold_constants(&c);

    if (!v && n_in == 2)
        v = fold_identity(&c);
    if (!v && structure[op])
        v = structure[op](&c);
    return v;
}
