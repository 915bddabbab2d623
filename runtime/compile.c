/* From a function to a kernel: specialise, prepare, lower, load.
 *
 * A kernel is one block of memory from the context's allocator.  Everything else that it refers
 * to belongs to the context (graph, types, pool) or to the back end (code), so that freeing it
 * takes two calls. */
#include "runtime/compile.h"

#include "codegen/kernel/cost.h"
#include "codegen/kernel/grid.h"
#include "cotrace/device.h"
#include "frontend/fn.h"
#include "ir/config.h"
#include "ir/diag.h"
#include "ir/limit.h"
#include "ir/number.h"
#include "passes/pass.h"
#include "runtime/device.h"
#include "runtime/open/open.h"
#include "runtime/profile.h"
#include "runtime/store.h"
#include "runtime/tier.h"
#include "runtime/world.h"

/* ---- pools ---- */

typedef struct pools {
    struct {
        int threads;
        cot_parallel *pool;
    } at[8];
    int n;
} pools;

static void
free_pools(void *data)
{
    pools *p = data;

    for (int i = 0; i < p->n; i++)
        cot_rt_pool_free(p->at[i].pool);
}

/* The context's pool of so many threads, made on first use and freed with the context. */
static cot_parallel *
pool_of(cot_context *ctx, int threads)
{
    static const char key;
    pools *p = ir_attached_find(ctx, &key);

    if (threads < 2)
        return NULL;
    if (!p) {
        p = IR_NEW(&ctx->arena, pools);
        ir_attach(ctx, &key, p, free_pools);
    }
    for (int i = 0; i < p->n; i++)
        if (p->at[i].threads == threads)
            return p->at[i].pool;
    if (p->n == 8)
        /* Any pool will do, since results do not depend on the number of threads. */
        return p->at[7].pool;
    p->at[p->n].threads = threads;
    p->at[p->n].pool = cot_rt_pool_new(threads);
    return p->at[p->n].pool ? p->at[p->n++].pool : NULL;
}

/* ---- stages ---- */

static bool
is_inout(const ir_graph *f, int64_t i)
{
    for (int k = 0; k < f->n_inout; k++)
        if (f->inout[k].arg == i)
            return true;
    return false;
}

/* Sets a flag for each argument that p donates. */
static cot_status
donated_flags(const ir_graph *f, const rt_plan *p, ir_arena *arena, bool *flag)
{
    const int n = ir_count_open(f);

    for (int i = 0; i < p->donated.n; i++) {
        const int64_t x = p->donated.at[i];

        if (x < 0 || x >= n || flag[x])
            return ir_fail(
                f->ctx, 0, f->name, ERR_usage,
                ir_format(arena,
                          "donated names argument %lld%s; wants different numbers below %d",
                          (long long)x, x >= 0 && x < n ? " twice" : "", n));
        if (is_inout(f, x))
            return ir_fail(
                f->ctx, 0, f->name, ERR_usage,
                ir_format(
                    arena,
                    "donated names argument %lld, which is in/out; wants one that is only read",
                    (long long)x));
        flag[x] = true;
    }
    return COT_OK;
}

/* Sets flags of arguments, or of results, that are spread: each names a value with an axis. */
static cot_status
flag_spread(const ir_graph *f, ir_ints list, bool results, ir_arena *arena, bool *flag)
{
    const int n = results ? f->n_out - f->n_inout : ir_count_open(f);

    for (int i = 0; i < list.n; i++) {
        const int64_t x = list.at[i];
        const bool known = x >= 0 && x < n;
        const ir_type *t = known ? ir_type_at(f, results ? f->out[x] : f->in[x]) : NULL;
        if (!known || t->rank == 0)
            return ir_fail(f->ctx, 0, f->name, ERR_usage,
                           ir_format(arena, "%s names number %lld%s; wants numbers below %d",
                                     results ? "spread_results" : "spread", (long long)x,
                                     known ? ", a scalar" : "", n));
        flag[x] = true;
    }
    return COT_OK;
}

/* Flags for each argument, then each result; the new value of an in/out argument is spread as
 * the argument. */
