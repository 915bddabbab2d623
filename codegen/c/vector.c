/* The same instructions on vectors (c.h): operators of vector types, compilers' builtins for
 * all lanes, and where there is neither, the function of scalars for each lane, spelled out. */
#include "codegen/c/c.h"

static bool
is_real(cot_dtype t)
{
    return t == COT_F32 || t == COT_F64;
}

/* The signed, and the unsigned, integers of T's width. */
static cot_dtype
signed_like(cot_dtype t)
{
    static const cot_dtype like[9] = {
        [1] = COT_I8, [2] = COT_I16, [4] = COT_I32, [8] = COT_I64
    };
    return t == COT_BOOL ? COT_I32 : like[cot_dtype_size(t)];
}

static cot_dtype
unsigned_like(cot_dtype t)
{
    static const cot_dtype like[9] = {
        [1] = COT_U8, [2] = COT_U16, [4] = COT_U32, [8] = COT_U64
    };
    return t == COT_BOOL ? COT_U32 : like[cot_dtype_size(t)];
}

typedef struct forms {
    const char *type, *s, *u, *mask; /* T, integers of its width, BOOL */
} forms;

static forms
forms_of(cg_c_text *t, cot_dtype type, int lanes)
{
    return (forms){ cg_c_type(t, type, lanes), cg_c_type(t, signed_like(type), lanes),
                    cg_c_type(t, unsigned_like(type), lanes), cg_c_type(t, COT_BOOL, lanes) };
}

/* m, a BOOL, in integers of T's width; a comparison of T's as a BOOL. */
static const char *
widened(cg_c_text *t, cot_dtype type, const forms *f, const char *m)
{
    return cot_dtype_size(type) == 4 || type == COT_BOOL
               ? m
               : ir_format(t->arena, "__builtin_convertvector(%s, %s)", m, f->s);
}

static const char *
narrowed(cg_c_text *t, cot_dtype type, const forms *f, const char *c)
{
    return cot_dtype_size(type) == 4 || type == COT_BOOL
               ? ir_format(t->arena, "(%s)(%s)", f->mask, c)
               : ir_format(t->arena, "__builtin_convertvector((%s)(%s), %s)", f->s, c, f->mask);
}

static const char *
choose(cg_c_text *t, const forms *f, const char *m, const char *x, const char *y)
{
    if (*m == '(') /* a comparison */
        m = ir_format(t->arena, "(%s)%s", f->s, m);
    if (strcmp(f->type, f->s) == 0)
        return ir_format(t->arena, "(%s & %s) | (~%s & %s)", m, x, m, y);
    return ir_format(t->arena, "(%s)((%s & (%s)%s) | (~%s & (%s)%s))", f->type, m, f->s, x, m,
                     f->s, y);
}

/* -- one expression -- */

/* The larger or lesser of integers of 32 bits is an instruction of x86, which gcc does not
 * find. */
static const char *
integer_extreme(cg_c_text *t, ir_sc_op op, const forms *f, cot_dtype type, int lanes)
{
    static const struct {
        const char *has, *width;
        int bits;
    } x86[] = { [4] = { "defined(__SSE4_1__)", "", 128 },
                [8] = { "defined(__AVX2__)", "256", 256 },
                [16] = { "defined(__AVX512F__)", "512", 512 } };
    const char *plain = ir_format(t->arena, "return %s;",
                                  choose(t, f, op == SC_max ? "(x > y)" : "(x < y)", "x", "y"));

    if ((type != COT_I32 && type != COT_U32) || (lanes != 4 && lanes != 8 && lanes != 16))
        return plain;
    return ir_format(t->arena,
                     "\n#if defined(COT_SSE2) && %s\n    return (%s)_mm%s_%s_ep%s32((__m%di)x, "
                     "(__m%di)y);\n#else\n"
                     "    %s\n#endif",
                     x86[lanes].has, f->type, x86[lanes].width, op == SC_max ? "max" : "min",
                     type == COT_I32 ? "i" : "u", x86[lanes].bits, x86[lanes].bits, plain);
}

