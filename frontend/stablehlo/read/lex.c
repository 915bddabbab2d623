/* The characters of MLIR's text: words, numbers, strings, brackets; errors with line and
 * column.
 *
 * There is no list of tokens: a reader of a construct asks for what may come next.  Lines are
 * counted by one walk that follows the cursor; columns only for an error. */
#include <stdio.h>

#include "frontend/stablehlo/read/tree.h"
#include "ir/diag.h"

static void
place(const hlo_reader *r, const char *at, int *line, int *column)
{
    const char *start = r->text;

    *line = 1;
    for (const char *s = r->text; s < at && (s = memchr(s, '\n', (size_t)(at - s)));
         start = ++s)
        ++*line;
    *column = (int)(at - start) + 1;
}

bool
fe_hlo_wants(hlo_reader *r, const char *at, const char *want)
{
    char found[48] = "found the end of the text";
    size_t n = (size_t)(r->end - at), k = 0;
    int line, column;

    if (r->failed)
        return false;
    while (k < n && k < 24 && at[k] > ' ' && at[k] < 127)
        k++;
    if (n > 0 && k > 0)
        snprintf(found, sizeof found, "found '%.*s'", (int)k, at);
    else if (n > 0)
        snprintf(found, sizeof found,
                 *at == '\n' || *at == '\r' ? "found the end of the line" : "found byte 0x%02x",
                 (unsigned char)*at);
    place(r, at, &line, &column);
    ir_fail(r->ctx, 0, NULL, ERR_hlo_syntax, r->path, line, column, found, want);
    r->failed = true;
    return false;
}

bool
fe_hlo_refuse(cot_context *ctx, const hlo_reader *r, const char *at, const char *what,
              const char *why)
{
    int line, column;

    place(r, at, &line, &column);
    ir_fail(ctx, 0, NULL, ERR_hlo_refused, r->path, line, column, what, why);
    return false;
}

/* The line of a place.  Most calls are in the order of the text, so counting goes on from the
 * last place; an earlier place is counted from the start. */
int
fe_hlo_line(hlo_reader *r, const char *at)
{
    int line, column;

    if (at < r->line_at) {
        place(r, at, &line, &column);
        return line;
    }
    for (const char *s = r->line_at; s < at && (s = memchr(s, '\n', (size_t)(at - s))); s++)
        r->line++;
    r->line_at = at;
    return r->line;
}

bool
fe_hlo_deeper(hlo_reader *r)
{
    return ++r->depth <= HLO_DEEPEST ||
           fe_hlo_wants(r, r->at, "fewer brackets within each other");
}

void
fe_hlo_skip(hlo_reader *r)
{
    for (; r->at < r->end; r->at++) {
        const char c = *r->at;

        if (c == '/' && r->end - r->at > 1 && r->at[1] == '/') {
            const char *s = memchr(r->at, '\n', (size_t)(r->end - r->at));
            r->at = s ? s : r->end;
            if (r->at == r->end)
                return;
        } else if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
            return;
        }
    }
}

bool
fe_hlo_peek(hlo_reader *r, const char *s)
{
    const size_t n = strlen(s);

    fe_hlo_skip(r);
    return !r->failed && (size_t)(r->end - r->at) >= n && memcmp(r->at, s, n) == 0;
}

bool
fe_hlo_try(hlo_reader *r, const char *s)
{
    if (!fe_hlo_peek(r, s))
        return false;
    r->at += strlen(s);
    return true;
}

bool
fe_hlo_expect(hlo_reader *r, const char *s)
{
    return fe_hlo_try(r, s) ||
           (!r->failed && fe_hlo_wants(r, r->at, ir_format(r->a, "'%s'", s)));
}

bool
fe_hlo_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '.' || c == '$';
}

hlo_span
fe_hlo_word(hlo_reader *r)
{
    fe_hlo_skip(r);
    const char *s = r->at;
    while (!r->failed && r->at < r->end && fe_hlo_is_word(*r->at))
        r->at++;
    return (hlo_span){ s, (size_t)(r->at - s) };
}

bool
fe_hlo_try_word(hlo_reader *r, const char *s)
{
    const char *start;

    fe_hlo_skip(r);
    start = r->at;
    if (fe_hlo_is(fe_hlo_word(r), s))
        return true;
    r->at = start;
    return false;
}