static cot_status
spread_flags(const ir_graph *f, const rt_plan *p, ir_arena *arena, bool **out)
{
    bool *flag = IR_NEW_N(arena, bool, f->n_in + f->n_out + 1);

    *out = NULL;
    if (!p->spread.n && !p->spread_results.n)
        return COT_OK;
    if (!p->together && !p->counts.n)
        return ir_fail(f->ctx, 0, f->name, ERR_usage,
                       "arguments or results are spread; wants a kernel of the back ends jit, "
                       "c and eval");
    COT_TRY(flag_spread(f, p->spread, false, arena, flag));
    COT_TRY(flag_spread(f, p->spread_results, true, arena, flag + f->n_in));
    for (int k = 0; k < f->n_inout; k++)
        flag[f->n_in + f->n_out - f->n_inout + k] = flag[f->inout[k].arg];
    *out = flag;
    return COT_OK;
}

/* Prepares the graph and finds which results may be stored in donated arguments. */
static cot_status
prepare(const ir_graph *f, const rt_plan *p, ir_arena *arena, rt_lowered *out, bool **donated)
{
    ir_graph *prepared;
    bool *spread;

    *donated = IR_NEW_N(arena, bool, f->n_in + 2) + 1; /* before it: the communicator */
    COT_TRY(donated_flags(f, p, arena, *donated));
    COT_TRY(pass_prepare(f, &prepared));
    out->prepared = prepared;
    out->together = false;
    COT_TRY(spread_flags(f, p, arena, &spread));
    if (p->together)
        COT_TRY(rt_world_own(prepared, spread, &out->prepared, &out->together));
    out->comm = p->counts.n > 0 && pass_has_groups(f);
    if (out->comm)
        COT_TRY(rt_world_file(out->prepared, p->counts, spread, arena, &out->prepared));
    out->spread = out->together ? spread : NULL;
    *donated -= out->comm;
    out->over = IR_NEW_N(arena, int, f->n_out + 1);
    cg_pair_donated(out->prepared, *donated, arena, out->over);
    return COT_OK;
}

cot_status
rt_lower(const ir_graph *f, const rt_plan *p, ir_arena *arena, rt_lowered *out)
{
    return rt_lower_open(f, p, arena, NULL, 0, out);
}

cot_status
rt_lower_open(const ir_graph *f, const rt_plan *p, ir_arena *arena, const int64_t *open,
              uint32_t n, rt_lowered *out)
{
    cg_lower_options o = {
        .target = &p->target, .threads = p->threads, .fuse = p->fuse, .open = open, .n_open = n
    };
    ir_graph *prepared;
    bool *donated;

    COT_TRY(prepare(f, p, arena, out, &donated));
    /* a function for all sizes stays as it is, since its samples must be alike */
    COT_TRY(pass_prepare_kernels(out->prepared, !n && !p->target.grid, &prepared));
    out->prepared = prepared;
    o.share_all = f->ctx->shares_all;
    o.donated = donated;
    o.schedules = p->schedules;
    o.record = p->record;
    return cg_lower(out->prepared, &o, arena, &out->module);
}

cot_status
rt_dump_stages(const ir_graph *f, const rt_plan *p, cg_module *m, ir_arena *scratch)
{
    cot_context *ctx = f->ctx;
    const struct {
        const char *stage;
        cg_output what;
    } emitted[] = { { "llvm", CG_TO_LLVM }, { "asm", CG_TO_ASM }, { "ptx", CG_TO_PTX } };
    const cg_backend *backend = p->backend ? p->backend : cg_llvm();
    const cg_natural fn = {
        .name = p->name, .module = m, .n_in = f->n_in, .n_out = f->n_out - f->n_inout
    };
    ir_buf b;

    if (!ctx->config.dump)
        return COT_OK;
    if (ir_config_lists(ctx->config.dump, "fuse") ||
        ir_config_lists(ctx->config.dump, "kernels")) {
        ir_buf_init(&b, scratch);
        cg_module_print(&b, m);
        rt_dump_text(ctx, f->name, "fuse", b.text, b.n);
    }
    if (ir_config_lists(ctx->config.dump, "plan")) {
        ir_buf_init(&b, scratch);
        cg_explain(&b, m);
        rt_dump_text(ctx, f->name, "plan", b.text, b.n);
    }
    for (int i = p->target.grid ? 2 : 0; i < (p->target.grid ? 3 : 2); i++) {
        const void *bytes;
        size_t n;

        if (!ir_config_lists(ctx->config.dump, emitted[i].stage))
            continue;
        COT_TRY(
            backend->emit(ctx, &p->target, emitted[i].what, 1, &fn, scratch, &bytes, &n));
        rt_dump_text(ctx, f->name, emitted[i].stage, bytes, n);
    }
    return COT_OK;
}

