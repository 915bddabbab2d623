/* Branches and loops that the GPU decides by itself (codegen/lower/predicate.h): the reference
 * evaluator's bits, whatever the predicates say, and how often the host asked. */
#include "tests/gpu/arrays.h"

#include "runtime/cuda/gpu.h"

/* ---- programs ---- */

#define HEAD                                                                                   \
    "fn @up(%x: f32[3000]) -> f32[3000] {\n  %0 = sin %x : f32[3000]\n  ret %0\n}\n"           \
    "fn @down(%x: f32[3000]) -> f32[3000] {\n  %0 = neg %x : f32[3000]\n  ret %0\n}\n"         \
    "fn @keep(%x: f32[3000]) -> f32[3000] {\n  ret %x\n}\n"

/* The first one element of x, another value: in place. */
#define PUT                                                                                    \
    "fn @put(%x: f32[3000], %i: i64[]) -> f32[3000] {\n"                                       \
    "  %0 = constant {data=7} : f32[1]\n"                                                      \
    "  %1 = dynamic_update_slice %x, %0, %i : f32[3000]\n"                                     \
    "  ret %1\n}\n"                                                                            \
    "fn @leave(%x: f32[3000], %i: i64[]) -> f32[3000] {\n  ret %x\n}\n"

/* Five times %k iterations of @step, from |x| + 1. */
#define RUN                                                                                    \
    "fn @f(%k: i64[], %x: f32[3000]) -> (f32[3000], i64[]) {\n"                                \
    "  %i = constant {data=0} : i64[]\n"                                                       \
    "  %c = constant {data=5} : i64[]\n"                                                       \
    "  %n = mul %k, %c : i64[]\n"                                                              \
    "  %o = constant {data=1} : f32[3000]\n"                                                   \
    "  %a = abs %x : f32[3000]\n"                                                              \
    "  %b = add %a, %o : f32[3000]\n"                                                          \
    "  %0, %1 = while %n, %i, %b {consts=1, cond=@go, body=@step} : i64[], f32[3000]\n"        \
    "  ret %1, %0\n}\n"

static const char branch[] = HEAD "fn @f(%b: bool[], %x: f32[3000]) -> f32[3000] {\n"
                                  "  %0 = cond %b, %x {branches=[@down, @up]} : f32[3000]\n"
                                  "  %1 = add %0, %x : f32[3000]\n"
                                  "  ret %1\n}\n";

/* The index is clamped. */
static const char three[] =
    HEAD "fn @f(%i: i64[], %x: f32[3000]) -> f32[3000] {\n"
         "  %1 = constant {data=1} : i64[]\n"
         "  %2 = sub %i, %1 : i64[]\n"
         "  %0 = cond %2, %x {branches=[@down, @up, @keep]} : f32[3000]\n"
         "  ret %0\n}\n";

static const char in_place[] =
    PUT "fn @f(%b: bool[], %i: i64[], %x: f32[3000]) -> f32[3000] {\n"
        "  %0 = add %x, %x : f32[3000]\n"
        "  %1 = cond %b, %0, %i {branches=[@leave, @put]} : f32[3000]\n"
        "  ret %1\n}\n";

static const char in_branch[] =
    HEAD "fn @inner(%x: f32[3000], %c: bool[]) -> f32[3000] {\n"
         "  %0 = mul %x, %x : f32[3000]\n"
         "  %1 = cond %c, %0 {branches=[@up, @down]} : f32[3000]\n"
         "  %2 = add %1, %x : f32[3000]\n"
         "  ret %2\n}\n"
         "fn @other(%x: f32[3000], %c: bool[]) -> f32[3000] {\n  %0 = exp %x : f32[3000]\n  "
         "ret %0\n}\n"
         "fn @f(%b: bool[], %c: bool[], %x: f32[3000]) -> f32[3000] {\n"
         "  %0 = cond %b, %x, %c {branches=[@other, @inner]} : f32[3000]\n"
         "  ret %0\n}\n";

/* A scan of the host within a branch, and a loop of few iterations, which fails where it is not
 * taken and may not say so. */
