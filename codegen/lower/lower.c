/* Lowering: from a prepared graph to a module of kernels. */
#include "codegen/kernel/grid.h"
#include "codegen/kernel/record.h"
#include "codegen/lower.h"
#include "codegen/lower/dot_schedule.h"
#include "codegen/lower/level.h"
#include "codegen/lower/rules.h"

#include "ir/limit.h"

static const char *
arg_name(ir_arena *a, const char *const *names, int i, const char *prefix)
{
    return names && names[i] ? names[i] : ir_format(a, "%s%d", prefix, i);
}

static void
place_inputs(cg_lowering *l, cg_level *v)
{
    const ir_graph *f = v->f;
    cg_kernel *k = l->entry.k;
    for (int i = 0, inout = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);
        const bool is_inout = inout < f->n_inout && f->inout[inout].arg == i;
        bool written = is_inout || (l->o->donated && l->o->donated[i]);
        uint32_t b = cg_buffer_add(k, arg_name(l->arena, f->in_name, i, "in"), t->dtype,
                                   written ? CG_OUT : CG_IN, t->size);
        k->buffer[b].arg = i;
        k->buffer[b].align = l->target.grid ? CG_DEVICE_ALIGN : 0;
        v->place[f->in[i]] = (cg_place){ .set = true, .buffer = b };
        v->borrowed[f->in[i]] = true;
        inout += is_inout;
    }
}

/* The results of one type that no argument is paired with yet, as a list. */
typedef struct unpaired {
    const ir_type *type;
    int first;
} unpaired;

typedef struct pairing {
    ir_map find;                /* the lists by type, from 1 on */
    unpaired *of;
    uint32_t n, cap;
} pairing;

static unpaired *
unpaired_of(pairing *p, ir_arena *a, const ir_type *t)
{
    const uint64_t h = ir_hash_u64(0, (uint64_t)(uintptr_t)t);
    for (uint32_t at = 0, id; (id = ir_map_next(&p->find, h, &at)) != 0;)
        if (p->of[id - 1].type == t)
            return &p->of[id - 1];
    IR_PUSH(a, p->of, p->n, p->cap, ((unpaired){ t, -1 }));
    ir_map_add(&p->find, h, p->n);
    return &p->of[p->n - 1];
}

void
cg_pair_donated(const ir_graph *f, const bool *donated, ir_arena *a, int *over)
{
    int *next = IR_NEW_N(a, int, f->n_out + 1);
    pairing p = { 0 };
    ir_map_init(&p.find, a);
    for (int j = f->n_out; j-- > 0;) {
        over[j] = -1;
        if (!donated || j >= f->n_out - f->n_inout)
            continue;
        unpaired *u = unpaired_of(&p, a, ir_type_at(f, f->out[j]));
        next[j] = u->first;
        u->first = j;
    }
    for (int i = 0; donated && i < f->n_in; i++) {
        unpaired *u = donated[i] ? unpaired_of(&p, a, ir_type_at(f, f->in[i])) : NULL;
        if (!u || u->first < 0)
            continue;
        over[u->first] = i;
        u->first = next[u->first];
    }
}

/* The argument in whose memory result i is, or -1. */
static int
argument_under(const ir_graph *f, const int *over, int i)
{
    const int own = f->n_out - f->n_inout;
    return i < own ? over[i] : f->inout[i - own].arg;
}

/* The memory of results.  A result has a buffer of its own, which may alias that of a donated
 * argument; the new value of an in/out argument has the buffer of the argument.  A value is
 * computed directly in the buffer of the first result that it is, but over the old value of an
 * argument only if that is dead by then.  Further results with the same value, and results that
 * are inputs, are copied. */
static cg_place *
place_outputs(cg_lowering *l, cg_level *v, const int *over)
{
    const ir_graph *f = v->f;
    const int own = f->n_out - f->n_inout;
    cg_place *to = IR_NEW_N(l->arena, cg_place, f->n_out + 1);
    for (int i = 0; i < own; i++) {
        const ir_type *t = ir_type_at(f, f->out[i]);
        uint32_t b = cg_buffer_add(l->entry.k, arg_name(l->arena, f->out_name, i, "out"),
                                   t->dtype, CG_OUT, t->size);
        l->entry.k->buffer[b].arg = f->n_in + i;
        l->entry.k->buffer[b].align = l->target.grid ? CG_DEVICE_ALIGN : 0;
        if (over[i] >= 0)
            cg_buffer_over(l->entry.k, b, v->place[f->in[over[i]]].buffer);
        to[i] = (cg_place){ .set = true, .buffer = b };
    }
    for (int k = 0; k < f->n_inout; k++)
        to[own + k] = v->place[f->in[f->inout[k].arg]];
    for (int i = 0; i < f->n_out; i++) {
        ir_ref y = f->out[i];
        const int old = argument_under(f, over, i);
        if (!v->place[y].set && (old < 0 || cg_may_overwrite(l, v, y, f->in[old])))
            v->place[y] = to[i];
    }
    return to;
}

