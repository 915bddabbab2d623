/* Scalar programs: building, copying and printing them; the program of each op; half formats.
 *
 * The builder keeps programs small by itself: an instruction that is already there is shared,
 * one whose operands are all constant is evaluated at once (by the interpreter, so that a
 * folded value has the bits that code would have computed), and a select on a constant picks
 * its side.
 * Programs have a few hundred instructions at most, so that sharing is a linear search. */
#include "ir/scalar.h"

#include <inttypes.h>

#include "ir/context.h"
#include "ir/math/math.h"
#include "ir/op.h"

const char *const ir_sc_name[SC_COUNT] = {
#define SC(name, n, doc) #name,
    SC_OPS(SC)
#undef SC
};
const uint8_t ir_sc_arity[SC_COUNT] = {
#define SC(name, n, doc) n,
    SC_OPS(SC)
#undef SC
};

static bool
is_comparison(int op)
{
    return op >= SC_eq && op <= SC_le;
}

static cot_dtype
result_type(const ir_sc_insn *i)
{
    return is_comparison(i->op) ? COT_BOOL : (cot_dtype)i->type;
}

cot_dtype
ir_sc_type(const ir_sc_program *p, ir_sc v)
{
    return v < p->n_in ? p->in[v] : result_type(&p->insn[v - p->n_in]);
}

cot_dtype
ir_sc_type_in(const ir_sc_build *b, ir_sc v)
{
    return v < b->n_in ? b->in[v] : result_type(&b->insn[v - b->n_in]);
}

void
ir_sc_begin(ir_sc_build *b, ir_arena *a, int n_in, const cot_dtype *in)
{
    *b = (ir_sc_build){ .arena = a, .n_in = n_in };
    for (int i = 0; i < n_in; i++)
        b->in[i] = in[i];
}

/* The program without the instructions that `out` does not need: instructions that were tried
 * or folded are dropped. */
const ir_sc_program *
ir_sc_end(ir_sc_build *b, ir_sc out)
{
    ir_sc_program *p = IR_NEW(b->arena, ir_sc_program);
    ir_sc *to = IR_NEW_N(b->arena, ir_sc, b->n_in + (int)b->n + 1);
    bool *live = IR_NEW_N(b->arena, bool, b->n_in + (int)b->n + 1);
    ir_sc_insn *insn = IR_NEW_N(b->arena, ir_sc_insn, b->n + 1);

    live[out] = true;
    for (int k = (int)b->n - 1; k >= 0; k--) {
        const ir_sc_insn *i = &b->insn[k];
        if (!live[b->n_in + k])
            continue;
        for (int j = 0; j < ir_sc_arity[i->op]; j++)
            live[i->in[j]] = true;
        for (int j = 0; i->op == SC_slow_path && j < i->sub->n_in; j++)
            live[i->args[j]] = true;
    }
    for (int j = 0; j < b->n_in; j++) {
        p->in[j] = b->in[j];
        to[j] = (ir_sc)j;
    }
    p->n_in = b->n_in;
    for (uint32_t k = 0; k < b->n; k++) {
        if (!live[(uint32_t)b->n_in + k])
            continue;
        ir_sc_insn i = b->insn[k];
        for (int j = 0; j < ir_sc_arity[i.op]; j++)
            i.in[j] = to[i.in[j]];
        for (int j = 0; i.op == SC_slow_path && j < i.sub->n_in; j++)
            i.args[j] = to[i.args[j]];
        to[(uint32_t)b->n_in + k] = (ir_sc)(p->n_in + p->n);
        insn[p->n++] = i;
    }
    p->insn = insn;
    p->out = to[out];
    p->type = ir_sc_type(p, p->out);
    return p;
}

static bool
same_insn(const ir_sc_insn *a, const ir_sc_insn *b)
{
    return a->op == b->op && a->type == b->type && a->in[0] == b->in[0] &&
           a->in[1] == b->in[1] && a->in[2] == b->in[2] && a->imm == b->imm &&
           a->table == b->table && a->sub == b->sub &&
           memcmp(a->args, b->args, sizeof a->args) == 0;
}

