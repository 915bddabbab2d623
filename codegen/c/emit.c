/* A kernel of the kernel IR as a C function (c.h): its instructions, its calls and copies. */
#include "codegen/c/emit.h"

#include "codegen/kernel/cost.h"
#include "codegen/tuning.h"
#include "ir/diag.h"

/* -- instructions on scalars -- */

/* Is c a number other than NaN? *zero: whether it is a zero. */
static bool
is_number(const cg_insn *c, cot_dtype type, bool *zero)
{
    const uint64_t sign = type == COT_F64 ? (uint64_t)1 << 63 : (uint64_t)1 << 31;
    const uint64_t inf = type == COT_F64 ? (uint64_t)0x7ff << 52 : (uint64_t)0xff << 23;

    if (c->op != SC_const || (type != COT_F32 && type != COT_F64))
        return false;
    *zero = (c->imm & (sign - 1)) == 0;
    return (c->imm & (sign - 1)) <= inf;
}

/* max(x, c) = c > x ? c : x returns a NaN x, and is right except for zeros. */
static bool
constant_extreme(cg_c_emit *e, const cg_insn *i, int lanes, const char *const *in,
                 const char **out)
{
    const cot_dtype type = (cot_dtype)i->type;
    const char *order[2];
    bool zero;

    if (i->op != SC_max && i->op != SC_min)
        return false;
    for (int k = 0; k < 2; k++) {
        const char *x = in[1 - k], *c = in[k];
        if (!is_number(&e->k->insn[i->in[k]], type, &zero) || zero)
            continue;
        if (lanes > 1) {
            *out = cg_c_format(e, "%s(%s, %s)", cg_c_limit(e->t, (ir_sc_op)i->op, type, lanes),
                               cg_c_bare(e->t, c), cg_c_bare(e->t, x));
            return true;
        }
        order[0] = i->op == SC_max ? x : c;
        order[1] = i->op == SC_max ? c : x;
        const char *better = cg_c_apply(e->t, SC_lt, type, type, lanes, order);
        *out = cg_c_apply(e->t, SC_select, type, type, lanes,
                          (const char *const[]){ better, c, x });
        return true;
    }
    return false;
}

/* For an index x that is the same in all lanes, 0 <= x and x <= n (or x < n) is one unsigned
 * comparison.  Returns x, or 0 if i is not such a conjunction. */
static cg_val
within(const cg_c_emit *e, const cg_insn *i)
{
    const cg_insn *from = &e->k->insn[i->in[0]], *to = &e->k->insn[i->in[1]];
    int64_t zero, n;

    if (i->op != SC_and || i->type != COT_BOOL || from->op != SC_le || from->type != COT_I64 ||
        (to->op != SC_le && to->op != SC_lt) || to->type != COT_I64 ||
        from->in[1] != to->in[0] || !cg_is_const(e->k, from->in[0], &zero) || zero != 0 ||
        !cg_is_const(e->k, to->in[1], &n) || n < 0 ||
        cg_c_lanes(e, e->divergence[to->in[0]]) > 1)
        return 0;
    return to->in[0];
}

static const char *
range_compare(cg_c_emit *e, const cg_insn *i, uint32_t set, int c, int lanes)
{
    const cg_val x = lanes == 1 ? within(e, i) : 0;
    const cg_insn *to = &e->k->insn[i->in[1]];

    if (!x)
        return NULL;
    return cg_c_format(e, "(uint64_t)%s %s %s", cg_c_use(e, x, set, c, 1),
                       to->op == SC_lt ? "<" : "<=", cg_c_use(e, to->in[1], set, c, 1));
}

/* Is v used only by such a conjunction, which does not use its text? */
static bool
is_half_a_range(const cg_c_emit *e, cg_val v)
{
    return e->uses[v] == 1 && e->use[v].by && within(e, &e->k->insn[e->use[v].by]);
}

/* A sum of an operand and SC_pairs, as one function. */
static const char *
sum_of_pairs(cg_c_emit *e, const cg_insn *i, uint32_t set, int c, int lanes)
{
    for (int k = 0; k < 2 && lanes > 1 && i->op == SC_add; k++) {
        const cg_insn *pairs = &e->k->insn[i->in[k]];
        if (pairs->op != SC_pairs || !e->inlined[i->in[k]])
            continue;
        const char *y = cg_c_bare(e->t, cg_c_use(e, pairs->in[1], set, c, lanes));
        const char *x = cg_c_bare(e->t, cg_c_use(e, pairs->in[0], set, c, lanes));
        const char *sum = cg_c_bare(e->t, cg_c_use(e, i->in[1 - k], set, c, lanes));
        return cg_c_format(e, "%s(%s, %s, %s)", cg_c_sum_pairs(e->t, (cot_dtype)i->type, lanes),
                           sum, x, y);
    }
    return NULL;
}

