/* Derivatives of orders 1, 2 and 3 against values of mpmath.
 *
 *     derivatives TABLE [NAME ...]
 *
 * TABLE is derivatives.table, which tests/peers/derivatives.py writes.  `fn NAME N` begins
 * the rows of a function of N arguments, and a row is a point and then, for each derivative
 * in the order of `indices`, its value and the scale of its error; `-` stands where nothing
 * is promised.
 *
 * Every derivative is taken by every composition of `modes`: j is jvp, g grad, F jacfwd, R
 * jacrev, H hessian (two orders at once), the innermost first.  The functions are scalar,
 * and the result is mapped over the points with vmap, so that NaN and infinities of one
 * point stay its own.
 *
 * The bound.  A rule of first order is a formula of at most 8 operations, each of at most 2
 * ulp, which is 4 units of roundoff u: 32 u.  Each further derivative makes at most 8 terms
 * of each operation: 256 u and 2048 u.  They are relative to the scale of the row, which the
 * generator derives: the value, what the argument's own rounding makes of it, and the
 * derivatives of lower order from which rules form it.  A value below the normal numbers is
 * exact to the least normal number.  Infinite values agree only with the same infinity, NaN
 * only with NaN, and a finite value never with either; what lies beyond the range of the
 * type is not finite.
 *
 * Nothing is promised where a derivative of lower order lies outside the normal numbers, and
 * of order k of a function marked `pole P` where x^(k P) or x^(-k P) of an argument does:
 * its rule divides by such powers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "passes/rules.h"
#include "tests/derivatives/functions.h"

enum { MAX_POINTS = 128, MAX_IN = 2, MAX_INDICES = 9, MAX_LEVELS = 4 };

static const char *const modes[] = {
    "j", "g",   "F",   "R",   "jj",  "jg",  "gj",  "gg",  "FR", "RF",
    "H", "jjj", "ggg", "jgg", "gjg", "ggj", "jjg", "FRF", "gH",
};

/* How often each argument is differentiated by. */
static const int indices[MAX_INDICES][MAX_IN] = {
    { 1, 0 }, { 0, 1 }, { 2, 0 }, { 1, 1 }, { 0, 2 }, { 3, 0 }, { 2, 1 }, { 1, 2 }, { 0, 3 },
};

typedef struct entry {
    double want, scale;
    bool promised, over;        /* over: finite, beyond the range of f64 */
} entry;

typedef struct point {
    double x[MAX_IN];
    entry of[MAX_INDICES];
} point;

typedef struct block {
    const function_row *row;
    int pole;
    int n;
    point at[MAX_POINTS];
} block;

static int compared, failures;

/* ---- the function ---- */

#define FN(name, n, ...)                                                                       \
    static cot_value call_##name(const cot_value *x)                                           \
    {                                                                                          \
        return __VA_ARGS__;                                                                    \
    }
FUNCTIONS
#undef FN

static const function_row functions[] = {
#define FN(name, n, ...) { #name, n, call_##name },
    FUNCTIONS
#undef FN
};

enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

static void
call_row(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const function_row *row = user;

    (void)t;
    out[0] = row->call(in);
}

/* A derivative by argument `by` in forward mode: jvp along 1. */
typedef struct forward {
    cot_fn *jvp;
    int n_in;
} forward;

static void
call_forward(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const forward *f = user;
    cot_value x[MAX_IN + 1], y[2];

    for (int i = 0; i < f->n_in; i++)
        x[i] = in[i];
    x[f->n_in] = cot_ones(t, cot_type_new(cot_dtype_of(in[0]), 0, NULL));
    cot_call_all(f->jvp, ((cot_values){ .n = f->n_in + 1, .at = x }), y, 2);
    out[0] = y[1];
}

