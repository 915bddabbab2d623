/* Pipelines as text.
 *
 *   pipeline   pass { "|" pass }                     the empty text is the empty pipeline
 *   pass       name [ "(" option { "," option } ")" ]
 *   option     name "=" value
 *   value      integer | "none" | name | "[" [ item { "," item } ] "]" | "[{" dims "}]"
 *   item       integer | "none"
 *
 * wrt also takes names of arguments, and in and out take the dims of names.c.
 *
 * Each row of pass_rows lists the options that its pass takes; any other is an error that lists
 * them. */
#include <stdlib.h>

#include "ir/suggest.h"
#include "ir/diag.h"
#include "ir/number.h"
#include "ir/scan.h"
#include "passes/pass.h"

static const struct {
    const char *name;
    unsigned bit;
} option_names[] = {
    { "wrt", PASS_WRT },
    { "aux", PASS_AUX },
    { "chunk", PASS_CHUNK },
    { "in", PASS_IN },
    { "out", PASS_OUT },
    { "size", PASS_SIZE },
    { "randomness", PASS_RANDOMNESS },
    { "axis", PASS_AXIS },
    { "over", PASS_OVER },
    { "remove", PASS_REMOVE },
    { "strict", PASS_STRICT },
    { "keep", PASS_KEEP },
};
enum { OPTIONS = sizeof option_names / sizeof option_names[0] };

typedef struct pipeline_reader {
    cot_context *ctx;
    const char *text, *at;
    const pass_row *row; /* the pass whose options are read */
    ir_loc loc;          /* of the call with the text; 0: a command line */
} pipeline_reader;

static cot_status
fault(pipeline_reader *r, const char *message)
{
    const char *where = r->row ? r->row->name : "pipeline";
    return ir_fail(r->ctx, r->loc, where, ERR_pipeline, message, (int)(r->at - r->text) + 1,
                   r->text);
}

static bool
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_';
}

/* Reads a word into the context's arena; "" if there is none. */
static const char *
read_word(pipeline_reader *r)
{
    ir_skip_space(&r->at);
    const char *start = r->at;
    while (is_word(*r->at))
        r->at++;
    return ir_format(&r->ctx->arena, "%.*s", (int)(r->at - start), start);
}

static cot_status
read_integer(pipeline_reader *r, int64_t least, int64_t most, int64_t *out)
{
    char *end;
    ir_skip_space(&r->at);
    const char *digits = r->at + (*r->at == '-');
    if (*digits < '0' || *digits > '9')
        return fault(r, "wants an integer");
    const long long x = strtoll(r->at, &end, 10);
    if (x < least || x > most)
        return fault(r, ir_format(&r->ctx->arena,
                                  "the integer is out of range; wants %lld or more",
                                  (long long)least));
    if (is_word(*end))
        return fault(r, "wants an integer");
    r->at = end;
    *out = x;
    return COT_OK;
}

/* Reads an integer or, if `none` is set, the word none. */
static cot_status
read_item(pipeline_reader *r, bool none, int64_t *out)
{
    ir_skip_space(&r->at);
    if (none && strncmp(r->at, "none", 4) == 0 && !is_word(r->at[4])) {
        r->at += 4;
        *out = PASS_NO_AXIS;
        return COT_OK;
    }
    return read_integer(r, INT32_MIN, INT32_MAX, out);
}

/* Reads a list, or a single item (*one). */
static cot_status
read_list(pipeline_reader *r, bool none, int *n, int64_t **items, bool *one)
{
    uint32_t count = 0, cap = 0;
    int64_t x, *list = IR_NEW(&r->ctx->arena, int64_t);
    *one = !ir_accept(&r->at, '[');
    if (*one) {
        COT_TRY(read_item(r, none, list));
        *n = 1, *items = list;
        return COT_OK;
    }
    if (!ir_accept(&r->at, ']')) {
        do {
            COT_TRY(read_item(r, none, &x));
            IR_PUSH(&r->ctx->arena, list, count, cap, x);
        } while (ir_accept(&r->at, ','));
        if (!ir_accept(&r->at, ']'))
            return fault(r, "wants `,` or `]` in the list");
    }
    *n = (int)count, *items = list;
    return COT_OK;
}

