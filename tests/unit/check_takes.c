/* What lowerings declare of windows, convolutions, cumulative ops and tensor cores' products is
 * proved, and says something: a kernel that is the same but for one element that it takes less,
 * or once more, is refused. */
#include "codegen/kernel/grid.h"
#include "codegen/lower.h"
#include "codegen/verify/coverage.h"
#include "passes/pass.h"
#include "tests/unit/suite.h"

typedef struct program {
    const char *name, *text;
    int64_t elements; /* that the reductions of all its kernels have at the least */
    int64_t on_grid; /* the same of a grid with tensor cores; 0: no other number */
    int64_t by_lanes; /* the same where a vector has more than one lane; 0: no other number */
} program;

#define WINDOWS                                                                                \
    "fn @f(%x: f32[61]) -> f32[20] {\n"                                                        \
    "  %0 = windows %x {axis=0, size=4, stride=3, dilation=1} : f32[20,4]\n"                   \
    "  %1 = reduce_max %0 {axes=[1]} : f32[20]\n"                                              \
    "  ret %1\n"                                                                               \
    "}\n"
#define CONVOLUTION                                                                            \
    "fn @f(%x: f32[1,2,19,17,3], %y: f32[1,3,3,3,5]) -> f32[1,2,17,15,5] {\n"                  \
    "  %0 = conv_general %x, %y {strides=[1,1], dilation=[1,1]} : f32[1,2,17,15,5]\n"          \
    "  ret %0\n"                                                                               \
    "}\n"
#define CUMULATIVE(op, size, attributes)                                                       \
    "fn @f(%x: f32[" size "]) -> f32[" size "] {\n"                                            \
    "  %0 = " op " %x {" attributes "} : f32[" size "]\n"                                      \
    "  ret %0\n"                                                                               \
    "}\n"
#define PRODUCT(type, m, k, n)                                                                 \
    "fn @f(%x: " type "[" m "," k "], %y: " type "[" k "," n "]) -> " type "[" m "," n "] {\n" \
    "  %0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : " type "[" m   \
    "," n "]\n"                                                                                \
    "  ret %0\n"                                                                               \
    "}\n"

static const program programs[] = {
    { "windows", WINDOWS, 4, 0, 0 },
    { "convolution", CONVOLUTION, 27, 0, 0 },
    { "short line", CUMULATIVE("cumsum", "37", "axis=0"), 2 * 37, 0, 0 },
    { "long line", CUMULATIVE("cumprod", "3100", "axis=0"), 3072 + 2 * 3100, 0, 2 * 3100 + 3 },
    { "levels", CUMULATIVE("cummax", "1050625", "axis=0"), 1050624 + 2 * 1050625, 0,
      2 * 1050625 + 1026 + 1 },
    { "lines in lanes", CUMULATIVE("cummin", "1029,20", "axis=0, reverse=true"),
      1024 + 2 * 1029, 0, 0 },
    { "chunks of blocks of lines", CUMULATIVE("cumsum", "32785,20", "axis=0"),
      32768 + 2 * 32 + 2 * 32785, 0, 0 },
    { "reversed", CUMULATIVE("cumsum", "3,2048", "axis=1, reverse=true"), 1024 + 2 * 2048, 0,
      2 * 2048 + 2 },
    { "tensor cores, f32", PRODUCT("f32", "64", "40", "70"), 40, 2 * 48, 0 },
    { "tensor cores, f16", PRODUCT("f16", "130", "100", "64"), 100, 2 * 128, 0 },
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static const struct {
    int bits, threads;
    bool grid;
} plans[] = { { 32, 1, false }, { 256, 1, false }, { 512, 4, false }, { 0, 1, true } };
enum { PLANS = sizeof plans / sizeof *plans };

static ir_arena arena;

static void
setup(void)
{
    suite_begin();
    ir_arena_init(&arena, ctx);
}

static void
teardown(void)
{
    ir_arena_free(&arena);
    suite_end();
}

static cg_module *
lowered(const program *p, int plan)
{
    cg_target t = { .vector_bits = plans[plan].bits,
                    .registers = 16,
                    .l1 = 32 << 10,
                    .l2 = 512 << 10,
                    .l3 = 8 << 20 };
    ir_module parsed;
    cg_module *m;
    ir_graph *f;

    if (plans[plan].grid) {
        t = (cg_target){ .fast = true };
        cg_grid_target(&t);
    }
    const cg_lower_options o = { .target = &t, .threads = plans[plan].threads, .fuse = true };
    ck_assert_msg(ir_parse(ctx, p->name, p->text, strlen(p->text), &parsed) == COT_OK &&
                      pass_prepare(parsed.fn[0], &f) == COT_OK &&
                      cg_lower(f, &o, &arena, &m) == COT_OK,
                  "%s: %s", p->name, cot_error(ctx));
    return m;
}

static cg_coverage_report
coverage(const cg_module *m)
{
    cg_coverage_report r = { 0 };

    cg_coverage_of(m, &arena, &r);
    return r;
}

START_TEST(all_are_declared)
{
    const program *p = &programs[_i / PLANS];
    const int plan = _i % PLANS;
    const bool grid = plans[plan].grid && p->on_grid;
    const bool lanes = plans[plan].bits > 32 && p->by_lanes;
    const int64_t least = grid ? p->on_grid : lanes ? p->by_lanes : p->elements;
    const cg_coverage_report r = coverage(lowered(p, plan));

    ck_assert_msg(r.refuted + r.open + r.large == 0, "%s: %s", p->name, r.why);
    ck_assert_msg(r.elements >= least, "%s, plan %d: %lld elements", p->name, plan,
                  (long long)r.elements);
}
END_TEST

static void
want_refused(const program *p, const cg_module *m, const char *what, uint32_t take)
{
    const cg_coverage_report r = coverage(m);

    ck_assert_msg(r.refuted > 0, "%s: take %u %s: not refused", p->name, take, what);
}

/* Each take of each kernel by itself. */
START_TEST(each_take_counts)
{
    const program *p = &programs[_i / PLANS];
    const cg_module *m = lowered(p, _i % PLANS);

    for (uint32_t i = 0; i < m->n_kernels; i++) {
        cg_kernel *k = m->kernel[i];
        cg_take *own = k->take, *more = IR_NEW_N(&arena, cg_take, k->n_takes + 1);
        for (uint32_t j = 0; j < k->n_takes; j++) {
            memcpy(more, own, k->n_takes * sizeof *more);
            more[j] = own[--k->n_takes];
            k->take = more;
            want_refused(p, m, "left out", j);
            memcpy(more, own, ++k->n_takes * sizeof *more);
            more[k->n_takes++] = own[j];
            want_refused(p, m, "done twice", j);
            k->n_takes--;
        }
        k->take = own;
    }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(all_are_declared, PROGRAMS * PLANS),
        EACH(each_take_counts, PROGRAMS * PLANS),
    };

    return SUITE_WITH("takes", cases, setup, teardown);
}
