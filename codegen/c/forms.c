/* The types related to a vector of T (vector.h), and selection by lane on their bits. */
#include "codegen/c/vector.h"

bool
cg_c_is_real(cot_dtype t)
{
    return t == COT_F32 || t == COT_F64;
}

/* The signed and unsigned integer types as wide as T. */
cot_dtype
cg_c_signed_like(cot_dtype t)
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

cg_c_forms
cg_c_forms_of(cg_c_text *t, cot_dtype type, int lanes)
{
    return (cg_c_forms){ cg_c_type(t, type, lanes), cg_c_type(t, cg_c_signed_like(type), lanes),
                         cg_c_type(t, unsigned_like(type), lanes),
                         cg_c_type(t, COT_BOOL, lanes) };
}

/* widened: the BOOL m as a vector of integers as wide as T. narrowed: a comparison of T as a
 * BOOL. */
const char *
cg_c_widened(cg_c_text *t, cot_dtype type, const cg_c_forms *f, const char *m)
{
    return cot_dtype_size(type) == 4 || type == COT_BOOL
               ? m
               : ir_format(t->arena, "__builtin_convertvector(%s, %s)", m, f->s);
}

const char *
cg_c_narrowed(cg_c_text *t, cot_dtype type, const cg_c_forms *f, const char *c)
{
    return cot_dtype_size(type) == 4 || type == COT_BOOL
               ? ir_format(t->arena, "(%s)(%s)", f->mask, c)
               : ir_format(t->arena, "__builtin_convertvector((%s)(%s), %s)", f->s, c, f->mask);
}

const char *
cg_c_choose(cg_c_text *t, const cg_c_forms *f, const char *m, const char *x, const char *y)
{
    if (*m == '(') /* m is a comparison in brackets, so nothing else */
        m = ir_format(t->arena, "(%s)%s", f->s, m);
    if (strcmp(f->type, f->s) == 0)
        return ir_format(t->arena, "(%s & %s) | (~%s & %s)", m, x, m, y);
    return ir_format(t->arena, "(%s)((%s & (%s)%s) | (~%s & (%s)%s))", f->type, m, f->s, x, m,
                     f->s, y);
}
