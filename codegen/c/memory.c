/* Functions that load and store vectors (c.h).  Lanes that the mask excludes touch no
 * memory. */
#include "codegen/c/c.h"

/* The expression for the element of lane '#', by shape. */
static const char *
element(cg_c_shape s)
{
    return s == CG_C_DENSE  ? "p[#]"
           : s == CG_C_BACK ? "p[-#]"
           : s == CG_C_STEP ? "p[# * step]"
                            : "p[at[#]]";
}

static const char *
name_of(cg_c_text *t, const char *verb, cot_dtype type, int lanes, cg_c_shape s, cg_c_when w)
{
    static const char *const shape[] = { "", "_back", "_step", "_at", "_at32" },
                             *const when[] = { "", "_part", "_if" };

    return ir_format(t->arena, "%s%s%s_%sx%d", verb, shape[s], when[w], cot_dtype_name(type),
                     lanes);
}

static const char *
where(cg_c_text *t, int lanes, cg_c_shape s)
{
    return s == CG_C_STEP ? ", int64_t step"
           : s >= CG_C_AT ? ir_format(t->arena, ", %s at",
                                      cg_c_type(t, s == CG_C_AT ? COT_I64 : COT_I32, lanes))
                          : "";
}

static const char *
which(cg_c_text *t, int lanes, cg_c_when w)
{
    return w == CG_C_PART   ? ", int64_t n"
           : w == CG_C_MASK ? ir_format(t->arena, ", %s m", cg_c_type(t, COT_BOOL, lanes))
                            : "";
}

static const char *const x86_mask[] = {
    [4] = "__AVX2__", [8] = "__AVX2__", [16] = "__AVX512F__"
};

/* x86's masked load or store, where it has one for the type: "_mm256_maskload_ps((const float
 * *)p, mask". */
static const char *
x86_move(cg_c_text *t, bool load, cot_dtype type, int lanes, cg_c_when w)
{
    const bool real = type == COT_F32;
    const char *m =
        w == CG_C_PART ? ir_format(t->arena, "%s(n, 0)", cg_c_below(t, lanes, false)) : "m";

    if ((!real && type != COT_I32 && type != COT_U32) ||
        (lanes != 4 && lanes != 8 && lanes != 16))
        return NULL;
    if (lanes == 16)
        return ir_format(
            t->arena,
            load ? "_mm512_maskz_loadu_%s(_mm512_test_epi32_mask((__m512i)%s, (__m512i)%s), p"
                 : "_mm512_mask_storeu_%s(p, _mm512_test_epi32_mask((__m512i)%s, (__m512i)%s)",
            real ? "ps" : "epi32", m, m);
    return ir_format(t->arena, "_mm%s_mask%s_%s((%s%s *)p, (__m%di)%s", lanes == 8 ? "256" : "",
                     load ? "load" : "store", real ? "ps" : "epi32", load ? "const " : "",
                     real ? "float" : "int", lanes * 32, m);
}

/* Loads and stores of eight or sixteen BOOLs, which gcc would do byte by byte through
 * memory. */
#define EIGHT "#if defined(COT_SSE2) && defined(__AVX2__)\n"
#define SIXTEEN "#if defined(COT_SSE2) && defined(__AVX512F__)\n"
static const char load_eight[] =
    EIGHT "    return (i32x8)_mm256_cmpgt_epi32(\n"
          "        _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p)),\n"
          "        _mm256_setzero_si256());\n#else\n";
static const char load_sixteen[] = SIXTEEN
    "    const __m512i w = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void "
    "*)p));\n"
    "    return (i32x16)_mm512_maskz_set1_epi32(_mm512_test_epi32_mask(w, w), -1);\n#else\n";
static const char store_eight[] = EIGHT
    "    __m128i w = _mm_packs_epi32(_mm256_castsi256_si128((__m256i)x),\n"
    "                                _mm256_extracti128_si256((__m256i)x, 1));\n"
    "    _mm_storel_epi64((__m128i *)(void *)p,\n"
    "                     _mm_and_si128(_mm_packs_epi16(w, w), _mm_set1_epi8(1)));\n#else\n";
static const char store_sixteen[] =
    SIXTEEN "    _mm_storeu_si128((__m128i *)(void *)p,\n"
            "                     _mm512_cvtepi32_epi8(_mm512_and_si512((__m512i)x, "
            "_mm512_set1_epi32(1))));\n#else\n";

/* The text above for this number of lanes, up to its #else; "" if there is none. */
static const char *
truths(int lanes, bool load)
{
    return lanes == 8    ? load ? load_eight : store_eight
           : lanes == 16 ? load ? load_sixteen : store_sixteen
                         : "";
}

/* clang gathers separate elements of 4 or 8 bytes unless some element of each 16 bytes differs
 * from the others.  Is this the lane that is made to differ? */
