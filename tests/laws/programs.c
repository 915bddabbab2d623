/* Programs by their numbers: those of pointwise ops are made from ops.def (operands of one
 * shape, the attribute of convert, bitcast and integer_pow from a list), and after them come
 * the rows of program_rows.h. */
#include "tests/laws/programs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ir/scalar.h"
#include "tests/laws/program_rows.h"

/* ---- pointwise ops ---- */

/* Where floating operands are sampled: inside the domain, away from where derivatives fail. */
static const struct { ir_op op; double lo, hi; } domain[] = {
    { OP_log, 0.1, 4 }, { OP_log2, 0.1, 4 }, { OP_log1p, -0.9, 3 }, { OP_sqrt, 0.1, 4 },
    { OP_rsqrt, 0.1, 4 }, { OP_cbrt, 0.1, 4 }, { OP_tan, -1.2, 1.2 }, { OP_asin, -0.9, 0.9 },
    { OP_acos, -0.9, 0.9 }, { OP_acosh, 1.1, 4 }, { OP_atanh, -0.9, 0.9 }, { OP_pow, 0.2, 3 },
    { OP_rem, 0.5, 3 }, { OP_div, 0.5, 3 }, { OP_atan2, 0.2, 3 }, { OP_integer_pow, 0.5, 2 },
    { OP_lgamma, 0.3, 4 }, { OP_digamma, 0.3, 4 }, { OP_lbeta, 0.3, 4 },
    { OP_erf_inv, -0.9, 0.9 },
    { OP_ndtri, 0.1, 0.9 }, { OP_hypot, 0.2, 3 }, { OP_bessel_i0e, 0.1, 3 },
    { OP_bessel_i1e, 0.1, 3 },
};

typedef enum column {
    T_same = ANYTHING, T_number = ANY_NUMBER, T_floating = FLOATS, T_inexact = INEXACT,
        T_classify = INEXACT | 8, T_bits = BITS,
    T_integer = INTS, T_ipow = ANY_NUMBER | 16, T_convert = ANYTHING | 16,
        T_bitcast = NUMBERS | 32, T_compare = ANYTHING | 8,
    T_select = ANYTHING | 64, T_real = NUMBERS, T_ordered = ALL, T_order = ALL | 8,
        T_abs = ANY_NUMBER | 256,
    T_part = COMPLEX | 256, T_conj = COMPLEX, T_complex = 512, T_precision = FLOATS,
        T_counter = 0, T_none = 0
} column;
#define COLUMN_POINTWISE(infer) T_##infer
#define COLUMN_MOVE(infer) T_none
#define COLUMN_REDUCE(infer) T_none
#define COLUMN_CONTRACT(infer) T_none
#define COLUMN_LINE(infer) T_none
#define COLUMN_INDEX(infer) T_none
#define COLUMN_COLLECTIVE(infer) T_none
#define COLUMN_FLOW(infer) T_none
#define COLUMN_EFFECT(infer) T_none
#define COLUMN_EXPAND(infer) T_none
static const column columns[OP_COUNT] = {
#define OP(name, n_in, attrs, flag, infer, ...) [OP_##name] = COLUMN_##flag(infer),
#include "ir/ops.def"
#undef OP
};

static const char *const shapes[] = { "[]", "[0]", "[1]", "[7]", "[3,1,5]" };
static const int powers[] = { 0, 1, 2, 3, 5, 7, -1, -2 };
enum { SHAPES = 5, POWERS = 8 };

bool
laws_has(int mask, cot_dtype t)
{
    return mask & (t == COT_BOOL ? BOOL : ir_is_complex(t) ? COMPLEX : ir_is_float(t) ? FLOATS
                   : INTS);
}

bool
laws_takes(ir_op op, cot_dtype t)
{
    return ir_ops[op].flag == IR_POINTWISE && laws_has(columns[op], t);
}

/* Long programs, that take their time to compile: one shape will do. */
static bool
is_long(ir_op op)
{
    return op >= OP_lgamma && op <= OP_reduce_precision;
}

/* Ops that have no derivative, or no second one, by their first operand. */
static bool
fixed_order(ir_op op)
{
    return op == OP_polygamma || op == OP_zeta || op == OP_random_gamma_grad ||
           (op >= OP_igamma && op <= OP_gamma_sample);
}

