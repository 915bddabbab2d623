/* Names and conditions of x86's vector instructions, and the macros that keep a vector in its
 * register. */
#include "codegen/c/vector.h"

/* The preprocessor condition under which x86 has instructions for this many bytes; NULL:
 * never. */
const char *
cg_c_x86_has(int bytes, const char *least)
{
    return bytes == 64   ? "defined(COT_SSE2) && defined(__AVX512F__)"
           : bytes == 32 ? "defined(COT_SSE2) && defined(__AVX__)"
           : bytes == 16 ? least
                         : NULL;
}

/* The name of an intrinsic, "_mm256_max_ps", and the type of its arguments. */
const char *
cg_c_x86_name(cg_c_text *t, const char *name, int bytes, cot_dtype type)
{
    return ir_format(t->arena, "_mm%s_%s_%s",
                     bytes == 64   ? "512"
                     : bytes == 32 ? "256"
                                   : "",
                     name, cot_dtype_size(type) == 4 ? "ps" : "pd");
}

const char *
cg_c_x86_type(cg_c_text *t, int bytes, cot_dtype type)
{
    return ir_format(t->arena, "__m%d%s", bytes * 8, cot_dtype_size(type) == 4 ? "" : "d");
}

const char *
cg_c_hold(cg_c_text *t, int bytes, const char *name, bool clang)
{
    const char *has = cg_c_x86_has(bytes, "defined(COT_SSE2)");

    if (has && !clang)
        has = ir_format(t->arena, "%s && !defined(__clang__)", has);
    return has ? ir_format(t->arena, "#if %s\n    COT_HELD(%s);\n#endif\n", has, name) : "";
}

const char *
cg_c_settled(cg_c_text *t)
{
    const char *has = cg_c_x86_has(t->bits / 8, "defined(COT_SSE2)");

    if (!cg_c_new_name(t, &t->own, "COT_SETTLED"))
        return "COT_SETTLED";
    if (has)
        ir_buf_printf(
            &t->head,
            "/* x is computed before what follows.  clang would interleave distant steps of "
            "independent sums,\n * which need more registers than there are. */\n"
            "#if %s && defined(__clang__)\n#define COT_SETTLED(x) COT_HELD(x)\n#else\n",
            has);
    ir_buf_printf(&t->head, "#define COT_SETTLED(x) ((void)0)\n%s", has ? "#endif\n" : "");
    return "COT_SETTLED";
}

/* The suffix of a type in the names of intrinsics: "ps", "epi64". */
const char *
cg_c_x86_suffix(cot_dtype type)
{
    return type == COT_F32   ? "ps"
           : type == COT_F64 ? "pd"
           : type == COT_I32 ? "epi32"
           : type == COT_U32 ? "epu32"
           : type == COT_I64 ? "epi64"
                             : "epu64";
}

/* For vectors of 64 bytes: y where the bit of a mask is set.  The instruction that computes y
 * may include the blend. */
const char *
cg_c_x86_blended(cg_c_text *t, const cg_c_forms *f, cot_dtype type, const char *mask)
{
    const char *m = cg_c_is_real(type) ? cg_c_x86_type(t, 64, type) : "__m512i",
               *tail = cg_c_x86_suffix(cg_c_is_real(type) ? type : cg_c_signed_like(type));

    return ir_format(t->arena, "return (%s)_mm512_mask_blend_%s(%s, (%s)z, (%s)y);", f->type,
                     tail, mask, m, m);
}
