/* Loops that are written out: which steps become a loop, with which carries and rows, and that
 * no bit changes, in the evaluator and in every back end. */
#include <stdio.h>

#include "passes/pass.h"
#include "tests/unit/bits.h"
#include "tests/unit/growing.h"
#include "tests/unit/traced.h"

/* The prepared last function of a text, behind a pipeline, and what becomes of it: equal bits.
 * */
static void
make(const char *text, const char *pipeline, ir_graph **prepared, ir_graph **looped)
{
    static const char *const pass[] = { "reroll", "rematerialize", NULL };

    bits_keep(ctx, text, pipeline, pass, prepared, looped);
}

typedef struct text {
    char at[20000];
    int n;
} text;

#define SAY(t, ...)                                                                            \
    ((t)->n += snprintf((t)->at + (t)->n, sizeof(t)->at - (size_t)(t)->n, __VA_ARGS__))

enum { STEPS = 9 };

static void
plain(text *t)
{
    SAY(t, "fn @f(%%v0: f32[5], %%a: f32[5]) -> (f32[5]) {\n");
    for (int i = 0; i < STEPS; i++)
        SAY(t, " %%s%d = sin %%v%d : f32[5]\n %%v%d = mul %%s%d, %%a : f32[5]\n", i, i, i + 1,
            i);
    SAY(t, " ret %%v%d\n}\n", STEPS);
}

/* Each step takes the results of the two before it. */
static void
two_back(text *t)
{
    SAY(t, "fn @f(%%v0: f32[5], %%v1: f32[5]) -> (f32[5], f32[5]) {\n");
    for (int i = 0; i < STEPS; i++)
        SAY(t, " %%s%d = sin %%v%d : f32[5]\n %%v%d = sub %%s%d, %%v%d : f32[5]\n", i, i, i + 2,
            i, i + 1);
    SAY(t, " ret %%v%d, %%v%d\n}\n", STEPS, STEPS + 1);
}

/* A constant of each step's own, in no order. */
static void
constants(text *t)
{
    SAY(t, "fn @f(%%v0: f64[]) -> (f64[]) {\n");
    for (int i = 0; i < STEPS; i++)
        SAY(t,
            " %%c%d = constant {data=%d.5} : f64[]\n %%s%d = add %%v%d, %%c%d : f64[]\n"
            " %%v%d = cos %%s%d : f64[]\n",
            i, i * i % 7, i, i, i, i + 1, i);
    SAY(t, " ret %%v%d\n}\n", STEPS);
}

/* Elements of an array from its end, every second one; each step gives a result. */
static void
elements(text *t)
{
    SAY(t, "fn @f(%%v0: f32[], %%x: f32[30]) -> (f32[], f32[], f32[]) {\n");
    for (int i = 0; i < STEPS; i++)
        SAY(t,
            " %%e%d = slice %%x {start=[%d], limit=[%d], stride=[1]} : f32[1]\n"
            " %%r%d = reshape %%e%d {shape=[]} : f32[]\n %%s%d = mul %%v%d, %%r%d : f32[]\n"
            " %%v%d = sin %%s%d : f32[]\n",
            i, 25 - 2 * i, 26 - 2 * i, i, i, i, i, i, i + 1, i);
    SAY(t, " ret %%v%d, %%s3, %%r2\n}\n", STEPS);
}

/* Windows of an array, which overlap, and boxes of zeros around what a step makes. */
static void
windows(text *t)
{
    SAY(t, "fn @f(%%x: f32[30], %%v0: f32[20]) -> (f32[20]) {\n %%z = constant {data=0} : "
           "f32[]\n");
    for (int i = 0; i < STEPS; i++)
        SAY(t,
            " %%w%d = slice %%x {start=[%d], limit=[%d], stride=[1]} : f32[4]\n"
            " %%s%d = sin %%w%d : f32[4]\n"
            " %%p%d = pad %%s%d, %%z {low=[%d], high=[%d], interior=[0]} : f32[20]\n"
            " %%v%d = add %%v%d, %%p%d : f32[20]\n",
            i, 1 + 2 * i, 5 + 2 * i, i, i, i, i, i, 16 - i, i + 1, i, i);
    SAY(t, " ret %%v%d\n}\n", STEPS);
}

