/* Recurrent layers: cells, and scans of them over time.
 *
 * A scan multiplies its whole input by the input weights before it starts, one product for
 * all steps, so that a step is the product of the state with the recurrent weights and
 * pointwise ops.  Weights are PyTorch's: gates are stacked along their first axis, i, f, g,
 * o of an LSTM and r, z, n of a GRU.  Sources: S. Hochreiter, J. Schmidhuber, Long
 * Short-Term Memory, 1997; K. Cho et al., Learning Phrase Representations, 2014. */
#include "cotrace/nn.h"

#include "frontend/nn/nn.h"

typedef enum cell_kind { RNN, LSTM, GRU } cell_kind;
static const char *const names[] = { "rnn", "lstm", "gru" };
static const int gates_of[] = { 1, 4, 3 };

typedef struct cell {
    cot_place at;
    cell_kind kind;
    cot_rnn_weights w;
    bool relu;
} cell;

static cot_value
hidden(const cell *c, cot_value h)
{
    const cot_place at = c->at;
    return cot_linear(h, c->w.w_hh, c->w.b_hh);
}

static cot_value
lstm_step(const cell *c, cot_value gx, cot_value h, cot_value *memory)
{
    const cot_place at = c->at;
    cot_value gate[4];

    cot_split(cot_add(gx, hidden(c, h)), 4, -1, gate);
    cot_value kept = cot_mul(cot_sigmoid(gate[1]), *memory);
    *memory = cot_add(kept, cot_mul(cot_sigmoid(gate[0]), cot_tanh(gate[2])));
    return cot_mul(cot_sigmoid(gate[3]), cot_tanh(*memory));
}

static cot_value
gru_step(const cell *c, cot_value gx, cot_value h)
{
    const cot_place at = c->at;
    cot_value x[3], y[3];

    cot_split(gx, 3, -1, x);
    cot_split(hidden(c, h), 3, -1, y);
    cot_value r = cot_sigmoid(cot_add(x[0], y[0])), z = cot_sigmoid(cot_add(x[1], y[1]));
    cot_value n = cot_tanh(cot_add(x[2], cot_mul(r, y[2])));
    return cot_add(n, cot_mul(z, cot_sub(h, n)));
}

/* gx: the input times its weights.  state: h, and of an LSTM c. */
static void
step(const cell *c, cot_value gx, const cot_value *state, cot_value *next)
{
    const cot_place at = c->at;

    if (c->kind == LSTM) {
        next[1] = state[1];
        next[0] = lstm_step(c, gx, state[0], &next[1]);
    } else if (c->kind == GRU) {
        next[0] = gru_step(c, gx, state[0]);
    } else {
        cot_value y = cot_add(gx, hidden(c, state[0]));
        next[0] = c->relu ? cot_relu(y) : cot_tanh(y);
    }
}

static bool
weights_fit(const cell *c, cot_value x)
{
    const cot_value wi = c->w.w_ih, wh = c->w.w_hh;
    const cot_place at = c->at;
    const int gates = gates_of[c->kind];

    if (cot_dtype_of(x) == COT_DTYPE_NONE || cot_dtype_of(wi) == COT_DTYPE_NONE ||
        cot_dtype_of(wh) == COT_DTYPE_NONE)
        return false;
    if (cot_rank(x) >= 1 && cot_rank(wi) == 2 && cot_rank(wh) == 2 &&
        cot_size(wi, 1) == cot_size(x, -1) && cot_size(wi, 0) == cot_size(wh, 0) &&
        cot_size(wh, 0) == gates * cot_size(wh, 1))
        return true;
    fe_wrong(at, x, names[c->kind], ERR_shape_wrong,
             "x is %s, w_ih is %s, w_hh is %s; wants x [..., in], w_ih [%d h, in] and w_hh [%d "
             "h, h]",
             fe_type_text(x), fe_type_text(wi), fe_type_text(wh), gates, gates);
    return false;
}

static cot_value
one_step(cell c, cot_value x, const cot_value *state, cot_value *next)
{
    const cot_place at = c.at;

    next[0] = x;
    if (weights_fit(&c, x))
        step(&c, cot_linear(x, c.w.w_ih, c.w.b_ih), state, next);
    return next[0];
}

