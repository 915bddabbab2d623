/* Long regions in parts: nothing behind a part uses what the part defines, no part is long,
 * little stays outside, and a program whose entry and loops are parts computes what the
 * evaluator does. */
#include <math.h>

#include "codegen/kernel/parts.h"
#include "codegen/tuning.h"
#include "cotrace/cotrace.h"
#include "tests/unit/suite.h"
#include "tests/unit/both.h"

enum { STATEMENTS = 6000, FAR = 40 };

static uint32_t
draw(uint64_t *seed, uint32_t n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % n;
}

/* Loads and stores; some in loops that yield a value.  One statement in `rare` uses what was
 * defined anywhere before, the others what was defined in their own group of FAR. */
static const cg_kernel *
entry_of(ir_arena *a, uint64_t seed, uint32_t rare)
{
    cg_module *m = cg_module_new(ctx, a, "f");
    cg_kernel *k = cg_kernel_new(m, "f");
    cg_build b;
    cg_val *v = IR_NEW_N(a, cg_val, STATEMENTS), loop;

    cg_begin(&b, k);
    cg_buffer_add(k, "x", COT_I64, CG_OUT, 10 * STATEMENTS);
    for (uint32_t i = 0; i < STATEMENTS; i++) {
        const uint32_t back = rare && draw(&seed, rare) == 0 ? i : i % FAR;
        const cg_val x = back ? v[i - 1 - draw(&seed, back)] : cg_i64(&b, 1);

        v[i] = cg_load(&b, 0, cg_iadd(&b, cg_i64(&b, i), x), 0);
        if (i % 7 == 0) {
            loop = cg_loop_begin(&b, CG_SERIAL, cg_i64(&b, 0), x, 1, 0);
            const cg_val sum = cg_loop_carry(&b, loop, COT_I64, v[i]);
            cg_loop_next(&b, loop, sum, cg_insn2(&b, SC_add, COT_I64, sum, x));
            cg_loop_end(&b, loop);
            v[i] = cg_loop_result(&b, loop, 0);
        }
        cg_store(&b, 0, cg_i64(&b, i), v[i], 0);
    }
    return k;
}

typedef struct crossing {
    const cg_kernel *k;
    uint32_t *part; /* of each value: 1 + the part that defines it */
    uint32_t now, found;
} crossing;

static void
define(void *user, cg_val v)
{
    crossing *c = user;

    if (!cg_is_const(c->k, v, NULL))
        c->part[v] = c->now;
}

static void
use(void *user, cg_val v)
{
    crossing *c = user;

    c->found += c->part[v] && c->part[v] != c->now;
}

/* How many statements are in parts, which take from none but what stays outside. */
static uint32_t
statements_in_parts(const cg_kernel *k, const cg_part *part, uint32_t n, ir_arena *a)
{
    crossing c = { .k = k, .part = IR_NEW_N(a, uint32_t, k->n_insns) };
    uint32_t at = 0, inside = 0;

    for (uint32_t i = 0; i < n; i++) {
        ck_assert(part[i].from >= at && part[i].to > part[i].from && part[i].to <= k->body.n);
        ck_assert_uint_le(part[i].to - part[i].from, 2 * CG_KERNEL_PART_STATEMENTS);
        inside += part[i].to - part[i].from;
        at = part[i].to;
        c.now = i + 1;
        for (uint32_t j = part[i].from; j < at; j++)
            cg_each_definition(k, k->body.insn[j], define, &c);
    }
    for (uint32_t j = 0, i = 0; j < k->body.n; j++) {
        while (i < n && part[i].to <= j)
            i++;
        c.now = i < n && part[i].from <= j ? i + 1 : 0;
        cg_each_use(k, k->body.insn[j], use, &c);
    }
    ck_assert_uint_eq(c.found, 0);
    return inside;
}

