/* Elemental emission: frames, memoised scalars, loads, masks. */
#include "codegen/elemental/element.h"
#include "codegen/kernel/record.h"

#include "ir/diag.h"

typedef struct cg_bound_value {
    ir_ref v;
    cg_bind how;
} cg_bound_value;

cg_frame *
cg_frame_new(cg_lowering *l, const ir_graph *f)
{
    cg_frame *fr = IR_NEW(l->scratch, cg_frame);
    fr->f = f;
    fr->id = ++l->n_frames;
    ir_map_init(&fr->bound, l->scratch);
    return fr;
}

/* 1 + the position of v in fr->bind; 0: v is not bound. */
static uint32_t
find_bound(const cg_frame *fr, ir_ref v)
{
    const uint64_t h = ir_hash_u64(0, v);
    uint32_t id = 0;

    for (uint32_t at = 0; fr->n_bind && (id = ir_map_next(&fr->bound, h, &at)) != 0;)
        if (fr->bind[id - 1].v == v)
            break;
    return id;
}

const cg_bind *
cg_bound(const cg_frame *fr, ir_ref v)
{
    static const cg_bind node;
    const uint32_t id = find_bound(fr, v);

    return id ? &fr->bind[id - 1].how : &node;
}

void
cg_bind_value(cg_lowering *l, cg_frame *fr, ir_ref v, cg_bind b)
{
    const uint32_t id = find_bound(fr, v);

    if (id) {
        fr->bind[id - 1].how = b;
        return;
    }
    IR_PUSH(l->scratch, fr->bind, fr->n_bind, fr->cap_bind, ((cg_bound_value){ v, b }));
    ir_map_add(&fr->bound, ir_hash_u64(0, v), fr->n_bind);
}

/* Memoised scalars: a hash table whose newest entries are removed first: those of regions that
 * are closed, whose scalars do not dominate what follows. */

static void
forget(cg_lowering *l)
{
    const cg_memo *m = &l->memo[--l->n_memo];
    l->memo_head[m->hash % 1024] = m->next;
}

static void
forget_closed(cg_lowering *l)
{
    while (l->n_memo && !cg_scope_is_open(&l->b, l->memo[l->n_memo - 1].region))
        forget(l);
}

static uint64_t
memo_hash(const cg_frame *fr, ir_ref v, uint32_t n, const cg_ix *at)
{
    uint64_t h = ir_hash_u64(fr->id, v);
    for (uint32_t i = 0; i < n; i++)
        h = ir_hash_u64(h, at[i]);
    return h;
}

/* A scalar that was emitted without a mask is valid under any mask. */
static cg_val
memo_find(const cg_lowering *l, const cg_frame *fr, ir_ref v, uint32_t n, const cg_ix *at,
          uint64_t h)
{
    for (uint32_t i = l->memo_head[h % 1024]; i; i = l->memo[i - 1].next) {
        const cg_memo *m = &l->memo[i - 1];
        if (m->hash == h && m->frame == fr->id && m->ref == v &&
            (m->mask == l->mask || !m->mask) && m->n == n &&
            (n == 0 || memcmp(m->at, at, n * sizeof *at) == 0))
            return m->val;
    }
    return 0;
}

static void
memo_add(cg_lowering *l, const cg_frame *fr, ir_ref v, uint32_t n, const cg_ix *at, uint64_t h,
         cg_val val)
{
    forget_closed(l);
    cg_memo m = { .hash = h,
                  .frame = fr->id,
                  .ref = v,
                  .mask = l->mask,
                  .n = n,
                  .val = val,
                  .region = cg_scope_now(&l->b),
                  .next = l->memo_head[h % 1024] };
    if (n)
        m.at = ir_copy_bytes(l->scratch, at, n * sizeof *at);
    IR_PUSH(l->arena, l->memo, l->n_memo, l->cap_memo, m);
    l->memo_head[h % 1024] = l->n_memo;
}

void
cg_remember(cg_lowering *l, cg_frame *fr, ir_ref v, const cg_ix *at, cg_val val)
{
    uint32_t n = (uint32_t)ir_type_at(fr->f, v)->rank;
    memo_add(l, fr, v, n, at, memo_hash(fr, v, n, at), val);
}

/* Kernels and their buffers. */

