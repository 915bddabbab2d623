/* Values of the current kernel as text: copies over unroll loops, lanes of the vector loop. */
#include "codegen/c/emit.h"

#include <inttypes.h>
#include <stdarg.h>

#include "ir/diag.h"

const char *
cg_c_format(cg_c_emit *e, const char *format, ...)
{
    ir_buf b;
    va_list ap;

    ir_buf_init(&b, e->t->arena);
    va_start(ap, format);
    ir_buf_vprintf(&b, format, ap);
    va_end(ap);
    return b.text;
}

void
cg_c_line(cg_c_emit *e, const char *format, ...)
{
    va_list ap;

    if (e->marks)
        ir_buf_str(e->b, e->marks);
    for (int i = 0; i < e->indent; i++)
        ir_buf_str(e->b, "    ");
    va_start(ap, format);
    ir_buf_vprintf(e->b, format, ap);
    va_end(ap);
    ir_buf_str(e->b, "\n");
}

void
cg_c_refuse(cg_c_emit *e, const char *what)
{
    if (e->t->status == COT_OK)
        e->t->status = ir_fail(e->t->ctx, e->k->loc, e->k->name, ERR_target, what);
}

int
cg_c_lanes(const cg_c_emit *e, uint32_t set)
{
    return e->vector_level >= 0 && (set >> e->vector_level & 1)
               ? e->level[e->vector_level].lanes
               : 1;
}

int
cg_c_copies(const cg_c_emit *e, uint32_t set)
{
    int n = 1;

    for (int i = 0; i < e->n_levels; i++)
        if (set >> i & 1)
            n *= e->level[i].copies;
    return n;
}

int
cg_c_copy_for(const cg_c_emit *e, uint32_t set, int c, uint32_t of)
{
    int digit[CG_C_LEVELS] = { 0 }, copy = 0;

    for (int i = e->n_levels; i-- > 0;)
        if (set >> i & 1) {
            digit[i] = c % e->level[i].copies;
            c /= e->level[i].copies;
        }
    for (int i = 0; i < e->n_levels; i++)
        if (of >> i & 1)
            copy = copy * e->level[i].copies + digit[i];
    return copy;
}

int
cg_c_copy_at(const cg_c_emit *e, uint32_t inner, uint32_t set, int c, int own, int u)
{
    int copy = 0;

    while (cg_c_copy_for(e, inner, copy, set) != c ||
           cg_c_copy_for(e, inner, copy, (uint32_t)1 << own) != u)
        copy++;
    return copy;
}

const char *
cg_c_int(cg_c_emit *e, int64_t x)
{
    return cg_c_constant(e->t, COT_I64, (uint64_t)x);
}

const char *
cg_c_value(cg_c_emit *e, cg_val v, int copy)
{
    const cg_insn *i = &e->k->insn[v];

    if (i->op == SC_const)
        return cg_c_constant(e->t, (cot_dtype)i->type, i->imm);
    if (i->op == CG_PARAM)
        return cg_c_format(e, "p%u", (unsigned)i->imm);
    if (e->known[v].at && !e->known[v].based && cg_c_lanes(e, e->divergence[v]) == 1)
        return cg_c_int(e, e->known[v].at[copy]);
    if (e->inlined[v] && e->inlined[v][copy])
        return e->inlined[v][copy];
    if (i->op == CG_VAR && e->divergence[v] == 0)
        return cg_c_format(e, "i%u", v);
    return cg_c_copies(e, e->divergence[v]) == 1 ? cg_c_format(e, "v%u", v)
                                                 : cg_c_format(e, "v%u_%d", v, copy);
}

/* A vector of constants, "(i64x4){ 3, 1, 4, 1 }". */
static const char *
constant_lanes(cg_c_emit *e, cg_val v, int copy, int lanes)
{
    const cot_dtype type = cg_type(e->k, v);
    const char *s = cg_c_format(e, "(%s){", cg_c_type(e->t, type, lanes));

    for (int l = 0; l < lanes; l++) {
        const int64_t x = e->known[v].at[copy * lanes + l];
        s = cg_c_format(e, "%s%s %s", s, l ? "," : "", cg_c_int(e, type == COT_BOOL ? -x : x));
    }
    return cg_c_format(e, "%s }", s);
}

