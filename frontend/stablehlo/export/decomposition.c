/* Composites: an op that StableHLO lacks becomes a call of a function that computes it by other
 * ops. */
#include "frontend/stablehlo/export/export.h"

static bool
same_types(int n, const ir_type *const *a, const ir_type *const *b)
{
    return n == 0 || memcmp(a, b, sizeof *a * (size_t)n) == 0;
}

/* The function that computes the op on these types; NULL after an error. */
static const char *
stand_in_of(hlo_site *s, bool by_rule)
{
    hlo_write *w = s->w;
    const ir_record record = ir_ops[s->op].record;
    uint64_t hash = ir_hash(ir_attrs_hash(record, s->at), &s->op, sizeof s->op);
    uint32_t at = 0, id;

    hash = ir_hash(hash, s->in_type, sizeof *s->in_type * (size_t)s->n_in);
    while ((id = ir_map_next(&w->by_hash, hash, &at)) != 0) {
        const hlo_written *f = &w->fn[id - 1];
        if (f->op == s->op && f->n_in == s->n_in && f->n_out == s->n_out &&
            same_types(s->n_in, f->in_type, s->in_type) &&
            same_types(s->n_out, f->out_type, s->out_type) &&
            ir_attrs_equal(record, f->at, s->at))
            return f->name;
    }
    hlo_written f = { .name = fe_hlo_function_name(
                          w, ir_format(w->a, "cotrace.%s", ir_ops[s->op].name)),
                      .op = s->op,
                      .at = s->at,
                      .n_in = s->n_in,
                      .n_out = s->n_out,
                      .in_type = s->in_type,
                      .out_type = s->out_type,
                      .loc = s->loc };
    if (by_rule) {
        f.rule = s->rule;
        f.row = s->name;
    } else if (!(f.g = fe_hlo_stand_in(s))) {
        return NULL;
    }
    return fe_hlo_add_function(w, f, hash);
}

bool
fe_hlo_composite_of(hlo_site *s, bool by_rule)
{
    hlo_write *w = s->w;
    const char *f = stand_in_of(s, by_rule);

    if (!f)
        return false;
    fe_hlo_indent(w);
    fe_hlo_put(w, "%s = stablehlo.composite \"cotrace.%s\" ",
               fe_hlo_results(w, s->n_out, s->out), ir_ops[s->op].name);
    fe_hlo_put_names(w, s->n_in, s->in);
    fe_hlo_put(w, " {composite_attributes = {");
    fe_hlo_put_attrs(w, s->op, s->at);
    fe_hlo_put(w, "}, decomposition = @%s}", f);
    fe_hlo_put_signature(w, s->n_in, s->in_type, s->n_out, s->out_type);
    return true;
}
