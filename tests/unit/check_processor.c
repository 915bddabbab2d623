/* What names this machine's processor has all that LLVM asks the processor for: LLVM's query
 * runs instruction by instruction, and each CPUID in it is a row of the name. */
#define _GNU_SOURCE 1
#include <signal.h>
#include <ucontext.h>

#include "codegen/llvm/llvm.h"
#include "tests/unit/suite.h"

#if defined(__x86_64__) && defined(__linux__)
enum { MAX_ASKED = 256, TRAP_FLAG = 0x100 };

static const uint32_t leaves[][2] = { CG_LL_CPUID_LEAVES };
enum { N_LEAVES = sizeof leaves / sizeof *leaves };

static uint32_t asked[MAX_ASKED][2];
static volatile int n_asked;
static volatile long steps;

/* Before each instruction: 0f a2 is CPUID. */
static void
watch(int signal, siginfo_t *info, void *context)
{
    const greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uint8_t *at = (const uint8_t *)r[REG_RIP];

    (void)signal, (void)info;
    steps++;
    if (at[0] == 0x0f && at[1] == 0xa2 && n_asked < MAX_ASKED) {
        asked[n_asked][0] = (uint32_t)r[REG_RAX];
        asked[n_asked++][1] = (uint32_t)r[REG_RCX];
    }
}

static void
turn(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] ^= TRAP_FLAG;
}

/* A leaf without parts is asked for with anything in ECX; so is leaf 24 (AVX10) by LLVM 19,
 * which sets ECX for no leaf but 7, d and 14, though 24 has parts. */
static bool
is_named(uint32_t leaf, uint32_t part)
{
    const bool has_parts = leaf == 7 || leaf == 0xd || leaf == 0x14;

    for (int i = 0; i < N_LEAVES; i++)
        if (leaves[i][0] == leaf && (!has_parts || leaves[i][1] == part))
            return true;
    return false;
}

START_TEST(the_name_has_all_that_llvm_asks)
{
    struct sigaction on_step = { .sa_sigaction = watch, .sa_flags = SA_SIGINFO },
                     on_turn = { .sa_sigaction = turn, .sa_flags = SA_SIGINFO };

    ck_assert(cg_ll_load_library(ctx));
    for (int again = 0; again < 2; again++) {
        /* The first time, names are looked up. */
        ck_assert_int_eq(sigaction(SIGTRAP, &on_step, NULL), 0);
        ck_assert_int_eq(sigaction(SIGUSR1, &on_turn, NULL), 0);
        if (again)
            raise(SIGUSR1);
        char *name = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
        if (again)
            raise(SIGUSR1);
        LLVMDisposeMessage(name);
        LLVMDisposeMessage(features);
    }
    ck_assert_int_gt(steps, 1000);
    ck_assert_int_gt(n_asked, 4);
    ck_assert_int_lt(n_asked, MAX_ASKED);
    for (int i = 0; i < n_asked; i++)
        ck_assert_msg(is_named(asked[i][0], asked[i][1]), "leaf %x, part %x", asked[i][0],
                      asked[i][1]);
}
END_TEST
#endif

/* The same vectors as LLVM's description of this machine gives, which is asked for by names. */
START_TEST(schedules_see_what_llvm_sees)
{
    cg_target unnamed = { 0 }, named = { 0 };

    ck_assert_int_eq(cg_ll_target(ctx, &unnamed), COT_OK);
    ck_assert_int_eq(cg_ll_name_target(ctx, &named), COT_OK);
    ck_assert(named.triple && named.cpu && *named.features);
    ck_assert_int_eq(cg_ll_target(ctx, &named), COT_OK);
    ck_assert_int_eq(unnamed.vector_bits, named.vector_bits);
    ck_assert_int_eq(unnamed.registers, named.registers);
    ck_assert_int_eq(unnamed.dot_bits, named.dot_bits);
}
END_TEST

START_TEST(dot_products_of_named_processors)
{
    static const struct {
        const char *triple, *cpu;
        int bits;
    } of[] = { { NULL, "x86-64", 0 },
               { NULL, "x86-64-v3", 0 },
               { NULL, "x86-64-v4", 0 },
               { NULL, "icelake-server", 512 },
               { NULL, "sapphirerapids", 512 },
               { NULL, "alderlake", 256 },
               { "aarch64-linux-gnu", "generic", 0 } };

    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        cg_target t = { .triple = of[i].triple ? of[i].triple : "x86_64-linux-gnu",
                        .cpu = of[i].cpu };
        ck_assert_int_eq(cg_ll_target(ctx, &t), COT_OK);
        ck_assert_msg(t.dot_bits == of[i].bits, "%s: %d", of[i].cpu, t.dot_bits);
    }
}
END_TEST

START_TEST(the_name_is_the_same_each_time)
{
    cg_ll_processor one, two;

    if (!cg_ll_this_processor(&one))
        return;
    for (int i = 0; i < 100; i++) {
        ck_assert(cg_ll_this_processor(&two));
        ck_assert_mem_eq(&one.name, &two.name, sizeof one.name);
    }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
#if defined(__x86_64__) && defined(__linux__)
        ONCE(the_name_has_all_that_llvm_asks),
#endif
        ONCE(schedules_see_what_llvm_sees),
        ONCE(dot_products_of_named_processors),
        ONCE(the_name_is_the_same_each_time),
    };
    return SUITE("processor", cases);
}
