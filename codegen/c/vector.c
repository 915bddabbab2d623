/* Instructions on vectors (c.h): operators of vector types, compilers' builtins for whole
 * vectors, and otherwise the scalar function for each lane. */
#include "codegen/c/vector.h"

/* The minimum or maximum of integers of 32 bits is an instruction of x86 that gcc does not
 * select. */
static const char *
integer_extreme(cg_c_text *t, ir_sc_op op, const cg_c_forms *f, cot_dtype type, int lanes)
{
    static const struct {
        const char *has, *width;
        int bits;
    } x86[] = { [4] = { "defined(__SSE4_1__)", "", 128 },
                [8] = { "defined(__AVX2__)", "256", 256 },
                [16] = { "defined(__AVX512F__)", "512", 512 } };
    const char *plain =
        ir_format(t->arena, "return %s;",
                  cg_c_choose(t, f, op == SC_max ? "(x > y)" : "(x < y)", "x", "y"));

    if ((type != COT_I32 && type != COT_U32) || (lanes != 4 && lanes != 8 && lanes != 16))
        return plain;
    return ir_format(t->arena,
                     "\n#if defined(COT_SSE2) && %s\n    return (%s)_mm%s_%s_ep%s32((__m%di)x, "
                     "(__m%di)y);\n#else\n"
                     "    %s\n#endif",
                     x86[lanes].has, f->type, x86[lanes].width, op == SC_max ? "max" : "min",
                     type == COT_I32 ? "i" : "u", x86[lanes].bits, x86[lanes].bits, plain);
}

/* What x86 has for a sum and dot products of two halves or four bytes: a line of #if, and the
 * call.  NULL: no vector has so many lanes. */
static const char *
x86_dot(cg_c_text *t, const char *name, const char *type, const char *sum, int lanes)
{
    const int bits = 32 * lanes;

    if (lanes != 4 && lanes != 8 && lanes != 16)
        return NULL;
    return ir_format(t->arena,
                     "#if defined(COT_SSE2) && defined(__AVX512VNNI__)%s\n    %s = "
                     "(%s)_mm%s_%s_epi32((__m%di)%s, (__m%di)x, (__m%di)y);\n",
                     lanes < 16 ? " && defined(__AVX512VL__)" : "", sum, type,
                     lanes == 4 ? "" : ir_format(t->arena, "%d", bits), name, bits, sum, bits,
                     bits);
}

/* Products of both halves, summed, are one instruction of x86: pmaddwd. */
static const char *
pairs(cg_c_text *t, const cg_c_forms *f, int lanes)
{
    static const struct {
        const char *has, *width, *bits;
    } x86[] = { [4] = { "defined(COT_SSE2)", "", "128" },
                [8] = { "defined(COT_SSE2) && defined(__AVX2__)", "256", "256" },
                [16] = { "defined(COT_SSE2) && defined(__AVX512BW__)", "512", "512" } };
    const char *plain =
        ir_format(t->arena,
                  "%s a = (%s)((%s)x << 16) >> 16, b = (%s)((%s)y << 16) >> 16;\n"
                  "    return (%s)((%s)a * (%s)b + (%s)(x >> 16) * (%s)(y >> 16));",
                  f->type, f->type, f->u, f->type, f->u, f->type, f->u, f->u, f->u, f->u);

    if (lanes != 4 && lanes != 8 && lanes != 16)
        return plain;
    return ir_format(t->arena,
                     "\n#if %s\n    return (%s)_mm%s_madd_epi16((__m%si)x, "
                     "(__m%si)y);\n#else\n    %s\n#endif",
                     x86[lanes].has, f->type, x86[lanes].width, x86[lanes].bits,
                     x86[lanes].bits, plain);
}

