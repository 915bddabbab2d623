/* The table of locations: entries are shared, found by a hash of their fields. */
#include "ir/loc.h"

#include "ir/buf.h"
#include "ir/context.h"

static bool
same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static ir_loc_table *
table_of(cot_context *ctx)
{
    ir_loc_table *t = &ctx->locs;

    if (!t->index) {
        t->index = IR_NEW(&ctx->arena, ir_map);
        ir_map_init(t->index, &ctx->arena);
        IR_PUSH(&ctx->arena, t->entry, t->n, t->cap, (ir_loc_entry){ 0 });
    }
    return t;
}

static ir_loc
intern(cot_context *ctx, ir_loc_entry e)
{
    ir_loc_table *t = table_of(ctx);
    uint64_t h = ir_hash_u64(((uint64_t)e.from << 32) + 7, (uint64_t)e.line);
    if (e.file)
        h = ir_hash(h, e.file, strlen(e.file));
    if (e.how)
        h = ir_hash(h, e.how, strlen(e.how));
    uint32_t at = 0, id;
    while ((id = ir_map_next(t->index, h, &at))) {
        const ir_loc_entry *o = &t->entry[id];
        if (o->line == e.line && o->from == e.from && !o->mark && !o->also &&
            same_text(o->file, e.file) && same_text(o->how, e.how))
            return id;
    }
    e.file = ir_copy_string(&ctx->arena, e.file);
    e.how = ir_copy_string(&ctx->arena, e.how);
    IR_PUSH(&ctx->arena, t->entry, t->n, t->cap, e);
    ir_map_add(t->index, h, t->n - 1);
    return t->n - 1;
}

ir_loc
ir_loc_file(cot_context *ctx, const char *file, int line)
{
    return file ? intern(ctx, (ir_loc_entry){ .file = file, .line = line }) : 0;
}

ir_loc
ir_loc_derive(cot_context *ctx, ir_loc from, const char *how)
{
    return from ? intern(ctx, (ir_loc_entry){ .from = from, .how = how }) : 0;
}

ir_loc
ir_loc_mark(cot_context *ctx, ir_loc from, uint32_t mark)
{
    ir_loc_table *t = table_of(ctx);

    IR_PUSH(&ctx->arena, t->entry, t->n, t->cap,
            ((ir_loc_entry){ .from = from, .mark = mark }));
    return t->n - 1;
}

/* A join of a join keeps `from`, so that the way to the root stays short. */
ir_loc
ir_loc_join(cot_context *ctx, ir_loc loc, ir_loc also)
{
    ir_loc_table *t = table_of(ctx);
    const ir_loc_entry e = *ir_loc_at(ctx, loc);

    if (!loc || !also || loc == also || (e.also && (e.also == also || e.from == also)))
        return loc ? loc : also;
    IR_PUSH(&ctx->arena, t->entry, t->n, t->cap,
            ((ir_loc_entry){
                .from = e.also ? e.from : loc, .also = also, .more = e.also ? loc : 0 }));
    return t->n - 1;
}

ir_loc
ir_loc_plain(cot_context *ctx, ir_loc loc)
{
    const ir_loc_entry e = *ir_loc_at(ctx, loc);

    if (!e.from)
        return e.mark ? 0 : loc;
    return e.how ? ir_loc_derive(ctx, ir_loc_plain(ctx, e.from), e.how)
                 : ir_loc_plain(ctx, e.from);
}

static void
mark_visited(void *user, uint32_t mark)
{
    *(bool *)user |= mark != 0;
}

bool
ir_loc_is_marked(const cot_context *ctx, ir_loc loc)
{
    bool marked = false;

    ir_loc_each_mark(ctx, loc, mark_visited, &marked);
    return marked;
}

void
ir_loc_each_mark(const cot_context *ctx, ir_loc loc, ir_loc_visit *visit, void *user)
{
    while (loc) {
        const ir_loc_entry e = *ir_loc_at(ctx, loc);

        if (e.mark) {
            visit(user, e.mark);
            return;
        }
        for (ir_loc j = e.also ? loc : 0; j; j = ir_loc_at(ctx, j)->more)
            ir_loc_each_mark(ctx, ir_loc_at(ctx, j)->also, visit, user);
        loc = e.from;
    }
}

const ir_loc_entry *
ir_loc_at(const cot_context *ctx, ir_loc loc)
{
    static const ir_loc_entry unknown;
    return loc && loc < ctx->locs.n ? &ctx->locs.entry[loc] : &unknown;
}

const char *
ir_loc_root(const cot_context *ctx, ir_loc loc, int *line)
{
    const ir_loc_entry *e = ir_loc_at(ctx, loc);
    while (e->from)
        e = ir_loc_at(ctx, e->from);
    *line = e->line;
    return e->file;
}

/* Prints from the root on: each derivation follows the location that it is derived from. */
void
ir_loc_print(const cot_context *ctx, ir_loc loc, ir_buf *b)
{
    int depth = 0;

    for (ir_loc l = loc; ir_loc_at(ctx, l)->from; l = ir_loc_at(ctx, l)->from)
        depth++;
    for (; depth >= 0; depth--) {
        const ir_loc_entry *e = ir_loc_at(ctx, loc);

        for (int i = 0; i < depth; i++)
            e = ir_loc_at(ctx, e->from);
        if (e->how)
            ir_buf_printf(b, ", %s", e->how);
        else if (e->file)
            ir_buf_printf(b, "%s:%d", e->file, e->line);
    }
}
