/* The sizes of a call: found in the shapes of its arguments, and checked. */
#include <stdlib.h>

#include "codegen/tuning.h"
#include "ir/array.h"
#include "ir/diag.h"
#include "runtime/open/open.h"

enum { LINE = 64 };

static bool
is_open_axis(const rt_sizes *s, int i, int k)
{
    return s->rank[i] > k && s->axis[i][k].is_open;
}

bool
rt_open_fits(const cot_kernel *k, const cot_array *const *args, int n)
{
    const rt_sizes *s = k->open->sizes;

    if (n != k->n_args)
        return false;
    for (int i = 0; i < n; i++) {
        const ir_type *t = k->type[k->open->input[i]];

        if (args[i]->type.dtype != t->dtype || args[i]->type.rank != t->rank)
            return false;
        for (int axis = 0; axis < t->rank; axis++)
            if (!is_open_axis(s, i, axis) && args[i]->dims[axis] != t->dims[axis])
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

static cot_status
check_facts(const cot_kernel *k, const int64_t *size)
{
    const rt_sizes *s = k->open->sizes;

    for (int i = 0; i < s->n; i++) {
        const rt_size *x = &s->size[i];

        if (size[i] < x->least)
            return differs(k, x->argument, x->axis, size[i], x->least,
                           "at least the least size");
        if (size[i] > x->most)
            return differs(k, x->argument, x->axis, size[i], x->most,
                           "at most the largest size");
        if (size[i] % x->multiple)
            return differs(k, x->argument, x->axis, size[i], x->multiple,
                           "a multiple of the divisor");
    }
    return COT_OK;
}

static cot_status
check_lengths(const cot_kernel *k, const cot_array *const *args, const int64_t *size)
{
    const rt_sizes *s = k->open->sizes;

    for (int i = 0; i < s->n_args; i++)
        for (int axis = 0; axis < s->rank[i]; axis++) {
            const int64_t length = cg_polynomial_at(&s->axis[i][axis].length, size);

            if (s->axis[i][axis].is_open && length != args[i]->dims[axis])
                return differs(k, i, axis, args[i]->dims[axis], length, NULL);
        }
    return COT_OK;
}

cot_status
rt_open_sizes(const cot_kernel *k, const cot_array *const *args, int64_t *size)
{
    const rt_sizes *s = k->open->sizes;

    for (int i = 0; i < s->n; i++)
        size[i] = args[s->size[i].argument]->dims[s->size[i].axis];
    COT_TRY(check_facts(k, size));
    COT_TRY(check_lengths(k, args, size));
    return cg_open_has_room(&k->open->general, size)
               ? COT_OK
               : rt_guard(k->ctx, too_large, (void *)(uintptr_t)k);
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
        dims[axis] = cg_form_at(&k->open->length[i][axis], size);
        if (t->rank <= 8)
            out.dims[axis] = dims[axis];
    }
    out.more = t->rank > 8 ? dims : NULL;
    return out;
}

bool
rt_open_is_result(const cot_kernel *k, int i, const int64_t *size, const cot_array *a)
{
    const ir_type *t = k->type[k->n_in + i];

    if (a->type.dtype != t->dtype || a->type.rank != t->rank)
        return false;
    for (int axis = 0; axis < t->rank; axis++)
        if (a->dims[axis] != cg_form_at(&k->open->length[i][axis], size))
            return false;
    return true;
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
