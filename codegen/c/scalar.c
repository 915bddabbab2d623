/* The scalar instructions of ir/scalar.h, as operators of C or small functions (c.h).
 *
 * Nothing depends on what a compiler is free to choose.  Contraction is off in the file, so a
 * product and a sum are rounded separately; fma is one rounding; rounding, maximum and
 * conversions are written out; integer arithmetic is done in unsigned types, so that it
 * wraps. */
#include "codegen/c/c.h"

static bool
is_real(cot_dtype t)
{
    return t == COT_F32 || t == COT_F64;
}

/* -- functions -- */

static const char *
integer(cg_c_text *t, ir_sc_op op, cot_dtype type)
{
    const char *s = cg_c_type(t, type, 1), *u = cg_c_unsigned(type);
    const char *wide = ir_bits(type) == 64 ? "uint64_t" : "uint32_t";

    switch (op) {
    case SC_add: return ir_format(t->arena, "(%s)((%s)x + (%s)y)", s, wide, wide);
    case SC_sub: return ir_format(t->arena, "(%s)((%s)x - (%s)y)", s, wide, wide);
    case SC_mul: return ir_format(t->arena, "(%s)((%s)x * (%s)y)", s, wide, wide);
    case SC_div: return ir_format(t->arena, "(%s)(x / y)", s);
    case SC_rem: return ir_format(t->arena, "(%s)(x %% y)", s);
    case SC_neg: return ir_format(t->arena, "(%s)(0u - (%s)x)", s, wide);
    case SC_pairs:
        return "(int32_t)((uint32_t)((int16_t)x * (int16_t)y) + (uint32_t)((x >> 16) * (y >> "
               "16)))";
    case SC_quads:
        return "(int32_t)((uint32_t)z + (uint32_t)((x & 255) * (int8_t)y) + "
               "(uint32_t)((x >> 8 & 255) * (int8_t)(y >> 8)) + "
               "(uint32_t)((x >> 16 & 255) * (int8_t)(y >> 16)) + "
               "(uint32_t)((x >> 24 & 255) * (y >> 24)))";
    case SC_max: return "x > y ? x : y";
    case SC_min: return "x < y ? x : y";
    case SC_and: return ir_format(t->arena, "(%s)(x & y)", s);
    case SC_or: return ir_format(t->arena, "(%s)(x | y)", s);
    case SC_xor: return ir_format(t->arena, "(%s)(x ^ y)", s);
    case SC_not: return ir_format(t->arena, "(%s)~x", s);
    case SC_shl: return ir_format(t->arena, "(%s)((%s)((%s)x << y))", s, u, wide);
    case SC_shr: return ir_format(t->arena, "(%s)(x >> y)", s);
    default: return NULL;
    }
}

static const char *
counting(cg_c_text *t, ir_sc_op op, cot_dtype type)
{
    const char *s = cg_c_type(t, type, 1), *u = cg_c_unsigned(type);

    if (op == SC_popcnt)
        return ir_format(t->arena,
                         "uint64_t u = (%s)x;\n"
                         "    u -= u >> 1 & UINT64_C(0x5555555555555555);\n"
                         "    u = (u & UINT64_C(0x3333333333333333)) + (u >> 2 & "
                         "UINT64_C(0x3333333333333333));\n"
                         "    u = (u + (u >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);\n"
                         "    return (%s)(u * UINT64_C(0x0101010101010101) >> 56);", u, s);
    return ir_format(
        t->arena,
        "uint64_t u = (%s)x;\n    int n = %d;\n"
        "    for (int h = 32; h > 0; h /= 2)\n"
        "        if (u >> h) {\n            u >>= h;\n            n -= h;\n        }\n"
        "    return (%s)(u ? n - 1 : n);",
        u, ir_bits(type), s);
}

/* Rounding to an integer: adding and subtracting a number too large for a fraction rounds to
 * nearest, and the other roundings correct that.  A larger |x| is an integer or NaN already.
 * The sign of x is restored for zeros. */
static const char *
rounding(cg_c_text *t, ir_sc_op op, cot_dtype type)
{
    const bool f = type == COT_F32;
    const char *s = cg_c_type(t, type, 1), *n = f ? "f32" : "f64",
               *big = f ? "0x1p23f" : "0x1p52";
    const char *sign = f ? "0x80000000u" : "UINT64_C(0x8000000000000000)",
               *one = f ? "1.0f" : "1.0";
    const char *keep =
        ir_format(t->arena, "from_bits_%s(bits_%s(r) | (bits_%s(x) & %s))", n, n, n, sign);
    const char *head =
        ir_format(t->arena,
                  "%s a = from_bits_%s(bits_%s(x) & ~%s), r;\n"
                  "    if (!(a < %s))\n        return x;\n    r = (a + %s) - %s;\n",
                  s, n, n, sign, big, big, big);

    switch (op) {
    case SC_rint: return ir_format(t->arena, "%s    return %s;", head, keep);
    case SC_trunc:
        return ir_format(t->arena, "%s    if (r > a)\n        r -= %s;\n    return %s;", head,
                         one, keep);
    default:
        return ir_format(
            t->arena, "%s    r = %s;\n    if (r %c x)\n        r %c= %s;\n    return %s;", head,
            keep, op == SC_floor ? '>' : '<', op == SC_floor ? '-' : '+', one, keep);
    }
}

