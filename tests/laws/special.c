/* Elementwise ops at special operands against exact results that are kept in a table.
 *
 *   law_special TABLE
 *
 * tests/peers/special.py writes the table with mpmath, and says what its lines are; this wants
 * neither Python nor a peer.  Every line is one program, asked of the evaluator and of the back
 * end that is here: values, and derivatives by reverse mode with cotangent 1. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "passes/pass.h"
#include "runtime/check.h"
#include "tests/laws/programs.h"

enum { MAX_IN = 3, MAX_WORDS = 256, MAX_OPERANDS = 64, MAX_BYTES = 8 };

typedef struct words {
    int n;
    char *word[MAX_WORDS];
} words;
/* A line `operands`: one of the operands of ops of type `type` with n operands. */
typedef struct operands { char type[8]; int n, k; words at; } operands;
typedef struct line {
    const char *op, *attrs, *type, *result;
    int n, steps;
    bool slope;
    words want;
} line;

static operands sets[MAX_OPERANDS];
static int set_count, judged, failures;

static cot_dtype
type_named(const char *name)
{
    for (int t = 0; t <= COT_F64; t++)
        if (!strcmp(cot_dtype_name((cot_dtype)t), name))
            return (cot_dtype)t;
    fprintf(stderr, "special: no type %s\n", name);
    exit(2);
}

static words
split(char *text)
{
    words w = { 0 };

    for (char *p = strtok(text, " \n"); p && w.n < MAX_WORDS; p = strtok(NULL, " \n"))
        w.word[w.n++] = p;
    return w;
}

static const operands *
operands_of(const char *type, int n, int k)
{
    for (int i = 0; i < set_count; i++)
        if (!strcmp(sets[i].type, type) && sets[i].n == n && sets[i].k == k)
            return &sets[i];
    fprintf(stderr, "special: no operands %d of %d of %s\n", k, n, type);
    exit(2);
}

static uint64_t
bits_of(const char *word)
{
    return strtoull(word, NULL, 16);
}

/* The element's bits; those of a number of `size` bytes, little end first. */
static uint64_t
bits_at(const void *array, int size, int i)
{
    uint64_t v = 0;

    for (int k = size - 1; k >= 0; k--)
        v = v << 8 | ((const unsigned char *)array)[i * size + k];
    return v;
}

static void
put_bits(void *array, int size, int i, uint64_t v)
{
    for (int k = 0; k < size; k++, v >>= 8)
        ((unsigned char *)array)[i * size + k] = (unsigned char)v;
}

static uint64_t
mask(int size)
{
    return size == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * size) - 1;
}

/* Numbers of a type in their order, as integers: neighbours differ by one, both zeros are 0. */
static int64_t
place(uint64_t bits, int size)
{
    const int64_t size_bits = (int64_t)(bits & (mask(size) >> 1));

    return bits >> (8 * size - 1) ? -size_bits : size_bits;
}

/* Whether element i of y, of type t, is as the word states. */
static bool
is_right(const line *l, cot_dtype t, const void *y, int i)
{
    const int size = (int)cot_dtype_size(t);
    const char *word = l->want.word[i], *around = strchr(word, '~');
    const uint64_t got = bits_at(y, size, i), want = bits_of(word) & mask(size);

    if (!ir_is_float(t))
        return got == want;
    const double v = laws_load(t, y, i);
    char room[MAX_BYTES];
    put_bits(room, size, 0, want);
    const double exact = laws_load(t, room, 0);
    if (!strcmp(word, "z"))
        return v == 0;
    if (!strcmp(word, "nan"))
        return isnan(v);
    if (isnan(v) || isinf(exact) || (v == 0 && exact == 0 && !around))
        return got == want;
    if (around)
        return isfinite(v) && fabsl((long double)v - exact) <= strtold(around + 1, NULL);
    const int64_t off = place(got, size) - place(want, size);
    return off <= l->steps && -off <= l->steps;
}

static void
judge(const line *l, const char *backend, const void *y)
{
    const cot_dtype t = type_named(l->result);

    for (int i = 0; i < l->want.n; i++) {
        if (!strcmp(l->want.word[i], "-"))
            continue;
        judged++;
        if (is_right(l, t, y, i))
            continue;
        failures++;
        printf("special: %s%s %s of %s at", l->slope ? "derivative of " : "", l->op, l->attrs,
               l->type);
        for (int k = 0; k < l->n; k++)
            printf(" %s", operands_of(l->type, l->n, k)->at.word[i]);
        printf(" by %s is %" PRIx64 " (%.9g), stated %s\n", backend ? backend : "the back end",
               bits_at(y, (int)cot_dtype_size(t), i), laws_load(t, y, i), l->want.word[i]);
    }
}

