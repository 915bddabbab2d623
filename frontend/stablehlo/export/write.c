/* The lines of StableHLO text: names, types, constants, attributes. */
#include "frontend/stablehlo/export/export.h"

#include <math.h>
#include <stdio.h>

#include "ir/scalar.h"

void
fe_hlo_put(hlo_write *w, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    ir_buf_vprintf(w->text, format, ap);
    va_end(ap);
}

void
fe_hlo_indent(hlo_write *w)
{
    fe_hlo_put(w, "%*s", 2 * w->indent, "");
}

const char *
fe_hlo_new(hlo_write *w)
{
    return ir_format(w->a, "%%%d", w->next++);
}

/* ---- types ---- */

static const char *
element_text(cot_dtype t)
{
    switch (t) {
    case COT_BOOL: return "i1";
    case COT_U8: return "ui8";
    case COT_U16: return "ui16";
    case COT_U32: return "ui32";
    case COT_U64: return "ui64";
    case COT_C64: return "complex<f32>";
    case COT_C128: return "complex<f64>";
    default: return cot_dtype_name(t);
    }
}

const char *
fe_hlo_type_text(hlo_write *w, const ir_type *t)
{
    ir_buf b;

    ir_buf_init(&b, w->a);
    ir_buf_str(&b, "tensor<");
    for (int i = 0; i < t->rank; i++)
        ir_buf_printf(&b, "%lldx", (long long)t->dims[i]);
    ir_buf_printf(&b, "%s>", element_text(t->dtype));
    return b.text;
}

void
fe_hlo_put_types(hlo_write *w, int n, const ir_type *const *type)
{
    for (int i = 0; i < n; i++)
        fe_hlo_put(w, "%s%s", i ? ", " : "", fe_hlo_type_text(w, type[i]));
}

void
fe_hlo_put_signature(hlo_write *w, int n_in, const ir_type *const *in, int n_out,
                     const ir_type *const *out)
{
    fe_hlo_put(w, " : (");
    fe_hlo_put_types(w, n_in, in);
    fe_hlo_put(w, n_out == 1 ? ") -> " : ") -> (");
    fe_hlo_put_types(w, n_out, out);
    fe_hlo_put(w, n_out == 1 ? "\n" : ")\n");
}

void
fe_hlo_put_names(hlo_write *w, int n, const char *const *name)
{
    for (int i = 0; i < n; i++)
        fe_hlo_put(w, "%s%s", i ? ", " : "", name[i]);
}

void
fe_hlo_put_ints(hlo_write *w, int n, const int64_t *at)
{
    for (int i = 0; i < n; i++)
        fe_hlo_put(w, "%s%lld", i ? ", " : "", (long long)at[i]);
}

void
fe_hlo_put_list(hlo_write *w, const char *name, ir_ints at)
{
    fe_hlo_put(w, "%s = [", name);
    fe_hlo_put_ints(w, at.n, at.at);
    fe_hlo_put(w, "]");
}

/* ---- constants ---- */

/* A decimal has a point, as MLIR wants; what is not finite is given by its bits. */
static void
put_float(hlo_write *w, cot_dtype t, const char *p)
{
    uint64_t bits = 0;
    double x;
    float f;
    ir_buf b;

    memcpy(&bits, p, cot_dtype_size(t));
    if (t == COT_F64)
        memcpy(&x, p, 8);
    else if (t == COT_F32)
        memcpy(&f, p, 4), x = (double)f;
    else
        x = (double)(t == COT_F16 ? cot_f16_to_f32((uint16_t)bits)
                                  : cot_bf16_to_f32((uint16_t)bits));
    if (!isfinite(x)) {
        fe_hlo_put(w, "0x%0*llX", 2 * (int)cot_dtype_size(t), (unsigned long long)bits);
        return;
    }
    ir_buf_init(&b, w->a);
    if (t == COT_F64)
        ir_buf_f64(&b, x);
    else
        ir_buf_f32(&b, (float)x);
    const char *e = strchr(b.text, 'e'), *point = strchr(b.text, '.');
    const int digits = e ? (int)(e - b.text) : (int)b.n;
    fe_hlo_put(w, "%.*s%s%s", digits, b.text, point ? "" : ".0", e ? e : "");
}

