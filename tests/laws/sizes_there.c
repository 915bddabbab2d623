/* Products run on other machines, in an image of memory (sizes.c, there.h). */
#include "tests/laws/sizes_inside.h"
#include "tests/laws/there.h"

static void
wrong(void *user, int i, const char *way, const char *what)
{
    (void)user;
    sizes_wrong(&sizes.item[i < 0 ? 0 : i], way, what);
}

static void
add_call(const item *x, there_call *c)
{
    *c = (there_call){ .function = x->fn.name,
                       .n_in = x->f->n_in,
                       .n = sizes_values(x),
                       .in = x->in,
                       .want = x->want,
                       .work = x->work };
    for (int k = 0; k < c->n; k++)
        c->type[k] = sizes_type(x, k);
}

void
sizes_batch_there(void)
{
    const cot_compile_options o = { .target = sizes.to->target,
                                    .cpu = sizes.to->cpu,
                                    .features = sizes.to->features,
                                    .threads = 1,
                                    .backend = sizes.to->cc ? "c" : NULL,
                                    .vector_bits = 32 * sizes.to->lanes };
    static there_call call[SIZES_BATCH];
    there t = { .ctx = sizes.ctx,
                .to = sizes.to,
                .folder = sizes.folder,
                .n = sizes.n,
                .call = call,
                .wrong = wrong };

    if (!sizes_emit(&o, sizes.to->cc != NULL))
        return;
    for (int i = 0; i < sizes.n; i++)
        add_call(&sizes.item[i], &call[i]);
    there_run(&t);
    sizes.left_out += t.left_out;
}
