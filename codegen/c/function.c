/* A kernel module as C functions (c.h): each kernel is a static function, and the entry is the
 * public function. */
#include "codegen/c/emit.h"
#include "codegen/kernel/cost.h"
#include "codegen/tuning.h"
#include "ir/diag.h"
#include "ir/loc.h"

/* -- buffers -- */

/* Declare a constant buffer: a long one is an array of the file, a short one a local array. */
static void
constant_data(cg_c_emit *e, const cg_buffer *x, const char *name)
{
    const size_t bytes = cot_dtype_size(x->type);

    if (x->elements >= CG_C_MIN_SHARED_TABLE) {
        cg_c_line(e, "const %s *const %s = %s;", cg_c_type(e->t, x->type, 1), name,
                  cg_c_data(e->t, x->type, x->data, x->elements));
        return;
    }
    ir_buf_printf(e->b, "    %sstatic const %s %s[%lld] = {",
                  x->elements * (int64_t)bytes >= CG_C_MIN_ALIGNED_TABLE ? "COT_ALIGNED " : "",
                  cg_c_type(e->t, x->type, 1), name,
                  (long long)(x->elements ? x->elements : 1));
    for (int64_t i = 0; i < x->elements; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)x->data + bytes * (size_t)i, bytes);
        ir_buf_printf(e->b, "%s%s%s", i % 8 ? " " : "\n        ",
                      cg_c_constant(e->t, x->type, bits), i + 1 < x->elements ? "," : "");
    }
    ir_buf_str(e->b, x->elements ? "\n    };\n" : " 0 };\n");
}

static void
mark(void *used, uint32_t buffer)
{
    ((bool *)used)[buffer] = true;
}

/* Which buffers do instructions refer to? */
static const bool *
used_buffers(cg_c_emit *e)
{
    bool *used = IR_NEW_N(e->t->arena, bool, e->k->n_buffers + 1);

    for (uint32_t v = 1; v < e->k->n_insns; v++) {
        const cg_insn *i = &e->k->insn[v];
        if (i->op != CG_LOAD || e->uses[v])
            cg_each_buffer_of(i, mark, used);
    }
    for (uint32_t i = 0; i < e->k->n_buffers; i++)
        if (used[i] && e->k->buffer[i].space == CG_WORK && e->k->work)
            mark(used, e->k->work - 1);
    return used;
}

/* Kernels get all sizes, and some use none. */
static void
unused_sizes(cg_c_emit *e)
{
    for (cg_val v = 1; v < e->k->n_insns && e->m->n_sizes; v++)
        if (e->k->insn[v].op == CG_PARAM && !e->uses[v])
            cg_c_line(e, "(void)p%d;", (int)e->k->insn[v].imm);
}

/* Declare buffers that are not parameters, and mark unused parameters. */
static void
own_buffers(cg_c_emit *e)
{
    const bool *used = used_buffers(e);
    const char *work = e->k->work ? e->buffer[e->k->work - 1] : "work";

    unused_sizes(e);
    for (uint32_t i = 0; i < e->k->n_buffers; i++) {
        const cg_buffer *x = &e->k->buffer[i];
        const char *type = cg_c_type(e->t, x->type, 1), *name = e->buffer[i];
        if (!used[i] && x->space <= CG_OUT && e->k != e->m->kernel[0])
            cg_c_line(e, "(void)%s;", name);
        if (!used[i])
            continue;
        if (x->space == CG_LOCAL)
            cg_c_line(e, "COT_ALIGNED %s %s[%lld];", type, name,
                      (long long)(x->elements ? x->elements : 1));
        else if (x->space == CG_CONST)
            constant_data(e, x, name);
        else if (x->placed)
            cg_c_line(e, "%s *%s = NULL;", type, name);
        else if (x->space == CG_WORK)
            cg_c_line(e,
                      x->offset || e->k->work ? "%s *%s = (void *)((char *)%s + %lld);"
                                              : "%s *%s = %s;",
                      type, name, work, (long long)x->offset);
        if (e->own[i])
            cg_c_line(e, x->placed ? "void *%s = %s;" : "void *const %s = %s;", e->own[i],
                      name);
    }
}

