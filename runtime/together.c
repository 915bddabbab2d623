/* How processes agree on what became of a call (together.h).
 *
 * Each exchanges with each other a status, the reason of a failure, and a number in which they
 * must not differ.  All take the failure of the first process that has one, so that they answer
 * the same status. */
#include "runtime/together.h"

#include <stdio.h>
#include <string.h>

#include "ir/array.h"
#include "ir/context.h"
#include "ir/diag.h"
#include "ir/map.h"
#include "runtime/compile.h"
#include "runtime/support/world.h"

void
rt_step_fail(rt_step *s, cot_status status, const char *text, int error)
{
    if (s->status != COT_OK)
        return;
    s->status = status;
    snprintf(s->why, sizeof s->why, "%s", text ? text : strerror(error));
}

int
rt_processes(const cot_context *ctx)
{
    return ctx->comm && ctx->comm->size > 1 ? ctx->comm->size : 1;
}

int
rt_rank(const cot_context *ctx)
{
    return rt_processes(ctx) > 1 ? ctx->comm->rank : 0;
}

typedef struct verdict {
    rt_step step;
    uint64_t same;
} verdict;

typedef struct recorded {
    const char *what;
    const rt_step *step;
    int process; /* at fault; -1: this one */
} recorded;

static cot_status
record(cot_context *ctx, void *arg)
{
    const recorded *r = arg;
    const ir_error error = r->step->status == COT_ERR_PARSE     ? ERR_file
                           : r->step->status == COT_ERR_FOREIGN ? ERR_comm
                           : r->step->status == COT_ERR_MEMORY  ? ERR_memory
                           : r->step->status == COT_ERR_IO      ? ERR_io
                                                                : ERR_usage;
    const char *text = r->step->why;

    if (r->process >= 0)
        text = ir_format(&ctx->message_arena, "process %d: %s", r->process, text);
    if (error == ERR_memory)
        return ir_fail(ctx, 0, NULL, error);
    if (error == ERR_io || error == ERR_file)
        return ir_fail(ctx, 0, NULL, error, r->what, text);
    return ir_fail(ctx, 0, r->what, error, text);
}

/* The communicator has failed: the others shall not wait for this process. */
static void
give_up(const cot_comm *c, rt_step *step)
{
    const char *why = c->error ? c->error(c->user) : NULL;

    *step = (rt_step){ COT_OK, "" };
    rt_step_fail(step, COT_ERR_FOREIGN, why ? why : "the communicator failed", 0);
    if (c->abort)
        c->abort(c->user);
}

/* The first failure of all; whose it is, or -1 where this process has none and nobody else. */
static int
first_failure(const cot_comm *c, const verdict *own, rt_step *step)
{
    int at = -1;
    verdict their = { .step = { COT_OK, "" } };

    for (int round = 0; round < c->size; round++) {
        const int p = cot_rt_world_partner(c, round);
        const verdict *v = p == c->rank ? own : &their;
        if (p != c->rank &&
            cot_rt_world_exchange(c, p, own, sizeof *own, &their, sizeof their)) {
            give_up(c, step);
            return -1;
        }
        if (v->step.status != COT_OK && (at < 0 || p < at)) {
            at = p;
            *step = v->step;
            step->why[sizeof step->why - 1] = '\0';
        } else if (v->step.status == COT_OK && v->same != own->same && step->status == COT_OK) {
            snprintf(step->why, sizeof step->why,
                     "process %d calls with other types, names or bytes than process %d", p,
                     c->rank);
            step->status = COT_ERR_FOREIGN;
        }
    }
    return at == c->rank ? -1 : at;
}

cot_status
rt_agree(cot_context *ctx, const char *what, uint64_t same, rt_step *step)
{
    recorded r = { what, step, -1 };
    verdict own = { .step = *step, .same = same };

    if (rt_processes(ctx) > 1)
        r.process = first_failure(ctx->comm, &own, step);
    return step->status == COT_OK ? COT_OK : rt_guard(ctx, record, &r);
}

bool
rt_add_all(cot_context *ctx, int n, uint64_t *x)
{
    const cot_comm *c = ctx->comm;
    bool good = true;

    if (rt_processes(ctx) < 2 || n == 0)
        return true;
    uint64_t own[16], their[16];
    for (int from = 0; from < n && good; from += 16) {
        const int some = n - from < 16 ? n - from : 16;
        memcpy(own, x + from, sizeof *own * (size_t)some);
        for (int round = 0; round < c->size && good; round++) {
            const int p = cot_rt_world_partner(c, round);
            if (p == c->rank)
                continue;
            good = cot_rt_world_exchange(c, p, own, sizeof *own * (size_t)some, their,
                                         sizeof *own * (size_t)some) == 0;
            for (int i = 0; i < some && good; i++)
                x[from + i] += their[i];
        }
    }
    return good;
}

cot_type
rt_whole_type(const cot_array *a, int64_t *dims)
{
    cot_type t = a->type;

    memcpy(dims, a->dims, sizeof *dims * (size_t)t.rank);
    dims[0] = a->all;
    if (t.rank > 8)
        t.more = dims;
    else
        t.dims[0] = a->all;
    return t;
}

uint64_t
rt_hash_type(uint64_t h, const cot_type *t)
{
    const int64_t *dims = t->rank > 8 ? t->more : t->dims;

    h = ir_hash_u64(h, (uint64_t)t->dtype << 8 | (uint64_t)t->rank);
    for (int i = 0; i < t->rank; i++)
        h = ir_hash_u64(h, (uint64_t)dims[i]);
    return h;
}

size_t
rt_row_bytes(const cot_array *a)
{
    size_t n = cot_dtype_size(a->type.dtype);

    for (int i = 1; i < a->type.rank; i++)
        n *= (size_t)a->dims[i];
    return n;
}

cot_rows
rt_rows_of(const cot_context *ctx, int64_t all, int rank)
{
    const cot_rt_owned own = cot_rt_owned_by(COT_RT_OWN_RUNS, all, rt_processes(ctx), rank);

    return (cot_rows){ own.first, own.groups, all };
}

typedef struct making {
    const cot_type *type;
    bool spread;
    cot_array *out;
} making;

static cot_status
make(cot_context *ctx, void *arg)
{
    making *m = arg;
    cot_type type = *m->type;
    int64_t dims[COT_MAX_RANK];

    memcpy(dims, type.rank > 8 ? type.more : type.dims, sizeof *dims * (size_t)type.rank);
    const cot_rows own =
        m->spread ? rt_rows_of(ctx, dims[0], rt_rank(ctx)) : (cot_rows){ 0, 0, 0 };
    if (m->spread)
        dims[0] = own.count;
    if (type.rank > 8)
        type.more = dims;
    else
        memcpy(type.dims, dims, sizeof *dims * (size_t)type.rank);
    m->out = ir_array_new_unset(ctx, &type);
    if (!m->out)
        return COT_ERR_MEMORY;
    m->out->spread = m->spread;
    m->out->first = own.first;
    m->out->all = own.all;
    return COT_OK;
}

cot_array *
rt_array_of(cot_context *ctx, const cot_type *type, bool spread, rt_step *step)
{
    making m = { type, spread, NULL };

    if (rt_guard(ctx, make, &m) != COT_OK)
        rt_step_fail(step, COT_ERR_MEMORY, "out of memory", 0);
    return m.out;
}
