/* Printing kernels as text.
 *
 * Each instruction is a line, constants are written in place, and values are numbered in the
 * order of the text.  Loops show their kind, their bounds, their carries in parentheses, and
 * what they yield at their end:
 *
 *     %5 = serial %1 in 0..8 (%2: f32 = -0) {
 *       %3 = load f32 x[%1]
 *       %4 = add f32 %2, %3
 *       yield %4
 *     }
 *
 * A constant has the type that its place requires; where the place requires none, its type
 * follows it, as in 1:i64.  The program of a slow path is printed as its hash, since the
 * library contains all of them.  kernel/parse.c reads all of this back. */
#include <inttypes.h>

#include "codegen/kernel/text.h"
#include "ir/foreign.h"

typedef struct printer {
    ir_buf *b;
    const cg_kernel *k;
    const char **name;          /* names of its buffers */
    const uint32_t *uses;
    uint32_t *number;
    uint32_t next;
    int indent;
    cg_print_places *places;    /* or NULL */
} printer;

static void print_region(printer *p, const cg_region *r);

static void
print_val(printer *p, cg_val v)
{
    const cg_insn *i = &p->k->insn[v];

    if (v == 0) {
        ir_buf_str(p->b, "none");
        return;
    }
    if (i->op == SC_const) {
        cg_print_number(p->b, (cot_dtype)i->type, i->imm);
        return;
    }
    if (i->op == CG_PARAM) {
        ir_buf_printf(p->b, "$%d", (int)i->imm);
        return;
    }
    if (p->number[v] == 0)
        p->number[v] = ++p->next;
    ir_buf_printf(p->b, "%%%u", p->number[v]);
}

/* Print a value whose place does not determine its type. */
static void
print_typed(printer *p, cg_val v)
{
    print_val(p, v);
    if (p->k->insn[v].op == SC_const)
        ir_buf_printf(p->b, ":%s", cot_dtype_name((cot_dtype)p->k->insn[v].type));
}

static void
line(printer *p)
{
    ir_buf_printf(p->b, "%*s", p->indent, "");
}

static void
print_list(printer *p, const cg_val *v, int n)
{
    for (int i = 0; i < n; i++) {
        ir_buf_str(p->b, i ? ", " : "");
        print_val(p, v[i]);
    }
}

static void
print_results(printer *p, const cg_block *x)
{
    print_list(p, x->result, x->n);
    if (x->n)
        ir_buf_str(p->b, " = ");
}

static void
print_carries(printer *p, const cg_block *x)
{
    const char *before = " (";

    for (int i = 0; i < x->n; i++) {
        if (!x->yield[i].carried)
            continue;
        ir_buf_str(p->b, before);
        print_val(p, x->yield[i].carried);
        ir_buf_printf(p->b, ": %s = ", cot_dtype_name(x->yield[i].type));
        print_val(p, x->yield[i].init);
        before = ", ";
    }
    if (before[0] == ',')
        ir_buf_str(p->b, ")");
}

/* Print the line that says what a body yields, and the start of the line that ends the body. */
static void
print_yields(printer *p, const cg_block *x, bool otherwise)
{
    p->indent += 2;
    if (x->n)
        line(p);
    for (int i = 0; i < x->n; i++) {
        const cg_yield *y = &x->yield[i];

        ir_buf_str(p->b, i ? ", " : "yield ");
        if (y->mode != CG_CARRY)
            ir_buf_printf(p->b, "%s %s ", y->mode == CG_FOLD ? "fold" : "tree",
                          ir_sc_name[y->combine]);
        if (y->carried)
            print_val(p, y->value);
        else
            print_typed(p, otherwise ? y->init : y->value);
    }
    if (x->n)
        ir_buf_str(p->b, "\n");
    p->indent -= 2;
    line(p);
}

static void
print_body(printer *p, const cg_region *r)
{
    p->indent += 2;
    print_region(p, r);
    p->indent -= 2;
}