/* Declare names for the original addresses of swapped buffers, which `settle` copies to. */
static void
own_addresses(cg_c_emit *e, cg_c_names *names)
{
    e->own = IR_NEW_N(e->t->arena, const char *, e->k->n_buffers + 1);
    for (cg_val v = 1; v < e->k->n_insns && e->swapped.next; v++) {
        if (e->k->insn[v].op != CG_SETTLE)
            continue;
        for (uint32_t i = (uint32_t)e->k->insn[v].imm; !e->own[i]; i = e->swapped.next[i])
            e->own[i] = cg_c_unique(e->t, names, cg_c_format(e, "%s_own", e->buffer[i]));
    }
}

/* -- kernels -- */

/* The op that computes result n of a kernel, if the kernel's note lists the results, "%3 exp at
 * f.c:2, %7 div"; otherwise the kernel's name. */
static const char *
name_of_result(cg_c_emit *e, const cg_kernel *k, int n)
{
    const char *at = k->note ? k->note : "";
    int results = 0;

    for (uint32_t b = 0; b < k->n_buffers; b++)
        results += k->buffer[b].space == CG_OUT;
    for (int i = 0; *at == '%' && i < results; i++) {
        const char *op = at + strcspn(at, " ");
        if (i == n && *op == ' ')
            return cg_c_format(e, "%.*s", (int)strcspn(op + 1, " ,"), op + 1);
        at = strstr(at, ", %");
        if (!at)
            break;
        at += 2;
    }
    return k->name;
}

/* Find the first call of each kernel in the entry, and name the buffers that kernels write:
 * each has the name of the first result that it holds. */
static void
find_calls(cg_c_emit *e)
{
    const cg_kernel *entry = e->m->kernel[0];

    e->result_name = IR_NEW_N(e->t->arena, const char *, entry->n_buffers + 1);
    e->first_call = IR_NEW_N(e->t->arena, const cg_call *, e->m->n_kernels + 1);
    for (uint32_t i = 0; i < entry->n_insns; i++) {
        const cg_call *c = entry->insn[i].op == CG_CALL ? entry->insn[i].call : NULL;
        const cg_kernel *k = c ? e->m->kernel[entry->insn[i].imm] : NULL;
        if (c && !e->first_call[entry->insn[i].imm])
            e->first_call[entry->insn[i].imm] = c;
        for (int b = 0, n = 0, out = 0; k && b < (int)k->n_buffers; b++) {
            if (k->buffer[b].space != CG_IN && k->buffer[b].space != CG_OUT)
                continue;
            const uint32_t to = c->buffer[n++];
            if (k->buffer[b].space == CG_OUT && !e->result_name[to])
                e->result_name[to] = k->plans ? k->buffer[b].name : name_of_result(e, k, out);
            out += k->buffer[b].space == CG_OUT;
        }
    }
}

/* The name of an argument or result; that of an intermediate value comes from the op that
 * computes it. */
static const char *
name_in_entry(cg_c_emit *e, uint32_t buffer)
{
    const cg_buffer *x = &e->m->kernel[0]->buffer[buffer];

    if (x->space <= CG_OUT && x->arg < e->fn->n_in + e->fn->n_out)
        return e->fn->arg_name ? e->fn->arg_name[x->arg] : x->name;
    return e->result_name[buffer] ? e->result_name[buffer] : x->name;
}

/* Copy text into a comment.  File names may contain the sequences that begin or end a
 * comment. */
static void
add_in_comment(ir_buf *b, const ir_buf *text)
{
    for (size_t i = 0; i < text->n; i++) {
        const char c = text->text[i], before = i ? text->text[i - 1] : 0;
        if ((before == '*' && c == '/') || (before == '/' && c == '*'))
            ir_buf_str(b, " ");
        ir_buf_add(b, &c, 1);
    }
}

static bool
is_end_of_entry(const char *s)
{
    return *s == '\0' || strncmp(s, ", %", 3) == 0;
}

/* Write what a kernel computes and from which lines.  Its note is "%3 exp at f.c:2, %4 exp at
 * f.c:2, %7 div at f.c:3"; each entry gets a line, and entries that differ only in their number
 * become one, "%3 ... %4". */
