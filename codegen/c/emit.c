/* A kernel of the kernel IR as a C function (c.h): its instructions, buffers and frame.
 *
 * SPMD loops leave no loop behind: their bodies are written once, with a variable for each
 * copy of a value.  What varies over lanes may not steer an `if` or `while` here: such a
 * kernel is refused, by name. */
#include "codegen/c/emit.h"
#include "ir/diag.h"

const char *
cg_c_say(cg_c_emit *e, const char *format, ...)
{
    ir_buf b;
    va_list ap;
    ir_buf_init(&b, e->t->arena);
    va_start(ap, format);
    ir_buf_vprintf(&b, format, ap);
    va_end(ap);
    return b.text;
}

void
cg_c_line(cg_c_emit *e, const char *format, ...)
{
    va_list ap;
    for (int i = 0; i < e->indent; i++)
        ir_buf_str(e->b, "    ");
    va_start(ap, format);
    ir_buf_vprintf(e->b, format, ap);
    va_end(ap);
    ir_buf_str(e->b, "\n");
}

void
cg_c_refuse(cg_c_emit *e, const char *what)
{
    if (e->t->status == COT_OK)
        e->t->status = ir_fail(e->t->ctx, e->k->loc, e->k->name, ERR_target, what);
}

/* -- copies and lanes -- */

int
cg_c_lanes(const cg_c_emit *e, uint32_t set)
{
    return e->vector_level >= 0 && (set >> e->vector_level & 1)
               ? (int)e->level[e->vector_level].extent
               : 1;
}

int
cg_c_copies(const cg_c_emit *e, uint32_t set)
{
    int n = 1;
    for (int i = 0; i < e->n_levels; i++)
        if (i != e->vector_level && (set >> i & 1))
            n *= (int)e->level[i].extent;
    return n;
}

/* The copy of a value that varies over `of` for copy c of one that varies over `set`. */
int
cg_c_copy_for(const cg_c_emit *e, uint32_t set, int c, uint32_t of)
{
    int digit[CG_C_LEVELS] = { 0 }, copy = 0;
    for (int i = e->n_levels - 1; i >= 0; i--)
        if (i != e->vector_level && (set >> i & 1)) {
            digit[i] = c % (int)e->level[i].extent;
            c /= (int)e->level[i].extent;
        }
    for (int i = 0; i < e->n_levels; i++)
        if (i != e->vector_level && (of >> i & 1))
            copy = copy * (int)e->level[i].extent + digit[i];
    return copy;
}

const char *
cg_c_value(cg_c_emit *e, cg_val v, int copy)
{
    return cg_c_say(e, "v%u_%d", v, copy);
}

/* v as it stands for copy c of a value that varies over set: wide with its lanes, splat if it
 * has none. */
const char *
cg_c_use(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes)
{
    uint32_t own = e->vary[v];
    const char *s = cg_c_value(e, v, cg_c_copy_for(e, set, c, own));
    if (lanes > 1 && cg_c_lanes(e, own) == 1)
        return cg_c_say(e, "%s(%s)", cg_c_splat(e->t, cg_type(e->k, v), lanes), s);
    return s;
}

/* The scalar of lane 0 of an index. */
const char *
cg_c_use_first(cg_c_emit *e, cg_val v, uint32_t set, int c)
{
    uint32_t own = e->vary[v];
    const char *s = cg_c_value(e, v, cg_c_copy_for(e, set, c, own));
    return cg_c_lanes(e, own) > 1 ? cg_c_say(e, "%sz", s) : s;
}

bool
cg_c_has_first(const cg_c_emit *e, cg_val v)
{
    return cg_type(e->k, v) == COT_I64 && cg_c_lanes(e, e->vary[v]) > 1;
}

