/* Calls a body on arrays immediately, to look at numbers.
 *
 * At its first call a body becomes a function of the context, which later calls find by the
 * body's address.  So a loop of calls traces once for each list of types, and the context does
 * not grow.  The function runs in the reference evaluator, which needs no compilation. */
#include "runtime/compile.h"

#include "frontend/fn.h"
#include "ir/diag.h"

typedef struct known_body {
    struct known_body *next;
    cot_fn *fn;
} known_body;

typedef struct body_search {
    cot_place at;
    cot_body *body;
    int n_in, n_out;
    cot_fn *fn;
} body_search;

static void
keep(void *data)
{
    (void)data; /* the functions belong to the context */
}

static cot_status
find_or_make(cot_context *ctx, void *arg)
{
    static const char key;
    body_search *s = arg;
    known_body **list = ir_attached_find(ctx, &key);

    if (!list) {
        list = IR_NEW(&ctx->arena, known_body *);
        ir_attach(ctx, &key, list, keep);
    }
    for (const known_body *k = *list; k; k = k->next)
        if (k->fn->body == s->body && k->fn->n_in == s->n_in && k->fn->n_out == s->n_out) {
            s->fn = k->fn;
            return COT_OK;
        }
    cot_fn *fn = cot_fn_new_(s->at, ctx, "eval", s->body, s->n_in, s->n_out, NULL);
    if (!fn || fn->kind != FE_FN_BODY)
        return ctx->status;
    known_body *made = IR_NEW(&ctx->arena, known_body);
    *made = (known_body){ *list, fn };
    *list = made;
    s->fn = fn;
    return COT_OK;
}

cot_status
cot_eval_all_(cot_place at, cot_context *ctx, cot_body *body, cot_array **results,
              int n_results, const cot_array *const *args, int n_args)
{
    body_search s = { at, body, n_args, n_results, NULL };

    COT_TRY(rt_guard(ctx, find_or_make, &s));
    return rt_call_fn("cot_eval", s.fn, &(const cot_compile_options){ .backend = "eval" },
                      results, n_results, args, n_args);
}

cot_array *
cot_eval_(cot_place at, cot_context *ctx, cot_body *body, const cot_array *const *args,
          int n_args)
{
    cot_array *y = NULL;

    if (cot_eval_all_(at, ctx, body, &y, 1, args, n_args) == COT_OK)
        return y;
    cot_array_free(y);
    return NULL;
}
