/* The attributes of a node, from text: one reader for each kind of field (ir/attrs.def), and
 * defaults for those that are left out. */
#include "ir/parse.h"
#include "ir/suggest.h"

/* What is wanted where a function of another name stands. */
static const char *
functions_above(ir_parser *p, const char *name)
{
    enum { LISTED = 6 };
    ir_suggestion s = ir_suggest(name);
    const char *list = "";

    for (uint32_t i = 0; i < p->n_fn; i++) {
        ir_suggest_try(&s, p->fn[i]->name);
        if (i < LISTED)
            list = ir_format(p->r.a, "%s%s@%s", list, i ? ", " : ": ", p->fn[i]->name);
    }
    return ir_format(p->r.a, "a function defined above%s%s%s",
                     p->n_fn == 0 ? ", and none is" : list, p->n_fn > LISTED ? ", ..." : "",
                     ir_suggest_text(&s));
}

/* A function that is defined above, by its name; NULL after an error. */
static ir_graph *
function(ir_parser *p)
{
    if (!ir_read_expect(&p->r, "@"))
        return NULL;
    const char *start = p->r.at, *s = ir_read_word(&p->r, "the name of a function");
    for (uint32_t i = p->n_fn; s && i-- > 0;)
        if (strcmp(p->fn[i]->name, s) == 0)
            return p->fn[i];
    p->r.at = start - 1;
    if (s)
        ir_read_wants(&p->r, functions_above(p, s));
    return NULL;
}

static bool
graphs(ir_parser *p, ir_graphs *out)
{
    ir_graph **list = NULL;
    uint32_t n = 0, cap = 0;
    if (!ir_read_expect(&p->r, "["))
        return false;
    while (!ir_read_try(&p->r, "]")) {
        if (n && !ir_read_expect(&p->r, ","))
            return false;
        ir_graph *f = function(p);
        if (!f)
            return false;
        IR_PUSH(p->r.a, list, n, cap, f);
    }
    *out = (ir_graphs){ (int)n, list };
    return true;
}

static bool
axes(ir_parser *p, ir_axes *out)
{
    ir_ints list;
    *out = 0;
    if (!ir_read_ints(&p->r, &list))
        return false;
    for (int i = 0; i < list.n; i++) {
        if (list.at[i] < 0 || list.at[i] >= COT_MAX_RANK || ir_axes_has(*out, (int)list.at[i]))
            return ir_read_wants(&p->r, "distinct axes from 0 to 63 before this");
        *out |= ir_axes_of((int)list.at[i]);
    }
    return true;
}

static bool
flag(ir_parser *p, int *out)
{
    *out = ir_read_try(&p->r, "true");
    return *out || ir_read_expect(&p->r, "false");
}

static bool
mode(ir_parser *p, int *out)
{
    for (*out = 0; *out < IR_MODE_COUNT; ++*out)
        if (ir_read_try(&p->r, ir_mode_name[*out]))
            return true;
    return ir_read_wants(&p->r, "clip, fill or promise");
}

/* "..." with \xHH for any byte. */
static bool
text(ir_parser *p, const char **out)
{
    ir_buf b;
    ir_buf_init(&b, p->r.a);
    if (!ir_read_expect(&p->r, "\""))
        return false;
    for (; p->r.at < p->r.end && *p->r.at != '"' && *p->r.at != '\n'; p->r.at++) {
        unsigned byte = 0;
        if (*p->r.at != '\\') {
            ir_buf_add(&b, p->r.at, 1);
            continue;
        }
        if (p->r.end - p->r.at < 4 || p->r.at[1] != 'x' ||
            sscanf(p->r.at + 2, "%2x", &byte) != 1 || !byte)
            return ir_read_wants(&p->r, "\\x and two hexadecimal digits, not 00");
        ir_buf_add(&b, &(char){ (char)byte }, 1);
        p->r.at += 3;
    }
    *out = ir_intern(p->r.ctx, b.text ? b.text : "");
    return ir_read_expect(&p->r, "\"");
}

