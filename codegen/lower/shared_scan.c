/* A scan without carries, whose steps threads share.
 *
 * No step reads what another one computes, so that their order does not matter.  The body is
 * planned as a function (called.c), whose kernels no threads share, and each share of the steps
 * has room of its own for the values between them.  Each thread then does many kernels between
 * two meetings, where the threads that share each kernel of a step meet after each. */
#include "codegen/elemental/element.h"
#include "codegen/fuse/cost.h"
#include "codegen/lower/subgraph.h"
#include "codegen/tuning.h"

/* Operations and bytes of the results of all ops of f, each sub-function once. */
static void
add_work(const ir_graph *f, ir_arena *a, double *operations, double *bytes)
{
    const ir_graph *const *all;

    for (uint32_t i = 0, n = ir_all_graphs(f, false, &all, a); i < n; i++)
        ir_each_node (x, all[i])
            for (int j = 0; j < x->n_out; j++) {
                const ir_type *t = ir_type_at(all[i], x->first + (ir_ref)j);
                *operations += (double)t->size * (double)cg_op_cost(all[i], x);
                *bytes += (double)t->size * (double)cot_dtype_size(t->dtype);
            }
}

/* Is there work for threads, about as much for each, and room for all? */
static bool
is_worth(const cg_lowering *l, const ir_node *n)
{
    const int64_t length = n->at->scan.length, threads = l->o->threads;
    const ir_mark mark = ir_arena_mark(l->scratch);
    double operations = 0, bytes = 0;

    if (length < 2)
        return false;
    add_work(n->at->scan.body, l->scratch, &operations, &bytes);
    ir_arena_release(l->scratch, mark);
    if (bytes * (double)threads > CG_LOWER_MAX_ROOMS)
        return false;
    if (l->o->share_all)
        return true;
    return length >= threads &&
           (length % threads == 0 || length >= CG_LOWER_MIN_STEPS * threads) &&
           cg_is_shareable(operations * (double)length, cg_lanes(l, ir_bits(COT_F32)),
                           bytes * (double)length);
}

/* Is each result dense, written in all elements, and in memory of its own? */
static bool
is_apart(const cg_lowering *l, const cg_level *v, const ir_node *n, const cg_place *in,
         const cg_place *to)
{
    for (int i = 0; i < n->n_out; i++) {
        const ir_ref y = n->first + (ir_ref)i;
        if (v->stride[y] || v->mask[y])
            return false;
        for (int k = 0; k < n->n_in; k++)
            if (cg_may_share(l, to[i], in[k]))
                return false;
        for (int k = 0; k < i; k++)
            if (cg_may_share(l, to[i], to[k]))
                return false;
    }
    return true;
}

/* The body as a function of one thread. */
static int
serial_function(cg_lowering *l, const ir_graph *f)
{
    const cg_lower_options *o = l->o;
    cg_lower_options one = *o;

    one.threads = 1;
    one.share_all = false;
    l->o = &one;
    const int kernel = cg_plan_function(l, f, cg_plan_sub);
    l->o = o;
    return kernel;
}

typedef struct sharing {
    const ir_node *n;
    const cg_place *in, *to;
    int kernel;
    cg_place room; /* of all shares */
    int64_t room_bytes; /* of one */
} sharing;

/* Call the function for step t, in the room of a share. */
static void
call_step(cg_lowering *l, const sharing *s, cg_val t, cg_val share)
{
    const ir_node *n = s->n;
    const ir_graph *f = n->at->scan.body;
    cg_build *e = &l->entry;
    cg_place *port = IR_NEW_N(l->arena, cg_place, n->n_in + n->n_out + 1);

    if (n->at->scan.reverse)
        t = cg_isub(e, cg_i64(e, n->at->scan.length - 1), t);
    for (int i = 0; i < n->n_in; i++)
        port[i] = i < n->at->scan.consts
                      ? s->in[i]
                      : cg_place_at(l, s->in[i], cg_imul(e, t, ir_type_at(f, f->in[i])->size));
    for (int i = 0; i < n->n_out; i++)
        port[n->n_in + i] =
            cg_place_at(l, s->to[i], cg_imul(e, t, ir_type_at(f, f->out[i])->size));
    const cg_place room = s->room_bytes
                              ? cg_place_at(l, s->room, cg_imul(e, share, s->room_bytes))
                              : (cg_place){ 0 };
    cg_call_function(l, s->kernel, n->n_in + n->n_out, port, room);
}

/* The shares, and then the steps that are left. */
static void
call_steps(cg_lowering *l, const sharing *s, int64_t shares)
{
    const int64_t length = s->n->at->scan.length, each = length / shares;
    cg_build *e = &l->entry;

    cg_val share = cg_loop_of(e, CG_PARALLEL, shares), step = cg_loop_of(e, CG_SERIAL, each);
    const cg_val number = cg_loop_var(e, share);
    call_step(l, s, cg_iadd(e, cg_imul(e, number, each), cg_loop_var(e, step)), number);
    cg_loop_end(e, step);
    cg_loop_end(e, share);
    if (length % shares == 0)
        return;
    step = cg_loop_of(e, CG_SERIAL, length % shares);
    call_step(l, s, cg_iadd(e, cg_i64(e, shares * each), cg_loop_var(e, step)), cg_i64(e, 0));
    cg_loop_end(e, step);
}

bool
cg_plan_shared_scan(cg_lowering *l, const cg_level *v, const ir_node *n, const cg_place *in,
                    const cg_place *to)
{
    const ir_graph *f = n->at->scan.body;
    const int64_t length = n->at->scan.length, align = l->m->work_align;
    sharing s = { .n = n, .in = in, .to = to };

    if (n->at->scan.carries || l->target.grid || l->o->threads < 2 || l->predicate.set ||
        l->m->n_open || f->effectful || n->n_out == 0 || !is_apart(l, v, n, in, to) ||
        !is_worth(l, n))
        return false;
    const int64_t shares = length < l->o->threads ? length : l->o->threads;
    s.kernel = serial_function(l, f);
    if (l->status != COT_OK)
        return true;
    const cg_kernel *k = l->m->kernel[s.kernel];
    s.room_bytes = k->work ? (k->work_bytes + align - 1) / align * align : 0;
    if (s.room_bytes)
        s.room = cg_plan_new(
            l, "room", ir_type_new(l->ctx, COT_U8, 1, &(int64_t){ s.room_bytes * shares }));
    call_steps(l, &s, shares);
    return true;
}