static void
put_element(hlo_write *w, cot_dtype t, const char *p)
{
    const cot_dtype part = t == COT_C64 ? COT_F32 : COT_F64;
    int64_t i = 0;

    if (t == COT_C64 || t == COT_C128) {
        fe_hlo_put(w, "(");
        put_float(w, part, p);
        fe_hlo_put(w, ",");
        put_float(w, part, p + cot_dtype_size(part));
        fe_hlo_put(w, ")");
        return;
    }
    if (ir_is_float(t)) {
        put_float(w, t, p);
        return;
    }
    switch (t) {
    case COT_BOOL: fe_hlo_put(w, "%s", *p ? "true" : "false"); return;
    case COT_I8: i = *(const int8_t *)p; break;
    case COT_I16: i = *(const int16_t *)p; break;
    case COT_I32: i = *(const int32_t *)p; break;
    default: memcpy(&i, p, cot_dtype_size(t)); break;
    }
    fe_hlo_put(w, t == COT_U64 ? "%llu" : "%lld", (long long)i);
}

static const char *
put_list(hlo_write *w, const ir_type *t, int axis, const char *p)
{
    if (axis == t->rank) {
        put_element(w, t->dtype, p);
        return p + cot_dtype_size(t->dtype);
    }
    fe_hlo_put(w, "[");
    for (int64_t i = 0; i < t->dims[axis]; i++) {
        fe_hlo_put(w, i ? ", " : "");
        p = put_list(w, t, axis + 1, p);
    }
    fe_hlo_put(w, "]");
    return p;
}

static void
put_hex(hlo_write *w, const unsigned char *p, size_t n)
{
    static const char digit[] = "0123456789ABCDEF";
    char chunk[512];
    size_t k = 0;

    fe_hlo_put(w, "\"0x");
    for (size_t i = 0; i < n; i++) {
        chunk[k++] = digit[p[i] >> 4];
        chunk[k++] = digit[p[i] & 15];
        if (k == sizeof chunk || i + 1 == n) {
            ir_buf_add(w->text, chunk, k);
            k = 0;
        }
    }
    fe_hlo_put(w, "\"");
}

void
fe_hlo_put_data(hlo_write *w, const ir_type *t, const void *bytes, bool splat)
{
    /* more are hexadecimal, but bools, whose bytes readers do not agree on */
    enum { LISTED = 64 };

    fe_hlo_put(w, "dense<");
    if (t->size > 0 && splat)
        put_element(w, t->dtype, bytes);
    else if (t->size > LISTED && t->dtype != COT_BOOL)
        put_hex(w, bytes, (size_t)t->size * cot_dtype_size(t->dtype));
    else if (t->size > 0)
        put_list(w, t, 0, bytes);
    fe_hlo_put(w, "> : %s", fe_hlo_type_text(w, t));
}

/* ---- attributes of ours ---- */

static void
put_string(hlo_write *w, const char *s)
{
    fe_hlo_put(w, "\"");
    for (; *s; s++)
        if (*s == '"' || *s == '\\' || *s < ' ' || *s > '~')
            fe_hlo_put(w, "\\%02X", (unsigned)(unsigned char)*s);
        else
            ir_buf_add(w->text, s, 1);
    fe_hlo_put(w, "\"");
}

static void
put_int_array(hlo_write *w, int n, const int64_t *at)
{
    fe_hlo_put(w, n ? "array<i64: " : "array<i64");
    fe_hlo_put_ints(w, n, at);
    fe_hlo_put(w, ">");
}

static void
put_axes(hlo_write *w, ir_axes axes)
{
    int64_t at[COT_MAX_RANK];
    int n = 0;

    for (int i = 0; i < COT_MAX_RANK; i++)
        if (axes & ir_axes_of(i))
            at[n++] = i;
    put_int_array(w, n, at);
}

