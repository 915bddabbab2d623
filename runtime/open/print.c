/* The text of a function with its sizes: that of its graphs at the samples, in which each
 * number that differs is the form that fits.
 *
 * The graphs are those that folds and sharing make, as of fixed sizes; where they are not one
 * graph (a constant that is computed of a size), those without folds are.  What is written is
 * then parsed at sizes that are no samples, where it has to be the graph of the function; with
 * at most one element, where the function may be written otherwise, its results have to be. */
#include <inttypes.h>
#include <stdlib.h>

#include "ir/diag.h"
#include "ir/lent.h"
#include "ir/sized.h"
#include "passes/pass.h"
#include "runtime/open/opening.h"

enum { TYPE_COLUMN_MAX = 56 }; /* as in ir/print.c */

typedef struct text_writer {
    rt_opening *o;
    const char *name[CG_MAX_SIZES];
    uint32_t next; /* number of the text */
    bool locs;
    ir_buf *out;
} text_writer;

/* -- constants that are made of sizes -- */

/* The line of a node in the text of a graph, whose functions before the last are others. */
static const char *
line_of_node(const char *text, uint32_t node)
{
    const char *head = text;

    for (const char *s = text; (s = strstr(s, "\nfn @")) != NULL;)
        head = ++s;
    while (node-- > 0 && head)
        head = strchr(head, '\n') ? strchr(head, '\n') + 1 : NULL;
    return head;
}

/* A constant stands as "@@0@" in the texts that are compared, which no name is. */
static const char *
with_marks(rt_opening *o, const char *text)
{
    const char *from = text;
    ir_buf b;

    ir_buf_init(&b, o->arena);
    for (uint32_t i = 0; i < o->constants.n; i++) {
        const char *line = line_of_node(text, o->constants.node[i]);
        const char *data = line ? strstr(line, "{data=") : NULL;

        if (!data)
            continue;
        data += strlen("{data=");
        data += *data == '[';
        ir_buf_add(&b, from, (size_t)(data - from));
        ir_buf_printf(&b, "@@%u@", i);
        from = data + strcspn(data, "]}");
    }
    ir_buf_str(&b, from);
    return b.text;
}

static bool
is_single(const cg_polynomial *p)
{
    return p->n == 0 ? p->constant >= 0
                     : p->n == 1 && p->constant == 0 && p->term[0].factor == 1 &&
                           p->term[0].degree == 1;
}

static void
write_polynomial(const text_writer *w, const cg_polynomial *p)
{
    const cg_size_form f = { .whole = *p };
    const bool single = is_single(p);

    ir_buf_str(w->out, single ? "" : "(");
    cg_form_write(w->out, &f, w->name);
    ir_buf_str(w->out, single ? "" : ")");
}

/* As rt_open_constant_at computes it: "-1.0*n" is -0 where n is 0, as -n is not. */
static void
write_constant(const text_writer *w, const cg_open_constant *c)
{
    const bool quotient = c->kind == CG_MADE_QUOTIENT || c->kind == CG_MADE_QUOTIENT_ROOT,
               root = c->kind == CG_MADE_ROOT || c->kind == CG_MADE_QUOTIENT_ROOT;
    const cg_size_form whole = { .whole = c->p };

    if (c->kind == CG_MADE_PLAIN && c->factor == 1) {
        cg_form_write(w->out, &whole, w->name);
        return;
    }
    if (quotient || c->factor != 1)
        ir_buf_printf(w->out, c->kind != CG_MADE_PLAIN || ir_is_int(c->dtype) ? "%.0f" : "%.1f",
                      c->factor);
    ir_buf_str(w->out, quotient ? "/" : c->factor != 1 ? "*" : "");
    ir_buf_str(w->out, root ? "sqrt(" : "");
    if (root)
        cg_form_write(w->out, &whole, w->name);
    else
        write_polynomial(w, &c->p);
    ir_buf_str(w->out, root ? ")" : "");
}

/* -- the text -- */

/* The end of a line's first part that ends with `mark` outside of quotes; NULL: there is
 * none. */
static const char *
find_outside(const char *line, size_t n, const char *mark)
{
    const size_t length = strlen(mark);
    bool quoted = false;

    for (size_t i = 0; i + length <= n; i++) {
        quoted ^= line[i] == '"';
        if (!quoted && memcmp(line + i, mark, length) == 0)
            return line + i;
    }
    return NULL;
}