/* ---- kernels ---- */

cot_kernel *
rt_kernel_new(const ir_graph *f, const rt_plan *p, const rt_lowered *low)
{
    cot_context *ctx = f->ctx;
    const int own = f->n_out - f->n_inout;
    const ir_graph *types = low->together ? low->prepared : f;
    size_t n = (size_t)(f->n_in + own);
    cot_kernel *k = ir_realloc(ctx, NULL,
                               sizeof *k + n * (sizeof *k->type + sizeof *k->bytes +
                                                sizeof *k->over + sizeof *k->spread));

    *k = (cot_kernel){ .ctx = ctx, .graph = f, .plan = *p, .n_in = f->n_in, .n_out = own };
    k->prepared = low->prepared;
    k->together = low->together;
    k->n_args = ir_count_open(f);
    k->bytes = (size_t *)(k + 1);
    k->type = (const ir_type **)(k->bytes + n);
    k->over = (int *)(k->type + n);
    for (int i = 0; i < own; i++)
        k->over[i] = low->over[i];
    if (low->spread) {
        k->spread = (bool *)(k->over + n);
        memcpy(k->spread, low->spread, n);
    }
    for (int i = 0; i < f->n_in + own; i++) {
        k->type[i] = ir_type_at(types, i < f->n_in ? types->in[i] : types->out[i - f->n_in]);
        k->bytes[i] = (size_t)k->type[i]->size * cot_dtype_size(k->type[i]->dtype);
    }
    return k;
}

static void
print_time(const ir_graph *f, const char *stage, double start, const cg_module *m)
{
    char text[128];

    snprintf(text, sizeof text, "%5u kernels         %s", m->n_kernels, f->name);
    ir_print_time(f->ctx, stage, ir_now() - start, text);
}

void
rt_kernel_pool(cot_kernel *k)
{
    if (k->parallel)
        k->pool = pool_of(k->ctx, k->plan.threads);
}

void
rt_make_blocks(cot_kernel *k, size_t bytes)
{
    k->work_bytes = bytes;
    if (!bytes)
        return;
    k->blocks = ir_realloc(k->ctx, NULL, sizeof *k->blocks);
    *k->blocks = (rt_blocks){ .bytes = bytes };
}

/* Memory for loading is in the arena, which the caller frees in any case; what a second tier
 * still needs of it is no longer there. */
static cot_status
compile_jit(const ir_graph *f, const rt_plan *p, ir_arena *scratch, cot_kernel **out)
{
    double start = ir_now();
    rt_lowered low;
    cot_kernel *k;
    bool begun;

    COT_TRY(rt_lower(f, p, scratch, &low));
    print_time(f, "prepare, lower", start, low.module);
    COT_TRY(rt_dump_stages(f, p, low.module, scratch));
    k = *out = rt_kernel_new(f, p, &low);
    cg_module_cost(low.module, &k->flops, &k->traffic);
    k->parallel = low.module->parallel;
    rt_kernel_pool(k);
    rt_make_blocks(k, (size_t)low.module->work_bytes);
    COT_TRY(rt_profile_kernel(k, low.module));
    start = ir_now();
    rt_store_open(f->ctx);
    COT_TRY(rt_tier_begin(k, &low, scratch, &begun));
    if (!begun) {
        COT_TRY(p->backend->load(f->ctx, &p->target, low.module, &k->code));
        atomic_store_explicit(&k->entry, k->code.entry, memory_order_relaxed);
    }
    print_time(f, k->entry ? "load" : "first tier", start, low.module);
    return COT_OK;
}

/* The module is kept in the arena of its program. */
static cot_status
compile_device(const ir_graph *f, const rt_plan *p, rt_program **program, cot_kernel **out)
{
    double start = ir_now();
    rt_lowered low;
    cot_kernel *k;

    *program = rt_program_new(f->ctx, p->machine);
    COT_TRY(rt_lower(f, p, &(*program)->arena, &low));
    print_time(f, "prepare, lower", start, low.module);
    COT_TRY(rt_dump_stages(f, p, low.module, &(*program)->arena));
    k = *out = rt_kernel_new(f, p, &low);
    k->program = *program;
    cg_module_cost(low.module, &k->flops, &k->traffic);
    rt_make_blocks(k, p->machine == rt_sim() ? (size_t)low.module->work_bytes : 0);
    start = ir_now();
    COT_TRY(rt_program_load(k->program, p, low.module));
    print_time(f, "load", start, low.module);
    return COT_OK;
}