/* Does a list of names follow? */
static bool
names_follow(const pipeline_reader *r)
{
    const char *c = r->at + strspn(r->at, " \t\n[");
    return is_word(*c) && !(*c >= '0' && *c <= '9');
}

/* Reads [a, b.c], and returns the text between the brackets. */
static cot_status
read_names(pipeline_reader *r, char open, char close, const char **out)
{
    int depth = 1;
    if (!ir_accept(&r->at, open))
        return fault(r, "wants a list of names");
    const char *start = r->at;
    for (; *r->at && depth > 0; r->at++)
        depth += (*r->at == open) - (*r->at == close);
    if (depth > 0)
        return fault(r, "wants the end of the list of names");
    *out = ir_format(&r->ctx->arena, "%.*s", (int)(r->at - 1 - start), start);
    return COT_OK;
}

static cot_status
read_wrt(pipeline_reader *r, pass_wrt *wrt, const char **names)
{
    int64_t *items;
    bool one;
    if (names_follow(r))
        return read_names(r, '[', ']', names);
    COT_TRY(read_list(r, false, &wrt->n, &items, &one));
    int *arg = IR_NEW_N(&r->ctx->arena, int, wrt->n + 1);
    for (int i = 0; i < wrt->n; i++)
        arg[i] = (int)items[i];
    wrt->arg = arg;
    return COT_OK;
}

static cot_status
read_dims(pipeline_reader *r, pass_dims *dims, const char **names)
{
    int64_t *items;
    const char *before = (ir_skip_space(&r->at), r->at);
    if (ir_accept(&r->at, '[') && (ir_skip_space(&r->at), *r->at == '{')) {
        COT_TRY(read_names(r, '{', '}', names));
        return ir_accept(&r->at, ']') ? COT_OK : fault(r, "wants `]` after the names");
    }
    r->at = before;
    COT_TRY(read_list(r, true, &dims->n, &items, &dims->one));
    dims->at = items;
    return COT_OK;
}

/* Reads one of a list of words, and returns its position. */
static cot_status
read_choice(pipeline_reader *r, const char *const *choice, int n, int *out)
{
    const char *word = read_word(r);
    for (int i = 0; i < n; i++)
        if (strcmp(choice[i], word) == 0) {
            *out = i;
            return COT_OK;
        }
    const char *list = choice[0];
    for (int i = 1; i < n; i++)
        list = ir_format(&r->ctx->arena, "%s, %s", list, choice[i]);
    return fault(r, ir_format(&r->ctx->arena, "found `%s`; wants one of %s", word, list));
}

static cot_status
read_value(pipeline_reader *r, unsigned bit, pass_options *o)
{
    static const char *const randomness[] = { "error", "different", "same" };
    static const char *const remove[] = { "mutations", "mutations_and_views" };
    static const char *const keep[] = { "nothing", "products" };
    int64_t x;
    int choice;
    switch (bit) {
    case PASS_WRT: return read_wrt(r, &o->wrt, &o->wrt_names);
    case PASS_AUX:
        COT_TRY(read_integer(r, 0, INT32_MAX, &x));
        o->aux = (int)x;
        return COT_OK;
    case PASS_CHUNK:
        COT_TRY(read_integer(r, 1, INT64_MAX, &x));
        o->chunk = o->vmap.chunk = x;
        return COT_OK;
    case PASS_IN: return read_dims(r, &o->vmap.in, &o->in_names);
    case PASS_OUT: return read_dims(r, &o->vmap.out, &o->out_names);
    case PASS_SIZE: o->vmap.sized = true; return read_integer(r, 0, INT64_MAX, &o->vmap.size);
    case PASS_RANDOMNESS: return read_choice(r, randomness, 3, &o->vmap.randomness);
    case PASS_REMOVE:
        COT_TRY(read_choice(r, remove, 2, &choice));
        o->remove_views = choice == 1;
        return COT_OK;
    case PASS_KEEP:
        COT_TRY(read_choice(r, keep, 2, &choice));
        o->keep_products = choice == 1;
        return COT_OK;
    case PASS_OVER:
        o->vmap.over = read_word(r);
        return *o->vmap.over ? COT_OK : fault(r, "wants world");
    case PASS_STRICT:
        COT_TRY(read_integer(r, 0, 1, &x));
        o->strict = x != 0;
        return COT_OK;
    default:
        o->vmap.axis_name = read_word(r);
        return *o->vmap.axis_name ? COT_OK : fault(r, "wants a name for the axis");
    }
}