static void
print_loop(printer *p, const cg_block *x)
{
    print_results(p, x);
    ir_buf_printf(p->b, "%s ", cg_kind_name[x->kind]);
    print_val(p, x->var);
    ir_buf_str(p->b, " in ");
    print_val(p, x->lo);
    ir_buf_str(p->b, "..");
    print_val(p, x->hi);
    if (x->step != 1)
        ir_buf_printf(p->b, " step %" PRId64, x->step);
    if (x->limit) {
        ir_buf_str(p->b, " limit ");
        print_val(p, x->limit);
    }
    print_carries(p, x);
    ir_buf_str(p->b, " {\n");
    print_body(p, &x->body);
    print_yields(p, x, false);
    ir_buf_str(p->b, "}\n");
}

static void
print_if(printer *p, const cg_block *x)
{
    print_results(p, x);
    ir_buf_str(p->b, "if ");
    print_val(p, x->cond);
    ir_buf_str(p->b, " {\n");
    print_body(p, &x->body);
    print_yields(p, x, false);
    if (x->other.n || x->n) {
        ir_buf_str(p->b, "} else {\n");
        print_body(p, &x->other);
        print_yields(p, x, true);
    }
    ir_buf_str(p->b, "}\n");
}

static void
print_while(printer *p, const cg_block *x)
{
    print_results(p, x);
    ir_buf_str(p->b, "while");
    print_carries(p, x);
    ir_buf_str(p->b, " {\n");
    print_body(p, &x->other);
    p->indent += 2;
    line(p);
    ir_buf_str(p->b, "test ");
    print_val(p, x->cond);
    ir_buf_str(p->b, "\n");
    p->indent -= 2;
    print_body(p, &x->body);
    print_yields(p, x, false);
    ir_buf_str(p->b, "}\n");
}

static void
print_buffer_name(printer *p, uint32_t buffer)
{
    cg_print_name(p->b, p->name[buffer]);
}

/* Print a buffer, and the element it starts at. */
static void
print_place(printer *p, uint32_t buffer, cg_val offset)
{
    print_buffer_name(p, buffer);
    if (offset) {
        ir_buf_str(p->b, " + ");
        print_val(p, offset);
    }
}

static void
print_call(printer *p, const cg_insn *i)
{
    const cg_call *c = i->call;

    ir_buf_str(p->b, "call ");
    cg_print_name(p->b, p->k->module->kernel[c->kernel]->name);
    ir_buf_str(p->b, "(");
    for (int j = 0; j < c->n_buffers; j++) {
        ir_buf_str(p->b, j ? ", " : "");
        print_place(p, c->buffer[j], c->offset[j]);
    }
    for (int j = 0; j < c->n_params; j++) {
        ir_buf_str(p->b, j || c->n_buffers ? ", " : "");
        print_val(p, c->param[j]);
    }
    ir_buf_str(p->b, ")");
    if (c->grid) {
        ir_buf_str(p->b, " blocks ");
        print_val(p, c->grid);
    }
    ir_buf_str(p->b, "\n");
}

static void
print_extern_arg(printer *p, const cg_extern_arg *a)
{
    if (a->type != COT_DTYPE_NONE) {
        print_typed(p, a->value);
        return;
    }
    if (!a->buffer) {
        ir_buf_str(p->b, a->address == ir_c_stream ? "stream" : "address");
        return;
    }
    ir_buf_str(p->b, a->writes ? "writes " : "");
    print_place(p, a->buffer - 1, a->offset);
}

static void
print_extern(printer *p, cg_val v)
{
    const cg_extern *x = p->k->insn[v].ext;
    const cot_dtype t = (cot_dtype)p->k->insn[v].type;

    if (t != COT_DTYPE_NONE) {
        print_val(p, v);
        ir_buf_printf(p->b, " = extern %s ", cot_dtype_name(t));
    } else {
        ir_buf_str(p->b, "extern ");
    }
    cg_print_name(p->b, x->symbol ? x->symbol : x->name);
    ir_buf_str(p->b, "(");
    for (int j = 0; j < x->n; j++) {
        ir_buf_str(p->b, j ? ", " : "");
        print_extern_arg(p, &x->arg[j]);
    }
    ir_buf_str(p->b, x->packed ? ") packed" : ")");
    if (x->symbol) {
        ir_buf_str(p->b, " of ");
        cg_print_name(p->b, x->name);
    }
    if (x->prototype) {
        ir_buf_str(p->b, " as ");
        cg_print_quoted(p->b, x->prototype);
    }
    ir_buf_str(p->b, "\n");
}

