/* Text to graphs, as docs/ir.md specifies it.
 *
 * A reader by recursive descent over the bytes of the text; functions must be defined before they are
 * used, so there is no recursion to bound.  Nodes go through the builder: what it would refuse is
 * refused here, at the line of the node. */
#include "ir/build.h"
#include "ir/scalar.h"

#include <errno.h>
#include <stdlib.h>

typedef struct parser {
    cot_context *ctx;
    ir_arena *a; /* scratch; ends with the context */
    const char *file, *at, *end;
    int line;
    bool failed;
    ir_build *b;       /* the function being read */
    const char **name; /* its values by name */
    ir_ref *ref;
    uint32_t n_name, cap_name, n_ref, cap_ref;
    ir_map index;
    ir_graph **fn;
    uint32_t n_fn, cap_fn;
} parser;

/* An error at the current line: what was found; what was wanted. */
static bool
wants(parser *p, const char *want)
{
    if (!p->failed) {
        char found[40] = "found the end of the text";
        while (p->at < p->end && *p->at == ' ')
            p->at++;
        size_t n = (size_t)(p->end - p->at);
        if (n) {
            size_t k = 0;
            while (k < n && k < 12 && p->at[k] > ' ')
                k++;
            snprintf(found, sizeof found, "found '%.*s'", (int)(k ? k : 1), p->at);
            if (*p->at == '\n' || *p->at == '\r')
                snprintf(found, sizeof found, "found the end of the line");
        }
        ir_fail(p->ctx, ir_loc_file(p->ctx, p->file, p->line), NULL, ERR_parse, found, want);
        p->failed = true;
    }
    return false;
}

/* Spaces, newlines, and comments from ';' to the end of the line. */
static void
skip(parser *p)
{
    for (; p->at < p->end; p->at++) {
        if (*p->at == ';') {
            while (p->at < p->end && *p->at != '\n')
                p->at++;
            if (p->at == p->end)
                return;
        }
        if (*p->at == '\n')
            p->line++;
        else if (*p->at != ' ' && *p->at != '\t' && *p->at != '\r')
            return;
    }
}

static bool
try_text(parser *p, const char *s)
{
    size_t n = strlen(s);
    skip(p);
    if (p->failed || (size_t)(p->end - p->at) < n || memcmp(p->at, s, n) != 0)
        return false;
    p->at += n;
    return true;
}

static bool
expect(parser *p, const char *s)
{
    return try_text(p, s) || wants(p, ir_format(p->a, "'%s'", s));
}

static bool
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '.' || c == '$' || c == '-';
}

/* A word; NULL after an error. */
static const char *
word(parser *p, const char *want)
{
    skip(p);
    const char *s = p->at;
    while (p->at < p->end && is_word(*p->at))
        p->at++;
    if (p->at == s) {
        wants(p, want);
        return NULL;
    }
    return memcpy(ir_alloc(p->a, (size_t)(p->at - s) + 1), s, (size_t)(p->at - s));
}

/* 0x says sixteen; a leading zero says nothing. */
static int
base_of(const char *s)
{
    s += *s == '-';
    return s[0] == '0' && (s[1] == 'x' || s[1] == 'X') ? 16 : 10;
}

static bool
integer(parser *p, int64_t *x)
{
    skip(p);
    const char *start = p->at;
    const char *s = word(p, "an integer");
    char *rest;
    if (!s)
        return false;
    errno = 0;
    *x = strtoll(s, &rest, base_of(s));
    if (errno || *rest) {
        p->at = start;
        return wants(p, "an integer");
    }
    return true;
}

static bool
ints(parser *p, ir_ints *out)
{
    int64_t *list = NULL, x = 0;
    uint32_t n = 0, cap = 0;
    if (!expect(p, "["))
        return false;
    if (!try_text(p, "]"))
        do {
            if (!integer(p, &x))
                return false;
            IR_PUSH(p->a, list, n, cap, x);
        } while (try_text(p, ",") || (!expect(p, "]") && false) ||
                 (p->at[-1] != ']' && !p->failed));
    *out = (ir_ints){ (int)n, list };
    return !p->failed;
}