void
cg_c_declare(cg_c_emit *e, cg_val v, cot_dtype type)
{
    uint32_t set = e->vary[v];
    for (int c = 0; c < cg_c_copies(e, set); c++) {
        cg_c_line(e, "%s %s;", cg_c_type(e->t, type, cg_c_lanes(e, set)), cg_c_value(e, v, c));
        if (type == COT_I64 && cg_c_lanes(e, set) > 1)
            cg_c_line(e, "int64_t %sz;", cg_c_value(e, v, c));
    }
}

/* to = from, for all copies. */
void
cg_c_assign(cg_c_emit *e, cg_val to, cg_val from, const char *suffix)
{
    uint32_t set = e->vary[to];
    for (int c = 0; c < cg_c_copies(e, set); c++) {
        cg_c_line(e, "%s%s = %s;", cg_c_value(e, to, c), suffix,
                  cg_c_use(e, from, set, c, cg_c_lanes(e, set)));
        if (cg_c_has_first(e, to))
            cg_c_line(e, "%sz%s = %s;", cg_c_value(e, to, c), suffix,
                      cg_c_use_first(e, from, set, c));
    }
}

/* -- scalar instructions -- */

static cot_dtype
value_type(const cg_insn *i)
{
    return i->op >= SC_eq && i->op <= SC_le ? COT_BOOL : (cot_dtype)i->type;
}

static const char *
call_text(cg_c_emit *e, const char *f, const cg_insn *i, uint32_t set, int c, int lanes,
          bool first)
{
    const char *args = "";
    for (int k = 0; k < ir_sc_arity[i->op]; k++)
        args = cg_c_say(e, "%s%s%s", args, k ? ", " : "",
                        first ? cg_c_use_first(e, i->in[k], set, c)
                              : cg_c_use(e, i->in[k], set, c, lanes));
    return cg_c_say(e, "%s(%s)", f, args);
}

static void
emit_scalar(cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    uint32_t set = e->vary[v];
    int lanes = cg_c_lanes(e, set);
    cot_dtype type = (cot_dtype)i->type,
              from = ir_sc_arity[i->op] ? cg_type(e->k, i->in[0]) : type;
    const char *f = i->op == SC_table ? cg_c_table(e->t, i->table, lanes)
                                      : cg_c_op(e->t, (ir_sc_op)i->op, type, from, lanes);
    for (int c = 0; c < cg_c_copies(e, set); c++) {
        const char *call = i->op == SC_table
                               ? cg_c_say(e, "%s(%s)", f, cg_c_use(e, i->in[0], set, c, lanes))
                               : call_text(e, f, i, set, c, lanes, false);
        cg_c_line(e, "%s %s = %s;", cg_c_type(e->t, value_type(i), lanes), cg_c_value(e, v, c),
                  call);
        if (cg_c_has_first(e, v) && from == COT_I64)
            cg_c_line(e, "int64_t %sz = %s;", cg_c_value(e, v, c),
                      call_text(e, cg_c_op(e->t, (ir_sc_op)i->op, type, from, 1), i, set, c, 1,
                                true));
        else if (cg_c_has_first(e, v))
            cg_c_line(e, "int64_t %sz = %s[0];", cg_c_value(e, v, c), cg_c_value(e, v, c));
    }
}

static void
emit_const(cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    ir_buf b;
    ir_buf_init(&b, e->t->arena);
    cg_c_constant(&b, (cot_dtype)i->type, i->imm);
    cg_c_line(e, "const %s %s = %s;", cg_c_type(e->t, (cot_dtype)i->type, 1),
              cg_c_value(e, v, 0), b.text);
}

static const char *
any_lane(cg_c_emit *e, const char *cond, int lanes)
{
    return lanes == 1 ? cond : cg_c_say(e, "%s(%s)", cg_c_any(e->t, lanes), cond);
}

