/* Ops on complex numbers, by C's complex numbers: see raw.h. */
#include <math.h>

#include "ir/axes.h"
#include "tests/raw/raw.h"

static const double pi = 3.14159265358979323846;

static raw_number
power(raw_number x, int64_t y)
{
    raw_number z = 1;

    for (int64_t i = 0; i < (y < 0 ? -y : y); i++)
        z *= x;
    return y < 0 ? 1 / z : z;
}

/* *z from x and y, operands of any type; false: not here. */
static bool
element(const ir_node *n, raw_number x, raw_number y, raw_number w, raw_number *z)
{
    switch (n->op) {
    case OP_neg: *z = -x; return true;
    case OP_add: *z = x + y; return true;
    case OP_sub: *z = x - y; return true;
    case OP_mul: *z = x * y; return true;
    case OP_div: *z = x / y; return true;
    case OP_abs: *z = cabs(x); return true;
    case OP_sign: *z = x == 0 ? 0 : x / cabs(x); return true;
    case OP_exp: *z = cexp(x); return true;
    case OP_exp2: *z = cexp(x * log(2)); return true;
    case OP_expm1: *z = cexp(x) - 1; return true;
    case OP_log: *z = clog(x); return true;
    case OP_log2: *z = clog(x) / log(2); return true;
    case OP_log1p: *z = clog(1 + x); return true;
    case OP_sqrt: *z = csqrt(x); return true;
    case OP_rsqrt: *z = 1 / csqrt(x); return true;
    case OP_sin: *z = csin(x); return true;
    case OP_cos: *z = ccos(x); return true;
    case OP_tan: *z = ctan(x); return true;
    case OP_asin: *z = casin(x); return true;
    case OP_acos: *z = cacos(x); return true;
    case OP_atan: *z = catan(x); return true;
    case OP_sinh: *z = csinh(x); return true;
    case OP_cosh: *z = ccosh(x); return true;
    case OP_tanh: *z = ctanh(x); return true;
    case OP_asinh: *z = casinh(x); return true;
    case OP_acosh: *z = cacosh(x); return true;
    case OP_atanh: *z = catanh(x); return true;
    case OP_logistic: *z = 1 / (1 + cexp(-x)); return true;
    case OP_pow: *z = cpow(x, y); return true;
    case OP_integer_pow: *z = power(x, n->at->ipow.y); return true;
    case OP_is_finite: *z = isfinite(creal(x)) && isfinite(cimag(x)); return true;
    case OP_eq: *z = x == y; return true;
    case OP_ne: *z = x != y; return true;
    case OP_select: *z = x != 0 ? y : w; return true;
    case OP_complex: *z = x + I * y; return true;
    case OP_real: *z = creal(x); return true;
    case OP_imag: *z = cimag(x); return true;
    case OP_conj: *z = conj(x); return true;
    case OP_convert:
    case OP_stop_gradient:
    case OP_barrier: *z = x; return true;
    default: return false;
    }
}

static bool
elements(const raw_node *a)
{
    const ir_type *t = ir_type_at(a->f, a->n->first);
    raw_number x[3] = { 0 }, z;

    if (a->n->op == OP_convert && !ir_is_inexact(t->dtype))
        return false;
    for (int64_t e = 0; e < t->size; e++) {
        for (int i = 0; i < a->n->n_in; i++)
            x[i] = raw_load(ir_type_at(a->f, a->n->in[i]), a->in[i], e);
        if (!element(a->n, x[0], x[1], x[2], &z))
            return false;
        raw_store(t, a->out[0], e, z);
    }
    return true;
}

/* The index of an element along each axis, and back. */
static void
split(const ir_type *t, int64_t e, int64_t *at)
{
    for (int i = t->rank - 1; i >= 0; i--) {
        at[i] = e % t->dims[i];
        e /= t->dims[i];
    }
}

static int64_t
joined(const ir_type *t, const int64_t *at)
{
    int64_t e = 0;

    for (int i = 0; i < t->rank; i++)
        e = e * t->dims[i] + at[i];
    return e;
}

/* From the first to the last element of each result. */
static bool
reduce(const raw_node *a)
{
    const ir_type *x = ir_type_at(a->f, a->n->in[0]), *t = ir_type_at(a->f, a->n->first);
    const bool sums = a->n->op == OP_reduce_sum;
    int64_t at[64], to[64];

    for (int64_t e = 0; e < t->size; e++) {
        raw_number z = sums ? 0 : 1;
        for (int64_t k = 0; k < x->size; k++) {
            split(x, k, at);
            int rank = 0;
            for (int i = 0; i < x->rank; i++)
                if (!(a->n->at->axes.axes >> i & 1))
                    to[rank++] = at[i];
            if (joined(t, to) == e)
                z = sums ? z + raw_load(x, a->in[0], k) : z * raw_load(x, a->in[0], k);
        }
        raw_store(t, a->out[0], e, z);
    }
    return true;
}