static const char *
conversion(cg_c_text *t, cot_dtype type, cot_dtype from)
{
    if ((ir_is_half(type) || ir_is_half(from)) && type != from) {
        if (cg_c_new_name(t, &t->shared, "f16_to_f32"))
            ir_buf_str(&t->common, cg_c_half_text);
        return ir_is_half(type)
                   ? ir_format(t->arena, "return f32_to_%s(x);", cot_dtype_name(type))
                   : ir_format(t->arena, "return %s_to_f32(x);", cot_dtype_name(from));
    }
    if (type == COT_BOOL)
        return "return x != 0;";
    return ir_format(t->arena, "return (%s)x;", cg_c_type(t, type, 1));
}

static const char *
bitcast(cg_c_text *t, cot_dtype type, cot_dtype from)
{
    const char *s = cg_c_type(t, type, 1);

    if (is_real(from))
        return ir_format(t->arena, "return (%s)bits_%s(x);", s, cot_dtype_name(from));
    if (is_real(type))
        return ir_format(t->arena, "return from_bits_%s((%s)x);", cot_dtype_name(type),
                         cg_c_unsigned(type));
    return ir_format(t->arena, "return (%s)x;", s);
}

/* IEEE's maximum and minimum: a NaN is the result, and -0 is below +0. */
static const char *
extreme(cg_c_text *t, ir_sc_op op, cot_dtype type)
{
    const char *n = cot_dtype_name(type);
    char less = op == SC_max ? '>' : '<', join = op == SC_max ? '&' : '|';

    const char *f = type == COT_F32 ? "s" : "d", *m = type == COT_F32 ? "__m128" : "__m128d";
    const char *way = op == SC_max ? "max" : "min";
    const char *both =
        op == SC_max
            ? ir_format(t->arena, "_mm_or_p%s(_mm_and_p%s(a, b), _mm_cmpunord_s%s(p, q))", f, f,
                        f)
            : ir_format(t->arena, "_mm_or_p%s(a, b)", f);

    /* gcc gets a form without branches. clang vectorises the plain one. */
    return ir_format(t->arena,
                     "\n#if defined(COT_SSE2) && !defined(__clang__)\n"
                     "    %s p = _mm_set_s%s(x), q = _mm_set_s%s(y), a = _mm_%s_s%s(p, q), b = "
                     "_mm_%s_s%s(q, p);\n"
                     "    return _mm_cvts%s_f%d(%s);\n#else\n"
                     "    if (x == y)\n        return from_bits_%s(bits_%s(x) %c bits_%s(y));\n"
                     "    return x %c y || x != x ? x : y;\n#endif",
                     m, f, f, way, f, way, f, f, ir_bits(type), both, n, n, join, n, less);
}

static const char *
statements(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from)
{
    const bool real = is_real(type);
    const char *n = cot_dtype_name(type);

    switch (op) {
    case SC_popcnt:
    case SC_clz: return counting(t, op, type);
    case SC_floor:
    case SC_ceil:
    case SC_trunc:
    case SC_rint: return rounding(t, op, type);
    case SC_cvt: return conversion(t, type, from);
    case SC_bitcast: return bitcast(t, type, from);
    case SC_abs:
        return ir_format(t->arena,
                         "\n#if defined(COT_GNU)\n    return __builtin_fabs%s(x);\n#else\n"
                         "    return from_bits_%s(bits_%s(x) & %s);\n#endif",
                         type == COT_F32 ? "f" : "", n, n,
                         type == COT_F32 ? "0x7fffffffu" : "UINT64_C(0x7fffffffffffffff)");
    case SC_max:
    case SC_min:
        if (real)
            return extreme(t, op, type);
        break;
    default: break;
    }
    const char *e = integer(t, op, type);
    return ir_format(t->arena, "return %s;", e ? e : "x");
}

static const char *
name_of(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from)
{
    if (op == SC_cvt || op == SC_bitcast)
        return ir_format(t->arena, "%s_from_%s_%s", op == SC_cvt ? "to" : "as",
                         cot_dtype_name(from), cot_dtype_name(type));
    return ir_format(t->arena, "%s_%s", ir_sc_name[op], cot_dtype_name(type));
}

