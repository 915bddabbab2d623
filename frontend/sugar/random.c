/* Distributions over random bits, and JAX's threefry keys.
 *
 * Element i (row-major) of a draw has the counter i under the key; a distribution is a function
 * of those bits, written with the ops of trace.h, so that it compiles, maps and differentiates
 * by their rules.  f16 and bf16 draw what f32 does with fewer bits. */
#include "cotrace/random.h"

#include "frontend/trace.h"

typedef struct draw {
    const char *op;
    cot_type type;
    cot_random_options o;
    cot_operand p;
    int64_t low, high;
} draw;

/* ---- bits ---- */

static ir_ref
checked_key(ir_build *b, const char *op, ir_ref key, cot_dtype word)
{
    const ir_type *t = key ? ir_btype(b, key) : NULL;

    if (t && (t->dtype != word || t->rank != 1 || t->dims[0] != 2)) {
        ir_build_fail(b, op, ERR_random_key, ir_type_str(b->ctx, t),
                      word == COT_U64 ? "u64[2]" : "u32[2]");
        return IR_NONE;
    }
    return key;
}

static ir_ref
key_of(ir_build *b, const draw *d)
{
    if (!d->o.key.ctx)
        return fe_next_key(b->ctx->trace);
    return checked_key(b, d->op, fe_resolve(b->ctx->trace, d->o.key, d->op, 0), COT_U64);
}

static const ir_type *
type_of(ir_build *b, const draw *d, bool ok, const char *wanted)
{
    const ir_type *t = ir_type_of(b->ctx, &d->type);

    if (!t) {
        b->status = b->ctx->status;
    } else if (!ok) {
        ir_build_fail(b, d->op, ERR_dtype_not, ir_type_str(b->ctx, t), wanted);
        t = NULL;
    }
    return t;
}

/* 64 bits for each element of the shape of t: half `word` of what the counter gives. */
static ir_ref
bits64(ir_build *b, ir_ref key, const ir_type *t, int word)
{
    ir_ref n = ir_iota(b, COT_U64, 1, &t->size, 0);

    return ir_reshape(b, ir_philox(b, key, n, word), t->rank, t->dims);
}

static ir_ref
shifted(ir_build *b, ir_ref x, int64_t by)
{
    return x ? ir_op2(b, OP_shr_logical, x, ir_splat_int(b, ir_btype(b, x), by)) : IR_NONE;
}

static ir_ref
bits(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const draw *d = options;
    const ir_type *t = type_of(b, d, ir_is_unsigned(d->type.dtype), "an unsigned type");

    (void)x, (void)n;
    if (!t)
        return IR_NONE;
    return ir_convert(b, shifted(b, bits64(b, key_of(b, d), t, 0), 64 - ir_bits(t->dtype)),
                      t->dtype);
}

/* ---- floats ---- */

static int
digits(cot_dtype t)
{
    return t == COT_F64 ? 53 : t == COT_F32 ? 24 : t == COT_F16 ? 11 : 8;
}

/* k 2^-digits for k from `from` on: [0, 1), or (0, 1] where from is 1.  In f32 or f64. */
static ir_ref
unit(ir_build *b, ir_ref bits, cot_dtype t, int from)
{
    const int n = digits(t);
    const cot_dtype wide = ir_compute_type(t);
    ir_ref k = ir_convert(b, shifted(b, bits, 64 - n), n > 24 ? COT_I64 : COT_I32);

    if (from)
        k = ir_add(b, k, ir_like(b, k, from));
    k = ir_convert(b, k, wide);
    return ir_mul(b, k, ir_like(b, k, 1.0 / (double)((int64_t)1 << n)));
}

static ir_ref
uniform01(ir_build *b, const draw *d, const ir_type *t)
{
    return unit(b, bits64(b, key_of(b, d), t, 0), t->dtype, 0);
}

static const ir_type *
floating(ir_build *b, const draw *d)
{
    return type_of(b, d, ir_is_float(d->type.dtype), "a floating type");
}

