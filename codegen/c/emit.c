/* A kernel of the kernel IR as a C function (c.h).
 *
 * SPMD loops leave no loop behind: their bodies are written once, with a variable for each copy of a value.  Loops,
 * ifs and whiles become C's.  Results of serial folds and trees are combined by a binary counter of partials, which is
 * the tree that kernel.h defines.  What varies over lanes may not steer an `if` or `while` here: such a
 * kernel is refused, by name. */
#include "codegen/c/c.h"
#include "ir/diag.h"

enum { MAX_LEVELS = 32 };

typedef struct level { const cg_block *loop; int64_t extent; } level;

typedef struct emitter {
    cg_c_text *t;
    const cg_module *m;
    const cg_kernel *k;
    const char *prefix;
    ir_buf *b;
    const uint32_t *vary, *uses;
    level level[MAX_LEVELS];
    int n_levels, vector_level, indent;
    const char *mask;           /* BOOL lanes that are active; NULL: all */
} emitter;

static void emit_region(emitter *e, const cg_region *r);

static const char *text(emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *
text(emitter *e, const char *format, ...)
{
    ir_buf b;
    va_list ap;
    ir_buf_init(&b, e->t->arena);
    va_start(ap, format);
    ir_buf_vprintf(&b, format, ap);
    va_end(ap);
    return b.text;
}

static void line(emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void
line(emitter *e, const char *format, ...)
{
    va_list ap;
    for (int i = 0; i < e->indent; i++)
        ir_buf_str(e->b, "    ");
    va_start(ap, format);
    ir_buf_vprintf(e->b, format, ap);
    va_end(ap);
    ir_buf_str(e->b, "\n");
}

static void
refuse(emitter *e, const char *what)
{
    if (e->t->status == COT_OK)
        e->t->status = ir_fail(e->t->ctx, e->k->loc, e->k->name, ERR_target, what);
}

/* Copies and lanes --------------------------------------------------------------------------------- */

static int
lanes_of(const emitter *e, uint32_t set)
{
    return e->vector_level >= 0 && (set >> e->vector_level & 1) ? (int)e->level[e->vector_level].extent : 1;
}

static int
copies_of(const emitter *e, uint32_t set)
{
    int n = 1;
    for (int i = 0; i < e->n_levels; i++)
        if (i != e->vector_level && (set >> i & 1))
            n *= (int)e->level[i].extent;
    return n;
}

/* Which copy of a value that varies over `of` goes with copy c of one that varies over `set`. */
static int
copy_for(const emitter *e, uint32_t set, int c, uint32_t of)
{
    int digit[MAX_LEVELS] = { 0 }, copy = 0;
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

static const char *
name(emitter *e, cg_val v, int copy)
{
    return text(e, "v%u_%d", v, copy);
}

/* v as it stands for copy c of a value that varies over set: wide with its lanes, splat if it has none. */
static const char *
use(emitter *e, cg_val v, uint32_t set, int c, int lanes)
{
    uint32_t own = e->vary[v];
    const char *s = name(e, v, copy_for(e, set, c, own));
    if (lanes > 1 && lanes_of(e, own) == 1)
        return text(e, "%s(%s)", cg_c_splat(e->t, cg_type(e->k, v), lanes), s);
    return s;
}

/* The scalar of lane 0 of an index. */
static const char *
use_first(emitter *e, cg_val v, uint32_t set, int c)
{
    uint32_t own = e->vary[v];
    const char *s = name(e, v, copy_for(e, set, c, own));
    return lanes_of(e, own) > 1 ? text(e, "%sz", s) : s;
}

static bool
has_first(const emitter *e, cg_val v)
{
    return cg_type(e->k, v) == COT_I64 && lanes_of(e, e->vary[v]) > 1;
}

static void
declare(emitter *e, cg_val v, cot_dtype type)
{
    uint32_t set = e->vary[v];
    for (int c = 0; c < copies_of(e, set); c++) {
        line(e, "%s %s;", cg_c_type(e->t, type, lanes_of(e, set)), name(e, v, c));
        if (type == COT_I64 && lanes_of(e, set) > 1)
            line(e, "int64_t %sz;", name(e, v, c));
    }
}

/* to = from, for all copies. */
static void
assign(emitter *e, cg_val to, cg_val from, const char *suffix)
{
    uint32_t set = e->vary[to];
    for (int c = 0; c < copies_of(e, set); c++) {
        line(e, "%s%s = %s;", name(e, to, c), suffix, use(e, from, set, c, lanes_of(e, set)));
        if (has_first(e, to))
            line(e, "%sz%s = %s;", name(e, to, c), suffix, use_first(e, from, set, c));
    }
}

/* Scalar instructions ------------------------------------------------------------------------------- */

static cot_dtype
value_type(const cg_insn *i)
{
    return i->op >= SC_eq && i->op <= SC_le ? COT_BOOL : (cot_dtype)i->type;
}

static const char *
call_text(emitter *e, const char *f, const cg_insn *i, uint32_t set, int c, int lanes, bool first)
{
    const char *args = "";
    for (int k = 0; k < ir_sc_arity[i->op]; k++)
        args = text(e, "%s%s%s", args, k ? ", " : "", first ? use_first(e, i->in[k], set, c) : use(e, i->in[k], set, c, lanes));
    return text(e, "%s(%s)", f, args);
}

static void
emit_scalar(emitter *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    uint32_t set = e->vary[v];
    int lanes = lanes_of(e, set);
    cot_dtype type = (cot_dtype)i->type, from = ir_sc_arity[i->op] ? cg_type(e->k, i->in[0]) : type;
    const char *f = i->op == SC_table ? cg_c_table(e->t, i->table, lanes) : cg_c_op(e->t, (ir_sc_op)i->op, type, from, lanes);
    for (int c = 0; c < copies_of(e, set); c++) {
        const char *call = i->op == SC_table ? text(e, "%s(%s)", f, use(e, i->in[0], set, c, lanes)) : call_text(e, f, i, set, c, lanes, false);
        line(e, "%s %s = %s;", cg_c_type(e->t, value_type(i), lanes), name(e, v, c), call);
        if (has_first(e, v) && from == COT_I64)
            line(e, "int64_t %sz = %s;", name(e, v, c), call_text(e, cg_c_op(e->t, (ir_sc_op)i->op, type, from, 1), i, set, c, 1, true));
        else if (has_first(e, v))
            line(e, "int64_t %sz = %s[0];", name(e, v, c), name(e, v, c));
    }
}

static void
emit_const(emitter *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    ir_buf b;
    ir_buf_init(&b, e->t->arena);
    cg_c_constant(&b, (cot_dtype)i->type, i->imm);
    line(e, "const %s %s = %s;", cg_c_type(e->t, (cot_dtype)i->type, 1), name(e, v, 0), b.text);
}

static const char *
any_lane(emitter *e, const char *cond, int lanes)
{
    return lanes == 1 ? cond : text(e, "%s(%s)", cg_c_any(e->t, lanes), cond);
}

/* A program inlined: values pN of a block of its own; the name of its result. */
static const char *
program(emitter *e, const ir_sc_program *p, const char *const *in, int lanes, const char *stem)
{
    const char **value = IR_NEW_N(e->t->arena, const char *, p->n_in + p->n);
    for (int i = 0; i < p->n_in; i++)
        value[i] = in[i];
    for (int k = 0; k < p->n; k++) {
        const ir_sc_insn *i = &p->insn[k];
        cot_dtype type = (cot_dtype)i->type, from = ir_sc_arity[i->op] ? ir_sc_type(p, i->in[0]) : type;
        const char *s = text(e, "%s_%d", stem, k), *args = "";
        cot_dtype result = i->op >= SC_eq && i->op <= SC_le ? COT_BOOL : type;
        value[p->n_in + k] = s;
        if (i->op == SC_const) {
            ir_buf b;
            ir_buf_init(&b, e->t->arena);
            cg_c_constant(&b, type, i->imm);
            line(e, "const %s %s = %s;", cg_c_type(e->t, type, lanes), s,
                 lanes == 1 ? b.text : text(e, "%s(%s)", cg_c_splat(e->t, type, lanes), b.text));
            continue;
        }
        for (int a = 0; a < ir_sc_arity[i->op]; a++)
            args = text(e, "%s%s%s", args, a ? ", " : "", value[i->in[a]]);
        if (i->op == SC_rare) {
            const char *sub[4];
            for (int a = 0; a < i->sub->n_in; a++)
                sub[a] = value[i->args[a]];
            line(e, "%s %s = %s;", cg_c_type(e->t, type, lanes), s, value[i->in[1]]);
            line(e, "if (%s) {", any_lane(e, value[i->in[0]], lanes));
            e->indent++;
            const char *r = program(e, i->sub, sub, lanes, text(e, "%sr", s));
            line(e, "%s = %s(%s, %s, %s);", s, cg_c_op(e->t, SC_select, type, type, lanes), value[i->in[0]], r, s);
            e->indent--;
            line(e, "}");
            continue;
        }
        const char *f = i->op == SC_table ? cg_c_table(e->t, i->table, lanes) : cg_c_op(e->t, (ir_sc_op)i->op, type, from, lanes);
        line(e, "%s %s = %s(%s);", cg_c_type(e->t, result, lanes), s, f, i->op == SC_table ? value[i->in[0]] : args);
    }
    return value[p->out];
}

static void
emit_rare(emitter *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    uint32_t set = e->vary[v];
    int lanes = lanes_of(e, set);
    cot_dtype type = (cot_dtype)i->type;
    for (int c = 0; c < copies_of(e, set); c++) {
        const char *s = name(e, v, c), *cond = use(e, i->in[0], set, c, lanes), *in[4];
        line(e, "%s %s = %s;", cg_c_type(e->t, type, lanes), s, use(e, i->in[1], set, c, lanes));
        line(e, "if (%s) {", any_lane(e, cond, lanes));
        e->indent++;
        for (int a = 0; a < i->sub->n_in; a++)
            in[a] = use(e, i->args[a], set, c, lanes);
        const char *r = program(e, i->sub, in, lanes, text(e, "r%u_%d", v, c));
        line(e, "%s = %s(%s, %s, %s);", s, cg_c_op(e->t, SC_select, type, type, lanes), cond, r, s);
        e->indent--;
        line(e, "}");
    }
}

/* Memory ------------------------------------------------------------------------------------------- */

/* Is the index one element further from lane to lane? */
static bool
is_dense(const emitter *e, cg_val index)
{
    int64_t slope;
    const cg_block *loop = e->level[e->vector_level].loop;
    return cg_affine(e->k, index, e->k->insn[loop->var].in[0], &slope) && slope == 1;
}

static const char *
both_masks(emitter *e, const char *x, const char *y, int lanes)
{
    if (!x || !y)
        return x ? x : y;
    return text(e, "%s(%s, %s)", cg_c_op(e->t, SC_and, COT_BOOL, COT_BOOL, lanes), x, y);
}

static void
emit_load(emitter *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    uint32_t set = e->vary[v];
    int lanes = lanes_of(e, set);
    cot_dtype type = (cot_dtype)i->type;
    for (int c = 0; c < copies_of(e, set); c++) {
        const char *when = i->in[1] ? use(e, i->in[1], set, c, lanes) : NULL, *ctype = cg_c_type(e->t, type, lanes);
        if (lanes == 1) {
            const char *at = text(e, "b%u[%s]", (unsigned)i->imm, use(e, i->in[0], set, c, 1));
            line(e, when ? "%1$s %2$s = %4$s ? %3$s : 0;" : "%1$s %2$s = %3$s;", ctype, name(e, v, c), at, when ? when : "");
            continue;
        }
        bool dense = is_dense(e, i->in[0]);
        when = both_masks(e, when, e->mask, lanes);
        line(e, "%s %s = %s(b%u, %s%s%s);", ctype, name(e, v, c), cg_c_load(e->t, type, lanes, dense, when != NULL),
             (unsigned)i->imm, dense ? use_first(e, i->in[0], set, c) : use(e, i->in[0], set, c, lanes), when ? ", " : "",
             when ? when : "");
        if (type == COT_I64)
            line(e, "int64_t %sz = %s[0];", name(e, v, c), name(e, v, c));
    }
}

static void
emit_store(emitter *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    uint32_t set = e->vary[i->in[0]] | e->vary[i->in[1]] | (i->in[2] ? e->vary[i->in[2]] : 0);
    int lanes = lanes_of(e, set);
    cot_dtype type = (cot_dtype)i->type;
    for (int c = 0; c < copies_of(e, set); c++) {
        const char *when = i->in[2] ? use(e, i->in[2], set, c, lanes) : NULL, *x = use(e, i->in[1], set, c, lanes);
        if (lanes == 1) {
            if (e->mask)
                when = when ? text(e, "%s && %s(%s)", when, cg_c_any(e->t, (int)e->level[e->vector_level].extent), e->mask) : when;
            line(e, when ? "if (%4$s) b%1$u[%2$s] = %3$s;" : "b%1$u[%2$s] = %3$s;", (unsigned)i->imm, use(e, i->in[0], set, c, 1), x,
                 when ? when : "");
            continue;
        }
        bool dense = lanes_of(e, e->vary[i->in[0]]) > 1 && is_dense(e, i->in[0]);
        when = both_masks(e, when, e->mask, lanes);
        line(e, "%s(b%u, %s, %s%s%s);", cg_c_store(e->t, type, lanes, dense, when != NULL), (unsigned)i->imm,
             dense ? use_first(e, i->in[0], set, c) : use(e, i->in[0], set, c, lanes), x, when ? ", " : "", when ? when : "");
    }
}

static const char *
address(emitter *e, uint32_t buffer, cg_val at)
{
    return at ? text(e, "b%u + %s", buffer, name(e, at, 0)) : text(e, "b%u", buffer);
}

static void
emit_call(emitter *e, const cg_insn *i)
{
    const cg_kernel *f = e->m->kernel[i->imm];
    const char *args = "", *comma = "";
    int n = 0;
    for (uint32_t k = 0; k < f->n_buffers; k++)
        if (f->buffer[k].space == CG_IN || f->buffer[k].space == CG_OUT) {
            args = text(e, "%s%s%s", args, comma, address(e, i->call->buffer[n], i->call->offset[n]));
            comma = ", ";
            n++;
        }
    for (int k = 0; k < i->call->n_params; k++, comma = ", ")
        args = text(e, "%s%s%s", args, comma, name(e, i->call->param[k], 0));
    line(e, "if ((status = %s_k%d(%s)) != 0) return status; /* %s */", e->prefix, (int)i->imm, args, f->name);
}

/* Loops -------------------------------------------------------------------------------------------- */

static bool
is_counter(const cg_yield *y)
{
    return y->mode != CG_CARRY;
}

static const char *
counter_name(emitter *e, const cg_block *x, int i, int copy)
{
    return text(e, "t%u_%d_%d", x->var, i, copy);
}

/* Partials of a serial fold or tree: a binary counter, for each copy. */
static void
counters_begin(emitter *e, const cg_block *x)
{
    for (int i = 0; i < x->n; i++)
        for (int c = 0; is_counter(&x->yield[i]) && c < copies_of(e, e->vary[x->result[i]]); c++)
            line(e, "%s %s[64];", cg_c_type(e->t, x->yield[i].type, lanes_of(e, e->vary[x->result[i]])), counter_name(e, x, i, c));
    line(e, "int n%u = 0;", x->var);
    line(e, "uint64_t count%u = 0;", x->var);
}

static void
counters_push(emitter *e, const cg_block *x)
{
    for (int i = 0; i < x->n; i++) {
        uint32_t set = e->vary[x->result[i]];
        for (int c = 0; is_counter(&x->yield[i]) && c < copies_of(e, set); c++)
            line(e, "%s[n%u] = %s;", counter_name(e, x, i, c), x->var, use(e, x->yield[i].value, set, c, lanes_of(e, set)));
    }
    line(e, "n%u++;", x->var);
    line(e, "for (uint64_t c = count%u++; c & 1; c >>= 1) {", x->var);
    e->indent++;
    line(e, "n%u--;", x->var);
    for (int i = 0; i < x->n; i++) {
        const cg_yield *y = &x->yield[i];
        uint32_t set = e->vary[x->result[i]];
        for (int c = 0; is_counter(y) && c < copies_of(e, set); c++) {
            const char *s = counter_name(e, x, i, c);
            line(e, "%s[n%u - 1] = %s(%s[n%u - 1], %s[n%u]);", s, x->var, cg_c_op(e->t, y->combine, y->type, y->type, lanes_of(e, set)), s,
                 x->var, s, x->var);
        }
    }
    e->indent--;
    line(e, "}");
}

static const char *
neutral(emitter *e, ir_sc_op op, cot_dtype t, int lanes)
{
    ir_buf b;
    ir_buf_init(&b, e->t->arena);
    cg_c_constant(&b, t, cg_neutral_bits(op, t));
    return lanes > 1 ? text(e, "%s(%s)", cg_c_splat(e->t, t, lanes), b.text) : b.text;
}

static void
counters_end(emitter *e, const cg_block *x)
{
    for (int i = 0; i < x->n; i++) {
        const cg_yield *y = &x->yield[i];
        uint32_t set = e->vary[x->result[i]];
        for (int c = 0; is_counter(y) && c < copies_of(e, set); c++) {
            const char *s = counter_name(e, x, i, c), *r = name(e, x->result[i], c);
            line(e, "%s = n%u ? %s[n%u - 1] : %s;", r, x->var, s, x->var, neutral(e, y->combine, y->type, lanes_of(e, set)));
            line(e, "for (int c = n%u - 2; c >= 0; c--)", x->var);
            line(e, "    %s = %s(%s[c], %s);", r, cg_c_op(e->t, y->combine, y->type, y->type, lanes_of(e, set)), s, r);
        }
    }
}

static void
loop_head(emitter *e, const cg_block *x, bool reversed_bits)
{
    const char *i = name(e, x->var, 0), *lo = name(e, x->lo, 0), *hi = name(e, x->hi, 0);
    int64_t from, to;
    if (!reversed_bits) {
        line(e, "for (int64_t %s = %s; %s < %s; %s += %lld) {", i, lo, i, hi, i, (long long)x->step);
        return;
    }
    cg_is_const(e->k, x->lo, &from);
    cg_is_const(e->k, x->hi, &to);
    line(e, "for (int64_t r%s = 0; r%s < %lld; r%s++) {", i, i, (long long)((to - from) / x->step), i);
    line(e, "    int64_t %s = 0;", i);
    line(e, "    for (int64_t bit = 1; bit < %lld; bit *= 2)", (long long)((to - from) / x->step));
    line(e, "        %s = 2 * %s + ((r%s & bit) != 0);", i, i, i);
    line(e, "    %s = %s + %s * %lld;", i, lo, i, (long long)x->step);
}

static void
emit_serial(emitter *e, const cg_block *x)
{
    bool fold = false, counters = false;
    for (int i = 0; i < x->n; i++) {
        fold |= x->yield[i].mode == CG_FOLD;
        counters |= is_counter(&x->yield[i]);
        declare(e, x->result[i], x->yield[i].type);
        if (x->yield[i].mode == CG_CARRY) {
            declare(e, x->yield[i].carried, x->yield[i].type);
            assign(e, x->yield[i].carried, x->yield[i].init, "");
        }
    }
    if (counters)
        counters_begin(e, x);
    loop_head(e, x, fold);
    e->indent++;
    emit_region(e, &x->body);
    if (counters)
        counters_push(e, x);
    for (int i = 0; i < x->n; i++)
        if (x->yield[i].mode == CG_CARRY) {
            uint32_t set = e->vary[x->yield[i].carried];
            for (int c = 0; c < copies_of(e, set); c++) {
                const char *s = name(e, x->yield[i].carried, c), *v = use(e, x->yield[i].value, set, c, lanes_of(e, set));
                line(e, "const %s next_%s = %s;", cg_c_type(e->t, x->yield[i].type, lanes_of(e, set)), s, v);
                if (has_first(e, x->yield[i].carried))
                    line(e, "const int64_t next_%sz = %s;", s, use_first(e, x->yield[i].value, set, c));
            }
        }
    for (int i = 0; i < x->n; i++)
        for (int c = 0; x->yield[i].mode == CG_CARRY && c < copies_of(e, e->vary[x->yield[i].carried]); c++) {
            const char *s = name(e, x->yield[i].carried, c);
            line(e, "%s = next_%s;", s, s);
            if (has_first(e, x->yield[i].carried))
                line(e, "%sz = next_%sz;", s, s);
        }
    e->indent--;
    line(e, "}");
    if (counters)
        counters_end(e, x);
    for (int i = 0; i < x->n; i++)
        if (x->yield[i].mode == CG_CARRY)
            assign(e, x->result[i], x->yield[i].carried, "");
}

/* The variable of an SPMD loop: a constant for each copy, or lanes. */
static void
spmd_variable(emitter *e, const cg_block *x, int own)
{
    uint32_t set = e->vary[x->var];
    int lanes = lanes_of(e, set);
    for (int c = 0; c < copies_of(e, set); c++) {
        const char *s = name(e, x->var, c), *lo = use_first(e, x->lo, set, c);
        if (own != e->vector_level) {
            line(e, "const int64_t %s = %s + %lld;", s, lo, (long long)copy_for(e, set, c, (uint32_t)1 << own) * (long long)x->step);
            continue;
        }
        if (lanes == 1) {
            line(e, "const int64_t %s = %s;", s, lo);
            continue;
        }
        line(e, "const int64_t %sz = %s;", s, lo);
        line(e, "%s %s;", cg_c_type(e->t, COT_I64, lanes), s);
        line(e, "for (int i = 0; i < %d; i++)", lanes);
        line(e, "    %s[i] = %sz + i * %lld;", s, s, (long long)x->step);
    }
}

/* A result of an SPMD loop: lanes fold by halves, then copies; a carry is the last copy's or lane's. */
static void
spmd_result(emitter *e, const cg_block *x, int i, int own, const char *mask)
{
    const cg_yield *y = &x->yield[i];
    uint32_t set = e->vary[x->result[i]], inner = set | (uint32_t)1 << own;
    int extent = (int)e->level[own].extent;
    for (int c = 0; c < copies_of(e, set); c++) {
        const char *r = name(e, x->result[i], c);
        if (own == e->vector_level) {
            const char *v = use(e, y->value, inner, c, extent);
            if (extent == 1) {
                line(e, "%s = %s;", r, v);
                continue;
            }
            if (mask)
                v = text(e, "%s(%s, %s, %s)", cg_c_op(e->t, SC_select, y->type, y->type, extent), mask, v,
                         neutral(e, y->combine, y->type, extent));
            line(e, "%s = %s(%s);", r, cg_c_fold(e->t, y->combine, y->type, extent), v);
            continue;
        }
        int lanes = lanes_of(e, set);
        const char *f = cg_c_op(e->t, y->combine, y->type, y->type, lanes);
        for (int u = 0; u < extent; u++) {
            int copy = 0;
            while (copy_for(e, inner, copy, set) != c || copy_for(e, inner, copy, (uint32_t)1 << own) != u)
                copy++;
            line(e, "%s f%s_%d = %s;", cg_c_type(e->t, y->type, lanes), r, u, use(e, y->value, inner, copy, lanes));
        }
        for (int h = extent / 2; h > 0; h /= 2)
            for (int u = 0; u < h; u++)
                line(e, "f%s_%d = %s(f%s_%d, f%s_%d);", r, u, f, r, u, r, u + h);
        line(e, "%s = f%s_0;", r, r);
    }
}

static void
emit_spmd(emitter *e, const cg_block *x)
{
    int64_t lo, hi;
    int own = e->n_levels;
    const char *outer = e->mask, *mask = NULL;
    if (!cg_is_const(e->k, x->hi, &hi) || !cg_is_const(e->k, x->lo, &lo) || own == MAX_LEVELS) {
        refuse(e, "an SPMD loop without constant bounds; C source wants them constant");
        return;
    }
    for (int i = 0; i < x->n; i++) {
        declare(e, x->result[i], x->yield[i].type);
        if (x->yield[i].mode == CG_CARRY)
            refuse(e, "a carry of an SPMD loop; C source has folds there");
    }
    line(e, "{");
    e->indent++;
    e->level[e->n_levels++] = (level){ x, (hi - lo + x->step - 1) / x->step };
    if (x->kind == CG_VECTOR)
        e->vector_level = own;
    spmd_variable(e, x, own);
    if (x->limit) {
        int lanes = (int)e->level[own].extent;
        mask = text(e, "m%u", x->var);
        line(e, "%s %s;", cg_c_type(e->t, COT_BOOL, lanes), mask);
        line(e, "for (int i = 0; i < %d; i++)", lanes);
        line(e, "    %s[i] = -(int32_t)(i < %s);", mask, name(e, x->limit, 0));
        e->mask = mask;
    }
    emit_region(e, &x->body);
    for (int i = 0; i < x->n && e->t->status == COT_OK; i++)
        spmd_result(e, x, i, own, mask);
    e->mask = outer;
    e->n_levels--;
    if (x->kind == CG_VECTOR)
        e->vector_level = -1;
    e->indent--;
    line(e, "}");
}

static void
emit_if(emitter *e, const cg_block *x)
{
    if (e->vary[x->cond])
        refuse(e, "an if on a condition that varies over lanes; C source does not carry it, the JIT does");
    for (int i = 0; i < x->n; i++)
        declare(e, x->result[i], x->yield[i].type);
    line(e, "if (%s) {", name(e, x->cond, 0));
    e->indent++;
    emit_region(e, &x->body);
    for (int i = 0; i < x->n; i++)
        assign(e, x->result[i], x->yield[i].value, "");
    e->indent--;
    line(e, "} else {");
    e->indent++;
    emit_region(e, &x->other);
    for (int i = 0; i < x->n; i++)
        assign(e, x->result[i], x->yield[i].init, "");
    e->indent--;
    line(e, "}");
}

static void
emit_while(emitter *e, const cg_block *x)
{
    if (e->vary[x->cond])
        refuse(e, "a while on a condition that varies over lanes; C source does not carry it, the JIT does");
    for (int i = 0; i < x->n; i++) {
        declare(e, x->result[i], x->yield[i].type);
        declare(e, x->yield[i].carried, x->yield[i].type);
        assign(e, x->yield[i].carried, x->yield[i].init, "");
    }
    line(e, "for (;;) {");
    e->indent++;
    emit_region(e, &x->other);
    line(e, "if (!%s) break;", name(e, x->cond, 0));
    emit_region(e, &x->body);
    for (int i = 0; i < x->n; i++)
        for (int c = 0; c < copies_of(e, e->vary[x->yield[i].carried]); c++)
            line(e, "const %s next_%s = %s;", cg_c_type(e->t, x->yield[i].type, lanes_of(e, e->vary[x->yield[i].carried])),
                 name(e, x->yield[i].carried, c),
                 use(e, x->yield[i].value, e->vary[x->yield[i].carried], c, lanes_of(e, e->vary[x->yield[i].carried])));
    for (int i = 0; i < x->n; i++)
        for (int c = 0; c < copies_of(e, e->vary[x->yield[i].carried]); c++)
            line(e, "%s = next_%s;", name(e, x->yield[i].carried, c), name(e, x->yield[i].carried, c));
    e->indent--;
    line(e, "}");
    for (int i = 0; i < x->n; i++)
        assign(e, x->result[i], x->yield[i].carried, "");
}

static void
emit_insn(emitter *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    switch (i->op) {
    case SC_const: emit_const(e, v); break;
    case SC_rare:  emit_rare(e, v); break;
    case CG_PARAM: line(e, "const int64_t %s = p%u;", name(e, v, 0), (unsigned)i->imm); break;
    case CG_VAR: case CG_CARRIED: case CG_RESULT: break;
    case CG_LOAD:  emit_load(e, v); break;
    case CG_STORE: emit_store(e, v); break;
    case CG_LOOP:
        if (i->block->kind >= CG_UNROLL)
            emit_spmd(e, i->block);
        else
            emit_serial(e, i->block);
        break;
    case CG_IF:    emit_if(e, i->block); break;
    case CG_WHILE: emit_while(e, i->block); break;
    case CG_CALL:  emit_call(e, i); break;
    case CG_FAIL:  line(e, "if (%s) return %d;", name(e, i->in[0], 0), (int)i->imm); break;
    case CG_COPY:
        line(e, "memmove(%s, %s, %llu);", address(e, i->call->buffer[0], i->in[0]), address(e, i->call->buffer[1], i->in[1]),
             (unsigned long long)i->imm);
        break;
    default: emit_scalar(e, v); break;
    }
}

static void
emit_region(emitter *e, const cg_region *r)
{
    for (uint32_t i = 0; i < r->n && e->t->status == COT_OK; i++)
        if (e->uses[r->insn[i]] || e->k->insn[r->insn[i]].op >= CG_STORE)
            emit_insn(e, r->insn[i]);
}

/* Buffers and the function ------------------------------------------------------------------------- */

static void
emit_const_data(emitter *e, const cg_buffer *x, uint32_t index)
{
    size_t bytes = cot_dtype_size(x->type);
    ir_buf_printf(e->b, "    static const %s b%u[%lld] = {", cg_c_type(e->t, x->type, 1), index, (long long)(x->elements ? x->elements : 1));
    for (int64_t i = 0; i < x->elements; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)x->data + bytes * (size_t)i, bytes);
        ir_buf_str(e->b, i % 8 ? ", " : i ? ",\n        " : "\n        ");
        cg_c_constant(e->b, x->type, bits);
    }
    ir_buf_str(e->b, x->elements ? "\n    };\n" : " 0 };\n");
}

static void
emit_buffers(emitter *e, bool entry)
{
    for (uint32_t i = 0; i < e->k->n_buffers; i++) {
        const cg_buffer *x = &e->k->buffer[i];
        const char *type = cg_c_type(e->t, x->type, 1);
        if (x->space == CG_LOCAL)
            line(e, "%s b%u[%lld] __attribute__((aligned(64)));", type, i, (long long)(x->elements ? x->elements : 1));
        else if (x->space == CG_CONST)
            emit_const_data(e, x, i);
        else if (x->space == CG_WORK)
            line(e, "%s *b%u = (%s *)((char *)work + %lld);", type, i, type, (long long)x->offset);
        else if (!entry)
            line(e, "(void)b%u;", i);
        else
            line(e, x->space == CG_IN ? "const %s *b%u = args[%d];" : "%s *b%u = args[%d];", type, i, x->arg);
    }
}

static void
emit_head(emitter *e, bool entry)
{
    const char *comma = "";
    int number = 0;
    while (e->m->kernel[number] != e->k)
        number++;
    ir_buf_printf(e->b, "/* %s%s%s */\nstatic int\n%s_k%d(", e->k->name, e->k->note ? ": " : "", e->k->note ? e->k->note : "",
                  e->prefix, number);
    if (entry) {
        ir_buf_str(e->b, "void *const *args, void *work)\n{\n");
        return;
    }
    for (uint32_t i = 0; i < e->k->n_buffers; i++) {
        const cg_buffer *x = &e->k->buffer[i];
        if (x->space != CG_IN && x->space != CG_OUT)
            continue;
        ir_buf_printf(e->b, "%s%s%s *%sb%u", comma, x->space == CG_IN ? "const " : "", cg_c_type(e->t, x->type, 1),
                      x->alias ? "" : "restrict ", i);
        comma = ", ";
    }
    for (int i = 0; i < e->k->n_params; i++, comma = ", ")
        ir_buf_printf(e->b, "%sint64_t p%d", comma, i);
    ir_buf_str(e->b, *comma ? ")\n{\n" : "void)\n{\n");
}

void
cg_c_kernel(cg_c_text *t, const cg_module *m, const cg_kernel *k, const char *prefix)
{
    emitter e = { .t = t, .m = m, .k = k, .prefix = prefix, .b = &t->body, .indent = 1, .vector_level = -1 };
    bool entry = k == m->kernel[0];
    e.vary = cg_variance(k, t->arena);
    e.uses = cg_count_uses(k, t->arena);
    emit_head(&e, entry);
    if (entry)
        line(&e, "int status = 0;\n    (void)status, (void)args, (void)work;");
    emit_buffers(&e, entry);
    emit_region(&e, &k->body);
    ir_buf_str(e.b, "    return 0;\n}\n\n");
}