static const char loops_in_branch[] =
    HEAD "fn @step(%c: f32[3000], %x: f32[3000]) -> f32[3000] {\n"
         "  %0 = add %c, %x : f32[3000]\n  %1 = sin %0 : f32[3000]\n  ret %1\n}\n"
         "fn @sums(%x: f32[3000], %s: f32[3,3000]) -> f32[3000] {\n"
         "  %0 = scan %x, %s {carries=1, length=3, body=@step} : f32[3000]\n  ret %0\n}\n"
         "fn @go(%y: f32[3000]) -> bool[] {\n"
         "  %0 = reduce_max %y {axes=[0]} : f32[]\n"
         "  %1 = constant {data=0.5} : f32[]\n"
         "  %2 = lt %1, %0 : bool[]\n  ret %2\n}\n"
         "fn @half(%y: f32[3000]) -> f32[3000] {\n"
         "  %0 = constant {data=0.5} : f32[3000]\n  %1 = mul %y, %0 : f32[3000]\n  ret %1\n}\n"
         "fn @few(%x: f32[3000], %s: f32[3,3000]) -> f32[3000] {\n"
         "  %0 = while %x {max=MAX, cond=@go, body=@half} : f32[3000]\n  ret %0\n}\n"
         "fn @f(%b: bool[], %x: f32[3000], %s: f32[3,3000]) -> f32[3000] {\n"
         "  %0 = cond %b, %x, %s {branches=[@sums, @few]} : f32[3000]\n"
         "  ret %0\n}\n";

/* Iterations until the sum is small; carries change places. */
static const char until_small[] =
    "fn @go(%n: i64[], %i: i64[], %x: f32[3000], %y: f32[3000]) -> bool[] {\n"
    "  %0 = lt %i, %n : bool[]\n  ret %0\n}\n"
    "fn @step(%n: i64[], %i: i64[], %x: f32[3000], %y: f32[3000]) -> (i64[], f32[3000], "
    "f32[3000]) {\n"
    "  %1 = constant {data=1} : i64[]\n"
    "  %0 = add %i, %1 : i64[]\n"
    "  %2 = sin %x : f32[3000]\n"
    "  ret %0, %y, %2\n}\n"
    "fn @f(%k: i64[], %x: f32[3000], %y: f32[3000]) -> (f32[3000], f32[3000], i64[]) {\n"
    "  %i = constant {data=0} : i64[]\n"
    "  %c = constant {data=7} : i64[]\n"
    "  %n = mul %k, %c : i64[]\n"
    "  %0, %1, %2 = while %n, %i, %x, %y {consts=1, cond=@go, body=@step} : i64[], f32[3000], "
    "f32[3000]\n"
    "  ret %1, %2, %0\n}\n";

/* A loop and a branch in a loop, one carry of which is written in parts. */
static const char in_loop[] =
    PUT "fn @go(%n: i64[], %i: i64[], %x: f32[3000]) -> bool[] {\n"
        "  %0 = lt %i, %n : bool[]\n  ret %0\n}\n"
        "fn @small(%x: f32[3000]) -> bool[] {\n"
        "  %0 = reduce_max %x {axes=[0]} : f32[]\n"
        "  %1 = constant {data=9} : f32[]\n"
        "  %2 = lt %0, %1 : bool[]\n  ret %2\n}\n"
        "fn @grow(%x: f32[3000]) -> f32[3000] {\n"
        "  %0 = constant {data=1.5} : f32[3000]\n  %1 = mul %x, %0 : f32[3000]\n  ret %1\n}\n"
        "fn @step(%n: i64[], %i: i64[], %x: f32[3000]) -> (i64[], f32[3000]) {\n"
        "  %1 = constant {data=1} : i64[]\n"
        "  %0 = add %i, %1 : i64[]\n"
        "  %2 = and %i, %1 : i64[]\n"
        "  %3 = eq %2, %1 : bool[]\n"
        "  %4 = cond %3, %x, %i {branches=[@leave, @put]} : f32[3000]\n"
        "  %h = constant {data=0.25} : f32[3000]\n"
        "  %5 = mul %4, %h : f32[3000]\n"
        "  %6 = while %5 {INNER, cond=@small, body=@grow} : f32[3000]\n"
        "  ret %0, %6\n}\n" RUN;

/* Grows until its greatest element reaches 9. */
#define GROWS                                                                                  \
    "fn @small(%x: f32[3000]) -> bool[] {\n"                                                   \
    "  %0 = reduce_max %x {axes=[0]} : f32[]\n"                                                \
    "  %1 = constant {data=9} : f32[]\n"                                                       \
    "  %2 = lt %0, %1 : bool[]\n  ret %2\n}\n"                                                 \
    "fn @grow(%x: f32[3000]) -> f32[3000] {\n"                                                 \
    "  %0 = constant {data=1.25} : f32[3000]\n  %1 = mul %x, %0 : f32[3000]\n  ret %1\n}\n"