/* What two loops share goes from one to the other, in its order and against it. */
static void
two_loops(text *t)
{
    SAY(t, "fn @f(%%v0: f32[3]) -> (f32[3], f32[3]) {\n %%u0 = exp %%v0 : f32[3]\n");
    for (int i = 0; i < STEPS; i++)
        SAY(t, " %%s%d = sin %%v%d : f32[3]\n %%v%d = add %%s%d, %%v0 : f32[3]\n", i, i, i + 1,
            i);
    for (int i = 0; i < STEPS; i++)
        SAY(t, " %%m%d = mul %%u%d, %%s%d : f32[3]\n %%u%d = cos %%m%d : f32[3]\n", i, i,
            STEPS - 1 - i, i + 1, i);
    SAY(t, " %%w0 = tanh %%u%d : f32[3]\n", STEPS);
    for (int i = 0; i < STEPS; i++)
        SAY(t, " %%n%d = sub %%w%d, %%s%d : f32[3]\n %%w%d = exp %%n%d : f32[3]\n", i, i, i,
            i + 1, i);
    SAY(t, " ret %%w%d, %%u%d\n}\n", STEPS, STEPS);
}

/* Step 4 is another one. */
static void
another(text *t)
{
    SAY(t, "fn @f(%%v0: f32[5], %%a: f32[5]) -> (f32[5]) {\n");
    for (int i = 0; i < STEPS; i++)
        SAY(t, " %%s%d = %s %%v%d : f32[5]\n %%v%d = mul %%s%d, %%a : f32[5]\n", i,
            i == 4 ? "cos" : "sin", i, i + 1, i);
    SAY(t, " ret %%v%d\n}\n", STEPS);
}

/* All steps take what the first one makes. */
static void
first(text *t)
{
    SAY(t, "fn @f(%%v0: f32[5]) -> (f32[5]) {\n");
    for (int i = 0; i < STEPS; i++)
        SAY(t, " %%s%d = sin %%v%d : f32[5]\n %%v%d = mul %%s%d, %%s0 : f32[5]\n", i, i, i + 1,
            i);
    SAY(t, " ret %%v%d\n}\n", STEPS);
}

/* Steps within steps. */
static void
nested(text *t)
{
    SAY(t, "fn @f(%%v0: f32[5], %%a: f32[5]) -> (f32[5]) {\n");
    for (int i = 0; i < STEPS; i++) {
        SAY(t, " %%s%d_0 = exp %%v%d : f32[5]\n", i, i);
        for (int k = 0; k < 4; k++)
            SAY(t,
                " %%c%d_%d = cos %%s%d_%d : f32[5]\n %%s%d_%d = mul %%c%d_%d, %%a : f32[5]\n",
                i, k, i, k, i, k + 1, i, k);
        SAY(t, " %%v%d = tanh %%s%d_4 : f32[5]\n", i + 1, i);
    }
    SAY(t, " ret %%v%d\n}\n", STEPS);
}

static const struct form {
    void (*write)(text *t);
    int loops; /* scans of the function itself */
    int64_t length, consts, carries, operands, results; /* of the last one */
} forms[] = {
    { plain, 1, STEPS, 1, 1, 2, 1 },     { two_back, 1, STEPS, 0, 2, 2, 2 },
    { constants, 1, STEPS, 0, 1, 2, 1 }, { elements, 1, STEPS, 0, 1, 2, 2 },
    { windows, 1, STEPS, 1, 3, 4, 3 },   { two_loops, 3, STEPS - 1, 0, 1, 2, 1 },
    { another, 2, 4, 1, 1, 2, 1 },       { first, 1, STEPS - 1, 1, 1, 2, 1 },
    { nested, 1, STEPS, 1, 1, 2, 1 },
};