static void
comment(cg_c_emit *e)
{
    const char *note = e->k->note ? e->k->note : "", *next;
    ir_buf text;

    ir_buf_init(&text, e->t->arena);
    ir_buf_printf(&text, "%s%s", e->k->name, *note ? ": " : "");
    for (const char *at = note; *at; at = next) {
        const char *end = strstr(at, ", %"), *first = at, *last = at;
        const size_t n = strcspn(at, " ");
        size_t length = (end ? (size_t)(end - at) : strlen(at)) - n;
        while (end && strncmp(end + 2 + strcspn(end + 2, " "), first + n, length) == 0 &&
               is_end_of_entry(end + 2 + strcspn(end + 2, " ") + length)) {
            last = end + 2;
            end = strstr(last, ", %");
        }
        next = end ? end + 2 : last + strlen(last);
        if (last != first)
            ir_buf_printf(&text, "%.*s ... ", (int)n, first);
        ir_buf_printf(&text, "%.*s", (int)((end ? end : next) - last), last);
        ir_buf_str(&text, end ? ";\n *     " : "");
    }
    if (!strstr(note, " at ") && e->k->loc && e->k != e->m->kernel[0]) {
        ir_buf_str(&text, " at ");
        ir_loc_print(e->t->ctx, e->k->loc, &text);
    }
    ir_buf_str(e->b, "/* ");
    add_in_comment(e->b, &text);
    ir_buf_str(e->b, " */\n");
}

static bool
has_loops(const cg_kernel *k)
{
    for (uint32_t i = 0; i < k->n_insns; i++)
        if (k->insn[i].op == CG_LOOP && k->insn[i].block->kind < CG_UNROLL)
            return true;
    return false;
}

/* Does the kernel use more constants than there are vector registers? */
static bool
has_many_constants(const cg_c_emit *e)
{
    const int64_t registers = e->t->bits == 512 ? 32 : 16;
    int64_t n = 0;

    for (uint32_t i = 0; i < e->k->n_insns; i++)
        n += e->k->insn[i].op == SC_const && e->k->insn[i].type != COT_I64;
    return e->t->bits > 32 && n > registers;
}

static void
kernel_head(cg_c_emit *e, int number)
{
    cg_c_names names = { 0 };
    const cg_call *call = e->first_call[number];
    const char *comma = "";
    int n = 0;

    ir_map_init(&names.map, e->t->arena);
    comment(e);
    ir_buf_printf(e->b, "%s%s %s\n%s(",
                  e->many_constants || (e->t->bits > 32 && cg_may_spill(e->k))
                      ? "COT_ALIGNED_STACK "
                      : "",
                  has_loops(e->k) ? "COT_KERNEL" : "static",
                  e->can_fail[number] ? "int" : "void", e->kernel_name[number]);
    for (uint32_t i = 0; i < e->k->n_buffers; i++) {
        const cg_buffer *x = &e->k->buffer[i];
        const bool given = x->space == CG_IN || x->space == CG_OUT;
        e->buffer[i] = cg_c_unique(e->t, &names,
                                   given && call ? name_in_entry(e, call->buffer[n]) : x->name);
        if (!given)
            continue;
        n++;
        ir_buf_printf(e->b, "%s%s%s *%s%s", comma, x->space == CG_IN ? "const " : "",
                      cg_c_type(e->t, x->type, 1),
                      cg_is_aliased(x) || cg_is_swapped(&e->swapped, i) ? "" : "restrict ",
                      e->buffer[i]);
        comma = ", ";
    }
    own_addresses(e, &names);
    for (int i = 0; i < e->k->n_params; i++, comma = ", ")
        ir_buf_printf(e->b, "%sint64_t p%d", comma, i);
    if (e->wants_pool[number]) {
        ir_buf_printf(e->b, "%sconst struct cot_parallel *pool", comma);
        comma = ", ";
    }
    ir_buf_str(e->b, *comma ? ")\n{\n" : "void)\n{\n");
}

/* The type of a parameter, "const float *": as the caller gives it, or that of the entry's
 * buffer. */