/* Loops in loops in a branch, and one after that: what an iteration waits for differs. */
static const char deep[] =
    "fn @go(%n: i64[], %i: i64[], %x: f32[3000]) -> bool[] {\n"
    "  %0 = lt %i, %n : bool[]\n  ret %0\n}\n" GROWS "fn @big(%x: f32[3000]) -> bool[] {\n"
    "  %0 = reduce_max %x {axes=[0]} : f32[]\n"
    "  %1 = constant {data=0.25} : f32[]\n"
    "  %2 = lt %1, %0 : bool[]\n  ret %2\n}\n"
    "fn @shrink(%x: f32[3000]) -> f32[3000] {\n"
    "  %0 = constant {data=0.75} : f32[3000]\n  %1 = mul %x, %0 : f32[3000]\n  ret %1\n}\n"
    "fn @again(%j: i64[], %x: f32[3000]) -> bool[] {\n"
    "  %0 = constant {data=3} : i64[]\n  %1 = lt %j, %0 : bool[]\n  ret %1\n}\n"
    "fn @both(%j: i64[], %x: f32[3000]) -> (i64[], f32[3000]) {\n"
    "  %1 = constant {data=1} : i64[]\n"
    "  %0 = add %j, %1 : i64[]\n"
    "  %2 = while %x {MAX cond=@small, body=@grow} : f32[3000]\n"
    "  %h = constant {data=0.0625} : f32[3000]\n"
    "  %3 = mul %2, %h : f32[3000]\n"
    "  ret %0, %3\n}\n"
    "fn @loops(%x: f32[3000]) -> f32[3000] {\n"
    "  %0 = constant {data=0} : i64[]\n"
    "  %1, %2 = while %0, %x {cond=@again, body=@both} : i64[], f32[3000]\n"
    "  %3 = add %2, %x : f32[3000]\n  ret %3\n}\n"
    "fn @leave(%x: f32[3000]) -> f32[3000] {\n  ret %x\n}\n"
    "fn @step(%n: i64[], %i: i64[], %x: f32[3000]) -> (i64[], f32[3000]) {\n"
    "  %1 = constant {data=1} : i64[]\n"
    "  %0 = add %i, %1 : i64[]\n"
    "  %2 = and %i, %1 : i64[]\n"
    "  %3 = eq %2, %1 : bool[]\n"
    "  %4 = cond %3, %x {branches=[@leave, @loops]} : f32[3000]\n"
    "  %s = sin %x : f32[3000]\n"
    "  %5 = add %4, %s : f32[3000]\n"
    "  %6 = while %5 {cond=@big, body=@shrink} : f32[3000]\n"
    "  %7 = add %6, %s : f32[3000]\n"
    "  ret %0, %7\n}\n" RUN;

/* A scan whose steps have loops of many iterations, one in a branch: what is stacked, from both
 * ends. */
static const char steps[] =
    GROWS "fn @loop(%x: f32[3000]) -> f32[3000] {\n"
          "  %0 = while %x {cond=@small, body=@grow} : f32[3000]\n  ret %0\n}\n"
          "fn @leave(%x: f32[3000]) -> f32[3000] {\n  ret %x\n}\n"
          "fn @step(%k: i64[], %i: i64[], %c: f32[3000], %x: f32[3000], %b: bool[]) -> (i64[], "
          "f32[3000], f32[3000], i64[]) {\n"
          "  %1 = constant {data=1} : i64[]\n"
          "  %0 = add %i, %1 : i64[]\n"
          "  %h = constant {data=0.0625} : f32[3000]\n"
          "  %2 = fma %c, %h, %x : f32[3000]\n"
          "  %a = abs %2 : f32[3000]\n"
          "  %d = add %a, %h : f32[3000]\n"
          "  %3 = cond %b, %d {branches=[@leave, @loop]} : f32[3000]\n"
          "  %4 = mul %3, %h : f32[3000]\n"
          "  %5 = while %4 {cond=@small, body=@grow} : f32[3000]\n"
          "  %6 = mul %i, %k : i64[]\n"
          "  %7 = sub %5, %3 : f32[3000]\n"
          "  ret %0, %7, %3, %6\n}\n"
          "fn @f(%k: i64[], %x: f32[3000], %xs: f32[11,3000], %bs: bool[11]) -> (f32[3000], "
          "f32[11,3000], i64[11], i64[]) {\n"
          "  %i = constant {data=5} : i64[]\n"
          "  %0, %1, %2, %3 = scan %k, %i, %x, %xs, %bs {consts=1, carries=2, length=11, BACK "
          "body=@step} : i64[], f32[3000], f32[11,3000], i64[11]\n"
          "  ret %1, %2, %3, %0\n}\n";