static ir_ref
uniform(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const draw *d = options;
    const ir_type *t = floating(b, d);

    (void)x, (void)n;
    if (!t)
        return IR_NONE;
    ir_ref u = uniform01(b, d, t);
    if (d->o.low != 0 || d->o.high != 0) {
        ir_ref constant = ir_like(b, u, d->o.low);
        u = ir_add(b, ir_mul(b, u, ir_like(b, u, d->o.high - d->o.low)), constant);
    }
    return ir_convert(b, u, t->dtype);
}

static ir_ref
normal_of(ir_build *b, ir_ref key, const ir_type *t)
{
    const cot_dtype as = ir_compute_type(t->dtype);
    ir_ref u = unit(b, bits64(b, key, t, 0), as, 1), v = unit(b, bits64(b, key, t, 1), as, 0);
    ir_ref r = ir_op1(b, OP_log, u);

    if (!r || !v)
        return IR_NONE;
    r = ir_op1(b, OP_sqrt, ir_mul(b, r, ir_like(b, r, -2)));
    return ir_mul(b, r, ir_op1(b, OP_cos, ir_mul(b, v, ir_like(b, v, 6.283185307179586))));
}

static ir_ref
normal(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const draw *d = options;
    const ir_type *t = floating(b, d);

    (void)x, (void)n;
    return t ? ir_convert(b, normal_of(b, key_of(b, d), t), t->dtype) : IR_NONE;
}

static ir_ref
exponential(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const draw *d = options;
    const ir_type *t = floating(b, d);

    (void)x, (void)n;
    if (!t)
        return IR_NONE;
    ir_ref u = unit(b, bits64(b, key_of(b, d), t, 0), ir_compute_type(t->dtype), 1);
    return ir_convert(b, ir_neg(b, ir_op1(b, OP_log, u)), t->dtype);
}

/* -log(-log(u)); a u of 0 stands for half a step, so that no draw is infinite. */
static ir_ref
gumbel(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const draw *d = options;
    const ir_type *t = floating(b, d);

    (void)x, (void)n;
    if (!t)
        return IR_NONE;
    ir_ref u = uniform01(b, d, t);
    u = ir_op2(b, OP_max, u, ir_like(b, u, 0.5 / (double)((int64_t)1 << digits(t->dtype))));
    ir_ref e = ir_neg(b, ir_op1(b, OP_log, u));
    return ir_convert(b, ir_neg(b, ir_op1(b, OP_log, e)), t->dtype);
}

/* ---- integers ---- */

static ir_ref
bernoulli(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const draw *d = options;
    const ir_type *t = type_of(b, d, true, "");
    fe_arg p = { IR_NONE, d->p.kind, d->p.real, d->p.integer };

    (void)x, (void)n;
    if (!t)
        return IR_NONE;
    if (p.kind == COT_IS_VALUE)
        p.ref = fe_resolve(b->ctx->trace, d->p.value, d->op, 1);
    else
        p.ref = fe_number(b, d->op, &p, ir_scalar_type(b->ctx, COT_F32));
    if (!p.ref)
        return IR_NONE;
    const ir_type *as = ir_type_as(b->ctx, t, ir_compute_type(ir_btype(b, p.ref)->dtype));
    if (!ir_is_float(as->dtype)) {
        ir_build_fail(b, d->op, ERR_dtype_not, ir_type_str(b->ctx, ir_btype(b, p.ref)),
                      "a floating type");
        return IR_NONE;
    }
    ir_ref u = uniform01(b, d, as);
    p.ref = fe_broadcast_to(b, d->op, ir_convert(b, p.ref, as->dtype), t->rank, t->dims);
    return p.ref ? ir_op2(b, OP_lt, u, p.ref) : IR_NONE;
}

