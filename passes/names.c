/* Arguments and results by name: which to differentiate by, which axis is mapped.
 *
 * A list names leaves by their paths in a tree.  An entry for an inner name applies to all
 * leaves below it, and later entries override earlier ones.  Braces go down one level.
 *
 *     dims   = entry { "," entry }
 *     entry  = path ":" ( integer | "none" | "{" dims "}" )
 *     names  = path { "," path } */
#include <stdlib.h>

#include "ir/diag.h"
#include "ir/scan.h"
#include "passes/pass.h"

typedef struct names_reader {
    const pass_named *names;
    const char *text, *at;
    int64_t *axis;
    bool *set;
    int depth;
} names_reader;

static cot_status
fail(names_reader *r, const char *wants)
{
    const pass_named *s = r->names;

    return ir_fail(s->ctx, s->loc, s->op, ERR_tree, r->text, (int)(r->at - r->text), wants);
}

static bool
is_below(const char *leaf, const char *path)
{
    size_t n = strlen(path);

    return leaf && strncmp(leaf, path, n) == 0 && (leaf[n] == '\0' || leaf[n] == '.');
}

const char *
pass_names_text(cot_context *ctx, const char *const *name, int n)
{
    enum { MAX_SHOWN = 12 };
    ir_buf b;

    ir_buf_init(&b, &ctx->message_arena);
    for (int i = 0; i < n && i < MAX_SHOWN; i++)
        ir_buf_printf(&b, "%s%s", i ? ", " : "", name[i] ? name[i] : "(none)");
    if (n > MAX_SHOWN)
        ir_buf_printf(&b, ", ... (%d in all)", n);
    return n > 0 ? b.text : "none";
}

/* Reads a path below a prefix, which must name a leaf or contain one. */
static cot_status
read_path(names_reader *r, const char *prefix, const char **path)
{
    const pass_named *s = r->names;
    size_t length;
    bool found = false;

    ir_skip_space(&r->at);
    length = strcspn(r->at, ": \t\n,{}");
    if (length == 0)
        return fail(r, "a path");
    *path = ir_format(&s->ctx->arena, "%s%.*s", prefix, (int)length, r->at);
    r->at += length;
    for (int i = 0; i < s->n; i++)
        found |= is_below(s->name[i], *path);
    for (int i = 0; i < s->n_never && !found; i++)
        if (is_below(s->never[i], *path))
            return ir_fail(s->ctx, s->loc, s->op, ERR_optional_named, *path);
    return found ? COT_OK
                 : ir_fail(s->ctx, s->loc, s->op, ERR_tree_path, *path,
                           pass_names_text(s->ctx, s->name, s->n));
}

static cot_status read_dims(names_reader *r, const char *prefix);

/* Reads what follows the colon of a path. */
static cot_status
read_entry(names_reader *r, const char *path)
{
    const pass_named *s = r->names;
    int64_t axis = COT_NONE;
    char *end;

    if (ir_accept(&r->at, '{')) {
        COT_TRY(read_dims(r, ir_format(&s->ctx->arena, "%s.", path)));
        return ir_accept(&r->at, '}') ? COT_OK : fail(r, "\",\" or \"}\"");
    }
    ir_skip_space(&r->at);
    if (strncmp(r->at, "none", 4) == 0) {
        r->at += 4;
    } else {
        axis = strtoll(r->at, &end, 10);
        if (end == r->at)
            return fail(r, "an integer or none");
        r->at = end;
    }
    for (int i = 0; i < s->n; i++)
        if (is_below(s->name[i], path)) {
            r->axis[i] = axis;
            r->set[i] = true;
        }
    return COT_OK;
}

static cot_status
read_dims(names_reader *r, const char *prefix)
{
    const char *path;

    if (r->depth++ == 64)
        return fail(r, "at most 64 braces inside each other");
    do {
        COT_TRY(read_path(r, prefix, &path));
        if (!ir_accept(&r->at, ':'))
            return fail(r, "\":\"");
        COT_TRY(read_entry(r, path));
    } while (ir_accept(&r->at, ','));
    r->depth--;
    return COT_OK;
}

cot_status
pass_named_dims(const pass_named *s, const char *text, const int64_t **out)
{
    ir_arena *a = &s->ctx->arena;
    names_reader r = {
        s, text, text, IR_NEW_N(a, int64_t, s->n + 1), IR_NEW_N(a, bool, s->n + 1), 0
    };

    COT_TRY(read_dims(&r, ""));
    ir_skip_space(&r.at);
    if (*r.at)
        return fail(&r, "\",\" or the end");
    for (int i = 0; i < s->n; i++)
        if (!r.set[i])
            return ir_fail(s->ctx, s->loc, s->op, ERR_tree_missing,
                           s->name[i] ? s->name[i] : ir_format(a, "argument %d", i));
    *out = r.axis;
    return COT_OK;
}

cot_status
pass_named_wrt(const pass_named *s, const char *text, pass_wrt *out)
{
    names_reader r = { .names = s, .text = text, .at = text };
    int *arg = NULL;
    uint32_t n = 0, cap = 0;
    const char *path;

    do {
        COT_TRY(read_path(&r, "", &path));
        for (int i = 0; i < s->n; i++)
            if (is_below(s->name[i], path))
                IR_PUSH(&s->ctx->arena, arg, n, cap, i);
    } while (ir_accept(&r.at, ','));
    ir_skip_space(&r.at);
    if (*r.at)
        return fail(&r, "\",\" or the end");
    *out = (pass_wrt){ (int)n, arg };
    return COT_OK;
}

/* Converts names of the graph to positions.  Names that the caller resolved are NULL
 * already. */
cot_status
pass_resolve_names(const pass_row *row, const ir_graph *f, pass_options *o)
{
    pass_named in = { f->ctx, 0, row->name, f->n_in, f->in_name, 0, NULL }, out = in;

    out.n = f->n_out - f->n_inout;
    out.name = f->out_name ? f->out_name : IR_NEW_N(&f->ctx->arena, const char *, f->n_out + 1);
    if (o->wrt_names)
        COT_TRY(pass_named_wrt(&in, o->wrt_names, &o->wrt));
    if (o->in_names) {
        o->vmap.in = (pass_dims){ in.n, NULL, false };
        COT_TRY(pass_named_dims(&in, o->in_names, &o->vmap.in.at));
    }
    if (o->out_names) {
        o->vmap.out = (pass_dims){ out.n, NULL, false };
        COT_TRY(pass_named_dims(&out, o->out_names, &o->vmap.out.at));
    }
    o->wrt_names = o->in_names = o->out_names = NULL;
    return COT_OK;
}