/* Such a scan in a loop; a loop of many iterations in a branch outside of all others. */
static const char steps_in_loop[] =
    "fn @small(%x: f32[3000]) -> bool[] {\n"
    "  %0 = reduce_max %x {axes=[0]} : f32[]\n"
    "  %1 = constant {data=9} : f32[]\n"
    "  %2 = lt %0, %1 : bool[]\n  ret %2\n}\n"
    "fn @grow(%x: f32[3000]) -> f32[3000] {\n"
    "  %0 = constant {data=1.5} : f32[3000]\n  %1 = mul %x, %0 : f32[3000]\n  ret %1\n}\n"
    "fn @one(%c: f32[3000], %x: f32[3000]) -> (f32[3000], f32[]) {\n"
    "  %h = constant {data=0.125} : f32[3000]\n"
    "  %s = abs %x : f32[3000]\n"
    "  %0 = add %s, %h : f32[3000]\n"
    "  %1 = fma %c, %h, %0 : f32[3000]\n"
    "  %2 = while %1 {cond=@small, body=@grow} : f32[3000]\n"
    "  %3 = reduce_sum %2 {axes=[0]} : f32[]\n"
    "  ret %2, %3\n}\n"
    "fn @go(%n: i64[], %xs: f32[3,3000], %i: i64[], %x: f32[3000], %s: f32[3]) -> bool[] {\n"
    "  %0 = lt %i, %n : bool[]\n  ret %0\n}\n"
    "fn @step(%n: i64[], %xs: f32[3,3000], %i: i64[], %x: f32[3000], %s: f32[3]) -> (i64[], "
    "f32[3000], f32[3]) {\n"
    "  %1 = constant {data=1} : i64[]\n"
    "  %0 = add %i, %1 : i64[]\n"
    "  %2, %3 = scan %x, %xs {carries=1, length=3, reverse=true, body=@one} : f32[3000], "
    "f32[3]\n"
    "  %4 = add %3, %s : f32[3]\n"
    "  ret %0, %2, %4\n}\n"
    "fn @f(%n: i64[], %x: f32[3000], %xs: f32[3,3000]) -> (f32[3000], f32[3], i64[]) {\n"
    "  %i = constant {data=0} : i64[]\n"
    "  %s = constant {data=0} : f32[3]\n"
    "  %0, %1, %2 = while %n, %xs, %i, %x, %s {consts=2, cond=@go, body=@step} : i64[], "
    "f32[3000], f32[3]\n"
    "  ret %1, %2, %0\n}\n";

/* A loop of so many launches an iteration that few iterations are launched at a time. */
static const char long_iterations[] =
    "fn @sum(%c: f32[3000], %k: f32[3000]) -> f32[3000] {\n"
    "  %0 = reduce_max %c {axes=[0]} : f32[]\n"
    "  %1 = broadcast_in_dim %0 {shape=[3000], dims=[]} : f32[3000]\n"
    "  %2 = div %c, %1 : f32[3000]\n"
    "  %3 = add %2, %k : f32[3000]\n"
    "  ret %3\n}\n"
    "fn @go(%n: i64[], %ks: f32[60,3000], %i: i64[], %x: f32[3000]) -> bool[] {\n"
    "  %0 = lt %i, %n : bool[]\n  ret %0\n}\n"
    "fn @up(%x: f32[3000]) -> f32[3000] {\n  %0 = sin %x : f32[3000]\n  ret %0\n}\n"
    "fn @keep(%x: f32[3000]) -> f32[3000] {\n  ret %x\n}\n"
    "fn @step(%n: i64[], %ks: f32[60,3000], %i: i64[], %x: f32[3000]) -> (i64[], f32[3000]) {\n"
    "  %1 = constant {data=1} : i64[]\n"
    "  %0 = add %i, %1 : i64[]\n"
    "  %2 = and %i, %1 : i64[]\n"
    "  %3 = eq %2, %1 : bool[]\n"
    "  %4 = abs %x : f32[3000]\n"
    "  %5 = exp %4 : f32[3000]\n"
    "  %6 = scan %5, %ks {carries=1, length=60, body=@sum} : f32[3000]\n"
    "  %7 = cond %3, %6 {branches=[@keep, @up]} : f32[3000]\n"
    "  ret %0, %7\n}\n"
    "fn @f(%n: i64[], %ks: f32[60,3000], %x: f32[3000]) -> (f32[3000], i64[]) {\n"
    "  %i = constant {data=0} : i64[]\n"
    "  %k = abs %ks : f32[60,3000]\n"
    "  %0, %1 = while %n, %k, %i, %x {consts=2, cond=@go, body=@step} : i64[], f32[3000]\n"
    "  ret %1, %0\n}\n";