/* A program inlined: values pN of a block of its own; the name of its result. */
static const char *
program(cg_c_emit *e, const ir_sc_program *p, const char *const *in, int lanes,
        const char *stem)
{
    const char **value = IR_NEW_N(e->t->arena, const char *, p->n_in + p->n);
    for (int i = 0; i < p->n_in; i++)
        value[i] = in[i];
    for (int k = 0; k < p->n; k++) {
        const ir_sc_insn *i = &p->insn[k];
        cot_dtype type = (cot_dtype)i->type,
                  from = ir_sc_arity[i->op] ? ir_sc_type(p, i->in[0]) : type;
        const char *s = cg_c_say(e, "%s_%d", stem, k), *args = "";
        cot_dtype result = i->op >= SC_eq && i->op <= SC_le ? COT_BOOL : type;
        value[p->n_in + k] = s;
        if (i->op == SC_const) {
            ir_buf b;
            ir_buf_init(&b, e->t->arena);
            cg_c_constant(&b, type, i->imm);
            cg_c_line(e, "const %s %s = %s;", cg_c_type(e->t, type, lanes), s,
                      lanes == 1
                          ? b.text
                          : cg_c_say(e, "%s(%s)", cg_c_splat(e->t, type, lanes), b.text));
            continue;
        }
        for (int a = 0; a < ir_sc_arity[i->op]; a++)
            args = cg_c_say(e, "%s%s%s", args, a ? ", " : "", value[i->in[a]]);
        if (i->op == SC_rare) {
            const char *sub[4];
            for (int a = 0; a < i->sub->n_in; a++)
                sub[a] = value[i->args[a]];
            cg_c_line(e, "%s %s = %s;", cg_c_type(e->t, type, lanes), s, value[i->in[1]]);
            cg_c_line(e, "if (%s) {", any_lane(e, value[i->in[0]], lanes));
            e->indent++;
            const char *r = program(e, i->sub, sub, lanes, cg_c_say(e, "%sr", s));
            cg_c_line(e, "%s = %s(%s, %s, %s);", s, cg_c_op(e->t, SC_select, type, type, lanes),
                      value[i->in[0]], r, s);
            e->indent--;
            cg_c_line(e, "}");
            continue;
        }
        const char *f = i->op == SC_table ? cg_c_table(e->t, i->table, lanes)
                                          : cg_c_op(e->t, (ir_sc_op)i->op, type, from, lanes);
        cg_c_line(e, "%s %s = %s(%s);", cg_c_type(e->t, result, lanes), s, f,
                  i->op == SC_table ? value[i->in[0]] : args);
    }
    return value[p->out];
}

static void
emit_rare(cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    uint32_t set = e->vary[v];
    int lanes = cg_c_lanes(e, set);
    cot_dtype type = (cot_dtype)i->type;
    for (int c = 0; c < cg_c_copies(e, set); c++) {
        const char *s = cg_c_value(e, v, c), *cond = cg_c_use(e, i->in[0], set, c, lanes),
                   *in[4];
        cg_c_line(e, "%s %s = %s;", cg_c_type(e->t, type, lanes), s,
                  cg_c_use(e, i->in[1], set, c, lanes));
        cg_c_line(e, "if (%s) {", any_lane(e, cond, lanes));
        e->indent++;
        for (int a = 0; a < i->sub->n_in; a++)
            in[a] = cg_c_use(e, i->args[a], set, c, lanes);
        const char *r = program(e, i->sub, in, lanes, cg_c_say(e, "r%u_%d", v, c));
        cg_c_line(e, "%s = %s(%s, %s, %s);", s, cg_c_op(e->t, SC_select, type, type, lanes),
                  cond, r, s);
        e->indent--;
        cg_c_line(e, "}");
    }
}

/* -- memory -- */

/* Is the index one element further from lane to lane? */
static bool
is_dense(const cg_c_emit *e, cg_val index)
{
    int64_t slope;
    const cg_block *loop = e->level[e->vector_level].loop;
    return cg_affine(e->k, index, e->k->insn[loop->var].in[0], &slope) && slope == 1;
}

static const char *
both_masks(cg_c_emit *e, const char *x, const char *y, int lanes)
{
    if (!x || !y)
        return x ? x : y;
    return cg_c_say(e, "%s(%s, %s)", cg_c_op(e->t, SC_and, COT_BOOL, COT_BOOL, lanes), x, y);
}

