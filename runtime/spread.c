/* Spread arrays: making one, scatter and gather (cotrace/spread.h). */
#include <string.h>

#include "ir/array.h"
#include "ir/context.h"
#include "ir/diag.h"
#include "ir/map.h"
#include "runtime/compile.h"
#include "runtime/together.h"
#include "runtime/support/world.h"

cot_rows
cot_spread_rows(int64_t all, int processes, int rank)
{
    if (all < 0 || processes < 1 || rank < 0 || rank >= processes)
        return (cot_rows){ 0, 0, 0 };
    const cot_rt_owned own = cot_rt_owned_by(COT_RT_OWN_RUNS, all, processes, rank);
    return (cot_rows){ own.first, own.groups, all };
}

cot_rows
cot_array_rows(const cot_array *a)
{
    if (!a)
        return (cot_rows){ 0, 0, 0 };
    if (a->spread)
        return (cot_rows){ a->first, a->dims[0], a->all };
    const int64_t n = a->type.rank ? a->dims[0] : 1;
    return (cot_rows){ 0, n, n };
}

bool
cot_array_is_spread(const cot_array *a)
{
    return a && a->spread;
}

static cot_status
check_type(cot_context *ctx, void *arg)
{
    const cot_type *type = arg;

    if (!ir_type_of(ctx, type))
        return ctx->status;
    if (type->rank == 0)
        return ir_fail(ctx, 0, "array_spread", ERR_usage,
                       "the type is a scalar; wants an axis that is spread");
    return COT_OK;
}

cot_array *
cot_array_spread(cot_context *ctx, cot_type type)
{
    rt_step step = { COT_OK, "" };
    cot_array *a = NULL;

    if (rt_guard(ctx, check_type, &type) == COT_OK)
        a = rt_array_of(ctx, &type, true, &step);
    if (a)
        memset(a->data, 0, a->bytes);
    return a;
}

/* A call of all processes on one array. */
typedef struct joint {
    const char *name; /* of the public function */
    cot_context *ctx;
    int root;
    const cot_array *spread;
    rt_step step;
} joint;

static bool
is_root(const joint *j)
{
    return j->root == COT_ALL_PROCESSES || j->root == rt_rank(j->ctx);
}

/* What all must agree in before anything is sent. */
static cot_status
agree(joint *j)
{
    int64_t dims[COT_MAX_RANK];
    uint64_t same = ir_hash_u64((uint64_t)j->root, (uint64_t)strlen(j->name));

    if (!j->spread || !j->spread->spread)
        rt_step_fail(&j->step, COT_ERR_ARG, "an array is not spread; wants one that is", 0);
    else if (j->root < COT_ALL_PROCESSES || j->root >= rt_processes(j->ctx))
        rt_step_fail(&j->step, COT_ERR_ARG, "root is no process", 0);
    if (j->spread && j->spread->spread) {
        const cot_type t = rt_whole_type(j->spread, dims);
        same = rt_hash_type(same, &t);
    }
    return rt_agree(j->ctx, j->name, same, &j->step);
}

/* The rows of a process within the whole, and how many bytes they are. */
static char *
place(const joint *j, int rank, char *whole, size_t *bytes)
{
    const cot_rows rows = rt_rows_of(j->ctx, j->spread->all, rank);
    const size_t row = rt_row_bytes(j->spread);

    *bytes = (size_t)rows.count * row;
    return whole ? whole + (size_t)rows.first * row : NULL;
}

/* One pair of processes: rows go from the one that has them to the one that gets them. */
static int
swap(const joint *j, int p, char *whole, bool gathers)
{
    const cot_comm *c = j->ctx->comm;
    size_t own, their;
    char *at = place(j, p, whole, &their);

    place(j, c->rank, NULL, &own);
    const bool has = is_root(j), other = j->root == COT_ALL_PROCESSES || j->root == p;
    if (gathers)
        return cot_rt_world_exchange(c, p, j->spread->data, other ? own : 0, at,
                                     has ? their : 0);
    return cot_rt_world_exchange(c, p, at, has ? their : 0, j->spread->data, other ? own : 0);
}

static cot_status
transfer(joint *j, char *whole, bool gathers)
{
    size_t own;
    char *at = place(j, rt_rank(j->ctx), whole, &own);

    if (at && own)
        memcpy(gathers ? at : j->spread->data, gathers ? j->spread->data : at, own);
    for (int round = 0; round < rt_processes(j->ctx) && rt_processes(j->ctx) > 1; round++) {
        const int p = cot_rt_world_partner(j->ctx->comm, round);
        if (p == rt_rank(j->ctx) || (!gathers && j->root == COT_ALL_PROCESSES) ||
            !swap(j, p, whole, gathers))
            continue;
        return rt_agree(j->ctx, j->name, 0, &j->step); /* which fails, too, and says why */
    }
    return COT_OK;
}

cot_status
cot_array_gather(cot_context *ctx, int root, const cot_array *spread, cot_array **whole)
{
    joint j = { "array_gather", ctx, root, spread, { COT_OK, "" } };
    int64_t dims[COT_MAX_RANK];

    if (!ctx || !whole)
        return ir_fail_null(ctx, "array_gather", "the result");
    *whole = NULL;
    if (spread && spread->spread && is_root(&j)) {
        const cot_type t = rt_whole_type(spread, dims);
        *whole = rt_array_of(ctx, &t, false, &j.step);
    }
    cot_status status = agree(&j);
    if (status == COT_OK)
        status = transfer(&j, *whole ? (*whole)->data : NULL, true);
    if (status != COT_OK) {
        cot_array_free(*whole);
        *whole = NULL;
    }
    return status;
}

cot_status
cot_array_scatter(cot_context *ctx, int root, const cot_array *whole, cot_array *spread)
{
    joint j = { "array_scatter", ctx, root, spread, { COT_OK, "" } };
    int64_t dims[COT_MAX_RANK];

    if (!ctx)
        return COT_ERR_ARG;
    if (spread && spread->spread && is_root(&j)) {
        const cot_type t = rt_whole_type(spread, dims);
        if (!whole || whole->spread)
            rt_step_fail(&j.step, COT_ERR_ARG, "the array to scatter is not a whole one", 0);
        else if (rt_hash_type(0, &t) != rt_hash_type(0, &whole->type))
            rt_step_fail(&j.step, COT_ERR_SHAPE,
                         "the array to scatter has not the type of the spread one", 0);
        else if (!ir_array_is_here(whole))
            rt_step_fail(&j.step, COT_ERR_ARG, "the array to scatter is on a device", 0);
    }
    const cot_status status = agree(&j);
    return status == COT_OK ? transfer(&j, whole && is_root(&j) ? whole->data : NULL, false)
                            : status;
}