static const char *
parameter(cg_c_emit *e, int arg)
{
    const cg_buffer *x = NULL;

    if (e->fn->arg_type)
        return e->fn->arg_type[arg];
    for (uint32_t i = 0; i < e->k->n_buffers; i++)
        if (e->k->buffer[i].space <= CG_OUT && e->k->buffer[i].arg == arg)
            x = &e->k->buffer[i];
    return cg_c_format(e, "%s%s *", x && x->space == CG_IN ? "const " : "",
                       x ? cg_c_type(e->t, x->type, 1) : "void");
}

static void
unused_arguments(cg_c_emit *e, int n, const char *const *arg)
{
    const bool *used = used_buffers(e);
    bool work = false;

    for (uint32_t i = 0; i < e->k->n_buffers; i++)
        work |= used[i] && e->k->buffer[i].space == CG_WORK;
    for (int k = 0; k < n; k++) {
        bool found = false;
        for (uint32_t i = 0; i < e->k->n_buffers; i++)
            found |= used[i] && e->k->buffer[i].space <= CG_OUT && e->k->buffer[i].arg == k;
        if (!found)
            cg_c_line(e, "(void)%s;", arg[k]);
    }
    if (e->m->parallel && !e->wants_pool[0])
        cg_c_line(e, "(void)pool;");
    if (!work)
        cg_c_line(e, "(void)work;");
}

static bool
is_renamed(const cg_c_emit *e)
{
    return !e->inner && e->t->renamed && e->t->renamed[e->fn - e->t->fn];
}

/* The definition of a public function whose name the file itself calls: inside the file that
 * name is a macro for the file's own function. */
static void
own_name(cg_c_emit *e, int n, const char *const *arg, const char *params)
{
    const char *args = "";

    for (int i = 0; i < n; i++)
        args = cg_c_format(e, "%s%s, ", args, arg[i]);
    ir_buf_printf(e->b, "static int %s(%svoid *work);\n\n#undef %s\nint %s(%svoid *work);\n\n",
                  e->kernel_name[0], params, e->fn->name, e->fn->name, params);
    ir_buf_printf(
        e->b,
        "int\n%s(%svoid *work)\n{\n    return %s(%s%swork);\n}\n#define %s cot_own_%s\n\n",
        e->fn->name, params, e->kernel_name[0], args, e->m->parallel ? "pool, " : "",
        e->fn->name, e->fn->name);
}

/* Record the signature, for the function that selects a processor's version. */
static void
note_entry(cg_c_emit *e, int n, const char *const *arg, const char *params)
{
    const char *args = "";

    for (int i = 0; i < n; i++)
        args = cg_c_format(e, "%s%s, ", args, arg[i]);
    e->t->entry[e->fn - e->t->fn] =
        (cg_c_entry){ params, e->m->parallel ? cg_c_format(e, "%spool, ", args) : args };
}

/* The parameters of the entry: sizes, then pointers to arrays.  Their names are in arg, behind
 * which is the name of the array of the sizes. */
static const char *
parameters(cg_c_emit *e, cg_c_names *names, int n_sizes, int n, const char **arg)
{
    const char *params = "";

    for (int i = 0; i < n_sizes; i++) {
        arg[i] = cg_c_unique(e->t, names, e->fn->size_name[i]);
        params = cg_c_format(e, "%sint64_t %s, ", params, arg[i]);
    }
    for (int i = 0; i < n; i++) {
        const char **name = &arg[n_sizes + i];

        *name = cg_c_unique(e->t, names, e->fn->arg_name ? e->fn->arg_name[i] : "a");
        params = cg_c_format(e, "%s%s%s, ", params, parameter(e, i), *name);
    }
    if (e->fn->comm && cg_c_new_name(e->t, &e->t->shared, "struct cot_comm"))
        ir_buf_str(&e->t->common, "struct cot_comm;\n");
    if (n_sizes)
        arg[n_sizes + n] = cg_c_unique(e->t, names, "sizes");
    if (!e->m->parallel)
        return params;
    if (cg_c_new_name(e->t, &e->t->shared, "struct cot_parallel"))
        ir_buf_str(&e->t->common, "struct cot_parallel;\n");
    return cg_c_format(e, "%sconst struct cot_parallel *pool, ", params);
}

/* The array of the sizes, which the entry's instructions load. */
static void
own_sizes(cg_c_emit *e, int n, const char *const *arg, const char *sizes)
{
    const char *list = "";

    for (int i = 0; i < n; i++)
        list = cg_c_format(e, "%s%s%s", list, i ? ", " : "", arg[i]);
    if (n)
        cg_c_line(e, "const int64_t %s[] = { %s };", sizes, list);
}

