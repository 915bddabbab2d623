/* Modules: names for the leaves of a function's state.
 *
 * The function of a module takes each array once.  Its body, a wrapper, assigns the arguments
 * to the leaves: a tied leaf reads the argument of the leaf it is tied to, one that was removed
 * is a handle that was never set.  The layout is copied when the function is made, since
 * tracing happens later. */
#include "frontend/module.h"

#include "frontend/fn.h"
#include "frontend/trace.h"
#include "frontend/tree.h"
#include "ir/diag.h"
#include "passes/pass.h"

typedef struct layout {
    cot_body *body;
    void *user;
    int n, n_in;
    const int *slot; /* the argument of each leaf, -1: none */
} layout;

int
fe_module_find(const cot_module *m, const char *name)
{
    for (int i = 0; i < m->n && name; i++)
        if (strcmp(m->leaf[i].name, name) == 0)
            return i;
    return -1;
}

bool
fe_module_takes(const cot_module *m, int i, bool untied)
{
    return !m->leaf[i].absent && (untied || m->leaf[i].of == i);
}

static bool
read_names(cot_module *m, const char *text, int *n, const char *const **name)
{
    *n = 0;
    *name = NULL;
    return !text || fe_tree_names(m->ctx, m->loc, text, n, name);
}

static cot_module *
new_module(cot_context *ctx, ir_loc loc, const cot_module_spec *s)
{
    cot_module *m = IR_NEW(&ctx->arena, cot_module);
    const char *const *param, *const *buffer;
    int n_buffers;

    m->ctx = ctx;
    m->loc = loc;
    m->name = ir_copy_string(&ctx->arena, s->name ? s->name : "module");
    m->body = s->body;
    m->user = s->user;
    m->training = true;
    if (!s->body || !s->results) {
        ir_fail(ctx, loc, m->name, ERR_usage, "body or results is NULL; wants both");
        return NULL;
    }
    if (!read_names(m, s->params, &m->n_params, &param) ||
        !read_names(m, s->buffers, &n_buffers, &buffer) ||
        !read_names(m, s->inputs, &m->n_in, &m->in_name) ||
        !read_names(m, s->results, &m->n_out, &m->out_name))
        return NULL;
    m->n = m->n_params + n_buffers;
    m->leaf = IR_NEW_N(&ctx->arena, fe_leaf, m->n + 1);
    for (int i = 0; i < m->n; i++) {
        m->leaf[i].name = i < m->n_params ? param[i] : buffer[i - m->n_params];
        m->leaf[i].of = i;
        if (fe_module_find(m, m->leaf[i].name) < i) {
            ir_fail(ctx, loc, m->name, ERR_optional_twice, m->leaf[i].name);
            return NULL;
        }
    }
    return m;
}

cot_module *
cot_module_new_(cot_place at, cot_context *ctx, const cot_module_spec *spec, size_t size)
{
    cot_module *volatile m = NULL;
    FE_OPTIONS(cot_module_spec, s, spec, size);

    if (!ctx)
        return NULL;
    IR_TRY(ctx) {
        m = new_module(ctx, ir_loc_file(ctx, at.file, at.line), &s);
    }
    return m;
}

/* ---- leaves ---- */

static cot_status
fail_unknown(const cot_module *m, const char *name)
{
    volatile cot_status status = COT_ERR_MEMORY;

    IR_TRY(m->ctx) {
        const int n = m->n;
        const char **leaf = IR_NEW_N(&m->ctx->message_arena, const char *, n + 1);
        for (int i = 0; i < n; i++)
            leaf[i] = m->leaf[i].name;
        status = ir_fail(m->ctx, m->loc, m->name, ERR_tree_path, name ? name : "",
                         pass_names_text(m->ctx, leaf, n));
    }
    return status;
}

cot_status
cot_module_set(cot_module *m, const char *name, cot_array *a)
{
    int i = m ? fe_module_find(m, name) : -1;

    if (!m)
        return COT_ERR_ARG;
    if (i < 0)
        return fail_unknown(m, name);
    m->leaf[m->leaf[i].of].array = a;
    return COT_OK;
}

cot_array *
cot_module_array(const cot_module *m, const char *name)
{
    int i = m ? fe_module_find(m, name) : -1;

    return i < 0 || m->leaf[i].absent ? NULL : m->leaf[m->leaf[i].of].array;
}

cot_status
cot_module_tie(cot_module *m, const char *name, const char *of)
{
    int i = m ? fe_module_find(m, name) : -1, k = m ? fe_module_find(m, of) : -1;

    if (!m)
        return COT_ERR_ARG;
    if (i < 0 || k < 0)
        return fail_unknown(m, i < 0 ? name : of);
    const int from = m->leaf[i].of, to = m->leaf[k].of;
    cot_array *storage = m->leaf[to].array ? m->leaf[to].array : m->leaf[from].array;
    for (int j = 0; j < m->n; j++)
        if (m->leaf[j].of == from) {
            m->leaf[j].of = to;
            m->leaf[j].array = NULL;
        }
    m->leaf[to].array = storage;
    m->fn[0] = m->fn[1] = NULL;
    return COT_OK;
}

