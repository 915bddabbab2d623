/* Parallel loops as C (emit.h).  The body becomes a function of a context and a range of
 * iterations, which the caller's parallel-for runs, or this thread if there is none.
 *
 * The context is a struct whose members have the names of the values from outside, so that the
 * text of the body is that of a serial loop.  An iteration that yields to a tree stores its
 * element in an array, and the elements are combined after the loop.  The result therefore does
 * not depend on which thread ran an iteration. */
#include "codegen/c/emit.h"

static const char run_text[] =
    "/* The caller's parallel-for: calls body(context, from, to) for ranges of [0, n), once "
    "each.  cotrace/pool.h has one. */\n"
    "#ifndef COT_PARALLEL_DEFINED\n#define COT_PARALLEL_DEFINED\nstruct cot_parallel {\n    "
    "void (*run)(const struct cot_parallel *self, void (*body)(void *context, int64_t from, "
    "int64_t to),\n                void *context, int64_t n, int64_t grain);\n};\n#endif\n"
    "COT_FN void\nrun_parts(const struct cot_parallel *pool, void (*body)(void *, int64_t, "
    "int64_t), void *context, "
    "int64_t n)\n{\n"
    "    if (n > 0 && pool)\n        pool->run(pool, body, context, n, 1);\n"
    "    else if (n > 0)\n        body(context, 0, n);\n}\n"
    "/* Several threads may fail at once; any status will do. */\n"
    "#if defined(COT_GNU)\n#define COT_LEAVE(status, x) __atomic_store_n(&(status), x, "
    "__ATOMIC_RELAXED)\n"
    "#else\n#define COT_LEAVE(status, x) ((status) = (x))\n#endif\n";

/* The values and buffers that a region reads, and the values that it defines. */
typedef struct reads {
    bool *value, *own, *buffer;
    bool fails;
} reads;

static void
read_value(void *user, cg_val v)
{
    ((reads *)user)->value[v] = true;
}

static void
own_value(void *user, cg_val v)
{
    ((reads *)user)->own[v] = true;
}

static void
read_buffer(void *user, uint32_t buffer)
{
    ((reads *)user)->buffer[buffer] = true;
}

/* Dead instructions read nothing. */
static void
read_region(const cg_c_emit *e, reads *r, const cg_region *g)
{
    for (uint32_t n = 0; n < g->n; n++) {
        const cg_insn *i = &e->k->insn[g->insn[n]];
        if (!e->uses[g->insn[n]] && i->op < CG_STORE)
            continue;
        cg_each_operand(i, read_value, r);
        cg_each_buffer_of(i, read_buffer, r);
        /* the entry of this process asks at calls and loops whether it is cancelled */
        r->fails |= !e->number && e->t->in_process && (i->op == CG_CALL || i->op == CG_LOOP);
        r->fails |= i->op == CG_FAIL || (i->op == CG_WHILE && e->t->in_process) ||
                    (i->op == CG_CALL && e->can_fail[i->imm]);
        if (i->block) {
            read_region(e, r, &i->block->other);
            read_region(e, r, &i->block->body);
        }
    }
}

/* Is v a value from outside whose text contains variables? */
static bool
is_captured(const cg_c_emit *e, const reads *r, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];

    return r->value[v] && !r->own[v] && i->op != SC_const && i->op != CG_PARAM &&
           !(e->known[v].at && !e->known[v].based);
}

static const char *
own_name(cg_c_emit *e, cg_val v)
{
    return cg_c_format(e, e->k->insn[v].op == CG_VAR ? "i%u" : "v%u", v);
}

static cot_dtype
type_of(const cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    return i->op < SC_COUNT ? cg_c_result_type((ir_sc_op)i->op, (cot_dtype)i->type)
                            : cg_type(e->k, v);
}

/* The type of a buffer in the body, "const float *". */
static const char *
pointer(cg_c_emit *e, uint32_t buffer)
{
    const cg_buffer *x = &e->k->buffer[buffer];

    return cg_c_format(e, "%s%s *", x->space == CG_IN || x->space == CG_CONST ? "const " : "",
                       cg_c_type(e->t, x->type, 1));
}

