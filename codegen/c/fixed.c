/* Functions with open sizes that have bodies for some sizes: each is a function of its own,
 * which the public one calls at these. */
#include "codegen/c/c.h"
#include "codegen/open/open.h"

/* "f_at_64_32" */
static const char *
name_of(cg_c_text *t, const cg_natural *fn, const cg_fixed *x)
{
    const char *name = ir_format(t->arena, "%s_at", fn->name);

    for (int i = 0; i < fn->module->n_sizes; i++)
        name = ir_format(t->arena, "%s_%lld", name, (long long)x->size[i]);
    for (;;) {
        const char *own = cg_c_unique(t, &t->own, name);
        bool taken = false;

        for (int i = 0; i < t->n_fn; i++)
            taken |= strcmp(t->fn[i].name, own) == 0;
        if (!taken)
            return own;
    }
}

void
cg_c_module(cg_c_text *t, const cg_natural *fn)
{
    const char **name = IR_NEW_N(t->arena, const char *, fn->n_fixed + 1);

    for (int i = 0; i < fn->n_fixed; i++) {
        cg_natural *body = ir_copy_bytes(t->arena, fn, sizeof *fn);

        name[i] = body->name = name_of(t, fn, &fn->fixed[i]);
        body->module = fn->fixed[i].module;
        body->open = NULL;
        body->size_name = NULL;
        body->n_fixed = 0;
        cg_c_function(t, body, true, NULL);
    }
    cg_c_function(t, fn, false, name);
}