static const char *
options_of(cot_context *ctx, const pass_row *row)
{
    const char *list = NULL;
    for (int i = 0; i < OPTIONS; i++)
        if (row->takes & option_names[i].bit)
            list = list ? ir_format(&ctx->arena, "%s, %s", list, option_names[i].name)
                        : option_names[i].name;
    return list ? list : "none";
}

static cot_status
read_option(pipeline_reader *r, pass_options *o, unsigned *given)
{
    ir_skip_space(&r->at);
    const char *start = r->at, *name = read_word(r);
    unsigned bit = 0;
    for (int i = 0; i < OPTIONS; i++)
        if (strcmp(option_names[i].name, name) == 0)
            bit = option_names[i].bit;
    if (!(bit & r->row->takes) || (bit & *given)) {
        ir_suggestion s = ir_suggest(name);
        for (int i = 0; i < OPTIONS; i++)
            if (r->row->takes & option_names[i].bit)
                ir_suggest_try(&s, option_names[i].name);
        r->at = start;
        return fault(r, bit & *given
                            ? ir_format(&r->ctx->arena, "option `%s` is given twice", name)
                            : ir_format(&r->ctx->arena, "has no option `%s`; its options: %s%s",
                                        name, options_of(r->ctx, r->row), ir_suggest_text(&s)));
    }
    *given |= bit;
    if (!ir_accept(&r->at, '='))
        return fault(r, "wants `=` after the option's name");
    return read_value(r, bit, o);
}

static cot_status
read_step(pipeline_reader *r, pass_step *step)
{
    unsigned given = 0;
    r->row = NULL;
    ir_skip_space(&r->at);
    const char *start = r->at, *name = read_word(r);
    step->row = pass_find(name);
    step->options = pass_default_options();
    if (!*name) {
        r->at = start;
        return fault(r, "a pass is missing; wants its name, as in `grad | vmap`");
    }
    if (!step->row) {
        ir_suggestion s = ir_suggest(name);
        const char *list = "";
        for (int i = 0; i < pass_row_count; i++) {
            ir_suggest_try(&s, pass_rows[i].name);
            list = ir_format(&r->ctx->arena, "%s%s%s", list, i ? ", " : "", pass_rows[i].name);
        }
        r->at = start;
        return fault(r, ir_format(&r->ctx->arena, "no pass is called `%s`; the passes: %s%s",
                                  name, list, ir_suggest_text(&s)));
    }
    r->row = step->row;
    if (!ir_accept(&r->at, '(') || ir_accept(&r->at, ')'))
        return COT_OK;
    do
        COT_TRY(read_option(r, &step->options, &given));
    while (ir_accept(&r->at, ','));
    return ir_accept(&r->at, ')') ? COT_OK : fault(r, "wants `,` or `)` after an option");
}

cot_status
pass_parse(cot_context *ctx, ir_loc loc, const char *text, int *n, const pass_step **steps)
{
    const char *begin = text ? text : "";
    pipeline_reader r = { .ctx = ctx, .loc = loc, .text = begin, .at = begin };
    pass_step *list = NULL;
    uint32_t count = 0, cap = 0;
    ir_skip_space(&r.at);
    if (*r.at) {
        do {
            pass_step step;
            COT_TRY(read_step(&r, &step));
            IR_PUSH(&ctx->arena, list, count, cap, step);
        } while (ir_accept(&r.at, '|'));
        if (*r.at)
            return fault(&r, "wants `|` between passes");
    }
    *n = (int)count, *steps = list;
    return COT_OK;
}

cot_status
pass_pipeline(const ir_graph *f, const char *text, pass_after *after, void *user,
              ir_graph **out)
{
    int n;
    const pass_step *step;
    ir_graph *g = (ir_graph *)f;
    COT_TRY(pass_parse(f->ctx, 0, text, &n, &step));
    for (int i = 0; i < n; i++) {
        const ir_graph *before = g;
        COT_TRY(pass_run(step[i].row, before, &step[i].options, &g));
        if (after)
            after(user, step[i].row->name, before, g);
    }
    *out = g;
    return COT_OK;
}