/* z and the products of the bytes, which x86 has as vpdpbusd. */
static const char *
quads(cg_c_text *t, const cg_c_forms *f, int lanes)
{
    ir_buf plain;

    ir_buf_init(&plain, t->arena);
    ir_buf_printf(&plain, "return (%s)((%s)z", f->type, f->u);
    for (int k = 0; k < 32; k += 8)
        ir_buf_printf(&plain, " +\n        ((%s)x >> %d & 255) * (%s)((%s)((%s)y << %d) >> 24)",
                      f->u, k, f->u, f->type, f->u, 24 - k);
    ir_buf_str(&plain, ");");
    const char *x86 = x86_dot(t, "dpbusd", f->type, "z", lanes);
    return x86 ? ir_format(t->arena, "\n%s    return z;\n#else\n    %s\n#endif", x86,
                           plain.text)
               : plain.text;
}

static const char *
integer(cg_c_text *t, ir_sc_op op, const cg_c_forms *f, cot_dtype type, int lanes)
{
    static const char symbol[] = { [SC_add] = '+', [SC_sub] = '-', [SC_mul] = '*',
                                   [SC_and] = '&', [SC_or] = '|',  [SC_xor] = '^' };
    switch (op) {
    case SC_add:
    case SC_sub:
    case SC_mul:
    case SC_and:
    case SC_or:
    case SC_xor:
        return ir_format(t->arena, "return (%s)((%s)x %c (%s)y);", f->type, f->u, symbol[op],
                         f->u);
    case SC_not: return "return ~x;";
    case SC_neg: return ir_format(t->arena, "return (%s)-(%s)x;", f->type, f->u);
    case SC_shl:
        return ir_format(t->arena, "return (%s)((%s)x << (%s)y);", f->type, f->u, f->u);
    case SC_shr: return "return x >> y;";
    case SC_pairs: return pairs(t, f, lanes);
    case SC_quads: return quads(t, f, lanes);
    case SC_max:
    case SC_min: return integer_extreme(t, op, f, type, lanes);
    default: return NULL;
    }
}

/* x86's maximum of x and y is y if they are equal or unordered.  So a = max(x, y) and b =
 * max(y, x) are the same number if x and y differ, and both operands if they do not.  For equal
 * zeros the maximum is the bitwise and of a and b, the minimum their or.  If one operand is
 * NaN, the or of both is a NaN; the maximum is set to a NaN by the mask of unordered lanes. */
static const char *
x86_extreme(cg_c_text *t, ir_sc_op op, const cg_c_forms *f, cot_dtype type, int bytes)
{
    const char *name = cg_c_x86_name(t, op == SC_max ? "max" : "min", bytes, type),
               *m = cg_c_x86_type(t, bytes, type);
    const char *s =
        ir_format(t->arena, "    %s a = (%s)%s((%s)x, (%s)y), b = (%s)%s((%s)y, (%s)x);\n",
                  f->s, f->s, name, m, m, f->s, name, m, m);
    const char *unordered =
        bytes == 16   ? ir_format(t->arena, "(%s)%s((%s)x, (%s)y)", f->s,
                                  cg_c_x86_name(t, "cmpunord", bytes, type), m, m)
        : bytes == 32 ? ir_format(t->arena, "(%s)%s((%s)x, (%s)y, _CMP_UNORD_Q)", f->s,
                                  cg_c_x86_name(t, "cmp", bytes, type), m, m)
                      : ir_format(t->arena, "(%s)(x != x) | (%s)(y != y)", f->s, f->s);

    return op == SC_min ? ir_format(t->arena, "%s    return (%s)(a | b);\n", s, f->type)
                        : ir_format(t->arena, "%s    return (%s)((a & b) | %s);\n", s, f->type,
                                    unordered);
}

/* The larger one if they differ.  If they are equal, as zeros of different signs are, the
 * bitwise and or or of both. x if it is NaN, and otherwise y, which is selected unless x is
 * better. */
static const char *
extreme(cg_c_text *t, ir_sc_op op, const cg_c_forms *f, cot_dtype type, int lanes)
{
    const int bytes = lanes * (int)cot_dtype_size(type);
    const char *better = op == SC_max ? "(x > y)" : "(x < y)",
               *has = cg_c_x86_has(bytes, "defined(COT_SSE2)");
    const char *both =
        ir_format(t->arena, "((%s)x %c (%s)y)", f->s, op == SC_max ? '&' : '|', f->s);
    const char *plain =
        ir_format(t->arena, "%s r = %s;\n    r = %s;\n    return %s;", f->type,
                  cg_c_choose(t, f, better, "x", "y"), cg_c_choose(t, f, "(x == y)", both, "r"),
                  cg_c_choose(t, f, "(x != x)", "x", "r"));

    return has ? ir_format(t->arena, "\n#if %s\n%s#else\n    %s\n#endif", has,
                           x86_extreme(t, op, f, type, bytes), plain)
               : plain;
}

