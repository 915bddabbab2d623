/* cot fmt: .cot text in the form of the printer, with its comments and all of its nodes.
 *
 * The text is parsed first, so that only what is right is written anew, and what comes out is
 * parsed again: it has to give the same functions.  In between it is a list of tokens, which
 * form statements: `format N`, the head of a function up to its brace, a node, `ret`, a closing
 * brace, a comment.  The printer of graphs cannot do it: it drops comments, and nodes that
 * nothing uses. */
#include <string.h>

#include "ir/diag.h"
#include "ir/reader.h"
#include "tools/cot.h"

enum { TYPE_COLUMN_MAX = 56 }; /* as in ir/print.c */

typedef struct token {
    const char *at;
    size_t n;
    int lines; /* newlines before it */
} token;

typedef struct fmt {
    const char *text, *end;
    token *token;
    uint32_t n, cap;
    ir_buf out;
    ir_arena *a;
    size_t column; /* of the colons of the function */
} fmt;

static bool
is(const token *t, const char *s)
{
    return t->n == strlen(s) && memcmp(t->at, s, t->n) == 0;
}

static bool
is_comment(const token *t)
{
    return t->n && t->at[0] == ';';
}

/* The token at s, which is no space. */
static size_t
token_length(const char *s, const char *end)
{
    const char *e = s;

    if (*s == ';') {
        while (e < end && *e != '\n')
            e++;
        while (e > s && (e[-1] == ' ' || e[-1] == '\t' || e[-1] == '\r'))
            e--;
    } else if (*s == '"') {
        for (e++; e < end && *e != '"' && *e != '\n'; e++)
            ;
        e += e < end;
    } else if (*s == '-' && s + 1 < end && s[1] == '>') {
        e += 2;
    } else {
        e += *s == '%' || *s == '@' || *s == '#';
        while (e < end && (ir_is_word(*e) || *e == '+'))
            e++;
        e += e == s;
        e += e - s == 1 && e < end && *e == '=' && strchr("<>=", *s);
    }
    return (size_t)(e - s);
}

static void
read_tokens(fmt *f)
{
    int lines = 0;

    for (const char *s = f->text; s < f->end;) {
        lines += *s == '\n';
        if (strchr(" \t\r\n", *s)) {
            s++;
            continue;
        }
        token t = { s, token_length(s, f->end), lines };
        IR_PUSH(f->a, f->token, f->n, f->cap, t);
        s += t.n;
        lines = 0;
    }
}

/* The token behind the bracket that closes the one at i. */
static uint32_t
behind_bracket(const fmt *f, uint32_t i)
{
    int depth = 0;

    for (; i < f->n; i++) {
        const char c = is_comment(&f->token[i]) ? ' ' : f->token[i].at[0];
        depth += (c == '(') + (c == '[') + (c == '{') - (c == ')') - (c == ']') - (c == '}');
        if (depth == 0)
            return i + 1;
    }
    return i;
}

static uint32_t
skip_comments(const fmt *f, uint32_t i)
{
    while (i < f->n && is_comment(&f->token[i]))
        i++;
    return i;
}

/* The token behind the operands and attributes of the node at i: its colon, if it has types. */
static uint32_t
behind_left(const fmt *f, uint32_t i)
{
    if (f->token[i].at[0] == '%')
        while (i < f->n && !is(&f->token[i++], "="))
            ;
    i = skip_comments(f, skip_comments(f, i) + 1); /* the op */
    while (i < f->n && f->token[i].at[0] == '%') {
        const uint32_t next = skip_comments(f, i + 1);
        if (next >= f->n || !is(&f->token[next], ","))
            return next < f->n && is(&f->token[next], "{") ? behind_bracket(f, next) : i + 1;
        i = skip_comments(f, next + 1);
    }
    return i < f->n && is(&f->token[i], "{") ? behind_bracket(f, i) : i;
}

/* The colon of the node at i, or f->n. */
static uint32_t
colon_of(const fmt *f, uint32_t i)
{
    const uint32_t k = skip_comments(f, behind_left(f, i));

    return k < f->n && is(&f->token[k], ":") ? k : f->n;
}

