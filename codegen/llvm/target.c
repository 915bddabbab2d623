/* Target machines: LLVM's, together with what the emitter must know (probe.c).
 *
 * A triple alone stands for these instruction sets: riscv64 for rv64gcv, armv7em for a
 * Cortex-M4F, wasm32 includes simd128; --features removes any of that.
 *
 * A target without any name is this machine.  Schedules need no more of it than processor.c
 * tells, so it stays without names, and LLVM is not loaded, until code is compiled. */
#include <stdio.h>
#include <unistd.h>

#include "codegen/kernel/grid.h"
#include "codegen/llvm/llvm.h"
#include "codegen/tuning.h"

/* -- target machines -- */

static const struct {
    const char *name;       /* the first word of a triple */
    const char *llvm;       /* LLVM's name of the code generator */
    cg_ll_arch arch;
    const char *cpu, *features; /* of a triple without further options */
} architectures[] = {
    { "x86_64", "X86", CG_LL_X86, "x86-64", "" },
    { "aarch64", "AArch64", CG_LL_AARCH64, "generic", "" },
    { "riscv64", "RISCV", CG_LL_RISCV64, "generic-rv64", "+m,+a,+f,+d,+c,+v" },
    { "thumbv7em", "ARM", CG_LL_ARM, "cortex-m4", "" },
    { "thumbv7m", "ARM", CG_LL_ARM, "cortex-m3", "" },
    { "thumbv8m.main", "ARM", CG_LL_ARM, "cortex-m33", "" },
    { "thumbv8.1m.main", "ARM", CG_LL_ARM, "cortex-m55", "" },
    { "wasm32", "WebAssembly", CG_LL_WASM, "generic", "+simd128" },
    { "nvptx64", "NVPTX", CG_LL_NVPTX, "sm_80", "" },
};
enum { N_ARCHITECTURES = sizeof architectures / sizeof *architectures };

static int
architecture_of(const char *triple)
{
    for (int i = 0; i < N_ARCHITECTURES; i++)
        if (strcspn(triple, "-") == strlen(architectures[i].name) &&
            strncmp(triple, architectures[i].name, strlen(architectures[i].name)) == 0)
            return i;
    return -1;
}

static bool
same_text(const char *a, const char *b)
{
    return strcmp(a, b ? b : "") == 0;
}

/* Copy a string of LLVM and dispose of it before the copy can fail by a longjmp. */
static const char *
taken(cot_context *ctx, char *text)
{
    char copy[4096];

    snprintf(copy, sizeof copy, "%s", text);
    LLVMDisposeMessage(text);
    return ir_copy_string(&ctx->arena, copy);
}

static const char *
host_features(cot_context *ctx)
{
    cg_ll_session *s = cg_ll_session_of(ctx);

    if (s->host_features == NULL)
        s->host_features = taken(ctx, LLVMGetHostCPUFeatures());
    return s->host_features;
}

/* Is this the processor of this machine, with no feature added or removed? */
static bool
is_host(cot_context *ctx, const cg_ll_machine *m)
{
    return m->x86 && *m->features && strcmp(m->features, host_features(ctx)) == 0;
}

/* On bare metal no library defines memcpy, and a wasm module would have to import it.  The
 * features of this machine are not given to the target machine: each function carries them as
 * an attribute, and LLVM takes long to parse the list. */
static LLVMTargetMachineRef
new_target_machine(cot_context *ctx, const cg_ll_machine *m, LLVMTargetRef target)
{
    LLVMTargetMachineOptionsRef o = LLVMCreateTargetMachineOptions();

    LLVMTargetMachineOptionsSetCPU(o, m->cpu);
    LLVMTargetMachineOptionsSetFeatures(o, is_host(ctx, m) ? "" : m->features);
    LLVMTargetMachineOptionsSetCodeGenOptLevel(o, LLVMCodeGenLevelDefault);
    LLVMTargetMachineOptionsSetRelocMode(o, m->grid    ? LLVMRelocDefault
                                            : m->alone ? LLVMRelocStatic
                                                       : LLVMRelocPIC);
    LLVMTargetMachineOptionsSetCodeModel(o, m->grid                      ? LLVMCodeModelDefault
                                            : m->arch == CG_LL_RISCV64 ? LLVMCodeModelMedium
                                                                         : LLVMCodeModelSmall);
    LLVMTargetMachineRef tm = LLVMCreateTargetMachineWithOptions(target, m->triple, o);
    LLVMDisposeTargetMachineOptions(o);
    return tm;
}