static const char *
rounding(cg_c_text *t, ir_sc_op op, const cg_c_forms *f, cot_dtype type)
{
    const bool single = type == COT_F32;
    const char *big = single ? "0x1p23f" : "0x1p52", *one = single ? "1.0f" : "1.0";
    const char *sign = single ? "0x80000000u" : "UINT64_C(0x8000000000000000)";
    const char *keep =
        ir_format(t->arena, "r = (%s)((%s)r | ((%s)x & %s));", f->type, f->u, f->u, sign);
    const char *step = "";

    if (op != SC_rint)
        step = ir_format(t->arena, "r = r %s (%s)((%s)(r %s) & (%s)((%s){ 0 } + %s));\n    ",
                         op == SC_ceil ? "+" : "-", f->type, f->s,
                         op == SC_trunc   ? "> a"
                         : op == SC_floor ? "> x"
                                          : "< x",
                         f->s, f->type, one);
    return ir_format(t->arena,
                     "%s a = (%s)((%s)x & ~%s), r = (a + %s) - %s;\n    %s%s%s\n    return %s;",
                     f->type, f->type, f->u, sign, big, big,
                     op == SC_trunc ? step : ir_format(t->arena, "%s\n    ", keep),
                     op == SC_trunc ? "" : step, keep,
                     cg_c_choose(t, f, ir_format(t->arena, "(a < %s)", big), "r", "x"));
}

/* An instruction of x86; its immediate has the rounding mode and suppresses the inexact
 * exception.  For vectors of 64 bytes gcc defines it as a macro if it does not optimise, and
 * warns about the signs in that macro. */
static const char *
rounded(cg_c_text *t, ir_sc_op op, const cg_c_forms *f, cot_dtype type, int lanes)
{
    const int bytes = lanes * (int)cot_dtype_size(type), way = op == SC_rint    ? 8
                                                               : op == SC_floor ? 9
                                                               : op == SC_ceil  ? 10
                                                                                : 11;
    const char *has = cg_c_x86_has(bytes, "defined(COT_SSE2) && defined(__SSE4_1__)"),
               *plain = rounding(t, op, f, type);

    if (has && bytes == 64)
        has = ir_format(t->arena, "%s && (defined(__clang__) || defined(__OPTIMIZE__))", has);
    return has ? ir_format(t->arena,
                           "\n#if %s\n    return (%s)%s((%s)x, %d);\n#else\n    %s\n#endif",
                           has, f->type,
                           cg_c_x86_name(t, bytes == 64 ? "roundscale" : "round", bytes, type),
                           cg_c_x86_type(t, bytes, type), way, plain)
               : plain;
}

static const char *
from_half(cg_c_text *t, cot_dtype from, int lanes)
{
    const char *u = cg_c_type(t, COT_U32, lanes), *r = cg_c_type(t, COT_F32, lanes);

    if (from == COT_BF16)
        return ir_format(t->arena, "return (%s)(__builtin_convertvector(x, %s) << 16);", r, u);
    return ir_format(t->arena,
                     "%s w = __builtin_convertvector(x, %s), low = (w & 0x7fffu) << 13, r = "
                     "low + 0x38000000u;\n"
                     "    %s tiny = (%s)((%s)(r + 0x800000u) - 0x1p-14f);\n"
                     "    %s big = (%s)(low >= 0x0f800000u), small = (%s)(low < 0x00800000u);\n"
                     "    r += big & 0x38000000u;\n"
                     "    r = (r & ~small) | (tiny & small);\n"
                     "    return (%s)(r | (w & 0x8000u) << 16);", u, u, u, u, r, u, u, u, r);
}

