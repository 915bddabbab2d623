/* Which results may be computed in the memory of an operand.
 *
 * An update overwrites the value that it updates, a loop its carries, and a cond the operands
 * that its branches return, update or map element by element.  What a node with branches or a
 * body overwrites depends on the nodes in these, at every depth.  So it is found once for each
 * node, and the time is linear in the number of distinct sub-functions: nodes around it ask for
 * each of its results, operands and branches. */
#include "codegen/fuse/fuse.h"
#include "codegen/tuning.h"

/* What is known of a node: the answers for each of its results. */
typedef struct cg_known_over {
    const ir_node *node;
    const int *over; /* cg_overwrites; NULL: nothing, or not asked for */
    const int *part; /* cg_part_operand */
    bool asked;      /* for cg_overwrites */
} cg_known_over;

static uint32_t
known_of(cg_lowering *l, const ir_node *n)
{
    const uint64_t hash = ir_hash_u64(0, (uint64_t)(uintptr_t)n);
    uint32_t at = 0, id;

    if (!l->over_of.arena)
        ir_map_init(&l->over_of, l->arena);
    while ((id = ir_map_next(&l->over_of, hash, &at)))
        if (l->over[id - 1].node == n)
            return id - 1;
    IR_PUSH(l->arena, l->over, l->n_over, l->cap_over, ((cg_known_over){ .node = n }));
    ir_map_add(&l->over_of, hash, l->n_over);
    return l->n_over - 1;
}

/* The input of f that x equals, but for parts that are written one after the other; IR_NONE: x
 * is a new value. */
static ir_ref
part_origin(cg_lowering *l, const ir_graph *f, ir_ref x)
{
    for (const ir_node *n; (n = ir_def(f, x)) != NULL;) {
        const int from = cg_part_operand(l, f, n, (int)(x - n->first));
        if (from < 0)
            return IR_NONE;
        x = n->in[from];
    }
    return x;
}

/* The operand of the cond n from which result k differs only in parts, in every branch; -1:
 * there is none. */
static int
part_of_branches(cg_lowering *l, const ir_node *n, int k)
{
    const ir_graphs g = n->at->cond.branches;
    int part = -1;

    for (int i = 0; i < g.n; i++) {
        const ir_ref x = part_origin(l, g.at[i], g.at[i]->out[k]);
        int j = n->n_in - 1;
        while (j > 0 && g.at[i]->in[j - 1] != x)
            j--;
        if (j == 0 || (i > 0 && j != part))
            return -1;
        part = j;
    }
    return ir_type_at(g.at[0], g.at[0]->out[k]) == ir_type_at(g.at[0], g.at[0]->in[part - 1])
               ? part
               : -1;
}

static const ir_type *
predicate_of(const ir_graph *f, const ir_node *n)
{
    const ir_graph *cond = ir_loop_of(n).cond;

    return n->op == OP_cond ? ir_type_at(f, n->in[0])
           : cond           ? ir_type_at(cond, cond->out[0])
                            : NULL;
}

/* Is selecting every element of result k of n for each example cheaper than writing parts under
 * a mask, perhaps even in registers? */
static bool
is_selected(const ir_graph *f, const ir_node *n, int k)
{
    const ir_type *t = ir_type_at(f, n->first + (ir_ref)k), *p = predicate_of(f, n);

    return p && p->rank > 0 && t->size < CG_FUSE_MIN_MASKED * p->size;
}

/* Does another operand of n hold the value of operand part[k], or another result update it in
 * place? */
static bool
is_shared(const ir_node *n, int k, const int *part)
{
    bool is = false;

    for (int i = 0; i < n->n_in; i++)
        is |= i != part[k] && n->in[i] == n->in[part[k]];
    for (int i = 0; i < n->n_out; i++)
        is |= i != k && part[i] == part[k];
    return is;
}

static const int *
parts_of_cond(cg_lowering *l, const ir_graph *f, const ir_node *n)
{
    const bool mapped = predicate_of(f, n)->rank > 0;
    int *all = IR_NEW_N(l->arena, int, n->n_out + 1),
        *part = IR_NEW_N(l->arena, int, n->n_out + 1);

    for (int k = 0; k < n->n_out; k++)
        all[k] = part_of_branches(l, n, k);
    for (int k = 0; k < n->n_out; k++)
        part[k] = all[k] < 0 || is_selected(f, n, k) || (mapped && is_shared(n, k, all))
                      ? -1
                      : all[k];
    return part;
}

