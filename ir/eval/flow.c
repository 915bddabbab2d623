/* Ops with sub-functions: the sub-graph is evaluated with the memory of the whole.
 *
 * The mapped forms: a cond whose predicate has leading axes B runs the branches that some
 * example chose, each on the whole batch, and copies an example's results from the branch it
 * chose; a while goes on until no example is active, and an example that is done keeps its
 * carries. */
#include "ir/diag.h"
#include "ir/eval/eval.h"

/* Blocks for values of the given types. */
static void **
take_values(eval_mem *m, int n, const ir_type *const *type)
{
    void **p = eval_take(m, sizeof *p * (size_t)n);

    for (int i = 0; i < n; i++)
        p[i] = eval_take(m, eval_bytes(type[i]));
    return p;
}

static void
drop_values(eval_mem *m, int n, const ir_type *const *type, void **p)
{
    for (int i = 0; i < n; i++)
        eval_drop(m, p[i], eval_bytes(type[i]));
    eval_drop(m, p, sizeof *p * (size_t)n);
}

static void
copy_values(int n, const ir_type *const *type, void *const *to, const void *const *from)
{
    for (int i = 0; i < n; i++)
        eval_put(to[i], from[i], eval_bytes(type[i]));
}

/* Copies the examples of `from` that `chosen` marks: to[e] = chosen[e] ? from[e] : to[e]. */
static void
copy_examples(const ir_type *t, int64_t examples, const uint8_t *chosen, void *to,
              const void *from)
{
    size_t bytes = examples ? eval_bytes(t) / (size_t)examples : 0;

    for (int64_t e = 0; e < examples; e++)
        if (chosen[e])
            eval_put((char *)to + (size_t)e * bytes, (const char *)from + (size_t)e * bytes,
                     bytes);
}

cot_status
eval_call(const ir_eval_args *a)
{
    return eval_graph(a->mem, a->at->call.body, a->out, a->in);
}

/* The value of linear_solve and of root is what their solver returns. */
cot_status
eval_implicit(const ir_eval_args *a)
{
    return eval_graph(a->mem, a->at->implicit.parts.at[0], a->out, a->in);
}

static int
branch_of(const ir_eval_args *a, int64_t example)
{
    int64_t i = eval_index(a->in_type[0]->dtype, a->in[0], example), n = a->at->cond.branches.n;

    return (int)(i < 0 ? 0 : i >= n ? n - 1 : i);
}

/* Runs branch k on the whole batch, and keeps the results of the examples that chose it. */
static cot_status
mapped_branch(const ir_eval_args *a, int k, const uint8_t *chosen)
{
    void **out = take_values(a->mem, a->n_out, a->out_type);
    cot_status status = eval_graph(a->mem, a->at->cond.branches.at[k], out, a->in + 1);

    for (int i = 0; i < a->n_out && status == COT_OK; i++)
        copy_examples(a->out_type[i], a->in_type[0]->size, chosen, a->out[i], out[i]);
    drop_values(a->mem, a->n_out, a->out_type, out);
    return status;
}

cot_status
eval_cond(const ir_eval_args *a)
{
    const ir_type *p = a->in_type[0];
    cot_status status = COT_OK;

    if (p->rank == 0)
        return eval_graph(a->mem, a->at->cond.branches.at[branch_of(a, 0)], a->out, a->in + 1);
    uint8_t *chosen = eval_take(a->mem, (size_t)p->size);
    for (int k = 0; k < a->at->cond.branches.n && status == COT_OK; k++) {
        bool any = false;

        for (int64_t e = 0; e < p->size; e++)
            any |= chosen[e] = branch_of(a, e) == k;
        if (any)
            status = mapped_branch(a, k, chosen);
    }
    eval_drop(a->mem, chosen, (size_t)p->size);
    return status;
}

typedef struct loop {
    const ir_eval_args *a;
    const ir_type *predicate;
    int consts, carries;
    const void **in;            /* consts, then the carries now */
    void **next;                /* the carries of the next step */
    uint8_t *active;
} loop;

