/* Reads which axes of a function's arguments are open.
 *
 *     sizes    = argument {"," argument} ["where" fact {"," fact}]
 *     argument = (name | number) ":" "[" [length {"," length}] "]"
 *     length   = "_" | sum            _: the length is fixed
 *     sum      = product {("+" | "-") product}
 *     product  = (name | int) {"*" (name | int)}
 *     fact     = name (">=" | "<=") int | name "%" int "==" "0"
 */
#include "runtime/open/open.h"

#include <ctype.h>
#include <stdlib.h>

#include "ir/diag.h"

typedef struct reader {
    cot_context *ctx;
    const rt_open_source *of;
    const char *text, *at;
    rt_sizes *s;
    cot_status status;
} reader;

static bool
fail(reader *r, const char *what)
{
    if (r->status == COT_OK)
        r->status = ir_fail(r->ctx, r->of->loc, r->of->name, ERR_sizes_text, r->text,
                            (int)(r->at - r->text) + 1, what);
    return false;
}

static void
skip(reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool
try(reader *r, const char *what)
{
    skip(r);
    if (strncmp(r->at, what, strlen(what)) != 0)
        return false;
    r->at += strlen(what);
    return true;
}

static bool
want(reader *r, const char *what)
{
    return try(r, what) || fail(r, ir_format(&r->ctx->message_arena, "wants '%s'", what));
}

static const char *
word(reader *r)
{
    skip(r);
    const char *start = r->at;

    while (isalnum((unsigned char)*r->at) || *r->at == '_' || *r->at == '.')
        r->at++;
    return r->at == start ? NULL
                          : ir_format(&r->ctx->arena, "%.*s", (int)(r->at - start), start);
}

static bool
integer(reader *r, int64_t *out)
{
    skip(r);
    if (!isdigit((unsigned char)*r->at))
        return fail(r, "wants an integer");
    for (*out = 0; isdigit((unsigned char)*r->at); r->at++) {
        *out = *out * 10 + (*r->at - '0');
        if (*out > RT_OPEN_MOST)
            return fail(r, "wants an integer of at most 2^30");
    }
    return true;
}

/* The number of a size, which is added if it is new; -1: there are too many. */
static int
size_of(reader *r, const char *name)
{
    rt_sizes *s = r->s;

    for (int i = 0; i < s->n; i++)
        if (strcmp(s->size[i].name, name) == 0)
            return i;
    if (s->n == CG_MAX_SIZES) {
        fail(r, "wants at most 8 sizes");
        return -1;
    }
    s->size[s->n] = (rt_size){ name, 0, RT_OPEN_MOST, 1, -1, -1, 1, 0 };
    return s->n++;
}

static bool
product(reader *r, int64_t sign, cg_polynomial *out)
{
    cg_size_term t = { .factor = sign };

    do {
        int64_t x;

        skip(r);
        if (isdigit((unsigned char)*r->at)) {
            if (!integer(r, &x))
                return false;
            t.factor *= x;
            continue;
        }
        const char *name = word(r);
        const int size = name ? size_of(r, name) : -1;
        if (size < 0)
            return fail(r, "wants a size or an integer");
        if (t.degree == CG_MAX_DEGREE)
            return fail(r, "wants a product of at most 3 sizes");
        t.size[t.degree++] = (uint8_t)size;
    } while (try(r, "*"));
    if (t.degree == 0) {
        out->constant += t.factor;
        return true;
    }
    if (out->n == CG_MAX_TERMS)
        return fail(r, "wants a sum of at most 3 products");
    out->term[out->n++] = t;
    return true;
}

static bool
length(reader *r, rt_axis *out)
{
    skip(r);
    *out = (rt_axis){ 0 };
    if (*r->at == '_' && !isalnum((unsigned char)r->at[1]) && r->at[1] != '_') {
        r->at++;
        return true;
    }
    out->is_open = true;
    if (!product(r, 1, &out->length))
        return false;
    while (try(r, "+") || (r->at[0] == '-' && try(r, "-")))
        if (!product(r, r->at[-1] == '-' ? -1 : 1, &out->length))
            return false;
    return true;
}

/* The argument of that name or number; -1: there is none. */
static int
argument_of(reader *r, const char *name)
{
    const rt_sizes *s = r->s;
    char *end;
    const long i = strtol(name, &end, 10);

    if (!*end && i >= 0 && i < s->n_args)
        return (int)i;
    for (int k = 0; k < s->n_args; k++)
        if (s->argument[k] && strcmp(s->argument[k], name) == 0)
            return k;
    return -1;
}

static bool
argument(reader *r)
{
    rt_sizes *s = r->s;
    rt_axis axis[COT_MAX_RANK];
    const char *name = word(r);
    const int i = name ? argument_of(r, name) : -1;
    int rank = 0;

    if (i < 0)
        return fail(r, ir_format(&r->ctx->message_arena, "there is no argument '%s'",
                                 name ? name : ""));
    if (s->rank[i] >= 0)
        return fail(r, "wants each argument once");
    if (!want(r, ":") || !want(r, "["))
        return false;
    while (!try(r, "]")) {
        if (rank == COT_MAX_RANK || (rank && !want(r, ",")) || !length(r, &axis[rank]))
            return fail(r, "wants a list of lengths");
        rank++;
    }
    s->rank[i] = rank;
    s->axis[i] = ir_copy_bytes(&r->ctx->arena, axis, sizeof *axis * (size_t)rank);
    return true;
}

static bool
fact(reader *r)
{
    const char *name = word(r);
    rt_sizes *s = r->s;
    int64_t x;
    int i = 0;

    while (name && i < s->n && strcmp(s->size[i].name, name) != 0)
        i++;
    if (!name || i == s->n)
        return fail(r, "wants the name of a size");
    if (try(r, ">="))
        return integer(r, &s->size[i].least);
    if (try(r, "<="))
        return integer(r, &s->size[i].most);
    if (!want(r, "%") || !integer(r, &s->size[i].multiple) || !want(r, "==") || !integer(r, &x))
        return false;
    return (x == 0 && s->size[i].multiple > 0) || fail(r, "wants a multiple of a number");
}

/* Take a size from a length: one that is the size alone rather than a multiple of it. */
static void
find_in(rt_sizes *s, int argument, int axis, bool alone)
{
    const cg_polynomial *p = &s->axis[argument][axis].length;
    rt_size *size = p->n == 1 ? &s->size[p->term[0].size[0]] : NULL;

    if (!size || size->argument >= 0 || p->term[0].degree != 1 || p->term[0].factor < 1 ||
        (alone && (p->term[0].factor != 1 || p->constant != 0)))
        return;
    size->argument = argument;
    size->axis = axis;
    size->factor = p->term[0].factor;
    size->offset = p->constant;
}

const char *
rt_sizes_find_lengths(rt_sizes *s)
{
    for (int alone = 1; alone >= 0; alone--)
        for (int i = 0; i < s->n_args; i++)
            for (int k = 0; k < s->rank[i]; k++)
                find_in(s, i, k, alone);
    for (int i = 0; i < s->n; i++)
        if (s->size[i].argument < 0)
            return s->size[i].name;
    return NULL;
}

static bool
read_all(reader *r)
{
    do
        if (!argument(r))
            return false;
    while (try(r, ","));
    if (try(r, "where"))
        do
            if (!fact(r))
                return false;
        while (try(r, ","));
    skip(r);
    if (*r->at)
        return fail(r, "wants ',' or the end");
    if (r->s->n == 0)
        return fail(r, "no size is named");
    for (int i = 0; i < r->s->n; i++)
        if (r->s->size[i].least > r->s->size[i].most)
            return fail(r, "the facts leave no size");
    const char *without = rt_sizes_find_lengths(r->s);
    return !without || fail(r, ir_format(&r->ctx->message_arena,
                                         "no axis is as long as %s, or a multiple of it, so "
                                         "that it is not known",
                                         without));
}

cot_status
rt_sizes_read(cot_context *ctx, const rt_open_source *of, const char *const *argument,
              int n_args, const char *text, rt_sizes **out)
{
    ir_arena *a = &ctx->arena;
    rt_sizes *s = *out = IR_NEW(a, rt_sizes);
    reader r = { .ctx = ctx, .of = of, .text = text, .at = text, .s = s };

    s->n_args = n_args;
    s->argument = IR_NEW_N(a, const char *, n_args + 1);
    s->rank = IR_NEW_N(a, int, n_args + 1);
    s->axis = IR_NEW_N(a, rt_axis *, n_args + 1);
    for (int i = 0; i < n_args; i++) {
        s->argument[i] = argument ? argument[i] : NULL;
        s->rank[i] = -1;
    }
    return read_all(&r) ? COT_OK : r.status;
}

const char *
rt_sizes_name(const rt_sizes *s, int i, char text[32])
{
    if (s->argument[i])
        snprintf(text, 32, "'%.26s'", s->argument[i]);
    else
        snprintf(text, 32, "%d", i);
    return text;
}
