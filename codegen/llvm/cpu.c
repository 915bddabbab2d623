/* The processors that LLVM 19 knows, by name.
 *
 * Its C interface cannot be asked, and a name that it does not know ends the process as soon as
 * code is generated ("64-bit code requested on a subtarget that doesn't support it").  So the
 * names are here: those of `llc -mcpu=help`, without the 32-bit ones. */
#include <string.h>

#include "codegen/llvm/llvm.h"

static const char x86_64[] =
    " alderlake amdfam10 arrowlake arrowlake-s athlon64 athlon64-sse3 athlon-fx atom barcelona bdver1 bdver2 bdver3 "
    "bdver4 bonnell broadwell btver1 btver2 cannonlake cascadelake clearwaterforest cooperlake core-avx-i core-avx2 "
    "core2 corei7 corei7-avx emeraldrapids goldmont goldmont-plus gracemont grandridge graniterapids graniterapids-d "
    "haswell icelake-client icelake-server ivybridge k8 k8-sse3 knl knm lunarlake meteorlake nehalem nocona opteron "
    "opteron-sse3 pantherlake penryn raptorlake rocketlake sandybridge sapphirerapids sierraforest silvermont skx "
    "skylake skylake-avx512 slm tigerlake tremont westmere x86-64 x86-64-v2 x86-64-v3 x86-64-v4 znver1 znver2 znver3 "
    "znver4 znver5 ";

static const char aarch64[] =
    " a64fx ampere1 ampere1a ampere1b apple-a10 apple-a11 apple-a12 apple-a13 apple-a14 apple-a15 apple-a16 apple-a17 "
    "apple-a7 apple-m1 apple-m2 apple-m3 apple-m4 carmel cortex-a34 cortex-a35 cortex-a510 cortex-a520 cortex-a520ae "
    "cortex-a53 cortex-a55 cortex-a57 cortex-a65 cortex-a65ae cortex-a710 cortex-a715 cortex-a72 cortex-a720 "
    "cortex-a720ae cortex-a725 cortex-a73 cortex-a75 cortex-a76 cortex-a76ae cortex-a77 cortex-a78 cortex-a78ae "
    "cortex-a78c cortex-r82 cortex-r82ae cortex-x1 cortex-x1c cortex-x2 cortex-x3 cortex-x4 cortex-x925 exynos-m3 "
    "exynos-m4 exynos-m5 falkor kryo neoverse-512tvb neoverse-e1 neoverse-n1 neoverse-n2 neoverse-n3 neoverse-v1 "
    "neoverse-v2 neoverse-v3 neoverse-v3ae oryon-1 saphira thunderx thunderx2t99 thunderx3t110 thunderxt81 thunderxt83 "
    "thunderxt88 tsv110 ";

/* Tensor cores and a maximum that passes on NaNs begin with sm_80; later ones run the code of these. */
static const char nvptx[] = " sm_80 sm_86 sm_87 sm_89 sm_90 ";

bool
cg_ll_is_ptx(const char *triple)
{
    return strncmp(triple, "nvptx64", 7) == 0;
}

bool
cg_ll_cpu_known(const char *triple, const char *cpu)
{
    const char *names = strncmp(triple, "x86_64", 6) == 0    ? x86_64
                        : strncmp(triple, "aarch64", 7) == 0 ? aarch64
                        : cg_ll_is_ptx(triple)               ? nvptx
                                                             : "";
    const size_t n = strlen(cpu);

    if (strcmp(cpu, "generic") == 0 && names != nvptx)
        return true;
    for (const char *s = strstr(names, cpu); s && n; s = strstr(s + 1, cpu))
        if (s[-1] == ' ' && s[n] == ' ')
            return true;
    return false;
}
