/* Calls a kernel: checks the arrays, finds a work block, runs.
 *
 * A call takes no lock and, from the second one on, allocates nothing (blocks.c).  The error
 * record belongs to the context, and only a call that fails takes the lock to write it. */
#include "runtime/compile.h"

#include <stdarg.h>
#include <stdlib.h>

#include "ir/array.h"
#include "ir/diag.h"
#include "ir/graph.h"
#include "ir/limit.h"
#include "runtime/open/open.h"
#include "runtime/device.h"
#include "runtime/tier.h"
#include "runtime/trap.h"
#include "runtime/world.h"

/* ---- errors: from any thread ---- */

typedef struct run_error {
    const cot_kernel *k;
    ir_error error;
    const char *text;
    int index;
    const cot_type *found;
} run_error;

static cot_status
record_error(cot_context *ctx, void *arg)
{
    const run_error *e = arg;
    const ir_graph *f = e->k->graph;
    const char *what = e->index < f->n_in ? "argument" : "result";
    int i = e->index < f->n_in ? e->index : e->index - f->n_in;
    const ir_type *type;

    if (e->error == ERR_memory && e->k->blocks && !e->k->open)
        return ir_fail(ctx, e->k->loc, f->name, ERR_memory_for, "the work block",
                       (unsigned long long)e->k->blocks->bytes);
    if (e->text)
        return ir_fail(ctx, e->k->loc, f->name, e->error, e->text);
    if (!e->found)
        return ir_fail(ctx, e->k->loc, f->name, e->error,
                       ir_format(&ctx->message_arena, "%s %d is NULL; wants %s", what, i,
                                 ir_type_str(ctx, e->k->type[e->index])));
    type = ir_type_of(ctx, e->found);
    return ir_fail(ctx, e->k->loc, f->name, e->error,
                   ir_format(&ctx->message_arena, "%s %d is %s; wants %s", what, i,
                             type ? ir_type_str(ctx, type) : "no type",
                             ir_type_str(ctx, e->k->type[e->index])));
}

static cot_status
run_fail(const cot_kernel *k, ir_error error, const char *text, int index,
         const cot_type *found)
{
    run_error e = { k, error, text, index, found };

    return rt_guard(k->ctx, record_error, &e);
}

cot_status
rt_run_fail(const cot_kernel *k, int error, const char *text)
{
    return run_fail(k, (ir_error)error, text, 0, NULL);
}

/* ---- checks ---- */

typedef struct elsewhere {
    const cot_kernel *k;
    int index;
    const ir_place *place;
} elsewhere;

static cot_status
record_elsewhere(cot_context *ctx, void *arg)
{
    const elsewhere *e = arg;
    const ir_place *wants = e->k->program ? e->k->program->place : NULL;
    const bool in = e->index < e->k->n_in;

    return ir_fail(
        ctx, e->k->loc, e->k->graph->name, ERR_device_array, in ? "argument" : "result",
        in ? e->index : e->index - e->k->n_in,
        ir_format(&ctx->message_arena, "%s:%d", e->place->device_type == 2 ? "cuda" : "device",
                  e->place->device_id),
        wants ? ir_format(&ctx->message_arena, "cuda:%d, or of this machine", wants->device_id)
              : "this machine");
}

static bool
is_written(const cot_kernel *k, int i)
{
    bool written = i >= k->n_in;

    for (int j = 0; j < k->graph->n_inout; j++)
        written |= k->graph->inout[j].arg == i;
    return written;
}

/* Can the kernel access the array, directly on the device or on the host? */
static cot_status
check_place(const cot_kernel *k, int i, const cot_array *a, ir_place **there)
{
    const ir_place *own = k->program ? k->program->place : NULL;

    *there = ir_array_is_here(a) ? NULL : a->place;
    if (a->read_only && (is_written(k, i) || ir_ints_has(k->plan.donated, i)))
        return run_fail(k, ERR_usage,
                        "an array that is written is read-only; wants one that can be written",
                        0, NULL);
    if (!*there || (own && own->device_type == a->place->device_type &&
                    own->device_id == a->place->device_id))
        return COT_OK;
    elsewhere e = { k, i, a->place };
    return rt_guard(k->ctx, record_elsewhere, &e);
}

