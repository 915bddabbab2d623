/* Trees: names for a flat list of values.
 *
 * A C struct whose fields are all cot_value, arrays of them, or such structs again, lies in
 * memory as a flat list.  A tree gives each leaf of that list its path ("layer.1.bias"); below
 * this file every function is flat.
 *
 *     tree   = field, { ",", field }
 *     field  = name, [ "[", count, "]" ], [ "{", tree, "}" ] */
#include "frontend/tree.h"

#include <ctype.h>
#include <stdlib.h>

#include "ir/context.h"
#include "ir/diag.h"
#include "ir/scan.h"
#include "passes/pass.h"

#define MAX_LEAVES 65536

typedef struct tree_reader {
    cot_context *ctx;
    const char *text, *at;
    ir_loc loc;
    const char **name;
    uint32_t n, cap;
} tree_reader;

static bool
fail(tree_reader *r, const char *wants)
{
    ir_fail(r->ctx, r->loc, "tree", ERR_tree, r->text, (int)(r->at - r->text), wants);
    return false;
}

static bool
read_name(tree_reader *r, const char **out)
{
    const char *from;

    ir_skip_space(&r->at);
    from = r->at;
    if (!isalpha((unsigned char)*from) && *from != '_')
        return fail(r, "a name");
    while (isalnum((unsigned char)*r->at) || *r->at == '_')
        r->at++;
    *out = ir_format(&r->ctx->arena, "%.*s", (int)(r->at - from), from);
    return true;
}

static bool
read_count(tree_reader *r, long *out)
{
    char *end;

    ir_skip_space(&r->at);
    *out = strtol(r->at, &end, 10);
    if (end == r->at || *out < 1 || *out > MAX_LEAVES)
        return fail(r, "a count of 1 to 65536");
    r->at = end;
    return ir_accept(&r->at, ']') || fail(r, "\"]\"");
}

static bool read_tree(tree_reader *r, const char *prefix);

/* One element of a field: a leaf, or what its braces hold. */
static bool
read_element(tree_reader *r, const char *path)
{
    if (ir_accept(&r->at, '{'))
        return read_tree(r, ir_format(&r->ctx->arena, "%s.", path)) &&
               (ir_accept(&r->at, '}') || fail(r, "\"}\""));
    if (r->n == MAX_LEAVES)
        return fail(r, "at most 65536 leaves");
    IR_PUSH(&r->ctx->arena, r->name, r->n, r->cap, path);
    return true;
}

/* The braces of an array are read once for each element. */
static bool
read_field(tree_reader *r, const char *prefix)
{
    const char *name, *body;
    long count;

    if (!read_name(r, &name))
        return false;
    name = ir_format(&r->ctx->arena, "%s%s", prefix, name);
    if (!ir_accept(&r->at, '['))
        return read_element(r, name);
    if (!read_count(r, &count))
        return false;
    body = r->at;
    for (long i = 0; i < count; i++) {
        r->at = body;
        if (!read_element(r, ir_format(&r->ctx->arena, "%s.%ld", name, i)))
            return false;
    }
    return true;
}

static bool
read_tree(tree_reader *r, const char *prefix)
{
    if (strlen(prefix) > 1000)
        return fail(r, "paths of at most 1000 characters");
    do
        if (!read_field(r, prefix))
            return false;
    while (ir_accept(&r->at, ','));
    return true;
}

bool
fe_tree_names(cot_context *ctx, ir_loc loc, const char *text, int *n, const char *const **name)
{
    tree_reader r = { .ctx = ctx, .text = text, .at = text, .loc = loc };

    if (!read_tree(&r, ""))
        return false;
    ir_skip_space(&r.at);
    if (*r.at)
        return fail(&r, "\",\" or the end");
    *n = (int)r.n;
    *name = r.name;
    return true;
}

static cot_tree *
new_tree(cot_place at, cot_context *ctx, const char *text, size_t bytes)
{
    cot_tree *t = IR_NEW(&ctx->arena, cot_tree);
    int n;

    t->ctx = ctx;
    t->loc = ir_loc_file(ctx, at.file, at.line);
    if (!fe_tree_names(ctx, t->loc, text, &n, &t->name))
        return NULL;
    t->n = n;
    if (bytes != sizeof(cot_value) * (size_t)n) {
        ir_fail(ctx, t->loc, "tree", ERR_tree_size, text, n, (unsigned long long)bytes,
                (unsigned long long)(sizeof(cot_value) * (size_t)n));
        return NULL;
    }
    return t;
}

cot_tree *
cot_tree_new_(cot_place at, cot_context *ctx, const char *text, size_t bytes)
{
    cot_tree *volatile t = NULL;

    if (!ctx)
        return NULL;
    IR_TRY (ctx) {
        t = new_tree(at, ctx, text ? text : "", bytes);
    }
    return t;
}

int
cot_tree_count(const cot_tree *t)
{
    return t ? t->n : 0;
}

const char *
cot_tree_name(const cot_tree *t, int i)
{
    return t && i >= 0 && i < t->n ? t->name[i] : "";
}

/* Is the leaf at the path, or below it? */
static bool
is_below(const char *leaf, const char *path, size_t length)
{
    return strncmp(leaf, path, length) == 0 && (leaf[length] == '\0' || leaf[length] == '.');
}

int
cot_tree_find(const cot_tree *t, const char *path, int *n)
{
    int first = -1, count = 0;

    for (int i = 0; t && path && i < t->n; i++)
        if (is_below(t->name[i], path, strlen(path))) {
            first = first < 0 ? i : first;
            count++;
        }
    if (n)
        *n = count;
    return first;
}

cot_list
cot_tree_list(const cot_tree *t, const char *text)
{
    static const int64_t nothing[1];
    cot_list *volatile list = NULL;

    if (!t)
        return (cot_list){ .n = 0, .at = nothing };
    IR_TRY (t->ctx) {
        cot_list *made = IR_NEW(&t->ctx->arena, cot_list);
        pass_named names = { t->ctx, t->loc, "tree", t->n, t->name, 0, NULL };
        if (pass_named_dims(&names, text ? text : "", &made->at) == COT_OK) {
            made->n = t->n;
            list = made;
        }
    }
    return list ? *list : (cot_list){ .n = 0, .at = nothing };
}
