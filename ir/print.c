/* Graph to text, as docs/ir.md specifies it: what is printed parses back to the same graph.
 *
 * Sub-functions come before their user, each once, under a name unique in the text.  Types
 * stand in a column.  Attributes equal to their default are left out. */
#include "ir/graph.h"
#include "ir/reader.h"
#include "ir/scalar.h"

#include <math.h>

typedef struct graph_printer {
    ir_buf *b;
    ir_arena *scratch;
    int flags;
    const ir_graph **seen; /* functions printed or named so far */
    const char **name;
    uint32_t n, cap, n_name, cap_name;
} graph_printer;

enum { TYPE_COLUMN_MAX = 56, DATA_MAX = 1 << 14 };

static const char *
name_of(const graph_printer *p, const ir_graph *f)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->seen[i] == f || ir_graph_equal(p->seen[i], f))
            return p->name[i];
    return NULL;
}

static const char *
unique_name(graph_printer *p, const char *name)
{
    const char *const base = ir_word_of(p->scratch, name), *try = base;

    for (int k = 1;; k++) {
        bool taken = false;
        for (uint32_t i = 0; i < p->n_name && !taken; i++)
            taken = strcmp(p->name[i], try) == 0;
        if (!taken)
            return try;
        try = ir_format(p->scratch, "%s_%d", base, k);
    }
}

static void
print_value(ir_buf *b, const ir_graph *f, ir_ref v)
{
    if (v > (ir_ref)f->n_in)
        ir_buf_printf(b, "%%%u", v - (ir_ref)f->n_in - 1);
    else if (f->in_name[v - 1])
        ir_buf_printf(b, "%%%s", f->in_name[v - 1]);
    else
        ir_buf_printf(b, "%%arg%u", v - 1);
}

static void
print_ints(ir_buf *b, int n, const int64_t *at)
{
    ir_buf_str(b, "[");
    for (int i = 0; i < n; i++)
        ir_buf_printf(b, i ? ",%lld" : "%lld", (long long)at[i]);
    ir_buf_str(b, "]");
}

static void
print_float(ir_buf *b, cot_dtype t, const void *p)
{
    switch (t) {
    case COT_F16:
    case COT_BF16: {
        uint16_t h = *(const uint16_t *)p;
        float x = t == COT_F16 ? cot_f16_to_f32(h) : cot_bf16_to_f32(h);
        if (isnan(x) && h != (t == COT_F16 ? 0x7e00 : 0x7fc0))
            ir_buf_printf(b, "0x%x", h);
        else
            ir_buf_f32(b, x);
        break;
    }
    case COT_F32: {
        uint32_t bits;
        memcpy(&bits, p, 4);
        if (isnan(*(const float *)p) && bits != 0x7fc00000)
            ir_buf_printf(b, "0x%x", bits);
        else
            ir_buf_f32(b, *(const float *)p);
        break;
    }
    default: {
        uint64_t bits;
        memcpy(&bits, p, 8);
        if (isnan(*(const double *)p) && bits != 0x7ff8000000000000u)
            ir_buf_printf(b, "0x%llx", (unsigned long long)bits);
        else
            ir_buf_f64(b, *(const double *)p);
    }
    }
}

/* (re, im) */
static void
print_complex(ir_buf *b, cot_dtype part, const char *p)
{
    ir_buf_str(b, "(");
    print_float(b, part, p);
    ir_buf_str(b, ", ");
    print_float(b, part, p + cot_dtype_size(part));
    ir_buf_str(b, ")");
}

