/* The instructions of ir/scalar.h as static inline functions of C: one for scalars, and one
 * for vectors that applies it lane by lane, which compilers turn back into vector
 * instructions.
 *
 * Nothing is left to a compiler's licence: contraction is off in the file, so a product and
 * a sum stay two; fma is the builtin, exact everywhere; rounding, maximum and conversions are
 * spelled out; integer arithmetic is unsigned underneath, so that it wraps. */
#include "codegen/c/c.h"

#include <math.h>

static const char *const c_scalar[COT_DTYPE_COUNT] = {
    [COT_BOOL] = "uint8_t", [COT_I8] = "int8_t",     [COT_I16] = "int16_t",
    [COT_I32] = "int32_t",  [COT_I64] = "int64_t",   [COT_U8] = "uint8_t",
    [COT_U16] = "uint16_t", [COT_U32] = "uint32_t",  [COT_U64] = "uint64_t",
    [COT_F16] = "uint16_t", [COT_BF16] = "uint16_t", [COT_F32] = "float",
    [COT_F64] = "double",
};

static const char *const c_unsigned[9] = {
    [1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t"
};

bool
cg_c_made(cg_c_text *t, const char *name)
{
    uint64_t h = ir_hash(0, name, strlen(name));
    uint32_t at = 0, id;
    while ((id = ir_map_next(&t->made, h, &at)))
        if (strcmp(t->name[id - 1], name) == 0)
            return true;
    IR_PUSH(t->arena, t->name, t->n, t->cap, name);
    ir_map_add(&t->made, h, t->n);
    return false;
}

const char *
cg_c_type(cg_c_text *t, cot_dtype type, int lanes)
{
    if (lanes == 1)
        return c_scalar[type];
    if (type == COT_BOOL)
        type = COT_I32;
    const char *name = ir_format(t->arena, "%sx%d", cot_dtype_name(type), lanes);
    if (!cg_c_made(t, name))
        ir_buf_printf(&t->head, "typedef %s %s __attribute__((vector_size(%d)));\n",
                      c_scalar[type], name, lanes * (int)cot_dtype_size(type));
    return name;
}

/* -- scalars -- */

/* The expression of an instruction on scalars x, y, z; NULL where it needs statements. */
static const char *
expression(cg_c_text *t, ir_sc_op op, cot_dtype type)
{
    const char *s = c_scalar[type], *u = c_unsigned[cot_dtype_size(type)];
    bool real = type >= COT_F32;
    int bits = ir_bits(type);
    switch (op) {
    case SC_add: return real ? "x + y" : ir_format(t->arena, "(%s)((%s)x + (%s)y)", s, u, u);
    case SC_sub: return real ? "x - y" : ir_format(t->arena, "(%s)((%s)x - (%s)y)", s, u, u);
    case SC_mul:
        return real ? "x * y" : ir_format(t->arena, "(%s)((uint64_t)x * (uint64_t)y)", s);
    case SC_div: return real ? "x / y" : ir_format(t->arena, "(%s)(x / y)", s);
    case SC_rem: return ir_format(t->arena, "(%s)(x %% y)", s);
    case SC_neg: return real ? "-x" : ir_format(t->arena, "(%s)(0u - (%s)x)", s, u);
    case SC_abs: return type == COT_F32 ? "__builtin_fabsf(x)" : "__builtin_fabs(x)";
    case SC_fma: return type == COT_F32 ? "__builtin_fmaf(x, y, z)" : "__builtin_fma(x, y, z)";
    case SC_max:
        return real ? "x != x ? x : y != y ? y : x > y ? x : y > x ? y : __builtin_signbit(x) "
                      "? y : x"
                    : "x > y ? x : y";
    case SC_min:
        return real ? "x != x ? x : y != y ? y : x < y ? x : y < x ? y : __builtin_signbit(x) "
                      "? x : y"
                    : "x < y ? x : y";
    case SC_and: return ir_format(t->arena, "(%s)(x & y)", s);
    case SC_or: return ir_format(t->arena, "(%s)(x | y)", s);
    case SC_xor: return ir_format(t->arena, "(%s)(x ^ y)", s);
    case SC_not: return type == COT_BOOL ? "(uint8_t)!x" : ir_format(t->arena, "(%s)~x", s);
    case SC_shl: return ir_format(t->arena, "(%s)((uint64_t)x << y)", s);
    case SC_shr: return ir_format(t->arena, "(%s)(x >> y)", s);
    case SC_popcnt: return ir_format(t->arena, "(%s)__builtin_popcountll((%s)x)", s, u);
    case SC_clz:
        return ir_format(t->arena, "(%s)(x ? __builtin_clzll((%s)x) - %d : %d)", s, u,
                         64 - bits, bits);
    case SC_eq: return "x == y";
    case SC_ne: return "x != y";
    case SC_lt: return "x < y";
    case SC_le: return "x <= y";
    case SC_select: return "x ? y : z";
    default: return NULL;
    }
}

/* Rounding to an integer, from a round to nearest by a number too large for a fraction; what
 * is as large is an integer (or NaN) already.  The sign is kept for the sake of zeros. */
static const char *
rounding(cg_c_text *t, ir_sc_op op, cot_dtype type)
{
    bool f = type == COT_F32;
    const char *abs = f ? "__builtin_fabsf" : "__builtin_fabs",
               *sign = f ? "__builtin_copysignf" : "__builtin_copysign";
    const char *big = f ? "0x1p23f" : "0x1p52", *s = c_scalar[type], *one = f ? "1.0f" : "1.0";
    const char *nearest =
        ir_format(t->arena, "%s a = %s(x); if (!(a < %s)) return x; %s r = (a + %s) - %s; ", s,
                  abs, big, s, big, big);
    switch (op) {
    case SC_rint: return ir_format(t->arena, "%s return %s(r, x);", nearest, sign);
    case SC_trunc:
        return ir_format(t->arena, "%s if (r > a) r -= %s; return %s(r, x);", nearest, one,
                         sign);
    case SC_floor:
        return ir_format(t->arena, "%s r = %s(r, x); if (r > x) r -= %s; return %s(r, x);",
                         nearest, sign, one, sign);
    default:
        return ir_format(t->arena, "%s r = %s(r, x); if (r < x) r += %s; return %s(r, x);",
                         nearest, sign, one, sign);
    }
}

static const char half_text[] =
    "static inline float f16_to_f32(uint16_t h)\n{\n"
    "    uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = (uint32_t)(h & 0x7fff) << 13;\n"
    "    float x;\n"
    "    uint32_t bits = rest + (rest >= 0x0f800000u ? 0x70000000u : 0);\n"
    "    memcpy(&x, &bits, 4);\n"
    "    x = rest >= 0x0f800000u ? x : x * 0x1p112f;\n"
    "    memcpy(&bits, &x, 4);\n"
    "    bits |= sign;\n"
    "    memcpy(&x, &bits, 4);\n"
    "    return x;\n}\n"
    "static inline uint16_t f32_to_f16(float x)\n{\n"
    "    uint32_t bits, sign;\n"
    "    memcpy(&bits, &x, 4);\n"
    "    sign = bits >> 16 & 0x8000;\n"
    "    bits &= 0x7fffffff;\n"
    "    if (bits > 0x7f800000u) return (uint16_t)(sign | 0x7e00);\n"
    "    if (bits >= 0x477ff000u) return (uint16_t)(sign | 0x7c00);\n"
    "    if (bits < 0x38800000u) {\n"
    "        float a, small;\n"
    "        memcpy(&a, &bits, 4);\n"
    "        small = a + 0.5f;\n"
    "        memcpy(&bits, &small, 4);\n"
    "        return (uint16_t)(sign | (bits - 0x3f000000u));\n"
    "    }\n"
    "    bits += 0xfff + (bits >> 13 & 1);\n"
    "    return (uint16_t)(sign | ((bits - 0x38000000u) >> 13));\n}\n"
    "static inline float bf16_to_f32(uint16_t h)\n{\n"
    "    uint32_t bits = (uint32_t)h << 16;\n"
    "    float x;\n"
    "    memcpy(&x, &bits, 4);\n"
    "    return x;\n}\n"
    "static inline uint16_t f32_to_bf16(float x)\n{\n"
    "    uint32_t bits;\n"
    "    memcpy(&bits, &x, 4);\n"
    "    if (x != x) return (uint16_t)(bits >> 16 | 0x40);\n"
    "    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);\n}\n";

static const char sqrt_text[] =
    "#if defined(__SSE2__)\n#include <emmintrin.h>\n"
    "static inline float root_f32(float x) { return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x))); "
    "}\n"
    "static inline double root_f64(double x) { return _mm_cvtsd_f64(_mm_sqrt_sd(_mm_set_sd(x), "
    "_mm_set_sd(x))); }\n"
    "#else\n"
    "static inline float root_f32(float x) { return __builtin_sqrtf(x); }\n"
    "static inline double root_f64(double x) { return __builtin_sqrt(x); }\n"
    "#endif\n";

static const char *
conversion(cg_c_text *t, cot_dtype type, cot_dtype from)
{
    const char *half = ir_is_half(type)   ? cot_dtype_name(type)
                       : ir_is_half(from) ? cot_dtype_name(from)
                                          : NULL;
    if (half && !cg_c_made(t, "f16_to_f32"))
        ir_buf_str(&t->head, half_text);
    if (half)
        return ir_is_half(type) ? ir_format(t->arena, "return f32_to_%s(x);", half)
                                : ir_format(t->arena, "return %s_to_f32(x);", half);
    return ir_format(t->arena, "return (%s)x;", c_scalar[type]);
}

/* The statements of the scalar function. */
static const char *
statements(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from)
{
    const char *e =
        op == SC_const || op == SC_table || op == SC_rare ? NULL : expression(t, op, type);
    if (e)
        return ir_format(t->arena, "return %s;", e);
    switch (op) {
    case SC_sqrt:
        if (!cg_c_made(t, "root_f32"))
            ir_buf_str(&t->head, sqrt_text);
        return type == COT_F32 ? "return root_f32(x);" : "return root_f64(x);";
    case SC_floor:
    case SC_ceil:
    case SC_trunc:
    case SC_rint: return rounding(t, op, type);
    case SC_cvt: return conversion(t, type, from);
    case SC_bitcast:
        return ir_format(t->arena, "%s r; memcpy(&r, &x, sizeof r); return r;", c_scalar[type]);
    default: return "return x;";
    }
}

static bool
is_comparison(ir_sc_op op)
{
    return op >= SC_eq && op <= SC_le;
}

/* -- vectors -- */

/* Instructions that vector types have as operators; BOOLs are masks. */
static const char *
vector_expression(cg_c_text *t, ir_sc_op op, cot_dtype type, int lanes)
{
    bool real = type >= COT_F32, mask = type == COT_BOOL;
    const char *ints = cg_c_type(t, cot_dtype_size(type) == 8 ? COT_I64 : COT_I32, lanes);
    if (mask || type == COT_I32 || type == COT_I64 || type == COT_U32 || type == COT_U64)
        switch (op) {
        case SC_and: return "x & y";
        case SC_or: return "x | y";
        case SC_xor: return "x ^ y";
        case SC_not: return "~x";
        default: break;
        }
    if (real)
        switch (op) {
        case SC_add: return "x + y";
        case SC_sub: return "x - y";
        case SC_mul: return "x * y";
        case SC_div: return "x / y";
        case SC_neg: return "-x";
        default: break;
        }
    if (op == SC_bitcast)
        return ir_format(t->arena, "(%s)x", cg_c_type(t, type, lanes));
    if ((type == COT_U32 || type == COT_U64) && op == SC_add)
        return "x + y";
    if ((type == COT_F32 || type == COT_I32 || type == COT_U32) && is_comparison(op))
        return op == SC_eq   ? "x == y"
               : op == SC_ne ? "x != y"
               : op == SC_lt ? "x < y"
                             : "x <= y";
    if (op == SC_select && type == COT_BOOL)
        return "(x & y) | (~x & z)";
    if (op == SC_select && (type == COT_F32 || type == COT_I32 || type == COT_U32))
        return ir_format(t->arena, "(%s)(((%s)y & x) | ((%s)z & ~x))",
                         cg_c_type(t, type, lanes), ints, ints);
    return NULL;
}

static cot_dtype
result_type(ir_sc_op op, cot_dtype type)
{
    return is_comparison(op) ? COT_BOOL : type;
}

static cot_dtype
operand_type(ir_sc_op op, cot_dtype type, cot_dtype from, int i)
{
    if (op == SC_select && i == 0)
        return COT_BOOL;
    return op == SC_cvt || op == SC_bitcast ? from : type;
}

static void
signature(cg_c_text *t, ir_buf *b, const char *name, ir_sc_op op, cot_dtype type,
          cot_dtype from, int lanes)
{
    ir_buf_printf(b, "static inline %s\n%s(", cg_c_type(t, result_type(op, type), lanes), name);
    for (int i = 0; i < ir_sc_arity[op]; i++)
        ir_buf_printf(b, "%s%s %c", i ? ", " : "",
                      cg_c_type(t, operand_type(op, type, from, i), lanes), 'x' + i);
    ir_buf_str(b, ")\n{\n    ");
}

static const char *
op_name(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from, int lanes)
{
    const char *of = op == SC_cvt || op == SC_bitcast
                         ? ir_format(t->arena, "%s_", cot_dtype_name(from))
                         : "";
    return lanes == 1 ? ir_format(t->arena, "%s_%s%s", ir_sc_name[op], of, cot_dtype_name(type))
                      : ir_format(t->arena, "%s_%s%sx%d", ir_sc_name[op], of,
                                  cot_dtype_name(type), lanes);
}

/* A scalar op on one lane; masks become truth values and back. */
static const char *
lane_call(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from)
{
    const char *name = cg_c_op(t, op, type, from, 1), *args = "";
    for (int i = 0; i < ir_sc_arity[op]; i++) {
        bool mask = operand_type(op, type, from, i) == COT_BOOL;
        args = ir_format(t->arena, "%s%s%c[i]%s", args, i ? ", " : "", 'x' + i,
                         mask ? " != 0" : "");
    }
    bool mask = result_type(op, type) == COT_BOOL;
    return ir_format(t->arena, "%s%s(%s)", mask ? "-(int32_t)" : "", name, args);
}

const char *
cg_c_op(cg_c_text *t, ir_sc_op op, cot_dtype type, cot_dtype from, int lanes)
{
    const char *name = op_name(t, op, type, from, lanes);
    ir_buf text;
    if (cg_c_made(t, name))
        return name;
    ir_buf_init(&text, t->arena);
    signature(t, &text, name, op, type, from, lanes);
    const char *e = lanes > 1 ? vector_expression(t, op, type, lanes) : NULL;
    if (lanes == 1)
        ir_buf_printf(&text, "%s\n}\n", statements(t, op, type, from));
    else if (e)
        ir_buf_printf(&text, "return %s;\n}\n", e);
    else
        ir_buf_printf(&text,
                      "%s r = { 0 };\n    for (int i = 0; i < %d; i++)\n        r[i] = %s;\n   "
                      " return r;\n}\n",
                      cg_c_type(t, result_type(op, type), lanes), lanes,
                      lane_call(t, op, type, from));
    ir_buf_str(&t->head, text.text);
    return name;
}

const char *
cg_c_splat(cg_c_text *t, cot_dtype type, int lanes)
{
    const char *name = ir_format(t->arena, "splat_%sx%d", cot_dtype_name(type), lanes);
    if (cg_c_made(t, name))
        return name;
    const char *v = cg_c_type(t, type, lanes);
    ir_buf_printf(&t->head, "static inline %s\n%s(%s x)\n{\n    return (%s){", v, name,
                  c_scalar[type], v);
    for (int i = 0; i < lanes; i++)
        ir_buf_printf(&t->head, "%s%s", i ? ", " : " ", type == COT_BOOL ? "-(int32_t)x" : "x");
    ir_buf_str(&t->head, " };\n}\n");
    return name;
}

const char *
cg_c_fold(cg_c_text *t, ir_sc_op op, cot_dtype type, int lanes)
{
    const char *name = ir_format(t->arena, "fold_%s", op_name(t, op, type, type, lanes));
    if (cg_c_made(t, name))
        return name;
    const char *one = cg_c_op(t, op, type, type, 1), *v = cg_c_type(t, type, lanes),
               *mask = type == COT_BOOL ? " != 0" : "";
    ir_buf_printf(&t->head,
                  "static inline %s\n%s(%s v)\n{\n    %s a[%d];\n    for (int i = 0; i < %d; "
                  "i++)\n        a[i] = v[i]%s;\n"
                  "    for (int h = %d; h > 0; h /= 2)\n        for (int i = 0; i < h; i++)\n"
                  "            a[i] = %s(a[i], a[i + h]);\n    return a[0];\n}\n",
                  c_scalar[type], name, v, c_scalar[type], lanes, lanes, mask, lanes / 2, one);
    return name;
}

const char *
cg_c_any(cg_c_text *t, int lanes)
{
    const char *name = ir_format(t->arena, "any_x%d", lanes);
    if (!cg_c_made(t, name))
        ir_buf_printf(&t->head,
                      "static inline int\n%s(%s v)\n{\n    int32_t r = 0;\n    for (int i = 0; "
                      "i < %d; i++)\n"
                      "        r |= v[i];\n    return r != 0;\n}\n",
                      name, cg_c_type(t, COT_BOOL, lanes), lanes);
    return name;
}

const char *
cg_c_table(cg_c_text *t, const ir_sc_table *table, int lanes)
{
    size_t bytes = cot_dtype_size(table->type);
    const char *data = ir_format(t->arena, "table_%016llx",
                                 (unsigned long long)ir_hash((uint64_t)table->type, table->data,
                                                             bytes * (size_t)table->n));
    const char *name = lanes == 1 ? data : ir_format(t->arena, "%sx%d", data, lanes),
               *s = c_scalar[table->type];
    if (!cg_c_made(t, data)) {
        ir_buf_printf(&t->head, "static const %s %s_data[%d] = {", s, data, table->n);
        for (int i = 0; i < table->n; i++) {
            uint64_t bits = 0;
            memcpy(&bits, (const char *)table->data + bytes * (size_t)i, bytes);
            ir_buf_str(&t->head, i ? ", " : " ");
            cg_c_constant(&t->head, table->type, bits);
        }
        ir_buf_printf(&t->head,
                      " };\nstatic inline %s\n%s(int32_t i)\n{\n    return %s_data[i];\n}\n", s,
                      data, data);
    }
    if (lanes > 1 && !cg_c_made(t, name)) {
        const char *v = cg_c_type(t, table->type, lanes);
        ir_buf_printf(&t->head,
                      "static inline %s\n%s(%s x)\n{\n    %s r = { 0 };\n    for (int i = 0; i "
                      "< %d; i++)\n"
                      "        r[i] = %s(x[i]);\n    return r;\n}\n",
                      v, name, cg_c_type(t, COT_I32, lanes), v, lanes, data);
    }
    return name;
}

/* -- memory -- */

const char *
cg_c_load(cg_c_text *t, cot_dtype type, int lanes, bool dense, bool when)
{
    const char *name = ir_format(t->arena, "load%s%s_%sx%d", dense ? "" : "_at",
                                 when ? "_when" : "", cot_dtype_name(type), lanes);
    if (cg_c_made(t, name))
        return name;
    const char *v = cg_c_type(t, type, lanes), *s = c_scalar[type],
               *at = cg_c_type(t, COT_I64, lanes);
    const char *m = cg_c_type(t, COT_BOOL, lanes);
    const char *mask = type == COT_BOOL ? "-(int32_t)" : "";
    ir_buf_printf(
        &t->head, "static inline %s\n%s(const %s *p, %s k%s%s%s)\n{\n    %s r = { 0 };\n", v,
        name, s, dense ? "int64_t" : at, when ? ", " : "", when ? m : "", when ? " m" : "", v);
    if (dense && !when && type != COT_BOOL)
        ir_buf_str(&t->head, "    memcpy(&r, p + k, sizeof r);\n");
    else
        ir_buf_printf(
            &t->head, "    for (int i = 0; i < %d; i++)\n        r[i] = %s%sp[%s]%s;\n", lanes,
            when ? "m[i] ? " : "", mask, dense ? "k + i" : "k[i]", when ? " : 0" : "");
    ir_buf_str(&t->head, "    return r;\n}\n");
    return name;
}

const char *
cg_c_store(cg_c_text *t, cot_dtype type, int lanes, bool dense, bool when)
{
    const char *name = ir_format(t->arena, "store%s%s_%sx%d", dense ? "" : "_at",
                                 when ? "_when" : "", cot_dtype_name(type), lanes);
    if (cg_c_made(t, name))
        return name;
    const char *v = cg_c_type(t, type, lanes), *s = c_scalar[type],
               *at = cg_c_type(t, COT_I64, lanes);
    const char *m = cg_c_type(t, COT_BOOL, lanes);
    ir_buf_printf(&t->head, "static inline void\n%s(%s *p, %s k, %s x%s%s%s)\n{\n", name, s,
                  dense ? "int64_t" : at, v, when ? ", " : "", when ? m : "", when ? " m" : "");
    if (dense && !when && type != COT_BOOL)
        ir_buf_str(&t->head, "    memcpy(p + k, &x, sizeof x);\n}\n");
    else
        ir_buf_printf(&t->head,
                      "    for (int i = 0; i < %d; i++)\n        %sp[%s] = x[i]%s;\n}\n", lanes,
                      when ? "if (m[i]) " : "", dense ? "k + i" : "k[i]",
                      type == COT_BOOL ? " != 0" : "");
    return name;
}

void
cg_c_constant(ir_buf *b, cot_dtype type, uint64_t bits)
{
    if (type == COT_F32 || type == COT_F64) {
        float f;
        double d;
        uint32_t low = (uint32_t)bits;
        memcpy(&f, &low, 4);
        memcpy(&d, &bits, 8);
        double x = type == COT_F32 ? (double)f : d;
        const char *suffix = type == COT_F32 ? "f" : "";
        if (isnan(x) || isinf(x))
            ir_buf_printf(b, "%s__builtin_%s%s(%s)", x < 0 ? "-" : "", isnan(x) ? "nan" : "inf",
                          suffix, isnan(x) ? "\"\"" : "");
        else
            ir_buf_printf(b, "%a%s", x, suffix);
    } else if (type == COT_I64) {
        ir_buf_printf(b, bits == (uint64_t)1 << 63 ? "INT64_MIN" : "INT64_C(%lld)",
                      (long long)bits);
    } else if (type == COT_U64) {
        ir_buf_printf(b, "UINT64_C(%llu)", (unsigned long long)bits);
    } else if (ir_is_signed(type)) {
        int shift = 64 - ir_bits(type);
        ir_buf_printf(b, "(%s)%lld", c_scalar[type],
                      (long long)((int64_t)(bits << shift) >> shift));
    } else {
        ir_buf_printf(b, "(%s)%llu", c_scalar[type], (unsigned long long)bits);
    }
}
