/* The door to LLVM: its start, target machines, and the back end's table.
 *
 * LLVM's registry of targets is a global of its own, filled once for the process.  All else
 * belongs to the context: a list of target machines, one for each triple, processor and
 * features asked for, and the JIT.  A target machine is not thread-safe: the context's lock is
 * held while one is used.
 *
 * What a processor can do is not asked by name: the code generator compiles a small function
 * for it, and the instructions it chose tell. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>

#include "codegen/llvm/llvm.h"
#include "ir/diag.h"

static pthread_once_t started = PTHREAD_ONCE_INIT;
static const char session_key;

static void
start(void)
{
    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllTargets();
    LLVMInitializeAllTargetMCs();
    LLVMInitializeAllAsmPrinters();
    LLVMInitializeAllAsmParsers();
}

cot_status
cg_ll_fail(cot_context *ctx, const char *format, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return ir_fail(ctx, 0, NULL, ERR_target, text);
}

static void
session_release(void *data)
{
    cg_ll_session *s = data;

    for (cg_ll_machine *m = s->machine; m; m = m->next)
        if (m->tm)
            LLVMDisposeTargetMachine(m->tm);
    if (s->jit)
        cg_ll_jit_release(s->jit);
}

cg_ll_session *
cg_ll_session_of(cot_context *ctx)
{
    cg_ll_session *s = ir_attached_find(ctx, &session_key);

    if (s == NULL) {
        s = IR_NEW(&ctx->arena, cg_ll_session);
        s->ctx = ctx;
        ir_attach(ctx, &session_key, s, session_release);
        pthread_once(&started, start);
    }
    return s;
}

/* -- what a processor can do -- */

static const char probe_text[] =
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
    "  %h = load <8 x i32>, ptr %p\n"
    "  %i = mul <8 x i32> %h, %h\n"
    "  store volatile <8 x i32> %i, ptr %q\n"
    "  ret void\n"
    "}\n";

static void
read_probe(cg_ll_machine *m, const char *text)
{
    m->fma = strstr(text, "vfmadd") || strstr(text, "fmla");
    m->round = strstr(text, "roundps") || strstr(text, "rndscaleps") || strstr(text, "frintm");
    m->half = strstr(text, "vcvtps2ph") || strstr(text, "fcvtn");
    m->masked = strstr(text, "vmaskmovps") || strstr(text, "{%k");
    m->masked_small = strstr(text, "vmovdqu16") != NULL;
    const char *products = strstr(text, "vpmulld"), *end = products ? strchr(products, '\n') : NULL;
    m->avx2 = end && memchr(products, 'y', (size_t)(end - products));          /* of ymm */
    m->vector_bits = strstr(text, "zmm") ? 512 : strstr(text, "ymm") ? 256 : 128;
    m->registers = m->vector_bits == 512 || !m->x86 ? 32 : 16;
}

static void
ignore_diagnostic(LLVMDiagnosticInfoRef d, void *user)
{
    (void)d;
    (void)user;
}

static cot_status
probe(cot_context *ctx, cg_ll_machine *m)
{
    LLVMContextRef llvm = LLVMContextCreate();
    LLVMMemoryBufferRef text =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(probe_text, sizeof probe_text - 1, "probe");
    LLVMMemoryBufferRef code = NULL;
    LLVMModuleRef module = NULL;
    char *message = NULL;
    bool bad = LLVMParseIRInContext(llvm, text, &module, &message);

    LLVMContextSetDiagnosticHandler(llvm, ignore_diagnostic, NULL);
    if (!bad) {
        LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(m->tm);
        LLVMSetModuleDataLayout(module, layout);
        LLVMDisposeTargetData(layout);
        LLVMSetTarget(module, m->triple);
        bad = LLVMTargetMachineEmitToMemoryBuffer(m->tm, module, LLVMAssemblyFile, &message,
                                                  &code);
    }
    if (!bad)
        read_probe(m, LLVMGetBufferStart(code));
    if (code)
        LLVMDisposeMemoryBuffer(code);
    if (module)
        LLVMDisposeModule(module);
    LLVMContextDispose(llvm);
    cot_status s =
        bad ? cg_ll_fail(ctx, "target %s: %s", m->triple, message ? message : "no code")
            : COT_OK;
    LLVMDisposeMessage(message);
    return s;
}

/* This machine's features are listed by LLVM: no need to compile anything. */
static void
read_features(cg_ll_machine *m)
{
    const char *f = m->features;
    bool avx512 = strstr(f, "+avx512f") != NULL && strstr(f, "+avx512vl") != NULL;

    m->fma = strstr(f, "+fma,") || avx512;
    m->round = strstr(f, "+sse4.1") != NULL;
    m->half = strstr(f, "+f16c") != NULL;
    m->masked = strstr(f, "+avx,") || avx512;
    m->masked_small = avx512 && strstr(f, "+avx512bw");
    m->avx2 = strstr(f, "+avx2") != NULL;
    m->vector_bits = avx512 ? 512 : strstr(f, "+avx2") ? 256 : 128;
    m->registers = avx512 ? 32 : 16;
}

