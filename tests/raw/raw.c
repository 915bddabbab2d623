/* Graphs node by node: see raw.h. */
#include "tests/raw/raw.h"

#include <math.h>
#include <stdlib.h>

#include "ir/diag.h"
#include "tests/laws/programs.h"

raw_number
raw_load(const ir_type *t, const void *array, int64_t i)
{
    if (ir_is_complex(t->dtype))
        return laws_load(t->dtype, array, 2 * i) + I * laws_load(t->dtype, array, 2 * i + 1);
    return laws_load(t->dtype, array, i);
}

void
raw_store(const ir_type *t, void *array, int64_t i, raw_number z)
{
    if (ir_is_complex(t->dtype)) {
        laws_store(t->dtype, array, 2 * i, creal(z));
        laws_store(t->dtype, array, 2 * i + 1, cimag(z));
    } else {
        laws_store(t->dtype, array, i, creal(z));
    }
}

static const ir_type *
type_of(const raw_node *a, int i)
{
    return ir_type_at(a->f, a->n->in[i]);
}

/* The node's op on these arrays, whose types may be others than in the graph. */
static cot_status
by_evaluator(const raw_node *a, const ir_type *const *in_type, const ir_type *const *out_type,
             void *const *in, void **out)
{
    const ir_node *n = a->n;
    ir_arena scratch;

    ir_arena_init(&scratch, a->f->ctx);
    const cot_status status = ir_eval_node(
        &(ir_eval_args){ a->f->ctx, &scratch, n->loc, (ir_op)n->op, n->at, n->n_in, n->n_out,
                         in_type, out_type, (const void *const *)in, out, NULL });
    ir_arena_free(&scratch);
    return status;
}

/* A complex array as the numbers of its elements, from `first` on. */
static int64_t *
numbered(const ir_type *t, int64_t first)
{
    int64_t *id = calloc((size_t)t->size + 1, sizeof *id);

    for (int64_t e = 0; e < t->size; e++)
        id[e] = first + e;
    return id;
}

/* Complex elements are moved by their numbers: 1, 2, ... through all operands.  Any other
 * number is what a gather out of bounds gives: NaN. */
static cot_status
by_numbers(const raw_node *a, const ir_type **in_type, const ir_type *out_type)
{
    cot_context *ctx = a->f->ctx;
    const ir_type *was = out_type, *ids = ir_type_as(ctx, was, COT_I64);
    void **in = calloc((size_t)a->n->n_in + 1, sizeof *in), *out = numbered(was, 0);
    int64_t first[64] = { 1 };

    for (int i = 0; i < a->n->n_in; i++) {
        const bool moved = ir_is_complex(in_type[i]->dtype);
        in[i] = moved ? numbered(in_type[i], first[i]) : a->in[i];
        first[i + 1] = first[i] + (moved ? in_type[i]->size : 0);
        in_type[i] = moved ? ir_type_as(ctx, in_type[i], COT_I64) : in_type[i];
    }
    const cot_status status = by_evaluator(a, in_type, &ids, in, &out);
    for (int64_t e = 0; e < was->size && status == COT_OK; e++) {
        const int64_t id = ((const int64_t *)out)[e];
        raw_number z = (double)NAN + I * (double)NAN;
        for (int i = 0; i < a->n->n_in; i++)
            if (id >= first[i] && id < first[i + 1])
                z = raw_load(was, a->in[i], id - first[i]);
        raw_store(was, a->out[0], e, z);
    }
    for (int i = 0; i < a->n->n_in; i++)
        if (in[i] != a->in[i])
            free(in[i]);
    free(in);
    free(out);
    return status;
}

static cot_status
by_one_op(const raw_node *a)
{
    const ir_node *n = a->n;
    const ir_type **in = IR_NEW_N(&a->f->ctx->arena, const ir_type *, n->n_in + 1),
                  **out = IR_NEW_N(&a->f->ctx->arena, const ir_type *, n->n_out + 1);

    for (int i = 0; i < n->n_in; i++)
        in[i] = type_of(a, i);
    for (int i = 0; i < n->n_out; i++)
        out[i] = ir_type_at(a->f, n->first + (ir_ref)i);
    return ir_is_complex(out[0]->dtype) ? by_numbers(a, in, out[0])
                                        : by_evaluator(a, in, out, a->in, a->out);
}

static void
copy_values(const ir_graph *f, int n, const ir_ref *v, void *const *to, void *const *from)
{
    for (int i = 0; i < n; i++)
        if (laws_bytes(ir_type_at(f, v[i])))
            memcpy(to[i], from[i], laws_bytes(ir_type_at(f, v[i])));
}

/* The branch of each element where the predicate has any, else of all at once. */
static cot_status
run_cond(const raw_node *a)
{
    const ir_node *n = a->n;
    const ir_type *t = type_of(a, 0);
    const int last = n->at->cond.branches.n - 1;

    for (int64_t e = 0; e < t->size; e++) {
        const double p = laws_load(t->dtype, a->in[0], e);
        const ir_graph *g = n->at->cond.branches.at[p < 0 ? 0 : p > last ? last : (int)p];
        void **out = laws_values(g->n_out, g->out, g);
        const cot_status status = raw_eval(g, out, a->in + 1);
        for (int i = 0; i < g->n_out && status == COT_OK; i++) {
            const size_t part = laws_bytes(ir_type_at(g, g->out[i])) / (size_t)t->size;
            if (part)
                memcpy((char *)a->out[i] + (size_t)e * part, (char *)out[i] + (size_t)e * part,
                       part);
        }
        laws_free(g->n_out, out);
        COT_TRY(status);
    }
    return COT_OK;
}