static void
put_graphs(hlo_write *w, ir_graphs g)
{
    fe_hlo_put(w, "[");
    for (int i = 0; i < g.n; i++)
        fe_hlo_put(w, "%s@%s", i ? ", " : "", fe_hlo_function_of(w, g.at[i]));
    fe_hlo_put(w, "]");
}

static bool
is_default(const ir_field *f, const char *p)
{
    if (f->init == IR_REQUIRED)
        return false;
    switch (f->kind) {
    case IR_F_INT: return *(const int64_t *)p == f->init;
    case IR_F_FLAG:
    case IR_F_MODE: return *(const int *)p == f->init;
    case IR_F_DTYPE: return *(const cot_dtype *)p == (cot_dtype)f->init;
    case IR_F_INTS: return ((const ir_ints *)p)->n == 0;
    case IR_F_GRAPHS: return ((const ir_graphs *)p)->n == 0;
    case IR_F_TEXT: return *(const char *const *)p == NULL;
    default: return false;
    }
}

static void
put_field(hlo_write *w, const ir_field *f, const char *p)
{
    const ir_ints *ints = (const ir_ints *)p;

    fe_hlo_put(w, "%s = ", f->name);
    switch (f->kind) {
    case IR_F_INT: fe_hlo_put(w, "%lld : i64", (long long)*(const int64_t *)p); break;
    case IR_F_INTS: put_int_array(w, ints->n, ints->at); break;
    case IR_F_AXES: put_axes(w, *(const ir_axes *)p); break;
    case IR_F_DTYPE: fe_hlo_put(w, "\"%s\"", cot_dtype_name(*(const cot_dtype *)p)); break;
    case IR_F_FLAG: fe_hlo_put(w, *(const int *)p ? "true" : "false"); break;
    case IR_F_MODE: fe_hlo_put(w, "\"%s\"", ir_mode_name[*(const int *)p]); break;
    case IR_F_TEXT: put_string(w, *(const char *const *)p); break;
    case IR_F_GRAPH: fe_hlo_put(w, "@%s", fe_hlo_function_of(w, *(ir_graph *const *)p)); break;
    case IR_F_GRAPHS: put_graphs(w, *(const ir_graphs *)p); break;
    case IR_F_DATA: break; /* constants have a counterpart */
    }
}

void
fe_hlo_put_attrs(hlo_write *w, ir_op op, const ir_attrs *at)
{
    int n, k = 0;
    const ir_field *f = ir_record_fields(ir_ops[op].record, &n);

    for (int i = 0; i < n; i++) {
        const char *p = (const char *)at + f[i].offset;
        if (is_default(&f[i], p))
            continue;
        fe_hlo_put(w, k++ ? ", " : "");
        put_field(w, &f[i], p);
    }
}

/* ---- lines ---- */

const char *
fe_hlo_line1(hlo_write *w, const ir_type *t, const char *op, int n, const char *const *in,
             const ir_type *const *type, const char *format, ...)
{
    const char *y = fe_hlo_new(w);
    va_list ap;

    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = %s ", y, op);
    fe_hlo_put_names(w, n, in);
    va_start(ap, format);
    ir_buf_vprintf(w->text, format, ap);
    va_end(ap);
    fe_hlo_put_signature(w, n, type, 1, &t);
    return y;
}

static const char *
constant(hlo_write *w, const ir_data *d)
{
    const char *y = fe_hlo_new(w);

    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.constant ", y);
    fe_hlo_put_data(w, d->type, d->bytes, d->splat);
    fe_hlo_put(w, "\n");
    return y;
}

const char *
fe_hlo_number_int(hlo_write *w, const ir_type *t, int64_t x)
{
    const uint8_t yes = x != 0;
    const ir_data d = { .type = t,
                        .bytes = t->dtype == COT_BOOL ? (const void *)&yes : &x,
                        .splat = true };

    return constant(w, &d); /* little endian: the low bytes come first */
}

