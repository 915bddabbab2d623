/* The op table made data, and everything that is generic over attribute records. */
#include "ir/op.h"

#include "ir/graph.h"
#include "ir/map.h"

/* The words that the facts column of ops.def uses. */
#define OF_BODY      IR_OF_BODY
#define RESULTS(n)   .results = (n)
#define FREE         .cost = IR_FREE
#define CHEAP        .cost = IR_CHEAP
#define VIEW         .view = true
#define THROUGH      .through = true
#define ALIAS(op)    .alias = OP_##op
#define WRITES       .writes = true
#define UPDATES      .updates = true
#define BY(how)      .by = IR_BY_##how
#define NORMAL(a, b) .normal = { a, b }
#define LINEAR(kind) .linear = IR_LINEAR_##kind
#define LOOP         .loop = true
#define QUIET        .quiet = true
#define STORED       .stored = true
#define LIST(...)    __VA_ARGS__

const ir_op_info ir_ops[OP_COUNT] = {
    { .name = "none" },
#define OP(op, operands, attrs, class, infer, eval, jvp, transpose, vmap, lower, fold, plan,   \
           facts, text)                                                                        \
    { .name = #op,                                                                             \
      .n_in = operands,                                                                        \
      .record = IR_AT_##attrs,                                                                 \
      .flag = IR_##class,                                                                      \
      .kernel = IR_KERNEL_##plan,                                                              \
      .doc = text,                                                                             \
      LIST facts },
#include "ir/ops.def"
#undef OP
};

const char *const ir_mode_name[IR_MODE_COUNT] = { "clip", "fill", "promise" };

