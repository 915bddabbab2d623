/* The driver of the reference evaluator: walks a graph in order, one dense array for each live
 * value.
 *
 * A value's block is given back after its last use.  Blocks come in sizes of four steps a
 * doubling, from one arena that the evaluation owns; that arena hangs on a recovery point of
 * its own, so that a failed allocation anywhere below gives everything back and is answered as
 * a status.
 *
 * Pointwise ops run as scalar programs, which ir/scalar_eval.c takes in strips. */
#include "ir/eval/eval.h"

#include "ir/diag.h"
#include "ir/limit.h"
#include "ir/scalar.h"

enum { CLASSES = 4 * 64, MIN_BYTES = 64, MAX_AT_ONCE = 1 << 24 };

typedef struct free_block {
    struct free_block *next;
} free_block;

struct eval_mem {
    ir_arena blocks, scratch;
    free_block *idle[CLASSES];
    const ir_watch *watch; /* or NULL */
    int depth;             /* of the sub-function that runs; 0: the graph itself */
};

/* The size class of a request, and how many bytes blocks of it have: 2^e (1 + q/4). */
static int
size_class(size_t bytes, size_t *size)
{
    if (bytes < MIN_BYTES)
        bytes = MIN_BYTES;
    int e = 63 - __builtin_clzll((unsigned long long)bytes);
    size_t quarter = (size_t)1 << (e - 2);
    size_t q = (bytes - ((size_t)1 << e) + quarter - 1) / quarter;

    *size = ((size_t)4 + q) * quarter;
    return 4 * e + (int)q;      /* q == 4 is the next doubling's first class */
}

void *
eval_take(eval_mem *m, size_t bytes)
{
    size_t size;
    int k = size_class(bytes, &size);
    free_block *b = m->idle[k];

    if (!b)
        return ir_alloc(&m->blocks, size);
    m->idle[k] = b->next;
    return b;
}

void
eval_drop(eval_mem *m, void *p, size_t bytes)
{
    size_t size;
    int k = size_class(bytes, &size);
    free_block *b = p;

    b->next = m->idle[k];
    m->idle[k] = b;
}

ir_arena *
eval_scratch(eval_mem *m)
{
    return &m->scratch;
}

/* A row's rule, unless it is pointwise. */
#define RULE_POINTWISE(rule) NULL
#define RULE_MOVE(rule) eval_##rule
#define RULE_REDUCE(rule) eval_##rule
#define RULE_CONTRACT(rule) eval_##rule
#define RULE_LINE(rule) eval_##rule
#define RULE_INDEX(rule) eval_##rule
#define RULE_COLLECTIVE(rule) eval_##rule
#define RULE_FLOW(rule) eval_##rule
#define RULE_EFFECT(rule) eval_##rule
#define RULE_EXPAND(rule) eval_expand

static eval_rule *const eval_rules[OP_COUNT] = {
#define OP(name, n_in, attrs, flag, infer, eval, ...) [OP_##name] = RULE_##flag(eval),
#include "ir/ops.def"
#undef OP
};

static cot_status
eval_pointwise(const ir_eval_args *a)
{
    cot_dtype dtype[3], out_dtype = a->out_type[0]->dtype;
    int64_t n = a->out_type[0]->size;

    for (int i = 0; i < a->n_in; i++)
        dtype[i] = a->in_type[i]->dtype;
    const ir_sc_program *p = ir_sc_of(a->ctx, a->op, a->at, a->n_in, dtype, out_dtype);
    if (!p)
        return ir_fail(a->ctx, a->loc, ir_ops[a->op].name, ERR_dtype_not,
                       ir_type_str(a->ctx, a->in_type[0]), "a type that the op computes in");
    for (int64_t at = 0; at < n; at += MAX_AT_ONCE) {
        const void *in[3];

        for (int i = 0; i < a->n_in; i++)
            in[i] = (const char *)a->in[i] + (size_t)at * cot_dtype_size(dtype[i]);
        ir_sc_run(a->scratch, p, (int)(n - at < MAX_AT_ONCE ? n - at : MAX_AT_ONCE),
                  (char *)a->out[0] + (size_t)at * cot_dtype_size(out_dtype), in);
    }
    return COT_OK;
}

cot_status
ir_eval_node(const ir_eval_args *a)
{
    return eval_rules[a->op] ? eval_rules[a->op](a) : eval_pointwise(a);
}

typedef struct graph_run {
    eval_mem *m;
    const ir_graph *f;
    const void **val;           /* the array of each value; inputs are the caller's */
    uint32_t *last;             /* the last node that reads it, 0 if none; KEPT for outputs */
    eval_views *views;        /* NULL: nothing is written; else arrays stay to the end    */
} graph_run;

#define KEPT UINT32_MAX

static void
mark_last_uses(graph_run *r)
{
    const ir_graph *f = r->f;

    memset(r->last, 0, sizeof *r->last * f->n_values);
    ir_each_node(n, f)
        for (int i = 0; i < n->n_in; i++)
            r->last[n->in[i]] = (uint32_t)(n - f->node);
    for (int i = 0; i < f->n_out; i++)
        r->last[f->out[i]] = KEPT;
}

