/* Reductions over the first axes: sums of columns.
 *
 * A strip of columns in registers would touch a page of memory for each row.  Instead rows are read whole: the
 * partial results of a panel of columns are rows of a scratch memory, and the tree of NUMERICS.md section 3 is
 * walked by rows.  Lanes come in bit-reversed order, so that both the fold of 32 lanes and the tree of blocks are one
 * binary counter: part q = 32 b + r takes the rows of block b and lane reversed(r), and after it parts combine as
 * carries of q + 1 do.  The height of the stack before part q is the number of ones in q.  A lane without rows is
 * neutral; what is left in the end combines from the last part to the first. */
#include <inttypes.h>

#include "codegen/cost.h"
#include "codegen/fuse.h"
#include "codegen/lower/reduce.h"

enum {
    LANES = 32,
    BLOCK = 512,
    ROWS_LEAST = 64,
    COLUMNS_LEAST = 256,
    REDUCTIONS_MOST = 4,
    SCRATCH_MOST = 128 << 10
};

typedef struct columns {
    cg_lowering *l;
    cg_frame *fr;
    const cg_group *g;
    const ir_type *x;           /* of the operands      */
    int64_t rows, count, panel; /* columns in a panel   */
    int outer;                  /* axes that are reduced: the first ones */
    int64_t parts, depth;
    cg_fold how[REDUCTIONS_MOST];
    uint32_t out[REDUCTIONS_MOST], stack[REDUCTIONS_MOST];
    /* for the loop over columns in hand */
    cg_val first_column, top, step; /* step: of combining; 0: adding a row   */
    cg_ix row;
} columns;

/* Does every value of the group reduce the first axes of operands of one shape, and are there enough of both? */
static bool
fits(columns *c)
{
    const ir_graph *f = c->fr->f;
    for (uint32_t i = 0; i < c->g->n; i++) {
        const ir_node *n = ir_def(f, c->g->v[i]);
        int first, last;
        if (!n || ir_ops[n->op].flag != IR_REDUCE || n->op == OP_argmax || n->op == OP_argmin ||
            c->g->n > REDUCTIONS_MOST)
            return false;
        const ir_type *x = ir_type_at(f, n->in[0]);
        c->rows = cg_reduced(f, n, &first, &last);
        if (first != 0 || ir_axes_count(n->at.axes.axes) != last ||
            (i && (!ir_same_shape(x, c->x) || last != c->outer)))
            return false;
        c->x = x;
        c->outer = last;
        c->how[i] = cg_fold_of(n->op, x->dtype);
    }
    c->count = c->rows ? c->x->size / c->rows : 0;
    return c->rows >= ROWS_LEAST && c->count >= COLUMNS_LEAST;
}

/* Equal panels whose stacks fit the scratch; at least one for each thread. */
static bool
choose_panel(columns *c)
{
    int64_t bytes = 0, panels = c->l->o->threads > 1 && c->x->size > CG_COST_PARALLEL
                                    ? c->l->o->threads
                                    : 1;
    c->parts = (c->rows + BLOCK - 1) / BLOCK * LANES;
    c->depth = 1;
    while ((int64_t)1 << (c->depth - 1) < c->parts)
        c->depth++;
    for (uint32_t i = 0; i < c->g->n; i++)
        bytes += c->depth * (int64_t)cot_dtype_size(c->how[i].type);
    while (panels < c->count && (c->count % panels || c->count / panels * bytes > SCRATCH_MOST))
        panels++;
    c->panel = c->count / panels;
    return c->panel >= COLUMNS_LEAST / 4;
}

static cg_val
slot(columns *c, cg_val height, cg_ix column)
{
    cg_build *b = &c->l->b;
    return cg_iadd(b, cg_imul(b, height, c->panel), cg_ix_value(&c->l->ix, b, column));
}