/* Index arithmetic whose result has a known range cannot overflow, and is written with C's
 * operators on signed integers. */
static const char *
plain_index(cg_c_emit *e, cg_val v, int lanes, const char *const *in)
{
    static const char symbol[] = {
        [SC_add] = '+', [SC_sub] = '-', [SC_mul] = '*', [SC_div] = '/', [SC_rem] = '%'
    };
    const cg_insn *i = &e->k->insn[v];
    int64_t lo, hi, from, to;

    if (lanes > 1 || i->type != COT_I64 || i->op < SC_add || i->op > SC_rem ||
        !cg_range(e->k, v, &lo, &hi) || !cg_range(e->k, i->in[0], &from, &to))
        return NULL;
    if (i->op == SC_add && (strcmp(in[1], "0") == 0 || strcmp(in[0], "0") == 0))
        return strcmp(in[1], "0") == 0 ? in[0] : in[1];
    if (i->op == SC_add || i->op == SC_sub)
        return cg_c_format(e, "%s %c %s", cg_c_bare_term(e->t, in[0]), symbol[i->op],
                           i->op == SC_add ? cg_c_bare_term(e->t, in[1]) : in[1]);
    return cg_c_format(e, "%s %c %s", in[0], symbol[i->op], in[1]);
}

/* A comparison of first + lane with a bound, for an index that does not wrap, needs no vector
 * of i64. */
static const char *
index_compare(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes)
{
    const cg_insn *i = &e->k->insn[v];
    int64_t lo, hi, step;

    if (lanes == 1 || i->type != COT_I64 || (i->op != SC_lt && i->op != SC_le))
        return NULL;
    for (int k = 0; k < 2; k++) {
        const bool equal = (i->op == SC_le) == (k == 0);
        if (cg_c_lanes(e, e->divergence[i->in[1 - k]]) > 1 ||
            !cg_c_is_even(e, i->in[k], set, c, lanes, &step) || step != 1 ||
            !cg_range(e->k, i->in[k], &lo, &hi))
            continue;
        const char *first = cg_c_at_lane(e, i->in[k], set, c, 0);
        const char *bound = cg_c_use(e, i->in[1 - k], set, c, 1);
        return cg_c_format(e, "%s%s(%s, %s)", k ? "~" : "", cg_c_below(e->t, lanes, equal),
                           bound, first);
    }
    return NULL;
}

/* The type of an operand or result: i32 instead of i64 where it is narrowed. */
static cot_dtype
type_here(cot_dtype type, bool narrow)
{
    return narrow && type == COT_I64 ? COT_I32 : type;
}

static const char *
scalar_text(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes)
{
    const cg_insn *i = &e->k->insn[v];
    const int n = ir_sc_arity[i->op];
    const bool narrow = lanes > 1 && e->narrow[v];
    const cot_dtype type = type_here((cot_dtype)i->type, narrow),
                    from = n ? type_here(cg_type(e->k, i->in[0]), narrow) : type;
    const char *in[3], *x;

    if ((x = index_compare(e, v, set, c, lanes)) || (x = range_compare(e, i, set, c, lanes)))
        return x;
    for (int k = 0; k < n; k++)
        in[k] = narrow && cg_type(e->k, i->in[k]) == COT_I64
                    ? cg_c_use_narrow(e, i->in[k], set, c, lanes)
                    : cg_c_use(e, i->in[k], set, c, lanes);
    if ((i->op == SC_select && (x = cg_c_choice(e, i, set, c, lanes, in))) ||
        (x = cg_c_signed_compare(e, i, lanes, in)) ||
        (x = sum_of_pairs(e, i, set, c, lanes)))
        return x;
    if (i->op == SC_table)
        return lanes > 1
                   ? cg_c_format(e, "%s(%s)", cg_c_table_vector(e->t, i->table, lanes), in[0])
                   : cg_c_format(e, "%s[%s]", cg_c_table(e->t, i->table), in[0]);
    if (i->op == SC_neg && lanes == 1 &&
        (x = cg_c_careful_neg(e->t, e->k->insn[i->in[0]].op, type, in[0])))
        return x;
    if (narrow && i->op == SC_cvt && type == from)
        return in[0];
    if (narrow && (i->op == SC_div || i->op == SC_rem))
        return cg_c_narrow_division(e, i, in);
    if ((x = plain_index(e, v, lanes, in)) || constant_extreme(e, i, lanes, in, &x))
        return x;
    x = cg_c_apply(e->t, (ir_sc_op)i->op, type, from, lanes, in);
    return lanes > 1 && cg_is_made_of_index(e->k, i)
               ? cg_c_fill_index(e, i, type, x, set, c, lanes)
               : x;
}

