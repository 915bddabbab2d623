/* Programs of steps that are written out: a random program, again and again. */
#include "tests/fuzz/generate.h"

enum { MAX_STEPS = 7, MAX_NODES = 1500 };

typedef struct stepping {
    ir_build *b;
    const ir_graph *f;
    uint64_t seed;
    ir_ref *in, *out, *before; /* of a step: operands, results, and results of the one before */
} stepping;

static uint64_t
draw(stepping *s)
{
    return s->seed = ir_hash_u64(s->seed, s->seed >> 7 | 1);
}

/* The operands of the next step: of most inputs a result of this step or of the one before, if
 * one has the type; else a constant of the step's own, or the same as now. */
static void
next_operands(stepping *s, int step)
{
    const ir_graph *f = s->f;

    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);
        const uint64_t how = ir_hash_u64(s->seed, (uint64_t)i) >> 32;
        for (int k = 0; k < f->n_out && how % 4; k++) {
            const int j = (k + (int)(how >> 3 & 15)) % f->n_out;
            if (ir_type_at(f, f->out[j]) != t)
                continue;
            s->in[i] = how % 4 == 1 && step > 0 ? s->before[j] : s->out[j];
            break;
        }
        if (how % 8 == 4 && ir_is_float(t->dtype))
            s->in[i] = ir_splat(s->b, t, 0.25 * step - 0.5);
        else if (how % 8 == 4 && ir_is_int(t->dtype))
            s->in[i] = ir_splat_int(s->b, t, step);
    }
}

/* Rows of an input in turn: as it is read by a loop over an array. */
static ir_ref
read_row(stepping *s, ir_ref x, int step)
{
    const ir_type *t = ir_btype(s->b, x);

    if (t->rank == 0 || t->dims[0] <= step)
        return x;
    const ir_ref row = ir_slice_axis(s->b, x, 0, step, step + 1);
    return ir_broadcast_in_dim(s->b, ir_reshape(s->b, row, t->rank - 1, t->dims + 1), t->rank,
                               t->dims, (const int64_t[]){ 1, 2, 3, 4, 5, 6, 7, 8 });
}

const ir_graph *
fuzz_steps(const ir_graph *f, uint64_t seed)
{
    const int steps = 3 + (int)(seed % (MAX_STEPS - 2));
    stepping s = { .b = ir_build_like(f, "steps"), .f = f, .seed = seed };
    ir_arena *a = s.b->arena;
    ir_graph *g = NULL;

    if (f->mutates || f->effectful || f->collective ||
        f->unfolded * (uint64_t)steps > MAX_NODES)
        return f;
    s.in = IR_NEW_N(a, ir_ref, f->n_in + 1);
    s.out = IR_NEW_N(a, ir_ref, f->n_out + 1);
    s.before = IR_NEW_N(a, ir_ref, f->n_out + 1);
    ir_ref *x = IR_NEW_N(a, ir_ref, f->n_in + 1), *given = IR_NEW_N(a, ir_ref, f->n_in + 1);
    for (int i = 0; i < f->n_in; i++)
        s.in[i] = given[i] = ir_input(s.b, ir_type_at(f, f->in[i]), NULL);
    draw(&s);
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < f->n_in; i++)
            x[i] = s.in[i] == given[i] && s.seed >> (i & 31) & 1 &&
                           ir_type_at(f, f->in[i])->rank <= 8
                       ? read_row(&s, s.in[i], s.seed & 1 ? t : steps - 1 - t)
                       : s.in[i];
        memcpy(s.before, s.out, sizeof *s.out * (size_t)f->n_out);
        ir_inline_graph(s.b, f, x, s.out);
        if (t == 1 || seed % 3 == 0)
            for (int k = 0; k < f->n_out; k++)
                ir_output(s.b, s.out[k]);
        next_operands(&s, t);
    }
    for (int k = 0; k < f->n_out; k++)
        ir_output(s.b, s.out[k]);
    return ir_build_end(s.b, &g) == COT_OK ? g : NULL;
}