/* Skips the data of a constant, whose type comes later. */
static bool
skip_data(ir_parser *p, ir_node_text *n)
{
    ir_read_skip(&p->r);
    n->data_at = p->r.at;
    n->data_line = p->r.line;
    int depth = 0;
    for (; p->r.at < p->r.end; p->r.at++) {
        if (depth == 0 && (*p->r.at == '}' || *p->r.at == ',' || *p->r.at == '\n'))
            break;
        depth += *p->r.at == '[' || *p->r.at == '(';
        depth -= *p->r.at == ']' || *p->r.at == ')';
        p->r.line += *p->r.at == '\n';
    }
    return true;
}

static bool
field(ir_parser *p, const ir_field *f, ir_node_text *n)
{
    void *at = (char *)&n->at + f->offset;
    switch (f->kind) {
    case IR_F_INT: return ir_read_integer(&p->r, at);
    case IR_F_INTS: return ir_read_ints(&p->r, at);
    case IR_F_AXES: return axes(p, at);
    case IR_F_DTYPE: return (*(cot_dtype *)at = ir_read_dtype(&p->r)) != 0;
    case IR_F_FLAG: return flag(p, at);
    case IR_F_MODE: return mode(p, at);
    case IR_F_DATA: return skip_data(p, n);
    case IR_F_GRAPH: return (*(ir_graph **)at = function(p)) != NULL;
    case IR_F_GRAPHS: return graphs(p, at);
    case IR_F_TEXT: return text(p, at);
    }
    return false;
}

static void
set_default(const ir_field *f, ir_node_text *n)
{
    void *at = (char *)&n->at + f->offset;
    if (f->init == IR_REQUIRED)
        return;
    if (f->kind == IR_F_INT)
        *(int64_t *)at = f->init;
    else if (f->kind == IR_F_INTS)
        *(ir_ints *)at = (ir_ints){ 0, NULL };
    else if (f->kind == IR_F_GRAPHS)
        *(ir_graphs *)at = (ir_graphs){ 0, NULL };
    else if (f->kind == IR_F_TEXT)
        *(const char **)at = NULL;
    else if (f->kind == IR_F_DTYPE)
        *(cot_dtype *)at = (cot_dtype)f->init;
    else
        *(int *)at = (int)f->init;
}

static bool
no_attribute(ir_parser *p, ir_op op, const char *name, bool twice)
{
    int fields;
    const ir_field *f = ir_record_fields(ir_ops[op].record, &fields);
    ir_suggestion s = ir_suggest(name);
    const char *list = "none";

    for (int i = 0; i < fields; i++) {
        ir_suggest_try(&s, f[i].name);
        list = i ? ir_format(p->r.a, "%s, %s", list, f[i].name) : f[i].name;
    }
    return ir_read_wants(&p->r,
                         twice ? ir_format(p->r.a, "'%s' once", name)
                               : ir_format(p->r.a, "an attribute of %s, not '%s'; it has %s%s",
                                           ir_ops[op].name, name, list, ir_suggest_text(&s)));
}

bool
ir_parse_attributes(ir_parser *p, ir_node_text *n)
{
    int fields;
    const ir_field *f = ir_record_fields(ir_ops[n->op].record, &fields);
    uint32_t given = 0;
    for (int i = 0; i < fields; i++)
        set_default(&f[i], n);
    if (ir_read_try(&p->r, "{") && !ir_read_try(&p->r, "}"))
        do {
            const char *name = ir_read_word(&p->r, "the name of an attribute");
            int i = 0;
            while (name && i < fields && strcmp(f[i].name, name) != 0)
                i++;
            if (!name || i == fields || (given >> i & 1))
                return name && no_attribute(p, n->op, name, i < fields);
            given |= 1u << i;
            if (!ir_read_expect(&p->r, "=") || !field(p, &f[i], n))
                return false;
        } while (ir_read_try(&p->r, ",") ||
                 (!ir_read_try(&p->r, "}") && ir_read_wants(&p->r, "',' or '}'")));
    for (int i = 0; i < fields && !p->r.failed; i++)
        if (f[i].init == IR_REQUIRED && !(given >> i & 1))
            return ir_read_wants(&p->r, ir_format(p->r.a, "the attribute %s of %s", f[i].name,
                                                  ir_ops[n->op].name));
    return !p->r.failed;
}