static void
settle(cg_c_emit *e, cg_val v)
{
    const char *line = "", *macro = cg_c_settled(e->t);

    for (int c = 0; c < cg_c_copies(e, e->divergence[v]); c++)
        line = cg_c_format(e, "%s%s%s(%s);", line, c ? " " : "", macro, cg_c_value(e, v, c));
    cg_c_line(e, "%s", line);
    e->made = 0;
}

static void
emit_scalar(cg_c_emit *e, cg_val v)
{
    const uint32_t set = e->divergence[v];
    const int lanes = cg_c_lanes(e, set);
    const ir_sc_op op = (ir_sc_op)e->k->insn[v].op;
    const cot_dtype type = type_here((cot_dtype)e->k->insn[v].type, lanes > 1 && e->narrow[v]),
                    made = cg_c_result_type(op, type);
    const bool counts = lanes > 1 && cg_c_copies(e, set) > 1;

    if (is_half_a_range(e, v) || cg_c_is_only_picked_by(e, v))
        return;
    e->settles = counts && e->made + 1 >= CG_C_SETTLE_EVERY &&
                 (made == COT_F32 || made == COT_F64) &&
                 lanes * (int)cot_dtype_size(made) >= 16;
    for (int c = 0; c < cg_c_copies(e, set); c++)
        cg_c_bind(e, v, c, made, lanes, scalar_text(e, v, set, c, lanes));
    e->made += counts && !e->inlined[v];
    if (e->settles && !e->inlined[v])
        settle(e, v);
    e->settles = false;
}

/* A slow path is a call under the condition that any lane needs it. */
static void
emit_slow_path(cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    const uint32_t set = e->divergence[v];
    const int lanes = cg_c_lanes(e, set);

    for (int c = 0; c < cg_c_copies(e, set); c++) {
        const char *s = cg_c_value(e, v, c), *cond = cg_c_use(e, i->in[0], set, c, lanes),
                   *args = "";
        for (int a = 0; a < i->sub->n_in; a++)
            args = cg_c_format(e, "%s%s%s", args, a || lanes > 1 ? ", " : "",
                               cg_c_use(e, i->args[a], set, c, lanes));
        const char *usual = cg_c_use(e, i->in[1], set, c, lanes);
        cg_c_line(e, "%s %s = %s;", cg_c_type(e->t, (cot_dtype)i->type, lanes), s, usual);
        cg_c_line(e, lanes > 1 ? "if (%s(%s))" : "if (%s%s)",
                  lanes > 1 ? cg_c_any(e->t, lanes) : "", cond);
        if (lanes > 1)
            cg_c_line(e, "    %s = %s(%s, %s%s);", s,
                      cg_c_slow_path_vector(e->t, i->sub, lanes), cond, s, args);
        else
            cg_c_line(e, "    %s = %s(%s);", s, cg_c_slow_path(e->t, i->sub), args);
    }
}

/* -- calls and copies -- */

static const char *
address(cg_c_emit *e, uint32_t buffer, cg_val at)
{
    return at ? cg_c_format(e, "%s + %s", e->buffer[buffer],
                            cg_c_bare_term(e->t, cg_c_value(e, at, 0)))
              : e->buffer[buffer];
}