/* Evaluate the condition; is any example active? */
static cot_status
loop_test(loop *l, bool *any)
{
    void *out = l->active;
    cot_status status = eval_graph(l->a->mem, l->a->at->loop.cond, &out, l->in);

    *any = false;
    for (int64_t e = 0; e < l->predicate->size && status == COT_OK; e++)
        *any |= l->active[e] != 0;
    return status;
}

static cot_status
loop_step(loop *l)
{
    const ir_type *const *type = l->a->out_type;
    cot_status status = eval_graph(l->a->mem, l->a->at->loop.body, l->next, l->in);

    for (int i = 0; i < l->carries && status == COT_OK; i++)
        copy_examples(type[i], l->predicate->size, l->active, l->a->out[i], l->next[i]);
    return status;
}

static cot_status
loop_run(loop *l)
{
    int64_t max = l->a->at->loop.max;
    bool any;

    for (int64_t step = 0;; step++) {
        cot_status status = loop_test(l, &any);

        if (status != COT_OK || !any)
            return status;
        if (max > 0 && step == max)
            return ir_fail(l->a->ctx, l->a->loc, "while", ERR_loop_bound, (long long)max);
        if ((status = loop_step(l)) != COT_OK)
            return status;
    }
}

/* The carries live in the results, so that those of a finished example just stay. */
cot_status
eval_while(const ir_eval_args *a)
{
    const ir_graph *cond = a->at->loop.cond;
    int consts = (int)a->at->loop.consts, carries = a->n_in - consts;
    size_t in_bytes = sizeof(void *) * (size_t)a->n_in;
    loop l = { .a = a, .predicate = cond->value[cond->out[0]].type, .consts = consts,
               .carries = carries, .in = eval_take(a->mem, in_bytes),
               .next = take_values(a->mem, carries, a->out_type) };

    l.active = eval_take(a->mem, (size_t)l.predicate->size);
    for (int i = 0; i < a->n_in; i++)
        l.in[i] = i < consts ? a->in[i] : a->out[i - consts];
    copy_values(carries, a->out_type, a->out, a->in + consts);
    cot_status status = loop_run(&l);
    eval_drop(a->mem, l.active, (size_t)l.predicate->size);
    drop_values(a->mem, carries, a->out_type, l.next);
    eval_drop(a->mem, l.in, in_bytes);
    return status;
}

/* Step i of a stacked array of type t. */
static void *
step_of(const ir_type *t, const void *x, int64_t i)
{
    size_t bytes = t->dims[0] ? eval_bytes(t) / (size_t)t->dims[0] : 0;

    return (char *)x + (size_t)i * bytes;
}

static cot_status
scan_run(const ir_eval_args *a, const void **in, void **out, void **next)
{
    int consts = (int)a->at->scan.consts, carries = (int)a->at->scan.carries;
    cot_status status = COT_OK;

    for (int64_t t = 0; t < a->at->scan.length && status == COT_OK; t++) {
        int64_t i = a->at->scan.reverse ? a->at->scan.length - 1 - t : t;

        for (int k = consts + carries; k < a->n_in; k++)
            in[k] = step_of(a->in_type[k], a->in[k], i);
        for (int k = 0; k < a->n_out; k++)
            out[k] = k < carries ? next[k] : step_of(a->out_type[k], a->out[k], i);
        status = eval_graph(a->mem, a->at->scan.body, out, in);
        copy_values(carries, a->out_type, a->out, (const void *const *)next);
    }
    return status;
}

cot_status
eval_scan(const ir_eval_args *a)
{
    int consts = (int)a->at->scan.consts, carries = (int)a->at->scan.carries;
    size_t in_bytes = sizeof(void *) * (size_t)a->n_in,
           out_bytes = sizeof(void *) * (size_t)a->n_out;
    const void **in = eval_take(a->mem, in_bytes);
    void **out = eval_take(a->mem, out_bytes);
    void **next = take_values(a->mem, carries, a->out_type);

    for (int i = 0; i < consts + carries; i++)
        in[i] = i < consts ? a->in[i] : a->out[i - consts];
    copy_values(carries, a->out_type, a->out, a->in + consts);
    cot_status status = scan_run(a, in, out, next);
    drop_values(a->mem, carries, a->out_type, next);
    eval_drop(a->mem, out, out_bytes);
    eval_drop(a->mem, in, in_bytes);
    return status;
}
