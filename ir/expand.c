/* Expansions: built on demand, kept in the context. */
#include "ir/expand.h"

#include "ir/diag.h"
#include "ir/eval/eval.h"

static ir_expander *const expanders[OP_COUNT] = {
#define OP(name, n, attrs, flag, infer, eval, ...) EXPANDER_##flag([OP_##name] = eval_##eval, )
#include "ir/ops.def"
#undef OP
};

typedef struct expansion_entry {
    ir_op op;
    ir_loc loc;
    ir_attrs at;
    int n_in;
    const ir_type *const *in;
    bool unfolded; /* built while sizes are open: nothing in it is folded or shared */
    ir_expansion x;
} expansion_entry;

typedef struct expansion_table {
    ir_map map;
    expansion_entry **at;
    uint32_t n, cap;
} expansion_table;

static expansion_table *
table_of(cot_context *ctx)
{
    static const char key;
    expansion_table *t = ir_attached_find(ctx, &key);

    if (!t) {
        t = IR_NEW(&ctx->arena, expansion_table);
        ir_map_init(&t->map, &ctx->arena);
        ir_attach(ctx, &key, t, NULL);
    }
    return t;
}

static uint64_t
hash_of(const expansion_entry *e)
{
    ir_record r = ir_ops[e->op].record;
    uint64_t h = ir_hash((uint64_t)e->op, e->in, sizeof *e->in * (size_t)e->n_in);

    return ir_hash_u64(r == IR_AT_none ? h : ir_hash_u64(h, ir_attrs_hash(r, &e->at)), e->loc);
}

static bool
same(const expansion_entry *a, const expansion_entry *b)
{
    return a->op == b->op && a->loc == b->loc && a->n_in == b->n_in &&
           a->unfolded == b->unfolded &&
           memcmp(a->in, b->in, sizeof *a->in * (size_t)a->n_in) == 0 &&
           ir_attrs_equal(ir_ops[a->op].record, &a->at, &b->at);
}

static bool
is_half(cot_dtype t)
{
    return t == COT_F16 || t == COT_BF16;
}

static cot_status
build(cot_context *ctx, expansion_entry *e)
{
    ir_build *b = ir_build_new(ctx, ir_ops[e->op].name);
    int n_out = ir_max_results(e->op, &e->at);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, e->n_in + 1), *y = IR_NEW_N(b->arena, ir_ref, n_out);
    cot_dtype half = COT_DTYPE_NONE;
    ir_graph *g;

    b->loc = ir_loc_derive(ctx, e->loc, ir_format(b->arena, "in %s", ir_ops[e->op].name));
    for (int i = 0; i < e->n_in; i++) {
        x[i] = ir_input(b, e->in[i], NULL);
        if (!is_half(e->in[i]->dtype))
            continue;
        half = e->in[i]->dtype;
        x[i] = ir_convert(b, x[i], COT_F32);
    }
    expanders[e->op](b, &e->at, e->n_in, x, y);
    for (int j = 0; j < n_out && b->status == COT_OK; j++)
        ir_output(b, half && ir_btype(b, y[j])->dtype == COT_F32 ? ir_convert(b, y[j], half)
                                                                 : y[j]);
    COT_TRY(ir_build_end(b, &g));
    e->x.graph = g;
    return COT_OK;
}

cot_status
ir_expand(cot_context *ctx, ir_loc loc, ir_op op, const ir_attrs *at, int n_in,
          const ir_type *const *in, ir_expansion **out)
{
    expansion_table *t = table_of(ctx);
    const ir_attrs own = ir_attrs_of(ir_ops[op].record, at);
    expansion_entry key = { .op = op,
                            .loc = ctx->follow ? ir_loc_plain(ctx, loc) : loc,
                            .at = own,
                            .n_in = n_in,
                            .in = in,
                            .unfolded = ctx->unfolded };
    const uint64_t hash = hash_of(&key);
    uint32_t cursor = 0, id;

    while ((id = ir_map_next(&t->map, hash, &cursor)))
        if (same(t->at[id - 1], &key)) {
            *out = &t->at[id - 1]->x;
            return COT_OK;
        }
    key.at = ir_attrs_copy(&ctx->arena, ir_ops[op].record, at);
    key.in = ir_copy_bytes(&ctx->arena, in, sizeof *in * (size_t)n_in);
    COT_TRY(build(ctx, &key));
    expansion_entry *e = ir_copy_bytes(&ctx->arena, &key, sizeof key);
    IR_PUSH(&ctx->arena, t->at, t->n, t->cap, e);
    ir_map_add(&t->map, hash, t->n);
    *out = &e->x;
    return COT_OK;
}

/* The reference evaluator of an op that was not replaced by its expansion: it evaluates the
 * expansion, in the memory of the whole evaluation. */
cot_status
eval_expand(const ir_eval_args *a)
{
    ir_expansion *x;

    COT_TRY(ir_expand(a->ctx, a->loc, a->op, a->at, a->n_in, a->in_type, &x));
    return eval_graph(a->mem, x->graph, a->out, a->in);
}

ir_build *
ir_sub_begin(ir_build *outer, const char *name)
{
    ir_build *b = ir_build_new(outer->ctx, name);

    b->loc = outer->loc;
    b->status = outer->status;
    return b;
}

ir_graph *
ir_sub_end(ir_build *outer, ir_build *b)
{
    ir_graph *g = NULL;
    cot_status s = ir_build_end(b, &g);

    if (outer->status == COT_OK)
        outer->status = s;
    return g;
}