/* One more level of derivative, by argument `by`; the levels' records are the caller's. */
static cot_fn *
derived(cot_context *ctx, cot_fn *f, char mode, int n_in, int by, forward *level)
{
    switch (mode) {
    case 'g': return cot_grad(f, .wrt = COT_LIST(by));
    case 'F': return cot_jacfwd(f, .wrt = COT_LIST(by));
    case 'R': return cot_jacrev(f, .wrt = COT_LIST(by));
    case 'H': return cot_hessian(f, .wrt = COT_LIST(by));
    default:
        *level = (forward){ cot_jvp(f, .wrt = COT_LIST(by)), n_in };
        return cot_fn_new(ctx, "forward", call_forward, n_in, 1, level);
    }
}

/* ---- evaluation ---- */

static void
store(cot_array *a, cot_dtype t, int i, double x)
{
    if (t == COT_F64)
        ((double *)cot_array_data(a))[i] = x;
    else
        ((float *)cot_array_data(a))[i] = (float)x;
}

static double
load(const cot_array *a, int i)
{
    return cot_array_type(a).dtype == COT_F64 ? ((const double *)cot_array_read(a))[i]
                                              : (double)((const float *)cot_array_read(a))[i];
}

/* f at the points, which all have the type's numbers as arguments; NULL, the error printed, if
 * it cannot be compiled. */
static cot_array *
evaluate(cot_context *ctx, cot_fn *f, const block *b, cot_dtype t, const char *title)
{
    const int64_t n = b->n;
    const cot_type type = cot_type_new(t, 1, &n);
    cot_array *x[MAX_IN], *y = NULL;
    cot_type types[MAX_IN];
    cot_kernel *k = NULL;

    for (int i = 0; i < b->row->n_in; i++) {
        x[i] = cot_array_new(ctx, type);
        types[i] = type;
        for (int p = 0; p < b->n; p++)
            store(x[i], t, p, b->at[p].x[i]);
    }
    cot_status status = cot_compile(cot_vmap(f), (cot_types){ .n = b->row->n_in, .at = types },
                                    &(cot_compile_options){ .backend = "eval" }, &k);
    if (status == COT_OK) {
        y = cot_array_new(ctx, cot_graph_out_type(cot_kernel_graph(k), 0));
        status = cot_run(k, &y, (const cot_array *const *)x);
    }
    if (status != COT_OK) {
        printf("%s: %s\n", title, cot_error(ctx));
        failures++;
        cot_array_free(y);
        y = NULL;
    }
    for (int i = 0; i < b->row->n_in; i++)
        cot_array_free(x[i]);
    cot_kernel_free(k);
    return y;
}

/* ---- the judgement ---- */

/* Zero or a normal number of the type. */
static bool
is_normal(double x, cot_dtype t)
{
    const double least = t == COT_F64 ? 0x1p-1022 : 0x1p-126,
                 most = t == COT_F64 ? 0x1p1023 : 0x1p127;

    return x == 0 || (fabs(x) >= least && fabs(x) <= most);
}

static bool
is_promised(const block *b, const point *p, int index, cot_dtype t)
{
    const int order = indices[index][0] + indices[index][1];

    for (int i = 0; i < index; i++) {
        const bool lower =
            indices[i][0] <= indices[index][0] && indices[i][1] <= indices[index][1];
        const entry *e = &p->of[i];

        if (lower && e->promised && (e->over || (isfinite(e->want) && !is_normal(e->want, t))))
            return false;
    }
    for (int i = 0; i < b->row->n_in && b->pole && isfinite(p->x[i]); i++)
        if (p->x[i] != 0 && (!is_normal(pow(fabs(p->x[i]), order * b->pole), t) ||
                             !is_normal(pow(fabs(p->x[i]), -order * b->pole), t)))
            return false;
    return p->of[index].promised;
}

static bool
agrees(double got, const entry *e, int order, cot_dtype t)
{
    static const double factor[] = { 0, 32, 256, 2048 };
    const double u = t == COT_F64 ? 0x1p-53 : 0x1p-24,
                 least = t == COT_F64 ? 0x1p-1022 : 0x1p-126;
    const double want = t == COT_F64 ? e->want : (double)(float)e->want;

    if (e->over || (isinf(want) && isfinite(e->want)))
        return !isfinite(got);
    if (isnan(want) || isinf(want))
        return isnan(want) ? isnan(got) : got == want;
    return isfinite(got) && fabs(got - want) <= factor[order] * u * e->scale + least;
}