/* `fn @f(%x0: f32[18]) -> f32[18] {...}` */
static const char *
program(cot_context *ctx, const line *l)
{
    const char *in = "", *args = "";

    for (int k = 0; k < l->n; k++) {
        in = ir_format(&ctx->arena, "%s%s%%x%d: %s[%d]", in, k ? ", " : "", k, l->type,
                       l->want.n);
        args = ir_format(&ctx->arena, "%s%s%%x%d", args, k ? ", " : "", k);
    }
    return ir_format(&ctx->arena,
                     "fn @f(%s) -> %s[%d] {\n  %%0 = %s %s %s : %s[%d]\n  ret %%0\n}\n", in,
                     l->result, l->want.n, l->op, args, l->attrs, l->result, l->want.n);
}

static void
check(cot_context *ctx, const line *l, const char *backend)
{
    const cot_dtype t = type_named(l->type);
    const int size = (int)cot_dtype_size(t);
    static char room[MAX_IN + 1][MAX_WORDS * MAX_BYTES];
    void *x[MAX_IN + 1], **out;
    const char *text = program(ctx, l);
    ir_module m;
    ir_graph *f;

    for (int k = 0; k <= l->n; k++)
        x[k] = room[k];
    for (int k = 0; k < l->n; k++)
        for (int i = 0; i < l->want.n; i++)
            put_bits(x[k], size, i, bits_of(operands_of(l->type, l->n, k)->at.word[i]));
    for (int i = 0; i < l->want.n && l->slope; i++)
        laws_store(t, x[l->n], i, 1);
    const char *passes = l->slope ? "vjp(wrt=[0])" : "";
    bool ok = ir_parse(ctx, "special.cot", text, strlen(text), &m) == COT_OK &&
              pass_pipeline(m.fn[0], passes, NULL, NULL, &f) == COT_OK &&
              rt_run_graph(f, &(cot_compile_options){ .backend = backend }, x, &out) == COT_OK;
    if (ok) {
        judge(l, backend, out[l->slope]);
    } else {
        failures++;
        printf("special: %s\n%s", cot_error(ctx), text);
    }
}

static void
check_by(const line *l, const char *backend)
{
    cot_context *ctx = cot_context_new(NULL);

    IR_TRY (ctx) {
        check(ctx, l, backend);
    }
    cot_context_free(ctx);
}

static void
check_line(const line *l)
{
    check_by(l, "eval");
    check_by(l, NULL);
}

/* The next field, up to a tab; fields may be empty. */
static char *
field(char **rest)
{
    char *begin = *rest, *tab = begin + strcspn(begin, "\t");

    *rest = *tab ? tab + 1 : tab;
    *tab = 0;
    return begin;
}

/* The words stay where the text is, which lives as long as the program. */
static void
read_operands(char *rest)
{
    operands *o = &sets[set_count++];

    snprintf(o->type, sizeof o->type, "%s", field(&rest));
    o->n = atoi(field(&rest));
    o->k = atoi(field(&rest));
    o->at = split(strdup(rest));
}

static void
read_line(char *op, char *rest)
{
    line l = { .op = op };

    l.attrs = field(&rest);
    l.type = field(&rest);
    l.result = field(&rest);
    l.n = atoi(field(&rest));
    l.slope = !strcmp(field(&rest), "slope");
    l.steps = atoi(field(&rest));
    l.want = split(rest);
    check_line(&l);
}

int
main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    static char text[1 << 14];

    if (!file)
        return fprintf(stderr, "usage: law_special TABLE\n"), 2;
    while (fgets(text, sizeof text, file)) {
        char *rest = text, *first = field(&rest);
        if (!strcmp(first, "operands") && set_count < MAX_OPERANDS)
            read_operands(rest);
        else if (first[0] != '#')
            read_line(first, rest);
    }
    fclose(file);
    printf("special: %d, %d failures\n", judged, failures);
    return failures > 0 || judged == 0;
}