/* Examples of a mapped loop, more than a block has threads: it ends with the last of them. */
static const char examples[] =
    "fn @go(%x: f32[600,70]) -> bool[600] {\n"
    "  %0 = reduce_max %x {axes=[1]} : f32[600]\n"
    "  %1 = constant {data=0.1} : f32[600]\n"
    "  %2 = lt %1, %0 : bool[600]\n  ret %2\n}\n"
    "fn @half(%x: f32[600,70]) -> f32[600,70] {\n"
    "  %0 = constant {data=0.5} : f32[600,70]\n  %1 = mul %x, %0 : f32[600,70]\n  ret %1\n}\n"
    "fn @f(%x: f32[600,70]) -> f32[600,70] {\n"
    "  %0 = while %x {MAX cond=@go, body=@half} : f32[600,70]\n  ret %0\n}\n";

static const struct {
    const char *text, *from, *to;
    bool straight;
} program[] = {
    { branch, NULL, NULL, true },
    { three, NULL, NULL, true },
    { in_place, NULL, NULL, true },
    { in_branch, NULL, NULL, true },
    { loops_in_branch, "MAX", "4", true },
    { loops_in_branch, "MAX", "40", false },
    { loops_in_branch, "max=MAX, ", "", false },
    { steps, "BACK", "", false },
    { steps, "BACK", "reverse=true,", false },
    { steps_in_loop, NULL, NULL, false },
    { long_iterations, NULL, NULL, false },
    { until_small, NULL, NULL, false },
    { in_loop, "INNER, ", "", false },
    { in_loop, "INNER", "max=7", false },
    { in_loop, "INNER", "max=20", false },
    { deep, "MAX", "", false },
    { deep, "MAX", "max=60,", false },
    { deep, "MAX", "max=9,", false },
    { examples, "MAX", "", false },
    { examples, "MAX", "max=6,", true },
};
enum { PROGRAMS = sizeof program / sizeof *program, SEEDS = 6 };

static const char *
text_of(const char *text, const char *from, const char *to)
{
    static char out[4000];
    const char *at = from ? strstr(text, from) : NULL;

    snprintf(out, sizeof out, "%.*s%s%s", at ? (int)(at - text) : 0, text, at ? to : "",
             at ? at + strlen(from) : text);
    return out;
}

/* ---- runs ---- */

START_TEST(predicates_of_the_device)
{
    const cot_graph *g = parsed(text_of(program[_i].text, program[_i].from, program[_i].to));
    cot_kernel *k = gpu_compile(g);

    ck_assert_int_eq(k->program->straight, program[_i].straight);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        arrays a = made(g, "cuda", MAX_ARRAYS * seed);

        for (int n = 0; n < 3; n++) { /* as launches, then as graphs */
            const double_state before = driver_state();
            const cot_status s = run(k, &a);

            if (program[_i].straight && !k->program->fails)
                ck_assert_int_eq(driver_state().syncs, before.syncs);
            cot_error_clear(ctx);
            agrees(&a, s);
        }
        let_go(&a);
    }
    cot_kernel_free(k);
}
END_TEST