/* The token behind the types whose colon is at i. */
static uint32_t
behind_types(const fmt *f, uint32_t i)
{
    uint32_t next;

    do {
        i = skip_comments(f, i + 1);
        if (i < f->n && !is(&f->token[i], "("))
            i = skip_comments(f, i + 1); /* the element type, in front of its sizes */
        i = behind_bracket(f, i);
        next = skip_comments(f, i);
    } while (next < f->n && is(&f->token[next], ",") && (i = next) != 0);
    return i;
}

/* The token behind the node at i and its location. */
static uint32_t
behind_node(const fmt *f, uint32_t i)
{
    const uint32_t colon = colon_of(f, i);
    const uint32_t end = colon < f->n ? behind_types(f, colon) : behind_left(f, i);
    const uint32_t next = skip_comments(f, end);

    return next < f->n && is(&f->token[next], "loc") ? behind_bracket(f, next + 1) : end;
}

static bool
is_node(const token *t)
{
    return !is_comment(t) && !is(t, "}") && !is(t, "ret") && !is(t, "fn") && !is(t, "format");
}

/* The token behind a statement, if it is one. */
static uint32_t
behind_statement(const fmt *f, uint32_t i)
{
    const token *t = &f->token[i];

    if (is_comment(t) || is(t, "}"))
        return i + 1;
    if (is(t, "format"))
        return skip_comments(f, i + 1) + 1;
    if (is_node(t))
        return behind_node(f, i);
    while (i < f->n && !is(&f->token[i], is(t, "ret") ? "}" : "{"))
        i++;
    return is(t, "ret") ? i : i + 1;
}

/* The same, of any text: behind the first token, and no farther than the last. */
static uint32_t
statement_end(const fmt *f, uint32_t i)
{
    const uint32_t end = behind_statement(f, i);

    return end <= i ? i + 1 : end > f->n ? f->n : end;
}

/* Where a token stands: inside how many braces and square brackets, in round ones in these. */
typedef struct nest {
    int braces, squares, rounds;
    bool node; /* of a node, rather than of a head */
    bool loc;  /* in a location */
} nest;

/* Of numbers that are made of sizes. */
static bool
is_operator(const token *t)
{
    return t->n == 1 && strchr("+-*/", t->at[0]);
}

/* Is there a space between two tokens of a statement? */
static bool
has_space(const token *x, const token *y, const nest *in)
{
    if (strchr(",)]", y->at[0]) || strchr("([", x->at[0]))
        return false;
    if (is(x, "{") || (is(y, "}") && in->braces))
        return false;
    if ((in->squares || in->braces) && (is_operator(x) || is_operator(y)))
        return false;
    if (is(x, "=") || is(y, "="))
        return in->node && !in->braces;
    if (is(y, "[") && !is(x, "->") && !is(x, ":") && !is(x, ","))
        return false;
    if (is(y, "("))
        return !is(x, "loc") && x->at[0] != '@' && !(is(x, ",") && in->squares);
    if (is(x, ","))
        return !in->squares || in->rounds > 0 || y->at[0] == '@';
    if (is(x, ":") || is(y, ":"))
        return is(x, ":") && !in->loc;
    return true;
}

static void
step(nest *in, const token *t)
{
    const char c = t->at[0];

    in->braces += (c == '{') - (c == '}');
    in->squares += (c == '[') - (c == ']');
    if (in->squares)
        in->rounds += (c == '(') - (c == ')');
    in->loc |= is(t, "loc");
}

/* Tokens from ... to - 1, but for comments, as text; `loc` continues a location's rules. */
static const char *
joined(fmt *f, uint32_t from, uint32_t to, bool node)
{
    const token *before = NULL;
    nest in = { .node = node };
    ir_buf b;

    ir_buf_init(&b, f->a);
    for (uint32_t i = from; i < to; i++) {
        const token *t = &f->token[i];
        if (is_comment(t))
            continue;
        if (before && has_space(before, t, &in))
            ir_buf_str(&b, " ");
        ir_buf_add(&b, t->at, t->n);
        step(&in, t);
        before = t;
    }
    return b.n ? b.text : "";
}

/* The column of the colons of the function whose body begins at i. */
static size_t
column_of(fmt *f, uint32_t i)
{
    size_t column = 0;

    while (i < f->n && !is(&f->token[i], "}")) {
        const uint32_t end = statement_end(f, i);
        if (is_node(&f->token[i]) && colon_of(f, i) < f->n) {
            const size_t n = 2 + strlen(joined(f, i, colon_of(f, i), true));
            column = n > column && n <= TYPE_COLUMN_MAX ? n : column;
        }
        i = end;
    }
    return column;
}

