/* Sizes for which a file has bodies of their own, from text.
 *
 *     sizes = set {";" set}
 *     set   = name "=" number {"," [name "="] number}
 *
 * A number without a name is another set, which differs in the size that was named before. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "ir/diag.h"
#include "ir/suggest.h"
#include "runtime/open/open.h"

enum { MAX_SETS = 16 };

typedef struct at_reader {
    cot_context *ctx;
    const rt_sizes *s;
    const char *text, *at;
    int n;
    int64_t (*set)[CG_MAX_SIZES]; /* -1: not given */
} at_reader;

static cot_status
fail(const at_reader *r, const char *what)
{
    return ir_fail(r->ctx, 0, NULL, ERR_sizes_at, r->text, (int)(r->at - r->text) + 1, what);
}

static void
skip(at_reader *r)
{
    while (*r->at == ' ')
        r->at++;
}

/* A name and "=", if they are next: *size is its number. */
static cot_status
name(at_reader *r, int *size)
{
    ir_arena *a = &r->ctx->message_arena;
    const char *end = r->at;

    while (isalnum((unsigned char)*end) || *end == '_' || *end == '.')
        end++;
    const char *word = ir_format(a, "%.*s", (int)(end - r->at), r->at);
    ir_suggestion near = ir_suggest(word);
    for (int i = 0; i < r->s->n; i++) {
        ir_suggest_try(&near, r->s->size[i].name);
        if (strcmp(r->s->size[i].name, word) == 0)
            *size = i;
    }
    if (*size < 0)
        return fail(r, ir_format(a, "there is no size '%s'%s", word, ir_suggest_text(&near)));
    r->at = end;
    skip(r);
    if (*r->at != '=')
        return fail(r, "wants '='");
    r->at++;
    skip(r);
    return COT_OK;
}

/* A number for a size of the last set. */
static cot_status
number(at_reader *r, int size)
{
    const rt_size *x = &r->s->size[size];
    char *end;

    if (!isdigit((unsigned char)*r->at))
        return fail(r, "wants a number");
    const int64_t n = strtoll(r->at, &end, 10);
    if (n < x->least || n > x->most || n % x->multiple)
        return fail(
            r, ir_format(&r->ctx->message_arena, "a fact excludes %s = %" PRId64, x->name, n));
    r->at = end;
    r->set[r->n - 1][size] = n;
    skip(r);
    return COT_OK;
}

/* A copy of the set before it, or one of no size. */
static cot_status
begin_set(at_reader *r, bool copy)
{
    if (r->n == MAX_SETS)
        return fail(r, "wants at most 16 sets of sizes");
    for (int i = 0; i < CG_MAX_SIZES; i++)
        r->set[r->n][i] = copy ? r->set[r->n - 1][i] : -1;
    r->n++;
    return COT_OK;
}

static cot_status
end_set(const at_reader *r)
{
    const int64_t *last = r->set[r->n - 1];

    for (int i = 0; i < r->s->n; i++)
        if (last[i] < 0)
            return fail(r, ir_format(&r->ctx->message_arena, "wants a number for %s",
                                     r->s->size[i].name));
    for (int k = 0; k < r->n - 1; k++)
        if (memcmp(r->set[k], last, sizeof *last * (size_t)r->s->n) == 0)
            return fail(r, "wants each set of sizes once");
    return COT_OK;
}

static cot_status
read_set(at_reader *r)
{
    int size = -1;

    COT_TRY(begin_set(r, false));
    do {
        skip(r);
        if (isdigit((unsigned char)*r->at) && size >= 0) {
            COT_TRY(end_set(r));
            COT_TRY(begin_set(r, true));
        } else {
            size = -1;
            COT_TRY(name(r, &size));
        }
        COT_TRY(number(r, size));
    } while (*r->at == ',' && r->at++);
    return end_set(r);
}

cot_status
rt_open_at_read(cot_context *ctx, const rt_sizes *s, const char *text, int *n,
                const int64_t **out)
{
    at_reader r = { .ctx = ctx, .s = s, .text = text, .at = text };
    int64_t *all;

    r.set = ir_alloc(&ctx->arena, sizeof *r.set * MAX_SETS);
    do
        COT_TRY(read_set(&r));
    while (*r.at == ';' && r.at++);
    if (*r.at)
        return fail(&r, "wants ',', ';' or the end");
    all = IR_NEW_N(&ctx->arena, int64_t, r.n * s->n + 1);
    for (int i = 0; i < r.n; i++)
        memcpy(all + (ptrdiff_t)i * s->n, r.set[i], sizeof *all * (size_t)s->n);
    *n = r.n;
    *out = all;
    return COT_OK;
}
