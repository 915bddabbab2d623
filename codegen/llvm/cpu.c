/* The names of the processors that LLVM 19 knows, and of their features.
 *
 * LLVM's C interface cannot list them.  An unknown processor ends the process when code is
 * generated ("64-bit code requested on a subtarget that doesn't support it"), and an unknown
 * feature is ignored with a line on standard error.  So this file lists the names of `llc
 * -mcpu=help` and `-mattr=help`, without processors of another width or instruction set, and
 * without features that change the mode or the calling convention. */
#include <string.h>

#include "codegen/llvm/llvm.h"

static const char x86_cpus[] = " alderlake amdfam10 arrowlake arrowlake-s athlon64 "
                               "athlon64-sse3 athlon-fx atom barcelona bdver1 bdver2 "
                               "bdver3 bdver4 bonnell broadwell btver1 btver2 cannonlake "
                               "cascadelake clearwaterforest cooperlake core-avx-i "
                               "core-avx2 core2 corei7 corei7-avx emeraldrapids goldmont "
                               "goldmont-plus gracemont grandridge graniterapids "
                               "graniterapids-d haswell icelake-client icelake-server "
                               "ivybridge k8 k8-sse3 knl knm lunarlake meteorlake "
                               "nehalem nocona opteron opteron-sse3 pantherlake penryn "
                               "raptorlake rocketlake sandybridge sapphirerapids "
                               "sierraforest silvermont skx skylake skylake-avx512 slm "
                               "tigerlake tremont westmere x86-64 x86-64-v2 x86-64-v3 "
                               "x86-64-v4 znver1 znver2 znver3 znver4 znver5 ";

static const char aarch64_cpus[] = " a64fx ampere1 ampere1a ampere1b apple-a10 apple-a11 "
                                   "apple-a12 apple-a13 apple-a14 apple-a15 apple-a16 "
                                   "apple-a17 apple-a7 apple-m1 apple-m2 apple-m3 apple-m4 "
                                   "carmel cortex-a34 cortex-a35 cortex-a510 cortex-a520 "
                                   "cortex-a520ae cortex-a53 cortex-a55 cortex-a57 cortex-a65 "
                                   "cortex-a65ae cortex-a710 cortex-a715 cortex-a72 "
                                   "cortex-a720 cortex-a720ae cortex-a725 cortex-a73 "
                                   "cortex-a75 cortex-a76 cortex-a76ae cortex-a77 cortex-a78 "
                                   "cortex-a78ae cortex-a78c cortex-r82 cortex-r82ae cortex-x1 "
                                   "cortex-x1c cortex-x2 cortex-x3 cortex-x4 "
                                   "cortex-x925 exynos-m3 exynos-m4 exynos-m5 falkor kryo "
                                   "neoverse-512tvb neoverse-e1 neoverse-n1 neoverse-n2 "
                                   "neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 "
                                   "neoverse-v3ae oryon-1 saphira thunderx thunderx2t99 "
                                   "thunderx3t110 thunderxt81 thunderxt83 thunderxt88 tsv110 ";

static const char riscv64_cpus[] =
    " generic-rv64 rocket-rv64 sifive-p450 sifive-p670 sifive-s21 sifive-s51 sifive-s54 "
    "sifive-s76 sifive-u54 "
    "sifive-u74 sifive-x280 spacemit-x60 syntacore-scr3-rv64 veyron-v1 xiangshan-nanhu ";

static const char arm_cpus[] =
    " cortex-m3 cortex-m33 cortex-m35p cortex-m4 cortex-m52 cortex-m55 cortex-m7 cortex-m85 ";

static const char wasm_cpus[] =
    " bleeding-edge mvp ";

/* A maximum that propagates NaNs needs sm_80.  Later processors run code for these. */
static const char nvptx_cpus[] = " sm_80 sm_86 sm_87 sm_89 sm_90 ";

