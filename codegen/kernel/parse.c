/* Parsing modules of kernels, the text that docs/codegen.md specifies and cg_module_print
 * prints.
 *
 * Names, scopes, types of operands and numbers of results are checked during parsing, so that
 * an error has its line and column. cg_verify checks all other invariants; nothing may use a
 * parsed module before that (cg_module_read). */
#include "codegen/kernel/parse.h"

static const int64_t MAX_SIZE = (int64_t)1 << 48;

/* -- buffers -- */

/* What may follow the type of a buffer. */
typedef struct traits {
    const char *over;           /* the name of another buffer, which may be declared later */
    const char *at;
    int line;
    bool holds_work, has_arg;
} traits;

static bool
read_over(cg_parser *p, traits *t)
{
    ir_read_skip(&p->r);
    t->at = p->r.at;
    t->line = p->r.line;
    return (t->over = cg_read_name(p, "the name of a buffer")) != NULL;
}

static bool
read_holds(cg_parser *p, traits *t)
{
    t->holds_work = true;
    return cg_read_keyword(p, "work") || ir_read_wants(&p->r, "'work'");
}

static bool
read_align(cg_parser *p, int *align)
{
    int64_t x;

    if (!cg_read_count(p, 1, 4096, &x))
        return false;
    *align = (int)x;
    return (x & (x - 1)) == 0 || ir_read_wants(&p->r, "a power of two before this");
}

static bool
read_traits(cg_parser *p, cg_buffer *x, traits *t)
{
    int64_t arg;
    bool good = true;

    while (good) {
        if (x->space == CG_WORK && cg_read_keyword(p, "at"))
            good = cg_read_count(p, 0, MAX_SIZE, &x->offset);
        else if (cg_read_keyword(p, "align"))
            good = read_align(p, &x->align);
        else if (cg_read_keyword(p, "streams"))
            x->streams = true;
        else if (cg_read_keyword(p, "over"))
            good = read_over(p, t);
        else if (x->space == CG_OUT && cg_read_keyword(p, "holds"))
            good = read_holds(p, t);
        else if (x->space <= CG_OUT && cg_read_keyword(p, "arg")) {
            good = t->has_arg = cg_read_count(p, 0, 1 << 20, &arg);
            x->arg = (int)arg;
        } else if (x->space == CG_CONST && ir_read_try(&p->r, "="))
            good = cg_read_numbers(p, x->type, x->elements, &x->data);
        else
            return x->space != CG_CONST || x->data ||
                   ir_read_wants(&p->r, "'=' and the data of the constant buffer");
    }
    return false;
}

static bool
read_buffer_type(cg_parser *p, cg_buffer *x)
{
    return ir_read_expect(&p->r, ":") && (x->type = cg_read_type(p)) &&
           ir_read_expect(&p->r, "[") && cg_read_count(p, 0, MAX_SIZE / 16, &x->elements) &&
           ir_read_expect(&p->r, "]");
}

static bool
read_new_name(cg_parser *p, const char **name)
{
    ir_read_skip(&p->r);
    const char *start = p->r.at;

    if (!(*name = cg_read_name(p, "the name of a buffer")))
        return false;
    const uint64_t h = ir_hash(1, *name, strlen(*name));
    for (uint32_t at = 0, id; (id = ir_map_next(&p->buffer, h, &at)) != 0;)
        if (strcmp(p->k->buffer[id - 1].name, *name) == 0) {
            p->r.at = start;
            return ir_read_wants(&p->r, "a name that no buffer of the kernel has");
        }
    ir_map_add(&p->buffer, h, p->k->n_buffers + 1);
    return true;
}

static bool
parse_buffer(cg_parser *p, cg_space space, int *arg, traits *t)
{
    cg_kernel *k = p->k;
    cg_buffer x = { .space = space };

    if (!read_new_name(p, &x.name) || !read_buffer_type(p, &x) || !read_traits(p, &x, t))
        return false;
    x.name = ir_copy_string(k->arena, x.name);
    if (k == p->m->kernel[0] && space <= CG_OUT && !t->has_arg)
        x.arg = *arg;
    *arg += space <= CG_OUT;
    IR_PUSH(k->arena, k->buffer, k->n_buffers, k->cap_buffers, x);
    if (t->holds_work) {
        if (k->work || !k->plans || k == p->m->kernel[0] || x.type != COT_U8)
            return ir_read_wants(&p->r, "one buffer of u8, of a kernel that plans, to hold its "
                                        "work");
        k->work = k->n_buffers;
        k->work_bytes = x.elements;
    }
    return true;
}