static void
emit_load(cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    uint32_t set = e->vary[v];
    int lanes = cg_c_lanes(e, set);
    cot_dtype type = (cot_dtype)i->type;
    for (int c = 0; c < cg_c_copies(e, set); c++) {
        const char *when = i->in[1] ? cg_c_use(e, i->in[1], set, c, lanes) : NULL,
                   *ctype = cg_c_type(e->t, type, lanes);
        if (lanes == 1) {
            const char *at =
                cg_c_say(e, "b%u[%s]", (unsigned)i->imm, cg_c_use(e, i->in[0], set, c, 1));
            cg_c_line(e, when ? "%1$s %2$s = %4$s ? %3$s : 0;" : "%1$s %2$s = %3$s;", ctype,
                      cg_c_value(e, v, c), at, when ? when : "");
            continue;
        }
        bool dense = is_dense(e, i->in[0]);
        when = both_masks(e, when, e->mask, lanes);
        cg_c_line(e, "%s %s = %s(b%u, %s%s%s);", ctype, cg_c_value(e, v, c),
                  cg_c_load(e->t, type, lanes, dense, when != NULL), (unsigned)i->imm,
                  dense ? cg_c_use_first(e, i->in[0], set, c)
                        : cg_c_use(e, i->in[0], set, c, lanes),
                  when ? ", " : "", when ? when : "");
        if (type == COT_I64)
            cg_c_line(e, "int64_t %sz = %s[0];", cg_c_value(e, v, c), cg_c_value(e, v, c));
    }
}

static void
emit_store(cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    uint32_t set = e->vary[i->in[0]] | e->vary[i->in[1]] | (i->in[2] ? e->vary[i->in[2]] : 0);
    int lanes = cg_c_lanes(e, set);
    cot_dtype type = (cot_dtype)i->type;
    for (int c = 0; c < cg_c_copies(e, set); c++) {
        const char *when = i->in[2] ? cg_c_use(e, i->in[2], set, c, lanes) : NULL,
                   *x = cg_c_use(e, i->in[1], set, c, lanes);
        if (lanes == 1) {
            if (e->mask)
                when = when ? cg_c_say(e, "%s && %s(%s)", when,
                                       cg_c_any(e->t, (int)e->level[e->vector_level].extent),
                                       e->mask)
                            : when;
            cg_c_line(e, when ? "if (%4$s) b%1$u[%2$s] = %3$s;" : "b%1$u[%2$s] = %3$s;",
                      (unsigned)i->imm, cg_c_use(e, i->in[0], set, c, 1), x, when ? when : "");
            continue;
        }
        bool dense = cg_c_lanes(e, e->vary[i->in[0]]) > 1 && is_dense(e, i->in[0]);
        when = both_masks(e, when, e->mask, lanes);
        cg_c_line(e, "%s(b%u, %s, %s%s%s);", cg_c_store(e->t, type, lanes, dense, when != NULL),
                  (unsigned)i->imm,
                  dense ? cg_c_use_first(e, i->in[0], set, c)
                        : cg_c_use(e, i->in[0], set, c, lanes),
                  x, when ? ", " : "", when ? when : "");
    }
}

static const char *
address(cg_c_emit *e, uint32_t buffer, cg_val at)
{
    return at ? cg_c_say(e, "b%u + %s", buffer, cg_c_value(e, at, 0))
              : cg_c_say(e, "b%u", buffer);
}