const char *
cg_c_use(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes)
{
    const uint32_t own = e->divergence[v];
    const int copy = cg_c_copy_for(e, set, c, own);

    if (lanes > 1 && cg_c_lanes(e, own) == 1)
        return cg_c_format(e, "%s(%s)", cg_c_splat(e->t, cg_type(e->k, v), lanes),
                           cg_c_value(e, v, copy));
    if (lanes > 1 && e->known[v].at && e->known[v].based)
        return cg_c_apply(
            e->t, SC_add, COT_I64, COT_I64, lanes,
            (const char *const[]){ cg_c_format(e, "%s(%s)", cg_c_splat(e->t, COT_I64, lanes),
                                               cg_c_value(e, v, copy)),
                                   constant_lanes(e, v, copy, lanes) });
    if (lanes > 1 && e->known[v].at)
        return constant_lanes(e, v, copy, lanes);
    if (lanes > 1 && e->known[v].slope)
        return cg_c_format(e, "%s(%s, %s)", cg_c_ramp(e->t, COT_I64, lanes),
                           cg_c_value(e, v, copy), cg_c_int(e, e->known[v].slope));
    if (lanes > 1 && e->narrow[v] && cg_type(e->k, v) == COT_I64)
        return cg_c_apply(e->t, SC_cvt, COT_I64, COT_I32, lanes,
                          (const char *const[]){ cg_c_value(e, v, copy) });
    return cg_c_value(e, v, copy);
}

void
cg_c_declare(cg_c_emit *e, cg_val v, cot_dtype type)
{
    const uint32_t set = e->divergence[v];

    for (int c = 0; c < cg_c_copies(e, set); c++)
        cg_c_line(e, "%s %s;", cg_c_type(e->t, type, cg_c_lanes(e, set)), cg_c_value(e, v, c));
}

void
cg_c_assign(cg_c_emit *e, cg_val to, cg_val from)
{
    const uint32_t set = e->divergence[to];

    for (int c = 0; c < cg_c_copies(e, set); c++)
        cg_c_line(e, "%s = %s;", cg_c_value(e, to, c),
                  cg_c_bare(e->t, cg_c_use(e, from, set, c, cg_c_lanes(e, set))));
}

void
cg_c_define(cg_c_emit *e, cg_val to, cg_val from, cot_dtype type)
{
    const uint32_t set = e->divergence[to];
    const int lanes = cg_c_lanes(e, set);

    for (int c = 0; c < cg_c_copies(e, set); c++) {
        const char *value = cg_c_bare(e->t, cg_c_use(e, from, set, c, lanes));
        cg_c_line(e, "%s %s = %s;", cg_c_type(e->t, type, lanes), cg_c_value(e, to, c), value);
    }
}

void
cg_c_alias(cg_c_emit *e, cg_val to, cg_val from)
{
    const int copies = cg_c_copies(e, e->divergence[to]);

    if (e->divergence[to] != e->divergence[from]) {
        cg_c_define(e, to, from, cg_type(e->k, from));
        return;
    }
    e->inlined[to] = IR_NEW_N(e->t->arena, const char *, copies);
    for (int c = 0; c < copies; c++)
        e->inlined[to][c] = cg_c_value(e, from, c);
}

/* Return from the kernel with a status. */
void
cg_c_leave_with(cg_c_emit *e, const char *status)
{
    if (!e->part) {
        cg_c_line(e, "    return %s;", status);
        return;
    }
    cg_c_line(e, "    COT_LEAVE(part->status, %s);", status);
    cg_c_line(e, "    return;");
}

void
cg_c_check_cancel(cg_c_emit *e)
{
    if (!e->t->in_process)
        return;
    cg_c_line(e, "if (*(const volatile int *)%lluu != 0) {",
              (unsigned long long)(uintptr_t)&e->t->ctx->cancelled);
    cg_c_leave_with(e, cg_c_format(e, "%d", COT_ERR_CANCELLED));
    cg_c_line(e, "}");
}
