/* Reductions over the first axes, row by row: see columns.h.  A kernel that only sums columns
 * visits the rows once for each panel of columns, so that the stack of partial results stays in
 * the L1 cache. */
#include "codegen/schedule/columns.h"

#include <inttypes.h>

#include "codegen/elemental/strip_mine.h"
#include "codegen/fuse/cost.h"

enum {
    LANES = 32,
    BLOCK = 512
};

void
cg_columns_strip_mine(cg_columns *c, cg_strip_body *body, void *user)
{
    int64_t lanes = cg_lanes(c->l, ir_bits(c->how[0].type));
    cg_strip_mine(c->l, CG_SERIAL, c->width, 2 * lanes, false, body, user);
}

static cg_val
slot(cg_columns *c, cg_val height, cg_ix column)
{
    cg_build *b = &c->l->b;
    cg_val value = cg_ix_value(&c->l->ix, b, column);
    return cg_iadd(b, cg_imul(b, height, c->width), value);
}

cg_val
cg_columns_node(cg_columns *c, int i, cg_ix column)
{
    return cg_load(&c->l->b, c->stack[i], cg_ix_value(&c->l->ix, &c->l->b, column), 0);
}

static void
clear_columns(cg_lowering *l, void *user, cg_ix column)
{
    cg_columns *c = user;
    for (int i = 0; i < c->n; i++) {
        cg_val value = cg_neutral(&l->b, c->how[i].op, c->how[i].type);
        cg_store(&l->b, c->stack[i], slot(c, c->top, column), value, 0);
    }
}

void
cg_columns_add(cg_columns *c, int i, cg_ix column, cg_val x)
{
    cg_build *b = &c->l->b;
    cg_val at = slot(c, c->top, column), sum = cg_load(b, c->stack[i], at, c->l->mask);
    sum = cg_insn2(b, c->how[i].op, c->how[i].type, sum, x);
    cg_store(b, c->stack[i], at, sum, c->l->mask);
}

/* Combine part `step + 1` of the stack into part `step`. */
static void
combine_parts(cg_lowering *l, void *user, cg_ix column)
{
    cg_columns *c = user;
    cg_val left = slot(c, c->step, column),
           right = cg_iadd(&l->b, left, cg_i64(&l->b, c->width));
    for (int i = 0; i < c->n; i++) {
        cg_val x = cg_load(&l->b, c->stack[i], left, 0),
               y = cg_load(&l->b, c->stack[i], right, 0);
        cg_store(&l->b, c->stack[i], left, cg_insn2(&l->b, c->how[i].op, c->how[i].type, x, y),
                 0);
    }
}

/* Combine the uppermost `n` parts of the stack with the one below them, into one.  `top` is the
 * index of the uppermost part. */
static void
combine(cg_columns *c, cg_val top, cg_val n)
{
    cg_lowering *l = c->l;
    cg_build *b = &l->b;
    cg_val loop = cg_loop_begin(b, CG_SERIAL, cg_i64(b, 0), n, 1, 0);
    c->step = cg_isub(b, cg_isub(b, top, cg_i64(b, 1)), cg_loop_var(b, loop));
    cg_columns_strip_mine(c, combine_parts, c);
    cg_loop_end(b, loop);
}

/* r with its five bits reversed. */
static cg_val
reversed(cg_build *b, cg_val r)
{
    cg_val out = cg_i64(b, 0);
    for (int bit = 0; bit < 5; bit++)
        out = cg_iadd(b, out,
                      cg_imul(b, cg_imod(b, cg_idiv(b, r, (int64_t)1 << bit), 2), 16 >> bit));
    return out;
}

/* Add part q of the rows, the `nth` part on this stack: rows 512 b + 32 t + lane for all t.
 * Then combine the parts that the carries of nth + 1 complete. */
static void
one_part(cg_columns *c, cg_val q, cg_val nth, cg_row_body *body, void *user)
{
    cg_lowering *l = c->l;
    cg_build *b = &l->b;
    cg_val lane = reversed(b, cg_imod(b, q, LANES)),
           first = cg_iadd(b, cg_imul(b, cg_idiv(b, q, LANES), BLOCK), lane);
    cg_val left = cg_isub(b, cg_i64(b, c->rows + LANES - 1), first);
    cg_val steps = c->rows % BLOCK ? cg_insn2(b, SC_shr, COT_I64, left, cg_i64(b, 5)) : 0,
           most = cg_i64(b, BLOCK / LANES);
    steps = steps ? cg_imin(b, most, steps) : most;
    c->top = cg_insn1(b, SC_popcnt, COT_I64, nth);
    cg_columns_strip_mine(c, clear_columns, c);

    cg_val loop = cg_loop_begin(b, CG_SERIAL, cg_i64(b, 0), steps, 1, 0);
    const cg_val row = cg_iadd(b, first, cg_imul(b, cg_loop_var(b, loop), LANES));
    cg_take_value(b, c->reduction, row, 0);
    body(user, row);
    cg_loop_end(b, loop);

    cg_val changed = cg_insn2(b, SC_xor, COT_I64, nth, cg_iadd(b, nth, cg_i64(b, 1)));
    cg_val one = cg_i64(b, 1);
    combine(c, c->top, cg_isub(b, cg_insn1(b, SC_popcnt, COT_I64, changed), one));
}