static const char x86_features[] =
    " 64bit adx aes allow-light-256-bit amx-bf16 amx-complex amx-fp16 amx-int8 amx-tile avx "
    "avx10.1-256 "
    "avx10.1-512 avx2 avx512bf16 avx512bitalg avx512bw avx512cd avx512dq avx512f avx512fp16 "
    "avx512ifma avx512vbmi "
    "avx512vbmi2 avx512vl avx512vnni avx512vp2intersect avx512vpopcntdq avxifma avxneconvert "
    "avxvnni avxvnniint16 "
    "avxvnniint8 bmi bmi2 branch-hint branchfusion ccmp cf cldemote clflushopt clwb clzero "
    "cmov cmpccxadd crc32 "
    "cx16 cx8 egpr enqcmd ermsb evex512 f16c false-deps-getmant false-deps-lzcnt-tzcnt "
    "false-deps-mulc "
    "false-deps-mullq false-deps-perm false-deps-popcnt false-deps-range fast-11bytenop "
    "fast-15bytenop "
    "fast-7bytenop fast-bextr fast-dpwssd fast-gather fast-hops fast-imm16 fast-lzcnt "
    "fast-movbe "
    "fast-scalar-fsqrt fast-scalar-shift-masks fast-shld-rotate "
    "fast-variable-crosslane-shuffle "
    "fast-variable-perlane-shuffle fast-vector-fsqrt fast-vector-shift-masks "
    "faster-shift-than-shuffle fma fma4 "
    "fsgsbase fsrm fxsr gfni harden-sls-ijmp harden-sls-ret hreset idivl-to-divb idivq-to-divl "
    "inline-asm-use-gpr32 invpcid kl lea-sp lea-uses-ag lvi-cfi lvi-load-hardening lwp lzcnt "
    "macrofusion mmx "
    "movbe movdir64b movdiri mwaitx ndd nf no-bypass-delay no-bypass-delay-blend "
    "no-bypass-delay-mov "
    "no-bypass-delay-shuffle nopl pad-short-functions pclmul pconfig pku popcnt ppx "
    "prefer-128-bit prefer-256-bit "
    "prefer-mask-registers prefer-movmsk-over-vtest prefer-no-gather prefer-no-scatter "
    "prefetchi prfchw ptwrite "
    "push2pop2 raoint rdpid rdpru rdrnd rdseed retpoline retpoline-external-thunk "
    "retpoline-indirect-branches "
    "retpoline-indirect-calls rtm sahf sbb-dep-breaking serialize seses sgx sha sha512 shstk "
    "slow-3ops-lea "
    "slow-incdec slow-lea slow-pmaddwd slow-pmulld slow-shld slow-two-mem-ops "
    "slow-unaligned-mem-16 "
    "slow-unaligned-mem-32 sm3 sm4 sse sse-unaligned-mem sse2 sse3 sse4.1 sse4.2 sse4a ssse3 "
    "tagged-globals tbm "
    "tsxldtrk tuning-fast-imm-vector-shift uintr use-glm-div-sqrt-costs use-slm-arith-costs "
    "usermsr vaes "
    "vpclmulqdq vzeroupper waitpkg wbnoinvd widekl x87 xop xsave xsavec xsaveopt xsaves zu ";