/* "where n >= 1, n % 4 == 0 " */
static void
write_facts(const text_writer *w)
{
    const rt_sizes *s = w->o->sizes;
    const char *before = " where ";

    for (int i = 0; i < s->n; i++) {
        const rt_size *x = &s->size[i];

        if (x->least > 0) {
            ir_buf_printf(w->out, "%s%s >= %" PRId64, before, x->name, x->least);
            before = ", ";
        }
        if (x->most < RT_OPEN_MOST) {
            ir_buf_printf(w->out, "%s%s <= %" PRId64, before, x->name, x->most);
            before = ", ";
        }
        if (x->multiple > 1) {
            ir_buf_printf(w->out, "%s%s %% %" PRId64 " == 0", before, x->name, x->multiple);
            before = ", ";
        }
    }
}

static bool
ends_with(const char *line, size_t n, const char *end)
{
    const size_t k = strlen(end);

    return n >= k && memcmp(line + n - k, end, k) == 0;
}

/* The head of the last function has the facts of its sizes. */
static void
write_head(const text_writer *w, const char *line, size_t n)
{
    static const char *const behind[] = { " {", " select=guarded", " contract=off" };
    size_t end = n;

    for (int i = 0; i < 3; i++)
        end -= ends_with(line, end, behind[i]) ? strlen(behind[i]) : 0;
    ir_buf_add(w->out, line, end);
    write_facts(w);
    ir_buf_add(w->out, line + end, n - end);
}

/* The text of the first sample with the forms of its numbers and constants. */
static const char *
with_forms(text_writer *w)
{
    const rt_open_graphs *g = &w->o->graphs;
    ir_buf *const out = w->out;
    ir_buf b;

    ir_buf_init(&b, w->o->arena);
    w->out = &b;
    for (const char *at = g->text; *at;) {
        bool is_number;
        const size_t n = rt_open_piece(g->text, at, &is_number);
        const rt_open_number *x = is_number ? &g->number[w->next++] : NULL;

        if (x && x->varies)
            cg_form_write(&b, &x->form, w->name);
        else
            ir_buf_add(&b, at, n);
        at += n;
    }
    const char *text = b.text, *mark;
    ir_buf_init(&b, w->o->arena);
    for (uint32_t i = 0; i < w->o->constants.n; i++) {
        const char *what = ir_format(w->o->arena, "=@@%u@", i),
                   *list = ir_format(w->o->arena, "=[@@%u@", i);

        mark = strstr(text, what);
        mark = mark ? mark + 1 : strstr(text, list) ? strstr(text, list) + 2 : NULL;
        if (!mark)
            continue;
        ir_buf_add(&b, text, (size_t)(mark - text));
        write_constant(w, &w->o->constants.at[i]);
        text = mark + strlen(what) - 1;
    }
    ir_buf_str(&b, text);
    w->out = out;
    return b.text;
}

/* The part of a node's line before its types, without the spaces behind it. */
static size_t
left_of(const char *line, size_t n, const char **types)
{
    const char *colon = *types = find_outside(line, n, " : ");

    while (colon && colon > line && colon[-1] == ' ')
        colon--;
    return colon ? (size_t)(colon - line) : n;
}

static size_t
column_of(const char *body)
{
    size_t column = 0;

    for (const char *line = body; *line && *line != '}'; line += strcspn(line, "\n") + 1) {
        const char *types;
        const size_t n = left_of(line, strcspn(line, "\n"), &types);

        if (types && n > column && n <= TYPE_COLUMN_MAX)
            column = n;
    }
    return column;
}

static void
write_line(const text_writer *w, const char *line, size_t n, size_t column)
{
    const char *types, *loc = find_outside(line, n, " loc(");
    const size_t left = left_of(line, n, &types);

    ir_buf_add(w->out, line, left);
    if (types) {
        for (size_t i = left; i < column; i++)
            ir_buf_str(w->out, " ");
        ir_buf_add(w->out, types,
                   loc && !w->locs ? (size_t)(loc - types) : n - (size_t)(types - line));
    }
}

/* Types stand in a column of each function. */
static void
write_text(text_writer *w)
{
    const char *text = with_forms(w), *last = line_of_node(text, 0);
    size_t column = 0;

    ir_buf_printf(w->out, "format %d\n", IR_FORMAT_SIZED);
    for (const char *line = text; *line;) {
        const size_t n = strcspn(line, "\n");

        if (strncmp(line, "fn @", 4) == 0)
            column = column_of(line + n + (line[n] == '\n'));
        if (line == last)
            write_head(w, line, n);
        else if (line[0] == ' ')
            write_line(w, line, n, column);
        else
            ir_buf_add(w->out, line, n);
        ir_buf_str(w->out, "\n");
        line += n + (line[n] == '\n');
    }
}

/* -- is it the function? -- */

