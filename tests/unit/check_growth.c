/* Memory and stack grow no faster than the program.
 *
 * Each family of programs is written down with n parts and with 2 n, goes through its pipeline,
 * the passes before kernels, and lowering.  The context's allocator counts: what was alive at
 * the most, and what was asked for in all, which stands for the work.  Twice the program may
 * take 2.1 times either, which a quadratic part of a tenth would fail.  Then the same on a
 * thread with a small stack. */
#include <pthread.h>

#include "codegen/backend.h"
#include "codegen/lower.h"
#include "cotrace/cotrace.h"
#include "passes/pass.h"
#include "tests/unit/growing.h"
#include "tests/unit/meter.h"
#include "tests/unit/suite.h"

static const struct family {
    const char *name;
    write_program *write;
    const char *pipeline;
    int n;
} families[] = {
    { "chain", grow_chain, "", 20000 },
    { "chain's gradient", grow_chain, "grad", 4000 },
    { "wide", grow_wide, "", 2000 },
    { "wide's gradient", grow_wide, "grad", 2000 },
    { "balanced", grow_balanced, "", 8192 },
    { "mlp", grow_mlp, "", 2000 },
    { "mlp's gradient", grow_mlp, "grad", 500 },
    { "residual", grow_residual, "", 2000 },
    { "residual's gradient", grow_residual, "grad", 500 },
    { "rows", grow_rows, "", 2000 },
    { "rows' gradient", grow_rows, "grad", 500 },
    { "updates", grow_updates, "", 1000 },
    { "updates' gradient", grow_updates, "grad", 500 },
    { "calls", grow_calls, "", 4000 },
    { "calls' gradient", grow_calls, "grad", 2000 },
    { "nested calls", grow_nested_calls, "", 400 },
    { "large calls", grow_large_calls, "", 2000 },
    { "large calls' gradient", grow_large_calls, "grad", 500 },
    { "large calls, mapped", grow_large_calls, "vmap(in=0, out=0, size=3)", 2000 },
    { "doubled calls", grow_doubled_calls, "", 24 },
    { "conds", grow_conds, "", 1000 },
    { "conds' gradient", grow_conds, "grad", 500 },
    { "nested conds", grow_nested_conds, "", IR_MAX_NEST / 2 },
    { "branches", grow_branches, "", 1000 },
    { "in/out", grow_inouts, "", 2000 },
    { "scans", grow_scans, "", 1000 },
    { "stacked values", grow_stacked, "", 1000 },
};
enum { FAMILIES = sizeof families / sizeof families[0] };

/* The last function of the text, all the way to kernels: its status.  nodes: of the graph that
 * kernels are made of. */
static cot_status
lower_text(cot_context *c, const char *text, size_t bytes, const char *pipeline,
           uint32_t *nodes)
{
    cg_target target = { .vector_bits = 256 };
    cg_lower_options o = { .target = &target, .threads = 1, .fuse = true };
    ir_module m;
    ir_graph *f, *looped;
    cg_module *lowered;
    ir_arena a;
    cot_status s = ir_parse(c, "growth", text, bytes, &m);

    if (s != COT_OK)
        return s;
    f = m.fn[m.n - 1];
    if (*pipeline && (s = pass_pipeline(f, pipeline, NULL, NULL, &f)) != COT_OK)
        return s;
    if ((s = pass_prepare(f, &f)) != COT_OK)
        return s;
    *nodes = f->n_nodes - 1;
    /* steps as loops are looked for, but the code of all steps is made */
    if ((s = pass_prepare_kernels(f, true, &looped)) != COT_OK)
        return s;
    ir_arena_init(&a, c);
    s = cg_lower(f, &o, &a, &lowered);
    ir_arena_free(&a);
    return s;
}

static meter
measured(const struct family *x, int n, uint32_t *nodes)
{
    meter m = { 0 }, text = { 0 };
    cot_context *c = cot_context_new(&(cot_options){ .alloc = metered, .alloc_user = &m });
    cot_context *t = cot_context_new(&(cot_options){ .alloc = metered, .alloc_user = &text });
    ir_buf b;
    ir_arena a;

    ir_arena_init(&a, t);
    ir_buf_init(&b, &a);
    x->write(&b, n);
    ck_assert_msg(lower_text(c, b.text, b.n, x->pipeline, nodes) == COT_OK, "%s: %s", x->name,
                  cot_error(c));
    ir_arena_free(&a);
    cot_context_free(t);
    cot_context_free(c);
    ck_assert_uint_eq(m.live, 0);
    return m;
}