static void
print_element(printer *p, uint32_t buffer, cg_val index)
{
    print_buffer_name(p, buffer);
    ir_buf_str(p->b, "[");
    print_val(p, index);
    ir_buf_str(p->b, "]");
}

static void
print_operands(printer *p, const cg_insn *i)
{
    const bool any = i->op == SC_cvt || i->op == SC_bitcast;

    for (int j = 0; j < ir_sc_arity[i->op]; j++) {
        ir_buf_str(p->b, j ? ", " : "");
        if (any)
            print_typed(p, i->in[j]);
        else
            print_val(p, i->in[j]);
    }
}

static void
print_scalar(printer *p, cg_val v)
{
    const cg_insn *i = &p->k->insn[v];

    print_val(p, v);
    ir_buf_printf(p->b, " = %s %s ", ir_sc_name[i->op], cot_dtype_name((cot_dtype)i->type));
    print_operands(p, i);
    if (i->op == SC_slow_path) {
        ir_buf_str(p->b, " (");
        for (int j = 0; j < i->sub->n_in; j++) {
            ir_buf_str(p->b, j ? ", " : "");
            print_typed(p, i->args[j]);
        }
        ir_buf_printf(p->b, ") of #%016" PRIx64, ir_sc_hash(i->sub));
    }
    if (i->op == SC_table) {
        ir_buf_str(p->b, " of ");
        cg_print_numbers(p->b, i->table->type, i->table->data, i->table->n);
    }
    ir_buf_str(p->b, "\n");
}

static uint32_t
buffer_of(const cg_insn *i, int n)
{
    return i->call ? i->call->buffer[n] : (uint32_t)i->imm;
}

/* Print one part of a syntax (text.h). */
static void
print_part(printer *p, const cg_insn *i, char what, int n)
{
    switch (what) {
    case 'b': print_buffer_name(p, buffer_of(i, n)); break;
    case 'e': print_element(p, buffer_of(i, n), i->in[n]); break;
    case 'm':
        ir_buf_str(p->b, i->type == COT_F32 ? "tf32" : cot_dtype_name((cot_dtype)i->type));
        break;
    case 'o': ir_buf_str(p->b, ir_sc_name[i->imm]); break;
    case 's': ir_buf_str(p->b, cot_status_name((cot_status)i->imm)); break;
    case 't': ir_buf_str(p->b, cot_dtype_name((cot_dtype)i->type)); break;
    case 'n':
        if (!i->in[n]) {
            ir_buf_printf(p->b, "%" PRIu64, i->imm);
            break;
        }
        /* fall through */
    default: print_val(p, i->in[n]);
    }
}

static void
print_by_syntax(printer *p, cg_val v, const char *s)
{
    const cg_insn *i = &p->k->insn[v];

    if (i->op < CG_STORE) {
        print_val(p, v);
        ir_buf_str(p->b, " = ");
    }
    for (; *s; s++) {
        const char *part = strpbrk(s, "%]}");
        if (*s == '%') {
            print_part(p, i, s[1], s[2] - '0');
            s += 2;
        } else if (*s == '[' || *s == '{') {
            if (*part == '%' ? !i->in[part[2] - '0'] : !i->imm)
                s = strpbrk(s, "]}");
        } else if (*s != ']' && *s != '}') {
            ir_buf_add(p->b, s, 1);
        }
    }
    ir_buf_str(p->b, "\n");
}

static void
print_insn(printer *p, cg_val v)
{
    const cg_insn *i = &p->k->insn[v];

    if (p->places)
        IR_PUSH(p->b->arena, p->places->at, p->places->n, p->places->cap,
                ((cg_print_place){ p->b->n, i->loc }));
    line(p);
    switch (i->op) {
    case CG_LOOP: print_loop(p, i->block); return;
    case CG_IF: print_if(p, i->block); return;
    case CG_WHILE: print_while(p, i->block); return;
    case CG_CALL: print_call(p, i); return;
    case CG_EXTERN: print_extern(p, v); return;
    default:
        if (cg_syntax_of(i->op))
            print_by_syntax(p, v, cg_syntax_of(i->op));
        else
            print_scalar(p, v);
    }
}