static void
emit_call(cg_c_emit *e, const cg_insn *i)
{
    const char *args = "", *comma = "", *name = e->kernel_name[i->imm];

    if (!e->number)
        cg_c_check_cancel(e);
    for (int k = 0; k < i->call->n_buffers; k++, comma = ", ")
        args = cg_c_format(e, "%s%s%s", args, comma,
                           address(e, i->call->buffer[k], i->call->offset[k]));
    for (int k = 0; k < i->call->n_params; k++, comma = ", ")
        args = cg_c_format(e, "%s%s%s", args, comma, cg_c_value(e, i->call->param[k], 0));
    if (e->wants_pool[i->imm]) {
        args = cg_c_format(e, "%s%s%s", args, comma, e->part ? "NULL" : "pool");
        e->uses_pool |= !e->part;
    }
    if (!e->can_fail[i->imm]) {
        cg_c_line(e, "%s(%s);", name, args);
        return;
    }
    if (e->part) {
        const int number = e->serial++;
        cg_c_line(e, "const int status%d = %s(%s);", number, name, args);
        cg_c_line(e, "if (status%d != 0) {", number);
        cg_c_leave_with(e, cg_c_format(e, "status%d", number));
        cg_c_line(e, "}");
        return;
    }
    cg_c_line(e, "if ((status = %s(%s)) != 0)", name, args);
    cg_c_leave_with(e, "status");
}

static const char *
extern_argument(cg_c_emit *e, const cg_extern_arg *a)
{
    if (a->type != COT_DTYPE_NONE)
        return cg_c_value(e, a->value, 0);
    if (!a->buffer)
        return cg_c_format(e, "(void *)(uintptr_t)UINT64_C(%llu)",
                           (unsigned long long)(uintptr_t)a->address);
    return cg_c_format(e, a->writes ? "(void *)(%s)" : "(const void *)(%s)",
                       address(e, a->buffer - 1, a->offset));
}

/* Calls use the function's address in this process, and otherwise its name, whose declaration
 * is printed once as its author gave it. */
static const char *
callee(cg_c_emit *e, const cg_extern *x, cot_dtype type)
{
    const char *types = "",
               *result = type == COT_DTYPE_NONE ? "void" : cg_c_type(e->t, type, 1);

    if (!e->t->in_process) {
        if (cg_c_new_name(e->t, &e->t->shared, x->prototype))
            ir_buf_printf(&e->t->common, "#include <stdbool.h>\n%s\n", x->prototype);
        return x->symbol;
    }
    for (int k = 0; k < x->n && !x->packed; k++)
        types =
            cg_c_format(e, "%s%s%s", types, k ? ", " : "",
                        x->arg[k].type != COT_DTYPE_NONE ? cg_c_type(e->t, x->arg[k].type, 1)
                        : x->arg[k].writes               ? "void *"
                                                         : "const void *");
    return cg_c_format(e, "((%s (*)(%s))(uintptr_t)UINT64_C(%llu))", result,
                       x->packed ? "void *, void *const *" : types,
                       (unsigned long long)(uintptr_t)x->address);
}

static void
emit_extern(cg_c_emit *e, cg_val v)
{
    const cg_extern *x = e->k->insn[v].ext;
    const cot_dtype type = (cot_dtype)e->k->insn[v].type;
    const char *args = "";

    for (int i = x->packed; i < x->n; i++)
        args =
            cg_c_format(e, "%s%s%s%s", args, i > x->packed ? ", " : "",
                        x->packed ? "(void *)(uintptr_t)" : "", extern_argument(e, &x->arg[i]));
    if (x->packed) {
        const int number = e->serial++;
        cg_c_line(e, "void *const args%d[] = { %s };", number, args);
        args = cg_c_format(e, "%s, args%d", extern_argument(e, &x->arg[0]), number);
    }
    const char *f = callee(e, x, type);
    if (type == COT_DTYPE_NONE)
        cg_c_line(e, "%s(%s);", f, args);
    else
        cg_c_line(e, "const %s %s = %s(%s);", cg_c_type(e->t, type, 1), cg_c_value(e, v, 0), f,
                  args);
}

/* A copy between buffers that may be the same memory is skipped if their addresses are
 * equal. */
static void
emit_copy(cg_c_emit *e, const cg_insn *i)
{
    const uint32_t to = i->call->buffer[0], from = i->call->buffer[1];
    const char *p = address(e, to, i->in[0]), *q = address(e, from, i->in[1]);

    if (e->k->buffer[to].alias == from + 1 || e->k->buffer[from].alias == to + 1)
        cg_c_line(e, "if (%s != %s)", p, q);
    cg_c_line(e, "memmove(%s, %s, %s);", p, q,
              i->in[2] ? cg_c_format(e, "(size_t)%s", cg_c_value(e, i->in[2], 0))
                       : cg_c_format(e, "%llu", (unsigned long long)i->imm));
}

/* Addresses of one element type may be declared with different pointer types, so the variable
 * is a void pointer. */