cot_value
cot_rnn_cell_(cot_place at, cot_value x, cot_value h, const cot_rnn_weights *w, int relu)
{
    cot_value next[1];
    if (!fe_present(at, x, "rnn_cell", w, "the weights"))
        return x;
    return one_step((cell){ at, RNN, *w, relu != 0 }, x, &h, next);
}

cot_value
cot_lstm_cell_(cot_place at, cot_value x, cot_value h, cot_value c, const cot_rnn_weights *w,
               cot_value *c_next)
{
    const cot_value state[2] = { h, c };
    cot_value next[2] = { h, c };

    if (!fe_present(at, x, "lstm_cell", w, "the weights"))
        return x;
    one_step((cell){ at, LSTM, *w, false }, x, state, next);
    if (c_next)
        *c_next = next[1];
    return next[0];
}

cot_value
cot_gru_cell_(cot_place at, cot_value x, cot_value h, const cot_rnn_weights *w)
{
    cot_value next[1];
    if (!fe_present(at, x, "gru_cell", w, "the weights"))
        return x;
    return one_step((cell){ at, GRU, *w, false }, x, &h, next);
}

/* Carries: the state; xs: the input's gates; ys: h. */
static void
scan_step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cell *c = user;
    const int n = c->kind == LSTM ? 2 : 1;

    (void)t;
    step(c, in[n], in, out);
    out[n] = out[0];
}

/* A state that was not given: zeros [batch, h]. */
static cot_value
first_state(const cell *c, cot_trace *t, cot_value gx, cot_value given)
{
    const cot_place at = c->at;
    const int rank = cot_rank(gx) - 1;
    int64_t shape[COT_MAX_RANK];

    if (fe_given(given))
        return given;
    for (int k = 0; k < rank; k++)
        shape[k] = cot_size(gx, k + 1);
    shape[rank - 1] = cot_size(c->w.w_hh, 1);
    return cot_zeros(t, cot_type_new(cot_dtype_of(gx), rank, shape));
}

static cot_value
over_time(cot_place at, cell_kind kind, cot_value x, const cot_value *state,
          const cot_rnn_weights *w, cot_value *out, const cot_rnn_options *o)
{
    const int n = kind == LSTM ? 2 : 1;

    if (!fe_present(at, x, names[kind], w, "the weights"))
        return x;
    cell c = { at, kind, *w, o->relu != 0 };
    cot_trace *t = fe_open(at, x, names[kind]);
    cot_value first[2], last[3];

    if (!t || !weights_fit(&c, x))
        return x;
    if (cot_rank(x) < 2)
        return fe_wrong(at, x, names[kind], ERR_shape_wrong,
                        "x is %s; wants x [steps, ..., in]", fe_type_text(x));
    cot_value gx = cot_linear(x, w->w_ih, w->b_ih);
    for (int i = 0; i < n; i++)
        first[i] = first_state(&c, t, gx, state[i]);
    cot_scan(scan_step, .in = { n, first }, .xs = COT_VALUES(gx), .out = last, .n_out = 1,
             .reverse = o->reverse, .user = &c);
    for (int i = 0; i < n && out; i++)
        out[i] = last[i];
    return last[n];
}

cot_value
cot_rnn_(cot_place at, cot_value x, cot_value h, const cot_rnn_weights *w, cot_value *last,
         const cot_rnn_options *o, size_t size)
{
    FE_OPTIONS(cot_rnn_options, opt, o, size);
    return over_time(at, RNN, x, &h, w, last, &opt);
}

cot_value
cot_lstm_(cot_place at, cot_value x, cot_value h, cot_value c, const cot_rnn_weights *w,
          cot_value *last, const cot_rnn_options *o, size_t size)
{
    FE_OPTIONS(cot_rnn_options, opt, o, size);
    return over_time(at, LSTM, x, (const cot_value[]){ h, c }, w, last, &opt);
}

cot_value
cot_gru_(cot_place at, cot_value x, cot_value h, const cot_rnn_weights *w, cot_value *last,
         const cot_rnn_options *o, size_t size)
{
    FE_OPTIONS(cot_rnn_options, opt, o, size);
    return over_time(at, GRU, x, &h, w, last, &opt);
}
