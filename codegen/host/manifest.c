/* The entry as JSON: its buffers, and its steps in order.
 *
 * Values are numbers.  A place is [buffer, value], where the value is an offset in elements, or
 * [buffer].  The first member of each step tells its kind.  A reader needs only JSON and a
 * table of 64-bit words; examples/ptx_host.c is such a reader. */
#include <inttypes.h>

#include "codegen/host/host.h"

typedef struct manifest_text {
    ir_buf *b;
    const cg_kernel *k;
    const uint32_t *uses;
    int indent;
} manifest_text;

static void print_steps(manifest_text *p, const char *name, const cg_region *r);

void
cg_json_string(ir_buf *b, const char *s)
{
    ir_buf_str(b, "\"");
    for (; *s; s++) {
        const unsigned char c = (unsigned char)*s;

        if (c == '"' || c == '\\')
            ir_buf_printf(b, "\\%c", c);
        else if (c < ' ')
            ir_buf_printf(b, "\\u%04x", c);
        else
            ir_buf_printf(b, "%c", c);
    }
    ir_buf_str(b, "\"");
}

/* Prints base64: RFC 4648, section 4. */
static void
print_base64(ir_buf *b, const unsigned char *x, size_t n)
{
    static const char digit[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < n; i += 3) {
        const uint32_t w = (uint32_t)x[i] << 16 | (i + 1 < n ? (uint32_t)x[i + 1] << 8 : 0) |
                           (i + 2 < n ? x[i + 2] : 0);
        const char four[4] = { digit[w >> 18], digit[w >> 12 & 63],
                               i + 1 < n ? digit[w >> 6 & 63] : '=',
                               i + 2 < n ? digit[w & 63] : '=' };

        ir_buf_add(b, four, 4);
    }
}

static void
print_buffer(ir_buf *b, const cg_buffer *x, bool is_open)
{
    const int64_t bytes = x->elements * (int64_t)cot_dtype_size(x->type);

    ir_buf_printf(b, "{\"type\": \"%s\", \"size\": %zu, ", cot_dtype_name(x->type),
                  cot_dtype_size(x->type));
    if (!is_open || x->space == CG_CONST)
        ir_buf_printf(b, "\"bytes\": %" PRId64 ", ", bytes);
    if (x->sizes) {
        ir_buf_str(b, "\"sizes\": true}");
    } else if (x->space == CG_CONST) {
        ir_buf_str(b, "\"constant\": \"");
        print_base64(b, x->data, (size_t)bytes);
        ir_buf_str(b, "\"}");
    } else if (x->placed)
        ir_buf_str(b, "\"placed\": true}");
    else if (x->space == CG_WORK)
        ir_buf_printf(b, "\"work\": %" PRId64 "}", x->offset);
    else
        ir_buf_printf(b, "\"argument\": %d}", x->arg);
}

static void
print_values(manifest_text *p, const char *name, const cg_val *v, int n)
{
    ir_buf_printf(p->b, ", \"%s\": [", name);
    for (int i = 0; i < n; i++)
        ir_buf_printf(p->b, "%s%u", i ? ", " : "", v[i]);
    ir_buf_str(p->b, "]");
}

static void
print_place(manifest_text *p, uint32_t buffer, cg_val offset)
{
    if (offset)
        ir_buf_printf(p->b, "[%u, %u]", buffer, offset);
    else
        ir_buf_printf(p->b, "[%u]", buffer);
}

static void
print_call(manifest_text *p, const cg_call *c)
{
    ir_buf_printf(p->b, "\"launch\": %d, \"buffers\": [", c->kernel - 1);
    for (int i = 0; i < c->n_buffers; i++) {
        ir_buf_str(p->b, i ? ", " : "");
        print_place(p, c->buffer[i], c->offset[i]);
    }
    ir_buf_str(p->b, "]");
    print_values(p, "params", c->param, c->n_params);
    if (c->grid)
        ir_buf_printf(p->b, ", \"grid\": %u", c->grid);
}

static void
print_copy(manifest_text *p, const cg_insn *x)
{
    if (x->in[2])
        ir_buf_printf(p->b, "\"copy_bytes\": %u, \"to\": ", x->in[2]);
    else
        ir_buf_printf(p->b, "\"copy\": %" PRIu64 ", \"to\": ", x->imm);
    print_place(p, x->call->buffer[0], x->in[0]);
    ir_buf_str(p->b, ", \"from\": ");
    print_place(p, x->call->buffer[1], x->in[1]);
}

static void
print_memory(manifest_text *p, cg_val v, const cg_insn *x)
{
    const bool loads = x->op == CG_LOAD;
    const cg_val when = x->in[loads ? 1 : 2];
    const size_t bytes = cot_dtype_size(p->k->buffer[x->imm].type);

    ir_buf_printf(p->b,
                  loads ? "\"load\": %u, \"bytes\": %zu, \"from\": "
                        : "\"store\": %u, \"bytes\": %zu, \"to\": ",
                  loads ? v : x->in[1], bytes);
    print_place(p, (uint32_t)x->imm, x->in[0]);
    if (when)
        ir_buf_printf(p->b, ", \"when\": %u", when);
}