typedef struct misplaced {
    int index;
    const cot_kernel *k;
    const cot_array *a;
} misplaced;

static cot_status
record_misplaced(cot_context *ctx, void *arg)
{
    const misplaced *m = arg;
    const cot_kernel *k = m->k;
    const bool in = m->index < k->n_in, wants = k->spread && k->spread[m->index];
    const ir_graph *f = k->graph;
    const ir_type *t = ir_type_at(f, in ? f->in[m->index] : f->out[m->index - k->n_in]);

    return ir_fail(
        ctx, k->loc, f->name, ERR_usage,
        ir_format(
            &ctx->message_arena, "%s %d is %s; wants %s", in ? "argument" : "result",
            in ? m->index : m->index - k->n_in,
            !m->a->spread ? "whole"
                          : ir_format(&ctx->message_arena, "spread, with %lld rows of %lld",
                                      (long long)m->a->dims[0], (long long)m->a->all),
            wants ? ir_format(&ctx->message_arena, "rows of %s that is spread over processes",
                              ir_type_str(ctx, t))
                  : "a whole array"));
}

/* Is the array spread over processes just if the kernel wants it so, with as many rows? */
static cot_status
check_spread(const cot_kernel *k, int i, const cot_array *a)
{
    const ir_graph *f = k->graph;
    const bool wants = k->spread && k->spread[i];

    if (wants
            ? a->spread &&
                  a->all == ir_type_at(f, i < k->n_in ? f->in[i] : f->out[i - k->n_in])->dims[0]
            : !a->spread || a->all == a->dims[0])
        return COT_OK;
    misplaced m = { i, k, a };
    return rt_guard(k->ctx, record_misplaced, &m);
}

static cot_status
wrong_array(const cot_kernel *k, int i, const cot_array *a)
{
    if (!a)
        return run_fail(k, ERR_usage, NULL, i, NULL);
    if (a->type.rank > 0 && (a->spread || k->spread))
        COT_TRY(check_spread(k, i, a));
    return run_fail(k, a->type.dtype != k->type[i]->dtype ? ERR_dtype_wrong : ERR_shape_wrong,
                    NULL, i, &a->type);
}

/* Inline: a call of a small kernel takes less time than its checks. */
static inline cot_status
take_array(const cot_kernel *k, int i, const cot_array *a, void **pointer, ir_place **there)
{
    if (!a || !ir_array_has_type(a, k->type[i]))
        return wrong_array(k, i, a);
    pointer[i] = a->data;
    there[i] = NULL;
    if (a->spread || k->spread)
        COT_TRY(check_spread(k, i, a));
    return a->place || a->read_only ? check_place(k, i, a, &there[i]) : COT_OK;
}

static bool
overlap(const size_t *bytes, void *const *args, int i, int j)
{
    const char *p = args[i], *q = args[j];

    return p < q + bytes[j] && q < p + bytes[i];
}

/* Written arrays overlap no others, except that a result may be its whole donated argument. */
static cot_status
check_overlap(const cot_kernel *k, const size_t *bytes, void *const *args)
{
    const ir_graph *f = k->graph;

    for (int j = 0; j < f->n_inout; j++)
        for (int i = 0; i < k->n_in; i++)
            if (i != f->inout[j].arg && overlap(bytes, args, f->inout[j].arg, i))
                return run_fail(
                    k, ERR_usage,
                    "an in/out argument overlaps another argument; wants memory of its own", 0,
                    NULL);
    for (int r = k->n_in; r < k->n_in + k->n_out; r++)
        for (int i = 0; i < r; i++)
            if (overlap(bytes, args, r, i) && (k->over[r - k->n_in] != i || args[r] != args[i]))
                return run_fail(
                    k, ERR_usage,
                    "a result overlaps an argument or another result; wants memory of its own",
                    r, NULL);
    return COT_OK;
}

/* ---- calls ---- */

typedef struct eval_call {
    const cot_kernel *k;
    void *const *args;
    cg_entry *entry; /* code that was compiled while this call waited for the lock */
} eval_call;

/* Of argument or result i of a call in which the evaluator runs f. */
static size_t
bytes_of(const cot_kernel *k, const ir_graph *f, int i)
{
    if (!k->open)
        return k->bytes[i];
    const ir_type *t = ir_type_at(f, i < k->n_in ? f->in[i] : f->out[i - k->n_in]);

    return (size_t)t->size * cot_dtype_size(t->dtype);
}