/* With a predicate of one element alone. */
static cot_status
run_while(const raw_node *a)
{
    const ir_graph *cond = a->n->at->loop.cond, *body = a->n->at->loop.body;
    const int consts = (int)a->n->at->loop.consts, n = a->n->n_out;
    void **c = laws_values(cond->n_out, cond->out, cond),
         **next = laws_values(n, body->out, body),
         **in = calloc((size_t)a->n->n_in + 1, sizeof *in);
    cot_status status = ir_type_at(cond, cond->out[0])->rank == 0
                            ? COT_OK
                            : ir_fail(a->f->ctx, 0, "while", ERR_usage, "has many predicates");

    for (int i = 0; i < a->n->n_in; i++)
        in[i] = i < consts ? a->in[i] : a->out[i - consts];
    copy_values(body, n, body->out, a->out, a->in + consts);
    for (int64_t iteration = 0;
         status == COT_OK && (a->n->at->loop.max == 0 || iteration <= a->n->at->loop.max);
         iteration++) {
        status = raw_eval(cond, c, in);
        if (status != COT_OK || !*(const uint8_t *)c[0])
            break;
        status = raw_eval(body, next, in);
        if (status == COT_OK)
            copy_values(body, n, body->out, a->out, next);
    }
    free(in);
    laws_free(cond->n_out, c);
    laws_free(n, next);
    return status;
}

/* Operands: consts, carries, rows; results: carries, rows. */
static cot_status
run_scan(const raw_node *a)
{
    const ir_graph *body = a->n->at->scan.body;
    const int consts = (int)a->n->at->scan.consts, carries = (int)a->n->at->scan.carries;
    void **next = laws_values(body->n_out, body->out, body),
         **in = calloc((size_t)a->n->n_in + 1, sizeof *in);
    cot_status status = COT_OK;

    copy_values(body, carries, body->out, a->out, a->in + consts);
    for (int64_t k = 0; k < a->n->at->scan.length && status == COT_OK; k++) {
        const size_t row = (size_t)(a->n->at->scan.reverse ? a->n->at->scan.length - 1 - k : k);
        for (int i = 0; i < a->n->n_in; i++)
            in[i] = i < consts ? a->in[i]
                    : i < consts + carries
                        ? a->out[i - consts]
                        : (char *)a->in[i] + row * laws_bytes(ir_type_at(body, body->in[i]));
        status = raw_eval(body, next, in);
        if (status != COT_OK)
            break;
        copy_values(body, carries, body->out, a->out, next);
        for (int i = carries; i < body->n_out; i++) {
            const size_t bytes = laws_bytes(ir_type_at(body, body->out[i]));
            if (bytes)
                memcpy((char *)a->out[i] + row * bytes, next[i], bytes);
        }
    }
    free(in);
    laws_free(body->n_out, next);
    return status;
}

static bool
has_complex(const raw_node *a)
{
    for (int i = 0; i < a->n->n_in; i++)
        if (ir_is_complex(type_of(a, i)->dtype))
            return true;
    return ir_is_complex(ir_type_at(a->f, a->n->first)->dtype);
}

static cot_status
run_node(const raw_node *a)
{
    const ir_node *n = a->n;

    switch (n->op) {
    case OP_call: return raw_eval(n->at->call.body, a->out, a->in);
    case OP_cond: return run_cond(a);
    case OP_while: return run_while(a);
    case OP_scan: return run_scan(a);
    default: break;
    }
    if (ir_ops[n->op].flag == IR_EXPAND ? raw_linalg(a) : has_complex(a) && raw_complex(a))
        return COT_OK;
    const bool moves = ir_ops[n->op].flag == IR_MOVE || n->op == OP_gather ||
                       n->op == OP_scatter || n->op == OP_dynamic_slice ||
                       n->op == OP_dynamic_update_slice;
    if (ir_ops[n->op].flag == IR_EXPAND || ir_ops[n->op].flag == IR_FLOW ||
        (has_complex(a) && !moves))
        return ir_fail(a->f->ctx, n->loc, ir_ops[n->op].name, ERR_usage,
                       "has no definition of its own");
    return by_one_op(a);
}

cot_status
raw_eval(const ir_graph *f, void *const *out, void *const *in)
{
    void **value = calloc(f->n_values, sizeof *value);
    void **x = calloc(f->n_values + 1, sizeof *x);
    cot_status status = COT_OK;

    for (ir_ref v = 1; v < f->n_values; v++)
        value[v] =
            calloc((size_t)ir_type_at(f, v)->size + 1, cot_dtype_size(ir_type_at(f, v)->dtype));
    for (int i = 0; i < f->n_in; i++)
        copy_values(f, 1, &f->in[i], &value[f->in[i]], &in[i]);
    ir_each_node (n, f) {
        for (int i = 0; i < n->n_in; i++)
            x[i] = value[n->in[i]];
        if (status == COT_OK)
            status = run_node(&(raw_node){ f, n, x, value + n->first });
    }
    for (int i = 0; i < f->n_out && status == COT_OK; i++)
        copy_values(f, 1, &f->out[i], &out[i], &value[f->out[i]]);
    for (ir_ref v = 1; v < f->n_values; v++)
        free(value[v]);
    free(value);
    free(x);
    return status;
}