/* At some sizes another function does what this one does. */
static void
call_fixed(cg_c_emit *e, int fixed, int n, const char *const *arg)
{
    const cg_fixed *x = &e->fn->fixed[fixed];
    const int n_sizes = e->m->n_sizes;
    const char *is = "", *args = "";

    for (int i = 0; i < n_sizes; i++)
        is = cg_c_format(e, "%s%s%s == %lld", is, i ? " && " : "", arg[i],
                         (long long)x->size[i]);
    for (int i = 0; i < n; i++)
        args = cg_c_format(e, "%s%s, ", args, arg[n_sizes + i]);
    cg_c_line(e, "if (%s)", is);
    cg_c_line(e, "    return %s(%s%swork);", e->fixed[fixed], args,
              x->module->parallel ? "pool, " : "");
}

static void
entry_head(cg_c_emit *e)
{
    const int n = e->fn->n_in + e->fn->n_out, n_sizes = e->fn->open ? e->m->n_sizes : 0;
    cg_c_names names = { 0 };
    const char **arg = IR_NEW_N(e->t->arena, const char *, n_sizes + n + 1);

    ir_map_init(&names.map, e->t->arena);
    const char *params = parameters(e, &names, n_sizes, n, arg);
    if (is_renamed(e))
        own_name(e, n_sizes + n, arg, params);
    else if (e->t->entry && !e->inner)
        note_entry(e, n_sizes + n, arg, params);
    else if (!e->inner)
        ir_buf_printf(e->b, "int %s(%svoid *work);\n\n", e->fn->name, params);
    comment(e);
    ir_buf_printf(e->b,
                  is_renamed(e) || e->t->entry || e->inner ? "static int\n%s(%svoid *work)\n{\n"
                                                           : "int\n%s(%svoid *work)\n{\n",
                  e->kernel_name[0], params);
    for (int i = 0; i < e->fn->n_fixed; i++)
        call_fixed(e, i, n, arg);
    own_sizes(e, n_sizes, arg, arg[n_sizes + n]);
    for (uint32_t i = 0; i < e->k->n_buffers; i++) {
        const cg_buffer *x = &e->k->buffer[i];
        e->buffer[i] = x->space <= CG_OUT ? arg[n_sizes + x->arg]
                                          : cg_c_unique(e->t, &names, name_in_entry(e, i));
    }
    own_addresses(e, &names);
    unused_arguments(e, n, arg + n_sizes);
}

static bool
calls_any(const cg_kernel *k)
{
    for (uint32_t i = 0; i < k->n_insns; i++)
        if (k->insn[i].op == CG_CALL)
            return true;
    return false;
}

static void
check_ranges(const cg_c_emit *e)
{
    ir_loc loc;
    const char *why = cg_ranges_why(e->ranges, &loc);

    if (why && e->t->status == COT_OK)
        e->t->status = ir_fail(e->t->ctx, loc, NULL, ERR_unproved, why);
}

/* Make a kernel the current one, and analyse it. */
static void
begin_kernel(cg_c_emit *e, int number)
{
    e->number = number;
    e->uses_pool = false;
    e->k = e->m->kernel[number];
    e->divergence = cg_divergence(e->k, e->t->arena);
    e->uses = cg_count_uses(e->k, e->t->arena);
    e->known = IR_NEW_N(e->t->arena, cg_c_known, e->k->n_insns + 1);
    e->inlined = IR_NEW_N(e->t->arena, const char **, e->k->n_insns + 1);
    e->use = IR_NEW_N(e->t->arena, cg_c_use_at, e->k->n_insns + 1);
    e->place = IR_NEW_N(e->t->arena, uint32_t, e->k->n_insns + 1);
    e->next_effect = IR_NEW_N(e->t->arena, uint32_t, e->k->n_insns + 1);
    e->adjacent = IR_NEW_N(e->t->arena, bool, e->k->n_insns + 1);
    e->pair = IR_NEW_N(e->t->arena, int8_t, e->k->n_insns + 1);
    e->form = IR_NEW_N(e->t->arena, uint8_t, e->k->n_insns + 1);
    e->narrow = IR_NEW_N(e->t->arena, bool, e->k->n_insns + 1);
    e->picks = IR_NEW_N(e->t->arena, uint32_t, e->k->n_insns + 1);
    e->buffer = IR_NEW_N(e->t->arena, const char *, e->k->n_buffers + 1);
    e->swapped = cg_find_swapped(e->k, e->t->arena);
    e->many_constants = has_many_constants(e);
    e->fills_tails = cg_fills_tails(e->k);
    e->ranges = cg_ranges_of(e->k, e->t->arena);
    e->streams = false;
}

