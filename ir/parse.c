/* Text to graphs, as docs/ir.md specifies it.
 *
 * Recursive descent over the words of the text (ir/reader.h); functions must be defined before
 * they are used, so there is no recursion to bound.  Nodes go through the builder: what it
 * would refuse is refused here, at the line of the node. */
#include "ir/parse.h"
#include "ir/suggest.h"

#include <stdlib.h>

#include "ir/limit.h"

static void
define(ir_parser *p, const char *name, ir_ref v)
{
    IR_PUSH(p->names, p->name, p->n_name, p->cap_name, ir_copy_string(p->names, name));
    IR_PUSH(p->names, p->ref, p->n_ref, p->cap_ref, v);
    ir_map_add(&p->index, ir_hash(0, name, strlen(name)), p->n_name);
}

static ir_ref
lookup(ir_parser *p, const char *name)
{
    uint32_t at = 0, id;
    while ((id = ir_map_next(&p->index, ir_hash(0, name, strlen(name)), &at)))
        if (strcmp(p->name[id - 1], name) == 0)
            return p->ref[id - 1];
    return IR_NONE;
}

static ir_ref
value(ir_parser *p)
{
    if (!ir_read_expect(&p->r, "%"))
        return IR_NONE;
    const char *start = p->r.at, *s = ir_read_word(&p->r, "the name of a value");
    ir_ref v = s ? lookup(p, s) : IR_NONE;
    if (!v && !p->r.failed) {
        p->r.at = start - 1;
        ir_read_wants(&p->r, "a value defined above");
    }
    return v;
}

/* Numbers ---------------------------------------------------------------------------------- */

/* The bytes of a large constant, which printed as a hash in this context: they are found in its
 * graphs. */
static bool
data_by_hash(ir_parser *p, const ir_type *t, ir_data *out)
{
    const char *s = ir_read_word(&p->r, "the hash of a constant");
    uint64_t hash = s ? strtoull(s, NULL, 16) : 0;
    for (uint32_t i = 0; s && i < p->n_fn; i++)
        ir_each_node (n, p->fn[i])
            if (n->op == OP_constant && n->at->constant.data.hash == hash &&
                n->at->constant.data.type == t) {
                *out = n->at->constant.data;
                return true;
            }
    return s &&
           ir_read_wants(&p->r, "the elements: a constant printed by its hash needs its bytes");
}

/* The text of a constant's data, read when the declared type is known. */
static bool
data(ir_parser *p, const ir_type *t, ir_data *out)
{
    union {
        uint64_t bits;
        double d, pair[2];
    } one = { 0 };
    size_t size = cot_dtype_size(t->dtype);
    if (ir_read_try(&p->r, "#"))
        return data_by_hash(p, t, out);
    if (!ir_read_try(&p->r, "[")) {
        if (!ir_read_element(&p->r, t->dtype, &one))
            return false;
        *out = ir_data_splat(p->r.a, t, &one);
        return true;
    }
    ir_buf bytes;
    ir_buf_init(&bytes, p->r.a);
    int64_t n = 0;
    for (; !ir_read_try(&p->r, "]"); n++) {
        if ((n && !ir_read_expect(&p->r, ",")) || !ir_read_element(&p->r, t->dtype, &one))
            return false;
        ir_buf_add(&bytes, (const char *)&one, size);
    }
    if (n != t->size)
        return ir_read_wants(&p->r, ir_format(p->r.a, "%lld elements, not %lld",
                                              (long long)t->size, (long long)n));
    *out = ir_data_list(p->r.a, t, bytes.text ? bytes.text : "");
    return true;
}

/* Nodes ------------------------------------------------------------------------------------ */

/* The types declared after ':', compared with those inferred; `first` for constants. */
static bool
declared(ir_parser *p, uint32_t n, const ir_type **out)
{
    bool list = n != 1 && ir_read_try(&p->r, "(");
    for (uint32_t i = 0; i < n; i++)
        if ((i && !ir_read_expect(&p->r, ",")) || !(out[i] = ir_read_type(&p->r)))
            return false;
    return !list || ir_read_expect(&p->r, ")");
}