/* Resolve aliases once all buffers are known. */
static bool
find_over(cg_parser *p, uint32_t n, const traits *t)
{
    for (uint32_t i = 0; i < n; i++)
        if (t[i].over) {
            const char *at = p->r.at;
            const int line = p->r.line;
            p->r.at = t[i].at;
            p->r.line = t[i].line;
            const uint32_t over = cg_read_buffer(p);
            if (!over)
                return false;
            cg_buffer_over(p->k, i, over - 1);
            p->r.at = at;
            p->r.line = line;
        }
    return true;
}

static bool
parse_buffers(cg_parser *p, int *args)
{
    uint32_t n = 0, cap = 0;
    traits *list = NULL;

    for (*args = 0;;) {
        int space = 0;
        while (space <= CG_WORK && !cg_read_keyword(p, cg_space_name[space]))
            space++;
        if (space > CG_WORK)
            return find_over(p, n, list);
        traits t = { 0 };
        if (!parse_buffer(p, (cg_space)space, args, &t))
            return false;
        IR_PUSH(p->r.a, list, n, cap, t);
    }
}

/* -- kernels -- */

/* The note is a comment on the line of the brace. */
static void
read_note(cg_parser *p)
{
    const char *s = p->r.at, *end;

    while (s < p->r.end && *s == ' ')
        s++;
    if (s == p->r.end || *s != ';')
        return;
    for (s++; s < p->r.end && *s == ' ';)
        s++;
    for (end = s; end < p->r.end && *end != '\n' && *end != '\0';)
        end++;
    p->k->note = ir_format(p->m->arena, "%.*s", (int)(end - s), s);
}

static bool
parse_head(cg_parser *p)
{
    ir_read_skip(&p->r);
    const ir_loc loc = ir_loc_file(p->r.ctx, p->r.file, p->r.line);
    const char *start = p->r.at, *name = cg_read_name(p, "the name of a kernel");
    int64_t n = 0;

    if (!name)
        return false;
    cg_kernel *k = p->k = cg_kernel_new(p->m, name);
    k->loc = loc;
    if (strcmp(k->name, name) != 0) {
        p->r.at = start;
        return ir_read_wants(&p->r, "a name that no kernel of the module has");
    }
    if (ir_read_try(&p->r, "(") &&
        (!cg_read_count(p, 0, 1 << 16, &n) || !ir_read_expect(&p->r, ")")))
        return false;
    k->n_params = (int)n;
    k->plans |= cg_read_keyword(p, "plans");
    k->alone = cg_read_keyword(p, "alone");
    if (!ir_read_expect(&p->r, "{"))
        return false;
    read_note(p);
    return true;
}

static bool
parse_kernel(cg_parser *p)
{
    int args;

    p->name = NULL;
    p->n_name = p->cap_name = 0;
    ir_map_init(&p->number, p->r.a);
    ir_map_init(&p->constant, p->r.a);
    ir_map_init(&p->buffer, p->r.a);
    if (!parse_head(p) || !parse_buffers(p, &args))
        return false;
    if (p->m->n_kernels == 1 && p->m->n_args < args)
        p->m->n_args = args;
    return cg_parse_body(p);
}

/* -- calls -- */

static bool
wrong_call(cg_parser *p, const cg_parsed_call *x, const char *want)
{
    p->r.at = x->text;
    p->r.line = x->line;
    return ir_read_wants(&p->r, want);
}

/* 1 + the index of the kernel of that name; 0: there is none, or it is the entry. */
static uint32_t
callee(const cg_parser *p, const ir_map *index, const char *name)
{
    for (uint32_t at = 0, id; (id = ir_map_next(index, ir_hash(1, name, strlen(name)), &at));)
        if (id > 1 && strcmp(p->m->kernel[id - 1]->name, name) == 0)
            return id;
    return 0;
}

static bool
resolve_calls(cg_parser *p)
{
    ir_map index;

    ir_map_init(&index, p->r.a);
    for (uint32_t i = 0; i < p->m->n_kernels; i++) {
        const char *s = p->m->kernel[i]->name;
        ir_map_add(&index, ir_hash(1, s, strlen(s)), i + 1);
    }
    for (uint32_t i = 0; i < p->n_call; i++) {
        const cg_parsed_call *x = &p->call[i];
        const uint32_t id = callee(p, &index, x->name);
        if (!id)
            return wrong_call(p, x, "the name of a kernel of the module but the first");
        if (!x->from->plans)
            return wrong_call(p, x, "no call in a kernel that does not plan");
        cg_insn *call = &x->from->insn[x->v];
        call->call->kernel = (int)id - 1;
        call->imm = id - 1;
    }
    return true;
}