/* The reference evaluator may read an argument until the end, so results that overwrite one are
 * computed in other memory first. */
static cot_status
eval_in_copies(const eval_call *c, ir_arena *scratch)
{
    const cot_kernel *k = c->k;
    const ir_graph *f = k->graph, *prepared = k->prepared;
    const int n = k->n_out + f->n_inout;
    void **to = IR_NEW_N(scratch, void *, n + 1), **out = IR_NEW_N(scratch, void *, n + 1);

    if (k->open)
        COT_TRY(rt_open_graph_at(k->open, c->args[k->n_in + k->n_out], &prepared));
    for (int i = 0; i < n; i++) {
        const int old = i < k->n_out ? k->over[i] : f->inout[i - k->n_out].arg;

        out[i] = to[i] = c->args[i < k->n_out ? k->n_in + i : old];
        if (old >= 0 && to[i] == c->args[old])
            out[i] = ir_alloc(scratch, bytes_of(k, prepared, old) + 1);
    }
    ir_stage(k->ctx, "evaluate", f->name, 0);
    COT_TRY(rt_eval(prepared, out, (const void *const *)c->args));
    for (int i = 0; i < n; i++)
        if (to[i] != out[i])
            memcpy(
                to[i], out[i],
                bytes_of(k, prepared, i < k->n_out ? k->n_in + i : f->inout[i - k->n_out].arg));
    return COT_OK;
}

static cot_status
eval_body(cot_context *ctx, void *arg)
{
    volatile cot_status status = COT_ERR_MEMORY;
    ir_arena scratch;

    ir_arena_init(&scratch, ctx);
    IR_TRY(ctx) {
        status = eval_in_copies(arg, &scratch);
    }
    ir_arena_free(&scratch);
    return status;
}

/* In the first of two tiers a call has no limit of time, as in the second. */
static cot_status
first_tier_body(cot_context *ctx, void *arg)
{
    eval_call *c = arg;
    const double limit = ctx->limits.seconds, start = ir_now();

    c->entry = atomic_load_explicit(&c->k->entry, memory_order_acquire);
    if (c->entry)
        return COT_OK;
    ctx->limits.seconds = 0;
    const cot_status status = eval_body(ctx, arg);
    ctx->limits.seconds = limit;
    rt_tier_ran(c->k, ir_now() - start);
    return status;
}

/* *entry: what is to be called instead.  It is that, too, where the evaluator lacks memory for
 * the values that compiled code has in a work block: neither the arguments nor the results are
 * touched then. */
static cot_status
call_evaluator(const cot_kernel *k, void *const *args, cg_entry **entry)
{
    const bool clear = cot_error_status(k->ctx) == COT_OK;
    eval_call c = { k, args, NULL };
    const cot_status status = rt_guard(k->ctx, k->tier ? first_tier_body : eval_body, &c);

    *entry = c.entry;
    if (status != COT_ERR_MEMORY || !k->tier)
        return status;
    if (clear)
        cot_error_clear(k->ctx);
    COT_TRY(rt_tier_wait(k));
    *entry = atomic_load(&k->entry);
    return COT_OK;
}

static cot_status
call_program(const cot_kernel *k, void *const *args, const size_t *bytes,
             ir_place *const *there, void *work)
{
    rt_program *p = k->program;
    const int64_t *size = k->open ? args[k->n_in + k->n_out] : NULL;
    const rt_device_call c = { args, bytes ? bytes : k->bytes, there, work,
                               (size_t)(k->open ? cg_open_work_bytes(&k->open->general, size)
                                                : p->module->work_bytes) };

    return p->machine->run(p, k, &c);
}