static ir_loc
location(ir_parser *p, int line)
{
    ir_loc loc = ir_loc_file(p->r.ctx, p->r.file, line);
    int64_t number;
    if (!ir_read_try(&p->r, "loc("))
        return loc;
    for (bool first = true; first || ir_read_try(&p->r, ","); first = false) {
        if (!ir_read_expect(&p->r, "\""))
            return loc;
        const char *s = p->r.at;
        while (p->r.at < p->r.end && *p->r.at != '"' && *p->r.at != '\n')
            p->r.at++;
        char *text =
            memcpy(ir_alloc(p->r.a, (size_t)(p->r.at - s) + 1), s, (size_t)(p->r.at - s));
        if (!ir_read_expect(&p->r, "\"") ||
            (first && (!ir_read_expect(&p->r, ":") || !ir_read_integer(&p->r, &number))))
            return loc;
        loc = first ? ir_loc_file(p->r.ctx, text, (int)number)
                    : ir_loc_derive(p->r.ctx, loc, text);
    }
    ir_read_expect(&p->r, ")");
    return loc;
}

static bool
wrong_count(ir_parser *p, const ir_node_text *n, int results, int line)
{
    cot_context *ctx = p->r.ctx;

    ir_fail(ctx, ir_loc_file(ctx, p->r.file, line), ir_ops[n->op].name, ERR_sub_count, "node",
            (int)n->n_out, "names of results", results);
    p->r.failed = true;
    return false;
}

static bool
constant_data(ir_parser *p, ir_node_text *n, const ir_type *const *types, bool typed, int line)
{
    const char *at = p->r.at;
    int line_after = p->r.line;
    if (!typed)
        return ir_read_wants(&p->r, "':' and the type of the constant");
    if (n->n_out == 0)
        return wrong_count(p, n, 1, line);
    p->r.at = n->data_at;
    p->r.line = n->data_line;
    if (!data(p, types[0], &n->at.constant.data))
        return false;
    p->r.at = at;
    p->r.line = line_after;
    return true;
}

static bool
finish_node(ir_parser *p, ir_node_text *n, const ir_type *const *declared_type, int line)
{
    ir_ref *out = IR_NEW_N(p->r.a, ir_ref, ir_max_results(n->op, &n->at));
    cot_context *ctx = p->r.ctx;
    int results = ir_add_node(p->b, n->op, (int)n->n_in, n->in, &n->at, out);
    if (p->b->status != COT_OK) {
        p->r.failed = true;
        return false;
    }
    if (results != (int)n->n_out)
        return wrong_count(p, n, results, line);
    for (uint32_t i = 0; i < n->n_out; i++) {
        const ir_type *t = ir_btype(p->b, out[i]);
        if (declared_type[i] && t != declared_type[i]) {
            ir_fail(ctx, ir_loc_file(ctx, p->r.file, line), ir_ops[n->op].name,
                    ERR_type_declared, (int)i, ir_type_str(ctx, declared_type[i]),
                    ir_type_str(ctx, t));
            p->r.failed = true;
            return false;
        }
        if (lookup(p, n->out[i]))
            return ir_read_wants(
                &p->r, ir_format(p->r.a, "a new name before this: %%%s is defined already",
                                 n->out[i]));
        define(p, n->out[i], out[i]);
    }
    return true;
}

/* The names before '='; an op without results has none. */
static bool
results_of(ir_parser *p, ir_node_text *n)
{
    ir_read_skip(&p->r);
    if (p->r.at < p->r.end && *p->r.at != '%')
        return true;
    do {
        const char *name =
            ir_read_expect(&p->r, "%") ? ir_read_word(&p->r, "the name of a result") : NULL;
        if (!name)
            return false;
        IR_PUSH(p->r.a, n->out, n->n_out, n->cap_out, name);
    } while (ir_read_try(&p->r, ","));
    return ir_read_expect(&p->r, "=");
}