static cot_dtype
dtype(parser *p)
{
    skip(p);
    const char *start = p->at, *s = word(p, "an element type");
    for (int t = COT_BOOL; s && t < COT_DTYPE_COUNT; t++)
        if (strcmp(s, cot_dtype_name((cot_dtype)t)) == 0)
            return (cot_dtype)t;
    p->at = start;
    wants(p, "an element type");
    return COT_DTYPE_NONE;
}

static const ir_type *
type(parser *p)
{
    ir_ints dims;
    cot_dtype t = dtype(p);
    if (!t || !ints(p, &dims))
        return NULL;
    if (dims.n > COT_MAX_RANK) {
        wants(p, "at most 64 axes");
        return NULL;
    }
    p->ctx->here = (ir_here){ ir_loc_file(p->ctx, p->file, p->line), NULL };
    const ir_type *made = ir_type_new(p->ctx, t, dims.n, dims.at);
    p->ctx->here = (ir_here){ 0, NULL };
    p->failed |= made == NULL;
    return made;
}

static void
define(parser *p, const char *name, ir_ref v)
{
    IR_PUSH(p->a, p->name, p->n_name, p->cap_name, name);
    IR_PUSH(p->a, p->ref, p->n_ref, p->cap_ref, v);
    ir_map_add(&p->index, ir_hash(0, name, strlen(name)), p->n_name);
}

static ir_ref
lookup(parser *p, const char *name)
{
    uint32_t at = 0, id;
    while ((id = ir_map_next(&p->index, ir_hash(0, name, strlen(name)), &at)))
        if (strcmp(p->name[id - 1], name) == 0)
            return p->ref[id - 1];
    return IR_NONE;
}

static ir_ref
value(parser *p)
{
    if (!expect(p, "%"))
        return IR_NONE;
    const char *start = p->at, *s = word(p, "the name of a value");
    ir_ref v = s ? lookup(p, s) : IR_NONE;
    if (!v && !p->failed) {
        p->at = start - 1;
        wants(p, "a value defined above");
    }
    return v;
}

static ir_graph *
function(parser *p)
{
    if (!expect(p, "@"))
        return NULL;
    const char *start = p->at, *s = word(p, "the name of a function");
    for (uint32_t i = p->n_fn; s && i-- > 0;)
        if (strcmp(p->fn[i]->name, s) == 0)
            return p->fn[i];
    p->at = start - 1;
    wants(p, "a function defined above");
    return NULL;
}

/* Numbers ------------------------------------------------------------------------------------ */

static void
store_float(cot_dtype t, const char *s, char **rest, void *out)
{
    if (t == COT_F64)
        *(double *)out = strtod(s, rest);
    else if (t == COT_F32)
        *(float *)out = strtof(s, rest);
    else
        *(uint16_t *)out =
            t == COT_F16 ? ir_f32_to_f16(strtof(s, rest)) : ir_f32_to_bf16(strtof(s, rest));
}

/* One number of a constant: decimal; for floats also nan, inf, and 0x with the bits. */
static bool
element(parser *p, cot_dtype t, void *out)
{
    skip(p);
    const char *start = p->at;
    if (p->at < p->end && *p->at == '+')
        p->at++;
    const char *s = word(p, "a number");
    if (!s)
        return false;
    if (p->at < p->end && *p->at == '+' && (p->at[-1] == 'e' || p->at[-1] == 'E')) {
        p->at++;
        const char *more = word(p, "an exponent");
        s = more ? ir_format(p->a, "%s%s", s, more) : s;
    }
    char *rest = NULL;
    size_t bytes = cot_dtype_size(t);
    errno = 0;
    if (t == COT_BOOL) {
        bool yes = strcmp(s, "true") == 0;
        *(uint8_t *)out = yes;
        rest = yes || strcmp(s, "false") == 0 ? "" : "?";
    } else if (!ir_is_float(t) || (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))) {
        unsigned long long x =
            s[0] == '-' ? (unsigned long long)strtoll(s, &rest, base_of(s)) : strtoull(s, &rest, base_of(s));
        int64_t low = ir_is_signed(t) ? INT64_MIN >> (64 - 8 * bytes) : 0;
        uint64_t high = ir_is_signed(t) ? (uint64_t)1 << (8 * bytes - 1)
                        : bytes == 8    ? UINT64_MAX
                                        : (1ull << 8 * bytes);
        if (s[0] == '-' ? (int64_t)x < low : bytes == 8 && !ir_is_signed(t) ? false : x >= high)
            errno = ERANGE;
        memcpy(out, &x, bytes);
        if (errno == 0 && *rest == '\0')
            return true;
        p->at = start;
        return wants(p, ir_format(p->a, "a number that fits %s", cot_dtype_name(t)));
    } else {
        store_float(t, s, &rest, out);
    }
    if (*rest) {
        p->at = start;
        return wants(p, "a number");
    }
    return true;
}

