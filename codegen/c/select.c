/* Choices by lane: a select, a comparison and its select in one, the lesser or larger.
 *
 * x86 chooses by one instruction where compilers that see masks and bits make three. */
#include "codegen/c/vector.h"

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
blended(cg_c_text *t, const cg_c_forms *f, cot_dtype type, const char *mask)
{
    const char *m = cg_c_is_real(type) ? cg_c_x86_type(t, 64, type) : "__m512i",
               *tail = x86_tail(cg_c_is_real(type) ? type : cg_c_signed_like(type));

    return ir_format(t->arena, "return (%s)_mm512_mask_blend_%s(%s, (%s)z, (%s)y);", f->type,
                     tail, mask, m, m);
}

/* Of 64 bytes a BOOL becomes a mask of bits again, which clang sees through, and gcc does not:
 * where lanes are as wide as a BOOL's it chooses the bits. */
const char *
cg_c_selected(cg_c_text *t, const cg_c_forms *f, cot_dtype type, int lanes)
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
                         blended(t, f, type,
                                 lanes == 8 ? "_mm256_movepi32_mask((__m256i)x)"
                                            : "_mm512_movepi32_mask((__m512i)x)"),
                         has, f->type, cg_c_widened(t, type, f, "x"), plain);
    const char *m = cg_c_x86_type(t, bytes, type);
    return ir_format(
        t->arena, "\n#if %s\n    return (%s)%s((%s)z, (%s)y, (%s)%s);\n#else\n    %s\n#endif",
        has, f->type, cg_c_x86_name(t, "blendv", bytes, type), m, m, m,
        cg_c_widened(t, type, f, "x"), plain);
}

/* x if it is less (or larger), else y, a NaN among them: what x86's least and largest are. */
const char *
cg_c_limit(cg_c_text *t, ir_sc_op op, cot_dtype type, int lanes)
{
    const char *verb = op == SC_max ? "max" : "min",
               *name = ir_format(t->arena, "%s_or_%sx%d", verb, cot_dtype_name(type), lanes);
    const int bytes = lanes * (int)cot_dtype_size(type);
    const cg_c_forms f = cg_c_forms_of(t, type, lanes);
    const char *has = cg_c_x86_has(bytes, "defined(COT_SSE2)"),
               *order[] = { op == SC_max ? "y" : "x", op == SC_max ? "x" : "y" };
    const char *less = cg_c_apply(t, SC_lt, type, type, lanes, order);
    const char *plain =
        cg_c_apply(t, SC_select, type, type, lanes, (const char *const[]){ less, "x", "y" });

    if (!cg_c_new_name(t, &t->own, name))
        return name;
    ir_buf_printf(&t->head, "COT_FN %s\n%s(%s x, %s y)\n{\n", f.type, name, f.type, f.type);
    if (has) {
        const char *m = cg_c_x86_type(t, bytes, type);
        ir_buf_printf(&t->head, "#if %s\n    return (%s)%s((%s)x, (%s)y);\n#else\n", has,
                      f.type, cg_c_x86_name(t, verb, bytes, type), m, m);
    }
    ir_buf_printf(&t->head, "    return %s;\n%s}\n", plain, has ? "#endif\n" : "");
    return name;
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
    const cg_c_forms f = cg_c_forms_of(t, type, lanes), g = cg_c_forms_of(t, from, lanes);
    const int bytes = lanes * (int)cot_dtype_size(type);
    const char *m = cg_c_x86_type(t, bytes, type),
               *has = cg_c_x86_has(bytes, "defined(COT_SSE2) && defined(__SSE4_1__)"),
               *c = ir_format(t->arena, "(a %s b)", order[op]);

    if (!cg_c_new_name(t, &t->own, name))
        return name;
    ir_buf_printf(&t->head, "COT_FN %s\n%s(%s a, %s b, %s y, %s z)\n{\n", f.type, name, g.type,
                  g.type, f.type, f.type);
    if (bytes == 64) {
        const char *cast = cg_c_is_real(from) ? cg_c_x86_type(t, 64, from) : "__m512i";
        ir_buf_printf(&t->head, "#if %s\n    %s\n#else\n", has,
                      blended(t, &f, type,
                              ir_format(t->arena, "_mm512_cmp%s_%s_mask((%s)a, (%s)b)",
                                        verb[op], x86_tail(from), cast, cast)));
    } else if (has)
        ir_buf_printf(&t->head, "#if %s\n    return (%s)%s((%s)z, (%s)y, (%s)%s);\n#else\n",
                      has, f.type, cg_c_x86_name(t, "blendv", bytes, type), m, m, m, c);
    ir_buf_printf(&t->head, "    return %s;\n%s}\n", cg_c_choose(t, &f, c, "y", "z"),
                  has ? "#endif\n" : "");
    return name;
}