static bool
no_op(ir_parser *p, const char *name)
{
    ir_suggestion s = ir_suggest(name);

    for (int k = OP_none + 1; k < OP_COUNT; k++)
        ir_suggest_try(&s, ir_ops[k].name);
    return ir_read_wants(&p->r, ir_format(p->r.a, "the name of an op%s", ir_suggest_text(&s)));
}

/* %0, %1 = op %x, %y {name=...} : type loc(...); the colon and the types may be missing. */
static bool
node(ir_parser *p)
{
    ir_node_text n = { 0 };
    int line = p->r.line;
    if (!results_of(p, &n))
        return false;
    ir_read_skip(&p->r);
    line = p->r.line;
    const char *start = p->r.at, *op = ir_read_word(&p->r, "the name of an op");
    if (!op)
        return false;
    if (!(n.op = ir_op_find(op))) {
        p->r.at = start;
        return no_op(p, op);
    }
    ir_read_skip(&p->r);
    while (p->r.at < p->r.end && (*p->r.at == '%' || n.n_in)) {
        if (n.n_in && !ir_read_try(&p->r, ","))
            break;
        ir_ref v = value(p);
        if (!v)
            return false;
        IR_PUSH(p->r.a, n.in, n.n_in, n.cap_in, v);
    }
    const ir_type **types = IR_NEW_N(p->r.a, const ir_type *, n.n_out);
    if (!ir_parse_attributes(p, &n))
        return false;
    const bool typed = ir_read_try(&p->r, ":");
    if (typed && !declared(p, n.n_out, types))
        return false;
    if (n.op == OP_constant && !constant_data(p, &n, types, typed, line))
        return false;
    p->b->loc = location(p, line);
    return !p->r.failed && finish_node(p, &n, types, line);
}

static bool
inputs(ir_parser *p)
{
    if (!ir_read_expect(&p->r, "("))
        return false;
    for (bool first = true; !ir_read_try(&p->r, ")"); first = false) {
        if (!first && !ir_read_expect(&p->r, ","))
            return false;
        ir_hidden hidden = { ir_read_try(&p->r, "hidden ")      ? IR_HIDDEN_ARRAY
                             : ir_read_try(&p->r, "generator ") ? IR_HIDDEN_KEY
                                                                : IR_SEEN,
                             NULL };
        if (!ir_read_expect(&p->r, "%"))
            return false;
        const char *name = ir_read_word(&p->r, "the name of an argument");
        if (!name || !ir_read_expect(&p->r, ":"))
            return false;
        if (lookup(p, name))
            return ir_read_wants(
                &p->r,
                ir_format(p->r.a, "a new name before this: %%%s is an argument already", name));
        if (ir_read_try(&p->r, "inout "))
            ir_inout_arg(p->b, (int)p->b->n_in, 0);
        const ir_type *t = ir_read_type(&p->r);
        if (!t)
            return false;
        if (hidden.kind == IR_HIDDEN_KEY &&
            !(t->dtype == COT_U64 && t->rank == 1 && t->dims[0] == 2))
            return ir_read_wants(&p->r, "the type u64[2] for a generator");
        define(p, name, ir_input_hidden(p->b, t, name, hidden));
    }
    return true;
}

/* -> type, or -> (type, name: type, ...) */
static bool
outputs(ir_parser *p, const ir_type ***types, const char ***names, uint32_t *n)
{
    uint32_t cap = 0, cap_names = 0, n_names = 0;
    *types = NULL, *names = NULL, *n = 0;
    if (!ir_read_expect(&p->r, "->"))
        return false;
    bool list = ir_read_try(&p->r, "(");
    if (list && ir_read_try(&p->r, ")"))
        return true;
    do {
        ir_read_skip(&p->r);
        const char *start = p->r.at, *s = ir_read_word(&p->r, "a type"), *name = NULL;
        if (!s)
            return false;
        if (ir_read_try(&p->r, ":"))
            name = s;
        else
            p->r.at = start;
        const ir_type *t = ir_read_type(&p->r);
        if (!t)
            return false;
        IR_PUSH(p->r.a, *types, *n, cap, t);
        IR_PUSH(p->r.a, *names, n_names, cap_names, name);
    } while (list && ir_read_try(&p->r, ","));
    return !list || ir_read_expect(&p->r, ")");
}