/* The bytes of a large constant that this context has printed by its hash: found in its graphs. */
static bool
data_by_hash(parser *p, const ir_type *t, ir_data *out)
{
    const char *s = word(p, "the hash of a constant");
    uint64_t hash = s ? strtoull(s, NULL, 16) : 0;
    for (uint32_t i = 0; s && i < p->n_fn; i++)
        ir_each_node(n, p->fn[i])
            if (n->op == OP_constant && n->at.constant.data.hash == hash &&
                n->at.constant.data.type == t) {
                *out = n->at.constant.data;
                return true;
            }
    return s && wants(p, "the elements: a constant printed by its hash needs its bytes");
}

/* The text of a constant's data, read when the declared type is known. */
static bool
data(parser *p, const ir_type *t, ir_data *out)
{
    union {
        uint64_t bits;
        double d;
    } one = { 0 };
    size_t size = cot_dtype_size(t->dtype);
    if (try_text(p, "#"))
        return data_by_hash(p, t, out);
    if (!try_text(p, "[")) {
        if (!element(p, t->dtype, &one))
            return false;
        *out = ir_data_splat(p->a, t, &one);
        return true;
    }
    ir_buf bytes;
    ir_buf_init(&bytes, p->a);
    int64_t n = 0;
    for (; !try_text(p, "]"); n++) {
        if ((n && !expect(p, ",")) || !element(p, t->dtype, &one))
            return false;
        ir_buf_add(&bytes, (const char *)&one, size);
    }
    if (n != t->size)
        return wants(
            p, ir_format(p->a, "%lld elements, not %lld", (long long)t->size, (long long)n));
    *out = ir_data_new(p->a, t, bytes.text ? bytes.text : "");
    return true;
}

/* Nodes -------------------------------------------------------------------------------------- */

typedef struct node_text {
    ir_op op;
    ir_attrs at;
    ir_ref *in;
    uint32_t n_in, cap_in;
    const char **out;
    uint32_t n_out, cap_out;
    const char *data_at; /* where the data of a constant begins */
    int data_line;
} node_text;

static bool
graphs(parser *p, ir_graphs *out)
{
    ir_graph **list = NULL;
    uint32_t n = 0, cap = 0;
    if (!expect(p, "["))
        return false;
    while (!try_text(p, "]")) {
        if (n && !expect(p, ","))
            return false;
        ir_graph *f = function(p);
        if (!f)
            return false;
        IR_PUSH(p->a, list, n, cap, f);
    }
    *out = (ir_graphs){ (int)n, list };
    return true;
}

static bool
axes(parser *p, ir_axes *out)
{
    ir_ints list;
    *out = 0;
    if (!ints(p, &list))
        return false;
    for (int i = 0; i < list.n; i++) {
        if (list.at[i] < 0 || list.at[i] >= COT_MAX_RANK || ir_axes_has(*out, (int)list.at[i]))
            return wants(p, "distinct axes from 0 to 63 before this");
        *out |= ir_axes_of((int)list.at[i]);
    }
    return true;
}

static bool
flag(parser *p, int *out)
{
    *out = try_text(p, "true");
    return *out || expect(p, "false");
}

static bool
mode(parser *p, int *out)
{
    for (*out = 0; *out < IR_MODE_COUNT; ++*out)
        if (try_text(p, ir_mode_name[*out]))
            return true;
    return wants(p, "clip, fill or promise");
}

/* "..." with \xHH for any byte. */
static bool
text(parser *p, const char **out)
{
    ir_buf b;
    ir_buf_init(&b, p->a);
    if (!expect(p, "\""))
        return false;
    for (; p->at < p->end && *p->at != '"' && *p->at != '\n'; p->at++) {
        unsigned byte = 0;
        if (*p->at != '\\') {
            ir_buf_add(&b, p->at, 1);
            continue;
        }
        if (p->end - p->at < 4 || p->at[1] != 'x' || sscanf(p->at + 2, "%2x", &byte) != 1 || !byte)
            return wants(p, "\\x and two hexadecimal digits, not 00");
        ir_buf_add(&b, &(char){ (char)byte }, 1);
        p->at += 3;
    }
    *out = ir_intern(p->ctx, b.text ? b.text : "");
    return expect(p, "\"");
}

