/* The processors we compile for, by name.
 *
 * LLVM takes any name, complains on the standard error, and goes on with another processor; and some of its targets end the
 * process on code that they cannot make.  So the names are listed here: 64-bit x86, and AArch64. */
#include "codegen/llvm/llvm.h"

static const char x86_names[] =
    " x86-64 x86-64-v2 x86-64-v3 x86-64-v4 nocona core2 penryn nehalem westmere "
    "sandybridge ivybridge haswell broadwell skylake skylake-avx512 skx cascadelake "
    "cooperlake cannonlake icelake-client icelake-server rocketlake tigerlake "
    "sapphirerapids alderlake raptorlake meteorlake arrowlake arrowlake-s lunarlake "
    "pantherlake gracemont emeraldrapids graniterapids graniterapids-d sierraforest "
    "grandridge clearwaterforest bonnell silvermont goldmont goldmont-plus tremont knl "
    "knm k8 k8-sse3 opteron opteron-sse3 athlon64 athlon64-sse3 amdfam10 barcelona "
    "btver1 btver2 bdver1 bdver2 bdver3 bdver4 znver1 znver2 znver3 znver4 znver5 "
    "corei7 corei7-avx core-avx-i core-avx2 generic ";

static const char arm_names[] =
    " generic a64fx ampere1 ampere1a ampere1b apple-a7 apple-a10 apple-a11 apple-a12 "
    "apple-a13 apple-a14 apple-a15 apple-a16 apple-a17 apple-m1 apple-m2 apple-m3 "
    "apple-m4 carmel cortex-a34 cortex-a35 cortex-a510 cortex-a520 cortex-a53 "
    "cortex-a55 cortex-a57 cortex-a65 cortex-a710 cortex-a715 cortex-a72 cortex-a720 "
    "cortex-a725 cortex-a73 cortex-a75 cortex-a76 cortex-a77 cortex-a78 cortex-a78c "
    "cortex-r82 cortex-x1 cortex-x2 cortex-x3 cortex-x4 cortex-x925 exynos-m3 exynos-m4 "
    "exynos-m5 falkor kryo neoverse-512tvb neoverse-e1 neoverse-n1 neoverse-n2 "
    "neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 oryon-1 saphira thunderx "
    "thunderx2t99 thunderx3t110 thunderxt81 thunderxt83 thunderxt88 tsv110 ";

static bool
lists(const char *names, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = names + 1; n && (at = strstr(at, name)) != NULL; at++)
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

cot_status
cg_ll_known(cot_context *ctx, const char *triple, const char *cpu)
{
    bool x86 = strncmp(triple, "x86_64", 6) == 0, arm = strncmp(triple, "aarch64", 7) == 0 || strncmp(triple, "arm64", 5) == 0;

    if (!x86 && !arm)
        return cg_ll_fail(ctx, "target %s: wants x86_64 or aarch64, as in x86_64-linux-gnu", triple);
    if (!lists(x86 ? x86_names : arm_names, cpu))
        return cg_ll_fail(ctx, "processor %s is not known; wants a name such as %s", cpu,
                          x86 ? "x86-64-v3, haswell, znver4" : "generic, neoverse-v2, apple-m1");
    return COT_OK;
}