void
cg_kernel_begin(cg_lowering *l, const char *name)
{
    ir_arena_reset(l->draft);
    l->k = cg_kernel_draft(l->m, l->draft, name);
    cg_begin(&l->b, l->k);
    l->why_before = l->why->n;
    l->k->loc = l->b.loc = l->entry.loc = l->loc;
    cg_record_begin(l->m->record, l->loc);
    cg_ix_begin(&l->ix, l->scratch);
    l->n_frames = 0;
    l->mask = 0;
    l->vector = l->exact = false;
    l->reduce_scope = CG_SERIAL;
    while (l->n_memo)
        forget(l);
}

static uint32_t
new_buffer(cg_lowering *l, const char *name, cot_dtype t, cg_space space, int64_t elements,
           uint32_t arg, cg_val offset)
{
    uint32_t i = cg_buffer_add(l->k, name, t, space, elements);
    uint32_t n = i, m = i;
    IR_PUSH(l->arena, l->arg, n, l->cap_arg, arg);
    IR_PUSH(l->arena, l->arg_offset, m, l->cap_offset, offset);
    return i;
}

/* May two buffers of the entry be the same memory? */
static bool
shares(const cg_lowering *l, uint32_t x, uint32_t y)
{
    const cg_buffer *b = l->entry.k->buffer;
    return x != y && (b[x].alias == y + 1 || b[y].alias == x + 1);
}

/* The alignment of elements of type t from place p on; of a part, one that does not tell the
 * first part from the others on processors, whose vectors may begin anywhere. */
static int
known_align(const cg_lowering *l, const cg_place *p, cot_dtype t, bool part)
{
    const int align = l->entry.k->buffer[p->buffer].align;
    int64_t bytes;

    if (!l->target.grid)
        return p->offset || part ? 0 : align;
    if (!p->offset)
        return align;
    bytes = cg_multiple_of(l->entry.k, p->offset) * (int64_t)cot_dtype_size(t);
    return bytes < align ? (int)bytes : align;
}

/* Does buffer i of the kernel start at the same element as place p?  Their sizes differ if one
 * is a part of the other. */
static bool
begins_at(const cg_lowering *l, uint32_t i, const cg_place *p)
{
    return l->arg[i] == p->buffer + 1 && l->arg_offset[i] == p->offset;
}

uint32_t
cg_place_buffer(cg_lowering *l, const cg_place *p, const ir_type *t, const char *name, bool out)
{
    for (uint32_t i = 0; i < l->k->n_buffers; i++) {
        if (!begins_at(l, i, p) || l->k->buffer[i].elements != t->size)
            continue;
        if (out)
            l->k->buffer[i].space = CG_OUT;
        return i;
    }
    uint32_t i =
        new_buffer(l, name, t->dtype, out ? CG_OUT : CG_IN, t->size, p->buffer + 1, p->offset);
    l->k->buffer[i].align = known_align(l, p, t->dtype, false);
    for (uint32_t j = i; j-- > 0;)
        if (l->arg[j] && (shares(l, l->arg[j] - 1, p->buffer) || begins_at(l, j, p))) {
            cg_buffer_over(l->k, i, j);
            break;
        }
    return i;
}

uint32_t
cg_local_buffer(cg_lowering *l, const char *name, cot_dtype t, int64_t elements)
{
    return new_buffer(l, name, t, CG_LOCAL, elements, 0, 0);
}

uint32_t
cg_const_buffer(cg_lowering *l, cot_dtype t, int64_t elements, const void *data)
{
    for (uint32_t i = 0; i < l->k->n_buffers; i++)
        if (l->k->buffer[i].space == CG_CONST && l->k->buffer[i].data == data)
            return i;
    uint32_t i = new_buffer(l, "constant", t, CG_CONST, elements, 0, 0);
    l->k->buffer[i].data = data;
    return i;
}

/* Masks and small helpers. */

cg_val
cg_and(cg_lowering *l, cg_val x, cg_val y)
{
    if (!x || !y)
        return x ? x : y;
    return x == y ? x : cg_insn2(&l->b, SC_and, COT_BOOL, x, y);
}

cg_val
cg_mask_and(cg_lowering *l, cg_val when)
{
    cg_val old = l->mask;
    int64_t known;

    if (!cg_is_const(l->k, when, &known) || !known)
        l->mask = cg_and(l, old, when);
    return old;
}

cg_val
cg_within(cg_lowering *l, cg_ix x, int64_t lo, int64_t hi, bool *never)
{
    const cg_ix_expr e = l->ix.expr[x];
    *never = e.hi < lo || e.lo >= hi;
    if (*never || (e.lo >= lo && e.hi < hi))
        return 0;
    cg_val v = cg_ix_value(&l->ix, &l->b, x), above = 0, below = 0;
    if (e.lo < lo)
        above = cg_insn2(&l->b, SC_le, COT_I64, cg_i64(&l->b, lo), v);
    if (e.hi >= hi)
        below = cg_insn2(&l->b, SC_lt, COT_I64, v, cg_i64(&l->b, hi));
    return cg_and(l, above, below);
}

