/* dot_general: maps the axes of the node to the four groups of axes of dot.h.  Small products
 * inside the bodies of loops are emitted inline, in registers. */
#include "codegen/elemental/fold.h"
#include "codegen/elemental/element.h"
#include "codegen/fuse/access.h"
#include "codegen/fuse/views.h"
#include "codegen/lower/dot.h"
#include "codegen/lower/level.h"
#include "codegen/lower/rules.h"
#include "codegen/tuning.h"

/* The axes of an operand that are neither contracted nor batch axes. */
static ir_ints
free_axes(ir_arena *a, int rank, ir_ints contracted, ir_ints batch)
{
    int64_t *at = IR_NEW_N(a, int64_t, rank + 1);
    int n = 0;
    for (int k = 0; k < rank; k++)
        if (!ir_ints_has(contracted, k) && !ir_ints_has(batch, k))
            at[n++] = k;
    return (ir_ints){ n, at };
}

typedef struct product {
    cg_lowering *l;
    cg_level *v;
    const ir_node *n;
    cg_dot d;
    const cg_dot_shape *shape;
    cg_frame *fr;
    const cg_group *g;                  /* the group: the product, or its epilogue */
    uint32_t *out;                      /* buffer of each value of g */
    /* for each axis of m, its axis of the result, counted after the batch axes */
    int order[COT_MAX_RANK];
    /* sizes of b, m and n; first elements of the operands in their memory */
    int64_t sizes[3], offset[2];
} product;

static const int64_t *
pick(ir_arena *a, ir_ints axes, const int64_t *of)
{
    int64_t *x = IR_NEW_N(a, int64_t, axes.n + 1);
    for (int i = 0; i < axes.n; i++)
        x[i] = of[axes.at[i]];
    return x;
}

/* The strides of the axes of operand i in the memory that it is read from, and its first
 * element. */
static const int64_t *
strides_of(cg_lowering *l, const ir_graph *f, const ir_node *n, int i, ir_ref *base,
           int64_t *offset)
{
    int64_t *s = IR_NEW_N(l->scratch, int64_t, ir_type_at(f, n->in[i])->rank + 1);
    *base = cg_dot_operand(f, n, i, s, offset);
    return s;
}

/* Split a flattened index into the indices of the axes of a group.  The axes of m are
 * sorted. */
static void
split_group(product *p, cg_ix flat, bool rows, int n, const int64_t *dims, cg_ix *at)
{
    int64_t size[COT_MAX_RANK];
    cg_ix part[COT_MAX_RANK + 1];
    for (int i = 0; i < n; i++)
        size[i] = dims[rows ? p->order[i] : i];
    cg_ix_split(&p->l->ix, flat, n, size, part);
    for (int i = 0; i < n; i++)
        at[rows ? p->order[i] : i] = part[i];
}

/* The index at which the epilogue reads the result.  If mapping it back through the views would
 * give other expressions, the indices become new variables, because the memoised result is
 * found by its index expressions. */
static void
epilogue_index(const product *p, ir_ref y, cg_ix *at, cg_ix *space)
{
    cg_lowering *l = p->l;
    const ir_graph *f = p->v->f;
    const ir_type *t = ir_type_at(f, y);
    const ir_ref via = p->g->via ? p->g->via : y;
    cg_ix from[COT_MAX_RANK + 1], back[COT_MAX_RANK + 1];
    for (int k = 0; via != y && k < t->rank; k++)
        at[k] = t->dims[k] == 1 ? 0 : at[k];
    cg_index_via(&l->ix, f, y, via, at, space);
    memcpy(from, space, sizeof from);
    for (ir_ref x = via; x != y; x = ir_def(f, x)->in[0]) {
        cg_view_index(&l->ix, f, ir_def(f, x), from, back);
        memcpy(from, back, sizeof from);
    }
    if (via == y || memcmp(from, at, sizeof *at * (size_t)t->rank) == 0)
        return;
    for (int k = 0; k < t->rank; k++)
        at[k] = cg_ix_var(&l->ix, cg_ix_value(&l->ix, &l->b, at[k]), 0, t->dims[k] - 1);
    cg_index_via(&l->ix, f, y, via, at, space);
}