/* One host synchronisation for each eight iterations, which are one graph. */
START_TEST(the_host_reads_a_predicate_for_eight_iterations)
{
    const cot_graph *g = parsed(until_small);
    cot_kernel *k = gpu_compile(g);

    for (int64_t n = 0; n < 4; n++) {
        arrays a = made(g, "cuda", 0);
        const rt_gpu *gpu = (const rt_gpu *)k->program->place;
        cot_array *kk = cot_array_copy(ctx, cot_i64(), &n);

        ck_assert_int_eq(cot_array_assign(ctx, a.in[0], kk), COT_OK);
        for (int again = 0; again < 3; again++) {
            const double_state before = driver_state();
            const uint64_t replays = gpu->replays;
            const int64_t chunks =
                (7 * n + 1 + 7) / 8; /* the last iteration only finds the end */

            ck_assert_int_eq(run(k, &a), COT_OK);
            ck_assert_int_eq(driver_state().syncs - before.syncs, chunks);
            ck_assert_uint_eq(gpu->replays - replays, (uint64_t)(again ? chunks : chunks - 1));
            agrees(&a, COT_OK);
        }
        cot_array_free(kk);
        let_go(&a);
    }
    cot_kernel_free(k);
}
END_TEST

/* A program with an entry of one while, in which is one loop of launches, and no other load. */
static bool
loads_one_predicate(const cg_module *m)
{
    const cg_kernel *k = m->kernel[0];
    int loads = 0, whiles = 0;

    for (cg_val v = 0; v < k->n_insns; v++) {
        loads += k->insn[v].op == CG_LOAD;
        whiles += k->insn[v].op == CG_WHILE;
    }
    return loads == 1 && whiles == 1;
}

/* Of loops in each other the host asks the outermost alone, every eighth launch of its body, or
 * every one where that is long. */
static const struct {
    const char *text, *from, *to;
    int syncs;
} nest[] = {
    { in_loop, "INNER, ", "", 14 },     { deep, "MAX", "", 59 }, /* iterations of 8 launches */
    { steps, "BACK", "", 11 },          { steps_in_loop, NULL, NULL, 11 },
    { long_iterations, NULL, NULL, 4 }, { loops_in_branch, "max=MAX, ", "", 1 },
};

START_TEST(the_host_reads_the_predicate_of_the_outermost)
{
    const cot_graph *g = parsed(text_of(nest[_i].text, nest[_i].from, nest[_i].to));
    cot_kernel *k = gpu_compile(g);
    const cot_type first = cot_graph_in_type(g, 0);
    const int64_t n = 3;
    arrays a = made(g, "cuda", 0);
    cot_array *kk = cot_array_copy(ctx, first, &n);

    ck_assert(loads_one_predicate(k->program->module));
    ck_assert_int_eq(cot_array_assign(ctx, a.in[0], kk), COT_OK);
    const double_state before = driver_state();
    ck_assert_int_eq(run(k, &a), COT_OK);
    ck_assert_int_gt(driver_state().syncs, before.syncs);
    ck_assert_int_le(driver_state().syncs - before.syncs, nest[_i].syncs);
    agrees(&a, COT_OK);
    cot_array_free(kk);
    let_go(&a);
    cot_kernel_free(k);
}
END_TEST

/* A bound that is passed on the device is said as elsewhere. */
START_TEST(a_bound_is_passed)
{
    static const char *const max[] = { "2", "9" };
    const cot_graph *g = parsed(text_of(loops_in_branch, "MAX", max[_i]));
    cot_kernel *k = gpu_compile(g);
    int failed = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        arrays a = made(g, "cuda", MAX_ARRAYS * seed);
        float *x = cot_array_data(a.in[1]); /* the double's memory is this process's */
        cot_status s;

        x[17] = 4000;
        s = run(k, &a);
        if (s != COT_OK) {
            ck_assert_int_eq(s, COT_ERR_BOUND);
            ck_assert_msg(strstr(cot_error(ctx), "while: still goes on after") != NULL, "%s",
                          cot_error(ctx));
            cot_error_clear(ctx);
            failed++;
        }
        agrees(&a, s);
        let_go(&a);
    }
    ck_assert_int_gt(failed, 0);
    ck_assert_int_lt(failed, SEEDS); /* the branch is not always taken */
    cot_kernel_free(k);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(predicates_of_the_device, PROGRAMS),
        ONCE(the_host_reads_a_predicate_for_eight_iterations),
        EACH(the_host_reads_the_predicate_of_the_outermost, sizeof nest / sizeof *nest),
        EACH(a_bound_is_passed, 2),
    };

    return SUITE_WITH("predicate", cases, begin, end);
}