cg_val
cg_choose(cg_lowering *l, cot_dtype t, cg_val cond, cg_val x, cg_val y)
{
    if (!cond || x == y)
        return x;
    return cg_insn3(&l->b, SC_select, t, cond, x, y);
}

cg_val
cg_is_branch(cg_build *b, cg_val x, cot_dtype t, int64_t branch, int64_t branches)
{
    if (t == COT_BOOL)
        return branch ? x : cg_insn1(b, SC_not, COT_BOOL, x);
    cg_val k = cg_const(b, t, (uint64_t)branch);
    if (branch == 0)
        return cg_insn2(b, SC_le, t, x, k);
    return branch == branches - 1 ? cg_insn2(b, SC_le, t, k, x) : cg_insn2(b, SC_eq, t, x, k);
}

cg_val
cg_convert(cg_lowering *l, cg_val x, cot_dtype from, cot_dtype to)
{
    const cg_val index = to == COT_I64 ? cg_index_of(&l->b, x) : 0;

    return index ? index : cg_cvt(&l->b, from, to, x);
}

cg_val
cg_bits_of(cg_lowering *l, cot_dtype t, const void *element)
{
    uint64_t bits = 0;
    memcpy(&bits, element, cot_dtype_size(t));
    return cg_const(&l->b, t, bits);
}

/* Unsigned numbers are clamped as unsigned: the largest u64 would be negative as i64. */
cg_ix
cg_clamped_index(cg_lowering *l, cg_val x, cot_dtype t, int64_t most)
{
    cg_val i;
    if (most == 0)
        return 0;
    if (t == COT_U64) {
        i = cg_insn2(&l->b, SC_min, COT_U64, x, cg_const(&l->b, COT_U64, (uint64_t)most));
        i = cg_convert(l, i, COT_U64, COT_I64);
    } else {
        i = cg_convert(l, x, t, COT_I64);
        const bool in_front = ir_is_unsigned(t) || cg_is_within(l->k, i, 0, INT64_MAX),
                   behind = cg_is_within(l->k, i, INT64_MIN, most);
        if (!in_front)
            i = cg_insn2(&l->b, SC_max, COT_I64, i, cg_i64(&l->b, 0));
        if (!behind)
            i = cg_insn2(&l->b, SC_min, COT_I64, i, cg_i64(&l->b, most));
    }
    int64_t c;
    if (cg_is_const(l->k, i, &c))
        return cg_ix_const(&l->ix, c);
    return cg_ix_var(&l->ix, i, 0, most);
}

/* Emission. */

static cg_val
load(cg_lowering *l, const cg_bind *b, const ir_type *t, const cg_ix *at)
{
    const int last = t->rank - b->inner;
    int from = 0;
    for (int64_t n = t->size; b->last_only && n > b->last_only; from++)
        n /= t->dims[from];
    cg_ix flat = cg_ix_flat(&l->ix, last - from, t->dims + from, cg_trailing(at, from));
    if (b->inner) {
        const cg_ix plane = cg_ix_flat(&l->ix, b->inner, t->dims + last, at + last);
        flat = cg_ix_add(&l->ix, flat, cg_ix_mul(&l->ix, plane, b->plane));
    }
    cg_val i = cg_ix_value(&l->ix, &l->b, cg_ix_addc(&l->ix, flat, -b->first));
    return cg_load(&l->b, b->buffer, b->base ? cg_iadd(&l->b, b->base, i) : i, l->mask);
}

cg_place
cg_place_at(cg_lowering *l, cg_place p, cg_val off)
{
    p.offset = p.offset ? cg_iadd(&l->entry, p.offset, off) : off;
    return p;
}

void
cg_narrow_buffer(cg_lowering *l, uint32_t i, int64_t first, int64_t elements)
{
    const cg_place old = { .buffer = l->arg[i] - 1, .offset = l->arg_offset[i] };
    const cg_place at = first ? cg_place_at(l, old, cg_i64(&l->entry, first)) : old;
    cg_buffer *b = &l->k->buffer[i];

    l->arg_offset[i] = at.offset;
    b->align = b->elements == elements ? b->align : known_align(l, &at, b->type, true);
    b->elements = elements;
}