/* Products of the halves, summed: one instruction of x86, pmaddwd. */
static const char *
pairs(cg_c_text *t, const forms *f, int lanes)
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

static const char *
integer(cg_c_text *t, ir_sc_op op, const forms *f, cot_dtype type, int lanes)
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
    case SC_max:
    case SC_min: return integer_extreme(t, op, f, type, lanes);
    default: return NULL;
    }
}

/* The condition under which x86 has a type's instructions for so many bytes; NULL: never. */
static const char *
x86_has(int bytes, const char *least)
{
    return bytes == 64   ? "defined(COT_SSE2) && defined(__AVX512F__)"
           : bytes == 32 ? "defined(COT_SSE2) && defined(__AVX__)"
           : bytes == 16 ? least
                         : NULL;
}

/* "_mm256_max_ps", with its arguments' type. */
static const char *
x86_name(cg_c_text *t, const char *name, int bytes, cot_dtype type)
{
    return ir_format(t->arena, "_mm%s_%s_%s",
                     bytes == 64   ? "512"
                     : bytes == 32 ? "256"
                                   : "",
                     name, cot_dtype_size(type) == 4 ? "ps" : "pd");
}

static const char *
x86_type(cg_c_text *t, int bytes, cot_dtype type)
{
    return ir_format(t->arena, "__m%d%s", bytes * 8, cot_dtype_size(type) == 4 ? "" : "d");
}

/* x86's maximum of x and y is y if they are equal or unordered: both ways, it is both then, and
 * the same where x and y differ.  Of zeros max wants the bits of both, min any bit; and either
 * way's NaN and a number make a NaN by `or`. */
static const char *
x86_extreme(cg_c_text *t, ir_sc_op op, const forms *f, cot_dtype type, int bytes)
{
    const char *name = x86_name(t, op == SC_max ? "max" : "min", bytes, type),
               *m = x86_type(t, bytes, type);
    const char *s =
        ir_format(t->arena, "    %s a = (%s)%s((%s)x, (%s)y), b = (%s)%s((%s)y, (%s)x);\n",
                  f->s, f->s, name, m, m, f->s, name, m, m);
    const char *unordered =
        bytes == 16   ? ir_format(t->arena, "(%s)%s((%s)x, (%s)y)", f->s,
                                  x86_name(t, "cmpunord", bytes, type), m, m)
        : bytes == 32 ? ir_format(t->arena, "(%s)%s((%s)x, (%s)y, _CMP_UNORD_Q)", f->s,
                                  x86_name(t, "cmp", bytes, type), m, m)
                      : ir_format(t->arena, "(%s)(x != x) | (%s)(y != y)", f->s, f->s);

    return op == SC_min ? ir_format(t->arena, "%s    return (%s)(a | b);\n", s, f->type)
                        : ir_format(t->arena, "%s    return (%s)((a & b) | %s);\n", s, f->type,
                                    unordered);
}

/* The larger where they differ; where they are equal, zeros among them, the bits of both; x
 * where it is NaN, and y where that is, being not less. */
static const char *
extreme(cg_c_text *t, ir_sc_op op, const forms *f, cot_dtype type, int lanes)
{
    const int bytes = lanes * (int)cot_dtype_size(type);
    const char *better = op == SC_max ? "(x > y)" : "(x < y)",
               *has = x86_has(bytes, "defined(COT_SSE2)");
    const char *both =
        ir_format(t->arena, "((%s)x %c (%s)y)", f->s, op == SC_max ? '&' : '|', f->s);
    const char *plain =
        ir_format(t->arena, "%s r = %s;\n    r = %s;\n    return %s;", f->type,
                  choose(t, f, better, "x", "y"), choose(t, f, "(x == y)", both, "r"),
                  choose(t, f, "(x != x)", "x", "r"));

    return has ? ir_format(t->arena, "\n#if %s\n%s#else\n    %s\n#endif", has,
                           x86_extreme(t, op, f, type, bytes), plain)
               : plain;
}

