/* Hidden inputs: captured arrays, and the generator's key.
 *
 * The outermost trace holds them, after its arguments; an inner trace captures them like any
 * other value of the trace around it.  Each trace numbers its draws: draw n of a trace has its
 * key folded with n, and the key of an inner trace is a draw of the one around it.  So a key
 * encodes the path of the draw in the program as it was written, and does not change when
 * graphs are inlined or split. */
#include "cotrace/random.h"

#include <stdatomic.h>

#include "frontend/trace.h"
#include "ir/array.h"
#include "ir/diag.h"

static ir_ref
find_hidden(const ir_build *b, ir_hidden hidden)
{
    for (uint32_t i = 0; i < b->n_in; i++)
        if (b->hidden[i].kind == hidden.kind && b->hidden[i].array == hidden.array)
            return b->in[i];
    return IR_NONE;
}

ir_ref
fe_hidden_input(cot_trace *t, const ir_type *type, const char *name, ir_hidden hidden)
{
    ir_ref v;

    if (t->outer)
        return fe_input_for(t, fe_hidden_input(t->outer, type, name, hidden),
                            (ir_hidden){ IR_SEEN, NULL });
    v = find_hidden(t->b, hidden);
    if (v)
        return v;
    t->n_hidden++;
    return ir_input_hidden(t->b, type, name, hidden);
}

static ir_ref
own_key(cot_trace *t)
{
    static const int64_t two = 2;
    const ir_hidden generator = { IR_HIDDEN_KEY, NULL };

    if (t->key)
        return t->key;
    if (t->outer) {
        t->outer->b->loc = t->b->loc;
        t->key = fe_input_for(t, fe_next_key(t->outer), generator);
    } else {
        t->key = fe_hidden_input(t, ir_type_new(t->ctx, COT_U64, 1, &two), "key", generator);
    }
    return t->key;
}

ir_ref
fe_next_key(cot_trace *t)
{
    ir_ref key = own_key(t);
    ir_ref n = ir_splat_int(t->b, ir_scalar_type(t->ctx, COT_U64), (int64_t)t->draws++);

    return ir_fold_in(t->b, key, n);
}

static void
let_go(void *array)
{
    cot_array_free(array);
}

/* The context keeps alive the arrays that its functions read. */
static void
hold(cot_context *ctx, const cot_array *array)
{
    if (!ir_attached_find(ctx, array))
        ir_attach(ctx, array, ir_array_hold(array), let_go);
}

typedef struct captured {
    const cot_array *array;
    const char *name;
} captured;

static ir_ref
capture(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const captured *c = options;

    (void)x, (void)n;
    if (!c->array) {
        ir_build_fail(b, "capture", ERR_capture);
        return IR_NONE;
    }
    if (c->array->spread && c->array->all != c->array->dims[0]) {
        ir_build_fail(
            b, "capture", ERR_usage,
            "the array is spread over processes; wants a whole one: cot_array_gather");
        return IR_NONE;
    }
    hold(b->ctx, c->array);
    return fe_hidden_input(b->ctx->trace, ir_type_of(b->ctx, &c->array->type),
                           c->name ? c->name : "captured",
                           (ir_hidden){ IR_HIDDEN_ARRAY, c->array });
}

cot_value
cot_capture_(cot_place at, cot_trace *t, const cot_array *array, const char *name)
{
    return fe_apply0(at, t, "capture", capture, &(const captured){ array, name });
}

void
cot_manual_seed(cot_context *ctx, uint64_t seed)
{
    if (!ctx)
        return;
    atomic_store(&ctx->seed, seed);
    atomic_store(&ctx->calls, 0);
}

static ir_ref
next_key(ir_build *b, const fe_arg *x, int n, const void *options)
{
    (void)x, (void)n, (void)options;
    return fe_next_key(b->ctx->trace);
}

cot_value
cot_next_key_(cot_place at, cot_trace *t)
{
    return fe_apply0(at, t, "next_key", next_key, NULL);
}

cot_value
cot_key_(cot_place at, cot_trace *t, uint64_t seed)
{
    const uint64_t words[2] = { seed, 0 };

    return cot_constant_(at, t, (cot_type){ .dtype = COT_U64, .rank = 1, .dims = { 2 } },
                         words);
}