static const char aarch64_features[] =
    " CONTEXTIDREL2 a35 a510 a520 a520ae a53 a55 a57 a64fx a65 a710 a715 a72 a720 a720ae a73 "
    "a75 a76 a77 a78 a78ae "
    "a78c addr-lsl-slow-14 aes aggressive-fma all alternate-sextload-cvt-f32-pattern altnzcv "
    "alu-lsl-fast am "
    "ampere1 ampere1a ampere1b amvs apple-a10 apple-a11 apple-a12 apple-a13 apple-a14 "
    "apple-a15 apple-a16 "
    "apple-a17 apple-a7 apple-a7-sysreg apple-m4 arith-bcc-fusion arith-cbz-fusion "
    "ascend-store-address b16b16 "
    "balance-fp-ops bf16 brbe bti call-saved-x10 call-saved-x11 call-saved-x12 call-saved-x13 "
    "call-saved-x14 "
    "call-saved-x15 call-saved-x18 call-saved-x8 call-saved-x9 carmel ccdp ccidx ccpp chk "
    "clrbhb cmp-bcc-fusion "
    "complxnum cortex-a725 cortex-r82 cortex-r82ae cortex-x1 cortex-x2 cortex-x3 cortex-x4 "
    "cortex-x925 cpa crc "
    "crypto cssc d128 disable-latency-sched-heuristic disable-ldp disable-stp dit dotprod ecv "
    "el2vmsa el3 "
    "enable-select-opt ete exynos-cheap-as-move exynosm3 exynosm4 f32mm f64mm falkor faminmax "
    "fgt "
    "fix-cortex-a53-835769 flagm fmv force-32bit-jump-tables fp-armv8 fp16fml fp8 fp8dot2 "
    "fp8dot4 fp8fma fpac "
    "fptoint fullfp16 fuse-address fuse-addsub-2reg-const1 fuse-adrp-add fuse-aes "
    "fuse-arith-logic "
    "fuse-crypto-eor fuse-csel fuse-literals gcs harden-sls-blr harden-sls-nocomdat "
    "harden-sls-retbr hbc hcx i8mm "
    "ite jsconv kryo ldp-aligned-only lor ls64 lse lse128 lse2 lut mec mops mpam mte neon "
    "neoverse512tvb "
    "neoversee1 neoversen1 neoversen2 neoversen3 neoversev1 neoversev2 neoversev3 neoversev3AE "
    "nmi "
    "no-bti-at-return-twice no-neg-immediates no-sve-fp-ld1r no-zcz-fp nv oryon-1 "
    "outline-atomics pan pan-rwv "
    "pauth pauth-lr perfmon predictable-select-expensive predres prfm-slc-target rand ras "
    "rasv2 rcpc rcpc-immo "
    "rcpc3 rdm reserve-lr-for-ra reserve-x1 reserve-x10 reserve-x11 reserve-x12 reserve-x13 "
    "reserve-x14 "
    "reserve-x15 reserve-x18 reserve-x2 reserve-x20 reserve-x21 reserve-x22 reserve-x23 "
    "reserve-x24 reserve-x25 "
    "reserve-x26 reserve-x27 reserve-x28 reserve-x3 reserve-x4 reserve-x5 reserve-x6 "
    "reserve-x7 reserve-x9 rme "
    "saphira sb sel2 sha2 sha3 slow-misaligned-128store slow-paired-128 slow-strqro-store sm4 "
    "sme sme-b16b16 "
    "sme-f16f16 sme-f64f64 sme-f8f16 sme-f8f32 sme-fa64 sme-i16i64 sme-lutv2 sme2 sme2p1 spe "
    "spe-eef specres2 "
    "specrestrict ssbs ssve-fp8dot2 ssve-fp8dot4 ssve-fp8fma store-pair-suppress "
    "stp-aligned-only strict-align "
    "sve sve-b16b16 sve2 sve2-aes sve2-bitperm sve2-sha3 sve2-sm4 sve2p1 tagged-globals the "
    "thunderx thunderx2t99 "
    "thunderx3t110 thunderxt81 thunderxt83 thunderxt88 tlb-rmi tlbiw tme tpidr-el1 tpidr-el2 "
    "tpidr-el3 "
    "tpidrro-el0 tracev8.4 trbe tsv110 uaops use-experimental-zeroing-pseudos "
    "use-fixed-over-scalable-if-equal-cost use-postra-scheduler use-reciprocal-square-root "
    "use-scalar-inc-vl "
    "v8.1a v8.2a v8.3a v8.4a v8.5a v8.6a v8.7a v8.8a v8.9a v8a v8r v9.1a v9.2a v9.3a v9.4a "
    "v9.5a v9a vh wfxt xs "
    "zcm zcz zcz-fp-workaround zcz-gp ";

