/* The sizes of a call: found in the shapes of its arguments, and checked. */
#include <stdlib.h>

#include "codegen/tuning.h"
#include "ir/diag.h"
#include "runtime/open/open.h"

enum { LINE = 64 };

static bool
is_open_axis(const rt_sizes *s, int i, int k)
{
    return s->rank[i] > k && s->axis[i][k].is_open;
}

/* -- what calls compare: in lists, since a call of a small kernel takes less time than a walk
 * over the axes of all its arrays -- */

static void
add_length(rt_open *o, rt_lengths *list, int array, int axis, const cg_size_form *f)
{
    const cg_polynomial *p = &f->whole;
    const bool single = f->n == 0 && p->n == 1 && p->constant == 0 && p->term[0].degree == 1 &&
                        p->term[0].factor == 1;
    const rt_length x = { array, axis, single ? p->term[0].size[0] : -1,
                          cg_form_is_constant(f) || single ? NULL : f, p->constant };

    IR_PUSH(&o->arena, list->at, list->n, list->cap, x);
}

/* Is this the axis whose length is taken for a size?  That of a multiple is compared. */
static bool
is_found_in(const rt_sizes *s, int argument, int axis)
{
    bool is = false;

    for (int i = 0; i < s->n; i++)
        is |= s->size[i].argument == argument && s->size[i].axis == axis &&
              s->size[i].factor == 1 && s->size[i].offset == 0;
    return is;
}

void
rt_open_list_lengths(const cot_kernel *k, rt_open *o)
{
    const rt_sizes *s = o->sizes;

    for (int i = 0; i < k->n_args; i++) {
        const ir_type *t = k->type[o->input[i]];

        for (int axis = 0; axis < t->rank; axis++) {
            const bool open = is_open_axis(s, i, axis);
            cg_size_form *f = IR_NEW(&o->arena, cg_size_form);

            *f = open ? (cg_size_form){ .whole = s->axis[i][axis].length }
                      : (cg_size_form){ .whole = { .constant = t->dims[axis] } };
            if (!is_found_in(s, i, axis))
                add_length(o, open ? &o->open : &o->fixed, i, axis, f);
        }
    }
    o->result = IR_NEW_N(&o->arena, rt_lengths, k->n_out + 1);
    for (int i = 0; i < k->n_out; i++)
        for (int axis = 0; axis < k->type[k->n_in + i]->rank; axis++)
            add_length(o, &o->result[i], i, axis, &o->length[i][axis]);
}

bool
rt_open_fits(const cot_kernel *k, const cot_array *const *args, int n)
{
    const rt_open *o = k->open;

    if (n != k->n_args)
        return false;
    for (int i = 0; i < n; i++) {
        const ir_type *t = k->type[o->input[i]];

        if (args[i]->type.dtype != t->dtype || args[i]->type.rank != t->rank)
            return false;
    }
    for (uint32_t i = 0; i < o->fixed.n; i++) {
        const rt_length *x = &o->fixed.at[i];

        if (args[x->array]->dims[x->axis] != x->fixed)
            return false;
    }
    return true;
}

typedef struct disagreement {
    const cot_kernel *k;
    int argument, axis;
    int64_t has, wants;
    const char *what;           /* NULL: the length */
} disagreement;

/* The length of an axis, as the user wrote it. */
static const char *
length_text(cot_context *ctx, const rt_sizes *s, int argument, int axis)
{
    const cg_size_form f = { .whole = s->axis[argument][axis].length };
    const char *name[CG_MAX_SIZES];
    ir_buf b;

    for (int i = 0; i < s->n; i++)
        name[i] = s->size[i].name;
    ir_buf_init(&b, &ctx->message_arena);
    cg_form_print(&b, &f, name);
    return b.text;
}

static cot_status
record(cot_context *ctx, void *arg)
{
    const disagreement *d = arg;
    const rt_sizes *s = d->k->open->sizes;
    char name[32];

    return ir_fail(ctx, d->k->loc, d->k->graph->name, ERR_size_differs,
                   rt_sizes_name(s, d->argument, name), (long long)d->has, d->axis,
                   d->what ? d->what : length_text(ctx, s, d->argument, d->axis),
                   (long long)d->wants);
}

static cot_status
differs(const cot_kernel *k, int i, int axis, int64_t has, int64_t wants, const char *what)
{
    disagreement d = { k, i, axis, has, wants, what };

    return rt_guard(k->ctx, record, &d);
}

static cot_status
too_large(cot_context *ctx, void *arg)
{
    const cot_kernel *k = arg;

    return ir_fail(ctx, k->loc, k->graph->name, ERR_sizes_large);
}

/* Which of the sizes or lengths of a call is wrong. */
static cot_status
refuse_fact(const cot_kernel *k, const rt_size *s, int64_t x, int64_t has)
{
    if (x < s->least)
        return differs(k, s->argument, s->axis, has, s->factor * s->least + s->offset,
                       "at least the least size");
    if (x > s->most)
        return differs(k, s->argument, s->axis, has, s->factor * s->most + s->offset,
                       "at most the largest size");
    return differs(k, s->argument, s->axis, has, s->multiple, "a multiple of the divisor");
}