static cg_ll_machine *
new_machine(cot_context *ctx, const char *triple, const char *cpu, const char *features)
{
    cg_ll_machine *m = IR_NEW(&ctx->arena, cg_ll_machine);
    const int a = architecture_of(triple);
    LLVMTargetRef target;
    char *message = NULL;

    m->triple = ir_copy_string(&ctx->arena, triple);
    m->cpu = ir_copy_string(&ctx->arena, cpu);
    m->features = ir_copy_string(&ctx->arena, features ? features : "");
    if (a < 0) {
        cg_ll_fail(ctx,
                   "target %s: wants x86_64, aarch64, riscv64, armv7em, armv7m, armv8m.main, "
                   "armv8.1m.main, "
                   "wasm32 or nvptx64, as in x86_64-linux-gnu",
                   triple);
        return NULL;
    }
    cg_ll_start_target(architectures[a].llvm);
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        cg_ll_fail(ctx, "target %s: this LLVM has no such code generator", triple);
        LLVMDisposeMessage(message);
        return NULL;
    }
    m->arch = architectures[a].arch;
    m->x86 = m->arch == CG_LL_X86;
    m->grid = m->arch == CG_LL_NVPTX;
    if (m->grid)
        m->fma32 = m->fma64 = m->root32 = m->root64 = m->round = m->half = m->extreme = true;
    m->alone = m->arch == CG_LL_ARM || m->arch == CG_LL_WASM;
    if (!cg_ll_cpu_known(m->arch, cpu)) {
        cg_ll_fail(ctx, "target %s: no processor '%s'; wants a name that LLVM has, as %s",
                   triple, cpu, m->x86 ? "x86-64-v3" : architectures[a].cpu);
        return NULL;
    }
    m->tm = new_target_machine(ctx, m, target);
    if (m->tm == NULL) {
        cg_ll_fail(ctx, "target %s: LLVM has no code generator for it", triple);
        return NULL;
    }
    return m;
}

static const char *
join_features(cot_context *ctx, const char *a, const char *b)
{
    b = b ? b : "";
    return !*a ? b : !*b ? a : ir_format(&ctx->arena, "%s,%s", a, b);
}

/* Where a processor has VNNI, LLVM makes two instructions of one that multiplies pairs of i16
 * and adds, since the chain of sums is shorter then.  The tiles of products have sums enough in
 * progress: what counts there is the number of instructions. */
static const char *
tuned_features(cot_context *ctx, const cg_ll_machine *m)
{
    return m->x86 ? join_features(ctx, m->features, "+fast-dpwssd") : m->features;
}

static const cg_ll_machine *
machine_of(cot_context *ctx, const cg_target *t)
{
    cg_ll_session *s = cg_ll_session_of(ctx);

    for (cg_ll_machine *m = s->machine; m; m = m->next)
        if (same_text(m->triple, t->triple) && same_text(m->cpu, t->cpu) &&
            same_text(m->features, t->features))
            return m;
    cg_ll_machine *m = new_machine(ctx, t->triple, t->cpu, t->features);
    if (m == NULL)
        return NULL;
    if (is_host(ctx, m))
        cg_ll_read_features(m);
    else if (!m->grid && cg_ll_probe(ctx, m) != COT_OK)
        return NULL; /* LLVM's machine is lost too, since it may be in any state */
    if (m->x86)
        m->registers = m->vector_bits == 512 ? 32 : 16;
    m->tuned = tuned_features(ctx, m);
    m->next = s->machine;
    s->machine = m;
    return m;
}