/* i, or the equal instruction that is already there. */
static ir_sc
share(ir_sc_build *b, const ir_sc_insn *i)
{
    for (uint32_t k = b->n; k-- > 0;)
        if (same_insn(&b->insn[k], i))
            return (ir_sc)((uint32_t)b->n_in + k);
    IR_PUSH(b->arena, b->insn, b->n, b->cap, *i);
    return (ir_sc)((uint32_t)b->n_in + b->n - 1);
}

static const ir_sc_insn *
constant(const ir_sc_build *b, ir_sc v)
{
    const ir_sc_insn *i = v < b->n_in ? NULL : &b->insn[v - b->n_in];

    return i != NULL && i->op == SC_const ? i : NULL;
}

/* Evaluate i if its operands are all constant. */
static bool
fold(ir_sc_build *b, const ir_sc_insn *i, ir_sc *out)
{
    const void *in[3];
    uint64_t bits = 0;

    for (int j = 0; j < ir_sc_arity[i->op]; j++) {
        const ir_sc_insn *c = constant(b, i->in[j]);
        if (c == NULL)
            return false;
        in[j] = &c->imm;
    }
    ir_sc_eval(i, ir_sc_type_in(b, i->in[0]), 1, &bits, in);
    *out = ir_sc_const_bits(b, result_type(i), bits);
    return true;
}

ir_sc
ir_sc_add_insn(ir_sc_build *b, ir_sc_op op, cot_dtype T, ir_sc x, ir_sc y, ir_sc z)
{
    ir_sc_insn i = { .op = (uint8_t)op, .type = (uint8_t)T, .in = { x, y, z } };
    const ir_sc_insn *c = constant(b, x);
    ir_sc v;

    for (int j = ir_sc_arity[op]; j < 3; j++)
        i.in[j] = 0;
    if (op == SC_select && (y == z || c != NULL))
        return y == z || c->imm != 0 ? y : z;
    if (op == SC_cvt && ir_sc_type_in(b, x) == T)
        return x;
    if (op == SC_bitcast && ir_sc_type_in(b, x) == T)
        return x;
    if (fold(b, &i, &v))
        return v;
    return share(b, &i);
}

ir_sc
ir_sc_const_bits(ir_sc_build *b, cot_dtype T, uint64_t bits)
{
    ir_sc_insn i = { .op = SC_const, .type = (uint8_t)T };

    i.imm = bits & (UINT64_MAX >> (64 - 8 * cot_dtype_size(T)));
    return share(b, &i);
}

ir_sc
ir_sc_f32(ir_sc_build *b, float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return ir_sc_const_bits(b, COT_F32, bits);
}

ir_sc
ir_sc_f64(ir_sc_build *b, double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return ir_sc_const_bits(b, COT_F64, bits);
}

ir_sc
ir_sc_int(ir_sc_build *b, cot_dtype T, int64_t x)
{
    return ir_sc_const_bits(b, T, (uint64_t)x);
}

ir_sc
ir_sc_number(ir_sc_build *b, cot_dtype T, double x)
{
    switch (T) {
    case COT_F64: return ir_sc_f64(b, x);
    case COT_F32: return ir_sc_f32(b, (float)x);
    case COT_F16: return ir_sc_const_bits(b, T, cot_f32_to_f16((float)x));
    case COT_BF16: return ir_sc_const_bits(b, T, cot_f32_to_bf16((float)x));
    default: return ir_sc_const_bits(b, T, x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x);
    }
}

ir_sc
ir_sc_lookup(ir_sc_build *b, const ir_sc_table *t, ir_sc index)
{
    ir_sc_insn i = { .op = SC_table, .type = (uint8_t)t->type, .in = { index }, .table = t };
    ir_sc v;

    return fold(b, &i, &v) ? v : share(b, &i);
}

static ir_sc
slow_path(ir_sc_build *b, bool branches, ir_sc cond, const ir_sc_program *sub, int n,
          const ir_sc *args, ir_sc otherwise)
{
    ir_sc_insn i = { .op = SC_slow_path,
                     .type = (uint8_t)sub->type,
                     .in = { cond, otherwise },
                     .imm = branches,
                     .sub = sub };
    const ir_sc_insn *c = constant(b, cond);

    if (c != NULL)
        return c->imm != 0 ? ir_sc_inline(b, sub, args) : otherwise;
    for (int j = 0; j < n; j++)
        i.args[j] = args[j];
    return share(b, &i);
}

