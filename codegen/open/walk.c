/* Lists a module, in the order of its text.
 *
 * Values are numbered where they are defined, constants are written where they are used, so
 * that neither the sharing of equal constants nor the order in which instructions were built
 * matters. What must be known when a kernel is compiled (steps, the extents of vector and
 * unrolled loops) is a token, and what may be computed when it is called is a number. */
#include "codegen/open/walk.h"

#include "ir/map.h"

typedef struct walker {
    cg_tokens *out;
    cg_kernel *k;
    uint32_t *name, names;      /* of each value: its number in the text */
    ir_loc loc;
    cg_val at;
    const char *why;
} walker;

static void walk_region(walker *w, cg_region *r);

static bool
is_in_insns(const cg_kernel *k, const void *p)
{
    const char *at = p, *insn = (const char *)k->insn;

    return at >= insn && at < insn + k->n_insns * sizeof *k->insn;
}

static void
token(walker *w, uint64_t bits)
{
    cg_tokens *t = w->out;

    IR_PUSH(t->arena, t->token, t->n, t->cap, ((cg_token){ bits, w->loc }));
}

static void
number(walker *w, cg_number x)
{
    cg_tokens *t = w->out;

    x.k = w->k;
    x.at = w->at;
    token(w, (uint64_t)x.kind << 8 | x.type);
    IR_PUSH(t->arena, t->number, t->n_numbers, t->cap_numbers, x);
}

static void
integer(walker *w, cg_number_kind kind, int64_t *x, uint32_t buffer)
{
    number(w, (cg_number){ .kind = kind,
                           .integer = w->k && is_in_insns(w->k, x) ? NULL : x,
                           .value = (uint64_t)*x,
                           .buffer = buffer });
}

static void
name(walker *w, cg_val v)
{
    if (v)
        w->name[v] = ++w->names;
}

cg_val *
cg_operand_at(const cg_number *x)
{
    return x->operand ? x->operand : (cg_val *)(void *)((char *)x->k->insn + x->offset);
}

int64_t *
cg_integer_at(const cg_number *x)
{
    return x->integer ? x->integer : (int64_t *)&x->k->insn[x->at].imm;
}

static bool
is_const(const walker *w, cg_val v)
{
    return v && w->k->insn[v].op == SC_const;
}

static void
operand(walker *w, cg_val *v)
{
    const cg_insn *x = &w->k->insn[*v];

    if (is_const(w, *v))
        number(w, (cg_number){ .kind = CG_NUMBER_OPERAND,
                               .type = (cot_dtype)x->type,
                               .value = x->imm,
                               .operand = is_in_insns(w->k, v) ? NULL : v,
                               .offset = is_in_insns(w->k, v)
                                             ? (size_t)((char *)v - (char *)w->k->insn)
                                             : 0 });
    else if (*v && x->op == CG_PARAM)
        token(w, 1 | x->imm << 32);
    else
        token(w, *v ? 2 | (uint64_t)w->name[*v] << 8 : 0);
}

/* A constant operand that must be one. */
static void
fixed(walker *w, cg_val *v)
{
    if (is_const(w, *v))
        token(w, 3 | w->k->insn[*v].imm << 8);
    else
        operand(w, v);
}

static bool
has_constant_extent(const cg_block *x)
{
    return (x->kind != CG_SERIAL && x->kind != CG_PARALLEL && x->kind != CG_GRID) ||
           cg_has_mode(x, CG_FOLD) || (x->kind == CG_PARALLEL && cg_has_mode(x, CG_TREE));
}

static void
walk_yields(walker *w, cg_block *x)
{
    for (int i = 0; i < x->n; i++) {
        cg_yield *y = &x->yield[i];

        token(w, (uint64_t)y->mode << 16 | (uint64_t)y->combine << 8 | (uint64_t)y->type);
        operand(w, &y->value);
    }
}

static void
walk_loop(walker *w, cg_block *x)
{
    token(w, (uint64_t)x->kind << 56 ^ (uint64_t)x->step << 8 ^ (uint64_t)x->n);
    if (has_constant_extent(x)) {
        fixed(w, &x->lo);
        fixed(w, &x->hi);
    } else {
        operand(w, &x->lo);
        operand(w, &x->hi);
    }
    operand(w, &x->limit);
    for (int i = 0; i < x->n; i++)
        operand(w, &x->yield[i].init);
    name(w, x->var);
    for (int i = 0; i < x->n; i++)
        name(w, x->yield[i].carried);
    walk_region(w, &x->body);
    walk_yields(w, x);
}

static void
walk_if(walker *w, cg_block *x)
{
    operand(w, &x->cond);
    token(w, (uint64_t)x->n);
    walk_region(w, &x->body);
    walk_yields(w, x);
    walk_region(w, &x->other);
    for (int i = 0; i < x->n; i++)
        operand(w, &x->yield[i].init);
}

static void
walk_while(walker *w, cg_block *x)
{
    token(w, (uint64_t)x->n);
    for (int i = 0; i < x->n; i++)
        operand(w, &x->yield[i].init);
    for (int i = 0; i < x->n; i++)
        name(w, x->yield[i].carried);
    walk_region(w, &x->other);
    operand(w, &x->cond);
    walk_region(w, &x->body);
    walk_yields(w, x);
}

static void
walk_block(walker *w, const cg_insn *i)
{
    cg_block *x = i->block;

    if (i->op == CG_LOOP)
        walk_loop(w, x);
    else if (i->op == CG_IF)
        walk_if(w, x);
    else
        walk_while(w, x);
    for (int k = 0; k < x->n; k++)
        name(w, x->result[k]);
}