/* Pass the result at (b, m, n) on: emit the values of group g inline and store them. */
static void
store_product(cg_build *build, void *user, cg_val b, cg_val m, cg_val n, cg_val acc,
              cg_val when)
{
    product *p = user;
    cg_lowering *l = p->l;
    ir_ref y = p->n->first;
    const ir_type *t = ir_type_at(p->v->f, y);
    const cg_val group[3] = { b, m, n };
    const int axes[3] = { p->d.b.n, p->d.m.n, p->d.n.n };
    cg_ix at[COT_MAX_RANK + 1], space[COT_MAX_RANK + 1];
    (void)build;
    for (int i = 0, k = 0; i < 3; k += axes[i++])
        if (axes[i])
            split_group(p, cg_ix_var(&l->ix, group[i], 0, p->sizes[i] - 1), i == 1, axes[i],
                        t->dims + k, at + k);
    epilogue_index(p, y, at, space);
    cg_remember(l, p->fr, y, at, cg_convert(l, acc, p->d.type, t->dtype));
    cg_val old = cg_mask_and(l, when);
    bool vector = l->vector;
    l->vector = true;
    for (uint32_t i = 0; i < p->g->n; i++) {
        const ir_ref v = p->g->v[i];
        const ir_type *to = ir_type_at(p->v->f, v);
        const cg_ix *where = v == y ? at : space;
        cg_val x = cg_element(l, p->fr, v, where);
        cg_ix flat = cg_ix_flat(&l->ix, to->rank, to->dims, where);
        cg_store(&l->b, p->out[i], cg_ix_value(&l->ix, &l->b, flat), x, l->mask);
    }
    l->vector = vector;
    l->mask = old;
}

/* The cost of one element of the epilogue. */
static int64_t
epilogue_cost(const product *p)
{
    const cg_level *v = p->v;
    const ir_type *t = ir_type_at(v->f, p->n->first);
    cg_access w;
    cg_access_begin(&w, p->l->scratch, v->f, v->fusion->root);
    const cg_ix *at = cg_access_space(&w, t->rank, t->dims);
    cg_ix space[COT_MAX_RANK];
    cg_index_via(&w.ix, v->f, p->n->first, p->g->via ? p->g->via : p->n->first, at, space);
    for (uint32_t i = 0; i < p->g->n; i++)
        cg_access_root(&w, p->g->v[i], p->g->v[i] == p->n->first ? at : space);
    return w.cost;
}

/* Sort the axes of m by falling stride, so that adjacent rows are close in memory. */
static void
sort_rows(product *p)
{
    const cg_dot_axes m = p->d.m;
    int64_t *size = IR_NEW_N(p->l->scratch, int64_t, m.n + 1),
            *stride = IR_NEW_N(p->l->scratch, int64_t, m.n + 1);
    for (int i = 0; i < m.n; i++) {
        int j = i;
        for (; j > 0 && stride[j - 1] < m.lhs[i]; j--) {
            size[j] = size[j - 1];
            stride[j] = stride[j - 1];
            p->order[j] = p->order[j - 1];
        }
        size[j] = m.size[i];
        stride[j] = m.lhs[i];
        p->order[j] = i;
    }
    p->d.m.size = size;
    p->d.m.lhs = stride;
}

/* A convolution as a product: its windows are a strided view of x, in which positions and
 * window elements step along the same axes of x. */