START_TEST(memory_grows_no_faster_than_the_program)
{
    const struct family *x = &families[_i];
    uint32_t nodes;
    const meter once = measured(x, x->n, &nodes), twice = measured(x, 2 * x->n, &nodes);

    ck_assert_msg((double)twice.most <= 2.1 * (double)once.most,
                  "%s: %d take %zu bytes, %d take %zu", x->name, x->n, once.most, 2 * x->n,
                  twice.most);
    ck_assert_msg((double)twice.all <= 2.1 * (double)once.all,
                  "%s: %d ask for %zu bytes, %d for %zu", x->name, x->n, once.all, 2 * x->n,
                  twice.all);
}
END_TEST

/* The address sanitizer pads what is allocated. */
#if defined(__SANITIZE_ADDRESS__)
enum { PADDED = 2 };
static const double most_of_inputs = 2.4;
#else
enum { PADDED = 1 };
static const double most_of_inputs = 2.2;
#endif
enum { MOST_OF_A_NODE = 1536 * PADDED };

/* The kernels of all layers but the first are equal to earlier ones, and what a builder needs
 * besides its graph ends with it: neither stays. */
START_TEST(equal_layers_take_little_memory)
{
    static const struct {
        struct family of;
        int kilobytes; /* for each layer */
    } row[] = {
        { { "mlp", grow_mlp, "", 1000 }, 5 },
        { { "mlp's gradient", grow_mlp, "grad", 1000 }, 14 },
        { { "residual", grow_residual, "", 1000 }, 5 },
        { { "residual's gradient", grow_residual, "grad", 1000 }, 11 },
    };
    const struct family *x = &row[_i].of;
    uint32_t nodes;
    const size_t once = measured(x, x->n, &nodes).most,
                 twice = measured(x, 2 * x->n, &nodes).most;

    ck_assert_msg((twice - once) / (size_t)x->n <= (size_t)row[_i].kilobytes * PADDED << 10,
                  "%s: %d layers take %zu bytes, %d take %zu", x->name, x->n, once, 2 * x->n,
                  twice);
}
END_TEST

/* Locations, all graphs from the parsed one to the last, the plan and the entry, for each node
 * of the last graph. */
START_TEST(a_node_takes_little_memory)
{
    static const struct family row[] = {
        { "waves", grow_waves, "", 8000 },
        { "waves' gradient", grow_waves, "grad", 4000 },
        { "mlp", grow_mlp, "", 2000 },
        { "mlp's gradient", grow_mlp, "grad", 1000 },
        { "convolutions", grow_convolutions, "", 2000 },
        { "convolutions' gradient", grow_convolutions, "grad", 500 },
        { "stack", grow_stack, "", 2000 },
        { "stack's gradient", grow_stack, "grad", 1000 },
        { "scalars", grow_scalars, "", 8000 },
        { "scalars' gradient", grow_scalars, "grad", 4000 },
        { "steps", grow_steps, "", 1000 },
        { "steps' gradient", grow_steps, "grad", 500 },
    };
    const struct family *x = &row[_i];
    uint32_t some, all;
    const size_t once = measured(x, x->n, &some).most, twice = measured(x, 2 * x->n, &all).most;

    ck_assert_msg((twice - once) / (all - some) <= MOST_OF_A_NODE,
                  "%s: %u nodes take %zu bytes, %u take %zu", x->name, some, once, all, twice);
}
END_TEST

static size_t
bytes_for_inputs(int n)
{
    meter m = { 0 };
    cot_context *c = cot_context_new(&(cot_options){ .alloc = metered, .alloc_user = &m });
    ir_build *b = ir_build_new(c, "f");
    char last[20];

    for (int i = 0; i < n; i++)
        ir_input(b, ir_scalar_type(c, COT_F32), "x");
    snprintf(last, sizeof last, "x_%d", n - 1);
    ck_assert_str_eq(b->in_name[0], "x");
    ck_assert_str_eq(b->in_name[n - 1], last);
    const size_t bytes = m.all;
    cot_context_free(c);
    return bytes;
}

/* Each tries the numbers after the one that was given last. */
START_TEST(inputs_of_one_name_are_numbered_at_once)
{
    ck_assert_double_le((double)bytes_for_inputs(8000),
                        most_of_inputs * (double)bytes_for_inputs(4000));
}
END_TEST

typedef struct failing {
    cot_context *c;
    cot_value kept;
    bool nested;
} failing;