uint32_t
cg_part_buffer(cg_lowering *l, const cg_place *p, cot_dtype t, int64_t first, int64_t elements)
{
    const cg_place at = first ? cg_place_at(l, *p, cg_i64(&l->entry, first)) : *p;
    const uint32_t i =
        cg_place_buffer(l, &at, ir_type_new(l->ctx, t, 1, &elements), "x", false);

    l->k->buffer[i].align = known_align(l, &at, t, true);
    return i;
}

/* An element of a value in memory. */
static cg_val __attribute__((noinline))
placed_element(cg_lowering *l, const cg_frame *fr, ir_ref v, cg_bind b, const cg_ix *at)
{
    const ir_type *t = ir_type_at(fr->f, v);
    const cg_place *p = &fr->place[v];

    /* a part of open length may lie elsewhere at sizes at which it has no element */
    if (l->m->n_open)
        b.first = b.elements = 0;
    b.buffer = b.elements && b.elements < t->size
                   ? cg_part_buffer(l, p, t->dtype, b.first, b.elements)
                   : cg_place_buffer(l, p, t, "x", false);
    return load(l, &b, t, at);
}

/* Kept out of cg_element, which recurses as deep as ops are chained, to keep its frames
 * small. */
static cg_val __attribute__((noinline))
outer_element(cg_lowering *l, const cg_bind *b, int rank, const cg_ix *at)
{
    cg_ix more[COT_MAX_RANK + 1];
    if (!b->prefixed)
        return cg_element(l, b->frame, b->ref, at);
    more[0] = b->prefix;
    if (rank) /* at is NULL otherwise */
        memcpy(more + 1, at, sizeof *at * (size_t)rank);
    return cg_element(l, b->frame, b->ref, more);
}

/* An element of a small register-resident value.  If the index is not constant, it is selected
 * among all elements. */
static cg_val
state_element(cg_lowering *l, const cg_bind *b, const ir_type *t, const cg_ix *at)
{
    int rank = t->rank - b->n_batch;
    int64_t n = 1, c;
    for (int k = b->n_batch; k < t->rank; k++)
        n *= t->dims[k];
    cg_ix flat = cg_ix_flat(&l->ix, rank, t->dims + b->n_batch, cg_trailing(at, b->n_batch));
    if (cg_ix_is_const(&l->ix, flat, &c))
        return b->registers[c < 0 || c >= n ? 0 : c];
    cg_val i = cg_ix_value(&l->ix, &l->b, flat), x = b->registers[0];
    for (int64_t k = 1; k < n; k++)
        x = cg_choose(l, t->dtype, cg_insn2(&l->b, SC_eq, COT_I64, i, cg_i64(&l->b, k)),
                      b->registers[k], x);
    return x;
}

cg_val
cg_element_of_node(cg_lowering *l, cg_frame *fr, const ir_node *n, int result, const cg_ix *at)
{
    return l->rules->element[n->op](l, fr, n, result, at);
}

cg_val
cg_element(cg_lowering *l, cg_frame *fr, ir_ref v, const cg_ix *at)
{
    const ir_type *t = ir_type_at(fr->f, v);
    const cg_bind b = *cg_bound(fr, v);
    if (b.kind == CG_BIND_OUTER)
        return outer_element(l, &b, t->rank, at);
    uint64_t h = memo_hash(fr, v, (uint32_t)t->rank, at);
    forget_closed(l);
    cg_val x = memo_find(l, fr, v, (uint32_t)t->rank, at, h);
    if (x)
        return x;
    const ir_node *n = ir_def(fr->f, v);
    if (b.kind == CG_BIND_BUFFER) {
        x = load(l, &b, t, at);
    } else if (b.kind == CG_BIND_REGISTERS) {
        x = state_element(l, &b, t, at);
    } else if (fr->place && fr->place[v].set && !cg_is_made(fr, v)) {
        x = placed_element(l, fr, v, b, at);
    } else if (n) {
        const ir_loc around = l->b.loc;
        l->b.loc = n->loc ? n->loc : around;
        cg_record_node(l->m->record, n->loc);
        x = cg_element_of_node(l, fr, n, (int)(v - n->first), at);
        l->b.loc = around;
    }
    if (!x) {
        cg_lower_fail(l, n ? n->loc : 0, n ? ir_ops[n->op].name : NULL,
                      "cannot be computed inside a kernel");
        x = cg_const(&l->b, t->dtype, 0);
    }
    memo_add(l, fr, v, (uint32_t)t->rank, at, h, x);
    return x;
}
