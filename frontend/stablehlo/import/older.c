/* LAPACK as programs of older JAX call it: `lapack_spotrf`, `blas_strsm`.
 *
 * Sizes and options are scalar operands before the matrices, and results end in a status and in
 * workspace; geev and gees have workspace in other places.  Each is the call of today
 * (fe_hlo_lapack) with the options as attributes; what is workspace is zero. */
#include "frontend/stablehlo/import/emit.h"
#include "frontend/stablehlo/import/rules.h"

typedef struct older {
    const char *name; /* after the letter of the type */
    int n_scalars, n_in;
    /* For each result of the old call, which result of today's call it is.  '.' and results
     * after the list are workspace.  of_complex: the list for complex matrices, where it
     * differs. */
    const char *result, *of_complex;
    /* Option k comes from scalar `at`, which is the number of a letter; without letters it is
     * the scalar itself. */
    struct {
        const char *name, *letters;
        int at;
    } option[4];
} older;

static const older table[] = {
    { "potrf", 3, 1, "01", NULL, { { "uplo", "UL", 0 } } },
    { "trsm",
      8,
      2,
      "0",
      NULL,
      { { "side", "RL", 0 },
        { "uplo", "UL", 1 },
        { "trans_x", "NTC", 2 },
        { "diag", "NU", 3 } } },
    { "getrf", 3, 1, "012", NULL, { { NULL, NULL, 0 } } },
    { "geqrf", 4, 1, "01", NULL, { { NULL, NULL, 0 } } },
    { "orgqr", 5, 2, "0", NULL, { { NULL, NULL, 0 } } },
    { "ungqr", 5, 2, "0", NULL, { { NULL, NULL, 0 } } },
    { "gesdd", 6, 1, "01234", NULL, { { "mode", "NSNA", 0 } } },
    { "syevd", 3, 1, "012", NULL, { { "uplo", "UL", 0 } } },
    { "heevd", 3, 1, "012", NULL, { { "uplo", "UL", 0 } } },
    { "geev", 4, 1, "...01234", "..0123", { { NULL, NULL, 0 } } },
    { "gees", 4, 1, "023145", "0.2134", { { "sort", NULL, 3 } } },
    { "gehrd", 6, 1, "012", NULL, { { "low", NULL, 1 }, { "high", NULL, 2 } } },
    { "sytrd", 5, 1, "01234", NULL, { { "uplo", "UL", 1 } } },
};
enum { WITH_VECTORS = 1 }; /* the scalar of gesdd that its mode has besides */

static const older *
older_named(hlo_span name)
{
    const bool trsm = name.n == 10 && memcmp(name.at, "blas_", 5) == 0;
    const size_t at = trsm ? 6 : 8;

    if (!trsm && (name.n <= at || memcmp(name.at, "lapack_", 7) != 0))
        return NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (fe_hlo_is((hlo_span){ name.at + at, name.n - at }, table[i].name))
            return &table[i];
    return NULL;
}

static bool
scalar(hlo_emit *e, int i, int *to)
{
    double x;

    if (!e->in[i] || !ir_is_splat(e->b, e->in[i], &x)) {
        fe_hlo_fail(e, "operand %d is not known at import; wants a constant", i);
        return false;
    }
    *to = (int)x;
    return true;
}

/* The options as attributes, in the form that the calls of today have them in. */
static bool
options(hlo_emit *e, const older *o, hlo_op *call)
{
    hlo_named *option = IR_NEW_N(e->h->a, hlo_named, 5), *config = option + 4;
    int n = 0, x, vectors;

    for (; n < 4 && o->option[n].name; n++) {
        const char *letters = o->option[n].letters;
        if (!scalar(e, o->option[n].at, &x))
            return false;
        if (strcmp(o->name, "gesdd") == 0) {
            if (!scalar(e, WITH_VECTORS, &vectors))
                return false;
            x = 2 * (x != 0) + (vectors != 0);
        }
        if (letters && (x < 0 || x >= (int)strlen(letters))) {
            fe_hlo_fail(e, "%s is %d", o->option[n].name, x);
            return false;
        }
        option[n] = (hlo_named){ o->option[n].name,
                                 { .kind = HLO_INT, .i = letters ? letters[x] : x } };
    }
    *config =
        (hlo_named){ "mhlo.backend_config", { .kind = HLO_DICT, .n = n, .named = option } };
    call->attr = config;
    call->n_attrs = 1;
    return true;
}

/* Which result of the call of today result j is; -1: workspace. */
static int
result(const char *map, int j)
{
    return j < (int)strlen(map) && map[j] != '.' ? map[j] - '0' : -1;
}

/* The results that the call of today has: their number, their types as new values. */
static int
declare(hlo_emit *e, const char *map, hlo_op *call)
{
    hlo_module *m = e->h->m;
    int n = 0;

    for (int j = 0; j < e->n_out; j++)
        n = result(map, j) >= n ? result(map, j) + 1 : n;
    call->n_out = n;
    call->out = m->n_values;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < e->n_out; j++)
            if (result(map, j) == k)
                IR_PUSH(e->h->a, m->value, m->n_values, m->cap_values,
                        m->value[e->op->out + (uint32_t)j]);
    return n;
}

bool
fe_hlo_older_lapack(hlo_emit *e, hlo_span name)
{
    const older *o = older_named(name);
    hlo_op call = *e->op;
    hlo_emit inner = *e;
    ir_ref out[8] = { IR_NONE };

    if (!o || e->n_in != o->n_scalars + o->n_in || !options(e, o, &call))
        return o && fe_hlo_bad(e);
    const char type = cot_dtype_name(fe_hlo_in_type(e, o->n_scalars)->dtype)[0];
    const char *map = type == 'c' && o->of_complex ? o->of_complex : o->result;
    if (e->n_out < (int)strlen(map))
        return false;
    inner.op = &call;
    inner.in += o->n_scalars;
    inner.n_in = o->n_in;
    inner.out = out;
    inner.n_out = declare(e, map, &call);
    const char *now = ir_format(e->h->a, "lapack_%c%s_ffi", type, o->name);
    if (!fe_hlo_lapack(&inner, (hlo_span){ now, strlen(now) }))
        return false;
    for (int j = 0; j < e->n_out && !fe_hlo_bad(e); j++) {
        const int k = result(map, j);
        const ir_type *t = k < 0 ? fe_hlo_out_type(e, j) : NULL;
        e->out[j] = k >= 0 ? out[k] : t ? ir_zeros(e->b, t) : IR_NONE;
    }
    return true;
}