const char *
fe_hlo_number(hlo_write *w, const ir_type *t, double x)
{
    const float f = (float)x, pair[2] = { f, 0 };
    const double wide[2] = { x, 0 };
    const uint16_t half = t->dtype == COT_F16 ? cot_f32_to_f16(f) : cot_f32_to_bf16(f);
    const void *bytes = t->dtype == COT_F64 || t->dtype == COT_C128 ? (const void *)wide
                        : ir_is_half(t->dtype)                      ? (const void *)&half
                                                                    : (const void *)pair;

    if (!ir_is_inexact(t->dtype))
        return fe_hlo_number_int(w, t, (int64_t)x);
    return constant(w, &(ir_data){ .type = t, .bytes = bytes, .splat = true });
}

const char *
fe_hlo_compared(hlo_write *w, const char *how, const ir_type *t, const char *x, const char *y)
{
    const ir_type *to = ir_type_as(w->ctx, t, COT_BOOL);
    const char *z = fe_hlo_new(w), *by = ir_is_inexact(t->dtype) ? "FLOAT"
                                         : t->dtype == COT_BOOL || ir_is_unsigned(t->dtype)
                                             ? "UNSIGNED"
                                             : "SIGNED";

    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.compare %s, %s, %s, %s", z, how, x, y, by);
    fe_hlo_put_signature(w, 2, (const ir_type *const[]){ t, t }, 1, &to);
    return z;
}

const char *
fe_hlo_select2(hlo_write *w, const ir_type *t, const char *p, const char *x, const char *y)
{
    const char *z = fe_hlo_new(w);

    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.select %s, %s, %s : %s, %s\n", z, p, x, y,
               fe_hlo_type_text(w, ir_type_as(w->ctx, t, COT_BOOL)), fe_hlo_type_text(w, t));
    return z;
}

const char *
fe_hlo_spread_text(hlo_write *w, const ir_type *to, const ir_type *from, const char *x, int n,
                   const int64_t *dims)
{
    const char *y = fe_hlo_new(w);

    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.broadcast_in_dim %s, dims = [", y, x);
    fe_hlo_put_ints(w, n, dims);
    fe_hlo_put(w, "]");
    fe_hlo_put_signature(w, 1, &from, 1, &to);
    return y;
}

const char *
fe_hlo_cast(hlo_write *w, const ir_type *to, const ir_type *from, const char *x)
{
    return to == from ? x : fe_hlo_line1(w, to, "stablehlo.convert", 1, &x, &from, "%s", "");
}

const char *
fe_hlo_as(hlo_write *w, const ir_type *to, const ir_type *from, const char *x)
{
    return to == from ? x : fe_hlo_line1(w, to, "stablehlo.reshape", 1, &x, &from, "%s", "");
}

const char *
fe_hlo_results(hlo_write *w, int n, const char **out)
{
    const char *y = fe_hlo_new(w);

    if (n == 1) {
        out[0] = y;
        return y;
    }
    for (int i = 0; i < n; i++)
        out[i] = ir_format(w->a, "%s#%d", y, i);
    return ir_format(w->a, "%s:%d", y, n);
}

void
fe_hlo_calls(hlo_write *w, const char *f, int n_in, const char *const *in,
             const ir_type *const *in_type, int n_out, const ir_type *const *out_type,
             const char **out, int64_t remat)
{
    fe_hlo_indent(w);
    if (n_out > 0)
        fe_hlo_put(w, "%s = ", fe_hlo_results(w, n_out, out));
    fe_hlo_put(w, "func.call @%s(", f);
    fe_hlo_put_names(w, n_in, in);
    fe_hlo_put(w, ")");
    if (remat)
        fe_hlo_put(w, " {cotrace.remat = %lld : i64}", (long long)remat);
    fe_hlo_put_signature(w, n_in, in_type, n_out, out_type);
}

void
fe_hlo_returns(hlo_write *w, int n, const char *const *x, const ir_type *const *type)
{
    fe_hlo_indent(w);
    fe_hlo_put(w, "stablehlo.return ");
    fe_hlo_put_names(w, n, x);
    fe_hlo_put(w, " : ");
    fe_hlo_put_types(w, n, type);
    fe_hlo_put(w, "\n");
}