START_TEST(nothing_behind_a_part_uses_what_it_defines)
{
    static const uint32_t rare[] = { 0, 2000, 100, 3 };
    ir_arena a;

    for (int r = 0; r < 4; r++) {
        cg_part *part;

        ir_arena_init(&a, ctx);
        const cg_kernel *k = entry_of(&a, (uint64_t)_i * 4 + (uint64_t)r, rare[r]);
        ck_assert(cg_is_long(k, &k->body));
        const uint32_t n = cg_partition_region(cg_partition_new(k, &a), &k->body, &part),
                       inside = statements_in_parts(k, part, n, &a);
        if (rare[r] == 0)
            ck_assert_uint_eq(inside, k->body.n);
        ir_arena_free(&a);
    }
}
END_TEST

enum { CALLS = 2 * CG_KERNEL_PART_STATEMENTS, MANY = 8 * CG_KERNEL_PART_BUFFERS };

/* CALLS calls are no long list, unless each has as many buffers as are more statements. */
START_TEST(calls_of_many_buffers_are_long)
{
    ir_arena a;
    ir_arena_init(&a, ctx);
    cg_module *m = cg_module_new(ctx, &a, "f");
    cg_kernel *k = cg_kernel_new(m, "f");
    uint32_t buffer[MANY] = { 0 }, longest = 0;
    cg_part *part;
    cg_build b;

    cg_kernel_new(m, "g");
    cg_begin(&b, k);
    cg_buffer_add(k, "x", COT_F32, CG_OUT, 1);
    for (int i = 0; i < MANY; i++)
        cg_buffer_add(m->kernel[1], "x", COT_F32, CG_IN, 1);
    for (int i = 0; i < CALLS; i++) {
        ck_assert(!cg_is_long(k, &k->body));
        cg_call_kernel(&b, 1, buffer, NULL, 0, NULL);
        k->insn[k->body.insn[i]].call->n_buffers = CG_KERNEL_PART_BUFFERS - 1;
    }
    for (int i = 0; i < CALLS; i++)
        k->insn[k->body.insn[i]].call->n_buffers = MANY;
    ck_assert(cg_is_long(k, &k->body));
    for (uint32_t n = cg_partition_region(cg_partition_new(k, &a), &k->body, &part); n-- > 0;)
        longest = part[n].to - part[n].from > longest ? part[n].to - part[n].from : longest;
    ck_assert_uint_le(longest, 2 * CG_KERNEL_PART_STATEMENTS / 8);
    ir_arena_free(&a);
}
END_TEST

enum { N = 40, LAYERS = 150 };

/* Kernels one behind the other, at places that the program computes. */
static void
layers(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value x = in[0], i = in[1];

    (void)t;
    (void)user;
    for (int k = 0; k < LAYERS; k++) {
        const cot_value part = cot_dynamic_slice(x, COT_VALUES(i), COT_LIST(N / 2));
        x = cot_sub(x, cot_mul(0.01, cot_reduce_sum(cot_sin(part))));
        i = cot_rem(cot_add(i, k + 1), N / 2);
    }
    out[0] = x;
    out[1] = i;
}

static void
looped(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    (void)user;
    cot_scan(layers, .in = COT_VALUES(in[0], in[1]), .length = 3, .out = out);
}

static void
loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y[2];

    looped(t, in, y, user);
    out[0] = cot_reduce_sum(y[0]);
}

START_TEST(a_program_in_parts_computes_the_same)
{
    cot_fn *f[] = { fn("layers", layers, 2, 2), fn("looped", looped, 2, 2),
                    cot_grad(fn("loss", loss, 2, 1)) };
    double x[N], got[2 * N];
    const int32_t i = 3;

    for (int k = 0; k < N; k++)
        x[k] = sin(k);
    results(f[_i], COT_TYPES(cot_f64(N), cot_i32()), IN(x, &i), got);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(nothing_behind_a_part_uses_what_it_defines, 20),
        ONCE(calls_of_many_buffers_are_long),
        EACH(a_program_in_parts_computes_the_same, 3),
    };
    return SUITE("parts", cases);
}
