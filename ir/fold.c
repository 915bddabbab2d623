/* Folding: a value that equals op(in) bit for bit, made without the op.
 *
 * First come constants: an op whose operands are all constant is evaluated by the reference
 * evaluator, so that folding cannot disagree with running.  Results stay small: at most
 * FOLD_SMALL elements, or one repeated (a pointwise op of splats is a splat, a moved splat is a
 * splat).  Then come identities, which hold for NaN, infinities and signed zeros: x + -0 = x,
 * but x + 0 is not x (it changes -0 to +0), and x * 0 is 0 for integers only.  Ops that compute
 * complex constants are not folded; they fold after passes/complex has split them into pairs.
 * No rule swaps operands, and all of them always run: the bits of a graph do not depend on who
 * built it (docs/numerics.md section 2).
 *
 * Many of them hold at some sizes only: a sum over one element, a concatenation with nothing, a
 * list of 64 constants.  Which products contract joins with sums must not depend on a size, so
 * until it has run
 *
 *   - no fold of an op that hides a product from contract gives one (what it gives otherwise is
 *     no product before and after, and what shows a product shows the same one);
 *   - identities take splats for constants, never lists, whose elements are equal by their
 *     number or value (a mul by a list of 1 is a product, as one by any other list is);
 *   - a product of lists stays a mul, as that of longer lists does.
 *
 * Behind contract all of it folds. */
#include <math.h>

#include "ir/eval/eval.h"
#include "ir/fold.h"

enum { MAX_READ = 4096 };

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

/* Evaluates the op; `one`: on scalars, because the op is pointwise and all operands are
 * splats. */
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
        const ir_data *d = fold_constant_of(c->b, c->in[i]);

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
                   : ir_data_list(c->b->arena, c->type, out);
    ir_arena_free(a);
    return status == COT_OK ? fold_add_constant(c->b, data) : IR_NONE;
}

/* Is the op a product of which contract has not yet seen whether a sum joins it? */
static bool
may_be_joined(const fold_ctx *c)
{
    return c->op == OP_mul && !ir_is_contracted(c->b) && ir_contracts(c->type->dtype);
}

static ir_ref
fold_constants(const fold_ctx *c)
{
    bool splats = true, complex = ir_is_complex(c->type->dtype);
    int64_t read = 0;

    if (c->n_in == 0 || ir_ops[c->op].flag >= IR_COLLECTIVE)
        return IR_NONE;
    for (int i = 0; i < c->n_in; i++) {
        const ir_data *d = fold_constant_of(c->b, c->in[i]);

        if (!d)
            return IR_NONE;
        splats &= d->splat;
        complex |= ir_is_complex(d->type->dtype);
        read += d->type->size < MAX_READ ? d->type->size : MAX_READ + 1;
    }
    if (!splats && may_be_joined(c))
        return IR_NONE;
    if (splats && ir_is_view(c->op))
        return fold_add_constant(
            c->b, ir_data_splat(c->b->arena, c->type, fold_constant_of(c->b, c->in[0])->bytes));
    if (complex)
        return IR_NONE;
    if (splats && ir_ops[c->op].flag == IR_POINTWISE)
        return evaluate(c, true);
    if (c->type->size <= FOLD_SMALL && read <= MAX_READ)
        return evaluate(c, false);
    return IR_NONE;
}

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
    case ONES: return is_all_ones(fold_constant_of(b, v));
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

/* Most ops have no identity. */
ir_ref
fold_none(const fold_ctx *c)
{
    (void)c;
    return IR_NONE;
}

static fold_rule *const structure[OP_COUNT] = {
#define OP(name, n_in, attrs, flags, infer, eval, jvp, transpose, vmap, lower, fold, ...)      \
    [OP_##name] = fold_##fold,
#include "ir/ops.def"
#undef OP
};

bool
ir_is_product(const ir_build *b, ir_ref v)
{
    const ir_node *n = ir_bdef(b, v);

    while (n && ir_shows_product(n->op))
        n = ir_bdef(b, n->in[0]);
    return n && n->op == OP_mul && !ir_is_half(ir_btype(b, v)->dtype) &&
           ir_is_inexact(ir_btype(b, v)->dtype);
}

/* Would contract see the product v in the place of an op that hides it?  A conversion to the
 * type that its operand has is none, whatever the sizes are. */
static bool
exposes_product(const fold_ctx *c, ir_ref v)
{
    const bool none = ir_ops[c->op].record == IR_AT_dtype && v == c->in[0];
    return !none && !ir_is_contracted(c->b) && !ir_shows_product(c->op) &&
           ir_is_product(c->b, v);
}

/* Is it one number, or a list that a shape may be computed from: of lengths, or of pairs of
 * what windows are padded with? */
static bool
is_of_shapes(const ir_type *t)
{
    const bool pairs = t->rank == 2 && t->dims[1] == 2;

    return t->rank == 0 || ((ir_is_int(t->dtype) || t->dtype == COT_BOOL) &&
                            (t->rank == 1 || pairs) && t->dims[0] <= COT_MAX_RANK);
}

bool
ir_folds(const ir_build *b, int n_in, const ir_ref *in, const ir_type *result)
{
    int rank = 0;

    if (b->fold || !b->ctx->folds_shapes)
        return b->fold;
    for (int i = 0; i < n_in; i++) {
        const ir_node *n = ir_bdef(b, in[i]);
        const ir_type *t = b->value[in[i]].type;

        if (!n || ir_ops[n->op].record != IR_AT_constant || !is_of_shapes(t))
            return false;
        rank |= t->rank;
    }
    /* one number that becomes a list is an array that happens to be short */
    return n_in > 0 && is_of_shapes(result) && (rank || result->size == 1);
}

ir_ref
ir_fold(ir_build *b, ir_op op, int n_in, const ir_ref *in, const ir_attrs *at,
        const ir_type *type)
{
    fold_ctx c = { .b = b, .op = op, .n_in = n_in, .in = in, .at = at, .type = type };
    ir_ref v = fold_constants(&c);

    if (!v && n_in == 2)
        v = fold_identity(&c);
    if (v)
        return v;
    v = structure[op](&c);
    return v && exposes_product(&c, v) ? IR_NONE : v;
}
