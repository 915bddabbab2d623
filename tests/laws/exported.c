/* What export writes: kept, compared, put into files. */
#include "tests/laws/exported.h"

#include <stdio.h>
#include <stdlib.h>

#include "cotrace/stablehlo.h"
#include "tests/laws/programs.h"

void
exported_keep(void *text, const char *at, size_t n)
{
    exported_text *t = text;

    t->at = realloc(t->at, t->n + n + 1);
    memcpy(t->at + t->n, at, n);
    t->at[t->n += n] = '\0';
}

const ir_graph *
exported_import(cot_context *ctx, const exported_text *t)
{
    const cot_graph *g = NULL;

    return cot_import_stablehlo(ctx, "export.mlir", t->at, t->n, NULL, &g) == COT_OK ? g : NULL;
}

const char *
exported_printed(const ir_graph *g)
{
    ir_buf b;

    ir_buf_init(&b, &g->ctx->arena);
    ir_print(&b, g, 0);
    return b.text;
}

/* The bodies that stand in b for those of a, as a has them where they are the same. */
static void
share_bodies(const ir_field *field, const char *a, char *b)
{
    if (field->kind == IR_F_GRAPH) {
        ir_graph *const *x = (ir_graph *const *)(a + field->offset),
                        **y = (ir_graph **)(b + field->offset);
        *y = *x && *y && exported_same(*x, *y) ? *x : *y;
    } else if (field->kind == IR_F_GRAPHS) {
        const ir_graphs *x = (const ir_graphs *)(a + field->offset);
        ir_graphs *y = (ir_graphs *)(b + field->offset);
        bool same = x->n == y->n;
        for (int i = 0; i < x->n && same; i++)
            same = exported_same(x->at[i], y->at[i]);
        *y = same ? *x : *y;
    }
}

static bool
same_attrs(ir_record record, const ir_attrs *a, const ir_attrs *b)
{
    ir_attrs c = *b;
    int n;
    const ir_field *field = ir_record_fields(record, &n);

    for (int i = 0; i < n; i++)
        share_bodies(&field[i], (const char *)a, (char *)&c);
    return ir_attrs_equal(record, a, &c);
}

/* to[x]: the value of g that x of f was found to be, so that each is looked at once. */
static bool
same_value(const ir_graph *f, const ir_graph *g, ir_ref *to, ir_ref x, ir_ref y)
{
    if (to[x] || ir_type_at(f, x) != ir_type_at(g, y))
        return to[x] == y;
    const ir_node *n = ir_def(f, x), *m = ir_def(g, y);
    if (!n || !m || n->op != m->op || n->n_in != m->n_in || n->n_out != m->n_out ||
        x - n->first != y - m->first || !same_attrs(ir_ops[n->op].record, n->at, m->at))
        return false;
    for (int i = 0; i < n->n_in; i++)
        if (!same_value(f, g, to, n->in[i], m->in[i]))
            return false;
    to[x] = y;
    return true;
}

bool
exported_same(const ir_graph *f, const ir_graph *g)
{
    ir_ref *to = IR_NEW_N(&f->ctx->arena, ir_ref, f->n_values + 1);
    bool same = f->n_in == g->n_in && f->n_out == g->n_out;

    if (ir_graph_equal(f, g))
        return true;
    for (int i = 0; i < f->n_in && same; i++) {
        same = ir_type_at(f, f->in[i]) == ir_type_at(g, g->in[i]);
        to[f->in[i]] = g->in[i];
    }
    for (int i = 0; i < f->n_out && same; i++)
        same = same_value(f, g, to, f->out[i], g->out[i]);
    return same;
}

static void
write_bytes(FILE *file, const ir_graph *f, int n, const ir_ref *v, void **at)
{
    for (int i = 0; i < n; i++)
        fwrite(at[i], 1, laws_bytes(ir_type_at(f, v[i])), file);
}

bool
exported_files(const ir_graph *f, const char *path, uint64_t seed, double lo, double hi)
{
    exported_text t = { NULL, 0 };
    bool good = true;
    void **in = laws_sample(f, &seed, lo, hi, laws_fill);
    void **out = laws_values(f->n_out, f->out, f);

    if (cot_export_stablehlo(f, exported_keep, &t) == COT_OK &&
        laws_eval(f, out, in) == COT_OK) {
        FILE *module = fopen(ir_format(&f->ctx->arena, "%s.mlir", path), "wb");
        FILE *data = fopen(ir_format(&f->ctx->arena, "%s.bin", path), "wb");
        good = module && data;
        if (good) {
            fwrite(t.at, 1, t.n, module);
            write_bytes(data, f, f->n_in, f->in, in);
            write_bytes(data, f, f->n_out, f->out, out);
        }
        if (module)
            fclose(module);
        if (data)
            fclose(data);
    }
    free(t.at);
    laws_free(f->n_in, in), laws_free(f->n_out, out);
    return good;
}