/* Skip the data of a constant: its type comes later. */
static bool
skip_data(parser *p, node_text *n)
{
    skip(p);
    n->data_at = p->at;
    n->data_line = p->line;
    int depth = 0;
    for (; p->at < p->end; p->at++) {
        if (depth == 0 && (*p->at == '}' || *p->at == ',' || *p->at == '\n'))
            break;
        depth += *p->at == '[';
        depth -= *p->at == ']';
        p->line += *p->at == '\n';
    }
    return true;
}

static bool
field(parser *p, const ir_field *f, node_text *n)
{
    void *at = (char *)&n->at + f->offset;
    switch (f->kind) {
    case IR_F_INT: return integer(p, at);
    case IR_F_INTS: return ints(p, at);
    case IR_F_AXES: return axes(p, at);
    case IR_F_DTYPE: return (*(cot_dtype *)at = dtype(p)) != 0;
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
set_default(const ir_field *f, node_text *n)
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
attributes(parser *p, node_text *n)
{
    int fields;
    const ir_field *f = ir_record_fields(ir_ops[n->op].record, &fields);
    uint32_t given = 0;
    for (int i = 0; i < fields; i++)
        set_default(&f[i], n);
    if (try_text(p, "{") && !try_text(p, "}"))
        do {
            const char *name = word(p, "the name of an attribute");
            int i = 0;
            while (name && i < fields && strcmp(f[i].name, name) != 0)
                i++;
            if (!name || i == fields || (given >> i & 1))
                return name && wants(p, ir_format(p->a, "an attribute of %s, once, not '%s'",
                                                  ir_ops[n->op].name, name));
            given |= 1u << i;
            if (!expect(p, "=") || !field(p, &f[i], n))
                return false;
        } while (try_text(p, ",") || (!try_text(p, "}") && wants(p, "',' or '}'")));
    for (int i = 0; i < fields && !p->failed; i++)
        if (f[i].init == IR_REQUIRED && !(given >> i & 1))
            return wants(
                p, ir_format(p->a, "the attribute %s of %s", f[i].name, ir_ops[n->op].name));
    return !p->failed;
}

/* The types declared after ':', compared with those inferred; `first` for constants. */
static bool
declared(parser *p, uint32_t n, const ir_type **out)
{
    bool list = n != 1 && try_text(p, "(");
    for (uint32_t i = 0; i < n; i++)
        if ((i && !expect(p, ",")) || !(out[i] = type(p)))
            return false;
    return !list || expect(p, ")");
}

static ir_loc
location(parser *p, int line)
{
    ir_loc loc = ir_loc_file(p->ctx, p->file, line);
    int64_t number;
    if (!try_text(p, "loc("))
        return loc;
    for (bool first = true; first || try_text(p, ","); first = false) {
        if (!expect(p, "\""))
            return loc;
        const char *s = p->at;
        while (p->at < p->end && *p->at != '"' && *p->at != '\n')
            p->at++;
        char *text = memcpy(ir_alloc(p->a, (size_t)(p->at - s) + 1), s, (size_t)(p->at - s));
        if (!expect(p, "\"") || (first && (!expect(p, ":") || !integer(p, &number))))
            return loc;
        loc = first ? ir_loc_file(p->ctx, text, (int)number) : ir_loc_derive(p->ctx, loc, text);
    }
    expect(p, ")");
    return loc;
}

static bool
constant_data(parser *p, node_text *n, const ir_type *t)
{
    const char *at = p->at;
    int line = p->line;
    p->at = n->data_at;
    p->line = n->data_line;
    if (!data(p, t, &n->at.constant.data))
        return false;
    p->at = at;
    p->line = line;
    return true;
}

static bool
finish_node(parser *p, node_text *n, const ir_type *const *declared_type, int line)
{
    ir_ref *out = IR_NEW_N(p->a, ir_ref, ir_max_results(n->op, &n->at));
    cot_context *ctx = p->ctx;
    int results = ir_add_node(p->b, n->op, (int)n->n_in, n->in, &n->at, out);
    if (p->b->status != COT_OK) {
        p->failed = true;
        return false;
    }
    if (results != (int)n->n_out) {
        ir_fail(ctx, ir_loc_file(ctx, p->file, line), ir_ops[n->op].name, ERR_sub_count, "node",
                (int)n->n_out, "names of results", results);
        p->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < n->n_out; i++) {
        const ir_type *t = ir_btype(p->b, out[i]);
        if (t != declared_type[i]) {
            ir_fail(ctx, ir_loc_file(ctx, p->file, line), ir_ops[n->op].name, ERR_type_declared,
                    (int)i, ir_type_str(ctx, declared_type[i]), ir_type_str(ctx, t));
            p->failed = true;
            return false;
        }
        if (lookup(p, n->out[i]))
            return wants(p, ir_format(p->a, "a new name before this: %%%s is defined already",
                                      n->out[i]));
        define(p, n->out[i], out[i]);
    }
    return true;
}

/* The names before '='; an op without results has none. */
static bool
results_of(parser *p, node_text *n)
{
    skip(p);
    if (p->at < p->end && *p->at != '%')
        return true;
    do {
        const char *name = expect(p, "%") ? word(p, "the name of a result") : NULL;
        if (!name)
            return false;
        IR_PUSH(p->a, n->out, n->n_out, n->cap_out, name);
    } while (try_text(p, ","));
    return expect(p, "=");
}

/* %0, %1 = op %x, %y {name=...} : type loc(...) */
static bool
node(parser *p)
{
    node_text n = { 0 };
    int line = p->line;
    if (!results_of(p, &n))
        return false;
    skip(p);
    line = p->line;
    const char *start = p->at, *op = word(p, "the name of an op");
    if (!op)
        return false;
    if (!(n.op = ir_op_find(op))) {
        p->at = start;
        return wants(p, "the name of an op");
    }
    skip(p);
    while (p->at < p->end && (*p->at == '%' || n.n_in)) {
        if (n.n_in && !try_text(p, ","))
            break;
        ir_ref v = value(p);
        if (!v)
            return false;
        IR_PUSH(p->a, n.in, n.n_in, n.cap_in, v);
    }
    const ir_type **types = IR_NEW_N(p->a, const ir_type *, n.n_out);
    if (!attributes(p, &n) || !expect(p, ":") || !declared(p, n.n_out, types) ||
        (n.op == OP_constant && !constant_data(p, &n, types[0])))
        return false;
    p->b->loc = location(p, line);
    return !p->failed && finish_node(p, &n, types, line);
}

static bool
inputs(parser *p)
{
    if (!expect(p, "("))
        return false;
    for (bool first = true; !try_text(p, ")"); first = false) {
        if (!first && !expect(p, ","))
            return false;
        ir_hidden hidden = { try_text(p, "hidden ")      ? IR_HIDDEN_ARRAY
                             : try_text(p, "generator ") ? IR_HIDDEN_KEY
                                                         : IR_SEEN,
                             NULL };
        if (!expect(p, "%"))
            return false;
        const char *name = word(p, "the name of an argument");
        if (!name || !expect(p, ":"))
            return false;
        if (lookup(p, name))
            return wants(
                p,
                ir_format(p->a, "a new name before this: %%%s is an argument already", name));
        if (try_text(p, "inout "))
            ir_inout_arg(p->b, (int)p->b->n_in, 0);
        const ir_type *t = type(p);
        if (!t)
            return false;
        if (hidden.kind == IR_HIDDEN_KEY && !(t->dtype == COT_U64 && t->rank == 1 && t->dims[0] == 2))
            return wants(p, "the type u64[2] for a generator");
        define(p, name, ir_input_hidden(p->b, t, name, hidden));
    }
    return true;
}

/* -> type, or -> (type, name: type, ...) */
static bool
outputs(parser *p, const ir_type ***types, const char ***names, uint32_t *n)
{
    uint32_t cap = 0, cap_names = 0, n_names = 0;
    *types = NULL, *names = NULL, *n = 0;
    if (!expect(p, "->"))
        return false;
    bool list = try_text(p, "(");
    if (list && try_text(p, ")"))
        return true;
    do {
        skip(p);
        const char *start = p->at, *s = word(p, "a type"), *name = NULL;
        if (!s)
            return false;
        if (try_text(p, ":"))
            name = s;
        else
            p->at = start;
        const ir_type *t = type(p);
        if (!t)
            return false;
        IR_PUSH(p->a, *types, *n, cap, t);
        IR_PUSH(p->a, *names, n_names, cap_names, name);
    } while (list && try_text(p, ","));
    return !list || expect(p, ")");
}

static bool
results(parser *p, const ir_type **types, const char **names, uint32_t n)
{
    int line = p->line;
    for (uint32_t i = 0; i < n; i++) {
        if (i && !expect(p, ","))
            return false;
        ir_ref v = value(p);
        if (!v)
            return false;
        if (ir_btype(p->b, v) != types[i]) {
            ir_fail(p->ctx, ir_loc_file(p->ctx, p->file, line), "ret", ERR_type_declared,
                    (int)i, ir_type_str(p->ctx, types[i]),
                    ir_type_str(p->ctx, ir_btype(p->b, v)));
            return !(p->failed = true);
        }
        ir_output_named(p->b, v, names[i]);
    }
    return expect(p, "}");
}

/* The last results are the new values of the in/out arguments. */
static bool
inouts(parser *p)
{
    const ir_build *b = p->b;
    if (b->n_inout > b->n_out)
        return wants(p, "a result for each inout argument");
    for (uint32_t k = 0; k < b->n_inout; k++)
        if (ir_btype(b, b->out[b->n_out - b->n_inout + k]) != ir_btype(b, b->in[b->inout[k].arg]))
            return wants(p, "last results of the types of the inout arguments");
    return true;
}

/* The word ret, read. */
static bool
at_ret(parser *p)
{
    if (p->end - p->at > 3 && is_word(p->at[3]))
        return false;
    return try_text(p, "ret");
}

static bool
definition(parser *p)
{
    const ir_type **types;
    const char **names;
    uint32_t n;
    if (!expect(p, "fn") || !expect(p, "@"))
        return false;
    const char *name = word(p, "the name of the function");
    if (!name)
        return false;
    for (uint32_t i = 0; i < p->n_fn; i++)
        if (strcmp(p->fn[i]->name, name) == 0)
            return wants(
                p, ir_format(p->a, "a new name before this: @%s is defined already", name));
    p->b = ir_build_new(p->ctx, name);
    p->n_name = p->n_ref = 0;
    ir_map_init(&p->index, p->a);
    if (!inputs(p) || !outputs(p, &types, &names, &n))
        return false;
    p->b->uncontracted = try_text(p, "contract=off");
    if (!expect(p, "{"))
        return false;
    for (;;) {
        skip(p);
        if (at_ret(p))
            break;
        if (p->at == p->end || (*p->at != '%' && !(*p->at >= 'a' && *p->at <= 'z')))
            return wants(p, "a node or ret");
        if (!node(p))
            return false;
    }
    ir_graph *f;
    if (!results(p, types, names, n) || !inouts(p) || ir_build_end(p->b, &f) != COT_OK)
        return false;
    IR_PUSH(p->a, p->fn, p->n_fn, p->cap_fn, f);
    return true;
}

/* Files joined to one have several. */
static bool
format(parser *p)
{
    int64_t version;
    skip(p);
    const char *start = p->at;
    if (!try_text(p, "format"))
        return true;
    if (!integer(p, &version))
        return false;
    if (version == IR_FORMAT)
        return true;
    p->at = start;
    return wants(p, ir_format(p->a, "format %d", IR_FORMAT));
}

cot_status
ir_parse(cot_context *ctx, const char *name, const char *text, size_t bytes, ir_module *out)
{
    parser p = {
        .ctx = ctx, .a = &ctx->arena, .file = name, .at = text, .end = text + bytes, .line = 1
    };
    *out = (ir_module){ 0 };
    if (ctx->status != COT_OK)
        return ctx->status;
    do {
        if (!format(&p) || !definition(&p))
            return ctx->status ? ctx->status
                               : ir_fail(ctx, 0, NULL, ERR_internal,
                                         "the parser stopped without a reason");
        skip(&p);
    } while (p.at < p.end);
    *out = (ir_module){ (int)p.n_fn, p.fn };
    return COT_OK;
}
