/* Values of the elementary and special functions against exact ones that are kept in a table.
 *
 *   law_values TABLE
 *
 * tests/peers/values.py writes the table with mpmath; this wants neither Python nor a
 * peer.  Every line is asked in f32 and in f64, of the evaluator and of the back end that is
 * here; the distance from the exact result is counted in units of its last place. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/check.h"
#include "tests/laws/programs.h"

enum { MAX_IN = 3 };

typedef struct line {
    char op[32];
    double bound[2];            /* of f32, f64 */
    int n;
    double x[MAX_IN];
    long double y;
} line;

static int judged, failures;

/* "exp 1 2 0x1p+0 2.718": false for a comment. */
static bool
read_line(const char *text, line *l)
{
    char word[8][48];
    const int n = sscanf(text, "%31s %lf %lf %47s %47s %47s %47s", l->op, &l->bound[0],
                         &l->bound[1], word[0], word[1], word[2], word[3]);

    if (n < 5 || l->op[0] == '#')
        return false;
    l->n = n - 4;
    for (int i = 0; i < l->n; i++)
        l->x[i] = strtod(word[i], NULL);
    l->y = strtold(word[l->n], NULL);
    return true;
}

/* |y - exact| in units of the last place of the exact result; 0 where that is none of the
 * normal numbers. */
static double
distance(cot_dtype t, double y, long double exact)
{
    const int digits = t == COT_F32 ? 24 : 53, least = t == COT_F32 ? -126 : -1022,
              most = t == COT_F32 ? 128 : 1024;
    int e;

    frexpl(exact, &e);
    if (exact == 0 || e - 1 < least || e > most)
        return 0;
    return (double)(fabsl((long double)y - exact) / ldexpl(1, e - digits));
}

static void
check(cot_context *ctx, const line *l, cot_dtype t, const char *backend)
{
    const char *name = cot_dtype_name(t), *in = "", *args = "";
    void *x[MAX_IN], **out;
    char room[MAX_IN][8];
    ir_module m;

    for (int i = 0; i < l->n; i++) {
        in = ir_format(&ctx->arena, "%s%s%%x%d: %s[]", in, i ? ", " : "", i, name);
        args = ir_format(&ctx->arena, "%s%s%%x%d", args, i ? ", " : "", i);
        x[i] = room[i];
        laws_store(t, x[i], 0, l->x[i]);
    }
    const char *text =
        ir_format(&ctx->arena, "fn @f(%s) -> %s[] {\n  %%0 = %s %s : %s[]\n  ret %%0\n}\n", in,
                  name, l->op, args, name);
    if (ir_parse(ctx, "values.cot", text, strlen(text), &m) != COT_OK ||
        rt_run_graph(m.fn[0], &(cot_compile_options){ .backend = backend }, x, &out) !=
            COT_OK) {
        failures++;
        printf("values: %s\n%s", cot_error(ctx), text);
        return;
    }
    const double y = laws_load(t, out[0], 0), off = distance(t, y, l->y);
    judged++;
    if (!(off <= l->bound[t == COT_F64])) {
        failures++;
        printf(
            "values: %s of %s at %a, %a, %a by %s is %.17g, the exact value %.21Lg: %.3g ulp\n",
            l->op, name, l->x[0], l->n > 1 ? l->x[1] : 0, l->n > 2 ? l->x[2] : 0,
            backend ? backend : "the back end", y, l->y, off);
    }
}

static void
check_once(const line *l, cot_dtype t, const char *backend)
{
    cot_context *ctx = cot_context_new(NULL);

    IR_TRY (ctx) {
        check(ctx, l, t, backend);
    }
    cot_context_free(ctx);
}

static void
check_line(const line *l)
{
    check_once(l, COT_F32, "eval");
    check_once(l, COT_F64, "eval");
    check_once(l, COT_F32, NULL);
    check_once(l, COT_F64, NULL);
}

int
main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    char text[256];
    line l = { 0 };

    if (!file)
        return fprintf(stderr, "usage: law_values TABLE\n"), 2;
    while (fgets(text, sizeof text, file))
        if (read_line(text, &l))
            check_line(&l);
    fclose(file);
    printf("values: %d, %d failures\n", judged, failures);
    return failures > 0 || judged == 0;
}