const char *
cg_c_hold(cg_c_text *t, int bytes, const char *name, bool clang)
{
    const char *has = x86_has(bytes, "defined(COT_SSE2)");

    if (has && !clang)
        has = ir_format(t->arena, "%s && !defined(__clang__)", has);
    return has ? ir_format(t->arena, "#if %s\n    COT_HELD(%s);\n#endif\n", has, name) : "";
}

const char *
cg_c_settled(cg_c_text *t)
{
    const char *has = x86_has(t->bits / 8, "defined(COT_SSE2)");

    if (!cg_c_new_name(t, &t->own, "COT_SETTLED"))
        return "COT_SETTLED";
    if (has)
        ir_buf_printf(
            &t->head,
            "/* x is made by now.  clang would mix steps of sums side by side that lie far "
            "apart in the text,\n * more of them than registers hold. */\n"
            "#if %s && defined(__clang__)\n#define COT_SETTLED(x) COT_HELD(x)\n#else\n",
            has);
    ir_buf_printf(&t->head, "#define COT_SETTLED(x) ((void)0)\n%s", has ? "#endif\n" : "");
    return "COT_SETTLED";
}

/* x if it is less (or larger), else y, a NaN among them: what x86's least and largest are. */
const char *
cg_c_limit(cg_c_text *t, ir_sc_op op, cot_dtype type, int lanes)
{
    const char *verb = op == SC_max ? "max" : "min",
               *name = ir_format(t->arena, "%s_or_%sx%d", verb, cot_dtype_name(type), lanes);
    const int bytes = lanes * (int)cot_dtype_size(type);
    const forms f = forms_of(t, type, lanes);
    const char *has = x86_has(bytes, "defined(COT_SSE2)"),
               *order[] = { op == SC_max ? "y" : "x", op == SC_max ? "x" : "y" };
    const char *less = cg_c_apply(t, SC_lt, type, type, lanes, order);
    const char *plain =
        cg_c_apply(t, SC_select, type, type, lanes, (const char *const[]){ less, "x", "y" });

    if (!cg_c_new_name(t, &t->own, name))
        return name;
    ir_buf_printf(&t->head, "COT_FN %s\n%s(%s x, %s y)\n{\n", f.type, name, f.type, f.type);
    if (has) {
        const char *m = x86_type(t, bytes, type);
        ir_buf_printf(&t->head, "#if %s\n    return (%s)%s((%s)x, (%s)y);\n#else\n", has,
                      f.type, x86_name(t, verb, bytes, type), m, m);
    }
    ir_buf_printf(&t->head, "    return %s;\n%s}\n", plain, has ? "#endif\n" : "");
    return name;
}

/* "ps", "epi64": a type in the names of x86's functions. */
static const char *
x86_tail(cot_dtype type)
{
    return type == COT_F32   ? "ps"
           : type == COT_F64 ? "pd"
           : type == COT_I32 ? "epi32"
           : type == COT_U32 ? "epu32"
           : type == COT_I64 ? "epi64"
                             : "epu64";
}

/* y where the bit of a mask is set, of vectors of 64 bytes: an instruction that makes y may do
 * this too. */
static const char *
blended(cg_c_text *t, const forms *f, cot_dtype type, const char *mask)
{
    const char *m = is_real(type) ? x86_type(t, 64, type) : "__m512i",
               *tail = x86_tail(is_real(type) ? type : signed_like(type));

    return ir_format(t->arena, "return (%s)_mm512_mask_blend_%s(%s, (%s)z, (%s)y);", f->type,
                     tail, mask, m, m);
}

/* Of 64 bytes a BOOL becomes a mask of bits again, which clang sees through, and gcc does not:
 * where lanes are as wide as a BOOL's it chooses the bits. */