/* The infix operator; for vectors such an instruction also has a function. */
static const char *
operator_of(ir_sc_op op, cot_dtype type)
{
    const bool real = is_real(type), truth = type == COT_BOOL;

    switch (op) {
    case SC_add: return real ? "+" : NULL;
    case SC_sub: return real ? "-" : NULL;
    case SC_mul: return real ? "*" : NULL;
    case SC_div: return real ? "/" : NULL;
    case SC_and: return truth ? "&" : NULL;
    case SC_or: return truth ? "|" : NULL;
    case SC_xor: return truth ? "^" : NULL;
    case SC_eq: return "==";
    case SC_ne: return "!=";
    case SC_lt: return "<";
    case SC_le: return "<=";
    default: return NULL;
    }
}

const char *
cg_c_scalar(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from)
{
    const char *name = name_of(t, op, type, from);
    ir_buf text;

    if (!cg_c_new_name(t, &t->shared, name))
        return name;
    if (op == SC_fma) {
        if (cg_c_new_name(t, &t->shared, type == COT_F32 ? "fma_f64" : "fma_f32"))
            cg_c_add_fma(t);
        return name;
    }
    if (op == SC_sqrt) {
        if (cg_c_new_name(t, &t->shared, type == COT_F32 ? "sqrt_f64" : "sqrt_f32"))
            ir_buf_str(&t->common, cg_c_root_text);
        return name;
    }
    ir_buf_init(&text, t->arena);
    ir_buf_printf(&text, "COT_FN %s\n%s(", cg_c_type(t, cg_c_result_type(op, type), 1), name);
    for (int i = 0; i < ir_sc_arity[op]; i++)
        ir_buf_printf(&text, "%s%s %c", i ? ", " : "",
                      cg_c_type(t, cg_c_operand_type(op, type, from, i), 1), 'x' + i);
    ir_buf_printf(&text, ")\n{\n    %s\n}\n", statements(t, op, type, from));
    ir_buf_str(&t->common, text.text);
    return name;
}

/* -- expressions -- */

const char *
cg_c_apply(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from, int lanes,
           const char *const *x)
{
    const char *infix = operator_of(op, type), *f;

    /* gcc 12 computes half a register as a whole one, including what is in the other half */
    if (t->trapping_math && is_real(type) && lanes > 1 && lanes * ir_bits(type) == 64)
        infix = NULL;
    if (infix && (lanes == 1 || op < SC_eq))
        return ir_format(t->arena, "%s %s %s", x[0], infix, x[1]);
    if (op == SC_neg && is_real(type))
        return ir_format(t->arena, *x[0] == '-' ? "-(%s)" : "-%s", x[0]);
    if (op == SC_not && type == COT_BOOL)
        return ir_format(t->arena, lanes == 1 ? "!%s" : "~%s", x[0]);
    if (op == SC_select && lanes == 1)
        return ir_format(t->arena, "%s ? %s : %s", x[0], x[1], x[2]);
    if ((op == SC_cvt || op == SC_bitcast) && type == from)
        return x[0];
    f = lanes == 1 ? cg_c_scalar(t, op, type, from) : cg_c_vector(t, op, type, from, lanes);
    switch (ir_sc_arity[op]) {
    case 1: return ir_format(t->arena, "%s(%s)", f, cg_c_bare(t, x[0]));
    case 2: return ir_format(t->arena, "%s(%s, %s)", f, cg_c_bare(t, x[0]), cg_c_bare(t, x[1]));
    default:
        return ir_format(t->arena, "%s(%s, %s, %s)", f, cg_c_bare(t, x[0]), cg_c_bare(t, x[1]),
                         cg_c_bare(t, x[2]));
    }
}

const char *
cg_c_careful_neg(cg_c_text *t, int from, cot_dtype type, const char *x)
{
    const char *n = cot_dtype_name(type);

    if (!is_real(type) ||
        (from != SC_fma && from != SC_select && from != CG_CARRIED && from != CG_RESULT))
        return NULL;
    if (cg_c_new_name(t, &t->shared, ir_format(t->arena, "neg_%s", n)))
        ir_buf_printf(
            &t->common,
            "/* gcc rewrites -fma(x, y, z) as fma(-x, y, -z), whose zeros have the other sign. "
            "*/\n"
            "COT_FN %s\nneg_%s(%s x)\n{\n#if defined(COT_SSE2) && !defined(__clang__)\n"
            "    __asm__(\"\" : \"+x\"(x)); /* hides where x comes from */\n    return -x;\n"
            "#elif defined(COT_GNU) && !defined(__clang__)\n"
            "    return from_bits_%s(bits_%s(x) ^ %s);\n#else\n    return -x;\n#endif\n}\n",
            cg_c_type(t, type, 1), n, cg_c_type(t, type, 1), n, n,
            type == COT_F32 ? "0x80000000u" : "UINT64_C(0x8000000000000000)");
    return ir_format(t->arena, "neg_%s(%s)", n, cg_c_bare(t, x));
}