void
cot_module_train(cot_module *m, int training)
{
    if (m)
        m->training = training != 0;
}

int
cot_module_is_training(const cot_module *m)
{
    return m && m->training;
}

static bool
is_below(const char *leaf, const char *path)
{
    size_t n = strlen(path);

    return n == 0 || (strncmp(leaf, path, n) == 0 && (leaf[n] == '\0' || leaf[n] == '.'));
}

cot_status
cot_module_freeze(cot_module *m, const char *path, int frozen)
{
    int hits = 0;

    if (!m)
        return COT_ERR_ARG;
    for (int i = 0; i < m->n && path; i++)
        if (is_below(m->leaf[i].name, path)) {
            m->leaf[i].frozen = frozen != 0;
            hits++;
        }
    return hits > 0 ? COT_OK : fail_unknown(m, path);
}

/* ---- the function ---- */

static void
spread(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const layout *l = user;
    cot_context *ctx = cot_trace_context(t);
    cot_value *x = IR_NEW_N(&ctx->arena, cot_value, l->n + l->n_in + 1);
    int n = 0;

    for (int i = 0; i < l->n; i++)
        if (l->slot[i] >= 0) {
            x[i] = in[l->slot[i]];
            n = l->slot[i] >= n ? l->slot[i] + 1 : n;
        }
    for (int i = 0; i < l->n_in; i++)
        x[l->n + i] = in[n + i];
    l->body(t, x, out, l->user);
}

static cot_fn *
make_fn(cot_module *m, bool untied)
{
    ir_arena *a = &m->ctx->arena;
    layout *l = IR_NEW(a, layout);
    int *slot = IR_NEW_N(a, int, m->n + 1), n = 0;
    const char **name = IR_NEW_N(a, const char *, m->n + m->n_in + 1);

    for (int i = 0; i < m->n; i++)
        if (fe_module_takes(m, i, untied)) {
            name[n] = m->leaf[i].name;
            slot[i] = n++;
        }
    for (int i = 0; i < m->n; i++)
        if (!fe_module_takes(m, i, untied))
            slot[i] = m->leaf[i].absent ? -1 : slot[m->leaf[i].of];
    for (int i = 0; i < m->n_in; i++)
        name[n + i] = m->in_name[i];
    *l = (layout){ m->body, m->user, m->n, m->n_in, slot };
    cot_fn *f = IR_NEW(a, cot_fn);
    f->ctx = m->ctx;
    f->kind = FE_FN_BODY;
    f->name = m->name;
    f->loc = m->loc;
    f->n_in = n + m->n_in;
    f->n_out = m->n_out;
    f->body = spread;
    f->user = l;
    f->in_name = name;
    f->out_name = m->out_name;
    return f;
}

static cot_fn *
fn_of(cot_module *m, bool untied)
{
    if (!m)
        return NULL;
    if (!m->fn[untied]) {
        IR_TRY(m->ctx) {
            m->fn[untied] = make_fn(m, untied);
        }
    }
    return m->fn[untied];
}

cot_fn *
cot_module_fn(cot_module *m)
{
    return fn_of(m, false);
}

cot_fn *
cot_module_fn_untied(cot_module *m)
{
    return fn_of(m, true);
}

/* ---- batch norm ---- */

static int
find_below(const cot_module *m, const char *path, const char *name)
{
    size_t n = strlen(path);

    for (int i = 0; i < m->n; i++) {
        const char *leaf = m->leaf[i].name;
        if (n == 0 ? strcmp(leaf, name) == 0
                   : strncmp(leaf, path, n) == 0 && leaf[n] == '.' &&
                         strcmp(leaf + n + 1, name) == 0)
            return i;
    }
    return -1;
}

static const char *const statistics[] = { "running_mean", "running_var",
                                          "num_batches_tracked" };

cot_status
cot_module_batch_norm(cot_module *m, const char *path, cot_batch_norm_config *config)
{
    volatile cot_status status = COT_ERR_MEMORY;

    if (!m || !path || !config)
        return ir_fail_null(m ? m->ctx : NULL, "module_batch_norm",
                            path ? "the configuration" : "the path");
    for (int i = 0; i < 2; i++)
        if (config->track_running_stats && find_below(m, path, statistics[i]) < 0)
            return fail_unknown(m, statistics[i]);
    IR_TRY(m->ctx) {
        fe_norm_layer layer = { ir_copy_string(&m->ctx->arena, path), config };
        IR_PUSH(&m->ctx->arena, m->norm, m->n_norms, m->cap_norms, layer);
        status = COT_OK;
    }
    return status;
}

cot_module *
cot_replace_batch_norm(cot_module *m)
{
    for (uint32_t k = 0; m && k < m->n_norms; k++) {
        m->norm[k].config->track_running_stats = 0;
        for (int i = 0; i < 3; i++) {
            int leaf = find_below(m, m->norm[k].path, statistics[i]);
            if (leaf >= 0)
                m->leaf[leaf].absent = true;
        }
        m->fn[0] = m->fn[1] = NULL;
    }
    return m;
}