static const char *
to_half(cg_c_text *t, cot_dtype to, int lanes)
{
    const char *u = cg_c_type(t, COT_U32, lanes), *h = cg_c_type(t, COT_U16, lanes),
               *r = cg_c_type(t, COT_F32, lanes);

    if (to == COT_BF16)
        return ir_format(t->arena,
                         "%s b = (%s)x, nan = (%s)(x != x);\n"
                         "    b = (nan & (b >> 16 | 0x40u)) | (~nan & ((b + 0x7fffu + (b >> 16 "
                         "& 1u)) >> 16));\n"
                         "    return __builtin_convertvector(b, %s);",
                         u, u, u, h);
    return ir_format(
        t->arena,
        "%s w = (%s)x, m = w & 0x7fffffffu, nan = (%s)(x != x), big = (%s)(m >= 0x47800000u);\n"
        "    %s small = (%s)(m < 0x38800000u), tiny = (%s)((%s)m + 0.5f) - 0x3f000000u;\n"
        "    %s r = (m + 0xc8000fffu + (m >> 13 & 1u)) >> 13;\n"
        "    r = (small & tiny) | (~small & r);\n"
        "    r = (big & (0x7c00u | (nan & 0x200u))) | (~big & r);\n"
        "    return __builtin_convertvector(r | (w >> 16 & 0x8000u), %s);",
        u, u, u, u, u, u, u, r, u, h);
}

static const char *
conversion(cg_c_text *t, cot_dtype type, cot_dtype from, int lanes)
{
    const char *v = cg_c_type(t, type, lanes);

    if (ir_is_half(from) && type == COT_F32)
        return from_half(t, from, lanes);
    if (ir_is_half(type) && from == COT_F32)
        return to_half(t, type, lanes);
    if (type == COT_BOOL) {
        cg_c_forms f = cg_c_forms_of(t, from, lanes);
        return ir_format(t->arena, "return %s;", cg_c_narrowed(t, from, &f, "x != 0"));
    }
    /* gcc would assemble the separate elements in lanes four times as wide */
    const int bytes = (int)cot_dtype_size(from);
    const char *held = from == COT_BOOL || (int)cot_dtype_size(type) < 4 * bytes
                           ? ""
                           : cg_c_hold(t, lanes * bytes, "x", false);
    return ir_format(t->arena, "%s%sreturn __builtin_convertvector(x%s, %s);",
                     *held ? "\n" : "", *held ? ir_format(t->arena, "%s    ", held) : "",
                     from == COT_BOOL ? " & 1" : "", v);
}

/* The call of an intrinsic of x86 for T and a width in bytes: "_mm256_sqrt_ps((__m256)x)". */
static const char *
x86_call(cg_c_text *t, const char *name, int bytes, const cg_c_forms *f, cot_dtype type, int n)
{
    const char *width = bytes == 64 ? "512" : bytes == 32 ? "256" : "";
    const char *tail = type == COT_F32 ? "ps" : "pd";
    const char *cast = ir_format(t->arena, "(__m%d%s)", bytes * 8, type == COT_F64 ? "d" : "");

    return n == 1 ? ir_format(t->arena, "return (%s)_mm%s_%s_%s(%sx);", f->type, width, name,
                              tail, cast)
                  : ir_format(t->arena, "return (%s)_mm%s_%s_%s(%sx, %sy, %sz);", f->type,
                              width, name, tail, cast, cast, cast);
}

static const char *
by_lane(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from, const char *v, int lanes)
{
    const char *args = "";

    if (op == SC_add || op == SC_sub || op == SC_mul || op == SC_div) {
        const char *one =
            cg_c_apply(t, op, type, from, 1, (const char *const[]){ "x[#]", "y[#]" });
        return ir_format(t->arena, "return (%s)%s;", v, cg_c_lanes_text(t, lanes, one));
    }
    const char *name = cg_c_scalar(t, op, type, from);
    for (int i = 0; i < ir_sc_arity[op]; i++)
        args = ir_format(t->arena, "%s%s%c[#]%s", args, i ? ", " : "", 'x' + i,
                         cg_c_operand_type(op, type, from, i) == COT_BOOL ? " != 0" : "");
    return ir_format(
        t->arena, "return (%s)%s;", v,
        cg_c_lanes_text(t, lanes,
                        ir_format(t->arena, "%s%s(%s)",
                                  cg_c_result_type(op, type) == COT_BOOL ? "-" : "", name,
                                  args)));
}