static const char riscv64_features[] =
    " 32bit 64bit a auipc-addi-fusion b c conditional-cmv-fusion d dlen-factor-2 e "
    "experimental "
    "experimental-rva23s64 experimental-rva23u64 experimental-rvb23s64 experimental-rvb23u64 "
    "experimental-rvm23u32 experimental-smmpm experimental-smnpm experimental-ssnpm "
    "experimental-sspm "
    "experimental-ssqosid experimental-supm experimental-zacas experimental-zalasr "
    "experimental-zicfilp "
    "experimental-zicfiss f forced-atomics forced-sw-shadow-stack h i ld-add-fusion "
    "lui-addi-fusion m "
    "no-default-unroll no-rvc-hints no-sink-splat-operands no-trailing-seq-cst-fence "
    "optimized-zero-stride-load "
    "predictable-select-expensive prefer-w-inst relax reserve-x1 reserve-x10 reserve-x11 "
    "reserve-x12 reserve-x13 "
    "reserve-x14 reserve-x15 reserve-x16 reserve-x17 reserve-x18 reserve-x19 reserve-x2 "
    "reserve-x20 reserve-x21 "
    "reserve-x22 reserve-x23 reserve-x24 reserve-x25 reserve-x26 reserve-x27 reserve-x28 "
    "reserve-x29 reserve-x3 "
    "reserve-x30 reserve-x31 reserve-x4 reserve-x5 reserve-x6 reserve-x7 reserve-x8 reserve-x9 "
    "rva20s64 rva20u64 "
    "rva22s64 rva22u64 rvi20u32 rvi20u64 save-restore shcounterenw shgatpa "
    "shifted-zextw-fusion "
    "short-forward-branch-opt shtvala shvsatpa shvstvala shvstvecd sifive7 smaia smcdeleg "
    "smcsrind smepmp "
    "smstateen ssaia ssccfg ssccptr sscofpmf sscounterenw sscsrind ssstateen ssstrict sstc "
    "sstvala sstvecd "
    "ssu64xl svade svadu svbare svinval svnapot svpbmt tagged-globals unaligned-scalar-mem "
    "unaligned-vector-mem "
    "use-postra-scheduler v ventana-veyron xcvalu xcvbi xcvbitmanip xcvelw xcvmac xcvmem "
    "xcvsimd xsfcease xsfvcp "
    "xsfvfnrclipxfqf xsfvfwmaccqqq xsfvqmaccdod xsfvqmaccqoq xsifivecdiscarddlone "
    "xsifivecflushdlone xtheadba "
    "xtheadbb xtheadbs xtheadcmo xtheadcondmov xtheadfmemidx xtheadmac xtheadmemidx "
    "xtheadmempair xtheadsync "
    "xtheadvdot xventanacondops xwchc za128rs za64rs zaamo zabha zalrsc zama16b zawrs zba zbb "
    "zbc zbkb zbkc zbkx "
    "zbs zca zcb zcd zce zcf zcmop zcmp zcmt zdinx zexth-fusion zextw-fusion zfa zfbfmin zfh "
    "zfhmin zfinx zhinx "
    "zhinxmin zic64b zicbom zicbop zicboz ziccamoa ziccif zicclsm ziccrse zicntr zicond zicsr "
    "zifencei zihintntl "
    "zihintpause zihpm zimop zk zkn zknd zkne zknh zkr zks zksed zksh zkt zmmul ztso zvbb zvbc "
    "zve32f zve32x "
    "zve64d zve64f zve64x zvfbfmin zvfbfwma zvfh zvfhmin zvkb zvkg zvkn zvknc zvkned zvkng "
    "zvknha zvknhb zvks "
    "zvksc zvksed zvksg zvksh zvkt zvl1024b zvl128b zvl16384b zvl2048b zvl256b zvl32768b "
    "zvl32b zvl4096b zvl512b "
    "zvl64b zvl65536b zvl8192b ";