/* A size from the length in which it is found, which need not be one of its lengths. */
static int64_t
found_in(const rt_size *s, const cot_array *const *args)
{
    const int64_t length = args[s->argument]->dims[s->axis];

    return s->factor == 1 ? length - s->offset : (length - s->offset) / s->factor;
}

static bool
has_facts(const rt_size *s, int64_t x)
{
    return s->least <= x && x <= s->most && (s->multiple == 1 || x % s->multiple == 0);
}

cot_status
rt_open_refuse_sizes(const cot_kernel *k, const cot_array *const *args)
{
    const rt_open *o = k->open;
    int64_t size[CG_MAX_SIZES];

    for (int i = 0; i < o->sizes->n; i++) {
        const rt_size *s = &o->sizes->size[i];

        size[i] = found_in(s, args);
        if (!has_facts(s, size[i]))
            return refuse_fact(k, s, size[i], args[s->argument]->dims[s->axis]);
    }
    for (uint32_t i = 0; i < o->open.n; i++) {
        const rt_length *x = &o->open.at[i];
        const int64_t has = args[x->array]->dims[x->axis], wants = rt_length_at(x, size);

        if (has != wants)
            return differs(k, x->array, x->axis, has, wants, NULL);
    }
    return rt_guard(k->ctx, too_large, (void *)(uintptr_t)k);
}

bool
rt_open_sizes(const cot_kernel *k, const cot_array *const *args, int64_t *size)
{
    const rt_open *o = k->open;

    for (int i = 0; i < o->sizes->n; i++) {
        const rt_size *s = &o->sizes->size[i];

        size[i] = found_in(s, args);
        if (!has_facts(s, size[i]))
            return false;
    }
    for (uint32_t i = 0; i < o->open.n; i++) {
        const rt_length *x = &o->open.at[i];

        if (args[x->array]->dims[x->axis] != rt_length_at(x, size))
            return false;
    }
    return o->general.n_terms == 0 || cg_open_has_room(&o->general, size);
}

const cg_size_form *
rt_open_axes(const rt_open *o, const ir_graph *f, int parameter, ir_arena *a)
{
    const int out = parameter - f->n_in;
    const ir_type *t = ir_type_at(f, out < 0 ? f->in[parameter] : f->out[out]);
    cg_size_form *axis = IR_NEW_N(a, cg_size_form, t->rank + 1);
    bool is_open = false;
    int given = 0;

    for (int i = 0; i < parameter && out < 0; i++)
        given += !ir_is_bound(f, i);
    for (int k = 0; k < t->rank; k++) {
        if (out >= 0)
            axis[k] = o->length[out][k];
        else if (!ir_is_bound(f, parameter) && is_open_axis(o->sizes, given, k))
            axis[k].whole = o->sizes->axis[given][k].length;
        else
            axis[k].whole.constant = t->dims[k];
        is_open |= !cg_form_is_constant(&axis[k]);
    }
    return is_open ? axis : NULL;
}

cot_type
rt_open_result(const cot_kernel *k, int i, const int64_t *size, int64_t *dims)
{
    const ir_type *t = k->type[k->n_in + i];
    cot_type out = ir_type_public(t);

    for (int axis = 0; axis < t->rank; axis++) {
        dims[axis] = rt_length_at(&k->open->result[i].at[axis], size);
        if (t->rank <= 8)
            out.dims[axis] = dims[axis];
    }
    out.more = t->rank > 8 ? dims : NULL;
    return out;
}

/* How many elements a vector operation is taken to have, since the cost counts elements. */
enum { LANES = 8 };

bool
rt_open_wants_threads(const cot_kernel *k, const int64_t *size)
{
    const cg_size_form *cost = &k->open->cost;

    return cg_form_is_constant(cost) || cg_form_at(cost, size) > LANES * CG_FUSE_COST_PARALLEL;
}

/* Blocks of one kernel have many sizes: each begins with a line that says how large it is. */
void *
rt_open_block_take(const cot_kernel *k, const int64_t *size)
{
    const size_t bytes = (size_t)cg_open_work_bytes(&k->open->general, size) + LINE;
    size_t *block = rt_block_find(k->blocks);

    if (block && *block < bytes) {
        free(block);
        block = NULL;
    }
    if (!block) {
        block = aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE);
        if (!block)
            return NULL;
        *block = bytes;
    }
    return (char *)block + LINE;
}

void
rt_open_block_give(const cot_kernel *k, void *block)
{
    rt_block_give(k->blocks, (char *)block - LINE);
}

void
rt_open_free(cot_context *ctx, rt_open *o)
{
    if (!o)
        return;
    ir_arena_free(&o->arena);
    ir_free(ctx, o);
}