/* -- tables and programs -- */

/* An array with these elements, which the file contains once: its name contains their hash. */
static const char *
shared_array(cg_c_text *t, const char *words, const char *prefix, cot_dtype type,
             const void *data, int64_t n)
{
    size_t bytes = cot_dtype_size(type);
    const char *name =
        ir_format(t->arena, "%s_%016llx", prefix,
                  (unsigned long long)ir_hash((uint64_t)type, data, bytes * (size_t)n));
    if (!cg_c_new_name(t, &t->constants, name))
        return name;
    ir_buf_printf(&t->tables, "%s %s %s[%lld] = {", words, cg_c_type(t, type, 1), name,
                  (long long)n);
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)data + bytes * (size_t)i, bytes);
        ir_buf_printf(&t->tables, "%s%s", i % 8 ? " " : "\n    ", cg_c_constant(t, type, bits));
        ir_buf_str(&t->tables, i + 1 < n ? "," : "\n};\n");
    }
    return name;
}

const char *
cg_c_table(cg_c_text *t, const ir_sc_table *table)
{
    return shared_array(t, "COT_TABLE", "table", table->type, table->data, table->n);
}

const char *
cg_c_data(cg_c_text *t, cot_dtype type, const void *data, int64_t n)
{
    return shared_array(t, "COT_ALIGNED COT_TABLE", "data", type, data, n);
}

static void
print_insn(cg_c_text *t, ir_buf *b, const ir_sc_program *p, int k, const char **value)
{
    const ir_sc_insn *i = &p->insn[k];
    cot_dtype type = (cot_dtype)i->type,
              from = ir_sc_arity[i->op] ? ir_sc_type(p, i->in[0]) : type;
    const char *x[3] = { 0 }, *e;

    if (i->op == SC_const) {
        value[p->n_in + k] = cg_c_constant(t, type, i->imm);
        return;
    }
    for (int a = 0; a < ir_sc_arity[i->op]; a++)
        x[a] = value[i->in[a]];
    if (i->op == SC_table)
        e = ir_format(t->arena, "%s[%s]", cg_c_table(t, i->table), x[0]);
    else if (i->op == SC_slow_path) {
        e = ir_format(t->arena, "%s ? %s(", x[0], cg_c_slow_path(t, i->sub));
        for (int a = 0; a < i->sub->n_in; a++)
            e = ir_format(t->arena, "%s%s%s", e, a ? ", " : "", value[i->args[a]]);
        e = ir_format(t->arena, "%s) : %s", e, x[1]);
    } else if (i->op != SC_neg ||
               !(e = cg_c_careful_neg(
                     t, i->in[0] < p->n_in ? SC_fma : p->insn[i->in[0] - p->n_in].op, type,
                     x[0])))
        e = cg_c_apply(t, (ir_sc_op)i->op, type, from, 1, x);
    value[p->n_in + k] = ir_format(t->arena, "v%d", k);
    ir_buf_printf(b, "    const %s v%d = %s;\n",
                  cg_c_type(t, cg_c_result_type((ir_sc_op)i->op, type), 1), k, e);
}

const char *
cg_c_slow_path(cg_c_text *t, const ir_sc_program *p)
{
    const char **value = IR_NEW_N(t->arena, const char *, p->n_in + p->n), *name;
    ir_buf b;

    for (uint32_t i = 0; i < t->n_slow_paths; i++)
        if (t->slow_path[i] == p)
            return ir_format(t->arena, "slow_path_%u", i);
    name = ir_format(t->arena, "slow_path_%u", t->n_slow_paths);
    cg_c_new_name(t, &t->shared, name);
    IR_PUSH(t->arena, t->slow_path, t->n_slow_paths, t->cap_slow_paths, p);
    ir_buf_init(&b, t->arena);
    ir_buf_printf(&b, "/* Few operands need this, such as large angles. */\nCOT_COLD %s\n%s(",
                  cg_c_type(t, p->type, 1), name);
    for (int i = 0; i < p->n_in; i++) {
        value[i] = ir_format(t->arena, "x%d", i);
        ir_buf_printf(&b, "%s%s x%d", i ? ", " : "", cg_c_type(t, p->in[i], 1), i);
    }
    ir_buf_str(&b, ")\n{\n");
    for (int k = 0; k < p->n; k++)
        print_insn(t, &b, p, k, value);
    ir_buf_printf(&b, "    return %s;\n}\n", value[p->out]);
    ir_buf_str(&t->common, b.text);
    return name;
}
