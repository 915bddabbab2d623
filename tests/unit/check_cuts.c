/* Long elementwise computations, which are cut into kernels (codegen/fuse/cuts.c): the bits are
 * the evaluator's whatever is cut, and a regular program is cut into equal kernels, so that
 * twice the program is not more code. */
#include "codegen/backend.h"
#include "codegen/lower.h"
#include "cotrace/cotrace.h"
#include "passes/pass.h"
#include "ir/array.h"
#include "runtime/compile.h"
#include "tests/unit/growing.h"
#include "tests/unit/suite.h"
#include "trial.h"

enum { STATES = 3, MOST = 16 };

/* n steps, each of which makes one of the states of others and of the row, in an order that is
 * not regular.  Values stay below one, or wrap. */
static void
write_steps(ir_buf *b, const char *type, const char *row, int rank, bool is_float, int n,
            uint64_t seed)
{
    static const char *const of_floats[] = { "sin %%v%d", "tanh %%v%d", "max %%v%d, %%v%d",
                                             "mul %%v%d, %%v%d", "sub %%v%d, %%v%d" },
                             *const of_ints[] = { "not %%v%d", "abs %%v%d", "max %%v%d, %%v%d",
                                                  "mul %%v%d, %%v%d", "sub %%v%d, %%v%d" };
    const char *const *op = is_float ? of_floats : of_ints;
    int at[STATES] = { 0, 1, 2 }, made = STATES;

    ir_buf_printf(b, "fn @f(%%v0: %s, %%v1: %s, %%x: %s) -> (%s, %s, %s) {\n", type, type, row,
                  type, type, type);
    ir_buf_printf(b, " %%v2 = broadcast_in_dim %%x {shape=%s, dims=%s} : %s\n",
                  strchr(type, '['), rank == 2 ? "[1]" : "[0]", type);
    for (int i = 0; i < n; i++, made++) {
        const int made_of[2] = { (int)(draw(&seed) % STATES), (int)(draw(&seed) % STATES) };
        ir_buf_printf(b, " %%v%d = ", made);
        ir_buf_printf(b, op[draw(&seed) % 5], at[made_of[0]], at[made_of[1]]);
        ir_buf_printf(b, " : %s\n", type);
        at[draw(&seed) % STATES] = made;
    }
    ir_buf_printf(b, " ret %%v%d, %%v%d, %%v%d\n}\n", at[0], at[1], at[2]);
}

