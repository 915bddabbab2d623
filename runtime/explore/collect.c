/* The walk of a function through the passes, and on to kernels; each node that it meets has a
 * number. */
#include "codegen/lower.h"
#include "frontend/fn.h"
#include "ir/diag.h"
#include "runtime/build.h"
#include "runtime/explore/explore.h"

static uint64_t
hash_of(const void *p)
{
    return ir_hash_u64(0, (uint64_t)(uintptr_t)p);
}

static void
add_graphs(rt_exploring *x, uint32_t n, ir_graph *const *all, uint32_t first)
{
    for (uint32_t i = 0; i < n; i++) {
        IR_PUSH(x->arena, x->graph, x->n_graphs, x->cap_graphs, all[i]);
        IR_PUSH(x->arena, x->input, x->n_inputs, x->cap_inputs, first);
        IR_PUSH(x->arena, x->holder, x->n_holders, x->cap_holders, 0);
        ir_map_add(&x->graphs, hash_of(all[i]), x->n_graphs);
        first += (uint32_t)all[i]->n_in + all[i]->n_nodes - 1;
    }
}

uint32_t
rt_explore_graph(const rt_exploring *x, const ir_graph *f)
{
    uint32_t at = 0, id;

    while ((id = ir_map_next(&x->graphs, hash_of(f), &at)))
        if (x->graph[id - 1] == f)
            return id - 1;
    return 0;
}

uint32_t
rt_explore_kernel(const rt_exploring *x, const cg_kernel *k)
{
    uint32_t at = 0, id;

    while ((id = ir_map_next(&x->kernels, hash_of(k), &at)))
        if (x->low.module->kernel[id - 1] == k)
            return id - 1;
    return 0;
}

/* The first node that holds a graph is its holder. */
static void
find_holders(rt_exploring *x, uint32_t first)
{
    ir_graph *const *sub;

    for (uint32_t i = first; i < x->n_graphs; i++)
        ir_each_node (n, x->graph[i])
            for (int k = 0, subs = ir_runs_bodies(n->op) ? ir_subgraphs(n, &sub, x->arena) : 0;
                 k < subs; k++) {
                const uint32_t g = rt_explore_graph(x, sub[k]);

                if (!x->holder[g])
                    x->holder[g] = rt_explore_number(x, n->loc);
            }
}

static cot_status
add_stage(void *user, const char *name, bool part, const ir_graph *from, ir_graph **g)
{
    rt_exploring *x = user;
    const uint32_t first = x->n_graphs, number = x->next;
    ir_graph *const *all;

    if (from && (from == *g || ir_graph_equal(from, *g)))
        return COT_OK;
    const uint32_t n = ir_follow_mark(*g, &x->next, &all);
    *g = all[0];
    add_graphs(x, n, all, number);
    find_holders(x, first);
    IR_PUSH(x->arena, x->stage, x->n_stages, x->cap_stages,
            ((rt_stage_graphs){ ir_copy_string(x->arena, name), first, n, part }));
    return COT_OK;
}

uint32_t
rt_explore_number(const rt_exploring *x, ir_loc loc)
{
    while (loc && !ir_loc_at(x->ctx, loc)->mark)
        loc = ir_loc_at(x->ctx, loc)->from;
    return loc ? ir_loc_at(x->ctx, loc)->mark : 0;
}

uint32_t
rt_explore_node(const rt_exploring *x, uint32_t i, const ir_node *n)
{
    const ir_graph *f = x->graph[i];

    return x->input[i] + (uint32_t)f->n_in + (uint32_t)(n - f->node) - 1;
}

uint32_t
rt_explore_definer(const rt_exploring *x, uint32_t i, ir_ref v)
{
    const ir_graph *f = x->graph[i];
    const uint32_t node = f->value[v].node;

    return node ? x->input[i] + (uint32_t)f->n_in + node - 1 : x->input[i] + v - 1;
}

static bool
is_for_gpu(const cot_context *ctx, const cot_compile_options *o)
{
    const char *const target = ctx->config.target;

    if (o && o->backend)
        return strcmp(o->backend, "cuda") == 0 || strcmp(o->backend, "sim") == 0;
    if (o && o->target)
        return strncmp(o->target, "nvptx64", 7) == 0;
    return target && strncmp(target, "cuda", 4) == 0;
}

/* Kernels for a GPU are those of PTX, which is written without one. */
static cot_status
plan(rt_exploring *x, const char *name)
{
    const cot_compile_options *o = x->o->compile;
    cot_compile_options gpu;

    if (is_for_gpu(x->ctx, o)) {
        gpu = rt_ptx_options(x->ctx, o);
        if (o && o->backend)
            gpu.backend = o->backend;
        o = &gpu;
    }
    return rt_plan_new(x->ctx, o, name, &x->plan);
}

static cot_status
lower(rt_exploring *x, const ir_graph *f)
{
    COT_TRY(plan(x, f->name));
    x->plan.record = &x->record;
    COT_TRY(rt_lower(f, &x->plan, x->arena, &x->low));
    for (uint32_t i = 0; i < x->low.module->n_kernels; i++)
        ir_map_add(&x->kernels, hash_of(x->low.module->kernel[i]), i + 1);
    return COT_OK;
}

static cot_status
walk(rt_exploring *x, rt_explore_make *make, void *user)
{
    ir_graph *f;

    COT_TRY(make(user, &f));
    x->transforms = x->n_stages;
    return lower(x, f);
}

cot_status
rt_explore_collect(rt_exploring *x, rt_explore_make *make, void *user)
{
    x->next = 1;
    ir_map_init(&x->graphs, x->arena);
    ir_map_init(&x->kernels, x->arena);
    x->follow = (ir_follow){ .stage = add_stage, .user = x };
    ir_follow_begin(&x->follow, x->ctx, x->arena);
    const cot_status status = walk(x, make, user);
    x->ctx->follow = NULL;
    if (status == COT_OK)
        return COT_OK;
    if (!x->transforms)
        x->transforms = x->n_stages;
    x->low.module = NULL;
    x->wrong = ir_copy_string(x->arena, cot_error(x->ctx));
    return status;
}