static void
compare(const block *b, int index, int order, const cot_array *y, const char *title)
{
    const cot_dtype t = cot_array_type(y).dtype;

    for (int p = 0; p < b->n; p++) {
        const entry *e = &b->at[p].of[index];
        const double got = load(y, p);

        if (!is_promised(b, &b->at[p], index, t))
            continue;
        compared++;
        if (agrees(got, e, order, t))
            continue;
        failures++;
        printf("%s at %.17g", title, b->at[p].x[0]);
        if (b->row->n_in > 1)
            printf(", %.17g", b->at[p].x[1]);
        printf(": %.17g, wants %.17g (scale %.3g)\n", got, e->want, e->scale);
    }
}

static int
order_of(const char *mode)
{
    int order = 0;

    for (; *mode; mode++)
        order += *mode == 'H' ? 2 : 1;
    return order;
}

/* Derivative `index` by the levels of `mode`.  A hessian is by one argument, so that it serves
 * where the first two levels are by the same. */
static void
check_mode(const block *b, int index, const char *mode, cot_dtype t)
{
    char title[100], *s = title;
    int by[MAX_LEVELS], n = 0, level = 0;
    forward levels[MAX_LEVELS];

    s += sprintf(s, "%s %s %s by", b->row->name, t == COT_F64 ? "f64" : "f32", mode);
    for (int i = 0; i < b->row->n_in; i++)
        for (int k = 0; k < indices[index][i]; k++) {
            s += sprintf(s, " %d", i);
            by[n++] = i;
        }
    cot_context *ctx = cot_context_new(NULL);
    cot_fn *f = cot_fn_new(ctx, b->row->name, call_row, b->row->n_in, 1, (void *)b->row);
    for (const char *m = mode; *m; m++) {
        const bool two = *m == 'H';

        if (two && by[level] != by[level + 1]) {
            cot_context_free(ctx);
            return;
        }
        f = derived(ctx, f, *m, b->row->n_in, by[level], &levels[level]);
        level += 1 + two;
    }
    cot_array *y = evaluate(ctx, f, b, t, title);
    if (y)
        compare(b, index, n, y, title);
    cot_array_free(y);
    cot_context_free(ctx);
}

static bool
any_promise(const block *b, int index)
{
    for (int p = 0; p < b->n; p++)
        if (b->at[p].of[index].promised)
            return true;
    return false;
}

/* The points whose arguments are numbers of f32. */
static void
in_single(block *b)
{
    int n = 0;

    for (int p = 0; p < b->n; p++) {
        bool fits = true;

        for (int i = 0; i < b->row->n_in; i++) {
            const double x = b->at[p].x[i];
            fits &= isnan(x) || (double)(float)x == x;
        }
        if (fits)
            b->at[n++] = b->at[p];
    }
    b->n = n;
}

static void
check_block(block *b)
{
    for (int t = 0; t < 2; t++) {
        if (t == 1)
            in_single(b);
        for (int i = 0; i < MAX_INDICES; i++) {
            if (b->row->n_in == 1 && indices[i][1])
                continue;
            const int order = indices[i][0] + indices[i][1];
            for (size_t m = 0; m < sizeof modes / sizeof *modes && any_promise(b, i); m++)
                if (order_of(modes[m]) == order)
                    check_mode(b, i, modes[m], t == 0 ? COT_F64 : COT_F32);
        }
    }
}

/* ---- the table ---- */