static void
clear_columns(cg_lowering *l, void *user, cg_ix column)
{
    columns *c = user;
    for (uint32_t i = 0; i < c->g->n; i++)
        cg_store(&l->b, c->stack[i], slot(c, c->top, column),
                 cg_neutral(&l->b, c->how[i].op, c->how[i].type), 0);
}

/* Index of an operand at the row in hand and a column of the panel. */
static void
operand_index(columns *c, cg_ix column, cg_ix *at)
{
    cg_lowering *l = c->l;
    cg_val k = cg_iadd(&l->b, c->first_column, cg_ix_value(&l->ix, &l->b, column));
    cg_ix whole = c->panel == c->count ? column : cg_ix_var(&l->ix, k, 0, c->count - 1);
    cg_ix_split(&l->ix, c->row, c->outer, c->x->dims, at);
    cg_ix_split(&l->ix, whole, c->x->rank - c->outer, c->x->dims + c->outer, at + c->outer);
}

static void
add_row(cg_lowering *l, void *user, cg_ix column)
{
    columns *c = user;
    cg_ix at[COT_MAX_RANK];
    operand_index(c, column, at);
    for (uint32_t i = 0; i < c->g->n; i++) {
        const ir_node *n = ir_def(c->fr->f, c->g->v[i]);
        cg_val x = cg_convert(l, cg_pull(l, c->fr, n->in[0], at), c->x->dtype, c->how[i].type),
               s = slot(c, c->top, column);
        cg_val sum =
            cg_insn2(&l->b, c->how[i].op, c->how[i].type, cg_load(&l->b, c->stack[i], s, 0), x);
        cg_store(&l->b, c->stack[i], s, sum, 0);
    }
}

/* Part `left + 1` into part `left` of the stack. */
static void
combine_parts(cg_lowering *l, void *user, cg_ix column)
{
    columns *c = user;
    cg_val left = slot(c, c->step, column),
           right = cg_iadd(&l->b, left, cg_i64(&l->b, c->panel));
    for (uint32_t i = 0; i < c->g->n; i++) {
        cg_val x = cg_load(&l->b, c->stack[i], left, 0),
               y = cg_load(&l->b, c->stack[i], right, 0);
        cg_store(&l->b, c->stack[i], left, cg_insn2(&l->b, c->how[i].op, c->how[i].type, x, y),
                 0);
    }
}

static void
store_columns(cg_lowering *l, void *user, cg_ix column)
{
    columns *c = user;
    int64_t height = __builtin_popcountll((uint64_t)c->parts);
    cg_val at = cg_iadd(&l->b, c->first_column, cg_ix_value(&l->ix, &l->b, column));
    for (uint32_t i = 0; i < c->g->n; i++) {
        const ir_node *n = ir_def(c->fr->f, c->g->v[i]);
        cg_val x = cg_load(&l->b, c->stack[i], slot(c, cg_i64(&l->b, height - 1), column), 0);
        for (int64_t h = height - 2; h >= 0; h--)
            x = cg_insn2(&l->b, c->how[i].op, c->how[i].type,
                         cg_load(&l->b, c->stack[i], slot(c, cg_i64(&l->b, h), column), 0), x);
        cg_store(&l->b, c->out[i], at, cg_fold_finish(l, c->fr->f, n, x), 0);
    }
}

static void
over_columns(columns *c, cg_each_body *body)
{
    int64_t lanes = cg_lanes(c->l, ir_bits(c->how[0].type));
    cg_each(c->l, CG_SERIAL, c->panel, 2 * lanes, false, body, c);
}

/* The five bits of r in reverse. */
static cg_val
reversed(cg_build *b, cg_val r)
{
    cg_val out = cg_i64(b, 0);
    for (int bit = 0; bit < 5; bit++)
        out = cg_iadd(b, out,
                      cg_imul(b, cg_imod(b, cg_idiv(b, r, (int64_t)1 << bit), 2), 16 >> bit));
    return out;
}

