/* A function of a text with sizes: the text is parsed at sizes, as often as a function in C is
 * traced. */
#include "ir/sized.h"
#include "runtime/open/open.h"

_Static_assert((int)IR_MAX_SIZES == (int)CG_MAX_SIZES,
               "a text may have as many sizes as a kernel");
_Static_assert((int)IR_MOST_SIZE == (int)RT_OPEN_MOST, "its facts are those of a kernel");

typedef struct parsed_function {
    const ir_graph *f;
    rt_open_transform *transform;
    void *user;
    int n, order[IR_MAX_SIZES]; /* sizes of the function, by their numbers in the text */
} parsed_function;

static cot_status
parse_at(void *user, ir_arena *scratch, const int64_t *size, const cot_graph **out)
{
    const parsed_function *p = user;
    const ir_sizes *all = &p->f->sized->text->sizes;
    int64_t value[IR_MAX_SIZES];
    ir_graph *f;

    (void)scratch;
    for (int i = 0; i < all->n; i++)
        value[i] = all->at[i].value;
    for (int i = 0; i < p->n; i++)
        value[p->order[i]] = size[i];
    COT_TRY(ir_sized_at(p->f, value, &f));
    if (p->transform)
        COT_TRY(p->transform(p->user, f, &f));
    *out = f;
    return COT_OK;
}

cot_status
rt_open_text_source(const ir_graph *f, rt_open_transform *transform, void *user,
                    const rt_open_source **source, rt_sizes **sizes)
{
    ir_arena *a = &f->ctx->arena;
    const ir_sizes *all = &f->sized->text->sizes;
    parsed_function *p = IR_NEW(a, parsed_function);
    rt_sizes *s = *sizes = IR_NEW(a, rt_sizes);

    *p = (parsed_function){ .f = f, .transform = transform, .user = user };
    COT_TRY(ir_sized_order(f, &p->n, p->order));
    const rt_open_source made = {
        f->name, ir_loc_file(f->ctx, f->sized->text->path, f->sized->head->line), parse_at, p
    };
    *source = ir_copy_bytes(a, &made, sizeof made);
    s->n = p->n;
    for (int i = 0; i < s->n; i++) {
        const ir_named_size *x = &all->at[p->order[i]];
        s->size[i] = (rt_size){ x->name, x->least, x->most, x->multiple, -1, -1, 1, 0 };
    }
    return COT_OK;
}