/* bytes: behind each argument and result; NULL: those of its type. */
static cot_status
call(const cot_kernel *k, void *const *args, const size_t *bytes, ir_place *const *there,
     void *work)
{
    cg_entry *entry = atomic_load_explicit(&k->entry, memory_order_acquire);
    void *block = NULL;
    int status;

    if (atomic_load_explicit(&k->ctx->cancelled, memory_order_relaxed))
        return run_fail(k, ERR_cancelled, "", 0, NULL);
    if (k->program)
        return call_program(k, args, bytes, there, work);
    if (!entry) {
        const cot_status evaluated = call_evaluator(k, args, &entry);
        if (evaluated != COT_OK)
            rt_world_failed(k);
        if (evaluated != COT_OK || !entry)
            return evaluated;
    }
    if (!work && k->blocks && !k->open) {
        work = block = rt_block_take(k->blocks);
        if (!work)
            return run_fail(k, ERR_memory, "", 0, NULL);
    }
    status = entry(args, work);
    if (block)
        rt_block_give(k->blocks, block);
    return status == 0 ? COT_OK : rt_entry_failed(k, status);
}

cot_status
rt_call_kernel(const cot_kernel *k, void *const *args, void *work)
{
    return call(k, args, NULL, NULL, work);
}

/* The value of a hidden input in this call: captured memory, or the generator's next key. */
static cot_status
bound_to(const cot_kernel *k, int i, uint64_t key[2], void **at, ir_place **there)
{
    const ir_hidden *h = &k->graph->hidden[i];

    *there = NULL;
    *at = key;
    if (h->kind == IR_HIDDEN_ARRAY) {
        *at = h->array->data;
        return check_place(k, i, h->array, there);
    }
    key[0] = atomic_load_explicit(&k->ctx->seed, memory_order_relaxed);
    key[1] = atomic_fetch_add_explicit(&k->ctx->calls, 1, memory_order_relaxed);
    return COT_OK;
}

void
rt_arguments(const cot_kernel *k, void *const *in, void *const *out, void **args)
{
    const ir_graph *f = k->graph;

    for (int i = 0; i < k->n_in + k->n_out; i++)
        args[i] = i < k->n_in ? in[i] : out[i - k->n_in];
    for (int j = 0; j < f->n_inout; j++) {
        const int i = f->inout[j].arg;

        args[i] = out[k->n_out + j];
        memcpy(args[i], in[i], k->bytes[i]);
    }
    args[k->n_in + k->n_out] = k->pool;
}

static cot_status
run(const cot_kernel *k, void *work, cot_array *const *results, const cot_array *const *args)
{
    void *pointer[k->n_in + k->n_out + 1];
    ir_place *there[k->n_in + k->n_out + 1];
    uint64_t key[2];

    if ((!args && k->n_args > 0) || (!results && k->n_out > 0))
        return run_fail(k, ERR_usage,
                        "the list of arguments or of results is NULL; wants an array for each",
                        0, NULL);
    for (int i = 0, given = 0; i < k->n_in; i++) {
        if (ir_is_bound(k->graph, i)) {
            COT_TRY(bound_to(k, i, key, &pointer[i], &there[i]));
            continue;
        }
        COT_TRY(take_array(k, i, args[given++], pointer, there));
    }
    for (int i = 0; i < k->n_out; i++)
        COT_TRY(take_array(k, k->n_in + i, results[i], pointer, there));
    COT_TRY(check_overlap(k, k->bytes, pointer));
    pointer[k->n_in + k->n_out] = k->pool;
    return call(k, pointer, NULL, there, work);
}

static cot_status
wrong_result(const cot_kernel *k)
{
    return run_fail(k, ERR_shape_wrong, "a result is NULL, or has another type", 0, NULL);
}

/* The arrays of a call at open sizes. */
typedef struct open_arrays {
    void **pointer;
    size_t *bytes;
    ir_place **there; /* used by machines with memory of their own: rt_device_call */
} open_arrays;

static cot_status
check_places(const cot_kernel *k, cot_array *const *results, const cot_array *const *args,
             const open_arrays *to)
{
    for (int i = 0, given = 0; i < k->n_in; i++)
        if (!ir_is_bound(k->graph, i))
            COT_TRY(check_place(k, i, args[given++], &to->there[i]));
    for (int i = 0; i < k->n_out; i++)
        COT_TRY(check_place(k, k->n_in + i, results[i], &to->there[k->n_in + i]));
    return COT_OK;
}

static cot_status
take_bound(const cot_kernel *k, uint64_t *key, const open_arrays *to)
{
    for (int i = 0; i < k->n_in; i++)
        if (ir_is_bound(k->graph, i)) {
            COT_TRY(bound_to(k, i, key, &to->pointer[i], &to->there[i]));
            to->bytes[i] = k->bytes[i];
        }
    return COT_OK;
}