static void
fails(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    failing *f = user;

    (void)t;
    f->kept = cot_sin(in[0]);
    out[0] = cot_reshape(cot_add(in[0], cot_sin(in[0])), 3);
}

static void
fails_inside(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_cond(cot_lt(cot_reduce_sum(in[0]), 1), fails, fails, .in = COT_VALUES(in[0]),
                      .user = user);
}

/* Whatever was made for a trace that fails is there for the next one. */
START_TEST(failed_traces_leave_nothing)
{
    meter m = { 0 };
    cot_context *c = cot_context_new(&(cot_options){ .alloc = metered, .alloc_user = &m });
    failing user = { .c = c };
    cot_fn *f = cot_fn_new(c, "fails", _i ? fails_inside : fails, 1, 1, &user);
    size_t before = 0;

    for (int i = 0; i < 100000; i++) {
        const cot_graph *g = NULL;

        ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f32(8)), &g), COT_ERR_SHAPE);
        cot_error_clear(c);
        before = i == 100 ? m.live : before;
    }
    ck_assert_uint_eq(m.live, before);
    cot_context_free(c);
}
END_TEST

/* A check of a graph's invariants infers every type again, in memory that it gives back. */
START_TEST(verifying_keeps_nothing)
{
    static const char text[] = "fn @f(%x: f32[8]) -> f32[8] {\n  %0 = sin %x : f32[8]\n"
                               "  %1 = add %0, %x : f32[8]\n  ret %1\n}\n";
    meter m = { 0 };
    cot_context *c = cot_context_new(&(cot_options){ .alloc = metered, .alloc_user = &m });
    const cot_graph *f;
    size_t before = 0;

    ck_assert_int_eq(cot_parse(c, "f", text, strlen(text), NULL, &f), COT_OK);
    for (int i = 0; i < 10000; i++) {
        ck_assert_int_eq(ir_verify(c, f, "parsing"), COT_OK);
        before = i == 10 ? m.live : before;
    }
    ck_assert_uint_eq(m.live, before);
    cot_context_free(c);
}
END_TEST

static void
draws(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value x = in[0];

    (void)user;
    for (int i = 0; i < 20; i++)
        x = cot_sin(x);
    out[0] = cot_add(x, cot_uniform(t, cot_f32(8)));
}

/* Nor do transforms that fail in the middle of a pass, but for less than a message. */
START_TEST(failed_transforms_leave_little)
{
    meter m = { 0 };
    cot_context *c = cot_context_new(&(cot_options){ .alloc = metered, .alloc_user = &m });
    cot_fn *f = cot_fn_new(c, "draws", draws, 1, 1, NULL);
    cot_fn *const kinds[] = { cot_vmap(f), cot_grad(f), cot_vmap(cot_jacrev(f)) };
    const cot_status wanted[] = { COT_ERR_ARG, COT_ERR_SHAPE, COT_ERR_ARG };
    enum { TIMES = 10000, WARM = 100, CHUNK = 1 << 20 }; /* arenas grow by chunks */
    size_t before = 0, message = 0;

    for (int i = 0; i < TIMES + WARM; i++) {
        const cot_graph *g = NULL;
        const cot_type type = _i == 1 ? cot_f32(8) : cot_f32(3, 8);

        ck_assert_int_eq(cot_trace_fn(kinds[_i], COT_TYPES(type), &g), wanted[_i]);
        message = strlen(cot_error(c));
        cot_error_clear(c);
        before = i == WARM ? m.live : before;
    }
    ck_assert_uint_le(m.live - before, TIMES * message + CHUNK);
    cot_context_free(c);
    ck_assert_uint_eq(m.live, 0);
}
END_TEST

typedef struct small_stack {
    const char *text;
    size_t bytes;
    const char *pipeline;
    cot_status status;
} small_stack;

static void *
prepare_it(void *arg)
{
    small_stack *s = arg;
    cot_context *c = cot_context_new(NULL);
    ir_module m;
    ir_graph *f;

    s->status = ir_parse(c, "growth", s->text, s->bytes, &m);
    if (s->status == COT_OK)
        s->status = pass_pipeline(m.fn[m.n - 1], s->pipeline, NULL, NULL, &f);
    if (s->status == COT_OK)
        s->status = pass_prepare(f, &f);
    cot_context_free(c);
    return NULL;
}

static void *
lower_it(void *arg)
{
    small_stack *s = arg;
    cot_context *c = cot_context_new(NULL);
    uint32_t nodes;

    s->status = lower_text(c, s->text, s->bytes, s->pipeline, &nodes);
    cot_context_free(c);
    return NULL;
}