/* -- target machines -- */

static bool
same_text(const char *a, const char *b)
{
    return strcmp(a, b ? b : "") == 0;
}

static cg_ll_machine *
new_machine(cot_context *ctx, const char *triple, const char *cpu, const char *features)
{
    cg_ll_session *s = cg_ll_session_of(ctx);
    cg_ll_machine *m = IR_NEW(&ctx->arena, cg_ll_machine);
    LLVMTargetRef target;
    char *message = NULL;

    m->triple = ir_copy_string(&ctx->arena, triple);
    m->cpu = ir_copy_string(&ctx->arena, cpu);
    m->features = ir_copy_string(&ctx->arena, features ? features : "");
    m->x86 = strncmp(triple, "x86_64", 6) == 0;
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        cg_ll_fail(ctx, "target %s: %s", triple, message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    /* LLVM ends the process on code that some of its other targets cannot make. */
    if (!m->x86 && strncmp(triple, "aarch64", 7) != 0) {
        cg_ll_fail(ctx, "target %s: wants x86_64 or aarch64, as in x86_64-linux-gnu", triple);
        return NULL;
    }
    if (!cg_ll_cpu_known(triple, cpu)) {
        cg_ll_fail(ctx,
                   "target %s: no processor '%s'; wants a name that LLVM has, as x86-64-v3",
                   triple, cpu);
        return NULL;
    }
    m->tm = LLVMCreateTargetMachine(target, triple, cpu, m->features, LLVMCodeGenLevelDefault,
                                    LLVMRelocPIC, LLVMCodeModelSmall);
    if (m->tm == NULL) {
        cg_ll_fail(ctx, "target %s: LLVM has no code generator for it", triple);
        return NULL;
    }
    m->next = s->machine;
    s->machine = m;
    return m;
}

const cg_ll_machine *
cg_ll_machine_of(cot_context *ctx, const cg_target *t)
{
    cg_ll_session *s = cg_ll_session_of(ctx);

    for (cg_ll_machine *m = s->machine; m; m = m->next)
        if (same_text(m->triple, t->triple) && same_text(m->cpu, t->cpu) &&
            same_text(m->features, t->features))
            return m;
    cg_ll_machine *m = new_machine(ctx, t->triple, t->cpu, t->features);
    if (m == NULL)
        return NULL;
    if (m->x86 && strstr(m->features, "+sse2"))
        read_features(m);
    else if (probe(ctx, m) != COT_OK)
        return NULL;
    return m;
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

/* LLVM's strings are copied and disposed of before anything can jump. */
static const char *
taken(cot_context *ctx, char *text)
{
    char copy[4096];

    snprintf(copy, sizeof copy, "%s", text);
    LLVMDisposeMessage(text);
    return ir_copy_string(&ctx->arena, copy);
}

static void
name_host(cot_context *ctx, cg_target *t)
{
    if (t->triple == NULL)
        t->triple = taken(ctx, LLVMGetDefaultTargetTriple());
    if (t->cpu == NULL) {
        t->cpu = taken(ctx, LLVMGetHostCPUName());
        if (t->features == NULL)
            t->features = taken(ctx, LLVMGetHostCPUFeatures());
    }
    if (strcmp(t->cpu, "generic") == 0 && strncmp(t->triple, "x86_64", 6) == 0)
        t->cpu = "x86-64";
    if (t->features == NULL)
        t->features = "";
}

static cot_status
fill_target(cot_context *ctx, cg_target *t)
{
    bool host = t->triple == NULL && t->cpu == NULL;

    cg_ll_session_of(ctx);
    if (t->triple && t->cpu == NULL)
        t->cpu = "generic";
    name_host(ctx, t);
    pthread_mutex_lock(&ctx->lock);
    const cg_ll_machine *m = cg_ll_machine_of(ctx, t);
    pthread_mutex_unlock(&ctx->lock);
    if (m == NULL)
        return cot_error_status(ctx);
    if (t->vector_bits == 0)
        t->vector_bits = ctx->config.vector_bits ? ctx->config.vector_bits : m->vector_bits;
    if (t->registers == 0)
        t->registers = m->registers;
    if (t->l1 == 0)
        t->l1 = host ? cache_size(_SC_LEVEL1_DCACHE_SIZE, 32 << 10) : 32 << 10;
    if (t->l2 == 0)
        t->l2 = host ? cache_size(_SC_LEVEL2_CACHE_SIZE, 512 << 10) : 512 << 10;
    if (t->l3 == 0)
        t->l3 = host ? cache_size(_SC_LEVEL3_CACHE_SIZE, 8 << 20) : 8 << 20;
    return COT_OK;
}

const cg_backend *
cg_llvm(void)
{
    static const cg_backend backend = { .name = "llvm",
                                        .target = fill_target,
                                        .load = cg_ll_load,
                                        .unload = cg_ll_unload,
                                        .emit = cg_ll_write };

    return &backend;
}