static bool
wrong_results(ir_parser *p, int line, uint32_t n, uint32_t wanted)
{
    cot_context *ctx = p->r.ctx;

    ir_fail(ctx, ir_loc_file(ctx, p->r.file, line), "ret", ERR_sub_count,
            ir_format(p->r.a, "@%s", p->b->name), (int)n, n == 1 ? "value" : "values",
            (int)wanted);
    return !(p->r.failed = true);
}

static bool
results(ir_parser *p, const ir_type **types, const char **names, uint32_t n)
{
    int line = p->r.line;
    for (uint32_t i = 0; i < n; i++) {
        if (ir_read_try(&p->r, "}"))
            return wrong_results(p, line, i, n);
        if (i && !ir_read_expect(&p->r, ","))
            return false;
        ir_ref v = value(p);
        if (!v)
            return false;
        if (ir_btype(p->b, v) != types[i]) {
            ir_fail(p->r.ctx, ir_loc_file(p->r.ctx, p->r.file, line), "ret", ERR_type_declared,
                    (int)i, ir_type_str(p->r.ctx, types[i]),
                    ir_type_str(p->r.ctx, ir_btype(p->b, v)));
            return !(p->r.failed = true);
        }
        ir_output_named(p->b, v, names[i]);
    }
    return ir_read_expect(&p->r, "}");
}

/* The last results are the new values of the in/out arguments. */
static bool
inouts(ir_parser *p)
{
    const ir_build *b = p->b;
    if (b->n_inout > b->n_out)
        return ir_read_wants(&p->r, "a result for each inout argument");
    for (uint32_t k = 0; k < b->n_inout; k++)
        if (ir_btype(b, b->out[b->n_out - b->n_inout + k]) !=
            ir_btype(b, b->in[b->inout[k].arg]))
            return ir_read_wants(&p->r, "last results of the types of the inout arguments");
    return true;
}

/* The word ret, read. */
static bool
at_ret(ir_parser *p)
{
    if (p->r.end - p->r.at > 3 && ir_is_word(p->r.at[3]))
        return false;
    return ir_read_try(&p->r, "ret");
}

/* What the function that was read knows of the text; heads are in the order of functions. */
static const ir_sized *
sized_of(ir_parser *p)
{
    if (p->n_fn >= p->text->n) {
        ir_fail(p->r.ctx, 0, NULL, ERR_internal, "the heads of a text are not its functions");
        return NULL;
    }
    const ir_sized s = { p->text, &p->text->head[p->n_fn], p->sizes.used, p->size };

    return ir_copy_bytes(&p->r.ctx->arena, &s, sizeof s);
}

static bool
definition(ir_parser *p)
{
    const ir_type **types;
    const char **names;
    uint32_t n;
    if (!ir_read_expect(&p->r, "fn") || !ir_read_expect(&p->r, "@"))
        return false;
    const char *name = ir_read_word(&p->r, "the name of the function");
    if (!name)
        return false;
    for (uint32_t i = 0; i < p->n_fn; i++)
        if (strcmp(p->fn[i]->name, name) == 0)
            return ir_read_wants(
                &p->r,
                ir_format(p->r.a, "a new name before this: @%s is defined already", name));
    p->b = ir_build_new(p->r.ctx, name);
    p->n_name = p->n_ref = 0;
    ir_map_init(&p->index, p->names);
    p->sizes.used = 0;
    if (!inputs(p) || !outputs(p, &types, &names, &n) || !ir_read_facts(&p->r))
        return false;
    p->b->uncontracted = ir_read_try(&p->r, "contract=off");
    p->b->guarded = ir_read_try(&p->r, "select=guarded");
    if (!ir_read_expect(&p->r, "{"))
        return false;
    for (;;) {
        ir_read_skip(&p->r);
        if (at_ret(p))
            break;
        if (p->r.at == p->r.end || (*p->r.at != '%' && !(*p->r.at >= 'a' && *p->r.at <= 'z')))
            return ir_read_wants(&p->r, "a node or ret");
        const ir_mark mark = ir_arena_mark(p->r.a);
        if (!node(p))
            return false;
        ir_arena_release(p->r.a, mark);
    }
    ir_graph *f;
    if (!results(p, types, names, n) || !inouts(p) || ir_build_end(p->b, &f) != COT_OK)
        return false;
    if (p->text && !(f->sized = sized_of(p)))
        return false;
    IR_PUSH(&p->r.ctx->arena, p->fn, p->n_fn, p->cap_fn, f);
    return true;
}