static const char *
selected(cg_c_text *t, const forms *f, cot_dtype type, int lanes)
{
    const int bytes = lanes * (int)cot_dtype_size(type);
    const char *plain = ir_format(t->arena, "%s m = %s;\n    return %s;", f->s,
                                  widened(t, type, f, "x"), choose(t, f, "m", "y", "z"));
    const char *has = cot_dtype_size(type) < 4
                          ? NULL
                          : x86_has(bytes, "defined(COT_SSE2) && defined(__SSE4_1__)");

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
                         blended(t, f, type,
                                 lanes == 8 ? "_mm256_movepi32_mask((__m256i)x)"
                                            : "_mm512_movepi32_mask((__m512i)x)"),
                         has, f->type, widened(t, type, f, "x"), plain);
    const char *m = x86_type(t, bytes, type);
    return ir_format(
        t->arena, "\n#if %s\n    return (%s)%s((%s)z, (%s)y, (%s)%s);\n#else\n    %s\n#endif",
        has, f->type, x86_name(t, "blendv", bytes, type), m, m, m, widened(t, type, f, "x"),
        plain);
}

const char *
cg_c_pick(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from, int lanes)
{
    static const char *const order[] = {
        [SC_eq] = "==", [SC_ne] = "!=", [SC_lt] = "<", [SC_le] = "<="
    };
    static const char *const verb[] = {
        [SC_eq] = "eq", [SC_ne] = "neq", [SC_lt] = "lt", [SC_le] = "le"
    };
    const char *by = from == type ? "" : ir_format(t->arena, "_by_%s", cot_dtype_name(from)),
               *name = ir_format(t->arena, "pick_%s%s_%sx%d", ir_sc_name[op], by,
                                 cot_dtype_name(type), lanes);
    const forms f = forms_of(t, type, lanes), g = forms_of(t, from, lanes);
    const int bytes = lanes * (int)cot_dtype_size(type);
    const char *m = x86_type(t, bytes, type),
               *has = x86_has(bytes, "defined(COT_SSE2) && defined(__SSE4_1__)"),
               *c = ir_format(t->arena, "(a %s b)", order[op]);

    if (!cg_c_new_name(t, &t->own, name))
        return name;
    ir_buf_printf(&t->head, "COT_FN %s\n%s(%s a, %s b, %s y, %s z)\n{\n", f.type, name, g.type,
                  g.type, f.type, f.type);
    if (bytes == 64) {
        const char *cast = is_real(from) ? x86_type(t, 64, from) : "__m512i";
        ir_buf_printf(&t->head, "#if %s\n    %s\n#else\n", has,
                      blended(t, &f, type,
                              ir_format(t->arena, "_mm512_cmp%s_%s_mask((%s)a, (%s)b)",
                                        verb[op], x86_tail(from), cast, cast)));
    } else if (has)
        ir_buf_printf(&t->head, "#if %s\n    return (%s)%s((%s)z, (%s)y, (%s)%s);\n#else\n",
                      has, f.type, x86_name(t, "blendv", bytes, type), m, m, m, c);
    ir_buf_printf(&t->head, "    return %s;\n%s}\n", choose(t, &f, c, "y", "z"),
                  has ? "#endif\n" : "");
    return name;
}

static const char *
rounding(cg_c_text *t, ir_sc_op op, const forms *f, cot_dtype type)
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
                     choose(t, f, ir_format(t->arena, "(a < %s)", big), "r", "x"));
}

/* An instruction of x86's, in its immediate the way and no exception.  For vectors of 64
 * bytes gcc has it as a macro where it does not optimise, and warns of the signs in its own
 * text. */