static void
print_scalar(manifest_text *p, cg_val v, const cg_insn *x)
{
    ir_buf_printf(p->b, "\"value\": %u, \"is\": \"%s\", \"type\": \"%s\"", v, ir_sc_name[x->op],
                  cot_dtype_name((cot_dtype)x->type));
    if (x->op == SC_const)
        ir_buf_printf(p->b, ", \"bits\": \"0x%" PRIx64 "\"", x->imm);
    else
        print_values(p, "of", x->in, ir_sc_arity[x->op]);
    if (x->op == SC_cvt || x->op == SC_bitcast)
        ir_buf_printf(p->b, ", \"from\": \"%s\"", cot_dtype_name(cg_type(p->k, x->in[0])));
}

/* [carried, its initial value, its next value]; [result, its value]; for an if [result, value
 * of then, value of else]. */
static void
print_carries(manifest_text *p, const cg_block *x, bool is_if)
{
    if (!is_if) {
        ir_buf_str(p->b, ", \"carries\": [");
        for (int i = 0; i < x->n; i++)
            ir_buf_printf(p->b, "%s[%u, %u, %u]", i ? ", " : "", x->yield[i].carried,
                          x->yield[i].init, x->yield[i].value);
        ir_buf_str(p->b, "]");
    }
    ir_buf_str(p->b, ", \"results\": [");
    for (int i = 0; i < x->n; i++) {
        const cg_yield *y = &x->yield[i];

        ir_buf_str(p->b, i ? ", " : "");
        if (is_if)
            ir_buf_printf(p->b, "[%u, %u, %u]", x->result[i], y->value, y->init);
        else
            ir_buf_printf(p->b, "[%u, %u]", x->result[i], y->carried);
    }
    ir_buf_str(p->b, "]");
}

static void
print_block(manifest_text *p, const cg_insn *x)
{
    const cg_block *b = x->block;

    if (x->op == CG_LOOP)
        ir_buf_printf(p->b, "\"loop\": %u, \"lo\": %u, \"hi\": %u, \"step\": %" PRId64, b->var,
                      b->lo, b->hi, b->step);
    else
        ir_buf_printf(p->b, "\"%s\": %u", x->op == CG_IF ? "if" : "while", b->cond);
    print_carries(p, b, x->op == CG_IF);
    if (x->op != CG_LOOP)
        print_steps(p, x->op == CG_IF ? "else" : "test", &b->other);
    print_steps(p, x->op == CG_IF ? "then" : "body", &b->body);
}

static void
print_step(manifest_text *p, cg_val v)
{
    const cg_insn *x = &p->k->insn[v];

    switch (x->op) {
    case CG_CALL: print_call(p, x->call); return;
    case CG_COPY: print_copy(p, x); return;
    case CG_LOAD:
    case CG_STORE: print_memory(p, v, x); return;
    case CG_PLACE:
        ir_buf_printf(p->b, "\"place\": %" PRIu64 ", \"at\": %u", x->imm, x->in[0]);
        return;
    case CG_FAIL:
        if (x->imm == COT_OK)
            ir_buf_printf(p->b, "\"leave\": %u", x->in[0]);
        else
            ir_buf_printf(p->b, "\"fail\": %u, \"status\": %" PRIu64, x->in[0], x->imm);
        return;
    case CG_LOOP:
    case CG_IF:
    case CG_WHILE: print_block(p, x); return;
    default: print_scalar(p, v, x);
    }
}

/* Unused pure instructions are left out. */
static bool
is_step(const manifest_text *p, cg_val v)
{
    const cg_insn *x = &p->k->insn[v];

    return x->op >= CG_STORE || x->block || p->uses[v] != 0;
}

static void
print_steps(manifest_text *p, const char *name, const cg_region *r)
{
    const char *before = "\n";

    ir_buf_printf(p->b, ", \"%s\": [", name);
    p->indent += 2;
    for (uint32_t i = 0; i < r->n; i++) {
        if (!is_step(p, r->insn[i]))
            continue;
        ir_buf_printf(p->b, "%s%*s{", before, p->indent, "");
        print_step(p, r->insn[i]);
        ir_buf_str(p->b, "}");
        before = ",\n";
    }
    p->indent -= 2;
    ir_buf_str(p->b, "]");
}

void
cg_host_print(ir_buf *b, const cg_module *m)
{
    const cg_kernel *k = m->kernel[0];
    manifest_text p = { .b = b, .k = k, .uses = cg_count_uses(k, b->arena), .indent = 2 };

    ir_buf_str(b, "\"buffers\": [");
    for (uint32_t i = 0; i < k->n_buffers; i++) {
        ir_buf_str(b, i ? ",\n    " : "\n    ");
        print_buffer(b, &k->buffer[i], m->n_sizes > 0);
    }
    ir_buf_printf(b, "],\n  \"values\": %u", k->n_insns);
    print_steps(&p, "steps", &k->body);
}
