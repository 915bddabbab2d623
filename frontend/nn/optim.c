/* Optimisers: one step from parameters, gradients and state to the next.
 *
 * A kind is a formula on one parameter with its slots of state; the driver runs it for each
 * parameter. The state is stored slot by slot: all first slots, then all second ones; before
 * them is the count of steps of Adam, and of SGD with dampening.  Formulas and their order of
 * operations are those of PyTorch's documentation. */
#include <math.h>

#include "cotrace/optim.h"

#include "frontend/nn/nn.h"

typedef struct optimizer_step {
    const cot_optim *o;
    cot_value rate; /* scalar; unset: o->rate */
    double fixed, decay;
    cot_value fix1, fix2; /* adam: 1 - beta^t */
    /* sgd: the weight of g in the new velocity; the first step takes all of g */
    cot_value share;
} optimizer_step;

/* x (a parameter) and g become the next x; s, its slots, become the next slots. */
typedef cot_value formula(cot_place at, const optimizer_step *u, cot_value x, cot_value g,
                          cot_value *s);

static double
either(double x, double absent)
{
    return x == 0 ? absent : x;
}

/* x - rate d */
static cot_value
moved(cot_place at, const optimizer_step *u, cot_value x, cot_value d)
{
    return cot_sub(x, fe_given(u->rate) ? cot_mul(cot_convert(u->rate, cot_dtype_of(x)), d)
                                        : cot_mul(u->fixed, d));
}

/* (1 - rate decay) x */
static cot_value
decayed(cot_place at, const optimizer_step *u, cot_value x)
{
    return u->decay > 0 ? moved(at, u, x, cot_mul(u->decay, x)) : x;
}

/* b m + (1 - b) x */
static cot_value
averaged(cot_place at, cot_value m, cot_value x, double b)
{
    return cot_add(cot_mul(b, m), cot_mul(1 - b, x));
}

static cot_value
sgd(cot_place at, const optimizer_step *u, cot_value x, cot_value g, cot_value *s)
{
    const cot_optim *o = u->o;

    if (o->momentum != 0) {
        s[0] = cot_add(cot_mul(o->momentum, s[0]),
                       o->dampening == 0 ? g
                                         : cot_mul(cot_convert(u->share, cot_dtype_of(g)), g));
        g = o->nesterov ? cot_add(g, cot_mul(o->momentum, s[0])) : s[0];
    }
    return moved(at, u, x, g);
}

static cot_value
adam(cot_place at, const optimizer_step *u, cot_value x, cot_value g, cot_value *s)
{
    const cot_optim *o = u->o;
    const cot_dtype t = cot_dtype_of(x);

    if (o->kind == COT_ADAMW)
        x = decayed(at, u, x);
    s[0] = averaged(at, s[0], g, either(o->beta1, 0.9));
    s[1] = averaged(at, s[1], cot_square(g), either(o->beta2, 0.999));
    cot_value square = s[1];
    if (o->amsgrad)
        square = s[2] = cot_max(s[2], s[1]);
    cot_value below =
        cot_add(cot_sqrt(cot_div(square, cot_convert(u->fix2, t))), either(o->eps, 1e-8));
    return moved(at, u, x, cot_div(cot_div(s[0], cot_convert(u->fix1, t)), below));
}

static cot_value
rmsprop(cot_place at, const optimizer_step *u, cot_value x, cot_value g, cot_value *s)
{
    const cot_optim *o = u->o;
    const double alpha = either(o->alpha, 0.99);
    int k = 1;

    s[0] = averaged(at, s[0], cot_square(g), alpha);
    cot_value square = s[0];
    if (o->centered) {
        s[1] = averaged(at, s[1], g, alpha);
        square = cot_sub(square, cot_square(s[1]));
        k = 2;
    }
    cot_value d = cot_div(g, cot_add(cot_sqrt(square), either(o->eps, 1e-8)));
    if (o->momentum != 0)
        d = s[k] = cot_add(cot_mul(o->momentum, s[k]), d);
    return moved(at, u, x, d);
}

static cot_value
adagrad(cot_place at, const optimizer_step *u, cot_value x, cot_value g, cot_value *s)
{
    s[0] = cot_add(s[0], cot_square(g));
    return moved(at, u, x, cot_div(g, cot_add(cot_sqrt(s[0]), either(u->o->eps, 1e-10))));
}

static cot_value
lion(cot_place at, const optimizer_step *u, cot_value x, cot_value g, cot_value *s)
{
    cot_value d = cot_sign(averaged(at, s[0], g, either(u->o->beta1, 0.9)));

    x = decayed(at, u, x);
    s[0] = averaged(at, s[0], g, either(u->o->beta2, 0.99));
    return moved(at, u, x, d);
}

typedef struct method {
    formula *f;
    double rate;
    bool counts,
        decouples; /* its state has the number of steps; it applies weight decay itself */
    double decay;  /* the weight decay that it has by default */
} method;

static const method methods[] = {
    [COT_SGD] = { sgd, 1e-2, false, false },
    [COT_ADAM] = { adam, 1e-3, true, false },
    [COT_ADAMW] = { adam, 1e-3, true, true, 0.01 },
    [COT_RMSPROP] = { rmsprop, 1e-2, false, false },
    [COT_ADAGRAD] = { adagrad, 1e-2, false, false },
    [COT_LION] = { lion, 1e-4, false, true },
};

/* Slots of state that each parameter has. */
static int
slots(const cot_optim *o)
{
    switch (o->kind) {
    case COT_SGD: return o->momentum != 0;
    case COT_ADAM:
    case COT_ADAMW: return o->amsgrad ? 3 : 2;
    case COT_RMSPROP: return 1 + (o->centered != 0) + (o->momentum != 0);
    default: return 1;
    }
}