static const char *
rounded(cg_c_text *t, ir_sc_op op, const forms *f, cot_dtype type, int lanes)
{
    const int bytes = lanes * (int)cot_dtype_size(type), way = op == SC_rint    ? 8
                                                               : op == SC_floor ? 9
                                                               : op == SC_ceil  ? 10
                                                                                : 11;
    const char *has = x86_has(bytes, "defined(COT_SSE2) && defined(__SSE4_1__)"),
               *plain = rounding(t, op, f, type);

    if (has && bytes == 64)
        has = ir_format(t->arena, "%s && (defined(__clang__) || defined(__OPTIMIZE__))", has);
    return has ? ir_format(t->arena,
                           "\n#if %s\n    return (%s)%s((%s)x, %d);\n#else\n    %s\n#endif",
                           has, f->type,
                           x86_name(t, bytes == 64 ? "roundscale" : "round", bytes, type),
                           x86_type(t, bytes, type), way, plain)
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
        forms f = forms_of(t, from, lanes);
        return ir_format(t->arena, "return %s;", narrowed(t, from, &f, "x != 0"));
    }
    /* gcc would make lanes four times as wide of elements that it reads one by one */
    const int bytes = (int)cot_dtype_size(from);
    const char *held = from == COT_BOOL || (int)cot_dtype_size(type) < 4 * bytes
                           ? ""
                           : cg_c_hold(t, lanes * bytes, "x", false);
    return ir_format(t->arena, "%s%sreturn __builtin_convertvector(x%s, %s);",
                     *held ? "\n" : "", *held ? ir_format(t->arena, "%s    ", held) : "",
                     from == COT_BOOL ? " & 1" : "", v);
}

/* -- builtins -- */

/* x86's function for T and a width in bytes: "_mm256_sqrt_ps((__m256)x)". */
static const char *
x86_call(cg_c_text *t, const char *name, int bytes, const forms *f, cot_dtype type, int n)
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
builtin(cg_c_text *t, ir_sc_op op, const forms *f, cot_dtype type, int lanes)
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

    return ir_format(t->arena,
                     "\n#if COT_HAS(__builtin_elementwise_%s)%s\n    return "
                     "__builtin_elementwise_%s(%s);\n%s"
                     "#else\n    %s\n#endif",
                     name, has, name, args, call, plain);
}

/* -- all of it -- */

static const char *
statements(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from, int lanes)
{
    forms f = forms_of(t, type, lanes);
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
    case SC_eq: return ir_format(t->arena, "return %s;", narrowed(t, type, &f, "x == y"));
    case SC_ne: return ir_format(t->arena, "return %s;", narrowed(t, type, &f, "x != y"));
    case SC_lt: return ir_format(t->arena, "return %s;", narrowed(t, type, &f, "x < y"));
    case SC_le: return ir_format(t->arena, "return %s;", narrowed(t, type, &f, "x <= y"));
    case SC_select: return selected(t, &f, type, lanes);
    case SC_cvt: return conversion(t, type, from, lanes);
    case SC_bitcast: return ir_format(t->arena, "return (%s)x;", f.type);
    case SC_max:
    case SC_min:
        if (is_real(type))
            return extreme(t, op, &f, type, lanes);
        break;
    default: break;
    }
    e = is_real(type) ? NULL : integer(t, op, &f, type, lanes);
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

/* One instruction, vpdpwssd, where x86 has it.  Else compilers would add up the products of all
 * steps of a loop first, beyond what registers hold: integers may be added in any order. */
const char *
cg_c_sum_pairs(cg_c_text *t, cot_dtype type, int lanes)
{
    static const char *const has[] = {
        [4] = "defined(__AVX512VNNI__) && defined(__AVX512VL__)",
        [8] = "defined(__AVX512VNNI__) && defined(__AVX512VL__)",
        [16] = "defined(__AVX512VNNI__)",
    };
    const char *name = ir_format(t->arena, "sum_pairs_%sx%d", cot_dtype_name(type), lanes),
               *v = cg_c_type(t, type, lanes), *p = cg_c_vector(t, SC_pairs, type, type, lanes);
    const bool whole = lanes == 4 || lanes == 8 || lanes == 16;
    const char *sum =
        cg_c_apply(t, SC_add, type, type, lanes,
                   (const char *const[]){ "sum", ir_format(t->arena, "%s(x, y)", p) });

    if (!cg_c_new_name(t, &t->own, name))
        return name;
    ir_buf_printf(&t->head, "COT_FN %s\n%s(%s sum, %s x, %s y)\n{\n", v, name, v, v, v);
    if (whole)
        ir_buf_printf(
            &t->head,
            "#if defined(COT_SSE2) && %s\n    sum = (%s)_mm%s_dpwssd_epi32((__m%di)sum, "
            "(__m%di)x, (__m%di)y);\n#else\n",
            has[lanes], v,
            lanes == 4   ? ""
            : lanes == 8 ? "256"
                         : "512",
            32 * lanes, 32 * lanes, 32 * lanes);
    ir_buf_printf(&t->head, "    sum = %s;\n%s%s    return sum;\n}\n", sum,
                  cg_c_hold(t, lanes * (int)cot_dtype_size(type), "sum", true),
                  whole ? "#endif\n" : "");
    return name;
}