static void
walk_call(walker *w, const cg_insn *i)
{
    cg_call *c = i->call;

    token(w, (uint64_t)(uint32_t)c->kernel << 32 ^ (uint64_t)(uint32_t)c->n_buffers << 16 ^
                 (uint64_t)(uint32_t)c->n_params);
    for (int k = 0; k < c->n_buffers; k++) {
        token(w, c->buffer[k]);
        if (c->offset)
            operand(w, &c->offset[k]);
    }
    for (int k = 0; k < c->n_params; k++)
        operand(w, &c->param[k]);
}

static void
walk_table(walker *w, const cg_insn *i)
{
    token(w, (uint64_t)(uintptr_t)i->table);
    token(w, (uint64_t)(uintptr_t)i->sub);
}

static void
walk_insn(walker *w, cg_val v)
{
    cg_insn *i = &w->k->insn[v];

    if (i->op == SC_const || i->op == CG_PARAM)
        return;
    w->loc = cg_loc_of(w->k, v);
    w->at = v;
    token(w, (uint64_t)i->op << 32 | i->type);
    if (i->op == CG_COPY)
        integer(w, CG_NUMBER_BYTES, (int64_t *)&i->imm, 0);
    else
        token(w, i->imm);
    if (i->ext)
        w->why = "it calls a foreign function, which is given no sizes; wants fixed ones";
    if (i->op == CG_MMA)
        w->why = "it is a product by tensor cores, which are no exact ones, so that a trial of "
                 "its kernel shows nothing; wants fixed sizes, or a target that is not fast";
    walk_table(w, i);
    for (int k = 0; k < 3; k++)
        operand(w, &i->in[k]);
    for (int k = 0; k < 4; k++)
        operand(w, &i->args[k]);
    if (i->call)
        walk_call(w, i);
    if (i->block)
        walk_block(w, i);
    name(w, v);
}

static void
walk_region(walker *w, cg_region *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        walk_insn(w, r->insn[i]);
}

static void
walk_buffers(walker *w)
{
    for (uint32_t i = 0; i < w->k->n_buffers; i++) {
        cg_buffer *x = &w->k->buffer[i];
        const bool is_own =
            x->space == CG_LOCAL || x->space == CG_SHARED || x->space == CG_CONST;

        token(w, (uint64_t)x->type << 56 ^ (uint64_t)x->space << 48 ^ (uint64_t)x->align << 32 ^
                     (uint64_t)x->streams << 24 ^ x->alias);
        token(w, (uint64_t)x->arg << 1 | x->aliased);
        if (is_own)
            token(w, (uint64_t)x->elements);
        else
            integer(w, CG_NUMBER_ELEMENTS, &x->elements, i);
        if (x->space == CG_WORK)
            integer(w, CG_NUMBER_OFFSET, &x->offset, i);
        if (x->data)
            token(w, ir_hash(0, x->data, (size_t)x->elements * cot_dtype_size(x->type)));
    }
}

/* The declarations, by which instances are proved. */
static void
walk_takes(walker *w)
{
    cg_kernel *k = w->k;

    w->at = 0;
    for (uint32_t i = 0; i < k->n_reductions; i++) {
        integer(w, CG_NUMBER_PROOF, &k->reduction[i].n, 0);
        integer(w, CG_NUMBER_PROOF, &k->reduction[i].parts, 0);
        operand(w, &k->reduction[i].split);
        operand(w, &k->reduction[i].count);
    }
    for (uint32_t i = 0; i < k->n_takes; i++) {
        cg_take *t = &k->take[i];

        operand(w, &t->when);
        integer(w, CG_NUMBER_PROOF, &t->k, 0);
        integer(w, CG_NUMBER_PROOF, &t->extent, 0);
        integer(w, CG_NUMBER_PROOF, &t->limit, 0);
        token(w, (uint64_t)(int64_t)t->n);
        for (int j = 0; j < t->n; j++) {
            integer(w, CG_NUMBER_PROOF, (int64_t *)&t->term[j].c, 0);
            operand(w, (cg_val *)&t->term[j].v);
        }
    }
}

static void
walk_kernel(walker *w, cg_kernel *k)
{
    w->k = k;
    w->loc = k->loc;
    w->at = 0;
    w->name = IR_NEW_N(w->out->arena, uint32_t, k->n_insns);
    w->names = 0;
    token(w, (uint64_t)k->n_buffers << 32 ^ (uint64_t)(uint32_t)k->n_params << 2 ^
                 (uint64_t)k->plans << 1 ^ k->alone);
    integer(w, CG_NUMBER_WORK, &k->work_bytes, 0);
    walk_buffers(w);
    walk_region(w, &k->body);
    walk_takes(w);
}

const char *
cg_tokens_of(cg_module *m, ir_arena *a, cg_tokens *out)
{
    walker w = { .out = out };

    *out = (cg_tokens){ .arena = a };
    token(&w, (uint64_t)m->n_kernels << 32 ^ (uint64_t)(uint32_t)m->n_args << 2 ^
                  (uint64_t)m->parallel << 1 ^ m->trapping_math);
    for (uint32_t i = 0; i < m->n_kernels; i++)
        walk_kernel(&w, m->kernel[i]);
    w.k = NULL;
    integer(&w, CG_NUMBER_WORK, &m->work_bytes, 0);
    return w.why;
}

uint64_t
cg_tokens_hash(const cg_tokens *t)
{
    uint64_t h = t->n;

    for (uint32_t i = 0; i < t->n; i++)
        h = ir_hash_u64(h, t->token[i].bits);
    return h;
}
