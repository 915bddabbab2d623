/* The heads of a text with sizes: which sizes there are, with their facts, and which lengths of
 * arguments they are.  They are known before the text is parsed, at numbers for the sizes. */
#include <stdlib.h>

#include "ir/diag.h"
#include "ir/lent.h"
#include "ir/limit.h"
#include "ir/sized.h"
#include "ir/suggest.h"

enum { ANY_SIZE = 8 };

/* Files that are joined have several formats. */
typedef struct heads {
    ir_reader r;
    cot_context *ctx;
    ir_sizes sizes;
    ir_head *head;
    uint32_t n, cap;
    bool sized; /* the format that is in force has sizes */
} heads;

/* -- facts -- */

static bool
bound(ir_reader *p, int64_t *out)
{
    const char *start;

    ir_read_skip(p);
    start = p->at;
    if (!ir_read_expression(p, out))
        return false;
    if (*out >= 0 && *out <= IR_MOST_SIZE)
        return true;
    p->at = start;
    return ir_read_wants(p, "an integer from 0 to 2^30");
}

static int64_t
greatest_divisor(int64_t x, int64_t y)
{
    while (y) {
        const int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

static bool
divisor(ir_reader *p, ir_named_size *s)
{
    int64_t x, zero;

    if (!bound(p, &x))
        return false;
    if (x == 0)
        return ir_read_wants(p, "a divisor above 0 before this");
    if (!ir_read_expect(p, "==") || !bound(p, &zero))
        return false;
    if (zero != 0)
        return ir_read_wants(p, "0 before this: a size is a multiple of a number");
    s->multiple *= x / greatest_divisor(s->multiple, x);
    return s->multiple <= IR_MOST_SIZE ||
           ir_read_wants(p, "divisors with a multiple of at most 2^30 before this");
}

static bool
fact(ir_reader *p)
{
    const char *start, *end;
    int64_t x;

    ir_read_skip(p);
    for (start = end = p->at; end < p->end && *end != '-' && ir_is_word(*end);)
        end++;
    const char *name = ir_format(p->a, "%.*s", (int)(end - start), start);
    const int i = ir_sizes_find(p->sizes, name);
    ir_suggestion near = ir_suggest(name);
    if (i < 0) {
        for (int k = 0; k < p->sizes->n; k++)
            ir_suggest_try(&near, p->sizes->at[k].name);
        return ir_read_wants(
            p, ir_format(p->a, "a size that an argument has%s", ir_suggest_text(&near)));
    }
    p->at = end;
    ir_named_size *s = &p->sizes->at[i];
    if (ir_read_try(p, ">=")) {
        if (!bound(p, &x))
            return false;
        s->least = x > s->least ? x : s->least;
    } else if (ir_read_try(p, "<=")) {
        if (!bound(p, &x))
            return false;
        s->most = x < s->most ? x : s->most;
    } else if (ir_read_try(p, "%")) {
        if (!divisor(p, s))
            return false;
    } else {
        return ir_read_wants(p, "'>=', '<=' or '%'");
    }
    return (s->least + s->multiple - 1) / s->multiple * s->multiple <= s->most ||
           ir_read_wants(
               p, ir_format(p->a, "facts that leave a number for %s before this", s->name));
}

bool
ir_read_facts(ir_reader *p)
{
    const char *start;

    ir_read_skip(p);
    start = p->at;
    if (!p->sizes || !ir_read_try(p, "where"))
        return !p->failed;
    if (p->at < p->end && ir_is_word(*p->at)) {
        p->at = start;
        return true;
    }
    do
        if (!fact(p))
            return false;
    while (ir_read_try(p, ","));
    return true;
}

/* -- heads -- */

/* An expression that begins there, where one size has a value and the others have another. */
static int64_t
value_at(ir_reader *p, const char *start, int size, int64_t value, int64_t others)
{
    const char *at = p->at;
    ir_sizes *s = p->sizes, kept = *s;
    int64_t x = 0;

    for (int i = 0; i < s->n; i++)
        s->at[i].value = i == size ? value : others;
    p->at = start;
    if (!ir_read_expression(p, &x))
        x = 0;
    p->at = at;
    *s = kept;
    return x;
}

/* Which multiple of a size, and a number, is the length that begins there? */
static ir_length
length_at(ir_reader *p, const char *start, const char *text)
{
    enum { OTHERS = 5, FAR = 1000003 };
    ir_length x = { text, -1, 1, value_at(p, start, -1, 0, 0) };

    for (int i = 0; i < p->sizes->n && x.size < 0; i++) {
        const int64_t factor = value_at(p, start, i, 1, 0) - x.offset;

        if (factor < 1 || factor > IR_MOST_SIZE ||
            value_at(p, start, i, FAR, OTHERS) != factor * FAR + x.offset)
            continue;
        x.size = i;
        x.factor = factor;
    }
    return x;
}

/* A type whose lengths are read; its elements are not looked at. */
static bool
argument_type(heads *h, ir_head_argument *a)
{
    ir_length length[COT_MAX_RANK];
    ir_reader *p = &h->r;
    int64_t x;

    if (!ir_read_dtype(p) || !ir_read_expect(p, "["))
        return false;
    for (a->rank = 0; !ir_read_try(p, "]"); a->rank++) {
        if (a->rank == COT_MAX_RANK)
            return ir_read_wants(p, "at most 64 axes");
        if (a->rank && !ir_read_expect(p, ","))
            return false;
        ir_read_skip(p);
        const char *start = p->at;
        if (!ir_read_expression(p, &x))
            return false;
        const char *end = p->at;
        while (end > start && (end[-1] == ' ' || end[-1] == '\n' || end[-1] == '\t'))
            end--;
        const char *text = ir_format(&h->ctx->arena, "%.*s", (int)(end - start), start);
        length[a->rank] = length_at(p, start, text);
    }
    a->length = ir_copy_bytes(&h->ctx->arena, length, sizeof *length * (size_t)a->rank);
    return true;
}

static bool
arguments(heads *h, ir_head *head)
{
    ir_head_argument *list = NULL;
    ir_reader *p = &h->r;
    uint32_t n = 0, cap = 0;

    if (!ir_read_expect(p, "("))
        return false;
    while (!ir_read_try(p, ")")) {
        ir_head_argument a = { 0 };

        if ((n && !ir_read_expect(p, ",")) ||
            (!ir_read_try(p, "hidden ") && ir_read_try(p, "generator ") && p->failed) ||
            !ir_read_expect(p, "%"))
            return false;
        const char *name = ir_read_word(p, "the name of an argument");
        if (!name || !ir_read_expect(p, ":"))
            return false;
        ir_read_try(p, "inout ");
        a.name = ir_copy_string(&h->ctx->arena, name);
        if (!argument_type(h, &a))
            return false;
        IR_PUSH(&h->ctx->arena, list, n, cap, a);
    }
    head->n = (int)n;
    head->argument = list;
    return true;
}

/* Up to what is `wanted` outside of brackets, comments and quotes, or to the end. */
static bool
skip_to(ir_reader *p, const char *wanted)
{
    const size_t n = strlen(wanted);
    int depth = 0;

    for (bool word = false;;) {
        const char *before = p->at;

        ir_read_skip(p);
        word &= p->at == before;
        if (p->at == p->end)
            return false;
        const char c = *p->at;
        if (depth == 0 && !word && (size_t)(p->end - p->at) >= n &&
            memcmp(p->at, wanted, n) == 0)
            return true;
        if (depth == 0 && wanted[0] != '}' && c == '{')
            return false;
        depth += (c == '(') + (c == '[') + (c == '{') - (c == ')') - (c == ']') - (c == '}');
        word = ir_is_word(c);
        p->at++;
        if (c == '"') {
            while (p->at < p->end && *p->at != '"' && *p->at != '\n')
                p->at++;
            p->at += p->at < p->end && *p->at == '"';
        }
    }
}

/* A function, of whose body nothing is read.  The parser says what is wrong with a text that
 * ends too early. */
static bool
function(heads *h)
{
    ir_reader *p = &h->r;
    ir_head head = { .line = p->line };

    if (!ir_read_expect(p, "fn") || !ir_read_expect(p, "@"))
        return false;
    const char *name = ir_read_word(p, "the name of the function");
    if (!name)
        return false;
    head.name = ir_copy_string(&h->ctx->arena, name);
    head.line = p->line;
    p->sizes = h->sized ? &h->sizes : NULL;
    if (h->sized) {
        h->sizes.declares = true;
        if (!arguments(h, &head))
            return false;
        h->sizes.declares = false;
        if (skip_to(p, "where") && !ir_read_facts(p))
            return false;
    }
    IR_PUSH(&h->ctx->arena, h->head, h->n, h->cap, head);
    if (skip_to(p, "{")) {
        p->at++;
        if (skip_to(p, "}"))
            p->at++;
    }
    return true;
}

static bool
format(heads *h)
{
    ir_reader *p = &h->r;
    int64_t version;

    p->sizes = NULL;
    if (!ir_read_try(p, "format"))
        return true;
    if (!ir_read_integer(p, &version))
        return false;
    h->sized = version == IR_FORMAT_SIZED;
    return true;
}

/* 8, or what is nearest to it of what the facts allow. */
static void
set_any(ir_sizes *s)
{
    for (int i = 0; i < s->n; i++) {
        ir_named_size *x = &s->at[i];
        const int64_t n = x->least > ANY_SIZE  ? x->least
                          : x->most < ANY_SIZE ? x->most
                                               : ANY_SIZE;

        x->value = n / x->multiple * x->multiple;
        x->value += x->value < x->least ? x->multiple : 0;
    }
}

static cot_status
read_all(heads *h, const char *path, const char *text, size_t bytes, const ir_sized_text **out)
{
    cot_context *ctx = h->ctx;
    ir_reader *p = &h->r;

    for (ir_read_skip(p); p->at < p->end; ir_read_skip(p))
        if (!format(h) || !function(h))
            return ctx->status;
    if (h->sizes.n == 0)
        return COT_OK;
    char *copy = ir_alloc(&ctx->arena, bytes + 1);
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    set_any(&h->sizes);
    h->sizes.used = 0;
    const ir_sized_text t = {
        ctx, ir_copy_string(&ctx->arena, path), copy, bytes, h->sizes, h->n, h->head
    };
    *out = ir_copy_bytes(&ctx->arena, &t, sizeof t);
    return COT_OK;
}

/* Does the text name a format that has sizes? Few do. */
static bool
may_have_sizes(const char *text, size_t bytes)
{
    const char *at = text, *end = text + bytes;

    while ((at = memchr(at, 'f', (size_t)(end - at))) != NULL) {
        if (end - at > 7 && memcmp(at, "format", 6) == 0) {
            for (at += 6; at < end && strchr(" \t\r\n", *at); at++)
                ;
            if (at < end && *at == '0' + IR_FORMAT_SIZED)
                return true;
        } else {
            at++;
        }
    }
    return false;
}

cot_status
ir_read_heads(cot_context *ctx, const char *path, const char *text, size_t bytes,
              const ir_sized_text **out)
{
    *out = NULL;
    if (!may_have_sizes(text, bytes))
        return COT_OK;
    ir_arena *scratch = ir_arena_take(ctx);
    heads h = { .r = { ctx, scratch, path, text, text + bytes, 1, false }, .ctx = ctx };
    const cot_status status = read_all(&h, path, text, bytes, out);
    ir_arena_give(scratch);
    return status;
}

/* -- the sizes of a function -- */

static ir_loc
place_of(const ir_graph *f)
{
    return ir_loc_file(f->ctx, f->sized->text->path, f->sized->head->line);
}

/* Each that what f calls names is one of f. */
static cot_status
check_used(const ir_graph *f, uint32_t own)
{
    const ir_sizes *s = &f->sized->text->sizes;
    ir_arena *scratch = ir_arena_take(f->ctx);
    const ir_graph *const *all;
    const uint32_t n = ir_all_graphs(f, true, &all, scratch);
    cot_status status = COT_OK;

    for (uint32_t i = 0; i < n && status == COT_OK; i++)
        for (int k = 0; all[i]->sized && k < s->n; k++)
            if ((all[i]->sized->used & ~own) >> k & 1) {
                status = ir_fail(f->ctx, place_of(all[i]), all[i]->name, ERR_size_unknown,
                                 s->at[k].name, f->name);
                break;
            }
    ir_arena_give(scratch);
    return status;
}

/* A length that is a size itself rather than a multiple of one. */
static bool
is_alone(const ir_length *x)
{
    return x->factor == 1 && x->offset == 0;
}

cot_status
ir_sized_order(const ir_graph *f, int *n, int order[IR_MAX_SIZES])
{
    const ir_head *head = f->sized->head;
    uint32_t own = 0;

    *n = 0;
    for (int i = 0; i < head->n; i++)
        for (int k = 0; k < head->argument[i].rank; k++) {
            const int size = head->argument[i].length[k].size;

            if (size >= 0 && !(own >> size & 1)) {
                order[(*n)++] = size;
                own |= 1u << size;
            }
        }
    return check_used(f, own);
}

/* Find what is not found yet in the lengths of a type, those that are sizes alone, or all. */
static void
solve_in(const ir_head_argument *x, const ir_type *t, bool alone, uint32_t *found,
         int64_t *size)
{
    for (int k = 0; k < x->rank && t->rank == x->rank; k++) {
        const ir_length *l = &x->length[k];

        if (l->size < 0 || *found >> l->size & 1 || (alone && !is_alone(l)))
            continue;
        size[l->size] = t->dims[k] > l->offset ? (t->dims[k] - l->offset) / l->factor : 0;
        *found |= 1u << l->size;
    }
}

void
ir_sized_solve(const ir_graph *f, int n, const ir_type *const *type, int64_t *size)
{
    const ir_sizes *s = &f->sized->text->sizes;
    const ir_head *head = f->sized->head;
    uint32_t found = 0;

    for (int i = 0; i < s->n; i++)
        size[i] = s->at[i].value;
    for (int alone = 1; alone >= 0; alone--)
        for (int i = 0, given = 0; i < f->n_in && given < n; i++)
            if (!ir_is_bound(f, i))
                solve_in(&head->argument[i], type[given++], alone, &found, size);
}

static const char *
declared_type(const ir_graph *f, int i, ir_arena *a)
{
    const ir_head_argument *x = &f->sized->head->argument[i];
    const char *text = cot_dtype_name(ir_type_at(f, f->in[i])->dtype);

    for (int k = 0; k < x->rank; k++)
        text = ir_format(a, "%s%s%s", text, k ? "," : "[", x->length[k].text);
    return ir_format(a, x->rank ? "%s]" : "%s[]", text);
}

static cot_status
check_facts(const ir_graph *f)
{
    const ir_sizes *s = &f->sized->text->sizes;
    ir_arena *a = &f->ctx->message_arena;

    for (int i = 0; i < s->n; i++) {
        const ir_named_size *x = &s->at[i];
        const int64_t value = f->sized->size[i];

        if (!(f->sized->used >> i & 1) ||
            (value >= x->least && value <= x->most && value % x->multiple == 0))
            continue;
        return ir_fail(f->ctx, place_of(f), f->name, ERR_size_fact, x->name, (long long)value,
                       value < x->least ? ir_format(a, "%lld or more", (long long)x->least)
                       : value > x->most
                           ? ir_format(a, "%lld or less", (long long)x->most)
                           : ir_format(a, "a multiple of %lld", (long long)x->multiple));
    }
    return COT_OK;
}

cot_status
ir_sized_check(const ir_graph *f, int n, const ir_type *const *type)
{
    cot_context *ctx = f->ctx;
    ir_arena *a = &ctx->message_arena;
    int given = 0;

    for (int i = 0; i < f->n_in && given < n; i++) {
        if (ir_is_bound(f, i))
            continue;
        const ir_type *want = ir_type_at(f, f->in[i]), *t = type[given];
        if (t != want) {
            ir_sizes s = f->sized->text->sizes;

            for (int k = 0; k < s.n; k++)
                s.at[k].value = f->sized->size[k];
            return ir_fail(ctx, place_of(f), f->name, ERR_fn_type, given, ir_type_str(ctx, t),
                           ir_format(a, "%s for %s, which is %s%s", declared_type(f, i, a),
                                     f->sized->head->argument[i].name, ir_type_str(ctx, want),
                                     ir_sizes_text(&s, a)));
        }
        given++;
    }
    return check_facts(f);
}
