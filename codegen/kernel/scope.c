/* The scopes of the builder.  Its cursor is the end of the innermost open region.
 *
 * An instruction without effect is placed as far out as its operands allow, and an equal
 * earlier one is used again.  Invariant code therefore leaves loops while it is built, and back
 * ends need neither hoisting nor global value numbering.  This works because a loop enters the
 * list of its parent when it ends: an instruction that is placed in the parent before that
 * precedes the loop. */
#include "codegen/kernel/scope.h"

void
cg_scope_open(cg_build *b, cg_region *r, cg_opening kind)
{
    cg_scope *s = b->scope;

    IR_PUSH(b->k->arena, b->open, b->n_open, b->cap_open, r);
    IR_PUSH(b->k->arena, s->serial, s->n_serial, s->cap_serial, s->next++);
    IR_PUSH(b->k->arena, s->kind, s->n_kind, s->cap_kind, (uint8_t)kind);
}

void
cg_scope_close(cg_build *b)
{
    b->n_open--;
    b->scope->n_serial--;
    b->scope->n_kind--;
}

void
cg_begin(cg_build *b, cg_kernel *k)
{
    *b = (cg_build){ .k = k, .scope = IR_NEW(k->arena, cg_scope) };
    ir_map_init(&b->scope->map, k->arena);
    IR_PUSH(k->arena, b->scope->at, b->scope->n, b->scope->cap, (cg_region_place){ 0 });
    cg_scope_open(b, &k->body, CG_OPEN_LOOP);
}

/* A new value of the open region at that depth; it is in no list yet. */
cg_val
cg_scope_value(cg_build *b, cg_insn x, uint32_t depth)
{
    cg_scope *s = b->scope;
    cg_kernel *k = b->k;

    x.loc = b->loc;
    IR_PUSH(k->arena, k->insn, k->n_insns, k->cap_insns, x);
    IR_PUSH(k->arena, s->at, s->n, s->cap, ((cg_region_place){ depth, s->serial[depth] }));
    return k->n_insns - 1;
}

static cg_val
place_at(cg_build *b, cg_insn x, uint32_t depth)
{
    cg_val v = cg_scope_value(b, x, depth);
    cg_region *r = b->open[depth];

    IR_PUSH(b->k->arena, r->insn, r->n, r->cap, v);
    return v;
}

cg_val
cg_scope_place(cg_build *b, cg_insn x)
{
    return place_at(b, x, b->n_open - 1);
}

cg_val
cg_scope_place_around(cg_build *b, cg_insn x)
{
    return place_at(b, x, b->n_open - 2);
}

uint32_t
cg_depth(const cg_build *b, cg_val v)
{
    return v ? b->scope->at[v].depth : 0;
}

/* The depth of the outermost region for x: it contains all operands, and x leaves no region of
 * a kind above `most`. */
static uint32_t
outermost(const cg_build *b, const cg_insn *x, cg_opening most)
{
    uint32_t d = 0;

    for (int i = 0; i < 3; i++)
        if (cg_depth(b, x->in[i]) > d)
            d = cg_depth(b, x->in[i]);
    for (int i = 0; i < 4; i++)
        if (cg_depth(b, x->args[i]) > d)
            d = cg_depth(b, x->args[i]);
    for (uint32_t i = b->n_open; i-- > d + 1;)
        if (b->scope->kind[i] > most)
            return i;
    return d;
}

static uint64_t
hash_insn(const cg_insn *x)
{
    uint64_t h = ir_hash_u64(x->op, x->type);

    for (int i = 0; i < 3; i++)
        h = ir_hash_u64(h, x->in[i]);
    for (int i = 0; i < 4; i++)
        h = ir_hash_u64(h, x->args[i]);
    h = ir_hash_u64(h, x->imm);
    h = ir_hash_u64(h, (uintptr_t)x->table);
    return ir_hash_u64(h, (uintptr_t)x->sub);
}

static bool
same_insn(const cg_insn *x, const cg_insn *y)
{
    return x->op == y->op && x->type == y->type && x->imm == y->imm && x->table == y->table &&
           x->sub == y->sub && memcmp(x->in, y->in, sizeof x->in) == 0 &&
           memcmp(x->args, y->args, sizeof x->args) == 0;
}

/* The shared instance of an instruction without effect. */
cg_val
cg_scope_share(cg_build *b, cg_insn x, cg_opening most)
{
    uint64_t h = hash_insn(&x);

    for (uint32_t at = 0, v; (v = ir_map_next(&b->scope->map, h, &at)) != 0;)
        if (cg_scope_is_open(b, b->scope->at[v]) && same_insn(&b->k->insn[v], &x))
            return v;
    cg_val v = place_at(b, x, outermost(b, &x, most));
    ir_map_add(&b->scope->map, h, v);
    return v;
}