static void
print_element(ir_buf *b, cot_dtype t, const void *p)
{
    switch (t) {
    case COT_C64:
    case COT_C128: print_complex(b, ir_part_type(t), p); break;
    case COT_BOOL: ir_buf_str(b, *(const uint8_t *)p ? "true" : "false"); break;
    case COT_I8: ir_buf_printf(b, "%d", *(const int8_t *)p); break;
    case COT_I16: ir_buf_printf(b, "%d", *(const int16_t *)p); break;
    case COT_I32: ir_buf_printf(b, "%d", *(const int32_t *)p); break;
    case COT_I64: ir_buf_printf(b, "%lld", (long long)*(const int64_t *)p); break;
    case COT_U8: ir_buf_printf(b, "%u", *(const uint8_t *)p); break;
    case COT_U16: ir_buf_printf(b, "%u", *(const uint16_t *)p); break;
    case COT_U32: ir_buf_printf(b, "%u", *(const uint32_t *)p); break;
    case COT_U64: ir_buf_printf(b, "%llu", (unsigned long long)*(const uint64_t *)p); break;
    default: print_float(b, t, p); break;
    }
}

/* A large constant prints by hash; its bytes stay in the context, where the parser finds
 * them. */
static void
print_data(ir_buf *b, const ir_data *d)
{
    size_t element = cot_dtype_size(d->type->dtype), n = d->n / element;
    if (d->splat) {
        print_element(b, d->type->dtype, d->bytes);
        return;
    }
    if (n > DATA_MAX) {
        ir_buf_printf(b, "#%016llx", (unsigned long long)d->hash);
        return;
    }
    ir_buf_str(b, "[");
    for (size_t i = 0; i < n; i++) {
        if (i)
            ir_buf_str(b, ",");
        print_element(b, d->type->dtype, (const char *)d->bytes + i * element);
    }
    ir_buf_str(b, "]");
}

static void
print_axes(ir_buf *b, ir_axes s)
{
    const char *comma = "";
    ir_buf_str(b, "[");
    for (int i = 0; i < 64; i++)
        if (ir_axes_has(s, i)) {
            ir_buf_printf(b, "%s%d", comma, i);
            comma = ",";
        }
    ir_buf_str(b, "]");
}

/* In quotes; a quote, a backslash and what is no printable character of ASCII as \xHH. */
static void
print_text(ir_buf *b, const char *s)
{
    ir_buf_str(b, "\"");
    for (; *s; s++)
        if (*s < ' ' || *s == '"' || *s == '\\' || *s == 0x7f)
            ir_buf_printf(b, "\\x%02x", (unsigned char)*s);
        else
            ir_buf_add(b, s, 1);
    ir_buf_str(b, "\"");
}

/* Is the field equal to its default? */
static bool
is_default(const ir_field *f, const void *p)
{
    switch (f->kind) {
    case IR_F_INT: return *(const int64_t *)p == f->init;
    case IR_F_DTYPE: return (int64_t)*(const cot_dtype *)p == f->init;
    case IR_F_FLAG:
    case IR_F_MODE: return *(const int *)p == f->init;
    case IR_F_TEXT: return *(const char *const *)p == NULL;
    case IR_F_INTS: return f->init == 0 && ((const ir_ints *)p)->n == 0;
    case IR_F_GRAPHS: return f->init == 0 && ((const ir_graphs *)p)->n == 0;
    default: return false;
    }
}

/* The name of a sub-function that is not printed itself is its own. */
static void
print_fn_name(graph_printer *p, const ir_graph *f)
{
    const char *name = name_of(p, f);

    ir_buf_printf(p->b, "@%s", name ? name : ir_word_of(p->scratch, f->name));
}