static const int *
parts_of_loop(cg_lowering *l, const ir_graph *f, const ir_node *n)
{
    const ir_loop loop = ir_loop_of(n);
    int *part = IR_NEW_N(l->arena, int, n->n_out + 1);

    for (int k = 0; k < n->n_out; k++) {
        const int at = loop.consts + k;
        const bool writes = loop.body && k < loop.carries && !is_selected(f, n, k) &&
                            part_origin(l, loop.body, loop.body->out[k]) == loop.body->in[at];
        part[k] = writes ? at : -1;
    }
    return part;
}

int
cg_part_operand(cg_lowering *l, const ir_graph *f, const ir_node *n, int k)
{
    const cot_dtype t = ir_type_at(f, n->first + (ir_ref)k)->dtype;

    if (ir_ops[n->op].flag != IR_FLOW)
        return !ir_is_update(n->op) || (ir_is_half(t) && ir_ops[n->op].by) ? -1 : 0;
    const uint32_t at = known_of(l, n);
    if (!l->over[at].part) {
        const int *part = ir_ops[n->op].record == IR_AT_cond ? parts_of_cond(l, f, n)
                                                             : parts_of_loop(l, f, n);
        l->over[at].part = part;
    }
    return l->over[at].part[k];
}

/* The input of branch f that x equals, or is an update in place of; IR_NONE: x is a new
 * value. */
static ir_ref
origin(cg_lowering *l, const ir_graph *f, ir_ref x)
{
    for (const ir_node *n; (n = ir_def(f, x)) != NULL;) {
        const int *over = cg_overwrites(l, f, n);
        const int from = over ? over[x - n->first] : -1;
        if (from < 0)
            return IR_NONE;
        x = n->in[from];
    }
    return x;
}

/* Is x computed from input c element by element, by at most `most` nested ops? */
static bool
is_map_of(const ir_graph *f, ir_ref x, ir_ref c, int most)
{
    const ir_node *n = ir_def(f, x);
    bool is = x == c;
    for (int i = 0; !is && n && most > 0 && ir_ops[n->op].flag == IR_POINTWISE && i < n->n_in;
         i++)
        is = ir_type_at(f, n->in[i]) == ir_type_at(f, x) && is_map_of(f, n->in[i], c, most - 1);
    return is;
}

static bool
is_operand_available(const ir_graph *f, const ir_node *n, int k, int j, const int *over)
{
    bool is = ir_type_at(f, n->in[j]) == ir_type_at(f, n->first + (ir_ref)k);
    for (int i = 1; i < n->n_in; i++)
        is &= i == j || n->in[i] != n->in[j];
    for (int i = 0; i < k; i++)
        is &= over[i] != j;
    return is;
}

/* The operand of a cond whose memory result k may overwrite, or -1: one that some branch
 * returns as it is or updates in place, else one from which a branch computes the result
 * element by element. */
static int
branch_operand(cg_lowering *l, const ir_graph *f, const ir_node *n, int k, const int *over)
{
    const ir_graphs g = n->at->cond.branches;
    for (int i = 0; i < g.n; i++) {
        const ir_ref x = origin(l, g.at[i], g.at[i]->out[k]);
        for (int j = 1; x && j < n->n_in; j++)
            if (g.at[i]->in[j - 1] == x && is_operand_available(f, n, k, j, over))
                return j;
    }
    for (int i = 0; i < g.n; i++)
        for (int j = 1; j < n->n_in; j++)
            if (is_operand_available(f, n, k, j, over) &&
                is_map_of(g.at[i], g.at[i]->out[k], g.at[i]->in[j - 1], CG_FUSE_MAX_MAPS))
                return j;
    return -1;
}

static const int *
find_overwrites_of(cg_lowering *l, const ir_graph *f, const ir_node *n)
{
    const bool writes = ir_is_update(n->op);
    const bool chooses = n->op == OP_cond,
               mapped = chooses && ir_type_at(f, n->in[0])->rank > 0;
    const ir_loop loop = ir_loop_of(n);
    const int first = loop.consts, carries = loop.carries;
    if (!writes && !chooses && carries == 0)
        return NULL;
    int *over = IR_NEW_N(l->arena, int, n->n_out + 1);
    for (int k = 0; k < n->n_out; k++)
        over[k] = writes        ? 0
                  : mapped      ? cg_part_operand(l, f, n, k)
                  : chooses     ? branch_operand(l, f, n, k, over)
                  : k < carries ? first + k
                                : -1;
    return over;
}

const int *
cg_overwrites(cg_lowering *l, const ir_graph *f, const ir_node *n)
{
    if (ir_ops[n->op].flag != IR_FLOW)
        return find_overwrites_of(l, f, n);
    const uint32_t at = known_of(l, n);
    if (!l->over[at].asked) {
        const int *over = find_overwrites_of(l, f, n);
        l->over[at].over = over;
        l->over[at].asked = true;
    }
    return l->over[at].over;
}