static void
describe_conv(product *p, ir_ref *x, ir_ref *y)
{
    cg_lowering *l = p->l;
    const ir_graph *f = p->v->f;
    const ir_node *n = p->n;
    const ir_type *tx = ir_type_at(f, n->in[0]), *ty = ir_type_at(f, n->in[1]),
                  *t = ir_type_at(f, n->first);
    const int spatial = tx->rank - 3, last = tx->rank - 1;
    const int64_t *sx = strides_of(l, f, n, 0, x, &p->offset[0]);
    const int64_t *sy = strides_of(l, f, n, 1, y, &p->offset[1]);
    int64_t *rows = IR_NEW_N(l->scratch, int64_t, tx->rank),
            *window = IR_NEW_N(l->scratch, int64_t, tx->rank);
    rows[0] = sx[1];
    window[spatial] = sx[last];
    for (int i = 0; i < spatial; i++) {
        rows[1 + i] = n->at->conv.strides.at[i] * sx[2 + i];
        window[i] = n->at->conv.dilation.at[i] * sx[2 + i];
    }
    p->d.type = ir_compute_type(tx->dtype);
    p->d.b = (cg_dot_axes){ 1, t->dims, sx, sy };
    p->d.m = (cg_dot_axes){ 1 + spatial, t->dims + 1, rows, NULL };
    sort_rows(p);
    p->d.n = (cg_dot_axes){ 1, t->dims + last, NULL, sy + last };
    p->d.k = (cg_dot_axes){ spatial + 1, ty->dims + 1, window, sy + 1 };
}

static void
describe(product *p, ir_ref *x, ir_ref *y, bool *inner)
{
    cg_lowering *l = p->l;
    const ir_graph *f = p->v->f;
    const ir_node *n = p->n;
    *inner = false;
    for (int i = 0; i < COT_MAX_RANK; i++)
        p->order[i] = i;
    if (n->op == OP_conv_general) {
        describe_conv(p, x, y);
        return;
    }
    const ir_type *tx = ir_type_at(f, n->in[0]), *ty = ir_type_at(f, n->in[1]);
    const int64_t *sx = strides_of(l, f, n, 0, x, &p->offset[0]);
    const int64_t *sy = strides_of(l, f, n, 1, y, &p->offset[1]);
    ir_ints fx = free_axes(l->scratch, tx->rank, n->at->dot.lhs, n->at->dot.lhs_batch);
    ir_ints fy = free_axes(l->scratch, ty->rank, n->at->dot.rhs, n->at->dot.rhs_batch);
    ir_ints bx = n->at->dot.lhs_batch, by = n->at->dot.rhs_batch, kx = n->at->dot.lhs,
            ky = n->at->dot.rhs;
    p->d.type = ir_compute_type(tx->dtype);
    p->d.b = (cg_dot_axes){ bx.n, pick(l->scratch, bx, tx->dims), pick(l->scratch, bx, sx),
                            pick(l->scratch, by, sy) };
    p->d.m =
        (cg_dot_axes){ fx.n, pick(l->scratch, fx, tx->dims), pick(l->scratch, fx, sx), NULL };
    p->d.n =
        (cg_dot_axes){ fy.n, pick(l->scratch, fy, ty->dims), NULL, pick(l->scratch, fy, sy) };
    p->d.k = (cg_dot_axes){ kx.n, pick(l->scratch, kx, tx->dims), pick(l->scratch, kx, sx),
                            pick(l->scratch, ky, sy) };
    *inner = cg_has_inner_form(f, n, fx.n, fy.n);
}

/* Does the kernel store the product alone, with its elements in the order of b, m, n? */
static bool
is_result_itself(const product *p)
{
    for (int i = 0; i < p->d.m.n; i++)
        if (p->order[i] != i)
            return false;
    return p->g->n == 1 && p->g->v[0] == p->n->first &&
           ir_type_at(p->v->f, p->n->first)->dtype == p->d.type;
}

/* The buffer of the kernel for operand x, which is the part of x's memory from the operand's
 * first element to its last, and the offset of the first one in it. */