/* The upper half of bits * range, 96 bits wide: floor(range * bits / 2^64). */
static ir_ref
randint(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const draw *d = options;
    const ir_type *t = type_of(b, d, ir_is_int(d->type.dtype), "an integer type");
    const uint64_t range = (uint64_t)d->high - (uint64_t)d->low;

    (void)x, (void)n;
    if (!t)
        return IR_NONE;
    if (d->high <= d->low || range > (uint64_t)1 << 32) {
        ir_build_fail(b, d->op, ERR_attr_wrong,
                      ir_format(b->arena, "the range is %lld to %lld; wants 1 to 2^32 integers",
                                (long long)d->low, (long long)d->high));
        return IR_NONE;
    }
    ir_ref y = bits64(b, key_of(b, d), t, 0);
    if (!y)
        return IR_NONE;
    ir_ref size = ir_splat_int(b, ir_btype(b, y), (int64_t)range);
    ir_ref low = ir_op2(b, OP_and, y, ir_splat_int(b, ir_btype(b, y), 0xffffffff));
    low = shifted(b, ir_mul(b, low, size), 32);
    y = shifted(b, ir_add(b, ir_mul(b, shifted(b, y, 32), size), low), 32);
    y = ir_convert(b, y, COT_I64);
    return ir_convert(b, ir_add(b, y, ir_splat_int(b, ir_btype(b, y), d->low)), t->dtype);
}

/* The places of as many random numbers, sorted. */
static ir_ref
permutation(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const draw *d = options;
    const ir_type *t = type_of(b, d, true, "");

    (void)x, (void)n;
    if (!t)
        return IR_NONE;
    ir_ref k = bits64(b, key_of(b, d), t, 0);

    return ir_node1(b, OP_argsort, 1, &k, &(ir_attrs){ .arg = { 0, COT_I32 } });
}

/* The place of the largest of logits plus Gumbel noise. */
static ir_ref
categorical(ir_build *b, const fe_arg *x, int n, const void *options)
{
    draw d = *(const draw *)options;
    ir_ref logits = fe_widen(b, x[0].ref);
    const ir_type *t = logits ? ir_btype(b, logits) : NULL;

    (void)n;
    if (!t || !fe_is_float(b, d.op, t))
        return IR_NONE;
    if (t->rank < 1) {
        ir_build_fail(b, d.op, ERR_rank_least, ir_type_str(b->ctx, t), 1);
        return IR_NONE;
    }
    ir_ref u = unit(b, bits64(b, key_of(b, &d), t, 0), t->dtype, 1);
    ir_ref e = ir_neg(b, ir_op1(b, OP_log, u));
    ir_ref noisy = ir_sub(b, logits, ir_op1(b, OP_log, e));
    return ir_node1(b, OP_argmax, 1, &noisy, &(ir_attrs){ .arg = { t->rank - 1, COT_I32 } });
}

static ir_ref
dropout(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const draw *d = options;
    ir_ref wide = fe_widen(b, x[0].ref);
    const ir_type *t = wide ? ir_btype(b, wide) : NULL;

    (void)n;
    if (!t)
        return IR_NONE;
    if (!ir_is_float(t->dtype)) {
        ir_build_fail(b, d->op, ERR_dtype_not, ir_type_str(b->ctx, t), "a floating type");
        return IR_NONE;
    }
    if (!(d->p.real >= 0 && d->p.real < 1)) {
        ir_build_fail(b, d->op, ERR_attr_wrong,
                      ir_format(b->arena, "p is %g; wants 0 or more, below 1", d->p.real));
        return IR_NONE;
    }
    ir_ref u = uniform01(b, d, t), keep = ir_op2(b, OP_ge, u, ir_like(b, u, d->p.real));
    ir_ref y = ir_mul(b, wide, ir_like(b, wide, 1 / (1 - d->p.real)));
    return fe_narrow(b, ir_select(b, keep, y, ir_like(b, y, 0)), ir_btype(b, x[0].ref)->dtype);
}

/* ---- gamma ---- */

/* One attempt for every element that has none accepted yet; the trip joins the key.  Inputs: d,
 * c, key, trip, done, y. */
