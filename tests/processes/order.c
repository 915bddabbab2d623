/* What runs while messages are on their way: `processes order`. */
#include <string.h>

#include "ir/diag.h"
#include "passes/pass.h"
#include "runtime/world.h"
#include "tests/processes/late.h"
#include "tests/processes/processes.h"

/* The sum and the move of %0 are sent, and what is made of %w alone, the same for all groups,
 * does not wait for them. */
static const char ordered[] =
    "fn @f(%w: f32[4,4], %x: f32[4]) -> (f32[4], f32[4], f32[4,4]) {\n"
    "  %0 = exp %x : f32[4]\n"
    "  %1 = psum %0 {over=\"i\"} : f32[4]\n"
    "  %2 = ppermute %0 {over=\"i\", pairs=[0,1,1,2,2,3]} : f32[4]\n"
    "  %3 = dot_general %w, %w {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[4,4]\n"
    "  %4 = mul %1, %1 : f32[4]\n"
    "  ret %4, %2, %3\n}\n";

static cot_status
own_graph(cot_context *ctx, const ir_graph **out)
{
    const pass_step *step;
    ir_graph *prepared;
    bool together;
    ir_module m;
    int steps;

    COT_TRY(ir_parse(ctx, "ordered", ordered, strlen(ordered), &m));
    ir_graph *g = m.fn[m.n - 1];
    COT_TRY(pass_parse(ctx, 0,
                       "vmap(axis=i, size=4, in=[none,0], out=[none,0,none], over=world)",
                       &steps, &step));
    for (int i = 0; i < steps; i++)
        COT_TRY(pass_run(step[i].row, g, &step[i].options, &g));
    COT_TRY(pass_prepare(g, &prepared));
    return rt_world_own(prepared, NULL, out, &together);
}

/* The place of an op, or of a call of this name. */
static int
place_of(const ir_graph *f, const char *name)
{
    for (uint32_t i = 1; i < f->n_nodes; i++) {
        const ir_node *n = &f->node[i];
        if (strcmp(ir_ops[n->op].record == IR_AT_custom ? n->at->custom.name
                                                        : ir_ops[n->op].name,
                   name) == 0)
            return (int)i;
    }
    fail(name, 4, 2, "there is none");
    return 0;
}

/* Names in the order in which they must be. */
static void
judge_order(const ir_graph *f, int n, const char *const *name)
{
    for (int i = 1; i < n; i++) {
        checks++;
        if (place_of(f, name[i - 1]) >= place_of(f, name[i]))
            fail(name[i], 4, 2, "is too early");
    }
}

void
order(void)
{
    static const char *const names[] = { PASS_WORLD_BEGIN, "scan", PASS_WORLD_START_SUMS,
                                         "dot_general", PASS_WORLD_SUMS, "mul" },
                             *const moves[] = { "scan", PASS_WORLD_START_MOVE,
                                                "dot_general", PASS_WORLD_MOVE };
    late w;
    const cot_comm fake = late_comm(&w, &(cot_comm){ .size = 2 });
    cot_context *ctx = cot_context_new(&(cot_options){ .comm = &fake, .cache_dir = "off" });
    const ir_graph *own = NULL;

    IR_TRY (ctx)
        own_graph(ctx, &own);
    if (!own)
        fail("order", 4, 2, cot_error(ctx));
    if (own) {
        judge_order(own, 6, names);
        judge_order(own, 4, moves);
    }
    cot_context_free(ctx);
}
