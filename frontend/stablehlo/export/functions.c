/* The functions of the text by name and by graph: each graph and each decomposition is one. */
#include "frontend/stablehlo/export/export.h"

#include "ir/diag.h"

/* The base, of letters that a symbol may have, and a number where it is taken. */
const char *
fe_hlo_function_name(hlo_write *w, const char *base)
{
    char *clean = ir_copy_string(w->a, *base ? base : "f");
    const char *name = clean;

    for (char *p = clean; *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_' || *p == '$' ||
              (p != clean && ((*p >= '0' && *p <= '9') || *p == '.'))))
            *p = '_';
    for (int k = 0;; k++) {
        bool taken = false;
        uint32_t at = 0, id;
        const uint64_t hash = ir_hash(0, name, strlen(name));
        while ((id = ir_map_next(&w->by_name, hash, &at)) != 0)
            taken |= strcmp(w->fn[id - 1].name, name) == 0;
        if (!taken)
            return name;
        name = ir_format(w->a, "%s_%d", clean, k);
    }
}

const char *
fe_hlo_add_function(hlo_write *w, hlo_written f, uint64_t hash)
{
    IR_PUSH(w->a, w->fn, w->n_fns, w->cap_fns, f);
    ir_map_add(&w->by_hash, hash, w->n_fns);
    ir_map_add(&w->by_name, ir_hash(0, f.name, strlen(f.name)), w->n_fns);
    return f.name;
}

const char *
fe_hlo_function_of(hlo_write *w, const ir_graph *g)
{
    uint32_t at = 0, id;

    while ((id = ir_map_next(&w->by_hash, g->hash, &at)) != 0) {
        const hlo_written *f = &w->fn[id - 1];
        if (f->g && (f->g == g || ir_graph_equal(f->g, g)))
            return f->name;
    }
    return fe_hlo_add_function(
        w, (hlo_written){ .name = fe_hlo_function_name(w, g->name ? g->name : "f"), .g = g },
        g->hash);
}

bool
fe_hlo_no_counterpart(hlo_site *s)
{
    ir_fail(s->w->ctx, s->loc, ir_ops[s->op].name, ERR_hlo_export);
    return false;
}
