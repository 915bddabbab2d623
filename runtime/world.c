/* The calls of pass_own in kernels of this process: what runtime/support/world.h does, with
 * memory from malloc and the text of a failure. */
#include "runtime/world.h"

#include <stdio.h>
#include <stdlib.h>

#include "ir/config.h"
#include "ir/context.h"
#include "ir/custom.h"
#include "ir/diag.h"
#include "ir/digest.h"
#include "ir/graph.h"
#include "passes/pass.h"
#include "runtime/compile.h"
#include "runtime/support/owner.h"
#include "runtime/support/world.h"

enum { WORLD_MEMORY = COT_RT_WORLD_FAILED + 1 };

typedef struct world {
    const cot_comm *comm;
    char text[160]; /* what went wrong, where the communicator does not say it */
} world;

static const char key;

/* A status, with a text where the communicator has none. */
static int
answer(world *w, int status)
{
    const cot_comm *c = w->comm;

    if (status == WORLD_MEMORY)
        snprintf(w->text, sizeof w->text, "process %d is short of memory", c->rank);
    else if (status && (!c->error || !c->error(c->user)))
        snprintf(w->text, sizeof w->text, "process %d has a communicator that failed", c->rank);
    return status;
}

int64_t
rt_world_room(const char *name, const int64_t *a, int size, int rank)
{
    if (strcmp(name, PASS_WORLD_REDUCE) == 0)
        return cot_rt_world_reduce_room(size, rank, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (strcmp(name, PASS_WORLD_START_SUMS) == 0)
        return cot_rt_world_sums_room(size, rank, a + PASS_REDUCE_TABLE, a[1], a[0]);
    if (strcmp(name, PASS_WORLD_GATHER) == 0)
        return cot_rt_world_gather_room(size, rank, a[0], a[1], a[2]);
    return cot_rt_world_move_room(size, rank, a + PASS_MOVE_RUNS, a[0], a[1], a[2], a[3], a[4]);
}

/* The memory that a call of one half needs while it runs; NULL: there is none. */
static void *
room_for(const world *w, const char *name, const int64_t *a)
{
    return malloc((size_t)rt_world_room(name, a, w->comm->size, w->comm->rank) + 1);
}

static int
run_reduce(const ir_custom *c, const ir_attrs *at, void *const *out, const void *const *in)
{
    world *w = c->user;
    const int64_t *a = at->custom.attrs.at;
    void *room = room_for(w, PASS_WORLD_REDUCE, a);
    const int status = room ? cot_rt_world_reduce(w->comm, in[0], out[0], room, a[0], a[1],
                                                  a[2], a[3], a[4], a[5])
                            : WORLD_MEMORY;

    free(room);
    return answer(w, status);
}

static int
run_start_sums(const ir_custom *c, const ir_attrs *at, void *const *out, const void *const *in)
{
    world *w = c->user;
    const int64_t *a = at->custom.attrs.at;

    return answer(
        w, cot_rt_world_start_sums(w->comm, a + PASS_REDUCE_TABLE, in, out[0], a[1], a[0]));
}

static int
run_sums(const ir_custom *c, const ir_attrs *at, void *const *out, const void *const *in)
{
    world *w = c->user;
    const int64_t *a = at->custom.attrs.at;

    return answer(w, cot_rt_world_sums(w->comm, out, (void *)(uintptr_t)in[a[1]]));
}

static int
run_gather(const ir_custom *c, const ir_attrs *at, void *const *out, const void *const *in)
{
    world *w = c->user;
    const int64_t *a = at->custom.attrs.at;
    void *room = room_for(w, PASS_WORLD_GATHER, a);
    const int status = room
                           ? cot_rt_world_gather(w->comm, in[0], out[0], room, a[0], a[1], a[2])
                           : WORLD_MEMORY;

    free(room);
    return answer(w, status);
}

static int
run_start_move(const ir_custom *c, const ir_attrs *at, void *const *out, const void *const *in)
{
    world *w = c->user;
    const int64_t *a = at->custom.attrs.at;

    return answer(w, cot_rt_world_start_move(w->comm, in[0], a + PASS_MOVE_RUNS, out[0], a[0],
                                             a[1], a[2], a[3], a[4]));
}

static int
run_move(const ir_custom *c, const ir_attrs *at, void *const *out, const void *const *in)
{
    world *w = c->user;
    const int64_t *a = at->custom.attrs.at;

    return answer(w, cot_rt_world_move(w->comm, in[0], a + PASS_MOVE_RUNS, in[1], out[0], a[0],
                                       a[1], a[2], a[3], a[4]));
}

/* Do all run one program, made by one version, with the same keys and short arguments? */
static int
run_begin(const ir_custom *c, const ir_attrs *at, void *const *out, const void *const *in)
{
    world *w = c->user;
    int64_t own[COT_RT_WORLD_COMPARED] = { at->custom.attrs.at[0] };
    int p, differs;

    (void)out;
    w->text[0] = '\0';
    memcpy(&own[1], in[0], sizeof own[1]);
    const int status = cot_rt_world_compare(w->comm, own, &p, &differs);
    if (p < 0)
        return answer(w, status);
    if (differs == 0)
        snprintf(w->text, sizeof w->text,
                 "process %d runs another program than process %d: other types, another "
                 "version, or calls in another order",
                 p, w->comm->rank);
    else
        snprintf(w->text, sizeof w->text,
                 "process %d has another value than process %d for a key or an argument of at "
                 "most 64 bytes, which all processes share",
                 p, w->comm->rank);
    return status;
}

static int
run_note(const ir_custom *c, const ir_attrs *at, void *const *out, const void *const *in)
{
    (void)c;
    return cot_rt_world_note(in[0], in[1], out[0], at->custom.attrs.at[0]);
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
    register_call(ctx, w, PASS_WORLD_NOTE, run_note);
    register_call(ctx, w, PASS_WORLD_GATHER, run_gather);
    register_call(ctx, w, PASS_WORLD_START_MOVE, run_start_move);
    register_call(ctx, w, PASS_WORLD_MOVE, run_move);
    register_call(ctx, w, PASS_WORLD_REDUCE, run_reduce);
    register_call(ctx, w, PASS_WORLD_START_SUMS, run_start_sums);
    register_call(ctx, w, PASS_WORLD_SUMS, run_sums);
    return w;
}

uint64_t
rt_world_hash(const ir_graph *f, const bool *spread)
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
    if (f->ctx->own)
        ir_digest_text(&s, f->ctx->own);
    if (f->ctx->columns)
        ir_digest_add(&s, &f->ctx->columns, sizeof f->ctx->columns);
    if (f->ctx->comm && cot_rt_world_starts(f->ctx->comm))
        ir_digest_text(&s, "starts");
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
    if (f->ctx->columns < 0 || (f->ctx->columns && c->size % f->ctx->columns))
        return ir_fail(f->ctx, 0, f->name, ERR_usage,
                       ir_format(f->arena,
                                 "columns is %d; wants a number that divides the %d processes",
                                 f->ctx->columns, c->size));
    int wanted;
    COT_TRY(rt_world_wanted(f->ctx, &wanted));
    world_of(f->ctx);
    const pass_world w = { .columns = f->ctx->columns,
                           .owners = rt_world_owners,
                           .owned = rt_world_owned,
                           .wanted = wanted,
                           .parts = rt_world_parts,
                           .starts = cot_rt_world_starts(c),
                           .room = rt_world_room,
                           .rank = c->rank,
                           .size = c->size,
                           .hash = rt_world_hash(f, spread),
                           .spread_in = spread,
                           .spread_out = spread ? spread + f->n_in : NULL };
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

_Static_assert((int)PASS_MAX_REDUCED == (int)COT_RT_WORLD_SUMS, "both have one limit");
_Static_assert((int)PASS_OWN_RUNS == (int)COT_RT_OWN_RUNS, "the rules have the same numbers");
_Static_assert((int)PASS_AMONG_COLUMN == (int)COT_RT_AMONG_COLUMN &&
                   (int)PASS_AMONG_ROW == (int)COT_RT_AMONG_ROW,
               "those who share have the same numbers");

int64_t
rt_world_owners(pass_own_rule rule, pass_among among, int columns)
{
    return cot_rt_owners_number((cot_rt_own_rule)rule, (cot_rt_among)among, columns);
}

pass_owned
rt_world_owned(int64_t owners, int64_t groups, int size, int rank, int64_t *list)
{
    const cot_rt_owners o = cot_rt_owners_of(owners, size, rank);
    const cot_rt_owned own = cot_rt_owned_by(o.rule, groups, o.size, o.rank);

    if (list)
        cot_rt_owned_list(groups, &own, list);
    return (pass_owned){ own.first, own.groups };
}

cot_status
rt_world_wanted(cot_context *ctx, int *out)
{
    const char *s = ctx->own;

    *out = !s                        ? 0
           : strcmp(s, "lanes") == 0 ? 1 + PASS_OWN_LEAVES
           : strcmp(s, "runs") == 0  ? 1 + PASS_OWN_RUNS
                                     : -1;
    return *out >= 0 ? COT_OK
                     : ir_fail(ctx, 0, NULL, ERR_usage,
                               ir_format(&ctx->arena, "own is '%s'; wants lanes or runs", s));
}

int64_t
rt_world_parts(pass_own_rule rule, int64_t groups, int size)
{
    int64_t n = 0;

    for (int rank = 0; rank < size; rank++) {
        const cot_rt_owned own = cot_rt_owned_by((cot_rt_own_rule)rule, groups, size, rank);
        n += cot_rt_owned_parts(groups, &own);
    }
    return n;
}

int
cot_spread_owner(int64_t groups, int processes, int64_t group)
{
    if (groups < 1 || processes < 1 || group < 0 || group >= groups)
        return -1;
    int64_t first, before = 0;
    for (int64_t q = 0; q < cot_rt_leaves(groups); q++) {
        const int64_t size = cot_rt_leaf_size(groups, q, &first);
        if (size && group >= first && (group - first) % 32 == 0 && group < first + 32 * size)
            return cot_rt_leaf_owner(groups, processes, q, before);
        before += size;
    }
    return -1;
}