static void
drop_value(graph_run *r, ir_ref v)
{
    if (!r->f->value[v].node || !r->val[v])
        return;
    eval_drop(r->m, (void *)r->val[v], eval_bytes(r->f->value[v].type));
    r->val[v] = NULL;
}

/* What node n read for the last time, and the results that nothing reads. */
static void
drop_dead(graph_run *r, const ir_node *n)
{
    uint32_t id = (uint32_t)(n - r->f->node);

    for (int i = 0; i < n->n_in; i++)
        if (r->last[n->in[i]] == id)
            drop_value(r, n->in[i]);
    for (int i = 0; i < n->n_out; i++)
        if (r->last[n->first + (ir_ref)i] == 0)
            drop_value(r, n->first + (ir_ref)i);
}

static cot_status
run_node(graph_run *r, const ir_node *n)
{
    const ir_graph *f = r->f;
    size_t slots = 2 * (size_t)(n->n_in + n->n_out), bytes = sizeof(void *) * slots;
    const void **block = eval_take(r->m, bytes), **in = block, **in_type = in + n->n_in;
    const void **out = in_type + n->n_in, **out_type = out + n->n_out;

    for (int i = 0; i < n->n_in; i++) {
        if (r->views)
            eval_views_read(r->views, n->in[i]);
        in[i] = r->val[n->in[i]];
        in_type[i] = f->value[n->in[i]].type;
    }
    for (int i = 0; i < n->n_out; i++) {
        ir_ref v = n->first + (ir_ref)i;

        out_type[i] = f->value[v].type;
        out[i] = r->val[v] = eval_take(r->m, eval_bytes(f->value[v].type));
    }
    cot_status status =
        ir_eval_node(&(ir_eval_args){ .ctx = f->ctx,
                                      .scratch = &r->m->scratch,
                                      .loc = n->loc,
                                      .op = (ir_op)n->op,
                                      .at = n->at,
                                      .n_in = n->n_in,
                                      .n_out = n->n_out,
                                      .in_type = (const ir_type *const *)in_type,
                                      .out_type = (const ir_type *const *)out_type,
                                      .in = in,
                                      .out = (void *const *)out,
                                      .mem = r->m });
    if (r->m->watch && status == COT_OK)
        status =
            r->m->watch->node(r->m->watch->user, f, n, r->m->depth - 1, in, (void *const *)out);
    eval_drop(r->m, block, bytes);
    if (r->views && status == COT_OK)
        status = eval_views_note(r->views, n);
    ir_arena_reset(&r->m->scratch);
    if (!r->views)
        drop_dead(r, n);
    return status;
}

cot_status
eval_graph(eval_mem *m, const ir_graph *f, void *const *out, const void *const *in)
{
    size_t val_bytes = sizeof(void *) * f->n_values,
           last_bytes = sizeof(uint32_t) * f->n_values;
    graph_run r = {
        .m = m, .f = f, .val = eval_take(m, val_bytes), .last = eval_take(m, last_bytes)
    };
    cot_status status = ir_check(f->ctx); /* a step of a loop may have no node */

    m->depth++;
    memset(r.val, 0, val_bytes);
    mark_last_uses(&r);
    if (f->mutates)
        r.views = eval_views_new(m, f, r.val);
    for (int i = 0; i < f->n_in; i++)
        r.val[f->in[i]] = in[i];
    ir_each_node(n, f)
        if (status == COT_OK && (status = ir_check(f->ctx)) == COT_OK)
            status = run_node(&r, n);
    for (int i = 0; i < f->n_out && status == COT_OK && r.views; i++)
        eval_views_read(r.views, f->out[i]);
    for (int i = 0; i < f->n_out && status == COT_OK; i++)
        eval_put(out[i], r.val[f->out[i]], eval_bytes(f->value[f->out[i]].type));
    if (r.views)
        eval_views_end(r.views);
    for (ir_ref v = 1; v < f->n_values; v++)
        drop_value(&r, v);
    eval_drop(m, r.last, last_bytes);
    eval_drop(m, r.val, val_bytes);
    m->depth--;
    return status;
}

cot_status
ir_eval(const ir_graph *f, void *const *out, const void *const *in)
{
    return ir_eval_watched(f, out, in, NULL);
}

cot_status
ir_eval_watched(const ir_graph *f, void *const *out, const void *const *in,
                const ir_watch *watch)
{
    cot_context *ctx = f->ctx;
    eval_mem *volatile m = NULL;
    volatile cot_status status = COT_ERR_MEMORY;

    IR_TRY(ctx) {
        m = ir_realloc(ctx, NULL, sizeof *m);
        memset(m, 0, sizeof *m);
        ir_arena_init(&m->blocks, ctx);
        ir_arena_init(&m->scratch, ctx);
        m->watch = watch;
        status = eval_graph(m, f, out, in);
    }
    if (m) {
        ir_arena_free(&m->blocks);
        ir_arena_free(&m->scratch);
        ir_free(ctx, m);
    }
    return status;
}