/* The pointers of a call, and how many bytes are behind each.  What is rare is looked at again
 * behind the loops. */
static cot_status
take_open_arrays(const cot_kernel *k, const int64_t *size, cot_array *const *results,
                 const cot_array *const *args, uint64_t *key, const open_arrays *to)
{
    const int n_in = k->n_in;
    bool fit = results || k->n_out == 0, special = false;

    for (int i = 0; i < k->n_args; i++) {
        const cot_array *a = args[i];
        const int at = k->open->input[i];

        to->pointer[at] = a->data;
        to->bytes[at] = a->bytes;
        special |= a->place || a->read_only;
    }
    for (int i = 0; fit && i < k->n_out; i++) {
        const cot_array *a = results[i];

        fit = a && rt_open_is_result(k, i, size, a);
        if (!fit)
            break;
        to->pointer[n_in + i] = a->data;
        to->bytes[n_in + i] = a->bytes;
        special |= a->place || a->read_only;
    }
    if (!fit)
        return wrong_result(k);
    if (k->n_args < n_in)
        COT_TRY(take_bound(k, key, to));
    if (special)
        COT_TRY(check_places(k, results, args, to));
    return check_overlap(k, to->bytes, to->pointer);
}

/* A call of an open kernel at sizes that were found in its arguments, which fit. */
cot_status
rt_run_open(const cot_kernel *k, void *work, const int64_t *size, cot_array *const *results,
            const cot_array *const *args)
{
    const int n = k->n_in + k->n_out;
    void *pointer[n + 2], *block = NULL; /* kernels without any have the last entries alone */
    ir_place *there[n + 1];
    size_t bytes[n + 1];
    uint64_t key[2];

    pointer[n] = NULL;
    bytes[n] = 0;
    if (k->program)
        memset(there, 0, sizeof there);
    COT_TRY(
        take_open_arrays(k, size, results, args, key, &(open_arrays){ pointer, bytes, there }));
    pointer[n] = (void *)size;
    pointer[n + 1] = k->pool && rt_open_wants_threads(k, size) ? k->pool : NULL;
    if (!work && k->blocks && k->open->general.n_parts) {
        work = block = rt_open_block_take(k, size);
        if (!work)
            return run_fail(k, ERR_memory, "", 0, NULL);
    }
    const cot_status status = call(k, pointer, bytes, k->program ? there : NULL, work);
    if (block)
        rt_open_block_give(k, block);
    return status;
}

static cot_status
run_open(const cot_kernel *k, void *work, cot_array *const *results,
         const cot_array *const *args)
{
    int64_t size[CG_MAX_SIZES];

    for (int i = 0; i < k->n_args; i++)
        if (!args || !args[i])
            return run_fail(k, ERR_usage, "an argument is NULL; wants an array", 0, NULL);
    if (!rt_open_fits(k, args, k->n_args))
        return run_fail(k, ERR_shape_wrong,
                        "an argument has another element type, rank or fixed length", 0, NULL);
    return rt_open_sizes(k, args, size) ? rt_run_open(k, work, size, results, args)
                                        : rt_open_refuse_sizes(k, args);
}

cot_status
cot_run(const cot_kernel *k, cot_array *const *results, const cot_array *const *args)
{
    if (!k)
        return COT_ERR_ARG; /* no context could record it */
    return k->open ? run_open(k, NULL, results, args) : run(k, NULL, results, args);
}

/* The evaluator allocates, so the first of two tiers does not serve here. */
cot_status
cot_run_with(const cot_kernel *k, void *work, cot_array *const *results,
             const cot_array *const *args)
{
    if (!k)
        return COT_ERR_ARG;
    if (k->tier)
        COT_TRY(rt_tier_wait(k));
    return k->open ? run_open(k, work, results, args) : run(k, work, results, args);
}

/* A kernel with parallel loops takes its pool as an additional argument.  Callers of cot_entry
 * pass NULL there for one thread, so it is the same function. */
cot_entry *
cot_kernel_entry(const cot_kernel *k)
{
    return k && !k->open && rt_tier_wait(k) == COT_OK ? atomic_load(&k->entry) : NULL;
}