static void
write_statement(fmt *f, uint32_t from, uint32_t to)
{
    const token *t = &f->token[from];

    const uint32_t colon = is_node(t) ? colon_of(f, from) : f->n;

    if (colon < to) {
        const char *left = joined(f, from, colon, true),
                   *types = joined(f, colon + 1, to, false);
        ir_buf_printf(&f->out, "  %-*s : %s", f->column ? (int)f->column - 2 : 0, left, types);
    } else if (is_node(t)) {
        ir_buf_printf(&f->out, "  %s", joined(f, from, to, true));
    } else {
        ir_buf_printf(&f->out, "%s%s", is(t, "ret") ? "  " : "", joined(f, from, to, false));
    }
}

/* The comments inside a statement come before it, that behind it on its line. */
static void
write_all(fmt *f)
{
    bool body = false;

    for (uint32_t i = 0; i < f->n;) {
        const token *t = &f->token[i];
        const uint32_t end = statement_end(f, i);
        const char *indent = body ? "  " : "";
        if (t->lines > 1 && i > 0 && !(body && is(t - 1, "{")) && !is(t, "}"))
            ir_buf_str(&f->out, "\n");
        for (uint32_t k = i; k < end; k++)
            if (is_comment(&f->token[k]) && k > i)
                ir_buf_printf(&f->out, "%s%.*s\n", indent, (int)f->token[k].n, f->token[k].at);
        if (is(t, "fn")) {
            f->column = column_of(f, end);
            body = true;
        }
        if (is_comment(t))
            ir_buf_printf(&f->out, "%s%.*s", indent, (int)t->n, t->at);
        else
            write_statement(f, i, end);
        body = body && !is(t, "}");
        i = end;
        if (!is_comment(t) && i < f->n && is_comment(&f->token[i]) && f->token[i].lines == 0) {
            ir_buf_printf(&f->out, "  %.*s", (int)f->token[i].n, f->token[i].at);
            i++;
        }
        ir_buf_str(&f->out, "\n");
    }
}

/* All functions as the printer writes them. */
static const char *
printed(cot_cli *c, const ir_module *m)
{
    ir_buf b;

    ir_buf_init(&b, &c->ctx->arena);
    for (int i = 0; i < m->n; i++)
        ir_print(&b, m->fn[i], 0);
    return b.n ? b.text : "";
}

static cot_status
format_text(cot_cli *c, const char *path, fmt *f)
{
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    ir_module before, after;

    *f = (fmt){ .text = cli_text(c, path), .a = &c->ctx->arena };
    if (!f->text)
        return cot_error_status(c->ctx);
    f->end = f->text + c->bytes;
    COT_TRY(ir_parse(c->ctx, name, f->text, c->bytes, &before));
    ir_buf_init(&f->out, f->a);
    read_tokens(f);
    write_all(f);
    COT_TRY(ir_parse(c->ctx, name, f->out.text, f->out.n, &after));
    if (strcmp(printed(c, &before), printed(c, &after)) != 0)
        return ir_fail(c->ctx, 0, "fmt", ERR_internal,
                       ir_format(f->a, "%s would have other functions", name));
    return COT_OK;
}

static int
format_file(cot_cli *c, const char *path)
{
    fmt f;

    if (format_text(c, path, &f) != COT_OK)
        return cli_failed(c);
    const bool same = f.out.n == c->bytes && memcmp(f.out.text, f.text, f.out.n) == 0;
    if (c->only_check) {
        if (!same)
            printf("%s\n", path);
        return same ? EXIT_DONE : EXIT_CHECK;
    }
    if (strcmp(path, "-") != 0 && same)
        return EXIT_DONE;
    return cli_write(c, path, f.out.text, f.out.n) ? EXIT_DONE : cli_failed(c);
}

int
cli_fmt(cot_cli *c)
{
    int worst = EXIT_DONE;

    for (int i = 0; i < c->n_files; i++) {
        const int answer = format_file(c, c->files[i]);
        worst = answer > worst ? answer : worst;
        cot_error_clear(c->ctx);
    }
    return worst;
}