const char *
fe_hlo_text(ir_arena *a, hlo_span s)
{
    char *to = ir_alloc(a, s.n + 1);

    if (s.n)
        memcpy(to, s.at, s.n);
    return to;
}

bool
fe_hlo_is(hlo_span s, const char *word)
{
    return strlen(word) == s.n && (s.n == 0 || memcmp(s.at, word, s.n) == 0);
}

/* Digits of a number of at most `limit`; start: where it begins. */
static bool
magnitude(hlo_reader *r, const char *start, uint64_t limit, uint64_t *x)
{
    const hlo_span s = fe_hlo_word(r);

    *x = 0;
    for (size_t i = 0; i < s.n; i++) {
        const unsigned digit = (unsigned)(s.at[i] - '0');
        if (digit > 9 || *x > (limit - digit) / 10) {
            r->at = start;
            return fe_hlo_wants(r, start, "an integer");
        }
        *x = 10 * *x + digit;
    }
    return s.n > 0 || fe_hlo_wants(r, start, "an integer");
}

bool
fe_hlo_integer(hlo_reader *r, int64_t *x)
{
    uint64_t y;

    fe_hlo_skip(r);
    const char *start = r->at;
    const bool minus = fe_hlo_try(r, "-");
    if (!magnitude(r, start, minus ? (uint64_t)1 << 63 : INT64_MAX, &y))
        return false;
    *x = minus ? (int64_t)(0 - y) : (int64_t)y;
    return true;
}

int64_t
fe_hlo_unsigned(hlo_reader *r)
{
    uint64_t x;

    fe_hlo_skip(r);
    return magnitude(r, r->at, UINT64_MAX, &x) ? (int64_t)x : 0;
}

bool
fe_hlo_string(hlo_reader *r, hlo_span *s)
{
    if (!fe_hlo_expect(r, "\""))
        return false;
    const char *start = r->at;
    for (; r->at < r->end && *r->at != '"'; r->at++) {
        if (*r->at == '\\' && r->end - r->at > 1)
            r->at++;
    }
    if (r->at >= r->end)
        return fe_hlo_wants(r, start - 1, "the string to end");
    *s = (hlo_span){ start, (size_t)(r->at++ - start) };
    return true;
}

bool
fe_hlo_symbol(hlo_reader *r, hlo_span *s)
{
    if (!fe_hlo_expect(r, "@"))
        return false;
    if (fe_hlo_peek(r, "\""))
        return fe_hlo_string(r, s);
    const char *start = r->at;
    while (r->at < r->end && (fe_hlo_is_word(*r->at) || *r->at == '-'))
        r->at++;
    *s = (hlo_span){ start, (size_t)(r->at - start) };
    return s->n > 0 || fe_hlo_wants(r, r->at, "a name");
}

/* Strings are skipped whole; `->` closes nothing. */
bool
fe_hlo_balanced(hlo_reader *r, char close, hlo_span *s)
{
    static const char open_of[] = "([{<", close_of[] = ")]}>";
    char stack[HLO_DEEPEST];
    int depth = 0;
    const char *start = r->at;
    hlo_span string;

    stack[depth++] = close;
    while (r->at < r->end) {
        const char c = *r->at;
        const char *open = c ? strchr(open_of, c) : NULL;

        if (c == '"') {
            if (!fe_hlo_string(r, &string))
                return false;
            continue;
        }
        if (c == '-' && r->end - r->at > 1 && r->at[1] == '>') {
            r->at += 2;
            continue;
        }
        if (open && depth == HLO_DEEPEST)
            return fe_hlo_wants(r, r->at, "fewer brackets within each other");
        if (open)
            stack[depth++] = close_of[open - open_of];
        else if (c && strchr(close_of, c)) {
            if (c != stack[--depth])
                return fe_hlo_wants(r, r->at, ir_format(r->a, "'%c'", stack[depth]));
            if (depth == 0) {
                *s = (hlo_span){ start, (size_t)(r->at++ - start) };
                return true;
            }
        }
        r->at++;
    }
    return fe_hlo_wants(r, r->at, ir_format(r->a, "'%c'", stack[depth - 1]));
}