static ir_graph *
gamma_step(ir_build *b, const ir_type *t, const ir_type *key)
{
    ir_build *r = ir_build_new(b->ctx, "gamma.do");
    ir_ref d = ir_input(r, t, "d"), c = ir_input(r, t, "c"), k = ir_input(r, key, "key");
    ir_ref trip = ir_input(r, ir_scalar_type(b->ctx, COT_U64), "trip");
    ir_ref done = ir_input(r, ir_type_as(b->ctx, t, COT_BOOL), "done"), y = ir_input(r, t, "y");
    ir_ref one = ir_splat(r, t, 1), zero = ir_splat(r, t, 0);
    ir_graph *g = NULL;

    k = ir_fold_in(r, k, trip);
    ir_ref x = normal_of(r, k, t);
    ir_ref u = unit(r, bits64(r, ir_fold_in(r, k, trip), t, 0), t->dtype, 1);
    ir_ref v = ir_integer_pow(r, ir_add(r, one, ir_mul(r, c, x)), 3);
    ir_ref positive = ir_op2(r, OP_gt, v, zero);
    ir_ref safe = ir_select(r, positive, v, one);
    ir_ref logarithm = ir_op1(r, OP_log, safe);
    ir_ref product = ir_mul(r, d, ir_add(r, ir_sub(r, one, v), logarithm));
    ir_ref right = ir_mul(r, x, x);
    ir_ref bound = ir_add(r, ir_mul(r, ir_splat(r, t, 0.5), right), product);
    ir_ref good = ir_op2(r, OP_and, positive, ir_op2(r, OP_lt, ir_op1(r, OP_log, u), bound));

    ir_output(r, ir_add(r, trip, ir_like(r, trip, 1)));
    ir_output(r, ir_op2(r, OP_or, done, good));
    ir_output(r, ir_select(r, done, y, ir_select(r, good, ir_mul(r, d, v), zero)));
    if (ir_build_end(r, &g) != COT_OK)
        b->status = r->status;
    return g;
}

static ir_graph *
gamma_goes_on(ir_build *b, const ir_type *t, const ir_type *key)
{
    ir_build *r = ir_build_new(b->ctx, "gamma.while");
    ir_graph *g = NULL;

    ir_input(r, t, "d"), ir_input(r, t, "c"), ir_input(r, key, "key");
    ir_input(r, ir_scalar_type(b->ctx, COT_U64), "trip");
    ir_ref done = ir_input(r, ir_type_as(b->ctx, t, COT_BOOL), "done");
    ir_input(r, t, "y");
    ir_output(
        r, ir_reduce(r, OP_reduce_or, ir_op1(r, OP_not, done), ir_axes_shift(1, t->rank) - 1));
    if (ir_build_end(r, &g) != COT_OK)
        b->status = r->status;
    return g;
}

/* Below 1 the shape is raised by 1, and the result multiplied by u^(1/alpha).  The loop sees
 * alpha without its derivative: gamma_sample knows that of the whole draw. */
static ir_ref
gamma_(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const draw *o = options;
    ir_ref alpha = ir_op1(b, OP_stop_gradient, x[0].ref);
    const ir_type *t = alpha ? ir_btype(b, alpha) : NULL;

    (void)n;
    if (!t)
        return IR_NONE;
    if (t->dtype != COT_F32 && t->dtype != COT_F64) {
        ir_build_fail(b, o->op, ERR_dtype_not, ir_type_str(b->ctx, t), "f32 or f64");
        return IR_NONE;
    }
    ir_ref key = key_of(b, o), one = ir_splat(b, t, 1);
    if (!key)
        return IR_NONE;
    ir_ref small = ir_op2(b, OP_lt, alpha, one);
    ir_ref raised = ir_select(b, small, ir_add(b, alpha, one), alpha);
    ir_ref d = ir_sub(b, raised, ir_splat(b, t, 1.0 / 3));
    ir_ref c = ir_op1(b, OP_rsqrt, ir_mul(b, d, ir_splat(b, t, 9)));
    ir_ref in[6] = { d, c, key, ir_splat_int(b, ir_scalar_type(b->ctx, COT_U64), 0),
                     ir_op2(b, OP_ne, d, d), ir_splat(b, t, 0) }, out[3];
    ir_attrs at = { .loop = { .consts = 3, .cond = gamma_goes_on(b, t, ir_btype(b, key)),
                              .body = gamma_step(b, t, ir_btype(b, key)) } };
    if (b->status != COT_OK)
        return IR_NONE;
    ir_add_node(b, OP_while, 6, in, &at, out);
    ir_ref u = unit(b, bits64(b, key, t, 0), t->dtype, 1);
    ir_ref boost = ir_op2(b, OP_pow, u, ir_div(b, one, alpha));
    return ir_op2(b, OP_gamma_sample, x[0].ref,
                  ir_mul(b, out[2], ir_select(b, small, boost, one)));
}