/* Copy results that are not computed in their buffer.  Old values of arguments that are results
 * are saved first, since other copies may overwrite them. */
static void
copy_outputs(cg_lowering *l, cg_level *v, const int *over, const cg_place *to)
{
    const ir_graph *f = v->f;
    cg_place *from = IR_NEW_N(l->arena, cg_place, f->n_out + 1);
    for (int i = 0; i < f->n_out; i++) {
        const ir_type *t = ir_type_at(f, f->out[i]);
        from[i] = v->place[f->out[i]];
        if (ir_def(f, f->out[i]) || from[i].buffer == to[i].buffer ||
            l->entry.k->buffer[from[i].buffer].space == CG_IN)
            continue;
        l->loc = ir_value_loc(f, f->out[i]);
        const int under = argument_under(f, over, i);
        const bool hides = under >= 0 && f->in[under] != f->out[i];
        cg_place own = hides ? cg_plan_new(l, "old", t) : to[i];
        cg_plan_copy(l, own, from[i], t);
        from[i] = own;
    }
    for (int i = 0; i < f->n_out; i++) {
        l->loc = ir_value_loc(f, f->out[i]);
        if (from[i].buffer != to[i].buffer)
            cg_plan_copy(l, to[i], from[i], ir_type_at(f, f->out[i]));
    }
}

static cot_status
lower(const ir_graph *f, const cg_lower_options *o, ir_arena *arena, ir_arena *scratch,
      ir_arena *tables, ir_arena *draft, cg_module **out)
{
    cg_lowering *l = IR_NEW(arena, cg_lowering);
    ir_buf why;
    ir_buf_init(&why, arena);
    l->ctx = f->ctx;
    l->arena = arena;
    l->scratch = scratch;
    l->tables = tables;
    l->draft = draft;
    l->o = o;
    l->rules = &cg_lower_rules;
    l->target = o->target ? *o->target : (cg_target){ 0 };
    if (!l->target.vector_bits)
        l->target.vector_bits = 128;
    l->why = &why;
    l->plan = IR_NEW(arena, cg_plan);
    ir_map_init(&l->kernels, arena);
    ir_map_init(&l->called_of, arena);
    l->m = cg_module_new(f->ctx, arena, f->name ? f->name : "f");
    l->m->record = o->record;
    if (o->record)
        *o->record = (cg_record){ .arena = arena };
    l->m->open = o->open;
    l->m->n_open = o->n_open;
    l->m->trapping_math = l->target.trapping_math && !l->target.grid;
    cg_kernel *entry = cg_kernel_new(l->m, f->name ? f->name : "f");
    cg_begin(&l->entry, entry);
    l->m->n_args = f->n_in + f->n_out - f->n_inout;
    cg_level *v = cg_level_new(l, f);
    l->outermost = v;
    ir_stage(l->ctx, "lower", f->name, v->fusion->n);
    place_inputs(l, v);
    int *over = IR_NEW_N(arena, int, f->n_out + 1);
    cg_pair_donated(f, o->donated, scratch, over);
    cg_place *to = place_outputs(l, v, over);
    cg_plan_graph(l, v);
    copy_outputs(l, v, over, to);
    cg_plan_join_spans(l);
    l->m->work_bytes = cg_plan_assign(l);
    l->m->parallel = o->threads > 1 && cg_any_parallel(l->m);
    l->m->why = why.text;
    *out = l->m;
    const char *wrong =
        cg_dot_schedules_wrong(arena, o->schedules, (int)l->n_scheduled, l->scheduled);
    if (wrong)
        cg_lower_fail(l, 0, "schedule", wrong);
    /* verified here only: every back end gets its modules from here, and none changes them */
    return l->status == COT_OK ? cg_verify_or_serial(l->m) : l->status;
}

/* Free the memory of the lowering alone, even if memory runs out; then continue the jump. */
cot_status
cg_lower(const ir_graph *f, const cg_lower_options *o, ir_arena *arena, cg_module **out)
{
    volatile cot_status status = COT_OK;
    volatile bool ended = false;
    ir_arena scratch, tables, draft;

    ir_arena_init(&scratch, f->ctx);
    ir_arena_init(&tables, f->ctx);
    ir_arena_init(&draft, f->ctx);
    IR_TRY(f->ctx) {
        status = lower(f, o, arena, &scratch, &tables, &draft, out);
        ended = true;
    }
    ir_arena_free(&scratch);
    ir_arena_free(&tables);
    ir_arena_free(&draft);
    if (!ended)
        ir_out_of_memory(f->ctx);
    return status;
}

void
cg_explain(ir_buf *b, const cg_module *m)
{
    ir_buf_printf(b, "%s: %u kernels, %lld bytes of work\n%s", m->name, m->n_kernels - 1,
                  (long long)m->work_bytes, m->why ? m->why : "");
}