void
cg_columns_declare(cg_columns *c)
{
    c->reduction = cg_reduction_new(&c->l->b, c->rows, 0, 1);
}

void
cg_columns_parts(cg_columns *c, cg_val lo, cg_val n, cg_row_body *body, void *user)
{
    cg_lowering *l = c->l;
    cg_build *b = &l->b;
    for (int i = 0; i < c->n; i++)
        if (!c->stack[i])
            c->stack[i] = cg_local_buffer(l, "parts", c->how[i].type,
                                         cg_columns_depth(c) * c->width);
    cg_val loop = cg_loop_begin(b, CG_SERIAL, cg_i64(b, 0), n, 1, 0);
    cg_val nth = cg_loop_var(b, loop);
    one_part(c, cg_iadd(b, lo, nth), nth, body, user);
    cg_loop_end(b, loop);
    int64_t parts;
    if (cg_is_const(l->k, n, &parts) && (parts & (parts - 1)) == 0 && !cg_is_open(l, c->rows))
        return;
    cg_val one = cg_i64(b, 1);
    cg_val below = cg_isub(b, cg_insn1(b, SC_popcnt, COT_I64, n), one);
    combine(c, below, below);
}

typedef struct panels {
    cg_columns c;
    cg_frame *fr;
    uint32_t out[CG_FUSE_MAX_COLUMN_SUMS];
    cg_val first; /* first column of the current panel */
    cg_ix row;
} panels;

/* The index of an operand at the current row and a column of the panel. */
static void
operand_index(panels *p, cg_ix column, cg_ix *at)
{
    cg_columns *c = &p->c;
    cg_lowering *l = c->l;
    int outer = c->x->rank - ir_type_at(c->f, c->v[0])->rank;
    cg_val k = cg_iadd(&l->b, p->first, cg_ix_value(&l->ix, &l->b, column));
    cg_ix whole = c->width == c->count ? column : cg_ix_var(&l->ix, k, 0, c->count - 1);
    cg_ix_split(&l->ix, p->row, outer, c->x->dims, at);
    cg_ix_split(&l->ix, whole, c->x->rank - outer, c->x->dims + outer, at + outer);
}

static void
add_element(cg_lowering *l, void *user, cg_ix column)
{
    panels *p = user;
    cg_ix at[COT_MAX_RANK + 1];
    operand_index(p, column, at);
    for (int i = 0; i < p->c.n; i++) {
        ir_ref x = ir_def(p->c.f, p->c.v[i])->in[0];
        cg_columns_add(&p->c, i, column,
                       cg_convert(l, cg_element(l, p->fr, x, at), ir_type_at(p->c.f, x)->dtype,
                                  p->c.how[i].type));
    }
}

static void
add_row(void *user, cg_val row)
{
    panels *p = user;
    p->row = cg_ix_var(&p->c.l->ix, row, 0, p->c.rows - 1);
    cg_columns_strip_mine(&p->c, add_element, p);
}

static void
store_columns(cg_lowering *l, void *user, cg_ix column)
{
    panels *p = user;
    cg_val at = cg_iadd(&l->b, p->first, cg_ix_value(&l->ix, &l->b, column));
    for (int i = 0; i < p->c.n; i++) {
        cg_val x =
            cg_unless_empty(l, p->c.rows, &p->c.how[i], cg_columns_node(&p->c, i, column));
        cg_store(&l->b, p->out[i], at, cg_fold_finish(l, p->c.f, ir_def(p->c.f, p->c.v[i]), x),
                 0);
    }
}

void
cg_column_kernel(cg_lowering *l, cg_frame *fr, const cg_group *g)
{
    panels p = { .c = cg_columns_of(l, fr->f, g->n, g->v), .fr = fr };
    cg_columns *c = &p.c;
    cg_build *b = &l->b;
    if (l->target.grid) {
        cg_column_grid(l, fr, g);
        return;
    }
    cg_columns_choose_panel(c);
    cg_note_group(l, fr, g);
    for (int i = 0; i < c->n; i++)
        p.out[i] =
            cg_place_buffer(l, &fr->place[c->v[i]], ir_type_at(fr->f, c->v[i]), "y", true);
    bool many = l->o->threads > 1 && c->width < c->count;
    cg_val loop = cg_loop_of(b, many ? CG_PARALLEL : CG_SERIAL, c->count / c->width);
    p.first = cg_imul(b, cg_loop_var(b, loop), c->width);
    cg_columns_declare(c);
    cg_columns_parts(c, cg_i64(b, 0), cg_i64(b, c->parts), add_row, &p);
    cg_columns_strip_mine(c, store_columns, &p);
    cg_loop_end(b, loop);
    l->k->flops = c->x->size * c->n;
    ir_buf_printf(l->why,
                  "%s: columns of %" PRId64 " rows, %" PRId64 " panels of %" PRId64 "%s\n",
                  l->k->name, c->rows, c->count / c->width, c->width, many ? ", parallel" : "");
}
