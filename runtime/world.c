/* The calls of pass_own: processes.begin, processes.reduce (world_sum.c), processes.gather and
 * processes.move (world_move.c).
 *
 * All go over pairs of processes in P rounds: in round r process p meets (r - p) mod P, so that
 * each meets each once and no two wait in a circle. */
#include "runtime/world.h"

#include <stdio.h>
#include <stdlib.h>

#include "ir/config.h"
#include "ir/context.h"
#include "ir/custom.h"
#include "ir/diag.h"
#include "ir/digest.h"
#include "ir/graph.h"
#include "ir/owner.h"
#include "passes/pass.h"
#include "runtime/compile.h"
#include "runtime/world_sum.h"

typedef struct world {
    const cot_comm *comm;
    char text[160]; /* what went wrong, where the communicator does not say it */
} world;

static const char key;

static const ir_type *
result_of(const ir_attrs *at)
{
    return ir_type_at(at->custom.forward, at->custom.forward->out[0]);
}

/* A status, with a text where the communicator has none. */
static int
answer(world *w, int status)
{
    const cot_comm *c = w->comm;

    if (status == RT_WORLD_MEMORY)
        snprintf(w->text, sizeof w->text, "process %d is short of memory", c->rank);
    else if (status && (!c->error || !c->error(c->user)))
        snprintf(w->text, sizeof w->text, "process %d has a communicator that failed", c->rank);
    return status;
}

/* The bytes of a row along the first axis, of which a process may have none. */
static size_t
row_bytes(const ir_type *t)
{
    size_t n = cot_dtype_size(t->dtype);

    for (int i = 1; i < t->rank; i++)
        n *= (size_t)t->dims[i];
    return n;
}

static int
run_reduce(const ir_custom *c, const ir_attrs *at, void *const *out, const void *const *in)
{
    world *w = c->user;
    const ir_type *t = result_of(at);
    const int64_t *a = at->custom.attrs.at;
    rt_reduction r = { .rule = (ir_own_rule)a[0],
                       .groups = a[1],
                       .by = (ir_combine)a[2],
                       .t = t->dtype,
                       .m = t->size,
                       .parted = a[3] };

    if (r.parted >= 0 && t->rank > 0)
        r.m = r.parted * (int64_t)(row_bytes(t) / cot_dtype_size(t->dtype));
    return answer(w, rt_world_reduce(w->comm, &r, in[0], out[0]));
}

static int
run_gather(const ir_custom *c, const ir_attrs *at, void *const *out, const void *const *in)
{
    world *w = c->user;
    const int64_t *a = at->custom.attrs.at;

    return answer(w, rt_world_gather(w->comm, (ir_own_rule)a[0], a[1], row_bytes(result_of(at)),
                                     in[0], out[0]));
}

static int
run_move(const ir_custom *c, const ir_attrs *at, void *const *out, const void *const *in)
{
    world *w = c->user;
    const ir_ints a = at->custom.attrs;
    const rt_move m = { (ir_own_rule)a.at[0], a.at[1], a.at[2], (a.n - 3) / 2, a.at + 3 };

    return answer(w, rt_world_move(w->comm, &m, row_bytes(result_of(at)), in[0], out[0]));
}

/* Do all run one program, made by one version? */
static int
run_begin(const ir_custom *c, const ir_attrs *at, void *const *out, const void *const *in)
{
    world *w = c->user;
    const int64_t own = at->custom.attrs.at[0];

    (void)out, (void)in;
    w->text[0] = '\0';
    for (int round = 0; round < w->comm->size; round++) {
        const int p = rt_world_partner(w->comm, round);
        int64_t their = own;
        if (p != w->comm->rank &&
            rt_world_exchange(w->comm, p, &own, sizeof own, &their, sizeof their))
            return answer(w, RT_WORLD_FAILED);
        if (their == own)
            continue;
        snprintf(w->text, sizeof w->text,
                 "process %d runs another program than process %d: other types, another "
                 "version, or calls in another order",
                 p, w->comm->rank);
        return RT_WORLD_FAILED;
    }
    return 0;
}