static void
print_field(graph_printer *p, const ir_field *f, const void *at)
{
    ir_buf *b = p->b;
    switch (f->kind) {
    case IR_F_INT: ir_buf_printf(b, "%lld", (long long)*(const int64_t *)at); break;
    case IR_F_INTS: print_ints(b, ((const ir_ints *)at)->n, ((const ir_ints *)at)->at); break;
    case IR_F_AXES: print_axes(b, *(const ir_axes *)at); break;
    case IR_F_DTYPE: ir_buf_str(b, cot_dtype_name(*(const cot_dtype *)at)); break;
    case IR_F_FLAG: ir_buf_str(b, *(const int *)at ? "true" : "false"); break;
    case IR_F_MODE: ir_buf_str(b, ir_mode_name[*(const int *)at]); break;
    case IR_F_DATA: print_data(b, at); break;
    case IR_F_GRAPH: print_fn_name(p, *(ir_graph *const *)at); break;
    case IR_F_TEXT: print_text(b, *(const char *const *)at); break;
    case IR_F_GRAPHS: {
        const ir_graphs *s = at;
        ir_buf_str(b, "[");
        for (int i = 0; i < s->n; i++) {
            ir_buf_str(b, i ? ", " : "");
            print_fn_name(p, s->at[i]);
        }
        ir_buf_str(b, "]");
    }
    }
}

static void
print_attrs(graph_printer *p, const ir_node *n)
{
    int fields;
    const ir_field *f = ir_record_fields(ir_ops[n->op].record, &fields);
    const char *open = " {";
    for (int i = 0; i < fields; i++) {
        const void *at = (const char *)n->at + f[i].offset;
        if (is_default(&f[i], at))
            continue;
        ir_buf_printf(p->b, "%s%s=", open, f[i].name);
        print_field(p, &f[i], at);
        open = ", ";
    }
    if (open[0] == ',')
        ir_buf_str(p->b, "}");
}

void
ir_print_attrs(ir_buf *b, const ir_node *n)
{
    graph_printer p = { .b = b, .scratch = b->arena };

    print_attrs(&p, n);
}

static void
print_loc(ir_buf *b, const cot_context *ctx, ir_loc loc)
{
    const ir_loc_entry *e = ir_loc_at(ctx, loc);
    if (e->from) {
        print_loc(b, ctx, e->from);
        if (e->how)
            ir_buf_printf(b, ", \"%s\"", e->how);
    } else if (e->file) {
        ir_buf_printf(b, "\"%s\":%d", e->file, e->line);
    }
}

static void
print_types(ir_buf *b, const ir_graph *f, int n, const ir_ref *v, const char *const *name)
{
    ir_buf_str(b, n == 1 && !name ? "" : "(");
    for (int i = 0; i < n; i++) {
        if (i)
            ir_buf_str(b, ", ");
        if (name && name[i])
            ir_buf_printf(b, "%s: ", name[i]);
        ir_type_print(b, f->value[v[i]].type);
    }
    ir_buf_str(b, n == 1 && !name ? "" : ")");
}

/* The node up to its types. */
static void
print_left(graph_printer *p, const ir_graph *f, const ir_node *n)
{
    ir_buf *b = p->b;
    ir_buf_str(b, "  ");
    for (int i = 0; i < n->n_out; i++) {
        if (i)
            ir_buf_str(b, ", ");
        print_value(b, f, n->first + (ir_ref)i);
    }
    ir_buf_printf(b, n->n_out ? " = %s" : "%s", ir_ops[n->op].name);
    for (int i = 0; i < n->n_in; i++) {
        ir_buf_str(b, i ? ", " : " ");
        print_value(b, f, n->in[i]);
    }
    print_attrs(p, n);
}

static size_t
type_column(graph_printer *p, const ir_graph *f)
{
    ir_buf probe, *b = p->b;
    size_t column = 0;
    p->b = &probe;
    ir_each_node(n, f) {
        ir_buf_init(&probe, p->scratch);
        if (n->op == OP_constant && n->at->constant.data.n > 256)
            continue;
        print_left(p, f, n);
        if (probe.n > column && probe.n <= TYPE_COLUMN_MAX)
            column = probe.n;
    }
    p->b = b;
    return column;
}