static bool
is_alone(cot_dtype type, int lane)
{
    const int bytes = (int)cot_dtype_size(type);

    return (bytes == 4 || bytes == 8) && (lane + 1) * bytes % 16 == 0;
}

const char *
cg_c_alone(cg_c_text *t, cot_dtype type, int lane, const char *x)
{
    const char *name = ir_format(t->arena, "alone_%s", cot_dtype_name(type));
    const bool real = type == COT_F32 || type == COT_F64;

    if (!is_alone(type, lane))
        return x;
    if (cg_c_new_name(t, &t->shared, name)) {
        const char *s = cg_c_type(t, type, 1);
        ir_buf_printf(&t->common,
                      "COT_FN %s\n%s(%s x)\n{\n    COT_ALONE(\"%c\", x);\n    return x;\n}\n",
                      s, name, s, real ? 'v' : 'r');
    }
    return ir_format(t->arena, "%s(%s)", name, x);
}

/* The elements at a stride, "{ p[0 * step], p[1 * step], ... }". */
static const char *
stepwise(cg_c_text *t, cot_dtype type, int lanes)
{
    const char *s = "{";

    for (int l = 0; l < lanes; l++)
        s = ir_format(t->arena, "%s%s %s", s, l ? "," : "",
                      cg_c_alone(t, type, l, ir_format(t->arena, "p[%d * step]", l)));
    return ir_format(t->arena, "%s }", s);
}

/* Prevents gcc from keeping the scalar indices of all lanes for the next load, which needs more
 * registers than there are. */
static const char *
indices_of(cg_c_text *t, cg_c_shape s, int lanes)
{
    return cg_c_hold(t, lanes * (s == CG_C_AT ? 8 : 4), "at", false);
}

/* A variable with the lanes of a mask as bits, where each lane is tested by itself; "": the
 * lanes of the vector are tested. */
static const char *
mask_bits(int lanes)
{
    return lanes == 16
               ? "#if defined(COT_SSE2) && defined(__AVX512F__)\n"
                 "    const uint32_t bits = _mm512_test_epi32_mask((__m512i)m, (__m512i)m);\n"
           : lanes == 8 ? "#if defined(COT_SSE2) && defined(__AVX__)\n"
                          "    const uint32_t bits = (uint32_t)_mm256_movemask_ps((__m256)m);\n"
           : lanes == 4 ? "#if defined(COT_SSE2)\n"
                          "    const uint32_t bits = (uint32_t)_mm_movemask_ps((__m128)m);\n"
                        : "";
}

/* The body of a load that addresses or tests each lane: x86's own instruction where it has one,
 * else the elements one by one. */
static void
load_by_lanes(cg_c_text *t, cot_dtype type, int lanes, cg_c_shape s, cg_c_when w, ir_buf *b)
{
    const char *v = cg_c_type(t, type, lanes);
    const char *truth =
        type == COT_BOOL ? ir_format(t->arena, "-(int32_t)(%s != 0)", element(s)) : element(s);
    const char *cond = w == CG_C_PART   ? "# < n ? "
                       : w == CG_C_MASK ? "m[#] ? "
                                        : "",
               *bits = "";
    const char *x86 = s == CG_C_DENSE ? x86_move(t, true, type, lanes, w) : NULL;
    if (x86)
        ir_buf_printf(b, "#if defined(%s)\n    return (%s)%s);\n#else\n", x86_mask[lanes], v,
                      x86);
    if (s >= CG_C_AT)
        ir_buf_str(b, indices_of(t, s, lanes));
    if (!x86 && w == CG_C_MASK)
        bits = mask_bits(lanes);
    if (*bits)
        ir_buf_printf(
            b, "%s    return (%s)%s;\n#else\n", bits, v,
            cg_c_lanes_text(t, lanes, ir_format(t->arena, "bits >> # & 1 ? %s : 0", truth)));
    ir_buf_printf(
        b, "    return (%s)%s;\n%s}\n", v,
        cg_c_lanes_text(t, lanes, ir_format(t->arena, "%s%s%s", cond, truth, w ? " : 0" : "")),
        x86 || *bits ? "#endif\n" : "");
}

