/* A transformer learns to write a sequence backwards: batches are drawn inside the kernel, and
 * one kernel is a whole step: the batch, the loss, its gradient, clipping, a rate with warmup,
 * AdamW.  Every number is the same everywhere. */
#include <stdio.h>

#include "cotrace/cotrace.h"

enum { SYMBOLS = 8, LENGTH = 8, WIDTH = 32, HEADS = 2, BATCH = 32, STEPS = 120 };

typedef struct params {
    cot_value embed, place, norm1, norm2, up, up_bias, down, down_bias, head;
    cot_attention_weights attend;
} params;
enum { P = sizeof(params) / sizeof(cot_value) };

static const cot_optim adamw = { .kind = COT_ADAMW, .beta2 = 0.98, .weight_decay = 0.01 };

/* key -> parameters */
static void
begin(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    params *p = (params *)out;
    cot_value key[6];
    (void)user;
    for (int i = 0; i < 6; i++)
        key[i] = cot_fold_in(in[0], i);
    p->embed = cot_init_normal(t, cot_f32(SYMBOLS, WIDTH), .std = 0.5, .key = key[0]);
    p->place = cot_init_normal(t, cot_f32(LENGTH, WIDTH), .std = 0.5, .key = key[1]);
    p->norm1 = p->norm2 = cot_ones(t, cot_f32(WIDTH));
    p->up = cot_kaiming_normal(t, cot_f32(4 * WIDTH, WIDTH), .key = key[2]);
    p->up_bias = cot_zeros(t, cot_f32(4 * WIDTH));
    p->down = cot_xavier_uniform(t, cot_f32(WIDTH, 4 * WIDTH), .key = key[3]);
    p->down_bias = p->attend.out_bias = cot_zeros(t, cot_f32(WIDTH));
    p->attend.in_weight = cot_xavier_uniform(t, cot_f32(3 * WIDTH, WIDTH), .key = key[4]);
    p->attend.in_bias = cot_zeros(t, cot_f32(3 * WIDTH));
    p->attend.out_weight = cot_xavier_uniform(t, cot_f32(WIDTH, WIDTH), .key = key[5]);
    p->head = cot_zeros(t, cot_f32(SYMBOLS, WIDTH));
}

/* symbols [n, length] -> logits [n, length, symbols] */
static cot_value
network(const params *p, cot_value symbols)
{
    cot_value x = cot_add(cot_embedding(p->embed, symbols), p->place);
    cot_value y = cot_rms_norm(x, .scale = p->norm1);
    x = cot_add(x, cot_multi_head_attention(y, y, y, &p->attend, HEADS));
    y = cot_gelu(cot_linear(cot_rms_norm(x, .scale = p->norm2), p->up, p->up_bias), .tanh = 1);
    x = cot_add(x, cot_linear(y, p->down, p->down_bias));
    return cot_linear(x, p->head, COT_UNSET);
}

/* parameters, symbols -> loss, share of symbols that are right */
static void
loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value symbols = in[P], logits = network(COT_STRUCT(params, in), symbols);
    cot_value want = cot_reverse(symbols, .axes = COT_LIST(1));
    cot_value right = cot_eq(cot_argmax(logits, .axis = -1), want);
    (void)t, (void)user;
    out[0] = cot_cross_entropy(logits, want);
    out[1] = cot_mean(cot_convert(right, COT_F32));
}

/* parameters, state -> the next, loss, share; user is the loss */
static void
step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const int states = cot_optim_state_count(&adamw, P);
    const cot_value *state = in + P;
    cot_value d[P + 2], clipped[P], arguments[P + 1];
    cot_optim optim = adamw;
    cot_fn *df = cot_grad_and_value((cot_fn *)user, .wrt = COT_NAMES("params"), .aux = 1);

    for (int i = 0; i < P; i++)
        arguments[i] = in[i];
    arguments[P] = cot_randint(t, cot_i32(BATCH, LENGTH), 0, SYMBOLS,
                               .key = cot_fold_in(cot_key(t, 1), state[0]));
    cot_call_all(df, ((cot_values){ .n = P + 1, .at = arguments }), d, P + 2);
    cot_clip_by_norm(((cot_values){ .n = P, .at = d }), 1.0, clipped);
    optim.schedule = cot_cosine_rate(state[0], 0.01, STEPS, .warmup = 20);
    cot_optim_step(&optim, ((cot_values){ .n = P, .at = in }),
                   ((cot_values){ .n = P, .at = clipped }),
                   ((cot_values){ .n = states, .at = state }), out, out + P);
    out[P + states] = d[P];
    out[P + states + 1] = d[P + 1];
}

/* key -> parameters and state */
static void
begin_all(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    begin(t, in, out, user);
    cot_optim_begin(&adamw, ((cot_values){ .n = P, .at = out }), out + P);
}

static cot_status
train(cot_context *ctx)
{
    enum { ALL = 3 * P + 1 };
    const uint64_t seed[2] = { 7, 0 };
    cot_array *key = cot_array_copy(ctx, cot_u64(2), seed), *now[ALL] = { NULL },
              *next[ALL + 2] = { NULL };
    const cot_array *const keys[1] = { key };
    cot_type types[ALL];
    cot_kernel *k;

    COT_TRY(cot_jit(cot_fn_new(ctx, "begin", begin_all, 1, ALL, NULL), now, ALL, keys, 1));
    for (int i = 0; i < ALL; i++) {
        types[i] = cot_array_type(now[i]);
        next[i] = cot_array_new(ctx, types[i]);
    }
    next[ALL] = cot_array_new(ctx, cot_f32());
    next[ALL + 1] = cot_array_new(ctx, cot_f32());
    cot_fn *f = cot_fn_new(ctx, "loss", loss, P + 1, 2, NULL);
    f = cot_fn_named(f,
                     "params{embed, place, norm1, norm2, up, up_bias, down, down_bias, head, "
                     "attend{in_weight, in_bias, out_weight, out_bias}}, symbols",
                     NULL);
    COT_TRY(cot_compile(cot_fn_new(ctx, "step", step, ALL, ALL + 2, f),
                        (cot_types){ .n = ALL, .at = types }, NULL, &k));
    for (int i = 0; i < STEPS; i++) {
        COT_TRY(cot_run(k, next, (const cot_array *const *)now));
        for (int j = 0; j < ALL; j++) {
            cot_array *swap = now[j];
            now[j] = next[j];
            next[j] = swap;
        }
        if (i % 20 == 0 || i == STEPS - 1)
            printf("step %3d   loss %.4f   %5.1f%% right\n", i,
                   (double)*(const float *)cot_array_read(next[ALL]),
                   100 * (double)*(const float *)cot_array_read(next[ALL + 1]));
    }
    for (int i = 0; i < ALL + 2; i++) {
        cot_array_free(next[i]);
        cot_array_free(i < ALL ? now[i] : key);
        key = i < ALL ? key : NULL;
    }
    cot_kernel_free(k);
    return COT_OK;
}

int
main(void)
{
    cot_context *ctx = cot_context_new(NULL);
    const cot_status status = train(ctx);

    if (status != COT_OK)
        fprintf(stderr, "%s\n", cot_error(ctx));
    cot_context_free(ctx);
    return status != COT_OK;
}