static uint32_t
bind_operand(product *p, ir_ref x, int side, cg_val *offset)
{
    cg_lowering *l = p->l;
    const ir_type *t = ir_type_at(p->v->f, x);
    const cg_place *place = &p->v->place[x];
    const cg_dot_axes *axes[] = { &p->d.b, &p->d.m, &p->d.n, &p->d.k };
    int64_t elements = 1;

    for (int i = 0; i < 4; i++) {
        const int64_t *stride = side ? axes[i]->rhs : axes[i]->lhs;
        for (int k = 0; stride && k < axes[i]->n; k++)
            elements += (axes[i]->size[k] - 1) * stride[k];
    }
    *offset = 0;
    if (cg_dot_total(&p->d.k) > 0 && elements < t->size && !cg_is_in_a_result(l, p->v, p->g, x))
        return cg_part_buffer(l, place, t->dtype, p->offset[side], elements);
    if (p->offset[side])
        *offset = cg_i64(&l->b, p->offset[side]);
    return cg_place_buffer(l, place, t, "x", false);
}

/* The buffers of the operands, of the results, and of packed panels. */
static void
bind_buffers(product *p, ir_ref x, ir_ref y, bool inner)
{
    cg_lowering *l = p->l;
    const cg_level *v = p->v;
    const cg_group *g = p->g;

    p->out = IR_NEW_N(l->scratch, uint32_t, g->n + 1);
    for (uint32_t i = 0; i < g->n; i++)
        p->out[i] =
            cg_place_buffer(l, &v->place[g->v[i]], ir_type_at(v->f, g->v[i]), "y", true);
    p->d.lhs_type = ir_type_at(v->f, x)->dtype;
    p->d.rhs_type = ir_type_at(v->f, y)->dtype;
    p->d.lhs = bind_operand(p, x, 0, &p->d.lhs_offset);
    p->d.rhs = bind_operand(p, y, 1, &p->d.rhs_offset);
    p->d.sum = is_result_itself(p) ? 1 + p->out[0] : 0;
    p->shape = cg_dot_plan(l, &p->d, inner, p->n->loc);
    const int64_t scratch = cg_dot_scratch(p->shape);
    if (scratch)
        p->d.scratch = cg_work_buffer(l, "pack", "pack", p->d.type, scratch);
}

/* GPU: the tiles of both operands in shared memory. */
static void
add_tiles(product *p)
{
    cg_lowering *l = p->l;
    int64_t tiles[2];

    for (int i = 0; cg_dot_tiles(p->shape, tiles) && i < 2; i++) {
        p->d.tile[i] = cg_local_buffer(l, i ? "right" : "left", p->d.type, tiles[i]);
        l->k->buffer[p->d.tile[i]].space = CG_SHARED;
        l->k->buffer[p->d.tile[i]].align = 16;
    }
}

void
cg_plan_dot(cg_lowering *l, cg_level *v, const cg_group *g)
{
    product p = { .l = l, .v = v, .n = g->node, .g = g };
    const ir_type *t = ir_type_at(v->f, g->node->first);
    bool inner;
    ir_ref x, y;
    describe(&p, &x, &y, &inner);
    for (uint32_t i = 0; i < g->n; i++)
        if (!v->place[g->v[i]].set)
            v->place[g->v[i]] = cg_plan_new(l, "t", ir_type_at(v->f, g->v[i]));
    if (t->size == 0)
        return;
    p.sizes[0] = cg_dot_total(&p.d.b);
    p.sizes[1] = cg_dot_total(&p.d.m);
    p.sizes[2] = cg_dot_total(&p.d.n);
    cg_kernel_begin(l, "dot");
    p.fr = cg_level_frame(l, v, g);
    cg_bind_windows(l, v, g, p.fr);
    p.d.store = store_product;
    p.d.user = &p;
    const int64_t epilogue = epilogue_cost(&p);
    p.d.expensive = epilogue > CG_LOWER_MAX_CHEAP_EPILOGUE;
    ir_buf_printf(l->why, "%s: product, b %lld, m %lld, n %lld, k %lld%s\n", l->k->name,
                  (long long)p.sizes[0], (long long)p.sizes[1], (long long)p.sizes[2],
                  (long long)cg_dot_total(&p.d.k), inner ? ", inner" : "");
    bind_buffers(&p, x, y, inner);
    add_tiles(&p);
    l->k->loc = g->node->loc;
    l->k->note = "matrix product";
    /* the cost of the epilogue counts the product as 1 */
    l->k->flops = (2 * cg_dot_total(&p.d.k) + epilogue - 1) * t->size;
    cg_dot_build(l, &p.d, p.shape, inner);
    cg_kernel_call(l);
}