static void
emit_call(cg_c_emit *e, const cg_insn *i)
{
    const cg_kernel *f = e->m->kernel[i->imm];
    const char *args = "", *comma = "";
    int n = 0;
    for (uint32_t k = 0; k < f->n_buffers; k++)
        if (f->buffer[k].space == CG_IN || f->buffer[k].space == CG_OUT) {
            args = cg_c_say(e, "%s%s%s", args, comma,
                            address(e, i->call->buffer[n], i->call->offset[n]));
            comma = ", ";
            n++;
        }
    for (int k = 0; k < i->call->n_params; k++, comma = ", ")
        args = cg_c_say(e, "%s%s%s", args, comma, cg_c_value(e, i->call->param[k], 0));
    cg_c_line(e, "if ((status = %s_k%d(%s)) != 0) return status; /* %s */", e->prefix,
              (int)i->imm, args, f->name);
}

/* The function is declared in its author's words, once. */
static void
emit_extern(cg_c_emit *e, cg_val v)
{
    const cg_extern *x = e->k->insn[v].ext;
    const char *args = "", *comma = "";

    if (!cg_c_made(e->t, x->prototype))
        ir_buf_printf(&e->t->head, "#include <stdbool.h>\n#include <stddef.h>\n%s\n", x->prototype);
    for (int i = 0; i < x->n; i++, comma = ", ") {
        const cg_extern_arg *a = &x->arg[i];
        const char *value = a->type != COT_DTYPE_NONE ? cg_c_value(e, a->value, 0)
                            : a->writes ? address(e, a->buffer - 1, a->offset)
                                        : cg_c_say(e, "(const void *)(%s)", address(e, a->buffer - 1, a->offset));
        args = cg_c_say(e, a->writes ? "%s%s(void *)(%s)" : "%s%s%s", args, comma, value);
    }
    if (e->k->insn[v].type == COT_DTYPE_NONE) {
        cg_c_line(e, "%s(%s);", x->symbol, args);
        return;
    }
    cg_c_line(e, "const %s %s = %s(%s);", cg_c_type(e->t, (cot_dtype)e->k->insn[v].type, 1), cg_c_value(e, v, 0),
              x->symbol, args);
}

/* Between what may be the same memory: only if it is not. */
static void
emit_copy(cg_c_emit *e, const cg_insn *i)
{
    const uint32_t to = i->call->buffer[0], from = i->call->buffer[1];
    const char *p = address(e, to, i->in[0]), *q = address(e, from, i->in[1]), *test = "";
    if (e->k->buffer[to].alias == from + 1 || e->k->buffer[from].alias == to + 1)
        test = cg_c_say(e, "if (%s != %s) ", p, q);
    cg_c_line(e, "%smemmove(%s, %s, %llu);", test, p, q, (unsigned long long)i->imm);
}

static void
emit_insn(cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    switch (i->op) {
    case SC_const: emit_const(e, v); break;
    case SC_rare: emit_rare(e, v); break;
    case CG_PARAM:
        cg_c_line(e, "const int64_t %s = p%u;", cg_c_value(e, v, 0), (unsigned)i->imm);
        break;
    case CG_VAR:
    case CG_CARRIED:
    case CG_RESULT: break;
    case CG_LOAD: emit_load(e, v); break;
    case CG_STORE: emit_store(e, v); break;
    case CG_LOOP:
        if (i->block->kind >= CG_UNROLL)
            cg_c_spmd(e, i->block);
        else
            cg_c_serial(e, i->block);
        break;
    case CG_IF: cg_c_if(e, i->block); break;
    case CG_WHILE: cg_c_while(e, i->block); break;
    case CG_CALL: emit_call(e, i); break;
    case CG_FAIL:
        cg_c_line(e, "if (%s) return %d;", cg_c_value(e, i->in[0], 0), (int)i->imm);
        break;
    case CG_EXTERN: emit_extern(e, v); break;
    case CG_COPY: emit_copy(e, i); break;
    default: emit_scalar(e, v); break;
    }
}

void
cg_c_region(cg_c_emit *e, const cg_region *r)
{
    for (uint32_t i = 0; i < r->n && e->t->status == COT_OK; i++)
        if (e->uses[r->insn[i]] || e->k->insn[r->insn[i]].op >= CG_STORE)
            emit_insn(e, r->insn[i]);
}

/* -- buffers and the function -- */