static void
kernel(cg_c_emit *e, int number)
{
    bool calls = false;
    ir_buf parts, own, *out = e->b;

    ir_buf_init(&parts, e->t->arena);
    ir_buf_init(&own, e->t->arena);
    e->b = &own;
    e->parts = &parts;
    begin_kernel(e, number);
    if (number)
        kernel_head(e, number);
    else
        entry_head(e);
    for (uint32_t i = 0; i < e->k->n_insns; i++)
        calls |= e->k->insn[i].op == CG_CALL && e->can_fail[e->k->insn[i].imm];
    if (calls)
        cg_c_line(e, "int status;");
    own_buffers(e);
    cg_c_region(e, &e->k->body, NULL);
    check_ranges(e);
    if (e->streams)
        ir_buf_str(e->b, "    COT_SETTLE();\n");
    if (e->wants_pool[number] && !e->uses_pool) /* its parallel loops have one iteration */
        cg_c_line(e, "(void)pool;");
    ir_buf_str(e->b, number == 0 || e->can_fail[number] ? "    return 0;\n}\n\n" : "}\n\n");
    e->b = out;
    const cg_c_kernel_text text = { (uint32_t)out->n, (uint32_t)(parts.n + own.n),
                                    number == 0 || calls_any(e->k) };
    IR_PUSH(e->t->arena, e->t->kernel, e->t->n_kernels, e->t->cap_kernels, text);
    ir_buf_add(e->b, parts.text ? parts.text : "", parts.n);
    ir_buf_add(e->b, own.text, own.n);
}

/* C needs a definition before its calls.  The recursion is bounded: entries nest only as deep
 * as calls that are not inlined (passes/calls.c). */
static void
kernel_after_its_callees(cg_c_emit *e, int number)
{
    const cg_kernel *k = e->m->kernel[number];

    if (e->done[number])
        return;
    e->done[number] = true;
    for (uint32_t i = 0; i < k->n_insns; i++)
        if (k->insn[i].op == CG_CALL)
            kernel_after_its_callees(e, k->insn[i].call->kernel);
    kernel(e, number);
}

static bool
is_a_function(const cg_c_text *t, const char *name)
{
    for (int i = 0; i < t->n_fn; i++)
        if (strcmp(t->fn[i].name, name) == 0)
            return true;
    return false;
}

void
cg_c_function(cg_c_text *t, const cg_natural *fn, bool inner, const char *const *fixed)
{
    const cg_module *m = fn->module;
    const char **name = IR_NEW_N(t->arena, const char *, m->n_kernels + 1);
    cg_c_emit e = { .t = t,
                    .fn = fn,
                    .m = m,
                    .inner = inner,
                    .fixed = fixed,
                    .b = &t->body,
                    .indent = 1,
                    .vector_level = -1 };

    for (uint32_t k = 1; k < m->n_kernels; k++)
        do
            name[k] = cg_c_unique(t, &t->own,
                                  ir_format(t->arena, "%s_%s", fn->name, m->kernel[k]->name));
        while (is_a_function(t, name[k]));
    name[0] = is_renamed(&e) ? ir_format(t->arena, "%s_itself", fn->name) : fn->name;
    e.kernel_name = name;
    find_calls(&e);
    e.can_fail = cg_c_find_failing(t, m);
    e.wants_pool = cg_c_find_pools(t, m);
    e.done = IR_NEW_N(t->arena, bool, m->n_kernels + 1);
    for (uint32_t k = m->n_kernels; k-- > 0 && t->status == COT_OK;)
        kernel_after_its_callees(&e, (int)k);
}