const cg_ll_machine *
cg_ll_machine_like(cot_context *ctx, const cg_ll_machine *m, int i)
{
    cg_ll_machine *first = cg_ll_session_of(ctx)->machine, *own;

    while (first && first != m)
        first = first->next;
    if (first == NULL || first->like[i])
        return first ? first->like[i] : NULL;
    own = IR_NEW(&ctx->arena, cg_ll_machine);
    *own = *first;
    own->next = NULL;
    memset(own->like, 0, sizeof own->like);
    own->tm = new_target_machine(ctx, own, LLVMGetTargetMachineTarget(first->tm));
    if (own->tm == NULL)
        return NULL;
    return first->like[i] = own;
}

void
cg_ll_forget_machine(cot_context *ctx, const cg_ll_machine *machine)
{
    cg_ll_session *s = cg_ll_session_of(ctx);

    for (cg_ll_machine *m = s->machine; m; m = m->next)
        for (int i = 0; i < CG_LL_COMPILE_THREADS; i++)
            if (m->like[i] == machine)
                m->like[i] = NULL;
    for (cg_ll_machine **m = &s->machine; *m; m = &(*m)->next)
        if (*m == machine) {
            *m = machine->next;
            return;
        }
}
static int64_t
cache_size(int name, int64_t otherwise)
{
    long bytes = name >= 0 ? sysconf(name) : -1;

    return bytes > 0 ? bytes : otherwise;
}

#ifndef _SC_LEVEL1_DCACHE_SIZE
#define _SC_LEVEL1_DCACHE_SIZE (-1)
#define _SC_LEVEL2_CACHE_SIZE  (-1)
#define _SC_LEVEL3_CACHE_SIZE  (-1)
#endif

static void
name_host(cot_context *ctx, cg_target *t)
{
    cg_ll_session *s = cg_ll_session_of(ctx);

    if (s->host_triple == NULL)
        s->host_triple = taken(ctx, LLVMGetDefaultTargetTriple());
    if (t->triple == NULL)
        t->triple = s->host_triple;
    if (t->cpu == NULL) {
        if (s->host_cpu == NULL)
            s->host_cpu = taken(ctx, LLVMGetHostCPUName());
        t->cpu = s->host_cpu;
        t->features = host_features(ctx);
    }
    if (strcmp(t->cpu, "generic") == 0 && strncmp(t->triple, "x86_64", 6) == 0)
        t->cpu = "x86-64";
}

/* armv7em: cores of the M profile execute Thumb only. */
static const char *
normal_triple(cot_context *ctx, const char *triple)
{
    const char *t = taken(ctx, LLVMNormalizeTargetTriple(triple));

    if (strncmp(t, "armv7em-", 8) == 0 || strncmp(t, "armv7m-", 7) == 0 ||
        strncmp(t, "armv8m.main-", 12) == 0 || strncmp(t, "armv8.1m.main-", 14) == 0)
        t = ir_format(&ctx->arena, "thumb%s", t + 3);
    return strchr(t, '-') ? t : ir_format(&ctx->arena, "%s-unknown-unknown", t);
}

/* The features of `list` that `asked` does not remove.  LLVM would otherwise keep a removed
 * feature that another one of the list implies. */
static const char *
without(cot_context *ctx, const char *list, const char *asked)
{
    ir_buf b;

    ir_buf_init(&b, &ctx->arena);
    for (const char *s = list; asked && *s; s += *s == ',') {
        const int n = (int)strcspn(s, ",");
        const char *gone = ir_format(&ctx->arena, ",-%.*s,", n - 1, s + 1);

        if (!strstr(ir_format(&ctx->arena, ",%s,", asked), gone))
            ir_buf_printf(&b, "%s%.*s", b.n ? "," : "", n, s);
        s += n;
    }
    return !asked ? list : b.n ? b.text : "";
}

/* Fill the fields that the user left open.  The user's features are added to the
 * processor's. */