static const char *
builtin(cg_c_text *t, ir_sc_op op, const cg_c_forms *f, cot_dtype type, int lanes)
{
    const char *name = op == SC_fma ? "fma" : "sqrt", *args = op == SC_fma ? "x, y, z" : "x";
    const int bytes = lanes * (int)cot_dtype_size(type);
    const int bits = type == COT_F32 ? 32 : 64;
    const char *has =
        op == SC_fma
            ? ir_format(t->arena, " && defined(COT_FMA%d)", bits)
            : ir_format(t->arena, " && (defined(__SSE2__) || defined(COT_ROOT%d))", bits);
    const char *x86 = bytes == 64   ? "defined(__AVX512F__)"
                      : op == SC_fma ? "defined(__FMA__)"
                      : bytes == 32  ? "defined(__AVX__)"
                                     : "defined(__SSE2__)";
    const char *plain = by_lane(t, op, type, type, f->type, lanes);
    const char *call = bytes == 16 || bytes == 32 || bytes == 64
                           ? ir_format(t->arena, "#elif %s\n    %s\n", x86,
                                       x86_call(t, op == SC_fma ? "fmadd" : "sqrt", bytes, f,
                                                type, op == SC_fma ? 3 : 1))
                           : "";
    const char *soft = op == SC_fma
                           ? ir_format(t->arena,
                                       "#elif defined(COT_SSE2) && !defined(COT_FMA%d) && "
                                       "!defined(COT_FMA_BY_INTEGERS)\n    %s\n",
                                       bits, cg_c_vector_fma(t, f, type, lanes))
                           : "";

    return ir_format(t->arena,
                     "\n#if COT_HAS(__builtin_elementwise_%s)%s\n    return "
                     "__builtin_elementwise_%s(%s);\n%s%s"
                     "#else\n    %s\n#endif",
                     name, has, name, args, call, soft, plain);
}

/* For vectors of 64 bytes a BOOL has to become a mask of bits again. clang does that well, and
 * gcc does not: where lanes are as wide as a BOOL's, gcc gets a bitwise selection. */
static const char *
selected(cg_c_text *t, const cg_c_forms *f, cot_dtype type, int lanes)
{
    const int bytes = lanes * (int)cot_dtype_size(type);
    const char *plain =
        ir_format(t->arena, "%s m = %s;\n    return %s;", f->s, cg_c_widened(t, type, f, "x"),
                  cg_c_choose(t, f, "m", "y", "z"));
    const char *has = cot_dtype_size(type) < 4
                          ? NULL
                          : cg_c_x86_has(bytes, "defined(COT_SSE2) && defined(__SSE4_1__)");

    if (!has)
        return plain;
    if (bytes == 64)
        return ir_format(t->arena,
                         "\n#if %s && defined(__AVX512DQ__)%s\n    %s\n"
                         "#elif %s && !defined(__clang__)\n"
                         "    return (%s)_mm512_ternarylogic_epi32((__m512i)%s, (__m512i)y, "
                         "(__m512i)z, 0xca);\n"
                         "#else\n    %s\n#endif",
                         has,
                         lanes == 8 ? " && defined(__AVX512VL__)" : " && defined(__clang__)",
                         cg_c_x86_blended(t, f, type,
                                          lanes == 8 ? "_mm256_movepi32_mask((__m256i)x)"
                                                     : "_mm512_movepi32_mask((__m512i)x)"),
                         has, f->type, cg_c_widened(t, type, f, "x"), plain);
    const char *m = cg_c_x86_type(t, bytes, type);
    return ir_format(
        t->arena, "\n#if %s\n    return (%s)%s((%s)z, (%s)y, (%s)%s);\n#else\n    %s\n#endif",
        has, f->type, cg_c_x86_name(t, "blendv", bytes, type), m, m, m,
        cg_c_widened(t, type, f, "x"), plain);
}

