/* The options of a compilation are checked and completed by those of the context: the back end,
 * the target and the device. */
#include "runtime/compile.h"

#include "codegen/kernel/grid.h"
#include "cotrace/device.h"
#include "ir/config.h"
#include "ir/diag.h"
#include "ir/number.h"
#include "ir/suggest.h"
#include "passes/pass.h"
#include "runtime/device.h"

/* The C name of a function: letters, digits and _ are kept. */
static const char *
c_name(cot_context *ctx, const char *fn)
{
    char *name = ir_format(&ctx->arena, "%s%s", *fn >= '0' && *fn <= '9' ? "_" : "", fn);

    for (char *c = name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
    return name;
}

static const char *
copied(cot_context *ctx, const char *s)
{
    return s && *s ? ir_copy_string(&ctx->arena, s) : NULL;
}

/* Kernels for a GPU are lowered for its threads; `cpu` is the architecture, "sm_80". */
cot_status
rt_plan_device(cot_context *ctx, const rt_machine *machine, rt_plan *p)
{
    if (machine == rt_cuda() && !cg_llvm())
        return ir_fail(ctx, 0, NULL, ERR_target,
                       "built without LLVM, which makes PTX; wants the back end c or eval");
    p->engine = RT_DEVICE;
    p->machine = machine;
    p->threads = 1;
    if (!p->target.cpu)
        p->target.cpu = machine == rt_cuda() ? rt_cuda_arch(ctx, p->device) : "sm_80";
    if (strcmp(p->target.cpu, "sm_80") != 0 && strcmp(p->target.cpu, "sm_90") != 0)
        return ir_fail(
            ctx, 0, NULL, ERR_target,
            ir_format(&ctx->arena, "the GPU is '%s'; wants sm_80 or sm_90", p->target.cpu));
    p->target.triple = NULL;
    p->target.processors = machine == rt_cuda() ? rt_cuda_processors(ctx, p->device) : 0;
    cg_grid_target(&p->target);
    return COT_OK;
}

static cot_status
plan_engine(cot_context *ctx, const char *name, rt_plan *p)
{
    p->engine = name && strcmp(name, "eval") == 0 ? RT_EVAL : RT_JIT;
    p->backend = NULL;
    if (ctx->config.trap)
        p->engine = RT_EVAL;
    if (p->engine == RT_EVAL)
        return COT_OK;
    if (name && strcmp(name, "sim") == 0)
        return rt_plan_device(ctx, rt_sim(), p);
    if (name && strcmp(name, "cuda") == 0)
        return rt_plan_device(ctx, rt_cuda(), p);
    if (name && strcmp(name, "c") == 0) {
        p->backend = cg_c();
        return COT_OK;
    }
    if (name && strcmp(name, "jit") != 0)
        return ir_fail(ctx, 0, NULL, ERR_target,
                       ir_format(&ctx->arena,
                                 "the back end is '%s'; wants jit, c, eval, cuda or sim",
                                 name));
    p->backend = cg_llvm();
    if (!name && !p->backend) {
        p->engine = RT_EVAL;
        return COT_OK;
    }
    if (!p->backend)
        return ir_fail(ctx, 0, NULL, ERR_target,
                       "built without LLVM; wants the back end c or eval");
    return COT_OK;
}

/* Completes the options by the context's target, for example "cuda:sm_90,fast". */
static cot_status
plan_target(cot_context *ctx, const char **backend, rt_plan *p)
{
    const char *target = ctx->config.target;

    if (!target || strcmp(target, "host") == 0)
        return COT_OK;
    if (strcmp(target, "generic") == 0) {
        if (!p->target.cpu)
            p->target.cpu = "generic";
        return COT_OK;
    }
    if (strcmp(target, "auto") == 0) {
        p->choose = !*backend;
        return COT_OK;
    }
    const size_t n = strcspn(target, ",");
    const bool fast = strcmp(target + n, ",fast") == 0;
    if (strncmp(target, "cuda", 4) != 0 || (n > 4 && target[4] != ':') || (target[n] && !fast))
        return ir_fail(ctx, 0, NULL, ERR_target,
                       ir_format(&ctx->arena,
                                 "the target is '%s'; wants host, generic, auto, cuda or "
                                 "cuda:sm_80, and ,fast behind these two",
                                 target));
    p->target.fast |= fast;
    if (*backend && strcmp(*backend, "cuda") != 0)
        return COT_OK;
    *backend = "cuda";
    if (n > 4 && !p->target.cpu)
        p->target.cpu = ir_format(&ctx->arena, "%.*s", (int)n - 5, target + 5);
    return COT_OK;
}

/* The names that COT_OFF accepts: cse, and the passes after contract. */
static bool
can_be_off(const char *name)
{
    return strcmp(name, "cse") == 0 || strcmp(name, "fuse") == 0 ||
           strcmp(name, "reroll") == 0 || strcmp(name, "rematerialize") == 0 ||
           strcmp(name, "layout") == 0;
}

/* The names that COT_DUMP accepts: a pass, or a stage before or after passes. */
static const char *const stages[] = {
    "trace", "fuse", "kernels", "plan", "llvm", "asm", "ptx"
};
enum { N_STAGES = sizeof stages / sizeof stages[0] };

static bool
is_stage(const char *name)
{
    for (int i = 0; i < N_STAGES; i++)
        if (strcmp(name, stages[i]) == 0)
            return true;
    return pass_find(name) != NULL;
}

/* What is wanted, and the stage that may have been meant. */
static const char *
wanted_name(cot_context *ctx, const char *name, bool known(const char *), const char *wants)
{
    ir_suggestion s = ir_suggest(name);

    for (int i = 0; i < N_STAGES; i++)
        if (known(stages[i]))
            ir_suggest_try(&s, stages[i]);
    for (int i = 0; i < pass_row_count; i++)
        if (known(pass_rows[i].name))
            ir_suggest_try(&s, pass_rows[i].name);
    return ir_format(&ctx->message_arena, "%s%s", wants, ir_suggest_text(&s));
}

/* An unknown name is an error, since it would otherwise be ignored. */
static cot_status
names_known(cot_context *ctx, const char *variable, const char *list, bool known(const char *),
            const char *wants)
{
    for (const char *s = list; s && *s; s += strcspn(s, ","), s += *s == ',') {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(s, ","), s);
        if (*name && strcmp(name, "all") != 0 && !known(name))
            return ir_fail(ctx, 0, NULL, ERR_config_name, variable, name,
                           wanted_name(ctx, name, known, wants));
    }
    return COT_OK;
}

