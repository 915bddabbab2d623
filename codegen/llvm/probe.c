/* The instructions of a target machine: which of those that kernels want it lacks, so that they
 * are emulated, and the width of its vectors.
 *
 * These do not follow from the processor's name: the code generator compiles a small function,
 * and the instructions in its output tell. */
#include "codegen/llvm/llvm.h"

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

/* Sums of products of bytes, of x86 alone: LLVM 19 has no code for them where RISC-V has short
 * vectors only. */
static const char bytes_text[] =
    "declare i32 @llvm.vector.reduce.add.v64i32(<64 x i32>)\n"
    "define void @bytes(ptr %p, ptr %q) {\n"
    "  %a = load <64 x i8>, ptr %p\n"
    "  %b = load volatile <64 x i8>, ptr %p\n"
    "  %c = zext <64 x i8> %a to <64 x i32>\n"
    "  %d = sext <64 x i8> %b to <64 x i32>\n"
    "  %e = mul <64 x i32> %c, %d\n"
    "  %f = call i32 @llvm.vector.reduce.add.v64i32(<64 x i32> %e)\n"
    "  store i32 %f, ptr %q\n"
    "  ret void\n"
    "}\n";

/* Does the first of these instructions have such a register? */
static bool
has_operand(const char *text, const char *name, const char *reg)
{
    const char *at = strstr(text, name), *end = at ? strchr(at, '\n') : NULL,
               *found = at ? strstr(at, reg) : NULL;

    return end && found && found < end;
}

static void
read_x86(cg_ll_machine *m, const char *text)
{
    m->fma32 = m->fma64 = strstr(text, "vfmadd") != NULL;
    m->round = strstr(text, "roundps") || strstr(text, "rndscaleps");
    m->half = strstr(text, "vcvtps2ph") != NULL;
    m->masked = strstr(text, "vmaskmovps") || strstr(text, "{%k");
    m->masked_small = strstr(text, "vmovdqu16") != NULL;
    m->avx2 = has_operand(text, "vpmulld", "ymm");
    m->dot_bits = has_operand(text, "vpdpbusd", "zmm")   ? 512
                  : has_operand(text, "vpdpbusd", "ymm") ? 256
                                                         : 0;
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

cot_status
cg_ll_probe(cot_context *ctx, cg_ll_machine *m)
{
    LLVMContextRef llvm = LLVMContextCreate();
    const char *functions =
        ir_format(&ctx->arena, "%s%s", probe_text, m->x86 ? bytes_text : "");
    LLVMMemoryBufferRef text =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(functions, strlen(functions), "probe");
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
void
cg_ll_read_features(cg_ll_machine *m)
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
    m->dot_bits = avx512 && strstr(f, "+avx512vnni") ? 512 : strstr(f, "+avxvnni,") ? 256 : 0;
}