const char *
cg_c_splat(cg_c_text *t, cot_dtype type, int lanes)
{
    const char *name = ir_format(t->arena, "all_%sx%d", cot_dtype_name(type), lanes);

    if (cg_c_new_name(t, &t->own, name)) {
        const char *v = cg_c_type(t, type, lanes);
        ir_buf_printf(&t->head, "COT_FN %s\n%s(%s x)\n{\n    return (%s)%s;\n}\n", v, name,
                      cg_c_type(t, type, 1), v,
                      cg_c_lanes_text(t, lanes, type == COT_BOOL ? "-x" : "x"));
    }
    return name;
}

const char *
cg_c_ramp(cg_c_text *t, cot_dtype type, int lanes)
{
    const char *name = ir_format(t->arena, "ramp_%sx%d", cot_dtype_name(type), lanes);

    if (cg_c_new_name(t, &t->own, name)) {
        const cot_dtype unsign = type == COT_I64 ? COT_U64 : COT_U32;
        const char *v = cg_c_type(t, type, lanes), *u = cg_c_type(t, unsign, lanes),
                   *one = cg_c_type(t, unsign, 1);
        ir_buf_printf(&t->head,
                      "COT_FN %s\n%s(int64_t x, int64_t step)\n{\n    %s lane = %s;\n"
                      "    return (%s)(lane * (%s)step + (%s)x);\n}\n", v, name, u,
                      cg_c_lanes_text(t, lanes, "#"), v, one, one);
    }
    return name;
}

/* -- across the lanes -- */

const char *
cg_c_fold(cg_c_text *t, ir_sc_op op, cot_dtype type, int lanes)
{
    const char *name =
        ir_format(t->arena, "fold_%s_%sx%d", ir_sc_name[op], cot_dtype_name(type), lanes);
    const char *s = cg_c_type(t, type, 1), *v = cg_c_type(t, type, lanes), *body;

    if (!cg_c_new_name(t, &t->own, name))
        return name;
    if (lanes == 2) {
        const char *truth = type == COT_BOOL ? " != 0" : "";
        body = ir_format(
            t->arena, "%s low = v[0]%s, high = v[1]%s;\n    return %s;", s, truth, truth,
            cg_c_apply(t, op, type, type, 1, (const char *const[]){ "low", "high" }));
    } else {
        const char *half = cg_c_type(t, type, lanes / 2),
                   *rest = cg_c_fold(t, op, type, lanes / 2);
        ir_buf high;
        ir_buf_init(&high, t->arena);
        for (int i = lanes / 2; i < lanes; i++)
            ir_buf_printf(&high, "%s v[%d]", i > lanes / 2 ? "," : "", i);
        body = ir_format(
            t->arena, "%s low = %s, high = {%s };\n    return %s(%s);", half,
            cg_c_lanes_text(t, lanes / 2, "v[#]"), high.text, rest,
            cg_c_apply(t, op, type, type, lanes / 2, (const char *const[]){ "low", "high" }));
    }
    ir_buf_printf(&t->head, "COT_FN %s\n%s(%s v)\n{\n    %s\n}\n", s, name, v, body);
    return name;
}