/* The fields of every record, one after the other; records open with a name of NULL. */
#define REQUIRED IR_REQUIRED
static const ir_field all_fields[] = {
#define RECORD(name) { .kind = (ir_field_kind)IR_AT_##name },
#define FIELD(record, kind, name, init)                                                        \
    { #name, IR_F_##kind, offsetof(ir_attrs, record.name), init },
#define END(name)
#include "ir/attrs.def"
#undef RECORD
#undef FIELD
#undef END
};
#undef REQUIRED

const ir_field *
ir_record_fields(ir_record r, int *n)
{
    const int total = sizeof all_fields / sizeof *all_fields;
    int at = 0;
    while (at < total && (all_fields[at].name || (ir_record)all_fields[at].kind != r))
        at++;
    at += at < total;
    *n = 0;
    while (at + *n < total && all_fields[at + *n].name)
        ++*n;
    return all_fields + at;
}

ir_op
ir_op_by(ir_op like, ir_combine by)
{
    for (int i = OP_FIRST; i < OP_COUNT && by != IR_BY_NONE; i++)
        if (ir_ops[i].by == by && ir_ops[i].flag == ir_ops[like].flag &&
            ir_ops[i].record == ir_ops[like].record)
            return (ir_op)i;
    return OP_none;
}

ir_op
ir_op_find(const char *name)
{
    for (int i = OP_FIRST; i < OP_COUNT; i++)
        if (strcmp(ir_ops[i].name, name) == 0)
            return (ir_op)i;
    return OP_none;
}

ir_ints
ir_ints_copy(ir_arena *a, int n, const int64_t *at)
{
    return (ir_ints){ n, ir_copy_bytes(a, at, sizeof(int64_t) * (size_t)n) };
}

/* Large constants live as long as the context, and every graph that has them shares them. */
#define SHARED_BYTES 4096

static ir_data
data_of(ir_arena *arena, const ir_type *type, const void *bytes, size_t n, bool splat)
{
    ir_arena *const to = n > SHARED_BYTES ? &arena->ctx->arena : arena;

    return (ir_data){ type, ir_copy_bytes(to, bytes, n), n, splat, ir_hash(splat, bytes, n) };
}

ir_data
ir_data_list(ir_arena *arena, const ir_type *type, const void *bytes)
{
    return data_of(arena, type, bytes, cot_dtype_size(type->dtype) * (size_t)type->size, false);
}

ir_data
ir_data_new(ir_arena *arena, const ir_type *type, const void *bytes)
{
    return type->rank ? ir_data_list(arena, type, bytes) : ir_data_splat(arena, type, bytes);
}

ir_data
ir_data_splat(ir_arena *arena, const ir_type *type, const void *element)
{
    return data_of(arena, type, element, type->size ? cot_dtype_size(type->dtype) : 0,
                   type->size > 0);
}

const ir_attrs *
ir_constant_attrs(ir_arena *arena, const ir_attrs *at)
{
    const ir_data *d = &at->constant.data;
    const char *p = d->bytes;
    const size_t element = cot_dtype_size(d->type->dtype);

    if (d->splat || d->n == 0 || memcmp(p, p + element, d->n - element) != 0)
        return at;
    ir_attrs *splat = IR_NEW(arena, ir_attrs);
    splat->constant.data = ir_data_splat(arena, d->type, p);
    return splat;
}

#define AT(type, a, f) (*(type const *)((const char *)(a) + (f)->offset))

const ir_graph *
ir_attrs_body(ir_record r, const ir_attrs *at)
{
    const ir_graph *body = NULL;
    int n;
    const ir_field *f = ir_record_fields(r, &n);

    for (int i = 0; i < n; i++)
        if (f[i].kind == IR_F_GRAPH)
            body = AT(ir_graph *, at, f + i);
        else if (f[i].kind == IR_F_GRAPHS && !body && AT(ir_graphs, at, f + i).n > 0)
            body = AT(ir_graphs, at, f + i).at[0];
    return body;
}

int64_t *
ir_attrs_consts(ir_record r, ir_attrs *at)
{
    int n;
    const ir_field *f = ir_record_fields(r, &n);

    return n > 0 && strcmp(f->name, "consts") == 0 ? (int64_t *)((char *)at + f->offset) : NULL;
}

/* Texts are interned by their context, but the builder may compare one before it is
 * interned. */
static bool
same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool
same_graph(const ir_graph *a, const ir_graph *b, ir_pairs *later)
{
    if (!later)
        return ir_graph_equal(a, b);
    ir_pairs_add(later, a, b);
    return true;
}

static bool
field_equal(const ir_field *f, const ir_attrs *a, const ir_attrs *b, ir_pairs *later)
{
    switch (f->kind) {
    case IR_F_INT: return AT(int64_t, a, f) == AT(int64_t, b, f);
    case IR_F_INTS: return ir_ints_equal(AT(ir_ints, a, f), AT(ir_ints, b, f));
    case IR_F_AXES: return AT(ir_axes, a, f) == AT(ir_axes, b, f);
    case IR_F_DTYPE: return AT(cot_dtype, a, f) == AT(cot_dtype, b, f);
    case IR_F_FLAG:
    case IR_F_MODE: return AT(int, a, f) == AT(int, b, f);
    case IR_F_GRAPH: return same_graph(AT(ir_graph *, a, f), AT(ir_graph *, b, f), later);
    case IR_F_TEXT: return same_text(AT(const char *, a, f), AT(const char *, b, f));
    case IR_F_DATA: {
        const ir_data *x = &AT(ir_data, a, f), *y = &AT(ir_data, b, f);
        return x->type == y->type && x->hash == y->hash && x->n == y->n &&
               x->splat == y->splat &&
               (x->bytes == y->bytes || memcmp(x->bytes, y->bytes, x->n) == 0);
    }
    case IR_F_GRAPHS: {
        const ir_graphs *x = &AT(ir_graphs, a, f), *y = &AT(ir_graphs, b, f);
        bool same = x->n == y->n;
        for (int i = 0; same && i < x->n; i++)
            same = same_graph(x->at[i], y->at[i], later);
        return same;
    }
    }
    return false;
}

bool
ir_attrs_equal_but(ir_record r, const ir_attrs *a, const ir_attrs *b, ir_pairs *graphs)
{
    int n;
    const ir_field *f = ir_record_fields(r, &n);
    for (int i = 0; i < n; i++)
        if (!field_equal(&f[i], a, b, graphs))
            return false;
    return true;
}

bool
ir_attrs_equal(ir_record r, const ir_attrs *a, const ir_attrs *b)
{
    return ir_attrs_equal_but(r, a, b, NULL);
}

static uint64_t
field_hash(uint64_t h, const ir_field *f, const ir_attrs *a)
{
    switch (f->kind) {
    case IR_F_INT: return ir_hash_u64(h, (uint64_t)AT(int64_t, a, f));
    case IR_F_INTS:
        return ir_hash(h, AT(ir_ints, a, f).at, sizeof(int64_t) * (size_t)AT(ir_ints, a, f).n);
    case IR_F_AXES: return ir_hash_u64(h, AT(ir_axes, a, f));
    case IR_F_DTYPE: return ir_hash_u64(h, AT(cot_dtype, a, f));
    case IR_F_FLAG:
    case IR_F_MODE: return ir_hash_u64(h, (uint64_t)AT(int, a, f));
    case IR_F_DATA: return ir_hash_u64(h, AT(ir_data, a, f).hash);
    case IR_F_GRAPH: return ir_hash_u64(h, AT(ir_graph *, a, f)->hash);
    case IR_F_TEXT: {
        const char *s = AT(const char *, a, f);
        return s ? ir_hash(h, s, strlen(s)) : ir_hash_u64(h, 1);
    }
    case IR_F_GRAPHS:
        for (int i = 0; i < AT(ir_graphs, a, f).n; i++)
            h = ir_hash_u64(h, AT(ir_graphs, a, f).at[i]->hash);
        return h;
    }
    return h;
}

uint64_t
ir_attrs_hash(ir_record r, const ir_attrs *a)
{
    int n;
    const ir_field *f = ir_record_fields(r, &n);
    uint64_t h = (uint64_t)r;
    for (int i = 0; i < n; i++)
        h = field_hash(h, &f[i], a);
    return h;
}

static const size_t record_bytes[IR_AT_COUNT] = {
#define RECORD(name) [IR_AT_##name] = sizeof((ir_attrs *)0)->name,
#define FIELD(...)
#define END(name)
#include "ir/attrs.def"
#undef RECORD
#undef FIELD
#undef END
};

ir_attrs
ir_attrs_of(ir_record r, const ir_attrs *a)
{
    ir_attrs c = { 0 };

    memcpy(&c, a, record_bytes[r]);
    return c;
}

ir_attrs
ir_attrs_copy(ir_arena *arena, ir_record r, const ir_attrs *a)
{
    int n;
    const ir_field *f = ir_record_fields(r, &n);
    ir_attrs c = ir_attrs_of(r, a);
    for (int i = 0; i < n; i++) {
        void *p = (char *)&c + f[i].offset;
        if (f[i].kind == IR_F_INTS) {
            ir_ints *s = p;
            *s = ir_ints_copy(arena, s->n, s->at);
        } else if (f[i].kind == IR_F_DATA) {
            ir_data *d = p;
            if (d->n <= SHARED_BYTES)
                d->bytes = ir_copy_bytes(arena, d->bytes, d->n);
        } else if (f[i].kind == IR_F_GRAPHS) {
            ir_graphs *s = p;
            s->at = ir_copy_bytes(arena, s->at, sizeof *s->at * (size_t)s->n);
        } else if (f[i].kind == IR_F_TEXT) {
            const char **s = p;
            *s = *s ? ir_intern(arena->ctx, *s) : NULL;
        }
    }
    return c;
}

const ir_attrs *
ir_attrs_keep(ir_arena *arena, ir_record r, const ir_attrs *a)
{
    static const ir_attrs none;

    if (r == IR_AT_none)
        return &none;
    const ir_attrs c = ir_attrs_copy(arena, r, a);
    return ir_copy_bytes(arena, &c, record_bytes[r]);
}