/* The numbers that an option lists: of "arguments" or "results". */
static cot_status
numbers(cot_context *ctx, const char *name, const char *of, const cot_list *list, ir_ints *out)
{
    const int64_t *at = cot_list_entries(list);

    if (list->one == COT_BY_NAME)
        return ir_fail(
            ctx, 0, NULL, ERR_usage,
            ir_format(&ctx->arena, "%s is a list of names; wants the numbers of %s", name, of));
    if (list->n != 0 && !at)
        return ir_fail(ctx, 0, NULL, ERR_list_bare, name, list->n, list->n);
    *out = ir_ints_copy(&ctx->arena, list->n, at);
    return COT_OK;
}

cot_status
rt_plan_new(cot_context *ctx, const cot_compile_options *o, const char *fn, rt_plan *p)
{
    static const cot_compile_options none;
    const char *backend;

    o = o ? o : &none;
    backend = o->backend;
    *p = (rt_plan){ .threads = o->threads ? o->threads : ctx->config.threads };
    if (ctx->no_number)
        return ir_fail(ctx, 0, NULL, ERR_config_number, ctx->no_number, ctx->no_number_is);
    COT_TRY(names_known(ctx, "COT_OFF", ctx->config.off, can_be_off, "cse, fuse or all"));
    COT_TRY(names_known(ctx, "COT_DUMP", ctx->config.dump, is_stage,
                        "a pass, trace, fuse, plan, llvm, asm, ptx or all"));
    COT_TRY(numbers(ctx, "donated", "arguments", &o->donated, &p->donated));
    COT_TRY(numbers(ctx, "spread", "arguments", &o->spread, &p->spread));
    COT_TRY(numbers(ctx, "spread_results", "results", &o->spread_results, &p->spread_results));
    p->fuse = !ir_config_lists(ctx->config.off, "fuse");
    p->name = o->name ? ir_copy_string(&ctx->arena, o->name) : c_name(ctx, fn);
    p->target =
        (cg_target){ .triple = copied(ctx, o->target),
                     .cpu = copied(ctx, o->cpu),
                     .features = copied(ctx, o->features),
                     .debug = o->debug || ctx->config.debug,
                     .fast = o->fast,
                     .trapping_math = o->trapping_math || ctx->config.trapping_math,
                     .vector_bits = o->vector_bits ? o->vector_bits : ctx->config.vector_bits };
    if (p->threads < 1 || p->threads > 1024)
        return ir_fail(ctx, 0, NULL, ERR_usage,
                       ir_format(&ctx->arena, "threads is %d; wants 1 to 1024", p->threads));
    if (p->target.vector_bits && p->target.vector_bits != 32 && p->target.vector_bits != 128 &&
        p->target.vector_bits != 256 && p->target.vector_bits != 512)
        return ir_fail(ctx, 0, NULL, ERR_usage,
                       ir_format(&ctx->arena, "vector_bits is %d; wants 32, 128, 256 or 512",
                                 p->target.vector_bits));
    COT_TRY(plan_target(ctx, &backend, p));
    COT_TRY(plan_engine(ctx, backend, p));
    return p->backend ? p->backend->target(ctx, &p->target) : COT_OK;
}