static const function_row *
find(const char *name)
{
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

static bool
read_number(char **s, double *x)
{
    char *end;

    *x = strtod(*s, &end);
    if (end == *s)
        return false;
    *s = end;
    return true;
}

/* A number, or `over` for one beyond the range of f64, which reads as an infinity. */
static bool
read_magnitude(char **s, double *x, bool *over)
{
    *s += strspn(*s, " ");
    *over = strncmp(*s, "over", 4) == 0;
    if (!*over)
        return read_number(s, x);
    *s += 4;
    *x = INFINITY;
    return true;
}

static bool
read_entry(char **s, entry *e)
{
    bool ignored;

    *s += strspn(*s, " ");
    *e = (entry){ .promised = !(**s == '-' && strchr(" \n", (*s)[1])) };
    if (!e->promised) {
        ++*s;
        return true;
    }
    return read_magnitude(s, &e->want, &e->over) && read_magnitude(s, &e->scale, &ignored);
}

static bool
read_point(char *s, int n_in, point *p)
{
    for (int i = 0; i < n_in; i++)
        if (!read_number(&s, &p->x[i]))
            return false;
    for (int i = 0; i < MAX_INDICES; i++)
        if ((n_in == 2 || !indices[i][1]) && !read_entry(&s, &p->of[i]))
            return false;
    return *s == '\n';
}

/* Pointwise ops with derivatives that have no row of their name, and what judges them. */
static const char *const elsewhere[][2] = {
    { "integer_pow", "the rows cube and inverse_square" },
    { "igamma_grad_a", "igamma_both; by the order, a loop over a series, laws.differences" },
    { "random_gamma_grad", "a quotient of igamma's derivatives: laws.differences" },
    { "gamma_sample", "random_gamma_grad by its rule" },
    { "complex", "of complex numbers: the law dot" },
    { "real", "of complex numbers: the law dot" },
    { "imag", "of complex numbers: the law dot" },
    { "conj", "of complex numbers: the law dot" },
};

static bool
is_elsewhere(const char *name)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(elsewhere[i][0], name) == 0)
            return true;
    return false;
}

/* Every pointwise op that has derivatives has a row. */
static void
check_ops(void)
{
    for (int op = OP_FIRST; op < OP_COUNT; op++)
        if (ir_ops[op].flag == IR_POINTWISE && jvp_rules[op] != jvp_zero &&
            !find(ir_ops[op].name) && !is_elsewhere(ir_ops[op].name)) {
            printf("%s has no row in functions.h\n", ir_ops[op].name);
            failures++;
        }
}

static bool
chosen(const char *name, int n, char *const *names)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return n == 0;
}

/* Every row of FUNCTIONS is in the table, and nothing else is. */
static bool
check_table(FILE *file, int n, char *const *names)
{
    static block b;
    bool met[N_FUNCTIONS] = { false };
    char line[4096], name[64];
    int number = 0;
    bool ok = true;

    while (fgets(line, sizeof line, file) && ok) {
        number++;
        if (line[0] == '#')
            continue;
        if (sscanf(line, "fn %63s", name) == 1) {
            if (b.row && chosen(b.row->name, n, names))
                check_block(&b);
            b.row = find(name);
            b.pole = strstr(line, " pole ") ? atoi(strstr(line, " pole ") + 6) : 0;
            b.n = 0;
            ok = b.row != NULL;
            if (ok)
                met[b.row - functions] = true;
        } else {
            ok = b.row && b.n < MAX_POINTS && read_point(line, b.row->n_in, &b.at[b.n++]);
        }
    }
    if (!ok)
        printf("line %d is not understood: %s", number, line);
    if (ok && b.row && chosen(b.row->name, n, names))
        check_block(&b);
    for (int i = 0; i < N_FUNCTIONS && ok && n == 0; i++)
        if (!met[i]) {
            printf("%s is not in the table\n", functions[i].name);
            failures++;
        }
    return ok;
}

int
main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;

    if (!file) {
        fprintf(stderr, "usage: derivatives TABLE [NAME ...]\n");
        return 2;
    }
    const bool ok = check_table(file, argc - 2, argv + 2);
    check_ops();
    fclose(file);
    printf("%d derivatives, %d failures\n", compared, failures);
    return !ok || failures > 0 || compared == 0;
}