static cot_status
parse_again(rt_opening *o, const ir_sized_text *t, const int64_t *size, ir_graph **out)
{
    int64_t value[IR_MAX_SIZES] = { 0 };
    ir_module m;

    for (int i = 0; i < o->sizes->n; i++) {
        const int at = ir_sizes_find(&t->sizes, o->sizes->size[i].name);
        if (at >= 0)
            value[at] = size[i];
    }
    o->ctx->unfolded = !o->folded;
    const cot_status status = ir_parse_at(t, value, &m);
    o->ctx->unfolded = false;
    *out = status == COT_OK ? m.fn[m.n - 1] : NULL;
    return status;
}

/* What is not there at some size, as an array of fewer than no elements, is not there in either
 * form. */
static cot_status
check_at(rt_opening *o, const ir_sized_text *t, const int64_t *size)
{
    const cot_graph *f;
    ir_graph *g;

    const cot_status is = rt_open_trace_at(o, size, &f);
    cot_error_clear(o->ctx);
    const cot_status has = parse_again(o, t, size, &g);
    cot_error_clear(o->ctx);
    if (is != COT_OK && has != COT_OK)
        return COT_OK;
    if (is == COT_OK && has == COT_OK &&
        (ir_graph_equal(f, g) || (rt_open_is_small(o, size) &&
                                  rt_open_trial_graphs(f, g, o->arena) == RT_TRIAL_AGREES)))
        return COT_OK;
    return rt_open_refuse_at(o, 0, size);
}

static cot_status
check(rt_opening *o, const char *text, size_t n)
{
    const ir_sized_text *t;
    int64_t size[CG_MAX_SIZES];
    int order[IR_MAX_SIZES], found;
    ir_graph *any;

    COT_TRY(ir_read_heads(o->ctx, o->source->name, text, n, &t));
    if (!t)
        return rt_open_refuse(o, 0, "no axis of an argument is open");
    COT_TRY(parse_again(o, t, o->size, &any));
    COT_TRY(ir_sized_order(any, &found, order));
    for (int i = 0; i < o->sizes->n; i++)
        if (ir_sizes_find(&t->sizes, o->sizes->size[i].name) < 0)
            return rt_open_refuse(o, 0,
                                  ir_format(o->arena, "no axis of an argument is as long as %s",
                                            o->sizes->size[i].name));
    for (int i = 0; rt_open_other(o, i, size); i++)
        COT_TRY(check_at(o, t, size));
    return COT_OK;
}

/* -- both ways -- */

static cot_status
print(rt_opening *o, int flags, ir_buf *out)
{
    const char *text[RT_OPEN_SAMPLES], *why;
    text_writer w = { .o = o, .locs = flags & IR_PRINT_LOCS, .out = out };
    uint32_t node;

    COT_TRY(rt_open_trace_samples(o));
    for (int i = 0; i < RT_OPEN_SAMPLES; i++) {
        ir_graph *whole;
        COT_TRY(pass_custom_with_rules(o->traced[i], &whole));
        o->traced[i] = whole;
    }
    rt_open_add_extents(o, o->traced);
    why = rt_open_find_constants(&o->graphs.samples, o->traced, &o->constants, &node);
    if (why)
        return rt_open_refuse(o, o->traced[0]->node[node].loc, why);
    for (int i = 0; i < RT_OPEN_SAMPLES; i++) {
        ir_buf b;

        ir_buf_init(&b, o->arena);
        ir_print(&b, o->traced[i], IR_PRINT_LOCS);
        text[i] = with_marks(o, b.text);
    }
    COT_TRY(rt_open_fit_texts(o, text));
    for (int i = 0; i < o->sizes->n; i++)
        w.name[i] = o->sizes->size[i].name;
    write_text(&w);
    return check(o, out->text, out->n);
}

cot_status
rt_open_print(cot_context *ctx, const rt_open_source *source, const rt_sizes *sizes, int flags,
              ir_buf *out)
{
    cot_status status = COT_OK;

    for (int folded = 1; folded >= 0; folded--) {
        ir_arena *a = ir_arena_take(ctx);
        rt_sizes own = *sizes;
        rt_opening o;
        ir_buf b;

        ir_buf_init(&b, a);
        rt_open_begin(&o, ctx, source, &own, NULL, a);
        o.folded = folded;
        status = print(&o, flags, &b);
        if (status == COT_OK)
            ir_buf_add(out, b.text, b.n);
        ir_arena_give(a);
        if (status != COT_OK && status != COT_ERR_SHAPE)
            return status;
        if (status == COT_OK)
            return status;
        if (folded)
            cot_error_clear(ctx);
    }
    return status;
}