/* ---- keys ---- */

static ir_ref
fold_in(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const ir_type *t = ir_scalar_type(b->ctx, COT_U64);
    ir_ref key = checked_key(b, "fold_in", x[0].ref, COT_U64), by;

    (void)n, (void)options;
    if (x[1].kind == COT_IS_VALUE)
        by = ir_convert(b, x[1].ref, COT_U64);
    else
        by = fe_number(b, "fold_in", &x[1], t);
    return ir_fold_in(b, key, by);
}

cot_value
cot_fold_in_(cot_place at, cot_value key, cot_operand n)
{
    return fe_apply(at, "fold_in", fold_in, 2,
                    (const cot_operand[]){ cot_operand_value(key), n }, NULL);
}

static ir_ref
split_key(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const int64_t count = *(const int64_t *)options;

    (void)n;
    ir_ref number = ir_iota(b, COT_U64, 1, &count, 0);
    return ir_fold_in(b, checked_key(b, "split_key", x[0].ref, COT_U64), number);
}

cot_value
cot_split_key_(cot_place at, cot_value key, int64_t n)
{
    return fe_apply1(at, "split_key", split_key, key, &n);
}

/* ---- public draws ---- */

static draw
draw_of(const char *op, cot_type type, const cot_random_options *o, size_t size)
{
    draw d = { .op = op, .type = type };

    fe_options(&d.o, sizeof d.o, o, size);
    return d;
}

#define DRAW(name)                                                                             \
    cot_value cot_##name##_(cot_place at, cot_trace *t, cot_type type,                         \
                            const cot_random_options *o, size_t size)                          \
    {                                                                                          \
        draw d = draw_of(#name, type, o, size);                                                \
        return fe_apply0(at, t, #name, name, &d);                                              \
    }
DRAW(bits)
DRAW(uniform)
DRAW(normal)
DRAW(exponential)
DRAW(gumbel)

cot_value
cot_bernoulli_(cot_place at, cot_trace *t, cot_type shape, cot_operand p,
               const cot_random_options *o, size_t size)
{
    draw d = draw_of("bernoulli", shape, o, size);

    d.p = p;
    return fe_apply0(at, t, "bernoulli", bernoulli, &d);
}

cot_value
cot_randint_(cot_place at, cot_trace *t, cot_type type, int64_t low, int64_t high,
             const cot_random_options *o, size_t size)
{
    draw d = draw_of("randint", type, o, size);

    d.low = low;
    d.high = high;
    return fe_apply0(at, t, "randint", randint, &d);
}

cot_value
cot_permutation_(cot_place at, cot_trace *t, int64_t n, const cot_random_options *o,
                 size_t size)
{
    draw d = draw_of("permutation", (cot_type){ COT_I32, 1, { n }, NULL }, o, size);

    return fe_apply0(at, t, "permutation", permutation, &d);
}

cot_value
cot_gamma_(cot_place at, cot_trace *t, cot_value alpha, const cot_random_options *o,
           size_t size)
{
    draw d = draw_of("gamma", (cot_type){ 0 }, o, size);

    (void)t;
    return fe_apply1(at, "gamma", gamma_, alpha, &d);
}

cot_value
cot_categorical_(cot_place at, cot_value logits, const cot_random_options *o, size_t size)
{
    draw d = draw_of("categorical", (cot_type){ 0 }, o, size);

    return fe_apply1(at, "categorical", categorical, logits, &d);
}

cot_value
cot_dropout_(cot_place at, cot_value x, double p, const cot_random_options *o, size_t size)
{
    draw d = draw_of("dropout", (cot_type){ 0 }, o, size);

    d.p = cot_operand_real(p);
    return fe_apply1(at, "dropout", dropout, x, &d);
}