/* Part q: the rows 512 b + 32 t + lane for all t, and the carries after it. */
static void
one_part(columns *c, cg_val q)
{
    cg_lowering *l = c->l;
    cg_build *b = &l->b;
    cg_val lane = reversed(b, cg_imod(b, q, LANES)),
           first = cg_iadd(b, cg_imul(b, cg_idiv(b, q, LANES), BLOCK), lane);
    cg_val left = cg_isub(b, cg_i64(b, c->rows + LANES - 1), first);
    cg_val steps = c->rows % BLOCK ? cg_imin(b, cg_i64(b, BLOCK / LANES),
                                             cg_insn2(b, SC_shr, COT_I64, left, cg_i64(b, 5)))
                                   : cg_i64(b, BLOCK / LANES);
    c->top = cg_insn1(b, SC_popcnt, COT_I64, q);
    over_columns(c, clear_columns);

    cg_val loop = cg_loop_begin(b, CG_SERIAL, cg_i64(b, 0), steps, 1, 0);
    uint32_t mark = cg_scope_begin(l);
    c->row = cg_ix_var(&l->ix, cg_iadd(b, first, cg_imul(b, cg_loop_var(b, loop), LANES)), 0,
                       c->rows - 1);
    over_columns(c, add_row);
    cg_scope_end(l, mark);
    cg_loop_end(b, loop);

    cg_val changed = cg_insn2(b, SC_xor, COT_I64, q, cg_iadd(b, q, cg_i64(b, 1)));
    cg_val carries = cg_isub(b, cg_insn1(b, SC_popcnt, COT_I64, changed), cg_i64(b, 1));
    loop = cg_loop_begin(b, CG_SERIAL, cg_i64(b, 0), carries, 1, 0);
    mark = cg_scope_begin(l);
    c->step = cg_isub(b, cg_isub(b, c->top, cg_i64(b, 1)), cg_loop_var(b, loop));
    over_columns(c, combine_parts);
    cg_scope_end(l, mark);
    cg_loop_end(b, loop);
}

bool
cg_column_kernel(cg_lowering *l, cg_frame *fr, const cg_group *g)
{
    columns c = { .l = l, .fr = fr, .g = g };
    cg_build *b = &l->b;
    if (cg_lanes(l, 32) == 1 || !fits(&c) || !choose_panel(&c))
        return false;
    for (uint32_t i = 0; i < g->n; i++) {
        c.out[i] =
            cg_place_buffer(l, &fr->place[g->v[i]], ir_type_at(fr->f, g->v[i]), "y", true);
        c.stack[i] = cg_local_buffer(l, "parts", c.how[i].type, c.depth * c.panel);
    }
    bool many = l->o->threads > 1 && c.panel < c.count;
    cg_val panels = cg_loop_begin(b, many ? CG_PARALLEL : CG_SERIAL, cg_i64(b, 0),
                                  cg_i64(b, c.count / c.panel), 1, 0);
    uint32_t mark = cg_scope_begin(l);
    c.first_column = cg_imul(b, cg_loop_var(b, panels), c.panel);
    cg_val loop = cg_loop_begin(b, CG_SERIAL, cg_i64(b, 0), cg_i64(b, c.parts), 1, 0);
    uint32_t inner = cg_scope_begin(l);
    one_part(&c, cg_loop_var(b, loop));
    cg_scope_end(l, inner);
    cg_loop_end(b, loop);
    over_columns(&c, store_columns);
    cg_scope_end(l, mark);
    cg_loop_end(b, panels);
    l->k->flops = c.x->size * (int64_t)g->n;
    l->k->bytes = c.x->size * (int64_t)cot_dtype_size(c.x->dtype) * (int64_t)g->n;
    ir_buf_printf(l->why,
                  "%s: columns of %" PRId64 " rows, %" PRId64 " panels of %" PRId64 "%s\n",
                  l->k->name, c.rows, c.count / c.panel, c.panel, many ? ", parallel" : "");
    return true;
}