/* Check that no kernel calls itself, and that calls nest at most CG_TEXT_CALLS deep.  Each
 * round lowers callees below their callers until nothing changes. */
static bool
bound_calls(cg_parser *p)
{
    int *depth = IR_NEW_N(p->r.a, int, p->m->n_kernels);
    ir_map index;
    bool moved = true;

    ir_map_init(&index, p->r.a);
    for (uint32_t i = 0; i < p->m->n_kernels; i++)
        ir_map_add(&index, (uintptr_t)p->m->kernel[i], i + 1);
    while (moved) {
        moved = false;
        for (uint32_t i = 0; i < p->n_call; i++) {
            const cg_parsed_call *x = &p->call[i];
            uint32_t at = 0;
            const uint32_t from = ir_map_next(&index, (uintptr_t)x->from, &at) - 1;
            const int to = x->from->insn[x->v].call->kernel;
            if (depth[to] > depth[from])
                continue;
            depth[to] = depth[from] + 1;
            moved = true;
            if (depth[to] > CG_TEXT_CALLS)
                return wrong_call(p, x,
                                  ir_format(p->r.a,
                                            "kernels that call each other at most %d deep",
                                            CG_TEXT_CALLS));
        }
    }
    return true;
}

/* -- modules -- */

static bool
parse_module(cg_parser *p)
{
    int64_t args = 0;

    if (!cg_read_keyword(p, "module"))
        return ir_read_wants(&p->r, "'module'");
    const char *name = cg_read_name(p, "the name of the module");
    if (!name)
        return false;
    p->m = cg_module_new(p->r.ctx, p->m->arena, name);
    p->m->read = true;
    if (cg_read_keyword(p, "args") && !cg_read_count(p, 0, 1 << 20, &args))
        return false;
    p->m->n_args = (int)args;
    if (cg_read_keyword(p, "work") && !cg_read_count(p, 0, MAX_SIZE, &p->m->work_bytes))
        return false;
    if (cg_read_keyword(p, "align") && !read_align(p, &p->m->work_align))
        return false;
    p->m->trapping_math = cg_read_keyword(p, "trapping");
    if (!ir_read_expect(&p->r, "{"))
        return false;
    while (cg_read_keyword(p, "kernel"))
        if (!parse_kernel(p))
            return false;
    if (p->m->n_kernels == 0)
        return ir_read_wants(&p->r, "'kernel'");
    p->m->kernel[0]->work_bytes = p->m->work_bytes;
    if (!ir_read_expect(&p->r, "}"))
        return false;
    ir_read_skip(&p->r);
    return p->r.at == p->r.end || ir_read_wants(&p->r, "the end of the text");
}

cot_status
cg_module_parse(cot_context *ctx, ir_arena *a, const char *file, const char *text, size_t bytes,
                cg_module **out)
{
    cg_module arena = { .arena = a };
    cg_parser p = { .r = { ctx, a, file, text, text + bytes, 1, false, text }, .m = &arena };

    *out = NULL;
    if (ctx->status != COT_OK)
        return ctx->status;
    if (!parse_module(&p) || !resolve_calls(&p) || !bound_calls(&p))
        return ctx->status;
    *out = p.m;
    return COT_OK;
}

bool
cg_is_module_text(const char *text, size_t bytes)
{
    static const char word[] = "module";
    const char *s = text, *end = text + bytes;

    while (s < end && (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\n' || *s == ';'))
        if (*s++ == ';')
            while (s < end && *s != '\n')
                s++;
    if ((size_t)(end - s) < sizeof word || memcmp(s, word, sizeof word - 1) != 0 ||
        (s[sizeof word - 1] != ' ' && s[sizeof word - 1] != '\t'))
        return false;
    for (s += sizeof word - 1; s < end && (*s == ' ' || *s == '\t');)
        s++;
    /* a module of StableHLO has a name that begins with @, attributes, or none */
    if (s == end || *s == '@' || *s == '{')
        return false;
    return !((size_t)(end - s) > 10 && memcmp(s, "attributes", 10) == 0 && !ir_is_word(s[10]));
}