const char *
cg_c_any(cg_c_text *t, int lanes)
{
    static const char *const x86[] = {
        [4] = "defined(__SSE4_1__)\n    return !_mm_testz_si128((__m128i)v, (__m128i)v)",
        [8] = "defined(__AVX__)\n    return !_mm256_testz_si256((__m256i)v, (__m256i)v)",
        [16] = "defined(__AVX512F__)\n    return _mm512_test_epi32_mask((__m512i)v, "
               "(__m512i)v) != 0",
    };
    const char *name = ir_format(t->arena, "any_x%d", lanes);
    const bool whole = lanes == 4 || lanes == 8 || lanes == 16;

    if (!cg_c_new_name(t, &t->own, name))
        return name;
    const char *u = cg_c_type(t, COT_U64, lanes / 2), *v = cg_c_type(t, COT_BOOL, lanes);
    ir_buf_printf(&t->head, "COT_FN uint8_t\n%s(%s v)\n{\n", name, v);
    if (whole)
        ir_buf_printf(&t->head, "#if defined(COT_SSE2) && %s;\n#else\n", x86[lanes]);
    if (lanes == 2)
        ir_buf_str(&t->head, "    return (v[0] | v[1]) != 0;\n");
    else {
        ir_buf_printf(&t->head, "    %s u = (%s)v;\n    return (", u, u);
        for (int i = 0; i < lanes / 2; i++)
            ir_buf_printf(&t->head, "%su[%d]", i ? " | " : "", i);
        ir_buf_str(&t->head, ") != 0;\n");
    }
    ir_buf_str(&t->head, whole ? "#endif\n}\n" : "}\n");
    return name;
}

const char *
cg_c_below(cg_c_text *t, int lanes, bool equal)
{
    const char *name = ir_format(t->arena, "%s_x%d", equal ? "upto" : "below", lanes),
               *v = cg_c_type(t, COT_BOOL, lanes);

    if (cg_c_new_name(t, &t->own, name))
        ir_buf_printf(
            &t->head,
            "COT_FN %s\n%s(int64_t n, int64_t first)\n{\n    const %s lane = %s;\n"
            "    const uint64_t rest = (uint64_t)n - (uint64_t)first;\n"
            "    return (%s)(lane < (n < first ? 0 : rest >= %d ? %d : (int32_t)rest%s));\n}\n",
            v, name, v, cg_c_lanes_text(t, lanes, "#"), v, lanes, lanes, equal ? " + 1" : "");
    return name;
}

const char *
cg_c_table_vector(cg_c_text *t, const ir_sc_table *table, int lanes)
{
    const char *data = cg_c_table(t, table), *name = ir_format(t->arena, "%s_x%d", data, lanes),
               *v = cg_c_type(t, table->type, lanes), *at = cg_c_type(t, COT_I32, lanes);

    if (cg_c_new_name(t, &t->own, name))
        ir_buf_printf(&t->head, "COT_FN %s\n%s(%s x)\n{\n    return (%s)%s;\n}\n", v, name, at,
                      v, cg_c_lanes_text(t, lanes, ir_format(t->arena, "%s[x[#]]", data)));
    return name;
}

/* r where the lane does not want it. */
const char *
cg_c_slow_path_vector(cg_c_text *t, const ir_sc_program *p, int lanes)
{
    const char *one = cg_c_slow_path(t, p), *name = ir_format(t->arena, "%s_x%d", one, lanes),
               *args = "";
    const char *v = cg_c_type(t, p->type, lanes), *m = cg_c_type(t, COT_BOOL, lanes);

    if (!cg_c_new_name(t, &t->own, name))
        return name;
    ir_buf b;
    ir_buf_init(&b, t->arena);
    ir_buf_printf(&b, "COT_RARE %s\n%s(%s m, %s r", v, name, m, v);
    for (int i = 0; i < p->n_in; i++) {
        ir_buf_printf(&b, ", %s x%d", cg_c_type(t, p->in[i], lanes), i);
        args = ir_format(t->arena, "%s%sx%d[i]%s", args, i ? ", " : "", i,
                         p->in[i] == COT_BOOL ? " != 0" : "");
    }
    ir_buf_printf(&b,
                  ")\n{\n    for (int i = 0; i < %d; i++)\n        if (m[i])\n            r[i] "
                  "= %s%s(%s);\n"
                  "    return r;\n}\n",
                  lanes, p->type == COT_BOOL ? "-" : "", one, args);
    ir_buf_str(&t->head, b.text);
    return name;
}
