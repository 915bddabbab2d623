/* Vectors made from a scalar, and functions across lanes or for each lane: folds, tests of any
 * lane, tables, slow paths. */
#include "codegen/c/vector.h"

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
                      "    return (%s)(lane * (%s)step + (%s)x);\n}\n",
                      v, name, u, cg_c_lanes_text(t, lanes, "#"), v, one, one);
    }
    return name;
}

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

/* Returns a function whose result in lanes that do not need the slow path is r, its
 * argument. */
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
    ir_buf_printf(&b, "COT_COLD %s\n%s(%s m, %s r", v, name, m, v);
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
