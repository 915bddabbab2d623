/* This machine's processor, as far as a program has to know it before LLVM is loaded.
 *
 * LLVM's name of an x86-64 processor and its features follow from LLVM's build and from what
 * the instructions CPUID and XGETBV answer.  So a digest of these answers, together with the
 * build's id, names code as well as LLVM's words do, and a schedule needs only the vectors'
 * width.  The leaves are all that LLVM asks for, which a test watches instruction by
 * instruction.  Register EBX of leaf 1 is left out, since it tells which core runs.
 *
 * Of other processors nothing is known here.  Sources: Intel 64 and IA-32 Architectures
 * Software Developer's Manual, volume 2, CPUID and XGETBV; AMD64 Architecture Programmer's
 * Manual, volume 3, appendix E. */
#include "codegen/llvm/processor.h"

#if defined(__x86_64__)
#include <cpuid.h>

typedef struct leaf {
    uint32_t number, part;
} leaf;

static const leaf leaves[] = { CG_LL_CPUID_LEAVES };
enum { N_LEAVES = sizeof leaves / sizeof *leaves, EXTENDED = 1 };

/* The registers that the system saves, and so lets programs use. */
static uint64_t
saved_registers(void)
{
    uint32_t low, high;

    __asm__(".byte 0x0f, 0x01, 0xd0" /* xgetbv */ : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

/* Beyond the last leaf a processor answers with another one. */
static void
add_answers(ir_digest_state *d)
{
    uint32_t last[2] = { 0, 0x80000000 };
    uint64_t saved = 0;

    for (int i = 0; i < N_LEAVES; i++) {
        const leaf l = leaves[i];
        uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;

        if (l.number <= last[l.number >> 31])
            __cpuid_count(l.number, l.part, eax, ebx, ecx, edx);
        if (i <= EXTENDED)
            last[i] = eax;
        if (l.number == 1)
            ebx = 0;
        if (l.number == 1 && ecx & bit_OSXSAVE)
            saved = saved_registers();
        ir_digest_add(d, (const uint32_t[]){ eax, ebx, ecx, edx }, 4 * sizeof eax);
    }
    ir_digest_add(d, &saved, sizeof saved);
}

bool
cg_ll_this_processor(cg_ll_processor *out)
{
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
    ir_digest_state d;

    ir_digest_begin(&d);
    add_answers(&d);
    out->name = ir_digest_end(&d);
    out->vector_bits = wide ? 512 : __builtin_cpu_supports("avx2") ? 256 : 128;
    out->registers = wide ? 32 : 16;
    out->dot_bits = wide && __builtin_cpu_supports("avx512vnni") ? 512
                    : __builtin_cpu_supports("avxvnni")          ? 256
                                                                 : 0;
    return true;
}
#else
bool
cg_ll_this_processor(cg_ll_processor *out)
{
    *out = (cg_ll_processor){ 0 };
    return false;
}
#endif