static cot_status
complete_target(cot_context *ctx, cg_target *t)
{
    const char *asked = t->features, *given = "";
    int a;

    t->features = NULL;
    if (t->triple) {
        t->triple = normal_triple(ctx, t->triple);
        a = architecture_of(t->triple);
        if (a >= 0 && (t->cpu == NULL || strcmp(t->cpu, "generic") == 0 ||
                       strcmp(t->cpu, architectures[a].cpu) == 0))
            given = without(ctx, architectures[a].features, asked);
        if (a >= 0 && architectures[a].arch == CG_LL_ARM)
            given = "-mve";
        if (t->cpu == NULL)
            t->cpu = a >= 0 ? architectures[a].cpu : "generic";
    }
    name_host(ctx, t);
    a = architecture_of(t->triple);
    const char *unknown =
        asked && a >= 0 ? cg_ll_feature_unknown(architectures[a].arch, asked) : NULL;
    if (unknown)
        return cg_ll_fail(ctx,
                          "target %s: no feature '%.*s'; wants + or - and a name that LLVM "
                          "has, as in +fma,-avx2",
                          t->triple, (int)strcspn(unknown, ","), unknown);
    t->features = join_features(ctx, join_features(ctx, given, t->features), asked);
    return COT_OK;
}

static bool
is_unnamed(const cg_target *t)
{
    return !t->triple && !t->cpu && !t->features;
}

cot_status
cg_ll_name_target(cot_context *ctx, cg_target *t)
{
    if (t->triple && t->cpu && t->features)
        return COT_OK;
    return cg_ll_load_library(ctx) ? complete_target(ctx, t) : cot_error_status(ctx);
}

const cg_ll_machine *
cg_ll_machine_of(cot_context *ctx, const cg_target *t)
{
    cg_target named = *t;

    if (!cg_ll_load_library(ctx) || cg_ll_name_target(ctx, &named) != COT_OK)
        return NULL;
    return machine_of(ctx, &named);
}

bool
cg_ll_is_this_processor(cot_context *ctx, const cg_target *t, ir_digest *name)
{
    cg_ll_session *s = cg_ll_session_of(ctx);

    if (!is_unnamed(t))
        return false;
    if (!s->asked_processor)
        s->knows_processor = cg_ll_this_processor(&s->processor);
    s->asked_processor = true;
    *name = s->processor.name;
    return s->knows_processor;
}

/* Its vectors, by LLVM unless they are known. */
static cot_status
ask_machine(cot_context *ctx, cg_target *t, cg_ll_processor *p)
{
    ir_digest name;

    if (cg_ll_is_this_processor(ctx, t, &name)) {
        *p = cg_ll_session_of(ctx)->processor;
        return COT_OK;
    }
    if (!cg_ll_load_library(ctx))
        return cot_error_status(ctx);
    COT_TRY(complete_target(ctx, t));
    if (strncmp(t->triple, "nvptx64", 7) == 0)
        cg_grid_target(t);
    pthread_mutex_lock(&ctx->lock);
    const cg_ll_machine *m = cg_ll_machine_of(ctx, t);
    pthread_mutex_unlock(&ctx->lock);
    if (m == NULL)
        return cot_error_status(ctx);
    p->vector_bits = m->vector_bits;
    p->registers = m->registers;
    p->dot_bits = m->dot_bits;
    return COT_OK;
}

cot_status
cg_ll_target(cot_context *ctx, cg_target *t)
{
    const bool host = t->triple == NULL && t->cpu == NULL;
    cg_ll_processor p = { 0 };

    COT_TRY(ask_machine(ctx, t, &p));
    if (t->vector_bits == 0)
        t->vector_bits = ctx->config.vector_bits ? ctx->config.vector_bits : p.vector_bits;
    if (t->registers == 0)
        t->registers = p.registers;
    t->dot_bits = p.dot_bits;
    if (t->l1 == 0)
        t->l1 = host ? cache_size(_SC_LEVEL1_DCACHE_SIZE, CG_KERNEL_DEFAULT_L1)
                     : CG_KERNEL_DEFAULT_L1;
    if (t->l2 == 0)
        t->l2 = host ? cache_size(_SC_LEVEL2_CACHE_SIZE, CG_KERNEL_DEFAULT_L2)
                     : CG_KERNEL_DEFAULT_L2;
    if (t->l3 == 0)
        t->l3 = host ? cache_size(_SC_LEVEL3_CACHE_SIZE, CG_KERNEL_DEFAULT_L3)
                     : CG_KERNEL_DEFAULT_L3;
    return COT_OK;
}