const char *
cg_c_load(cg_c_text *t, cot_dtype type, int lanes, cg_c_shape s, cg_c_when w)
{
    const char *name = name_of(t, "load", type, lanes, s, w), *v = cg_c_type(t, type, lanes);
    ir_buf b;

    if (!cg_c_new_name(t, &t->own, name))
        return name;
    ir_buf_init(&b, t->arena);
    const char *mask = which(t, lanes, w), *at = where(t, lanes, s);
    ir_buf_printf(&b, "COT_FN %s\n%s(const %s *p%s%s)\n{\n", v, name, cg_c_type(t, type, 1), at,
                  mask);
    if (s == CG_C_DENSE && w == CG_C_ALWAYS) {
        const char *u = cg_c_type(t, type == COT_BOOL ? COT_U8 : type, lanes);
        if (type == COT_BOOL)
            ir_buf_printf(&b,
                          "%s    return (%s)(__builtin_convertvector(*(const %s_at *)p, %s) != "
                          "0);\n%s}\n",
                          truths(lanes, true), v, u, v, *truths(lanes, true) ? "#endif\n" : "");
        else
            ir_buf_printf(&b, "    return *(const %s_at *)p;\n}\n", u);
    } else if (s == CG_C_BACK && w == CG_C_ALWAYS && type != COT_BOOL) {
        ir_buf_printf(&b, "    %s x = *(const %s_at *)(p - %d);\n    return %s;\n}\n", v, v,
                      lanes - 1, cg_c_reversed(t, type, lanes, "x"));
    } else if (s == CG_C_STEP && w == CG_C_ALWAYS && type != COT_BOOL) {
        ir_buf_printf(&b, "    return (%s)%s;\n}\n", v, stepwise(t, type, lanes));
    } else {
        load_by_lanes(t, type, lanes, s, w, &b);
    }
    ir_buf_str(&t->head, b.text);
    return name;
}

const char *
cg_c_load_held(cg_c_text *t, cot_dtype type, int lanes)
{
    const char *name = ir_format(t->arena, "held_%sx%d", cot_dtype_name(type), lanes),
               *v = cg_c_type(t, type, lanes);

    if (cg_c_new_name(t, &t->own, name))
        ir_buf_printf(&t->head,
                      "COT_FN %s\n%s(const %s *p)\n{\n    %s x = *(const %s_at *)p;\n%s    "
                      "return x;\n}\n",
                      v, name, cg_c_type(t, type, 1), v, v,
                      cg_c_hold(t, lanes * (int)cot_dtype_size(type), "x", false));
    return name;
}

static void
store_by_lanes(cg_c_text *t, cot_dtype type, int lanes, cg_c_shape s, cg_c_when w, ir_buf *b)
{
    const char *x86 = s == CG_C_DENSE ? x86_move(t, false, type, lanes, w) : NULL;
    if (x86)
        ir_buf_printf(b, "#if defined(%s)\n    %s, (__m%d%s)x);\n#else\n", x86_mask[lanes], x86,
                      lanes * 32, type == COT_F32 ? "" : "i");
    for (int i = 0; i < lanes; i++) {
        ir_buf_str(b, "    ");
        if (w == CG_C_PART)
            ir_buf_printf(b, "if (%d < n) ", i);
        else if (w == CG_C_MASK)
            ir_buf_printf(b, "if (m[%d]) ", i);
        for (const char *c = element(s); *c; c++)
            if (*c == '#')
                ir_buf_printf(b, "%d", i);
            else
                ir_buf_add(b, c, 1);
        ir_buf_printf(b, " = x[%d]%s;\n", i, type == COT_BOOL ? " != 0" : "");
    }
    ir_buf_printf(b, "%s}\n", x86 ? "#endif\n" : "");
}

const char *
cg_c_store(cg_c_text *t, cot_dtype type, int lanes, cg_c_shape s, cg_c_when w)
{
    const char *name = name_of(t, "store", type, lanes, s, w), *v = cg_c_type(t, type, lanes);
    ir_buf b;

    if (!cg_c_new_name(t, &t->own, name))
        return name;
    ir_buf_init(&b, t->arena);
    const char *mask = which(t, lanes, w), *at = where(t, lanes, s);
    ir_buf_printf(&b, "COT_FN void\n%s(%s *p%s, %s x%s)\n{\n", name, cg_c_type(t, type, 1), at,
                  v, mask);
    if (s == CG_C_DENSE && w == CG_C_ALWAYS) {
        const char *u = cg_c_type(t, type == COT_BOOL ? COT_U8 : type, lanes);
        if (type == COT_BOOL)
            ir_buf_printf(&b, "%s    *(%s_at *)p = __builtin_convertvector(x & 1, %s);\n%s}\n",
                          truths(lanes, false), u, u, *truths(lanes, false) ? "#endif\n" : "");
        else
            ir_buf_printf(&b, "    *(%s_at *)p = x;\n}\n", u);
        ir_buf_str(&t->head, b.text);
        return name;
    }
    if (s == CG_C_BACK && w == CG_C_ALWAYS && type != COT_BOOL) {
        ir_buf_printf(&b, "    *(%s_at *)(p - %d) = %s;\n}\n", v, lanes - 1,
                      cg_c_reversed(t, type, lanes, "x"));
        ir_buf_str(&t->head, b.text);
        return name;
    }
    store_by_lanes(t, type, lanes, s, w, &b);
    ir_buf_str(&t->head, b.text);
    return name;
}