/* Writes one member of the context: its declaration, its value in the caller, or a copy of it
 * in the body. */
typedef enum member_action { DECLARE, FILL, TAKE } member_action;

static void
member(cg_c_emit *e, member_action t, const char *type, const char *name, const char *value)
{
    if (t == DECLARE)
        cg_c_line(e, "%s%s%s;", type, type[strlen(type) - 1] == '*' ? "" : " ", name);
    else if (t == FILL)
        cg_c_line(e, ".%s = %s,", name, value);
    else
        cg_c_line(e, "%s%s%s = part->%s;", type, type[strlen(type) - 1] == '*' ? "const " : " ",
                  name, name);
}

static void
members(cg_c_emit *e, member_action t, const reads *r, const cg_block *x, int number)
{
    for (uint32_t b = 0; b < e->k->n_buffers; b++)
        if (r->buffer[b] && e->k->buffer[b].space != CG_LOCAL)
            member(e, t,
                   t == TAKE && e->k->buffer[b].space <= CG_OUT &&
                           !cg_is_aliased(&e->k->buffer[b])
                       ? cg_c_format(e, "%srestrict const", pointer(e, b))
                       : pointer(e, b),
                   e->buffer[b], e->buffer[b]);
        else if (r->buffer[b] && t == TAKE)
            cg_c_line(e, "COT_ALIGNED %s %s[%lld];", cg_c_type(e->t, e->k->buffer[b].type, 1),
                      e->buffer[b],
                      (long long)(e->k->buffer[b].elements ? e->k->buffer[b].elements : 1));
    for (int k = 0; k < x->n; k++) {
        const char *name = cg_c_format(e, "q%d_%d", number, k);
        member(e, t, cg_c_format(e, "%s *", cg_c_type(e->t, x->yield[k].type, 1)), name, name);
    }
    for (uint32_t v = 1; v < e->k->n_insns; v++)
        if (r->value[v] && e->k->insn[v].op == CG_PARAM)
            member(e, t, t == TAKE ? "const int64_t" : "int64_t", cg_c_value(e, v, 0),
                   cg_c_value(e, v, 0));
        else if (is_captured(e, r, v))
            member(e, t,
                   cg_c_format(e, t == TAKE ? "const %s" : "%s",
                               cg_c_type(e->t, type_of(e, v), 1)),
                   own_name(e, v), cg_c_bare(e->t, cg_c_value(e, v, 0)));
    if (r->fails && t != TAKE)
        member(e, t, "int", "status", "0");
}

/* The value of the loop's variable in iteration j. */
static const char *
iteration(cg_c_emit *e, const cg_block *x)
{
    const char *lo = cg_c_bare_term(e->t, cg_c_value(e, x->lo, 0));
    const char *j = x->step == 1 ? "j" : cg_c_format(e, "j * %lld", (long long)x->step);

    return strcmp(lo, "0") == 0 ? j : cg_c_format(e, "%s + %s", lo, j);
}

/* Write the body as a function, which comes before the kernel's function. */
static void
part_function(cg_c_emit *e, const cg_block *x, const reads *r, int number, const char *name)
{
    ir_buf *back = e->b;
    const int indent = e->indent;
    const bool streams = e->streams, part = e->part;
    const char ***inlined = e->inlined;

    e->b = e->parts;
    e->indent = 1;
    ir_buf_printf(e->b, "struct %s {\n", name);
    members(e, DECLARE, r, x, number);
    ir_buf_printf(e->b,
                  "};\n\n/* Iterations of a loop of the next function. */\nCOT_KERNEL "
                  "void\n%s(void *context, int64_t from, int64_t to)\n{\n",
                  name);
    cg_c_line(e,
              r->fails ? "struct %s *const part = context;"
                       : "const struct %s *const part = context;",
              name);
    members(e, TAKE, r, x, number);
    e->inlined = IR_NEW_N(e->t->arena, const char **, e->k->n_insns + 1);
    e->streams = false;
    e->part = true;
    cg_c_line(e, "for (int64_t j = from; j < to; j++) {");
    e->indent++;
    cg_c_line(e, "const int64_t %s = %s;", own_name(e, x->var), iteration(e, x));
    cg_c_region(e, &x->body, x);
    for (int k = 0; k < x->n; k++)
        cg_c_line(e, "q%d_%d[j] = %s;", number, k,
                  cg_c_bare(e->t, cg_c_value(e, x->yield[k].value, 0)));
    e->indent--;
    cg_c_line(e, "}");
    if (e->streams)
        cg_c_line(e, "COT_SETTLE();");
    ir_buf_str(e->b, "}\n\n");
    e->b = back;
    e->indent = indent;
    e->streams = streams;
    e->part = part;
    e->inlined = inlined;
}

