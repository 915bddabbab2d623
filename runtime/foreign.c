/* Foreign functions: C code of any signature, called through libffi according to its prototype.
 *
 * Compiled code calls them directly (codegen/lower/foreign.c); this file is used by the
 * evaluator. */
#include "frontend/custom.h"
#include "ir/foreign.h"
#include "runtime/call.h"

enum { WORD = 8 };

typedef struct foreign_operands {
    const ir_custom *c;
    const ir_attrs *at;
    void *const *out;
    const void *const *in;
} foreign_operands;

static size_t
bytes_of(const ir_type *t)
{
    return (size_t)t->size * cot_dtype_size(t->dtype);
}

/* An argument; if it is not an array, its value is stored in `word`. */
static rt_arg
argument(const foreign_operands *h, const ir_c_item *x, uint64_t *word)
{
    const ir_graph *f = h->at->custom.forward;
    if (x->kind == IR_C_USER)
        return (rt_arg){ .at = h->c->user };
    if (x->kind == IR_C_IN)
        return (
            rt_arg){ .by_value = !x->pointer, .dtype = x->type, .at = (void *)h->in[x->index] };
    if (x->kind == IR_C_OUT) {
        if (x->from >= 0)
            memcpy(h->out[x->index], h->in[x->from], bytes_of(ir_type_at(f, f->in[x->from])));
        return (rt_arg){ .at = h->out[x->index] };
    }
    *word = ir_c_bits(x, h->at);
    return (rt_arg){ .by_value = true, .dtype = x->type, .at = word };
}

/* Calls the function; its result is stored, or is a status that must be 0. */
static int
run(const ir_custom *c, const ir_attrs *at, void *const *out, const void *const *in)
{
    const foreign_operands h = { c, at, out, in };
    const ir_c_function *p = c->c;
    rt_arg arg[p->n + 1];
    uint64_t word[p->n + 1];
    char answer[WORD] = { 0 };
    int status = 0;
    for (int i = 0; i < p->n; i++)
        if (p->item[i].kind == IR_C_STREAM)
            return -1; /* it runs only on a device */
    for (int i = 0; i < p->n; i++)
        arg[i] = argument(&h, &p->item[i], &word[i]);
    if (!rt_call_any(c->address, p->n, arg, p->answer.type, answer))
        return -1;
    if (p->answer.kind == IR_C_STATUS)
        memcpy(&status, answer, sizeof status);
    if (p->answer.kind == IR_C_OUT)
        memcpy(out[p->answer.index], answer, cot_dtype_size(p->answer.type));
    return status;
}

const cot_custom *
cot_custom_new_(cot_place at, cot_context *ctx, const char *name,
                const cot_custom_options *options, size_t size)
{
    return fe_custom_new(at, ctx, name, options, size, run);
}