static void
run(const ir_graph *f, const cot_compile_options *o, void *const *args)
{
    cot_kernel *k;

    ck_assert_msg(cot_compile_graph(f, o, &k) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(rt_call_kernel(k, args, NULL), COT_OK);
    cot_kernel_free(k);
}

/* At all widths of this machine. */
static void
computes_what_the_evaluator_does(const ir_graph *f)
{
    static const int widths[] = { 32, 128, 256, 512 };
    void *want[MOST] = { 0 }, *got[MOST] = { 0 };
    uint64_t state = 1;
    cg_target host = { 0 };

    ck_assert_int_le(f->n_in + f->n_out, MOST - 1);
    ck_assert_int_eq(cg_llvm()->target(ctx, &host), COT_OK);
    for (int i = 0; i < f->n_in + f->n_out; i++) {
        const ir_type *t = ir_type_at(f, i < f->n_in ? f->in[i] : f->out[i - f->n_in]);
        want[i] = calloc(cot_dtype_size(t->dtype), (size_t)t->size + 1);
        got[i] = i < f->n_in ? want[i] : calloc(cot_dtype_size(t->dtype), (size_t)t->size + 1);
        if (i < f->n_in)
            fill(want[i], t, &state, false);
    }
    run(f, &(cot_compile_options){ .backend = "eval" }, want);
    for (size_t w = 0; w < 4 && widths[w] <= host.vector_bits; w++) {
        run(f,
            &(cot_compile_options){
                .backend = "jit", .vector_bits = widths[w], .threads = 1 + (int)(w % 2) },
            got);
        for (int i = 0; i < f->n_out; i++) {
            const ir_type *t = ir_type_at(f, f->out[i]);
            for (int64_t e = 0; e < t->size; e++)
                ck_assert_msg(same(t, got[f->n_in + i], want[f->n_in + i], e),
                              "%d bits, element %lld of result %d of %s", widths[w],
                              (long long)e, i, ir_type_str(ctx, t));
        }
    }
    for (int i = 0; i < f->n_in + f->n_out; i++) {
        free(want[i]);
        if (i >= f->n_in)
            free(got[i]);
    }
}

static ir_graph *
parsed(const ir_buf *b, const char *pipeline)
{
    ir_module m;
    ir_graph *f;

    ck_assert_msg(ir_parse(ctx, "test", b->text, b->n, &m) == COT_OK, "%s", cot_error(ctx));
    f = m.fn[m.n - 1];
    if (*pipeline)
        ck_assert_msg(pass_pipeline(f, pipeline, NULL, NULL, &f) == COT_OK, "%s",
                      cot_error(ctx));
    return f;
}

static const struct {
    const char *shape, *row;
    int rank;
} shapes[] = { { "[1]", "[1]", 1 },     { "[7]", "[7]", 1 },      { "[33]", "[33]", 1 },
               { "[257]", "[257]", 1 }, { "[5,17]", "[17]", 2 },  { "[70001]", "[70001]", 1 },
               { "[0]", "[0]", 1 },     { "[129,33]", "[33]", 2 } };
static const char *const types[] = { "f32", "f64", "f16", "i32" };
enum { SHAPES = sizeof shapes / sizeof *shapes, TYPES = 4 };

START_TEST(irregular_programs_keep_their_bits)
{
    const int s = _i / TYPES, t = _i % TYPES;
    char type[32], row[32];
    ir_arena a;
    ir_buf b;

    snprintf(type, sizeof type, "%s%s", types[t], shapes[s].shape);
    snprintf(row, sizeof row, "%s%s", types[t], shapes[s].row);
    ir_arena_init(&a, ctx);
    ir_buf_init(&b, &a);
    write_steps(&b, type, row, shapes[s].rank, t < 3, t < 3 ? 400 : 4000, (uint64_t)_i);
    computes_what_the_evaluator_does(parsed(&b, ""));
    if (t < 2 && s != 5)
        computes_what_the_evaluator_does(parsed(&b, "vjp | vmap(in=0, out=0, size=2)"));
    ir_arena_free(&a);
}
END_TEST

/* Instructions of all kernels but the entry, and of the largest of them. */
typedef struct code {
    uint32_t all, largest;
} code;

static code
code_of(write_program *write, const char *pipeline, int n)
{
    cg_target target = { .vector_bits = 256 };
    cg_lower_options o = { .target = &target, .threads = 1, .fuse = true };
    cg_module *lowered;
    code c = { 0 };
    ir_graph *f;
    ir_arena a;
    ir_buf b;

    ir_arena_init(&a, ctx);
    ir_buf_init(&b, &a);
    write(&b, n);
    f = parsed(&b, pipeline);
    ck_assert_int_eq(pass_prepare(f, &f), COT_OK);
    ck_assert_int_eq(cg_lower(f, &o, &a, &lowered), COT_OK);
    for (uint32_t i = 1; i < lowered->n_kernels; i++) {
        const uint32_t insns = lowered->kernel[i]->n_insns;
        c.all += insns;
        c.largest = insns > c.largest ? insns : c.largest;
    }
    ir_arena_free(&a);
    return c;
}

/* A kernel is at most two segments' instructions and what addresses take, in each of the two
 * loops that a map may be split into. */
START_TEST(twice_a_regular_program_is_as_much_code)
{
    static const struct {
        write_program *write;
        const char *pipeline;
        int n;
    } row[] = { { grow_waves, "", 1500 },
                { grow_waves, "grad", 1500 },
                { grow_steps, "", 500 },
                { grow_steps, "vmap(in=0, out=0, size=3)", 500 } };
    const code once = code_of(row[_i].write, row[_i].pipeline, row[_i].n),
               twice = code_of(row[_i].write, row[_i].pipeline, 2 * row[_i].n);

    ck_assert_uint_le(twice.all, once.all + once.all / 2);
    ck_assert_uint_le(twice.largest, 4096);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(irregular_programs_keep_their_bits, SHAPES * TYPES),
        EACH(twice_a_regular_program_is_as_much_code, 4),
    };
    return SUITE("cuts", cases);
}
