/* Programs of the sweeps by name: see swept.h. */
#include "tests/gpu/swept.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cotrace/cotrace.h"
#include "ir/diag.h"
#include "tests/laws/classes.h"
#include "tests/laws/sized.h"

static uint64_t
mixed(uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

const char *
swept_name(ir_arena *a, uint64_t seed, int k)
{
    if (k % 3 < 2)
        return ir_format(a, "s%d", classes_sample(seed, k / 3 * 2 + k % 3));
    return ir_format(
        a, "z%" PRIu64,
        mixed(seed * 1000003u + (uint64_t)k / 3) % (uint64_t)sized_count());
}

static bool
make_product(cot_context *ctx, int64_t number, laws_program *out)
{
    const sized z = sized_make(&ctx->arena, number);
    const cot_graph *f;

    if (cot_parse(ctx, "sizes", z.text, strlen(z.text), NULL, &f) != COT_OK)
        return false;
    *out = (laws_program){
        .number = (int)number, .op = z.kind, .text = z.text, .f = f, .lo = -2, .hi = 2
    };
    return true;
}

bool
swept_make(cot_context *ctx, const char *name, laws_program *out)
{
    const int64_t number = strtoll(name + 1, NULL, 10);
    class_program c;

    if (name[0] == 'z')
        return number >= 0 && number < sized_count() && make_product(ctx, number, out);
    if (name[0] != 's' || number < 0 || number >= classes_count() ||
        !classes_make(ctx, (int)number, &c))
        return false;
    *out = c.law;
    return true;
}

/* Integers with their extremes, floats that stay finite. */
static void
fill_product(uint64_t *seed, const ir_type *t, const char *name, double lo, double hi,
             void *array)
{
    (ir_is_inexact(t->dtype) ? laws_fill : laws_fill_special)(seed, t, name, lo, hi, array);
}

void **
swept_operands(cot_context *ctx, const char *name, const laws_program *p)
{
    uint64_t seed = 77 + (uint64_t)p->number;
    class_program c;

    if (name[0] == 'z')
        return laws_sample(p->f, &seed, p->lo, p->hi, fill_product);
    if (!classes_make(ctx, p->number, &c))
        return laws_sample(p->f, &seed, p->lo, p->hi, laws_fill);
    return classes_operands(&c);
}
