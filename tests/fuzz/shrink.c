/* Shrinking by deletion, until nothing more can go: first outputs, then nodes from the last to
 * the first, each result replaced by an operand of its type, by zeros, or by a new input. */
#include "tests/fuzz/generate.h"

typedef enum edit_kind { DROP_OUTPUT, BY_OPERAND, BY_ZEROS, BY_INPUT, DROP_INPUTS,
    EDIT_COUNT } edit_kind;

/* f with one edit, or NULL if it does not apply: `at` numbers an output or a node. */
static ir_graph *
edited(const ir_graph *f, edit_kind kind, uint32_t at)
{
    ir_build *b = ir_build_new(f->ctx, "shrunk");
    ir_ref *map = IR_NEW_N(b->arena, ir_ref, f->n_values);
    const uint32_t *uses = ir_count_uses(f, b->arena);
    ir_graph *g = NULL;
    bool applied = kind == DROP_OUTPUT || kind == DROP_INPUTS;

    cot_error_clear(f->ctx);
    for (int i = 0; i < f->n_in; i++)
        if (kind != DROP_INPUTS || uses[f->in[i]])
            map[f->in[i]] = ir_input(b, ir_type_at(f, f->in[i]), f->in_name[i]);
    ir_each_node(n, f) {
        ir_ref in[256];

        if (n->n_in > 256)
            return NULL;
        for (int i = 0; i < n->n_in; i++)
            in[i] = map[n->in[i]];
        if ((uint32_t)(n - f->node) != at || kind == DROP_OUTPUT || kind == DROP_INPUTS) {
            ir_copy_node(b, n, in, map + n->first);
            continue;
        }
        for (int k = 0; k < n->n_out; k++) {
            const ir_type *t = ir_type_at(f, n->first + (ir_ref)k);
            ir_ref v = IR_NONE;

            for (int i = 0; i < n->n_in && kind == BY_OPERAND; i++)
                v = ir_btype(b, in[i]) == t ? in[i] : v;
            if (kind == BY_ZEROS && n->op != OP_constant)
                v = ir_zeros(b, t);
            if (kind == BY_INPUT)
                v = ir_input(b, t, NULL);
            if (!v)
                return NULL;
            map[n->first + (ir_ref)k] = v;
            applied = true;
        }
    }
    for (int i = 0; i < f->n_out; i++)
        if (kind != DROP_OUTPUT || (uint32_t)i != at)
            ir_output(b, map[f->out[i]]);
    return applied && ir_build_end(b, &g) == COT_OK ? g : NULL;
}

/* Fewer nodes, or as many with fewer outputs or inputs. */
static bool
smaller(const ir_graph *g, const ir_graph *f)
{
    if (g->n_nodes != f->n_nodes)
        return g->n_nodes < f->n_nodes;
    return g->n_in + g->n_out < f->n_in + f->n_out;
}

static const ir_graph *
one_round(const ir_graph *f, fuzz_fails *fails, void *user)
{
    for (int kind = DROP_OUTPUT; kind < EDIT_COUNT; kind++) {
        uint32_t last = kind == DROP_INPUTS ? 1 : kind == DROP_OUTPUT ? (uint32_t)f->n_out
            : f->n_nodes;

        for (uint32_t at = last; at-- > (kind == DROP_OUTPUT || kind == DROP_INPUTS ? 0 : 1);) {
            const ir_graph *g =
                kind == DROP_OUTPUT && f->n_out == 1 ? NULL : edited(f, (edit_kind)kind, at);

            if (g && smaller(g, f) && fails(user, g))
                return g;
        }
    }
    return NULL;
}

const ir_graph *
fuzz_shrink(const ir_graph *f, fuzz_fails *fails, void *user)
{
    const ir_graph *g;

    while ((g = one_round(f, fails, user)))
        f = g;
    return f;
}