static const char *
count_of(cg_c_emit *e, const cg_block *x)
{
    int64_t lo, hi;

    if (cg_c_constant_of(e, x->lo, &lo) && cg_c_constant_of(e, x->hi, &hi))
        return cg_c_int(e, hi > lo ? (hi - lo + x->step - 1) / x->step : 0);
    return cg_c_format(e, "(%s - %s + %lld) / %lld", cg_c_value(e, x->hi, 0),
                       cg_c_value(e, x->lo, 0), (long long)x->step - 1, (long long)x->step);
}

void
cg_c_parallel(cg_c_emit *e, const cg_block *x)
{
    const int number = e->serial++;
    const char *name =
        cg_c_unique(e->t, &e->t->own,
                    cg_c_format(e, "%s_part_%c", e->kernel_name[e->number], 'a' + number % 26));
    reads r = { IR_NEW_N(e->t->arena, bool, e->k->n_insns + 1),
                IR_NEW_N(e->t->arena, bool, e->k->n_insns + 1),
                IR_NEW_N(e->t->arena, bool, e->k->n_buffers + 1), false };
    const char *n = count_of(e, x);

    if (cg_c_new_name(e->t, &e->t->shared, "run_parts"))
        ir_buf_str(&e->t->common, run_text);
    read_region(e, &r, &x->body);
    read_value(&r, x->lo);
    for (int k = 0; k < x->n; k++)
        read_value(&r, x->yield[k].value);
    for (uint32_t k = 0; k < x->body.n; k++)
        cg_each_definition(e->k, x->body.insn[k], own_value, &r);
    r.own[x->var] = true;
    part_function(e, x, &r, number, name);
    for (int k = 0; k < x->n; k++)
        cg_c_line(e, "%s q%d_%d[%s];", cg_c_type(e->t, x->yield[k].type, 1), number, k,
                  strcmp(n, "0") == 0 ? "1" : n);
    cg_c_line(e, "struct %s part%d = {", name, number);
    e->indent++;
    members(e, FILL, &r, x, number);
    e->indent--;
    cg_c_line(e, "};");
    e->uses_pool = true;
    cg_c_line(e, "run_parts(pool, %s, &part%d, %s);", name, number, n);
    if (r.fails) {
        cg_c_line(e, "if (part%d.status != 0)", number);
        cg_c_line(e, "    return part%d.status;", number);
    }
    if (x->n)
        cg_c_join_parts(e, x, number, n);
}

const bool *
cg_c_find_pools(cg_c_text *t, const cg_module *m)
{
    bool *wants = IR_NEW_N(t->arena, bool, m->n_kernels + 1), grew = m->parallel;

    while (grew) {
        grew = false;
        for (uint32_t k = 0; k < m->n_kernels; k++)
            for (uint32_t i = 0; i < m->kernel[k]->n_insns && !wants[k]; i++) {
                const cg_insn *x = &m->kernel[k]->insn[i];
                if ((x->op == CG_LOOP && x->block->kind == CG_PARALLEL) ||
                    (x->op == CG_CALL && wants[x->imm]))
                    wants[k] = grew = true;
            }
    }
    return wants;
}
