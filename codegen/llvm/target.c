/* Target machines, and the instructions of each.
 *
 * A machine is LLVM's target machine together with what the emitter must know: which
 * instructions the processor lacks, which are then emulated, and the width of its vectors.
 * These do not follow from the processor's name: the code generator compiles a small function,
 * and the instructions in its output tell.  A triple alone stands for these instruction sets:
 * riscv64 for rv64gcv, armv7em for a Cortex-M4F, wasm32 includes simd128; --features removes
 * any of that.
 *
 * A target without any name is this machine.  Schedules need no more of it than processor.c
 * tells, so it stays without names, and LLVM is not loaded, until code is compiled. */
#include <stdio.h>
#include <unistd.h>

#include "codegen/kernel/grid.h"
#include "codegen/llvm/llvm.h"
#include "codegen/tuning.h"

/* -- what a processor can do -- */

static const char probe_text[] =
    "declare float @llvm.fma.f32(float, float, float)\n"
    "declare double @llvm.fma.f64(double, double, double)\n"
    "declare float @llvm.sqrt.f32(float)\n"
    "declare double @llvm.sqrt.f64(double)\n"
    "declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)\n"
    "declare <4 x float> @llvm.floor.v4f32(<4 x float>)\n"
    "declare <8 x i16> @llvm.masked.load.v8i16.p0(ptr, i32, <8 x i1>, <8 x i16>)\n"
    "declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)\n"
    "define void @probe(ptr %p, ptr %q, <8 x i1> %m) {\n"
    "  %a = load <16 x float>, ptr %p\n"
    "  %b = call <16 x float> @llvm.fma.v16f32(<16 x float> %a, <16 x float> %a, <16 x float> "
    "%a)\n"
    "  store <16 x float> %b, ptr %q\n"
    "  %c = load <4 x float>, ptr %p\n"
    "  %d = call <4 x float> @llvm.floor.v4f32(<4 x float> %c)\n"
    "  store volatile <4 x float> %d, ptr %q\n"
    "  %e = fptrunc <4 x float> %c to <4 x half>\n"
    "  store volatile <4 x half> %e, ptr %q\n"
    "  %f = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %p, i32 4, <8 x i1> %m, <8 x "
    "float> zeroinitializer)\n"
    "  store volatile <8 x float> %f, ptr %q\n"
    "  %g = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr %p, i32 2, <8 x i1> %m, <8 x i16> "
    "zeroinitializer)\n"
    "  store volatile <8 x i16> %g, ptr %q\n"
    "  %whole = load <8 x i32>, ptr %p\n"
    "  %product = mul <8 x i32> %whole, %whole\n"
    "  store volatile <8 x i32> %product, ptr %q\n"
    "  %h = load float, ptr %p\n"
    "  %i = call float @llvm.fma.f32(float %h, float %h, float %h)\n"
    "  store volatile float %i, ptr %q\n"
    "  %j = load double, ptr %p\n"
    "  %k = call double @llvm.fma.f64(double %j, double %j, double %j)\n"
    "  store volatile double %k, ptr %q\n"
    "  %l = call double @llvm.sqrt.f64(double %j)\n"
    "  store volatile double %l, ptr %q\n"
    "  %n = call float @llvm.sqrt.f32(float %h)\n"
    "  store volatile float %n, ptr %q\n"
    "  %o = load <4 x double>, ptr %p\n"
    "  %r = fadd <4 x double> %o, %o\n"
    "  store volatile <4 x double> %r, ptr %q\n"
    "  ret void\n"
    "}\n";

static void
read_x86(cg_ll_machine *m, const char *text)
{
    m->fma32 = m->fma64 = strstr(text, "vfmadd") != NULL;
    m->round = strstr(text, "roundps") || strstr(text, "rndscaleps");
    m->half = strstr(text, "vcvtps2ph") != NULL;
    m->masked = strstr(text, "vmaskmovps") || strstr(text, "{%k");
    m->masked_small = strstr(text, "vmovdqu16") != NULL;
    const char *product = strstr(text, "vpmulld"),
               *end = product ? strchr(product, '\n') : NULL;
    m->avx2 = end && memchr(product, 'y', (size_t)(end - product)); /* in a register ymm */
    m->vector_bits = strstr(text, "zmm") ? 512 : strstr(text, "ymm") ? 256 : 128;
}

/* The name of an instruction is searched with a space or tab before it and a tab after it, so
 * that longer names do not match. */
