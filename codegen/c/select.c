/* A comparison and its select in one function, and the smaller or larger of two.
 *
 * x86 does each in one instruction, where compilers that see a mask and bits need three. */
#include "codegen/c/vector.h"

/* x if it is smaller (or larger) than y, otherwise y, also for NaN: this is what x86's minimum
 * and maximum do. */
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
                      cg_c_x86_blended(t, &f, type,
                                       ir_format(t->arena, "_mm512_cmp%s_%s_mask((%s)a, (%s)b)",
                                                 verb[op], cg_c_x86_suffix(from), cast, cast)));
    } else if (has)
        ir_buf_printf(&t->head, "#if %s\n    return (%s)%s((%s)z, (%s)y, (%s)%s);\n#else\n",
                      has, f.type, cg_c_x86_name(t, "blendv", bytes, type), m, m, m, c);
    ir_buf_printf(&t->head, "    return %s;\n%s}\n", cg_c_choose(t, &f, c, "y", "z"),
                  has ? "#endif\n" : "");
    return name;
}