/* Variants of a pointwise op at type t: by target type, by power, by shape. */
static int
variants(ir_op op, cot_dtype t)
{
    if (op == OP_complex)
        return t == COT_F32 || t == COT_F64 ? SHAPES : 0;
    if (!laws_has(columns[op], t) || fixed_order(op)) /* these have rows above */
        return 0;
    return op == OP_convert || op == OP_bitcast ? COT_DTYPE_COUNT - 1 : op == OP_integer_pow
        ? POWERS : is_long(op) ? 1 : SHAPES;
}

/* The text of variant v of a pointwise op at type t. */
static void
pointwise_text(ir_op op, cot_dtype t, int v, char *text, size_t room)
{
    const char *name = ir_ops[op].name, *type = cot_dtype_name(t), *to = type;
    const char *shape = shapes[is_long(op) ? 4 : v < SHAPES ? v : 3], *args = "%x", *attrs = "";
    char in[200], attr[40] = "";
    int mask = columns[op];

    if (op == OP_convert || op == OP_bitcast) {
        cot_dtype u = (cot_dtype)(v + 1);
        shape = "[7]";
        to = cot_dtype_name(u);
        snprintf(attr, sizeof attr, " {dtype=%s}", to);
        attrs = attr;
    } else if (op == OP_integer_pow) {
        shape = "[7]";
        snprintf(attr, sizeof attr, " {y=%d}", powers[v]);
        attrs = attr;
    } else if (op == OP_reduce_precision) {
        attrs = " {exponent_bits=6, mantissa_bits=9}";
    }
    if (mask & 8)
        to = "bool";
    if (mask & 256)
        to = cot_dtype_name(ir_part_type(t));
    if (mask & 512)
        to = cot_dtype_name(ir_complex_type(t));
    if (mask & 64) {
        snprintf(in, sizeof in, "%%p: bool%s, %%x: %s%s, %%y: %s%s", shape, type, shape,
                 type, shape);
        args = "%p, %x, %y";
    } else if (ir_ops[op].n_in == 1) {
        snprintf(in, sizeof in, "%%x: %s%s", type, shape);
    } else if (ir_ops[op].n_in == 2) {
        snprintf(in, sizeof in, "%%x: %s%s, %%y: %s%s", type, shape, type, shape);
        args = "%x, %y";
    } else {
        snprintf(in, sizeof in, "%%x: %s%s, %%y: %s%s, %%z: %s%s", type, shape, type, shape,
                 type, shape);
        args = "%x, %y, %z";
    }
    snprintf(text, room, "fn @f(%s) -> %s%s {\n  %%0 = %s %s%s : %s%s\n  ret %%0\n}\n", in, to,
             shape, name, args, attrs, to, shape);
}

/* Of the variants, the ones that the op's inference refuses by design. */
static bool
refused(ir_op op, cot_dtype t, int v)
{
    if (op == OP_bitcast)
        return v + 1 >= COT_C64 || ir_bits(t) != ir_bits((cot_dtype)(v + 1));
    return op == OP_integer_pow && powers[v] < 0 && !ir_is_inexact(t);
}

/* ---- numbering ---- */

typedef struct spec { ir_op op; int row; cot_dtype t; int variant; } spec;

static int
each_spec(int wanted, spec *out)
{
    int n = 0;

    for (int op = OP_FIRST; op < OP_COUNT; op++)
        for (int t = COT_BOOL; t < COT_DTYPE_COUNT && ir_ops[op].flag == IR_POINTWISE; t++)
            for (int v = 0; v < variants((ir_op)op, (cot_dtype)t); v++)
                if (!refused((ir_op)op, (cot_dtype)t, v) && n++ == wanted) {
                    *out = (spec){ (ir_op)op, -1, (cot_dtype)t, v };
                    return n;
                }
    for (int r = 0; r < (int)(sizeof rows / sizeof *rows); r++)
        for (int t = COT_BOOL; t < COT_DTYPE_COUNT; t++)
            if (laws_has(rows[r].types, (cot_dtype)t) && n++ == wanted) {
                *out = (spec){ ir_op_find(rows[r].op), r, (cot_dtype)t, 0 };
                return n;
            }
    return n;
}

int
laws_count(void)
{
    spec s;

    return each_spec(-1, &s);
}