static void
read_probe(cg_ll_machine *m, const char *text)
{
    m->extreme = m->root32 = m->root64 = true;
    switch (m->arch) {
    case CG_LL_X86: read_x86(m, text); break;
    case CG_LL_AARCH64:
        m->fma32 = m->fma64 = strstr(text, "fmla") != NULL;
        m->extreme = m->root32 = m->root64 = strstr(text, "fsqrt") != NULL;
        m->round = strstr(text, "frintm") != NULL;
        m->half = strstr(text, "fcvtn") != NULL;
        m->vector_bits = 128;
        m->registers = 32;
        break;
    case CG_LL_RISCV64: /* vectors are used if they hold doubles */
        m->fma32 = m->root32 = strstr(text, "fmadd.s") != NULL;
        m->fma64 = m->root64 = m->round = m->extreme = strstr(text, "fmadd.d") != NULL;
        m->masked = m->masked_small = strstr(text, "v0.t") != NULL;
        m->vector_bits = strstr(text, ", e64,") ? 128 : 32;
        m->registers = 32;
        break;
    case CG_LL_ARM: /* scalars: MVE is not used */
        m->fma32 = strstr(text, "vfma.f32") != NULL;
        m->fma64 = strstr(text, "vfma.f64") != NULL;
        m->root32 = strstr(text, "vsqrt.f32") != NULL;
        m->root64 = strstr(text, "vsqrt.f64") != NULL;
        m->extreme = false;
        m->vector_bits = 32;
        m->registers = 32;
        break;
    case CG_LL_NVPTX: break; /* sm_80 has all of it: new_machine sets it */
    case CG_LL_WASM:
        m->round = true;
        m->vector_bits = strstr(text, "f32x4") ? 128 : 32;
        m->registers = 16;
        break;
    }
}

/* Keep the first error.  Notes and warnings are ignored. */
static void
note_error(LLVMDiagnosticInfoRef d, void *user)
{
    char *text, *first = user;

    if (LLVMGetDiagInfoSeverity(d) != LLVMDSError || *first)
        return;
    text = LLVMGetDiagInfoDescription(d);
    const char *why = strstr(text, "): "); /* skip the location, which is in the probe's text */
    why = why ? why + 3 : text;
    snprintf(first, CG_LL_FATAL, "%.*s", (int)strcspn(why, "\n"),
             *why ? why : "no reason given");
    LLVMDisposeMessage(text);
}

static cot_status
probe(cot_context *ctx, cg_ll_machine *m)
{
    LLVMContextRef llvm = LLVMContextCreate();
    LLVMMemoryBufferRef text =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(probe_text, sizeof probe_text - 1, "probe");
    LLVMMemoryBufferRef code = NULL;
    LLVMModuleRef module = NULL;
    char *message = NULL, died[CG_LL_FATAL] = "", wrong[CG_LL_FATAL] = "";
    bool bad = LLVMParseIRInContext(llvm, text, &module, &message);

    LLVMContextSetDiagnosticHandler(llvm, note_error, wrong);
    if (!bad) {
        LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(m->tm);
        LLVMSetModuleDataLayout(module, layout);
        LLVMDisposeTargetData(layout);
        LLVMSetTarget(module, m->triple);
        bad = cg_ll_emit_file(m->tm, module, LLVMAssemblyFile, died, &message, &code);
    }
    bad |= *wrong != '\0';
    if (!bad)
        read_probe(m, LLVMGetBufferStart(code));
    if (code)
        LLVMDisposeMemoryBuffer(code);
    /* After a fatal error the module and its context cannot be freed. */
    if (module && !*died)
        LLVMDisposeModule(module);
    if (!*died)
        LLVMContextDispose(llvm);
    cot_status s =
        bad ? cg_ll_fail(ctx,
                         "target %s, processor %s, with these features: LLVM makes no code: %s",
                         m->triple, m->cpu,
                         *died     ? died
                         : *wrong  ? wrong
                         : message ? message
                                   : "no reason given")
            : COT_OK;
    LLVMDisposeMessage(message);
    return s;
}

/* LLVM lists this machine's features, so that the probe need not be compiled. */
static void
read_features(cg_ll_machine *m)
{
    const char *f = m->features;
    bool avx512 = strstr(f, "+avx512f") != NULL && strstr(f, "+avx512vl") != NULL;

    m->extreme = m->root32 = m->root64 = true;
    m->fma32 = m->fma64 = strstr(f, "+fma,") || avx512;
    m->round = strstr(f, "+sse4.1") != NULL;
    m->half = strstr(f, "+f16c") != NULL;
    m->masked = strstr(f, "+avx,") || avx512;
    m->masked_small = avx512 && strstr(f, "+avx512bw");
    m->avx2 = strstr(f, "+avx2") != NULL;
    m->vector_bits = avx512 ? 512 : strstr(f, "+avx2") ? 256 : 128;
}

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
        read_features(m);
    else if (!m->grid && probe(ctx, m) != COT_OK)
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

/* The width of its vectors and their number, by LLVM unless they are known. */
static cot_status
ask_machine(cot_context *ctx, cg_target *t, int *bits, int *registers)
{
    ir_digest name;

    if (cg_ll_is_this_processor(ctx, t, &name)) {
        *bits = cg_ll_session_of(ctx)->processor.vector_bits;
        *registers = cg_ll_session_of(ctx)->processor.registers;
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
    *bits = m->vector_bits;
    *registers = m->registers;
    return COT_OK;
}

cot_status
cg_ll_target(cot_context *ctx, cg_target *t)
{
    const bool host = t->triple == NULL && t->cpu == NULL;
    int bits = 0, registers = 0;

    COT_TRY(ask_machine(ctx, t, &bits, &registers));
    if (t->vector_bits == 0)
        t->vector_bits = ctx->config.vector_bits ? ctx->config.vector_bits : bits;
    if (t->registers == 0)
        t->registers = registers;
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