static void
emit_swap(cg_c_emit *e, const cg_insn *i)
{
    const char *x = e->buffer[i->call->buffer[0]], *y = e->buffer[i->call->buffer[1]];
    const int number = e->serial++;

    cg_c_line(e, "void *const swap%d = %s;", number, x);
    cg_c_line(e, "%s = (void *)%s;", x, y);
    cg_c_line(e, "%s = swap%d;", y, number);
}

/* If the buffer's data are not at its own address, copy them there. */
static void
emit_settle(cg_c_emit *e, const cg_insn *settle)
{
    const uint32_t buffer = (uint32_t)settle->imm;
    const cg_buffer *x = &e->k->buffer[buffer];
    const char *name = e->buffer[buffer], *own = e->own[buffer];

    cg_c_line(e, "if (%s != %s)", name, own);
    cg_c_line(e, "    memmove(%s, %s, %s);", own, name,
              settle->in[0]
                  ? cg_c_format(e, "(size_t)%s", cg_c_value(e, settle->in[0], 0))
                  : cg_c_format(e, "%lld",
                                (long long)(x->elements * (int64_t)cot_dtype_size(x->type))));
    cg_c_line(e, "%s = %s;", name, own);
    for (uint32_t i = e->swapped.next[buffer]; i != buffer; i = e->swapped.next[i])
        cg_c_line(e, "%s = %s;", e->buffer[i], e->own[i]);
}

static void
emit_place(cg_c_emit *e, const cg_insn *i)
{
    const char *name = e->buffer[i->imm], *own = e->own[i->imm];
    const char *work = e->k->work ? e->buffer[e->k->work - 1] : "work";

    cg_c_line(e, "%s = (void *)((char *)%s + %s);", name, work, cg_c_value(e, i->in[0], 0));
    if (own)
        cg_c_line(e, "%s = %s;", own, name);
}

static void
emit_prefetch(cg_c_emit *e, const cg_insn *i)
{
    if (cg_c_new_name(e->t, &e->t->shared, "COT_PREFETCH"))
        ir_buf_str(&e->t->common,
                   "/* p is read soon. */\n"
                   "#if defined(COT_GNU)\n#define COT_PREFETCH(p) __builtin_prefetch(p)\n"
                   "#else\n#define COT_PREFETCH(p) ((void)0)\n#endif\n");
    cg_c_line(e, "COT_PREFETCH(%s);", address(e, (uint32_t)i->imm, i->in[0]));
}

static void
emit_insn(cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];

    switch (i->op) {
    case SC_const:
    case CG_PARAM:
    case CG_VAR:
    case CG_CARRIED:
    case CG_RESULT: break;
    case SC_slow_path: emit_slow_path(e, v); break;
    case CG_LOAD: cg_c_load_insn(e, v); break;
    case CG_SCAN: cg_c_scan_lanes(e, v); break;
    case CG_LAST: cg_c_last_lane(e, v); break;
    case CG_STORE: cg_c_store_insn(e, v); break;
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
        cg_c_line(e, e->part ? "if (%s) {" : "if (%s)",
                  cg_c_bare(e->t, cg_c_value(e, i->in[0], 0)));
        cg_c_leave_with(e, cg_c_format(e, "%d", (int)i->imm));
        if (e->part)
            cg_c_line(e, "}");
        break;
    case CG_EXTERN: emit_extern(e, v); break;
    case CG_COPY: emit_copy(e, i); break;
    case CG_PREFETCH: emit_prefetch(e, i); break;
    case CG_SWAP: emit_swap(e, i); break;
    case CG_SETTLE: emit_settle(e, i); break;
    case CG_PLACE: emit_place(e, i); break;
    default:
        if (!cg_c_index_insn(e, v))
            emit_scalar(e, v);
    }
}

void
cg_c_region(cg_c_emit *e, const cg_region *r, const cg_block *around)
{
    cg_c_note_uses(e, r, around);
    e->made = 0;
    const char *const marks = e->marks;
    for (uint32_t i = 0, n; i < r->n && e->t->status == COT_OK; i++) {
        e->marks = cg_c_marks(e, r->insn[i]);
        if ((n = cg_c_store_adjacent(e, r->insn + i, r->n - i)) > 0)
            i += n - 1;
        else if (e->uses[r->insn[i]] || e->k->insn[r->insn[i]].op >= CG_STORE)
            emit_insn(e, r->insn[i]);
    }
    e->marks = marks;
}