ir_sc
ir_sc_slow_path(ir_sc_build *b, ir_sc cond, const ir_sc_program *sub, int n, const ir_sc *args,
                ir_sc otherwise)
{
    return slow_path(b, false, cond, sub, n, args, otherwise);
}

ir_sc
ir_sc_branch(ir_sc_build *b, ir_sc cond, const ir_sc_program *sub, int n, const ir_sc *args,
             ir_sc otherwise)
{
    return slow_path(b, true, cond, sub, n, args, otherwise);
}

ir_sc
ir_sc_inline(ir_sc_build *b, const ir_sc_program *p, const ir_sc *in)
{
    ir_sc *to = IR_NEW_N(b->arena, ir_sc, p->n_in + p->n + 1);

    for (int j = 0; j < p->n_in; j++)
        to[j] = in[j];
    for (int k = 0; k < p->n; k++) {
        const ir_sc_insn *i = &p->insn[k];
        ir_sc args[4] = { 0 };
        ir_sc *v = &to[p->n_in + k];
        switch (i->op) {
        case SC_const: *v = ir_sc_const_bits(b, (cot_dtype)i->type, i->imm); break;
        case SC_table: *v = ir_sc_lookup(b, i->table, to[i->in[0]]); break;
        case SC_slow_path:
            for (int j = 0; j < i->sub->n_in; j++)
                args[j] = to[i->args[j]];
            *v = slow_path(b, i->imm, to[i->in[0]], i->sub, i->sub->n_in, args, to[i->in[1]]);
            break;
        default:
            *v = ir_sc_add_insn(b, (ir_sc_op)i->op, (cot_dtype)i->type, to[i->in[0]],
                                to[i->in[1]], to[i->in[2]]);
        }
    }
    return to[p->out];
}

static void
print_const(ir_buf *b, const ir_sc_insn *i)
{
    float x;
    double y;

    ir_buf_printf(b, " 0x%" PRIx64, i->imm);
    if (i->type != COT_F32 && i->type != COT_F64)
        return;
    ir_buf_str(b, " (");
    if (i->type == COT_F32) {
        memcpy(&x, &i->imm, sizeof x);
        ir_buf_f32(b, x);
    } else {
        memcpy(&y, &i->imm, sizeof y);
        ir_buf_f64(b, y);
    }
    ir_buf_str(b, ")");
}

static void
print_program(ir_buf *b, const ir_sc_program *p, int indent)
{
    ir_buf_str(b, "(");
    for (int j = 0; j < p->n_in; j++)
        ir_buf_printf(b, "%s%%%d: %s", j > 0 ? ", " : "", j, cot_dtype_name(p->in[j]));
    ir_buf_printf(b, ") -> %s {\n", cot_dtype_name(p->type));
    for (int k = 0; k < p->n; k++) {
        const ir_sc_insn *i = &p->insn[k];
        ir_buf_printf(b, "%*s%%%d = %s %s", indent + 2, "", p->n_in + k, ir_sc_name[i->op],
                      cot_dtype_name((cot_dtype)i->type));
        for (int j = 0; j < ir_sc_arity[i->op]; j++)
            ir_buf_printf(b, "%s%%%d", j > 0 ? ", " : " ", i->in[j]);
        if (i->op == SC_const)
            print_const(b, i);
        if (i->op == SC_slow_path) {
            ir_buf_str(b, " by [");
            for (int j = 0; j < i->sub->n_in; j++)
                ir_buf_printf(b, "%s%%%d", j > 0 ? ", " : "", i->args[j]);
            ir_buf_str(b, "] ");
            print_program(b, i->sub, indent + 2);
        }
        ir_buf_str(b, "\n");
    }
    ir_buf_printf(b, "%*sret %%%d\n%*s}", indent + 2, "", p->out, indent, "");
}

void
ir_sc_print(ir_buf *b, const ir_sc_program *p)
{
    print_program(b, p, 0);
    ir_buf_str(b, "\n");
}