static void
print_body(graph_printer *p, const ir_graph *f)
{
    ir_buf *b = p->b;
    size_t column = type_column(p, f);
    ir_each_node(n, f) {
        size_t start = b->n;
        print_left(p, f, n);
        while (b->n - start < column)
            ir_buf_str(b, " ");
        ir_ref *results = IR_NEW_N(p->scratch, ir_ref, n->n_out);
        for (int i = 0; i < n->n_out; i++)
            results[i] = n->first + (ir_ref)i;
        ir_buf_str(b, " : ");
        print_types(b, f, n->n_out, results, NULL);
        if ((p->flags & IR_PRINT_LOCS) && n->loc) {
            ir_buf_str(b, " loc(");
            print_loc(b, f->ctx, n->loc);
            ir_buf_str(b, ")");
        }
        ir_buf_str(b, "\n");
    }
    ir_buf_str(b, "  ret");
    for (int i = 0; i < f->n_out; i++) {
        ir_buf_str(b, i ? ", " : " ");
        print_value(b, f, f->out[i]);
    }
    ir_buf_str(b, "\n");
}

static const char *const ir_hidden_word[] = { "", "hidden ", "generator " };

static void
print_one(graph_printer *p, const ir_graph *f)
{
    const char *name = unique_name(p, f->name);
    IR_PUSH(p->scratch, p->seen, p->n, p->cap, f);
    IR_PUSH(p->scratch, p->name, p->n_name, p->cap_name, name);
    ir_buf_printf(p->b, "fn @%s(", name);
    for (int i = 0; i < f->n_in; i++) {
        if (i)
            ir_buf_str(p->b, ", ");
        ir_buf_str(p->b, ir_hidden_word[f->hidden[i].kind]);
        print_value(p->b, f, f->in[i]);
        ir_buf_str(p->b, ": ");
        for (int k = 0; k < f->n_inout; k++)
            if (f->inout[k].arg == i)
                ir_buf_str(p->b, "inout ");
        ir_type_print(p->b, f->value[f->in[i]].type);
    }
    ir_buf_str(p->b, ") -> ");
    print_types(p->b, f, f->n_out, f->out, f->out_name);
    ir_buf_str(p->b, f->uncontracted ? " contract=off" : "");
    ir_buf_str(p->b, f->guarded ? " select=guarded {\n" : " {\n");
    print_body(p, f);
    ir_buf_str(p->b, "}\n");
}

/* A function whose sub-functions are being printed: those of its nodes before `node` are
 * done, and `sub` of that one. */
typedef struct visit {
    const ir_graph *f;
    uint32_t node;
    int sub;
} visit;

/* The next sub-function that has no name yet; NULL: f itself is next. */
static const ir_graph *
next_sub(graph_printer *p, visit *v)
{
    for (; v->node < v->f->n_nodes; v->node++, v->sub = 0) {
        ir_graph *const *sub;
        const int subs = ir_subgraphs(&v->f->node[v->node], &sub, p->scratch);

        while (v->sub < subs)
            if (!name_of(p, sub[v->sub++]))
                return sub[v->sub - 1];
    }
    return NULL;
}

/* Prints sub-functions before their users.  A chain of calls may be as long as a file, so that
 * a list of pending functions takes the place of recursion. */
static void
print_fn(graph_printer *p, const ir_graph *f)
{
    visit *wait = NULL;
    uint32_t n = 0, cap = 0;

    IR_PUSH(p->scratch, wait, n, cap, ((visit){ f, 1, 0 }));
    while (n > 0) {
        const ir_graph *sub = next_sub(p, &wait[n - 1]);

        if (sub)
            IR_PUSH(p->scratch, wait, n, cap, ((visit){ sub, 1, 0 }));
        else
            print_one(p, wait[--n].f);
    }
}

void
ir_print(ir_buf *b, const ir_graph *f, int flags)
{
    graph_printer p = { .b = b, .scratch = b->arena, .flags = flags };
    if (flags & IR_PRINT_FORMAT)
        ir_buf_printf(b, "format %d\n", IR_FORMAT);
    print_fn(&p, f);
}