static void
emit_const_data(cg_c_emit *e, const cg_buffer *x, uint32_t index)
{
    size_t bytes = cot_dtype_size(x->type);
    ir_buf_printf(e->b, "    static const %s b%u[%lld] = {", cg_c_type(e->t, x->type, 1), index,
                  (long long)(x->elements ? x->elements : 1));
    for (int64_t i = 0; i < x->elements; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)x->data + bytes * (size_t)i, bytes);
        ir_buf_str(e->b, i % 8 ? ", " : i ? ",\n        " : "\n        ");
        cg_c_constant(e->b, x->type, bits);
    }
    ir_buf_str(e->b, x->elements ? "\n    };\n" : " 0 };\n");
}

static void
emit_buffers(cg_c_emit *e, bool entry)
{
    for (uint32_t i = 0; i < e->k->n_buffers; i++) {
        const cg_buffer *x = &e->k->buffer[i];
        const char *type = cg_c_type(e->t, x->type, 1);
        if (x->space == CG_LOCAL)
            cg_c_line(e, "%s b%u[%lld] __attribute__((aligned(64)));", type, i,
                      (long long)(x->elements ? x->elements : 1));
        else if (x->space == CG_CONST)
            emit_const_data(e, x, i);
        else if (x->space == CG_WORK)
            cg_c_line(e, "%s *b%u = (%s *)((char *)work + %lld);", type, i, type,
                      (long long)x->offset);
        else if (!entry)
            cg_c_line(e, "(void)b%u;", i);
        else
            cg_c_line(e,
                      x->space == CG_IN ? "const %s *b%u = args[%d];" : "%s *b%u = args[%d];",
                      type, i, x->arg);
    }
}

static bool
is_aliased(const cg_kernel *k, uint32_t buffer)
{
    bool found = k->buffer[buffer].alias != 0;
    for (uint32_t i = 0; i < k->n_buffers; i++)
        found |= k->buffer[i].alias == buffer + 1;
    return found;
}

static void
emit_head(cg_c_emit *e, bool entry)
{
    const char *comma = "";
    int number = 0;
    while (e->m->kernel[number] != e->k)
        number++;
    ir_buf_printf(e->b, "/* %s%s%s */\nstatic int\n%s_k%d(", e->k->name, e->k->note ? ": " : "",
                  e->k->note ? e->k->note : "", e->prefix, number);
    if (entry) {
        ir_buf_str(e->b, "void *const *args, void *work)\n{\n");
        return;
    }
    for (uint32_t i = 0; i < e->k->n_buffers; i++) {
        const cg_buffer *x = &e->k->buffer[i];
        if (x->space != CG_IN && x->space != CG_OUT)
            continue;
        ir_buf_printf(e->b, "%s%s%s *%sb%u", comma, x->space == CG_IN ? "const " : "",
                      cg_c_type(e->t, x->type, 1), is_aliased(e->k, i) ? "" : "restrict ", i);
        comma = ", ";
    }
    for (int i = 0; i < e->k->n_params; i++, comma = ", ")
        ir_buf_printf(e->b, "%sint64_t p%d", comma, i);
    ir_buf_str(e->b, *comma ? ")\n{\n" : "void)\n{\n");
}

void
cg_c_kernel(cg_c_text *t, const cg_module *m, const cg_kernel *k, const char *prefix)
{
    cg_c_emit e = {
        .t = t, .m = m, .k = k, .prefix = prefix, .b = &t->body, .indent = 1, .vector_level = -1
    };
    bool entry = k == m->kernel[0];
    e.vary = cg_variance(k, t->arena);
    e.uses = cg_count_uses(k, t->arena);
    emit_head(&e, entry);
    if (entry)
        cg_c_line(&e, "int status = 0;\n    (void)status, (void)args, (void)work;");
    emit_buffers(&e, entry);
    cg_c_region(&e, &k->body);
    ir_buf_str(e.b, "    return 0;\n}\n\n");
}