static bool
cumulate(const raw_node *a)
{
    const ir_type *t = ir_type_at(a->f, a->n->first);
    const int axis = (int)a->n->at->cumulate.axis;
    int64_t at[64];

    for (int64_t e = 0; e < t->size; e++) {
        raw_number z = a->n->op == OP_cumsum ? 0 : 1;
        split(t, e, at);
        const int64_t here = at[axis];
        for (at[axis] = 0; at[axis] < t->dims[axis]; at[axis]++)
            if (a->n->at->cumulate.reverse ? at[axis] >= here : at[axis] <= here) {
                const raw_number x = raw_load(t, a->in[0], joined(t, at));
                z = a->n->op == OP_cumsum ? z + x : z * x;
            }
        raw_store(t, a->out[0], e, z);
    }
    return true;
}

static bool
constant(const raw_node *a)
{
    const ir_type *t = ir_type_at(a->f, a->n->first);
    const ir_data *d = &a->n->at->constant.data;

    for (int64_t e = 0; e < t->size; e++)
        raw_store(t, a->out[0], e, raw_load(t, d->bytes, d->splat ? 0 : e));
    return true;
}

static bool
iota(const raw_node *a)
{
    const ir_type *t = ir_type_at(a->f, a->n->first);
    int64_t at[64];

    for (int64_t e = 0; e < t->size; e++) {
        split(t, e, at);
        raw_store(t, a->out[0], e, (double)at[a->n->at->iota.axis]);
    }
    return true;
}

/* y_k = sum over j of x_j e^(-2 pi i j k / n). */
static bool
transform(const raw_node *a)
{
    const ir_type *t = ir_type_at(a->f, a->n->first);
    const int64_t n = t->rank ? t->dims[t->rank - 1] : 1;
    const double turn = (a->n->at->fft.inverse ? 2 : -2) * pi / (double)n;

    if (!ir_is_complex(t->dtype))
        return false;
    for (int64_t e = 0; e < t->size; e++) {
        raw_number z = 0;
        for (int64_t j = 0; j < n; j++)
            z +=
                raw_load(t, a->in[0], e / n * n + j) * cexp(I * turn * (double)(e % n * j % n));
        raw_store(t, a->out[0], e, z);
    }
    return true;
}

static bool
is_in(ir_ints list, int64_t x)
{
    for (int i = 0; i < list.n; i++)
        if (list.at[i] == x)
            return true;
    return false;
}

/* The free axes of an operand, to where the result's index has them. */
static void
put_free(const ir_type *t, ir_ints batch, ir_ints contracted, const int64_t **from, int64_t *at)
{
    for (int i = 0; i < t->rank; i++)
        if (!is_in(batch, i) && !is_in(contracted, i))
            at[i] = *(*from)++;
}

static bool
product(const raw_node *a)
{
    const ir_type *x = ir_type_at(a->f, a->n->in[0]), *y = ir_type_at(a->f, a->n->in[1]),
                  *t = ir_type_at(a->f, a->n->first);
    const ir_ints xk = a->n->at->dot.lhs, yk = a->n->at->dot.rhs, xb = a->n->at->dot.lhs_batch,
                  yb = a->n->at->dot.rhs_batch;
    int64_t at[64], ax[64], ay[64], steps = 1;

    for (int i = 0; i < xk.n; i++)
        steps *= x->dims[xk.at[i]];
    for (int64_t e = 0; e < t->size; e++) {
        raw_number z = 0;
        split(t, e, at);
        const int64_t *from = at + xb.n;
        for (int i = 0; i < xb.n; i++)
            ax[xb.at[i]] = ay[yb.at[i]] = at[i];
        put_free(x, xb, xk, &from, ax);
        put_free(y, yb, yk, &from, ay);
        for (int64_t k = 0; k < steps; k++) {
            int64_t rest = k;
            for (int i = xk.n - 1; i >= 0; i--) {
                ax[xk.at[i]] = ay[yk.at[i]] = rest % x->dims[xk.at[i]];
                rest /= x->dims[xk.at[i]];
            }
            z += raw_load(x, a->in[0], joined(x, ax)) * raw_load(y, a->in[1], joined(y, ay));
        }
        raw_store(t, a->out[0], e, z);
    }
    return true;
}

bool
raw_complex(const raw_node *a)
{
    switch (a->n->op) {
    case OP_reduce_sum:
    case OP_reduce_prod: return reduce(a);
    case OP_cumsum:
    case OP_cumprod: return cumulate(a);
    case OP_constant: return constant(a);
    case OP_iota: return iota(a);
    case OP_fft: return transform(a);
    case OP_dot_general: return product(a);
    default: return ir_ops[a->n->op].flag == IR_POINTWISE && elements(a);
    }
}