/* The address sanitizer pads frames. */
#if defined(__SANITIZE_ADDRESS__)
enum { SMALL_STACK = 1 << 20 };
#else
enum { SMALL_STACK = 256 << 10 };
#endif

static void
on_small_stack(void *body(void *), void *arg)
{
    pthread_attr_t a;
    pthread_t thread;

    ck_assert_int_eq(pthread_attr_init(&a), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&a, SMALL_STACK), 0);
    ck_assert_int_eq(pthread_create(&thread, &a, body, arg), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&a);
}

START_TEST(stack_does_not_grow_with_the_program)
{
    static const struct {
        write_program *write;
        const char *pipeline;
        int n;
    } row[] = {
        { grow_chain, "", 100000 },  { grow_chain, "grad", 20000 },
        { grow_wide, "grad", 4000 }, { grow_balanced, "", 16384 },
        { grow_mlp, "grad", 1000 },  { grow_rows, "", 2000 },
        { grow_updates, "", 2000 },  { grow_calls, "grad", 4000 },
        { grow_branches, "", 2000 }, { grow_inouts, "", 2000 },
        { grow_scans, "", 2000 },
    };
    ir_buf b;
    ir_arena a;

    ir_arena_init(&a, ctx);
    ir_buf_init(&b, &a);
    row[_i].write(&b, row[_i].n);
    small_stack s = { b.text, b.n, row[_i].pipeline, COT_ERR_INTERNAL };
    on_small_stack(lower_it, &s);
    ck_assert_int_eq(s.status, COT_OK);
    ir_arena_free(&a);
}
END_TEST

/* The passes alone, on chains that each of them follows from value to value. */
START_TEST(passes_follow_chains_without_recursion)
{
    static const struct {
        write_program *write;
        const char *pipeline;
        int n;
    } row[] = {
        { grow_moved, "", 50000 },
        { grow_moved, "grad", 50000 },
        { grow_moved, "grad(wrt=[0,1]) | jvp", 5000 },
        { grow_same_steps, "", 100000 },
        { grow_same_steps, "grad(wrt=[0,1])", 50000 },
        { grow_views, "", 5000 },
        { grow_views, "functionalize(remove=mutations_and_views) | grad(wrt=[1])", 5000 },
    };
    ir_buf b;
    ir_arena a;

    ir_arena_init(&a, ctx);
    ir_buf_init(&b, &a);
    row[_i].write(&b, row[_i].n);
    small_stack s = { b.text, b.n, row[_i].pipeline, COT_ERR_INTERNAL };
    on_small_stack(prepare_it, &s);
    ck_assert_int_eq(s.status, COT_OK);
    ir_arena_free(&a);
}
END_TEST

typedef struct unrolling {
    int ops;
    cot_type type;
    cot_status status;
} unrolling;

static void
unrolled(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value x = in[0];

    (void)t;
    for (int i = 0; i < ((const unrolling *)user)->ops; i++)
        x = i % 2 ? cot_add(x, 0.5) : cot_mul(x, in[0]);
    out[0] = x;
}

/* From C to results, LLVM's work included. */
static void *
run_it(void *arg)
{
    unrolling *u = arg;
    cot_context *c = cot_context_new(NULL);
    cot_array *x = cot_array_new(c, u->type), *y = NULL;
    cot_fn *f = cot_fn_new(c, "unrolled", unrolled, 1, 1, u);

    u->status = cot_jit(f, &y, 1, (const cot_array *[]){ x }, 1);
    cot_array_free(x);
    cot_array_free(y);
    cot_context_free(c);
    return NULL;
}

/* A million ops do as well, in 5 GB. */
START_TEST(a_small_stack_is_enough_to_compile)
{
    unrolling u = { 30000, _i ? cot_f32(8) : cot_f32(), COT_ERR_INTERNAL };

    on_small_stack(run_it, &u);
    ck_assert_int_eq(u.status, COT_OK);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(memory_grows_no_faster_than_the_program, FAMILIES),
        ONCE(inputs_of_one_name_are_numbered_at_once),
        EACH(equal_layers_take_little_memory, 4),
        EACH(a_node_takes_little_memory, 12),
        EACH(failed_traces_leave_nothing, 2),
        EACH(failed_transforms_leave_little, 3),
        ONCE(verifying_keeps_nothing),
        EACH(stack_does_not_grow_with_the_program, 11),
        EACH(passes_follow_chains_without_recursion, 7),
        EACH(a_small_stack_is_enough_to_compile, 2),
    };
    return SUITE("growth", cases);
}