static const char *
why(const ir_custom *c)
{
    const world *w = c->user;

    if (w->text[0])
        return w->text;
    return w->comm->error ? w->comm->error(w->comm->user) : NULL;
}

static void
register_call(cot_context *ctx, world *w, const char *name, ir_custom_caller *run)
{
    ir_custom *c = IR_NEW(&ctx->arena, ir_custom);

    *c = (ir_custom){ .name = ir_intern(ctx, name), .run = run, .why = why, .user = w };
    ir_custom_add(ctx, c);
}

static world *
world_of(cot_context *ctx)
{
    world *w = ir_attached_find(ctx, &key);

    if (w)
        return w;
    w = IR_NEW(&ctx->arena, world);
    w->comm = ctx->comm;
    ir_attach(ctx, &key, w, NULL);
    register_call(ctx, w, PASS_WORLD_BEGIN, run_begin);
    register_call(ctx, w, PASS_WORLD_GATHER, run_gather);
    register_call(ctx, w, PASS_WORLD_MOVE, run_move);
    register_call(ctx, w, PASS_WORLD_REDUCE, run_reduce);
    return w;
}

/* What two processes must share to have the same bits: the graph, what of it is spread, the
 * version, the contract. */
static uint64_t
program_hash(const ir_graph *f, const bool *spread)
{
    ir_digest_state s;
    ir_buf text;
    uint64_t hash;

    ir_buf_init(&text, f->arena);
    ir_print(&text, f, 0);
    ir_digest_begin(&s);
    ir_digest_text(&s, cot_version());
    ir_digest_add(&s, &(const int){ COT_NUMERICS_EDITION }, sizeof(int));
    ir_digest_add(&s, text.text, text.n);
    if (spread)
        ir_digest_add(&s, spread, (size_t)(f->n_in + f->n_out) * sizeof *spread);
    const ir_digest d = ir_digest_end(&s);
    memcpy(&hash, d.byte, sizeof hash);
    return hash;
}

cot_status
rt_world_own(const ir_graph *f, const bool *spread, const ir_graph **out, bool *together)
{
    const cot_comm *c = f->ctx->comm;
    ir_graph *own;

    *out = f;
    if (!c || c->size < 2 || (!spread && !pass_has_groups(f)))
        return COT_OK;
    if (c->rank < 0 || c->rank >= c->size || !c->exchange)
        return ir_fail(f->ctx, 0, f->name, ERR_usage,
                       ir_format(f->arena,
                                 "comm has rank %d of %d%s; wants one below the size, and an "
                                 "exchange",
                                 c->rank, c->size, c->exchange ? "" : " and no exchange"));
    world_of(f->ctx);
    const pass_world w = { c->rank, c->size, program_hash(f, spread), spread,
                           spread ? spread + f->n_in : NULL };
    COT_TRY(pass_own(f, &w, &own));
    *out = own;
    *together = true;
    return COT_OK;
}

/* The text is that of before this process gives up, which is not what it fails by. */
const char *
rt_world_failed(const cot_kernel *k)
{
    const world *w = k->together ? ir_attached_find(k->ctx, &key) : NULL;
    const char *text = w ? why(&(const ir_custom){ .user = (void *)w }) : NULL;

    if (text)
        text = ir_copy_string(&k->ctx->message_arena, text);
    if (w && w->comm->abort)
        w->comm->abort(w->comm->user);
    return text;
}

int
cot_spread_owner(int64_t groups, int processes, int64_t group)
{
    if (groups < 1 || processes < 1 || group < 0 || group >= groups)
        return -1;
    int64_t first, before = 0;
    for (int64_t q = 0; q < ir_leaves(groups); q++) {
        const int64_t size = ir_leaf_size(groups, q, &first);
        if (size && group >= first && (group - first) % 32 == 0 && group < first + 32 * size)
            return (int)(before * processes / groups);
        before += size;
    }
    return -1;
}