uint64_t
ir_sc_hash(const ir_sc_program *p)
{
    uint64_t h =
        ir_hash((uint64_t)p->type << 16 | p->out, p->in, sizeof *p->in * (size_t)p->n_in);

    for (int k = 0; k < p->n; k++) {
        const ir_sc_insn *i = &p->insn[k];
        h = ir_hash_u64(h, (uint64_t)i->op << 8 | i->type);
        h = ir_hash(ir_hash_u64(h, i->imm), i->in, sizeof *i->in * ir_sc_arity[i->op]);
        if (i->op == SC_table)
            h = ir_hash(h, i->table->data,
                        cot_dtype_size(i->table->type) * (size_t)i->table->n);
        if (i->op == SC_slow_path)
            h = ir_hash_u64(ir_hash(h, i->args, sizeof *i->args * (size_t)i->sub->n_in),
                            ir_sc_hash(i->sub));
    }
    return h;
}

/* The programs made so far, in the context. */
typedef struct known_program {
    int op, n_in;
    cot_dtype in[3], out;
    int64_t power;          /* the attributes, if the program depends on them */
    const ir_sc_program *p; /* NULL: there is none for these types */
} known_program;

typedef struct cache {
    ir_map map; /* to 1 + index */
    known_program *item;
    uint32_t n, cap;
} cache;

static cache *
cache_of(cot_context *ctx)
{
    static const char key;
    cache *c = ir_attached_find(ctx, &key);

    if (c == NULL) {
        c = IR_NEW(&ctx->arena, cache);
        ir_map_init(&c->map, &ctx->arena);
        ir_attach(ctx, &key, c, NULL);
    }
    return c;
}

static eval_scalar *const rule_of[OP_COUNT] = {
#define OP(name, n, attrs, flag, infer, eval, ...) MATH_##flag([OP_##name] = eval_##eval COMMA)
#define COMMA                                      ,
#include "ir/ops.def"
#undef COMMA
#undef OP
};

static const ir_sc_program *
build_program(cot_context *ctx, const known_program *k, const ir_attrs *at)
{
    ir_sc_build b;
    ir_sc x[3], y;
    cot_dtype in = k->in[k->n_in - 1];
    bool widen = !ir_ops[k->op].stored;

    ir_sc_begin(&b, &ctx->arena, k->n_in, k->in);
    for (int i = 0; i < k->n_in; i++) {
        x[i] = (ir_sc)i;
        if (widen && ir_is_half(k->in[i]))
            x[i] = m_cvt(&b, COT_F32, x[i]);
    }
    y = rule_of[k->op](&b, at, widen ? ir_compute_type(in) : in,
                       widen ? ir_compute_type(k->out) : k->out, x);
    return ir_sc_end(&b, m_cvt(&b, k->out, y));
}

const ir_sc_program *
ir_sc_of(cot_context *ctx, int op, const ir_attrs *at, int n_in, const cot_dtype *in,
         cot_dtype out)
{
    cache *c = cache_of(ctx);
    known_program want = { .op = op, .n_in = n_in, .out = out };
    uint32_t id, next = 0;

    bool complex = ir_is_complex(out);

    for (int i = 0; i < n_in && i < 3; i++)
        complex |= ir_is_complex(in[i]);
    if (rule_of[op] == NULL || n_in > 3 || complex)
        return NULL;
    memcpy(want.in, in, sizeof *in * (size_t)n_in);
    switch (ir_ops[op].record) {
    case IR_AT_ipow: want.power = at->ipow.y; break;
    case IR_AT_word: want.power = at->word.word; break;
    case IR_AT_precision:
        want.power = at->precision.exponent_bits * 64 + at->precision.mantissa_bits;
        break;
    default: break;
    }
    uint64_t hash =
        ir_hash(ir_hash_u64((uint64_t)op, (uint64_t)want.power), want.in, sizeof want.in);
    hash = ir_hash_u64(hash, (uint64_t)out);
    while ((id = ir_map_next(&c->map, hash, &next)) != 0) {
        const known_program *k = &c->item[id - 1];
        if (k->op == op && k->out == out && k->power == want.power &&
            memcmp(k->in, want.in, sizeof k->in) == 0)
            return k->p;
    }
    want.p = build_program(ctx, &want, at);
    IR_PUSH(&ctx->arena, c->item, c->n, c->cap, want);
    ir_map_add(&c->map, hash, c->n);
    return want.p;
}