START_TEST(steps_become_loops)
{
    const struct form *form = &forms[_i];
    ir_graph *f, *g;
    text t = { .n = 0 };
    int loops = 0;
    const ir_node *last = NULL;

    ctx->small_passes = true;
    form->write(&t);
    make(t.at, "", &f, &g);
    ir_each_node (n, g)
        if (n->op == OP_scan)
            loops++, last = n;
    ck_assert_int_eq(loops, form->loops);
    if (last) {
        ck_assert_int_eq(last->at->scan.length, form->length);
        ck_assert_int_eq(last->at->scan.consts, form->consts);
        ck_assert_int_eq(last->at->scan.carries, form->carries);
        ck_assert_int_eq(last->n_in, form->operands);
        ck_assert_int_eq(last->n_out, form->results);
    }
}
END_TEST

/* Their transforms too, whose steps go both ways. */
static const char *const pipelines[] = { "jvp", "vjp", "vmap(in=0, out=0, size=3)",
                                         "vjp | vmap(in=0, out=0, size=2)" };
enum { FORMS = sizeof forms / sizeof *forms, PIPELINES = sizeof pipelines / sizeof *pipelines };

START_TEST(transforms_keep_bits)
{
    ctx->small_passes = true;
    for (int k = 0; k < PIPELINES; k++) {
        ir_graph *f, *g;
        text t = { .n = 0 };

        forms[_i].write(&t);
        make(t.at, pipelines[k], &f, &g);
    }
}
END_TEST

/* Each step prints: effects stay where they are. */
BODY(
    prints, out[0] = in[0]; for (int i = 0; i < STEPS; i++) {
        out[0] = cot_sin(out[0]);
        cot_print(out[0], "step");
    })

START_TEST(effects_stay)
{
    cot_fn *f = cot_fn_new(ctx, "prints", prints, 1, 1, NULL);
    const cot_graph *g;
    ir_graph *prepared, *looped;

    ctx->small_passes = true;
    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f32(5)), &g), COT_OK);
    ck_assert_int_eq(pass_prepare(g, &prepared), COT_OK);
    ck_assert_int_eq(pass_reroll(prepared, &looped), COT_OK);
    ck_assert(!looped->loops);
    ck_assert_uint_eq(looped->n_nodes, prepared->n_nodes);
}
END_TEST

/* Programs of many steps: what is left of their nodes, those of bodies included. */
static const struct family {
    write_program *write;
    int parts;
    const char *pipeline;
    uint64_t most; /* nodes */
} families[] = {
    { grow_scalars, 6000, "", 20 },
    { grow_scalars, 6000, "grad", 60 },
    { grow_steps, 400, "", 60 },
    { grow_steps, 400, "grad", 120 },
    { grow_steps, 400, "vmap(in=0, out=0, size=3)", 60 },
    { grow_stack, 1500, "", 60 },
    { grow_stack, 1500, "grad", 120 },
    { grow_mlp, 1500, "", 60 },
    { grow_residual, 900, "", 60 },
    { grow_residual, 900, "grad", 160 },
    { grow_updates, 1500, "", 120 },
    { grow_rows, 2000, "", 60 },
    /* views of views: nothing to compute */
    { grow_moved, 3000, "", 1u << 20 },
    { grow_chain, 3000, "", 1u << 20 },
};

START_TEST(many_steps_are_few_nodes)
{
    ir_graph *f, *g;
    ir_buf b;

    ir_buf_init(&b, &ctx->arena);
    families[_i].write(&b, families[_i].parts);
    make(b.text, families[_i].pipeline, &f, &g);
    ck_assert_uint_le(g->unfolded, families[_i].most);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(steps_become_loops, FORMS),
        EACH(transforms_keep_bits, FORMS),
        ONCE(effects_stay),
        EACH(many_steps_are_few_nodes, sizeof families / sizeof *families),
    };

    return SUITE("reroll", cases);
}