static const char *
statements(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from, int lanes)
{
    cg_c_forms f = cg_c_forms_of(t, type, lanes);
    const char *e;

    switch (op) {
    case SC_fma:
    case SC_sqrt: return builtin(t, op, &f, type, lanes);
    case SC_abs:
        return ir_format(t->arena, "return (%s)((%s)x & %s);", f.type, f.u,
                         type == COT_F32 ? "0x7fffffffu" : "UINT64_C(0x7fffffffffffffff)");
    case SC_floor:
    case SC_ceil:
    case SC_trunc:
    case SC_rint: return rounded(t, op, &f, type, lanes);
    case SC_eq: return ir_format(t->arena, "return %s;", cg_c_narrowed(t, type, &f, "x == y"));
    case SC_ne: return ir_format(t->arena, "return %s;", cg_c_narrowed(t, type, &f, "x != y"));
    case SC_lt: return ir_format(t->arena, "return %s;", cg_c_narrowed(t, type, &f, "x < y"));
    case SC_le: return ir_format(t->arena, "return %s;", cg_c_narrowed(t, type, &f, "x <= y"));
    case SC_select: return selected(t, &f, type, lanes);
    case SC_cvt: return conversion(t, type, from, lanes);
    case SC_bitcast: return ir_format(t->arena, "return (%s)x;", f.type);
    case SC_max:
    case SC_min:
        if (cg_c_is_real(type))
            return extreme(t, op, &f, type, lanes);
        break;
    default: break;
    }
    e = cg_c_is_real(type) ? NULL : integer(t, op, &f, type, lanes);
    return e ? e : by_lane(t, op, type, from, f.type, lanes);
}

const char *
cg_c_vector(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from, int lanes)
{
    const char *of = op == SC_cvt || op == SC_bitcast
                         ? ir_format(t->arena, "%s_from_%s", op == SC_cvt ? "to" : "as",
                                     cot_dtype_name(from))
                         : ir_sc_name[op];
    const char *name = ir_format(t->arena, "%s_%sx%d", of, cot_dtype_name(type), lanes);
    ir_buf text;

    if (!cg_c_new_name(t, &t->own, name))
        return name;
    ir_buf_init(&text, t->arena);
    ir_buf_printf(&text, "COT_FN %s\n%s(", cg_c_type(t, cg_c_result_type(op, type), lanes),
                  name);
    for (int i = 0; i < ir_sc_arity[op]; i++)
        ir_buf_printf(&text, "%s%s %c", i ? ", " : "",
                      cg_c_type(t, cg_c_operand_type(op, type, from, i), lanes), 'x' + i);
    const char *body = statements(t, op, type, from, lanes);
    ir_buf_printf(&text, *body == '\n' ? ")\n{%s\n}\n" : ")\n{\n    %s\n}\n", body);
    ir_buf_str(&t->head, text.text);
    return name;
}

/* One instruction, vpdpwssd, where x86 has it.  Otherwise compilers reorder the integer
 * additions: they add the products of all steps of a loop first, which takes more registers
 * than there are. */
const char *
cg_c_sum_pairs(cg_c_text *t, cot_dtype type, int lanes)
{
    const char *name = ir_format(t->arena, "sum_pairs_%sx%d", cot_dtype_name(type), lanes),
               *v = cg_c_type(t, type, lanes), *p = cg_c_vector(t, SC_pairs, type, type, lanes);
    const char *x86 = x86_dot(t, "dpwssd", v, "sum", lanes);
    const char *sum =
        cg_c_apply(t, SC_add, type, type, lanes,
                   (const char *const[]){ "sum", ir_format(t->arena, "%s(x, y)", p) });

    if (!cg_c_new_name(t, &t->own, name))
        return name;
    ir_buf_printf(&t->head, "COT_FN %s\n%s(%s sum, %s x, %s y)\n{\n", v, name, v, v, v);
    if (x86)
        ir_buf_printf(&t->head, "%s#else\n", x86);
    ir_buf_printf(&t->head, "    sum = %s;\n%s%s    return sum;\n}\n", sum,
                  cg_c_hold(t, lanes * (int)cot_dtype_size(type), "sum", true),
                  x86 ? "#endif\n" : "");
    return name;
}
