/* Are the graphs of a function at several sizes one graph, but for numbers that follow from the
 * sizes?
 *
 * Graphs are compared by their text, whose numbers are fitted by polynomials at the samples.
 * Other sizes are then checked: a function that branches on a size, or an op that is defined
 * otherwise for short axes, has another text there. */
#include "runtime/open/graphs.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "ir/number.h"

/* The next token of a graph's text: a number, or what lies before the next one. */
typedef struct piece {
    const char *start;
    size_t n;
    bool is_number;
} piece;

static bool
is_digit(char c)
{
    return isdigit((unsigned char)c);
}

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '%' || c == '.' || c == '@';
}

static piece
next_piece(const char *text, const char *at)
{
    piece p = { at, 0, false };
    const bool in_word = at > text && is_word(at[-1]);

    if (!in_word && (is_digit(*at) || (*at == '-' && is_digit(at[1])))) {
        p.is_number = true;
        while (is_word(at[p.n]) || at[p.n] == '-' ||
               (at[p.n] == '+' && p.n && at[p.n - 1] == 'e'))
            p.n++;
        return p;
    }
    do
        p.n++;
    while (at[p.n] && (is_word(at[p.n - 1]) || !(is_digit(at[p.n]) || at[p.n] == '-')));
    return p;
}

/* An integer; false: a float, or too long. */
static bool
integer_of(piece p, int64_t *out)
{
    char text[24];
    char *end;

    if (p.n >= sizeof text)
        return false;
    memcpy(text, p.start, p.n);
    text[p.n] = 0;
    *out = strtoll(text, &end, 10);
    return *end == 0;
}

static int
line_of(const char *text, const char *at)
{
    int line = 1;

    for (const char *s = text; s < at; s++)
        line += *s == '\n';
    return line;
}

/* Texts in step. */
typedef struct comparison {
    rt_open_graphs *g;
    const char *at[RT_OPEN_SAMPLES];
    const char **text;
} comparison;

static bool
differ(comparison *c, const char *why, int other)
{
    c->g->why = why;
    c->g->other = other;
    c->g->line = line_of(c->text[0], c->at[0]);
    return false;
}

/* But for spaces, which align the text. */
static bool
same_bytes(piece x, piece y)
{
    size_t i = 0, k = 0;

    for (;;) {
        while (i < x.n && x.start[i] == ' ')
            i++;
        while (k < y.n && y.start[k] == ' ')
            k++;
        if (i == x.n || k == y.n)
            return i == x.n && k == y.n;
        if (x.start[i++] != y.start[k++])
            return false;
    }
}

/* The numbers at one place of all texts. */
static bool
take_number(comparison *c, const piece *p)
{
    rt_open_graphs *g = c->g;
    int64_t value[RT_OPEN_SAMPLES];
    bool varies = false, all = true;
    cg_size_form form = { 0 };

    for (int i = 0; i < g->samples.n; i++) {
        varies |= !same_bytes(p[i], p[0]);
        all &= integer_of(p[i], &value[i]);
    }
    if (varies && !all)
        return differ(c, "a constant depends on it", -1);
    if (varies && !cg_fit_form(&g->samples, value, &form))
        return differ(c, "a number depends on it in no known way", -1);
    if (!varies)
        form = (cg_size_form){ 0 };
    IR_PUSH(g->samples.arena, g->number, g->n_numbers, g->cap_numbers,
            ((rt_open_number){ form, varies }));
    return true;
}

bool
rt_open_fit_graphs(rt_open_graphs *g, const char **text)
{
    comparison c = { .g = g, .text = text };

    for (int i = 0; i < g->samples.n; i++)
        c.at[i] = text[i];
    while (*c.at[0]) {
        piece p[RT_OPEN_SAMPLES] = { next_piece(text[0], c.at[0]) };

        for (int i = 0; i < g->samples.n; i++) {
            p[i] = next_piece(text[i], c.at[i]);
            if (p[i].is_number != p[0].is_number ||
                (!p[0].is_number && !same_bytes(p[i], p[0])))
                return differ(&c, "it is another program", i);
        }
        if (p[0].is_number && !take_number(&c, p))
            return false;
        for (int i = 0; i < g->samples.n; i++)
            c.at[i] += p[i].n;
    }
    g->text = text[0];
    return true;
}

/* Text y after it has the bytes of x, but for spaces; NULL: it has others. */
static const char *
after_bytes(const char *y, piece x)
{
    for (size_t i = 0; i < x.n; i++) {
        if (x.start[i] == ' ')
            continue;
        while (*y == ' ')
            y++;
        if (*y++ != x.start[i])
            return NULL;
    }
    return y;
}

/* Text y after a number, which is x or what its form gives.  An array without elements has no
 * number. */
static const char *
after_number(const char *text, const char *y, piece x, const rt_open_number *n,
             const int64_t *size)
{
    while (*y == ' ')
        y++;
    const piece q = next_piece(text, y);
    int64_t value;

    if (y[0] == '[' && y[1] == ']')
        return y + 2;
    if (!q.is_number)
        return NULL;
    if (n->varies ? !integer_of(q, &value) || value != cg_form_at(&n->form, size)
                  : !same_bytes(x, q))
        return NULL;
    return y + q.n;
}

bool
rt_open_is_instance(rt_open_graphs *g, const char *text, const int64_t *size)
{
    const char *y = text;
    uint32_t number = 0;

    for (const char *x = g->text; *x;) {
        const piece p = next_piece(g->text, x);

        y = p.is_number ? after_number(text, y, p, &g->number[number++], size)
                        : after_bytes(y, p);
        if (!y) {
            g->line = line_of(g->text, x);
            return false;
        }
        x += p.n;
    }
    return *y == 0;
}

size_t
rt_open_piece(const char *text, const char *at, bool *is_number)
{
    const piece p = next_piece(text, at);

    *is_number = p.is_number;
    return p.n;
}