/* -- small products, inline ---------------------------------------------------------------- */

typedef struct inline_product {
    cg_lowering *l;
    cg_frame *fr;
    const ir_node *n;
    cot_dtype type;
    ir_ints fx, fy;
    const cg_ix *at;
} inline_product;

static cg_val
factor(inline_product *s, int side, int64_t k)
{
    cg_lowering *l = s->l;
    const ir_graph *f = s->fr->f;
    const ir_node *n = s->n;
    const ir_type *t = ir_type_at(f, n->in[side]);
    ir_ints con = side ? n->at->dot.rhs : n->at->dot.lhs,
            batch = side ? n->at->dot.rhs_batch : n->at->dot.lhs_batch;
    ir_ints own = side ? s->fy : s->fx;
    const int64_t *sizes = pick(l->scratch, con, t->dims);
    cg_ix to[COT_MAX_RANK + 1], kk[COT_MAX_RANK + 1];
    cg_ix_split(&l->ix, cg_ix_const(&l->ix, k), con.n, sizes, kk);
    for (int i = 0; i < con.n; i++)
        to[con.at[i]] = kk[i];
    for (int i = 0; i < batch.n; i++)
        to[batch.at[i]] = s->at[i];
    for (int i = 0; i < own.n; i++)
        to[own.at[i]] = s->at[batch.n + (side ? s->fx.n : 0) + i];
    return cg_convert(l, cg_element(l, s->fr, n->in[side], to), t->dtype, s->type);
}

static cg_val
accumulate(inline_product *s, cg_val acc, int64_t k)
{
    cg_build *b = &s->l->b;
    cg_val x = factor(s, 0, k), y = factor(s, 1, k);
    if (ir_is_float(s->type))
        return cg_insn3(b, SC_fma, s->type, x, y, acc);
    return cg_insn2(b, SC_add, s->type, acc, cg_insn2(b, SC_mul, s->type, x, y));
}

static cg_val
small_step(cg_lowering *l, void *user, cg_ix j, cg_val acc)
{
    int64_t k = 0;
    cg_ix_is_const(&l->ix, j, &k);
    return accumulate(user, acc, k);
}

static cg_val
small_inner(inline_product *s, int64_t size)
{
    const cg_fold how = { SC_add, s->type, small_step };
    cg_val sum;
    cg_fold_loops(s->l, size, 1, &how, CG_FOLD_UNROLLED, false, NULL, s, &sum);
    return sum;
}

cg_val
lower_dot(cg_lowering *l, cg_frame *fr, const ir_node *n, int result, const cg_ix *at)
{
    const ir_type *tx = ir_type_at(fr->f, n->in[0]), *ty = ir_type_at(fr->f, n->in[1]);
    inline_product s = {
        .l = l, .fr = fr, .n = n, .type = ir_compute_type(tx->dtype), .at = at
    };
    int64_t size = 1;
    (void)result;
    for (int i = 0; i < n->at->dot.lhs.n; i++)
        size *= tx->dims[n->at->dot.lhs.at[i]];
    if (size > CG_LOWER_MAX_INLINE_K)
        return 0;
    s.fx = free_axes(l->scratch, tx->rank, n->at->dot.lhs, n->at->dot.lhs_batch);
    s.fy = free_axes(l->scratch, ty->rank, n->at->dot.rhs, n->at->dot.rhs_batch);
    cg_val acc = cg_const(&l->b, s.type, 0);
    if (size > 0 && cg_has_inner_form(fr->f, n, s.fx.n, s.fy.n))
        acc = small_inner(&s, size);
    else
        for (int64_t k = 0; k < size; k++)
            acc = accumulate(&s, acc, k);
    return cg_convert(l, acc, s.type, tx->dtype);
}