char *
laws_substitute(ir_arena *a, const char *text, const char *type)
{
    ir_buf b;
    const bool wide = strcmp(type, "f64") == 0 || strcmp(type, "c128") == 0;

    ir_buf_init(&b, a);
    for (; *text; text++)
        if (*text == '$' || *text == '~')
            ir_buf_str(&b, *text == '$' || *type != 'c' ? type : strcmp(type, "c64") == 0
                       ? "f32" : "f64");
        else if (*text == '^' || *text == '&')
            ir_buf_str(&b, *text == '^' ? (wide ? "c128" : "c64") : (wide ? "f64" : "f32"));
        else
            ir_buf_add(&b, text, 1);
    return b.text;
}

static bool
make(cot_context *ctx, int i, spec s, laws_program *p)
{
    char text[1000];
    ir_module m;

    *p = (laws_program){ .number = i, .op = ir_ops[s.op].name, .lo = -3, .hi = 3 };
    if (s.row < 0) {
        pointwise_text(s.op, s.t, s.variant, text, sizeof text);
        p->text = ir_copy_string(&ctx->arena, text);
        for (size_t k = 0; k < sizeof domain / sizeof *domain; k++)
            if (domain[k].op == s.op) {
                p->lo = domain[k].lo;
                p->hi = domain[k].hi;
            }
        p->kinks = s.op == OP_stop_gradient || s.op == OP_convert ||
            s.op == OP_reduce_precision;
    } else {
        p->text = laws_substitute(&ctx->arena, rows[s.row].text, cot_dtype_name(s.t));
        p->lo = rows[s.row].lo;
        p->hi = rows[s.row].hi;
        p->kinks = rows[s.row].kinks;
        p->blocks = rows[s.row].blocks;
    }
    if (ir_parse(ctx, "law.cot", p->text, strlen(p->text), &m) != COT_OK)
        return false;
    p->f = m.fn[m.n - 1];
    return true;
}

bool
laws_make(cot_context *ctx, int i, laws_program *p)
{
    spec s = { 0 };

    each_spec(i, &s);
    return make(ctx, i, s, p);
}

/* A variant that suits any type: seven elements; to f32, or to a type of the same width; the
 * third power. */
static int
usual_variant(ir_op op, cot_dtype t)
{
    for (int u = COT_DTYPE_COUNT - 1; u > 0 && op == OP_bitcast; u--)
        if (ir_bits((cot_dtype)u) == ir_bits(t) && u != (int)t)
            return u - 1;
    return op == OP_convert ? COT_F32 - 1 : 3;
}

bool
laws_try(cot_context *ctx, ir_op op, cot_dtype t, laws_program *p)
{
    bool found = ir_ops[op].flag == IR_POINTWISE && columns[op];

    if (found && make(ctx, -1, (spec){ op, -1, t, usual_variant(op, t) }, p))
        return true;
    for (int r = 0; r < (int)(sizeof rows / sizeof *rows); r++) {
        if (strcmp(rows[r].op, ir_ops[op].name) != 0)
            continue;
        if (found)
            cot_error_clear(ctx);
        found = true;
        if (make(ctx, -1, (spec){ op, r, t, 0 }, p))
            return true;
    }
    return found;
}

/* ---- judging ---- */

int laws_failures;

bool
laws_fail(const laws_program *p, const char *law, const char *why)
{
    laws_failures++;
    printf("%s: program %d: %s\n%s", law, p->number, why, p->text);
    fflush(stdout);
    return false;
}

bool
laws_part(const char *text, int *first, int *step)
{
    int k, n;

    if (sscanf(text, "%d/%d", &k, &n) != 2 || k < 0 || n <= k)
        return false;
    *first = k;
    *step = n;
    return true;
}

static void
judge_one(cot_context *ctx, int i, laws_judge *judge, const void *user)
{
    laws_program p;

    IR_TRY(ctx) {
        if (laws_make(ctx, i, &p))
            judge(&p, user);
        else
            laws_fail(&p, "programs", cot_error(ctx));
    }
}

void
laws_each(int first, int step, int end, bool verify, laws_judge *judge, const void *user)
{
    for (int i = first; i < end; i += step) {
        cot_context *ctx = cot_context_new(&(cot_options){ .verify = verify });

        judge_one(ctx, i, judge, user);
        cot_context_free(ctx);
    }
}