/* ---- the choice of a device by the size of the program ---- */

/* Rates of typical machines of either kind, for each second.  The choice need only be right
 * where both kinds differ by far. */
static const double cpu_flops = 2e10, cpu_bytes = 1.5e10, gpu_flops = 1e13, gpu_bytes = 1e12,
                    bus_bytes = 2e10, launch_time = 5e-6;

static double
longer(double x, double y)
{
    return x > y ? x : y;
}

/* Is the program so large that the device is faster, including transfers? */
static bool
is_worth(const cg_module *m, const cot_graph *f, int threads)
{
    int64_t operations, traffic;
    double carried = 0;

    cg_module_cost(m, &operations, &traffic);
    for (int i = 0; i < f->n_in + f->n_out; i++) {
        const ir_type *t = ir_type_at(f, i < f->n_in ? f->in[i] : f->out[i - f->n_in]);

        carried += (double)t->size * (double)cot_dtype_size(t->dtype);
    }
    const double flops = (double)operations, bytes = (double)traffic;
    return launch_time * m->n_kernels + carried / bus_bytes +
               longer(flops / gpu_flops, bytes / gpu_bytes) <
           longer(flops / (cpu_flops * threads), bytes / cpu_bytes);
}

/* Plans for the device if there is one and the program is large enough. */
static cot_status
choose(const ir_graph *f, rt_plan *p, ir_arena *scratch)
{
    rt_lowered low;

    p->choose = false;
    if (!cot_device_count(f->ctx, "cuda"))
        return COT_OK;
    COT_TRY(rt_lower(f, p, scratch, &low));
    if (!is_worth(low.module, f, p->threads))
        return COT_OK;
    p->backend = NULL;
    p->target.cpu = p->target.features = NULL;
    return rt_plan_device(f->ctx, rt_cuda(), p);
}

static cot_status
compile_eval(const ir_graph *f, const rt_plan *p, ir_arena *scratch, cot_kernel **out)
{
    rt_lowered low;
    bool *donated;

    COT_TRY(prepare(f, p, scratch, &low, &donated));
    *out = rt_kernel_new(f, p, &low);
    return COT_OK;
}

static cot_status
compile_any(const ir_graph *f, const rt_plan *given, ir_arena *scratch, rt_program **program,
            cot_kernel **out)
{
    rt_plan p = *given;

    if (p.choose && p.engine == RT_JIT)
        COT_TRY(choose(f, &p, scratch));
    p.together = p.engine != RT_DEVICE;
    if (p.engine == RT_EVAL)
        return compile_eval(f, &p, scratch, out);
    return p.engine == RT_DEVICE ? compile_device(f, &p, program, out)
                                 : compile_jit(f, &p, scratch, out);
}

cot_status
rt_compile(const ir_graph *f, const rt_plan *p, cot_kernel **out)
{
    cot_context *ctx = f->ctx;
    volatile cot_status status = COT_ERR_MEMORY;
    /* An array, so that its value is in memory when a longjmp returns here. */
    rt_program *program[1] = { NULL };
    ir_arena scratch;

    *out = NULL;
    ir_arena_init(&scratch, ctx);
    IR_TRY(ctx) {
        status = compile_any(f, p, &scratch, program, out);
    }
    ir_arena_free(&scratch);
    if (status != COT_OK) {
        if (!*out)
            rt_program_free(program[0]);
        cot_kernel_free(*out);
        *out = NULL;
    }
    return status;
}

void
cot_kernel_free(cot_kernel *k)
{
    if (!k)
        return;
    if (k->tier)
        rt_tier_free(k);
    if (k->code.entry)
        k->plan.backend->unload(&k->code);
    rt_program_free(k->program);
    rt_open_free(k->ctx, k->open);
    if (k->blocks) {
        rt_blocks_free(k->blocks);
        ir_free(k->ctx, k->blocks);
    }
    ir_free(k->ctx, k);
}

const cot_graph *
cot_kernel_graph(const cot_kernel *k)
{
    return k ? k->graph : NULL;
}

size_t
cot_kernel_work_bytes(const cot_kernel *k)
{
    return k ? k->work_bytes : 0;
}