static const char arm_features[] =
    " 32bit 8msecext a12 a15 a17 a32 a35 a5 a53 a55 a57 a7 a72 a73 a75 a76 a77 a78c a8 a9 "
    "aapcs-frame-chain aclass "
    "acquire-release aes armv4 armv4t armv5t armv5te armv5tej armv6 armv6-m armv6j armv6k "
    "armv6kz armv6s-m "
    "armv6t2 armv7-a armv7-m armv7-r armv7e-m armv7k armv7s armv7ve armv8-a armv8-m.base "
    "armv8-m.main armv8-r "
    "armv8.1-a armv8.1-m.main armv8.2-a armv8.3-a armv8.4-a armv8.5-a armv8.6-a armv8.7-a "
    "armv8.8-a armv8.9-a "
    "armv9-a armv9.1-a armv9.2-a armv9.3-a armv9.4-a armv9.5-a atomics-32 avoid-movs-shop "
    "avoid-partial-cpsr bf16 "
    "big-endian-instructions cde cdecp0 cdecp1 cdecp2 cdecp3 cdecp4 cdecp5 cdecp6 cdecp7 "
    "cheap-predicable-cpsr "
    "clrbhb cortex-a710 cortex-a78 cortex-a78ae cortex-x1 cortex-x1c crc crypto d32 db dfb "
    "disable-postra-scheduler dont-widen-vmovs dotprod dsp execute-only expand-fp-mlx exynos "
    "fix-cmse-cve-2021-35465 fix-cortex-a57-aes-1742098 fp-armv8 fp-armv8d16 fp-armv8d16sp "
    "fp-armv8sp fp16 "
    "fp16fml fp64 fpao fpregs fpregs16 fpregs64 fullfp16 fuse-aes fuse-literals harden-sls-blr "
    "harden-sls-nocomdat harden-sls-retbr hwdiv hwdiv-arm i8mm iwmmxt iwmmxt2 krait kryo lob "
    "long-calls "
    "loop-align m3 m7 mclass mp muxed-units mve mve.fp mve1beat mve2beat mve4beat nacl-trap "
    "neon neon-fpmovs "
    "neonfp neoverse-v1 no-branch-predictor no-bti-at-return-twice no-movt no-neg-immediates "
    "nonpipelined-vfp "
    "pacbti perfmon prefer-ishst prefer-vmovsr prof-unpr r4 r5 r52 r52plus r7 ras rclass "
    "read-tp-tpidrprw "
    "read-tp-tpidruro read-tp-tpidrurw reserve-r9 ret-addr-stack sb sha2 slow-fp-brcc "
    "slow-load-D-subreg "
    "slow-odd-reg slow-vdup32 slow-vgetlni32 slowfpvfmx slowfpvmlx splat-vfp-neon strict-align "
    "swift thumb2 "
    "trustzone use-mipipeliner use-misched v4t v5t v5te v6 v6k v6m v6t2 v7 v7clrex v8 v8.1a "
    "v8.1m.main v8.2a "
    "v8.3a v8.4a v8.5a v8.6a v8.7a v8.8a v8.9a v8m v8m.main v9.1a v9.2a v9.3a v9.4a v9.5a v9a "
    "vfp2 vfp2sp vfp3 "
    "vfp3d16 vfp3d16sp vfp3sp vfp4 vfp4d16 vfp4d16sp vfp4sp virtualization vldn-align "
    "vmlx-forwarding "
    "vmlx-hazards wide-stride-vfp xscale zcz ";

static const char wasm_features[] =
    " atomics bulk-memory exception-handling extended-const half-precision multimemory "
    "multivalue mutable-globals "
    "nontrapping-fptoint reference-types relaxed-simd sign-ext simd128 tail-call ";

static const struct {
    const char *cpus, *features;
} names[] = {
    [CG_LL_X86] = { x86_cpus, x86_features },
    [CG_LL_AARCH64] = { aarch64_cpus, aarch64_features },
    [CG_LL_RISCV64] = { riscv64_cpus, riscv64_features },
    [CG_LL_ARM] = { arm_cpus, arm_features },
    [CG_LL_WASM] = { wasm_cpus, wasm_features },
    [CG_LL_NVPTX] = { nvptx_cpus, " " },
};

/* Is the word of n characters in the list? */
static bool
lists(const char *list, const char *word, size_t n)
{
    for (const char *s = list; n && *s; s += strcspn(s + 1, " ") + 1)
        if (strncmp(s + 1, word, n) == 0 && s[n + 1] == ' ')
            return true;
    return false;
}

bool
cg_ll_cpu_known(cg_ll_arch arch, const char *cpu)
{
    return (strcmp(cpu, "generic") == 0 && arch != CG_LL_NVPTX) ||
           lists(names[arch].cpus, cpu, strlen(cpu));
}

const char *
cg_ll_feature_unknown(cg_ll_arch arch, const char *features)
{
    for (const char *s = features; *s; s += *s == ',') {
        const size_t n = strcspn(s, ",");

        if ((*s != '+' && *s != '-') || !lists(names[arch].features, s + 1, n - 1))
            return s;
        s += n;
    }
    return NULL;
}
