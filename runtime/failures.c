/* The meaning of a status of a compiled function: a loop that exceeded its bound, a foreign
 * function or a check that failed.
 *
 * A kernel reports the kind of failure, not its location.  The nodes that can fail in this way
 * are found in the graph; if there is only one, it is the location. */
#include "ir/custom.h"
#include "ir/diag.h"
#include "ir/foreign.h"
#include "ir/graph.h"
#include "runtime/compile.h"
#include "runtime/device.h"
#include "runtime/world.h"

/* The largest number of locations in a message. */
#define MAX_PLACES 8

typedef struct places {
    cot_status status;
    int n;
    const ir_node *at[MAX_PLACES];
} places;

/* Can the C code of a custom function return a status? */
static bool
answers_status(const ir_node *n, ir_arena *scratch)
{
    if (n->op != OP_custom_call || !n->at->custom.opaque)
        return false;
    return !n->at->custom.prototype ||
           ir_c_parse(scratch, n->at->custom.prototype)->answer.kind == IR_C_STATUS;
}

static bool
can_fail(const ir_node *n, cot_status status, ir_arena *scratch)
{
    return status == COT_ERR_BOUND ? n->op == OP_while && n->at->loop.max > 0
                                   : answers_status(n, scratch);
}

static bool
same_place(const ir_node *a, const ir_node *b)
{
    if (a->loc != b->loc || a->op != b->op)
        return false;
    return a->op == OP_while ? a->at->loop.max == b->at->loop.max
                             : a->at->custom.name == b->at->custom.name;
}

static void
find(const ir_graph *f, ir_arena *scratch, places *p)
{
    ir_each_node (n, f) {
        bool wanted = can_fail(n, p->status, scratch);

        for (int i = 0; i < p->n && wanted; i++)
            wanted = !same_place(p->at[i], n);
        if (wanted && p->n < MAX_PLACES)
            p->at[p->n++] = n;
    }
}

/* Prints the location without derivations: "main.c:12: check "positive"". */
static void
print_place(cot_context *ctx, const ir_node *n, ir_buf *b)
{
    const size_t before = b->n;

    ir_loc_print(ctx, n->loc, b);
    ir_buf_str(b, b->n > before ? ": " : "");
    if (n->op == OP_while)
        ir_buf_printf(b, "while: still goes on after %lld steps", (long long)n->at->loop.max);
    else
        ir_buf_printf(b, "%s failed", n->at->custom.name);
}

const char *
rt_failure_text(const ir_graph *f, cot_status status, ir_arena *a)
{
    const ir_graph *const *all;
    places p = { .status = status };
    ir_buf b;

    for (uint32_t i = 0, graphs = ir_all_graphs(f, true, &all, a); i < graphs; i++)
        find(all[i], a, &p);
    if (p.n == 0)
        return NULL;
    ir_buf_init(&b, a);
    ir_buf_str(&b, p.n > 1 ? "one of: " : "");
    for (int i = 0; i < p.n; i++) {
        ir_buf_str(&b, i ? "; " : "");
        print_place(f->ctx, p.at[i], &b);
    }
    return b.text;
}

static cot_status
record_bound(cot_context *ctx, const ir_graph *f, const places *p)
{
    ir_buf text;

    if (p->n == 1)
        return ir_fail(ctx, p->at[0]->loc, p->at[0]->loc ? "while" : f->name, ERR_loop_bound,
                       (long long)p->at[0]->at->loop.max);
    ir_buf_init(&text, &ctx->message_arena);
    for (int i = 0; i < p->n; i++) {
        ir_buf_str(&text, i ? ", " : "");
        ir_loc_print(ctx, p->at[i]->loc, &text);
        ir_buf_printf(&text, " (%lld)", (long long)p->at[i]->at->loop.max);
    }
    return ir_fail(ctx, p->n ? p->at[0]->loc : 0, f->name, ERR_bound,
                   p->n ? text.text : f->name);
}

static cot_status
record_foreign(cot_context *ctx, const ir_graph *f, const places *p)
{
    ir_buf text;

    if (p->n == 0)
        return ir_fail(ctx, 0, f->name, ERR_custom_answered, "a foreign function");
    if (p->n == 1)
        return ir_fail(ctx, p->at[0]->loc, f->name, ERR_custom_answered,
                       p->at[0]->at->custom.name);
    ir_buf_init(&text, &ctx->message_arena);
    for (int i = 0; i < p->n; i++) {
        ir_buf_printf(&text, "%s%s (", i ? " or " : "", p->at[i]->at->custom.name);
        ir_loc_print(ctx, p->at[i]->loc, &text);
        ir_buf_str(&text, ")");
    }
    return ir_fail(ctx, 0, f->name, ERR_custom_answered, text.text);
}

typedef struct failed_call {
    const cot_kernel *k;
    int status;
} failed_call;

static cot_status
record(cot_context *ctx, void *arg)
{
    const failed_call *c = arg;
    const ir_graph *f = c->k->graph, *const * all;
    const char *world = rt_world_failed(c->k);
    places p = { .status = (cot_status)c->status };

    if (world)
        return ir_fail(ctx, c->k->loc, f->name, ERR_comm, world);
    if (c->status == COT_ERR_CANCELLED)
        return ir_fail(ctx, c->k->loc, f->name, ERR_cancelled);
    if (c->status != COT_ERR_BOUND && c->status != COT_ERR_FOREIGN)
        return ir_fail(ctx, c->k->loc, f->name, ERR_internal,
                       "the kernel answered a status that kernels do not have");
    for (uint32_t i = 0, n = ir_all_graphs(f, true, &all, &ctx->message_arena); i < n; i++)
        find(all[i], &ctx->message_arena, &p);
    return c->status == COT_ERR_BOUND ? record_bound(ctx, f, &p) : record_foreign(ctx, f, &p);
}

cot_status
rt_entry_failed(const cot_kernel *k, int status)
{
    failed_call c = { k, status };

    return rt_guard(k->ctx, record, &c);
}