/* Dead instructions, and those that are printed in place, have no line. */
static bool
has_line(const printer *p, cg_val v)
{
    const cg_insn *i = &p->k->insn[v];

    if (i->op == SC_const || i->op == CG_PARAM)
        return false;
    return p->uses[v] != 0 || i->block;
}

static void
print_region(printer *p, const cg_region *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (has_line(p, r->insn[i]) || p->k->insn[r->insn[i]].op >= CG_STORE)
            print_insn(p, r->insn[i]);
}

static void
print_buffer(printer *p, uint32_t i, int64_t *arg)
{
    const cg_buffer *x = &p->k->buffer[i];
    const bool entry = p->k == p->k->module->kernel[0] && x->space <= CG_OUT;

    ir_buf_printf(p->b, "  %s ", cg_space_name[x->space]);
    print_buffer_name(p, i);
    ir_buf_printf(p->b, ": %s[%" PRId64 "]", cot_dtype_name(x->type), x->elements);
    if (x->space == CG_WORK)
        ir_buf_printf(p->b, " at %" PRId64, x->offset);
    if (x->align)
        ir_buf_printf(p->b, " align %d", x->align);
    if (x->streams)
        ir_buf_str(p->b, " streams");
    if (x->alias) {
        ir_buf_str(p->b, " over ");
        print_buffer_name(p, x->alias - 1);
    }
    if (p->k->work == i + 1)
        ir_buf_str(p->b, " holds work");
    if (entry && x->arg != (*arg)++)
        ir_buf_printf(p->b, " arg %d", x->arg);
    if (x->data) {
        ir_buf_str(p->b, " = ");
        cg_print_numbers(p->b, x->type, x->data, x->elements);
    }
    ir_buf_str(p->b, "\n");
}

/* The note is printed as a comment, up to its first line break. */
static void
print_head(printer *p)
{
    const cg_kernel *k = p->k;

    ir_buf_str(p->b, "kernel ");
    cg_print_name(p->b, k->name);
    if (k->n_params)
        ir_buf_printf(p->b, "(%d)", k->n_params);
    if (k->plans && k != k->module->kernel[0])
        ir_buf_str(p->b, " plans");
    ir_buf_str(p->b, k->alone ? " alone {" : " {");
    if (k->note)
        ir_buf_printf(p->b, "    ; %.*s", (int)strcspn(k->note, "\n"), k->note);
    ir_buf_str(p->b, "\n");
}

void
cg_kernel_print(ir_buf *b, const cg_kernel *k)
{
    cg_kernel_print_places(b, k, NULL);
}

void
cg_kernel_print_places(ir_buf *b, const cg_kernel *k, cg_print_places *places)
{
    printer p = { .b = b, .k = k, .indent = 2, .places = places };
    int64_t arg = 0;

    p.uses = cg_count_uses(k, b->arena);
    p.number = IR_NEW_N(b->arena, uint32_t, k->n_insns);
    p.name = cg_distinct_names(k, b->arena);
    print_head(&p);
    for (uint32_t i = 0; i < k->n_buffers; i++)
        print_buffer(&p, i, &arg);
    print_region(&p, &k->body);
    ir_buf_str(b, "}\n");
}

static int
count_args(const cg_kernel *k)
{
    int n = 0;

    for (uint32_t i = 0; i < k->n_buffers; i++)
        n += k->buffer[i].space <= CG_OUT;
    return n;
}

void
cg_module_print(ir_buf *b, const cg_module *m)
{
    ir_buf_str(b, "module ");
    cg_print_name(b, m->name);
    if (m->n_kernels && m->n_args != count_args(m->kernel[0]))
        ir_buf_printf(b, " args %d", m->n_args);
    if (m->work_bytes)
        ir_buf_printf(b, " work %" PRId64, m->work_bytes);
    if (m->work_align != 64)
        ir_buf_printf(b, " align %d", m->work_align);
    ir_buf_str(b, m->trapping_math ? " trapping {\n" : " {\n");
    for (uint32_t i = 0; i < m->n_kernels; i++)
        cg_kernel_print(b, m->kernel[i]);
    ir_buf_str(b, "}\n");
}