/* The format line; files that are joined have several. */
static bool
format(ir_parser *p)
{
    int64_t version;
    ir_read_skip(&p->r);
    const char *start = p->r.at;
    if (!ir_read_try(&p->r, "format"))
        return true;
    p->r.sizes = NULL;
    if (!ir_read_integer(&p->r, &version))
        return false;
    p->r.sizes = version == IR_FORMAT_SIZED ? &p->sizes : NULL;
    if (version == IR_FORMAT || version == IR_FORMAT_SIZED)
        return true;
    p->r.at = start;
    return ir_read_wants(&p->r,
                         ir_format(p->r.a, "format %d or %d", IR_FORMAT, IR_FORMAT_SIZED));
}

static cot_status
functions(ir_parser *p, const char *text)
{
    cot_context *ctx = p->r.ctx;

    do {
        ir_stage_done(ctx, (uint64_t)(p->r.at - text));
        if (!format(p) || !definition(p))
            return ctx->status ? ctx->status
                               : ir_fail(ctx, 0, NULL, ERR_internal,
                                         "the parser stopped without a reason");
        ir_read_skip(&p->r);
    } while (p->r.at < p->r.end);
    return COT_OK;
}

static const int64_t *
values_of(const ir_sizes *s, ir_arena *a)
{
    int64_t *size = IR_NEW_N(a, int64_t, s->n + 1);

    for (int i = 0; i < s->n; i++)
        size[i] = s->at[i].value;
    return size;
}

/* Words and names end with the call: they take more than the graphs do. */
static cot_status
parse(cot_context *ctx, const char *name, const char *text, size_t bytes,
      const ir_sized_text *sized, const int64_t *size, ir_module *out)
{
    ir_arena *scratch = ir_arena_take(ctx), *names = ir_arena_take(ctx);
    ir_parser p = { .r = { ctx, scratch, name, text, text + bytes, 1, false },
                    .names = names,
                    .text = sized };
    if (sized) {
        p.sizes = sized->sizes;
        for (int i = 0; size && i < p.sizes.n; i++)
            p.sizes.at[i].value = size[i];
        p.size = values_of(&p.sizes, &ctx->arena);
    }
    ir_stage(ctx, "read", name, bytes);
    const cot_status status = functions(&p, text);
    if (status == COT_OK)
        *out = (ir_module){ (int)p.n_fn, p.fn };
    ir_arena_give(scratch);
    ir_arena_give(names);
    return status;
}

cot_status
ir_parse(cot_context *ctx, const char *name, const char *text, size_t bytes, ir_module *out)
{
    const ir_sized_text *sized;

    *out = (ir_module){ 0 };
    if (ctx->status != COT_OK)
        return ctx->status;
    COT_TRY(ir_read_heads(ctx, name, text, bytes, &sized));
    return sized ? ir_parse_at(sized, NULL, out)
                 : parse(ctx, name, text, bytes, NULL, NULL, out);
}

cot_status
ir_parse_at(const ir_sized_text *t, const int64_t *size, ir_module *out)
{
    *out = (ir_module){ 0 };
    if (t->ctx->status != COT_OK)
        return t->ctx->status;
    return parse(t->ctx, t->path, t->text, t->bytes, t, size, out);
}

cot_status
ir_sized_at(const ir_graph *f, const int64_t *size, ir_graph **out)
{
    const ir_sized_text *t = f->sized->text;
    ir_module m;

    COT_TRY(ir_parse_at(t, size, &m));
    *out = m.fn[f->sized->head - t->head];
    return COT_OK;
}
