/* A write of a box that covers most of a value, at constant indices, becomes a concatenation of
 * the box and its surroundings.  The steps of a stencil with a boundary are such writes.
 *
 * As an update the box is computed separately, since it reads what it overwrites, and is then
 * copied.  As a concatenation everything is one map over the value, which a loop writes into a
 * second buffer.  A smaller box remains an update, which leaves the rest of the value in place.
 *
 * The pass runs after contraction, which must not see the addition of a box. */
#include "passes/engine.h"

/* The surroundings of the box are at most the value's size divided by this. */
enum { PARTS = 4 };

typedef struct box {
    int64_t start[COT_MAX_RANK], size[COT_MAX_RANK];
    int update; /* the operand with the values that are written */
} box;

/* Element i of a vector of integers, if it is constant. */
static bool
known_integer(const ir_graph *f, ir_ref v, int64_t i, int64_t *x)
{
    const ir_node *n = ir_def(f, v);
    double y;

    if (!n || n->op != OP_constant)
        return false;
    ir_data one = n->at->constant.data;
    if (!one.splat)
        one.bytes = (const char *)one.bytes + (size_t)i * cot_dtype_size(one.type->dtype);
    one.splat = true;
    if (!ir_data_number(&one, &y) || y < -0x1p53 || y > 0x1p53)
        return false;
    *x = (int64_t)y;
    return true;
}

static bool
is_most(const ir_type *x, const box *at)
{
    int64_t size = 1;

    for (int k = 0; k < x->rank; k++)
        size *= at->size[k];
    return x->rank > 0 && size < x->size && x->size - size <= x->size / PARTS;
}

/* The op clamps the starts so that the box lies inside. */
static bool
box_of_slice(const ir_graph *f, const ir_node *n, box *at)
{
    const ir_type *x = ir_type_at(f, n->in[0]), *u = ir_type_at(f, n->in[1]);

    for (int k = 0; k < x->rank; k++) {
        const int64_t most = x->dims[k] - u->dims[k];
        int64_t *start = &at->start[k];
        if (!known_integer(f, n->in[2 + k], 0, start))
            return false;
        *start = *start < 0 ? 0 : *start > most ? most : *start;
        at->size[k] = u->dims[k];
    }
    return true;
}

/* A scatter of one window that lies inside. */
static bool
box_of_scatter(const ir_graph *f, const ir_node *n, box *at)
{
    const ir_type *x = ir_type_at(f, n->in[0]), *v = ir_type_at(f, n->in[1]),
                  *u = ir_type_at(f, n->in[2]);
    const ir_ints map = n->at->scatter.index_map, inserted = n->at->scatter.inserted;

    if (n->at->scatter.operand_batch.n > 0 || v->size != map.n)
        return false;
    for (int k = 0, w = 0; k < x->rank; k++) {
        at->start[k] = 0;
        at->size[k] =
            ir_ints_has(inserted, k) ? 1 : u->dims[n->at->scatter.window_dims.at[w++]];
    }
    for (int i = 0; i < map.n; i++) {
        const int64_t k = map.at[i];
        if (!known_integer(f, n->in[1], i, &at->start[k]) || at->start[k] < 0 ||
            at->start[k] > x->dims[k] - at->size[k])
            return false;
    }
    return true;
}

/* The box of a scatter that sets or adds, or of a dynamic_update_slice. */
static bool
find_box(const ir_graph *f, const ir_node *n, box *at)
{
    const bool scatters = ir_ops[n->op].record == IR_AT_scatter &&
                          (!ir_ops[n->op].by || ir_ops[n->op].by == IR_BY_SUM);

    if (!scatters && n->op != OP_dynamic_update_slice)
        return false;
    at->update = scatters ? 2 : 1;
    return (scatters ? box_of_scatter(f, n, at) : box_of_slice(f, n, at)) &&
           is_most(ir_type_at(f, n->in[0]), at);
}

/* The part of x between lo and hi along axis k: axes after k whole, axes before k only as far
 * as the box reaches. */
static ir_ref
surroundings(ir_build *b, ir_ref x, const box *at, int k, int64_t lo, int64_t hi)
{
    const ir_type *t = ir_btype(b, x);
    int64_t start[COT_MAX_RANK], limit[COT_MAX_RANK], stride[COT_MAX_RANK];

    for (int i = 0; i < t->rank; i++) {
        start[i] = i < k ? at->start[i] : i == k ? lo : 0;
        limit[i] = i < k ? at->start[i] + at->size[i] : i == k ? hi : t->dims[i];
        stride[i] = 1;
    }
    return ir_slice(b, x, start, limit, stride);
}

/* u, which has the shape of the box, concatenated with its surroundings, from the last axis
 * on. */
static ir_ref
with_surroundings(ir_build *b, ir_ref x, const box *at, ir_ref u)
{
    for (int k = ir_btype(b, x)->rank - 1; k >= 0; k--) {
        const int64_t end = at->start[k] + at->size[k], all = ir_btype(b, x)->dims[k];
        ir_ref part[3];
        int n = 0;
        if (at->start[k] > 0)
            part[n++] = surroundings(b, x, at, k, 0, at->start[k]);
        part[n++] = u;
        if (end < all)
            part[n++] = surroundings(b, x, at, k, end, all);
        u = n > 1 ? ir_concatenate(b, n, part, k) : u;
    }
    return u;
}

static ir_ref
box_itself(ir_build *b, ir_ref x, const box *at)
{
    int64_t limit[COT_MAX_RANK], stride[COT_MAX_RANK];

    for (int i = 0; i < ir_btype(b, x)->rank; i++) {
        limit[i] = at->start[i] + at->size[i];
        stride[i] = 1;
    }
    return ir_slice(b, x, at->start, limit, stride);
}

static void
visit(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env, const ir_ref *in,
      ir_ref *out)
{
    const int rank = n->n_in ? ir_type_at(f, n->in[0])->rank : 0;
    ir_attrs sub;
    box at;

    (void)env;
    if (ir_ops[n->op].flag == IR_FLOW) {
        const cot_status status = pass_rewrite_subs(b, n, pass_boxes, &sub);
        if (status != COT_OK)
            b->status = status;
        ir_add_node(b, (ir_op)n->op, n->n_in, in, &sub, out);
    } else if (find_box(f, n, &at)) {
        ir_ref u = ir_reshape(b, in[at.update], rank, at.size);
        if (ir_ops[n->op].by)
            u = ir_add(b, box_itself(b, in[0], &at), u);
        out[0] = with_surroundings(b, in[0], &at, u);
    } else {
        ir_copy_node(b, n, in, out);
    }
}

bool
pass_has_boxes(const ir_graph *f)
{
    const ir_graph *const *all;
    const uint32_t graphs = ir_all_graphs(f, true, &all, f->arena);
    box at;

    for (uint32_t i = 0; i < graphs; i++)
        ir_each_node (n, all[i])
            if (find_box(all[i], n, &at))
                return true;
    return false;
}

cot_status
pass_boxes(const ir_graph *f, ir_graph **out)
{
    return pass_rewrite(f, "boxes", visit, out);
}