static bool
is_method(const cot_optim *o)
{
    return (unsigned)o->kind < sizeof methods / sizeof *methods;
}

/* Has the state the number of steps so far? */
static bool
counts(const cot_optim *o)
{
    return (is_method(o) && methods[o->kind].counts) ||
           (o->kind == COT_SGD && o->momentum != 0 && o->dampening != 0);
}

static bool
kind_fits(cot_place at, const cot_optim *o, cot_values params, const char *op)
{
    if (!is_method(o) && params.n > 0)
        fe_wrong(at, FE_AT(params)[0], op, ERR_attr_wrong, "kind is %d; wants an optimiser",
                 (int)o->kind);
    return is_method(o);
}

int
cot_optim_state_count(const cot_optim *o, int n)
{
    return o ? slots(o) * n + counts(o) : 0;
}

void
cot_optim_begin_(cot_place at, const cot_optim *o, cot_values params, cot_value *state)
{
    fe_readable(&params);
    const cot_value some = params.n > 0 ? FE_AT(params)[0] : (cot_value){ 0 };

    if (!fe_present(at, some, "optim_begin", o, "the optimiser") ||
        (cot_optim_state_count(o, params.n) > 0 &&
         !fe_present(at, some, "optim_begin", state, "the room for the state")))
        return;
    const bool first = counts(o);

    kind_fits(at, o, params, "optim_begin");
    for (int i = 0; i < params.n; i++) {
        const cot_value x = FE_AT(params)[i];
        cot_trace *t = fe_open(at, x, "optim_begin");
        cot_type type = cot_type_of(x);
        type.dtype = ir_compute_type(type.dtype);
        for (int k = 0; k < slots(o); k++)
            state[first + k * params.n + i] = t && type.dtype ? cot_zeros(t, type) : x;
        if (i == 0 && first)
            state[0] = t ? cot_zeros(t, cot_i32()) : x;
    }
}

static bool
lists_fit(cot_place at, const cot_optim *o, cot_values params, cot_values gradients,
          cot_values state)
{
    const int want = cot_optim_state_count(o, params.n);

    if (gradients.n == params.n && state.n == want)
        return true;
    if (params.n > 0)
        fe_wrong(at, FE_AT(params)[0], "optim_step", ERR_attr_wrong,
                 "%d parameters, %d gradients, %d values of state; wants %d and %d", params.n,
                 gradients.n, state.n, params.n, want);
    return false;
}

/* 1 - beta^t */
static cot_value
correction(cot_place at, double beta, cot_value t)
{
    return cot_neg(cot_expm1(cot_mul(log(beta), t)));
}

static optimizer_step
begin(cot_place at, const cot_optim *o, cot_values params, cot_values state,
      cot_value *state_out)
{
    optimizer_step u = { .o = o,
                         .rate = o->schedule,
                         .fixed = either(o->rate, methods[o->kind].rate),
                         .decay = either(o->weight_decay, methods[o->kind].decay) };
    cot_dtype widest = COT_F32;

    if (!counts(o) || params.n == 0)
        return u;
    for (int i = 0; i < params.n; i++)
        widest = cot_dtype_of(FE_AT(params)[i]) == COT_F64 ? COT_F64 : widest;
    state_out[0] = cot_add(FE_AT(state)[0], 1);
    cot_value t = cot_convert(state_out[0], widest);
    if (o->kind == COT_SGD) {
        u.share = cot_sub(1, cot_mul(o->dampening, cot_convert(cot_gt(t, 1), widest)));
        return u;
    }
    u.fix1 = correction(at, either(o->beta1, 0.9), t);
    u.fix2 = correction(at, either(o->beta2, 0.999), t);
    return u;
}

void
cot_optim_step_(cot_place at, const cot_optim *o, cot_values params, cot_values gradients,
                cot_values state, cot_value *params_out, cot_value *state_out)
{
    fe_readable(&params);
    fe_readable(&gradients);
    fe_readable(&state);
    const cot_value some = params.n > 0 ? FE_AT(params)[0] : (cot_value){ 0 };

    if (!fe_present(at, some, "optim_step", o, "the optimiser") ||
        (params.n > 0 &&
         !fe_present(at, some, "optim_step", params_out, "the room for results")) ||
        (state.n > 0 &&
         !fe_present(at, some, "optim_step", state_out, "the room for the state")))
        return;
    const int n = params.n, k = slots(o), first = counts(o);

    for (int i = 0; i < n; i++)
        params_out[i] = FE_AT(params)[i];
    if (!kind_fits(at, o, params, "optim_step") ||
        !lists_fit(at, o, params, gradients, state))
        return;
    const method *m = &methods[o->kind];
    const optimizer_step u = begin(at, o, params, state, state_out);
    for (int i = 0; i < n; i++) {
        cot_value s[3], x = fe_wide(at, FE_AT(params)[i]), g = fe_wide(at, FE_AT(gradients)[i]);
        for (int j = 0; j < k; j++)
            s[j] = FE_AT(state)[first + j * n + i];
        if (o->maximize)
            g = cot_neg(g);
        if (u.decay > 0 && !m->decouples)
            g = cot_add(g, cot_mul(u.decay, x));
        params_out[i] = fe_back(at, m->f(at, &u, x, g, s), cot_dtype_of(FE_AT(params)[i]));
        for (int j = 0; j < k; j++)
            state_out[first + j * n + i] = s[j];
    }
}
